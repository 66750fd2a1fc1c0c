/* Solids that files describe: surfaces of triangles, values on a grid, heights. Objects that are copies of each other
 * share one. */
#ifndef TOR_SRC_JOB_SOLID_H
#define TOR_SRC_JOB_SOLID_H

#include <stdint.h>

#include "src/job/geometry.h"

struct tor_mesh;
struct tor_raster;

enum tor_solid_kind { TOR_SOLID_STL, TOR_SOLID_VOXELS, TOR_SOLID_HEIGHTS };

struct tor_solid {
  _Atomic int users;
  enum tor_solid_kind kind;
  char *file, *dataset; /* names as given, owned; dataset NULL: the file has none */
  uint64_t contents;    /* of what was read, a number that changes with it */
  struct tor_mesh *mesh;
  /* Voxels and heights: inside where the value is at `level` or above; heights [m]: as high as the value above the
   * bottom of the box. */
  struct tor_raster *raster;
  int n[3], linear;
  double level, lo[3], hi[3]; /* bounds */
};

/* One user more; one less, the last of which frees it. NULL is none. */
void tor_solid_share(struct tor_solid *solid);
void tor_solid_leave(struct tor_solid *solid);

/* Its word in job files. */
const char *tor_solid_word(const struct tor_solid *solid);

/* Sets `reach` of an object with a solid: to be called when it was made or turned. */
void tor_solid_place(struct tor_object *object);

/* As tor_object_contains and so on, of points and boxes before its turn; bounds after it. */
int tor_solid_contains(const struct tor_object *object, const double x[3]);
int tor_solid_holds_box(const struct tor_object *object, const double lo[3], const double hi[3]);
void tor_solid_bounds(const struct tor_object *object, double lo[3], double hi[3]);

#endif
