/* A slab's copy on a device, as those see it that work on one: slab_gpu.cu (the whole slab), share_gpu.cu (a part among
 * ranks), columns_gpu.cu (ghost values and energies of columns). For one precision. */
#ifndef TOR_DIAMOND_GPU_ENGINE_COPY_CUH
#define TOR_DIAMOND_GPU_ENGINE_COPY_CUH

#include "diamond/gpu/ranks/halo_y.cuh"
#include "diamond/gpu/view/gpu_parts.h"
#include "diamond/gpu/view/dft.cuh"
#include "diamond/gpu/ranks/halo_x.cuh"
#include "diamond/gpu/tower/plain_rows.cuh"
#include "diamond/gpu/window/sweep.cuh"

struct tor_gpu_copy {
  const struct tor_slab *slab;
  struct tor_gpu_sweep *sweep; /* of the window; null: all of the slab is on the device */
  struct tor_gpu_plain *plain;
  tor_gpu_view view;
  tor_gpu_group *group; /* the host's copy of view.group */
  void **owned;
  size_t nowned, capacity;
  char *stage, *stage_host; /* device memory for a stage's tables, and what goes there */
  size_t stage_bytes;
  struct tor_gpu_dft *dft_samples; /* of all columns */
  real *dft_sample_values;         /* on the device: what a stage's groups share out */
  size_t dft_sample_capacity;      /* values */
  int *samples;                    /* [ngroup][2][steps] of the stage: their steps, and by step their number or -1 */
  size_t samples_capacity;
  float milliseconds;
  double *total, *total_host; /* [held[0]] energies on the device and on the host */
  /* Of a slab that ranks share. */
  struct tor_gpu_halo_x *halo_x[TOR_GPU_HALOS_X];
  struct tor_gpu_halo_y *border[TOR_GPU_NHALO_Y];
  struct tor_gpu_places places;   /* of runs with borders */
  int halo_x_at[TOR_GPU_HALOS_X]; /* its first column, counted from the first held */
  int comes[TOR_GPU_HALOS_X];     /* its columns are on their way to the slab, where a window passes over that */
  cudaStream_t rows;              /* null until the first stage begins; the sweep's if there is one */
};

/* Brings a stage's tables to the device; they are there when this returns. */
void TOR_NAME(tor_gpu_copy_load)(struct tor_gpu_copy *copy, const struct tor_stage *stage);

#endif
