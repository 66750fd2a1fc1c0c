/* Fields on a plane from files: see field_file.h. */
#include "src/job/field_file.h"

#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_values.h"
#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/job.h"

enum { MOST_VALUES = 400000000, MOST_WAVELENGTHS = 1000 };

struct reading {
  const char *path, *group;
  int axes;
  struct tor_field_file *to;
  char *why;
  size_t size;
};

/* GROUP/name. */
static void path_in(const struct reading *r, const char *name, char path[256]) {
  const size_t n = strlen(r->group);
  snprintf(path, 256, "%.200s%s%.40s", r->group, n && r->group[n - 1] == '/' ? "" : "/", name);
}

/* Reads GROUP/name. Returns 0 with the reason. */
static int read_set(const struct reading *r, const char *name, int dims, struct tor_h5_values *values) {
  char path[256];
  path_in(r, name, path);
  return !tor_h5_values_read(r->path, path, dims, dims, MOST_VALUES, values, r->why, r->size);
}

static int refuse(const struct reading *r, const char *name, const char *what) {
  char path[256];
  path_in(r, name, path);
  snprintf(r->why, r->size, "\"%.120s\" %s", path, what);
  return 0;
}

/* Wavelengths, as rising frequencies. */
static int read_wavelengths(struct reading *r) {
  struct tor_h5_values v;
  struct tor_field_file *f = r->to;
  if (!read_set(r, "wavelength", 1, &v)) return 0;
  const int n = v.n[0];
  int good = n <= MOST_WAVELENGTHS;
  for (int i = 0; i < n; i++) good = good && v.value[i] > 0;
  if (good) {
    f->nfreq = n;
    f->omega = tor_alloc((size_t)n, sizeof *f->omega, "fields of a file");
    f->row = tor_alloc((size_t)n, sizeof *f->row, "fields of a file");
    for (int i = 0; i < n; i++) {
      int at = i;
      for (; at > 0 && v.value[f->row[at - 1]] < v.value[i]; at--) f->row[at] = f->row[at - 1];
      f->row[at] = i;
    }
    for (int i = 0; i < n; i++) f->omega[i] = 2 * TOR_PI * TOR_C0 / v.value[f->row[i]];
    for (int i = 1; i < n; i++) good = good && f->omega[i] > f->omega[i - 1];
  }
  free(v.value);
  return good || refuse(r, "wavelength", "is unfit, need " TOR_NEEDED("1 to 1000 different wavelengths above 0"));
}

static int read_places(struct reading *r, int number, const int shape[3], struct tor_field_component *c) {
  static const char *const along[3] = {"x", "y", "z"};
  char name[16], what[100];
  for (int a = 0; a < 3; a++) {
    struct tor_h5_values v;
    c->n[a] = 1;
    if (a >= r->axes) {
      c->place[a] = tor_alloc(1, sizeof *c->place[a], "fields of a file");
      continue;
    }
    snprintf(name, sizeof name, "%c%s/%s", "EH"[number / 3], along[number % 3], along[a]);
    if (!read_set(r, name, 1, &v)) return 0;
    c->place[a] = v.value;
    c->n[a] = v.n[0];
    snprintf(what, sizeof what, "has " TOR_FOUND("%d places") ", need " TOR_NEEDED("%d, as spectrum has along %s"),
             v.n[0], shape[a], along[a]);
    if (v.n[0] != shape[a]) return refuse(r, name, what);
    for (int i = 1; i < v.n[0]; i++)
      if (!(v.value[i] > v.value[i - 1])) return refuse(r, name, "has places that do not rise, need rising ones");
  }
  return 1;
}

/* The shape, "[27][1][90][2]". */
static void describe(const struct tor_h5_values *v, char *text, size_t size) {
  size_t at = 0;
  *text = 0;
  for (int d = 0; d < v->ndims && at < size; d++) at += (size_t)snprintf(text + at, size - at, "[%d]", v->n[d]);
}

static int read_component(struct reading *r, int number) {
  struct tor_field_component *c = tor_field_file_component(r->to, number);
  struct tor_h5_values v;
  const char *const between = r->axes == 3 ? "[z][y][x]" : "[y][x]";
  char name[16], found[80], what[200];
  int shape[3] = {1, 1, 1};
  snprintf(name, sizeof name, "%c%c/spectrum", "EH"[number / 3], "xyz"[number % 3]);
  if (!read_set(r, name, r->axes + 2, &v)) return 0;
  for (int a = 0; a < r->axes; a++) shape[a] = v.n[r->axes - a];
  c->value = (double complex *)v.value; /* pairs of real and imaginary parts, as C has complex numbers */
  if (v.n[0] != r->to->nfreq || v.n[v.ndims - 1] != 2) {
    describe(&v, found, sizeof found);
    snprintf(what, sizeof what,
             "has the shape " TOR_FOUND("%s") ", need " TOR_NEEDED("[%d]%s[2]: [wavelength]%s[real, imaginary]"), found,
             r->to->nfreq, between, between);
    return refuse(r, name, what);
  }
  return read_places(r, number, shape, c);
}

static size_t points_of(const struct tor_field_component *c) {
  return (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2];
}

/* Divides by what the run that wrote the fields had. */
static int divide(struct reading *r) {
  static const char *const names[] = {"amplitude", "incident", "moment"};
  struct tor_h5_values v;
  char path[256];
  const char *name = NULL;
  for (int i = 0; i < 3 && !name; i++) {
    path_in(r, names[i], path);
    if (tor_h5_has(r->path, path)) name = names[i];
  }
  if (!name) return 1;
  if (!read_set(r, name, 2, &v)) return 0;
  int good = v.n[0] == r->to->nfreq && v.n[1] == 2;
  for (int row = 0; row < r->to->nfreq && good; row++) {
    const double complex by = CMPLX(v.value[2 * row], v.value[2 * row + 1]);
    good = cabs(by) > 0;
    for (int k = 0; k < 6 && good; k++) {
      const struct tor_field_component *c = tor_field_file_component(r->to, k);
      for (size_t i = 0; i < points_of(c) && c->value; i++) c->value[(size_t)row * points_of(c) + i] /= by;
    }
  }
  free(v.value);
  return good || refuse(r, name, "is unfit, need " TOR_NEEDED("a number other than 0 for each wavelength"));
}

/* FNV-1a over the hashes of all arrays. */
static uint64_t contents_of(struct tor_field_file *f) {
  uint64_t hash = tor_job_hash((const char *)f->omega, (size_t)f->nfreq * sizeof *f->omega);
  for (int k = 0; k < 6; k++) {
    const struct tor_field_component *c = tor_field_file_component(f, k);
    if (!c->value) continue;
    uint64_t part[4] = {tor_job_hash((const char *)c->value, (size_t)f->nfreq * points_of(c) * sizeof *c->value), 0, 0,
                        hash};
    for (int b = 0; b < 3; b++)
      part[b] ^= tor_job_hash((const char *)c->place[b], (size_t)c->n[b] * sizeof *c->place[b]);
    hash = tor_job_hash((const char *)part, sizeof part);
  }
  return hash;
}

void tor_field_file_forget(struct tor_field_file *f) {
  for (int k = 0; k < 6; k++) {
    struct tor_field_component *c = tor_field_file_component(f, k);
    for (int b = 0; b < 3; b++) free(c->place[b]);
    free(c->value);
    *c = (struct tor_field_component){0};
  }
}

static void empty(struct tor_field_file *f) {
  tor_field_file_forget(f);
  free(f->file);
  free(f->group);
  free(f->omega);
  free(f->row);
  *f = (struct tor_field_file){0};
}

void tor_field_file_free(struct tor_field_file *fields) {
  if (fields) empty(fields);
  free(fields);
}

int tor_field_file_read(const char *path, const char *group, int axes, unsigned components,
                        struct tor_field_file *fields, char *why, size_t size) {
  struct reading r = {.path = path, .group = group, .axes = axes, .to = fields, .why = why, .size = size};
  *fields = (struct tor_field_file){0};
  int good = read_wavelengths(&r);
  for (int k = 0; k < 6 && good; k++)
    if (components >> k & 1) good = read_component(&r, k);
  good = good && divide(&r);
  if (good)
    fields->contents = contents_of(fields);
  else
    empty(fields);
  return good ? 0 : -1;
}
