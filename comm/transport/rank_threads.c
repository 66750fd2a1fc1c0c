/* The ranks of one process: see rank_threads.h. */
#include "comm/transport/rank_threads.h"

#include <omp.h>
#include <pthread.h>

#include "src/base/error.h"

static int size = 1;
static _Thread_local int number;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t over;
  int arrived;
  unsigned count; /* of barriers so far */
  void *part[TOR_RANK_THREADS_MOST];
} barrier = {.lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

int tor_rank_threads_size(void) { return size; }
int tor_rank_threads_number(void) { return number; }

void tor_rank_threads_run(int ranks, void (*run)(void *self), void *self) {
  if (ranks < 1 || ranks > TOR_RANK_THREADS_MOST || size > 1) TOR_DIE("%d ranks in a process of %d", ranks, size);
  if (omp_get_max_active_levels() < 2) omp_set_max_active_levels(2);
  omp_set_dynamic(0);
  if (ranks == 1) { /* also of several runs side by side */
    run(self);
    return;
  }
  size = ranks;
#pragma omp parallel num_threads(ranks)
  {
    if (omp_get_num_threads() < ranks)
      TOR_DIE("got %d threads for %d ranks in this process: check OMP_THREAD_LIMIT", omp_get_num_threads(), ranks);
    number = omp_get_thread_num();
    run(self);
    number = 0;
  }
  size = 1;
}

void tor_rank_threads_barrier(void *part, void (*join)(void *const *part)) {
  if (size == 1) {
    join(&part);
    return;
  }
  pthread_mutex_lock(&barrier.lock);
  const unsigned now = barrier.count;
  barrier.part[number] = part;
  if (++barrier.arrived == size) {
    join(barrier.part);
    barrier.arrived = 0;
    barrier.count++;
    pthread_cond_broadcast(&barrier.over);
  }
  while (barrier.count == now) pthread_cond_wait(&barrier.over, &barrier.lock);
  pthread_mutex_unlock(&barrier.lock);
}
