/* Memory of monitors: see monitor.h. */
#include <math.h>
#include <stddef.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/job/job.h"
#include "src/model/monitor.h"
#include "src/model/permittivity.h"

static void allocate(struct tor_record_group *group, const struct tor_recorder *l) {
  const size_t values =
      (size_t)group->npoints * (group->kind == TOR_RECORD_SERIES ? (size_t)l->nsample : 2 * (size_t)l->nfreq);
  /* Each rank writes the points of its columns alone: pages of the others stay untouched and take no memory. */
  group->data = tor_reserve_zeros(values, sizeof(double));
  if (!group->data && values)
    TOR_DIE("%s: no memory for %.3f GB; fewer points, wavelengths or times would fit", l->spec->name,
            (double)values * sizeof(double) * 1e-9);
}

void tor_monitors_allocate(struct tor_monitors *ms) {
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (l->group < 0) continue;
    allocate(&ms->group[l->group], l);
    if (ms->imaginary) allocate(&ms->group[l->group + ms->imaginary], l);
  }
}

double tor_monitors_bytes(const struct tor_monitors *ms, double *series) {
  double bytes = 0;
  *series = 0;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (l->group < 0) continue;
    const struct tor_record_group *g = &ms->group[l->group];
    const double here = (ms->imaginary ? 16.0 : 8.0) * (double)g->npoints *
                        (g->kind == TOR_RECORD_DFT ? 2.0 * g->nfreq : (double)l->nsample);
    bytes += here;
    if (g->kind == TOR_RECORD_SERIES) *series += here;
  }
  return bytes;
}

double tor_monitors_copies(const struct tor_monitors *ms) {
  double largest = 0;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (l->spec->kind == TOR_PERMITTIVITY) largest = fmax(largest, tor_permittivity_bytes(ms->grid, l->spec));
    if (l->group < 0) continue;
    const struct tor_record_group *g = &ms->group[l->group];
    /* 32 MiB: io/hdf5/h5.h */
    largest = fmax(largest, fmin(1 << 25, 8.0 * (double)g->npoints * (2.0 * g->nfreq + l->nsample)));
    if (l->spec->kind == TOR_ABSORPTION ||
        l->spec->kind == TOR_ENERGY_DENSITY) /* the maps, and a third of its points */
      largest = fmax(largest, 8.0 / 3 * (double)g->npoints * g->nfreq);
    if (tor_monitor_is_series(l->spec)) largest = fmax(largest, 8.0 * (1 + l->npatch) * l->nsample);
    for (int j = 0; j < l->npatch && l->spec->image; j++) {
      const int *n = l->patch[j].count;
      if (n[0] == 1 || n[1] == 1 || n[2] == 1)
        largest = fmax(largest, 5 * 8.0 * n[0] * n[1] * n[2]); /* real, imaginary, shown; two copies for the scale */
    }
  }
  return largest;
}

double tor_monitors_largest(const struct tor_monitors *ms) {
  double largest = 0;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (l->group < 0) continue;
    largest = fmax(largest, (ms->imaginary ? 32.0 : 16.0) * (double)ms->group[l->group].npoints * l->nfreq);
  }
  return largest;
}

double tor_monitors_recorded(const struct tor_monitors *ms, double *each_step) {
  double values = 0;
  *each_step = 0;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (l->group < 0 || ms->group[l->group].kind != TOR_RECORD_DFT) continue;
    const double points = (ms->imaginary ? 2.0 : 1.0) * (double)ms->group[l->group].npoints;
    values += points;
    *each_step += points / l->every;
  }
  return values;
}
