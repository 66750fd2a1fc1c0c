/* The Yee grid of a job: cells, time step, positions of each component. Lengths in metres, origin at the domain's
 * centre. */
#ifndef TOR_SRC_JOB_GRID_H
#define TOR_SRC_JOB_GRID_H

#include <math.h>
#include <stdlib.h>

#include "src/job/job.h"

struct tor_grid {
  enum tor_plane plane; /* 2-D: one cell along x, of 1 m, so that all is per metre; components have one point there */
  int angular;          /* cylindrical coordinates: that of the job (cylindrical.h); 0: Cartesian */
  int turn;             /* of the job's axes (turn.h) */
  int n[3];             /* cells */
  double d[3];          /* edges of a cell [m]; of a graded axis: grid.cell, as in absorbing layers */
  double lo[3];         /* low corner of the domain [m] */
  /* Graded axes (graded.h): the job's places of the nodes [m], number 0 at lo; with symmetry from -n on. NULL: the
   * cells are d long. All that depends on d alone below is of the axis' cells of that length. */
  const double *node[3];
  int order;
  double dt; /* time step [s] */
  double ct; /* c dt [m] */
  struct tor_boundary face[TOR_NFACE];
  /* Symmetry across the middle of the domain, which is at lo, 0: the grid is the half above it, and the low face is a
   * wall. 1, even: E is its own mirror image (PMC); -1, odd: less its mirror image (PEC); 0: none. Indices below 0 are
   * places of the other half. */
  int mirror[3];
  double phase[3]; /* over the period of a periodic axis [rad]; not all 0: fields are complex */
};

/* Rounds the domain to whole cells and sets the time step: courant times the order's limit 1 / (c sqrt(sum 1/d^2)), for
 * order 4 times 6/7 (its largest eigenvalue is 7/6 of order 2's; Fang 1989); in 2-D without the axis x. Of a graded
 * axis d is its smallest cell. */
void tor_grid_make(const struct tor_job *job, struct tor_grid *grid);

/* Offset of a component along an axis in half cells, 0 or 1: Ex (1,0,0) ... Hx (0,1,1). */
static inline int tor_comp_half(int comp, int axis) { return (comp % 3 == axis) != tor_comp_is_h(comp); }

/* Graded axes: the place of node i, not a whole number in between, beyond the ends as if there were more of the last
 * cells [m]; and the i of a place. */
double tor_graded_at(const struct tor_grid *grid, int axis, double i);
double tor_graded_index(const struct tor_grid *grid, int axis, double x);
/* The place of node i along an axis, i + 1/2: of the middle of cell i. */
static inline double tor_grid_at(const struct tor_grid *grid, int axis, double i) {
  return grid->node[axis] ? tor_graded_at(grid, axis, i) : grid->lo[axis] + i * grid->d[axis];
}
/* The i of a place. */
static inline double tor_grid_index(const struct tor_grid *grid, int axis, double x) {
  return grid->node[axis] ? tor_graded_index(grid, axis, x) : (x - grid->lo[axis]) / grid->d[axis];
}
/* Length along an axis of the cell around a component's point i: of a half cell's that cell, of a node's half of both
 * cells beside it, on a wall its mirror image with it [m]. */
double tor_grid_edge(const struct tor_grid *grid, int comp, int axis, int i);
/* The smallest cell along an axis [m]. */
double tor_grid_least(const struct tor_grid *grid, int axis);
/* The cell that holds x [m]. */
static inline double tor_grid_cell_at(const struct tor_grid *grid, int axis, double x) {
  if (!grid->node[axis]) return grid->d[axis];
  const double i = floor(tor_graded_index(grid, axis, x));
  return tor_graded_at(grid, axis, i + 1) - tor_graded_at(grid, axis, i);
}
/* Whether any axis is graded. */
static inline int tor_grid_is_graded(const struct tor_grid *grid) {
  return grid->node[0] || grid->node[1] || grid->node[2];
}

/* Whether the two ends of an axis are one place. */
static inline int tor_grid_periodic(const struct tor_grid *grid, int axis) {
  return grid->face[2 * axis].wall == TOR_PERIODIC;
}

/* Whether Bloch walls make the fields complex. */
static inline int tor_grid_complex(const struct tor_grid *grid) {
  return grid->phase[0] != 0 || grid->phase[1] != 0 || grid->phase[2] != 0;
}
/* The wave number of Bloch walls along an axis [1/m], 0 where there are none. */
static inline double tor_grid_bloch(const struct tor_grid *grid, int axis) {
  return grid->phase[axis] / (grid->n[axis] * grid->d[axis]); /* not of a graded one: its phase is 0 */
}
/* Takes index i along a periodic axis into the domain; returns how many periods it was above it. Elsewhere 0. */
static inline int tor_grid_wrap(const struct tor_grid *grid, int axis, int *i) {
  if (!tor_grid_periodic(grid, axis)) return 0;
  const int n = grid->n[axis], around = (*i % n + n) % n;
  const int periods = (*i - around) / n;
  *i = around;
  return periods;
}

/* Node i along an axis or its image in the walls, which are mirrors but for periodic ones. */
static inline int tor_grid_image(const struct tor_grid *grid, int axis, int i) {
  const int n = grid->n[axis];
  return tor_grid_periodic(grid, axis) || (grid->plane && axis == TOR_X) ? i : n - abs(n - abs(i));
}

/* What is at a face, behind absorbing layers: these end in a PEC. */
static inline enum tor_wall tor_grid_wall(const struct tor_grid *grid, int face) {
  const enum tor_wall wall = grid->face[face].wall;
  return wall == TOR_PMC || wall == TOR_PERIODIC ? wall : TOR_PEC;
}

/* The last index of a component's points along an axis. */
static inline int tor_grid_last(const struct tor_grid *grid, int comp, int axis) {
  return grid->plane && axis == TOR_X ? 0 : grid->n[axis] - tor_comp_half(comp, axis);
}
/* Columns along x or y. */
static inline int tor_grid_slices(const struct tor_grid *grid, int axis) {
  return grid->plane && axis == TOR_X ? 1 : grid->n[axis] + 1;
}

/* The whole domain along an axis, mirrored half and all: its cells, its lowest node, the place of its low wall, and the
 * cells of the absorbing layer at a face. */
static inline int tor_grid_cells(const struct tor_grid *grid, int axis) {
  return grid->n[axis] * (grid->mirror[axis] ? 2 : 1);
}
static inline int tor_grid_first(const struct tor_grid *grid, int axis) {
  return grid->mirror[axis] ? -grid->n[axis] : 0;
}
static inline double tor_grid_low(const struct tor_grid *grid, int axis) {
  return tor_grid_at(grid, axis, tor_grid_first(grid, axis));
}
/* Length of the grid along an axis; of the whole domain [m], in cylindrical coordinates of the box around it. */
static inline double tor_grid_length(const struct tor_grid *grid, int axis) {
  const int n = grid->n[axis];
  return grid->node[axis] ? grid->node[axis][n] - grid->node[axis][0] : n * grid->d[axis];
}
static inline double tor_grid_whole(const struct tor_grid *grid, int axis) {
  if (grid->angular && axis != TOR_Y) return 2 * grid->n[TOR_Z] * grid->d[TOR_Z];
  return grid->node[axis] ? (grid->mirror[axis] ? 2 : 1) * tor_grid_length(grid, axis)
                          : tor_grid_cells(grid, axis) * grid->d[axis];
}
/* The cell at a face [m]. */
static inline double tor_grid_end(const struct tor_grid *grid, int face) {
  const int axis = face / 2;
  return grid->node[axis]
             ? tor_grid_edge(grid, TOR_EX + axis, axis, face % 2 ? grid->n[axis] - 1 : tor_grid_first(grid, axis))
             : grid->d[axis];
}
static inline int tor_grid_layer(const struct tor_grid *grid, int face) {
  return tor_boundary_layer(&grid->face[grid->mirror[face / 2] ? face | 1 : face]);
}

/* Takes index i of a component's points along an axis from the mirrored half to the grid's; returns the sign by which
 * the value there is this one's. E is a vector, H an axial one. */
static inline int tor_grid_fold(const struct tor_grid *grid, int comp, int axis, int *i) {
  if (!grid->mirror[axis] || *i >= 0) return 1;
  *i = -*i - tor_comp_half(comp, axis);
  return (tor_comp_axis(comp) == axis) != tor_comp_is_h(comp) ? -grid->mirror[axis] : grid->mirror[axis];
}

/* Weight of the value `shift` half cells away in a difference (tor_difference of update.h): 1 and 3, in order 2 only 1.
 */
static inline double tor_grid_weight(int shift) {
  return (shift > 0 ? 1 : -1) * (shift * shift == 1 ? 1 : -1.0 / 27.0);
}

/* Whether node or cell i along a face's axis lies in the absorbing layer at the face. */
static inline int tor_grid_in_layer(const struct tor_grid *grid, int face, int i) {
  const int cells = tor_boundary_layer(&grid->face[face]);
  return cells && (face % 2 ? i >= grid->n[face / 2] - cells : i < cells);
}

/* How far x lies within the absorbing layer at a face [cells]; at most 0 outside. */
double tor_grid_layer_depth(const struct tor_grid *grid, int face, double x);

/* Coordinate of index i along an axis, for a component. */
static inline double tor_grid_place(const struct tor_grid *grid, int comp, int axis, int i) {
  if (grid->angular && axis == TOR_X) return 0; /* phi: values are amplitudes, media those of the half plane */
  return tor_grid_at(grid, axis, i + 0.5 * tor_comp_half(comp, axis));
}

/* Reads "NX,NY,NZ", whole numbers from 1 to 1073741823. Returns 0, or -1. */
int tor_grid_read_cells(const char *text, tor_gidx n[3]);

/* Index of the component's point nearest to x, and of the node nearest to x, both kept inside the whole domain. */
int tor_grid_nearest(const struct tor_grid *grid, int comp, int axis, double x);
int tor_grid_node(const struct tor_grid *grid, int axis, double x);

/* The component's points between which x lies along an axis, and their linear weights: one, of weight 1, where x is a
 * point to a millionth of a cell, or lies between the last point and the wall; around a periodic axis' seam the points
 * on both sides. Returns how many. */
int tor_grid_between(const struct tor_grid *grid, int comp, int axis, double x, int at[2], double weight[2]);

/* By how many periods point `number` of those, of which tor_grid_between returns `count`, lies above the domain. */
int tor_grid_periods(const struct tor_grid *grid, int comp, int axis, double x, int count, int number);

/* Metric factor of a component: e' = e + (ct / eps) / A * curl, A = d_j d_k / (c1 d_i), c1 = 1 or 9/8
 * (diamond/core/update.h). Of cells of length d. */
double tor_grid_metric(const struct tor_grid *grid, int comp);
/* An axis' factor on 1 / A where it is graded, at a component's point i: the product of the three takes A from cells of
 * length d to the point's own. */
double tor_grid_grading(const struct tor_grid *grid, int comp, int axis, int i);

#endif
