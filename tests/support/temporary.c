#include "tests/support/temporary.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int temporary_file(char *folder, const char *name, char *path, char *part) {
  if (!mkdtemp(folder)) return -1;
  snprintf(path, 64, "%s/%s", folder, name);
  if (part) snprintf(part, 72, "%s.part", path);
  return 0;
}

void temporary_limit(long bytes) {
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes < 0 ? limit.rlim_max : (rlim_t)bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}
