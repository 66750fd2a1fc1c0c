/* Where the borders between ranks lie along an axis, so that the slowest rank has as little work as whole rows or
 * places allow. Used by decomposition.c alone. */
#ifndef TOR_COMM_EXCHANGE_BORDERS_H
#define TOR_COMM_EXCHANGE_BORDERS_H

#include <stdint.h>

/* Borders are even rows, or places; a unit is two of them. Unit u, from `first` (1 or more) to `last`, may be a border;
 * a rank that begins at unit u and has a neighbour on either side ends at least[u] or further. */
struct tor_border_rule {
  int first, last;
  int *least;      /* [last + 1]; rising */
  int64_t *before; /* [last + 1] work before a unit; 0 at 0, rising; below 2^62 */
  int64_t all;     /* work of all ranks */
};

/* Writes the units of the borders between `ranks` ranks to unit[1 .. ranks - 1]: those whose largest share of work is
 * the least possible, to within a thousandth of the mean, and of several such the nearest to even shares. Returns 0, or
 * -1 when the rule admits none. */
int tor_borders_choose(const struct tor_border_rule *rule, int ranks, int *unit);

#endif
