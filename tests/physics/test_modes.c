/* Modes of guides: against the engine's own step, against the exact dispersion of slabs and surface plasmons, and the
 * silicon wire's indices. */
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
#include "src/modes/mode_solver.h"
#include "src/modes/modes.h"
#include "tests/support/plain_job.h"

static const double WAVE = 1550 * TOR_NM;

static void add_medium(struct tor_job *job, struct tor_medium medium) {
  job->media = realloc(job->media, ((size_t)job->nmedia + 1) * sizeof *job->media);
  job->media[job->nmedia++] = medium;
}

static void add_index(struct tor_job *job, double n) {
  struct tor_medium m = tor_medium_vacuum("dielectric");
  for (int a = 0; a < 3; a++) m.eps[a] = n * n;
  add_medium(job, m);
}

static void solve(const struct tor_job *job, int axis, int node, double wavelength, double target, int count,
                  struct tor_plane_media *plane, struct tor_mode *mode) {
  char why[256];
  tor_plane_media_make(job, axis, node, NULL, plane);
  const struct tor_mode_request request = {wavelength, count, target, -1};
  const int found = tor_modes_solve(job, plane, &request, mode, why, sizeof why);
  if (found < count) print_error("%d of %d modes: %s\n", found, count, why);
  assert_int_equal(found, count);
}

/* --- The engine's own step --- */

/* The mode's values as the update stores them, at all points of a thin domain: [comp][x][y][z], 0 where none is. */
static double complex *values_of(const struct tor_plane_media *p, const struct tor_mode *mode) {
  const int *n = p->grid.n;
  double complex *const all = calloc((size_t)TOR_NCOMP * (n[0] + 1) * (n[1] + 1) * (n[2] + 1), sizeof *all), *to = all;
  for (int comp = 0; comp < TOR_NCOMP; comp++)
    for (int x = 0; x <= n[0]; x++)
      for (int y = 0; y <= n[1]; y++)
        for (int z = 0; z <= n[2]; z++, to++) {
          const int at[3] = {x, y, z}, point = at[p->next] * (p->n[1] + 1) + at[p->last];
          int inside = 1;
          for (int a = 0; a < 3; a++) inside &= at[a] < n[a] || !tor_comp_half(comp, a);
          if (!inside) continue;
          *to = mode->field[comp][point] * cexp(CMPLX(0, 1) * mode->theta * (at[p->axis] - p->node)) *
                p->grid.d[tor_comp_axis(comp)] * (tor_comp_is_h(comp) ? TOR_ETA0 : 1);
        }
  return all;
}

/* Ghost values of E behind walls across z, which the update of order 4 reads and sets itself when it advances E. */
static void set_ghosts(struct tor_model *model, int comp, int x, int y) {
  const struct tor_slab *slab = &model->slab;
  const int n = slab->n[2];
  if (slab->order == 2 || tor_comp_is_h(comp) || comp == TOR_EZ) return;
  const double low = tor_plain_value(model, comp, x, y, 1), high = tor_plain_value(model, comp, x, y, n - 1);
  tor_plain_set(model, comp, x, y, -1, slab->wall[TOR_ZLO] == TOR_PMC ? low : -low);
  tor_plain_set(model, comp, x, y, n + 1, slab->wall[TOR_ZHI] == TOR_PMC ? high : -high);
}

/* Sets or compares E of a step and H half a step earlier; returns the largest difference near the plane relative to the
 * largest value there. */
static double visit(struct tor_model *model, const struct tor_plane_media *p, const struct tor_mode *mode,
                    const double complex *from, double step, double amplitude, int set) {
  const int *n = model->slab.n;
  double most[2] = {0}, off[2] = {0};
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    const int h = tor_comp_is_h(comp);
    const double complex phase = amplitude * cexp(CMPLX(0, -1) * mode->omega * model->grid.dt * (step - 0.5 * h));
    for (int x = 0; x <= n[0]; x++)
      for (int y = 0; y <= n[1]; y++) {
        for (int z = 0; z <= n[2]; z++) {
          const double value = creal(*from++ * phase);
          const int at[3] = {x, y, z}, along = at[p->axis] - p->node;
          if (set) {
            tor_plain_set(model, comp, x, y, z, value);
          } else if (along == -1 || along == 0) {
            most[h] = fmax(most[h], fabs(value));
            if (tor_plane_media_share(p, comp, at[p->next] * (p->n[1] + 1) + at[p->last]) > 0)
              off[h] = fmax(off[h], fabs(value - tor_plain_value(model, comp, x, y, z)));
          }
        }
        if (set) set_ghosts(model, comp, x, y);
      }
  }
  return set ? 0 : fmax(off[0] / most[0], off[1] / most[1]);
}

/* Imposes the mode with a slow start, so that the memory of poles, nodes and CPML follows, and then lets the engine
 * make one step. The domain has 8 cells along the axis; `periods`: of the start, 0 where the update has no memory. */
static void check_step(struct tor_job *job, int axis, double wavelength, double target, int count, double periods) {
  struct tor_plane_media plane;
  struct tor_mode mode[4];
  struct tor_model model;
  struct tor_simulation sim;
  struct tor_faults faults = {0};
  solve(job, axis, 4, wavelength, target, count, &plane, mode);
  for (int m = 0; m < count; m++) {
    assert_int_equal(tor_model_make(job, 1, &model, &faults), 0);
    const struct tor_engine_setup setup = {TOR_ENGINE_STEPWISE, 0, 1};
    tor_simulation_init(&sim, &model, &setup, 1);
    const double length = periods * 2 * TOR_PI / mode[m].omega / model.grid.dt;
    double amplitude = 1;
    const int last = (int)length + 2;
    double complex *const values = values_of(&plane, &mode[m]);
    model.steps = last;
    for (int n = 0; n < last; n++) {
      if (length > 0) amplitude = 0.5 * erfc(5.7 * (1 - 2 * n / length));
      visit(&model, &plane, &mode[m], values, n, amplitude, 1);
      tor_simulation_stage(&sim, n + 1);
    }
    const double off = visit(&model, &plane, &mode[m], values, last, amplitude, 0);
    print_message("n_eff %.6f %+.2e i, n_g %.5f: one step off by %.1e; residual %.1e\n", creal(mode[m].n_eff),
                  cimag(mode[m].n_eff), creal(mode[m].group), off, mode[m].residual);
    assert_true(off < 1e-10);
    free(values);
    tor_simulation_free(&sim);
    tor_model_free(&model);
    tor_mode_free(&mode[m]);
  }
  tor_plane_media_free(&plane);
}

/* A job of 8 cells along an axis, n[0], n[1] along the next ones, with one object of the index in 1.444. */
static void guide_job(struct tor_job *job, int axis, int n0, int n1, const double cell[3], int order,
                      struct tor_object *object) {
  int n[3];
  n[axis] = 8;
  n[(axis + 1) % 3] = n0;
  n[(axis + 2) % 3] = n1;
  tor_plain_job(job, n, cell, order, TOR_F64, TOR_PEC, 0);
  add_index(job, 1.444);
  add_index(job, 3.4757);
  job->background = 1;
  object->medium = 2;
  job->nobjects = 1;
  job->objects = object;
}

static const double COARSE[3] = {40 * TOR_NM, 36 * TOR_NM, 44 * TOR_NM};

static void a_step_keeps_the_mode_order2(void **state) {
  (void)state;
  struct tor_job job;
  struct tor_object box = {.shape = TOR_BOX, .size = {1, 450 * TOR_NM, 225 * TOR_NM}};
  guide_job(&job, TOR_X, 40, 30, COARSE, 2, &box);
  check_step(&job, TOR_X, WAVE, 2.4, 2, 0);
  tor_plain_job_free(&job);
}

static void a_step_keeps_the_mode_order4_mirrors(void **state) {
  (void)state;
  struct tor_job job;
  /* Along y: next z, last x. */
  struct tor_object box = {
      .shape = TOR_BOX, .center = {-10 * 40 * TOR_NM, 0, -8 * 44 * TOR_NM}, .size = {450 * TOR_NM, 1, 230 * TOR_NM}};
  guide_job(&job, TOR_Y, 16, 20, COARSE, 4, &box);
  job.boundary[TOR_ZLO].wall = TOR_PMC;
  check_step(&job, TOR_Y, WAVE, 2.4, 1, 0);
  job.boundary[TOR_XLO].wall = TOR_PMC;
  job.boundary[TOR_ZLO].wall = TOR_PEC;
  check_step(&job, TOR_Y, WAVE, 1.8, 1, 0);
  tor_plain_job_free(&job);
}

static void a_step_keeps_the_mode_surface_nodes(void **state) {
  (void)state;
  struct tor_job job;
  struct tor_object rod = {.shape = TOR_CYLINDER, .axis = TOR_Z, .radius = {230 * TOR_NM}, .height = 1};
  rod.center[0] = 7 * TOR_NM;
  guide_job(&job, TOR_Z, 24, 26, COARSE, 2, &rod);
  job.averaging = TOR_AVERAGE_TENSOR;
  check_step(&job, TOR_Z, WAVE, 2.6, 2, 14);
  tor_plain_job_free(&job);
  struct tor_object half = {.shape = TOR_CYLINDER, .axis = TOR_X, .radius = {230 * TOR_NM}, .height = 1};
  half.center[1] = -12 * 36 * TOR_NM;
  guide_job(&job, TOR_X, 12, 24, COARSE, 4, &half);
  job.averaging = TOR_AVERAGE_TENSOR;
  check_step(&job, TOR_X, WAVE, 2.6, 1, 14);
  tor_plain_job_free(&job);
}

static void a_step_keeps_the_mode_metal(void **state) {
  (void)state;
  struct tor_job job;
  struct tor_medium gold;
  struct tor_object wire = {.shape = TOR_CYLINDER, .axis = TOR_X, .radius = {61 * TOR_NM}, .height = 1};
  const double cell[3] = {14 * TOR_NM, 13 * TOR_NM, 15 * TOR_NM};
  assert_true(tor_medium_builtin("Au", &gold));
  guide_job(&job, TOR_X, 18, 16, cell, 2, &wire);
  job.courant = 0.7;
  add_medium(&job, gold);
  wire.medium = 3;
  check_step(&job, TOR_X, 800 * TOR_NM, 1.9, 1, 60);
  tor_plain_job_free(&job);
}

static void a_step_keeps_the_mode_layers_and_periods(void **state) {
  (void)state;
  struct tor_job job;
  struct tor_object box = {.shape = TOR_BOX, .size = {1, 450 * TOR_NM, 225 * TOR_NM}};
  guide_job(&job, TOR_X, 30, 34, COARSE, 2, &box);
  for (int f = TOR_YLO; f <= TOR_YHI; f++) job.boundary[f].wall = TOR_PERIODIC;
  for (int f = TOR_ZLO; f <= TOR_ZHI; f++)
    job.boundary[f] =
        (struct tor_boundary){.wall = TOR_CPML, .cells = 8, .grade = 3, .sigma = 1, .kappa = 2, .alpha = 0.3};
  check_step(&job, TOR_X, WAVE, 2.4, 1, 22);
  for (int f = TOR_YLO; f <= TOR_ZHI; f++)
    job.boundary[f] = (struct tor_boundary){.wall = TOR_ABSORBER, .cells = 8, .grade = 3, .sigma = 1, .kappa = 1};
  check_step(&job, TOR_X, WAVE, 2.4, 1, 0);
  tor_plain_job_free(&job);
}

/* --- Exact dispersions --- */

/* n_eff of the even TE mode of a slab of half thickness m cells, its faces on nodes, on the grid of order 2: with K = 2
 * sin(w dt / 2) / (c dt), B = 2 sin(beta d / 2) / d the field is cos inside, falls by a constant factor a cell outside,
 * and at the face eps is the mean. */
static double slab_on_grid(const struct tor_grid *g, double wavelength, double n1, double n2, int m) {
  const double omega = 2 * TOR_PI * TOR_C0 / wavelength, k = 2 * sin(0.5 * omega * g->dt) / g->ct, dz = g->d[2];
  double lo = k * n2 * (1 + 1e-12), hi = k * n1 * (1 - 1e-12);
  for (int i = 0; i < 200; i++) {
    const double b = 0.5 * (lo + hi);
    const double inside = 2 * asin(0.5 * dz * sqrt(k * k * n1 * n1 - b * b));
    const double outside = 2 * asinh(0.5 * dz * sqrt(b * b - k * k * n2 * n2));
    const double face = cos(inside * m), eps = 0.5 * (n1 * n1 + n2 * n2);
    const double off = face * exp(-outside) + cos(inside * (m - 1)) - 2 * face + dz * dz * (k * k * eps - b * b) * face;
    if (off > 0)
      lo = b;
    else
      hi = b;
  }
  return 2 * asin(0.5 * g->d[0] * lo) / g->d[0] * TOR_C0 / omega;
}

/* The same of the slab itself: tan(h d / 2) = q / h. */
static double slab_exact(double wavelength, double n1, double n2, double half) {
  const double k = 2 * TOR_PI / wavelength;
  double lo = n2, hi = n1;
  for (int i = 0; i < 200; i++) {
    const double n = 0.5 * (lo + hi), h = k * sqrt(n1 * n1 - n * n), q = k * sqrt(n * n - n2 * n2);
    if (h * half > TOR_PI / 2 || h * sin(h * half) > q * cos(h * half))
      lo = n;
    else
      hi = n;
  }
  return lo;
}

static double slab_error(double cell, double *group) {
  const double edge[3] = {cell, 50 * TOR_NM, cell};
  const int m = (int)lround(110 * TOR_NM / cell), n[3] = {8, 1, (int)lround(1760 * TOR_NM / cell)};
  struct tor_job job;
  struct tor_object slab = {.shape = TOR_LAYER, .axis = TOR_Z, .medium = 2, .lo = -INFINITY};
  tor_plain_job(&job, n, edge, 2, TOR_F64, TOR_PEC, 0);
  job.boundary[TOR_ZLO].wall = TOR_PMC;
  add_index(&job, 1.444);
  add_index(&job, 3.4757);
  job.background = 1;
  slab.hi = -0.5 * n[2] * cell + m * cell;
  job.nobjects = 1;
  job.objects = &slab;
  struct tor_plane_media plane;
  struct tor_mode mode;
  solve(&job, TOR_X, 4, WAVE, 2.8, 1, &plane, &mode);
  const double on_grid = slab_on_grid(&plane.grid, WAVE, 3.4757, 1.444, m),
               exact = slab_exact(WAVE, 3.4757, 1.444, m * cell);
  const double step = 1e-4 * WAVE;
  *group = creal(mode.group);
  const double by_two = on_grid - WAVE *
                                      (slab_on_grid(&plane.grid, WAVE + step, 3.4757, 1.444, m) -
                                       slab_on_grid(&plane.grid, WAVE - step, 3.4757, 1.444, m)) /
                                      (2 * step);
  print_message("slab, %g nm: n_eff %.10f, on the grid %.10f, exact %.6f; n_g %.8f, by two wavelengths %.8f; TE %.3f\n",
                cell / TOR_NM, creal(mode.n_eff), on_grid, exact, creal(mode.group), by_two, mode.te);
  assert_true(fabs(creal(mode.n_eff) / on_grid - 1) < 1e-11);
  assert_true(fabs(creal(mode.group) / by_two - 1) < 1e-6);
  assert_true(mode.te > 0.999999);
  const double error = creal(mode.n_eff) - exact;
  tor_mode_free(&mode);
  tor_plane_media_free(&plane);
  tor_plain_job_free(&job);
  return error;
}

static void slab_has_the_exact_dispersion(void **state) {
  (void)state;
  double group[2];
  const double coarse = slab_error(22 * TOR_NM, &group[0]), fine = slab_error(11 * TOR_NM, &group[1]);
  print_message("errors %.2e, %.2e: order %.2f\n", coarse, fine, log2(coarse / fine));
  assert_true(fabs(fine) < 2e-3 && log2(coarse / fine) > 1.9 && log2(coarse / fine) < 2.1);
}

/* Real and imaginary part of an index within these shares of theory's. */
static void assert_index(const char *of, double complex n, double complex theory, double real, double imaginary) {
  const double off[2] = {creal(n) / creal(theory) - 1, cimag(n) / cimag(theory) - 1};
  print_message("%s: n_eff %.6f %+.4e i, theory %.6f %+.4e i; off by %.1e, %.1e\n", of, creal(n), cimag(n),
                creal(theory), cimag(theory), off[0], off[1]);
  assert_true(fabs(off[0]) < real);
  assert_true(fabs(off[1]) < imaginary);
}

/* Gold under glass, 800 nm: beta = k sqrt(eps_1 eps_2 / (eps_1 + eps_2)). */
static void plasmon_has_the_complex_index_of_theory(void **state) {
  (void)state;
  const double wavelength = 800 * TOR_NM, edge[3] = {5 * TOR_NM, 20 * TOR_NM, 2 * TOR_NM};
  const int n[3] = {8, 1, 1800};
  struct tor_job job;
  struct tor_medium gold;
  struct tor_object metal = {.shape = TOR_LAYER, .axis = TOR_Z, .medium = 2, .lo = -INFINITY};
  assert_true(tor_medium_builtin("Au", &gold));
  tor_plain_job(&job, n, edge, 2, TOR_F64, TOR_PEC, 0);
  job.boundary[TOR_YLO].wall = job.boundary[TOR_YHI].wall = TOR_PMC;
  add_index(&job, 1.5);
  add_medium(&job, gold);
  job.background = 1;
  metal.hi = -0.5 * n[2] * edge[2] + 200 * edge[2];
  job.nobjects = 1;
  job.objects = &metal;
  struct tor_plane_media plane;
  struct tor_mode mode;
  solve(&job, TOR_X, 4, wavelength, 1.57, 1, &plane, &mode);
  const double complex eps = tor_medium_permittivity(&job.media[2], 0, 2 * TOR_PI * TOR_C0 / wavelength);
  const double complex theory = csqrt(eps * 2.25 / (eps + 2.25));
  assert_index("plasmon", mode.n_eff, theory, 1e-3, 1e-2);
  tor_mode_free(&mode);
  tor_plane_media_free(&plane);
  tor_plain_job_free(&job);
}

/* Modified Bessel functions by their series. */
static void bessel(double complex z, double complex i[2], double complex k[2]) {
  static const double EULER = 0.57721566490153286;
  double complex term = 1, rest = 0;
  double sum = 0; /* 1 + 1/2 + ... */
  i[0] = i[1] = 0;
  for (int m = 0; m < 60; m++) {
    i[0] += term;
    i[1] += term * 0.5 * z / (m + 1);
    rest += term * sum;
    term *= 0.25 * z * z / ((m + 1.0) * (m + 1.0));
    sum += 1 / (m + 1.0);
  }
  k[0] = rest - (clog(0.5 * z) + EULER) * i[0];
  k[1] = (1 / z - i[1] * k[0]) / i[0];
}

/* 0 for the index of TM0 of a metal wire; radius times 2 pi over wavelength. */
static double complex wire_relation(double complex n, double radius, double complex metal, double around) {
  const double complex g = csqrt(n * n - metal), q = csqrt(n * n - around);
  double complex inside[2], outside[2], unused[2];
  bessel(g * radius, inside, unused);
  bessel(q * radius, unused, outside);
  return metal * inside[1] / (g * inside[0]) + around * outside[1] / (q * outside[0]);
}

/* A gold wire in glass, radius 32 nm, 800 nm, cells of 5 nm: E along it at its round side counts by shares of area. */
static void gold_wire_has_the_complex_index_of_theory(void **state) {
  (void)state;
  const double wavelength = 800 * TOR_NM, edge[3] = {5 * TOR_NM, 5 * TOR_NM, 5 * TOR_NM}, radius = 32 * TOR_NM;
  const int n[3] = {8, 60, 60};
  struct tor_job job;
  struct tor_medium gold;
  struct tor_object wire = {.shape = TOR_CYLINDER, .axis = TOR_X, .medium = 2, .height = 1, .radius = {radius}};
  assert_true(tor_medium_builtin("Au", &gold));
  tor_plain_job(&job, n, edge, 2, TOR_F64, TOR_PEC, 0);
  job.boundary[TOR_YLO].wall = job.boundary[TOR_ZLO].wall = TOR_PMC;
  for (int a = 1; a < 3; a++) wire.center[a] = -0.5 * n[a] * edge[a];
  add_index(&job, 1.444);
  add_medium(&job, gold);
  job.background = 1;
  job.nobjects = 1;
  job.objects = &wire;
  struct tor_plane_media plane;
  struct tor_mode mode;
  solve(&job, TOR_X, 4, wavelength, 2.2, 1, &plane, &mode);
  const double k = 2 * TOR_PI / wavelength, around = 1.444 * 1.444;
  const double complex eps = tor_medium_permittivity(&job.media[2], 0, k * TOR_C0);
  double complex theory = mode.n_eff;
  for (int i = 0; i < 20; i++) {
    const double complex at = wire_relation(theory, k * radius, eps, around),
                         next = wire_relation(theory + 1e-6, k * radius, eps, around);
    theory -= 1e-6 * at / (next - at);
  }
  assert_index("gold wire", mode.n_eff, theory, 3e-3, 1e-2);
  tor_mode_free(&mode);
  tor_plane_media_free(&plane);
  tor_plain_job_free(&job);
}

/* --- The silicon wire --- */

/* A quarter of the 450 x 220 nm wire in silica. te: mirrors of TE0, else of TM0. */
static void wire_mode(const double cell[3], int order, int te, struct tor_mode *mode) {
  const int n[3] = {8, (int)lround(1125 * TOR_NM / cell[1]), (int)lround(1100 * TOR_NM / cell[2])};
  struct tor_job job;
  struct tor_plane_media plane;
  struct tor_object box = {.shape = TOR_BOX, .medium = 2, .size = {1, 450 * TOR_NM, 220 * TOR_NM}};
  tor_plain_job(&job, n, cell, order, TOR_F64, TOR_PEC, 0);
  job.boundary[te ? TOR_ZLO : TOR_YLO].wall = TOR_PMC;
  for (int a = 1; a < 3; a++) box.center[a] = -0.5 * n[a] * cell[a];
  add_index(&job, 1.444);
  add_index(&job, 3.4757);
  job.background = 1;
  job.nobjects = 1;
  job.objects = &box;
  solve(&job, TOR_X, 4, WAVE, te ? 2.4 : 1.8, 1, &plane, mode);
  tor_plane_media_free(&plane);
  tor_plain_job_free(&job);
}

static void silicon_wire_has_its_indices(void **state) {
  (void)state;
  static const double index[2] = {1.7333, 2.3528}, group[2] = {3.520, 4.147};
  const double cubes[3] = {20 * TOR_NM, 20 * TOR_NM, 20 * TOR_NM}, fit[3] = {25 * TOR_NM, 25 * TOR_NM, 22 * TOR_NM},
               half[3] = {12.5 * TOR_NM, 12.5 * TOR_NM, 11 * TOR_NM};
  for (int te = 0; te < 2; te++) {
    struct tor_mode at20, coarse, fine;
    wire_mode(cubes, 2, te, &at20);
    wire_mode(fit, 2, te, &coarse);
    wire_mode(half, 2, te, &fine);
    const double order = log2((creal(coarse.n_eff) - index[te]) / (creal(fine.n_eff) - index[te]));
    print_message("%s0: n_eff %.5f at 20 nm, %.5f, %.5f with faces on nodes; n_g %.4f, %.4f, %.4f; order %.2f\n",
                  te ? "TE" : "TM", creal(at20.n_eff), creal(coarse.n_eff), creal(fine.n_eff), creal(at20.group),
                  creal(coarse.group), creal(fine.group), order);
    assert_true(fabs(creal(at20.n_eff) - index[te]) < 1e-2 && fabs(creal(at20.group) - group[te]) < 5e-2);
    assert_true(fabs(creal(fine.n_eff) - index[te]) < 3e-3 && fabs(creal(fine.group) - group[te]) < 1.6e-2);
    assert_true(order > 1.7);
    assert_true(te ? fine.te > 0.9 : fine.te < 0.1);
    tor_mode_free(&at20);
    tor_mode_free(&coarse);
    tor_mode_free(&fine);
  }
}

int main(void) {
  if (!tor_mode_solver_built()) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_keeps_the_mode_order2),
      cmocka_unit_test(a_step_keeps_the_mode_order4_mirrors),
      cmocka_unit_test(a_step_keeps_the_mode_surface_nodes),
      cmocka_unit_test(a_step_keeps_the_mode_metal),
      cmocka_unit_test(a_step_keeps_the_mode_layers_and_periods),
      cmocka_unit_test(slab_has_the_exact_dispersion),
      cmocka_unit_test(plasmon_has_the_complex_index_of_theory),
      cmocka_unit_test(gold_wire_has_the_complex_index_of_theory),
      cmocka_unit_test(silicon_wire_has_its_indices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
