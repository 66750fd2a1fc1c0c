/* Objects of a job: their keys become shapes (geometry.h), which are then turned (turned.h). */
#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"
#include "src/job/outline.h"
#include "src/job/turned.h"

static int is_layout(const struct tor_view *view) { return view->type && !strcmp(view->type, "gds"); }

static void read_pairs(const struct tor_view *view, const char *name, struct tor_object *o) {
  const config_setting_t *list = tor_get(view, name);
  if (!list) return;
  o->nvertex = config_setting_length(list);
  o->vertex = tor_alloc((size_t)o->nvertex, sizeof *o->vertex, name);
  for (int i = 0; i < o->nvertex; i++)
    for (int c = 0; c < 2; c++)
      o->vertex[i][c] =
          config_setting_get_float_elem(config_setting_get_elem(list, (unsigned)i), c) / view->config->per_metre;
}

static void read_vertices(const struct tor_view *view, struct tor_object *o) {
  double area = 0, reach = 0;
  if (is_layout(view)) return; /* they are in its file */
  read_pairs(view, "vertices", o);
  if (!o->nvertex) return;
  for (int i = 0; i < o->nvertex; i++) {
    const double *a = o->vertex[i], *b = o->vertex[(i + 1) % o->nvertex], *c = o->vertex[0];
    for (int k = 0; k < 2; k++) reach = fmax(reach, fabs(a[k] - c[k]));
    area += 0.5 * ((a[0] - c[0]) * (b[1] - c[1]) - (b[0] - c[0]) * (a[1] - c[1]));
  }
  if (!(fabs(area) > 1e-12 * reach * reach))
    tor_config_fault(view->config, tor_get(view, "vertices"), NULL,
                     "the polygon has no area, need " TOR_NEEDED("vertices in order around it"));
}

/* The middle of a path, with bends in place of its corners. */
static void read_points(const struct tor_view *view, struct tor_object *o) {
  const config_setting_t *list = tor_get(view, "points");
  o->width = tor_get_double(view, "width");
  read_pairs(view, "points", o);
  for (int i = 0; i + 1 < o->nvertex; i++)
    if (o->vertex[i][0] == o->vertex[i + 1][0] && o->vertex[i][1] == o->vertex[i + 1][1]) {
      tor_config_fault(view->config, config_setting_get_elem(list, (unsigned)i + 1), NULL,
                       "the point before it is the same, need " TOR_NEEDED("points with a distance"));
      return;
    }
  const config_setting_t *bend = tor_get(view, "bend_radius");
  if (!bend || !o->nvertex) return;
  const double radius = tor_get_double(view, "bend_radius"), unit = view->config->unit;
  const struct tor_bends made =
      tor_outline_bends((const double(*)[2])o->vertex, o->nvertex, radius, tor_get_double(view, "euler"));
  if (!made.point) {
    if (made.needed < HUGE_VAL)
      tor_config_fault(view->config, bend, NULL,
                       "got " TOR_FOUND("%g %s") ", but the bend at points[%d] needs %g %s of the straight parts on "
                                                 "either side, need " TOR_NEEDED("a smaller radius or longer parts"),
                       radius / unit, view->config->unit_name, made.corner, made.needed / unit,
                       view->config->unit_name);
    else
      tor_config_fault(view->config, config_setting_get_elem(list, (unsigned)made.corner), NULL,
                       "the path turns back here, need " TOR_NEEDED("corners that a bend can round"));
    return;
  }
  free(o->vertex);
  o->vertex = made.point;
  o->nvertex = made.count;
}

static void read_arc(const struct tor_view *view, struct tor_object *o) {
  const double from = tor_get_double(view, "from_deg"), to = tor_get_double(view, "to_deg");
  o->radius[0] = tor_get_double(view, "radius");
  o->width = tor_get_double(view, "width");
  o->angle[0] = from * TOR_PI / 180;
  o->angle[1] = to * TOR_PI / 180;
  if (!(to > from) || to - from > 360)
    tor_config_fault(
        view->config, tor_get(view, "to_deg") ? tor_get(view, "to_deg") : view->group, NULL,
        "got " TOR_FOUND("to_deg = %g and from_deg = %g") ", need " TOR_NEEDED("to_deg above from_deg, by at most 360"),
        to, from);
}

static void read_extent(const struct tor_view *view, struct tor_object *o) {
  o->lo = -INFINITY;
  o->hi = INFINITY;
  if (tor_get(view, "lo")) o->lo = tor_get_double(view, "lo");
  if (tor_get(view, "hi")) o->hi = tor_get_double(view, "hi");
  if (o->lo >= o->hi)
    tor_config_fault(view->config, tor_get(view, "hi"), NULL,
                     "got " TOR_FOUND("hi = %g and lo = %g") ", need " TOR_NEEDED("hi above lo"),
                     o->hi / view->config->unit, o->lo / view->config->unit);
}

/* Sides that lean. */
static void read_sidewall(const struct tor_view *view, struct tor_object *o) {
  const int at = tor_get_word(view, "sidewall_at");
  o->slope = tan(tor_get_double(view, "sidewall_deg") * TOR_PI / 180);
  if (o->slope != 0) o->level = at == 0 ? o->lo : at == 1 ? 0.5 * (o->lo + o->hi) : o->hi;
}

static int need_key(const struct tor_view *view, const char *name, const char *needed) {
  if (config_setting_get_member(view->group, name)) return tor_get(view, name) != NULL;
  tor_config_fault(view->config, view->group, name, "missing, need " TOR_NEEDED("%s"), needed);
  return 0;
}

/* Beyond the one metre of a 2-D job along z, and so long that an ellipse does not narrow there [m]. */
static const double BEYOND = 4, FAR_BEYOND = 1e9;

static void refuse_in_plane(const struct tor_view *view) {
  static const char *const names[] = {"axis", "height", "lo", "hi", "sidewall_deg", "sidewall_at"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (tor_get(view, names[i]))
      tor_config_fault(view->config, tor_get(view, names[i]), NULL, "the job is 2-D, need " TOR_NEEDED("none here"));
}

/* A 2-D object, in the three dimensions that it has inside. */
static void read_plane_object(const struct tor_view *view, struct tor_object *o) {
  o->axis = TOR_Z;
  o->lo = -BEYOND;
  o->hi = o->height = BEYOND;
  switch (o->shape) {
  case TOR_CYLINDER: o->radius[0] = o->radius[1] = tor_get_double(view, "radius"); break;
  case TOR_ELLIPSOID: tor_get_vector(view, "semi_axes", o->size), o->size[2] = FAR_BEYOND; break;
  case TOR_BOX: tor_get_vector(view, "size", o->size), o->size[2] = BEYOND; break;
  case TOR_ARC:
    read_arc(view, o);
    refuse_in_plane(view);
    break;
  case TOR_PATH:
    read_points(view, o);
    refuse_in_plane(view);
    break;
  case TOR_SOLID: tor_job_read_solid(view, o); break;
  default:
    read_vertices(view, o);
    if (is_layout(view)) refuse_in_plane(view);
    break;
  }
}

static void read_cone(const struct tor_view *view, struct tor_object *o) {
  o->radius[0] = tor_get_double(view, "radius_lo");
  o->radius[1] = tor_get_double(view, "radius_hi");
  o->height = tor_get_double(view, "height");
  if (o->radius[0] + o->radius[1] <= 0)
    tor_config_fault(view->config, view->group, "radius_hi", "both radii are 0, need " TOR_NEEDED("one above 0"));
}

/* Capsules and tori. */
static void read_thick(const struct tor_view *view, struct tor_object *o) {
  const int torus = o->shape == TOR_TORUS;
  const char *name = torus ? "tube_radius" : "height";
  const double unit = view->config->unit;
  o->radius[0] = tor_get_double(view, "radius");
  *(torus ? &o->radius[1] : &o->height) = tor_get_double(view, name);
  if (torus && o->radius[1] > o->radius[0])
    tor_config_fault(view->config, tor_get(view, name), NULL,
                     "got " TOR_FOUND("%g %s") ", need " TOR_NEEDED("at most the radius, %g %s"), o->radius[1] / unit,
                     view->config->unit_name, o->radius[0] / unit, view->config->unit_name);
  if (!torus && o->height < 2 * o->radius[0] * (1 - 1e-12))
    tor_config_fault(view->config, tor_get(view, name), NULL,
                     "got " TOR_FOUND("%g %s") ", need " TOR_NEEDED("at least twice the radius, %g %s: with both caps"),
                     o->height / unit, view->config->unit_name, 2 * o->radius[0] / unit, view->config->unit_name);
}

static void read_space_object(const struct tor_view *view, struct tor_object *o) {
  if (o->shape != TOR_SPHERE && o->shape != TOR_ELLIPSOID && o->shape != TOR_BOX && o->shape != TOR_SOLID)
    o->axis = is_layout(view) ? TOR_Z : tor_get_word(view, "axis");
  switch (o->shape) {
  case TOR_SPHERE: o->radius[0] = tor_get_double(view, "radius"); break;
  case TOR_ELLIPSOID: tor_get_vector(view, "semi_axes", o->size); break;
  case TOR_BOX: tor_get_vector(view, "size", o->size); break;
  case TOR_CYLINDER:
    o->radius[0] = o->radius[1] = tor_get_double(view, "radius");
    o->height = tor_get_double(view, "height");
    break;
  case TOR_CONE: read_cone(view, o); break;
  case TOR_CAPSULE:
  case TOR_TORUS: read_thick(view, o); break;
  case TOR_ARC:
    read_arc(view, o);
    if (!need_key(view, "height", "a length above 0")) break;
    o->lo = o->center[o->axis] - 0.5 * tor_get_double(view, "height");
    o->hi = o->center[o->axis] + 0.5 * tor_get_double(view, "height");
    break;
  case TOR_PATH:
    read_points(view, o);
    if (need_key(view, "lo", "the low end along the axis") & need_key(view, "hi", "the high end along the axis"))
      read_extent(view, o);
    break;
  case TOR_SOLID: tor_job_read_solid(view, o); break;
  case TOR_PRISM:
    if (is_layout(view) &&
        !(need_key(view, "lo", "the low end along z") & need_key(view, "hi", "the high end along z")))
      break;
    read_vertices(view, o); /* fall through */
  default: read_extent(view, o); break;
  }
  if (tor_object_has_outline(o)) read_sidewall(view, o);
}

/* The turn of an object that is complete. */
static void read_turn(const struct tor_view *view, struct tor_object *o) {
  static const char *const others[] = {"rotate_axis", "rotate_about"};
  const config_setting_t *turn = tor_get(view, "rotate_deg"), *axis = tor_get(view, "rotate_axis");
  const int plane = tor_job_reader_of(view)->plane != TOR_SPACE;
  double angle[3] = {0}, about[3], matrix[3][3];
  for (int i = 0; i < 2 && !config_setting_get_member(view->group, "rotate_deg"); i++)
    if (tor_get(view, others[i]))
      tor_config_fault(view->config, tor_get(view, others[i]), NULL,
                       "nothing is rotated, need " TOR_NEEDED("rotate_deg beside it"));
  if (!turn) return;
  const int three = config_setting_is_list(turn);
  if (plane && three)
    tor_config_fault(view->config, turn, NULL, "the job is 2-D, need " TOR_NEEDED("one angle, about z"));
  if (axis && (plane || three))
    tor_config_fault(view->config, axis, NULL, "%s, need " TOR_NEEDED("none here"),
                     plane ? "the job is 2-D" : "rotate_deg has an angle about each axis");
  tor_get_vector(view, "rotate_deg", angle);
  if (!three) {
    const double degrees = angle[0];
    angle[0] = angle[1] = angle[2] = 0;
    angle[plane ? TOR_Z : tor_get_word(view, "rotate_axis")] = degrees;
  }
  tor_turn_matrix((const double *)angle, matrix);
  tor_object_middle(o, about);
  if (plane) about[TOR_Z] = 0;
  tor_get_vector(view, "rotate_about", about);
  tor_object_turn(o, (const double(*)[3])matrix, about);
}

/* What a shape's word stands for: in 2-D one that ends nowhere along z. */
struct shape_word {
  enum tor_shape shape;
  enum { SPACE, PLANE, BOTH } of; /* jobs */
  const char *instead;            /* in the other kind of job */
};
static const struct shape_word shapes[] = {{TOR_SPHERE, SPACE, "circle"},
                                           {TOR_ELLIPSOID, SPACE, "ellipse"},
                                           {TOR_BOX, SPACE, "rectangle"},
                                           {TOR_CYLINDER, SPACE, "circle"},
                                           {TOR_CONE, SPACE, "polygon"},
                                           {TOR_PRISM, SPACE, "polygon"},
                                           {TOR_LAYER, BOTH, NULL},
                                           {TOR_CAPSULE, SPACE, "path"},
                                           {TOR_TORUS, SPACE, "arc"},
                                           {TOR_ARC, BOTH, NULL},
                                           {TOR_PATH, BOTH, NULL},
                                           {TOR_UNION, BOTH, NULL},
                                           {TOR_DIFFERENCE, BOTH, NULL},
                                           {TOR_INTERSECTION, BOTH, NULL},
                                           {TOR_CYLINDER, PLANE, "cylinder"},
                                           {TOR_ELLIPSOID, PLANE, "ellipsoid"},
                                           {TOR_BOX, PLANE, "box"},
                                           {TOR_PRISM, PLANE, "prism"},
                                           {TOR_PRISM, BOTH, NULL},        /* table: read_file */
                                           {TOR_PRISM, BOTH, NULL},        /* gds: of all that it becomes */
                                           {TOR_SOLID, SPACE, "polygon"},  /* stl */
                                           {TOR_SOLID, BOTH, NULL},        /* voxels */
                                           {TOR_SOLID, SPACE, "polygon"}}; /* height_map */

/* Where an object stands: in the job's list, among the parts of another, among the shapes of a file. */
enum place { OF_JOB, PART, OF_FILE };
static void read_list(struct tor_job_reader *reader, const config_setting_t *list, enum place place,
                      struct tor_object_list *to);

static void read_parts(const struct tor_view *view, struct tor_object *o) {
  const config_setting_t *list = tor_get(view, "parts");
  const int count = tor_get_length(view, "parts");
  if (!list) return;
  if (count < 2) {
    tor_config_fault(view->config, list, NULL, "got " TOR_FOUND("%d shape%s") ", need " TOR_NEEDED("two or more"),
                     count, count == 1 ? "" : "s");
    return;
  }
  struct tor_object_list parts = {0};
  read_list(tor_job_reader_of(view), list, PART, &parts);
  o->nparts = parts.count;
  o->part = parts.list;
}

static void read_object_medium(const struct tor_view *view, int is_part, struct tor_object *o) {
  const config_setting_t *medium = config_setting_get_member(view->group, "medium");
  if (is_part && medium)
    tor_config_fault(view->config, medium, NULL,
                     "a part has the medium of the whole object, need " TOR_NEEDED("none here"));
  else if (!is_part && !medium)
    tor_config_fault(view->config, view->group, "medium",
                     "missing, need " TOR_NEEDED("the name of a medium in quotes"));
  else if (!is_part)
    o->medium = tor_job_read_medium(view, "medium");
}

static void read_object(struct tor_job_reader *reader, const config_setting_t *group, int is_part,
                        struct tor_object *o) {
  struct tor_view view = tor_view_of(&reader->config, group, "objects[].");
  const int plane = reader->plane != TOR_SPACE;
  if (tor_mark_bad(group)) return;
  read_object_medium(&view, is_part, o);
  if (!view.type) return;
  const struct shape_word *word = &shapes[tor_get_word(&view, "type")];
  o->shape = word->shape;
  if (word->of == (plane ? SPACE : PLANE)) {
    tor_config_fault(&reader->config, tor_get(&view, "type"), NULL,
                     "got " TOR_FOUND("\"%s\"") ", but the job is %s, need " TOR_NEEDED("\"%s\""), view.type,
                     plane ? "2-D (grid.size has two numbers)" : "3-D (2-D where grid.size has two numbers)",
                     word->instead);
    return;
  }
  if (o->shape >= TOR_UNION) {
    read_parts(&view, o);
  } else {
    if (o->shape != TOR_PRISM && o->shape != TOR_PATH && o->shape != TOR_LAYER)
      tor_get_vector(&view, "center", o->center);
    if (plane && o->shape != TOR_LAYER)
      read_plane_object(&view, o);
    else
      read_space_object(&view, o);
  }
  if (plane && o->shape == TOR_LAYER && o->axis == TOR_Z)
    tor_config_fault(&reader->config, tor_get(&view, "axis") ? tor_get(&view, "axis") : group,
                     tor_get(&view, "axis") ? NULL : "axis",
                     "z, the default, but the job is 2-D, need " TOR_NEEDED("\"x\" or \"y\""));
  tor_outline_index_make(o);
  read_turn(&view, o);
}

/* --- Copies --- */

void tor_object_list_add(struct tor_object_list *to, struct tor_object o) {
  to->list = tor_grow(to->list, (size_t)to->count + 1, &to->capacity, sizeof *to->list);
  to->list[to->count++] = o;
}

/* The copies that an object has along each axis. Returns whether there is more than one. */
static int read_repeat(const struct tor_view *view, struct tor_repeat *r) {
  enum { MOST = 10000000 };
  const config_setting_t *repeat = tor_get(view, "repeat");
  const int axes = view->config->axes;
  double count[3] = {1, 1, 1}, all = 1;
  *r = (struct tor_repeat){.count = {1, 1, 1}};
  if (!repeat) return 0;
  tor_get_vector(view, "repeat", count);
  if (!need_key(view, "pitch", "the distance between copies along each axis")) return 0;
  tor_get_vector(view, "pitch", r->pitch);
  for (int a = 0; a < axes; a++) {
    if (!config_setting_is_list(repeat) && !(r->pitch[a] > 0)) count[a] = 1;
    if (count[a] != floor(count[a])) {
      tor_config_fault(view->config, repeat, NULL, "got " TOR_FOUND("%g") ", need " TOR_NEEDED("whole numbers"),
                       count[a]);
      return 0;
    }
    if (count[a] > 1 && !(r->pitch[a] > 0)) {
      tor_config_fault(view->config, tor_get(view, "pitch"), NULL,
                       "0 along %c, where repeat has %g copies, need " TOR_NEEDED("a distance above 0"), "xyz"[a],
                       count[a]);
      return 0;
    }
    r->count[a] = (int)count[a];
    all *= count[a];
  }
  if (all > MOST)
    tor_config_fault(view->config, repeat, NULL, "got " TOR_FOUND("%g copies") ", need " TOR_NEEDED("at most %d"), all,
                     MOST);
  return all > 1 && all <= MOST;
}

static void add_copies(struct tor_object_list *to, const struct tor_object *o, const struct tor_repeat *r) {
  for (int z = 0; z < r->count[2]; z++)
    for (int y = 0; y < r->count[1]; y++)
      for (int x = 0; x < r->count[0]; x++) {
        const int at[3] = {x, y, z};
        double by[3];
        for (int a = 0; a < 3; a++) by[a] = (at[a] - 0.5 * (r->count[a] - 1)) * r->pitch[a];
        tor_object_list_add(to, tor_object_moved(o, by));
      }
}

void tor_job_add_repeat(struct tor_job_reader *reader, struct tor_repeat repeat) {
  struct tor_job *job = reader->job;
  job->repeats = tor_grow(job->repeats, (size_t)job->nrepeats + 1, &reader->repeats_capacity, sizeof *job->repeats);
  job->repeats[job->nrepeats++] = repeat;
}

/* Objects that a file has; returns whether the group is of this kind. medium and turn: of a table's shapes. */
static int read_file(const struct tor_view *view, enum place place, struct tor_object_list *to) {
  static const char *const others[] = {"medium", "rotate_deg", "rotate_axis", "rotate_about", "repeat", "pitch"};
  if (tor_mark_bad(view->group) || !view->type || (strcmp(view->type, "table") && !is_layout(view))) return 0;
  int good = place == OF_JOB;
  if (!good)
    tor_config_fault(view->config, tor_get(view, "type"), NULL,
                     "got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("a shape, or \"%s\" as an object by itself"),
                     view->type, view->type);
  for (size_t i = is_layout(view); i < sizeof others / sizeof *others; i++)
    if (config_setting_get_member(view->group, others[i])) {
      tor_config_fault(view->config, config_setting_get_member(view->group, others[i]), NULL,
                       "%s, need " TOR_NEEDED("none here"),
                       is_layout(view) ? "a layout is not turned or repeated" : "its shapes have their own");
      good = 0;
    }
  if (good && is_layout(view)) {
    const int before = view->config->nfault;
    struct tor_object like = {0};
    read_object(tor_job_reader_of(view), view->group, 0, &like);
    if (view->config->nfault == before) tor_job_read_layout(view, &like, to);
  } else if (good) {
    tor_job_read_object_table(view, to);
  }
  return 1;
}

static void read_list(struct tor_job_reader *reader, const config_setting_t *list, enum place place,
                      struct tor_object_list *to) {
  for (int i = 0; list && i < config_setting_length(list); i++) {
    const config_setting_t *group = config_setting_get_elem(list, (unsigned)i);
    const struct tor_view view = tor_view_of(&reader->config, group, "objects[].");
    struct tor_object o = {0};
    struct tor_repeat r;
    if (read_file(&view, place, to)) continue;
    read_object(reader, group, place == PART, &o);
    if (place == OF_FILE && tor_get(&view, "repeat"))
      tor_config_fault(&reader->config, tor_get(&view, "repeat"), NULL,
                       "the file has the places of its copies, need " TOR_NEEDED("none here"));
    if (tor_mark_bad(group) || place == OF_FILE || !read_repeat(&view, &r)) {
      tor_object_list_add(to, o);
      continue;
    }
    r.first = to->count;
    add_copies(to, &o, &r);
    tor_object_free(&o);
    if (place == OF_JOB) tor_job_add_repeat(reader, r);
  }
}

void tor_job_read_shapes(struct tor_job_reader *reader, const config_setting_t *list, struct tor_object_list *to) {
  read_list(reader, list, OF_FILE, to);
}

void tor_job_read_parts(struct tor_job_reader *reader, const config_setting_t *list, struct tor_object_list *to) {
  read_list(reader, list, PART, to);
}

void tor_job_read_objects(struct tor_job_reader *reader) {
  struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  struct tor_object_list all = {0};
  read_list(reader, tor_get(&root, "objects"), OF_JOB, &all);
  tor_job_leave_labels(reader);
  reader->job->objects = all.list;
  reader->job->nobjects = all.count;
  tor_objects_nest(all.list, all.count);
}
