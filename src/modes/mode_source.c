/* Sources of a guided mode: see mode_source.h. */
#include "src/modes/mode_source.h"

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
#include "src/model/flat_walls.h"
#include "src/model/plane_media.h"
#include "src/model/profile.h"
#include "src/modes/mode_solver.h"
#include "src/modes/modes.h"

static const double GOOD = 1e-4; /* error of a profile over its norm */
static const double LEAST = 0.8; /* overlap of a mode that continues another, 1 at the centre */

struct band {
  const struct tor_job *job;
  const struct tor_source *source;
  struct tor_plane_media plane;
  struct tor_band pulse;
  struct tor_mode mode[TOR_BAND_POINTS]; /* at the band's points */
  int known[TOR_BAND_POINTS];
};

/* --- Modes at the frequencies --- */

/* E and H of two modes together, as one product of fields in the update's units. */
static double complex product(const struct tor_plane_media *p, const struct tor_mode *a, const struct tor_mode *b) {
  double complex sum = 0;
  for (int c = 0; c < TOR_NCOMP; c++) {
    if (tor_comp_axis(c) == p->axis) continue;
    const double scale = tor_comp_is_h(c) ? TOR_ETA0 * TOR_ETA0 : 1;
    const double complex turn = tor_comp_is_h(c) ? cexp(-0.5 * TOR_I * (a->theta - conj(b->theta))) : 1;
    for (int i = 0; i < p->npoints; i++)
      sum += scale * turn * tor_plane_media_share(p, c, i) * a->field[c][i] * conj(b->field[c][i]);
  }
  return sum;
}

/* Multiplies a mode by the phase that makes it continue another one. */
static void align(const struct tor_plane_media *p, const struct tor_mode *with, struct tor_mode *mode) {
  const double complex of = product(p, mode, with), phase = conj(of) / cabs(of);
  for (int c = 0; c < TOR_NCOMP; c++)
    for (int i = 0; i < p->npoints; i++) mode->field[c][i] *= phase;
}

static int solve_centre(struct band *b, struct tor_mode *to, char *why, size_t size) {
  const struct tor_source *s = b->source;
  const int count = s->mode + 1;
  const struct tor_mode_request request = {2 * TOR_PI * TOR_C0 / b->pulse.omega, count, s->target, -1};
  struct tor_mode *const mode = tor_alloc((size_t)count, sizeof *mode, "modes");
  const int found = tor_modes_solve(b->job, &b->plane, &request, mode, why, size);
  for (int m = 0; m < found; m++)
    if (m == s->mode)
      *to = mode[m];
    else
      tor_mode_free(&mode[m]);
  free(mode);
  if (found <= s->mode) return 0;
  if (!to->evanescent) return 1;
  snprintf(why, size, "mode %d carries no power", s->mode);
  tor_mode_free(to);
  return 0;
}

/* Of modes the one that has most of the centre's mode, and how much: 1 at the centre. */
static int best_of(const struct band *b, const struct tor_mode *mode, int count, double *most) {
  const struct tor_mode *centre = &b->mode[TOR_BAND_CENTRE];
  int best = -1;
  *most = 0;
  for (int m = 0; m < count; m++) {
    const double overlap = cabs(product(&b->plane, &mode[m], centre)) /
                           sqrt(creal(product(&b->plane, &mode[m], &mode[m]) * product(&b->plane, centre, centre)));
    if (overlap <= *most) continue;
    *most = overlap;
    best = m;
  }
  return best;
}

/* The mode at point k that continues the one at the centre; 0: there is none. */
static int solve_at(struct band *b, int k, char *why, size_t size) {
  enum { COUNT = 3 };
  if (b->known[k]) return 1;
  if (k == TOR_BAND_CENTRE) return b->known[k] = solve_centre(b, &b->mode[k], why, size);
  const struct tor_mode *centre = &b->mode[TOR_BAND_CENTRE];
  const double omega = tor_band_at(&b->pulse, k);
  const double beta = creal(centre->beta) + creal(centre->group) * (omega - b->pulse.omega) / TOR_C0;
  const struct tor_mode_request request = {2 * TOR_PI * TOR_C0 / omega, COUNT, beta * TOR_C0 / omega, -1};
  struct tor_mode mode[COUNT];
  if (!(omega > 0) || !(request.target > 0)) return 0;
  int found = tor_modes_continue(b->job, &b->plane, &request, centre, &mode[0]);
  double most;
  int best = best_of(b, mode, found, &most);
  if (most < LEAST) {
    for (int m = 0; m < found; m++) tor_mode_free(&mode[m]);
    found = tor_modes_solve(b->job, &b->plane, &request, mode, why, size);
    best = best_of(b, mode, found, &most);
  }
  for (int m = 0; m < found; m++)
    if (m != best || most < LEAST) tor_mode_free(&mode[m]);
  if (most < LEAST) {
    if (found) snprintf(why, size, "no mode there continues it (overlap %.2f)", most);
    return 0;
  }
  b->mode[k] = mode[best];
  align(&b->plane, centre, &b->mode[k]);
  return b->known[k] = 1;
}

/* --- Interpolation over frequencies --- */

/* The phase of a cell. */
static double complex theta_at(const struct band *b, int level, double omega) {
  double complex sum = 0;
  for (int k = 0; k < TOR_BAND_POINTS; k++)
    if (tor_band_has(level, k)) sum += tor_band_lagrange(&b->pulse, level, k, omega) * b->mode[k].theta;
  return sum;
}

/* The error of a level's profiles at point k: the mode there less the sum of profiles, over the mode. */
static double error_at(const struct band *b, int level, int k) {
  const struct tor_plane_media *p = &b->plane;
  const struct tor_mode *here = &b->mode[k];
  double complex weight[2][TOR_BAND_POINTS] = {{0}}, back[2] = {1, cexp(-0.5 * TOR_I * here->theta)}; /* of E, H */
  double error = 0, all = 0;
  for (int m = 0; m < TOR_BAND_POINTS; m++) {
    if (!tor_band_has(level, m)) continue;
    weight[0][m] = tor_band_lagrange(&b->pulse, level, m, here->omega);
    weight[1][m] = weight[0][m] * cexp(-0.5 * TOR_I * b->mode[m].theta);
  }
  for (int c = 0; c < TOR_NCOMP; c++) {
    if (tor_comp_axis(c) == p->axis) continue;
    const int h = tor_comp_is_h(c);
    const double scale = h ? TOR_ETA0 * TOR_ETA0 : 1;
    for (int i = 0; i < p->npoints; i++) {
      const double share = scale * tor_plane_media_share(p, c, i);
      const double complex value = here->field[c][i] * back[h];
      double complex off = value;
      for (int m = 0; m < TOR_BAND_POINTS; m++)
        if (tor_band_has(level, m)) off -= weight[h][m] * b->mode[m].field[c][i];
      error += share * creal(off * conj(off));
      all += share * creal(value * conj(value));
    }
  }
  return sqrt(error / all);
}

/* --- The sheet --- */

/* Value i of a mode as the update stores it, H in phase with the node. */
static double complex value_of(const struct tor_plane_media *p, const struct tor_mode *mode, int comp, int i) {
  const double d = p->grid.d[tor_comp_axis(comp)] * (tor_plane_media_share(p, comp, i) > 0);
  return mode->field[comp][i] * d * (tor_comp_is_h(comp) ? TOR_ETA0 * cexp(-0.5 * TOR_I * mode->theta) : 1);
}

/* Value i of the profile TOR_SHEET_NODES: E along the axis, in phase with the node and over i, times g. */
static double complex node_value_of(const struct tor_plane_media *p, const struct tor_mode *mode, int i) {
  if (!p->surface) return 0;
  return p->surface[3 * p->npoints + i] / TOR_I * cexp(-0.5 * TOR_I * mode->theta) *
         value_of(p, mode, TOR_EX + p->axis, i);
}

/* Whether fields have no imaginary part but rounding. */
static int is_real(const struct tor_plane_media *p, const struct tor_mode *mode) {
  double most = 0, off = 0;
  for (int c = 0; c < TOR_NCOMP; c++)
    for (int i = 0; i < p->npoints && c != TOR_HX + p->axis; i++) {
      const double complex value = c == TOR_EX + p->axis ? node_value_of(p, mode, i) : value_of(p, mode, c, i);
      most = fmax(most, cabs(value));
      off = fmax(off, fabs(cimag(value)));
    }
  return off <= 1e-10 * most;
}

static void set_profiles(const struct band *b, const int *chosen, int count, int real, struct tor_sheet *s) {
  const struct tor_plane_media *p = &b->plane;
  s->nterms = count * (real ? 1 : 2);
  for (int f = 0; f < tor_sheet_profiles(s); f++) {
    const int comp = (f < 2 ? TOR_EX : TOR_HX) + (f % 2 ? p->last : p->next);
    const double sign = f < 2 ? 1 : s->direction; /* the wave to lower coordinates: H across, E along the axis */
    s->profile[f] = tor_alloc((size_t)s->nterms * (size_t)p->npoints, sizeof *s->profile[f], "mode source");
    for (int m = 0; m < count; m++)
      for (int i = 0; i < p->npoints; i++) {
        const struct tor_mode *mode = &b->mode[chosen[m]];
        const double complex value =
            sign * (f == TOR_SHEET_NODES ? node_value_of(p, mode, i) : value_of(p, mode, comp, i));
        double *const to = s->profile[f] + (size_t)(real ? m : 2 * m) * (size_t)p->npoints + i;
        *to = creal(value);
        if (!real) to[p->npoints] = cimag(value);
      }
  }
}

/* What a sheet's signals are made of. */
struct terms {
  int level, count, real;
  const int *chosen; /* [count] points of the band */
};

/* Sets a place's signals: of the lines given, `along` cells from the node along the direction. Returns what follows. */
static double complex *set_place(const struct band *b, const struct terms *t, const struct tor_sheet *s,
                                 const double complex *line, double along, double complex *to) {
  for (int q = 0; q < s->nfreq; q++) {
    const double complex theta = theta_at(b, b->pulse.half > 0 ? t->level + 1 : 0, s->omega[q]);
    const double complex here = line[q] * cexp(TOR_I * theta * along);
    for (int m = 0; m < t->count; m++) {
      const double complex part = here * tor_band_lagrange(&b->pulse, t->level, t->chosen[m], s->omega[q]);
      *to++ = part;
      if (!t->real) *to++ = TOR_I * part; /* Re(i z) = -Im z */
    }
  }
  return to;
}

static void set_signals(const struct band *b, const struct terms *t, struct tor_sheet *s) {
  double complex pulse[TOR_BAND_LINES];
  tor_band_lines(&b->pulse, &b->source->profile, s, pulse);
  const size_t each = (size_t)s->nfreq * (size_t)s->nterms;
  for (int h = 0; h < 2; h++) {
    double complex *to = s->amplitude[h] = tor_alloc(TOR_SHEET_PLACES * each, sizeof *to, "mode source");
    for (int place = 0; place < TOR_SHEET_PLACES; place++)
      to = set_place(b, t, s, pulse, s->direction * (place - 1) - 0.5 * h, to);
  }
  if (!s->has_nodes) return;
  const struct tor_plane_media *p = &b->plane;
  double complex *to = s->node_amplitude = tor_alloc(2 * each, sizeof *to, "mode source");
  for (int q = 0; q < s->nfreq; q++) /* of the nodes' current, with the profile's i */
    pulse[q] *= TOR_I * p->node_coef.in[p->axis] * p->node_coef.out[p->axis] * tor_plane_media_node(p, s->omega[q]);
  for (int high = 0; high < 2; high++) to = set_place(b, t, s, pulse, s->direction * (high - 0.5), to);
}

static struct tor_sheet *make_sheet(const struct band *b, int level, double error) {
  const struct tor_plane_media *p = &b->plane;
  struct tor_sheet *s = tor_plane_media_sheet(p, b->source->direction);
  int chosen[TOR_BAND_POINTS], count = 0, real = 1;
  for (int k = 0; k < TOR_BAND_POINTS; k++)
    if (tor_band_has(level, k)) {
      chosen[count++] = k;
      real &= is_real(p, &b->mode[k]);
    }
  const struct terms terms = {level, count, real, chosen};
  s->has_nodes = p->surface != NULL;
  s->nprofiles = count;
  s->error = error;
  s->n_eff = b->mode[TOR_BAND_CENTRE].n_eff;
  s->group = creal(b->mode[TOR_BAND_CENTRE].group);
  s->beside = tor_mode_beyond(b->job, p, &b->mode[TOR_BAND_CENTRE], &(int){0}, &(int){0});
  set_profiles(b, chosen, count, real, s);
  set_signals(b, &terms, s);
  return s;
}

/* --- Faults --- */

/* The band in which the mode was found [m]. */
static void available(const struct band *b, double *lo, double *hi) {
  double least = b->pulse.omega, most = b->pulse.omega;
  for (int k = 0; k < TOR_BAND_POINTS; k++) {
    if (!b->known[k]) continue;
    least = fmin(least, tor_band_at(&b->pulse, k));
    most = fmax(most, tor_band_at(&b->pulse, k));
  }
  *lo = 2 * TOR_PI * TOR_C0 / most;
  *hi = 2 * TOR_PI * TOR_C0 / least;
}

static void fault_lost(struct band *b, int k, const char *why, struct tor_faults *faults) {
  double lo, hi;
  char unused[256];
  for (int side = -1; side <= 1 && b->known[TOR_BAND_CENTRE]; side += 2)
    for (int i = TOR_BAND_CENTRE + side; i >= 0 && i < TOR_BAND_POINTS && solve_at(b, i, unused, sizeof unused);)
      i += side;
  available(b, &lo, &hi);
  if (!b->known[TOR_BAND_CENTRE])
    tor_fault_at(faults, tor_job_source_place(b->job, b->source),
                 "mode %d not found at %.6g nm%s%s, need " TOR_NEEDED("one of those that torre modes finds there"),
                 b->source->mode, 2 * TOR_PI * TOR_C0 / b->pulse.omega / TOR_NM, *why ? ": " : "", why);
  else
    tor_fault_at(faults, tor_job_source_place(b->job, b->source),
                 "its mode is lost at %.6g nm: %s; it was found from %.6g to %.6g nm, need " TOR_NEEDED(
                     "a pulse (time.band) in such a band"),
                 2 * TOR_PI * TOR_C0 / tor_band_at(&b->pulse, k) / TOR_NM, why, lo / TOR_NM, hi / TOR_NM);
}

/* Enough frequencies for the band, or a fault. */
static struct tor_sheet *find_levels(struct band *b, struct tor_faults *faults) {
  char why[256] = "";
  double error = 0;
  int level = 0;
  for (;; level++) {
    for (int k = 0; k < TOR_BAND_POINTS; k++)
      if (tor_band_has(level, k) && !solve_at(b, k, why, sizeof why)) {
        fault_lost(b, k, why, faults);
        return NULL;
      }
    if (!(b->pulse.half > 0)) return make_sheet(b, 0, 0);
    if (!level) continue;
    error = 0;
    for (int k = 0; k < TOR_BAND_POINTS; k++)
      if (tor_band_has(level, k) && !tor_band_has(level - 1, k)) error = fmax(error, error_at(b, level - 1, k));
    if (error <= GOOD) return make_sheet(b, level - 1, error);
    const int real = is_real(&b->plane, &b->mode[TOR_BAND_CENTRE]);
    if (level == TOR_BAND_LEVELS - 1 || (!real && 2 * tor_band_points(level) > TOR_SHEET_MOST_TERMS)) break;
  }
  const double factor = pow(0.5 * GOOD / error, 1.0 / tor_band_points(level - 1));
  tor_fault_at(faults, tor_job_source_place(b->job, b->source),
               "the mode's profile changes too much over the pulse's band: with %d frequencies the error is %.1e, "
               "need " TOR_NEEDED("at most %.0e: a time.band of about %.3g nm"),
               tor_band_points(level - 1), error, GOOD, factor * b->source->profile.band / TOR_NM);
  return NULL;
}

struct tor_sheet *tor_mode_source_make(const struct tor_job *job, const struct tor_source *source,
                                       struct tor_faults *faults) {
  struct band b = {.job = job, .source = source};
  struct tor_grid grid;
  int box[2][2];
  if (!tor_mode_solver_built()) {
    tor_fault_at(faults, tor_job_source_place(job, source),
                 "this torre was built without the mode solver, need " TOR_NEEDED(
                     "one that is built with ARPACK and SuperLU (libarpack2-dev, libsuperlu-dev)"));
    return NULL;
  }
  tor_grid_make(job, &grid);
  tor_plane_media_box(&grid, source->axis, source->lo, source->hi, box);
  b.pulse = tor_band_make(&source->profile);
  const int reach = grid.order == 4 ? 2 : 1, count = 2 * reach + 1;
  struct tor_plane_media around[TOR_PLANES_MOST];
  tor_plane_media_make_some(job, source->axis, tor_grid_node(&grid, source->axis, source->lo[source->axis]) - reach,
                            count, (const int(*)[2])box, around);
  b.plane = around[reach];
  struct tor_sheet *sheet = NULL;
  if (tor_plane_media_have_tensor(around, count))
    tor_fault_at(faults, tor_job_source_place(job, source),
                 "the plane of a mode crosses a medium whose polarisation is at nodes, which modes do not have, "
                 "need " TOR_NEEDED("a plane outside it, or a permittivity along the axes"));
  else if (b.plane.lacks_metal_nodes)
    tor_fault_at(faults, tor_job_source_place(job, source),
                 "the plane of a mode crosses a metal, whose surface nodes (averaging \"tensor\") modes do not have, "
                 "need " TOR_NEEDED("grid.averaging = \"subpixel\""));
  else if (!tor_plane_media_alike(around, count)) /* what the sheets touch */
    tor_fault_at(faults, tor_job_source_place(job, source),
                 "the guide changes along %c within %d cells of the plane, need " TOR_NEEDED("a uniform part of it"),
                 tor_axis_name(job, source->axis), reach + tor_flat_rule(job, &grid).reach);
  else
    sheet = find_levels(&b, faults);
  for (int k = 0; k < TOR_BAND_POINTS; k++)
    if (b.known[k]) tor_mode_free(&b.mode[k]);
  for (int k = 0; k < count; k++) tor_plane_media_free(&around[k]);
  return sheet;
}

void tor_mode_source_text(const struct tor_source *s, char *text, size_t size) {
  double omega, half;
  tor_profile_band(&s->profile, &omega, &half);
  int used = snprintf(text, size, "source %s: mode at %.6g nm of n_eff %.6f", s->name,
                      2 * TOR_PI * TOR_C0 / omega / TOR_NM, creal(s->sheet->n_eff));
  if (cimag(s->sheet->n_eff) != 0)
    used += snprintf(text + used, size - (size_t)used, " %+.2e i", cimag(s->sheet->n_eff));
  used += snprintf(text + used, size - (size_t)used, ", n_g %.5f; %d profile%s", s->sheet->group, s->sheet->nprofiles,
                   s->sheet->nprofiles > 1 ? "s" : "");
  if (s->profile.kind == TOR_PULSE)
    snprintf(text + used, size - (size_t)used, " over the pulse's band, error between them %.1e", s->sheet->error);
}
