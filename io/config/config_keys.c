/* Walks tables of keys, and finds the word that was meant. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/config/config.h"

int tor_word_index(const char *words, const char *word) {
  size_t n = strlen(word);
  for (int i = 0; n && words && *words; i++) {
    size_t length = strcspn(words, " ");
    if (length == n && !memcmp(words, word, n)) return i;
    words += length;
    words += *words == ' ';
  }
  return -1;
}

void tor_words_print(const char *words, char *buffer, size_t size) {
  size_t used = 0;
  buffer[0] = 0;
  for (int i = 0; *words && used < size; i++) {
    int length = (int)strcspn(words, " ");
    const char *next = words + length + (words[length] == ' ');
    used += (size_t)snprintf(buffer + used, size - used, "%s\"%.*s\"", !i ? "" : *next ? ", " : " or ", length, words);
    words = next;
  }
}

/* The key's name when the row belongs to the group, else NULL. */
static const char *name_in(const struct tor_key *key, const char *prefix) {
  size_t n = strlen(prefix);
  if (strncmp(key->path, prefix, n)) return NULL;
  return strpbrk(key->path + n, ".[") ? NULL : key->path + n;
}

static int fits(const struct tor_key *key, const char *type) {
  return !key->of || !type || tor_word_index(key->of, type) >= 0;
}

const struct tor_key *tor_key_find(const struct tor_key_table *table, const char *prefix, const char *name,
                                   const char *type) {
  for (int i = 0; i < table->count; i++) {
    const char *own = name_in(&table->keys[i], prefix);
    if (own && !strcmp(own, name) && fits(&table->keys[i], type)) return &table->keys[i];
  }
  return NULL;
}

void tor_key_inside(const struct tor_key_table *table, const struct tor_key *key, char *prefix, size_t size) {
  if (key->members)
    snprintf(prefix, size, "%s", key->members);
  else
    snprintf(prefix, size, "%s%s", key->kind == TOR_KEY_WORD_OR_GROUP ? table->word_group : key->path,
             key->kind == TOR_KEY_LIST ? "[]." : ".");
}

const struct tor_key *tor_key_next(const struct tor_key_table *table, const char *prefix, const char *type, int *i) {
  while (*i < table->count) {
    const struct tor_key *key = &table->keys[(*i)++];
    if (name_in(key, prefix) && fits(key, type)) return key;
  }
  return NULL;
}

const char *tor_key_unit(const struct tor_key *key) {
  switch (key->kind) {
  case TOR_KEY_LENGTH:
  case TOR_KEY_LENGTH3:
  case TOR_KEY_LENGTH_OR_3:
  case TOR_KEY_WAVELENGTHS:
  case TOR_KEY_PAIRS: return "length_unit";
  default: return key->unit;
  }
}

static int edit_distance(const char *a, const char *b) {
  enum { LONGEST = 64 };
  int row[LONGEST + 1];
  int na = (int)strnlen(a, LONGEST), nb = (int)strnlen(b, LONGEST);
  for (int j = 0; j <= nb; j++) row[j] = j;
  for (int i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int swap = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
      if (swap < row[j]) row[j] = swap;
    }
  }
  return row[nb];
}

enum { SYNONYM = 100, OTHER = 200 };

int tor_word_distance(const struct tor_key_table *table, const char *word, const char *known) {
  const size_t n = strlen(word);
  if (n > 1 && !strncasecmp(word, known, n)) return edit_distance(word, known);
  for (int i = 0; table->synonyms && table->synonyms[i][0]; i++)
    if (!strcasecmp(word, table->synonyms[i][0]) && !strcmp(known, table->synonyms[i][1])) return SYNONYM;
  return OTHER + edit_distance(word, known);
}

int tor_word_is_near(const struct tor_key_table *table, const char *word, const char *known) {
  return tor_word_distance(table, word, known) <= OTHER + ((int)strlen(word) + 2) / 3;
}

static void list_keys(const struct tor_key_table *table, const char *prefix, const char *type, char *buffer,
                      size_t size) {
  enum { MOST = 64 };
  const char *listed[MOST];
  int n = 0, i = 0;
  size_t used = (size_t)snprintf(buffer, size, "known keys:");
  for (const struct tor_key *key; (key = tor_key_next(table, prefix, type, &i)) && used < size;) {
    const char *own = name_in(key, prefix);
    int before = 0;
    while (before < n && strcmp(listed[before], own)) before++;
    if (before < n || n == MOST) continue;
    used += (size_t)snprintf(buffer + used, size - used, "%s %s", n ? "," : "", own);
    listed[n++] = own;
  }
}

void tor_key_suggest(const struct tor_key_table *table, const char *prefix, const char *name, const char *type,
                     char *buffer, size_t size) {
  const char *best = "";
  int least = 1000, i = 0;
  for (const struct tor_key *key; (key = tor_key_next(table, prefix, type, &i));) {
    const char *own = name_in(key, prefix);
    int distance = tor_word_distance(table, name, own);
    if (distance < least) {
      least = distance;
      best = own;
    }
  }
  if (*best && tor_word_is_near(table, name, best))
    snprintf(buffer, size, "nearest known key: %s", best);
  else
    list_keys(table, prefix, type, buffer, size);
}
