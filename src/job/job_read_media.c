/* Media of a job: the user's own and, when they are first named, the built-in ones. */
#include <libconfig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/job_keys.h"
#include "src/job/job_read.h"
#include "src/job/job_read_parts.h"
#include "src/job/material.h"
#include "src/job/tensor.h"

static int find_medium(const struct tor_job *job, const char *name) {
  for (int i = 0; i < job->nmedia; i++)
    if (!strcmp(job->media[i].name, name)) return i;
  return -1;
}

int tor_job_add_medium(struct tor_job_reader *reader, struct tor_medium medium) {
  struct tor_job *job = reader->job;
  job->media = tor_grow(job->media, (size_t)job->nmedia + 1, &reader->media_capacity, sizeof *job->media);
  job->media[job->nmedia] = medium;
  return job->nmedia++;
}

/* Vacuum, a perfect conductor or one from the built-in table; false when there is none. */
static int builtin(const char *name, struct tor_medium *medium) {
  const int pec = !strcmp(name, "pec");
  if (strcmp(name, "vacuum") && !pec) return tor_medium_builtin(name, medium);
  *medium = pec ? tor_medium_pec(name) : tor_medium_vacuum(name);
  return 1;
}

static const char *nearer(const char *name, const char *candidate, const char *best) {
  return tor_word_distance(&tor_job_keys, name, candidate) < tor_word_distance(&tor_job_keys, name, best) ? candidate
                                                                                                          : best;
}

const char *tor_job_nearest_medium(const char *name) {
  const char *best = nearer(name, "pec", "vacuum");
  for (int i = 0; i < tor_medium_builtin_count(); i++) best = nearer(name, tor_medium_builtin_name(i), best);
  return best;
}

/* The nearest medium by name; where none is near, all of them. */
static void unknown_medium(struct tor_job_reader *reader, const config_setting_t *at, const char *name) {
  const char *best = tor_job_nearest_medium(name);
  char known[512] = "";
  for (int i = 0; i < reader->job->nmedia; i++) best = nearer(name, reader->job->media[i].name, best);
  if (tor_word_is_near(&tor_job_keys, name, best)) {
    tor_config_fault(&reader->config, at, NULL, "unknown medium \"%.64s\"; nearest known: %s", name, best);
    return;
  }
  for (int i = 0; i < tor_medium_builtin_count(); i++)
    snprintf(known + strlen(known), sizeof known - strlen(known), " %s", tor_medium_builtin_name(i));
  tor_config_fault(
      &reader->config, at, NULL,
      "unknown medium \"%.64s\", need " TOR_NEEDED(
          "one of media, or vacuum, or pec, or a built-in one:%s; one with the index at a wavelength: media = ( { "
          "name = \"%.64s\"; n = 1.5; k = 0.0; at = 600.0; } )"),
      name, known, name);
}

int tor_job_read_medium(const struct tor_view *view, const char *name) {
  const char *wanted = tor_get_text(view, name);
  struct tor_medium medium;
  if (!wanted) return 0;
  int i = find_medium(tor_job_reader_of(view)->job, wanted);
  if (i >= 0) return i;
  if (builtin(wanted, &medium)) return tor_job_add_medium(tor_job_reader_of(view), medium);
  unknown_medium(tor_job_reader_of(view), tor_get(view, name), wanted);
  return 0;
}

/* The key of a frequency that is given in eV or in rad/s, and its unit [rad/s]; NULL with a fault when in neither. */
static const char *key_of(const struct tor_view *view, const char *quantity, double *unit) {
  static _Thread_local char ev[32], rad[32], both[80];
  snprintf(ev, sizeof ev, "%s_eV", quantity);
  snprintf(rad, sizeof rad, "%s_rad_per_s", quantity);
  snprintf(both, sizeof both, "%s or %s", ev, rad);
  int has_ev = config_setting_get_member(view->group, ev) != NULL,
      has_rad = config_setting_get_member(view->group, rad) != NULL;
  if (!has_ev && !has_rad)
    tor_config_fault(view->config, view->group, both, "missing, need " TOR_NEEDED("a number in eV or in rad/s"));
  else if (has_ev && has_rad)
    tor_config_fault(view->config, config_setting_get_member(view->group, rad), NULL,
                     "got " TOR_FOUND("%s too") ", need " TOR_NEEDED("only one of them"), ev);
  *unit = has_ev ? TOR_EV : 1;
  return has_ev ? ev : has_rad ? rad : NULL;
}

/* A frequency [rad/s]; NAN with a fault. */
static double frequency(const struct tor_view *view, const char *quantity) {
  double unit, value = NAN;
  const char *name = key_of(view, quantity, &unit);
  if (name) tor_get_number(view, name, &value);
  return value * unit;
}

static int has(const struct tor_view *view, const char *name) {
  return config_setting_get_member(view->group, name) != NULL;
}

/* One strength, or one for each axis. */
static void read_strength(const struct tor_view *view, struct tor_pole *pole) {
  double unit = 1, along[3];
  const char *name = pole->kind == TOR_DRUDE            ? key_of(view, "plasma", &unit)
                     : pole->kind == TOR_CRITICAL_POINT ? "amplitude"
                                                        : "delta_eps";
  if (!name || !tor_get_vector(view, name, along)) return;
  for (int a = 0; a < 3; a++)
    if (fabs(along[a]) > fabs(pole->strength)) pole->strength = along[a];
  if (pole->strength == 0 && pole->kind == TOR_DRUDE)
    tor_config_fault(view->config, tor_get(view, name), NULL, "all three are 0, need " TOR_NEEDED("one above 0"));
  for (int a = 0; a < 3 && pole->strength != 0; a++) {
    const double part = along[a] / pole->strength;
    pole->less[a] = 1 - (pole->kind == TOR_DRUDE ? part * part : part);
  }
  pole->strength *= unit;
}

/* What puts a pole at nodes. */
struct node_pole {
  int is_magnetised;
  double cyclotron[3], saturation, relaxation; /* as of tor_medium */
};

static void read_saturation(const struct tor_view *view, const struct tor_pole *pole, struct node_pole *node) {
  const int saturates = has(view, "saturation_V_per_m"), recovers = has(view, "relaxation_fs");
  if (saturates) node->saturation = tor_get_double(view, "saturation_V_per_m");
  if (recovers) node->relaxation = tor_get_double(view, "relaxation_fs") * TOR_FS;
  if (saturates != recovers)
    tor_config_fault(view->config, view->group, saturates ? "relaxation_fs" : "saturation_V_per_m",
                     "missing, need " TOR_NEEDED("it beside %s"), saturates ? "saturation_V_per_m" : "relaxation_fs");
  if (saturates && node->is_magnetised)
    tor_config_fault(view->config, tor_get(view, "saturation_V_per_m"), NULL,
                     "beside cyclotron_eV, need " TOR_NEEDED("one of both"));
  if (saturates && (pole->strength == 0 || pole->gamma == 0))
    tor_config_fault(view->config, tor_get(view, "saturation_V_per_m"), NULL,
                     "of a pole with a %s of 0, need " TOR_NEEDED("another value of that"),
                     pole->gamma == 0 ? "gamma" : "delta_eps");
}

/* Returns whether the pole is at nodes. */
static int read_pole(struct tor_job_reader *reader, const config_setting_t *group, struct tor_pole *pole,
                     struct node_pole *node) {
  struct tor_view view = tor_view_of(&reader->config, group, "media[].poles[].");
  if (tor_mark_bad(group) || !view.type) return 0;
  pole->kind = (enum tor_pole_kind)tor_get_word(&view, "type");
  read_strength(&view, pole);
  if (pole->kind == TOR_CRITICAL_POINT) pole->phase = tor_get_double(&view, "phase_rad");
  if (pole->kind == TOR_LORENTZ || pole->kind == TOR_CRITICAL_POINT) pole->omega = frequency(&view, "omega");
  if (pole->kind == TOR_DEBYE)
    pole->tau = tor_get_double(&view, "tau_fs") * TOR_FS;
  else
    pole->gamma = frequency(&view, "gamma");
  const config_setting_t *at = has(&view, "cyclotron_eV") ? tor_get(&view, "cyclotron_eV") : NULL;
  node->is_magnetised = at && tor_get_vector(&view, "cyclotron_eV", node->cyclotron);
  if ((node->is_magnetised || has(&view, "saturation_V_per_m")) && !tor_pole_is_isotropic(pole))
    tor_config_fault(&reader->config, group, node->is_magnetised ? "cyclotron_eV" : "saturation_V_per_m",
                     "the pole's strength depends on the axis, need " TOR_NEEDED("one number beside a %s"),
                     node->is_magnetised ? "magnetic field" : "saturation");
  const int three = at && config_setting_is_list(at);
  for (int a = 0; a < 3; a++)
    node->cyclotron[a] = node->is_magnetised && (three || a == 2) ? node->cyclotron[a] * TOR_EV : 0;
  if (pole->kind == TOR_LORENTZ) read_saturation(&view, pole, node);
  return node->is_magnetised || node->saturation > 0;
}

static void read_poles(struct tor_job_reader *reader, const config_setting_t *list, struct tor_medium *m) {
  const int count = config_setting_length(list);
  free(m->poles);
  m->npoles = m->has_node_pole = 0;
  m->saturation = 0;
  m->poles = count ? tor_alloc((size_t)count, sizeof *m->poles, "poles") : NULL;
  for (int i = 0; i < count; i++) {
    struct tor_pole pole = {.kind = TOR_DRUDE};
    struct node_pole node = {0};
    const config_setting_t *group = config_setting_get_elem(list, (unsigned)i);
    if (!read_pole(reader, group, &pole, &node)) {
      m->poles[m->npoles++] = pole;
      continue;
    }
    if (m->has_node_pole)
      tor_config_fault(&reader->config, group, node.is_magnetised ? "cyclotron_eV" : "saturation_V_per_m",
                       "an earlier pole of the medium has %s, need " TOR_NEEDED("one such pole"),
                       m->saturation > 0 ? "saturation_V_per_m" : "cyclotron_eV");
    m->has_node_pole = 1;
    m->node_pole = pole;
    m->saturation = node.saturation;
    m->relaxation = node.relaxation;
    memcpy(m->cyclotron, node.cyclotron, sizeof m->cyclotron);
  }
}

/* Fault of a medium with critical points that amplifies: the sum of its poles has to be passive, not each. */
static void check_passive(struct tor_job_reader *reader, const config_setting_t *at, const struct tor_medium *m) {
  double omega;
  if (!tor_medium_is_trapezoidal(m) || tor_medium_is_passive(m, &omega)) return;
  tor_config_fault(&reader->config, at, NULL,
                   "amplifies waves, at %.4g nm among others, with which fields grow without end; need " TOR_NEEDED(
                       "critical points that with the other poles absorb at all frequencies"),
                   2 * TOR_PI * TOR_C0 / omega / TOR_NM);
}

/* The medium to start from: vacuum, an earlier one or a built-in one. */
static struct tor_medium start_of(const struct tor_view *view, const char *name) {
  const char *like = tor_get_text(view, "like");
  struct tor_medium medium, own = tor_medium_vacuum(name);
  int i = like ? find_medium(tor_job_reader_of(view)->job, like) : -1;
  if (!like) return own;
  if (i >= 0) {
    medium = tor_medium_copy(&tor_job_reader_of(view)->job->media[i]);
  } else if (!builtin(like, &medium)) {
    unknown_medium(tor_job_reader_of(view), tor_get(view, "like"), like);
    return own;
  }
  tor_medium_free(&own);
  free(medium.name);
  medium.name = tor_strdup(name);
  return medium;
}

/* A key beside those that determine the whole medium: a table, or n, k and at; NULL: there is none. */
static const config_setting_t *beside(const struct tor_view *view, int table) {
  static const char *const others[] = {"like",
                                       "index",
                                       "permittivity",
                                       "permittivity_tensor",
                                       "chi3_m2_per_V2",
                                       "d_pm_per_V",
                                       "rotate_deg",
                                       "permeability",
                                       "conductivity_S_per_m",
                                       "poles",
                                       "magnetic_conductivity_Ohm_per_m",
                                       "n",
                                       "k",
                                       "at"};
  const size_t count = sizeof others / sizeof *others - (table ? 0 : 3);
  for (size_t i = 0; i < count; i++) {
    const config_setting_t *found = config_setting_get_member(view->group, others[i]);
    if (found) return found;
  }
  return NULL;
}

/* A medium from n, k and at; vacuum with a fault. Without a grid, which is a fault of its own, any time step does. */
static struct tor_medium read_index_at(struct tor_job_reader *reader, const struct tor_view *view, const char *name) {
  const config_setting_t *other = beside(view, 0);
  const int faults = reader->config.nfault;
  struct tor_grid grid = {.dt = 1e-18};
  double n, k, at;
  if (!tor_get_number(view, "n", &n)) n = NAN;
  if (!tor_get_number(view, "k", &k)) k = 0;
  const int has_at = tor_get_number(view, "at", &at);
  if (other)
    tor_config_fault(&reader->config, other, NULL,
                     "beside n, k and at, need " TOR_NEEDED("them alone: they are the whole medium"));
  if (!has(view, "n"))
    tor_config_fault(&reader->config, view->group, "n",
                     "missing, need " TOR_NEEDED("the real part of the index beside k and at"));
  if (!has(view, "at"))
    tor_config_fault(&reader->config, view->group, "at",
                     "missing, need " TOR_NEEDED(
                         "the wavelength at which the index is n + i k; index = %g is one for all wavelengths"),
                     n > 0 ? n : 1.5);
  if (k < 0)
    tor_config_fault(
        &reader->config, tor_get(view, "k"), NULL,
        "got " TOR_FOUND("%g: gain, with which fields grow without end") ", need " TOR_NEEDED("0 or more (absorption)"),
        k);
  else if (n == 0 && k == 0)
    tor_config_fault(&reader->config, tor_get(view, "n"), NULL,
                     "got " TOR_FOUND("0 with k = 0") ", need " TOR_NEEDED("one of them above 0"));
  if (has_at) tor_job_check_wavelength(view, "at", at);
  if (reader->config.nfault > faults || isnan(n) || !has_at) return tor_medium_vacuum(name);
  if (reader->grid_known) tor_grid_make(reader->job, &grid);
  return tor_medium_of_index(name, n, k, at, grid.dt);
}

/* A medium from a table of n and k; vacuum with a fault. */
static struct tor_medium read_table(struct tor_job_reader *reader, const struct tor_view *view, const char *name) {
  const config_setting_t *other = beside(view, 1);
  if (other)
    tor_config_fault(&reader->config, other, NULL,
                     "beside table, need " TOR_NEEDED("it alone: it is the whole medium"));
  return tor_job_read_fit(view, name);
}

/* A perfect conductor has no other properties. */
static void check_conductor(struct tor_job_reader *reader, const struct tor_view *view) {
  static const char *const others[] = {"index",
                                       "permittivity",
                                       "conductivity_S_per_m",
                                       "permeability",
                                       "poles",
                                       "magnetic_conductivity_Ohm_per_m",
                                       "permittivity_tensor",
                                       "d_pm_per_V",
                                       "rotate_deg"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (has(view, others[i]))
      tor_config_fault(&reader->config, tor_get(view, others[i]), NULL,
                       "beside like = \"%s\", a perfect conductor, need " TOR_NEEDED("no other property"),
                       tor_get_text(view, "like"));
}

static void read_medium(struct tor_job_reader *reader, const config_setting_t *group) {
  struct tor_view view = tor_view_of(&reader->config, group, "media[].");
  const char *name = tor_mark_bad(group) ? NULL : tor_get_text(&view, "name");
  if (!name) return;
  const config_setting_t *at = tor_get(&view, "name"), *index = tor_get(&view, "index"),
                         *poles = tor_get(&view, "poles");
  if (!strcmp(name, "vacuum") || !strcmp(name, "pec"))
    tor_config_fault(&reader->config, at, NULL,
                     "got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("a name that is not built in for all jobs"), name);
  if (find_medium(reader->job, name) >= 0)
    tor_config_fault(&reader->config, at, NULL,
                     "an earlier medium has the name \"%s\", need " TOR_NEEDED("another name"), name);
  if (has(&view, "table") || has(&view, "fit")) {
    tor_job_add_medium(reader, read_table(reader, &view, name));
    return;
  }
  if (has(&view, "n") || has(&view, "k") || has(&view, "at")) {
    tor_job_add_medium(reader, read_index_at(reader, &view, name));
    return;
  }
  struct tor_medium m = start_of(&view, name);
  if (m.conducts) check_conductor(reader, &view);
  m.at = 0; /* of one to start from */
  free(m.table);
  m.table = NULL;
  if (tor_get(&view, "permittivity") || index) m.has_tensor = 0; /* of one to start from */
  if (tor_get(&view, "permittivity")) tor_get_vector(&view, "permittivity", m.eps);
  if (tor_get(&view, "permeability")) tor_get_vector(&view, "permeability", m.mu);
  if (tor_get(&view, "conductivity_S_per_m")) tor_get_vector(&view, "conductivity_S_per_m", m.sigma);
  if (tor_get(&view, "magnetic_conductivity_Ohm_per_m"))
    tor_get_vector(&view, "magnetic_conductivity_Ohm_per_m", m.sigma_m);
  if (index && config_setting_get_member(group, "permittivity"))
    tor_config_fault(&reader->config, index, NULL,
                     "got " TOR_FOUND("permittivity too") ", need " TOR_NEEDED("only one of them"));
  if (index && tor_get_vector(&view, "index", m.eps))
    for (int a = 0; a < 3; a++) m.eps[a] *= m.eps[a] / m.mu[a]; /* index^2 = permittivity permeability */
  tor_job_read_tensor(&view, &m);
  if (has(&view, "chi3_m2_per_V2")) m.chi3 = tor_get_double(&view, "chi3_m2_per_V2");
  const int faults = reader->config.nfault;
  if (poles) read_poles(reader, poles, &m);
  for (int p = 0; p < m.npoles && has(&view, "rotate_deg"); p++)
    if (!tor_pole_is_isotropic(&m.poles[p]))
      tor_config_fault(&reader->config, tor_get(&view, "rotate_deg"), NULL,
                       "only the permittivity is rotated, need " TOR_NEEDED("poles[%d] alike in all directions"), p);
  if (reader->config.nfault == faults) check_passive(reader, poles ? poles : group, &m);
  tor_medium_set_edges(&m);
  double eps = fmin(tor_medium_edge(&m, 0), fmin(tor_medium_edge(&m, 1), tor_medium_edge(&m, 2))),
         mu = fmin(m.mu[0], fmin(m.mu[1], m.mu[2])), courant = reader->job->courant;
  if (eps * mu < courant * courant)
    tor_config_fault(
        &reader->config, group, NULL,
        "waves in permittivity %g, permeability %g are too fast for the time step: need grid.courant of at most %.3g",
        eps, mu, sqrt(eps * mu));
  tor_job_add_medium(reader, m);
}

void tor_job_read_media(struct tor_job_reader *reader) {
  struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  const config_setting_t *list = tor_get(&root, "media");
  for (int i = 0; i < tor_get_length(&root, "media"); i++)
    read_medium(reader, config_setting_get_elem(list, (unsigned)i));
  reader->job->background = tor_job_read_medium(&root, "background");
  if (reader->job->nmedia && reader->job->media[reader->job->background].conducts) /* none: it is unknown */
    tor_config_fault(&reader->config, tor_get(&root, "background"), NULL,
                     "got " TOR_FOUND("\"%s\", a perfect conductor, in which no wave travels") ", need " TOR_NEEDED(
                         "another medium; objects of pec may fill what they should"),
                     reader->job->media[reader->job->background].name);
}
