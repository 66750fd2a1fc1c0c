/* Periodic and Bloch walls on a GPU against the CPU's stepwise engine: equal bits of random jobs with media, layers,
 * sources, monitors and surface nodes, by the stepwise engine and, where they can, by towers.
 *
 *     walls [first seed [seeds [32 | 64 | 0 [2 | 4 | 0 [steps]]]]]      exit status 0: equal; 1: not; 77: no GPU
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/gpu/device.h"
#include "src/simulation/simulation.h"
#include "tests/support/random_job.h"

static int until = 12; /* steps */

/* gpu: on the GPU, else on the CPU. */
static void run(const struct tor_job *job, struct tor_model *model, struct tor_simulation *sim,
                enum tor_engine_kind engine, int th, int gpu) {
  struct tor_faults faults = {0};
  if (tor_model_make(job, 1, model, &faults)) {
    tor_faults_print(&faults, stderr);
    exit(1);
  }
  const struct tor_engine_setup setup = {engine, 1, 1};
  tor_simulation_init(sim, model, &setup, th);
  if (gpu) tor_simulation_use_gpu(sim, 0, 0);
  while (!tor_simulation_done(sim) && sim->step < until) tor_simulation_stage(sim, until);
  tor_simulation_fetch(sim);
}

static int differs(const char *what, const void *a, const void *b, double bytes) {
  if (bytes == 0 || !memcmp(a, b, (size_t)bytes)) return 0;
  printf("%s differ\n", what);
  return 1;
}

/* The fields' values that an engine advances, and those at seams. */
static int fields_differ(const struct tor_slab *s, const struct tor_slab *t) {
  for (tor_gidx column = 0; column < tor_slab_columns(s); column++)
    for (int c = 0; c < TOR_NCOMP; c++) {
      if (!tor_comp_exists(s->plane, c)) continue;
      const size_t at = (size_t)tor_slab_vector(s, column, c) * (size_t)s->precision,
                   bytes = (size_t)(s->n[2] + 1) * (size_t)s->precision;
      if (memcmp((const char *)s->field + at, (const char *)t->field + at, bytes)) {
        printf("component %d of column %d, %d differs\n", c, (int)(column / s->held[1]), (int)(column % s->held[1]));
        return 1;
      }
    }
  return 0;
}

static int slabs_differ(const struct tor_slab *s, const struct tor_slab *t) {
  const double real = s->precision, nx = s->n[0] + 1, ny = s->n[1] + 1, nzp = s->nzp;
  int bad = fields_differ(s, t);
  bad |= differs("psi_x", s->psi_x, t->psi_x, s->cpml[0].count * ny * 4 * nzp * real);
  bad |= differs("psi_y", s->psi_y, t->psi_y, s->cpml[1].count * nx * 4 * nzp * real);
  bad |= differs("psi_z", s->psi_z, t->psi_z, nx * ny * 4 * (s->zlo + s->zhi) * real);
  return bad | differs("poles", s->state, t->state, (double)s->nstate * real);
}

static int models_differ(const struct tor_model *a, const struct tor_model *b) {
  const struct tor_slab *s = &a->slab, *t = &b->slab;
  int bad = slabs_differ(s, t) | (s->other && slabs_differ(s->other, t->other));
  bad |= differs("energy", s->energy, t->energy, (double)tor_slab_columns(s) * TOR_NCOMP * sizeof *s->energy);
  for (int g = 0; g < s->ngroup; g++) {
    const struct tor_record_group *group = &s->group[g];
    const int each = group->kind == TOR_RECORD_DFT ? 2 * group->nfreq : group->nsample;
    bad |= differs("monitors", group->data, t->group[g].data, (double)group->npoints * each * sizeof *group->data);
  }
  return bad;
}

static int any_field(const struct tor_slab *slab) {
  const char *p = slab->field;
  const size_t bytes = (size_t)tor_slab_columns(slab) * (size_t)tor_plane_comps(slab->plane) * (size_t)slab->nzp *
                       (size_t)slab->precision;
  for (size_t i = 0; i < bytes; i++)
    if (p[i]) return 1;
  return 0;
}

/* towers: counts the jobs that towers ran, with real and with complex fields. */
static int check(unsigned seed, int order, enum tor_precision precision, int towers[2]) {
  static const unsigned axes[] = {2, 4, 6, 7, 1, 3};
  static const int th[] = {64, 3, 7, 16, 5};
  const int bloch = seed / 2 % 2;
  struct tor_job job;
  tor_random_job(seed, order, precision, &job);
  const int for_towers = bloch && seed / 4 % 2;                 /* which have no absorbers there */
  const int tensor = seed % 3 || (for_towers && seed % 9 == 6); /* 6: along y alone */
  if (tensor) tor_random_job_use_tensor(&job, seed % 2);
  for (int f = 0; f < TOR_NFACE && for_towers; f++)
    if (job.boundary[f].wall == TOR_ABSORBER) job.boundary[f].wall = TOR_CPML;
  tor_random_job_use_periodic(&job, axes[seed % 6]);
  if (bloch) tor_random_job_use_bloch(&job, seed);
  if (seed % 4 == 1) tor_random_job_use_tensors(&job, seed);
  if (seed % 12 == 2) tor_random_job_use_full(&job, 1);
  if (seed % 8 == 4) tor_random_job_use_full(&job, seed % 16 == 4 ? 2 : 3);
  if (order == 2 && !tensor) tor_random_job_use_graded(&job, 1 + seed % 7);
  struct tor_model expected, got;
  struct tor_simulation of_expected, of_got;
  run(&job, &expected, &of_expected, TOR_ENGINE_STEPWISE, 8, 0);
  int bad = !any_field(bloch ? expected.slab.other : &expected.slab);
  if (bad) printf("no fields\n");
  const int rows = tor_device_has_towers(0) && tor_device_has_rows(&expected.slab);
  for (int diamond = 0; diamond <= rows; diamond++) {
    run(&job, &got, &of_got, diamond ? TOR_ENGINE_DIAMOND : TOR_ENGINE_STEPWISE, th[seed % 5], 1);
    if (models_differ(&expected, &got)) {
      printf("FAILED %s, ", diamond ? "towers" : "stepwise");
      bad = 1;
    }
    tor_simulation_free(&of_got);
    tor_model_free(&got);
  }
  const int *n = expected.slab.n;
  const char *const none = rows ? NULL : tor_device_no_rings(&expected.slab);
  printf("%s, seed %u, order %d, f%d, %d x %d x %d, axes %u%s, %s\n", bad ? "bad" : "equal", seed, order,
         8 * (int)precision, n[0], n[1], n[2], axes[seed % 6], bloch ? ", complex" : "",
         rows   ? "towers"
         : none ? none
                : "stepwise");
  fflush(stdout);
  towers[bloch] += rows;
  tor_simulation_free(&of_expected);
  tor_model_free(&expected);
  tor_job_free(&job);
  return bad;
}

int main(int argc, char **argv) {
  if (!tor_device_count()) {
    printf("no GPU\n");
    return 77;
  }
  const int first = argc > 1 ? atoi(argv[1]) : 1, seeds = argc > 2 ? atoi(argv[2]) : 6,
            bits = argc > 3 ? atoi(argv[3]) : 0, only = argc > 4 ? atoi(argv[4]) : 0;
  if (argc > 5) until = atoi(argv[5]);
  int failures = 0, towers[2] = {0, 0}, jobs = 0;
  for (int seed = first; seed < first + seeds; seed++)
    for (int order = 2; order <= 4; order += 2)
      for (int bytes = 4; bytes <= 8; bytes += 4) {
        if ((bits && bits != 8 * bytes) || (only && only != order)) continue;
        failures += check((unsigned)seed, order, bytes == 4 ? TOR_F32 : TOR_F64, towers);
        jobs++;
      }
  printf("%d jobs, %d of them by towers, and %d with complex fields, %d failures\n", jobs, towers[0], towers[1],
         failures);
  return failures > 0;
}
