/* Letters: a 5x9 dot font whose dots are joined by strokes. See image_parts.h. */
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "io/image/image_parts.h"

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
  struct tor_canvas *canvas; /* NULL: measure only */
  double x, y, along;        /* start of the baseline, advance so far */
  int vertical;
};

static void pen_stroke(const struct pen *pen, double u0, double v0, double u1, double v1, double width) {
  double u[2] = {pen->along + u0, pen->along + u1}, v[2] = {v0, v1}, x[2], y[2];
  for (int i = 0; i < 2; i++) {
    x[i] = pen->vertical ? pen->x + v[i] : pen->x + u[i];
    y[i] = pen->vertical ? pen->y - u[i] : pen->y + v[i];
  }
  tor_canvas_stroke(pen->canvas, x[0], y[0], x[1], y[1], width);
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

double tor_font_width(const char *s, double step) {
  struct pen pen = {NULL, 0, 0, 0, 0};
  pen_text(&pen, s, step);
  return pen.along > step ? pen.along - step : 0;
}

/* Text whose baseline starts, is centred or ends (align 0, 0.5, 1) at x, y; shrunk and moved as needed to stay on the
 * page. */
void tor_font_draw(struct tor_canvas *c, double x, double y, const char *s, double step, double align, int vertical) {
  double page = (vertical ? c->h : c->w) - 12, width = tor_font_width(s, step);
  if (width > page) {
    step *= page / width;
    width = page;
  }
  double start = (vertical ? c->h - y : x) - width * align;
  start = floor(fmax(6, fmin(start, page + 6 - width))) + 0.5;
  struct pen pen = {c, vertical ? floor(x) + 0.5 : start, vertical ? c->h - start : floor(y) + 0.5, 0, vertical};
  pen_text(&pen, s, step);
  tor_canvas_ink(c, TOR_IMAGE_INK);
}
