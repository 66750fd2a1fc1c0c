/* The Yee grid of a job: see grid.h. */
#include "src/job/grid.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/job.h"

void tor_grid_make(const struct tor_job *job, struct tor_grid *grid) {
  const int invariant = !job->plane ? -1 : job->turn ? TOR_X : TOR_Z; /* of a job that is not turned yet: z */
  double sum = 0;
  for (int a = 0; a < 3; a++) {
    double n = round(job->size[a] / job->cell[a]);
    grid->n[a] = n < 1 ? 1 : (int)n;
    grid->mirror[a] = grid->n[a] > 1 ? job->symmetry[a] : 0;
    if (grid->mirror[a]) grid->n[a] /= 2;
    grid->d[a] = job->cell[a];
    grid->lo[a] = grid->mirror[a] ? 0 : -0.5 * grid->n[a] * grid->d[a];
    if (a != invariant) sum += 1 / (grid->d[a] * grid->d[a]);
  }
  for (int a = 0; a < 3; a++) grid->phase[a] = job->boundary[2 * a].wall == TOR_PERIODIC ? job->phase[a] : 0;
  grid->plane = job->plane;
  grid->turn = job->turn;
  grid->order = job->order;
  grid->ct = job->courant / sqrt(sum) * (job->order == 4 ? 6.0 / 7.0 : 1.0);
  grid->dt = grid->ct / TOR_C0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int mirror = f % 2 ? 0 : grid->mirror[f / 2];
    grid->face[f] = mirror ? (struct tor_boundary){.wall = mirror > 0 ? TOR_PMC : TOR_PEC} : job->boundary[f];
  }
}

double tor_grid_layer_depth(const struct tor_grid *g, int face, double x) {
  const int axis = face / 2, cells = tor_boundary_layer(&g->face[face]);
  const double from_wall = (face % 2 ? g->lo[axis] + g->n[axis] * g->d[axis] - x : x - g->lo[axis]) / g->d[axis];
  return cells ? cells - from_wall : 0;
}

static int clamp(double i, int first, int last) { return i < first ? first : i > last ? last : (int)i; }

int tor_grid_nearest(const struct tor_grid *grid, int comp, int axis, double x) {
  const int half = tor_comp_half(comp, axis), first = tor_grid_first(grid, axis);
  /* Counted from the low wall: halves are rounded as without symmetry. */
  return clamp(round((x - tor_grid_low(grid, axis)) / grid->d[axis] - 0.5 * half) + first, first,
               tor_grid_last(grid, comp, axis));
}

int tor_grid_node(const struct tor_grid *grid, int axis, double x) {
  const int first = tor_grid_first(grid, axis);
  return clamp(round((x - tor_grid_low(grid, axis)) / grid->d[axis]) + first, first, grid->n[axis]);
}

int tor_grid_between(const struct tor_grid *grid, int comp, int axis, double x, int at[2], double weight[2]) {
  const int half = tor_comp_half(comp, axis), last = tor_grid_last(grid, comp, axis);
  const double u = (x - grid->lo[axis]) / grid->d[axis] - 0.5 * half, part = u - floor(u);
  const int periodic = tor_grid_periodic(grid, axis), n = grid->n[axis];
  at[0] = tor_grid_nearest(grid, comp, axis, x);
  if (at[0] < 0) at[0] = 0; /* half a cell from the plane of symmetry */
  if (periodic) at[0] %= n;
  weight[0] = 1;
  if (periodic && part >= 1e-6 && part <= 1 - 1e-6) {
    at[0] = ((int)floor(u) + n) % n;
    at[1] = (at[0] + 1) % n;
    weight[0] = 1 - part;
    weight[1] = part;
    return 2;
  }
  if (periodic || u <= 0 || u >= last || part < 1e-6 || part > 1 - 1e-6) return 1;
  at[0] = (int)floor(u);
  at[1] = at[0] + 1;
  weight[0] = 1 - part;
  weight[1] = part;
  return 2;
}

int tor_grid_periods(const struct tor_grid *grid, int comp, int axis, double x, int count, int number) {
  const double u = (x - grid->lo[axis]) / grid->d[axis] - 0.5 * tor_comp_half(comp, axis);
  int i = (int)(count == 2 ? floor(u) + number : round(u));
  return tor_grid_wrap(grid, axis, &i);
}

double tor_grid_metric(const struct tor_grid *grid, int comp) {
  int i = tor_comp_axis(comp);
  return grid->d[(i + 1) % 3] * grid->d[(i + 2) % 3] / grid->d[i] / (grid->order == 4 ? 9.0 / 8.0 : 1.0);
}

int tor_grid_read_cells(const char *text, tor_gidx n[3]) {
  for (int a = 0; a < 3; a++) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != (a < 2 ? ',' : 0) || !(value >= 1 && value < 1073741824.0) || value != floor(value))
      return -1;
    n[a] = (tor_gidx)value;
    text = end + (a < 2);
  }
  return 0;
}
