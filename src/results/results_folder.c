/* The results folder before the run: see results_folder.h. */
#define _GNU_SOURCE /* strchrnul */
#include "src/results/results_folder.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "io/files/generation.h"
#include "io/files/log.h"
#include "io/files/safe_open.h"
#include "src/results/results_file.h"
#include "src/results/snapshot.h"
#include "tor_version.h"
#include "src/base/concurrent.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/simulation/checkpoint.h"

/* The longest name that is appended to the folder's: a monitor's name of 64 characters and more, or
 * checkpoint/step-.../rank-.... */
enum { NAME_ROOM = 256, MOST_TEXT = 1 << 26 };

/* The first `most` bytes of a file, owned by the caller; NULL when it cannot be read. */
static char *text_of(const char *path, size_t most) {
  FILE *f = tor_safe_read(path);
  if (!f) return NULL;
  char *text = NULL;
  size_t have = 0, capacity = 0;
  for (size_t want = 4096; have < most; want *= 2) {
    if (want > most) want = most;
    text = tor_grow(text, want + 1, &capacity, 1);
    have += fread(text + have, 1, want - have, f);
    if (have < want) break;
  }
  text[have] = 0;
  fclose(f);
  return text;
}

/* Whether the beginning of run.json contains a text. */
static int contains(const char *path, const char *what) {
  char *text = text_of(path, 4096);
  const int found = text && strstr(text, what);
  free(text);
  return found;
}

static int contains_hash(const char *path, const char *key, uint64_t hash) {
  char what[64];
  snprintf(what, sizeof what, "\"%s\": \"%016" PRIx64 "\"", key, hash);
  return contains(path, what);
}

static int is_there(const char *path) { return tor_safe_kind(path) != TOR_SAFE_NOTHING; }

/* A folder in a result's place stays: the file is not written. */
static int would_go(const char *path) { return is_there(path) && tor_safe_kind(path) != TOR_SAFE_FOLDER; }

/* An existing file with the name of a result of this job; NULL when there is none. Pictures are not searched for: they
 * are written after results.h5. */
static const char *found_result(const struct tor_job *job) {
  static const char *const tables[] = {"results.h5", "energy.csv", "spectra.csv", "spectra.png", "timeline.csv"};
  static const char *const of_monitor[] = {"%s.csv", "%s_spectrum.csv", "%s_far.csv", "spectra_%s.csv"};
  const char *path = NULL;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (would_go(path = tor_results_path(job, "%s", tables[i]))) return path;
  for (int m = 0; m < job->nmonitors; m++)
    for (size_t i = 0; i < sizeof of_monitor / sizeof *of_monitor; i++) {
      char name[NAME_ROOM];
      snprintf(name, sizeof name, of_monitor[i], job->monitors[m].name);
      if (would_go(path = tor_results_path(job, "%s", name))) return path;
    }
  path = tor_results_path(job, "snapshots");
  return tor_folder_holds_any(path) ? path : NULL;
}

enum earlier_log { NO_LOG, LOG_OF_A_RUN, OTHER_LOG };

/* Which kind of run.log would be replaced: those of this program begin with its name. */
static enum earlier_log look_at_log(const struct tor_job *job) {
  const char *path = tor_results_path(job, "run.log");
  if (tor_safe_kind(path) == TOR_SAFE_NOTHING) return NO_LOG;
  char *text = text_of(path, 200);
  const char *mark = text ? strstr(text, " s] torre ") : NULL;
  const int is_ours = text && (!*text || (*text == '[' && mark && mark < strchrnul(text, '\n')));
  free(text);
  return is_ours ? LOG_OF_A_RUN : OTHER_LOG;
}

/* A folder without run.json and checkpoint may be used, unless files of value would be overwritten. */
static enum tor_results_folder look_at_leftovers(const struct tor_job *job, int overwrite, int restart,
                                                 struct tor_faults *faults) {
  if (overwrite) return TOR_FOLDER_BEGIN;
  const enum earlier_log log = look_at_log(job);
  if (log == OTHER_LOG)
    tor_fault(faults,
              "%s: exists and is not the log of a run; name another folder by --out DIR, or replace it by --overwrite",
              tor_results_path(job, "run.log"));
  else if (!restart && log == LOG_OF_A_RUN)
    tor_fault(
        faults,
        "%s: contains a run that did not end and saved no checkpoint to continue from; start from the beginning by "
        "--overwrite, or name another folder by --out DIR",
        job->output);
  else if (!restart && found_result(job))
    tor_fault(faults,
              "%s: exists without the run.json of a finished run, and would be overwritten; name another folder by "
              "--out DIR, or replace it by --overwrite",
              found_result(job));
  return faults->count ? TOR_FOLDER_REFUSED : TOR_FOLDER_BEGIN;
}

static enum tor_results_folder look_at_checkpoints(const struct tor_job *job, int overwrite, int restart,
                                                   const struct tor_checkpoints *checkpoints,
                                                   struct tor_faults *faults) {
  char why[1024] = "";
  enum tor_checkpoint_found found = overwrite ? TOR_CHECKPOINT_NONE : tor_checkpoint_find(checkpoints, why, sizeof why);
  if (found == TOR_CHECKPOINT_NONE) return look_at_leftovers(job, overwrite, restart, faults);
  if (found == TOR_CHECKPOINT_HERE && restart) return TOR_FOLDER_CONTINUE;
  if (found == TOR_CHECKPOINT_LATER)
    tor_fault(faults,
              "%s: %s; set at least that run.time_fs with --restart, name another folder by --out DIR, or start from "
              "the beginning by --overwrite",
              checkpoints->dir, why);
  else if (found == TOR_CHECKPOINT_HERE)
    tor_fault(
        faults,
        "%s: contains a checkpoint of an interrupted run of this job; continue it by --restart, or start from the "
        "beginning by --overwrite",
        job->output);
  else
    tor_fault(faults, "%s: %s; name another folder by --out DIR, or start from the beginning by --overwrite",
              checkpoints->dir, why);
  return TOR_FOLDER_REFUSED;
}

/* Contents of the run.json of an earlier run. */
struct ended {
  int same_job, same_time, whole, kept;
  tor_gidx steps;
  double error; /* of tor_leftover; 0: not known */
};

/* why: how the job differs, or "". */
static struct ended look_at_run(const struct tor_job *job, const struct tor_checkpoints *checkpoints, int restart,
                                char *why, size_t size) {
  char difference[512];
  struct ended ended = {0};
  *why = 0;
  const char *path = tor_results_path(job, "run.json");
  ended.same_job = restart && contains_hash(path, "job_hash", checkpoints->hash);
  ended.same_time = contains_hash(path, "results_hash", checkpoints->results_hash);
  ended.whole = !contains(path, "\"incomplete\": true");
  ended.kept = !contains(path, "\"kept\": false");
  char *text = text_of(path, MOST_TEXT);
  const char *steps = text ? strstr(text, "\"steps\": ") : NULL,
             *theirs = text ? strstr(text, "\n  \"job\": {\n") : NULL,
             *left = text ? strstr(text, "\n  \"left\": {") : NULL, *error = left ? strstr(left, "\"error\": ") : NULL;
  if (steps) ended.steps = strtoll(steps + strlen("\"steps\": "), NULL, 10);
  if (error) ended.error = strtod(error + strlen("\"error\": "), NULL);
  if (restart && !ended.same_job && theirs &&
      tor_job_difference(theirs + strlen("\n  \"job\": {\n"), checkpoints->job + 2, difference, sizeof difference))
    snprintf(why, size, "; %s", difference);
  free(text);
  return ended;
}

static int is_link(const char *path, struct tor_faults *faults) {
  if (tor_safe_kind(path) != TOR_SAFE_OTHER) return 0;
  tor_fault(faults, "%s: is a symbolic link; a results folder may be one, nothing in it: remove it", path);
  return 1;
}

/* Of each run; 1: something else has the name of its results folder. */
static atomic_int is_lost[TOR_CONCURRENT_MOST + 1];

enum tor_results_folder tor_results_folder_take(const struct tor_job *job, int overwrite, int restart, double needed,
                                                struct tor_checkpoints *checkpoints, struct tor_faults *faults) {
  char why[4096];
  is_lost[tor_concurrent_number()] = 0; /* of the run before this one in the process */
  if (strlen(job->output) + NAME_ROOM > TOR_GENERATION_PATH) {
    tor_fault(faults, "output: a name of %zu characters, need " TOR_NEEDED("at most %d"), strlen(job->output),
              TOR_GENERATION_PATH - NAME_ROOM);
    return TOR_FOLDER_REFUSED;
  }
  if (tor_folder_make(job->output, why, sizeof why) || tor_folder_lock(job->output, why, sizeof why)) {
    tor_fault(faults, "%s", why);
    return TOR_FOLDER_REFUSED;
  }
  if (is_link(tor_results_path(job, "checkpoint"), faults) || is_link(tor_results_path(job, "snapshots"), faults))
    return TOR_FOLDER_REFUSED;
  for (int i = 0; i < job->nmonitors; i++)
    if (job->monitors[i].kind == TOR_SNAPSHOT &&
        is_link(tor_results_path(job, "snapshots/%s", job->monitors[i].name), faults))
      return TOR_FOLDER_REFUSED;
  struct ended ended = {0};
  if (!overwrite && is_there(tor_results_path(job, "run.json"))) {
    ended = look_at_run(job, checkpoints, restart, why, sizeof why);
    if (!ended.same_job) {
      tor_fault(faults,
                "%s: contains the results of an earlier run%s; name another folder by --out DIR, or replace them by "
                "--overwrite",
                job->output, why);
      return TOR_FOLDER_REFUSED;
    }
  }
  if (ended.whole && ended.same_time) {
    /* The run was killed between its last file and its checkpoint. */
    if (!ended.kept && !job->checkpoint.keep) tor_checkpoint_remove(checkpoints);
    return ended.error > job->tolerance ? TOR_FOLDER_UNCONVERGED : TOR_FOLDER_FINISHED;
  }
  int64_t free_bytes = tor_folder_free_bytes(job->output);
  if (free_bytes >= 0 && (double)free_bytes < needed) {
    tor_fault(faults, "%s: %.3f MB free on its file system, the results need about %.3f MB", job->output,
              (double)free_bytes * 1e-6, needed * 1e-6);
    return TOR_FOLDER_REFUSED;
  }
  const enum tor_results_folder found = look_at_checkpoints(job, overwrite, restart, checkpoints, faults);
  if (found == TOR_FOLDER_CONTINUE && ended.steps > checkpoints->last) {
    tor_fault(faults,
              "%s: contains the results of this job to a longer run.time_fs, of %" PRId64
              " steps where this run has %" PRId64 "; name another folder by --out DIR, or replace them by --overwrite",
              job->output, ended.steps, checkpoints->last);
    return TOR_FOLDER_REFUSED;
  }
  if (found != TOR_FOLDER_BEGIN || !ended.same_job || ended.same_time) return found;
  tor_fault(faults,
            "%s: contains the results of this job to another run.time_fs and no checkpoint to continue from "
            "(checkpoint.keep leaves one); name another folder by --out DIR, or replace them by --overwrite",
            job->output);
  return TOR_FOLDER_REFUSED;
}

/* run.json becomes earlier.json, whose files the sweep considers; if there is one already, from an --overwrite, that
 * one stays. */
static void set_aside(const struct tor_job *job, int replaces) {
  char *run = tor_strdup(tor_results_path(job, "run.json"));
  const char *earlier = tor_results_path(job, "earlier.json");
  if (replaces || tor_safe_kind(earlier) == TOR_SAFE_NOTHING)
    tor_safe_rename(run, earlier);
  else
    tor_safe_remove(run);
  free(run);
}

int tor_results_folder_is_lost(void) { return is_lost[tor_concurrent_number()]; }

int tor_results_folder_is_ours(const struct tor_job *job) {
  char why[9000];
  if (tor_results_folder_is_lost()) return 0;
  if (tor_folder_is_ours()) return 1;
  if (!tor_folder_lock_again(why, sizeof why)) {
    tor_log_warning("%s; this run continues in a new folder there", why);
    if (tor_log_move(tor_results_path(job, "run.log"))) tor_results_not_written("run.log", NULL);
    tor_log("torre %s continues its log here: the folder was another one before", TOR_VERSION);
    return 1;
  }
  is_lost[tor_concurrent_number()] = 1;
  tor_log_warning("%s; this run stops and writes nothing more there", why);
  return 0;
}

void tor_results_folder_clear(const struct tor_job *job, struct tor_checkpoints *checkpoints) {
  char *kept = tor_checkpoint_job(checkpoints), *ended;
  set_aside(job, 1);
  ended = text_of(tor_results_path(job, "earlier.json"), MOST_TEXT);
  tor_checkpoint_remove(checkpoints);
  tor_snapshots_clear(job, ended);
  if (kept) tor_snapshots_clear(job, kept);
  free(ended);
  free(kept);
}

void tor_results_folder_resume(const struct tor_job *job) { set_aside(job, 0); }

/* The names in "files" of run.json or earlier.json, each between two line ends, without those of other folders; NULL
 * when there is no such file or no memory. */
static char *listed(const struct tor_job *job, const char *json) {
  static const char head[] = "  \"files\": [";
  FILE *from = tor_safe_read(tor_results_path(job, "%s", json));
  if (!from) return NULL;
  char *names = NULL, *line = NULL;
  size_t size = 0, capacity = 0;
  FILE *to = open_memstream(&names, &size);
  for (int inside = 0; to && getline(&line, &capacity, from) > 0;) {
    const char *name = line + strspn(line, " \"");
    const int length = (int)strcspn(name, "\"\n");
    if (!strncmp(line, head, sizeof head - 1))
      inside = 1, fputc('\n', to);
    else if (inside && !strncmp(line, "    \"", 5) && !memchr(name, '/', (size_t)length))
      fprintf(to, "%.*s\n", length, name);
    else
      inside = 0;
  }
  free(line);
  fclose(from);
  if (!to || fclose(to)) return NULL;
  return names;
}

/* Other files are never removed, whatever the list contains. */
static int is_a_result(const char *name) {
  const char *end = strrchr(name, '.');
  return end && (!strcmp(end, ".csv") || !strcmp(end, ".h5") || !strcmp(end, ".png"));
}

void tor_results_folder_sweep(const struct tor_job *job) {
  char *earlier = listed(job, "earlier.json"), *now = listed(job, "run.json"), *rest = NULL, around[NAME_ROOM + 2];
  for (char *name = earlier ? strtok_r(earlier, "\n", &rest) : NULL; now && name; name = strtok_r(NULL, "\n", &rest)) {
    snprintf(around, sizeof around, "\n%s\n", name);
    if (is_a_result(name) && !strstr(now, around)) tor_safe_remove(tor_results_path(job, "%s", name));
  }
  if (now) tor_safe_remove(tor_results_path(job, "earlier.json"));
  free(earlier);
  free(now);
}
