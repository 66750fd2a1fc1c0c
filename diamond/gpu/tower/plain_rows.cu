/* Rows of towers that touch plain columns alone: see plain_rows.cuh. */
#include "diamond/gpu/tower/plain_rows.cuh"

#include <stdlib.h>

#include "diamond/core/tile.h"
#include "src/base/error.h"
#include "diamond/core/row_group.h"
#include "diamond/gpu/tower/tower_radius.cuh"

struct tor_gpu_plain {
  int *others; /* [held[0] + 1]: columns ix before this one that are not plain at some iy */
};
typedef struct tor_gpu_plain plain_columns;

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

struct tor_gpu_reach TOR_NAME(tor_gpu_reach_of_rows)(const tor_gpu_view *s, int order, int steps, int first, int last) {
  const int r = order == 4 ? 3 : 1, radius = tor_gpu_radius_of(s, order);
  const int lo = (radius * last - 4 * r) / 2 - 2, hi = (radius * first + 2 * r * steps + 2 * radius + 4 * r) / 2 + 2;
  return {most(0, least(lo, s->n[0])), most(1, least(hi, s->n[0] + 1))};
}

plain_columns *TOR_NAME(tor_gpu_plain_new)(const struct tor_slab *slab) {
  const int nx = slab->held[0], ny = slab->held[1];
  plain_columns *p = (plain_columns *)tor_alloc(1, sizeof *p, "rows");
  p->others = (int *)tor_alloc((size_t)nx + 1, sizeof *p->others, "rows");
  for (int ix = 0; ix < nx; ix++) {
    unsigned cls = 0;
    for (int iy = 0; iy < ny; iy++) cls |= slab->cls[(tor_gidx)ix * ny + iy];
    p->others[ix + 1] = p->others[ix] + (cls != 0);
  }
  return p;
}

void TOR_NAME(tor_gpu_plain_free)(plain_columns *p) {
  free(p->others);
  free(p);
}

bool TOR_NAME(tor_gpu_is_plain)(const plain_columns *p, const tor_gpu_view *s, int order, int steps, int first,
                                int last) {
  const struct tor_gpu_reach reach = TOR_NAME(tor_gpu_reach_of_rows)(s, order, steps, first, last);
  return p->others[reach.hi] == p->others[reach.lo];
}

void TOR_NAME(tor_gpu_plain_start)(const plain_columns *p, const tor_gpu_view *view, int order,
                                   const struct tor_gpu_span *span, cudaStream_t stream) {
  tor_gpu_view s = *view;
  if (TOR_NAME(tor_gpu_is_plain)(p, view, order, span->steps, span->first_row, span->last_row)) s.classes = 0;
  tor_gpu_towers(&s, order, span, stream);
}

void TOR_NAME(tor_gpu_plain_run)(const plain_columns *p, const tor_gpu_view *s, int order, int first_step, int steps,
                                 cudaStream_t stream) {
  const struct tor_tiling tiling =
      tor_tiling_of_radius(order, tor_gpu_radius_of(s, order), steps, s->first[0], s->last[0], s->first[1], s->last[1]);
  int first, last;
  tor_tiling_rows(&tiling, &first, &last);
  const int rows = first - last + 1;
  uint8_t *is_plain = (uint8_t *)tor_alloc((size_t)rows, 1, "rows");
  for (int i = 0; i < rows; i++) is_plain[i] = TOR_NAME(tor_gpu_is_plain)(p, s, order, steps, first - i, first - i);
  for (int done = 0, count; (count = tor_row_group(is_plain + done, rows - done)); done += count) {
    const struct tor_gpu_span span = {first_step, steps, first - done, first - done - count + 1, nullptr};
    TOR_NAME(tor_gpu_plain_start)(p, s, order, &span, stream);
  }
  free(is_plain);
}
