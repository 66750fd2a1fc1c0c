/* Volumes of modes: metal boxes against their exact fields, with a dispersive half, and the energy of E against that of
 * H with surfaces that cut cells. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "src/base/units.h"
#include "src/job/turn.h"
#include "src/model/mode_volume.h"
#include "src/model/spectrum.h"
#include "tests/support/plain_job.h"

enum { X, Y, Z };
static const double CELL = 10 * TOR_NM;

static struct tor_source source_at(double x, double y, double z, double wavelength, int plane) {
  struct tor_source s = {
      .kind = TOR_ELECTRIC_DIPOLE, .name = "source", .polarisation = plane ? TOR_X : TOR_Y, .position = {x, y, z}};
  s.profile = (struct tor_profile){
      .kind = TOR_PULSE, .wavelength = wavelength, .band = 0.2 * wavelength, .amplitude = 1e-9, .zero_mean = 1};
  return s;
}

/* A monitor of the whole domain, of what rings after the source. */
static struct tor_monitor monitor_of(enum tor_monitor_kind kind, const double half[3], double *wavelength, double end,
                                     double rise) {
  struct tor_monitor m = {.kind = kind, .name = kind == TOR_MODE_VOLUME ? "volume" : "H", .nwavelength = 1};
  m.wavelength = wavelength;
  m.windowed = 1;
  m.window[0] = m.window[1] = 0.6 * end;
  m.window[2] = rise;
  if (kind == TOR_FIELD_DFT) m.components = 1u << TOR_HX | 1u << TOR_HY | 1u << TOR_HZ;
  for (int a = 0; a < 3; a++) m.lo[a] = -(m.hi[a] = half[a]);
  return m;
}

/* The lowest mode of an empty metal box, E_y = sin sin: V / abc = 1 / 4, exactly where a node is in the middle. With
 * odd numbers of cells there is none; then the parabolas have an error of fourth order. */
static void an_empty_box_has_a_quarter(void **state) {
  static const int cells[3][2] = {{12, 16}, {13, 17}, {25, 33}};
  double off[3];
  (void)state;
  for (int i = 0; i < 3; i++) {
    const int n[3] = {cells[i][0], 6, cells[i][1]};
    const double cell[3] = {CELL, CELL, CELL}, a = n[X] * CELL, c = n[Z] * CELL;
    double wavelength = 2 / hypot(1 / a, 1 / c), period = wavelength / TOR_C0;
    struct tor_job job;
    tor_plain_job(&job, n, cell, 2, TOR_F64, TOR_PEC, 0);
    struct tor_source source = source_at(10e-9, 5e-9, 10e-9, wavelength, 0);
    const double half[3] = {a / 2, 3 * CELL, c / 2};
    struct tor_monitor monitor = monitor_of(TOR_MODE_VOLUME, half, &wavelength, 100 * period, 14 * period);
    struct tor_model model;
    struct tor_simulation sim;
    struct tor_mode_volume found;
    job.nsources = job.nmonitors = 1;
    job.sources = &source;
    job.monitors = &monitor;
    job.run_time = 100 * period;
    tor_plain_start(&job, &model, &sim);
    tor_plain_run(&sim);
    tor_mode_volume_make(model.monitors, &job, model.monitors->recorder, &found);
    off[i] = found.volume / (0.25 * a * 6 * CELL * c) - 1;
    print_message("%d x %d x %d cells: V / abc %.7f (%+.1e); index %.6f\n", n[X], n[Y], n[Z],
                  found.volume / (a * 6 * CELL * c), off[i], found.index);
    assert_true(fabs(found.index - 1) < 1e-9);
    assert_true(fabs(found.place[X]) < 0.6 * CELL && fabs(found.place[Z]) < 0.6 * CELL);
    tor_plain_stop(&model, &sim);
    job.nsources = job.nmonitors = 0;
    tor_plain_job_free(&job);
  }
  assert_true(fabs(off[0]) < 5e-6 && off[1] < 1.2e-3 && off[1] > 12 * off[2] && off[2] > 0);
}

/* --- A 2-D box, E along x of the turned job, whose half z < 0 holds a Drude medium without loss --- */

static const double A = 300e-9, C = 320e-9, EPS_INF = 6, PLASMA = 2.2; /* [eV] */
static double eps_at(double w) { return EPS_INF - pow(PLASMA * TOR_EV / w, 2); }
static double wave_number(double eps, double w) { return sqrt(eps * pow(w / TOR_C0, 2) - pow(TOR_PI / A, 2)); }

/* f = sin(k1 (z + c/2)) below, B sin(k2 (c/2 - z)) above: what a solution makes zero. */
static double mismatch(double w) {
  const double k1 = wave_number(eps_at(w), w), k2 = wave_number(1, w);
  return k1 * cos(k1 * C / 2) * sin(k2 * C / 2) + k2 * sin(k1 * C / 2) * cos(k2 * C / 2);
}

/* The area over that of the box, and the wavelength; with dispersion 0 the energy is eps E^2. */
static double exact_area(int dispersion, double *wavelength) {
  double lo = 2 * TOR_PI * TOR_C0 / 480e-9, hi = 2 * TOR_PI * TOR_C0 / 380e-9;
  assert_true(mismatch(lo) * mismatch(hi) < 0);
  for (int i = 0; i < 100; i++) {
    const double middle = 0.5 * (lo + hi);
    *(mismatch(lo) * mismatch(middle) < 0 ? &hi : &lo) = middle;
  }
  const double eps = eps_at(lo), u = dispersion ? 2 * EPS_INF - eps : eps;
  const double k1 = wave_number(eps, lo), k2 = wave_number(1, lo), h = C / 2;
  const double ratio = sin(k1 * h) / sin(k2 * h);
  const double below = h / 2 - sin(2 * k1 * h) / (4 * k1), above = h / 2 - sin(2 * k2 * h) / (4 * k2);
  double most = 0;
  for (int i = 0; i <= 100000; i++) {
    const double z = h * i / 100000;
    most = fmax(most, fmax(eps * pow(sin(k1 * z), 2), pow(ratio * sin(k2 * z), 2)));
  }
  *wavelength = 2 * TOR_PI * TOR_C0 / lo;
  return (u * below + ratio * ratio * above) / most / C / 2;
}

static double area_of(int cells, double wavelength) {
  const int n[3] = {1, 15 * cells, 16 * cells};
  const double d = A / n[Y], cell[3] = {1, d, d}, half[3] = {0.5, A / 2, C / 2};
  struct tor_job job;
  tor_plain_job(&job, n, cell, 2, TOR_F64, TOR_PEC, 0);
  job.plane = TOR_PLANE_TM;
  job.turn = TOR_TURN_PLANE;
  job.media = realloc(job.media, 2 * sizeof *job.media);
  assert_non_null(job.media);
  job.media[1] = tor_medium_vacuum("drude");
  struct tor_medium *m = &job.media[job.nmedia++];
  m->npoles = 1;
  m->poles = malloc(sizeof *m->poles);
  assert_non_null(m->poles);
  m->poles[0] = (struct tor_pole){.kind = TOR_DRUDE, .strength = PLASMA * TOR_EV};
  for (int a = 0; a < 3; a++) m->eps[a] = EPS_INF;
  struct tor_object body = {.shape = TOR_BOX, .medium = 1, .center = {0, 0, -C / 2}, .size = {4, 2 * A, C}};
  struct tor_source source = source_at(0, d, 20e-9, wavelength, 1);
  struct tor_monitor monitor = monitor_of(TOR_MODE_VOLUME, half, &wavelength, 240e-15, 34e-15);
  job.nobjects = job.nsources = job.nmonitors = 1;
  job.objects = &body;
  job.sources = &source;
  job.monitors = &monitor;
  job.run_time = 240e-15;
  struct tor_model model;
  struct tor_simulation sim;
  struct tor_mode_volume found;
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  tor_mode_volume_make(model.monitors, &job, model.monitors->recorder, &found);
  tor_plain_stop(&model, &sim);
  job.nobjects = job.nsources = job.nmonitors = 0;
  tor_plain_job_free(&job);
  return found.volume / (A * C);
}

static void a_dispersive_half_has_its_energy(void **state) {
  double wavelength, error[2];
  const double exact = exact_area(1, &wavelength), without = exact_area(0, &wavelength);
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double area = area_of(2 + 2 * i, wavelength);
    error[i] = area / exact - 1;
    print_message("%.2f nm, %d cells: area over the box's %.6f, exact %.6f (%+.2e); by eps alone %.4f\n",
                  wavelength / TOR_NM, 30 * (i + 1), area, exact, error[i], without);
  }
  assert_true(fabs(exact / without - 1) > 0.2);
  assert_true(fabs(error[0]) < 6e-4 && fabs(error[1]) < 1e-4);
}

/* --- Energy of E against that of H --- */

struct scene {
  const char *name;
  int order, symmetric, plane;
  enum tor_averaging averaging;
};

/* The sum of |H|^2 over the points of the monitor, by eta0^2. */
static double energy_of_h(const struct tor_model *model, const struct tor_recorder *l) {
  const struct tor_grid *g = &model->grid;
  double sum = 0;
  for (int i = 0; i < l->npatch; i++) {
    const struct tor_patch *p = &l->patch[i];
    for (int x = 0; x < p->count[0]; x++)
      for (int y = 0; y < p->count[1]; y++)
        for (int z = 0; z < p->count[2]; z++) {
          double complex h = TOR_ETA0 * tor_recorder_spectrum(model->monitors, l, p, x, y, z, 0);
          sum += creal(h * conj(h));
        }
  }
  return sum * g->d[0] * g->d[1] * g->d[2];
}

static void check_energies(const struct scene *s) {
  const int n[3] = {s->plane ? 1 : 14, 12, 16};
  const double cell[3] = {s->plane ? 1 : CELL, CELL, CELL}, half[3] = {n[X] * cell[X] / 2, 6 * CELL, 8 * CELL};
  double wavelength = 220e-9;
  struct tor_job job;
  tor_plain_job(&job, n, cell, s->order, TOR_F64, TOR_PEC, 0);
  job.averaging = s->averaging;
  job.courant = 0.8;
  job.media = realloc(job.media, 2 * sizeof *job.media);
  assert_non_null(job.media);
  job.media[job.nmedia++] = tor_medium_vacuum("glass");
  for (int a = 0; a < 3; a++) job.media[1].eps[a] = 4;
  if (s->symmetric) job.symmetry[X] = 1;
  if (s->plane) job.plane = TOR_PLANE_TE, job.turn = TOR_TURN_PLANE;
  struct tor_object body = {
      .shape = TOR_SPHERE, .medium = 1, .center = {s->symmetric ? 0 : 3e-9, 2e-9, -4e-9}, .radius = {42e-9}};
  if (s->plane) body.shape = TOR_CYLINDER, body.height = 4;
  struct tor_source source =
      source_at(s->symmetric || s->plane ? 0 : 25e-9, 5e-9, s->plane ? 60e-9 : 30e-9, wavelength, 0);
  struct tor_monitor monitors[2];
  monitors[0] = monitor_of(TOR_MODE_VOLUME, half, &wavelength, 40e-15, 3e-15);
  monitors[1] = monitor_of(TOR_FIELD_DFT, half, &wavelength, 40e-15, 3e-15);
  job.nobjects = job.nsources = 1;
  job.nmonitors = 2;
  job.objects = &body;
  job.sources = &source;
  job.monitors = monitors;
  job.run_time = 40e-15;
  struct tor_model model;
  struct tor_simulation sim;
  struct tor_mode_volume found;
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  tor_mode_volume_make(model.monitors, &job, &model.monitors->recorder[0], &found);
  const double off = found.energy / energy_of_h(&model, &model.monitors->recorder[1]) - 1;
  print_message("%s: V %.4g nm^3, index %.3f; energy of E over that of H %+.1e\n", s->name, found.volume * 1e27,
                found.index, off);
  tor_plain_stop(&model, &sim);
  job.nobjects = job.nsources = job.nmonitors = 0;
  tor_plain_job_free(&job);
  assert_true(fabs(off) < 5e-5);
}

static void the_energies_of_e_and_h_agree(void **state) {
  static const struct scene scenes[] = {{"subpixel", 2, 0, 0, TOR_AVERAGE_SUBPIXEL},
                                        {"nodes", 2, 0, 0, TOR_AVERAGE_TENSOR},
                                        {"nodes, 2-D", 2, 0, 1, TOR_AVERAGE_TENSOR},
                                        {"nodes, mirror", 2, 1, 0, TOR_AVERAGE_TENSOR},
                                        {"nodes, order 4", 4, 0, 0, TOR_AVERAGE_TENSOR}};
  (void)state;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) check_energies(&scenes[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_empty_box_has_a_quarter),
                                     cmocka_unit_test(a_dispersive_half_has_its_energy),
                                     cmocka_unit_test(the_energies_of_e_and_h_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
