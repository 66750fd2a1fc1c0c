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

/* Bins across an axis w: of axes w + 1, w + 2. */
struct mesh_columns {
  int n[2];
  double lo[2], per[2]; /* bins per length */
  size_t *first;        /* [n[0] n[1] + 1] places in the list; NULL: no bins, the tree serves */
  int *list;            /* faces whose bounds meet a bin */
};

struct tor_mesh {
  int nvertex, nface, nnode;
  float (*vertex)[3];
  int (*face)[3]; /* in the order of the leaves */
  struct mesh_node *node;
  struct mesh_columns columns[3];
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
/* Bins across an axis, if there are none yet and faces are not too long for them. */
void tor_mesh_make_columns(struct tor_mesh *mesh, int w);
void tor_mesh_free_columns(struct tor_mesh *mesh);
/* The faces that the line (u, v) may cross. */
const int *tor_mesh_column(const struct mesh_columns *columns, double u, double v, size_t *count);
/* Whether a face meets the box. */
int tor_mesh_touches(const struct tor_mesh *mesh, const double lo[3], const double hi[3]);

#endif
