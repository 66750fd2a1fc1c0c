/* Requirements of a domain's symmetry: see symmetry.h. */
#include "src/model/symmetry.h"

#include <math.h>

#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/design.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"

/* Of a vector of E in the plane of symmetry, or of a dipole's moment there: 1 even, -1 odd; 0: both. */
static int parity_of(const double v[3], int axis) {
  double across = 0;
  for (int a = 0; a < 3; a++) across += a == axis ? 0 : fabs(v[a]);
  const int has = fabs(v[axis]) > 1e-9, has_across = across > 1e-9;
  return has && has_across ? 0 : has ? -1 : 1;
}

static void check_parity(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s, int axis,
                         int parity, struct tor_faults *faults) {
  const char name = tor_axis_name(job, axis);
  if (parity == g->mirror[axis]) return;
  tor_fault_at(faults, tor_job_source_place(job, s),
               "its field is %s across the plane of symmetry, need " TOR_NEEDED("symmetry.%c = \"%s\""),
               parity > 0   ? "even"
               : parity < 0 ? "odd"
                            : "neither even nor odd",
               name,
               parity > 0   ? "even"
               : parity < 0 ? "odd"
                            : "none");
}

static void check_wave(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s, int axis,
                       struct tor_faults *faults) {
  const char name = tor_axis_name(job, axis);
  const int open[2] = {s->lo[axis] <= tor_grid_low(g, axis) + 0.5 * tor_grid_end(g, 2 * axis),
                       s->hi[axis] >= tor_grid_at(g, axis, g->n[axis] - 0.5)};
  double e[3] = {0, 0, 0};
  e[s->polarisation] = 1;
  if (s->oblique ? fabs(s->travel[axis]) > 1e-9 : s->axis == axis) {
    tor_fault_at(faults, tor_job_source_place(job, s),
                 "the wave travels across the plane of symmetry, need " TOR_NEEDED("symmetry.%c = \"none\""), name);
    return;
  }
  check_parity(job, g, s, axis, s->circular ? 0 : parity_of(s->oblique ? s->across : e, axis), faults);
  if (open[0] != open[1] || (!open[0] && tor_grid_node(g, axis, s->lo[axis]) != -tor_grid_node(g, axis, s->hi[axis])))
    tor_fault_at(
        faults, tor_job_source_place(job, s),
        "the total-field box lies from %g to %g nm along %c, need " TOR_NEEDED("one with the symmetry of the domain"),
        s->lo[axis] / TOR_NM, s->hi[axis] / TOR_NM, name);
}

static void check_dipole(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s, int axis,
                         struct tor_faults *faults) {
  double moment[3] = {0, 0, 0};
  moment[s->polarisation] = 1;
  if (fabs(s->position[axis]) > 1e-6 * g->d[axis]) {
    tor_fault_at(
        faults, tor_job_source_place(job, s),
        "the dipole at %c = %g nm is not on the plane of symmetry, need " TOR_NEEDED("0, or symmetry \"none\""),
        tor_axis_name(job, axis), s->position[axis] / TOR_NM);
    return;
  }
  const int magnetic = s->kind == TOR_MAGNETIC_DIPOLE;
  check_parity(job, g, s, axis, (magnetic ? -1 : 1) * parity_of(moment, axis), faults);
}

/* Whether design regions have the same at two points. */
static int are_alike(const struct tor_job *job, const double x[3], const double y[3]) {
  const struct tor_design *d = tor_job_design_at(job, x), *e = tor_job_design_at(job, y);
  if (!d || !e) return !d && !e;
  return d->medium[0] == e->medium[0] && d->medium[1] == e->medium[1] &&
         fabs(tor_design_value(d, x) - tor_design_value(e, y)) <= 1e-5;
}

/* Whether the medium at a point is that at its mirror image. */
static int is_mirrored(const struct tor_job *job, const double x[3], int axis) {
  double y[3] = {x[0], x[1], x[2]};
  y[axis] = -y[axis];
  return tor_job_medium_at(job, x) == tor_job_medium_at(job, y) && are_alike(job, x, y);
}

static void check_media(const struct tor_job *job, const struct tor_grid *g, int axis, struct tor_faults *faults) {
  enum { POINTS = 4000, OBJECTS = 400, IN_EACH = 16 };
  static const double step[3] = {0.819172513396165, 0.671043606703789, 0.549700477901970}; /* fills a cube evenly */
  const int objects = job->nobjects < OBJECTS ? job->nobjects : OBJECTS;
  for (int i = 0; i < POINTS + objects * IN_EACH; i++) {
    double lo[3], hi[3], x[3];
    if (i >= POINTS) tor_object_bounds(&job->objects[(i - POINTS) / IN_EACH], lo, hi);
    for (int a = 0; a < 3; a++) {
      const double low = tor_grid_low(g, a), high = tor_grid_at(g, a, g->n[a]),
                   from = i < POINTS ? low : fmax(low, lo[a]), to = i < POINTS ? high : fmin(high, hi[a]);
      x[a] = from + (to - from) * fmod((i + 1) * step[a], 1);
    }
    if (is_mirrored(job, x, axis)) continue;
    tor_fault_at(faults, tor_job_place(job, "symmetry"),
                 "the media at (%.4g, %.4g, %.4g) nm and at its mirror image along %c differ, need " TOR_NEEDED(
                     "a scene with the symmetry, or \"none\""),
                 x[tor_axis_of_user(job, 0)] / TOR_NM, x[tor_axis_of_user(job, 1)] / TOR_NM,
                 job->plane ? 0 : x[tor_axis_of_user(job, 2)] / TOR_NM, tor_axis_name(job, axis));
    return;
  }
}

void tor_symmetry_check(const struct tor_job *job, const struct tor_grid *g, struct tor_faults *faults) {
  for (int a = 0; a < 3; a++) {
    if (!g->mirror[a]) continue;
    for (int i = 0; i < job->nsources; i++)
      if (job->sources[i].kind == TOR_PLANE_WAVE)
        check_wave(job, g, &job->sources[i], a, faults);
      else if (!tor_source_has_sheet(&job->sources[i])) /* refused where it is read */
        check_dipole(job, g, &job->sources[i], a, faults);
    check_media(job, g, a, faults);
  }
}
