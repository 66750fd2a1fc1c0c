/* One column's media: see column_media.h. */
#include "src/model/column_media.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/periodic_objects.h"
#include "src/model/coefficient.h"
#include "src/model/column.h"
#include "src/model/damping.h"
#include "src/model/nearby.h"
#include "src/model/surface.h"

struct tor_column tor_column_new(const struct tor_slab *slab) {
  size_t nzp = (size_t)slab->nzp, nd = (size_t)slab->ndispersion;
  return (struct tor_column){tor_alloc(6 * nzp, sizeof(double), "columns"),
                             tor_alloc(6 * nzp, sizeof(double), "columns"),
                             tor_alloc(3 * nd * TOR_COLUMN_KINDS * TOR_BRANCH_WEIGHTS * nzp, sizeof(double), "columns"),
                             tor_alloc(3 * nd * TOR_COLUMN_KINDS, 1, "columns"),
                             tor_alloc(nzp, sizeof(struct tor_node), "columns"),
                             tor_alloc(nzp, sizeof(struct tor_node), "columns"),
                             {-1, -1}};
}

void tor_column_free(struct tor_column *c) {
  free(c->cb);
  free(c->ca1);
  free(c->share);
  free(c->present);
  free(c->node);
  free(c->beyond);
}

static int medium_index(const struct tor_columns *c, int medium) { return medium < 0 ? c->job->background : medium; }

/* Whether the whole box lies in one medium: by tor_object_holds_box, or where that is undecided by 27 points of the box
 * and the objects' faces. A face of an object's bounds inside the box may hide a thin part; a curved surface reaches
 * between two points by less than a hundredth of a cell. */
static int uniform_box(const struct tor_columns *c, const struct tor_nearby *near, const double lo[3],
                       const double hi[3], int *medium) {
  const int *list = near->seen, nlist = near->nseen;
  int holds;
  *medium = -1;
  if (lo[2] > near->hi_z || hi[2] < near->lo_z) return 1;
  const int top = tor_objects_top(c->job->objects, list, nlist, lo, hi, &holds);
  if (top < 0 || holds) { /* the last object that is not outside the box contains all of it, or there is none */
    *medium = top < 0 ? -1 : c->job->objects[list[top]].medium;
    return 1;
  }
  for (int i = 0; i < near->n; i++) {
    const double *blo = c->objects.lo[near->list[i]], *bhi = c->objects.hi[near->list[i]];
    int outside = 0, cut = 0;
    for (int a = 0; a < 3; a++) {
      outside |= bhi[a] <= lo[a] || blo[a] >= hi[a];
      cut |= (blo[a] > lo[a] && blo[a] < hi[a]) || (bhi[a] > lo[a] && bhi[a] < hi[a]);
    }
    if (cut && !outside) return 0;
  }
  for (int p = 0; p < 27; p++) {
    /* Just inside the corners, so that a face that coincides with a side of the box does not count. */
    const double f[3] = {1e-6, 0.5, 1 - 1e-6};
    double x[3] = {lo[0] + f[p % 3] * (hi[0] - lo[0]), lo[1] + f[p / 3 % 3] * (hi[1] - lo[1]),
                   lo[2] + f[p / 9] * (hi[2] - lo[2])};
    const int on_top = tor_objects_at(c->job->objects, list, nlist, x);
    const int here = on_top < 0 ? -1 : c->job->objects[list[on_top]].medium;
    if (p == 0) *medium = here;
    if (here != *medium) return 0;
  }
  return 1;
}

/* Value `which` of a kind of poles at z; marks the kind as present. */
static double *share_at(const struct tor_slab *slab, struct tor_column *col, int comp, int d, int kind, int which,
                        int z) {
  size_t k = ((size_t)comp * (size_t)slab->ndispersion + (size_t)d) * TOR_COLUMN_KINDS + (size_t)kind;
  col->present[k] = 1;
  return &col->share[(k * TOR_BRANCH_WEIGHTS + (size_t)which) * (size_t)slab->nzp + (size_t)z];
}

static struct tor_coefficient set_coefficient(const struct tor_columns *c, struct tor_column *col, int comp, int z,
                                              const struct tor_mix *mix) {
  const struct tor_coefficient k = mix->count == 1 ? c->pure[medium_index(c, mix->medium[0]) * TOR_NCOMP + comp]
                                                   : tor_coefficient_make(c->job, c->grid, comp, mix);
  col->cb[comp * c->slab->nzp + z] = k.cb;
  col->ca1[comp * c->slab->nzp + z] = k.ca1;
  return k;
}

static void set_point(const struct tor_columns *c, struct tor_column *col, int comp, int z, const struct tor_mix *mix) {
  const struct tor_slab *slab = c->slab;
  const struct tor_coefficient k = set_coefficient(c, col, comp, z, mix);
  if (tor_comp_is_h(comp)) return;
  for (int i = 0; i < mix->count; i++) {
    int d = c->dispersion[medium_index(c, mix->medium[i])];
    if (d < 0 || mix->constant[i] > 0) continue;
    if (k.branch.used) {
      *share_at(slab, col, comp, d, 1, 0, z) = k.branch.weight;
      *share_at(slab, col, comp, d, 1, 1, z) = k.branch.a;
      *share_at(slab, col, comp, d, 1, 2, z) = k.branch.g;
      *share_at(slab, col, comp, d, 1, 3, z) = k.branch.r;
    } else {
      *share_at(slab, col, comp, d, 0, 0, z) += mix->share[i];
    }
  }
}

/* Whether an object ends at x along an axis, to a millionth of a cell. */
static int ends_at(const struct tor_columns *c, const struct tor_nearby *near, int axis, double x) {
  const double tolerance = 1e-6 * c->grid->d[axis];
  for (int i = 0; i < near->nseen; i++) {
    double lo[3], hi[3];
    tor_object_bounds(&c->job->objects[near->seen[i]], lo, hi);
    if (fabs(lo[axis] - x) < tolerance || fabs(hi[axis] - x) < tolerance) return 1;
  }
  return 0;
}

/* A wall is a mirror: the cell on it holds twice what its inner half does. Where objects continue beyond the wall that
 * is what the whole cell holds; one that ends there is cut with the cell. At the plane of a job's symmetry
 * the objects of both sides are there. Returns a bit mask of the axes. */
static int cut_at_walls(const struct tor_columns *c, const struct tor_nearby *near, double lo[3], double hi[3]) {
  const struct tor_grid *g = c->grid;
  int cut = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2;
    const double wall = g->lo[a] + (f % 2 ? g->n[a] * g->d[a] : 0), beyond = f % 2 ? hi[a] - wall : wall - lo[a];
    if ((g->plane && a == TOR_X) || tor_grid_periodic(g, a) || (g->mirror[a] && f % 2 == 0) || beyond < 0.25 * g->d[a])
      continue;
    if (!ends_at(c, near, a, wall)) continue;
    (f % 2 ? hi : lo)[a] = wall;
    cut |= 1 << a;
  }
  return cut;
}

/* Normals lie in the mirrors that cut a cell, unless they stand on them. */
static void mirror_normal(int cut, double normal[3]) {
  double square = 0;
  for (int a = 0; a < 3; a++) square += cut >> a & 1 ? 0 : normal[a] * normal[a];
  if (!cut || square < 1e-12) return;
  for (int a = 0; a < 3; a++) normal[a] = cut >> a & 1 ? 0 : normal[a] / sqrt(square);
}

/* The contents of the cell around x. */
static struct tor_mix mix_around(const struct tor_columns *c, const struct tor_nearby *near, const double x[3]) {
  const int samples = c->job->averaging == TOR_AVERAGE_STAIRCASE ? 1 : c->job->samples;
  struct tor_mix mix = {.count = 1, .share = {1}};
  double lo[3], hi[3];
  for (int a = 0; a < 3; a++) {
    const double edge = c->grid->d[c->grid->plane && a == TOR_X ? TOR_Y : a]; /* 2-D: nothing varies along x */
    lo[a] = x[a] - 0.5 * edge;
    hi[a] = x[a] + 0.5 * edge;
  }
  const int cut = cut_at_walls(c, near, lo, hi);
  if (samples == 1 || !uniform_box(c, near, lo, hi, &mix.medium[0]))
    (c->job->averaging == TOR_AVERAGE_TENSOR ? tor_geometry_mix_lines : tor_geometry_mix)(
        c->job->objects, near->seen, near->nseen, lo, hi, samples, &mix);
  mirror_normal(cut, mix.normal);
  for (int m = 0; m < mix.count; m++) mirror_normal(cut, mix.of_medium[m]);
  return mix;
}

/* The node i, j, k. */
static struct tor_node node_at(const struct tor_columns *c, const struct tor_nearby *near, const int at[3]) {
  const struct tor_grid *grid = c->grid;
  /* The cell's corners. */
  const double radius = 0.5 * hypot(grid->plane ? 0 : grid->d[0], hypot(grid->d[1], grid->d[2]));
  double x[3], normal[3], square = 0;
  int medium = 0, axis = 0;
  for (int a = 0; a < 3; a++) x[a] = grid->lo[a] + at[a] * grid->d[a];
  const struct tor_mix mix = mix_around(c, near, x);
  struct tor_node node = tor_surface_node(c->job, &mix, &medium);
  if (node.kind != TOR_NODE_MOVES) return node;
  if (c->node_factor == 0) return (struct tor_node){.kind = TOR_NODE_OTHER}; /* no time step left for nodes */
  for (int a = 1; a < 3; a++)
    if (fabs(mix.normal[a]) > fabs(mix.normal[axis])) axis = a;
  tor_geometry_normal(c->job->objects, near->seen, near->nseen, x, radius, 2 * c->job->samples, axis,
                      mix.medium[medium], normal);
  for (int a = 0; a < 3; a++) {                           /* a wall is a mirror plane of the surface */
    if (at[a] == 0 || at[a] == grid->n[a]) normal[a] = 0; /* in 2-D along x, too */
    square += normal[a] * normal[a];
  }
  for (int a = 0; a < 3 && square > 0; a++) normal[a] /= sqrt(square);
  tor_surface_set_normal(&node, normal);
  return node;
}

/* The nodes of the column and of the one beyond it along y. */
static void fill_nodes(const struct tor_columns *c, struct tor_column *col, int ix, int iy,
                       const struct tor_nearby *near) {
  const int known = col->beyond_at[0] == ix && col->beyond_at[1] == iy;
  struct tor_node *node = col->beyond;
  col->beyond = col->node;
  col->node = node;
  for (int z = 0; z <= c->grid->n[2]; z++) {
    if (!known) col->node[z] = node_at(c, near, (const int[3]){ix, iy, z});
    if (iy < c->grid->n[1]) col->beyond[z] = node_at(c, near, (const int[3]){ix, iy + 1, z});
  }
  col->beyond_at[0] = ix;
  col->beyond_at[1] = iy + 1;
}

/* The nodes at the ends of an edge that begins at the column's node `at`; beyond the last edge any. */
static void find_ends(const struct tor_columns *c, const struct tor_column *col, const struct tor_nearby *near,
                      int axis, const int at[3], struct tor_node end[2]) {
  end[0] = end[1] = col->node[at[2]];
  if (at[axis] >= c->grid->n[axis]) return;
  end[1] = axis == TOR_X   ? node_at(c, near, (const int[3]){at[0] + 1, at[1], at[2]})
           : axis == TOR_Y ? col->beyond[at[2]]
                           : col->node[at[2] + 1];
}

/* One component of a column from the objects near it. */
static void fill_component(const struct tor_columns *c, struct tor_column *col, int comp, int ix, int iy,
                           const struct tor_nearby *near) {
  const struct tor_grid *g = c->grid;
  const struct tor_mix any = {.count = 1, .medium = {-1}, .share = {1}};
  if (!tor_comp_exists(g->plane, comp)) { /* no poles either */
    for (int z = 0; z <= g->n[2]; z++) set_coefficient(c, col, comp, z, &any);
    return;
  }
  if (c->alike[comp]) {
    for (int z = 0; z <= g->n[2]; z++) set_point(c, col, comp, z, &any);
    return;
  }
  for (int z = 0; z <= g->n[2]; z++) {
    const int at[3] = {ix, iy, z};
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = tor_grid_place(g, comp, a, at[a]);
    struct tor_mix mix = mix_around(c, near, x);
    tor_mix_resolve(c->job, comp, &mix);
    if (tor_job_has_nodes(c->job) && mix.count > 1 && !tor_comp_is_h(comp)) {
      struct tor_node end[2];
      find_ends(c, col, near, tor_comp_axis(comp), at, end);
      tor_surface_edge(end, tor_comp_axis(comp), &mix);
    }
    set_point(c, col, comp, z, &mix);
  }
}

void tor_column_node(const struct tor_columns *c, const struct tor_node *node, double weight[TOR_NODE_WEIGHTS]) {
  const int moves = node->kind == TOR_NODE_MOVES;
  for (int a = 0; a < 3; a++) weight[a] = moves ? node->normal[a] : 0;
  weight[3] = moves ? c->node_factor * node->g : 0;
}

void tor_column_store(const struct tor_slab *slab, void *array, tor_gidx first, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (slab->precision == TOR_F32)
      ((float *)array)[first + (tor_gidx)i] = (float)values[i];
    else
      ((double *)array)[first + (tor_gidx)i] = values[i];
}

void tor_column_fill(const struct tor_columns *c, struct tor_column *col, int ix, int iy,
                     const struct tor_nearby *near) {
  const size_t kinds = 3 * (size_t)c->slab->ndispersion * TOR_COLUMN_KINDS;
  memset(col->share, 0, kinds * TOR_BRANCH_WEIGHTS * (size_t)c->slab->nzp * sizeof *col->share);
  memset(col->present, 0, kinds);
  if (tor_job_has_nodes(c->job)) fill_nodes(c, col, ix, iy, near);
  for (int comp = 0; comp < TOR_NCOMP; comp++) fill_component(c, col, comp, ix, iy, near);
}

/* The slab's layered background, with the absorbers across z. */
static void store_background(struct tor_columns *c) {
  struct tor_slab *slab = c->slab;
  const size_t nzp = (size_t)slab->nzp;
  slab->cb = tor_alloc(TOR_NCOMP * nzp, (size_t)slab->precision, "background");
  slab->ca1 = tor_alloc(TOR_NCOMP * nzp, (size_t)slab->precision, "background");
  double *cb = tor_alloc(nzp, sizeof *cb, "background"), *ca1 = tor_alloc(nzp, sizeof *ca1, "background");
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    memcpy(cb, c->background.cb + (size_t)comp * nzp, nzp * sizeof *cb);
    memcpy(ca1, c->background.ca1 + (size_t)comp * nzp, nzp * sizeof *ca1);
    tor_damping_apply(slab, comp, 1, cb, ca1);
    slab->uniform[comp] = 1;
    for (int z = 0; z <= slab->n[2]; z++) slab->uniform[comp] &= cb[z] == cb[0];
    tor_column_store(slab, slab->cb, (tor_gidx)comp * slab->nzp, cb, nzp);
    tor_column_store(slab, slab->ca1, (tor_gidx)comp * slab->nzp, ca1, nzp);
  }
  free(cb);
  free(ca1);
}

struct tor_columns *tor_columns_new(const struct tor_job *job, const struct tor_grid *grid, struct tor_slab *slab) {
  enum { REACH = 2 };
  struct tor_columns *c = tor_alloc(1, sizeof *c, "columns");
  c->grid = grid;
  c->job = job = tor_job_with_copies(job, grid, REACH, &c->periodic);
  c->slab = slab;
  c->node_factor = tor_surface_coef(job, grid, &slab->node);
  slab->has_nodes = tor_job_has_nodes(job);
  c->dispersion = tor_alloc((size_t)job->nmedia, sizeof *c->dispersion, "columns");
  c->pure = tor_alloc((size_t)job->nmedia * TOR_NCOMP, sizeof *c->pure, "columns");
  tor_object_index_make(job, &c->objects);
  slab->dispersion = tor_alloc((size_t)job->nmedia, sizeof *slab->dispersion, "columns");
  for (int m = 0; m < job->nmedia; m++) {
    struct tor_mix pure = {.count = 1, .medium = {m}, .share = {1}};
    for (int comp = 0; comp < TOR_NCOMP; comp++) {
      struct tor_coefficient *k = &c->pure[m * TOR_NCOMP + comp];
      *k = tor_coefficient_make(job, grid, comp, &pure);
      c->alike[comp] = tor_comp_is_h(comp) &&
                       (m == 0 || (c->alike[comp] && k->cb == c->pure[comp].cb && k->ca1 == c->pure[comp].ca1));
    }
    c->dispersion[m] = -1;
    if (!job->media[m].npoles) continue;
    c->dispersion[m] = slab->ndispersion;
    tor_dispersion_make(&job->media[m], grid, &slab->dispersion[slab->ndispersion++]);
  }
  c->layers = tor_nearby_new(&c->objects);
  for (int o = 0; o < job->nobjects; o++) {
    if (job->objects[o].shape == TOR_LAYER && job->objects[o].axis == TOR_Z) c->layers.list[c->layers.n++] = o;
  }
  tor_nearby_complete(&c->objects, &c->layers);
  c->background = tor_column_new(slab);
  tor_column_fill(c, &c->background, 0, 0, &c->layers);
  c->damped_z = tor_damping_make(job, grid, slab);
  store_background(c);
  return c;
}

void tor_columns_free(struct tor_columns *c) {
  if (!c) return;
  tor_column_free(&c->background);
  free(c->dispersion);
  free(c->pure);
  tor_object_index_free(&c->objects);
  tor_nearby_free(&c->layers);
  tor_job_copies_free(c->job, &c->periodic);
  free(c);
}

const double *tor_columns_cb(const struct tor_columns *c) { return c->background.cb; }
const double *tor_columns_ca1(const struct tor_columns *c) { return c->background.ca1; }
int tor_columns_dispersive_background(const struct tor_columns *c) { return c->dispersion[c->job->background] >= 0; }
