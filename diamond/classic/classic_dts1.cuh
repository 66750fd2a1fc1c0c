/* Data of classic_dts1.h on a device, for one precision. */
#ifndef TOR_DIAMOND_CLASSIC_CLASSIC_DTS1_CUH
#define TOR_DIAMOND_CLASSIC_CLASSIC_DTS1_CUH

#include "diamond/classic/classic_dts1.h"
#include "diamond/classic/classic_dts1_tile.cuh"
#include "diamond/classic/classic_gpu.cuh"

namespace {

enum { DTS1_THREADS = TOR_REAL_BITS == 32 ? TOR_CLASSIC_DTS1_F32_Z : TOR_CLASSIC_DTS1_F64_Z };

/* Fields H and E: a 2-D array of diamonds, by row a + b and place a - b, each with VALUES vectors along z. */
struct dts1_view {
  int n[3], nzp, row;                           /* row: of shared memory, values */
  int first_row, last_row, first_place, places; /* of the arrays; a row has every second place */
  real *field[2], cb[TOR_NCOMP];
};

} // namespace

/* The place of the first value of diamond (a, b). */
__host__ __device__ static inline size_t dts1_place(const dts1_view &s, int a, int b) {
  const int at = (a + b - s.first_row) * s.places + (a - b - s.first_place) / 2;
  return (size_t)at * VALUES * (size_t)s.nzp;
}

#endif
