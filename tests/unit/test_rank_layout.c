/* The division of jobs among ranks on CPUs: even, or reported. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/plain_job.h"
#include "src/base/units.h"
#include "src/schedule/rank_layout.h"

static double chance(void) { return rand() / (RAND_MAX + 1.0); }
static int from_to(int from, int to) { return from + (int)(chance() * (to - from + 1)); }

struct cut {
  struct tor_job job;
  struct tor_plan plan;
  struct tor_slab slab;
  struct tor_object ball;
};

/* Cells, layers and a ball of gold, as the plan of one process sees them; DTS and TH as it would choose them. */
static void cut_new(struct cut *c, const int n[3], int layers, double radius, int dts, int th) {
  const double cell = 5 * TOR_NM;
  memset(c, 0, sizeof *c);
  tor_plain_job(&c->job, n, (const double[3]){cell, cell, cell}, 2, TOR_F32, layers ? TOR_CPML : TOR_PEC, layers);
  c->job.media = realloc(c->job.media, 2 * sizeof *c->job.media);
  assert_true(tor_medium_builtin("Au", &c->job.media[c->job.nmedia++]));
  c->ball = (struct tor_object){.shape = TOR_SPHERE, .medium = 1, .radius = {radius * cell}};
  for (int a = 0; a < 3; a++) c->ball.center[a] = (chance() - 0.5) * n[a] * cell;
  c->job.objects = &c->ball;
  c->job.nobjects = radius > 0;
  struct tor_grid *g = &c->plan.size.grid;
  tor_grid_make(&c->job, g);
  c->plan.gpu = -1;
  c->plan.setup.threads = 1;
  c->plan.setup.dts = dts;
  c->plan.th = th;
  c->plan.size.steps = 2000;
  c->plan.size.cells = (double)n[0] * n[1] * n[2];
  c->plan.size.memory.total = 30 * c->plan.size.cells;
  for (int a = 0; a < 2; a++) c->plan.work[a] = calloc((size_t)g->n[a] + 1, sizeof *c->plan.work[a]);
  tor_column_work(&c->job, g, &(struct tor_column_costs){0.5, 1.45}, 0, 1, c->plan.work);
  c->slab = (struct tor_slab){.order = 2, .n = {n[0], n[1], n[2]}};
}

static void cut_free(struct cut *c) {
  free(c->plan.work[0]);
  free(c->plan.work[1]);
  tor_plain_job_free(&c->job);
}

/* Of 200 random jobs on random numbers of ranks each is even to within 1.15, or is reported with the numbers; nearly
 * all are even. */
static void random_cuts_are_even_or_reported(void **unused) {
  int even = 0, reported = 0, refused = 0;
  (void)unused;
  srand(11);
  for (int i = 0; i < 200; i++) {
    const int n[3] = {from_to(40, 400), from_to(40, 300), 32}, ranks = from_to(2, 12);
    struct cut c;
    struct tor_rank_choice choice;
    struct tor_decomposition layout;
    char text[512], wanted[80];
    cut_new(&c, n, chance() < 0.5 ? 10 : 0, chance() < 0.7 ? from_to(4, 40) : 0, from_to(8, 30), 64);
    if (tor_rank_layout_choose(&c.job, &c.slab, &c.plan, ranks, 1, &choice)) {
      refused++;
      cut_free(&c);
      continue;
    }
    assert_int_equal(choice.ranks[0] * choice.ranks[1], ranks);
    assert_int_equal(tor_rank_layout_make(&c.slab, &c.plan, &choice, &layout), 0);
    assert_true(fabs(tor_rank_layout_slowest(&c.plan, &layout) - choice.slowest) < 1e-9);
    const int advised =
        !tor_rank_layout_advice(&c.job, &c.slab, &c.plan, &choice, &(struct tor_rank_machine){0, 0}, text, sizeof text);
    snprintf(wanted, sizeof wanted, "the slowest of %d ranks has %.2f of the mean work", ranks, choice.slowest);
    even += choice.slowest <= 1.15;
    if (choice.slowest > 1.15) {
      const char *would = strstr(text, "ranks would have ");
      assert_true(advised && strstr(text, wanted));
      assert_true(!would || atof(would + strlen("ranks would have ")) <= 1.15);
      reported++;
    }
    tor_decomposition_free(&layout);
    cut_free(&c);
  }
  print_message("%d even, %d reported, %d do not fit\n", even, reported, refused);
  assert_true(even >= 150 && refused <= 2);
}

/* 80 columns on two ranks: with tiles of 24 columns the one border lies at column 24 or 48, and a rank has 1.5 of the
 * mean. The job may ask for that, and it is reported; left open, the tiles are narrower. */
static void tiles_that_are_too_wide_for_an_even_cut_are_not_chosen(void **unused) {
  (void)unused;
  struct cut c;
  struct tor_rank_choice choice;
  char text[512];
  cut_new(&c, (const int[3]){80, 80, 32}, 0, 0, 24, 4);
  c.job.schedule.ranks[0] = 2;
  c.job.schedule.ranks[1] = 1;
  assert_int_equal(tor_rank_layout_choose(&c.job, &c.slab, &c.plan, 2, 1, &choice), 0);
  assert_true(choice.slowest < 1.1 && choice.dts < 24);
  c.job.schedule.dts = 24;
  c.job.schedule.th = 4;
  assert_int_equal(tor_rank_layout_choose(&c.job, &c.slab, &c.plan, 2, 1, &choice), 0);
  assert_true(choice.slowest > 1.15 && choice.dts == 24);
  assert_int_equal(
      tor_rank_layout_advice(&c.job, &c.slab, &c.plan, &choice, &(struct tor_rank_machine){2, 2}, text, sizeof text),
      0);
  assert_non_null(strstr(text, "the slowest of 2 ranks has 1."));
  cut_free(&c);
}

/* For a small job on many ranks fewer are proposed, for a large one none. */
static void fewer_ranks_are_proposed_where_they_are_faster(void **unused) {
  (void)unused;
  struct cut c;
  struct tor_rank_choice choice;
  char text[512];
  cut_new(&c, (const int[3]){40, 40, 16}, 0, 0, 16, 64);
  assert_int_equal(tor_rank_layout_choose(&c.job, &c.slab, &c.plan, 6, 1, &choice), 0);
  assert_int_equal(
      tor_rank_layout_advice(&c.job, &c.slab, &c.plan, &choice, &(struct tor_rank_machine){6, 8}, text, sizeof text),
      0);
  assert_non_null(strstr(text, "one process with 6 threads would take 0."));
  assert_int_equal(
      tor_rank_layout_advice(&c.job, &c.slab, &c.plan, &choice, &(struct tor_rank_machine){6, 2}, text, sizeof text),
      0);
  assert_non_null(strstr(text, "one process with 2 threads would take 0."));
  cut_free(&c);
  cut_new(&c, (const int[3]){1200, 600, 256}, 10, 0, 12, 64);
  assert_int_equal(tor_rank_layout_choose(&c.job, &c.slab, &c.plan, 6, 1, &choice), 0);
  assert_int_equal(
      tor_rank_layout_advice(&c.job, &c.slab, &c.plan, &choice, &(struct tor_rank_machine){0, 0}, text, sizeof text),
      -1);
  cut_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_cuts_are_even_or_reported),
      cmocka_unit_test(tiles_that_are_too_wide_for_an_even_cut_are_not_chosen),
      cmocka_unit_test(fewer_ranks_are_proposed_where_they_are_faster),
  };
  return cmocka_run_group_tests_name("rank layout", tests, NULL, NULL);
}
