/* A reader of libconfig files described by a table of keys: the tree, getters with defaults, overrides, and faults with
 * their lines. It is independent of the keys' meaning: job files (src/job/job_keys.h) and machine files
 * (src/predict/machine_file.h) supply their tables. */
#ifndef TOR_IO_CONFIG_CONFIG_H
#define TOR_IO_CONFIG_CONFIG_H

#include <libconfig.h>

#include "src/base/error.h"

struct tor_config_entry {
  long rank; /* line in the file; overrides after all lines */
  int order; /* in which it was found */
  struct tor_fault fault;
};

struct tor_key_table;

/* Set path, table, axes and, with overrides, nset and set; the unit when it is known; all else starts as zeros. */
struct tor_config {
  const char *path;
  const struct tor_key_table *table;
  config_t tree;
  int nset;
  char **set;             /* [nset], paths of the overrides as objects[0].radius */
  double unit, per_metre; /* of lengths [m], and its reciprocal */
  const char *unit_name;
  int axes; /* of positions: 3, or 2 */
  int nfault;
  size_t fault_capacity;
  struct tor_config_entry *fault;
};

/* Type of a key's value. Lengths are scaled to metres when they are read. */
enum tor_key_kind {
  TOR_KEY_NUMBER,
  TOR_KEY_LENGTH,
  TOR_KEY_INTEGER, /* with words: one of these numbers */
  TOR_KEY_BOOL,
  TOR_KEY_TEXT,
  TOR_KEY_NAME, /* a text that can name a file */
  TOR_KEY_MEDIUM,
  TOR_KEY_WORD,  /* one of words */
  TOR_KEY_WORDS, /* a list of them */
  TOR_KEY_NUMBER_OR_WORD,
  TOR_KEY_LENGTH3,
  TOR_KEY_NUMBER_OR_3,
  TOR_KEY_NUMBER_OR_AXES, /* or one for each axis that positions have */
  TOR_KEY_LENGTH_OR_3,
  TOR_KEY_NUMBERS,
  TOR_KEY_INTEGER2,      /* a list of two whole numbers */
  TOR_KEY_WAVELENGTHS,   /* a list of lengths, or a group */
  TOR_KEY_PAIRS,         /* a list of pairs of lengths */
  TOR_KEY_CORNERS,       /* a list of words and of positions without unit */
  TOR_KEY_WORD_OR_GROUP, /* one of words, or a group */
  TOR_KEY_GROUP,
  TOR_KEY_LIST /* of groups */
};

enum { TOR_KEY_ABOVE = 1, TOR_KEY_BELOW = 2, TOR_KEY_REQUIRED = 4 };

struct tor_key {
  const char *path; /* objects[].radius */
  const char *of;   /* values of the group's `type` that take it; NULL: all */
  enum tor_key_kind kind;
  double lo, hi;        /* range of each number */
  int flags;            /* ABOVE, BELOW: lo, hi themselves are not allowed */
  const char *words;    /* separated by blanks */
  const char *fallback; /* default as text; NULL: none, or one that depends on other keys */
  const char *instead;  /* name of the key of the same group in whose place it stands, or NULL */
  const char *unit;     /* of the value, NULL: none; TOR_KEY_LENGTHS are in the file's unit */
  const char *computed; /* the default as text where fallback cannot express it or its meaning, or NULL */
  const char *help;     /* one sentence */
  const char *members;  /* list: prefix of the keys of its groups where they are those of another list, else NULL */
};

struct tor_key_table {
  const struct tor_key *keys; /* groups before their members */
  int count;
  const char *root;                 /* name of the group of keys outside of all groups */
  const char *word_group;           /* path with the rows of all keys of kind WORD_OR_GROUP, or NULL */
  const char *const (*synonyms)[2]; /* pairs of a synonym and the word; ends with NULL; or NULL */
  /* A hint that is added to the fault of a wrong text, or NULL. With key NULL, of the unknown key `text`: it stands in
   * place of the nearest known one. */
  const char *(*hint)(const struct tor_key *key, const char *text);
};

/* --- config_keys.c --- */
/* The table's row for a key of a group; prefix "objects[].", "" for the root; type NULL fits all. */
const struct tor_key *tor_key_find(const struct tor_key_table *table, const char *prefix, const char *name,
                                   const char *type);
/* The prefix of the keys in a group, or in the groups of a list, that is the value of a key. */
void tor_key_inside(const struct tor_key_table *table, const struct tor_key *key, char *prefix, size_t size);
/* Walks the rows of a group: start with *i = 0, NULL after the last. */
const struct tor_key *tor_key_next(const struct tor_key_table *table, const char *prefix, const char *type, int *i);
/* A suggestion for a key that is not valid in such a group: `nearest known key: a`, or, where none is near, `known
 * keys: a, b`. */
void tor_key_suggest(const struct tor_key_table *table, const char *prefix, const char *name, const char *type,
                     char *buffer, size_t size);
/* Distance of a word to a known one: shortest where it is a prefix, then where it is a synonym, then the edit distance.
 */
int tor_word_distance(const struct tor_key_table *table, const char *word, const char *known);
/* Whether a third of the word's letters at most are wrong, or it is a synonym. */
int tor_word_is_near(const struct tor_key_table *table, const char *word, const char *known);
int tor_word_index(const char *words, const char *word);
/* `"a", "b" or "c"` for words "a b c". */
void tor_words_print(const char *words, char *buffer, size_t size);

/* The unit of a key's value: "length_unit" for lengths; NULL: none. */
const char *tor_key_unit(const struct tor_key *key);

/* --- config_check.c --- */
/* Walks the tree: unknown keys, wrong kinds, ranges, missing keys. Settings with faults are marked and read as missing
 * later. */
void tor_config_check(struct tor_config *config);
void tor_config_describe(const config_setting_t *setting, char *buffer, size_t size);

/* --- config_text.c --- */
/* Makes config->tree, to be destroyed by the caller, from the file config->path; false with a fault when that fails. */
int tor_config_open(struct tor_config *config);
/* Marks a file in UTF-8 at its beginning. */
#define TOR_BYTE_ORDER_MARK "\xef\xbb\xbf"
/* A file as text, owned by the caller; NULL with `why` when that fails. */
char *tor_config_read_file(const char *path, const char **why);
/* The whole file as text, translated for libconfig; NULL with a fault. */
char *tor_config_slurp(struct tor_config *config);
/* Whole numbers get the suffix or the form that keeps their value, [..] becomes (..) so that it may contain both 1 and
 * 1.5. */
char *tor_config_translate(const char *text);

/* --- config_set.c --- */
/* set: [nset] of the config, to be freed by the caller. */
void tor_config_override(struct tor_config *config, const char *const *overrides, int count);

/* --- config_fault.c --- */
/* A fault at a setting, or at its key `child` (may be "box.lo") when that is missing. */
void tor_config_fault(struct tor_config *config, const config_setting_t *at, const char *child, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A fault of an override as such, and one of the file or one of its lines (0: the whole file). */
void tor_config_set_fault(struct tor_config *config, int override, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tor_config_file_fault(struct tor_config *config, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The place of a setting (NULL: the file), whose key is `key`. It refers to the config and the key. */
struct tor_place tor_config_place(const struct tor_config *config, const config_setting_t *at, const char *key);
/* Moves all faults, sorted, to the caller's list, and frees the reader's own list. */
void tor_config_give_faults(struct tor_config *config, struct tor_faults *faults);
/* Marks of a setting: which override made it (-1: none), whether its value is bad. */
int tor_mark_override(const config_setting_t *setting);
void tor_mark_set_override(config_setting_t *setting, int override);
int tor_mark_bad(const config_setting_t *setting);
void tor_mark_set_bad(config_setting_t *setting);
void tor_setting_path(const config_setting_t *setting, char *buffer, size_t size);

/* --- config_get.c --- */
/* A group with its rows of the table. Getters return the value, else the default; a bad value counts as missing. */
struct tor_view {
  struct tor_config *config;
  const config_setting_t *group; /* NULL: the group is missing, all defaults */
  const char *prefix, *type;
};
struct tor_view tor_view_of(struct tor_config *config, const config_setting_t *group, const char *prefix);
struct tor_view tor_view_child(const struct tor_view *view, const char *name, const char *prefix);
const config_setting_t *tor_get(const struct tor_view *view, const char *name);   /* NULL: missing or bad */
int tor_get_number(const struct tor_view *view, const char *name, double *value); /* false, NAN: none */
double tor_get_double(const struct tor_view *view, const char *name);
int tor_get_int(const struct tor_view *view, const char *name);
int tor_get_word(const struct tor_view *view, const char *name); /* index into the row's words, -1: none */
const char *tor_get_text(const struct tor_view *view, const char *name);
int tor_get_bool(const struct tor_view *view, const char *name);
/* false, value kept: none. Of positions with two axes the third is 0. */
int tor_get_vector(const struct tor_view *view, const char *name, double value[3]);
double *tor_get_list(const struct tor_view *view, const char *name, int *count); /* owned by the caller */
int tor_get_length(const struct tor_view *view, const char *name);               /* elements of a list, 0: none */

#endif
