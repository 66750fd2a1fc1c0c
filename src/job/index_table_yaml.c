/* Tables in the form of the refractiveindex.info database: the blocks under DATA, wavelengths in um.
 *
 * Formulas as its document "Dispersion formulas" numbers them; those with powers that are no whole numbers, and the
 * rarer ones, are refused: the site exports them as CSV. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/job/index_table_parts.h"

enum { MOST_COEFFICIENTS = 32, SAMPLES = 64 };
static const double micrometre = 1e-6;

/* A block under DATA. */
struct block {
  int line;     /* of its type */
  char kind[8]; /* "n", "k", "nk"; "": a formula */
  int formula;  /* its number; 0: none */
  int in_data;  /* its lines of numbers have begun */
  double range[2];
  int count;
  double coefficient[MOST_COEFFICIENTS];
};

/* x to a whole power. */
static double power(double x, double exponent) {
  double value = 1;
  for (int i = 0; i < fabs(exponent); i++) value *= x;
  return exponent < 0 ? 1 / value : value;
}

/* n at a wavelength [um]; NAN: the formula has none there. c: its coefficients, 0 beyond their number. */
static double formula_index(const struct block *b, double x) {
  const double *c = b->coefficient, xx = x * x;
  double value = c[0];
  switch (b->formula) {
  case 1: /* Sellmeier */
  case 2:
    value += 1;
    for (int i = 1; i + 1 < b->count; i += 2)
      value += c[i] * xx / (xx - (b->formula == 1 ? c[i + 1] * c[i + 1] : c[i + 1]));
    return sqrt(value);
  case 3: /* polynomial; 5, Cauchy's, is one of n itself */
  case 5:
    for (int i = 1; i + 1 < b->count; i += 2) value += c[i] * power(x, c[i + 1]);
    return b->formula == 3 ? sqrt(value) : value;
  default: /* 4 */
    for (int i = 1; i < 9; i += 4)
      if (c[i] != 0) value += c[i] * power(x, c[i + 1]) / (xx - power(c[i + 2], c[i + 3]));
    for (int i = 9; i + 1 < b->count; i += 2) value += c[i] * power(x, c[i + 1]);
    return sqrt(value);
  }
}

/* Whether formula_index can do it. */
static int is_known(const struct block *b) {
  if (b->formula < 1 || b->formula > 5) return 0;
  for (int i = 1; i < b->count && b->formula > 2; i++) {
    const int exponent = b->formula == 4 && i < 9 ? i == 2 || i == 4 || i == 6 || i == 8 : i % 2 == 0;
    const double c = b->coefficient[i];
    if (exponent && (c != floor(c) || fabs(c) > 64)) return 0;
  }
  return 1;
}

/* The end of a block: of a formula, samples that are even in frequency. */
static void end_block(struct tor_index_reader *r, struct block *b) {
  if (b->formula && !is_known(b))
    tor_index_fault(r, b->line,
                    "got " TOR_FOUND("formula %d with these coefficients") ", need " TOR_NEEDED(
                        "formula 1 to 5 with whole powers, or a table: the site's page exports CSV"),
                    b->formula);
  else if (b->formula && !(b->range[0] > 0 && b->range[1] > b->range[0]))
    tor_index_fault(r, b->line, "the formula has no wavelength_range, need " TOR_NEEDED("two wavelengths in um"));
  else if (b->formula)
    for (int i = 0; i < SAMPLES; i++) {
      const double share = (double)i / (SAMPLES - 1),
                   x = i == SAMPLES - 1 ? b->range[1] : 1 / ((1 - share) / b->range[0] + share / b->range[1]),
                   n = formula_index(b, x);
      if (!tor_index_check(r, b->line, x * micrometre, &n, NULL)) break;
      tor_index_add(&r->n, x * micrometre, n, b->line);
    }
  *b = (struct block){0};
}

/* Numbers of a text, separated by blanks; -1: there is something else. */
static int numbers_of(const char *s, double *value, int most) {
  int count = 0;
  for (s += strspn(s, " \t"); *s && *s != '#'; s += strspn(s, " \t"), count++) {
    char *end;
    const double v = strtod(s, &end);
    if (end == s || !isfinite(v) || count == most) return -1;
    value[count] = v;
    s = end;
  }
  return count;
}

static void begin_block(struct tor_index_reader *r, struct block *b, const char *type, int line) {
  *b = (struct block){.line = line};
  if (sscanf(type, "tabulated %7s", b->kind) == 1 &&
      (!strcmp(b->kind, "n") || !strcmp(b->kind, "k") || !strcmp(b->kind, "nk")))
    return;
  b->kind[0] = 0;
  if (sscanf(type, "formula %d", &b->formula) == 1 && b->formula > 0) return;
  b->formula = 0;
  tor_index_fault(
      r, line,
      "got " TOR_FOUND("another type") ", need " TOR_NEEDED("tabulated nk, tabulated n, tabulated k or a formula"));
}

/* A line of numbers of a tabulated block. */
static void read_row(struct tor_index_reader *r, const struct block *b, const char *s, int line) {
  const int needed = 1 + (int)strlen(b->kind);
  double value[3];
  if (numbers_of(s, value, needed) != needed) {
    tor_index_fault(r, line,
                    "got " TOR_FOUND("something else") ", need " TOR_NEEDED("%d numbers: wavelength in um, %s"), needed,
                    needed == 3 ? "n, k" : b->kind);
    return;
  }
  const double *n = strchr(b->kind, 'n') ? &value[1] : NULL, *k = strchr(b->kind, 'k') ? &value[needed - 1] : NULL;
  if (!tor_index_check(r, line, value[0] * micrometre, n, k)) return;
  if (n) tor_index_add(&r->n, value[0] * micrometre, *n, line);
  if (k) tor_index_add(&r->k, value[0] * micrometre, *k, line);
}

/* The text behind a key, NULL where the line has another. */
static const char *after(const char *line, const char *key) {
  const size_t n = strlen(key);
  return strncmp(line, key, n) ? NULL : line + n + strspn(line + n, " \t\"'");
}

/* A line under DATA, without its indentation. */
static void read_line(struct tor_index_reader *r, struct block *b, const char *s, int line) {
  const char *text;
  if (*s == '-') s += 1 + strspn(s + 1, " \t");
  if ((text = after(s, "type:"))) {
    end_block(r, b);
    begin_block(r, b, text, line);
  } else if (after(s, "data:"))
    b->in_data = 1;
  else if ((text = after(s, "wavelength_range:"))) {
    if (numbers_of(text, b->range, 2) != 2)
      tor_index_fault(r, line, "got " TOR_FOUND("something else") ", need " TOR_NEEDED("two wavelengths in um"));
  } else if ((text = after(s, "coefficients:"))) {
    b->count = numbers_of(text, b->coefficient, MOST_COEFFICIENTS);
    if (b->count < 1) {
      tor_index_fault(r, line, "got " TOR_FOUND("something else") ", need " TOR_NEEDED("at most %d numbers"),
                      MOST_COEFFICIENTS);
      b->formula = 0;
    }
  } else if (b->in_data && b->kind[0])
    read_row(r, b, s, line);
}

/* The text's lines are cut at their ends. */
void tor_index_read_yaml(struct tor_index_reader *r, char *text) {
  struct block b = {0};
  int line = 1, inside = 0;
  for (char *s = text, *next; s; s = next, line++) {
    next = strchr(s, '\n');
    if (next) *next++ = 0;
    s[strcspn(s, "\r")] = 0;
    const size_t indent = strspn(s, " \t");
    if (!s[indent] || s[indent] == '#') continue;
    if (!indent && s[0] != '-') {
      inside = !strncmp(s, "DATA:", 5);
      continue;
    }
    if (inside) read_line(r, &b, s + indent, line);
  }
  end_block(r, &b);
}
