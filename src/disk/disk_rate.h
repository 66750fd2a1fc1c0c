/* The rate of a folder's disk. */
#ifndef TOR_SRC_DISK_DISK_RATE_H
#define TOR_SRC_DISK_DISK_RATE_H

#include <stddef.h>

/* Bytes a second, read and written together, when both are done at one time in blocks of `block` bytes as in a sweep;
 * takes about `seconds`, and 128 MB of the disk. -1 with errno when no file can be written there. */
double tor_disk_rate(const char *folder, size_t block, double seconds);

#endif
