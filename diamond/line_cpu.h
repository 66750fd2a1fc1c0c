/* The loops over z of the CPU engines: one text, instantiated for order, CPML on either difference, kind of coefficient and target.
 *
 * Private to site_cpu.c. Every component obeys e' = e + cb (D1 - D2): struct kind holds what all sites of one parity share, struct line
 * what one site adds. */
#ifndef TOR_LINE_CPU_H
#define TOR_LINE_CPU_H

#include "../src/types.h"
#include "update.h"

typedef tor_real real;

enum cpml_mode { NONE, SITE, POINT }; /* how it acts on a difference: not; one value a site (x, y); one a point (z) */
enum coef_mode { SCALAR, ARRAY, CURL_ONLY };

struct kind;
struct line;
typedef void advance_fn(const struct kind *kind, const struct line *line, int count);
typedef void plain_fn(const struct kind *kind, real *first, real *psi, int count);

/* Sites of one half and parity. Places are counted from the first value of the site's column. */
struct kind {
  int comp;             /* -1: these sites have no component */
  unsigned classes;     /* of columns, that matter here */
  int nz;               /* values advanced */
  int n, lo_pmc, hi_pmc; /* cells along z; what stands there */
  tor_gidx column;      /* values of a column */
  int zlo, zhi0;        /* CPML along z acts below zlo and from zhi0 on */
  tor_gidx place;       /* the component */
  tor_gidx near[2][4];  /* a, b, c, d of the two differences, when no wall is near */
  int axis[2], of[2];   /* of the two differences: along which axis, of which component */
  enum cpml_mode mode[2]; /* without layers along x and y */
  enum coef_mode coef;  /* of the background */
  const real *cb, *ca1;
  const real *cpml_b, *cpml_c, *cpml_ik; /* along z */
  tor_gidx psi_place, psi_upper;         /* of the memory along z in its column; from the lower to the upper layer's */
  int npsi;                              /* memory along z: values a column */
  plain_fn *plain;      /* for sites with nothing special */
};

/* A difference along one axis: neighbours half a cell (a, b) and one and a half cells (c, d) away, and its CPML. */
struct difference {
  const real *a, *b, *c, *d;
  real *psi;
  tor_gidx psi_step;                     /* to the next site's */
  const real *cpml_b, *cpml_c, *cpml_ik; /* along x, y: the site's value */
  int cpml_step;
};

/* A site, from which the next ones, two half cells apart along y, follow. */
struct line {
  real *f;   /* the component */
  real *out; /* where the curl goes when it is not applied at once */
  const real *cb;
  struct difference d[2];
};

#define ALWAYS static inline __attribute__((always_inline))

/* CPML of one difference at the site at hand. */
struct layer {
  real b, c, ik;          /* along x, y */
  const real *bz, *cz, *ikz; /* along z */
};

ALWAYS real stretched(const int order, const enum cpml_mode mode, const struct difference *s, const struct layer *layer, real *restrict psi,
                      int z) {
  real diff = order == 2 ? tor_difference(2, s->a[z], s->b[z], 0, 0) : tor_difference(4, s->a[z], s->b[z], s->c[z], s->d[z]);
  if (mode == NONE) return diff;
  real memory = mode == SITE ? tor_cpml_memory(layer->b, layer->c, psi[z], diff) : tor_cpml_memory(layer->bz[z], layer->cz[z], psi[z], diff);
  psi[z] = memory;
  return tor_cpml_stretch(mode == SITE ? layer->ik : layer->ikz[z], diff, memory);
}

ALWAYS struct layer layer_of(const struct kind *k, const struct difference *s, const enum cpml_mode mode) {
  if (mode == SITE) return (struct layer){*s->cpml_b, *s->cpml_c, *s->cpml_ik, NULL, NULL, NULL};
  return (struct layer){0, 0, 0, k->cpml_b, k->cpml_c, k->cpml_ik};
}

ALWAYS void advance_span(const int order, const enum cpml_mode m1, const enum cpml_mode m2, const enum coef_mode coef,
                         const struct kind *kind, const struct line *line, int z0, int z1, tor_gidx psi_shift) {
  const struct difference s1 = line->d[0], s2 = line->d[1];
  const struct layer layer1 = layer_of(kind, &s1, m1), layer2 = layer_of(kind, &s2, m2);
  real *restrict f = line->f, *restrict out = line->out;
  real *restrict psi1 = s1.psi + (m1 == POINT ? psi_shift : 0), *restrict psi2 = s2.psi + (m2 == POINT ? psi_shift : 0);
  const real *restrict cb = line->cb;
  const real cb0 = cb[0];
#pragma omp simd
  for (int z = z0; z < z1; z++) {
    real curl = stretched(order, m1, &s1, &layer1, psi1, z) - stretched(order, m2, &s2, &layer2, psi2, z);
    if (coef == CURL_ONLY)
      out[z] = curl;
    else
      f[z] = tor_advance(f[z], coef == SCALAR ? cb0 : cb[z], curl);
  }
}

/* The images behind the walls in z, and the zeros of tangential E on a PEC. */
ALWAYS void set_images(const struct kind *k, real *f) {
  int n = k->n, lo_pmc = k->lo_pmc, hi_pmc = k->hi_pmc;
  if (tor_comp_axis(k->comp) == TOR_Z) return;
  if (tor_comp_is_h(k->comp)) {
    f[-1] = lo_pmc ? -f[0] : f[0];
    f[n] = hi_pmc ? -f[n - 1] : f[n - 1];
    /* One cell: the second image is reflected at both walls. */
    real up = n > 1 ? f[1] : f[n], down = n > 1 ? f[n - 2] : f[-1];
    f[-2] = lo_pmc ? -up : up;
    f[n + 1] = hi_pmc ? -down : down;
  } else {
    if (!lo_pmc) f[0] = 0;
    if (!hi_pmc) f[n] = 0;
    f[-1] = lo_pmc ? f[1] : -f[1];
    f[n + 1] = hi_pmc ? f[n - 1] : -f[n - 1];
  }
}

ALWAYS void next_difference(const int order, const enum cpml_mode mode, const struct kind *k, struct difference *s) {
  s->a += k->column;
  s->b += k->column;
  if (order == 4) {
    s->c += k->column;
    s->d += k->column;
  }
  if (mode != NONE) s->psi += s->psi_step;
  if (mode == SITE) {
    s->cpml_b += s->cpml_step;
    s->cpml_c += s->cpml_step;
    s->cpml_ik += s->cpml_step;
  }
}

/* One site. The layers at both ends of z are loops of their own. */
ALWAYS void advance_site(const int order, const enum cpml_mode m1, const enum cpml_mode m2, const enum coef_mode coef,
                         const struct kind *kind, const struct line *line) {
  if (m1 != POINT && m2 != POINT) {
    advance_span(order, m1, m2, coef, kind, line, 0, kind->nz, 0);
  } else {
    advance_span(order, m1, m2, coef, kind, line, 0, kind->zlo, 0);
    advance_span(order, m1 == POINT ? NONE : m1, m2 == POINT ? NONE : m2, coef, kind, line, kind->zlo, kind->zhi0, 0);
    advance_span(order, m1, m2, coef, kind, line, kind->zhi0, kind->nz, kind->psi_upper);
  }
  if (coef != CURL_ONLY) set_images(kind, line->f);
}

ALWAYS void advance(const int order, const enum cpml_mode m1, const enum cpml_mode m2, const enum coef_mode coef, const struct kind *kind,
                    const struct line *first, int count) {
  struct line line = *first;
  for (; count > 0; count--) {
    advance_site(order, m1, m2, coef, kind, &line);
    line.f += kind->column;
    next_difference(order, m1, kind, &line.d[0]);
    next_difference(order, m2, kind, &line.d[1]);
  }
}

/* The neighbours of a site away from walls, from its column's first value and its memory along z. */
ALWAYS struct line line_at(const struct kind *kind, real *first, real *psi) {
  struct line line;
  line.f = first + kind->place;
  line.out = NULL;
  line.cb = kind->cb;
  for (int which = 0; which < 2; which++) {
    struct difference *s = &line.d[which];
    s->a = first + kind->near[which][0];
    s->b = first + kind->near[which][1];
    s->c = first + kind->near[which][2];
    s->d = first + kind->near[which][3];
    s->psi = psi;
    s->psi_step = kind->npsi;
  }
  return line;
}

/* The same as advance for sites with no wall nor layer of x and y near. */
ALWAYS void plain(const int order, const enum cpml_mode m1, const enum cpml_mode m2, const enum coef_mode coef, const struct kind *kind,
                  real *first, real *psi, int count) {
  for (; count > 0; count--, first += kind->column, psi += kind->npsi) {
    struct line line = line_at(kind, first, psi);
    advance_site(order, m1, m2, coef, kind, &line);
  }
}

#define ADVANCE(order, m1, m2, coef) \
  static void advance_##order##_##m1##_##m2##_##coef(const struct kind *kind, const struct line *first, int count) { \
    advance(order, m1, m2, coef, kind, first, count); \
  }
#define ADVANCE_COEF(order, m1, m2) ADVANCE(order, m1, m2, SCALAR) ADVANCE(order, m1, m2, ARRAY) ADVANCE(order, m1, m2, CURL_ONLY)
#define ADVANCE_CPML(order) \
  ADVANCE_COEF(order, NONE, NONE) \
  ADVANCE_COEF(order, NONE, SITE) \
  ADVANCE_COEF(order, NONE, POINT) \
  ADVANCE_COEF(order, SITE, NONE) \
  ADVANCE_COEF(order, SITE, SITE) \
  ADVANCE_COEF(order, SITE, POINT) ADVANCE_COEF(order, POINT, NONE) ADVANCE_COEF(order, POINT, SITE)
ADVANCE_CPML(2)
ADVANCE_CPML(4)

#define ENTRY(order, m1, m2) \
  { advance_##order##_##m1##_##m2##_SCALAR, advance_##order##_##m1##_##m2##_ARRAY, advance_##order##_##m1##_##m2##_CURL_ONLY }
#define TABLE(order) \
  { \
    {ENTRY(order, NONE, NONE), ENTRY(order, NONE, SITE), ENTRY(order, NONE, POINT)}, \
        {ENTRY(order, SITE, NONE), ENTRY(order, SITE, SITE), ENTRY(order, SITE, POINT)}, \
        {ENTRY(order, POINT, NONE), ENTRY(order, POINT, SITE), {NULL, NULL, NULL}}, \
  }
static advance_fn *const advance_table[2][3][3][3] = {TABLE(2), TABLE(4)};

#define PLAIN(order, m1, m2, coef) \
  static void plain_##order##_##m1##_##m2##_##coef(const struct kind *kind, real *first, real *psi, int count) { \
    plain(order, m1, m2, coef, kind, first, psi, count); \
  }
#define PLAIN_COEF(order, m1, m2) PLAIN(order, m1, m2, SCALAR) PLAIN(order, m1, m2, ARRAY)
#define PLAIN_CPML(order) PLAIN_COEF(order, NONE, NONE) PLAIN_COEF(order, NONE, POINT) PLAIN_COEF(order, POINT, NONE)
PLAIN_CPML(2)
PLAIN_CPML(4)
#define PLAIN_ENTRY(order, m1, m2) { plain_##order##_##m1##_##m2##_SCALAR, plain_##order##_##m1##_##m2##_ARRAY }
#define PLAIN_TABLE(order) { PLAIN_ENTRY(order, NONE, NONE), PLAIN_ENTRY(order, POINT, NONE), PLAIN_ENTRY(order, NONE, POINT) }
static plain_fn *const plain_table[2][3][2] = {PLAIN_TABLE(2), PLAIN_TABLE(4)}; /* [][along z: none, D1, D2][] */

#endif
