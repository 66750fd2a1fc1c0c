/* The slab as kernels see it: slab.h with device pointers of the translation unit's precision, and the stage now run. */
#ifndef TOR_SLAB_GPU_CUH
#define TOR_SLAB_GPU_CUH

#include "slab.h"
#include "update.h"

typedef tor_real real;

/* Rows of z may be read this many values beyond their ends, at both ends of the field. */
enum { TOR_GPU_SLACK = 2048 };

struct tor_gpu_pole {
  real k1, k2, k3[3], k4[3];
  int has_p, implicit;
};
struct tor_gpu_dispersion {
  int first, npoles; /* into view.pole */
  int implicit;
};
struct tor_gpu_group {
  int series;
  int nfreq;
  tor_gidx npoints;
  double *data;
  const int *sample;   /* [steps] */
  const double *phase; /* [steps][2][2][nfreq] */
};

struct tor_gpu_view {
  int n[3], nzp;
  int first[2], last[2]; /* sites along x, y that are advanced */
  int pmc[TOR_NFACE];
  real dt;
  real *field;
  const uint16_t *cls;
  const int32_t *extra_id;
  const struct tor_extra *extra;
  const real *cb, *ca1, *coef;
  struct {
    const real *ik, *b, *c;
    const int *index;
  } cpml[3];
  real *psi[3];
  int zlo, zhi, zhi0;
  const struct tor_gpu_dispersion *dispersion;
  const struct tor_gpu_pole *pole;
  const struct tor_run *run;
  real *state;
  const real *weight;
  const struct tor_inject *inject;
  const struct tor_record *record;
  const struct tor_gpu_group *group;
  double *energy;
  /* The stage. */
  int steps;
  const real *table[TOR_NINJECT_TABLE];
  int width[TOR_NINJECT_TABLE];
  const uint8_t *energy_step; /* [steps] */
};

/* CUDA's failures end the run. */
void tor_gpu_fail(const char *file, int line, const char *call, int error);
#define CUDA_TRY(call) \
  do { \
    cudaError_t cuda_error = (call); \
    if (cuda_error != cudaSuccess) tor_gpu_fail(__FILE__, __LINE__, #call, (int)cuda_error); \
  } while (0)

/* The engines, for one precision: view.steps steps. `energy_step` is the host's copy. */
void TOR_NAME(tor_gpu_stepwise)(const struct tor_gpu_view *view, int order, const uint8_t *energy_step, cudaStream_t stream);
void TOR_NAME(tor_gpu_diamond)(const struct tor_gpu_view *view, int order, cudaStream_t stream);

#endif
