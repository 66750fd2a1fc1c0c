/* The queue of a launch of towers, and the launch: blocks take towers in the order of their rows, and wait, step by
 * step, for the right-hand neighbours (a+1, b), (a, b+1), (a+1, b+1): step n needs their step n. */
#ifndef TOR_DIAMOND_GPU_TOWER_TOWER_QUEUE_CUH
#define TOR_DIAMOND_GPU_TOWER_TOWER_QUEUE_CUH

#include <stdio.h>
#include <stdlib.h>

#include "diamond/core/tile.h"
#include "src/base/concurrent.h"
#include "src/base/error.h"
#include "diamond/gpu/view/lattice.cuh"
#include "diamond/gpu/tower/tower_sync.cuh"

struct tower_line {
  int row, first, last; /* places, in steps of 2 */
  int start;            /* number of the first tower in the queue */
};
struct tower_queue {
  const tower_line *line; /* [nlines], from right to left */
  int nlines, ntowers;
  int first_step, steps; /* of the stage: the steps that are run */
  int *next;             /* tower to take */
  int *done;             /* [ntowers] steps whose values are stored */
  const uint8_t *needs;  /* [][nplaces]: of the tile at u = 2 (first_at + i), place first_place + k */
  int first_at, first_place, nplaces;
  int ring;       /* places around, all of which are here, where rows are rings; else 0 */
  char *exchange; /* exchange rows in global memory, block after block */
  const int *below,
      *above; /* [nlines + 1]: steps of the towers next to these places, from line -1 on; null: there are none */
};

/* Where the neighbour at `place` of line i >= -1, or -2 between these places, counts its steps. */
POINT_FN const int *neighbour(const tower_queue &queue, int i, int place) {
  if (queue.ring) place = place < 0 ? place + queue.ring : place < queue.ring ? place : place - queue.ring;
  if (place < queue.first_place) return queue.below ? queue.below + i + 1 : nullptr;
  if (place >= queue.first_place + queue.nplaces) return queue.above ? queue.above + i + 1 : nullptr;
  if (i < 0 || place < queue.line[i].first || place > queue.line[i].last) return nullptr;
  return queue.done + queue.line[i].start + (place - queue.line[i].first) / 2;
}

/* A tower of the queue: its line there, its row and its place in it. */
struct tower_at {
  int line, row, place;
};
/* Of a tower's number; line: that of a tower before it. */
POINT_FN tower_at find_tower(const tower_queue &queue, int line, int number) {
  while (line + 1 < queue.nlines && number >= queue.line[line + 1].start) line++;
  const tower_line at = queue.line[line];
  return {line, at.row, at.first + 2 * (number - at.start)};
}
/* Where its right-hand neighbours (a+1, b), (a, b+1), (a+1, b+1) count their steps; null: there is none. */
POINT_FN const int *right_neighbour(const tower_queue &queue, const tower_at &at, int which) {
  return which < 2 ? neighbour(queue, at.line - 1, at.place - 1 + 2 * which) : neighbour(queue, at.line - 2, at.place);
}

/* The number of the next tower for a cluster of blocks, of which this block is number `rank`; the same for all their
 * threads, ntowers or more when there is none. taken: in each block's shared memory; read until all have met again. */
POINT_FN int take_tower(const tower_queue &queue, int *taken, int nblock, int rank) {
  if (rank == 0 && threadIdx.x == 0) {
    const int next = atomicAdd(queue.next, 1);
    *taken = next;
    for (int i = 1; i < nblock; i++) *cg::this_cluster().map_shared_rank(taken, i) = next;
  }
  sync_tower(nblock);
  return (int)warp_uniform((unsigned)*taken);
}

/* Places of a row that are run, cut to the span's. Returns their number. */
static int places_of(const struct tor_tiling *tiling, const struct tor_gpu_span *span, int row, int *first, int *last) {
  tor_tiling_places(tiling, row, first, last);
  if (span->places && *first < span->places->first) *first = span->places->first + ((span->places->first + row) & 1);
  if (span->places && *last > span->places->last) *last = span->places->last - ((span->places->last + row) & 1);
  return *last < *first ? 0 : (*last - *first) / 2 + 1;
}

/* Device memory for a queue: of this launch alone, or, for launches with y halos, memory that is kept from launch to
 * launch. */
static void *queue_memory(const struct tor_gpu_span *span, size_t bytes, cudaStream_t stream) {
  struct tor_gpu_places *places = span->places;
  void *memory;
  if (!places) {
    CUDA_TRY(cudaMallocAsync(&memory, bytes, stream));
    return memory;
  }
  if (bytes > places->queue_bytes) {
    CUDA_TRY(cudaFree(places->queue));
    CUDA_TRY(cudaMalloc(&places->queue, 2 * bytes));
    places->queue_bytes = 2 * bytes;
  }
  return places->queue;
}

/* The queue of a run of towers of half-width R = reach S times DTS; its device memory is one allocation, `memory`, with
 * `rows` bytes of exchange rows. find_needs: the kernel that fills queue.needs. */
static tower_queue make_queue(const tor_gpu_view *s, const struct tor_gpu_span *span, int S, int R, size_t rows,
                              void (*find_needs)(tor_gpu_view, tower_queue, uint8_t *), void **memory,
                              cudaStream_t stream) {
  struct tor_tiling tiling =
      tor_tiling_of_radius(S == 3 ? 4 : 2, R, span->steps, s->first[0], s->last[0], s->first[1], s->last[1]);
  if (s->periodic[TOR_Y]) tiling.ring = 2 * s->n[TOR_Y];
  int first_row, last_row, lo, hi, first, last;
  tor_tiling_rows(&tiling, &first_row, &last_row);
  if (first_row > span->first_row) first_row = span->first_row;
  if (last_row < span->last_row) last_row = span->last_row;
  places_of(&tiling, span, 0, &lo, &hi); /* of even rows, then of odd rows */
  places_of(&tiling, span, 1, &first, &last);
  tower_queue queue = {};
  queue.ring = tiling.ring / R;
  queue.first_step = span->first_step;
  queue.steps = span->steps;
  queue.first_place = first < lo ? first : lo;
  queue.nplaces = (last > hi ? last : hi) - queue.first_place + 1;
  /* Corners of the rows' tiles, from their first step to their last. */
  queue.first_at = -(R + S);
  if (queue.first_at < R * last_row / 2 - 1) queue.first_at = R * last_row / 2 - 1;
  const int last_at = (R * first_row + 2 * S * span->steps) / 2 + 1;
  const int nlines = first_row < last_row ? 0 : first_row - last_row + 1;
  tower_line *line = (tower_line *)calloc((size_t)nlines + 1, sizeof *line);
  for (int row = first_row; row >= last_row; row--) {
    tower_line *l = &line[queue.nlines];
    l->row = row;
    l->start = queue.ntowers;
    queue.ntowers += places_of(&tiling, span, row, &l->first, &l->last);
    queue.nlines++;
  }
  const int nat = (last_at < s->n[0] ? last_at : s->n[0]) + 1 - queue.first_at;
  const size_t lines = (size_t)queue.nlines * sizeof *line, counters = ((size_t)queue.ntowers + 1) * sizeof(int);
  const size_t needs = (size_t)queue.nplaces * (size_t)nat;
  *memory = queue_memory(span, rows + lines + counters + needs, stream);
  queue.exchange = (char *)*memory;
  char *at = queue.exchange + rows;
  queue.line = (const tower_line *)at;
  queue.next = (int *)(at + lines);
  queue.done = queue.next + 1;
  queue.needs = (const uint8_t *)(at + lines + counters);
  CUDA_TRY(cudaMemcpyAsync(at, line, lines, cudaMemcpyHostToDevice, stream));
  CUDA_TRY(cudaMemsetAsync(queue.next, 0, counters, stream));
  CUDA_TRY(cudaStreamSynchronize(stream));
  if (span->places) {
    queue.below = span->places->arrived[TOR_BELOW];
    queue.above = span->places->arrived[TOR_ABOVE];
    for (int i = 0; i < queue.nlines; i++) {
      const int count = line[i].last < line[i].first ? 0 : (line[i].last - line[i].first) / 2 + 1;
      for (int side = 0; side < TOR_NHALO_Y; side++)
        if (span->places->done[side] && count)
          span->places->done[side][i] = queue.done + line[i].start + (side == TOR_ABOVE ? count - 1 : 0);
    }
  }
  free(line);
  tor_gpu_launch(find_needs, dim3((unsigned)nat, (unsigned)(queue.nplaces + 31) / 32), 32, stream, *s, queue,
                 (uint8_t *)queue.needs);
  return queue;
}

/* Launches a kernel of towers (view, queue, more...) on as many clusters of `nblock` blocks as the device holds at one
 * time, or this run's part of them where others step beside it: clusters stay until the launch ends, and a launch that
 * has all of them lets no other begin. They take their towers from a queue: make_queue's, with `rows` bytes of exchange
 * rows a block. */
template <class... More>
static void launch_towers(void (*kernel)(tor_gpu_view, tower_queue, More...), int nblock, int threads, size_t shared,
                          size_t rows, int S, int R, void (*find_needs)(tor_gpu_view, tower_queue, uint8_t *),
                          const tor_gpu_view *s, const struct tor_gpu_span *span, cudaStream_t stream,
                          const More &...more) {
  CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = (unsigned)nblock;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((unsigned)nblock);
  config.blockDim = dim3((unsigned)threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int resident;
  CUDA_TRY(cudaOccupancyMaxActiveClusters(&resident, kernel, &config));
  if (!resident) {
    fprintf(stderr, "GPU: a tower of %d blocks of %zu bytes of shared memory does not fit; use engine \"stepwise\"\n",
            nblock, shared);
    tor_end();
  }
  const int runs = tor_concurrent_steppers();
  resident = (resident + runs - 1) / runs;
  void *memory = nullptr;
  const tower_queue queue = make_queue(s, span, S, R, (size_t)(resident * nblock) * rows, find_needs, &memory, stream);
  if (resident > queue.ntowers) resident = queue.ntowers;
  config.gridDim = dim3((unsigned)(resident * nblock));
  if (span->places) CUDA_TRY(cudaEventRecord(span->places->ready, stream));
  if (resident) CUDA_TRY(cudaLaunchKernelEx(&config, kernel, *s, queue, more...));
  if (!span->places) CUDA_TRY(cudaFreeAsync(memory, stream));
}

#endif
