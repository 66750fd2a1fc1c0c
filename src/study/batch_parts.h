/* Shared by the batch*.c of src/study alone. */
#ifndef TOR_SRC_STUDY_BATCH_PARTS_H
#define TOR_SRC_STUDY_BATCH_PARTS_H

#include <stddef.h>

#include "src/job/job.h"
#include "src/simulation/packing.h"
#include "src/study/batch.h"

enum tor_batch_state {
  TOR_BATCH_NOT_RUN,
  TOR_BATCH_DONE,
  TOR_BATCH_UNCONVERGED, /* done, see TOR_EXIT_UNCONVERGED */
  TOR_BATCH_FAILED,
  TOR_BATCH_STOPPED,
  TOR_NBATCH_STATES
};

struct tor_batch_run {
  struct tor_job job;
  char *label;  /* "radius = 20, height = 100", or the path of the job file */
  char **value; /* [nsweeps] of the keys that are swept, as text; owned */
  enum tor_batch_state state;
  struct tor_packing *packing; /* with whose runs it may share a GPU's blocks, as `member`; NULL: none */
  int member;
};

struct tor_batch {
  const struct tor_batch_options *options;
  char *folder; /* for all runs; NULL: there is none */
  char **key;   /* [nsweeps] short names of the keys that are swept; owned */
  int nruns;
  size_t capacity;
  struct tor_batch_run *run; /* [nruns] in the order in which they run */
};

/* --- Which runs: batch_points.c --- */

/* Reads the jobs at all their values; faults have the run's label in front. Local. */
void tor_batch_make(struct tor_batch *batch, struct tor_faults *faults);
void tor_batch_free(struct tor_batch *batch);

/* --- How many at a time: batch_at_once.c --- */

/* As asked, or else several where all are small and run on a GPU, each of whose launches leaves most of it idle; a
 * fault where as many were asked for and cannot run side by side. With more than one, the runs have their share of the
 * threads. Local. */
int tor_batch_at_once(struct tor_batch *batch, struct tor_faults *faults);

/* --- Which share a GPU's blocks: batch_packing.c --- */

/* Whether runs of such a job can, one beside another. */
int tor_batch_packs(const struct tor_job *job);
/* Runs that follow each other and have one shape become the members of packings, where so many go at a time: as each
 * thread takes the next run, all members of a packing have been begun before any of the next one. Local. */
void tor_batch_pack(struct tor_batch *batch, int at_once);
/* Runs from number `first` on will not be begun, or have ended. */
void tor_batch_leave(struct tor_batch *batch, int first, int past);

/* --- Running: batch.c --- */

/* Runs those of a batch that has been made, and whose runs have been checked, as tor_batch does; the exit status of
 * all, TOR_EXIT_USER with faults. Collective. */
int tor_batch_go(struct tor_batch *batch, struct tor_faults *faults);

/* --- What they say together: batch_report.c --- */

/* Table on stdout and files. Returns the number of files that could not be written (reasons on stderr). Local, rank 0.
 */
int tor_batch_report(const struct tor_batch *batch);

#endif
