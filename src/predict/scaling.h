/* torre scaling: weak and strong scaling on a machine, predicted; tables and pictures. */
#ifndef TOR_SRC_PREDICT_SCALING_H
#define TOR_SRC_PREDICT_SCALING_H

#include <argp.h>
#include <stdio.h>

#include "src/predict/cluster.h"
#include "src/base/error.h"

enum tor_scaling_kind {
  TOR_WEAK_X,   /* px ranks, each with the same cells */
  TOR_WEAK_Y,   /* py ranks, each with the same cells */
  TOR_STRONG_X, /* px ranks share the same cells */
  TOR_STRONG_Y, /* py ranks share the same cells */
  TOR_NSCALING
};

struct tor_scaling {
  enum tor_scaling_kind kind;
  struct tor_cluster_domain domain; /* weak: of one rank; strong: of all */
  int ranks_per_node;
  int th;       /* 0: the best for each number of ranks */
  double steps; /* time steps of a run: for TH, and for the figures with the pipeline's fill */
  int ranks;    /* the most, at least 1 */
};

/* One number of ranks. Rates in cell updates/s, times in seconds. */
struct tor_scaling_point {
  struct tor_cluster_layout layout;
  struct tor_cluster_cost cost;
  struct tor_pipeline_times times;
  double rate;     /* filled */
  double speedup;  /* of that rate against one rank */
  double run_rate; /* of the run, fill included */
  double run_speedup;
};

/* Points for 1, 2, 3, 4, 6, 8, 12 ... ranks; ends before slabs get narrower than their overlap. Returns their number
 * and *points, owned by the caller; 0 with why[256] when one rank cannot be costed. Points whose memory does not
 * suffice are included, with cost.fits = 0. */
int tor_scaling_make(const struct tor_machine *machine, const struct tor_scaling *scaling,
                     struct tor_scaling_point **points, char *why);

/* "weak-x" */
const char *tor_scaling_name(enum tor_scaling_kind kind);

void tor_scaling_print(const struct tor_machine *machine, const struct tor_scaling *scaling,
                       const struct tor_scaling_point *points, int count, FILE *out);

/* Writes folder/weak-x.csv and, in a build with cairo, weak-x.png; the folder must exist. Returns 0, or -1 with errno
 * when a file could not be written. */
int tor_scaling_write(const struct tor_machine *machine, const struct tor_scaling *scaling,
                      const struct tor_scaling_point *points, int count, const char *folder);

/* The command: argv[0] is "scaling". The exit status. */
int tor_scaling_main(int argc, char **argv);
extern const struct argp tor_scaling_argp; /* its options and help */

#endif
