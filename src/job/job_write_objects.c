/* Objects of a job as JSON: see job_json.h. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/types.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/job_json.h"
#include "src/job/material.h"
#include "src/job/mesh.h"
#include "src/job/outline.h"
#include "src/job/raster.h"
#include "src/job/solid.h"
#include "src/job/thin_sheet.h"
#include "src/job/turn.h"

static const char *const words[2][TOR_INTERSECTION + 1] = {
    {"sphere", "ellipsoid", "box", "cylinder", "cone", "prism", "layer", "capsule", "torus", "arc", "path", "", "union",
     "difference", "intersection"},
    {"", "ellipse", "rectangle", "circle", "", "polygon", "layer", "", "", "arc", "path", "", "union", "difference",
     "intersection"}};

static int has_centre(const struct tor_object *o) {
  return o->shape != TOR_PRISM && o->shape != TOR_PATH && o->shape != TOR_LAYER && !o->nparts;
}

/* Matrix and places of a turn, in the user's axes. */
static void write_pose(struct json *j, const struct tor_pose *p) {
  double row[3][3];
  if (!p->is_turned) return;
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) row[tor_user_axis(j->job, a)][tor_user_axis(j->job, i)] = p->matrix[a][i];
  start(j, "rotated", '{');
  start(j, "matrix", '[');
  for (int a = 0; a < 3; a++) numbers(j, NULL, row[a], 3);
  end(j, ']');
  triple(j, "from_m", p->own);
  triple(j, "to_m", p->at);
  end(j, '}');
}

static void write_outline(struct json *j, const struct tor_object *o, int ends) {
  if (o->shape == TOR_ARC) number(j, "radius_m", o->radius[0]);
  if (o->shape != TOR_PRISM) number(j, "width_m", o->width);
  if (o->shape == TOR_ARC) numbers(j, "angles_rad", o->angle, 2);
  if (ends) {
    number(j, "lo_m", o->lo);
    number(j, "hi_m", o->hi);
  }
  if (o->slope != 0) {
    number(j, "sidewall_slope", o->slope);
    number(j, "sidewall_level_m", o->level);
  }
  if (o->shape == TOR_ARC) return;
  start(j, o->shape == TOR_PATH ? "points_m" : "vertices_m", '[');
  for (int i = 0; i < o->nvertex; i++) numbers(j, NULL, o->vertex[i], 2);
  end(j, ']');
}

static void write_solid(struct json *j, const struct tor_object *o, int ends) {
  if (o->shape == TOR_SPHERE || o->shape == TOR_CYLINDER || o->shape == TOR_CAPSULE || o->shape == TOR_TORUS)
    number(j, "radius_m", o->radius[0]);
  if (o->shape == TOR_TORUS) number(j, "tube_radius_m", o->radius[1]);
  if (o->shape == TOR_ELLIPSOID) vector(j, "semi_axes_m", o->size);
  if (o->shape == TOR_BOX) vector(j, "size_m", o->size);
  if (o->shape == TOR_CONE) number(j, "radius_lo_m", o->radius[0]);
  if (o->shape == TOR_CONE) number(j, "radius_hi_m", o->radius[1]);
  if (ends && (o->shape == TOR_CYLINDER || o->shape == TOR_CONE || o->shape == TOR_CAPSULE))
    number(j, "height_m", o->height);
  if (o->shape == TOR_LAYER) {
    number(j, "lo_m", o->lo);
    number(j, "hi_m", o->hi);
  }
}

/* A number that changes with what was read from a file. */
static void write_contents(struct json *j, uint64_t contents) {
  char text[32];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)contents);
  string(j, "contents", text);
}

static void write_of_file(struct json *j, const struct tor_object *o) {
  const struct tor_solid *s = o->solid;
  const int plane = j->job->plane != TOR_SPACE;
  string(j, "file", s->file);
  if (s->mesh) {
    number(j, "metres_per_unit", o->zoom);
    number(j, "faces", tor_mesh_faces(s->mesh));
  } else {
    const double *size = tor_raster_size(s->raster), values[3] = {s->n[0], s->n[1], s->n[2]};
    double edges[3];
    for (int k = 0; k < 3; k++) edges[k] = o->zoom * size[k];
    string(j, "dataset", s->dataset);
    numbers(j, "size_m", edges, plane ? 2 : 3);
    numbers(j, "values", values, plane ? 2 : 3);
    if (s->kind == TOR_SOLID_VOXELS) number(j, "level", s->level);
    string(j, "interpolation", s->linear ? "linear" : "nearest");
  }
  write_contents(j, s->contents);
}

static void write_shape(struct json *j, const struct tor_object *o, int is_part, const struct tor_repeat *repeat) {
  const int plane = j->job->plane != TOR_SPACE;
  const int has_axis =
      o->shape == TOR_LAYER || (!plane && !o->nparts && o->shape != TOR_SPHERE && o->shape != TOR_ELLIPSOID &&
                                o->shape != TOR_BOX && o->shape != TOR_SOLID);
  start(j, NULL, '{');
  string(j, "type", o->shape == TOR_SOLID ? tor_solid_word(o->solid) : words[plane][o->shape]);
  if (!is_part) string(j, "medium", j->job->media[o->medium].name);
  if (has_axis) axis(j, "axis", o->axis);
  if (has_centre(o)) vector(j, "center_m", o->center);
  if (o->shape == TOR_SOLID)
    write_of_file(j, o);
  else if (tor_object_has_outline(o))
    write_outline(j, o, !plane);
  else
    write_solid(j, o, !plane);
  if (o->nparts) start(j, "parts", '[');
  for (int i = 0; i < o->nparts; i++) write_shape(j, &o->part[i], 1, NULL);
  if (o->nparts) end(j, ']');
  write_pose(j, &o->pose);
  if (repeat) {
    vector(j, "repeat", (const double[]){repeat->count[0], repeat->count[1], repeat->count[2]});
    vector(j, "pitch_m", repeat->pitch);
  }
  end(j, '}');
}

/* Objects of a file: which, how many, and what shows that they are others. */
static void write_file(struct json *j, const struct tor_repeat *r) {
  start(j, NULL, '{');
  string(j, "type", r->from);
  string(j, "file", r->file);
  number(j, "objects", tor_repeat_copies(r));
  write_contents(j, r->contents);
  start(j, "shapes", '[');
  for (int i = 0; i < r->nshapes; i++) write_shape(j, &r->shape[i], 0, NULL);
  end(j, ']');
  end(j, '}');
}

void tor_job_write_object(struct json *j, const struct tor_object *o, const struct tor_repeat *repeat) {
  if (repeat && repeat->from)
    write_file(j, repeat);
  else
    write_shape(j, o, 0, repeat);
}

void tor_job_write_node_pole(struct json *j, const struct tor_medium *medium) {
  if (medium->saturation > 0) {
    number(j, "saturation_V_per_m", medium->saturation);
    number(j, "relaxation_s", medium->relaxation);
  } else {
    triple(j, "cyclotron_rad_per_s", medium->cyclotron);
  }
}

void tor_job_write_strength(struct json *j, const char *name, const struct tor_pole *pole) {
  double along[3];
  for (int a = 0; a < 3; a++) {
    const double part = tor_pole_part(pole, a);
    along[a] = pole->strength * (pole->kind == TOR_DRUDE ? sqrt(part) : part);
  }
  if (tor_pole_is_isotropic(pole))
    number(j, name, pole->strength);
  else
    triple(j, name, along);
}

void tor_job_write_sheets(struct json *j) {
  const struct tor_job *job = j->job;
  if (job->nsheets) start(j, "sheets", '[');
  for (int i = 0; i < job->nsheets; i++) {
    const struct tor_thin_sheet *s = &job->sheets[i];
    start(j, NULL, '{');
    string(j, "medium", job->media[s->medium].name);
    axis(j, "axis", s->axis);
    number(j, "position_m", s->position);
    number(j, "thickness_m", s->thickness);
    if (s->nparts) start(j, "parts", '[');
    for (int k = 0; k < s->nparts; k++) write_shape(j, &s->part[k], 1, NULL);
    if (s->nparts) end(j, ']');
    end(j, '}');
  }
  if (job->nsheets) end(j, ']');
}

void tor_job_write_far_field(struct json *j, const struct tor_monitor *m) {
  if (m->ntheta) numbers(j, "theta_rad", m->theta, m->ntheta);
  numbers(j, "phi_rad", m->phi, m->nphi);
  if (m->seen_step > 0) {
    vector(j, "plane_lo_m", m->seen_lo);
    vector(j, "plane_hi_m", m->seen_hi);
    number(j, "plane_step_m", m->seen_step);
  }
  if (m->towards < 0) return;
  string(j, "cosines_towards", (const char *const[]){"-x", "+x", "-y", "+y", "-z", "+z"}[m->towards]);
  number(j, "cosines_limit", m->cosine_limit);
  number(j, "cosines_step", m->cosine_step);
}
