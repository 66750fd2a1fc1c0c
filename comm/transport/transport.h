/* Messages between the processes of a run, below message.h, which implements ranks. transport_mpi.c sends them by MPI;
 * transport_none.c is the single process of a build without it.
 *
 * Any failure of the library ends the run on all processes. Threads of a process take turns in these calls; a blocking
 * call delays the others, and may only be made where none of them needs the transport before it returns. */
#ifndef TOR_COMM_TRANSPORT_TRANSPORT_H
#define TOR_COMM_TRANSPORT_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

/* First and last call of a program. Collective. */
void tor_transport_begin(int *argc, char ***argv);
void tor_transport_end(void);
/* Whether this process was started without others, by the launcher's environment, or has ended its part. */
int tor_transport_alone(void);
/* Ends all processes. Returns where this one has to end itself. */
void tor_transport_abort(int status);
int tor_transport_built(void);
int tor_transport_process(void);
int tor_transport_processes(void);
/* Processes on this one's machine, and this one's number among them. */
int tor_transport_neighbours(void);
int tor_transport_neighbour(void);

/* Whether data may lie in a GPU's memory. TORRE_GPU_MPI=on or off in the environment overrides the library's answer. */
int tor_transport_takes_device_memory(void);

/* Begin a transfer; its request is for one tor_transport_wait or successful tor_transport_test. Transfers above 2 GB
 * must be whole blocks or lines. */
enum { TOR_TRANSPORT_BLOCK = 4096, TOR_TRANSPORT_LINE = 16 };
void *tor_transport_send(const void *data, size_t bytes, int process, int tag);
void *tor_transport_receive(void *data, size_t bytes, int process, int tag);
/* Whether it is done. The library progresses messages only while it is called. */
int tor_transport_test(void *request);
void tor_transport_wait(void *request); /* blocks */
/* Cancels an unmatched receive; it still has to be waited for. */
void tor_transport_cancel(void *request);
/* Starts an allgather. all: [processes][bytes], with this process's in place. NULL when it is done. Collective. */
void *tor_transport_gather(void *all, size_t bytes);

/* Collective; they block. */
int tor_transport_min(int value);
/* Process 0's bytes to all. */
void tor_transport_bcast(void *data, size_t bytes);
/* Bitwise or to process 0, to all; sum to process 0. The others' data are not changed. */
void tor_transport_or(uint64_t *data, int words);
void tor_transport_or_all(uint64_t *data, int words);
void tor_transport_sum(int64_t *data, int count);
void tor_transport_barrier(void);
/* all: [neighbours][bytes], with this process's in place. */
void tor_transport_gather_near(void *all, size_t bytes);

#endif
