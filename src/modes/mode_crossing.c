/* Amplitudes beside surface nodes: see mode_crossing.h. */
#include "src/modes/mode_crossing.h"

#include <complex.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/model/monitor.h"
#include "src/model/plane_media.h"
#include "src/modes/mode_operator.h"
#include "src/modes/modes.h"

int tor_mode_crossing_recorded(const struct tor_recorder *l) { return l->npatch > l->plane[0].patch + 4; }

void tor_mode_crossing_init(struct tor_mode_crossing *c, const struct tor_plane_media *p) {
  const size_t n = (size_t)p->npoints;
  *c = (struct tor_mode_crossing){.plane = p, .wide = p->grid.order == 4};
  for (int s = 0; s < 2; s++) {
    for (int k = 0; k < 3; k++) c->e[s][k] = tor_alloc(n, sizeof *c->e[s][k], "fields of a plane");
    for (int k = 0; k < 4; k++) c->h[s][k] = tor_alloc(n, sizeof *c->h[s][k], "fields of a plane");
    c->axial[s] = tor_alloc(n, sizeof *c->axial[s], "fields of a plane");
  }
}

void tor_mode_crossing_free(struct tor_mode_crossing *c) {
  for (int s = 0; s < 2; s++) {
    for (int k = 0; k < 3; k++) free(c->e[s][k]);
    for (int k = 0; k < 4; k++) free(c->h[s][k]);
    free(c->axial[s]);
  }
  *c = (struct tor_mode_crossing){0};
}

/* The patch's values on its plane number `row` along the axis; 0 where it has none. */
static void read_row(const struct tor_monitors *ms, const struct tor_recorder *l, const struct tor_patch *patch,
                     const struct tor_plane_media *p, int row, int freq, double complex *to) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < p->npoints; i++) {
    int at[3], inside = 1;
    at[p->axis] = row;
    at[p->next] = i / (p->n[1] + 1);
    at[p->last] = i % (p->n[1] + 1);
    for (int a = 0; a < 3; a++) inside &= at[a] < patch->count[a];
    to[i] = inside ? tor_recorder_spectrum(ms, l, patch, at[0], at[1], at[2], freq) : 0;
  }
}

void tor_mode_crossing_read(const struct tor_monitors *ms, const struct tor_recorder *l, int freq,
                            struct tor_mode_crossing *c) {
  const struct tor_patch *patch = &l->patch[l->plane[0].patch];
  const int more = c->wide; /* rows on either side */
  for (int s = 0; s < 2; s++) {
    for (int k = 1 - more; k <= 1 + more; k++) read_row(ms, l, &patch[s], c->plane, k - 1 + more, freq, c->e[s][k]);
    for (int k = 1 - more; k <= 2 + more; k++) read_row(ms, l, &patch[2 + s], c->plane, k - 1 + more, freq, c->h[s][k]);
    read_row(ms, l, &patch[4], c->plane, s, freq, c->axial[s]);
  }
}

/* The fields' part of the product with a mode's wave of direction sign: 1/2 int (E x h - e x H) with all terms by which
 * differences couple both sides, the mean of the planes before and behind the node. */
static double complex fields_product(const struct tor_mode_crossing *c, const struct tor_mode *mode, int sign) {
  const struct tor_plane_media *p = c->plane;
  const double complex half = cexp(0.5 * sign * TOR_I * mode->theta), cell = half * half;
  const double complex near = ccos(0.5 * mode->theta) - (c->wide ? TOR_MODE_FAR * ccos(1.5 * mode->theta) : 0);
  const double complex at_node = cexp(-0.5 * TOR_I * mode->theta); /* the mode's H, which is half a cell beyond it */
  double complex sum = 0;
  for (int s = 0; s < 2; s++) {
    const double complex *const *e = (const double complex *const *)c->e[s];
    const double complex *const *h = (const double complex *const *)c->h[!s];
    const double complex *own_e = mode->field[TOR_EX + (s ? p->last : p->next)],
                         *own_h = mode->field[TOR_HX + (s ? p->next : p->last)];
    for (int i = 0; i < p->npoints; i++) {
      double complex of_e = near * e[1][i], of_h = 0.5 * (h[1][i] + h[2][i]);
      if (c->wide) {
        of_e -= TOR_MODE_FAR * (half * e[0][i] + e[2][i] / half);
        of_h -= TOR_MODE_FAR * (0.5 * (h[0][i] + h[3][i]) + h[2][i] / cell + h[1][i] * cell);
      }
      sum +=
          (s ? -1 : 1) * tor_mode_weight(p, mode->omega, s, i) * (sign * at_node * own_h[i] * of_e - own_e[i] * of_h);
    }
  }
  return 0.5 * p->grid.d[p->next] * p->grid.d[p->last] * sum;
}

/* The nodes' current over g times the sum of E along the axis on both sides [S m^2 / m^2 of a cell], halved. */
static double complex node_factor(const struct tor_plane_media *p, double omega) {
  const double d = p->grid.d[p->axis];
  return 0.5 * d * d / TOR_ETA0 * p->node_coef.in[p->axis] * p->node_coef.out[p->axis] * tor_plane_media_node(p, omega);
}

/* The weight of E along the axis at a point, times g. */
static double complex node_weight(const struct tor_plane_media *p, double omega, int point) {
  const int at[2] = {point / (p->n[1] + 1), point % (p->n[1] + 1)};
  const double g = p->surface[3 * p->npoints + point];
  if (!(g > 0)) return 0;
  return g * tor_plane_media_share(p, TOR_EX + p->axis, point) /
         (tor_plane_media_stretch(p, 0, 2 * at[0], omega) * tor_plane_media_stretch(p, 1, 2 * at[1], omega));
}

/* The nodes' part: E along the axis before the plane is coupled to that beyond it. */
static double complex nodes_product(const struct tor_mode_crossing *c, const struct tor_mode *mode, int sign) {
  const struct tor_plane_media *p = c->plane;
  const double complex half = cexp(0.5 * sign * TOR_I * mode->theta), at_node = cexp(-0.5 * TOR_I * mode->theta);
  double complex sum = 0;
  for (int i = 0; i < p->npoints; i++)
    sum += node_weight(p, mode->omega, i) * sign * at_node * mode->field[TOR_EX + p->axis][i] *
           (c->axial[1][i] / half - c->axial[0][i] * half);
  return node_factor(p, mode->omega) * sum;
}

/* Half the product of a mode's two waves. */
static double complex norm_of(const struct tor_plane_media *p, const struct tor_mode *mode) {
  const double complex at_node = cexp(-0.5 * TOR_I * mode->theta);
  double complex sum = 0;
  for (int i = 0; i < p->npoints; i++) {
    const double complex e = at_node * mode->field[TOR_EX + p->axis][i];
    sum += node_weight(p, mode->omega, i) * e * e;
  }
  return tor_mode_overlap(p, mode, mode) / tor_mode_slope(p->grid.order, mode->theta) -
         TOR_I * csin(mode->theta) * node_factor(p, mode->omega) * sum;
}

void tor_mode_crossing_expand(const struct tor_mode_crossing *c, const struct tor_mode *mode, double complex *forward,
                              double complex *backward) {
  const double complex norm = norm_of(c->plane, mode);
  for (int sign = -1; sign <= 1; sign += 2) {
    const double complex product = fields_product(c, mode, sign) - nodes_product(c, mode, sign);
    *(sign < 0 ? forward : backward) = 0.5 * sign * product / norm;
  }
}
