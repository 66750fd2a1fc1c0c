/* Replaces the CUDA compiler's own header where g++ or clang++ compiles kernels for the CPU: the keywords of the
 * language, the calls of the library that diamond/ makes, and diamond/gpu/tower/tower_ptx.cuh. */
#ifndef TEST_CUDA_ON_CPU_H
#define TEST_CUDA_ON_CPU_H

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>

#include "tests/gpu/on_cpu/fibers.h"
#include "tests/gpu/on_cpu/races.h"

/* --- Keywords --- */
#define __host__
#define __device__
#define __global__
#define __shared__ static thread_local /* blocks without a cluster run one after another */
#define __grid_constant__
#define __constant__
#define __launch_bounds__(...)
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline /* compiled in half the time */

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1) : x(nx), y(ny), z(nz) {}
};
extern __thread dim3 threadIdx, blockIdx, blockDim, gridDim;
struct uint2 {
  unsigned x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }

using std::max;
using std::min;
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
template <class To, class From> To same_bits(From x) {
  To y;
  static_assert(sizeof x == sizeof y, "as many bits");
  memcpy(&y, &x, sizeof y);
  return y;
}
inline unsigned __float_as_uint(float x) { return same_bits<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return same_bits<float>(x); }
inline long long __double_as_longlong(double x) { return same_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return same_bits<double>(x); }
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class T> T __ldcg(const T *from) { return *from; }
template <class Integer> NO_RACES Integer atomicAdd(Integer *at, Integer value) {
  const Integer before = *at;
  *at += value;
  on_cpu::note_progress();
  return before;
}
inline void __nanosleep(unsigned) { on_cpu::yield(); }
inline void __syncthreads() { on_cpu::wait_at(0, blockDim.x * blockDim.y); }
inline void __syncwarp() { on_cpu::exchange(0, ~0u, true); }

/* --- Shuffles and votes --- */
template <class T> T __shfl_sync(unsigned mask, T value, int lane) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  memcpy(&value, &on_cpu::exchange(bits, mask)[lane], sizeof value);
  return value;
}
template <class T> T __shfl_down_sync(unsigned mask, T value, int by) {
  const int lane = int(threadIdx.x % on_cpu::WARP_SIZE);
  return __shfl_sync(mask, value, lane + by < on_cpu::WARP_SIZE ? lane + by : lane);
}
template <class T> T __shfl_up_sync(unsigned mask, T value, int by) {
  const int lane = int(threadIdx.x % on_cpu::WARP_SIZE);
  return __shfl_sync(mask, value, lane >= by ? lane - by : lane);
}
inline unsigned __ballot_sync(unsigned mask, int value) {
  const uint64_t *all = on_cpu::exchange(value != 0, mask);
  unsigned bits = 0;
  for (int lane = 0; lane < on_cpu::WARP_SIZE; lane++) bits |= unsigned(all[lane]) << lane;
  return bits & mask;
}
inline int __any_sync(unsigned mask, int value) { return __ballot_sync(mask, value) != 0; }
inline int __all_sync(unsigned mask, int value) { return __ballot_sync(mask, value) == mask; }
inline unsigned __reduce_max_sync(unsigned, unsigned value) {
  const uint64_t *all = on_cpu::exchange(value);
  return unsigned(*std::max_element(all, all + on_cpu::WARP_SIZE));
}

namespace cooperative_groups {
struct cluster_group {
  unsigned block_rank() const { return on_cpu::block_rank(); }
  template <class T> T *map_shared_rank(T *p, int rank) const {
    return reinterpret_cast<T *>(on_cpu::block_bytes(unsigned(rank)) +
                                 (reinterpret_cast<unsigned char *>(p) - on_cpu::block_bytes(block_rank())));
  }
  void sync() const { on_cpu::wait_for_cluster(); }
};
inline cluster_group this_cluster() { return {}; }
} // namespace cooperative_groups

/* --- The library (library.cpp): calls fail only for features that the simulated hardware lacks. Streams proceed at
 * random times; new memory is full of NaN. Device memory is the host's, and can be opened by other processes. Each host
 * thread has streams of its own, kernels of several run side by side. --- */
typedef struct on_cpu_stream *cudaStream_t;
typedef struct on_cpu_event *cudaEvent_t;
typedef int cudaMemPool_t;
typedef struct {
  char reserved[64];
} cudaIpcMemHandle_t;
struct cudaDeviceProp {
  char name[256];
  struct {
    char bytes[16];
  } uuid;
};
enum cudaError_t {
  cudaSuccess,
  cudaErrorNotReady,
  cudaErrorNotSupported,
  cudaErrorPeerAccessAlreadyEnabled,
  cudaErrorMemoryAllocation,
  cudaErrorInvalidValue,
  cudaErrorNoDevice,
  cudaErrorInsufficientDriver,
  cudaErrorCallRequiresNewerDriver,
  cudaErrorUnsupportedPtxVersion,
  cudaErrorSystemDriverMismatch,
  cudaErrorCompatNotSupportedOnDevice,
  cudaErrorNoKernelImageForDevice,
  cudaErrorInvalidDeviceFunction,
  cudaErrorDevicesUnavailable,
  cudaErrorECCUncorrectable,
  cudaErrorHardwareStackError,
  cudaErrorMpsConnectionFailed,
  cudaErrorLaunchTimeout,
  cudaErrorLaunchOutOfResources,
  cudaErrorLaunchFailure,
  cudaErrorIllegalAddress,
  cudaErrorMisalignedAddress,
  cudaErrorIllegalInstruction
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr {
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMultiProcessorCount
};
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold };
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound };
enum {
  cudaStreamNonBlocking,
  cudaEventDisableTiming,
  cudaHostRegisterDefault,
  cudaHostRegisterPortable,
  cudaEnableDefault,
  cudaIpcMemLazyEnablePeerAccess
};
#define CUDART_CB

const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **entry, unsigned version, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult *result);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*call)(void *), void *data);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
inline cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);

cudaError_t cudaMalloc(void **memory, size_t bytes);
template <class T> cudaError_t cudaMalloc(T **memory, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
template <class T> cudaError_t cudaMallocHost(T **memory, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
template <class T> cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
cudaError_t cudaFree(void *memory);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes, size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
template <class Symbol> cudaError_t cudaMemcpyToSymbol(Symbol &symbol, const void *from, size_t bytes) {
  return cudaMemcpy(&symbol, from, bytes, cudaMemcpyHostToDevice);
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
struct cudaFuncAttributes {
  int numRegs;
};
template <class Kernel> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, Kernel) {
  return attributes->numRegs = 1, cudaSuccess;
}
template <class Kernel> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel, int, size_t) {
  return *blocks = 1, cudaSuccess;
}
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *memory);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void *value);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory);
cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void *memory);

/* --- Launches --- */
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributeNonPortableClusterSizeAllowed };
enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    dim3 clusterDim;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
};
template <class Kernel> cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int) { return cudaSuccess; }
/* Two clusters, so that towers wait for towers of the other one. */
template <class Kernel> cudaError_t cudaOccupancyMaxActiveClusters(int *count, Kernel, const cudaLaunchConfig_t *) {
  return *count = 2, cudaSuccess;
}
/* bits: denormals are zero in kernels of fp32. */
cudaError_t launch_on_cpu(const on_cpu::launch &how, int bits, cudaStream_t stream, const std::function<void()> &body);
template <int BITS = TOR_REAL_BITS, class... Parameters>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                               const std::common_type_t<Parameters> &...argument) {
  const bool has_cluster = config->numAttrs > 0;
  const std::tuple<Parameters...> arguments(argument...);
  const dim3 &grid = config->gridDim, &block = config->blockDim;
  return launch_on_cpu({{grid.x, grid.y, grid.z},
                        {block.x, block.y},
                        has_cluster ? config->attrs->val.clusterDim.x : 1,
                        has_cluster,
                        config->dynamicSmemBytes},
                       BITS, config->stream, [kernel, arguments] { std::apply(kernel, arguments); });
}

/* --- diamond/gpu/tower/tower_ptx.cuh --- */
#define TOR_DIAMOND_GPU_TOWER_TOWER_PTX_CUH
#define INLINE
namespace cg = cooperative_groups;
inline unsigned char *block_bytes() { return on_cpu::block_bytes(on_cpu::block_rank()); }
inline void barrier_init(uint64_t *barrier, int) { on_cpu::copies_init(barrier); }
inline void barrier_expect(uint64_t *barrier, unsigned bytes) { on_cpu::copies_expect(barrier, bytes); }
inline void barrier_wait(uint64_t *barrier, unsigned parity) { on_cpu::copies_wait(barrier, parity); }
inline void bulk_prefetch(const void *, unsigned) {}
inline void bulk_load(void *to, const void *from, unsigned bytes, uint64_t *barrier) {
  on_cpu::copies_add(barrier, to, from, bytes);
}
inline void fence_bulk() {}
inline void fence_bulk_shared() {}
inline void bulk_store(void *to, const void *from, unsigned bytes) { on_cpu::stores_add(to, from, bytes); }
/* The source of the stores is read as late as possible. */
static inline void bulk_stores_read() {
  on_cpu::yield();
  void *to;
  const void *from;
  unsigned bytes;
  while (on_cpu::stores_take(&to, &from, &bytes))
    for (unsigned i = 0; i < bytes / 4; i++) ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
}
inline void bulk_stores_done() { on_cpu::yield(); }
inline void wait_at(int barrier, int count) { on_cpu::wait_at(unsigned(barrier), unsigned(count)); }
inline void come_to(int barrier, int count) { on_cpu::come_to(unsigned(barrier), unsigned(count)); }
/* static: tests/gpu/on_cpu/tests.cmake */
NO_RACES static void publish(int *done, int steps) {
  on_cpu::races_publish(done);
  *done = steps;
  on_cpu::note_progress();
}
NO_RACES static int published(const int *done) {
  on_cpu::races_see(done);
  return *const_cast<const volatile int *>(done);
}
static inline void signal_threads(int *count, int value) { publish(count, value); }
static inline void wait_for_threads(const int *count, int least) {
  while (published(count) < least) on_cpu::yield();
}
typedef char *remote;
inline remote block_address(const void *here, int rank) {
  return remote(cg::this_cluster().map_shared_rank(const_cast<void *>(here), unsigned(rank)));
}
inline void fence_barriers() {}
template <class Real> void store_async(remote to, Real value, remote barrier) {
  on_cpu::copies_store(barrier, to, &value, sizeof value);
}
template <class Real> void store_async(remote to, const Real (&value)[4], remote barrier) {
  on_cpu::copies_store(barrier, to, value, sizeof value);
}
inline void barrier_wait_if(bool on, uint64_t *barrier, unsigned parity) {
  if (on) on_cpu::copies_wait(barrier, parity);
}
static inline void signal_block(int *count, int value) { publish(count, value); }
static inline int is_signalled(bool on, const int *count, int least) {
  __nanosleep(0);
  return !on || published(count) >= least;
}
template <int COUNT> void keep_registers() {}
template <int COUNT> void take_registers() {}
template <class Real> void store_if(bool on, Real *to, Real value) {
  if (on) *to = value;
}
template <class Real> Real load_if(bool on, const Real *from) { return on ? *from : Real(0); }
template <class Real> Real load_written_if(bool on, const Real *from) { return on ? *from : Real(0); }
template <class Real, class Values> void load_values_if(bool on, const Real *from, Values &value) {
  if (on) value = *(const Values *)from;
}
template <class Real, class Values> void load_written_values_if(bool on, const Real *from, Values &value) {
  if (on) value = *(const Values *)from;
}
template <class Real, class Values> void store_values_if(bool on, Real *to, const Values &value) {
  if (on) *(Values *)to = value;
}
template <class Real> void fetch_if(bool, const Real *) {}
template <class Real> Real *steps_from(Real *from, unsigned bytes, unsigned times) {
  return (Real *)((char *)from + (uint64_t)bytes * times);
}

template <class Real> Real *launder(Real *p) { return p; }
inline int launder_place(int value) { return value; }

#endif
