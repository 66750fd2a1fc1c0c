/* Sheets: fields given on a plane, sent to one side of it (docs/design/plane-sources.md). Plain data, made from a mode
 * or a beam above src/model, which makes injections, profiles and signals of it (src/model/sheet_source.h).
 *
 * The plane lies across `axis` at node number `node`, where E is part of the total field. The wave goes to higher
 * coordinates (direction 1) or lower ones (-1); what is on the other side has no part of it. */
#ifndef TOR_SRC_JOB_SHEET_H
#define TOR_SRC_JOB_SHEET_H

#include <complex.h>

/* The order of profiles: E along next and last (the axes behind `axis` in cyclic order), then H; and of a mode whose
 * plane has surface nodes (averaging "tensor"), E along the axis times the nodes' g. */
enum { TOR_SHEET_ACROSS = 4, TOR_SHEET_NODES = 4, TOR_SHEET_FIELDS, TOR_SHEET_MOST_TERMS = 12 };

/* The points of a band (src/model/band.h). */
enum { TOR_SHEET_POWERS = 9 };

/* Places along the axis that differences across the plane read: order 2 the nearest, 4 that and one on either side. */
enum { TOR_SHEET_PLACES = 3 };

/* The share of a mode's energy beyond its plane from which on it counts as cut off: amplitudes are right to its root.
 */
#define TOR_SHEET_CUT_OFF 1e-6

struct tor_sheet {
  int axis, direction, node;
  int lo[2], n[2];                   /* first point and points along next and last: numbered [n[0]][n[1]] */
  int nterms;                        /* at most TOR_SHEET_MOST_TERMS */
  int has_nodes;                     /* surface nodes; 0: the profile TOR_SHEET_NODES and node_amplitude are NULL */
  double *profile[TOR_SHEET_FIELDS]; /* [nterms][n[0] n[1]], as the update stores values; 0 where nothing is advanced.
                                        Owned */
  /* Signals: term m is the real part of the sum over frequencies q of amplitude[h][(place nfreq + q) nterms + m]
   * exp(-i omega[q] (t - centre)), with h 0 for E and 1 for H, place 0, 1, 2 in the order of coordinates, 1 the
   * nearest: E at node, H half a cell before it along the direction. t is the time of E or H itself. */
  int nfreq;
  double *omega;                /* [nfreq], owned [rad/s] */
  double complex *amplitude[2]; /* [TOR_SHEET_PLACES][nfreq][nterms], owned */
  /* The same of the surface nodes' current, at H's times: of its part that E along the axis half a cell before and
   * beyond the plane drives. */
  double complex *node_amplitude; /* [2][nfreq][nterms], owned */
  double centre;                  /* of the signals' phases [s] */
  double start, end;              /* silent before and after [s] */
  double rise;                    /* smooth start [s]; 0: none */
  /* For messages: profiles, and their error between their frequencies over their norm. */
  int nprofiles;
  double error;
  /* Of a mode: at the pulse's centre. */
  double group;
  double complex n_eff;
  /* Of a beam, of fields: the medium's index. */
  double index;
  /* Of fields: the part of |E|^2 that does not travel through the plane; the power of a pulse of amplitude 1 at the
   * points of its band (src/model/band.h) [W; 2-D W/m]; of others 0. */
  double stopped, power[TOR_SHEET_POWERS];
  /* The part that does not pass through the plane: of a beam's power, the band's largest; of a mode's energy at the
   * pulse's centre, 1 where it is not guided (tor_mode_beyond). */
  double beside;
};

/* How many profiles it has: those of TOR_SHEET_ACROSS, with surface nodes all. */
static inline int tor_sheet_profiles(const struct tor_sheet *sheet) {
  return sheet->has_nodes ? TOR_SHEET_FIELDS : TOR_SHEET_ACROSS;
}

/* sheet: NULL or owned, with all that it points to. */
void tor_sheet_free(struct tor_sheet *sheet);

#endif
