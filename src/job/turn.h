/* The axes of a job and those of its user.
 *
 * A 2-D job is read in the user's axes, where nothing varies along z, and then turned, so that nothing varies along x:
 * there the towers are tiles of (y, t), and z is the axis of vectors. Cyclic permutations keep all signs. Axis a of a
 * turned job is axis (a + turn) % 3 of the user's. Whatever a user reads has the user's names: these functions. */
#ifndef TOR_SRC_JOB_TURN_H
#define TOR_SRC_JOB_TURN_H

#include "src/job/grid.h"
#include "src/job/job.h"

enum { TOR_TURN_PLANE = 2 }; /* of a 2-D job */

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
