/* Pictures of results, drawn by cairo: a map of a 2-D array, and a line plot. Local.
 *
 * The file's extension chooses the form: .svg, .pdf, and PNG for any other. The one font is compiled in, and nothing
 * in a file depends on the date or the host: the same call gives the same bytes, with one version of cairo.
 * Labels are UTF-8, with ^ for exponents ("C [nm^2]") and _ for indices ("E_x", but not "my_monitor").
 * Files appear whole or not at all (folder.h). All functions return 0, or -1 with errno: EINVAL for empty arrays or
 * extents, ENOTSUP in a build without cairo. */
#ifndef TOR_IO_IMAGE_IMAGE_H
#define TOR_IO_IMAGE_IMAGE_H

#include <stdint.h>

/* Version of cairo; NULL in a build without it. */
const char *tor_image_version(void);

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

enum tor_image_style {
  TOR_IMAGE_LINE,
  TOR_IMAGE_POINTS,      /* circles (reference data) */
  TOR_IMAGE_DOTS,        /* filled circles */
  TOR_IMAGE_LINE_POINTS, /* line and circles */
  TOR_IMAGE_DASHED,      /* a prediction, an ideal */
  TOR_IMAGE_BAR          /* wide, with square ends (spans of time) */
};

struct tor_image_series {
  const char *label; /* for the legend; NULL: none */
  int n;
  const double *x, *y; /* [n]; a NaN, or a value <= 0 on a logarithmic axis, breaks the line */
  enum tor_image_style style;
  int colour; /* 0: the next of the palette; 1, 2, ...: that of the palette, to match another series; -1: grey */
};

struct tor_image_plot {
  const char *title, *xlabel, *ylabel;
  int nseries;
  const struct tor_image_series *series;
  int xlog, ylog; /* base of a logarithmic axis: 2 or 10; 0: linear */
  double y[2];    /* ends of the y axis; both 0: by the data */
};

int tor_image_lines(const char *path, const struct tor_image_plot *plot);

/* The colour maps, 0xrrggbb for t = -1 ... 1 (diverging) or 0 ... 1 (sequential); equal steps are equally visible. */
uint32_t tor_image_colour(enum tor_image_mode mode, double t);

#endif
