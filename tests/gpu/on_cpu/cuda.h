/* Replaces the driver's header: virtual memory, which diamond/gpu/window/ring_map.cu maps several times
 * (library.cpp). */
#ifndef TEST_CUDA_DRIVER_ON_CPU_H
#define TEST_CUDA_DRIVER_ON_CPU_H

#include <cstddef>

enum CUresult { CUDA_SUCCESS, CUDA_ERROR_OUT_OF_MEMORY };
typedef unsigned long long CUdeviceptr, CUmemGenericAllocationHandle;
enum CUmemAllocationGranularity_flags { CU_MEM_ALLOC_GRANULARITY_MINIMUM };
enum { CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
struct CUmemLocation {
  int type, id;
};
struct CUmemAllocationProp {
  int type;
  CUmemLocation location;
};
struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;
};

#endif
