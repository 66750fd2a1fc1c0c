/* The ranks of one process, a thread each. */
#ifndef TOR_COMM_TRANSPORT_RANK_THREADS_H
#define TOR_COMM_TRANSPORT_RANK_THREADS_H

enum { TOR_RANK_THREADS_MOST = 16 };

/* Runs `run` in so many threads at a time. What they start by OpenMP are threads of their own. Not to be nested. */
void tor_rank_threads_run(int size, void (*run)(void *self), void *self);
/* Ranks of this process; 1 outside of tor_rank_threads_run. */
int tor_rank_threads_size(void);
/* The calling thread's number among them. Threads that a rank has started do not know it. */
int tor_rank_threads_number(void);
/* Each rank comes with its part; when all are there, `join` runs once, with the parts of all in order, before they go
 * on. */
void tor_rank_threads_barrier(void *part, void (*join)(void *const *part));

#endif
