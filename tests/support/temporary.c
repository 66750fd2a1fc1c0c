#include "tests/support/temporary.h"

#include <stdio.h>
#include <stdlib.h>

int temporary_file(char *folder, const char *name, char *path, char *part) {
  if (!mkdtemp(folder)) return -1;
  snprintf(path, 64, "%s/%s", folder, name);
  if (part) snprintf(part, 72, "%s.part", path);
  return 0;
}
