/* Ticks, their labels, the frame around a picture: see image_parts.h. */
#include <math.h>
#include <stdio.h>

#include "io/image/image_parts.h"

static double power(int exponent) { return pow(10, exponent); }

/* Ticks at 1, 2 or 5 times a power of ten, at least `apart` of `pixels` from each other. */
struct tor_ticks tor_ticks_make(double lo, double hi, double pixels, double apart) {
  struct tor_ticks t = {.lo = lo, .hi = hi};
  double rough = (hi - lo) * apart / pixels, base = pow(10, floor(log10(rough)));
  double times = rough <= base * 1.0001 ? 1 : rough <= 2 * base ? 2 : rough <= 5 * base ? 5 : 10;
  t.step = times * base;
  t.minor = times > 1 && times < 3 ? 4 : 5;
  t.first = (int)ceil(lo / t.step - 1e-6);
  t.last = (int)floor(hi / t.step + 1e-6);
  double most = fmax(fabs(lo), fabs(hi));
  int size = (int)floor(log10(most) + 1e-9);
  if (size >= 5 || size < -2) t.exponent = (int)(3 * floor(size / 3.0));
  return t;
}

void tor_ticks_label(const struct tor_ticks *t, int i, char *label, size_t size) {
  double step = t->step / power(t->exponent);
  int decimals = (int)ceil(-log10(step) - 1e-6);
  if (decimals < 0) decimals = 0;
  if (decimals > 9) decimals = 9;
  snprintf(label, size, "%.*f", decimals, i ? i * step : 0);
}

double tor_ticks_widest(const struct tor_ticks *t) {
  double most = 0;
  char label[48];
  for (int i = t->first; i <= t->last; i++) {
    tor_ticks_label(t, i, label, sizeof label);
    most = fmax(most, tor_font_width(label, TOR_IMAGE_PITCH));
  }
  return most;
}

/* "label" or, with an exponent, "label × 10^-9": placed where the axis has its name. */
void tor_ticks_name(const struct tor_ticks *t, const char *label, char *name, size_t size) {
  if (!label) label = "";
  if (t->exponent)
    snprintf(name, size, "%s%s(\xc3\x97 10^%d)", label, *label ? "  " : "", t->exponent);
  else
    snprintf(name, size, "%s", label);
}

double tor_frame_x(const struct tor_frame *f, double x) { return f->x + (x - f->tx.lo) / (f->tx.hi - f->tx.lo) * f->w; }
double tor_frame_y(const struct tor_frame *f, double y) {
  return f->y + f->h - (y - f->ty.lo) / (f->ty.hi - f->ty.lo) * f->h;
}

void tor_frame_box(struct tor_canvas *c, int x, int y, int w, int h) {
  double x0 = x - 0.5, y0 = y - 0.5, x1 = x + w + 0.5, y1 = y + h + 0.5;
  tor_canvas_stroke(c, x0, y0, x1, y0, 1);
  tor_canvas_stroke(c, x1, y0, x1, y1, 1);
  tor_canvas_stroke(c, x1, y1, x0, y1, 1);
  tor_canvas_stroke(c, x0, y1, x0, y0, 1);
  tor_canvas_ink(c, TOR_IMAGE_INK);
}

/* Tick marks outside one side of the frame, in units of the tick step; along x when `side` is 0, else up from x `side`.
 */
void tor_frame_marks(struct tor_canvas *c, const struct tor_frame *f, const struct tor_ticks *t, int horizontal,
                     int from, int away) {
  for (int k = t->first * t->minor - t->minor; k <= (t->last + 1) * t->minor; k++) {
    double value = k * t->step / t->minor, slack = 1e-6 * (t->hi - t->lo);
    if (value < t->lo - slack || value > t->hi + slack) continue;
    int length = k % t->minor ? 4 : 8;
    if (horizontal) {
      double x = floor(fmin(tor_frame_x(f, value), f->x + f->w - 0.5)) + 0.5;
      tor_canvas_stroke(c, x, from + 0.5, x, from + 0.5 + length, 1);
    } else {
      double at = f->y + f->h - (value - t->lo) / (t->hi - t->lo) * f->h, y = floor(fmin(at, f->y + f->h - 0.5)) + 0.5;
      tor_canvas_stroke(c, from, y, from + away * length, y, 1);
    }
  }
  tor_canvas_ink(c, TOR_IMAGE_INK);
}

void tor_frame_axes(struct tor_canvas *c, const struct tor_frame *f, const char *xlabel, const char *ylabel) {
  char label[256];
  tor_frame_box(c, f->x, f->y, f->w, f->h);
  tor_frame_marks(c, f, &f->tx, 1, f->y + f->h, 1);
  tor_frame_marks(c, f, &f->ty, 0, f->x, -1);
  for (int i = f->tx.first; i <= f->tx.last; i++) {
    tor_ticks_label(&f->tx, i, label, sizeof label);
    tor_font_draw(c, tor_frame_x(f, i * f->tx.step) - (i < 0 ? 3 * TOR_IMAGE_PITCH : 0), f->y + f->h + 27, label,
                  TOR_IMAGE_PITCH, 0.5, 0);
  }
  for (int i = f->ty.first; i <= f->ty.last; i++) {
    tor_ticks_label(&f->ty, i, label, sizeof label);
    tor_font_draw(c, f->x - 14, tor_frame_y(f, i * f->ty.step) + 6, label, TOR_IMAGE_PITCH, 1, 0);
  }
  tor_ticks_name(&f->tx, xlabel, label, sizeof label);
  tor_font_draw(c, f->x + f->w / 2.0, f->y + f->h + 56, label, TOR_IMAGE_PITCH, 0.5, 0);
  tor_ticks_name(&f->ty, ylabel, label, sizeof label);
  tor_font_draw(c, f->x - 14 - tor_ticks_widest(&f->ty) - 16, f->y + f->h / 2.0, label, TOR_IMAGE_PITCH, 0.5, 1);
}

int tor_frame_left(const struct tor_frame *f) { return (int)tor_ticks_widest(&f->ty) + 14 + 16 + 14 + 16; }
