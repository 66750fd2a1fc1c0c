/* The media along a line parallel to an axis, from where it enters and leaves each object: of the shapes whose ends
 * follow from a formula no point is tested, but for those at an end to rounding. Lengths in metres. */
#ifndef TOR_SRC_JOB_OBJECT_LINE_H
#define TOR_SRC_JOB_OBJECT_LINE_H

#include <stdint.h>

#include "src/job/geometry.h"

/* The part of a line that an object contains: from end[0] to end[1], of which either may be infinite; none where
 * end[0] > end[1]. At points within `unsure` of an end, or everywhere, where it is infinite, only tor_object_contains
 * decides. */
struct tor_line_part {
  double end[2], unsure;
};
/* x: a point of the line, of which x[axis] does not count. */
struct tor_line_part tor_object_on_line(const struct tor_object *object, int axis, const double x[3]);

enum {
  TOR_LINE_MOST = 16,
  TOR_LINE_MANY = 100 /* objects in a cell, all of which the test of a point goes through: fewer points are tested */
};
/* A piece of a line: places on it are in units of its length, 0 to 1. */
struct tor_line {
  const struct tor_object *objects;
  const int *list;
  int nlist, axis;
  double x[3], lo, size;
  /* The objects that end on the piece, the last painted one first, and the medium where none of them is; nparts -1:
   * there are too many, and points are tested. */
  int nparts, base, object[TOR_LINE_MOST];
  struct tor_line_part part[TOR_LINE_MOST];
};
/* The piece from lo to lo + size along `axis` through x, of which x[axis] does not count, with objects[list[nlist]] in
 * painting order; they must outlive it. */
void tor_line_make(struct tor_line *line, const struct tor_object *objects, const int *list, int nlist, int axis,
                   const double x[3], double lo, double size);
/* The same, of which all points are tested: where objects of files are among the objects, whose tests of boxes take
 * longer than those of a few points. */
void tor_line_of_points(struct tor_line *line, const struct tor_object *objects, const int *list, int nlist, int axis,
                        const double x[3], double lo, double size);
int tor_object_has_solid(const struct tor_object *object); /* it, or a part of it, is of a file */
/* Bit i < n is set where the medium may differ between i / n and (i + 1) / n: at the others it is the same at both. n:
 * 1 to 64. */
uint64_t tor_line_changes(const struct tor_line *line, int n);
/* The same of the samples in the middles of n-ths of the piece: bit i is set where the medium may differ between the
 * samples i - 1 and i; bit 0 does not count. */
uint64_t tor_line_sample_changes(const struct tor_line *line, int n);
/* The medium at a place, -1: the background. The same as of a test of the point. */
int tor_line_medium(const struct tor_line *line, double at);
/* The same at a coordinate [m]. */
int tor_line_medium_there(const struct tor_line *line, double there);
/* Where between two places the medium is no longer that at the first: by bisection to 2^-17 of the distance, or the
 * same without its steps; among more than TOR_LINE_MANY objects half-way between them. */
double tor_line_change(const struct tor_line *line, double from, double to, int medium);

#endif
