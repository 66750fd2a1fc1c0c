/* Reads and writes the figures of a device: see tuned_file.h. */
#include "src/schedule/tuned_file.h"

#include <errno.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/config/config.h"
#include "io/files/folder.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/schedule/tuned.h"

static const double giga = 1e9;
enum { LONGEST_FILE = 1 << 16 }; /* a file of torre tune has less than 2 kB */

#define MUST 0, 0, TOR_KEY_REQUIRED, NULL, NULL
#define RANGE(lo, hi) lo, hi, TOR_KEY_REQUIRED, NULL, NULL

/* clang-format off */
static const struct tor_key keys[] = {
    {"version", NULL, TOR_KEY_TEXT, MUST, .help = "Version of Torre that measured."},
    {"device", NULL, TOR_KEY_TEXT, MUST, .help = "Name of the processor or GPU."},
    {"driver", NULL, TOR_KEY_TEXT, MUST, .help = "Driver of the GPU, or none."},
    {"date", NULL, TOR_KEY_TEXT, MUST, .help = "Day of the measurement."},
    {"threads", NULL, TOR_KEY_INTEGER, RANGE(0, 1e6), .help = "Threads of the CPU; 0 on a GPU."},
    {"copy_GB_per_s", NULL, TOR_KEY_NUMBER, RANGE(1e-3, 1e9), .unit = "GB/s", .help = "Copy within the memory."},
    {"link_GB_per_s", NULL, TOR_KEY_NUMBERS, RANGE(0, 1e9),
     .unit = "GB/s", .help = "Link to the host with 1, 2, ... GPUs busy at one time."},
    {"kinds", NULL, TOR_KEY_LIST, MUST, .help = "An entry for each order and precision."},
    {"kinds[].order", NULL, TOR_KEY_INTEGER, 2, 4, TOR_KEY_REQUIRED, "2 4", NULL, .help = "Order in space."},
    {"kinds[].precision", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, "fp32 fp64", NULL,
     .help = "Numbers of the fields."},
    {"kinds[].th", NULL, TOR_KEY_INTEGER, RANGE(1, 1e6), .unit = "steps", .help = "Steps of the fastest stage."},
    {"kinds[].tile_kB", NULL, TOR_KEY_NUMBER, RANGE(0, 1e9), .unit = "kB", .help = "All fields in the fastest tile."},
    {"kinds[].layers", NULL, TOR_KEY_NUMBER, RANGE(0.01, 1), .help = "Fraction of cells in absorbing layers."},
    {"kinds[].poles", NULL, TOR_KEY_NUMBER, RANGE(0.01, 1), .help = "Fraction of field points with poles."},
    {"kinds[].stepwise", NULL, TOR_KEY_NUMBERS, RANGE(1e-9, 1e9), .unit = "G cells/s", .help = "Rate of each case."},
    {"kinds[].diamond", NULL, TOR_KEY_NUMBERS, RANGE(0, 1e9), .unit = "G cells/s", .help = "Rate of each case."},
};
/* clang-format on */

static const struct tor_key_table table = {
    .keys = keys, .count = (int)(sizeof keys / sizeof *keys), .root = "measured"};

static void read_text(const struct tor_view *view, const char *key, char *to, size_t size) {
  const char *text = tor_get_text(view, key);
  if (text && (size_t)snprintf(to, size, "%s", text) >= size)
    tor_config_fault(view->config, tor_get(view, key), NULL,
                     "got " TOR_FOUND("%zu characters") ", need " TOR_NEEDED("fewer than %zu"), strlen(text), size);
}

/* A list of `count` rates, in the file in units of 1e9. */
static void read_rates(const struct tor_view *view, const char *key, double *rate, int count) {
  int got;
  double *value = tor_get_list(view, key, &got);
  if (value && got != count)
    tor_config_fault(view->config, tor_get(view, key), NULL, "got " TOR_FOUND("%d") ", need " TOR_NEEDED("%d"), got,
                     count);
  for (int i = 0; i < count; i++) rate[i] = value && i < got ? value[i] * giga : 0;
  free(value);
}

static void read_kind(struct tor_config *config, const config_setting_t *at, struct tor_tuned *t) {
  const struct tor_view view = tor_view_of(config, at, "kinds[].");
  if (!tor_get(&view, "order") || !tor_get(&view, "precision")) return;
  const int order = tor_get_int(&view, "order"), bytes = tor_get_word(&view, "precision") ? 8 : 4;
  struct tor_tuned_kind *kind = &t->kind[(order == 4 ? 2 : 0) + (bytes == 8)];
  if (kind->order)
    tor_config_fault(config, at, NULL, "order %d in fp%d is given above already, need " TOR_NEEDED("each once"), order,
                     8 * bytes);
  kind->order = order;
  kind->precision = bytes == 8 ? TOR_F64 : TOR_F32;
  kind->th = tor_get_int(&view, "th");
  kind->tile = tor_get_double(&view, "tile_kB") * 1e3;
  kind->layers = tor_get_double(&view, "layers");
  kind->poles = tor_get_double(&view, "poles");
  read_rates(&view, "stepwise", kind->stepwise, TOR_TUNED_CASES);
  read_rates(&view, "diamond", kind->diamond, TOR_TUNED_CASES);
  for (int c = 1; c < TOR_TUNED_CASES; c++)
    if (!kind->diamond[c] != !kind->diamond[0] && tor_get(&view, "diamond"))
      tor_config_fault(config, tor_get(&view, "diamond"), NULL,
                       "got " TOR_FOUND("a rate of 0 beside others") ", need " TOR_NEEDED("all or none"));
}

static void read_all(struct tor_config *config, const struct tor_view *root, struct tor_tuned *t) {
  t->threads = tor_get_int(root, "threads");
  t->copy = tor_get_double(root, "copy_GB_per_s") * giga;
  read_rates(root, "link_GB_per_s", t->link, TOR_TUNED_LINKS);
  const config_setting_t *kinds = tor_get(root, "kinds");
  const int count = tor_get_length(root, "kinds");
  if (kinds && count != TOR_TUNED_KINDS)
    tor_config_fault(config, kinds, NULL,
                     "got " TOR_FOUND("%d entries") ", need " TOR_NEEDED("one for each order and precision"), count);
  for (int i = 0; i < count; i++) {
    const config_setting_t *at = config_setting_get_elem(kinds, (unsigned)i);
    if (config_setting_is_group(at)) read_kind(config, at, t);
  }
}

/* Reports the first fault, and the number of others. */
static void report_first(struct tor_config *config, char *why, size_t size) {
  struct tor_faults faults = {0};
  const int count = config->nfault;
  tor_config_give_faults(config, &faults);
  snprintf(why, size, "%s", faults.count ? faults.item[0].text : "");
  const size_t used = strlen(why);
  if (count > 1) snprintf(why + used, size - used, " (and %d more)", count - 1);
  tor_faults_free(&faults);
}

enum tor_tuned_file tor_tuned_read(const char *path, const char *version, struct tor_tuned *tuned, char *why,
                                   size_t size) {
  struct stat info;
  memset(tuned, 0, sizeof *tuned);
  /* Checked before it is opened: opening a FIFO would block. */
  const int missing = stat(path, &info);
  if (missing && (errno == ENOENT || errno == ENOTDIR)) return TOR_TUNED_FILE_NONE;
  if (missing || !S_ISREG(info.st_mode) || info.st_size > LONGEST_FILE) {
    snprintf(why, size, "%s: %s", path,
             missing                  ? strerror(errno)
             : !S_ISREG(info.st_mode) ? "not a regular file"
                                      : "longer than 64 KiB");
    return TOR_TUNED_FILE_DAMAGED;
  }
  struct tor_config config = {.path = path, .table = &table, .unit = 1, .per_metre = 1, .unit_name = "m"};
  enum tor_tuned_file found = TOR_TUNED_FILE_READ;
  if (tor_config_open(&config)) {
    const struct tor_view root = tor_view_of(&config, config_root_setting(&config.tree), "");
    const char *of;
    if (config_setting_lookup_string(root.group, "version", &of) && strcmp(of, version)) {
      found = TOR_TUNED_FILE_OLD; /* its other keys may differ */
      snprintf(tuned->version, sizeof tuned->version, "%s", of);
    } else {
      tor_config_check(&config);
      read_text(&root, "version", tuned->version, sizeof tuned->version);
      read_text(&root, "device", tuned->device, sizeof tuned->device);
      read_text(&root, "driver", tuned->driver, sizeof tuned->driver);
      read_text(&root, "date", tuned->date, sizeof tuned->date);
      read_all(&config, &root, tuned);
    }
  }
  if (config.nfault) found = TOR_TUNED_FILE_DAMAGED;
  report_first(&config, why, size);
  config_destroy(&config.tree);
  return found;
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
    fprintf(f, "# Measurements of `torre tune` on this device, used by plans. This file may be removed.\n"
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
