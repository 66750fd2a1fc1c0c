/* Planes (diamond/core/planes.h) as kernels see them: what one injects at a column, where its monitor keeps a column's
 * values. Each family of towers has its own way to bring the first to its tile, and the second from there. */
#ifndef TOR_DIAMOND_GPU_VIEW_PLANES_CUH
#define TOR_DIAMOND_GPU_VIEW_PLANES_CUH

#include "diamond/gpu/view/point.cuh"

/* Values of a plane from column (0, 0)'s to column (ix, iy)'s; along: of a tor_plane_inject or tor_plane_record. */
template <class Index> POINT_FN Index plane_step(const Index (&along)[2], int ix, int iy) {
  return along[0] * ix + along[1] * iy;
}

/* What a plane injects at column (ix, iy), before its coefficient. */
POINT_FN real injected_by(const tor_gpu_view &s, const tor_plane_inject &plane, int step, int ix, int iy) {
  return (real)plane.at.factor * inject_row(s, plane.at, step)[plane_step(plane.along, ix, iy)];
}

/* Where a plane's monitor keeps the value at z of column (ix, iy) in a step; null where it takes none. */
POINT_FN real *recorded_by(const tor_gpu_view &s, const tor_plane_record &plane, int step, int ix, int iy, int z) {
  real *const to = fourier_sample(s.group[plane.at.group], step, plane.at.offset);
  return to ? to + (z - plane.at.z0) + plane_step(plane.along, ix, iy) : nullptr;
}

#endif
