/* classic_dts1.h once for each precision (classic_dts1_run.cu); classic_choose.cu chooses. */
#ifndef TOR_DIAMOND_CLASSIC_CLASSIC_DTS1_OPS_H
#define TOR_DIAMOND_CLASSIC_CLASSIC_DTS1_OPS_H

#include "diamond/classic/classic_dts1.h"

struct tor_classic_dts1_ops {
  double (*memory)(const int n[3]);
  struct tor_classic_dts1 *(*open)(const struct tor_slab *slab, int number);
  double (*run)(struct tor_classic_dts1 *d, int steps);
  void (*fetch)(const struct tor_classic_dts1 *d, const struct tor_slab *slab);
  struct tor_classic_kernel (*kernel)(const struct tor_classic_dts1 *d);
  void (*close)(struct tor_classic_dts1 *d);
};
struct tor_classic_dts1 {
  const struct tor_classic_dts1_ops *ops;
};
extern const struct tor_classic_dts1_ops tor_classic_dts1_ops_f32, tor_classic_dts1_ops_f64;

#endif
