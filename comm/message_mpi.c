/* Messages by MPI: see message.h. Buffers travel in blocks of 4096 bytes, so that a count fits an int. */
#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi_try.h"

enum { BLOCK = 4096, PIECE = 1 << 24 };
static MPI_Datatype block_type;
static int rank, ranks = 1, neighbour, neighbours = 1, started;

static void abort_all(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

/* Without a launcher there is one process, and MPI is left alone. */
static int launched(void) {
  static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (getenv(marks[i])) return 1;
  return 0;
}

void tor_message_begin(int *argc, char ***argv) {
  int given;
  if (!launched()) return;
  started = 1;
  MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &given);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_TRY(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  MPI_TRY(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  if (ranks > 1) tor_on_death(abort_all);
  if (given < MPI_THREAD_SERIALIZED) TOR_DIE("this MPI does not allow threads to take turns (MPI_THREAD_SERIALIZED)");
  MPI_Comm machine;
  MPI_TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
  MPI_TRY(MPI_Comm_size(machine, &neighbours));
  MPI_TRY(MPI_Comm_rank(machine, &neighbour));
  MPI_TRY(MPI_Comm_free(&machine));
  MPI_TRY(MPI_Type_contiguous(BLOCK, MPI_BYTE, &block_type));
  MPI_TRY(MPI_Type_commit(&block_type));
}

void tor_message_end(void) {
  if (!started) return;
  tor_on_death(NULL);
  MPI_TRY(MPI_Type_free(&block_type));
  MPI_Finalize();
}

int tor_message_built(void) { return 1; }
int tor_message_rank(void) { return rank; }
int tor_message_ranks(void) { return ranks; }
int tor_message_neighbours(void) { return neighbours; }
int tor_message_neighbour(void) { return neighbour; }

double tor_message_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* TORRE_MESSAGE_DELAY_US=N, for tests: each transfer starts up to N microseconds late, differently on each rank. */
static void delay(void) {
  static long longest = -1;
  static unsigned seed;
  if (longest < 0) {
    const char *text = getenv("TORRE_MESSAGE_DELAY_US");
    longest = text ? strtol(text, NULL, 10) : 0;
    seed = 17u * (unsigned)rank + 1u;
  }
  if (longest <= 0) return;
  seed = seed * 1664525u + 1013904223u;
  nanosleep(&(struct timespec){0, 1000L * ((long)(seed >> 8) % (longest + 1))}, NULL);
}

static size_t blocks(size_t bytes) { return (bytes + BLOCK - 1) / BLOCK; }

void tor_channel_open(struct tor_channel *c, int peer, int tag) { *c = (struct tor_channel){.peer = peer, .tag = tag}; }

void tor_channel_close(struct tor_channel *c, int gives_up) {
  if (c->request && gives_up) MPI_TRY(MPI_Cancel(c->request));
  tor_channel_wait(c);
  free(c->buffer);
  c->buffer = NULL;
}

void *tor_channel_room(struct tor_channel *c, size_t bytes) {
  if (blocks(bytes) * BLOCK > c->room) {
    free(c->buffer);
    c->room = blocks(bytes) * BLOCK;
    c->buffer = tor_alloc(c->room, 1, "messages");
  }
  return c->buffer;
}

static void start(struct tor_channel *c, size_t bytes) {
  delay();
  c->request = tor_alloc(1, sizeof(MPI_Request), "messages");
  c->posted = tor_message_clock();
  c->bytes += (double)bytes;
}

void tor_channel_send(struct tor_channel *c, size_t bytes) {
  start(c, bytes);
  MPI_TRY(MPI_Isend(c->buffer, (int)blocks(bytes), block_type, c->peer, c->tag, MPI_COMM_WORLD, c->request));
}

void tor_channel_receive(struct tor_channel *c, size_t bytes) {
  tor_channel_room(c, bytes);
  start(c, bytes);
  MPI_TRY(MPI_Irecv(c->buffer, (int)blocks(bytes), block_type, c->peer, c->tag, MPI_COMM_WORLD, c->request));
}

/* The transfer is done. */
static void end(struct tor_channel *c) {
  c->flight += tor_message_clock() - c->posted;
  free(c->request);
  c->request = NULL;
}

void tor_channel_wait(struct tor_channel *c) {
  if (!c->request) return;
  double begin = tor_message_clock();
  MPI_TRY(MPI_Wait(c->request, MPI_STATUS_IGNORE));
  c->blocked += tor_message_clock() - begin;
  end(c);
}

int tor_channel_test(struct tor_channel *c) {
  if (!c->request) return 1;
  int done;
  MPI_TRY(MPI_Test(c->request, &done, MPI_STATUS_IGNORE));
  if (done) end(c);
  return done;
}

void tor_message_send(const void *data, size_t bytes, int peer, int tag) {
  delay();
  for (const char *at = data; bytes; at += PIECE) {
    int now = bytes > PIECE ? PIECE : (int)bytes;
    MPI_TRY(MPI_Send(at, now, MPI_BYTE, peer, tag, MPI_COMM_WORLD));
    bytes -= (size_t)now;
  }
}

void tor_message_receive(void *data, size_t bytes, int peer, int tag) {
  for (char *at = data; bytes; at += PIECE) {
    int now = bytes > PIECE ? PIECE : (int)bytes;
    MPI_TRY(MPI_Recv(at, now, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    bytes -= (size_t)now;
  }
}

int tor_message_lowest(int yes) {
  if (ranks == 1) return yes ? 0 : -1;
  int mine = yes ? rank : ranks, lowest;
  MPI_TRY(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  return lowest < ranks ? lowest : -1;
}

void tor_message_share(void *data, size_t bytes) {
  if (ranks > 1) MPI_TRY(MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD));
}

void tor_message_or(uint64_t *data, size_t words) {
  for (size_t at = 0; at < words && ranks > 1; at += PIECE) {
    int now = words - at > PIECE ? PIECE : (int)(words - at);
    MPI_TRY(MPI_Reduce(rank ? data + at : MPI_IN_PLACE, data + at, now, MPI_UINT64_T, MPI_BOR, 0, MPI_COMM_WORLD));
  }
}

void tor_message_or_all(uint64_t *data, size_t words) {
  for (size_t at = 0; at < words && ranks > 1; at += PIECE) {
    int now = words - at > PIECE ? PIECE : (int)(words - at);
    MPI_TRY(MPI_Allreduce(MPI_IN_PLACE, data + at, now, MPI_UINT64_T, MPI_BOR, MPI_COMM_WORLD));
  }
}

void tor_message_sum(int64_t *data, int count) {
  if (ranks > 1) MPI_TRY(MPI_Reduce(rank ? data : MPI_IN_PLACE, data, count, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD));
}

void tor_message_barrier(void) {
  if (ranks > 1) MPI_TRY(MPI_Barrier(MPI_COMM_WORLD));
}

void tor_round_start(struct tor_round *round, const void *mine, size_t bytes) {
  free(round->all);
  round->all = tor_alloc((size_t)ranks, bytes, "messages");
  memcpy((char *)round->all + (size_t)rank * bytes, mine, bytes);
  if (ranks == 1) return;
  round->request = tor_alloc(1, sizeof(MPI_Request), "messages");
  MPI_TRY(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, round->all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD,
                         round->request));
}

const void *tor_round_wait(struct tor_round *round) {
  if (round->request) MPI_TRY(MPI_Wait(round->request, MPI_STATUS_IGNORE));
  free(round->request);
  round->request = NULL;
  return round->all;
}

void tor_round_free(struct tor_round *round) {
  tor_round_wait(round);
  free(round->all);
  round->all = NULL;
}
