/* Warnings about plane waves of a fixed k: see tilt_warnings.h. */
#include "src/model/tilt_warnings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/profile.h"
#include "src/model/wave_check.h"

/* The part of a pulse's amplitude spectrum, over its peak, that counts. */
static const double SPECTRUM = 1e-3;
/* What a layer may return of the amplitude. */
static const double RETURNED = 0.01;

struct tilt {
  const struct tor_job *job;
  const struct tor_grid *grid;
  const struct tor_source *source;
  int axis;       /* that it crosses */
  double along;   /* wave number along the walls, or layers [1/m] */
  double index;   /* of the medium where the wave enters */
  double longest; /* in vacuum: the wave of it travels along the walls [m] */
};

static double angle_at(const struct tilt *t, double wavelength) { return asin(wavelength / t->longest) * 180 / TOR_PI; }

/* A table of angles over the band in which the spectrum is above 1/e. */
static void note_angles(const struct tilt *t) {
  char text[200] = "";
  const struct tor_profile *p = &t->source->profile;
  const double centre = t->source->angle_at > 0 ? t->source->angle_at : p->wavelength;
  const double at[3] = {p->wavelength - 0.5 * p->band, centre, p->wavelength + 0.5 * p->band};
  const int all = p->kind == TOR_PULSE;
  for (int i = !all; i < (all ? 3 : 2); i++) {
    const size_t used = strlen(text);
    if (at[i] < t->longest)
      snprintf(text + used, sizeof text - used, "%s%.2f degrees at %g nm", used ? ", " : "", angle_at(t, at[i]),
               at[i] / TOR_NM);
    else
      snprintf(text + used, sizeof text - used, "%snone at %g nm", used ? ", " : "", at[i] / TOR_NM);
  }
  tor_log_note_at(tor_job_source_place(t->job, t->source),
                  "plane wave %s: its wave number along the %s is that of all wavelengths, %.6g rad/um, so that its "
                  "angle to %c depends on the wavelength: %s; from %.6g nm on it does not travel across",
                  t->source->name, t->source->periodic ? "walls" : "layers", t->along * 1e-6,
                  tor_axis_name(t->job, t->axis), text, t->longest / TOR_NM);
}

static void warn_band(const struct tilt *t) {
  const struct tor_profile *p = &t->source->profile;
  if (p->kind != TOR_PULSE) return;
  double omega, half;
  tor_profile_band(p, &omega, &half);
  const double off = (omega - 2 * TOR_PI * TOR_C0 / t->longest) / half;
  if (off > 0 && exp(-off * off) < SPECTRUM) return;
  tor_log_warning_at(tor_job_source_place(t->job, t->source),
                     "plane wave %s: its band reaches the wavelength of %.6g nm, at which it travels along the %s, "
                     "with %.2g of its largest amplitude: light near it stays in the cell for long, and absorbing "
                     "layers return it; need " TOR_NEEDED("a smaller band, or runs of several angles or wavelengths"),
                     t->source->name, t->longest / TOR_NM, t->source->periodic ? "walls" : "layers",
                     off > 0 ? exp(-off * off) : 1.0);
}

/* What a CPML returns of the amplitude: that at a right angle to the power of the cosine. */
static void warn_layers(const struct tilt *t, double wavelength, const char *monitor) {
  const struct tor_grid *g = t->grid;
  const double cosine = cos(angle_at(t, wavelength) * TOR_PI / 180);
  char faces[32] = "";
  double most = 0, needed = 0;
  for (int f = 2 * t->axis; f < 2 * t->axis + 2; f++) {
    const struct tor_boundary *b = &g->face[f];
    const double returned = exp(-1.6 * b->cells * b->sigma * cosine);
    if (b->wall != TOR_CPML || returned < RETURNED) continue;
    snprintf(faces + strlen(faces), sizeof faces - strlen(faces), " %s", tor_job_face_name(t->job, f));
    most = fmax(most, returned);
    needed = fmax(needed, ceil(-log(0.1 * RETURNED) / (1.6 * b->sigma * cosine)));
  }
  if (*faces)
    tor_log_warning_at(
        tor_job_place(t->job, "boundaries"),
        "the CPML at%s returns %.2g %% of the amplitude of the plane wave at %.4g nm (monitor %s), which "
        "meets it at %.3g degrees; need " TOR_NEEDED("%.0f cells, which return 0.1 %%"),
        faces, 100 * most, wavelength / TOR_NM, monitor, angle_at(t, wavelength), needed);
}

static void warn_monitors(const struct tilt *t) {
  double worst = 0;
  const char *name = "";
  for (int i = 0; i < t->job->nmonitors; i++) {
    const struct tor_monitor *m = &t->job->monitors[i];
    int beyond = 0;
    for (int q = 0; q < m->nwavelength; q++) {
      beyond += m->wavelength[q] >= t->longest;
      if (m->wavelength[q] >= t->longest || m->wavelength[q] <= worst) continue;
      worst = m->wavelength[q];
      name = m->name;
    }
    if (beyond)
      tor_log_warning_at(
          tor_job_monitor_place(t->job, m),
          "monitor %s: %d of its wavelengths %s at or above %.6g nm, where the plane wave does not travel "
          "across the cell: its fractions there are nan",
          m->name, beyond, beyond > 1 ? "are" : "is", t->longest / TOR_NM);
  }
  if (worst > 0 && t->source->periodic) warn_layers(t, worst, name);
}

/* Wave numbers along the walls, or along the layers in a box with sides; 0: another wave, or none. */
static double wave_number_along(const struct tilt *t) {
  const struct tor_source *s = t->source;
  double square = 0;
  if (s->kind != TOR_PLANE_WAVE) return 0;
  if (s->periodic)
    for (int a = 0; a < 3; a++)
      square += a == s->axis || !tor_grid_periodic(t->grid, a) ? 0 : pow(tor_grid_bloch(t->grid, a), 2);
  else if (s->oblique && tor_wave_meets_layers(t->job, t->grid, s))
    square = pow(2 * TOR_PI * t->index / (s->angle_at > 0 ? s->angle_at : s->profile.wavelength), 2) *
             (s->travel[TOR_X] * s->travel[TOR_X] + s->travel[TOR_Y] * s->travel[TOR_Y]);
  return sqrt(square);
}

void tor_tilt_warnings_log(const struct tor_job *job, const struct tor_grid *grid) {
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    struct tilt t = {.job = job, .grid = grid, .source = s, .axis = s->periodic ? s->axis : TOR_Z};
    double x[3] = {0, 0, 0};
    x[t.axis] = s->travel[t.axis] > 0 ? s->lo[t.axis] : s->hi[t.axis];
    const struct tor_medium *m = &job->media[tor_job_medium_at(job, x)];
    t.index = sqrt(m->eps[0] * m->mu[0]);
    t.along = wave_number_along(&t);
    if (!(t.along > 0)) continue;
    t.longest = 2 * TOR_PI * t.index / t.along;
    note_angles(&t);
    warn_band(&t);
    warn_monitors(&t);
  }
}
