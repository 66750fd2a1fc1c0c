/* Versions of the format of job files: see job_format.h. */
#include "src/job/job_format.h"

#include "io/files/log.h"
#include "src/job/job.h"

/* Dipoles whose pulse has no mean by default. */
static int has_zero_mean(const struct tor_job *job) {
  for (int i = 0; i < job->nsources; i++)
    if (job->sources[i].kind != TOR_PLANE_WAVE && job->sources[i].profile.kind == TOR_PULSE &&
        job->sources[i].profile.zero_mean)
      return 1;
  return 0;
}

/* What changed with a version, for jobs to which it matters. */
struct change {
  int version;
  int (*matters)(const struct tor_job *job);
  const char *text;
};
static const struct change changes[] = {
    {2, has_zero_mean, "pulses of dipoles have no mean (time.zero_mean = false is as before)"},
};

int tor_job_format_log(const struct tor_job *job) {
  const int version = job->format_version ? job->format_version : 1;
  int count = 0;
  for (int i = 0; i < (int)(sizeof changes / sizeof *changes); i++)
    if (version < changes[i].version && changes[i].matters(job)) {
      tor_log_note("%s: since format_version %d %s",
                   job->format_version ? "format_version is earlier" : "no format_version", changes[i].version,
                   changes[i].text);
      count++;
    }
  if (count) tor_log_note("if that is wanted, format_version = %d ends these notes", TOR_JOB_FORMAT);
  return count;
}
