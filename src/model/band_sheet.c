/* Sheets of fields over a band: see band_sheet.h. */
#include "src/model/band_sheet.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/model/band.h"
#include "src/model/plane_media.h"
#include "src/job/sheet.h"
#include "src/job/job.h"
#include "src/model/sheet_terms.h"

static const double GOOD = 1e-4;   /* error of the fields over their norm: wanted */
static const double EXACT = 1e-11; /* the same at given frequencies */

enum { LEVEL = TOR_BAND_LEVELS - 1 };

struct maker {
  const struct tor_plane_media *plane;
  struct tor_band band;
  int ngiven; /* frequencies that are given, 0: those of the band */
  const double *given;
  int nplaces;                     /* along the axis that the order's differences read */
  struct tor_sheet_terms terms[2]; /* of E, H */
  tor_band_sheet_take *take;
  void *self;
};

static int is_continuous(const struct tor_band *band) { return !(band->half > 0); }

int tor_band_sheet_frequencies(const struct tor_band *band) { return is_continuous(band) ? 1 : TOR_BAND_SHEET_MOST; }

double tor_band_sheet_omega(const struct tor_band *band, int frequency) {
  return is_continuous(band) ? band->omega : tor_band_at(band, 0.5 * frequency);
}

static int points_of(const struct maker *m) {
  return m->ngiven ? m->ngiven : is_continuous(&m->band) ? 1 : TOR_BAND_POINTS;
}

/* The polynomial of point k over all of them. */
static double weight_of(const struct maker *m, int k, double omega) {
  double value = 1;
  if (!m->ngiven) return is_continuous(&m->band) ? 1 : tor_band_lagrange(&m->band, LEVEL, k, omega);
  for (int i = 0; i < m->ngiven; i++)
    if (i != k) value *= (omega - m->given[i]) / (m->given[k] - m->given[i]);
  return value;
}

/* The place along the axis of term number `place` of nplaces. */
static int place_of(const struct maker *m, int place) { return m->nplaces == 1 ? TOR_SHEET_PLACES / 2 : place; }

/* Finds the terms; the error at the band's points is the smaller part of GOOD. Sets the sheet's error. */
static void find_terms(struct maker *m, struct tor_sheet *s) {
  const size_t size = 2 * (size_t)m->plane->npoints;
  const int npoints = points_of(m);
  for (int h = 0; h < 2; h++) {
    struct tor_sheet_terms *t = &m->terms[h];
    tor_sheet_terms_init(t, npoints * m->nplaces, size);
    for (int k = 0; k < npoints; k++)
      for (int place = 0; place < m->nplaces; place++)
        m->take(m->self, m->ngiven ? k : 2 * k, h, place_of(m, place),
                t->value + 2 * (size_t)(k * m->nplaces + place) * size);
    s->error = fmax(s->error, tor_sheet_terms_find(t, m->ngiven ? EXACT : 0.3 * GOOD));
    free(t->value);
    t->value = NULL;
    s->nterms = t->count > s->nterms ? t->count : s->nterms;
  }
}

/* The factor of a term at a frequency, place and field. */
static double complex factor_at(const struct maker *m, int h, int place, int term, double omega) {
  const struct tor_sheet_terms *t = &m->terms[h];
  const int npoints = points_of(m);
  double complex sum = 0;
  for (int k = 0; k < npoints && term < t->count; k++)
    sum += weight_of(m, k, omega) * t->factor[(k * m->nplaces + place) * TOR_SHEET_MOST_TERMS + term];
  return sum;
}

/* The error between the band's points: the fields there less the sum of terms, over the fields. */
static double error_between(struct maker *m) {
  const size_t size = 2 * (size_t)m->plane->npoints;
  double *field = tor_alloc(2 * size, sizeof *field, "source on a plane"), worst = 0;
  for (int i = 1; i < tor_band_sheet_frequencies(&m->band); i += 2)
    for (int h = 0; h < 2; h++) {
      double all = 0, off = 0;
      m->take(m->self, i, h, TOR_SHEET_PLACES / 2, field);
      for (size_t k = 0; k < 2 * size; k++) all += field[k] * field[k];
      for (int term = 0; term < m->terms[h].count; term++) {
        const double complex factor = factor_at(m, h, m->nplaces / 2, term, tor_band_sheet_omega(&m->band, i));
        const double *profile = m->terms[h].profile[term];
        for (size_t k = 0; k < size; k++) {
          field[k] -= creal(factor) * profile[k];
          field[size + k] -= cimag(factor) * profile[k];
        }
      }
      for (size_t k = 0; k < 2 * size; k++) off += field[k] * field[k];
      worst = fmax(worst, sqrt(off / all));
    }
  free(field);
  return worst;
}

static void set_profiles(const struct maker *m, struct tor_sheet *s) {
  const size_t points = (size_t)m->plane->npoints;
  for (int f = 0; f < TOR_SHEET_ACROSS; f++) {
    const struct tor_sheet_terms *t = &m->terms[f / 2];
    s->profile[f] = tor_alloc((size_t)s->nterms * points, sizeof *s->profile[f], "source on a plane");
    for (int term = 0; term < t->count; term++)
      memcpy(s->profile[f] + (size_t)term * points, t->profile[term] + (size_t)(f % 2) * points,
             points * sizeof *s->profile[f]);
  }
}

static void set_signals(const struct maker *m, const struct tor_profile *profile, struct tor_sheet *s) {
  double complex pulse[TOR_BAND_LINES];
  tor_band_lines(&m->band, profile, s, pulse);
  for (int h = 0; h < 2; h++) {
    const size_t all = (size_t)TOR_SHEET_PLACES * (size_t)s->nfreq * (size_t)s->nterms;
    double complex *to = s->amplitude[h] = tor_alloc(all, sizeof *to, "source on a plane");
    for (int place = 0; place < TOR_SHEET_PLACES; place++)
      for (int q = 0; q < s->nfreq; q++)
        for (int term = 0; term < s->nterms; term++)
          *to++ = pulse[q] * factor_at(m, h, m->nplaces == 1 ? 0 : place, term, s->omega[q]);
  }
}

static struct tor_sheet *make_sheet(struct maker *m, const struct tor_source *source) {
  m->band = tor_band_make(&source->profile);
  m->nplaces = m->plane->grid.order == 4 ? TOR_SHEET_PLACES : 1;
  struct tor_sheet *s = tor_plane_media_sheet(m->plane, source->direction);
  find_terms(m, s);
  if (!m->ngiven) s->error = fmax(s->error, error_between(m));
  s->nprofiles = s->nterms;
  set_profiles(m, s);
  set_signals(m, &source->profile, s);
  for (int h = 0; h < 2; h++) tor_sheet_terms_free(&m->terms[h]);
  return s;
}

struct tor_sheet *tor_band_sheet_make(const struct tor_plane_media *plane, const struct tor_source *source,
                                      tor_band_sheet_take *take, void *self) {
  struct maker m = {.plane = plane, .take = take, .self = self};
  return make_sheet(&m, source);
}

struct tor_sheet *tor_band_sheet_through(const struct tor_plane_media *plane, const struct tor_source *source,
                                         int count, const double *omega, tor_band_sheet_take *take, void *self) {
  struct maker m = {.plane = plane, .ngiven = count, .given = omega, .take = take, .self = self};
  return make_sheet(&m, source);
}
