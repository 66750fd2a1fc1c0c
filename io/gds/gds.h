/* Layouts in GDSII stream files: the outlines of a layer in a cell, with all cells that it refers to. */
#ifndef TOR_IO_GDS_GDS_H
#define TOR_IO_GDS_GDS_H

#include <stddef.h>

struct tor_gds_outline {
  int count;          /* points */
  double (*point)[2]; /* [count], owned [m]; of a polygon in order around it, not closed; of a path along its middle */
  double width;       /* of a path with flush ends [m]; 0: a polygon */
};

struct tor_gds {
  int count;
  struct tor_gds_outline *outline; /* [count], owned, in the order of the file */
};

/* Reads the outlines of BOUNDARY, BOX and PATH elements of the layer and datatype (of boxes the boxtype; -1: of any) in
 * the cell, or with cell NULL in the only one that no other refers to; SREF and AREF with reflection, magnification and
 * rotation. Ends of paths that are longer are part of the points; round ones are polygons of 64 corners. TEXT, NODE and
 * properties are passed over. Returns 0; -1 with the reason in why[size], and nothing to be freed. */
int tor_gds_read(const char *path, const char *cell, int layer, int datatype, struct tor_gds *gds, char *why,
                 size_t size);
void tor_gds_free(struct tor_gds *gds);

#endif
