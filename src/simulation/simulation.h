/* Advances a model stage by stage and records its energy. Reads and writes no files. */
#ifndef TOR_SRC_SIMULATION_SIMULATION_H
#define TOR_SRC_SIMULATION_SIMULATION_H

#include "comm/exchange/reduce.h"
#include "diamond/gpu/device.h"
#include "diamond/core/engine.h"
#include "src/model/model.h"
#include "src/simulation/packing.h"

/* Towards the end of a run whose powers shall settle (src/run/settling.h). */
struct tor_settling {
  int due;              /* powers are looked at with the next energy sum */
  int settled;          /* they have: the run is over */
  double wake;          /* look again when the energy is this or less [J]; INFINITY: when the sources are over */
  double energy;        /* with which they were last looked at [J]; 0: not yet */
  double error, change; /* the last estimates of what is missing, of the largest power; -1: none */
  int npower;
  double *power; /* [npower] as of that time [J/Hz], rank 0's; owned */
};

/* Which of a GPU's engines is faster: they run the first stages in turn, with the same bits. */
struct tor_engine_trial {
  int left;          /* stages of it to come */
  double seconds[2]; /* of towers, of the stepwise engine, without the first stage of each */
  double steps[2];
};

struct tor_simulation {
  struct tor_model *model;
  struct tor_engine_setup setup;
  struct tor_device *device;     /* holds the slab while it runs on a GPU; NULL on the CPU */
  struct tor_exchange *exchange; /* with the other ranks; NULL: none */
  int th;                        /* longest stage */
  tor_gidx step;                 /* steps done: E is at this step, H half a step before */
  int nenergy;                   /* energy sums so far */
  size_t capacity;
  tor_gidx *energy_step; /* [nenergy] */
  double *energy;        /* [nenergy] [J] */
  double energy_max;
  int decayed; /* the energy fell below the job's fraction after the sources' end */
  struct tor_settling settling;
  struct tor_engine_trial trial;
  tor_gidx watch_every; /* steps between the energies below; 0: those of the history alone */
  tor_gidx watch_step;  /* step of the last energy of any kind, 0: none yet */
  double watch_energy;  /* [J] of this rank's own columns */
};

void tor_simulation_init(struct tor_simulation *sim, struct tor_model *model, const struct tor_engine_setup *setup,
                         int th);
/* Moves the slab to GPU number `number`; stages run there until tor_simulation_fetch. window: as for tor_device_open. A
 * rank of several calls it after tor_simulation_use_ranks; then it is collective. */
void tor_simulation_use_gpu(struct tor_simulation *sim, int number, double window);
/* The same as a member of a packing (packing.h); returns how many share the device's blocks, and in *why the reason
 * where it is alone though others came. */
int tor_simulation_use_packing(struct tor_simulation *sim, struct tor_packing *packing, int member, int number,
                               const char **why);
/* After tor_simulation_use_gpu, without window and other ranks: the faster engine shall run the job, setup.engine when
 * trial.left is 0 again. */
void tor_simulation_try_engines(struct tor_simulation *sim);
/* The model's slab is the exchange's part of the domain: stages advance that part, energies are those of the whole
 * domain (on ranks other than 0 only when the job may end by it). The exchange must outlive the simulation. From
 * then on stages are collective. */
void tor_simulation_use_ranks(struct tor_simulation *sim, struct tor_exchange *exchange);
/* The model's slab lies on disk (src/disk/disk.h), and the CPU runs it; after tor_simulation_use_ranks. Stages are
 * shortened where columns with much data need it. Returns -1 when the memory is too small for any stage. */
int tor_simulation_use_disk(struct tor_simulation *sim);
/* The held columns that are up to date at a stage's end: all of them without other ranks. Those of all ranks partition
 * the domain. */
struct tor_column_block tor_simulation_own(const struct tor_simulation *sim);
/* Copies fields, poles and monitors back to the model, which is stale before; does nothing on the CPU. */
void tor_simulation_fetch(struct tor_simulation *sim);
/* The same for the monitors' data alone, which suffice for the results. */
void tor_simulation_fetch_monitors(struct tor_simulation *sim);
void tor_simulation_free(struct tor_simulation *sim);

/* Runs the next stage: at most th steps, so that the steps to the next energy sum, the end or `until` are divided
 * evenly among stages. Results do not depend on it. Where ranks have GPUs, only a stage that ends at `until` leaves all
 * own columns at one step (tor_exchange.ahead). */
void tor_simulation_stage(struct tor_simulation *sim, tor_gidx until);

/* Sets a simulation at step 0, whose slab already has the state of `step`, to that step: the sources repeat their
 * steps. Not on a GPU. */
void tor_simulation_resume(struct tor_simulation *sim, tor_gidx step);

/* Whether the run is over: the job's time is up or the energy has decayed, or powers have settled. */
int tor_simulation_done(const struct tor_simulation *sim);

#endif
