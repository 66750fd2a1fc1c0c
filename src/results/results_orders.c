/* Diffraction orders as tables: NAME_orders.csv. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/files/table.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/turn.h"
#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/job.h"
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
