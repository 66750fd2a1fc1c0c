/* The plan of a run: see plan.h. */
#include "src/schedule/plan.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/transport/message.h"
#include "diamond/core/slab.h"
#include "diamond/core/tile.h"
#include "diamond/gpu/device.h"
#include "diamond/gpu/limits.h"
#include "src/base/error.h"
#include "src/base/host_memory.h"
#include "src/base/text.h"
#include "src/simulation/simulation.h"
#include "src/disk/disk.h"
#include "src/schedule/disk_plan.h"
#include "src/schedule/tuned.h"
#include "src/base/types.h"
#include "src/job/cylindrical.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/model.h"

/* Second-level cache of one core [bytes]; 1 MB when the system does not report it. */
static double cache_bytes(void) {
#ifdef _SC_LEVEL2_CACHE_SIZE
  long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return (double)bytes;
#endif
  return 1 << 20;
}

/* The measurements of torre tune on the plan's device for the job's order and precision, stored in *tuned; NULL: none.
 */
static const struct tor_tuned_kind *find_tuned(const struct tor_job *job, struct tor_plan *plan,
                                               struct tor_tuned *tuned) {
  const enum tor_tuned_found found =
      tor_tuned_find(plan->gpu, plan->setup.threads, tuned, plan->origin, sizeof plan->origin);
  plan->tuned = found == TOR_TUNED_FOUND;
  plan->tuned_bad = found == TOR_TUNED_DAMAGED;
  tor_text_clean(plan->origin); /* it may quote the file */
  if (!plan->tuned) return NULL;
  snprintf(plan->origin, sizeof plan->origin, "measured by torre tune on %s, %s", tuned->device, tuned->date);
  tor_text_clean(plan->origin);
  return tor_tuned_kind(tuned, job->order, job->precision);
}

/* 2-D: a diamond of half-width R = s dts has at most R columns of three components. */
static int plane_dts(const struct tor_slab *slab, int s, int widest, const struct tor_tuned_kind *tuned) {
  const double column = 3.0 * slab->nzp * slab->precision, tile = tuned ? tuned->tile : cache_bytes();
  const int most = widest / 4 < 64 ? widest / 4 : 64;
  const int dts = (int)fmin(tile / column / s, most);
  return dts < 4 ? 4 : dts;
}

/* A tile of half-width R = s dts has R^2 / 2 columns. Where torre tune has not found the best number of bytes: order
 * 2 takes half the cache, since the data needed next are prefetched; order 4 gains more from a wide tile, which moves s
 * times what one of order 2 moves, than it loses by filling the cache (docs/measurements/performance.md). A row should
 * have towers for all threads. */
static int space_dts(const struct tor_slab *slab, int s, int widest, const struct tor_tuned_kind *tuned) {
  const double column = 6.0 * slab->nzp * slab->precision,
               tile = tuned ? tuned->tile : (s == 1 ? 0.5 : 1.0) * cache_bytes();
  int dts = (int)floor(sqrt(2 * tile / column) / s + (s == 1 && !tuned ? 0 : 0.5));
  if (dts > widest) dts = widest;
  if (dts > 64 / s) dts = 64 / s;
  int least = s == 1 ? 4 : 3;
  return dts < least ? least : dts;
}

static int choose_dts(const struct tor_slab *slab, int threads, const struct tor_tuned_kind *tuned) {
  const int s = slab->order == 4 ? 3 : 1;
  int dts = (slab->plane ? plane_dts : space_dts)(slab, s, slab->n[1] / (s * threads), tuned);
  while (tor_slab_periodic(slab, TOR_Y) && dts > 1 && !tor_tiling_closes(s * dts, 2 * slab->n[1])) dts--;
  return dts;
}

/* Why towers on CPUs cannot run a job with periodic walls; NULL: they can. */
static const char *no_ring(const struct tor_slab *slab, int dts) {
  if (tor_slab_periodic(slab, TOR_X))
    return "towers cross the domain along x, which is periodic (with an axis that is not, x is turned to y where the "
           "others have 6 cells or more; where x alone is, and there is a plane wave, put the period along y)";
  if (!tor_slab_periodic(slab, TOR_Y) || tor_tiling_closes((slab->order == 4 ? 3 : 1) * dts, 2 * slab->n[1]))
    return NULL;
  return "the cells along the periodic y axis are no multiple of DTS (order 4: of 3 DTS)";
}

/* Rate of a vacuum of the job's height, order and precision [cell updates/s]; absorbing layers as the job has them
 * along z. seconds: that the measurement takes, at least. */
static double measure_rate(const struct tor_job *job, const struct tor_plan *plan, double seconds) {
  struct tor_job small = *job;
  int n[3] = {96, 32 * plan->setup.threads > 96 ? 32 * plan->setup.threads : 96,
              plan->size.grid.n[2] < 256 ? plan->size.grid.n[2] : 256};
  for (int a = 0; a < 3; a++) small.size[a] = n[a] * job->cell[a];
  if (job->angular) { /* as wide as the job */
    n[0] = 1;
    n[1] = plan->size.grid.n[1] < 2048 ? plan->size.grid.n[1] : 2048;
    n[2] = plan->size.grid.n[2] < 8192 ? plan->size.grid.n[2] : 8192;
    small.size[TOR_AXIAL] = n[1] * job->cell[TOR_AXIAL];
    small.size[TOR_RADIAL] = 2 * n[2] * job->cell[TOR_RADIAL];
  }
  if (job->plane) { /* as long along z as the job: it decides what the cache holds */
    n[0] = 1;
    n[1] = plan->size.grid.n[1] < 2048 ? plan->size.grid.n[1] : 2048;
    n[2] = plan->size.grid.n[2] < 8192 ? plan->size.grid.n[2] : 8192;
    for (int a = 0; a < 3; a++) small.size[a] = n[a] * job->cell[a];
  }
  small.nobjects = small.nsources = small.nmonitors = 0;
  small.run_decay = small.run_until = 0;
  memset(small.phase, 0, sizeof small.phase);
  memset(small.nodes, 0, sizeof small.nodes);
  for (int f = 0; f < TOR_NFACE; f++)
    if (small.boundary[f].wall == TOR_PERIODIC) small.boundary[f].wall = TOR_PEC;
  for (int f = 0; f < TOR_NFACE; f++)
    if (4 * tor_boundary_layer(&small.boundary[f]) > n[f / 2]) small.boundary[f].cells = n[f / 2] / 4;
  small.run_time = 1e9 * plan->size.grid.dt; /* more than can be done */
  struct tor_model model;
  struct tor_faults faults = {0};
  if (tor_model_make(&small, plan->setup.threads, &model, &faults)) {
    tor_faults_free(&faults);
    return 0;
  }
  struct tor_simulation sim;
  tor_simulation_init(&sim, &model, &plan->setup, plan->th);
  double start = omp_get_wtime(), rate = 0;
  tor_simulation_stage(&sim, 4); /* touches all pages */
  tor_gidx first = sim.step;
  /* However large TH is, a stage takes no longer than the measurement. */
  const double most = fmax(64, seconds * 4 / (omp_get_wtime() - start));
  start = omp_get_wtime();
  do {
    tor_simulation_stage(&sim, sim.step + (tor_gidx)fmin(most, 1e6));
    double cells = (double)n[0] * n[1] * n[2] * (double)(sim.step - first);
    rate = cells / (omp_get_wtime() - start);
  } while (omp_get_wtime() - start < seconds);
  tor_simulation_free(&sim);
  tor_model_free(&model);
  return rate;
}

/* Rate of an engine on the job, from the measurements of torre tune. */
static double tuned_rate(const struct tor_job *job, const struct tor_plan *plan, const struct tor_tuned_kind *tuned,
                         enum tor_engine_kind engine) {
  return tor_tuned_rate(tuned, engine, tor_tuned_layers(job, plan->size.grid.n),
                        plan->size.dispersive / (3 * plan->size.cells));
}

/* On a GPU: with the DFT samples of a stage of th steps. */
static double monitor_bytes(const struct tor_model_memory *m, int th) {
  return m->monitors + m->dft_samples + th * m->dft_sample_step;
}

double tor_plan_samples(const struct tor_plan *plan) {
  const struct tor_model_memory *m = &plan->size.memory;
  return plan->gpu >= 0 ? monitor_bytes(m, plan->th) - m->monitors : 0;
}

/* Bytes of the columns that pass through a window, and bytes that stay on the GPU. */
static double moving_bytes(const struct tor_model_memory *m) {
  return m->fields + m->cpml_z + m->coefficients + m->poles;
}
static double staying_bytes(const struct tor_plan *plan, const struct tor_plan_part *part, int th) {
  const struct tor_model_memory *m = &plan->size.memory;
  return monitor_bytes(m, th) + part->columns * (m->lists + m->towers + 1.1 * (m->cpml - m->cpml_z)) +
         0.01 * part->bytes;
}

double tor_plan_part_bytes(const struct tor_plan *plan, const struct tor_plan_part *part) {
  const struct tor_model_memory *m = &plan->size.memory;
  const int copy = plan->size.grid.plane && plan->setup.engine == TOR_ENGINE_DIAMOND; /* panels have two */
  return monitor_bytes(m, part->th ? part->th : plan->th) +
         part->columns * (m->total + m->towers - m->monitors + (copy ? m->fields : 0));
}

/* Steps that hide the link behind the computation. Where neither was measured: 1.7 times what vacuum in fp32, order 2,
 * needs on a host whose GPUs have 51 GB/s each, or 39, 28, 22.5 when 2, 3, 4 are busy (docs/design/gpu.md). */
static int hiding_th(const struct tor_job *job, const struct tor_plan *plan, int users) {
  static const int usual[] = {128, 168, 224, 288};
  struct tor_tuned tuned;
  char why[512];
  if (tor_tuned_find(plan->gpu, plan->setup.threads, &tuned, why, sizeof why) == TOR_TUNED_FOUND &&
      tor_tuned_link(&tuned, users) > 0) {
    const double rate = tuned_rate(job, plan, tor_tuned_kind(&tuned, job->order, job->precision), TOR_ENGINE_DIAMOND);
    return tor_tuned_window_th(rate, moving_bytes(&plan->size.memory) / plan->size.cells,
                               tor_tuned_link(&tuned, users));
  }
  return usual[(users < 4 ? users : 4) - 1];
}

/* A stage needs s TH columns and a tile at one time, for which 0.7 of the window are enough to let others come and
 * leave. */
const char *tor_plan_window(const struct tor_job *job, struct tor_plan *plan, const struct tor_plan_part *part,
                            double *needed) {
  enum { FEWEST = 16, TILE = 60 };
  const struct tor_model_memory *m = &plan->size.memory;
  const int s = job->order == 4 ? 3 : 1;
  const double share = 0.7, column = part->along_y * moving_bytes(m) / tor_grid_slices(&plan->size.grid, 0),
               most = part->window > 0 ? part->window : HUGE_VAL;
  plan->th = part->th;
  if (!part->th) {
    const double by_device = (share * (part->bytes - staying_bytes(plan, part, 0)) / column - TILE) /
                             (s + share * m->dft_sample_step / column),
                 longest = fmin(by_device, (share * most / column - TILE) / s);
    plan->th = (int)fmax(fmin(fmax(hiding_th(job, plan, part->users), part->hide), longest), FEWEST);
  }
  const double stays = staying_bytes(plan, part, plan->th);
  plan->window = fmin(part->bytes - stays, most);
  *needed = stays + 1.1 * column * (s * plan->th + TILE);
  if (job->plane) {
    *needed = tor_plan_part_bytes(plan, part);
    return "2-D jobs stay on the GPU as a whole";
  }
  if (plan->setup.engine != TOR_ENGINE_DIAMOND) return "only the diamond engine can run a job that is larger";
  return plan->window / column < s * plan->th + TILE
             ? "the window holds too few columns for a stage: allow more memory or lower schedule.th"
             : NULL;
}

/* The whole job on GPU 0. */
static struct tor_plan_part whole(const struct tor_job *job, const struct tor_plan *plan) {
  struct tor_plan_part all = {.columns = 1,
                              .bytes = 0.95 * tor_device_memory(0),
                              .users = 1,
                              .th = job->schedule.th,
                              .along_y = 1,
                              .window = TOR_DISK_WINDOW * plan->disk.memory,
                              .hide = plan->disk.hide};
  if (job->schedule.device_memory > 0) all.bytes = fmin(all.bytes, job->schedule.device_memory);
  return all;
}

const char *tor_plan_window_alone(const struct tor_job *job, struct tor_plan *plan, double *needed) {
  const struct tor_plan_part all = whole(job, plan);
  return tor_plan_window(job, plan, &all, needed);
}

const char *tor_plan_no_towers(const struct tor_job *job, const struct tor_plan *plan, int gpu) {
  static _Thread_local char text[160];
  if (job->plane) /* panels */
    return tor_grid_complex(&plan->size.grid) ? "fields between Bloch walls are complex, and panels have real ones"
                                              : NULL;
  if (!tor_device_has_towers(gpu)) return "this build has no towers for such a GPU (TORRE_TOWER_ARCHITECTURES)";
  if (plan->size.fits_towers) return NULL;
  if (plan->size.no_rings) return plan->size.no_rings;
  const int along_z = TOR_GPU_BLOCK_Z(job->order, job->precision);
  snprintf(text, sizeof text,
           "towers need %d cells along each axis, at most %d values along z, and %d in the layers there", TOR_GPU_LEAST,
           TOR_GPU_MOST_BLOCKS * along_z, TOR_GPU_MOST_CPML);
  return text;
}

void tor_plan_use_gpu(const struct tor_job *job, int gpu, struct tor_plan *plan) {
  struct tor_tuned tuned;
  plan->gpu = gpu;
  const struct tor_tuned_kind *kind = find_tuned(job, plan, &tuned);
  if (kind && !job->schedule.th) plan->th = kind->th;
}

/* A GPU's towers of order 4 are slower than its stepwise engine where poles are nearly everywhere; without figures of
 * the device: in half of the points both were equally fast, in order 2 the towers win
 * (docs/measurements/performance.md).
 */
static int stepwise_pays(const struct tor_job *job, const struct tor_plan *plan, const struct tor_tuned_kind *tuned) {
  if (!tuned) return job->order == 4 && plan->size.dispersive > 0.5 * 3 * plan->size.cells;
  return tuned_rate(job, plan, tuned, TOR_ENGINE_STEPWISE) > tuned_rate(job, plan, tuned, TOR_ENGINE_DIAMOND);
}

/* The engine on GPU 0, which holds the slab or a window on it. */
static void choose_engine(const struct tor_job *job, struct tor_plan *plan, const struct tor_tuned_kind *tuned) {
  enum { SMALL = 4000000 /* cells; towers win in larger domains */, SHORT = 40 /* stages; a trial has 6 */ };
  if (job->schedule.engine != TOR_ENGINE_AUTO || plan->window > 0) return;
  if (stepwise_pays(job, plan, tuned)) plan->setup.engine = TOR_ENGINE_STEPWISE;
  plan->tries_engines = !tuned && !job->plane && plan->setup.engine == TOR_ENGINE_DIAMOND &&
                        plan->size.cells <= SMALL && plan->size.steps >= (tor_gidx)SHORT * plan->th;
}

static void refuse_window(const struct tor_job *job, const struct tor_plan *plan, const struct tor_plan_part *all,
                          const char *why, double needed, struct tor_faults *faults) {
  if (!plan->disk.used)
    tor_fault_at(faults, tor_job_place(job, "schedule.device_memory"),
                 "the job needs %.3f GB, of GPU 0 it may use %.3f GB; %s (TH %d needs about %.3f GB)",
                 tor_plan_part_bytes(plan, all) * 1e-9, all->bytes * 1e-9, why, plan->th, needed * 1e-9);
  else
    tor_fault_at(faults, tor_job_place(job, "schedule.disk"),
                 "a window on GPU 0 may have %.3f GB, by %.3f GB of device memory (schedule.device_memory) and %.3f GB "
                 "for columns in host memory (schedule.host_memory); %s (TH %d needs about %.3f GB)",
                 plan->window * 1e-9, all->bytes * 1e-9, plan->disk.memory * 1e-9, why, plan->th, needed * 1e-9);
}

/* Uses GPU 0 when it has the memory for the slab, or for a window on it. Otherwise a fault with schedule.device =
 * "gpu", else the CPU runs the job. */
static int choose_gpu(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults) {
  int asked = job->schedule.device == TOR_DEVICE_GPU;
  if (!tor_device_count()) {
    if (!asked) return 0;
    tor_fault_at(faults, tor_job_place(job, "schedule.device"), "got \"gpu\", but: %s", tor_device_absence());
    return -1;
  }
  const char *no_towers = tor_plan_no_towers(job, plan, 0);
  if (job->schedule.engine == TOR_ENGINE_DIAMOND && no_towers) {
    if (!asked) return 0;
    tor_fault_at(faults, tor_job_place(job, "schedule.engine"), "got \"diamond\", but %s: use \"stepwise\" or \"auto\"",
                 no_towers);
    return -1;
  }
  const struct tor_plan on_cpu = *plan;
  struct tor_tuned tuned;
  plan->gpu = 0;
  const struct tor_tuned_kind *kind = find_tuned(job, plan, &tuned);
  if (kind && !job->schedule.th) plan->th = kind->th;
  if (no_towers)
    plan->setup.engine = TOR_ENGINE_STEPWISE;
  else if (job->plane && job->schedule.engine == TOR_ENGINE_AUTO)
    plan->setup.engine = TOR_ENGINE_DIAMOND; /* panels need no ring of towers */
  plan->no_gpu_towers = no_towers;
  const struct tor_plan_part all = whole(job, plan);
  double wanted = tor_plan_part_bytes(plan, &all), needed = 0;
  if (job->plane && job->schedule.engine == TOR_ENGINE_AUTO && wanted > all.bytes) {
    plan->setup.engine = TOR_ENGINE_STEPWISE; /* one copy of the fields */
    wanted = tor_plan_part_bytes(plan, &all);
    plan->no_gpu_towers = "the GPU's memory has no space for the second copy of the fields that panels need";
  }
  const int resident = wanted <= all.bytes && !plan->disk.used;
  const char *why = resident ? NULL : tor_plan_window(job, plan, &all, &needed);
  if (!why) {
    choose_engine(job, plan, kind);
    return 0;
  }
  if (!asked) {
    *plan = on_cpu;
    return 0;
  }
  refuse_window(job, plan, &all, why, needed, faults);
  return -1;
}

/* The estimate itself needs the coefficients of one column, twice in fp64. */
static int fits_column(const struct tor_job *job, struct tor_faults *faults) {
  struct tor_grid grid;
  tor_grid_make(job, &grid);
  const char *limit;
  const double bytes = 2.0 * TOR_NCOMP * sizeof(double) * grid.n[2], available = tor_host_memory(NULL, 1, &limit);
  if (available <= 0 || bytes < available) return 1;
  tor_fault_at(faults, tor_job_place(job, "grid.size"),
               "one column of %d cells along %c needs %.3f GB, this machine has %.3f GB %s", grid.n[2],
               tor_axis_name(job, TOR_Z), bytes * 1e-9, available * 1e-9, limit);
  return 0;
}

static double rate_on_cpu(const struct tor_job *job, const struct tor_plan *plan, double seconds) {
  /* A value of pole state is read and written at every step as a field's is; a cell has six of those. */
  const int parts = tor_grid_complex(&plan->size.grid) ? 2 : 1; /* the small domain has real fields */
  const double extra =
      plan->size.values_dispersive / (parts * tor_plane_comps(plan->size.grid.plane) * plan->size.cells);
  return measure_rate(job, plan, seconds) / (1 + extra) / parts;
}

void tor_plan_measure(const struct tor_job *job, double seconds, struct tor_plan *plan) {
  struct tor_tuned tuned;
  plan->rate = 0;
  if (plan->gpu < 0)
    plan->rate = rate_on_cpu(job, plan, seconds);
  else if (plan->tuned && tor_tuned_find(plan->gpu, 0, &tuned, (char[512]){""}, 512) == TOR_TUNED_FOUND)
    plan->rate = tuned_rate(job, plan, tor_tuned_kind(&tuned, job->order, job->precision), plan->setup.engine);
  if (plan->rate > 0) plan->seconds = plan->size.cells * (double)plan->size.steps / plan->rate;
}

int tor_plan_make(const struct tor_job *job, double measure, struct tor_plan *plan, struct tor_faults *faults) {
  memset(plan, 0, sizeof *plan);
  if (!fits_column(job, faults)) return -1;
  if (tor_model_estimate(job, &plan->size, faults)) return -1;
  const struct tor_grid *g = &plan->size.grid;
  const struct tor_schedule *s = &job->schedule;
  plan->setup.engine = s->engine == TOR_ENGINE_AUTO ? TOR_ENGINE_DIAMOND : s->engine;
  plan->setup.threads = s->threads > 0 ? s->threads : omp_get_max_threads();
  struct tor_slab slab = {.order = job->order,
                          .precision = job->precision,
                          .plane = g->plane,
                          .n = {g->n[0], g->n[1], g->n[2]},
                          .nzp = (g->n[2] + 8) * (tor_grid_complex(g) ? 2 : 1)}; /* both parts in a tile */
  for (int f = 0; f < TOR_NFACE; f++) slab.wall[f] = tor_grid_wall(g, f);
  struct tor_tuned tuned;
  plan->gpu = -1;
  const struct tor_tuned_kind *kind = find_tuned(job, plan, &tuned);
  plan->setup.dts = s->dts > 0 ? s->dts : choose_dts(&slab, plan->setup.threads, kind);
  plan->no_ring = no_ring(&slab, plan->setup.dts);
  if (plan->no_ring && s->engine == TOR_ENGINE_DIAMOND) {
    tor_fault_at(faults, tor_job_place(job, s->dts > 0 ? "schedule.dts" : "schedule.engine"), "%s", plan->no_ring);
    return -1;
  }
  if (plan->no_ring) plan->setup.engine = TOR_ENGINE_STEPWISE;
  plan->th = s->th > 0 ? s->th : kind ? kind->th : 64;
  if (tor_disk_plan_is_asked(job) && tor_disk_plan_find(job, plan, faults)) return -1;
  /* Several ranks: src/schedule/rank_gpu.c. */
  if (s->device != TOR_DEVICE_CPU && tor_message_ranks() == 1 && choose_gpu(job, plan, faults)) return -1;
  if (plan->disk.used && plan->gpu < 0 && tor_disk_plan_fit(job, plan, faults)) return -1;
  if (measure <= 0) return 0;
  tor_plan_measure(job, measure, plan);
  return plan->disk.used ? tor_disk_plan_choose(job, measure, plan, faults) : 0;
}
