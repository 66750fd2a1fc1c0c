/* Surface nodes on the CPU: see node.h. A block of a run (slab.h) is one vector or several. */
#define TOR_VECTOR_OF_EIGHT
#include "diamond/cpu/vector.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "diamond/core/update.h"
#include "diamond/cpu/node.h"
#include "src/base/types.h"

typedef tor_real real;

/* The two edges of an axis at a column's nodes: values along z, and the sign of those that are ghost values. */
struct edges {
  const real *at[2];
  real sign[2];
  const real
      *other; /* Bloch walls: the other part of the first edge, which is a period away, and the factors of both */
  real turn[2];
};

static const real *vector_at(const struct tor_slab *slab, int comp, int ix, int iy) {
  return (const real *)slab->field + tor_slab_vector(slab, tor_slab_column(slab, ix, iy), comp);
}

/* Behind a wall the field across it is reflected: as it is by a PEC, with its sign changed by a PMC. Around a period
 * the first edge follows the last. */
static struct edges edges_at(const struct tor_slab *slab, int axis, int ix, int iy) {
  const int i = axis == TOR_X ? ix : iy, dx = axis == TOR_X, dy = axis == TOR_Y;
  const int joined = tor_slab_periodic(slab, axis), low = joined || i > 0, high = joined || i < slab->n[axis];
  if (tor_node_is_first(slab, axis, i)) {
    const int last = axis == TOR_Y && tor_slab_is_arc(slab) ? -1 : slab->n[axis] - 1; /* from the node on */
    double turn[2];
    tor_slab_bloch(slab, axis, -1, turn);
    return (struct edges){
        {vector_at(slab, TOR_EX + axis, ix + last * dx, iy + last * dy), vector_at(slab, TOR_EX + axis, ix, iy)},
        {1, 1},
        slab->other ? vector_at(slab->other, TOR_EX + axis, ix + last * dx, iy + last * dy) : NULL,
        {(real)turn[0], (real)turn[1]}};
  }
  return (struct edges){
      {vector_at(slab, TOR_EX + axis, ix - low * dx, iy - low * dy),
       vector_at(slab, TOR_EX + axis, ix - !high * dx, iy - !high * dy)},
      {!low && slab->wall[2 * axis] == TOR_PMC ? -1 : 1, !high && slab->wall[2 * axis + 1] == TOR_PMC ? -1 : 1},
      NULL,
      {0, 0}};
}

enum { METAL_ROW = TOR_METAL_PITCH }; /* from one value of a metal's node to its next */
_Static_assert(TOR_NODE_ALIGN % LANES == 0 && METAL_ROW % LANES == 0, "vectors fill a row");

/* E at nodes along an axis, from its edges below and above them. */
struct pair {
  vec mean, difference; /* half of it */
};

ALWAYS struct pair pair_of(const struct tor_slab *slab, int axis, vec below, vec above) {
  const vec in = TOR_VALUE(slab->node.in[axis]);
  return (struct pair){tor_node_mean(in, below, above), tor_node_difference(in, below, above)};
}

ALWAYS struct pair pair_across(const struct tor_slab *slab, int axis, const struct edges *e, int z) {
  vec a = load(e->at[0] + z);
  const vec b = load(e->at[1] + z);
  if (e->other) a = tor_bloch(TOR_VALUE(e->turn[0]), a, TOR_VALUE(e->turn[1]), load(e->other + z));
  return pair_of(slab, axis, TOR_VALUE(e->sign[0]) * a, TOR_VALUE(e->sign[1]) * b);
}

/* Of two vectors of a part, own and other, what own is a period below along z. */
static real period_below(const struct tor_slab *slab, const real *ez) {
  const int last = slab->n[2] - 1;
  if (!slab->other) return ez[last];
  const real *other = (const real *)slab->other->field + (ez - (const real *)slab->field);
  double turn[2];
  tor_slab_bloch(slab, TOR_Z, -1, turn);
  return tor_bloch(TOR_VALUE(turn[0]), TOR_VALUE(ez[last]), TOR_VALUE(turn[1]), TOR_VALUE(other[last]))[0];
}

/* Of Ez below and above each node. */
ALWAYS struct pair pair_z(const struct tor_slab *slab, const real *ez, int z) {
  const int n = slab->n[2];
  vec a = load(ez + z - 1), b = load(ez + z);
  if (z == 0)
    a[0] = tor_slab_periodic(slab, TOR_Z) ? period_below(slab, ez) : slab->wall[TOR_ZLO] == TOR_PMC ? -ez[0] : ez[0];
  if (z + LANES > n) b[n - z] = slab->wall[TOR_ZHI] == TOR_PMC ? -ez[n - 1] : ez[n - 1];
  return pair_of(slab, TOR_Z, a, b);
}

ALWAYS void node_block(const struct tor_slab *slab, const vec v[3], real *state, const real *weight, int pitch) {
  const vec n[3] = {load(weight), load(weight + pitch), load(weight + 2 * pitch)};
  const vec g = load(weight + 3 * pitch), s = tor_node_across(n[0], n[1], n[2], v[0], v[1], v[2]);
  const vec restore = TOR_VALUE(slab->node.restore), dt = TOR_VALUE(slab->dt);
  for (int a = 0; a < 3; a++) {
    real *j = state + a * pitch, *p = state + (3 + a) * pitch;
    const vec before = load(p);
    const vec current = tor_node_current(load(j), before, g * TOR_VALUE(slab->node.out[a]), restore, n[a], s, v[a]);
    store(j, current);
    store(p, tor_pole_polarisation(dt, current, before));
  }
}

/* Of a tensor's rows among its six elements. */
static const int TENSOR_AT[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};

/* The same for nodes of media with a full tensor. */
ALWAYS void tensor_block(const struct tor_slab *slab, const vec v[3], real *state, const real *weight, int pitch) {
  const vec restore = TOR_VALUE(slab->node.restore), dt = TOR_VALUE(slab->dt);
  vec w[TOR_TENSOR_WEIGHTS];
  for (int i = 0; i < TOR_TENSOR_WEIGHTS; i++) w[i] = load(weight + i * pitch);
  for (int a = 0; a < 3; a++) {
    real *j = state + a * pitch, *p = state + (3 + a) * pitch;
    const vec before = load(p);
    const vec field = tor_tensor_field(w[TENSOR_AT[a][0]], w[TENSOR_AT[a][1]], w[TENSOR_AT[a][2]], v[0], v[1], v[2]);
    const vec current = tor_metal_oscillator(load(j), before, TOR_VALUE(slab->node.out[a]), restore, field);
    store(j, current);
    store(p, tor_pole_polarisation(dt, current, before));
  }
}

/* Coefficients of the poles of nodes in full_block. */
struct full {
  vec keep[9], turn[9], drive[3], restore, work[3], rest;
};
/* What nodes i to past - 1 of a block have. */
ALWAYS void take_full(const struct tor_magnetised *pole, struct full *f, int i, int past) {
  for (; i < past; i++) {
    for (int k = 0; k < 9; k++) {
      f->keep[k][i] = (real)pole->keep[k];
      f->turn[k][i] = (real)pole->turn[k];
    }
    for (int a = 0; a < 3; a++) {
      f->drive[a][i] = (real)pole->drive[a];
      f->work[a][i] = (real)pole->work[a];
    }
    f->restore[i] = (real)pole->restore;
    f->rest[i] = (real)pole->rest;
  }
}
ALWAYS struct full full_at(const struct tor_slab *slab, const vec which) {
  struct full f = {{{0}}, {{0}}, {{0}}, {0}, {{0}}, {0}};
  int alike = 1;
  for (int i = 1; i < LANES; i++) alike &= which[i] == which[0];
  if (alike) take_full(&slab->magnetised[(int)which[0]], &f, 0, LANES);
  for (int i = 0; i < LANES && !alike; i++) take_full(&slab->magnetised[(int)which[i]], &f, i, i + 1);
  return f;
}

/* What chi2 adds to the fields that drive the nodes. */
ALWAYS void add_chi2(const struct tor_slab *slab, const vec which, const vec share, const vec v[3], vec field[3]) {
  vec product[6], row[6] = {{0}};
  int alike = 1;
  for (int i = 1; i < LANES; i++) alike &= which[i] == which[0];
  tor_chi2_products(v[0], v[1], v[2], product);
  for (int a = 0; a < 3; a++) {
    for (int k = 0; k < 6; k++)
      if (alike)
        row[k] = TOR_VALUE(slab->magnetised[(int)which[0]].chi2[6 * a + k]);
      else
        for (int i = 0; i < LANES; i++) row[k][i] = (real)slab->magnetised[(int)which[i]].chi2[6 * a + k];
    field[a] = tor_chi2_field(field[a], share, row, product);
  }
}

/* What saturation makes of the nodes' currents after the step, from those before it and the fields that drive them;
 * population: the change of it. */
ALWAYS void saturate(const struct full *f, const vec inverse, const vec v[3], const vec field[3], const vec before[3],
                     vec current[3], real *population) {
  vec driven[3], work[3];
  const vec m = load(population);
  for (int a = 0; a < 3; a++) {
    work[a] = f->work[a] * v[a];
    driven[a] = f->turn[4 * a] * (f->drive[a] * field[a]);
  }
  const vec at_rest = tor_gain_work(work[0], work[1], work[2], before[0] + current[0], before[1] + current[1],
                                    before[2] + current[2]),
            mean = tor_gain_mean(m, inverse, f->rest, at_rest,
                                 tor_gain_work(work[0], work[1], work[2], driven[0], driven[1], driven[2]));
  for (int a = 0; a < 3; a++) current[a] = tor_gain_current(current[a], mean, driven[a]);
  store(population, tor_gain_after(m, mean));
}

/* The same with Kerr media and magnetised poles, with media of second order, with saturable poles. */
static void full_block(const struct tor_slab *slab, const struct tor_pole_range *run, const vec v[3], real *state,
                       const real *weight) {
  const int pitch = run->pitch;
  vec w[TOR_FULL_WEIGHTS], j[3], x[3], field[3], current[3];
  for (int i = 0; i < TOR_FULL_WEIGHTS; i++) w[i] = load(weight + i * pitch);
  const struct full f = full_at(slab, w[TOR_FULL_POLE]);
  const vec strength = tor_kerr_strength(w[TOR_FULL_KERR], v[0], v[1], v[2]);
  for (int a = 0; a < 3; a++)
    field[a] = tor_kerr_field(
        tor_tensor_field(w[TENSOR_AT[a][0]], w[TENSOR_AT[a][1]], w[TENSOR_AT[a][2]], v[0], v[1], v[2]), strength, v[a]);
  if (run->metal == TOR_CHI2_NODES) add_chi2(slab, w[TOR_FULL_POLE], load(weight + TOR_FULL_CHI2 * pitch), v, field);
  for (int a = 0; a < 3; a++) {
    j[a] = load(state + a * pitch);
    x[a] = tor_magnetised_drive(f.drive[a], field[a], f.restore, load(state + (3 + a) * pitch));
  }
  for (int a = 0; a < 3; a++) {
    const vec *keep = &f.keep[3 * a], *turn = &f.turn[3 * a],
              turned = tor_tensor_field(turn[0], turn[1], turn[2], x[0], x[1], x[2]);
    current[a] = tor_magnetised_current(keep[0], keep[1], keep[2], j[0], j[1], j[2], turned);
  }
  if (run->metal == TOR_GAIN_NODES)
    saturate(&f, load(weight + TOR_FULL_INVERSE * pitch), v, field, j, current, state + TOR_NODE_STATE * pitch);
  for (int a = 0; a < 3; a++) {
    real *const p = state + (3 + a) * pitch;
    store(state + a * pitch, current[a]);
    store(p, tor_pole_polarisation(TOR_VALUE(slab->dt), current[a], load(p)));
  }
}

/* Coefficients of the poles of nodes' metals. */
struct poles {
  vec k1, k2, k3[3];
};

/* Pole `number` of the metal of lane i, whose number is d. */
ALWAYS void take_pole(const struct tor_slab *slab, struct poles *k, int d, int number, int i) {
  if (d < 0 || number >= slab->dispersion[d].npoles) return;
  const struct tor_pole_coef *pole = &slab->dispersion[d].pole[number];
  k->k1[i] = (real)pole->k1;
  k->k2[i] = (real)pole->k2;
  for (int a = 0; a < 3; a++) k->k3[a][i] = (real)pole->k3[a];
}

/* The bits of x in the lanes of a mask, 0 in the others. */
typedef __typeof__((vec){0} == (vec){0}) lanes;
ALWAYS vec masked(vec x, lanes where) { return (vec)((lanes)x & where); }

/* medium: 1 + their numbers, 0 where there is no node. most: the largest of them, of all where `alike`. */
ALWAYS struct poles poles_at(const struct tor_slab *slab, vec medium, real most, int alike, int number) {
  struct poles k = {{0}, {0}, {{0}, {0}, {0}}};
  const int d = (int)most - 1;
  if (!alike) {
    for (int i = 0; i < LANES; i++) take_pole(slab, &k, (int)medium[i] - 1, number, i);
  } else if (d >= 0 && number < slab->dispersion[d].npoles) {
    const struct tor_pole_coef *pole = &slab->dispersion[d].pole[number];
    const lanes where = medium == TOR_VALUE(most);
    k.k1 = masked(TOR_VALUE(pole->k1), where);
    k.k2 = masked(TOR_VALUE(pole->k2), where);
    for (int a = 0; a < 3; a++) k.k3[a] = masked(TOR_VALUE(pole->k3[a]), where);
  }
  return k;
}

/* The same for nodes of metals and others. */
static void metal_block(const struct tor_slab *slab, const struct tor_pole_range *run, const struct pair e[3],
                        real *state, const real *weight) {
  enum { ALL = 6 }; /* P along x, y, z, then Q */
  const struct tor_node_coef *c = &slab->node;
  const vec dt = TOR_VALUE(slab->dt);
  vec w[TOR_METAL_MEDIUM], before[ALL], y[ALL], charge[3], f[ALL], sum[ALL] = {{0}};
  const vec medium = load(weight + TOR_METAL_MEDIUM * METAL_ROW);
  real most = 0;
  int alike = 1;
  for (int i = 0; i < LANES; i++) most = medium[i] > most ? medium[i] : most;
  for (int i = 0; i < LANES; i++) alike &= medium[i] == most || medium[i] == 0;
  for (int i = 0; i < TOR_METAL_MEDIUM; i++) w[i] = load(weight + i * METAL_ROW);
  for (int i = 0; i < ALL; i++) {
    before[i] = load(state + (6 + i) * METAL_ROW);
    y[i] = TOR_VALUE(c->field[i % 3]) * before[i];
  }
  for (int a = 0; a < 3; a++) charge[a] = tor_metal_charge(w[TOR_METAL_ACROSS], y[a], w[TOR_METAL_LEAN + a], y[3 + a]);
  const vec v = tor_node_across(w[0], w[1], w[2], e[0].mean, e[1].mean, e[2].mean),
            p = tor_node_across(w[0], w[1], w[2], y[0], y[1], y[2]),
            t = tor_metal_across(w[TOR_METAL_ALONG], v,
                                 tor_node_across(w[0], w[1], w[2], charge[0], charge[1], charge[2]));
  for (int a = 0; a < 3; a++) {
    f[a] = tor_metal_field(w[a], t, e[a].mean);
    f[3 + a] = tor_metal_slope(w[TOR_METAL_ALONG], w[a], e[a].difference, w[TOR_METAL_LEAN + a], p,
                               w[TOR_METAL_STIFF + a], y[3 + a]);
  }
  for (int i = 0; i <= run->metal; i++) {
    struct poles k;
    if (i) k = poles_at(slab, medium, most, alike, i - 1);
    for (int n = 0; n < ALL; n++) {
      real *const at = state + (TOR_METAL_STATE + TOR_POLE_STATE * i + 6 * (n / 3) + n % 3) * METAL_ROW;
      real *const own = at + 3 * METAL_ROW;
      const vec old = load(own), j = load(at);
      const vec current =
          i ? tor_pole_drive(tor_pole_current(k.k1, k.k2, j, old), TOR_VALUE(c->edge[n % 3]), k.k3[n % 3], f[n])
            : tor_metal_oscillator(j, old, TOR_VALUE(c->flux[n % 3]) * w[TOR_METAL_DRIVE], w[TOR_METAL_RESTORE], f[n]);
      store(at, current);
      store(own, tor_pole_polarisation(dt, current, old));
      sum[n] = i ? sum[n] + current : current;
    }
  }
  for (int a = 0; a < 3; a++) {
    store(state + a * METAL_ROW, tor_metal_above(w[TOR_METAL_SHARE], w[a], sum[a], sum[3 + a]));
    store(state + (3 + a) * METAL_ROW, tor_metal_below(w[TOR_METAL_SHARE], w[a], sum[a], sum[3 + a]));
  }
  for (int i = 0; i < ALL; i++) store(state + (6 + i) * METAL_ROW, tor_pole_polarisation(dt, sum[i], before[i]));
}

/* One vector of nodes from z on. */
static void advance_vector(const struct tor_slab *slab, const struct tor_pole_range *run, const struct edges e[2],
                           const real *ez, int z, real *state, const real *weight) {
  const struct pair none = {{0}, {0}}, pair[3] = {slab->plane ? none : pair_across(slab, TOR_X, &e[0], z),
                                                  pair_across(slab, TOR_Y, &e[1], z), pair_z(slab, ez, z)};
  const vec v[3] = {pair[0].mean, pair[1].mean, pair[2].mean};
  if (run->metal > 0)
    metal_block(slab, run, pair, state, weight);
  else if (run->metal == TOR_TENSOR_NODES)
    tensor_block(slab, v, state, weight, run->pitch);
  else if (run->metal)
    full_block(slab, run, v, state, weight);
  else
    node_block(slab, v, state, weight, run->pitch);
}

/* Whether there is a node among LANES values of z. */
ALWAYS int any_node(const real *weight, int pitch, unsigned marks) {
  uint64_t any = 0;
  for (int i = 0; marks >> i; i++) {
    uint64_t words[TOR_VECTOR_BYTES / 8];
    if (!(marks >> i & 1)) continue;
    memcpy(words, weight + i * pitch, sizeof words);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) any |= words[k];
  }
  return any != 0;
}

void TOR_NAME(tor_nodes_advance)(const struct tor_slab *slab, int ix, int iy) {
  const struct tor_pole_range *run = tor_slab_nodes(slab, tor_slab_column(slab, ix, iy));
  if (!run) return;
  const struct edges none = {{NULL, NULL}, {0, 0}, NULL, {0, 0}},
                     e[2] = {slab->plane ? none : edges_at(slab, TOR_X, ix, iy), edges_at(slab, TOR_Y, ix, iy)};
  const real *ez = vector_at(slab, TOR_EZ, ix, iy), *weight = (const real *)slab->weight + run->weight;
  real *state = (real *)slab->state + run->state;
  const unsigned marks = tor_node_marks(run->metal);
  const int pitch = run->pitch, blocks = tor_node_blocks(run), states = tor_node_states(run) * pitch,
            weights = tor_node_weights(run) * pitch;
  for (int b = 0; b < blocks; b++, state += states, weight += weights)
    for (int k = 0, z = tor_node_block_z(run, b); k < pitch && z < run->z0 + run->nz; k += LANES, z += LANES)
      if (any_node(weight + k, pitch, marks)) advance_vector(slab, run, e, ez, z, state + k, weight + k);
}

/* Node currents, and Bloch walls' other part of those a period away; NULL: they are not. */
struct currents {
  const real *j, *other;
  real turn[2];
};

ALWAYS vec currents_at(const struct currents *c, int k, const int count) {
  const vec j = load_some(c->j + k, count);
  if (!c->other) return j;
  return tor_bloch(TOR_VALUE(c->turn[0]), j, TOR_VALUE(c->turn[1]), load_some(c->other + k, count));
}

/* Node currents j[0 .. count) leave f[0 .. count). The coefficient's sign is changed, not the current's: of a current
 * across a seam, which an fma makes, the compiler would take the other sign of a zero. */
static void inject(real *restrict f, const real *restrict cb, const struct currents *j, int count) {
  int k = 0;
  for (; k <= count - LANES; k += LANES)
    store_some(f + k, tor_inject(load(f + k), -load(cb + k), currents_at(j, k, LANES)), LANES);
  if (k < count)
    store_some(f + k,
               tor_inject(load_some(f + k, count - k), -load_some(cb + k, count - k), currents_at(j, k, count - k)),
               count - k);
}

/* The currents j of a slab's nodes, `around` periods above along an axis. */
static struct currents currents_of(const struct tor_slab *slab, const real *j, int axis, int around) {
  double turn[2];
  tor_slab_bloch(slab, axis, around, turn);
  const int mixed = around && slab->other;
  return (struct currents){j,
                           mixed ? (const real *)slab->other->state + (j - (const real *)slab->state) : NULL,
                           {(real)turn[0], (real)turn[1]}};
}

/* The currents j of block b of a run, at one end of the edges. */
ALWAYS void inject_block(const struct tor_slab *slab, const struct tor_pole_range *run, int b, int comp, int end,
                         int around, const real *j, real *f, const real *cb) {
  const int beyond = comp == TOR_EZ && end, most = comp == TOR_EZ ? slab->n[2] : slab->n[2] + 1; /* values of f */
  const int z = tor_node_block_z(run, b), at = z - beyond;
  struct currents currents = currents_of(slab, j, comp, around);
  int first = z > run->z0 ? z : run->z0, past = run->z0 + run->nz; /* nodes */
  if (past > z + run->pitch) past = z + run->pitch;
  const int whole = (past - z + TOR_NODE_ALIGN - 1) / TOR_NODE_ALIGN * TOR_NODE_ALIGN;
  if (at >= 0 && at + whole <= most && !currents.other) { /* where there is no node, j is 0 and f remains */
    inject(f + at, cb + at, &currents, whole);
    return;
  }
  if (beyond && first == 0) { /* the lowest node is no edge's upper end, or the last one's */
    const struct currents above = currents_of(slab, j, TOR_Z, 1);
    if (tor_slab_periodic(slab, TOR_Z)) inject(f + most - 1, cb + most - 1, &above, 1);
    first++;
  }
  if (past > most + beyond) past = most + beyond;
  currents.j += first - z;
  if (currents.other) currents.other += first - z;
  if (past > first) inject(f + first - beyond, cb + first - beyond, &currents, past - first);
}

void TOR_NAME(tor_nodes_inject)(const struct tor_slab *slab, int comp, int u, int v, real *f, const real *cb) {
  for (int end = 0; end < 2; end++) { /* of the edge */
    const int ix = tor_node_after(slab, TOR_X, u >> 1, comp == TOR_EX && end),
              iy = tor_node_after(slab, TOR_Y, v >> 1, comp == TOR_EY && end);
    const struct tor_pole_range *run = tor_slab_nodes(slab, tor_slab_column(slab, ix, iy));
    if (!run) continue;
    const int around = end && ((comp == TOR_EX && tor_node_is_first(slab, TOR_X, ix)) ||
                               (comp == TOR_EY && tor_node_is_first(slab, TOR_Y, iy)));
    const int states = tor_node_states(run) * run->pitch;
    const real *j = (const real *)slab->state + run->state + (comp + tor_node_current_of(run->metal, end)) * run->pitch;
    for (int b = 0; b < tor_node_blocks(run); b++, j += states) inject_block(slab, run, b, comp, end, around, j, f, cb);
  }
}
