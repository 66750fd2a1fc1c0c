/* Injections and records that most columns have in common: see planes.h. */
#include "diamond/core/planes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"

/* A column, and a hash of its injections and records without their places in tables and monitors. */
struct signature {
  uint64_t hash;
  tor_gidx column;
};

static uint64_t mix(uint64_t hash, uint64_t value) { /* FNV-1a, by words */ return (hash ^ value) * 0x100000001b3u; }
static uint64_t mix_range(uint64_t hash, int comp, int z0, int nz) {
  return mix(mix(hash, (uint64_t)comp), (uint64_t)z0 << 32 | (uint32_t)nz);
}

static const struct tor_extra *extra_at(const struct tor_slab *slab, tor_gidx column) {
  return &slab->extra[slab->extra_id[column]];
}

static int poles_near(const struct tor_slab *slab, tor_gidx column, int comp, int z) {
  if (tor_comp_is_h(comp) || !(slab->cls[column] & TOR_COL_POLES)) return 0;
  const struct tor_extra *extra = extra_at(slab, column);
  const int lo = z / TOR_PLANE_RANGE * TOR_PLANE_RANGE;
  for (int i = extra->run[comp]; i < extra->run[comp + 1]; i++) {
    const struct tor_pole_range *run = &slab->run[i];
    if (run->z0 < lo + TOR_PLANE_RANGE && run->z0 + run->nz > lo) return 1;
  }
  return 0;
}

static int injects_fit(const struct tor_slab *slab, tor_gidx column, int comp, int most, int at_once) {
  const struct tor_extra *extra = extra_at(slab, column);
  const int first = extra->inject[comp], past = extra->inject[comp + 1];
  if (past - first > most) return 0;
  for (int i = first; i < past; i++) {
    int here = 0;
    for (int j = first; j < past; j++) here += slab->inject[j].z0 == slab->inject[i].z0;
    if (slab->inject[i].nz != 1 || slab->inject[i].terms || here > at_once ||
        poles_near(slab, column, comp, slab->inject[i].z0))
      return 0;
  }
  return 1;
}

static int records_fit(const struct tor_slab *slab, tor_gidx column, int comp) {
  const struct tor_extra *extra = extra_at(slab, column);
  const int first = extra->record[comp], past = extra->record[comp + 1];
  if (past - first > TOR_MOST_PLANES) return 0;
  for (int i = first; i < past; i++) {
    const struct tor_record *r = &slab->record[i];
    if (slab->group[r->group].kind != TOR_RECORD_DFT) return 0;
    for (int j = first; j < i; j++)
      if (slab->record[j].z0 < r->z0 + r->nz && r->z0 < slab->record[j].z0 + slab->record[j].nz) return 0;
  }
  return 1;
}

static int fits(const struct tor_slab *slab, tor_gidx column, int most, int at_once) {
  const unsigned cls = tor_class_undamped(slab->cls[column], slab->damping[0] != NULL);
  if (!(cls & (TOR_COL_INJECT | TOR_COL_RECORD))) return 0;
  if (cls & (TOR_COL_COEF_H | TOR_COL_LOSSY_E | TOR_COL_LOSSY_H)) return 0;
  for (int c = 0; c < TOR_NCOMP; c++)
    if (!injects_fit(slab, column, c, most, at_once) || !records_fit(slab, column, c)) return 0;
  return 1;
}

static uint64_t hash_of(const struct tor_slab *slab, tor_gidx column) {
  const struct tor_extra *extra = extra_at(slab, column);
  uint64_t hash = 0xcbf29ce484222325u;
  for (int c = 0; c < TOR_NCOMP; c++) {
    for (int i = extra->inject[c]; i < extra->inject[c + 1]; i++) {
      const struct tor_inject *in = &slab->inject[i];
      uint64_t factor[2];
      memcpy(&factor[0], &in->factor, sizeof factor[0]);
      memcpy(&factor[1], &in->imaginary, sizeof factor[1]);
      hash = mix(mix(mix(mix_range(hash, c, in->z0, in->nz), (uint64_t)in->table), factor[0]), factor[1]);
    }
    hash = mix(hash, 1);
    for (int i = extra->record[c]; i < extra->record[c + 1]; i++)
      hash = mix(mix_range(hash, c, slab->record[i].z0, slab->record[i].nz), (uint64_t)slab->record[i].group);
  }
  return hash;
}

static int compare_signatures(const void *pa, const void *pb) {
  const struct signature *a = pa, *b = pb;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return a->column < b->column ? -1 : a->column > b->column;
}

/* The largest class of columns of one signature: `count` from the returned one on, in their order. */
static const struct signature *largest_class(const struct signature *all, size_t total, size_t *count) {
  const struct signature *best = all;
  *count = 0;
  for (size_t i = 0, past; i < total; i = past) {
    for (past = i + 1; past < total && all[past].hash == all[i].hash;) past++;
    if (past - i > *count) {
      *count = past - i;
      best = &all[i];
    }
  }
  return best;
}

static int is_in(const struct signature *class, size_t count, tor_gidx column) {
  const struct signature key = {class->hash, column};
  return bsearch(&key, class, count, sizeof key, compare_signatures) != NULL;
}

/* The planes as the column `at` and its neighbours along x and y have them, in the column's order. */
static void take_planes(const struct tor_slab *slab, tor_gidx at, struct tor_planes *planes) {
  const tor_gidx next[2] = {at + slab->held[1], at + 1}, ix = at / slab->held[1], iy = at % slab->held[1];
  const struct tor_extra *here = extra_at(slab, at);
  for (int c = 0; c < TOR_NCOMP; c++) {
    for (int i = here->inject[c]; i < here->inject[c + 1]; i++) {
      struct tor_plane_inject *plane = &planes->inject[c][planes->ninject[c]++];
      plane->at = slab->inject[i];
      for (int a = 0; a < 2; a++)
        plane->along[a] =
            slab->inject[extra_at(slab, next[a])->inject[c] + i - here->inject[c]].index - plane->at.index;
      plane->at.index -= (int)(plane->along[0] * ix + plane->along[1] * iy);
    }
    for (int i = here->record[c]; i < here->record[c + 1]; i++) {
      struct tor_plane_record *plane = &planes->record[c][planes->nrecord[c]++];
      plane->at = slab->record[i];
      for (int a = 0; a < 2; a++)
        plane->along[a] =
            slab->record[extra_at(slab, next[a])->record[c] + i - here->record[c]].offset - plane->at.offset;
      plane->at.offset -= plane->along[0] * ix + plane->along[1] * iy;
    }
  }
}

/* Whether a column's lists are those of the planes, in its order. */
static int is_of(const struct tor_slab *slab, tor_gidx column, const struct tor_planes *planes) {
  const struct tor_extra *extra = extra_at(slab, column);
  const tor_gidx ix = column / slab->held[1], iy = column % slab->held[1];
  for (int c = 0; c < TOR_NCOMP; c++) {
    if (extra->inject[c + 1] - extra->inject[c] != planes->ninject[c]) return 0;
    if (extra->record[c + 1] - extra->record[c] != planes->nrecord[c]) return 0;
    for (int i = 0; i < planes->ninject[c]; i++) {
      const struct tor_inject *in = &slab->inject[extra->inject[c] + i];
      const struct tor_plane_inject *plane = &planes->inject[c][i];
      if (in->z0 != plane->at.z0 || in->nz != plane->at.nz || in->table != plane->at.table ||
          memcmp(&in->factor, &plane->at.factor, sizeof in->factor) ||
          memcmp(&in->imaginary, &plane->at.imaginary, sizeof in->imaginary) ||
          in->index != plane->at.index + plane->along[0] * ix + plane->along[1] * iy)
        return 0;
    }
    for (int i = 0; i < planes->nrecord[c]; i++) {
      const struct tor_record *r = &slab->record[extra->record[c] + i];
      const struct tor_plane_record *plane = &planes->record[c][i];
      if (r->z0 != plane->at.z0 || r->nz != plane->at.nz || r->group != plane->at.group ||
          r->offset != plane->at.offset + plane->along[0] * ix + plane->along[1] * iy)
        return 0;
    }
  }
  return 1;
}

/* Injections in the order of z; those at one z stay in theirs. */
static void sort_injects(struct tor_plane_inject *inject, int count) {
  for (int i = 1; i < count; i++) {
    const struct tor_plane_inject plane = inject[i];
    int k = i;
    for (; k > 0 && inject[k - 1].at.z0 > plane.at.z0; k--) inject[k] = inject[k - 1];
    inject[k] = plane;
  }
}

/* The first column of the class whose neighbours along x and y are in it, too; -1: there is none. */
static tor_gidx find_column(const struct tor_slab *slab, const struct signature *class, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const tor_gidx at = class[i].column;
    if (at % slab->held[1] != slab->held[1] - 1 && is_in(class, count, at + 1) &&
        is_in(class, count, at + slab->held[1]))
      return at;
  }
  return -1;
}

tor_gidx tor_planes_find(const struct tor_slab *slab, int most, int at_once, struct tor_planes *planes, uint8_t *has) {
  const tor_gidx columns = tor_slab_columns(slab);
  memset(planes, 0, sizeof *planes);
  memset(has, 0, (size_t)columns);
  struct signature *all = tor_alloc((size_t)columns, sizeof *all, "sources and monitors");
  size_t total = 0, count;
  for (tor_gidx i = 0; i < columns; i++)
    if (fits(slab, i, most, at_once)) all[total++] = (struct signature){hash_of(slab, i), i};
  qsort(all, total, sizeof *all, compare_signatures);
  const struct signature *class = largest_class(all, total, &count);
  const tor_gidx at = find_column(slab, class, count);
  tor_gidx found = 0;
  if (at >= 0) {
    take_planes(slab, at, planes);
    for (size_t k = 0; k < count; k++) found += has[class[k].column] = (uint8_t)is_of(slab, class[k].column, planes);
    for (int c = 0; c < TOR_NCOMP; c++) sort_injects(planes->inject[c], planes->ninject[c]);
  }
  free(all);
  return found;
}
