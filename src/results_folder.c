/* The results folder before the run: see results_folder.h. */
#include "results_folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../io/folder.h"
#include "../io/generation.h"
#include "results_file.h"
#include "snapshot.h"

/* The longest name that is put behind the folder's: a monitor's name of 64 characters and more, or
 * checkpoint/step-.../rank-.... */
enum { NAME_ROOM = 256 };

/* Whether a text stands near the beginning of run.json. */
static int says(const char *path, const char *what) {
  char text[4096];
  FILE *f = fopen(path, "rb");
  if (!f) return 0;
  size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = 0;
  return strstr(text, what) != NULL;
}

static int says_hash(const char *path, const char *key, uint64_t hash) {
  char what[64];
  snprintf(what, sizeof what, "\"%s\": \"%016" PRIx64 "\"", key, hash);
  return says(path, what);
}

static int is_file(const char *path) {
  struct stat status;
  return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* A file that this job writes and that is there already; NULL when there is none. Pictures come after results.h5. */
static const char *found_result(const struct tor_job *job) {
  static const char *const tables[] = {"results.h5", "energy.csv", "spectra.csv", "spectra.png", "timeline.csv"};
  static const char *const of_monitor[] = {"%s.csv", "%s_spectrum.csv", "spectra_%s.csv"};
  const char *path = NULL;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (is_file(path = tor_results_path(job, "%s", tables[i]))) return path;
  for (int m = 0; m < job->nmonitors; m++)
    for (size_t i = 0; i < sizeof of_monitor / sizeof *of_monitor; i++) {
      char name[NAME_ROOM];
      snprintf(name, sizeof name, of_monitor[i], job->monitors[m].name);
      if (is_file(path = tor_results_path(job, "%s", name))) return path;
    }
  path = tor_results_path(job, "snapshots");
  return tor_folder_holds_any(path) ? path : NULL;
}

static enum tor_results_folder look_at_checkpoints(const struct tor_job *job, int overwrite, int restart,
                                                   const struct tor_checkpoints *checkpoints,
                                                   struct tor_faults *faults) {
  char why[1024] = "";
  enum tor_checkpoint_found found = overwrite ? TOR_CHECKPOINT_NONE : tor_checkpoint_find(checkpoints, why, sizeof why);
  if (found == TOR_CHECKPOINT_NONE) {
    const char *result = overwrite || restart ? NULL : found_result(job);
    if (!result) return TOR_FOLDER_BEGIN;
    tor_fault(faults,
              "%s: is there, without a run.json of a run that ended, and would be written over; name another folder by --out DIR, "
              "or replace what is there by --overwrite",
              result);
    return TOR_FOLDER_REFUSED;
  }
  if (found == TOR_CHECKPOINT_HERE && restart) return TOR_FOLDER_CONTINUE;
  if (found == TOR_CHECKPOINT_HERE)
    tor_fault(faults,
              "%s: holds a checkpoint of an interrupted run of this job; go on by --restart, or start from the "
              "beginning by --overwrite",
              job->output);
  else
    tor_fault(faults, "%s: %s; name another folder by --out DIR, or start from the beginning by --overwrite",
              checkpoints->dir, why);
  return TOR_FOLDER_REFUSED;
}

enum tor_results_folder tor_results_folder_take(const struct tor_job *job, int overwrite, int restart, double needed,
                                                const struct tor_checkpoints *checkpoints, int *lock,
                                                struct tor_faults *faults) {
  char why[4096];
  *lock = -1;
  if (strlen(job->output) + NAME_ROOM > TOR_GENERATION_PATH) {
    tor_fault(faults, "output: a name of %zu characters, need at most %d", strlen(job->output),
              TOR_GENERATION_PATH - NAME_ROOM);
    return TOR_FOLDER_REFUSED;
  }
  int finished = 0, to_another_time = 0;
  const char *run = tor_results_path(job, "run.json");
  if (!overwrite && access(run, F_OK) == 0) {
    const int is_same = restart && says_hash(run, "job_hash", checkpoints->hash);
    finished = is_same && !says(run, "\"incomplete\": true");
    to_another_time = finished && !says_hash(run, "results_hash", checkpoints->results_hash);
    finished &= !to_another_time;
    if (!is_same) {
      tor_fault(faults,
                "%s: holds the results of an earlier run; name another folder by --out DIR, or replace them by "
                "--overwrite",
                job->output);
      return TOR_FOLDER_REFUSED;
    }
  }
  if (tor_folder_make(job->output, why, sizeof why) ||
      (*lock = tor_folder_lock(job->output, why, sizeof why)) < 0) {
    tor_fault(faults, "%s", why);
    return TOR_FOLDER_REFUSED;
  }
  if (finished) return TOR_FOLDER_FINISHED;
  int64_t room = tor_folder_free_bytes(job->output);
  if (room >= 0 && (double)room < needed) {
    tor_fault(faults, "%s: %.3f MB free on its file system, the results need about %.3f MB", job->output,
              (double)room * 1e-6, needed * 1e-6);
    return TOR_FOLDER_REFUSED;
  }
  const enum tor_results_folder found = look_at_checkpoints(job, overwrite, restart, checkpoints, faults);
  if (found != TOR_FOLDER_BEGIN || !to_another_time) return found;
  tor_fault(faults,
            "%s: holds the results of this job to another run.time_fs and no checkpoint to go on from (checkpoint.keep leaves one); name "
            "another folder by --out DIR, or replace them by --overwrite",
            job->output);
  return TOR_FOLDER_REFUSED;
}

void tor_results_folder_clear(const struct tor_job *job, struct tor_checkpoints *checkpoints) {
  char *run = strdup(tor_results_path(job, "run.json"));
  if (!run) TOR_DIE("no memory for a name");
  rename(run, tor_results_path(job, "earlier.json"));
  free(run);
  tor_checkpoint_remove(checkpoints);
  tor_snapshots_clear(job);
}

/* The names in "files" of run.json or earlier.json, each between two line ends, without those of other folders; NULL when there is no such
 * file or no memory. */
static char *listed(const struct tor_job *job, const char *json) {
  static const char head[] = "  \"files\": [";
  FILE *from = fopen(tor_results_path(job, "%s", json), "r");
  if (!from) return NULL;
  char *names = NULL, *line = NULL;
  size_t size = 0, room = 0;
  FILE *to = open_memstream(&names, &size);
  for (int inside = 0; to && getline(&line, &room, from) > 0;) {
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

void tor_results_folder_sweep(const struct tor_job *job) {
  char *earlier = listed(job, "earlier.json"), *now = listed(job, "run.json"), *rest = NULL, around[NAME_ROOM + 2];
  for (char *name = earlier ? strtok_r(earlier, "\n", &rest) : NULL; now && name; name = strtok_r(NULL, "\n", &rest)) {
    snprintf(around, sizeof around, "\n%s\n", name);
    if (!strstr(now, around)) unlink(tor_results_path(job, "%s", name));
  }
  if (now) unlink(tor_results_path(job, "earlier.json"));
  free(earlier);
  free(now);
}
