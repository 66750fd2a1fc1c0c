/* Poles on a line: see line_poles.h. */
#include "src/model/line_poles.h"

#include <stdlib.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/model/coefficient.h"
#include "src/model/column_media.h"
#include "src/model/layers.h"

struct point {
  int at, dispersion, branch;
  double weight[TOR_BRANCH_WEIGHTS]; /* share, a, g, r */
  size_t state;                      /* J, P of each pole, then a branch's charge */
};

struct tor_line_poles {
  double ct;
  int ndispersion, count[3];
  struct tor_dispersion *dispersion;
  struct point *point[3];
  double *state;
};

struct tor_line_poles *tor_line_poles_new(const struct tor_layers *layers, int count, int offset, int last, double ct) {
  struct tor_line_poles *p = tor_alloc(1, sizeof *p, "incident field");
  const size_t nzp = (size_t)layers->nzp, kinds = TOR_COLUMN_KINDS * TOR_BRANCH_WEIGHTS * nzp;
  size_t nstate = 0;
  p->ct = ct;
  for (int comp = 0; comp < 3; comp++) {
    size_t capacity = 0;
    for (int j = 0; j < count; j++) {
      const int z = j + offset < 1 ? 1 : j + offset > last ? last : j + offset;
      for (int d = 0; d < layers->ndispersion; d++)
        for (int branch = 0; branch < TOR_COLUMN_KINDS; branch++) {
          const double *share = layers->share + ((size_t)comp * (size_t)layers->ndispersion + (size_t)d) * kinds +
                                (size_t)branch * TOR_BRANCH_WEIGHTS * nzp + z;
          if (!(share[0] > 0)) continue;
          p->point[comp] = tor_grow(p->point[comp], (size_t)p->count[comp] + 1, &capacity, sizeof(struct point));
          struct point *to = &p->point[comp][p->count[comp]++];
          *to = (struct point){.at = j, .dispersion = d, .branch = branch, .state = nstate};
          for (size_t i = 0; i < (branch ? TOR_BRANCH_WEIGHTS : 1); i++) to->weight[i] = share[i * nzp];
          nstate += (size_t)layers->dispersion[d].nstate + (size_t)branch;
        }
    }
  }
  if (!nstate) {
    free(p);
    return NULL;
  }
  p->state = tor_alloc(nstate, sizeof *p->state, "incident field");
  p->ndispersion = layers->ndispersion;
  p->dispersion = tor_dispersions_copy(layers->dispersion, layers->ndispersion);
  return p;
}

void tor_line_poles_free(struct tor_line_poles *p) {
  if (!p) return;
  for (int c = 0; c < 3; c++) free(p->point[c]);
  tor_dispersions_free(p->dispersion, p->ndispersion);
  free(p->state);
  free(p);
}

/* The currents of a point's poles without the implicit part: their sum. */
static double explicit_part(const struct tor_dispersion *d, int comp, double ct, double w, double e, double *j) {
  double sum = 0;
  for (int i = 0; i < d->npoles; i++) {
    const struct tor_pole_coef *pole = &d->pole[i];
    double current = pole->k1 * j[0] + w * pole->k3[comp] * e;
    if (pole->has_p) {
      current += pole->k2 * j[1];
      if (!pole->implicit) j[1] += ct * current;
    }
    j[0] = current;
    sum += current;
    j += 1 + pole->has_p;
  }
  return sum;
}

void tor_line_poles_before(struct tor_line_poles *p, int comp, const double *e, double *curl) {
  for (int i = 0; i < p->count[comp]; i++) {
    const struct point *at = &p->point[comp][i];
    const struct tor_dispersion *d = &p->dispersion[at->dispersion];
    double *const state = p->state + at->state, *const charge = state + d->nstate;
    const double field = at->branch ? at->weight[1] * e[at->at] - *charge : e[at->at];
    const double current = explicit_part(d, comp, p->ct, at->weight[0], field, state);
    if (at->branch) *charge += at->weight[2] * current;
    curl[at->at] -= at->branch ? at->weight[3] * current : current;
  }
}

void tor_line_poles_after(struct tor_line_poles *p, int comp, const double *e) {
  for (int i = 0; i < p->count[comp]; i++) {
    const struct point *at = &p->point[comp][i];
    const struct tor_dispersion *d = &p->dispersion[at->dispersion];
    double *j = p->state + at->state;
    if (!d->implicit) continue;
    for (int k = 0; k < d->npoles; k++) {
      const struct tor_pole_coef *pole = &d->pole[k];
      if (pole->implicit) {
        j[0] += at->weight[0] * pole->k4[comp] * e[at->at];
        j[1] += p->ct * j[0];
      }
      j += 1 + pole->has_p;
    }
  }
}
