/* `torre classic --compare`: all mappings, the stepwise engine and the towers on one uniform box. */
#ifndef TOR_SRC_CLASSIC_CLASSIC_COMPARE_H
#define TOR_SRC_CLASSIC_CLASSIC_COMPARE_H

#include "src/classic/classic_measure.h"

/* Rows of the table: the loops, Giraud, Demir, Torre's engines, and the tower of DTS 1 beside order 4's; each compared
 * in bits with the loops on the CPU, in Torre's order of operations. Without a GPU: what the CPU has. */
void tor_classic_compare(struct tor_classic_bench *b, const int n[3], enum tor_precision precision);

#endif
