/* Diffraction orders as tables, NAME_orders.csv, and in results.h5. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/table.h"
#include "io/hdf5/h5.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/turn.h"
#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/model/model.h"
#include "src/model/monitor.h"
#include "src/model/orders.h"
#include "src/model/source.h"
#include "src/results/results.h"
#include "src/results/results_file.h"
#include "src/results/results_parts.h"

enum { PHI = 5, POWER, FRACTION, COLUMNS = 12 };

/* The only plane wave's power through the cell and its E, with which orders are compared; 1 where there is none. */
static int incident_of(const struct tor_results *r, const struct tor_recorder *l, int freq, double *power,
                       double complex *field) {
  const struct tor_model *model = r->sim->model;
  const struct tor_grid *g = &model->grid;
  const int b = (l->spec->axis + 1) % 3, c = (l->spec->axis + 2) % 3;
  double complex both[2];
  *power = 1;
  *field = 1;
  if (model->sources->nincident != 1 || r->job->nsources != 1) return 0;
  tor_incident_spectrum(model->sources, 0, l->omega[freq], both);
  *power = tor_incident_flux(model->sources, 0, l->omega[freq]) * tor_grid_length(g, b) * tor_grid_length(g, c);
  *field = both[0];
  return 1;
}

int tor_results_write_orders(const struct tor_results *r, const struct tor_recorder *l) {
  static const char *const names[2][COLUMNS] = {
      {"wavelength_nm", NULL, NULL, "direction", "theta_deg", "phi_deg", "power_J_per_Hz", "fraction",
       "s_V_per_m_per_Hz", "s_phase_rad", "p_V_per_m_per_Hz", "p_phase_rad"},
      {"wavelength_nm", NULL, NULL, "direction", "theta_deg", "phi_deg", "power_J_per_Hz", "fraction",
       "s_over_incident", "s_phase_rad", "p_over_incident", "p_phase_rad"}};
  const double degree = TOR_PI / 180;
  int count, wave = 0;
  struct tor_order *order = tor_orders_find(r->sim->model->monitors, r->job, l, &count);
  struct tor_table_column columns[COLUMNS];
  double *value[COLUMNS];
  for (int i = 0; i < COLUMNS; i++) value[i] = tor_alloc((size_t)count + 1, sizeof(double), "orders");
  double power = 1; /* of the incident wave, at the wavelength of the row */
  double complex field = 1;
  for (int i = 0; i < count; i++) {
    const struct tor_order *o = &order[i];
    if (!i || o->freq != order[i - 1].freq) wave = incident_of(r, l, o->freq, &power, &field);
    const double row[COLUMNS] = {l->spec->wavelength[o->freq] / TOR_NM,
                                 o->order[0],
                                 o->order[1],
                                 o->direction,
                                 o->theta / degree,
                                 o->phi / degree,
                                 o->power,
                                 wave && power > 0 ? o->power / power : (double)NAN,
                                 cabs(o->field[0] / field),
                                 carg(o->field[0] / field),
                                 cabs(o->field[1] / field),
                                 carg(o->field[1] / field)};
    for (int k = 0; k < COLUMNS; k++) value[k][i] = row[k];
  }
  char along[2][16];
  int n = 0;
  for (int i = 0; i < COLUMNS; i++) {
    const int axis = (l->spec->axis + i) % 3; /* of the orders, i = 1 and 2 */
    if (i == FRACTION && !wave) continue;
    if (r->job->plane && (i == PHI || (!names[wave][i] && axis == TOR_X))) continue;
    const char *name = r->job->plane && i == POWER ? "power_J_per_Hz_m" : names[wave][i];
    if (!name) {
      snprintf(along[i - 1], sizeof along[0], "order_%c", tor_axis_name(r->job, axis));
      name = along[i - 1];
    }
    columns[n++] = (struct tor_table_column){name, NULL, value[i]};
  }
  const char *path = tor_results_path(r->job, "%s_orders.csv", l->spec->name);
  const int failed = tor_results_log_file(r, path, tor_table_write(path, columns, n, count), NULL);
  for (int i = 0; i < COLUMNS; i++) free(value[i]);
  free(order);
  return failed;
}

/* Arrays by wavelength and order along the plane's axes in the user's order, slowest first. */
struct order_arrays {
  struct tor_h5 *h5;
  const struct tor_recorder *recorder;
  int naxes, axis[2], most[2]; /* orders go from -most to most */
  tor_gidx dims[4];            /* [wavelength][order ...][real, imaginary] */
};

static const char *path_of(const struct order_arrays *a, const char *name) {
  static _Thread_local char path[256];
  snprintf(path, sizeof path, "/monitors/%s/%s", a->recorder->spec->name, name);
  return path;
}

static void shape_arrays(const struct tor_results *r, const struct tor_order *order, int count,
                         struct order_arrays *a) {
  const int axis = a->recorder->spec->axis;
  a->dims[0] = a->recorder->nfreq;
  for (int u = tor_user_axes(r->job) - 1; u >= 0; u--) {
    const int own = tor_axis_of_user(r->job, u), along = (own - axis + 3) % 3 - 1;
    if (own == axis) continue;
    a->axis[a->naxes] = along;
    for (int i = 0; i < count; i++)
      if (abs(order[i].order[along]) > a->most[a->naxes]) a->most[a->naxes] = abs(order[i].order[along]);
    a->dims[1 + a->naxes] = 2 * a->most[a->naxes] + 1;
    a->naxes++;
  }
  a->dims[1 + a->naxes] = 2;
}

static void write_order_numbers(const struct tor_results *r, const struct order_arrays *a) {
  for (int k = 0; k < a->naxes; k++) {
    double *number = tor_alloc((size_t)a->dims[1 + k], sizeof *number, "orders");
    char name[16];
    for (int i = 0; i < a->dims[1 + k]; i++) number[i] = i - a->most[k];
    snprintf(name, sizeof name, "order_%c", tor_axis_name(r->job, (a->recorder->spec->axis + 1 + a->axis[k]) % 3));
    tor_h5_write(a->h5, path_of(a, name), TOR_H5_DOUBLE, 1, &a->dims[1 + k], number, "1", "number of the order");
    free(number);
  }
}

/* The waves of a direction and a polarisation; NaN where an order does not travel. */
static void write_waves(const struct tor_results *r, const struct order_arrays *a, const struct tor_order *order,
                        int count, int direction, int is_p) {
  static const char *const name[2][2] = {{"backward_s", "backward_p"}, {"forward_s", "forward_p"}};
  const tor_gidx points = a->dims[1] * (a->naxes > 1 ? a->dims[2] : 1);
  double complex *value = tor_alloc((size_t)(a->dims[0] * points), sizeof *value, "orders");
  for (tor_gidx i = 0; i < a->dims[0] * points; i++) value[i] = CMPLX(NAN, NAN);
  for (int i = 0; i < count; i++) {
    tor_gidx at = order[i].freq;
    for (int k = 0; k < a->naxes; k++) at = at * a->dims[1 + k] + order[i].order[a->axis[k]] + a->most[k];
    if (order[i].direction == direction) value[at] = order[i].amplitude[is_p];
  }
  const char *path = path_of(a, name[direction > 0][is_p]);
  tor_h5_write(a->h5, path, TOR_H5_DOUBLE, a->naxes + 2, a->dims, value, r->job->plane ? "sqrt(J/Hz/m)" : "sqrt(J/Hz)",
               "amplitude of E of each order, |a|^2 its power; nan: it does not travel");
  char axes[64] = "wavelength";
  for (int k = 0; k < a->naxes; k++)
    snprintf(axes + strlen(axes), sizeof axes - strlen(axes), " order_%c",
             tor_axis_name(r->job, (a->recorder->spec->axis + 1 + a->axis[k]) % 3));
  snprintf(axes + strlen(axes), sizeof axes - strlen(axes), " part");
  tor_h5_attribute_string(a->h5, path, "axes", axes);
  free(value);
}

void tor_results_write_orders_h5(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l) {
  struct order_arrays arrays = {.h5 = h5, .recorder = l};
  int count, is_wave = 0;
  struct tor_order *order = tor_orders_find(r->sim->model->monitors, r->job, l, &count);
  shape_arrays(r, order, count, &arrays);
  write_order_numbers(r, &arrays);
  for (int i = 0; i < 4; i++) write_waves(r, &arrays, order, count, i & 1 ? 1 : -1, i >> 1);
  free(order);
  double *power = tor_alloc((size_t)l->nfreq, sizeof *power, "orders");
  double *index = tor_alloc((size_t)l->nfreq, sizeof *index, "orders");
  const struct tor_medium *m = &r->job->media[l->medium];
  for (int q = 0; q < l->nfreq; q++) {
    double complex field;
    is_wave = incident_of(r, l, q, &power[q], &field);
    index[q] = creal(csqrt(tor_medium_permittivity(m, 0, l->omega[q]) * tor_medium_permeability(m, 0, l->omega[q])));
  }
  tor_h5_write(h5, path_of(&arrays, "index"), TOR_H5_DOUBLE, 1, arrays.dims, index, "1", "index of the plane's medium");
  if (is_wave)
    tor_h5_write(h5, path_of(&arrays, "incident_power"), TOR_H5_DOUBLE, 1, arrays.dims, power,
                 r->job->plane ? "J/Hz/m" : "J/Hz", "power of the plane wave through the cell");
  free(index);
  free(power);
}
