/* Warnings of which a job may have many alike: see like_warnings.h. */
#include "src/model/like_warnings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/files/log.h"
#include "src/base/error.h"

enum { NAMED = 3 }; /* names of the others */

void tor_like_warnings_add(struct tor_like_warnings *w, const struct tor_place *place, const char *format, ...) {
  const char *name = place->name;
  va_list args;
  if (w->count && !strcmp(w->last_name, name)) return;
  snprintf(w->last_name, sizeof w->last_name, "%s", name);
  if (!w->count++) {
    va_start(args, format);
    vsnprintf(w->first, sizeof w->first, format, args);
    va_end(args);
    snprintf(w->key, sizeof w->key, "%s", place->key);
    w->place = (struct tor_place){.file = place->file, .line = place->line, .key = w->key};
  } else if (w->count <= 1 + NAMED) {
    const size_t used = strlen(w->others);
    snprintf(w->others + used, sizeof w->others - used, "%s %.40s", used ? "," : "", name);
  }
}

static const char *line_of(const struct tor_like_warnings *w, char *line, size_t size) {
  if (w->count > 1)
    snprintf(line, size, "%s; %d more like it:%s%s", w->first, w->count - 1, w->others,
             w->count > 1 + NAMED ? ", ..." : "");
  else
    snprintf(line, size, "%s", w->first);
  return line;
}

void tor_like_warnings_log(const struct tor_like_warnings *w) {
  char line[sizeof w->first + sizeof w->others + 64];
  if (w->count) tor_log_warning_at(&w->place, "%s", line_of(w, line, sizeof line));
}

void tor_like_warnings_note(const struct tor_like_warnings *w) {
  char line[sizeof w->first + sizeof w->others + 64];
  if (w->count) tor_log_note_at(&w->place, "%s", line_of(w, line, sizeof line));
}
