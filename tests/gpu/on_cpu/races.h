/* Which accesses of a kernel's threads nothing orders. Vector clocks: what a thread does is ordered before what another
 * one does if a chain of barriers, copies that were waited for, and published counts leads from one to the other. Votes
 * and shuffles order nothing, atomic additions neither.
 *
 * The kernels are compiled with -fsanitize=thread, whose calls races.cpp answers; without TEST_RACES these calls are
 * empty. Of each host thread. */
#ifndef TEST_RACES_H
#define TEST_RACES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace on_cpu {

typedef std::vector<uint32_t> clocks; /* of each thread: what it had done */
/* A barrier's: what those who came had done, and who waits. */
struct meeting {
  clocks come;
  std::vector<unsigned> waiting;
};

#ifdef TEST_RACES
/* Blocks with so many threads in all begin; threads' stacks lie in [stacks, stacks + bytes), where nothing is shared.
 */
void races_begin(bool new_launch, unsigned threads, const void *stacks, size_t bytes);
/* The thread runs, and what is read and written from now on is its own doing; -1: nobody's. */
void races_run(int thread);
/* A thread comes to a barrier, and may wait there; all who came go on. */
void races_come(meeting &m, unsigned thread, bool waits);
void races_meet(meeting &m);
/* The running thread copies by bulk, or has a value stored by another's memory; it is done when somebody who waits has
 * seen it. */
void races_copy(void *barrier, void *to, const void *from, unsigned bytes, const void *place);
void races_come_to_copies(void *barrier);
void races_end_copies(void *barrier);
void races_wait_for_copies(void *barrier);
/* The running thread publishes, or has seen, the count there. */
void races_publish(const void *count);
void races_see(const void *count);
/* Pairs of places in the program that were found so far; forgets them. Those that are left at the end are told, and
 * make the exit status 1. */
size_t races_found();
#define NO_RACES __attribute__((no_sanitize_thread, noinline))
#else
inline void races_begin(bool, unsigned, const void *, size_t) {}
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
