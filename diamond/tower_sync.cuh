/* What a tower's threads wait for: bulk copies into shared memory, the other blocks of a cluster, the steps of neighbouring towers. */
#ifndef TOR_TOWER_SYNC_CUH
#define TOR_TOWER_SYNC_CUH

#include <cooperative_groups.h>

#include "site_gpu.cuh"

namespace cg = cooperative_groups;

enum { WARP = 32 };

/* --- Bulk copies ----------------------------------------------------------------------------------------------------- */
POINT_FN unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
POINT_FN void barrier_init(uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
POINT_FN void barrier_expect(uint64_t *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
POINT_FN void barrier_wait(uint64_t *barrier, unsigned parity) {
  unsigned done = 0;
  while (!__all_sync(~0u, done))
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
}
/* bytes and both addresses are multiples of 16. */
POINT_FN void bulk_load(void *to, const void *from, unsigned bytes, uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}
POINT_FN void fence_bulk() { asm volatile("fence.proxy.async;" ::: "memory"); }

/* --- Blocks and towers ------------------------------------------------------------------------------------------------- */
/* For all threads of a tower. */
POINT_FN void sync_tower(int nblock) {
  if (nblock > 1)
    cg::this_cluster().sync();
  else
    __syncthreads();
}
/* Barriers of a block, besides 0 for all its threads: some wait there, others only tell that they have come. */
enum block_barrier { COMPUTING = 1, PREPARING, STEP_PREPARED, STEP_STORED, LISTS_PREPARED, ROWS_READ, ROWS_OF_OTHER_BUFFER_READ };
POINT_FN void wait_at(int barrier, int count) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory"); }
POINT_FN void come_to(int barrier, int count) { asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(count) : "memory"); }

/* The steps that one right-hand neighbour has done; a lane watches each of the three. */
struct tower_watch {
  const int *done; /* null: the slab has no such tower */
  int seen;

  /* Returns once `steps` steps are done. */
  __device__ __forceinline__ void wait(int steps) {
    if (!done || seen >= steps) return;
    for (;;) {
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(done) : "memory");
      if (seen >= steps) break;
      __nanosleep(40);
    }
    fence_bulk(); /* what was acquired is read by bulk copies, too */
  }
};
POINT_FN void publish(int *done, int steps) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(done), "r"(steps) : "memory");
}

/* Gives registers back, or takes them; all warps of a group of four do. */
template <int COUNT> POINT_FN void keep_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT)); }
template <int COUNT> POINT_FN void take_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT)); }

/* --- Single values ------------------------------------------------------------------------------------------------------ */
/* A store by the threads that are `on`, without a branch. */
POINT_FN void store_if(bool on, real *to, real value) {
#if TOR_REAL_BITS == 32
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.global.f32 [%0], %1;\n}" ::"l"(to), "f"(value), "r"((int)on) : "memory");
#else
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.global.f64 [%0], %1;\n}" ::"l"(to), "d"(value), "r"((int)on) : "memory");
#endif
}
/* The compiler takes the address as it is, so that an index on it costs one instruction. */
POINT_FN real *opaque(real *p) {
  asm("" : "+l"(p));
  return p;
}
/* A load by the threads that are `on`, 0 for the others; stays where it is written, well before the value is used. */
POINT_FN real load_if(bool on, const real *from) {
  real value = 0;
#if TOR_REAL_BITS == 32
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p ld.global.f32 %0, [%1];\n}" : "+f"(value) : "l"(from), "r"((int)on) : "memory");
#else
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p ld.global.f64 %0, [%1];\n}" : "+d"(value) : "l"(from), "r"((int)on) : "memory");
#endif
  return value;
}

#endif
