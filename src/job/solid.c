/* Solids of files as objects: see solid.h. */
#include "src/job/solid.h"

#include <math.h>
#include <stdlib.h>

#include "src/job/geometry.h"
#include "src/job/mesh.h"
#include "src/job/raster.h"

void tor_solid_share(struct tor_solid *s) {
  if (s) s->users++;
}

void tor_solid_leave(struct tor_solid *s) {
  if (!s || --s->users > 0) return;
  tor_mesh_free(s->mesh);
  tor_raster_free(s->raster);
  free(s->file);
  free(s->dataset);
  free(s);
}

const char *tor_solid_word(const struct tor_solid *s) {
  static const char *const words[] = {"stl", "voxels", "height_map"};
  return words[s->kind];
}

/* --- In the file's coordinates --- */

static int raster_contains(const struct tor_solid *s, const double p[3]) {
  for (int a = 0; a < 3; a++)
    if (!(p[a] >= s->lo[a] && p[a] <= s->hi[a])) return 0;
  const double up = s->kind == TOR_SOLID_HEIGHTS ? p[2] + 0.5 * tor_raster_size(s->raster)[2] : s->level;
  return tor_raster_at(s->raster, p) >= up;
}

static int raster_holds_box(const struct tor_solid *s, const double lo[3], const double hi[3]) {
  double range[2], least = s->level, most = s->level;
  int whole = 1; /* it lies in the bounds */
  for (int a = 0; a < 3; a++) {
    if (lo[a] >= s->hi[a] || hi[a] <= s->lo[a]) return -1;
    whole &= lo[a] >= s->lo[a] && hi[a] <= s->hi[a];
  }
  tor_raster_range(s->raster, lo, hi, range);
  if (s->kind == TOR_SOLID_HEIGHTS) {
    least = fmax(lo[2], s->lo[2]) + 0.5 * tor_raster_size(s->raster)[2];
    most = hi[2] + 0.5 * tor_raster_size(s->raster)[2];
  }
  return range[1] < least ? -1 : whole && range[0] >= most;
}

/* The largest d . p. */
static double support(const struct tor_solid *s, const double d[3]) {
  double sum = 0;
  if (s->mesh) return tor_mesh_support(s->mesh, d);
  for (int a = 0; a < 3; a++)
    if (d[a] != 0) sum += d[a] * (d[a] > 0 ? s->hi[a] : s->lo[a]);
  return sum;
}

/* --- Objects --- */

/* The axis of the object along which the solid's axis k lies. */
static int axis_of(const struct tor_object *o, int k) { return (o->axis + 1 + k) % 3; }

static void to_file(const struct tor_object *o, const double x[3], double p[3]) {
  for (int k = 0; k < 3; k++) {
    const int a = axis_of(o, k);
    p[k] = (x[a] - o->center[a]) / o->zoom;
  }
}

/* The solid's axis that lies along the scene's z, or nearest it: boxes are sampled in lines along z. */
static int along_z(const struct tor_object *o) {
  int best = 2;
  if (o->pose.is_turned)
    for (int a = 0; a < 3; a++)
      if (fabs(o->pose.matrix[2][a]) > fabs(o->pose.matrix[2][best])) best = a;
  return (best - o->axis + 2) % 3;
}

int tor_solid_contains(const struct tor_object *o, const double x[3]) {
  double p[3];
  if (!o->solid) return 0; /* its file had a fault */
  to_file(o, x, p);
  return o->solid->mesh ? tor_mesh_contains(o->solid->mesh, p, along_z(o)) : raster_contains(o->solid, p);
}

int tor_solid_holds_box(const struct tor_object *o, const double lo[3], const double hi[3]) {
  double from[3], to[3];
  if (!o->solid) return -1;
  to_file(o, lo, from);
  to_file(o, hi, to);
  return o->solid->mesh ? tor_mesh_holds_box(o->solid->mesh, from, to) : raster_holds_box(o->solid, from, to);
}

void tor_solid_place(struct tor_object *o) {
  if (!o->solid) return;
  if (o->solid->mesh) tor_mesh_prepare(o->solid->mesh, along_z(o));
  for (int side = 0; side < 2; side++)
    for (int a = 0; a < 3; a++) {
      double d[3];
      for (int k = 0; k < 3; k++) {
        const int own = axis_of(o, k);
        d[k] = (side ? 1 : -1) * (o->pose.is_turned ? o->pose.matrix[a][own] : own == a);
      }
      o->reach[side][a] = (side ? 1 : -1) * o->zoom * support(o->solid, d);
    }
}

void tor_solid_bounds(const struct tor_object *o, double lo[3], double hi[3]) {
  const double *at = o->pose.is_turned ? o->pose.at : o->center;
  for (int a = 0; a < 3; a++) {
    lo[a] = at[a] + o->reach[0][a];
    hi[a] = at[a] + o->reach[1][a];
  }
}
