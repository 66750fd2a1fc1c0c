/* A map of a 2-D array: see image.h. */
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "io/image/image.h"
#include "io/image/image_parts.h"

enum {
  MISSING = 0xb4b4b4,
  LONGEST_SIDE = 900,
  SHORTEST_SIDE = 24,
  BAR_WIDTH = 26,
  SHORTEST_BAR = 300,
  APART = 30,
  POINT = 18
};

/* Cells along one axis that a pixel shows: a range when the array is larger than the plot, otherwise the one in its
 * middle. */
static void cells_under(int p, int pixels, int cells, double range[2]) {
  const int shrunk = cells > pixels;
  range[0] = shrunk ? (double)p * cells / pixels : floor((p + 0.5) * cells / pixels);
  range[1] = shrunk ? (p + 1.0) * cells / pixels : range[0] + 1;
}

/* Mean over the cells under one pixel, weighted by overlap. Not finite if a cell is not. */
static double box_mean(const struct tor_image *image, const double x[2], const double y[2]) {
  double sum = 0, weight = 0;
  for (int j = (int)y[0]; j < image->ny && j < y[1]; j++)
    for (int i = (int)x[0]; i < image->nx && i < x[1]; i++) {
      const double w = (fmin(x[1], i + 1) - fmax(x[0], i)) * (fmin(y[1], j + 1) - fmax(y[0], j));
      if (w <= 0) continue;
      sum += w * image->values[(size_t)j * (size_t)image->nx + (size_t)i];
      weight += w;
    }
  return sum / weight;
}

struct map {
  const struct tor_image *image;
  double limit, largest;
  int w, h, bar; /* pixels of the plot; of the colour bar, upwards */
};

/* The place of a value among the colours. */
static double place_of(const struct map *m, double value) {
  const struct tor_image *image = m->image;
  if (image->mode == TOR_IMAGE_AREAS) return value;
  if (image->mode == TOR_IMAGE_CYCLIC) return value / 180;
  if (!image->log) return value / m->limit;
  return value > image->lowest ? log(value / image->lowest) / log(m->limit / image->lowest)
         : isfinite(value)     ? 0
                               : value;
}

/* The value under a pixel: a mean where that has a meaning. */
static double value_under(const struct tor_image *image, double rx[2], double ry[2]) {
  if (image->mode == TOR_IMAGE_CYCLIC || image->mode == TOR_IMAGE_AREAS) {
    rx[0] = floor(0.5 * (rx[0] + rx[1])), ry[0] = floor(0.5 * (ry[0] + ry[1]));
    rx[1] = rx[0] + 1, ry[1] = ry[0] + 1;
  }
  return box_mean(image, rx, ry);
}

/* Pixels of a rectangle: of the array's values, or, with bar, of all colours from the least at the bottom. */
static void draw_pixels(cairo_t *page, const struct map *m, double left, int w, int h, int bar) {
  const struct tor_image *image = m->image;
  cairo_surface_t *pixels = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
  unsigned char *data = cairo_image_surface_get_data(pixels);
  const int stride = cairo_image_surface_get_stride(pixels), from_zero = image->mode == TOR_IMAGE_SEQUENTIAL;
  for (int y = 0; data && y < h; y++)
    for (int x = 0; x < w; x++) {
      double rx[2], ry[2], t = (h - 0.5 - y) / h;
      cells_under(x, w, image->nx, rx);
      cells_under(h - 1 - y, h, image->ny, ry);
      t = bar ? (from_zero ? t : 2 * t - 1) : place_of(m, value_under(image, rx, ry));
      ((uint32_t *)(data + (size_t)y * (size_t)stride))[x] = isfinite(t) ? tor_image_colour(image->mode, t) : MISSING;
    }
  cairo_surface_mark_dirty(pixels);
  cairo_set_source_surface(page, pixels, left, 0);
  cairo_pattern_set_filter(cairo_get_source(page), CAIRO_FILTER_NEAREST);
  cairo_paint(page);
  cairo_surface_destroy(pixels);
}

/* Points at the ends of the bar that values exceed, in the colour of the end. */
static void draw_bar_ends(cairo_t *page, const struct map *m, int left) {
  const int diverging = m->image->mode == TOR_IMAGE_DIVERGING;
  for (int end = 0; end <= diverging; end++) {
    const double y = end ? m->bar + 2 : -2, tip = end ? POINT : -POINT;
    for (int line = 0; line < 2; line++) {
      cairo_move_to(page, left - 1, y);
      cairo_line_to(page, left + BAR_WIDTH / 2.0, y + tip);
      cairo_line_to(page, left + BAR_WIDTH + 1, y);
      if (!line) cairo_close_path(page);
      tor_page_colour(page, line ? TOR_IMAGE_INK : tor_image_colour(m->image->mode, end ? -1 : 1));
      cairo_set_line_width(page, 2);
      if (line)
        cairo_stroke(page);
      else
        cairo_fill(page);
    }
  }
}

/* Pixels of the plot: square cells get a whole number each as long as the array is smaller than the picture. */
static void map_size(const struct tor_image *image, int *w, int *h) {
  const double lx = image->x[1] - image->x[0], ly = image->y[1] - image->y[0];
  const double cell = fmin(lx / image->nx, ly / image->ny), fit = LONGEST_SIDE / (fmax(lx, ly) / cell);
  const double scale = fit >= 1 ? floor(fit) : fit;
  *w = (int)fmax(SHORTEST_SIDE, round(lx / cell * scale));
  *h = (int)fmax(SHORTEST_SIDE, round(ly / cell * scale));
}

static int good_extent(const double extent[2]) {
  const double most = fmax(fabs(extent[0]), fabs(extent[1]));
  return isfinite(most) && extent[1] - extent[0] > TOR_IMAGE_NARROWEST * most;
}

static struct tor_axis bar_axis(const struct map *m) {
  const struct tor_image *image = m->image;
  if (image->mode == TOR_IMAGE_CYCLIC) return tor_axis_degrees(m->bar);
  if (image->log) return tor_axis_make(image->lowest, m->limit, 10, m->bar, 70);
  return tor_axis_make(image->mode == TOR_IMAGE_DIVERGING ? -m->limit : 0, m->limit, 0, m->bar, 70);
}

static void draw_bar(cairo_t *page, const struct map *m) {
  const int left = m->w + APART;
  const struct tor_axis colours = bar_axis(m);
  draw_pixels(page, m, left, BAR_WIDTH, m->bar, 1);
  if (m->image->mode != TOR_IMAGE_CYCLIC && m->largest > m->limit * (1 + 1e-9)) draw_bar_ends(page, m, left);
  tor_axis_frame(page, left, 0, BAR_WIDTH, m->bar);
  tor_axis_draw(page, &colours, TOR_AXIS_RIGHT, left + BAR_WIDTH, m->bar, m->image->bar_label);
}

static void draw_map(cairo_t *page, const void *what) {
  const struct map *m = what;
  const struct tor_image *image = m->image;
  const double width = fmax(m->w, 480), middle = m->w / 2.0;
  const struct tor_axis x = tor_axis_make(image->x[0], image->x[1], 0, m->w, 110);
  const struct tor_axis y = tor_axis_make(image->y[0], image->y[1], 0, m->h, 70);
  draw_pixels(page, m, 0, m->w, m->h, 0);
  tor_paths_draw(page, image, m->w, m->h, image->mode == TOR_IMAGE_SEQUENTIAL);
  tor_axis_frame(page, 0, 0, m->w, m->h);
  tor_axis_draw(page, &x, TOR_AXIS_BELOW, 0, m->h, image->xlabel);
  tor_axis_draw(page, &y, TOR_AXIS_LEFT, 0, m->h, image->ylabel);
  if (image->mode != TOR_IMAGE_AREAS) draw_bar(page, m);
  const double rows = tor_paths_legend(page, image, -8, width);
  double top = -18 - (rows > 0 ? rows + 4 : 0);
  if (image->subtitle) {
    tor_text_draw(page, middle, top, image->subtitle, TOR_IMAGE_LETTERS, 0.5, 0, width);
    top -= 1.5 * TOR_IMAGE_LETTERS;
  }
  if (image->title) tor_text_draw(page, middle, top, image->title, TOR_IMAGE_TITLE, 0.5, 0, width);
  if (image->note)
    tor_text_draw(page, middle, m->h + 5 * TOR_IMAGE_LETTERS, image->note, 0.8 * TOR_IMAGE_LETTERS, 0.5, 0,
                  width + APART + BAR_WIDTH);
}

int tor_image_write(const char *path, const struct tor_image *image) {
  if (image->nx < 1 || image->ny < 1 || !good_extent(image->x) || !good_extent(image->y)) {
    errno = EINVAL;
    return -1;
  }
  struct map map = {.image = image, .largest = tor_image_largest(image->values, (size_t)image->nx * (size_t)image->ny)};
  map.limit = image->limit > 0 ? image->limit : map.largest > 1e-290 ? fmin(map.largest, 1e290) : 1;
  map_size(image, &map.w, &map.h);
  map.bar = map.h > SHORTEST_BAR ? map.h : SHORTEST_BAR;
  return tor_page_write(path, draw_map, &map);
}
