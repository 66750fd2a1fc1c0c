/* Queries of devices, the choice of a precision, and CUDA's failures: see device.h. */
#include "diamond/gpu/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diamond/core/tile.h"
#include "src/base/concurrent.h"
#include "src/base/error.h"
#include "diamond/gpu/view/slab_view.cuh"

/* One table each precision, made in slab.cu. */
extern const struct tor_gpu_ops tor_gpu_ops_f32, tor_gpu_ops_f64;

/* The remedy for an error; "" when none is known. */
static const char *advice_on(cudaError_t error) {
  switch (error) {
  case cudaErrorMemoryAllocation:
    return "; the GPU has too little memory free: end other work on it (nvidia-smi), let the fields pass through a "
           "window "
           "(schedule.device_memory), or use larger cells, a smaller domain, fp32";
  case cudaErrorNoDevice:
    return "; there is no GPU that this process may use: look at nvidia-smi and CUDA_VISIBLE_DEVICES";
  case cudaErrorInsufficientDriver:
  case cudaErrorCallRequiresNewerDriver:
  case cudaErrorUnsupportedPtxVersion:
    return "; the driver is missing or older than this build needs: install a newer one, or build with an older CUDA "
           "toolkit";
  case cudaErrorSystemDriverMismatch:
  case cudaErrorCompatNotSupportedOnDevice:
    return "; the driver's parts are of different versions: restart the machine, or reinstall the driver";
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorInvalidDeviceFunction:
    return "; this build has no code for this GPU: configure with its number in CMAKE_CUDA_ARCHITECTURES (towers: "
           "TORRE_TOWER_ARCHITECTURES; "
           "schedule.engine = \"stepwise\" does without)";
  case cudaErrorDevicesUnavailable:
    return "; another process holds the GPU, or its compute mode forbids work: look at nvidia-smi";
  case cudaErrorECCUncorrectable:
  case cudaErrorHardwareStackError:
    return "; the GPU's memory is failing: run on another GPU, with --restart from the last checkpoint, and report it "
           "to the machine's administrator";
  case cudaErrorMpsConnectionFailed: return "; the MPS server does not answer: ask the machine's administrator";
  case cudaErrorLaunchTimeout:
    return "; the GPU serves a display, which limits the time of a launch: use another GPU, or a smaller schedule.th";
  case cudaErrorLaunchOutOfResources:
  case cudaErrorLaunchFailure:
  case cudaErrorIllegalAddress:
  case cudaErrorMisalignedAddress:
  case cudaErrorIllegalInstruction:
    return "; that is a fault of the GPU or of Torre: try --restart from the last checkpoint, then schedule.engine = "
           "\"stepwise\" or "
           "schedule.device = \"cpu\", and report it";
  default: return "";
  }
}

void tor_gpu_fail(const char *file, int line, const char *call, int error) {
  const char *name = strrchr(file, '/');
  fprintf(stderr, "torre: %s:%d: %s: %s%s\n", name ? name + 1 : file, line, call,
          cudaGetErrorString((cudaError_t)error), advice_on((cudaError_t)error));
  /* The identity of the failed GPU, as far as CUDA still reports it. */
  char host[256] = "?", pci[32] = "?";
  int device = -1;
  gethostname(host, sizeof host - 1);
  if (cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetPCIBusId(pci, sizeof pci, device) == cudaSuccess)
    fprintf(stderr, "torre: that was GPU %d (%s) of %s\n", device, pci, host);
  else
    fprintf(stderr, "torre: that was on %s\n", host);
  fflush(stderr);
  tor_end();
}

enum { OLDEST = 8 }; /* compute capability's first number; CMakeLists.txt */

static int capability(int device) {
  int major = 0, minor = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  CUDA_TRY(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return 10 * major + minor;
}

int tor_device_built(void) { return 1; }

void tor_device_several(void) { setenv("CUDA_MODULE_LOADING", "EAGER", 0); }

void tor_device_side_by_side(void) { setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0); }

int tor_device_count(void) {
  int count = 0, able = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return 0;
  while (able < count && capability(able) >= 10 * OLDEST) able++;
  return able;
}

const char *tor_device_absence(void) {
  static thread_local char text[512];
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count)
    snprintf(text, sizeof text, "GPU 0 has compute capability %.1f, need %d.0 or later", 0.1 * capability(0),
             (int)OLDEST);
  else
    snprintf(text, sizeof text, "%s%s", cudaGetErrorString(error ? error : cudaErrorNoDevice),
             advice_on(error ? error : cudaErrorNoDevice));
  return text;
}

void tor_device_name(int device, char *name, size_t name_size, char *driver, size_t driver_size) {
  struct cudaDeviceProp properties;
  int version;
  CUDA_TRY(cudaGetDeviceProperties(&properties, device));
  CUDA_TRY(cudaDriverGetVersion(&version));
  snprintf(name, name_size, "%s", properties.name);
  snprintf(driver, driver_size, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

void tor_device_pci(int device, char *pci, size_t size) { CUDA_TRY(cudaDeviceGetPCIBusId(pci, (int)size, device)); }

int tor_device_has_towers(int device) {
  static const int built_for[] = {TOR_TOWER_CAPABILITIES}; /* from TORRE_TOWER_ARCHITECTURES */
  for (size_t i = 0; i < sizeof built_for / sizeof *built_for; i++)
    if (capability(device) == built_for[i]) return 1;
  return 0;
}

double tor_device_memory(int device) {
  size_t free_bytes = 0, total = 0;
  CUDA_TRY(cudaSetDevice(device));
  CUDA_TRY(cudaMemGetInfo(&free_bytes, &total));
  return (double)free_bytes;
}

double tor_device_copy_bandwidth(int device) {
  const size_t bytes = (size_t)1 << 30;
  char *memory;
  cudaEvent_t start, end;
  float best = INFINITY;
  CUDA_TRY(cudaSetDevice(device));
  CUDA_TRY(cudaMalloc(&memory, 2 * bytes));
  CUDA_TRY(cudaEventCreate(&start));
  CUDA_TRY(cudaEventCreate(&end));
  for (int round = 0; round < 6; round++) {
    float ms;
    CUDA_TRY(cudaEventRecord(start));
    CUDA_TRY(cudaMemcpyAsync(memory + bytes, memory, bytes, cudaMemcpyDeviceToDevice));
    CUDA_TRY(cudaEventRecord(end));
    CUDA_TRY(cudaEventSynchronize(end));
    CUDA_TRY(cudaEventElapsedTime(&ms, start, end));
    best = fminf(best, ms);
  }
  CUDA_TRY(cudaEventDestroy(start));
  CUDA_TRY(cudaEventDestroy(end));
  CUDA_TRY(cudaFree(memory));
  return 2 * (double)bytes / (1e-3 * (double)best);
}

/* One device's part of that measurement. */
struct link_test {
  char *there, *here; /* [2][LINK_BYTES] on the device and on the host: in, out */
  cudaStream_t in, out;
  cudaEvent_t start, in_done, out_done;
};
enum { LINK_BYTES = 256 << 20 };

static void open_link_test(struct link_test *t, int device) {
  CUDA_TRY(cudaSetDevice(device));
  CUDA_TRY(cudaMalloc(&t->there, 2 * (size_t)LINK_BYTES));
  CUDA_TRY(cudaMallocHost(&t->here, 2 * (size_t)LINK_BYTES));
  CUDA_TRY(cudaStreamCreateWithFlags(&t->in, cudaStreamNonBlocking));
  CUDA_TRY(cudaStreamCreateWithFlags(&t->out, cudaStreamNonBlocking));
  for (cudaEvent_t *event : {&t->start, &t->in_done, &t->out_done}) CUDA_TRY(cudaEventCreate(event));
}

static void start_link_test(struct link_test *t, int device) {
  CUDA_TRY(cudaSetDevice(device));
  CUDA_TRY(cudaEventRecord(t->start, t->in));
  CUDA_TRY(cudaStreamWaitEvent(t->out, t->start, 0));
  CUDA_TRY(cudaMemcpyAsync(t->there, t->here, LINK_BYTES, cudaMemcpyHostToDevice, t->in));
  CUDA_TRY(cudaMemcpyAsync(t->here + LINK_BYTES, t->there + LINK_BYTES, LINK_BYTES, cudaMemcpyDeviceToHost, t->out));
  CUDA_TRY(cudaEventRecord(t->in_done, t->in));
  CUDA_TRY(cudaEventRecord(t->out_done, t->out));
}

/* [ms] */
static float end_link_test(struct link_test *t, int device) {
  float in_ms, out_ms;
  CUDA_TRY(cudaSetDevice(device));
  CUDA_TRY(cudaEventSynchronize(t->in_done));
  CUDA_TRY(cudaEventSynchronize(t->out_done));
  CUDA_TRY(cudaEventElapsedTime(&in_ms, t->start, t->in_done));
  CUDA_TRY(cudaEventElapsedTime(&out_ms, t->start, t->out_done));
  return fmaxf(in_ms, out_ms);
}

static void close_link_test(struct link_test *t, int device) {
  CUDA_TRY(cudaSetDevice(device));
  for (cudaEvent_t event : {t->start, t->in_done, t->out_done}) CUDA_TRY(cudaEventDestroy(event));
  CUDA_TRY(cudaStreamDestroy(t->in));
  CUDA_TRY(cudaStreamDestroy(t->out));
  CUDA_TRY(cudaFreeHost(t->here));
  CUDA_TRY(cudaFree(t->there));
}

double tor_device_link_bandwidth(int count) {
  struct link_test *test = (struct link_test *)tor_alloc((size_t)count, sizeof *test, "GPU");
  float best = INFINITY;
  for (int i = 0; i < count; i++) open_link_test(&test[i], i);
  for (int round = 0; round < 4; round++) {
    float ms = 0;
    for (int i = 0; i < count; i++) start_link_test(&test[i], i);
    for (int i = 0; i < count; i++) ms = fmaxf(ms, end_link_test(&test[i], i));
    best = fminf(best, ms);
  }
  for (int i = 0; i < count; i++) close_link_test(&test[i], i);
  free(test);
  CUDA_TRY(cudaSetDevice(0));
  return (double)LINK_BYTES / (1e-3 * (double)best);
}

static const struct tor_gpu_ops *ops_of(enum tor_precision precision) {
  return precision == TOR_F32 ? &tor_gpu_ops_f32 : &tor_gpu_ops_f64;
}

int tor_device_dts(int order, enum tor_precision precision, int cpml_z) {
  return ops_of(precision)->dts(order, cpml_z);
}

/* The pool of the thread's device, from which queues of launches come, too, keeps memory that is given back. */
static void keep_memory(void) {
  cudaMemPool_t pool;
  int device;
  uint64_t keep = tor_concurrent_number() ? UINT64_MAX : 64 << 20;
  CUDA_TRY(cudaGetDevice(&device));
  CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, device));
  CUDA_TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
}

struct tor_device *tor_device_open(const struct tor_slab *slab, int number, double window,
                                   const struct tor_column_store *store) {
  CUDA_TRY(cudaSetDevice(number));
  keep_memory();
  return ops_of(slab->precision)->open(slab, number, window, store);
}

/* Why towers cannot run the slab's segments. */
static const char *no_segments(const struct tor_slab *slab) {
  enum { WARP = 32 }; /* values of a segment are exchanged within warps and between them */
  if (!slab->segments) return NULL;
  if (slab->other) return "towers on GPUs have no segments along z between Bloch walls with a phase";
  if (slab->n[TOR_Z] % slab->segments || tor_slab_segment_pitch(slab) % WARP)
    return "towers on GPUs need segments along z that begin at multiples of 32 cells";
  if (slab->period < TOR_GPU_LEAST) return "towers on GPUs need segments of at least 4 cells along z";
  if (slab->order == 4 && slab->precision == TOR_F64 && slab->period % WARP == 1)
    return "towers of order 4 on GPUs have no segments of 32 k + 1 cells with fp64";
  return NULL;
}

const char *tor_device_no_rings(const struct tor_slab *slab) {
  const int radius =
      tor_device_dts(slab->order, slab->precision, slab->zlo + slab->zhi > 0) * (slab->order == 4 ? 3 : 1);
  const int block = TOR_GPU_BLOCK_Z(slab->order, (int)slab->precision);
  if (slab->has_gain) return "towers on GPUs have no saturable poles: all others would be slower for these";
  if (tor_slab_periodic(slab, TOR_X))
    return "towers cross the domain along x, which is periodic: put the axis of propagation along x";
  if (slab->other && slab->damping[TOR_X]) return "towers on GPUs have no absorbers between Bloch walls";
  if (slab->other && slab->n[TOR_Z] >= TOR_GPU_MOST_BLOCKS / 2 * block)
    return "towers on GPUs have fewer than 2048 cells along z between Bloch walls (1024 with fp64 and order 4)";
  if (tor_slab_periodic(slab, TOR_Y) && !tor_tiling_closes(radius, 2 * slab->n[TOR_Y]))
    return "towers on GPUs need a multiple of 6 cells along a periodic y (of 4 with fp64, order 2 and CPML along z)";
  if (!tor_slab_periodic(slab, TOR_Z)) return NULL;
  const char *const segments = no_segments(slab);
  if (segments) return segments;
  if (slab->damping[TOR_X]) return "towers on GPUs have no absorbers where z is periodic";
  if (slab->n[TOR_Z] > block)
    return "towers on GPUs have at most 256 cells along a periodic z (128 with fp64 and order 4)";
  /* The second value above the last, or its ghost value, is read by the last value's warp. */
  if (slab->order == 4 && (slab->precision == TOR_F64 || slab->other) && slab->n[TOR_Z] % 32 == 1)
    return "towers of order 4 on GPUs have no periodic z of 32 k + 1 cells with fp64 or Bloch walls";
  return NULL;
}

int tor_device_has_rows(const struct tor_slab *slab) {
  const int pmc_z = slab->wall[TOR_ZHI] == TOR_PMC;
  if (slab->plane) return !slab->other && !slab->segments; /* by panels and tiles: gpu/plane */
  if (tor_device_no_rings(slab)) return 0;
  return tor_gpu_fits_towers(slab->order, (int)slab->precision, slab->n, pmc_z, slab->zlo + slab->zhi);
}

void *tor_gpu_memory(size_t bytes) {
  void *memory;
  if (tor_concurrent_number())
    CUDA_TRY(cudaMallocAsync(&memory, bytes, 0));
  else
    CUDA_TRY(cudaMalloc(&memory, bytes));
  return memory;
}

void tor_gpu_free(void *memory) {
  if (!memory) return;
  if (tor_concurrent_number())
    CUDA_TRY(cudaFreeAsync(memory, 0));
  else
    CUDA_TRY(cudaFree(memory));
}

cudaStream_t tor_gpu_new_stream(void) {
  cudaStream_t stream;
  CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

bool tor_gpu_is_idle(cudaStream_t stream) {
  const cudaError_t state = cudaStreamQuery(stream);
  if (state == cudaErrorNotReady) return false;
  CUDA_TRY(state);
  return true;
}

void tor_gpu_follow(cudaEvent_t event, cudaStream_t earlier, cudaStream_t later) {
  CUDA_TRY(cudaEventRecord(event, earlier));
  CUDA_TRY(cudaStreamWaitEvent(later, event, 0));
}
