/* Integer geometry of the towers: the sites that a tower holds at a half-step, the rows and towers that a slab needs,
 * the order in which they depend on each other.
 *
 * p = u + v, q = u - v, R = s * DTS, s the stencil's reach in half cells. At half-step h (H at odd h, E at even h)
 * tower (a, b) holds p in [2Ra + sh, +2R), q in [2Rb + sh, +2R). Row r = a + b, place j = a - b; r and j have the same
 * parity. */
#ifndef TOR_DIAMOND_CORE_TILE_H
#define TOR_DIAMOND_CORE_TILE_H

#ifdef __cplusplus
extern "C" {
#endif

struct tor_tiling {
  int s;      /* reach of the stencil in half cells: 1 or 3 */
  int radius; /* R, half cells */
  int steps;  /* of this stage (TH) */
  int u0, u1; /* first and last site of the slab along x, inclusive */
  int v0, v1;
  int ring; /* 0, or sites around: v = v0 + ring is v0. A row's places are then those of a period, R of which is a
               divisor twice an even number of times */
};

struct tor_tiling tor_tiling_make(int order, int dts, int steps, int u0, int u1, int v0, int v1);
/* With an R that need not be a multiple of the reach. */
struct tor_tiling tor_tiling_of_radius(int order, int radius, int steps, int u0, int u1, int v0, int v1);
/* Whether rows of towers of half-width `radius` close to a ring of so many sites. */
int tor_tiling_closes(int radius, int sites);

/* Rows run from *first down to *last, both included. */
void tor_tiling_rows(const struct tor_tiling *t, int *first, int *last);
/* Places of a row from *first to *last in steps of 2; returns their number. */
int tor_tiling_places(const struct tor_tiling *t, int row, int *first, int *last);
/* Sites of a tower at half-step h (1 .. 2 steps), clipped to the slab: u from *first to *last, whatever its place. */
void tor_tile_columns(const struct tor_tiling *t, int row, int h, int *first, int *last);
/* The same for one u: v from *first to *last (empty when first > last). In a ring not clipped: tor_tile_split. */
void tor_tile_line(const struct tor_tiling *t, int row, int place, int h, int u, int *first, int *last);

/* v from first to last as at most two parts within v0 .. v1: from part[i][0] to part[i][1]. Returns how many. */
int tor_tile_split(const struct tor_tiling *t, int first, int last, int part[2][2]);
/* In a ring the place of a period for one beyond its ends; else the same. */
int tor_tiling_place(const struct tor_tiling *t, int place);

#ifdef __cplusplus
}
#endif

#endif
