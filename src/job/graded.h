/* Graded grids: cells of different lengths along an axis. A job has the places of all nodes (tor_job.nodes); what cells
 * are where follows from intervals in which they are small, and from a largest ratio of neighbours. */
#ifndef TOR_SRC_JOB_GRADED_H
#define TOR_SRC_JOB_GRADED_H

/* An interval whose ends are nodes, with cells of at most `cell` [m]. */
struct tor_refined {
  double lo, hi, cell;
};

/* Fills lo ... hi [m] with cells of at most `cell`; in the intervals, which lie between lo and hi and may overlap, of
 * at most theirs: an interval of the smallest cells in its neighbourhood is divided evenly. Elsewhere lengths grow
 * by at most the factor `ratio` from cell to cell. exact: intervals before number `exact` have cells of `cell` and not
 * smaller ones (absorbing layers). Returns the number of nodes and gives their places to the caller; or 0, and the
 * place near which no cells obey the ratio: the ends of intervals lie too near each other. */
int tor_graded_make(double lo, double hi, double cell, double ratio, const struct tor_refined *refined, int count,
                    int exact, double **nodes, double *where);

/* The largest ratio of neighbouring cells. */
double tor_graded_ratio(const double *nodes, int count);

#endif
