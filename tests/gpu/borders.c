/* Parts of strips between the slabs of two ranks along y, for random jobs with everything in them: after a move the one
 * has the other's bytes of all columns of the part. The copies that a GPU's copy engines would do are done by the host:
 * needs no GPU.
 *
 *     borders [seeds]      exit status 0: equal; 1: not */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../comm/layout.h"
#include "../../src/simulation.h"
#include "../random_job.h"
#include "host_border.h"

enum { STEPS = 9, IMAGES = 2 };

static void fill(void *to, size_t bytes) {
  static unsigned state = 1;
  for (size_t i = 0; i < bytes; i++) {
    state = state * 1664525u + 1013904223u;
    ((unsigned char *)to)[i] = (unsigned char)(state >> 24);
  }
}

/* All that steps change but energies, which do not travel. */
static void fill_slab(const struct tor_slab *s) {
  const size_t columns = (size_t)tor_slab_columns(s), real = s->precision, values = 4 * (size_t)s->nzp * real;
  fill(s->field, columns * TOR_NCOMP * (size_t)s->nzp * real);
  fill(s->psi_z, columns * 4 * (size_t)(s->zlo + s->zhi) * real);
  fill(s->psi_x, (size_t)s->cpml[0].count * (size_t)s->held[1] * values);
  fill(s->psi_y, (size_t)s->cpml[1].count * (size_t)s->held[0] * values);
  fill(s->state, (size_t)s->nstate * real);
  for (int g = 0; g < s->ngroup; g++)
    if (s->group[g].kind == TOR_RECORD_DFT)
      fill(s->group[g].data, (size_t)s->group[g].npoints * 2 * (size_t)s->group[g].nfreq * sizeof(double));
}

/* Whether a column has the same bytes in both, less the images in front of it, which lie in the column before. */
static int same_column(const struct tor_slab *a, const struct tor_slab *b, int ix, int iy) {
  const struct tor_column_block one = {ix, ix + 1, iy, iy + 1};
  const size_t bytes = tor_column_state_bytes(a, &one, NULL), front = IMAGES * (size_t)a->precision;
  if (bytes != tor_column_state_bytes(b, &one, NULL)) return 0;
  char *x = tor_alloc(bytes, 1, "test"), *y = tor_alloc(bytes, 1, "test");
  tor_column_state_pack(a, &one, NULL, x);
  tor_column_state_pack(b, &one, NULL, y);
  const int same = !memcmp(x + front, y + front, bytes - front);
  free(x);
  free(y);
  return same;
}

static int columns, moves;

static int same_part(const struct tor_slab *from, const struct tor_slab *to, const struct tor_strip_part *part,
                     int near) {
  fill_slab(from);
  moves++;
  if (host_border_move(from, to, part, near) < 0) return 0;
  for (int iy = part->block.y0; iy < part->block.y1; iy++) {
    int x0, x1;
    tor_strip_columns(part, iy, &x0, &x1);
    for (int ix = x0; ix < x1; ix++, columns++)
      if (!same_column(from, to, ix, iy)) return printf("column (%d, %d) differs\n", ix, iy), 0;
  }
  return 1;
}

/* All parts of all rows' strips, both ways. */
static int same_border(const struct tor_layout *l, const struct tor_model *below, const struct tor_model *above) {
  const struct tor_tiling tiling = tor_layout_tiling(l, STEPS);
  int first, last;
  tor_tiling_rows(&tiling, &first, &last);
  for (int row = first - (first & 1); row >= last; row -= 2)
    for (int i = 0; i < 2 * tor_layout_parts(STEPS); i++) {
      const struct tor_strip_part down = tor_layout_part_down(l, 0, row, STEPS, i / 2),
                                  up = tor_layout_part_up(l, 0, row, STEPS, i / 2);
      if (!same_part(&above->slab, &below->slab, &down, i % 2) || !same_part(&below->slab, &above->slab, &up, i % 2))
        return printf("row %d, part %d%s\n", row, i / 2, i % 2 ? ", near" : ""), 0;
    }
  return 1;
}

static void make(const struct tor_job *job, const struct tor_column_block *held, struct tor_model *model) {
  struct tor_faults faults = {0};
  if (!tor_model_make_part(job, held, 0, 1, model, &faults)) return;
  tor_faults_print(&faults, stderr);
  TOR_DIE("random job refused");
}

static int same_seed(unsigned seed) {
  const int order = seed % 2 ? 2 : 4, dts = order == 2 ? 6 : 2, ranks[2] = {1, 2};
  struct tor_job job;
  struct tor_model whole, part[2];
  struct tor_layout l;
  tor_random_job(seed, order, TOR_F32, &job);
  job.size[0] = 60 * job.cell[0];
  job.size[1] = 60 * job.cell[1];
  job.samples = 1;
  make(&job, NULL, &whole);
  if (tor_layout_make(&l, &whole.slab, dts, STEPS, ranks, NULL)) TOR_DIE("60 cells are too few");
  l.margin = dts * (order == 4 ? 3 : 1);
  for (int y = 0; y < 2; y++) {
    const struct tor_share share = tor_layout_share(&l, 0, y);
    make(&job, &share.held, &part[y]);
  }
  const int same = same_border(&l, &part[0], &part[1]);
  if (!same) printf("FAILED: seed %u, order %d\n", seed, order);
  for (int y = 0; y < 2; y++) tor_model_free(&part[y]);
  tor_model_free(&whole);
  tor_layout_free(&l);
  tor_job_free(&job);
  return same;
}

int main(int argc, char **argv) {
  const unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : 8;
  int failures = 0;
  for (unsigned seed = 1; seed <= seeds; seed++) failures += !same_seed(seed);
  printf("%d parts moved, %d columns compared, %d failures\n", moves, columns, failures);
  return failures > 0 || columns == 0;
}
