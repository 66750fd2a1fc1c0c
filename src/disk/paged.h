/* Arrays that are larger than the memory for them: each is a range of addresses whose data lie in a nameless file
 * (io/files/direct_file.h). Blocks of an array are brought into memory and taken out again, at their addresses; an
 * access to a block that is out ends the process by SIGSEGV.
 *
 * Outside of a sweep the caller asks for ranges (tor_paged_hold). In a sweep all blocks come once and leave once, in
 * two orders that the caller gives; two threads read ahead, into the next sweep, too, and two write.
 *
 * With a pool, a sweep's blocks lie in frames of one range of addresses in place of their own, so that a device can
 * copy from and to them.
 *
 * Local. All calls but tor_paged_wait and tor_paged_leave come from one thread. A transfer that fails ends the process
 * with a message. */
#ifndef TOR_SRC_DISK_PAGED_H
#define TOR_SRC_DISK_PAGED_H

#include <stddef.h>
#include <stdint.h>

enum { TOR_PAGED_ARRAYS = 8 };
struct tor_paged;
struct tor_paged_block {
  int array;
  int64_t block;
};
/* What has been moved: bytes, and seconds that callers of tor_paged_wait waited, of all threads. */
struct tor_paged_traffic {
  double read, written, waited;
};

/* memory: bytes that blocks may take; they are a 512th of it, from 16 kB to 4 MB. rate: bytes a second, read and
 * written together, that are not exceeded; 0: no limit. NULL with errno: no file in the folder, no threads. */
struct tor_paged *tor_paged_open(const char *folder, double memory, double rate);
void tor_paged_close(struct tor_paged *paged); /* NULL: nothing */
/* Before the first array: there is a pool, of the memory; what is held outside of sweeps comes on top of it. Returns 0,
 * or -1 with errno. */
int tor_paged_use_pool(struct tor_paged *paged);
char *tor_paged_pool(const struct tor_paged *paged, size_t *bytes);
int tor_paged_is_direct(const struct tor_paged *paged);

/* Bytes of a block, for so much memory. */
size_t tor_paged_block_for(double memory);
size_t tor_paged_block_bytes(const struct tor_paged *paged);
int64_t tor_paged_capacity(const struct tor_paged *paged); /* in blocks, of those that come and leave */

/* A range of addresses for up to `most` bytes, for array number `array`, which is empty so far. constant: the data do
 * not change in sweeps and are not written there. NULL with errno. */
char *tor_paged_reserve(struct tor_paged *paged, int array, size_t most, int constant);
/* The array's size; what is new is zero. */
void tor_paged_resize(struct tor_paged *paged, int array, size_t bytes);
int64_t tor_paged_blocks(const struct tor_paged *paged, int array);
/* Takes the disk's space for all arrays. Returns 0, or -1 with errno. */
int tor_paged_allocate(struct tor_paged *paged);

/* Brings bytes from <= i < to of an array into memory and takes its other blocks out. They may be changed if `changes`.
 * The caller sees to it that what is held of all arrays fits the memory. */
void tor_paged_hold(struct tor_paged *paged, int array, size_t from, size_t to, int changes);
/* The first half of it: takes the array's other blocks out. */
void tor_paged_let_go(struct tor_paged *paged, int array, size_t from, size_t to);
/* Brings bytes from <= i < to of an array into memory to stay there: holds and sweeps leave them. Before the first
 * sweep; then tor_paged_order gets the other blocks alone. Returns 0, or -1 when the memory holds no more. */
int tor_paged_keep(struct tor_paged *paged, int array, size_t from, size_t to);
int tor_paged_is_kept(const struct tor_paged *paged, int array, int64_t block);
/* Takes all out but what is kept. */
void tor_paged_release(struct tor_paged *paged);

/* The blocks in the orders in which they come and leave in a sweep: [count] each, all blocks of all arrays that are not
 * kept. Both are then owned. */
void tor_paged_order(struct tor_paged *paged, int64_t count, struct tor_paged_block *in, struct tor_paged_block *out);
void tor_paged_begin(struct tor_paged *paged); /* a sweep */
/* Returns when the first n blocks of `in` are here. Any thread. */
void tor_paged_wait(struct tor_paged *paged, int64_t n);
/* The first n blocks of `out` may leave. Any thread. */
void tor_paged_leave(struct tor_paged *paged, int64_t n);
void tor_paged_end(struct tor_paged *paged); /* all may */
/* The same of one of the sweeps begun so far, or of the next one, counted from 0; and whether the blocks are here, or
 * have been, after waiting no longer than so many seconds. */
void tor_paged_leave_from(struct tor_paged *paged, int64_t sweep, int64_t n);
int tor_paged_has(struct tor_paged *paged, int64_t sweep, int64_t n, double seconds);
/* Where the data of an array's address lie now, of a block that is in memory; *bytes: how many there. */
char *tor_paged_find(const struct tor_paged *paged, const char *address, size_t *bytes);

/* Waits for blocks that leave. */
struct tor_paged_traffic tor_paged_traffic(struct tor_paged *paged);

#endif
