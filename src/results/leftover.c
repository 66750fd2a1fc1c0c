/* Energy left at the end of a run: see leftover.h. */
#include "src/results/leftover.h"

#include <math.h>
#include <stdio.h>

#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/model/cut_off.h"
#include "src/model/monitor.h"
#include "src/model/profile.h"
#include "src/model/spectrum.h"
#include "src/simulation/simulation.h"
#include "src/simulation/stability.h"

static const double LIMIT = 0.02, WANTED = 0.01;

double tor_leftover_band(const struct tor_job *job) {
  double band = 0;
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    if (isinf(tor_profile_end(&s->profile))) return 0;
    if (s->kind != TOR_PLANE_WAVE && tor_profile_mean(&s->profile) > TOR_NO_CHARGE) return 0;
    band = fmax(band, tor_profile_width(&s->profile));
  }
  return band;
}

/* The largest power through a flux monitor's planes or through one of a cross-section's two boxes [J/Hz]. */
static double largest_power(const struct tor_monitors *ms) {
  double largest = 0;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (!tor_spectrum_has(l)) continue;
    const int outer = l->spec->kind == TOR_CROSS_SECTION ? l->nouter : l->nplane;
#pragma omp parallel for schedule(dynamic) reduction(max : largest)
    for (int q = 0; q < l->nfreq; q++) {
      largest = fmax(largest, fabs(tor_recorder_flux(ms, l, 0, outer, q)));
      if (outer < l->nplane) largest = fmax(largest, fabs(tor_recorder_flux(ms, l, outer, l->nplane, q)));
    }
  }
  return largest;
}

double tor_leftover_rounding(const struct tor_simulation *sim, double band) {
  return tor_energy_rounding(sim->model->job->precision) * sim->energy_max / (2 * band);
}

double tor_leftover_amplitude(double energy, double band, double power) { return sqrt(energy / (2 * band) / power); }

double tor_leftover_error(double amplitude) { return 2 * amplitude + amplitude * amplitude; }

double tor_leftover_part(double error) { return sqrt(1 + error) - 1; }

struct tor_leftover tor_leftover_find(const struct tor_simulation *sim, double energy) {
  const struct tor_job *job = sim->model->job;
  struct tor_leftover left = {energy, -1, 1, TOR_CONVERGED, tor_cut_off_find(job, &sim->model->grid)};
  const double band = tor_leftover_band(job), power = band > 0 ? largest_power(sim->model->monitors) : 0;
  const double rounding = band > 0 ? tor_leftover_rounding(sim, band) : 0;
  double amplitude = left.cut.amplitude; /* of the fields that are missing, over the largest of those that are there */
  if (power > rounding && energy >= 0) {
    const double wanted = fmin(WANTED, 0.5 * job->tolerance);
    const double missing = tor_leftover_amplitude(energy, band, power), root = tor_leftover_part(wanted);
    amplitude += missing;
    left.factor = fmax(missing * missing / (root * root), 1);
  } else if (left.cut.error <= 0) {
    return left;
  }
  amplitude = fmin(amplitude, TOR_ALL_WRONG);
  left.error = tor_leftover_error(amplitude);
  if (left.error > job->tolerance) left.unconverged = left.cut.source < 0 ? TOR_ENERGY_LEFT : TOR_CUT_OFF;
  return left;
}

/* Of a source that the run's end cuts off. */
static void warn_cut_off(const struct tor_leftover *left, const struct tor_job *job) {
  char off[64] = "all wrong", cure[64] = "a pulse, or monitors at its wavelength";
  if (!left->unconverged) return;
  if (left->error < 1) snprintf(off, sizeof off, "off by up to %.2g %% of the largest", 100 * left->error);
  if (isfinite(left->cut.time))
    snprintf(cure, sizeof cure, "run.time_fs = %.3g or more", 1.005 * left->cut.time / TOR_FS);
  tor_log_warning(
      "unconverged (run.tolerance = %.3g): the run ended before source %s did: powers are %s; need " TOR_NEEDED("%s"),
      job->tolerance, job->sources[left->cut.source].name, off, cure);
}

void tor_leftover_warn(const struct tor_leftover *left, const struct tor_simulation *sim, double rate) {
  const struct tor_job *job = sim->model->job;
  const int unconverged = left->unconverged == TOR_ENERGY_LEFT;
  char cure[128] = "a longer run.time_fs", head[64] = "";
  if (left->cut.source >= 0) {
    warn_cut_off(left, job);
    return;
  }
  if (!(left->error >= LIMIT) && !unconverged) return;
  const double time = job->run_time + log(left->factor) / rate;
  if (sim->decayed)
    snprintf(cure, sizeof cure, "run.decay = %.0e or less", 0.9 * job->run_decay / left->factor);
  else if (rate > 0 && time < 100 * job->run_time)
    snprintf(cure, sizeof cure, "run.time_fs = %.3g or more", 1.005 * time / TOR_FS);
  if (unconverged) snprintf(head, sizeof head, "unconverged (run.tolerance = %.3g): ", job->tolerance);
  tor_log_warning("%sthe run ended with %.2g J left in the domain: spectra of power may be off by up to %.2g %% of the "
                  "largest power, sharp resonances by more; need " TOR_NEEDED("%s"),
                  head, left->energy, 100 * left->error, cure);
}
