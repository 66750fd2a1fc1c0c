/* Perfect conductors: see pec.h. */
#include "src/model/pec.h"

#include <math.h>

#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/column_media.h"
#include "src/model/nearby.h"

int tor_pec_any(const struct tor_job *job) {
  for (int o = 0; o < job->nobjects; o++)
    if (job->media[job->objects[o].medium].conducts) return 1;
  return 0;
}

static int conducts(const struct tor_columns *c, const struct tor_nearby *near, int place) {
  return place >= 0 && c->job->media[c->job->objects[near->seen[place]].medium].conducts;
}

int tor_pec_at(const struct tor_columns *c, const struct tor_nearby *near, const double x[3]) {
  static const double ROUNDING = 1e-6;
  double lo[3], hi[3];
  int holds;
  for (int a = 0; a < 3; a++) {
    lo[a] = x[a] - ROUNDING * c->grid->d[a];
    hi[a] = x[a] + ROUNDING * c->grid->d[a];
  }
  const int top = tor_objects_top(c->job->objects, near->seen, near->nseen, lo, hi, &holds);
  if (top < 0 || holds) return conducts(c, near, top);
  for (int corner = 0; corner < 8; corner++) {
    const double at[3] = {corner & 1 ? hi[0] : lo[0], corner & 2 ? hi[1] : lo[1], corner & 4 ? hi[2] : lo[2]};
    if (conducts(c, near, tor_objects_at(c->job->objects, near->seen, near->nseen, at))) return 1;
  }
  return conducts(c, near, tor_objects_at(c->job->objects, near->seen, near->nseen, x));
}

/* The normal between two media beside a conductor, towards which the moments of both point. */
static void set_normal(struct tor_mix *mix) {
  double square = 0;
  for (int a = 0; a < 3; a++) {
    mix->normal[a] = mix->count > 1 ? mix->of_medium[0][a] - mix->of_medium[1][a] : 0;
    square += mix->normal[a] * mix->normal[a];
  }
  for (int a = 0; a < 3 && square > 0; a++) mix->normal[a] /= sqrt(square);
}

void tor_pec_leave(const struct tor_job *job, struct tor_mix *mix) {
  struct tor_mix rest = *mix;
  double others = 0;
  rest.count = 0;
  for (int i = 0; i < mix->count; i++) {
    if (mix->medium[i] >= 0 && job->media[mix->medium[i]].conducts) continue;
    for (int a = 0; a < 3; a++) rest.of_medium[rest.count][a] = mix->of_medium[i][a];
    rest.medium[rest.count] = mix->medium[i];
    rest.share[rest.count++] = mix->share[i];
    others += mix->share[i];
  }
  if (rest.count == mix->count || rest.count == 0) return;
  for (int i = 0; i < rest.count; i++) rest.share[i] /= others;
  set_normal(&rest);
  *mix = rest;
}
