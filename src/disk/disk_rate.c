/* The rate of a folder's disk: see disk_rate.h. */
#define _POSIX_C_SOURCE 200809L
#include "src/disk/disk_rate.h"

#include <errno.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/direct_file.h"

enum { FILE_BYTES = 128 << 20, THREADS = 4 }; /* as in a sweep: two read, two write */

/* Moves blocks until the time is over. Returns how many, or -1 with errno. */
static int64_t move(const struct tor_direct_file *file, size_t bytes, int thread, double until) {
  void *block = aligned_alloc(TOR_DIRECT_ALIGN, bytes);
  if (!block) return -1;
  memset(block, thread + 1, bytes);
  int64_t moved = 0;
  int failed = 0;
  for (int i = thread; omp_get_wtime() < until && !failed; i += THREADS, moved++) {
    const int64_t at = (int64_t)((size_t)i % (FILE_BYTES / bytes) * bytes);
    failed = thread % 2 ? tor_direct_file_write(file, at, block, bytes) : tor_direct_file_read(file, at, block, bytes);
  }
  const int error = errno;
  free(block);
  errno = error;
  return failed ? -1 : moved;
}

/* Writes all blocks once, so that there is something to read. */
static int fill(const struct tor_direct_file *file) {
  enum { PIECE = 4 << 20 };
  char *block = aligned_alloc(TOR_DIRECT_ALIGN, PIECE);
  if (!block) return -1;
  int failed = 0;
  for (int64_t at = 0; at < FILE_BYTES && !failed; at += PIECE) {
    memset(block, (int)(at / PIECE) + 1, PIECE);
    failed = tor_direct_file_write(file, at, block, PIECE);
  }
  const int error = errno;
  free(block);
  errno = error;
  return failed;
}

double tor_disk_rate(const char *folder, size_t block, double seconds) {
  struct tor_direct_file file;
  int64_t blocks = 0;
  int error = 0, errors[THREADS] = {0};
  if (tor_direct_file_open(&file, folder)) return -1;
  if (fill(&file)) error = errno;
  const double begin = omp_get_wtime();
#pragma omp parallel for num_threads(THREADS) schedule(static, 1) reduction(+ : blocks)
  for (int i = 0; i < THREADS; i++) {
    const int64_t moved = error ? 0 : move(&file, block, i, begin + seconds);
    errors[i] = moved < 0 ? errno : 0;
    blocks += moved;
  }
  for (int i = 0; i < THREADS; i++)
    if (errors[i]) error = errors[i];
  const double end = omp_get_wtime();
  tor_direct_file_close(&file);
  errno = error;
  return error ? -1 : (double)blocks * (double)block / (end - begin);
}
