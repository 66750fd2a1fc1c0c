/* What is at a place of a job, and its wavelengths. See job.h. */
#include <math.h>

#include "src/base/types.h"
#include "src/job/design.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/object_bins.h"

static int last_of_all(const struct tor_job *job, const double x[3]) {
  int last = job->nobjects - 1;
  while (last >= 0 && !tor_object_contains(&job->objects[last], x)) last--;
  return last;
}

/* The last object that contains x, or a place a period away from it; -1: none. */
static int last_at(const struct tor_job *job, const double x[3]) {
  int copies[3], last = -1;
  for (int a = 0; a < 3; a++) copies[a] = job->boundary[2 * a].wall == TOR_PERIODIC;
  for (int i = -copies[0]; i <= copies[0]; i++)
    for (int j = -copies[1]; j <= copies[1]; j++)
      for (int k = -copies[2]; k <= copies[2]; k++) {
        const double at[3] = {x[0] + i * job->size[0], x[1] + j * job->size[1], x[2] + k * job->size[2]};
        const int here = tor_object_bins_are_of(job->bins, job->objects, job->nobjects)
                             ? tor_object_bins_at(job->bins, at)
                             : last_of_all(job, at);
        if (here > last) last = here;
      }
  return last;
}

int tor_job_uses_medium(const struct tor_job *job, int medium) {
  int used = job->background == medium;
  for (int i = 0; i < job->nobjects && !used; i++) used = job->objects[i].medium == medium;
  return used;
}

int tor_job_is_film_alone(const struct tor_job *job, int medium) {
  int is_film = 0;
  for (int i = 0; i < job->nsheets; i++) is_film |= job->sheets[i].film == medium;
  for (int i = 0; i < job->ndesigns && is_film; i++)
    is_film = job->designs[i].medium[0] != medium && job->designs[i].medium[1] != medium;
  return is_film && !tor_job_uses_medium(job, medium);
}

void tor_job_find_node_media(struct tor_job *job) {
  job->node_media = 0;
  for (int m = 0; m < job->nmedia && job->plane != TOR_PLANE_TM; m++)
    job->node_media |= tor_medium_needs_nodes(&job->media[m]) && tor_job_uses_medium(job, m);
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
  const int of_design = tor_job_design_medium(job, x);
  if (of_design >= 0) return of_design;
  const int last = last_at(job, x);
  return last < 0 ? job->background : job->objects[last].medium;
}

const struct tor_profile *tor_job_first_profile(const struct tor_job *job) {
  for (int i = 0; i < job->nsources; i++)
    if (job->sources[i].profile.kind != TOR_TABLE) return &job->sources[i].profile;
  return NULL;
}

double tor_job_wavelength(const struct tor_job *job) {
  const struct tor_profile *first = tor_job_first_profile(job);
  if (first) return first->wavelength;
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
