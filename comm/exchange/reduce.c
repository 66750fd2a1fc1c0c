/* Energy and monitors over ranks: see reduce.h. */
#include "comm/exchange/reduce.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "comm/exchange/decomposition.h"
#include "comm/exchange/exchange.h"
#include "comm/exchange/halo_x.h"
#include "comm/exchange/halo_y_cpu.h"
#include "comm/transport/message.h"
#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "diamond/core/worker.h"
#include "src/base/error.h"
#include "src/base/types.h"

enum { TAG_ENERGY = 10, TAG_TIMES, TAG_MESSAGE };
const char *const tor_way_name[TOR_NWAY] = {"from_right", "to_right", "from_left",  "to_left",
                                            "from_above", "to_above", "from_below", "to_below"};
_Static_assert(sizeof(double) == sizeof(uint64_t), "monitors travel as words");

/* Energy sums of a rank's own columns, [own x][own y][6]. */
static size_t own_sums(const struct tor_column_block *own) {
  return (size_t)(own->x1 > own->x0 ? own->x1 - own->x0 : 0) * (size_t)(own->y1 - own->y0) * TOR_NCOMP;
}

static double *copy_own(const struct tor_exchange *x) {
  const struct tor_column_block *own = &x->share.own;
  size_t row = (size_t)(own->y1 - own->y0) * TOR_NCOMP;
  double *sums = tor_alloc(own_sums(own), sizeof *sums, "energy sums");
  for (int ix = own->x0; ix < own->x1; ix++)
    memcpy(sums + (size_t)(ix - own->x0) * row, x->slab->energy + tor_slab_column(x->slab, ix, own->y0) * TOR_NCOMP,
           row * sizeof *sums);
  return sums;
}

/* On rank 0; holds the sums of one x of the ranks at a time. */
static double add_all(const struct tor_exchange *x) {
  const struct tor_decomposition *l = x->layout;
  double total = 0, **sums = tor_alloc((size_t)l->ranks[1], sizeof *sums, "energy sums");
  struct tor_column_block *own = tor_alloc((size_t)l->ranks[1], sizeof *own, "energy sums");
  for (int rx = 0; rx < l->ranks[0]; rx++) {
    for (int ry = 0; ry < l->ranks[1]; ry++) {
      own[ry] = tor_decomposition_part(l, rx, ry).own;
      if (rx == x->share.x && ry == x->share.y) {
        sums[ry] = copy_own(x);
        continue;
      }
      sums[ry] = tor_alloc(own_sums(&own[ry]), sizeof **sums, "energy sums");
      tor_message_receive(sums[ry], own_sums(&own[ry]) * sizeof **sums, tor_decomposition_number(l, rx, ry),
                          TAG_ENERGY);
    }
    for (int ix = own[0].x0; ix < own[0].x1; ix++)
      for (int ry = 0; ry < l->ranks[1]; ry++) {
        size_t row = (size_t)(own[ry].y1 - own[ry].y0) * TOR_NCOMP;
        const double *at = sums[ry] + (size_t)(ix - own[0].x0) * row;
        for (size_t i = 0; i < row; i++) total += x->slab->energy_scale[i % TOR_NCOMP] * at[i];
      }
    for (int ry = 0; ry < l->ranks[1]; ry++) free(sums[ry]);
  }
  free(sums);
  free(own);
  return total;
}

double tor_reduce_energy(const struct tor_exchange *x, int share_it) {
  double total = 0;
  if (x->share.x == 0 && x->share.y == 0) {
    total = add_all(x);
  } else {
    double *sums = copy_own(x);
    tor_message_send(sums, own_sums(&x->share.own) * sizeof *sums, 0, TAG_ENERGY);
    free(sums);
  }
  if (share_it) tor_message_bcast(&total, sizeof total);
  return total;
}

/* Zeros the Fourier sums of columns that another rank owns, which are copies, in data[ngroup] (NULL: not of that
 * group); slab: the rank's, or its other part. */
static void clear_copies(const struct tor_exchange *x, const struct tor_slab *slab, double *const *data) {
  const struct tor_column_block *held = &x->share.held, *own = &x->share.own;
  for (int ix = held->x0; ix < held->x1; ix++)
    for (int iy = held->y0; iy < held->y1; iy++) {
      if (ix >= own->x0 && ix < own->x1 && iy >= own->y0 && iy < own->y1) continue;
      int32_t id = slab->extra_id[tor_slab_column(slab, ix, iy)];
      if (id < 0) continue;
      for (int i = slab->extra[id].record[0]; i < slab->extra[id].record[TOR_NCOMP]; i++) {
        const struct tor_record *rec = &slab->record[i];
        const struct tor_record_group *group = &slab->group[rec->group];
        tor_gidx values = (tor_gidx)2 * group->nfreq;
        if (group->kind == TOR_RECORD_DFT && data[rec->group])
          memset(data[rec->group] + rec->offset * values, 0, (size_t)(rec->nz * values) * sizeof(double));
      }
    }
}

static void clear_all_copies(const struct tor_exchange *x, double *const *data) {
  clear_copies(x, x->slab, data);
  if (x->slab->other) clear_copies(x, x->slab->other, data);
}

/* Each value was computed by one rank and is zero on the others: the bitwise or is exact. */
void tor_reduce_monitors(const struct tor_exchange *x, const int *samples) {
  double **data = tor_alloc((size_t)x->slab->ngroup + 1, sizeof *data, "monitors");
  for (int g = 0; g < x->slab->ngroup; g++) data[g] = x->slab->group[g].data;
  clear_all_copies(x, data);
  free(data);
  for (int g = 0; g < x->slab->ngroup; g++) {
    const struct tor_record_group *group = &x->slab->group[g];
    size_t values =
        (size_t)group->npoints * (group->kind == TOR_RECORD_DFT ? 2 * (size_t)group->nfreq : (size_t)samples[g]);
    tor_message_or((uint64_t *)(void *)group->data, values);
  }
}

double *tor_reduce_sums(const struct tor_exchange *x, int number) {
  const struct tor_record_group *group = &x->slab->group[number];
  const size_t values = (size_t)group->npoints * 2 * (size_t)group->nfreq;
  double **data = tor_alloc((size_t)x->slab->ngroup, sizeof *data, "monitors");
  double *sums = data[number] = tor_alloc(values, sizeof *sums, "monitors");
  memcpy(sums, group->data, values * sizeof *sums);
  clear_all_copies(x, data);
  free(data);
  tor_message_or((uint64_t *)(void *)sums, values);
  return sums;
}

/* Each sample was computed by one rank; where several have it, they have the same bits. */
void tor_reduce_series(const struct tor_slab *slab, const int *samples) {
  for (int g = 0; g < slab->ngroup; g++)
    if (slab->group[g].kind == TOR_RECORD_SERIES)
      tor_message_or_all((uint64_t *)(void *)slab->group[g].data, (size_t)slab->group[g].npoints * (size_t)samples[g]);
}

int tor_reduce_least(int value) {
  const int ranks = tor_message_ranks();
  uint64_t *values = tor_alloc((size_t)ranks, sizeof *values, "ranks");
  values[tor_message_rank()] = (uint64_t)value;
  tor_message_or_all(values, (size_t)ranks);
  uint64_t least = values[0];
  for (int i = 1; i < ranks; i++)
    if (values[i] < least) least = values[i];
  free(values);
  return (int)least;
}

int tor_reduce_failure(int failed, char *why, size_t size) {
  int lowest = tor_message_lowest(failed);
  if (lowest > 0 && tor_message_rank() == lowest) tor_message_send(why, size, 0, TAG_MESSAGE);
  if (lowest > 0 && tor_message_rank() == 0) tor_message_receive(why, size, lowest, TAG_MESSAGE);
  return lowest >= 0;
}

int tor_reduce_faults(struct tor_faults *faults) {
  int lowest = tor_message_lowest(faults->count > 0);
  if (lowest >= 0 && lowest != tor_message_rank()) tor_faults_free(faults);
  return lowest >= 0;
}

struct tor_rank_times *tor_reduce_times(const struct tor_exchange *x) {
  const struct tor_halo_y_cpu *s = &x->halo_y_cpu;
  const struct tor_halo_x *right = &x->halo_x[TOR_RIGHT], *left = &x->halo_x[TOR_LEFT];
  const struct tor_channel *channel[TOR_NWAY] = {&right->in[0],  &right->out[0], &left->in[0],   &left->out[0],
                                                 &s->from_above, &s->to_above,   &s->from_below, &s->to_below};
  struct tor_rank_times mine = {.fill = x->fill};
  memcpy(mine.seconds, x->seconds, sizeof mine.seconds);
  for (int i = 0; i < TOR_NWAY; i++) {
    mine.blocked[i] = channel[i]->blocked;
    mine.flight[i] = channel[i]->flight;
    mine.bytes[i] = channel[i]->bytes;
  }
  if (tor_message_rank()) {
    tor_message_send(&mine, sizeof mine, 0, TAG_TIMES);
    return NULL;
  }
  struct tor_rank_times *all = tor_alloc((size_t)tor_message_ranks(), sizeof *all, "times");
  all[0] = mine;
  for (int r = 1; r < tor_message_ranks(); r++) tor_message_receive(&all[r], sizeof *all, r, TAG_TIMES);
  return all;
}

struct tor_phase_time *tor_reduce_timeline(const struct tor_exchange *x, size_t *count) {
  size_t n = x->ntimes, capacity = 0;
  *count = 0;
  if (tor_message_rank()) {
    tor_message_send(&n, sizeof n, 0, TAG_TIMES);
    tor_message_send(x->times, n * sizeof *x->times, 0, TAG_TIMES);
    return NULL;
  }
  struct tor_phase_time *all = NULL;
  for (int r = 0; r < tor_message_ranks(); r++) {
    if (r) tor_message_receive(&n, sizeof n, r, TAG_TIMES);
    all = tor_grow(all, *count + n, &capacity, sizeof *all);
    if (r)
      tor_message_receive(all + *count, n * sizeof *all, r, TAG_TIMES);
    else if (n)
      memcpy(all, x->times, n * sizeof *all);
    *count += n;
  }
  return all;
}
