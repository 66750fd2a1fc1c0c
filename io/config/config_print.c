/* Prints tables of keys: see config_print.h. */
#include "io/config/config_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"

enum { COLUMNS = 120, TEXT = 512 };

/* Names of enum tor_key_kind for programs. */
static const char *const kind_names[] = {
    "number",      "length",         "integer", "bool",          "text",           "name",        "medium",  "word",
    "words",       "number_or_word", "length3", "number_or_3",   "number_or_axes", "length_or_3", "numbers", "integer2",
    "wavelengths", "pairs",          "corners", "word_or_group", "group",          "list"};
_Static_assert(sizeof kind_names / sizeof *kind_names == TOR_KEY_LIST + 1, "a name for each kind");

/* Names of enum tor_key_kind for people. */
static const char *const kind_words[] = {"number",
                                         "length",
                                         "whole number",
                                         "true or false",
                                         "text",
                                         "name",
                                         "medium",
                                         "one of",
                                         "list of",
                                         "word or number",
                                         "3 lengths (in 2-D 2)",
                                         "number, or 3",
                                         "number, or 3 (in 2-D 2)",
                                         "length, or 3 (in 2-D 2)",
                                         "list of numbers",
                                         "2 whole numbers",
                                         "list of lengths, or group",
                                         "list of pairs of lengths",
                                         "list of vectors and of",
                                         "group, or one of",
                                         "group",
                                         "list of groups"};
_Static_assert(sizeof kind_words / sizeof *kind_words == TOR_KEY_LIST + 1, "words for each kind");

/* --- Parts of a key --- */

static int is_number_kind(enum tor_key_kind kind) {
  return kind == TOR_KEY_NUMBER || kind == TOR_KEY_NUMBER_OR_WORD || kind == TOR_KEY_LENGTH ||
         kind == TOR_KEY_INTEGER || kind == TOR_KEY_LENGTH3 || kind == TOR_KEY_NUMBER_OR_3 ||
         kind == TOR_KEY_NUMBER_OR_AXES || kind == TOR_KEY_LENGTH_OR_3 || kind == TOR_KEY_NUMBERS ||
         kind == TOR_KEY_INTEGER2 || kind == TOR_KEY_WAVELENGTHS || kind == TOR_KEY_PAIRS;
}

/* The table has no range for pairs. */
static int has_range(const struct tor_key *key) {
  return is_number_kind(key->kind) && key->kind != TOR_KEY_PAIRS && (!isinf(key->lo) || !isinf(key->hi));
}

static size_t group_length(const struct tor_key *key) { return strcspn(key->path, ".["); }

static int stands_in_no_group(const struct tor_key *key) {
  return !key->path[group_length(key)] && key->kind != TOR_KEY_GROUP && key->kind != TOR_KEY_LIST;
}

static char *group_of(const struct tor_key_table *table, const struct tor_key *key) {
  char *name = tor_strdup(stands_in_no_group(key) ? table->root : key->path);
  name[strcspn(name, ".[")] = 0;
  return name;
}

static int is_in(const struct tor_key_table *table, const struct tor_key *key, const char *group) {
  char *own = group_of(table, key);
  int same = !group || !strcmp(own, group);
  free(own);
  return same;
}

char *tor_keys_group(const struct tor_key_table *table, int i) {
  int count = 0;
  for (int k = 0; k < table->count; k++) {
    char *name = group_of(table, &table->keys[k]);
    int is_first = 1;
    for (int j = 0; j < k && is_first; j++) is_first = !is_in(table, &table->keys[j], name);
    if (is_first && count++ == i) return name;
    free(name);
  }
  return NULL;
}

const char *tor_key_default_text(const struct tor_key *key) {
  if (key->computed) return key->computed;
  return key->fallback ? key->fallback : "";
}

/* An end of a range: 1e6, not 1e+06. */
static const char *end_text(double end, char buffer[32]) {
  snprintf(buffer, 32, "%g", end);
  char *e = strstr(buffer, "e+");
  if (e) memmove(e + 1, e + 2 + (e[2] == '0'), strlen(e + 2 + (e[2] == '0')) + 1);
  return buffer;
}

/* Allowed values of the key: "number above 0, up to 1", "one of fp32 fp64". */
static void value_text(const struct tor_key *key, const char *quote, char *buffer, size_t size) {
  size_t used = (size_t)snprintf(buffer, size, "%s", kind_words[key->kind]);
  if (key->words)
    used = (size_t)snprintf(buffer, size, "%s %s%s%s", key->kind == TOR_KEY_INTEGER ? "one of" : kind_words[key->kind],
                            quote, key->words, quote);
  if (key->kind == TOR_KEY_NUMBER_OR_WORD)
    used = (size_t)snprintf(buffer, size, "%s%s%s or number", quote, key->words, quote);
  if ((key->words && key->kind != TOR_KEY_NUMBER_OR_WORD) || !has_range(key)) return;
  const char *comma = strchr(kind_words[key->kind], ',') ? "," : "";
  char lo[32], hi[32];
  end_text(key->lo, lo);
  end_text(key->hi, hi);
  if (isinf(key->hi))
    snprintf(buffer + used, size - used, "%s %s %s", comma, key->flags & TOR_KEY_ABOVE ? "above" : "from", lo);
  else if (key->flags & TOR_KEY_ABOVE)
    snprintf(buffer + used, size - used, "%s above %s, up to %s", comma, lo, hi);
  else
    snprintf(buffer + used, size - used, "%s %s to %s%s", comma, lo, key->flags & TOR_KEY_BELOW ? "below " : "", hi);
}

static const char *default_or_needed(const struct tor_key *key) {
  if (key->flags & TOR_KEY_REQUIRED) return "needed";
  const char *text = tor_key_default_text(key);
  return *text ? text : key->fallback ? "empty" : "none";
}

/* Writes words in lines of at most COLUMNS, each after the first with the indent. */
static void wrap(const char *text, int indent, int column, FILE *out) {
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (column > indent && column + 1 + length > COLUMNS) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      putc(' ', out);
      column++;
    }
    fwrite(text, 1, (size_t)length, out);
    column += length;
    text += length;
    text += strspn(text, " ");
  }
  putc('\n', out);
}

/* --- For people --- */

int tor_keys_print(const struct tor_key_table *table, const char *group, FILE *out) {
  int count = 0;
  for (int i = 0; i < table->count; i++) {
    const struct tor_key *key = &table->keys[i];
    char value[TEXT], head[2 * TEXT];
    if (!is_in(table, key, group)) continue;
    const char *unit = tor_key_unit(key);
    value_text(key, "", value, sizeof value);
    fprintf(out, "%s%s", count++ ? "\n" : "", key->path);
    if (key->of) fprintf(out, "  (%s)", key->of);
    snprintf(head, sizeof head, "%s%s%s; %s%s", value, unit ? ", in " : "", unit ? unit : "",
             key->flags & TOR_KEY_REQUIRED ? "" : "default ", default_or_needed(key));
    fprintf(out, "\n    ");
    wrap(head, 4, 4, out);
    fprintf(out, "    ");
    wrap(key->help, 4, 4, out);
  }
  return count;
}

/* --- For pages --- */

/* A key's path within its group. */
static const char *path_in_group(const struct tor_key *key) {
  const char *path = key->path + group_length(key);
  if (!*path) return key->path;
  return path + strspn(path, "[].");
}

/* A cell of a table: no "<", which would begin a tag. */
static void escape(const char *text, char *to, size_t size) {
  size_t used = 0;
  for (; *text && used + 3 < size; text++) {
    if (*text == '<' || *text == '|') to[used++] = '\\';
    to[used++] = *text;
  }
  to[used] = 0;
}

/* Notes below a table, each text once. */
struct notes {
  char **text;
  int count;
  size_t capacity;
};

/* Replaces a cell's text by the number of a note that holds it. */
static void move_to_note(struct notes *notes, char *cell, size_t size) {
  int n = 0;
  while (n < notes->count && strcmp(notes->text[n], cell)) n++;
  if (n == notes->count) {
    notes->text = tor_grow(notes->text, (size_t)n + 1, &notes->capacity, sizeof *notes->text);
    notes->text[notes->count++] = tor_strdup(cell);
  }
  snprintf(cell, size, "note %d", n + 1);
}

/* A row; its meaning, then its value, then its types are moved to the notes when they make it too long. */
static void print_row(const struct tor_key *key, int with_types, struct notes *notes, FILE *out) {
  char value[TEXT], standard[TEXT], help[TEXT], types[TEXT] = "", text[5 * TEXT];
  char *const longest[] = {help, value, types};
  const char *unit = tor_key_unit(key);
  value_text(key, "`", value, sizeof value);
  if (unit && unit == key->unit) {
    size_t used = strlen(value);
    snprintf(value + used, sizeof value - used, " (%s)", unit);
  }
  escape(default_or_needed(key), standard, sizeof standard);
  escape(key->help, help, sizeof help);
  if (with_types && key->of) snprintf(types, sizeof types, "%s", key->of);
  for (int moved = 0;; moved++) {
    int length = snprintf(text, sizeof text, "| `%s` |%s%s%s %s | %s | %s |", path_in_group(key), with_types ? " " : "",
                          types, with_types ? " |" : "", value, standard, help);
    if (length <= COLUMNS || moved == (with_types ? 3 : 2)) break;
    move_to_note(notes, longest[moved], TEXT);
  }
  fprintf(out, "%s\n", text);
}

int tor_keys_markdown(const struct tor_key_table *table, const char *group, FILE *out) {
  struct notes notes = {0};
  int count = 0, with_types = 0;
  for (int i = 0; i < table->count; i++) with_types |= table->keys[i].of && is_in(table, &table->keys[i], group);
  fprintf(out, "| key |%s value | default | meaning |\n|---|%s---|---|---|\n", with_types ? " type |" : "",
          with_types ? "---|" : "");
  for (int i = 0; i < table->count; i++) {
    const struct tor_key *key = &table->keys[i];
    if (!is_in(table, key, group) || !strcmp(key->path, group)) continue;
    print_row(key, with_types, &notes, out);
    count++;
  }
  if (notes.count) fprintf(out, "\nNotes:\n\n");
  for (int n = 0; n < notes.count; n++) {
    int indent = fprintf(out, "%d. ", n + 1);
    wrap(notes.text[n], indent, indent, out);
    free(notes.text[n]);
  }
  free(notes.text);
  return count;
}

/* --- For programs --- */

static void json_text(const char *text, FILE *out) {
  if (!text) {
    fprintf(out, "null");
    return;
  }
  putc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putc('\\', out);
    putc(*text, out);
  }
  putc('"', out);
}

static void json_words(const char *words, FILE *out) {
  if (!words) {
    fprintf(out, "null");
    return;
  }
  putc('[', out);
  for (int first = 1; *words; first = 0) {
    int length = (int)strcspn(words, " ");
    fprintf(out, "%s\"%.*s\"", first ? "" : ", ", length, words);
    words += length;
    words += strspn(words, " ");
  }
  putc(']', out);
}

static void json_end(const char *name, double end, FILE *out) {
  if (isinf(end))
    fprintf(out, "\"%s\": null, ", name);
  else
    fprintf(out, "\"%s\": %.17g, ", name, end);
}

static void json_range(const struct tor_key *key, FILE *out) {
  if (!has_range(key)) {
    fprintf(out, "null");
    return;
  }
  putc('{', out);
  json_end("lo", key->lo, out);
  json_end("hi", key->hi, out);
  fprintf(out, "\"lo_excluded\": %s, \"hi_excluded\": %s}", key->flags & TOR_KEY_ABOVE ? "true" : "false",
          key->flags & TOR_KEY_BELOW ? "true" : "false");
}

/* The default as a value of the key's kind; vectors are given whole. */
static void json_default(const struct tor_key *key, FILE *out) {
  const char *text = key->fallback;
  if (!text)
    fprintf(out, "null");
  else if (key->kind == TOR_KEY_LENGTH3)
    fprintf(out, "[%s, %s, %s]", text, text, text);
  else if (key->kind == TOR_KEY_INTEGER2)
    fprintf(out, "[%s, %s]", text, text);
  else if (key->kind == TOR_KEY_BOOL || (is_number_kind(key->kind) && !(key->kind == TOR_KEY_NUMBER_OR_WORD &&
                                                                        tor_word_index(key->words, text) >= 0)))
    fprintf(out, "%s", text);
  else
    json_text(text, out);
}

int tor_keys_json(const struct tor_key_table *table, const char *group, FILE *out) {
  int count = 0;
  fprintf(out, "[");
  for (int i = 0; i < table->count; i++) {
    const struct tor_key *key = &table->keys[i];
    if (!is_in(table, key, group)) continue;
    fprintf(out, "%s\n  {\"path\": \"%s\", \"applies_to\": ", count++ ? "," : "", key->path);
    json_words(key->of, out);
    fprintf(out, ", \"kind\": \"%s\", \"range\": ", kind_names[key->kind]);
    json_range(key, out);
    fprintf(out, ", \"words\": ");
    json_words(key->words, out);
    fprintf(out, ",\n   \"unit\": ");
    json_text(tor_key_unit(key), out);
    fprintf(out, ", \"default\": ");
    json_default(key, out);
    fprintf(out, ", \"default_text\": ");
    json_text(key->computed, out);
    fprintf(out, ", \"instead_of\": ");
    json_text(key->instead, out);
    fprintf(out, ", \"required\": %s,\n   \"help\": ", key->flags & TOR_KEY_REQUIRED ? "true" : "false");
    json_text(key->help, out);
    fprintf(out, "}");
  }
  fprintf(out, "\n]\n");
  return count;
}
