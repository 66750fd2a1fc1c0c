/* A slab's copy on a device, behind device.h: slab.cu (to the device and back), stage.cu (a run of the whole slab),
 * worker_gpu.cu (a rank's part), columns.cu (ghost values and energies of columns). For one precision. */
#ifndef TOR_DIAMOND_GPU_ENGINE_COPY_CUH
#define TOR_DIAMOND_GPU_ENGINE_COPY_CUH

#include "diamond/gpu/device.h"
#include "diamond/gpu/plane/plane.cuh"
#include "diamond/gpu/ranks/halo_x.cuh"
#include "diamond/gpu/ranks/halo_y.cuh"
#include "diamond/gpu/tower/plain_rows.cuh"
#include "diamond/gpu/view/dft.cuh"
#include "diamond/gpu/window/sweep.cuh"

struct tor_gpu_copy {
  struct tor_device device; /* first: a pointer to it is one to the copy */
  int number;               /* of the device, as CUDA counts */
  const struct tor_slab *slab;
  const struct tor_column_store *store; /* under the window; null: all columns are in memory */
  struct tor_gpu_sweep *sweep;          /* of the window; null: all of the slab is on the device */
  cudaStream_t stream;                  /* of all its work: the sweep's, or its own */
  struct tor_gpu_plain *plain;
  struct tor_gpu_plane *plane; /* of a 2-D slab; null until its first run by panels */
  tor_gpu_view view;
  struct tor_gpu_dft *imaginary_samples; /* Bloch walls: of the imaginary part (view.other_field) */
  tor_gpu_group *group;                  /* the host's copy of view.group */
  void **owned;
  size_t nowned, capacity;
  char *stage, *stage_host; /* device memory for a stage's tables, and their copy on the host */
  size_t stage_bytes;
  struct tor_gpu_dft *dft_samples; /* of all columns */
  real *dft_sample_values;         /* on the device: the memory that a stage's groups divide */
  size_t dft_sample_capacity;      /* values */
  int *samples;                    /* [ngroup][2][steps] of the stage: their steps, and by step their number or -1 */
  size_t samples_capacity;
  float milliseconds;         /* of the last run */
  double *total, *total_host; /* [held[0]] energies on the device and on the host */
  /* Of a rank's part. */
  struct tor_gpu_halo_x *halo_x[TOR_NHALO_X]; /* null: no neighbour, or not yet opened */
  struct tor_gpu_halo_y *halo_y[TOR_NHALO_Y];
  struct tor_gpu_places places;        /* of runs with halos along y */
  bool crosses;                        /* ghost values along z are as towers of Bloch walls keep them (slab_view.cuh) */
  struct tor_gpu_halo_rows *halo_rows; /* of a 2-D slab: [2][TOR_NHALO_Y], own rows that leave, halo rows */
  int halo_x_at[TOR_NHALO_X];          /* a halo's first column, counted from the first held */
  int comes[TOR_NHALO_X];              /* a halo's columns are being copied to the slab that a window passes over */
};

/* A stream that waits for no other. */
cudaStream_t tor_gpu_new_stream(void);

/* The copy, on whose device the thread works from now on. */
static inline struct tor_gpu_copy *tor_gpu_use(struct tor_device *device) {
  struct tor_gpu_copy *gpu = (struct tor_gpu_copy *)device;
  CUDA_TRY(cudaSetDevice(gpu->number));
  return gpu;
}
static inline const struct tor_gpu_copy *tor_gpu_use(const struct tor_device *device) {
  return tor_gpu_use((struct tor_device *)device);
}

/* The view of the imaginary part in the stage that `view` is set for. */
static inline tor_gpu_view tor_gpu_imaginary(const struct tor_gpu_copy *gpu) {
  tor_gpu_view s = gpu->view;
  tor_gpu_swap_parts(s);
  return s;
}

/* Values of tor_slab.energy. */
static inline size_t tor_gpu_energies(const struct tor_slab *slab) {
  return (size_t)tor_slab_segments(slab) * (size_t)tor_slab_columns(slab) * TOR_NCOMP;
}

/* Copies a stage's tables to the device; complete when this returns. */
void TOR_NAME(tor_gpu_load_stage)(struct tor_gpu_copy *copy, const struct tor_stage *stage);
/* Completes columns that have been unpacked, and sets ghost values as after a run of the whole slab (columns.cu). */
void TOR_NAME(tor_gpu_settle)(struct tor_gpu_copy *copy);
/* Copies the energy sums, tor_slab.energy, to the host. */
void TOR_NAME(tor_gpu_copy_energies)(const struct tor_gpu_copy *copy, double *to);

/* Members of the table tor_gpu_ops, which is in slab.cu. */
void TOR_NAME(tor_gpu_run)(struct tor_device *device, const struct tor_stage *stage, enum tor_engine_kind engine);
double TOR_NAME(tor_gpu_energy)(struct tor_device *device, int segment, int x0, int x1, int y0, int y1);
extern const struct tor_worker_calls TOR_NAME(tor_gpu_worker), TOR_NAME(tor_gpu_plane_worker);
extern const struct tor_halo_rows_calls TOR_NAME(tor_gpu_rounds); /* halo_rows.cu */
extern const struct tor_gpu_ops TOR_NAME(tor_gpu_ops);

#endif
