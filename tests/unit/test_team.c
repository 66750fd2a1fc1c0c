/* Threads that run phases together: all parts of a phase are done once, before any of the next, whoever is late, and
 * however few threads take part. No time decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <omp.h>

#include <cmocka.h>

#include "diamond/core/pace.h"
#include "diamond/cpu/team.h"

enum { MOST = 5, PHASES = 600 };

/* What the threads of a stage write, plain memory: the thread sanitizer sees a phase that does not wait. */
struct trace {
  int done[MOST];           /* phases that part `number` is through with */
  int counts[PHASES][MOST]; /* threads of the phase by each part; 0: not run */
  int mistakes[MOST];       /* by thread: parts of the phase before that were not done */
};

static void sleep_ns(long ns) {
  const struct timespec t = {0, ns};
  nanosleep(&t, NULL);
}

/* Now and then some microseconds, rarely longer than threads wait awake. */
static void be_late(int thread, int phase) {
  uint32_t random = (uint32_t)(thread * PHASES + phase) * 2654435761u;
  random ^= random >> 15;
  if (random % 64 == 0)
    sleep_ns(2000000);
  else if (random % 4 == 0)
    sleep_ns(random % 50000);
}

static void part(struct trace *trace, const struct tor_team_share *share) {
  const int phase = share->phase, before = phase ? trace->counts[phase - 1][0] : 0;
  for (int i = 0; i < before; i++) trace->mistakes[share->number] += trace->done[i] != phase;
  trace->counts[phase][share->number] = share->count;
}

static void run(struct trace *trace, struct tor_pace *pace, int threads, int late) {
  struct tor_team team;
  memset(trace, 0, sizeof *trace);
  tor_team_open(&team, pace, threads, PHASES);
#pragma omp parallel num_threads(pace->threads)
  {
    struct tor_team_share share = {.phase = -1, .number = omp_get_thread_num(), .count = omp_get_num_threads()};
    while (tor_team_next(&team, &share)) {
      if (share.phase % 2) { /* read in even phases, written in odd ones */
        if (late) be_late(share.number, share.phase);
        trace->done[share.number] = share.phase + 1;
        trace->counts[share.phase][share.number] = share.count;
      } else
        part(trace, &share);
    }
  }
  tor_team_close(&team);
}

static void check(const struct trace *trace, int threads) {
  for (int p = 0; p < PHASES; p++) {
    const int count = trace->counts[p][0];
    assert_in_range(count, 1, p ? trace->counts[p - 1][0] : threads);
    for (int i = 0; i < MOST; i++) assert_int_equal(trace->counts[p][i], i < count ? count : 0);
  }
  for (int i = 0; i < MOST; i++) assert_int_equal(trace->mistakes[i], 0);
}

static void phases_follow_each_other(void **state) {
  (void)state;
  static struct trace trace;
  for (int threads = 1; threads <= MOST; threads++) {
    struct tor_pace pace = {0};
    run(&trace, &pace, threads, 0);
    check(&trace, threads);
  }
}

/* Several stages: the pace has most of them run by fewer threads. */
static void all_wait_for_late_threads(void **state) {
  (void)state;
  static struct trace trace;
  struct tor_pace pace = {0};
  for (int stage = 0; stage < 3; stage++) {
    run(&trace, &pace, MOST, 1);
    check(&trace, MOST);
  }
}

static void threads_that_sleep_at_once_wake(void **state) {
  (void)state;
  static struct trace trace;
  struct tor_pace pace = {0};
  setenv("OMP_WAIT_POLICY", "PASSIVE", 1);
  run(&trace, &pace, MOST, 0);
  unsetenv("OMP_WAIT_POLICY");
  check(&trace, MOST);
}

/* A region gets fewer threads than the pace wants. */
static void a_smaller_region_runs_all_phases(void **state) {
  (void)state;
  static struct trace trace;
  struct tor_pace pace = {0};
  struct tor_team team;
  memset(&trace, 0, sizeof trace);
  tor_team_open(&team, &pace, MOST, PHASES);
#pragma omp parallel num_threads(2)
  {
    struct tor_team_share share = {.phase = -1, .number = omp_get_thread_num(), .count = omp_get_num_threads()};
    while (tor_team_next(&team, &share)) trace.counts[share.phase][share.number] = share.count;
  }
  tor_team_close(&team);
  check(&trace, 2);
}

int main(void) {
  unsetenv("OMP_WAIT_POLICY"); /* as users run it, whatever ctest sets */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(phases_follow_each_other),
      cmocka_unit_test(all_wait_for_late_threads),
      cmocka_unit_test(threads_that_sleep_at_once_wake),
      cmocka_unit_test(a_smaller_region_runs_all_phases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
