/* Memory of the host: see host_memory.h. */
#include "src/base/host_memory.h"

#include <stdio.h>

double tor_host_free_memory(void) {
  FILE *f = fopen("/proc/meminfo", "r");
  if (!f) return 0;
  char line[256];
  double kb = 0;
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %lf", &kb) == 1) break;
  fclose(f);
  return kb * 1024;
}
