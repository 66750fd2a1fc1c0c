/* The threads of an OpenMP region that run the phases of a stage together: a phase begins once all have done the one
 * before. They wait for a short time in a loop, then asleep, so that a thread without a core gets one, and as many as
 * a pace wants take part.
 *
 *   struct tor_team team;
 *   tor_team_open(&team, pace, threads, phases);
 *   #pragma omp parallel num_threads(pace->threads)
 *   {
 *     struct tor_team_share share = {.phase = -1, .number = omp_get_thread_num(), .count = omp_get_num_threads()};
 *     while (tor_team_next(&team, &share)) ...; // part share.number of share.count of the phase
 *   }
 *   tor_team_close(&team);
 */
#ifndef TOR_DIAMOND_CPU_TEAM_H
#define TOR_DIAMOND_CPU_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "diamond/core/pace.h"

/* Private to team.c. */
struct tor_team {
  struct tor_pace *pace;
  int most, phases;
  int passive;  /* threads that wait sleep at once */
  double since; /* [s] end of what the pace has counted */
  pthread_mutex_t lock;
  pthread_cond_t next;
  char gap0[128];         /* what waiting threads read and arriving ones write is on cache lines of its own */
  _Atomic uint64_t state; /* phase * 2^32 + threads that take part */
  atomic_int spins;       /* threads that wait loop first */
  char gap1[128];
  atomic_int arrived;
  char gap2[128];
  atomic_int asleep;    /* threads that sleep until the next phase */
  atomic_int slept;     /* in this phase a wait in the loop did not suffice */
  _Atomic int64_t lost; /* [ns] waited by all threads since then */
};

/* A thread's part of a phase. */
struct tor_team_share {
  int phase;         /* -1: before the first */
  int number, count; /* part `number` of `count`; before the first: of the threads of the region */
  uint64_t state;    /* private */
};

/* The phases 0 .. phases - 1, of like work, of a stage by at most `threads` threads; afterwards pace->threads is their
 * number. A phase is one unit of work for the pace, which must outlive the team. */
void tor_team_open(struct tor_team *team, struct tor_pace *pace, int threads, int phases);
void tor_team_close(struct tor_team *team);
/* Returns 1 with the thread's part of the next phase, once all parts of the phase before are done; 0: none is left, or
 * the thread does not take part any more. What the threads wrote before is seen after. */
int tor_team_next(struct tor_team *team, struct tor_team_share *share);

#endif
