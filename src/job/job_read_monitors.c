/* Monitors of a job. */
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

void tor_job_read_monitor_box(const struct tor_view *view, struct tor_monitor *m) {
  struct tor_view box = tor_view_child(view, "box", "monitors[].box.");
  if (!tor_get_vector(&box, "lo", m->lo) || !tor_get_vector(&box, "hi", m->hi)) return;
  tor_job_whole_length(tor_job_reader_of(view), m->lo, m->hi);
  tor_job_check_inside(&box, "lo", m->lo);
  tor_job_check_inside(&box, "hi", m->hi);
  const int plane = tor_job_reader_of(view)->plane != TOR_SPACE;
  int flat = 0;
  for (int a = 0; a < 3; a++) {
    flat += m->lo[a] == m->hi[a];
    if (m->lo[a] > m->hi[a])
      tor_config_fault(view->config, tor_get(&box, "hi"), NULL, "hi is below lo along %c", "xyz"[a]);
  }
  const config_setting_t *at = tor_get(view, "box");
  if (tor_monitor_is_plane(m) && flat != 1)
    tor_config_fault(view->config, at, NULL, "lo and hi agree along %d axes, need " TOR_NEEDED("exactly one: a %s"),
                     flat, plane ? "line" : "plane");
  if ((m->kind == TOR_FLUX_BOX || (m->kind >= TOR_ABSORPTION && m->kind != TOR_PERMITTIVITY)) && flat)
    tor_config_fault(view->config, at, NULL, "lo and hi agree along %d axes, need " TOR_NEEDED("a %s"), flat,
                     plane ? "rectangle with an area" : "box with a volume");
  if (m->kind == TOR_FAR_FIELD && flat > 1)
    tor_config_fault(view->config, at, NULL, "lo and hi agree along %d axes, need " TOR_NEEDED("a %s"), flat,
                     plane ? "rectangle or a line" : "box or a plane");
  if ((m->kind == TOR_FIELD_DFT || m->kind == TOR_SNAPSHOT) && m->image && !flat && !plane)
    tor_config_fault(view->config, tor_get(view, "image"), NULL,
                     "got " TOR_FOUND("true with a box that is not a plane") ", need " TOR_NEEDED(
                         "false or a box with lo = hi along one axis"));
}

static void read_wavelengths(const struct tor_view *view, struct tor_monitor *m) {
  m->wavelength = tor_get_list(view, "wavelengths", &m->nwavelength);
  double least = INFINITY;
  for (int i = 0; i < m->nwavelength; i++) least = fmin(least, m->wavelength[i]);
  tor_job_check_wavelength(view, "wavelengths", least);
}

static void read_window(const struct tor_view *view, struct tor_monitor *m) {
  if (!tor_get(view, "window")) return;
  struct tor_view window = tor_view_child(view, "window", "monitors[].window.");
  m->windowed = 1;
  m->window[0] = tor_get_double(&window, "from_fs") * TOR_FS;
  m->window[1] = tor_get(&window, "to_fs") ? tor_get_double(&window, "to_fs") * TOR_FS : (double)INFINITY;
  m->window[2] = tor_get_double(&window, "rise_fs") * TOR_FS;
  if (!(m->window[1] > m->window[0]))
    tor_config_fault(view->config, tor_get(&window, "to_fs"), NULL,
                     "got " TOR_FOUND("%g") ", need " TOR_NEEDED("a time above from_fs = %g"), m->window[1] / TOR_FS,
                     m->window[0] / TOR_FS);
}

/* The plane of diffraction orders crosses the whole cell. */
static void read_orders(const struct tor_view *view, struct tor_monitor *m) {
  struct tor_job_reader *reader = tor_job_reader_of(view);
  double place[3] = {0, 0, 0};
  m->axis = tor_get_word(view, "axis");
  if (reader->plane && m->axis == TOR_Z) {
    tor_config_fault(
        view->config, tor_get(view, "axis"), NULL,
        "got " TOR_FOUND("\"z\"") ", along which nothing varies in a 2-D job, need " TOR_NEEDED("\"x\" or \"y\""));
    m->axis = -1;
  }
  if (m->axis < 0 || !tor_get(view, "position")) return;
  place[m->axis] = tor_get_double(view, "position");
  if (!reader->grid_known) return;
  for (int a = 0; a < 3; a++) {
    const int is_across = a == m->axis, thin = reader->cells[a] == 1;
    m->lo[a] = is_across ? place[a] : -reader->wall[a];
    m->hi[a] = is_across ? place[a] : reader->wall[a];
    if (is_across || thin || reader->job->boundary[2 * a].wall == TOR_PERIODIC) continue;
    tor_config_fault(view->config, tor_get(view, "axis"), NULL,
                     "the domain is not periodic along %c, need " TOR_NEEDED(
                         "periodic walls, or one cell, along both axes of the plane"),
                     "xyz"[a]);
  }
  if (reader->job->boundary[2 * m->axis].wall == TOR_PERIODIC)
    tor_config_fault(view->config, tor_get(view, "axis"), NULL,
                     "the domain is periodic along %c, need " TOR_NEEDED("an axis along which waves leave"),
                     "xyz"[m->axis]);
  tor_job_check_inside(view, "position", place);
}

/* Angles as listed; else from 0 by steps, the last one at `end` [deg] or a step before it. */
static double *read_angles(const struct tor_view *view, const char *name, double end, int with_end, int *count) {
  const double degree = TOR_PI / 180, step = tor_get_double(view, "step_deg");
  double *angle = tor_get_list(view, name, count);
  for (int i = 0; i < *count; i++) angle[i] *= degree;
  if (*count || !(step > 0)) return angle;
  const int steps = (int)round(end / 180 * fmax(round(180 / step), 2));
  *count = steps + with_end;
  angle = tor_alloc((size_t)*count, sizeof *angle, "angles");
  for (int i = 0; i < *count; i++) angle[i] = i * end / steps * degree;
  return angle;
}

/* The plane in space on which a far field's E and H are given. */
static void read_seen(const struct tor_view *view, struct tor_monitor *m) {
  if (!tor_get(view, "plane")) return;
  struct tor_view seen = tor_view_child(view, "plane", "monitors[].plane.");
  const int plane = tor_job_reader_of(view)->plane != TOR_SPACE;
  const config_setting_t *at = tor_get(view, "plane");
  int flat = 0;
  double points = 1;
  if (!tor_get_vector(&seen, "lo", m->seen_lo) || !tor_get_vector(&seen, "hi", m->seen_hi)) return;
  if (plane) m->seen_lo[TOR_Z] = m->seen_hi[TOR_Z] = 0;
  const double step = tor_get_double(&seen, "step");
  for (int a = 0; a < 3 - plane; a++) {
    flat += m->seen_lo[a] == m->seen_hi[a];
    if (m->seen_lo[a] > m->seen_hi[a])
      tor_config_fault(view->config, tor_get(&seen, "hi"), NULL, "hi is below lo along %c", "xyz"[a]);
    else if (step > 0)
      points *= ceil((m->seen_hi[a] - m->seen_lo[a]) / step) + 1;
  }
  if (flat != 1)
    tor_config_fault(view->config, at, NULL, "lo and hi agree along %d axes, need " TOR_NEEDED("exactly one: a %s"),
                     flat, plane ? "line" : "plane");
  if (points > 1e7)
    tor_config_fault(view->config, at, NULL, "%.3g points, need " TOR_NEEDED("1e7 at most: a larger step"), points);
  m->seen_step = step;
}

/* The grid of direction cosines. */
static void read_cosines(const struct tor_view *view, struct tor_monitor *m) {
  m->towards = -1;
  if (!tor_get(view, "cosines")) return;
  struct tor_view cosines = tor_view_child(view, "cosines", "monitors[].cosines.");
  const int plane = tor_job_reader_of(view)->plane != TOR_SPACE;
  m->towards = tor_get_word(&cosines, "towards");
  m->cosine_limit = tor_get_double(&cosines, "limit");
  m->cosine_step = tor_get_double(&cosines, "step");
  if (plane && m->towards / 2 == TOR_Z)
    tor_config_fault(view->config, tor_get(&cosines, "towards"), NULL,
                     "got " TOR_FOUND("\"%s\"") " in a 2-D job, need " TOR_NEEDED("\"-x\", \"+x\", \"-y\" or \"+y\""),
                     m->towards % 2 ? "+z" : "-z");
  if (!plane && 2 * m->cosine_limit / m->cosine_step > 3000)
    tor_config_fault(view->config, tor_get(view, "cosines"), NULL,
                     "%.3g directions along an axis, need " TOR_NEEDED("3000 at most: a larger step"),
                     2 * m->cosine_limit / m->cosine_step);
}

static void read_far_field(const struct tor_view *view, struct tor_monitor *m) {
  const int plane = tor_job_reader_of(view)->plane != TOR_SPACE;
  tor_job_read_monitor_box(view, m);
  m->image = tor_get_bool(view, "image");
  if (!plane)
    m->theta = read_angles(view, "theta_deg", 180, 1, &m->ntheta);
  else if (tor_get(view, "theta_deg"))
    tor_config_fault(view->config, tor_get(view, "theta_deg"), NULL,
                     "the job is 2-D, where directions have phi alone, need " TOR_NEEDED("no theta_deg"));
  m->phi = read_angles(view, "phi_deg", 360, 0, &m->nphi);
  if (!plane && (double)m->ntheta * m->nphi > 1e7)
    tor_config_fault(view->config, view->group, NULL, "%.3g directions, need " TOR_NEEDED("1e7 at most"),
                     (double)m->ntheta * m->nphi);
  read_seen(view, m);
  read_cosines(view, m);
}

/* What makes a plane a port. After the sources. */
static void read_port(const struct tor_view *view, struct tor_monitor *m) {
  static const char *const others[] = {"into", "source", "port_mode"};
  const struct tor_job *job = tor_job_reader_of(view)->job;
  const int into = tor_get_word(view, "into");
  if (!tor_get(view, "port")) {
    for (int i = 0; i < 3; i++)
      if (tor_get(view, others[i]))
        tor_config_fault(view->config, tor_get(view, others[i]), NULL,
                         "the monitor is no port, need " TOR_NEEDED("port"));
    return;
  }
  m->port = tor_get_int(view, "port");
  m->port_mode = tor_get_int(view, "port_mode");
  m->into = into % 2 ? 1 : -1;
  if (m->port_mode >= m->count)
    tor_config_fault(view->config, tor_get(view, "port_mode"), NULL,
                     "mode %d of %d, need " TOR_NEEDED("one below count"), m->port_mode, m->count);
  if (!tor_get(view, "into") || (into >= 0 && into / 2 != m->axis))
    tor_config_fault(view->config, view->group, "into", "%s, need " TOR_NEEDED("\"-%c\" or \"+%c\""),
                     tor_get(view, "into") ? "not across the plane" : "missing", "xyz"[m->axis], "xyz"[m->axis]);
  for (const struct tor_monitor *other = job->monitors; other < m; other++)
    if (other->port == m->port)
      tor_config_fault(view->config, tor_get(view, "port"), NULL,
                       "%d is the port of \"%s\", need " TOR_NEEDED("another"), m->port, other->name);
  if (!tor_get(view, "source")) return;
  m->source = tor_strdup(tor_get_text(view, "source"));
  int known = 0;
  for (int i = 0; i < job->nsources; i++) known |= job->sources[i].name && !strcmp(job->sources[i].name, m->source);
  if (!known) tor_config_fault(view->config, tor_get(view, "source"), NULL, "no source is called \"%s\"", m->source);
}

/* A plane across a guide and its modes. */
static void read_mode(const struct tor_view *view, struct tor_monitor *m) {
  const int *symmetry = tor_job_reader_of(view)->job->symmetry;
  if (symmetry[0] || symmetry[1] || symmetry[2])
    tor_config_fault(
        view->config, view->group, NULL,
        "modes of a guide are of the whole plane, and the job has a symmetry, need " TOR_NEEDED("symmetry \"none\""));
  m->count = tor_get_int(view, "count");
  m->reference = tor_get(view, "reference") ? tor_get_double(view, "reference") : (double)NAN;
  if (tor_get(view, "target_index")) m->target = tor_get_double(view, "target_index");
  tor_job_read_monitor_box(view, m);
  for (int a = 0; a < 3; a++)
    if (m->lo[a] == m->hi[a]) m->axis = a;
  read_port(view, m);
}

int tor_job_read_dipole_name(const struct tor_view *view) {
  const struct tor_job *job = tor_job_reader_of(view)->job;
  const char *name = tor_get_text(view, "source");
  int found = -1, count = 0;
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    if (!s->name || !tor_source_is_dipole(s) || (name && strcmp(s->name, name) != 0)) continue;
    found = i;
    count++;
  }
  if (count == 1) return found;
  if (name)
    tor_config_fault(view->config, tor_get(view, "source"), NULL,
                     "got " TOR_FOUND("\"%s\"") ", which %d dipoles have as their name, need " TOR_NEEDED("one's"),
                     name, count);
  else
    tor_config_fault(view->config, view->group, "source",
                     "missing, and the job has %d dipoles, need " TOR_NEEDED("the name of one"), count);
  return -1;
}

static void read_decay_rate(const struct tor_view *view, struct tor_monitor *m) {
  const struct tor_job *job = tor_job_reader_of(view)->job;
  const int found = tor_job_read_dipole_name(view);
  if (found < 0) return;
  m->dipole = found;
  memcpy(m->lo, job->sources[found].position, sizeof m->lo);
  memcpy(m->hi, m->lo, sizeof m->hi);
}

/* Of efficiencies. */
static void read_radius(const struct tor_view *view, struct tor_monitor *m) {
  if (tor_get(view, "radius")) m->radius = tor_get_double(view, "radius");
  if (m->radius > 0 && (m->radius < 1e-12 || m->radius > 1e12))
    tor_config_fault(view->config, tor_get(view, "radius"), NULL,
                     "%g m, need " TOR_NEEDED("a length from 1e-12 to 1e12 m: efficiencies divide by its square"),
                     m->radius);
}

/* About the box's middle, or a position. */
static void read_multipoles(const struct tor_view *view, struct tor_monitor *m) {
  if (tor_job_reader_of(view)->plane)
    tor_config_fault(view->config, tor_get(view, "type"), NULL,
                     "got " TOR_FOUND("\"multipoles\"") " in a 2-D job, need " TOR_NEEDED("a 3-D job, or far_field"));
  for (int a = 0; a < 3; a++) m->position[a] = 0.5 * (m->lo[a] + m->hi[a]);
  if (tor_get(view, "position")) tor_get_vector(view, "position", m->position);
}

static void read_cross_section(const struct tor_view *view, struct tor_monitor *m) {
  int waves = 0;
  for (int i = 0; i < tor_job_reader_of(view)->job->nsources; i++) {
    const struct tor_source *s = &tor_job_reader_of(view)->job->sources[i];
    waves += s->name && s->kind == TOR_PLANE_WAVE;
  }
  if (waves != 1)
    tor_config_fault(view->config, view->group, NULL,
                     "a cross-section needs exactly one plane wave in sources, the job has %d", waves);
  read_radius(view, m);
  m->margin = tor_get_int(view, "margin");
  if (tor_get(view, "distance")) m->distance = tor_get_double(view, "distance");
  if (tor_get(view, "distance") && tor_get(view, "margin"))
    tor_config_fault(view->config, tor_get(view, "distance"), NULL,
                     "the monitor has margin, too, need " TOR_NEEDED("one of the two"));
}

static void read_place(const struct tor_view *view, struct tor_monitor *m) {
  if (!tor_get_vector(view, "position", m->lo)) return;
  memcpy(m->hi, m->lo, sizeof m->hi);
  tor_job_check_inside(view, "position", m->lo);
}

static void read_resonances(const struct tor_view *view, struct tor_monitor *m) {
  struct tor_view band = tor_view_child(view, "band", "monitors[].band.");
  read_place(view, m);
  m->count = tor_get_int(view, "count");
  m->from = tor_get(view, "from_fs") ? tor_get_double(view, "from_fs") * TOR_FS : (double)NAN;
  if (!tor_get(&band, "from") || !tor_get(&band, "to")) return;
  const double ends[2] = {tor_get_double(&band, "from"), tor_get_double(&band, "to")};
  m->band[0] = fmin(ends[0], ends[1]);
  m->band[1] = fmax(ends[0], ends[1]);
  tor_job_check_wavelength(&band, ends[0] < ends[1] ? "from" : "to", m->band[0]);
  if (m->band[0] == m->band[1])
    tor_config_fault(view->config, tor_get(&band, "to"), NULL, "from and to agree, need " TOR_NEEDED("a band"));
}

/* By default of all of the domain; in cylindrical coordinates of the half plane. */
static void read_permittivity(const struct tor_view *view, struct tor_monitor *m) {
  const struct tor_job_reader *reader = tor_job_reader_of(view);
  for (int a = 0; a < 3; a++) {
    m->hi[a] = reader->job->angular && a == TOR_Y ? 0 : reader->wall[a];
    m->lo[a] = reader->job->angular && a < TOR_Z ? 0 : -reader->wall[a];
  }
  if (tor_get(view, "box")) tor_job_read_monitor_box(view, m);
}

static void read_monitor(struct tor_job_reader *reader, const config_setting_t *group, int i) {
  struct tor_view view = tor_view_of(&reader->config, group, "monitors[].");
  struct tor_monitor *m = &reader->job->monitors[i];
  if (tor_mark_bad(group) || !view.type) return;
  m->kind = (enum tor_monitor_kind)tor_get_word(&view, "type");
  m->name = tor_job_read_name(&view, i);
  for (int k = 0; k < i; k++)
    if (reader->job->monitors[k].name && !strcmp(reader->job->monitors[k].name, m->name))
      tor_config_fault(&reader->config, group, "name",
                       "\"%s\" is the name of monitors[%d], need " TOR_NEEDED("another one"), m->name, k);
  if (m->kind != TOR_ENERGY && m->kind != TOR_SLICE && m->kind != TOR_SNAPSHOT && m->kind != TOR_RESONANCES) {
    read_wavelengths(&view, m);
    if (m->kind != TOR_PERMITTIVITY) read_window(&view, m);
  }
  if (tor_monitor_is_series(m) || m->kind == TOR_FIELD_DFT || m->kind == TOR_SNAPSHOT)
    tor_job_read_components(&view, m);
  if (m->kind == TOR_PROBE || m->kind == TOR_ENERGY) m->every = tor_get_int(&view, "every");
  switch (m->kind) {
  case TOR_PROBE: read_place(&view, m); break;
  case TOR_RESONANCES: read_resonances(&view, m); break;
  case TOR_FIELD_DFT:
    m->image = tor_get_bool(&view, "image"), tor_job_read_image(&view, m), tor_job_read_monitor_box(&view, m);
    break;
  case TOR_MULTIPOLE: read_radius(&view, m), tor_job_read_monitor_box(&view, m), read_multipoles(&view, m); break;
  case TOR_FORCE: read_radius(&view, m), tor_job_read_monitor_box(&view, m); break;
  case TOR_ABSORPTION:
    m->image = tor_get_bool(&view, "image"), m->image_limit = -1, tor_job_read_monitor_box(&view, m);
    break;
  case TOR_FLUX: tor_job_read_monitor_box(&view, m), tor_job_read_beam_of(&view, m); break;
  case TOR_PERMITTIVITY: read_permittivity(&view, m); break;
  case TOR_MODE_VOLUME:
  case TOR_ENERGY_DENSITY:
  case TOR_FLUX_BOX: tor_job_read_monitor_box(&view, m); break;
  case TOR_CROSS_SECTION: read_cross_section(&view, m); break;
  case TOR_SLICE: tor_job_read_slice(&view, m); break;
  case TOR_SNAPSHOT: tor_job_read_snapshot(&view, m); break;
  case TOR_ORDERS: read_orders(&view, m); break;
  case TOR_FAR_FIELD: read_far_field(&view, m); break;
  case TOR_MODE: read_mode(&view, m); break;
  case TOR_DECAY_RATE: read_decay_rate(&view, m); break;
  case TOR_ENERGY: break;
  }
}

/* A probe's table is named after the probe: no other table of the results may have that name. */
static void check_table(struct tor_job_reader *reader, const config_setting_t *group, const struct tor_monitor *m) {
  static const char spectra[] = "spectra_";
  const struct tor_job *job = reader->job;
  int is_taken = !strcmp(m->name, "energy") || !strcmp(m->name, "spectra") || !strcmp(m->name, "timeline");
  for (int k = 0; k < job->nmonitors; k++) {
    const char *other = job->monitors[k].name;
    if (!other || &job->monitors[k] == m) continue;
    const size_t n = strlen(other);
    const int probe = job->monitors[k].kind == TOR_PROBE && job->monitors[k].nwavelength;
    const char *ending = probe ? "_spectrum" : job->monitors[k].kind == TOR_RESONANCES ? "_resonances" : NULL;
    is_taken |= !strncmp(m->name, spectra, strlen(spectra)) && !strcmp(m->name + strlen(spectra), other);
    is_taken |= ending && !strncmp(m->name, other, n) && !strcmp(m->name + n, ending);
  }
  if (is_taken)
    tor_config_fault(&reader->config, group, "name",
                     "\"%s.csv\" is another table of the results, need " TOR_NEEDED("another name for the probe"),
                     m->name);
}

void tor_job_read_monitors(struct tor_job_reader *reader) {
  struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  const config_setting_t *list = tor_get(&root, "monitors");
  struct tor_job *job = reader->job;
  job->nmonitors = tor_get_length(&root, "monitors");
  job->monitors = tor_alloc((size_t)job->nmonitors, sizeof *job->monitors, "monitors");
  for (int i = 0; i < job->nmonitors; i++) read_monitor(reader, config_setting_get_elem(list, (unsigned)i), i);
  for (int i = 0; i < job->nmonitors; i++)
    if (job->monitors[i].name && job->monitors[i].kind == TOR_PROBE)
      check_table(reader, config_setting_get_elem(list, (unsigned)i), &job->monitors[i]);
}
