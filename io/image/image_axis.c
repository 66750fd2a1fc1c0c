/* Ticks, their labels, the frame around a picture: see image_parts.h. */
#include <cairo.h>
#include <math.h>
#include <stdio.h>

#include "io/image/image_parts.h"

enum { MOST = sizeof((struct tor_axis *)0)->tick / sizeof(double), MOST_MINOR = 4 * MOST };

static void put_tick(struct tor_axis *a, double value, const char *format, int decimals, double shown) {
  if (a->n == MOST || value < a->lo - 1e-6 * (a->hi - a->lo) || value > a->hi + 1e-6 * (a->hi - a->lo)) return;
  snprintf(a->label[a->n], sizeof a->label[0], format, decimals, shown);
  a->tick[a->n++] = value;
}

static void put_minor(struct tor_axis *a, double value) {
  if (a->nminor < MOST_MINOR && value > a->lo && value < a->hi) a->minor[a->nminor++] = value;
}

/* At 1, 2 or 5 times a power of ten. */
static void linear_ticks(struct tor_axis *a, double apart) {
  const double rough = (a->hi - a->lo) * apart / a->length, base = pow(10, floor(log10(rough)));
  const double times = rough <= base * 1.0001 ? 1 : rough <= 2 * base ? 2 : rough <= 5 * base ? 5 : 10;
  const double step = times * base, most = fmax(fabs(a->lo), fabs(a->hi));
  const int size = (int)floor(log10(most) + 1e-9), parts = times == 2 ? 4 : 5;
  if (size >= 5 || size < -2) a->exponent = (int)(3 * floor(size / 3.0));
  const double unit = pow(10, a->exponent);
  const int decimals = (int)fmin(9, fmax(0, ceil(-log10(step / unit) - 1e-6)));
  const double first = ceil(a->lo / step - 1e-6);
  for (int k = 0; k < MOST && (first + k) * step <= a->hi + 1e-6 * step; k++)
    put_tick(a, (first + k) * step, "%.*f", decimals, first + k == 0 ? 0 : (first + k) * step / unit);
  for (int k = -parts; k < MOST * parts; k++)
    if (k % parts) put_minor(a, first * step + k * step / parts);
}

/* At powers of the base; at 2 and 5 times them, too, where there are few; at steps where fewer than two are seen. */
static void log_ticks(struct tor_axis *a, double apart) {
  const double base = a->log, decade = a->length * log(base) / log(a->hi / a->lo);
  const int first = (int)floor(log(a->lo) / log(base) + 1e-9), last = (int)ceil(log(a->hi) / log(base) - 1e-9);
  const int every = (int)fmax(1, ceil(apart / decade - 1e-9)), fine = base == 10 && decade > 4 * apart;
  int powers = 0;
  for (int e = first; e <= last; e++)
    powers += pow(base, e) >= a->lo * (1 - 1e-9) && pow(base, e) <= a->hi * (1 + 1e-9);
  if (powers < 2 && !fine) {
    linear_ticks(a, apart);
    return;
  }
  for (int e = first; e <= last; e++)
    for (int k = 1; k < base; k++) {
      const double value = k * pow(base, e);
      const int power = k == 1 && e % every == 0;
      if (power && base == 10 && (e < -3 || e > 4))
        put_tick(a, value, "10^%.*f", 0, e);
      else if (power || (fine && (k == 2 || k == 5)))
        put_tick(a, value, "%.*g", 10, value);
      else
        put_minor(a, value);
    }
}

struct tor_axis tor_axis_make(double lo, double hi, int log, double length, double apart) {
  struct tor_axis a = {.lo = lo, .hi = hi, .log = log, .length = length};
  if (log)
    log_ticks(&a, apart);
  else
    linear_ticks(&a, apart);
  return a;
}

struct tor_axis tor_axis_degrees(double length) {
  struct tor_axis a = {.lo = -180, .hi = 180, .length = length};
  for (int degrees = -180; degrees <= 180; degrees += 90) put_tick(&a, degrees, "%.*f", 0, degrees);
  for (int degrees = -180; degrees < 180; degrees += 30) put_minor(&a, degrees);
  return a;
}

double tor_axis_place(const struct tor_axis *a, double v) {
  return a->length * (a->log ? log(v / a->lo) / log(a->hi / a->lo) : (v - a->lo) / (a->hi - a->lo));
}

static void tick_line(cairo_t *page, const struct tor_axis *a, enum tor_axis_where where, double value, double length,
                      double x, double y) {
  const double at = fmin(fmax(tor_axis_place(a, value), 0), a->length);
  const double half = fmod(cairo_get_line_width(page), 2) / 2; /* on whole pixels */
  if (where == TOR_AXIS_BELOW) {
    cairo_move_to(page, floor(x + at) + half, y);
    cairo_rel_line_to(page, 0, length);
  } else {
    cairo_move_to(page, x, ceil(y - at) - half);
    cairo_rel_line_to(page, where == TOR_AXIS_LEFT ? -length : length, 0);
  }
}

void tor_axis_draw(cairo_t *page, const struct tor_axis *a, enum tor_axis_where where, double x, double y,
                   const char *name) {
  const double letters = TOR_IMAGE_LETTERS, gap = 14, sign = where == TOR_AXIS_LEFT ? -1 : 1;
  char text[512];
  double widest = 0;
  tor_page_colour(page, TOR_IMAGE_INK);
  cairo_set_line_width(page, 1);
  for (int i = 0; i < a->nminor; i++) tick_line(page, a, where, a->minor[i], 5, x, y);
  cairo_stroke(page);
  cairo_set_line_width(page, 2);
  for (int i = 0; i < a->n; i++) tick_line(page, a, where, a->tick[i], 9, x, y);
  cairo_stroke(page);
  for (int i = 0; i < a->n; i++) widest = fmax(widest, tor_text_width(page, a->label[i], letters));
  for (int i = 0; i < a->n; i++) {
    const double at = tor_axis_place(a, a->tick[i]);
    if (where == TOR_AXIS_BELOW)
      tor_text_draw(page, x + at, y + gap + 0.8 * letters, a->label[i], letters, 0.5, 0, HUGE_VAL);
    else
      tor_text_draw(page, where == TOR_AXIS_LEFT ? x - gap : x + gap + widest, y - at + 0.36 * letters, a->label[i],
                    letters, 1, 0, HUGE_VAL);
  }
  if (a->exponent)
    snprintf(text, sizeof text, "%s%s(\xc3\x97 10^%d)", name ? name : "", name ? "  " : "", a->exponent);
  else
    snprintf(text, sizeof text, "%s", name ? name : "");
  if (where == TOR_AXIS_BELOW)
    tor_text_draw(page, x + a->length / 2, y + gap + 2.3 * letters, text, letters, 0.5, 0, fmax(a->length, 480));
  else
    tor_text_draw(page, x + sign * (gap + widest + 0.7 * letters) + (sign > 0 ? letters : 0), y - a->length / 2, text,
                  letters, 0.5, 1, fmax(a->length, 480));
}

void tor_axis_frame(cairo_t *page, double x, double y, double w, double h) {
  tor_page_colour(page, TOR_IMAGE_INK);
  cairo_set_line_width(page, 2);
  cairo_rectangle(page, x - 1, y - 1, w + 2, h + 2);
  cairo_stroke(page);
}
