/* Sources cut off by the end of a run: see cut_off.h. */
#include "src/model/cut_off.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/known_errors.h"
#include "src/model/profile.h"

static const double LEAST = 1e-3; /* of a power: pulses have long tails */
enum { MOST_WAVELENGTHS = 64 };   /* of one monitor that are looked at */

/* Spectrum of a profile between two times, without its amplitude [s]. */
static double complex spectrum(const struct tor_profile *p, double from, double to, double step, double omega) {
  const int n = (int)ceil((to - from) / step);
  const double dt = (to - from) / n;
  double complex sum = 0;
  for (int i = 0; i < n; i++) {
    const double t = from + (i + 0.5) * dt;
    sum += tor_profile_value(p, t) * CMPLX(cos(omega * t), sin(omega * t));
  }
  return sum * dt;
}

static double cut_off_wave(const struct tor_profile *p, double time, const double *omega, int n) {
  double carrier, half;
  tor_profile_band(p, &carrier, &half);
  for (int i = 0; i < n; i++)
    if (fabs(omega[i] - carrier) * (time - p->delay) > TOR_PI) return TOR_ALL_WRONG;
  return 0;
}

double tor_profile_cut_off(const struct tor_profile *p, double time, const double *omega, int n) {
  enum { SAMPLES = 24 }; /* in a period */
  const double end = tor_profile_end(p);
  double top = 0, before = 0, after = 0;
  if (end <= time || n < 1) return 0;
  if (p->kind == TOR_CONTINUOUS) return cut_off_wave(p, time, omega, n);
  if (time <= p->delay) return TOR_ALL_WRONG;
  for (int i = 0; i < n; i++) top = fmax(top, omega[i]);
  const double carrier = p->kind == TOR_PULSE ? 2 * TOR_PI * tor_profile_bandwidth(p) : 0;
  const double step = fmin(2 * TOR_PI / (SAMPLES * fmax(top, carrier)), (end - p->delay) / (4 * SAMPLES));
  for (int i = 0; i < n; i++) {
    before = fmax(before, cabs(spectrum(p, p->delay, time, step, omega[i])));
    after = fmax(after, cabs(spectrum(p, time, end, step, omega[i])));
  }
  return after < TOR_ALL_WRONG * before ? after / before : TOR_ALL_WRONG;
}

/* Angular frequencies of the monitors whose spectra the end of the run may cut off. Their number. */
static int frequencies(const struct tor_job *job, double *omega) {
  int n = 0;
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    const int count = m->nwavelength < MOST_WAVELENGTHS ? m->nwavelength : MOST_WAVELENGTHS;
    if (m->windowed && m->window[1] + m->window[2] <= job->run_time) continue;
    for (int q = 0; q < count; q++) {
      const int at = count > 1 ? (int)((long long)q * (m->nwavelength - 1) / (count - 1)) : 0;
      omega[n++] = 2 * TOR_PI * TOR_C0 / m->wavelength[at];
    }
  }
  return n;
}

struct tor_cut_off tor_cut_off_find(const struct tor_job *job, const struct tor_grid *g) {
  struct tor_cut_off cut = {-1, 0, 0, 0};
  int lasts = 0;
  for (int i = 0; i < job->nsources; i++) lasts |= tor_profile_end(&job->sources[i].profile) > job->run_time;
  if (!lasts) return cut;
  double *omega = tor_alloc((size_t)job->nmonitors * MOST_WAVELENGTHS + 1, sizeof *omega, "wavelengths");
  const int n = frequencies(job, omega);
  int endless = 0;
  double crossing = 0;
  for (int a = 0; a < 3; a++) crossing += g->n[a] > 1 ? tor_grid_length(g, a) / TOR_C0 : 0;
  for (int i = 0; i < job->nsources && n; i++) {
    const struct tor_profile *p = &job->sources[i].profile;
    const double end = tor_profile_end(p), amplitude = tor_profile_cut_off(p, job->run_time, omega, n);
    if (end <= job->run_time) continue;
    if (cut.source < 0 || amplitude > cut.amplitude) cut.source = i, cut.amplitude = amplitude;
    if (isinf(end))
      endless = 1;
    else
      cut.time = fmax(cut.time, end + 2 * crossing);
  }
  free(omega);
  cut.error = tor_error_of_powers(cut.amplitude);
  if (cut.error < LEAST && !endless) cut.source = -1;
  return cut;
}

void tor_cut_off_error(const struct tor_job *job, const struct tor_grid *grid, struct tor_known_errors *errors) {
  const struct tor_cut_off cut = tor_cut_off_find(job, grid);
  if (cut.source < 0) return;
  const struct tor_source *s = &job->sources[cut.source];
  char off[48] = "all wrong", needed[48];
  if (isinf(tor_profile_end(&s->profile))) {
    tor_known_errors_set(
        errors, TOR_SOURCE_CUT_OFF, cut.amplitude, tor_job_source_place(job, s),
        cut.error > job->tolerance ? "monitors at that, or a pulse" : "",
        "source %s is continuous: spectra depend on when the run ends, and are meaningful only at its wavelength",
        s->name);
    return;
  }
  if (cut.error < 1) snprintf(off, sizeof off, "off by up to %.2g %% of the largest", 100 * cut.error);
  snprintf(needed, sizeof needed, "run.time_fs = %.3g or more", 1.005 * cut.time / TOR_FS);
  tor_known_errors_set(errors, TOR_SOURCE_CUT_OFF, cut.amplitude, tor_job_place(job, "run.time_fs"), needed,
                       "run.time_fs = %g ends before source %s does, at %g fs: spectra are cut off, powers are %s",
                       job->run_time / TOR_FS, s->name, tor_profile_end(&s->profile) / TOR_FS, off);
}
