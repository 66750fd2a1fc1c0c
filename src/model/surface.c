/* Surface nodes: see surface.h. */
#include "src/model/surface.h"

#include <math.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/chi2.h"
#include "src/job/cylindrical.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/tensor.h"
#include "src/model/coefficient.h"
#include "src/model/profile.h"

static const double FLAT = 0.9999; /* square of a normal's component: the surface lies across the axis */

static int is_plain(const struct tor_medium *m) { return tor_medium_is_constant(m) && tor_medium_is_isotropic(m); }

int tor_surface_medium(const struct tor_mix *mix, const double value[], double mean) {
  int most = 0;
  double weight = 0;
  for (int i = 0; i < mix->count; i++) {
    const double here = mix->share[i] * fabs(value[i] - mean);
    if (here <= weight) continue;
    weight = here;
    most = i;
  }
  return most;
}

struct tor_node tor_surface_node(const struct tor_job *job, const struct tor_mix *mix, int *medium) {
  double eps[TOR_MIX_MAX], mean = 0, inverse = 0;
  if (mix->count < 2) return (struct tor_node){.kind = TOR_NODE_NONE};
  for (int i = 0; i < mix->count; i++) {
    const struct tor_medium *m = tor_mix_medium(job, mix, i);
    if (!is_plain(m)) return (struct tor_node){.kind = TOR_NODE_OTHER};
    eps[i] = m->eps[0];
    mean += mix->share[i] * eps[i];
    inverse += mix->share[i] / eps[i];
  }
  *medium = tor_surface_medium(mix, eps, mean);
  const double g = mean - 1 / inverse;
  return g > 0 ? (struct tor_node){.g = g, .kind = TOR_NODE_MOVES} : (struct tor_node){.kind = TOR_NODE_NONE};
}

void tor_surface_set_normal(struct tor_node *node, const double normal[3]) {
  for (int a = 0; a < 3; a++) {
    node->normal[a] = normal[a];
    if (normal[a] * normal[a] > FLAT) node->kind = TOR_NODE_FLAT;
  }
}

void tor_surface_edge(const struct tor_node end[2], int axis, struct tor_mix *mix) {
  mix->ends_in_series = mix->ends_flat = 0;
  for (int i = 0; i < 2; i++) {
    if (end[i].kind != TOR_NODE_OTHER && end[i].kind != TOR_NODE_TENSOR_OTHER) mix->ends_in_series += 0.5;
    if (end[i].kind == TOR_NODE_FLAT)
      mix->ends_flat += 0.5 * end[i].g * (1 - end[i].normal[axis] * end[i].normal[axis]);
  }
}

/* The root of the mean of w^2 over the power of the first source [rad/s]; of a pulse exp(-2 ((w - centre) / half)^2).
 */
static double mean_frequency(const struct tor_job *job) {
  const struct tor_profile *first = tor_job_first_profile(job);
  double centre = 2 * TOR_PI * TOR_C0 / tor_job_wavelength(job), half = 0;
  if (first) tor_profile_band(first, &centre, &half);
  return hypot(centre, 0.5 * half);
}

double tor_surface_coef(const struct tor_job *job, const struct tor_grid *grid, struct tor_node_coef *coef) {
  static const double MARGIN = 0.98, LEAST = 0.5, KERR = 0.2; /* KERR: 3 chi3 |E|^2 over the least permittivity */
  double least = HUGE_VAL, most = 0, rest = 1, excess = 0, kerr = 0, second = 0;
  for (int m = 0; m < job->nmedia; m++) {
    const struct tor_medium *medium = &job->media[m];
    if (tor_job_is_film_alone(job, m)) continue;
    rest = fmin(rest, 1 - tor_medium_frequency(medium, job, grid));
    if (!is_plain(medium) && (!job->node_media || medium->conducts)) continue;
    for (int a = 0; a < 3; a++) {
      least = fmin(least, tor_medium_edge(medium, a));
      most = fmax(most, tor_medium_edge(medium, a));
    }
    excess = fmax(excess, tor_medium_excess(medium));
    if (medium->chi3 != 0) kerr = KERR;
    if (medium->has_chi2) second = TOR_CHI2_ROOM / (1 - TOR_CHI2_ROOM);
  }
  const double contrast = most > least ? sqrt(most / least) - 1 : 0,
               ratio = contrast * contrast + excess / least + kerr + second;
  const double square = 4 * MARGIN * fmax(rest, 0) / (1 + ratio); /* (w0 dt)^2 */
  coef->restore = square / grid->ct;
  for (int a = 0; a < 3; a++) {
    coef->in[a] = 0.5 / grid->d[a];
    coef->edge[a] = grid->d[a];
    coef->flux[a] = tor_grid_metric(grid, TOR_EX + a) * grid->d[a];
    coef->field[a] = 1 / coef->flux[a];
    coef->out[a] = 0.5 * coef->flux[a] * coef->restore;
  }
  if (grid->angular)
    coef->out[TOR_PHI] = 0; /* edges along phi, which lie in all surfaces, have the mean permittivity */
  const double half = sin(0.5 * mean_frequency(job) * grid->dt);
  return square > 0 ? fmax(1 - 4 * half * half / square, LEAST) : 0;
}
