/* Parts of strips at a device's borders along y, on their way between devices while towers run. For one precision.
 *
 * A part has all that steps change in its columns, in an order that the job alone tells, but their energy sums and what
 * monitors hear in a stage, which is not needed before sums are made of it: see below. It goes by way of pinned memory
 * and a message; where the device beyond the border is in reach (peer.cuh), fields and psi of z, nearly all of it,
 * are fetched from there by the one that takes the part, and the message has the rest.
 *
 * The towers take up all of the device as long as they run: no kernel can start beside them, so everything here is done
 * by the copy engines, the words that tell towers how far those beyond the border are included. */
#ifndef TOR_DIAMOND_GPU_RANKS_HALO_Y_CUH
#define TOR_DIAMOND_GPU_RANKS_HALO_Y_CUH

#include "diamond/core/column_state.h"
#include "diamond/gpu/ranks/peer.cuh"
#include "diamond/gpu/view/slab_view.cuh"

struct tor_gpu_halo_y;

/* Between this device's towers and those beyond one edge. slab and view must outlive the result. group: [slab->ngroup]
 * on the host. lent, steps: see device.h. */
struct tor_gpu_halo_y *TOR_NAME(tor_gpu_halo_y_new)(const struct tor_slab *slab, const tor_gpu_view *view,
                                                    const tor_gpu_group *group, enum tor_gpu_halo_y_side side,
                                                    const struct tor_column_block *lent, int steps);
void TOR_NAME(tor_gpu_halo_y_free)(struct tor_gpu_halo_y *border);

/* Before a run of rows first down to last of the view's tiling, of sweep number `sweep` if windows pass, is launched on
 * the stream `towers`: sets what `places` tells the launch of this edge; and after it. */
void TOR_NAME(tor_gpu_halo_y_before)(struct tor_gpu_halo_y *border, int first, int last, long long sweep,
                                     struct tor_gpu_places *places, cudaStream_t towers);
void TOR_NAME(tor_gpu_halo_y_after)(struct tor_gpu_halo_y *border, const struct tor_gpu_places *places);

/* What the process beyond the border needs to know (ring: of field and psi of z, null without a window), and whether
 * this one reaches its device by what that one tells; then whether both do. */
void TOR_NAME(tor_gpu_halo_y_peer_info)(const struct tor_gpu_halo_y *border, const struct tor_ring ring[2],
                                        struct tor_gpu_peer_info *info);
int TOR_NAME(tor_gpu_halo_y_probe)(struct tor_gpu_halo_y *border, const struct tor_gpu_peer_info *info);
void TOR_NAME(tor_gpu_halo_y_negotiate)(struct tor_gpu_halo_y *border, int both);

/* Bytes of a part's message; and those that are fetched from device to device. */
size_t TOR_NAME(tor_gpu_halo_y_bytes)(struct tor_gpu_halo_y *border, const struct tor_halo_y_part *part);
size_t TOR_NAME(tor_gpu_halo_y_fetched)(struct tor_gpu_halo_y *border, const struct tor_halo_y_part *part);
/* Whether the tower next to the edge in this row has done so many steps, as far as is known; asks the device again if
 * not. */
int TOR_NAME(tor_gpu_halo_y_left)(struct tor_gpu_halo_y *border, int row, int steps);
/* Start to copy a part's message out, and a part in; with it, the tower beyond the edge in this row has done so many
 * steps. One of each at a time. */
void TOR_NAME(tor_gpu_halo_y_take)(struct tor_gpu_halo_y *border, const struct tor_halo_y_part *part, char *to);
int TOR_NAME(tor_gpu_halo_y_taken)(const struct tor_gpu_halo_y *border);
void TOR_NAME(tor_gpu_halo_y_put)(struct tor_gpu_halo_y *border, const struct tor_halo_y_part *part, const char *from,
                                  int row, int steps);
int TOR_NAME(tor_gpu_halo_y_has_put)(const struct tor_gpu_halo_y *border);

/* What monitors heard in lent columns, which towers below the edge wrote: bytes in this stage, and the most in a stage
 * of so many steps. Start to move it, after what `towers` has been given; tor_gpu_halo_y_taken and _has_put tell when
 * it has. */
size_t TOR_NAME(tor_gpu_halo_y_dft_bytes)(const struct tor_gpu_halo_y *border);
size_t TOR_NAME(tor_gpu_halo_y_most_dft_bytes)(const struct tor_gpu_halo_y *border, int steps);
void TOR_NAME(tor_gpu_halo_y_take_dft)(struct tor_gpu_halo_y *border, cudaStream_t towers, char *to);
void TOR_NAME(tor_gpu_halo_y_put_dft)(struct tor_gpu_halo_y *border, cudaStream_t towers, const char *from);

#endif
