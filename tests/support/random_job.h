/* Random small jobs with every feature: walls, layers, media, sources, monitors. The same job for the same seed.
 */
#ifndef TOR_TESTS_SUPPORT_RANDOM_JOB_H
#define TOR_TESTS_SUPPORT_RANDOM_JOB_H

#include "diamond/core/slab.h"
#include "src/job/job.h"

/* Fills a job of at most about 30 cells an axis. Free with tor_job_free. */
void tor_random_job(unsigned seed, int order, enum tor_precision precision, struct tor_job *job);
/* Gives the job averaging = "tensor", and media without poles one permittivity and no losses, so that there are surface
 * nodes; with `metals`, and several objects, all spheres and boxes are of metal. */
void tor_random_job_use_tensor(struct tor_job *job, int metals);
/* Gives the media that have no poles full permittivity tensors, dipoles in place of plane waves, which need other
 * media, and averaging = "subpixel" beside metals. After the other changes: a 2-D job has tensors in its plane. */
void tor_random_job_use_tensors(struct tor_job *job, unsigned seed);
/* The same by the seed's remainder of 4: with Kerr media, with magnetised poles, Drude and Lorentz, of second order,
 * with saturable poles. */
void tor_random_job_use_full(struct tor_job *job, unsigned seed);
/* Columns of a slab with surface nodes of metals; with nodes of media with a full tensor; with others at nodes. */
int tor_random_job_metals(const struct tor_slab *slab);
int tor_random_job_tensors(const struct tor_slab *slab);
int tor_random_job_full(const struct tor_slab *slab);

/* Joins the ends of some axes (bits): rows of towers close to rings for tiles of 1, 2, 3, 6 half cells. */
void tor_random_job_use_periodic(struct tor_job *job, unsigned axes);
/* Gives axes (bits) that are not periodic, of a job of order 2, cells of random lengths but in absorbing layers. */
void tor_random_job_use_graded(struct tor_job *job, unsigned axes);
/* Gives periodic axes phases, so that fields are complex. */
void tor_random_job_use_bloch(struct tor_job *job, unsigned seed);
/* Makes it 2-D: nothing varies along x. */
void tor_random_job_make_plane(struct tor_job *job, enum tor_plane plane);

#endif
