/* Rings of device memory: see ring.h. */
#include "diamond/gpu/view/ring.h"

#include <cuda.h>
#include <stdio.h>

#include "src/base/error.h"
#include "diamond/gpu/view/slab_view.cuh"

static size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

/* --- The driver's calls for virtual memory, looked up at run time: programs need not link with the driver --- */
static struct {
  CUresult (*granularity)(size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags);
  CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
  CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long);
  CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
  CUresult (*access)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
  CUresult (*unmap)(CUdeviceptr, size_t);
  CUresult (*release)(CUmemGenericAllocationHandle);
  CUresult (*unreserve)(CUdeviceptr, size_t);
  CUresult (*message)(CUresult, const char **);
} driver;

static void driver_check(CUresult result, const char *call) {
  if (result == CUDA_SUCCESS) return;
  const char *text = "unknown error";
  driver.message(result, &text);
  fprintf(stderr, "window: %s: %s%s\n", call, text,
          result == CUDA_ERROR_OUT_OF_MEMORY
              ? "; the GPU has less memory free than the window needs: lower schedule.device_memory"
              : "");
  tor_end();
}
#define DRIVER_TRY(call) driver_check(driver.call, #call)

static void *entry(const char *name) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult result;
  CUDA_TRY(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
  if (result != cudaDriverEntryPointSuccess || !found)
    TOR_DIE("window: the driver cannot map device memory as the window needs it: install a newer one, or use a domain "
            "that fits the GPU");
  return found;
}
static void find_driver(void) {
  *(void **)&driver.granularity = entry("cuMemGetAllocationGranularity");
  *(void **)&driver.reserve = entry("cuMemAddressReserve");
  *(void **)&driver.create = entry("cuMemCreate");
  *(void **)&driver.map = entry("cuMemMap");
  *(void **)&driver.access = entry("cuMemSetAccess");
  *(void **)&driver.unmap = entry("cuMemUnmap");
  *(void **)&driver.release = entry("cuMemRelease");
  *(void **)&driver.unreserve = entry("cuMemAddressFree");
  *(void **)&driver.message = entry("cuGetErrorString");
}

/* The thread's device. */
static CUmemLocation here() {
  CUmemLocation location = {};
  int device;
  CUDA_TRY(cudaGetDevice(&device));
  location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device;
  return location;
}

static CUresult open_to_device(const struct tor_ring *ring) {
  CUmemAccessDesc access = {};
  access.location = here();
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return driver.access((CUdeviceptr)ring->range, ring->range_bytes, &access, 1);
}

struct tor_ring tor_ring_new(size_t bytes, size_t period) {
  struct tor_ring ring = {};
  CUmemAllocationProp properties = {};
  CUdeviceptr range;
  size_t granule;
  find_driver();
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = here();
  DRIVER_TRY(granularity(&granule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  ring.period = period;
  ring.size = round_up(round_up(bytes, TOR_RING_GRANULE), granule);
  ring.range_bytes = round_up(ring.size + period + 2 * (size_t)TOR_RING_GRANULE, ring.size);
  DRIVER_TRY(create(&ring.memory, ring.size, &properties, 0));
  DRIVER_TRY(reserve(&range, ring.range_bytes, 0, 0, 0));
  ring.range = (char *)range;
  for (size_t i = 0; i < ring.range_bytes; i += ring.size) DRIVER_TRY(map(range + i, ring.size, 0, ring.memory, 0));
  driver_check(open_to_device(&ring), "access");
  CUDA_TRY(cudaMemset(ring.range, 0, ring.size));
  return ring;
}

void tor_ring_free(const struct tor_ring *ring) {
  const CUdeviceptr range = (CUdeviceptr)ring->range;
  for (size_t i = 0; i < ring->range_bytes; i += ring->size) DRIVER_TRY(unmap(range + i, ring->size));
  DRIVER_TRY(unreserve(range, ring->range_bytes));
  DRIVER_TRY(release(ring->memory));
}

/* Each sweep begins in the ring where the one before ends. */
char *tor_ring_base(const struct tor_ring *ring, long long sweep) {
  const size_t back = (size_t)sweep * ring->period % ring->size;
  return ring->range + TOR_RING_GRANULE + (ring->size - back) % ring->size;
}

int tor_ring_reach(const struct tor_ring *ring) { return driver.access && open_to_device(ring) == CUDA_SUCCESS; }
