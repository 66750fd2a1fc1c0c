/* Solids that files describe: surfaces of triangles. Objects that are copies of each other share one. */
#ifndef TOR_SRC_JOB_SOLID_H
#define TOR_SRC_JOB_SOLID_H

#include <stdint.h>

#include "src/job/geometry.h"

struct tor_mesh;

struct tor_solid {
  _Atomic int users;
  const char *type;  /* the word of it in job files */
  char *file;        /* its name as given, owned */
  uint64_t contents; /* of what was read, a number that changes with it */
  struct tor_mesh *mesh;
};

/* One user more; one less, the last of which frees it. NULL is none. */
void tor_solid_share(struct tor_solid *solid);
void tor_solid_leave(struct tor_solid *solid);

/* Sets `reach` of an object with a solid: to be called when it was made or turned. */
void tor_solid_place(struct tor_object *object);

/* As tor_object_contains and so on, of points and boxes before its turn; bounds after it. */
int tor_solid_contains(const struct tor_object *object, const double x[3]);
int tor_solid_holds_box(const struct tor_object *object, const double lo[3], const double hi[3]);
void tor_solid_bounds(const struct tor_object *object, double lo[3], double hi[3]);

#endif
