/* Files of torre modes: modes.h5 and pictures. See mode_results.h. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/hdf5/h5.h"
#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/monitor.h"
#include "src/model/plane_media.h"
#include "src/modes/mode_sweep.h"
#include "src/results/mode_results.h"
#include "src/results/picture.h"
#include "src/results/results_file.h"

/* A component's points in the plane as a patch of the grid. */
static struct tor_patch patch_of(const struct tor_plane_media *p, int comp) {
  struct tor_patch patch = {.comp = comp};
  patch.first[p->axis] = p->node;
  patch.count[p->axis] = 1;
  for (int s = 0; s < 2; s++) {
    const int a = s ? p->last : p->next;
    patch.first[a] = p->lo[s];
    patch.count[a] = tor_plane_media_uniform(p, s) ? 1 : p->n[s] + !tor_comp_half(comp, a);
  }
  return patch;
}

/* The plane's point at places along x, y, z from the patch's first. */
static int point_at(const struct tor_plane_media *p, const int at[3]) {
  return at[p->next] * (p->n[1] + 1) + at[p->last];
}

/* --- modes.h5 --- */

struct source {
  const struct tor_mode_sweep *sweep;
  struct tor_patch patch;
};

/* Rows [wavelength][mode][z][y][x], in 2-D [wavelength][mode][y][x], of real and imaginary part; NaN where a mode was
 * not found. */
static int fill_field(void *context, tor_gidx first, tor_gidx count, void *rows) {
  const struct source *from = context;
  const struct tor_patch *p = &from->patch;
  const tor_gidx points = (tor_gidx)p->count[0] * p->count[1] * p->count[2];
  double *to = rows;
  for (tor_gidx i = first; i < first + count; i++) {
    const tor_gidx mode = i / points, k = i % points;
    int at[3] = {0, 0, 0};
    tor_gidx rest = k;
    for (int u = 0; u < tor_user_axes(from->sweep->job); u++) {
      const int a = tor_axis_of_user(from->sweep->job, u);
      at[a] = (int)(rest % p->count[a]);
      rest /= p->count[a];
    }
    const double complex *field = from->sweep->mode[mode].field[p->comp];
    const double complex value = field ? field[point_at(&from->sweep->plane, at)] : CMPLX(NAN, NAN);
    *to++ = creal(value);
    *to++ = cimag(value);
  }
  return 0;
}

static void write_component(struct tor_h5 *h5, const struct tor_mode_sweep *s, int comp) {
  static const char *const axis_name[] = {"x", "y", "z"};
  struct source from = {s, patch_of(&s->plane, comp)};
  const int *n = from.patch.count, axes = tor_user_axes(s->job), is_2d = s->job->plane != TOR_SPACE;
  const char *name = tor_job_comp_name(s->job, comp);
  tor_gidx dims[6] = {s->nwavelength, s->count};
  char path[64];
  for (int u = 0; u < axes; u++) dims[1 + axes - u] = n[tor_axis_of_user(s->job, u)];
  dims[2 + axes] = 2;
  snprintf(path, sizeof path, "/%s/field", name);
  tor_h5_write_rows(h5, path, TOR_H5_DOUBLE, 3 + axes, dims, 2 + axes, fill_field, &from,
                    tor_comp_is_h(comp) ? "A/m" : "V/m",
                    is_2d ? "at 1 W/m through the line; [wavelength][mode][y][x][real, imaginary]"
                          : "at 1 W through the plane; [wavelength][mode][z][y][x][real, imaginary]");
  tor_h5_attribute_string(h5, path, "axes", is_2d ? "wavelength mode y x part" : "wavelength mode z y x part");
  for (int u = 0; u < axes; u++) {
    const int a = tor_axis_of_user(s->job, u);
    double *x = tor_alloc((size_t)n[a], sizeof *x, "coordinates");
    const tor_gidx count = n[a];
    for (int i = 0; i < n[a]; i++) x[i] = tor_grid_place(&s->plane.grid, comp, a, from.patch.first[a] + i);
    snprintf(path, sizeof path, "/%s/%s", name, axis_name[u]);
    tor_h5_write(h5, path, TOR_H5_DOUBLE, 1, &count, x, "m", "position of the component's points");
    free(x);
  }
}

/* A number of each mode, complex with `part`. */
static void write_numbers(struct tor_h5 *h5, const struct tor_mode_sweep *s, const char *path, int parts,
                          double complex (*of)(const struct tor_mode *mode), const char *unit, const char *meaning) {
  const int n = s->nwavelength * s->count;
  const tor_gidx dims[3] = {s->nwavelength, s->count, parts};
  double *value = tor_alloc((size_t)n * (size_t)parts, sizeof *value, "modes");
  for (int i = 0; i < n; i++) {
    const double complex v = s->mode[i].omega > 0 ? of(&s->mode[i]) : CMPLX(NAN, NAN);
    value[parts * i] = creal(v);
    if (parts > 1) value[parts * i + 1] = cimag(v);
  }
  tor_h5_write(h5, path, TOR_H5_DOUBLE, parts > 1 ? 3 : 2, dims, value, unit, meaning);
  tor_h5_attribute_string(h5, path, "axes", parts > 1 ? "wavelength mode part" : "wavelength mode");
  free(value);
}

static double complex n_eff(const struct tor_mode *m) { return m->n_eff; }
static double complex beta(const struct tor_mode *m) { return m->beta; }
static double complex group(const struct tor_mode *m) { return m->group; }
static double complex te(const struct tor_mode *m) { return m->te; }
static double complex area(const struct tor_mode *m) { return m->area; }
static double complex core(const struct tor_mode *m) { return m->core; }

int tor_modes_write_h5(const struct tor_job *job, const struct tor_mode_sweep *s) {
  const char *path = tor_results_path(job, "modes.h5");
  struct tor_h5 *h5 = tor_h5_create(path);
  if (!h5) return tor_results_not_written(path, tor_h5_error());
  const tor_gidx n = s->nwavelength;
  tor_h5_attribute_int(h5, "/", "format_version", 1);
  tor_h5_attribute_string(h5, "/", "title", job->title ? job->title : "");
  double cell[3];
  for (int u = 0; u < 3; u++) cell[u] = s->plane.grid.d[tor_axis_of_user(job, u)];
  tor_h5_attribute_doubles(h5, "/", "cell_m", tor_user_axes(job), cell);
  tor_h5_write(h5, "/wavelength", TOR_H5_DOUBLE, 1, &n, job->modes.wavelength, "m", "wavelength in vacuum");
  write_numbers(h5, s, "/n_eff", 2, n_eff, "1", "effective index; [wavelength][mode][real, imaginary]");
  write_numbers(h5, s, "/beta", 2, beta, "1/m", "exp(i beta x) on the grid; [wavelength][mode][real, imaginary]");
  write_numbers(h5, s, "/n_group", 2, group, "1", "c d beta / d omega; [wavelength][mode][real, imaginary]");
  write_numbers(h5, s, "/te_fraction", 1, te, "1", "share of |E|^2 across the axis along the first of x, y, z");
  if (job->plane)
    write_numbers(h5, s, "/width", 1, area, "m", "(int |E|^2)^2 / int |E|^4");
  else
    write_numbers(h5, s, "/area", 1, area, "m^2", "(int |E|^2)^2 / int |E|^4");
  write_numbers(h5, s, "/core_fraction", 1, core, "1", "share of the power in the core");
  for (int comp = 0; comp < TOR_NCOMP; comp++)
    if (tor_comp_exists(job->plane, comp)) write_component(h5, s, comp);
  if (tor_h5_close(h5)) return tor_results_not_written(path, tor_h5_error());
  return 0;
}

/* --- Pictures --- */

static void read_values(const struct tor_plane_media *p, const struct tor_patch *patch,
                        const struct tor_picture_plane *shown, const double complex *field, double *re, double *im) {
  for (int v = 0; v < shown->nv; v++)
    for (int h = 0; h < shown->nh; h++) {
      int at[3] = {0, 0, 0};
      at[shown->h] = h;
      at[shown->v] = v;
      const double complex value = field[point_at(p, at)];
      re[(size_t)v * (size_t)patch->count[shown->h] + (size_t)h] = creal(value);
      im[(size_t)v * (size_t)patch->count[shown->h] + (size_t)h] = cimag(value);
    }
}

static int draw(const struct tor_job *job, const struct tor_mode_sweep *s, int m, struct tor_picture *picture) {
  struct tor_monitor monitor = {.name = "mode"};
  char when[64];
  snprintf(when, sizeof when, "of mode %d at %g %s, 1 W", m, s->mode[m].wavelength / job->length_unit,
           tor_picture_unit(job));
  picture->job = job;
  picture->grid = &s->plane.grid;
  picture->monitor = &monitor;
  picture->when = when;
  picture->unit = "V/m";
  const char *path = tor_results_path(job, "mode%d_%s.png", m, tor_picture_name(job, picture->of, picture->comp));
  return tor_picture_write(path, picture) ? tor_results_not_written(path, NULL) : 0;
}

/* |E|, and the real part of E along the axis across the guide on which it is largest. */
static int draw_mode(const struct tor_job *job, const struct tor_mode_sweep *s, int m) {
  const struct tor_plane_media *p = &s->plane;
  const struct tor_mode *mode = &s->mode[m];
  const size_t points = (size_t)p->npoints;
  double *const re = tor_alloc(points, sizeof *re, "picture"), *const im = tor_alloc(points, sizeof *im, "picture");
  double *const sum = tor_alloc(points, sizeof *sum, "picture");
  struct tor_patch patch[3];
  double largest[3] = {0};
  for (int c = 0; c < 3; c++) {
    patch[c] = patch_of(p, c);
    for (int i = 0; i < p->npoints; i++) largest[c] = fmax(largest[c], cabs(mode->field[c][i]));
  }
  const struct tor_picture_plane cells = tor_picture_cells(&p->grid, patch, 3);
  int failed = 0;
  if (cells.across >= 0) {
    for (int c = 0; c < 3; c++) {
      const struct tor_picture_plane own = tor_picture_plane(&p->grid, &patch[c]);
      read_values(p, &patch[c], &own, mode->field[c], re, im);
      tor_picture_add_square(&cells, &p->grid, &patch[c], re, im, sum);
    }
    for (size_t i = 0; i < (size_t)cells.nh * (size_t)cells.nv; i++) sum[i] = sqrt(sum[i]);
    failed += draw(job, s, m, &(struct tor_picture){.of = TOR_PICTURE_E, .plane = &cells, .values = sum});
    const int comp = largest[p->next] >= largest[p->last] ? p->next : p->last;
    const struct tor_picture_plane own = tor_picture_plane(&p->grid, &patch[comp]);
    read_values(p, &patch[comp], &own, mode->field[comp], re, im);
    failed += draw(job, s, m, &(struct tor_picture){.of = TOR_PICTURE_REAL, .comp = comp, .plane = &own, .values = re});
  }
  free(re);
  free(im);
  free(sum);
  return failed;
}

/* In 2-D: |E| of each component along the line. */
static int draw_line(const struct tor_job *job, const struct tor_mode_sweep *s, int m) {
  const struct tor_plane_media *p = &s->plane;
  const int along = tor_plane_media_uniform(p, 0) ? p->last : p->next;
  struct tor_image_series series[2];
  char label[2][16], xlabel[32], title[96];
  double *x[2], *y[2];
  int n = 0;
  for (int comp = TOR_EX; comp <= TOR_EZ; comp++) {
    if (!tor_comp_exists(job->plane, comp)) continue;
    const struct tor_patch patch = patch_of(p, comp);
    x[n] = tor_alloc((size_t)patch.count[along], sizeof *x[n], "picture");
    y[n] = tor_alloc((size_t)patch.count[along], sizeof *y[n], "picture");
    for (int i = 0; i < patch.count[along]; i++) {
      x[n][i] = tor_grid_place(&p->grid, comp, along, patch.first[along] + i) / job->length_unit;
      y[n][i] = cabs(s->mode[m].field[comp][i]);
    }
    const char *name = tor_job_comp_name(job, comp);
    snprintf(label[n], sizeof label[n], "|%c_%c|", name[0], name[1]);
    series[n] = (struct tor_image_series){.label = label[n], .n = patch.count[along], .x = x[n], .y = y[n]};
    n++;
  }
  snprintf(title, sizeof title, "mode %d at %g %s, 1 W/m", m, s->mode[m].wavelength / job->length_unit,
           tor_picture_unit(job));
  snprintf(xlabel, sizeof xlabel, "%c [%s]", tor_axis_name(job, along), tor_picture_unit(job));
  const struct tor_image_plot plot = {
      .title = title, .xlabel = xlabel, .ylabel = "|E| [V/m]", .nseries = n, .series = series};
  const char *path = tor_results_path(job, "mode%d_E.png", m);
  const int failed = tor_image_lines(path, &plot) ? tor_results_not_written(path, NULL) : 0;
  for (int i = 0; i < n; i++) {
    free(x[i]);
    free(y[i]);
  }
  return failed;
}

/* n_eff against the wavelength. */
static int draw_dispersion(const struct tor_job *job, const struct tor_mode_sweep *s) {
  enum { MOST = 9 };
  struct tor_image_series series[MOST];
  char label[MOST][16], xlabel[32];
  double *x[MOST], *y[MOST];
  const int n = s->count < MOST ? s->count : MOST;
  for (int m = 0; m < n; m++) {
    x[m] = tor_alloc((size_t)s->nwavelength, sizeof *x[m], "picture");
    y[m] = tor_alloc((size_t)s->nwavelength, sizeof *y[m], "picture");
    snprintf(label[m], sizeof label[m], "mode %d", m);
    for (int q = 0; q < s->nwavelength; q++) {
      x[m][q] = job->modes.wavelength[q] / job->length_unit;
      y[m][q] = m < s->found[q] ? creal(tor_mode_sweep_at(s, q, m)->n_eff) : (double)NAN;
    }
    series[m] = (struct tor_image_series){.label = label[m], .n = s->nwavelength, .x = x[m], .y = y[m]};
  }
  snprintf(xlabel, sizeof xlabel, "wavelength [%s]", tor_picture_unit(job));
  const struct tor_image_plot plot = {
      .title = job->title, .xlabel = xlabel, .ylabel = "n_eff", .nseries = n, .series = series};
  const char *path = tor_results_path(job, "modes.png");
  const int failed = tor_image_lines(path, &plot) ? tor_results_not_written(path, NULL) : 0;
  for (int m = 0; m < n; m++) {
    free(x[m]);
    free(y[m]);
  }
  return failed;
}

int tor_modes_write_pictures(const struct tor_job *job, const struct tor_mode_sweep *s) {
  int failed = 0;
  if (!tor_image_version()) return 0;
  for (int m = 0; m < s->found[0]; m++) failed += job->plane ? draw_line(job, s, m) : draw_mode(job, s, m);
  if (s->nwavelength > 2) failed += draw_dispersion(job, s);
  return failed;
}
