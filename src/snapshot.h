/* Snapshots: fields in a box at given times, written to files of their own as soon as their time has come, so that they
 * take no memory.
 *
 * <results>/snapshots/NAME_<step>.h5 after openPMD (io/openpmd.h), NAME_<component>.xmf for viewers, and with `image`
 * pictures NAME_<component>_<number>.png, the frames of a film. The results do not depend on stages: one ends at each
 * snapshot. Several ranks: rank 0 writes, with the points that the others send it, the same files as one process; or
 * all write together, where the build has a parallel HDF5 and the arrays are large and not compressed: same values. */
#ifndef TOR_SNAPSHOT_H
#define TOR_SNAPSHOT_H

#include "points.h"

struct tor_snapshot {
  const struct tor_monitor *spec;
  struct tor_points points; /* of every component */
  int nstep;
  tor_gidx *step; /* [nstep], rising, within the run */
};

struct tor_snapshots {
  const struct tor_job *job;
  int count;
  struct tor_snapshot *item;
  int written, failed;   /* files */
  double seconds, bytes; /* wall time spent; bytes of arrays before compression */
};

/* grid, steps: of the model, which must outlive it with the job. */
void tor_snapshots_init(struct tor_snapshots *snapshots, const struct tor_job *job, const struct tor_grid *grid,
                        tor_gidx steps);
void tor_snapshots_free(struct tor_snapshots *snapshots);

/* The next step after `step` at which one is due; `until` when none is before that. */
tor_gidx tor_snapshots_until(const struct tor_snapshots *snapshots, tor_gidx step, tor_gidx until);

/* Writes those that are due at sim->step; brings the fields to the model first. What cannot be written is told by a
 * warning. Counts and bytes are those of rank 0. Collective. */
void tor_snapshots_take(struct tor_snapshots *snapshots, struct tor_simulation *sim);

/* Removes what an earlier run left in the folder. */
void tor_snapshots_clear(const struct tor_job *job);

#endif
