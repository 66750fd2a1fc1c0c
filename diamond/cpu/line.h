/* The loops over z of the CPU engines: lines of sites of one parity along y. Private to site.c and line.c.
 *
 * Every component obeys e' = e + cb (D1 - D2): struct tor_kind holds the data that all sites of one parity share,
 * struct tor_line that of one site. */
#ifndef TOR_DIAMOND_CPU_LINE_H
#define TOR_DIAMOND_CPU_LINE_H

#include "src/base/types.h"
#include "diamond/core/update.h"

/* A difference: none, which is 0, along the axis of a 2-D problem; along x or y; the same with CPML, one value a site;
 * along z with CPML near the ends, one value a point, from z and z + 1 (UP, for H) or from z - 1 and z (DOWN, for E).
 */
enum tor_difference_kind {
  TOR_DIFFERENCE_NONE,
  TOR_DIFFERENCE_PLAIN,
  TOR_DIFFERENCE_CPML,
  TOR_DIFFERENCE_UP,
  TOR_DIFFERENCE_DOWN,
  TOR_NDIFFERENCE_KIND
};
enum tor_line_coef { TOR_LINE_SCALAR, TOR_LINE_ARRAY, TOR_LINE_CURL_ONLY, TOR_NLINE_COEF };

struct tor_kind;
struct tor_line;
/* Advances `count` sites, two half cells apart along y. */
typedef void tor_line_fn(const struct tor_kind *kind, const struct tor_line *first, int count);
/* The same for sites with neither a wall nor CPML of x and y near: from the first value of the column and its memory
 * along z.
 */
typedef void tor_line_plain_fn(const struct tor_kind *kind, tor_real *column, tor_real *psi, int count);

/* Sites of one half and parity. Places are counted from the first value of the site's column. */
struct tor_kind {
  int comp;                         /* -1: these sites have no component */
  unsigned classes;                 /* of columns, that matter here */
  int nz;                           /* values advanced */
  int n;                            /* cells along z */
  enum tor_wall wall_lo, wall_hi;   /* at their ends */
  tor_gidx column;                  /* values of a column */
  int zlo, zhi0;                    /* CPML along z acts below zlo and from zhi0 on */
  tor_gidx place;                   /* the component */
  tor_gidx near[2][4];              /* a, b, c, d of the two differences, away from walls */
  int axis[2], of[2];               /* of the two differences: along which axis, of which component */
  enum tor_difference_kind side[2]; /* without CPML along x and y */
  enum tor_line_coef coef;          /* of the background */
  const tor_real *cb, *ca1;
  const tor_real *cpml_b, *cpml_c, *cpml_ik; /* along z */
  tor_gidx psi_place, psi_upper; /* of the memory along z in its column; from the lower to the upper layer's */
  tor_gidx npsi;                 /* memory along z: values a column */
  tor_line_plain_fn *plain;      /* for plain sites */
};

/* A difference along one axis: neighbours half a cell (a, b) and one and a half cells (c, d) away, and its CPML. */
struct tor_difference {
  const tor_real *a, *b, *c, *d;
  tor_real *psi;
  tor_gidx psi_step;                         /* to the next site's */
  const tor_real *cpml_b, *cpml_c, *cpml_ik; /* along x, y: the site's value */
  int cpml_step;
};

/* A site, from which the next ones follow. */
struct tor_line {
  tor_real *f;   /* the component */
  tor_real *out; /* where the curl goes when it is not applied at once */
  const tor_real *cb;
  struct tor_difference d[2];
};

/* NULL: no component has these sides. */
tor_line_fn *TOR_NAME(tor_line_function)(int order, enum tor_difference_kind d1, enum tor_difference_kind d2,
                                         enum tor_line_coef coef);
tor_line_plain_fn *TOR_NAME(tor_line_plain_function)(int order, enum tor_difference_kind d1,
                                                     enum tor_difference_kind d2, enum tor_line_coef coef);

/* The neighbours of a site away from walls, from its column's first value and its memory along z. */
static inline __attribute__((always_inline)) void tor_line_set(struct tor_line *line, const struct tor_kind *kind,
                                                               tor_real *column, tor_real *psi) {
  line->f = column + kind->place;
  line->cb = kind->cb;
  for (int which = 0; which < 2; which++) {
    struct tor_difference *s = &line->d[which];
    const tor_gidx *near = kind->near[which];
    s->a = column + near[0];
    s->b = column + near[1];
    s->c = column + near[2];
    s->d = column + near[3];
    s->psi = psi;
    s->psi_step = kind->npsi;
  }
}

/* The ghost values behind the walls in z that the stencil reads, and the zeros on a PEC, of a component of H or E that
 * is not along z. */
static inline void tor_line_ghosts(const int order, const int h, int n, enum tor_wall lo, enum tor_wall hi,
                                   tor_real *f) {
  if (lo == TOR_PERIODIC) {
    const int second = n > 1; /* one cell: itself */
    f[n] = f[0];
    if (h || order == 4) f[-1] = f[n - 1];
    if (order == 4) f[n + 1] = f[second];
    if (h && order == 4) f[-2] = f[n - 1 - second];
  } else if (h) {
    f[-1] = lo == TOR_PMC ? -f[0] : f[0];
    f[n] = hi == TOR_PMC ? -f[n - 1] : f[n - 1];
    if (order == 2) return;
    /* One cell: the second ghost value is reflected at both walls. */
    tor_real up = n > 1 ? f[1] : f[n], down = n > 1 ? f[n - 2] : f[-1];
    f[-2] = lo == TOR_PMC ? -up : up;
    f[n + 1] = hi == TOR_PMC ? -down : down;
  } else {
    if (lo != TOR_PMC) f[0] = 0;
    if (hi != TOR_PMC) f[n] = 0;
    if (order == 2) return;
    f[-1] = lo == TOR_PMC ? f[1] : -f[1];
    f[n + 1] = hi == TOR_PMC ? f[n - 1] : -f[n - 1];
  }
}

#endif
