/* Moves the columns of an x halo between a device and pinned memory or another device, on a stream of its own while
 * towers run. For one precision.
 *
 * A halo moves everything that steps change in its columns except the energy sums: fields, memory of the CPML, states
 * of the poles, Fourier sums. Most of it lies in few long buffers, which the copy engines move. Fourier sums are
 * scattered: kernels add the last samples, gather and scatter them, on the towers' stream and before the next towers,
 * because no other kernel fits on the device beside towers. Where a window passes over the slab (window.h), fields, psi
 * of z and poles are copied from and to the slab's own arrays, by a thread of the CUDA runtime. */
#ifndef TOR_DIAMOND_GPU_RANKS_HALO_X_CUH
#define TOR_DIAMOND_GPU_RANKS_HALO_X_CUH

#include "diamond/core/worker.h"
#include "diamond/gpu/ranks/peer.cuh"
#include "diamond/gpu/view/slab_view.cuh"

struct tor_gpu_halo_x;

/* Columns x0 <= ix < x1 of the domain. slab and view must outlive the result. group: [slab->ngroup] on the host.
 * windowed: a window passes over the slab. */
struct tor_gpu_halo_x *TOR_NAME(tor_gpu_halo_x_new)(const struct tor_slab *slab, const tor_gpu_view *view,
                                                    const tor_gpu_group *group, int x0, int x1, bool windowed);
/* See worker.h. slab: the halo's. */
void TOR_NAME(tor_gpu_halo_x_peer_info)(const struct tor_gpu_halo_x *halo, const struct tor_slab *slab,
                                        struct tor_gpu_peer_info *info);
int TOR_NAME(tor_gpu_halo_x_probe)(struct tor_gpu_halo_x *halo, const struct tor_gpu_peer_info *info);
void TOR_NAME(tor_gpu_halo_x_negotiate)(struct tor_gpu_halo_x *halo, enum tor_halo_x_way way);
size_t TOR_NAME(tor_gpu_halo_x_bytes)(const struct tor_gpu_halo_x *halo);
int TOR_NAME(tor_gpu_halo_x_buffers)(const struct tor_gpu_halo_x *halo,
                                     struct tor_halo_x_buffer buffer[TOR_HALO_X_BUFFERS]);
/* The stream of its copies, for work that they must follow. */
cudaStream_t TOR_NAME(tor_gpu_halo_x_stream)(const struct tor_gpu_halo_x *halo);
/* Start to copy the columns out, after all work given to the stream `towers`; and in. One at a time. */
void TOR_NAME(tor_gpu_halo_x_pack)(struct tor_gpu_halo_x *halo, cudaStream_t towers, char *to);
void TOR_NAME(tor_gpu_halo_x_unpack)(struct tor_gpu_halo_x *halo, const char *from);
/* Whether the copy is done. */
int TOR_NAME(tor_gpu_halo_x_moved)(const struct tor_gpu_halo_x *halo);
/* Unpacked columns whose copy is done are complete for all work given to `towers` from now on. */
void TOR_NAME(tor_gpu_halo_x_land)(struct tor_gpu_halo_x *halo, cudaStream_t towers);
void TOR_NAME(tor_gpu_halo_x_free)(struct tor_gpu_halo_x *halo);

/* First value of the poles' and nodes' state of column `column` or of the next one that has any. */
static inline tor_gidx tor_gpu_first_state(const struct tor_slab *slab, tor_gidx column) {
  for (; column < tor_slab_columns(slab); column++) {
    const int32_t id = slab->extra_id[column];
    if (id >= 0 && slab->extra[id].run[0] < slab->extra[id].run[4]) return slab->run[slab->extra[id].run[0]].state;
  }
  return slab->nstate;
}

/* Whether all work of a stream is done. In device.cu, as the next one. */
bool tor_gpu_is_idle(cudaStream_t stream);
/* Makes `later` wait for all work given to `earlier`. */
void tor_gpu_follow(cudaEvent_t event, cudaStream_t earlier, cudaStream_t later);

#endif
