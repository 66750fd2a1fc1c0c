/* The jobs that `torre bench` times: see bench_case.h. */
#include "src/bench/bench_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/material.h"

enum feature { VACUUM, LAYERED, INDEX, CPML, DRUDE, SPHERES, NCASE };
static const struct tor_bench_case cases[NCASE] = {
    {"vacuum", "vacuum between conducting walls"},
    {"layered", "a film and a substrate across z"},
    {"index", "64 dielectrics, other coefficients in every column"},
    {"cpml", "vacuum, 12 cells of CPML on six faces"},
    {"drude", "a Drude ellipsoid in 30 % of the volume, CPML"},
    {"spheres", "gold spheres on glass in 10 % of the volume, CPML, plane wave, flux box at 20 wavelengths"},
};

const struct tor_bench_case *tor_bench_case(int i) { return i >= 0 && i < NCASE ? &cases[i] : NULL; }

int tor_bench_case_number(const char *name) {
  for (int i = 0; i < NCASE; i++)
    if (!strcmp(cases[i].name, name)) return i;
  return -1;
}

static int add_medium(struct tor_job *job, struct tor_medium medium) {
  job->media[job->nmedia] = medium;
  return job->nmedia++;
}
static int add_dielectric(struct tor_job *job, double index) {
  struct tor_medium m = tor_medium_vacuum("dielectric");
  for (int a = 0; a < 3; a++) m.eps[a] = index * index;
  return add_medium(job, m);
}
static struct tor_object *add_object(struct tor_job *job, enum tor_shape shape, int medium) {
  struct tor_object *o = &job->objects[job->nobjects++];
  o->shape = shape;
  o->medium = medium;
  return o;
}

static void add_layer(struct tor_job *job, int medium, double lo, double hi) {
  struct tor_object *o = add_object(job, TOR_LAYER, medium);
  o->axis = TOR_Z;
  o->lo = lo;
  o->hi = hi;
}

/* 8 x 8 posts side by side, each of another medium and divided in the middle of z, so that no column is layered like
 * another. */
static void add_posts(struct tor_job *job) {
  for (int i = 0; i < 64; i++) {
    int x = i % 8, y = i / 8;
    struct tor_object *o = add_object(job, TOR_BOX, add_dielectric(job, 1.5 + i / 64.0));
    const double edge[3] = {job->size[0] / 8, job->size[1] / 8, 0.7 * job->size[2]};
    for (int a = 0; a < 3; a++) o->size[a] = edge[a];
    o->center[0] = (x - 3.5) * edge[0];
    o->center[1] = (y - 3.5) * edge[1];
  }
}

static void add_drude(struct tor_job *job) {
  struct tor_medium m = tor_medium_vacuum("Drude");
  m.npoles = 1;
  m.poles = tor_alloc(1, sizeof *m.poles, "bench");
  const double ev = 1.602176634e-19 / 1.054571817e-34;
  m.poles[0] = (struct tor_pole){.kind = TOR_DRUDE, .strength = 6 * ev, .gamma = 0.1 * ev};
  struct tor_object *o = add_object(job, TOR_ELLIPSOID, add_medium(job, m));
  /* 4/3 pi f^3 of a box of edges 1 is 0.3. */
  const double f = cbrt(0.3 * 3 / (4 * TOR_PI));
  for (int a = 0; a < 3; a++) o->size[a] = f * job->size[a];
}

/* Equal gold spheres in a square array that touch the glass, as many as fill 10 % of the domain inside the plane wave's
 * box. */
static void add_spheres(struct tor_job *job, double inner[3]) {
  add_layer(job, add_dielectric(job, 1.5), -INFINITY, 0);
  struct tor_medium gold;
  if (!tor_medium_builtin("Au", &gold)) TOR_DIE("no gold among the built-in media");
  int medium = add_medium(job, gold);
  double r = 0.35 * inner[2] / 2, volume = job->size[0] * job->size[1] * job->size[2];
  double wanted = 0.1 * volume / (4.0 / 3.0 * TOR_PI * r * r * r);
  int nx = (int)fmax(1, round(sqrt(wanted * inner[0] / inner[1]))), ny = (int)fmax(1, round(wanted / nx));
  if (nx > 40) nx = 40;
  if (ny > 40) ny = 40;
  r = fmin(r, 0.49 * fmin(inner[0] / nx, inner[1] / ny));
  for (int i = 0; i < nx * ny; i++) {
    struct tor_object *o = add_object(job, TOR_SPHERE, medium);
    const int row = i / nx;
    o->radius[0] = r;
    o->center[0] = ((i % nx + 0.5) / nx - 0.5) * inner[0];
    o->center[1] = ((row + 0.5) / ny - 0.5) * inner[1];
    o->center[2] = r;
  }
}

static void add_wave(struct tor_job *job, double total[3], double flux[3]) {
  struct tor_source *s = &job->sources[job->nsources++];
  s->kind = TOR_PLANE_WAVE;
  s->name = "wave";
  s->profile =
      (struct tor_profile){.kind = TOR_PULSE, .wavelength = 600 * TOR_NM, .band = 300 * TOR_NM, .amplitude = 1};
  s->axis = TOR_Z;
  s->direction = -1;
  struct tor_monitor *m = &job->monitors[job->nmonitors++];
  m->kind = TOR_FLUX_BOX;
  m->name = "flux";
  m->nwavelength = 20;
  m->wavelength = tor_alloc(20, sizeof *m->wavelength, "bench");
  for (int q = 0; q < 20; q++) m->wavelength[q] = (450 + 20 * q) * TOR_NM;
  for (int a = 0; a < 3; a++) {
    s->lo[a] = -0.5 * total[a];
    s->hi[a] = 0.5 * total[a];
    m->lo[a] = -0.5 * flux[a];
    m->hi[a] = 0.5 * flux[a];
  }
}

static void set_layers(struct tor_job *job, enum tor_wall wall) {
  for (int f = 0; f < TOR_NFACE; f++)
    job->boundary[f] = (struct tor_boundary){
        .wall = wall, .cells = wall == TOR_CPML ? 12 : 0, .grade = 3, .sigma = 1, .kappa = 1, .alpha = 0.05};
}

void tor_bench_job(int i, const int n[3], int order, enum tor_precision precision, struct tor_job *job) {
  enum { MEDIA = 80, OBJECTS = 1700 };
  memset(job, 0, sizeof *job);
  job->path = "bench";
  job->output = "";
  job->length_unit = TOR_NM;
  for (int a = 0; a < 3; a++) {
    job->cell[a] = 10 * TOR_NM;
    job->size[a] = n[a] * job->cell[a];
  }
  job->order = order;
  job->precision = precision;
  job->courant = order == 2 ? 0.9 : 0.5;
  job->samples = 4;
  job->run_time = 1;
  job->media = tor_alloc(MEDIA, sizeof *job->media, "bench");
  job->objects = tor_alloc(OBJECTS, sizeof *job->objects, "bench");
  job->sources = tor_alloc(1, sizeof *job->sources, "bench");
  job->monitors = tor_alloc(1, sizeof *job->monitors, "bench");
  add_medium(job, tor_medium_vacuum("vacuum"));
  set_layers(job, i < CPML ? TOR_PEC : TOR_CPML);
  double total[3], flux[3];
  for (int a = 0; a < 3; a++) {
    total[a] = job->size[a] - 2 * 18 * job->cell[a];
    flux[a] = job->size[a] - 2 * 15 * job->cell[a];
  }
  switch ((enum feature)i) {
  case LAYERED:
    add_layer(job, add_dielectric(job, 1.5), -INFINITY, 0);
    add_layer(job, add_dielectric(job, 2.0), 0, 0.1 * job->size[2]);
    break;
  case INDEX: add_posts(job); break;
  case DRUDE: add_drude(job); break;
  case SPHERES:
    add_spheres(job, total);
    add_wave(job, total, flux);
    break;
  default: break;
  }
}

void tor_bench_job_free(struct tor_job *job) {
  for (int m = 1; m < job->nmedia; m++) tor_medium_free(&job->media[m]);
  tor_medium_free(&job->media[0]);
  for (int m = 0; m < job->nmonitors; m++) free(job->monitors[m].wavelength);
  free(job->media);
  free(job->objects);
  free(job->sources);
  free(job->monitors);
}
