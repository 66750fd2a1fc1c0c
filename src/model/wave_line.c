/* Lines of plane waves along an axis: see wave_line.h. */
#include "src/model/wave_line.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/incident.h"
#include "src/model/incident_line.h"
#include "src/model/layers.h"

void tor_curl_term(int comp, int derivative, int *axis, int *of) {
  int i = tor_comp_axis(comp), h = tor_comp_is_h(comp), j = (i + 1) % 3, k = (i + 2) % 3;
  *axis = (derivative ^ h) ? k : j;
  *of = (h ? TOR_EX : TOR_HX) + (*axis == j ? k : j);
}

/* Sign of the difference along `axis` of `of` in the curl of `comp`. */
static double curl_sign(int comp, int axis, int of) {
  for (int derivative = 0; derivative < 2; derivative++) {
    int a, c;
    tor_curl_term(comp, derivative, &a, &c);
    if (a == axis && c == of) return derivative ? -1 : 1;
  }
  return 0;
}

double tor_wave_line_cell(const struct tor_incident *in, const struct tor_grid *g, int j) {
  const int a = in->axis, lo = in->box.lo[a] - 1, hi = in->box.hi[a], i = j + in->offset;
  return tor_grid_edge(g, TOR_EX + a, a, i < lo ? lo : i > hi ? hi : i);
}

/* Factors on the coefficients of E at node j and of H in cell j by the cells' lengths (tor_grid_grading). */
static void line_grading(const struct tor_incident *in, const struct tor_grid *g, int j, double *e, double *h) {
  *e = *h = 1;
  if (!g->node[in->axis]) return;
  *h = g->d[in->axis] / tor_wave_line_cell(in, g, j);
  *e = g->d[in->axis] / (0.5 * (tor_wave_line_cell(in, g, j - 1) + tor_wave_line_cell(in, g, j)));
}

struct tor_incident_line *tor_wave_line_new(const struct tor_incident *in, const struct tor_grid *g,
                                            const struct tor_layers *layers, int layered, int count, int front) {
  const double *cb = layers->cb, *ca1 = layers->ca1;
  const int nzp = layers->nzp;
  struct tor_incident_line_medium *medium = tor_alloc((size_t)count, sizeof *medium, "incident field");
  for (int j = 0; j < count; j++) {
    int k = layered ? j + in->offset : front;
    k = k < 0 ? 0 : k >= g->n[2] ? g->n[2] - 1 : k;
    if (in->axis == TOR_Z && k == 0) k = g->n[2] > 1; /* node 0 lies on the wall */
    int e = in->e_comp * nzp + k, h = in->h_comp * nzp + k;
    double of_e, of_h;
    line_grading(in, g, j, &of_e, &of_h);
    medium[j] = (struct tor_incident_line_medium){of_e * cb[e], ca1[e], of_h * cb[h], ca1[h]};
  }
  int forward = in->source->direction > 0;
  int sheet = forward ? TOR_INCIDENT_LINE_CPML + 2 : count - 1 - TOR_INCIDENT_LINE_CPML - 2;
  const struct tor_incident_line_medium *m = &medium[sheet];
  double of_e, of_h;
  line_grading(in, g, sheet, &of_e, &of_h);
  double eps = g->ct / (m->cb_e / of_e * tor_grid_metric(g, in->e_comp)),
         mu = g->ct / (m->cb_h / of_h * tor_grid_metric(g, in->h_comp));
  double d = g->d[in->axis], p = tor_comp_axis(in->e_comp);
  const double ends[2] = {tor_wave_line_cell(in, g, 0), tor_wave_line_cell(in, g, count - 1)};
  /* A sheet with J d = 2 E / eta radiates E to both sides; scaled as a curl: times A d_p. */
  double drive = 2 * sqrt(eps / mu) / d * tor_grid_metric(g, in->e_comp) * g->d[(int)p];
  struct tor_incident_line *line =
      tor_incident_line_new(g->order, count, sheet, curl_sign(in->e_comp, in->axis, in->h_comp),
                            curl_sign(in->h_comp, in->axis, in->e_comp), drive, medium, ends, g->ct, sqrt(eps * mu));
  free(medium);
  return line;
}
