/* The media in a plane: see plane_media.h. */
#include "src/model/plane_media.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/sheet.h"
#include "src/model/coefficient.h"
#include "src/model/column.h"
#include "src/model/column_media.h"
#include "src/model/column_nodes.h"
#include "src/model/damping.h"
#include "src/model/metal.h"
#include "src/model/model.h"
#include "src/model/nearby.h"
#include "src/model/pml.h"

/* What is at work while planes are made. */
struct maker {
  const struct tor_columns *columns;
  int count;
  struct tor_plane_media *plane; /* [count], side by side */
  struct tor_column own;
  double *cb, *ca1; /* [nzp] of a component, with absorbers */
  struct tor_nearby near;
  size_t capacity[TOR_PLANES_MOST]; /* of each one's poles */
};

static void outline(const struct tor_job *job, int axis, int node, const int box[2][2], struct tor_plane_media *p) {
  *p = (struct tor_plane_media){.axis = axis, .next = (axis + 1) % 3, .last = (axis + 2) % 3, .node = node};
  tor_grid_make(job, &p->grid);
  const double wave_number = 2 * TOR_PI / tor_job_wavelength(job), index = tor_background_index(job);
  for (int s = 0; s < 2; s++) {
    const int a = s ? p->last : p->next, uniform = tor_plane_media_uniform(p, s);
    const int end = uniform ? 0 : box ? box[1][s] : p->grid.n[a];
    p->lo[s] = box && !uniform ? box[0][s] : 0;
    p->n[s] = end - p->lo[s];
    const int ends[2] = {p->lo[s] == 0, end == p->grid.n[a]};
    for (int side = 0; side < 2; side++) {
      const enum tor_wall wall = ends[side] ? tor_grid_wall(&p->grid, 2 * a + side) : TOR_PEC;
      p->wall[s][side] = wall == TOR_PERIODIC && !(ends[0] && ends[1]) ? TOR_PEC : wall;
    }
    p->layer[s] = tor_alloc(2 * (size_t)p->n[s] + 1, sizeof *p->layer[s], "plane");
    for (int u = 0; u <= 2 * p->n[s]; u++)
      p->layer[s][u] = tor_pml_at(&p->grid, a, 2 * p->lo[s] + u, index, wave_number);
  }
  p->npoints = (p->n[0] + 1) * (p->n[1] + 1);
  p->cb = tor_alloc((size_t)TOR_NCOMP * p->npoints, sizeof *p->cb, "plane");
  p->ca1 = tor_alloc((size_t)TOR_NCOMP * p->npoints, sizeof *p->ca1, "plane");
}

/* Poles of a component of E at z, of which plane number k has the point `point`. */
static void add_poles(struct maker *m, int k, const struct tor_column *col, int comp, int z, int point) {
  const struct tor_slab *slab = m->columns->slab;
  const size_t nzp = (size_t)slab->nzp;
  for (int d = 0; d < slab->ndispersion; d++) {
    const size_t first = ((size_t)comp * (size_t)slab->ndispersion + (size_t)d) * TOR_COLUMN_KINDS;
    const double *share = col->share + first * TOR_BRANCH_WEIGHTS * nzp, *of_branch = share + TOR_BRANCH_WEIGHTS * nzp;
    const int branch = of_branch[z] > 0;
    if (!branch && !(share[z] > 0)) continue;
    struct tor_plane_media *p = &m->plane[k];
    p->pole = tor_grow(p->pole, (size_t)p->npoles + 1, &m->capacity[k], sizeof *p->pole);
    struct tor_plane_pole *pole = &p->pole[p->npoles++];
    *pole = (struct tor_plane_pole){comp, point, d, branch, {0}};
    for (size_t i = 0; i < (branch ? TOR_BRANCH_WEIGHTS : 1); i++)
      pole->weight[i] = (branch ? of_branch : share)[i * nzp + (size_t)z];
  }
}

/* The column's points that lie in plane number k: at z0 ... z1, the first of which is `point`. */
static void take(struct maker *m, int k, const struct tor_column *col, int ix, int iy, int z0, int z1, int point,
                 int pitch) {
  const struct tor_slab *slab = m->columns->slab;
  struct tor_plane_media *p = &m->plane[k];
  const size_t nzp = (size_t)slab->nzp;
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    memcpy(m->cb, col->cb + (size_t)comp * nzp, nzp * sizeof *m->cb);
    memcpy(m->ca1, col->ca1 + (size_t)comp * nzp, nzp * sizeof *m->ca1);
    if (slab->damping[0]) tor_damping_apply(slab, comp, tor_damping_across(slab, comp, ix, iy), m->cb, m->ca1);
    for (int z = z0, to = point; z <= z1; z++, to += pitch) {
      p->cb[comp * p->npoints + to] = m->cb[z];
      p->ca1[comp * p->npoints + to] = m->ca1[z];
      if (!tor_comp_is_h(comp)) add_poles(m, k, col, comp, z, to);
    }
  }
  if (!p->surface) return;
  for (int z = z0, to = point; z <= z1; z++, to += pitch) {
    double weight[TOR_METAL_WEIGHTS];
    if (col->metal_poles < 0) {
      p->has_tensor |= tor_column_has_node(m->columns, col, z);
      continue;
    }
    tor_column_node(m->columns, col, z, weight);
    for (int i = 0; i < TOR_NODE_WEIGHTS; i++) p->surface[i * p->npoints + to] = weight[i];
  }
}

static const struct tor_column *fill_column(struct maker *m, int ix, int iy) {
  const struct tor_columns *c = m->columns;
  m->near.n = tor_object_index_near(&c->objects, c->grid, ix, iy, c->around, m->near.list);
  if (tor_column_is_background(c, &m->near, ix, iy)) return &c->background;
  tor_nearby_complete(&c->objects, &m->near);
  tor_column_fill(c, &m->own, ix, iy, &m->near);
  return &m->own;
}

/* Columns are whole along z: those of planes across z are filled once for all of them. */
static void take_planes(struct maker *m) {
  const struct tor_plane_media *p = m->plane;
  const int n0 = p->n[0], n1 = p->n[1], row = n1 + 1;
  for (int k = 0; k < m->count && p->axis == TOR_X; k++) /* along y, z */
    for (int i = 0; i <= n0; i++) {
      const int ix = p[k].node, iy = p->lo[0] + i;
      take(m, k, fill_column(m, ix, iy), ix, iy, p->lo[1], p->lo[1] + n1, i * row, 1);
    }
  for (int k = 0; k < m->count && p->axis == TOR_Y; k++) /* along z, x */
    for (int i = 0; i <= n1; i++) {
      const int ix = p->lo[1] + i, iy = p[k].node;
      take(m, k, fill_column(m, ix, iy), ix, iy, p->lo[0], p->lo[0] + n0, i, row);
    }
  for (int i = 0; i <= n0 && p->axis == TOR_Z; i++) /* along x, y */
    for (int j = 0; j <= n1; j++) {
      const int ix = p->lo[0] + i, iy = p->lo[1] + j;
      const struct tor_column *col = fill_column(m, ix, iy);
      for (int k = 0; k < m->count; k++) take(m, k, col, ix, iy, p[k].node, p[k].node, i * row + j, 1);
    }
}

/* The axis of a guide has no part in its surface's normal; without any node the array goes. */
static void finish_nodes(struct tor_plane_media *p) {
  int any = 0;
  if (!p->surface) return;
  for (int i = 0; i < p->npoints; i++) {
    double *n = p->surface + i, square = 0;
    any |= p->surface[3 * p->npoints + i] > 0;
    n[p->axis * p->npoints] = 0;
    for (int a = 0; a < 3; a++) square += n[a * p->npoints] * n[a * p->npoints];
    for (int a = 0; a < 3 && square > 0; a++) n[a * p->npoints] /= sqrt(square);
  }
  if (any) return;
  free(p->surface);
  p->surface = NULL;
}

/* Whether a plane's poles are in part those of a metal. */
static int has_metal(const struct tor_job *job, const struct tor_columns *columns, const struct tor_plane_media *p) {
  for (int i = 0; i < p->npoles; i++)
    for (int m = 0; m < job->nmedia; m++)
      if (columns->dispersion[m] == p->pole[i].dispersion && tor_is_metal(job, &job->media[m])) return 1;
  return 0;
}

void tor_plane_media_box(const struct tor_grid *grid, int axis, const double lo[3], const double hi[3], int box[2][2]) {
  for (int s = 0; s < 2; s++) {
    const int a = (axis + 1 + s) % 3;
    box[0][s] = tor_grid_node(grid, a, lo[a]);
    box[1][s] = tor_grid_node(grid, a, hi[a]);
  }
}

void tor_plane_media_make_some(const struct tor_job *job, int axis, int node, int count, const int box[2][2],
                               struct tor_plane_media *planes) {
  struct tor_model model = {.job = job};
  struct tor_slab *slab = &model.slab;
  for (int k = 0; k < count; k++) outline(job, axis, node + k, box, &planes[k]);
  tor_model_size_slab(job, &planes->grid, slab);
  struct tor_columns *columns = tor_columns_new(job, &planes->grid, slab);
  const int has_metal_nodes = columns->reach == TOR_REACH_METALS && planes->grid.plane != TOR_PLANE_TM;
  if (columns->reach == TOR_REACH_METALS) { /* no nodes of metals: as with "subpixel" */
    columns->reach = TOR_REACH_NODES;
    tor_column_fill(columns, &columns->background, 0, 0, &columns->layers);
  }
  struct maker m = {.columns = columns, .count = count, .plane = planes, .own = tor_column_new(slab)};
  m.cb = tor_alloc((size_t)slab->nzp, sizeof *m.cb, "plane");
  m.ca1 = tor_alloc((size_t)slab->nzp, sizeof *m.ca1, "plane");
  m.near = tor_nearby_new(&columns->objects);
  for (int k = 0; k < count && slab->has_nodes; k++)
    planes[k].surface = tor_alloc(TOR_NODE_WEIGHTS * (size_t)planes->npoints, sizeof *planes->surface, "plane");
  take_planes(&m);
  for (int k = 0; k < count; k++) {
    finish_nodes(&planes[k]);
    planes[k].node_coef = slab->node;
    planes[k].lacks_metal_nodes = has_metal_nodes && has_metal(job, columns, &planes[k]);
    planes[k].ndispersions = slab->ndispersion;
    planes[k].dispersion = tor_dispersions_copy(slab->dispersion, slab->ndispersion);
  }
  free(m.cb);
  free(m.ca1);
  tor_nearby_free(&m.near);
  tor_column_free(&m.own);
  tor_columns_free(columns);
  tor_model_free(&model);
}

void tor_plane_media_make(const struct tor_job *job, int axis, int node, const int box[2][2],
                          struct tor_plane_media *plane) {
  tor_plane_media_make_some(job, axis, node, 1, box, plane);
}

void tor_plane_media_free(struct tor_plane_media *p) {
  tor_dispersions_free(p->dispersion, p->ndispersions);
  free(p->pole);
  free(p->cb);
  free(p->ca1);
  free(p->surface);
  free(p->layer[0]);
  free(p->layer[1]);
  memset(p, 0, sizeof *p);
}

struct tor_sheet *tor_plane_media_sheet(const struct tor_plane_media *p, int direction) {
  struct tor_sheet *s = tor_alloc(1, sizeof *s, "source");
  s->axis = p->axis;
  s->direction = direction;
  s->node = p->node;
  for (int side = 0; side < 2; side++) {
    s->lo[side] = p->lo[side];
    s->n[side] = p->n[side] + 1;
  }
  return s;
}

double tor_plane_media_share(const struct tor_plane_media *p, int comp, int point) {
  const int at[2] = {point / (p->n[1] + 1), point % (p->n[1] + 1)};
  double share = tor_comp_exists(p->grid.plane, comp) && p->cb[comp * p->npoints + point] != 0;
  for (int s = 0; s < 2; s++) {
    if (tor_plane_media_uniform(p, s)) continue;
    const enum tor_wall wall = p->wall[s][at[s] > 0];
    if (tor_comp_half(comp, s ? p->last : p->next))
      share *= at[s] < p->n[s];
    else if (at[s] == 0 || at[s] == p->n[s])
      share *= wall == TOR_PMC ? 0.5 : wall == TOR_PERIODIC && at[s] == 0;
  }
  return share;
}

static int near_to(double a, double b, double scale) { return fabs(a - b) <= 1e-9 * scale; }

static int is_like(const struct tor_plane_media *p, const struct tor_plane_media *other) {
  if (p->npoles != other->npoles || !p->surface != !other->surface) return 0;
  for (int i = 0; i < TOR_NCOMP * p->npoints; i++)
    if (!(near_to(p->cb[i], other->cb[i], fabs(p->cb[i])) && near_to(p->ca1[i], other->ca1[i], 1)) &&
        tor_plane_media_share(p, i / p->npoints, i % p->npoints) > 0)
      return 0;
  for (int i = 0; i < p->npoles; i++) {
    const struct tor_plane_pole *a = &p->pole[i], *b = &other->pole[i];
    int same = a->axis == b->axis && a->point == b->point && a->dispersion == b->dispersion && a->branch == b->branch;
    for (int k = 0; k < TOR_BRANCH_WEIGHTS; k++)
      same &= near_to(a->weight[k], b->weight[k], fmax(1, fabs(a->weight[k])));
    if (!same) return 0;
  }
  for (int i = 0; p->surface && i < TOR_NODE_WEIGHTS * p->npoints; i++)
    if (!near_to(p->surface[i], other->surface[i], fmax(1, fabs(p->surface[i])))) return 0;
  return 1;
}

int tor_plane_media_have_tensor(const struct tor_plane_media *planes, int count) {
  int have = 0;
  for (int k = 0; k < count; k++) have |= planes[k].has_tensor;
  return have;
}

int tor_plane_media_alike(const struct tor_plane_media *planes, int count) {
  for (int k = 1; k < count; k++)
    if (!is_like(&planes[0], &planes[k])) return 0;
  return 1;
}

double complex tor_plane_media_poles(const struct tor_dispersion *d, int axis, double ct, double complex half) {
  const double complex step = half - 1 / half;
  double complex sum = 0;
  for (int i = 0; i < d->npoles; i++) {
    const struct tor_pole_coef *pole = &d->pole[i];
    const double complex own = 1 - pole->k1 / (half * half) - (pole->has_p ? pole->k2 * ct / (half * step) : 0);
    sum += (pole->k3[axis] / half + pole->k4[axis] * half) / own - pole->k4[axis] * half;
  }
  return sum;
}

void tor_plane_media_response(const struct tor_plane_media *p, double w, double complex *value) {
  static const double CONDUCTOR = 1e30; /* no field for any curl */
  const double complex half = cexp(CMPLX(0, -0.5 * w * p->grid.dt)), step = half - 1 / half;
  for (int i = 0; i < TOR_NCOMP * p->npoints; i++)
    value[i] = !tor_comp_exists(p->grid.plane, i / p->npoints) ? 1
               : p->cb[i] == 0                                 ? CONDUCTOR
                                                               : (step - p->ca1[i] / half) / p->cb[i];
  for (int i = 0; i < p->npoles; i++) {
    const struct tor_plane_pole *pole = &p->pole[i];
    const double *k = pole->weight;
    const double complex current =
        k[0] * tor_plane_media_poles(&p->dispersion[pole->dispersion], pole->axis, p->grid.ct, half);
    value[pole->axis * p->npoints + pole->point] +=
        pole->branch ? k[3] * current * k[1] / (1 + current * k[2] / step) : current;
  }
}

double complex tor_plane_media_stretch(const struct tor_plane_media *p, int side, int u, double w) {
  if (tor_plane_media_uniform(p, side)) return 1;
  const struct tor_pml_point *l = &p->layer[side][u];
  return l->ik + l->c / (1 - l->b * cexp(CMPLX(0, w * p->grid.dt)));
}

double complex tor_plane_media_node(const struct tor_plane_media *p, double w) {
  const double complex half = cexp(CMPLX(0, -0.5 * w * p->grid.dt)), step = half - 1 / half;
  return 1 / (step + p->node_coef.restore * p->grid.ct / step);
}
