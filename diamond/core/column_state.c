/* The state of columns as bytes: see column_state.h. One walk over a column's parts serves to count, to pack and to
 * unpack. */
#include "diamond/core/column_state.h"

#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"

enum direction { COUNT, PACK, UNPACK };
struct walk {
  enum direction direction;
  size_t bytes; /* so far */
  char *to;
  const char *from;
};

static void part(struct walk *walk, void *at, size_t bytes) {
  if (walk->direction == PACK) memcpy(walk->to + walk->bytes, at, bytes);
  if (walk->direction == UNPACK) memcpy(at, walk->from + walk->bytes, bytes);
  walk->bytes += bytes;
}

/* `count` values from place `first` of an array of the slab's precision. */
static void reals(struct walk *walk, const struct tor_slab *slab, void *array, tor_gidx first, tor_gidx count) {
  if (count > 0) part(walk, (char *)array + first * (tor_gidx)slab->precision, (size_t)count * (size_t)slab->precision);
}

static void layers(struct walk *walk, const struct tor_slab *slab, int ix, int iy) {
  const int place[2] = {ix - slab->lo[0], iy - slab->lo[1]}, at[2] = {ix, tor_slab_domain_y(slab, iy)};
  void *psi[2] = {slab->psi_x, slab->psi_y};
  tor_gidx values = (tor_gidx)4 * slab->nzp;
  for (int a = 0; a < 2; a++) {
    int layer = slab->cpml[a].index[at[a]];
    if (layer >= 0) reals(walk, slab, psi[a], ((tor_gidx)layer * slab->held[!a] + place[!a]) * values, values);
  }
  values = (tor_gidx)4 * (slab->zlo + slab->zhi);
  reals(walk, slab, slab->psi_z, tor_slab_column(slab, ix, iy) * values, values);
}

static void poles(struct walk *walk, const struct tor_slab *slab, const struct tor_extra *extra) {
  for (int i = extra->run[0]; i < extra->run[4]; i++) {
    const struct tor_pole_range *run = &slab->run[i];
    if (run->dispersion == TOR_NODE_RUN) {
      reals(walk, slab, slab->state, run->state, (tor_gidx)tor_node_blocks(run) * tor_node_states(run) * run->pitch);
      continue;
    }
    const int arrays = slab->dispersion[run->dispersion].nstate + (run->branch != 0);
    for (int k = 0; k < arrays; k++)
      reals(walk, slab, slab->state, run->state + (tor_gidx)k * run->pitch + tor_pole_range_lead(run), run->nz);
  }
}

static void records(struct walk *walk, const struct tor_slab *slab, const struct tor_extra *extra, const int *samples) {
  for (int i = extra->record[0]; i < extra->record[TOR_NCOMP]; i++) {
    const struct tor_record *rec = &slab->record[i];
    const struct tor_record_group *group = &slab->group[rec->group];
    if (group->kind == TOR_RECORD_DFT) {
      tor_gidx values = (tor_gidx)2 * group->nfreq;
      part(walk, group->data + rec->offset * values, (size_t)(rec->nz * values) * sizeof(double));
      continue;
    }
    for (int k = 0; samples && k < samples[rec->group]; k++)
      part(walk, group->data + (tor_gidx)k * group->npoints + rec->offset, (size_t)rec->nz * sizeof(double));
  }
}

/* Of a slab with an imaginary part, that part's column follows, which shares the energy sums. */
static void column(struct walk *walk, const struct tor_slab *slab, int ix, int iy, const int *samples) {
  tor_gidx number = tor_slab_column(slab, ix, iy), values = (tor_gidx)tor_plane_comps(slab->plane) * slab->nzp;
  /* The space for the last component's ghost values belongs to the next column. */
  reals(walk, slab, slab->field, number * values - TOR_IMAGES, values);
  layers(walk, slab, ix, iy);
  if (!slab->imaginary) part(walk, &slab->energy[number * TOR_NCOMP], TOR_NCOMP * sizeof *slab->energy);
  if (slab->extra_id[number] >= 0) {
    const struct tor_extra *extra = &slab->extra[slab->extra_id[number]];
    poles(walk, slab, extra);
    records(walk, slab, extra, samples);
  }
  if (slab->other && !slab->imaginary) column(walk, slab->other, ix, iy, samples);
}

static size_t walk_block(struct walk walk, const struct tor_slab *slab, const struct tor_column_block *block,
                         const int *samples) {
  for (int ix = block->x0; ix < block->x1; ix++)
    for (int iy = block->y0; iy < block->y1; iy++) column(&walk, slab, ix, iy, samples);
  return walk.bytes;
}

size_t tor_column_state_bytes(const struct tor_slab *slab, const struct tor_column_block *block, const int *samples) {
  return walk_block((struct walk){.direction = COUNT}, slab, block, samples);
}
void tor_column_state_pack(const struct tor_slab *slab, const struct tor_column_block *block, const int *samples,
                           void *to) {
  walk_block((struct walk){.direction = PACK, .to = to}, slab, block, samples);
}
void tor_column_state_unpack(struct tor_slab *slab, const struct tor_column_block *block, const int *samples,
                             const void *from) {
  walk_block((struct walk){.direction = UNPACK, .from = from}, slab, block, samples);
}
