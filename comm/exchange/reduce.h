/* Reductions over all ranks: energy and monitors, with the same bits for every layout. All calls are collective. */
#ifndef TOR_COMM_EXCHANGE_REDUCE_H
#define TOR_COMM_EXCHANGE_REDUCE_H

#include "src/base/error.h"
#include "comm/exchange/exchange.h"

/* The energy of the last energy step on rank 0: sums of own columns in the order of (ix, iy) of the whole domain, as
 * tor_model_energy adds them. share_it: all ranks get it, else the others get 0. The slab must be at the end of that
 * step's stage. */
double tor_reduce_energy(const struct tor_exchange *exchange, int share_it);

/* The least of all ranks' values, each at least 0. */
int tor_reduce_least(int value);

/* Whether any rank has faults. The lowest such rank keeps its own, to print them; those of the others are freed. */
int tor_reduce_faults(struct tor_faults *faults);

/* Whether any rank failed; then why[size] on rank 0 contains the message of the lowest such rank. */
int tor_reduce_failure(int failed, char *why, size_t size);

/* Distributes the time series' samples that each rank has taken to all ranks. samples[ngroup]: number taken so far, 0
 * for Fourier sums. */
void tor_reduce_series(const struct tor_slab *slab, const int *samples);

/* Collects all monitors' data on rank 0, where they are those of the whole domain; the data of the other ranks are
 * undefined afterwards. samples[ngroup]: samples taken of each time series. After tor_exchange_settle. */
void tor_reduce_monitors(const struct tor_exchange *exchange, const int *samples);

/* The Fourier sums of a group of the whole domain on rank 0, as a copy, owned by the caller; elsewhere undefined. All
 * ranks' own sums stay. After tor_exchange_settle. */
double *tor_reduce_sums(const struct tor_exchange *exchange, int group);

/* From and to ranks x + 1, x - 1, y + 1, y - 1. */
enum { TOR_NWAY = 8 };
extern const char *const tor_way_name[TOR_NWAY];

/* How a rank spent its time [s], and the fraction of its messages' time hidden by computation: 1 - blocked / flight,
 * for each direction. */
struct tor_rank_times {
  double seconds[TOR_NPHASE],
      fill; /* fill: part of waitR, while the pipeline filled; blocked and flight do not include that message */
  double blocked[TOR_NWAY], flight[TOR_NWAY], bytes[TOR_NWAY];
};
/* All ranks' times, on rank 0; NULL on the others. Owned by the caller. */
struct tor_rank_times *tor_reduce_times(const struct tor_exchange *exchange);
/* Every phase of every rank, rank after rank, on rank 0: [count]; NULL and none on the others. Owned by the caller. */
struct tor_phase_time *tor_reduce_timeline(const struct tor_exchange *exchange, size_t *count);

#endif
