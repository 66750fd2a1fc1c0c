/* Whether stdout is shown on a terminal: see terminal.h. */
#include "io/files/terminal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int has_mpi_launcher(void) {
  return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK") || getenv("PMI_RANK");
}

/* 0: none, or not known. */
static long parent_of(long pid) {
  char path[64], line[256];
  long parent = 0;
  snprintf(path, sizeof path, "/proc/%ld/status", pid);
  FILE *status = fopen(path, "r");
  while (status && fgets(line, sizeof line, status) && sscanf(line, "PPid: %ld", &parent) != 1) {
  }
  if (status) fclose(status);
  return parent;
}

static int is_terminal(const char *path) {
  const int fd = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  const int is = fd >= 0 && isatty(fd) == 1;
  if (fd >= 0) close(fd);
  return is;
}

int tor_terminal_shows_stdout(void) {
  struct stat mine, other;
  if (isatty(STDOUT_FILENO) != 1) return 0;
  if (!has_mpi_launcher()) return 1;
  if (fstat(STDOUT_FILENO, &mine)) return 0;
  /* The first one that writes elsewhere is the launcher; scripts in between write where this process does. */
  for (long pid = getppid(); pid > 0; pid = parent_of(pid)) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/1", pid);
    if (stat(path, &other)) return 0;
    if (S_ISCHR(other.st_mode) && other.st_rdev == mine.st_rdev) continue;
    return S_ISCHR(other.st_mode) && is_terminal(path);
  }
  return 1;
}
