/* Of many objects, and of those that are the same all along an axis, columns are made by short ways: what these leave
 * out changes nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/base/units.h"
#include "src/job/even.h"
#include "src/job/geometry.h"
#include "src/job/object_bins.h"
#include "tests/support/plain_job.h"

/* --- Columns --- */

enum { N = 14, NZ = 40 };

/* A pillar through a film, and a second one above it, at odd places. The same as unions with an empty cone, whose cells
 * are all looked at. */
static void scene(struct tor_object o[4], struct tor_object part[8], int even, double cell) {
  o[0] = (struct tor_object){.shape = TOR_BOX, .center = {0.4 * cell, 0, -0.2 * NZ * cell}, .medium = 1};
  for (int a = 0; a < 3; a++) o[0].size[a] = (a == 2 ? 5.3 : 40) * cell;
  o[1] = (struct tor_object){.shape = TOR_CYLINDER,
                             .axis = 2,
                             .center = {0.3 * cell, -0.7 * cell, -0.08 * NZ * cell},
                             .radius = {3.6 * cell, 3.6 * cell},
                             .height = 0.35 * NZ * cell,
                             .medium = 1};
  o[2] = o[1];
  o[2].center[2] += 0.37 * NZ * cell; /* less than a cell between them */
  o[2].center[0] += 1.1 * cell;
  o[3] = o[0]; /* a wall along z, to the domain's walls */
  o[3].center[1] = -5.2 * cell;
  o[3].size[1] = 1.7 * cell;
  o[3].size[2] = 3 * NZ * cell;
  if (even) return;
  struct tor_object far = o[1]; /* away, and its surface varies along z */
  far.shape = TOR_CONE;
  far.center[0] = 1;
  for (int i = 0; i < 4; i++) {
    part[2 * i] = o[i];
    part[2 * i + 1] = far;
    o[i] = (struct tor_object){.shape = TOR_UNION, .nparts = 2, .part = &part[2 * i], .medium = 1};
  }
}

static void same(const double *a, const double *b, tor_gidx n, double scale) {
  for (tor_gidx i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= 1e-10 * scale)) fail_msg("value %lld: %.17g, %.17g", (long long)i, a[i], b[i]);
}

static void columns_are_those_made_cell_by_cell(void **state) {
  (void)state;
  static const double cell = 10 * TOR_NM;
  for (int surface = TOR_PLAIN_SUBPIXEL; surface <= TOR_PLAIN_METAL_NODES; surface++) {
    struct tor_job job[2];
    struct tor_model model[2];
    struct tor_simulation sim[2];
    struct tor_object object[2][4], parts[8];
    struct tor_medium media[2][2], *own[2];
    for (int even = 0; even < 2; even++) {
      struct tor_job *j = &job[even];
      tor_plain_job(j, (const int[]){N, N, NZ}, (const double[]){cell, cell, cell}, 2, TOR_F64, TOR_PEC, 0);
      own[even] = j->media;
      media[even][0] = media[even][1] = j->media[0];
      tor_plain_surface(j, &media[even][1], (enum tor_plain_surface)surface);
      j->media = media[even];
      j->nmedia = 2;
      scene(object[even], parts, even, cell);
      j->objects = object[even];
      j->nobjects = 4;
      tor_plain_start(j, &model[even], &sim[even]);
    }
    const struct tor_slab *a = &model[0].slab, *b = &model[1].slab;
    assert_int_equal(a->nextra, b->nextra);
    assert_int_equal(a->ncoef, b->ncoef);
    assert_int_equal(a->nrun, b->nrun);
    assert_int_equal(a->nweight, b->nweight);
    assert_true(a->ncoef > 0 && (surface == TOR_PLAIN_SUBPIXEL || a->nweight > 0));
    same(a->coef, b->coef, a->ncoef, 1);
    same(a->weight, b->weight, a->nweight, 1);
    for (tor_gidx r = 0; r < a->nrun; r++) assert_memory_equal(&a->run[r], &b->run[r], sizeof a->run[r]);
    for (int even = 0; even < 2; even++) {
      tor_plain_stop(&model[even], &sim[even]);
      tor_plain_job_return(&job[even], own[even]);
      tor_plain_job_free(&job[even]);
    }
  }
}

/* --- Bins --- */

enum { MANY = 3000 };

static double unit(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) / 9007199254740992.0;
}

static void random_scene(struct tor_object *o, int flat) {
  for (int i = 0; i < MANY; i++) {
    const double size = i % 500 == 7 ? 2 : 0.03; /* some as large as all of it */
    o[i] = (struct tor_object){.shape = i % 3 ? TOR_SPHERE : TOR_BOX, .radius = {size * unit()}};
    for (int a = 0; a < 3; a++) {
      o[i].center[a] = flat && a == 2 ? 0 : unit();
      o[i].size[a] = size * unit();
    }
  }
  o[100] = (struct tor_object){.shape = TOR_LAYER, .axis = 1, .lo = 0.2, .hi = 0.3};
  o[200] = (struct tor_object){.shape = TOR_LAYER, .axis = 0, .lo = -INFINITY, .hi = 0.1};
}

static void bins_find_what_a_look_at_all_finds(void **state) {
  (void)state;
  struct tor_object *o = calloc(MANY, sizeof *o);
  int list[MANY], found = 0;
  assert_non_null(o);
  for (int flat = 0; flat < 2; flat++) {
    random_scene(o, flat);
    struct tor_object_bins *bins = tor_object_bins_new(o, MANY);
    for (int trial = 0; trial < 1000; trial++) {
      double x[3], lo[3], hi[3];
      int last = -1, expected = 0;
      for (int a = 0; a < 3; a++) {
        x[a] = 1.2 * unit() - 0.1;
        lo[a] = trial % 5 == a ? -HUGE_VAL : x[a] - 0.05 * unit();
        hi[a] = trial % 7 == a ? HUGE_VAL : x[a] + 0.05 * unit();
      }
      const int n = tor_object_bins_near(bins, lo, hi, list);
      for (int i = 0; i < MANY; i++) {
        double olo[3], ohi[3];
        int meets = 1;
        tor_object_bounds(&o[i], olo, ohi);
        for (int a = 0; a < 3; a++) meets &= ohi[a] > lo[a] && olo[a] < hi[a];
        if (tor_object_contains(&o[i], x)) last = i;
        if (!meets) continue;
        assert_true(expected < n);
        assert_int_equal(list[expected++], i);
      }
      assert_int_equal(expected, n);
      assert_int_equal(tor_object_bins_at(bins, x), last);
      found += n;
    }
    tor_object_bins_free(bins);
  }
  assert_true(found > 20000);
  free(o);
}

/* --- Ends --- */

static void ends_of_a_turned_prism_and_of_a_union(void **state) {
  (void)state;
  double vertex[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}, ends[8];
  struct tor_object prism = {.shape = TOR_PRISM, .axis = 2, .lo = -1, .hi = 2, .nvertex = 4, .vertex = vertex};
  assert_int_equal(tor_object_ends(&prism, 2, 8, ends), 2);
  assert_true(ends[0] == -1 && ends[1] == 2);
  assert_int_equal(tor_object_ends(&prism, 0, 8, ends), -1);
  prism.slope = 0.1;
  assert_int_equal(tor_object_ends(&prism, 2, 8, ends), -1);
  prism.slope = 0;
  struct tor_object part[2] = {prism, {.shape = TOR_LAYER, .axis = 2, .lo = 5, .hi = INFINITY}};
  const struct tor_object both = {.shape = TOR_UNION, .nparts = 2, .part = part};
  assert_int_equal(tor_object_ends(&both, 2, 8, ends), 3);
  assert_int_equal(tor_object_ends(&both, 2, 2, ends), -1);
}

/* Of a box whose sides are all from `lo` to `hi`. */
static uint64_t begins_of(const struct tor_object *object, int axis, double lo, double hi, int n) {
  return tor_even_begins(object, (const int[]){0}, 1, axis, (const double[]){lo, lo, lo}, (const double[]){hi, hi, hi},
                         n);
}

/* A face at a sample, by rounding on either side of it. */
static void samples_at_faces_are_looked_at(void **state) {
  (void)state;
  const struct tor_object layer = {.shape = TOR_LAYER, .axis = 2, .lo = 0.25, .hi = 0.625};
  assert_int_equal(begins_of(&layer, 2, 0, 1, 8), 0x25); /* samples at odd 16ths: 0, 2, 5 */
  assert_int_equal(begins_of(&layer, 2, 0, 1.25, 2), 3); /* 0.3125, 0.9375 */
  assert_int_equal(begins_of(&layer, 2, 0, 0.5, 1), 1);
  assert_int_equal(begins_of(&layer, 2, 0.125, 1.125, 4), 7); /* 0.25, 0.5, 0.75, 1 */
}

/* A pillar's sides count where they pass through the box, of which all sides are alike. */
static void a_pillar_is_even_inside_and_outside(void **state) {
  (void)state;
  struct tor_object pillar = {.shape = TOR_CYLINDER, .axis = 2, .radius = {1}, .height = 1.3};
  for (int a = 0; a < 2; a++) {
    assert_int_equal(begins_of(&pillar, a, 0.1, 0.7, 8), 1);     /* the farthest corner at 0.99 */
    assert_int_equal(begins_of(&pillar, a, 0.1, 0.72, 8), 0xff); /* at 1.02 */
    assert_int_equal(begins_of(&pillar, a, 0.69, 0.9, 8), 0xff); /* the nearest at 0.98 */
    assert_int_equal(begins_of(&pillar, a, 0.71, 0.9, 8), 1);    /* at 1.004 */
  }
  assert_int_equal(begins_of(&pillar, 2, 0.1, 0.7, 8), 0x81); /* the end at 0.65 */
  pillar.height = INFINITY;
  assert_int_equal(begins_of(&pillar, 0, 0.1, 0.7, 8), 0xff);
}

static double random_between(double from, double to) { return from + (to - from) * rand() / RAND_MAX; }

/* Shares are those of all samples, one by one. */
static void shares_are_those_of_all_samples(void **state) {
  (void)state;
  enum { BOXES = 4000, SAMPLES = 5 };
  double vertex[4][2] = {{-1, -1}, {1.1, -0.9}, {1, 1}, {-1, 0.8}};
  const struct tor_object objects[] = {
      {.shape = TOR_LAYER, .axis = 2, .lo = -INFINITY, .hi = -0.6, .medium = 0},
      {.shape = TOR_CYLINDER, .axis = 2, .radius = {1}, .height = 1.3, .medium = 1},
      {.shape = TOR_PRISM, .axis = 0, .lo = 1.05, .hi = 2, .nvertex = 4, .vertex = vertex, .medium = 2},
      {.shape = TOR_BOX, .center = {0, 1.4, 0}, .size = {1, 1, 1}, .medium = 3}};
  const int list[] = {0, 1, 2, 3};
  int cut = 0;
  for (int i = 0; i < BOXES; i++) {
    double lo[3], hi[3], share[5] = {0};
    for (int a = 0; a < 3; a++) {
      lo[a] = random_between(-1.6, 2);
      hi[a] = lo[a] + random_between(0.1, 0.5);
    }
    for (int at = 0; at < SAMPLES * SAMPLES * SAMPLES; at++) {
      const int of[3] = {at % SAMPLES, at / SAMPLES % SAMPLES, at / (SAMPLES * SAMPLES)};
      double x[3];
      for (int a = 0; a < 3; a++) x[a] = lo[a] + (of[a] + 0.5) / SAMPLES * (hi[a] - lo[a]);
      const int top = tor_objects_at(objects, list, 4, x);
      share[top < 0 ? 4 : objects[top].medium] += 1.0 / (SAMPLES * SAMPLES * SAMPLES);
    }
    struct tor_mix mix;
    tor_geometry_mix(objects, list, 4, lo, hi, SAMPLES, &mix);
    cut += mix.count > 1;
    for (int m = 0; m < mix.count; m++) share[mix.medium[m] < 0 ? 4 : mix.medium[m]] -= mix.share[m];
    for (int m = 0; m < 5; m++) assert_true(fabs(share[m]) < 1e-12);
  }
  assert_true(cut > BOXES / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_those_made_cell_by_cell),   cmocka_unit_test(bins_find_what_a_look_at_all_finds),
      cmocka_unit_test(ends_of_a_turned_prism_and_of_a_union), cmocka_unit_test(samples_at_faces_are_looked_at),
      cmocka_unit_test(a_pillar_is_even_inside_and_outside),   cmocka_unit_test(shares_are_those_of_all_samples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
