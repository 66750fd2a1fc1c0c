/* The Yee grid of a job: see grid.h. */
#include "src/job/grid.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/cylindrical.h"
#include "src/job/job.h"

void tor_grid_make(const struct tor_job *job, struct tor_grid *grid) {
  const int invariant = !job->plane ? -1 : job->turn ? TOR_X : TOR_Z; /* of a job that is not turned yet: z */
  double sum = 0;
  for (int a = 0; a < 3; a++) {
    double n = job->nodes[a] ? job->nnode[a] - 1 : round(job->size[a] / job->cell[a]);
    grid->n[a] = n < 1 ? 1 : (int)n;
    grid->mirror[a] = grid->n[a] > 1 ? job->symmetry[a] : 0;
    if (grid->mirror[a]) grid->n[a] /= 2;
    grid->d[a] = job->cell[a];
    grid->node[a] = job->nodes[a] ? job->nodes[a] + (grid->mirror[a] ? grid->n[a] : 0) : NULL;
    grid->lo[a] = grid->node[a] ? grid->node[a][0] : grid->mirror[a] ? 0 : -0.5 * grid->n[a] * grid->d[a];
    const double least = tor_grid_least(grid, a);
    if (a != invariant) sum += 1 / (least * least);
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
  grid->angular = 0;
  if (job->angular) tor_cylindrical_make(job, grid);
}

/* --- Graded axes --- */

double tor_graded_at(const struct tor_grid *grid, int axis, double i) {
  const double *node = grid->node[axis];
  const int k = (int)fmax(tor_grid_first(grid, axis), fmin(floor(i), grid->n[axis] - 1));
  return node[k] + (i - k) * (node[k + 1] - node[k]);
}

double tor_graded_index(const struct tor_grid *grid, int axis, double x) {
  const double *node = grid->node[axis];
  int lo = tor_grid_first(grid, axis), hi = grid->n[axis]; /* cells [lo, hi) hold x, or are the nearest */
  while (hi - lo > 1) {
    const int middle = lo + (hi - lo) / 2;
    *(x < node[middle] ? &hi : &lo) = middle;
  }
  return lo + (x - node[lo]) / (node[lo + 1] - node[lo]);
}

double tor_grid_edge(const struct tor_grid *grid, int comp, int axis, int i) {
  const double *node = grid->node[axis];
  if (!node) return grid->d[axis];
  const int first = tor_grid_first(grid, axis), last = grid->n[axis] - 1, half = tor_comp_half(comp, axis);
  const int above = i < first  ? first
                    : i > last ? last
                               : i,
            below = half || i <= first ? above
                    : i > last         ? last
                                       : i - 1;
  return 0.5 * (node[above + 1] - node[above] + node[below + 1] - node[below]);
}

double tor_grid_least(const struct tor_grid *grid, int axis) {
  const double *node = grid->node[axis];
  double least = grid->d[axis];
  for (int i = tor_grid_first(grid, axis); node && i < grid->n[axis]; i++) least = fmin(least, node[i + 1] - node[i]);
  return least;
}

double tor_grid_grading(const struct tor_grid *grid, int comp, int axis, int i) {
  if (!grid->node[axis]) return 1;
  double part = tor_grid_edge(grid, comp, axis, i) / grid->d[axis];
  if (fabs(part - 1) < 1e-9) part = 1; /* rounded nodes: columns of such cells are alike */
  return tor_comp_axis(comp) == axis ? part : 1 / part;
}

double tor_grid_layer_depth(const struct tor_grid *g, int face, double x) {
  const int axis = face / 2, cells = tor_boundary_layer(&g->face[face]);
  const double from_wall = (face % 2 ? tor_grid_at(g, axis, g->n[axis]) - x : x - g->lo[axis]) / g->d[axis];
  return cells ? cells - from_wall : 0;
}

static int clamp(double i, int first, int last) { return i < first ? first : i > last ? last : (int)i; }

int tor_grid_nearest(const struct tor_grid *grid, int comp, int axis, double x) {
  const int half = tor_comp_half(comp, axis), first = tor_grid_first(grid, axis);
  if (grid->node[axis])
    return clamp(round(tor_graded_index(grid, axis, x) - 0.5 * half), first, tor_grid_last(grid, comp, axis));
  /* Counted from the low wall: halves are rounded as without symmetry. */
  return clamp(round((x - tor_grid_low(grid, axis)) / grid->d[axis] - 0.5 * half) + first, first,
               tor_grid_last(grid, comp, axis));
}

int tor_grid_node(const struct tor_grid *grid, int axis, double x) {
  const int first = tor_grid_first(grid, axis);
  if (grid->node[axis]) return clamp(round(tor_graded_index(grid, axis, x)), first, grid->n[axis]);
  return clamp(round((x - tor_grid_low(grid, axis)) / grid->d[axis]) + first, first, grid->n[axis]);
}

int tor_grid_between(const struct tor_grid *grid, int comp, int axis, double x, int at[2], double weight[2]) {
  const int half = tor_comp_half(comp, axis), last = tor_grid_last(grid, comp, axis);
  const double u = tor_grid_index(grid, axis, x) - 0.5 * half;
  double part = u - floor(u);
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
  if (grid->node[axis]) { /* middles of unequal cells */
    const double low = tor_grid_place(grid, comp, axis, at[0]);
    part = (x - low) / (tor_grid_place(grid, comp, axis, at[1]) - low);
  }
  weight[0] = 1 - part;
  weight[1] = part;
  return 2;
}

int tor_grid_periods(const struct tor_grid *grid, int comp, int axis, double x, int count, int number) {
  const double u = tor_grid_index(grid, axis, x) - 0.5 * tor_comp_half(comp, axis);
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
