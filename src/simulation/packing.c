/* Members of a packing: see packing.h. All below is done with the packing's mutex held, but for the making of the
 * packed slab and its steps, during which all members wait. */
#include "src/simulation/packing.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "comm/transport/message.h"
#include "diamond/core/engine.h"
#include "diamond/core/pack.h"
#include "diamond/core/slab.h"
#include "diamond/gpu/device.h"
#include "diamond/gpu/limits.h"
#include "src/base/concurrent.h"
#include "src/base/environment.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/model.h"

enum arrival { EXPECTED, HERE, GONE };

struct member {
  struct tor_device device; /* first: a pointer to it is one to the member */
  struct tor_packing *packing;
  enum arrival arrival;
  struct tor_slab *slab;
  int number;                    /* of the GPU */
  int part;                      /* of the packed slab; -1: none */
  const char *why;               /* it is none */
  const struct tor_stage *stage; /* that it waits for; NULL: none */
  int done;                      /* steps of it */
};

struct tor_packing {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int n;
  struct member *member;
  enum { NOT_YET, IN_WORK, READY } state;
  struct tor_pack pack;
  struct tor_device *device;      /* that has the packed slab; NULL: none, or closed */
  struct tor_record_group *group; /* the packed slab's, for copies of one member's data */
  int is_running;                 /* a member runs a stage for all */
  int stages;                     /* done */
  int fetched, fetched_energy;    /* stages after which fields, energies were fetched; -1: not yet */
};

enum { WARP = 32 }; /* segments begin at multiples of it (tor_device_no_rings) */

int tor_packing_pitch(const struct tor_slab *slab) { return (slab->n[TOR_Z] + WARP - 1) / WARP * WARP; }

int tor_packing_most(const struct tor_slab *slab) {
  const int pitch = tor_packing_pitch(slab), most = TOR_GPU_BLOCK_Z(slab->order, (int)slab->precision) / pitch;
  const char *const off = tor_environment("TORRE_GPU_PACKING", NULL);
  struct tor_slab packed = *slab;
  if (off && !strcmp(off, "off")) return 0;
  packed.n[TOR_Z] = most * pitch;
  packed.segments = most;
  packed.period = slab->n[TOR_Z];
  return most > 1 && !slab->plane && tor_slab_periodic(slab, TOR_Z) && tor_device_has_rows(&packed) ? most : 0;
}

int tor_packing_most_jobs(const struct tor_job *job, struct tor_slab *slab) {
  struct tor_grid grid;
  *slab = (struct tor_slab){0};
  if (job->schedule.device == TOR_DEVICE_CPU || job->schedule.devices > 1 || tor_message_ranks() > 1) return 0;
  if (job->schedule.engine == TOR_ENGINE_STEPWISE || job->schedule.device_memory > 0) return 0;
  if (!tor_device_count() || !tor_device_has_towers(0)) return 0;
  tor_grid_make(job, &grid);
  for (int f = 0; f < TOR_NFACE; f++)
    if (job->boundary[f].wall == TOR_ABSORBER) return 0;
  if (tor_grid_complex(&grid) || tor_grid_is_graded(&grid)) return 0;
  const double cells = (double)grid.n[0] * grid.n[1] * grid.n[2];
  if (job->schedule.engine == TOR_ENGINE_AUTO && cells <= TOR_STEPWISE_CELLS) return 0;
  tor_model_size_slab(job, &grid, slab);
  return tor_packing_most(slab);
}

struct tor_packing *tor_packing_new(int members) {
  struct tor_packing *p = tor_alloc(1, sizeof *p, "packing");
  p->n = members;
  p->fetched = p->fetched_energy = -1;
  p->member = tor_alloc((size_t)members, sizeof *p->member, "packing");
  if (pthread_mutex_init(&p->mutex, NULL) || pthread_cond_init(&p->changed, NULL)) TOR_DIE("no mutex for a packing");
  for (int i = 0; i < members; i++) {
    p->member[i].packing = p;
    p->member[i].part = -1;
  }
  return p;
}

void tor_packing_free(struct tor_packing *p) {
  if (!p) return;
  pthread_cond_destroy(&p->changed);
  pthread_mutex_destroy(&p->mutex);
  free(p->member);
  free(p->group);
  free(p);
}

/* --- Opening --- */

/* Gives the members that are here their parts of the packed slab: those that agree with the first. Returns how many. */
static int choose(struct tor_packing *p, struct tor_slab **part) {
  const struct member *first = NULL;
  int n = 0, most = 0;
  for (int i = 0; i < p->n; i++) {
    struct member *m = &p->member[i];
    if (m->arrival != HERE) continue;
    if (!first) {
      first = m;
      most = tor_packing_most(m->slab);
    }
    m->why = tor_pack_hinders(first->slab, m->slab);
    for (int k = 1; k < n && !m->why; k++) m->why = tor_pack_hinders(part[k], m->slab);
    if (!m->why && n >= most) m->why = most ? "no more fit a block" : "towers do not run them together";
    if (!m->why && m->number != first->number) m->why = "another GPU";
    if (m->why) continue;
    part[n] = m->slab;
    m->part = n++;
  }
  if (n > 1) return n;
  for (int i = 0; i < p->n; i++) p->member[i].part = -1;
  return 0;
}

static void close_pack(struct tor_packing *p) {
  p->device->ops->close(p->device);
  p->device = NULL;
  tor_pack_free(&p->pack);
}

static void make(struct tor_packing *p, struct tor_slab *const *part, int n, int number, int threads) {
  tor_pack_make(&p->pack, part, n, tor_packing_pitch(part[0]), threads);
  p->group = tor_alloc((size_t)p->pack.slab.ngroup + 1, sizeof *p->group, "packing");
  p->device = tor_device_open(&p->pack.slab, number, 0, NULL);
}

static int any_expected(const struct tor_packing *p) {
  for (int i = 0; i < p->n; i++)
    if (p->member[i].arrival == EXPECTED) return 1;
  return 0;
}

static const struct tor_gpu_ops member_ops;

struct tor_device *tor_packing_open(struct tor_packing *p, int member, struct tor_slab *slab, int number, int threads,
                                    int *parts, const char **why) {
  struct member *m = &p->member[member];
  tor_concurrent_give(0);
  pthread_mutex_lock(&p->mutex);
  m->slab = slab;
  m->number = number;
  m->arrival = HERE;
  pthread_cond_broadcast(&p->changed);
  while (p->state == IN_WORK || (p->state == NOT_YET && any_expected(p))) pthread_cond_wait(&p->changed, &p->mutex);
  if (p->state == NOT_YET) {
    struct tor_slab **part = tor_alloc((size_t)p->n, sizeof(struct tor_slab *), "packing");
    const int n = choose(p, part);
    p->state = IN_WORK;
    pthread_mutex_unlock(&p->mutex);
    if (n) make(p, part, n, number, n * threads); /* all wait */
    pthread_mutex_lock(&p->mutex);
    p->state = READY;
    pthread_cond_broadcast(&p->changed);
    free(part);
  }
  m->device.ops = &member_ops;
  *parts = m->part < 0 ? 1 : p->pack.n;
  *why = m->part < 0 ? m->why : NULL;
  pthread_mutex_unlock(&p->mutex);
  tor_concurrent_share(*parts);
  struct tor_device *device = m->part < 0 ? tor_device_open(slab, number, 0, NULL) : &m->device;
  tor_concurrent_take(0);
  return device;
}

void tor_packing_leave(struct tor_packing *p, int member) {
  struct member *m = &p->member[member];
  pthread_mutex_lock(&p->mutex);
  m->arrival = GONE;
  pthread_cond_broadcast(&p->changed);
  int others = 0;
  for (int i = 0; i < p->n; i++) others += p->member[i].part >= 0 && p->member[i].arrival == HERE;
  if (p->device && !others) close_pack(p);
  pthread_mutex_unlock(&p->mutex);
  tor_concurrent_share(1);
}

/* --- A member's device --- */

static struct member *of(const struct tor_device *device) { return (struct member *)device; }

/* Whether all members that share the packed slab wait for a stage. */
static int all_wait(const struct tor_packing *p) {
  for (int i = 0; i < p->n; i++)
    if (p->member[i].part >= 0 && p->member[i].arrival == HERE && !p->member[i].stage) return 0;
  return 1;
}

/* Steps of all that wait: as many as the shortest of their stages has left. */
static void run_all(struct tor_packing *p) {
  const size_t n = (size_t)p->pack.n;
  const struct tor_stage **stage = tor_alloc(n, sizeof(struct tor_stage *), "packing");
  int *skip = tor_alloc(n, sizeof *skip, "packing"), steps = 0;
  for (int i = 0; i < p->n; i++) {
    const struct member *m = &p->member[i];
    if (m->part < 0 || m->arrival != HERE) continue;
    stage[m->part] = m->stage;
    skip[m->part] = m->done;
    if (!steps || m->stage->steps - m->done < steps) steps = m->stage->steps - m->done;
  }
  struct tor_stage packed;
  p->is_running = 1;
  pthread_mutex_unlock(&p->mutex);
  tor_pack_stage(&p->pack, stage, skip, steps, &packed);
  p->device->ops->run(p->device, &packed, TOR_ENGINE_DIAMOND);
  pthread_mutex_lock(&p->mutex);
  p->is_running = 0;
  p->stages++;
  for (int i = 0; i < p->n; i++) {
    struct member *m = &p->member[i];
    if (!m->stage) continue;
    m->done += steps;
    if (m->done == m->stage->steps) m->stage = NULL;
  }
  pthread_cond_broadcast(&p->changed);
  free(stage);
  free(skip);
}

static void run(struct tor_device *device, const struct tor_stage *stage, enum tor_engine_kind engine) {
  struct member *m = of(device);
  struct tor_packing *p = m->packing;
  (void)engine;
  pthread_mutex_lock(&p->mutex);
  m->stage = stage;
  m->done = 0;
  while (m->stage)
    if (!p->is_running && all_wait(p))
      run_all(p);
    else
      pthread_cond_wait(&p->changed, &p->mutex);
  pthread_mutex_unlock(&p->mutex);
}

static double seconds(const struct tor_device *device) {
  const struct tor_packing *p = of(device)->packing;
  return p->device->ops->seconds(p->device);
}

/* The packed slab with the data of one member's groups alone, or of none: what others have is not written. */
static struct tor_slab with_groups_of(struct tor_packing *p, int part) {
  struct tor_slab slab = p->pack.slab;
  const int first = part < 0 ? 0 : p->pack.first_group[part], past = part < 0 ? 0 : p->pack.first_group[part + 1];
  memcpy(p->group, slab.group, (size_t)slab.ngroup * sizeof *p->group);
  for (int g = 0; g < slab.ngroup; g++)
    if (g < first || g >= past) p->group[g].data = NULL;
  slab.group = p->group;
  return slab;
}

static void take_monitors(struct member *m) {
  struct tor_packing *p = m->packing;
  struct tor_slab slab = with_groups_of(p, m->part);
  p->device->ops->fetch_monitors(p->device, &slab);
}

static void take_energy(struct member *m) {
  struct tor_packing *p = m->packing;
  if (p->fetched_energy != p->stages) p->device->ops->fetch_energy(p->device, &p->pack.slab);
  p->fetched_energy = p->stages;
  tor_pack_take_energy(&p->pack, m->part);
}

static void fetch(struct tor_device *device, struct tor_slab *slab) {
  struct member *m = of(device);
  struct tor_packing *p = m->packing;
  (void)slab; /* the part */
  pthread_mutex_lock(&p->mutex);
  if (p->fetched != p->stages) {
    struct tor_slab packed = with_groups_of(p, -1);
    p->device->ops->fetch(p->device, &packed);
    p->fetched = p->fetched_energy = p->stages;
  }
  tor_pack_take(&p->pack, m->part);
  take_energy(m);
  take_monitors(m);
  pthread_mutex_unlock(&p->mutex);
}

static void fetch_monitors(const struct tor_device *device, struct tor_slab *slab) {
  struct member *m = of(device);
  (void)slab;
  pthread_mutex_lock(&m->packing->mutex);
  take_monitors(m);
  pthread_mutex_unlock(&m->packing->mutex);
}

static void fetch_energy(const struct tor_device *device, struct tor_slab *slab) {
  struct member *m = of(device);
  (void)slab;
  pthread_mutex_lock(&m->packing->mutex);
  take_energy(m);
  pthread_mutex_unlock(&m->packing->mutex);
}

static double energy(struct tor_device *device, int segment, int x0, int x1, int y0, int y1) {
  struct member *m = of(device);
  struct tor_packing *p = m->packing;
  (void)segment;
  pthread_mutex_lock(&p->mutex);
  const double sum = p->device->ops->energy(p->device, m->part, x0, x1, y0, y1);
  pthread_mutex_unlock(&p->mutex);
  return sum;
}

static void close_member(struct tor_device *device) {
  struct member *m = of(device);
  tor_packing_leave(m->packing, (int)(m - m->packing->member));
}

static const struct tor_gpu_ops member_ops = {.run = run,
                                              .seconds = seconds,
                                              .fetch = fetch,
                                              .fetch_monitors = fetch_monitors,
                                              .fetch_energy = fetch_energy,
                                              .energy = energy,
                                              .close = close_member};
