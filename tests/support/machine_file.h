/* The machine files in jobs/machines/, for tests. */
#ifndef TOR_TESTS_SUPPORT_MACHINE_FILE_H
#define TOR_TESTS_SUPPORT_MACHINE_FILE_H

#include "src/predict/machine.h"

/* Reads jobs/machines/<name> of the source in $TORRE_SOURCE, or of this folder; a fault ends the run. Free with
 * tor_machine_free. */
void machine_file(const char *name, struct tor_machine *machine);

#endif
