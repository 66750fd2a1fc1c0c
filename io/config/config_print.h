/* Prints tables of keys for people and programs: `torre keys` and the tables of the documentation. */
#ifndef TOR_IO_CONFIG_CONFIG_PRINT_H
#define TOR_IO_CONFIG_CONFIG_PRINT_H

#include <stdio.h>

#include "io/config/config.h"

/* The name of the i-th group in the order of the table, NULL after the last. Keys outside of all groups are in the
 * group table->root. Owned by the caller. */
char *tor_keys_group(const struct tor_key_table *table, int i);
/* Two or more lines a key. group NULL: all keys. Returns how many keys there were. */
int tor_keys_print(const struct tor_key_table *table, const char *group, FILE *out);
/* A table of a group (not NULL) for a page; text that would make a row longer than 120 columns is moved to notes below
 * it. */
int tor_keys_markdown(const struct tor_key_table *table, const char *group, FILE *out);
/* An array of objects in the order of the table: path, applies_to (array or null), kind, range (null, or lo, hi,
 * lo_excluded, hi_excluded, with null for no end), words (array or null), unit, default, default_text, help, required.
 */
int tor_keys_json(const struct tor_key_table *table, const char *group, FILE *out);
/* The default of a key as text: the computed one, else the plain one; "" when the key is required or has none. */
const char *tor_key_default_text(const struct tor_key *key);

#endif
