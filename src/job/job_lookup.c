/* What is at a place of a job, and its wavelengths. See job.h. */
#include <math.h>

#include "src/base/types.h"
#include "src/job/geometry.h"
#include "src/job/job.h"

/* Whether an object contains x, or a place a period away from it. */
static int contains(const struct tor_job *job, const struct tor_object *o, const double x[3]) {
  int copies[3];
  for (int a = 0; a < 3; a++) copies[a] = job->boundary[2 * a].wall == TOR_PERIODIC;
  for (int i = -copies[0]; i <= copies[0]; i++)
    for (int j = -copies[1]; j <= copies[1]; j++)
      for (int k = -copies[2]; k <= copies[2]; k++) {
        const double at[3] = {x[0] + i * job->size[0], x[1] + j * job->size[1], x[2] + k * job->size[2]};
        if (tor_object_contains(o, at)) return 1;
      }
  return 0;
}

int tor_job_object_number(const struct tor_job *job, int object) {
  int number = object;
  for (int i = 0; i < job->nrepeats && job->repeats[i].first < object; i++) {
    const int last = job->repeats[i].first + tor_repeat_copies(&job->repeats[i]) - 1;
    number -= (object < last ? object : last) - job->repeats[i].first;
  }
  return number;
}

int tor_job_medium_at(const struct tor_job *job, const double x[3]) {
  for (int i = job->nobjects - 1; i >= 0; i--)
    if (contains(job, &job->objects[i], x)) return job->objects[i].medium;
  return job->background;
}

double tor_job_wavelength(const struct tor_job *job) {
  for (int i = 0; i < job->nsources; i++)
    if (job->sources[i].profile.kind != TOR_TABLE) return job->sources[i].profile.wavelength;
  return 20 * fmax(job->plane ? 0 : job->cell[0], fmax(job->cell[1], job->cell[2]));
}

double tor_job_longest_wavelength(const struct tor_job *job) {
  double longest = 0;
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_profile *p = &job->sources[i].profile;
    if (p->kind != TOR_TABLE) longest = fmax(longest, tor_pulse_longest(p->wavelength, p->band));
  }
  return longest > 0 ? longest : tor_job_wavelength(job);
}
