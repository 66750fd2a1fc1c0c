/* Sources of fields from files: see fields_source.h. */
#include "src/model/fields_source.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/field_file.h"
#include "src/job/grid.h"
#include "src/job/sheet.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/band.h"
#include "src/model/band_sheet.h"
#include "src/model/beam.h"
#include "src/model/grid_wave.h"
#include "src/model/open_plane.h"
#include "src/model/plane_media.h"

/* Of the fields over their norm: the largest error of terms and of what lies between the file's wavelengths. */
static const double MOST_ERROR = 1e-3;
static const double MOST_STOPPED = 0.02; /* part of |E|^2 that does not travel through the plane */
static const double MOST_BESIDE = 1e-3;  /* part of |E|^2 of the file that lies beside the plane */
/* Parts of K along the axis, over K: as of beams. */
static const double THROUGH = 0.25, GRAZING = 0.05;
/* Images of the fields, which a sum has in place of an integral: their distance, over what fields and plane take. */
static const double SPARE = 1.5;

_Static_assert((int)TOR_SHEET_POWERS == (int)TOR_BAND_POINTS, "a power for each point of the band");

enum { ORDER = 6 }; /* points of the polynomials between the file's frequencies */

struct maker {
  const struct tor_job *job;
  const struct tor_source *source;
  struct tor_faults *faults;
  const struct tor_plane_media *plane;
  struct tor_band band;
  double origin[3], step[2]; /* of the waves along next and last */
  double most[2];            /* the largest wave number that travels there [1/m] */
  int count[2], first[2];    /* in steps */
  double complex *wave[2];   /* of E along next and last: [nfreq][count[0]][count[1]]; NULL: the job has it not */
  struct tor_beam *beam;     /* at the frequencies that the sheet asks for */
  int nbeams;
  double complex *scratch;          /* [npoints] */
  double power[TOR_BAND_POINTS];    /* at the band's points [W; 2-D W/m] */
  double stopped, beside, spectral; /* parts of |E|^2; error between the file's frequencies */
};

static double complex times(double complex a, double complex b) {
  return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

static const struct tor_field_component *component_of(const struct maker *m, int side) {
  const int a = side ? m->plane->last : m->plane->next;
  const struct tor_field_component *c = &m->source->fields->e[tor_user_axis(m->job, a)];
  return c->value && tor_comp_exists(m->plane->grid.plane, TOR_EX + a) ? c : NULL;
}
static int axis_of(const struct maker *m, int along) { return along ? m->plane->last : m->plane->next; }
static int user_of(const struct maker *m, int along) { return tor_user_axis(m->job, axis_of(m, along)); }

static void fault(const struct maker *m, const char *text) {
  tor_fault_at(m->faults, tor_job_source_place(m->job, m->source), "%s", text);
}

/* --- What the file must have --- */

static int has_band(const struct maker *m) {
  const struct tor_field_file *f = m->source->fields;
  const int last = tor_band_sheet_frequencies(&m->band) - 1;
  const double hi = tor_band_sheet_omega(&m->band, 0), lo = tor_band_sheet_omega(&m->band, last), slack = 1e-6 * hi;
  char text[320];
  if (lo >= f->omega[0] - slack && hi <= f->omega[f->nfreq - 1] + slack) return 1;
  snprintf(text, sizeof text,
           "\"%s\": the wavelengths in %s are " TOR_FOUND("%.6g to %.6g nm") ", need " TOR_NEEDED(
               "all of the pulse's band, %.6g to %.6g nm"),
           f->file, f->group, 2 * TOR_PI * TOR_C0 / f->omega[f->nfreq - 1] / TOR_NM,
           2 * TOR_PI * TOR_C0 / f->omega[0] / TOR_NM, 2 * TOR_PI * TOR_C0 / hi / TOR_NM,
           2 * TOR_PI * TOR_C0 / lo / TOR_NM);
  fault(m, text);
  return 0;
}

/* --- Waves --- */

/* The largest wave number that travels, at a frequency. 0 with a fault. */
static double most_wave(const struct maker *m, int axis, double omega) {
  double eps, mu;
  const char *wrong = tor_beam_medium(m->plane, omega, &eps, &mu);
  if (wrong) {
    fault(m, wrong);
    return 0;
  }
  const double half =
      tor_wave_half_phase(&m->plane->grid, axis, tor_wave_frequency(&m->plane->grid, omega) * sqrt(eps * mu));
  if (half < 0) fault(m, "its wavelength is below two cells, need " TOR_NEEDED("smaller cells"));
  return half < 0 ? 0 : 2 * half / m->plane->grid.d[axis];
}

/* A whole period of the domain along next or last [m]; 0: the plane ends there. */
static double period_of(const struct maker *m, int along) {
  const struct tor_plane_media *p = m->plane;
  return p->wall[along][0] == TOR_PERIODIC ? p->n[along] * p->grid.d[axis_of(m, along)] : 0;
}

/* From the last point along an axis to the first one's image a period on; 0: to none, since the plane or the fields end
 * before. */
static double gap_of(const struct maker *m, const struct tor_field_component *c, int along) {
  const double *x = c->place[user_of(m, along)], period = period_of(m, along);
  const double gap = period - (x[c->n[user_of(m, along)] - 1] - x[0]);
  return period > 0 && gap * m->most[along] <= TOR_PI ? gap : 0;
}

/* A fault where a component's points lie too far apart, or beyond a period. */
static int is_dense(const struct maker *m, int side, int along) {
  const struct tor_field_component *c = component_of(m, side);
  const struct tor_field_file *f = m->source->fields;
  const struct tor_place *place = tor_job_source_place(m->job, m->source);
  const int a = axis_of(m, along), n = c->n[user_of(m, along)];
  const double *x = c->place[user_of(m, along)], most = TOR_PI / m->most[along];
  const char comp = tor_axis_name(m->job, axis_of(m, side));
  double apart = 0;
  for (int i = 1; i < n; i++) apart = fmax(apart, x[i] - x[i - 1]);
  if (apart > most)
    tor_fault_at(m->faults, place,
                 "\"%s\": points of E%c in %s lie up to " TOR_FOUND("%.4g nm") " apart along %c, need " TOR_NEEDED(
                     "at most %.4g nm"),
                 f->file, comp, f->group, apart / TOR_NM, tor_axis_name(m->job, a), most / TOR_NM);
  else if (gap_of(m, c, along) < -0.01 * m->plane->grid.d[a])
    tor_fault_at(m->faults, place,
                 "\"%s\": points of E%c in %s take " TOR_FOUND(
                     "%.6g nm") " along %c, which is periodic, need " TOR_NEEDED("at most a period, %.6g nm"),
                 f->file, comp, f->group, (x[n - 1] - x[0]) / TOR_NM, tor_axis_name(m->job, a),
                 period_of(m, along) / TOR_NM);
  else
    return 1;
  return 0;
}

/* The wave numbers along one axis of the plane. Returns 0 with a fault. */
static int make_range(struct maker *m, int along) {
  const struct tor_plane_media *p = m->plane;
  const int a = axis_of(m, along), user = user_of(m, along);
  m->step[along] = 1;
  m->count[along] = 1;
  if (tor_plane_media_uniform(p, along)) return 1;
  double lo = tor_grid_at(&p->grid, a, p->lo[along]), hi = tor_grid_at(&p->grid, a, p->lo[along] + p->n[along]);
  m->origin[a] = 0.5 * (lo + hi);
  m->most[along] = most_wave(m, a, tor_band_sheet_omega(&m->band, 0));
  if (!(m->most[along] > 0)) return 0;
  for (int side = 0; side < 2; side++) {
    const struct tor_field_component *c = component_of(m, side);
    if (!c) continue;
    if (!is_dense(m, side, along)) return 0;
    lo = fmin(lo, c->place[user][0]);
    hi = fmax(hi, c->place[user][c->n[user] - 1]);
  }
  m->step[along] = 2 * TOR_PI / (period_of(m, along) > 0 ? period_of(m, along) : SPARE * (hi - lo));
  const int reach = (int)(m->most[along] / m->step[along]);
  m->first[along] = -reach;
  m->count[along] = 2 * reach + 1;
  return 1;
}

/* w exp(-i k (x - origin)) of each place and wave number along an axis, with the trapezoidal rule's weights over 2 pi /
 * step: [n][count]. */
static double complex *make_kernel(const struct maker *m, const struct tor_field_component *c, int along) {
  const int a = axis_of(m, along), user = user_of(m, along), n = c->n[user], count = m->count[along];
  const double *x = c->place[user], gap = gap_of(m, c, along);
  double complex *kernel = tor_alloc((size_t)n * (size_t)count, sizeof *kernel, "fields of a file");
  for (int i = 0; i < n; i++) {
    const double length = (i ? x[i] - x[i - 1] : gap) + (i + 1 < n ? x[i + 1] - x[i] : gap);
    const double weight = tor_plane_media_uniform(m->plane, along) ? 1 : 0.5 * length * m->step[along] / (2 * TOR_PI);
    for (int q = 0; q < count; q++)
      kernel[i * count + q] =
          count == 1 ? weight : weight * cexp(-TOR_I * (m->first[along] + q) * m->step[along] * (x[i] - m->origin[a]));
  }
  return kernel;
}

/* The waves of a component at each of the file's frequencies. */
static void make_waves(struct maker *m, int side) {
  const struct tor_field_component *c = component_of(m, side);
  if (!c) return;
  const int nfreq = m->source->fields->nfreq, n0 = c->n[user_of(m, 0)], n1 = c->n[user_of(m, 1)];
  const size_t stride[3] = {1, (size_t)c->n[0], (size_t)c->n[0] * (size_t)c->n[1]};
  const size_t along0 = stride[user_of(m, 0)], along1 = stride[user_of(m, 1)], points = stride[2] * (size_t)c->n[2];
  const int q0 = m->count[0], q1 = m->count[1];
  double complex *kernel[2] = {make_kernel(m, c, 0), make_kernel(m, c, 1)};
  m->wave[side] = tor_alloc((size_t)nfreq * (size_t)q0 * (size_t)q1, sizeof *m->wave[side], "fields of a file");
#pragma omp parallel for schedule(static)
  for (int f = 0; f < nfreq; f++) {
    const double complex *value = c->value + (size_t)m->source->fields->row[f] * points;
    double complex *to = m->wave[side] + (size_t)f * (size_t)q0 * (size_t)q1;
    for (int i = 0; i < n0; i++)
      for (int r = 0; r < q1; r++) {
        double complex sum = 0;
        for (int j = 0; j < n1; j++)
          sum += times(value[(size_t)i * along0 + (size_t)j * along1], kernel[1][j * q1 + r]);
        for (int q = 0; q < q0; q++) to[q * q1 + r] += times(sum, kernel[0][i * q0 + q]);
      }
  }
  free(kernel[0]);
  free(kernel[1]);
}

/* --- Between the file's frequencies --- */

/* Weights of the file's frequencies in the value at omega: of a polynomial through the nearest, without number `skip`
 * (-1: all). Returns how many, and their numbers. */
static int weights_at(const struct maker *m, double omega, int skip, int number[ORDER], double weight[ORDER]) {
  const struct tor_field_file *f = m->source->fields;
  int n = 0;
  for (int lo = 0, hi = f->nfreq - 1; lo <= hi;) { /* drops the farther end until ORDER are left */
    if (hi - lo + 1 - (skip >= lo && skip <= hi) <= ORDER) {
      for (int i = lo; i <= hi; i++)
        if (i != skip) number[n++] = i;
      break;
    }
    if (omega - f->omega[lo] > f->omega[hi] - omega)
      lo++;
    else
      hi--;
  }
  for (int i = 0; i < n; i++) {
    weight[i] = 1;
    for (int k = 0; k < n; k++)
      if (k != i) weight[i] *= (omega - f->omega[number[k]]) / (f->omega[number[i]] - f->omega[number[k]]);
  }
  return n;
}

static double complex wave_at(const struct maker *m, int side, size_t at, int n, const int number[ORDER],
                              const double weight[ORDER]) {
  const size_t waves = (size_t)m->count[0] * (size_t)m->count[1];
  double complex sum = 0;
  for (int i = 0; i < n && m->wave[side]; i++) sum += weight[i] * m->wave[side][(size_t)number[i] * waves + at];
  return sum;
}

/* Whether there are fields at all of the file's frequencies. Returns 0 with a fault. */
static int has_fields(const struct maker *m) {
  const struct tor_field_file *f = m->source->fields;
  const size_t waves = (size_t)m->count[0] * (size_t)m->count[1];
  for (int at = 0; at < f->nfreq; at++) {
    double all = 0;
    for (int side = 0; side < 2; side++)
      for (size_t i = 0; i < waves && m->wave[side]; i++) all += pow(cabs(m->wave[side][(size_t)at * waves + i]), 2);
    if (all > 0) continue;
    tor_fault_at(m->faults, tor_job_source_place(m->job, m->source),
                 "\"%s\": %s has no E along the plane at %.6g nm, need " TOR_NEEDED("others than 0"), f->file, f->group,
                 2 * TOR_PI * TOR_C0 / f->omega[at] / TOR_NM);
    return 0;
  }
  return 1;
}

/* The error between the file's frequencies, from that at each of them, left out, where the others lie twice as far
 * apart. */
static double find_spectral(const struct maker *m) {
  const struct tor_field_file *f = m->source->fields;
  const size_t waves = (size_t)m->count[0] * (size_t)m->count[1];
  double worst = 0;
  for (int skip = 1; skip < f->nfreq - 1; skip++) {
    int number[ORDER];
    double weight[ORDER], all = 0, off = 0;
    const int n = weights_at(m, f->omega[skip], skip, number, weight);
    for (int side = 0; side < 2; side++)
      for (size_t i = 0; i < waves && m->wave[side]; i++) {
        const double complex is = m->wave[side][(size_t)skip * waves + i];
        all += pow(cabs(is), 2);
        off += pow(cabs(is - wave_at(m, side, i, n, number, weight)), 2);
      }
    worst = fmax(worst, sqrt(off / all) / pow(2, n));
  }
  return worst;
}

/* --- Beams of these waves --- */

/* One wave of a beam: E along the plane gives all else, since K.E = 0 and H = K x E / (W mu eta0). Returns the part of
 * |E|^2 that is sent. */
static double make_wave(const struct maker *m, struct tor_beam *b, int at, const double k[3], double W, double eps,
                        double mu, double complex E[3]) {
  const struct tor_plane_media *p = m->plane;
  double K[3] = {0, 0, 0};
  for (int a = 0; a < 3; a++)
    if (a != p->axis) K[a] = tor_wave_discrete(&p->grid, a, k[a]);
  const double whole = W * W * eps * mu, rest = whole - K[p->next] * K[p->next] - K[p->last] * K[p->last];
  const double through = rest > 0 ? sqrt(rest / whole) : 0;
  if (through <= GRAZING) return 0;
  const double rise = fmin((through - GRAZING) / (THROUGH - GRAZING), 1), fade = rise * rise * (3 - 2 * rise);
  const double half = tor_wave_half_phase(&p->grid, p->axis, sqrt(rest));
  if (half < 0) return 0;
  K[p->axis] = m->source->direction * sqrt(rest);
  b->along[at] = m->source->direction * 2 * half / p->grid.d[p->axis];
  E[p->axis] = -(K[p->next] * E[p->next] + K[p->last] * E[p->last]) / K[p->axis];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    if (i == p->axis) continue;
    b->part[TOR_EX + i][at] = fade * E[i];
    b->part[TOR_HX + i][at] = fade * (K[j] * E[l] - K[l] * E[j]) / (W * mu * TOR_ETA0);
  }
  return fade * fade;
}

/* The beam at one frequency. Returns 0 with a fault. */
static int make_beam(struct maker *m, int frequency, double *index) {
  const double omega = tor_band_sheet_omega(&m->band, frequency);
  struct tor_beam *b = &m->beam[frequency];
  double eps, mu, weight[ORDER], all = 0, sent = 0;
  int number[ORDER];
  const char *wrong = tor_beam_medium(m->plane, omega, &eps, &mu);
  if (wrong) {
    fault(m, wrong);
    return 0;
  }
  *index = sqrt(eps * mu);
  const int n = weights_at(m, omega, -1, number, weight);
  tor_beam_open(m->plane, m->origin, m->count, b);
  for (int along = 0; along < 2; along++) {
    b->first[along] = m->first[along] * m->step[along];
    b->step[along] = m->step[along];
  }
  for (int i = 0; i < m->count[0] * m->count[1]; i++) {
    double k[3] = {0, 0, 0};
    double complex E[3] = {0, 0, 0};
    const int at[2] = {i / m->count[1], i % m->count[1]};
    k[m->plane->next] = b->first[0] + at[0] * b->step[0];
    k[m->plane->last] = b->first[1] + at[1] * b->step[1];
    for (int side = 0; side < 2; side++) E[axis_of(m, side)] = wave_at(m, side, (size_t)i, n, number, weight);
    const double square = pow(cabs(E[m->plane->next]), 2) + pow(cabs(E[m->plane->last]), 2);
    all += square;
    sent += square * make_wave(m, b, i, k, tor_wave_frequency(&m->plane->grid, omega), eps, mu, E);
  }
  if (all > 0) m->stopped = fmax(m->stopped, 1 - sent / all);
  if (frequency % 2 == 0) m->power[frequency / 2] = tor_beam_power(b);
  return 1;
}

/* The part of |E|^2 of the file's points that lies beside the plane, the band's largest. */
static double beside_of(const struct maker *m) {
  const struct tor_plane_media *p = m->plane;
  double all = 0, off = 0;
  for (int side = 0; side < 2; side++) {
    const struct tor_field_component *c = component_of(m, side);
    if (!c) continue;
    const size_t points = (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2];
    for (size_t i = 0; i < (size_t)m->source->fields->nfreq * points; i++) {
      const int at[3] = {(int)(i % points) % c->n[0], (int)(i % points) / c->n[0] % c->n[1],
                         (int)(i % points) / (c->n[0] * c->n[1])};
      int out = 0;
      for (int along = 0; along < 2; along++) {
        const int a = axis_of(m, along), user = user_of(m, along);
        if (tor_plane_media_uniform(p, along)) continue;
        const double x = c->place[user][at[user]], slack = 0.01 * p->grid.d[a];
        out |= x < tor_grid_at(&p->grid, a, p->lo[along]) - slack ||
               x > tor_grid_at(&p->grid, a, p->lo[along] + p->n[along]) + slack;
      }
      all += pow(cabs(c->value[i]), 2);
      if (out) off += pow(cabs(c->value[i]), 2);
    }
  }
  return all > 0 ? off / all : 0;
}

/* --- The sheet --- */

static void take_fields(void *self, int frequency, int h, int place, double *to) {
  const struct maker *m = self;
  tor_beam_take(&m->beam[frequency], m->source->direction, h, place, m->scratch, to);
}

/* Returns 0 with a fault. */
static int is_good(const struct maker *m, const struct tor_sheet *s) {
  const struct tor_place *place = tor_job_source_place(m->job, m->source);
  if (m->spectral > MOST_ERROR)
    tor_fault_at(m->faults, place,
                 "\"%s\": between the wavelengths of %s the fields are unknown to %.1e, need " TOR_NEEDED(
                     "more wavelengths, for at most %.0e"),
                 m->source->fields->file, m->source->fields->group, m->spectral, MOST_ERROR);
  else if (m->stopped > MOST_STOPPED)
    tor_fault_at(m->faults, place,
                 "\"%s\": %.2g of |E|^2 does not travel through the plane, need " TOR_NEEDED(
                     "at most %.0e: a plane farther from what sends the fields, and points that reach where they end"),
                 m->source->fields->file, m->stopped, MOST_STOPPED);
  else if (m->beside > MOST_BESIDE)
    tor_fault_at(m->faults, place,
                 "\"%s\": %.2g of |E|^2 lies beside the source's plane, need " TOR_NEEDED("at most %.0e: a larger box"),
                 m->source->fields->file, m->beside, MOST_BESIDE);
  else if (s->error > MOST_ERROR)
    tor_fault_at(m->faults, place,
                 "its fields change too much over the pulse's band: with %d terms the error is %.1e, need " TOR_NEEDED(
                     "at most %.0e: a narrower time.band"),
                 s->nterms, s->error, MOST_ERROR);
  else
    return 1;
  return 0;
}

static struct tor_sheet *make_sheet(struct maker *m) {
  double index = 1;
  if (!has_band(m)) return NULL;
  for (int along = 0; along < 2; along++)
    if (!make_range(m, along)) return NULL;
  for (int side = 0; side < 2; side++) make_waves(m, side);
  if (!has_fields(m)) return NULL;
  m->spectral = find_spectral(m);
  m->beside = beside_of(m);
  tor_field_file_forget(m->source->fields); /* the waves have all of it */
  const int nbeams = tor_band_sheet_frequencies(&m->band);
  m->beam = tor_alloc((size_t)nbeams, sizeof *m->beam, "fields of a file");
  for (; m->nbeams < nbeams; m->nbeams++)
    if (!make_beam(m, m->nbeams, &index)) return NULL;
  struct tor_sheet *s = tor_band_sheet_make(m->plane, m->source, take_fields, m);
  s->index = index;
  s->beside = m->beside;
  s->error = fmax(s->error, m->spectral);
  s->stopped = m->stopped;
  for (int k = 0; k < TOR_BAND_POINTS; k++) s->power[k] = m->power[m->nbeams > 1 ? k : 0];
  if (is_good(m, s)) return s;
  tor_sheet_free(s);
  return NULL;
}

struct tor_sheet *tor_fields_source_make(const struct tor_job *job, const struct tor_source *source,
                                         struct tor_faults *faults) {
  struct maker m = {.job = job, .source = source, .faults = faults, .band = tor_band_make(&source->profile)};
  struct tor_sheet *sheet = NULL;
  struct tor_open_plane open;
  if (!source->fields || !source->fields->nfreq) return NULL; /* a fault already */
  if (tor_open_plane_make(job, source, faults, &open)) {
    m.plane = open.plane;
    m.scratch = tor_alloc((size_t)m.plane->npoints, sizeof *m.scratch, "fields of a file");
    sheet = make_sheet(&m);
  }
  for (int i = 0; i < m.nbeams; i++) tor_beam_free(&m.beam[i]);
  free(m.beam);
  free(m.wave[0]);
  free(m.wave[1]);
  free(m.scratch);
  tor_open_plane_free(&open);
  return sheet;
}

void tor_fields_source_text(const struct tor_source *s, char *text, size_t size) {
  const struct tor_sheet *sheet = s->sheet;
  const struct tor_field_file *f = s->fields;
  const double shortest = 2 * TOR_PI * TOR_C0 / f->omega[f->nfreq - 1], longest = 2 * TOR_PI * TOR_C0 / f->omega[0];
  snprintf(
      text, size,
      "source %s: %s of %s, %d wavelength%s from %.6g to %.6g nm, in n = %.5g; %d term%s, error %.1e; %.1e of |E|^2 "
      "does not travel through the plane, %.1e lies beside it",
      s->name, f->group, f->file, f->nfreq, f->nfreq > 1 ? "s" : "", shortest / TOR_NM, longest / TOR_NM, sheet->index,
      sheet->nterms, sheet->nterms > 1 ? "s" : "", sheet->error, fmax(sheet->stopped, 0), sheet->beside);
}
