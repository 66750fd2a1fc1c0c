/* Reads the sheets of a job (thin_sheet.h); each gets a medium of its own. */
#include <libconfig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"
#include "src/job/material.h"
#include "src/job/thin_sheet.h"

static int has(const struct tor_view *view, const char *name) {
  return config_setting_get_member(view->group, name) != NULL;
}

/* The smallest cell along an axis [m]. */
static double smallest(const struct tor_job *job, int axis) {
  double least = job->cell[axis];
  for (int i = 0; i + 1 < job->nnode[axis]; i++) least = fmin(least, job->nodes[axis][i + 1] - job->nodes[axis][i]);
  return least;
}

static void read_graphene(const struct tor_view *view, const struct tor_thin_sheet *s, double dt,
                          struct tor_medium *m) {
  static const double WARMEST = 0.25, HIGHEST = 0.8, ELEMENTARY_CHARGE = 1.602176634e-19, BOLTZMANN = 1.380649e-23;
  const struct tor_view group = tor_view_child(view, "graphene", "sheets[].graphene.");
  const double ev = tor_get_double(&group, "fermi_eV"), tau = tor_get_double(&group, "tau_fs"),
               kelvin = tor_get_double(&group, "temperature_K");
  if (!(ev > 0 && tau > 0)) return; /* a fault already */
  if (kelvin * BOLTZMANN > WARMEST * ev * ELEMENTARY_CHARGE)
    tor_config_fault(view->config, has(&group, "temperature_K") ? tor_get(&group, "temperature_K") : group.group, NULL,
                     "got " TOR_FOUND("%g K") " beside fermi_eV = %g, need " TOR_NEEDED(
                         "at most %.0f K: interband absorption is that of temperature 0"),
                     kelvin, ev, floor(WARMEST * ev * ELEMENTARY_CHARGE / BOLTZMANN));
  const struct tor_graphene g = {.fermi = ev * ELEMENTARY_CHARGE, .rate = 1 / (tau * TOR_FS), .temperature = kelvin};
  tor_thin_sheet_add_graphene(m, &g, s->thickness, dt);
  m->range[0] = 2 * TOR_PI * TOR_C0 / (HIGHEST * 2 * ev * TOR_EV);
  m->range[1] = 1;
}

/* Why a film of a medium is no sheet; NULL: it is one. */
static const char *no_sheet(const struct tor_medium *m) {
  const char *why = m->conducts                 ? "conducts perfectly"
                    : tor_medium_needs_nodes(m) ? "has its polarisation at nodes"
                    : !tor_medium_is_isotropic(m) || m->sigma[1] != m->sigma[0] || m->sigma[2] != m->sigma[0]
                        ? "is not the same in all directions"
                        : NULL;
  for (int a = 0; a < 3 && !why; a++)
    if (m->mu[a] != 1 || m->sigma_m[a] != 0) why = "has a permeability or a magnetic conductivity";
  return why;
}

/* A film of a medium, as one of the sheet's thickness with the same conductance. */
static void read_film(const struct tor_view *view, struct tor_thin_sheet *s, double dt, struct tor_medium *m) {
  const struct tor_job *job = tor_job_reader_of(view)->job;
  const int number = tor_job_read_medium(view, "medium");
  double thickness;
  if (!tor_get_number(view, "thickness", &thickness)) {
    if (!has(view, "thickness"))
      tor_config_fault(view->config, view->group, "thickness", "missing, need " TOR_NEEDED("that of the film"));
    return;
  }
  if (!job->nmedia || !tor_get(view, "medium")) return;
  s->film = number;
  const struct tor_medium *of = &job->media[number];
  const char *why = no_sheet(of);
  const double part = thickness / s->thickness;
  if (why) {
    tor_config_fault(view->config, tor_get(view, "medium"), NULL,
                     "\"%s\" %s, need " TOR_NEEDED("a medium of Drude and Lorentz poles"), of->name, why);
    return;
  }
  for (int a = 0; a < 3; a++) m->eps[a] = 1 + part * (of->eps[a] - 1);
  m->poles = of->npoles ? tor_alloc((size_t)of->npoles, sizeof *m->poles, "poles") : NULL;
  m->npoles = of->npoles;
  for (int p = 0; p < of->npoles; p++) {
    m->poles[p] = of->poles[p];
    m->poles[p].strength *= of->poles[p].kind == TOR_DRUDE ? sqrt(part) : part;
  }
  tor_thin_sheet_add_conductance(m, of->sigma[0] * thickness, s->thickness, dt);
}

/* The sheet's medium. */
static void read_medium(const struct tor_view *view, struct tor_thin_sheet *s, struct tor_medium *m) {
  static const char *const kinds[] = {"graphene", "conductance_S", "medium"};
  struct tor_job_reader *reader = tor_job_reader_of(view);
  struct tor_grid grid = {.dt = 1e-18};
  int given = 0;
  if (reader->grid_known) tor_grid_make(reader->job, &grid);
  for (int i = 0; i < 3; i++) given += has(view, kinds[i]);
  if (given != 1) {
    tor_config_fault(view->config, view->group, given ? NULL : "graphene, conductance_S or medium",
                     given
                         ? "got " TOR_FOUND("several") " of graphene, conductance_S and medium, need " TOR_NEEDED("one")
                         : "missing, need " TOR_NEEDED("one of them"));
    return;
  }
  if (has(view, "thickness") && !has(view, "medium"))
    tor_config_fault(view->config, tor_get(view, "thickness"), NULL,
                     "there is no medium, need " TOR_NEEDED("none here: a sheet has no thickness"));
  if (has(view, "graphene")) {
    read_graphene(view, s, grid.dt, m);
  } else if (has(view, "conductance_S")) {
    double conductance;
    if (tor_get_number(view, "conductance_S", &conductance))
      tor_thin_sheet_add_conductance(m, conductance, s->thickness, grid.dt);
  } else {
    read_film(view, s, grid.dt, m);
  }
}

static void check_place(const struct tor_view *view, const struct tor_thin_sheet *s) {
  const struct tor_job_reader *reader = tor_job_reader_of(view);
  const struct tor_job *job = reader->job;
  if (!reader->grid_known || !tor_get(view, "position")) return;
  const double wall = fmax(reader->wall[s->axis], 0.5 * job->size[s->axis]), cell = job->cell[s->axis];
  double end[2];
  for (int side = 0; side < 2; side++) {
    const struct tor_boundary *b = &job->boundary[2 * s->axis + side];
    end[side] = wall - (b->wall == TOR_PERIODIC ? 0 : (tor_boundary_layer(b) + 1) * cell);
  }
  if (s->position < -end[0] * (1 + 1e-9) || s->position > end[1] * (1 + 1e-9))
    tor_config_fault(
        view->config, tor_get(view, "position"), NULL,
        "got " TOR_FOUND("%g %s") ", in an absorbing layer, at a wall or beyond it, need " TOR_NEEDED("%g to %g"),
        s->position / view->config->unit, view->config->unit_name, -end[0] / view->config->unit,
        end[1] / view->config->unit);
}

static void read_sheet(struct tor_job_reader *reader, const config_setting_t *group, int i, struct tor_thin_sheet *s) {
  const struct tor_view view = tor_view_of(&reader->config, group, "sheets[].");
  struct tor_job *job = reader->job;
  char name[32];
  snprintf(name, sizeof name, "sheet%d", i);
  *s = (struct tor_thin_sheet){.film = -1};
  if (tor_mark_bad(group)) return;
  s->name = tor_strdup(tor_get(&view, "name") ? tor_get_text(&view, "name") : name);
  for (int m = 0; m < job->nmedia; m++)
    if (!strcmp(job->media[m].name, s->name))
      tor_config_fault(&reader->config, group, "name",
                       "\"%s\" is the name of a medium or of another sheet, need " TOR_NEEDED("another one"), s->name);
  s->axis = tor_get_word(&view, "axis");
  if (reader->plane && s->axis == TOR_Z) {
    tor_config_fault(&reader->config, tor_get(&view, "axis") ? tor_get(&view, "axis") : group,
                     tor_get(&view, "axis") ? NULL : "axis",
                     "z, the default, but the job is 2-D, need " TOR_NEEDED("\"x\" or \"y\""));
    return;
  }
  s->position = tor_get_double(&view, "position");
  s->thickness = smallest(job, s->axis);
  check_place(&view, s);
  struct tor_medium medium = tor_medium_vacuum(s->name);
  medium.is_sheet = 1;
  read_medium(&view, s, &medium);
  s->medium = tor_job_add_medium(reader, medium);
  struct tor_object_list parts = {0};
  tor_job_read_parts(reader, tor_get(&view, "parts"), &parts);
  s->part = parts.list;
  s->nparts = parts.count;
}

void tor_job_read_sheets(struct tor_job_reader *reader) {
  const struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  const config_setting_t *list = tor_get(&root, "sheets");
  struct tor_job *job = reader->job;
  const int count = list ? config_setting_length(list) : 0;
  if (!count) return;
  job->sheets = tor_alloc((size_t)count, sizeof *job->sheets, "sheets");
  for (int i = 0; i < count; i++) {
    read_sheet(reader, config_setting_get_elem(list, (unsigned)i), i, &job->sheets[i]);
    job->nsheets++;
  }
}
