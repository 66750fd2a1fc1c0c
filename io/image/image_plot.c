/* A line plot: see image.h. */
#include "io/image/image.h"

#include <errno.h>
#include <math.h>

#include "src/base/units.h"
#include "io/image/image_parts.h"

enum { GRID = 0xe6e6e6 };

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
  double capacity = (x[1] - x[0]) * 0.02;
  if (capacity <= fabs(x[0]) * TOR_IMAGE_NARROWEST) capacity = x[0] != 0 ? fabs(x[0]) * 0.1 : 1;
  x[0] -= capacity, x[1] += capacity;
  int from_zero = y[0] >= 0 && y[0] < 0.4 * y[1];
  capacity = (y[1] - y[0]) * 0.06;
  if (capacity <= fabs(y[1]) * TOR_IMAGE_NARROWEST) capacity = y[1] != 0 ? fabs(y[1]) * 0.1 : 1;
  y[0] = from_zero ? 0 : y[0] - capacity;
  y[1] += capacity;
}

static void draw_grid(struct tor_canvas *c, const struct tor_frame *f) {
  for (int i = f->tx.first; i <= f->tx.last; i++)
    tor_canvas_fill(c, (int)tor_frame_x(f, i * f->tx.step), f->y, 1, f->h, GRID);
  for (int i = f->ty.first; i <= f->ty.last; i++)
    tor_canvas_fill(c, f->x, (int)tor_frame_y(f, i * f->ty.step), f->w, 1, GRID);
}

static void draw_circle(struct tor_canvas *c, double x, double y, double radius, uint32_t colour) {
  enum { SIDES = 24 };
  tor_canvas_stroke(c, x, y, x, y, 2 * radius);
  tor_canvas_ink(c, 0xffffff);
  for (int i = 0; i < SIDES; i++) {
    double a = 2 * TOR_PI * i / SIDES, b = 2 * TOR_PI * (i + 1) / SIDES;
    tor_canvas_stroke(c, x + radius * cos(a), y + radius * sin(a), x + radius * cos(b), y + radius * sin(b), 1.8);
  }
  tor_canvas_ink(c, colour);
}

static void draw_series(struct tor_canvas *c, const struct tor_frame *f, const struct tor_image_series *s,
                        uint32_t colour) {
  double last_x = (double)NAN, last_y = last_x;
  for (int i = 0; i < s->n; i++) {
    double x = tor_frame_x(f, s->x[i]), y = tor_frame_y(f, s->y[i]);
    int good = fabs(x) < 1e6 && fabs(y) < 1e6; /* not so for NaN */
    if (good && s->markers)
      draw_circle(c, x, y, 4, colour);
    else if (good)
      tor_canvas_stroke(c, isfinite(last_x) ? last_x : x, isfinite(last_x) ? last_y : y, x, y, 2.4);
    last_x = good ? x : (double)NAN, last_y = y;
  }
  tor_canvas_ink(c, colour);
}

/* The legend stands above the plot, in rows, where it hides nothing. Returns its height; draws it if there is a canvas.
 */
static int legend(struct tor_canvas *c, const struct tor_frame *f, const struct tor_image_plot *plot, int top) {
  int row = 0;
  double x = 0;
  for (int k = 0; k < plot->nseries; k++) {
    const struct tor_image_series *s = &plot->series[k];
    if (!s->label) continue;
    double width = 40 + tor_font_width(s->label, TOR_IMAGE_PITCH) + 28;
    if (x > 0 && x + width - 28 > f->w) x = 0, row++;
    if (c) {
      double y = top + row * LEGEND_ROW + 13.5, left = f->x + x;
      if (s->markers)
        draw_circle(c, left + 15, y, 4, series_colour(plot, k));
      else {
        tor_canvas_stroke(c, left + 1, y, left + 29, y, 2.4);
        tor_canvas_ink(c, series_colour(plot, k));
      }
      tor_font_draw(c, left + 40, y + 6, s->label, TOR_IMAGE_PITCH, 0, 0);
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
  struct tor_canvas c;
  struct tor_frame f = {.w = PLOT_WIDTH, .h = PLOT_HEIGHT};
  widen(x, y);
  f.tx = tor_ticks_make(x[0], x[1], f.w, 90);
  f.ty = tor_ticks_make(y[0], y[1], f.h, 60);
  f.x = tor_frame_left(&f);
  int top = TOR_FRAME_ABOVE + (plot->title ? TOR_FRAME_TITLE : 0);
  f.y = top + legend(NULL, &f, plot, 0);
  if (tor_canvas_open(&c, f.x + f.w + TOR_FRAME_RIGHT, f.y + f.h + TOR_FRAME_BELOW)) return -1;
  draw_grid(&c, &f);
  tor_frame_axes(&c, &f, plot->xlabel, plot->ylabel);
  for (int markers = 0; markers < 2; markers++)
    for (int k = 0; k < plot->nseries; k++)
      if (!plot->series[k].markers == !markers) draw_series(&c, &f, &plot->series[k], series_colour(plot, k));
  legend(&c, &f, plot, top - 6);
  if (plot->title) tor_font_draw(&c, f.x + f.w / 2.0, top - 18, plot->title, TOR_IMAGE_TITLE_PITCH, 0.5, 0);
  int status = tor_canvas_save(path, &c);
  tor_canvas_close(&c);
  return status;
}
