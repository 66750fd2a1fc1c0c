/* DFT samples and their sums: see dft.cuh. */
#include "diamond/gpu/view/dft.cuh"

#include <stdlib.h>

#include "src/base/error.h"

/* Neighbouring points of a group that record the same field, E or H. */
struct segment {
  tor_gidx first, place; /* place: among all points of a tor_gpu_dft */
  int count, group, is_h;
};
enum { LONGEST = 64, BLOCK = 128 };

struct tor_gpu_dft {
  struct segment *segment; /* [count] on the device */
  int count;
  tor_gidx points;
  const struct tor_slab *slab;
  uint8_t *has_points; /* [ngroup] */
};
typedef struct tor_gpu_dft dft_samples;

struct list {
  struct segment *at;
  size_t count, capacity;
};

static void append(struct list *list, const struct segment &one) {
  list->at = (struct segment *)tor_grow(list->at, list->count + 1, &list->capacity, sizeof *list->at);
  list->at[list->count++] = one;
}

/* A record's points; they lengthen the group's segment number last[group], where they follow it. */
static void add_record(struct list *list, tor_gidx *last, const struct tor_record *rec, int is_h) {
  for (int done = 0; done < rec->nz;) {
    struct segment *s = last[rec->group] < 0 ? nullptr : &list->at[last[rec->group]];
    if (!s || s->count == LONGEST || s->first + s->count != rec->offset + done) {
      last[rec->group] = (tor_gidx)list->count;
      append(list, {rec->offset + done, 0, 0, rec->group, is_h});
      s = &list->at[last[rec->group]];
    }
    const int capacity = LONGEST - s->count, now = rec->nz - done < capacity ? rec->nz - done : capacity;
    s->count += now;
    done += now;
  }
}

/* By component, since a monitor's points of one component are neighbours from column to column. */
static struct list list_segments(const struct tor_slab *slab, const struct tor_column_block *block) {
  struct list list = {};
  tor_gidx *last = (tor_gidx *)tor_alloc((size_t)slab->ngroup + 1, sizeof *last, "monitors");
  for (int c = 0; c < TOR_NCOMP; c++) {
    for (int g = 0; g < slab->ngroup; g++) last[g] = -1;
    for (int ix = block->x0; ix < block->x1; ix++)
      for (int iy = block->y0; iy < block->y1; iy++) {
        const int32_t id = slab->extra_id[tor_slab_column(slab, ix, iy)];
        if (id < 0) continue;
        for (int i = slab->extra[id].record[c]; i < slab->extra[id].record[c + 1]; i++)
          if (slab->group[slab->record[i].group].kind == TOR_RECORD_DFT)
            add_record(&list, last, &slab->record[i], c >= TOR_HX);
      }
  }
  free(last);
  return list;
}

/* Group after group, so that the places do not depend on where segments end, which differs between slabs. Returns how
 * many there are. */
static tor_gidx give_places(const struct list *list, int ngroup) {
  tor_gidx points = 0;
  for (int g = 0; g < ngroup; g++)
    for (size_t i = 0; i < list->count; i++)
      if (list->at[i].group == g) {
        list->at[i].place = points;
        points += list->at[i].count;
      }
  return points;
}

dft_samples *TOR_NAME(tor_gpu_dft_new)(const struct tor_slab *slab, const struct tor_column_block *block) {
  dft_samples *h = (dft_samples *)tor_alloc(1, sizeof *h, "monitors");
  const struct list list = list_segments(slab, block);
  h->slab = slab;
  h->points = give_places(&list, slab->ngroup);
  h->has_points = (uint8_t *)tor_alloc((size_t)slab->ngroup + 1, 1, "monitors");
  for (size_t i = 0; i < list.count; i++) h->has_points[list.at[i].group] = 1;
  h->count = (int)list.count;
  tor_gpu_alloc(&h->segment, (list.count + 1) * sizeof *h->segment);
  if (list.count) CUDA_TRY(cudaMemcpy(h->segment, list.at, list.count * sizeof *h->segment, cudaMemcpyHostToDevice));
  free(list.at);
  return h;
}

void TOR_NAME(tor_gpu_dft_free)(dft_samples *h) {
  tor_gpu_free(h->segment);
  free(h->has_points);
  free(h);
}

/* No sample: a value with all bits set, which no arithmetic gives. */
static __device__ __forceinline__ bool is_none(real value) {
#if TOR_REAL_BITS == 32
  return __float_as_uint(value) == ~0u;
#else
  return __double_as_longlong(value) == -1;
#endif
}
static __device__ __forceinline__ real no_sample() {
#if TOR_REAL_BITS == 32
  return __uint_as_float(~0u);
#else
  return __longlong_as_double(-1);
#endif
}

/* One segment a block. */
static __global__ void sum_dft_samples(const tor_gpu_group *groups, const struct segment *segment) {
  const struct segment s = segment[blockIdx.x];
  const tor_gpu_group group = groups[s.group];
  if (!group.dft_samples) return;
  const int each = 2 * group.nfreq;
  for (int i = threadIdx.x; i < s.count * each; i += blockDim.x) {
    const tor_gidx point = s.first + i / each;
    const int q = i % each;
    double *const at = group.data + point * each + q;
    double sum = *at;
    for (int k = 0; k < group.ndft_samples; k++) {
      const real value = group.dft_samples[(tor_gidx)k * group.npoints + point];
      if (!is_none(value))
        sum = __fma_rn((double)value, group.phase[((tor_gidx)group.dft_sample_step[k] * 2 + s.is_h) * each + q], sum);
    }
    *at = sum;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < s.count * group.ndft_samples; i += blockDim.x)
    group.dft_samples[(tor_gidx)(i / s.count) * group.npoints + s.first + i % s.count] = no_sample();
}

void TOR_NAME(tor_gpu_dft_sum)(const dft_samples *h, const tor_gpu_view *view, cudaStream_t stream) {
  if (h->count) tor_gpu_launch(sum_dft_samples, dim3((unsigned)h->count), BLOCK, stream, view->group, h->segment);
}

/* --- Transfer of samples to another device --- */

/* The most of any group that has points here. */
static int most_samples(const dft_samples *h, const tor_gpu_group *group) {
  int most = 0;
  for (int g = 0; g < h->slab->ngroup; g++)
    if (h->has_points[g] && group[g].ndft_samples > most) most = group[g].ndft_samples;
  return most;
}

size_t TOR_NAME(tor_gpu_dft_bytes)(const dft_samples *h, const tor_gpu_group *group) {
  return (size_t)most_samples(h, group) * (size_t)h->points * sizeof(real);
}

size_t TOR_NAME(tor_gpu_dft_most_bytes)(const dft_samples *h, int steps) {
  int most = 0;
  for (int g = 0; g < h->slab->ngroup; g++) {
    if (!h->has_points[g]) continue;
    const int samples = (steps - 1) / h->slab->group[g].every + 1;
    if (samples > most) most = samples;
  }
  return (size_t)most * (size_t)h->points * sizeof(real);
}

/* One segment a block, [samples][points]. The last samples of a group with fewer than others are none. */
static __global__ void give_samples(const tor_gpu_group *groups, const struct segment *segment, int samples,
                                    tor_gidx points, real *to) {
  const struct segment s = segment[blockIdx.x];
  const tor_gpu_group group = groups[s.group];
  for (int i = threadIdx.x; i < s.count * samples; i += blockDim.x) {
    const int k = i / s.count, point = i % s.count;
    real value = no_sample();
    if (k < group.ndft_samples) {
      real *const at = &group.dft_samples[k * group.npoints + s.first + point];
      value = *at;
      *at = no_sample();
    }
    to[k * points + s.place + point] = value;
  }
}

static __global__ void take_samples(const tor_gpu_group *groups, const struct segment *segment, int samples,
                                    tor_gidx points, const real *from) {
  const struct segment s = segment[blockIdx.x];
  const tor_gpu_group group = groups[s.group];
  for (int i = threadIdx.x; i < s.count * samples; i += blockDim.x) {
    const int k = i / s.count, point = i % s.count;
    const real value = from[k * points + s.place + point];
    if (!is_none(value)) group.dft_samples[k * group.npoints + s.first + point] = value;
  }
}

void TOR_NAME(tor_gpu_dft_give)(const dft_samples *h, const tor_gpu_view *view, const tor_gpu_group *group, real *to,
                                cudaStream_t stream) {
  tor_gpu_launch(give_samples, dim3((unsigned)h->count), BLOCK, stream, view->group, h->segment, most_samples(h, group),
                 h->points, to);
}

void TOR_NAME(tor_gpu_dft_take)(const dft_samples *h, const tor_gpu_view *view, const tor_gpu_group *group,
                                const real *from, cudaStream_t stream) {
  tor_gpu_launch(take_samples, dim3((unsigned)h->count), BLOCK, stream, view->group, h->segment, most_samples(h, group),
                 h->points, from);
}
