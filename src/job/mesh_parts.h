/* Shared by the mesh*.c files alone: a surface and its tree. */
#ifndef TOR_SRC_JOB_MESH_PARTS_H
#define TOR_SRC_JOB_MESH_PARTS_H

#include <stddef.h>
#include <stdint.h>

/* Of the tree of boxes over the faces. Inner nodes: the first child follows, the second is nodes[second]. */
struct mesh_node {
  float lo[3], hi[3];
  int count;  /* faces of a leaf; 0: inner */
  int second; /* of a leaf its first face */
};

struct tor_mesh {
  int nvertex, nface, nnode;
  float (*vertex)[3];
  int (*face)[3]; /* in the order of the leaves */
  struct mesh_node *node;
  uint64_t serial;      /* no other mesh of this process has it */
  double lo[3];         /* of the grid of labels */
  double per[3];        /* its cells per length */
  int n[3];             /* its cells */
  unsigned char *label; /* [n[0] n[1] n[2]] */
};
enum mesh_label { MESH_SURFACE, MESH_INSIDE, MESH_OUTSIDE };

/* Returns 0; -1 with the reason. */
int tor_mesh_check(const struct tor_mesh *mesh, char *why, size_t size);
/* Sorts the faces, makes the nodes. */
void tor_mesh_make_tree(struct tor_mesh *mesh);
/* Whether a face meets the box. */
int tor_mesh_touches(const struct tor_mesh *mesh, const double lo[3], const double hi[3]);

#endif
