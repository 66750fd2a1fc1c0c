/* Messages between the ranks of a run. A rank is a process, or one thread of several of a process (tor_message_split):
 * message.c and gather.c. What goes from process to process goes by transport.h.
 *
 * Any failure of the library ends the run on all ranks. Nothing here knows what the bytes mean. Threads that a rank
 * starts may take turns in calls of its channels; all else is for the rank's own thread. */
#ifndef TOR_COMM_TRANSPORT_MESSAGE_H
#define TOR_COMM_TRANSPORT_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

/* First and last call of a program. From begin on, an ending by TOR_DIE ends all ranks. Collective. */
void tor_message_begin(int *argc, char ***argv);
void tor_message_end(void);
/* 1 when the build has MPI. */
int tor_message_built(void);
/* Makes each process `ranks` ranks, as many in all processes and at most 16, and runs `run` on each, in a thread of its
 * own, until all are back. Ranks of a process have consecutive numbers. Collective over processes; not to be nested. */
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

/* One direction of one exchange: a buffer, and a transfer that runs behind the computation. */
struct tor_channel {
  int rank, peer, tag; /* rank: that opened it */
  size_t capacity;
  void *buffer;
  int is_lent;   /* the buffer is the caller's */
  void *request; /* NULL: nothing under way */
  double posted;
  double blocked; /* seconds spent waiting, and seconds between posting and the end of transfers; sums */
  double flight;
  double bytes; /* moved so far */
};
void tor_channel_open(struct tor_channel *channel, int peer, int tag);
/* Waits for a send under way, gives up a receive that nothing will match. */
void tor_channel_close(struct tor_channel *channel, int gives_up);
/* A buffer of at least so many bytes; nothing may be under way. */
void *tor_channel_buffer(struct tor_channel *channel, size_t bytes);
/* Memory of the caller's in place of a buffer, as long as the channel is open; exactly `bytes` bytes go from or to it.
 * It may be a GPU's between ranks where messages take that. */
void tor_channel_lend(struct tor_channel *channel, void *memory, size_t bytes);
int tor_message_takes_device_memory(int peer);
void tor_channel_send(struct tor_channel *channel, size_t bytes);
void tor_channel_receive(struct tor_channel *channel, size_t bytes);
/* Returns once what is under way is done; at once when nothing is. */
void tor_channel_wait(struct tor_channel *channel);
/* Whether nothing is under way any more. The library moves messages on while it is asked. */
int tor_channel_test(struct tor_channel *channel);

/* The peer's bytes for mine, by a channel each way that nothing else goes through yet. Blocks; the peer does the same.
 */
void tor_channel_swap(struct tor_channel *in, struct tor_channel *out, void *mine, size_t bytes);

/* Blocking, between two ranks. */
void tor_message_send(const void *data, size_t bytes, int peer, int tag);
void tor_message_receive(void *data, size_t bytes, int peer, int tag);

/* Collective. The lowest rank that says yes, -1 when none does. */
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

/* A round of words: a few bytes of every rank to all ranks, behind the computation. Collective: all ranks start the
 * same rounds in the same order, each with as many bytes. */
struct tor_gather {
  struct tor_gathering *gathering; /* NULL: not started */
};
void tor_gather_start(struct tor_gather *gather, const void *mine, size_t bytes);
/* The words in the order of ranks; they stand until the next start, which may follow, or tor_gather_free. */
const void *tor_gather_wait(struct tor_gather *gather);
void tor_gather_free(struct tor_gather *gather);

#endif
