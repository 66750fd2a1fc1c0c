/* libFuzzer: any bytes as a rank's file of a checkpoint, or as its manifest. The first byte selects the parts that are
 * corrected before it is read: 0 none, 1 head and checksums (so that the code after their check is reached), 2 the
 * bytes are a manifest, 3 a manifest with a correct checksum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/files/block_file.h"
#include "src/simulation/checkpoint.h"
#include "src/simulation/checkpoint_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 64, ROW = 40 };

static struct tor_job job;
static struct tor_medium medium;
static struct tor_model model;
static struct tor_simulation sim;
static struct tor_checkpoints checkpoints;

/* A vacuum of 5 x 4 x 3 cells. */
static void make_simulation(void) {
  struct tor_faults faults = {0};
  medium = (struct tor_medium){.name = (char *)"vacuum", .eps = {1, 1, 1}, .mu = {1, 1, 1}};
  job = (struct tor_job){.path = (char *)"fuzz",
                         .output = (char *)"fuzz-run",
                         .length_unit = 1e-9,
                         .order = 2,
                         .precision = TOR_F32,
                         .courant = 0.9,
                         .samples = 1,
                         .nmedia = 1,
                         .media = &medium,
                         .run_time = 1e-15,
                         .size = {5e-8, 4e-8, 3e-8},
                         .cell = {1e-8, 1e-8, 1e-8}};
  const struct tor_engine_setup setup = {TOR_ENGINE_STEPWISE, 2, 1};
  if (tor_model_make(&job, 1, &model, &faults)) abort();
  tor_simulation_init(&sim, &model, &setup, 4);
  tor_checkpoints_init(&checkpoints, &job, 0, 1);
  mkdir("fuzz-run", 0777);
  mkdir("fuzz-run/checkpoint", 0777);
  mkdir("fuzz-run/checkpoint/step-000000000002", 0777);
}

static void put(uint8_t *at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* Magic, order, version, size, and all checksums of blocks that lie inside. */
static void repair(uint8_t *file, size_t size) {
  if (size < HEAD) return;
  memcpy(file, "TORBLOCK", 8);
  put(file + 8, 0x01020304, 4);
  put(file + 12, 1, 4);
  put(file + 16, checkpoints.hash, 8);
  put(file + 24, 2, 8);
  put(file + 32, 0, 4);
  put(file + 36, 1, 4);
  uint64_t count;
  memcpy(&count, file + 40, 8);
  count %= (size - HEAD) / ROW + 1;
  put(file + 40, count, 8);
  put(file + 48, size, 8);
  uint64_t at = HEAD + count * ROW;
  for (uint64_t i = 0; i < count; i++) {
    uint8_t *row = file + HEAD + i * ROW;
    uint64_t offset = (at + 63) / 64 * 64, bytes;
    if (offset > size) break;
    memset(file + at, 0, offset - at);
    memcpy(&bytes, row + 32, 8);
    bytes = i + 1 < count ? bytes % (size - offset + 1) : size - offset;
    put(row + 24, offset, 8);
    put(row + 32, bytes, 8);
    put(row + 20, tor_block_checksum(0, file + offset, bytes), 4);
    at = offset + bytes;
  }
  put(file + 56, tor_block_checksum(0, file + HEAD, count * ROW), 4);
  put(file + 60, tor_block_checksum(0, file, 60), 4);
}

static void write_file(const char *path, const void *data, size_t size) {
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, size, f) != size || fclose(f)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!checkpoints.dir) make_simulation();
  if (!size) return 0;
  int mode = data[0] % 4;
  size--;
  uint8_t *copy = malloc(size + 32);
  if (!copy) abort();
  memcpy(copy, data + 1, size);
  if (mode == 1) repair(copy, size);
  if (mode < 2) {
    const struct tor_block_head head = {checkpoints.hash, 2, 0, 1};
    struct tor_checkpoint_parts parts = {calloc((size_t)tor_slab_columns(&sim.model->slab), 1), 0};
    if (!parts.column) abort();
    write_file("fuzz-run/rank", copy, size);
    tor_checkpoint_state_read("fuzz-run/rank", &head, &sim, &parts);
    free(parts.column);
  } else {
    char why[256];
    if (mode == 3)
      size += (size_t)sprintf((char *)copy + size, "checksum %08x\n", (unsigned)tor_block_checksum(0, copy, size));
    write_file("fuzz-run/checkpoint/step-000000000002/manifest", copy, size);
    tor_checkpoint_find(&checkpoints, why, sizeof why);
  }
  free(copy);
  return 0;
}
