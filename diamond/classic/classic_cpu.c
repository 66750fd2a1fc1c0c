/* The loops on the CPU, i fastest, one sweep over H and one over E a step: see classic.h. */
#include <stddef.h>
#include <stdint.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_rule.h"
#include "diamond/core/update.h"
#include "diamond/cpu/site.h"
#include "src/base/types.h"

struct sweep {
  const struct tor_classic_case *c;
  tor_real *field[TOR_NCOMP];
  tor_real table[TOR_CLASSIC_MEDIA_MOST][TOR_NCOMP][3];
};

/* The values of one component from place `at` on: first and second difference, each of a field and its neighbour `to`
 * places away. */
struct line {
  tor_real *f;
  const tor_real *g1, *g2; /* NULL: the scheme does not have it */
  const uint8_t *material;
  tor_gidx to1, to2;
  tor_real e1, e2;
  int count;
};

/* An axis of the first or second difference of a component's curl. */
static int axis_of(int comp, int which) {
  return (tor_comp_axis(comp) + (tor_comp_is_h(comp) != (which == 1) ? 2 : 1)) % 3;
}

TOR_POINT void advance(const struct sweep *s, enum tor_classic_scheme scheme, int rule, int comp,
                       const struct line *l) {
  const int h = tor_comp_is_h(comp);
  const tor_real dt = (tor_real)s->c->dt, m = (tor_real)(h ? s->c->mu : s->c->eps), *k = s->table[1][comp];
  const tor_real k1 = k[1], k2 = k[2], e1 = l->e1, e2 = l->e2;
  tor_real *f = l->f;
  /* H reads above itself, E below: the difference is of the higher place less the lower one. */
  const tor_real *lo1 = l->g1 ? l->g1 - (h ? 0 : l->to1) : NULL, *lo2 = l->g2 ? l->g2 - (h ? 0 : l->to2) : NULL;
  const tor_real *hi1 = l->g1 ? lo1 + l->to1 : NULL, *hi2 = l->g2 ? lo2 + l->to2 : NULL;
  /* NOLINTBEGIN(clang-analyzer-core.NullDereference): media and uniform have both differences, media their material. */
  if (scheme == TOR_CLASSIC_MEDIA)
    for (int i = 0; i < l->count; i++) {
      const tor_real *c = s->table[l->material[i]][comp];
      f[i] = tor_classic_media(rule, f[i], c[0], c[1], hi1[i] - lo1[i], c[2], hi2[i] - lo2[i]);
    }
  else if (scheme == TOR_CLASSIC_UNIFORM)
#pragma GCC ivdep
    for (int i = 0; i < l->count; i++)
      f[i] = tor_classic_uniform(rule, f[i], k1, dt, m, hi1[i] - lo1[i], e1, hi2[i] - lo2[i], e2);
  else if (l->g1 && l->g2)
#pragma GCC ivdep
    for (int i = 0; i < l->count; i++) f[i] = tor_classic_plane(rule, f[i], k1, hi1[i] - lo1[i], k2, hi2[i] - lo2[i]);
  else if (l->g1)
#pragma GCC ivdep
    for (int i = 0; i < l->count; i++) f[i] = tor_classic_line(rule, 0, f[i], k1, hi1[i] - lo1[i]);
  else
#pragma GCC ivdep
    for (int i = 0; i < l->count; i++) f[i] = tor_classic_line(rule, 1, f[i], k2, hi2[i] - lo2[i]);
  /* NOLINTEND(clang-analyzer-core.NullDereference) */
}

/* Row (j, k) of a component. */
TOR_POINT void row(const struct sweep *s, enum tor_classic_scheme scheme, int rule, int comp, int j, int k) {
  const struct tor_classic_case *c = s->c;
  const tor_gidx stride[3] = {1, c->n[0] + 1, (tor_gidx)(c->n[0] + 1) * (c->n[1] + 1)};
  int first[3], last[3];
  tor_classic_range(c, comp, first, last);
  if (j < first[1] || j > last[1] || k < first[2] || k > last[2]) return;
  const tor_gidx at = tor_classic_at(c, first[0], j, k);
  const int a = axis_of(comp, 0), b = axis_of(comp, 1), other = tor_comp_is_h(comp) ? TOR_EX : TOR_HX;
  const tor_real *g1 = s->field[other + b], *g2 = s->field[other + a];
  const struct line l = {.f = s->field[comp] + at,
                         .g1 = g1 ? g1 + at : NULL,
                         .g2 = g2 ? g2 + at : NULL,
                         .material = c->material[comp] ? c->material[comp] + at : NULL,
                         .to1 = stride[a],
                         .to2 = stride[b],
                         .e1 = (tor_real)c->edge[a],
                         .e2 = (tor_real)c->edge[b],
                         .count = last[0] - first[0] + 1};
  advance(s, scheme, rule, comp, &l);
}

/* Half a step of all components; threads share the slowest axis. */
static void half_step(const struct sweep *s, int e, int threads) {
  const struct tor_classic_case *c = s->c;
  const int slices = c->n[2] ? c->n[2] + 1 : c->n[1] + 1, rows = c->n[2] ? c->n[1] + 1 : 1;
#pragma omp parallel num_threads(threads)
  {
    const unsigned saved = TOR_NAME(tor_site_enter)();
#pragma omp for schedule(static)
    for (int slice = 0; slice < slices; slice++)
      for (int r = 0; r < rows; r++)
        for (int x = 0; x < 3; x++) {
          const int comp = (e ? TOR_EX : TOR_HX) + x, j = c->n[2] ? r : slice, k = c->n[2] ? slice : 0;
          if (!s->field[comp]) continue;
#define ROW(scheme)                                   \
  case scheme:                                        \
    if (c->rule == TOR_CLASSIC_TORRE)                 \
      row(s, scheme, TOR_CLASSIC_TORRE, comp, j, k);  \
    else                                              \
      row(s, scheme, TOR_CLASSIC_AUTHOR, comp, j, k); \
    break
          switch (c->scheme) {
            ROW(TOR_CLASSIC_TM);
            ROW(TOR_CLASSIC_TE);
            ROW(TOR_CLASSIC_UNIFORM);
            ROW(TOR_CLASSIC_MEDIA);
          }
        }
    TOR_NAME(tor_site_leave)(saved);
  }
}

void TOR_NAME(tor_classic_run)(const struct tor_classic_case *c, void *const field[TOR_NCOMP], int first, int steps,
                               int halves, int threads) {
  struct sweep s = {.c = c};
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    s.field[comp] = tor_classic_has(c->scheme, comp) ? field[comp] : NULL;
    for (int m = 0; m < c->nmedia; m++)
      for (int q = 0; q < 3; q++) s.table[m][comp][q] = (tor_real)c->medium[m].c[comp][q];
  }
  for (int step = first; step < first + steps; step++)
    for (int half = 0; half < 2; half++) {
      const int e = c->e_first ? !half : half;
      if (halves >> e & 1) half_step(&s, e, threads);
      if (c->value && e != tor_comp_is_h(c->source))
        s.field[c->source][tor_classic_at(c, c->place[0], c->place[1], c->place[2])] = (tor_real)c->value[step];
    }
}
