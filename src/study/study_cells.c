/* The study of cells: its runs, and which lists of cells are refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/study/study_parts.h"
#include "src/job/turn.h"

static const double least_ratio = 1.05; /* of two cells: a smaller difference measures rounding */

static int falling(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* Edges of --cells, falling. Returns their number; 0 with a fault. */
static int read_cells(const struct tor_study *study, double cell[TOR_EXTRAPOLATION_CELLS], struct tor_faults *faults) {
  const char *text = study->options->cells, *at = text, *unit = tor_study_unit(study);
  int n = 0;
  for (;; at++) {
    char *end;
    const double value = strtod(at, &end);
    if (end == at || (*end && *end != ',') || !(value > 0 && value < 1e30)) {
      tor_fault(faults,
                "--cells: got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("two lengths or more in %s, such as 2,1.4,1"),
                text, unit);
      return 0;
    }
    if (n == TOR_EXTRAPOLATION_CELLS) {
      tor_fault(faults, "--cells: more than %d cells, need " TOR_NEEDED("2 to %d"), n, n);
      return 0;
    }
    cell[n++] = value;
    at = end;
    if (!*at) break;
  }
  qsort(cell, (size_t)n, sizeof *cell, falling);
  if (n == 1)
    tor_fault(faults,
              "--cells: got " TOR_FOUND("one cell, %g %s") ", need " TOR_NEEDED(
                  "two or more to compare: such as %.3g,%.3g,%.3g"),
              cell[0], unit, 2 * cell[0], 1.4 * cell[0], cell[0]);
  for (int i = 1; i < n; i++)
    if (cell[i - 1] < least_ratio * cell[i])
      tor_fault(faults, "--cells: %g and %g %s are too close to each other, need " TOR_NEEDED("each %g times the next"),
                cell[i - 1], cell[i], unit, least_ratio);
  return faults->count ? 0 : n;
}

/* Shapes that a cell would swallow: along an axis with several cells, the shape is thinner than one. */
static void check_shapes(const struct tor_study_run *run, const int thin[3], const char *unit,
                         struct tor_faults *faults) {
  const struct tor_job *job = &run->job;
  struct tor_faults own = {0};
  for (int i = 0; i < job->nobjects; i++) {
    struct tor_object object = job->objects[i]; /* along its own axes */
    double lo[3], hi[3];
    object.pose.is_turned = 0;
    tor_object_bounds(&object, lo, hi);
    for (int a = 0; a < 3; a++) {
      if (thin[a] || !(hi[a] - lo[a] < job->cell[a] * (1 - 1e-9))) continue;
      tor_fault_at(&own, tor_job_place(job, "objects[%d]", tor_job_object_number(job, i)),
                   "%.6g %s of \"%s\" along %c, need " TOR_NEEDED("cells no larger than that"),
                   (hi[a] - lo[a]) / job->length_unit, unit, job->media[job->objects[i].medium].name,
                   tor_axis_name(job, a));
      break;
    }
  }
  tor_faults_move(faults, &own, run->label);
}

/* Edges of the cells: in the proportions of the job's; an axis of one cell keeps it. */
void tor_study_cells_prepare(struct tor_study *study, const struct tor_job *job, struct tor_faults *faults) {
  double cell[TOR_EXTRAPOLATION_CELLS], least = INFINITY;
  int thin[3];
  const int n = read_cells(study, cell, faults);
  for (int a = 0; a < 3; a++) {
    thin[a] = job->size[a] / job->cell[a] < 1.5;
    if (!thin[a]) least = fmin(least, job->cell[a]);
  }
  for (int a = 0; a < 3; a++)
    if (job->nodes[a]) {
      tor_fault_at(faults, tor_job_place(job, "grid.refine"),
                   "--cells changes grid.cell alone, and the grid is graded, need " TOR_NEEDED(
                       "--sweep of grid.cell and grid.refine[0].cell, or no graded cells"));
      return;
    }
  if (!isfinite(least))
    tor_fault_at(faults, tor_job_place(job, "grid.cell"), "one cell along each axis, nothing to vary");
  for (int i = 0; i < n && isfinite(least); i++) {
    char name[48], text[160], edge[3][32];
    for (int a = 0; a < 3; a++)
      snprintf(edge[a], sizeof edge[a], "%.15g",
               thin[a] ? job->cell[a] / job->length_unit : cell[i] * (job->cell[a] / least));
    snprintf(name, sizeof name, "cell-%g", cell[i]);
    if (job->plane)
      snprintf(text, sizeof text, "grid.cell=[%s,%s]", edge[tor_axis_of_user(job, 0)], edge[tor_axis_of_user(job, 1)]);
    else
      snprintf(text, sizeof text, "grid.cell=[%s,%s,%s]", edge[0], edge[1], edge[2]);
    const int before = study->nruns;
    tor_study_add(study, name, (const char *const[]){text}, 1, cell[i], faults, "cell %g %s", cell[i],
                  tor_study_unit(study));
    if (study->nruns > before) check_shapes(&study->run[before], thin, tor_study_unit(study), faults);
  }
}

/* Lengths that are counted in cells, so that the runs would differ in more than the cell. */
void tor_study_cells_note(const struct tor_study *study) {
  const struct tor_study_run *coarse = &study->run[0], *fine = &study->run[study->nruns - 1];
  const double ratio = coarse->value / fine->value;
  int layers = 0, box = 0, flux = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = tor_boundary_layer(&coarse->job.boundary[f]), b = tor_boundary_layer(&fine->job.boundary[f]);
    layers |= a == b && a * (ratio - 1) > 1.5 && coarse->job.cell[f / 2] > fine->job.cell[f / 2];
  }
  for (int i = 0; i < coarse->job.nsources; i++)
    for (int a = 0; a < 3; a++) { /* sides on the walls follow the domain's whole cells */
      const struct tor_source *s = &coarse->job.sources[i], *t = &fine->job.sources[i];
      const double inside = 0.5 * coarse->job.size[a] - coarse->job.cell[a], slack = 1e-6 * fine->job.cell[a];
      box |= s->kind == TOR_PLANE_WAVE && ((s->lo[a] > -inside && fabs(s->lo[a] - t->lo[a]) > slack) ||
                                           (s->hi[a] < inside && fabs(s->hi[a] - t->hi[a]) > slack));
    }
  for (int i = 0; i < coarse->job.nmonitors; i++)
    flux |= coarse->job.monitors[i].kind == TOR_CROSS_SECTION && !(coarse->job.monitors[i].distance > 0);
  if (layers || box || flux)
    printf("note: counted in cells, so that it differs between the runs:%s%s%s; a length keeps it\n",
           layers ? " the absorbing layers (thickness)" : "",
           box ? layers ? ", the wave's box (distance)" : " the wave's box (distance)" : "",
           flux ? layers || box ? ", the flux boxes (distance)" : " the flux boxes (distance)" : "");
}

int tor_study_cells_report(const struct tor_study *study) {
  struct tor_study_numbers numbers;
  char why[1024];
  if (tor_study_numbers_read(study, &numbers, why, sizeof why)) {
    fprintf(stderr, "torre study: %s\n", why);
    return 1;
  }
  tor_study_print(study, &numbers);
  const int failed = (tor_study_write_csv(study, &numbers) != 0) + (tor_study_write_json(study, &numbers) != 0) +
                     tor_study_plot(study, &numbers);
  tor_study_numbers_free(&numbers);
  return failed;
}
