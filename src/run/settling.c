/* Ends a run when powers have settled: see settling.h. */
#include "src/run/settling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/exchange/exchange.h"
#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "diamond/core/slab.h"
#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/model/known_errors.h"
#include "src/model/model.h"
#include "src/model/monitor.h"
#include "src/model/source.h"
#include "src/results/leftover.h"
#include "src/simulation/simulation.h"
#include "src/simulation/stability.h"

/* The energy at the next look, over that now. */
static const double MOST = 0.25, LEAST = 1.0 / 64;

tor_gidx tor_settling_until(const struct tor_simulation *sim, tor_gidx until) {
  const int every = sim->model->monitors->energy_every;
  if (!sim->settling.due || !every) return until;
  const tor_gidx next = (sim->step / every + 1) * every;
  return next < until ? next : until;
}

/* Powers of a monitor: of a flux its planes', of a cross-section each box's, of a decay rate the dipole's. */
static int parts_of(const struct tor_recorder *l) {
  if (l->group < 0 || !tor_monitor_has_power(l->spec)) return 0;
  return l->spec->kind == TOR_CROSS_SECTION ? 2 : 1;
}

static double power_of(const struct tor_simulation *sim, const struct tor_recorder *l, int part, int freq) {
  const struct tor_monitors *ms = sim->model->monitors;
  const struct tor_sources *sources = sim->model->sources;
  if (l->spec->kind == TOR_DECAY_RATE)
    return tor_recorder_work(ms, l, &sources->job->sources[l->spec->dipole],
                             tor_source_spectrum(sources, l->spec->dipole, l->omega[freq]), freq);
  if (l->spec->kind != TOR_CROSS_SECTION) return tor_recorder_flux(ms, l, 0, l->nplane, freq);
  return tor_recorder_flux(ms, l, part ? l->nouter : 0, part ? l->nplane : l->nouter, freq);
}

/* The powers of one monitor on rank 0, from all ranks' sums. */
static void look_at(const struct tor_simulation *sim, const struct tor_exchange *exchange, const struct tor_recorder *l,
                    double *power) {
  const struct tor_monitors *ms = sim->model->monitors;
  const int parts = parts_of(l), shared = tor_message_ranks() > 1, copies = ms->imaginary ? 2 : 1;
  double *own[2], *sums[2];
  for (int i = 0; i < copies && shared; i++) {
    struct tor_record_group *group = &ms->group[l->group + i * ms->imaginary];
    sums[i] = tor_reduce_sums(exchange, l->group + i * ms->imaginary);
    own[i] = group->data;
    group->data = sums[i];
  }
  if (!tor_message_rank()) {
#pragma omp parallel for schedule(dynamic) collapse(2)
    for (int part = 0; part < parts; part++)
      for (int q = 0; q < l->nfreq; q++) power[part * l->nfreq + q] = power_of(sim, l, part, q);
  }
  for (int i = 0; i < copies && shared; i++) {
    ms->group[l->group + i * ms->imaginary].data = own[i];
    free(sums[i]);
  }
}

/* The largest power of those that leftover.h knows, else of decay rates. */
static double largest(const struct tor_monitors *ms, const double *power) {
  double known = 0, other = 0;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    double *const most = tor_leftover_knows(l) ? &known : &other;
    for (int k = parts_of(l) * l->nfreq; k > 0; k--) *most = fmax(*most, fabs(*power++));
  }
  return known > 0 ? known : other;
}

/* On rank 0, from the powers now. energy: that of the part of the domain whose powers they are [J]. */
static void decide(struct tor_simulation *sim, const double *power, double energy) {
  struct tor_settling *s = &sim->settling;
  const struct tor_job *job = sim->model->job;
  const double band = tor_leftover_band(job), most = largest(sim->model->monitors, power);
  const int dark = energy <= tor_energy_rounding(job->precision) * sim->energy_max; /* nothing is left but rounding */
  double wanted = 0;                                                                /* energy */
  s->error = s->change = -1;
  if (band > 0 && most > tor_leftover_rounding(sim, band)) {
    const double root = tor_amplitude_of_error(job->run_until), q = s->energy > 0 ? sqrt(energy / s->energy) : 1;
    double change = 0;
    for (int i = 0; i < s->npower && q < 1; i++) change = fmax(change, fabs(power[i] - s->power[i]));
    s->error = tor_error_of_powers(tor_leftover_amplitude(energy, band, most));
    if (q < 1) s->change = change / most * q / (1 - q);
    if (dark) s->change = 0;
    wanted = root * root * 2 * band * most;
    s->settled = s->error <= job->run_until && s->change >= 0 && s->change <= job->run_until;
  } else if (band > 0 && dark) { /* and nothing came */
    s->error = s->change = 0;
    s->settled = 1;
  }
  /* One look at four times the energy that is wanted, the next when that is reached. */
  s->wake = fmin(fmax(3.6 * wanted, LEAST * energy), MOST * energy);
  s->energy = energy;
}

/* The powers of all monitors; to rank 0. */
static double *look(const struct tor_simulation *sim, const struct tor_exchange *exchange, int *count) {
  const struct tor_monitors *ms = sim->model->monitors;
  *count = 0;
  for (int i = 0; i < ms->count; i++) *count += parts_of(&ms->recorder[i]) * ms->recorder[i].nfreq;
  double *power = tor_alloc((size_t)*count, sizeof *power, "powers"), *at = power;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    const int parts = parts_of(l);
    if (parts) look_at(sim, exchange, l, at);
    at += parts * l->nfreq;
  }
  return power;
}

void tor_settling_look(struct tor_simulation *sim, struct tor_exchange *exchange, int due, int sums) {
  struct tor_settling *s = &sim->settling;
  if (!due || sim->nenergy == sums) return;
  double energy = sim->energy[sim->nenergy - 1];
  for (int a = 0; a < 3; a++)
    if (sim->model->grid.mirror[a]) energy /= 2;
  tor_simulation_fetch_monitors(sim);
  int count;
  double *power = look(sim, exchange, &count), shared[5];
  if (!tor_message_rank()) decide(sim, power, energy);
  free(s->power);
  s->power = power;
  s->npower = count;
  s->due = 0;
  memcpy(shared, (const double[]){s->settled, s->wake, s->energy, s->error, s->change}, sizeof shared);
  tor_message_bcast(shared, sizeof shared);
  s->settled = shared[0] != 0;
  s->wake = shared[1];
  s->energy = shared[2];
  s->error = shared[3];
  s->change = shared[4];
  if (s->settled)
    tor_log("powers have settled at %.6g fs: at most %.2g %% of the largest may be missing by the energy left, %.2g %% "
            "by their change",
            (double)sim->step * sim->model->grid.dt / TOR_FS, 100 * s->error, 100 * s->change);
}

void tor_settling_log(const struct tor_simulation *sim) {
  const struct tor_settling *s = &sim->settling;
  const struct tor_job *job = sim->model->job;
  if (!(job->run_until > 0) || s->settled || tor_sources_end(sim->model->sources) > job->run_time) return;
  if (s->error < 0)
    tor_log_warning("powers have not settled to run.until = %.3g within run.time_fs", job->run_until);
  else
    tor_log_warning("powers have not settled to run.until = %.3g within run.time_fs: when last looked at, %.2g %% of "
                    "the largest might be missing by the energy left, %.2g %% by their change",
                    job->run_until, 100 * s->error, 100 * fmax(s->change, 0));
}
