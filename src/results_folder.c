/* The results folder before the run: see results_folder.h. */
#include "results_folder.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "../io/folder.h"
#include "../io/generation.h"
#include "results.h"
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

static enum tor_results_folder look_at_checkpoints(const struct tor_job *job, const struct tor_run_options *options,
                                                   const struct tor_checkpoints *checkpoints,
                                                   struct tor_faults *faults) {
  char why[1024] = "";
  enum tor_checkpoint_found found =
      options->overwrite ? TOR_CHECKPOINT_NONE : tor_checkpoint_find(checkpoints, why, sizeof why);
  if (found == TOR_CHECKPOINT_NONE) return TOR_FOLDER_BEGIN;
  if (found == TOR_CHECKPOINT_HERE && options->restart) return TOR_FOLDER_CONTINUE;
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

enum tor_results_folder tor_results_folder_take(const struct tor_job *job, const struct tor_run_options *options,
                                                double needed, const struct tor_checkpoints *checkpoints, int *lock,
                                                struct tor_faults *faults) {
  char why[4096], hash[64];
  *lock = -1;
  if (strlen(job->output) + NAME_ROOM > TOR_GENERATION_PATH) {
    tor_fault(faults, "output: a name of %zu characters, need at most %d", strlen(job->output),
              TOR_GENERATION_PATH - NAME_ROOM);
    return TOR_FOLDER_REFUSED;
  }
  int finished = 0;
  const char *run = tor_results_path(job, "run.json");
  if (!options->overwrite && access(run, F_OK) == 0) {
    snprintf(hash, sizeof hash, "\"job_hash\": \"%016" PRIx64 "\"", checkpoints->hash);
    const int is_same = options->restart && says(run, hash);
    finished = is_same && !says(run, "\"incomplete\": true");
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
  return look_at_checkpoints(job, options, checkpoints, faults);
}

void tor_results_folder_clear(const struct tor_job *job, struct tor_checkpoints *checkpoints) {
  unlink(tor_results_path(job, "run.json"));
  tor_checkpoint_remove(checkpoints);
  tor_snapshots_clear(job);
}
