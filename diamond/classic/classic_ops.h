/* The GPU's part of classic.h, once for each precision (classic_gpu.cu); classic_choose.cu chooses. */
#ifndef TOR_DIAMOND_CLASSIC_CLASSIC_OPS_H
#define TOR_DIAMOND_CLASSIC_CLASSIC_OPS_H

#include "diamond/classic/classic.h"

struct tor_classic_ops {
  struct tor_classic_gpu *(*open)(const struct tor_classic_case *c, const struct tor_classic_launch *launch, int number,
                                  void *const field[TOR_NCOMP], int steps);
  double (*run)(struct tor_classic_gpu *gpu, int first, int steps);
  void (*fetch)(struct tor_classic_gpu *gpu, void *const field[TOR_NCOMP]);
  struct tor_classic_kernel (*kernel)(const struct tor_classic_gpu *gpu);
  void (*close)(struct tor_classic_gpu *gpu);
};
struct tor_classic_gpu {
  const struct tor_classic_ops *ops;
};
extern const struct tor_classic_ops tor_classic_ops_f32, tor_classic_ops_f64;

#endif
