/* Per-column lists of source injections and monitor records. */
#ifndef TOR_SRC_MODEL_LISTS_H
#define TOR_SRC_MODEL_LISTS_H

#include "src/model/monitor.h"
#include "src/model/source.h"

/* Makes the lists of the columns that the slab holds; capacity: of slab->extra. */
void tor_lists_make(struct tor_slab *slab, const struct tor_sources *sources, const struct tor_monitors *monitors,
                    size_t *capacity);

/* Bytes of the lists of a whole domain of `columns`, of which `extra` have their own media; entries: of all lists.
 */
double tor_lists_bytes(const struct tor_sources *sources, const struct tor_monitors *monitors, double columns,
                       double extra, double *entries);

#endif
