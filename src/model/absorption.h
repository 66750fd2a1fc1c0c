/* What media absorb, from the fields recorded on all edges of a box and the coefficients that the update has there: the
 * terms of the grid's own energy balance, so that their sum is what enters through a closed flux box
 * (docs/design/absorption.md). What absorbing layers take is not counted. */
#ifndef TOR_SRC_MODEL_ABSORPTION_H
#define TOR_SRC_MODEL_ABSORPTION_H

#include "src/model/monitor.h"

struct tor_absorption {
  int nfreq, nmedia;
  int nobjects;           /* elements of the job file's list of objects; copies count with theirs */
  double *total;          /* [nfreq] J/Hz, in 2-D J/Hz/m */
  double *medium;         /* [nmedia][nfreq], the same of each medium */
  double *object;         /* [nobjects + 1][nfreq], of each object; the last: of the background */
  int first[3], count[3]; /* cells of the box */
  double *density; /* [nfreq][count[0]][count[1]][count[2]] J/Hz/m^3, times a cell's volume summing up to total */
};

/* Which components such a monitor records: those of E, and of H where a medium has magnetic losses. Bits. */
unsigned tor_absorption_components(const struct tor_job *job);
/* Whether nodes of metals dissipate, so that edges beside the box are needed, too. */
int tor_absorption_has_nodes(const struct tor_job *job);

/* Evaluates a recorder of kind TOR_ABSORPTION. Samples the geometry of the box again; with OpenMP, the same bits for
 * any number of threads. Ends the run when memory is short. */
void tor_absorption_make(const struct tor_monitors *monitors, const struct tor_job *job,
                         const struct tor_recorder *recorder, struct tor_absorption *absorption);
void tor_absorption_free(struct tor_absorption *absorption);

#endif
