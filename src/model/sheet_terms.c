/* Terms of sheets: see sheet_terms.h. */
#include "src/model/sheet_terms.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/job/sheet.h"

void tor_sheet_terms_init(struct tor_sheet_terms *t, int nfields, size_t size) {
  *t = (struct tor_sheet_terms){.nfields = nfields, .size = size};
  t->value = tor_alloc(2 * (size_t)nfields * size, sizeof *t->value, "source");
  t->norm = tor_alloc((size_t)nfields, sizeof *t->norm, "source");
  t->factor = tor_alloc((size_t)nfields * TOR_SHEET_MOST_TERMS, sizeof *t->factor, "source");
}

void tor_sheet_terms_free(struct tor_sheet_terms *t) {
  for (int m = 0; m < t->count; m++) free(t->profile[m]);
  free(t->value);
  free(t->norm);
  free(t->factor);
  *t = (struct tor_sheet_terms){0};
}

static double product(const double *a, const double *b, size_t size) {
  double sum = 0;
  for (size_t i = 0; i < size; i++) sum += a[i] * b[i];
  return sum;
}

static void subtract(double *from, double factor, const double *what, size_t size) {
  for (size_t i = 0; i < size; i++) from[i] -= factor * what[i];
}

/* The largest error of a field, and the one of its two parts that has most of it. */
static double find_worst(const struct tor_sheet_terms *t, const double **part) {
  double worst = 0;
  for (int f = 0; f < t->nfields; f++) {
    if (!(t->norm[f] > 0)) continue;
    const double *re = t->value + 2 * (size_t)f * t->size, *im = re + t->size;
    const double r = product(re, re, t->size), i = product(im, im, t->size), error = sqrt(r + i) / t->norm[f];
    if (error <= worst) continue;
    worst = error;
    *part = r > i ? re : im;
  }
  return worst;
}

/* One more profile, a part of a field that the present ones do not have. */
static void add_profile(struct tor_sheet_terms *t, const double *part) {
  const size_t size = t->size;
  double *profile = t->profile[t->count] = tor_alloc(size, sizeof *profile, "source");
  memcpy(profile, part, size * sizeof *profile);
  for (int m = 0; m < t->count; m++) /* what rounding has left of them */
    subtract(profile, product(profile, t->profile[m], size), t->profile[m], size);
  const double norm = sqrt(product(profile, profile, size));
  for (size_t i = 0; i < size; i++) profile[i] /= norm;
#pragma omp parallel for schedule(static)
  for (int f = 0; f < t->nfields; f++) {
    double *re = t->value + 2 * (size_t)f * size, *im = re + size;
    const double r = product(re, profile, size), i = product(im, profile, size);
    subtract(re, r, profile, size);
    subtract(im, i, profile, size);
    t->factor[f * TOR_SHEET_MOST_TERMS + t->count] = CMPLX(r, i);
  }
  t->count++;
}

double tor_sheet_terms_find(struct tor_sheet_terms *t, double good) {
  for (int f = 0; f < t->nfields; f++) {
    const double *both = t->value + 2 * (size_t)f * t->size;
    t->norm[f] = sqrt(product(both, both, 2 * t->size));
  }
  for (;;) {
    const double *part = NULL;
    const double worst = find_worst(t, &part);
    if (worst <= good || t->count == TOR_SHEET_MOST_TERMS) return worst;
    add_profile(t, part);
  }
}
