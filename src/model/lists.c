/* Lists: see lists.h. They are filled in two passes over the same entries: one counts those of each column and
 * component, the other stores each entry at its index. */
#include "src/model/lists.h"

#include <stddef.h>
#include <stdint.h>

#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/model/monitor.h"
#include "src/model/source.h"

struct lists {
  struct tor_slab *slab;
  size_t *capacity; /* of slab->extra */
  int of_records;
};

static struct tor_extra *extra_of(const struct lists *l, tor_gidx column) {
  struct tor_slab *slab = l->slab;
  if (slab->extra_id[column] < 0) {
    slab->extra = tor_grow(slab->extra, (size_t)slab->nextra + 1, l->capacity, sizeof *slab->extra);
    slab->extra[slab->nextra] = (struct tor_extra){.coef_e = -1, .coef_h = -1};
    slab->extra_id[column] = slab->nextra++;
  }
  return &slab->extra[slab->extra_id[column]];
}

/* A column's numbers: entries by component in the first pass, then the index of the next entry. */
static int32_t *numbers_of(const struct lists *l, tor_gidx column) {
  struct tor_extra *extra = extra_of(l, column);
  return l->of_records ? extra->record : extra->inject;
}
static uint16_t class_of(const struct lists *l) { return l->of_records ? TOR_COL_RECORD : TOR_COL_INJECT; }

/* Number of the held column that is one of the domain; -1: none. */
static tor_gidx column_of(const struct lists *l, int ix, int iy) {
  const int y = tor_slab_held_y(l->slab, iy);
  return y < l->slab->lo[1] || y >= l->slab->lo[1] + l->slab->held[1] ? -1 : tor_slab_column(l->slab, ix, y);
}

static void count(const struct lists *l, int ix, int iy, int comp) {
  const tor_gidx column = column_of(l, ix, iy);
  if (column < 0) return;
  l->slab->cls[column] |= class_of(l);
  numbers_of(l, column)[comp]++;
}
static void count_inject(void *lists, int ix, int iy, int comp, const struct tor_inject *entry) {
  (void)entry;
  count(lists, ix, iy, comp);
}
static void count_record(void *lists, int ix, int iy, int comp, const struct tor_record *entry) {
  (void)entry;
  count(lists, ix, iy, comp);
}

/* The index of an entry; -1: its column is not held. */
static tor_gidx place(const struct lists *l, int ix, int iy, int comp) {
  const tor_gidx column = column_of(l, ix, iy);
  return column < 0 ? -1 : numbers_of(l, column)[comp]++;
}
static void put_inject(void *lists, int ix, int iy, int comp, const struct tor_inject *entry) {
  const struct lists *l = lists;
  const tor_gidx at = place(l, ix, iy, comp);
  if (at >= 0) l->slab->inject[at] = *entry;
}
static void put_record(void *lists, int ix, int iy, int comp, const struct tor_record *entry) {
  const struct lists *l = lists;
  const tor_gidx at = place(l, ix, iy, comp);
  if (at >= 0) l->slab->record[at] = *entry;
}

/* Turns counts into offsets, in the order of the columns. Returns the number of entries. */
static size_t share_out(const struct lists *l) {
  tor_gidx at = 0;
  for (tor_gidx column = 0; column < tor_slab_columns(l->slab); column++) {
    if (!(l->slab->cls[column] & class_of(l))) continue;
    int32_t *first = numbers_of(l, column);
    for (int c = 0; c < TOR_NCOMP; c++) {
      const int32_t n = first[c];
      first[c] = (int32_t)at;
      at += n;
    }
    if (at > INT32_MAX)
      TOR_DIE("more than %d entries of sources or monitors in one slab; split the domain over ranks", INT32_MAX);
  }
  return (size_t)at;
}

/* After filling, each component's offset is its end, where the next component begins. */
static void close_lists(const struct lists *l) {
  int32_t begin = 0;
  for (tor_gidx column = 0; column < tor_slab_columns(l->slab); column++) {
    if (!(l->slab->cls[column] & class_of(l))) continue;
    int32_t *first = numbers_of(l, column);
    for (int c = TOR_NCOMP; c > 0; c--) first[c] = first[c - 1];
    first[0] = begin;
    begin = first[TOR_NCOMP];
  }
}

void tor_lists_make(struct tor_slab *slab, const struct tor_sources *sources, const struct tor_monitors *monitors,
                    size_t *capacity) {
  struct tor_column_block held = tor_column_block_held(slab);
  if (tor_slab_is_arc(slab)) held.y0 = 0, held.y1 = slab->n[TOR_Y]; /* of these only the columns that are held */
  struct lists l = {slab, capacity, 0};
  tor_sources_inject(sources, &held, count_inject, &l);
  size_t entries = share_out(&l);
  slab->inject = tor_alloc(entries, sizeof *slab->inject, "source lists");
  slab->ninject = (tor_gidx)entries;
  tor_sources_inject(sources, &held, put_inject, &l);
  close_lists(&l);
  slab->nprofile = tor_sources_profiles(sources, &held, slab->precision, NULL);
  slab->profile = tor_alloc((size_t)slab->nprofile, (size_t)slab->precision, "source profiles");
  tor_sources_profiles(sources, &held, slab->precision, slab->profile);
  l.of_records = 1;
  tor_monitors_record(monitors, &held, count_record, &l);
  entries = share_out(&l);
  slab->record = tor_alloc(entries, sizeof *slab->record, "monitor lists");
  slab->nrecord = (tor_gidx)entries;
  tor_monitors_record(monitors, &held, put_record, &l);
  close_lists(&l);
}

double tor_lists_bytes(const struct tor_sources *sources, const struct tor_monitors *monitors, double columns,
                       double extra, double *entries) {
  const double injects = tor_sources_inject(sources, NULL, NULL, NULL),
               records = tor_monitors_record(monitors, NULL, NULL, NULL);
  *entries = injects + records;
  /* A face or a plane has two entries or more a column. */
  const double listed = extra + 0.5 * *entries;
  return injects * sizeof(struct tor_inject) + records * sizeof(struct tor_record) +
         (listed < columns ? listed : columns) * sizeof(struct tor_extra);
}
