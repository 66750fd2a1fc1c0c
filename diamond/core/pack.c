/* Packed slabs: see pack.h. */
#include "diamond/core/pack.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/pack_maker.h"
#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"

/* --- Which slabs --- */

static int same(const void *a, const void *b, size_t bytes) { return !bytes || !memcmp(a, b, bytes); }

static const char *hinders(const struct tor_slab *s) {
  if (s->plane) return "2-D cells";
  if (s->other) return "complex fields";
  if (s->disk) return "columns on disk";
  if (s->damping[0]) return "absorbers";
  if (!tor_slab_periodic(s, TOR_Z)) return "the vector's ends do not meet";
  for (int a = 0; a < 2; a++)
    if (s->lo[a] || s->held[a] != s->n[a] + 1) return "a part of the domain";
  return NULL;
}

static int same_cpml(const struct tor_slab *a, const struct tor_slab *b, int axis) {
  const struct tor_cpml_axis *p = &a->cpml[axis], *q = &b->cpml[axis];
  const size_t bytes = (size_t)(2 * a->n[axis] + 1) * a->precision;
  return p->lo == q->lo && p->hi == q->hi && p->count == q->count && same(p->ik, q->ik, bytes) &&
         same(p->b, q->b, bytes) && same(p->c, q->c, bytes);
}

/* A column's nodes are one run, of one kind. */
static int same_nodes(const struct tor_slab *a, const struct tor_slab *b) {
  if (!a->has_nodes || !b->has_nodes) return 1;
  if (!same(&a->node, &b->node, sizeof a->node) || a->nmagnetised != b->nmagnetised ||
      !same(a->magnetised, b->magnetised, (size_t)a->nmagnetised * sizeof *a->magnetised))
    return 0;
  for (tor_gidx i = 0; i < tor_slab_columns(a); i++) {
    const struct tor_pole_range *p = tor_slab_nodes(a, i), *q = tor_slab_nodes(b, i);
    if (p && q && p->metal != q->metal) return 0;
  }
  return 1;
}

const char *tor_pack_hinders(const struct tor_slab *a, const struct tor_slab *b) {
  const char *why = hinders(a);
  if (!why) why = hinders(b);
  if (why) return why;
  if (a->order != b->order || a->precision != b->precision) return "other orders or precisions";
  if (!same(a->n, b->n, sizeof a->n) || a->nzp != b->nzp) return "other numbers of cells";
  if (!same(a->wall, b->wall, sizeof a->wall)) return "other walls";
  if (!same(&a->dt, &b->dt, sizeof a->dt) || !same(a->energy_scale, b->energy_scale, sizeof a->energy_scale))
    return "other cells or time steps";
  if (!same_cpml(a, b, TOR_X) || !same_cpml(a, b, TOR_Y)) return "other boundary layers";
  if (!same_nodes(a, b)) return "other kinds of surface nodes";
  return NULL;
}

/* --- Making --- */

/* `count` vectors along z of all parts whose contents are known, into an array of zeros. */
static void merge_vectors(const struct tor_pack_maker *m, void *to, size_t offset, tor_gidx count) {
  const struct tor_pack *pack = m->pack;
  const size_t nzp = (size_t)pack->slab.nzp * m->real;
#pragma omp parallel for schedule(static) num_threads(m->threads)
  for (tor_gidx i = 0; i < count; i++)
    for (int k = 0; k < pack->n; k++) {
      const struct tor_slab *part = pack->part[k];
      const char *from = *(char *const *)((const char *)part + offset);
      if (!part->untouched)
        memcpy((char *)to + (size_t)i * nzp + (size_t)(k * m->pitch) * m->real,
               from + (size_t)i * (size_t)part->nzp * m->real, (size_t)part->n[TOR_Z] * m->real);
    }
}

static tor_gidx psis(const struct tor_slab *slab, int axis) {
  return (tor_gidx)slab->cpml[axis].count * slab->held[!axis] * 4;
}

static void make_fields(struct tor_pack_maker *m) {
  struct tor_pack *pack = m->pack;
  struct tor_slab *slab = &pack->slab;
  const size_t front = 64, vectors = (size_t)tor_slab_columns(slab) * TOR_NCOMP,
               bytes = vectors * (size_t)slab->nzp * m->real + 2 * front;
  slab->untouched = 1;
  for (int k = 0; k < pack->n; k++) slab->untouched &= pack->part[k]->untouched;
  pack->base = slab->untouched ? tor_reserve(bytes) : tor_alloc(bytes, 1, "packed fields");
  if (!pack->base) TOR_DIE("no memory for packed fields: %.3f GB", (double)bytes * 1e-9);
  slab->field = (char *)pack->base + front;
  const tor_gidx psi[2] = {psis(slab, TOR_X), psis(slab, TOR_Y)};
  slab->psi_x = tor_alloc((size_t)psi[0] * (size_t)slab->nzp, m->real, "packed boundary layers");
  slab->psi_y = tor_alloc((size_t)psi[1] * (size_t)slab->nzp, m->real, "packed boundary layers");
  slab->psi_z = tor_alloc(1, m->real, "packed boundary layers");
  const size_t sums = (size_t)tor_slab_columns(slab) * TOR_NCOMP;
  slab->energy = tor_alloc((size_t)pack->n * sums, sizeof *slab->energy, "packed energy sums");
  for (int k = 0; k < pack->n; k++)
    memcpy(slab->energy + (size_t)k * sums, pack->part[k]->energy, sums * sizeof *slab->energy);
  if (slab->untouched) return;
  merge_vectors(m, slab->field, offsetof(struct tor_slab, field), (tor_gidx)vectors);
  merge_vectors(m, slab->psi_x, offsetof(struct tor_slab, psi_x), psi[0]);
  merge_vectors(m, slab->psi_y, offsetof(struct tor_slab, psi_y), psi[1]);
}

static void *copy_of(const void *from, size_t bytes) { return memcpy(tor_alloc(bytes, 1, "packed slab"), from, bytes); }

static void make_cpml(struct tor_pack_maker *m) {
  struct tor_slab *slab = &m->pack->slab;
  const struct tor_slab *first = m->pack->part[0];
  for (int a = 0; a < 2; a++) {
    const size_t bytes = (size_t)(2 * slab->n[a] + 1) * m->real;
    slab->cpml[a] = first->cpml[a];
    slab->cpml[a].ik = copy_of(first->cpml[a].ik, bytes);
    slab->cpml[a].b = copy_of(first->cpml[a].b, bytes);
    slab->cpml[a].c = copy_of(first->cpml[a].c, bytes);
    slab->cpml[a].index = copy_of(first->cpml[a].index, (size_t)(slab->n[a] + 1) * sizeof *first->cpml[a].index);
  }
  struct tor_cpml_axis *z = &slab->cpml[TOR_Z]; /* none */
  const size_t count = 2 * (size_t)slab->nzp;
  z->ik = tor_alloc(count, m->real, "packed slab");
  z->b = tor_alloc(count, m->real, "packed slab");
  z->c = tor_alloc(count, m->real, "packed slab");
  for (size_t i = 0; i < count; i++)
    if (slab->precision == TOR_F32)
      ((float *)z->ik)[i] = 1;
    else
      ((double *)z->ik)[i] = 1;
}

/* The layered background. Behind the parts' values it is 0, but where it is uniform. */
static void make_background(struct tor_pack_maker *m) {
  struct tor_pack *pack = m->pack;
  struct tor_slab *slab = &pack->slab;
  slab->cb = tor_alloc((size_t)TOR_NCOMP * (size_t)slab->nzp, m->real, "packed slab");
  slab->ca1 = tor_alloc((size_t)TOR_NCOMP * (size_t)slab->nzp, m->real, "packed slab");
  for (int c = 0; c < TOR_NCOMP; c++) {
    char *cb = (char *)slab->cb + (size_t)c * (size_t)slab->nzp * m->real,
         *ca1 = (char *)slab->ca1 + (size_t)c * (size_t)slab->nzp * m->real;
    slab->uniform[c] = 1;
    for (int k = 0; k < pack->n; k++) {
      const struct tor_slab *part = pack->part[k];
      const size_t from = (size_t)c * (size_t)part->nzp * m->real, to = (size_t)(k * m->pitch) * m->real,
                   bytes = (size_t)part->n[TOR_Z] * m->real;
      memcpy(cb + to, (const char *)part->cb + from, bytes);
      memcpy(ca1 + to, (const char *)part->ca1 + from, bytes);
      slab->uniform[c] &= part->uniform[c] && same(cb, cb + to, m->real);
    }
    for (int z = 1; z < slab->nzp && slab->uniform[c]; z++) memcpy(cb + (size_t)z * m->real, cb, m->real);
  }
}

static int same_dispersion(const struct tor_dispersion *a, const struct tor_dispersion *b) {
  if (a->npoles != b->npoles || a->nstate != b->nstate || a->implicit != b->implicit) return 0;
  for (int p = 0; p < a->npoles; p++) {
    const struct tor_pole_coef *u = &a->pole[p], *v = &b->pole[p];
    if (u->has_p != v->has_p || u->implicit != v->implicit || !same(&u->k1, &v->k1, sizeof u->k1) ||
        !same(&u->k2, &v->k2, sizeof u->k2) || !same(u->k3, v->k3, sizeof u->k3) || !same(u->k4, v->k4, sizeof u->k4))
      return 0;
  }
  return 1;
}

/* Media that parts have in common are one. */
static void make_dispersion(struct tor_pack_maker *m) {
  struct tor_pack *pack = m->pack;
  struct tor_slab *slab = &pack->slab;
  size_t capacity = 0;
  for (int k = 0; k < pack->n; k++) {
    const struct tor_slab *part = pack->part[k];
    m->dispersion[k] = tor_alloc((size_t)part->ndispersion + 1, sizeof **m->dispersion, "packed slab");
    for (int d = 0; d < part->ndispersion; d++) {
      int at = 0;
      while (at < slab->ndispersion && !same_dispersion(&slab->dispersion[at], &part->dispersion[d])) at++;
      m->dispersion[k][d] = at;
      if (at < slab->ndispersion) continue;
      slab->dispersion = tor_grow(slab->dispersion, (size_t)at + 1, &capacity, sizeof *slab->dispersion);
      slab->dispersion[at] = part->dispersion[d];
      slab->dispersion[at].pole =
          copy_of(part->dispersion[d].pole, (size_t)part->dispersion[d].npoles * sizeof *slab->dispersion->pole);
      slab->ndispersion++;
    }
  }
}

static void make_groups(struct tor_pack_maker *m) {
  struct tor_pack *pack = m->pack;
  struct tor_slab *slab = &pack->slab;
  for (int k = 0; k < pack->n; k++) pack->first_group[k + 1] = pack->first_group[k] + pack->part[k]->ngroup;
  slab->ngroup = pack->first_group[pack->n];
  slab->group = tor_alloc((size_t)slab->ngroup + 1, sizeof *slab->group, "packed slab");
  for (int k = 0; k < pack->n; k++)
    memcpy(slab->group + pack->first_group[k], pack->part[k]->group,
           (size_t)pack->part[k]->ngroup * sizeof *slab->group);
}

/* Which values of the tables' rows the parts' injections read, and where they are in packed rows. */
static void make_tables(struct tor_pack_maker *m) {
  struct tor_pack *pack = m->pack;
  struct tor_slab *slab = &pack->slab;
  int width[TOR_NINJECT_TABLE] = {0};
  for (int k = 0; k < pack->n; k++) {
    const struct tor_slab *part = pack->part[k];
    for (tor_gidx i = 0; i < part->ninject; i++) {
      const struct tor_inject *in = &part->inject[i];
      const int end = in->index + (in->terms ? in->terms : 1 + (in->stride > 0 ? in->stride * (in->nz - 1) : 0));
      if (end > pack->used[k][in->table]) pack->used[k][in->table] = end;
    }
    for (int t = 0; t < TOR_NINJECT_TABLE; t++) {
      m->place[k][t] = width[t];
      width[t] += pack->used[k][t];
    }
    m->profile[k] = slab->nprofile;
    slab->nprofile += part->nprofile;
  }
  slab->profile = tor_alloc((size_t)slab->nprofile + 1, m->real, "packed slab");
  for (int k = 0; k < pack->n; k++)
    memcpy((char *)slab->profile + (size_t)m->profile[k] * m->real, pack->part[k]->profile,
           (size_t)pack->part[k]->nprofile * m->real);
}

/* Sizes and what the parts have in common. */
static void outline(struct tor_pack_maker *m) {
  struct tor_pack *pack = m->pack;
  struct tor_slab *slab = &pack->slab;
  const struct tor_slab *first = pack->part[0];
  *slab = (struct tor_slab){.order = first->order,
                            .precision = first->precision,
                            .plane = first->plane,
                            .dt = first->dt,
                            .segments = pack->n,
                            .period = first->n[TOR_Z]};
  for (int a = 0; a < 2; a++) {
    slab->n[a] = first->n[a];
    slab->held[a] = first->held[a];
  }
  slab->n[TOR_Z] = slab->zhi0 = pack->n * m->pitch;
  slab->nzp = (slab->n[TOR_Z] + 4 + TOR_VECTOR - 1) / TOR_VECTOR * TOR_VECTOR; /* as src/model/model.c */
  memcpy(slab->wall, first->wall, sizeof slab->wall);
  memcpy(slab->energy_scale, first->energy_scale, sizeof slab->energy_scale);
  for (int k = 0; k < pack->n && !slab->has_nodes; k++) {
    const struct tor_slab *part = pack->part[k];
    if (!part->has_nodes) continue;
    slab->has_nodes = 1;
    slab->node = part->node;
    slab->nmagnetised = part->nmagnetised;
    if (slab->nmagnetised)
      slab->magnetised = copy_of(part->magnetised, (size_t)slab->nmagnetised * sizeof *slab->magnetised);
  }
}

void tor_pack_make(struct tor_pack *pack, struct tor_slab *const *part, int n, int pitch, int threads) {
  const size_t count = (size_t)n;
  *pack = (struct tor_pack){.n = n, .part = tor_alloc(count, sizeof(struct tor_slab *), "packed slab")};
  struct tor_pack_maker m = {.pack = pack, .pitch = pitch, .threads = threads, .real = (size_t)part[0]->precision};
  memcpy(pack->part, part, count * sizeof *pack->part);
  pack->first_group = tor_alloc(count + 1, sizeof *pack->first_group, "packed slab");
  pack->first_run = tor_alloc(count + 1, sizeof *pack->first_run, "packed slab");
  pack->used = tor_alloc(count, sizeof *pack->used, "packed slab");
  m.dispersion = tor_alloc(count, sizeof *m.dispersion, "packed slab");
  m.place = tor_alloc(count, sizeof *m.place, "packed slab");
  m.profile = tor_alloc(count, sizeof *m.profile, "packed slab");
  outline(&m);
  make_background(&m);
  make_cpml(&m);
  make_dispersion(&m);
  make_groups(&m);
  make_tables(&m);
  tor_pack_make_columns(&m);
  make_fields(&m);
  for (int k = 0; k < n; k++) free(m.dispersion[k]);
  free(m.dispersion);
  free(m.place);
  free(m.profile);
}

void tor_pack_free(struct tor_pack *pack) {
  struct tor_slab *slab = &pack->slab;
  tor_slab_free_tables(slab);
  for (int t = 0; t < TOR_NINJECT_TABLE; t++) free(pack->table[t]);
  void *parts[] = {pack->base,   pack->part,    pack->first_group, pack->first_run, pack->run,    pack->used,
                   pack->none,   pack->energy,  slab->cls,         slab->extra_id,  slab->extra,  slab->cb,
                   slab->ca1,    slab->coef,    slab->psi_x,       slab->psi_y,     slab->psi_z,  slab->dispersion,
                   slab->run,    slab->state,   slab->weight,      slab->inject,    slab->record, slab->group,
                   slab->energy, slab->profile, slab->magnetised};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  *pack = (struct tor_pack){0};
}
