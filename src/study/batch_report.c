/* What the runs of a batch say together: a table, runs.csv, spectra.csv. */
#define _GNU_SOURCE /* getline */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "io/files/safe_open.h"
#include "src/base/error.h"
#include "src/job/job.h"
#include "src/study/batch_parts.h"

static const char *const state_names[TOR_NBATCH_STATES] = {"not run", "done", "unconverged", "failed", "stopped"};

static int is_done(const struct tor_batch_run *run) {
  return run->state == TOR_BATCH_DONE || run->state == TOR_BATCH_UNCONVERGED;
}

/* From run.json; negative where it does not say. */
struct ended {
  double steps, seconds, rate;
};

static double number_in(const char *text, const char *key) {
  char what[64];
  snprintf(what, sizeof what, "\n  \"%s\": ", key);
  const char *at = strstr(text, what);
  return at ? strtod(at + strlen(what), NULL) : -1;
}

static struct ended read_end(const struct tor_batch_run *run) {
  struct ended ended = {-1, -1, -1};
  char path[8192], text[4096] = "";
  snprintf(path, sizeof path, "%s/run.json", run->job.output);
  FILE *file = is_done(run) ? tor_safe_read(path) : NULL;
  if (!file) return ended;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return (struct ended){number_in(text, "steps"), number_in(text, "seconds"),
                        number_in(text, "cell_updates_per_second")};
}

/* --- On stdout --- */

static void print_number(double value, double unit, int digits) {
  if (value < 0)
    printf("  %10s", "-");
  else
    printf("  %10.*f", digits, value / unit);
}

static void print_table(const struct tor_batch *batch) {
  int width = 3, wide = 7, done = 0, count[TOR_NBATCH_STATES] = {0};
  for (int i = 0; i < batch->nruns; i++) {
    const int length = (int)strlen(batch->run[i].label);
    if (length > width) width = length;
    if (batch->run[i].state == TOR_BATCH_UNCONVERGED) wide = 11;
    done += is_done(&batch->run[i]);
  }
  printf("%-*s  %-*s  %10s  %10s  %10s  folder\n", width, "run", wide, "state", "steps", "seconds", "M cells/s");
  for (int i = 0; i < batch->nruns; i++) {
    const struct tor_batch_run *run = &batch->run[i];
    const struct ended ended = read_end(run);
    printf("%-*s  %-*s", width, run->label, wide, state_names[run->state]);
    print_number(ended.steps, 1, 0);
    print_number(ended.seconds, 1, 2);
    print_number(ended.rate, 1e6, 1);
    printf("  %s\n", run->job.output);
    count[run->state]++;
  }
  printf("%d run%s:", batch->nruns, batch->nruns > 1 ? "s" : "");
  static const enum tor_batch_state order[] = {TOR_BATCH_DONE, TOR_BATCH_UNCONVERGED, TOR_BATCH_FAILED,
                                               TOR_BATCH_STOPPED, TOR_BATCH_NOT_RUN};
  const char *between = "";
  for (int k = 0; k < TOR_NBATCH_STATES; k++)
    if (count[order[k]]) {
      printf("%s %d %s", between, count[order[k]], state_names[order[k]]);
      between = ",";
    }
  printf("%s\n", done < batch->nruns ? "; the same command continues" : "");
}

/* --- Files --- */

/* A text as a value of CSV. */
static void put(FILE *file, const char *text) {
  if (!strpbrk(text, ",\"\n")) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (; *text; text++) *text == '"' ? fputs("\"\"", file) : fputc(*text, file);
  fputc('"', file);
}

static void put_head(const struct tor_batch *batch, FILE *file) {
  const int n = batch->options->nsweeps;
  for (int s = 0; s < n; s++) {
    put(file, batch->key[s]);
    fputc(',', file);
  }
  if (!n) fputs("job,", file);
}

static void put_values(const struct tor_batch *batch, const struct tor_batch_run *run, FILE *file) {
  const int n = batch->options->nsweeps;
  for (int s = 0; s < n; s++) {
    put(file, run->value[s]);
    fputc(',', file);
  }
  if (!n) {
    put(file, run->label);
    fputc(',', file);
  }
}

static int write_runs(const struct tor_batch *batch, FILE *file) {
  put_head(batch, file);
  fputs("state,steps,seconds,cell_updates_per_second,folder\n", file);
  for (int i = 0; i < batch->nruns; i++) {
    const struct tor_batch_run *run = &batch->run[i];
    const struct ended ended = read_end(run);
    put_values(batch, run, file);
    fputs(state_names[run->state], file);
    const double number[] = {ended.steps, ended.seconds, ended.rate};
    for (int k = 0; k < 3; k++)
      if (number[k] < 0)
        fputs(",nan", file);
      else
        fprintf(file, ",%.9g", number[k]);
    fputc(',', file);
    put(file, run->job.output);
    fputc('\n', file);
  }
  return 1;
}

/* Adds the rows of a run's spectra.csv; head: of the first run that has one. Returns 1; 0: it has none, or another
 * head. */
static int add_spectra(const struct tor_batch *batch, const struct tor_batch_run *run, char **head, FILE *file) {
  char path[8192], *line = NULL;
  size_t capacity = 0;
  snprintf(path, sizeof path, "%s/spectra.csv", run->job.output);
  FILE *from = is_done(run) ? tor_safe_read(path) : NULL;
  if (!from) return 0;
  int same = getline(&line, &capacity, from) > 0;
  if (same && !*head) {
    *head = tor_strdup(line);
    put_head(batch, file);
    fputs(line, file);
  }
  same = same && !strcmp(line, *head);
  while (same && getline(&line, &capacity, from) > 0) {
    put_values(batch, run, file);
    fputs(line, file);
  }
  if (!same) fprintf(stderr, "torre: %s has other columns than the runs before it: not in spectra.csv of all\n", path);
  free(line);
  fclose(from);
  return same;
}

static int write_spectra(const struct tor_batch *batch, FILE *file) {
  char *head = NULL;
  int any = 0;
  for (int i = 0; i < batch->nruns; i++) any += add_spectra(batch, &batch->run[i], &head, file);
  free(head);
  return any;
}

/* One file; what writes it returns 0 where there is nothing to write. Returns 0; 1 with the reason on stderr. */
static int write_file(const struct tor_batch *batch, const char *name,
                      int (*write)(const struct tor_batch *batch, FILE *file)) {
  char path[8192];
  snprintf(path, sizeof path, "%s/%s", batch->folder, name);
  FILE *file = tor_folder_create(path);
  if (file && !write(batch, file)) {
    tor_folder_discard(file, path);
    return 0;
  }
  if (file && !tor_folder_commit(file, path)) {
    printf("wrote %s\n", path);
    return 0;
  }
  fprintf(stderr, "torre: %s could not be written: %s\n", path, strerror(errno));
  return 1;
}

int tor_batch_report(const struct tor_batch *batch) {
  print_table(batch);
  return batch->folder ? write_file(batch, "runs.csv", write_runs) + write_file(batch, "spectra.csv", write_spectra)
                       : 0;
}
