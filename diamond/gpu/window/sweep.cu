/* The sweep of a slab through the window: see sweep.cuh. */
#include "diamond/gpu/window/sweep.cuh"

#include <stdio.h>
#include <stdlib.h>

#include "diamond/core/tile.h"
#include "src/base/error.h"
#include "diamond/gpu/device.h"
#include "diamond/gpu/ranks/halo_x.cuh"
#include "diamond/gpu/tower/plain_rows.cuh"
#include "diamond/gpu/view/lattice.cuh"
#include "diamond/gpu/tower/tower_radius.cuh"
#include "diamond/gpu/window/window.h"

typedef long long number;

struct tor_gpu_sweep {
  struct tor_window *window;
  const struct tor_gpu_plain *plain;
  const char *memory; /* that limits the window: device, host */
  cudaStream_t stream;
  int part[8]; /* the window's number of each of enum part; -1: empty */
  /* The current sweep. */
  int order, radius;
  struct tor_gpu_span span; /* its steps */
  bool energy;              /* is summed at their end */
  int row, last;            /* rows to be started: from `row` down to `last` */
  int group;                /* rows started at one time */
  int stays;                /* columns from here on have left */
  bool has_started;         /* a row has */
  int crossed;              /* columns from here on have ghost values for Bloch walls along z */
  /* Of a rank's part. */
  number sweeps; /* begun */
  struct overlap {
    int lo, hi;  /* columns; none: no neighbour there */
    number came; /* how often they arrived */
  } right, left;
  void (*start)(void *self, struct tor_gpu_span span); /* null: towers alone */
  void *self;
};
typedef struct tor_gpu_sweep sweep;
/* The last three: of the imaginary part of complex fields. */
enum part { FIELD, PSI_Z, COEF, STATE, WEIGHT, OTHER_FIELD, OTHER_PSI_Z, OTHER_STATE, NPART };
static bool is_field(int part) { return part == FIELD || part == OTHER_FIELD; }
static bool is_psi(int part) { return part == PSI_Z || part == OTHER_PSI_Z; }

static int most(int a, int b) { return a > b ? a : b; }

/* --- Parts --- */
/* First value of one column in coef, state or weight; `none` when it has none. */
static tor_gidx first_value(const struct tor_slab *slab, int part, tor_gidx column, tor_gidx none) {
  const int32_t id = slab->extra_id[column];
  if (id < 0) return none;
  const struct tor_extra *extra = &slab->extra[id];
  tor_gidx first = none;
  if (part == COEF) {
    if (extra->coef_e >= 0) first = extra->coef_e;
    if (extra->coef_h >= 0 && extra->coef_h < first) first = extra->coef_h;
  } else if (extra->run[0] < extra->run[4]) {
    first = part != WEIGHT ? slab->run[extra->run[0]].state : slab->run[extra->run[0]].weight;
  }
  return first < none ? first : none;
}

/* Bytes before each ix, `count` values in all: equal parts, or as the columns' lists give them. */
static size_t *places(const struct tor_slab *slab, int part, tor_gidx count) {
  const int nx = slab->held[0];
  const tor_gidx ny = slab->held[1];
  size_t *start = (size_t *)tor_alloc((size_t)nx + 1, sizeof *start, "window");
  tor_gidx first = count;
  start[nx] = (size_t)count * sizeof(real);
  for (int ix = nx - 1; ix >= 0; ix--) {
    if (is_field(part) || is_psi(part))
      first = count / nx * ix;
    else
      for (tor_gidx iy = 0; iy < ny; iy++) first = first_value(slab, part, ix * ny + iy, first);
    start[ix] = (size_t)first * sizeof(real);
  }
  return start;
}

sweep *TOR_NAME(tor_gpu_sweep_new)(const struct tor_slab *slab, const struct tor_gpu_plain *plain, double bytes,
                                   const struct tor_column_store *store) {
  const int nx = slab->held[0];
  const tor_gidx ncolumn = tor_slab_columns(slab);
  sweep *w = (sweep *)tor_alloc(1, sizeof *w, "window");
  const tor_gidx nfield = ncolumn * TOR_NCOMP * slab->nzp, npsi = ncolumn * 4 * (slab->zlo + slab->zhi);
  const struct tor_slab none = {}, *const other = slab->other ? slab->other : &none;
  const int both = slab->other != nullptr;
  const tor_gidx count[NPART] = {nfield,        npsi,          slab->ncoef, slab->nstate,
                                 slab->nweight, both * nfield, both * npsi, both * slab->nstate};
  void *const host[NPART] = {slab->field,  slab->psi_z,  slab->coef,   slab->state,
                             slab->weight, other->field, other->psi_z, other->state};
  struct tor_window_part part[NPART];
  int npart = 0;
  for (int p = 0; p < NPART; p++) {
    w->part[p] = -1;
    if (!count[p]) continue;
    part[npart] = {(char *)host[p], places(slab, p, count[p]), is_field(p) ? TOR_IMAGES * sizeof(real) : 0,
                   p != COEF && p != WEIGHT};
    w->part[p] = npart++;
  }
  int width = tor_window_widest(nx, npart, part, bytes);
  const int stored = store ? store->calls->widest(store->self) : nx;
  w->memory = stored < width ? "host" : "device";
  if (stored < width) width = stored;
  if (!width) {
    fprintf(stderr, "window: the %s memory allowed holds no column of the slab: raise schedule.%s_memory\n", w->memory,
            w->memory);
    tor_end();
  }
  w->plain = plain;
  w->window = tor_window_new(nx, npart, part, width, store);
  for (int p = 0; p < npart; p++) free((void *)part[p].start);
  CUDA_TRY(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
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

/* --- A sweep --- */
/* Columns may load up to the first x halo that has not arrived: a sweep begins with the right one and ends with the
 * left one, which is present before the first sweep. */
static void open_columns(const sweep *w, const tor_gpu_view *s) {
  const int has_right = w->right.lo < w->right.hi, has_left = w->left.lo < w->left.hi;
  if (has_right && (!has_left || w->right.came <= w->left.came + 1))
    tor_window_open(w->window, w->right.came, s->n[0] + 1);
  else if (has_left)
    tor_window_open(w->window, w->left.came + 1, w->left.hi);
}

/* Columns that a row and the rows that it may wait for occupy. */
static int columns_of_row(int r, int radius, int steps) { return r * steps + radius + 4 * r + 5; }

/* One group is computed, one leaves, the others load ahead: rows at the right end have little work. */
static int rows_of_group(int width, int one, int radius) { return most(1, (width - one) / 4 * 2 / radius); }

/* Begins a sweep of `span`'s steps, of which the last sums the energy if `energy`; there are no rows to be started. */
static void begin(sweep *w, tor_gpu_view *s, int order, struct tor_gpu_span span, bool energy) {
  const int r = order == 4 ? 3 : 1, width = tor_window_width(w->window);
  w->order = order;
  w->radius = tor_gpu_radius_of(s, order);
  w->span = span;
  w->energy = energy;
  w->row = w->last - 1;
  w->stays = w->crossed = s->n[0] + 1;
  w->has_started = false;
  const int one = columns_of_row(r, w->radius, span.steps);
  w->group = rows_of_group(width, one, w->radius);
  if (width < s->n[0] + 1 && width < one + w->radius) {
    fprintf(stderr,
            "window: %d steps a stage need %d columns at one time, the %s memory holds %d: raise "
            "schedule.%s_memory, or lower schedule.th\n",
            span.steps, one + w->radius, w->memory, width, w->memory);
    tor_end();
  }
  tor_window_begin(w->window);
  w->sweeps++;
  open_columns(w, s);
  auto base = [&](int part) { return w->part[part] < 0 ? nullptr : (real *)tor_window_base(w->window, w->part[part]); };
  s->field = base(FIELD);
  s->psi[TOR_Z] = base(PSI_Z);
  s->coef = base(COEF);
  s->state = base(STATE);
  s->weight = base(WEIGHT);
  s->other_field = base(OTHER_FIELD);
  s->other_psi[TOR_Z] = base(OTHER_PSI_Z);
  s->other_state = base(OTHER_STATE);
}

/* The columns that rows `first` down to `last` touch. */
static struct tor_gpu_reach reach_of_rows(const sweep *w, const tor_gpu_view *s, int first, int last) {
  return TOR_NAME(tor_gpu_reach_of_rows)(s, w->order, w->span.steps, first, last);
}

/* First column that rows `first` down to `last` need. While the left x halo has not arrived, its columns lie within the
 * reach only because that is rounded up, and are not needed. */
static int first_needed(const sweep *w, const tor_gpu_view *s, int first, int last) {
  const int lo = reach_of_rows(w, s, first, last).lo;
  return w->left.lo < w->left.hi && w->left.came + 1 < w->sweeps ? most(lo, w->left.hi) : lo;
}

/* Starts rows `first` down to `last`, whose columns are on the device. */
static void start_group(sweep *w, const tor_gpu_view *s, int first, int last) {
  const int lo = first_needed(w, s, first, last);
  struct tor_gpu_span span = w->span;
  if (s->other_field && s->periodic[TOR_Z]) TOR_NAME(tor_gpu_cross_ghosts)(s, lo, w->crossed, w->stream);
  if (lo < w->crossed) w->crossed = lo;
  span.first_row = first;
  span.last_row = last;
  w->has_started = true;
  if (w->start)
    w->start(w->self, span);
  else
    TOR_NAME(tor_gpu_plain_start)(w->plain, s, w->order, &span, w->stream);
}

/* Columns from lo on leave the device, after the rows started so far. */
static void leave(sweep *w, const tor_gpu_view *s, int lo) {
  if (lo >= w->stays) return;
  tor_gpu_view part = *s;
  for (int parts = s->other_field ? 2 : 1; parts; parts--) {
    if (w->energy) TOR_NAME(tor_gpu_sum_energies)(&part, lo, w->stays, w->stream);
    TOR_NAME(tor_gpu_set_ghosts)(&part, lo, w->stays, w->stream);
    tor_gpu_swap_parts(part);
  }
  tor_window_leave(w->window, lo, w->stream);
  w->stays = lo;
}

static void run_span(sweep *w, tor_gpu_view *s, int order, struct tor_gpu_span span, bool energy) {
  int first, last;
  begin(w, s, order, span, energy);
  const struct tor_tiling tiling =
      tor_tiling_of_radius(order, w->radius, span.steps, s->first[0], s->last[0], s->first[1], s->last[1]);
  tor_tiling_rows(&tiling, &first, &last);
  TOR_NAME(tor_gpu_sweep_rows)(w, s, first, last);
  while (!TOR_NAME(tor_gpu_sweep_go_on)(w, s)) continue;
  leave(w, s, 0);
}

void TOR_NAME(tor_gpu_sweep_run)(sweep *w, tor_gpu_view *view, int order, const uint8_t *energy) {
  if (!tor_gpu_fits_towers(order, (int)sizeof(real), view->n, view->pmc[TOR_ZHI], view->zlo + view->zhi)) {
    fprintf(
        stderr,
        "window: needs %d cells along each axis, at most %d values along z, and %d in the layers there: use the CPU\n",
        (int)TOR_GPU_LEAST, TOR_GPU_MOST_BLOCKS * TOR_GPU_BLOCK_Z(order, sizeof(real)), (int)TOR_GPU_MOST_CPML);
    tor_end();
  }
  for (int step = 0, past; step < view->steps; step = past) {
    for (past = step + 1; past < view->steps && !energy[past - 1];) past++;
    run_span(w, view, order, {step, past - step, 0, 0}, energy[past - 1]);
  }
}

/* --- A sweep in parts, of a rank's part of the domain --- */
void TOR_NAME(tor_gpu_sweep_share)(sweep *w, enum tor_halo_x_side side, int lo, int hi) {
  (side == TOR_RIGHT ? w->right : w->left) = {lo, hi, 0};
}

void TOR_NAME(tor_gpu_sweep_came)(sweep *w, const tor_gpu_view *view, enum tor_halo_x_side side) {
  (side == TOR_RIGHT ? w->right : w->left).came++;
  open_columns(w, view);
}

void TOR_NAME(tor_gpu_sweep_begin)(sweep *w, tor_gpu_view *view, int order, bool energy) {
  begin(w, view, order, {0, view->steps, 0, 0}, energy);
}

void TOR_NAME(tor_gpu_sweep_rows)(sweep *w, const tor_gpu_view *view, int first, int last) {
  if (w->start && w->has_started && first >= last) leave(w, view, reach_of_rows(w, view, first, first).hi);
  w->row = first;
  w->last = last;
}

void TOR_NAME(tor_gpu_sweep_start_by)(sweep *w, void (*start)(void *self, struct tor_gpu_span span), void *self) {
  w->start = start;
  w->self = self;
}

int TOR_NAME(tor_gpu_sweep_most_rows)(const sweep *w, const tor_gpu_view *view, int order, int steps) {
  const int radius = tor_gpu_radius_of(view, order);
  return rows_of_group(tor_window_width(w->window), columns_of_row(order == 4 ? 3 : 1, radius, steps), radius);
}

bool TOR_NAME(tor_gpu_sweep_started)(const sweep *w) { return w->row < w->last; }

void TOR_NAME(tor_gpu_sweep_rings)(const sweep *w, struct tor_ring ring[2]) {
  ring[0] = tor_window_ring(w->window, w->part[FIELD]);
  ring[1] = {};
  if (w->part[PSI_Z] >= 0) ring[1] = tor_window_ring(w->window, w->part[PSI_Z]);
}

long long TOR_NAME(tor_gpu_sweep_number)(const sweep *w) { return w->sweeps - 1; }

/* A launch waits, on the host, for earlier work in its stream: so rows are started only when the stream is idle and
 * their columns are on the device. */
bool TOR_NAME(tor_gpu_sweep_go_on)(sweep *w, const tor_gpu_view *view) {
  tor_window_go_on(w->window);
  if (!tor_gpu_is_idle(w->stream)) return false;
  if (w->row < w->last) return true;
  const int end = most(w->row - w->group + 1, w->last);
  if (!tor_window_has(w->window, first_needed(w, view, w->row, end))) return false;
  start_group(w, view, w->row, end);
  w->row = end - 1;
  if (!w->start) leave(w, view, reach_of_rows(w, view, w->row, w->row).hi);
  return false;
}

void TOR_NAME(tor_gpu_sweep_leave)(sweep *w, const tor_gpu_view *view, int lo) {
  leave(w, view, lo);
  open_columns(w, view);
}

void TOR_NAME(tor_gpu_sweep_follow)(sweep *w, int lo, cudaStream_t stream) { tor_window_follow(w->window, lo, stream); }
