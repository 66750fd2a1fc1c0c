/* Design regions: see design.h. */
#include "src/job/design.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/types.h"
#include "src/job/job.h"
#include "src/job/material.h"

void tor_design_free(struct tor_design *d) {
  free(d->name);
  free(d->value);
  free(d->file);
  free(d->dataset);
  memset(d, 0, sizeof *d);
}

double tor_design_value(const struct tor_design *d, const double x[3]) {
  const double *from = d->value;
  double weight[3][2], sum = 0;
  int64_t step[3];
  for (int a = 0; a < 3; a++) {
    const double at = (x[a] - d->lo[a]) / (d->hi[a] - d->lo[a]) * d->n[a] - 0.5;
    const double inside = d->n[a] > 1 ? fmin(fmax(at, 0), d->n[a] - 1) : 0;
    const int first = (int)fmin(floor(inside), fmax(d->n[a] - 2, 0));
    from += first * d->stride[a];
    weight[a][1] = inside - first;
    weight[a][0] = 1 - weight[a][1];
    step[a] = d->n[a] > 1 ? d->stride[a] : 0;
  }
  for (int corner = 0; corner < 8; corner++) {
    const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
    sum += weight[0][i] * weight[1][j] * weight[2][k] * from[i * step[0] + j * step[1] + k * step[2]];
  }
  return sum;
}

double tor_design_permittivity(const struct tor_job *job, const struct tor_design *d, int axis, const double x[3]) {
  const double value = tor_design_value(d, x);
  if (d->medium[0] < 0) return value;
  const double empty = job->media[d->medium[0]].eps[axis], full = job->media[d->medium[1]].eps[axis];
  return empty + value * (full - empty);
}

int tor_design_reaches(const struct tor_job *job, const struct tor_design *d, int axis, double x) {
  const double slack = 1e-6 * job->cell[axis];
  return (job->plane && axis == TOR_X) || (x > d->lo[axis] - slack && x < d->hi[axis] + slack);
}

const struct tor_design *tor_job_design_at(const struct tor_job *job, const double x[3]) {
  for (int i = job->ndesigns - 1; i >= 0; i--) {
    int inside = 1;
    for (int a = 0; a < 3; a++) inside &= tor_design_reaches(job, &job->designs[i], a, x[a]);
    if (inside) return &job->designs[i];
  }
  return NULL;
}

int tor_job_design_medium(const struct tor_job *job, const double x[3]) {
  const struct tor_design *d = tor_job_design_at(job, x);
  return d && d->medium[0] >= 0 ? d->medium[tor_design_value(d, x) > 0.5] : -1;
}
