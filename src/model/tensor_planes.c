/* Waves and modes beside media whose polarisation is at nodes: see tensor_planes.h. */
#include "src/model/tensor_planes.h"

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/layers.h"
#include "src/model/plane_media.h"
#include "src/model/source.h"
#include "src/model/wave_check.h"

/* Whether the layered background has such nodes from `first` to `last` along z. */
static int is_between(const struct tor_layers *layers, const struct tor_grid *g, int first, int last) {
  for (int z = first < 0 ? 0 : first; z <= last && z <= g->n[TOR_Z]; z++)
    if (layers->tensor && layers->tensor[z]) return 1;
  return 0;
}

void tor_tensor_check_wave(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s,
                           const struct tor_box *box, const struct tor_layers *layers, struct tor_faults *faults) {
  const int lo = box->lo[TOR_Z], hi = box->hi[TOR_Z];
  int sides = s->oblique && !s->periodic, found = 0;
  if (!job->node_media) return;
  for (int f = 0; f < TOR_NFACE; f++) sides |= f / 2 != s->axis && !box->open[f] && !(g->plane && f / 2 == TOR_X);
  if (s->axis == TOR_Z && !sides) {
    found |= !box->open[TOR_ZLO] && is_between(layers, g, lo - 1, lo + 1);
    found |= !box->open[TOR_ZHI] && is_between(layers, g, hi - 1, hi + 1);
  } else {
    found |= is_between(layers, g, lo - 1, hi + 1);
  }
  const int front = tor_wave_front(job, g, s, box);
  if (found || (front >= 0 && tor_medium_needs_nodes(&job->media[front])))
    tor_fault_at(faults, tor_job_source_place(job, s),
                 "the wave's box has faces in a medium whose polarisation is at nodes, where the incident wave is "
                 "not known; need " TOR_NEEDED("faces in other media"));
}

/* A plane across `axis` through lo, as modes have it. */
static int crosses(const struct tor_job *job, const struct tor_grid *g, int axis, const double lo[3],
                   const double hi[3]) {
  struct tor_plane_media plane[2];
  const int node = tor_grid_node(g, axis, lo[axis]), below = node > 0 ? node - 1 : 0;
  int box[2][2];
  tor_plane_media_box(g, axis, lo, hi, box);
  tor_plane_media_make_some(job, axis, below, 2, (const int(*)[2])box, plane);
  const int found = tor_plane_media_have_tensor(plane, 2);
  for (int k = 0; k < 2; k++) tor_plane_media_free(&plane[k]);
  return found;
}

void tor_tensor_check_modes(const struct tor_job *job, const struct tor_grid *g, struct tor_faults *faults) {
  static const char text[] = "the plane of its modes crosses a medium whose polarisation is at nodes, which modes "
                             "do not have; need " TOR_NEEDED("a plane outside it, or a permittivity along the axes");
  if (!job->node_media) return;
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    if (m->kind == TOR_MODE && crosses(job, g, m->axis, m->lo, m->hi))
      tor_fault_at(faults, tor_job_monitor_place(job, m), "%s", text);
  }
  const struct tor_mode_job *m = &job->modes;
  int axis = 0;
  while (axis < TOR_Z && m->lo[axis] != m->hi[axis]) axis++;
  if (m->nwavelength && crosses(job, g, axis, m->lo, m->hi))
    tor_fault_at(faults, tor_job_place(job, "modes"), "%s", text);
}
