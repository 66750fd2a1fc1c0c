/* A GPU for tests of the program in a build without CUDA: device.h by the CPU's stepwise engine, on the slab's own
 * arrays. It advances each segment of a slab (tor_slab.segments) as a slab by itself, whose ghost values lie in the gap
 * before the next one: segments of at most a pitch less TOR_VECTOR values. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/engine.h"
#include "diamond/gpu/device.h"
#include "src/base/error.h"

/* A segment as a slab, with its entries of the lists. */
struct view {
  struct tor_slab slab;
};

struct mock {
  struct tor_device device; /* first */
  struct tor_slab *slab;
  int count;
  struct view *view;
};

/* --- Segments --- */

static int is_in(const struct tor_slab *whole, int k, int z0) { return z0 / tor_slab_segment_pitch(whole) == k; }

/* The column's nodes are one run through all segments. Returns the part in this one. */
static struct tor_pole_range nodes_in(const struct tor_slab *whole, int k, const struct tor_pole_range *run) {
  const int first = k * tor_slab_segment_pitch(whole), past = first + whole->period;
  struct tor_pole_range part = *run;
  const int end = run->z0 + run->nz < past ? run->z0 + run->nz : past;
  if (part.z0 < first) part.z0 = first;
  part.nz = end - part.z0;
  if (part.nz <= 0) return part;
  const int from = part.z0 / TOR_NODE_ALIGN * TOR_NODE_ALIGN, low = from > run->from ? from : run->from;
  part.state += tor_node_place(run, tor_node_states(run), low); /* no gap: several parts */
  part.weight += tor_node_place(run, tor_node_weights(run), low);
  part.from = low - first;
  part.z0 -= first;
  return part;
}

static void add_column(const struct tor_slab *whole, int k, const struct tor_extra *from, struct tor_slab *s,
                       struct tor_extra *to) {
  const int first = k * tor_slab_segment_pitch(whole);
  for (int c = 0; c < TOR_NCOMP; c++) {
    if (c < 5) to->run[c] = (int32_t)s->nrun;
    to->inject[c] = (int32_t)s->ninject;
    to->record[c] = (int32_t)s->nrecord;
    for (int i = c < 3 ? from->run[c] : 0; c < 3 && i < from->run[c + 1]; i++) {
      if (!is_in(whole, k, whole->run[i].z0)) continue;
      s->run[s->nrun] = whole->run[i];
      s->run[s->nrun].z0 -= first;
      s->run[s->nrun++].from -= first;
    }
    if (c == 3 && from->run[3] < from->run[4]) {
      const struct tor_pole_range nodes = nodes_in(whole, k, &whole->run[from->run[3]]);
      if (nodes.nz > 0) s->run[s->nrun++] = nodes;
    }
    for (int i = from->inject[c]; i < from->inject[c + 1]; i++) {
      if (!is_in(whole, k, whole->inject[i].z0)) continue;
      s->inject[s->ninject] = whole->inject[i];
      s->inject[s->ninject++].z0 -= first;
    }
    for (int i = from->record[c]; i < from->record[c + 1]; i++) {
      if (!is_in(whole, k, whole->record[i].z0)) continue;
      s->record[s->nrecord] = whole->record[i];
      s->record[s->nrecord++].z0 -= first;
    }
  }
  to->inject[TOR_NCOMP] = (int32_t)s->ninject;
  to->record[TOR_NCOMP] = (int32_t)s->nrecord;
}

static void move(const struct tor_slab *whole, void **array, int values) {
  *array = (char *)*array + (size_t)values * (size_t)whole->precision;
}

static void make_view(const struct tor_slab *whole, int k, struct view *view) {
  struct tor_slab *s = &view->slab;
  const int first = k * tor_slab_segment_pitch(whole);
  *s = *whole;
  s->segments = 0;
  s->n[TOR_Z] = s->zhi0 = whole->period;
  void **arrays[] = {&s->field, &s->cb, &s->ca1, &s->coef, &s->psi_x, &s->psi_y};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) move(whole, arrays[i], first);
  s->energy += (tor_gidx)k * tor_slab_columns(whole) * TOR_NCOMP;
  s->nrun = s->ninject = s->nrecord = 0;
  s->run = tor_alloc((size_t)whole->nrun + 1, sizeof *s->run, "mock");
  s->inject = tor_alloc((size_t)whole->ninject + 1, sizeof *s->inject, "mock");
  s->record = tor_alloc((size_t)whole->nrecord + 1, sizeof *s->record, "mock");
  s->extra = tor_alloc((size_t)whole->nextra + 1, sizeof *s->extra, "mock");
  for (int i = 0; i < whole->nextra; i++) {
    s->extra[i] = whole->extra[i];
    add_column(whole, k, &whole->extra[i], s, &s->extra[i]);
  }
}

/* The ghost values along z that the engine finds at a stage's beginning. */
static void set_ghosts(const struct tor_slab *s) {
  const int n = s->n[TOR_Z], to[] = {-2, -1, n, n + 1}, from[] = {n - 2, n - 1, 0, 1};
  const tor_gidx real = s->precision;
  for (tor_gidx column = 0; column < tor_slab_columns(s); column++)
    for (int c = 0; c < TOR_NCOMP; c++)
      for (int i = tor_comp_is_h(c) ? 0 : 1; i < 4 && c % 3 != TOR_Z; i++) {
        char *const vector = (char *)s->field + tor_slab_vector(s, column, c) * real;
        memcpy(vector + to[i] * real, vector + from[i] * real, (size_t)real);
      }
}

/* --- Operations --- */

static void run(struct tor_device *device, const struct tor_stage *stage, enum tor_engine_kind engine) {
  struct mock *mock = (struct mock *)device;
  const struct tor_engine_setup setup = {TOR_ENGINE_STEPWISE, 1, 1};
  if (engine == TOR_ENGINE_STEPWISE && mock->count) TOR_DIE("segments by the stepwise engine");
  if (!mock->count) tor_engine_run(mock->slab, stage, &setup);
  for (int k = 0; k < mock->count; k++) {
    set_ghosts(&mock->view[k].slab);
    tor_engine_run(&mock->view[k].slab, stage, &setup);
  }
}

static double seconds(const struct tor_device *device) {
  (void)device;
  return 0;
}
static void fetch(struct tor_device *device, struct tor_slab *slab) {
  (void)device;
  slab->untouched = 0;
}
static void fetch_part(const struct tor_device *device, struct tor_slab *slab) {
  (void)device;
  (void)slab;
}

static double energy(struct tor_device *device, int segment, int x0, int x1, int y0, int y1) {
  const struct mock *mock = (const struct mock *)device;
  const struct tor_slab *s = mock->count ? &mock->view[segment].slab : mock->slab;
  double sum = 0;
  for (int ix = x0; ix < x1; ix++)
    for (int iy = y0; iy < y1; iy++)
      for (int c = 0; c < TOR_NCOMP; c++)
        sum += s->energy_scale[c] * s->energy[tor_slab_column(s, ix, iy) * TOR_NCOMP + c];
  return sum;
}

static void close_mock(struct tor_device *device) {
  struct mock *mock = (struct mock *)device;
  for (int k = 0; k < mock->count; k++) {
    struct tor_slab *s = &mock->view[k].slab;
    free(s->run);
    free(s->inject);
    free(s->record);
    free(s->extra);
  }
  free(mock->view);
  free(mock);
}

static const struct tor_gpu_ops ops = {.run = run,
                                       .seconds = seconds,
                                       .fetch = fetch,
                                       .fetch_monitors = fetch_part,
                                       .fetch_energy = fetch_part,
                                       .energy = energy,
                                       .close = close_mock};

struct tor_device *tor_device_open(const struct tor_slab *slab, int number, double window,
                                   const struct tor_column_store *store) {
  struct mock *mock = tor_alloc(1, sizeof *mock, "mock");
  if (number || window > 0 || store) TOR_DIE("the mock of a GPU has no window and no other GPU");
  mock->device.ops = &ops;
  mock->slab = (struct tor_slab *)slab;
  if (slab->untouched) {
    const size_t real = (size_t)slab->precision, ghosts = TOR_IMAGES * real;
    memset((char *)slab->field - ghosts, 0,
           (size_t)tor_slab_columns(slab) * (size_t)tor_plane_comps(slab->plane) * (size_t)slab->nzp * real +
               2 * ghosts);
  }
  mock->count = slab->segments;
  mock->view = tor_alloc((size_t)mock->count + 1, sizeof *mock->view, "mock");
  for (int k = 0; k < mock->count; k++) make_view(slab, k, &mock->view[k]);
  return &mock->device;
}

/* --- Queries --- */

int tor_device_built(void) { return 1; }
int tor_device_count(void) { return 1; }
void tor_device_several(void) {}
void tor_device_side_by_side(void) {}
const char *tor_device_absence(void) { return ""; }
void tor_device_name(int number, char *name, size_t name_size, char *driver, size_t driver_size) {
  snprintf(name, name_size, "mock %d", number);
  snprintf(driver, driver_size, "none");
}
void tor_device_pci(int number, char *pci, size_t size) {
  (void)number;
  snprintf(pci, size, "none");
}
int tor_device_has_towers(int number) { return !number; }
double tor_device_memory(int number) {
  (void)number;
  return 1e9;
}
double tor_device_copy_bandwidth(int number) {
  (void)number;
  return 1e9;
}
double tor_device_link_bandwidth(int count) {
  (void)count;
  return 1e9;
}
int tor_device_dts(int order, enum tor_precision precision, int cpml_z) {
  (void)order;
  (void)precision;
  (void)cpml_z;
  return 6;
}
const char *tor_device_no_rings(const struct tor_slab *slab) {
  return slab->segments && tor_slab_segment_pitch(slab) - slab->period < TOR_VECTOR ? "a gap is too narrow" : NULL;
}
int tor_device_has_rows(const struct tor_slab *slab) { return !slab->plane && !tor_device_no_rings(slab); }
