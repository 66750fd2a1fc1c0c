/* The file driver of io/hdf5/h5.c: see h5_disk.h. */
#include "io/hdf5/h5_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "io/files/safe_open.h"
#include "io/files/writer.h"

struct disk {
  H5FD_t head; /* HDF5's, must be first */
  struct tor_h5_disk *owner;
  int fd; /* -1: the owner's file */
  haddr_t end, allocated;
};

static int open_by_name(const char *name, unsigned flags) {
  if (flags & (H5F_ACC_TRUNC | H5F_ACC_CREAT)) return tor_safe_create(name);
  return tor_safe_open(name, flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY);
}

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t most) {
  (void)most;
  struct tor_h5_disk *const *property = H5Pget_driver_info(access), *owner = property ? *property : NULL;
  struct disk *disk = owner ? calloc(1, sizeof *disk) : NULL;
  if (!disk) {
    if (owner) owner->error = errno;
    return NULL;
  }
  struct stat about = {.st_size = 0};
  disk->owner = owner;
  disk->fd = owner->written ? -1 : open_by_name(name, flags);
  if (!owner->written && (disk->fd < 0 || fstat(disk->fd, &about))) {
    owner->error = errno;
    if (disk->fd >= 0) close(disk->fd);
    free(disk);
    return NULL;
  }
  owner->error = 0;
  disk->end = (haddr_t)about.st_size;
  return &disk->head;
}

static void disk_note(struct disk *disk) {
  if (!disk->owner->error) disk->owner->error = errno ? errno : EIO;
}

static herr_t disk_close(H5FD_t *head) {
  struct disk *disk = (struct disk *)head;
  if (disk->fd >= 0 && close(disk->fd)) disk_note(disk);
  free(disk);
  return 0;
}

static herr_t disk_query(const H5FD_t *head, unsigned long *flags) {
  (void)head;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

static haddr_t disk_allocated(const H5FD_t *head, H5FD_mem_t kind) {
  (void)kind;
  return ((const struct disk *)head)->allocated;
}

static herr_t disk_allocate(H5FD_t *head, H5FD_mem_t kind, haddr_t end) {
  (void)kind;
  ((struct disk *)head)->allocated = end;
  return 0;
}

static haddr_t disk_end(const H5FD_t *head, H5FD_mem_t kind) {
  (void)kind;
  return ((const struct disk *)head)->end;
}

static herr_t disk_read(H5FD_t *head, H5FD_mem_t kind, hid_t transfer, haddr_t at, size_t size, void *data) {
  (void)kind, (void)transfer;
  struct disk *disk = (struct disk *)head;
  char *to = data;
  if (disk->fd < 0) {
    if (tor_written_get(disk->owner->written, (int64_t)at, data, size)) disk_note(disk);
    return 0;
  }
  while (size) {
    ssize_t got = pread(disk->fd, to, size, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      if (got < 0) disk_note(disk);
      memset(to, 0, size); /* behind the end: zeros, as in every driver */
      return 0;
    }
    to += got;
    at += (haddr_t)got;
    size -= (size_t)got;
  }
  return 0;
}

static void write_by_name(struct disk *disk, haddr_t at, size_t size, const char *from) {
  while (size) {
    errno = 0;
    ssize_t put = pwrite(disk->fd, from, size, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      disk_note(disk);
      return;
    }
    from += put;
    at += (haddr_t)put;
    size -= (size_t)put;
  }
}

static herr_t disk_write(H5FD_t *head, H5FD_mem_t kind, hid_t transfer, haddr_t at, size_t size, const void *data) {
  (void)kind, (void)transfer;
  struct disk *disk = (struct disk *)head;
  if (at + size > disk->end) disk->end = at + size;
  if (disk->owner->error) return 0;
  if (disk->fd >= 0)
    write_by_name(disk, at, size, data);
  else if (tor_written_put(disk->owner->written, (int64_t)at, data, size))
    disk_note(disk);
  return 0;
}

static herr_t disk_truncate(H5FD_t *head, hid_t transfer, hbool_t closing) {
  (void)transfer, (void)closing;
  struct disk *disk = (struct disk *)head;
  if (disk->fd < 0)
    tor_written_resize(disk->owner->written, (int64_t)disk->allocated);
  else if (disk->end != disk->allocated && !disk->owner->error && ftruncate(disk->fd, (off_t)disk->allocated))
    disk_note(disk);
  disk->end = disk->allocated;
  return 0;
}

static const H5FD_class_t disk_driver = {
#ifdef H5FD_CLASS_VERSION /* from HDF5 1.14 on */
    .version = H5FD_CLASS_VERSION,
    .value = 512, /* the first that is free for drivers which HDF5 does not list */
#endif
    .name = "torre_disk",
    .maxaddr = ((haddr_t)1 << 63) - 1,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(struct tor_h5_disk *),
    .open = disk_open,
    .close = disk_close,
    .query = disk_query,
    .get_eoa = disk_allocated,
    .set_eoa = disk_allocate,
    .get_eof = disk_end,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .fl_map = H5FD_FLMAP_SINGLE,
};

hid_t tor_h5_disk_register(void) { return H5FDregister(&disk_driver); }
