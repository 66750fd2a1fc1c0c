/* Whether a medium amplifies at any frequency: see material.h. With x = w^2 a pole's part of w Im chi is a quotient of
 * polynomials in x, whose bounds over an interval are those of its parts; intervals are halved until the sum of the
 * bounds decides. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/material.h"

/* Below 0 by this much of the sum of all parts' sizes counts as 0: numbers of a job file are rounded. */
static const double TOLERANCE = 1e-7;

/* A part x (a + b x) / ((square - x)^2 + gamma^2 x); Debye's: square and b are 0. */
struct part {
  double a, b, square, gamma2;
};

struct sum {
  double constant; /* a conductivity's part */
  int n;
  struct part *part; /* [n] */
};

static struct part part_of(const struct tor_pole *pole, int axis) {
  const double weight = tor_pole_part(pole, axis);
  if (pole->kind == TOR_DEBYE) { /* strength rate x / (rate^2 + x) */
    const double rate = 1 / pole->tau;
    return (struct part){.b = weight * pole->strength * rate, .gamma2 = rate * rate};
  }
  const struct tor_pole_fraction f = tor_pole_fraction(pole);
  return (struct part){weight * (f.gamma * f.b0 - f.b1 * f.square), weight * f.b1, f.square, f.gamma * f.gamma};
}

static int is_lossless(const struct part *p) { return p->a == 0 && p->b == 0; }

static double value_of(const struct part *p, double x) {
  const double off = p->square - x;
  return is_lossless(p) ? 0 : x * (p->a + p->b * x) / (off * off + p->gamma2 * x);
}

static double least_of(const struct part *p, double lo, double hi) {
  if (is_lossless(p)) return 0;
  const double slope = p->a + fmin(p->b * lo, p->b * hi), most = slope > 0 ? lo : hi;
  const double off[2] = {p->square - lo, p->square - hi}, far = fmax(fabs(off[0]), fabs(off[1])),
               near = off[0] * off[1] <= 0 ? 0 : fmin(fabs(off[0]), fabs(off[1]));
  return most * slope / (slope > 0 ? far * far + p->gamma2 * hi : near * near + p->gamma2 * lo);
}

/* Returns 1, or 0 with x where the sum is below 0. */
static int is_passive_between(const struct sum *s, double lo, double hi, double *x) {
  const double middle = sqrt(lo * hi);
  double least = s->constant, value = least, size = fabs(least);
  for (int p = 0; p < s->n; p++) {
    const double here = value_of(&s->part[p], middle);
    least += least_of(&s->part[p], lo, hi);
    value += here;
    size += fabs(here);
  }
  *x = middle;
  if (value < -TOLERANCE * size) return 0;
  if (least >= -TOLERANCE * size || !(hi > lo * (1 + 1e-12))) return 1;
  return is_passive_between(s, lo, middle, x) && is_passive_between(s, middle, hi, x);
}

int tor_medium_is_passive(const struct tor_medium *m, double *omega) {
  static const double BEYOND = 1e16; /* of x: eight decades of w */
  double lo = HUGE_VAL, hi = 0, x = 0;
  int passive = 1;
  struct sum s = {.n = m->npoles, .part = tor_alloc((size_t)m->npoles + 1, sizeof *s.part, "poles")};
  for (int a = 0; a < 3 && passive; a++) {
    s.constant = m->sigma[a] / TOR_EPS0;
    for (int p = 0; p < s.n; p++) {
      s.part[p] = part_of(&m->poles[p], a);
      const double scale[2] = {s.part[p].square, s.part[p].gamma2};
      for (int i = 0; i < 2; i++)
        if (scale[i] > 0) lo = fmin(lo, scale[i]), hi = fmax(hi, scale[i]);
    }
    passive = !(lo <= hi) || is_passive_between(&s, lo / BEYOND, hi * BEYOND, &x); /* no scale: plasmas without loss */
  }
  free(s.part);
  if (!passive) *omega = sqrt(x);
  return passive;
}
