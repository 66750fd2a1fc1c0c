/* The results folder of a finished run: results.h5, tables, pictures. */
#ifndef TOR_SRC_RESULTS_RESULTS_H
#define TOR_SRC_RESULTS_RESULTS_H

#include "src/disk/paged.h"
#include "src/simulation/checkpoint.h"
#include "src/schedule/plan.h"
#include "src/results/leftover.h"
#include "src/results/results_file.h"
#include "src/simulation/simulation.h"
#include "src/results/snapshot.h"
#include "src/model/spectrum.h"
#include "src/simulation/stability.h"

struct tor_mode_amplitudes;
struct tor_resonances;

struct tor_results {
  const struct tor_job *job;
  const struct tor_plan *plan;
  const struct tor_simulation *sim;
  const struct tor_checkpoints *checkpoints;
  const struct tor_snapshots *snapshots;
  tor_gidx first;                        /* step at which this process began */
  double seconds;                        /* wall time of its steps, without checkpoints */
  double output_seconds;                 /* wall time of writing results */
  const struct tor_rank_times *ranks;    /* [layout's ranks], in their order */
  struct tor_paged_traffic disk;         /* of all ranks; only of columns on disk */
  const struct tor_phase_time *timeline; /* [ntimeline], of all ranks, with --timeline */
  size_t ntimeline;
  /* [monitors' count], of those that have them; tor_results_write makes them. */
  const struct tor_spectrum *spectra;
  const struct tor_mode_amplitudes *modes;
  const struct tor_resonances *resonances; /* results_parts.h */
  const struct tor_far_table *far;         /* results_far.h */
  /* An unstable run, and where: its results are wrong. */
  enum tor_instability instability;
  struct tor_stability_cell unstable_at;
  struct tor_leftover left; /* with an error of -1 of an unstable run */
  int failed;               /* files that could not be written */
  FILE *files;              /* a stream to `names`: of the files written, as run.json has them */
  char *names;
  size_t size;
};

/* Writes everything; each file appears whole or not at all. Logs one line a file. Returns the number of files that
 * could not be written (their reasons are in the log). */
int tor_results_write(const struct tor_results *results);

/* run.json: the job as run, version, host, schedule, rates, names of its files. Returns 0; or 1, with the reason in the
 * log. */
int tor_results_write_run(const struct tor_results *results);

#endif
