/* Files written asynchronously: see writer.h. */
#define _GNU_SOURCE /* O_DIRECT */
#include "io/files/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/folder.h"
#include "io/files/safe_open.h"
#include "src/base/concurrent.h"

#ifndef O_DIRECT
#define O_DIRECT 0
#endif

/* Direct writes begin and end at multiples of SECTOR, in the file and in memory. */
enum { BLOCK = 8 << 20, SECTOR = 4096, FEWEST_BLOCKS = 8 };

/* Bytes [at, at + size) of a file; or, without data, the file's end. */
struct piece {
  struct piece *next;
  struct tor_written *file;
  int64_t at;
  size_t size, capacity;
  char *data;
};

struct tor_written {
  struct tor_writer *writer;
  char *path, *part;
  int fd, direct;      /* direct: the same file opened with O_DIRECT; -1 where that is not possible */
  struct piece *block; /* the one that is being filled, BLOCK bytes at a multiple of BLOCK */
  int64_t front;       /* data from here on have not been passed to the thread */
  int64_t size;        /* of the whole file */
  int drop;
  struct piece end;
  /* Under the writer's lock: */
  int waiting; /* pieces */
  int ended, error;
};

struct tor_writer {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  struct piece *first, *last; /* in the order of writing */
  struct piece *spare;        /* blocks */
  uint64_t blocks, most;      /* number allocated, and its limit */
  uint64_t waiting;           /* pieces passed to the thread and not yet done */
  int ending, run;            /* run: concurrent.h */
};

/* --- The thread ------------------------------------------------------------------------------- */

static int put_bytes(int fd, const char *from, size_t size, int64_t at) {
  while (size) {
    errno = 0;
    ssize_t put = pwrite(fd, from, size, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      if (!errno) errno = EIO;
      return -1;
    }
    from += put;
    at += put;
    size -= (size_t)put;
  }
  return 0;
}

/* Writes a block past the cache, with zeros up to the end of its sector: the file's size is set at its end. */
static int put_piece(struct tor_written *file, const struct piece *piece) {
  if (piece->capacity == BLOCK && file->direct >= 0) {
    const size_t whole = (piece->size + SECTOR - 1) / SECTOR * SECTOR;
    memset(piece->data + piece->size, 0, whole - piece->size);
    if (!put_bytes(file->direct, piece->data, whole, piece->at)) return 0;
    if (errno != EINVAL) return -1;
    close(file->direct); /* this file system needs another alignment */
    file->direct = -1;
  }
  return put_bytes(file->fd, piece->data, piece->size, piece->at);
}

/* Closes the file and renames it to its final name. Returns 0 or an errno. */
static int end_file(struct tor_written *file, int error) {
  if (!error && !file->drop && ftruncate(file->fd, (off_t)file->size)) error = errno;
  if (file->direct >= 0) close(file->direct);
  if (close(file->fd) && !error) error = errno;
  if (file->drop || error)
    tor_safe_remove(file->part);
  else if (tor_folder_publish(file->path))
    error = errno;
  return error;
}

static void *work(void *argument) {
  struct tor_writer *w = argument;
  tor_concurrent_adopt(w->run);
  pthread_mutex_lock(&w->lock);
  for (;;) {
    while (!w->first && !w->ending) pthread_cond_wait(&w->work, &w->lock);
    struct piece *piece = w->first;
    if (!piece) break;
    struct tor_written *file = piece->file;
    int error = file->error;
    w->first = piece->next;
    pthread_mutex_unlock(&w->lock);
    const int is_end = piece == &file->end, is_block = piece->capacity == BLOCK;
    if (is_end)
      error = end_file(file, error);
    else if (!error && put_piece(file, piece))
      error = errno;
    if (!is_end && !is_block) free(piece);
    pthread_mutex_lock(&w->lock);
    file->error = error;
    file->waiting--;
    w->waiting--;
    if (is_end) file->ended = 1;
    if (is_block) {
      piece->next = w->spare;
      w->spare = piece;
    }
    pthread_cond_signal(&w->done);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

/* --- The caller ------------------------------------------------------------------------------- */

/* The thread blocks all signals: the caller handles them. */
static int start_thread(struct tor_writer *w) {
  sigset_t all, kept;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &kept);
  int error = pthread_create(&w->thread, NULL, work, w);
  pthread_sigmask(SIG_SETMASK, &kept, NULL);
  return error;
}

struct tor_writer *tor_writer_start(uint64_t bytes) {
  struct tor_writer *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->run = tor_concurrent_number();
  w->most = bytes / BLOCK > FEWEST_BLOCKS ? bytes / BLOCK : FEWEST_BLOCKS;
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->work, NULL);
  pthread_cond_init(&w->done, NULL);
  int error = start_thread(w);
  if (!error) return w;
  free(w);
  errno = error;
  return NULL;
}

void tor_writer_end(struct tor_writer *w) {
  if (!w) return;
  pthread_mutex_lock(&w->lock);
  w->ending = 1;
  pthread_cond_signal(&w->work);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  while (w->spare) {
    struct piece *next = w->spare->next;
    free(w->spare->data);
    free(w->spare);
    w->spare = next;
  }
  pthread_cond_destroy(&w->done);
  pthread_cond_destroy(&w->work);
  pthread_mutex_destroy(&w->lock);
  free(w);
}

static void free_file(struct tor_written *file) {
  free(file->path);
  free(file->part);
  free(file);
}

/* The same file, past the cache; -1 where that cannot be. */
static int open_direct(const struct tor_written *file) {
  struct stat a, b;
  const int fd = tor_safe_open(file->part, O_WRONLY | O_DIRECT);
  if (fd < 0 || (!fstat(fd, &a) && !fstat(file->fd, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev)) return fd;
  close(fd);
  return -1;
}

struct tor_written *tor_writer_create(struct tor_writer *w, const char *path) {
  struct tor_written *file = calloc(1, sizeof *file);
  if (!file) return NULL;
  file->writer = w;
  file->end.file = file;
  file->path = strdup(path);
  file->part = tor_folder_part(path);
  file->fd = file->path && file->part ? tor_safe_create(file->part) : -1;
  if (file->fd < 0) {
    int error = errno;
    free_file(file);
    errno = error;
    return NULL;
  }
  file->direct = O_DIRECT ? open_direct(file) : -1;
  return file;
}

/* Under the lock. */
static void enqueue(struct tor_writer *w, struct piece *piece) {
  piece->next = NULL;
  if (w->first)
    w->last->next = piece;
  else
    w->first = piece;
  w->last = piece;
  piece->file->waiting++;
  w->waiting++;
  pthread_cond_signal(&w->work);
}

static struct piece *new_block(void) {
  struct piece *piece = malloc(sizeof *piece);
  void *data;
  int error = piece ? posix_memalign(&data, SECTOR, BLOCK) : ENOMEM;
  if (!error) {
    *piece = (struct piece){.capacity = BLOCK, .data = data};
    return piece;
  }
  free(piece);
  errno = error;
  return NULL;
}

/* A block to fill: a spare one, a new one, or the next one that has been written. NULL with errno. */
static struct piece *take_block(struct tor_writer *w) {
  struct piece *piece = NULL;
  pthread_mutex_lock(&w->lock);
  if (!w->spare && w->blocks < w->most && (piece = new_block())) w->blocks++;
  if (!piece) {
    while (!w->spare && w->waiting) pthread_cond_wait(&w->done, &w->lock);
    piece = w->spare;
    if (piece) w->spare = piece->next;
  }
  pthread_mutex_unlock(&w->lock);
  return piece;
}

/* Passes a piece to the thread; waits while it has too many of them. */
static void give(struct tor_written *file, struct piece *piece) {
  struct tor_writer *w = file->writer;
  pthread_mutex_lock(&w->lock);
  while (w->waiting > 4 * w->most) pthread_cond_wait(&w->done, &w->lock);
  enqueue(w, piece);
  pthread_mutex_unlock(&w->lock);
}

static void give_block(struct tor_written *file) {
  struct piece *block = file->block;
  if (!block) return;
  file->front = block->at + BLOCK;
  file->block = NULL;
  give(file, block);
}

static int begin_block(struct tor_written *file, int64_t at) {
  give_block(file);
  struct piece *block = take_block(file->writer);
  if (!block) return -1;
  block->file = file;
  block->at = at / BLOCK * BLOCK;
  block->size = 0;
  file->block = block;
  return 0;
}

static void fill_block(struct piece *block, int64_t at, const void *data, size_t size) {
  const size_t from = (size_t)(at - block->at);
  if (from > block->size) memset(block->data + block->size, 0, from - block->size);
  memcpy(block->data + from, data, size);
  if (from + size > block->size) block->size = from + size;
}

/* Data before `front`: a separate piece, written after the pieces already passed to the thread. */
static int write_async(struct tor_written *file, int64_t at, const void *data, size_t size) {
  struct piece *piece = malloc(sizeof *piece + size);
  if (!piece) return -1;
  *piece = (struct piece){.file = file, .at = at, .size = size, .capacity = 0, .data = (char *)(piece + 1)};
  memcpy(piece->data, data, size);
  give(file, piece);
  return 0;
}

static size_t least(size_t size, int64_t capacity) { return (int64_t)size < capacity ? size : (size_t)capacity; }

/* The thread's error; with `idle` after it has done everything. */
static int error_of(const struct tor_written *file, int idle) {
  struct tor_writer *w = file->writer;
  pthread_mutex_lock(&w->lock);
  while (idle && file->waiting) pthread_cond_wait(&w->done, &w->lock);
  int error = file->error;
  pthread_mutex_unlock(&w->lock);
  return error;
}

int tor_written_put(struct tor_written *file, int64_t at, const void *data, size_t size) {
  const char *from = data;
  int error = error_of(file, 0);
  if (at + (int64_t)size > file->size) file->size = at + (int64_t)size;
  while (!error && size) {
    const struct piece *block = file->block;
    const int64_t start = block ? block->at : file->front;
    size_t n = 0;
    if (at < start) {
      n = least(size < BLOCK ? size : BLOCK, start - at);
      if (write_async(file, at, from, n)) error = errno;
    } else if (block && at < block->at + BLOCK) {
      n = least(size, block->at + BLOCK - at);
      fill_block(file->block, at, from, n);
    } else if (begin_block(file, at))
      error = errno;
    from += n;
    at += (int64_t)n;
    size -= n;
  }
  errno = error;
  return error ? -1 : 0;
}

/* The part of [at, at + size) that lies in the block which is being filled. */
static void get_from_block(const struct piece *block, int64_t at, char *to, size_t size) {
  const int64_t from = at > block->at ? at : block->at, block_end = block->at + (int64_t)block->size;
  const int64_t end = at + (int64_t)size < block_end ? at + (int64_t)size : block_end;
  if (end > from) memcpy(to + (from - at), block->data + (from - block->at), (size_t)(end - from));
}

int tor_written_get(struct tor_written *file, int64_t at, void *data, size_t size) {
  char *to = data;
  size_t done = 0;
  int error = error_of(file, 1);
  while (!error && done < size) {
    ssize_t got = pread(file->fd, to + done, size - done, (off_t)(at + (int64_t)done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    done += (size_t)got;
  }
  memset(to + done, 0, size - done);
  if (file->block) get_from_block(file->block, at, to, size);
  errno = error;
  return error ? -1 : 0;
}

void tor_written_resize(struct tor_written *file, int64_t bytes) { file->size = bytes; }

static void end(struct tor_written *file, int drop) {
  give_block(file);
  file->drop = drop;
  give(file, &file->end);
}

void tor_written_publish(struct tor_written *file) { end(file, 0); }

void tor_written_discard(struct tor_written *file) { end(file, 1); }

int tor_written_ended(const struct tor_written *file) {
  pthread_mutex_lock(&file->writer->lock);
  int ended = file->ended;
  pthread_mutex_unlock(&file->writer->lock);
  return ended;
}

int tor_written_wait(struct tor_written *file) {
  int error = error_of(file, 1);
  free_file(file);
  errno = error;
  return error ? -1 : 0;
}
