/* Diamonds of DTS 1 in order 4: which value of which component has which place. In rotated coordinates p = u + v,
 * q = u - v a diamond is a square of 6 x 6; E's corners are at multiples of 6, H's 3 further. Of its 18 sites 13 or 14
 * have a value of its field, by the parity of its corner: two kinds of diamonds, in turn (figure 3 of the paper). */
#ifndef TOR_DIAMOND_CLASSIC_CLASSIC_DTS1_TILE_CUH
#define TOR_DIAMOND_CLASSIC_CLASSIC_DTS1_TILE_CUH

#include "diamond/gpu/view/lattice.cuh"

enum { DIAMOND = 6, REACH = 3, SITES = 18, VALUES = 14 };

/* Site number i of a diamond, 0 to 17, counted from its corner; and its number. */
__host__ __device__ constexpr int site_p(int i) { return i / 3; }
__host__ __device__ constexpr int site_q(int i) { return i / 3 % 2 + i % 3 * 2; }
__host__ __device__ constexpr int site_number(int p, int q) { return p * 3 + q / 2; }
__host__ __device__ constexpr int site_u(int i) { return (site_p(i) + site_q(i)) / 2; }
/* One that may be negative: times 2 is even. */
__host__ __device__ constexpr int site_v(int i) { return (site_p(i) - site_q(i)) / 2; }

/* The component there; -1: none. half: 0 H, 1 E; kind: the parity of a diamond's number, a + b. */
__host__ __device__ constexpr int site_comp(int half, int kind, int i) {
  return comp_at(half, kind + !half + site_u(i), kind + 16 + site_v(i));
}
/* Its place among the diamond's values. */
__host__ __device__ constexpr int site_place(int half, int kind, int i) {
  int place = 0;
  for (int before = 0; before < i; before++) place += site_comp(half, kind, before) >= 0;
  return site_comp(half, kind, i) >= 0 ? place : -1;
}
__host__ __device__ constexpr int value_count(int half, int kind) {
  int count = 0;
  for (int i = 0; i < SITES; i++) count += site_comp(half, kind, i) >= 0;
  return count;
}
static_assert(value_count(0, 0) <= VALUES && value_count(0, 1) <= VALUES && value_count(1, 0) <= VALUES &&
                  value_count(1, 1) <= VALUES,
              "values of a diamond");

/* The number of the row of shared memory in which a site's value of the other field is found, for a difference along
 * z. */
enum { Z_ROWS = 10 };
__host__ __device__ constexpr bool needs_z(int comp) { return comp >= 0 && comp_axis(comp) != TOR_Z; }
__host__ __device__ constexpr int z_row(int half, int kind, int i) {
  int row = 0;
  for (int before = 0; before < i; before++) row += needs_z(site_comp(half, kind, before));
  return row;
}
static_assert(z_row(0, 0, SITES) <= Z_ROWS && z_row(0, 1, SITES) <= Z_ROWS && z_row(1, 0, SITES) <= Z_ROWS &&
                  z_row(1, 1, SITES) <= Z_ROWS,
              "rows of shared memory");

#endif
