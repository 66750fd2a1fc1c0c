/* A machine's description: see machine.h. */
#include "src/predict/machine.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/types.h"

void tor_machine_free(struct tor_machine *machine) {
  free(machine->name);
  free(machine->source);
  free(machine->link);
  free(machine->rates);
  memset(machine, 0, sizeof *machine);
}

const struct tor_machine_rate *tor_machine_find(const struct tor_machine *machine, int order,
                                                enum tor_precision precision) {
  for (int i = 0; i < machine->nrates; i++)
    if (machine->rates[i].order == order && machine->rates[i].precision == precision) return &machine->rates[i];
  return NULL;
}

double tor_machine_link(const struct tor_machine *machine, int users) {
  const struct tor_machine_link *link = machine->link;
  int i = 0;
  while (i + 1 < machine->nlink && link[i + 1].devices <= users) i++;
  double total = link[i].devices * link[i].rate;
  if (i + 1 < machine->nlink) {
    double next = link[i + 1].devices * link[i + 1].rate;
    total += (next - total) * (users - link[i].devices) / (link[i + 1].devices - link[i].devices);
  }
  return total / users;
}
