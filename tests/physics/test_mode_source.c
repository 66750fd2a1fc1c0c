/* Sources of a guided mode: the mode goes to one side alone, with the amplitude that the job gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "src/base/units.h"
#include "src/job/turn.h"
#include "src/model/spectrum.h"
#include "src/modes/mode_solver.h"
#include "src/modes/plane_sources.h"
#include "tests/support/plain_job.h"

enum { NWAVE = 5 };
static double wavelengths[NWAVE] = {1500 * TOR_NM, 1525 * TOR_NM, 1550 * TOR_NM, 1575 * TOR_NM, 1600 * TOR_NM};

static void add_index(struct tor_job *job, double n) {
  struct tor_medium m = tor_medium_vacuum("dielectric");
  for (int a = 0; a < 3; a++) m.eps[a] = n * n;
  job->media = realloc(job->media, ((size_t)job->nmedia + 1) * sizeof *job->media);
  job->media[job->nmedia++] = m;
}

/* A guide of silicon in silica along an axis, closed by PEC or mirrors across it, between absorbing layers; a mode
 * source in its middle and a flux plane on either side. */
struct guide {
  struct tor_job job;
  struct tor_object object;
  struct tor_source source;
  struct tor_monitor flux[2]; /* below, above */
};

static void guide_make(struct guide *g, const int n[3], const double cell[3], int order, int axis, int direction) {
  memset(g, 0, sizeof *g);
  tor_plain_job(&g->job, n, cell, order, TOR_F64, TOR_PEC, 0);
  add_index(&g->job, 1.444);
  add_index(&g->job, 3.4757);
  g->job.background = 1;
  for (int f = 2 * axis; f < 2 * axis + 2; f++)
    g->job.boundary[f] =
        (struct tor_boundary){.wall = TOR_CPML, .cells = 30, .grade = 3, .sigma = 1, .kappa = 1, .alpha = 0.05};
  g->object = (struct tor_object){.shape = TOR_BOX, .medium = 2};
  for (int a = 0; a < 3; a++) g->object.size[a] = a == axis ? 1 : 450 * TOR_NM;
  g->job.nobjects = 1;
  g->job.objects = &g->object;
  g->source = (struct tor_source){.kind = TOR_MODE_SOURCE, .name = "mode", .axis = axis, .direction = direction};
  g->source.profile = (struct tor_profile){
      .kind = TOR_PULSE, .wavelength = 1550 * TOR_NM, .band = 200 * TOR_NM, .phase = 0.4, .amplitude = 3};
  for (int a = 0; a < 3; a++) {
    g->source.lo[a] = a == axis ? 0 : -0.5 * g->job.size[a];
    g->source.hi[a] = a == axis ? 0 : 0.5 * g->job.size[a];
  }
  g->job.nsources = 1;
  g->job.sources = &g->source;
  for (int i = 0; i < 2; i++) {
    struct tor_monitor *m = &g->flux[i];
    *m = (struct tor_monitor){.kind = TOR_FLUX, .name = i ? "above" : "below", .nwavelength = NWAVE};
    m->wavelength = wavelengths;
    memcpy(m->lo, g->source.lo, sizeof m->lo);
    memcpy(m->hi, g->source.hi, sizeof m->hi);
    m->lo[axis] = m->hi[axis] = (i ? 6 : -6) * cell[axis];
  }
  g->job.nmonitors = 2;
  g->job.monitors = g->flux;
  g->job.run_time = 280 * TOR_FS;
}

static void guide_free(struct guide *g) {
  tor_sheet_free(g->source.sheet);
  tor_plain_job_free(&g->job);
}

static void make_source(struct guide *g) {
  struct tor_faults faults = {0};
  char text[256];
  if (tor_plane_sources_make(&g->job, &faults)) tor_faults_print(&faults, stderr);
  assert_int_equal(faults.count, 0);
  assert_true(tor_plane_sources_text(&g->job, 0, text, sizeof text));
  print_message("%s\n", text);
}

/* Runs; the largest error of the power ahead over the mode's, and of the power behind over it. */
static void run(struct guide *g, double *ahead, double *behind) {
  struct tor_model model;
  struct tor_simulation sim;
  const int forward = g->source.direction > 0;
  *ahead = *behind = 0;
  tor_plain_start(&g->job, &model, &sim);
  tor_plain_run(&sim);
  for (int i = 0; i < 2; i++) {
    struct tor_spectrum s;
    tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[i], &s);
    assert_string_equal(s.name[1], "fraction");
    for (int q = 0; q < NWAVE; q++)
      if (i == forward)
        *ahead = fmax(*ahead, fabs(g->source.direction * s.value[1][q] - 1));
      else
        *behind = fmax(*behind, fabs(s.value[1][q]));
    tor_spectrum_free(&s);
  }
  tor_plain_stop(&model, &sim);
  print_message("ahead: power off by %.1e; behind: %.1f dB\n", *ahead, 10 * log10(*behind));
}

static const double CELL[3] = {45 * TOR_NM, 50 * TOR_NM, 44 * TOR_NM};

/* The wire in a box of PEC, a quarter by mirrors of TE0; along each axis, in both directions. round: a rod instead, by
 * surface nodes. */
static void check_wire(int axis, int order, int direction, int round) {
  const int next = (axis + 1) % 3, last = (axis + 2) % 3;
  struct guide g;
  double ahead, behind;
  int n[3];
  n[axis] = 76;
  n[next] = 14;
  n[last] = 13;
  guide_make(&g, n, CELL, order, axis, direction);
  g.job.boundary[2 * last].wall = TOR_PMC;
  for (int s = 1; s < 3; s++) {
    const int a = (axis + s) % 3;
    g.object.center[a] = -0.5 * n[a] * CELL[a];
    g.object.size[a] = (s == 1 ? 450 : 220) * TOR_NM;
  }
  if (round) {
    g.job.averaging = TOR_AVERAGE_TENSOR;
    g.object.shape = TOR_CYLINDER;
    g.object.axis = axis;
    g.object.radius[0] = 230 * TOR_NM;
    g.object.height = 1;
  }
  g.source.target = 2.4;
  make_source(&g);
  assert_int_equal(g.source.sheet->has_nodes, round);
  run(&g, &ahead, &behind);
  assert_true(ahead < 2e-4 && behind < 1e-9); /* amplitude 1e-4, -90 dB */
  guide_free(&g);
}

static void wire_along_x(void **state) {
  (void)state;
  check_wire(TOR_X, 2, 1, 0);
}
static void wire_along_y_order4(void **state) {
  (void)state;
  check_wire(TOR_Y, 4, -1, 0);
}
static void rods_with_surface_nodes(void **state) {
  (void)state;
  check_wire(TOR_X, 4, 1, 1);
  check_wire(TOR_Z, 2, -1, 1);
}

/* 2-D, along the job's axes y and z; the source's profiles in its CPML, too. */
static void plane_guide(struct guide *g, enum tor_plane plane, int axis, int order) {
  const double cell[3] = {1, 25 * TOR_NM, 25 * TOR_NM};
  const int wide = plane == TOR_PLANE_TE ? 110 : 64; /* until the field has decayed */
  int n[3] = {1, wide, wide};
  n[axis] = 80;
  guide_make(g, n, cell, order, axis, axis == TOR_Y ? 1 : -1);
  g->job.plane = plane;
  g->job.turn = TOR_TURN_PLANE;
  for (int f = 2 * (3 - axis); f < 2 * (3 - axis) + 2; f++)
    g->job.boundary[f] =
        (struct tor_boundary){.wall = TOR_CPML, .cells = 10, .grade = 3, .sigma = 1, .kappa = 1, .alpha = 0.05};
  g->object.size[TOR_X] = 4;
  g->object.size[3 - axis] = 225 * TOR_NM;
}

static void guides_in_2d(void **state) {
  (void)state;
  struct guide g;
  double ahead, behind;
  for (int i = 0; i < 3; i++) {
    plane_guide(&g, i == 1 ? TOR_PLANE_TE : TOR_PLANE_TM, i < 2 ? TOR_Y : TOR_Z, i < 2 ? 2 : 4);
    make_source(&g);
    run(&g, &ahead, &behind);
    assert_true(ahead < 2e-4 && behind < 1e-9);
    guide_free(&g);
  }
}

/* With the centre's profile alone over the whole band light is sent back. */
static void one_profile_fails_the_band(void **state) {
  (void)state;
  struct guide g;
  double ahead, behind;
  plane_guide(&g, TOR_PLANE_TE, TOR_Y, 2);
  make_source(&g);
  struct tor_sheet *s = g.source.sheet;
  const size_t points = (size_t)(s->n[0] * s->n[1]), each = (size_t)(s->nterms / s->nprofiles) * points;
  assert_true(s->nprofiles >= 3);
  for (int f = 0; f < TOR_SHEET_ACROSS; f++)
    for (int m = 0; m < s->nprofiles; m++)
      if (m != s->nprofiles / 2)
        memcpy(s->profile[f] + (size_t)m * each, s->profile[f] + (size_t)(s->nprofiles / 2) * each,
               each * sizeof(double));
  run(&g, &ahead, &behind);
  assert_true(behind > 1e-6);
  guide_free(&g);
}

/* The largest |E|^2 on a line of nodes across the middle, at some cells from the source's plane. */
static double largest(const struct tor_model *model, int iy) {
  double most = 0;
  for (int z = 0; z <= model->grid.n[2]; z++) most = fmax(most, fabs(tor_plain_value(model, TOR_EX, 0, iy, z)));
  return most;
}

/* A continuous wave: once its start has passed nothing is behind. */
static void continuous_wave_goes_one_way(void **state) {
  (void)state;
  struct guide g;
  struct tor_model model;
  struct tor_simulation sim;
  plane_guide(&g, TOR_PLANE_TM, TOR_Y, 2);
  g.source.profile =
      (struct tor_profile){.kind = TOR_CONTINUOUS, .wavelength = 1550 * TOR_NM, .rise = 60 * TOR_FS, .amplitude = 1};
  make_source(&g);
  tor_plain_start(&g.job, &model, &sim);
  tor_plain_run(&sim);
  const int node = g.source.sheet->node;
  double ahead = 0, behind = 0;
  for (int i = 1; i < 9; i++) {
    ahead = fmax(ahead, largest(&model, node + i));
    behind = fmax(behind, largest(&model, node - i));
  }
  print_message("behind over ahead: %.1f dB\n", 20 * log10(behind / ahead));
  assert_true(behind < 3e-5 * ahead);
  tor_plain_stop(&model, &sim);
  guide_free(&g);
}

/* --- Faults --- */

static void refused(struct guide *g, const char *part) {
  struct tor_faults faults = {0};
  assert_int_equal(tor_plane_sources_make(&g->job, &faults), -1);
  assert_int_equal(faults.count, 1);
  print_message("%s\n", faults.item[0].text);
  assert_non_null(strstr(faults.item[0].text, part));
  tor_faults_free(&faults);
  guide_free(g);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  struct guide g;
  plane_guide(&g, TOR_PLANE_TM, TOR_Y, 2);
  g.object.size[TOR_Y] = 10 * TOR_NM; /* ends at the plane */
  refused(&g, "the guide changes along x");
  plane_guide(&g, TOR_PLANE_TM, TOR_Y, 2);
  g.source.profile.band = 2500 * TOR_NM;
  refused(&g, "is lost at");
  plane_guide(&g, TOR_PLANE_TM, TOR_Y, 2);
  g.source.mode = 199;
  refused(&g, "not found");
  plane_guide(&g, TOR_PLANE_TE, TOR_Y, 2);
  assert_true(tor_medium_builtin("Ag", &g.job.media[2]));
  g.job.averaging = TOR_AVERAGE_TENSOR;
  g.job.courant = 0.5;
  refused(&g, "crosses a metal");
}

int main(void) {
  if (!tor_mode_solver_built()) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wire_along_x),
      cmocka_unit_test(wire_along_y_order4),
      cmocka_unit_test(rods_with_surface_nodes),
      cmocka_unit_test(guides_in_2d),
      cmocka_unit_test(one_profile_fails_the_band),
      cmocka_unit_test(continuous_wave_goes_one_way),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
