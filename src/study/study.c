/* Studies: see study.h. Here is what all of them share: runs in folders of their own, one after another. */
#include "src/study/study.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "diamond/gpu/device.h"
#include "io/files/folder.h"
#include "io/files/safe_open.h"
#include "src/base/error.h"
#include "src/base/json.h"
#include "src/base/text.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/model/averaging.h"
#include "src/results/results_folder.h"
#include "src/run/run.h"
#include "src/schedule/plan.h"
#include "src/schedule/verdict.h"
#include "src/simulation/checkpoint.h"
#include "src/simulation/packing.h"
#include "src/study/batch.h"
#include "src/study/batch_parts.h"
#include "src/study/rates.h"
#include "src/study/study_parts.h"
#include "src/job/turn.h"

/* The kinds of studies; those without functions are of rates. */
static const struct {
  const char *name;
  void (*prepare)(struct tor_study *study, const struct tor_job *job, struct tor_faults *faults);
  void (*note)(const struct tor_study *study);
  int (*report)(const struct tor_study *study);
  const char *command; /* its own, so that torre study does not list it; its runs are many and short: a line for each */
  int as_batch;        /* its runs are many: a line for each, several at a time where a batch would */
} kinds[TOR_NSTUDIES] = {
    [TOR_STUDY_CELLS] = {"cells", tor_study_cells_prepare, tor_study_cells_note, tor_study_cells_report},
    [TOR_STUDY_SMATRIX] = {"smatrix", tor_study_smatrix_prepare, tor_study_smatrix_note, tor_study_smatrix_report},
    [TOR_STUDY_BANDS] = {"bands", tor_study_bands_prepare, tor_study_bands_note, tor_study_bands_report, "torre bands"},
    [TOR_STUDY_ENSEMBLE] = {"ensemble", tor_study_ensemble_prepare, tor_study_ensemble_note, tor_study_ensemble_report,
                            .as_batch = 1},
    [TOR_STUDY_TH] = {.name = "th"},
    [TOR_STUDY_TOWERS] = {.name = "towers"},
    [TOR_STUDY_ROOFLINE] = {.name = "roofline"},
    [TOR_STUDY_WEAK] = {.name = "weak"},
    [TOR_STUDY_STRONG] = {.name = "strong"},
};

enum tor_study_kind tor_study_find(const char *name) {
  for (int k = 0; k < TOR_NSTUDIES; k++)
    if (!kinds[k].command && !strcmp(name, kinds[k].name)) return (enum tor_study_kind)k;
  return TOR_NSTUDIES;
}

const char *tor_study_name(enum tor_study_kind kind) { return kinds[kind].name; }

const char *tor_study_names(void) {
  static char text[128];
  int all = 0;
  for (int k = 0; k < TOR_NSTUDIES; k++) all += !kinds[k].command;
  for (int k = 0, n = 0; k < TOR_NSTUDIES; k++)
    if (!kinds[k].command) tor_text_list(text, sizeof text, n++, all, kinds[k].name);
  return text;
}

const char *tor_study_unit(const struct tor_study *study) {
  const double unit = study->unit;
  return unit > 0.5 ? "m" : unit > 0.5e-3 ? "mm" : unit > 0.5e-6 ? "um" : unit > 0.5e-9 ? "nm" : "angstrom";
}

int tor_study_end_file(const char *command, const char *path, int status, const char *why) {
  if (!status)
    printf("wrote %s\n", path);
  else
    fprintf(stderr, "%s: %s was not written: %s\n", command, path, why ? why : strerror(errno));
  return status != 0;
}

void tor_study_begin_json(FILE *f, const struct tor_study *study) {
  fprintf(f, "{\n  \"format_version\": 1,\n  \"study\": \"%s\", \"hash\": \"%016" PRIx64 "\",\n  \"job_file\": ",
          study->name, study->hash);
  tor_json_string(f, study->options->job);
}

/* --- The runs --- */

static void *must(void *memory) {
  if (!memory) TOR_DIE("out of memory");
  return memory;
}

static char *join(const char *a, const char *between, const char *b) {
  const size_t n = strlen(a) + strlen(between) + strlen(b) + 1;
  char *text = tor_alloc(n, 1, "a name");
  snprintf(text, n, "%s%s%s", a, between, b);
  return text;
}

/* The command that the user gave. */
static const char *command_of(const struct tor_study *study) {
  const char *own = kinds[study->options->kind].command;
  return own ? own : "torre study";
}

void tor_study_add(struct tor_study *study, const char *name, const char *const *set, int nset, double value,
                   struct tor_faults *faults, const char *label, ...) {
  const struct tor_study_options *options = study->options;
  study->run = must(realloc(study->run, ((size_t)study->nruns + 1) * sizeof *study->run));
  struct tor_study_run *run = &study->run[study->nruns];
  *run = (struct tor_study_run){.value = value};
  va_list args;
  va_start(args, label);
  vsnprintf(run->label, sizeof run->label, label, args);
  va_end(args);
  const int nall = options->noverrides + nset;
  const char **all = tor_alloc((size_t)nall + 1, sizeof *all, "overrides");
  for (int i = 0; i < options->noverrides; i++) all[i] = options->overrides[i];
  for (int i = 0; i < nset; i++) all[options->noverrides + i] = set[i];
  struct tor_faults own = {0};
  if (tor_averaging_read(options->job, all, nall, &run->job, &own)) {
    free(run->job.output);
    run->job.output = join(study->folder, "/", name);
    study->nruns++;
  }
  tor_faults_move(faults, &own, run->label);
  free(all);
}

void tor_study_check_run(const struct tor_job *job, const char *label, int overwrite, int verbose,
                         struct tor_faults *faults) {
  struct tor_faults own = {0};
  struct tor_plan plan;
  struct tor_verdict verdict;
  char text[256];
  if (!tor_plan_make(job, 0, &plan, &own) && verbose) {
    tor_verdict_make(job, &plan, &verdict);
    tor_verdict_text(&verdict, text, sizeof text);
    printf("%s: %s cells, %lld steps; %s\n", label, tor_job_cells(job, &plan.size.grid), (long long)plan.size.steps,
           text);
  }
  tor_faults_move(faults, &own, label);
  if (tor_safe_kind(job->output) == TOR_SAFE_NOTHING) return;
  struct tor_checkpoints checkpoints;
  tor_checkpoints_init(&checkpoints, job, 0, 1);
  tor_safe_root(job->output);
  tor_results_folder_take(job, overwrite, 1, 0, &checkpoints, faults);
  tor_folder_unlock();
  tor_safe_root(NULL);
  tor_checkpoints_free(&checkpoints);
}

/* The study's folder may have a study of the same job alone: with other runs, but else the same. Rank 0. */
static void check_folder(const struct tor_study *study, struct tor_faults *faults) {
  char wanted[64], text[1024] = "";
  char *path = join(study->folder, "/", "study.json");
  snprintf(wanted, sizeof wanted, "\"study\": \"%s\", \"hash\": \"%016" PRIx64 "\"", study->name, study->hash);
  FILE *file = study->options->run.overwrite ? NULL : tor_safe_read(path);
  if (file) {
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    if (!strstr(text, wanted))
      tor_fault(faults,
                "%s: is of a study of another job, or of this job before it was changed; name another folder by "
                "--out DIR, or replace it by --overwrite",
                path);
  }
  free(path);
}

/* Runs what is not finished; the exit status. Collective. */
static int run_all(struct tor_study *study, struct tor_faults *faults) {
  struct tor_run_options options = study->options->run;
  int status = TOR_EXIT_OK, unconverged = 0;
  options.restart = !options.overwrite;
  options.quiet |= kinds[study->options->kind].command != NULL;
  for (int i = 0; i < study->nruns && status == TOR_EXIT_OK; i++) {
    struct tor_study_run *run = &study->run[i];
    if (!tor_message_rank()) {
      printf("%s (%d of %d): %s\n", run->label, i + 1, study->nruns, run->job.output);
      fflush(stdout);
    }
    status = tor_run(&run->job, &options, faults);
    tor_safe_root(NULL);
    unconverged |= status == TOR_EXIT_UNCONVERGED;
    if (status == TOR_EXIT_UNCONVERGED) status = TOR_EXIT_OK;
    run->finished = status == TOR_EXIT_OK;
    if (status == TOR_EXIT_FAILURE && !tor_message_rank())
      fprintf(stderr, "%s: the run of %s failed; finished runs stay, the same command continues from there\n",
              command_of(study), run->label);
    if (status == TOR_EXIT_AGAIN && !tor_message_rank())
      printf("stopped in the run of %s; the same command continues from there\n", run->label);
  }
  return status == TOR_EXIT_OK && unconverged ? TOR_EXIT_UNCONVERGED : status;
}

/* The same as a batch, which may run several at a time. */
static int run_as_batch(struct tor_study *study, struct tor_faults *faults) {
  struct tor_batch_options options = {.at_once = study->options->at_once, .run = study->options->run};
  struct tor_batch batch = {.options = &options, .nruns = study->nruns};
  options.run.quiet = 1;
  batch.run = tor_alloc((size_t)study->nruns + 1, sizeof *batch.run, "runs");
  for (int i = 0; i < study->nruns; i++)
    batch.run[i] = (struct tor_batch_run){.job = study->run[i].job, .label = study->run[i].label};
  const int status = tor_batch_go(&batch, faults);
  for (int i = 0; i < study->nruns; i++) {
    const struct tor_batch_run *run = &batch.run[i];
    study->run[i].job = run->job;
    study->run[i].finished = run->state == TOR_BATCH_DONE || run->state == TOR_BATCH_UNCONVERGED;
    if (run->packing && !run->member) tor_packing_free(run->packing);
  }
  free(batch.run);
  if (status == TOR_EXIT_AGAIN && !tor_message_rank()) printf("stopped; the same command continues from there\n");
  return status;
}

/* What the job is without what is varied. */
static void begin(struct tor_study *study, const struct tor_job *job) {
  struct tor_job plain = *job;
  struct tor_checkpoints identity;
  study->name = kinds[study->options->kind].name;
  study->folder = study->options->has_folder ? tor_strdup(job->output) : join(job->output, "-", study->name);
  study->title = tor_strdup(job->title ? job->title : "");
  study->unit = job->length_unit;
  if (study->options->kind == TOR_STUDY_CELLS) memset(plain.cell, 0, sizeof plain.cell);
  tor_checkpoints_init(&identity, &plain, 0, 1);
  study->hash = identity.results_hash;
  tor_checkpoints_free(&identity);
}

/* Everything that would be refused, before anything is run. Collective. */
static void check_all(const struct tor_study *study, struct tor_faults *faults) {
  char why[4096];
  if (tor_message_rank()) return;
  for (int i = 0; i < study->nruns; i++)
    tor_study_check_run(&study->run[i].job, study->run[i].label, study->options->run.overwrite,
                        !i || !(kinds[study->options->kind].command || kinds[study->options->kind].as_batch), faults);
  if (study->nruns && !faults->count) kinds[study->options->kind].note(study);
  check_folder(study, faults);
  if (!faults->count && tor_folder_make(study->folder, why, sizeof why)) tor_fault(faults, "%s", why);
}

int tor_study(const struct tor_study_options *options, struct tor_faults *faults) {
  struct tor_study study = {.options = options};
  struct tor_job job;
  int status = TOR_EXIT_USER, finished = 0;
  if (kinds[options->kind].as_batch && options->at_once != 1) tor_device_side_by_side();
  if (!kinds[options->kind].prepare) return tor_rates_study(options, faults);
  const int is_read = tor_averaging_read(options->job, options->overrides, options->noverrides, &job, faults);
  if (is_read) {
    begin(&study, &job);
    kinds[options->kind].prepare(&study, &job, faults);
    tor_job_free(&job);
  }
  if (!tor_reduce_faults(faults) && is_read) check_all(&study, faults);
  if (!tor_reduce_faults(faults))
    status = kinds[options->kind].as_batch ? run_as_batch(&study, faults) : run_all(&study, faults);
  for (int i = 0; i < study.nruns; i++) finished += study.run[i].finished;
  if (!tor_message_rank() &&
      (status == TOR_EXIT_OK || status == TOR_EXIT_UNCONVERGED || (status == TOR_EXIT_FAILURE && finished > 1)) &&
      kinds[options->kind].report(&study))
    status = TOR_EXIT_FAILURE;
  for (int i = 0; i < study.nruns; i++) tor_job_free(&study.run[i].job);
  free(study.run);
  free(study.folder);
  free(study.title);
  return status;
}
