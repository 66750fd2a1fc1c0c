/* Text in the font that is compiled in: see image_parts.h. */
#include <cairo-ft.h>
#include <cairo.h>
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "io/image/image_parts.h"

extern const unsigned char tor_image_font[]; /* generated from font/ */
extern const size_t tor_image_font_size;

static cairo_font_face_t *face;

static void load(void) {
  FT_Library library;
  FT_Face font;
  if (FT_Init_FreeType(&library)) return;
  if (FT_New_Memory_Face(library, tor_image_font, (FT_Long)tor_image_font_size, 0, &font)) return;
  face = cairo_ft_font_face_create_for_ft_face(font, FT_LOAD_NO_HINTING);
}

/* Kept for all pictures of the process. */
cairo_font_face_t *tor_text_font(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return face;
}

/* Bytes of the letter at s when it is UTF-8 of at most three bytes, which is all that the font has; 0: it is not. */
static int letter(const char *s) {
  const unsigned char *u = (const unsigned char *)s;
  if (u[0] < 0x80) return u[0] >= ' ' && u[0] != 0x7f;
  if (u[0] < 0xc2 || u[0] > 0xef || (u[1] & 0xc0) != 0x80) return 0;
  if (u[0] < 0xe0) return 2;
  if ((u[0] == 0xe0 && u[1] < 0xa0) || u[0] > 0xec) return 0;
  return (u[2] & 0xc0) == 0x80 ? 3 : 0;
}

/* Bytes of an exponent ("^-18") or an index ("_x" in E_x, C_ext: up to 3 letters after a lone one) at s; 0 if none. */
static size_t small_part(const char *text, const char *s) {
  if (*s == '^') {
    const size_t sign = s[1] == '+' || s[1] == '-', n = strspn(s + 1 + sign, "0123456789");
    return n ? 1 + sign + n : 0;
  }
  if (*s != '_' || s == text || !isalpha((unsigned char)s[-1])) return 0;
  if (s - 1 > text && (isalnum((unsigned char)s[-2]) || s[-2] == '_')) return 0;
  size_t n = 1;
  while (isalnum((unsigned char)s[n])) n++;
  return n > 1 && n <= 4 && s[n] != '_' ? n : 0;
}

/* A hyphen before a number that belongs to no word. */
static int is_minus(const char *text, const char *s) {
  return *s == '-' && isdigit((unsigned char)s[1]) && (s == text || !isalnum((unsigned char)s[-1]));
}

/* Draws letters of one size where the pen is, or only moves it. */
static double put(cairo_t *page, double x, double y, const char *letters, double size, int draw) {
  cairo_text_extents_t extents;
  cairo_set_font_size(page, size);
  cairo_text_extents(page, letters, &extents);
  if (draw) {
    cairo_move_to(page, x, y);
    cairo_show_text(page, letters);
  }
  return x + extents.x_advance;
}

/* The whole text from the origin; other bytes become a question mark, a minus sign is as wide as a plus. */
static double walk(cairo_t *page, const char *text, double size, int draw) {
  char run[256];
  double x = 0;
  for (const char *s = text; *s;) {
    const size_t small = small_part(text, s);
    const char *end = small ? s + small : s + 1;
    const double raise = !small ? 0 : *s == '^' ? -0.4 * size : 0.2 * size;
    size_t n = 0;
    if (small) s++;
    while (*s && (small ? s < end : !small_part(text, s)) && n + 4 < sizeof run) {
      const int bytes = letter(s), minus = is_minus(text, s);
      memcpy(run + n, minus ? "\xe2\x88\x92" : bytes ? s : "?", minus ? 3 : bytes ? (size_t)bytes : 1);
      n += minus ? 3 : bytes ? (size_t)bytes : 1;
      s += bytes ? bytes : 1;
    }
    run[n] = 0;
    x = put(page, x, raise, run, small ? 0.7 * size : size, draw);
  }
  return x;
}

double tor_text_width(cairo_t *page, const char *text, double size) { return walk(page, text, size, 0); }

void tor_text_draw(cairo_t *page, double x, double y, const char *text, double size, double align, int turned,
                   double most) {
  const double width = walk(page, text, size, 0);
  cairo_save(page);
  cairo_translate(page, x, y);
  if (turned) cairo_rotate(page, -atan2(1, 0));
  tor_page_colour(page, TOR_IMAGE_INK);
  if (width > most) size *= most / width;
  cairo_translate(page, -align * fmin(width, most), 0);
  walk(page, text, size, 1);
  cairo_restore(page);
}
