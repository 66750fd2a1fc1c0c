/* Sums of what Fourier monitors have heard: see heard_gpu.cuh. */
#include "heard_gpu.cuh"

#include <stdlib.h>

#include "../src/error.h"

/* Neighbouring points of a group that hear the same field, E or H. */
struct stretch {
  tor_gidx first;
  int count, group, is_h;
};
enum { LONGEST = 64, BLOCK = 128 };

struct tor_gpu_heard {
  struct stretch *stretch; /* [count] on the device */
  int count;
};
typedef struct tor_gpu_heard heard;

struct list {
  struct stretch *at;
  size_t count, capacity;
};

static void append(struct list *list, struct stretch one) {
  list->at = (struct stretch *)tor_grow(list->at, list->count + 1, &list->capacity, sizeof *list->at);
  list->at[list->count++] = one;
}

/* A record's points; they lengthen the group's stretch number last[group], where they follow it. */
static void add_record(struct list *list, tor_gidx *last, const struct tor_record *rec, int is_h) {
  for (int done = 0; done < rec->nz;) {
    struct stretch *s = last[rec->group] < 0 ? nullptr : &list->at[last[rec->group]];
    if (!s || s->count == LONGEST || s->first + s->count != rec->offset + done) {
      last[rec->group] = (tor_gidx)list->count;
      append(list, {rec->offset + done, 0, rec->group, is_h});
      s = &list->at[last[rec->group]];
    }
    const int room = LONGEST - s->count, now = rec->nz - done < room ? rec->nz - done : room;
    s->count += now;
    done += now;
  }
}

/* By component, since a monitor's points of one component are neighbours from column to column. */
static struct list list_stretches(const struct tor_slab *slab, int lo, int hi) {
  struct list list = {};
  tor_gidx *last = (tor_gidx *)tor_alloc((size_t)slab->ngroup + 1, sizeof *last, "monitors");
  for (int c = 0; c < TOR_NCOMP; c++) {
    for (int g = 0; g < slab->ngroup; g++) last[g] = -1;
    for (tor_gidx column = (tor_gidx)lo * slab->held[1]; column < (tor_gidx)hi * slab->held[1]; column++) {
      if (slab->extra_id[column] < 0) continue;
      const struct tor_extra *extra = &slab->extra[slab->extra_id[column]];
      for (int i = extra->record[c]; i < extra->record[c + 1]; i++)
        if (slab->group[slab->record[i].group].kind == TOR_RECORD_DFT)
          add_record(&list, last, &slab->record[i], c >= TOR_HX);
    }
  }
  free(last);
  return list;
}

heard *TOR_NAME(tor_gpu_heard_new)(const struct tor_slab *slab, int lo, int hi) {
  heard *h = (heard *)tor_alloc(1, sizeof *h, "monitors");
  const struct list list = list_stretches(slab, lo, hi);
  h->count = (int)list.count;
  CUDA_TRY(cudaMalloc(&h->stretch, (list.count + 1) * sizeof *h->stretch));
  if (list.count) CUDA_TRY(cudaMemcpy(h->stretch, list.at, list.count * sizeof *h->stretch, cudaMemcpyHostToDevice));
  free(list.at);
  return h;
}

void TOR_NAME(tor_gpu_heard_free)(heard *h) {
  CUDA_TRY(cudaFree(h->stretch));
  free(h);
}

/* Nothing was heard: a value of ones alone, which no arithmetic gives. */
static __device__ __forceinline__ bool is_silent(real value) {
#if TOR_REAL_BITS == 32
  return __float_as_uint(value) == ~0u;
#else
  return __double_as_longlong(value) == -1;
#endif
}
static __device__ __forceinline__ real silence() {
#if TOR_REAL_BITS == 32
  return __uint_as_float(~0u);
#else
  return __longlong_as_double(-1);
#endif
}

/* A stretch a block. */
static __global__ void sum_heard(const tor_gpu_group *groups, const struct stretch *stretch) {
  const struct stretch s = stretch[blockIdx.x];
  const tor_gpu_group group = groups[s.group];
  if (!group.heard) return;
  const int each = 2 * group.nfreq;
  for (int i = threadIdx.x; i < s.count * each; i += blockDim.x) {
    const tor_gidx point = s.first + i / each;
    const int q = i % each;
    double *const at = group.data + point * each + q;
    double sum = *at;
    for (int k = 0; k < group.nheard; k++) {
      const real value = group.heard[(tor_gidx)k * group.npoints + point];
      if (!is_silent(value))
        sum = __fma_rn((double)value, group.phase[((tor_gidx)group.heard_step[k] * 2 + s.is_h) * each + q], sum);
    }
    *at = sum;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < s.count * group.nheard; i += blockDim.x)
    group.heard[(tor_gidx)(i / s.count) * group.npoints + s.first + i % s.count] = silence();
}

void TOR_NAME(tor_gpu_heard_sum)(const heard *h, const tor_gpu_view *view, cudaStream_t stream) {
  if (h->count) tor_gpu_launch(sum_heard, dim3((unsigned)h->count), BLOCK, stream, view->group, h->stretch);
}
