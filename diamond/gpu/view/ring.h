/* Rings of device memory: one allocation, mapped repeatedly along a range of addresses, for an array of which a part is
 * there at a time. Sweep after sweep passes over the array, each beginning in the ring where the one before ended.
 *
 * All functions end the process, with a message that states the remedy, when the device or the driver fails. */
#ifndef TOR_DIAMOND_GPU_VIEW_RING_H
#define TOR_DIAMOND_GPU_VIEW_RING_H

#include <stddef.h>

enum {
  TOR_RING_GRANULE = 2 << 20
}; /* of device memory; also the bytes before and after the array that kernels may read */

struct tor_ring {
  char *range; /* of the addresses, */
  size_t range_bytes;
  size_t size;               /* of the memory, mapped every so many bytes; 0: no ring */
  size_t period;             /* of the array: bytes from sweep to sweep */
  unsigned long long memory; /* the driver's handle */
};

/* At least `bytes` bytes of the thread's device. */
struct tor_ring tor_ring_new(size_t bytes, size_t period);
void tor_ring_free(const struct tor_ring *ring);
/* Address of the array's first byte in sweep number `sweep`, counted from 0. */
char *tor_ring_base(const struct tor_ring *ring, long long sweep);
/* Opens a ring on another device of this process to the thread's device, which has rings itself. Returns 0 where that
 * cannot be. */
int tor_ring_reach(const struct tor_ring *ring);

#endif
