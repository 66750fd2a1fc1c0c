/* A file of blocks of bytes with a checksum each: see block_file.h. */
#include "io/files/block_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "io/files/folder.h"
#include "io/files/safe_open.h"

/* Read back as another number on a machine of the other byte order. */
static const uint32_t byte_order = 0x01020304;
static const char magic[8] = {'T', 'O', 'R', 'B', 'L', 'O', 'C', 'K'};
enum { ALIGN = 64 };

struct head_on_disk {
  char magic[8];
  uint32_t byte_order, version;
  struct tor_block_head head;
  uint64_t count, size;
  uint32_t table_checksum, checksum; /* the last: of the 60 bytes before it */
};
static_assert(sizeof(struct head_on_disk) == 64 && sizeof(struct tor_block) == 40, "the layout has no gaps");

uint32_t tor_block_checksum(uint32_t start, const void *data, size_t bytes) {
  return (uint32_t)crc32_z(start, data, bytes);
}

static uint32_t head_checksum(const struct head_on_disk *head) {
  return tor_block_checksum(0, head, sizeof *head - sizeof head->checksum);
}

static int put(int fd, const void *data, uint64_t bytes, uint64_t at) {
  const char *from = data;
  while (bytes) {
    errno = 0;
    ssize_t n = pwrite(fd, from, bytes < 1 << 30 ? bytes : 1 << 30, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (!errno) errno = EIO;
      return -1;
    }
    from += n;
    at += (uint64_t)n;
    bytes -= (uint64_t)n;
  }
  return 0;
}

static enum tor_block_status get(int fd, void *data, uint64_t bytes, uint64_t at) {
  char *to = data;
  while (bytes) {
    ssize_t n = pread(fd, to, bytes < 1 << 30 ? bytes : 1 << 30, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return TOR_BLOCK_FAILED;
    if (!n) return TOR_BLOCK_DAMAGED;
    to += n;
    at += (uint64_t)n;
    bytes -= (uint64_t)n;
  }
  return TOR_BLOCK_OK;
}

/* --- Writing ---------------------------------------------------------------------------------- */

int tor_block_file_create(struct tor_block_file *file, const char *path, const struct tor_block_head *head,
                          uint64_t count, const struct tor_block *blocks) {
  *file = (struct tor_block_file){-1, *head, count, 0, malloc((count ? count : 1) * sizeof *blocks)};
  if (!file->block) return -1;
  if (count) memcpy(file->block, blocks, count * sizeof *blocks);
  uint64_t at = sizeof(struct head_on_disk) + count * sizeof *blocks;
  for (uint64_t i = 0; i < count; i++) {
    at = (at + ALIGN - 1) / ALIGN * ALIGN;
    file->block[i].offset = at;
    at += file->block[i].bytes;
  }
  file->size = at;
  file->fd = tor_safe_create(path);
  int64_t capacity = file->fd < 0 ? -1 : tor_folder_free_bytes(path);
  if (file->fd >= 0 && (capacity < 0 || (uint64_t)capacity >= at)) return 0;
  int error = file->fd < 0 ? errno : ENOSPC;
  tor_block_file_close(file);
  errno = error;
  return -1;
}

int tor_block_file_write(struct tor_block_file *file, uint64_t i, const void *data) {
  struct tor_block *block = &file->block[i];
  block->checksum = tor_block_checksum(0, data, block->bytes);
  return put(file->fd, data, block->bytes, block->offset);
}

int tor_block_file_finish(struct tor_block_file *file, int good) {
  uint64_t table = file->count * sizeof *file->block;
  struct head_on_disk head = {.byte_order = byte_order, .version = TOR_BLOCK_VERSION, .head = file->head};
  memcpy(head.magic, magic, sizeof magic);
  head.count = file->count;
  head.size = file->size;
  head.table_checksum = tor_block_checksum(0, file->block, table);
  head.checksum = head_checksum(&head);
  int status = 0;
  if (good && (put(file->fd, file->block, table, sizeof head) || put(file->fd, &head, sizeof head, 0) ||
               tor_folder_sync(file->fd)))
    status = -1;
  int error = errno;
  if (close(file->fd) && !status) status = -1, error = errno;
  file->fd = -1;
  tor_block_file_close(file);
  errno = error;
  return status;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static enum tor_block_status read_head(struct tor_block_file *file, struct head_on_disk *head) {
  struct stat about;
  if (fstat(file->fd, &about)) return TOR_BLOCK_FAILED;
  uint64_t size = (uint64_t)about.st_size;
  if (!S_ISREG(about.st_mode) || size < sizeof *head) return TOR_BLOCK_DAMAGED;
  enum tor_block_status status = get(file->fd, head, sizeof *head, 0);
  if (status) return status;
  if (memcmp(head->magic, magic, sizeof magic) || head->byte_order != byte_order) return TOR_BLOCK_DAMAGED;
  if (head->version > TOR_BLOCK_VERSION) return TOR_BLOCK_OTHER;
  if (head->checksum != head_checksum(head) || head->size != size) return TOR_BLOCK_DAMAGED;
  return head->count > (size - sizeof *head) / sizeof *file->block ? TOR_BLOCK_DAMAGED : TOR_BLOCK_OK;
}

/* Blocks lie where tor_block_file_create puts them, and the bytes between them are zero: no byte of the file is without
 * a check. */
static enum tor_block_status check_places(const struct tor_block_file *file) {
  static const char zeros[ALIGN];
  uint64_t at = sizeof(struct head_on_disk) + file->count * sizeof *file->block;
  for (uint64_t i = 0; i < file->count; i++) {
    const struct tor_block *block = &file->block[i];
    char gap[ALIGN];
    if (block->offset < at || block->offset - at >= ALIGN || block->offset % ALIGN || block->offset > file->size ||
        block->bytes > file->size - block->offset)
      return TOR_BLOCK_DAMAGED;
    const enum tor_block_status status = get(file->fd, gap, block->offset - at, at);
    if (status) return status;
    if (memcmp(gap, zeros, block->offset - at) != 0) return TOR_BLOCK_DAMAGED;
    at = block->offset + block->bytes;
  }
  return at == file->size ? TOR_BLOCK_OK : TOR_BLOCK_DAMAGED;
}

static enum tor_block_status read_table(struct tor_block_file *file, const struct head_on_disk *head) {
  uint64_t bytes = head->count * sizeof *file->block;
  file->head = head->head;
  file->count = head->count;
  file->size = head->size;
  file->block = malloc(bytes ? bytes : 1);
  if (!file->block) return TOR_BLOCK_FAILED;
  enum tor_block_status status = get(file->fd, file->block, bytes, sizeof *head);
  if (status) return status;
  if (head->table_checksum != tor_block_checksum(0, file->block, bytes)) return TOR_BLOCK_DAMAGED;
  return check_places(file);
}

enum tor_block_status tor_block_file_open(struct tor_block_file *file, const char *path) {
  struct head_on_disk head;
  memset(file, 0, sizeof *file);
  file->fd = tor_safe_open(path, O_RDONLY);
  if (file->fd < 0) return TOR_BLOCK_FAILED;
  enum tor_block_status status = read_head(file, &head);
  if (!status) status = read_table(file, &head);
  int error = errno;
  if (status) tor_block_file_close(file);
  errno = error;
  return status;
}

enum tor_block_status tor_block_file_read(const struct tor_block_file *file, uint64_t i, void *to) {
  const struct tor_block *block = &file->block[i];
  enum tor_block_status status = get(file->fd, to, block->bytes, block->offset);
  if (!status && tor_block_checksum(0, to, block->bytes) != block->checksum) status = TOR_BLOCK_DAMAGED;
  return status;
}

void tor_block_file_close(struct tor_block_file *file) {
  if (file->fd >= 0) close(file->fd);
  free(file->block);
  file->fd = -1;
  file->block = NULL;
}
