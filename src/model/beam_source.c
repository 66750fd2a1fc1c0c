/* Sources of Gaussian beams: see beam_source.h. */
#include "src/model/beam_source.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/sheet.h"
#include "src/job/turn.h"
#include "src/model/band.h"
#include "src/model/beam.h"
#include "src/model/plane_media.h"
#include "src/model/sheet_terms.h"

/* Errors of the fields over their norm: wanted, and the largest that is accepted. */
static const double GOOD = 1e-4, MOST_ERROR = 1e-3;
static const double MOST_STOPPED = 1e-4; /* amplitude of waves that do not travel through the plane */
static const double MOST_BESIDE = 1e-3;  /* part of the power */

/* The band's points and, at odd numbers, the places between them. */
enum { LEVEL = TOR_BAND_LEVELS - 1, BEAMS = 2 * TOR_BAND_POINTS - 1 };

struct maker {
  const struct tor_job *job;
  const struct tor_source *source;
  struct tor_faults *faults;
  struct tor_plane_media plane;
  struct tor_band band;
  int nbeams, nplaces;
  struct tor_beam beam[BEAMS];
  struct tor_sheet_terms terms[2]; /* of E, H */
  double complex *scratch;         /* [npoints] */
};

static int is_continuous(const struct maker *m) { return !(m->band.half > 0); }

static double omega_of(const struct maker *m, int beam) {
  return is_continuous(m) ? m->band.omega : tor_band_at(&m->band, 0.5 * beam);
}

/* --- The medium --- */

/* Returns 0 with a fault: not one medium. */
static int find_medium(const struct maker *m, double omega, double *eps, double *mu) {
  const char *wrong = tor_beam_medium(&m->plane, omega, eps, mu);
  if (wrong) tor_fault_at(m->faults, tor_job_source_place(m->job, m->source), "%s", wrong);
  return !wrong;
}

/* Whether the cells to both sides that the sheets touch have the plane's medium. Returns 0 with a fault. */
static int is_uniform(const struct maker *m, const struct tor_plane_media *around, int planes) {
  if (tor_plane_media_alike(around, planes)) return 1;
  tor_fault_at(
      m->faults, tor_job_source_place(m->job, m->source),
      "the media change along %c within %d cell%s of its plane, need " TOR_NEEDED("a plane in one homogeneous medium"),
      tor_axis_name(m->job, m->plane.axis), planes / 2, planes / 2 > 1 ? "s" : "");
  return 0;
}

/* --- Fields --- */

/* The beams at all frequencies. Returns 0 with a fault. */
static int make_beams(struct maker *m, double *index) {
  m->nbeams = is_continuous(m) ? 1 : BEAMS;
  for (int i = 0; i < m->nbeams; i++) {
    const double omega = omega_of(m, i);
    double eps, mu;
    if (!find_medium(m, omega, &eps, &mu)) return 0;
    tor_beam_make(m->source, &m->plane, omega, eps, mu, &m->beam[i]);
    if (2 * i == m->nbeams - 1 || m->nbeams == 1) *index = sqrt(eps * mu);
    if (m->beam[i].stopped <= MOST_STOPPED && m->beam[i].square > 0) continue;
    tor_fault_at(
        m->faults, tor_job_source_place(m->job, m->source),
        "at %.6g nm waves of an amplitude of %.1e, 1 in the beam's middle, would have to travel along its plane "
        "or back, need " TOR_NEEDED("a larger waist, or a plane more nearly across the beam"),
        2 * TOR_PI * TOR_C0 / omega / TOR_NM, m->beam[i].stopped);
    return 0;
  }
  return 1;
}

/* E or H along the plane as the update stores them, at one of the places along the axis: to [real, imaginary][next,
 * last][npoints]. */
static void take_fields(struct maker *m, int beam, int h, int place, double *to) {
  const struct tor_plane_media *p = &m->plane;
  const double cells = place - TOR_SHEET_PLACES / 2 - 0.5 * h * m->source->direction;
  for (int side = 0; side < 2; side++) {
    const int comp = (h ? TOR_HX : TOR_EX) + (side ? p->last : p->next);
    double *re = to + side * p->npoints, *im = re + 2 * p->npoints;
    for (int i = 0; i < p->npoints; i++) re[i] = im[i] = 0;
    if (!tor_comp_exists(p->grid.plane, comp)) continue;
    tor_beam_field(&m->beam[beam], comp, cells, m->scratch);
    for (int i = 0; i < p->npoints; i++) {
      if (!(tor_plane_media_share(p, comp, i) > 0)) continue;
      const double scale = p->grid.d[tor_comp_axis(comp)] * (h ? TOR_ETA0 : 1);
      re[i] = scale * creal(m->scratch[i]);
      im[i] = scale * cimag(m->scratch[i]);
    }
  }
}

/* The part of the beam that passes beside the plane, by |E|^2; `fields`: E as take_fields has it. */
static double beside_of(const struct maker *m, int beam, const double *fields) {
  const struct tor_plane_media *p = &m->plane;
  double sum = 0, area = 1;
  for (int side = 0; side < 2; side++)
    if (!tor_plane_media_uniform(p, side)) area *= p->grid.d[side ? p->last : p->next];
  for (int i = 0; i < 4 * p->npoints; i++) {
    const double d = p->grid.d[i / p->npoints % 2 ? p->last : p->next];
    sum += fields[i] * fields[i] / (d * d);
  }
  return 1 - sum * area / m->beam[beam].square;
}

/* The place along the axis of term number `place` of nplaces. */
static int place_of(const struct maker *m, int place) { return m->nplaces == 1 ? TOR_SHEET_PLACES / 2 : place; }

/* Finds the terms; the error at the points is the smaller part of GOOD. Sets sheet->beside and error. */
static void find_terms(struct maker *m, struct tor_sheet *s) {
  const size_t size = 2 * (size_t)m->plane.npoints;
  const int npoints = is_continuous(m) ? 1 : TOR_BAND_POINTS;
  for (int h = 0; h < 2; h++) {
    struct tor_sheet_terms *t = &m->terms[h];
    tor_sheet_terms_init(t, npoints * m->nplaces, size);
    for (int k = 0; k < npoints; k++)
      for (int place = 0; place < m->nplaces; place++) {
        double *to = t->value + 2 * (size_t)(k * m->nplaces + place) * size;
        take_fields(m, 2 * k, h, place_of(m, place), to);
        if (!h && place == m->nplaces / 2) s->beside = fmax(s->beside, beside_of(m, 2 * k, to));
      }
    s->error = fmax(s->error, tor_sheet_terms_find(t, 0.3 * GOOD));
    s->nterms = t->count > s->nterms ? t->count : s->nterms;
  }
}

/* The factor of a term at a frequency, place and field. */
static double complex factor_at(const struct maker *m, int h, int place, int term, double omega) {
  const struct tor_sheet_terms *t = &m->terms[h];
  const int npoints = is_continuous(m) ? 1 : TOR_BAND_POINTS;
  double complex sum = 0;
  for (int k = 0; k < npoints && term < t->count; k++)
    sum += (npoints == 1 ? 1 : tor_band_lagrange(&m->band, LEVEL, k, omega)) *
           t->factor[(k * m->nplaces + place) * TOR_SHEET_MOST_TERMS + term];
  return sum;
}

/* The error between the band's points: the fields there less the sum of terms, over the fields. */
static double error_between(struct maker *m) {
  const size_t size = 2 * (size_t)m->plane.npoints;
  double *field = tor_alloc(2 * size, sizeof *field, "beam"), worst = 0;
  for (int i = 1; i < m->nbeams; i += 2)
    for (int h = 0; h < 2; h++) {
      double all = 0, off = 0;
      take_fields(m, i, h, TOR_SHEET_PLACES / 2, field);
      for (size_t k = 0; k < 2 * size; k++) all += field[k] * field[k];
      for (int term = 0; term < m->terms[h].count; term++) {
        const double complex factor = factor_at(m, h, m->nplaces / 2, term, omega_of(m, i));
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

/* --- The sheet --- */

static void set_profiles(const struct maker *m, struct tor_sheet *s) {
  const size_t points = (size_t)m->plane.npoints;
  for (int f = 0; f < TOR_SHEET_FIELDS; f++) {
    const struct tor_sheet_terms *t = &m->terms[f / 2];
    s->profile[f] = tor_alloc((size_t)s->nterms * points, sizeof *s->profile[f], "beam");
    for (int term = 0; term < t->count; term++)
      memcpy(s->profile[f] + (size_t)term * points, t->profile[term] + (size_t)(f % 2) * points,
             points * sizeof *s->profile[f]);
  }
}

static void set_signals(const struct maker *m, struct tor_sheet *s) {
  double complex pulse[TOR_BAND_LINES];
  tor_band_lines(&m->band, &m->source->profile, s, pulse);
  for (int h = 0; h < 2; h++) {
    const size_t all = (size_t)TOR_SHEET_PLACES * (size_t)s->nfreq * (size_t)s->nterms;
    double complex *to = s->amplitude[h] = tor_alloc(all, sizeof *to, "beam");
    for (int place = 0; place < TOR_SHEET_PLACES; place++)
      for (int q = 0; q < s->nfreq; q++)
        for (int term = 0; term < s->nterms; term++)
          *to++ = pulse[q] * factor_at(m, h, m->nplaces == 1 ? 0 : place, term, s->omega[q]);
  }
}

/* Returns 0 with a fault. */
static int is_good(const struct maker *m, const struct tor_sheet *s) {
  const struct tor_place *place = tor_job_source_place(m->job, m->source);
  const struct tor_profile *t = &m->source->profile;
  if (s->beside > MOST_BESIDE) {
    const struct tor_beam *b = &m->beam[m->nbeams / 2];
    const double radius = fmax(b->radius[0], b->radius[1]) / m->job->length_unit;
    tor_fault_at(m->faults, place,
                 "%.2g of the beam's power passes beside its plane, where its radius is %.4g, need " TOR_NEEDED(
                     "at most %.0e: a plane that reaches two radii to each side of it before the absorbing layers"),
                 s->beside, radius, MOST_BESIDE);
    return 0;
  }
  if (s->error <= MOST_ERROR) return 1;
  tor_fault_at(m->faults, place,
               "its fields change too much over the pulse's band: with %d terms the error is %.1e, need " TOR_NEEDED(
                   "at most %.0e: a time.band of about %.3g nm, a smaller tilt or a plane nearer to the focus"),
               s->nterms, s->error, MOST_ERROR, pow(0.5 * MOST_ERROR / s->error, 1.0 / 6) * t->band / TOR_NM);
  return 0;
}

static struct tor_sheet *make_sheet(struct maker *m) {
  const struct tor_plane_media *p = &m->plane;
  struct tor_sheet *s = tor_plane_media_sheet(p, m->source->direction);
  if (make_beams(m, &s->index)) {
    find_terms(m, s);
    s->error = fmax(s->error, error_between(m));
    s->nprofiles = s->nterms;
    set_profiles(m, s);
    set_signals(m, s);
    if (is_good(m, s)) return s;
  }
  tor_sheet_free(s);
  return NULL;
}

/* The part of the plane before the absorbing layers, in nodes. */
static void make_box(const struct tor_source *s, const struct tor_grid *g, int box[2][2]) {
  tor_plane_media_box(g, s->axis, s->lo, s->hi, box);
  for (int side = 0; side < 2; side++) {
    const int a = (s->axis + 1 + side) % 3;
    const int from = tor_boundary_layer(&g->face[2 * a]), to = g->n[a] - tor_boundary_layer(&g->face[2 * a + 1]);
    if (box[0][side] < from) box[0][side] = from;
    if (box[1][side] > to) box[1][side] = to;
  }
}

struct tor_sheet *tor_beam_source_make(const struct tor_job *job, const struct tor_source *source,
                                       struct tor_faults *faults) {
  struct maker m = {.job = job, .source = source, .faults = faults};
  struct tor_sheet *sheet = NULL;
  struct tor_grid grid;
  int box[2][2];
  tor_grid_make(job, &grid);
  make_box(source, &grid, box);
  m.band = tor_band_make(&source->profile);
  m.nplaces = grid.order == 4 ? TOR_SHEET_PLACES : 1;
  const int reach = grid.order == 4 ? 2 : 1, count = 2 * reach + 1;
  struct tor_plane_media around[TOR_PLANES_MOST];
  tor_plane_media_make_some(job, source->axis, tor_grid_node(&grid, source->axis, source->lo[source->axis]) - reach,
                            count, (const int(*)[2])box, around);
  m.plane = around[reach];
  m.scratch = tor_alloc((size_t)m.plane.npoints, sizeof *m.scratch, "beam");
  if (m.plane.surface)
    tor_fault_at(faults, tor_job_source_place(job, source),
                 "surfaces cross its plane, need " TOR_NEEDED("a plane in one homogeneous medium"));
  else if (is_uniform(&m, around, count))
    sheet = make_sheet(&m);
  for (int i = 0; i < m.nbeams; i++) tor_beam_free(&m.beam[i]);
  for (int h = 0; h < 2; h++) tor_sheet_terms_free(&m.terms[h]);
  free(m.scratch);
  for (int k = 0; k < count; k++) tor_plane_media_free(&around[k]);
  return sheet;
}

void tor_beam_source_text(const struct tor_source *s, char *text, size_t size) {
  const struct tor_sheet *sheet = s->sheet;
  const double wavelength = 2 * TOR_PI * TOR_C0 / tor_band_make(&s->profile).omega;
  int used = snprintf(text, size, "source %s: Gaussian beam at %.6g nm in n = %.5g, waist %.6g", s->name,
                      wavelength / TOR_NM, sheet->index, s->waist[0] / TOR_NM);
  if (s->waist[1] != s->waist[0]) used += snprintf(text + used, size - (size_t)used, " and %.6g", s->waist[1] / TOR_NM);
  used += snprintf(text + used, size - (size_t)used, " nm, Rayleigh length %.4g um; %d term%s",
                   TOR_PI * s->waist[0] * s->waist[0] * sheet->index / wavelength * 1e6, sheet->nterms,
                   sheet->nterms > 1 ? "s" : "");
  if (s->profile.kind == TOR_PULSE)
    used += snprintf(text + used, size - (size_t)used, " over the pulse's band, error %.1e", sheet->error);
  snprintf(text + used, size - (size_t)used, "; %.1e of its power passes beside the plane", fmax(sheet->beside, 0));
}
