/* Random small jobs: see random_job.h. */
#include "tests/support/random_job.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/units.h"
#include "src/job/design.h"
#include "src/job/tensor.h"
#include "src/job/turn.h"
#include "src/job/turned.h"
#include "src/model/exponentials.h"
#include "src/model/metal.h"

struct dice {
  unsigned long long state;
};

/* xorshift64*: the same numbers on every machine. */
static double roll(struct dice *d) {
  d->state ^= d->state >> 12;
  d->state ^= d->state << 25;
  d->state ^= d->state >> 27;
  return (double)((d->state * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
}
static int pick(struct dice *d, int lo, int hi) { return lo + (int)(roll(d) * (hi - lo + 1)); }
static double between(struct dice *d, double lo, double hi) { return lo + roll(d) * (hi - lo); }

static struct tor_medium *add_medium(struct tor_job *job, const char *name) {
  job->media = realloc(job->media, ((size_t)job->nmedia + 1) * sizeof *job->media);
  job->media[job->nmedia] = tor_medium_vacuum(name);
  return &job->media[job->nmedia++];
}

static void add_pole(struct tor_medium *m, struct tor_pole pole) {
  m->poles = realloc(m->poles, ((size_t)m->npoles + 1) * sizeof *m->poles);
  m->poles[m->npoles++] = pole;
}

static void make_media(struct dice *d, struct tor_job *job) {
  struct tor_medium *m = add_medium(job, "background");
  if (pick(d, 0, 2) == 0) m->eps[0] = m->eps[1] = m->eps[2] = between(d, 1, 3);
  m = add_medium(job, "glass");
  for (int a = 0; a < 3; a++) m->eps[a] = between(d, 1.5, 5);
  m = add_medium(job, "lossy");
  for (int a = 0; a < 3; a++) {
    m->eps[a] = between(d, 1, 4);
    m->mu[a] = between(d, 1, 2);
    m->sigma[a] = between(d, 0, 3e4);
    m->sigma_m[a] = pick(d, 0, 1) * between(d, 0, 1e9);
  }
  m = add_medium(job, "metal");
  add_pole(m, (struct tor_pole){TOR_DRUDE, 9 * TOR_EV, 0, 0.07 * TOR_EV, 0, {0}, 0});
  add_pole(m, (struct tor_pole){TOR_LORENTZ, 1.5, 3 * TOR_EV, 0.6 * TOR_EV, 0, {0}, 0});
  m = add_medium(job, "debye");
  m->eps[0] = m->eps[1] = m->eps[2] = 2;
  add_pole(m, (struct tor_pole){TOR_DEBYE, 3, 0, 0, 2e-15, {0, 0.3, 0.1}, 0});
  add_pole(m, (struct tor_pole){TOR_DRUDE, 3 * TOR_EV, 0, 0.1 * TOR_EV, 0, {0}, 0});
  if (job->media[0].eps[0] > 1) /* then all of its poles are implicit */
    add_pole(m, (struct tor_pole){TOR_CRITICAL_POINT, 0.8, 3 * TOR_EV, 0.5 * TOR_EV, 0, {0.2, 0, 0.1}, -0.15});
  m = add_medium(job, "conductor");
  m->conducts = 1;
}

static void turn_about_z(struct tor_object *o, double degrees) {
  double matrix[3][3];
  tor_turn_matrix((const double[]){0, 0, degrees}, matrix);
  tor_object_turn(o, (const double(*)[3])matrix, o->center);
}

static void make_objects(struct dice *d, struct tor_job *job) {
  job->nobjects = pick(d, 1, 5);
  job->objects = calloc((size_t)job->nobjects, sizeof *job->objects);
  for (int i = 0; i < job->nobjects; i++) {
    struct tor_object *o = &job->objects[i];
    o->medium = pick(d, 0, job->nmedia - 1);
    for (int a = 0; a < 3; a++) {
      o->center[a] = between(d, -0.4, 0.4) * job->size[a];
      o->size[a] = between(d, 0.1, 0.8) * job->size[a];
    }
    switch (pick(d, 0, 2)) {
    case 0:
      o->shape = TOR_SPHERE;
      o->radius[0] = between(d, 0.1, 0.4) * job->size[pick(d, 0, 2)];
      break;
    case 1:
      o->shape = TOR_BOX;
      if (i % 2) turn_about_z(o, 200 * o->center[0] / job->size[0]);
      break;
    default:
      o->shape = TOR_LAYER;
      o->axis = pick(d, 0, 2);
      o->lo = between(d, -0.5, 0.3) * job->size[o->axis];
      o->hi = pick(d, 0, 1) ? (double)INFINITY : o->lo + between(d, 0.05, 0.3) * job->size[o->axis];
    }
  }
}

static struct tor_profile make_profile(struct dice *d, double amplitude) {
  struct tor_profile p = {.kind = TOR_CONTINUOUS, .wavelength = between(d, 300, 700) * TOR_NM, .amplitude = amplitude};
  p.rise = between(d, 0.5, 2) * TOR_FS;
  p.phase = between(d, 0, 6);
  return p;
}

static void make_sources(struct dice *d, struct tor_job *job, int plane_wave) {
  job->nsources = pick(d, 1, 3);
  job->sources = calloc((size_t)job->nsources, sizeof *job->sources);
  for (int i = 0; i < job->nsources; i++) {
    struct tor_source *s = &job->sources[i];
    s->name = strdup("source");
    s->kind = i == 0 && plane_wave ? TOR_PLANE_WAVE : pick(d, 0, 1) ? TOR_ELECTRIC_DIPOLE : TOR_MAGNETIC_DIPOLE;
    s->profile = make_profile(d, s->kind == TOR_PLANE_WAVE ? 1 : s->kind == TOR_ELECTRIC_DIPOLE ? 1e-11 : 1e-9);
    s->axis = pick(d, 0, 2);
    s->direction = pick(d, 0, 1) ? 1 : -1;
    s->polarisation = (s->axis + pick(d, 1, 2)) % 3;
    for (int a = 0; a < 3; a++) {
      s->position[a] = between(d, -0.45, 0.45) * job->size[a];
      s->lo[a] = -between(d, 0.15, 0.3) * job->size[a];
      s->hi[a] = between(d, 0.15, 0.3) * job->size[a];
    }
  }
}

/* Profiles that are 0 on the domain's walls, and signals, all random. */
static void make_sheet(struct dice *d, const struct tor_job *job, struct tor_source *s) {
  struct tor_sheet *to = calloc(1, sizeof *to);
  s->sheet = to;
  to->axis = s->axis;
  to->direction = s->direction;
  to->nterms = pick(d, 1, TOR_SHEET_MOST_TERMS);
  to->nfreq = pick(d, 1, 3);
  to->has_nodes = pick(d, 0, 1);
  to->end = INFINITY;
  to->rise = TOR_FS;
  to->node = pick(d, 3, (int)lround(job->size[s->axis] / job->cell[s->axis]) - 3);
  int cells[2];
  for (int side = 0; side < 2; side++) {
    const int a = (s->axis + 1 + side) % 3;
    cells[side] = (int)lround(job->size[a] / job->cell[a]);
    to->lo[side] = pick(d, 0, 1) ? 0 : pick(d, 0, cells[side] / 2);
    to->n[side] = (pick(d, 0, 1) ? cells[side] : pick(d, to->lo[side] + 1, cells[side])) - to->lo[side] + 1;
  }
  const int points = to->n[0] * to->n[1], terms = TOR_SHEET_PLACES * to->nfreq * to->nterms;
  for (int f = 0; f < TOR_SHEET_FIELDS; f++) {
    to->profile[f] = calloc((size_t)(points * to->nterms), sizeof *to->profile[f]);
    for (int i = 0; i < points * to->nterms; i++) {
      const int at[2] = {i % points / to->n[1] + to->lo[0], i % to->n[1] + to->lo[1]};
      int inside = 1;
      for (int side = 0; side < 2; side++)
        inside &= (job->plane && (s->axis + 1 + side) % 3 == TOR_X) || (at[side] > 0 && at[side] < cells[side]);
      to->profile[f][i] = inside * between(d, -1, 1) * job->cell[1];
    }
  }
  to->omega = calloc((size_t)to->nfreq, sizeof *to->omega);
  for (int q = 0; q < to->nfreq; q++) to->omega[q] = 2 * TOR_PI * TOR_C0 / (between(d, 300, 700) * TOR_NM);
  for (int h = 0; h < 2; h++) {
    to->amplitude[h] = calloc((size_t)terms, sizeof *to->amplitude[h]);
    for (int i = 0; i < terms; i++) to->amplitude[h][i] = CMPLX(between(d, -1, 1), between(d, -1, 1));
  }
  const int of_nodes = to->has_nodes ? 2 * to->nfreq * to->nterms : 0;
  to->node_amplitude = calloc((size_t)of_nodes + 1, sizeof *to->node_amplitude);
  for (int i = 0; i < of_nodes; i++) to->node_amplitude[i] = CMPLX(between(d, -1, 1), between(d, -1, 1));
}

/* One more source, a sheet. */
static void add_sheet(struct dice *d, struct tor_job *job) {
  job->sources = realloc(job->sources, ((size_t)job->nsources + 1) * sizeof *job->sources);
  struct tor_source *s = &job->sources[job->nsources++];
  *s = (struct tor_source){.kind = TOR_MODE_SOURCE, .name = strdup("sheet"), .profile = make_profile(d, 1)};
  s->axis = pick(d, 0, 2);
  s->direction = pick(d, 0, 1) ? 1 : -1;
  make_sheet(d, job, s);
}

static void make_monitors(struct dice *d, struct tor_job *job) {
  static const enum tor_monitor_kind kinds[] = {TOR_PROBE, TOR_FIELD_DFT, TOR_FLUX_BOX,
                                                TOR_SLICE, TOR_ENERGY,    TOR_FLUX};
  job->nmonitors = 6;
  job->monitors = calloc((size_t)job->nmonitors, sizeof *job->monitors);
  for (int i = 0; i < job->nmonitors; i++) {
    struct tor_monitor *m = &job->monitors[i];
    m->kind = kinds[i];
    m->name = strdup("monitor");
    m->components = (unsigned)pick(d, 1, 63);
    for (int a = 0; a < 3; a++) {
      m->lo[a] = -between(d, 0, 0.3) * job->size[a];
      m->hi[a] = m->kind == TOR_PROBE ? m->lo[a] : between(d, 0.05, 0.3) * job->size[a];
    }
    int flat = pick(d, 0, 2);
    if (m->kind == TOR_FLUX || m->kind == TOR_SLICE) m->hi[flat] = m->lo[flat];
    m->nwavelength = pick(d, 1, 5);
    m->wavelength = calloc((size_t)m->nwavelength, sizeof *m->wavelength);
    /* A few cells long: transforms have a sample every few steps then, and several in a stage of these short runs. */
    for (int q = 0; q < m->nwavelength; q++) m->wavelength[q] = between(d, 10, 60) * TOR_NM;
    m->every = m->kind == TOR_ENERGY ? pick(d, 5, 12) : pick(d, 1, 4);
    if (m->kind == TOR_SLICE) {
      m->ntime = 3;
      m->time = calloc(3, sizeof *m->time);
      for (int t = 0; t < 3; t++) m->time[t] = between(d, 0, 1) * job->run_time;
    }
  }
}

/* One more monitor, at the first one's place. */
static void add_resonances(struct tor_job *job) {
  job->monitors = realloc(job->monitors, ((size_t)job->nmonitors + 1) * sizeof *job->monitors);
  struct tor_monitor *m = &job->monitors[job->nmonitors++];
  *m = (struct tor_monitor){.kind = TOR_RESONANCES, .components = job->monitors[0].components, .count = 2};
  m->name = strdup("resonances");
  memcpy(m->lo, job->monitors[0].lo, sizeof m->lo);
  memcpy(m->hi, m->lo, sizeof m->hi);
  m->band[0] = 30 * TOR_NM;
  m->band[1] = 90 * TOR_NM;
}

/* One more monitor, with the box and the wavelengths of the flux box. */
static void add_absorption(struct tor_job *job) {
  job->monitors = realloc(job->monitors, ((size_t)job->nmonitors + 1) * sizeof *job->monitors);
  const struct tor_monitor *box = &job->monitors[2];
  struct tor_monitor *m = &job->monitors[job->nmonitors++];
  *m = (struct tor_monitor){.kind = TOR_ABSORPTION, .nwavelength = box->nwavelength};
  m->name = strdup("absorption");
  memcpy(m->lo, box->lo, sizeof m->lo);
  memcpy(m->hi, box->hi, sizeof m->hi);
  m->wavelength = calloc((size_t)m->nwavelength, sizeof *m->wavelength);
  memcpy(m->wavelength, box->wavelength, (size_t)m->nwavelength * sizeof *m->wavelength);
}

/* A region of random densities, of poles, too, or permittivities. */
static void add_design(struct dice *d, struct tor_job *job) {
  struct tor_design *to = job->designs = calloc(1, sizeof *to);
  job->ndesigns = 1;
  *to = (struct tor_design){.name = strdup("design"), .medium = {0, 1}, .file = strdup(""), .dataset = strdup("")};
  if (pick(d, 0, 1)) to->medium[0] = to->medium[1] = -1;
  for (int m = 0, poles = pick(d, 0, 1); m < job->nmedia && poles && to->medium[0] >= 0; m++)
    if (!strcmp(job->media[m].name, "metal")) to->medium[1] = m;
  for (int a = 0, stride = 1; a < 3; stride *= to->n[a++]) {
    to->n[a] = pick(d, 1, 5);
    to->stride[a] = stride;
    to->lo[a] = between(d, -0.5, 0.2) * job->size[a];
    to->hi[a] = to->lo[a] + between(d, 0.1, 0.3) * job->size[a];
  }
  to->value = calloc((size_t)tor_design_count(to), sizeof *to->value);
  for (int i = 0; i < tor_design_count(to); i++) to->value[i] = (to->medium[0] < 0) + between(d, 0, 1);
}

void tor_random_job(unsigned seed, int order, enum tor_precision precision, struct tor_job *job) {
  struct dice dice = {seed * 0x9E3779B97F4A7C15ULL + 0x1234567ULL}, *d = &dice;
  for (int i = 0; i < 8; i++) roll(d);
  memset(job, 0, sizeof *job);
  job->path = strdup("random");
  job->title = strdup("random");
  job->output = strdup("results");
  job->length_unit = TOR_NM;
  job->order = order;
  job->precision = precision;
  job->courant = order == 2 ? 0.85 : 0.5;
  job->averaging = pick(d, 0, 3) ? TOR_AVERAGE_SUBPIXEL : TOR_AVERAGE_STAIRCASE;
  job->samples = 3;
  for (int a = 0; a < 3; a++) {
    job->cell[a] = between(d, 5, 12) * TOR_NM;
    int n = pick(d, 12, 30);
    job->size[a] = n * job->cell[a];
    for (int side = 0; side < 2; side++) {
      struct tor_boundary *b = &job->boundary[2 * a + side];
      *b = (struct tor_boundary){.wall = (enum tor_wall)pick(d, 0, 3),
                                 .cells = pick(d, 1, n / 3),
                                 .grade = 3,
                                 .sigma = 1,
                                 .kappa = 2,
                                 .alpha = 0.05};
      if (!tor_boundary_layer(b)) b->cells = 0;
    }
  }
  job->run_time = 60 * 0.45 * 8 * TOR_NM / TOR_C0;
  make_media(d, job);
  make_objects(d, job);
  /* A plane wave along x or y cannot cross layers across z. */
  int across = 0;
  for (int i = 0; i < job->nobjects; i++) across |= job->objects[i].shape == TOR_LAYER && job->objects[i].axis == TOR_Z;
  make_sources(d, job, !across);
  make_monitors(d, job);
  if (pick(d, 0, 2)) add_sheet(d, job);
  add_absorption(job);
  if (tor_exponentials_built()) add_resonances(job);
  if (pick(d, 0, 1)) add_design(d, job);
}

void tor_random_job_use_tensor(struct tor_job *job, int metals) {
  job->averaging = TOR_AVERAGE_TENSOR;
  for (int i = 0; i < job->ndesigns; i++) tor_design_free(&job->designs[i]);
  job->ndesigns = 0; /* they are refused with it */
  for (int m = 0; m < job->nmedia; m++)
    for (int a = 0; a < 3 && !job->media[m].npoles; a++) {
      job->media[m].eps[a] = job->media[m].eps[0];
      job->media[m].sigma[a] = 0;
    }
  for (int m = 0; m < job->nmedia && metals; m++) {
    if (strcmp(job->media[m].name, "metal") != 0) continue;
    for (int a = 0; a < 3; a++) job->media[m].eps[a] = 2; /* more than the background's, or less */
    for (int i = 0; i < job->nobjects && job->nobjects > 1; i++)
      if (job->objects[i].shape != TOR_LAYER) job->objects[i].medium = m;
  }
}

/* Without what is refused beside media whose polarisation is at nodes. */
static void make_room_for_nodes(struct tor_job *job) {
  for (int i = 0; i < job->ndesigns; i++) tor_design_free(&job->designs[i]);
  job->ndesigns = 0;
  for (int i = 0; i < job->nsources; i++)
    if (job->sources[i].kind == TOR_PLANE_WAVE) {
      job->sources[i].kind = TOR_ELECTRIC_DIPOLE;
      job->sources[i].profile.amplitude = 1e-11;
    }
  for (int m = 0; m < job->nmedia; m++)
    if (tor_is_metal(job, &job->media[m])) job->averaging = TOR_AVERAGE_SUBPIXEL;
}

void tor_random_job_use_tensors(struct tor_job *job, unsigned seed) {
  struct dice dice = {seed * 2654435761u + 1};
  make_room_for_nodes(job);
  for (int m = 0; m < job->nmedia; m++) {
    struct tor_medium *medium = &job->media[m];
    if (medium->npoles || medium->conducts) continue;
    double angle[3], matrix[3][3], given[6], turned[6];
    for (int a = 0; a < 3; a++) {
      medium->eps[a] = between(&dice, 1.5, 4);
      angle[a] = job->plane && a != TOR_X ? 0 : between(&dice, 10, 80);
    }
    tor_turn_matrix((const double *)angle, matrix);
    tor_medium_tensor(medium, given);
    tor_tensor_turn(given, (const double(*)[3])matrix, turned);
    tor_medium_set_tensor(medium, turned);
  }
  tor_job_find_node_media(job);
}

/* Elements of chi2 that couple E along x to the others. */
static int is_across(int element) {
  const int x = element < 6, column = element % 6, once = column >= 4;
  return (x + once) % 2;
}

void tor_random_job_use_full(struct tor_job *job, unsigned seed) {
  struct dice dice = {seed * 2654435761u + 1}, *d = &dice;
  make_room_for_nodes(job);
  /* What is refused beside one of them: a PMC, maps of absorption. */
  for (int f = 0; f < TOR_NFACE && seed % 4; f++)
    if (job->boundary[f].wall == TOR_PMC) job->boundary[f].wall = TOR_PEC;
  for (int i = 0; i < job->nmonitors && seed % 2; i++)
    if (job->monitors[i].kind == TOR_ABSORPTION) job->monitors[i].kind = TOR_FLUX_BOX;
  for (int m = 0, number = 0; m < job->nmedia; m++) {
    struct tor_medium *medium = &job->media[m];
    if (medium->npoles || medium->conducts) continue;
    if (seed % 2 == 0) { /* dipoles have some 1e7 V/m beside them */
      medium->chi3 = seed % 4 == 0 || number++ % 2 ? between(d, 1e-17, 5e-17) : 0;
      medium->has_chi2 = seed % 4 == 2;
      for (int k = 0; k < TOR_CHI2_SIZE && medium->has_chi2; k++)
        medium->chi2[k] = job->plane && is_across(k) ? 0 : between(d, -2e-10, 2e-10);
      tor_medium_set_edges(medium);
      continue;
    }
    medium->has_node_pole = 1;
    medium->node_pole = number++ % 2
                            ? (struct tor_pole){TOR_LORENTZ, 1.5, between(d, 2, 4) * TOR_EV, 0.6 * TOR_EV, 0, {0}, 0}
                            : (struct tor_pole){TOR_DRUDE, between(d, 4, 9) * TOR_EV, 0, 0.07 * TOR_EV, 0, {0}, 0};
    for (int a = 0; a < 3; a++) medium->cyclotron[a] = (job->plane && a != TOR_X ? 0 : between(d, -4, 4)) * TOR_EV;
    if (seed % 4 == 1) continue;
    memset(medium->cyclotron, 0, sizeof medium->cyclotron);
    medium->node_pole =
        (struct tor_pole){TOR_LORENTZ, between(d, -0.3, 0.3), between(d, 2, 4) * TOR_EV, 0.3 * TOR_EV, 0, {0}, 0};
    medium->saturation = between(d, 1e4, 1e7);
    medium->relaxation = between(d, 1, 50) * TOR_FS;
  }
  tor_job_find_node_media(job);
}

/* Columns whose nodes' `metal` is from least to most. */
static int count_nodes(const struct tor_slab *slab, int least, int most) {
  int count = 0;
  for (tor_gidx i = 0; i < tor_slab_columns(slab); i++) {
    const struct tor_pole_range *run = tor_slab_nodes(slab, i);
    count += run && run->metal >= least && run->metal <= most;
  }
  return count;
}
int tor_random_job_tensors(const struct tor_slab *slab) {
  return count_nodes(slab, TOR_TENSOR_NODES, TOR_TENSOR_NODES);
}
int tor_random_job_full(const struct tor_slab *slab) { return count_nodes(slab, -TOR_NODE_MEDIA, TOR_FULL_NODES); }
int tor_random_job_metals(const struct tor_slab *slab) { return count_nodes(slab, 1, INT_MAX); }

void tor_random_job_use_periodic(struct tor_job *job, unsigned axes) {
  for (int a = 0; a < 3; a++) {
    if (!(axes >> a & 1)) continue;
    for (int side = 0; side < 2; side++)
      job->boundary[2 * a + side] = (struct tor_boundary){.wall = TOR_PERIODIC, .kappa = 1};
    if (a == TOR_Y) job->size[a] = 6 * ceil(job->size[a] / job->cell[a] / 6 - 1e-6) * job->cell[a];
  }
}

void tor_random_job_use_graded(struct tor_job *job, unsigned axes) {
  struct dice d = {0x2545F4914F6CDD1DULL + axes};
  for (int a = 0; a < 3; a++) {
    const struct tor_boundary *b = &job->boundary[2 * a];
    const int n = (int)lround(job->size[a] / job->cell[a]);
    if (!(axes >> a & 1) || b->wall == TOR_PERIODIC || (job->plane && a == TOR_X)) continue;
    double *node = job->nodes[a] = calloc((size_t)n + 1, sizeof *node), end;
    job->nnode[a] = n + 1;
    for (int i = 0; i < n; i++) {
      const int in_layer = i <= tor_boundary_layer(&b[0]) || i + 1 >= n - tor_boundary_layer(&b[1]);
      node[i + 1] = node[i] + (in_layer ? 1 : between(&d, 0.6, 1.2)) * job->cell[a];
    }
    end = node[n];
    for (int i = 0; i <= n; i++) node[i] -= 0.5 * end;
  }
}

void tor_random_job_use_bloch(struct tor_job *job, unsigned seed) {
  for (int a = 0; a < 3; a++)
    if (job->boundary[2 * a].wall == TOR_PERIODIC) job->phase[a] = 0.3 + 0.7 * ((seed + 2 * (unsigned)a) % 4);
}

/* Beyond the metre along x. */
static void stretch(struct tor_object *o) {
  o->pose = (struct tor_pose){0};
  o->center[0] = 0;
  o->size[0] = o->height = 4;
  if (o->shape == TOR_SPHERE) o->shape = TOR_CYLINDER;
  if (o->shape != TOR_LAYER) o->axis = TOR_X;
  if (o->shape != TOR_LAYER || o->axis != TOR_X) return;
  o->axis = TOR_Y;
}

/* A sheet with one place along x. */
static void flatten_sheet(const struct tor_job *job, struct tor_source *s) {
  struct dice d = {0x9E3779B97F4A7C15ULL};
  tor_sheet_free(s->sheet);
  s->axis = pick(&d, 1, 2);
  make_sheet(&d, job, s);
  for (int side = 0; side < 2; side++)
    if ((s->axis + 1 + side) % 3 == TOR_X) s->sheet->lo[side] = 0;
}

void tor_random_job_make_plane(struct tor_job *job, enum tor_plane plane) {
  job->plane = plane;
  job->turn = TOR_TURN_PLANE;
  job->size[0] = job->cell[0] = 1;
  for (int f = 0; f < 2; f++)
    job->boundary[f] = (struct tor_boundary){.wall = plane == TOR_PLANE_TM ? TOR_PEC : TOR_PMC};
  for (int i = 0; i < job->nobjects; i++) stretch(&job->objects[i]);
  for (int i = 0; i < job->nsources; i++) {
    struct tor_source *s = &job->sources[i];
    const int tm = plane == TOR_PLANE_TM, electric = s->kind == TOR_ELECTRIC_DIPOLE;
    s->lo[0] = -0.5;
    s->hi[0] = 0.5;
    s->position[0] = 0;
    if (s->sheet) flatten_sheet(job, s);
    if (s->axis == TOR_X) s->axis = TOR_Z;
    if (!tor_source_is_dipole(s))
      s->polarisation = tm ? TOR_X : 3 - s->axis;
    else
      s->polarisation = tm == electric ? TOR_X : 1 + i % 2;
    s->profile.amplitude *= tor_source_is_dipole(s) ? 1e8 : 1; /* over a metre, not a cell */
  }
  for (int i = 0; i < job->nmonitors; i++) {
    struct tor_monitor *m = &job->monitors[i];
    unsigned exist = 0;
    for (int c = 0; c < TOR_NCOMP; c++) exist |= (unsigned)tor_comp_exists(plane, c) << c;
    m->components = m->components & exist ? m->components & exist : exist;
    m->lo[0] = tor_monitor_is_series(m) ? 0 : -0.5;
    m->hi[0] = tor_monitor_is_series(m) ? 0 : 0.5;
    if (m->kind == TOR_FLUX && m->lo[1] < m->hi[1] && m->lo[2] < m->hi[2]) m->hi[2] = m->lo[2];
  }
}
