/* Sheets: see thin_sheet.h. */
#include "src/job/thin_sheet.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/material.h"

void tor_thin_sheet_free(struct tor_thin_sheet *sheet) {
  free(sheet->name);
  tor_objects_free(sheet->part, sheet->nparts);
  memset(sheet, 0, sizeof *sheet);
}

static int in_parts(const struct tor_thin_sheet *sheet, const double x[3]) {
  for (int i = 0; i < sheet->nparts; i++)
    if (tor_object_contains(&sheet->part[i], x)) return 1;
  return 0;
}

int tor_thin_sheet_contains(const struct tor_job *job, const struct tor_thin_sheet *sheet, const double x[3]) {
  int copies[3];
  double in[3];
  if (!sheet->nparts) return 1;
  for (int a = 0; a < 3; a++) {
    const double wall = 0.5 * job->size[a];
    copies[a] = job->boundary[2 * a].wall == TOR_PERIODIC && a != sheet->axis;
    in[a] = copies[a] || a == sheet->axis || fabs(x[a]) <= wall ? x[a] : copysign(2 * wall, x[a]) - x[a];
  }
  for (int i = -copies[0]; i <= copies[0]; i++)
    for (int j = -copies[1]; j <= copies[1]; j++)
      for (int k = -copies[2]; k <= copies[2]; k++) {
        const double at[3] = {in[0] + i * job->size[0], in[1] + j * job->size[1], in[2] + k * job->size[2]};
        if (in_parts(sheet, at)) return 1;
      }
  return 0;
}

static void add_pole(struct tor_medium *m, struct tor_pole pole) {
  struct tor_pole *poles = tor_alloc((size_t)m->npoles + 1, sizeof *poles, "poles");
  if (m->npoles) memcpy(poles, m->poles, (size_t)m->npoles * sizeof *poles);
  poles[m->npoles++] = pole;
  free(m->poles);
  m->poles = poles;
}

/* A Drude pole whose conductance at frequency 0 is weight / gamma [S], weight [S rad/s]. */
static void add_drude(struct tor_medium *m, double weight, double gamma, double thickness) {
  add_pole(m, (struct tor_pole){.kind = TOR_DRUDE, .strength = sqrt(weight / (TOR_EPS0 * thickness)), .gamma = gamma});
}

void tor_thin_sheet_add_conductance(struct tor_medium *m, double conductance, double thickness, double dt) {
  if (conductance > 0) add_drude(m, conductance * 2 / dt, 2 / dt, thickness);
}

static const double E = 1.602176634e-19, HBAR = 1.054571817e-34, BOLTZMANN = 1.380649e-23; /* SI */

/* The weight of the intraband pole [S rad/s]. */
static double intraband(const struct tor_graphene *g) {
  const double kt = BOLTZMANN * g->temperature, ratio = kt > 0 ? g->fermi / (2 * kt) : HUGE_VAL;
  /* 2 kt ln(2 cosh(ratio)), which is E_F at temperature 0 */
  const double energy = ratio < 300 ? 2 * kt * (ratio + log1p(exp(-2 * ratio))) : g->fermi;
  return E * E * energy / (TOR_PI * HBAR * HBAR);
}

void tor_thin_sheet_add_graphene(struct tor_medium *m, const struct tor_graphene *g, double thickness, double dt) {
  enum { NODES = 2 };
  static const double HIGHEST = 0.3; /* of w dt / 2 */
  static const double node[NODES] = {0.33998104358485626, 0.86113631159405257},
                      weight[NODES] = {0.65214515486254614, 0.34785484513745386}; /* Gauss-Legendre, half of four */
  const double edge = 2 * g->fermi / HBAR, factor = E * E / (2 * TOR_PI * HBAR);
  double constant = 0;
  add_drude(m, intraband(g), g->rate, thickness);
  for (int i = 0; i < NODES; i++) {
    /* sigma = -i factor W edge weight / (edge^2 - W^2 node^2), W = w + i rate */
    const double resonance = edge / node[i], part = factor * weight[i] / edge; /* at W << edge: -i part W [S s/rad] */
    const double own = hypot(resonance, g->rate), at = fmin(own, HIGHEST * 2 / dt);
    constant += part * g->rate;
    add_pole(m, (struct tor_pole){
                    .kind = TOR_LORENTZ, .strength = part / (TOR_EPS0 * thickness), .omega = at, .gamma = 2 * g->rate});
  }
  tor_thin_sheet_add_conductance(m, constant, thickness, dt);
}

double complex tor_graphene_conductance(const struct tor_graphene *g, double w) {
  const double complex full = CMPLX(w, g->rate);
  const double edge = 2 * g->fermi / HBAR;
  return intraband(g) / CMPLX(g->rate, -w) +
         TOR_I * (E * E / (4 * TOR_PI * HBAR)) * clog((edge - full) / (edge + full));
}
