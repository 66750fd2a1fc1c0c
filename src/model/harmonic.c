/* Harmonic inversion: see harmonic.h. */
#include "src/model/harmonic.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/units.h"
#include "src/model/exponentials.h"

/* Kaiser's formulas for a stop band of so many dB: the window's parameter, and the filter's length times the width of
 * the transition [turns]. */
static const double SHAPE = 0.1102 * (140 - 8.7), WIDTH = (140 - 7.95) / (2.285 * 2 * TOR_PI);
static const double TURNS = 120;  /* of the band's width in a record, at most for one part */
static const double BEYOND = 1.5; /* on distances between fits, which share most of their samples */
static const double KEPT_ERROR = 0.1, KEPT_GROWTH = 1e-2, KEPT_DECAY = 3, KEPT_REST = 36, KEPT_WEIGHT = 1e-12;

/* A part of the band over a part of the record. */
struct part {
  int level, number;
  int count;            /* samples of the record, from its first on */
  double centre, width; /* angular frequencies */
};

struct candidate {
  struct tor_harmonic found;
  int level, number; /* of its part */
};

struct candidates {
  struct candidate *list;
  size_t count, capacity;
};

/* Decimated samples: value[channels][count], from `step` samples apart. */
struct series {
  int count, step, taps;
  double *tap; /* [taps] */
  double complex *value;
};

/* Modified Bessel function of order 0. */
static double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > 1e-17 * sum; k++) {
    term *= (0.5 * x / k) * (0.5 * x / k);
    sum += term;
  }
  return sum;
}

/* A low-pass filter: `cut` [rad per sample] is the middle of the transition. */
static void fill_taps(double *tap, int taps, double cut) {
  const double middle = 0.5 * (taps - 1);
  for (int i = 0; i < taps; i++) {
    const double x = i - middle, edge = x / (middle + 0.5);
    const double sinc = fabs(x) > 0 ? sin(cut * x) / (TOR_PI * x) : cut / TOR_PI;
    tap[i] = sinc * bessel_i0(SHAPE * sqrt(1 - edge * edge)) / bessel_i0(SHAPE);
  }
}

/* The transition is half as wide as the band, or so wide that the filter takes a quarter of the record. */
static void make_filter(struct series *s, const struct part *p, double step) {
  const double width = p->width / (2 * TOR_PI), length = p->count * step;
  const double transition = fmax(0.5 * width, 4 * WIDTH / length);
  s->step = (int)fmin(1 / (step * (width + 2 * transition)), p->count);
  s->taps = 1;
  if (s->step > 1) s->taps = (int)ceil(WIDTH / (transition * step));
  s->step = s->step > 1 ? s->step : 1;
  s->tap = tor_alloc((size_t)s->taps, sizeof *s->tap, "harmonic inversion");
  s->tap[0] = 1;
  if (s->taps > 1) fill_taps(s->tap, s->taps, TOR_PI * (width + transition) * step);
  s->count = (p->count - s->taps) / s->step + 1;
}

static double complex value_at(const struct tor_harmonic_record *r, size_t i) {
  return CMPLX(r->value[i], r->imaginary ? r->imaginary[i] : 0);
}

/* Sample k is the sum over i of tap[i] x[k step + i], of the record shifted by the centre's frequency. */
static void decimate(struct series *s, const struct tor_harmonic_record *r, const struct part *p) {
  double complex *shifted = tor_alloc((size_t)p->count, sizeof *shifted, "harmonic inversion");
  s->value = tor_alloc((size_t)s->count * (size_t)r->channels, sizeof *s->value, "harmonic inversion");
  for (int c = 0; c < r->channels; c++) {
    for (int i = 0; i < p->count; i++)
      shifted[i] = value_at(r, (size_t)c * (size_t)r->count + (size_t)i) * cexp(CMPLX(0, p->centre * i * r->step));
    for (int k = 0; k < s->count; k++) {
      const double complex *x = shifted + (size_t)k * (size_t)s->step;
      double re = 0, im = 0;
      for (int i = 0; i < s->taps; i++) {
        re += s->tap[i] * creal(x[i]);
        im += s->tap[i] * cimag(x[i]);
      }
      s->value[(size_t)c * (size_t)s->count + (size_t)k] = CMPLX(re, im);
    }
  }
  free(shifted);
}

/* What the filter makes of 1 in a pole z^step. */
static double complex response(const struct series *s, double complex rate, double step) {
  double complex sum = 0;
  for (int i = 0; i < s->taps; i++) sum += s->tap[i] * cexp(rate * (i * step));
  return sum;
}

/* Of the pole nearest to z. */
static int nearest(const struct tor_exponentials *e, double complex z) {
  int best = -1;
  for (int k = 0; k < e->count; k++)
    if (best < 0 || cabs(clog(e->pole[k] / z)) < cabs(clog(e->pole[best] / z))) best = k;
  return best;
}

/* What a fit says of pole k of its own noise. */
struct noise {
  double ratio;     /* of the sum of its squares to the rest's mean square */
  double rate;      /* least error of its logarithm, over a step */
  double amplitude; /* and of an amplitude */
};

/* The bound of Cramer and Rao for a pole that is alone in white noise, with twice the rest's, which the filter leaves
 * in half of the samples' band. */
static struct noise noise_of(const struct tor_exponentials *e, int k, const struct series *s, int channels) {
  const double square = pow(cabs(e->pole[k]), 2);
  double sum[3] = {0, 0, 0}, squares = 0, rest = 0, r = 1;
  for (int i = 0; i < s->count; i++, r *= square) {
    sum[0] += r;
    sum[1] += i * r;
    sum[2] += (double)i * i * r;
  }
  for (int c = 0; c < channels; c++) {
    squares += pow(cabs(e->amplitude[c * e->count + k]), 2);
    rest += e->rest[c];
  }
  rest /= fmax(s->count - 2 * e->count, 1) * channels;
  return (struct noise){rest > 0 ? squares * sum[0] / rest : (double)INFINITY,
                        sqrt(2 * rest / squares / (sum[2] - sum[1] * sum[1] / sum[0])),
                        sqrt(2 * rest * sum[2] / (sum[0] * sum[2] - sum[1] * sum[1]))};
}

/* The three fits: to all, to the first and to the last four fifths, which begin at sample `late`. */
struct fits {
  struct tor_exponentials all, first, last;
  int late;
};

static int make_fits(struct fits *f, const struct series *s, int channels) {
  f->late = s->count / 5;
  const int most = s->count - f->late;
  return tor_exponentials_fit(s->value, s->count, channels, s->count, &f->all) ||
         tor_exponentials_fit(s->value, most, channels, s->count, &f->first) ||
         tor_exponentials_fit(s->value + f->late, most, channels, s->count, &f->last);
}

static void free_fits(struct fits *f) {
  tor_exponentials_free(&f->all);
  tor_exponentials_free(&f->first);
  tor_exponentials_free(&f->last);
}

/* Pole k of the fits; returns whether it is kept. */
static int judge(const struct fits *f, int k, const struct series *s, const struct tor_harmonic_record *r,
                 const struct part *p, struct tor_harmonic *h) {
  const double step = s->step * r->step, length = p->count * r->step;
  const double complex z = f->all.pole[k], rate = clog(z) / step;
  const int i = nearest(&f->first, z), j = nearest(&f->last, z);
  if (i < 0 || j < 0) return 0;
  *h = (struct tor_harmonic){.omega = p->centre - cimag(rate), .decay = -creal(rate)};
  const double near = fmax(cabs(clog(f->first.pole[i] / z)), cabs(clog(f->last.pole[j] / z))) / step;
  const struct noise noise = noise_of(&f->all, k, s, r->channels);
  h->error = fmax(BEYOND * fmax(near, noise.rate / step), 1e-14 * h->omega);
  if (fabs(cimag(rate)) > 0.51 * p->width || h->decay < -fmax(h->error, KEPT_GROWTH / length)) return 0;
  if (!(h->error <= KEPT_ERROR * fmax(h->decay, 2 * TOR_PI / length))) return 0;
  if (p->level && h->decay * length < KEPT_DECAY) return 0;
  if (noise.ratio < KEPT_REST) return 0;
  const double whole = r->imaginary ? 1 : 2; /* a real value has half of it at -omega, which the filter takes away */
  const double complex factor = whole / response(s, rate, r->step), back = cpow(f->last.pole[j], -f->late);
  const double seconds = r->count * r->step;
  for (int c = 0; c < r->channels; c++) {
    const double complex a = f->all.amplitude[c * f->all.count + k];
    h->amplitude[c] = factor * a;
    const double apart = fmax(cabs(f->first.amplitude[c * f->first.count + i] - a),
                              cabs(f->last.amplitude[c * f->last.count + j] * back - a));
    h->amplitude_error[c] = BEYOND * cabs(factor) * fmax(apart, noise.amplitude);
    h->weight += 1 / whole * creal(h->amplitude[c] * conj(h->amplitude[c])) / r->step *
                 (fabs(h->decay) * seconds > 1e-9 ? (1 - exp(-2 * h->decay * seconds)) / (2 * h->decay) : seconds);
  }
  return 1;
}

static void add(struct candidates *all, const struct candidate *one) {
  all->list = tor_grow(all->list, all->count + 1, &all->capacity, sizeof *all->list);
  all->list[all->count++] = *one;
}

static void find_in(const struct tor_harmonic_record *r, const struct part *p, struct candidates *to) {
  struct series s = {0};
  struct fits f = {0};
  make_filter(&s, p, r->step);
  if (s.count >= TOR_HARMONIC_LEAST / 2) {
    decimate(&s, r, p);
    const int bad = make_fits(&f, &s, r->channels);
    for (int k = 0; k < f.all.count && !bad; k++) {
      struct candidate one = {.level = p->level, .number = p->number};
      if (judge(&f, k, &s, r, p, &one.found)) add(to, &one);
    }
    free_fits(&f);
  }
  free(s.tap);
  free(s.value);
}

/* Parts of the band for the record's first half, quarter ..., level by level: [*count], to be freed. */
static struct part *make_parts(const struct tor_harmonic_record *r, double low, double high, int *count) {
  struct part *part = NULL;
  size_t capacity = 0;
  *count = 0;
  for (int level = 0; r->count >> level >= TOR_HARMONIC_LEAST; level++) {
    const int samples = r->count >> level;
    const double turns = (high - low) / (2 * TOR_PI) * samples * r->step,
                 width = (high - low) / fmax(ceil(turns / TURNS), 1);
    for (int i = 0; i < ceil(turns / TURNS); i++) {
      part = tor_grow(part, (size_t)*count + 1, &capacity, sizeof *part);
      part[(*count)++] = (struct part){level, i, samples, low + (i + 0.5) * width, width};
    }
  }
  return part;
}

/* Whether two are one oscillation that was found twice. */
static int is_same(const struct candidate *a, const struct candidate *b) {
  const double apart = hypot(a->found.omega - b->found.omega, a->found.decay - b->found.decay);
  return (a->level != b->level || a->number != b->number) &&
         apart <= 3 * (a->found.error + b->found.error) + 1e-9 * a->found.omega;
}

static int by_error(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  if (x->found.error != y->found.error) return x->found.error < y->found.error ? -1 : 1;
  return (x->found.omega < y->found.omega) - (x->found.omega > y->found.omega);
}

static int by_weight(const void *a, const void *b) {
  const struct tor_harmonic *x = a, *y = b;
  return (x->weight < y->weight) - (x->weight > y->weight);
}

static int by_omega(const void *a, const void *b) {
  const struct tor_harmonic *x = a, *y = b;
  return (x->omega < y->omega) - (x->omega > y->omega);
}

/* Those in the band, each once with its smallest error, over the weight that counts. */
static int choose(struct candidates *all, double low, double high, double total, struct tor_harmonic *to) {
  int n = 0;
  if (all->count) qsort(all->list, all->count, sizeof *all->list, by_error);
  for (size_t i = 0; i < all->count; i++) {
    const struct candidate *one = &all->list[i];
    int seen = 0;
    for (size_t k = 0; k < i && !seen; k++) seen = is_same(&all->list[k], one);
    if (seen || one->found.omega < low || one->found.omega > high) continue;
    to[n] = one->found;
    to[n].weight /= total;
    n += to[n].weight > KEPT_WEIGHT;
  }
  return n;
}

int tor_harmonic_find(const struct tor_harmonic_record *r, double low, double high, struct tor_harmonic *found,
                      int most) {
  double total = 0;
  int nparts = 0;
  for (size_t i = 0; i < (size_t)r->channels * (size_t)r->count; i++) total += pow(cabs(value_at(r, i)), 2);
  if (!tor_exponentials_built() || r->count < TOR_HARMONIC_LEAST || !(total > 0) || !isfinite(total)) return 0;
  struct part *part = make_parts(r, low, high, &nparts);
  struct candidates *each = tor_alloc((size_t)nparts, sizeof *each, "harmonic inversion"), all = {0};
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < nparts; i++) find_in(r, &part[i], &each[i]);
  for (int i = 0; i < nparts; i++) {
    for (size_t k = 0; k < each[i].count; k++) add(&all, &each[i].list[k]);
    free(each[i].list);
  }
  struct tor_harmonic *chosen = tor_alloc(all.count + 1, sizeof *chosen, "harmonic inversion");
  int n = choose(&all, low, high, total, chosen);
  qsort(chosen, (size_t)n, sizeof *chosen, by_weight);
  if (n > most) n = most;
  qsort(chosen, (size_t)n, sizeof *chosen, by_omega);
  if (n) memcpy(found, chosen, (size_t)n * sizeof *found);
  free(chosen);
  free(all.list);
  free(each);
  free(part);
  return n;
}
