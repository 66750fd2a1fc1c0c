/* What device.cu needs of slab_gpu.cu, share_gpu.cu and columns_gpu.cu, which exist once for each precision. The names
 * say the rest: device.h. */
#ifndef TOR_DIAMOND_GPU_VIEW_GPU_PARTS_H
#define TOR_DIAMOND_GPU_VIEW_GPU_PARTS_H

#include "diamond/gpu/device.h"

struct tor_gpu_copy; /* differs between the precisions */

#define TOR_GPU_PARTS(suffix)                                                                                         \
  int tor_gpu_dts_##suffix(int order, int cpml_z);                                                                    \
  struct tor_gpu_copy *tor_gpu_copy_new_##suffix(const struct tor_slab *slab, double window);                         \
  void tor_gpu_copy_run_##suffix(struct tor_gpu_copy *copy, const struct tor_stage *stage, int stepwise);             \
  double tor_gpu_copy_seconds_##suffix(const struct tor_gpu_copy *copy);                                              \
  size_t tor_gpu_copy_open_halo_x_##suffix(struct tor_gpu_copy *copy, int lane, int x0, int x1);                      \
  void tor_gpu_copy_halo_x_peer_info_##suffix(const struct tor_gpu_copy *copy, int lane, void *info);                 \
  int tor_gpu_copy_halo_x_probe_##suffix(struct tor_gpu_copy *copy, int lane, const void *info);                      \
  void tor_gpu_copy_halo_x_negotiate_##suffix(struct tor_gpu_copy *copy, int lane, enum tor_halo_x_way way);          \
  size_t tor_gpu_copy_halo_x_bytes_##suffix(const struct tor_gpu_copy *copy, int lane);                               \
  int tor_gpu_copy_halo_x_buffers_##suffix(const struct tor_gpu_copy *copy, int lane,                                 \
                                           struct tor_halo_x_buffer piece[TOR_HALO_X_BUFFERS]);                       \
  void tor_gpu_copy_begin_##suffix(struct tor_gpu_copy *copy, const struct tor_stage *stage);                         \
  void tor_gpu_copy_start_##suffix(struct tor_gpu_copy *copy, int first, int last, int place0, int place1);           \
  int tor_gpu_copy_ran_##suffix(struct tor_gpu_copy *copy);                                                           \
  int tor_gpu_copy_is_plain_##suffix(const struct tor_gpu_copy *copy, int row, int steps);                            \
  int tor_gpu_copy_most_rows_##suffix(const struct tor_gpu_copy *copy, int steps);                                    \
  int tor_gpu_copy_started_##suffix(const struct tor_gpu_copy *copy);                                                 \
  void tor_gpu_copy_end_##suffix(struct tor_gpu_copy *copy);                                                          \
  void tor_gpu_copy_take_##suffix(struct tor_gpu_copy *copy, int lane, void *to);                                     \
  void tor_gpu_copy_put_##suffix(struct tor_gpu_copy *copy, int lane, const void *from);                              \
  int tor_gpu_copy_moved_##suffix(struct tor_gpu_copy *copy, int lane);                                               \
  size_t tor_gpu_copy_open_halo_y_##suffix(struct tor_gpu_copy *copy, int side, const struct tor_column_block *lent,  \
                                           int steps);                                                                \
  void tor_gpu_copy_halo_y_peer_info_##suffix(const struct tor_gpu_copy *copy, int side, void *info);                 \
  int tor_gpu_copy_halo_y_probe_##suffix(struct tor_gpu_copy *copy, int side, const void *info);                      \
  void tor_gpu_copy_halo_y_negotiate_##suffix(struct tor_gpu_copy *copy, int side, int both);                         \
  size_t tor_gpu_copy_part_bytes_##suffix(struct tor_gpu_copy *copy, int side, const struct tor_halo_y_part *part);   \
  size_t tor_gpu_copy_part_fetched_##suffix(struct tor_gpu_copy *copy, int side, const struct tor_halo_y_part *part); \
  int tor_gpu_copy_left_##suffix(struct tor_gpu_copy *copy, int side, int row, int steps);                            \
  void tor_gpu_copy_take_part_##suffix(struct tor_gpu_copy *copy, int side, const struct tor_halo_y_part *part,       \
                                       void *to);                                                                     \
  int tor_gpu_copy_took_part_##suffix(const struct tor_gpu_copy *copy, int side);                                     \
  void tor_gpu_copy_put_part_##suffix(struct tor_gpu_copy *copy, int side, const struct tor_halo_y_part *part,        \
                                      const void *from, int row, int steps);                                          \
  int tor_gpu_copy_has_put_part_##suffix(const struct tor_gpu_copy *copy, int side);                                  \
  size_t tor_gpu_copy_dft_bytes_##suffix(const struct tor_gpu_copy *copy, int side);                                  \
  void tor_gpu_copy_take_dft_##suffix(struct tor_gpu_copy *copy, int side, void *to);                                 \
  void tor_gpu_copy_put_dft_##suffix(struct tor_gpu_copy *copy, int side, const void *from);                          \
  void tor_gpu_copy_sum_energy_##suffix(struct tor_gpu_copy *copy, int x0, int x1);                                   \
  double tor_gpu_copy_energy_##suffix(struct tor_gpu_copy *copy, int x0, int x1, int y0, int y1);                     \
  void tor_gpu_copy_store_##suffix(struct tor_gpu_copy *copy, struct tor_slab *slab);                                 \
  void tor_gpu_copy_store_monitors_##suffix(const struct tor_gpu_copy *copy, struct tor_slab *slab);                  \
  void tor_gpu_copy_store_energy_##suffix(const struct tor_gpu_copy *copy, struct tor_slab *slab);                    \
  void tor_gpu_copy_free_##suffix(struct tor_gpu_copy *copy);
TOR_GPU_PARTS(f32)
TOR_GPU_PARTS(f64)

#endif
