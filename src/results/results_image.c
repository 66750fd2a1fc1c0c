/* Pictures: slices at their times, amplitudes of field monitors in planes, spectra as line plots. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/monitor.h"
#include "src/model/source.h"
#include "src/model/spectrum.h"
#include "src/results/picture.h"
#include "src/results/results.h"
#include "src/results/results_far.h"
#include "src/results/results_file.h"
#include "src/results/results_parts.h"

/* Draws values of a monitor in a plane; the file's name ends in `end`. Returns 1 where that failed. */
static int draw(const struct tor_results *r, const struct tor_recorder *l, const char *end, struct tor_picture *p) {
  p->job = r->job;
  p->grid = &r->sim->model->grid;
  p->monitor = l->spec;
  const char *path =
      tor_results_path(r->job, "%s_%s_%s.png", l->spec->name, tor_picture_name(r->job, p->of, p->comp), end);
  return tor_results_log_file(r, path, tor_picture_write(path, p), NULL);
}

/* Arrays [n] of a plane's values, 0 each; frees all and warns that the monitor's pictures were not written where memory
 * is short: 0, and *failed is raised. */
static int reserve(const struct tor_results *r, const struct tor_recorder *l, double *values[], int n, size_t points,
                   int *failed) {
  int short_of = 0;
  for (int i = 0; i < n; i++) {
    values[i] = calloc(points + 1, sizeof *values[i]);
    short_of |= !values[i];
  }
  if (!short_of) return 1;
  for (int i = 0; i < n; i++) free(values[i]);
  *failed += tor_results_not_written(tor_results_path(r->job, "%s_*.png", l->spec->name), NULL);
  return 0;
}

/* A sample of a slice at a point of its picture. */
static double sample_at(const struct tor_results *r, const struct tor_recorder *l,
                        const struct tor_picture_plane *plane, int h, int v, int sample) {
  int at[3] = {0, 0, 0};
  at[plane->h] = h;
  at[plane->v] = v;
  return tor_recorder_sample(r->sim->model->monitors, l, &l->patch[0], at[0], at[1], at[2], sample);
}

static int slice_images(const struct tor_results *r, const struct tor_recorder *l) {
  const struct tor_grid *g = &r->sim->model->grid;
  const struct tor_patch *p = &l->patch[0];
  const struct tor_picture_plane plane = tor_picture_plane(g, p);
  int failed = 0, n = tor_recorder_samples(l, r->sim->step);
  double *values[1];
  if (plane.across < 0 || !reserve(r, l, values, 1, (size_t)plane.nh * (size_t)plane.nv, &failed)) return failed;
  for (int k = 0; k < n; k++) {
    char when[32], end[16];
    for (int h = 0; h < plane.nh; h++)
      for (int v = 0; v < plane.nv; v++)
        values[0][(size_t)v * (size_t)plane.nh + (size_t)h] = sample_at(r, l, &plane, h, v, k);
    snprintf(when, sizeof when, "at %.2f fs", (double)l->sample_step[k] * g->dt / TOR_FS);
    snprintf(end, sizeof end, "%03d", k);
    struct tor_picture picture = {.plane = &plane,
                                  .of = TOR_PICTURE_VALUE,
                                  .comp = p->comp,
                                  .when = when,
                                  .unit = tor_comp_is_h(p->comp) ? "A/m" : "V/m",
                                  .values = values[0]};
    failed += draw(r, l, end, &picture);
  }
  free(values[0]);
  return failed;
}

/* A component's spectrum in its plane, [nv][nh] of re and im: over the incident wave's own at its front face where
 * `incident` (of E, of H) is given. */
static void read_spectrum(const struct tor_results *r, const struct tor_recorder *l, const struct tor_patch *p, int q,
                          const double complex *incident, double *re, double *im) {
  const struct tor_picture_plane s = tor_picture_plane(&r->sim->model->grid, p);
  const double complex unit = incident ? incident[tor_comp_is_h(p->comp)] : 1;
  for (int h = 0; h < s.nh; h++)
    for (int v = 0; v < s.nv; v++) {
      int at[3] = {0, 0, 0};
      at[s.h] = h;
      at[s.v] = v;
      const double complex value = tor_recorder_spectrum(r->sim->model->monitors, l, p, at[0], at[1], at[2], q) / unit;
      re[(size_t)v * (size_t)s.nh + (size_t)h] = creal(value);
      im[(size_t)v * (size_t)s.nh + (size_t)h] = cimag(value);
    }
}

/* From re and im to what is shown. There is no phase where the field is mostly rounding errors. */
static void evaluate(enum tor_picture_of of, size_t n, const double *re, const double *im, double *values) {
  double largest = 0;
  for (size_t i = 0; i < n && of == TOR_PICTURE_PHASE; i++) largest = fmax(largest, hypot(re[i], im[i]));
  for (size_t i = 0; i < n; i++) {
    const double modulus = hypot(re[i], im[i]);
    values[i] = of == TOR_PICTURE_REAL        ? re[i]
                : of == TOR_PICTURE_AMPLITUDE ? modulus
                : modulus > 1e-5 * largest    ? atan2(im[i], re[i]) * 180 / TOR_PI
                                              : (double)NAN;
  }
}

/* What the components of a field show together, of bits `of` from TOR_PICTURE_E on; values[0 ... 2]: re, im, sum. */
static int draw_field(const struct tor_results *r, const struct tor_recorder *l, int q, const double complex *incident,
                      struct tor_picture *picture, double *values[3]) {
  const struct tor_grid *g = &r->sim->model->grid;
  const int magnetic = picture->of == TOR_PICTURE_H;
  const struct tor_patch *of[3];
  struct tor_patch patch[3];
  int n = 0;
  for (int i = 0; i < l->npatch && n < 3; i++)
    if (tor_comp_is_h(l->patch[i].comp) == magnetic) of[n++] = &l->patch[i];
  for (int i = 0; i < n; i++) patch[i] = *of[i];
  const struct tor_picture_plane cells = tor_picture_cells(g, patch, n);
  if (!n || cells.across < 0) return 0;
  const size_t points = (size_t)cells.nh * (size_t)cells.nv;
  memset(values[2], 0, points * sizeof *values[2]);
  for (int i = 0; i < n; i++) {
    read_spectrum(r, l, of[i], q, incident, values[0], values[1]);
    tor_picture_add_square(&cells, g, of[i], values[0], values[1], values[2]);
  }
  for (size_t i = 0; i < points && picture->of != TOR_PICTURE_INTENSITY; i++) values[2][i] = sqrt(values[2][i]);
  char end[32];
  snprintf(end, sizeof end, "%.10gnm", l->spec->wavelength[q] / TOR_NM);
  picture->plane = &cells;
  picture->comp = of[0]->comp;
  picture->unit = magnetic ? "A/m/Hz" : picture->of == TOR_PICTURE_INTENSITY ? "(V/m/Hz)^2" : "V/m/Hz";
  picture->values = values[2];
  const int status = draw(r, l, end, picture);
  picture->plane = NULL;
  return status;
}

/* What each component shows. */
static int draw_component(const struct tor_results *r, const struct tor_recorder *l, const struct tor_patch *p, int q,
                          const double complex *incident, struct tor_picture *picture, double *values[3]) {
  const struct tor_picture_plane plane = tor_picture_plane(&r->sim->model->grid, p);
  char end[32];
  if (plane.across < 0) return 0;
  read_spectrum(r, l, p, q, incident, values[0], values[1]);
  evaluate(picture->of, (size_t)plane.nh * (size_t)plane.nv, values[0], values[1], values[2]);
  snprintf(end, sizeof end, "%.10gnm", l->spec->wavelength[q] / TOR_NM);
  picture->plane = &plane;
  picture->comp = p->comp;
  picture->unit = tor_comp_is_h(p->comp) ? "A/m/Hz" : "V/m/Hz";
  picture->values = values[2];
  const int status = draw(r, l, end, picture);
  picture->plane = NULL;
  return status;
}

static int field_images(const struct tor_results *r, const struct tor_recorder *l) {
  const struct tor_sources *sources = r->sim->model->sources;
  size_t most = 0;
  int failed = 0;
  double *values[3];
  for (int i = 0; i < l->npatch; i++) {
    const int *n = l->patch[i].count;
    const size_t points = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    most = points > most ? points : most;
  }
  if (!reserve(r, l, values, 3, most, &failed)) return failed;
  for (int q = 0; q < l->nfreq; q++) {
    double complex unit[2]; /* the only plane wave's own E and H at its front face */
    const double complex *incident = sources->nincident == 1 ? unit : NULL;
    char when[64];
    if (incident) tor_incident_spectrum(sources, 0, l->omega[q], unit);
    snprintf(when, sizeof when, "at %g %s", l->spec->wavelength[q] / r->job->length_unit, tor_picture_unit(r->job));
    for (int of = TOR_PICTURE_AMPLITUDE; of <= TOR_PICTURE_INTENSITY; of++) {
      struct tor_picture picture = {.of = (enum tor_picture_of)of, .when = when, .relative = incident != NULL};
      if (!(l->spec->image_of >> of & 1)) continue;
      if (of >= TOR_PICTURE_E)
        failed += draw_field(r, l, q, incident, &picture, values);
      else
        for (int i = 0; i < l->npatch; i++) failed += draw_component(r, l, &l->patch[i], q, incident, &picture, values);
    }
  }
  for (int i = 0; i < 3; i++) free(values[i]);
  return failed;
}

static int has_finite(const double *value, int n) {
  for (int i = 0; i < n; i++)
    if (isfinite(value[i])) return 1;
  return 0;
}

/* The only source, if it is a plane wave, a beam or a mode: the node of the plane from which its light starts. */
static const struct tor_source *light_of(const struct tor_results *r, int *node) {
  const struct tor_sources *sources = r->sim->model->sources;
  const struct tor_source *s = &r->job->sources[0];
  if (sources->nincident == 1) {
    s = tor_incident_source(sources, 0);
    const struct tor_box *box = tor_incident_box(sources, 0);
    *node = s->direction > 0 ? box->lo[s->axis] : box->hi[s->axis];
    return s;
  }
  if (r->job->nsources != 1 || !tor_source_has_sheet(s)) return NULL;
  *node = tor_grid_node(&r->sim->model->grid, s->axis, s->lo[s->axis]);
  return s;
}

/* The sign with which a monitor's fraction is drawn. Across the light's axis: above 0 where it travels with the light,
 * and where it travels back before the source: R, *is_reflected. (The fraction of a plane wave's power counts along the
 * wave, that of a beam or a mode along the axis.) */
static int sign_of(const struct tor_results *r, const struct tor_recorder *l, int *is_reflected) {
  int node = 0;
  const struct tor_source *s = light_of(r, &node);
  *is_reflected = 0;
  if (!s || !tor_monitor_is_plane(l->spec) || l->plane[0].axis != s->axis) return 1;
  *is_reflected = s->direction * (l->plane[0].node - node) < 0;
  return (*is_reflected ? -1 : 1) * (tor_source_has_sheet(s) ? s->direction : 1);
}

/* One line: its legend, its values with the sign and in the unit of the picture. Returns 0 for a column that is not
 * drawn: a power in J/Hz, or nothing finite, as of a plane along the wave. */
static int spectrum_series(const struct tor_results *r, int monitor, int column, struct tor_image_series *series) {
  const struct tor_recorder *l = &r->sim->model->monitors->recorder[monitor];
  const struct tor_spectrum *s = &r->spectra[monitor];
  const int multipole = l->spec->kind == TOR_MULTIPOLE && strcmp(s->unit[column], "J/Hz") != 0,
            pressure = multipole || (l->spec->kind == TOR_FORCE && !strncmp(s->meaning[column], "pressure", 8)),
            cross = l->spec->kind == TOR_CROSS_SECTION || pressure;
  const double unit = r->job->length_unit;
  if (!has_finite(s->value[column], l->nfreq) || (!cross && strcmp(s->name[column], "fraction"))) return 0;
  int is_reflected;
  const int sign = sign_of(r, l, &is_reflected);
  const double scale = !strcmp(s->unit[column], "nm^2") ? TOR_NM * TOR_NM / (unit * unit)
                       : !strcmp(s->unit[column], "nm") ? TOR_NM / unit
                                                        : sign;
  double *x = tor_alloc((size_t)l->nfreq, sizeof *x, "picture"), *y = tor_alloc((size_t)l->nfreq, sizeof *y, "picture");
  char *label = tor_alloc(256, 1, "picture");
  for (int q = 0; q < l->nfreq; q++) {
    x[q] = l->spec->wavelength[q] / unit;
    y[q] = scale * s->value[column][q];
  }
  snprintf(label, 256,
           cross          ? "%s: %.*s"
           : is_reflected ? "%s (R)"
                          : "%s",
           l->spec->name, (int)strcspn(s->meaning[column], pressure ? "" : " "), s->meaning[column]);
  *series = (struct tor_image_series){.label = label, .n = l->nfreq, .x = x, .y = y};
  return 1;
}

/* What a line is: bit 0 an efficiency, 1 a cross-section, 2 one per length, 3 a fraction of a wave's power, 4 of a
 * dipole's, 5 of a mode's. */
static unsigned spectrum_kind(const struct tor_results *r, int monitor) {
  const enum tor_monitor_kind kind = r->sim->model->monitors->recorder[monitor].spec->kind;
  if (kind == TOR_DECAY_RATE) return 16;
  if (kind != TOR_CROSS_SECTION && kind != TOR_FORCE && kind != TOR_MULTIPOLE)
    return r->sim->model->sources->nincident ? 8 : tor_source_is_dipole(&r->job->sources[0]) ? 16 : 32;
  const char *unit = r->spectra[monitor].unit[r->spectra[monitor].ncolumns - 1];
  return !strcmp(unit, "nm^2") ? 2 : !strcmp(unit, "nm") ? 4 : 1;
}

/* The axis of lines of all these kinds. */
static void spectrum_label(const struct tor_job *job, unsigned kinds, char *label, size_t size) {
  static const char *const names[] = {"efficiency Q",
                                      "cross-section C",
                                      "cross-section C per length",
                                      "fraction of the incident power",
                                      "fraction of the dipole's power alone",
                                      "fraction of the mode's power"};
  *label = 0;
  for (int i = 0; i < 6; i++) {
    const size_t used = strlen(label);
    if (!(kinds >> i & 1)) continue;
    snprintf(label + used, size - used, "%s%s", used ? "; " : "", names[i]);
    if (i == 1 || i == 2)
      snprintf(label + strlen(label), size - strlen(label), " [%s%s]", tor_picture_unit(job), i == 1 ? "^2" : "");
  }
}

/* spectra.png: what spectra.csv has, without powers in J/Hz. */
static int spectrum_image(const struct tor_results *r) {
  const struct tor_monitors *ms = r->sim->model->monitors;
  struct tor_image_series series[12];
  char xlabel[64], ylabel[160];
  unsigned kinds = 0;
  int n = 0, failed = 0;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (!tor_spectrum_has(l) || l->nfreq < 3) continue;
    for (int c = 0; c < r->spectra[i].ncolumns && n < 12; c++) {
      if (!spectrum_series(r, i, c, &series[n])) continue;
      kinds |= spectrum_kind(r, i);
      n++;
    }
  }
  if (n) {
    snprintf(xlabel, sizeof xlabel, "wavelength [%s]", tor_picture_unit(r->job));
    spectrum_label(r->job, kinds, ylabel, sizeof ylabel);
    struct tor_image_plot plot = {
        .title = r->job->title, .xlabel = xlabel, .ylabel = ylabel, .nseries = n, .series = series};
    const char *path = tor_results_path(r->job, "spectra.png");
    failed = tor_results_log_file(r, path, tor_image_lines(path, &plot), NULL);
  }
  for (int i = 0; i < n; i++) {
    free((char *)series[i].label);
    free((double *)series[i].x);
    free((double *)series[i].y);
  }
  return failed;
}

int tor_results_write_images(const struct tor_results *r) {
  if (!tor_image_version()) return 0;
  const struct tor_monitors *ms = r->sim->model->monitors;
  int failed = spectrum_image(r);
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (!l->spec->image || l->group < 0) continue;
    if (l->spec->kind == TOR_SLICE) failed += slice_images(r, l);
    if (l->spec->kind == TOR_FIELD_DFT) failed += field_images(r, l);
    if (l->spec->kind == TOR_ABSORPTION) failed += tor_results_absorption_images(r, l, &r->spectra[i].absorption);
    if (l->spec->kind == TOR_FAR_FIELD)
      failed += tor_results_far_images(r, l) + tor_results_seen_images(r, l, &r->far[i]);
  }
  return failed;
}
