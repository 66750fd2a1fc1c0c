/* A section of the scene: the media in a plane, and the outlines of the shapes there. Lengths in metres. Local. */
#ifndef TOR_SRC_RESULTS_SECTION_H
#define TOR_SRC_RESULTS_SECTION_H

#include <stddef.h>

#include "io/image/image.h"
#include "src/job/grid.h"
#include "src/job/job.h"

/* The plane across an axis at a place; h and v are the horizontal and the vertical axis of its pictures, the other two
 * in the order x, y, z. Objects are found by bins of the part that is shown. */
struct tor_section {
  const struct tor_job *job; /* with copies of objects across seams */
  struct tor_job periodic;   /* that job, where copies are needed; so a section is not to be copied */
  int across, h, v;
  double at;           /* along `across` */
  double lo[2], hi[2]; /* the part that is shown, along h and v */
  double pixel;        /* about one of the picture */
  int *first, *list;   /* objects that meet bin b: list[first[b]] ..., in painting order */
};

/* Ends the run when memory is short. */
void tor_section_open(struct tor_section *section, const struct tor_job *job, int across, double at, const double lo[2],
                      const double hi[2]);
void tor_section_close(struct tor_section *section);
/* The medium at a point of the plane (index into the job's media). */
int tor_section_medium(const struct tor_section *section, double h, double v);

/* Lines of a picture, in a list that grows. Zeros: none. */
struct tor_lines {
  int npath;
  struct tor_image_path *path; /* [npath]; `at` is set by tor_lines_end */
  size_t paths, npoint, points;
  double (*point)[2]; /* [npoint] */
};
/* Begins a path, of at least one point. */
void tor_lines_begin(struct tor_lines *lines, enum tor_image_line_kind kind);
void tor_lines_add(struct tor_lines *lines, double h, double v);
/* After the last path: the lines can be drawn, in units of `unit`. */
void tor_lines_end(struct tor_lines *lines, double unit);
void tor_lines_free(struct tor_lines *lines);

/* Adds where the medium changes along the shapes' own surfaces, whatever the cells. What a later object covers and what
 * separates no media is left out. */
void tor_section_surfaces(const struct tor_section *section, struct tor_lines *lines);
/* Adds the job's sheets: where their planes cut the section the lines that they cover, and of those within half a cell
 * of it and along it the rims, or of a whole plane the rim of the picture. */
void tor_section_sheets(const struct tor_section *section, const struct tor_grid *grid, struct tor_lines *lines);
/* Adds a box on the grid's nodes where the plane meets it, without sides at or beyond the walls; a plane is met within
 * half a cell, a line across the section and a point are points of the picture. */
void tor_section_box(const struct tor_section *section, const struct tor_grid *grid, const double lo[3],
                     const double hi[3], enum tor_image_line_kind kind, struct tor_lines *lines);
/* Adds the total-field boxes of plane waves that the plane meets, on the grid, without open sides. */
void tor_section_wave_boxes(const struct tor_section *section, const struct tor_grid *grid, struct tor_lines *lines);
/* Adds the inner sides of the absorbing layers. */
void tor_section_layers(const struct tor_section *section, const struct tor_grid *grid, struct tor_lines *lines);

#endif
