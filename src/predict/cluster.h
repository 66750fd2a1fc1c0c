/* A domain on a machine, divided among ranks and devices: time, memory and whether it fits. Formulas only, no MPI, no
 * CUDA.
 *
 * docs/design/cluster-model.md has every formula with its reason. Symbols: s = 1, 3 for order 2, 4; R = s DTS; a
 * row of towers starts every R/2 cells along x and has a tower every R cells along y; a tower updates R^2/2 columns a
 * step, TH times, and leans s TH cells along x; with its own width it reaches over O = s TH + R columns. */
#ifndef TOR_SRC_PREDICT_CLUSTER_H
#define TOR_SRC_PREDICT_CLUSTER_H

#include <stddef.h>

#include "src/predict/machine.h"
#include "src/predict/pipeline.h"

struct tor_cluster_domain {
  tor_gidx n[3]; /* cells */
  int order;
  enum tor_precision precision;
  double cell; /* memory of a cell, including layers, poles and monitors [bytes]; 6 values at least */
  double more; /* mean additional time of a cell by layers and poles, in units of a vacuum cell's time */
};

/* px x py ranks, those of a node next to each other along y; a node's devices are divided evenly among its ranks, and
 * the devices of a rank divide its part along y. */
struct tor_cluster_layout {
  int px, py;
  int ranks_per_node; /* divides the devices of a node */
  int th;
};

struct tor_cluster_cost {
  int dts, reach, half_width; /* DTS, s, R */
  int ranks, nodes, devices;  /* devices of a rank */
  tor_gidx columns;           /* of a rank along x, rounded up to whole rows */
  tor_gidx width;             /* of a device along y, rounded up to whole towers */
  int overlap;                /* O [columns] */
  int towers;                 /* of a row on a device */
  int in_flight;              /* of them at once */
  int resident;               /* a device holds its whole slab; else columns stream over the host link */
  int on_disk;                /* the host does not hold them either: columns stream from and to the disk */
  double tower;               /* [s] from a tower's start to its end */
  double row;                 /* [s] between rows of a device: the largest of the next five */
  double row_compute, row_stream, row_host, row_disk, row_border;
  double rows[TOR_NSTEP];          /* rows of a step */
  double steps;                    /* [s] of a stage, without waiting */
  double device_bytes, host_bytes; /* memory that a device and a node need */
  double border_bytes;             /* sent at each row over each border along y */
  int border_net;                  /* borders between ranks along y cross the network */
  struct tor_pipeline pipeline;    /* ready to play; stages is left 0 */
  int fits;                        /* memory suffices and slabs hold their overlaps */
  char why[256];                   /* when it does not fit: the reason, with the value found and the value needed */
};

/* Fills in everything. Returns 0; or -1 with `why` when the machine file has no rate for the order and precision, or
 * the domain has not a row and a tower for every device. A layout that does not fit is costed as well (fits is 0). */
int tor_cluster_cost(const struct tor_machine *machine, const struct tor_cluster_domain *domain,
                     const struct tor_cluster_layout *layout, struct tor_cluster_cost *cost);

/* Seconds of a run of `steps` time steps, given fill and period: fill + steps / TH periods. */
double tor_cluster_seconds(double steps, int th, double period, double fill);

/* Tries heights of towers and, among those that fit, leaves the one with the shortest run in layout->th and its cost in
 * *cost, by tor_pipeline_estimate. Without any that fits: -1, and the same of those that do not. */
int tor_cluster_choose_th(const struct tor_machine *machine, const struct tor_cluster_domain *domain, double steps,
                          struct tor_cluster_layout *layout, struct tor_cluster_cost *cost);

#endif
