/* Surface nodes of metals: see metal.h. */
#include "src/model/metal.h"

#include <complex.h>
#include <math.h>
#include <stddef.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/model/coefficient.h"

static const double MOST = 1.5; /* of a node's share and depolarisation together; 1 where the share is smooth */

static double permittivity_there(const struct tor_job *job, const struct tor_medium *m, int axis) {
  return creal(tor_medium_permittivity(m, axis, 2 * TOR_PI * TOR_C0 / tor_job_wavelength(job)));
}

int tor_is_metal(const struct tor_job *job, const struct tor_medium *m) {
  int plain = m->npoles > 0 && tor_medium_is_isotropic(m);
  plain &= !tor_medium_is_implicit(m);
  for (int a = 0; a < 3; a++) plain &= m->sigma[a] == 0;
  return plain && !m->is_sheet && permittivity_there(job, m, TOR_X) < 0;
}

double tor_beside_metal(const struct tor_job *job, const struct tor_medium *m, int axis) {
  return m->npoles ? fmax(permittivity_there(job, m, axis), m->eps[axis]) : m->eps[axis];
}

struct tor_metal_medium *tor_metal_media(const struct tor_job *job) {
  struct tor_metal_medium *media = tor_alloc((size_t)job->nmedia, sizeof *media, "columns");
  for (int m = 0; m < job->nmedia; m++) {
    media[m].is_metal = tor_is_metal(job, &job->media[m]);
    for (int a = 0; a < 3; a++) media[m].beside[a] = tor_beside_metal(job, &job->media[m], a);
  }
  return media;
}

const struct tor_metal_medium *tor_metal_medium_in(const struct tor_job *job, const struct tor_metal_medium *media,
                                                   const struct tor_mix *mix, int i) {
  return &media[tor_mix_medium(job, mix, i) - job->media];
}

struct tor_metal_part tor_metal_part_of(const struct tor_job *job, const struct tor_metal_medium *media,
                                        const struct tor_mix *mix) {
  struct tor_metal_part part = {.medium = -1};
  double most = 0, others = 0;
  for (int i = 0; i < mix->count; i++) {
    const struct tor_metal_medium *m = tor_metal_medium_in(job, media, mix, i);
    if (!m->is_metal) {
      others += mix->share[i];
      for (int a = 0; a < 3; a++) part.beside += mix->share[i] * m->beside[a] / 3;
      continue;
    }
    part.share += mix->share[i];
    if (mix->share[i] <= most) continue;
    most = mix->share[i];
    part.medium = mix->medium[i];
  }
  if (others > 0) part.beside /= others;
  return part;
}

/* Bound of (w dt / 2)^2 of the fields and a metal's poles on its surface beside a permittivity. */
static double frequency_beside(const struct tor_job *job, const struct tor_grid *grid, const struct tor_medium *m,
                               double beside) {
  struct tor_medium there = *m;
  double mu = fmin(m->mu[0], fmin(m->mu[1], m->mu[2]));
  for (int a = 0; a < 3; a++) {
    there.eps[a] = beside / MOST;
    there.mu[a] = mu * MOST; /* the fields' part as it is */
  }
  return tor_medium_frequency(&there, job, grid);
}

double tor_metal_least(const struct tor_job *job) {
  double least = HUGE_VAL;
  for (int m = 0; m < job->nmedia; m++) {
    const struct tor_medium *medium = &job->media[m];
    if (tor_is_metal(job, medium) || medium->conducts || medium->is_sheet) continue;
    for (int a = 0; a < 3; a++) least = fmin(least, tor_beside_metal(job, medium, a));
  }
  return least;
}

struct tor_metal_coef tor_metal_coef(const struct tor_job *job, const struct tor_grid *grid,
                                     struct tor_faults *faults) {
  static const double MARGIN = 0.98, LEAST = 0.75; /* of 1 - (w / w0)^2 */
  const double half = sin(TOR_PI * TOR_C0 / tor_job_wavelength(job) * grid->dt),
               slowest = 4 * half * half / (1 - LEAST);
  const double least = tor_metal_least(job);
  double square = HUGE_VAL;
  for (int m = 0; m < job->nmedia && least < HUGE_VAL; m++) {
    const struct tor_medium *metal = &job->media[m];
    if (!tor_is_metal(job, metal)) continue;
    const double missing = fmax(metal->eps[0] - least, 0), used = frequency_beside(job, grid, metal, least);
    const double here = 4 * MARGIN * fmax(1 - used, 0) / (1 + MOST * missing / least);
    square = fmin(square, missing > 0 ? here : HUGE_VAL);
    if (used >= 1 || (missing > 0 && here < slowest)) {
      if (faults)
        tor_fault_at(
            faults, tor_job_place(job, "grid.courant"),
            "got " TOR_FOUND(
                "%g, with which averaging = \"tensor\" is unstable on the surface of \"%s\": "
                "(courant^2 / eps + poles) beside eps = %g is %.3f") ", need " TOR_NEEDED("%s; use a smaller "
                                                                                          "grid.courant or averaging = "
                                                                                          "\"subpixel\""),
            job->courant, metal->name, least, used, used >= 1 ? "less than 1" : "less");
      return (struct tor_metal_coef){0};
    }
  }
  struct tor_metal_coef coef = {.free = 4 * half * half / grid->ct};
  if (square < HUGE_VAL) {
    coef.restore = square / grid->ct;
    coef.factor = 1 - 4 * half * half / square;
  }
  return coef;
}

void tor_metal_weights(const struct tor_job *job, const struct tor_metal_coef *coef, const struct tor_metal_part *part,
                       const double share[3][3], double *weight, size_t pitch) {
  const struct tor_medium *m = &job->media[part->medium < 0 ? job->background : part->medium];
  const double missing = m->eps[0] - part->beside;
  weight[TOR_METAL_DRIVE * pitch] = missing > 0 ? missing * coef->factor * coef->restore : -missing * coef->free;
  weight[TOR_METAL_RESTORE * pitch] = missing > 0 ? coef->restore : 0;
  weight[TOR_METAL_SHARE * pitch] = 0.5 * part->along;
  weight[TOR_METAL_ALONG * pitch] = 1 - part->share / part->along;
  double across = 1;
  for (size_t a = 0; a < 3; a++) {
    const double n = weight[a * pitch];
    const double smooth = 0.25 * (share[a][0] + 2 * share[a][1] + share[a][2]);
    across -= n * n * smooth;
    weight[(TOR_METAL_LEAN + a) * pitch] = 0.25 * n * (share[a][2] - share[a][0]) / part->beside;
    weight[(TOR_METAL_STIFF + a) * pitch] = (1 - n * n * smooth) / part->beside;
  }
  weight[TOR_METAL_ACROSS * pitch] = across / part->beside;
}
