/* A slab on a GPU: opened there, advanced by stages, and fetched back. The engines and their bits are those of
 * engine.h. Needs no CUDA headers.
 *
 * All functions are local and end the process, with a message that states the remedy, when the device or the driver
 * fails. */
#ifndef TOR_DIAMOND_GPU_DEVICE_H
#define TOR_DIAMOND_GPU_DEVICE_H

#include <stddef.h>

#include "diamond/core/column_store.h"
#include "diamond/core/rounds.h"
#include "diamond/core/slab.h"
#include "diamond/core/worker.h"
#include "diamond/gpu/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Queries, also in a build without CUDA (device_none.c), which has no device --- */

/* Whether this build has CUDA. */
int tor_device_built(void);
/* Devices that can run Torre (compute capability 8.0 and later); 0 without a driver. They are the first ones that CUDA
 * numbers. */
int tor_device_count(void);
/* Before CUDA's first call in a process that is to use several devices: kernels are loaded at once. CUDA would load
 * them at their first launch, and that may wait for other devices, whose towers may wait for that launch. */
void tor_device_several(void);
/* Before CUDA's first call in a process whose runs go side by side: the streams of 32 threads do not wait for each
 * other. */
void tor_device_side_by_side(void);
/* Why tor_device_count is 0, and the remedy. */
const char *tor_device_absence(void);
/* The names of the device and of its driver. */
void tor_device_name(int number, char *name, size_t name_size, char *driver, size_t driver_size);
/* Its PCI bus identifier, "0000:3b:00.0". */
void tor_device_pci(int number, char *pci, size_t size);
/* Whether the build has towers for the device; the stepwise engine runs on all. */
int tor_device_has_towers(int number);
/* Bytes that a device has free. */
double tor_device_memory(int number);
/* Bandwidth of a copy within a device's memory, read plus write [bytes/s]. */
double tor_device_copy_bandwidth(int number);
/* Bandwidth between pinned host memory and each of the first `count` devices, all of them and both ways at once: each
 * way, of the slowest [bytes/s]. */
double tor_device_link_bandwidth(int count);
/* Half-width of the towers in reaches of the stencil; cpml_z: there is CPML along z. */
int tor_device_dts(int order, enum tor_precision precision, int cpml_z);
/* Why towers cannot run the slab's periodic walls, or its saturable poles; NULL: they can, or there are none. */
const char *tor_device_no_rings(const struct tor_slab *slab);
/* Whether towers alone can run the slab. */
int tor_device_has_rows(const struct tor_slab *slab);

/* --- A slab on a device --- */

/* 2-D slabs of several GPUs: rows that a rank holds of each neighbour along y, in reaches of the stencil (1 cell; order
 * 4: 3): those of a round's steps, and the rows of a tile (diamond/gpu/plane). */
#define TOR_GPU_PLANE_HALO(order) ((order) == 4 ? 7 : 16)

struct tor_gpu_ops;

/* Owns the slab's copy on the device, by whose precision `ops` are chosen: device->ops->run(device, ...). */
struct tor_device {
  const struct tor_gpu_ops *ops;
};

/* Copies the slab to the device; freed by ops->close. The slab must outlive the result: its lists of monitors are read
 * in each run. window: 0, or the bytes of a window on the device that moves over the slab's own arrays of fields, psi
 * of z, coefficients and poles (window.h). Then runs are by towers, and those arrays are stale until ops->fetch to the
 * same slab. store: of columns that are not all in memory, for a window alone, without ranks; NULL: they are. */
struct tor_device *tor_device_open(const struct tor_slab *slab, int number, double window,
                                   const struct tor_column_store *store);

/* The operations of one precision. Functions get the device first. */
struct tor_gpu_ops {
  /* tor_device_dts and tor_device_open. */
  int (*dts)(int order, int cpml_z);
  struct tor_device *(*open)(const struct tor_slab *slab, int number, double window,
                             const struct tor_column_store *store);
  /* Advances the copy by stage->steps, stepwise or by towers, and returns when that is done. */
  void (*run)(struct tor_device *device, const struct tor_stage *stage, enum tor_engine_kind engine);
  /* Time of the last run's kernels [s]. */
  double (*seconds)(const struct tor_device *device);
  /* Copies back what a run changes: fields, psi, poles' state, monitors' data, energy sums. */
  void (*fetch)(struct tor_device *device, struct tor_slab *slab);
  /* Copies back the monitors' data alone, of groups whose `data` is not NULL, where there is a store after it has got
   * all columns; the energy sums alone. */
  void (*fetch_monitors)(const struct tor_device *device, struct tor_slab *slab);
  void (*fetch_energy)(const struct tor_device *device, struct tor_slab *slab);
  /* The energy [J] of columns x0 <= ix < x1, y0 <= iy < y1 at the last step that summed it; segment: of those of the
   * slab (tor_slab.segments), 0 without any. The order of the sum is the device's own, so that the last bits may differ
   * from a sum on the host. */
  double (*energy)(struct tor_device *device, int segment, int x0, int x1, int y0, int y1);
  void (*close)(struct tor_device *device);
  /* For a slab that is a rank's part of the domain: the calls of worker.h with the device as `self`. Rows run from
   * right to left by towers. The slab's first columns along x and y are multiples of the towers' half-width R, and
   * towers stay R columns away from the ends of the held columns inside the domain. Energies are summed by sum_energy
   * alone.
   *
   * With a window the runs of a stage are one sweep. The columns of an x halo move from and to the slab's own arrays;
   * those of the right halo are at the sweep's beginning, those of the left one at its end. The sweep loads a halo's
   * columns after they have been unpacked (in the first stage the left ones are there), and has stored them when they
   * are packed; energies are summed when columns leave the window. */
  const struct tor_worker_calls *worker;
  /* The same for a 2-D slab, whose rows of cells along y ranks share: by rounds. Halos have TOR_GPU_PLANE_HALO reaches.
   */
  const struct tor_worker_calls *plane_worker;
  const struct tor_halo_rows_calls *rounds;
};

/* The device as a rank's worker, which it must outlive; and of a rank of a 2-D slab, with ops->rounds. */
static inline struct tor_worker tor_device_worker(struct tor_device *device) {
  return (struct tor_worker){device->ops->worker, device, 1};
}
static inline struct tor_worker tor_device_plane_worker(struct tor_device *device) {
  return (struct tor_worker){device->ops->plane_worker, device, 1};
}

#ifdef __cplusplus
}
#endif
#endif
