/* One column's media: see column_media.h. */
#include "src/model/column_media.h"

#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/periodic_objects.h"
#include "src/model/alike.h"
#include "src/model/cell.h"
#include "src/model/coefficient.h"
#include "src/model/column.h"
#include "src/model/column_nodes.h"
#include "src/model/damping.h"
#include "src/model/flat_walls.h"
#include "src/model/grading.h"
#include "src/model/layers.h"
#include "src/model/metal.h"
#include "src/model/nearby.h"
#include "src/model/pec.h"
#include "src/model/node_cache.h"
#include "src/model/surface.h"

struct tor_column tor_column_new(const struct tor_slab *slab) {
  size_t nzp = (size_t)slab->nzp, nd = (size_t)slab->ndispersion;
  return (struct tor_column){tor_alloc(6 * nzp, sizeof(double), "columns"),
                             tor_alloc(6 * nzp, sizeof(double), "columns"),
                             tor_alloc(3 * nd * TOR_COLUMN_KINDS * TOR_BRANCH_WEIGHTS * nzp, sizeof(double), "columns"),
                             tor_alloc(3 * nd * TOR_COLUMN_KINDS, 1, "columns"),
                             tor_alloc(2 * nzp, 1, "columns"),
                             tor_alloc(nzp, sizeof(struct tor_node), "columns"),
                             tor_alloc(nzp, sizeof(struct tor_node), "columns"),
                             {-1, -1},
                             tor_alloc(TOR_METAL_WEIGHTS * nzp, sizeof(double), "columns"),
                             0,
                             tor_alloc(TOR_METAL_COLUMNS * nzp, sizeof(struct tor_metal_part), "columns"),
                             NULL,
                             NULL,
                             NULL,
                             {.face = NULL}};
}

void tor_column_free(struct tor_column *c) {
  free(c->cb);
  free(c->ca1);
  free(c->share);
  free(c->present);
  free(c->alike);
  free(c->node);
  free(c->beyond);
  free(c->metal_weight);
  free(c->metal);
  tor_node_cache_free(c->cut);
  tor_node_cache_free(c->metal_cube);
  tor_node_cache_free(c->metal_box);
  free(c->faces.face);
}

static int medium_index(const struct tor_columns *c, int medium) { return medium < 0 ? c->job->background : medium; }

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

static void set_halves(const struct tor_columns *c, struct tor_column *col, int comp, int z,
                       const struct tor_edge_half half[2]) {
  const struct tor_coefficient k = tor_coefficient_of_halves(c->grid, comp, half);
  col->cb[comp * c->slab->nzp + z] = k.cb;
  col->ca1[comp * c->slab->nzp + z] = k.ca1;
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

/* What set_point made of the cell below z. */
static void copy_point(const struct tor_slab *slab, struct tor_column *col, int comp, int z) {
  double *const of[2] = {col->cb, col->ca1};
  for (int i = 0; i < 2; i++) of[i][comp * slab->nzp + z] = of[i][comp * slab->nzp + z - 1];
  if (tor_comp_is_h(comp)) return;
  for (int d = 0; d < slab->ndispersion; d++)
    for (int kind = 0; kind < TOR_COLUMN_KINDS; kind++)
      if (col->present[(comp * slab->ndispersion + d) * TOR_COLUMN_KINDS + kind])
        for (int which = 0; which < TOR_BRANCH_WEIGHTS; which++) {
          const double *below = share_at(slab, col, comp, d, kind, which, z - 1);
          *share_at(slab, col, comp, d, kind, which, z) = *below;
        }
}

/* The mixture without its metals; no media: count 0. */
static struct tor_mix without_metals(const struct tor_columns *c, const struct tor_mix *mix) {
  struct tor_mix rest = *mix;
  double others = 0;
  rest.count = 0;
  for (int i = 0; i < mix->count; i++) {
    if (tor_metal_medium_in(c->job, c->metals, mix, i)->is_metal) continue;
    rest.medium[rest.count] = mix->medium[i];
    rest.share[rest.count++] = mix->share[i];
    others += mix->share[i];
  }
  for (int i = 0; i < rest.count; i++) rest.share[i] /= others;
  return rest;
}

/* An edge beside nodes of metals: half of it from each end. An end in metal has its poles, one at a cut node the
 * dielectric without poles, the third kind all of the dielectric, as beside other nodes. mix: the cell's contents. */
static void set_beside_metal(const struct tor_columns *c, struct tor_column *col, const struct tor_nearby *near,
                             int comp, const int at[3], const struct tor_metal_part *const end[2],
                             const struct tor_mix *mix) {
  const struct tor_job *job = c->job;
  const int axis = tor_comp_axis(comp), z = at[2];
  struct tor_mix rest = without_metals(c, mix);
  struct tor_edge_half half[2];
  struct tor_node node[2];
  if (rest.count > 1) tor_column_ends(c, col, near, axis, at, node);
  for (int e = 0; e < 2; e++) {
    const struct tor_metal_part *part = end[e];
    const int cut = tor_metal_is_cut(part), pure = part->is_bulk;
    half[e] = (struct tor_edge_half){.eps = part->beside};
    if (pure) {
      const int m = medium_index(c, part->medium);
      half[e].eps = job->media[m].eps[axis];
      *share_at(c->slab, col, comp, c->dispersion[m], 0, 0, z) += 0.5;
      continue;
    }
    if (!rest.count) continue;
    rest.ends_in_series = rest.ends_flat = 0;
    if (!cut && rest.count > 1) tor_surface_edge((const struct tor_node[2]){node[e], node[e]}, axis, &rest);
    half[e] = tor_edge_half_make(job, c->grid, comp, &rest, !cut);
    for (int i = 0; i < rest.count && !cut; i++) {
      const int d = c->dispersion[medium_index(c, rest.medium[i])];
      if (d >= 0) *share_at(c->slab, col, comp, d, 0, 0, z) += 0.5 * rest.share[i];
    }
  }
  set_halves(c, col, comp, z, half);
}

static int has_poles(const struct tor_columns *c, const struct tor_mix *mix) {
  for (int i = 0; i < mix->count && mix->count > 1; i++)
    if (c->dispersion[medium_index(c, mix->medium[i])] >= 0) return 1;
  return 0;
}

/* A place all around which walls are flat, or along all of them, with their own means. Returns 0 where it is none. */
static int fill_flat(const struct tor_columns *c, struct tor_column *col, int comp, const int at[3],
                     const struct tor_nearby *near) {
  struct tor_mix pure = {.count = 1, .share = {1}};
  struct tor_edge_half half;
  const enum tor_flat_place place = tor_flat_place(c, near, comp, at, &pure.medium[0], &half);
  if (place == TOR_FLAT_NONE && !tor_flat_along(c, near, comp, at, &half)) return 0;
  if (place == TOR_FLAT_PURE) {
    set_coefficient(c, col, comp, at[2], &pure);
    return 1;
  }
  if (c->slab->has_nodes && !tor_comp_is_h(comp)) { /* beside a node that moves it has the node's rule */
    struct tor_node end[2];
    tor_column_ends(c, col, near, tor_comp_axis(comp), at, end);
    if (end[0].kind == TOR_NODE_MOVES || end[1].kind == TOR_NODE_MOVES) return 0;
  }
  set_halves(c, col, comp, at[2], (const struct tor_edge_half[2]){half, half});
  return 1;
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
  if (c->alike[comp]) { /* H: no poles */
    const struct tor_coefficient *k = &c->pure[medium_index(c, -1) * TOR_NCOMP + comp];
    for (int z = 0; z <= g->n[2]; z++) {
      col->cb[comp * c->slab->nzp + z] = k->cb;
      col->ca1[comp * c->slab->nzp + z] = k->ca1;
    }
    return;
  }
  const char *alike = col->alike + tor_comp_half(comp, TOR_Z) * c->slab->nzp;
  for (int z = 0; z <= g->n[2]; z++) {
    const int at[3] = {ix, iy, z};
    double x[3], lo[3], hi[3];
    if (alike[z]) {
      copy_point(c->slab, col, comp, z);
      continue;
    }
    if (fill_flat(c, col, comp, at, near)) continue;
    tor_cell_bounds(c, comp, at, x, lo, hi);
    struct tor_mix mix = tor_cell_mix(c, near, x, lo, hi);
    if (c->reach == TOR_REACH_METALS && !tor_comp_is_h(comp)) {
      const struct tor_metal_part *end[2];
      tor_column_metal_ends(c, col, tor_comp_axis(comp), z, end);
      if (end[0]->share > 1e-6 || end[1]->share > 1e-6) {
        set_beside_metal(c, col, near, comp, at, end, &mix);
        continue;
      }
    }
    mix.through = has_poles(c, &mix) && tor_cell_goes_through(c, near, tor_comp_axis(comp));
    tor_mix_resolve(c->job, comp, &mix);
    if (tor_job_has_nodes(c->job) && mix.count > 1 && !tor_comp_is_h(comp) && !(g->angular && comp == TOR_EX)) {
      struct tor_node end[2];
      tor_column_ends(c, col, near, tor_comp_axis(comp), at, end);
      tor_surface_edge(end, tor_comp_axis(comp), &mix);
    }
    set_point(c, col, comp, z, &mix);
  }
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
  for (int half = 0; half < 2; half++) tor_column_alike(c, near, half, col->alike + half * c->slab->nzp);
  if (tor_job_has_nodes(c->job)) tor_column_fill_nodes(c, col, ix, iy, near);
  for (int comp = 0; comp < TOR_NCOMP; comp++) fill_component(c, col, comp, ix, iy, near);
  if (col != &c->background) tor_column_add_designs(c, col, ix, iy);
  tor_column_add_sheets(c, col, ix, iy);
  if (c->conducts) tor_pec_apply(c, col, ix, iy, near);
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

/* The poles of nodes, once their coefficients are known. */
static void make_magnetised(struct tor_columns *c) {
  const struct tor_job *job = c->job;
  struct tor_slab *slab = c->slab;
  struct tor_magnetised *first;
  c->magnetised = tor_alloc((size_t)job->nmedia, sizeof *c->magnetised, "columns");
  slab->magnetised = tor_alloc((size_t)job->nmedia + 1, sizeof *slab->magnetised, "columns");
  first = &slab->magnetised[slab->nmagnetised++];
  for (int a = 0; a < 3; a++) {
    first->keep[4 * a] = first->turn[4 * a] = 1;
    first->drive[a] = slab->node.out[a];
  }
  first->restore = slab->node.restore;
  first->rest = 1;
  for (int m = 0; m < job->nmedia; m++) {
    const struct tor_medium *medium = &job->media[m];
    if (!medium->has_node_pole && !medium->has_chi2) continue;
    struct tor_magnetised *made = &slab->magnetised[slab->nmagnetised];
    c->magnetised[m] = slab->nmagnetised++;
    if (medium->has_node_pole)
      tor_magnetised_make(medium, c->grid, made);
    else
      *made = *first;
    slab->has_gain |= medium->saturation > 0 && tor_job_uses_medium(job, m);
    memcpy(made->chi2, medium->chi2, sizeof made->chi2);
  }
}

struct tor_columns *tor_columns_new(const struct tor_job *job, const struct tor_grid *grid, struct tor_slab *slab) {
  struct tor_columns *c = tor_alloc(1, sizeof *c, "columns");
  c->grid = grid;
  c->job = job = tor_job_with_copies(job, grid, tor_columns_reach(grid), &c->periodic);
  c->slab = slab;
  c->node_factor = tor_surface_coef(job, grid, &slab->node);
  slab->has_nodes = tor_job_has_nodes(job);
  c->reach = slab->has_nodes ? TOR_REACH_NODES : TOR_REACH_CELL;
  for (int m = 0; m < job->nmedia && tor_job_has_surface_nodes(job); m++)
    if (tor_is_metal(job, &job->media[m])) c->reach = TOR_REACH_METALS;
  c->conducts = tor_pec_any(job);
  c->flat = tor_flat_rule(job, grid);
  const enum tor_reach walls = !c->flat.used ? TOR_REACH_CELL : grid->order == 4 ? TOR_REACH_WALLS : TOR_REACH_HATS;
  c->around = c->conducts ? TOR_REACH_CONDUCTORS : c->reach;
  if (c->around < walls) c->around = walls;
  if (c->reach == TOR_REACH_METALS) {
    c->metal = tor_metal_coef(job, grid, NULL);
    c->metals = tor_metal_media(job);
  }
  make_magnetised(c);
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
  for (int o = 0; o < job->nobjects; o++)
    if (tor_object_is_layer(&job->objects[o], TOR_Z)) c->layers.list[c->layers.n++] = o;
  tor_nearby_complete(&c->objects, &c->layers);
  c->background = tor_column_new(slab);
  tor_column_fill(c, &c->background, 0, 0, &c->layers);
  c->layers_cb = tor_alloc(TOR_NCOMP * (size_t)slab->nzp, sizeof *c->layers_cb, "columns");
  memcpy(c->layers_cb, c->background.cb, TOR_NCOMP * (size_t)slab->nzp * sizeof *c->layers_cb);
  if (job->node_media) c->layers_tensor = tor_alloc((size_t)slab->nzp, 1, "columns");
  for (int z = 0; z <= grid->n[2] && job->node_media && c->background.metal_poles < 0; z++)
    c->layers_tensor[z] = (char)tor_column_has_node(c, &c->background, z);
  tor_grading_apply(c, &c->background, 0, 0, 0, 1);
  c->damped_z = tor_damping_make(job, grid, slab);
  store_background(c);
  return c;
}

void tor_columns_free(struct tor_columns *c) {
  if (!c) return;
  tor_column_free(&c->background);
  free(c->layers_cb);
  free(c->layers_tensor);
  free(c->dispersion);
  free(c->pure);
  free(c->metals);
  free(c->magnetised);
  tor_object_index_free(&c->objects);
  tor_nearby_free(&c->layers);
  tor_job_copies_free(c->job, &c->periodic);
  free(c);
}

struct tor_layers tor_columns_layers(const struct tor_columns *c) {
  const struct tor_column *col = &c->background;
  struct tor_layers layers = {.cb = c->layers_cb,
                              .ca1 = col->ca1,
                              .nzp = c->slab->nzp,
                              .tensor = c->layers_tensor,
                              .poles = c->dispersion[c->job->background] >= 0,
                              .share = col->share,
                              .ndispersion = c->slab->ndispersion,
                              .dispersion = c->slab->dispersion};
  for (int z = 0; z <= c->grid->n[2] && c->slab->has_nodes; z++) layers.nodes |= tor_column_has_node(c, col, z);
  return layers;
}
