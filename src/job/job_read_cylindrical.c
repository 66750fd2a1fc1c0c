/* Cylindrical coordinates: reads grid.coordinates and grid.m, and refuses what is no body of revolution or is not
 * available there. In the user's axes. */
#include <libconfig.h>
#include <math.h>
#include <stddef.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/cylindrical.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"
#include "src/job/material.h"

void tor_job_read_coordinates(const struct tor_view *grid) {
  struct tor_job_reader *reader = tor_job_reader_of(grid);
  const config_setting_t *m = tor_get(grid, "m");
  if (tor_get_word(grid, "coordinates") != 1) {
    if (m)
      tor_config_fault(grid->config, m, NULL,
                       "is for cylindrical coordinates, need " TOR_NEEDED("coordinates = \"cylindrical\", or no m"));
    return;
  }
  if (reader->plane) {
    tor_config_fault(grid->config, tor_get(grid, "coordinates"), NULL,
                     "the domain is the box around a cylinder, need " TOR_NEEDED("grid.size of three numbers"));
    return;
  }
  if (!m) {
    if (!config_setting_get_member(grid->group, "m"))
      tor_config_fault(grid->config, grid->group, "m", "missing, need " TOR_NEEDED("the angular number, 0 or more"));
    return;
  }
  const int number = tor_get_int(grid, "m"), word = tor_get_word(grid, "polarisation");
  reader->job->angular = number > 0 ? number : word % 2 == 1 ? TOR_M0_TE : TOR_M0_TM;
  if (number == 0 && word < 0 && !config_setting_get_member(grid->group, "polarisation"))
    tor_config_fault(grid->config, grid->group, "polarisation",
                     "missing, and m = 0 has two kinds of fields: need " TOR_NEEDED(
                         "\"TM\" (E along r and z) or \"TE\" (E along phi)"));
}

/* --- What cylindrical coordinates do not have --- */

static struct tor_refusals refusals_of(struct tor_job_reader *reader) {
  return (struct tor_refusals){reader, "cylindrical coordinates", "coordinates = \"cartesian\""};
}

static void refuse(struct tor_job_reader *reader, const config_setting_t *at, const char *key, const char *what) {
  const struct tor_refusals refusals = refusals_of(reader);
  tor_refuse(&refusals, at, key, what);
}

static int is_alike(const struct tor_boundary *a, const struct tor_boundary *b) {
  return a->wall == b->wall && a->cells == b->cells && a->grade == b->grade && a->sigma == b->sigma &&
         a->kappa == b->kappa && a->alpha == b->alpha;
}

static void check_domain(struct tor_job_reader *reader, const struct tor_view *root) {
  const struct tor_job *job = reader->job;
  struct tor_config *config = &reader->config;
  struct tor_view grid = tor_view_child(root, "grid", "grid."),
                  walls = tor_view_child(root, "boundaries", "boundaries.");
  if (job->order != 2) refuse(reader, tor_get(&grid, "order"), NULL, "order 4 is");
  if (tor_get_length(&grid, "refine")) refuse(reader, tor_get(&grid, "refine"), NULL, "graded grids are");
  if (job->symmetry[0] || job->symmetry[1] || job->symmetry[2])
    refuse(reader, tor_get(root, "symmetry"), NULL, "symmetries are");
  if (!reader->grid_known) return;
  if (fabs(job->cell[0] - job->cell[1]) > 1e-9 * job->cell[0])
    tor_config_fault(config, tor_get(&grid, "cell"), NULL,
                     "edges along x and y differ, need " TOR_NEEDED("the same: that along the radius"));
  else if (reader->cells[0] != reader->cells[1] || reader->cells[0] % 2 || reader->cells[0] < 4)
    tor_config_fault(config, tor_get(&grid, "size"), NULL,
                     "%d x %d cells along x and y, need " TOR_NEEDED("the cylinder's diameter, an even number of 4 or "
                                                                     "more, along both"),
                     reader->cells[0], reader->cells[1]);
  int differ = 0;
  for (int f = 1; f < 2 * TOR_Z; f++) differ |= !is_alike(&job->boundary[0], &job->boundary[f]);
  if (differ || job->boundary[0].wall == TOR_PERIODIC)
    tor_config_fault(config, walls.group ? walls.group : grid.group, walls.group ? NULL : "boundaries",
                     "the walls at x_lo, x_hi, y_lo and y_hi %s, need " TOR_NEEDED("one of \"cpml\", \"absorber\", "
                                                                                   "\"pec\" and \"pmc\", for the wall "
                                                                                   "around the cylinder"),
                     differ ? "differ" : "are periodic");
}

static int is_centred(const struct tor_object *o, double slack) {
  return fabs(o->center[0]) <= slack && fabs(o->center[1]) <= slack;
}

/* Whether an object looks alike from all sides about the z axis. */
static int is_of_revolution(const struct tor_object *o, double slack) {
  int all = 1;
  for (int i = 0; i < o->nparts; i++) all &= is_of_revolution(&o->part[i], slack);
  if (o->nparts) return all;
  if (o->pose.is_turned) return 0;
  switch (o->shape) {
  case TOR_SPHERE: return is_centred(o, slack);
  case TOR_ELLIPSOID: return is_centred(o, slack) && fabs(o->size[0] - o->size[1]) <= slack;
  case TOR_CYLINDER:
  case TOR_CONE:
  case TOR_CAPSULE:
  case TOR_TORUS: return o->axis == TOR_Z && is_centred(o, slack);
  case TOR_ARC:
    return o->axis == TOR_Z && is_centred(o, slack) && o->angle[1] - o->angle[0] >= 2 * TOR_PI * (1 - 1e-12);
  case TOR_LAYER: return o->axis == TOR_Z;
  default: return 0;
  }
}

static void check_media(struct tor_job_reader *reader, const struct tor_view *root) {
  const struct tor_job *job = reader->job;
  const double slack = 1e-6 * job->cell[0];
  const config_setting_t *list = tor_get(root, "objects");
  int bad = -1; /* the last element with a fault */
  for (int i = 0; i < job->nmedia; i++) {
    const struct tor_medium *m = &job->media[i];
    if (!tor_job_uses_medium(job, i)) continue;
    if (job->averaging == TOR_AVERAGE_TENSOR && m->npoles)
      tor_config_fault(&reader->config, tor_get(root, "media"), NULL,
                       "\"%s\" has poles, and averaging = \"tensor\" is for dielectrics in cylindrical coordinates, "
                       "need " TOR_NEEDED("averaging = \"subpixel\" or \"staircase\""),
                       m->name);
    if (tor_medium_node_part(m))
      tor_config_fault(&reader->config, tor_get(root, "media"), NULL,
                       "\"%s\" has a %s, which cylindrical coordinates do not have, need " TOR_NEEDED("a 3-D job"),
                       m->name, tor_medium_node_part(m));
    int unlike = 0; /* poles, across the axis */
    for (int p = 0; p < m->npoles; p++) unlike |= m->poles[p].less[0] != m->poles[p].less[1];
    if (unlike || m->has_tensor || m->eps[0] != m->eps[1] || m->mu[0] != m->mu[1] || m->sigma[0] != m->sigma[1] ||
        m->sigma_m[0] != m->sigma_m[1])
      tor_config_fault(&reader->config, tor_get(root, "media"), NULL,
                       "\"%s\" differs along x and y, and is no body of revolution, need " TOR_NEEDED(
                           "the same values along both, without a tensor"),
                       m->name);
  }
  for (int i = 0; i < job->nobjects; i++) {
    const int number = tor_job_object_number(job, i), conducts = job->media[job->objects[i].medium].conducts;
    const int is_other = !is_of_revolution(&job->objects[i], slack);
    const config_setting_t *at = config_setting_get_elem(list, (unsigned)number);
    if (number == bad || !(is_other || conducts)) continue;
    bad = number;
    if (is_other)
      tor_config_fault(&reader->config, at, NULL,
                       "is no body of revolution about the z axis, need " TOR_NEEDED(
                           "a sphere or an ellipsoid on it, a cylinder, cone, capsule, torus or ring along it, a layer "
                           "across it, or what is made of these"));
    if (conducts) refuse(reader, at, "medium", "perfect conductors inside the domain are");
  }
}

/* A box that stands for the cylinder in it. */
static void check_box(struct tor_job_reader *reader, const config_setting_t *at, const char *key, const double lo[3],
                      const double hi[3]) {
  const double slack = 1e-6 * reader->job->cell[0], a = hi[0];
  if (fabs(lo[0] + a) <= slack && fabs(lo[1] + a) <= slack && fabs(hi[1] - a) <= slack) return;
  tor_config_fault(
      &reader->config, at, key,
      "stands for the cylinder in it, need " TOR_NEEDED("lo = [-a, -a, z] and hi = [a, a, z] of a radius a"));
}

static void check_wave(struct tor_job_reader *reader, const struct tor_source *s, const config_setting_t *at) {
  const struct tor_job *job = reader->job;
  if (job->angular != 1 || s->oblique || s->circular || s->axis != TOR_Z || s->polarisation != TOR_X) {
    tor_config_fault(&reader->config, at, NULL,
                     "a plane wave is a field of m = 1 where it travels along z, need " TOR_NEEDED(
                         "grid.m = 1, direction \"-z\" or \"+z\" and polarisation \"x\""));
    return;
  }
  if (!reader->grid_known) return;
  check_box(reader, at, "box", s->lo, s->hi);
  if (s->hi[0] >= reader->wall[0] - 0.5 * job->cell[0])
    tor_config_fault(&reader->config, at, "box",
                     "reaches the wall around the cylinder, need " TOR_NEEDED("a smaller radius"));
  if (job->boundary[2 * TOR_Z].wall == TOR_PERIODIC)
    tor_config_fault(&reader->config, at, NULL,
                     "the domain is periodic along z, need " TOR_NEEDED("other walls there"));
  for (int i = 0; i < job->nobjects; i++)
    if (job->objects[i].shape == TOR_LAYER && job->objects[i].hi > s->lo[2] && job->objects[i].lo < s->hi[2]) {
      refuse(reader, at, "box", "layers in a wave's box, through its sides, are");
      break;
    }
}

/* A dipole in the half plane y = 0, x >= 0, whose field is even in y (of m = 0, TE: odd): of that, the part of m. */
static void check_dipole(struct tor_job_reader *reader, const struct tor_source *s, const config_setting_t *at) {
  const double slack = 1e-6 * reader->job->cell[0];
  const int angular = reader->job->angular, magnetic = s->kind == TOR_MAGNETIC_DIPOLE,
            along_phi = magnetic != (angular == TOR_M0_TE), /* the dipoles that are to be along phi */
      on_axis = fabs(s->position[0]) <= slack, has_axis = angular <= 1 && (s->polarisation == TOR_Z) == (angular < 0);
  if (along_phi != (s->polarisation == TOR_Y))
    tor_config_fault(&reader->config, at, "axis", "a %s dipole there drives other fields, need " TOR_NEEDED("%s"),
                     magnetic ? "magnetic" : "electric", along_phi ? "\"y\"" : "\"x\" or \"z\"");
  else if (s->position[0] < -slack || fabs(s->position[1]) > slack)
    tor_config_fault(&reader->config, at, "position", "lies outside the half plane, need " TOR_NEEDED("x >= 0, y = 0"));
  else if (on_axis && !has_axis)
    tor_config_fault(&reader->config, at, "position",
                     "on the axis it has no field of m = %s, need " TOR_NEEDED(
                         "x > 0, or a moment across z and m = 1, or along z and m = 0"),
                     tor_cylindrical_text(angular));
}

static void check_source(struct tor_job_reader *reader, const struct tor_source *s, const config_setting_t *at) {
  if (s->kind == TOR_PLANE_WAVE) check_wave(reader, s, at);
  if (tor_source_is_dipole(s)) check_dipole(reader, s, at);
}

/* A place in the half plane, or a part of it. */
static void check_half_plane(struct tor_job_reader *reader, const struct tor_monitor *m, const config_setting_t *at,
                             const char *key) {
  const double slack = 1e-6 * reader->job->cell[0];
  if (m->lo[0] < -slack || fabs(m->lo[1]) > slack || fabs(m->hi[1]) > slack)
    tor_config_fault(&reader->config, at, key,
                     "reaches beyond the half plane of phi = 0, need " TOR_NEEDED("x >= 0, y = 0"));
}

static void check_monitor(struct tor_job_reader *reader, const struct tor_monitor *m, const config_setting_t *at) {
  switch (m->kind) {
  case TOR_PROBE:
  case TOR_RESONANCES: check_half_plane(reader, m, at, "position"); break;
  case TOR_PERMITTIVITY: check_half_plane(reader, m, at, "box"); break;
  case TOR_FIELD_DFT:
    check_half_plane(reader, m, at, "box");
    if (m->image) refuse(reader, at, "image", "pictures of fields are");
    break;
  case TOR_FLUX:
    if (m->lo[2] < m->hi[2])
      tor_config_fault(&reader->config, at, "box",
                       "lies along the axis, need " TOR_NEEDED("a plane across z, or a flux_box"));
    else
      check_box(reader, at, "box", m->lo, m->hi);
    break;
  case TOR_FAR_FIELD:
    if (m->seen_step > 0) refuse(reader, at, "plane", "far fields on planes are");
    check_box(reader, at, "box", m->lo, m->hi);
    break;
  case TOR_FLUX_BOX: check_box(reader, at, "box", m->lo, m->hi); break;
  default: break;
  }
}

void tor_job_check_cylindrical(struct tor_job_reader *reader) {
  const struct tor_job *job = reader->job;
  const struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  const struct tor_refusals refusals = refusals_of(reader);
  if (!job->angular) return;
  check_domain(reader, &root);
  check_media(reader, &root);
  tor_refuse_common(&refusals, &root);
  if (job->nsheets) tor_refuse(&refusals, tor_get(&root, "sheets"), NULL, "sheets are");
  for (int i = 0; i < job->nsources; i++)
    if (job->sources[i].name)
      check_source(reader, &job->sources[i], config_setting_get_elem(tor_get(&root, "sources"), (unsigned)i));
  for (int i = 0; i < job->nmonitors; i++)
    if (job->monitors[i].name)
      check_monitor(reader, &job->monitors[i], config_setting_get_elem(tor_get(&root, "monitors"), (unsigned)i));
  if (job->schedule.ranks[0] > 1) {
    struct tor_view schedule = tor_view_child(&root, "schedule", "schedule.");
    tor_config_fault(
        &reader->config, tor_get(&schedule, "ranks"), NULL,
        "got " TOR_FOUND("%d ranks along x") ", but the domain is shared along z alone, need " TOR_NEEDED("[1, %d]"),
        job->schedule.ranks[0], job->schedule.ranks[0]);
  }
}
