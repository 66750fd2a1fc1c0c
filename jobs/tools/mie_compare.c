/* Compares the spectra of a sphere with Mie's series: a table on standard output.
 *
 *   mie_compare SPECTRA.csv --medium Au --radius-nm 50 [--background-index 1] [--limit-ext 5] [--limit-sca 8]
 *
 * SPECTRA.csv has the header wavelength_nm,Q_ext,Q_sca,Q_abs. With limits, exit status 1 when the deviation at 500,
 * 550, 600 or 700 nm is larger, or when the file does not reach one of them; 2 for a fault of the user's. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/job/material.h"
#include "jobs/tools/mie.h"
#include "src/base/types.h"
#include "src/base/units.h"

enum { EXT, SCA, ABS, NQ };
static const char *const quantity[NQ] = {"Q_ext", "Q_sca", "Q_abs"};
static const double checked_nm[] = {500, 550, 600, 700};
enum { NCHECKED = sizeof checked_nm / sizeof *checked_nm };

struct options {
  const char *path, *medium;
  double radius_nm, index;
  double limit[NQ]; /* [%], infinite without a limit */
};

struct line {
  double nm;
  double q[NQ], mie[NQ];
};

struct spectra {
  size_t count, capacity;
  struct line *line; /* [count], in the file's order */
};

static double deviation(const struct line *line, int i) { return 100.0 * (line->q[i] - line->mie[i]) / line->mie[i]; }

static double positive(const char *option, const char *text) {
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  if (end == text || *end || errno || !isfinite(value) || value <= 0) {
    fprintf(stderr, "mie_compare: %s: got \"%s\", need a number above 0\n", option, text);
    exit(TOR_EXIT_USER);
  }
  return value;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  switch (key) {
  case 'm': o->medium = arg; return 0;
  case 'r': o->radius_nm = positive("--radius-nm", arg); return 0;
  case 'b': o->index = positive("--background-index", arg); return 0;
  case 'e': o->limit[EXT] = positive("--limit-ext", arg); return 0;
  case 's': o->limit[SCA] = positive("--limit-sca", arg); return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num) argp_error(state, "one spectra file only");
    o->path = arg;
    return 0;
  case ARGP_KEY_END:
    if (!o->path || !o->medium || !(o->radius_nm > 0)) argp_error(state, "need SPECTRA.csv, --medium and --radius-nm");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* Reads the whole file or ends the program with a message. */
static struct spectra read_spectra(const char *path) {
  struct spectra spectra = {0};
  char text[512];
  FILE *in = fopen(path, "r");
  if (!in) {
    fprintf(stderr, "mie_compare: %s: %s\n", path, strerror(errno));
    exit(TOR_EXIT_USER);
  }
  int number = 0, header = 0;
  while (fgets(text, sizeof text, in)) {
    number++;
    if (text[0] == '#' || text[strspn(text, " \r\n")] == '\0') continue;
    if (!header) {
      text[strcspn(text, "\r\n")] = '\0';
      if (strncmp(text, "wavelength_nm,Q_ext,Q_sca,Q_abs", 31) != 0) {
        fprintf(stderr, "%s:%d: got \"%s\", need the header wavelength_nm,Q_ext,Q_sca,Q_abs\n", path, number, text);
        exit(TOR_EXIT_USER);
      }
      header = 1;
      continue;
    }
    struct line line = {0};
    if (sscanf(text, "%lf,%lf,%lf,%lf", &line.nm, &line.q[EXT], &line.q[SCA], &line.q[ABS]) != 4 || !(line.nm > 0)) {
      fprintf(stderr, "%s:%d: need four numbers: wavelength_nm,Q_ext,Q_sca,Q_abs\n", path, number);
      exit(TOR_EXIT_USER);
    }
    spectra.line = tor_grow(spectra.line, spectra.count + 1, &spectra.capacity, sizeof line);
    spectra.line[spectra.count++] = line;
  }
  fclose(in);
  if (!spectra.count) {
    fprintf(stderr, "mie_compare: %s: contains no spectra\n", path);
    exit(TOR_EXIT_USER);
  }
  return spectra;
}

static void print_row(const struct line *line) {
  printf("%8.2f", line->nm);
  for (int i = 0; i < NQ; i++) printf(" | %9.5f %9.5f %+8.2f", line->q[i], line->mie[i], deviation(line, i));
  printf("\n");
}

static void print_table(const struct spectra *spectra) {
  const struct line *worst[NQ] = {0};
  printf("%8s", "nm");
  for (int i = 0; i < NQ; i++) printf(" | %9s %9s %8s", quantity[i], "Mie", "dev. %");
  printf("\n");
  for (size_t n = 0; n < spectra->count; n++) {
    const struct line *line = &spectra->line[n];
    print_row(line);
    for (int i = 0; i < NQ; i++)
      if (!worst[i] || !(fabs(deviation(line, i)) <= fabs(deviation(worst[i], i)))) worst[i] = line;
  }
  for (int i = 0; i < NQ; i++)
    printf("largest deviation of %s: %+.2f %% at %.2f nm\n", quantity[i], deviation(worst[i], i), worst[i]->nm);
}

/* The line nearest to a wavelength, or NULL when none is within 0.5 nm. */
static const struct line *find_line(const struct spectra *spectra, double nm) {
  const struct line *best = NULL;
  for (size_t n = 0; n < spectra->count; n++)
    if (!best || fabs(spectra->line[n].nm - nm) < fabs(best->nm - nm)) best = &spectra->line[n];
  return best && fabs(best->nm - nm) <= 0.5 ? best : NULL;
}

/* Prints the deviations at the four wavelengths; how many break a limit. NaN breaks it. */
static int check_limits(const struct spectra *spectra, const double limit[NQ]) {
  int broken = 0;
  for (int w = 0; w < NCHECKED; w++) {
    const struct line *line = find_line(spectra, checked_nm[w]);
    if (!line) {
      printf("at %.0f nm: not in the file\n", checked_nm[w]);
      broken++;
      continue;
    }
    printf("at %.0f nm:", checked_nm[w]);
    for (int i = 0; i < NQ; i++) {
      int over = !(fabs(deviation(line, i)) <= limit[i]) && isfinite(limit[i]);
      printf(" %s %+.2f %%%s", quantity[i], deviation(line, i), over ? " (over the limit)" : "");
      broken += over;
    }
    printf("\n");
  }
  return broken;
}

int main(int argc, char **argv) {
  static const struct argp_option known[] = {{"medium", 'm', "NAME", 0, "Built-in medium of the sphere", 0},
                                             {"radius-nm", 'r', "NM", 0, "Radius of the sphere", 0},
                                             {"background-index", 'b', "N", 0, "Refractive index around it (1)", 0},
                                             {"limit-ext", 'e', "PERCENT", 0, "Largest deviation of Q_ext", 0},
                                             {"limit-sca", 's', "PERCENT", 0, "Largest deviation of Q_sca", 0},
                                             {0}};
  static const struct argp argp = {known, parse, "SPECTRA.csv", "Compares a sphere's spectra with Mie's series.", 0,
                                   0,     0};
  struct options o = {.index = 1.0, .limit = {INFINITY, INFINITY, INFINITY}};
  argp_err_exit_status = TOR_EXIT_USER;
  argp_parse(&argp, argc, argv, 0, NULL, &o);

  struct tor_medium medium;
  if (!tor_medium_builtin(o.medium, &medium)) {
    fprintf(stderr, "mie_compare: no built-in medium \"%s\"; there are:", o.medium);
    for (int i = 0; i < tor_medium_builtin_count(); i++) fprintf(stderr, " %s", tor_medium_builtin_name(i));
    fprintf(stderr, "\n");
    return TOR_EXIT_USER;
  }
  struct spectra spectra = read_spectra(o.path);
  for (size_t n = 0; n < spectra.count; n++) {
    struct line *line = &spectra.line[n];
    double complex eps = tor_medium_permittivity(&medium, TOR_X, 2.0 * TOR_PI * TOR_C0 / (line->nm * TOR_NM));
    tor_mie(2.0 * TOR_PI * o.index * o.radius_nm / line->nm, csqrt(eps) / o.index, &line->mie[EXT], &line->mie[SCA],
            NULL);
    line->mie[ABS] = line->mie[EXT] - line->mie[SCA];
  }
  print_table(&spectra);
  int limited = isfinite(o.limit[EXT]) || isfinite(o.limit[SCA]);
  int broken = limited ? check_limits(&spectra, o.limit) : 0;
  tor_medium_free(&medium);
  free(spectra.line);
  return broken ? TOR_EXIT_FAILURE : TOR_EXIT_OK;
}
