/* XDMF: see xdmf.h. Names of series are letters, digits and - _ . alone (config_check.c), so nothing needs escaping. */
#include "io/hdf5/xdmf.h"

#include <stdio.h>

#include "io/files/folder.h"

/* Numbers along z, y, x, or y, x. */
static void write_zyx(FILE *f, const struct tor_xdmf *w, const double v[3]) {
  if (w->axes == 3) fprintf(f, "%.15g ", v[2]);
  fprintf(f, "%.15g %.15g", v[1], v[0]);
}

static void write_time(FILE *f, const struct tor_xdmf *w, int i, const char *where) {
  const double n[3] = {(double)w->count[0], (double)w->count[1], (double)w->count[2]};
  fprintf(f, "      <Grid Name=\"%s\" GridType=\"Uniform\">\n        <Time Value=\"%.15g\"/>\n", w->name, w->time[i]);
  fprintf(f, "        <Topology TopologyType=\"%dDCoRectMesh\" Dimensions=\"", w->axes);
  write_zyx(f, w, n);
  fprintf(f, "\"/>\n        <Geometry GeometryType=\"ORIGIN_%s\">\n", w->axes == 3 ? "DXDYDZ" : "DXDY");
  for (int k = 0; k < 2; k++) {
    fprintf(f, "          <DataItem Dimensions=\"%d\" Format=\"XML\">", w->axes);
    write_zyx(f, w, k ? w->spacing : w->origin);
    fprintf(f, "</DataItem>\n");
  }
  fprintf(f, "        </Geometry>\n        <Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"Node\">\n",
          w->name);
  fprintf(f, "          <DataItem Dimensions=\"");
  write_zyx(f, w, n);
  fprintf(f, "\" NumberType=\"Float\" Precision=\"%d\" Format=\"HDF\">%s</DataItem>\n", w->bytes, where);
  fprintf(f, "        </Attribute>\n      </Grid>\n");
}

int tor_xdmf_write(const char *path, const struct tor_xdmf *w, tor_xdmf_where *where, const void *context) {
  FILE *f = tor_folder_create(path);
  if (!f) return -1;
  fprintf(f,
          "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n  <Domain>\n    <Grid Name=\"%s\" GridType=\"Collection\" "
          "CollectionType=\"Temporal\">\n",
          w->name);
  for (int i = 0; i < w->ntime; i++) {
    char place[512];
    where(context, i, place, sizeof place);
    write_time(f, w, i, place);
  }
  fprintf(f, "    </Grid>\n  </Domain>\n</Xdmf>\n");
  return tor_folder_commit(f, path);
}
