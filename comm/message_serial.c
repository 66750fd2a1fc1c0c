/* The run of one process, for builds without MPI: see message.h. There is nobody to send to. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../src/error.h"
#include "message.h"

void tor_message_begin(int *argc, char ***argv) {
  const char *processes = getenv("OMPI_COMM_WORLD_SIZE");
  (void)argc, (void)argv;
  if (processes && strtol(processes, NULL, 10) > 1)
    TOR_DIE("started as one of %s processes, but this build has no MPI (configure with -DTORRE_MPI=ON and an MPI installed)", processes);
}

void tor_message_end(void) {}
int tor_message_built(void) { return 0; }
int tor_message_rank(void) { return 0; }
int tor_message_ranks(void) { return 1; }
int tor_message_neighbours(void) { return 1; }
int tor_message_neighbour(void) { return 0; }

double tor_message_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nobody(int peer) { TOR_DIE("a message for rank %d in a build without MPI", peer); }

void tor_channel_open(struct tor_channel *c, int peer, int tag) { *c = (struct tor_channel){.peer = peer, .tag = tag}; }
void tor_channel_close(struct tor_channel *c, int gives_up) { (void)c, (void)gives_up; }
void *tor_channel_room(struct tor_channel *c, size_t bytes) {
  (void)bytes;
  nobody(c->peer);
  return NULL;
}
void tor_channel_send(struct tor_channel *c, size_t bytes) { (void)bytes, nobody(c->peer); }
void tor_channel_receive(struct tor_channel *c, size_t bytes) { (void)bytes, nobody(c->peer); }
void tor_channel_wait(struct tor_channel *c) { (void)c; }
int tor_channel_test(struct tor_channel *c) {
  (void)c;
  return 1;
}
void tor_message_send(const void *data, size_t bytes, int peer, int tag) { (void)data, (void)bytes, (void)tag, nobody(peer); }
void tor_message_receive(void *data, size_t bytes, int peer, int tag) { (void)data, (void)bytes, (void)tag, nobody(peer); }

int tor_message_lowest(int yes) { return yes ? 0 : -1; }
void tor_message_share(void *data, size_t bytes) { (void)data, (void)bytes; }
void tor_message_or(uint64_t *data, size_t words) { (void)data, (void)words; }
void tor_message_or_all(uint64_t *data, size_t words) { (void)data, (void)words; }
void tor_message_sum(int64_t *data, int count) { (void)data, (void)count; }
void tor_message_barrier(void) {}

void tor_round_start(struct tor_round *round, const void *mine, size_t bytes) {
  free(round->all);
  round->all = tor_alloc(bytes, 1, "messages");
  memcpy(round->all, mine, bytes);
}
const void *tor_round_wait(struct tor_round *round) { return round->all; }
void tor_round_free(struct tor_round *round) {
  free(round->all);
  *round = (struct tor_round){NULL, NULL};
}
