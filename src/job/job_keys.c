/* The table of all keys of a job file: what each holds, its range, its default. The checks, the getters and the test of
 * jobs/reference.cfg all walk this one table. Words stand in the order of the enumerations they become. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/job/job_read.h"
#include "io/config/config_tree.h"
#include "src/job/job.h"

#define ANY -INFINITY, INFINITY, 0
#define POSITIVE 0, INFINITY, TOR_KEY_ABOVE
#define NO 0, 0, 0, NULL, NULL
#define MUST 0, 0, TOR_KEY_REQUIRED, NULL, NULL
#define WALLS "pec pmc cpml"
#define AXES "x y z"
#define COMPONENTS "Ex Ey Ez Hx Hy Hz"
#define LAYER(group, of, cells, grade, sigma, kappa, alpha)                    \
  {group "cells", of, TOR_KEY_INTEGER, 1, 1000, 0, NULL, cells},               \
      {group "grade", of, TOR_KEY_NUMBER, 1, 10, 0, NULL, grade},              \
      {group "sigma", of, TOR_KEY_NUMBER, 0, 100, TOR_KEY_ABOVE, NULL, sigma}, \
      {group "kappa", of, TOR_KEY_NUMBER, 1, 100, 0, NULL, kappa}, {           \
    group "alpha", of, TOR_KEY_NUMBER, 0, 1, 0, NULL, alpha                    \
  }

/* clang-format off */
static const struct tor_key keys[] = {
    {"title", NULL, TOR_KEY_TEXT, 0, 0, 0, NULL, ""},
    {"length_unit", NULL, TOR_KEY_WORD, 0, 0, 0, "nm um mm m angstrom", "nm"},
    {"output", NULL, TOR_KEY_TEXT, NO},

    {"grid", NULL, TOR_KEY_GROUP, MUST},
    {"grid.size", NULL, TOR_KEY_LENGTH3, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL},
    {"grid.cell", NULL, TOR_KEY_LENGTH_OR_3, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL},
    {"grid.order", NULL, TOR_KEY_INTEGER, 2, 4, 0, "2 4", "2"},
    {"grid.precision", NULL, TOR_KEY_WORD, 0, 0, 0, "fp32 fp64", "fp32"},
    {"grid.courant", NULL, TOR_KEY_NUMBER, 0, 1, TOR_KEY_ABOVE, NULL, NULL},
    {"grid.averaging", NULL, TOR_KEY_WORD, 0, 0, 0, "subpixel staircase", "subpixel"},
    {"grid.samples", NULL, TOR_KEY_INTEGER, 1, 32, 0, NULL, "8"},

    {"boundaries", NULL, TOR_KEY_GROUP, NO},
    {"boundaries.default", NULL, TOR_KEY_WORD, 0, 0, 0, WALLS, "cpml"},
    {"boundaries.x_lo", NULL, TOR_KEY_FACE, 0, 0, 0, WALLS, NULL},
    {"boundaries.x_hi", NULL, TOR_KEY_FACE, 0, 0, 0, WALLS, NULL},
    {"boundaries.y_lo", NULL, TOR_KEY_FACE, 0, 0, 0, WALLS, NULL},
    {"boundaries.y_hi", NULL, TOR_KEY_FACE, 0, 0, 0, WALLS, NULL},
    {"boundaries.z_lo", NULL, TOR_KEY_FACE, 0, 0, 0, WALLS, NULL},
    {"boundaries.z_hi", NULL, TOR_KEY_FACE, 0, 0, 0, WALLS, NULL},
    {"boundaries.x_lo.type", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, WALLS, NULL},
    LAYER("boundaries.x_lo.", "cpml", NULL, NULL, NULL, NULL, NULL),
    {"boundaries.cpml", NULL, TOR_KEY_GROUP, NO},
    LAYER("boundaries.cpml.", NULL, "10", "3", "1", "1", "0.05"),

    {"background", NULL, TOR_KEY_MEDIUM, 0, 0, 0, NULL, "vacuum"},

    {"media", NULL, TOR_KEY_LIST, NO},
    {"media[].name", NULL, TOR_KEY_NAME, MUST},
    {"media[].like", NULL, TOR_KEY_MEDIUM, NO},
    {"media[].permittivity", NULL, TOR_KEY_NUMBER_OR_3, 0, 1e6, TOR_KEY_ABOVE, NULL, "1"},
    {"media[].permeability", NULL, TOR_KEY_NUMBER_OR_3, 0, 1e6, TOR_KEY_ABOVE, NULL, "1"},
    {"media[].index", NULL, TOR_KEY_NUMBER_OR_3, 0, 1e3, TOR_KEY_ABOVE, NULL, NULL},
    {"media[].conductivity_S_per_m", NULL, TOR_KEY_NUMBER_OR_3, 0, 1e12, 0, NULL, "0"},
    {"media[].magnetic_conductivity_Ohm_per_m", NULL, TOR_KEY_NUMBER_OR_3, 0, 1e18, 0, NULL, "0"},
    {"media[].poles", NULL, TOR_KEY_LIST, NO},
    {"media[].poles[].type", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, "drude lorentz debye", NULL},
    {"media[].poles[].plasma_eV", "drude", TOR_KEY_NUMBER, 0, 1e6, TOR_KEY_ABOVE, NULL, NULL},
    {"media[].poles[].plasma_rad_per_s", "drude", TOR_KEY_NUMBER, 0, 1e22, TOR_KEY_ABOVE, NULL, NULL},
    {"media[].poles[].delta_eps", "lorentz debye", TOR_KEY_NUMBER, -1e6, 1e6, TOR_KEY_REQUIRED, NULL, NULL},
    {"media[].poles[].omega_eV", "lorentz", TOR_KEY_NUMBER, 0, 1e6, TOR_KEY_ABOVE, NULL, NULL},
    {"media[].poles[].omega_rad_per_s", "lorentz", TOR_KEY_NUMBER, 0, 1e22, TOR_KEY_ABOVE, NULL, NULL},
    {"media[].poles[].gamma_eV", "drude lorentz", TOR_KEY_NUMBER, 0, 1e6, 0, NULL, NULL},
    {"media[].poles[].gamma_rad_per_s", "drude lorentz", TOR_KEY_NUMBER, 0, 1e22, 0, NULL, NULL},
    {"media[].poles[].tau_fs", "debye", TOR_KEY_NUMBER, 0, 1e15, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL},

    {"objects", NULL, TOR_KEY_LIST, NO},
    {"objects[].type", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, "sphere ellipsoid box cylinder cone prism layer",
     NULL},
    {"objects[].medium", NULL, TOR_KEY_MEDIUM, MUST},
    {"objects[].center", "sphere ellipsoid box cylinder cone", TOR_KEY_LENGTH3, ANY, NULL, "0"},
    {"objects[].radius", "sphere cylinder", TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL},
    {"objects[].semi_axes", "ellipsoid", TOR_KEY_LENGTH3, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL},
    {"objects[].size", "box", TOR_KEY_LENGTH3, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL},
    {"objects[].axis", "cylinder cone prism layer", TOR_KEY_WORD, 0, 0, 0, AXES, "z"},
    {"objects[].height", "cylinder cone", TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL},
    {"objects[].radius_lo", "cone", TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_REQUIRED, NULL, NULL},
    {"objects[].radius_hi", "cone", TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_REQUIRED, NULL, NULL},
    {"objects[].lo", "prism", TOR_KEY_LENGTH, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL},
    {"objects[].hi", "prism", TOR_KEY_LENGTH, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL},
    {"objects[].lo", "layer", TOR_KEY_LENGTH, ANY, NULL, NULL},
    {"objects[].hi", "layer", TOR_KEY_LENGTH, ANY, NULL, NULL},
    {"objects[].vertices", "prism", TOR_KEY_PAIRS, MUST},

    {"sources", NULL, TOR_KEY_LIST, NO},
    {"sources[].type", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, "plane_wave electric_dipole magnetic_dipole", NULL},
    {"sources[].name", NULL, TOR_KEY_NAME, NO},
    {"sources[].box", "plane_wave", TOR_KEY_GROUP, NO},
    {"sources[].box.lo", NULL, TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL},
    {"sources[].box.hi", NULL, TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL},
    {"sources[].direction", "plane_wave", TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, "-x +x -y +y -z +z", NULL},
    {"sources[].polarisation", "plane_wave", TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, AXES, NULL},
    {"sources[].position", "electric_dipole magnetic_dipole", TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED,
     NULL, NULL},
    {"sources[].axis", "electric_dipole magnetic_dipole", TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, AXES, NULL},
    {"sources[].amplitude", NULL, TOR_KEY_NUMBER, -1e30, 1e30, 0, NULL, "1"},
    {"sources[].time", NULL, TOR_KEY_GROUP, MUST},
    {"sources[].time.type", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, "pulse continuous table", NULL},
    {"sources[].time.wavelength", "pulse continuous", TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED,
     NULL, NULL},
    {"sources[].time.band", "pulse", TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL},
    {"sources[].time.delay_fs", NULL, TOR_KEY_NUMBER, 0, 1e15, 0, NULL, "0"},
    {"sources[].time.phase_deg", "pulse continuous", TOR_KEY_NUMBER, -360, 360, 0, NULL, "0"},
    {"sources[].time.rise_fs", "continuous", TOR_KEY_NUMBER, 0, 1e15, 0, NULL, NULL},
    {"sources[].time.file", "table", TOR_KEY_TEXT, MUST},

    {"monitors", NULL, TOR_KEY_LIST, NO},
    {"monitors[].type", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED,
     "probe field flux flux_box cross_section energy slice snapshot", NULL},
    {"monitors[].name", NULL, TOR_KEY_NAME, NO},
    {"monitors[].position", "probe", TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL},
    {"monitors[].position", "slice", TOR_KEY_LENGTH, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL},
    {"monitors[].components", "probe field snapshot", TOR_KEY_WORDS, 0, 0, 0, COMPONENTS, NULL},
    {"monitors[].every", "probe", TOR_KEY_INTEGER, 1, 1e9, 0, NULL, "1"},
    {"monitors[].every", "energy", TOR_KEY_INTEGER, 0, 1e9, 0, NULL, "0"},
    {"monitors[].wavelengths", "probe", TOR_KEY_WAVELENGTHS, POSITIVE, NULL, NULL},
    {"monitors[].wavelengths", "field flux flux_box cross_section", TOR_KEY_WAVELENGTHS, 0, INFINITY,
     TOR_KEY_ABOVE | TOR_KEY_REQUIRED,
     NULL, NULL},
    {"monitors[].wavelengths.from", NULL, TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL},
    {"monitors[].wavelengths.to", NULL, TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL},
    {"monitors[].wavelengths.count", NULL, TOR_KEY_INTEGER, 1, 100000, TOR_KEY_REQUIRED, NULL, NULL},
    {"monitors[].box", "field flux flux_box", TOR_KEY_GROUP, MUST},
    {"monitors[].box", "snapshot", TOR_KEY_GROUP, NO},
    {"monitors[].box.lo", NULL, TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL},
    {"monitors[].box.hi", NULL, TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL},
    {"monitors[].radius", "cross_section", TOR_KEY_LENGTH, POSITIVE, NULL, NULL},
    {"monitors[].margin", "cross_section", TOR_KEY_INTEGER, 1, 1000, 0, NULL, "2"},
    {"monitors[].axis", "slice", TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, AXES, NULL},
    {"monitors[].component", "slice", TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, COMPONENTS, NULL},
    {"monitors[].times_fs", "slice", TOR_KEY_NUMBERS, 0, 1e15, TOR_KEY_REQUIRED, NULL, NULL},
    {"monitors[].times_fs", "snapshot", TOR_KEY_NUMBERS, 0, 1e15, 0, NULL, NULL},
    {"monitors[].every_fs", "snapshot", TOR_KEY_NUMBER, 0, 1e15, TOR_KEY_ABOVE, NULL, NULL},
    {"monitors[].stride", "snapshot", TOR_KEY_NUMBER_OR_3, 1, 1e6, 0, NULL, "1"},
    {"monitors[].compression", "snapshot", TOR_KEY_INTEGER, 0, 9, 0, NULL, "0"},
    {"monitors[].image_limit", "slice snapshot", TOR_KEY_NUMBER, 0, 1e30, 0, NULL, "0"},
    {"monitors[].image", "snapshot", TOR_KEY_BOOL, 0, 0, 0, NULL, "false"},
    {"monitors[].image", "field", TOR_KEY_BOOL, 0, 0, 0, NULL, "false"},
    {"monitors[].image", "slice", TOR_KEY_BOOL, 0, 0, 0, NULL, "true"},

    {"run", NULL, TOR_KEY_GROUP, MUST},
    {"run.time_fs", NULL, TOR_KEY_NUMBER, 0, 1e15, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL},
    {"run.decay", NULL, TOR_KEY_NUMBER, 0, 1, TOR_KEY_BELOW, NULL, "0"},

    {"schedule", NULL, TOR_KEY_GROUP, NO},
    {"schedule.engine", NULL, TOR_KEY_WORD, 0, 0, 0, "auto stepwise diamond", "auto"},
    {"schedule.device", NULL, TOR_KEY_WORD, 0, 0, 0, "auto cpu gpu", "auto"},
    {"schedule.devices", NULL, TOR_KEY_INTEGER, 1, 16, 0, NULL, "1"},
    {"schedule.dts", NULL, TOR_KEY_INTEGER, 0, 1024, 0, NULL, "0"},
    {"schedule.th", NULL, TOR_KEY_INTEGER, 0, 1000000, 0, NULL, "0"},
    {"schedule.device_memory", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0"},
    {"schedule.host_memory", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0"},
    {"schedule.ranks", NULL, TOR_KEY_INTEGER2, 0, 1000000, 0, NULL, "0"},
    {"schedule.threads", NULL, TOR_KEY_INTEGER, 0, 4096, 0, NULL, "0"},

    {"checkpoint", NULL, TOR_KEY_GROUP, NO},
    {"checkpoint.minutes", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "30"},
    {"checkpoint.steps", NULL, TOR_KEY_INTEGER, 0, 1e15, 0, NULL, "0"},
    {"checkpoint.keep", NULL, TOR_KEY_BOOL, 0, 0, 0, NULL, "false"},
};
/* clang-format on */
enum { NKEYS = (int)(sizeof keys / sizeof *keys) };

const char *tor_input_keys(int i) { return i >= 0 && i < NKEYS ? keys[i].path : NULL; }

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

/* The i-th row of both tables, NULL after the last. */
static const struct tor_key *row(int i) { return i < NKEYS ? &keys[i] : tor_machine_key(i - NKEYS); }

/* The key's name when the row belongs to the group, else NULL. */
static const char *name_in(const struct tor_key *key, const char *prefix) {
  size_t n = strlen(prefix);
  if (strncmp(key->path, prefix, n)) return NULL;
  return strpbrk(key->path + n, ".[:") ? NULL : key->path + n;
}

static int fits(const struct tor_key *key, const char *type) {
  return !key->of || !type || tor_word_index(key->of, type) >= 0;
}

const struct tor_key *tor_key_find(const char *prefix, const char *name, const char *type) {
  const struct tor_key *key;
  for (int i = 0; (key = row(i)); i++) {
    const char *own = name_in(key, prefix);
    if (own && !strcmp(own, name) && fits(key, type)) return key;
  }
  return NULL;
}

const struct tor_key *tor_key_next(const char *prefix, const char *type, int *i) {
  const struct tor_key *key;
  while ((key = row(*i))) {
    (*i)++;
    if (name_in(key, prefix) && fits(key, type)) return key;
  }
  return NULL;
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

/* What other programs and papers call a key or a medium. */
static const char *const synonyms[][2] = {
    {"n", "index"},
    {"refractive_index", "index"},
    {"eps", "permittivity"},
    {"epsilon", "permittivity"},
    {"mu", "permeability"},
    {"material", "medium"},
    {"materials", "media"},
    {"geometry", "objects"},
    {"structures", "objects"},
    {"frequency", "wavelength"},
    {"frequency", "wavelengths"},
    {"frequencies", "wavelengths"},
    {"freq", "wavelength"},
    {"freq", "wavelengths"},
    {"lambda", "wavelength"},
    {"lambda", "wavelengths"},
    {"resolution", "cell"},
    {"dx", "cell"},
    {"pml", "cpml"},
    {"thickness", "cells"},
    {"duration", "time_fs"},
    {"waveform", "time"},
    {"gold", "Au"},
    {"silver", "Ag"},
    {"aluminium", "Al"},
    {"aluminum", "Al"},
    {"copper", "Cu"},
    {"silicon", "Si"},
    {"silica", "SiO2"},
    {"quartz", "SiO2"},
    {"glass", "SiO2"},
    {"SiN", "Si3N4"},
    {"titania", "TiO2"},
    {"air", "vacuum"},
};

enum { SYNONYM = 100, OTHER = 200 };

int tor_word_distance(const char *word, const char *known) {
  const size_t n = strlen(word);
  if (n > 1 && !strncasecmp(word, known, n)) return edit_distance(word, known);
  for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
    if (!strcasecmp(word, synonyms[i][0]) && !strcmp(known, synonyms[i][1])) return SYNONYM;
  return OTHER + edit_distance(word, known);
}

static void list_keys(const char *prefix, const char *type, char *buffer, size_t size) {
  const char *listed[NKEYS];
  int n = 0, i = 0;
  size_t used = (size_t)snprintf(buffer, size, "known keys:");
  for (const struct tor_key *key; (key = tor_key_next(prefix, type, &i)) && used < size;) {
    const char *own = name_in(key, prefix);
    int before = 0;
    while (before < n && strcmp(listed[before], own)) before++;
    if (before < n || n == NKEYS) continue;
    used += (size_t)snprintf(buffer + used, size - used, "%s %s", n ? "," : "", own);
    listed[n++] = own;
  }
}

void tor_key_suggest(const char *prefix, const char *name, const char *type, char *buffer, size_t size) {
  const char *best = "";
  int least = 1000, i = 0;
  for (const struct tor_key *key; (key = tor_key_next(prefix, type, &i));) {
    const char *own = name_in(key, prefix);
    int distance = tor_word_distance(name, own);
    if (distance < least) {
      least = distance;
      best = own;
    }
  }
  int near = ((int)strlen(name) + 2) / 3;
  if (least <= OTHER + near)
    snprintf(buffer, size, "nearest known key: %s", best);
  else
    list_keys(prefix, type, buffer, size);
}
