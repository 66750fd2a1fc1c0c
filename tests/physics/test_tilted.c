/* Plane waves of a fixed k in periodic cells: an empty cell has the wave between two faces and nothing outside,
 * and an interface reflects what the grid's own formula says, at any angle and polarisation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <complex.h>
#include <math.h>

#include "src/base/units.h"
#include "src/model/grid_wave.h"
#include "src/model/orders.h"
#include "tests/support/job_text.h"
#include "tests/support/plain_job.h"

/* --- An empty cell --- */

static double complex value_at(const struct tor_model *model, int comp, const int at[3]) {
  const struct tor_slab *slab = &model->slab;
  const tor_gidx i = tor_slab_vector(slab, tor_slab_column(slab, at[0], at[1]), comp) + at[2];
  return CMPLX(((const double *)slab->field)[i], ((const double *)slab->other->field)[i]);
}

enum { FACE = 10 }; /* cells from the middle to both faces */

/* The largest value outside the faces, that between them, and the largest difference there from the value on the axis
 * times its phase along the walls. */
static void look(const struct tor_model *model, const struct tor_source *s, double found[3]) {
  const struct tor_grid *g = &model->grid;
  for (int comp = 0; comp < TOR_NCOMP; comp++)
    for (int x = 0; x < g->n[0]; x++)
      for (int y = 0; y < g->n[1]; y++)
        for (int z = 0; z < g->n[2]; z++) {
          const int at[3] = {x, y, z}, a = s->axis, half = tor_comp_half(comp, a);
          const int u = 2 * at[a] + half, inside = u >= 2 * (g->n[a] / 2 - FACE) && u <= 2 * (g->n[a] / 2 + FACE);
          const double complex value = value_at(model, comp, at);
          found[inside] = fmax(found[inside], cabs(value));
          if (!inside) continue;
          int origin[3] = {0, 0, 0};
          double phase = 0;
          origin[a] = at[a];
          for (int i = 0; i < 3; i++)
            if (i != a) phase += tor_grid_bloch(g, i) * at[i] * g->d[i];
          found[2] = fmax(found[2], cabs(value - value_at(model, comp, origin) * CMPLX(cos(phase), sin(phase))));
        }
}

static void check_empty(int axis, int direction, int order, int circular) {
  const double cell[3] = {10 * TOR_NM, 13 * TOR_NM, 9 * TOR_NM};
  int n[3] = {5, 6, 7};
  n[axis] = 60;
  struct tor_job empty;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_job(&empty, n, cell, order, TOR_F64, TOR_CPML, 10);
  for (int a = 0; a < 3; a++)
    for (int side = 0; side < 2 && a != axis; side++) {
      empty.boundary[2 * a + side] = (struct tor_boundary){.wall = TOR_PERIODIC, .kappa = 1};
      empty.phase[a] = a == (axis + 1) % 3 ? 0.4 : -0.7;
    }
  struct tor_source wave = {.kind = TOR_PLANE_WAVE,
                            .name = "wave",
                            .axis = axis,
                            .direction = direction,
                            .oblique = 1,
                            .periodic = 1,
                            .circular = circular};
  wave.profile =
      (struct tor_profile){.kind = TOR_PULSE, .wavelength = 200 * TOR_NM, .band = 100 * TOR_NM, .amplitude = 1};
  wave.travel[axis] = 0.8 * direction;
  wave.travel[(axis + 1) % 3] = 0.6 / sqrt(2);
  wave.travel[(axis + 2) % 3] = -0.6 / sqrt(2);
  wave.across[(axis + 1) % 3] = wave.across[(axis + 2) % 3] = 1 / sqrt(2);
  for (int a = 0; a < 3; a++) wave.hi[a] = -(wave.lo[a] = -n[a] * cell[a]);
  wave.hi[axis] = -(wave.lo[axis] = -FACE * cell[axis]);
  empty.sources = &wave;
  empty.nsources = 1;
  empty.run_time = 1;
  tor_plain_start(&empty, &model, &sim);
  const int is_open = axis == TOR_X; /* else x is periodic, which towers do not have */
  sim.setup = (struct tor_engine_setup){is_open ? TOR_ENGINE_DIAMOND : TOR_ENGINE_STEPWISE, 1, 1};
  double found[3] = {0, 0, 0};
  const int steps = (int)(5 * TOR_FS / model.grid.dt);
  while (sim.step < steps) tor_simulation_stage(&sim, steps);
  tor_simulation_fetch(&sim);
  look(&model, &wave, found);
  print_message("along %c%c, order %d%s: outside %.1e of what is between the faces, off from the phase %.1e\n",
                direction > 0 ? '+' : '-', "xyz"[axis], order, circular ? ", circular" : "", found[0] / found[1],
                found[2] / found[1]);
  assert_true(found[1] > 0.1 * 9 * TOR_NM);
  assert_true(found[0] < 1e-13 * found[1]);
  assert_true(found[2] < 1e-13 * found[1]);
  tor_plain_stop(&model, &sim);
  empty.sources = NULL;
  empty.nsources = 0;
  tor_plain_job_free(&empty);
}

static void an_empty_cell_has_the_wave_alone(void **state) {
  (void)state;
  for (int axis = 0; axis < 3; axis++) {
    check_empty(axis, 1, 2, 0);
    check_empty(axis, -1, 4, 1);
  }
}

/* --- An interface --- */

struct angles {
  double theta, phi, psi; /* [degrees] */
};

/* R of the interface of indices 1 and 1.5 on a node. With q = d k_z / 2: s: sin(2 q1) - sin(2 q2) over the sum; p:
 * n^2 cot q. */
static double of_grid(const struct tor_grid *g, double omega, int is_s) {
  double part[2], W = tor_wave_frequency(g, omega);
  for (int i = 0; i < 2; i++) {
    const double index = i ? 1.5 : 1;
    double square = pow(W * index, 2);
    for (int a = 0; a < 2; a++) square -= pow(tor_wave_discrete(g, a, tor_grid_bloch(g, a)), 2);
    const double half = tor_wave_half_phase(g, TOR_Z, sqrt(square));
    part[i] = is_s ? sin(2 * half) : index * index / tan(half);
  }
  return pow((part[0] - part[1]) / (part[0] + part[1]), 2);
}

static double of_space(double theta, int is_s) {
  const double c1 = cos(theta), c2 = sqrt(1 - pow(sin(theta) / 1.5, 2));
  const double r = is_s ? (c1 - 1.5 * c2) / (c1 + 1.5 * c2) : (1.5 * c1 - c2) / (1.5 * c1 + c2);
  return r * r;
}

static void check_interface(const struct angles *at, double band, double within) {
  static const char *const text =
      "grid = { size = [15, 15, 2700]; cell = 15; precision = \"fp64\"; };\n"
      "boundaries = { default = \"bloch\"; z_lo = \"cpml\"; z_hi = \"cpml\"; cpml = { cells = 60; sigma = 1.2; }; };\n"
      "media = ( { name = \"glass\"; index = 1.5; } );\n"
      "objects = ( { type = \"layer\"; medium = \"glass\"; lo = 0; } );\n"
      "sources = ( { type = \"plane_wave\"; theta_deg = %g; phi_deg = %g; psi_deg = %g;\n"
      "  box = { lo = [-7.5, -7.5, -300]; hi = [7.5, 7.5, 1350]; };\n"
      "  time = { type = \"pulse\"; wavelength = 600; band = %g; }; } );\n"
      "monitors = ( { type = \"orders\"; axis = \"z\"; position = -405; wavelengths = [600]; } );\n"
      "run = { time_fs = 1500; decay = 1e-10; };\n";
  char own[2048];
  struct tor_model model;
  struct tor_simulation sim;
  snprintf(own, sizeof own, text, at->theta, at->phi, at->psi, band);
  expect_good(read_with(own, NULL, 0));
  tor_plain_start(&job, &model, &sim);
  sim.setup = (struct tor_engine_setup){TOR_ENGINE_STEPWISE, 1, 1};
  tor_plain_run(&sim);
  int count;
  struct tor_order *wave = tor_orders_find(model.monitors, &job, &model.monitors->recorder[0], &count);
  assert_int_equal(count, 2);
  const int back = wave[0].direction > 0, is_s = at->psi != 0;
  const double omega = 2 * TOR_PI * TOR_C0 / (600 * TOR_NM), theta = at->theta * TOR_PI / 180;
  const double R = wave[back].power / (tor_incident_flux(model.sources, 0, omega) * 15 * TOR_NM * 15 * TOR_NM),
               grid = of_grid(&model.grid, omega, is_s), space = of_space(theta, is_s);
  print_message("%g degrees, %c: R %.8f, off from the grid's %.1e, from Fresnel's %.1e\n", at->theta, is_s ? 's' : 'p',
                R, R - grid, R - space);
  assert_true(fabs(wave[back].theta - theta) < 1e-9);
  assert_true(fabs(tor_incident_angle(model.sources, 0, omega) - theta) < 1e-9);
  assert_true(fabs(R - grid) < 1e-6);
  assert_true(fabs(R - space) < within);
  if (at->theta > 0)
    assert_true(cabs(wave[back].field[is_s]) < 1e-7 * cabs(wave[back].field[!is_s])); /* the other polarisation */
  free(wave);
  tor_plain_stop(&model, &sim);
  tor_job_free(&job);
}

static void an_interface_reflects_as_the_grid_has_it(void **state) {
  (void)state;
  check_interface(&(struct angles){0, 0, 90}, 60, 2e-3);
  check_interface(&(struct angles){45, 30, 0}, 60, 2e-3);
  check_interface(&(struct angles){60, 0, 90}, 50, 2e-3);
  check_interface(&(struct angles){75, -40, 0}, 16, 6e-3);
  check_interface(&(struct angles){75, 100, 90}, 16, 6e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_empty_cell_has_the_wave_alone),
                                     cmocka_unit_test(an_interface_reflects_as_the_grid_has_it)};
  return cmocka_run_group_tests(tests, job_text_begin, job_text_end);
}
