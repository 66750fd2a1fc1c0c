/* Far fields on a plane in space and on direction cosines: datasets of results.h5 and pictures. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5.h"
#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/far_field.h"
#include "src/model/far_near.h"
#include "src/model/model.h"
#include "src/model/monitor.h"
#include "src/model/source.h"
#include "src/results/picture.h"
#include "src/results/results.h"
#include "src/results/results_far.h"
#include "src/results/results_file.h"
#include "src/results/results_parts.h"

/* --- Numbers --- */

/* Points along the job's axes, and the axis across the plane. */
static int count_points(const struct tor_job *job, const struct tor_monitor *m, int count[3]) {
  int across = -1;
  for (int a = 0; a < 3; a++) {
    const int flat = job->plane && a == TOR_X;
    count[a] = flat ? 1 : tor_far_near_points(m, a);
    if (!flat && m->seen_lo[a] == m->seen_hi[a]) across = a;
  }
  return across;
}

static int cosines(const struct tor_monitor *m) { return (int)ceil(2 * m->cosine_limit / m->cosine_step - 1e-9) + 1; }

static double cosine_at(const struct tor_monitor *m, int i) {
  return m->cosine_limit * (2.0 * i / (cosines(m) - 1) - 1);
}

/* The user's axes across that of the directions, in their order. 2-D: the second one is z, along which there is none.
 */
static void cosine_axes(const struct tor_monitor *m, int axis[2]) {
  for (int u = 0, n = 0; u < 3; u++)
    if (u != m->towards / 2) axis[n++] = u;
}

void tor_far_seen_begin(const struct tor_results *r, const struct tor_recorder *l, struct tor_far_table *t) {
  const struct tor_monitor *m = l->spec;
  const size_t n = (size_t)l->nfreq;
  if (m->seen_step > 0) {
    int count[3];
    count_points(r->job, m, count);
    t->points = (tor_gidx)count[0] * count[1] * count[2];
    t->seen = tor_alloc(n * (size_t)t->points * 6, sizeof *t->seen, "far field");
    t->through = tor_alloc(n, sizeof *t->through, "far field");
  }
  if (m->towards >= 0) {
    t->ncosine[0] = cosines(m);
    t->ncosine[1] = r->job->plane ? 1 : cosines(m);
    const size_t all = n * (size_t)t->ncosine[0] * (size_t)t->ncosine[1];
    t->cosine = tor_alloc(3 * all, sizeof *t->cosine, "far field");
    t->cosine_power = tor_alloc(all, sizeof *t->cosine_power, "far field");
  }
}

static void make_plane(const struct tor_results *r, const struct tor_recorder *l, int q,
                       const struct tor_far_field *far, struct tor_far_table *t) {
  const struct tor_monitor *m = l->spec;
  int count[3];
  const int across = count_points(r->job, m, count), b = (across + 1) % 3, c = (across + 2) % 3;
  struct tor_far_near *near = tor_far_near_new(far);
  double area = 1, sum = 0;
  for (int a = 0; a < 3; a++)
    if (count[a] > 1) area *= (m->seen_hi[a] - m->seen_lo[a]) / (count[a] - 1);
#pragma omp parallel for schedule(dynamic)
  for (tor_gidx i = 0; i < t->points; i++) {
    double complex f[2][3], *to = t->seen + 6 * (q * t->points + i);
    double x[3] = {0};
    int at[3];
    tor_user_place(r->job, count, i, at);
    for (int a = 0; a < 3; a++)
      if (!(r->job->plane && a == TOR_X)) x[a] = tor_far_near_place(m, a, at[a]);
    tor_far_near_at(near, x, f[0], f[1]);
    for (int a = 0; a < 3; a++)
      for (int h = 0; h < 2; h++) to[3 * h + tor_user_axis(r->job, a)] = f[h][a];
  }
  const int ub = tor_user_axis(r->job, b), uc = tor_user_axis(r->job, c);
  for (tor_gidx i = 0; i < t->points; i++) { /* in one order, whatever the threads */
    const double complex *f = t->seen + 6 * (q * t->points + i);
    double weight = area;
    int at[3];
    tor_user_place(r->job, count, i, at);
    for (int a = 0; a < 3; a++)
      if (count[a] > 1 && (!at[a] || at[a] == count[a] - 1)) weight *= 0.5;
    sum += weight * creal(f[ub] * conj(f[3 + uc]) - f[uc] * conj(f[3 + ub]));
  }
  t->through[q] = sum;
  tor_far_near_free(near);
}

static void make_cosines(const struct tor_results *r, const struct tor_recorder *l, int q,
                         const struct tor_far_field *far, struct tor_far_table *t) {
  const struct tor_monitor *m = l->spec;
  const tor_gidx n = (tor_gidx)t->ncosine[0] * t->ncosine[1];
  int axis[2];
  cosine_axes(m, axis);
#pragma omp parallel for schedule(dynamic)
  for (tor_gidx i = 0; i < n; i++) {
    double complex e[2], *to = t->cosine + 3 * (q * n + i);
    double u[3] = {0};
    u[axis[0]] = cosine_at(m, (int)(i % t->ncosine[0]));
    if (t->ncosine[1] > 1) u[axis[1]] = cosine_at(m, (int)(i / t->ncosine[0]));
    const double rest = 1 - u[axis[0]] * u[axis[0]] - u[axis[1]] * u[axis[1]];
    for (int a = 0; a < 3; a++) to[a] = (double)NAN;
    t->cosine_power[q * n + i] = NAN;
    if (rest < -1e-12) continue;
    u[m->towards / 2] = (m->towards % 2 ? 1 : -1) * sqrt(fmax(rest, 0));
    const double theta = r->job->plane ? TOR_PI / 2 : acos(fmax(-1, fmin(1, u[2]))), phi = atan2(u[1], u[0]);
    tor_far_field_at(far, theta, phi, e);
    const double of[2][3] = {{cos(theta) * cos(phi), cos(theta) * sin(phi), r->job->plane ? 1 : -sin(theta)},
                             {-sin(phi), cos(phi), 0}};
    for (int a = 0; a < 3; a++) to[a] = e[0] * of[0][a] + e[1] * of[1][a];
    t->cosine_power[q * n + i] = tor_far_field_power_at(far, theta, phi, e);
  }
}

void tor_far_seen_make(const struct tor_results *r, const struct tor_recorder *l, int q,
                       const struct tor_far_field *far, struct tor_far_table *t) {
  if (t->seen) make_plane(r, l, q, far, t);
  if (t->cosine) make_cosines(r, l, q, far, t);
}

/* --- results.h5 --- */

/* /monitors/NAME/GROUP/WHAT in memory of the thread. */
static const char *object(const struct tor_recorder *l, const char *group, const char *what) {
  static _Thread_local char path[256];
  snprintf(path, sizeof path, "/monitors/%s/%s/%s", l->spec->name, group, what);
  return path;
}

/* Whether a job has a component of the user's. */
static int exists(const struct tor_job *job, int comp) {
  return !job->plane || (comp % 3 == TOR_Z) == ((comp >= 3) == (job->plane == TOR_PLANE_TE));
}

/* An array of each component of values [rows][stride], `axes` as the attribute; the first dimension is wavelengths. */
static void write_components(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                             const char *group, const double complex *values, int stride, tor_gidx rows, int rank,
                             tor_gidx dims[5], const char *axes, const char *const unit[2], const char *meaning) {
  static const char *const name[] = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};
  double complex *one = tor_alloc((size_t)rows + 1, sizeof *one, "far field");
  dims[rank] = 2;
  for (int c = 0; c < stride; c++) {
    if (!exists(r->job, c)) continue;
    for (tor_gidx i = 0; i < rows; i++) one[i] = values[stride * i + c];
    tor_h5_write(h5, object(l, group, name[c]), TOR_H5_DOUBLE, rank + 1, dims, (const double *)one, unit[c / 3],
                 meaning);
    tor_h5_attribute_string(h5, object(l, group, name[c]), "axes", axes);
  }
  free(one);
}

static void plane_h5(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                     const struct tor_far_table *t) {
  static const char *const name[] = {"x", "y", "z"}, *const unit[2] = {"V/m/Hz", "A/m/Hz"};
  const struct tor_monitor *m = l->spec;
  int count[3], rank = 1;
  tor_gidx dims[5] = {l->nfreq}, n = l->nfreq;
  char axes[32] = "wavelength";
  count_points(r->job, m, count);
  for (int u = tor_user_axes(r->job) - 1; u >= 0; u--) {
    const int a = tor_axis_of_user(r->job, u);
    const tor_gidx points = count[a];
    double *x = tor_alloc((size_t)count[a], sizeof *x, "far field");
    for (int i = 0; i < count[a]; i++) x[i] = tor_far_near_place(m, a, i);
    tor_h5_write(h5, object(l, "plane", name[u]), TOR_H5_DOUBLE, 1, &points, x, "m", "position of the points");
    free(x);
    if (count[a] == 1) continue;
    dims[rank++] = count[a];
    snprintf(axes + strlen(axes), sizeof axes - strlen(axes), " %s", name[u]);
  }
  snprintf(axes + strlen(axes), sizeof axes - strlen(axes), " part");
  write_components(
      h5, r, l, "plane", t->seen, 6, t->points * l->nfreq, rank, dims, axes, unit,
      "field of what leaves the surface, in the homogeneous medium there; [wavelength], the axes with more "
      "than one point, [real, imaginary]");
  tor_h5_write(h5, object(l, "plane", "power"), TOR_H5_DOUBLE, 1, &n, t->through, r->job->plane ? "J/Hz/m" : "J/Hz",
               "power through the plane along its axis");
  tor_h5_attribute_string(h5, object(l, "plane", "power"), "axes", "wavelength");
}

static void cosines_h5(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                       const struct tor_far_table *t) {
  static const char *const name[] = {"ux", "uy", "uz"};
  const int plane = r->job->plane != TOR_SPACE, rank = plane ? 2 : 3;
  const char *const unit[2] = {plane ? "V/Hz/m^0.5" : "V/Hz", ""};
  tor_gidx dims[5] = {l->nfreq};
  int axis[2];
  char axes[48] = "wavelength", parts[64];
  cosine_axes(l->spec, axis);
  for (int i = rank - 2; i >= 0; i--) {
    const tor_gidx n = t->ncosine[i];
    double *x = tor_alloc((size_t)n, sizeof *x, "far field");
    for (int j = 0; j < n; j++) x[j] = cosine_at(l->spec, j);
    tor_h5_write(h5, object(l, "cosines", name[axis[i]]), TOR_H5_DOUBLE, 1, &n, x, "1",
                 "cosine between the direction and the axis");
    free(x);
    dims[rank - 1 - i] = n;
    snprintf(axes + strlen(axes), sizeof axes - strlen(axes), " %s", name[axis[i]]);
  }
  snprintf(parts, sizeof parts, "%s part", axes);
  const tor_gidx rows = (tor_gidx)t->ncosine[0] * t->ncosine[1] * l->nfreq;
  write_components(h5, r, l, "cosines", t->cosine, 3, rows, rank, dims, parts, unit,
                   plane ? "sqrt(r) E exp(-i k r) far away; [wavelength], the cosines, [real, imaginary]"
                         : "r E exp(-i k r) far away; [wavelength], the cosines, [real, imaginary]");
  tor_h5_write(h5, object(l, "cosines", "power_per_angle"), TOR_H5_DOUBLE, rank, dims, t->cosine_power,
               plane ? "J/Hz/m/rad" : "J/Hz/sr", "Re(E x H*) r^2 far away");
  tor_h5_attribute_string(h5, object(l, "cosines", "power_per_angle"), "axes", axes);
}

void tor_results_seen_h5(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                         const struct tor_far_table *t) {
  if (t->seen) plane_h5(h5, r, l, t);
  if (t->cosine) cosines_h5(h5, r, l, t);
}

/* --- Pictures --- */

/* A map [n1][n0], or a line where n1 is 1, over the places x[2] and y[2] of its outermost points. */
static int draw(const struct tor_results *r, const struct tor_recorder *l, int q, const char *what, const char *label,
                const int n[2], double x[2][2], const char *const axis[2], const double *value) {
  char title[192];
  snprintf(title, sizeof title, "%s: %s at %.6g %s", l->spec->name, label, l->spec->wavelength[q] / r->job->length_unit,
           tor_picture_unit(r->job));
  const char *path = tor_results_path(r->job, "%s_%s_%.6gnm.png", l->spec->name, what, l->spec->wavelength[q] / TOR_NM);
  if (n[0] < 2) return 0;
  if (n[1] > 1) {
    struct tor_image image = {.nx = n[0],
                              .ny = n[1],
                              .values = value,
                              .xlabel = axis[0],
                              .ylabel = axis[1],
                              .title = title,
                              .bar_label = label,
                              .mode = TOR_IMAGE_SEQUENTIAL};
    for (int e = 0; e < 2; e++) { /* outer edges: half a point beyond */
      image.x[e] = x[0][e] + (e ? 0.5 : -0.5) * (x[0][1] - x[0][0]) / (n[0] - 1);
      image.y[e] = x[1][e] + (e ? 0.5 : -0.5) * (x[1][1] - x[1][0]) / (n[1] - 1);
    }
    return tor_results_log_file(r, path, tor_image_write(path, &image), NULL);
  }
  double *at = tor_alloc((size_t)n[0], sizeof *at, "picture");
  for (int i = 0; i < n[0]; i++) at[i] = x[0][0] + (x[0][1] - x[0][0]) * i / (n[0] - 1);
  const struct tor_image_series series = {.n = n[0], .x = at, .y = value};
  const struct tor_image_plot plot = {
      .title = title, .xlabel = axis[0], .ylabel = label, .nseries = 1, .series = &series};
  const int failed = tor_results_log_file(r, path, tor_image_lines(path, &plot), NULL);
  free(at);
  return failed;
}

static int draw_plane(const struct tor_results *r, const struct tor_recorder *l, int q, const struct tor_far_table *t) {
  const struct tor_monitor *m = l->spec;
  const struct tor_sources *sources = r->sim->model->sources;
  double *value = tor_alloc((size_t)t->points, sizeof *value, "picture"), x[2][2] = {{0}}, unit = 1;
  char text[2][24] = {"", ""};
  const char *label = "|E|^2 [(V/m/Hz)^2]", *const axis[2] = {text[0], text[1]};
  int count[3], n[2] = {1, 1}, at = 0;
  count_points(r->job, m, count);
  for (int u = 0; u < 3; u++) {
    const int a = tor_axis_of_user(r->job, u);
    if (count[a] == 1) continue;
    n[at] = count[a];
    x[at][0] = m->seen_lo[a] / r->job->length_unit;
    x[at][1] = m->seen_hi[a] / r->job->length_unit;
    snprintf(text[at++], sizeof text[0], "%c [%s]", "xyz"[u], tor_picture_unit(r->job));
  }
  if (sources->nincident == 1 && r->job->nsources == 1) {
    double complex incident[2];
    tor_incident_spectrum(sources, 0, l->omega[q], incident);
    unit = creal(incident[0] * conj(incident[0]));
    label = "|E|^2 over the incident wave's";
  }
  for (tor_gidx i = 0; i < t->points; i++)
    for (int c = 0; c < 3; c++) {
      const double complex e = t->seen[6 * (q * t->points + i) + c];
      value[i] += creal(e * conj(e)) / unit;
    }
  const int failed = draw(r, l, q, "plane", label, n, x, axis, value);
  free(value);
  return failed;
}

static int draw_cosines(const struct tor_results *r, const struct tor_recorder *l, int q,
                        const struct tor_far_table *t) {
  static const char *const name[] = {"u_x", "u_y", "u_z"};
  const double limit = l->spec->cosine_limit;
  double x[2][2] = {{-limit, limit}, {-limit, limit}};
  int axis[2];
  cosine_axes(l->spec, axis);
  return draw(r, l, q, "cosines", r->job->plane ? "power per angle [J/Hz/m/rad]" : "power per angle [J/Hz/sr]",
              t->ncosine, x, (const char *const[]){name[axis[0]], name[axis[1]]},
              t->cosine_power + (tor_gidx)q * t->ncosine[0] * t->ncosine[1]);
}

int tor_results_seen_images(const struct tor_results *r, const struct tor_recorder *l, const struct tor_far_table *t) {
  int failed = 0;
  for (int q = 0; q < l->nfreq; q++) {
    if (t->seen) failed += draw_plane(r, l, q, t);
    if (t->cosine) failed += draw_cosines(r, l, q, t);
  }
  return failed;
}
