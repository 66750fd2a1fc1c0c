/* Sources of a job. */
#include <libconfig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

/* --- Sources --- */

/* The unit in which a wavelength too short for the grid is one of light, 0.1 to 20 um; NULL: there is none. */
static const char *unit_meant(double number, const struct tor_config *config) {
  return config->unit < 0.9e-6 && number >= 0.1 && number <= 20 ? "um" : NULL;
}

void tor_job_check_wavelength(const struct tor_view *view, const char *name, double wavelength) {
  const double *d = tor_job_reader_of(view)->job->cell;
  const double cell = fmin(d[0], fmin(d[1], d[2])), unit = view->config->unit, number = wavelength / unit;
  const char *name_of_unit = view->config->unit_name, *meant = unit_meant(number, view->config);
  char hint[128] = "";
  if (!tor_job_reader_of(view)->grid_known || !(wavelength < 2 * cell)) return;
  if (meant)
    snprintf(hint, sizeof hint, "; lengths are in %s (length_unit): %g %s would be %g", name_of_unit, number, meant,
             number * 1e-6 / unit);
  tor_config_fault(view->config, tor_get(view, name), NULL,
                   "got " TOR_FOUND("%g %s") ", need " TOR_NEEDED("at least two cells of %g %s%s"), number,
                   name_of_unit, cell / unit, name_of_unit, hint);
}

static void read_profile(const struct tor_view *source, int is_dipole, struct tor_profile *p) {
  struct tor_view view = tor_view_child(source, "time", "sources[].time.");
  p->amplitude = tor_get_double(source, "amplitude");
  if (!view.type) return;
  p->kind = (enum tor_profile_kind)tor_get_word(&view, "type");
  p->delay = tor_get_double(&view, "delay_fs") * TOR_FS;
  if (p->kind == TOR_TABLE) {
    const char *file = tor_get_text(&view, "file");
    if (!file) return;
    p->file = tor_strdup(file);
    tor_job_read_table(view.config, tor_get(&view, "file"), p);
    return;
  }
  p->wavelength = tor_get_double(&view, "wavelength");
  p->phase = tor_get_double(&view, "phase_deg") * TOR_PI / 180;
  tor_job_check_wavelength(&view, "wavelength", p->wavelength);
  if (p->kind == TOR_PULSE) {
    p->band = tor_get_double(&view, "band");
    p->zero_mean = tor_get(&view, "zero_mean") ? tor_get_bool(&view, "zero_mean") : is_dipole;
    if (p->band >= 1.9 * p->wavelength)
      tor_config_fault(view.config, tor_get(&view, "band"), NULL,
                       "got " TOR_FOUND("%g %s") ", need " TOR_NEEDED("less than 1.9 times the wavelength"),
                       p->band / view.config->unit, view.config->unit_name);
  } else {
    p->rise = tor_get(&view, "rise_fs") ? tor_get_double(&view, "rise_fs") * TOR_FS : 5 * p->wavelength / TOR_C0;
  }
}

/* The place of a side of the default box, outward [m]: by lengths alone where a distance is given, so that cells of any
 * size have it at one place but for the rounding to nodes. */
static double default_side(const struct tor_view *view, int f) {
  const struct tor_job_reader *reader = tor_job_reader_of(view);
  const int a = f / 2, layer = tor_boundary_layer(&reader->job->boundary[f]);
  const double cell = reader->job->cell[a], wall = reader->wall[a], unit = view->config->unit;
  if (!layer) return wall;
  if (!tor_get(view, "distance")) return wall - (layer + 4) * cell;
  const double distance = tor_get_double(view, "distance"), place = reader->job->size[a] / 2 - reader->layer[f],
               end = wall - (layer + 1) * cell;
  if (place - distance > end + 1e-6 * cell)
    tor_config_fault(
        view->config, tor_get(view, "distance"), NULL,
        "got " TOR_FOUND("%g %s, less than a cell before the layer at %s") ", need " TOR_NEEDED("at least %.6g %s"),
        distance / unit, view->config->unit_name, tor_face_name(f), (place - end) / unit, view->config->unit_name);
  return place - distance;
}

/* The domain without the layers and the distance to them; open, up to the walls, where there is no layer. Without side
 * faces it is also open at the far end, since behind a film the wave differs from the incident one. */
static void default_box(const struct tor_view *view, struct tor_source *s) {
  struct tor_job_reader *reader = tor_job_reader_of(view);
  const struct tor_job *job = reader->job;
  if (!reader->grid_known) return;
  for (int f = 0; f < TOR_NFACE; f++) {
    const double x = default_side(view, f);
    *(f % 2 ? &s->hi[f / 2] : &s->lo[f / 2]) = f % 2 ? x : -x;
  }
  int sides = 0;
  for (int f = 0; f < TOR_NFACE; f++) sides |= f / 2 != s->axis && tor_boundary_layer(&job->boundary[f]);
  if (!sides && (!s->oblique || s->periodic))
    *(s->direction > 0 ? &s->hi[s->axis] : &s->lo[s->axis]) = s->direction * reader->wall[s->axis];
  const config_setting_t *distance = tor_get(view, "distance");
  for (int a = 0; a < 3; a++)
    if (s->lo[a] > s->hi[a] - 0.5 * job->cell[a])
      tor_config_fault(
          view->config, distance ? distance : view->group, distance ? NULL : "box",
          "the default (%s inside the layers) does not fit along %c, need " TOR_NEEDED("a %s or a larger domain"),
          distance ? "so far" : "4 cells", "xyz"[a], distance ? "smaller one" : "box");
}

/* Where the sides of a box that lie in absorbing layers are, and where the layers end: one fault for its low and one
 * for its high corner. */
static void check_box_layers(const struct tor_view *box, const struct tor_source *s, int high) {
  const struct tor_job_reader *reader = tor_job_reader_of(box);
  char axes[8] = "", ends[96] = "";
  for (int a = 0; a < 3; a++) {
    const struct tor_boundary *b = &reader->job->boundary[2 * a + high];
    const double x = high ? s->hi[a] : -s->lo[a], cell = reader->job->cell[a]; /* outward */
    const double end = reader->wall[a] - b->cells * cell;
    const int open = x >= reader->wall[a] - 0.5 * cell;
    if (x <= -reader->wall[a] || open || !tor_boundary_layer(b) || x <= end + 0.5 * cell) continue;
    snprintf(axes + strlen(axes), sizeof axes - strlen(axes), " %c", "xyz"[a]);
    snprintf(ends + strlen(ends), sizeof ends - strlen(ends), "%s%c = %g", *ends ? ", " : "", "xyz"[a],
             (high ? end : -end) / box->config->unit);
  }
  if (*axes)
    tor_config_fault(box->config, tor_get(box, high ? "hi" : "lo"), NULL,
                     "lies in the absorbing layers along%s, which end at %s %s, need " TOR_NEEDED(
                         "a place before them or beyond the wall, or thinner layers (boundaries, cells or thickness)"),
                     axes, ends, box->config->unit_name);
}

static void check_wave_box(const struct tor_view *view, const struct tor_source *s) {
  struct tor_view box = tor_view_child(view, "box", "sources[].box.");
  struct tor_job_reader *reader = tor_job_reader_of(view);
  if (!tor_get(&box, "lo") || !tor_get(&box, "hi") || !reader->grid_known) return;
  for (int f = 0; f < TOR_NFACE; f++) {
    int a = f / 2;
    const char *name = f % 2 ? "hi" : "lo", axis = "xyz"[a];
    double x = f % 2 ? s->hi[a] : -s->lo[a], cell = reader->job->cell[a]; /* outward */
    const struct tor_boundary *b = &reader->job->boundary[f];
    int open = x >= reader->wall[a] - 0.5 * cell;
    if (f % 2 && s->lo[a] >= s->hi[a])
      tor_config_fault(view->config, tor_get(&box, "hi"), NULL, "hi is not above lo along %c", axis);
    else if (x <= -reader->wall[a])
      tor_config_fault(view->config, tor_get(&box, name), NULL, "the box lies outside the domain along %c", axis);
    else if (open && a != s->axis && b->wall == TOR_ABSORBER)
      tor_config_fault(view->config, tor_get(&box, name), NULL,
                       "the box is open along %c at an absorber, which damps the wave itself, need " TOR_NEEDED(
                           "a place before it, or \"cpml\" there"),
                       axis);
    else if (open && a == s->axis && (f % 2) == (s->direction < 0))
      tor_config_fault(view->config, tor_get(&box, name), NULL,
                       "the wave enters here along %c, need " TOR_NEEDED("a position inside the domain"), axis);
  }
  check_box_layers(&box, s, 0);
  check_box_layers(&box, s, 1);
}

/* The axis of a wave's E: in 2-D that of the job. -1 with a fault: there is none. */
static int read_polarisation(const struct tor_view *view, int direction) {
  const enum tor_plane plane = tor_job_reader_of(view)->plane;
  const config_setting_t *at = tor_get(view, "polarisation");
  if (!plane && at) return tor_get_word(view, "polarisation");
  if (!plane && !config_setting_get_member(view->group, "polarisation"))
    tor_config_fault(view->config, view->group, "polarisation", "missing, need " TOR_NEEDED("\"x\", \"y\" or \"z\""));
  if (!plane) return -1;
  if (at)
    tor_config_fault(
        view->config, at, NULL,
        "the job is 2-D, and its waves have the polarisation of grid.polarisation, need " TOR_NEEDED("none here"));
  if (direction / 2 == TOR_Z)
    tor_config_fault(
        view->config, tor_get(view, "direction"), NULL,
        "got " TOR_FOUND("\"%cz\"") ", but the job is 2-D, need " TOR_NEEDED("\"-x\", \"+x\", \"-y\" or \"+y\""),
        direction % 2 ? '+' : '-');
  return plane == TOR_PLANE_TM ? TOR_Z : direction / 2 == TOR_X ? TOR_Y : TOR_X;
}

int tor_job_read_direction(const struct tor_view *view, struct tor_source *s) {
  int direction = tor_get_word(view, "direction");
  if (!tor_get(view, "direction")) {
    if (!config_setting_get_member(view->group, "direction"))
      tor_config_fault(view->config, view->group, "direction", "missing, need " TOR_NEEDED("it, theta_deg or phi_deg"));
    return 0;
  }
  s->axis = direction / 2;
  s->polarisation = read_polarisation(view, direction);
  if (direction < 0 || s->polarisation < 0 || (tor_job_reader_of(view)->plane && s->axis == TOR_Z)) return 0;
  s->direction = direction % 2 ? 1 : -1;
  if (s->polarisation == s->axis)
    tor_config_fault(view->config, tor_get(view, "polarisation"), NULL,
                     "got " TOR_FOUND("\"%c\"") ", need " TOR_NEEDED("an axis across the direction"), "xyz"[s->axis]);
  if (s->polarisation > TOR_Z)
    tor_config_fault(view->config, tor_get(view, "polarisation"), NULL,
                     "is for waves with angles, need " TOR_NEEDED("theta_deg and phi_deg in place of direction"));
  return 1;
}

static void read_wave(const struct tor_view *view, struct tor_source *s) {
  struct tor_view box = tor_view_child(view, "box", "sources[].box.");
  s->oblique = tor_get(view, "theta_deg") || tor_get(view, "phi_deg");
  if (!(s->oblique ? tor_job_read_angles(view, s) : tor_job_read_direction(view, s))) return;
  if (!tor_job_read_tilt(view, s)) return;
  if (config_setting_get_member(view->group, "box")) {
    if (tor_get(view, "distance"))
      tor_config_fault(view->config, tor_get(view, "distance"), NULL,
                       "the wave has a box, too, need " TOR_NEEDED("one of the two"));
    if (!tor_get_vector(&box, "lo", s->lo) || !tor_get_vector(&box, "hi", s->hi)) return;
    tor_job_whole_length(tor_job_reader_of(view), s->lo, s->hi);
    check_wave_box(view, s);
    return;
  }
  default_box(view, s);
  int front = 2 * s->axis + (s->direction < 0);
  if (tor_job_reader_of(view)->grid_known && (!s->oblique || s->periodic) &&
      !tor_boundary_layer(&tor_job_reader_of(view)->job->boundary[front]))
    tor_config_fault(view->config, view->group, "box",
                     "missing, and the default reaches beyond the wall where the wave enters: need a box that starts "
                     "inside the domain");
}

void tor_job_whole_length(const struct tor_job_reader *reader, double lo[3], double hi[3]) {
  if (!reader->plane) return;
  lo[2] = -reader->wall[2];
  hi[2] = reader->wall[2];
}

char *tor_job_read_name(const struct tor_view *view, int i) {
  char name[96];
  snprintf(name, sizeof name, "%s%d", view->type, i);
  return tor_strdup(tor_get(view, "name") ? tor_get_text(view, "name") : name);
}

void tor_job_check_inside(const struct tor_view *view, const char *name, const double x[3]) {
  struct tor_job_reader *reader = tor_job_reader_of(view);
  for (int a = 0; a < 3 && reader->grid_known; a++) {
    double wall = fmax(reader->wall[a], 0.5 * reader->job->size[a]);
    if (fabs(x[a]) > wall * (1 + 1e-9))
      tor_config_fault(view->config, tor_get(view, name), NULL,
                       "%c = %g %s is outside the domain, need " TOR_NEEDED("%g to %g"), "xyz"[a],
                       x[a] / reader->config.unit, reader->config.unit_name, -wall / reader->config.unit,
                       wall / reader->config.unit);
  }
}

/* Sources by the order of their words; line sources are dipoles of a whole metre of a 2-D job. */
enum source_word { PLANE_WAVE, ELECTRIC_DIPOLE, MAGNETIC_DIPOLE, LINE_CURRENT, LINE_DIPOLE, MODE, BEAM, FIELDS };

/* Axis of a dipole's moment; `e`: of the field that it drives E's, or H's. */
static void read_dipole(const struct tor_view *view, int word, struct tor_source *s) {
  const enum tor_plane plane = tor_job_reader_of(view)->plane;
  const int line = word >= LINE_CURRENT;
  if (line != (plane != TOR_SPACE)) {
    tor_config_fault(view->config, tor_get(view, "type"), NULL,
                     "got " TOR_FOUND("\"%s\"") ", but the job is %s, need " TOR_NEEDED("%s"), view->type,
                     line ? "3-D (2-D where grid.size has two numbers)" : "2-D, and a point dipole is not",
                     line ? "\"electric_dipole\" or \"magnetic_dipole\""
                          : "\"line_current\" (along z) or \"line_dipole\" (across)");
    return;
  }
  if (line) s->kind = (plane == TOR_PLANE_TM) == (word == LINE_CURRENT) ? TOR_ELECTRIC_DIPOLE : TOR_MAGNETIC_DIPOLE;
  s->polarisation = word == LINE_CURRENT ? TOR_Z : tor_get_word(view, "axis");
  if (word == LINE_DIPOLE && s->polarisation == TOR_Z)
    tor_config_fault(view->config, tor_get(view, "axis"), NULL,
                     "got " TOR_FOUND("\"z\"") ", but a line dipole lies across z, need " TOR_NEEDED(
                         "\"x\" or \"y\", or a \"line_current\""));
  s->axis = s->polarisation;
  s->direction = 1;
  if (tor_get_vector(view, "position", s->position)) tor_job_check_inside(view, "position", s->position);
}

static void read_source(struct tor_job_reader *reader, const config_setting_t *group, int i) {
  struct tor_view view = tor_view_of(&reader->config, group, "sources[].");
  struct tor_source *s = &reader->job->sources[i];
  if (tor_mark_bad(group) || !view.type) return;
  const int word = tor_get_word(&view, "type");
  s->kind = word <= MAGNETIC_DIPOLE ? (enum tor_source_kind)word
            : word == MODE          ? TOR_MODE_SOURCE
            : word == BEAM          ? TOR_BEAM
            : word == FIELDS        ? TOR_FIELD_SOURCE
                                    : TOR_ELECTRIC_DIPOLE;
  s->name = tor_job_read_name(&view, i);
  for (int k = 0; k < i; k++)
    if (reader->job->sources[k].name && !strcmp(reader->job->sources[k].name, s->name))
      tor_config_fault(&reader->config, group, "name",
                       "\"%s\" is the name of sources[%d], need " TOR_NEEDED("another one"), s->name, k);
  read_profile(&view, tor_source_is_dipole(s), &s->profile);
  if (s->kind == TOR_PLANE_WAVE)
    read_wave(&view, s);
  else if (s->kind == TOR_MODE_SOURCE)
    tor_job_read_mode_source(&view, s);
  else if (s->kind == TOR_BEAM)
    tor_job_read_beam(&view, s);
  else if (s->kind == TOR_FIELD_SOURCE)
    tor_job_read_field_file(&view, s);
  else
    read_dipole(&view, word, s);
}

void tor_job_read_sources(struct tor_job_reader *reader) {
  struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  const config_setting_t *list = tor_get(&root, "sources");
  struct tor_job *job = reader->job;
  job->nsources = tor_get_length(&root, "sources");
  job->sources = tor_alloc((size_t)job->nsources, sizeof *job->sources, "sources");
  for (int i = 0; i < job->nsources; i++) read_source(reader, config_setting_get_elem(list, (unsigned)i), i);
}
