/* Tables of studies of rates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/table.h"
#include "src/base/error.h"
#include "src/study/rates.h"
#include "src/study/study_parts.h"

/* Fields, read and written once a step and for as many neighbours by the stepwise engine: 18 values a cell. A tower of
 * R = s DTS loads and stores 4 tiles of 6 values for DTS of them. */
double tor_rates_bytes(const struct tor_rates *study, const struct tor_rates_point *point) {
  const int reach = study->job.order == 4 ? 3 : 1;
  if (!(point->value > 0)) return 18.0 * study->job.precision;
  return 24.0 * study->job.precision * reach / tor_rates_half_width(study);
}

/* Speed-up against the first finished point, per rank of that. */
static double gain(const struct tor_rates *study, double rate, int predicted) {
  for (int i = 0; i < study->npoints; i++) {
    const struct tor_rates_point *p = &study->point[i];
    const double one = predicted ? p->predicted : p->finished ? p->filled : (double)NAN;
    if (one > 0) return rate / one * p->px * p->py;
  }
  return NAN;
}

enum { COLUMNS = 14 };
static const char *const column_names[COLUMNS][2] = {{"value", ""},
                                                     {"ranks", ""},
                                                     {"cells x", ""},
                                                     {"cells y", ""},
                                                     {"cells z", ""},
                                                     {"TH", ""},
                                                     {"DTS", ""},
                                                     {"steps", ""},
                                                     {"seconds", "s"},
                                                     {"rate", "Gcells/s"},
                                                     {"rate filled", "Gcells/s"},
                                                     {"speed-up", ""},
                                                     {"predicted", "Gcells/s"},
                                                     {"predicted speed-up", ""}};

static void put(const struct tor_rates *study, const struct tor_rates_point *p, double v[COLUMNS]) {
  const double row[COLUMNS] = {p->value,
                               (double)p->px * p->py,
                               (double)p->n[0],
                               (double)p->n[1],
                               (double)p->n[2],
                               p->th,
                               p->dts,
                               p->steps,
                               p->finished ? p->seconds : (double)NAN,
                               p->finished ? p->rate * 1e-9 : (double)NAN,
                               p->finished ? p->filled * 1e-9 : (double)NAN,
                               p->finished ? gain(study, p->filled, 0) : (double)NAN,
                               p->predicted * 1e-9,
                               gain(study, p->predicted, 1)};
  memcpy(v, row, sizeof row);
}

static int write_csv(const struct tor_rates *study) {
  double value[COLUMNS][TOR_RATES_POINTS], row[COLUMNS];
  struct tor_table_column columns[COLUMNS];
  char path[4200];
  for (int i = 0; i < study->npoints; i++) {
    put(study, &study->point[i], row);
    for (int c = 0; c < COLUMNS; c++) value[c][i] = row[c];
  }
  for (int c = 0; c < COLUMNS; c++)
    columns[c] = (struct tor_table_column){column_names[c][0], column_names[c][1], value[c]};
  snprintf(path, sizeof path, "%s/study.csv", study->folder);
  return tor_study_end_file("torre study", path, tor_table_write(path, columns, COLUMNS, study->npoints), NULL);
}

static void print_number(double value, const char *format) {
  char text[32] = "-";
  if (isfinite(value)) snprintf(text, sizeof text, format, value);
  printf(" %10s", text);
}

int tor_rates_report(struct tor_rates *study) {
  printf("%10s %8s %22s %6s %4s %10s %10s %10s %10s %10s\n", "", "ranks", "cells", "TH", "DTS", "s", "Gcells/s",
         "filled", "speed-up", "predicted");
  for (int i = 0; i < study->npoints; i++) {
    const struct tor_rates_point *p = &study->point[i];
    char cells[64], name[32] = "stepwise";
    double v[COLUMNS];
    put(study, p, v);
    if (p->value > 0) snprintf(name, sizeof name, "%g", p->value);
    snprintf(cells, sizeof cells, "%lld x %lld x %lld", (long long)p->n[0], (long long)p->n[1], (long long)p->n[2]);
    printf("%10s %8d %22s %6d %4d", name, p->px * p->py, cells, p->th, p->dts);
    for (int c = 8; c < 13; c++) print_number(v[c], c == 8 ? "%.2f" : "%.4g");
    printf("\n");
  }
  const double towers = study->options->kind == TOR_STUDY_TOWERS ? tor_rates_hiding_towers(study) : (double)NAN;
  if (isfinite(towers))
    printf("by the model an exchange along y is hidden with more than %.0f towers of a row on a device\n", towers);
  return write_csv(study) + tor_rates_plot(study);
}
