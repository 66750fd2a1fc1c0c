/* What an ensemble of dipoles says: means of powers on stdout and in tables of the names that those of a run have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "io/files/table.h"
#include "io/hdf5/h5.h"
#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/json.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/results/picture.h"
#include "src/study/ensemble.h"
#include "src/study/study_parts.h"

enum { MOST_LINES = 40, MOST_SERIES = 9 };

/* A column of all runs' tables: at each place its mean over directions, by their weights. */
struct number {
  char *name;
  double *value;        /* [rows][places] */
  double *mean, *error; /* [rows]; standard errors of the means */
};

/* One table of a run. */
struct sums {
  const char *file; /* "spectra.csv" */
  int places, exact;
  tor_gidx rows;
  int nkeys; /* columns of the table by which rows are named */
  struct tor_table key;
  int count;
  size_t capacity;
  struct number *number;
};

/* --- Reading --- */

static int begins_with(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Whether powers of several dipoles add up in it: no amplitude, no phase, nothing over a mean that each run has of its
 * own. far: of a far field's table. */
static int is_power(const char *name, int far) {
  if (far) return begins_with(name, "power_");
  const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
  return !tor_study_ends_with(last, "_phase_rad") && !begins_with(last, "E_") && !begins_with(last, "H_") &&
         !begins_with(last, "directivity");
}

/* Whether all runs of a place are finished. */
static int is_whole(const struct tor_study *study, int place, int each) {
  for (int k = 0; k < each; k++)
    if (!study->run[place * each + k].finished) return 0;
  return 1;
}

static int each_place(const struct tor_study *study) {
  return study->nruns / tor_ensemble_places(&study->run[0].job.ensemble);
}

static struct number *add_number(struct sums *s, const char *name) {
  s->number = tor_grow(s->number, (size_t)s->count + 1, &s->capacity, sizeof *s->number);
  struct number *to = &s->number[s->count++];
  to->name = tor_strdup(name);
  to->value = tor_alloc((size_t)(s->rows * s->places) + 1, sizeof *to->value, "ensemble");
  to->mean = tor_alloc((size_t)s->rows + 1, sizeof *to->mean, "ensemble");
  to->error = tor_alloc((size_t)s->rows + 1, sizeof *to->error, "ensemble");
  return to;
}

static void set_mean(struct number *n, tor_gidx row, struct tor_ensemble_mean mean) {
  n->mean[row] = mean.value;
  n->error[row] = mean.error;
}

/* The table of the first run gives names and keys. */
static void begin(struct sums *s, const struct tor_table *t, int far) {
  s->rows = t->nrows;
  s->nkeys = 1;
  while (far && s->nkeys < t->ncolumns && tor_study_ends_with(t->name[s->nkeys], "_deg")) s->nkeys++;
  for (int c = s->nkeys; c < t->ncolumns; c++)
    if (is_power(t->name[c], far)) add_number(s, t->name[c]);
}

static void add_table(struct sums *s, const struct tor_table *t, int place, double share, int far) {
  for (int c = s->nkeys, n = 0; c < t->ncolumns && n < s->count; c++) {
    if (!is_power(t->name[c], far)) continue;
    struct number *to = &s->number[n++];
    for (tor_gidx row = 0; row < s->rows; row++) to->value[row * s->places + place] += share * t->value[c][row];
  }
}

/* Returns 0, also where no run has the file (places 0 then); or -1 with the reason. */
static int read_sums(const struct tor_study *study, const char *file, int far, struct sums *s, char *why, size_t size) {
  const int each = each_place(study), all = study->nruns / each;
  int at = 0;
  *s = (struct sums){.file = file};
  for (int p = 0; p < all; p++) s->places += is_whole(study, p, each);
  for (int p = 0; p < all; p++) {
    double weight = 0;
    if (!is_whole(study, p, each)) continue;
    for (int k = 0; k < each; k++) weight += study->run[p * each + k].value;
    for (int k = 0; k < each; k++) {
      const struct tor_study_run *run = &study->run[p * each + k];
      const int first = !s->key.ncolumns;
      struct tor_table table;
      const int got = tor_study_read_table(run, file, &table, why, size);
      if (got > 0 && first) s->places = 0;
      if (got) return got > 0 && first ? 0 : -1;
      if (first) begin(s, &table, far);
      const int same = first || tor_study_is_same_form(&s->key, &table);
      if (same) add_table(s, &table, at, run->value / weight, far);
      if (first)
        s->key = table;
      else
        tor_table_free(&table);
      if (same) continue;
      snprintf(why, size, "%s/%s: other columns or rows than in the runs before it", run->job.output, file);
      return -1;
    }
    at++;
  }
  return 0;
}

static void free_sums(struct sums *s) {
  for (int i = 0; i < s->count; i++) {
    free(s->number[i].name);
    free(s->number[i].value);
    free(s->number[i].mean);
    free(s->number[i].error);
  }
  free(s->number);
  if (s->key.ncolumns) tor_table_free(&s->key);
}

/* --- Means --- */

/* The power of the only decay rate, by which others are divided; -1: there is none, or several. */
static int find_rate(const struct tor_study *study, const struct sums *s) {
  const struct tor_job *job = &study->run[0].job;
  int found = -1, rates = 0;
  for (int m = 0; m < job->nmonitors; m++) {
    char name[256];
    if (job->monitors[m].kind != TOR_DECAY_RATE) continue;
    rates++;
    snprintf(name, sizeof name, "%s.power_J_per_Hz", job->monitors[m].name);
    for (int i = 0; i < s->count; i++)
      if (begins_with(s->number[i].name, name)) found = i;
  }
  return rates == 1 ? found : -1;
}

/* What other powers are of what the dipoles give off: mean over mean, and the mean of the parts of all places. */
static void add_parts(const struct tor_study *study, struct sums *s) {
  const int rate = find_rate(study, s), count = s->count;
  for (int i = 0; i < count && rate >= 0; i++) {
    const char *dot = strrchr(s->number[i].name, '.');
    char name[256];
    if (i == rate || !dot || !begins_with(dot, ".power_J_per_Hz")) continue;
    const int monitor = (int)(dot - s->number[i].name);
    for (int k = 0; k < 2; k++) {
      snprintf(name, sizeof name, k ? "%.*s.part_each" : "%.*s.part", monitor, s->number[i].name);
      struct number *to = add_number(s, name);
      const double *above = s->number[i].value, *below = s->number[rate].value;
      for (tor_gidx at = 0; at < s->rows * s->places; at++) to->value[at] = above[at] / below[at];
      for (tor_gidx row = 0; row < s->rows; row++) {
        const tor_gidx at = row * s->places;
        set_mean(to, row,
                 k ? tor_ensemble_mean(to->value + at, s->places, s->exact)
                   : tor_ensemble_ratio(above + at, below + at, s->places, s->exact));
      }
    }
  }
}

static void find_means(const struct tor_study *study, struct sums *s) {
  const struct tor_ensemble_job *e = &study->run[0].job.ensemble;
  s->exact = e->lo[0] == e->hi[0] && e->lo[1] == e->hi[1] && e->lo[2] == e->hi[2];
  for (int i = 0; i < s->count; i++)
    for (tor_gidx row = 0; row < s->rows; row++)
      set_mean(&s->number[i], row, tor_ensemble_mean(s->number[i].value + row * s->places, s->places, s->exact));
  add_parts(study, s);
}

/* --- Reports --- */

/* Whether a number is a power whose fraction follows it. */
static int has_fraction(const struct sums *s, int i) {
  const char *name = s->number[i].name, *dot = strrchr(name, '.');
  const size_t length = dot ? (size_t)(dot + 1 - name) : 0; /* of the monitor's name and the dot, where it has one */
  if (!begins_with(name + length, "power_J_per_Hz") || i + 1 == s->count) return 0;
  return !strncmp(s->number[i + 1].name, name, length) && !strcmp(s->number[i + 1].name + length, "fraction");
}

static void print(const struct tor_study *study, const struct sums *s) {
  int width = 6, lines = 0, more = 0;
  for (int i = 0; i < s->count; i++)
    if ((int)strlen(s->number[i].name) > width) width = (int)strlen(s->number[i].name);
  printf("\nmeans over %d place%s; +-: standard error. All: %s/%s\n\n%-*s %9s %13s %10s\n", s->places,
         s->places > 1 ? "s" : "", study->folder, s->file, width, "number", "at [nm]", "mean", "+-");
  for (int i = 0; i < s->count; i++)
    for (tor_gidx row = 0; row < s->rows; row++) {
      const struct number *n = &s->number[i];
      if (has_fraction(s, i)) continue;
      if (lines++ < MOST_LINES)
        printf("%-*s %9.6g %13.6g %10.2g\n", width, n->name, s->key.value[0][row], n->mean[row], n->error[row]);
      else
        more++;
    }
  if (more) printf("... and %d more\n", more);
}

/* The table, with a column of errors beside each. Returns the number of files that could not be written. */
static int write_table(const struct tor_study *study, const struct sums *s) {
  const int most = s->nkeys + 2 * s->count;
  struct tor_table_column *column = tor_alloc((size_t)most, sizeof *column, "ensemble");
  char **name = tor_alloc((size_t)s->count + 1, sizeof *name, "ensemble"), path[4096];
  int n = 0;
  for (; n < s->nkeys; n++) column[n] = (struct tor_table_column){s->key.name[n], NULL, s->key.value[n]};
  for (int i = 0; i < s->count; i++) {
    const size_t length = strlen(s->number[i].name) + sizeof "_error";
    name[i] = tor_alloc(length, 1, "ensemble");
    snprintf(name[i], length, "%s_error", s->number[i].name);
    column[n++] = (struct tor_table_column){s->number[i].name, NULL, s->number[i].mean};
    column[n++] = (struct tor_table_column){name[i], NULL, s->number[i].error};
  }
  snprintf(path, sizeof path, "%s/%s", study->folder, s->file);
  const int failed = tor_study_end_file("torre study", path, tor_table_write(path, column, n, s->rows), NULL);
  for (int i = 0; i < s->count; i++) free(name[i]);
  free(name);
  free(column);
  return failed;
}

/* --- ensemble.h5 --- */

/* Places in the order of the values, [places][3]. */
static void places_h5(const struct tor_study *study, int places, struct tor_h5 *h5) {
  const int each = each_place(study), all = study->nruns / each;
  const tor_gidx dims[2] = {places, 3};
  double *x = tor_alloc((size_t)places * 3 + 1, sizeof *x, "ensemble");
  for (int p = 0, at = 0; p < all; p++)
    if (is_whole(study, p, each)) tor_ensemble_place(&study->run[0].job.ensemble, p, x + 3 * (tor_gidx)at++);
  tor_h5_write(h5, "/place", TOR_H5_DOUBLE, 2, dims, x, "m", "places of the dipoles; [place][x, y, z]");
  free(x);
}

/* /TABLE/KEY and /TABLE/NUMBER/mean, error, places. */
static void sums_h5(const struct sums *s, struct tor_h5 *h5) {
  const tor_gidx rows = s->rows, dims[2] = {s->rows, s->places};
  char path[1024];
  const int stem = (int)strcspn(s->file, ".");
  for (int c = 0; c < s->nkeys; c++) {
    snprintf(path, sizeof path, "/%.*s/%s", stem, s->file, s->key.name[c]);
    tor_h5_write(h5, path, TOR_H5_DOUBLE, 1, &rows, s->key.value[c], NULL, "of each row");
  }
  for (int i = 0; i < s->count; i++) {
    const struct number *n = &s->number[i];
    for (int k = 0; k < 2; k++) {
      snprintf(path, sizeof path, "/%.*s/%s/%s", stem, s->file, n->name, k ? "error" : "mean");
      tor_h5_write(h5, path, TOR_H5_DOUBLE, 1, &rows, k ? n->error : n->mean, NULL,
                   k ? "standard error of the mean" : "mean of places");
    }
    snprintf(path, sizeof path, "/%.*s/%s/places", stem, s->file, n->name);
    tor_h5_write(h5, path, TOR_H5_DOUBLE, 2, dims, n->value, NULL, "[row][place], mean of the directions");
  }
}

static int write_h5(const struct tor_study *study, const struct sums *s, int count) {
  char path[4096];
  snprintf(path, sizeof path, "%s/ensemble.h5", study->folder);
  struct tor_h5 *h5 = tor_h5_create(path);
  if (!h5) return tor_study_end_file("torre study", path, -1, tor_h5_error());
  int any = 0;
  for (int i = 0; i < count; i++) {
    if (!s[i].places) continue;
    if (!any++) places_h5(study, s[i].places, h5);
    sums_h5(&s[i], h5);
  }
  const int status = tor_h5_close(h5);
  return tor_study_end_file("torre study", path, status, tor_h5_error());
}

/* --- study.json, ensemble.png --- */

static int write_json(const struct tor_study *study, const struct sums *s) {
  const int each = each_place(study);
  char path[4096];
  snprintf(path, sizeof path, "%s/study.json", study->folder);
  FILE *f = tor_folder_create(path);
  if (!f) return tor_study_end_file("torre study", path, -1, NULL);
  tor_study_begin_json(f, study);
  fprintf(f, ",\n  \"places\": %d, \"directions\": %d,\n  \"runs\": [", s->places, each);
  for (int i = 0; i < study->nruns; i++) {
    double x[3];
    tor_ensemble_place(&study->run[0].job.ensemble, i / each, x);
    fprintf(f, "%s\n    {\"place_m\": [%.12g, %.12g, %.12g], \"weight\": %.9g, \"finished\": %s, \"folder\": ",
            i ? "," : "", x[0], x[1], x[2], study->run[i].value, study->run[i].finished ? "true" : "false");
    tor_json_string(f, study->run[i].job.output);
    fputs("}", f);
  }
  fprintf(f, "\n  ]\n}\n");
  return tor_study_end_file("torre study", path, tor_folder_commit(f, path), NULL);
}

/* Fractions and parts over the wavelength. */
static int draw(const struct tor_study *study, const struct sums *s) {
  struct tor_image_series series[MOST_SERIES];
  double *x = tor_alloc((size_t)s->rows + 1, sizeof *x, "picture");
  char xlabel[32], path[4096];
  int n = 0, failed = 0;
  for (tor_gidx row = 0; row < s->rows; row++) x[row] = s->key.value[0][row] * 1e-9 / study->unit;
  for (int i = 0; i < s->count && n < MOST_SERIES; i++) {
    const char *dot = strrchr(s->number[i].name, '.'), *last = dot ? dot + 1 : s->number[i].name;
    if (strcmp(last, "fraction") && strcmp(last, "part")) continue;
    series[n++] =
        (struct tor_image_series){.label = s->number[i].name, .n = (int)s->rows, .x = x, .y = s->number[i].mean};
  }
  snprintf(xlabel, sizeof xlabel, "wavelength [%s]", tor_picture_unit(&study->run[0].job));
  const struct tor_image_plot plot = {.title = *study->title ? study->title : NULL,
                                      .xlabel = xlabel,
                                      .ylabel = "mean of the dipoles",
                                      .nseries = n,
                                      .series = series};
  snprintf(path, sizeof path, "%s/ensemble.png", study->folder);
  if (n && s->rows > 2 && tor_image_version())
    failed = tor_study_end_file("torre study", path, tor_image_lines(path, &plot), NULL);
  free(x);
  return failed;
}

/* --- All --- */

/* Reads, prints and writes table number `at`; returns the files that could not be written, or -1. */
static int report_one(const struct tor_study *study, const char *file, int far, struct sums *s) {
  char why[8192];
  if (read_sums(study, file, far, s, why, sizeof why)) {
    fprintf(stderr, "torre study: %s\n", why);
    return -1;
  }
  if (!s->places || !s->count) return 0;
  find_means(study, s);
  if (!far) print(study, s);
  return write_table(study, s);
}

int tor_study_ensemble_report(const struct tor_study *study) {
  const struct tor_job *job = &study->run[0].job;
  const int most = 1 + 2 * job->nmonitors;
  struct sums *s = tor_alloc((size_t)most, sizeof *s, "ensemble");
  char(*file)[160] = tor_alloc((size_t)most, sizeof *file, "ensemble");
  int failed = 0, n = 0;
  snprintf(file[0], sizeof file[0], "spectra.csv");
  int status = report_one(study, file[0], 0, &s[n++]);
  for (int m = 0; m < job->nmonitors && status >= 0; m++)
    for (int far = 0; far < 1 + (job->monitors[m].kind == TOR_FAR_FIELD) && status >= 0; far++) {
      failed += status;
      snprintf(file[n], sizeof file[n], far ? "%s_far.csv" : "spectra_%s.csv", job->monitors[m].name);
      status = report_one(study, file[n], far, &s[n]);
      n++;
    }
  if (status >= 0) failed += status + write_h5(study, s, n) + write_json(study, &s[0]);
  if (status >= 0 && s[0].places) failed += draw(study, &s[0]);
  for (int i = 0; i < n; i++) free_sums(&s[i]);
  free(file);
  free(s);
  return status < 0 ? 1 : failed;
}
