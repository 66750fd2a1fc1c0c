/* What all ranks' slabs say together: energy and monitors, the same bits for every layout. Collective, all of it. */
#ifndef TOR_REDUCE_H
#define TOR_REDUCE_H

#include "slab.h"

/* The energy of the last energy step on rank 0: sums of own columns in the order of (ix, iy) of the whole domain, as tor_model_energy adds
 * them. share_it: all ranks get it, else the others 0. The slab stands at the end of that step's stage. */
double tor_reduce_energy(const struct tor_exchange *exchange, int share_it);

/* Brings all monitors' data to rank 0: there they are those of the whole domain. Afterwards the others' are used up.
 * samples[ngroup]: samples taken of each time series. After tor_exchange_settle. */
void tor_reduce_monitors(const struct tor_exchange *exchange, const int *samples);

#endif
