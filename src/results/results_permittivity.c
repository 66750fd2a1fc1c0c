/* The permittivity that a run has: datasets of results.h5. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/hdf5/h5.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/permittivity.h"
#include "src/results/results.h"
#include "src/results/results_parts.h"

struct element {
  const struct tor_job *job;
  const struct tor_monitor *monitor;
  const struct tor_permittivity_part *part;
  const double complex *values;
};

/* /monitors/NAME/eps_xy/WHAT in memory of the thread. */
static const char *object(const struct element *e, const char *what) {
  static _Thread_local char path[256];
  snprintf(path, sizeof path, "/monitors/%s/eps_%c%c/%s", e->monitor->name, tor_axis_name(e->job, e->part->a),
           tor_axis_name(e->job, e->part->b), what);
  return path;
}

/* Rows [wavelength][z][y][x] of real and imaginary part, or [z][y][x] of real values. */
static int fill(void *context, tor_gidx first, tor_gidx count, void *rows) {
  const struct element *e = context;
  const int *n = e->part->count, parts = e->monitor->nwavelength ? 2 : 1;
  const tor_gidx points = (tor_gidx)n[0] * n[1] * n[2];
  double *to = rows;
  int at[3];
  for (tor_gidx i = first; i < first + count; i++) {
    tor_user_place(e->job, n, i % points, at);
    const double complex v = e->values[i / points * points + ((tor_gidx)at[0] * n[1] + at[1]) * n[2] + at[2]];
    *to++ = creal(v);
    if (parts == 2) *to++ = cimag(v);
  }
  return 0;
}

static void write_places(struct tor_h5 *h5, const struct element *e, const struct tor_grid *g) {
  static const char *const name[] = {"x", "y", "z"};
  for (int u = 0; u < tor_user_axes(e->job); u++) {
    const int a = tor_axis_of_user(e->job, u);
    const tor_gidx n = e->part->count[a];
    double *x = tor_alloc((size_t)n, sizeof *x, "coordinates");
    for (int i = 0; i < n; i++)
      x[i] = tor_grid_place(g, e->part->comp < 0 ? TOR_EX + (a + 1) % 3 : e->part->comp, a, e->part->first[a] + i);
    tor_h5_write(h5, object(e, name[u]), TOR_H5_DOUBLE, 1, &n, x, "m", "position of the element's points");
    free(x);
  }
}

static void write_element(struct tor_h5 *h5, struct element *e) {
  static const char *const text[2][2] = {{"y x", "z y x"}, {"wavelength y x part", "wavelength z y x part"}};
  static const char *const meaning[2] = {"relative permittivity that the run has, at infinite frequency",
                                         "relative permittivity that the run has; its last axis: real, imaginary"};
  const int axes = tor_user_axes(e->job), spectral = e->monitor->nwavelength > 0, lead = spectral + axes;
  tor_gidx dims[5] = {e->monitor->nwavelength};
  for (int u = 0; u < axes; u++) dims[lead - 1 - u] = e->part->count[tor_axis_of_user(e->job, u)];
  dims[lead] = 2;
  tor_h5_write_rows(h5, object(e, "values"), TOR_H5_DOUBLE, lead + spectral, dims, lead, fill, e, "1",
                    meaning[spectral]);
  tor_h5_attribute_string(h5, object(e, "values"), "axes", text[spectral][axes == 3]);
}

void tor_results_permittivity_h5(struct tor_h5 *h5, const struct tor_results *r, const struct tor_monitor *m) {
  const struct tor_grid *g = &r->sim->model->grid;
  struct tor_permittivity *p = tor_permittivity_new(r->job, g, m);
  const struct tor_permittivity_part *part;
  const int parts = tor_permittivity_parts(p, &part);
  const tor_gidx n = m->nwavelength;
  char path[256];
  snprintf(path, sizeof path, "/monitors/%s/wavelength", m->name);
  if (n) tor_h5_write(h5, path, TOR_H5_DOUBLE, 1, &n, m->wavelength, "m", "wavelength in vacuum");
  for (int i = 0; i < parts; i++) {
    const size_t points = (size_t)part[i].count[0] * (size_t)part[i].count[1] * (size_t)part[i].count[2];
    double complex *values = tor_alloc(points * (size_t)(n ? n : 1), sizeof *values, m->name);
    struct element e = {r->job, m, &part[i], values};
    tor_permittivity_fill(p, &part[i], values);
    write_element(h5, &e);
    write_places(h5, &e, g);
    free(values);
  }
  tor_permittivity_free(p);
}
