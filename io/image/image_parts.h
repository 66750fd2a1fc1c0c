/* What the two kinds of picture are drawn with. For io/image*.c alone.
 *
 * Pixel coordinates run right and down; pixel i covers i to i + 1. Colours are 0xrrggbb. */
#ifndef TOR_IO_IMAGE_IMAGE_PARTS_H
#define TOR_IO_IMAGE_IMAGE_PARTS_H

#include <stddef.h>
#include <stdint.h>

enum { TOR_IMAGE_INK = 0x222222 }; /* of text and axes */
#define TOR_IMAGE_PITCH 2.0        /* pixels from dot to dot of the letters */
#define TOR_IMAGE_TITLE_PITCH 2.4
#define TOR_IMAGE_NARROWEST 1e-7 /* an axis shorter than this part of its values has no ticks that can be read */

/* --- Canvas (image_canvas.c) --- */

/* Strokes gather in the mask and are laid on in one colour at once, so that joints do not darken. */
struct tor_canvas {
  int w, h;
  unsigned char *rgb, *mask; /* [h][w][3], [h][w]; owned */
  int dirty[4];              /* part of the mask in use: x0, y0, x1, y1 */
};

/* A white canvas; 0, or -1 with errno. */
int tor_canvas_open(struct tor_canvas *c, int w, int h);
void tor_canvas_close(struct tor_canvas *c);
unsigned char *tor_canvas_pixel(struct tor_canvas *c, int x, int y);
/* Moves a pixel towards a colour by the share `cover`. */
void tor_canvas_blend(unsigned char *rgb, uint32_t colour, double cover);
void tor_canvas_fill(struct tor_canvas *c, int x, int y, int w, int h, uint32_t colour);
/* Adds a segment with round ends to the mask; where it crosses a pixel partly, that share. */
void tor_canvas_stroke(struct tor_canvas *c, double ax, double ay, double bx, double by, double width);
/* Lays the gathered strokes on. */
void tor_canvas_ink(struct tor_canvas *c, uint32_t colour);
/* Writes a PNG file, whole or not at all; 0, or -1 with errno. */
int tor_canvas_save(const char *path, const struct tor_canvas *c);

/* --- Letters (image_font.c) --- */

double tor_font_width(const char *s, double step);
/* Text whose baseline starts, is centred or ends (align 0, 0.5, 1) at x, y; shrunk and moved as needed to stay on the
 * page. */
void tor_font_draw(struct tor_canvas *c, double x, double y, const char *s, double step, double align, int vertical);

/* --- Axes (image_axes.c) --- */

struct tor_ticks {
  double lo, hi, step;
  int first, last, minor; /* ticks at step * [first, last], each step cut in `minor` */
  int exponent;           /* labels show value / 10^exponent */
};

/* Ticks at 1, 2 or 5 times a power of ten, at least `apart` of `pixels` from each other. */
struct tor_ticks tor_ticks_make(double lo, double hi, double pixels, double apart);
void tor_ticks_label(const struct tor_ticks *t, int i, char *label, size_t size);
/* Width of the widest label [pixels]. */
double tor_ticks_widest(const struct tor_ticks *t);
/* "label" or, with an exponent, "label × 10^-9": placed where the axis has its name. */
void tor_ticks_name(const struct tor_ticks *t, const char *label, char *name, size_t size);

/* The plot's rectangle in pixels with its axes. */
struct tor_frame {
  int x, y, w, h;
  struct tor_ticks tx, ty;
};

/* Room that axes, names and a title take around the frame; the left side's depends on the labels. */
enum { TOR_FRAME_BELOW = 74, TOR_FRAME_ABOVE = 24, TOR_FRAME_TITLE = 34, TOR_FRAME_RIGHT = 28 };
int tor_frame_left(const struct tor_frame *f);

/* Pixel of a value. */
double tor_frame_x(const struct tor_frame *f, double x);
double tor_frame_y(const struct tor_frame *f, double y);
void tor_frame_box(struct tor_canvas *c, int x, int y, int w, int h);
/* Tick marks outside one side of the frame: horizontal, below y = from; else beside x = from, to the right (away = 1)
 * or left (-1). */
void tor_frame_marks(struct tor_canvas *c, const struct tor_frame *f, const struct tor_ticks *t, int horizontal,
                     int from, int away);
void tor_frame_axes(struct tor_canvas *c, const struct tor_frame *f, const char *xlabel, const char *ylabel);

#endif
