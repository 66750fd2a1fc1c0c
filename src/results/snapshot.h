/* Snapshots: fields in a box at given times, written to separate files when their time is reached, so that they take no
 * memory.
 *
 * <results>/snapshots/NAME/NAME_<step>.h5 after openPMD (io/hdf5/openpmd.h), NAME_<component>.xmf for viewers, and with
 * `image` pictures NAME_<component>_<number>.png, the frames of a film. A monitor has a folder of its own, as readers
 * of openPMD open a folder with one series. The results do not depend on stages: one ends
 * at each snapshot. With several processes all write one file together, where the build has a parallel HDF5, with the
 * same values; else rank 0 writes the same files as one process, from the points that the others send.
 *
 * A single process packs a file into memory, at most an eighth of the free memory, and writes it asynchronously
 * (io/files/writer.h). A checkpoint waits for the files of the steps before it. */
#ifndef TOR_SRC_RESULTS_SNAPSHOT_H
#define TOR_SRC_RESULTS_SNAPSHOT_H

#include "src/simulation/points.h"

struct tor_snapshot {
  const struct tor_monitor *spec;
  struct tor_points points; /* of every component */
  int nstep;
  tor_gidx *step; /* [nstep], rising, within the run */
};

/* A file that is being written. */
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
  struct tor_writer *writer; /* from the first snapshot on, on rank 0; NULL: the run waits for each file */
  int nasync;
  struct tor_snapshot_async async[TOR_SNAPSHOTS_ASYNC]; /* [nasync], the oldest first */
  int written, failed;                                  /* files */
  tor_gidx lost;                                        /* first step of which a file failed, where any did */
  double seconds, bytes; /* wall time that the run waited; bytes of arrays before compression */
};

/* grid, steps: of the model, which must outlive it with the job. */
void tor_snapshots_init(struct tor_snapshots *snapshots, const struct tor_job *job, const struct tor_grid *grid,
                        tor_gidx steps);
/* After tor_snapshots_settle with `wait`. */
void tor_snapshots_free(struct tor_snapshots *snapshots);

/* The next step after `step` at which one is due; `until` when none is before that. */
tor_gidx tor_snapshots_until(const struct tor_snapshots *snapshots, tor_gidx step, tor_gidx until);

/* Writes those that are due at sim->step, after copying the fields to the model. A file that cannot be written causes a
 * warning, now or when it is settled. Counts and bytes are those of rank 0. Collective. */
void tor_snapshots_take(struct tor_snapshots *snapshots, struct tor_simulation *sim);
/* Counts the files that have been written (with `wait`: waits for all of them) and adds them to the viewers' lists.
 * Local. */
void tor_snapshots_settle(struct tor_snapshots *snapshots, const struct tor_simulation *sim, int wait);

/* Before a run continues from `step`: opens the files of the steps up to it; warns of missing ones, and counts damaged
 * ones as failed. Local. */
void tor_snapshots_check_files(struct tor_snapshots *snapshots, tor_gidx step);
/* After the last step: the same for the files that this run wrote, of steps in (from, to]; missing ones count as
 * failed, too. The folder may have been moved or cleared meanwhile. Local. */
void tor_snapshots_check_written(struct tor_snapshots *snapshots, tor_gidx from, tor_gidx to);

/* Removes from the folder the files of this job's snapshots, and of those whose "name" is in the JSON text of an
 * earlier job (NULL: none); other files stay. */
void tor_snapshots_clear(const struct tor_job *job, const char *earlier);

#endif
