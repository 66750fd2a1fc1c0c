/* Whether two runs have the same bits, for tests of ranks: one rank's part of a run against one process's. Differences
 * are printed on stderr. */
#ifndef TOR_TESTS_SUPPORT_SAME_STATE_H
#define TOR_TESTS_SUPPORT_SAME_STATE_H

#include "comm/exchange/exchange.h"
#include "src/simulation/simulation.h"

/* The model of a random job in the columns held; NULL: all of them. A job that is refused ends the run. */
void same_state_model(const struct tor_job *job, const struct tor_column_block *held, struct tor_model *model);

/* The part's own columns hold the bytes of the whole domain's: fields, CPML memory, poles. */
int same_columns(const struct tor_slab *part, const struct tor_slab *whole, const struct tor_column_block *own);

/* Times, monitors and energies of a run on several ranks that has ended; uses up its monitors. Collective; the data of
 * rank 0 is compared there. */
int same_records(struct tor_exchange *exchange, const struct tor_simulation *part, const struct tor_simulation *whole);

#endif
