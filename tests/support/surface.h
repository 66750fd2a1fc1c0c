/* Surfaces of triangles, for tests of meshes. */
#ifndef TOR_TESTS_SUPPORT_SURFACE_H
#define TOR_TESTS_SUPPORT_SURFACE_H

#include <stddef.h>

struct tor_solid;

struct surface {
  int count;
  size_t capacity;
  float (*face)[3][3]; /* [count] corners, counter-clockwise from outside; to be freed */
};

/* An icosahedron whose faces are halved `level` times each way, on the sphere of radius 1: 20 * 4^level faces. */
struct surface surface_sphere(int level);
/* Adds a box; inward: turned the other way. */
void surface_add_box(struct surface *surface, const float lo[3], const float hi[3], int inward);
/* The octahedron with corners at a distance of 1 along the axes, which stays. */
struct tor_solid *surface_octahedron(void);
/* Writes a binary STL file. */
void surface_write(const struct surface *surface, const char *path);

#endif
