/* Versions of the format of job files: see job_format.h. */
#include "src/job/job_format.h"

#include "io/files/log.h"
#include "src/job/grid.h"
#include "src/job/job.h"

/* Dipoles whose pulse has no mean by default. */
static int has_zero_mean(const struct tor_job *job) {
  for (int i = 0; i < job->nsources; i++)
    if (tor_source_is_dipole(&job->sources[i]) && job->sources[i].profile.kind == TOR_PULSE &&
        job->sources[i].profile.zero_mean)
      return 1;
  return 0;
}

static int has_kind(const struct tor_job *job, unsigned kinds) {
  for (int i = 0; i < job->nmonitors; i++)
    if (kinds >> job->monitors[i].kind & 1) return 1;
  return 0;
}

static int has_arrays(const struct tor_job *job) { return has_kind(job, 1u << TOR_FIELD_DFT | 1u << TOR_SLICE); }
static int has_snapshots(const struct tor_job *job) { return has_kind(job, 1u << TOR_SNAPSHOT); }

/* Cross-sections of a domain of one cell along an axis. */
static int has_widths(const struct tor_job *job) {
  struct tor_grid grid;
  tor_grid_make(job, &grid);
  return !job->plane && !job->angular && has_kind(job, 1u << TOR_CROSS_SECTION) &&
         (grid.n[0] == 1 || grid.n[1] == 1 || grid.n[2] == 1);
}

/* Pictures whose colours end at a percentile. */
static int has_percentile(const struct tor_job *job) {
  for (int i = 0; i < job->nmonitors; i++)
    if (job->monitors[i].image && job->monitors[i].image_limit < 0) return 1;
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
    {3, has_arrays,
     "arrays in results.h5 are [z][y][x], as in snapshots (before: [x][y][z]); their attribute `axes` "
     "has it"},
    {3, has_snapshots,
     "the files of a snapshot monitor are in a folder of its own, snapshots/NAME (before: snapshots)"},
    {3, has_widths,
     "cross-sections are per length where the domain is one cell thick, in nm, and Q is over twice the "
     "radius (before: of the cell's thickness, in nm^2, over pi radius^2)"},
    {3, has_percentile,
     "the colours of pictures end at the 99.5th percentile (image_limit = 0 is as before: at each "
     "picture's largest value)"},
};

int tor_job_format_log(const struct tor_job *job) {
  const int version = job->format_version ? job->format_version : 1;
  int count = 0;
  for (int i = 0; i < (int)(sizeof changes / sizeof *changes); i++)
    if (version < changes[i].version && changes[i].matters(job)) {
      tor_log_note_at(tor_job_place(job, "format_version"), "%s: since format_version %d %s",
                      job->format_version ? "format_version is earlier" : "no format_version", changes[i].version,
                      changes[i].text);
      count++;
    }
  if (count)
    tor_log_note_at(tor_job_place(job, "format_version"), "if that is wanted, format_version = %d ends these notes",
                    TOR_JOB_FORMAT);
  return count;
}
