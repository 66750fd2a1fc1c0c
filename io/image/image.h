/* Pictures of results as PNG files: a map of a 2-D array, and a line plot. Local.
 *
 * Labels are ASCII, with ^ for exponents ("C [nm^2]") and _ for indices ("E_x", but not "my_monitor"), and the letters
 * µ, λ, ° and × in UTF-8.
 * Files appear whole or not at all (folder.h). All functions return 0, or -1 with errno: EINVAL for empty arrays or
 * extents. */
#ifndef TOR_IO_IMAGE_IMAGE_H
#define TOR_IO_IMAGE_IMAGE_H

enum tor_image_mode {
  TOR_IMAGE_DIVERGING, /* blue - white - red, symmetric about 0 */
  TOR_IMAGE_SEQUENTIAL /* black - purple - orange - pale yellow, from 0 */
};

struct tor_image {
  int nx, ny;
  const double *values;        /* [ny][nx], row 0 at the bottom; NaN and infinities are drawn grey */
  const int *outline;          /* [ny][nx] or NULL: lines are drawn where neighbours differ (material numbers) */
  double x[2], y[2];           /* outer edges of the array, in the units of the labels */
  const char *xlabel, *ylabel; /* "x [nm]" */
  const char *title;           /* NULL: none */
  const char *bar_label;       /* "E_x [V/m]" */
  enum tor_image_mode mode;
  double limit; /* colours end at this value; 0: the largest finite |value| */
};

/* Equal aspect; the plot is about 600 to 900 pixels along its longer side. Square cells become whole blocks of pixels
 * when the array is smaller, means over boxes when it is larger. */
int tor_image_write(const char *path, const struct tor_image *image);

struct tor_image_series {
  const char *label; /* for the legend; NULL: none */
  int n;
  const double *x, *y; /* [n]; a NaN breaks the line */
  int markers;         /* 0: a line; 1: circles at the points (reference data) */
  int colour;          /* 0: the next of the palette; 1, 2, ...: that of the palette, to match another series */
};

struct tor_image_plot {
  const char *title, *xlabel, *ylabel;
  int nseries;
  const struct tor_image_series *series;
};

int tor_image_lines(const char *path, const struct tor_image_plot *plot);

/* The colour maps, for t = -1 ... 1 (diverging) or 0 ... 1 (sequential) in even steps; equal steps are equally visible.
 * Diverging: Moreland, "Diverging Color Maps for Scientific Visualization", ISVC 2009, his blue and red in Msh with a
 * whiter middle, and spaced by distance in CIELAB. Sequential: the anchors of matplotlib's magma, lightness linear in
 * t. */
enum { TOR_IMAGE_COLOURS = 513 };
void tor_image_colours(enum tor_image_mode mode, unsigned char rgb[TOR_IMAGE_COLOURS][3]);

#endif
