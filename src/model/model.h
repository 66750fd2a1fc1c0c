/* The model: a job turned into columns. Geometry, media, boundary layers, sources and monitors become the arrays of a
 * slab. */
#ifndef TOR_SRC_MODEL_MODEL_H
#define TOR_SRC_MODEL_MODEL_H

#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "src/job/grid.h"
#include "src/model/monitor.h"
#include "src/model/source.h"

struct tor_model {
  const struct tor_job *job;
  struct tor_grid grid;
  struct tor_slab slab;
  struct tor_sources *sources;
  struct tor_monitors *monitors;
  tor_gidx steps;       /* longest run */
  void *base;           /* allocation that contains slab.field */
  void *imaginary_base; /* Bloch walls: that of slab.other */
  tor_gidx dispersive;  /* points of E that carry poles */
  tor_gidx special;     /* columns whose class differs from the background's */
};

/* Memory of a model by part [bytes]. */
struct tor_model_memory {
  double fields, cpml, coefficients, poles, monitors, lists, total;
  double cpml_z;                       /* of cpml: the memory of the layers along z, which lies with the columns */
  double series;                       /* among the monitors' */
  double copies;                       /* of monitors, made to write them; not in total */
  double designs;                      /* numbers of design regions, in each process; not in total */
  double towers;                       /* a GPU's tables of ranges of z and of pole ranges; not in total */
  double dft_samples, dft_sample_step; /* a GPU's samples of a stage for transforms: at most dft_samples + steps
                                    dft_sample_step; not in total */
};

/* A job's size, found without taking its memory; media are sampled, so coefficients and poles are estimates. */
struct tor_model_size {
  struct tor_grid grid;
  tor_gidx steps;
  int energy_every;
  int fits_towers;      /* a GPU's towers can run it: tor_device_has_rows */
  const char *no_rings; /* why they cannot run its periodic walls (tor_device_no_rings); NULL */
  double cells;
  double dispersive;            /* points of E with poles */
  double nodes[TOR_NODE_MEDIA]; /* nodes of media of enum tor_node_media, and of surfaces beside them */
  double values_dispersive;     /* their state [values] */
  struct tor_model_memory memory;
};
int tor_model_estimate(const struct tor_job *job, struct tor_model_size *size, struct tor_faults *faults);

/* Builds the model, or adds faults and leaves it empty. The job must outlive the model. Ends the run when memory is
 * short. After tor_stop_ask it returns soon, with a model of which parts are missing: it can only be freed. */
int tor_model_make(const struct tor_job *job, int threads, struct tor_model *model, struct tor_faults *faults);
/* The same for the columns `held` of the domain alone; NULL: all. Sources and monitors are the domain's, injections and
 * records those of the held columns. untouched: the fields are initialised and stay on a device (slab.h); memory for
 * them is only reserved here. disk: the arrays of columns lie there (src/disk/disk.h), it must outlive the model; NULL:
 * in memory. */
int tor_model_make_part(const struct tor_job *job, const struct tor_column_block *held, int untouched,
                        struct tor_disk *disk, int threads, struct tor_model *model, struct tor_faults *faults);
void tor_model_free(struct tor_model *model);

/* Adds the faults that making the model would add. */
void tor_model_check(const struct tor_job *job, struct tor_faults *faults);

/* Sets the sizes of a slab that holds the whole domain, its order, precision, time step and walls. */
void tor_model_size_slab(const struct tor_job *job, const struct tor_grid *grid, struct tor_slab *slab);

/* Energy of the last energy step [J] in some of the columns held: sums along z, then over columns in order. */
double tor_model_energy(const struct tor_model *model, const struct tor_column_block *columns);

#endif
