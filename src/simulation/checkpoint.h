/* Checkpoints: the whole state of a run, from which another process can continue with the same bits
 * (docs/user/restart.md).
 *
 * A generation is a folder <results>/checkpoint/step-N with a file of blocks for each rank, `job.json` (the settings
 * that determine the state) and `manifest`, written last. Two generations are kept. Blocks are columns
 * (diamond/core/column_state.h), so a run may continue with another engine, tile, stage, number of threads or of ranks.
 * A failure is returned with a message on rank 0 and does not end the run: the caller decides, the same on all ranks.
 */
#ifndef TOR_SRC_SIMULATION_CHECKPOINT_H
#define TOR_SRC_SIMULATION_CHECKPOINT_H

#include "src/simulation/simulation.h"

struct tor_checkpoints {
  char *dir; /* <results>/checkpoint */
  char *job; /* the settings that determine the state at each step, as JSON */
  size_t job_bytes;
  uint64_t hash;         /* of that text */
  uint64_t results_hash; /* of the settings that determine the results: those and the run's time */
  int rank, ranks;       /* of the run */
  tor_gidx last;         /* the run's last step: checkpoints after it are of a longer run */
  tor_gidx good;         /* step of the newest generation that was written or loaded, -1: none */
  int lost;            /* files of snapshots that could not be written so far, also by the processes before this one */
  tor_gidx lost_step;  /* step of the first of them */
  int written, failed; /* so far */
  double seconds, longest,
      bytes; /* spent on all; on the slowest one [s]; bytes of the last one, on rank 0 of all ranks */
};

/* Sets the folder of a job's checkpoints; cp->last is unlimited. Creates no folder or file. */
void tor_checkpoints_init(struct tor_checkpoints *cp, const struct tor_job *job, int rank, int ranks);
void tor_checkpoints_free(struct tor_checkpoints *cp);

/* Writes the state at sim->step, after tor_simulation_fetch, and removes all generations but two: each rank writes its
 * own columns, then rank 0 the manifest. Returns 0; or -1 with the reason in why[size], with earlier generations
 * unchanged. Collective. */
int tor_checkpoint_write(struct tor_checkpoints *cp, const struct tor_simulation *sim, char *why, size_t size);

/* Removes all generations but the newest good one, to free space on a full disk. Returns whether there was another.
 * Collective. */
int tor_checkpoint_free_space(const struct tor_checkpoints *cp);

/* Contents of the checkpoint folder, found without reading states. Local. */
enum tor_checkpoint_found {
  TOR_CHECKPOINT_NONE,
  TOR_CHECKPOINT_HERE,  /* of this job */
  TOR_CHECKPOINT_LATER, /* of this job to a later end; message in why */
  TOR_CHECKPOINT_OTHER, /* of another job, or of another version; message in why */
};
enum tor_checkpoint_found tor_checkpoint_find(const struct tor_checkpoints *cp, char *why, size_t size);

/* The job of the newest generation as JSON, to be freed; NULL when there is none or it cannot be read. Local. */
char *tor_checkpoint_job(const struct tor_checkpoints *cp);

/* Whether a generation lies before a step. Local. */
int tor_checkpoint_before(const struct tor_checkpoints *cp, tor_gidx step);

/* Loads the newest good generation, preferably one before which no snapshot was lost, into a simulation at step 0 that
 * is not on a GPU: columns, energies, step; the sources repeat their steps. Sets lost and lost_step to their values at
 * that time. A generation that cannot be used causes a warning in the log. Returns the step; 0 when there is none; -1
 * with the reason when there are some but none can be used: then the model's state is undefined. Collective: all ranks
 * use the same generation. */
tor_gidx tor_checkpoint_load(struct tor_checkpoints *cp, struct tor_simulation *sim, char *why, size_t size);

/* Removes all generations. Local, for rank 0. Returns 0; or -1 with errno. */
int tor_checkpoint_remove(struct tor_checkpoints *cp);

#endif
