/* Energy left at the end of a run: see leftover.h. */
#include "src/results/leftover.h"

#include <math.h>
#include <stdio.h>

#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/model/known_errors.h"
#include "src/model/layer_media.h"
#include "src/model/monitor.h"
#include "src/model/profile.h"
#include "src/model/spectrum.h"
#include "src/simulation/simulation.h"
#include "src/simulation/stability.h"

static const double LIMIT = 0.02, WANTED = 0.01;
static const double MORE = 100; /* by which a rising energy rises until it is unstable (stability.h) */
static const char energy_left[] = "energy left";

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

int tor_leftover_knows(const struct tor_recorder *l) {
  return l->group >= 0 && l->nplane && (tor_spectrum_has(l) || l->spec->kind == TOR_ORDERS);
}

/* The largest power through a flux monitor's planes or through one of a cross-section's two boxes [J/Hz], without those
 * whose window is over at this time. */
static double largest_power(const struct tor_monitors *ms, double time) {
  double largest = 0;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (!tor_leftover_knows(l) || tor_window_value(l->spec, time) < LIMIT) continue;
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

struct tor_leftover tor_leftover_find(const struct tor_simulation *sim, double energy) {
  const struct tor_job *job = sim->model->job;
  struct tor_leftover left = {.energy = energy, .error = -1, .energy_error = -1, .factor = 1};
  tor_known_errors_find(job, &sim->model->grid, &left.known);
  const double band = tor_leftover_band(job), end = (double)sim->step * sim->model->grid.dt;
  const double power = band > 0 ? largest_power(sim->model->monitors, end) : 0;
  const double rounding = band > 0 ? tor_leftover_rounding(sim, band) : 0;
  double amplitude = 0; /* of the fields that are missing, over the largest of those that are there */
  if (power > rounding && energy >= 0) {
    const double wanted = fmin(WANTED, 0.5 * job->tolerance);
    const double root = tor_amplitude_of_error(wanted);
    amplitude = tor_leftover_amplitude(energy, band, power);
    left.energy_error = tor_error_of_powers(fmin(amplitude, TOR_ALL_WRONG));
    left.factor = fmax(amplitude * amplitude / (root * root), 1);
  } else if (left.known.worst < 0) {
    return left;
  }
  left.error = tor_error_of_powers(fmin(amplitude + left.known.amplitude, TOR_ALL_WRONG));
  const int cut_off = left.known.of[TOR_SOURCE_CUT_OFF].amplitude > 0;
  const int known = cut_off ? TOR_SOURCE_CUT_OFF : left.known.worst;
  if (left.error > job->tolerance)
    left.unconverged =
        cut_off || (known >= 0 && left.known.of[known].amplitude > amplitude) ? tor_known_causes[known] : energy_left;
  return left;
}

/* What the user may do about it, as text; returns what is said of the energy. */
static const char *cure_of(const struct tor_leftover *left, const struct tor_simulation *sim, double rate, char *cure,
                           size_t size) {
  const struct tor_job *job = sim->model->job;
  const double wanted = rate < 0 ? MORE : left->factor, time = job->run_time + log(wanted) / fabs(rate);
  if (sim->decayed) {
    snprintf(cure, size, "run.decay = %.0e or less", 0.9 * job->run_decay / left->factor);
  } else if (isnan(rate)) {
    snprintf(cure, size, "a longer run.time_fs");
  } else if (time < 100 * job->run_time) {
    snprintf(cure, size, "run.time_fs = %.3g or more%s", 1.005 * time / TOR_FS,
             rate < 0 ? ", which shows whether it is unstable" : "");
    if (rate < 0) return ", which rises although nothing drives it";
  } else {
    snprintf(cure, size, "boundaries or media that absorb, monitors of type = \"resonances\", or of a window");
    return ", which hardly falls, as that of a resonance without losses, whose spectra depend on when the run ends";
  }
  return "";
}

void tor_leftover_warn(const struct tor_leftover *left, const struct tor_simulation *sim, double rate) {
  const struct tor_job *job = sim->model->job;
  char cure[256], head[64] = "", advice[1024];
  if (left->unconverged) tor_known_errors_end(&left->known, job);
  if (left->known.found & 1U << TOR_SOURCE_CUT_OFF) return;
  if (!(left->energy_error >= LIMIT) && left->unconverged != energy_left) return;
  const char *stays = cure_of(left, sim, rate, cure, sizeof cure);
  if (left->unconverged) snprintf(head, sizeof head, "unconverged (run.tolerance = %.3g): ", job->tolerance);
  tor_log_warning(
      "%sthe run ended with %.2g J left in the domain%s: spectra of power may be off by up to %.2g %% of the "
      "largest power, sharp resonances by more; need " TOR_NEEDED("%s"),
      head, left->energy, stays, 100 * left->energy_error, cure);
  const int beside = *stays || tor_layer_beside_is_guide(job, &sim->model->grid);
  if (!(rate < 0) && beside && tor_layer_beside_advice(job, &sim->model->grid, advice, sizeof advice))
    tor_log_warning("%s", advice);
}
