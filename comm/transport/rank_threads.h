/* The ranks of one process, a thread each. */
#ifndef TOR_COMM_TRANSPORT_RANK_THREADS_H
#define TOR_COMM_TRANSPORT_RANK_THREADS_H

enum { TOR_RANK_THREADS_MOST = 16 };

/* Runs `run` in `size` threads at a time. OpenMP regions that they open have separate threads. Must not be nested. */
void tor_rank_threads_run(int size, void (*run)(void *self), void *self);
/* Ranks of this process; 1 outside of tor_rank_threads_run. */
int tor_rank_threads_size(void);
/* The calling thread's number among them. Not valid in threads that a rank has started. */
int tor_rank_threads_number(void);
/* Barrier of the ranks of this process; when all have arrived, `join` runs once with the parts of all in order, before
 * any of them continues. */
void tor_rank_threads_barrier(void *part, void (*join)(void *const *part));

#endif
