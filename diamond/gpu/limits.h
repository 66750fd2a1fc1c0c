/* Limits of the slabs that the GPU's towers can run. */
#ifndef TOR_DIAMOND_GPU_LIMITS_H
#define TOR_DIAMOND_GPU_LIMITS_H

/* Cells along each axis, at least; values in the CPMLs along z, both together, at most; blocks along z of a tower, at
 * most. */
enum { TOR_GPU_LEAST = 4, TOR_GPU_MOST_CPML = 64, TOR_GPU_MOST_BLOCKS = 16 };
/* Values along z of one of a tower's blocks. */
#define TOR_GPU_BLOCK_Z(order, real_bytes) ((order) == 4 && (real_bytes) == 8 ? 128 : 256)

#endif
