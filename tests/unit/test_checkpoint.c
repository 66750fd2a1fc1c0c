/* Random jobs with every feature: a run that is continued from a checkpoint, by another schedule, ends with the
 * bits of one that was never stopped; a checkpoint of another job, or a damaged one, is rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "diamond/core/column_state.h"
#include "io/files/block_file.h"
#include "io/files/generation.h"
#include "src/simulation/checkpoint.h"
#include "src/base/error.h"
#include "tests/support/random_job.h"

struct run {
  struct tor_model model;
  struct tor_simulation sim;
};

static void begin(struct run *run, const struct tor_job *job, enum tor_engine_kind engine, int dts, int threads,
                  int th) {
  struct tor_faults faults = {0};
  const struct tor_engine_setup setup = {engine, dts, threads};
  assert_int_equal(tor_model_make(job, 1, &run->model, &faults), 0);
  tor_simulation_init(&run->sim, &run->model, &setup, th);
}

static void end(struct run *run) {
  tor_simulation_free(&run->sim);
  tor_model_free(&run->model);
}

static void advance(struct run *run, tor_gidx until) {
  while (run->sim.step < until && !tor_simulation_done(&run->sim)) tor_simulation_stage(&run->sim, until);
}

/* The whole state of the columns, with all samples taken. */
static char *state_of(const struct run *run, size_t *bytes) {
  const struct tor_slab *slab = &run->model.slab;
  const struct tor_column_block all = {0, slab->n[0] + 1, 0, slab->n[1] + 1};
  int *samples = tor_alloc((size_t)slab->ngroup + 1, sizeof *samples, "test");
  for (int i = 0; i < run->model.monitors->count; i++) {
    const struct tor_recorder *l = &run->model.monitors->recorder[i];
    if (l->group >= 0 && slab->group[l->group].kind == TOR_RECORD_SERIES)
      samples[l->group] = tor_recorder_samples(l, run->sim.step);
  }
  *bytes = tor_column_state_bytes(slab, &all, samples);
  char *state = tor_alloc(*bytes, 1, "test");
  tor_column_state_pack(slab, &all, samples, state);
  free(samples);
  return state;
}

static void assert_same(const struct run *a, const struct run *b) {
  size_t bytes, other;
  char *x = state_of(a, &bytes), *y = state_of(b, &other);
  assert_int_equal(a->sim.step, b->sim.step);
  assert_int_equal(bytes, other);
  assert_memory_equal(x, y, bytes);
  free(x);
  free(y);
  assert_int_equal(a->sim.nenergy, b->sim.nenergy);
  assert_int_equal(a->sim.decayed, b->sim.decayed);
  assert_int_equal(a->sim.settling.due, b->sim.settling.due);
  assert_memory_equal(&a->sim.settling.wake, &b->sim.settling.wake, sizeof(double));
  size_t n = (size_t)a->sim.nenergy;
  if (n) assert_memory_equal(a->sim.energy, b->sim.energy, n * sizeof(double));
  if (n) assert_memory_equal(a->sim.energy_step, b->sim.energy_step, n * sizeof(tor_gidx));
  for (int i = 0; i < a->model.sources->nincident; i++) {
    double x_flux = tor_incident_flux(a->model.sources, i, 3e15), y_flux = tor_incident_flux(b->model.sources, i, 3e15);
    assert_memory_equal(&x_flux, &y_flux, sizeof x_flux);
  }
}

static void make_job(unsigned seed, struct tor_job *job) {
  tor_random_job(seed, seed % 2 ? 2 : 4, seed % 4 < 2 ? TOR_F32 : TOR_F64, job);
  if (seed % 3 == 0) tor_random_job_use_tensor(job, 1);
  if (seed % 3 == 1 && job->order == 2) tor_random_job_use_graded(job, seed % 8);
  if (seed % 9 == 5)
    tor_random_job_use_full(job, seed);
  else if (seed % 3 == 2)
    tor_random_job_use_tensors(job, seed);
  if (seed % 4 == 1) job->run_until = 0.01;
  free(job->output);
  job->output = tor_strdup("checkpoint.test");
}

static void restarts_keep_all_bits(void **unused) {
  (void)unused;
  char why[1024];
  int metals = 0;
  for (unsigned seed = 1; seed <= 40; seed++) {
    struct tor_job job;
    struct run whole, first, second;
    struct tor_checkpoints cp;
    make_job(seed, &job);
    tor_checkpoints_init(&cp, &job, 0, 1);
    tor_checkpoint_remove(&cp);
    begin(&whole, &job, TOR_ENGINE_STEPWISE, 2, 1, 1000000);
    advance(&whole, whole.model.steps);
    begin(&first, &job, seed % 3 ? TOR_ENGINE_DIAMOND : TOR_ENGINE_STEPWISE, 2 + (int)(seed % 4), 1,
          1 + (int)(seed % 11));
    tor_gidx stop = 1 + (tor_gidx)(seed * 7919u) % (whole.sim.step > 1 ? whole.sim.step - 1 : 1);
    advance(&first, stop / 2);
    if (first.sim.step) assert_int_equal(tor_checkpoint_write(&cp, &first.sim, why, sizeof why), 0);
    advance(&first, stop);
    assert_int_equal(tor_checkpoint_write(&cp, &first.sim, why, sizeof why), 0);
    end(&first);
    begin(&second, &job, seed % 2 ? TOR_ENGINE_DIAMOND : TOR_ENGINE_STEPWISE, 3, 2, 1 + (int)(seed % 7));
    assert_int_equal(tor_checkpoint_load(&cp, &second.sim, why, sizeof why), stop);
    advance(&second, second.model.steps);
    assert_same(&whole, &second);
    metals += tor_random_job_metals(&whole.model.slab) > 0;
    end(&second);
    end(&whole);
    assert_int_equal(tor_checkpoint_remove(&cp), 0);
    tor_checkpoints_free(&cp);
    tor_job_free(&job);
  }
  print_message("%d jobs have surface nodes of metals\n", metals);
  assert_true(metals >= 4);
}

static void another_job_is_distinguished(void **unused) {
  (void)unused;
  char why[1024] = "";
  struct tor_job job;
  struct run run;
  struct tor_checkpoints cp, other;
  make_job(5, &job);
  tor_checkpoints_init(&cp, &job, 0, 1);
  tor_checkpoint_remove(&cp);
  assert_int_equal(tor_checkpoint_find(&cp, why, sizeof why), TOR_CHECKPOINT_NONE);
  begin(&run, &job, TOR_ENGINE_STEPWISE, 2, 1, 3);
  advance(&run, 3);
  assert_int_equal(tor_checkpoint_write(&cp, &run.sim, why, sizeof why), 0);
  assert_int_equal(tor_checkpoint_find(&cp, why, sizeof why), TOR_CHECKPOINT_HERE);
  end(&run);

  job.schedule =
      (struct tor_schedule){.engine = TOR_ENGINE_STEPWISE, .device = TOR_DEVICE_CPU, .dts = 3, .th = 7, .threads = 2};
  job.checkpoint.keep = 1;
  tor_checkpoints_init(&other, &job, 0, 1);
  assert_int_equal(other.hash, cp.hash);
  assert_int_equal(other.results_hash, cp.results_hash);
  tor_checkpoints_free(&other);

  /* A run to another time passes the same states. */
  job.run_time *= 2;
  tor_checkpoints_init(&other, &job, 0, 1);
  assert_int_equal(other.hash, cp.hash);
  assert_int_not_equal(other.results_hash, cp.results_hash);
  tor_checkpoints_free(&other);

  job.courant *= 0.99;
  tor_checkpoints_init(&other, &job, 0, 1);
  assert_int_equal(tor_checkpoint_find(&other, why, sizeof why), TOR_CHECKPOINT_OTHER);
  assert_non_null(strstr(why, "courant"));
  begin(&run, &job, TOR_ENGINE_STEPWISE, 2, 1, 3);
  assert_int_equal(tor_checkpoint_load(&other, &run.sim, why, sizeof why), -1);
  end(&run);
  tor_checkpoint_remove(&other);
  tor_checkpoints_free(&other);
  tor_checkpoints_free(&cp);
  tor_job_free(&job);
}

/* A rank's file once more, with good checksums: block `from` in the place of block `to`; from -1: without that block.
 */
static void forge(const char *path, int from, int to) {
  struct tor_block_file file, forged;
  assert_int_equal(tor_block_file_open(&file, path), TOR_BLOCK_OK);
  const uint64_t count = file.count - (from < 0);
  struct tor_block *block = tor_alloc(file.count, sizeof *block, "test");
  char **data = tor_alloc(file.count, sizeof *data, "test");
  if (to < 0) to += (int)file.count;
  for (uint64_t i = 0, n = 0; i < file.count; i++) {
    if (from < 0 && (int)i == to) continue;
    const uint64_t source = (int)i == to ? (uint64_t)from : i;
    block[n] = file.block[source];
    data[n] = tor_alloc(block[n].bytes + 1, 1, "test");
    assert_int_equal(tor_block_file_read(&file, source, data[n++]), TOR_BLOCK_OK);
  }
  assert_int_equal(tor_block_file_create(&forged, path, &file.head, count, block), 0);
  for (uint64_t n = 0; n < count; n++) assert_int_equal(tor_block_file_write(&forged, n, data[n]), 0);
  assert_int_equal(tor_block_file_finish(&forged, 1), 0);
  tor_block_file_close(&file);
  for (uint64_t n = 0; n < count; n++) free(data[n]);
  free(data);
  free(block);
}

/* The manifest once more under a good checksum: `line` is added, or takes the place of the one of that key. */
static void forge_manifest(const char *path, const char *key, const char *line) {
  char text[2048] = "", forged[4096] = "";
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  for (char *rest = NULL, *at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest))
    if (strncmp(at, key, strlen(key)) != 0 && strncmp(at, "checksum", 8) != 0)
      sprintf(forged + strlen(forged), "%s\n", at);
  sprintf(forged + strlen(forged), "%s", line);
  sprintf(forged + strlen(forged), "checksum %08x\n", (unsigned)tor_block_checksum(0, forged, strlen(forged)));
  f = fopen(path, "w");
  fputs(forged, f);
  fclose(f);
}

static void overwrite(const char *path, long at, int byte) {
  FILE *f = fopen(path, "r+");
  assert_non_null(f);
  fseek(f, at, SEEK_SET);
  fputc(byte, f);
  fclose(f);
}

/* A job of some columns, of which the last generation is damaged in a way that no checksum of a block sees. */
static void what_blocks_do_not_cover_is_checked(void **unused) {
  (void)unused;
  static const char folder[] = "checkpoint.test/checkpoint/step-000000000003";
  char why[1024] = "", rank[96], manifest[96], text[96];
  struct tor_job job;
  struct run run;
  struct tor_checkpoints cp;
  make_job(5, &job);
  tor_checkpoints_init(&cp, &job, 0, 1);
  snprintf(rank, sizeof rank, "%s/rank-000000", folder);
  snprintf(manifest, sizeof manifest, "%s/manifest", folder);
  snprintf(text, sizeof text, "%s/job.json", folder);
  for (int way = 0; way < 12; way++) {
    tor_checkpoint_remove(&cp);
    begin(&run, &job, TOR_ENGINE_STEPWISE, 2, 1, 3);
    advance(&run, 3);
    assert_int_equal(tor_checkpoint_write(&cp, &run.sim, why, sizeof why), 0);
    end(&run);
    struct tor_block_file file;
    assert_int_equal(tor_block_file_open(&file, rank), TOR_BLOCK_OK);
    const long gap = (long)(file.block[1].offset - 1);
    assert_true(gap >= (long)(file.block[0].offset + file.block[0].bytes));
    assert_true(file.count > 2);
    tor_block_file_close(&file);
    switch (way) {
    case 0: break;
    case 1: forge(rank, 0, 1); break;   /* a block twice, another missing */
    case 2: forge(rank, -1, 0); break;  /* columns missing */
    case 3: forge(rank, -1, -1); break; /* the energy missing */
    case 4: forge(rank, 0, -1); break;
    case 5: overwrite(rank, gap, 1); break;
    case 6: overwrite(text, 5, '?'); break;
    case 7: unlink(text); break;
    case 8: forge_manifest(manifest, "lost", "lost_files -1\nlost_step 2\n"); break;
    case 9: forge_manifest(manifest, "lost", "lost_files 1\nlost_step 9\n"); break;
    case 10: forge_manifest(manifest, "job_checksum", ""); break; /* as earlier programs wrote it */
    case 11: assert_int_equal(unlink(rank) | mkfifo(rank, 0666), 0); break;
    }
    begin(&run, &job, TOR_ENGINE_STEPWISE, 2, 1, 3);
    const int good = way == 0 || way == 10;
    assert_int_equal(tor_checkpoint_load(&cp, &run.sim, why, sizeof why), good ? 3 : -1);
    end(&run);
    if (way == 11) unlink(rank);
  }
  assert_int_equal(tor_checkpoint_remove(&cp), 0);
  tor_checkpoints_free(&cp);
  tor_job_free(&job);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(restarts_keep_all_bits),
                                     cmocka_unit_test(another_job_is_distinguished),
                                     cmocka_unit_test(what_blocks_do_not_cover_is_checked)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir("checkpoint.test");
  return failed;
}
