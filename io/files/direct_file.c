/* A nameless file: see direct_file.h. */
#define _GNU_SOURCE /* O_DIRECT, O_TMPFILE, fallocate, sync_file_range */
#include "io/files/direct_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* File systems without nameless files: one whose name is removed at once. */
static int open_and_remove(const char *folder) {
  char path[PATH_BYTES];
  if (snprintf(path, sizeof path, "%s/torre-columns-XXXXXX", folder) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  const int fd = mkostemp(path, O_CLOEXEC);
  if (fd >= 0) unlink(path);
  return fd;
}

/* Some file systems refuse O_DIRECT when the file is opened, others when it is read. */
static int can_be_direct(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_DIRECT)) return 0;
  void *page = aligned_alloc(TOR_DIRECT_ALIGN, TOR_DIRECT_ALIGN);
  int ok = page != NULL;
  if (ok) memset(page, 0, TOR_DIRECT_ALIGN);
  ok = ok && pwrite(fd, page, TOR_DIRECT_ALIGN, 0) == TOR_DIRECT_ALIGN &&
       pread(fd, page, TOR_DIRECT_ALIGN, 0) == TOR_DIRECT_ALIGN;
  free(page);
  if (!ok) fcntl(fd, F_SETFL, flags);
  return ok;
}

int tor_direct_file_open(struct tor_direct_file *file, const char *folder) {
  file->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file->fd < 0 && errno != ENOENT && errno != EACCES && errno != ENOTDIR && errno != EROFS)
    file->fd = open_and_remove(folder);
  if (file->fd < 0) return -1;
  file->is_direct = can_be_direct(file->fd);
  return tor_direct_file_resize(file, 0);
}

void tor_direct_file_close(struct tor_direct_file *file) {
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
}

int tor_direct_file_resize(struct tor_direct_file *file, int64_t bytes) { return ftruncate(file->fd, bytes); }

int tor_direct_file_reserve(struct tor_direct_file *file, int64_t bytes) {
  if (!bytes || !fallocate(file->fd, 0, 0, bytes)) return 0;
  return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL ? 0 : -1;
}

/* A transfer through the page cache leaves no pages there. */
static void forget(const struct tor_direct_file *file, int64_t at, size_t bytes) {
  if (!file->is_direct) posix_fadvise(file->fd, at, (off_t)bytes, POSIX_FADV_DONTNEED);
}

int tor_direct_file_read(const struct tor_direct_file *file, int64_t at, void *to, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t n = pread(file->fd, (char *)to + done, bytes - done, at + (int64_t)done);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO; /* the file was shortened */
    if (n <= 0) return -1;
    done += (size_t)n;
  }
  forget(file, at, bytes);
  return 0;
}

int tor_direct_file_write(const struct tor_direct_file *file, int64_t at, const void *from, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t n = pwrite(file->fd, (const char *)from + done, bytes - done, at + (int64_t)done);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return -1;
    done += (size_t)n;
  }
  if (file->is_direct) return 0;
  const unsigned now = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  if (sync_file_range(file->fd, at, (off_t)bytes, now) && errno != ENOSYS && errno != EINVAL && errno != ESPIPE)
    return -1;
  forget(file, at, bytes);
  return 0;
}
