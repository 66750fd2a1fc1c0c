/* Pixels, strokes and the PNG file: see image_parts.h. */
#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "io/image/image_parts.h"

int tor_canvas_open(struct tor_canvas *c, int w, int h) {
  size_t n = (size_t)w * (size_t)h;
  *c = (struct tor_canvas){w, h, malloc(3 * n), calloc(n, 1), {w, h, 0, 0}};
  if (!c->rgb || !c->mask) {
    free(c->rgb);
    free(c->mask);
    errno = ENOMEM;
    return -1;
  }
  memset(c->rgb, 255, 3 * n);
  return 0;
}

void tor_canvas_close(struct tor_canvas *c) {
  free(c->rgb);
  free(c->mask);
}

unsigned char *tor_canvas_pixel(struct tor_canvas *c, int x, int y) {
  return c->rgb + 3 * ((size_t)y * (size_t)c->w + (size_t)x);
}

void tor_canvas_blend(unsigned char *rgb, uint32_t colour, double cover) {
  for (int i = 0; i < 3; i++)
    rgb[i] = (unsigned char)lround(rgb[i] + cover * ((double)(colour >> (16 - 8 * i) & 255) - rgb[i]));
}

void tor_canvas_fill(struct tor_canvas *c, int x, int y, int w, int h, uint32_t colour) {
  for (int j = y < 0 ? 0 : y; j < y + h && j < c->h; j++)
    for (int i = x < 0 ? 0 : x; i < x + w && i < c->w; i++) tor_canvas_blend(tor_canvas_pixel(c, i, j), colour, 1);
}

static int within(double v, int most) { return v < 0 ? 0 : v > most ? most : (int)v; }

/* Adds a segment with round ends to the mask; where it crosses a pixel partly, that share. */
void tor_canvas_stroke(struct tor_canvas *c, double ax, double ay, double bx, double by, double width) {
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
void tor_canvas_ink(struct tor_canvas *c, uint32_t colour) {
  for (int y = c->dirty[1]; y < c->dirty[3]; y++)
    for (int x = c->dirty[0]; x < c->dirty[2]; x++) {
      unsigned char *m = &c->mask[(size_t)y * (size_t)c->w + (size_t)x];
      if (*m) tor_canvas_blend(tor_canvas_pixel(c, x, y), colour, *m / 255.0);
      *m = 0;
    }
  c->dirty[0] = c->w, c->dirty[1] = c->h, c->dirty[2] = c->dirty[3] = 0;
}

static void png_failed(png_structp png, png_const_charp why) {
  (void)why;
  if (!errno) errno = EIO;
  png_longjmp(png, 1);
}

static void png_ignore(png_structp png, png_const_charp why) { (void)png, (void)why; }

static int put_png(FILE *file, const struct tor_canvas *c) {
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

int tor_canvas_save(const char *path, const struct tor_canvas *c) {
  FILE *file = tor_folder_create(path);
  if (!file) return -1;
  if (put_png(file, c)) {
    tor_folder_discard(file, path);
    return -1;
  }
  return tor_folder_commit(file, path);
}
