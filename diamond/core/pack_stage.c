/* Stages of packed slabs, and what they leave, back to the parts: see pack.h. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/pack.h"
#include "diamond/core/pack_rows.h"
#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"

static size_t width_of(const struct tor_pack *pack, int table) {
  size_t width = 0;
  for (int k = 0; k < pack->n; k++) width += (size_t)pack->used[k][table];
  return width;
}

static void enlarge(struct tor_pack *pack, size_t steps) {
  if (steps <= pack->capacity) return;
  pack->capacity = steps;
  for (int t = 0; t < TOR_NINJECT_TABLE; t++) {
    free(pack->table[t]);
    pack->table[t] = tor_alloc(steps * width_of(pack, t), (size_t)pack->slab.precision, "packed tables");
  }
  free(pack->none);
  pack->none = tor_alloc(steps, sizeof *pack->none, "packed tables");
  for (size_t i = 0; i < steps; i++) pack->none[i] = -1;
  free(pack->energy);
  pack->energy = tor_alloc(steps, 1, "packed tables");
}

/* A part's values in the rows of a table; of one that has ended zeros. */
static void merge_table(struct tor_pack *pack, int table, size_t at, int k, const struct tor_stage *stage, int skip,
                        int steps) {
  const size_t real = (size_t)pack->slab.precision, width = width_of(pack, table),
               bytes = (size_t)pack->used[k][table] * real;
  for (int i = 0; i < steps && bytes; i++) {
    char *to = pack->table[table] + ((size_t)i * width + at) * real;
    if (stage)
      memcpy(to, (const char *)stage->table[table] + (size_t)(skip + i) * (size_t)stage->width[table] * real, bytes);
    else
      memset(to, 0, bytes);
  }
}

static void merge_samples(struct tor_pack *pack, int k, const struct tor_stage *stage, int skip) {
  for (int g = pack->first_group[k]; g < pack->first_group[k + 1]; g++) {
    struct tor_record_group *group = &pack->slab.group[g];
    const struct tor_record_group *own = stage ? &pack->part[k]->group[g - pack->first_group[k]] : NULL;
    group->sample = own ? own->sample + skip : pack->none;
    group->phase = own && own->phase ? own->phase + (size_t)skip * 4 * (size_t)own->nfreq : NULL;
  }
}

void tor_pack_stage(struct tor_pack *pack, const struct tor_stage *const *stage, const int *skip, int steps,
                    struct tor_stage *to) {
  int sums = 0;
  enlarge(pack, (size_t)steps);
  *to = (struct tor_stage){.steps = steps};
  memset(pack->energy, 0, (size_t)steps);
  for (int t = 0; t < TOR_NINJECT_TABLE; t++) {
    size_t at = 0;
    for (int k = 0; k < pack->n; k++) {
      merge_table(pack, t, at, k, stage[k], skip[k], steps);
      at += (size_t)pack->used[k][t];
    }
    to->table[t] = pack->table[t];
    to->width[t] = (int)at;
  }
  for (int k = 0; k < pack->n; k++) {
    merge_samples(pack, k, stage[k], skip[k]);
    if (!stage[k]) continue;
    to->first = stage[k]->first + skip[k];
    for (int i = 0; i < steps && stage[k]->energy; i++) sums |= pack->energy[i] |= stage[k]->energy[skip[k] + i];
  }
  to->energy = sums ? pack->energy : NULL;
}

/* --- Back to the parts --- */

/* clear: what lies behind a vector's values becomes 0. */
static void take_vectors(const struct tor_pack *pack, int k, const void *from, void *to, tor_gidx count, int clear) {
  const struct tor_slab *part = pack->part[k];
  const size_t real = (size_t)part->precision, values = (size_t)part->n[TOR_Z] * real, nzp = (size_t)part->nzp * real;
  const char *at = (const char *)from + (size_t)(k * tor_pack_pitch(pack)) * real;
  for (tor_gidx i = 0; i < count; i++) {
    char *vector = (char *)to + (size_t)i * nzp;
    memcpy(vector, at + (size_t)i * (size_t)pack->slab.nzp * real, values);
    if (clear) memset(vector + values, 0, nzp - values);
  }
}

static void take_poles(const struct tor_pack *pack, int k) {
  const struct tor_slab *part = pack->part[k];
  for (tor_gidx i = 0; i < part->nrun; i++) {
    const struct tor_pole_range *own = &part->run[i], *run = tor_pack_run(pack, k, i);
    if (own->dispersion == TOR_NODE_RUN) {
      tor_pack_copy_nodes(pack, k, own, run, tor_node_states(own), part->state, own->state, pack->slab.state,
                          run->state, 1);
      continue;
    }
    for (int r = 0; r < tor_pack_state_rows(part, own); r++)
      tor_pack_copy(pack, part->state, tor_pack_own_row(own, own->state, r), pack->slab.state,
                    tor_pack_row(pack, k, own, run, run->state, r), own->nz);
  }
}

/* The ghost values along z of a vector of n values: those of H reach further down (update.h). */
static void set_ghosts(const struct tor_slab *part, tor_gidx vector, int comp) {
  const size_t real = (size_t)part->precision;
  const int n = part->n[TOR_Z], second = n > 1;
  char *const f = (char *)part->field + (size_t)vector * real;
  const int to[4] = {n, -1, n + 1, -2}, from[4] = {0, n - 1, second, n - 1 - second};
  for (int i = 0; i < (tor_comp_is_h(comp) ? 4 : 3); i++)
    memcpy(f + (ptrdiff_t)real * to[i], f + (ptrdiff_t)real * from[i], real);
}

static void set_all_ghosts(const struct tor_slab *part) {
  static const int tangential[4] = {TOR_EX, TOR_EY, TOR_HX, TOR_HY};
  for (int ix = 0; ix <= part->n[0]; ix++)
    for (int iy = 0; iy <= part->n[1]; iy++)
      for (int i = 0; i < 4; i++) {
        const int c = tangential[i], u = 2 * ix + (c == TOR_EX || c == TOR_HY),
                  v = 2 * iy + (c == TOR_EY || c == TOR_HX);
        if (u < tor_slab_first(part, TOR_X) || u > tor_slab_last(part, TOR_X)) continue;
        if (v < tor_slab_first(part, TOR_Y) || v > tor_slab_last(part, TOR_Y)) continue;
        set_ghosts(part, tor_slab_vector(part, tor_slab_column(part, ix, iy), c), c);
      }
}

void tor_pack_take(const struct tor_pack *pack, int k) {
  struct tor_slab *part = pack->part[k];
  const struct tor_slab *slab = &pack->slab;
  const tor_gidx columns = tor_slab_columns(part);
  const size_t real = (size_t)part->precision;
  memset((char *)part->field - TOR_IMAGES * real, 0, TOR_IMAGES * real);
  take_vectors(pack, k, slab->field, part->field, columns * TOR_NCOMP, 1);
  take_vectors(pack, k, slab->psi_x, part->psi_x, (tor_gidx)part->cpml[TOR_X].count * part->held[TOR_Y] * 4, 0);
  take_vectors(pack, k, slab->psi_y, part->psi_y, (tor_gidx)part->cpml[TOR_Y].count * part->held[TOR_X] * 4, 0);
  take_poles(pack, k);
  set_all_ghosts(part);
  part->untouched = 0;
}

void tor_pack_take_energy(const struct tor_pack *pack, int k) {
  const size_t sums = (size_t)tor_slab_columns(&pack->slab) * TOR_NCOMP;
  memcpy(pack->part[k]->energy, pack->slab.energy + (size_t)k * sums, sums * sizeof *pack->slab.energy);
}
