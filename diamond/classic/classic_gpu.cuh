/* What kernels of the classic mappings have in common, for one precision: the case as they see it, launches that note
 * registers and occupancy. */
#ifndef TOR_DIAMOND_CLASSIC_CLASSIC_GPU_CUH
#define TOR_DIAMOND_CLASSIC_CLASSIC_GPU_CUH

#include "diamond/classic/classic_rule.h"
#include "diamond/gpu/tower/tower_ptx.cuh"
#include "diamond/gpu/view/lattice.cuh"

/* Internal to a translation unit: the same names in both precisions. */
namespace {

/* Arrays begin at the author's point (0, 0, 0). */
struct classic_view {
  int n[3], pitch, plane;
  real *f[TOR_NCOMP];
  const real *c[TOR_NCOMP][3]; /* Demir: coefficients of each point */
  const uint8_t *m[TOR_NCOMP]; /* INDEX: materials */
  real k[TOR_NCOMP][3];        /* of medium 1 */
  real dt, eps, mu, edge[3];   /* Giraud */
  int open;
  int source, source_at; /* -1: none */
  const real *value;     /* [steps] */
};

} // namespace

/* A run of some steps. */
struct classic_span {
  int first, steps, e_first, halves;
  const tor_classic_launch *how;
  cudaStream_t stream;
  tor_classic_kernel *kernel; /* filled in */
};

/* Registers and occupancy of the heaviest kernel. */
template <class Kernel>
static inline void classic_note(tor_classic_kernel *note, Kernel kernel, int threads, size_t shared) {
  enum { MOST_THREADS = 2048 };
  cudaFuncAttributes attributes;
  int blocks = 0;
  CUDA_TRY(cudaFuncGetAttributes(&attributes, kernel));
  CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
  note->registers = max(note->registers, attributes.numRegs);
  note->occupancy = min(note->occupancy, (double)blocks * threads / MOST_THREADS);
}

template <class... Parameters, class... Arguments>
static inline void classic_launch(const classic_span &span, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                  size_t shared, const Arguments &...argument) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = span.stream;
  CUDA_TRY(cudaLaunchKernelEx(&config, kernel, argument...));
  if (span.kernel) classic_note(span.kernel, kernel, (int)(block.x * block.y), shared);
}

/* Calls half_step(step, e) for each half-step. */
template <class Half> static inline void classic_steps(const classic_span &span, const Half &half_step) {
  for (int step = span.first; step < span.first + span.steps; step++)
    for (int half = 0; half < 2; half++) {
      const int e = span.e_first ? !half : half;
      if (span.halves >> e & 1) half_step(step, e);
    }
}

/* The authors' steps; each sets its own source. */
void TOR_NAME(tor_classic_takada)(const tor_classic_case *c, const void *view, const classic_span &span);
void TOR_NAME(tor_classic_demir)(const tor_classic_case *c, const void *view, const classic_span &span);
void TOR_NAME(tor_classic_giraud)(const tor_classic_case *c, const void *view, const classic_span &span);
/* Demir's coefficients by material, and Giraud's size, to constant memory, before the first step. */
void TOR_NAME(tor_classic_demir_table)(const real *table, size_t bytes);
void TOR_NAME(tor_classic_giraud_size)(const int n[3]);

static inline unsigned classic_blocks(int count, int block) { return (unsigned)((count + block - 1) / block); }

#endif
