/* The queries of device.h in a build without CUDA. */
#include <stdio.h>

#include "diamond/core/column_store.h"
#include "diamond/core/slab.h"
#include "diamond/gpu/device.h"
#include "src/base/error.h"
#include "src/base/types.h"

int tor_device_built(void) { return 0; }
int tor_device_count(void) { return 0; }
void tor_device_several(void) {}
void tor_device_side_by_side(void) {}
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
const char *tor_device_no_rings(const struct tor_slab *slab) {
  (void)slab;
  return NULL;
}
int tor_device_has_rows(const struct tor_slab *slab) {
  (void)slab;
  return 0;
}
struct tor_device *tor_device_open(const struct tor_slab *slab, int number, double window,
                                   const struct tor_column_store *store) {
  (void)slab;
  (void)window;
  (void)store;
  TOR_DIE("GPU %d: this build has no CUDA", number);
}
