/* When monitors record: their samples and the tables of a stage; see monitor.h. */
#include <math.h>
#include <stdlib.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/monitor.h"
#include "src/model/profile.h"

static int compare_steps(const void *a, const void *b) {
  tor_gidx x = *(const tor_gidx *)a, y = *(const tor_gidx *)b;
  return (x > y) - (x < y);
}

int tor_monitor_every(const struct tor_job *job, const struct tor_grid *g, const struct tor_monitor *m) {
  double wanted = 0, excited = 0;
  if (m->windowed) return 1; /* the edges of a window have all frequencies */
  if (m->kind == TOR_RESONANCES) wanted = TOR_C0 / m->band[0];
  for (int i = 0; i < m->nwavelength; i++) wanted = fmax(wanted, TOR_C0 / m->wavelength[i]);
  for (int i = 0; i < job->nsources; i++) excited = fmax(excited, tor_profile_bandwidth(&job->sources[i].profile));
  double every = floor(1 / (g->dt * 1.25 * (wanted + excited)));
  return every > 1 ? (int)every : 1;
}

double tor_monitor_from(const struct tor_monitor *m, const struct tor_job *job) {
  double end = 0;
  for (int i = 0; i < job->nsources; i++) end = fmax(end, tor_profile_end(&job->sources[i].profile));
  return isnan(m->from) ? end : m->from;
}

/* As far apart as the transforms' samples, but eight at least in a period of the band's shortest wavelength. */
static int resonance_every(const struct tor_job *job, const struct tor_grid *g, const struct tor_monitor *m) {
  enum { LEAST = 8 };
  const int every = (int)fmin(floor(m->band[0] / (LEAST * g->ct)), 1e9), most = tor_monitor_every(job, g, m);
  return every < 1 ? 1 : every < most ? every : most;
}

void tor_recorder_set_samples(const struct tor_monitors *ms, struct tor_recorder *l, const struct tor_job *job,
                              struct tor_record_group *group) {
  const struct tor_monitor *m = l->spec;
  if (m->kind == TOR_SLICE) {
    l->sample_step = tor_alloc((size_t)m->ntime + 1, sizeof *l->sample_step, "slice times");
    for (int i = 0; i < m->ntime; i++) {
      tor_gidx step = (tor_gidx)llround(m->time[i] / ms->grid->dt);
      if (step >= 1 && step <= ms->steps) l->sample_step[l->nsample++] = step;
    }
    qsort(l->sample_step, (size_t)l->nsample, sizeof *l->sample_step, compare_steps);
    int kept = 0;
    for (int i = 0; i < l->nsample; i++)
      if (!kept || l->sample_step[i] != l->sample_step[kept - 1]) l->sample_step[kept++] = l->sample_step[i];
    l->nsample = kept;
  } else if (tor_monitor_is_series(m)) {
    l->every = m->kind == TOR_RESONANCES ? resonance_every(job, ms->grid, m) : m->every > 0 ? m->every : 1;
    l->nsample = (int)(ms->steps / l->every);
  } else {
    l->every = tor_monitor_every(job, ms->grid, m);
  }
  int series = m->kind == TOR_SLICE || tor_monitor_is_series(m);
  group->kind = series ? TOR_RECORD_SERIES : TOR_RECORD_DFT;
  group->nfreq = series ? 0 : l->nfreq;
  group->every = series ? 0 : l->every;
  group->nsample = series ? l->nsample : 0;
}

/* Number of the sample taken at the end of step number `step` (1, 2, ...), or -1. */
static int sample_at(const struct tor_recorder *l, tor_gidx step) {
  if (l->every)
    return step % l->every || (l->nsample && step / l->every > l->nsample) ? -1 : (int)(step / l->every) - 1;
  for (int i = 0; i < l->nsample; i++)
    if (l->sample_step[i] == step) return i;
  return -1;
}

void tor_monitors_prepare(struct tor_monitors *ms, const struct tor_stage *stage) {
  int grow = stage->steps > ms->capacity;
  if (grow) ms->capacity = stage->steps;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (l->group < 0) continue;
    struct tor_record_group *group = &ms->group[l->group];
    size_t row = 4 * (size_t)group->nfreq;
    if (grow) {
      free(ms->sample[l->group]);
      free(ms->phase[l->group]);
      ms->sample[l->group] = tor_alloc((size_t)ms->capacity, sizeof(int), "monitor tables");
      ms->phase[l->group] = tor_alloc((size_t)ms->capacity * row, sizeof(double), "monitor tables");
    }
    group->sample = ms->sample[l->group];
    group->phase = ms->phase[l->group];
    if (ms->imaginary) {
      group[ms->imaginary].sample = group->sample;
      group[ms->imaginary].phase = group->phase;
    }
    for (int k = 0; k < stage->steps; k++) {
      tor_gidx step = stage->first + k + 1;
      int sample = ms->sample[l->group][k] = sample_at(l, step);
      if (sample < 0) continue;
      for (int h = 0; h < 2; h++)
        for (int q = 0; q < group->nfreq; q++) {
          double t = ((double)step - 0.5 * h) * ms->grid->dt, factor = tor_window_value(l->spec, t);
          double *phase = ms->phase[l->group] + (size_t)k * row + (size_t)h * 2 * (size_t)group->nfreq;
          phase[q] = factor * cos(l->omega[q] * t);
          phase[group->nfreq + q] = factor * sin(l->omega[q] * t);
        }
    }
  }
}

int tor_recorder_samples(const struct tor_recorder *l, tor_gidx steps) {
  if (l->every) return (int)(steps / l->every < l->nsample ? steps / l->every : l->nsample);
  int n = 0;
  while (n < l->nsample && l->sample_step[n] <= steps) n++;
  return n;
}

void tor_monitors_samples(const struct tor_monitors *ms, tor_gidx steps, int *samples) {
  for (int g = 0; g < ms->ngroup; g++) samples[g] = 0;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (l->group < 0 || ms->group[l->group].kind != TOR_RECORD_SERIES) continue;
    samples[l->group] = tor_recorder_samples(l, steps);
    if (ms->imaginary) samples[l->group + ms->imaginary] = samples[l->group];
  }
}
