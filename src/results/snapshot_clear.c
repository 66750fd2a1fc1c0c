/* Removing the snapshots of an earlier run: see snapshot.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "src/job/job.h"
#include "src/results/results_file.h"
#include "src/results/snapshot.h"

/* Removes the files of a snapshot monitor of that name, from its folder and from `snapshots`, where earlier versions
 * wrote them; then the monitor's folder, if it is empty. */
static void clear_named(const struct tor_job *job, const char *name, int length) {
#define DIGITS6 "[0-9][0-9][0-9][0-9][0-9][0-9]"
  static const char *const of_a_run[] = {"%.*s_" DIGITS6 "[0-9][0-9]*.h5", "%.*s_[EH][xyz].xmf",
                                         "%.*s_[EH][xyz]_" DIGITS6 "*.png", "%.*s_[EH]_" DIGITS6 "*.png",
                                         "%.*s_intensity_" DIGITS6 "*.png"};
#undef DIGITS6
  enum { COUNT = (int)(sizeof of_a_run / sizeof *of_a_run) };
  char pattern[COUNT][160];
  const char *patterns[COUNT];
  for (int i = 0; i < COUNT; i++) {
    snprintf(pattern[i], sizeof *pattern, of_a_run[i], length, name);
    patterns[i] = pattern[i];
  }
  tor_folder_clear(tor_results_path(job, "snapshots/%.*s", length, name), patterns, COUNT);
  tor_folder_clear(tor_results_path(job, "snapshots"), patterns, COUNT);
}

void tor_snapshots_clear(const struct tor_job *job, const char *earlier) {
  static const char key[] = "\"name\": \"",
                    letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  for (int i = 0; i < job->nmonitors; i++)
    if (job->monitors[i].kind == TOR_SNAPSHOT)
      clear_named(job, job->monitors[i].name, (int)strlen(job->monitors[i].name));
  for (const char *at = earlier ? strstr(earlier, key) : NULL; at; at = strstr(at, key)) {
    at += sizeof key - 1;
    const size_t length = strspn(at, letters);
    if (at[length] == '"' && length > 0 && length <= 64) clear_named(job, at, (int)length);
  }
}
