/* Pictures of far fields: directivity against the angle in the planes of the axes. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/model/far_field.h"
#include "src/model/monitor.h"
#include "src/results/picture.h"
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

static int image_at(const struct tor_results *r, const struct tor_recorder *l, int q) {
  static const char *const names[PLANES] = {"x right, y up", "x right, z up", "y right, z up"};
  const int planes = r->job->plane ? 1 : PLANES;
  struct tor_far_field *far = tor_far_field_new(r->sim->model->monitors, r->job, l, q);
  const double mean = tor_far_field_total(far) / ((r->job->plane ? 2 : 4) * TOR_PI);
  double *angle = tor_alloc(STEPS + 1, sizeof *angle, "picture"),
         *value = tor_alloc(PLANES * (STEPS + 1), sizeof *value, "picture");
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < planes * (STEPS + 1); i++) {
    double theta, phi;
    double complex e[2];
    angle[i % (STEPS + 1)] = i % (STEPS + 1) * 2 * TOR_PI / STEPS;
    direction_in(i / (STEPS + 1), i % (STEPS + 1) * 2 * TOR_PI / STEPS, &theta, &phi);
    tor_far_field_at(far, theta, phi, e);
    value[i] = tor_far_field_power(far, e) / mean;
  }
  tor_far_field_free(far);
  struct tor_image_series series[PLANES];
  for (int p = 0; p < planes; p++)
    series[p] = (struct tor_image_series){.label = names[p], .n = STEPS + 1, .x = angle, .y = value + p * (STEPS + 1)};
  char text[128];
  snprintf(text, sizeof text, "%s: directivity at %.6g %s", l->spec->name, l->spec->wavelength[q] / r->job->length_unit,
           tor_picture_unit(r->job));
  const struct tor_image_plot plot = {.title = text, .nseries = planes, .series = series};
  const char *path = tor_results_path(r->job, "%s_far_%.6gnm.png", l->spec->name, l->spec->wavelength[q] / TOR_NM);
  const int failed = tor_results_log_file(r, path, tor_image_polar(path, &plot), NULL);
  free(angle);
  free(value);
  return failed;
}

int tor_results_far_images(const struct tor_results *r, const struct tor_recorder *l) {
  int failed = 0;
  for (int q = 0; q < l->nfreq; q++) failed += image_at(r, l, q);
  return failed;
}
