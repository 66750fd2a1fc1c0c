/* Faults of a file: each has its location, and all are reported in the order of the lines. */
#include <libconfig.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"

enum { OVERRIDE_RANK = INT_MAX / 2 };

/* The hook of a setting holds 2 * (override + 1) + bad. */
static uintptr_t mark(const config_setting_t *setting) { return (uintptr_t)config_setting_get_hook(setting); }

int tor_mark_override(const config_setting_t *setting) { return (int)(mark(setting) / 2) - 1; }

void tor_mark_set_override(config_setting_t *setting, int override) {
  config_setting_set_hook(setting, (void *)(uintptr_t)(2 * (override + 1)));
  if (!config_setting_is_aggregate(setting)) return;
  for (int i = 0; i < config_setting_length(setting); i++)
    tor_mark_set_override(config_setting_get_elem(setting, (unsigned)i), override);
}

int tor_mark_bad(const config_setting_t *setting) { return (int)(mark(setting) & 1); }

void tor_mark_set_bad(config_setting_t *setting) { config_setting_set_hook(setting, (void *)(mark(setting) | 1)); }

void tor_setting_path(const config_setting_t *setting, char *buffer, size_t size) {
  buffer[0] = 0;
  const config_setting_t *parent = config_setting_parent(setting);
  if (!parent) return;
  tor_setting_path(parent, buffer, size);
  size_t n = strlen(buffer);
  if (config_setting_name(setting))
    snprintf(buffer + n, size - n, "%s%s", n ? "." : "", config_setting_name(setting));
  else
    snprintf(buffer + n, size - n, "[%d]", config_setting_index(setting));
}

/* override: -1 for a place in the file. */
static void add(struct tor_config *config, int override, const struct tor_place *place, const char *format,
                va_list args) {
  const long rank = override >= 0 ? OVERRIDE_RANK + override : place->line;
  config->fault = tor_grow(config->fault, (size_t)config->nfault + 1, &config->fault_capacity, sizeof *config->fault);
  config->fault[config->nfault] = (struct tor_config_entry){rank, config->nfault, tor_fault_make(place, format, args)};
  config->nfault++;
}

struct tor_place tor_config_place(const struct tor_config *config, const config_setting_t *at, const char *key) {
  const int override = at ? tor_mark_override(at) : -1;
  if (override >= 0) return (struct tor_place){.key = key, .set = config->set[override]};
  return (struct tor_place){.file = config->path, .line = at ? (long)config_setting_source_line(at) : 0, .key = key};
}

void tor_config_fault(struct tor_config *config, const config_setting_t *at, const char *child, const char *format,
                      ...) {
  char key[512] = "";
  if (at) tor_setting_path(at, key, sizeof key);
  size_t n = strlen(key);
  if (child) snprintf(key + n, sizeof key - n, "%s%s", n ? "." : "", child);
  const struct tor_place place = tor_config_place(config, at, key);
  va_list args;
  va_start(args, format);
  add(config, at ? tor_mark_override(at) : -1, &place, format, args);
  va_end(args);
}

void tor_config_set_fault(struct tor_config *config, int override, const char *format, ...) {
  const struct tor_place place = {.key = config->set[override], .set = config->set[override]};
  va_list args;
  va_start(args, format);
  add(config, override, &place, format, args);
  va_end(args);
}

void tor_config_file_fault(struct tor_config *config, int line, const char *format, ...) {
  const struct tor_place place = {.file = config->path, .line = line};
  va_list args;
  va_start(args, format);
  add(config, -1, &place, format, args);
  va_end(args);
}

static int by_rank(const void *a, const void *b) {
  const struct tor_config_entry *x = a, *y = b;
  return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->order > y->order) - (x->order < y->order);
}

void tor_config_give_faults(struct tor_config *config, struct tor_faults *faults) {
  if (config->nfault) qsort(config->fault, (size_t)config->nfault, sizeof *config->fault, by_rank);
  for (int i = 0; i < config->nfault; i++) tor_fault_add(faults, config->fault[i].fault);
  free(config->fault);
}
