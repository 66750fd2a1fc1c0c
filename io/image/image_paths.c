/* Lines over a map and their legend: see image_parts.h. */
#include <cairo.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "io/image/image.h"
#include "io/image/image_parts.h"
#include "src/base/units.h"

enum { SAMPLE = 40, ROW = 30, GREEN = 0x00704f, RED = 0xc0392b, BLUE = 0x2166c4, DARK = 0x101010, LIGHT = 0xf4f4f4 };

/* How a kind of line is drawn and called. */
static const struct pen {
  const char *name; /* in the legend; NULL: not there */
  double width, dash[2];
  uint32_t colour; /* 0: light on dark colours, dark on others */
} pens[TOR_IMAGE_LINE_KINDS] = {
    [TOR_IMAGE_SURFACES] = {NULL, 2, {0, 0}, 0},
    [TOR_IMAGE_SHEETS] = {"sheets", 3, {0, 0}, BLUE},
    [TOR_IMAGE_WAVE_BOX] = {"total-field box", 2, {14, 8}, 0},
    [TOR_IMAGE_LAYERS] = {"absorbing layers", 2.4, {2.4, 6}, 0},
    [TOR_IMAGE_RECORDED] = {"monitors", 2.4, {0, 0}, GREEN},
    [TOR_IMAGE_SOURCE] = {"sources", 3, {0, 0}, RED},
};

/* Strokes the present path. On dark colours light lines have a dark edge, and the other way round. */
static void stroke(cairo_t *page, enum tor_image_line_kind kind, int dark) {
  const struct pen *pen = &pens[kind];
  const uint32_t line = pen->colour ? pen->colour : dark ? LIGHT : DARK;
  cairo_set_line_cap(page, CAIRO_LINE_CAP_BUTT);
  cairo_set_line_join(page, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(page, pen->dash, pen->dash[0] > 0 ? 2 : 0, 0);
  if (dark) {
    cairo_set_line_width(page, pen->width + 1.6);
    cairo_set_source_rgba(page, 0, 0, 0, 0.55);
    cairo_stroke_preserve(page);
  }
  cairo_set_line_width(page, pen->width);
  tor_page_colour(page, line);
  cairo_stroke(page);
  cairo_set_dash(page, NULL, 0, 0);
}

/* The head of an arrow that ends at `to`. */
static void arrow_head(cairo_t *page, const double from[2], const double to[2]) {
  const double turn = atan2(to[1] - from[1], to[0] - from[0]), length = 16;
  for (int side = -1; side < 2; side += 2) {
    cairo_move_to(page, to[0], to[1]);
    cairo_line_to(page, to[0] - length * cos(turn + side * 0.4), to[1] - length * sin(turn + side * 0.4));
  }
}

static void add_path(cairo_t *page, const struct tor_image *image, const struct tor_image_path *p, double w, double h) {
  double at[2] = {0, 0}, first[2] = {0, 0};
  for (int i = 0; i < p->n; i++) {
    at[0] = (p->at[i][0] - image->x[0]) / (image->x[1] - image->x[0]) * w;
    at[1] = h - (p->at[i][1] - image->y[0]) / (image->y[1] - image->y[0]) * h;
    if (!i) cairo_move_to(page, first[0] = at[0], first[1] = at[1]);
    if (i) cairo_line_to(page, at[0], at[1]);
  }
  if (p->kind == TOR_IMAGE_SOURCE && p->n == 2) arrow_head(page, first, at);
  if (p->n > 1) return;
  cairo_new_sub_path(page);
  cairo_arc(page, at[0], at[1], 7, 0, 2 * TOR_PI);
}

/* Whether any of a path lies in the map: the box around it meets the map's inside. */
static int is_seen(const struct tor_image *image, const struct tor_image_path *p) {
  double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {-HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < p->n; i++)
    for (int a = 0; a < 2; a++) {
      lo[a] = fmin(lo[a], p->at[i][a]);
      hi[a] = fmax(hi[a], p->at[i][a]);
    }
  return hi[0] > image->x[0] && lo[0] < image->x[1] && hi[1] > image->y[0] && lo[1] < image->y[1];
}

void tor_paths_draw(cairo_t *page, const struct tor_image *image, double w, double h, int dark) {
  cairo_save(page);
  cairo_rectangle(page, 0, 0, w, h);
  cairo_clip(page);
  for (int kind = 0; kind < TOR_IMAGE_LINE_KINDS; kind++) {
    cairo_new_path(page);
    for (int i = 0; i < image->npath; i++)
      if ((int)image->path[i].kind == kind && is_seen(image, &image->path[i]))
        add_path(page, image, &image->path[i], w, h);
    stroke(page, (enum tor_image_line_kind)kind, dark);
  }
  cairo_restore(page);
}

/* An entry of the legend: of a kind of line, or of an area. */
static void draw_sample(cairo_t *page, double x, double y, int kind, const struct tor_image_area *area) {
  if (area) {
    cairo_rectangle(page, x, y - 9, SAMPLE, 18);
    tor_page_colour(page, tor_image_colour(TOR_IMAGE_AREAS, area->number));
    cairo_fill_preserve(page);
    tor_page_colour(page, TOR_IMAGE_INK);
    cairo_set_line_width(page, 1);
    cairo_stroke(page);
    return;
  }
  cairo_new_path(page);
  cairo_move_to(page, x, y);
  cairo_line_to(page, x + SAMPLE, y);
  if (kind == TOR_IMAGE_SOURCE) arrow_head(page, (const double[2]){x, y}, (const double[2]){x + SAMPLE, y});
  stroke(page, (enum tor_image_line_kind)kind, 0);
}

static int has_kind(const struct tor_image *image, int kind) {
  for (int i = 0; i < image->npath; i++)
    if ((int)image->path[i].kind == kind && is_seen(image, &image->path[i])) return pens[kind].name != NULL;
  return 0;
}

/* Entries in rows; drawn where `draw`. Returns the number of rows. */
static int walk(cairo_t *page, const struct tor_image *image, double top, double width, int draw) {
  const double letters = 0.9 * TOR_IMAGE_LETTERS;
  double x = 0;
  int row = 0, count = 0;
  for (int i = 0; i < image->narea + TOR_IMAGE_LINE_KINDS; i++) {
    const struct tor_image_area *area = i < image->narea ? &image->area[i] : NULL;
    const int kind = i - image->narea;
    if (!area && !has_kind(image, kind)) continue;
    const char *name = area ? area->name : pens[kind].name;
    const double wide = SAMPLE + 10 + tor_text_width(page, name, letters);
    if (x > 0 && x + wide > width) x = 0, row++;
    if (draw) {
      const double y = top + (row + 0.5) * ROW;
      draw_sample(page, x, y, kind, area);
      tor_text_draw(page, x + SAMPLE + 10, y + 0.36 * letters, name, letters, 0, 0, width);
    }
    x += wide + 26;
    count++;
  }
  return count ? row + 1 : 0;
}

double tor_paths_legend(cairo_t *page, const struct tor_image *image, double y, double width) {
  const int rows = walk(page, image, 0, width, 0);
  walk(page, image, y - rows * ROW, width, 1);
  return rows * ROW;
}
