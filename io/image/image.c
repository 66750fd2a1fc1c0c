/* A map of a 2-D array: see image.h. Pixel coordinates run right and down; pixel i covers i to i + 1. */
#include "io/image/image.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "io/image/image_parts.h"

enum { MISSING = 0xb4b4b4, LONGEST_SIDE = 900, SHORTEST_SIDE = 24, BAR_WIDTH = 24 };

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

static void draw_values(struct tor_canvas *c, const struct tor_frame *f, const struct tor_image *image, double limit,
                        unsigned char colours[TOR_IMAGE_COLOURS][3]) {
  for (int y = 0; y < f->h; y++)
    for (int x = 0; x < f->w; x++) {
      double rx[2], ry[2];
      cells_under(x, f->w, image->nx, rx);
      cells_under(f->h - 1 - y, f->h, image->ny, ry);
      double t = box_mean(image, rx[0], rx[1], ry[0], ry[1]) / limit;
      if (!isfinite(t)) {
        tor_canvas_fill(c, f->x + x, f->y + y, 1, 1, MISSING);
        continue;
      }
      if (image->mode == TOR_IMAGE_DIVERGING) t = (t + 1) / 2;
      t = t < 0 ? 0 : t > 1 ? 1 : t;
      memcpy(tor_canvas_pixel(c, f->x + x, f->y + y), colours[lround(t * (TOR_IMAGE_COLOURS - 1))], 3);
    }
}

static int id_at(const struct tor_frame *f, const struct tor_image *image, int x, int y) {
  int i = (int)((x + 0.5) * image->nx / f->w), j = (int)((f->h - y - 0.5) * image->ny / f->h);
  return image->outline[(size_t)j * (size_t)image->nx + (size_t)i];
}

/* Where the material changes to the right or below: a thin dark line, light on dark ground. */
static void draw_outline(struct tor_canvas *c, const struct tor_frame *f, const struct tor_image *image) {
  for (int y = 0; y < f->h; y++)
    for (int x = 0; x < f->w; x++) {
      int id = id_at(f, image, x, y);
      if ((x + 1 == f->w || id == id_at(f, image, x + 1, y)) && (y + 1 == f->h || id == id_at(f, image, x, y + 1)))
        continue;
      unsigned char *rgb = tor_canvas_pixel(c, f->x + x, f->y + y);
      double light = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
      tor_canvas_blend(rgb, light > 80 ? 0x101010 : 0xf0f0f0, light > 80 ? 0.75 : 0.65);
    }
}

static void draw_bar(struct tor_canvas *c, const struct tor_frame *bar, const char *label,
                     unsigned char colours[TOR_IMAGE_COLOURS][3]) {
  char name[256];
  for (int y = 0; y < bar->h; y++) {
    const unsigned char *rgb = colours[lround((bar->h - 0.5 - y) / bar->h * (TOR_IMAGE_COLOURS - 1))];
    tor_canvas_fill(c, bar->x, bar->y + y, bar->w, 1, (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2]);
  }
  tor_frame_box(c, bar->x, bar->y, bar->w, bar->h);
  tor_frame_marks(c, bar, &bar->ty, 0, bar->x + bar->w, 1);
  double widest = tor_ticks_widest(&bar->ty);
  for (int i = bar->ty.first; i <= bar->ty.last; i++) {
    tor_ticks_label(&bar->ty, i, name, sizeof name);
    tor_font_draw(c, bar->x + bar->w + 14 + widest, tor_frame_y(bar, i * bar->ty.step) + 6, name, TOR_IMAGE_PITCH, 1,
                  0);
  }
  tor_ticks_name(&bar->ty, label, name, sizeof name);
  tor_font_draw(c, bar->x + bar->w + 14 + widest + 30, bar->y + bar->h / 2.0, name, TOR_IMAGE_PITCH, 0.5, 1);
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
  return isfinite(most) && extent[1] - extent[0] > TOR_IMAGE_NARROWEST * most;
}

int tor_image_write(const char *path, const struct tor_image *image) {
  if (image->nx < 1 || image->ny < 1 || !good_extent(image->x) || !good_extent(image->y)) {
    errno = EINVAL;
    return -1;
  }
  struct tor_frame f, bar;
  struct tor_canvas c;
  unsigned char colours[TOR_IMAGE_COLOURS][3];
  double limit = image->limit > 0 ? image->limit : largest(image);
  map_size(image, &f.w, &f.h);
  bar.w = BAR_WIDTH;
  bar.h = f.h > 240 ? f.h : 240;
  f.tx = tor_ticks_make(image->x[0], image->x[1], f.w, 90);
  f.ty = tor_ticks_make(image->y[0], image->y[1], f.h, 60);
  bar.ty = tor_ticks_make(image->mode == TOR_IMAGE_DIVERGING ? -limit : 0, limit, bar.h, 60);
  f.x = tor_frame_left(&f);
  bar.y = TOR_FRAME_ABOVE + (image->title ? TOR_FRAME_TITLE : 0);
  f.y = bar.y + (bar.h - f.h) / 2;
  bar.x = f.x + f.w + TOR_FRAME_RIGHT;
  if (tor_canvas_open(&c, bar.x + bar.w + 14 + (int)tor_ticks_widest(&bar.ty) + 48, bar.y + bar.h + TOR_FRAME_BELOW))
    return -1;
  tor_image_colours(image->mode, colours);
  draw_values(&c, &f, image, limit, colours);
  if (image->outline) draw_outline(&c, &f, image);
  tor_frame_axes(&c, &f, image->xlabel, image->ylabel);
  draw_bar(&c, &bar, image->bar_label, colours);
  if (image->title) tor_font_draw(&c, f.x + f.w / 2.0, f.y - 18, image->title, TOR_IMAGE_TITLE_PITCH, 0.5, 0);
  int status = tor_canvas_save(path, &c);
  tor_canvas_close(&c);
  return status;
}
