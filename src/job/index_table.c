/* Tables of n and k: see index_table.h. The values of n and of k are two lists, which a line fills both or one of. */
#include "src/job/index_table.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/job/index_table_parts.h"

void tor_index_fault(struct tor_index_reader *r, int line, const char *format, ...) {
  va_list args;
  if (r->nfaults++ >= TOR_MOST_INDEX_FAULTS) return;
  va_start(args, format);
  vsnprintf(r->fault[r->nfaults - 1].text, sizeof r->fault->text, format, args);
  va_end(args);
  r->fault[r->nfaults - 1].line = line;
}

/* All of a table; the first alone of a file that is none: without a header that names columns, or without a line that
 * has their numbers. */
static void give_faults(const struct tor_index_reader *r, tor_index_table_fault *fault, void *to) {
  const int is_table = r->has_header && r->n.count + r->k.count > 0;
  const int most = is_table ? TOR_MOST_INDEX_FAULTS : 1, given = r->nfaults < most ? r->nfaults : most;
  for (int i = 0; i < given; i++) {
    const int more = i + 1 == given ? r->nfaults - given : 0;
    char text[sizeof r->fault->text + 32];
    snprintf(text, sizeof text, "%s", r->fault[i].text);
    if (more) snprintf(text, sizeof text, "%s; and %d more line%s", r->fault[i].text, more, more > 1 ? "s" : "");
    fault(to, r->fault[i].line, text);
  }
}

void tor_index_add(struct tor_index_list *list, double wavelength, double value, int line) {
  list->item = tor_grow(list->item, (size_t)list->count + 1, &list->capacity, sizeof *list->item);
  list->item[list->count++] = (struct tor_index_value){wavelength, value, line};
}

int tor_index_check(struct tor_index_reader *r, int line, double wavelength, const double *n, const double *k) {
  const int before = r->nfaults;
  if (!(wavelength > 1e-12 && wavelength < 1))
    tor_index_fault(
        r, line,
        "got " TOR_FOUND("a wavelength of %g nm") ", need " TOR_NEEDED("one above 0, and its unit right in the header"),
        wavelength * 1e9);
  if (n && !(*n >= 0 && *n < 1e4))
    tor_index_fault(r, line, "got " TOR_FOUND("n = %g") ", need " TOR_NEEDED("0 or more"), *n);
  if (k && !(*k >= 0 && *k < 1e4))
    tor_index_fault(r, line,
                    "got " TOR_FOUND("k = %g: gain, with which fields grow without end") ", need " TOR_NEEDED(
                        "0 or more (absorption)"),
                    *k);
  if (n && k && *n == 0 && *k == 0)
    tor_index_fault(r, line, "got " TOR_FOUND("n = k = 0") ", need " TOR_NEEDED("one of them above 0"));
  return r->nfaults == before;
}

/* --- Lines of numbers under a header --- */

enum { MOST_COLUMNS = 32 };
static const char lambda[] = "\xce\xbb"; /* the letter */

struct columns {
  int known;   /* a header has been read */
  int x, n, k; /* places of the columns; -1: none */
  double unit; /* of the wavelength [m]; energy: 0, in eV */
};

/* Whether a name is one of some, separated by blanks. */
static int is_one_of(const char *name, size_t length, const char *names) {
  for (const char *w = names; *w; w += *w == ' ') {
    const size_t n = strcspn(w, " ");
    if (n == length && !strncmp(w, name, n)) return 1;
    w += n;
  }
  return 0;
}

/* The unit in what follows the name of a column; -1: none that is known. */
static double unit_of(const char *text) {
  static const struct {
    const char *names;
    double unit;
  } units[] = {
      {"nm", 1e-9}, {"um micron microns \xc2\xb5m \xce\xbcm", 1e-6}, {"a angstrom", 1e-10}, {"mm", 1e-3}, {"m", 1},
      {"ev", 0}};
  text += strspn(text, " _-/([{");
  const size_t length = strcspn(text, " )]}");
  for (size_t i = 0; length && i < sizeof units / sizeof *units; i++)
    if (is_one_of(text, length, units[i].names)) return units[i].unit;
  return -1;
}

/* One column's name, in small letters: sets what it is. */
static void name_column(struct columns *c, const char *name, int place) {
  const size_t greek = strncmp(name, lambda, strlen(lambda)) ? 0 : strlen(lambda),
               length = greek ? greek : strspn(name, "abcdefghijklmnopqrstuvwxyz");
  if (length == 1 && *name == 'n' && c->n < 0) c->n = place;
  if (((length == 1 && *name == 'k') || is_one_of(name, length, "kappa")) && c->k < 0) c->k = place;
  const int energy = is_one_of(name, length, "energy");
  if (c->x >= 0 || !(energy || greek || is_one_of(name, length, "wl wvl wavelength lambda"))) return;
  c->x = place;
  c->unit = unit_of(name + length);
  if (c->unit < 0 && is_one_of(name, length, "wl")) c->unit = 1e-6; /* refractiveindex.info */
  if (energy != (c->unit == 0)) c->unit = -1;
}

/* A line that begins with a letter: the names of the columns. */
static void read_header(struct tor_index_reader *r, struct columns *c, char *line, int number) {
  const char *separators = strpbrk(line, ",;\t") ? ",;\t" : " ";
  int place = 0;
  *c = (struct columns){.known = 1, .x = -1, .n = -1, .k = -1};
  for (char *s = line; *s; s++) *s = (char)tolower((unsigned char)*s);
  for (char *s = line, *next; s; s = next, place++) {
    next = strpbrk(s, separators);
    if (next) *next++ = 0;
    s += strspn(s, " \"");
    if (*s == '(' || *s == '[') { /* a unit behind a blank */
      place--;
      if (c->x == place && c->unit < 0) c->unit = unit_of(s);
    } else if (*s)
      name_column(c, s, place);
    else if (*separators == ' ')
      place--;
  }
  if (c->x >= 0 && c->unit < 0)
    tor_index_fault(r, number,
                    "the first column has no unit, need " TOR_NEEDED(
                        "its name with nm, um, m, angstrom or eV, such as wavelength_nm or energy_eV"));
  else if (c->x < 0 || (c->n < 0 && c->k < 0))
    tor_index_fault(r, number,
                    "got " TOR_FOUND("other names") ", need " TOR_NEEDED(
                        "a header that names the columns and their unit, such as wavelength_nm,n,k"));
  else
    r->has_header = 1;
}

/* The numbers of a line; their count, or -1 where there is something else. */
static int numbers_of(const char *s, double *value, int most) {
  const char *separators = strchr(s, ';') ? " \t;" : " \t,"; /* 1,5;2,3: commas in numbers are no separators */
  int count = 0;
  for (s += strspn(s, separators); *s && *s != '#'; s += strspn(s, separators)) {
    char *end;
    const double v = strtod(s, &end);
    if (end == s || !isfinite(v) || (*end && *end != '#' && !strchr(separators, *end))) return -1;
    if (count < most) value[count] = v;
    count++;
    s = end;
  }
  return count < most ? count : most;
}

static void read_numbers(struct tor_index_reader *r, const struct columns *c, const char *line, int number) {
  double value[MOST_COLUMNS];
  const int count = numbers_of(line, value, MOST_COLUMNS), last = c->n > c->k ? c->n : c->k,
            needed = (last > c->x ? last : c->x) + 1;
  if (!c->known) {
    tor_index_fault(r, number,
                    "numbers without a header, need " TOR_NEEDED(
                        "one that names the columns and their unit, such as wavelength_nm,n,k"));
    return;
  }
  if (c->x < 0 || c->unit < 0 || (c->n < 0 && c->k < 0)) return; /* its header is a fault */
  if (count < needed) {
    /* Without the text: the author of the job may lack permission to read that file. */
    tor_index_fault(r, number,
                    "got " TOR_FOUND("something else") ", need " TOR_NEEDED("%d numbers, as its header says"), needed);
    return;
  }
  const double x = value[c->x], wavelength = c->unit > 0 ? x * c->unit : 1.239841984332e-6 / x;
  const double *n = c->n < 0 ? NULL : &value[c->n], *k = c->k < 0 ? NULL : &value[c->k];
  if (!tor_index_check(r, number, wavelength, n, k)) return;
  if (n) tor_index_add(&r->n, wavelength, *n, number);
  if (k) tor_index_add(&r->k, wavelength, *k, number);
}

static void read_lines(struct tor_index_reader *r, char *text) {
  struct columns c = {.x = -1, .n = -1, .k = -1};
  int number = 1, headless = 0;
  for (char *s = text, *next; s; s = next, number++) {
    next = strchr(s, '\n');
    if (next) *next++ = 0;
    s[strcspn(s, "\r")] = 0;
    s += strspn(s, " \t\"");
    if (!*s || *s == '#' || *s == '%') continue;
    if (isalpha((unsigned char)*s) || !strncmp(s, lambda, strlen(lambda)))
      read_header(r, &c, s, number);
    else if (!headless)
      read_numbers(r, &c, s, number);
    headless = !c.known; /* said once */
  }
}

/* --- The whole --- */

/* Rising wavelengths, whichever way the file has them; faults where it has neither, and where two are equal. */
static void order(struct tor_index_reader *r, struct tor_index_list *list) {
  struct tor_index_value *v = list->item;
  if (list->count > 1 && v[list->count - 1].wavelength < v[0].wavelength)
    for (int i = 0, j = list->count - 1; i < j; i++, j--) {
      const struct tor_index_value other = v[i];
      v[i] = v[j];
      v[j] = other;
    }
  for (int i = 1; i < list->count; i++) {
    const int later = v[i].line > v[i - 1].line ? v[i].line : v[i - 1].line,
              earlier = v[i].line > v[i - 1].line ? v[i - 1].line : v[i].line;
    if (v[i].wavelength == v[i - 1].wavelength)
      tor_index_fault(r, later, "got " TOR_FOUND("the wavelength of line %d again") ", need " TOR_NEEDED("each once"),
                      earlier);
    else if (v[i].wavelength < v[i - 1].wavelength) {
      tor_index_fault(r, later, "the wavelengths rise and fall, need " TOR_NEEDED("them in order"));
      return;
    }
  }
}

/* The value there, linear between two of the list; NAN outside. */
static double value_at(const struct tor_index_list *list, double wavelength) {
  const struct tor_index_value *v = list->item;
  if (!list->count) return 0;
  for (int i = 0; i < list->count; i++) {
    if (v[i].wavelength == wavelength) return v[i].value;
    if (i && v[i - 1].wavelength < wavelength && wavelength < v[i].wavelength)
      return v[i - 1].value + (v[i].value - v[i - 1].value) * (wavelength - v[i - 1].wavelength) /
                                  (v[i].wavelength - v[i - 1].wavelength);
  }
  return NAN;
}

/* n and k at the wavelengths of n, where k is known, too. */
static void merge(struct tor_index_reader *r, struct tor_index_table *t) {
  enum { FEWEST = 4 };
  const size_t most = (size_t)r->n.count + 1;
  t->wavelength = tor_alloc(most, sizeof *t->wavelength, "table");
  t->n = tor_alloc(most, sizeof *t->n, "table");
  t->k = tor_alloc(most, sizeof *t->k, "table");
  for (int i = 0; i < r->n.count; i++) {
    const double k = value_at(&r->k, r->n.item[i].wavelength);
    if (isnan(k)) continue;
    t->wavelength[t->count] = r->n.item[i].wavelength;
    t->n[t->count] = r->n.item[i].value;
    t->k[t->count++] = k;
    t->has_k |= k > 0;
  }
  if (!r->n.count && r->k.count)
    tor_index_fault(r, 0, "got " TOR_FOUND("k alone") ", need " TOR_NEEDED("n, or n and k"));
  else if (t->count < FEWEST)
    tor_index_fault(r, 0, "got " TOR_FOUND("%d line%s of numbers") ", need " TOR_NEEDED("at least %d"), t->count,
                    t->count == 1 ? "" : "s", FEWEST);
}

int tor_index_table_read(const char *path, struct tor_index_table *table, tor_index_table_fault *fault, void *to) {
  struct tor_index_reader r = {0};
  const char *why;
  char *text = tor_config_read_file(path, &why);
  *table = (struct tor_index_table){0};
  if (!text) {
    tor_index_fault(&r, 0, "cannot be read: %s", why);
    give_faults(&r, fault, to);
    return -1;
  }
  char *from = text;
  if (!strncmp(text, TOR_BYTE_ORDER_MARK, strlen(TOR_BYTE_ORDER_MARK))) from += strlen(TOR_BYTE_ORDER_MARK);
  r.has_header = !strncmp(from, "DATA:", 5) || strstr(from, "\nDATA:");
  if (r.has_header)
    tor_index_read_yaml(&r, from);
  else
    read_lines(&r, from);
  if (!r.nfaults) order(&r, &r.n);
  if (!r.nfaults) order(&r, &r.k);
  if (!r.nfaults) merge(&r, table);
  give_faults(&r, fault, to);
  free(r.n.item);
  free(r.k.item);
  free(text);
  return r.nfaults ? -1 : 0;
}

void tor_index_table_free(struct tor_index_table *table) {
  free(table->wavelength);
  free(table->n);
  free(table->k);
  *table = (struct tor_index_table){0};
}
