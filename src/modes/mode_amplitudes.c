/* Expansion in modes: see mode_amplitudes.h. */
#include "src/modes/mode_amplitudes.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/monitor.h"
#include "src/base/units.h"
#include "src/model/plane_fields.h"
#include "src/model/plane_media.h"
#include "src/modes/mode_crossing.h"
#include "src/modes/mode_operator.h"
#include "src/modes/mode_sweep.h"
#include "src/modes/modes.h"

/* 1/2 int E x H along the axis, not conjugated, as tor_mode_overlap: the run's E with the mode's H, and the mode's E
 * with the run's H. */
static void products(const struct tor_plane_media *p, const struct tor_mode *mode, const struct tor_plane_fields *f,
                     double complex *with_h, double complex *with_e) {
  const double area = p->grid.d[p->next] * p->grid.d[p->last];
  const double complex at_node = cexp(-0.5 * TOR_I * mode->theta); /* the mode's H, which is half a cell beyond it */
  *with_h = *with_e = 0;
  for (int s = 0; s < 2; s++) {
    const int e = TOR_EX + (s ? p->last : p->next), h = TOR_HX + (s ? p->next : p->last);
    for (int i = 0; i < p->npoints; i++) {
      const double complex weight = (s ? -0.5 : 0.5) * area * tor_mode_weight(p, mode->omega, s, i);
      *with_h += weight * f->e[s][i] * at_node * mode->field[h][i];
      *with_e += weight * mode->field[e][i] * f->h[!s][i];
    }
  }
}

/* With both waves of a mode E = (a + b) e and the mean of H = (a - b) cos(theta / 2) h on the plane. */
static void expand(const struct tor_plane_media *p, const struct tor_mode *mode, const struct tor_plane_fields *f,
                   double complex *forward, double complex *backward) {
  const double complex norm = tor_mode_overlap(p, mode, mode);
  double complex sum, difference;
  products(p, mode, f, &sum, &difference);
  sum /= norm;
  difference /= norm * ccos(0.5 * mode->theta);
  *forward = 0.5 * (sum + difference);
  *backward = 0.5 * (sum - difference);
}

/* The fields of a monitor's plane: with surface nodes in it, or without. */
struct fields {
  const struct tor_monitors *ms;
  const struct tor_recorder *l;
  int has_nodes;
  struct tor_mode_crossing crossing;
  struct tor_plane_fields plane;
};

static void fields_init(struct fields *f, const struct tor_plane_media *p) {
  f->has_nodes = p->surface != NULL && tor_mode_crossing_recorded(f->l);
  if (f->has_nodes)
    tor_mode_crossing_init(&f->crossing, p);
  else
    tor_plane_fields_init(&f->plane, p);
}

static void fields_read(struct fields *f, const struct tor_plane_media *p, int freq) {
  if (f->has_nodes)
    tor_mode_crossing_read(f->ms, f->l, freq, &f->crossing);
  else
    tor_plane_fields_read(f->ms, f->l, p, freq, &f->plane);
}

static void fields_free(struct fields *f) {
  if (f->has_nodes)
    tor_mode_crossing_free(&f->crossing);
  else
    tor_plane_fields_free(&f->plane);
}

/* Amplitudes at a place so far from the plane. A mode's fields are those of 1 W by Re(E x H*) / 2, a flux has
 * Re(E x H*). */
static void expand_at(const struct tor_plane_media *p, const struct tor_mode *mode, const struct fields *f,
                      double along, double complex *forward, double complex *backward) {
  const double complex shift = sqrt(2) * cexp(TOR_I * mode->beta * along);
  if (f->has_nodes)
    tor_mode_crossing_expand(&f->crossing, mode, forward, backward);
  else
    expand(p, mode, &f->plane, forward, backward);
  *forward *= shift;
  *backward *= 2 / shift;
}

void tor_mode_amplitudes_make(const struct tor_job *job, const struct tor_monitors *ms, const struct tor_recorder *l,
                              struct tor_mode_amplitudes *a) {
  const struct tor_mode_job request = tor_mode_request_of(l->spec);
  tor_mode_sweep_make(job, &request, &a->sweep);
  const struct tor_plane_media *p = &a->sweep.plane;
  const size_t n = (size_t)request.nwavelength * (size_t)request.count;
  const double place = tor_grid_at(&p->grid, p->axis, p->node);
  const double along = isnan(l->spec->reference) ? 0 : l->spec->reference - place;
  struct fields f = {.ms = ms, .l = l};
  a->forward = tor_alloc(n, sizeof *a->forward, "modes");
  a->backward = tor_alloc(n, sizeof *a->backward, "modes");
  fields_init(&f, p);
  for (int q = 0; q < request.nwavelength; q++) {
    fields_read(&f, p, q);
    for (int m = 0; m < request.count; m++) {
      const size_t i = (size_t)q * (size_t)request.count + (size_t)m;
      a->forward[i] = a->backward[i] = CMPLX(NAN, NAN);
      if (m < a->sweep.found[q])
        expand_at(p, tor_mode_sweep_at(&a->sweep, q, m), &f, along, &a->forward[i], &a->backward[i]);
    }
  }
  fields_free(&f);
}

void tor_mode_amplitudes_free(struct tor_mode_amplitudes *a) {
  free(a->forward);
  free(a->backward);
  if (a->sweep.mode) tor_mode_sweep_free(&a->sweep);
  *a = (struct tor_mode_amplitudes){0};
}
