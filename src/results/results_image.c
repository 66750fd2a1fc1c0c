/* Pictures: slices at their times, amplitudes of field monitors in planes, spectra as line plots. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/image/image.h"
#include "src/results/picture.h"
#include "src/results/results_parts.h"
#include "src/model/spectrum.h"
#include "src/base/units.h"

static const char *const comp_name[] = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};

/* Room for a plane's values [nv][nh]. Where there is none the monitor's pictures of this component are told as not
 * written, *failed grows. */
static double *reserve(const struct tor_results *r, const struct tor_recorder *l, const struct tor_patch *p,
                       const struct tor_picture_plane *s, int *failed) {
  double *values = calloc((size_t)s->nh * (size_t)s->nv, sizeof *values);
  if (!values)
    *failed +=
        tor_results_not_written(tor_results_path(r->job, "%s_%s_*.png", l->spec->name, comp_name[p->comp]), NULL);
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
      snprintf(title, sizeof title, "%s at %.2f fs", comp_name[p->comp], fs);
      snprintf(label, sizeof label, "%s [%s]", comp_name[p->comp], tor_comp_is_h(p->comp) ? "A/m" : "V/m");
      const char *path = tor_results_path(r->job, "%s_%s_%03d.png", l->spec->name, comp_name[p->comp], k);
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
      snprintf(title, sizeof title, "|%s| at %g nm", comp_name[p->comp], nm);
      snprintf(label, sizeof label, waves ? "|%s| / incident" : "|%s| [%s/Hz]", comp_name[p->comp],
               tor_comp_is_h(p->comp) ? "A/m" : "V/m");
      const char *path = tor_results_path(r->job, "%s_%s_%.10gnm.png", l->spec->name, comp_name[p->comp], nm);
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

/* spectra.png: what spectra.csv has, without powers in J/Hz. */
static int spectrum_image(const struct tor_results *r) {
  const struct tor_monitors *ms = r->sim->model->monitors;
  struct tor_image_series series[12];
  char names[12][128];
  double *nm[12];
  int n = 0, made = 0;
  for (int i = 0; i < ms->count && made < 12; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (!tor_spectrum_has(l) || l->nfreq < 3) continue;
    const struct tor_spectrum *s = &r->spectra[i];
    nm[made] = tor_alloc((size_t)l->nfreq, sizeof **nm, "picture");
    for (int q = 0; q < l->nfreq; q++) nm[made][q] = l->spec->wavelength[q] / TOR_NM;
    for (int c = 0; c < s->ncolumns && n < 12; c++) {
      if (l->spec->kind != TOR_CROSS_SECTION && strcmp(s->name[c], "fraction")) continue;
      if (!has_finite(s->value[c], l->nfreq)) continue; /* a plane along the wave: nothing to be a fraction of */
      snprintf(names[n], sizeof names[n], "%s %s", l->spec->name, s->name[c]);
      series[n] = (struct tor_image_series){.label = names[n], .n = l->nfreq, .x = nm[made], .y = s->value[c]};
      n++;
    }
    made++;
  }
  int failed = 0;
  if (n) {
    struct tor_image_plot plot = {r->job->title, "wavelength [nm]", "spectrum", n, series};
    const char *path = tor_results_path(r->job, "spectra.png");
    failed = tor_results_log_file(r, path, tor_image_lines(path, &plot), NULL);
  }
  for (int i = 0; i < made; i++) free(nm[i]);
  return failed;
}

int tor_results_write_images(const struct tor_results *r) {
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
