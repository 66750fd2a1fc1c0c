/* The plan of a run: engine, tile, stage, threads; predicted memory and time. */
#ifndef TOR_SRC_SCHEDULE_PLAN_H
#define TOR_SRC_SCHEDULE_PLAN_H

#include <stdio.h>

#include "diamond/core/engine.h"
#include "src/model/column_work.h"
#include "src/model/model.h"

/* A job whose columns lie on disk (disk_plan.h). */
struct tor_plan_disk {
  int used;      /* 0: the job names no disk, or the memory holds all of it */
  int ranks;     /* of the run; the rest is of one of them */
  double file;   /* bytes of all its columns, without those that it shares with others */
  double moved;  /* bytes that a stage reads and writes */
  double memory; /* bytes of columns that are in memory at one time, or in messages */
  double stays;  /* bytes of the rest of the job */
  double rate;   /* of the disk, read and written together [bytes a second]; 0: not known yet */
  int measured;  /* the rate, which else is the job's */
  double knee;   /* TH from which on the disk is hidden behind the computation; 0: not known */
  int hide;      /* steps that a stage should have for that; 0: not known yet */
};

struct tor_plan {
  struct tor_engine_setup setup;
  int gpu;           /* number of the GPU that runs the job, -1: the CPU */
  int gpu_ranks;     /* with several ranks: those of this machine on that GPU */
  int gpus;          /* with several ranks: GPUs that the ranks of this machine are on */
  double window;     /* bytes of the GPU's memory through which the fields pass; 0: they stay there */
  int tries_engines; /* a GPU's first stages show which of its engines is faster (tor_simulation_try_engines) */
  int th;
  struct tor_plan_disk disk;
  struct tor_model_size size;
  int64_t *work[2];              /* of the slices of columns along x and y (column_work.h); NULL: unknown. Owned:
                                    tor_placement_free */
  struct tor_column_costs costs; /* from which work was computed */
  int tuned;                     /* DTS, TH, engine and rate come from measurements of torre tune (tuned.h) */
  int tuned_bad;                 /* the file of torre tune is damaged */
  char origin[512];              /* where these values come from, for the log */
  const char *no_ring;           /* why towers on CPUs cannot run periodic walls; NULL: they can, or there are none */
  const char *no_gpu_towers;     /* the same for the GPU and any job, where `gpu` was chosen for it alone */
  double rate;                   /* predicted cell updates a second, all media counted; 0 without `measure` */
  double seconds;                /* predicted time of the longest run */
};

/* A job that does not fit the GPU, or schedule.device_memory, passes through a window (diamond/gpu/window/window.h); TH
 * is then chosen so that the link to the host keeps up, and the disk, where the host's memory does not hold the job
 * either.
 *
 * Settings that the job leaves open come from the measurements of torre tune on the device: TH, on the CPU DTS, on a
 * GPU the engine. Without measurements: the diamond engine for auto; DTS such that a tower's tile fits the second-level
 * cache; all threads. measure, if above 0: also predicts the time; on the CPU by running a small domain of the
 * job's order and precision for so many seconds, on a GPU from the measurements of torre tune (rate 0 without them). */
int tor_plan_make(const struct tor_job *job, double measure, struct tor_plan *plan, struct tor_faults *faults);
/* Sets plan->rate and plan->seconds without a disk: measures the CPU for about so many seconds; of a GPU from the
 * measurements of torre tune, 0 without them. */
void tor_plan_measure(const struct tor_job *job, double seconds, struct tor_plan *plan);
void tor_plan_print(const struct tor_job *job, const struct tor_plan *plan, FILE *out);

/* A part of a job on one GPU. */
struct tor_plan_part {
  double columns; /* fraction of the domain's columns */
  double bytes;   /* of device memory that it may use */
  int users;      /* GPUs of the machine whose links are busy at one time */
  int th;         /* longest stage; 0: to be chosen */
  double along_y; /* fraction of the domain's width */
  double window;  /* most bytes of a window; 0: no limit beside the device's memory */
  int hide;       /* steps that a stage should have, beside those that hide the link */
};
/* Bytes of a GPU for the samples of a stage, from which it forms the monitors' Fourier sums; 0: a CPU runs the job. */
double tor_plan_samples(const struct tor_plan *plan);
/* Bytes that the part needs to stay on the GPU. */
double tor_plan_part_bytes(const struct tor_plan *plan, const struct tor_plan_part *part);
/* Sets plan->window, the window on the part, and plan->th, which overlaps transfers with computation as far as the
 * window is wide enough for it. Returns NULL, or the reason why the part cannot run. needed: bytes that would suffice.
 */
const char *tor_plan_window(const struct tor_job *job, struct tor_plan *plan, const struct tor_plan_part *part,
                            double *needed);
/* The same for the whole job on GPU 0. */
const char *tor_plan_window_alone(const struct tor_job *job, struct tor_plan *plan, double *needed);
/* A message why towers cannot run the job on GPU number `gpu`; NULL: they can. */
const char *tor_plan_no_towers(const struct tor_job *job, const struct tor_plan *plan, int gpu);
/* Sets the plan's TH and origin from the measurements of torre tune on GPU number `gpu`. */
void tor_plan_use_gpu(const struct tor_job *job, int gpu, struct tor_plan *plan);

#endif
