/* Finds accesses of a kernel's threads that nothing orders. Vector clocks: an access of a thread is ordered before an
 * access of another one if a chain of barriers, copies that were waited for, and published counts leads from one to the
 * other. Votes and shuffles order nothing, atomic additions neither.
 *
 * The kernels are compiled with -fsanitize=thread, whose calls races.cpp answers; without TEST_RACES these calls are
 * empty. Of each host thread. */
#ifndef TEST_RACES_H
#define TEST_RACES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace on_cpu {

typedef std::vector<uint32_t> clocks; /* the clock of each thread */
/* A barrier: the merged clocks of the threads that arrived, and the threads that wait. */
struct meeting {
  clocks come;
  std::vector<unsigned> waiting;
};

#ifdef TEST_RACES
/* Blocks with so many threads in all begin; threads' stacks lie in [stacks, stacks + bytes), where nothing is shared.
 */
void races_begin(bool new_launch, unsigned threads, const void *stacks, size_t bytes);
/* The memory is a new block's: what others did there before, when it was a block's that has ended, orders nothing. */
void races_forget(const void *memory, size_t bytes);
/* The thread runs: reads and writes from now on are attributed to it; -1: to no thread. */
void races_run(int thread);
/* A thread arrives at a barrier, and may wait there; all threads that arrived continue. */
void races_come(meeting &m, unsigned thread, bool waits);
void races_meet(meeting &m);
/* The running thread copies by bulk, or has a value stored by another's memory; it is complete for a thread that has
 * waited for the barrier. */
void races_copy(void *barrier, void *to, const void *from, unsigned bytes, const void *place);
void races_come_to_copies(void *barrier);
void races_end_copies(void *barrier);
void races_wait_for_copies(void *barrier);
/* The running thread publishes, or has seen, the count there. */
void races_publish(const void *count);
void races_see(const void *count);
/* Returns how many pairs of places in the program were found so far, and discards them. Pairs that are left at the end
 * are printed, and make the exit status 1. */
size_t races_found();
#define NO_RACES __attribute__((no_sanitize_thread, noinline))
#else
inline void races_begin(bool, unsigned, const void *, size_t) {}
inline void races_forget(const void *, size_t) {}
inline void races_run(int) {}
inline void races_come(meeting &, unsigned, bool) {}
inline void races_meet(meeting &) {}
inline void races_copy(void *, void *, const void *, unsigned, const void *) {}
inline void races_come_to_copies(void *) {}
inline void races_end_copies(void *) {}
inline void races_wait_for_copies(void *) {}
inline void races_publish(const void *) {}
inline void races_see(const void *) {}
#define NO_RACES
#endif

} // namespace on_cpu

#endif
