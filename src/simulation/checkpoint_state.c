/* A rank's state as a file of blocks: see checkpoint_state.h.
 *
 * A block of columns is the bytes of each column (uint64 [columns]), then the columns in the order of (ix, iy): a
 * reader that holds some of them skips the others. */
#include "src/simulation/checkpoint_state.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "io/files/block_file.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/disk/disk.h"
#include "src/model/model.h"
#include "src/model/monitor.h"
#include "src/simulation/simulation.h"

enum kind { COLUMNS, ENERGY };
enum { BLOCK_BYTES = 16 << 20 };

/* Number of samples taken of each time series: [ngroup], owned by the caller; NULL with errno. */
static int *samples_at(const struct tor_model *model, tor_gidx step) {
  int *samples = calloc((size_t)model->monitors->ngroup + 1, sizeof *samples);
  if (samples) tor_monitors_samples(model->monitors, step, samples);
  return samples;
}

static struct tor_column_block one_column(const struct tor_block *block, tor_gidx i) {
  int height = block->range[3] - block->range[2];
  int ix = block->range[0] + (int)(i / height), iy = block->range[2] + (int)(i % height);
  return (struct tor_column_block){ix, ix + 1, iy, iy + 1};
}

static tor_gidx columns_of(const struct tor_block *block) {
  return (tor_gidx)(block->range[1] - block->range[0]) * (block->range[3] - block->range[2]);
}

/* --- Writing ---------------------------------------------------------------------------------- */

struct list {
  struct tor_block *block;
  size_t count, capacity;
};

static int append(struct list *list, struct tor_block block) {
  if (list->count == list->capacity) {
    size_t wanted = list->capacity ? 2 * list->capacity : 64;
    struct tor_block *more = realloc(list->block, wanted * sizeof *more);
    if (!more) return -1;
    list->block = more;
    list->capacity = wanted;
  }
  list->block[list->count++] = block;
  return 0;
}

/* Splits a rank's own columns into blocks of about 16 MB, each of one ix, since a column is much smaller. */
static int cut(const struct tor_slab *slab, const struct tor_column_block *own, const int *samples, struct list *list) {
  for (int ix = own->x0; ix < own->x1; ix++) {
    struct tor_block block = {.kind = COLUMNS, .range = {ix, ix + 1, own->y0, own->y0}};
    for (int iy = own->y0; iy < own->y1; iy++) {
      const struct tor_column_block column = {ix, ix + 1, iy, iy + 1};
      block.bytes += sizeof(uint64_t) + tor_column_state_bytes(slab, &column, samples);
      block.range[3] = iy + 1;
      if (block.bytes < BLOCK_BYTES && iy + 1 < own->y1) continue;
      if (append(list, block)) return -1;
      block.bytes = 0;
      block.range[2] = iy + 1;
    }
  }
  return 0;
}

enum { HEAD = 24, SETTLING = 48 };

static uint64_t energy_bytes(const struct tor_simulation *sim) {
  const uint64_t settling = sim->model->job->run_until > 0 ? SETTLING + 8 * (uint64_t)sim->settling.npower : 0;
  return HEAD + 16 * (uint64_t)sim->nenergy + settling;
}

/* Powers, due and settled; the energies; the estimates; then the powers. */
static void pack_settling(const struct tor_settling *s, char *to) {
  const int64_t head[2] = {s->npower, s->due + 2 * s->settled};
  const double value[4] = {s->wake, s->energy, s->error, s->change};
  memcpy(to, head, 16);
  memcpy(to + 16, value, 32);
  if (s->npower) memcpy(to + SETTLING, s->power, 8 * (size_t)s->npower);
}

/* Sums, decayed, the largest; then steps and energies; with run.until what is known of powers. */
static void pack_energy(const struct tor_simulation *sim, char *to) {
  int64_t head[2] = {sim->nenergy, sim->decayed};
  size_t n = (size_t)sim->nenergy;
  memcpy(to, head, 16);
  memcpy(to + 16, &sim->energy_max, 8);
  if (n) memcpy(to + 24, sim->energy_step, n * 8);
  if (n) memcpy(to + 24 + n * 8, sim->energy, n * 8);
  if (sim->model->job->run_until > 0) pack_settling(&sim->settling, to + HEAD + 16 * n);
}

static void pack_columns(const struct tor_slab *slab, const struct tor_block *block, const int *samples, char *to) {
  tor_gidx n = columns_of(block);
  char *at = to + (size_t)n * sizeof(uint64_t);
  for (tor_gidx i = 0; i < n; i++) {
    const struct tor_column_block column = one_column(block, i);
    uint64_t bytes = tor_column_state_bytes(slab, &column, samples);
    memcpy(to + (size_t)i * sizeof bytes, &bytes, sizeof bytes);
    tor_column_state_pack(slab, &column, samples, at);
    at += bytes;
  }
}

static int write_block(struct tor_block_file *file, size_t i, const struct tor_simulation *sim, const int *samples) {
  const struct tor_block *block = &file->block[i];
  char *buffer = malloc(block->bytes ? block->bytes : 1);
  if (!buffer) return -1;
  if (block->kind == ENERGY)
    pack_energy(sim, buffer);
  else
    pack_columns(&sim->model->slab, block, samples, buffer);
  int status = tor_block_file_write(file, i, buffer), error = errno;
  free(buffer);
  errno = error;
  return status;
}

/* Those from number `first` on and before `end`. */
static int write_some(struct tor_block_file *file, size_t first, size_t end, const struct tor_simulation *sim,
                      const int *samples) {
  int error = 0;
#pragma omp parallel for schedule(dynamic) num_threads(sim->setup.threads)
  for (size_t i = first; i < end; i++) {
    int before;
#pragma omp atomic read
    before = error;
    if (before || !write_block(file, i, sim, samples)) continue;
    before = errno ? errno : EIO;
#pragma omp atomic write
    error = before;
  }
  errno = error;
  return error ? -1 : 0;
}

/* Blocks of columns lie in the order of ix; columns on disk come part by part. */
static int write_blocks(struct tor_block_file *file, const struct tor_simulation *sim, const int *samples) {
  const struct tor_slab *slab = &sim->model->slab;
  const struct tor_column_block own = tor_simulation_own(sim);
  for (size_t first = 0, end; first < file->count; first = end) {
    end = file->count;
    if (slab->disk && file->block[first].kind == COLUMNS) {
      const int x0 = file->block[first].range[0], x1 = tor_disk_some(slab, x0, own.x1);
      tor_disk_hold(slab, x0, x1, 0);
      for (end = first; end < file->count && file->block[end].kind == COLUMNS && file->block[end].range[1] <= x1;)
        end++;
    }
    if (write_some(file, first, end, sim, samples)) return -1;
  }
  return 0;
}

int tor_checkpoint_state_join(const struct tor_simulation *sim) {
  int *samples = samples_at(sim->model, sim->step);
  int lowest = tor_message_lowest(!samples);
  if (lowest < 0) tor_reduce_series(&sim->model->slab, samples);
  free(samples);
  errno = ENOMEM;
  return lowest < 0 ? 0 : -1;
}

int tor_checkpoint_state_write(const char *path, const struct tor_block_head *head, const struct tor_simulation *sim,
                               double *bytes) {
  struct list list = {0};
  struct tor_block_file file;
  const struct tor_column_block own = tor_simulation_own(sim);
  int *samples = samples_at(sim->model, sim->step), status = -1;
  if (samples && !cut(&sim->model->slab, &own, samples, &list) &&
      (head->rank || !append(&list, (struct tor_block){.kind = ENERGY, .bytes = energy_bytes(sim)})) &&
      !tor_block_file_create(&file, path, head, list.count, list.block)) {
    *bytes = (double)file.size;
    status = write_blocks(&file, sim, samples);
    int error = errno, finished = tor_block_file_finish(&file, !status);
    if (status)
      errno = error;
    else
      status = finished;
  }
  int error = errno;
  free(list.block);
  free(samples);
  errno = error;
  return status;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static enum tor_block_status take_settling(struct tor_settling *s, const char *from, uint64_t bytes) {
  int64_t head[2];
  double value[4];
  if (bytes < SETTLING) return TOR_BLOCK_DAMAGED;
  memcpy(head, from, 16);
  memcpy(value, from + 16, 32);
  if (head[0] < 0 || head[0] > INT_MAX || SETTLING + 8 * (uint64_t)head[0] != bytes) return TOR_BLOCK_DAMAGED;
  free(s->power);
  *s = (struct tor_settling){.due = (int)(head[1] & 1), .settled = (int)(head[1] >> 1 & 1), .npower = (int)head[0]};
  s->wake = value[0];
  s->energy = value[1];
  s->error = value[2];
  s->change = value[3];
  s->power = tor_alloc((size_t)s->npower, sizeof *s->power, "checkpoint");
  if (s->npower) memcpy(s->power, from + SETTLING, 8 * (size_t)s->npower);
  return TOR_BLOCK_OK;
}

static enum tor_block_status take_energy(struct tor_simulation *sim, const char *from, uint64_t bytes,
                                         struct tor_checkpoint_parts *parts) {
  int64_t head[2];
  int before;
#pragma omp atomic capture
  before = parts->energies++;
  if (before) return TOR_BLOCK_DAMAGED;
  if (bytes < HEAD) return TOR_BLOCK_DAMAGED;
  memcpy(head, from, 16);
  const int settles = sim->model->job->run_until > 0;
  if (head[0] < 0 || head[0] > INT_MAX) return TOR_BLOCK_DAMAGED;
  const uint64_t sums = HEAD + 16 * (uint64_t)head[0];
  if (settles ? sums > bytes : sums != bytes) return TOR_BLOCK_DAMAGED;
  size_t n = (size_t)head[0], both = sim->capacity;
  sim->energy_step = tor_grow(sim->energy_step, n, &both, sizeof *sim->energy_step);
  sim->energy = tor_grow(sim->energy, n, &sim->capacity, sizeof *sim->energy);
  sim->nenergy = (int)n;
  sim->decayed = head[1] != 0;
  memcpy(&sim->energy_max, from + 16, 8);
  if (n) memcpy(sim->energy_step, from + 24, n * 8);
  if (n) memcpy(sim->energy, from + 24 + n * 8, n * 8);
  return settles ? take_settling(&sim->settling, from + sums, bytes - sums) : TOR_BLOCK_OK;
}

static int overlaps(const struct tor_slab *slab, const struct tor_block *block) {
  for (int a = 0; a < 2 - tor_slab_is_arc(slab); a++)
    if (block->range[2 * a] >= slab->lo[a] + slab->held[a] || block->range[2 * a + 1] <= slab->lo[a]) return 0;
  return 1;
}

static int is_held(const struct tor_slab *slab, const struct tor_column_block *column) {
  return column->x0 >= slab->lo[0] && column->x0 < slab->lo[0] + slab->held[0] && column->y0 >= slab->lo[1] &&
         column->y0 < slab->lo[1] + slab->held[1];
}

/* Place of a held column in the list of those found. */
static size_t number_of(const struct tor_slab *slab, const struct tor_column_block *column) {
  return (size_t)(column->x0 - slab->lo[0]) * (size_t)slab->held[1] + (size_t)(column->y0 - slab->lo[1]);
}

static enum tor_block_status take_columns(struct tor_slab *slab, const struct tor_block *block, const int *samples,
                                          const char *from, struct tor_checkpoint_parts *parts) {
  tor_gidx n = columns_of(block);
  uint64_t at = (uint64_t)n * sizeof(uint64_t);
  for (tor_gidx i = 0; i < n; i++) {
    struct tor_column_block column = one_column(block, i);
    column.y0 = tor_slab_held_y(slab, column.y0);
    column.y1 = column.y0 + 1;
    uint64_t bytes;
    memcpy(&bytes, from + (size_t)i * sizeof bytes, sizeof bytes);
    if (at > block->bytes || bytes > block->bytes - at) return TOR_BLOCK_DAMAGED;
    if (is_held(slab, &column)) {
      if (bytes != tor_column_state_bytes(slab, &column, samples)) return TOR_BLOCK_DAMAGED;
      unsigned char before;
#pragma omp atomic capture
      before = parts->column[number_of(slab, &column)]++;
      if (before) return TOR_BLOCK_DAMAGED; /* twice; another thread may be unpacking the first */
      tor_column_state_unpack(slab, &column, samples, from + at);
    }
    at += bytes;
  }
  return at == block->bytes ? TOR_BLOCK_OK : TOR_BLOCK_DAMAGED;
}

/* Checks that the ranges are inside the domain and the block is large enough for the list of sizes. */
static int is_sound(const struct tor_slab *slab, const struct tor_block *block) {
  for (int a = 0; a < 2; a++)
    if (block->range[2 * a] < 0 || block->range[2 * a] >= block->range[2 * a + 1] ||
        block->range[2 * a + 1] > slab->n[a] + 1)
      return 0;
  return (uint64_t)columns_of(block) <= block->bytes / sizeof(uint64_t);
}

static enum tor_block_status read_block(const struct tor_block_file *file, uint64_t i, struct tor_simulation *sim,
                                        const int *samples, struct tor_checkpoint_parts *parts) {
  const struct tor_block *block = &file->block[i];
  struct tor_slab *slab = &sim->model->slab;
  if (block->kind != COLUMNS && (block->kind != ENERGY || file->head.rank)) return TOR_BLOCK_DAMAGED;
  if (block->kind == COLUMNS && !is_sound(slab, block)) return TOR_BLOCK_DAMAGED;
  if (block->kind == COLUMNS && !overlaps(slab, block)) return TOR_BLOCK_OK;
  char *buffer = malloc(block->bytes ? block->bytes : 1);
  if (!buffer) return TOR_BLOCK_FAILED;
  enum tor_block_status status = tor_block_file_read(file, i, buffer);
  if (!status && block->kind == COLUMNS) status = take_columns(slab, block, samples, buffer, parts);
  if (!status && block->kind == ENERGY) status = take_energy(sim, buffer, block->bytes, parts);
  int error = errno;
  free(buffer);
  errno = error;
  return status;
}

/* Those whose first column is from <= ix < to; blocks of other kinds and those of no columns with from = 0. */
static enum tor_block_status read_some(const struct tor_block_file *file, int from, int to, struct tor_simulation *sim,
                                       const int *samples, struct tor_checkpoint_parts *parts) {
  enum tor_block_status status = TOR_BLOCK_OK;
  int error = 0;
#pragma omp parallel for schedule(dynamic) num_threads(sim->setup.threads)
  for (uint64_t i = 0; i < file->count; i++) {
    const struct tor_block *block = &file->block[i];
    const int x0 = block->kind == COLUMNS && block->range[0] > 0 ? block->range[0] : 0;
    if (x0 < from || x0 >= to) continue;
    enum tor_block_status own = read_block(file, i, sim, samples, parts);
    int own_error = errno;
    if (!own) continue;
#pragma omp critical(tor_checkpoint_status)
    {
      status = own;
      error = own_error;
    }
  }
  errno = error;
  return status;
}

/* Blocks have one ix each (cut), and columns on disk come part by part. */
static enum tor_block_status read_blocks(const struct tor_block_file *file, struct tor_simulation *sim,
                                         const int *samples, struct tor_checkpoint_parts *parts) {
  const struct tor_slab *slab = &sim->model->slab;
  if (!slab->disk) return read_some(file, 0, INT_MAX, sim, samples, parts);
  for (uint64_t i = 0; i < file->count; i++)
    if (file->block[i].kind == COLUMNS && file->block[i].range[1] - file->block[i].range[0] != 1)
      return TOR_BLOCK_DAMAGED;
  const int x1 = slab->lo[0] + slab->held[0];
  for (int from = slab->lo[0], to; from < x1; from = to) {
    to = tor_disk_some(slab, from, x1);
    tor_disk_hold(slab, from, to, 1);
    const int first = from == slab->lo[0] ? 0 : from, end = to == x1 ? INT_MAX : to;
    enum tor_block_status status = read_some(file, first, end, sim, samples, parts);
    if (status) return status;
  }
  return TOR_BLOCK_OK;
}

enum tor_block_status tor_checkpoint_state_read(const char *path, const struct tor_block_head *head,
                                                struct tor_simulation *sim, struct tor_checkpoint_parts *parts) {
  struct tor_block_file file;
  enum tor_block_status status = tor_block_file_open(&file, path);
  if (status) return status;
  const struct tor_block_head *h = &file.head;
  int *samples = samples_at(sim->model, head->step);
  if (!samples)
    status = TOR_BLOCK_FAILED;
  else if (h->owner != head->owner || h->step != head->step || h->rank != head->rank || h->ranks != head->ranks)
    status = TOR_BLOCK_DAMAGED;
  else
    status = read_blocks(&file, sim, samples, parts);
  int error = errno;
  tor_block_file_close(&file);
  free(samples);
  errno = error;
  return status;
}

/* A copy at a ring's end is missing where ranks shared the ring: it is made again before it is read. */
int tor_checkpoint_state_is_whole(const struct tor_checkpoint_parts *parts, const struct tor_slab *slab) {
  int whole = parts->energies == 1;
  const int copies = tor_slab_periodic(slab, TOR_Y) && !tor_slab_is_arc(slab), last = slab->held[1] - 1;
  for (tor_gidx i = 0; i < tor_slab_columns(slab); i++)
    whole &= parts->column[i] == 1 || (copies && i % slab->held[1] == last);
  return whole;
}
