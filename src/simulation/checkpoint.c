/* Checkpoints: their list, manifests and choice. See checkpoint.h; the states are in
 * checkpoint_state.c. */
#include "src/simulation/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "diamond/core/slab.h"
#include "io/files/block_file.h"
#include "io/files/folder.h"
#include "io/files/generation.h"
#include "io/files/log.h"
#include "io/files/safe_open.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/simulation/checkpoint_state.h"
#include "src/simulation/simulation.h"
#include "tor_version.h"

enum { VERSION = 7, KEPT = 2, MOST = 64, MOST_TEXT = 1 << 26 };

/* --- Settings that determine the results -------------------------------------------------------- */

/* The job without settings that do not affect results, with an end at run_time; 0: also without those that do not
 * affect states. */
static char *job_text(const struct tor_job *job, double run_time, size_t *bytes) {
  struct tor_job plain = *job;
  plain.run_time = run_time;
  plain.title = plain.output = NULL;
  memset(&plain.schedule, 0, sizeof plain.schedule);
  memset(&plain.checkpoint, 0, sizeof plain.checkpoint);
  memset(&plain.modes, 0, sizeof plain.modes);
  memset(&plain.bands, 0, sizeof plain.bands);
  return tor_job_text(&plain, bytes);
}

void tor_checkpoints_init(struct tor_checkpoints *cp, const struct tor_job *job, int rank, int ranks) {
  *cp = (struct tor_checkpoints){.rank = rank, .ranks = ranks, .last = INT64_MAX, .good = -1};
  size_t capacity = strlen(job->output) + sizeof "/checkpoint";
  cp->dir = tor_alloc(capacity, 1, "checkpoint");
  snprintf(cp->dir, capacity, "%s/checkpoint", job->output);
  cp->job = job_text(job, job->run_time, &cp->job_bytes);
  cp->results_hash = tor_job_hash(cp->job, cp->job_bytes);
  free(cp->job);
  cp->job = job_text(job, 0, &cp->job_bytes);
  cp->hash = tor_job_hash(cp->job, cp->job_bytes);
}

void tor_checkpoints_free(struct tor_checkpoints *cp) {
  free(cp->dir);
  free(cp->job);
}

/* --- Paths ------------------------------------------------------------------------------------ */

/* Path of a file in a generation or its part. */
static int file_path(const struct tor_checkpoints *cp, tor_gidx step, int part, const char *name,
                     char path[TOR_GENERATION_PATH]) {
  if (!tor_generation_path(cp->dir, step, part, path)) return -1;
  size_t n = strlen(path);
  int more = snprintf(path + n, TOR_GENERATION_PATH - n, "/%s", name);
  if (more > 0 && (size_t)more < TOR_GENERATION_PATH - n) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

static int rank_path(const struct tor_checkpoints *cp, tor_gidx step, int part, int rank,
                     char path[TOR_GENERATION_PATH]) {
  char name[32];
  snprintf(name, sizeof name, "rank-%06d", rank);
  return file_path(cp, step, part, name, path);
}

/* --- Writing ---------------------------------------------------------------------------------- */

static int write_text(const char *path, const char *text, size_t bytes) {
  FILE *f = tor_folder_create(path);
  if (!f) return -1;
  if (fwrite(text, 1, bytes, f) != bytes) {
    tor_folder_discard(f, path);
    return -1;
  }
  return tor_folder_commit(f, path);
}

/* `key value` a line; the last line is the checksum of those before. */
static int write_manifest(const struct tor_checkpoints *cp, tor_gidx step, const char *path) {
  char text[1024], date[64] = "";
  time_t now = time(NULL);
  struct tm tm;
  if (gmtime_r(&now, &tm)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &tm);
  int n = snprintf(text, sizeof text,
                   "torre checkpoint\nversion %d\nstep %" PRId64 "\nranks %d\njob %016" PRIx64
                   "\njob_checksum %08" PRIx32 "\nprogram %s (%s)\nwritten %s\n",
                   VERSION, step, cp->ranks, cp->hash, tor_block_checksum(0, cp->job, cp->job_bytes), TOR_VERSION,
                   TOR_GIT_HASH, date);
  if (cp->lost)
    n += snprintf(text + n, sizeof text - (size_t)n, "lost_files %d\nlost_step %" PRId64 "\n", cp->lost, cp->lost_step);
  n += snprintf(text + n, sizeof text - (size_t)n, "checksum %08" PRIx32 "\n", tor_block_checksum(0, text, (size_t)n));
  return write_text(path, text, (size_t)n);
}

static int set_reason(char *why, size_t size, const char *dir) {
  int error = errno;
  snprintf(why, size, "%s: %s", dir, strerror(error));
  errno = error;
  return -1;
}

static int begin(const struct tor_checkpoints *cp, tor_gidx step, char *why, size_t size) {
  if (cp->rank) return 0;
  return tor_generation_begin(cp->dir, step) ? set_reason(why, size, cp->dir) : 0;
}

static int write_part(struct tor_checkpoints *cp, const struct tor_simulation *sim, char *why, size_t size) {
  char path[TOR_GENERATION_PATH];
  const struct tor_block_head head = {cp->hash, sim->step, cp->rank, cp->ranks};
  if (rank_path(cp, sim->step, 1, cp->rank, path) || tor_checkpoint_state_write(path, &head, sim, &cp->bytes))
    return set_reason(why, size, cp->dir);
  return 0;
}

/* Once the files of all ranks are written. */
static int publish(const struct tor_checkpoints *cp, tor_gidx step, char *why, size_t size) {
  char path[TOR_GENERATION_PATH];
  if (cp->rank) return 0;
  int failed = file_path(cp, step, 1, "job.json", path) || write_text(path, cp->job, cp->job_bytes) ||
               file_path(cp, step, 1, "manifest", path) || write_manifest(cp, step, path) ||
               tor_generation_publish(cp->dir, step);
  if (failed) {
    set_reason(why, size, cp->dir);
    tor_generation_discard(cp->dir, step);
    return -1;
  }
  const int64_t kept[KEPT] = {step, cp->good};
  tor_generation_keep(cp->dir, KEPT, kept); /* what cannot be removed now is removed next time */
  return 0;
}

/* No rank continues before all have finished a part, so that nothing is written to a generation after its removal. */
int tor_checkpoint_write(struct tor_checkpoints *cp, const struct tor_simulation *sim, char *why, size_t size) {
  if (tor_reduce_failure(begin(cp, sim->step, why, size), why, size)) return -1;
  int joined = cp->ranks == 1 || !tor_checkpoint_state_join(sim);
  if (tor_reduce_failure(joined ? write_part(cp, sim, why, size) : set_reason(why, size, cp->dir), why, size)) {
    if (!cp->rank) tor_generation_discard(cp->dir, sim->step);
    return -1;
  }
  if (tor_reduce_failure(publish(cp, sim->step, why, size), why, size)) return -1;
  int64_t bytes = (int64_t)cp->bytes;
  tor_message_sum(&bytes, 1);
  cp->bytes = (double)bytes;
  cp->good = sim->step;
  return 0;
}

int tor_checkpoint_free_space(const struct tor_checkpoints *cp) {
  int64_t steps[MOST], good = cp->good;
  int made = !cp->rank && good >= 0 && tor_generation_list(cp->dir, MOST, steps) > 1 &&
             !tor_generation_keep(cp->dir, 1, &good);
  tor_message_bcast(&made, sizeof made);
  return made;
}

int tor_checkpoint_remove(struct tor_checkpoints *cp) {
  cp->good = -1;
  return tor_generation_keep(cp->dir, 0, NULL);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* A whole file, zero-terminated; NULL with errno. */
static char *read_text(const char *path, size_t most, size_t *bytes) {
  FILE *f = tor_safe_read(path);
  if (!f) return NULL;
  char *text = malloc(most + 1);
  int error = errno;
  if (text) {
    *bytes = fread(text, 1, most, f);
    error = errno;
    int bad = ferror(f);
    text[*bytes] = 0;
    if (bad) {
      free(text);
      text = NULL;
    }
  }
  fclose(f);
  errno = error;
  return text;
}

/* The value after `key ` at the start of a line. */
static const char *manifest_value(const char *text, const char *key) {
  size_t n = strlen(key);
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (!strncmp(line, key, n) && line[n] == ' ') return line + n + 1;
  return "";
}

static void report_difference(const struct tor_checkpoints *cp, tor_gidx step, char *why, size_t size) {
  char path[TOR_GENERATION_PATH], line[512];
  size_t bytes = 0;
  char *other = file_path(cp, step, 0, "job.json", path) ? NULL : read_text(path, MOST_TEXT, &bytes);
  const int differs = other && tor_job_difference(other, cp->job, line, sizeof line);
  snprintf(why, size, "the checkpoint is of another job%s%s", differs ? "; " : "", differs ? line : "");
  free(other);
}

/* Compares job.json with its checksum in the manifest, which those of earlier programs lack. */
static enum tor_block_status check_job(const struct tor_checkpoints *cp, tor_gidx step, const char *manifest, char *why,
                                       size_t size) {
  char path[TOR_GENERATION_PATH];
  size_t bytes = 0;
  const char *checksum = manifest_value(manifest, "job_checksum");
  if (!*checksum) return TOR_BLOCK_OK;
  char *text = file_path(cp, step, 0, "job.json", path) ? NULL : read_text(path, MOST_TEXT, &bytes);
  const int good = text && strtoul(checksum, NULL, 16) == tor_block_checksum(0, text, bytes);
  if (!text)
    set_reason(why, size, "its job.json cannot be read");
  else if (!good)
    snprintf(why, size, "its job.json is damaged");
  free(text);
  return good ? TOR_BLOCK_OK : TOR_BLOCK_DAMAGED;
}

/* Reads a count of a manifest; 0 when it is none or not in [least, most]. */
static int count_of(const char *text, const char *key, long long least, long long most, long long *count) {
  const char *value = manifest_value(text, key);
  char *end;
  *count = strtoll(value, &end, 10);
  return end > value && *end == '\n' && *count >= least && *count <= most;
}

/* Contents of a manifest. other: of another job. */
struct manifest {
  int ranks, other, lost;
  tor_gidx lost_step;
};

/* Reads a generation's manifest and compares it with the job. Another version of the format: TOR_BLOCK_OTHER; another
 * job: manifest->other. */
static enum tor_block_status read_manifest(const struct tor_checkpoints *cp, tor_gidx step, struct manifest *manifest,
                                           char *why, size_t size) {
  char path[TOR_GENERATION_PATH];
  size_t bytes = 0;
  *manifest = (struct manifest){0};
  char *text = file_path(cp, step, 0, "manifest", path) ? NULL : read_text(path, 4095, &bytes);
  if (!text) {
    set_reason(why, size, "its manifest cannot be read");
    return errno == ENOENT ? TOR_BLOCK_DAMAGED : TOR_BLOCK_FAILED;
  }
  const char *checksum = manifest_value(text, "checksum");
  const long version = strtol(manifest_value(text, "version"), NULL, 10);
  enum tor_block_status status = TOR_BLOCK_DAMAGED;
  snprintf(why, size, "its manifest is damaged");
  if (!strncmp(text, "torre checkpoint\n", 17) && *checksum &&
      strtoul(checksum, NULL, 16) == tor_block_checksum(0, text, (size_t)(checksum - text) - strlen("checksum "))) {
    long long ranks = 0, own_step = 0, lost = 0, lost_step = 0;
    int good = count_of(text, "ranks", 1, 1000000, &ranks) && count_of(text, "step", step, step, &own_step);
    if (*manifest_value(text, "lost_files"))
      good =
          good && count_of(text, "lost_files", 1, INT_MAX, &lost) && count_of(text, "lost_step", 0, step, &lost_step);
    manifest->ranks = (int)ranks;
    manifest->lost = (int)lost;
    manifest->lost_step = lost_step;
    manifest->other = strtoull(manifest_value(text, "job"), NULL, 16) != cp->hash;
    status = version != VERSION ? TOR_BLOCK_OTHER : TOR_BLOCK_OK;
    if (status)
      snprintf(why, size, "the checkpoint is of version %ld of the format, this program reads version %d", version,
               VERSION);
    if (!status && !good) status = TOR_BLOCK_DAMAGED;
    if (!status) status = check_job(cp, step, text, why, size);
    if (!status && manifest->other) report_difference(cp, step, why, size);
  }
  free(text);
  return status;
}

enum tor_checkpoint_found tor_checkpoint_find(const struct tor_checkpoints *cp, char *why, size_t size) {
  int64_t steps[MOST];
  int count = tor_generation_list(cp->dir, MOST, steps);
  for (int i = 0; i < count; i++) {
    struct manifest manifest;
    enum tor_block_status status = read_manifest(cp, steps[i], &manifest, why, size);
    if (status == TOR_BLOCK_OTHER || (!status && manifest.other)) return TOR_CHECKPOINT_OTHER;
  }
  if (count > 0 && steps[0] > cp->last) {
    snprintf(why, size,
             "the checkpoint of step %" PRId64 " lies after the end of this run, step %" PRId64 " by run.time_fs",
             steps[0], cp->last);
    return TOR_CHECKPOINT_LATER;
  }
  return count > 0 ? TOR_CHECKPOINT_HERE : TOR_CHECKPOINT_NONE;
}

char *tor_checkpoint_job(const struct tor_checkpoints *cp) {
  char path[TOR_GENERATION_PATH];
  int64_t step;
  size_t bytes;
  if (tor_generation_list(cp->dir, 1, &step) != 1 || file_path(cp, step, 0, "job.json", path)) return NULL;
  return read_text(path, MOST_TEXT, &bytes);
}

int tor_checkpoint_before(const struct tor_checkpoints *cp, tor_gidx step) {
  int64_t steps[MOST];
  const int count = tor_generation_list(cp->dir, MOST, steps);
  return count > 0 && steps[count - 1] < step;
}

static enum tor_block_status load_generation(const struct tor_checkpoints *cp, tor_gidx step,
                                             struct tor_simulation *sim, struct manifest *manifest, char *why,
                                             size_t size) {
  enum tor_block_status status = read_manifest(cp, step, manifest, why, size);
  if (status) return status;
  if (manifest->other) return TOR_BLOCK_DAMAGED;
  const int ranks = manifest->ranks;
  char path[TOR_GENERATION_PATH];
  const struct tor_block_head head = {cp->hash, step, 0, ranks};
  struct tor_checkpoint_parts parts = {calloc((size_t)tor_slab_columns(&sim->model->slab), 1), 0};
  if (!parts.column) return TOR_BLOCK_FAILED;
  for (int rank = 0; rank < ranks && !status; rank++) {
    struct tor_block_head own = head;
    own.rank = rank;
    status = rank_path(cp, step, 0, rank, path) ? TOR_BLOCK_FAILED : tor_checkpoint_state_read(path, &own, sim, &parts);
    if (status)
      snprintf(why, size, "%s: %s", path,
               status == TOR_BLOCK_OTHER     ? "of a later version of the format"
               : status == TOR_BLOCK_DAMAGED ? "damaged: a checksum, the size or the job does not fit"
                                             : strerror(errno));
  }
  if (!status && !tor_checkpoint_state_is_whole(&parts, &sim->model->slab)) {
    snprintf(why, size, "it lacks columns or the history of the energy");
    status = TOR_BLOCK_DAMAGED;
  }
  free(parts.column);
  return status;
}

/* Generations in the order in which they are tried: those without a lost snapshot, newest first, then the others.
 * Returns their number. */
static int list_best_first(const struct tor_checkpoints *cp, int64_t *steps) {
  int64_t all[MOST];
  int lost[MOST], n = 0;
  char why[1024];
  const int count = tor_generation_list(cp->dir, MOST, all);
  for (int i = 0; i < count; i++) {
    struct manifest manifest;
    lost[i] = read_manifest(cp, all[i], &manifest, why, sizeof why) == TOR_BLOCK_OK && manifest.lost > 0;
    if (!lost[i]) steps[n++] = all[i];
  }
  for (int i = 0; i < count; i++)
    if (lost[i]) steps[n++] = all[i];
  if (count > 0 && steps[0] != all[0])
    tor_log("snapshots before the checkpoint of step %lld could not be written; one from before them is used",
            (long long)all[0]);
  return count;
}

tor_gidx tor_checkpoint_load(struct tor_checkpoints *cp, struct tor_simulation *sim, char *why, size_t size) {
  int64_t steps[MOST] = {0};
  int count = cp->rank ? 0 : list_best_first(cp, steps);
  if (count < 0) set_reason(why, size, cp->dir);
  tor_message_bcast(&count, sizeof count);
  tor_message_bcast(steps, sizeof steps);
  if (count < 0) return -1;
  for (int i = 0; i < count; i++) {
    struct manifest manifest;
    if (tor_reduce_failure(load_generation(cp, steps[i], sim, &manifest, why, size) != TOR_BLOCK_OK, why, size)) {
      tor_log_warning("the checkpoint of step %lld cannot be used: %s", (long long)steps[i], why);
      continue;
    }
    cp->good = steps[i];
    cp->lost = manifest.lost;
    cp->lost_step = manifest.lost_step;
    tor_simulation_resume(sim, steps[i]);
    return steps[i];
  }
  if (!count) return 0;
  snprintf(why, size, "%s: none of %d checkpoint%s can be used; start from the beginning by --overwrite", cp->dir,
           count, count == 1 ? "" : "s");
  return -1;
}
