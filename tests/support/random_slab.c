/* Slabs with random contents: see random_slab.h. */
#include "tests/support/random_slab.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "tests/support/random_damping.h"
#include "tests/support/random_slab_maker.h"

static int round_up(int n) { return (n + TOR_VECTOR - 1) / TOR_VECTOR * TOR_VECTOR; }
static int most(int a, int b) { return a > b ? a : b; }

static double get(const struct tor_slab *slab, const void *array, tor_gidx i) {
  return slab->precision == TOR_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}
static void set(const struct tor_slab *slab, void *array, tor_gidx i, double value) {
  if (slab->precision == TOR_F32)
    ((float *)array)[i] = (float)value;
  else
    ((double *)array)[i] = value;
}
static void *reals(struct maker *m, tor_gidx count, double lo, double hi) {
  void *array = tor_alloc((size_t)count, m->slab->precision, "random slab");
  for (tor_gidx i = 0; i < count; i++) set(m->slab, array, i, uniform(m, lo, hi));
  return array;
}

int random_slab_points_z(const struct tor_slab *slab, int comp) {
  int at_nodes = tor_comp_is_h(comp) ? comp == TOR_HZ : comp != TOR_EZ;
  return slab->n[2] + (at_nodes && slab->wall[TOR_ZHI] == TOR_PMC);
}

static void set_images(const struct tor_slab *slab, int comp, tor_gidx at) {
  void *f = slab->field;
  int n = slab->n[2], h = tor_comp_is_h(comp);
  double lo = slab->wall[TOR_ZLO] == TOR_PMC ? -1 : 1, hi = slab->wall[TOR_ZHI] == TOR_PMC ? -1 : 1;
  if (tor_comp_axis(comp) == TOR_Z) return;
  if (tor_slab_periodic(slab, TOR_Z)) {
    for (int k = -1 - h; k < 0; k++) set(slab, f, at + k, get(slab, f, at + (n + k) % n));
    for (int k = 0; k < 2; k++) set(slab, f, at + n + k, get(slab, f, at + k % n));
  } else if (h) {
    set(slab, f, at - 1, lo * get(slab, f, at));
    set(slab, f, at + n, hi * get(slab, f, at + n - 1));
    set(slab, f, at - 2, lo * get(slab, f, n > 1 ? at + 1 : at + n));
    set(slab, f, at + n + 1, hi * get(slab, f, n > 1 ? at + n - 2 : at - 1));
  } else {
    if (lo > 0) set(slab, f, at, 0);
    if (hi > 0) set(slab, f, at + n, 0);
    set(slab, f, at - 1, -lo * get(slab, f, at + 1));
    set(slab, f, at + n + 1, -hi * get(slab, f, at + n - 1));
  }
}

static void make_fields(struct maker *m) {
  struct tor_slab *slab = m->slab;
  size_t real = slab->precision,
         count = (size_t)tor_slab_columns(slab) * (size_t)tor_plane_comps(slab->plane) * (size_t)slab->nzp;
  m->r->base = tor_alloc(count * real + 128, 1, "random slab");
  slab->field = (char *)m->r->base + 64;
  static const int parity[TOR_NCOMP][2] = {{1, 0}, {0, 1}, {0, 0}, {0, 1}, {1, 0}, {1, 1}};
  for (int ix = 0; ix <= slab->n[0]; ix++)
    for (int iy = 0; iy <= slab->n[1]; iy++)
      for (int c = 0; c < TOR_NCOMP; c++) {
        int u = 2 * ix + parity[c][0], v = 2 * iy + parity[c][1];
        if (u < tor_slab_first(slab, TOR_X) || u > tor_slab_last(slab, TOR_X)) continue;
        if (v < tor_slab_first(slab, TOR_Y) || v > tor_slab_last(slab, TOR_Y)) continue;
        if (!tor_comp_exists(slab->plane, c)) continue;
        const tor_gidx at = tor_slab_vector(slab, tor_slab_column(slab, ix, iy), c);
        for (int z = 0; z < random_slab_points_z(slab, c); z++) set(slab, slab->field, at + z, uniform(m, -1, 1));
        set_images(slab, c, at);
      }
}

/* Whether node or half cell `i` along an axis of n cells lies in a layer. */
static int is_in_layer(const struct tor_cpml_axis *cpml, int n, int i) {
  return i < cpml->lo || (cpml->hi && i >= n - cpml->hi);
}

static void make_cpml(struct maker *m) {
  struct tor_slab *slab = m->slab;
  for (int a = 0; a < 3; a++) {
    struct tor_cpml_axis *cpml = &slab->cpml[a];
    int n = slab->n[a], count = a == TOR_Z ? 2 * slab->nzp : 2 * n + 1;
    if (has(m, a == TOR_Z ? RANDOM_CPML_Z : RANDOM_CPML_XY) && n > 0) {
      /* A layer stands before a PEC. */
      if (slab->wall[2 * a] == TOR_PEC && chance(m, 0.8)) cpml->lo = between(m, 1, most(1, least(n / 2, 12)));
      if (slab->wall[2 * a + 1] == TOR_PEC && chance(m, 0.8)) cpml->hi = between(m, 1, most(1, least(n / 2, 12)));
      if (cpml->lo + cpml->hi > n) cpml->hi = 0;
    }
    cpml->ik = reals(m, count, 0.5, 1);
    cpml->b = reals(m, count, 0.3, 0.95);
    cpml->c = reals(m, count, -0.2, 0);
    if (a == TOR_Z) {
      for (int i = 0; i < count; i++) { /* the ranges are wider than the layers: tor_slab.zlo */
        if (is_in_layer(cpml, n, i % slab->nzp)) continue;
        set(slab, cpml->ik, i, 1);
        set(slab, cpml->c, i, 0);
      }
      continue;
    }
    cpml->index = tor_alloc((size_t)n + 1, sizeof *cpml->index, "random slab");
    for (int i = 0; i <= n; i++) cpml->index[i] = is_in_layer(cpml, n, i) ? cpml->count++ : -1;
  }
  int nz = slab->n[2], lo = slab->cpml[2].lo, hi = slab->cpml[2].hi;
  slab->zlo = lo ? least(round_up(lo), nz) : 0;
  slab->zhi0 = hi ? most((nz - hi) / TOR_VECTOR * TOR_VECTOR, slab->zlo) : nz;
  slab->zhi = slab->zhi0 < nz ? round_up(nz - slab->zhi0) : 0;
  slab->psi_x = reals(m, (tor_gidx)slab->cpml[0].count * (slab->n[1] + 1) * 4 * slab->nzp, -0.1, 0.1);
  slab->psi_y = reals(m, (tor_gidx)slab->cpml[1].count * (slab->n[0] + 1) * 4 * slab->nzp, -0.1, 0.1);
  const int ends = slab->zlo + slab->zhi;
  slab->psi_z = reals(m, tor_slab_columns(slab) * 4 * ends, -0.1, 0.1);
  for (tor_gidx i = 0; i < tor_slab_columns(slab) * 4 * ends; i++) {
    const int k = (int)(i % ends), z = k < slab->zlo ? k : k - slab->zlo + slab->zhi0;
    if (!is_in_layer(&slab->cpml[TOR_Z], nz, z)) set(slab, slab->psi_z, i, 0);
  }
}

static void make_background(struct maker *m) {
  struct tor_slab *slab = m->slab;
  slab->cb = reals(m, (tor_gidx)TOR_NCOMP * slab->nzp, 0.2, 0.45);
  slab->ca1 = reals(m, (tor_gidx)TOR_NCOMP * slab->nzp, -0.1, 0);
  if (has(m, RANDOM_DAMPED)) random_damping_make(slab, next(m));
  for (int c = 0; c < TOR_NCOMP; c++) {
    slab->uniform[c] = !has(m, RANDOM_LAYERED) || chance(m, 0.3) || (has(m, RANDOM_SMEM) && c >= TOR_HX);
    if (!slab->uniform[c]) continue;
    for (int z = 1; z < slab->nzp; z++)
      set(slab, slab->cb, (tor_gidx)c * slab->nzp + z, get(slab, slab->cb, (tor_gidx)c * slab->nzp));
  }
}

/* The oscillator of nodes, and two magnetised poles. What is rolled for other things stays the same. */
static void make_magnetised(const struct maker *as) {
  struct maker own = *as, *m = &own;
  struct tor_slab *slab = m->slab;
  slab->nmagnetised = 3;
  slab->magnetised = tor_alloc(3, sizeof *slab->magnetised, "random slab");
  for (int i = 0; i < 3; i++) {
    struct tor_magnetised *pole = &slab->magnetised[i];
    for (int k = 0; k < 9; k++) {
      pole->keep[k] = i ? uniform(m, -0.3, 0.3) : k % 4 == 0;
      pole->turn[k] = i ? uniform(m, -0.5, 0.5) : k % 4 == 0;
    }
    for (int a = 0; a < 3; a++) pole->drive[a] = i ? uniform(m, -0.1, 0.1) : slab->node.out[a];
    pole->restore = i ? uniform(m, 0, 0.05) : slab->node.restore;
    for (int k = 0; k < 18; k++) pole->chi2[k] = uniform(m, -1e-2, 1e-2);
    for (int a = 0; a < 3; a++) pole->work[a] = i ? uniform(m, -0.05, 0.05) : 0;
    pole->rest = i ? uniform(m, 1, 1.1) : 1;
  }
}

static void make_dispersion(struct maker *m) {
  struct tor_slab *slab = m->slab;
  slab->ndispersion = 3;
  slab->dispersion = tor_alloc(3, sizeof *slab->dispersion, "random slab");
  for (int i = 0; i < 3; i++) {
    struct tor_dispersion *d = &slab->dispersion[i];
    const int simple = has(m, RANDOM_SIMPLE), explicit = i == 0 || simple; /* without Debye poles */
    d->npoles = between(m, 1, simple ? 6 : i == 1 ? 7 : 4);
    d->pole = tor_alloc((size_t)d->npoles, sizeof *d->pole, "random slab");
    for (int p = 0; p < d->npoles; p++) {
      struct tor_pole_coef *pole = &d->pole[p];
      int kind = between(m, 0, explicit ? 1 : 2); /* Drude, Lorentz, Debye */
      pole->has_p = kind > 0;
      pole->implicit = kind == 2;
      pole->k1 = kind == 2 ? 0 : uniform(m, 0.8, 0.95);
      pole->k2 = kind == 0 ? 0 : uniform(m, -0.05, 0);
      for (int a = 0; a < 3; a++) {
        pole->k3[a] = uniform(m, -0.05, 0.1);
        pole->k4[a] = kind == 2 ? uniform(m, 0, 0.1) : 0;
      }
      d->nstate += 1 + pole->has_p;
      d->implicit |= pole->implicit;
    }
  }
}

static tor_gidx own_coefficients(struct maker *m, struct counts *cap, int lossy) {
  tor_gidx first = cap->coef;
  (void)m;
  cap->coef += (tor_gidx)(lossy ? 6 : 3) * m->slab->nzp;
  return first;
}

static void make_column(struct maker *m, tor_gidx column, struct counts *cap) {
  struct tor_slab *slab = m->slab;
  uint16_t bits = 0;
  static const struct {
    unsigned feature;
    int bit;
  } kind[] = {{RANDOM_COEF, TOR_COL_COEF_E},   {RANDOM_COEF, TOR_COL_COEF_H}, {RANDOM_LOSSY, TOR_COL_LOSSY_E},
              {RANDOM_LOSSY, TOR_COL_LOSSY_H}, {RANDOM_POLES, TOR_COL_POLES}, {RANDOM_INJECT, TOR_COL_INJECT},
              {RANDOM_RECORD, TOR_COL_RECORD}, {RANDOM_NODES, TOR_COL_NODES}};
  for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
    if (has(m, kind[i].feature) && chance(m, 0.4) && !(has(m, RANDOM_SMEM) && kind[i].bit == TOR_COL_COEF_H))
      bits |= (uint16_t)kind[i].bit;
  const int ix = (int)(column / slab->held[1]), iy = (int)(column % slab->held[1]);
  if (tor_slab_in_pec_corner(slab, ix, iy) || (tor_slab_periodic(slab, TOR_Y) && iy == slab->n[1]))
    bits &= (uint16_t)~TOR_COL_NODES;
  if (!bits) return;
  slab->cls[column] |= bits;
  struct tor_extra *extra = extra_new(slab, cap, column);
  if (bits & TOR_COL_COEF_E) extra->coef_e = own_coefficients(m, cap, bits & TOR_COL_LOSSY_E);
  if (bits & TOR_COL_COEF_H) extra->coef_h = own_coefficients(m, cap, bits & TOR_COL_LOSSY_H);
  make_runs(m, extra, cap, bits & TOR_COL_POLES);
  if (bits & TOR_COL_NODES) make_nodes(m, extra, cap);
  make_injects(m, extra, cap, bits & TOR_COL_INJECT);
  make_records(m, extra, cap, bits & TOR_COL_RECORD);
}

/* Fills the arrays of state and weight of a run with values like those of the runs. Values that belong to none stay 0.
 */
static void fill_run(struct maker *m, const struct tor_pole_range *run) {
  struct tor_slab *slab = m->slab;
  if (run->dispersion == TOR_NODE_RUN) {
    const int states = tor_node_states(run), full = run->metal < TOR_TENSOR_NODES;
    const int number = states + (full ? (int)TOR_FULL_POLE : (int)TOR_METAL_MEDIUM), /* a whole one */
        most = full ? slab->nmagnetised - 1 : slab->ndispersion;
    const double weight = 0.5, kerr = 1e-3;
    const int weights = tor_node_weights(run);
    for (int z = run->z0; z < run->z0 + run->nz; z++) {
      const tor_gidx of_state = tor_node_place(run, states, z), of_weight = tor_node_place(run, weights, z);
      for (int k = 0; k < states + weights && of_state >= 0; k++)
        if (k < states)
          set(slab, slab->state, run->state + of_state + (tor_gidx)k * run->pitch, uniform(m, -0.1, 0.1));
        else
          set(slab, slab->weight, run->weight + of_weight + (tor_gidx)(k - states) * run->pitch,
              k == number                           ? between(m, 0, most)
              : full && k == states + TOR_FULL_KERR ? uniform(m, -kerr, kerr)
                                                    : uniform(m, -weight, weight));
    }
    return;
  }
  const int nstate = slab->dispersion[run->dispersion].nstate;
  for (int k = 0; k < nstate + run->branch; k++)
    for (int i = tor_pole_range_lead(run); i < tor_pole_range_lead(run) + run->nz; i++)
      set(slab, slab->state, run->state + (tor_gidx)k * run->pitch + i, uniform(m, -0.1, 0.1));
  for (int k = 0; k < (run->charged ? TOR_BRANCH_WEIGHTS : 1); k++)
    for (int i = tor_pole_range_lead(run); i < tor_pole_range_lead(run) + run->nz; i++)
      set(slab, slab->weight, run->weight + (tor_gidx)k * run->pitch + i,
          k == 0 || run->branch ? uniform(m, 0.1, 1) : k != 2);
}

/* The columns whose E has nodes at its edges' ends. */
static void mark_at_nodes(struct tor_slab *slab, struct counts *cap) {
  slab->has_nodes = 1;
  for (tor_gidx column = 0; column < tor_slab_columns(slab); column++) {
    const tor_gidx iy = column % slab->held[1],
                   around = tor_slab_periodic(slab, TOR_Y) ? column + slab->n[1] - 1 : column,
                   near[3] = {column, iy ? column - 1 : around, column - slab->held[1]};
    for (int i = 0; i < 3 && slab->cls[column] & TOR_COL_NODES; i++) {
      if (near[i] < 0) continue;
      slab->cls[near[i]] |= TOR_COL_AT_NODES;
      if (slab->extra_id[near[i]] < 0) extra_new(slab, cap, near[i]);
    }
  }
}

static void make_columns(struct maker *m, struct counts *cap) {
  struct tor_slab *slab = m->slab;
  slab->cls = tor_alloc((size_t)tor_slab_columns(slab), sizeof *slab->cls, "random slab");
  slab->extra_id = tor_alloc((size_t)tor_slab_columns(slab), sizeof *slab->extra_id, "random slab");
  memset(slab->extra_id, 0xff, (size_t)tor_slab_columns(slab) * sizeof *slab->extra_id);
  for (int ix = 0; ix <= slab->n[0]; ix++)
    for (int iy = 0; iy <= slab->n[1]; iy++) {
      tor_gidx column = tor_slab_column(slab, ix, iy);
      if (slab->cpml[0].index[ix] >= 0) slab->cls[column] |= TOR_COL_CPML_X;
      if (slab->cpml[1].index[iy] >= 0) slab->cls[column] |= TOR_COL_CPML_Y;
      int inside = ix >= m->box_lo[0] && ix < m->box_hi[0] && iy >= m->box_lo[1] && iy < m->box_hi[1];
      if (chance(m, inside ? 0.7 : m->scatter)) make_column(m, column, cap);
    }
  if (has(m, RANDOM_NODES)) mark_at_nodes(slab, cap);
  if (has(m, RANDOM_PLANES)) make_planes(m, cap);
  if (has(m, RANDOM_DAMPED)) random_damping_classes(slab, &cap->extra, &cap->coef);
  /* Coefficients cb lie in 0.2 .. 0.45; ca1, where it follows, may have any value in that range. */
  slab->ncoef = cap->coef;
  slab->coef = reals(m, slab->ncoef, 0.2, 0.45);
  for (int i = 0; i < slab->nextra; i++)
    for (int half = 0; half < 2; half++) {
      tor_gidx first = half ? slab->extra[i].coef_e : slab->extra[i].coef_h;
      if (first < 0) continue;
      tor_gidx end = slab->ncoef; /* the next column's first value */
      for (int k = i; k < slab->nextra && end == slab->ncoef; k++) {
        if (slab->extra[k].coef_e > first) end = slab->extra[k].coef_e;
        if (slab->extra[k].coef_h > first && slab->extra[k].coef_h < end) end = slab->extra[k].coef_h;
      }
      for (tor_gidx at = first + (tor_gidx)3 * slab->nzp; at < end && at < first + (tor_gidx)6 * slab->nzp; at++)
        set(slab, slab->coef, at, uniform(m, -0.1, 0));
    }
  if (has(m, RANDOM_DAMPED)) random_damping_apply(slab);
  slab->state = tor_alloc((size_t)slab->nstate, (size_t)slab->precision, "random slab");
  slab->weight = tor_alloc((size_t)slab->nweight, (size_t)slab->precision, "random slab");
  for (tor_gidx i = 0; i < slab->nrun; i++) fill_run(m, &slab->run[i]);
}

static void make_groups(struct maker *m, const struct counts *cap) {
  struct tor_slab *slab = m->slab;
  int steps = m->r->stage.steps;
  slab->ngroup = 2;
  slab->group = tor_alloc(2, sizeof *slab->group, "random slab");
  for (int g = 0; g < 2; g++) {
    struct tor_record_group *group = &slab->group[g];
    group->kind = g ? TOR_RECORD_DFT : TOR_RECORD_SERIES;
    group->npoints = cap->points[g];
    group->nfreq = g ? between(m, 1, 5) : 0;
    int *sample = tor_alloc((size_t)steps, sizeof *sample, "random slab"), nsample = 0, every = between(m, 1, 3);
    for (int k = 0; k < steps; k++) sample[k] = k % every ? -1 : nsample++;
    group->sample = sample;
    group->every = every;
    group->nsample = nsample;
    group->data = tor_alloc((size_t)group->npoints * (size_t)(g ? 2 * group->nfreq : nsample), sizeof *group->data,
                            "random slab");
    double *phase = tor_alloc((size_t)steps * 4 * (size_t)group->nfreq, sizeof *phase, "random slab");
    for (int i = 0; i < steps * 4 * group->nfreq; i++) phase[i] = uniform(m, -1, 1);
    group->phase = phase;
  }
}

static void make_stage(struct maker *m) {
  struct tor_stage *stage = &m->r->stage;
  for (int t = 0; t < TOR_NINJECT_TABLE; t++) {
    stage->width[t] = TABLE_WIDTH;
    stage->table[t] = reals(m, (tor_gidx)stage->steps * TABLE_WIDTH, -1, 1);
  }
  uint8_t *energy = tor_alloc((size_t)stage->steps, 1, "random slab");
  if (has(m, RANDOM_ENERGY))
    for (int k = 0; k < stage->steps; k++) energy[k] = (uint8_t)chance(m, 0.2);
  stage->energy = energy;
}

static void make_ring(struct maker *m) {
  struct tor_slab *slab = m->slab;
  const int axes = between(m, 1, 3); /* y, z, both */
  for (int a = TOR_Y; a <= TOR_Z; a++)
    if (axes >> (a - 1) & 1) slab->wall[2 * a] = slab->wall[2 * a + 1] = TOR_PERIODIC;
  if (axes & 1) slab->n[TOR_Y] = (slab->n[TOR_Y] + 5) / 6 * 6;
  slab->held[TOR_Y] = slab->n[TOR_Y] + 1;
}

/* Segments along z, as many as n[2] holds, but one at least. */
static void make_segments(struct maker *m) {
  struct tor_slab *slab = m->slab;
  if (!has(m, RANDOM_SEGMENTS)) return;
  const int pitch = 32 * between(m, 1, least(2, most(1, slab->n[TOR_Z] / 32)));
  slab->segments = most(1, slab->n[TOR_Z] / pitch);
  slab->n[TOR_Z] = slab->segments * pitch;
  slab->period = chance(m, 0.5) ? pitch : between(m, 6, pitch);
  if (slab->order == 4 && slab->precision == TOR_F64 && slab->period % 32 == 1) slab->period++;
  slab->wall[TOR_ZLO] = slab->wall[TOR_ZHI] = TOR_PERIODIC;
}

/* What belongs to no segment becomes 0. */
static void clear_between(const struct tor_slab *slab, void *array, tor_gidx vectors) {
  const int pitch = tor_slab_segment_pitch(slab);
  for (tor_gidx i = 0; i < vectors * slab->nzp; i++)
    if (i % slab->nzp < slab->n[TOR_Z] && i % slab->nzp % pitch >= slab->period) set(slab, array, i, 0);
}
static void clear_segments(const struct tor_slab *slab) {
  if (!slab->segments) return;
  clear_between(slab, slab->field, tor_slab_columns(slab) * TOR_NCOMP);
  clear_between(slab, slab->cb, TOR_NCOMP);
  clear_between(slab, slab->ca1, TOR_NCOMP);
  clear_between(slab, slab->coef, slab->ncoef / slab->nzp);
}

struct random_slab *random_slab_new(const struct random_slab_options *options, uint64_t seed) {
  struct random_slab *r = tor_alloc(1, sizeof *r, "random slab");
  struct tor_slab *slab = &r->slab;
  struct maker m = {.r = r, .slab = slab, .scatter = options->scatter, .state = seed};
  for (unsigned bit = 1; bit < RANDOM_ALL; bit <<= 1)
    if (options->always || chance(&m, 0.75)) m.features |= options->features & bit;
  m.features |= options->features & (RANDOM_SIMPLE | RANDOM_SMEM | RANDOM_DAMPED | RANDOM_PERIODIC | RANDOM_PLANE |
                                     RANDOM_RING | RANDOM_SEGMENTS);
  if (has(&m, RANDOM_PLANE)) slab->plane = chance(&m, 0.5) ? TOR_PLANE_TM : TOR_PLANE_TE;
  if (slab->plane == TOR_PLANE_TM) m.features &= ~(unsigned)RANDOM_NODES;
  slab->order = options->order;
  slab->precision = options->precision;
  slab->dt = 0.3;
  slab->node = (struct tor_node_coef){{0.5, 0.4, 0.6},  {0.05, 0.06, 0.04}, 0.05,
                                      {0.2, 0.3, 0.25}, {0.2, 0.3, 0.25},   {0.3, 0.2, 0.25}};
  r->stage.steps = options->steps;
  for (int a = 0; a < 3; a++) {
    slab->n[a] = between(&m, options->min[a], options->max[a]);
    if (has(&m, RANDOM_PLANE) && a == TOR_X) slab->n[a] = 0;
    if (a < 2) slab->held[a] = slab->n[a] + 1;
    for (int side = 0; side < 2; side++)
      slab->wall[2 * a + side] = has(&m, a == TOR_Z ? RANDOM_PMC_Z : RANDOM_PMC) && chance(&m, 0.5) ? TOR_PMC : TOR_PEC;
    if (has(&m, RANDOM_SMEM) && !has(&m, RANDOM_PLANE)) slab->wall[TOR_ZHI] = TOR_PEC;
    if (has(&m, RANDOM_PERIODIC) && chance(&m, 0.7)) slab->wall[2 * a] = slab->wall[2 * a + 1] = TOR_PERIODIC;
  }
  if (has(&m, RANDOM_RING)) make_ring(&m);
  make_segments(&m);
  if (has(&m, RANDOM_PERIODIC | RANDOM_SEGMENTS)) m.features &= ~(unsigned)RANDOM_NODES;
  for (int a = 0; a < 2; a++) {
    m.box_lo[a] = between(&m, 0, slab->n[a]);
    m.box_hi[a] = m.box_lo[a] + between(&m, 1, 1 + slab->n[a] / 3);
  }
  slab->nzp = round_up(slab->n[2] + 4);
  for (int c = 0; c < TOR_NCOMP; c++) slab->energy_scale[c] = 1;
  struct counts cap = {0};
  make_background(&m);
  make_cpml(&m);
  if (options->contents) {
    m.state ^= options->contents;
    free(slab->cb);
    free(slab->ca1);
    make_background(&m);
  }
  make_dispersion(&m);
  make_magnetised(&m);
  make_columns(&m, &cap);
  make_groups(&m, &cap);
  slab->profile = reals(&m, slab->nprofile, -1, 1);
  make_stage(&m);
  make_fields(&m);
  clear_segments(slab);
  const tor_gidx sums = tor_slab_segments(slab) * tor_slab_columns(slab) * TOR_NCOMP;
  slab->energy = tor_alloc((size_t)sums, sizeof *slab->energy, "random slab");
  return r;
}

void random_slab_free(struct random_slab *r) {
  struct tor_slab *slab = &r->slab;
  tor_slab_free_tables(slab);
  for (int g = 0; g < slab->ngroup; g++) {
    free((void *)slab->group[g].sample);
    free((void *)slab->group[g].phase);
    free(slab->group[g].data);
  }
  for (int t = 0; t < TOR_NINJECT_TABLE; t++) free((void *)r->stage.table[t]);
  void *parts[] = {
      r->base,          slab->cls,        slab->extra_id,   slab->extra,      slab->cb,      slab->ca1,
      slab->damping[0], slab->damping[1], slab->damping[2], slab->coef,       slab->psi_x,   slab->psi_y,
      slab->psi_z,      slab->run,        slab->state,      slab->weight,     slab->inject,  slab->record,
      slab->energy,     slab->group,      slab->dispersion, slab->magnetised, slab->profile, (void *)r->stage.energy};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  free(r);
}

void random_slab_describe(const struct random_slab *r, FILE *out) {
  const struct tor_slab *s = &r->slab;
  if (s->plane) fprintf(out, "%s ", s->plane == TOR_PLANE_TM ? "TM" : "TE");
  fprintf(out, "order %d f%d %dx%dx%d, walls ", s->order, 8 * (int)s->precision, s->n[0], s->n[1], s->n[2]);
  for (int f = 0; f < TOR_NFACE; f++) fputc(s->wall[f] == TOR_PMC ? 'M' : s->wall[f] == TOR_PERIODIC ? 'P' : 'E', out);
  fprintf(out, ", layers %d %d %d %d %d %d, extra %d, runs %lld, injects %lld, records %lld\n", s->cpml[0].lo,
          s->cpml[0].hi, s->cpml[1].lo, s->cpml[1].hi, s->cpml[2].lo, s->cpml[2].hi, s->nextra, (long long)s->nrun,
          (long long)s->ninject, (long long)s->nrecord);
}
