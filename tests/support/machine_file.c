/* The machine files in jobs/machines/: see machine_file.h. */
#include "tests/support/machine_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/predict/machine_file.h"
#include "src/base/error.h"

void machine_file(const char *name, struct tor_machine *machine) {
  char path[1024];
  struct tor_faults faults = {0};
  const char *source = getenv("TORRE_SOURCE");
  snprintf(path, sizeof path, "%s/jobs/machines/%s", source ? source : ".", name);
  int good = tor_machine_read(path, machine, &faults);
  tor_faults_print(&faults, stderr);
  if (!good) TOR_DIE("%s is refused", path);
}
