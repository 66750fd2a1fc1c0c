/* Runs side by side in threads of one process. What they share (MPI, HDF5 and other libraries that are not safe with
 * threads, and state of the process) is used by the thread that has the turn; a run gives it away while it steps, while
 * it makes the arrays of its columns, and while these go to a device. */
#ifndef TOR_SRC_BASE_CONCURRENT_H
#define TOR_SRC_BASE_CONCURRENT_H

#ifdef __cplusplus
extern "C" {
#endif

enum { TOR_CONCURRENT_MOST = 64 };

/* The number of this thread's run, 1 .. TOR_CONCURRENT_MOST, for state that each run has; 0: no runs go side by side,
 * or a thread that a run has started, which may use none of that state but after tor_concurrent_adopt. */
int tor_concurrent_number(void);

/* This thread, which the run of that number has started, may use the state of that run. It never has the turn. */
void tor_concurrent_adopt(int number);

/* This thread's run from here on has that number and, as soon as it returns, the turn. */
void tor_concurrent_begin(int number);
void tor_concurrent_end(void);

/* Gives the turn to others, while the run steps or (steps: 0) does something else; waits for it, with the same steps.
 * Nothing where the number is 0. */
void tor_concurrent_give(int steps);
void tor_concurrent_take(int steps);

/* This thread's run shares its work on a device with so many runs, itself among them, when it steps. */
void tor_concurrent_share(int runs);
/* How many runs step at this moment, those that share their work on a device counted as one; at least 1, also where no
 * runs go side by side. */
int tor_concurrent_steppers(void);

#ifdef __cplusplus
}
#endif

#endif
