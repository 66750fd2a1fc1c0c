/* Hardware and compiler features that the towers use and CUDA C++ does not expose, most of them in PTX. A test replaces
 * this file by a version for the CPU (tests/gpu/on_cpu). */
#ifndef TOR_DIAMOND_GPU_TOWER_TOWER_PTX_CUH
#define TOR_DIAMOND_GPU_TOWER_TOWER_PTX_CUH

#include <cooperative_groups.h>

#include "diamond/gpu/view/lattice.cuh"

namespace cg = cooperative_groups;

/* For lambdas. */
#define INLINE __attribute__((always_inline))

/* The block's dynamic shared memory; its size is set at the launch. */
extern __shared__ __align__(128) unsigned char shared_memory[];
POINT_FN unsigned char *block_bytes() { return shared_memory; }

/* --- Bulk copies --- */
POINT_FN unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
POINT_FN void barrier_init(uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
POINT_FN void barrier_expect(uint64_t *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
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
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}
/* Prefetches into the second-level cache. */
POINT_FN void bulk_prefetch(const void *from, unsigned bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}
/* A copy from shared memory to global memory; the thread that starts it also waits for it, see below. */
POINT_FN void bulk_store(void *to, const void *from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
               "r"(bytes)
               : "memory");
}
/* Wait until the bulk stores that this thread has started have read their source; until they are complete. */
POINT_FN void bulk_stores_read() {
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
}
POINT_FN void bulk_stores_done() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
/* Orders stores of threads to shared memory before bulk copies from there; the next one does so for all memory. */
POINT_FN void fence_bulk_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
POINT_FN void fence_bulk() { asm volatile("fence.proxy.async;" ::: "memory"); }

/* --- Barriers of a block: bar.sync waits, bar.arrive only arrives --- */
POINT_FN void wait_at(int barrier, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}
POINT_FN void come_to(int barrier, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}

/* --- Counters in device memory --- */
POINT_FN void publish(int *done, int steps) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(done), "r"(steps) : "memory");
}
/* Acquires: all that was stored before this count was published is visible. */
POINT_FN int published(const int *done) {
  int steps;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(steps) : "l"(done) : "memory");
  return steps;
}

/* --- Counters in shared memory of a block --- */
POINT_FN void signal_threads(int *count, int value) {
  asm volatile("st.release.cta.shared.s32 [%0], %1;" ::"r"(shared_address(count)), "r"(value) : "memory");
}
/* For a warp: returns once at least `least` was signalled; all that was stored before the signal is visible. */
POINT_FN void wait_for_threads(const int *count, int least) {
  int value;
  for (;;) {
    asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(value) : "r"(shared_address(count)) : "memory");
    if (__all_sync(~0u, value >= least)) return;
    __nanosleep(100);
  }
}

/* --- Shared memory of the cluster's other blocks --- */
typedef unsigned remote; /* an address there */
POINT_FN remote block_address(const void *here, int rank) {
  remote there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(here)), "r"(rank));
  return there;
}
POINT_FN void fence_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
/* Stores the value, and signals the number of bytes to the barrier of the same block. */
POINT_FN void store_async(remote to, real value, remote barrier) {
#if TOR_REAL_BITS == 32
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(to), "f"(value),
               "r"(barrier)
               : "memory");
#else
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f64 [%0], %1, [%2];" ::"r"(to), "d"(value),
               "r"(barrier)
               : "memory");
#endif
}
POINT_FN void store_async(remote to, const real (&value)[4], remote barrier) {
#if TOR_REAL_BITS == 32
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
      "f"(value[0]), "f"(value[1]), "f"(value[2]), "f"(value[3]), "r"(barrier)
      : "memory");
#else
  for (int i = 0; i < 4; i += 2)
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%0], {%1, %2}, [%3];" ::"r"(to + i * 8),
        "d"(value[i]), "d"(value[i + 1]), "r"(barrier)
        : "memory");
#endif
}
/* For a warp: the lanes that are `on` wait for the barrier; returns when all lanes are done. */
POINT_FN void barrier_wait_if(bool on, uint64_t *barrier, unsigned parity) {
  int done = 0;
  while (!__all_sync(~0u, done))
    asm volatile("{\n.reg .pred p, q;\nsetp.ne.s32 p, %3, 0;\nmov.s32 %0, 1;\n"
                 "@p mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 q, [%1], %2;\n@p selp.s32 %0, 1, 0, q;\n}"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity), "r"((int)on)
                 : "memory");
}

/* --- Counters in shared memory of a cluster's blocks --- */
POINT_FN void signal_block(int *count, int value) {
  asm volatile("st.release.cluster.s32 [%0], %1;" ::"l"(count), "r"(value) : "memory");
}
/* 1 for the threads that are `on` if at least `least` was signalled; all that was stored before the signal is then
 * visible. 1 for the others. */
POINT_FN int is_signalled(bool on, const int *count, int least) {
  int is = 1;
  asm volatile("{\n.reg .pred p, q;\n.reg .s32 v;\nsetp.ne.s32 p, %2, 0;\n@p ld.acquire.cluster.s32 v, "
               "[%1];\nsetp.lt.and.s32 q, v, %3, p;\n@q mov.s32 %0, 0;\n}"
               : "+r"(is)
               : "l"(count), "r"((int)on), "r"(least)
               : "memory");
  return is;
}

/* --- Registers and single values --- */
/* Release (keep_registers) or acquire (take_registers) registers; executed by all warps of a group of four. */
template <int COUNT> POINT_FN void keep_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}
template <int COUNT> POINT_FN void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

/* A store by the threads that are `on`, without a branch. */
POINT_FN void store_if(bool on, real *to, real value) {
#if TOR_REAL_BITS == 32
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.global.f32 [%0], %1;\n}" ::"l"(to), "f"(value),
               "r"((int)on)
               : "memory");
#else
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.global.f64 [%0], %1;\n}" ::"l"(to), "d"(value),
               "r"((int)on)
               : "memory");
#endif
}
/* Compiler barrier: hides how the address was computed, so that indexing from it costs one instruction. */
POINT_FN real *launder(real *p) {
  asm("" : "+l"(p));
  return p;
}
/* Compiler barrier: returns the same value, but values derived from it are recomputed each time instead of being kept
 * in registers from step to step. */
POINT_FN int launder_place(int value) {
  asm volatile("" : "+r"(value));
  return value;
}
/* A load by the threads that are `on`, 0 for the others; the compiler leaves it where it is written, well before the
 * use of the value. */
POINT_FN real load_if(bool on, const real *from) {
  real value = 0;
#if TOR_REAL_BITS == 32
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p ld.global.f32 %0, [%1];\n}"
               : "+f"(value)
               : "l"(from), "r"((int)on)
               : "memory");
#else
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p ld.global.f64 %0, [%1];\n}"
               : "+d"(value)
               : "l"(from), "r"((int)on)
               : "memory");
#endif
  return value;
}

/* The same past the first-level cache, which may hold what was there before another multiprocessor wrote. */
POINT_FN real load_written_if(bool on, const real *from) {
  real value = 0;
#if TOR_REAL_BITS == 32
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p ld.global.cg.f32 %0, [%1];\n}"
               : "+f"(value)
               : "l"(from), "r"((int)on)
               : "memory");
#else
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p ld.global.cg.f64 %0, [%1];\n}"
               : "+d"(value)
               : "l"(from), "r"((int)on)
               : "memory");
#endif
  return value;
}

/* The same with V values, at an address that is a multiple of 16; for the others `value` is unchanged. */
POINT_FN void load_values_if(bool on, const real *from, vec &value) {
#if TOR_REAL_BITS == 32
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %5, 0;\n@p ld.global.v4.f32 {%0, %1, %2, %3}, [%4];\n}"
               : "+f"(value.at[0]), "+f"(value.at[1]), "+f"(value.at[2]), "+f"(value.at[3])
               : "l"(from), "r"((int)on)
               : "memory");
#else
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %3, 0;\n@p ld.global.v2.f64 {%0, %1}, [%2];\n}"
               : "+d"(value.at[0]), "+d"(value.at[1])
               : "l"(from), "r"((int)on)
               : "memory");
#endif
}
/* The same past the first-level cache, which may hold what was there before another multiprocessor wrote. */
POINT_FN void load_written_values_if(bool on, const real *from, vec &value) {
#if TOR_REAL_BITS == 32
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %5, 0;\n@p ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];\n}"
               : "+f"(value.at[0]), "+f"(value.at[1]), "+f"(value.at[2]), "+f"(value.at[3])
               : "l"(from), "r"((int)on)
               : "memory");
#else
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %3, 0;\n@p ld.global.cg.v2.f64 {%0, %1}, [%2];\n}"
               : "+d"(value.at[0]), "+d"(value.at[1])
               : "l"(from), "r"((int)on)
               : "memory");
#endif
}
POINT_FN void store_values_if(bool on, real *to, const vec &value) {
#if TOR_REAL_BITS == 32
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %5, 0;\n@p st.global.v4.f32 [%0], {%1, %2, %3, %4};\n}" ::"l"(to),
               "f"(value.at[0]), "f"(value.at[1]), "f"(value.at[2]), "f"(value.at[3]), "r"((int)on)
               : "memory");
#else
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %3, 0;\n@p st.global.v2.f64 [%0], {%1, %2};\n}" ::"l"(to),
               "d"(value.at[0]), "d"(value.at[1]), "r"((int)on)
               : "memory");
#endif
}
/* Prefetches a value's sector into the second-level cache. */
POINT_FN void fetch_if(bool on, const real *from) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %1, 0;\n@p prefetch.global.L2 [%0];\n}" ::"l"(from), "r"((int)on)
               : "memory");
}
/* from + times steps of so many bytes, in one instruction. */
POINT_FN real *steps_from(real *from, unsigned bytes, unsigned times) {
  real *to;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(to) : "r"(bytes), "r"(times), "l"(from));
  return to;
}

#endif
