/* Built-in media against the published numbers; formulas of the poles; copies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/model/coefficient.h"
#include "src/job/grid.h"
#include "src/job/index_table.h"
#include "src/job/material.h"
#include "src/base/units.h"
#include "tests/support/etchegoin.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

struct point {
  double um, n, k;
};

/* M. A. Green, Sol. Energy Mater. Sol. Cells 92, 1305 (2008), table 1, 300 K. */
static const struct point silicon[] = {
    {0.400, 5.613, 0.296},     {0.410, 5.330, 0.227},     {0.420, 5.119, 0.176},      {0.430, 4.949, 0.138},
    {0.440, 4.812, 0.107},     {0.450, 4.691, 0.086302},  {0.460, 4.587, 0.071381},   {0.470, 4.497, 0.062086},
    {0.480, 4.419, 0.055004},  {0.490, 4.350, 0.049131},  {0.500, 4.294, 0.044165},   {0.520, 4.193, 0.036415},
    {0.540, 4.112, 0.030295},  {0.560, 4.045, 0.025758},  {0.580, 3.988, 0.022524},   {0.600, 3.940, 0.019934},
    {0.620, 3.898, 0.017367},  {0.640, 3.861, 0.015432},  {0.660, 3.828, 0.013498},   {0.680, 3.798, 0.011905},
    {0.700, 3.772, 0.010528},  {0.720, 3.748, 0.0096257}, {0.740, 3.727, 0.008362},   {0.760, 3.708, 0.007197},
    {0.780, 3.691, 0.0063933}, {0.800, 3.675, 0.0054113}, {0.820, 3.661, 0.0046134},  {0.840, 3.647, 0.0039439},
    {0.860, 3.635, 0.0032781}, {0.880, 3.624, 0.0026821}, {0.900, 3.614, 0.0021701},  {0.920, 3.604, 0.0017571},
    {0.940, 3.595, 0.0013689}, {0.960, 3.587, 0.0010237}, {0.980, 3.579, 0.00074866}, {1.000, 3.572, 0.0005093},
};

/* G. E. Jellison, Opt. Mater. 1, 151 (1992). */
static const struct point gallium_arsenide[] = {
    {0.440, 5.041, 0.99},  {0.446, 4.924, 0.829}, {0.450, 4.858, 0.755}, {0.460, 4.702, 0.617}, {0.470, 4.575, 0.527},
    {0.480, 4.467, 0.463}, {0.490, 4.376, 0.414}, {0.500, 4.307, 0.376}, {0.510, 4.242, 0.346}, {0.520, 4.186, 0.322},
    {0.530, 4.141, 0.301}, {0.540, 4.096, 0.282}, {0.550, 4.058, 0.268}, {0.560, 4.024, 0.255}, {0.570, 3.993, 0.243},
    {0.580, 3.960, 0.232}, {0.590, 3.934, 0.222}, {0.600, 3.912, 0.214}, {0.610, 3.891, 0.206}, {0.620, 3.874, 0.199},
    {0.630, 3.851, 0.191}, {0.640, 3.839, 0.185}, {0.650, 3.825, 0.178}, {0.660, 3.809, 0.171}, {0.670, 3.798, 0.164},
    {0.680, 3.787, 0.159}, {0.690, 3.779, 0.151}, {0.700, 3.770, 0.141}, {0.710, 3.758, 0.131}, {0.720, 3.744, 0.123},
    {0.730, 3.734, 0.116}, {0.740, 3.721, 0.111}, {0.750, 3.712, 0.108}, {0.760, 3.703, 0.105}, {0.770, 3.692, 0.101},
    {0.780, 3.685, 0.095}, {0.790, 3.680, 0.092}, {0.800, 3.679, 0.089}, {0.810, 3.669, 0.082}, {0.820, 3.662, 0.081},
    {0.830, 3.661, 0.075}, {0.840, 3.645, 0.074},
};

static double sellmeier(double um, double constant, int nterms, const double (*term)[2]) {
  double n2 = constant;
  for (int t = 0; t < nterms; t++) n2 += term[t][0] * um * um / (um * um - term[t][1] * term[t][1]);
  return sqrt(n2);
}

static double malitson(double um) {
  static const double t[][2] = {{0.6961663, 0.0684043}, {0.4079426, 0.1162414}, {0.8974794, 9.896161}};
  return sellmeier(um, 1, 3, t);
}
static double luke(double um) {
  static const double t[][2] = {{3.0249, 0.1353406}, {40314, 1239.842}};
  return sellmeier(um, 1, 2, t);
}
static double salzberg(double um) {
  static const double t[][2] = {{10.6684293, 0.301516485}, {0.0030434748, 1.13475115}, {1.54133408, 1104}};
  return sellmeier(um, 1, 3, t);
}
static double skauli(double um) {
  static const double t[][2] = {{5.466742, 0.4431307}, {0.02429960, 0.8746453}, {1.957522, 36.9166}};
  return sellmeier(um, 5.372514, 3, t);
}
static double devore(double um) { return sqrt(5.913 + 0.2441 / (um * um - 0.0803)); }

static double complex index_at(const struct tor_medium *m, double wavelength) {
  return csqrt(tor_medium_permittivity(m, 0, 2 * TOR_PI * TOR_C0 / wavelength));
}

static double deviation(double complex n, double complex tabulated) { return cabs(n - tabulated) / cabs(tabulated); }

static double stated_error(const char *name) {
  for (int i = 0; i < tor_medium_builtin_count(); i++)
    if (!strcmp(tor_medium_builtin_name(i), name)) return tor_medium_builtin_error(i);
  fail_msg("no medium %s", name);
  return 0;
}

/* The stated error must cover the largest one found, without being much larger. */
static void check_error(const char *name, double largest) {
  double stated = stated_error(name);
  print_message("%-8s largest %.3e, stated %.3e\n", name, largest, stated);
  assert_true(largest <= stated);
  assert_true(stated <= 1.2 * largest);
}

static void check_table(const char *name, const struct point *p, int count) {
  struct tor_medium m;
  assert_true(tor_medium_builtin(name, &m));
  double largest = 0;
  for (int i = 0; i < count; i++) {
    assert_true(p[i].um * 1e-6 >= m.range[0] * (1 - 1e-9) && p[i].um * 1e-6 <= m.range[1] * (1 + 1e-9));
    largest = fmax(largest, deviation(index_at(&m, p[i].um * 1e-6), CMPLX(p[i].n, p[i].k)));
  }
  check_error(name, largest);
  tor_medium_free(&m);
}

static void check_formula(const char *name, double (*formula)(double)) {
  struct tor_medium m;
  assert_true(tor_medium_builtin(name, &m));
  double largest = 0;
  for (int i = 0; i <= 1000; i++) { /* even in 1 / wavelength */
    double w = 1 / (1 / m.range[0] + (1 / m.range[1] - 1 / m.range[0]) * i / 1000);
    largest = fmax(largest, deviation(index_at(&m, w), formula(w * 1e6)));
  }
  if (stated_error(name) > 0)
    check_error(name, largest);
  else
    assert_true(largest < 1e-12); /* said to be the formula itself */
  tor_medium_free(&m);
}

static void no_fault(void *to, int line, const char *text) { fail_msg("%s:%d: %s", (const char *)to, line, text); }

/* A medium that is called as its table in jobs/media. */
static void check_file(const char *name) {
  char path[1024];
  struct tor_index_table t;
  struct tor_medium m;
  double largest = 0;
  int points = 0;
  snprintf(path, sizeof path, "%s/jobs/media/%s.yml", getenv("TORRE_SOURCE"), name);
  assert_int_equal(tor_index_table_read(path, &t, no_fault, path), 0);
  assert_true(tor_medium_builtin(name, &m));
  for (int i = 0; i < t.count; i++) {
    if (t.wavelength[i] < m.range[0] * (1 - 1e-9) || t.wavelength[i] > m.range[1] * (1 + 1e-9)) continue;
    largest = fmax(largest, deviation(index_at(&m, t.wavelength[i]), CMPLX(t.n[i], t.k[i])));
    points++;
  }
  assert_true(points > 20);
  check_error(name, largest);
  tor_index_table_free(&t);
  tor_medium_free(&m);
}

static void fits_keep_their_stated_error(void **state) {
  static const char *const files[] = {"Ag_Johnson", "Al_McPeak", "Au_Johnson", "Cu_Johnson", "Ge_Aspnes", "Si_Schinke"};
  (void)state;
  for (int i = 0; i < COUNT(files); i++) check_file(files[i]);
  check_table("Si", silicon, COUNT(silicon));
  check_table("GaAs", gallium_arsenide, COUNT(gallium_arsenide));
  check_formula("SiO2", malitson);
  check_formula("Si3N4", luke);
  check_formula("Si_ir", salzberg);
  check_formula("GaAs_ir", skauli);
  check_formula("TiO2", devore);
}

/* The formulas themselves against known indices: Malitson's own table at 587.6 nm, rutile at 632.8 nm, Si at 1550 nm,
 * GaAs at 10.6 um. */
static void formulas_give_known_indices(void **state) {
  (void)state;
  assert_true(fabs(malitson(0.5876) - 1.45846) < 1e-5);
  assert_true(fabs(devore(0.6328) - 2.5837) < 1e-3);
  assert_true(fabs(salzberg(1.55) - 3.4777) < 2e-4);
  assert_true(fabs(skauli(10.6) - 3.27) < 2e-3);
  assert_true(fabs(luke(1.55) - 1.9963) < 5e-4);
}

/* n and k of the Lorentz-Drude model as tabulated from the authors' formula in the refractiveindex.info database. */
static void metals_match_published_model(void **state) {
  (void)state;
  static const struct {
    const char *name;
    struct point p;
  } known[] = {
      {"Ag", {0.30184, 1.3162, 0.63073}}, {"Ag", {0.50321, 0.13208, 2.7927}},   {"Ag", {1.0013, 0.21994, 6.4341}},
      {"Ag", {9.9874, 11.861, 63.28}},    {"Al", {0.10034, 0.039745, 0.68444}}, {"Al", {0.3002, 0.25129, 3.4853}},
      {"Al", {0.5023, 0.7699, 5.9264}},   {"Al", {0.79962, 2.6719, 8.3382}},    {"Au", {0.24797, 1.0941, 1.5478}},
      {"Au", {0.40285, 1.4112, 1.749}},   {"Au", {0.54779, 0.50606, 2.3486}},   {"Au", {1.0129, 0.2597, 6.0788}},
      {"Au", {4.943, 3.39, 30.546}},      {"Cu", {0.25385, 1.5405, 1.7759}},    {"Cu", {0.55477, 0.53052, 2.8106}},
      {"Cu", {1.0075, 0.25557, 6.5372}},  {"Cu", {10.093, 8.3039, 64.879}},
  };
  for (int i = 0; i < COUNT(known); i++) {
    struct tor_medium m;
    assert_true(tor_medium_builtin(known[i].name, &m));
    double complex n = index_at(&m, known[i].p.um * 1e-6);
    if (deviation(n, CMPLX(known[i].p.n, known[i].p.k)) > 2e-4)
      fail_msg("%s at %g um: %g + %gi", known[i].name, known[i].p.um, creal(n), cimag(n));
    tor_medium_free(&m);
  }
}

static void builtins_are_passive_and_causal(void **state) {
  (void)state;
  for (int i = 0; i < tor_medium_builtin_count(); i++) {
    struct tor_medium m;
    assert_true(tor_medium_builtin(tor_medium_builtin_name(i), &m));
    assert_string_equal(m.name, tor_medium_builtin_name(i));
    assert_non_null(m.source);
    assert_true(m.range[0] > 0 && m.range[1] > m.range[0] && m.eps[0] >= 1);
    for (int p = 0; p < m.npoles; p++)
      assert_true(m.poles[p].strength > 0 && m.poles[p].gamma >= 0 && m.poles[p].omega < 21 * TOR_EV);
    tor_medium_free(&m);
  }
  struct tor_medium m;
  assert_false(tor_medium_builtin("au", &m));
}

static void poles_follow_the_header(void **state) {
  (void)state;
  struct tor_pole poles[] = {{.kind = TOR_DRUDE, .strength = 3, .gamma = 0.5},
                             {.kind = TOR_LORENTZ, .strength = 2, .omega = 4, .gamma = 0.25},
                             {.kind = TOR_DEBYE, .strength = 7, .tau = 1.5},
                             {.kind = TOR_CRITICAL_POINT, .strength = 3, .omega = 5, .gamma = 0.5, .phase = 0.7}};
  struct tor_medium m = tor_medium_vacuum("test");
  m.eps[1] = 2;
  m.mu[1] = 3;
  m.sigma[1] = 5 * TOR_EPS0;
  m.sigma_m[1] = 6 * TOR_MU0;
  m.poles = poles;
  m.npoles = 4;
  struct tor_medium copy = tor_medium_copy(&m);
  assert_ptr_not_equal(copy.poles, poles);
  double w = 2;
  double complex drude = -9 / CMPLX(w * w, 0.5 * w);
  double complex lorentz = 2 * 16 / CMPLX(16 - w * w, -0.25 * w);
  double complex debye = 7 / CMPLX(1, -1.5 * w), turn = cexp(CMPLX(0, 0.7));
  double complex critical = 3 * 5 * (turn / CMPLX(5 - w, -0.5) + conj(turn) / CMPLX(5 + w, 0.5));
  double complex sum = drude + lorentz + debye + critical;
  assert_true(cabs(tor_medium_permittivity(&copy, 1, w) - (2 + CMPLX(0, 5 / w) + sum)) < 1e-12);
  assert_true(cabs(tor_medium_permittivity(&copy, 0, w) - (1 + sum)) < 1e-12);
  assert_true(cabs(tor_medium_permeability(&copy, 1, w) - CMPLX(3, 6 / w)) < 1e-12);
  assert_true(cimag(debye) > 0 && cimag(drude) > 0 && cimag(lorentz) > 0);
  tor_medium_free(&copy);
  assert_null(copy.poles);
  free(m.name);
}

static void table_names_every_medium(void **state) {
  (void)state;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  tor_medium_print_builtin(out);
  fclose(out);
  for (int i = 0; i < tor_medium_builtin_count(); i++) assert_non_null(strstr(text, tor_medium_builtin_name(i)));
  for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    assert_true(strcspn(line, "\n") <= 120);
  free(text);
}

/* The content of Ex's cell, where a fraction of it is metal, the rest the background, and the surface has this normal:
 * 's', both in series, 'p', both side by side, 'm' the metal alone, 'b' the background alone. */
static char cell_of(double share, double nx, double ny, int through) {
  struct tor_pole drude = {.kind = TOR_DRUDE, .strength = 1e16, .gamma = 1e14};
  struct tor_medium media[2] = {{.eps = {1, 1, 1}, .mu = {1, 1, 1}},
                                {.eps = {1, 1, 1}, .mu = {1, 1, 1}, .npoles = 1, .poles = &drude}};
  struct tor_job job = {.nmedia = 2, .media = media};
  struct tor_mix mix = {.count = 2,
                        .medium = {-1, 1},
                        .share = {1 - share, share},
                        .normal = {nx, ny, sqrt(fmax(0, 1 - nx * nx - ny * ny))},
                        .through = through};
  tor_mix_resolve(&job, TOR_EX, &mix);
  if (mix.count == 1) return mix.medium[0] == 1 ? 'm' : 'b';
  return mix.normal[0] * mix.normal[0] == 1 ? 's' : mix.normal[0] == 0 ? 'p' : '?';
}

/* On curved surfaces no share may make a cell that resonates: in series with so much metal that the dielectric is a
 * thin gap, side by side with so little that the permittivities cancel each other. On flat ones across an axis both are
 * exact. */
static void cut_cells_do_not_resonate(void **state) {
  (void)state;
  for (double share = 0.02; share < 1; share += 0.04) {
    assert_int_equal(cell_of(share, 1, 0, 0), 's');
    assert_int_equal(cell_of(share, 0, 1, 0), 'p');
    assert_int_equal(cell_of(share, 0, 0, 0), 'p'); /* the normal lies along z */
    assert_int_equal(cell_of(share, 0.95, 0.1, 0), share <= 0.8 ? 's' : 'm');
    assert_int_equal(cell_of(share, 0.8, 0.5, 0), share <= 0.65 ? 's' : 'm');
    assert_int_equal(cell_of(share, 0.6, 0.7, 0), share <= 0.5 ? 'b' : 'm');
    assert_int_equal(cell_of(share, 0.2, 0.9, 0), share < 0.45 ? 'b' : 'p');
    assert_int_equal(cell_of(share, 0, 0.8, 0), share < 0.45 ? 'b' : 'p'); /* a cylinder's side */
    assert_int_equal(cell_of(share, 0, 0.8, 1), 'p'); /* that of one which goes through the domain */
  }
}

/* Three media: the metal's own normal decides, not that of the medium which happens to come first. Two dispersive ones:
 * the dielectric's permittivity at the centre of the spectrum stands in for its poles, in series alone. Two metals: no
 * part has a field of its own. */
static void cut_cells_of_three_media(void **state) {
  (void)state;
  struct tor_pole drude = {.kind = TOR_DRUDE, .strength = 1e16, .gamma = 1e14},
                  uv = {.kind = TOR_LORENTZ, .strength = 1.1, .omega = 2e16};
  struct tor_medium media[4] = {{.eps = {1, 1, 1}, .mu = {1, 1, 1}},
                                {.eps = {1, 1, 1}, .mu = {1, 1, 1}, .npoles = 1, .poles = &drude},
                                {.eps = {1, 1, 1}, .mu = {1, 1, 1}, .npoles = 1, .poles = &uv},
                                {.eps = {1, 1, 1}, .mu = {1, 1, 1}, .npoles = 1, .poles = &drude}};
  struct tor_source source = {.profile = {.kind = TOR_PULSE, .wavelength = 600e-9, .band = 300e-9}};
  struct tor_job job = {.nmedia = 4, .media = media, .nsources = 1, .sources = &source};
  struct tor_mix mix = {.count = 3,
                        .medium = {-1, 2, 1},
                        .share = {0.4, 0.3, 0.3},
                        .normal = {0.6, 0, 0.8},
                        .of_medium = {{0.6, 0, 0.8}, {0, 0, 1}, {1, 0, 0}}};
  struct tor_mix series = mix;
  tor_mix_resolve(&job, TOR_EX, &series);
  assert_int_equal(series.in_series, 1 + 2);
  assert_true(series.normal[0] == 1 && series.normal[2] == 0);
  assert_true(fabs(series.constant[1] - creal(tor_medium_permittivity(&media[2], 0, 2 * TOR_PI * TOR_C0 / 600e-9))) <
              1e-12);
  assert_true(series.constant[1] > 2 && series.constant[0] == 0 && series.constant[2] == 0);
  struct tor_mix beside = mix;
  tor_mix_resolve(&job, TOR_EZ, &beside); /* along the metal's surface */
  assert_true(!beside.in_series && beside.count == 3 && beside.normal[2] == 0 && beside.constant[1] == 0);
  struct tor_mix first = {
      .count = 2, .medium = {1, 2}, .share = {0.3, 0.7}, .normal = {1, 0, 0}}; /* whichever comes first */
  tor_mix_resolve(&job, TOR_EX, &first);
  assert_true(first.in_series == 1 && first.constant[1] > 2);
  struct tor_mix metals = {
      .count = 3, .medium = {1, 3, 2}, .share = {0.2, 0.2, 0.6}, .of_medium = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}};
  tor_mix_resolve(&job, TOR_EX, &metals);
  assert_true(metals.count == 1 && metals.medium[0] == 2);
}

/* The permittivity of an update: its coefficients between fields proportional to exp(-i w t) at the steps. */
static double complex update_permittivity(const struct tor_medium *m, double omega, const struct tor_grid *grid) {
  struct tor_dispersion d;
  const double half = 0.5 * omega * grid->dt;
  const double complex step = CMPLX(0, -2 * sin(half) / grid->ct); /* of a difference in time over ct */
  const double complex z = cexp(CMPLX(0, -half));                  /* over half a step */
  double complex eps = m->eps[0] + m->sigma[0] * TOR_ETA0 * cos(half) / step;
  tor_dispersion_make(m, grid, &d);
  for (int p = 0; p < d.npoles; p++) { /* J' = k1 J + k3 e; J at half steps */
    assert_true(!d.pole[p].has_p && !d.pole[p].implicit);
    eps += d.pole[p].k3[0] / tor_grid_metric(grid, TOR_EX) / (z - d.pole[p].k1 / z) / step;
  }
  free(d.pole);
  return eps;
}

static void the_index_at_a_wavelength_is_exact_in_the_updates(void **state) {
  static const double index[][2] = {{0.97, 1.87}, {0.1, 5},   {3.9, 0.02}, {1.5, 0}, {0.5, 0},      {0, 3},
                                    {1.0, 1e-4},  {1.2, 0.9}, {1, 1},      {30, 60}, {0.999, 1e-9}, {2, 2}};
  (void)state;
  for (int i = 0; i < COUNT(index); i++)
    for (int cells = 10; cells <= 80; cells *= 2) {
      const double wavelength = 500 * TOR_NM, n = index[i][0], k = index[i][1];
      const struct tor_job job = {.size = {1e-6, 1e-6, 1e-6},
                                  .cell = {wavelength / cells, 1.5 * wavelength / cells, wavelength / cells},
                                  .order = cells > 20 ? 2 : 4,
                                  .courant = 0.9};
      const double complex wanted = CMPLX((n - k) * (n + k), 2 * n * k);
      struct tor_grid grid;
      tor_grid_make(&job, &grid);
      struct tor_medium m = tor_medium_of_index("m", n, k, wavelength, grid.dt);
      const double complex got = update_permittivity(&m, 2 * TOR_PI * TOR_C0 / wavelength, &grid);
      assert_true(cabs(got - wanted) <= 1e-12 * fmax(cabs(wanted), 1));
      assert_true(m.eps[0] >= 1 - 1e-12 && m.sigma[0] >= 0); /* passive */
      for (int p = 0; p < m.npoles; p++) assert_true(m.poles[p].gamma >= 0 && m.poles[p].kind == TOR_DRUDE);
      assert_true(m.npoles == (creal(wanted) < 1));
      assert_true(m.eps[1] == m.eps[0] && m.sigma[2] == m.sigma[0] && m.at == wavelength);
      tor_medium_free(&m);
    }
}

/* Poles of a medium with critical points have their susceptibility in the updates at the frequency to which the
 * trapezoidal rule takes the step's, (2 / dt) tan(w dt / 2). */
static void critical_points_follow_the_trapezoidal_rule(void **state) {
  (void)state;
  struct tor_pole poles[4] = {tor_etchegoin_pole(0),
                              tor_etchegoin_pole(1),
                              tor_etchegoin_pole(2),
                              {.kind = TOR_DEBYE, .strength = 2, .tau = 1e-15, .less = {0, 0.3, 1}}};
  struct tor_medium m = tor_medium_vacuum("m");
  const struct tor_job job = {.size = {1e-6, 1e-6, 1e-6}, .cell = {4e-9, 6e-9, 5e-9}, .order = 2, .courant = 0.9};
  struct tor_grid grid;
  struct tor_dispersion d;
  tor_grid_make(&job, &grid);
  m.poles = poles;
  m.npoles = 4;
  poles[1].less[1] = 0.5;
  tor_dispersion_make(&m, &grid, &d);
  for (int a = 0; a < 3; a++)
    for (double w = 1e14; w < 3e16; w *= 1.7) {
      const double complex z = cexp(CMPLX(0, -w * grid.dt));
      double implicit = 0, own = 0;
      double complex chi = 0;
      tor_poles_implicit(&m, grid.ct, a, &implicit, &own);
      for (int p = 0; p < 4; p++) {
        const struct tor_pole_coef *k = &d.pole[p];
        assert_true(k->implicit && k->has_p);
        implicit -= k->k4[a] / tor_grid_metric(&grid, TOR_EX + a);
        chi += grid.ct / tor_grid_metric(&grid, TOR_EX + a) * z * (k->k3[a] + k->k4[a] * z) /
               (z * (z - 1 - k->k1 - grid.ct * k->k2) + k->k1);
      }
      const double complex wanted = tor_medium_permittivity(&m, a, 2 / grid.dt * tan(0.5 * w * grid.dt)) - 1;
      assert_true(cabs(chi + own - wanted) < 1e-9 * cabs(wanted));
      assert_true(fabs(implicit) < 1e-9 / grid.ct);
    }
  free(d.pole);
  free(m.name);
}

/* A pair that alone amplifies above its frequency, by a phase above 0, or below it, by one far below 0; a Drude pole or
 * a conductivity that outweighs the second, and one that just does not. */
static void media_that_amplify_are_found(void **state) {
  (void)state;
  struct tor_pole poles[3] = {{.kind = TOR_CRITICAL_POINT, .strength = 1, .omega = 3e15, .gamma = 1e14, .phase = 0.1}};
  struct tor_medium m = tor_medium_vacuum("m");
  double w;
  m.poles = poles;
  m.npoles = 1;
  assert_false(tor_medium_is_passive(&m, &w));
  assert_true(w > 3e15 && cimag(tor_medium_permittivity(&m, 0, w)) < 0);
  poles[0].phase = 0;
  assert_true(tor_medium_is_passive(&m, &w));
  poles[0].phase = -0.01; /* b1 square < gamma b0 to an angle of about gamma / omega */
  assert_true(tor_medium_is_passive(&m, &w));
  poles[0].phase = -0.7;
  assert_false(tor_medium_is_passive(&m, &w));
  assert_true(w < 3e15 && cimag(tor_medium_permittivity(&m, 0, w)) < 0);
  poles[1] = (struct tor_pole){.kind = TOR_DRUDE, .strength = 1e16, .gamma = 1e15};
  m.npoles = 2;
  assert_true(tor_medium_is_passive(&m, &w));
  m.npoles = 1;
  double least = 0; /* of w Im eps, on a fine list */
  for (double f = 1e12; f < 1e17; f *= 1.0003) least = fmin(least, f * cimag(tor_medium_permittivity(&m, 0, f)));
  for (int i = 0; i < 2; i++) {
    for (int a = 0; a < 3; a++) m.sigma[a] = (i ? 1.00001 : 0.9999) * -least * TOR_EPS0;
    assert_true(tor_medium_is_passive(&m, &w) == i);
  }
  for (int p = 0; p < 3; p++) poles[p] = tor_etchegoin_pole(p);
  m.sigma[1] = m.sigma[2] = 0;
  m.npoles = 3;
  assert_true(tor_medium_is_passive(&m, &w));
  free(m.name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cut_cells_of_three_media),
      cmocka_unit_test(fits_keep_their_stated_error),
      cmocka_unit_test(formulas_give_known_indices),
      cmocka_unit_test(metals_match_published_model),
      cmocka_unit_test(builtins_are_passive_and_causal),
      cmocka_unit_test(poles_follow_the_header),
      cmocka_unit_test(table_names_every_medium),
      cmocka_unit_test(critical_points_follow_the_trapezoidal_rule),
      cmocka_unit_test(media_that_amplify_are_found),
      cmocka_unit_test(cut_cells_do_not_resonate),
      cmocka_unit_test(the_index_at_a_wavelength_is_exact_in_the_updates),
  };
  return cmocka_run_group_tests_name("material", tests, NULL, NULL);
}
