/* A plain job to build tests on, and short ways to run it. Cell counts instead of lengths; vacuum; no sources, no
 * monitors. */
#ifndef TOR_TESTS_SUPPORT_PLAIN_JOB_H
#define TOR_TESTS_SUPPORT_PLAIN_JOB_H

#include "src/simulation/simulation.h"

/* n: cells; cell: edges [m]; walls of all faces, with `layers` cells where they are CPML. The job owns nothing but one
 * medium, "vacuum"; sources, monitors and objects are the caller's arrays. */
void tor_plain_job(struct tor_job *job, const int n[3], const double cell[3], int order, enum tor_precision precision,
                   enum tor_wall wall, int layers);
void tor_plain_job_free(struct tor_job *job);

/* Takes a caller's media, objects, sources and monitors out of the job and puts its own medium back, to be freed. */
void tor_plain_job_return(struct tor_job *job, struct tor_medium *own);

/* A body's medium and the rule of its surface: permittivity 4 by "subpixel" or with nodes, or a metal with nodes. */
enum tor_plain_surface { TOR_PLAIN_SUBPIXEL, TOR_PLAIN_NODES, TOR_PLAIN_METAL_NODES };
void tor_plain_surface(struct tor_job *job, struct tor_medium *medium, enum tor_plain_surface surface);

/* Builds the model and a diamond simulation with small towers; ends the test program when the job has faults. */
void tor_plain_start(const struct tor_job *job, struct tor_model *model, struct tor_simulation *sim);
void tor_plain_stop(struct tor_model *model, struct tor_simulation *sim);
/* Runs to the end of the job. */
void tor_plain_run(struct tor_simulation *sim);

/* Value of a component at a point as stored (scaled: times the edge; H times eta0 too). */
double tor_plain_value(const struct tor_model *model, int comp, int ix, int iy, int iz);
void tor_plain_set(struct tor_model *model, int comp, int ix, int iy, int iz, double value);

#endif
