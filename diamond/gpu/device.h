/* A slab on a GPU: it is opened there, advanced by stages, and fetched back. The engines and their bits are those of
 * engine.h. Needs no CUDA headers.
 *
 * All functions are local and end the run, with a message that says what to do, when the device or the driver fails. */
#ifndef TOR_DIAMOND_GPU_DEVICE_H
#define TOR_DIAMOND_GPU_DEVICE_H

#include <stddef.h>

#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What towers need: cells along each axis at least, values in the layers along z, both ends together, at most. */
enum { TOR_GPU_LEAST = 4, TOR_GPU_MOST_CPML = 64, TOR_GPU_MOST_BLOCKS = 16 };
/* Values along z of one of a tower's blocks. */
#define TOR_GPU_BLOCK_Z(order, real_bytes) ((order) == 4 && (real_bytes) == 8 ? 128 : 256)

struct tor_device; /* a slab resident on a device; owns its copy there */

/* Whether this build has CUDA. One without (device_none.c) has no device, and the functions that need one are never
 * called. */
int tor_device_built(void);
/* Devices that can run Torre (compute capability 8.0 and later); 0 without a driver. They are the first ones that CUDA
 * numbers. */
int tor_device_count(void);
/* Before CUDA's first call in a process that is to use several devices: what CUDA would load with a kernel's first
 * launch is loaded at once, since that may wait for other devices, whose towers may wait for that launch. */
void tor_device_several(void);
/* Why tor_device_count is 0, and what to do. */
const char *tor_device_absence(void);
/* What the device and its driver are called. */
void tor_device_name(int number, char *name, size_t name_size, char *driver, size_t driver_size);
/* Its PCI bus identifier, "0000:3b:00.0". */
void tor_device_pci(int number, char *pci, size_t size);
/* Whether the build has towers for the device; the stepwise engine runs on all. */
int tor_device_has_towers(int number);
/* Bytes that a device has free. */
double tor_device_memory(int number);
/* Bandwidth of a copy within a device's memory, read plus write [bytes/s]. */
double tor_device_copy_bandwidth(int number);
/* The same between pinned host memory and each of the first `count` devices, all of them and both ways at once: each
 * way, of the slowest [bytes/s]. */
double tor_device_link_bandwidth(int count);
/* Half-width of the towers in reaches of the stencil; cpml_z: there is CPML along z. */
int tor_device_dts(int order, enum tor_precision precision, int cpml_z);
/* Copies the slab to the device. The slab must outlive the result: its lists of monitors are read in each run. window:
 * 0, or fields, psi of z, coefficients and poles are left in the slab's own arrays, through which a window of so many
 * bytes moves (window.h); runs are by towers then, and the slab's arrays are stale until tor_device_fetch to the same
 * slab. */
struct tor_device *tor_device_open(const struct tor_slab *slab, int number, double window);
/* Advances the copy by stage->steps, stepwise or by towers, and returns when that is done. */
void tor_device_run(struct tor_device *device, const struct tor_stage *stage, enum tor_engine_kind engine);
/* Time of the last run's kernels [s]. */
double tor_device_seconds(const struct tor_device *device);
/* Copies back what a run changes: fields, psi, poles' state, monitors' data, energy. */
void tor_device_fetch(struct tor_device *device, struct tor_slab *slab);
/* Copies back the monitors' data alone; the energy sums alone. */
void tor_device_fetch_monitors(const struct tor_device *device, struct tor_slab *slab);
void tor_device_fetch_energy(const struct tor_device *device, struct tor_slab *slab);
/* The energy [J] of columns x0 <= ix < x1, y0 <= iy < y1 at the last step that summed it: in an order of its own, so
 * that the last bits may differ from a sum on the host. */
double tor_device_energy(struct tor_device *device, int x0, int x1, int y0, int y1);
void tor_device_close(struct tor_device *device);

/* --- A slab that is a rank's part of the domain (comm/worker/worker.h). Its towers run in parts, rows from right to
 * left, and columns move by two halo_x along x and over two borders along y while they do. Functions that start
 * something return at once; what was started ends in its own time. The slab's first columns along x and y are multiples
 * of the towers' half-width R, and towers keep R columns away from the held columns' ends inside the domain.
 *
 * With a window the parts of a stage are one sweep. A halo_x's columns go from and to the slab's own arrays, and those
 * of the right halo_x are at the sweep's beginning, those of the left one at its end: neither loads before its columns
 * have been put (the left one's are there in the first stage), and a halo_x's columns have left when they are taken.
 * --- */
enum { TOR_GPU_RIGHT, TOR_GPU_LEFT, TOR_GPU_HALOS_X };
/* Whether towers alone can run the slab. */
int tor_device_has_rows(const struct tor_slab *slab);
/* The columns x0 <= ix < x1, all of the y held, that a halo_x moves. Once for each halo_x. Returns their bytes, which
 * two ranks find alike. */
size_t tor_device_open_halo_x(struct tor_device *device, int halo_x, int x0, int x1);
/* The way of a halo_x's columns between two ranks. PACKED, at first: by way of pinned memory. FETCHED: from the other
 * rank's device when they are put; that rank keeps them until they come back. DIRECT: the caller sends the pieces that
 * lie in one stretch of the device's memory from there, and puts them there; the rest is packed. */
enum tor_halo_x_way { TOR_HALO_X_PACKED, TOR_HALO_X_FETCHED, TOR_HALO_X_DIRECT };
enum { TOR_DEVICE_PEER_INFO = 1024, TOR_HALO_X_BUFFERS = 6 };
struct tor_halo_x_buffer {
  void *at; /* on the device */
  size_t bytes;
};
/* What the rank that shares the halo_x's columns needs to know of this one, TOR_DEVICE_PEER_INFO bytes; whether this
 * rank's device reaches that one's, by what that one tells. The way that both take; to be PACKED again before the other
 * rank's device is closed. */
void tor_device_halo_x_peer_info(const struct tor_device *device, int halo_x, void *info);
int tor_device_halo_x_probe(struct tor_device *device, int halo_x, const void *info);
void tor_device_halo_x_negotiate(struct tor_device *device, int halo_x, enum tor_halo_x_way way);
/* Bytes that are packed; and the pieces that go by the way DIRECT if that is taken. Returns their number, 0 where they
 * lie in the host's memory. */
size_t tor_device_halo_x_bytes(const struct tor_device *device, int halo_x);
int tor_device_halo_x_buffers(const struct tor_device *device, int halo_x,
                              struct tor_halo_x_buffer piece[TOR_HALO_X_BUFFERS]);
/* Begins a stage. Energies are not summed by its steps but by tor_device_sum_energy. Nothing may be running. */
void tor_device_begin(struct tor_device *device, const struct tor_stage *stage);
/* Starts the towers of rows first down to last of the domain's tiling (tile.h), places place0 to place1; none when
 * first < last. */
void tor_device_start(struct tor_device *device, int first, int last, int place0, int place1);
/* Whether all towers that were started are done. With a window, to be asked again and again: it starts them as their
 * columns come. */
int tor_device_ran(struct tor_device *device);
/* Whether a row's towers, in stages of so many steps, meet plain columns alone: starts of such rows run faster. Always,
 * where a window passes over the slab. */
int tor_device_is_plain(const struct tor_device *device, int row, int steps);
/* With borders: the most rows of one start, in stages of so many steps; and whether all rows of the last start are
 * running or done: parts may be copied from then on. */
int tor_device_most_rows(const struct tor_device *device, int steps);
int tor_device_started(const struct tor_device *device);
/* All rows of the stage are done. */
void tor_device_end(struct tor_device *device);
/* Starts to copy the halo_x's columns to pinned memory, as the towers started so far leave them; or from pinned memory:
 * towers started after it has moved find them. */
void tor_device_take(struct tor_device *device, int halo_x, void *to);
void tor_device_put(struct tor_device *device, int halo_x, const void *from);
int tor_device_moved(struct tor_device *device, int halo_x);
/* The border below (side 0) or above (1): towers beyond place0 or place1 are run elsewhere. Before the first start.
 * lent: the columns across it that towers of the rank below write and the rank above has. Returns the most bytes of
 * what monitors hear there in a stage of so many steps, which two ranks find alike. */
size_t tor_device_open_halo_y(struct tor_device *device, int side, const struct tor_column_block *lent, int steps);
/* As of a halo_x: where both ranks reach each other's device, parts' fields go from device to device. */
void tor_device_halo_y_peer_info(const struct tor_device *device, int side, void *info);
int tor_device_halo_y_probe(struct tor_device *device, int side, const void *info);
void tor_device_halo_y_negotiate(struct tor_device *device, int side, int both);
/* Bytes of a part's message, which two ranks find alike; and bytes that come or go beside it, from device to device. */
size_t tor_device_part_bytes(struct tor_device *device, int side, const struct tor_halo_y_part *part);
size_t tor_device_part_fetched(struct tor_device *device, int side, const struct tor_halo_y_part *part);
/* While towers run: whether the one next to the border in this row, a row of those started, has done so many steps. 0
 * at times because the answer is still under way: to be called again. */
int tor_device_left(struct tor_device *device, int side, int row, int steps);
/* Start to copy a part's message to and from pinned memory, beside the towers. What comes in counts as the first
 * `steps` steps of the tower beyond the border in this row, from the one right of those started on; towers that need
 * more wait. */
void tor_device_take_part(struct tor_device *device, int side, const struct tor_halo_y_part *part, void *to);
int tor_device_took_part(const struct tor_device *device, int side);
void tor_device_put_part(struct tor_device *device, int side, const struct tor_halo_y_part *part, const void *from,
                         int row, int steps);
int tor_device_has_put_part(const struct tor_device *device, int side);
/* What monitors heard in lent columns is no part of a part. Its bytes in the stage begun, which may be none; and,
 * after all towers started are done, its way from the rank below to pinned memory, and on the one above from there,
 * before tor_device_take and tor_device_end make sums of it. tor_device_took_part and _has_put_part tell when it has
 * moved. */
size_t tor_device_dft_bytes(const struct tor_device *device, int side);
void tor_device_take_dft(struct tor_device *device, int side, void *to);
void tor_device_put_dft(struct tor_device *device, int side, const void *from);
/* Sums the energy of columns x0 <= ix < x1, after the towers started so far; with a window it is summed when they
 * leave. */
void tor_device_sum_energy(struct tor_device *device, int x0, int x1);
/* Pins host memory for copies to and from any GPU; as it was. */
void tor_device_pin(void *memory, size_t bytes);
void tor_device_unpin(void *memory);

#ifdef __cplusplus
}
#endif
#endif
