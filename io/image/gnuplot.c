/* Runs gnuplot: see gnuplot.h. */
#include "io/image/gnuplot.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int tor_gnuplot_run(const char *folder, const char *script, int quiet) {
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return 126;
  if (!child) {
    if (chdir(folder) || (quiet && !freopen("/dev/null", "w", stderr))) _exit(126);
    execlp("gnuplot", "gnuplot", script, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 126;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
