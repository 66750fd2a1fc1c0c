/* Layouts of ranks: who owns what, without MPI and without fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../comm/layout.h"

static const struct {
  int order, dts, th, n[2], ranks[2];
} cases[] = {
    {2, 1, 1, {40, 20}, {3, 2}}, {2, 4, 8, {200, 90}, {4, 3}}, {2, 3, 5, {150, 60}, {3, 4}}, {4, 1, 2, {90, 40}, {3, 3}}, {4, 3, 4, {300, 80}, {5, 2}},
    {2, 8, 64, {1000, 70}, {5, 1}}, {4, 2, 16, {100, 100}, {2, 5}}, {2, 2, 3, {50, 50}, {1, 1}},
};

static void layout_of(size_t i, struct tor_layout *l) {
  struct tor_slab slab = {.order = cases[i].order, .n = {cases[i].n[0], cases[i].n[1], 8}};
  assert_int_equal(tor_layout_make(l, &slab, cases[i].dts, cases[i].th, cases[i].ranks, NULL), 0);
}

/* Every column is owned once, and by a rank that holds it. */
static void own_columns_are_a_partition(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct tor_layout l;
    layout_of(i, &l);
    for (int ix = 0; ix <= l.n[0]; ix++)
      for (int iy = 0; iy <= l.n[1]; iy++) {
        int owners = 0;
        for (int r = 0; r < l.ranks[0] * l.ranks[1]; r++) {
          struct tor_share s = tor_layout_share(&l, r / l.ranks[1], r % l.ranks[1]);
          if (ix < s.own.x0 || ix >= s.own.x1 || iy < s.own.y0 || iy >= s.own.y1) continue;
          owners++;
          assert_true(ix >= s.held.x0 && ix < s.held.x1 && iy >= s.held.y0 && iy < s.held.y1);
        }
        assert_int_equal(owners, 1);
      }
    tor_layout_free(&l);
  }
}

/* All rows are run once; what a row reads is held; calcM touches no overlap, calcR not the left one, calcL not the right one. */
static void rows_touch_what_they_may(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct tor_layout l;
    layout_of(i, &l);
    for (int steps = 1; steps <= l.th; steps++) {
      struct tor_tiling t = tor_layout_tiling(&l, steps);
      int first, last, runs = 0;
      tor_tiling_rows(&t, &first, &last);
      for (int x = 0; x < l.ranks[0]; x++) {
        struct tor_share share = tor_layout_share(&l, x, 0);
        struct tor_rows rows[3];
        tor_layout_rows(&l, &share, steps, &rows[0], &rows[1], &rows[2]);
        for (int k = 0; k < 3; k++)
          for (int r = rows[k].first; r >= rows[k].last; r--, runs++) {
            int u0 = t.radius * r, u1 = u0 + 2 * t.s * steps + 2 * t.radius - 1 + t.s;
            u0 = u0 < 0 ? 0 : u0;
            u1 = u1 > 2 * l.n[0] ? 2 * l.n[0] : u1;
            assert_true(u0 / 2 >= share.held.x0 && u1 / 2 < share.held.x1);
            if (k > 0 && share.right.to > share.right.from) assert_true(u1 / 2 < share.right.from);
            if (k < 2 && share.left.to > share.left.from) assert_true(u0 / 2 >= share.left.to);
          }
      }
      assert_int_equal(runs, first - last + 1);
    }
    tor_layout_free(&l);
  }
}

static void a_slab_narrower_than_two_overlaps_is_refused(void **unused) {
  (void)unused;
  struct tor_slab slab = {.order = 2, .n = {100, 40, 8}};
  struct tor_layout l;
  const int three[2] = {3, 1}, two[2] = {2, 1}, flat[2] = {1, 30}, pair[2] = {1, 2};
  assert_int_equal(tor_layout_make(&l, &slab, 4, 32, three, NULL), -1);
  assert_int_equal(tor_layout_make(&l, &slab, 4, 32, two, NULL), 0);
  tor_layout_free(&l);
  assert_int_equal(tor_layout_make(&l, &slab, 4, 1, flat, NULL), -1);
  /* The border along y would lie on the last site: the rank above would have no tower. */
  slab.n[1] = 8;
  assert_int_equal(tor_layout_make(&l, &slab, 8, 1, pair, NULL), -1);
  slab.n[1] = 9;
  assert_int_equal(tor_layout_make(&l, &slab, 8, 1, pair, NULL), 0);
  tor_layout_free(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_columns_are_a_partition),
      cmocka_unit_test(rows_touch_what_they_may),
      cmocka_unit_test(a_slab_narrower_than_two_overlaps_is_refused),
  };
  return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
