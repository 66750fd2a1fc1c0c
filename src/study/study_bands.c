/* The study of bands: at each wave vector of the path one or several runs with dipoles of its own, and what resonates
 * there. */
#include <complex.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/table.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/study/bands.h"
#include "src/study/study_parts.h"

enum { DIPOLES = 3, PLACES = 2 }; /* of a run: dipoles, records */

/* --- The path --- */

static const char *corner_name(const struct tor_band_job *b, int i) {
  static const char *const name[] = {"Gamma", "X", "Y", "Z", "M", "S", "T", "U", "R"};
  return b->name[i] >= 0 ? name[b->name[i]] : NULL;
}

static void add_k(struct tor_bands *to, const double k[3], const char *name, int corner) {
  struct tor_bands_k *const at = &to->at[to->nk];
  *at = (struct tor_bands_k){.name = name, .corner = corner, .light = NAN};
  for (int a = 0; a < 3; a++) at->k[a] = k[a];
  if (to->nk++) {
    const struct tor_bands_k *before = at - 1;
    at->distance = before->distance + hypot(hypot(k[0] - before->k[0], k[1] - before->k[1]), k[2] - before->k[2]);
  }
}

static void make_path(const struct tor_job *job, struct tor_bands *to) {
  const struct tor_band_job *b = &job->bands;
  const int most = (b->ncorners - 1) * (b->points + 1) + 1;
  *to = (struct tor_bands){.axes = tor_user_axes(job), .period = b->period};
  to->at = tor_alloc((size_t)most, sizeof *to->at, "bands");
  for (int i = 0; i < b->ncorners; i++) {
    const double *here = b->corner[i];
    for (int p = 1; i && p <= b->points; p++) {
      const double *last = b->corner[i - 1], part = (double)p / (b->points + 1);
      double k[3];
      for (int a = 0; a < 3; a++) k[a] = last[a] + part * (here[a] - last[a]);
      add_k(to, k, NULL, 0);
    }
    add_k(to, here, corner_name(b, i), 1);
  }
}

/* "0.5, 0.25" */
static void k_text(const struct tor_bands *bands, int i, const char *between, char *text, size_t size) {
  *text = 0;
  for (int a = 0; a < bands->axes; a++) {
    const size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%.6g", a ? between : "", bands->at[i].k[a] + 0.0);
  }
}

/* --- What each run has: overrides --- */

struct text {
  char *at;
  size_t used, capacity;
};

static void put(struct text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char piece[256];
  const int n = vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  t->at = tor_grow(t->at, t->used + (size_t)n + 1, &t->capacity, 1);
  memcpy(t->at + t->used, piece, (size_t)n + 1);
  t->used += (size_t)n;
}

/* Where dipoles and records go along an axis of the job [m]: the cell of a periodic one, else where there are objects
 * that do not reach from end to end, off the absorbing layers. */
static void find_room(const struct tor_job *job, int a, double room[2]) {
  const double half = 0.5 * job->size[a];
  room[0] = INFINITY;
  room[1] = -INFINITY;
  for (int i = 0; i < job->nobjects && job->boundary[2 * a].wall != TOR_PERIODIC; i++) {
    double lo[3], hi[3];
    tor_object_bounds(&job->objects[i], lo, hi);
    if (lo[a] > half || hi[a] < -half || (lo[a] < -half && hi[a] > half)) continue;
    room[0] = fmin(room[0], lo[a]);
    room[1] = fmax(room[1], hi[a]);
  }
  const double layer[2] = {tor_boundary_layer(&job->boundary[2 * a]) * job->cell[a],
                           tor_boundary_layer(&job->boundary[2 * a + 1]) * job->cell[a]};
  const double inner[2] = {-half + 1.1 * layer[0], half - 1.1 * layer[1]};
  room[0] = room[0] <= room[1] ? fmax(room[0], inner[0]) : inner[0];
  room[1] = room[1] > room[0] ? fmin(room[1], inner[1]) : inner[1];
}

/* Place number i, "[x, y]" in the job's unit: a sequence that fills the cell evenly, each place without symmetry. */
static void put_place(struct text *t, const struct tor_job *job, int i) {
  static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703}; /* 1.2207...^-n */
  put(t, "[");
  for (int u = 0; u < tor_user_axes(job); u++) {
    const int a = tor_axis_of_user(job, u);
    double room[2], whole;
    find_room(job, a, room);
    const double part = 0.08 + 0.84 * modf(0.37 + (i + 1) * step[u], &whole);
    put(t, "%s%.9g", u ? ", " : "", (room[0] + part * (room[1] - room[0])) / job->length_unit);
  }
  put(t, "]");
}

static char *sources_of(const struct tor_job *job, int run) {
  const struct tor_band_job *b = &job->bands;
  const double longest = b->period / b->band[0] / job->length_unit,
               shortest = b->period / b->band[1] / job->length_unit;
  struct text t = {0};
  put(&t, "sources=(");
  for (int i = 0; i < DIPOLES; i++) {
    if (job->plane)
      put(&t, "%s{type=\"line_current\";", i ? "," : "");
    else
      put(&t, "%s{type=\"electric_dipole\";axis=\"%c\";", i ? "," : "", "xyz"[i % 3]);
    put(&t, "name=\"bands_%d\";position=", i + 1);
    put_place(&t, job, run * DIPOLES + i);
    put(&t, ";time={type=\"pulse\";wavelength=%.12g;band=%.12g;};}", 0.5 * (longest + shortest), longest - shortest);
  }
  put(&t, ")");
  return t.at;
}

static char *monitors_of(const struct tor_job *job) {
  const struct tor_band_job *b = &job->bands;
  struct text t = {0};
  put(&t, "monitors=(");
  for (int i = 0; i < PLACES; i++) {
    put(&t, "%s{type=\"resonances\";name=\"bands_%d\";position=", i ? "," : "", i + 1);
    put_place(&t, job, b->runs * DIPOLES + i);
    put(&t, ";components=[%s];count=%d;",
        job->plane == TOR_PLANE_TM   ? "\"Ez\",\"Hx\",\"Hy\""
        : job->plane == TOR_PLANE_TE ? "\"Hz\",\"Ex\",\"Ey\""
                                     : "\"Ex\",\"Ey\",\"Ez\",\"Hx\",\"Hy\",\"Hz\"",
        b->count < 50 ? 2 * b->count + 20 : 120);
    put(&t, "band={from=%.12g;to=%.12g;};}", b->period / b->band[1] / job->length_unit,
        b->period / b->band[0] / job->length_unit);
  }
  put(&t, ")");
  return t.at;
}

/* By the key of the two that the job has, else by phases, which are exact at corners. */
static char *phases_of(const struct tor_job *job, const double k[3]) {
  struct text t = {0};
  int by_k = 0;
  for (int i = 0; i < job->nplaces; i++) by_k |= !strcmp(job->places[i].key, "boundaries.k");
  put(&t, by_k ? "boundaries.k=[" : "boundaries.phase_deg=[");
  for (int u = 0; u < tor_user_axes(job); u++)
    put(&t, "%s%.15g", u ? "," : "",
        by_k ? 2 * TOR_PI * k[u] / job->bands.period * job->length_unit
             : 360 * k[u] * job->size[tor_axis_of_user(job, u)] / job->bands.period + 0.0);
  put(&t, "]");
  return t.at;
}

void tor_study_bands_prepare(struct tor_study *study, const struct tor_job *job, struct tor_faults *faults) {
  const struct tor_band_job *b = &job->bands;
  struct tor_bands bands;
  int periodic = 0;
  for (int a = 0; a < 3; a++) periodic += job->boundary[2 * a].wall == TOR_PERIODIC;
  if (!b->ncorners)
    tor_fault_at(faults, tor_job_place(job, "bands"),
                 "missing, need " TOR_NEEDED("the group bands with path and frequencies"));
  else if (!periodic)
    tor_fault_at(faults, tor_job_place(job, "boundaries"),
                 "no axis is periodic, need " TOR_NEEDED("walls \"bloch\" at both ends of one or more"));
  for (int a = 0; a < 3; a++)
    if (job->symmetry[a])
      tor_fault_at(faults, tor_job_place(job, "symmetry"),
                   "across %c, where dipoles of all kinds have no place, need " TOR_NEEDED(
                       "none; for modes of one parity half of the cell with a wall \"pmc\" (even) or \"pec\" (odd)"),
                   tor_axis_name(job, a));
  if (faults->count) return;
  make_path(job, &bands);
  char *monitors = monitors_of(job);
  for (int i = 0; i < bands.nk && !faults->count; i++)
    for (int run = 0; run < b->runs && !faults->count; run++) {
      char name[128], text[96], *sources = sources_of(job, run), *phases = phases_of(job, bands.at[i].k);
      const char *set[] = {sources, monitors, phases};
      k_text(&bands, i, "_", text, sizeof text);
      snprintf(name, sizeof name, "k_%s_run_%d", text, run + 1);
      k_text(&bands, i, ", ", text, sizeof text);
      tor_study_add(study, name, set, 3, i, faults, "k = (%s), run %d", text, run + 1);
      free(sources);
      free(phases);
    }
  free(monitors);
  tor_bands_free(&bands);
}

void tor_study_bands_note(const struct tor_study *study) {
  const struct tor_job *job = &study->run[0].job;
  printf("%d wave vectors, %d runs at each; sources and monitors are those of torre bands\n",
         study->nruns / job->bands.runs, job->bands.runs);
}

/* --- Resonances of the finished runs --- */

/* The columns of NAME_resonances.csv that all have, in their order; then four of each component. */
enum { WAVELENGTH, WAVELENGTH_ERROR, FREQUENCY, FREQUENCY_ERROR, QUALITY, QUALITY_ERROR, WEIGHT, SHARED, PARTS = 4 };

static struct tor_band_record record_of(const struct tor_table *t, tor_gidx row, double period, int run, int place) {
  const double unit = 1e12 * period / TOR_C0;
  struct tor_band_record r = {.run = run,
                              .place = place,
                              .frequency = t->value[FREQUENCY][row] * unit,
                              .error = t->value[FREQUENCY_ERROR][row] * unit,
                              .q = t->value[QUALITY][row],
                              .q_error = t->value[QUALITY_ERROR][row],
                              .weight = t->value[WEIGHT][row]};
  for (int c = SHARED; c + PARTS <= t->ncolumns && r.channels < TOR_BAND_CHANNELS; c += PARTS, r.channels++) {
    const double scale = t->name[c][0] == 'H' ? TOR_ETA0 : 1;
    r.amplitude[r.channels] = scale * t->value[c][row] * cexp(CMPLX(0, t->value[c + 2][row]));
    r.amplitude_error[r.channels] = scale * t->value[c + 1][row];
  }
  return r;
}

/* Adds the resonances of a run. Returns 0; or -1 with the reason. */
static int read_run(const struct tor_study_run *run, int number, struct tor_band_record **list, int *n,
                    size_t *capacity, char *why, size_t size) {
  for (int place = 0; place < PLACES; place++) {
    struct tor_table table;
    char path[4096];
    snprintf(path, sizeof path, "%s/bands_%d_resonances.csv", run->job.output, place + 1);
    if (tor_table_read(path, &table)) {
      snprintf(why, size, "%s: %s", path, errno == EINVAL ? "is no table of numbers" : strerror(errno));
      return -1;
    }
    for (tor_gidx row = 0; row < table.nrows && table.ncolumns >= SHARED; row++) {
      *list = tor_grow(*list, (size_t)*n + 1, capacity, sizeof **list);
      (*list)[(*n)++] = record_of(&table, row, run->job.bands.period, number, place);
    }
    tor_table_free(&table);
  }
  return 0;
}

/* Index of what lies beyond the open faces: the largest real part, so that what is below the light line leaks to no
 * side; 0: no face is open. */
static double index_beyond(const struct tor_job *job) {
  const double omega = TOR_PI * TOR_C0 * (job->bands.band[0] + job->bands.band[1]) / job->bands.period;
  double most = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2;
    if (!tor_boundary_layer(&job->boundary[f])) continue;
    double x[3] = {0, 0, 0};
    x[a] = (f % 2 ? 0.5 : -0.5) * job->size[a] * (1 - 1e-9);
    const struct tor_medium *m = &job->media[tor_job_medium_at(job, x)];
    most = fmax(most, creal(csqrt(tor_medium_permittivity(m, (a + 1) % 3, omega) *
                                  tor_medium_permeability(m, (a + 1) % 3, omega))));
  }
  return most;
}

int tor_study_bands_read(const struct tor_study *study, struct tor_bands *to, char *why, size_t size) {
  const struct tor_job *job = &study->run[0].job;
  const struct tor_band_job *b = &job->bands;
  const double index = index_beyond(job);
  const struct tor_band_rules rules = {b->tolerance, b->least_q, 0.02 * b->period / (TOR_C0 * job->run_time),
                                       b->runs * PLACES, b->count};
  int status = 0;
  make_path(job, to);
  for (int i = 0; i < to->nk && !status; i++) {
    struct tor_bands_k *k = &to->at[i];
    struct tor_band_record *record = NULL;
    size_t capacity = 0;
    int n = 0;
    if (index > 0) k->light = hypot(hypot(k->k[0], k->k[1]), k->k[2]) / index;
    k->finished = 1;
    for (int run = 0; run < b->runs; run++) k->finished &= study->run[i * b->runs + run].finished;
    for (int run = 0; run < b->runs && k->finished && !status; run++)
      status = read_run(&study->run[i * b->runs + run], run, &record, &n, &capacity, why, size);
    if (k->finished && !status) tor_bands_find(k, record, n, &rules);
    free(record);
  }
  return status;
}
