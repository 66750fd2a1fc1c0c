/* What a study of cells says: on the terminal, in study.csv and study.json. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "src/base/error.h"
#include "src/base/json.h"
#include "src/study/study_parts.h"
#include "tor_version.h"

enum { FORMAT = 1, MOST_LINES = 30, MOST_CELLS = 5 };

/* --- Summary --- */

static int rising(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *value, size_t n) {
  if (!n) return NAN;
  qsort(value, n, sizeof *value, rising);
  return n % 2 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}

/* Of all numbers. */
struct summary {
  size_t count, kind[TOR_EXTRAPOLATION_NONE], none;
  size_t norders, nshares;
  double *order, *share; /* [count] room; median() sorts them */
};

static void sum_up(const struct tor_study_numbers *numbers, struct summary *s) {
  *s = (struct summary){0};
  for (int i = 0; i < numbers->ncolumns; i++) s->count += (size_t)numbers->column[i].count;
  s->order = tor_alloc(s->count + 1, sizeof *s->order, "summary");
  s->share = tor_alloc(s->count + 1, sizeof *s->share, "summary");
  for (int i = 0; i < numbers->ncolumns; i++)
    for (int q = 0; q < numbers->column[i].count; q++) {
      const struct tor_extrapolation *x = &numbers->column[i].x[q];
      if (x->kind == TOR_EXTRAPOLATION_NONE) {
        s->none++;
        continue;
      }
      s->kind[x->kind]++;
      s->share[s->nshares++] = tor_study_share(&numbers->column[i], q);
      if (x->kind == TOR_EXTRAPOLATION_FITTED && isfinite(x->order)) s->order[s->norders++] = x->order;
    }
}

static void print_summary(const struct tor_study *study, const struct tor_study_numbers *numbers) {
  struct summary s;
  sum_up(numbers, &s);
  printf("\nerrors of %zu numbers, from cells of ", s.count);
  for (int i = 0; i < numbers->ncells; i++)
    printf("%s%g", !i ? "" : i < numbers->ncells - 1 ? ", " : " and ", numbers->cell[i]);
  printf(" %s\n", tor_study_unit(study));
  if (s.nshares) {
    const struct tor_study_column *worst = &numbers->column[0];
    printf("  the largest: %.2g %% (%s at %g nm); the median: %.2g %%\n", 100 * tor_study_share(worst, worst->worst),
           worst->name, worst->wavelength[worst->worst], 100 * median(s.share, s.nshares));
  }
  if (s.kind[TOR_EXTRAPOLATION_FITTED])
    printf("  %zu extrapolated by a fitted order, median %.2g\n", s.kind[TOR_EXTRAPOLATION_FITTED],
           median(s.order, s.norders));
  const size_t two = s.kind[TOR_EXTRAPOLATION_TWO_TERMS], assumed = s.kind[TOR_EXTRAPOLATION_ASSUMED],
               spread = s.kind[TOR_EXTRAPOLATION_SPREAD], slow = s.kind[TOR_EXTRAPOLATION_SLOW];
  if (two) printf("  %zu extrapolated by two terms, of orders 1 and 2\n", two);
  if (assumed)
    printf("  %zu extrapolated by order 2, which two cells cannot test: a third one gives the order\n", assumed);
  if (spread)
    printf("  %zu %s with the cell: not extrapolated, the error is the spread%s\n", spread,
           spread == 1 ? "rises and falls" : "rise and fall",
           numbers->ncells == 3 ? ", or what a turn would make; a fourth cell shows which" : "");
  if (slow)
    printf("  %zu hardly %s: not extrapolated, the error is large; need smaller cells\n", slow,
           slow == 1 ? "converges" : "converge");
  if (s.none) printf("  %zu not finite\n", s.none);
  free(s.order);
  free(s.share);
}

/* --- Table --- */

void tor_study_print(const struct tor_study *study, const struct tor_study_numbers *numbers) {
  if (!numbers->ncolumns) {
    printf("\nthe runs have no spectra: need a monitor such as flux, flux_box, cross_section, or a probe with "
           "wavelengths\n");
    return;
  }
  print_summary(study, numbers);
  const int first = numbers->ncells > MOST_CELLS ? numbers->ncells - MOST_CELLS : 0;
  int width = 6, lines = 0;
  for (int i = 0; i < numbers->ncolumns; i++)
    if (i < MOST_LINES && (int)strlen(numbers->column[i].name) > width) width = (int)strlen(numbers->column[i].name);
  printf("\nThe number of each kind with the largest error; %% of the largest of its kind. All: %s/study.csv\n\n",
         study->folder);
  printf("%-*s %8s", width, "number", "at [nm]");
  for (int i = first; i < numbers->ncells; i++) {
    char text[32];
    snprintf(text, sizeof text, "%g %s", numbers->cell[i], tor_study_unit(study));
    printf(" %12s", text);
  }
  printf(" %12s %9s %8s %5s\n", "extrapolated", "+-", "error", "order");
  for (; lines < numbers->ncolumns && lines < MOST_LINES; lines++) {
    const struct tor_study_column *c = &numbers->column[lines];
    if (c->worst < 0) continue;
    const struct tor_extrapolation *x = &c->x[c->worst];
    printf("%-*s %8g", width, c->name, c->wavelength[c->worst]);
    for (int i = first; i < numbers->ncells; i++) printf(" %12.6g", c->value[i][c->worst]);
    if (x->kind < TOR_EXTRAPOLATION_SLOW)
      printf(" %12.6g", x->value);
    else
      printf(" %12s", tor_extrapolation_name(x->kind));
    printf(" %9.2g %6.2g %%", x->error, 100 * tor_study_share(c, c->worst));
    if (isfinite(x->order))
      printf(" %5.2g\n", x->order);
    else
      printf(" %5s\n", x->kind == TOR_EXTRAPOLATION_TWO_TERMS ? "1, 2" : "-");
  }
  if (numbers->ncolumns > lines) printf("... and %d more kinds\n", numbers->ncolumns - lines);
  printf("\n");
}

/* --- Files --- */

static int end_file(FILE *file, const char *path) {
  int status = -1;
  if (file && ferror(file))
    tor_folder_discard(file, path);
  else if (file)
    status = tor_folder_commit(file, path);
  return -tor_study_end_file("torre study", path, status, NULL);
}

/* The error of the finest run's own value. */
static double finest_error(const struct tor_study_numbers *numbers, const struct tor_study_column *c, int q) {
  return fabs(c->value[numbers->ncells - 1][q] - c->x[q].value) + c->x[q].error;
}

int tor_study_write_csv(const struct tor_study *study, const struct tor_study_numbers *numbers) {
  char path[4096];
  snprintf(path, sizeof path, "%s/study.csv", study->folder);
  FILE *f = tor_folder_create(path);
  if (!f) return end_file(f, path);
  fprintf(f, "number,wavelength_nm");
  for (int i = 0; i < numbers->ncells; i++) fprintf(f, ",cell_%g_%s", numbers->cell[i], tor_study_unit(study));
  fprintf(f, ",extrapolated,error,error_of_largest,error_of_finest,order,method\n");
  for (int i = 0; i < numbers->ncolumns; i++)
    for (int q = 0; q < numbers->column[i].count; q++) {
      const struct tor_study_column *c = &numbers->column[i];
      const struct tor_extrapolation *x = &c->x[q];
      fprintf(f, "%s,%.9g", c->name, c->wavelength[q]);
      for (int k = 0; k < numbers->ncells; k++) fprintf(f, ",%.9g", c->value[k][q]);
      fprintf(f, ",%.9g,%.3g,%.3g,%.3g,%.3g,%s\n", x->value, x->error, tor_study_share(c, q),
              finest_error(numbers, c, q), x->order, tor_extrapolation_name(x->kind));
    }
  return end_file(f, path);
}

static void json_member(FILE *f, const char *name, double value) {
  fprintf(f, ", \"%s\": ", name);
  tor_json_number(f, value);
}

static void json_number(FILE *f, const struct tor_study_numbers *numbers, const struct tor_study_column *c, int q) {
  const struct tor_extrapolation *x = &c->x[q];
  fprintf(f, "    {\"number\": ");
  tor_json_string(f, c->name);
  json_member(f, "wavelength_nm", c->wavelength[q]);
  fprintf(f, ", \"values\": [");
  for (int k = 0; k < numbers->ncells; k++) {
    if (k) fprintf(f, ", ");
    tor_json_number(f, c->value[k][q]);
  }
  fprintf(f, "]");
  json_member(f, "extrapolated", x->value);
  json_member(f, "error", x->error);
  json_member(f, "error_of_largest", tor_study_share(c, q));
  json_member(f, "error_of_finest", finest_error(numbers, c, q));
  json_member(f, "order", x->order);
  fprintf(f, ", \"method\": \"%s\"}", tor_extrapolation_name(x->kind));
}

int tor_study_write_json(const struct tor_study *study, const struct tor_study_numbers *numbers) {
  char path[4096];
  const char *between = "\n";
  snprintf(path, sizeof path, "%s/study.json", study->folder);
  FILE *f = tor_folder_create(path);
  if (!f) return end_file(f, path);
  fprintf(
      f,
      "{\n  \"format_version\": %d,\n  \"program\": {\"name\": \"torre\", \"version\": \"%s\", \"source\": \"%s\"},\n",
      FORMAT, TOR_VERSION, TOR_GIT_HASH);
  fprintf(f, "  \"study\": \"%s\", \"hash\": \"%016" PRIx64 "\",\n  \"job_file\": ", study->name, study->hash);
  tor_json_string(f, study->options->job);
  fprintf(f, ",\n  \"title\": ");
  tor_json_string(f, study->title);
  fprintf(f, ",\n  \"unit\": \"%s\",\n  \"runs\": [", tor_study_unit(study));
  for (int i = 0; i < study->nruns; i++) {
    if (!study->run[i].finished) continue;
    fprintf(f, "%s    {\"cell\": ", between);
    tor_json_number(f, study->run[i].value);
    fprintf(f, ", \"folder\": ");
    tor_json_string(f, study->run[i].job.output);
    fprintf(f, "}");
    between = ",\n";
  }
  fprintf(f, "\n  ],\n  \"numbers\": [");
  between = "\n";
  for (int i = 0; i < numbers->ncolumns; i++)
    for (int q = 0; q < numbers->column[i].count; q++) {
      fprintf(f, "%s", between);
      json_number(f, numbers, &numbers->column[i], q);
      between = ",\n";
    }
  fprintf(f, "\n  ]\n}\n");
  return end_file(f, path);
}
