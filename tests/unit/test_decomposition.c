/* Layouts of ranks: which rank owns and holds which columns, without MPI and without fields. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "comm/exchange/borders.h"
#include "comm/exchange/decomposition.h"

static const struct {
  int order, dts, th, n[2], ranks[2], narrow;
} cases[] = {
    {2, 1, 1, {40, 20}, {3, 2}, 0},    {2, 4, 8, {200, 90}, {4, 3}, 0}, {2, 3, 5, {150, 60}, {3, 4}, 0},
    {4, 1, 2, {90, 40}, {3, 3}, 0},    {4, 3, 4, {300, 80}, {5, 2}, 0}, {2, 8, 64, {1000, 70}, {5, 1}, 0},
    {4, 2, 16, {100, 100}, {2, 5}, 0}, {2, 2, 3, {50, 50}, {1, 1}, 0},  {2, 4, 32, {76, 40}, {3, 1}, 1},
    {2, 3, 20, {110, 40}, {5, 2}, 1},  {4, 2, 8, {150, 60}, {5, 1}, 1},
};

static void layout_of(size_t i, struct tor_decomposition *l) {
  struct tor_slab slab = {.order = cases[i].order, .n = {cases[i].n[0], cases[i].n[1], 8}};
  assert_int_equal(tor_decomposition_make(l, &slab, cases[i].dts, cases[i].th, cases[i].ranks, NULL), 0);
  assert_int_equal(l->narrow, cases[i].narrow);
}

/* Every column is owned once, and by a rank that holds it. */
static void own_columns_are_a_partition(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct tor_decomposition l;
    layout_of(i, &l);
    for (int ix = 0; ix <= l.n[0]; ix++)
      for (int iy = 0; iy <= l.n[1]; iy++) {
        int owners = 0;
        for (int r = 0; r < l.ranks[0] * l.ranks[1]; r++) {
          struct tor_part s = tor_decomposition_part(&l, r / l.ranks[1], r % l.ranks[1]);
          if (ix < s.own.x0 || ix >= s.own.x1 || iy < s.own.y0 || iy >= s.own.y1) continue;
          owners++;
          assert_true(ix >= s.held.x0 && ix < s.held.x1 && iy >= s.held.y0 && iy < s.held.y1);
        }
        assert_int_equal(owners, 1);
      }
    tor_decomposition_free(&l);
  }
}

/* All rows are run once; the columns that a row reads are held; calcR does not touch the left x halo, calcL not the
 * right one, calcM neither unless it is calcB, which narrow slabs alone have. */
static void rows_touch_what_they_may(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct tor_decomposition l;
    int stages_of_both = 0;
    layout_of(i, &l);
    for (int steps = 1; steps <= l.th; steps++) {
      struct tor_tiling t = tor_decomposition_tiling(&l, steps);
      int first, last, runs = 0;
      tor_tiling_rows(&t, &first, &last);
      for (int x = 0; x < l.ranks[0]; x++) {
        struct tor_part share = tor_decomposition_part(&l, x, 0);
        struct tor_rows rows[3];
        const int both = tor_decomposition_rows(&l, &share, steps, &rows[0], &rows[1], &rows[2]);
        stages_of_both += both;
        for (int k = 0; k < 3; k++)
          for (int r = rows[k].first; r >= rows[k].last; r--, runs++) {
            int u0 = t.radius * r, u1 = u0 + 2 * t.s * steps + 2 * t.radius - 1 + t.s;
            u0 = u0 < 0 ? 0 : u0;
            u1 = u1 > 2 * l.n[0] ? 2 * l.n[0] : u1;
            assert_true(u0 / 2 >= share.held.x0 && u1 / 2 < share.held.x1);
            if (k > both && share.right.to > share.right.from) assert_true(u1 / 2 < share.right.from);
            if (k < 2 - both && share.left.to > share.left.from) assert_true(u0 / 2 >= share.left.to);
          }
      }
      assert_int_equal(runs, first - last + 1);
    }
    assert_int_equal(stages_of_both > 0, l.narrow);
    tor_decomposition_free(&l);
  }
}

static void a_slab_narrower_than_an_overlap_is_refused(void **unused) {
  (void)unused;
  struct tor_slab slab = {.order = 2, .n = {40, 40, 8}};
  struct tor_decomposition l;
  const int three[2] = {3, 1}, two[2] = {2, 1}, flat[2] = {1, 30}, pair[2] = {1, 2};
  assert_int_equal(tor_decomposition_make(&l, &slab, 4, 32, three, NULL), -1);
  assert_int_equal(tor_decomposition_make(&l, &slab, 4, 32, two, NULL), 0);
  tor_decomposition_free(&l);
  assert_int_equal(tor_decomposition_make(&l, &slab, 4, 1, flat, NULL), -1);
  /* The border along y would lie on the last site: the rank above would have no tower. */
  slab.n[1] = 8;
  assert_int_equal(tor_decomposition_make(&l, &slab, 8, 1, pair, NULL), -1);
  slab.n[1] = 9;
  assert_int_equal(tor_decomposition_make(&l, &slab, 8, 1, pair, NULL), 0);
  tor_decomposition_free(&l);
}

/* Work of rank x (y: place) by the sites of its towers, each as heavy as its column; the whole stage's is 1. */
static void count_sites(const struct tor_decomposition *l, int axis, const int64_t *work, double *part) {
  struct tor_tiling t = tor_decomposition_tiling(l, l->th);
  const int *border = axis ? l->place : l->row;
  int first, last;
  double all = 0;
  tor_tiling_rows(&t, &first, &last);
  for (int i = 0; i < l->ranks[axis]; i++) part[i] = 0;
  for (int row = last; row <= first; row++) {
    int place, end;
    tor_tiling_places(&t, row, &place, &end);
    for (; place <= end; place += 2)
      for (int h = 1; h <= 2 * l->th; h++) {
        int u, u1, i = 0;
        tor_tile_columns(&t, row, h, &u, &u1);
        while (axis ? place > border[i + 1] : row >= border[i + 1]) i++;
        for (; u <= u1; u++) {
          int v, v1;
          tor_tile_line(&t, row, place, h, u, &v, &v1);
          for (; v <= v1; v++) {
            part[i] += (double)work[(axis ? v : u) / 2];
            all += (double)work[(axis ? v : u) / 2];
          }
        }
      }
  }
  for (int i = 0; i < l->ranks[axis]; i++) part[i] /= all;
}

/* Slices of all kinds of work: the computed parts are those of the sites, and one border balances them to within
 * a row. */
static void work_is_shared_out(void **unused) {
  (void)unused;
  unsigned seed = 1;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int kind = 0; kind < 4; kind++) {
      struct tor_slab slab = {.order = cases[i].order, .n = {cases[i].n[0], cases[i].n[1], 8}};
      struct tor_decomposition l;
      int64_t *work[2];
      const int radius = (slab.order == 4 ? 3 : 1) * cases[i].dts;
      int64_t most[2] = {0, 0}, all[2] = {0, 0};
      for (int a = 0; a < 2; a++) {
        work[a] = calloc((size_t)slab.n[a] + 1, sizeof *work[a]);
        for (int c = 0; c <= slab.n[a]; c++) {
          seed = seed * 1664525u + 1013904223u;
          work[a][c] = kind == 0   ? 1
                       : kind == 1 ? 50 + seed % 100
                       : kind == 2 ? 100 + c
                                   : (int64_t)(1000 + seed % 1000) << 40;
          most[a] = work[a][c] > most[a] ? work[a][c] : most[a];
          all[a] += work[a][c];
        }
      }
      if (!tor_decomposition_make(&l, &slab, cases[i].dts, cases[i].th, cases[i].ranks,
                                  (const int64_t *const[2]){work[0], work[1]})) {
        for (int a = 0; a < 2; a++) {
          /* The columns on the walls have fewer sites. */
          double shares[8], sites[8], column = (double)most[a] / (double)all[a], unit = radius * column;
          tor_decomposition_work(&l, a, work[a], shares);
          count_sites(&l, a, work[a], sites);
          for (int r = 0; r < l.ranks[a]; r++) {
            assert_true(fabs(shares[r] - sites[r]) < 0.1 * unit + column);
            if (l.ranks[a] == 2) assert_true(fabs(shares[r] - 0.5) < 1.01 * unit); /* no least width */
          }
        }
        tor_decomposition_free(&l);
      } else
        assert_true(kind > 0);
      free(work[0]);
      free(work[1]);
    }
}

/* The least possible largest share, of all borders that a rule admits. */
static int64_t best_by_all(const struct tor_border_rule *rule, int ranks, int rank, int from) {
  if (rank + 1 == ranks) return rule->all - rule->before[from];
  int64_t best = INT64_MAX;
  for (int u = rank ? rule->least[from] : rule->first; u <= rule->last; u++) {
    const int64_t here = rule->before[u] - rule->before[from], others = best_by_all(rule, ranks, rank + 1, u);
    if (others != INT64_MAX && (here > others ? here : others) < best) best = here > others ? here : others;
  }
  return best;
}

/* Random work and widths: what is chosen is admitted, and no other choice has a smaller largest share; nothing is found
 * only where there is nothing. */
static void borders_are_the_best(void **unused) {
  enum { MOST = 14 };
  unsigned seed = 5;
  int none = 0, some = 0;
  (void)unused;
  for (int i = 0; i < 400; i++) {
    int least[MOST + 1], unit[8] = {0};
    int64_t before[MOST + 1] = {0};
    struct tor_border_rule rule = {.least = least, .before = before};
    seed = seed * 1664525u + 1013904223u;
    const int ranks = 2 + (int)(seed >> 16) % 4, width = 1 + (int)(seed >> 20) % 4;
    rule.last = 1 + (int)(seed >> 24) % MOST;
    rule.first = 1 + i % 3 / 2;
    for (int u = 1; u <= rule.last; u++) {
      seed = seed * 1664525u + 1013904223u;
      before[u] = before[u - 1] + ((seed >> 16) % 4 ? 1000 : 100000) * (int64_t)(1 + (seed >> 20) % 10);
      least[u] = u + width > least[u - 1] || u == 1 ? u + width : least[u - 1];
    }
    rule.all = before[rule.last] + 3000;
    const int64_t best = best_by_all(&rule, ranks, 0, 0);
    const int found = !tor_borders_choose(&rule, ranks, unit);
    assert_int_equal(found, best != INT64_MAX);
    none += !found;
    some += found;
    assert_true(!found || unit[1] >= rule.first);
    for (int r = 0; r < ranks && found; r++) {
      const int64_t from = r ? before[unit[r]] : 0, to = r + 1 < ranks ? before[unit[r + 1]] : rule.all;
      assert_true(to - from <= best + rule.all / ranks / 1000 + 1);
      if (r && r + 1 < ranks) assert_true(unit[r + 1] >= least[unit[r]]);
    }
  }
  assert_true(none > 20 && some > 100);
}

/* The number of the part of a y halo that contains a column; -1 unless exactly one does. */
static int part_of(const struct tor_decomposition *l, int loan, int y, int row, int steps, int ix, int iy) {
  int number = -1, found = 0;
  for (int i = 0; i < tor_decomposition_halo_y_parts(steps); i++) {
    const struct tor_halo_y_part part =
        (loan ? tor_decomposition_halo_y_part_down : tor_decomposition_halo_y_part_up)(l, y, row, steps, i);
    int x0, x1;
    tor_halo_y_columns(&part, iy, &x0, &x1);
    if (ix < x0 || ix >= x1) continue;
    found++;
    number = i;
  }
  return found == 1 ? number : -1;
}

/* Whether a tower's sites at half-step h, and `reach` sites around them along x or y, touch the wanted parts of a y
 * halo only. */
static int touches_only(const struct tor_decomposition *l, int loan, int y, int row, int steps, int tower_row,
                        int tower_place, int h, int reach, int from, int to) {
  const struct tor_column_block block =
      (loan ? tor_decomposition_halo_y_down : tor_decomposition_halo_y_up)(l, y, row, steps);
  struct tor_tiling t = tor_decomposition_tiling(l, steps);
  int u0, u1, v0, v1;
  tor_tile_columns(&t, tower_row, h, &u0, &u1);
  for (int u = u0; u <= u1; u++) {
    tor_tile_line(&t, tower_row, tower_place, h, u, &v0, &v1);
    for (int v = v0; v <= v1; v++)
      for (int k = 0; k < 4; k++) {
        const int ix = (u + (k == 0   ? reach
                             : k == 1 ? -reach
                                      : 0)) >>
                       1,
                  iy = (v + (k == 2   ? reach
                             : k == 3 ? -reach
                                      : 0)) >>
                       1;
        if (ix < block.x0 || ix >= block.x1 || iy < block.y0 || iy >= block.y1) continue;
        const int part = part_of(l, loan, y, row, steps, ix, iy);
        if (part < from || part >= to) return 0;
      }
  }
  return 1;
}

/* A part that has been sent is not written again by its tower; the tower that receives it has all columns that it
 * touches in the steps that it may run. */
static void parts_of_strips_are_left_before_they_go(void **unused) {
  static const int heights[] = {1, 4, 5, 9, 16, 33};
  int several = 0;
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct tor_decomposition l;
    layout_of(i, &l);
    for (size_t k = 0; k < 6 && l.ranks[1] > 1; k++) {
      const int steps = heights[k], parts = tor_decomposition_halo_y_parts(steps), across = l.place[1];
      const struct tor_tiling t = tor_decomposition_tiling(&l, steps);
      int first, last;
      tor_tiling_rows(&t, &first, &last);
      several += parts > 1;
      assert_int_equal(tor_decomposition_halo_y_part_left(steps, parts - 1), steps);
      for (int row = first & ~1; row >= last; row -= 2 * ((first - last) / 40 + 1))
        for (int loan = 0; loan < 2; loan++)
          for (int part = 0; part < parts; part++) {
            const int from_row = loan ? row + 1 : row, from_place = loan ? across + 1 : across;
            const int to_row = loan ? row : row - 1, to_place = loan ? across : across + 1;
            const int allowed = tor_decomposition_halo_y_part_allows(steps, part) < steps
                                    ? tor_decomposition_halo_y_part_allows(steps, part)
                                    : steps;
            for (int h = 2 * tor_decomposition_halo_y_part_left(steps, part) + 1; h <= 2 * steps; h++)
              assert_true(touches_only(&l, loan, 0, row, steps, from_row, from_place, h, 0, part + 1, parts));
            for (int h = 1; h <= 2 * allowed; h++)
              assert_true(touches_only(&l, loan, 0, row, steps, to_row, to_place, h, t.s, 0, part + 1));
            if (allowed < steps) /* a GPU loads what the next half-step will advance */
              assert_true(touches_only(&l, loan, 0, row, steps, to_row, to_place, 2 * allowed + 1, 0, 0, part + 1));
          }
    }
    tor_decomposition_free(&l);
  }
  assert_true(several > 0);
}

/* Whether two blocks of columns are the same ones of the domain, which is `shift` columns around, in the same order. */
static int same_block(struct tor_column_block a, struct tor_column_block b, int shift) {
  return a.x0 == b.x0 && a.x1 == b.x1 && a.y0 == b.y0 + shift && a.y1 == b.y1 + shift;
}

/* Arcs of a ring: a partition of the columns; none is held twice; all that towers read is held; the columns that two
 * ranks exchange across the seam are the same ones. */
static void check_arcs(const struct tor_decomposition *l) {
  const int ranks = l->ranks[1], r = (l->order == 4 ? 3 : 1) * l->dts, s = l->order == 4 ? 3 : 1, n = l->n[1];
  int next = 0;
  for (int y = 0; y < ranks; y++) {
    const struct tor_part part = tor_decomposition_part(l, 0, y);
    assert_int_equal(part.own.y0, next);
    next = part.own.y1;
    assert_true(l->place[y + 1] - l->place[y] >= 2 * TOR_RING_TOWERS && l->place[y] % 2 == 0);
    assert_true(part.held.y1 - part.held.y0 <= n);
    assert_true(2 * part.held.y0 <= r * l->place[y] + 1 - s && 2 * part.held.y1 > r * l->place[y + 1] + r - 1 + s);
    assert_int_equal(tor_decomposition_beside(l, 0, y, 1), (y + 1) % ranks);
    assert_int_equal(tor_decomposition_beside(l, 0, (y + 1) % ranks, 0), y);
    for (int row = -3; row < 8; row++) {
      const int above = y + 1 < ranks ? y : -1, around = y + 1 < ranks ? 0 : n;
      assert_true(same_block(tor_decomposition_halo_y_down(l, y, row, l->th),
                             tor_decomposition_halo_y_down(l, above, row, l->th), around));
      assert_true(same_block(tor_decomposition_halo_y_up(l, y, row, l->th),
                             tor_decomposition_halo_y_up(l, above, row, l->th), around));
    }
  }
  assert_int_equal(next, n);
}

/* As many ranks share a ring as leave each six towers; more are refused, and tiles that do not close it. */
static void ranks_share_a_ring(void **unused) {
  static const struct {
    int order, dts, n, most;
  } rings[] = {{2, 1, 12, 2},  {2, 1, 23, 3}, {2, 2, 96, 8}, {4, 1, 72, 4},
               {4, 2, 150, 4}, {2, 3, 93, 5}, {2, 1, 11, 1}};
  (void)unused;
  for (size_t i = 0; i < sizeof rings / sizeof *rings; i++)
    for (int ranks = 1; ranks <= rings[i].most + 1; ranks++) {
      struct tor_slab slab = {.order = rings[i].order, .n = {60, rings[i].n, 8}};
      struct tor_decomposition l;
      slab.wall[TOR_YLO] = slab.wall[TOR_YHI] = TOR_PERIODIC;
      const int grid[2] = {1, ranks};
      const int made = !tor_decomposition_make(&l, &slab, rings[i].dts, 4, grid, NULL);
      assert_int_equal(made, ranks <= rings[i].most);
      if (made && ranks > 1) check_arcs(&l);
      if (made) tor_decomposition_free(&l);
      slab.n[1]++;
      if (rings[i].dts * rings[i].order > 2)
        assert_int_equal(tor_decomposition_make(&l, &slab, rings[i].dts, 4, grid, NULL), -1);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_columns_are_a_partition),
      cmocka_unit_test(rows_touch_what_they_may),
      cmocka_unit_test(parts_of_strips_are_left_before_they_go),
      cmocka_unit_test(a_slab_narrower_than_an_overlap_is_refused),
      cmocka_unit_test(ranks_share_a_ring),
      cmocka_unit_test(work_is_shared_out),
      cmocka_unit_test(borders_are_the_best),
  };
  return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
