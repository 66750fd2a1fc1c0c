/* Closed surfaces of triangles: which points and boxes lie inside. Lengths in the unit of the vertices. */
#ifndef TOR_SRC_JOB_MESH_H
#define TOR_SRC_JOB_MESH_H

#include <stddef.h>

struct tor_mesh;

/* Faces [nface] of vertices [nvertex], which the mesh takes over. Inside are the points that the surface winds around:
 * a shell that is turned the other way in another one is a void. NULL with the reason in why[size], and the arrays
 * freed, where the surface is not closed or two faces at an edge are turned differently. */
struct tor_mesh *tor_mesh_new(float (*vertex)[3], int nvertex, int (*face)[3], int nface, char *why, size_t size);
void tor_mesh_free(struct tor_mesh *mesh);

/* Makes tor_mesh_contains fast along an axis. Not while other threads use the mesh. */
void tor_mesh_prepare(struct tor_mesh *mesh, int along);
/* Counts the faces beyond a point on a line along the axis `along`. Each edge is decided by one expression for both of
 * its faces: what is closed is so for lines through edges and vertices, too. Fast for points on one line, in turn. */
int tor_mesh_contains(const struct tor_mesh *mesh, const double x[3], int along);
/* 1: all of the box lies inside, -1: outside; 0: a face meets it. */
int tor_mesh_holds_box(const struct tor_mesh *mesh, const double lo[3], const double hi[3]);

void tor_mesh_bounds(const struct tor_mesh *mesh, double lo[3], double hi[3]);
/* The largest d . x of its points. */
double tor_mesh_support(const struct tor_mesh *mesh, const double d[3]);
int tor_mesh_faces(const struct tor_mesh *mesh);

#endif
