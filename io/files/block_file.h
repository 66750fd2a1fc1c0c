/* A file of blocks of bytes with a checksum each: the saved state of a rank. The bytes have no meaning here.
 *
 * Layout, little-endian: a head of 64 bytes, a table with a row of 40 bytes a block, the blocks (docs/user/restart.md).
 * All sizes are known when the file is made, so blocks may be written in any order and by several threads. Checksums
 * are CRC-32 (zlib's): head and table have one each. No call ends the run or prints; lack of memory is a failure like a
 * full disk. */
#ifndef TOR_IO_FILES_BLOCK_FILE_H
#define TOR_IO_FILES_BLOCK_FILE_H

#include <stddef.h>
#include <stdint.h>

enum { TOR_BLOCK_VERSION = 1 };

/* Identity of the file; values of the caller, stored and returned. */
struct tor_block_head {
  uint64_t owner;
  int64_t step;
  int32_t rank, ranks;
};

struct tor_block {
  int32_t kind, range[4]; /* values of the caller */
  uint32_t checksum;      /* filled in by writing */
  uint64_t offset, bytes; /* offset: filled in by tor_block_file_create */
};

enum tor_block_status {
  TOR_BLOCK_OK,
  TOR_BLOCK_FAILED,  /* the system refused: errno */
  TOR_BLOCK_DAMAGED, /* not such a file, truncated, or bytes changed */
  TOR_BLOCK_OTHER    /* of another version of the format */
};

struct tor_block_file {
  int fd;
  struct tor_block_head head;
  uint64_t count, size;    /* blocks; bytes of the whole file */
  struct tor_block *block; /* [count], owned */
};

/* Creates the file (replacing an existing one) for `count` blocks of which kind, range and bytes are given; fails with
 * ENOSPC when the file system has too little space for it. Returns 0; or -1 with errno and no open file. */
int tor_block_file_create(struct tor_block_file *file, const char *path, const struct tor_block_head *head,
                          uint64_t count, const struct tor_block *blocks);
/* Writes block i whole. From any thread, each block once. Returns 0; or -1 with errno. */
int tor_block_file_write(struct tor_block_file *file, uint64_t i, const void *data);
/* Writes head and table, syncs, closes. Call it after a failure too: `good` 0 only closes. Returns 0; or -1 with errno.
 */
int tor_block_file_finish(struct tor_block_file *file, int good);

/* Opens and checks head, table, size, and the bytes between blocks, which are zero; after TOR_BLOCK_OK the caller ends
 * by tor_block_file_close. */
enum tor_block_status tor_block_file_open(struct tor_block_file *file, const char *path);
/* Reads block i into `to`, which has its bytes, and checks it. From any thread. */
enum tor_block_status tor_block_file_read(const struct tor_block_file *file, uint64_t i, void *to);
void tor_block_file_close(struct tor_block_file *file);

/* CRC-32 of any number of bytes, continued from `start` (0 at first). */
uint32_t tor_block_checksum(uint32_t start, const void *data, size_t bytes);

#endif
