/* Reads and writes the figures of a device: see tuned_file.h. */
#include "src/schedule/tuned_file.h"

#include <errno.h>
#include <libconfig.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/files/folder.h"

static const double giga = 1e9;

/* A reader that remembers its first fault. */
struct reader {
  char *why;
  size_t size;
  int failed;
};

static void fault(struct reader *r, const char *key, const char *what) {
  if (!r->failed++) snprintf(r->why, r->size, "%s: %s", key, what);
}

static double read_number(struct reader *r, const config_setting_t *at, const char *key, double least, double most) {
  double value = NAN;
  if (config_setting_lookup_float(at, key, &value) != CONFIG_TRUE)
    fault(r, key, "missing");
  else if (!(value >= least && value <= most))
    fault(r, key, "outside what it can be");
  return value;
}

static void read_text(struct reader *r, const config_setting_t *at, const char *key, char *to, size_t size) {
  const char *text;
  if (config_setting_lookup_string(at, key, &text) != CONFIG_TRUE)
    fault(r, key, "missing");
  else if ((size_t)snprintf(to, size, "%s", text) >= size)
    fault(r, key, "too long");
}

static void read_rates(struct reader *r, const config_setting_t *at, const char *key, double least,
                       double rate[TOR_TUNED_CASES]) {
  const config_setting_t *list = config_setting_get_member(at, key);
  if (!list || config_setting_length(list) != TOR_TUNED_CASES) {
    fault(r, key, "needs a figure for each case");
    return;
  }
  for (int c = 0; c < TOR_TUNED_CASES; c++) {
    rate[c] = config_setting_get_float_elem(list, c) * giga;
    if (!(rate[c] >= least && rate[c] < 1e18)) fault(r, key, "outside what it can be");
  }
}

static void read_links(struct reader *r, const config_setting_t *root, double link[TOR_TUNED_LINKS]) {
  const config_setting_t *list = config_setting_get_member(root, "link_GB_per_s");
  if (!list || config_setting_length(list) != TOR_TUNED_LINKS) {
    fault(r, "link_GB_per_s", "needs a figure for each number of GPUs");
    return;
  }
  for (int i = 0; i < TOR_TUNED_LINKS; i++) {
    link[i] = config_setting_get_float_elem(list, i) * giga;
    if (!(link[i] >= 0 && link[i] < 1e18)) fault(r, "link_GB_per_s", "outside what it can be");
  }
}

static void read_kind(struct reader *r, const config_setting_t *at, int i, struct tor_tuned_kind *kind) {
  char precision[8] = "";
  kind->order = i < 2 ? 2 : 4;
  kind->precision = i % 2 ? TOR_F64 : TOR_F32;
  read_text(r, at, "precision", precision, sizeof precision);
  if (strcmp(precision, i % 2 ? "fp64" : "fp32")) fault(r, "precision", "out of order");
  read_number(r, at, "order", kind->order, kind->order);
  kind->th = (int)read_number(r, at, "th", 1, 1e6);
  kind->tile = read_number(r, at, "tile_kB", 0, 1e9) * 1e3;
  kind->layers = read_number(r, at, "layers", 0.01, 1);
  kind->poles = read_number(r, at, "poles", 0.01, 1);
  read_rates(r, at, "stepwise", 1, kind->stepwise);
  read_rates(r, at, "diamond", 0, kind->diamond);
  for (int c = 1; c < TOR_TUNED_CASES; c++)
    if (!kind->diamond[c] != !kind->diamond[0]) fault(r, "diamond", "outside what it can be");
}

static void read_all(struct reader *r, const config_setting_t *root, struct tor_tuned *t) {
  read_text(r, root, "version", t->version, sizeof t->version);
  read_text(r, root, "device", t->device, sizeof t->device);
  read_text(r, root, "driver", t->driver, sizeof t->driver);
  read_text(r, root, "date", t->date, sizeof t->date);
  t->threads = (int)read_number(r, root, "threads", 0, 1e6);
  t->copy = read_number(r, root, "copy_GB_per_s", 1e-3, 1e9) * giga;
  read_links(r, root, t->link);
  const config_setting_t *kinds = config_setting_get_member(root, "kinds");
  if (!kinds || config_setting_length(kinds) != TOR_TUNED_KINDS)
    fault(r, "kinds", "needs an entry for each order and precision");
  else
    for (int i = 0; i < TOR_TUNED_KINDS && !r->failed; i++)
      read_kind(r, config_setting_get_elem(kinds, (unsigned)i), i, &t->kind[i]);
}

int tor_tuned_read(const char *path, struct tor_tuned *tuned, char *why, size_t size) {
  struct reader r = {why, size, 0};
  FILE *f = fopen(path, "r");
  if (!f && (errno == ENOENT || errno == ENOTDIR)) return 1;
  if (!f) {
    snprintf(why, size, "%s", strerror(errno));
    return -1;
  }
  config_t config;
  config_init(&config);
  config_set_auto_convert(&config, 1);
  if (config_read(&config, f) == CONFIG_TRUE) {
    memset(tuned, 0, sizeof *tuned);
    read_all(&r, config_root_setting(&config), tuned);
  } else {
    snprintf(why, size, "line %d: %s", config_error_line(&config),
             config_error_text(&config) ? config_error_text(&config) : "cannot be read");
    r.failed = 1;
  }
  config_destroy(&config);
  fclose(f);
  return r.failed ? -1 : 0;
}

static void write_text(FILE *f, const char *key, const char *text) {
  fprintf(f, "%s = \"", key);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putc('\\', f);
    putc(*text, f);
  }
  fprintf(f, "\";\n");
}

static void write_rates(FILE *f, const char *key, const double rate[TOR_TUNED_CASES]) {
  fprintf(f, " %s = (", key);
  for (int c = 0; c < TOR_TUNED_CASES; c++) fprintf(f, "%s%.6f", c ? ", " : "", rate[c] / giga);
  fprintf(f, ");");
}

int tor_tuned_write(const char *path, const struct tor_tuned *tuned, char *why, size_t size) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", path);
  *strrchr(folder, '/') = 0;
  if (tor_folder_make(folder, why, size)) return -1;
  FILE *f = tor_folder_create(path);
  if (f) {
    fprintf(f, "# What `torre tune` measured on this device; plans use it. It may be removed.\n"
               "# Rates in G cell updates/s: vacuum, with absorbing layers (in `layers` of the cells), with poles too "
               "(in `poles` of the field points).\n");
    write_text(f, "version", tuned->version);
    write_text(f, "device", tuned->device);
    write_text(f, "driver", tuned->driver);
    write_text(f, "date", tuned->date);
    fprintf(f, "threads = %d;\ncopy_GB_per_s = %.4f;\nlink_GB_per_s = (", tuned->threads, tuned->copy / giga);
    for (int i = 0; i < TOR_TUNED_LINKS; i++) fprintf(f, "%s%.4f", i ? ", " : "", tuned->link[i] / giga);
    fprintf(f, "); # with 1, 2, ... GPUs busy at one time\nkinds = (\n");
    for (int i = 0; i < TOR_TUNED_KINDS; i++) {
      const struct tor_tuned_kind *k = &tuned->kind[i];
      fprintf(f, "  { order = %d; precision = \"fp%d\"; th = %d; tile_kB = %.3f; layers = %.4f; poles = %.4f;\n   ",
              k->order, 8 * (int)k->precision, k->th, k->tile / 1e3, k->layers, k->poles);
      write_rates(f, "stepwise", k->stepwise);
      write_rates(f, "diamond", k->diamond);
      fprintf(f, " }%s\n", i + 1 < TOR_TUNED_KINDS ? "," : "");
    }
    fprintf(f, ");\n");
    if (!tor_folder_commit(f, path)) return 0;
  }
  snprintf(why, size, "%s: %s", path, strerror(errno));
  return -1;
}
