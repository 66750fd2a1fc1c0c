/* Pictures: slices at their times, amplitudes of field monitors in planes, spectra as line plots. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/model/monitor.h"
#include "src/model/source.h"
#include "src/model/spectrum.h"
#include "src/results/picture.h"
#include "src/results/results.h"
#include "src/results/results_file.h"
#include "src/results/results_parts.h"

/* Allocates a plane's values [nv][nh]. On failure returns NULL, warns that the monitor's pictures of this component
 * were not written, and increments *failed. */
static double *reserve(const struct tor_results *r, const struct tor_recorder *l, const struct tor_patch *p,
                       const struct tor_picture_plane *s, int *failed) {
  double *values = calloc((size_t)s->nh * (size_t)s->nv, sizeof *values);
  if (!values)
    *failed +=
        tor_results_not_written(tor_results_path(r->job, "%s_%s_*.png", l->spec->name, tor_comp_name(p->comp)), NULL);
  return values;
}

static int slice_images(const struct tor_results *r, const struct tor_recorder *l) {
  const struct tor_record_group *group = &r->sim->model->monitors->group[l->group];
  int failed = 0, n = tor_recorder_samples(l, r->sim->step);
  for (int i = 0; i < l->npatch; i++) {
    const struct tor_patch *p = &l->patch[i];
    struct tor_picture_plane s = tor_picture_plane(p);
    if (s.across < 0) continue;
    double *values = reserve(r, l, p, &s, &failed), scale = tor_component_scale(&r->sim->model->grid, p->comp);
    if (!values) continue;
    for (int k = 0; k < n; k++) {
      /* Points of the patch run z fastest, then y, x. */
      for (int h = 0; h < s.nh; h++)
        for (int v = 0; v < s.nv; v++)
          values[(size_t)v * (size_t)s.nh + (size_t)h] =
              scale * group->data[k * group->npoints + p->offset + (tor_gidx)h * s.nv + v];
      double fs = (double)l->sample_step[k] * r->sim->model->grid.dt / TOR_FS;
      char title[128], label[64];
      snprintf(title, sizeof title, "%s at %.2f fs", tor_picture_component(p->comp), fs);
      snprintf(label, sizeof label, "%s [%s]", tor_picture_component(p->comp), tor_comp_is_h(p->comp) ? "A/m" : "V/m");
      const char *path = tor_results_path(r->job, "%s_%s_%03d.png", l->spec->name, tor_comp_name(p->comp), k);
      failed += tor_results_log_file(r, path,
                                     tor_picture_write(r->job, &r->sim->model->grid, path, p, values,
                                                       TOR_IMAGE_DIVERGING, l->spec->image_limit, title, label),
                                     NULL);
    }
    free(values);
  }
  return failed;
}

static int field_images(const struct tor_results *r, const struct tor_recorder *l) {
  const struct tor_monitors *ms = r->sim->model->monitors;
  int failed = 0;
  for (int i = 0; i < l->npatch; i++) {
    const struct tor_patch *p = &l->patch[i];
    struct tor_picture_plane s = tor_picture_plane(p);
    if (s.across < 0) continue;
    double *values = reserve(r, l, p, &s, &failed);
    if (!values) continue;
    /* Against the plane wave's own amplitude at its front face when there is one. */
    int waves = r->sim->model->sources->nincident == 1;
    for (int q = 0; q < l->nfreq; q++) {
      double complex unit[2] = {1, 1}; /* of E, of H */
      if (waves) tor_incident_spectrum(r->sim->model->sources, 0, l->omega[q], unit);
      for (int h = 0; h < s.nh; h++)
        for (int v = 0; v < s.nv; v++) {
          int at[3] = {0, 0, 0};
          at[s.h] = h;
          at[s.v] = v;
          values[(size_t)v * (size_t)s.nh + (size_t)h] =
              cabs(tor_recorder_spectrum(ms, l, p, at[0], at[1], at[2], q) / unit[tor_comp_is_h(p->comp)]);
        }
      char title[128], label[64];
      double nm = l->spec->wavelength[q] / TOR_NM;
      snprintf(title, sizeof title, "Amplitude of %s at %g %s", tor_picture_component(p->comp),
               l->spec->wavelength[q] / r->job->length_unit, tor_picture_unit(r->job));
      snprintf(label, sizeof label, waves ? "|%s| / incident amplitude" : "|%s| [%s/Hz]",
               tor_picture_component(p->comp), tor_comp_is_h(p->comp) ? "A/m" : "V/m");
      const char *path = tor_results_path(r->job, "%s_%s_%.10gnm.png", l->spec->name, tor_comp_name(p->comp), nm);
      failed += tor_results_log_file(
          r, path,
          tor_picture_write(r->job, &r->sim->model->grid, path, p, values, TOR_IMAGE_SEQUENTIAL, 0, title, label),
          NULL);
    }
    free(values);
  }
  return failed;
}

static int has_finite(const double *value, int n) {
  for (int i = 0; i < n; i++)
    if (isfinite(value[i])) return 1;
  return 0;
}

/* A plane on the side of the wave's box from which the wave comes: the flux there is reflected, its fraction below
 * 0. */
static int is_in_front(const struct tor_sources *sources, const struct tor_recorder *l) {
  if (sources->nincident != 1 || l->spec->kind != TOR_FLUX) return 0;
  const struct tor_source *wave = tor_incident_source(sources, 0);
  const struct tor_box *box = tor_incident_box(sources, 0);
  const int a = wave->axis, node = l->plane[0].node;
  return l->plane[0].axis == a && (wave->direction > 0 ? node < box->lo[a] : node > box->hi[a]);
}

/* One line: its legend, its values with the sign and in the unit of the picture. Returns 0 for a column that is not
 * drawn: a power in J/Hz, or nothing finite, as of a plane along the wave. */
static int spectrum_series(const struct tor_results *r, int monitor, int column, struct tor_image_series *series) {
  const struct tor_recorder *l = &r->sim->model->monitors->recorder[monitor];
  const struct tor_spectrum *s = &r->spectra[monitor];
  const int cross = l->spec->kind == TOR_CROSS_SECTION;
  const double unit = r->job->length_unit;
  if (!has_finite(s->value[column], l->nfreq) || (!cross && strcmp(s->name[column], "fraction"))) return 0;
  const double scale = is_in_front(r->sim->model->sources, l) ? -1
                       : !strcmp(s->unit[column], "nm^2")     ? TOR_NM * TOR_NM / (unit * unit)
                                                              : 1;
  double *x = tor_alloc((size_t)l->nfreq, sizeof *x, "picture"), *y = tor_alloc((size_t)l->nfreq, sizeof *y, "picture");
  char *label = tor_alloc(256, 1, "picture");
  for (int q = 0; q < l->nfreq; q++) {
    x[q] = l->spec->wavelength[q] / unit;
    y[q] = scale * s->value[column][q];
  }
  snprintf(label, 256,
           cross       ? "%s: %.*s"
           : scale < 0 ? "%s (R)"
                       : "%s",
           l->spec->name, (int)strcspn(s->meaning[column], " "), s->meaning[column]);
  *series = (struct tor_image_series){.label = label, .n = l->nfreq, .x = x, .y = y};
  return 1;
}

/* What the lines are: bits 0 efficiencies, 1 cross-sections, 2 fractions of a wave's power, 3 of a dipole's. */
static void spectrum_label(const struct tor_job *job, unsigned kinds, char *label, size_t size) {
  static const char *const names[] = {"efficiency Q", "cross-section C", "fraction of the incident power",
                                      "fraction of the dipole's power alone"};
  *label = 0;
  for (int i = 0; i < 4; i++) {
    const size_t used = strlen(label);
    if (kinds >> i & 1) snprintf(label + used, size - used, "%s%s", used ? "; " : "", names[i]);
    if (i == 1 && kinds & 2) snprintf(label + strlen(label), size - strlen(label), " [%s^2]", tor_picture_unit(job));
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
      kinds |= l->spec->kind != TOR_CROSS_SECTION ? (r->sim->model->sources->nincident ? 4u : 8u)
               : l->spec->radius > 0              ? 1u
                                                  : 2u;
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
  }
  return failed;
}
