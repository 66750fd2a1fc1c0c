/* A map of a 2-D array: see image.h. */
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "io/image/image.h"
#include "io/image/image_parts.h"

enum { MISSING = 0xb4b4b4, LONGEST_SIDE = 900, SHORTEST_SIDE = 24, BAR_WIDTH = 26, SHORTEST_BAR = 300, APART = 30 };

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

static double largest(const struct tor_image *image) {
  double most = 0;
  const size_t n = (size_t)image->nx * (size_t)image->ny;
  for (size_t i = 0; i < n; i++)
    if (isfinite(image->values[i])) most = fmax(most, fabs(image->values[i]));
  return most > 1e-290 ? fmin(most, 1e290) : 1;
}

/* Pixels of a rectangle: of the array's values, or, with bar, of all colours from the least at the bottom. */
static void draw_pixels(cairo_t *page, const struct tor_image *image, double limit, double left, int w, int h,
                        int bar) {
  cairo_surface_t *pixels = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
  unsigned char *data = cairo_image_surface_get_data(pixels);
  const int stride = cairo_image_surface_get_stride(pixels), diverging = image->mode == TOR_IMAGE_DIVERGING;
  for (int y = 0; data && y < h; y++)
    for (int x = 0; x < w; x++) {
      double rx[2], ry[2], t = (h - 0.5 - y) / h;
      cells_under(x, w, image->nx, rx);
      cells_under(h - 1 - y, h, image->ny, ry);
      t = bar ? (diverging ? 2 * t - 1 : t) : box_mean(image, rx, ry) / limit;
      ((uint32_t *)(data + (size_t)y * (size_t)stride))[x] = isfinite(t) ? tor_image_colour(image->mode, t) : MISSING;
    }
  cairo_surface_mark_dirty(pixels);
  cairo_set_source_surface(page, pixels, left, 0);
  cairo_pattern_set_filter(cairo_get_source(page), CAIRO_FILTER_NEAREST);
  cairo_paint(page);
  cairo_surface_destroy(pixels);
}

/* Along the cells' sides where the material changes: a dark line; on the sequential map, which begins dark, a light one
 * on it. */
static void draw_outline(cairo_t *page, const struct tor_image *image, int w, int h) {
  const int nx = image->nx, ny = image->ny, *id = image->outline;
  const double dx = (double)w / nx, dy = (double)h / ny;
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      const size_t here = (size_t)j * (size_t)nx + (size_t)i;
      if (i + 1 < nx && id[here] != id[here + 1]) {
        cairo_move_to(page, (i + 1) * dx, h - j * dy);
        cairo_rel_line_to(page, 0, -dy);
      }
      if (j + 1 < ny && id[here] != id[here + (size_t)nx]) {
        cairo_move_to(page, i * dx, h - (j + 1) * dy);
        cairo_rel_line_to(page, dx, 0);
      }
    }
  cairo_set_line_cap(page, CAIRO_LINE_CAP_SQUARE);
  cairo_set_line_width(page, image->mode == TOR_IMAGE_DIVERGING ? 2 : 3);
  cairo_set_source_rgba(page, 0.05, 0.05, 0.05, image->mode == TOR_IMAGE_DIVERGING ? 0.8 : 0.6);
  cairo_stroke_preserve(page);
  cairo_set_line_width(page, 1);
  tor_page_colour(page, 0xf4f4f4);
  if (image->mode == TOR_IMAGE_DIVERGING) cairo_new_path(page);
  cairo_stroke(page);
  cairo_set_line_cap(page, CAIRO_LINE_CAP_BUTT);
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

struct map {
  const struct tor_image *image;
  double limit;
  int w, h, bar; /* pixels of the plot; of the colour bar, upwards */
};

static void draw_map(cairo_t *page, const void *what) {
  const struct map *m = what;
  const struct tor_image *image = m->image;
  const int left = m->w + APART;
  const double lowest = image->mode == TOR_IMAGE_DIVERGING ? -m->limit : 0;
  const struct tor_axis x = tor_axis_make(image->x[0], image->x[1], 0, m->w, 110);
  const struct tor_axis y = tor_axis_make(image->y[0], image->y[1], 0, m->h, 70);
  const struct tor_axis colours = tor_axis_make(lowest, m->limit, 0, m->bar, 70);
  draw_pixels(page, image, m->limit, 0, m->w, m->h, 0);
  if (image->outline) draw_outline(page, image, m->w, m->h);
  tor_axis_frame(page, 0, 0, m->w, m->h);
  tor_axis_draw(page, &x, TOR_AXIS_BELOW, 0, m->h, image->xlabel);
  tor_axis_draw(page, &y, TOR_AXIS_LEFT, 0, m->h, image->ylabel);
  draw_pixels(page, image, m->limit, left, BAR_WIDTH, m->bar, 1);
  tor_axis_frame(page, left, 0, BAR_WIDTH, m->bar);
  tor_axis_draw(page, &colours, TOR_AXIS_RIGHT, left + BAR_WIDTH, m->bar, image->bar_label);
  if (image->title) tor_text_draw(page, m->w / 2.0, -18, image->title, TOR_IMAGE_TITLE, 0.5, 0, fmax(m->w, 480));
}

int tor_image_write(const char *path, const struct tor_image *image) {
  if (image->nx < 1 || image->ny < 1 || !good_extent(image->x) || !good_extent(image->y)) {
    errno = EINVAL;
    return -1;
  }
  struct map map = {.image = image, .limit = image->limit > 0 ? image->limit : largest(image)};
  map_size(image, &map.w, &map.h);
  map.bar = map.h > SHORTEST_BAR ? map.h : SHORTEST_BAR;
  return tor_page_write(path, draw_map, &map);
}
