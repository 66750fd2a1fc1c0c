/* What gpu.cu needs of slab_gpu.cu, which exists once for each precision. The names say the rest: gpu.h. */
#ifndef TOR_GPU_PARTS_H
#define TOR_GPU_PARTS_H

#include "gpu.h"

struct tor_gpu_copy; /* differs between the precisions */

#define TOR_GPU_PARTS(suffix) \
  int tor_gpu_dts_##suffix(int order); \
  struct tor_gpu_copy *tor_gpu_copy_new_##suffix(const struct tor_slab *slab, double window); \
  void tor_gpu_copy_run_##suffix(struct tor_gpu_copy *copy, const struct tor_stage *stage, int stepwise); \
  double tor_gpu_copy_seconds_##suffix(const struct tor_gpu_copy *copy); \
  void tor_gpu_copy_store_##suffix(const struct tor_gpu_copy *copy, struct tor_slab *slab); \
  void tor_gpu_copy_store_energy_##suffix(const struct tor_gpu_copy *copy, struct tor_slab *slab); \
  void tor_gpu_copy_free_##suffix(struct tor_gpu_copy *copy);
TOR_GPU_PARTS(f32)
TOR_GPU_PARTS(f64)

#endif
