/* A plane wave on a one-dimensional grid: see incident_line.h. */
#include "src/model/incident_line.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/model/pml.h"

enum { PAD = 3 };

static double *line_array(int count) {
  return (double *)tor_alloc((size_t)count + 2 * PAD, sizeof(double), "incident field") + PAD;
}

struct tor_incident_line *tor_incident_line_new(int order, int count, int source, double sign_e, double sign_h,
                                                double drive, const struct tor_incident_line_medium *medium,
                                                const double d[2], double ct, double index) {
  struct tor_incident_line *line = tor_alloc(1, sizeof *line, "incident field");
  line->order = order;
  line->count = count;
  line->source = source;
  line->sign_e = sign_e;
  line->sign_h = sign_h;
  line->drive = drive;
  line->medium = tor_alloc((size_t)count, sizeof *line->medium, "incident field");
  memcpy(line->medium, medium, (size_t)count * sizeof *medium);
  line->e = line_array(count);
  line->h = line_array(count);
  line->psi_e = line_array(count);
  line->psi_h = line_array(count);
  line->pml_e = tor_alloc((size_t)count, sizeof *line->pml_e, "incident field");
  line->pml_h = tor_alloc((size_t)count, sizeof *line->pml_h, "incident field");
  const struct tor_boundary layer = {TOR_CPML, TOR_INCIDENT_LINE_CPML, 3, 1, 1, 0, 0};
  for (int j = 0; j < count; j++)
    for (int half = 0; half < 2; half++) {
      double x = j + 0.5 * half, lo = TOR_INCIDENT_LINE_CPML - x, hi = x - (count - 1 - TOR_INCIDENT_LINE_CPML);
      double depth = (lo > hi ? lo : hi) / TOR_INCIDENT_LINE_CPML;
      struct tor_pml_point p =
          depth > 0 ? tor_pml_profile(&layer, depth, d[lo < hi], ct, index, 0) : (struct tor_pml_point){1, 0, 0};
      (half ? line->pml_h : line->pml_e)[j] = (struct tor_incident_line_pml){p.ik, p.b, p.c};
    }
  return line;
}

void tor_incident_line_free(struct tor_incident_line *line) {
  if (!line) return;
  free(line->medium);
  free(line->e - PAD);
  free(line->h - PAD);
  free(line->psi_e - PAD);
  free(line->psi_h - PAD);
  free(line->pml_e);
  free(line->pml_h);
  free(line);
}

/* p points at the value half a cell above the point. */
static double stretched(int order, const double *p, double *psi, const struct tor_incident_line_pml *pml) {
  double diff = p[0] - p[-1];
  if (order == 4) diff -= (p[1] - p[-2]) / 27.0;
  *psi = pml->b * *psi + pml->c * diff;
  return pml->ik * diff + *psi;
}

void tor_incident_line_step_h(struct tor_incident_line *line) {
  for (int j = 0; j < line->count - 1; j++) {
    double curl = line->sign_h * stretched(line->order, line->e + j + 1, &line->psi_h[j], &line->pml_h[j]);
    line->h[j] += line->medium[j].ca1_h * line->h[j] + line->medium[j].cb_h * curl;
  }
}

void tor_incident_line_step_e(struct tor_incident_line *line, double current) {
  for (int j = 1; j < line->count - 1; j++) {
    double curl = line->sign_e * stretched(line->order, line->h + j, &line->psi_e[j], &line->pml_e[j]);
    if (j == line->source) curl += line->drive * current;
    line->e[j] += line->medium[j].ca1_e * line->e[j] + line->medium[j].cb_e * curl;
  }
}
