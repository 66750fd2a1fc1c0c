/* Threads that run phases together: see team.h.
 *
 * The last thread that arrives opens the next phase. The others wait in a loop for up to 1 ms: a sleeping
 * thread takes 5 to 50 us to wake, as long as the phase of a small domain, and may wake on the core of another one.
 * Where that does not suffice a thread has no core, and loops may keep it from one: the threads then sleep at once, in
 * one phase at first, in more each time that the loop does not suffice again. */
#include "diamond/cpu/team.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

#include "diamond/core/pace.h"

enum { LOOPS = 64, MOST_PENALTY = 1024 };
static const double SPIN = 1e-3; /* [s] */

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static uint64_t state_of(int phase, int count) { return (uint64_t)phase << 32 | (uint64_t)count; }
static int phase_of(uint64_t state) { return (int)(state >> 32); }
static int count_of(uint64_t state) { return (int)(state & 0xffffffff); }

static int is_passive(void) {
  const char *policy = getenv("OMP_WAIT_POLICY");
  return policy && !strcasecmp(policy, "passive");
}

static int spins(const struct tor_team *team) { return !team->passive && !team->pace->hasty; }

void tor_team_open(struct tor_team *team, struct tor_pace *pace, int threads, int phases) {
  team->pace = pace;
  team->most = threads;
  team->phases = phases;
  team->passive = is_passive();
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->next, NULL);
  atomic_init(&team->state, state_of(0, tor_pace_begin(pace, threads)));
  atomic_init(&team->spins, spins(team));
  atomic_init(&team->arrived, 0);
  atomic_init(&team->asleep, 0);
  atomic_init(&team->slept, 0);
  atomic_init(&team->lost, 0);
  team->since = omp_get_wtime();
}

void tor_team_close(struct tor_team *team) {
  if (team->pace->parts) team->pace->seconds += omp_get_wtime() - team->since; /* the region's end */
  pthread_cond_destroy(&team->next);
  pthread_mutex_destroy(&team->lock);
}

/* --- By the last thread that arrives --- */

/* The threads of the next phase, at most the `count` of the last one. */
static int choose(struct tor_team *team, int phase, int count) {
  struct tor_pace *pace = team->pace;
  if (count != pace->threads) return count;            /* more are wanted: in the next region */
  if (phase % 2 && phase < team->phases) return count; /* H and E may differ */
  const double now = omp_get_wtime(), seconds = now - team->since;
  const double lost = (double)atomic_exchange_explicit(&team->lost, 0, memory_order_relaxed) * 1e-9;
  team->since = now;
  const int wanted = tor_pace_add(pace, team->most, phase % 2 ? 1 : 2, seconds, lost, team->phases - phase);
  return wanted < count ? wanted : count;
}

/* Whether waits in a loop suffice. */
static void judge(struct tor_team *team) {
  struct tor_pace *pace = team->pace;
  const int slept = atomic_load_explicit(&team->slept, memory_order_relaxed);
  if (pace->hasty > 0)
    pace->hasty--;
  else if (slept)
    pace->hasty = pace->penalty = 2 * pace->penalty < MOST_PENALTY ? 2 * pace->penalty + 1 : MOST_PENALTY;
  else
    pace->penalty /= 2;
  if (slept) atomic_store_explicit(&team->slept, 0, memory_order_relaxed);
  atomic_store_explicit(&team->spins, spins(team), memory_order_relaxed);
}

static uint64_t open_next(struct tor_team *team, const struct tor_team_share *share) {
  const int phase = share->phase + 1;
  const uint64_t state = state_of(phase, choose(team, phase, share->count));
  if (share->count > 1) judge(team);
  atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
  atomic_store(&team->state, state);
  if (!atomic_load(&team->asleep)) return state;
  pthread_mutex_lock(&team->lock);
  pthread_cond_broadcast(&team->next);
  pthread_mutex_unlock(&team->lock);
  return state;
}

/* --- By the others --- */

/* Some turns of the loop. Returns the state. */
static uint64_t spin(struct tor_team *team, uint64_t state) {
  uint64_t found = state;
  for (int i = 0; i < LOOPS && found == state; i++) {
    relax();
    found = atomic_load_explicit(&team->state, memory_order_acquire);
  }
  return found;
}

static uint64_t wait_asleep(struct tor_team *team, uint64_t state) {
  uint64_t found;
  pthread_mutex_lock(&team->lock);
  atomic_fetch_add(&team->asleep, 1);
  while ((found = atomic_load(&team->state)) == state) pthread_cond_wait(&team->next, &team->lock);
  atomic_fetch_sub(&team->asleep, 1);
  pthread_mutex_unlock(&team->lock);
  return found;
}

/* Returns the state once it is another than `state`. */
static uint64_t wait_next(struct tor_team *team, uint64_t state) {
  uint64_t found = spin(team, state);
  if (found != state) return found;
  const double begin = omp_get_wtime();
  const int spins = atomic_load_explicit(&team->spins, memory_order_relaxed);
  while (spins && found == state && omp_get_wtime() - begin < SPIN) found = spin(team, state);
  if (found == state) {
    if (spins) atomic_store_explicit(&team->slept, 1, memory_order_relaxed);
    found = wait_asleep(team, state);
  }
  const double waited = omp_get_wtime() - begin;
  atomic_fetch_add_explicit(&team->lost, (int64_t)(waited * 1e9), memory_order_relaxed);
  return found;
}

int tor_team_next(struct tor_team *team, struct tor_team_share *share) {
  uint64_t state;
  if (share->phase < 0)
    state = atomic_load_explicit(&team->state, memory_order_acquire);
  else if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 == share->count)
    state = open_next(team, share);
  else
    state = wait_next(team, share->state);
  share->state = state;
  share->phase = phase_of(state);
  share->count = count_of(state) < share->count ? count_of(state) : share->count;
  return share->phase < team->phases && share->number < share->count;
}
