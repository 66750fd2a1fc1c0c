/* Whether two runs have the same bits: see same_state.h. */
#include "tests/support/same_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/exchange/reduce.h"

void same_state_model(const struct tor_job *job, const struct tor_column_block *held, struct tor_model *model) {
  struct tor_faults faults = {0};
  if (!tor_model_make_part(job, held, 0, NULL, 1, model, &faults)) return;
  tor_faults_print(&faults, stderr);
  TOR_DIE("random job refused");
}

int same_columns(const struct tor_slab *part, const struct tor_slab *whole, const struct tor_column_block *own) {
  int differ = 0;
  for (int ix = own->x0; ix < own->x1; ix++)
    for (int iy = own->y0; iy < own->y1; iy++) {
      struct tor_column_block one = {ix, ix + 1, iy, iy + 1};
      size_t bytes = tor_column_state_bytes(part, &one, NULL), byte = 0;
      if (bytes != tor_column_state_bytes(whole, &one, NULL)) TOR_DIE("sizes of column (%d, %d) differ", ix, iy);
      char *a = tor_alloc(bytes, 1, "test"), *b = tor_alloc(bytes, 1, "test");
      tor_column_state_pack(part, &one, NULL, a);
      tor_column_state_pack(whole, &one, NULL, b);
      while (byte < bytes && a[byte] == b[byte]) byte++;
      if (byte < bytes && !differ++)
        fprintf(stderr, "  column (%d, %d) differs at byte %zu of %zu; own %d .. %d\n", ix, iy, byte, bytes, own->x0,
                own->x1);
      free(a);
      free(b);
    }
  if (differ) fprintf(stderr, "  %d columns differ\n", differ);
  return !differ;
}

static int same_monitors(const struct tor_model *a, const struct tor_model *b) {
  int differ = 0;
  for (int i = 0; i < a->monitors->count; i++) {
    const struct tor_recorder *l = &a->monitors->recorder[i];
    if (l->group < 0) continue;
    const struct tor_record_group *g = &a->slab.group[l->group];
    size_t values = (size_t)g->npoints * (g->kind == TOR_RECORD_DFT ? 2 * (size_t)g->nfreq : (size_t)l->nsample);
    const int im = a->monitors->imaginary; /* 0: the same group again */
    if (!memcmp(g->data, b->slab.group[l->group].data, values * sizeof(double)) &&
        !memcmp(g[im].data, b->slab.group[l->group + im].data, values * sizeof(double)))
      continue;
    fprintf(stderr, "  monitor %d differs\n", i);
    differ++;
  }
  return !differ;
}

/* Gathers the monitors of all ranks. */
static void collect(struct tor_exchange *exchange, const struct tor_model *model) {
  int *samples = tor_alloc((size_t)model->slab.ngroup + 1, sizeof *samples, "test");
  for (int i = 0; i < model->monitors->count; i++) {
    const struct tor_recorder *l = &model->monitors->recorder[i];
    if (l->group >= 0) samples[l->group] = samples[l->group + model->monitors->imaginary] = l->nsample;
  }
  tor_exchange_settle(exchange);
  tor_reduce_monitors(exchange, samples);
  free(samples);
}

int same_records(struct tor_exchange *exchange, const struct tor_simulation *part, const struct tor_simulation *whole) {
  int same = part->step == whole->step && part->nenergy == whole->nenergy;
  collect(exchange, part->model);
  if (tor_message_rank()) return same;
  same &= same_monitors(part->model, whole->model);
  if (same && memcmp(part->energy, whole->energy, (size_t)whole->nenergy * sizeof *whole->energy)) {
    fprintf(stderr, "  energies differ\n");
    same = 0;
  }
  return same;
}
