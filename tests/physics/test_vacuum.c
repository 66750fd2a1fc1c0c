/* Vacuum: dispersion of a plane wave, energy in a closed box, time reversal, an empty total-field box, absorbing
 * layers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <complex.h>
#include <math.h>
#include <string.h>

#include "src/base/units.h"
#include "tests/support/plain_job.h"

static const double NM10[3] = {10 * TOR_NM, 10 * TOR_NM, 10 * TOR_NM};

/* Wave number of the discrete dispersion relation along an axis:
 * order 2: sin(w dt / 2) / (c dt) = sin(k d / 2) / d; order 4: 9/8 sin(k d / 2) - 1/24 sin(3 k d / 2) on the right. */
static double discrete_wave_number(int order, double omega, double dt, double d) {
  double left = sin(0.5 * omega * dt) / (TOR_C0 * dt) * d, k = omega / TOR_C0;
  for (int i = 0; i < 50; i++) {
    double x = 0.5 * k * d;
    double f = order == 2 ? sin(x) : 9.0 / 8.0 * sin(x) - sin(3 * x) / 24.0;
    double slope = order == 2 ? cos(x) : 9.0 / 8.0 * cos(x) - cos(3 * x) / 8.0;
    k -= (f - left) / (slope * 0.5 * d);
  }
  return k;
}

/* A pulse along z between walls that do not disturb it; its spectrum at two probes, before a reflection returns from
 * the end. */
static void phase_velocity(int order) {
  enum { LENGTH = 1500, FROM = 60, DISTANCE = 400 };
  const int n[3] = {1, 1, LENGTH};
  struct tor_job job;
  tor_plain_job(&job, n, NM10, order, TOR_F64, TOR_PEC, 0);
  job.boundary[TOR_YLO].wall = job.boundary[TOR_YHI].wall = TOR_PMC;
  struct tor_source wave = {
      .kind = TOR_PLANE_WAVE, .name = "wave", .axis = TOR_Z, .direction = 1, .polarisation = TOR_X};
  wave.profile =
      (struct tor_profile){.kind = TOR_PULSE, .wavelength = 300 * TOR_NM, .band = 100 * TOR_NM, .amplitude = 1};
  for (int a = 0; a < 3; a++) {
    wave.lo[a] = -1;
    wave.hi[a] = 1;
  }
  wave.lo[2] = (20 - LENGTH / 2.0) * 10 * TOR_NM;
  job.nsources = 1;
  job.sources = &wave;
  double wavelength[3] = {200 * TOR_NM, 300 * TOR_NM, 380 * TOR_NM};
  struct tor_monitor probe[2];
  for (int i = 0; i < 2; i++) {
    double z = (FROM + i * DISTANCE - LENGTH / 2.0) * 10 * TOR_NM;
    probe[i] = (struct tor_monitor){.kind = TOR_FIELD_DFT,
                                    .name = i ? "b" : "a",
                                    .lo = {0, 0, z},
                                    .hi = {0, 0, z},
                                    .components = 1u << TOR_EX,
                                    .nwavelength = 3,
                                    .wavelength = wavelength};
  }
  job.nmonitors = 2;
  job.monitors = probe;
  job.run_time = (FROM + DISTANCE + 1.5 * (LENGTH - FROM - DISTANCE)) * 10 * TOR_NM / TOR_C0;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  for (int q = 0; q < 3; q++) {
    const struct tor_recorder *l = model.monitors->recorder;
    double omega = l[0].omega[q], k = discrete_wave_number(order, omega, model.grid.dt, 10 * TOR_NM);
    double complex a = tor_recorder_spectrum(model.monitors, &l[0], &l[0].patch[0], 0, 0, 0, q);
    double complex b = tor_recorder_spectrum(model.monitors, &l[1], &l[1].patch[0], 0, 0, 0, q);
    double predicted = k * DISTANCE * 10 * TOR_NM, measured = carg(b / a);
    measured += 2 * TOR_PI * round((predicted - measured) / (2 * TOR_PI));
    print_message("order %d, %g nm: phase velocity off by %.1e of the discrete relation (which is off by %.1e of c)\n",
                  order, wavelength[q] / TOR_NM, predicted / measured - 1, omega / k / TOR_C0 - 1);
    assert_true(fabs(predicted / measured - 1) < 1e-6);
    assert_true(fabs(cabs(b / a) - 1) < 1e-6);
  }
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

static void phase_velocity_is_discrete_order2(void **state) {
  (void)state;
  phase_velocity(2);
}
static void phase_velocity_is_discrete_order4(void **state) {
  (void)state;
  phase_velocity(4);
}

/* A closed box in which two dipoles have left fields, at a step after their pulses. */
static struct tor_source dipoles[2];
static void start_closed_box(int order, struct tor_job *job, struct tor_model *model, struct tor_simulation *sim) {
  const int n[3] = {15, 12, 17};
  const double cell[3] = {10 * TOR_NM, 13 * TOR_NM, 9 * TOR_NM};
  tor_plain_job(job, n, cell, order, TOR_F64, TOR_PEC, 0);
  for (int i = 0; i < 2; i++) {
    dipoles[i] = (struct tor_source){
        .kind = i ? TOR_MAGNETIC_DIPOLE : TOR_ELECTRIC_DIPOLE, .name = "dipole", .polarisation = TOR_X + i};
    dipoles[i].profile = (struct tor_profile){
        .kind = TOR_PULSE, .wavelength = 120 * TOR_NM, .band = 60 * TOR_NM, .amplitude = i ? 1e-9 : 1e-12};
    for (int a = 0; a < 3; a++) dipoles[i].position[a] = (a - 1) * 21 * TOR_NM * (i ? 1 : -1);
  }
  job->nsources = 2;
  job->sources = dipoles;
  job->run_time = 1;
  tor_plain_start(job, model, sim);
  while ((double)sim->step * model->grid.dt < tor_sources_end(model->sources)) tor_simulation_stage(sim, model->steps);
}

static size_t field_values(const struct tor_model *model) {
  return (size_t)(model->grid.n[0] + 1) * (size_t)(model->grid.n[1] + 1) * TOR_NCOMP * (size_t)model->slab.nzp;
}

static double *copy_field(const struct tor_model *model) {
  double *copy = tor_alloc(field_values(model), sizeof *copy, "test");
  memcpy(copy, model->slab.field, field_values(model) * sizeof *copy);
  return copy;
}

/* The two images in front of a component belong to it. */
static int comp_at(const struct tor_model *model, size_t i) {
  return (int)((i + 2) / (size_t)model->slab.nzp % TOR_NCOMP);
}
static int inside_z(const struct tor_model *model, size_t i) {
  return (int)(i % (size_t)model->slab.nzp) < model->grid.n[2];
}

/* The invariant of the leapfrog: E^n . E^n + H^(n-1/2) . H^(n+1/2), from the fields after n and after n + 1 steps. */
static double kept_energy(const struct tor_model *model, const double *at, const double *next) {
  double sum = 0;
  for (size_t i = 0; i < field_values(model); i++) {
    int c = comp_at(model, i);
    double cb = ((const double *)model->slab.cb)[(size_t)c * (size_t)model->slab.nzp];
    if (inside_z(model, i)) sum += model->slab.energy_scale[c] / cb * at[i] * (c < TOR_HX ? at[i] : next[i]);
  }
  return sum;
}

static void closed_box(int order) {
  struct tor_job job;
  struct tor_model model;
  struct tor_simulation sim;
  start_closed_box(order, &job, &model, &sim);
  double first = 0, worst = 0;
  for (int i = 0; i < 60; i++) {
    double *at = copy_field(&model);
    tor_simulation_stage(&sim, sim.step + 1);
    double energy = kept_energy(&model, at, model.slab.field);
    free(at);
    if (i == 0) first = energy;
    worst = fmax(worst, fabs(energy / first - 1));
    tor_simulation_stage(&sim, sim.step + 29);
  }
  print_message("order %d: energy in a closed box constant to %.1e over 1800 steps\n", order, worst);
  assert_true(first > 0);
  assert_true(worst < 1e-12);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

static void energy_in_a_closed_box_is_constant_order2(void **state) {
  (void)state;
  closed_box(2);
}
static void energy_in_a_closed_box_is_constant_order4(void **state) {
  (void)state;
  closed_box(4);
}

/* With H reversed, E^n and H^(n+1/2) return to their initial values. */
static void run_backwards(int order) {
  enum { STEPS = 300 };
  struct tor_job job;
  struct tor_model model;
  struct tor_simulation sim;
  start_closed_box(order, &job, &model, &sim);
  double *start = copy_field(&model), largest = 0, worst = 0;
  tor_gidx end = sim.step + STEPS;
  while (sim.step < end) tor_simulation_stage(&sim, end);
  double *turn = copy_field(&model), *field = model.slab.field;
  tor_simulation_stage(&sim, sim.step + 1);
  for (size_t i = 0; i < field_values(&model); i++) field[i] = comp_at(&model, i) < TOR_HX ? turn[i] : -field[i];
  end = sim.step + STEPS;
  while (sim.step < end) tor_simulation_stage(&sim, end);
  for (size_t i = 0; i < field_values(&model); i++) {
    if (comp_at(&model, i) >= TOR_HX || !inside_z(&model, i)) continue;
    largest = fmax(largest, fabs(start[i]));
    worst = fmax(worst, fabs(field[i] - start[i]));
  }
  print_message("order %d: fields run %d steps and back return to %.1e\n", order, STEPS, worst / largest);
  assert_true(largest > 0);
  assert_true(worst < 1e-12 * largest);
  free(start);
  free(turn);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

static void fields_run_backwards_return_order2(void **state) {
  (void)state;
  run_backwards(2);
}
static void fields_run_backwards_return_order4(void **state) {
  (void)state;
  run_backwards(4);
}

/* Largest E outside the total-field box over largest E inside, over a pulse's passage. */
static void empty_box(int order, enum tor_precision precision, double limit) {
  const int n[3] = {34, 30, 32};
  const double cell[3] = {10 * TOR_NM, 12 * TOR_NM, 11 * TOR_NM};
  for (int axis = 0; axis < 3; axis++)
    for (int direction = -1; direction <= 1; direction += 2) {
      struct tor_job job;
      tor_plain_job(&job, n, cell, order, precision, TOR_CPML, 6);
      struct tor_source wave = {.kind = TOR_PLANE_WAVE, .name = "wave", .axis = axis, .direction = direction};
      wave.polarisation = (axis + (direction > 0 ? 1 : 2)) % 3;
      wave.profile =
          (struct tor_profile){.kind = TOR_PULSE, .wavelength = 300 * TOR_NM, .band = 200 * TOR_NM, .amplitude = 1};
      for (int a = 0; a < 3; a++) wave.lo[a] = -(wave.hi[a] = 7.2 * cell[a]);
      job.nsources = 1;
      job.sources = &wave;
      job.run_time = 9e-15;
      struct tor_model model;
      struct tor_simulation sim;
      tor_plain_start(&job, &model, &sim);
      const struct tor_box *box = tor_incident_box(model.sources, 0);
      double outside = 0, inside = 0;
      while (!tor_simulation_done(&sim)) {
        tor_simulation_stage(&sim, model.steps);
        for (int c = 0; c < 3; c++)
          for (int x = 0; x <= n[0]; x++)
            for (int y = 0; y <= n[1]; y++)
              for (int z = 0; z < n[2]; z++) {
                const int at[3] = {x, y, z};
                int in = 1;
                for (int a = 0; a < 3; a++) in &= at[a] >= box->lo[a] && at[a] <= box->hi[a] - tor_comp_half(c, a);
                double value = fabs(tor_plain_value(&model, c, x, y, z));
                if (in)
                  inside = fmax(inside, value);
                else
                  outside = fmax(outside, value);
              }
      }
      if (outside > limit * inside || inside < 0.9 * cell[wave.polarisation])
        print_error("order %d fp%d axis %d direction %d: outside / inside %.1e, inside %.3g V/m\n", order,
                    8 * precision, axis, direction, outside / inside, inside / cell[wave.polarisation]);
      assert_true(inside > 0.9 * cell[wave.polarisation]);
      assert_true(outside <= limit * inside);
      tor_plain_stop(&model, &sim);
      tor_plain_job_free(&job);
    }
}

static void nothing_leaves_an_empty_total_field_box_f64(void **state) {
  (void)state;
  empty_box(2, TOR_F64, 1e-10);
  empty_box(4, TOR_F64, 1e-10);
}
static void nothing_leaves_an_empty_total_field_box_f32(void **state) {
  (void)state;
  empty_box(2, TOR_F32, 2e-6);
  empty_box(4, TOR_F32, 2e-6);
}

/* A dipole over 10 cells of CPML against a domain so large that no reflection returns: probes below the dipole (normal
 * incidence, 10 cells from the dipole to the layer) and where the wave has met the layer at 45 degrees. A quarter of
 * both: the dipole along y lies beside a PMC at low x and a PEC at low y. */
static void layer_reflection(int order) {
  double trace[2][2][600], peak[2] = {0, 0}, error[2] = {0, 0};
  int samples = 0;
  for (int big = 0; big < 2; big++) {
    const int n[3] = {big ? 90 : 30, big ? 80 : 30, big ? 180 : 60};
    struct tor_job job;
    tor_plain_job(&job, n, NM10, order, TOR_F64, TOR_CPML, 10);
    job.boundary[TOR_XLO].wall = TOR_PMC;
    job.boundary[TOR_YLO].wall = TOR_PEC;
    const double x0 = -0.5 * n[0] * 10 * TOR_NM, y0 = (0.5 - 0.5 * n[1]) * 10 * TOR_NM;
    /* Measured from the small domain's low z layer, whose inner side is at -20 cells. */
    struct tor_source dipole = {.kind = TOR_ELECTRIC_DIPOLE, .name = "dipole", .polarisation = TOR_Y};
    dipole.position[0] = x0;
    dipole.position[1] = y0;
    dipole.position[2] = -8 * 10 * TOR_NM;
    dipole.profile =
        (struct tor_profile){.kind = TOR_PULSE, .wavelength = 250 * TOR_NM, .band = 150 * TOR_NM, .amplitude = 1};
    job.nsources = 1;
    job.sources = &dipole;
    struct tor_monitor probe[2];
    for (int i = 0; i < 2; i++) {
      double x = x0 + (i ? 18 * 10 * TOR_NM : 0), z = i ? -14 * 10 * TOR_NM : -18 * 10 * TOR_NM;
      probe[i] = (struct tor_monitor){.kind = TOR_PROBE,
                                      .name = i ? "b" : "a",
                                      .lo = {x, y0, z},
                                      .hi = {x, y0, z},
                                      .components = 1u << TOR_EY,
                                      .every = 2};
    }
    job.nmonitors = 2;
    job.monitors = probe;
    /* In the large domain the way from the dipole to the nearest wall and back to a probe is at least 134 cells. */
    job.run_time = 124 * 10 * TOR_NM / TOR_C0;
    struct tor_model model;
    struct tor_simulation sim;
    tor_plain_start(&job, &model, &sim);
    tor_plain_run(&sim);
    for (int i = 0; i < 2; i++) {
      const struct tor_record_group *g = &model.monitors->group[model.monitors->recorder[i].group];
      samples = tor_recorder_samples(&model.monitors->recorder[i], sim.step);
      assert_true(samples < 600);
      for (int k = 0; k < samples; k++) trace[big][i][k] = g->data[k];
    }
    tor_plain_stop(&model, &sim);
    tor_plain_job_free(&job);
  }
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < samples; k++) {
      peak[i] = fmax(peak[i], fabs(trace[1][i][k]));
      error[i] = fmax(error[i], fabs(trace[0][i][k] - trace[1][i][k]));
    }
    double db = 20 * log10(error[i] / peak[i]);
    print_message("order %d: 10 cells of CPML reflect %.1f dB at %s\n", order, db,
                  i ? "45 degrees" : "normal incidence");
    assert_true(peak[i] > 0);
    assert_true(db <= -60);
  }
}

static void layers_reflect_below_60_dB_order2(void **state) {
  (void)state;
  layer_reflection(2);
}
static void layers_reflect_below_60_dB_order4(void **state) {
  (void)state;
  layer_reflection(4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(phase_velocity_is_discrete_order2),
      cmocka_unit_test(phase_velocity_is_discrete_order4),
      cmocka_unit_test(energy_in_a_closed_box_is_constant_order2),
      cmocka_unit_test(energy_in_a_closed_box_is_constant_order4),
      cmocka_unit_test(fields_run_backwards_return_order2),
      cmocka_unit_test(fields_run_backwards_return_order4),
      cmocka_unit_test(nothing_leaves_an_empty_total_field_box_f64),
      cmocka_unit_test(nothing_leaves_an_empty_total_field_box_f32),
      cmocka_unit_test(layers_reflect_below_60_dB_order2),
      cmocka_unit_test(layers_reflect_below_60_dB_order4),
  };
  return cmocka_run_group_tests_name("vacuum", tests, NULL, NULL);
}
