/* Surfaces of triangles in STL files, binary and ASCII. */
#ifndef TOR_IO_STL_STL_H
#define TOR_IO_STL_STL_H

#include <stddef.h>

struct tor_stl {
  int nvertex, nface;
  float (*vertex)[3]; /* [nvertex], owned, in the file's unit; no two are the same */
  int (*face)[3];     /* [nface], owned: vertices, in the order of the file */
};

/* Reads all solids of a file as one; corners with the same coordinates become one vertex, faces with two of the same
 * corners are left out, normals and attributes are passed over. Returns 0; -1 with the reason in why[size], and nothing
 * to be freed. */
int tor_stl_read(const char *path, struct tor_stl *stl, char *why, size_t size);
void tor_stl_free(struct tor_stl *stl);

#endif
