/* Poles fitted to a table of n and k: see material_fit.h.
 *
 * Frequencies u are in units of the highest one in range. A pole is s / (o^2 - u^2 - i G u), G = least width + g, with
 * o = 0 for Drude; the constant is 1 + c. Numbers are changed by factors, which keeps all of them positive. */
#include "src/job/material_fit.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/units.h"

enum { FIGURES = 7, STARTS = 4 };
enum { PER_POLE = 3, MOST_NUMBERS = 1 + PER_POLE * TOR_FIT_MOST };
static const double between = 0.2;   /* weight of the points between those of the table, against waves between them */
static const double lossless = 1e-4; /* error at which no pole is added where there are no losses */
static const double smallest = 1e-7;
static const double highest = 4; /* resonances and widths, in units of the highest frequency */

struct pole {
  double s, o, g;
};

struct state {
  int npoles;
  double c;
  struct pole pole[TOR_FIT_MOST];
  double square; /* sum of the squared relative errors */
};

struct fit {
  int count;         /* points, with those between the table's */
  int points, every; /* those of the table, every so many */
  double unit;       /* highest frequency [rad/s] */
  double low;        /* lowest, in units of it */
  double *u;         /* [count], falling */
  double *re, *im;   /* [count], eps - 1, weighted */
  double *weight;    /* [count], 1 / |eps| */
  int lossless;      /* the table has no k */
  int most;          /* poles that its numbers allow */
};

/* --- The model --- */

/* 1 / (o^2 - u^2 - i G u) */
static void response(double o, double width, double u, double *re, double *im) {
  const double x = o * o - u * u, y = width * u, square = x * x + y * y + 1e-300;
  *re = x / square;
  *im = y / square;
}

/* The least width of a resonance there: half the distance of the table's points around it, so that no pole hides
 * between two of them; beyond the range, that at its end, so that none rings forever. 0 for Drude and without losses.
 */
static double least_width(const struct fit *f, double o) {
  const double *u = f->u;
  int p = 0;
  if (f->lossless || o <= 0 || f->count < 3) return 0;
  while (p + 3 < f->count && u[p + 1] + u[p + 2] > 2 * o) p++;
  const double first = u[p] - u[p + 1], next = u[p + 1] - u[p + 2], /* distances, around places half-way */
      at = (0.5 * (u[p] + u[p + 1]) - o) / (0.5 * (u[p] - u[p + 2]));
  return 0.5 * f->every * (first + fmin(fmax(at, 0), 1) * (next - first));
}

static double width_of(const struct fit *f, const struct pole *q) { return least_width(f, q->o) + q->g; }

/* The residuals (point p at 2 p and 2 p + 1) and, unless NULL, their derivatives by the logarithms of the numbers,
 * [number][2 count]. Returns the sum of squares. */
static double residuals(const struct fit *f, const struct state *s, double *residual, double *slope) {
  const size_t rows = 2 * (size_t)f->count;
  double sum = 0;
  for (int p = 0; p < f->count; p++) {
    const double w = f->weight[p], u = f->u[p];
    double re = s->c * w - f->re[p], im = -f->im[p];
    if (slope) slope[2 * p] = s->c * w, slope[2 * p + 1] = 0;
    for (int i = 0; i < s->npoles; i++) {
      const struct pole *q = &s->pole[i];
      const double strength = q->s * w;
      double x, y;
      response(q->o, width_of(f, q), u, &x, &y);
      re += strength * x;
      im += strength * y;
      if (!slope) continue;
      const double xx = x * x - y * y, xy = 2 * x * y; /* of the response squared */
      double *to = slope + (1 + PER_POLE * (size_t)i) * rows + 2 * (size_t)p;
      to[0] = strength * x, to[1] = strength * y;
      to[rows] = -2 * strength * q->o * q->o * xx, to[rows + 1] = -2 * strength * q->o * q->o * xy;
      to[2 * rows] = -strength * q->g * u * xy, to[2 * rows + 1] = strength * q->g * u * xx;
    }
    residual[2 * p] = re;
    residual[2 * p + 1] = im;
    sum += re * re + im * im;
  }
  return sum;
}

/* Into the bounds; a lossless pole is outside the range. */
static void confine(const struct fit *f, struct state *s) {
  for (int i = 0; i < s->npoles; i++) {
    struct pole *q = &s->pole[i];
    q->o = fmin(q->o, highest);
    if (f->lossless && q->o > 0.97 * f->low && q->o < 1.03) q->o = q->o < 0.5 * (f->low + 1) ? 0.97 * f->low : 1.03;
    q->g = f->lossless ? 0 : fmin(fmax(q->g, smallest), highest);
    q->s = fmax(q->s, smallest * smallest);
  }
}

/* --- Levenberg and Marquardt --- */

/* Solves a x = b, a [n][n] symmetric positive definite, by Cholesky's method in place; 0, or -1 when it is not. */
static int solve(double *a, double *b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0)) return -1;
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return 0;
}

struct work {
  double *residual, *slope;                 /* [rows], [MOST_NUMBERS][rows] */
  double gram[MOST_NUMBERS * MOST_NUMBERS]; /* [n][n] */
  double right[MOST_NUMBERS], damped[MOST_NUMBERS * MOST_NUMBERS], step[MOST_NUMBERS];
};

static void make_normal(const struct fit *f, const struct state *s, struct work *w) {
  const int rows = 2 * f->count, n = 1 + PER_POLE * s->npoles;
  residuals(f, s, w->residual, w->slope);
  for (int i = 0; i < n; i++) {
    const double *a = w->slope + (size_t)i * (size_t)rows;
    double sum = 0;
    for (int r = 0; r < rows; r++) sum += a[r] * w->residual[r];
    w->right[i] = -sum;
    for (int j = 0; j <= i; j++) {
      const double *b = w->slope + (size_t)j * (size_t)rows;
      sum = 0;
      for (int r = 0; r < rows; r++) sum += a[r] * b[r];
      w->gram[i * n + j] = w->gram[j * n + i] = sum;
    }
  }
}

/* A number after a step of its logarithm, near value * exp(step); a third of it at least, three times at most. */
static double changed(double value, double step) {
  const double half = 0.5 * fmin(fmax(step, -1), 1);
  return value * (1 + half) / (1 - half);
}

/* The state after a step with this damping; its square is infinite where there is none. */
static struct state stepped(const struct fit *f, const struct state *s, struct work *w, double damping) {
  const int n = 1 + PER_POLE * s->npoles;
  struct state next = *s;
  memcpy(w->damped, w->gram, (size_t)n * (size_t)n * sizeof *w->gram);
  memcpy(w->step, w->right, (size_t)n * sizeof *w->right);
  for (int i = 0; i < n; i++) {
    double *diagonal = &w->damped[i * n + i];
    *diagonal = *diagonal > 0 ? *diagonal * (1 + damping) : 1;
  }
  next.square = HUGE_VAL;
  if (solve(w->damped, w->step, n)) return next;
  next.c = fmax(changed(next.c, w->step[0]), smallest);
  for (int i = 0; i < s->npoles; i++) {
    struct pole *q = &next.pole[i];
    q->s = changed(q->s, w->step[1 + PER_POLE * i]);
    q->o = changed(q->o, w->step[2 + PER_POLE * i]);
    q->g = changed(q->g, w->step[3 + PER_POLE * i]);
  }
  confine(f, &next);
  next.square = residuals(f, &next, w->residual, NULL);
  if (!isfinite(next.square)) next.square = HUGE_VAL;
  return next;
}

/* A few rounds end early, too. */
static void refine(const struct fit *f, struct state *s, int rounds, struct work *w) {
  double damping = 1e-2;
  int slow = 0;
  confine(f, s);
  s->square = residuals(f, s, w->residual, NULL);
  for (int round = 0; round < rounds && slow < 4 && damping < 1e12; round++) {
    make_normal(f, s, w);
    struct state next = stepped(f, s, w, damping);
    while (!(next.square < s->square) && damping < 1e12) next = stepped(f, s, w, damping *= 4);
    if (!(next.square < s->square)) return;
    slow = s->square - next.square < (rounds < 200 ? 1e-3 : 1e-6) * s->square ? slow + 1 : 0;
    *s = next;
    damping = fmax(damping / 5, 1e-12);
  }
}

/* --- Where a pole helps --- */

/* Geometric steps without pow: the ratio r with r^(2^k) = whole. count - 1 is a power of two. */
static double ratio_of(double whole, int steps) {
  for (; steps > 1; steps /= 2) whole = sqrt(whole);
  return whole;
}

struct start {
  struct pole pole;
  double gain; /* of the sum of squares by this pole's strength alone */
};

/* Its best strength beside the residuals, and what it gains. */
static struct start judge(const struct fit *f, const double *residual, double o, double width) {
  const double more = fmax(width - least_width(f, o), 0);
  double with = 0, own = 0, x, y;
  for (int p = 0; p < f->count; p++) {
    response(o, width, f->u[p], &x, &y);
    with -= f->weight[p] * (x * residual[2 * p] + y * residual[2 * p + 1]);
    own += f->weight[p] * f->weight[p] * (x * x + y * y);
  }
  const double strength = with > 0 && own > 0 ? with / own : 0;
  return (struct start){{strength, o, more}, strength * with};
}

/* Keeps the best ones, of which no two are near each other. */
static void offer(struct start best[STARTS], struct start s) {
  int at = STARTS;
  if (!(s.gain > 0)) return;
  for (int i = 0; i < STARTS; i++)
    if (best[i].gain > 0 && fabs(best[i].pole.o - s.pole.o) < 0.08 * (best[i].pole.o + s.pole.o) + 1e-9) {
      if (s.gain > best[i].gain) best[i] = s;
      return;
    }
  while (at > 0 && s.gain > best[at - 1].gain) at--;
  for (int i = STARTS - 1; i > at; i--) best[i] = best[i - 1];
  if (at < STARTS) best[at] = s;
}

/* Drude poles, and Lorentz poles from half the lowest frequency to twice the highest, of several widths. */
static void find_starts(const struct fit *f, const struct state *s, struct work *w, struct start best[STARTS]) {
  const double lowest = 0.5 * f->low, ratio = ratio_of(2 / lowest, 64);
  memset(best, 0, STARTS * sizeof *best);
  residuals(f, s, w->residual, NULL);
  for (double width = f->lossless ? 0 : 1e-3 * f->low; width < 1; width *= 4) {
    offer(best, judge(f, w->residual, 0, width));
    if (f->lossless) break;
  }
  for (double o = lowest; o <= 2; o *= ratio) {
    if (f->lossless && o > 0.97 * f->low && o < 1.03) continue;
    for (double width = fmax(1.5 * least_width(f, o), 0.01 * o); width < 2 * o; width *= 2) {
      offer(best, judge(f, w->residual, o, f->lossless ? 0 : width));
      if (f->lossless) break;
    }
  }
}

/* One more pole at the place where, after a short refinement, it helps most. */
static void add_pole(const struct fit *f, struct state *s, struct work *w) {
  struct start start[STARTS];
  struct state best = *s;
  find_starts(f, s, w, start);
  best.square = HUGE_VAL;
  for (int i = 0; i < STARTS && start[i].gain > 0; i++) {
    struct state next = *s;
    next.c = fmax(next.c, 0.1);
    next.pole[next.npoles++] = start[i].pole;
    refine(f, &next, 40, w);
    if (next.square < best.square) best = next;
  }
  if (best.square < s->square) *s = best;
}

/* Takes each pole away in turn and adds one again; keeps what is better by a hundredth. */
static void exchange(const struct fit *f, struct state *s, struct work *w) {
  for (int i = 0; i < s->npoles; i++) {
    struct state next = *s;
    next.npoles--;
    for (int k = i; k < next.npoles; k++) next.pole[k] = next.pole[k + 1];
    refine(f, &next, 15, w);
    add_pole(f, &next, w);
    if (next.square < 0.98 * s->square) *s = next;
  }
}

/* The pole without which the fit is the least worse. */
static void remove_pole(const struct fit *f, struct state *s, struct work *w) {
  struct state best = {.square = HUGE_VAL};
  for (int i = 0; i < s->npoles; i++) {
    struct state next = *s;
    next.npoles--;
    for (int k = i; k < next.npoles; k++) next.pole[k] = next.pole[k + 1];
    refine(f, &next, 25, w);
    if (next.square < best.square) best = next;
  }
  *s = best;
}

/* The best state found of each number of poles: on the way up, a pole at a time, until it is as good as wanted, and on
 * the way down from there, which finds groups of poles of which none helps alone. */
static void find_states(const struct fit *f, const struct state *none, double wanted, struct work *w,
                        struct state *by_count) {
  struct state s = *none;
  for (int n = 0; n <= TOR_FIT_MOST; n++) by_count[n].square = HUGE_VAL;
  by_count[0] = s;
  while (s.npoles < f->most && s.square > wanted) {
    const int before = s.npoles;
    add_pole(f, &s, w);
    if (s.npoles == before) break;
    refine(f, &s, 100, w);
    by_count[s.npoles] = s;
  }
  while (s.npoles > 1) {
    remove_pole(f, &s, w);
    refine(f, &s, 100, w);
    if (s.square < by_count[s.npoles].square) by_count[s.npoles] = s;
  }
}

/* Drude poles in place of Lorentz poles below the range, where that is nearly as good: they conduct at frequency 0, as
 * metals do, and cost less. */
static void make_drude(const struct fit *f, struct state *s, struct work *w) {
  for (int i = 0; i < s->npoles; i++) {
    struct state next = *s;
    if (f->lossless || next.pole[i].o <= 0 || next.pole[i].o >= f->low) continue;
    next.pole[i].g = width_of(f, &next.pole[i]);
    next.pole[i].o = 0;
    refine(f, &next, 250, w);
    if (next.square < 1.2 * s->square) *s = next;
  }
}

/* The state of the fewest poles with that square, or of as many as are worth their cost: each takes a tenth of it. */
static const struct state *choose(const struct fit *f, struct state *by_count, int most, double wanted,
                                  struct work *w) {
  const struct state *best = by_count;
  for (int n = 1; n <= most && best->square > wanted; n++) {
    struct state *s = &by_count[n];
    if (!isfinite(s->square)) break;
    exchange(f, s, w);
    refine(f, s, 300, w);
    make_drude(f, s, w);
    if (s->square < 0.9 * best->square) best = s;
  }
  return best;
}

/* --- The whole --- */

static int in_range(const struct tor_index_table *t, int i, const double range[2]) {
  return t->wavelength[i] >= range[0] * (1 - 1e-9) && t->wavelength[i] <= range[1] * (1 + 1e-9);
}

int tor_fit_points(const struct tor_index_table *t, const double range[2]) {
  int points = 0;
  for (int i = 0; i < t->count; i++) points += in_range(t, i, range);
  return points;
}

/* A point of the fit. */
static void put(struct fit *f, int p, double u, double complex eps, double weight) {
  const double size = sqrt(creal(eps) * creal(eps) + cimag(eps) * cimag(eps)); /* cabs is of the library */
  f->u[p] = u;
  f->weight[p] = weight / size;
  f->re[p] = (creal(eps) - 1) * weight / size;
  f->im[p] = cimag(eps) * weight / size;
}

/* Half-way from the table's point p - 1 to p: the value of the cubic through the four around. */
static void put_between(struct fit *f, const double complex *eps, int p) {
  const int last = f->points - 1, low = p < 2 ? 0 : p > last - 1 ? last - 3 : p - 2, from = low < 0 ? 0 : low;
  const double u = 0.5 * (f->u[2 * p - 2] + f->u[2 * p]);
  double complex sum = 0;
  for (int i = from; i <= last && i < from + 4; i++) {
    double share = 1;
    for (int k = from; k <= last && k < from + 4; k++)
      if (k != i) share *= (u - f->u[2 * k]) / (f->u[2 * i] - f->u[2 * k]);
    sum += share * eps[i];
  }
  put(f, 2 * p - 1, u, sum, between);
}

/* The points in range, or evenly chosen ones of them, with the first and the last; between them, where they are few,
 * interpolated ones. */
static struct fit make_fit(const struct tor_index_table *t, const double range[2]) {
  int first = 0, last = t->count - 1;
  while (first < last && !in_range(t, first, range)) first++;
  while (last > first && !in_range(t, last, range)) last--;
  const int all = last - first + 1, points = all < TOR_FIT_POINTS ? all : TOR_FIT_POINTS;
  struct fit f = {.points = points, .unit = 2 * TOR_PI * TOR_C0 / t->wavelength[first], .lossless = 1};
  f.low = t->wavelength[first] / t->wavelength[last];
  f.every = 2 * points - 1 <= TOR_FIT_POINTS ? 2 : 1;
  f.count = f.every * (points - 1) + 1;
  f.u = tor_alloc((size_t)f.count, sizeof *f.u, "fit of a table");
  f.re = tor_alloc((size_t)f.count, sizeof *f.re, "fit of a table");
  f.im = tor_alloc((size_t)f.count, sizeof *f.im, "fit of a table");
  f.weight = tor_alloc((size_t)f.count, sizeof *f.weight, "fit of a table");
  double complex *eps = tor_alloc((size_t)points, sizeof *eps, "fit of a table");
  for (int p = 0; p < points; p++) {
    const int i = first + (points > 1 ? (int)((long long)p * (all - 1) / (points - 1)) : 0);
    eps[p] = CMPLX((t->n[i] - t->k[i]) * (t->n[i] + t->k[i]), 2 * t->n[i] * t->k[i]);
    put(&f, f.every * p, t->wavelength[first] / t->wavelength[i], eps[p], 1);
    f.lossless &= t->k[i] == 0;
  }
  for (int p = 1; p < points && f.every == 2; p++) put_between(&f, eps, p);
  free(eps);
  f.most = f.lossless ? (points - 1) / 2 : (2 * points - 1) / PER_POLE;
  if (f.most > TOR_FIT_MOST) f.most = TOR_FIT_MOST;
  return f;
}

static void free_fit(struct fit *f) {
  free(f->u);
  free(f->re);
  free(f->im);
  free(f->weight);
}

/* To the figures that are printed. */
static double rounded(double value) {
  char text[40];
  snprintf(text, sizeof text, "%.*g", FIGURES, value);
  return strtod(text, NULL);
}

static struct tor_medium medium_of(const char *name, const struct fit *f, const struct state *s) {
  struct tor_medium m = tor_medium_vacuum(name);
  const double ev = f->unit / TOR_EV;
  m.poles = tor_alloc((size_t)s->npoles, sizeof *m.poles, "poles of a fit");
  for (int a = 0; a < 3; a++) m.eps[a] = rounded(1 + s->c);
  for (int i = 0; i < s->npoles; i++) {
    const struct pole *q = &s->pole[i];
    struct tor_pole *to = &m.poles[m.npoles];
    if (q->s == 0) continue;
    const double width = width_of(f, q);
    *to = (struct tor_pole){.kind = q->o > 0 ? TOR_LORENTZ : TOR_DRUDE};
    if (width > 2 * smallest) to->gamma = rounded(width * ev) * TOR_EV;
    if (q->o > 0) to->omega = rounded(q->o * ev) * TOR_EV;
    to->strength = q->o > 0 ? rounded(q->s / (q->o * q->o)) : rounded(sqrt(q->s) * ev) * TOR_EV;
    m.npoles++;
  }
  return m;
}

void tor_medium_fit(const char *name, const struct tor_index_table *table, const struct tor_fit_options *options,
                    struct tor_medium *medium) {
  struct fit f = make_fit(table, options->range);
  struct work *w = tor_alloc(1, sizeof *w, "fit of a table");
  struct state s = {.c = 0.5}, by_count[TOR_FIT_MOST + 1];
  const int most = options->most < f.most ? options->most : f.most;
  w->residual = tor_alloc(2 * (size_t)f.count, sizeof *w->residual, "fit of a table");
  w->slope = tor_alloc(2 * (size_t)f.count * MOST_NUMBERS, sizeof *w->slope, "fit of a table");
  refine(&f, &s, 20, w);
  const double error = f.lossless ? fmin(options->wanted, lossless) : options->wanted,
               wanted = error * error * f.points;
  find_states(&f, &s, wanted, w, by_count);
  const struct state *best = choose(&f, by_count, most, wanted, w);
  *medium = medium_of(name, &f, best);
  tor_fit_errors(medium, table, options->range, &medium->fit);
  memcpy(medium->range, medium->fit.range, sizeof medium->range);
  free(w->residual);
  free(w->slope);
  free(w);
  free_fit(&f);
}

void tor_fit_errors(const struct tor_medium *medium, const struct tor_index_table *t, const double range[2],
                    struct tor_fit_report *report) {
  double sum = 0;
  *report = (struct tor_fit_report){0};
  for (int i = 0; i < t->count; i++) {
    if (!in_range(t, i, range)) continue;
    const double complex index = CMPLX(t->n[i], t->k[i]), eps = index * index,
                         made = tor_medium_permittivity(medium, 0, 2 * TOR_PI * TOR_C0 / t->wavelength[i]);
    const double error = cabs(made - eps) / cabs(eps);
    sum += error * error;
    if (error > report->largest) report->largest = error, report->at = t->wavelength[i];
    if (!report->points++) report->range[0] = t->wavelength[i];
    report->range[1] = t->wavelength[i];
  }
  report->rms = report->points ? sqrt(sum / report->points) : 0;
}
