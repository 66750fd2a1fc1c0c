/* A polar plot: see image.h. */
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "io/image/image.h"
#include "io/image/image_parts.h"
#include "src/base/units.h"

enum { RADIUS = 330, SPOKE = 30, GRID = 0xdddddd };

struct polar {
  const struct tor_image_plot *plot;
  struct tor_axis r;
};

static void draw_circles(cairo_t *page, const struct tor_axis *r) {
  tor_page_colour(page, GRID);
  cairo_set_line_width(page, 1);
  for (int i = 0; i < r->n; i++) {
    cairo_new_sub_path(page);
    cairo_arc(page, RADIUS, RADIUS, tor_axis_place(r, r->tick[i]), 0, 2 * TOR_PI);
  }
  for (int degrees = 0; degrees < 360; degrees += SPOKE) {
    const double angle = degrees * TOR_PI / 180;
    cairo_move_to(page, RADIUS, RADIUS);
    cairo_rel_line_to(page, RADIUS * cos(angle), RADIUS * sin(angle));
  }
  cairo_stroke(page);
  tor_page_colour(page, TOR_IMAGE_INK);
  cairo_set_line_width(page, 2);
  cairo_arc(page, RADIUS, RADIUS, RADIUS, 0, 2 * TOR_PI);
  cairo_stroke(page);
}

static void draw_labels(cairo_t *page, const struct tor_axis *r) {
  const double letters = TOR_IMAGE_LETTERS;
  char text[64];
  tor_page_colour(page, TOR_IMAGE_INK);
  for (int degrees = 0; degrees < 360; degrees += SPOKE) {
    const double angle = degrees * TOR_PI / 180, at = RADIUS + 14;
    snprintf(text, sizeof text, "%d\xc2\xb0", degrees);
    tor_text_draw(page, RADIUS + at * cos(angle), RADIUS - at * sin(angle) + (0.36 - 0.36 * sin(angle)) * letters, text,
                  letters, 0.5 - 0.5 * cos(angle), 0, HUGE_VAL);
  }
  const double angle = 75 * TOR_PI / 180; /* between two spokes */
  for (int i = 0; i < r->n; i++) {
    const double at = tor_axis_place(r, r->tick[i]);
    const char *exponent = r->exponent && i == r->n - 1 ? " \xc3\x97 10^%d" : "";
    if (r->tick[i] <= 0) continue;
    const int used = snprintf(text, sizeof text, "%s", r->label[i]);
    snprintf(text + used, sizeof text - (size_t)used, exponent, r->exponent);
    tor_text_draw(page, RADIUS + at * cos(angle), RADIUS - at * sin(angle) + 0.36 * letters, text, 0.85 * letters, 0.5,
                  0, HUGE_VAL);
  }
}

static void draw_series(cairo_t *page, const struct tor_axis *r, const struct tor_image_series *s, uint32_t colour) {
  int drawn = 0;
  tor_series_pen(page, s->style, colour);
  for (int i = 0; i < s->n; i++) {
    const int there = s->y[i] >= 0 && s->y[i] < 1e290;
    const double at = there ? fmin(tor_axis_place(r, s->y[i]), RADIUS) : 0;
    const double x = RADIUS + at * cos(s->x[i]), y = RADIUS - at * sin(s->x[i]);
    if (there && drawn) cairo_line_to(page, x, y);
    if (there && !drawn) cairo_move_to(page, x, y);
    drawn = there;
  }
  cairo_stroke(page);
  cairo_set_dash(page, NULL, 0, 0);
}

static void draw_polar(cairo_t *page, const void *what) {
  const struct polar *p = what;
  const struct tor_image_plot *plot = p->plot;
  draw_circles(page, &p->r);
  for (int k = 0; k < plot->nseries; k++) draw_series(page, &p->r, &plot->series[k], tor_series_colour(plot, k));
  draw_labels(page, &p->r);
  cairo_save(page);
  cairo_translate(page, 0, -2.2 * TOR_IMAGE_LETTERS);
  const int rows = tor_series_legend(page, plot, 2 * RADIUS, 0);
  tor_series_legend(page, plot, 2 * RADIUS, rows);
  if (plot->title)
    tor_text_draw(page, RADIUS, -20 - rows * TOR_IMAGE_LEGEND_ROW, plot->title, TOR_IMAGE_TITLE, 0.5, 0, 2.4 * RADIUS);
  cairo_restore(page);
}

int tor_image_polar(const char *path, const struct tor_image_plot *plot) {
  double most = plot->y[1];
  for (int k = 0; k < plot->nseries && !(plot->y[1] > 0); k++)
    for (int i = 0; i < plot->series[k].n; i++)
      if (plot->series[k].y[i] > most && plot->series[k].y[i] < 1e290) most = plot->series[k].y[i];
  if (!(most > 0)) {
    errno = EINVAL;
    return -1;
  }
  const struct polar polar = {plot, tor_axis_make(0, plot->y[1] > 0 ? most : 1.03 * most, 0, RADIUS, 75)};
  return tor_page_write(path, draw_polar, &polar);
}
