/* openPMD files: see openpmd.h. After a failure the calls of h5.h do nothing, so that only closing is checked. */
#include "io/hdf5/openpmd.h"

#include <stdio.h>

#include "io/files/writer.h"
#include "io/hdf5/h5.h"
#include "src/base/types.h"

static const char record_name[2][2] = {"E", "H"};

void tor_openpmd_object(tor_gidx step, int comp, char *buffer, size_t size) {
  snprintf(buffer, size, "/data/%lld/meshes/%s/%c", (long long)step, record_name[tor_comp_is_h(comp)],
           "xyz"[tor_comp_axis(comp)]);
}

static void write_root(struct tor_h5 *h5, const struct tor_openpmd *w) {
  char format[256];
  snprintf(format, sizeof format, "%s_%%08T.h5", w->series);
  tor_h5_attribute_string(h5, "/", "openPMD", "1.1.0");
  tor_h5_attribute_uint32(h5, "/", "openPMDextension", 0);
  tor_h5_attribute_string(h5, "/", "basePath", "/data/%T/");
  tor_h5_attribute_string(h5, "/", "meshesPath", "meshes/");
  tor_h5_attribute_string(h5, "/", "iterationEncoding", "fileBased");
  tor_h5_attribute_string(h5, "/", "iterationFormat", format);
  tor_h5_attribute_string(h5, "/", "software", w->software);
  tor_h5_attribute_string(h5, "/", "softwareVersion", w->version);
  if (w->title && *w->title) tor_h5_attribute_string(h5, "/", "comment", w->title);
}

/* Backwards: attributes follow the order of axisLabels z, y, x. */
static void attribute_zyx(struct tor_h5 *h5, const struct tor_openpmd *w, const char *object, const char *name,
                          const double v[3]) {
  const double zyx[3] = {v[2], v[1], v[0]};
  tor_h5_attribute_doubles(h5, object, name, w->axes, zyx + 3 - w->axes);
}

static void write_record(struct tor_h5 *h5, const struct tor_openpmd *w, int h) {
  /* Powers of m, kg, s, A, K, mol, cd. */
  static const double dimension[2][7] = {{1, 1, -3, -1, 0, 0, 0}, {-1, 0, 0, 1, 0, 0, 0}};
  char object[64];
  snprintf(object, sizeof object, "/data/%lld/meshes/%s", (long long)w->step, record_name[h]);
  tor_h5_attribute_string(h5, object, "geometry", "cartesian");
  tor_h5_attribute_string(h5, object, "dataOrder", "C");
  tor_h5_attribute_letters(h5, object, "axisLabels", "zyx" + 3 - w->axes);
  attribute_zyx(h5, w, object, "gridSpacing", w->spacing);
  attribute_zyx(h5, w, object, "gridGlobalOffset", w->lo);
  tor_h5_attribute_double(h5, object, "gridUnitSI", 1);
  tor_h5_attribute_doubles(h5, object, "unitDimension", 7, dimension[h]);
  tor_h5_attribute_double(h5, object, "timeOffset", h ? -0.5 * w->dt : 0);
}

static void write_component(struct tor_h5 *h5, const struct tor_openpmd *w, int comp, tor_h5_gather *gather,
                            void *context) {
  char object[64];
  const tor_gidx dims[3] = {w->count[2], w->count[1], w->count[0]};
  double position[3];
  tor_openpmd_object(w->step, comp, object, sizeof object);
  tor_h5_write_gathered(h5, object, w->type, w->axes, dims + 3 - w->axes, 1, gather, context);
  tor_h5_attribute_double(h5, object, "unitSI", 1);
  tor_h5_attribute_string(h5, object, "axes", w->axes == 3 ? "z y x" : "y x");
  for (int a = 0; a < 3; a++)
    position[a] = (comp % 3 == a) != tor_comp_is_h(comp) ? 0.5 * w->cell[a] / w->spacing[a] : 0;
  attribute_zyx(h5, w, object, "position", position);
}

static struct tor_h5 *create(const char *path, const struct tor_openpmd *w) {
  struct tor_h5 *h5 = w->shared ? tor_h5_create_shared(path) : NULL;
  if (h5) return h5;
  return w->writer ? tor_h5_create_async(path, w->writer) : tor_h5_create(path);
}

int tor_openpmd_write(const char *path, const struct tor_openpmd *w, tor_h5_gather *gather, void *context,
                      struct tor_written **written) {
  struct tor_h5 *h5 = create(path, w);
  *written = NULL;
  if (!h5) return -1;
  char object[64];
  tor_h5_deflate(h5, w->compression);
  write_root(h5, w);
  for (int h = 0; h < 2; h++) {
    int any = 0;
    for (int c = 3 * h; c < 3 * h + 3; c++)
      if (w->components & 1 << c) {
        write_component(h5, w, c, gather, context);
        any = 1;
      }
    if (any) write_record(h5, w, h);
  }
  snprintf(object, sizeof object, "/data/%lld", (long long)w->step);
  tor_h5_attribute_double(h5, object, "time", w->time);
  tor_h5_attribute_double(h5, object, "dt", w->dt);
  tor_h5_attribute_double(h5, object, "timeUnitSI", 1);
  return tor_h5_close_async(h5, written);
}
