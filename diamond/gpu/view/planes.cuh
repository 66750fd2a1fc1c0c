/* Planes (diamond/core/planes.h) on the GPU: the value that one injects at a column, the place where its monitor stores
 * a column's values. Each family of towers moves these to its tile, and from there, in its own way. */
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

/* Where a plane's monitor stores the value at z of column (ix, iy) in a step; null in steps without a sample. */
POINT_FN real *recorded_by(const tor_gpu_view &s, const tor_plane_record &plane, int step, int ix, int iy, int z) {
  const tor_gpu_group &group = s.group[plane.at.group];
  const int sample = group.sample[step];
  if (sample < 0) return nullptr;
  return group.dft_samples + sample * group.npoints + plane.at.offset + (z - plane.at.z0) +
         plane_step(plane.along, ix, iy);
}

#endif
