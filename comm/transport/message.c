/* Messages between ranks: see message.h. Within a process they use mailboxes, between processes the transport;
 * collective calls first combine the ranks of a process. */
#include "comm/transport/message.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "comm/transport/mailbox.h"
#include "comm/transport/rank_threads.h"
#include "comm/transport/transport.h"
#include "src/base/error.h"

enum { CHUNK = 1 << 24, WORDS = 1 << 20 }; /* the most bytes, words of a message between processes */

/* --- Ranks, processes, threads --- */

/* _exit, because exit would free resources that other threads still use. */
static void end_all(int status) {
  tor_transport_abort(status);
  _exit(status);
}

static void watch_deaths(void) {
  tor_on_death(tor_transport_processes() * tor_rank_threads_size() > 1 ? end_all : NULL);
}

void tor_message_begin(int *argc, char ***argv) {
  tor_transport_begin(argc, argv);
  watch_deaths();
}

void tor_message_end(void) {
  tor_on_death(NULL);
  tor_transport_end();
}

void tor_message_split(int ranks, void (*run)(void *self), void *self) {
  if (tor_transport_min(ranks) != -tor_transport_min(-ranks))
    TOR_DIE("process %d starts %d ranks, other processes another number", tor_transport_process(), ranks);
  if (ranks > 1) tor_on_death(end_all);
  tor_rank_threads_run(ranks, run, self);
  watch_deaths();
}

int tor_message_alone(void) { return tor_transport_alone(); }
int tor_message_built(void) { return tor_transport_built(); }
int tor_message_in_process(void) { return tor_rank_threads_size(); }

static int rank_of(int thread) { return tor_transport_process() * tor_rank_threads_size() + thread; }
int tor_message_rank(void) { return rank_of(tor_rank_threads_number()); }
int tor_message_ranks(void) { return tor_transport_processes() * tor_rank_threads_size(); }
int tor_message_neighbours(void) { return tor_transport_neighbours() * tor_rank_threads_size(); }
int tor_message_neighbour(void) {
  return tor_transport_neighbour() * tor_rank_threads_size() + tor_rank_threads_number();
}

double tor_message_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- Between two ranks --- */

/* TORRE_MESSAGE_DELAY_US=N, for tests: each transfer starts up to N microseconds late, differently on each rank. */
static void delay(int rank) {
  static _Thread_local long longest = -1;
  static _Thread_local unsigned seed;
  if (longest < 0) {
    const char *text = getenv("TORRE_MESSAGE_DELAY_US");
    longest = text ? strtol(text, NULL, 10) : 0;
    seed = 17u * (unsigned)rank + 1u;
  }
  if (longest <= 0) return;
  seed = seed * 1664525u + 1013904223u;
  nanosleep(&(struct timespec){0, 1000L * ((long)(seed >> 8) % (longest + 1))}, NULL);
}

static int process_of(int rank) { return rank / tor_rank_threads_size(); }
static int is_here(int rank) { return process_of(rank) == tor_transport_process(); }

/* Between processes a tag also identifies the threads of both ranks. */
static int transport_tag(int tag, int from, int to) {
  return (tag * TOR_RANK_THREADS_MOST + from % tor_rank_threads_size()) * TOR_RANK_THREADS_MOST +
         to % tor_rank_threads_size();
}

static void *start_send(const void *data, size_t bytes, int from, int to, int tag) {
  if (is_here(to)) return tor_mailbox_send(from, to, tag, data, bytes);
  return tor_transport_send(data, bytes, process_of(to), transport_tag(tag, from, to));
}

static void *start_receive(void *data, size_t bytes, int from, int to, int tag) {
  if (is_here(from)) return tor_mailbox_receive(from, to, tag, data, bytes);
  return tor_transport_receive(data, bytes, process_of(from), transport_tag(tag, from, to));
}

/* Whether a request is done; then it has been freed. */
static int is_over(void *request, int peer) {
  if (!is_here(peer)) return tor_transport_test(request);
  if (!tor_mailbox_is_done(request)) return 0;
  tor_mailbox_free(request);
  return 1;
}

/* A rank that shares its process must not block the transport. */
static void wait_for(void *request, int peer) {
  if (is_here(peer)) {
    tor_mailbox_wait(request);
    tor_mailbox_free(request);
  } else if (tor_rank_threads_size() == 1)
    tor_transport_wait(request);
  else
    while (!tor_transport_test(request)) sched_yield();
}

static size_t whole_blocks(size_t bytes) {
  return (bytes + TOR_TRANSPORT_BLOCK - 1) / TOR_TRANSPORT_BLOCK * TOR_TRANSPORT_BLOCK;
}

void tor_channel_open(struct tor_channel *c, int peer, int tag) {
  *c = (struct tor_channel){.rank = tor_message_rank(), .peer = peer, .tag = tag};
}

void tor_channel_close(struct tor_channel *c, int gives_up) {
  if (c->request && gives_up && is_here(c->peer)) {
    tor_mailbox_free(c->request);
    c->request = NULL;
  }
  if (c->request && gives_up) tor_transport_cancel(c->request);
  tor_channel_wait(c);
  if (!c->is_lent) free(c->buffer);
  c->buffer = NULL;
}

void *tor_channel_buffer(struct tor_channel *c, size_t bytes) {
  if (whole_blocks(bytes) > c->capacity) {
    free(c->buffer);
    c->capacity = whole_blocks(bytes);
    c->buffer = tor_alloc(c->capacity, 1, "messages");
  }
  return c->buffer;
}

void tor_channel_lend(struct tor_channel *c, void *memory, size_t bytes) {
  c->buffer = memory;
  c->capacity = bytes;
  c->is_lent = 1;
}

/* Not with several ranks in a process: an MPI library serves one GPU per process. */
int tor_message_takes_device_memory(int peer) {
  return tor_rank_threads_size() == 1 && !is_here(peer) && tor_transport_takes_device_memory();
}

static size_t transferred(const struct tor_channel *c, size_t bytes) {
  return c->is_lent ? bytes : whole_blocks(bytes);
}

static void begin(struct tor_channel *c, size_t bytes) {
  delay(c->rank);
  c->posted = tor_message_clock();
  c->bytes += (double)bytes;
}

void tor_channel_send(struct tor_channel *c, size_t bytes) {
  begin(c, bytes);
  c->request = start_send(c->buffer, transferred(c, bytes), c->rank, c->peer, c->tag);
}

void tor_channel_receive(struct tor_channel *c, size_t bytes) {
  if (!c->is_lent) tor_channel_buffer(c, bytes);
  begin(c, bytes);
  c->request = start_receive(c->buffer, transferred(c, bytes), c->peer, c->rank, c->tag);
}

static void end(struct tor_channel *c) {
  c->flight += tor_message_clock() - c->posted;
  c->request = NULL;
}

void tor_channel_wait(struct tor_channel *c) {
  if (!c->request) return;
  const double begun = tor_message_clock();
  wait_for(c->request, c->peer);
  c->blocked += tor_message_clock() - begun;
  end(c);
}

/* A process may have fewer cores than ranks: where the transfer is not done, other ranks get the core. */
int tor_channel_test(struct tor_channel *c) {
  if (c->request && is_over(c->request, c->peer)) end(c);
  if (c->request && tor_rank_threads_size() > 1) sched_yield();
  return !c->request;
}

void tor_channel_swap(struct tor_channel *in, struct tor_channel *out, void *mine, size_t bytes) {
  memcpy(tor_channel_buffer(out, bytes), mine, bytes);
  tor_channel_receive(in, bytes);
  tor_channel_send(out, bytes);
  tor_channel_wait(in);
  tor_channel_wait(out);
  memcpy(mine, in->buffer, bytes);
}

static size_t chunk_of(size_t bytes) { return bytes > CHUNK ? CHUNK : bytes; }

void tor_message_send(const void *data, size_t bytes, int peer, int tag) {
  const int rank = tor_message_rank();
  delay(rank);
  for (const char *at = data; bytes; at += CHUNK) {
    wait_for(start_send(at, chunk_of(bytes), rank, peer, tag), peer);
    bytes -= chunk_of(bytes);
  }
}

void tor_message_receive(void *data, size_t bytes, int peer, int tag) {
  const int rank = tor_message_rank();
  for (char *at = data; bytes; at += CHUNK) {
    wait_for(start_receive(at, chunk_of(bytes), peer, rank, tag), peer);
    bytes -= chunk_of(bytes);
  }
}

/* --- All ranks --- */

/* Contribution of a rank to a collective call of its process. */
struct contribution {
  void *data;       /* its own */
  const void *mine; /* input that is only read */
  size_t count;     /* bytes, words, numbers */
  int lowest;       /* rank with yes != 0; none: the number of ranks */
};

static struct contribution *of(void *const *part, int thread) { return part[thread]; }

static void find_lowest(void *const *part) {
  int lowest = tor_message_ranks();
  for (int t = tor_rank_threads_size() - 1; t >= 0; t--)
    if (of(part, t)->lowest < lowest) lowest = of(part, t)->lowest;
  lowest = tor_transport_min(lowest);
  for (int t = 0; t < tor_rank_threads_size(); t++) of(part, t)->lowest = lowest;
}

int tor_message_lowest(int yes) {
  struct contribution b = {.lowest = yes ? tor_message_rank() : tor_message_ranks()};
  tor_rank_threads_barrier(&b, find_lowest);
  return b.lowest < tor_message_ranks() ? b.lowest : -1;
}

/* Copies the data of a process's first rank to the others. */
static void share_first(void *const *part, size_t bytes) {
  for (int t = 1; t < tor_rank_threads_size(); t++) memcpy(of(part, t)->data, of(part, 0)->data, bytes);
}

static void share(void *const *part) {
  tor_transport_bcast(of(part, 0)->data, of(part, 0)->count);
  share_first(part, of(part, 0)->count);
}

void tor_message_bcast(void *data, size_t bytes) {
  tor_rank_threads_barrier(&(struct contribution){.data = data, .count = bytes}, share);
}

/* Ors the others' words from `at` on to the first one's, or to their copy in `to`. Returns where they are. */
static uint64_t *or_rank_threads(void *const *part, size_t at, int words, uint64_t *to) {
  uint64_t *first = (uint64_t *)of(part, 0)->data + at;
  if (to) first = memcpy(to, first, (size_t)words * sizeof *to);
  for (int t = 1; t < tor_rank_threads_size(); t++) {
    const uint64_t *other = (const uint64_t *)of(part, t)->data + at;
    for (int i = 0; i < words; i++) first[i] |= other[i];
  }
  return first;
}

static int words_from(void *const *part, size_t at) {
  const size_t left = of(part, 0)->count - at;
  return left > WORDS ? WORDS : (int)left;
}

/* Ranks of other processes keep their data unchanged. */
static void or_to_rank0(void *const *part) {
  uint64_t *copy =
      tor_transport_process() && tor_rank_threads_size() > 1 ? tor_alloc(WORDS, sizeof *copy, "messages") : NULL;
  for (size_t at = 0; at < of(part, 0)->count; at += WORDS) {
    const int words = words_from(part, at);
    tor_transport_or(or_rank_threads(part, at, words, copy), words);
  }
  free(copy);
}

void tor_message_or(uint64_t *data, size_t words) {
  tor_rank_threads_barrier(&(struct contribution){.data = data, .count = words}, or_to_rank0);
}

static void or_to_all(void *const *part) {
  for (size_t at = 0; at < of(part, 0)->count; at += WORDS) {
    const int words = words_from(part, at);
    tor_transport_or_all(or_rank_threads(part, at, words, NULL), words);
  }
  share_first(part, of(part, 0)->count * sizeof(uint64_t));
}

void tor_message_or_all(uint64_t *data, size_t words) {
  tor_rank_threads_barrier(&(struct contribution){.data = data, .count = words}, or_to_all);
}

static void sum_to_rank0(void *const *part) {
  const size_t count = of(part, 0)->count;
  int64_t *sum = tor_alloc(count, sizeof *sum, "messages");
  for (int t = 0; t < tor_rank_threads_size(); t++)
    for (size_t i = 0; i < count; i++) sum[i] += ((const int64_t *)of(part, t)->data)[i];
  tor_transport_sum(sum, (int)count);
  if (!tor_transport_process()) memcpy(of(part, 0)->data, sum, count * sizeof *sum);
  free(sum);
}

void tor_message_sum(int64_t *data, int count) {
  tor_rank_threads_barrier(&(struct contribution){.data = data, .count = (size_t)count}, sum_to_rank0);
}

static void wait_for_processes(void *const *part) {
  (void)part;
  tor_transport_barrier();
}

void tor_message_barrier(void) { tor_rank_threads_barrier(NULL, wait_for_processes); }

static void gather_near(void *const *part) {
  const size_t bytes = of(part, 0)->count, here = (size_t)tor_rank_threads_size() * bytes;
  char *const all = of(part, 0)->data, *const own = all + (size_t)tor_transport_neighbour() * here;
  for (int t = 0; t < tor_rank_threads_size(); t++) memcpy(own + (size_t)t * bytes, of(part, t)->mine, bytes);
  tor_transport_gather_near(all, here);
  share_first(part, (size_t)tor_message_neighbours() * bytes);
}

void tor_message_gather_near(const void *mine, void *all, size_t bytes) {
  tor_rank_threads_barrier(&(struct contribution){.data = all, .mine = mine, .count = bytes}, gather_near);
}
