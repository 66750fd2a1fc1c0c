/* Pictures of far fields: directivity against the angle in the planes of the axes. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/image/image.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/model/far_field.h"
#include "src/model/monitor.h"
#include "src/model/source.h"
#include "src/results/picture.h"
#include "src/results/results.h"
#include "src/results/results_far.h"
#include "src/results/results_file.h"
#include "src/results/results_parts.h"

enum { STEPS = 360, PLANES = 3 };

/* Direction of an angle in the plane of two axes, from the first to the second. */
static void direction_in(int plane, double angle, double *theta, double *phi) {
  if (!plane) { /* x, y */
    *theta = TOR_PI / 2;
    *phi = angle;
    return;
  }
  *theta = acos(fmax(-1, fmin(1, sin(angle)))); /* x or y, z */
  *phi = (plane - 1) * TOR_PI / 2 + (cos(angle) < 0 ? TOR_PI : 0);
}

/* What the radius is: the cross-section per angle of the only source, a plane wave, else directivity; what the power
 * per angle is divided by. NAN: neither is known. */
static double unit_of(const struct tor_results *r, const struct tor_recorder *l, const struct tor_far_field *far, int q,
                      char *label, size_t size) {
  const struct tor_sources *sources = r->sim->model->sources;
  const double length = r->job->length_unit;
  if (sources->nincident == 1 && r->job->nsources == 1) {
    snprintf(label, size, "dC [%s%s]", tor_picture_unit(r->job), r->job->plane ? "/rad" : "^2/sr");
    return tor_incident_flux(sources, 0, l->omega[q]) * (r->job->plane ? length : length * length);
  }
  snprintf(label, size, "directivity");
  return tor_far_field_total(far, sources) / ((r->job->plane ? 2 : 4) * TOR_PI);
}

static int draw(const struct tor_results *r, const struct tor_recorder *l, int q, const char *label,
                const double angle[STEPS + 1], double value[PLANES][STEPS + 1]) {
  static const char *const names[PLANES] = {"x right, y up", "x right, z up", "y right, z up"};
  struct tor_image_series series[PLANES];
  char text[192];
  for (int p = 0; p < PLANES; p++)
    series[p] = (struct tor_image_series){.label = names[p], .n = STEPS + 1, .x = angle, .y = value[p]};
  snprintf(text, sizeof text, "%s: %s at %.6g %s", l->spec->name, label, l->spec->wavelength[q] / r->job->length_unit,
           tor_picture_unit(r->job));
  const struct tor_image_plot plot = {.title = text, .nseries = r->job->plane ? 1 : PLANES, .series = series};
  const char *path = tor_results_path(r->job, "%s_far_%.6gnm.png", l->spec->name, l->spec->wavelength[q] / TOR_NM);
  return tor_results_log_file(r, path, tor_image_polar(path, &plot), NULL);
}

static int image_at(const struct tor_results *r, const struct tor_recorder *l, int q) {
  const int planes = r->job->plane ? 1 : PLANES;
  double angle[STEPS + 1], value[PLANES][STEPS + 1], largest = 0;
  char label[64];
  struct tor_far_field *far = tor_far_field_new(r->sim->model->monitors, r->job, l, q);
  const double unit = unit_of(r, l, far, q, label, sizeof label);
  for (int i = 0; i <= STEPS; i++) angle[i] = i * 2 * TOR_PI / STEPS;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < planes * (STEPS + 1); i++) {
    double theta, phi;
    double complex e[2];
    direction_in(i / (STEPS + 1), angle[i % (STEPS + 1)], &theta, &phi);
    tor_far_field_at(far, theta, phi, e);
    value[i / (STEPS + 1)][i % (STEPS + 1)] = tor_far_field_power_at(far, theta, phi, e) / unit;
  }
  tor_far_field_free(far);
  for (int i = 0; i < planes * (STEPS + 1); i++) largest = fmax(largest, value[i / (STEPS + 1)][i % (STEPS + 1)]);
  return largest > 0 ? draw(r, l, q, label, angle, value) : 0; /* nothing radiates, or nothing to divide by */
}

int tor_results_far_images(const struct tor_results *r, const struct tor_recorder *l) {
  int failed = 0;
  for (int q = 0; q < l->nfreq; q++) failed += image_at(r, l, q);
  return failed;
}
