/* The axes of a job and those of its user.
 *
 * A job is read in the user's axes and then turned where its towers need others. Cyclic permutations keep all signs.
 * Axis a of a turned job is axis (a + turn) % 3 of the user's. Whatever a user reads has the user's names and order:
 * these functions.
 *
 * 2-D: nothing varies along the user's z, and along the job's x: there the towers are tiles of (y, t), and z is the
 * axis of vectors. Periodic: towers move along x, so x is the axis that is not periodic, and y is (tor_turn_of). */
#ifndef TOR_SRC_JOB_TURN_H
#define TOR_SRC_JOB_TURN_H

#include "src/job/grid.h"
#include "src/job/job.h"

enum { TOR_TURN_PLANE = 2 }; /* of a 2-D job */

/* The turn of a 3-D job in the user's axes with these periodic axes and cells: an axis that is not periodic becomes x,
 * one that is becomes y. 0: x is not periodic, or all are, or the others are too short for towers; or with `waves`,
 * plane waves, x alone is: their boxes may have sides, and a background of layers along z, which stays z. */
int tor_turn_of(const int periodic[3], const int cells[3], int waves);

/* Turns a job that was read in the user's axes, of which job->turn is 0. */
void tor_job_turn(struct tor_job *job, int turn);

static inline int tor_user_axis(const struct tor_job *job, int axis) { return (axis + job->turn) % 3; }
/* The axis of the job that is axis `axis` of the user's. */
static inline int tor_axis_of_user(const struct tor_job *job, int axis) { return (axis + 3 - job->turn) % 3; }
/* 'x', 'y' or 'z'. */
static inline char tor_axis_name(const struct tor_job *job, int axis) { return "xyz"[tor_user_axis(job, axis)]; }
static inline int tor_user_comp(const struct tor_job *job, int comp) {
  return (tor_comp_is_h(comp) ? TOR_HX : TOR_EX) + tor_user_axis(job, tor_comp_axis(comp));
}
/* Place of point i of an array of count[0] count[1] count[2] points that has the user's x fastest and z slowest. */
static inline void tor_user_place(const struct tor_job *job, const int count[3], tor_gidx i, int at[3]) {
  for (int u = 0; u < 3; u++) {
    const int a = tor_axis_of_user(job, u);
    at[a] = (int)(i % count[a]);
    i /= count[a];
  }
}
/* The two axes across one, in the user's order: those of a picture, `across` and both of the job of that turn. */
static inline void tor_turn_plane(int turn, int across, int *h, int *v) {
  const int u = (across + turn) % 3;
  *h = ((u == 0) + 3 - turn) % 3;
  *v = ((u == 2 ? 1 : 2) + 3 - turn) % 3;
}
/* "Ex" ... "Hz" and "x_lo" ... "z_hi". */
static inline const char *tor_job_comp_name(const struct tor_job *job, int comp) {
  return tor_comp_name(tor_user_comp(job, comp));
}
static inline const char *tor_job_face_name(const struct tor_job *job, int face) {
  return tor_face_name(2 * tor_user_axis(job, face / 2) + face % 2);
}
/* Axes that the user's coordinates have. */
static inline int tor_user_axes(const struct tor_job *job) { return job->plane ? 2 : 3; }
/* "TM" or "TE". */
static inline const char *tor_plane_name(enum tor_plane plane) { return plane == TOR_PLANE_TM ? "TM" : "TE"; }
/* "400 x 300 x 200", in 2-D "TM, 400 x 300"; in memory of the thread. */
const char *tor_job_cells(const struct tor_job *job, const struct tor_grid *grid);

#endif
