/* Which slabs shared-memory towers (smem_tile.cuh) can run, and the pole_segments of a column with poles; on the host.
 */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_POLE_SEGMENTS_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_POLE_SEGMENTS_CUH

#include <string.h>

#include "diamond/gpu/view/slab_view.cuh"

enum { TOR_SMEM_Z = 256, TOR_SMEM_CPML = 32 }; /* values along z of a block, in both layers together, at most */
/* The slab's tor_gpu_view.layers. */
static inline struct tor_smem_layers tor_smem_layers_of(const struct tor_slab *slab) {
  const int n = slab->n[2], lo = (slab->cpml[TOR_Z].lo + 3) / 4 * 4, above = (n - slab->cpml[TOR_Z].hi) / 4 * 4;
  const int hi0 = slab->cpml[TOR_Z].hi ? (above > lo ? above : lo) : n;
  return {lo, hi0, hi0 < n ? (n - hi0 + 3) / 4 * 4 : 0};
}
/* Blocks along z for so many values, and values of each but the last, which has what is left. */
static inline int tor_smem_blocks(int nz) { return (nz + TOR_SMEM_Z - 1) / TOR_SMEM_Z; }
static constexpr __host__ __device__ int tor_smem_part(int nz, int nblock) {
  return ((nz + nblock - 1) / nblock + 3) / 4 * 4;
}
/* Planes that inject, at most (planes.h). */
#define TOR_SMEM_PLANES(order, tall) ((order) == 4 ? 20 : (tall) ? 9 : 12)

/* All conditions except those of single media (tor_pole_segments_find): fp32; no PMC at the upper end of z; in order
 * 4 one block along z; no losses but those of absorbers; no coefficients of H that change; poles, or in order 2 CPML
 * along z and planes in most columns or few values along z (else the register towers are faster); in order 4 a slab
 * that is not a rank's part of a larger one, because R is no multiple of S there. */
static inline bool tor_smem_towers_fit(const struct tor_slab *slab, int real_bytes, const int pmc[TOR_NFACE],
                                       bool planes) {
  unsigned classes = 0;
  const bool damped = slab->damping[0] != nullptr;
  for (tor_gidx i = 0; i < tor_slab_columns(slab); i++) classes |= tor_class_undamped(slab->cls[i], damped);
  int uniform = 1; /* coefficients of H: with absorbers they may depend on z */
  for (int c = TOR_HX; c < TOR_NCOMP && !damped; c++) uniform &= slab->uniform[c];
  const bool poles = classes & TOR_COL_POLES, few = slab->n[2] <= TOR_SMEM_Z / 2;
  const int nblock = tor_smem_blocks(slab->n[2]);
  const struct tor_smem_layers layers = tor_smem_layers_of(slab);
  const bool whole = slab->held[0] == slab->n[0] + 1 && slab->held[1] == slab->n[1] + 1;
  if (slab->order == 2 ? !poles && !(slab->zlo + slab->zhi && (planes || few)) : !poles || !whole) return false;
  if (slab->has_nodes && nblock > 1) return false; /* a node needs Ez of the block below */
  return real_bytes == 4 && !pmc[TOR_ZHI] && uniform && nblock <= (slab->order == 4 ? 1 : TOR_GPU_MOST_BLOCKS) &&
         layers.lo + layers.hi <= TOR_SMEM_CPML && slab->zlo % 4 == 0 && slab->zhi % 4 == 0 && slab->zhi0 % 4 == 0 &&
         slab->nstate / 4 < UINT32_MAX && slab->nweight / 4 < UINT32_MAX &&
         !(classes & (TOR_COL_COEF_H | TOR_COL_LOSSY_E | TOR_COL_LOSSY_H));
}

/* Fills the pole_segments of a component. Returns whether shared-memory towers can advance them: at each z at most one
 * run, of a fast medium, and not too many. */
static inline bool tor_pole_segments_find(const struct tor_slab *slab, const struct tor_extra *extra, int comp,
                                          const struct tor_gpu_fast_medium *fast,
                                          struct tor_gpu_pole_segment pole_segment[TOR_GPU_POLE_SEGMENTS]) {
  int count = 0;
  for (int i = extra->run[comp]; i < extra->run[comp + 1]; i++) {
    const struct tor_pole_range *run = &slab->run[i];
    if (i > extra->run[comp] && run->state == run[-1].state) {
      if (run->z0 < run[-1].z0 + run[-1].nz) return false;
      continue;
    }
    if (count == TOR_GPU_POLE_SEGMENTS || run->dispersion >= TOR_GPU_FAST_MEDIA || !fast[run->dispersion].npoles)
      return false;
    for (int k = 0; k < count; k++)
      if (run->from < 4 * (pole_segment[k].from + pole_segment[k].count) &&
          4 * pole_segment[k].from < run->from + run->pitch)
        return false;
    pole_segment[count++] = {(unsigned)(run->state / 4), (unsigned)(run->weight / 4), (uint16_t)(run->from / 4),
                             (uint16_t)(run->pitch / 4), (uint16_t)run->dispersion,   (uint16_t)run->charged};
  }
  return true;
}

/* Where a column's own coefficients of component `comp` of E are not the layered background's, of `count` values from
 * z0 on: a bit for 4 values along z each. fp32. */
static inline uint64_t tor_coef_lanes(const struct tor_slab *slab, const struct tor_extra *extra, int comp, int z0,
                                      int count) {
  const float *own = (const float *)slab->coef + extra->coef_e + (tor_gidx)comp * slab->nzp,
              *layered = (const float *)slab->cb + (tor_gidx)comp * slab->nzp;
  uint64_t lanes = 0;
  for (int z = 0; z < count; z += 4) /* rows are padded to whole fours */
    if (memcmp(&own[z0 + z], &layered[z0 + z], 4 * sizeof *own)) lanes |= (uint64_t)1 << z / 4;
  return lanes;
}

#endif
