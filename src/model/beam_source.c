/* Sources of Gaussian beams: see beam_source.h. */
#include "src/model/beam_source.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/sheet.h"
#include "src/model/band.h"
#include "src/model/band_sheet.h"
#include "src/model/beam.h"
#include "src/model/open_plane.h"
#include "src/model/plane_media.h"

static const double MOST_ERROR = 1e-3;   /* of the fields over their norm */
static const double MOST_STOPPED = 1e-4; /* amplitude of waves that do not travel through the plane */
static const double MOST_BESIDE = 1e-3;  /* part of the power */

struct maker {
  const struct tor_job *job;
  const struct tor_source *source;
  struct tor_faults *faults;
  struct tor_plane_media plane;
  struct tor_band band;
  int nbeams;
  struct tor_beam beam[TOR_BAND_SHEET_MOST];
  double complex *scratch; /* [npoints] */
  double beside;           /* the largest part of the power, of the band's points */
};

/* --- The medium --- */

/* Returns 0 with a fault: not one medium. */
static int find_medium(const struct maker *m, double omega, double *eps, double *mu) {
  const char *wrong = tor_beam_medium(&m->plane, omega, eps, mu);
  if (wrong) tor_fault_at(m->faults, tor_job_source_place(m->job, m->source), "%s", wrong);
  return !wrong;
}

/* --- Fields --- */

/* The beams at all frequencies. Returns 0 with a fault. */
static int make_beams(struct maker *m, double *index) {
  m->nbeams = tor_band_sheet_frequencies(&m->band);
  for (int i = 0; i < m->nbeams; i++) {
    const double omega = tor_band_sheet_omega(&m->band, i);
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

/* The beam's fields for the sheet; notes the part beside the plane at the band's points. */
static void take_fields(void *self, int beam, int h, int place, double *to) {
  struct maker *m = self;
  tor_beam_take(&m->beam[beam], m->source->direction, h, place, m->scratch, to);
  if (!h && beam % 2 == 0 && place == TOR_SHEET_PLACES / 2) m->beside = fmax(m->beside, beside_of(m, beam, to));
}

/* --- The sheet --- */

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
  double index = 1;
  if (!make_beams(m, &index)) return NULL;
  struct tor_sheet *s = tor_band_sheet_make(&m->plane, m->source, take_fields, m);
  s->index = index;
  s->beside = m->beside;
  if (is_good(m, s)) return s;
  tor_sheet_free(s);
  return NULL;
}

struct tor_sheet *tor_beam_source_make(const struct tor_job *job, const struct tor_source *source,
                                       struct tor_faults *faults) {
  struct maker m = {.job = job, .source = source, .faults = faults, .band = tor_band_make(&source->profile)};
  struct tor_sheet *sheet = NULL;
  struct tor_open_plane open;
  if (tor_open_plane_make(job, source, faults, &open)) {
    m.plane = *open.plane;
    m.scratch = tor_alloc((size_t)m.plane.npoints, sizeof *m.scratch, "beam");
    sheet = make_sheet(&m);
  }
  for (int i = 0; i < m.nbeams; i++) tor_beam_free(&m.beam[i]);
  free(m.scratch);
  tor_open_plane_free(&open);
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
