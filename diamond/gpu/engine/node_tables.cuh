/* Tables of nodes that are made on the host. */
#ifndef TOR_DIAMOND_GPU_ENGINE_NODE_TABLES_CUH
#define TOR_DIAMOND_GPU_ENGINE_NODE_TABLES_CUH

#include "diamond/core/slab.h"
#include "diamond/gpu/view/lattice.cuh"

/* Appends the numbers of a run's vectors with nodes, beside which the weights of `marks` are 0; returns how many. */
static int find_node_vectors(const struct tor_slab *slab, const struct tor_pole_range *run, uint16_t *to) {
  const real *const weight = (const real *)slab->weight + run->weight + tor_pole_range_lead(run);
  const int tensor = 7, full = tensor | 1 << TOR_FULL_KERR;
  const int marks = run->metal > 0                   ? 1 << TOR_METAL_SHARE
                    : run->metal == TOR_TENSOR_NODES ? tensor
                    : run->metal < 0                 ? full
                                                     : 1 << 3;
  int count = 0;
  for (int k = 0; k < run->nz; k++) {
    const uint16_t vector = (uint16_t)((run->z0 + k) / V);
    int holds = 0;
    for (int i = 0; marks >> i; i++) holds |= (marks >> i & 1) && weight[(tor_gidx)i * run->pitch + k] != 0;
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
