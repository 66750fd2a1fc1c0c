/* Names of results: see results_file.h. */
#include "src/results/results_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/files/log.h"
#include "src/base/error.h"
#include "src/job/job.h"
#include "src/results/results.h"
#include "src/results/results_parts.h"

const char *tor_results_path(const struct tor_job *job, const char *format, ...) {
  static _Thread_local char path[4096];
  int n = snprintf(path, sizeof path, "%s/", job->output);
  if (n < 0 || (size_t)n >= sizeof path)
    TOR_DIE("the name of the results folder is longer than %zu characters", sizeof path);
  va_list args;
  va_start(args, format);
  int m = vsnprintf(path + n, sizeof path - (size_t)n, format, args);
  va_end(args);
  if (m < 0 || (size_t)n + (size_t)m >= sizeof path)
    TOR_DIE("a results path is longer than %zu characters: %s", sizeof path, path);
  return path;
}

int tor_results_not_written(const char *path, const char *why) {
  tor_log_warning("%s was not written: %s", path, why ? why : strerror(errno));
  return 1;
}

int tor_results_log_file(const struct tor_results *r, const char *path, int status, const char *why) {
  if (status) return tor_results_not_written(path, why);
  tor_log("wrote %s", path);
  fprintf(r->files, "%s\n    \"%s\"", ftell(r->files) > 0 ? "," : "", path + strlen(r->job->output) + 1);
  return 0;
}
