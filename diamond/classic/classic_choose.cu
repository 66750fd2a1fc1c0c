/* The choice of a precision: see classic.h. */
#include "diamond/classic/classic_dts1_ops.h"
#include "diamond/classic/classic_ops.h"

struct tor_classic_gpu *tor_classic_gpu_open(const struct tor_classic_case *c, const struct tor_classic_launch *launch,
                                             int number, void *const field[TOR_NCOMP], int steps) {
  return (c->precision == TOR_F32 ? tor_classic_ops_f32 : tor_classic_ops_f64).open(c, launch, number, field, steps);
}
double tor_classic_gpu_run(struct tor_classic_gpu *gpu, int first, int steps) {
  return gpu->ops->run(gpu, first, steps);
}
void tor_classic_gpu_fetch(struct tor_classic_gpu *gpu, void *const field[TOR_NCOMP]) { gpu->ops->fetch(gpu, field); }
struct tor_classic_kernel tor_classic_gpu_kernel(const struct tor_classic_gpu *gpu) { return gpu->ops->kernel(gpu); }
void tor_classic_gpu_close(struct tor_classic_gpu *gpu) { gpu->ops->close(gpu); }

static const struct tor_classic_dts1_ops *ops_of(enum tor_precision precision) {
  return precision == TOR_F32 ? &tor_classic_dts1_ops_f32 : &tor_classic_dts1_ops_f64;
}
double tor_classic_dts1_memory(const int n[3], enum tor_precision precision) { return ops_of(precision)->memory(n); }
struct tor_classic_dts1 *tor_classic_dts1_open(const struct tor_slab *slab, int number) {
  return ops_of(slab->precision)->open(slab, number);
}
double tor_classic_dts1_run(struct tor_classic_dts1 *d, int steps) { return d->ops->run(d, steps); }
void tor_classic_dts1_fetch(struct tor_classic_dts1 *d, const struct tor_slab *slab) { d->ops->fetch(d, slab); }
struct tor_classic_kernel tor_classic_dts1_kernel(const struct tor_classic_dts1 *d) { return d->ops->kernel(d); }
void tor_classic_dts1_close(struct tor_classic_dts1 *d) { d->ops->close(d); }
