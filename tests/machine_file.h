/* The machine files in jobs/machines/, for tests. */
#ifndef TEST_MACHINE_FILE_H
#define TEST_MACHINE_FILE_H

#include "src/machine.h"

/* Reads jobs/machines/<name> of the source in $TORRE_SOURCE, or of this folder; a fault ends the run. Free with
 * tor_machine_free. */
void machine_file(const char *name, struct tor_machine *machine);

#endif
