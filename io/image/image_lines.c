/* A line plot: see image.h. */
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "io/image/image.h"
#include "io/image/image_parts.h"
#include "src/base/units.h"

/* Okabe and Ito's colours, which stay apart for the colour-blind. */
static const uint32_t palette[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000};
enum { PALETTE = sizeof palette / sizeof *palette, GRID = 0xe6e6e6, GREY = 0x808080 };
enum { WIDTH = 900, HEIGHT = 560, SAMPLE = 36, BAR_HEIGHT = 22 };
static const double line_width = 2.6;

uint32_t tor_series_colour(const struct tor_image_plot *plot, int k) {
  const int wanted = plot->series[k].colour;
  if (wanted) return wanted < 0 ? GREY : palette[(wanted - 1) % PALETTE];
  int place = 0;
  for (int i = 0; i < k; i++) place += !plot->series[i].colour;
  return palette[place % PALETTE];
}

static int good(double v, int log) { return fabs(v) < 1e290 && (!log || v > 1e-290); }

/* Smallest and largest value over all points that can be drawn; 0 when there is none. */
static int plot_range(const struct tor_image_plot *plot, double x[2], double y[2]) {
  x[0] = y[0] = HUGE_VAL;
  x[1] = y[1] = -HUGE_VAL;
  for (int k = 0; k < plot->nseries; k++)
    for (int i = 0; i < plot->series[k].n; i++) {
      const double px = plot->series[k].x[i], py = plot->series[k].y[i];
      if (!good(px, plot->xlog) || !good(py, plot->ylog)) continue;
      x[0] = fmin(x[0], px), x[1] = fmax(x[1], px);
      y[0] = fmin(y[0], py), y[1] = fmax(y[1], py);
    }
  return x[0] <= x[1];
}

/* Margin around the data, that part of their range; never empty. From zero when the data are near it. */
static void widen(double v[2], int log, double part, int from_zero) {
  if (log) {
    const double times = fmax(pow(v[1] / v[0], part), 1.05);
    v[0] /= times, v[1] *= times;
    return;
  }
  double air = (v[1] - v[0]) * part;
  if (air <= fmax(fabs(v[0]), fabs(v[1])) * TOR_IMAGE_NARROWEST) air = v[0] != 0 ? fabs(v[0]) * 0.1 : 1;
  v[0] = from_zero && v[0] >= 0 && v[0] < 0.4 * v[1] ? 0 : v[0] - air;
  v[1] += air;
}

static void draw_grid(cairo_t *page, const struct tor_axis *x, const struct tor_axis *y) {
  tor_page_colour(page, GRID);
  cairo_set_line_width(page, 1);
  for (int i = 0; i < x->n; i++) {
    cairo_move_to(page, floor(tor_axis_place(x, x->tick[i])) + 0.5, 0);
    cairo_rel_line_to(page, 0, y->length);
  }
  for (int i = 0; i < y->n; i++) {
    cairo_move_to(page, 0, floor(y->length - tor_axis_place(y, y->tick[i])) + 0.5);
    cairo_rel_line_to(page, x->length, 0);
  }
  cairo_stroke(page);
}

/* The pen of a style. */
void tor_series_pen(cairo_t *page, enum tor_image_style style, uint32_t colour) {
  const double dash[] = {9, 7};
  tor_page_colour(page, colour);
  cairo_set_line_width(page, style == TOR_IMAGE_BAR ? BAR_HEIGHT : line_width);
  cairo_set_line_cap(page, style == TOR_IMAGE_LINE ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  cairo_set_line_join(page, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(page, dash, style == TOR_IMAGE_DASHED ? 2 : 0, 0);
}

static void draw_circle(cairo_t *page, double x, double y, enum tor_image_style style, uint32_t colour) {
  cairo_new_sub_path(page);
  cairo_arc(page, x, y, 5, 0, 2 * TOR_PI);
  tor_page_colour(page, style == TOR_IMAGE_DOTS ? colour : 0xffffff);
  cairo_fill_preserve(page);
  cairo_set_line_width(page, 2);
  tor_page_colour(page, colour);
  cairo_stroke(page);
}

static int has_line(const struct tor_image_series *s) {
  return s->style != TOR_IMAGE_POINTS && s->style != TOR_IMAGE_DOTS;
}

static int has_points(const struct tor_image_series *s) {
  return s->style == TOR_IMAGE_POINTS || s->style == TOR_IMAGE_DOTS || s->style == TOR_IMAGE_LINE_POINTS;
}

/* Line first, points over it. */
static void draw_series(cairo_t *page, const struct tor_axis *x, const struct tor_axis *y,
                        const struct tor_image_series *s, uint32_t colour) {
  int drawn = 0;
  tor_series_pen(page, s->style, colour);
  for (int i = 0; i < s->n && has_line(s); i++) {
    const int there = good(s->x[i], x->log) && good(s->y[i], y->log);
    const double px = there ? tor_axis_place(x, s->x[i]) : 0, py = there ? y->length - tor_axis_place(y, s->y[i]) : 0;
    if (there && !drawn) cairo_move_to(page, px, py);
    if (there) cairo_line_to(page, px, py);
    drawn = there;
  }
  cairo_stroke(page);
  cairo_set_dash(page, NULL, 0, 0);
  for (int i = 0; i < s->n && has_points(s); i++)
    if (good(s->x[i], x->log) && good(s->y[i], y->log))
      draw_circle(page, tor_axis_place(x, s->x[i]), y->length - tor_axis_place(y, s->y[i]), s->style, colour);
}

/* The legend is above the plot, where it hides no data. Returns its rows; draws it when they are given. */
int tor_series_legend(cairo_t *page, const struct tor_image_plot *plot, double wide, int rows) {
  int row = 0;
  double x = 0;
  for (int k = 0; k < plot->nseries; k++) {
    const struct tor_image_series *s = &plot->series[k];
    if (!s->label) continue;
    const double width = SAMPLE + 10 + tor_text_width(page, s->label, TOR_IMAGE_LETTERS);
    if (x > 0 && x + width > wide) x = 0, row++;
    if (rows) {
      const double y = (row - rows + 0.5) * TOR_IMAGE_LEGEND_ROW - 8;
      const uint32_t colour = tor_series_colour(plot, k);
      tor_series_pen(page, s->style, colour);
      cairo_move_to(page, x, y);
      if (has_line(s)) cairo_line_to(page, x + SAMPLE, y);
      cairo_stroke(page);
      cairo_set_dash(page, NULL, 0, 0);
      if (has_points(s)) draw_circle(page, x + SAMPLE / 2.0, y, s->style, colour);
      tor_text_draw(page, x + SAMPLE + 10, y + 0.36 * TOR_IMAGE_LETTERS, s->label, TOR_IMAGE_LETTERS, 0, 0, wide);
    }
    x += width + 30;
  }
  return x > 0 ? row + 1 : 0;
}

struct lines {
  const struct tor_image_plot *plot;
  struct tor_axis x, y;
};

static void draw_lines(cairo_t *page, const void *what) {
  const struct lines *l = what;
  const struct tor_image_plot *plot = l->plot;
  draw_grid(page, &l->x, &l->y);
  cairo_save(page);
  cairo_rectangle(page, 0, 0, WIDTH, HEIGHT);
  cairo_clip(page);
  for (int points = 0; points < 2; points++)
    for (int k = 0; k < plot->nseries; k++)
      if (has_points(&plot->series[k]) == points)
        draw_series(page, &l->x, &l->y, &plot->series[k], tor_series_colour(plot, k));
  cairo_restore(page);
  tor_axis_frame(page, 0, 0, WIDTH, HEIGHT);
  tor_axis_draw(page, &l->x, TOR_AXIS_BELOW, 0, HEIGHT, plot->xlabel);
  tor_axis_draw(page, &l->y, TOR_AXIS_LEFT, 0, HEIGHT, plot->ylabel);
  const int rows = tor_series_legend(page, plot, WIDTH, 0);
  tor_series_legend(page, plot, WIDTH, rows);
  if (plot->title)
    tor_text_draw(page, WIDTH / 2.0, -20 - rows * TOR_IMAGE_LEGEND_ROW, plot->title, TOR_IMAGE_TITLE, 0.5, 0, WIDTH);
}

int tor_image_lines(const char *path, const struct tor_image_plot *plot) {
  double x[2], y[2];
  if (!plot_range(plot, x, y)) {
    errno = EINVAL;
    return -1;
  }
  widen(x, plot->xlog, 0.02, 0);
  widen(y, plot->ylog, 0.06, 1);
  for (int end = 0; end < 2 && plot->y[1] > plot->y[0]; end++) y[end] = plot->y[end];
  const struct lines lines = {.plot = plot,
                              .x = tor_axis_make(x[0], x[1], plot->xlog, WIDTH, 100),
                              .y = tor_axis_make(y[0], y[1], plot->ylog, HEIGHT, 70)};
  return tor_page_write(path, draw_lines, &lines);
}
