/* The machine file reader: libconfig text to struct tor_machine. The keys: jobs/machines/h200-8.cfg. */
#ifndef TOR_SRC_PREDICT_MACHINE_FILE_H
#define TOR_SRC_PREDICT_MACHINE_FILE_H

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/predict/machine.h"

extern const struct tor_key_table tor_machine_keys;

/* Reads the file. Returns true and gives the machine to the caller (tor_machine_free); or adds all faults in the order
 * of the file's lines, returns false and leaves the machine empty. Local. */
int tor_machine_read(const char *path, struct tor_machine *machine, struct tor_faults *faults);

#endif
