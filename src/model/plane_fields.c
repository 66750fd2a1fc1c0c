/* The transforms of a plane's monitor: see plane_fields.h. */
#include "src/model/plane_fields.h"

#include <complex.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/model/monitor.h"
#include "src/model/plane_media.h"

void tor_plane_fields_init(struct tor_plane_fields *f, const struct tor_plane_media *p) {
  for (int s = 0; s < 2; s++) {
    f->e[s] = tor_alloc((size_t)p->npoints, sizeof *f->e[s], "fields of a plane");
    f->h[s] = tor_alloc((size_t)p->npoints, sizeof *f->h[s], "fields of a plane");
  }
}

void tor_plane_fields_free(struct tor_plane_fields *f) {
  for (int s = 0; s < 2; s++) {
    free(f->e[s]);
    free(f->h[s]);
  }
}

/* The sum of a patch's values at a point, on planes first ... first + n - 1 along the axis; 0 where it has none. */
static double complex value_at(const struct tor_monitors *ms, const struct tor_recorder *l,
                               const struct tor_plane_media *p, const struct tor_patch *patch, const int at[2],
                               int first, int n, int freq) {
  int to[3];
  to[p->next] = at[0];
  to[p->last] = at[1];
  double complex sum = 0;
  for (int i = 0; i < n; i++) {
    to[p->axis] = first + i;
    for (int a = 0; a < 3; a++)
      if (to[a] >= patch->count[a]) return 0;
    sum += tor_recorder_spectrum(ms, l, patch, to[0], to[1], to[2], freq);
  }
  return sum;
}

void tor_plane_fields_read(const struct tor_monitors *ms, const struct tor_recorder *l, const struct tor_plane_media *p,
                           int freq, struct tor_plane_fields *f) {
  const struct tor_flux_plane *plane = &l->plane[0];
  const struct tor_patch *patch = &l->patch[plane->patch]; /* E_next, E_last, H_next, H_last */
#pragma omp parallel for schedule(static)
  for (int i = 0; i < p->npoints; i++) {
    const int at[2] = {i / (p->n[1] + 1), i % (p->n[1] + 1)};
    for (int s = 0; s < 2; s++) {
      f->e[s][i] = value_at(ms, l, p, &patch[s], at, plane->wide, 1, freq);
      f->h[s][i] = 0.5 * value_at(ms, l, p, &patch[2 + s], at, plane->wide, 2, freq);
    }
  }
}
