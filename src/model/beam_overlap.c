/* Overlap with a Gaussian beam: see beam_overlap.h. */
#include "src/model/beam_overlap.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/beam.h"
#include "src/model/monitor.h"
#include "src/model/plane_fields.h"
#include "src/model/plane_media.h"

/* The beam's own fields, as tor_plane_fields_read has a run's; those that a 2-D job has not stay 0. */
static void beam_fields(const struct tor_beam *beam, const struct tor_plane_media *p, struct tor_plane_fields *to) {
  double complex *half = tor_alloc((size_t)p->npoints, sizeof *half, "beam");
  for (int s = 0; s < 2; s++) {
    const int a = s ? p->last : p->next;
    memset(to->e[s], 0, (size_t)p->npoints * sizeof *to->e[s]);
    memset(to->h[s], 0, (size_t)p->npoints * sizeof *to->h[s]);
    if (tor_comp_exists(p->grid.plane, TOR_EX + a)) tor_beam_field(beam, TOR_EX + a, 0, to->e[s]);
    if (!tor_comp_exists(p->grid.plane, TOR_HX + a)) continue;
    tor_beam_field(beam, TOR_HX + a, -0.5, to->h[s]);
    tor_beam_field(beam, TOR_HX + a, 0.5, half);
    for (int i = 0; i < p->npoints; i++) to->h[s][i] = 0.5 * (to->h[s][i] + half[i]);
  }
  free(half);
}

/* int (E x h* + e* x H) along the axis; of a beam with itself four times its power by Re(E x H*) / 2. A beam that comes
 * the other way has no part in it. */
static double complex product(const struct tor_plane_media *p, const struct tor_plane_fields *own,
                              const struct tor_plane_fields *f) {
  const double area = p->grid.d[p->next] * p->grid.d[p->last];
  double complex sum = 0;
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < p->npoints; i++) {
      const double weight = (s ? -area : area) * tor_plane_media_share(p, TOR_EX + (s ? p->last : p->next), i);
      sum += weight * (f->e[s][i] * conj(own->h[!s][i]) + conj(own->e[s][i]) * f->h[!s][i]);
    }
  return sum;
}

double tor_beam_overlap(const struct tor_job *job, const struct tor_monitors *ms, const struct tor_recorder *l,
                        double complex *amplitude) {
  const struct tor_source *source = l->spec->beam;
  const struct tor_grid *g = ms->grid;
  struct tor_plane_media plane;
  struct tor_plane_fields fields, own;
  double beside = 0;
  int box[2][2];
  tor_plane_media_box(g, source->axis, l->spec->lo, l->spec->hi, box);
  tor_plane_media_make(job, source->axis, tor_grid_node(g, source->axis, l->spec->lo[source->axis]),
                       (const int(*)[2])box, &plane);
  tor_plane_fields_init(&fields, &plane);
  tor_plane_fields_init(&own, &plane);
  for (int q = 0; q < l->nfreq; q++) {
    struct tor_beam beam;
    double eps, mu;
    amplitude[q] = CMPLX(NAN, NAN);
    if (tor_beam_medium(&plane, l->omega[q], &eps, &mu)) continue;
    tor_beam_make(source, &plane, l->omega[q], eps, mu, &beam);
    beam_fields(&beam, &plane, &own);
    tor_plane_fields_read(ms, l, &plane, q, &fields);
    const double norm = creal(product(&plane, &own, &own));
    amplitude[q] = product(&plane, &own, &fields) / norm * sqrt(0.5 * fabs(norm));
    beside = fmax(beside, 1 - 0.25 * fabs(norm));
    tor_beam_free(&beam);
  }
  tor_plane_fields_free(&own);
  tor_plane_fields_free(&fields);
  tor_plane_media_free(&plane);
  return beside;
}
