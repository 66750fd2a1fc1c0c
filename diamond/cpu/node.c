/* Surface nodes on the CPU: see node.h. */
#include "diamond/cpu/vector.h"

#include <stddef.h>

#include "diamond/core/slab.h"
#include "diamond/core/update.h"
#include "diamond/cpu/node.h"
#include "src/base/types.h"

typedef tor_real real;

/* The two edges of an axis at a column's nodes: values along z, and the sign of those that are ghost values. */
struct edges {
  const real *at[2];
  real sign[2];
};

static const real *vector_at(const struct tor_slab *slab, int comp, int ix, int iy) {
  return (const real *)slab->field + tor_slab_vector(slab, tor_slab_column(slab, ix, iy), comp);
}

/* Behind a wall the field across it is reflected: as it is by a PEC, with its sign changed by a PMC. */
static struct edges edges_at(const struct tor_slab *slab, int axis, int ix, int iy) {
  const int i = axis == TOR_X ? ix : iy, dx = axis == TOR_X, dy = axis == TOR_Y;
  const int low = i > 0, high = i < slab->n[axis];
  return (struct edges){
      {vector_at(slab, TOR_EX + axis, ix - low * dx, iy - low * dy),
       vector_at(slab, TOR_EX + axis, ix - !high * dx, iy - !high * dy)},
      {!low && slab->wall[2 * axis] == TOR_PMC ? -1 : 1, !high && slab->wall[2 * axis + 1] == TOR_PMC ? -1 : 1}};
}

ALWAYS vec mean(const struct tor_slab *slab, int axis, const struct edges *e, int z, const int count) {
  const vec a = load_some(e->at[0] + z, count), b = load_some(e->at[1] + z, count);
  return tor_node_mean(TOR_VALUE(slab->node.in[axis]), TOR_VALUE(e->sign[0]) * a, TOR_VALUE(e->sign[1]) * b);
}

/* The mean of Ez below and above each node. */
ALWAYS vec mean_z(const struct tor_slab *slab, const real *ez, int z, const int count) {
  const int n = slab->n[2];
  vec a = load_some(ez + z - 1, count), b = load_some(ez + z, count);
  if (z == 0) a[0] = slab->wall[TOR_ZLO] == TOR_PMC ? -ez[0] : ez[0];
  if (z + count > n) b[n - z] = slab->wall[TOR_ZHI] == TOR_PMC ? -ez[n - 1] : ez[n - 1];
  return tor_node_mean(TOR_VALUE(slab->node.in[TOR_Z]), a, b);
}

ALWAYS void node_block(const struct tor_slab *slab, const struct edges e[2], const real *ez, int z, real *state,
                       const real *weight, int pitch, const int count) {
  const vec x = slab->plane ? (vec){0} : mean(slab, TOR_X, &e[0], z, count);
  const vec v[3] = {x, mean(slab, TOR_Y, &e[1], z, count), mean_z(slab, ez, z, count)};
  const vec n[3] = {load_some(weight, count), load_some(weight + pitch, count), load_some(weight + 2 * pitch, count)};
  const vec g = load_some(weight + 3 * pitch, count), s = tor_node_across(n[0], n[1], n[2], v[0], v[1], v[2]);
  const vec restore = TOR_VALUE(slab->node.restore), dt = TOR_VALUE(slab->dt);
  for (int a = 0; a < 3; a++) {
    real *j = state + a * pitch, *p = state + (3 + a) * pitch;
    const vec before = load_some(p, count);
    const vec current =
        tor_node_current(load_some(j, count), before, g * TOR_VALUE(slab->node.out[a]), restore, n[a], s, v[a]);
    store_some(j, current, count);
    store_some(p, tor_pole_polarisation(dt, current, before), count);
  }
}

void TOR_NAME(tor_nodes_advance)(const struct tor_slab *slab, int ix, int iy) {
  const struct tor_pole_range *run = tor_slab_nodes(slab, tor_slab_column(slab, ix, iy));
  if (!run) return;
  const struct edges e[2] = {slab->plane ? (struct edges){{NULL, NULL}, {0, 0}} : edges_at(slab, TOR_X, ix, iy),
                             edges_at(slab, TOR_Y, ix, iy)};
  const real *ez = vector_at(slab, TOR_EZ, ix, iy);
  real *state = (real *)slab->state + run->state + tor_pole_range_lead(run);
  const real *weight = (const real *)slab->weight + run->weight + tor_pole_range_lead(run);
  int k = 0;
  for (; k <= run->nz - LANES; k += LANES)
    node_block(slab, e, ez, run->z0 + k, state + k, weight + k, run->pitch, LANES);
  if (k < run->nz) node_block(slab, e, ez, run->z0 + k, state + k, weight + k, run->pitch, run->nz - k);
}

/* Node currents j[0 .. count) leave f[0 .. count). */
static void inject(real *restrict f, const real *restrict cb, const real *restrict j, int count) {
  int k = 0;
  for (; k <= count - LANES; k += LANES) store_some(f + k, tor_inject(load(f + k), load(cb + k), -load(j + k)), LANES);
  if (k < count)
    store_some(f + k,
               tor_inject(load_some(f + k, count - k), load_some(cb + k, count - k), -load_some(j + k, count - k)),
               count - k);
}

void TOR_NAME(tor_nodes_inject)(const struct tor_slab *slab, int comp, int u, int v, real *f, const real *cb) {
  for (int end = 0; end < 2; end++) { /* of the edge */
    const int ix = (u >> 1) + (comp == TOR_EX && end), iy = (v >> 1) + (comp == TOR_EY && end);
    const struct tor_pole_range *run = tor_slab_nodes(slab, tor_slab_column(slab, ix, iy));
    if (!run) continue;
    const real *j = (const real *)slab->state + run->state + tor_pole_range_lead(run) + comp * run->pitch;
    int first = run->z0, count = run->nz; /* of the nodes */
    const int beyond = comp == TOR_EZ && end;
    if (beyond && first == 0) { /* the lowest node is no edge's upper end */
      first++;
      count--;
      j++;
    }
    const int at = first - beyond, most = (comp == TOR_EZ ? slab->n[2] : slab->n[2] + 1) - at;
    inject(f + at, cb + at, j, count < most ? count : most);
  }
}
