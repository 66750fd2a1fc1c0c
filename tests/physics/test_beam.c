/* Sources of Gaussian beams: what a run has is the angular spectrum of the grid's own plane waves, summed here across
 * the beam (in the source: over the plane), and goes to one side of the plane with the power that the job gives. */
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
#include "src/model/beam.h"
#include "src/model/grid_wave.h"
#include "src/model/spectrum.h"
#include "src/modes/plane_sources.h"
#include "tests/support/job_text.h"
#include "tests/support/plain_job.h"

/* --- The angular spectrum --- */

struct wave {
  double k[3];
  double complex field[TOR_NCOMP];
};
struct spectrum {
  int count;
  struct wave *wave;
};

/* The wave number along the beam at which the grid has a wave with this part across it; K: that of the grid. */
static void solve(const struct tor_grid *g, const double n[3], double wanted, double k[3], double K[3]) {
  for (int i = 0; i < 40; i++) {
    double sum = 0, slope = 0;
    for (int a = 0; a < 3; a++) {
      K[a] = tor_wave_discrete(g, a, k[a]);
      sum += K[a] * K[a];
      slope += 2 * K[a] * n[a] * tor_wave_slope(g->order, 0.5 * k[a] * g->d[a]);
    }
    for (int a = 0; a < 3; a++) k[a] -= (sum - wanted) / slope * n[a];
  }
}

static void make_wave(const struct tor_grid *g, const struct tor_source *s, double omega, double index, double grid_k,
                      const double across[2], const double e[2][3], struct wave *to) {
  const double W = tor_wave_frequency(g, omega), k0 = index * omega / TOR_C0;
  const double *n = s->travel, *first = s->across;
  double complex p[3], pK = 0;
  double K[3], nK = 0;
  for (int a = 0; a < 3; a++)
    to->k[a] = across[0] * e[0][a] + across[1] * e[1][a] +
               sqrt(k0 * k0 - across[0] * across[0] - across[1] * across[1]) * n[a];
  solve(g, n, W * W * index * index, to->k, K);
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    p[a] = first[a] + s->circular * TOR_I * (n[b] * first[c] - n[c] * first[b]);
    pK += p[a] * K[a];
    nK += n[a] * K[a];
  }
  const double complex part = cexp(-0.25 * (pow(across[0] * s->waist[0], 2) + pow(across[1] * s->waist[1], 2)) +
                                   TOR_I * 0.5 * across[1] * across[1] * s->astigmatism / grid_k);
  for (int a = 0; a < 3; a++) to->field[a] = part * (p[a] - n[a] * pK / nK);
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    to->field[TOR_HX + a] = (K[b] * to->field[c] - K[c] * to->field[b]) / (W * TOR_ETA0);
  }
}

static struct spectrum make_spectrum(const struct tor_grid *g, const struct tor_source *s, double omega, double index,
                                     double period) {
  struct spectrum all = {0};
  double e[2][3], along[3], K[3];
  int most[2];
  tor_beam_frame(s, e[0], e[1]);
  const double step = 2 * TOR_PI / period, k0 = index * omega / TOR_C0;
  for (int a = 0; a < 3; a++) along[a] = k0 * s->travel[a];
  solve(g, s->travel, pow(tor_wave_frequency(g, omega) * index, 2), along, K);
  const double grid_k = hypot(hypot(along[0], along[1]), along[2]);
  for (int side = 0; side < 2; side++)
    most[side] = g->plane && e[side][0] != 0 ? 0 : (int)(8.5 / s->waist[side] / step);
  all.wave = calloc((size_t)(2 * most[0] + 1) * (size_t)(2 * most[1] + 1), sizeof *all.wave);
  for (int i = -most[0]; i <= most[0]; i++)
    for (int j = -most[1]; j <= most[1]; j++) {
      const double across[2] = {i * step, j * step};
      if (hypot(across[0], across[1]) < 0.99 * k0)
        make_wave(g, s, omega, index, grid_k, across, e, &all.wave[all.count++]);
    }
  return all;
}

static double complex field_at(const struct spectrum *all, int comp, const double place[3], const double focus[3]) {
  double complex sum = 0;
  for (int i = 0; i < all->count; i++) {
    double phase = 0;
    for (int a = 0; a < 3; a++) phase += all->wave[i].k[a] * (place[a] - focus[a]);
    sum += all->wave[i].field[comp] * cexp(TOR_I * phase);
  }
  return sum;
}

/* --- Runs --- */

struct run {
  struct tor_model model;
  struct tor_simulation sim;
};

static void start(struct run *r, const char *text) {
  char said[256];
  read_with(text, NULL, 0);
  expect_good(faults.count == 0);
  if (tor_plane_sources_make(&job, &faults)) tor_faults_print(&faults, stderr);
  assert_int_equal(faults.count, 0);
  assert_true(tor_plane_sources_text(&job, 0, said, sizeof said));
  print_message("%s\n", said);
  tor_plain_start(&job, &r->model, &r->sim);
  tor_plain_run(&r->sim);
}

static void stop(struct run *r) { tor_plain_stop(&r->model, &r->sim); }

/* The first two monitors are flux planes ahead of the source and behind it; the largest errors of all wavelengths. */
static void check_power(struct run *r, double loss, double most_behind) {
  double ahead = 0, behind = 0;
  for (int i = 0; i < 2; i++) {
    struct tor_spectrum s;
    tor_spectrum_make(r->model.monitors, r->model.sources, &r->model.monitors->recorder[i], &s);
    assert_string_equal(s.name[1], "fraction");
    for (int q = 0; q < s.nfreq; q++)
      if (i)
        behind = fmax(behind, fabs(s.value[1][q]));
      else
        ahead = fmax(ahead, fabs(job.sources[0].direction * s.value[1][q] - 1));
    tor_spectrum_free(&s);
  }
  print_message("ahead: power off by %.1e; behind: %.1f dB\n", ahead, 10 * log10(behind));
  assert_true(ahead < loss && behind < most_behind);
}

/* The field monitor at `number`, at every `skip`-th point, against the spectrum times *factor, which is found where it
 * is 0: the largest error of E, and of H times eta0 over the index, over the largest |E| there. */
static double field_error(struct run *r, int number, const struct spectrum *all, double index, int skip,
                          double complex *factor) {
  const struct tor_recorder *l = &r->model.monitors->recorder[number];
  const struct tor_grid *g = &r->model.grid;
  double complex along = 0;
  double square = 0, worst = 0, largest = 0;
  for (int pass = *factor != 0; pass < 2; pass++) {
    for (int k = 0; k < l->npatch; k++) {
      const struct tor_patch *p = &l->patch[k];
      const double scale = tor_comp_is_h(p->comp) ? TOR_ETA0 / index : 1;
      for (int i = 0; i < p->count[0] * p->count[1] * p->count[2]; i += skip) {
        const int at[3] = {i / (p->count[1] * p->count[2]), i / p->count[2] % p->count[1], i % p->count[2]};
        double place[3];
        for (int a = 0; a < 3; a++)
          place[a] = g->plane && a == 0 ? 0 : tor_grid_place(g, p->comp, a, p->first[a] + at[a]);
        const double complex want = scale * field_at(all, p->comp, place, job.sources[0].focus);
        const double complex have = scale * tor_recorder_spectrum(r->model.monitors, l, p, at[0], at[1], at[2], 0);
        along += conj(want) * have;
        square += creal(want * conj(want));
        worst = fmax(worst, cabs(have - *factor * want));
        largest = fmax(largest, cabs(want));
      }
    }
    if (!pass) {
      *factor = along / square;
      worst = 0;
    }
  }
  return worst / (largest * cabs(*factor));
}

/* What the factor must be but for its modulus: the source's spectrum, less the phase from the focus to the plane. */
static double phase_error(struct run *r, const struct spectrum *all, double complex factor) {
  const struct tor_source *s = &job.sources[0];
  const struct tor_grid *g = &r->model.grid;
  const double place = g->lo[s->axis] + s->sheet->node * g->d[s->axis];
  const double ahead = (place - s->focus[s->axis]) / s->travel[s->axis];
  const double *k = all->wave[all->count / 2].k; /* along the beam */
  double along = 0;
  for (int a = 0; a < 3; a++) along += k[a] * s->travel[a];
  const double omega = r->model.monitors->recorder[2].omega[0];
  return fabs(carg(factor / (tor_source_spectrum(r->model.sources, 0, omega) * cexp(-TOR_I * along * ahead))));
}

/* The field planes behind the flux planes, at wavelength `wave` [m]. */
static void check_fields(struct run *r, double wave, double index, double period, int skip, double most) {
  const struct spectrum all = make_spectrum(&r->model.grid, &job.sources[0], 2 * TOR_PI * TOR_C0 / wave, index, period);
  double complex factor = 0;
  for (int i = 2; i < r->model.monitors->count; i++) {
    const double error = field_error(r, i, &all, index, skip, &factor);
    print_message("%s: off by %.1e of the largest\n", r->model.monitors->recorder[i].spec->name, error);
    assert_true(error < most);
  }
  const double phase = phase_error(r, &all, factor);
  print_message("phase off by %.1e\n", phase);
  assert_true(phase < most);
  free(all.wave);
}

#define PLANE(x) (x), -half, (x), half

/* A 2-D beam of a waist [wavelengths] at an angle of 0 or 20 degrees, from its focus to three Rayleigh lengths. */
static void follow_in_2d(double waist, int angle, const char *plane, int order, double cell, int side) {
  const double rayleigh = TOR_PI * waist * waist, tilt = angle ? tan(20 * TOR_PI / 180) * 1.5 * rayleigh : 0;
  const double half = floor(2.4 * sqrt(10) * waist + tilt), end = ceil(1.5 * rayleigh), start_at = -side * end;
  char direction[32], text[2048];
  struct run r;
  if (angle)
    snprintf(direction, sizeof direction, "phi_deg = %d.0", side > 0 ? 20 : 160);
  else
    snprintf(direction, sizeof direction, "direction = \"%cx\"", side > 0 ? '+' : '-');
  snprintf(text, sizeof text,
           "length_unit = \"um\";\ngrid = { size = [%g, %g]; cell = %g; polarisation = \"%s\"; precision = \"fp64\"; "
           "order = %d; };\nboundaries = { cpml = { cells = 14; }; };\n"
           "sources = ( { type = \"gaussian_beam\"; %s; waist = %g; focus = [%g, %g];\n"
           "  box = { lo = [%g, %g]; hi = [%g, %g]; };\n"
           "  time = { type = \"pulse\"; wavelength = 1.0; band = %g; phase_deg = 30.0; }; } );\n"
           "monitors = ( { type = \"flux\"; box = { lo = [%g, %g]; hi = [%g, %g]; }; wavelengths = [0.97, 1.03]; },\n"
           "  { type = \"flux\"; box = { lo = [%g, %g]; hi = [%g, %g]; }; wavelengths = [0.97, 1.03]; },\n"
           "  { type = \"field\"; box = { lo = [%g, %g]; hi = [%g, %g]; }; wavelengths = [1.0]; },\n"
           "  { type = \"field\"; box = { lo = [%g, %g]; hi = [%g, %g]; }; wavelengths = [1.0]; } );\n"
           "run = { time_fs = %g; };\n",
           2 * end + 5, 2 * half + 5, cell, plane, order, direction, waist, start_at, -tilt, PLANE(start_at),
           0.24 / waist, PLANE(start_at + 1.5 * side), PLANE(start_at - 0.5 * side),
           PLANE(start_at + floor(rayleigh) * side), PLANE(-start_at), 80 * waist + 3.34 * 2 * (end + tilt) + 10);
  print_message("waist %g wavelengths, %d degrees, %s, order %d, to three Rayleigh lengths\n", waist, angle, plane,
                order);
  start(&r, text);
  check_power(&r, 1e-6, 1e-9);
  check_fields(&r, 1e-6, 1, 8 * half * 1e-6, 1, 3e-4);
  stop(&r);
}

static void beams_in_2d(void **state) {
  (void)state;
  follow_in_2d(1.5, 0, "TM", 2, 0.1, -1);
  follow_in_2d(1.5, 20, "TE", 4, 0.125, 1);
  follow_in_2d(1.5, 20, "TE", 2, 0.1, -1);
}

static void wide_beams_in_2d(void **state) {
  (void)state;
  for (int order = 2; order <= 4; order += 2)
    for (int angle = 0; angle <= 20; angle += 20) {
      follow_in_2d(3, angle, "TM", order, 0.1, -1);
      follow_in_2d(3, angle, "TE", order, 0.1, 1);
    }
}

/* An astigmatic beam of circular light with two waists, turned, in a medium, in no direction of the grid. */
static void beam_in_3d(void **state) {
  (void)state;
  struct run r;
  start(&r,
        "length_unit = \"um\";\n"
        "grid = { size = [9.0, 9.0, 6.0]; cell = [0.125, 0.13, 0.12]; precision = \"fp64\"; };\n"
        "boundaries = { cpml = { cells = 8; }; };\nmedia = ( { name = \"glass\"; index = 1.3; } );\n"
        "background = \"glass\";\n"
        "sources = ( { type = \"gaussian_beam\"; theta_deg = 175.0; phi_deg = 40.0; polarisation = \"left\";\n"
        "  waist = 1.18; waist_across = 1.24; waist_deg = 25.0; astigmatism = 0.8; focus = [0.1, 0.05, 0.3];\n"
        "  box = { lo = [-4.0, -4.0, 1.2]; hi = [4.0, 4.0, 1.2]; };\n"
        "  time = { type = \"pulse\"; wavelength = 1.3; band = 0.25; }; } );\n"
        "monitors = ( { type = \"flux\"; box = { lo = [-3.1, -3.1, 0.6]; hi = [3.1, 3.1, 0.6]; };\n"
        "    wavelengths = [1.25, 1.35]; },\n"
        "  { type = \"flux\"; box = { lo = [-3.1, -3.1, 1.6]; hi = [3.1, 3.1, 1.6]; }; wavelengths = [1.25, 1.35]; },\n"
        "  { type = \"field\"; box = { lo = [-2.5, -2.5, 0.8]; hi = [2.5, 2.5, 0.8]; }; wavelengths = [1.3]; },\n"
        "  { type = \"field\"; box = { lo = [-2.5, -2.5, -1.5]; hi = [2.5, 2.5, -1.5]; }; wavelengths = [1.3]; } );\n"
        "run = { time_fs = 130.0; };\n");
  check_power(&r, 1e-4, 1e-7);
  check_fields(&r, 1.3e-6, 1.3, 12e-6, 7, 1e-3);
  stop(&r);
}

/* A row of beams, a period apart, narrower than each of them; their medium has poles. */
static void beams_in_periodic_cells(void **state) {
  (void)state;
  struct run r;
  start(&r,
        "length_unit = \"um\";\n"
        "grid = { size = [10.0, 3.0]; cell = 0.1; courant = 0.7; polarisation = \"TE\"; precision = \"fp64\"; };\n"
        "boundaries = { y_lo = \"periodic\"; y_hi = \"periodic\"; cpml = { cells = 20; }; };\n"
        "media = ( { name = \"glass\"; permittivity = 2.0;\n"
        "  poles = ( { type = \"lorentz\"; delta_eps = 0.3; omega_eV = 4.0; gamma_eV = 0.0; } ); } );\n"
        "background = \"glass\";\n"
        "sources = ( { type = \"gaussian_beam\"; direction = \"-x\"; waist = 1.4; focus = [-2.0, 0.4];\n"
        "  box = { lo = [1.0, -1.5]; hi = [1.0, 1.5]; };\n"
        "  time = { type = \"pulse\"; wavelength = 1.2; band = 0.2; }; } );\n"
        "monitors = ( { type = \"flux\"; box = { lo = [0.5, -1.5]; hi = [0.5, 1.5]; }; wavelengths = [1.15, 1.25]; },\n"
        "  { type = \"flux\"; box = { lo = [2.0, -1.5]; hi = [2.0, 1.5]; }; wavelengths = [1.15, 1.25]; } );\n"
        "run = { time_fs = 300.0; };\n");
  check_power(&r, 1e-5, 1e-7);
  stop(&r);
}

/* All fields of a run by an engine, to be freed. */
static double *fields_of(enum tor_engine_kind engine, size_t *count) {
  struct tor_model model;
  struct tor_simulation sim;
  if (tor_model_make(&job, 2, &model, &faults)) fail();
  const struct tor_engine_setup setup = {engine, 2, 2};
  tor_simulation_init(&sim, &model, &setup, 32);
  tor_plain_run(&sim);
  const int *n = model.grid.n;
  double *value = calloc(TOR_NCOMP * (size_t)(n[0] + 1) * (size_t)(n[1] + 1) * (size_t)(n[2] + 1), sizeof *value);
  *count = 0;
  for (int c = 0; c < TOR_NCOMP; c++)
    for (int x = 0; x <= tor_grid_last(&model.grid, c, 0); x++)
      for (int y = 0; y <= tor_grid_last(&model.grid, c, 1); y++)
        for (int z = 0; z <= tor_grid_last(&model.grid, c, 2); z++)
          value[(*count)++] = tor_plain_value(&model, c, x, y, z);
  tor_plain_stop(&model, &sim);
  return value;
}

static void engines_agree(void **state) {
  (void)state;
  for (int order = 2; order <= 4; order += 2) {
    char text[1024];
    size_t count[2];
    double largest = 0;
    snprintf(text, sizeof text,
             "grid = { size = [1000, 1500, 1600]; cell = 50; order = %d; };\nboundaries = { cpml = { cells = 4; }; };\n"
             "sources = ( { type = \"gaussian_beam\"; theta_deg = 80; phi_deg = 5; waist = 270; waist_across = 280;\n"
             "  box = { lo = [-100, -900, -900]; hi = [-100, 900, 900]; };\n"
             "  time = { type = \"pulse\"; wavelength = 240; band = 20; }; } );\nrun = { time_fs = 20; };\n",
             order);
    read_with(text, NULL, 0);
    expect_good(faults.count == 0);
    if (tor_plane_sources_make(&job, &faults)) tor_faults_print(&faults, stderr);
    assert_int_equal(faults.count, 0);
    double *stepwise = fields_of(TOR_ENGINE_STEPWISE, &count[0]), *diamond = fields_of(TOR_ENGINE_DIAMOND, &count[1]);
    assert_true(count[0] == count[1]);
    assert_memory_equal(stepwise, diamond, count[0] * sizeof *stepwise);
    for (size_t i = 0; i < count[0]; i++) largest = fmax(largest, fabs(stepwise[i]));
    assert_true(largest > 0);
    free(stepwise);
    free(diamond);
  }
}

/* --- Faults --- */

/* A good 2-D beam, but for some keys: a fault whose text has `part`. */
static void refused(const char *part, const char *first, const char *second) {
  static const char text[] =
      "length_unit = \"um\";\ngrid = { size = [8.0, 10.0]; cell = 0.1; polarisation = \"TM\"; };\n"
      "media = ( { name = \"glass\"; index = 1.5; }, { name = \"grey\"; index = 1.5; conductivity_S_per_m = 100.0; },\n"
      "  { name = \"crystal\"; permittivity = [2.0, 2.1, 2.2]; } );\n"
      "objects = ( { type = \"layer\"; medium = \"glass\"; axis = \"x\"; lo = 1.0; } );\n"
      "sources = ( { type = \"gaussian_beam\"; phi_deg = 10.0; waist = 1.5; box = { lo = [0.0, -5.0]; hi = [0.0, 5.0]; "
      "};\n"
      "  time = { type = \"pulse\"; wavelength = 1.0; band = 0.1; }; } );\nrun = { time_fs = 10.0; };\n";
  const char *const set[2] = {first, second};
  read_with(text, set, (first != NULL) + (second != NULL));
  if (!faults.count) tor_plane_sources_make(&job, &faults);
  if (!part) {
    expect_good(faults.count == 0);
    return;
  }
  assert_int_equal(faults.count, 1);
  print_message("%s\n", faults.item[0].text);
  assert_non_null(strstr(faults.item[0].text, part));
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  refused(NULL, NULL, NULL);
  refused("the media in its plane differ", "objects[0].axis=\"y\"", NULL);
  refused("the media change along x within 1 cell", "objects[0].lo=0.05", NULL);
  refused("absorbs", "background=\"grey\"", NULL);
  refused("is anisotropic", "background=\"crystal\"", "grid.polarisation=\"TE\"");
  refused("waves of an amplitude of", "sources[0].waist=0.5", NULL);
  refused("of the beam's power passes beside its plane", "sources[0].focus=[20.0,0.0]", NULL);
  refused("of the beam's power passes beside its plane", "sources[0].box={lo=[0.0,-2.0];hi=[0.0,5.0];}",
          "sources[0].focus=[0.0,0.0]");
  refused("change too much over the pulse's band", "sources[0].phi_deg=40.0",
          "sources[0].time={type=\"pulse\";wavelength=0.5;band=0.25;}");
  refused("lies along the beam", "sources[0].phi_deg=85.0", NULL);
  refused("is for 3-D jobs", "sources[0].waist_across=2.0", NULL);
  refused("symmetry along y", "symmetry={y=\"even\";}", NULL);
  refused("exactly one", "sources[0].box={lo=[0.0,-5.0];hi=[1.0,5.0];}", NULL);
  refused("at least 2", "sources[0].box={lo=[-2.9,-5.0];hi=[-2.9,5.0];}", NULL);
}

/* With an argument: beams of a waist of three wavelengths, half a minute. */
int main(int argc, char **argv) {
  (void)argv;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beams_in_2d),
      cmocka_unit_test(beam_in_3d),
      cmocka_unit_test(beams_in_periodic_cells),
      cmocka_unit_test(engines_agree),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  const struct CMUnitTest wide[] = {cmocka_unit_test(wide_beams_in_2d)};
  return argc > 1 ? cmocka_run_group_tests(wide, job_text_begin, job_text_end)
                  : cmocka_run_group_tests(tests, job_text_begin, job_text_end);
}
