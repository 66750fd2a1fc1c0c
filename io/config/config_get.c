/* Values of a file by key: from the file, else the table's default. Lengths are returned in metres. */
#include <libconfig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"

struct tor_view tor_view_of(struct tor_config *config, const config_setting_t *group, const char *prefix) {
  struct tor_view view = {config, group, prefix, NULL};
  const struct tor_key *key = tor_key_find(config->table, prefix, "type", NULL);
  const char *type = NULL;
  if (key && group && config_setting_is_group(group) && config_setting_lookup_string(group, "type", &type) &&
      tor_word_index(key->words, type) >= 0)
    view.type = type;
  return view;
}

struct tor_view tor_view_child(const struct tor_view *view, const char *name, const char *prefix) {
  const config_setting_t *group = tor_get(view, name);
  return tor_view_of(view->config, group && config_setting_is_group(group) ? group : NULL, prefix);
}

const config_setting_t *tor_get(const struct tor_view *view, const char *name) {
  const config_setting_t *s = view->group ? config_setting_get_member(view->group, name) : NULL;
  return s && !tor_mark_bad(s) ? s : NULL;
}

static const struct tor_key *row(const struct tor_view *view, const char *name) {
  const struct tor_key *key = tor_key_find(view->config->table, view->prefix, name, view->type);
  if (!key) TOR_DIE("the table of keys has no %s%s for type %s", view->prefix, name, view->type ? view->type : "any");
  return key;
}

/* Units per metre: dividing by it keeps 100 nm the double nearest to 1e-7. */
static double units_of(const struct tor_view *view, const struct tor_key *key) {
  switch (key->kind) {
  case TOR_KEY_LENGTH:
  case TOR_KEY_LENGTH3:
  case TOR_KEY_LENGTH_OR_3:
  case TOR_KEY_WAVELENGTHS:
  case TOR_KEY_PAIRS: return view->config->per_metre;
  default: return 1;
  }
}

int tor_get_number(const struct tor_view *view, const char *name, double *value) {
  const struct tor_key *key = row(view, name);
  const config_setting_t *s = tor_get(view, name);
  *value = s ? config_setting_get_float(s) : key->fallback ? strtod(key->fallback, NULL) : (double)NAN;
  *value /= units_of(view, key);
  return s || key->fallback;
}

double tor_get_double(const struct tor_view *view, const char *name) {
  double value;
  tor_get_number(view, name, &value);
  return value;
}

int tor_get_int(const struct tor_view *view, const char *name) {
  double value;
  return tor_get_number(view, name, &value) ? (int)value : 0;
}

int tor_get_word(const struct tor_view *view, const char *name) {
  const struct tor_key *key = row(view, name);
  const config_setting_t *s = tor_get(view, name);
  const char *word = s ? config_setting_get_string(s) : key->fallback;
  return word ? tor_word_index(key->words, word) : -1;
}

const char *tor_get_text(const struct tor_view *view, const char *name) {
  const config_setting_t *s = tor_get(view, name);
  return s ? config_setting_get_string(s) : row(view, name)->fallback;
}

int tor_get_bool(const struct tor_view *view, const char *name) {
  const config_setting_t *s = tor_get(view, name);
  return s ? config_setting_get_bool(s) : !strcmp(row(view, name)->fallback, "true");
}

int tor_get_vector(const struct tor_view *view, const char *name, double value[3]) {
  const struct tor_key *key = row(view, name);
  const config_setting_t *s = tor_get(view, name);
  if (!s && !key->fallback) return 0;
  for (int a = 0; a < 3; a++) {
    if (!s)
      value[a] = strtod(key->fallback, NULL);
    else
      value[a] = !config_setting_is_list(s)     ? config_setting_get_float(s)
                 : a < config_setting_length(s) ? config_setting_get_float_elem(s, a)
                                                : 0;
    value[a] /= units_of(view, key);
  }
  return 1;
}

static double *wavelength_range(const struct tor_view *view, int *count) {
  double from = tor_get_double(view, "from"), to = tor_get_double(view, "to");
  *count = tor_get_int(view, "count");
  double *value = tor_alloc((size_t)*count, sizeof *value, "wavelengths");
  for (int i = 0; i < *count; i++) value[i] = *count > 1 ? from + (to - from) * i / (*count - 1) : from;
  return value;
}

double *tor_get_list(const struct tor_view *view, const char *name, int *count) {
  const struct tor_key *key = row(view, name);
  const config_setting_t *s = tor_get(view, name);
  *count = 0;
  if (!s) return NULL;
  if (config_setting_is_group(s)) {
    char prefix[128];
    snprintf(prefix, sizeof prefix, "%s.", key->path);
    struct tor_view range = tor_view_child(view, name, prefix);
    return wavelength_range(&range, count);
  }
  int list = config_setting_is_list(s);
  *count = list ? config_setting_length(s) : 1;
  double *value = tor_alloc((size_t)*count, sizeof *value, name);
  for (int i = 0; i < *count; i++)
    value[i] = (list ? config_setting_get_float_elem(s, i) : config_setting_get_float(s)) / units_of(view, key);
  return value;
}

int tor_get_length(const struct tor_view *view, const char *name) {
  const config_setting_t *s = tor_get(view, name);
  return s && config_setting_is_list(s) ? config_setting_length(s) : 0;
}
