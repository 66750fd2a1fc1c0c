/* Tables of nodes that are made on the host. */
#ifndef TOR_DIAMOND_GPU_ENGINE_NODE_TABLES_CUH
#define TOR_DIAMOND_GPU_ENGINE_NODE_TABLES_CUH

#include "diamond/core/slab.h"
#include "diamond/gpu/view/lattice.cuh"

/* Appends the numbers of a run's vectors with nodes; returns how many. */
static int find_node_vectors(const struct tor_slab *slab, const struct tor_pole_range *run, uint16_t *to) {
  const unsigned marks = tor_node_marks(run->metal);
  const int rows = tor_node_weights(run);
  int count = 0;
  for (int z = run->z0; z < run->z0 + run->nz; z++) {
    const uint16_t vector = (uint16_t)(z / V);
    const tor_gidx place = tor_node_place(run, rows, z);
    if (place < 0) continue;
    const real *const weight = (const real *)slab->weight + run->weight + place;
    int holds = 0;
    for (int i = 0; marks >> i; i++) holds |= (marks >> i & 1) && weight[i * run->pitch] != 0;
    if (holds && !(count && to[count - 1] == vector)) to[count++] = vector;
  }
  return count;
}

static tor_gpu_magnetised magnetised_of(const struct tor_magnetised *pole) {
  tor_gpu_magnetised to = {};
  for (int k = 0; k < 9; k++) {
    to.keep[k] = (real)pole->keep[k];
    to.turn[k] = (real)pole->turn[k];
  }
  for (int a = 0; a < 3; a++) to.drive[a] = (real)pole->drive[a];
  to.restore = (real)pole->restore;
  for (int a = 0; a < 3; a++) to.work[a] = (real)pole->work[a];
  to.rest = (real)pole->rest;
  for (int k = 0; k < 18; k++) to.chi2[k] = (real)pole->chi2[k];
  return to;
}

#endif
