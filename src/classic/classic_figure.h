/* Tables and figures of the papers, with this machine's numbers beside theirs. */
#ifndef TOR_SRC_CLASSIC_CLASSIC_FIGURE_H
#define TOR_SRC_CLASSIC_CLASSIC_FIGURE_H

#include <math.h>

#include "src/classic/classic_measure.h"

/* Points of a figure: series, x, the value here and the published one, NAN: none. */
struct tor_classic_point {
  char series[48], label[32]; /* label: of the point, such as "32 x 4" */
  double x, here, paper;
};
struct tor_classic_figure_run {
  struct tor_classic_bench *bench;
  enum tor_precision precision; /* of those that the figure leaves open */
  int small;                    /* sizes of a test */
  int engine_only;              /* without a GPU: the loops on the CPU take the GPU's place */
  int npoints;
  struct tor_classic_point *point;
  size_t capacity;
};

struct tor_classic_figure {
  const char *name, *what; /* "takada-table1a" */
  const char *xlabel, *ylabel;
  int xlog, ylog; /* bases, 0: linear */
  void (*make)(struct tor_classic_figure_run *run);
};

/* Figure number i, NULL behind the last. */
const struct tor_classic_figure *tor_classic_figure(int i);
const struct tor_classic_figure *tor_classic_figure_find(const char *name);
/* Makes it, prints its points, writes folder/NAME.csv and, with cairo, NAME.png and NAME.svg. Returns 0, or -1 after a
 * message. */
int tor_classic_figure_make(const struct tor_classic_figure *figure, struct tor_classic_figure_run *run,
                            const char *folder);

void tor_classic_point(struct tor_classic_figure_run *run, const char *series, const char *label, double x, double here,
                       double paper);
/* Measures a launch and adds its rate [1e6 cells/s], beside that of the paper. Returns the row; NULL: left out. */
const struct tor_classic_row *tor_classic_rate_point(struct tor_classic_figure_run *run, const char *series,
                                                     const char *label, double x, const struct tor_classic_wish *wish,
                                                     const struct tor_classic_launch *launch, double paper);

/* The authors' figures; the arrays end with a name NULL. */
extern const struct tor_classic_figure tor_classic_takada_figures[], tor_classic_demir_figures[],
    tor_classic_giraud_figures[], tor_classic_giraud_tables[], tor_classic_zakirov_figures[];

#endif
