/* A step of the computing warps of a shared-memory tower: H and the poles; then E. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_STEP_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_STEP_CUH

#include "diamond/gpu/tower_smem/smem_extras.cuh"

namespace {

struct smem_worker : smem_extras {
  using smem_extras::smem_extras;
  bool last; /* step of the tower */

  template <int HALF> __device__ __forceinline__ void half_step() {
    if (!HALF) {
      /* Some warps wait for the memory while others compute. */
      const int late = warp / 4 & 1;
#pragma unroll 1
      for (int turn = 0; turn < 2; turn++)
        if (turn != late) {
          advance_sites<0>();
        } else {
          if (needs & POLES) advance_poles();
          if (needs & NODES) smem_nodes<0>(*this);
        }
    } else {
      advance_sites<1>();
      if (needs & NODES) {
        smem_nodes<1>(*this);
        wait_at(SMEM_COMPUTING, SMEM_WARPS * WARP);
      }
    }
    if (needs & PLANES) inject_planes<HALF>();
    if (needs & ITEMS || (needs & PLANES && now().sampled)) {
      wait_at(SMEM_COMPUTING, SMEM_WARPS * WARP);
      if (needs & ITEMS)
        smem_lists<HALF>(*this);
      else
        smem_records<HALF>(*this);
      if (needs & ITEMS && SMEM_TALL)
        wait_at(SMEM_COMPUTING, SMEM_WARPS * WARP); /* other warps inject into what is sent */
    }
    if (SMEM_TALL && !(HALF && last)) send_beside<HALF>();
    fence_bulk_shared(); /* values that leave are copied from where they were written */
  }

  __device__ __forceinline__ void run(const smem_tower &tower, int first_step, int band) {
    smem_storage &t = smem();
    v0 = tower.v0;
#pragma unroll 1
    for (int at_step = tower.first; at_step < tower.past; at_step++, band++) {
      parity = at_step & 1;
      needs = warp_uniform(now().needs);
      u0 = (int)warp_uniform((unsigned)tower.u0(at_step));
      step = first_step + at_step;
      last = at_step + 1 == tower.past;
      barrier_wait(&t.e_came[band & 1], (unsigned)band >> 1 & 1);
      if (SMEM_TALL && at_step > tower.first) take_beside<0>();
      half_step<0>();
      wait_at(SMEM_COMPUTING, SMEM_WARPS * WARP);
      if (threadIdx.x == 0) signal_threads(&t.h_done, at_step + 1);
      barrier_wait(&t.h_came[band & 1], (unsigned)band >> 1 & 1);
      if (SMEM_TALL) take_beside<1>();
      half_step<1>();
      wait_at(SMEM_STEP, SMEM_AT_STEP);
      if (threadIdx.x == 0) signal_threads(&t.e_done, at_step + 1);
    }
  }
};

} // namespace

#endif
