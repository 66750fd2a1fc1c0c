/* Integer geometry of the towers: the sites that a tower holds at a half-step, the rows and towers that a slab needs,
 * the order in which they depend on each other.
 *
 * p = u + v, q = u - v, R = s * DTS, s the stencil's reach in half cells. At half-step h (H at odd h, E at even h)
 * tower (a, b) holds p in [2Ra + sh, +2R), q in [2Rb + sh, +2R). Row r = a + b, place j = a - b; r and j have the same
 * parity. */
#ifndef TOR_DIAMOND_CORE_TILE_H
#define TOR_DIAMOND_CORE_TILE_H

struct tor_tiling {
  int s;      /* reach of the stencil in half cells: 1 or 3 */
  int radius; /* R, half cells */
  int steps;  /* of this stage (TH) */
  int u0, u1; /* first and last site of the slab along x, inclusive */
  int v0, v1;
};

struct tor_tiling tor_tiling_make(int order, int dts, int steps, int u0, int u1, int v0, int v1);
/* With an R that need not be a multiple of the reach. */
struct tor_tiling tor_tiling_of_radius(int order, int radius, int steps, int u0, int u1, int v0, int v1);

/* Rows run from *first down to *last, both included. */
void tor_tiling_rows(const struct tor_tiling *t, int *first, int *last);
/* Places of a row from *first to *last in steps of 2; returns their number. */
int tor_tiling_places(const struct tor_tiling *t, int row, int *first, int *last);
/* Sites of a tower at half-step h (1 .. 2 steps), clipped to the slab: u from *first to *last, whatever its place. */
void tor_tile_columns(const struct tor_tiling *t, int row, int h, int *first, int *last);
/* The same for one u: v from *first to *last (empty when first > last). */
void tor_tile_line(const struct tor_tiling *t, int row, int place, int h, int u, int *first, int *last);

#endif
