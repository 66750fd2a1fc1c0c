/* The threads of a kernel as fibers of the CPU thread that started it: blocks of a cluster side by side, warps that are
 * delayed at random. Each CPU thread has a kernel of its own.
 *
 * A fiber runs until it waits for others. The state of barriers and waits is kept apart from the kernel's memory, so
 * that a barrier with a wrong count, a barrier of two kinds of count at once, or a wait that cannot end is reported and
 * ends the program.
 */
#ifndef TEST_FIBERS_H
#define TEST_FIBERS_H

#include <cstddef>
#include <cstdint>
#include <functional>

namespace on_cpu {

enum { WARP_SIZE = 32, BLOCK_BARRIERS = 16 };

/* Runs a body in all threads of the blocks, of which `cluster` at a time share a cluster. A block's shared memory,
 * `shared` bytes, begins as NaN. */
struct launch {
  unsigned grid[3], block[2], cluster;
  bool side_by_side; /* all clusters at once, not one after another */
  size_t shared;
};
/* Begins a run; one at a time. Its fibers do not run yet: see resume. */
void start(const launch &how, const std::function<void()> &body);
/* Continues the run for a while. WAITS: all fibers wait for something that comes from elsewhere. */
enum progress { ENDED, PROGRESSED, WAITS };
progress resume();
/* Prints the reason and the state of each block's barriers, and ends the program. */
[[noreturn]] void give_up(const char *what);
/* Fills memory with a pattern that must not be read: NaN in both precisions; as an integer so large that it is neither
 * a valid index or count nor a mark of absence. */
void undefine(void *memory, size_t bytes);

/* Delays from now on are those of this seed; 0: none. */
void delay(uint64_t seed);
/* 0 <= number < most, from that seed; 0 without one. */
unsigned random_below(unsigned most);

/* --- For the fiber that runs --- */
/* Lets others run. */
void yield();
/* Records that something happened for which others may wait. */
void note_progress();
/* At random times delays the warp's next turn. */
void doze();
/* Rank of the block in its cluster; the shared memory of the block with such a rank. */
unsigned block_rank();
unsigned char *block_bytes(unsigned rank);
/* Waits until `count` threads of the block have arrived at barrier `number`, or only arrives. */
void wait_at(unsigned number, unsigned count);
void come_to(unsigned number, unsigned count);
/* Waits for all threads of the cluster. */
void wait_for_cluster();
/* The values of the warp's lanes in `mask`, at their places; orders: accesses of each before the exchange are ordered
 * before those after it. */
const uint64_t *exchange(uint64_t value, unsigned mask = ~0u, bool orders = false);

/* --- Copies into shared memory: the destination is NaN until a thread has waited for the copy --- */
void copies_init(void *barrier);
void copies_expect(void *barrier, unsigned bytes);
void copies_add(void *barrier, void *to, const void *from, unsigned bytes);
void copies_store(void *barrier, void *to, const void *from, unsigned bytes);
void copies_wait(void *barrier, unsigned parity);
/* Copies out of shared memory that the running thread has started; stores_take returns whether there is one more to
 * make. */
void stores_add(void *to, const void *from, unsigned bytes);
bool stores_take(void **to, const void **from, unsigned *bytes);

} // namespace on_cpu

#endif
