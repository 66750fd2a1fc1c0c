/* A build without CUDA: see device.h. With no GPU to count, what needs one is never called. */
#include "diamond/gpu/device.h"

#include <stdio.h>

#include "src/base/error.h"

int tor_device_built(void) { return 0; }
int tor_device_count(void) { return 0; }
void tor_device_several(void) {}
const char *tor_device_absence(void) { return "this build has no CUDA (configure with -DTORRE_CUDA=ON)"; }
void tor_device_name(int number, char *name, size_t name_size, char *driver, size_t driver_size) {
  snprintf(name, name_size, "GPU %d", number);
  snprintf(driver, driver_size, "none");
}
void tor_device_pci(int number, char *pci, size_t size) {
  (void)number;
  snprintf(pci, size, "none");
}
int tor_device_has_towers(int number) {
  (void)number;
  return 0;
}
double tor_device_memory(int number) {
  (void)number;
  return 0;
}
double tor_device_copy_bandwidth(int number) {
  (void)number;
  return 0;
}
double tor_device_link_bandwidth(int count) {
  (void)count;
  return 0;
}
int tor_device_dts(int order, enum tor_precision precision, int cpml_z) {
  (void)order;
  (void)precision;
  (void)cpml_z;
  return 0;
}
struct tor_device *tor_device_open(const struct tor_slab *slab, int number, double window) {
  (void)slab;
  (void)window;
  TOR_DIE("GPU %d: this build has no CUDA", number);
}
void tor_device_close(struct tor_device *device) { (void)device; }
void tor_device_run(struct tor_device *device, const struct tor_stage *stage, enum tor_engine_kind engine) {
  (void)device;
  (void)stage;
  TOR_DIE("engine %d: this build has no CUDA", (int)engine);
}
void tor_device_fetch(struct tor_device *device, struct tor_slab *slab) {
  (void)device;
  (void)slab;
}
void tor_device_fetch_monitors(const struct tor_device *device, struct tor_slab *slab) {
  (void)device;
  (void)slab;
}
void tor_device_fetch_energy(const struct tor_device *device, struct tor_slab *slab) {
  (void)device;
  (void)slab;
}
double tor_device_energy(struct tor_device *device, int x0, int x1, int y0, int y1) {
  (void)device, (void)x0, (void)x1, (void)y0, (void)y1;
  return 0;
}
int tor_device_has_rows(const struct tor_slab *slab) {
  (void)slab;
  return 0;
}
size_t tor_device_open_halo_x(struct tor_device *device, int halo_x, int x0, int x1) {
  (void)device, (void)halo_x, (void)x0, (void)x1;
  return 0;
}
void tor_device_halo_x_peer_info(const struct tor_device *device, int halo_x, void *info) {
  (void)device, (void)halo_x, (void)info;
}
int tor_device_halo_x_probe(struct tor_device *device, int halo_x, const void *info) {
  (void)device, (void)halo_x, (void)info;
  return 0;
}
void tor_device_halo_x_negotiate(struct tor_device *device, int halo_x, enum tor_halo_x_way way) {
  (void)device, (void)halo_x, (void)way;
}
size_t tor_device_halo_x_bytes(const struct tor_device *device, int halo_x) {
  (void)device, (void)halo_x;
  return 0;
}
int tor_device_halo_x_buffers(const struct tor_device *device, int halo_x,
                              struct tor_halo_x_buffer piece[TOR_HALO_X_BUFFERS]) {
  (void)device, (void)halo_x, (void)piece;
  return 0;
}
int tor_device_is_plain(const struct tor_device *device, int row, int steps) {
  (void)device, (void)row, (void)steps;
  return 1;
}
void tor_device_begin(struct tor_device *device, const struct tor_stage *stage) { (void)device, (void)stage; }
void tor_device_start(struct tor_device *device, int first, int last, int place0, int place1) {
  (void)device, (void)first, (void)last, (void)place0, (void)place1;
}
int tor_device_ran(struct tor_device *device) {
  (void)device;
  return 1;
}
int tor_device_most_rows(const struct tor_device *device, int steps) {
  (void)device;
  return steps;
}
int tor_device_started(const struct tor_device *device) {
  (void)device;
  return 1;
}
void tor_device_end(struct tor_device *device) { (void)device; }
void tor_device_take(struct tor_device *device, int halo_x, void *to) { (void)device, (void)halo_x, (void)to; }
void tor_device_put(struct tor_device *device, int halo_x, const void *from) { (void)device, (void)halo_x, (void)from; }
int tor_device_moved(struct tor_device *device, int halo_x) {
  (void)device, (void)halo_x;
  return 1;
}
size_t tor_device_open_halo_y(struct tor_device *device, int side, const struct tor_column_block *lent, int steps) {
  (void)device, (void)side, (void)lent, (void)steps;
  return 0;
}
size_t tor_device_part_bytes(struct tor_device *device, int side, const struct tor_halo_y_part *part) {
  (void)device, (void)side, (void)part;
  return 0;
}
size_t tor_device_part_fetched(struct tor_device *device, int side, const struct tor_halo_y_part *part) {
  (void)device, (void)side, (void)part;
  return 0;
}
void tor_device_halo_y_peer_info(const struct tor_device *device, int side, void *info) {
  (void)device, (void)side, (void)info;
}
int tor_device_halo_y_probe(struct tor_device *device, int side, const void *info) {
  (void)device, (void)side, (void)info;
  return 0;
}
void tor_device_halo_y_negotiate(struct tor_device *device, int side, int both) {
  (void)device, (void)side, (void)both;
}
int tor_device_left(struct tor_device *device, int side, int row, int steps) {
  (void)device, (void)side, (void)row, (void)steps;
  return 1;
}
void tor_device_take_part(struct tor_device *device, int side, const struct tor_halo_y_part *part, void *to) {
  (void)device, (void)side, (void)part, (void)to;
}
int tor_device_took_part(const struct tor_device *device, int side) {
  (void)device, (void)side;
  return 1;
}
void tor_device_put_part(struct tor_device *device, int side, const struct tor_halo_y_part *part, const void *from,
                         int row, int steps) {
  (void)device, (void)side, (void)part, (void)from, (void)row, (void)steps;
}
int tor_device_has_put_part(const struct tor_device *device, int side) {
  (void)device, (void)side;
  return 1;
}
size_t tor_device_dft_bytes(const struct tor_device *device, int side) {
  (void)device, (void)side;
  return 0;
}
void tor_device_take_dft(struct tor_device *device, int side, void *to) { (void)device, (void)side, (void)to; }
void tor_device_put_dft(struct tor_device *device, int side, const void *from) { (void)device, (void)side, (void)from; }
void tor_device_sum_energy(struct tor_device *device, int x0, int x1) { (void)device, (void)x0, (void)x1; }
void tor_device_pin(void *memory, size_t bytes) { (void)memory, (void)bytes; }
void tor_device_unpin(void *memory) { (void)memory; }
