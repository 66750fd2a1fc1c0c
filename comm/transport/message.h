/* Messages between the ranks of a run. A rank is a process, or one thread of several of a process (tor_message_split):
 * message.c and gather.c. Transfers between processes use transport.h.
 *
 * Any failure of the library ends the run on all ranks. Data are bytes without meaning here. Threads that a rank starts
 * may take turns in calls of its channels; all else must be called by the rank's own thread. */
#ifndef TOR_COMM_TRANSPORT_MESSAGE_H
#define TOR_COMM_TRANSPORT_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

/* First and last call of a program. From begin on, TOR_DIE ends all ranks. Collective. */
void tor_message_begin(int *argc, char ***argv);
void tor_message_end(void);
/* Whether no other process was started with this one, by the variables of its launcher; before tor_message_begin. A
 * process that has called tor_message_end is alone. */
int tor_message_alone(void);
/* 1 when the build has MPI. */
int tor_message_built(void);
/* Splits each process into `ranks` ranks, the same number in all processes and at most 16, and runs `run` on each, in
 * one thread per rank, until all have returned. Ranks of a process have consecutive numbers. Collective over processes;
 * must not be nested. */
void tor_message_split(int ranks, void (*run)(void *self), void *self);
/* Ranks of this process; 1 outside of tor_message_split. */
int tor_message_in_process(void);
int tor_message_rank(void);
int tor_message_ranks(void);
/* Ranks that share this rank's machine, and this rank's number among them. */
int tor_message_neighbours(void);
int tor_message_neighbour(void);
/* Seconds on a clock of this process. */
double tor_message_clock(void);

/* One direction of one exchange: a buffer, and a non-blocking transfer. */
struct tor_channel {
  int rank, peer, tag; /* rank: that opened it */
  size_t capacity;
  void *buffer;
  int is_lent;   /* the buffer is the caller's */
  void *request; /* NULL: no transfer is pending */
  double posted;
  double blocked; /* seconds spent waiting, and seconds between posting and the end of transfers; sums */
  double flight;
  double bytes; /* moved so far */
};
void tor_channel_open(struct tor_channel *channel, int peer, int tag);
/* Completes a pending send; gives_up: cancels an unmatched receive. */
void tor_channel_close(struct tor_channel *channel, int gives_up);
/* A buffer of at least so many bytes; no transfer may be pending. */
void *tor_channel_buffer(struct tor_channel *channel, size_t bytes);
/* Uses memory of the caller as the buffer, as long as the channel is open; exactly `bytes` bytes are sent or received.
 * It may be device memory where tor_message_takes_device_memory(peer) is 1. */
void tor_channel_lend(struct tor_channel *channel, void *memory, size_t bytes);
int tor_message_takes_device_memory(int peer);
void tor_channel_send(struct tor_channel *channel, size_t bytes);
void tor_channel_receive(struct tor_channel *channel, size_t bytes);
/* Returns once the pending transfer is done; immediately when there is none. */
void tor_channel_wait(struct tor_channel *channel);
/* Whether no transfer is pending. The library progresses messages only while it is called. */
int tor_channel_test(struct tor_channel *channel);

/* Exchanges bytes with the peer, by a channel each way without other transfers. Blocks; the peer must do the same. */
void tor_channel_swap(struct tor_channel *in, struct tor_channel *out, void *mine, size_t bytes);

/* Blocking, between two ranks. */
void tor_message_send(const void *data, size_t bytes, int peer, int tag);
void tor_message_receive(void *data, size_t bytes, int peer, int tag);

/* Collective. The lowest rank with yes != 0, -1 when there is none. */
int tor_message_lowest(int yes);
/* Rank 0's bytes to all. */
void tor_message_bcast(void *data, size_t bytes);
/* Bitwise or of all ranks' words, to rank 0; and sums. The others' data are not changed. */
void tor_message_or(uint64_t *data, size_t words);
/* The same or, to all ranks. */
void tor_message_or_all(uint64_t *data, size_t words);
void tor_message_sum(int64_t *data, int count);
void tor_message_barrier(void);
/* `bytes` bytes of each rank of this machine, to all of them: all[neighbours][bytes]. Collective. */
void tor_message_gather_near(const void *mine, void *all, size_t bytes);

/* Non-blocking allgather of a few bytes of every rank. Collective: all ranks start the same ones in the same order,
 * each with the same number of bytes. */
struct tor_gather {
  struct tor_gathering *gathering; /* NULL: not started */
};
void tor_gather_start(struct tor_gather *gather, const void *mine, size_t bytes);
/* The bytes in the order of ranks; they remain valid until the next start, which may follow, or tor_gather_free. */
const void *tor_gather_wait(struct tor_gather *gather);
void tor_gather_free(struct tor_gather *gather);

#endif
