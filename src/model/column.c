/* Columns: see column.h.
 *
 * A slice of columns with one ix is made by one thread, in separate arrays; the slices are then joined in order. */
#include "src/model/column.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/coefficient.h"
#include "src/model/damping.h"
#include "src/model/nearby.h"

enum { NKIND = 2 };

/* One column's media: coefficients without absorbers and, for each E component, the volume fraction of each dispersive
 * medium. */
struct column {
  double *cb, *ca1; /* [6][nzp] */
  /* Poles: driven by the cell's own field (weight), or by a branch's (weight, a, g, r). */
  double *share; /* [3][ndispersion][NKIND][TOR_BRANCH_WEIGHTS][nzp] */
  char *present; /* [3][ndispersion][NKIND] */
};

struct tor_columns {
  const struct tor_job *job;
  const struct tor_grid *grid;
  struct tor_slab *slab;
  int *dispersion; /* [nmedia] index among the slab's dispersions, -1 none */
  struct tor_object_index objects;
  struct tor_nearby layers;     /* objects that are layers across z: near every column */
  struct tor_coefficient *pure; /* [nmedia][6] */
  int alike[TOR_NCOMP];         /* H: all media have the same coefficient, so geometry need not be evaluated */
  struct column background;     /* where no object but layers across z is near */
  int damped_z;                 /* absorbers across z act */
};

struct slice {
  struct tor_extra *extra;
  int *iy;
  uint16_t *cls;
  size_t nextra, extra_cap, iy_cap, cls_cap;
  double *coef;
  size_t ncoef, coef_cap;
  struct tor_pole_range *run;
  size_t nrun, run_cap;
  double *weight;
  size_t weight_cap;
  tor_gidx nweight, nstate, dispersive;
};

static struct column column_new(const struct tor_slab *slab) {
  size_t nzp = (size_t)slab->nzp, nd = (size_t)slab->ndispersion;
  return (struct column){tor_alloc(6 * nzp, sizeof(double), "columns"), tor_alloc(6 * nzp, sizeof(double), "columns"),
                         tor_alloc(3 * nd * NKIND * TOR_BRANCH_WEIGHTS * nzp, sizeof(double), "columns"),
                         tor_alloc(3 * nd * NKIND, 1, "columns")};
}

static void column_free(struct column *c) {
  free(c->cb);
  free(c->ca1);
  free(c->share);
  free(c->present);
}

static int medium_index(const struct tor_columns *c, int medium) { return medium < 0 ? c->job->background : medium; }

/* Whether the whole box lies in one medium: by tor_object_holds_box, or where that is undecided by 27 points of the box
 * and the objects' faces. A face of an object's bounds inside the box may hide a thin part; a curved surface reaches
 * between two points by less than a hundredth of a cell. */
static int uniform_box(const struct tor_columns *c, const struct tor_nearby *near, const double lo[3],
                       const double hi[3], int *medium) {
  const int *list = near->seen, nlist = near->nseen;
  int holds;
  *medium = -1;
  if (lo[2] > near->hi_z || hi[2] < near->lo_z) return 1;
  const int top = tor_objects_top(c->job->objects, list, nlist, lo, hi, &holds);
  if (top < 0 || holds) { /* the last object that is not outside the box contains all of it, or there is none */
    *medium = top < 0 ? -1 : c->job->objects[list[top]].medium;
    return 1;
  }
  for (int i = 0; i < near->n; i++) {
    const double *blo = c->objects.lo[near->list[i]], *bhi = c->objects.hi[near->list[i]];
    int outside = 0, cut = 0;
    for (int a = 0; a < 3; a++) {
      outside |= bhi[a] <= lo[a] || blo[a] >= hi[a];
      cut |= (blo[a] > lo[a] && blo[a] < hi[a]) || (bhi[a] > lo[a] && bhi[a] < hi[a]);
    }
    if (cut && !outside) return 0;
  }
  for (int p = 0; p < 27; p++) {
    /* Just inside the corners, so that a face that coincides with a side of the box does not count. */
    const double f[3] = {1e-6, 0.5, 1 - 1e-6};
    double x[3] = {lo[0] + f[p % 3] * (hi[0] - lo[0]), lo[1] + f[p / 3 % 3] * (hi[1] - lo[1]),
                   lo[2] + f[p / 9] * (hi[2] - lo[2])};
    const int on_top = tor_objects_at(c->job->objects, list, nlist, x);
    const int here = on_top < 0 ? -1 : c->job->objects[list[on_top]].medium;
    if (p == 0) *medium = here;
    if (here != *medium) return 0;
  }
  return 1;
}

/* Value `which` of a kind of poles at z; marks the kind as present. */
static double *share_at(const struct tor_slab *slab, struct column *col, int comp, int d, int kind, int which, int z) {
  size_t k = ((size_t)comp * (size_t)slab->ndispersion + (size_t)d) * NKIND + (size_t)kind;
  col->present[k] = 1;
  return &col->share[(k * TOR_BRANCH_WEIGHTS + (size_t)which) * (size_t)slab->nzp + (size_t)z];
}

static void set_point(const struct tor_columns *c, struct column *col, int comp, int z, const struct tor_mix *mix) {
  const struct tor_slab *slab = c->slab;
  struct tor_coefficient k = mix->count == 1 ? c->pure[medium_index(c, mix->medium[0]) * TOR_NCOMP + comp]
                                             : tor_coefficient_make(c->job, c->grid, comp, mix);
  col->cb[comp * slab->nzp + z] = k.cb;
  col->ca1[comp * slab->nzp + z] = k.ca1;
  if (tor_comp_is_h(comp)) return;
  for (int i = 0; i < mix->count; i++) {
    int d = c->dispersion[medium_index(c, mix->medium[i])];
    if (d < 0 || mix->constant[i] > 0) continue;
    if (k.branch.used) {
      *share_at(slab, col, comp, d, 1, 0, z) = k.branch.weight;
      *share_at(slab, col, comp, d, 1, 1, z) = k.branch.a;
      *share_at(slab, col, comp, d, 1, 2, z) = k.branch.g;
      *share_at(slab, col, comp, d, 1, 3, z) = k.branch.r;
    } else {
      *share_at(slab, col, comp, d, 0, 0, z) += mix->share[i];
    }
  }
}

/* One component of a column from the objects near it. */
static void fill_component(const struct tor_columns *c, struct column *col, int comp, int ix, int iy,
                           const struct tor_nearby *near) {
  const struct tor_grid *g = c->grid;
  if (c->alike[comp]) {
    const struct tor_mix any = {.count = 1, .medium = {-1}, .share = {1}};
    for (int z = 0; z <= g->n[2]; z++) set_point(c, col, comp, z, &any);
    return;
  }
  const int at[3] = {ix, iy, 0};
  double lo[3], hi[3];
  for (int a = 0; a < 2; a++) {
    double x = tor_grid_place(g, comp, a, at[a]);
    lo[a] = x - 0.5 * g->d[a];
    hi[a] = x + 0.5 * g->d[a];
  }
  int staircase = c->job->averaging == TOR_AVERAGE_STAIRCASE;
  for (int z = 0; z <= g->n[2]; z++) {
    double x = tor_grid_place(g, comp, TOR_Z, z);
    lo[2] = x - 0.5 * g->d[2];
    hi[2] = x + 0.5 * g->d[2];
    struct tor_mix mix = {.count = 1, .share = {1}};
    if (staircase || !uniform_box(c, near, lo, hi, &mix.medium[0]))
      tor_geometry_mix(c->job->objects, near->seen, near->nseen, lo, hi, staircase ? 1 : c->job->samples, &mix);
    tor_mix_resolve(c->job, comp, &mix);
    set_point(c, col, comp, z, &mix);
  }
}

/* Writes values to an array of the slab's precision from place `first` on. */
static void store(const struct tor_slab *slab, void *array, tor_gidx first, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (slab->precision == TOR_F32)
      ((float *)array)[first + (tor_gidx)i] = (float)values[i];
    else
      ((double *)array)[first + (tor_gidx)i] = values[i];
}

/* All components of a column from the objects near it. */
static void fill_column(const struct tor_columns *c, struct column *col, int ix, int iy,
                        const struct tor_nearby *near) {
  const size_t kinds = 3 * (size_t)c->slab->ndispersion * NKIND;
  memset(col->share, 0, kinds * TOR_BRANCH_WEIGHTS * (size_t)c->slab->nzp * sizeof *col->share);
  memset(col->present, 0, kinds);
  for (int comp = 0; comp < TOR_NCOMP; comp++) fill_component(c, col, comp, ix, iy, near);
}

/* The slab's layered background, with the absorbers across z. */
static void store_background(struct tor_columns *c) {
  struct tor_slab *slab = c->slab;
  const size_t nzp = (size_t)slab->nzp;
  slab->cb = tor_alloc(TOR_NCOMP * nzp, (size_t)slab->precision, "background");
  slab->ca1 = tor_alloc(TOR_NCOMP * nzp, (size_t)slab->precision, "background");
  double *cb = tor_alloc(nzp, sizeof *cb, "background"), *ca1 = tor_alloc(nzp, sizeof *ca1, "background");
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    memcpy(cb, c->background.cb + (size_t)comp * nzp, nzp * sizeof *cb);
    memcpy(ca1, c->background.ca1 + (size_t)comp * nzp, nzp * sizeof *ca1);
    tor_damping_apply(slab, comp, 1, cb, ca1);
    slab->uniform[comp] = 1;
    for (int z = 0; z <= slab->n[2]; z++) slab->uniform[comp] &= cb[z] == cb[0];
    store(slab, slab->cb, (tor_gidx)comp * slab->nzp, cb, nzp);
    store(slab, slab->ca1, (tor_gidx)comp * slab->nzp, ca1, nzp);
  }
  free(cb);
  free(ca1);
}

struct tor_columns *tor_columns_new(const struct tor_job *job, const struct tor_grid *grid, struct tor_slab *slab) {
  struct tor_columns *c = tor_alloc(1, sizeof *c, "columns");
  c->job = job;
  c->grid = grid;
  c->slab = slab;
  c->dispersion = tor_alloc((size_t)job->nmedia, sizeof *c->dispersion, "columns");
  c->pure = tor_alloc((size_t)job->nmedia * TOR_NCOMP, sizeof *c->pure, "columns");
  tor_object_index_make(job, &c->objects);
  slab->dispersion = tor_alloc((size_t)job->nmedia, sizeof *slab->dispersion, "columns");
  for (int m = 0; m < job->nmedia; m++) {
    struct tor_mix pure = {.count = 1, .medium = {m}, .share = {1}};
    for (int comp = 0; comp < TOR_NCOMP; comp++) {
      struct tor_coefficient *k = &c->pure[m * TOR_NCOMP + comp];
      *k = tor_coefficient_make(job, grid, comp, &pure);
      c->alike[comp] = tor_comp_is_h(comp) &&
                       (m == 0 || (c->alike[comp] && k->cb == c->pure[comp].cb && k->ca1 == c->pure[comp].ca1));
    }
    c->dispersion[m] = -1;
    if (!job->media[m].npoles) continue;
    c->dispersion[m] = slab->ndispersion;
    tor_dispersion_make(&job->media[m], grid, &slab->dispersion[slab->ndispersion++]);
  }
  c->layers = tor_nearby_new(&c->objects);
  for (int o = 0; o < job->nobjects; o++) {
    if (job->objects[o].shape == TOR_LAYER && job->objects[o].axis == TOR_Z) c->layers.list[c->layers.n++] = o;
  }
  tor_nearby_complete(&c->objects, &c->layers);
  c->background = column_new(slab);
  fill_column(c, &c->background, 0, 0, &c->layers);
  c->damped_z = tor_damping_make(job, grid, slab);
  store_background(c);
  return c;
}

void tor_columns_free(struct tor_columns *c) {
  if (!c) return;
  column_free(&c->background);
  free(c->dispersion);
  free(c->pure);
  tor_object_index_free(&c->objects);
  tor_nearby_free(&c->layers);
  free(c);
}

const double *tor_columns_cb(const struct tor_columns *c) { return c->background.cb; }
const double *tor_columns_ca1(const struct tor_columns *c) { return c->background.ca1; }
int tor_columns_dispersive_background(const struct tor_columns *c) { return c->dispersion[c->job->background] >= 0; }

static void append(double **to, size_t *count, size_t *cap, const double *values, size_t n) {
  if (!n) return;
  *to = tor_grow(*to, *count + n, cap, sizeof **to);
  memcpy(*to + *count, values, n * sizeof **to);
  *count += n;
}

/* A medium's values of one component: [NKIND][TOR_BRANCH_WEIGHTS][nzp]. */
static const double *shares_of(const struct tor_slab *slab, const struct column *col, int comp, int d) {
  return col->share +
         ((size_t)comp * (size_t)slab->ndispersion + (size_t)d) * NKIND * TOR_BRANCH_WEIGHTS * (size_t)slab->nzp;
}

/* Gives arrays to the runs of a medium from number `first` on, in order of z. share: shares_of them. */
static void place_runs(const struct tor_slab *slab, const double *share, size_t first, struct slice *s) {
  const tor_gidx before = s->nweight;
  if (first == s->nrun) return;
  for (size_t i = first; i < s->nrun;)
    i += (size_t)tor_pole_range_place(slab->dispersion, &s->run[i], (int)(s->nrun - i), &s->nstate, &s->nweight);
  s->weight = tor_grow(s->weight, (size_t)s->nweight, &s->weight_cap, sizeof *s->weight);
  memset(s->weight + before, 0, (size_t)(s->nweight - before) * sizeof *s->weight);
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
static void add_runs(const struct tor_columns *c, const struct column *col, int comp, struct slice *s) {
  const struct tor_slab *slab = c->slab;
  const int last = tor_comp_half(comp, TOR_Z) ? slab->n[2] - 1 : slab->n[2] - (slab->wall[TOR_ZHI] != TOR_PMC);
  for (int d = 0; d < slab->ndispersion; d++) {
    const char *present = col->present + ((size_t)comp * (size_t)slab->ndispersion + (size_t)d) * NKIND;
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
static unsigned add_coefficients(const struct tor_columns *c, const struct column *col, int ix, int iy, int h,
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
  append(&s->coef, &s->ncoef, &s->coef_cap, cb, 3 * nzp);
  if (cls & lossy) append(&s->coef, &s->ncoef, &s->coef_cap, ca1, 3 * nzp);
  if (slab->damping[0] && cls & lossy)
    for (size_t a = 0; a < 3; a++) {
      double *const to = s->coef + *first + a * nzp;
      tor_damping_apply(slab, 3 * h + (int)a, tor_damping_across(slab, 3 * h + (int)a, ix, iy), to, to + 3 * nzp);
    }
  return cls;
}

/* Appends a column to its slice when it differs from the background. */
static void add_column(const struct tor_columns *c, const struct column *col, int ix, int iy, struct slice *s) {
  struct tor_extra extra = {.coef_e = -1, .coef_h = -1};
  unsigned cls = add_coefficients(c, col, ix, iy, 0, s, &extra.coef_e);
  cls |= add_coefficients(c, col, ix, iy, 1, s, &extra.coef_h);
  for (int comp = 0; comp < 3; comp++) {
    extra.run[comp] = (int32_t)s->nrun;
    add_runs(c, col, comp, s);
  }
  extra.run[3] = (int32_t)s->nrun;
  if (extra.run[3] > extra.run[0]) cls |= TOR_COL_POLES;
  if (!cls) return;
  s->extra = tor_grow(s->extra, s->nextra + 1, &s->extra_cap, sizeof *s->extra);
  s->iy = tor_grow(s->iy, s->nextra + 1, &s->iy_cap, sizeof *s->iy);
  s->cls = tor_grow(s->cls, s->nextra + 1, &s->cls_cap, sizeof *s->cls);
  s->extra[s->nextra] = extra;
  s->iy[s->nextra] = iy;
  s->cls[s->nextra++] = (uint16_t)cls;
}

/* Columns of slice ix, from the first held one in strides. in_slice, near: capacity for all objects. */
static void make_slice(const struct tor_columns *c, int ix, int stride, struct slice *s, struct column *col,
                       int *in_slice, struct tor_nearby *near) {
  const struct tor_slab *slab = c->slab;
  const struct tor_object_index *objects = &c->objects;
  int nslice = tor_object_index_along(objects, c->grid, TOR_X, ix, objects->all, objects->count, in_slice);
  for (int iy = slab->lo[1]; iy < slab->lo[1] + slab->held[1]; iy += stride) {
    near->n = tor_object_index_along(objects, c->grid, TOR_Y, iy, in_slice, nslice, near->list);
    if (near->n == c->layers.n) { /* layers across z are everywhere: nothing else is near */
      add_column(c, &c->background, ix, iy, s);
      continue;
    }
    tor_nearby_complete(&c->objects, near);
    fill_column(c, col, ix, iy, near);
    add_column(c, col, ix, iy, s);
  }
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
  while ((tor_gidx)(nx / stride + 1) * (ny / stride + 1) > sample) stride++;
  struct tor_columns_size size = {0};
  struct column col = column_new(slab);
  int *list = tor_alloc((size_t)c->job->nobjects, sizeof *list, "columns");
  struct tor_nearby near = tor_nearby_new(&c->objects);
  for (int ix = 0; ix < nx; ix += stride) {
    struct slice s = {0};
    make_slice(c, ix, stride, &s, &col, list, &near);
    seen += (ny - 1) / stride + 1;
    size.coef += (double)s.ncoef;
    size.state += (double)s.nstate;
    size.weight += (double)s.nweight;
    size.runs += (double)s.nrun;
    size.extra += (double)s.nextra;
    size.dispersive += (double)s.dispersive;
    slice_free(&s);
  }
  free(list);
  tor_nearby_free(&near);
  column_free(&col);
  double all = (double)nx * ny / seen;
  return (struct tor_columns_size){size.coef * all, size.state * all, size.weight * all,
                                   size.runs * all, size.extra * all, size.dispersive * all};
}

static void join(struct tor_columns *c, int ix, struct slice *s, size_t *capacity) {
  struct tor_slab *slab = c->slab;
  for (size_t i = 0; i < s->nextra; i++) {
    struct tor_extra extra = s->extra[i];
    if (extra.coef_e >= 0) extra.coef_e += slab->ncoef;
    if (extra.coef_h >= 0) extra.coef_h += slab->ncoef;
    for (int k = 0; k < 4; k++) extra.run[k] += (int32_t)slab->nrun;
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
  store(slab, slab->coef, slab->ncoef, s->coef, s->ncoef);
  store(slab, slab->weight, slab->nweight, s->weight, (size_t)s->nweight);
  slab->ncoef += (tor_gidx)s->ncoef;
  slab->nrun += (tor_gidx)s->nrun;
  slab->nweight += s->nweight;
  slab->nstate += s->nstate;
}

void tor_columns_make(struct tor_columns *c, int threads, size_t *capacity, tor_gidx *dispersive) {
  struct tor_slab *slab = c->slab;
  int nslices = slab->held[0];
  struct slice *slices = tor_alloc((size_t)nslices, sizeof *slices, "columns");
#pragma omp parallel num_threads(threads)
  {
    struct column col = column_new(slab);
    int *list = tor_alloc((size_t)c->job->nobjects, sizeof *list, "columns");
    struct tor_nearby near = tor_nearby_new(&c->objects);
#pragma omp for schedule(dynamic, 1)
    for (int ix = 0; ix < nslices; ix++) make_slice(c, slab->lo[0] + ix, 1, &slices[ix], &col, list, &near);
    free(list);
    tor_nearby_free(&near);
    column_free(&col);
  }
  size_t ncoef = 0, nrun = 0, nweight = 0, nstate = 0;
  for (int ix = 0; ix < nslices; ix++) {
    ncoef += slices[ix].ncoef;
    nrun += slices[ix].nrun;
    nweight += (size_t)slices[ix].nweight;
    nstate += (size_t)slices[ix].nstate;
    *dispersive += slices[ix].dispersive;
  }
  if (nrun > INT32_MAX)
    TOR_DIE("%zu dispersive runs in one slab, at most %d; split the domain over ranks", nrun, INT32_MAX);
  slab->coef = tor_alloc(ncoef, (size_t)slab->precision, "media coefficients");
  slab->run = tor_alloc(nrun, sizeof *slab->run, "dispersive media");
  slab->weight = tor_alloc(nweight, (size_t)slab->precision, "dispersive media");
  slab->state = tor_alloc(nstate, (size_t)slab->precision, "dispersive media");
  for (int ix = 0; ix < nslices; ix++) {
    struct slice *s = &slices[ix];
    join(c, slab->lo[0] + ix, s, capacity);
    slice_free(s);
  }
  free(slices);
}
