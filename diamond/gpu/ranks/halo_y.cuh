/* Moves parts of a device's y halos between devices while towers run. For one precision.
 *
 * A part has everything that steps change in its columns, in an order that follows from the job alone, except the
 * energy sums and the DFT samples of the stage, which move after the towers: see below. It moves through pinned memory
 * and a message; where the other rank's device is in reach (peer.cuh), the receiver fetches fields and psi of z, nearly
 * all of the data, from there, and the message has the rest.
 *
 * Towers occupy the whole device while they run, and no kernel can start beside them. The copy engines therefore do all
 * the work here, including the transfer of the counters by which towers wait for those beyond this side. */
#ifndef TOR_DIAMOND_GPU_RANKS_HALO_Y_CUH
#define TOR_DIAMOND_GPU_RANKS_HALO_Y_CUH

#include "diamond/core/worker.h"
#include "diamond/gpu/ranks/peer.cuh"
#include "diamond/gpu/view/slab_view.cuh"

struct tor_gpu_halo_y;

/* Between this device's towers and those beyond one side. slab and view must outlive the result. group: [slab->ngroup]
 * on the host. lent, steps: see worker.h. */
struct tor_gpu_halo_y *TOR_NAME(tor_gpu_halo_y_new)(const struct tor_slab *slab, const tor_gpu_view *view,
                                                    const tor_gpu_group *group, enum tor_halo_y_side side,
                                                    const struct tor_column_block *lent, int steps);
void TOR_NAME(tor_gpu_halo_y_free)(struct tor_gpu_halo_y *halo);

/* Before a run of rows first down to last of the view's tiling, in sweep number `sweep` of a window, is launched on the
 * stream `towers`: sets this side's members of `places`; and after the launch. */
void TOR_NAME(tor_gpu_halo_y_before)(struct tor_gpu_halo_y *halo, int first, int last, long long sweep,
                                     struct tor_gpu_places *places, cudaStream_t towers);
void TOR_NAME(tor_gpu_halo_y_after)(struct tor_gpu_halo_y *halo, const struct tor_gpu_places *places);

/* The info that the other rank's process needs to fetch from here (ring: of field and psi of z, null without a window);
 * whether this one can fetch from the rank that wrote `info`; then whether both do. */
void TOR_NAME(tor_gpu_halo_y_peer_info)(const struct tor_gpu_halo_y *halo, const struct tor_ring ring[2],
                                        struct tor_gpu_peer_info *info);
int TOR_NAME(tor_gpu_halo_y_probe)(struct tor_gpu_halo_y *halo, const struct tor_gpu_peer_info *info);
void TOR_NAME(tor_gpu_halo_y_negotiate)(struct tor_gpu_halo_y *halo, int both);

/* Bytes of a part's message; and those that are fetched from device to device. */
size_t TOR_NAME(tor_gpu_halo_y_bytes)(struct tor_gpu_halo_y *halo, const struct tor_halo_y_part *part);
size_t TOR_NAME(tor_gpu_halo_y_fetched)(struct tor_gpu_halo_y *halo, const struct tor_halo_y_part *part);
/* Whether the tower next to this side in this row has done so many steps, by the count read last; if not, starts to
 * read the count again. */
int TOR_NAME(tor_gpu_halo_y_has_done)(struct tor_gpu_halo_y *halo, int row, int steps);
/* Start to copy a part's message out, and a part in; with it, the tower beyond this side in this row has done so many
 * steps. One of each at a time. */
void TOR_NAME(tor_gpu_halo_y_pack)(struct tor_gpu_halo_y *halo, const struct tor_halo_y_part *part, char *to);
int TOR_NAME(tor_gpu_halo_y_packed)(const struct tor_gpu_halo_y *halo);
void TOR_NAME(tor_gpu_halo_y_unpack)(struct tor_gpu_halo_y *halo, const struct tor_halo_y_part *part, const char *from,
                                     int row, int steps);
int TOR_NAME(tor_gpu_halo_y_unpacked)(const struct tor_gpu_halo_y *halo);

/* DFT samples in borrowed columns, which the towers of the rank below wrote: bytes in this stage, and the most in a
 * stage of so many steps. Start to move them, after all work given to `towers`; packed and unpacked return whether it
 * is done. */
size_t TOR_NAME(tor_gpu_halo_y_dft_bytes)(const struct tor_gpu_halo_y *halo);
size_t TOR_NAME(tor_gpu_halo_y_most_dft_bytes)(const struct tor_gpu_halo_y *halo, int steps);
void TOR_NAME(tor_gpu_halo_y_pack_dft)(struct tor_gpu_halo_y *halo, cudaStream_t towers, char *to);
void TOR_NAME(tor_gpu_halo_y_unpack_dft)(struct tor_gpu_halo_y *halo, cudaStream_t towers, const char *from);

#endif
