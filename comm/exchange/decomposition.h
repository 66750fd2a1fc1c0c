/* Which columns and towers each rank owns when ranks share a domain: integer geometry that every rank computes with the
 * same result. docs/user/cluster.md has the proofs.
 *
 * Ranks form a grid ranks[0] x ranks[1]. Rank x along X owns the rows of towers [row[x], row[x + 1]); rank y along Y
 * the places (place[y], place[y + 1]]. Rows and places at borders are even. A row leans to the right, so that rank x
 * works in columns that its right neighbour holds too: the overlap.
 *
 * Along a periodic y ranks form a ring: place 0, whose tower lies across the seam, is that of the last rank, which
 * counts on (place[ranks[1]] is the number of places around), as its columns beyond the seam do (tor_slab_is_arc). The
 * border below rank 0 is that above the last. */
#ifndef TOR_COMM_EXCHANGE_DECOMPOSITION_H
#define TOR_COMM_EXCHANGE_DECOMPOSITION_H

#include <stdint.h>

#include "diamond/core/column_state.h"
#include "diamond/core/tile.h"

enum { TOR_RING_TOWERS = 6 }; /* of a rank that shares a ring, in each row, at the least */

struct tor_decomposition {
  int order, dts;
  int th;         /* longest stage */
  int n[2];       /* cells of the domain */
  int site[2][2]; /* first and last advanced site along x, y */
  int ranks[2];
  int ring;   /* several ranks along y form a ring */
  int narrow; /* a rank between two others is narrower than two overlaps, so that rows may touch both */
  int margin; /* columns held beyond what rows touch, on either side: set it after tor_decomposition_make; a multiple of
                 R */
  int *row;   /* [ranks[0] + 1]; the first and the last entry lie beyond all rows */
  int *place; /* [ranks[1] + 1]; likewise; of a ring 0 and the number of places */
};

/* Columns [from, to) along one axis. */
struct tor_span {
  int from, to;
};

/* The part of a rank. Columns are counted from the domain's first. */
struct tor_part {
  int x, y;
  struct tor_column_block held;
  struct tor_column_block
      own; /* held columns that are up to date when the rank has finished a stage; they partition the domain */
  struct tor_span left, right; /* overlaps with ranks x - 1 and x + 1; empty at the domain's edges */
};

/* Rows from first down to last; none when first < last. */
struct tor_rows {
  int first, last;
};

/* work: of a slice of columns along each axis, [n + 1] each, in any unit; not negative, below 2^62 in all; NULL: all
 * equal. Borders divide it as evenly as whole rows allow, in integers, so that all ranks get the same result. Ranks
 * between two others hold two overlaps along x where that is possible, else (layout->narrow) one. Returns 0, or -1 when
 * one would be narrower than that, or a rank along Y narrower than four places, of a ring than TOR_RING_TOWERS towers,
 * or more than one with a periodic x or a ring that the tiles do not close: then the layout is empty. */
int tor_decomposition_make(struct tor_decomposition *layout, const struct tor_slab *slab, int dts, int th,
                           const int ranks[2], const int64_t *const work[2]);
void tor_decomposition_free(struct tor_decomposition *layout);
/* Shares of the ranks along an axis in a longest stage's work: part[ranks[axis]], 1 in all. */
void tor_decomposition_work(const struct tor_decomposition *layout, int axis, const int64_t *work, double *part);

struct tor_part tor_decomposition_part(const struct tor_decomposition *layout, int x, int y);
/* Ranks are numbered x first: number = x * ranks[1] + y. */
int tor_decomposition_number(const struct tor_decomposition *layout, int x, int y);
/* The number of the rank above or below rank y, in a ring also across the seam; -1: none. */
int tor_decomposition_beside(const struct tor_decomposition *layout, int x, int y, int above);

struct tor_tiling tor_decomposition_tiling(const struct tor_decomposition *layout, int steps);
/* The rows of a rank in a stage: those that touch the right overlap, those that touch none, those that touch the left
 * overlap; where that returns 1, those that touch the right one alone, both, the left one alone. */
int tor_decomposition_rows(const struct tor_decomposition *layout, const struct tor_part *share, int steps,
                           struct tor_rows *right, struct tor_rows *middle, struct tor_rows *left);
/* Columns across the border above rank y that the tower of even row `row` on the border needs from rank y + 1, and
 * those that it returns, both limited to the columns that the rank holds. y = -1, of a ring: across the border below
 * rank 0, whose columns are counted as rank 0 has them; else as rank y has them. */
struct tor_column_block tor_decomposition_halo_y_down(const struct tor_decomposition *layout, int y, int row,
                                                      int steps);
struct tor_column_block tor_decomposition_halo_y_up(const struct tor_decomposition *layout, int y, int row, int steps);

/* Halos along y in parts, for workers that send columns as soon as a tower has left them, while it still runs. Number
 * of the parts in a stage of `steps` steps. */
int tor_decomposition_halo_y_parts(int steps);
/* Number of steps after which the giving tower no longer changes part number `part`. */
int tor_decomposition_halo_y_part_left(int steps, int part);
/* Number of steps that the tower beyond the border may do once it has this part and those before it. */
int tor_decomposition_halo_y_part_allows(int steps, int part);
/* Parts of the two halos above: lent after tower (row + 1, J + 1), J the place on the border; returned after tower
 * (row, J). */
struct tor_halo_y_part tor_decomposition_halo_y_part_down(const struct tor_decomposition *layout, int y, int row,
                                                          int steps, int part);
struct tor_halo_y_part tor_decomposition_halo_y_part_up(const struct tor_decomposition *layout, int y, int row,
                                                        int steps, int part);

#endif
