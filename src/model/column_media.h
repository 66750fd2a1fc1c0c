/* One column's media, from the objects near it and the background. Used by column.c alone. */
#ifndef TOR_SRC_MODEL_COLUMN_MEDIA_H
#define TOR_SRC_MODEL_COLUMN_MEDIA_H

#include "diamond/core/slab.h"
#include "src/job/grid.h"
#include "src/model/coefficient.h"
#include "src/model/flat_walls.h"
#include "src/model/metal.h"
#include "src/model/nearby.h"
#include "src/model/pec.h"
#include "src/model/surface.h"

struct tor_node_cache;

enum { TOR_COLUMN_KINDS = 2 /* of poles */, TOR_METAL_COLUMNS = 5 };
/* Cells beyond a seam up to which columns see objects: the cubes of metals' nodes beside those on the wall; in order 4
 * walls beside a node one cell beyond it (flat_walls.h). */
static inline double tor_columns_reach(const struct tor_grid *grid) { return grid->order == 4 ? 5 : 4; }

/* One column's media: coefficients without absorbers and, for each E component, the volume fraction of each dispersive
 * medium. */
struct tor_column {
  double *cb, *ca1; /* [6][nzp] */
  /* Poles: driven by the cell's own field (weight), or by a branch's (weight, a, g, r). */
  double *share; /* [3][ndispersion][TOR_COLUMN_KINDS][TOR_BRANCH_WEIGHTS][nzp] */
  char *present; /* [3][ndispersion][TOR_COLUMN_KINDS] */
  char *alike;   /* [2][nzp] tor_column_alike of both halves; of nodes and faces the first */
  /* Surface nodes, [nzp]: of this column and of the next one along y, which is the one filled next as a rule. Where
   * nodes of metals are in this column, metal_poles is above 0 and all its nodes are in metal_weight; where nodes of
   * media with a full tensor are, it is TOR_TENSOR_NODES, of magnetised or Kerr media TOR_FULL_NODES, of
   * second order TOR_CHI2_NODES. */
  struct tor_node *node, *beyond;
  int beyond_at[2];             /* ix, iy of `beyond`; -1: not filled yet */
  double *metal_weight;         /* [TOR_METAL_WEIGHTS][nzp], as a run with metals has them (slab.h) */
  int metal_poles;              /* tor_pole_range.metal of that run */
  struct tor_metal_part *metal; /* [TOR_METAL_COLUMNS][nzp]: what metal is around this column's nodes, and of
                                   those at x - 1, x + 1, y - 1, y + 1; used where reach is METALS */
  /* Of the columns filled before: nodes whose cubes are cut, what metal is in cut cubes, and in the cubes around nodes
   * (metal_shares.h). NULL: none yet. */
  struct tor_node_cache *cut, *metal_cube, *metal_box;
  struct tor_pec_faces faces; /* used beside perfect conductors */
};

struct tor_columns {
  const struct tor_job *job; /* with copies of objects across seams */
  struct tor_job periodic;   /* that job, where copies are needed */
  const struct tor_grid *grid;
  struct tor_slab *slab;
  int *magnetised; /* [nmedia] index in tor_slab.magnetised, 0: none */
  int *dispersion; /* [nmedia] index among the slab's dispersions, -1 none */
  struct tor_object_index objects;
  struct tor_nearby layers;        /* objects that are layers across z: near every column */
  struct tor_coefficient *pure;    /* [nmedia][6] */
  int alike[TOR_NCOMP];            /* H: all media have the same coefficient, so geometry need not be evaluated */
  struct tor_column background;    /* where no object but layers across z is near */
  double *layers_cb;               /* [6][nzp] of it, as in cells of length tor_grid.d (grading.h) */
  char *layers_tensor;             /* [nzp] its nodes of media with a full tensor; NULL: the job has no such media */
  int damped_z;                    /* absorbers across z act */
  double node_factor;              /* of surface nodes' g (tor_surface_coef) */
  struct tor_metal_coef metal;     /* of surface nodes of metals */
  struct tor_metal_medium *metals; /* [nmedia]; NULL: reach is not METALS */
  enum tor_reach reach;            /* METALS: the job has such nodes */
  enum tor_reach around;           /* in which objects are looked up */
  int conducts;                    /* objects conduct perfectly (pec.h) */
  struct tor_flat_rule flat;       /* of flat walls */
};

/* Memory for one column; freed by tor_column_free. */
struct tor_column tor_column_new(const struct tor_slab *slab);
void tor_column_free(struct tor_column *column);
/* Whether a column is the background's: only layers across z are near, and no design is (column_designs.c). */
int tor_column_is_background(const struct tor_columns *c, const struct tor_nearby *near, int ix, int iy);
/* Gives the edges inside design regions their permittivities, in place of what objects have there. */
void tor_column_add_designs(const struct tor_columns *c, struct tor_column *column, int ix, int iy);
/* Whether a column has parts of sheets that the background has not; and gives its edges along sheets their poles and
 * permittivities, in addition to what they have; the background those of whole sheets across z. */
int tor_column_meets_sheets(const struct tor_columns *c, int ix, int iy);
void tor_column_add_sheets(const struct tor_columns *c, struct tor_column *column, int ix, int iy);
/* All components and nodes of a column from the objects near it, and from the designs unless it is the background. */
void tor_column_fill(const struct tor_columns *c, struct tor_column *col, int ix, int iy,
                     const struct tor_nearby *near);
/* Writes values to an array of the slab's precision from place `first` on. */
void tor_column_store(const struct tor_slab *slab, void *array, tor_gidx first, const double *values, size_t count);

#endif
