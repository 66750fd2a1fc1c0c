/* Graded grids: a thin gold film against equal cells and the transfer matrix, the order of convergence, a dipole's
 * power from its field and through a box in graded cells, an empty total-field box. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>

#include "jobs/tools/mie.h"
#include "src/base/units.h"
#include "src/job/graded.h"
#include "src/model/spectrum.h"
#include "tests/support/plain_job.h"

/* --- A film --- */

enum { FREQ = 3 };
static double wavelength[FREQ] = {600 * TOR_NM, 800 * TOR_NM, 1000 * TOR_NM};

/* What a job of a film points to. */
struct film {
  struct tor_object layer;
  struct tor_source wave;
  struct tor_monitor flux[2]; /* before the film, behind it */
  double *nodes;
};

static const double SIDE = 20 * TOR_NM, HALF = 800 * TOR_NM, LAYER = 200 * TOR_NM;

/* A film across `axis`, of the last medium, in cells of length `cell` along it, or, nodes not NULL, graded ones. The
 * nodes are the job's then. */
static void make_film(struct tor_job *job, struct film *film, int axis, double cell, double *nodes, int count,
                      double thickness) {
  const int p = (axis + 1) % 3, m = (axis + 2) % 3;
  const double domain = nodes ? nodes[count - 1] - nodes[0] : 2 * HALF;
  int n[3] = {1, 1, 1};
  double edge[3] = {SIDE, SIDE, SIDE};
  edge[axis] = cell;
  n[axis] = (int)lround(domain / cell);
  tor_plain_job(job, n, edge, 2, TOR_F64, TOR_PEC, 0);
  job->nodes[axis] = nodes;
  job->nnode[axis] = count;
  for (int f = 0; f < 2; f++) {
    job->boundary[2 * axis + f] = (struct tor_boundary){TOR_CPML, (int)lround(LAYER / cell), 3, 1, 1, 0.05, 0};
    job->boundary[2 * m + f].wall = TOR_PMC;
  }
  job->media = realloc(job->media, 2 * sizeof *job->media);
  assert_true(tor_medium_builtin("Au", &job->media[job->nmedia++]));
  film->layer =
      (struct tor_object){.shape = TOR_LAYER, .medium = 1, .axis = axis, .lo = -0.5 * thickness, .hi = 0.5 * thickness};
  job->nobjects = 1;
  job->objects = &film->layer;
  film->wave =
      (struct tor_source){.kind = TOR_PLANE_WAVE, .name = "w", .axis = axis, .direction = 1, .polarisation = p};
  film->wave.profile =
      (struct tor_profile){.kind = TOR_PULSE, .wavelength = 750 * TOR_NM, .band = 500 * TOR_NM, .amplitude = 1};
  for (int a = 0; a < 3; a++) film->wave.lo[a] = -(film->wave.hi[a] = 1);
  film->wave.lo[axis] = -300 * TOR_NM;
  job->nsources = 1;
  job->sources = &film->wave;
  for (int i = 0; i < 2; i++) {
    film->flux[i] =
        (struct tor_monitor){.kind = TOR_FLUX, .name = i ? "t" : "r", .nwavelength = FREQ, .wavelength = wavelength};
    for (int a = 0; a < 3; a++) film->flux[i].lo[a] = -(film->flux[i].hi[a] = 1);
    film->flux[i].lo[axis] = film->flux[i].hi[axis] = (i ? 300 : -400) * TOR_NM;
  }
  job->nmonitors = 2;
  job->monitors = film->flux;
  job->run_time = 60e-15;
  job->run_decay = 1e-9;
}

/* R and T at the wavelengths; ends the job. */
static void run_film(struct tor_job *job, double rt[2][FREQ]) {
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(job, &model, &sim);
  tor_plain_run(&sim);
  for (int i = 0; i < 2; i++) {
    struct tor_spectrum s;
    tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[i], &s);
    for (int q = 0; q < FREQ; q++) rt[i][q] = i ? s.value[1][q] : -s.value[1][q];
    tor_spectrum_free(&s);
  }
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(job);
}

/* Nodes of a film of the thickness in cells of 1 nm, 20 nm outside, ratio 1.3, each cell in `parts`. */
static double *film_nodes(double thickness, int parts, int *count) {
  const double cell = 20 * TOR_NM, end = LAYER + cell;
  const struct tor_refined refined[] = {
      {-HALF, -HALF + end, cell}, {HALF - end, HALF, cell}, {-0.5 * thickness, 0.5 * thickness, 1 * TOR_NM}};
  double *nodes, where;
  const int n = tor_graded_make(-HALF, HALF, cell, 1.3, refined, 3, 2, &nodes, &where);
  assert_true(n > 50 && n < 150 && tor_graded_ratio(nodes, n) < 1.3 * (1 + 1e-6));
  double *fine = malloc(((size_t)(n - 1) * (size_t)parts + 1) * sizeof *fine);
  *count = (n - 1) * parts + 1;
  for (int i = 0; i < *count; i++) {
    const int k = i / parts < n - 1 ? i / parts : n - 2;
    fine[i] = nodes[k] + (double)(i - k * parts) / parts * (nodes[k + 1] - nodes[k]);
  }
  free(nodes);
  return fine;
}

static double largest_difference(double a[2][FREQ], double b[2][FREQ]) {
  double most = 0;
  for (int i = 0; i < 2; i++)
    for (int q = 0; q < FREQ; q++) most = fmax(most, fabs(a[i][q] - b[i][q]));
  return most;
}

static void gold_film_of_5_nm(void **state) {
  (void)state;
  const double thickness = 5 * TOR_NM;
  double theory[2][FREQ], equal[2][FREQ], first[2][FREQ] = {{0}};
  struct tor_job job;
  struct film parts;
  make_film(&job, &parts, TOR_Z, 1 * TOR_NM, NULL, 0, thickness);
  job.size[TOR_Z] += 1 * TOR_NM; /* nodes at half nanometres, as the film's sides */
  for (int q = 0; q < FREQ; q++) {
    const double complex film = tor_medium_permittivity(&job.media[1], 0, 2 * TOR_PI * TOR_C0 / wavelength[q]),
                         eps[3] = {1, film, 1};
    tor_slab_rt(1, eps, &thickness, wavelength[q], &theory[0][q], &theory[1][q]);
  }
  run_film(&job, equal);
  print_message("equal cells: R, T off the transfer matrix by at most %.1e\n", largest_difference(equal, theory));
  for (int axis = TOR_Z; axis >= TOR_X; axis--) {
    double graded[2][FREQ];
    int count;
    double *nodes = film_nodes(thickness, 1, &count);
    make_film(&job, &parts, axis, 20 * TOR_NM, nodes, count, thickness);
    run_film(&job, graded);
    free(nodes);
    print_message("graded along %c, %d cells: off equal cells by %.1e, off the transfer matrix by %.1e\n", "xyz"[axis],
                  count - 1, largest_difference(graded, equal), largest_difference(graded, theory));
    assert_true(largest_difference(graded, equal) < 1e-3 && largest_difference(graded, theory) < 1e-3);
    if (axis == TOR_Z)
      for (int i = 0; i < 2 * FREQ; i++) first[i / FREQ][i % FREQ] = graded[i / FREQ][i % FREQ];
    assert_true(largest_difference(graded, first) < 1e-9);
  }
}

static void graded_cells_are_of_second_order(void **state) {
  (void)state;
  const double thickness = 5 * TOR_NM;
  double theory[2][FREQ], error[3];
  for (int k = 0; k < 3; k++) {
    double rt[2][FREQ];
    struct tor_job job;
    struct film parts;
    int count;
    double *nodes = film_nodes(thickness, 1 << k, &count);
    make_film(&job, &parts, TOR_Z, 20 * TOR_NM / (1 << k), nodes, count, thickness);
    job.run_decay = 1e-12;
    for (int q = 0; q < FREQ; q++) {
      const double complex film = tor_medium_permittivity(&job.media[1], 0, 2 * TOR_PI * TOR_C0 / wavelength[q]),
                           eps[3] = {1, film, 1};
      tor_slab_rt(1, eps, &thickness, wavelength[q], &theory[0][q], &theory[1][q]);
    }
    run_film(&job, rt);
    free(nodes);
    error[k] = largest_difference(rt, theory);
  }
  print_message("cells, halved, quartered: off the transfer matrix by %.2e, %.2e, %.2e: orders %.2f, %.2f\n", error[0],
                error[1], error[2], log2(error[0] / error[1]), log2(error[1] / error[2]));
  assert_true(log2(error[0] / error[1]) > 1.8 && log2(error[1] / error[2]) > 1.8);
}

/* --- Three dimensions --- */

static double of_dipole[2] = {300 * TOR_NM, 400 * TOR_NM};

/* Grades all axes of a job with walls at -half, half: cells of 20 nm, in [lo, hi] of 10 nm. */
static void grade(struct tor_job *job, double half, double lo, double hi, int layers) {
  const double cell = 20 * TOR_NM, end = (layers + 1) * cell;
  for (int a = 0; a < 3; a++) {
    const double shift = 3 * a * TOR_NM; /* the axes differ */
    const struct tor_refined refined[] = {
        {-half, -half + end, cell}, {half - end, half, cell}, {lo + shift, hi + shift, (10 - a) * TOR_NM}};
    double where;
    job->nnode[a] = tor_graded_make(-half, half, cell, 1.25, refined, 3, 2, &job->nodes[a], &where);
    assert_true(job->nnode[a] > 0);
  }
}

static void dipole_power(enum tor_source_kind kind, int axis) {
  const int n[3] = {36, 36, 36};
  const double cell[3] = {20 * TOR_NM, 20 * TOR_NM, 20 * TOR_NM}, half = 360 * TOR_NM;
  struct tor_job job;
  tor_plain_job(&job, n, cell, 2, TOR_F64, TOR_CPML, 8);
  grade(&job, half, -50 * TOR_NM, 40 * TOR_NM, 8);
  struct tor_source dipole = {.kind = kind, .name = "dipole", .polarisation = axis};
  dipole.profile = (struct tor_profile){
      .kind = TOR_PULSE, .wavelength = 350 * TOR_NM, .band = 200 * TOR_NM, .amplitude = 1e-9, .zero_mean = 1};
  for (int a = 0; a < 3; a++) dipole.position[a] = (41 + 7 * a) * TOR_NM; /* where cells differ, off all points */
  job.nsources = 1;
  job.sources = &dipole;
  struct tor_monitor monitors[2] = {
      {.kind = TOR_FLUX_BOX, .name = "box", .nwavelength = 2, .wavelength = of_dipole},
      {.kind = TOR_DECAY_RATE, .name = "field", .nwavelength = 2, .wavelength = of_dipole}};
  for (int a = 0; a < 3; a++) {
    monitors[0].lo[a] = -70 * TOR_NM; /* in graded cells */
    monitors[0].hi[a] = 120 * TOR_NM;
  }
  job.nmonitors = 2;
  job.monitors = monitors;
  job.run_time = 14e-15;
  struct tor_model model;
  struct tor_simulation sim;
  struct tor_spectrum box, field;
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[0], &box);
  tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[1], &field);
  for (int q = 0; q < 2; q++) {
    const double theory = tor_dipole_power(model.sources, 0, 2 * TOR_PI * TOR_C0 / of_dipole[q]),
                 work = field.value[0][q] / box.value[0][q] - 1, power = box.value[0][q] / theory;
    print_message("%s dipole along %c, %.0f nm: power / theory %.4f; from its field %.1e more\n",
                  kind == TOR_ELECTRIC_DIPOLE ? "electric" : "magnetic", "xyz"[axis], of_dipole[q] / TOR_NM, power,
                  work);
    assert_true(fabs(power - 1) < 0.02 && fabs(work) < 1e-6);
  }
  tor_spectrum_free(&box);
  tor_spectrum_free(&field);
  tor_plain_stop(&model, &sim);
  for (int a = 0; a < 3; a++) free(job.nodes[a]);
  tor_plain_job_free(&job);
}

static void dipoles_radiate_what_their_fields_give(void **state) {
  (void)state;
  dipole_power(TOR_ELECTRIC_DIPOLE, TOR_X);
  dipole_power(TOR_MAGNETIC_DIPOLE, TOR_Z);
}

/* A wave whose box has all its faces in graded cells: outside there is rounding. */
static void empty_box(int axis, int polarisation) {
  const int n[3] = {20, 20, 20};
  const double cell[3] = {20 * TOR_NM, 20 * TOR_NM, 20 * TOR_NM};
  struct tor_job job;
  tor_plain_job(&job, n, cell, 2, TOR_F64, TOR_CPML, 5);
  grade(&job, 200 * TOR_NM, -20 * TOR_NM, 20 * TOR_NM, 5);
  struct tor_source wave = {.kind = TOR_PLANE_WAVE,
                            .name = "w",
                            .axis = axis,
                            .direction = polarisation == TOR_X ? -1 : 1,
                            .polarisation = polarisation};
  wave.profile =
      (struct tor_profile){.kind = TOR_PULSE, .wavelength = 350 * TOR_NM, .band = 200 * TOR_NM, .amplitude = 1};
  for (int a = 0; a < 3; a++) {
    wave.lo[a] = -35 * TOR_NM;
    wave.hi[a] = 40 * TOR_NM;
  }
  job.nsources = 1;
  job.sources = &wave;
  job.run_time = 7e-15;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  const struct tor_box *box = tor_incident_box(model.sources, 0);
  double inside = 0, outside = 0;
  while (!tor_simulation_done(&sim)) {
    tor_simulation_stage(&sim, sim.step + 16);
    for (int ix = 0; ix < model.grid.n[0]; ix++)
      for (int iy = 0; iy < model.grid.n[1]; iy++)
        for (int iz = 0; iz < model.grid.n[2]; iz++) {
          const int at[3] = {ix, iy, iz}, comp = TOR_EX + polarisation;
          int out = 0;
          for (int a = 0; a < 3; a++) out |= at[a] < box->lo[a] || at[a] + tor_comp_half(comp, a) > box->hi[a];
          const double e = fabs(tor_plain_value(&model, comp, ix, iy, iz)) * tor_component_scale(&model.grid, comp, at);
          *(out ? &outside : &inside) = fmax(out ? outside : inside, e);
        }
  }
  print_message("wave along %c, E along %c: %.3f V/m inside, %.1e outside\n", "xyz"[axis], "xyz"[polarisation], inside,
                outside);
  assert_true(inside > 0.9 && inside < 1.1 && outside < 1e-12);
  tor_plain_stop(&model, &sim);
  for (int a = 0; a < 3; a++) free(job.nodes[a]);
  tor_plain_job_free(&job);
}

static void nothing_leaves_an_empty_box(void **state) {
  (void)state;
  empty_box(TOR_Z, TOR_X);
  empty_box(TOR_X, TOR_Y);
  empty_box(TOR_Y, TOR_Z);
}

/* --- Lengths of cells --- */

static void cells_obey_the_ratio(void **state) {
  (void)state;
  const struct tor_refined one[] = {{-3, 4, 1}}, nested[] = {{-30, 30, 4}, {-3, 4, 0.5}, {40, 41, 0.1}},
                           close[] = {{-3, 4, 1}, {4.5, 9, 1}};
  double *nodes, where = 0;
  int n = tor_graded_make(-100, 100, 10, 1.3, one, 1, 0, &nodes, &where), inside = 0;
  assert_true(n > 0 && nodes[0] == -100 && nodes[n - 1] == 100 && tor_graded_ratio(nodes, n) < 1.3 * (1 + 1e-6));
  for (int i = 0; i + 1 < n; i++) inside += nodes[i] > -3 - 1e-9 && nodes[i + 1] < 4 + 1e-9;
  assert_int_equal(inside, 7);
  free(nodes);
  n = tor_graded_make(-100, 100, 10, 1.2, nested, 3, 0, &nodes, &where);
  assert_true(n > 0 && tor_graded_ratio(nodes, n) < 1.2 * (1 + 1e-6));
  free(nodes);
  assert_int_equal(tor_graded_make(-100, 100, 10, 1.3, close, 2, 0, &nodes, &where), 0);
  assert_true(where >= 4 && where <= 4.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cells_obey_the_ratio), cmocka_unit_test(gold_film_of_5_nm),
                                     cmocka_unit_test(graded_cells_are_of_second_order),
                                     cmocka_unit_test(dipoles_radiate_what_their_fields_give),
                                     cmocka_unit_test(nothing_leaves_an_empty_box)};
  return cmocka_run_group_tests_name("graded", tests, NULL, NULL);
}
