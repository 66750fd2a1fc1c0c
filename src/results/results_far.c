/* Far fields as tables: NAME_far.csv and datasets of results.h5. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/files/table.h"
#include "io/hdf5/h5.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/model/far_field.h"
#include "src/model/model.h"
#include "src/model/monitor.h"
#include "src/model/source.h"
#include "src/results/results.h"
#include "src/results/results_far.h"
#include "src/results/results_file.h"
#include "src/results/results_parts.h"

static tor_gidx directions_of(const struct tor_monitor *m) { return (tor_gidx)(m->ntheta ? m->ntheta : 1) * m->nphi; }

void tor_far_table_make(const struct tor_results *r, const struct tor_recorder *l, struct tor_far_table *table) {
  const struct tor_model *model = r->sim->model;
  const struct tor_monitor *m = l->spec;
  const tor_gidx n = directions_of(m);
  *table = (struct tor_far_table){.directions = n};
  table->field = tor_alloc((size_t)(n * l->nfreq) * 2, sizeof *table->field, "far field");
  table->power = tor_alloc((size_t)(n * l->nfreq), sizeof *table->power, "far field");
  table->total = tor_alloc((size_t)l->nfreq, sizeof *table->total, "far field");
  table->incident = tor_alloc((size_t)l->nfreq, sizeof *table->incident, "far field");
  table->index = tor_alloc((size_t)l->nfreq, sizeof *table->index, "far field");
  table->impedance = tor_alloc((size_t)l->nfreq, sizeof *table->impedance, "far field");
  tor_far_seen_begin(r, l, table);
  for (int q = 0; q < l->nfreq; q++) {
    struct tor_far_field *far = tor_far_field_new(model->monitors, r->job, l, q);
    tor_far_field_medium(far, &table->index[q], &table->impedance[q]);
    table->total[q] = tor_far_field_total(far, model->sources);
    if (model->sources->nincident == 1 && r->job->nsources == 1)
      table->incident[q] = tor_incident_flux(model->sources, 0, l->omega[q]);
#pragma omp parallel for schedule(dynamic) /* a direction's sums have one order */
    for (tor_gidx i = 0; i < n; i++) {
      double complex *field = table->field + 2 * (q * n + i);
      const double theta = m->ntheta ? m->theta[i / m->nphi] : 0, phi = m->phi[i % m->nphi];
      tor_far_field_at(far, theta, phi, field);
      table->power[q * n + i] = tor_far_field_power_at(far, theta, phi, field);
    }
    tor_far_seen_make(r, l, q, far, table);
    tor_far_field_free(far);
  }
}

void tor_far_table_free(struct tor_far_table *table) {
  free(table->field);
  free(table->power);
  free(table->total);
  free(table->index);
  free(table->impedance);
  free(table->incident);
  free(table->seen);
  free(table->through);
  free(table->cosine);
  free(table->cosine_power);
}

/* Directivity: power per angle over its mean over all directions. */
static double directivity(const struct tor_job *job, const struct tor_far_table *t, int q, tor_gidx i) {
  return (job->plane ? 2 : 4) * TOR_PI * t->power[q * t->directions + i] / t->total[q];
}

/* --- The table --- */

enum { THETA = 1, PHI, E0, E1 = 5, POWER = 7, CROSS = 9, COLUMNS };

static const char *column_name(const struct tor_job *job, int column) {
  static const char *const names[2][COLUMNS] = {
      {"wavelength_nm", "theta_deg", "phi_deg", "E_theta_V_per_Hz", "E_theta_phase_rad", "E_phi_V_per_Hz",
       "E_phi_phase_rad", "power_J_per_Hz_sr", "directivity", "dC_nm2_per_sr"},
      {"wavelength_nm", NULL, "phi_deg", "E_z_V_per_Hz_sqrt_m", "E_z_phase_rad", "E_phi_V_per_Hz_sqrt_m",
       "E_phi_phase_rad", "power_J_per_Hz_m_rad", "directivity", "dC_nm_per_rad"}};
  const int missing = job->plane == TOR_PLANE_TM ? E1 : E0; /* 2-D jobs have one polarisation */
  if (job->plane && (column == missing || column == missing + 1)) return NULL;
  return names[job->plane != TOR_SPACE][column];
}

int tor_results_write_far(const struct tor_results *r, const struct tor_recorder *l, const struct tor_far_table *t) {
  const double degree = TOR_PI / 180, nm = r->job->plane ? TOR_NM : TOR_NM * TOR_NM;
  const struct tor_monitor *m = l->spec;
  const tor_gidx rows = t->directions * l->nfreq;
  struct tor_table_column columns[COLUMNS];
  double *value[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) value[c] = tor_alloc((size_t)rows, sizeof(double), "far field");
  for (tor_gidx row = 0; row < rows; row++) {
    const int q = (int)(row / t->directions);
    const tor_gidx i = row % t->directions;
    value[0][row] = m->wavelength[q] / TOR_NM;
    value[THETA][row] = m->ntheta ? m->theta[i / m->nphi] / degree : 0;
    value[PHI][row] = m->phi[i % m->nphi] / degree;
    for (int p = 0; p < 2; p++) {
      value[E0 + 2 * p][row] = cabs(t->field[2 * row + p]);
      value[E0 + 2 * p + 1][row] = carg(t->field[2 * row + p]);
    }
    value[POWER][row] = t->power[row];
    value[POWER + 1][row] = directivity(r->job, t, q, i);
    value[CROSS][row] = t->incident[q] > 0 ? t->power[row] / t->incident[q] / nm : (double)NAN;
  }
  int n = 0;
  for (int c = 0; c < COLUMNS; c++) {
    const char *name = column_name(r->job, c);
    if (name && (c != CROSS || t->incident[0] > 0)) columns[n++] = (struct tor_table_column){name, NULL, value[c]};
  }
  const char *path = tor_results_path(r->job, "%s_far.csv", m->name);
  const int failed = tor_results_log_file(r, path, tor_table_write(path, columns, n, rows), NULL);
  for (int c = 0; c < COLUMNS; c++) free(value[c]);
  return failed;
}

/* --- results.h5 --- */

/* /monitors/NAME/WHAT in memory of the thread. */
static const char *object(const struct tor_recorder *l, const char *what) {
  static _Thread_local char path[256];
  snprintf(path, sizeof path, "/monitors/%s/%s", l->spec->name, what);
  return path;
}

/* An array over wavelengths and directions, of parts where `complex`. */
static void write_array(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l, const char *name,
                        const double *values, int parts, const char *unit, const char *meaning) {
  const int plane = r->job->plane != TOR_SPACE;
  tor_gidx dims[4] = {l->nfreq};
  int rank = 1;
  if (!plane) dims[rank++] = l->spec->ntheta;
  dims[rank++] = l->spec->nphi;
  if (parts) dims[rank++] = 2;
  tor_h5_write(h5, object(l, name), TOR_H5_DOUBLE, rank, dims, values, unit, meaning);
  tor_h5_attribute_string(h5, object(l, name), "axes",
                          plane   ? (parts ? "wavelength phi part" : "wavelength phi")
                          : parts ? "wavelength theta phi part"
                                  : "wavelength theta phi");
}

void tor_results_far_h5(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                        const struct tor_far_table *t) {
  static const char *const name[2][2] = {{"E_theta", "E_phi"}, {"E_z", "E_phi"}};
  const int plane = r->job->plane != TOR_SPACE;
  const struct tor_monitor *m = l->spec;
  const tor_gidx rows = t->directions * l->nfreq, ntheta = m->ntheta, nphi = m->nphi;
  double complex *one = tor_alloc((size_t)rows, sizeof *one, "far field");
  double *value = tor_alloc((size_t)rows, sizeof *value, "far field");
  const tor_gidx nfreq = l->nfreq;
  tor_h5_write(h5, object(l, "index"), TOR_H5_DOUBLE, 1, &nfreq, t->index, "1", "of the medium at the surface");
  tor_h5_write(h5, object(l, "impedance"), TOR_H5_DOUBLE, 1, &nfreq, t->impedance, "ohm", "of waves in that medium");
  if (!plane) tor_h5_write(h5, object(l, "theta"), TOR_H5_DOUBLE, 1, &ntheta, m->theta, "rad", "angle from the z axis");
  tor_h5_write(h5, object(l, "phi"), TOR_H5_DOUBLE, 1, &nphi, m->phi, "rad", "angle about the z axis, from x to y");
  for (int p = 0; p < 2; p++) {
    if (!column_name(r->job, p ? E1 : E0)) continue;
    for (tor_gidx i = 0; i < rows; i++) one[i] = t->field[2 * i + p];
    write_array(h5, r, l, name[plane][p], (const double *)one, 1, plane ? "V/Hz/m^0.5" : "V/Hz",
                plane ? "sqrt(r) E exp(-i k r) far away; [wavelength][phi][real, imaginary]"
                      : "r E exp(-i k r) far away; [wavelength][theta][phi][real, imaginary]");
  }
  write_array(h5, r, l, "power_per_angle", t->power, 0, plane ? "J/Hz/m/rad" : "J/Hz/sr", "Re(E x H*) r^2 far away");
  for (tor_gidx i = 0; i < rows; i++) value[i] = directivity(r->job, t, (int)(i / t->directions), i % t->directions);
  write_array(h5, r, l, "directivity", value, 0, "1", "power per angle over its mean over all directions");
  for (tor_gidx i = 0; i < rows; i++) value[i] = t->power[i] / t->incident[i / t->directions];
  if (t->incident[0] > 0)
    write_array(h5, r, l, "differential_cross_section", value, 0, plane ? "m/rad" : "m^2/sr",
                "power per angle over the plane wave's power per area");
  free(one);
  free(value);
  tor_results_seen_h5(h5, r, l, t);
}
