/* The engines on a GPU, as the rest of the program sees them; a build without CUDA has none. Needs no CUDA headers. */
#ifndef TOR_DEVICE_H
#define TOR_DEVICE_H

#include <stddef.h>

#include "column_state.h"
#include "slab.h"

struct tor_device; /* a slab's copy on a GPU */

int tor_device_built(void);          /* whether this build has CUDA */
int tor_device_count(void);          /* GPUs that can run Torre; 0 without CUDA or a driver */
const char *tor_device_absence(void); /* why there are none, and what to do */
/* What a GPU and its driver are called. */
void tor_device_name(int number, char *name, size_t name_size, char *driver, size_t driver_size);
/* Its PCI bus identifier, "0000:3b:00.0". */
void tor_device_pci(int number, char *pci, size_t size);
int tor_device_has_towers(int number); /* whether it runs the diamond engine; the stepwise engine runs on all */
double tor_device_memory(int number); /* free bytes of a GPU */
double tor_device_copy_bandwidth(int number); /* of a copy within its memory, read plus write [bytes/s] */
/* Between the host and each of the first `count` GPUs, all and both ways at once: each way, of the slowest [bytes/s].
 */
double tor_device_link_bandwidth(int count);
/* Half-width of its towers, in reaches of the stencil; layer_z: there is CPML along z. */
int tor_device_dts(int order, enum tor_precision precision, int layer_z);

/* Copies the slab to the GPU. The slab must outlive the copy. Ends the run with a message when the GPU fails, as all below. */
/* window: bytes of device memory through which the slab passes while it stays in its own arrays (gpu.h, tor_gpu_load_window); 0: it fits. */
struct tor_device *tor_device_open(const struct tor_slab *slab, int number, double window);
void tor_device_close(struct tor_device *device);
void tor_device_run(struct tor_device *device, const struct tor_stage *stage, enum tor_engine_kind engine);
/* Copies back what steps change: everything, or the monitors' data alone, or the energy sums alone. */
void tor_device_fetch(struct tor_device *device, struct tor_slab *slab);
void tor_device_fetch_monitors(struct tor_device *device, struct tor_slab *slab);
void tor_device_fetch_energy(struct tor_device *device, struct tor_slab *slab);
/* The energy of columns x0 <= ix < x1, y0 <= iy < y1 [J], summed on the GPU (gpu.h). */
double tor_device_energy(struct tor_device *device, int x0, int x1, int y0, int y1);

/* A rank's part of the domain: rows of towers in parts, columns in and out by two lanes and over borders along y. gpu.h has the contracts, under the same names. */
int tor_device_has_rows(const struct tor_slab *slab);
size_t tor_device_open_lane(struct tor_device *device, int lane, int x0, int x1);
void tor_device_begin(struct tor_device *device, const struct tor_stage *stage);
void tor_device_start(struct tor_device *device, int first, int last, int place0, int place1);
int tor_device_ran(struct tor_device *device);
void tor_device_end(struct tor_device *device);
void tor_device_take(struct tor_device *device, int lane, void *to);
void tor_device_put(struct tor_device *device, int lane, const void *from);
int tor_device_moved(struct tor_device *device, int lane);
void tor_device_open_border(struct tor_device *device, int side);
enum { TOR_DEVICE_CARD = 256 };
void tor_device_describe(const struct tor_device *device, int side, void *card);
int tor_device_meet(struct tor_device *device, int side, const void *card);
void tor_device_agree(struct tor_device *device, int side, int both);
size_t tor_device_part_bytes(struct tor_device *device, int side, const struct tor_strip_part *part);
size_t tor_device_part_fetched(struct tor_device *device, int side, const struct tor_strip_part *part);
int tor_device_left(struct tor_device *device, int side, int row, int steps);
void tor_device_take_part(struct tor_device *device, int side, const struct tor_strip_part *part, void *to);
int tor_device_took_part(const struct tor_device *device, int side);
void tor_device_put_part(struct tor_device *device, int side, const struct tor_strip_part *part, const void *from, int row, int steps);
int tor_device_has_put_part(const struct tor_device *device, int side);
void tor_device_sum_energy(struct tor_device *device, int x0, int x1);
void tor_device_pin(void *memory, size_t bytes);
void tor_device_unpin(void *memory);

#endif
