/* Checks the tree of a file against the table of keys: unknown and missing keys, kinds, ranges. */
#include <ctype.h>
#include <libconfig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"

static int is_number(const config_setting_t *s) {
  int type = config_setting_type(s);
  return type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64 || type == CONFIG_TYPE_FLOAT;
}

static void quote(const char *text, char *buffer, size_t size) {
  size_t used = 0;
  buffer[used++] = '"';
  for (int i = 0; text[i] && used + 8 < size; i++) {
    if (i == 60) {
      used += (size_t)snprintf(buffer + used, size - used, "...");
      break;
    }
    if (text[i] == '\n' || iscntrl((unsigned char)text[i]))
      used += (size_t)snprintf(buffer + used, size - used, "\\x%02x", (unsigned)(unsigned char)text[i]);
    else
      buffer[used++] = text[i];
  }
  buffer[used++] = '"';
  buffer[used] = 0;
}

void tor_config_describe(const config_setting_t *s, char *buffer, size_t size) {
  int count;
  switch (config_setting_type(s)) {
  case CONFIG_TYPE_INT:
  case CONFIG_TYPE_INT64: snprintf(buffer, size, "%lld", config_setting_get_int64(s)); return;
  case CONFIG_TYPE_FLOAT: snprintf(buffer, size, "%.10g", config_setting_get_float(s)); return;
  case CONFIG_TYPE_BOOL: snprintf(buffer, size, "%s", config_setting_get_bool(s) ? "true" : "false"); return;
  case CONFIG_TYPE_STRING: quote(config_setting_get_string(s), buffer, size); return;
  case CONFIG_TYPE_GROUP: snprintf(buffer, size, "a group"); return;
  default: break; /* a list or an array */
  }
  count = config_setting_length(s);
  size_t used = (size_t)snprintf(buffer, size, "[");
  for (int i = 0; i < count; i++) {
    const config_setting_t *item = config_setting_get_elem(s, (unsigned)i);
    if (count > 6 || config_setting_is_aggregate(item) || used + 40 > size) {
      snprintf(buffer, size, "a list of %d", count);
      return;
    }
    char word[96];
    tor_config_describe(item, word, sizeof word);
    used += (size_t)snprintf(buffer + used, size - used, "%s%.36s", i ? ", " : "", word);
  }
  snprintf(buffer + used, size - used, "]");
}

/* Elements of a list of pairs. */
static int least_pairs(const struct tor_key *key) { return key->lo > 0 ? (int)key->lo : 3; }

/* The value that a key needs, as text. */
static void print_need(const struct tor_config *config, const struct tor_key *key, char *buffer, size_t size) {
  char words[256] = "", range[96] = "";
  if (key->words) tor_words_print(key->words, words, sizeof words);
  int low = !isinf(key->lo), high = !isinf(key->hi);
  if (low && high)
    snprintf(range, sizeof range,
             key->flags & TOR_KEY_ABOVE   ? " above %g, up to %g"
             : key->flags & TOR_KEY_BELOW ? " from %g to below %g"
                                          : " from %g to %g",
             key->lo, key->hi);
  else if (low)
    snprintf(range, sizeof range, key->flags & TOR_KEY_ABOVE ? " above %g" : " of at least %g", key->lo);
  const char *unit = config->unit_name, *axes = config->axes == 2 ? "[x, y] (the job is 2-D)" : "[x, y, z]";
  switch (key->kind) {
  case TOR_KEY_NUMBER: snprintf(buffer, size, "a number%s", range); break;
  case TOR_KEY_LENGTH: snprintf(buffer, size, "a number in %s%s", unit, range); break;
  case TOR_KEY_INTEGER:
    if (key->words)
      snprintf(buffer, size, "one of the numbers %s", key->words);
    else
      snprintf(buffer, size, "a whole number%s", range);
    break;
  case TOR_KEY_BOOL: snprintf(buffer, size, "true or false"); break;
  case TOR_KEY_TEXT: snprintf(buffer, size, "a text in quotes%s", key->fallback ? "" : ", not empty"); break;
  case TOR_KEY_NAME:
    snprintf(buffer, size, "a name in quotes: letters, digits, \"-\", \"_\", \".\", at most 64, not \".\" first");
    break;
  case TOR_KEY_MEDIUM: snprintf(buffer, size, "the name of a medium in quotes"); break;
  case TOR_KEY_WORD: snprintf(buffer, size, "%s", words); break;
  case TOR_KEY_WORDS: snprintf(buffer, size, "a list of %s, none twice", words); break;
  case TOR_KEY_NUMBER_OR_WORD: snprintf(buffer, size, "a number%s, or %s", range, words); break;
  case TOR_KEY_LENGTH3: snprintf(buffer, size, "%s in %s%s%s", axes, unit, *range ? ", each" : "", range); break;
  case TOR_KEY_NUMBER_OR_AXES: snprintf(buffer, size, "a number%s, or %s of them", range, axes); break;
  case TOR_KEY_NUMBER_OR_3: snprintf(buffer, size, "a number%s, or [x, y, z] of them", range); break;
  case TOR_KEY_LENGTH_OR_3: snprintf(buffer, size, "a number in %s%s, or %s of them", unit, range, axes); break;
  case TOR_KEY_INTEGER2: snprintf(buffer, size, "a list of two whole numbers%s", range); break;
  case TOR_KEY_NUMBERS: snprintf(buffer, size, "a list of numbers%s", range); break;
  case TOR_KEY_WAVELENGTHS:
    snprintf(buffer, size, "a list of numbers in %s%s, or { from = ...; to = ...; count = ...; }", unit, range);
    break;
  case TOR_KEY_PAIRS: snprintf(buffer, size, "a list of %d or more pairs [a, b] in %s", least_pairs(key), unit); break;
  case TOR_KEY_CORNERS: snprintf(buffer, size, "a list of %s or numbers %s", words, axes); break;
  case TOR_KEY_WORD_OR_GROUP: snprintf(buffer, size, "%s, or a group with a type", words); break;
  case TOR_KEY_GROUP: snprintf(buffer, size, "a group { ... }"); break;
  case TOR_KEY_LIST: snprintf(buffer, size, "a list of groups ( { ... }, { ... } )"); break;
  }
}

static int good_number(const struct tor_key *key, const config_setting_t *s) {
  if (!is_number(s)) return 0;
  double v = config_setting_get_float(s);
  if (!isfinite(v) || v < key->lo || v > key->hi) return 0;
  return !((key->flags & TOR_KEY_ABOVE) && v <= key->lo) && !((key->flags & TOR_KEY_BELOW) && v >= key->hi);
}

/* A list of numbers with least .. most elements. */
static int good_numbers(const struct tor_key *key, const config_setting_t *s, int least, int most) {
  if (!config_setting_is_list(s) && !config_setting_is_array(s)) return 0;
  int count = config_setting_length(s);
  for (int i = 0; i < count; i++)
    if (!good_number(key, config_setting_get_elem(s, (unsigned)i))) return 0;
  return count >= least && (most == 0 || count <= most);
}

static int good_pairs(const struct tor_key *key, const config_setting_t *s) {
  static const struct tor_key number = {.path = "", .kind = TOR_KEY_LENGTH, .lo = -INFINITY, .hi = INFINITY};
  if (!config_setting_is_list(s)) return 0;
  int count = config_setting_length(s);
  for (int i = 0; i < count; i++)
    if (!good_numbers(&number, config_setting_get_elem(s, (unsigned)i), 2, 2)) return 0;
  return count >= least_pairs(key);
}

static int good_corners(const struct tor_key *key, const config_setting_t *s, int axes) {
  int count = config_setting_is_list(s) || config_setting_is_array(s) ? config_setting_length(s) : 0;
  for (int i = 0; i < count; i++) {
    const config_setting_t *at = config_setting_get_elem(s, (unsigned)i);
    const char *word = config_setting_get_string(at);
    if (word ? tor_word_index(key->words, word) < 0 : !good_numbers(key, at, axes, axes)) return 0;
  }
  return count > 0;
}

static int good_integer(const struct tor_key *key, const config_setting_t *s) {
  char digits[32];
  if (!good_number(key, s) || config_setting_get_float(s) != floor(config_setting_get_float(s))) return 0;
  snprintf(digits, sizeof digits, "%.0f", config_setting_get_float(s));
  return !key->words || tor_word_index(key->words, digits) >= 0;
}

static int good_name(const char *name) {
  size_t n = strlen(name);
  if (n < 1 || n > 64 || *name == '.') return 0;
  for (; *name; name++)
    if (!(isalnum((unsigned char)*name) && (unsigned char)*name < 128) && !strchr("-_.", *name)) return 0;
  return 1;
}

static int good_words(const struct tor_key *key, const config_setting_t *s) {
  unsigned seen = 0;
  int count = config_setting_is_list(s) || config_setting_is_array(s) ? config_setting_length(s) : 0;
  for (int i = 0; i < count; i++) {
    const char *word = config_setting_get_string_elem(s, i);
    int at = word ? tor_word_index(key->words, word) : -1;
    if (at < 0 || (seen & 1u << at)) return 0;
    seen |= 1u << at;
  }
  return count > 0;
}

static int good_value(const struct tor_config *config, const struct tor_key *key, const config_setting_t *s) {
  const char *text = config_setting_type(s) == CONFIG_TYPE_STRING ? config_setting_get_string(s) : NULL;
  switch (key->kind) {
  case TOR_KEY_NUMBER:
  case TOR_KEY_LENGTH: return good_number(key, s);
  case TOR_KEY_INTEGER: return good_integer(key, s);
  case TOR_KEY_BOOL: return config_setting_type(s) == CONFIG_TYPE_BOOL;
  case TOR_KEY_TEXT: return text && (*text || (key->fallback && !*key->fallback));
  case TOR_KEY_NAME: return text && good_name(text);
  case TOR_KEY_MEDIUM: return text && *text;
  case TOR_KEY_WORD: return text && tor_word_index(key->words, text) >= 0;
  case TOR_KEY_WORDS: return good_words(key, s);
  case TOR_KEY_NUMBER_OR_WORD: return good_number(key, s) || (text && tor_word_index(key->words, text) >= 0);
  case TOR_KEY_LENGTH3: return good_numbers(key, s, config->axes, config->axes);
  case TOR_KEY_NUMBER_OR_3: return good_number(key, s) || good_numbers(key, s, 3, 3);
  case TOR_KEY_NUMBER_OR_AXES:
  case TOR_KEY_LENGTH_OR_3: return good_number(key, s) || good_numbers(key, s, config->axes, config->axes);
  case TOR_KEY_INTEGER2:
    return good_numbers(key, s, 2, 2) && good_integer(key, config_setting_get_elem(s, 0)) &&
           good_integer(key, config_setting_get_elem(s, 1));
  case TOR_KEY_NUMBERS: return good_number(key, s) || good_numbers(key, s, 1, 0);
  case TOR_KEY_WAVELENGTHS: return config_setting_is_group(s) || good_number(key, s) || good_numbers(key, s, 1, 100000);
  case TOR_KEY_PAIRS: return good_pairs(key, s);
  case TOR_KEY_CORNERS: return good_corners(key, s, config->axes);
  case TOR_KEY_WORD_OR_GROUP: return config_setting_is_group(s) || (text && tor_word_index(key->words, text) >= 0);
  case TOR_KEY_GROUP: return config_setting_is_group(s);
  case TOR_KEY_LIST: return config_setting_is_list(s);
  }
  return 0;
}

static void check_group(struct tor_config *config, config_setting_t *group, const config_setting_t *parent,
                        const char *below, const char *prefix);

static void check_list(struct tor_config *config, config_setting_t *list, const char *prefix) {
  char got[256];
  for (int i = 0; i < config_setting_length(list); i++) {
    config_setting_t *item = config_setting_get_elem(list, (unsigned)i);
    if (config_setting_is_group(item)) {
      check_group(config, item, NULL, NULL, prefix);
      continue;
    }
    tor_config_describe(item, got, sizeof got);
    tor_config_fault(config, item, NULL, "got " TOR_FOUND("%s") ", need " TOR_NEEDED("a group { ... }"), got);
    tor_mark_set_bad(item);
  }
}

static void check_member(struct tor_config *config, config_setting_t *s, const char *prefix, const char *type) {
  const char *name = config_setting_name(s);
  const struct tor_key *key = tor_key_find(config->table, prefix, name, type);
  char got[256], need[512], inner[128];
  if (!key) {
    const char *hint = config->table->hint ? config->table->hint(NULL, name) : NULL;
    tor_key_suggest(config->table, prefix, name, type, need, sizeof need);
    if (hint && !tor_key_find(config->table, prefix, name, NULL))
      tor_config_fault(config, s, NULL, "unknown key%s", hint);
    else if (tor_key_find(config->table, prefix, name, NULL))
      tor_config_fault(config, s, NULL, "not a key of type \"%s\"; %s", type, need);
    else
      tor_config_fault(config, s, NULL, "unknown key; %s", need);
    tor_mark_set_bad(s);
    return;
  }
  if (!good_value(config, key, s)) {
    const char *text = config_setting_type(s) == CONFIG_TYPE_STRING ? config_setting_get_string(s) : NULL;
    const char *hint = text && config->table->hint ? config->table->hint(key, text) : NULL;
    tor_config_describe(s, got, sizeof got);
    print_need(config, key, need, sizeof need);
    tor_config_fault(config, s, NULL, "got " TOR_FOUND("%s") ", need " TOR_NEEDED("%s%s"), got, need, hint ? hint : "");
    tor_mark_set_bad(s);
    return;
  }
  tor_key_inside(config->table, key, inner, sizeof inner);
  if (key->kind == TOR_KEY_LIST)
    check_list(config, s, inner);
  else if (config_setting_is_group(s))
    check_group(config, s, NULL, NULL, inner);
}

/* Checks members of a group, and for missing ones. group NULL: the group `below` of `parent` is missing as a whole. */
static void check_group(struct tor_config *config, config_setting_t *group, const config_setting_t *parent,
                        const char *below, const char *prefix) {
  const struct tor_key *type_key = tor_key_find(config->table, prefix, "type", NULL);
  const char *type = NULL;
  if (type_key && group && config_setting_lookup_string(group, "type", &type) &&
      tor_word_index(type_key->words, type) < 0)
    type = NULL;
  int type_unknown = type_key && !type, i = 0;
  for (int m = 0; group && m < config_setting_length(group); m++)
    check_member(config, config_setting_get_elem(group, (unsigned)m), prefix, type);
  for (const struct tor_key *key; (key = tor_key_next(config->table, prefix, type, &i));) {
    const char *name = key->path + strlen(prefix);
    if (!(key->flags & TOR_KEY_REQUIRED) || (group && config_setting_get_member(group, name)) ||
        (type_unknown && key->of))
      continue;
    char child[128], inner[128], need[512];
    snprintf(child, sizeof child, "%s%s%s", below ? below : "", below ? "." : "", name);
    snprintf(inner, sizeof inner, "%s.", key->path);
    const config_setting_t *at = group ? group : parent;
    if (key->kind == TOR_KEY_GROUP) {
      check_group(config, NULL, at, child, inner);
    } else {
      print_need(config, key, need, sizeof need);
      tor_config_fault(config, at, child, "missing, need " TOR_NEEDED("%s"), need);
    }
  }
}

void tor_config_check(struct tor_config *config) {
  check_group(config, config_root_setting(&config->tree), NULL, NULL, "");
}
