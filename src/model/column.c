/* Columns: see column.h.
 *
 * A slice of columns with one ix is made by one thread, in separate arrays; the slices are then joined in order. */
#include "src/model/column.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/host_memory.h"
#include "src/base/stop.h"
#include "src/base/types.h"
#include "src/disk/disk.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/column_media.h"
#include "src/model/column_nodes.h"
#include "src/model/damping.h"
#include "src/model/grading.h"
#include "src/model/nearby.h"

struct slice {
  struct tor_extra *extra;
  int *iy;
  uint16_t *cls;
  size_t nextra, extra_cap, iy_cap, cls_cap;
  void *coef; /* in the slab's precision: of 1e7 columns it is as large as the fields */
  size_t ncoef, coef_cap;
  double *damped; /* [2][3][nzp] work space */
  struct tor_pole_range *run;
  size_t nrun, run_cap;
  double *weight;
  size_t weight_cap;
  tor_gidx nweight, nstate, dispersive;
  tor_gidx to_coef, to_weight;    /* where they begin in the slab's arrays */
  tor_gidx nodes[TOR_NODE_MEDIA]; /* nodes of enum tor_node_media */
};

static void append_coefficients(const struct tor_slab *slab, struct slice *s, const double *values, size_t n) {
  s->coef = tor_grow(s->coef, s->ncoef + n, &s->coef_cap, (size_t)slab->precision);
  tor_column_store(slab, s->coef, (tor_gidx)s->ncoef, values, n);
  s->ncoef += n;
}

/* A medium's values of one component: [TOR_COLUMN_KINDS][TOR_BRANCH_WEIGHTS][nzp]. */
static const double *shares_of(const struct tor_slab *slab, const struct tor_column *col, int comp, int d) {
  return col->share + ((size_t)comp * (size_t)slab->ndispersion + (size_t)d) * TOR_COLUMN_KINDS * TOR_BRANCH_WEIGHTS *
                          (size_t)slab->nzp;
}

/* Makes the weights that were added since there were `before` of them. */
static void clear_weights(struct slice *s, tor_gidx before) {
  s->weight = tor_grow(s->weight, (size_t)s->nweight, &s->weight_cap, sizeof *s->weight);
  memset(s->weight + before, 0, (size_t)(s->nweight - before) * sizeof *s->weight);
}

/* Gives arrays to the runs of a medium from number `first` on, in order of z. share: shares_of them. */
static void place_runs(const struct tor_slab *slab, const double *share, size_t first, struct slice *s) {
  const tor_gidx before = s->nweight;
  if (first == s->nrun) return;
  for (size_t i = first; i < s->nrun;)
    i += (size_t)tor_pole_range_place(slab->dispersion, &s->run[i], (int)(s->nrun - i), &s->nstate, &s->nweight);
  clear_weights(s, before);
  for (const struct tor_pole_range *run = s->run + first; run < s->run + s->nrun; run++)
    for (int k = 0; k < (run->charged ? TOR_BRANCH_WEIGHTS : 1); k++) {
      double *to = s->weight + run->weight + k * run->pitch + tor_pole_range_lead(run);
      if (k == 0 || run->branch)
        memcpy(to, share + (size_t)(TOR_BRANCH_WEIGHTS * run->branch + k) * (size_t)slab->nzp + run->z0,
               (size_t)run->nz * sizeof *to);
      else
        for (int z = 0; z < run->nz; z++) to[z] = k != 2; /* a and r; g is 0 */
    }
}

/* Pole ranges of one component: contiguous ranges of z where a medium has a volume fraction above 0. Offsets count from
 * the slice's start. */
static void add_runs(const struct tor_columns *c, const struct tor_column *col, int comp, struct slice *s) {
  const struct tor_slab *slab = c->slab;
  const int last = tor_comp_half(comp, TOR_Z) ? slab->n[2] - 1 : slab->n[2] - (slab->wall[TOR_ZHI] != TOR_PMC);
  for (int d = 0; d < slab->ndispersion; d++) {
    const char *present = col->present + ((size_t)comp * (size_t)slab->ndispersion + (size_t)d) * TOR_COLUMN_KINDS;
    if (!present[0] && !present[1]) continue;
    const double *share = shares_of(slab, col, comp, d), *of_branch = share + TOR_BRANCH_WEIGHTS * (size_t)slab->nzp;
    const size_t first = s->nrun;
    for (int z = 0; z <= last;) {
      const int branch = of_branch[z] > 0, z0 = z;
      const double *of_kind = branch ? of_branch : share;
      while (z <= last && of_kind[z] > 0 && (branch || of_branch[z] <= 0)) z++;
      if (z == z0) {
        z++;
        continue;
      }
      s->run = tor_grow(s->run, s->nrun + 1, &s->run_cap, sizeof *s->run);
      s->run[s->nrun++] = (struct tor_pole_range){.z0 = z0, .nz = z - z0, .dispersion = d, .branch = branch};
      s->dispersive += z - z0;
    }
    place_runs(slab, share, first, s);
  }
}

/* Appends a column's coefficients of E or H (h), where they are not the background's. Returns their classes. */
static unsigned add_coefficients(const struct tor_columns *c, const struct tor_column *col, int ix, int iy, int h,
                                 struct slice *s, tor_gidx *first) {
  const struct tor_slab *slab = c->slab;
  const size_t nzp = (size_t)slab->nzp, from = (size_t)h * 3 * nzp;
  const double *cb = col->cb + from, *ca1 = col->ca1 + from;
  const unsigned own = h ? TOR_COL_COEF_H : TOR_COL_COEF_E, lossy = h ? TOR_COL_LOSSY_H : TOR_COL_LOSSY_E;
  unsigned cls = 0;
  if (memcmp(cb, c->background.cb + from, 3 * nzp * sizeof *cb) ||
      memcmp(ca1, c->background.ca1 + from, 3 * nzp * sizeof *ca1))
    cls |= own;
  for (size_t i = 0; i < 3 * nzp; i++)
    if (ca1[i] != 0) cls |= lossy;
  if (slab->damping[0]) { /* as above without absorbers; then with them */
    cls |= cls << TOR_COL_UNDAMPED | (c->damped_z ? lossy : 0u);
    for (int a = 0; a < 3; a++)
      if (tor_damping_across(slab, 3 * h + a, ix, iy) < 1) cls |= own | lossy;
  }
  if (!(cls & own)) return cls;
  *first = (tor_gidx)s->ncoef;
  if (slab->damping[0] && cls & lossy) {
    if (!s->damped) s->damped = tor_alloc(6 * nzp, sizeof *s->damped, "columns");
    double *const damped[2] = {memcpy(s->damped, cb, 3 * nzp * sizeof *cb),
                               memcpy(s->damped + 3 * nzp, ca1, 3 * nzp * sizeof *ca1)};
    for (size_t a = 0; a < 3; a++)
      tor_damping_apply(slab, 3 * h + (int)a, tor_damping_across(slab, 3 * h + (int)a, ix, iy), damped[0] + a * nzp,
                        damped[1] + a * nzp);
    cb = damped[0];
    ca1 = damped[1];
  }
  append_coefficients(slab, s, cb, 3 * nzp);
  if (cls & lossy) append_coefficients(slab, s, ca1, 3 * nzp);
  return cls;
}

/* Whether a column's nodes are its own, and a field acts on them: those at the far end of a period are those at 0. */
static int has_own_nodes(const struct tor_columns *c, int ix, int iy) {
  const struct tor_slab *slab = c->slab;
  if (c->grid->angular && c->grid->angular != TOR_M0_TM && ix == 0) return 0; /* all E there is zero */
  return slab->has_nodes && !tor_slab_in_pec_corner(slab, ix, iy) &&
         !(tor_slab_periodic(slab, TOR_X) && ix == slab->n[0]) &&
         !(tor_slab_periodic(slab, TOR_Y) && iy == slab->n[1] && !tor_slab_is_arc(slab));
}

/* Finds the longest part of a run of metals' nodes, in blocks, without any. */
static void leave_out_gap(const struct tor_columns *c, const struct tor_column *col, struct tor_pole_range *run) {
  const int first = run->z0 / TOR_METAL_PITCH, past = run->z0 + run->nz;
  int last = first; /* block with a node */
  for (int z = run->z0; z < past; z++) {
    const int block = z / TOR_METAL_PITCH;
    if (!tor_column_has_node(c, col, z)) continue;
    if (block - last - 1 > run->gap) {
      run->gap0 = last + 1 - first;
      run->gap = block - last - 1;
    }
    last = block;
  }
}

/* The run of a column's surface nodes, from the lowest to the highest. Returns whether it has any. */
static int add_nodes(const struct tor_columns *c, const struct tor_column *col, struct slice *s) {
  int first = 0, last = c->slab->n[2] - tor_slab_periodic(c->slab, TOR_Z);
  while (first <= last && !tor_column_has_node(c, col, first)) first++;
  while (last > first && !tor_column_has_node(c, col, last)) last--;
  if (first > last) return 0;
  struct tor_pole_range run = {
      .z0 = first, .nz = last - first + 1, .dispersion = TOR_NODE_RUN, .metal = col->metal_poles};
  if (run.metal > 0) leave_out_gap(c, col, &run);
  const tor_gidx before = s->nweight;
  tor_node_run_place(&run, &s->nstate, &s->nweight);
  s->run = tor_grow(s->run, s->nrun + 1, &s->run_cap, sizeof *s->run);
  s->run[s->nrun++] = run;
  clear_weights(s, before);
  const int rows = tor_node_weights(&run);
  for (int z = first; z <= last; z++) {
    double weight[TOR_METAL_WEIGHTS];
    const tor_gidx place = tor_node_place(&run, rows, z);
    if (place < 0) continue;
    tor_column_node(c, col, z, weight);
    if (run.metal < 0) s->nodes[tor_node_media_at(run.metal)] += tor_column_has_node(c, col, z);
    double *const to = s->weight + run.weight + place;
    for (int k = 0; k < rows; k++) to[k * run.pitch] = weight[k];
  }
  return 1;
}

/* Appends a column to its slice when it differs from the background. */
static void add_column(const struct tor_columns *c, const struct tor_column *col, int ix, int iy, struct slice *s) {
  struct tor_extra extra = {.coef_e = -1, .coef_h = -1};
  unsigned cls = add_coefficients(c, col, ix, iy, 0, s, &extra.coef_e);
  cls |= add_coefficients(c, col, ix, iy, 1, s, &extra.coef_h);
  for (int comp = 0; comp < 3; comp++) {
    extra.run[comp] = (int32_t)s->nrun;
    add_runs(c, col, comp, s);
  }
  extra.run[3] = (int32_t)s->nrun;
  if (extra.run[3] > extra.run[0]) cls |= TOR_COL_POLES;
  if (has_own_nodes(c, ix, iy) && add_nodes(c, col, s)) cls |= TOR_COL_NODES;
  extra.run[4] = (int32_t)s->nrun;
  if (!cls) return;
  s->extra = tor_grow(s->extra, s->nextra + 1, &s->extra_cap, sizeof *s->extra);
  s->iy = tor_grow(s->iy, s->nextra + 1, &s->iy_cap, sizeof *s->iy);
  s->cls = tor_grow(s->cls, s->nextra + 1, &s->cls_cap, sizeof *s->cls);
  s->extra[s->nextra] = extra;
  s->iy[s->nextra] = iy;
  s->cls[s->nextra++] = (uint16_t)cls;
}

/* Columns of slice ix, from the first held one in strides. near: capacity for all objects. */
static void make_slice(const struct tor_columns *c, int ix, int stride, struct slice *s, struct tor_column *col,
                       struct tor_nearby *near) {
  const struct tor_slab *slab = c->slab;
  for (int held = slab->lo[1]; held < slab->lo[1] + slab->held[1]; held += stride) {
    const int iy = tor_slab_domain_y(slab, held);
    near->n = tor_object_index_near(&c->objects, c->grid, ix, iy, c->around, near->list);
    if (tor_column_is_background(c, near, ix, iy)) {
      const int own = tor_grading_across(c, ix, iy);
      if (own) {
        tor_grading_copy(c, col);
        tor_grading_apply(c, col, 1, ix, iy, 0);
      }
      add_column(c, own ? col : &c->background, ix, held, s);
      continue;
    }
    tor_nearby_complete(&c->objects, near);
    tor_column_fill(c, col, ix, iy, near);
    tor_grading_apply(c, col, 1, ix, iy, 1);
    add_column(c, col, ix, held, s);
  }
  free(s->damped);
  s->damped = NULL;
  if (!slab->has_nodes || !s->nweight) return;
  const tor_gidx before = s->nweight; /* of the next slice, too, arrays of nodes begin at such places */
  s->nstate = tor_node_align(s->nstate);
  s->nweight = tor_node_align(s->nweight);
  clear_weights(s, before);
}

static void slice_free(struct slice *s) {
  free(s->extra);
  free(s->iy);
  free(s->cls);
  free(s->coef);
  free(s->run);
  free(s->weight);
}

struct tor_columns_size tor_columns_estimate(const struct tor_columns *c, int sample) {
  const struct tor_slab *slab = c->slab;
  int nx = slab->held[0], ny = slab->held[1], stride = 1, seen = 0;
  const int most = (int)fmax(64, 2e7 / slab->nzp); /* long columns, as of a 2-D job of 1e12 cells, take their time */
  if (sample > most) sample = most;
  while ((tor_gidx)(nx / stride + 1) * (ny / stride + 1) > sample) stride++;
  struct tor_columns_size size = {0};
  struct tor_column col = tor_column_new(slab);
  struct tor_nearby near = tor_nearby_new(&c->objects);
  for (int ix = 0; ix < nx; ix += stride) {
    struct slice s = {0};
    make_slice(c, ix, stride, &s, &col, &near);
    seen += (ny - 1) / stride + 1;
    size.coef += (double)s.ncoef;
    size.state += (double)s.nstate;
    size.weight += (double)s.nweight;
    size.runs += (double)s.nrun;
    size.extra += (double)s.nextra;
    size.dispersive += (double)s.dispersive;
    for (int k = 0; k < TOR_NODE_MEDIA; k++) size.nodes[k] += (double)s.nodes[k];
    slice_free(&s);
  }
  tor_nearby_free(&near);
  tor_column_free(&col);
  double all = (double)nx * ny / seen;
  double *const value[] = {&size.coef, &size.state, &size.weight, &size.runs, &size.extra, &size.dispersive};
  for (size_t i = 0; i < sizeof value / sizeof *value; i++) *value[i] *= all;
  for (int k = 0; k < TOR_NODE_MEDIA; k++) size.nodes[k] *= all;
  return size;
}

/* Appends a slice to the slab's lists, and counts its coefficients and weights in: store_slices copies them. */
static void join(struct tor_columns *c, int ix, struct slice *s, size_t *capacity) {
  struct tor_slab *slab = c->slab;
  for (size_t i = 0; i < s->nextra; i++) {
    struct tor_extra extra = s->extra[i];
    if (extra.coef_e >= 0) extra.coef_e += slab->ncoef;
    if (extra.coef_h >= 0) extra.coef_h += slab->ncoef;
    for (int k = 0; k < 5; k++) extra.run[k] += (int32_t)slab->nrun;
    tor_gidx column = tor_slab_column(slab, ix, s->iy[i]);
    slab->extra = tor_grow(slab->extra, (size_t)slab->nextra + 1, capacity, sizeof *slab->extra);
    slab->extra[slab->nextra] = extra;
    slab->extra_id[column] = slab->nextra++;
    slab->cls[column] |= s->cls[i];
  }
  for (size_t i = 0; i < s->nrun; i++) {
    s->run[i].state += slab->nstate;
    s->run[i].weight += slab->nweight;
    slab->run[slab->nrun + (tor_gidx)i] = s->run[i];
  }
  s->to_coef = slab->ncoef;
  s->to_weight = slab->nweight;
  slab->ncoef += (tor_gidx)s->ncoef;
  slab->nrun += (tor_gidx)s->nrun;
  slab->nweight += s->nweight;
  slab->nstate += s->nstate;
}

/* Copies the coefficients and weights of joined slices into the slab's arrays, and frees the slices. Of new memory most
 * of the time is the system's, which makes its pages: each thread touches its own. */
static void store_slices(const struct tor_slab *slab, struct slice *slices, int count, int threads) {
  const size_t real = (size_t)slab->precision;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int i = 0; i < count; i++) {
    struct slice *s = &slices[i];
    if (s->ncoef) memcpy((char *)slab->coef + (size_t)s->to_coef * real, s->coef, s->ncoef * real);
    tor_column_store(slab, slab->weight, s->to_weight, s->weight, (size_t)s->nweight);
    slice_free(s);
    *s = (struct slice){0};
  }
}

/* Marks a column whose E has surface nodes at its edges' ends. */
static void mark_at_nodes(struct tor_slab *slab, int ix, int iy, size_t *capacity) {
  if (ix < 0 || iy < 0) return;
  const tor_gidx column = (tor_gidx)ix * slab->held[1] + iy;
  slab->cls[column] |= TOR_COL_AT_NODES;
  if (slab->extra_id[column] >= 0) return;
  slab->extra = tor_grow(slab->extra, (size_t)slab->nextra + 1, capacity, sizeof *slab->extra);
  slab->extra[slab->nextra] = (struct tor_extra){.coef_e = -1, .coef_h = -1};
  slab->extra_id[column] = slab->nextra++;
}
/* The held column before number i along an axis, that of the last edge before 0 of a periodic one; -1: none. */
static int column_before(const struct tor_slab *slab, int axis, int i) {
  const int whole = tor_slab_periodic(slab, axis) && !(axis == TOR_Y && tor_slab_is_arc(slab));
  return i == 0 && whole ? slab->n[axis] - 1 : i - 1;
}
static void mark_all_at_nodes(struct tor_slab *slab, size_t *capacity) {
  for (int ix = 0; ix < slab->held[0]; ix++)
    for (int iy = 0; iy < slab->held[1]; iy++) {
      if (!(slab->cls[(tor_gidx)ix * slab->held[1] + iy] & TOR_COL_NODES)) continue;
      mark_at_nodes(slab, ix, iy, capacity);
      mark_at_nodes(slab, column_before(slab, TOR_X, ix), iy, capacity);
      mark_at_nodes(slab, ix, column_before(slab, TOR_Y, iy), capacity);
    }
}

/* Slices that a thread takes at a time: those beside each other share nodes. */
static int slices_at_once(int count, int threads) {
  enum { PARTS = 8, MOST = 16 };
  const int even = count / (PARTS * threads);
  if (even < 1) return 1;
  return even < MOST ? even : MOST;
}

/* Makes slices from number `first` on. */
static void make_slices(const struct tor_columns *c, int first, int count, int threads, struct slice *slices) {
#pragma omp parallel num_threads(threads)
  {
    struct tor_column col = tor_column_new(c->slab);
    struct tor_nearby near = tor_nearby_new(&c->objects);
#pragma omp for schedule(dynamic, slices_at_once(count, threads))
    for (int i = 0; i < count; i++)
      if (!tor_stop_asked()) make_slice(c, c->slab->lo[0] + first + i, 1, &slices[i], &col, &near);
    tor_nearby_free(&near);
    tor_column_free(&col);
  }
}

/* Values of the arrays below. */
struct counts {
  size_t coef, run, weight, state;
};

/* Memory that is written as a whole. */
static void *reserve(size_t count, size_t size, const char *what) {
  void *memory = tor_reserve(count * size);
  if (!memory)
    TOR_DIE("%s: no memory for %.3f GB; a smaller domain or larger cells would fit", what,
            1e-9 * (double)count * (double)size);
  return memory;
}

/* Extends the slab's arrays by so many values; those in memory once only. */
static void extend(struct tor_slab *slab, const struct counts *more, size_t *runs) {
  const size_t real = (size_t)slab->precision, nrun = (size_t)slab->nrun + more->run;
  if (nrun > INT32_MAX)
    TOR_DIE("%zu dispersive runs in one slab, at most %d; split the domain over ranks", nrun, INT32_MAX);
  if (!slab->disk) {
    slab->coef = reserve(more->coef, real, "media coefficients");
    slab->run = reserve(more->run, sizeof *slab->run, "dispersive media");
    slab->weight = reserve(more->weight, real, "dispersive media");
    slab->state = tor_alloc(more->state, real, "dispersive media");
    return;
  }
  const size_t ncoef = (size_t)slab->ncoef, nweight = (size_t)slab->nweight,
               nstate = (size_t)slab->nstate + more->state;
  tor_disk_extend(slab->disk, TOR_DISK_COEF, ncoef * real, (ncoef + more->coef) * real);
  tor_disk_extend(slab->disk, TOR_DISK_WEIGHT, nweight * real, (nweight + more->weight) * real);
  tor_disk_extend(slab->disk, TOR_DISK_STATE, nstate * real, nstate * real);
  slab->run = tor_grow(slab->run, nrun, runs, sizeof *slab->run);
}

/* Addresses on disk for as many values as there can be. */
static void reserve_on_disk(struct tor_slab *slab) {
  const size_t column = (size_t)slab->nzp * (size_t)slab->precision, columns = (size_t)tor_slab_columns(slab);
  struct tor_pole_range nodes = {0}; /* as large as any */
  size_t state = 0;
  for (int d = 0; d < slab->ndispersion; d++) {
    state += 2 * 3 * (size_t)(slab->dispersion[d].nstate + 1);
    if (slab->dispersion[d].npoles > nodes.metal) nodes.metal = slab->dispersion[d].npoles;
  }
  state += (size_t)(nodes.metal > 0 ? tor_node_states(&nodes) : tor_node_states_of(TOR_GAIN_NODES));
  slab->coef = tor_disk_reserve(slab->disk, TOR_DISK_COEF, 2 * TOR_NCOMP * column * columns);
  slab->state = tor_disk_reserve(slab->disk, TOR_DISK_STATE, state * column * columns);
  const int of_nodes = tor_node_weights(&nodes) > TOR_CHI2_WEIGHTS ? tor_node_weights(&nodes) : TOR_CHI2_WEIGHTS;
  const size_t weight = (size_t)of_nodes + 2 * 3 * TOR_BRANCH_WEIGHTS * (size_t)slab->ndispersion;
  slab->weight = tor_disk_reserve(slab->disk, TOR_DISK_WEIGHT, weight * column * columns);
}

void tor_columns_make(struct tor_columns *c, int threads, size_t *capacity, tor_gidx *dispersive) {
  struct tor_slab *slab = c->slab;
  /* Columns on disk are made in parts, so that no more of them are in memory. */
  const int nslices = slab->held[0], most = slab->disk && 2 * threads < nslices ? 2 * threads : nslices;
  struct slice *slices = tor_alloc((size_t)most, sizeof *slices, "columns");
  size_t runs = 0;
  if (slab->disk) reserve_on_disk(slab);
  for (int first = 0, count = most; first < nslices; first += count) {
    if (count > nslices - first) count = nslices - first;
    make_slices(c, first, count, threads, slices);
    struct counts more = {0};
    for (int i = 0; i < count; i++) {
      more.coef += slices[i].ncoef;
      more.run += slices[i].nrun;
      more.weight += (size_t)slices[i].nweight;
      more.state += (size_t)slices[i].nstate;
      *dispersive += slices[i].dispersive;
    }
    extend(slab, &more, &runs);
    for (int i = 0; i < count; i++) join(c, slab->lo[0] + first + i, &slices[i], capacity);
    store_slices(slab, slices, count, slab->disk ? 1 : threads);
  }
  free(slices);
  tor_host_return_memory(); /* the slices were a part of all memory: the fields come next */
  mark_all_at_nodes(slab, capacity);
}
