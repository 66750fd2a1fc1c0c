/* Modes at all wavelengths of a job: see mode_sweep.h. */
#include "src/modes/mode_sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/plane_media.h"
#include "src/modes/modes.h"

void tor_mode_plane_make(const struct tor_job *job, const struct tor_mode_job *m, struct tor_plane_media *plane) {
  struct tor_grid grid;
  int axis = 0, box[2][2];
  tor_grid_make(job, &grid);
  while (axis < TOR_Z && m->lo[axis] != m->hi[axis]) axis++;
  tor_plane_media_box(&grid, axis, m->lo, m->hi, box);
  /* What lies half a cell beyond the last node is a mirror image or the other end of a period. */
  const int node = tor_grid_node(&grid, axis, m->lo[axis]);
  tor_plane_media_make(job, axis, node < grid.n[axis] ? node : grid.n[axis] - 1, (const int(*)[2])box, plane);
}

struct tor_mode_job tor_mode_request_of(const struct tor_monitor *m) {
  struct tor_mode_job request = {
      .nwavelength = m->nwavelength, .wavelength = m->wavelength, .count = m->count, .target = m->target, .core = -1};
  memcpy(request.lo, m->lo, sizeof request.lo);
  memcpy(request.hi, m->hi, sizeof request.hi);
  return request;
}

void tor_mode_sweep_make(const struct tor_job *job, const struct tor_mode_job *m, struct tor_mode_sweep *sweep) {
  *sweep = (struct tor_mode_sweep){
      .job = job, .wavelength = m->wavelength, .nwavelength = m->nwavelength, .count = m->count};
  tor_mode_plane_make(job, m, &sweep->plane);
  sweep->found = tor_alloc((size_t)m->nwavelength, sizeof *sweep->found, "modes");
  sweep->mode = tor_alloc((size_t)m->nwavelength * (size_t)m->count, sizeof *sweep->mode, "modes");
  for (int q = 0; q < m->nwavelength; q++) {
    const struct tor_mode_request request = {m->wavelength[q], m->count, m->target, m->core};
    struct tor_mode *const mode = sweep->mode + (size_t)q * (size_t)m->count;
    char why[sizeof sweep->why];
    sweep->found[q] = tor_modes_solve(job, &sweep->plane, &request, mode, why, sizeof why);
    if (sweep->found[q] < m->count) memcpy(sweep->why, why, sizeof why);
    if (q && sweep->found[q] == m->count && sweep->found[q - 1] == m->count)
      tor_modes_follow(&sweep->plane, mode - m->count, mode, m->count);
  }
}

void tor_mode_sweep_free(struct tor_mode_sweep *sweep) {
  for (int i = 0; i < sweep->nwavelength * sweep->count; i++) tor_mode_free(&sweep->mode[i]);
  free(sweep->mode);
  free(sweep->found);
  tor_plane_media_free(&sweep->plane);
  *sweep = (struct tor_mode_sweep){0};
}

int tor_mode_sweep_beyond_text(const struct tor_mode_sweep *sweep, int m, char *text, size_t size) {
  const struct tor_mode *worst = NULL;
  double most = 0;
  char what[256];
  for (int q = 0; q < sweep->nwavelength; q++) {
    if (m >= sweep->found[q]) continue;
    int axis, high;
    const struct tor_mode *here = tor_mode_sweep_at(sweep, q, m);
    const double share = tor_mode_beyond(sweep->job, &sweep->plane, here, &axis, &high);
    if (worst && share <= most) continue;
    worst = here;
    most = share;
  }
  if (!worst || !tor_mode_beyond_text(sweep->job, &sweep->plane, worst, what, sizeof what)) return 0;
  if (sweep->nwavelength > 1)
    snprintf(text, size, "at %.6g nm %s", worst->wavelength / TOR_NM, what);
  else
    snprintf(text, size, "%s", what);
  return 1;
}
