/* The imaginary part of a slab: see bloch.h. */
#include "src/model/bloch.h"

#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/disk/disk.h"
#include "src/job/grid.h"
#include "src/job/job.h"

/* Whether a plane reaches from one end of a period with a phase to the other. */
static int is_across(const struct tor_grid *g, const double lo[3], const double hi[3]) {
  int across = 0;
  for (int a = 0; a < 3; a++)
    across |= g->phase[a] != 0 && tor_grid_node(g, a, lo[a]) == 0 && tor_grid_node(g, a, hi[a]) == g->n[a];
  return across;
}

void tor_bloch_check(const struct tor_job *job, const struct tor_grid *g, struct tor_faults *faults) {
  static const char text[] =
      "%s without a phase from cell to cell, and the plane reaches from one Bloch wall to the other; "
      "need " TOR_NEEDED("a plane that ends between them");
  for (int i = 0; i < job->nsources; i++)
    if (tor_source_has_sheet(&job->sources[i]) && !job->sources[i].as_is &&
        is_across(g, job->sources[i].lo, job->sources[i].hi))
      tor_fault_at(faults, tor_job_source_place(job, &job->sources[i]), text,
                   job->sources[i].kind == TOR_MODE_SOURCE ? "modes are found"
                   : job->sources[i].kind == TOR_BEAM      ? "beams are sent"
                                                           : "fields are sent");
  for (int i = 0; i < job->nmonitors; i++)
    if (job->monitors[i].kind == TOR_MODE && is_across(g, job->monitors[i].lo, job->monitors[i].hi))
      tor_fault_at(faults, tor_job_monitor_place(job, &job->monitors[i]), text, "modes are found");
}

/* Sources' factors and monitors' groups of the imaginary part. */
static void make_lists(struct tor_slab *part, const struct tor_slab *slab, int groups) {
  part->inject = tor_alloc((size_t)slab->ninject, sizeof *part->inject, "source lists");
  for (tor_gidx i = 0; i < slab->ninject; i++) {
    part->inject[i] = slab->inject[i];
    part->inject[i].factor = slab->inject[i].imaginary;
  }
  part->record = tor_alloc((size_t)slab->nrecord, sizeof *part->record, "monitor lists");
  for (tor_gidx i = 0; i < slab->nrecord; i++) {
    part->record[i] = slab->record[i];
    part->record[i].group += groups;
  }
}

/* Touched by the threads that will work there, as the slab's. */
static void *make_fields(struct tor_slab *part, int threads) {
  enum { FRONT = 64 };
  const size_t columns = (size_t)tor_slab_columns(part),
               column = (size_t)tor_plane_comps(part->plane) * (size_t)part->nzp * (size_t)part->precision,
               bytes = columns * column;
  if (part->disk) {
    part->field = (char *)tor_disk_zeros(part->disk, TOR_DISK_OTHER_FIELD, bytes + 2 * (size_t)FRONT) + FRONT;
    return NULL;
  }
  char *const base = tor_reserve(bytes + 2 * (size_t)FRONT);
  if (!base)
    TOR_DIE("no memory for the imaginary part of the fields: %.3f GB; use larger cells, a smaller domain or fp32",
            (double)bytes * 1e-9);
  part->field = base + FRONT;
  memset(base, 0, FRONT);
  memset(base + FRONT + bytes, 0, FRONT);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t i = 0; i < columns; i++) memset((char *)part->field + column * i, 0, column);
  return base;
}

void *tor_bloch_part(struct tor_slab *slab, int groups, int threads) {
  struct tor_slab *part = tor_alloc(1, sizeof *part, "imaginary part");
  const size_t real = (size_t)slab->precision, nx = (size_t)slab->held[0], ny = (size_t)slab->held[1],
               nzp = (size_t)slab->nzp;
  *part = *slab;
  part->other = slab;
  part->imaginary = 1;
  for (int i = 0; i < 6; i++) part->bloch[i / 2][i % 2][1] = -slab->bloch[i / 2][i % 2][1];
  part->psi_x = tor_alloc((size_t)slab->cpml[0].count * ny * 4 * nzp, real, "boundary layers in x");
  part->psi_y = tor_alloc((size_t)slab->cpml[1].count * nx * 4 * nzp, real, "boundary layers in y");
  const size_t psi_z = nx * ny * 4 * (size_t)(slab->zlo + slab->zhi), state = (size_t)slab->nstate;
  if (slab->disk) {
    part->psi_z = tor_disk_zeros(slab->disk, TOR_DISK_OTHER_PSI_Z, psi_z * real);
    part->state = tor_disk_zeros(slab->disk, TOR_DISK_OTHER_STATE, state * real);
  } else {
    part->psi_z = tor_alloc(psi_z, real, "boundary layers in z");
    part->state = tor_alloc(state, real, "dispersive media");
  }
  make_lists(part, slab, groups);
  void *const fields = make_fields(part, threads);
  slab->other = part;
  return fields;
}

void tor_bloch_part_free(struct tor_slab *slab, void *fields) {
  struct tor_slab *const part = slab->other;
  if (!part) return;
  if (part->disk) part->psi_z = part->state = NULL; /* they are the disk's */
  void *const own[] = {part->psi_x, part->psi_y, part->psi_z, part->state, part->inject, part->record, fields, part};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) free(own[i]);
  slab->other = NULL;
}
