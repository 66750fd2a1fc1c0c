/* Numbers of the finished runs: read from their tables, extrapolated, sorted by error. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/table.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/study/study_parts.h"

/* --- Columns of the tables --- */

/* The same table of each run. */
struct tables {
  int n;
  struct tor_table of[TOR_EXTRAPOLATION_CELLS];
};

static void free_tables(struct tables *tables) {
  for (int i = 0; i < tables->n; i++) tor_table_free(&tables->of[i]);
  tables->n = 0;
}

static int has_finite(const double *value, tor_gidx n) {
  for (tor_gidx i = 0; i < n; i++)
    if (isfinite(value[i])) return 1;
  return 0;
}

/* A column that says what another one says better: phases, which jump by 2 pi; powers beside their fraction. */
static int is_left_out(const struct tor_table *table, int column) {
  static const char power[] = "power_J_per_Hz", fraction[] = "fraction";
  const char *name = table->name[column];
  if (tor_study_ends_with(name, "_phase_rad")) return 1;
  if (!tor_study_ends_with(name, power) || column + 1 >= table->ncolumns) return 0;
  const size_t prefix = strlen(name) - strlen(power);
  return !strncmp(table->name[column + 1], name, prefix) && !strcmp(table->name[column + 1] + prefix, fraction) &&
         has_finite(table->value[column + 1], table->nrows);
}

static void add_column(struct tor_study_numbers *numbers, const struct tables *tables, int c, const char *prefix) {
  const struct tor_table *finest = &tables->of[tables->n - 1];
  numbers->column =
      tor_grow(numbers->column, (size_t)numbers->ncolumns + 1, &numbers->capacity, sizeof *numbers->column);
  struct tor_study_column *column = &numbers->column[numbers->ncolumns++];
  *column = (struct tor_study_column){.count = (int)finest->nrows, .worst = -1};
  const size_t n = (size_t)column->count, length = strlen(prefix) + strlen(finest->name[c]) + 2;
  column->name = tor_alloc(length, 1, "names");
  snprintf(column->name, length, "%s%s%s", prefix, *prefix ? "." : "", finest->name[c]);
  column->wavelength = tor_alloc(n, sizeof(double), "spectra");
  column->x = tor_alloc(n, sizeof *column->x, "spectra");
  memcpy(column->wavelength, finest->value[0], n * sizeof(double));
  for (int i = 0; i < tables->n; i++) {
    column->value[i] = tor_alloc(n, sizeof(double), "spectra");
    memcpy(column->value[i], tables->of[i].value[c], n * sizeof(double));
  }
  for (int q = 0; q < column->count; q++) {
    double f[TOR_EXTRAPOLATION_CELLS];
    for (int i = 0; i < tables->n; i++) f[i] = column->value[i][q];
    column->x[q] = tor_extrapolate(tables->n, numbers->cell, f);
  }
}

/* Adds the columns of a table, if the runs have it. Returns 0; or -1 with the reason. */
static int read_table(const struct tor_study *study, const char *file, const char *prefix,
                      struct tor_study_numbers *numbers, char *why, size_t size) {
  struct tables tables = {0};
  int missing = 0, status = 0;
  for (int i = 0; i < study->nruns && !status; i++) {
    if (!study->run[i].finished) continue;
    const int got = tor_study_read_table(&study->run[i], file, &tables.of[tables.n], why, size);
    tables.n += got == 0;
    missing += got > 0;
    if (got < 0) status = -1;
  }
  if (!status && missing && tables.n) {
    snprintf(why, size, "%s/cell-...: not all of them have %s", study->folder, file);
    status = -1;
  }
  for (int i = 1; i < tables.n && !status; i++)
    if (!tor_study_is_same_form(&tables.of[0], &tables.of[i])) {
      snprintf(why, size, "%s/cell-.../%s: columns or wavelengths of the runs differ", study->folder, file);
      status = -1;
    }
  for (int c = 1; tables.n && !status && c < tables.of[0].ncolumns; c++)
    if (!is_left_out(&tables.of[tables.n - 1], c)) add_column(numbers, &tables, c, prefix);
  free_tables(&tables);
  return status;
}

/* --- Errors of a column --- */

/* The part of a name that columns of one scale share: the monitor, and the kind of the number. */
static int kind_length(const char *name) {
  const char *dot = strrchr(name, '.'), *base = dot ? dot + 1 : name;
  const int has_letter = strchr("QCEH", base[0]) && (base[1] == '_' || strchr("xyz", base[1]));
  return (int)(base - name) + (has_letter ? 1 : (int)strlen(base));
}

static double largest(const struct tor_study_numbers *numbers, const struct tor_study_column *column) {
  double most = 0;
  for (int q = 0; q < column->count; q++) {
    const double value = fabs(column->value[numbers->ncells - 1][q]);
    if (isfinite(value)) most = fmax(most, value);
  }
  return most;
}

static void set_scale(const struct tor_study_numbers *numbers, struct tor_study_column *column) {
  const int length = kind_length(column->name);
  for (int i = 0; i < numbers->ncolumns; i++) {
    const struct tor_study_column *other = &numbers->column[i];
    if (kind_length(other->name) == length && !strncmp(column->name, other->name, (size_t)length))
      column->scale = fmax(column->scale, largest(numbers, other));
  }
}

double tor_study_share(const struct tor_study_column *column, int q) {
  if (q < 0) return NAN;
  const double error = column->x[q].error;
  return error > 0 ? (column->scale > 0 ? error / column->scale : HUGE_VAL) : error;
}

static void find_worst(struct tor_study_column *column) {
  for (int q = 0; q < column->count; q++)
    if (!isnan(column->x[q].error) && (column->worst < 0 || column->x[q].error > column->x[column->worst].error))
      column->worst = q;
}

/* Largest errors first; those without one last, else as they were. */
static int by_error(const void *a, const void *b) {
  const struct tor_study_column *x = a, *y = b;
  const double p = x->worst < 0 ? -1 : tor_study_share(x, x->worst),
               q = y->worst < 0 ? -1 : tor_study_share(y, y->worst);
  return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

/* --- All of them --- */

static int read_all(const struct tor_study *study, struct tor_study_numbers *numbers, char *why, size_t size) {
  const struct tor_job *job = &study->run[0].job;
  if (read_table(study, "spectra.csv", "", numbers, why, size)) return -1;
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    char file[160];
    const int probe = m->kind == TOR_PROBE;
    if (!probe && !tor_monitor_is_plane(m) && m->kind != TOR_FLUX_BOX && m->kind != TOR_CROSS_SECTION &&
        m->kind != TOR_FAR_FIELD && m->kind != TOR_DECAY_RATE && m->kind != TOR_ABSORPTION && m->kind != TOR_FORCE &&
        m->kind != TOR_MULTIPOLE && m->kind != TOR_MODE_VOLUME && m->kind != TOR_ENERGY_DENSITY)
      continue;
    snprintf(file, sizeof file, probe ? "%s_spectrum.csv" : "spectra_%s.csv", m->name);
    if (read_table(study, file, probe ? m->name : "", numbers, why, size)) return -1;
  }
  return 0;
}

int tor_study_numbers_read(const struct tor_study *study, struct tor_study_numbers *numbers, char *why, size_t size) {
  *numbers = (struct tor_study_numbers){0};
  for (int i = 0; i < study->nruns; i++)
    if (study->run[i].finished) numbers->cell[numbers->ncells++] = study->run[i].value;
  if (read_all(study, numbers, why, size)) {
    tor_study_numbers_free(numbers);
    return -1;
  }
  for (int i = 0; i < numbers->ncolumns; i++) {
    set_scale(numbers, &numbers->column[i]);
    find_worst(&numbers->column[i]);
  }
  if (numbers->ncolumns) qsort(numbers->column, (size_t)numbers->ncolumns, sizeof *numbers->column, by_error);
  return 0;
}

void tor_study_numbers_free(struct tor_study_numbers *numbers) {
  for (int i = 0; i < numbers->ncolumns; i++) {
    struct tor_study_column *column = &numbers->column[i];
    free(column->name);
    free(column->wavelength);
    free(column->x);
    for (int k = 0; k < numbers->ncells; k++) free(column->value[k]);
  }
  free(numbers->column);
  *numbers = (struct tor_study_numbers){0};
}
