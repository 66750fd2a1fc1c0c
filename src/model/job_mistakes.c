/* Warnings about mistakes: see job_mistakes.h. Like ones are one line with their number. */
#include "src/model/job_mistakes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"

/* --- Units --- */

static const char *length_text(double length, char text[32]) {
  static const struct {
    double size;
    const char *name;
  } units[] = {{1, "m"}, {1e-3, "mm"}, {1e-6, "um"}, {1e-9, "nm"}, {1e-12, "pm"}};
  int i = 0;
  while (i < 4 && fabs(length) < 0.9999999 * units[i].size) i++;
  snprintf(text, 32, "%.4g %s", length / units[i].size, units[i].name);
  return text;
}

/* A wavelength that no optical job has: shorter than 10 nm, longer than 10 mm; or the number of one of light in nm
 * beside another unit, such as 780 um. */
static int is_odd_wavelength(const struct tor_job *job, double wavelength) {
  const double number = wavelength / job->length_unit;
  const int is_nm = fabs(job->length_unit / TOR_NM - 1) < 1e-6;
  return wavelength < 10 * TOR_NM || wavelength > 1e7 * TOR_NM || (!is_nm && number >= 200 && number <= 2000);
}

static int warn_wavelength_unit(const struct tor_job *job, const char *kind, const char *name, double wavelength) {
  char text[32];
  if (!(wavelength > 0) || !is_odd_wavelength(job, wavelength)) return 0;
  tor_log_warning_at(tor_job_place(job, "length_unit"),
                     "is length_unit right? the wavelength is %s (%s %s); lengths are in nm where it is not given",
                     length_text(wavelength, text), kind, name);
  return 1;
}

static void warn_unit(const struct tor_job *job) {
  char text[32];
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    if (s->profile.kind != TOR_TABLE && warn_wavelength_unit(job, "source", s->name, s->profile.wavelength)) return;
  }
  for (int i = 0; i < job->nmonitors; i++)
    for (int q = 0; q < job->monitors[i].nwavelength; q++)
      if (warn_wavelength_unit(job, "monitor", job->monitors[i].name, job->monitors[i].wavelength[q])) return;
  for (int a = 0; a < 3; a++)
    if ((a != TOR_X || !job->plane) && (job->cell[a] < 1e-3 * TOR_NM || job->cell[a] > 1e6 * TOR_NM)) {
      tor_log_warning_at(tor_job_place(job, "length_unit"),
                         "is length_unit right? grid.cell is %s; lengths are in nm where it is not given",
                         length_text(job->cell[a], text));
      return;
    }
}

/* --- Parts that are missing --- */

static void warn_missing(const struct tor_job *job) {
  if (job->bands.ncorners && !job->nsources && !job->nmonitors) {
    tor_log_note_at(tor_job_place(job, "bands"), "a job for torre bands, which makes sources and monitors: run alone, "
                                                 "it has no results");
    return;
  }
  if (!job->nsources)
    tor_log_warning_at(tor_job_place(job, "sources"),
                       "no sources: all fields stay 0; need " TOR_NEEDED("a plane wave or a dipole in sources"));
  if (!job->nmonitors)
    tor_log_warning_at(tor_job_place(job, "monitors"),
                       "no monitors: nothing is recorded; need " TOR_NEEDED(
                           "the wanted results in monitors, such as a flux or a field"));
}

/* --- Objects --- */

/* Whether an object has no grid point since it lies outside, or (*small) since it is smaller than half a cell along
 * all axes of more than one. */
static int is_outside(const struct tor_grid *g, const struct tor_object *o, int *small) {
  double lo[3], hi[3];
  int outside = 0;
  *small = 1;
  tor_object_bounds(o, lo, hi);
  for (int a = 0; a < 3; a++) {
    if (!tor_grid_periodic(g, a)) outside |= lo[a] >= tor_grid_at(g, a, g->n[a]) || hi[a] <= tor_grid_low(g, a);
    *small &= g->n[a] == 1 || hi[a] - lo[a] < 0.5 * tor_grid_cell_at(g, a, 0.5 * (lo[a] + hi[a]));
  }
  return outside;
}

static void warn_outside(const struct tor_job *job, int first, int count) {
  double lo[3], hi[3];
  char more[64] = "", text[128] = "";
  const int number = tor_job_object_number(job, first);
  tor_object_bounds(&job->objects[first], lo, hi);
  for (int u = 0; u < tor_user_axes(job); u++) {
    const int a = tor_axis_of_user(job, u);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s[%g, %g]", u ? " x " : "", lo[a] / TOR_NM,
             hi[a] / TOR_NM);
  }
  if (count > 1) snprintf(more, sizeof more, "; so do %d more objects", count - 1);
  tor_log_warning_at(tor_job_place(job, "objects[%d]", number),
                     "objects[%d] of \"%s\" lies outside the domain: %s nm%s", number,
                     job->media[job->objects[first].medium].name, text, more);
}

static void warn_small(const struct tor_job *job, int first, int count) {
  double lo[3], hi[3];
  char more[64] = "", text[96] = "";
  const int number = tor_job_object_number(job, first);
  tor_object_bounds(&job->objects[first], lo, hi);
  for (int u = 0; u < tor_user_axes(job); u++) {
    const int a = tor_axis_of_user(job, u);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.4g", u ? " x " : "", (hi[a] - lo[a]) / TOR_NM);
  }
  if (count > 1) snprintf(more, sizeof more, "; so are %d more objects", count - 1);
  tor_log_warning_at(
      tor_job_place(job, "objects[%d]", number),
      "objects[%d] of \"%s\" is smaller than half a cell: %s nm%s; is its unit right? else need smaller cells", number,
      job->media[job->objects[first].medium].name, text, more);
}

/* Objects without any grid point in them: given in other units than the job's, or misplaced. */
static void warn_objects(const struct tor_job *job, const struct tor_grid *g) {
  int first_outside = -1, outside = 0, first_small = -1, smaller = 0;
  for (int i = 0; i < job->nobjects; i++) {
    int small;
    if (is_outside(g, &job->objects[i], &small)) {
      if (!outside++) first_outside = i;
    } else if (small && !smaller++)
      first_small = i;
  }
  if (outside) warn_outside(job, first_outside, outside);
  if (smaller) warn_small(job, first_small, smaller);
}

void tor_job_mistakes_log(const struct tor_job *job, const struct tor_grid *grid) {
  warn_missing(job);
  warn_unit(job);
  warn_objects(job, grid);
}
