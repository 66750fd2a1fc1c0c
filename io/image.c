/* Pictures of results: see image.h.
 *
 * Colours, canvas (anti-aliased strokes), letters (a 5x9 dot font whose dots are joined by strokes), axes, the two
 * kinds of picture, PNG. Pixel coordinates run right and down; pixel i covers i to i + 1. */
#include "image.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/units.h"
#include "folder.h"

enum { INK = 0x222222, GRID = 0xe6e6e6, MISSING = 0xb4b4b4, LONGEST_SIDE = 900, SHORTEST_SIDE = 24, BAR_WIDTH = 24 };
static const double narrowest = 1e-7; /* an axis shorter than this part of its values has no ticks that can be read */
static const double pitch = 2, title_pitch = 2.4; /* pixels from dot to dot of the letters */

/* --- Colours ---------------------------------------------------------------------------------- */

static double to_linear(double s) { return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4); }

static double from_linear(double v) {
  double s = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
  return s < 0 ? 0 : s > 1 ? 1 : s;
}

/* sRGB (IEC 61966-2-1) and CIELAB with white D65. */
static const double white[3] = {0.95047, 1, 1.08883};

static void lab_to_rgb(const double lab[3], unsigned char rgb[3]) {
  static const double m[3][3] = {
      {3.2404542, -1.5371385, -0.4985314}, {-0.9692660, 1.8760108, 0.0415560}, {0.0556434, -0.2040259, 1.0572252}};
  double fy = (lab[0] + 16) / 116, f[3] = {fy + lab[1] / 500, fy, fy - lab[2] / 200}, xyz[3];
  for (int i = 0; i < 3; i++)
    xyz[i] = white[i] * (f[i] > 6.0 / 29 ? f[i] * f[i] * f[i] : (f[i] - 4.0 / 29) * 108 / 841);
  for (int i = 0; i < 3; i++)
    rgb[i] = (unsigned char)lround(255 * from_linear(m[i][0] * xyz[0] + m[i][1] * xyz[1] + m[i][2] * xyz[2]));
}

static void rgb_to_lab(uint32_t colour, double lab[3]) {
  static const double m[3][3] = {
      {0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};
  double rgb[3], f[3];
  for (int i = 0; i < 3; i++) rgb[i] = to_linear((colour >> (16 - 8 * i) & 255) / 255.0);
  for (int i = 0; i < 3; i++) {
    double t = (m[i][0] * rgb[0] + m[i][1] * rgb[1] + m[i][2] * rgb[2]) / white[i];
    f[i] = t > 216.0 / 24389 ? cbrt(t) : t * 841 / 108 + 4.0 / 29;
  }
  lab[0] = 116 * f[1] - 16;
  lab[1] = 500 * (f[0] - f[1]);
  lab[2] = 200 * (f[1] - f[2]);
}

/* Moreland's map from the end (part 1) to the middle (part 0): M from 80 to 94, saturation s from 1.08 to 0, and a hue
 * that spins away as the colour pales (his equation for the spin towards an unsaturated colour). */
static void msh_to_lab(double part, int red, double lab[3]) {
  const double m_end = 80, m_middle = 94, s_end = 1.08;
  double spin = s_end * sqrt(m_middle * m_middle - m_end * m_end) / (m_end * sin(s_end)) * (1 - part);
  double m = m_middle + (m_end - m_middle) * part, s = s_end * part, h = red ? 0.5 + spin : -1.1 - spin;
  lab[0] = m * cos(s);
  lab[1] = m * sin(s) * cos(h);
  lab[2] = m * sin(s) * sin(h);
}

static double msh_distance(double a, double b) {
  double p[3], q[3];
  msh_to_lab(a, 0, p);
  msh_to_lab(b, 0, q);
  return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

static void diverging_colours(unsigned char rgb[TOR_IMAGE_COLOURS][3]) {
  enum { SIDE = TOR_IMAGE_COLOURS / 2, FINE = 2048 };
  double length = 0, walked = 0, lab[3];
  for (int i = 0; i < FINE; i++) length += msh_distance((double)i / FINE, (i + 1.0) / FINE);
  for (int k = 0, i = 0; k <= SIDE; k++) {
    while (i < FINE && walked < length * k / SIDE) walked += msh_distance((double)i / FINE, (i + 1.0) / FINE), i++;
    double part = k == SIDE ? 1 : (double)i / FINE;
    for (int red = 0; red < 2; red++) {
      msh_to_lab(part, red, lab);
      lab_to_rgb(lab, rgb[red ? SIDE + k : SIDE - k]);
    }
  }
}

static void sequential_colours(unsigned char rgb[TOR_IMAGE_COLOURS][3]) {
  static const uint32_t magma[] = {0x000004, 0x140e36, 0x3b0f70, 0x641a80, 0x8c2981, 0xb73779,
                                   0xde4968, 0xf7705c, 0xfe9f6d, 0xfecf92, 0xfcfdbf};
  enum { LAST = sizeof magma / sizeof *magma - 1 };
  double anchor[LAST + 1][3], lab[3];
  for (int i = 0; i <= LAST; i++) rgb_to_lab(magma[i], anchor[i]);
  for (int k = 0, i = 0; k < TOR_IMAGE_COLOURS; k++) {
    lab[0] = anchor[0][0] + (anchor[LAST][0] - anchor[0][0]) * k / (TOR_IMAGE_COLOURS - 1);
    while (i < LAST - 1 && lab[0] > anchor[i + 1][0]) i++;
    double part = (lab[0] - anchor[i][0]) / (anchor[i + 1][0] - anchor[i][0]);
    for (int j = 1; j < 3; j++) lab[j] = anchor[i][j] + (anchor[i + 1][j] - anchor[i][j]) * part;
    lab_to_rgb(lab, rgb[k]);
  }
}

void tor_image_colours(enum tor_image_mode mode, unsigned char rgb[TOR_IMAGE_COLOURS][3]) {
  if (mode == TOR_IMAGE_DIVERGING)
    diverging_colours(rgb);
  else
    sequential_colours(rgb);
}

/* --- Canvas ----------------------------------------------------------------------------------- */

/* Strokes gather in the mask and are laid on in one colour at once, so that joints do not darken. */
struct canvas {
  int w, h;
  unsigned char *rgb, *mask; /* [h][w][3], [h][w] */
  int dirty[4];              /* part of the mask in use: x0, y0, x1, y1 */
};

static int canvas_open(struct canvas *c, int w, int h) {
  size_t n = (size_t)w * (size_t)h;
  *c = (struct canvas){w, h, malloc(3 * n), calloc(n, 1), {w, h, 0, 0}};
  if (!c->rgb || !c->mask) {
    free(c->rgb);
    free(c->mask);
    errno = ENOMEM;
    return -1;
  }
  memset(c->rgb, 255, 3 * n);
  return 0;
}

static void canvas_close(struct canvas *c) {
  free(c->rgb);
  free(c->mask);
}

static unsigned char *pixel(struct canvas *c, int x, int y) {
  return c->rgb + 3 * ((size_t)y * (size_t)c->w + (size_t)x);
}

static void blend(unsigned char *rgb, uint32_t colour, double cover) {
  for (int i = 0; i < 3; i++)
    rgb[i] = (unsigned char)lround(rgb[i] + cover * ((double)(colour >> (16 - 8 * i) & 255) - rgb[i]));
}

static void fill(struct canvas *c, int x, int y, int w, int h, uint32_t colour) {
  for (int j = y < 0 ? 0 : y; j < y + h && j < c->h; j++)
    for (int i = x < 0 ? 0 : x; i < x + w && i < c->w; i++) blend(pixel(c, i, j), colour, 1);
}

static int within(double v, int most) { return v < 0 ? 0 : v > most ? most : (int)v; }

/* Adds a segment with round ends to the mask; where it crosses a pixel partly, that share. */
static void stroke(struct canvas *c, double ax, double ay, double bx, double by, double width) {
  double reach = width / 2 + 1, dx = bx - ax, dy = by - ay, length2 = dx * dx + dy * dy;
  int x0 = within(fmin(ax, bx) - reach, c->w), x1 = within(fmax(ax, bx) + reach + 1, c->w);
  int y0 = within(fmin(ay, by) - reach, c->h), y1 = within(fmax(ay, by) + reach + 1, c->h);
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++) {
      double px = x + 0.5 - ax, py = y + 0.5 - ay, t = length2 > 0 ? (px * dx + py * dy) / length2 : 0;
      t = t < 0 ? 0 : t > 1 ? 1 : t;
      double cover = width / 2 + 0.5 - hypot(px - t * dx, py - t * dy);
      unsigned char *m = &c->mask[(size_t)y * (size_t)c->w + (size_t)x];
      int value = cover <= 0 ? 0 : cover >= 1 ? 255 : (int)(255 * cover);
      if (value > *m) *m = (unsigned char)value;
    }
  if (x0 < c->dirty[0]) c->dirty[0] = x0;
  if (y0 < c->dirty[1]) c->dirty[1] = y0;
  if (x1 > c->dirty[2]) c->dirty[2] = x1;
  if (y1 > c->dirty[3]) c->dirty[3] = y1;
}

/* Lays the gathered strokes on. */
static void ink(struct canvas *c, uint32_t colour) {
  for (int y = c->dirty[1]; y < c->dirty[3]; y++)
    for (int x = c->dirty[0]; x < c->dirty[2]; x++) {
      unsigned char *m = &c->mask[(size_t)y * (size_t)c->w + (size_t)x];
      if (*m) blend(pixel(c, x, y), colour, *m / 255.0);
      *m = 0;
    }
  c->dirty[0] = c->w, c->dirty[1] = c->h, c->dirty[2] = c->dirty[3] = 0;
}

/* --- Letters ---------------------------------------------------------------------------------- */

enum { DOTS_WIDE = 5, DOTS_HIGH = 9, DOTS_ABOVE = 7, FIRST = 32, EXTRA = 127 };

/* Rows from the top, the left dot is bit 4; rows 7 and 8 hang below the line. ' ' to '~', then µ λ ° ×. */
/* clang-format off */
static const unsigned char letters[][DOTS_HIGH] = {
    {0}, {4, 4, 4, 4, 4, 0, 4}, {10, 10, 10}, {10, 10, 31, 10, 31, 10, 10}, {4, 15, 20, 14, 5, 30, 4},
    {24, 25, 2, 4, 8, 19, 3}, {12, 18, 20, 8, 21, 18, 13}, {4, 4, 8}, {2, 4, 8, 8, 8, 8, 8, 4, 2},
    {8, 4, 2, 2, 2, 2, 2, 4, 8}, {0, 4, 21, 14, 21, 4}, {0, 4, 4, 31, 4, 4}, {0, 0, 0, 0, 0, 0, 4, 4, 8},
    {0, 0, 0, 31}, {0, 0, 0, 0, 0, 0, 4}, {1, 2, 2, 4, 8, 8, 16}, {14, 17, 17, 17, 17, 17, 14},
    {4, 12, 4, 4, 4, 4, 14}, {14, 17, 1, 2, 4, 8, 31}, {14, 17, 1, 6, 1, 17, 14}, {2, 6, 10, 18, 31, 2, 2},
    {31, 16, 30, 1, 1, 17, 14}, {14, 16, 16, 30, 17, 17, 14}, {31, 1, 2, 4, 4, 8, 8}, {14, 17, 17, 14, 17, 17, 14},
    {14, 17, 17, 15, 1, 1, 14}, {0, 0, 4, 0, 0, 0, 4}, {0, 0, 4, 0, 0, 0, 4, 4, 8}, {2, 4, 8, 16, 8, 4, 2},
    {0, 0, 31, 0, 31}, {8, 4, 2, 1, 2, 4, 8}, {14, 17, 1, 2, 4, 0, 4}, {14, 17, 23, 21, 23, 16, 14},
    {4, 10, 17, 17, 31, 17, 17}, {30, 17, 17, 30, 17, 17, 30}, {14, 17, 16, 16, 16, 17, 14},
    {30, 17, 17, 17, 17, 17, 30}, {31, 16, 16, 30, 16, 16, 31}, {31, 16, 16, 30, 16, 16, 16},
    {14, 17, 16, 19, 17, 17, 14}, {17, 17, 17, 31, 17, 17, 17}, {14, 4, 4, 4, 4, 4, 14}, {1, 1, 1, 1, 1, 17, 14},
    {17, 18, 20, 24, 20, 18, 17}, {16, 16, 16, 16, 16, 16, 31}, {17, 27, 21, 17, 17, 17, 17},
    {17, 25, 21, 19, 17, 17, 17}, {14, 17, 17, 17, 17, 17, 14}, {30, 17, 17, 30, 16, 16, 16},
    {14, 17, 17, 17, 17, 17, 14, 2, 1}, {30, 17, 17, 30, 20, 18, 17}, {14, 17, 16, 14, 1, 17, 14},
    {31, 4, 4, 4, 4, 4, 4}, {17, 17, 17, 17, 17, 17, 14}, {17, 17, 17, 17, 17, 10, 4}, {17, 17, 17, 17, 21, 27, 17},
    {17, 17, 10, 4, 10, 17, 17}, {17, 17, 10, 4, 4, 4, 4}, {31, 1, 2, 4, 8, 16, 31}, {14, 8, 8, 8, 8, 8, 8, 8, 14},
    {16, 16, 8, 4, 2, 1, 1}, {14, 2, 2, 2, 2, 2, 2, 2, 14}, {4, 10, 17}, {0, 0, 0, 0, 0, 0, 0, 31}, {8, 4, 2},
    {0, 0, 14, 1, 15, 17, 15}, {16, 16, 30, 17, 17, 17, 30}, {0, 0, 14, 17, 16, 17, 14}, {1, 1, 15, 17, 17, 17, 15},
    {0, 0, 14, 17, 31, 16, 14}, {6, 8, 28, 8, 8, 8, 8}, {0, 0, 15, 17, 17, 17, 15, 1, 14},
    {16, 16, 30, 17, 17, 17, 17}, {4, 0, 4, 4, 4, 4, 4}, {4, 0, 4, 4, 4, 4, 4, 4, 8}, {16, 16, 18, 20, 24, 20, 18},
    {8, 8, 8, 8, 8, 8, 4}, {0, 0, 30, 21, 21, 21, 21}, {0, 0, 30, 17, 17, 17, 17}, {0, 0, 14, 17, 17, 17, 14},
    {0, 0, 30, 17, 17, 17, 30, 16, 16}, {0, 0, 15, 17, 17, 17, 15, 1, 1}, {0, 0, 11, 12, 8, 8, 8},
    {0, 0, 15, 16, 14, 1, 30}, {8, 8, 28, 8, 8, 8, 6}, {0, 0, 17, 17, 17, 17, 15}, {0, 0, 17, 17, 17, 10, 4},
    {0, 0, 17, 17, 21, 21, 10}, {0, 0, 17, 10, 4, 10, 17}, {0, 0, 17, 17, 17, 17, 15, 1, 14}, {0, 0, 31, 2, 4, 8, 31},
    {2, 4, 4, 4, 8, 4, 4, 4, 2}, {4, 4, 4, 4, 4, 4, 4, 4, 4}, {8, 4, 4, 4, 2, 4, 4, 4, 8}, {0, 0, 0, 13, 22},
    {0, 0, 17, 17, 17, 17, 31, 16, 16}, {8, 4, 4, 4, 10, 10, 17}, {12, 18, 18, 12}, {0, 17, 10, 4, 10, 17}};
/* clang-format on */

/* The next letter's number in the table; moves s behind it. */
static int next_letter(const char **s) {
  static const struct {
    char utf8[3];
    int letter;
  } known[] = {{"\xc2\xb5", EXTRA},
               {"\xce\xbc", EXTRA},
               {"\xce\xbb", EXTRA + 1},
               {"\xc2\xb0", EXTRA + 2},
               {"\xc3\x97", EXTRA + 3}};
  unsigned char first = (unsigned char)*(*s)++;
  if (first >= FIRST && first < EXTRA) return first - FIRST;
  if (first < 0xc0) return '?' - FIRST;
  const char *start = *s - 1;
  while (((unsigned char)**s & 0xc0) == 0x80) (*s)++;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (*s - start == 2 && !memcmp(start, known[i].utf8, 2)) return known[i].letter - FIRST;
  return '?' - FIRST;
}

/* First and last column with ink; figures keep equal widths so that columns of numbers align. */
static void letter_span(int letter, int *first, int *last) {
  unsigned columns = 0;
  for (int row = 0; row < DOTS_HIGH; row++) columns |= letters[letter][row];
  *first = 0, *last = DOTS_WIDE - 1;
  if (!letter) *last = 2;
  if (!letter || (letter >= '0' - FIRST && letter <= '9' - FIRST)) return;
  while (!(columns >> (DOTS_WIDE - 1 - *first) & 1)) ++*first;
  while (!(columns >> (DOTS_WIDE - 1 - *last) & 1)) --*last;
}

static int dot(int letter, int row, int column) {
  return row >= 0 && row < DOTS_HIGH && column >= 0 && column < DOTS_WIDE &&
         (letters[letter][row] >> (DOTS_WIDE - 1 - column) & 1);
}

/* Where a text goes: along the page's x or, when vertical, upwards. */
struct pen {
  struct canvas *canvas; /* NULL: measure only */
  double x, y, along;    /* start of the baseline, advance so far */
  int vertical;
};

static void pen_stroke(const struct pen *pen, double u0, double v0, double u1, double v1, double width) {
  double u[2] = {pen->along + u0, pen->along + u1}, v[2] = {v0, v1}, x[2], y[2];
  for (int i = 0; i < 2; i++) {
    x[i] = pen->vertical ? pen->x + v[i] : pen->x + u[i];
    y[i] = pen->vertical ? pen->y - u[i] : pen->y + v[i];
  }
  stroke(pen->canvas, x[0], y[0], x[1], y[1], width);
}

/* Joins each dot to its neighbours; a diagonal only where no other way round the corner exists. */
static void pen_letter(struct pen *pen, int letter, double step, double raise) {
  int first, last;
  letter_span(letter, &first, &last);
  double width = 0.35 + 0.72 * step;
  for (int row = 0; pen->canvas && row < DOTS_HIGH; row++)
    for (int col = 0; col < DOTS_WIDE; col++) {
      if (!dot(letter, row, col)) continue;
      double u = (col - first) * step, v = (row - DOTS_ABOVE + 1) * step - raise;
      pen_stroke(pen, u, v, u, v, width);
      if (dot(letter, row, col + 1)) pen_stroke(pen, u, v, u + step, v, width);
      if (dot(letter, row + 1, col)) pen_stroke(pen, u, v, u, v + step, width);
      for (int side = -1; side < 2; side += 2)
        if (dot(letter, row + 1, col + side) && !dot(letter, row + 1, col) && !dot(letter, row, col + side))
          pen_stroke(pen, u, v, u + side * step, v + step, width);
    }
  pen->along += (last - first + (letter ? 2 : 1)) * step;
}

/* Bytes of an exponent ("^-18") or an index ("_x" in E_x, C_ext: up to 3 letters after a lone one) at s; 0 if none. */
static size_t small_part(const char *text_start, const char *s) {
  static const char figures[] = "0123456789";
  if (*s == '^') {
    size_t sign = s[1] == '+' || s[1] == '-', n = strspn(s + 1 + sign, figures);
    return n ? 1 + sign + n : 0;
  }
  if (*s != '_' || s == text_start || !isalpha((unsigned char)s[-1])) return 0;
  if (s - 1 > text_start && (isalnum((unsigned char)s[-2]) || s[-2] == '_')) return 0;
  size_t n = 1;
  while (isalnum((unsigned char)s[n])) n++;
  return n > 1 && n <= 4 && s[n] != '_' ? n : 0;
}

static void pen_text(struct pen *pen, const char *start, double step) {
  for (const char *s = start; *s;) {
    size_t n = small_part(start, s);
    double raise = *s == '^' ? 3.6 * step : -2 * step;
    if (!n) pen_letter(pen, next_letter(&s), step, 0);
    for (const char *end = s + n, *t = s + 1; n && t < end;) pen_letter(pen, next_letter(&t), 0.7 * step, raise);
    s += n;
  }
}

static double text_width(const char *s, double step) {
  struct pen pen = {NULL, 0, 0, 0, 0};
  pen_text(&pen, s, step);
  return pen.along > step ? pen.along - step : 0;
}

/* Text whose baseline starts, is centred or ends (align 0, 0.5, 1) at x, y; shrunk and moved as needed to stay on the
 * page. */
static void text(struct canvas *c, double x, double y, const char *s, double step, double align, int vertical) {
  double page = (vertical ? c->h : c->w) - 12, width = text_width(s, step);
  if (width > page) {
    step *= page / width;
    width = page;
  }
  double start = (vertical ? c->h - y : x) - width * align;
  start = floor(fmax(6, fmin(start, page + 6 - width))) + 0.5;
  struct pen pen = {c, vertical ? floor(x) + 0.5 : start, vertical ? c->h - start : floor(y) + 0.5, 0, vertical};
  pen_text(&pen, s, step);
  ink(c, INK);
}

/* --- Axes ------------------------------------------------------------------------------------- */

struct ticks {
  double lo, hi, step;
  int first, last, minor; /* ticks at step * [first, last], each step cut in `minor` */
  int exponent;           /* labels show value / 10^exponent */
};

static double power(int exponent) { return pow(10, exponent); }

/* Ticks at 1, 2 or 5 times a power of ten, at least `apart` of `pixels` from each other. */
static struct ticks round_ticks(double lo, double hi, double pixels, double apart) {
  struct ticks t = {.lo = lo, .hi = hi};
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

static void tick_label(const struct ticks *t, int i, char *label, size_t size) {
  double step = t->step / power(t->exponent);
  int decimals = (int)ceil(-log10(step) - 1e-6);
  if (decimals < 0) decimals = 0;
  if (decimals > 9) decimals = 9;
  snprintf(label, size, "%.*f", decimals, i ? i * step : 0);
}

static double widest_label(const struct ticks *t) {
  double most = 0;
  char label[48];
  for (int i = t->first; i <= t->last; i++) {
    tick_label(t, i, label, sizeof label);
    most = fmax(most, text_width(label, pitch));
  }
  return most;
}

/* "label" or, with an exponent, "label × 10^-9": placed where the axis has its name. */
static void axis_name(const struct ticks *t, const char *label, char *name, size_t size) {
  if (!label) label = "";
  if (t->exponent)
    snprintf(name, size, "%s%s(\xc3\x97 10^%d)", label, *label ? "  " : "", t->exponent);
  else
    snprintf(name, size, "%s", label);
}

/* The plot's rectangle in pixels with its axes. */
struct frame {
  int x, y, w, h;
  struct ticks tx, ty;
};

static double frame_x(const struct frame *f, double x) { return f->x + (x - f->tx.lo) / (f->tx.hi - f->tx.lo) * f->w; }
static double frame_y(const struct frame *f, double y) {
  return f->y + f->h - (y - f->ty.lo) / (f->ty.hi - f->ty.lo) * f->h;
}

static void draw_box(struct canvas *c, int x, int y, int w, int h) {
  double x0 = x - 0.5, y0 = y - 0.5, x1 = x + w + 0.5, y1 = y + h + 0.5;
  stroke(c, x0, y0, x1, y0, 1);
  stroke(c, x1, y0, x1, y1, 1);
  stroke(c, x1, y1, x0, y1, 1);
  stroke(c, x0, y1, x0, y0, 1);
  ink(c, INK);
}

/* Tick marks outside one side of the frame, in units of the tick step; along x when `side` is 0, else up from x `side`.
 */
static void draw_marks(struct canvas *c, const struct frame *f, const struct ticks *t, int horizontal, int from,
                       int away) {
  for (int k = t->first * t->minor - t->minor; k <= (t->last + 1) * t->minor; k++) {
    double value = k * t->step / t->minor, slack = 1e-6 * (t->hi - t->lo);
    if (value < t->lo - slack || value > t->hi + slack) continue;
    int length = k % t->minor ? 4 : 8;
    if (horizontal) {
      double x = floor(fmin(frame_x(f, value), f->x + f->w - 0.5)) + 0.5;
      stroke(c, x, from + 0.5, x, from + 0.5 + length, 1);
    } else {
      double at = f->y + f->h - (value - t->lo) / (t->hi - t->lo) * f->h, y = floor(fmin(at, f->y + f->h - 0.5)) + 0.5;
      stroke(c, from, y, from + away * length, y, 1);
    }
  }
  ink(c, INK);
}

static void draw_axes(struct canvas *c, const struct frame *f, const char *xlabel, const char *ylabel) {
  char label[256];
  draw_box(c, f->x, f->y, f->w, f->h);
  draw_marks(c, f, &f->tx, 1, f->y + f->h, 1);
  draw_marks(c, f, &f->ty, 0, f->x, -1);
  for (int i = f->tx.first; i <= f->tx.last; i++) {
    tick_label(&f->tx, i, label, sizeof label);
    text(c, frame_x(f, i * f->tx.step) - (i < 0 ? 3 * pitch : 0), f->y + f->h + 27, label, pitch, 0.5, 0);
  }
  for (int i = f->ty.first; i <= f->ty.last; i++) {
    tick_label(&f->ty, i, label, sizeof label);
    text(c, f->x - 14, frame_y(f, i * f->ty.step) + 6, label, pitch, 1, 0);
  }
  axis_name(&f->tx, xlabel, label, sizeof label);
  text(c, f->x + f->w / 2.0, f->y + f->h + 56, label, pitch, 0.5, 0);
  axis_name(&f->ty, ylabel, label, sizeof label);
  text(c, f->x - 14 - widest_label(&f->ty) - 16, f->y + f->h / 2.0, label, pitch, 0.5, 1);
}

/* Room that axes, names and a title take around the frame. */
static int room_left(const struct frame *f) { return (int)widest_label(&f->ty) + 14 + 16 + 14 + 16; }
enum { ROOM_BELOW = 74, ROOM_ABOVE = 24, ROOM_TITLE = 34, ROOM_RIGHT = 28 };

/* --- PNG -------------------------------------------------------------------------------------- */

static void png_failed(png_structp png, png_const_charp why) {
  (void)why;
  if (!errno) errno = EIO;
  png_longjmp(png, 1);
}

static void png_ignore(png_structp png, png_const_charp why) { (void)png, (void)why; }

static int put_png(FILE *file, const struct canvas *c) {
  errno = 0;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, png_failed, png_ignore);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info || setjmp(png_jmpbuf(png))) {
    int error = errno ? errno : ENOMEM;
    png_destroy_write_struct(&png, &info);
    errno = error;
    return -1;
  }
  png_init_io(png, file);
  png_set_IHDR(png, info, (png_uint_32)c->w, (png_uint_32)c->h, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  for (int y = 0; y < c->h; y++) png_write_row(png, c->rgb + 3 * (size_t)y * (size_t)c->w);
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  return 0;
}

static int save(const char *path, const struct canvas *c) {
  FILE *file = tor_folder_create(path);
  if (!file) return -1;
  if (put_png(file, c)) {
    tor_folder_discard(file, path);
    return -1;
  }
  return tor_folder_commit(file, path);
}

/* --- Map -------------------------------------------------------------------------------------- */

/* Mean over the cells under one pixel, weighted by overlap: [x0, x1) by [y0, y1) in cells. NaN if a cell is not finite.
 */
static double box_mean(const struct tor_image *image, double x0, double x1, double y0, double y1) {
  double sum = 0, weight = 0;
  for (int j = (int)y0; j < image->ny && j < y1; j++)
    for (int i = (int)x0; i < image->nx && i < x1; i++) {
      double wx = fmin(x1, i + 1) - fmax(x0, i), wy = fmin(y1, j + 1) - fmax(y0, j);
      if (wx <= 0 || wy <= 0) continue;
      sum += wx * wy * image->values[(size_t)j * (size_t)image->nx + (size_t)i];
      weight += wx * wy;
    }
  return sum / weight;
}

/* Cells along one axis that a pixel shows: a range when the array is larger than the plot, otherwise the one in its
 * middle. */
static void cells_under(int p, int pixels, int cells, double range[2]) {
  if (cells > pixels) {
    range[0] = (double)p * cells / pixels;
    range[1] = (p + 1.0) * cells / pixels;
  } else {
    range[0] = floor((p + 0.5) * cells / pixels);
    range[1] = range[0] + 1;
  }
}

static double largest(const struct tor_image *image) {
  double most = 0;
  size_t n = (size_t)image->nx * (size_t)image->ny;
  for (size_t i = 0; i < n; i++)
    if (isfinite(image->values[i])) most = fmax(most, fabs(image->values[i]));
  return most > 1e-290 ? fmin(most, 1e290) : 1;
}

static void draw_values(struct canvas *c, const struct frame *f, const struct tor_image *image, double limit,
                        unsigned char colours[TOR_IMAGE_COLOURS][3]) {
  for (int y = 0; y < f->h; y++)
    for (int x = 0; x < f->w; x++) {
      double rx[2], ry[2];
      cells_under(x, f->w, image->nx, rx);
      cells_under(f->h - 1 - y, f->h, image->ny, ry);
      double t = box_mean(image, rx[0], rx[1], ry[0], ry[1]) / limit;
      if (!isfinite(t)) {
        fill(c, f->x + x, f->y + y, 1, 1, MISSING);
        continue;
      }
      if (image->mode == TOR_IMAGE_DIVERGING) t = (t + 1) / 2;
      t = t < 0 ? 0 : t > 1 ? 1 : t;
      memcpy(pixel(c, f->x + x, f->y + y), colours[lround(t * (TOR_IMAGE_COLOURS - 1))], 3);
    }
}

static int id_at(const struct frame *f, const struct tor_image *image, int x, int y) {
  int i = (int)((x + 0.5) * image->nx / f->w), j = (int)((f->h - y - 0.5) * image->ny / f->h);
  return image->outline[(size_t)j * (size_t)image->nx + (size_t)i];
}

/* Where the material changes to the right or below: a thin dark line, light on dark ground. */
static void draw_outline(struct canvas *c, const struct frame *f, const struct tor_image *image) {
  for (int y = 0; y < f->h; y++)
    for (int x = 0; x < f->w; x++) {
      int id = id_at(f, image, x, y);
      if ((x + 1 == f->w || id == id_at(f, image, x + 1, y)) && (y + 1 == f->h || id == id_at(f, image, x, y + 1)))
        continue;
      unsigned char *rgb = pixel(c, f->x + x, f->y + y);
      double light = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
      blend(rgb, light > 80 ? 0x101010 : 0xf0f0f0, light > 80 ? 0.75 : 0.65);
    }
}

static void draw_bar(struct canvas *c, const struct frame *bar, const char *label,
                     unsigned char colours[TOR_IMAGE_COLOURS][3]) {
  char name[256];
  for (int y = 0; y < bar->h; y++) {
    const unsigned char *rgb = colours[lround((bar->h - 0.5 - y) / bar->h * (TOR_IMAGE_COLOURS - 1))];
    fill(c, bar->x, bar->y + y, bar->w, 1, (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2]);
  }
  draw_box(c, bar->x, bar->y, bar->w, bar->h);
  draw_marks(c, bar, &bar->ty, 0, bar->x + bar->w, 1);
  double widest = widest_label(&bar->ty);
  for (int i = bar->ty.first; i <= bar->ty.last; i++) {
    tick_label(&bar->ty, i, name, sizeof name);
    text(c, bar->x + bar->w + 14 + widest, frame_y(bar, i * bar->ty.step) + 6, name, pitch, 1, 0);
  }
  axis_name(&bar->ty, label, name, sizeof name);
  text(c, bar->x + bar->w + 14 + widest + 30, bar->y + bar->h / 2.0, name, pitch, 0.5, 1);
}

/* Pixels of the plot: square cells get a whole number each as long as the array is smaller than the picture. */
static void map_size(const struct tor_image *image, int *w, int *h) {
  double lx = image->x[1] - image->x[0], ly = image->y[1] - image->y[0], cell = fmin(lx / image->nx, ly / image->ny);
  double longest = fmax(lx, ly) / cell, scale = LONGEST_SIDE / longest;
  if (scale >= 1) scale = floor(scale);
  *w = (int)fmax(SHORTEST_SIDE, round(lx / cell * scale));
  *h = (int)fmax(SHORTEST_SIDE, round(ly / cell * scale));
}

static int good_extent(const double extent[2]) {
  double most = fmax(fabs(extent[0]), fabs(extent[1]));
  return isfinite(most) && extent[1] - extent[0] > narrowest * most;
}

int tor_image_write(const char *path, const struct tor_image *image) {
  if (image->nx < 1 || image->ny < 1 || !good_extent(image->x) || !good_extent(image->y)) {
    errno = EINVAL;
    return -1;
  }
  struct frame f, bar;
  struct canvas c;
  unsigned char colours[TOR_IMAGE_COLOURS][3];
  double limit = image->limit > 0 ? image->limit : largest(image);
  map_size(image, &f.w, &f.h);
  bar.w = BAR_WIDTH;
  bar.h = f.h > 240 ? f.h : 240;
  f.tx = round_ticks(image->x[0], image->x[1], f.w, 90);
  f.ty = round_ticks(image->y[0], image->y[1], f.h, 60);
  bar.ty = round_ticks(image->mode == TOR_IMAGE_DIVERGING ? -limit : 0, limit, bar.h, 60);
  f.x = room_left(&f);
  bar.y = ROOM_ABOVE + (image->title ? ROOM_TITLE : 0);
  f.y = bar.y + (bar.h - f.h) / 2;
  bar.x = f.x + f.w + ROOM_RIGHT;
  if (canvas_open(&c, bar.x + bar.w + 14 + (int)widest_label(&bar.ty) + 48, bar.y + bar.h + ROOM_BELOW)) return -1;
  tor_image_colours(image->mode, colours);
  draw_values(&c, &f, image, limit, colours);
  if (image->outline) draw_outline(&c, &f, image);
  draw_axes(&c, &f, image->xlabel, image->ylabel);
  draw_bar(&c, &bar, image->bar_label, colours);
  if (image->title) text(&c, f.x + f.w / 2.0, f.y - 18, image->title, title_pitch, 0.5, 0);
  int status = save(path, &c);
  canvas_close(&c);
  return status;
}

/* --- Lines ------------------------------------------------------------------------------------ */

/* Okabe and Ito's colours, which stay apart for the colour-blind. */
static const uint32_t palette[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000};
enum { PALETTE = sizeof palette / sizeof *palette, PLOT_WIDTH = 860, PLOT_HEIGHT = 520, LEGEND_ROW = 26 };

static uint32_t series_colour(const struct tor_image_plot *plot, int k) {
  int wanted = plot->series[k].colour;
  if (wanted > 0) return palette[(wanted - 1) % PALETTE];
  int place = 0;
  for (int i = 0; i < k; i++) place += plot->series[i].colour <= 0;
  return palette[place % PALETTE];
}

/* Smallest and largest finite value over all points; 0 when there is none. */
static int plot_range(const struct tor_image_plot *plot, double x[2], double y[2]) {
  x[0] = y[0] = HUGE_VAL;
  x[1] = y[1] = -HUGE_VAL;
  for (int k = 0; k < plot->nseries; k++)
    for (int i = 0; i < plot->series[k].n; i++) {
      double px = plot->series[k].x[i], py = plot->series[k].y[i];
      if (!(fabs(px) < 1e290 && fabs(py) < 1e290)) continue;
      x[0] = fmin(x[0], px), x[1] = fmax(x[1], px);
      y[0] = fmin(y[0], py), y[1] = fmax(y[1], py);
    }
  return x[0] <= x[1];
}

/* Air around the data; from zero when the data come near it; never empty. */
static void widen(double x[2], double y[2]) {
  double room = (x[1] - x[0]) * 0.02;
  if (room <= fabs(x[0]) * narrowest) room = x[0] != 0 ? fabs(x[0]) * 0.1 : 1;
  x[0] -= room, x[1] += room;
  int from_zero = y[0] >= 0 && y[0] < 0.4 * y[1];
  room = (y[1] - y[0]) * 0.06;
  if (room <= fabs(y[1]) * narrowest) room = y[1] != 0 ? fabs(y[1]) * 0.1 : 1;
  y[0] = from_zero ? 0 : y[0] - room;
  y[1] += room;
}

static void draw_grid(struct canvas *c, const struct frame *f) {
  for (int i = f->tx.first; i <= f->tx.last; i++) fill(c, (int)frame_x(f, i * f->tx.step), f->y, 1, f->h, GRID);
  for (int i = f->ty.first; i <= f->ty.last; i++) fill(c, f->x, (int)frame_y(f, i * f->ty.step), f->w, 1, GRID);
}

static void draw_circle(struct canvas *c, double x, double y, double radius, uint32_t colour) {
  enum { SIDES = 24 };
  stroke(c, x, y, x, y, 2 * radius);
  ink(c, 0xffffff);
  for (int i = 0; i < SIDES; i++) {
    double a = 2 * TOR_PI * i / SIDES, b = 2 * TOR_PI * (i + 1) / SIDES;
    stroke(c, x + radius * cos(a), y + radius * sin(a), x + radius * cos(b), y + radius * sin(b), 1.8);
  }
  ink(c, colour);
}

static void draw_series(struct canvas *c, const struct frame *f, const struct tor_image_series *s, uint32_t colour) {
  double last_x = (double)NAN, last_y = last_x;
  for (int i = 0; i < s->n; i++) {
    double x = frame_x(f, s->x[i]), y = frame_y(f, s->y[i]);
    int good = fabs(x) < 1e6 && fabs(y) < 1e6; /* not so for NaN */
    if (good && s->markers)
      draw_circle(c, x, y, 4, colour);
    else if (good)
      stroke(c, isfinite(last_x) ? last_x : x, isfinite(last_x) ? last_y : y, x, y, 2.4);
    last_x = good ? x : (double)NAN, last_y = y;
  }
  ink(c, colour);
}

/* The legend stands above the plot, in rows, where it hides nothing. Returns its height; draws it if there is a canvas.
 */
static int legend(struct canvas *c, const struct frame *f, const struct tor_image_plot *plot, int top) {
  int row = 0;
  double x = 0;
  for (int k = 0; k < plot->nseries; k++) {
    const struct tor_image_series *s = &plot->series[k];
    if (!s->label) continue;
    double width = 40 + text_width(s->label, pitch) + 28;
    if (x > 0 && x + width - 28 > f->w) x = 0, row++;
    if (c) {
      double y = top + row * LEGEND_ROW + 13.5, left = f->x + x;
      if (s->markers)
        draw_circle(c, left + 15, y, 4, series_colour(plot, k));
      else {
        stroke(c, left + 1, y, left + 29, y, 2.4);
        ink(c, series_colour(plot, k));
      }
      text(c, left + 40, y + 6, s->label, pitch, 0, 0);
    }
    x += width;
  }
  return x > 0 ? (row + 1) * LEGEND_ROW + 6 : 0;
}

int tor_image_lines(const char *path, const struct tor_image_plot *plot) {
  double x[2], y[2];
  if (!plot_range(plot, x, y)) {
    errno = EINVAL;
    return -1;
  }
  struct canvas c;
  struct frame f = {.w = PLOT_WIDTH, .h = PLOT_HEIGHT};
  widen(x, y);
  f.tx = round_ticks(x[0], x[1], f.w, 90);
  f.ty = round_ticks(y[0], y[1], f.h, 60);
  f.x = room_left(&f);
  int top = ROOM_ABOVE + (plot->title ? ROOM_TITLE : 0);
  f.y = top + legend(NULL, &f, plot, 0);
  if (canvas_open(&c, f.x + f.w + ROOM_RIGHT, f.y + f.h + ROOM_BELOW)) return -1;
  draw_grid(&c, &f);
  draw_axes(&c, &f, plot->xlabel, plot->ylabel);
  for (int markers = 0; markers < 2; markers++)
    for (int k = 0; k < plot->nseries; k++)
      if (!plot->series[k].markers == !markers) draw_series(&c, &f, &plot->series[k], series_colour(plot, k));
  legend(&c, &f, plot, top - 6);
  if (plot->title) text(&c, f.x + f.w / 2.0, top - 18, plot->title, title_pitch, 0.5, 0);
  int status = save(path, &c);
  canvas_close(&c);
  return status;
}
