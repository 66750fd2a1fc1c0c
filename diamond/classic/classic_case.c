/* Cases with their fields and media: see classic_case.h. */
#include "diamond/classic/classic_case.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/classic/classic.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"

/* -1 to 1, from a number (splitmix64). */
static double random_value(uint64_t number) {
  uint64_t x = number * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return (double)(x >> 11) * 0x1p-52 - 1;
}
static double between(double lo, double hi, uint64_t number) {
  return lo + (hi - lo) * 0.5 * (1 + random_value(number));
}

/* In the 2-D cases: c dt / d of both axes. */
static void make_plane(struct tor_classic_problem *p) {
  for (int comp = 0; comp < TOR_NCOMP; comp++)
    for (int q = 1; q <= 2; q++) {
      const uint64_t number = p->wish.seed * 64 + (uint64_t)comp * 4 + (uint64_t)q;
      const double c = p->wish.random ? between(0.3, 0.6, number) : 0.5;
      const int torre = p->wish.rule == TOR_CLASSIC_TORRE;
      p->medium[1].c[comp][q] = torre ? p->medium[1].c[comp][1] : q == 2 ? -c : c;
      if (torre && q == 1) p->medium[1].c[comp][1] = c;
      if (torre) p->medium[1].c[comp][2] = p->medium[1].c[comp][1];
    }
}

/* Coefficients of a component in a medium with the relative permittivity or permeability eps and a loss s = sigma dt /
 * eps0; cdt: c dt. The rule torre has scaled fields, E d and eta0 H d (update.h); the author's MEDIA has eta0 H. */
static void set_medium(const struct tor_classic_problem *p, double cdt, int comp, double eps, double s, double k[3]) {
  const double *d = p->c.edge, g = 2 / (2 * eps + s);
  const int x = tor_comp_axis(comp), h = tor_comp_is_h(comp);
  const int a = (x + (h ? 2 : 1)) % 3, b = (x + (h ? 1 : 2)) % 3; /* axes of D1 and D2 */
  const double c0 = (2 * eps - s) / (2 * eps + s);
  if (p->c.rule == TOR_CLASSIC_TORRE) {
    k[0] = c0 - 1;
    k[1] = k[2] = cdt * g * d[x] / (d[a] * d[b]);
  } else {
    k[0] = c0;
    k[1] = cdt * g / d[a];
    k[2] = -cdt * g / d[b];
  }
}

static void make_media(struct tor_classic_problem *p, double cdt) {
  struct tor_classic_case *c = &p->c;
  c->nmedia = c->scheme == TOR_CLASSIC_MEDIA && p->wish.random ? TOR_CLASSIC_MEDIA_MOST : 2;
  for (int m = 1; m < c->nmedia; m++)
    for (int comp = 0; comp < TOR_NCOMP; comp++) {
      const uint64_t number = (p->wish.seed * 1024 + (uint64_t)m) * 64 + (uint64_t)comp * 2;
      const int random = c->nmedia > 2;
      set_medium(p, cdt, comp, random ? between(1, 6, number) : 1, random ? between(0, 0.2, number + 1) : 0,
                 p->medium[m].c[comp]);
    }
  if (c->scheme != TOR_CLASSIC_MEDIA) return;
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    int first[3], last[3];
    p->material[comp] = tor_alloc((size_t)tor_classic_points(c), 1, "classic");
    c->material[comp] = p->material[comp];
    tor_classic_range(c, comp, first, last);
#pragma omp parallel for schedule(static)
    for (int k = first[2]; k <= last[2]; k++)
      for (int j = first[1]; j <= last[1]; j++)
        for (int i = first[0]; i <= last[0]; i++) {
          const tor_gidx at = tor_classic_at(c, i, j, k);
          const uint64_t number = (p->wish.seed * 8 + (uint64_t)comp) << 40 | (uint64_t)at;
          p->material[comp][at] = (uint8_t)(c->nmedia > 2 ? 1 + (int)between(0, 254.99, number) : 1);
        }
  }
}

static void make_source(struct tor_classic_problem *p) {
  struct tor_classic_case *c = &p->c;
  const double period = p->wish.period > 0 ? p->wish.period : 40, omega = 2 * TOR_PI / period;
  p->value = tor_alloc((size_t)p->wish.sourced, sizeof *p->value, "classic");
  for (int step = 0; step < p->wish.sourced; step++) {
    const double t = p->wish.pulse ? step - 3 * period : step + 1;
    p->value[step] = sin(omega * t) * (p->wish.pulse ? exp(-t * t / (2 * period * period)) : 1);
  }
  c->value = p->value;
  c->source = p->wish.source;
  for (int a = 0; a < 3; a++) {
    const int middle = c->n[2] ? c->n[a] / 2 - 1 : c->n[a] / 2;
    c->place[a] = p->wish.place[a] ? p->wish.place[a] : middle < 1 ? 1 : middle;
  }
  if (!c->n[2]) c->place[2] = 0;
}

void tor_classic_make(struct tor_classic_problem *p, const struct tor_classic_wish *wish) {
  memset(p, 0, sizeof *p);
  struct tor_classic_case *c = &p->c;
  p->wish = *wish;
  *c = (struct tor_classic_case){.scheme = wish->scheme,
                                 .rule = wish->rule,
                                 .precision = wish->precision,
                                 .n = {wish->n[0], wish->n[1], wish->n[2]},
                                 .e_first = wish->e_first,
                                 .open = wish->open,
                                 .nmedia = 2,
                                 .medium = p->medium};
  if (wish->scheme == TOR_CLASSIC_TM || wish->scheme == TOR_CLASSIC_TE) {
    c->n[2] = 0;
    make_plane(p);
  } else {
    const double ratio[3] = {1, 1.1, 1.3}, mm = 1e-3;
    double sum = 0;
    for (int a = 0; a < 3; a++) {
      c->edge[a] = (wish->random ? ratio[a] : 1) * (wish->scheme == TOR_CLASSIC_UNIFORM ? mm : 1);
      sum += 1 / (c->edge[a] * c->edge[a]);
    }
    const double cdt = 0.9 / sqrt(sum);
    c->eps = TOR_EPS0;
    c->mu = 1 / (TOR_EPS0 * TOR_C0 * TOR_C0);
    c->dt = cdt / TOR_C0;
    make_media(p, cdt);
  }
  if (wish->sourced) make_source(p);
  for (int comp = 0; comp < TOR_NCOMP; comp++)
    if (tor_classic_has(c->scheme, comp))
      p->field[comp] = tor_alloc((size_t)tor_classic_points(c), c->precision, "classic");
  tor_classic_start(p);
}

void tor_classic_start(struct tor_classic_problem *p) {
  const struct tor_classic_case *c = &p->c;
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    int first[3], last[3];
    if (!p->field[comp]) continue;
    memset(p->field[comp], 0, (size_t)tor_classic_points(c) * c->precision);
    if (c->value) continue;
    tor_classic_range(c, comp, first, last);
    float *const f32 = p->field[comp];
    double *const f64 = p->field[comp];
    const int slow = c->n[2] ? 2 : 1, lo = first[slow], hi = last[slow];
#pragma omp parallel for schedule(static)
    for (int slice = lo; slice <= hi; slice++)
      for (int j = slow == 2 ? first[1] : slice; j <= (slow == 2 ? last[1] : slice); j++)
        for (int i = first[0]; i <= last[0]; i++) {
          const tor_gidx at = tor_classic_at(c, i, j, slow == 2 ? slice : 0);
          const double value = random_value((p->wish.seed * 8 + (uint64_t)comp) << 40 ^ (uint64_t)at);
          if (c->precision == TOR_F32)
            f32[at] = (float)value;
          else
            f64[at] = value;
        }
  }
}

tor_gidx tor_classic_differences(const struct tor_classic_problem *a, const struct tor_classic_problem *b, int comp,
                                 tor_gidx *at) {
  const tor_gidx n = tor_classic_points(&a->c);
  const char *x = a->field[comp], *y = b->field[comp];
  const size_t size = a->c.precision;
  tor_gidx count = 0;
  if (!x || !memcmp(x, y, (size_t)n * size)) return 0;
  for (tor_gidx i = n - 1; i >= 0; i--)
    if (memcmp(x + (size_t)i * size, y + (size_t)i * size, size)) {
      count++;
      *at = i;
    }
  return count;
}

void tor_classic_free(struct tor_classic_problem *p) {
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    free(p->field[comp]);
    free(p->material[comp]);
  }
  free(p->value);
}
