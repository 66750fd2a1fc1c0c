/* Flat walls: the permittivity and permeability of places all around which media meet in planes across the axes.
 *
 * What the differences of order 4, B (13/12 within half a cell, -1/24 from there to one and a half), make of a field is
 * the field smoothed by B * B, which has no second moment. A cell's mean has one, so beside a wall it is off by a term
 * of second order. Here the means are those by B * B (docs/design/numerics.md, "Flat walls").
 *
 * Those of order 2 smooth by a cell times a cell, a hat. Its part beyond a wall has second and first moments that do
 * not depend on the wall's place in the cell, as a cell's have. With averaging "tensor" the means are those by a hat.
 */
#ifndef TOR_SRC_MODEL_FLAT_WALLS_H
#define TOR_SRC_MODEL_FLAT_WALLS_H

#include "src/job/grid.h"
#include "src/job/job.h"

struct tor_columns;
struct tor_nearby;
struct tor_edge_half;
struct tor_faces;

/* B * B is 0 from here on [cells]; a hat from 1 on. */
enum { TOR_FLAT_REACH = 3 };

struct tor_flat_rule {
  int used;        /* order 4, media are averaged; or order 2, averaging "tensor", 3-D or 2-D */
  int reach;       /* up to which a wall changes coefficients [cells]; 0: not used */
  double least[2]; /* order 4: permittivity and permeability that no mean may be below: the time step is stable down to
                    * them; order 2: 0 */
};
struct tor_flat_rule tor_flat_rule(const struct tor_job *job, const struct tor_grid *grid);

/* How far from a plane across an axis a wall may be that changes coefficients there, to rounding [cells]: half a cell
 * where the rule is not used. And what faults say of it: after "changes there", how far a wall must be, and what a
 * surface crosses that is too near. */
double tor_flat_cells(const struct tor_job *job, const struct tor_grid *grid);
enum tor_flat_phrase { TOR_FLAT_BESIDE, TOR_FLAT_DISTANCE, TOR_FLAT_SEVERAL };
const char *tor_flat_phrase(enum tor_flat_phrase which, const struct tor_job *job, const struct tor_grid *grid);

/* Whether the rule is that of a place x [m]; without a model's columns. */
int tor_flat_around(const struct tor_job *job, const struct tor_grid *grid, const double x[3]);

/* Order 4. How much of B * B beside a cell's mean the walls between media of values low < high may have, 0 to 1, where
 * no mean may be below `least`; beside several walls at once it may be less. And the Courant number up to which it is
 * all where all permeabilities are 1; 0: none. */
double tor_flat_part(double low, double high, double least);
double tor_flat_courant(double low, double high);

/* The order's kernel, B * B or a hat, integrated up to x [cells]; from 0 to 1, with the least and largest value of B *
 * B at -1 and 1 or so. */
double tor_flat_step(int order, double x);

/* The planes across axes in which all surfaces in the box [lo, hi] lie. Returns 0 where one does not, or lies across an
 * axis of one cell. */
int tor_flat_faces(const struct tor_columns *c, const struct tor_nearby *near, const double lo[3], const double hi[3],
                   struct tor_faces *faces);

enum tor_flat_place { TOR_FLAT_NONE, TOR_FLAT_PURE, TOR_FLAT_MIXED };
/* What is around a component's place: NONE, surfaces that are not flat, perfect conductors or media with poles, or the
 * rule is not used; PURE, one medium; MIXED, several, with *value from their means. Of conductivities the mean is that
 * of the cell: B * B would make some of them negative. */
enum tor_flat_place tor_flat_place(const struct tor_columns *c, const struct tor_nearby *near, int comp,
                                   const int at[3], int *medium, struct tor_edge_half *value);
/* Whether all places half a cell from node `at` have the rule: then it needs no polarisation (surface.h). */
int tor_flat_node(const struct tor_columns *c, const struct tor_nearby *near, const int at[3]);

/* E along all walls, of any shape, in 2-D TM and order 4: their permittivity alone counts, so the cell's mean less 1/24
 * of its second differences has no second moment either. Returns 0 where the rule is not used, or of one medium, of
 * media with poles or of conductors around the place (1.5 cells). */
int tor_flat_along(const struct tor_columns *c, const struct tor_nearby *near, int comp, const int at[3],
                   struct tor_edge_half *value);

#endif
