/* Pictures of results, drawn by cairo: a map of a 2-D array, a line plot, a polar plot. Local.
 *
 * The file's extension chooses the form: .svg, .pdf, and PNG for any other. The one font is compiled in, and nothing
 * in a file depends on the date or the host: the same call gives the same bytes, with one version of cairo.
 * Labels are UTF-8, with ^ for exponents ("C [nm^2]") and _ for indices ("E_x", but not "my_monitor").
 * Files appear whole or not at all (folder.h). All functions return 0, or -1 with errno: EINVAL for empty arrays or
 * extents, ENOTSUP in a build without cairo. */
#ifndef TOR_IO_IMAGE_IMAGE_H
#define TOR_IO_IMAGE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* Version of cairo; NULL in a build without it. */
const char *tor_image_version(void);

enum tor_image_mode {
  TOR_IMAGE_DIVERGING,  /* blue - white - red, symmetric about 0 */
  TOR_IMAGE_SEQUENTIAL, /* black - purple - orange - pale yellow, from 0 or, logarithmic, from `lowest` */
  TOR_IMAGE_CYCLIC,     /* phases from -180 to 180: dark - blue - white (0) - red - dark */
  TOR_IMAGE_AREAS       /* whole numbers: areas in pale colours, 0 white; no colour bar */
};

/* Lines over a map; each kind that occurs in the map has its entry in the legend. */
enum tor_image_line_kind {
  TOR_IMAGE_SURFACES, /* solid; not in the legend */
  TOR_IMAGE_SHEETS,   /* solid, blue */
  TOR_IMAGE_WAVE_BOX, /* dashed */
  TOR_IMAGE_LAYERS,   /* dotted */
  TOR_IMAGE_RECORDED, /* green, of TOR_IMAGE_AREAS */
  TOR_IMAGE_SOURCE,   /* red, of TOR_IMAGE_AREAS; a path of two points is an arrow */
  TOR_IMAGE_LINE_KINDS
};
/* A path of one point is a circle. */
struct tor_image_path {
  enum tor_image_line_kind kind;
  int n;                 /* at least 1 */
  const double (*at)[2]; /* [n] x, y in the units of the labels */
};

struct tor_image_area {
  int number; /* as in values */
  const char *name;
};

struct tor_image {
  int nx, ny;
  const double *values;        /* [ny][nx], row 0 at the bottom; NaN and infinities are drawn grey */
  double x[2], y[2];           /* outer edges of the array, in the units of the labels */
  const char *xlabel, *ylabel; /* "x [nm]" */
  const char *title;           /* NULL: none */
  const char *subtitle;        /* below it in smaller letters; NULL: none */
  const char *note;            /* below the picture, small; NULL: none */
  const char *bar_label;       /* "E_x [V/m]" */
  enum tor_image_mode mode;
  double
      limit; /* colours end at this value; 0: the largest finite |value|. The bar has a point where values exceed it */
  int log;   /* sequential: whether the scale is logarithmic, from `lowest` to `limit` */
  double lowest; /* above 0 */
  int npath;
  const struct tor_image_path *path; /* [npath] */
  int narea;
  const struct tor_image_area *area; /* [narea], the legend of TOR_IMAGE_AREAS */
};

/* The value that `percent` of an array's finite |values| do not exceed, of those above 1e-6 of the largest; 0 where
 * there are none. */
double tor_image_percentile(const double *values, size_t n, double percent);
/* The largest finite |value|; 0 where there are none. */
double tor_image_largest(const double *values, size_t n);

/* Equal aspect; the plot is about 600 to 900 pixels along its longer side. Square cells become whole blocks of pixels
 * when the array is smaller, means over boxes when it is larger (of phases and areas: the value in the middle). */
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

/* Lines in polar coordinates: of each series x is the angle [rad], counter-clockwise from the right, y the radius, from
 * 0. Of the plot only title and series count, and the end of y where it is above 0; series are lines or dashed. */
int tor_image_polar(const char *path, const struct tor_image_plot *plot);

/* The colour maps, 0xrrggbb for t = -1 ... 1 (diverging, cyclic) or 0 ... 1 (sequential); equal steps are equally
 * visible. Areas: the colour of number t. */
uint32_t tor_image_colour(enum tor_image_mode mode, double t);

#endif
