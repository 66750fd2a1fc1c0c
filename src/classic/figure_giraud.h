/* What the figures of Giraud's thesis have in common. */
#ifndef TOR_SRC_CLASSIC_FIGURE_GIRAUD_H
#define TOR_SRC_CLASSIC_FIGURE_GIRAUD_H

#include "src/classic/classic_figure.h"

enum { GIRAUD_STEPS = 100, GIRAUD_SIDES = 4 };

/* The cube of his array number i, 64 to 256 cells; as published: E first, his walls, a hard source. */
struct tor_classic_wish tor_classic_giraud_wish(const struct tor_classic_figure_run *run, int side,
                                                enum tor_precision precision);
int tor_classic_giraud_side(const struct tor_classic_figure_run *run, int i);
/* Table 4.1: seconds of 100 steps of the best configuration, as 10^6 cells/s. method: 1 to 3. */
double tor_classic_giraud_best(int i, int method, enum tor_precision precision);

#endif
