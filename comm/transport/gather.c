/* Non-blocking allgather: see message.h. The ranks of a process share one gathering for each gather; the last rank that
 * starts it sends it. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "comm/transport/message.h"
#include "comm/transport/rank_threads.h"
#include "comm/transport/transport.h"

struct tor_gathering {
  unsigned joined;   /* bit 1 << number for each rank of this process that has started it */
  int arrived, left; /* number of ranks that have started it; that have finished with it */
  int is_done;
  void *all, *request;
  struct tor_gathering *next; /* the next newer one */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sent = PTHREAD_COND_INITIALIZER;
static struct tor_gathering *oldest;

/* The oldest gathering that this rank has not started, or a new one. */
static struct tor_gathering *next_of(unsigned me, size_t bytes) {
  struct tor_gathering **link = &oldest;
  while (*link && (*link)->joined & me) link = &(*link)->next;
  if (*link) return *link;
  *link = tor_alloc(1, sizeof **link, "messages");
  (*link)->all = tor_alloc((size_t)tor_message_ranks(), bytes, "messages");
  return *link;
}

void tor_gather_start(struct tor_gather *gather, const void *mine, size_t bytes) {
  const unsigned me = 1u << tor_rank_threads_number();
  tor_gather_free(gather);
  pthread_mutex_lock(&lock);
  struct tor_gathering *g = next_of(me, bytes);
  memcpy((char *)g->all + (size_t)tor_message_rank() * bytes, mine, bytes);
  g->joined |= me;
  if (++g->arrived == tor_rank_threads_size()) {
    g->request = tor_transport_gather(g->all, (size_t)tor_rank_threads_size() * bytes);
    g->is_done = !g->request;
    pthread_cond_broadcast(&sent);
  }
  pthread_mutex_unlock(&lock);
  gather->gathering = g;
}

/* A rank that shares its process must not block the transport. */
static void move_on(struct tor_gathering *g) {
  if (tor_rank_threads_size() == 1) {
    tor_transport_wait(g->request);
    g->is_done = 1;
  } else if (!(g->is_done = tor_transport_test(g->request))) {
    pthread_mutex_unlock(&lock);
    sched_yield();
    pthread_mutex_lock(&lock);
  }
}

const void *tor_gather_wait(struct tor_gather *gather) {
  struct tor_gathering *g = gather->gathering;
  pthread_mutex_lock(&lock);
  while (g->arrived < tor_rank_threads_size()) pthread_cond_wait(&sent, &lock);
  while (!g->is_done) move_on(g);
  pthread_mutex_unlock(&lock);
  return g->all;
}

static void remove_gathering(struct tor_gathering *g) {
  struct tor_gathering **link = &oldest;
  while (*link != g) link = &(*link)->next;
  *link = g->next;
  free(g->all);
  free(g);
}

void tor_gather_free(struct tor_gather *gather) {
  struct tor_gathering *g = gather->gathering;
  if (!g) return;
  tor_gather_wait(gather);
  pthread_mutex_lock(&lock);
  if (++g->left == tor_rank_threads_size()) remove_gathering(g);
  pthread_mutex_unlock(&lock);
  gather->gathering = NULL;
}
