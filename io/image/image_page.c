/* The page and its file: see image_parts.h. */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "io/image/image.h"
#include "io/image/image_parts.h"

enum { MARGIN = 14 };
static const double point = 0.5; /* points of a vector file for each pixel */

const char *tor_image_version(void) { return cairo_version_string(); }

/* Draws on the surface, from x, y at its upper left corner. */
static cairo_status_t draw_on(cairo_surface_t *surface, double scale, double x, double y, tor_page_draw *draw,
                              const void *what) {
  cairo_t *page = cairo_create(surface);
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(page, options);
  cairo_font_options_destroy(options);
  cairo_set_font_face(page, tor_text_font());
  cairo_scale(page, scale, scale);
  cairo_translate(page, -x, -y);
  draw(page, what);
  cairo_status_t status = cairo_status(page);
  cairo_destroy(page);
  return status;
}

void tor_page_colour(cairo_t *page, uint32_t rgb) {
  cairo_set_source_rgb(page, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

static cairo_status_t put(void *file, const unsigned char *data, unsigned n) {
  return fwrite(data, 1, n, file) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Cairo counts the surfaces of a process in the ids of an SVG file (id="surface17", xlink:href="#surface17"): each id
 * gets the number of its first mention, so that a file does not depend on the pictures before it. */
static int put_svg(FILE *file, char *text) {
  long known[4096];
  int n = 0;
  for (char *s = text; *s;) {
    const char *quote = s + strcspn(s, "\"#");
    const size_t name = *quote && quote[1] != '-' ? strspn(quote + 1, "abcdefghijklmnopqrstuvwxyz-") : 0;
    char *digits = s + (quote - s) + 1 + name, *end = digits;
    if (!*quote) return fputs(s, file);
    const long id = name && isdigit((unsigned char)*digits) ? strtol(digits, &end, 10) : -1;
    const int whole = id >= 0 && (*end == '"' || *end == ')');
    if (fwrite(s, 1, (size_t)(digits - s), file) != (size_t)(digits - s)) return EOF;
    s = digits;
    if (!whole) continue;
    int i = 0;
    while (i < n && known[i] != id) i++;
    if (i == n && n < 4096) known[n++] = id;
    if (fprintf(file, "%d", i) < 0) return EOF;
    s = end;
  }
  return 0;
}

static void draw_white(cairo_t *page, const void *what) {
  (void)what;
  tor_page_colour(page, 0xffffff);
  cairo_paint(page);
}

/* The finished file in memory. */
static cairo_status_t put_file(FILE *file, const char *form, tor_page_draw *draw, const void *what) {
  double x, y, w, h;
  cairo_surface_t *measured = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
  cairo_status_t status = draw_on(measured, 1, 0, 0, draw, what);
  cairo_recording_surface_ink_extents(measured, &x, &y, &w, &h);
  cairo_surface_destroy(measured);
  if (status) return status;
  w = ceil(x + w) - floor(x) + 2 * MARGIN, h = ceil(y + h) - floor(y) + 2 * MARGIN;
  x = floor(x) - MARGIN, y = floor(y) - MARGIN;
  const int svg = !strcmp(form, ".svg"), pdf = !strcmp(form, ".pdf"), vector = svg || pdf;
  cairo_surface_t *to = svg   ? cairo_svg_surface_create_for_stream(put, file, w * point, h * point)
                        : pdf ? cairo_pdf_surface_create_for_stream(put, file, w * point, h * point)
                              : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)w, (int)h);
  if (pdf) cairo_pdf_surface_set_metadata(to, CAIRO_PDF_METADATA_CREATE_DATE, "");
  status = draw_on(to, 1, 0, 0, draw_white, NULL);
  if (!status) status = draw_on(to, vector ? point : 1, x, y, draw, what);
  if (!status && !vector) status = cairo_surface_write_to_png_stream(to, put, file);
  cairo_surface_finish(to);
  if (!status) status = cairo_surface_status(to);
  cairo_surface_destroy(to);
  return status;
}

static int keep(const char *path, const char *form, char *bytes, size_t size) {
  FILE *file = tor_folder_create(path);
  if (!file) return -1;
  const int bad = strcmp(form, ".svg") ? fwrite(bytes, 1, size, file) != size : put_svg(file, bytes) == EOF;
  if (!bad) return tor_folder_commit(file, path);
  tor_folder_discard(file, path);
  return -1;
}

int tor_page_write(const char *path, tor_page_draw *draw, const void *what) {
  const char *dot = strrchr(path, '.'), *form = dot ? dot : "";
  char *bytes = NULL;
  size_t size;
  FILE *memory = open_memstream(&bytes, &size);
  cairo_status_t status = memory && tor_text_font() ? put_file(memory, form, draw, what) : CAIRO_STATUS_NO_MEMORY;
  if (memory && fclose(memory)) status = CAIRO_STATUS_NO_MEMORY;
  errno = status == CAIRO_STATUS_NO_MEMORY ? ENOMEM : EIO;
  const int failed = status ? -1 : keep(path, form, bytes, size);
  free(bytes);
  return failed;
}
