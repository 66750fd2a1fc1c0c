/* The number of threads, chosen from what work takes on machines that are modelled here: a unit of work takes 1 ms by
 * one thread that has a core. The clock is the model's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "diamond/core/pace.h"

static const double UNIT = 1e-3;

/* Seconds that a unit of work takes; *lost: that its threads wait. */
typedef double model(int threads, double *lost);

static double each_has_a_core(int threads, double *lost) {
  *lost = 0;
  return UNIT / threads;
}

/* One of 2: the other thread's core is taken, slice by slice. */
static double one_core_of_two(int threads, double *lost) {
  if (threads == 1) return each_has_a_core(threads, lost);
  *lost = 4e-3;
  return 4e-3;
}

/* Three units, one for each of three threads, of which a fourth has none: all wait where there are two. */
static double unequal_parts(int threads, double *lost) {
  const double seconds = UNIT / 3 * (threads >= 3 ? 1 : 3 - threads + (threads == 2));
  *lost = threads * seconds - UNIT;
  return seconds;
}

/* A core of 64 is taken by half. */
static double one_core_less(int threads, double *lost) {
  const double seconds = each_has_a_core(threads, lost);
  if (threads < 64) return seconds;
  *lost = 63 * seconds;
  return 2 * seconds;
}

/* Runs so many units; returns the seconds. */
static double run(struct tor_pace *pace, int most, int units, model *takes) {
  double all = 0;
  int threads = tor_pace_begin(pace, most);
  for (int i = 0; i < units; i++) {
    double lost;
    const double seconds = takes(threads, &lost);
    threads = tor_pace_add(pace, most, 1, seconds, lost, 0);
    assert_in_range(threads, 1, most);
    all += seconds;
  }
  return all;
}

static void threads_that_have_cores_are_kept(void **state) {
  (void)state;
  for (int most = 1; most <= 64; most++) {
    struct tor_pace pace = {0};
    assert_true(run(&pace, most, 10000, each_has_a_core) < 1.000001 * 10000 * UNIT / most);
    assert_int_equal(pace.threads, most);
  }
}

static void a_thread_without_a_core_is_left_out(void **state) {
  (void)state;
  struct tor_pace pace = {0};
  assert_true(run(&pace, 2, 100, one_core_of_two) < 100 * UNIT + 0.06);
  assert_true(run(&pace, 2, 10000, one_core_of_two) < 1.04 * 10000 * UNIT);
}

static void a_thread_whose_core_is_back_takes_part(void **state) {
  (void)state;
  struct tor_pace pace = {0};
  run(&pace, 2, 1000, one_core_of_two);
  run(&pace, 2, 1000, each_has_a_core);
  assert_int_equal(pace.threads, 2);
  assert_true(run(&pace, 2, 1000, each_has_a_core) < 1.001 * 1000 * UNIT / 2);
}

static void trials_of_fewer_threads_cost_little(void **state) {
  (void)state;
  for (int most = 2; most <= 4; most++) {
    struct tor_pace pace = {0};
    double lost;
    const double best = unequal_parts(most, &lost);
    assert_true(run(&pace, most, 20000, unequal_parts) < 1.03 * 20000 * best);
  }
}

static void one_thread_of_many_is_left_out(void **state) {
  (void)state;
  struct tor_pace pace = {0};
  run(&pace, 64, 10000, one_core_less);
  assert_true(run(&pace, 64, 100000, one_core_less) < 1.1 * 100000 * UNIT / 63);
}

static void fewer_threads_than_before_begin_anew(void **state) {
  (void)state;
  struct tor_pace pace = {0};
  assert_int_equal(tor_pace_begin(&pace, 8), 8);
  assert_int_equal(tor_pace_begin(&pace, 3), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_that_have_cores_are_kept),       cmocka_unit_test(a_thread_without_a_core_is_left_out),
      cmocka_unit_test(a_thread_whose_core_is_back_takes_part), cmocka_unit_test(trials_of_fewer_threads_cost_little),
      cmocka_unit_test(one_thread_of_many_is_left_out),         cmocka_unit_test(fewer_threads_than_before_begin_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
