/* Drawing functions common to both kinds of picture. For io/image/image_*.c alone.
 *
 * Units are pixels of a PNG file, half points of an SVG or PDF file; x runs right, y down, and the plot's upper left
 * corner is the origin. The page is as large as the drawing, with a margin. */
#ifndef TOR_IO_IMAGE_IMAGE_PARTS_H
#define TOR_IO_IMAGE_IMAGE_PARTS_H

#include <cairo.h>
#include <stdint.h>

#include "io/image/image.h"

enum {
  TOR_IMAGE_INK = 0x222222,
  TOR_IMAGE_LETTERS = 22,
  TOR_IMAGE_TITLE = 24,
  TOR_IMAGE_LEGEND_ROW = 32
}; /* colour; sizes */
#define TOR_IMAGE_NARROWEST 1e-7 /* an axis shorter than this part of its values has no ticks that can be read */

/* --- Page (image_page.c) --- */

/* Draws on a page; called twice: the first time it is only measured. */
typedef void tor_page_draw(cairo_t *page, const void *what);
/* Writes the drawing of `draw` to the file, whole or not at all. Returns 0, or -1 with errno. */
int tor_page_write(const char *path, tor_page_draw *draw, const void *what);
void tor_page_colour(cairo_t *page, uint32_t rgb);

/* --- Text (image_text.c) --- */

cairo_font_face_t *tor_text_font(void);
double tor_text_width(cairo_t *page, const char *text, double size);
/* Text whose baseline starts, is centred or ends (align 0, 0.5, 1) at x, y; turned by a quarter it reads upwards.
 * Letters get smaller where it would be wider than `most`. */
void tor_text_draw(cairo_t *page, double x, double y, const char *text, double size, double align, int turned,
                   double most);

/* --- Axes (image_axis.c) --- */

struct tor_axis {
  double lo, hi, length; /* values at the ends, pixels between */
  int log;               /* base, 0: linear */
  int exponent;          /* labels show value / 10^exponent */
  int n, nminor;
  double tick[64], minor[256];
  char label[64][24];
};

/* Ticks at round values, at least `apart` pixels from each other. */
struct tor_axis tor_axis_make(double lo, double hi, int log, double length, double apart);
/* Of phases, -180 to 180, with ticks at quarters. */
struct tor_axis tor_axis_degrees(double length);
/* Pixels from lo to a value. */
double tor_axis_place(const struct tor_axis *axis, double value);

enum tor_axis_where { TOR_AXIS_BELOW, TOR_AXIS_LEFT, TOR_AXIS_RIGHT };
/* Ticks, labels and the axis' name on that side of a line that starts (the value lo) at x, y. */
void tor_axis_draw(cairo_t *page, const struct tor_axis *axis, enum tor_axis_where where, double x, double y,
                   const char *name);
/* A frame around, not over, a rectangle. */
void tor_axis_frame(cairo_t *page, double x, double y, double w, double h);

/* --- Series (image_lines.c) --- */

uint32_t tor_series_colour(const struct tor_image_plot *plot, int k);
/* The pen of a style. */
void tor_series_pen(cairo_t *page, enum tor_image_style style, uint32_t colour);
/* The legend above the plot, in rows of `wide`, where it hides no data. Returns its rows; draws it when they are given.
 */
int tor_series_legend(cairo_t *page, const struct tor_image_plot *plot, double wide, int rows);

/* --- Lines over a map (image_paths.c) --- */

/* The paths of an image whose plot is w x h pixels; dark: it lies on dark colours. */
void tor_paths_draw(cairo_t *page, const struct tor_image *image, double w, double h, int dark);
/* The legend of the paths and areas that occur, its last row ends above y, in rows of `width`. Returns its height. */
double tor_paths_legend(cairo_t *page, const struct tor_image *image, double y, double width);

#endif
