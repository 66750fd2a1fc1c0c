/* The slab as kernels see it: slab.h with device pointers of the translation unit's precision, and the stage now run.
 */
#ifndef TOR_DIAMOND_GPU_VIEW_SLAB_VIEW_CUH
#define TOR_DIAMOND_GPU_VIEW_SLAB_VIEW_CUH

#include "diamond/core/planes.h"
#include "diamond/core/slab.h"
#include "diamond/core/update.h"
#include "diamond/core/worker.h"
#include "diamond/gpu/limits.h"

typedef tor_real real;

/* Rows of z may be read this many values beyond their ends, at both ends of the field. */
enum { TOR_GPU_SLACK = 2048 };

struct tor_gpu_pole {
  real k1, k2, k3[3], k4[3];
  int has_p, implicit;
};
struct tor_gpu_dispersion {
  int first, npoles; /* into view.pole */
  int nstate;
  int implicit;
};
/* The same for media whose poles are few and explicit, where kernels look them up fast: in their parameters. */
enum { TOR_GPU_FAST_MEDIA = 2, TOR_GPU_FAST_POLES = 6 };
struct tor_gpu_fast_medium {
  real k1[TOR_GPU_FAST_POLES], k2[TOR_GPU_FAST_POLES], k3[3][TOR_GPU_FAST_POLES];
  int npoles; /* 0: this medium is not one of them */
  unsigned nstate;
  int has_p[TOR_GPU_FAST_POLES]; /* k2 is 0 where not */
  unsigned j_at[TOR_GPU_FAST_POLES],
      p_at[TOR_GPU_FAST_POLES]; /* which array of a run's state is J, is P; of those beyond npoles the last one's */
};

/* Flags of a range, 32 values of z of a column, in tor_gpu_range_flags.bits: each is the first of TOR_NCOMP bits, one
 * for each component. */
enum {
  TOR_RANGE_ALWAYS = 0,  /* more work than coefficients of E and CPML, and none of the simple cases below */
  TOR_RANGE_SAMPLED = 6, /* the same, but in steps with samples only */
  TOR_RANGE_POLES = 12,  /* of E alone: runs of one fast medium, at each z one */
  TOR_RANGE_NODES = 15   /* of E alone: surface nodes beside it, and nothing else but records */
};
struct tor_gpu_range_flags {
  unsigned bits;
  int work; /* place in view.work of the descriptors for the bits from TOR_RANGE_POLES on, in their order */
};
/* `count` pole vectors of a component in a range, from number `first` of view.pole_vector on; the medium, shifted by so
 * many bits, is added to the count. Of medium TOR_GPU_AT_NODES: number `first` of view.edge_at_nodes. */
struct tor_gpu_work {
  int first, count;
};
enum { TOR_GPU_MEDIUM_SHIFT = 5, TOR_GPU_AT_NODES = TOR_GPU_FAST_MEDIA };
/* V values along z of runs that share arrays (slab.h), as a lane advances them; they begin where z is a multiple of V.
 */
struct alignas(16) tor_gpu_pole_vector {
  unsigned state, weight; /* places of the first of them, in units of V values: the lower 32 bits */
  unsigned more; /* 8 bits more of both places; from bit 16 on the runs' pitch, in units of TOR_POLE_RANGE_ALIGN */
  unsigned what; /* V bits: the values that are a run's; at bit TOR_GPU_POLE_VECTOR_CHARGED, whether its arrays are
                    charged; from bit TOR_GPU_POLE_VECTOR_VECTOR on the vector in its range */
};
enum { TOR_GPU_POLE_VECTOR_CHARGED = 4, TOR_GPU_POLE_VECTOR_VECTOR = 8 };

/* The same for towers whose tile lies in shared memory (smem_tile.cuh): the runs of a component of a column that share
 * arrays. */
struct alignas(16) tor_gpu_pole_segment {
  unsigned state, weight; /* places of their first values, in units of 4 */
  uint16_t from, count;   /* vectors of 4 values along z, of the column's; count 0: none */
  uint16_t medium, charged;
};
enum { TOR_GPU_POLE_SEGMENTS = 2 }; /* of a component, at most */

/* The values along z that CPML changes, by fours: below lo, and `hi` of them from hi0 on. The slab's ranges
 * (tor_slab.zlo, zhi0) are rounded to TOR_VECTOR; what they have beyond these has the factors 1, 0 and memory of 0. */
struct tor_smem_layers {
  int lo, hi0, hi;
};

/* A column's run of surface nodes (tor_pole_range). Towers advance V values along z at a time, those with nodes alone:
 * their numbers are `count` ones from number `first` of view.node_vector on. */
struct alignas(16) tor_gpu_nodes {
  tor_gidx state, weight;              /* places of the first values */
  int z0, nz, pitch, gap0, gap, metal; /* as in tor_pole_range */
  int first, count;
};

/* tor_magnetised */
struct tor_gpu_magnetised {
  real keep[9], turn[9], drive[3], restore, chi2[18], work[3], rest;
};

/* A component of E of a column with surface nodes at the edges' ends: at either end, the first value of the currents of
 * the run of nodes that acts on values from to past - 1, and its gap; values of state in a block, 0: no blocks. */
struct alignas(16) tor_gpu_node_edge {
  tor_gidx j[2];
  int16_t from[2], past[2], gap0[2], gap[2], block[2];
};

struct tor_gpu_group {
  int series;
  int nfreq;
  tor_gidx npoints;
  double *data;
  const int *sample;   /* [steps] */
  const double *phase; /* [steps][2][2][nfreq] */
  /* Fourier sums are computed after a stage's towers (dft.cuh): sample counts from the stage's start. */
  real *dft_samples; /* [ndft_samples][npoints]; null: none */
  int ndft_samples;
  const int *dft_sample_step; /* [ndft_samples] steps of the samples */
};

struct tor_gpu_view {
  enum tor_plane plane; /* 2-D: as tor_slab.plane; stepwise alone */
  int n[3], nzp;
  tor_gidx origin; /* column (ix, iy) is number origin + ix stride + iy */
  int stride;
  int first[2], last[2]; /* sites along x, y that are advanced */
  int pmc[TOR_NFACE];
  /* At the lower end of z: the value where E across z is a PEC's 0, or -1; sign of H's image, 1 or behind a PMC -1. */
  int zero_z;
  real image_z;
  int periodic[3];
  int segments, pitch, period; /* along z (tor_slab.segments): at least 1, n[2] / segments; n[2] without any */
  /* Bloch walls (slab.h): this is one part of complex fields. What is the other part's own; null: fields are real.
   * turn: tor_slab.bloch of this part. */
  int imaginary;
  real *other_field, *other_state, *other_psi[3];
  const struct tor_inject *other_inject;
  const struct tor_record *other_record;
  real turn[3][2][2];
  real dt;
  real *field;
  const uint16_t *cls;
  unsigned classes; /* of any column */
  const int32_t *extra_id;
  const struct tor_extra *extra;
  const real *cb, *ca1, *coef;
  const tor_gidx *coef_at; /* [columns]: first of its own coefficients of E, -1 for the background's */
  const struct tor_gpu_range_flags *range_flags; /* [columns][nrange] */
  const struct tor_gpu_work *work;
  const struct tor_gpu_pole_vector *pole_vector;
  const struct tor_gpu_node_edge *edge_at_nodes;
  /* Uniform planes, which most columns have in common: which columns are `in_planes`; range_flags of these without it;
   * by kind (injections, records), component and z [2][TOR_NCOMP][nzp]: 0, or how many planes are there << 4 | 1 + the
   * first one's number.
   */
  const struct tor_planes *planes;
  const uint8_t *in_planes, *plane_at; /* [columns]; in_planes is null where there are none */
  const struct tor_gpu_range_flags *range_flags_in_planes;
  int nrange;
  /* Where shared-memory towers can run the slab: the number of a column among those with poles, or -1, and the
   * pole_segments of these
   * [][3][TOR_GPU_POLE_SEGMENTS]. Such a slab has no range_flags. */
  int smem_blocks; /* blocks along z; 0: register towers run the slab */
  const int32_t *segment_at;
  const struct tor_gpu_pole_segment *pole_segment;
  const uint64_t *coef_lanes; /* [][3][shared-memory towers]: bit k: own coefficients of E of a block's k-th 4 values
                                 along z are not the background's */
  struct {
    const real *ik, *b, *c;
    const int *index;
  } cpml[3];
  real *psi[3];
  int zlo, zhi, zhi0;
  struct tor_smem_layers layers; /* for shared-memory towers */
  int damped;                    /* the slab has absorbers: their factors, as in tor_slab.damping */
  const real *damping[3];
  const struct tor_gpu_dispersion *dispersion;
  const struct tor_gpu_pole *pole;
  struct tor_gpu_fast_medium fast[TOR_GPU_FAST_MEDIA];
  const struct tor_pole_range *run;
  real *state;
  const real *weight;
  int has_nodes;           /* surface nodes: tor_node_coef */
  bool has_medium_nodes;   /* enum tor_node_media */
  const int32_t *nodes_at; /* [columns]: number of a column's run among view.nodes, or -1 */
  const struct tor_gpu_nodes *nodes;
  const uint16_t *node_vector;
  const uint16_t *node_range; /* [nodes][n[2] / 32 + 2]: how many of a run's vectors lie below each 32 values along z */
  const struct tor_gpu_magnetised *magnetised; /* tor_slab.magnetised */
  real node_in[3], node_out[3], node_restore, node_edge[3], node_flux[3], node_field[3];
  const struct tor_inject *inject;
  const real *profile; /* of sheets */
  const struct tor_record *record;
  const struct tor_gpu_group *group;
  double *energy;
  /* The stage. */
  int steps;
  const real *table[TOR_NINJECT_TABLE];
  int width[TOR_NINJECT_TABLE];
  const uint8_t *sampled; /* [steps]: 1 where a Fourier monitor takes a sample */
};

/* Bloch walls: the view of one part becomes that of the other one. */
template <class T> __host__ __device__ inline void tor_gpu_swap(T &a, T &b) {
  const T kept = a;
  a = b;
  b = kept;
}
__host__ __device__ inline void tor_gpu_swap_parts(tor_gpu_view &s) {
  s.imaginary = !s.imaginary;
  tor_gpu_swap(s.field, s.other_field);
  tor_gpu_swap(s.state, s.other_state);
  tor_gpu_swap(s.inject, s.other_inject);
  tor_gpu_swap(s.record, s.other_record);
  for (int a = 0; a < 3; a++) {
    tor_gpu_swap(s.psi[a], s.other_psi[a]);
    for (int far = 0; far < 2; far++) s.turn[a][far][1] = -s.turn[a][far][1];
  }
}

/* The places of a device that shares its rows with others along y (halo_y.cuh). */
struct tor_gpu_places {
  int first, last; /* towers' places, cut to the tiling's */
  /* On the device, [rows + 1], from the row right of the first one on: how many steps of the tower beyond this side
   * have arrived. Null: the domain ends there. */
  int *arrived[TOR_NHALO_Y];
  cudaEvent_t ready; /* recorded before the towers start */
  /* [rows], filled in: where the first and the last tower of a row count their steps, on the device. Null: not needed.
   */
  const int **done[TOR_NHALO_Y];
  void *queue; /* device memory for the queues of launches, enlarged as needed */
  size_t queue_bytes;
};

/* A part of a run. */
struct tor_gpu_span {
  int first_step, steps;         /* of the stage */
  int first_row, last_row;       /* towers: first_row >= last_row, all when beyond the tiling's (tile.h) */
  struct tor_gpu_places *places; /* null: all */
};

/* CUDA's failures end the run. */
void tor_gpu_fail(const char *file, int line, const char *call, int error);
#define CUDA_TRY(call)                                                                       \
  do {                                                                                       \
    cudaError_t cuda_error = (call);                                                         \
    if (cuda_error != cudaSuccess) tor_gpu_fail(__FILE__, __LINE__, #call, (int)cuda_error); \
  } while (0)

/* Device memory of a run. Runs side by side (concurrent.h) take it from the device's pool, since cudaFree would wait
 * for all of them; other processes and devices can use only what cudaMalloc gave. */
void *tor_gpu_memory(size_t bytes);
void tor_gpu_free(void *memory);
template <class T> static inline void tor_gpu_alloc(T **memory, size_t bytes) { *memory = (T *)tor_gpu_memory(bytes); }

/* Runs a kernel on a grid of blocks. */
template <class... Parameters, class... Arguments>
static inline void tor_gpu_launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
                                  const Arguments &...argument) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  CUDA_TRY(cudaLaunchKernelEx(&config, kernel, argument...));
}

/* The engines, for one precision. Stepwise sums the energy where energy_step, [view.steps] on the host, is 1.
 * imaginary: the view of that part of complex fields; null: fields are real. */
void TOR_NAME(tor_gpu_stepwise)(const struct tor_gpu_view *view, const struct tor_gpu_view *imaginary, int order,
                                const struct tor_gpu_span *span, const uint8_t *energy_step, cudaStream_t stream);
/* Towers sum no energy. With z: where CPML acts along z. */
void TOR_NAME(tor_gpu_towers2)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void TOR_NAME(tor_gpu_towers2z)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void TOR_NAME(tor_gpu_towers4)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void TOR_NAME(tor_gpu_towers4z)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
/* Where the ends of z meet. */
void TOR_NAME(tor_gpu_wraps2)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void TOR_NAME(tor_gpu_wraps4)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
/* Complex fields between Bloch walls: both parts; with z and wraps as above. */
void TOR_NAME(tor_gpu_bloch2)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void TOR_NAME(tor_gpu_bloch2z)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void TOR_NAME(tor_gpu_bloch2_wraps)(const struct tor_gpu_view *view, const struct tor_gpu_span *span,
                                    cudaStream_t stream);
void TOR_NAME(tor_gpu_bloch4)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void TOR_NAME(tor_gpu_bloch4z)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void TOR_NAME(tor_gpu_bloch4_wraps)(const struct tor_gpu_view *view, const struct tor_gpu_span *span,
                                    cudaStream_t stream);
/* The same with absorbers. */
void TOR_NAME(tor_gpu_damped2)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void TOR_NAME(tor_gpu_damped2z)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void TOR_NAME(tor_gpu_damped4)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void TOR_NAME(tor_gpu_damped4z)(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
/* Shared-memory towers, for slabs with view.smem_blocks. */
#if TOR_REAL_BITS == 32
void tor_gpu_smem_towers2(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void tor_gpu_smem_towers2_tall(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void tor_gpu_smem_towers4(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void tor_gpu_smem_damped2(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void tor_gpu_smem_damped2_tall(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
void tor_gpu_smem_damped4(const struct tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream);
#endif
static inline void tor_gpu_towers(const struct tor_gpu_view *view, int order, const struct tor_gpu_span *span,
                                  cudaStream_t stream) {
#if TOR_REAL_BITS == 32
  if (view->smem_blocks && order == 4) /* register towers have another R */
    return (view->damped ? tor_gpu_smem_damped4 : tor_gpu_smem_towers4)(view, span, stream);
  if (view->smem_blocks && view->classes && view->damped)
    return (view->smem_blocks > 1 ? tor_gpu_smem_damped2_tall : tor_gpu_smem_damped2)(view, span, stream);
  if (view->smem_blocks && view->classes)
    return (view->smem_blocks > 1 ? tor_gpu_smem_towers2_tall : tor_gpu_smem_towers2)(view, span, stream);
#endif
  const bool cpml_z = view->zlo + view->zhi > 0;
  if (view->other_field && view->periodic[TOR_Z])
    return (order == 2 ? TOR_NAME(tor_gpu_bloch2_wraps) : TOR_NAME(tor_gpu_bloch4_wraps))(view, span, stream);
  if (view->other_field && cpml_z)
    return (order == 2 ? TOR_NAME(tor_gpu_bloch2z) : TOR_NAME(tor_gpu_bloch4z))(view, span, stream);
  if (view->other_field) return (order == 2 ? TOR_NAME(tor_gpu_bloch2) : TOR_NAME(tor_gpu_bloch4))(view, span, stream);
  if (view->periodic[TOR_Z])
    return (order == 2 ? TOR_NAME(tor_gpu_wraps2) : TOR_NAME(tor_gpu_wraps4))(view, span, stream);
  if (view->damped && view->classes) {
    if (cpml_z)
      (order == 2 ? TOR_NAME(tor_gpu_damped2z) : TOR_NAME(tor_gpu_damped4z))(view, span, stream);
    else
      (order == 2 ? TOR_NAME(tor_gpu_damped2) : TOR_NAME(tor_gpu_damped4))(view, span, stream);
  } else if (cpml_z)
    (order == 2 ? TOR_NAME(tor_gpu_towers2z) : TOR_NAME(tor_gpu_towers4z))(view, span, stream);
  else
    (order == 2 ? TOR_NAME(tor_gpu_towers2) : TOR_NAME(tor_gpu_towers4))(view, span, stream);
}
/* Whether towers can run a slab of n cells, with a PMC at the end of z or not, and so many values in its layers along
 * z. */
static inline bool tor_gpu_fits_towers(int order, int real_bytes, const int n[3], int pmc_z, int layers) {
  return n[0] >= TOR_GPU_LEAST && n[1] >= TOR_GPU_LEAST && n[2] >= TOR_GPU_LEAST &&
         n[2] + pmc_z <= TOR_GPU_MOST_BLOCKS * TOR_GPU_BLOCK_Z(order, real_bytes) && layers <= TOR_GPU_MOST_CPML;
}

/* Sets the ghost values behind walls in z of columns lo <= ix < hi, which the CPU reads. */
void TOR_NAME(tor_gpu_set_ghosts)(const struct tor_gpu_view *view, int lo, int hi, cudaStream_t stream);
/* Bloch walls along z: sets the ghost values of both parts in these columns to the other part's values, as towers keep
 * them in their stages: each mixes both where it reads them. */
void TOR_NAME(tor_gpu_cross_ghosts)(const struct tor_gpu_view *view, int lo, int hi, cudaStream_t stream);
/* Sums the energy of columns lo <= ix < hi, which have reached the end of a step; that of an imaginary part is added to
 * the real part's sums. */
void TOR_NAME(tor_gpu_sum_energies)(const struct tor_gpu_view *view, int lo, int hi, cudaStream_t stream);

#endif
