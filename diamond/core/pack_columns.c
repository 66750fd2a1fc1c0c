/* The columns of packed slabs: see pack.h. They are merged in order, so that lists and arrays lie in the order of the
 * columns, and of a column's component in the order of the parts. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "diamond/core/pack.h"
#include "diamond/core/pack_maker.h"
#include "diamond/core/pack_rows.h"
#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"

static const struct tor_extra *extra_of(const struct tor_slab *part, tor_gidx column) {
  return part->extra_id[column] < 0 ? NULL : &part->extra[part->extra_id[column]];
}

static void add_runs(struct tor_pack_maker *m, int k, const struct tor_extra *extra, int comp) {
  struct tor_pack *pack = m->pack;
  struct tor_slab *slab = &pack->slab;
  const tor_gidx first = slab->nrun;
  for (int32_t i = extra->run[comp]; i < extra->run[comp + 1]; i++) {
    struct tor_pole_range *run = &slab->run[slab->nrun];
    *run = pack->part[k]->run[i];
    run->z0 += k * m->pitch;
    run->dispersion = m->dispersion[k][run->dispersion];
    pack->run[pack->first_run[k] + i] = (int32_t)slab->nrun++;
  }
  for (tor_gidx i = first; i < slab->nrun;)
    i += tor_pole_range_place(slab->dispersion, &slab->run[i], (int)(slab->nrun - i), &slab->nstate, &slab->nweight);
}

/* The nodes of all parts are one run. */
static void add_nodes(struct tor_pack_maker *m, tor_gidx column) {
  struct tor_pack *pack = m->pack;
  struct tor_slab *slab = &pack->slab;
  struct tor_pole_range *run = &slab->run[slab->nrun];
  int past = -1;
  for (int k = 0; k < pack->n; k++) {
    const struct tor_slab *part = pack->part[k];
    const struct tor_pole_range *own = tor_slab_nodes(part, column);
    if (!own) continue;
    if (past < 0) {
      *run = *own;
      run->z0 += k * m->pitch;
      run->gap0 = run->gap = 0;
    }
    past = k * m->pitch + own->z0 + own->nz;
    pack->run[pack->first_run[k] + (own - part->run)] = (int32_t)slab->nrun;
  }
  if (past < 0) return;
  run->nz = past - run->z0;
  tor_node_run_place(run, &slab->nstate, &slab->nweight);
  slab->nrun++;
}

static void add_entries(struct tor_pack_maker *m, int k, const struct tor_extra *extra, int comp) {
  const struct tor_slab *part = m->pack->part[k];
  struct tor_slab *slab = &m->pack->slab;
  for (int32_t i = extra->inject[comp]; i < extra->inject[comp + 1]; i++) {
    struct tor_inject *in = &slab->inject[slab->ninject++];
    *in = part->inject[i];
    in->z0 += k * m->pitch;
    in->index += m->place[k][in->table];
    in->profile += m->profile[k];
  }
  for (int32_t i = extra->record[comp]; i < extra->record[comp + 1]; i++) {
    struct tor_record *rec = &slab->record[slab->nrecord++];
    *rec = part->record[i];
    rec->z0 += k * m->pitch;
    rec->group += m->pack->first_group[k];
  }
}

/* The classes of the parts' columns together. A loss that some of them have is 0 in the others', so that the column has
 * coefficients of its own. */
static uint16_t class_of(const struct tor_pack *pack, tor_gidx column) {
  unsigned any = 0, all = ~0u;
  for (int k = 0; k < pack->n; k++) {
    any |= pack->part[k]->cls[column];
    all &= pack->part[k]->cls[column];
  }
  if (any & ~all & TOR_COL_LOSSY_E) any |= TOR_COL_COEF_E;
  if (any & ~all & TOR_COL_LOSSY_H) any |= TOR_COL_COEF_H;
  return (uint16_t)any;
}

static tor_gidx own_coefficients(struct tor_slab *slab, unsigned cls, int own, int lossy) {
  const tor_gidx first = slab->ncoef;
  if (!(cls & (unsigned)own)) return -1;
  slab->ncoef += (tor_gidx)(cls & (unsigned)lossy ? 6 : 3) * slab->nzp;
  return first;
}

static void make_column(struct tor_pack_maker *m, tor_gidx column) {
  struct tor_pack *pack = m->pack;
  struct tor_slab *slab = &pack->slab;
  int any = 0;
  const unsigned cls = slab->cls[column] = class_of(pack, column);
  for (int k = 0; k < pack->n; k++) any |= pack->part[k]->extra_id[column] >= 0;
  if (!any && !(cls & (TOR_COL_COEF_E | TOR_COL_COEF_H))) return;
  slab->extra = tor_grow(slab->extra, (size_t)slab->nextra + 1, &m->capacity, sizeof *slab->extra);
  struct tor_extra *extra = &slab->extra[slab->nextra];
  slab->extra_id[column] = slab->nextra++;
  extra->coef_e = own_coefficients(slab, cls, TOR_COL_COEF_E, TOR_COL_LOSSY_E);
  extra->coef_h = own_coefficients(slab, cls, TOR_COL_COEF_H, TOR_COL_LOSSY_H);
  for (int c = 0; c < TOR_NCOMP; c++) {
    if (c < 5) extra->run[c] = (int32_t)slab->nrun;
    if (c == 3) add_nodes(m, column);
    extra->inject[c] = (int32_t)slab->ninject;
    extra->record[c] = (int32_t)slab->nrecord;
    for (int k = 0; k < pack->n; k++) {
      const struct tor_extra *own = extra_of(pack->part[k], column);
      if (own && c < 3) add_runs(m, k, own, c);
      if (own) add_entries(m, k, own, c);
    }
  }
  extra->inject[TOR_NCOMP] = (int32_t)slab->ninject;
  extra->record[TOR_NCOMP] = (int32_t)slab->nrecord;
}

/* A half of a column's own coefficients, three components from `c0` on: of parts without such the background's. */
static void fill_coefficients(const struct tor_pack_maker *m, tor_gidx column, tor_gidx to, int own, int lossy,
                              int c0) {
  const struct tor_pack *pack = m->pack;
  const struct tor_slab *slab = &pack->slab;
  const int losses = (slab->cls[column] & lossy) != 0;
  for (int k = 0; k < pack->n && to >= 0; k++) {
    const struct tor_slab *part = pack->part[k];
    const unsigned cls = part->cls[column];
    const struct tor_extra *extra = extra_of(part, column);
    const char *cb = (const char *)part->cb + (size_t)c0 * (size_t)part->nzp * m->real,
               *ca1 = (const char *)part->ca1 + (size_t)c0 * (size_t)part->nzp * m->real;
    if (cls & (unsigned)own) {
      cb = (const char *)part->coef + (size_t)(c0 ? extra->coef_h : extra->coef_e) * m->real;
      ca1 = cb + 3 * (size_t)part->nzp * m->real;
    }
    for (int c = 0; c < 3; c++) {
      const size_t from = (size_t)c * (size_t)part->nzp * m->real, bytes = (size_t)part->n[TOR_Z] * m->real;
      const tor_gidx at = to + (tor_gidx)c * slab->nzp + k * m->pitch;
      memcpy((char *)slab->coef + (size_t)at * m->real, cb + from, bytes);
      if (losses && cls & (unsigned)lossy)
        memcpy((char *)slab->coef + (size_t)(at + (tor_gidx)3 * slab->nzp) * m->real, ca1 + from, bytes);
    }
  }
}

static void set(const struct tor_slab *slab, void *array, tor_gidx at, int count, double value) {
  for (tor_gidx i = at; i < at + count; i++)
    if (slab->precision == TOR_F32)
      ((float *)array)[i] = (float)value;
    else
      ((double *)array)[i] = value;
}

/* The medium that a weight of a metal's node names, 1 + the dispersion. */
static void name_medium(const struct tor_pack_maker *m, int k, tor_gidx at) {
  const struct tor_slab *slab = &m->pack->slab;
  const int medium =
      (int)(slab->precision == TOR_F32 ? (double)((float *)slab->weight)[at] : ((double *)slab->weight)[at]);
  if (medium) set(slab, slab->weight, at, 1, 1 + m->dispersion[k][medium - 1]);
}

static void fill_nodes(const struct tor_pack_maker *m, int k, const struct tor_pole_range *own,
                       const struct tor_pole_range *run) {
  const struct tor_pack *pack = m->pack;
  const struct tor_slab *part = pack->part[k];
  const int rows = tor_node_weights(own), shift = k * tor_pack_pitch(pack);
  tor_pack_copy_nodes(pack, k, own, run, rows, part->weight, own->weight, pack->slab.weight, run->weight, 0);
  for (int z = own->z0; z < own->z0 + own->nz && own->metal > 0; z++)
    name_medium(m, k, run->weight + tor_node_place(run, rows, z + shift) + (tor_gidx)TOR_METAL_MEDIUM * run->pitch);
  if (!part->untouched)
    tor_pack_copy_nodes(pack, k, own, run, tor_node_states(own), part->state, own->state, pack->slab.state, run->state,
                        0);
}

/* Weights that runs beside a branch have: of those of no branch, which may lie beside none in their own slab. */
static void fill_weights(const struct tor_pack_maker *m, int k, const struct tor_pole_range *own,
                         const struct tor_pole_range *run) {
  static const double beside[TOR_BRANCH_WEIGHTS] = {0, 1, 0, 1};
  const struct tor_pack *pack = m->pack;
  const int rows = run->charged ? (int)TOR_BRANCH_WEIGHTS : 1;
  for (int r = 0; r < rows; r++) {
    const tor_gidx at = tor_pack_row(pack, k, own, run, run->weight, r);
    if (r && !own->charged)
      set(&pack->slab, pack->slab.weight, at, own->nz, beside[r]);
    else
      tor_pack_copy(pack, pack->slab.weight, at, pack->part[k]->weight, tor_pack_own_row(own, own->weight, r), own->nz);
  }
}

static void fill_run(const struct tor_pack_maker *m, int k, tor_gidx i) {
  const struct tor_pack *pack = m->pack;
  const struct tor_slab *part = pack->part[k];
  const struct tor_pole_range *own = &part->run[i], *run = tor_pack_run(pack, k, i);
  if (own->dispersion == TOR_NODE_RUN) return fill_nodes(m, k, own, run);
  fill_weights(m, k, own, run);
  for (int r = 0; r < tor_pack_state_rows(part, own) && !part->untouched; r++)
    tor_pack_copy(pack, pack->slab.state, tor_pack_row(pack, k, own, run, run->state, r), part->state,
                  tor_pack_own_row(own, own->state, r), own->nz);
}

void tor_pack_make_columns(struct tor_pack_maker *m) {
  struct tor_pack *pack = m->pack;
  struct tor_slab *slab = &pack->slab;
  const size_t columns = (size_t)tor_slab_columns(slab);
  tor_gidx runs = 0, injects = 0, records = 0;
  for (int k = 0; k < pack->n; k++) {
    const struct tor_slab *part = pack->part[k];
    pack->first_run[k] = runs;
    runs += part->nrun;
    injects += part->ninject;
    records += part->nrecord;
  }
  if (runs > INT32_MAX || injects > INT32_MAX || records > INT32_MAX)
    TOR_DIE("more than %d entries of poles, sources or monitors in a packed slab", INT32_MAX);
  pack->first_run[pack->n] = runs;
  pack->run = tor_alloc((size_t)runs + 1, sizeof *pack->run, "packed slab");
  slab->run = tor_alloc((size_t)runs + 1, sizeof *slab->run, "packed slab");
  slab->inject = tor_alloc((size_t)injects + 1, sizeof *slab->inject, "packed slab");
  slab->record = tor_alloc((size_t)records + 1, sizeof *slab->record, "packed slab");
  slab->cls = tor_alloc(columns, sizeof *slab->cls, "packed slab");
  slab->extra_id = tor_alloc(columns, sizeof *slab->extra_id, "packed slab");
  memset(slab->extra_id, 0xff, columns * sizeof *slab->extra_id);
  for (size_t i = 0; i < columns; i++) make_column(m, (tor_gidx)i);
  slab->coef = tor_reserve_zeros((size_t)slab->ncoef + 1, m->real);
  slab->state = tor_reserve_zeros((size_t)slab->nstate + 1, m->real);
  slab->weight = tor_reserve_zeros((size_t)slab->nweight + 1, m->real);
  if (!slab->coef || !slab->state || !slab->weight) TOR_DIE("no memory for the coefficients of a packed slab");
#pragma omp parallel for schedule(static) num_threads(m->threads)
  for (size_t i = 0; i < columns; i++) {
    const struct tor_extra *extra = extra_of(slab, (tor_gidx)i);
    if (!extra) continue;
    fill_coefficients(m, (tor_gidx)i, extra->coef_e, TOR_COL_COEF_E, TOR_COL_LOSSY_E, TOR_EX);
    fill_coefficients(m, (tor_gidx)i, extra->coef_h, TOR_COL_COEF_H, TOR_COL_LOSSY_H, TOR_HX);
  }
  for (int k = 0; k < pack->n; k++)
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (tor_gidx i = 0; i < pack->part[k]->nrun; i++) fill_run(m, k, i);
}
