/* Segments of random slabs as slabs of their own: see random_segment.h. */
#include "tests/support/random_segment.h"

#include <stdlib.h>
#include <string.h>

#include "diamond/core/engine.h"
#include "src/base/error.h"

/* Copies `count` vectors of a segment from one array to another, which have vectors of so many values each. */
static void copy_vectors(void *to, int to_nzp, const void *from, int from_nzp, tor_gidx count, int values,
                         size_t real) {
  for (tor_gidx i = 0; i < count; i++)
    memcpy((char *)to + (size_t)(i * to_nzp) * real, (const char *)from + (size_t)(i * from_nzp) * real,
           (size_t)values * real);
}

struct cut {
  const struct tor_slab *whole;
  struct tor_slab *own;
  int z0; /* the segment's first value */
};

/* `count` vectors of a segment. */
static void *cut_vectors(const struct cut *cut, const void *whole, tor_gidx count) {
  const size_t real = (size_t)cut->own->precision;
  void *own = tor_alloc((size_t)(count * cut->own->nzp), real, "segment");
  copy_vectors(own, cut->own->nzp, (const char *)whole + (size_t)cut->z0 * real, cut->whole->nzp, count,
               cut->own->n[TOR_Z], real);
  return own;
}

static int is_in(const struct cut *cut, int z0) { return z0 >= cut->z0 && z0 < cut->z0 + cut->own->n[TOR_Z]; }

/* The values of a run in one array of its state or weight. */
static char *values_of(const struct tor_slab *slab, const struct tor_pole_range *run, void *array, tor_gidx first,
                       int number) {
  return (char *)array +
         (size_t)(first + (tor_gidx)number * run->pitch + tor_pole_range_lead(run)) * (size_t)slab->precision;
}
static int states_of(const struct tor_slab *slab, const struct tor_pole_range *run) {
  return slab->dispersion[run->dispersion].nstate + run->branch;
}

/* The runs of a component, and their arrays. */
static void cut_runs(const struct cut *cut, int first, int past) {
  struct tor_slab *own = cut->own;
  const tor_gidx from = own->nrun;
  for (int i = first; i < past; i++)
    if (is_in(cut, cut->whole->run[i].z0)) {
      own->run[own->nrun] = cut->whole->run[i];
      own->run[own->nrun++].z0 -= cut->z0;
    }
  for (tor_gidx i = from; i < own->nrun;)
    i += tor_pole_range_place(own->dispersion, &own->run[i], (int)(own->nrun - i), &own->nstate, &own->nweight);
}

/* Copies the states of the runs to those of their copies, or back, and where `weights` the weights. */
static void copy_states(const struct cut *cut, int back, int weights) {
  const struct tor_slab *whole = cut->whole, *own = cut->own;
  for (tor_gidx i = 0, k = 0; i < whole->nrun; i++) {
    const struct tor_pole_range *from = &whole->run[i], *to = &own->run[k];
    if (!is_in(cut, from->z0)) continue;
    const size_t bytes = (size_t)from->nz * (size_t)whole->precision;
    for (int a = 0; a < states_of(whole, from); a++) {
      char *const theirs = values_of(whole, from, whole->state, from->state, a), *const ours = values_of(
                                                                                     own, to, own->state, to->state, a);
      memcpy(back ? theirs : ours, back ? ours : theirs, bytes);
    }
    for (int a = 0; weights && a < (to->charged ? TOR_BRANCH_WEIGHTS : 1); a++)
      memcpy(values_of(own, to, own->weight, to->weight, a), values_of(whole, from, whole->weight, from->weight, a),
             bytes);
    k++;
  }
}

static void cut_lists(const struct cut *cut) {
  const struct tor_slab *whole = cut->whole;
  struct tor_slab *own = cut->own;
  own->nrun = own->ninject = own->nrecord = own->nstate = own->nweight = 0;
  own->extra = tor_alloc((size_t)whole->nextra, sizeof *own->extra, "segment");
  own->run = tor_alloc((size_t)whole->nrun, sizeof *own->run, "segment");
  own->inject = tor_alloc((size_t)whole->ninject, sizeof *own->inject, "segment");
  own->record = tor_alloc((size_t)whole->nrecord, sizeof *own->record, "segment");
  for (int e = 0; e < whole->nextra; e++) {
    const struct tor_extra *from = &whole->extra[e];
    struct tor_extra *to = &own->extra[e];
    *to = *from;
    if (to->coef_e >= 0) to->coef_e = to->coef_e / whole->nzp * own->nzp;
    if (to->coef_h >= 0) to->coef_h = to->coef_h / whole->nzp * own->nzp;
    for (int c = 0; c < 3; c++) {
      to->run[c] = (int32_t)own->nrun;
      cut_runs(cut, from->run[c], from->run[c + 1]);
    }
    to->run[3] = to->run[4] = (int32_t)own->nrun;
    for (int c = 0; c < TOR_NCOMP; c++) {
      to->inject[c] = (int32_t)own->ninject;
      for (int i = from->inject[c]; i < from->inject[c + 1]; i++)
        if (is_in(cut, whole->inject[i].z0)) {
          own->inject[own->ninject] = whole->inject[i];
          own->inject[own->ninject++].z0 -= cut->z0;
        }
      to->record[c] = (int32_t)own->nrecord;
      for (int i = from->record[c]; i < from->record[c + 1]; i++)
        if (is_in(cut, whole->record[i].z0)) {
          own->record[own->nrecord] = whole->record[i];
          own->record[own->nrecord++].z0 -= cut->z0;
        }
    }
    to->inject[TOR_NCOMP] = (int32_t)own->ninject;
    to->record[TOR_NCOMP] = (int32_t)own->nrecord;
  }
  own->state = tor_alloc((size_t)own->nstate, (size_t)own->precision, "segment");
  own->weight = tor_alloc((size_t)own->nweight, (size_t)own->precision, "segment");
  copy_states(cut, 0, 1);
}

/* The field with the ghost values beyond the ends of z, which meet. */
static void cut_field(const struct cut *cut, struct random_slab *segment) {
  struct tor_slab *own = cut->own;
  const size_t real = (size_t)own->precision;
  const tor_gidx vectors = tor_slab_columns(own) * TOR_NCOMP;
  const int n = own->n[TOR_Z];
  segment->base = tor_alloc((size_t)(vectors * own->nzp) * real + 128, 1, "segment");
  own->field = (char *)segment->base + 64;
  copy_vectors(own->field, own->nzp, (const char *)cut->whole->field + (size_t)cut->z0 * real, cut->whole->nzp, vectors,
               n, real);
  for (tor_gidx i = 0; i < vectors; i++) {
    const int comp = (int)(i % TOR_NCOMP);
    if (tor_comp_axis(comp) == TOR_Z) continue;
    char *const f = (char *)own->field + (size_t)(i * own->nzp) * real;
    for (int k = 0; k < 2; k++) memcpy(f + (size_t)(n + k) * real, f + (size_t)k * real, real);
    for (int k = 1; k <= 1 + tor_comp_is_h(comp); k++) memcpy(f - (size_t)k * real, f + (size_t)(n - k) * real, real);
  }
}

static struct cut cut_of(const struct random_slab *whole, struct random_slab *segment, int k) {
  return (struct cut){&whole->slab, &segment->slab, k * tor_slab_segment_pitch(&whole->slab)};
}
static tor_gidx psis(const struct tor_slab *slab, int axis) {
  return (tor_gidx)slab->cpml[axis].count * slab->held[1 - axis] * 4;
}

/* Segment number k of `whole` with what lies in it; its records go to the groups of `whole`, its stage is that one's.
 */
static struct random_slab *take(const struct random_slab *whole, int k) {
  struct random_slab *segment = tor_alloc(1, sizeof *segment, "segment");
  *segment = *whole;
  struct tor_slab *own = &segment->slab;
  own->segments = 0;
  own->n[TOR_Z] = whole->slab.period;
  own->nzp = (own->n[TOR_Z] + 4 + TOR_VECTOR - 1) / TOR_VECTOR * TOR_VECTOR;
  own->zhi0 = own->n[TOR_Z];
  const struct cut cut = cut_of(whole, segment, k);
  own->cb = cut_vectors(&cut, whole->slab.cb, TOR_NCOMP);
  own->ca1 = cut_vectors(&cut, whole->slab.ca1, TOR_NCOMP);
  own->ncoef = whole->slab.ncoef / whole->slab.nzp * own->nzp;
  own->coef = cut_vectors(&cut, whole->slab.coef, whole->slab.ncoef / whole->slab.nzp);
  own->psi_x = cut_vectors(&cut, whole->slab.psi_x, psis(own, TOR_X));
  own->psi_y = cut_vectors(&cut, whole->slab.psi_y, psis(own, TOR_Y));
  own->energy = tor_alloc((size_t)tor_slab_columns(own) * TOR_NCOMP, sizeof *own->energy, "segment");
  cut_lists(&cut);
  cut_field(&cut, segment);
  return segment;
}

/* Copies fields, psi, poles' states and energy sums back to `whole`, and frees the segment. */
static void put_back(struct random_slab *segment, struct random_slab *whole, int k) {
  const struct cut cut = cut_of(whole, segment, k);
  const struct tor_slab *own = &segment->slab;
  const struct tor_slab *to = &whole->slab;
  const size_t real = (size_t)own->precision, at = (size_t)cut.z0 * real,
               sums = (size_t)tor_slab_columns(own) * TOR_NCOMP;
  const int n = own->n[TOR_Z];
  copy_vectors((char *)to->field + at, to->nzp, own->field, own->nzp, tor_slab_columns(own) * TOR_NCOMP, n, real);
  copy_vectors((char *)to->psi_x + at, to->nzp, own->psi_x, own->nzp, psis(own, TOR_X), n, real);
  copy_vectors((char *)to->psi_y + at, to->nzp, own->psi_y, own->nzp, psis(own, TOR_Y), n, real);
  memcpy(to->energy + (size_t)k * sums, own->energy, sums * sizeof *own->energy);
  copy_states(&cut, 1, 0);
  void *parts[] = {own->cb,  own->ca1,    own->coef,   own->psi_x, own->psi_y,  own->energy,  own->extra,
                   own->run, own->inject, own->record, own->state, own->weight, segment->base};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  free(segment);
}

void random_segments_run(struct random_slab *whole) {
  for (int k = 0; k < whole->slab.segments; k++) {
    struct random_slab *own = take(whole, k);
    tor_engine_run(&own->slab, &own->stage, &(struct tor_engine_setup){TOR_ENGINE_STEPWISE, 1, 8});
    put_back(own, whole, k);
  }
}
