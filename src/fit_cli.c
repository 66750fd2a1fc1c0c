/* torre fit: see fit_cli.h. */
#include "src/fit_cli.h"

#include <argp.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/image/image.h"
#include "src/base/command_line.h"
#include "src/base/error.h"
#include "src/base/json.h"
#include "src/base/text.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/index_table.h"
#include "src/job/material.h"
#include "src/job/material_fit.h"

static const char doc[] =
    "Fits poles to a table of n and k against wavelength and prints them as a medium for a job file, with the error of "
    "the permittivity; draws the table and the fit. Drude and Lorentz poles of strengths that are not negative: the "
    "medium is passive.\v"
    "TABLE has lines of numbers under a header that names the columns and the unit, such as wavelength_nm,n,k, or is a "
    "file of refractiveindex.info: its CSV, or YAML of its database. A job can name the table itself: media = ( { name "
    "= \"silver\"; table = \"Ag.yml\"; } ); the poles are the same.\n\n"
    "Exit status: 0 done, 2 fault in the table, or an error above --error.\n\n"
    "Examples:\n"
    "  torre fit Ag.yml --range 300:1000\n"
    "  torre fit film.csv --poles 8 --error 0.02 --out film.svg\n"
    "  torre fit film.csv --json";

enum { KEY_RANGE = 256, KEY_POLES, KEY_ERROR, KEY_NAME, KEY_OUT, KEY_JSON };

static const struct argp_option options[] = {
    {"range", KEY_RANGE, "FROM:TO", 0, "Wavelengths in nm that count (default: all)", 0},
    {"poles", KEY_POLES, "N", 0, "Most poles, 1 to 12 (default 6)", 0},
    {"error", KEY_ERROR, "E", 0, "Largest rms relative error of the permittivity that is accepted (default 0.05)", 0},
    {"name", KEY_NAME, "NAME", 0, "Name of the medium (default: that of the file)", 0},
    {"out", KEY_OUT, "FILE", 0, "Picture of n and k: .png, .svg or .pdf (default TABLE-fit.png in the present folder)",
     0},
    {"json", KEY_JSON, 0, 0, "The answer as one JSON object, with the table and the fit; a picture only with --out", 0},
    {0}};

struct arguments {
  const char *table, *name, *out;
  double range[2], error; /* [nm]; 0, 0: all */
  int poles, json;
};

static int is_picture(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (!strcmp(dot, ".png") || !strcmp(dot, ".svg") || !strcmp(dot, ".pdf"));
}

static void take_range(struct arguments *a, const char *text, struct argp_state *state) {
  int used = 0;
  if (sscanf(text, "%lf:%lf%n", &a->range[0], &a->range[1], &used) != 2 || text[used] || !(a->range[0] > 0) ||
      !(a->range[1] > a->range[0]))
    argp_error(state, "--range: got \"%s\", need FROM:TO in nm, such as 300:1000", text);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct arguments *a = state->input;
  char *end = NULL;
  switch (key) {
  case KEY_RANGE: take_range(a, arg, state); return 0;
  case KEY_POLES:
    a->poles = (int)strtol(arg, &end, 10);
    if (end == arg || *end || a->poles < 1 || a->poles > TOR_FIT_MOST)
      argp_error(state, "--poles: got \"%s\", need a whole number from 1 to %d", arg, TOR_FIT_MOST);
    return 0;
  case KEY_ERROR:
    a->error = strtod(arg, &end);
    if (end == arg || *end || !(a->error > 0 && a->error <= 10))
      argp_error(state, "--error: got \"%s\", need a number above 0, such as 0.05", arg);
    return 0;
  case KEY_NAME: a->name = arg; return 0;
  case KEY_OUT:
    if (!is_picture(arg)) argp_error(state, "--out: got \"%s\", need a name that ends in .png, .svg or .pdf", arg);
    a->out = arg;
    return 0;
  case KEY_JSON: a->json = 1; return 0;
  case ARGP_KEY_ARG:
    if (a->table) argp_error(state, "unexpected argument \"%s\"", arg);
    a->table = arg;
    return 0;
  case ARGP_KEY_END:
    if (!a->table) argp_error(state, "need a table of n and k");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

const struct argp tor_fit_argp = {options, parse_option, "TABLE", doc, 0, 0, 0};

/* --- The fit --- */

struct faults_of {
  struct tor_faults *faults;
  const char *file;
};

static void add_fault(void *to, int line, const char *text) {
  const struct faults_of *f = to;
  const struct tor_place place = {.file = f->file, .line = line};
  tor_fault_at(f->faults, &place, "%s", text);
}

/* The file's name without folder and ending, as a medium may be called. */
static void name_of(const char *path, char *name, size_t size) {
  const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path, *dot = strrchr(from, '.');
  size_t n = dot && dot > from ? (size_t)(dot - from) : strlen(from);
  if (n >= size) n = size - 1;
  for (size_t i = 0; i < n; i++)
    name[i] = isalnum((unsigned char)from[i]) || (i && strchr("-_.", from[i])) ? from[i] : '_';
  name[n] = 0;
}

/* Returns 0 with the medium; -1 with faults. */
static int fit(const struct arguments *a, const struct tor_index_table *t, const char *name, struct tor_medium *m,
               struct tor_faults *faults) {
  const int all = !(a->range[1] > 0);
  const struct tor_fit_options o = {
      a->poles,
      TOR_FIT_WANTED,
      {all ? t->wavelength[0] : a->range[0] * TOR_NM, all ? t->wavelength[t->count - 1] : a->range[1] * TOR_NM}};
  const int points = tor_fit_points(t, o.range);
  if (points < TOR_FIT_FEWEST) {
    tor_fault(faults,
              "%s: got " TOR_FOUND("%d point%s from %g to %g nm") ", need " TOR_NEEDED(
                  "at least %d; the table has %g to %g nm"),
              a->table, points, points == 1 ? "" : "s", o.range[0] / TOR_NM, o.range[1] / TOR_NM, TOR_FIT_FEWEST,
              t->wavelength[0] / TOR_NM, t->wavelength[t->count - 1] / TOR_NM);
    return -1;
  }
  tor_medium_fit(name, t, &o, m);
  if (m->fit.rms <= a->error) return 0;
  tor_fault(faults,
            "%s: got " TOR_FOUND("an rms error of the permittivity of %.2g %% with %d poles, largest %.2g %% at "
                                 "%g nm") ", need " TOR_NEEDED("at most %g %%: a narrower --range, more --poles (at "
                                                               "most %d), or a larger --error"),
            a->table, 100 * m->fit.rms, m->npoles, 100 * m->fit.largest, m->fit.at / TOR_NM, 100 * a->error,
            TOR_FIT_MOST);
  tor_medium_free(m);
  return -1;
}

/* --- Answers --- */

static double complex index_at(const struct tor_medium *m, double wavelength) {
  return csqrt(tor_medium_permittivity(m, 0, 2 * TOR_PI * TOR_C0 / wavelength));
}

static void print(const struct tor_medium *m, const char *table, FILE *out) {
  fprintf(out,
          "# %s, %d points, %g to %g nm: %d pole%s, rms error of the permittivity %.2g %%, largest %.2g %% at %g nm\n",
          table, m->fit.points, m->range[0] / TOR_NM, m->range[1] / TOR_NM, m->npoles, m->npoles == 1 ? "" : "s",
          100 * m->fit.rms, 100 * m->fit.largest, m->fit.at / TOR_NM);
  fprintf(out, "media = (\n");
  tor_medium_print_job(m, "  ", out);
  fprintf(out, ");\n");
}

static void print_pole_json(const struct tor_pole *p, FILE *out) {
  fprintf(out, "{\"type\": ");
  tor_json_string(out, p->kind == TOR_DRUDE ? "drude" : "lorentz");
  if (p->kind == TOR_DRUDE)
    tor_json_member_number(out, "plasma_eV", p->strength / TOR_EV);
  else {
    tor_json_member_number(out, "delta_eps", p->strength);
    tor_json_member_number(out, "omega_eV", p->omega / TOR_EV);
  }
  tor_json_member_number(out, "gamma_eV", p->gamma / TOR_EV);
  fputc('}', out);
}

/* Without the last digits of a quotient. */
static double in_nm(double wavelength) { return rint(wavelength / TOR_NM * 1e6) / 1e6; }

/* One array of the answer: a value at each point in range. which: 0 wavelength, 1, 2 n, k of the table, 3, 4 fitted,
 * 5, 6 parts of the fitted permittivity. */
static void print_array_json(const struct tor_medium *m, const struct tor_index_table *t, const char *name, int which,
                             FILE *out) {
  const char *separator = "";
  fprintf(out, ",\n \"%s\": [", name);
  for (int i = 0; i < t->count; i++) {
    const double w = t->wavelength[i];
    if (w < m->range[0] || w > m->range[1]) continue;
    const double complex n = index_at(m, w), eps = n * n;
    const double value[] = {in_nm(w), t->n[i], t->k[i], creal(n), cimag(n), creal(eps), cimag(eps)};
    fputs(separator, out);
    tor_json_number(out, value[which]);
    separator = ", ";
  }
  fputc(']', out);
}

static void print_json(const struct tor_medium *m, const struct tor_index_table *t, const char *table, FILE *out) {
  static const char *const arrays[] = {"wavelength_nm", "n", "k", "n_fit", "k_fit", "eps_re_fit", "eps_im_fit"};
  fprintf(out, "{\"table\": ");
  tor_json_string(out, table);
  tor_json_member_string(out, "name", m->name);
  tor_json_member_number(out, "points", m->fit.points);
  tor_json_member_number(out, "from_nm", in_nm(m->range[0]));
  tor_json_member_number(out, "to_nm", in_nm(m->range[1]));
  tor_json_member_number(out, "rms_error", m->fit.rms);
  tor_json_member_number(out, "largest_error", m->fit.largest);
  tor_json_member_number(out, "largest_at_nm", in_nm(m->fit.at));
  tor_json_member_number(out, "permittivity", m->eps[0]);
  fprintf(out, ",\n \"poles\": [");
  for (int p = 0; p < m->npoles; p++) {
    fputs(p ? ", " : "", out);
    print_pole_json(&m->poles[p], out);
  }
  fputc(']', out);
  for (int i = 0; i < (int)(sizeof arrays / sizeof *arrays); i++) print_array_json(m, t, arrays[i], i, out);
  fprintf(out, "}\n");
}

/* The table as circles, the fit as lines. Returns what tor_image_lines does. */
static int draw(const struct tor_medium *m, const struct tor_index_table *t, const char *path) {
  enum { LINE = 400 };
  const size_t size = (size_t)t->count;
  double *x = tor_alloc(size, sizeof *x, "picture"), *n = tor_alloc(size, sizeof *n, "picture"),
         *k = tor_alloc(size, sizeof *k, "picture"), lx[LINE], ln[LINE], lk[LINE];
  const int logarithmic = m->range[1] > 8 * m->range[0];
  int count = 0;
  for (int i = 0; i < t->count; i++) {
    if (t->wavelength[i] < m->range[0] || t->wavelength[i] > m->range[1]) continue;
    x[count] = t->wavelength[i] / TOR_NM;
    n[count] = t->n[i];
    k[count++] = t->k[i];
  }
  for (int i = 0; i < LINE; i++) { /* even in frequency */
    const double share = (double)i / (LINE - 1), w = 1 / ((1 - share) / m->range[0] + share / m->range[1]);
    const double complex index = index_at(m, w);
    lx[i] = w / TOR_NM;
    ln[i] = creal(index);
    lk[i] = cimag(index);
  }
  char title[256];
  snprintf(title, sizeof title, "%s: %d poles, rms error of the permittivity %.2g %%", m->name, m->npoles,
           100 * m->fit.rms);
  const struct tor_image_series series[] = {
      {.label = "n, table", .n = count, .x = x, .y = n, .style = TOR_IMAGE_POINTS, .colour = 1},
      {.label = "n, fit", .n = LINE, .x = lx, .y = ln, .style = TOR_IMAGE_LINE, .colour = 1},
      {.label = "k, table", .n = count, .x = x, .y = k, .style = TOR_IMAGE_POINTS, .colour = 2},
      {.label = "k, fit", .n = LINE, .x = lx, .y = lk, .style = TOR_IMAGE_LINE, .colour = 2}};
  const struct tor_image_plot plot = {.title = title,
                                      .xlabel = "wavelength [nm]",
                                      .ylabel = "n, k",
                                      .nseries = t->has_k ? 4 : 2,
                                      .series = series,
                                      .xlog = logarithmic ? 10 : 0};
  const int failed = tor_image_lines(path, &plot);
  free(x);
  free(n);
  free(k);
  return failed;
}

/* The picture, unless there is none to draw; the exit status. */
static int picture(const struct arguments *a, const struct tor_medium *m, const struct tor_index_table *t) {
  char path[4096];
  if (a->json && !a->out) return TOR_EXIT_OK;
  if (!tor_image_version()) {
    fprintf(stderr, "torre: fit: no picture: this build has no cairo\n");
    return a->out ? TOR_EXIT_USER : TOR_EXIT_OK;
  }
  snprintf(path, sizeof path, "%s%s", a->out ? a->out : m->name, a->out ? "" : "-fit.png");
  if (draw(m, t, path)) {
    tor_text_print(stderr, "torre: fit: %s could not be written: %s\n", path, strerror(errno));
    return TOR_EXIT_FAILURE;
  }
  if (!a->json) tor_text_print(stdout, "# wrote %s\n", path);
  return TOR_EXIT_OK;
}

int tor_fit_main(int argc, char **argv) {
  struct arguments a = {.poles = TOR_FIT_POLES, .error = TOR_FIT_LIMIT};
  struct tor_index_table table;
  struct tor_medium medium;
  struct tor_faults faults = {0};
  char program[] = "torre fit", name[64];
  int status = TOR_EXIT_USER;
  argv[0] = program;
  tor_command_line_parse(&tor_fit_argp, argc, argv, &a, TOR_EXIT_USER);
  struct faults_of to = {&faults, a.table};
  name_of(a.table, name, sizeof name);
  if (!tor_index_table_read(a.table, &table, add_fault, &to) &&
      !fit(&a, &table, a.name ? a.name : name, &medium, &faults)) {
    if (a.json)
      print_json(&medium, &table, a.table, stdout);
    else
      print(&medium, a.table, stdout);
    status = picture(&a, &medium, &table);
    tor_medium_free(&medium);
  }
  tor_faults_print(&faults, stderr);
  tor_faults_free(&faults);
  tor_index_table_free(&table);
  return status;
}
