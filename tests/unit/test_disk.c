/* Columns on disk: arrays over files keep their bytes through holds and sweeps, and whole runs give the bits of runs in
 * memory, whose columns are several times what is in memory at one time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "comm/exchange/exchange.h"
#include "src/base/error.h"
#include "src/disk/disk.h"
#include "src/simulation/simulation.h"
#include "tests/support/random_job.h"
#include "tests/support/same_state.h"

/* --- Arrays over files --- */

enum { BLOCK = 16384, BLOCKS = 64, SWEEPS = 3 }; /* BLOCK: bytes, of the smallest memory */

static void fill(struct tor_paged *p, unsigned char *base, size_t block) {
  for (int b = 0; b < BLOCKS; b++) {
    tor_paged_hold(p, 0, (size_t)b * block, (size_t)(b + 1) * block, 1);
    for (size_t i = 0; i < block; i++) assert_int_equal(base[(size_t)b * block + i], 0);
    memset(base + (size_t)b * block, b, block);
  }
}

/* A sweep adds 1 to every byte, and reads what does not change. */
static void sweep(struct tor_paged *p, unsigned char *base, const unsigned char *constant, size_t block) {
  tor_paged_begin(p);
  for (int b = BLOCKS - 1; b >= 0; b--) {
    tor_paged_wait(p, 2 * (BLOCKS - b));
    for (size_t i = 0; i < block; i++) base[(size_t)b * block + i]++;
    assert_int_equal(constant[(size_t)b * block + 7], b % 2 ? 200 : 0);
    if (b < BLOCKS - 1) tor_paged_leave(p, 2 * (BLOCKS - 1 - b));
  }
  tor_paged_end(p);
}

/* The same by one thread, as a GPU's window does it, which uses the pool and may lag behind the next sweep's begin. */
static void sweep_in_pool(struct tor_paged *p, const unsigned char *base, const unsigned char *constant, size_t block,
                          int number) {
  size_t bytes, together;
  const char *pool = tor_paged_pool(p, &bytes);
  tor_paged_begin(p);
  if (number) tor_paged_leave_from(p, number - 1, 2 * BLOCKS);
  for (int b = BLOCKS - 1; b >= 0; b--) {
    while (!tor_paged_has(p, number, 2 * (BLOCKS - b), 1e-3)) continue;
    char *at = tor_paged_find(p, (const char *)base + (size_t)b * block + 5, &together);
    assert_true(at >= pool && at + together <= pool + bytes);
    assert_int_equal(together, block - 5);
    for (size_t i = 0; i < block; i++) at[(ptrdiff_t)i - 5]++;
    at = tor_paged_find(p, (const char *)constant + (size_t)b * block + 7, &together);
    assert_int_equal((unsigned char)*at, b % 2 ? 200 : 0);
    if (b) tor_paged_leave_from(p, number, 2 * (BLOCKS - b));
  }
  /* With the last blocks still here, the next sweep's come. */
  while (!tor_paged_has(p, number + 1, 4, 1e-3)) continue;
  if (number > 0) tor_paged_leave_from(p, number, 2 * BLOCKS);
}

static void check_arrays(int has_pool) {
  const double memory = 12 * BLOCK;
  struct tor_paged *p = tor_paged_open(".", memory, 0);
  assert_non_null(p);
  if (has_pool) assert_int_equal(tor_paged_use_pool(p), 0);
  const size_t block = tor_paged_block_bytes(p), bytes = BLOCKS * block;
  assert_int_equal(block, BLOCK);
  assert_int_equal(tor_paged_capacity(p), 12);
  unsigned char *base = (unsigned char *)tor_paged_reserve(p, 0, bytes, 0),
                *constant = (unsigned char *)tor_paged_reserve(p, 1, bytes, 1);
  tor_paged_resize(p, 0, bytes);
  tor_paged_resize(p, 1, bytes);
  fill(p, base, block);
  for (int b = 1; b < BLOCKS; b += 2) {
    tor_paged_hold(p, 1, (size_t)b * block, (size_t)(b + 1) * block, 1);
    memset(constant + (size_t)b * block, 200, block);
  }
  struct tor_paged_block *in = tor_alloc(2 * BLOCKS, sizeof *in, "test"),
                         *out = tor_alloc(2 * BLOCKS, sizeof *out, "test");
  for (int i = 0; i < 2 * BLOCKS; i++) in[i] = out[i] = (struct tor_paged_block){i % 2, BLOCKS - 1 - i / 2};
  tor_paged_order(p, 2 * BLOCKS, in, out);
  assert_int_equal(tor_paged_allocate(p), 0);
  for (int k = 0; k < SWEEPS; k++) {
    if (has_pool)
      sweep_in_pool(p, base, constant, block, k);
    else
      sweep(p, base, constant, block);
    if (k == 1) tor_paged_hold(p, 0, 5 * block, 7 * block, 0); /* what was read ahead is dropped */
  }
  for (int b = 0; b < BLOCKS; b++) {
    tor_paged_hold(p, 0, (size_t)b * block, (size_t)(b + 1) * block, 0);
    for (size_t i = 0; i < block; i++) assert_int_equal(base[(size_t)b * block + i], b + SWEEPS);
  }
  /* Bytes past the page cache: every sweep reads both arrays and writes one. */
  const struct tor_paged_traffic t = tor_paged_traffic(p);
  assert_true(t.read >= 2.0 * SWEEPS * (double)bytes && t.written >= (double)SWEEPS * (double)bytes);
  tor_paged_close(p);
}

static void test_arrays(void **state) { (void)state, check_arrays(0); }
static void test_pool(void **state) { (void)state, check_arrays(1); }

/* Whether a page can be read, as the kernel sees it. */
static int is_readable(const void *at) {
  int fd[2];
  if (pipe(fd)) return -1;
  const int ok = write(fd[1], at, 1) == 1;
  close(fd[0]);
  close(fd[1]);
  return ok;
}

static void test_outside(void **state) {
  (void)state;
  struct tor_paged *p = tor_paged_open(".", 8 * BLOCK, 0);
  assert_non_null(p);
  char *base = tor_paged_reserve(p, 0, 16 * BLOCK, 0);
  tor_paged_resize(p, 0, 16 * BLOCK);
  assert_false(is_readable(base + 4 * BLOCK));
  tor_paged_hold(p, 0, 4 * BLOCK, 6 * BLOCK, 0);
  assert_true(is_readable(base + 4 * BLOCK));
  assert_false(is_readable(base + 6 * BLOCK));
  tor_paged_hold(p, 0, 6 * BLOCK, 7 * BLOCK, 0);
  assert_false(is_readable(base + 4 * BLOCK));
  tor_paged_close(p);
}

/* --- Runs --- */

struct run {
  struct tor_model model;
  struct tor_simulation sim;
  struct tor_decomposition layout;
  struct tor_exchange exchange;
  struct tor_disk *disk;
};

static void begin(struct run *r, const struct tor_job *job, struct tor_disk *disk, int dts, int th, int threads) {
  struct tor_faults faults = {0};
  if (tor_model_make_part(job, NULL, 0, disk, threads, &r->model, &faults)) {
    tor_faults_print(&faults, stderr);
    fail();
  }
  const struct tor_engine_setup setup = {TOR_ENGINE_DIAMOND, dts, threads};
  r->disk = disk;
  assert_int_equal(tor_decomposition_make(&r->layout, &r->model.slab, dts, th, (int[]){1, 1}, NULL), 0);
  tor_exchange_open(&r->exchange, &r->layout, &r->model.slab, 0, 0);
  tor_simulation_init(&r->sim, &r->model, &setup, th);
  tor_simulation_use_ranks(&r->sim, &r->exchange);
  if (disk) assert_int_equal(tor_simulation_use_disk(&r->sim), 0);
}

static void end(struct run *r) {
  tor_exchange_close(&r->exchange);
  tor_simulation_free(&r->sim);
  tor_model_free(&r->model);
  tor_decomposition_free(&r->layout);
  tor_disk_close(r->disk);
}

/* Two runs' columns, those on disk as they are held. */
static int same_state(const struct tor_slab *disk, const struct tor_slab *whole) {
  int ok = 1, nx = whole->held[0];
  for (int x0 = 0, x1; x0 < nx; x0 = x1) {
    x1 = tor_disk_some(disk, x0, nx);
    tor_disk_hold(disk, x0, x1, 0);
    ok &= same_columns(disk, whole, &(struct tor_column_block){x0, x1, 0, whole->held[1]});
  }
  return ok;
}

/* Bytes of the columns that lie on disk. */
static double bytes_of(const struct tor_slab *s) {
  const int parts = s->other ? 2 : 1;
  return (parts * (double)tor_slab_columns(s) * (6 * s->nzp + 4 * (s->zlo + s->zhi)) +
          (double)(s->ncoef + parts * s->nstate + s->nweight)) *
         s->precision;
}

/* Memory for the columns of a row, and for blocks at the arrays' ends. */
static double memory_for(const struct tor_slab *s, int dts, int th) {
  const int columns = tor_disk_columns(s->order, (s->order == 4 ? 3 : 1) * dts, th) + 4;
  return bytes_of(s) * columns / s->held[0] + 24 * BLOCK;
}

static void compare(int order, enum tor_precision precision) {
  int smaller = 0;
  for (unsigned seed = 1; seed <= 3; seed++) { /* the last one with complex fields between Bloch walls */
    const int dts = 1 + (int)seed % 2, th = 3 + (int)(seed * 7 % 5), threads = 1 + (int)seed % 3;
    struct tor_job job;
    struct run a, b;
    tor_random_job(seed, order, precision, &job);
    if (seed % 2) tor_random_job_use_tensor(&job, seed % 4 == 1);
    if (seed % 2 == 0 && order == 2) tor_random_job_use_tensors(&job, seed);
    if (seed % 2 == 0 && order == 4) tor_random_job_use_full(&job, seed + 1);
    job.size[0] += 100 * job.cell[0];
    if (seed == 3) tor_random_job_use_periodic(&job, 1u << TOR_Y | 1u << TOR_Z);
    if (seed == 3) tor_random_job_use_bloch(&job, seed);
    begin(&a, &job, NULL, seed == 3 ? 1 : 3, 16, 2);
    const struct tor_slab *s = &a.model.slab;
    const double memory = memory_for(s, dts, th);
    smaller += 2 * memory < bytes_of(s);
    struct tor_disk *disk = tor_disk_open(&(struct tor_disk_setup){".", memory, 0, 0});
    assert_non_null(disk);
    begin(&b, &job, disk, dts, th, threads);
    while (!tor_simulation_done(&a.sim)) tor_simulation_stage(&a.sim, a.model.steps);
    for (int stage = 0; !tor_simulation_done(&b.sim); stage++) {
      tor_simulation_stage(&b.sim, b.model.steps);
      if (stage == 1) tor_disk_hold(&b.model.slab, 0, 1, 1); /* as a checkpoint does between stages */
    }
    tor_simulation_fetch(&a.sim);
    tor_simulation_fetch(&b.sim);
    int ok = same_state(&b.model.slab, s);
    ok &= same_records(&b.exchange, &b.sim, &a.sim);
    end(&a);
    end(&b);
    tor_job_free(&job);
    if (!ok) fail_msg("seed %u, order %d, fp%d", seed, order, 8 * precision);
  }
  assert_true(smaller == 3);
}

static void test_order2_f32(void **state) { (void)state, compare(2, TOR_F32); }
static void test_order4_f64(void **state) { (void)state, compare(4, TOR_F64); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_arrays), cmocka_unit_test(test_pool),
                                     cmocka_unit_test(test_outside), cmocka_unit_test(test_order2_f32),
                                     cmocka_unit_test(test_order4_f64)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
