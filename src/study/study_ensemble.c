/* The study of ensembles: a dipole alone at each of several places, along each of several directions. Dipoles that do
 * not know of each other add powers, not fields: so the sum over such runs is what many runs of all at once with random
 * phases have as their mean, without their speckle. */
#include <stdio.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/study/ensemble.h"
#include "src/study/study_parts.h"

/* "x, y" in the job's unit. */
static void place_text(const struct tor_job *job, const double x[3], int digits, char *text, size_t size) {
  *text = 0;
  for (int a = 0; a < tor_user_axes(job); a++) {
    const size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%.*g", a ? ", " : "", digits, x[a] / job->length_unit + 0.0);
  }
}

/* What would be another scene than that of one dipole. */
static void check(const struct tor_job *job, struct tor_faults *faults) {
  const struct tor_ensemble_job *e = &job->ensemble;
  if (!e->given) {
    tor_fault_at(faults, tor_job_place(job, "ensemble"), "missing, need " TOR_NEEDED("the group ensemble with box"));
    return;
  }
  for (int i = 0; i < job->nsources; i++)
    if (i != e->source)
      tor_fault_at(faults, tor_job_place(job, "sources"),
                   "\"%s\" is at work beside the dipole, need " TOR_NEEDED("one source"), job->sources[i].name);
  for (int a = 0; a < 3; a++)
    if (job->symmetry[a])
      tor_fault_at(faults, tor_job_place(job, "symmetry"),
                   "across %c, where each dipole would have an image, need " TOR_NEEDED("none"), tor_axis_name(job, a));
  if (job->angular < 0 && e->weight[0] + e->weight[1] > 0 && e->weight[2] > 0)
    tor_fault_at(faults, tor_job_place(job, "grid.polarisation"),
                 "a dipole across the axis is a field of m = 1, which has none, need " TOR_NEEDED(
                     "grid.m = 1 without polarisation: the runs of dipoles along z get theirs"));
}

/* The run of a place and an axis; in cylindrical coordinates x stands for y, too. */
static void add_run(struct tor_study *study, const struct tor_job *job, int place, int axis,
                    struct tor_faults *faults) {
  const struct tor_ensemble_job *e = &job->ensemble;
  const double weight = job->angular && axis == TOR_X ? e->weight[0] + e->weight[1] : e->weight[axis];
  char name[48], text[96], position[160], direction[64];
  const char *set[4] = {position, direction, axis == TOR_Z ? "grid.m=0" : "grid.m=1", "grid.polarisation=\"TM\""};
  double x[3];
  if (!(weight > 0) || (job->angular && axis == TOR_Y)) return;
  const int line = job->plane && axis == TOR_Z; /* has no axis */
  tor_ensemble_place(e, place, x);
  place_text(job, x, 12, text, sizeof text);
  snprintf(position, sizeof position, "sources[%d].position=[%s]", e->source, text);
  snprintf(direction, sizeof direction, "sources[%d].axis=\"%c\"", e->source, "xyz"[axis]);
  place_text(job, x, 5, text, sizeof text);
  snprintf(name, sizeof name, "place-%d-%c", place + 1, "xyz"[axis]);
  tor_study_add(study, name, set,
                line           ? 1
                : job->angular ? 3 + (axis == TOR_Z)
                               : 2,
                weight, faults, "(%s), along %c", text, "xyz"[axis]);
}

void tor_study_ensemble_prepare(struct tor_study *study, const struct tor_job *job, struct tor_faults *faults) {
  check(job, faults);
  const int places = tor_ensemble_places(&job->ensemble);
  for (int i = 0; i < places && !faults->count; i++)
    for (int axis = 0; axis < 3 && !faults->count; axis++) add_run(study, job, i, axis, faults);
}

void tor_study_ensemble_note(const struct tor_study *study) {
  const struct tor_job *job = &study->run[0].job;
  const int places = tor_ensemble_places(&job->ensemble);
  printf("%d dipole%s, a run each: %d place%s of %d direction%s\n", study->nruns, study->nruns > 1 ? "s" : "", places,
         places > 1 ? "s" : "", study->nruns / places, study->nruns > places ? "s" : "");
  for (int f = 0; f < TOR_NFACE; f += 2)
    if (job->boundary[f].wall == TOR_PERIODIC) {
      printf("note: the domain is periodic: each dipole is one of an array, which radiate together, not one by one\n");
      return;
    }
}
