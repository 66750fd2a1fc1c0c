/* Overrides from the command line: path=value is applied to the tree of the file before it is checked. */
#include <ctype.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/config/config.h"
#include "src/base/error.h"

static void copy_value(config_setting_t *to, const config_setting_t *from) {
  switch (config_setting_type(from)) {
  case CONFIG_TYPE_INT: config_setting_set_int(to, config_setting_get_int(from)); return;
  case CONFIG_TYPE_INT64: config_setting_set_int64(to, config_setting_get_int64(from)); return;
  case CONFIG_TYPE_FLOAT: config_setting_set_float(to, config_setting_get_float(from)); return;
  case CONFIG_TYPE_BOOL: config_setting_set_bool(to, config_setting_get_bool(from)); return;
  case CONFIG_TYPE_STRING: config_setting_set_string(to, config_setting_get_string(from)); return;
  default: break; /* a group, a list or an array */
  }
  for (int i = 0; i < config_setting_length(from); i++) {
    const config_setting_t *item = config_setting_get_elem(from, (unsigned)i);
    copy_value(config_setting_add(to, config_setting_name(item), config_setting_type(item)), item);
  }
}

/* A plain word that needs no quotes: not a number, not true or false, nothing that libconfig gives a meaning to. */
static int is_bare(const char *value) {
  const char *s = value + (*value == '+' || *value == '-');
  if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) return 0;
  if (!strcasecmp(value, "true") || !strcasecmp(value, "false")) return 0;
  return *value && !strpbrk(value, "\"[](){}=;,#\\\n");
}

/* Reads a value into config, as its only member; false with a fault. */
static int read_value(struct tor_config *config, int i, const char *value, config_t *tree) {
  config_init(tree);
  if (is_bare(value)) {
    config_setting_set_string(config_setting_add(config_root_setting(tree), "v", CONFIG_TYPE_STRING), value);
    return 1;
  }
  size_t capacity = strlen(value) + 8;
  char *line = tor_alloc(capacity, 1, "override");
  snprintf(line, capacity, "v=%s", value);
  char *text = tor_config_translate(line);
  int good =
      !strchr(value, '\n') && config_read_string(tree, text) && config_setting_length(config_root_setting(tree)) == 1;
  free(line);
  free(text);
  if (!good)
    tor_config_set_fault(config, i, "got " TOR_FOUND("%.60s") ", need " TOR_NEEDED("a value as in a job file"),
                         *value ? value : "nothing");
  return good;
}

/* Splits the next step off a path: a name, or [i]. Returns the index, -1 for a name, -2 for neither. */
static int next_step(const char **path, char *name, size_t size) {
  const char *s = *path;
  if (*s == '.') s++;
  if (*s == '[') {
    char *end;
    long i = isdigit((unsigned char)s[1]) ? strtol(s + 1, &end, 10) : -1;
    if (i < 0 || i > 1000000000 || *end != ']') return -2;
    *path = end + 1;
    return (int)i;
  }
  size_t n = strcspn(s, ".[");
  if (n == 0 || n >= size) return -2;
  memcpy(name, s, n);
  name[n] = 0;
  *path = s + n;
  return -1;
}

/* Makes a member of a group or replaces it; NULL when the name is none. */
static config_setting_t *put_member(config_setting_t *group, const char *name, int type) {
  if (config_setting_get_member(group, name)) config_setting_remove(group, name);
  return config_setting_add(group, name, type);
}

/* Replaces an element of a list: the new one is made at the end and changes places with the old one. */
static config_setting_t *put_element(config_setting_t *list, int i, int type) {
  config_setting_t *made = config_setting_add(list, NULL, type);
  unsigned last = (unsigned)config_setting_length(list) - 1;
  config_setting_t **element = list->value.list->elements;
  element[last] = element[i];
  element[i] = made;
  config_setting_remove_elem(list, last);
  return made;
}

/* The member or element of `at` one step down; groups that a file may leave out are made. NULL with a fault. */
static config_setting_t *step_down(struct tor_config *config, int i, config_setting_t *at, int index, const char *name,
                                   char *prefix, size_t size) {
  size_t n = strlen(prefix);
  if (index >= 0) {
    int count = config_setting_is_list(at) ? config_setting_length(at) : 0;
    if (index >= count) {
      tor_config_set_fault(config, i, "there is no element [%d]: the list has %d elements", index, count);
      return NULL;
    }
    if (n > 1 && prefix[n - 2] != ']') snprintf(prefix + n - 1, size - n + 1, "[].");
    return config_setting_get_elem(at, (unsigned)index);
  }
  config_setting_t *below = config_setting_is_group(at) ? config_setting_get_member(at, name) : NULL;
  const struct tor_key *key = tor_key_find(config->table, prefix, name, NULL);
  if (!config_setting_is_group(at)) {
    tor_config_set_fault(config, i, "the part of the path before \"%s\" is not a group", name);
    return NULL;
  }
  if (!below && !key) {
    char instead[512];
    const char *hint = config->table->hint ? config->table->hint(NULL, name) : NULL;
    tor_key_suggest(config->table, prefix, name, NULL, instead, sizeof instead);
    tor_config_set_fault(config, i, "unknown key \"%s\"%s%s", name, hint ? "" : "; ", hint ? hint : instead);
    return NULL;
  }
  if (!below && key->kind != TOR_KEY_GROUP) {
    tor_config_set_fault(config, i, "the job has no group or list \"%s\"", name);
    return NULL;
  }
  if (!below) {
    below = config_setting_add(at, name, CONFIG_TYPE_GROUP);
    tor_mark_set_override(below, i);
  }
  if (key && (key->kind == TOR_KEY_WORD_OR_GROUP || key->kind == TOR_KEY_LIST))
    tor_key_inside(config->table, key, prefix, size);
  else
    snprintf(prefix + n, size - n, "%s.", name);
  return below;
}

/* The row of a whole path without list elements, NULL: none. */
static const struct tor_key *row_of_path(const struct tor_key_table *table, const char *path) {
  for (int i = 0; i < table->count; i++)
    if (!strcmp(table->keys[i].path, path)) return &table->keys[i];
  return NULL;
}

/* For a key that may be a word or a group and is a word: reports how to make it a group. */
static int is_key_of_no_group(struct tor_config *config, int i, const config_setting_t *value) {
  char path[128], rows[128], got[128] = "missing", wanted[256], type[48] = "";
  const char *dot = strrchr(config->set[i], '.');
  if (!dot || (size_t)(dot - config->set[i]) >= sizeof path) return 0;
  snprintf(path, sizeof path, "%.*s", (int)(dot - config->set[i]), config->set[i]);
  const struct tor_key *known = row_of_path(config->table, path);
  if (!known || known->kind != TOR_KEY_WORD_OR_GROUP) return 0;
  snprintf(rows, sizeof rows, "%s.", config->table->word_group);
  const struct tor_key *key = tor_key_find(config->table, rows, dot + 1, NULL);
  const config_setting_t *at = config_lookup(&config->tree, path);
  if (!key || (at && config_setting_is_group(at))) return 0;
  if (at) tor_config_describe(at, got, sizeof got);
  tor_config_describe(value, wanted, sizeof wanted);
  if (key->of) snprintf(type, sizeof type, "type=\"%.*s\";", (int)strcspn(key->of, " "), key->of);
  tor_config_set_fault(config, i, "%s is %s, need " TOR_NEEDED("a group: --set '%s={%s%s=%s;}'"), path, got, path, type,
                       dot + 1, wanted);
  return 1;
}

/* Removes from a group the keys of the file in whose place the key of that name stands, or that stand in its place. */
static void remove_pair(const struct tor_key_table *table, config_setting_t *group, const char *prefix,
                        const char *name) {
  const struct tor_key *key;
  for (int i = 0; (key = tor_key_next(table, prefix, NULL, &i));) {
    const char *own = key->path + strlen(prefix), *other = NULL;
    if (key->instead && !strcmp(own, name)) other = key->instead;
    if (key->instead && !strcmp(key->instead, name)) other = own;
    const config_setting_t *there = other ? config_setting_get_member(group, other) : NULL;
    if (there && tor_mark_override(there) < 0) config_setting_remove(group, other);
  }
}

static void put(struct tor_config *config, int i, const config_setting_t *value) {
  config_setting_t *at = config_root_setting(&config->tree), *made = NULL;
  char name[128], prefix[512] = "";
  const char *path = config->set[i];
  if (is_key_of_no_group(config, i, value)) return;
  for (;;) {
    int index = next_step(&path, name, sizeof name), type = config_setting_type(value);
    if (index == -2) {
      tor_config_set_fault(config, i, "not a path such as grid.cell or objects[0].radius");
      return;
    }
    if (*path || index >= 0) {
      config_setting_t *below = step_down(config, i, at, index, name, prefix, sizeof prefix);
      if (!below) return;
      if (!*path) made = put_element(at, index, type);
      at = below;
    } else if (!config_setting_is_group(at)) {
      tor_config_set_fault(config, i, "the part of the path before \"%s\" is not a group", name);
      return;
    } else {
      made = put_member(at, name, type);
      remove_pair(config->table, at, prefix, name);
      if (!made) tor_config_set_fault(config, i, "\"%s\" is not a key", name);
    }
    if (!*path) break;
  }
  if (!made) return;
  copy_value(made, value);
  tor_mark_set_override(made, i);
}

/* The path without blanks and with objects[0] for objects.[0]. */
static char *normal_path(const char *text, size_t length) {
  char *path = tor_alloc(length + 1, 1, "override");
  size_t n = 0;
  for (size_t i = 0; i < length; i++)
    if (!isspace((unsigned char)text[i]) && !(text[i] == '.' && i + 1 < length && text[i + 1] == '['))
      path[n++] = text[i];
  return path;
}

void tor_config_override(struct tor_config *config, const char *const *overrides, int count) {
  for (int i = 0; i < count; i++) {
    const char *equals = strchr(overrides[i], '=');
    config->set[i] = normal_path(overrides[i], equals ? (size_t)(equals - overrides[i]) : strlen(overrides[i]));
    if (!equals) {
      tor_config_set_fault(config, i, "need " TOR_NEEDED("path=value, such as --set grid.order=4"));
      continue;
    }
    config_t tree;
    const char *value = equals + 1 + strspn(equals + 1, " \t");
    if (read_value(config, i, value, &tree)) put(config, i, config_setting_get_elem(config_root_setting(&tree), 0));
    config_destroy(&tree);
  }
}
