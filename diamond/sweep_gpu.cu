/* The sweep of a slab through the window: see sweep_gpu.cuh. */
#include "sweep_gpu.cuh"

#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include "tile.h"
}
#include "site_gpu.cuh"
#include "tower_radius.cuh"
#include "window.h"

struct tor_gpu_sweep {
  struct tor_window *window;
  cudaStream_t stream;
  int part[5]; /* the window's number of field, psi of z, coef, state, weight; -1: empty */
};
typedef struct tor_gpu_sweep sweep;
enum { FIELD, PSI_Z, COEF, STATE, WEIGHT, NPART };

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

/* --- Parts
 * ------------------------------------------------------------------------------------------------------------------------
 */
/* First value of one column in coef, state or weight; `none` when it has none. */
static tor_gidx first_value(const struct tor_slab *slab, int part, tor_gidx column, tor_gidx none) {
  const int32_t id = slab->extra_id[column];
  if (id < 0) return none;
  const struct tor_extra *extra = &slab->extra[id];
  tor_gidx first = none;
  if (part == COEF) {
    if (extra->coef_e >= 0) first = extra->coef_e;
    if (extra->coef_h >= 0 && extra->coef_h < first) first = extra->coef_h;
  } else if (extra->run[0] < extra->run[3]) {
    first = part == STATE ? slab->run[extra->run[0]].state : slab->run[extra->run[0]].weight;
  }
  return first < none ? first : none;
}

/* Bytes before each ix, `count` values in all: equal shares, or as the columns' lists tell. */
static size_t *places(const struct tor_slab *slab, int part, tor_gidx count) {
  const int nx = slab->held[0];
  const tor_gidx ny = slab->held[1];
  size_t *start = (size_t *)malloc(((size_t)nx + 1) * sizeof *start);
  tor_gidx first = count;
  start[nx] = (size_t)count * sizeof(real);
  for (int ix = nx - 1; ix >= 0; ix--) {
    if (part == FIELD || part == PSI_Z)
      first = count / nx * ix;
    else
      for (tor_gidx iy = 0; iy < ny; iy++) first = first_value(slab, part, ix * ny + iy, first);
    start[ix] = (size_t)first * sizeof(real);
  }
  return start;
}

sweep *TOR_NAME(tor_gpu_sweep_new)(const struct tor_slab *slab, double bytes) {
  const int nx = slab->held[0];
  const tor_gidx ncolumn = tor_slab_columns(slab);
  sweep *w = (sweep *)calloc(1, sizeof *w);
  const tor_gidx count[NPART] = {ncolumn * TOR_NCOMP * slab->nzp, ncolumn * 4 * (slab->zlo + slab->zhi), slab->ncoef,
                                 slab->nstate, slab->nweight};
  void *const host[NPART] = {slab->field, slab->psi_z, slab->coef, slab->state, slab->weight};
  struct tor_window_part part[NPART];
  int npart = 0;
  for (int p = 0; p < NPART; p++) {
    w->part[p] = -1;
    if (!count[p]) continue;
    enum { IMAGES = 2 }; /* in front of the first component */
    part[npart] = {(char *)host[p], places(slab, p, count[p]), p == FIELD ? IMAGES * sizeof(real) : 0,
                   p != COEF && p != WEIGHT};
    w->part[p] = npart++;
  }
  const int width = tor_window_widest(nx, npart, part, bytes);
  if (!width) {
    fprintf(stderr, "window: %.3f GB of device memory hold no column of the slab: raise schedule.device_memory\n",
            bytes * 1e-9);
    exit(TOR_EXIT_FAILURE);
  }
  w->window = tor_window_new(nx, npart, part, width);
  for (int p = 0; p < npart; p++) free((void *)part[p].start);
  CUDA_TRY(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
  /* The queues of the launches come from a pool; it shall keep what they need. */
  cudaMemPool_t pool;
  int device;
  uint64_t keep = 64 << 20;
  CUDA_TRY(cudaGetDevice(&device));
  CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, device));
  CUDA_TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  return w;
}

void TOR_NAME(tor_gpu_sweep_free)(sweep *w) {
  CUDA_TRY(cudaStreamSynchronize(w->stream));
  CUDA_TRY(cudaStreamDestroy(w->stream));
  tor_window_free(w->window);
  free(w);
}

cudaStream_t TOR_NAME(tor_gpu_sweep_stream)(const sweep *w) { return w->stream; }
void TOR_NAME(tor_gpu_sweep_finish)(sweep *w) { tor_window_finish(w->window); }

/* --- A sweep
 * ----------------------------------------------------------------------------------------------------------------------
 */
/* Columns that rows first ... last (from right to left) touch: lo <= ix < hi. Rounded up. */
struct reach {
  int lo, hi;
};
static struct reach reach_of(const tor_gpu_view *s, int order, int radius, int steps, int first, int last) {
  const int r = order == 4 ? 3 : 1;
  const int lo = (radius * last - 4 * r) / 2 - 2, hi = (radius * first + 2 * r * steps + 2 * radius + 4 * r) / 2 + 2;
  return {most(0, least(lo, s->n[0])), most(1, least(hi, s->n[0] + 1))};
}

/* Steps `span`, of which the last sums the energy if `energy`. */
static void run_span(sweep *w, tor_gpu_view *s, int order, struct tor_gpu_span span, bool energy) {
  const int r = order == 4 ? 3 : 1, radius = tor_gpu_radius(order, s->zlo + s->zhi > 0), width = tor_window_width(w->window);
  const struct tor_tiling tiling =
      tor_tiling_make(order, radius / r, span.steps, s->first[0], s->last[0], s->first[1], s->last[1]);
  int first, last;
  tor_tiling_rows(&tiling, &first, &last);
  /* One group works, one leaves, the others load ahead: rows at the right end are light on work. */
  const int one = r * span.steps + radius + 4 * r + 5, group = most(1, (width - one) / 4 * 2 / radius);
  if (width < s->n[0] + 1 && width < one + radius) {
    fprintf(stderr,
            "window: %d steps a stage need %d columns at one time, the device memory holds %d: raise "
            "schedule.device_memory, or lower schedule.th\n",
            span.steps, one + radius, width);
    exit(TOR_EXIT_FAILURE);
  }
  tor_window_begin(w->window);
  auto base = [&](int part) { return w->part[part] < 0 ? nullptr : (real *)tor_window_base(w->window, w->part[part]); };
  s->field = base(FIELD);
  s->psi[TOR_Z] = base(PSI_Z);
  s->coef = base(COEF);
  s->state = base(STATE);
  s->weight = base(WEIGHT);
  int stays = s->n[0] + 1; /* columns from here on have left */
  for (int row = first; row >= last; row -= group) {
    span.first_row = row;
    span.last_row = most(row - group + 1, last);
    tor_window_need(w->window, reach_of(s, order, radius, span.steps, row, span.last_row).lo, w->stream);
    (order == 2 ? TOR_NAME(tor_gpu_towers2) : TOR_NAME(tor_gpu_towers4))(s, &span, w->stream);
    const int past = span.last_row > last ? reach_of(s, order, radius, span.steps, span.last_row - 1, last).hi : 0;
    if (past >= stays) continue;
    if (energy) TOR_NAME(tor_gpu_sum_energies)(s, past, stays, w->stream);
    TOR_NAME(tor_gpu_set_images)(s, past, stays, w->stream);
    tor_window_leave(w->window, past, w->stream);
    stays = past;
  }
}

void TOR_NAME(tor_gpu_sweep_run)(sweep *w, tor_gpu_view *view, int order, const uint8_t *energy) {
  for (int a = 0; a < 3; a++)
    if (view->n[a] < TOR_GPU_LEAST || view->zlo + view->zhi > TOR_GPU_MOST_LAYER) {
      fprintf(stderr,
              "window: needs %d cells along each axis and at most %d values in the layers along z: use the CPU\n",
              (int)TOR_GPU_LEAST, (int)TOR_GPU_MOST_LAYER);
      exit(TOR_EXIT_FAILURE);
    }
  for (int step = 0, past; step < view->steps; step = past) {
    for (past = step + 1; past < view->steps && !energy[past - 1];) past++;
    run_span(w, view, order, {step, past - step, 0, 0}, energy[past - 1]);
  }
}
