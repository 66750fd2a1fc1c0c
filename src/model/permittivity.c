/* The permittivity on the grid: see permittivity.h. */
#include "src/model/permittivity.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/column.h"
#include "src/model/column_media.h"
#include "src/model/model.h"
#include "src/model/nearby.h"
#include "src/model/response.h"

struct tor_permittivity {
  struct tor_grid grid;
  struct tor_model model;
  struct tor_columns *columns;
  struct tor_responses responses;
  int values, first; /* at each point, numbers of frequencies from `first` on: -1, the infinite one, or 0 */
  int nparts;
  struct tor_permittivity_part part[TOR_PERMITTIVITY_PARTS];
};

/* Points of a kind in a box: of a component, or comp -1, nodes. */
struct points {
  int comp;
  const int *first, *count;
};

/* --- Parts --- */

static void add_part(struct tor_permittivity *p, const struct tor_monitor *m, int a, int b, int comp) {
  struct tor_permittivity_part *part = &p->part[p->nparts++];
  *part = (struct tor_permittivity_part){.a = a, .b = b, .comp = comp};
  for (int axis = 0; axis < 3; axis++) {
    const int lo = comp < 0 ? tor_grid_node(&p->grid, axis, m->lo[axis])
                            : tor_grid_nearest(&p->grid, comp, axis, m->lo[axis]),
              hi = comp < 0 ? tor_grid_node(&p->grid, axis, m->hi[axis])
                            : tor_grid_nearest(&p->grid, comp, axis, m->hi[axis]);
    const int uniform = axis == TOR_X && (p->grid.plane || p->grid.angular);
    part->first[axis] = lo;
    part->count[axis] = uniform ? 1 : hi - lo + 1;
  }
}

/* Whether a medium's elements xy and yx differ. */
static int any_turns(const struct tor_job *job) {
  int any = 0;
  for (int m = 0; m < job->nmedia; m++)
    for (int a = 0; a < 3; a++)
      any |= job->media[m].has_node_pole && job->media[m].cyclotron[a] != 0 && tor_job_uses_medium(job, m);
  return any;
}

static void list_parts(struct tor_permittivity *p, const struct tor_job *job, const struct tor_monitor *m) {
  const struct tor_grid *g = &p->grid;
  for (int a = 0; a < 3; a++)
    if (tor_comp_exists(g->plane, TOR_EX + a)) add_part(p, m, a, a, TOR_EX + a);
  if (!tor_job_has_nodes(job)) return;
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3; /* yz, zx, xy */
    if ((g->plane || g->angular) && (b == TOR_X || c == TOR_X)) continue;
    add_part(p, m, b, c, -1);
    if (any_turns(job)) add_part(p, m, c, b, -1);
  }
}

int tor_permittivity_parts(const struct tor_permittivity *p, const struct tor_permittivity_part **part) {
  *part = p->part;
  return p->nparts;
}

double tor_permittivity_bytes(const struct tor_grid *grid, const struct tor_monitor *m) {
  double points = m->nwavelength > 1 ? m->nwavelength : 1;
  for (int a = 0; a < 3; a++) points *= tor_grid_node(grid, a, m->hi[a]) - tor_grid_node(grid, a, m->lo[a]) + 2;
  return 2 * sizeof(double complex) * points;
}

/* --- Points --- */

/* Takes an index into the grid, along an axis; *sign: of a vector's part along the axis at the image. */
static int inside(const struct tor_grid *g, int comp, int axis, int i, int *sign) {
  const int half = comp >= 0 && tor_comp_half(comp, axis);
  *sign = 1;
  tor_grid_wrap(g, axis, &i);
  if (!g->mirror[axis] || i >= 0) return i;
  *sign = -1;
  return -i - half;
}

struct worker {
  struct tor_column column;
  struct tor_nearby near;
  int at[2]; /* the column's; -1: none yet */
};

static void take_column(const struct tor_permittivity *p, struct worker *w, int ix, int iy) {
  const struct tor_columns *c = p->columns;
  if (w->at[0] == ix && w->at[1] == iy) return;
  w->near.n = tor_object_index_near(&c->objects, c->grid, ix, iy, c->around, w->near.list);
  tor_nearby_complete(&c->objects, &w->near);
  tor_column_fill(c, &w->column, ix, iy, &w->near);
  w->at[0] = ix, w->at[1] = iy;
}

/* The values at the points ix, iy of a part's element (a, b): of edges, or what nodes have. */
static void take_points(const struct tor_permittivity *p, struct worker *w, const struct points *of,
                        const struct tor_permittivity_part *part, int i, int j, double complex *values) {
  const size_t pitch = (size_t)of->count[0] * (size_t)of->count[1] * (size_t)of->count[2];
  int sign[3];
  const int ix = inside(&p->grid, of->comp, TOR_X, of->first[0] + i, &sign[0]),
            iy = inside(&p->grid, of->comp, TOR_Y, of->first[1] + j, &sign[1]);
  take_column(p, w, ix, iy);
  for (int k = 0; k < of->count[2]; k++) {
    const int iz = inside(&p->grid, of->comp, TOR_Z, of->first[2] + k, &sign[2]);
    for (int v = 0; v < p->values; v++) {
      double complex *to = values + (size_t)v * pitch + (size_t)k, all[3][3];
      if (of->comp >= 0) {
        *to = tor_responses_permittivity(&p->responses, &w->column, of->comp, iz, p->first + v);
        continue;
      }
      tor_responses_node(&p->responses, &w->column, iz, p->first + v, all);
      *to = part->a == part->b ? all[part->a][part->b] : sign[part->a] * sign[part->b] * all[part->a][part->b];
    }
  }
}

/* values: [values][count[0]][count[1]][count[2]]. */
static void fill_points(const struct tor_permittivity *p, const struct points *of,
                        const struct tor_permittivity_part *part, double complex *values) {
  const int columns = of->count[0] * of->count[1];
#pragma omp parallel
  {
    struct worker w = {tor_column_new(p->columns->slab), tor_nearby_new(&p->columns->objects), {-1, -1}};
#pragma omp for schedule(dynamic, 16)
    for (int i = 0; i < columns; i++)
      take_points(p, &w, of, part, i / of->count[1], i % of->count[1], values + (size_t)i * (size_t)of->count[2]);
    tor_column_free(&w.column);
    tor_nearby_free(&w.near);
  }
}

/* Adds to edges the mean of what the nodes at both ends have. */
static void add_nodes(const struct tor_permittivity *p, const struct tor_permittivity_part *part,
                      double complex *values) {
  const int *n = part->count, a = part->a;
  int count[3] = {n[0], n[1], n[2]};
  count[a]++;
  const struct points nodes = {-1, part->first, count};
  const size_t all = (size_t)count[0] * (size_t)count[1] * (size_t)count[2];
  const size_t step = a == TOR_X ? (size_t)count[1] * (size_t)count[2] : a == TOR_Y ? (size_t)count[2] : 1;
  double complex *node = tor_alloc(all * (size_t)p->values, sizeof *node, "permittivity");
  fill_points(p, &nodes, part, node);
  for (int v = 0; v < p->values; v++)
    for (int i = 0; i < n[0]; i++)
      for (int j = 0; j < n[1]; j++) {
        const double complex *from =
            node + (size_t)v * all + ((size_t)i * (size_t)count[1] + (size_t)j) * (size_t)count[2];
        for (int k = 0; k < n[2]; k++) *values++ += 0.5 * (from[k] + from[(size_t)k + step]);
      }
  free(node);
}

void tor_permittivity_fill(const struct tor_permittivity *p, const struct tor_permittivity_part *part,
                           double complex *values) {
  const struct points points = {part->comp, part->first, part->count};
  fill_points(p, &points, part, values);
  if (part->comp >= 0 && p->columns->slab->has_nodes && !(p->grid.angular && part->a == TOR_X))
    add_nodes(p, part, values);
}

struct tor_permittivity *tor_permittivity_new(const struct tor_job *job, const struct tor_grid *grid,
                                              const struct tor_monitor *m) {
  struct tor_permittivity *p = tor_alloc(1, sizeof *p, "permittivity");
  double *omega = tor_alloc((size_t)m->nwavelength, sizeof *omega, "permittivity");
  p->grid = *grid;
  p->model.job = job;
  tor_model_size_slab(job, &p->grid, &p->model.slab);
  p->columns = tor_columns_new(job, &p->grid, &p->model.slab);
  for (int q = 0; q < m->nwavelength; q++) omega[q] = 2 * TOR_PI * TOR_C0 / m->wavelength[q];
  tor_responses_make(p->columns, omega, m->nwavelength, &p->responses);
  p->values = m->nwavelength ? m->nwavelength : 1;
  p->first = m->nwavelength ? 0 : -1;
  list_parts(p, job, m);
  free(omega);
  return p;
}

void tor_permittivity_free(struct tor_permittivity *p) {
  tor_responses_free(&p->responses);
  tor_columns_free(p->columns);
  tor_model_free(&p->model);
  free(p);
}
