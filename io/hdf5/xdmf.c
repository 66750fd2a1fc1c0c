/* XDMF: see xdmf.h. Names of series are letters, digits and - _ . alone (config_check.c), so nothing needs escaping. */
#include "io/hdf5/xdmf.h"

#include <stdio.h>

#include "io/files/folder.h"

static void write_time(FILE *f, const struct tor_xdmf *w, int i, const char *where) {
  const long long n[3] = {(long long)w->count[0], (long long)w->count[1], (long long)w->count[2]};
  fprintf(f, "      <Grid Name=\"%s\" GridType=\"Uniform\">\n        <Time Value=\"%.15g\"/>\n", w->name, w->time[i]);
  fprintf(f, "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%lld %lld %lld\"/>\n", n[2], n[1], n[0]);
  fprintf(f,
          "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n          <DataItem Dimensions=\"3\" "
          "Format=\"XML\">%.15g %.15g %.15g</DataItem>\n",
          w->origin[2], w->origin[1], w->origin[0]);
  fprintf(f, "          <DataItem Dimensions=\"3\" Format=\"XML\">%.15g %.15g %.15g</DataItem>\n        </Geometry>\n",
          w->spacing[2], w->spacing[1], w->spacing[0]);
  fprintf(f, "        <Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"Node\">\n", w->name);
  fprintf(f,
          "          <DataItem Dimensions=\"%lld %lld %lld\" NumberType=\"Float\" Precision=\"%d\" "
          "Format=\"HDF\">%s</DataItem>\n",
          n[2], n[1], n[0], w->bytes, where);
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
