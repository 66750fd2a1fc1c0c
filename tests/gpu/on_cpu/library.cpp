/* CUDA's library on a CPU: see cuda_runtime.h. Work that is given to a stream is done when the same thread makes other
 * calls: at random times, streams in random order, copies while kernels run. One kernel of a thread runs at a time, as
 * if towers occupied the whole device; the streams of different threads are independent. A stream in which nothing is
 * left to do becomes that of the thread that uses it next. */
#include <chrono>
#include <cstdio>
#include <deque>
#include <fcntl.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "tests/gpu/on_cpu/cuda.h"
#include "tests/gpu/on_cpu/cuda_runtime.h"
extern "C" {
unsigned tor_site_enter_f32(void);
void tor_site_leave_f32(unsigned saved);
}

/* --- Streams --- */

struct state { /* of an event */
  uint64_t recorded = 0, done = 0;
  std::chrono::steady_clock::time_point when;
};
struct on_cpu_event {
  std::shared_ptr<state> is = std::make_shared<state>();
};
struct work {
  enum { CALL, KERNEL, RECORD, WAIT } kind;
  std::function<void()> call;
  on_cpu::launch how;
  int bits;
  std::shared_ptr<state> event;
  uint64_t turn;
};
struct on_cpu_stream : std::enable_shared_from_this<on_cpu_stream> {
  std::mutex mutex;            /* of `owner`, and of the queue while another thread may become that */
  const void *owner = nullptr; /* its list of streams */
  std::deque<work> queue;
};

enum { MOST_IDLE = 20000 };

typedef std::vector<std::shared_ptr<on_cpu_stream>> stream_list;
static thread_local stream_list streams = {std::make_shared<on_cpu_stream>()}; /* the first is the default stream */
static thread_local on_cpu_stream *running;                                    /* a kernel */

/* The stream, of this thread from now on. */
static on_cpu_stream *stream_of(cudaStream_t stream) {
  on_cpu_stream *s = stream ? stream : streams[0].get();
  const std::lock_guard<std::mutex> lock(s->mutex);
  const bool is_known = !stream || std::find(streams.begin(), streams.end(), s->shared_from_this()) != streams.end();
  if (s->owner == &streams && is_known) return s;
  if (!s->queue.empty()) on_cpu::give_up("a stream with work of another thread");
  s->owner = &streams;
  if (!is_known) streams.push_back(s->shared_from_this());
  return s;
}
/* Whether it is this thread's, and has something to do. */
static bool is_busy(on_cpu_stream *s) {
  const std::lock_guard<std::mutex> lock(s->mutex);
  return s->owner == &streams && !s->queue.empty();
}

static bool run_kernel(on_cpu_stream *s, const work &w) {
  if (running && running != s) return false;
  if (!running) on_cpu::start(w.how, w.call);
  running = s;
  const unsigned mode = w.bits == 32 ? tor_site_enter_f32() : 0;
  const on_cpu::progress progress = on_cpu::resume();
  if (w.bits == 32) tor_site_leave_f32(mode);
  if (progress == on_cpu::ENDED) {
    running = nullptr;
    s->queue.pop_front();
  }
  return progress != on_cpu::WAITS;
}

/* Runs the stream's next piece of work, or a part of it. Returns whether it made progress. */
static bool advance(on_cpu_stream *s) {
  if (!is_busy(s)) return false;
  const work &w = s->queue.front();
  if (w.kind == work::KERNEL) return run_kernel(s, w);
  if (w.kind == work::WAIT && w.event->done < w.turn) return false;
  if (w.kind == work::RECORD) {
    w.event->done = w.turn;
    w.event->when = std::chrono::steady_clock::now();
  }
  if (w.kind == work::CALL) w.call();
  s->queue.pop_front();
  return true;
}
static bool advance_any() {
  const size_t count = streams.size(), first = on_cpu::random_below(unsigned(count));
  for (size_t i = 0; i < count; i++)
    if (advance(streams[(first + i) % count].get())) return true;
  return false;
}

static bool seed_from_environment() {
  if (const char *seed = getenv("ON_CPU_SEED")) on_cpu::delay(strtoull(seed, nullptr, 10));
  return true;
}
/* Lets simulated time pass between two calls. */
static void pass_time(unsigned most) {
  static const thread_local bool seeded = seed_from_environment();
  (void)seeded;
  for (unsigned i = on_cpu::random_below(most); i > 0; i--) advance_any();
}
template <class Done> static void wait_until(const Done &done) {
  pass_time(3);
  for (int idle = 0; !done();)
    if (advance_any())
      idle = 0;
    else if (++idle == MOST_IDLE)
      on_cpu::give_up("the host waits in vain");
}

static cudaError_t give(cudaStream_t stream, work w) {
  stream_of(stream)->queue.push_back(std::move(w));
  pass_time(4);
  return cudaSuccess;
}
static cudaError_t give(cudaStream_t stream, const std::function<void()> &call) {
  return give(stream, work{work::CALL, call, {}, 0, nullptr, 0});
}

cudaError_t launch_on_cpu(const on_cpu::launch &how, int bits, cudaStream_t stream, const std::function<void()> &body) {
  return give(stream, work{work::KERNEL, body, how, bits, nullptr, 0});
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  const auto made = std::make_shared<on_cpu_stream>();
  made->owner = &streams;
  streams.push_back(made);
  *stream = made.get();
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  on_cpu_stream *const s = stream_of(stream);
  wait_until([&] { return s->queue.empty(); });
  return cudaSuccess;
}
/* Other threads that had the stream keep what is left of it. */
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  streams.erase(std::find(streams.begin(), streams.end(), stream->shared_from_this()));
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  pass_time(6);
  if (stream_of(stream)->queue.empty()) return cudaSuccess;
  advance_any();
  return cudaErrorNotReady;
}
cudaError_t cudaDeviceSynchronize() {
  for (const auto &s : streams) wait_until([&] { return !is_busy(s.get()); });
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*call)(void *), void *data) {
  return give(stream, [=] { call(data); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) { return *event = new on_cpu_event, cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return give(stream, work{work::RECORD, nullptr, {}, 0, event->is, ++event->is->recorded});
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return give(stream, work{work::WAIT, nullptr, {}, 0, event->is, event->is->recorded});
}
static bool is_done(cudaEvent_t event) { return event->is->done >= event->is->recorded; }
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  wait_until([&] { return is_done(event); });
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  pass_time(6);
  if (is_done(event)) return cudaSuccess;
  advance_any();
  return cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
  *milliseconds = std::chrono::duration<float, std::milli>(to->is->when - from->is->when).count();
  return cudaSuccess;
}

/* --- Memory --- */

struct region {
  int file;
  size_t bytes;
};

/* Pieces of memory by their beginning. */
class region_list {
  std::mutex mutex;
  std::map<void *, region> all;

public:
  void add(void *memory, region r) {
    const std::lock_guard<std::mutex> lock(mutex);
    all[memory] = r;
  }
  region find(void *memory) {
    const std::lock_guard<std::mutex> lock(mutex);
    return all.at(memory);
  }
  /* Whether the range begins in a piece and ends beyond it. */
  bool leaves(const void *begin, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    auto next = all.upper_bound(const_cast<void *>(begin));
    if (next == all.begin()) return false;
    const auto &[memory, r] = *--next;
    const size_t at = size_t(static_cast<const char *>(begin) - static_cast<char *>(memory));
    return at < r.bytes && at + bytes > r.bytes;
  }
  void unmap(void *memory) {
    const std::lock_guard<std::mutex> lock(mutex);
    const region r = all.at(memory);
    munmap(memory, r.bytes);
    close(r.file);
    all.erase(memory);
  }
};
static region_list regions, opened;

static size_t whole_pages(size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  const size_t whole = whole_pages(bytes + !bytes);
  const int file = memfd_create("device", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, off_t(whole))) return cudaErrorMemoryAllocation;
  *memory = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (*memory == MAP_FAILED) return cudaErrorMemoryAllocation;
  on_cpu::undefine(*memory, whole);
  regions.add(*memory, {file, whole});
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void *memory) {
  if (memory) regions.unmap(memory);
  return cudaSuccess;
}
cudaError_t cudaFree(void *memory) {
  if (memory) cudaDeviceSynchronize();
  return cudaFreeHost(memory);
}
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) {
  return give(stream, [=] { cudaFreeHost(memory); });
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return give(stream, [=] { memcpy(to, from, bytes); });
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes, size_t rows,
                              cudaMemcpyKind, cudaStream_t stream) {
  if (rows &&
      (regions.leaves(to, (rows - 1) * to_pitch + bytes) || regions.leaves(from, (rows - 1) * from_pitch + bytes)))
    return cudaErrorInvalidValue; /* all rows lie in one piece of memory */
  return give(stream, [=] {
    for (size_t i = 0; i < rows; i++)
      memcpy(static_cast<char *>(to) + i * to_pitch, static_cast<const char *>(from) + i * from_pitch, bytes);
  });
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return cudaStreamSynchronize(nullptr);
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  return give(stream, [=] { memset(to, value, bytes); });
}
cudaError_t cudaMemset(void *to, int value, size_t bytes) { return cudaMemsetAsync(to, value, bytes, nullptr); }
cudaError_t cudaHostRegister(void *, size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) { return *pool = 0, cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }

/* Another process, and only another one, opens the file of the memory by its name under /proc. */
struct address {
  int process, file;
  size_t bytes;
};
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory) {
  const region r = regions.find(memory);
  const address a = {getpid(), r.file, r.bytes};
  memcpy(handle, &a, sizeof a);
  return cudaSuccess;
}
cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned) {
  address a;
  memcpy(&a, &handle, sizeof a);
  if (a.process == getpid()) return cudaErrorNotSupported;
  const std::string name = "/proc/" + std::to_string(a.process) + "/fd/" + std::to_string(a.file);
  const int file = open(name.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return cudaErrorNotSupported;
  *memory = mmap(nullptr, a.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (*memory == MAP_FAILED) return cudaErrorNotSupported;
  opened.add(*memory, {file, a.bytes});
  return cudaSuccess;
}
cudaError_t cudaIpcCloseMemHandle(void *memory) {
  opened.unmap(memory);
  return cudaSuccess;
}

/* --- Memory that is mapped several times --- */

static void *at(CUdeviceptr address) { return reinterpret_cast<void *>(address); }
static CUresult granularity(size_t *bytes, const CUmemAllocationProp *, CUmemAllocationGranularity_flags) {
  return *bytes = 1 << 16, CUDA_SUCCESS;
}
static CUresult reserve(CUdeviceptr *address, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
  void *const range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *address = CUdeviceptr(range);
  return range == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
static CUresult create(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *,
                       unsigned long long) {
  const int file = memfd_create("ring", MFD_CLOEXEC);
  *handle = CUmemGenericAllocationHandle(file);
  return file < 0 || ftruncate(file, off_t(bytes)) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
static CUresult map(CUdeviceptr address, size_t bytes, size_t, CUmemGenericAllocationHandle handle,
                    unsigned long long) {
  void *const got = mmap(at(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, int(handle), 0);
  return got == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
static CUresult allow(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t) { return CUDA_SUCCESS; }
static CUresult unmap(CUdeviceptr address, size_t bytes) { return munmap(at(address), bytes), CUDA_SUCCESS; }
static CUresult release(CUmemGenericAllocationHandle handle) { return close(int(handle)), CUDA_SUCCESS; }
static CUresult unreserve(CUdeviceptr, size_t) { return CUDA_SUCCESS; } /* the mappings there are already removed */
static CUresult message(CUresult, const char **text) { return *text = "no memory", CUDA_SUCCESS; }

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **entry, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult *result) {
  static const std::map<std::string, void *> all = {
      {"cuMemGetAllocationGranularity", reinterpret_cast<void *>(granularity)},
      {"cuMemAddressReserve", reinterpret_cast<void *>(reserve)},
      {"cuMemCreate", reinterpret_cast<void *>(create)},
      {"cuMemMap", reinterpret_cast<void *>(map)},
      {"cuMemSetAccess", reinterpret_cast<void *>(allow)},
      {"cuMemUnmap", reinterpret_cast<void *>(unmap)},
      {"cuMemRelease", reinterpret_cast<void *>(release)},
      {"cuMemAddressFree", reinterpret_cast<void *>(unreserve)},
      {"cuGetErrorString", reinterpret_cast<void *>(message)},
  };
  const auto found = all.find(name);
  *entry = found == all.end() ? nullptr : found->second;
  *result = *entry ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

/* --- Devices: as many as ON_CPU_DEVICES says, or one --- */

static thread_local int device_now;
static thread_local unsigned peers; /* bit 1 << device for each that this thread's device has opened */
const char *cudaGetErrorString(cudaError_t error) { return error ? "CUDA on a CPU: error" : "no error"; }
const char *cudaGetErrorName(cudaError_t error) { return cudaGetErrorString(error); }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *count) {
  const char *wish = getenv("ON_CPU_DEVICES");
  return *count = wish ? atoi(wish) : 1, cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device_now = device, cudaSuccess; }
cudaError_t cudaGetDevice(int *device) { return *device = device_now, cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int) {
  return *value = which == cudaDevAttrComputeCapabilityMajor ? 9
                  : which == cudaDevAttrMultiProcessorCount  ? 4
                                                             : 0,
         cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  *properties = {};
  snprintf(properties->name, sizeof properties->name, "CPU as a GPU");
  properties->uuid.bytes[0] = char(device + 1);
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
  return snprintf(text, size_t(size), "0000:%02x:00.0", unsigned(device)), cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
  return *free_bytes = *total = size_t(1) << 30, cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) { return *can = device != peer, cudaSuccess; }
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  const unsigned bit = 1u << peer;
  if (peers & bit) return cudaErrorPeerAccessAlreadyEnabled;
  return peers |= bit, cudaSuccess;
}
