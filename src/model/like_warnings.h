/* Warnings of which a job may have many alike: the first one is written, with the number and the first names of those
 * after it. */
#ifndef TOR_SRC_MODEL_LIKE_WARNINGS_H
#define TOR_SRC_MODEL_LIKE_WARNINGS_H

#include "src/base/error.h"

/* Begin with zeros. */
struct tor_like_warnings {
  int count; /* of different names */
  char first[1024], key[96];
  struct tor_place place; /* of the first, with that key */
  char last_name[96], others[160];
};

/* A warning about a monitor or source by its place, with its name; printf style, with the marks of error.h. One name
 * counts once. The place's file must outlive the warnings. */
void tor_like_warnings_add(struct tor_like_warnings *warnings, const struct tor_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* One line of the log, or none: a warning, a note. */
void tor_like_warnings_log(const struct tor_like_warnings *warnings);
void tor_like_warnings_note(const struct tor_like_warnings *warnings);

#endif
