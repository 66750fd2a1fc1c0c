/* Snapshots: fields in a box at given times, written to files of their own as soon as their time has come, so that they
 * take no memory.
 *
 * <results>/snapshots/NAME_<step>.h5 after openPMD (io/hdf5/openpmd.h), NAME_<component>.xmf for viewers, and with
 * `image` pictures NAME_<component>_<number>.png, the frames of a film. The results do not depend on stages: one ends
 * at each snapshot. Several ranks: rank 0 writes, with the points that the others send it, the same files as one
 * process; or all write together, where the build has a parallel HDF5 and the arrays are large and not compressed: same
 * values.
 *
 * One process's file is packed into memory, an eighth of what is free at most, and goes to the disk behind the
 * computation (io/files/writer.h). A checkpoint waits for the files of the steps before it. */
#ifndef TOR_SRC_RESULTS_SNAPSHOT_H
#define TOR_SRC_RESULTS_SNAPSHOT_H

#include "src/simulation/points.h"

struct tor_snapshot {
  const struct tor_monitor *spec;
  struct tor_points points; /* of every component */
  int nstep;
  tor_gidx *step; /* [nstep], rising, within the run */
};

/* A file on its way to the disk. */
struct tor_snapshot_async {
  const struct tor_snapshot *snapshot;
  tor_gidx step;
  struct tor_written *written;
};

enum { TOR_SNAPSHOTS_ASYNC = 16 };

struct tor_snapshots {
  const struct tor_job *job;
  int count;
  struct tor_snapshot *item;
  struct tor_writer *writer; /* from the first snapshot on, on rank 0; NULL: files are whole before the run goes on */
  int nasync;
  struct tor_snapshot_async async[TOR_SNAPSHOTS_ASYNC]; /* [nasync], the oldest first */
  int written, failed;                                  /* files */
  tor_gidx lost;                                        /* first step of which a file failed, where any did */
  double seconds, bytes; /* wall time for which the run stood still; bytes of arrays before compression */
};

/* grid, steps: of the model, which must outlive it with the job. */
void tor_snapshots_init(struct tor_snapshots *snapshots, const struct tor_job *job, const struct tor_grid *grid,
                        tor_gidx steps);
/* After tor_snapshots_settle with `wait`. */
void tor_snapshots_free(struct tor_snapshots *snapshots);

/* The next step after `step` at which one is due; `until` when none is before that. */
tor_gidx tor_snapshots_until(const struct tor_snapshots *snapshots, tor_gidx step, tor_gidx until);

/* Writes those that are due at sim->step; brings the fields to the model first. What cannot be written is told by a
 * warning, now or when it is settled. Counts and bytes are those of rank 0. Collective. */
void tor_snapshots_take(struct tor_snapshots *snapshots, struct tor_simulation *sim);
/* Counts the files that the disk has taken, with `wait` after it has taken all, and puts them on the viewers' lists.
 * Local. */
void tor_snapshots_settle(struct tor_snapshots *snapshots, const struct tor_simulation *sim, int wait);

/* Warns of files of steps up to `step`, from where a run goes on, that are not in the folder. Local. */
void tor_snapshots_look_back(const struct tor_snapshots *snapshots, tor_gidx step);

/* Removes what an earlier run left in the folder. */
void tor_snapshots_clear(const struct tor_job *job);

#endif
