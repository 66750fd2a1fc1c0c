/* A plain job to build tests on: see plain_job.h. */
#include "tests/support/plain_job.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/units.h"

void tor_plain_job(struct tor_job *job, const int n[3], const double cell[3], int order, enum tor_precision precision,
                   enum tor_wall wall, int layers) {
  memset(job, 0, sizeof *job);
  job->path = "test";
  job->title = "test";
  job->output = "test";
  job->length_unit = TOR_NM;
  for (int a = 0; a < 3; a++) {
    job->size[a] = n[a] * cell[a];
    job->cell[a] = cell[a];
  }
  job->order = order;
  job->precision = precision;
  job->courant = order == 2 ? 0.9 : 0.5;
  job->samples = 8;
  job->nmedia = 1;
  job->media = malloc(sizeof *job->media);
  job->media[0] = tor_medium_vacuum("vacuum");
  for (int f = 0; f < TOR_NFACE; f++)
    job->boundary[f] = (struct tor_boundary){
        .wall = wall, .cells = wall == TOR_CPML ? layers : 0, .grade = 3, .sigma = 1, .kappa = 1, .alpha = 0.05};
}

void tor_plain_job_free(struct tor_job *job) {
  for (int m = 0; m < job->nmedia; m++) tor_medium_free(&job->media[m]);
  free(job->media);
}

void tor_plain_job_return(struct tor_job *job, struct tor_medium *own) {
  job->media = own;
  job->nmedia = 1;
  job->objects = NULL;
  job->nobjects = job->nsources = job->nmonitors = 0;
}

void tor_plain_surface(struct tor_job *job, struct tor_medium *medium, enum tor_plain_surface surface) {
  static struct tor_pole free_electrons = {TOR_DRUDE, 9 * TOR_EV, 0, 0.2 * TOR_EV, 0, {0}, 0};
  for (int a = 0; a < 3; a++) medium->eps[a] = surface == TOR_PLAIN_METAL_NODES ? 1.5 : 4;
  medium->npoles = surface == TOR_PLAIN_METAL_NODES;
  medium->poles = &free_electrons;
  job->averaging = surface == TOR_PLAIN_SUBPIXEL ? TOR_AVERAGE_SUBPIXEL : TOR_AVERAGE_TENSOR;
}

void tor_plain_start(const struct tor_job *job, struct tor_model *model, struct tor_simulation *sim) {
  struct tor_faults faults = {0};
  if (tor_model_make(job, 2, model, &faults)) {
    tor_faults_print(&faults, stderr);
    exit(1);
  }
  struct tor_engine_setup setup = {TOR_ENGINE_DIAMOND, job->order == 2 ? 6 : 2, 2};
  tor_simulation_init(sim, model, &setup, 32);
}

void tor_plain_stop(struct tor_model *model, struct tor_simulation *sim) {
  tor_simulation_free(sim);
  tor_model_free(model);
}

void tor_plain_run(struct tor_simulation *sim) {
  while (!tor_simulation_done(sim)) tor_simulation_stage(sim, sim->model->steps);
}

static tor_gidx place(const struct tor_slab *slab, int comp, int ix, int iy, int iz) {
  return tor_slab_vector(slab, tor_slab_column(slab, ix, iy), comp) + iz;
}

double tor_plain_value(const struct tor_model *model, int comp, int ix, int iy, int iz) {
  const struct tor_slab *slab = &model->slab;
  tor_gidx i = place(slab, comp, ix, iy, iz);
  return slab->precision == TOR_F32 ? (double)((const float *)slab->field)[i] : ((const double *)slab->field)[i];
}

void tor_plain_set(struct tor_model *model, int comp, int ix, int iy, int iz, double value) {
  const struct tor_slab *slab = &model->slab;
  tor_gidx i = place(slab, comp, ix, iy, iz);
  if (slab->precision == TOR_F32)
    ((float *)slab->field)[i] = (float)value;
  else
    ((double *)slab->field)[i] = value;
}
