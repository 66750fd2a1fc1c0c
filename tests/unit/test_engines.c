/* Stepwise and diamond give the same bits for every job: fields, poles, CPML, monitors, energy. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "src/simulation/simulation.h"
#include "tests/support/random_job.h"

static void run(const struct tor_job *job, struct tor_model *model, struct tor_simulation *sim,
                enum tor_engine_kind engine, int dts, int th, int threads) {
  struct tor_faults faults = {0};
  if (tor_model_make(job, threads, model, &faults)) {
    tor_faults_print(&faults, stderr);
    fail();
  }
  struct tor_engine_setup setup = {engine, dts, threads};
  tor_simulation_init(sim, model, &setup, th);
  while (!tor_simulation_done(sim)) tor_simulation_stage(sim, model->steps);
}

static int same(const char *what, const void *a, const void *b, double bytes) {
  if (bytes == 0 || !memcmp(a, b, (size_t)bytes)) return 1;
  print_error("%s differ\n", what);
  return 0;
}

/* All state of two slabs that a step can change, but for energies and monitors. */
static int same_slabs(const struct tor_slab *s, const struct tor_slab *t) {
  double real = s->precision, nx = s->n[0] + 1, ny = s->n[1] + 1, nzp = s->nzp;
  int ok = same("fields", s->field, t->field, nx * ny * tor_plane_comps(s->plane) * nzp * real);
  ok &= same("psi_x", s->psi_x, t->psi_x, s->cpml[0].count * ny * 4 * nzp * real);
  ok &= same("psi_y", s->psi_y, t->psi_y, s->cpml[1].count * nx * 4 * nzp * real);
  ok &= same("psi_z", s->psi_z, t->psi_z, nx * ny * 4 * (s->zlo + s->zhi) * real);
  return ok & same("poles", s->state, t->state, (double)s->nstate * real);
}

/* All state of two models that a step can change. */
static int same_models(const struct tor_model *a, const struct tor_model *b) {
  const struct tor_slab *s = &a->slab, *t = &b->slab;
  int ok = same_slabs(s, t) & (!s->other || same_slabs(s->other, t->other));
  ok &= same("energy", s->energy, t->energy, (double)tor_slab_columns(s) * 6 * 8);
  for (int g = 0; g < s->ngroup; g++) {
    const struct tor_recorder *l = NULL;
    for (int i = 0; i < a->monitors->count; i++)
      if (a->monitors->recorder[i].group == (a->monitors->imaginary ? g % a->monitors->imaginary : g))
        l = &a->monitors->recorder[i];
    double values =
        (double)s->group[g].npoints * (s->group[g].kind == TOR_RECORD_DFT ? 2.0 * s->group[g].nfreq : l->nsample);
    ok &= same("monitors", s->group[g].data, t->group[g].data, values * 8);
  }
  return ok;
}

static int any_field(const struct tor_model *m) { /* of complex fields in the imaginary part */
  const unsigned char *p = m->slab.other ? m->slab.other->field : m->slab.field;
  const size_t column = (size_t)tor_plane_comps(m->slab.plane) * (size_t)m->slab.nzp;
  const size_t n = (size_t)tor_slab_columns(&m->slab) * column * (size_t)m->slab.precision;
  for (size_t i = 0; i < n; i++)
    if (p[i]) return 1;
  return 0;
}

/* Nonlinear media have not made the fields grow beyond bounds, where any two runs would agree. */
static int is_finite(const struct tor_slab *slab) {
  const size_t n = (size_t)tor_slab_columns(slab) * (size_t)tor_plane_comps(slab->plane) * (size_t)slab->nzp;
  int finite = 1;
  for (size_t i = 0; i < n; i++)
    finite &= slab->precision == TOR_F32 ? isfinite(((const float *)slab->field)[i])
                                         : isfinite(((const double *)slab->field)[i]);
  return finite;
}

static int has_nodes(const struct tor_slab *slab) {
  unsigned classes = 0;
  for (tor_gidx i = 0; i < tor_slab_columns(slab); i++) classes |= slab->cls[i];
  return (classes & TOR_COL_NODES) != 0;
}

/* Slabs compared: those with any field, with nodes, with such of metals, of full tensors, of other media at
 * nodes. */
struct counts {
  int alive, nodes, metals, tensors, full;
};

/* A job by stepwise and by diamond with towers of DTS. */
static void compare_job(struct tor_job *job, unsigned seed, int dts, struct counts *count) {
  static const int th[] = {1, 3, 7, 16, 64};
  struct tor_model a, b;
  struct tor_simulation sa, sb;
  run(job, &a, &sa, TOR_ENGINE_STEPWISE, 1, 1 + (int)seed % 9, 1 + (int)seed % 2);
  run(job, &b, &sb, TOR_ENGINE_DIAMOND, dts, th[seed % 5], 1 + (int)seed % 3);
  count->alive += any_field(&a) && is_finite(&a.slab);
  count->nodes += has_nodes(&a.slab);
  count->metals += tor_random_job_metals(&a.slab) > 0;
  count->tensors += tor_random_job_tensors(&a.slab) > 0;
  count->full += tor_random_job_full(&a.slab) > 0;
  const int ok =
      same_models(&a, &b) && sa.nenergy == sb.nenergy && same("energies", sa.energy, sb.energy, 8.0 * sa.nenergy);
  if (!ok)
    print_error("seed %u, order %d, fp%d, DTS %d, TH %d\n", seed, job->order, 8 * job->precision, dts, th[seed % 5]);
  assert_true(ok);
  tor_simulation_free(&sa);
  tor_simulation_free(&sb);
  tor_model_free(&a);
  tor_model_free(&b);
  tor_job_free(job);
}

static void compare(int order, enum tor_precision precision, int two_d) {
  static const int dts[] = {1, 2, 3, 5, 8, 13};
  struct counts count = {0};
  for (unsigned seed = 1; seed <= 12; seed++) {
    struct tor_job job;
    tor_random_job(seed, order, precision, &job);
    if (seed % 2) tor_random_job_use_tensor(&job, !two_d);
    if (two_d) tor_random_job_make_plane(&job, seed / 2 % 2 ? TOR_PLANE_TM : TOR_PLANE_TE);
    if (seed == 4 || seed == 9) tor_random_job_use_tensors(&job, seed);
    if (seed == 5 || seed == 12) tor_random_job_use_full(&job, seed);
    if (seed == 1 || seed == 8) tor_random_job_use_full(&job, seed == 1 ? 2 : 3);
    compare_job(&job, seed, dts[seed % 6], &count);
  }
  assert_true(count.alive >= 11); /* comparing zeros would not be a test */
  print_message("%d slabs have surface nodes, %d of metals, %d of tensors, %d of other media at nodes\n", count.nodes,
                count.metals, count.tensors, count.full);
  assert_true(count.nodes >= 2 && (two_d || count.metals >= 2) && count.tensors >= 1 && count.full == 4);
}

/* Rings of towers along y, ends of the vector that meet along z; bloch: with phases. */
static void compare_periodic(int order, enum tor_precision precision, int bloch) {
  static const int dts[2][4] = {{1, 2, 3, 6}, {1, 2, 1, 2}};
  static const unsigned axes[] = {1u << TOR_Y, 1u << TOR_Z, 1u << TOR_Y | 1u << TOR_Z};
  struct counts count = {0};
  for (unsigned seed = 21; seed <= 25; seed++) {
    struct tor_job job;
    tor_random_job(seed, order, precision, &job);
    if (seed < 24) tor_random_job_use_tensor(&job, seed % 2);
    tor_random_job_use_periodic(&job, axes[seed % 3]);
    if (bloch) tor_random_job_use_bloch(&job, seed);
    if (seed == 24) tor_random_job_use_tensors(&job, seed);
    if (seed == 25) tor_random_job_use_full(&job, bloch ? 1 : 3);
    compare_job(&job, seed, dts[order == 4][seed % 4], &count);
  }
  assert_int_equal(count.alive, 5);
  print_message("%d slabs with rings have surface nodes, %d of metals, %d of tensors, %d of other media at nodes\n",
                count.nodes, count.metals, count.tensors, count.full);
  assert_true(count.nodes >= 2 && count.metals >= 1 && count.tensors >= 1 && count.full >= 1);
}

/* Graded cells: along z alone, along x and y, along all; in 2-D. */
static void graded_grids_equal_stepwise(void **state) {
  (void)state;
  static const unsigned axes[] = {1u << TOR_Z, 1u << TOR_X | 1u << TOR_Y, 7, 7};
  struct counts count = {0};
  for (unsigned seed = 31; seed <= 34; seed++) {
    struct tor_job job;
    tor_random_job(seed, 2, seed % 2 ? TOR_F32 : TOR_F64, &job);
    if (seed == 34) tor_random_job_make_plane(&job, TOR_PLANE_TE);
    tor_random_job_use_graded(&job, axes[seed - 31]);
    compare_job(&job, seed, (int)seed % 3 + 1, &count);
  }
  assert_int_equal(count.alive, 4);
}

static void rings_equal_stepwise_order2(void **state) {
  (void)state;
  compare_periodic(2, TOR_F32, 0);
  compare_periodic(2, TOR_F64, 0);
}
static void rings_equal_stepwise_order4(void **state) {
  (void)state;
  compare_periodic(4, TOR_F32, 0);
  compare_periodic(4, TOR_F64, 0);
}
static void bloch_rings_equal_stepwise(void **state) {
  (void)state;
  compare_periodic(2, TOR_F32, 1);
  compare_periodic(4, TOR_F64, 1);
}

static void diamond_equals_stepwise_order2_f32(void **state) {
  (void)state;
  compare(2, TOR_F32, 0);
}
static void diamond_equals_stepwise_order2_f64(void **state) {
  (void)state;
  compare(2, TOR_F64, 0);
}
static void diamond_equals_stepwise_order4_f32(void **state) {
  (void)state;
  compare(4, TOR_F32, 0);
}
static void diamond_equals_stepwise_order4_f64(void **state) {
  (void)state;
  compare(4, TOR_F64, 0);
}

static void diamond_equals_stepwise_2d(void **state) {
  (void)state;
  compare(2, TOR_F32, 1);
  compare(4, TOR_F64, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(diamond_equals_stepwise_order2_f32), cmocka_unit_test(diamond_equals_stepwise_order2_f64),
      cmocka_unit_test(diamond_equals_stepwise_order4_f32), cmocka_unit_test(diamond_equals_stepwise_order4_f64),
      cmocka_unit_test(rings_equal_stepwise_order2),        cmocka_unit_test(rings_equal_stepwise_order4),
      cmocka_unit_test(bloch_rings_equal_stepwise),         cmocka_unit_test(diamond_equals_stepwise_2d),
      cmocka_unit_test(graded_grids_equal_stepwise),
  };
  return cmocka_run_group_tests_name("engines", tests, NULL, NULL);
}
