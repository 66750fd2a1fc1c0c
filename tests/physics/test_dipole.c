/* Dipoles: the power through a closed box against the radiated power of a current element, and a mirror plane against
 * the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <complex.h>
#include <math.h>

#include "src/model/spectrum.h"
#include "src/base/units.h"
#include "tests/support/plain_job.h"

static const double NM10[3] = {10 * TOR_NM, 10 * TOR_NM, 10 * TOR_NM};
static double wavelengths[3] = {250 * TOR_NM, 300 * TOR_NM, 400 * TOR_NM};

/* Spectrum of the source's moment at angular frequency omega, as the run samples it. */
static double complex moment(const struct tor_source *s, double omega, double dt) {
  double complex sum = 0;
  for (int n = 0; (n - 1) * dt < tor_profile_end(&s->profile); n++) {
    double t = (n + (s->kind == TOR_ELECTRIC_DIPOLE ? 0.5 : 0)) * dt;
    sum += s->profile.amplitude * tor_profile_value(&s->profile, t) * CMPLX(cos(omega * t), sin(omega * t)) * dt;
  }
  return sum;
}

/* Energy spectrum through a box around a dipole at a grid point of its component, or a part of a cell off it, beside
 * the theory's: Re(E x H*) over a sphere is eta k^2 |I l|^2 / (6 pi), with eta and k of the medium, for a magnetic
 * current 1/eta instead (Jackson, eq. 9.24, without the half of a time average). */
static void measure(enum tor_source_kind kind, int axis, int order, double index, const double part[3],
                    double ratio[3]) {
  const int n[3] = {50, 50, 50};
  struct tor_job job;
  tor_plain_job(&job, n, NM10, order, TOR_F64, TOR_CPML, 10);
  job.media[0].eps[0] = job.media[0].eps[1] = job.media[0].eps[2] = index * index;
  struct tor_source dipole = {.kind = kind, .name = "dipole", .polarisation = axis};
  dipole.profile = (struct tor_profile){
      .kind = TOR_PULSE, .wavelength = 300 * TOR_NM, .band = 200 * TOR_NM, .amplitude = 1e-9, .zero_mean = 1};
  const int comp = (kind == TOR_ELECTRIC_DIPOLE ? TOR_EX : TOR_HX) + axis;
  for (int a = 0; a < 3; a++) dipole.position[a] = (0.5 * tor_comp_half(comp, a) + part[a]) * NM10[a];
  job.nsources = 1;
  job.sources = &dipole;
  struct tor_monitor monitors[2] = {
      {.kind = TOR_FLUX_BOX, .name = "box", .nwavelength = 3, .wavelength = wavelengths},
      {.kind = TOR_DECAY_RATE, .name = "field", .nwavelength = 3, .wavelength = wavelengths}};
  for (int a = 0; a < 3; a++) monitors[0].lo[a] = -(monitors[0].hi[a] = 100 * TOR_NM);
  job.nmonitors = 2;
  job.monitors = monitors;
  job.run_time = 12e-15;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  struct tor_spectrum s, field;
  tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[0], &s);
  tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[1], &field);
  for (int q = 0; q < 3; q++) {
    double omega = 2 * TOR_PI * TOR_C0 / wavelengths[q], k = omega / TOR_C0,
           m = cabs(moment(&dipole, omega, model.grid.dt));
    assert_true(fabs(m / cabs(tor_source_spectrum(model.sources, 0, omega)) - 1) < 1e-12);
    ratio[q] = s.value[0][q] / ((kind == TOR_ELECTRIC_DIPOLE ? TOR_ETA0 / index : index / TOR_ETA0) * index * index *
                                k * k * m * m / (6 * TOR_PI));
    assert_string_equal(s.name[1], "fraction");
    assert_true(fabs(s.value[1][q] / ratio[q] - 1) < 1e-12);
    /* The field at the dipole gives what passes through the box: the work of the grid's own currents. */
    if (fabs(field.value[0][q] / s.value[0][q] - 1) > 1e-6)
      fail_msg("%g nm: the field at the dipole gives %.9g of the flux", wavelengths[q] / TOR_NM,
               field.value[0][q] / s.value[0][q]);
    assert_true(fabs(field.value[1][q] / s.value[1][q] - 1) < 1e-6);
  }
  tor_spectrum_free(&s);
  tor_spectrum_free(&field);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

/* A current spread over two points a cell d apart, shares 1 - f and f, radiates 1 - 2 f (1 - f) (1 - cos k_a d) of its
 * power into a direction of wave vector k; to second order 1 - f (1 - f) <k_a^2> d^2 altogether, with the mean over a
 * dipole's pattern sin^2: k^2 / 5 along the dipole, 2 k^2 / 5 across it. */
static void power(enum tor_source_kind kind, int axis, int order) {
  const double none[3] = {0, 0, 0}, part[3] = {0.5, 0.25, 0.5};
  double on[3], off[3];
  measure(kind, axis, order, 1, none, on);
  measure(kind, axis, order, 1, part, off);
  for (int q = 0; q < 3; q++) {
    const double kd = 2 * TOR_PI / wavelengths[q] * NM10[0];
    double loss = 0;
    for (int a = 0; a < 3; a++) loss += part[a] * (1 - part[a]) * (a == axis ? 0.2 : 0.4) * kd * kd;
    print_message(
        "%s dipole along %c, order %d, %.0f nm: power / theory = %.4f, off the grid's points %.4f of it (%.4f)\n",
        kind == TOR_ELECTRIC_DIPOLE ? "electric" : "magnetic", "xyz"[axis], order, wavelengths[q] / TOR_NM, on[q],
        off[q] / on[q], 1 - loss);
    assert_true(fabs(on[q] - 1) < 0.01);
    assert_true(fabs(off[q] / on[q] - (1 - loss)) < 0.05 * loss);
  }
}

static void inside_a_medium(enum tor_source_kind kind, int order) {
  const double none[3] = {0, 0, 0}, index = 1.2;
  double ratio[3];
  measure(kind, TOR_Z, order, index, none, ratio);
  for (int q = 0; q < 3; q++) {
    print_message("%s dipole in a medium of index %g, order %d, %.0f nm: power / theory = %.4f\n",
                  kind == TOR_ELECTRIC_DIPOLE ? "electric" : "magnetic", index, order, wavelengths[q] / TOR_NM,
                  ratio[q]);
    assert_true(fabs(ratio[q] - 1) < 0.01);
  }
}

static void electric_dipole_radiates_its_power(void **state) {
  (void)state;
  power(TOR_ELECTRIC_DIPOLE, TOR_Z, 2);
  power(TOR_ELECTRIC_DIPOLE, TOR_X, 4);
  inside_a_medium(TOR_ELECTRIC_DIPOLE, 4);
}
static void magnetic_dipole_radiates_its_power(void **state) {
  (void)state;
  power(TOR_MAGNETIC_DIPOLE, TOR_Y, 2);
  power(TOR_MAGNETIC_DIPOLE, TOR_Z, 4);
  inside_a_medium(TOR_MAGNETIC_DIPOLE, 4);
}

/* Two equal dipoles mirrored in z = 0 need no domain below it: a PMC keeps tangential moments, a PEC normal ones. */
static double probe_energy(int half, enum tor_wall wall, int axis, int order) {
  int n[3] = {24, 24, half ? 20 : 40};
  struct tor_job job;
  tor_plain_job(&job, n, NM10, order, TOR_F64, TOR_PEC, 0);
  double low = half ? -100 * TOR_NM : 0; /* place of the mirror */
  if (half) job.boundary[TOR_ZLO].wall = wall;
  struct tor_source dipole[2];
  for (int i = 0; i < 2; i++) {
    dipole[i] = (struct tor_source){
        .kind = TOR_ELECTRIC_DIPOLE, .name = "dipole", .polarisation = axis, .position = {5 * TOR_NM, 0, 0}};
    dipole[i].position[2] = low + (i ? -1 : 1) * (axis == TOR_Z ? 45 : 40) * TOR_NM;
    dipole[i].profile =
        (struct tor_profile){.kind = TOR_PULSE, .wavelength = 150 * TOR_NM, .band = 100 * TOR_NM, .amplitude = 1e-9};
  }
  job.nsources = half ? 1 : 2;
  job.sources = dipole;
  struct tor_monitor probe = {.kind = TOR_PROBE, .name = "p", .components = 1u << axis, .every = 1};
  const double at[3] = {5 * TOR_NM, 40 * TOR_NM, low + (axis == TOR_Z ? 65 : 60) * TOR_NM};
  for (int a = 0; a < 3; a++) probe.lo[a] = probe.hi[a] = at[a];
  job.nmonitors = 1;
  job.monitors = &probe;
  job.run_time = 6e-15;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  double sum = 0;
  const struct tor_record_group *g = &model.monitors->group[0];
  for (int k = 0; k < tor_recorder_samples(&model.monitors->recorder[0], sim.step); k++)
    sum += g->data[k] * g->data[k] * (k + 1);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
  return sum;
}

static void walls_are_mirror_planes(void **state) {
  (void)state;
  for (int order = 2; order <= 4; order += 2) {
    double whole = probe_energy(0, TOR_PEC, TOR_X, order), half = probe_energy(1, TOR_PMC, TOR_X, order);
    assert_true(whole > 0 && fabs(half / whole - 1) < 1e-9);
    whole = probe_energy(0, TOR_PEC, TOR_Z, order);
    half = probe_energy(1, TOR_PEC, TOR_Z, order);
    assert_true(whole > 0 && fabs(half / whole - 1) < 1e-9);
  }
}

/* An upright dipole above silver, a quarter of the scene between mirrors or all of it: fractions of the box around it
 * alone and of the field at its place. */
static void above_silver(int quarter, double fraction[2][3], double part[2]) {
  const int n[3] = {quarter ? 20 : 40, quarter ? 20 : 40, 40};
  const double corner = quarter ? -100 * TOR_NM : 0;
  double nm[3] = {450 * TOR_NM, 500 * TOR_NM, 600 * TOR_NM};
  struct tor_job job;
  tor_plain_job(&job, n, NM10, 2, TOR_F64, TOR_CPML, 8);
  job.media = realloc(job.media, 2 * sizeof *job.media);
  assert_non_null(job.media);
  assert_true(tor_medium_builtin("Ag", &job.media[job.nmedia++]));
  struct tor_object metal = {.shape = TOR_LAYER, .medium = 1, .axis = TOR_Z, .lo = -1, .hi = -60 * TOR_NM};
  struct tor_source dipole = {.kind = TOR_ELECTRIC_DIPOLE, .name = "dipole", .polarisation = TOR_Z};
  dipole.profile = (struct tor_profile){
      .kind = TOR_PULSE, .wavelength = 500 * TOR_NM, .band = 300 * TOR_NM, .amplitude = 1e-9, .zero_mean = 1};
  struct tor_monitor monitors[2] = {{.kind = TOR_FLUX_BOX, .name = "box", .nwavelength = 3, .wavelength = nm},
                                    {.kind = TOR_DECAY_RATE, .name = "field", .nwavelength = 3, .wavelength = nm}};
  for (int a = 0; a < 3; a++) {
    dipole.position[a] = a < 2 ? corner : 0;
    monitors[0].lo[a] = dipole.position[a] - (quarter && a < 2 ? 0 : 40 * TOR_NM);
    monitors[0].hi[a] = dipole.position[a] + 40 * TOR_NM;
  }
  if (quarter) job.boundary[TOR_XLO].wall = job.boundary[TOR_YLO].wall = TOR_PMC;
  job.objects = &metal;
  job.sources = &dipole;
  job.monitors = monitors;
  job.nobjects = job.nsources = 1;
  job.nmonitors = 2;
  job.run_time = 40e-15;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  for (int i = 0; i < 2; i++) {
    struct tor_spectrum s;
    tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[i], &s);
    for (int q = 0; q < 3; q++) fraction[i][q] = s.value[1][q];
    part[i] = s.value[0][1];
    tor_spectrum_free(&s);
  }
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

static void rates_above_a_metal(void **state) {
  double whole[2][3], quarter[2][3], part[2];
  (void)state;
  above_silver(0, whole, part);
  above_silver(1, quarter, part);
  assert_true(fabs(part[1] / part[0] - 1) < 1e-4);
  for (int q = 0; q < 3; q++) {
    print_message("above silver: box %.6f, field %.6f; a quarter %.6f, %.6f\n", whole[0][q], whole[1][q], quarter[0][q],
                  quarter[1][q]);
    assert_true(whole[0][q] > 1.1);
    assert_true(fabs(whole[1][q] / whole[0][q] - 1) < 1e-4);
    assert_true(fabs(quarter[1][q] / whole[1][q] - 1) < 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(electric_dipole_radiates_its_power),
      cmocka_unit_test(magnetic_dipole_radiates_its_power),
      cmocka_unit_test(walls_are_mirror_planes),
      cmocka_unit_test(rates_above_a_metal),
  };
  return cmocka_run_group_tests_name("dipole", tests, NULL, NULL);
}
