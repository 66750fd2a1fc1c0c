/* The GPU that each rank of a machine takes, from the GPUs visible to each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "src/schedule/rank_gpu.h"

/* "ab" sees GPU a as number 0 and GPU b as number 1. */
static struct tor_gpus_seen sees(const char *names) {
  struct tor_gpus_seen seen = {0};
  for (; *names; names++) snprintf(seen.pci[seen.count++], sizeof seen.pci[0], "0000:%c0:00.0", *names);
  return seen;
}

/* Each rank's choice as a digit, from the GPUs visible to the ranks; '-' for none. */
static void expect(int ranks, const char *const *names, const char *numbers, int used) {
  struct tor_gpus_seen seen[8];
  char got[9] = "";
  for (int r = 0; r < ranks; r++) seen[r] = sees(names[r]);
  for (int r = 0; r < ranks; r++) {
    const struct tor_gpu_pick pick = tor_rank_gpu_pick(seen, ranks, r);
    got[r] = pick.number < 0 ? '-' : (char)('0' + pick.number);
    assert_int_equal(pick.used, used);
  }
  assert_string_equal(got, numbers);
}
#define EXPECT(numbers, used, ...)                               \
  do {                                                           \
    static const char *const all[] = {__VA_ARGS__};              \
    expect((int)(sizeof all / sizeof *all), all, numbers, used); \
  } while (0)

static void ranks_that_see_all_take_one_after_the_other(void **state) {
  (void)state;
  EXPECT("0", 1, "abcd");
  EXPECT("0123", 4, "abcd", "abcd", "abcd", "abcd");
  EXPECT("01", 2, "abcd", "abcd");
}

/* Slurm's --gpus-per-task: each is number 0 to its process, and no two are the same. */
static void gpus_of_a_task_are_not_shared(void **state) {
  (void)state;
  EXPECT("000", 3, "a", "b", "c");
  EXPECT("0101", 4, "ab", "ab", "cd", "cd");
  EXPECT("010", 3, "ba", "ba", "c");
}

static void more_ranks_than_gpus_share_evenly(void **state) {
  (void)state;
  EXPECT("01010", 2, "ab", "ab", "ab", "ab", "ab");
  EXPECT("000", 1, "a", "a", "a");
  EXPECT("001", 2, "a", "a", "ab");
  const struct tor_gpus_seen seen[] = {sees("ab"), sees("ab"), sees("b")};
  assert_int_equal(tor_rank_gpu_pick(seen, 3, 0).ranks, 1);
  assert_int_equal(tor_rank_gpu_pick(seen, 3, 1).ranks, 2);
  assert_int_equal(tor_rank_gpu_pick(seen, 3, 2).ranks, 2);
}

static void a_rank_without_gpus_takes_none(void **state) {
  (void)state;
  EXPECT("0-1", 2, "ab", "", "ab");
  EXPECT("--", 0, "", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_that_see_all_take_one_after_the_other),
      cmocka_unit_test(gpus_of_a_task_are_not_shared),
      cmocka_unit_test(more_ranks_than_gpus_share_evenly),
      cmocka_unit_test(a_rank_without_gpus_takes_none),
  };
  return cmocka_run_group_tests_name("rank_gpu", tests, NULL, NULL);
}
