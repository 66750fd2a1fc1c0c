/* The GPU's part of classic.h in a build without CUDA. */
#include "diamond/classic/classic.h"
#include "diamond/classic/classic_dts1.h"
#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"

struct tor_classic_gpu *tor_classic_gpu_open(const struct tor_classic_case *c, const struct tor_classic_launch *launch,
                                             int number, void *const field[TOR_NCOMP], int steps) {
  (void)c;
  (void)launch;
  (void)field;
  (void)steps;
  TOR_DIE("GPU %d: this build has no CUDA", number);
}
double tor_classic_gpu_run(struct tor_classic_gpu *gpu, int first, int steps) {
  (void)gpu;
  (void)first;
  return steps;
}
void tor_classic_gpu_fetch(struct tor_classic_gpu *gpu, void *const field[TOR_NCOMP]) {
  (void)gpu;
  (void)field;
}
struct tor_classic_kernel tor_classic_gpu_kernel(const struct tor_classic_gpu *gpu) {
  (void)gpu;
  return (struct tor_classic_kernel){0, 0};
}
void tor_classic_gpu_close(struct tor_classic_gpu *gpu) { (void)gpu; }

double tor_classic_dts1_memory(const int n[3], enum tor_precision precision) {
  (void)n;
  (void)precision;
  return 0;
}
struct tor_classic_dts1 *tor_classic_dts1_open(const struct tor_slab *slab, int number) {
  (void)slab;
  TOR_DIE("GPU %d: this build has no CUDA", number);
}
double tor_classic_dts1_run(struct tor_classic_dts1 *d, int steps) {
  (void)d;
  return steps;
}
void tor_classic_dts1_fetch(struct tor_classic_dts1 *d, const struct tor_slab *slab) {
  (void)d;
  (void)slab;
}
struct tor_classic_kernel tor_classic_dts1_kernel(const struct tor_classic_dts1 *d) {
  (void)d;
  return (struct tor_classic_kernel){0, 0};
}
void tor_classic_dts1_close(struct tor_classic_dts1 *d) { (void)d; }
