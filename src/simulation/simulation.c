/* Advances a model: see simulation.h. */
#include "src/simulation/simulation.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "comm/exchange/decomposition.h"
#include "comm/exchange/exchange.h"
#include "comm/exchange/reduce.h"
#include "diamond/core/column_state.h"
#include "diamond/core/engine.h"
#include "diamond/core/seam.h"
#include "diamond/core/slab.h"
#include "diamond/gpu/device.h"
#include "src/base/concurrent.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/disk/disk.h"
#include "src/job/cylindrical.h"
#include "src/job/grid.h"
#include "src/model/model.h"
#include "src/model/monitor.h"
#include "src/model/source.h"
#include "src/simulation/packing.h"

void tor_simulation_init(struct tor_simulation *sim, struct tor_model *model, const struct tor_engine_setup *setup,
                         int th) {
  memset(sim, 0, sizeof *sim);
  sim->model = model;
  sim->setup = *setup;
  sim->th = th;
  sim->settling = (struct tor_settling){.wake = INFINITY, .error = -1, .change = -1};
}

/* Whether other ranks hold parts of the domain. */
static int is_shared(const struct tor_simulation *sim) {
  return sim->exchange && sim->exchange->layout->ranks[0] * sim->exchange->layout->ranks[1] > 1;
}

void tor_simulation_use_gpu(struct tor_simulation *sim, int number, double window) {
  struct tor_slab *slab = &sim->model->slab;
  const int shared = is_shared(sim);
  if (!shared) tor_concurrent_give(0);
  sim->device = tor_device_open(slab, number, window, tor_disk_store(slab));
  if (!shared) tor_concurrent_take(0);
  if (!shared) return;
  if (slab->plane)
    tor_exchange_use_rounds(sim->exchange, tor_device_plane_worker(sim->device), sim->device->ops->rounds);
  else
    tor_exchange_use(sim->exchange, tor_device_worker(sim->device));
}

int tor_simulation_use_packing(struct tor_simulation *sim, struct tor_packing *packing, int member, int number,
                               const char **why) {
  int parts;
  sim->device = tor_packing_open(packing, member, &sim->model->slab, number, sim->setup.threads, &parts, why);
  return parts;
}

enum { TRIAL_STAGES = 6 };
void tor_simulation_try_engines(struct tor_simulation *sim) { sim->trial.left = TRIAL_STAGES; }

void tor_simulation_use_ranks(struct tor_simulation *sim, struct tor_exchange *exchange) { sim->exchange = exchange; }

int tor_simulation_use_disk(struct tor_simulation *sim) {
  struct tor_slab *slab = &sim->model->slab;
  const struct tor_part *share = &sim->exchange->share;
  const int holds = !tor_disk_keep(slab, share->left.from, share->left.to) &&
                    !tor_disk_keep(slab, share->right.from, share->right.to);
  sim->th = tor_reduce_least(holds ? tor_disk_steps(slab, sim->setup.dts, sim->th) : 0);
  if (!sim->th) return -1;
  tor_exchange_use(sim->exchange, tor_disk_worker(&sim->model->slab));
  return 0;
}

struct tor_column_block tor_simulation_own(const struct tor_simulation *sim) {
  const struct tor_slab *slab = &sim->model->slab;
  if (sim->exchange) return sim->exchange->share.own;
  return tor_column_block_held(slab);
}

/* Of columns on disk those of a few slices at a time. */
static void close_seams(struct tor_slab *slab) {
  const int last = slab->lo[0] + slab->held[0];
  if (!tor_slab_periodic(slab, TOR_X) && !tor_slab_periodic(slab, TOR_Y) && !tor_slab_periodic(slab, TOR_Z)) return;
  for (int x0 = slab->lo[0], x1; x0 < last; x0 = x1) {
    x1 = tor_disk_some(slab, x0, last);
    tor_disk_hold(slab, x0, x1, 1);
    tor_seams_close(slab, x0, x1);
  }
}

void tor_simulation_fetch(struct tor_simulation *sim) {
  if (is_shared(sim)) tor_exchange_settle(sim->exchange); /* neighbours shall not wait for these copies */
  if (sim->device) sim->device->ops->fetch(sim->device, &sim->model->slab);
  close_seams(&sim->model->slab);
}

void tor_simulation_fetch_monitors(struct tor_simulation *sim) {
  if (is_shared(sim)) tor_exchange_settle(sim->exchange);
  if (sim->device) sim->device->ops->fetch_monitors(sim->device, &sim->model->slab);
}

void tor_simulation_free(struct tor_simulation *sim) {
  if (sim->device) sim->device->ops->close(sim->device);
  free(sim->energy_step);
  free(sim->energy);
  free(sim->settling.power);
}

/* The decision to stop is taken at steps that the job fixes, whatever the stages are. */
static void keep_energy(struct tor_simulation *sim, double energy) {
  size_t wanted = (size_t)sim->nenergy + 1, both = sim->capacity;
  sim->energy_step = tor_grow(sim->energy_step, wanted, &both, sizeof *sim->energy_step);
  sim->energy = tor_grow(sim->energy, wanted, &sim->capacity, sizeof *sim->energy);
  for (int a = 0; a < 3; a++)
    if (sim->model->grid.mirror[a]) energy *= 2; /* the mirrored half has as much */
  energy *= tor_cylindrical_around(&sim->model->grid);
  sim->energy_step[sim->nenergy] = sim->step;
  sim->energy[sim->nenergy++] = energy;
  sim->energy_max = fmax(sim->energy_max, energy);
  const struct tor_job *job = sim->model->job;
  if (!((double)sim->step * sim->model->grid.dt > tor_sources_end(sim->model->sources))) return;
  if (job->run_decay > 0 && energy <= job->run_decay * sim->energy_max) sim->decayed = 1;
  if (job->run_until > 0 && energy <= sim->settling.wake) sim->settling.due = 1;
}

/* Copies all columns' energy sums to the slab. */
static void fetch_energy(struct tor_simulation *sim) {
  if (is_shared(sim))
    tor_exchange_fetch_energy(sim->exchange);
  else if (sim->device)
    sim->device->ops->fetch_energy(sim->device, &sim->model->slab);
}

/* The sums of points on planes of symmetry, which belong to both halves by half; in cylindrical coordinates of those at
 * nodes along phi. */
static void halve_planes(struct tor_simulation *sim) {
  const struct tor_grid *g = &sim->model->grid;
  struct tor_slab *slab = &sim->model->slab;
  const struct tor_column_block own = tor_simulation_own(sim);
  for (int ix = own.x0; ix < own.x1; ix++)
    for (int iy = own.y0; iy < own.y1; iy++) {
      double *sums = slab->energy + tor_slab_column(slab, ix, iy) * TOR_NCOMP;
      const int whole = g->angular != 0; /* of the one cell along phi nodes count half */
      if (!(g->mirror[0] && ix == 0) && !(g->mirror[1] && iy == 0) && !whole) continue;
      for (int c = 0; c < TOR_NCOMP; c++) {
        if (whole && !tor_comp_half(c, TOR_PHI)) sums[c] *= 0.5;
        if (g->mirror[0] && ix == 0 && !tor_comp_half(c, TOR_X)) sums[c] *= 0.5;
        if (g->mirror[1] && iy == 0 && !tor_comp_half(c, TOR_Y)) sums[c] *= 0.5;
      }
    }
}

/* All own columns are read after a stage that ends at `until`, so none may be newer there. */
static void run_shared(struct tor_simulation *sim, const struct tor_stage *stage, tor_gidx until) {
  struct tor_exchange *exchange = sim->exchange;
  exchange->ahead = exchange->worker.is_async && sim->step + stage->steps < until;
  tor_exchange_stage(exchange, stage, &sim->setup);
}

static void run_on_device(struct tor_simulation *sim, const struct tor_stage *stage) {
  struct tor_engine_trial *trial = &sim->trial;
  const int stepwise = trial->left % 2;
  if (trial->left) sim->setup.engine = stepwise ? TOR_ENGINE_STEPWISE : TOR_ENGINE_DIAMOND;
  sim->device->ops->run(sim->device, stage, sim->setup.engine);
  if (!trial->left) return;
  if (trial->left <= TRIAL_STAGES - 2) { /* kernels are loaded at their first launch */
    trial->seconds[stepwise] += sim->device->ops->seconds(sim->device);
    trial->steps[stepwise] += stage->steps;
  }
  if (--trial->left) return;
  const int pays = trial->seconds[1] * trial->steps[0] < trial->seconds[0] * trial->steps[1];
  sim->setup.engine = pays ? TOR_ENGINE_STEPWISE : TOR_ENGINE_DIAMOND;
}

void tor_simulation_stage(struct tor_simulation *sim, tor_gidx until) {
  struct tor_model *model = sim->model;
  int every = model->monitors->energy_every;
  tor_gidx left = (until < model->steps ? until : model->steps) - sim->step;
  if (every && left > every - sim->step % every) left = every - sim->step % every;
  if (left <= 0) return;
  /* As many stages as there have to be, of like heights: a low one costs a window's whole sweep, or a pipeline's
   * messages, for few steps. */
  const tor_gidx stages = (left + sim->th - 1) / sim->th, steps = (left + stages - 1) / stages;
  struct tor_stage stage = {.first = sim->step, .steps = (int)steps};
  uint8_t *energy = tor_alloc((size_t)steps, 1, "stage");
  int kept = every && (sim->step + steps) % every == 0;
  const int checks = sim->step + steps - sim->watch_step >= sim->watch_every || sim->step + steps == model->steps;
  int sums = kept || (sim->watch_every && checks);
  energy[steps - 1] = (uint8_t)sums;
  stage.energy = sums ? energy : NULL;
  tor_sources_prepare(model->sources, model->slab.precision, &stage);
  tor_monitors_prepare(model->monitors, &stage);
  if (sim->device && !is_shared(sim))
    run_on_device(sim, &stage);
  else if (sim->exchange)
    run_shared(sim, &stage, until);
  else
    tor_engine_run(&model->slab, &stage, &sim->setup);
  free(energy);
  sim->step += steps;
  if (!sums) return;
  const struct tor_column_block own = tor_simulation_own(sim);
  const int on_device = sim->device && !kept; /* the sums of all columns need not be copied to the host */
  if (!on_device) fetch_energy(sim);
  if (kept) halve_planes(sim);
  sim->watch_step = sim->step;
  sim->watch_energy = on_device ? sim->device->ops->energy(sim->device, 0, own.x0, own.x1, own.y0, own.y1)
                                : tor_model_energy(model, &own);
  const int ends = model->job->run_decay > 0 || model->job->run_until > 0;
  if (kept) keep_energy(sim, is_shared(sim) ? tor_reduce_energy(sim->exchange, ends) : sim->watch_energy);
}

void tor_simulation_resume(struct tor_simulation *sim, tor_gidx step) {
  struct tor_model *model = sim->model;
  while (sim->step < step) {
    tor_gidx steps = step - sim->step < sim->th ? step - sim->step : sim->th;
    struct tor_stage stage = {.first = sim->step, .steps = (int)steps};
    tor_sources_prepare(model->sources, model->slab.precision, &stage);
    sim->step += steps;
  }
  sim->watch_step = step;
}

int tor_simulation_done(const struct tor_simulation *sim) {
  return sim->decayed || sim->settling.settled || sim->step >= sim->model->steps;
}
