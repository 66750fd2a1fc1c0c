/* Tables of time and value given by a source of a job file. */
#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

/* One line of a table: 1 with two numbers, 0 when it is blank or a comment, -1 when it is neither. */
static int table_line(const char *s, double *time, double *value) {
  char *end;
  s += strspn(s, " \t\r");
  if (!*s || *s == '#') return 0;
  *time = strtod(s, &end);
  if (end == s) return -1;
  s = end + strspn(end, " \t,;");
  if (s == end) return -1;
  *value = strtod(s, &end);
  if (end == s || !isfinite(*time) || !isfinite(*value)) return -1;
  end += strspn(end, " \t\r");
  return *end && *end != '#' ? -1 : 1;
}

char *tor_job_path_of(const struct tor_config *config, const char *file) {
  const char *slash = strrchr(config->path, '/');
  const size_t length = strlen(file), folder = *file != '/' && slash ? (size_t)(slash + 1 - config->path) : 0;
  char *path = tor_alloc(folder + length + 1, 1, "path of a table");
  memcpy(path, config->path, folder);
  memcpy(path + folder, file, length + 1);
  return path;
}

void tor_job_read_table(struct tor_config *config, const config_setting_t *at, struct tor_profile *profile) {
  const char *why;
  size_t nt = 0, nv = 0;
  char *path = tor_job_path_of(config, profile->file);
  char *text = tor_config_read_file(path, &why);
  if (!text) tor_config_fault(config, at, NULL, "\"%s\" cannot be read: %s", profile->file, why);
  int line = 1, good = text != NULL;
  for (char *s = text && !strncmp(text, TOR_BYTE_ORDER_MARK, strlen(TOR_BYTE_ORDER_MARK))
                     ? text + strlen(TOR_BYTE_ORDER_MARK)
                     : text,
            *next;
       s && good; s = next, line++) {
    next = strchr(s, '\n');
    if (next) *next++ = 0;
    double t = 0, v = 0;
    int got = table_line(s, &t, &v);
    good = got >= 0;
    if (!good) /* Without the text: the author of the job may lack permission to read that file. */
      tor_config_fault(config, at, NULL,
                       "%s:%d: got " TOR_FOUND("something else") ", need " TOR_NEEDED("two numbers: time in fs, value"),
                       profile->file, line);
    if (got <= 0) continue;
    t *= TOR_FS;
    if (profile->count && t <= profile->time[profile->count - 1]) {
      good = 0;
      tor_config_fault(config, at, NULL, "%s:%d: times must increase", profile->file, line);
    }
    profile->time = tor_grow(profile->time, (size_t)profile->count + 1, &nt, sizeof *profile->time);
    profile->value = tor_grow(profile->value, (size_t)profile->count + 1, &nv, sizeof *profile->value);
    profile->time[profile->count] = t;
    profile->value[profile->count++] = v;
  }
  if (good && profile->count < 2)
    tor_config_fault(config, at, NULL, "\"%s\" has %d lines of numbers, need " TOR_NEEDED("at least 2"), profile->file,
                     profile->count);
  free(text);
  free(path);
}
