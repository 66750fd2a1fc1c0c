/* Media of a job that are given by a table of n and k: the keys table and fit. */
#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/index_table.h"
#include "src/job/job_read_parts.h"
#include "src/job/material.h"
#include "src/job/material_fit.h"

struct place {
  struct tor_config *config;
  const config_setting_t *at;
  const char *file;
};

static void add_fault(void *to, int line, const char *text) {
  const struct place *p = to;
  if (line)
    tor_config_fault(p->config, p->at, NULL, "%s:%d: %s", p->file, line, text);
  else
    tor_config_fault(p->config, p->at, NULL, "%s: %s", p->file, text);
}

/* An end of the range: the table's own, or that of the job within it; with a fault where it lies outside. */
static double range_end(const struct tor_view *fit, const char *key, const struct tor_index_table *t) {
  const double first = t->wavelength[0], last = t->wavelength[t->count - 1];
  double end;
  if (!tor_get_number(fit, key, &end)) return !strcmp(key, "from") ? first : last;
  if (end < first * (1 - 1e-9) || end > last * (1 + 1e-9))
    tor_config_fault(fit->config, tor_get(fit, key), NULL,
                     "got " TOR_FOUND("%g nm, outside the table") ", need " TOR_NEEDED("%g to %g nm"), end / TOR_NM,
                     first / TOR_NM, last / TOR_NM);
  return end;
}

/* The medium; vacuum after faults. */
static struct tor_medium fit_table(const struct tor_view *fit, const struct place *place,
                                   const struct tor_index_table *table, const char *name) {
  const int faults = place->config->nfault;
  const struct tor_fit_options o = {
      tor_get_int(fit, "poles"), TOR_FIT_WANTED, {range_end(fit, "from", table), range_end(fit, "to", table)}};
  const double limit = tor_get_double(fit, "error");
  struct tor_medium m;
  if (place->config->nfault > faults) return tor_medium_vacuum(name);
  const int points = tor_fit_points(table, o.range);
  if (points < TOR_FIT_FEWEST) {
    tor_config_fault(place->config, fit->group, NULL,
                     "got " TOR_FOUND("%d point%s of %s from %g to %g nm") ", need " TOR_NEEDED("at least %d"), points,
                     points == 1 ? "" : "s", place->file, o.range[0] / TOR_NM, o.range[1] / TOR_NM, TOR_FIT_FEWEST);
    return tor_medium_vacuum(name);
  }
  tor_medium_fit(name, table, &o, &m);
  m.table = tor_strdup(place->file);
  if (m.fit.rms > limit)
    tor_config_fault(
        place->config, place->at, NULL,
        "got " TOR_FOUND(
            "%s, to which %d poles fit with an rms error of the permittivity of %.2g %% from "
            "%g to %g nm, %.2g %% at %g nm") ", need " TOR_NEEDED("at most %g %%: fit.from and fit.to nearer to the "
                                                                  "wavelengths of the job, more fit.poles (at "
                                                                  "most %d), or a larger fit.error"),
        place->file, m.npoles, 100 * m.fit.rms, m.fit.range[0] / TOR_NM, m.fit.range[1] / TOR_NM, 100 * m.fit.largest,
        m.fit.at / TOR_NM, 100 * limit, TOR_FIT_MOST);
  return m;
}

struct tor_medium tor_job_read_fit(const struct tor_view *view, const char *name) {
  const struct tor_view fit = tor_view_child(view, "fit", "media[].fit.");
  struct place place = {view->config, tor_get(view, "table"), tor_get_text(view, "table")};
  struct tor_index_table table;
  if (!place.file) { /* fit without a table, or one that is no text */
    if (!config_setting_get_member(view->group, "table"))
      tor_config_fault(view->config, fit.group ? fit.group : view->group, NULL,
                       "is for a table of n and k, need " TOR_NEEDED("table = \"FILE\" beside it"));
    return tor_medium_vacuum(name);
  }
  char *path = tor_job_path_of(view->config, place.file);
  const int failed = tor_index_table_read(path, &table, add_fault, &place);
  struct tor_medium m = failed ? tor_medium_vacuum(name) : fit_table(&fit, &place, &table, name);
  tor_index_table_free(&table);
  free(path);
  return m;
}
