/* The loops over z of the CPU engines: see line.h. One function, `block`, is instantiated for order, sides and kind of
 * coefficient.
 *
 * A block is one vector of neighbours along z. Where vectors are as long as a cache line, the neighbours at z - 1 and z
 * + 1 are shuffled out of aligned loads; a load across two lines costs as much as two. */
#include "diamond/cpu/vector.h"

#include "diamond/core/update.h"
#include "diamond/cpu/line.h"
#include "src/base/types.h"

typedef tor_real real;

/* The vectors that hold z - 1 and beyond, z, and z + 1 and beyond, of a component that is differentiated along z. */
struct window {
  vec before, here, behind;
};

#if TOR_VECTOR_BYTES == 64
#if TOR_REAL_BITS == 32
#define LANES_FROM(k)                                                                                                 \
  (k), (k) + 1, (k) + 2, (k) + 3, (k) + 4, (k) + 5, (k) + 6, (k) + 7, (k) + 8, (k) + 9, (k) + 10, (k) + 11, (k) + 12, \
      (k) + 13, (k) + 14, (k) + 15
#else
#define LANES_FROM(k) (k), (k) + 1, (k) + 2, (k) + 3, (k) + 4, (k) + 5, (k) + 6, (k) + 7
#endif
ALWAYS vec moved(const int shift, const real *p, const struct window *w) {
  (void)p;
  switch (shift) {
  case -2: return __builtin_shufflevector(w->before, w->here, LANES_FROM(LANES - 2));
  case -1: return __builtin_shufflevector(w->before, w->here, LANES_FROM(LANES - 1));
  case 1: return __builtin_shufflevector(w->here, w->behind, LANES_FROM(1));
  case 2: return __builtin_shufflevector(w->here, w->behind, LANES_FROM(2));
  default: return w->here;
  }
}
#else
ALWAYS vec moved(const int shift, const real *p, const struct window *w) {
  (void)w;
  return load(p + shift);
}
#endif

/* One of the two differences of a site: the data that its blocks need. */
struct term {
  const real *a, *b, *c, *d; /* along z only a or b, the one at z */
  real *psi;
  const real *bz, *cz, *ikz; /* CPML along z */
  vec b1, c1, ik1;           /* CPML along x, y */
  struct window w;
};

ALWAYS int along_z(const enum tor_difference_kind side) {
  return side == TOR_DIFFERENCE_UP || side == TOR_DIFFERENCE_DOWN;
}

ALWAYS const real *centre(const enum tor_difference_kind side, const struct term *t) {
  return side == TOR_DIFFERENCE_UP ? t->b : t->a;
}

ALWAYS vec difference(const int order, const enum tor_difference_kind side, struct term *t, int z) {
  const vec none = {0};
  if (side == TOR_DIFFERENCE_NONE) return none;
  if (!along_z(side)) {
    if (order == 2) return tor_difference(2, load(t->a + z), load(t->b + z), none, none);
    return tor_difference(4, load(t->a + z), load(t->b + z), load(t->c + z), load(t->d + z));
  }
  const real *p = centre(side, t) + z;
  const int up = side == TOR_DIFFERENCE_UP;
  t->w.behind = load(p + LANES);
  vec a = moved(up, p, &t->w), b = moved(up - 1, p, &t->w), d;
  if (order == 2)
    d = tor_difference(2, a, b, none, none);
  else
    d = tor_difference(4, a, b, moved(up + 1, p, &t->w), moved(up - 2, p, &t->w));
  t->w.before = t->w.here;
  t->w.here = t->w.behind;
  return d;
}

/* With CPML; `in_cpml`: z is in the CPML along z. */
ALWAYS vec stretched(const int order, const enum tor_difference_kind side, const int in_cpml, struct term *t, int z,
                     const int count) {
  vec diff = difference(order, side, t, z);
  if (side == TOR_DIFFERENCE_NONE || side == TOR_DIFFERENCE_PLAIN || (along_z(side) && !in_cpml)) return diff;
  const int z_layer = along_z(side);
  vec b = z_layer ? load(t->bz + z) : t->b1, c = z_layer ? load(t->cz + z) : t->c1,
      ik = z_layer ? load(t->ikz + z) : t->ik1;
  vec psi = tor_cpml_memory(b, c, load_some(t->psi + z, count), diff);
  store_some(t->psi + z, psi, count);
  return tor_cpml_stretch(ik, diff, psi);
}

/* One vector of a site. */
ALWAYS void block(const int order, const enum tor_difference_kind s1, const enum tor_difference_kind s2,
                  const enum tor_line_coef coef, const int in_cpml, const struct tor_line *line, vec cb0,
                  struct term *t1, struct term *t2, int z, const int count) {
  vec curl = stretched(order, s1, in_cpml, t1, z, count) - stretched(order, s2, in_cpml, t2, z, count);
  if (coef == TOR_LINE_CURL_ONLY)
    store_some(line->out + z, curl, count);
  else
    store_some(line->f + z, tor_advance(load(line->f + z), coef == TOR_LINE_SCALAR ? cb0 : load(line->cb + z), curl),
               count);
}

ALWAYS void span(const int order, const enum tor_difference_kind s1, const enum tor_difference_kind s2,
                 const enum tor_line_coef coef, const int in_cpml, const struct tor_line *line, vec cb0,
                 struct term *t1, struct term *t2, int z, int end) {
  for (; z <= end - LANES; z += LANES) block(order, s1, s2, coef, in_cpml, line, cb0, t1, t2, z, LANES);
  if (z < end) block(order, s1, s2, coef, in_cpml, line, cb0, t1, t2, z, end - z);
}

/* Constants of all sites, in registers: the compiler cannot know that the stores do not change struct tor_kind. */
struct fixed {
  int nz, zlo, zhi0, n;
  enum tor_wall wall_lo, wall_hi;
  tor_gidx psi_upper;
  const real *bz, *cz, *ikz;
};

/* Starts a sequence of blocks at z. */
ALWAYS void open_window(const enum tor_difference_kind side, struct term *t, int z) {
  if (!along_z(side)) return;
  t->w.before = load(centre(side, t) + z - LANES);
  t->w.here = load(centre(side, t) + z);
}

ALWAYS struct term term_of(const enum tor_difference_kind side, const struct fixed *k, const struct tor_difference *s) {
  struct term t = {.a = s->a, .b = s->b, .c = s->c, .d = s->d, .psi = s->psi};
  if (side == TOR_DIFFERENCE_CPML) {
    t.b1 = TOR_VALUE(*s->cpml_b);
    t.c1 = TOR_VALUE(*s->cpml_c);
    t.ik1 = TOR_VALUE(*s->cpml_ik);
  }
  if (along_z(side)) {
    t.bz = k->bz;
    t.cz = k->cz;
    t.ikz = k->ikz;
  }
  open_window(side, &t, 0);
  return t;
}

/* One site: the CPML at both ends of z and the interior. */
ALWAYS void site(const int order, const enum tor_difference_kind s1, const enum tor_difference_kind s2,
                 const enum tor_line_coef coef, const struct fixed *k, const struct tor_line *line, vec cb0) {
  struct term t1 = term_of(s1, k, &line->d[0]), t2 = term_of(s2, k, &line->d[1]);
  if (!along_z(s1) && !along_z(s2)) {
    span(order, s1, s2, coef, 0, line, cb0, &t1, &t2, 0, k->nz);
    return;
  }
  span(order, s1, s2, coef, 1, line, cb0, &t1, &t2, 0, k->zlo);
  if (k->zlo % LANES) { /* a CPML as thick as the slab; a node behind a PMC remains */
    open_window(s1, &t1, k->zlo);
    open_window(s2, &t2, k->zlo);
  }
  span(order, s1, s2, coef, 0, line, cb0, &t1, &t2, k->zlo, k->zhi0);
  if (along_z(s1)) t1.psi += k->psi_upper;
  if (along_z(s2)) t2.psi += k->psi_upper;
  span(order, s1, s2, coef, 1, line, cb0, &t1, &t2, k->zhi0, k->nz);
  if (coef != TOR_LINE_CURL_ONLY)
    tor_line_ghosts(order, s1 == TOR_DIFFERENCE_UP || s2 == TOR_DIFFERENCE_UP, k->n, k->wall_lo, k->wall_hi, line->f);
}

ALWAYS void next_difference(const int order, const enum tor_difference_kind side, tor_gidx column,
                            struct tor_difference *s) {
  if (side == TOR_DIFFERENCE_NONE) return;
  s->a += column;
  s->b += column;
  if (order == 4) {
    s->c += column;
    s->d += column;
  }
  if (side != TOR_DIFFERENCE_PLAIN) s->psi += s->psi_step;
  if (side == TOR_DIFFERENCE_CPML) {
    s->cpml_b += s->cpml_step;
    s->cpml_c += s->cpml_step;
    s->cpml_ik += s->cpml_step;
  }
}

ALWAYS void sites(const int order, const enum tor_difference_kind s1, const enum tor_difference_kind s2,
                  const enum tor_line_coef coef, const struct tor_kind *kind, const struct tor_line *first, int count) {
  struct tor_line line = *first;
  const struct fixed k = {kind->nz,      kind->zlo,       kind->zhi0,   kind->n,      kind->wall_lo,
                          kind->wall_hi, kind->psi_upper, kind->cpml_b, kind->cpml_c, kind->cpml_ik};
  const tor_gidx column = kind->column;
  const vec cb0 = TOR_VALUE(*line.cb);
  for (; count > 0; count--) {
    site(order, s1, s2, coef, &k, &line, cb0);
    line.f += column;
    next_difference(order, s1, column, &line.d[0]);
    next_difference(order, s2, column, &line.d[1]);
  }
}

/* --- Instances -------------------------------------------------------------------------------------------------------
 */

#define LINE(order, s1, s2, coef)                                                                            \
  static void line_##order##_##s1##_##s2##_##coef(const struct tor_kind *kind, const struct tor_line *first, \
                                                  int count) {                                               \
    sites(order, TOR_DIFFERENCE_##s1, TOR_DIFFERENCE_##s2, TOR_LINE_##coef, kind, first, count);             \
  }
#define PLAIN(order, s1, s2, coef)                                                                                    \
  static void plain_##order##_##s1##_##s2##_##coef(const struct tor_kind *kind, real *column, real *psi, int count) { \
    struct tor_line line;                                                                                             \
    tor_line_set(&line, kind, column, psi);                                                                           \
    sites(order, TOR_DIFFERENCE_##s1, TOR_DIFFERENCE_##s2, TOR_LINE_##coef, kind, &line, count);                      \
  }
/* The sides that components have: of those without CPML along x and y, and of the others. */
#define FOR_PLAIN_SIDES(X, order) \
  X(order, PLAIN, PLAIN)          \
  X(order, PLAIN, UP)             \
  X(order, UP, PLAIN)             \
  X(order, PLAIN, DOWN)           \
  X(order, DOWN, PLAIN) X(order, NONE, PLAIN) X(order, PLAIN, NONE) X(order, NONE, UP) X(order, DOWN, NONE)
#define FOR_CPML_SIDES(X, order) \
  X(order, PLAIN, CPML)          \
  X(order, CPML, PLAIN)          \
  X(order, NONE, CPML)           \
  X(order, CPML, NONE)           \
  X(order, CPML, CPML) X(order, CPML, UP) X(order, UP, CPML) X(order, CPML, DOWN) X(order, DOWN, CPML)

#define LINES(order, s1, s2) LINE(order, s1, s2, SCALAR) LINE(order, s1, s2, ARRAY) LINE(order, s1, s2, CURL_ONLY)
#define PLAINS(order, s1, s2) PLAIN(order, s1, s2, SCALAR) PLAIN(order, s1, s2, ARRAY)
FOR_PLAIN_SIDES(LINES, 2)
FOR_PLAIN_SIDES(LINES, 4)
FOR_CPML_SIDES(LINES, 2)
FOR_CPML_SIDES(LINES, 4)
FOR_PLAIN_SIDES(PLAINS, 2)
FOR_PLAIN_SIDES(PLAINS, 4)

#define LINE_ENTRY(order, s1, s2)                                                                \
  [order == 4][TOR_DIFFERENCE_##s1][TOR_DIFFERENCE_##s2] = {line_##order##_##s1##_##s2##_SCALAR, \
                                                            line_##order##_##s1##_##s2##_ARRAY,  \
                                                            line_##order##_##s1##_##s2##_CURL_ONLY},
#define PLAIN_ENTRY(order, s1, s2)                                                                \
  [order == 4][TOR_DIFFERENCE_##s1][TOR_DIFFERENCE_##s2] = {plain_##order##_##s1##_##s2##_SCALAR, \
                                                            plain_##order##_##s1##_##s2##_ARRAY},

tor_line_fn *TOR_NAME(tor_line_function)(int order, enum tor_difference_kind d1, enum tor_difference_kind d2,
                                         enum tor_line_coef coef) {
  static tor_line_fn *const table[2][TOR_NDIFFERENCE_KIND][TOR_NDIFFERENCE_KIND][TOR_NLINE_COEF] = {FOR_PLAIN_SIDES(
      LINE_ENTRY, 2) FOR_CPML_SIDES(LINE_ENTRY, 2) FOR_PLAIN_SIDES(LINE_ENTRY, 4) FOR_CPML_SIDES(LINE_ENTRY, 4)};
  return table[order == 4][d1][d2][coef];
}

tor_line_plain_fn *TOR_NAME(tor_line_plain_function)(int order, enum tor_difference_kind d1,
                                                     enum tor_difference_kind d2, enum tor_line_coef coef) {
  static tor_line_plain_fn *const table[2][TOR_NDIFFERENCE_KIND][TOR_NDIFFERENCE_KIND][TOR_NLINE_COEF] = {
      FOR_PLAIN_SIDES(PLAIN_ENTRY, 2) FOR_PLAIN_SIDES(PLAIN_ENTRY, 4)};
  return table[order == 4][d1][d2][coef];
}
