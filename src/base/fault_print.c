/* Faults as text: like ones are one line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"

enum { FEWEST = 3, PLACES = 3 }; /* faults that become one line; places of the others that it names */

/* A fault's form: its text without its line, the numbers in brackets and a name behind them, as in "monitors[3]
 * (top): ". */
struct form {
  char *text; /* owned */
  int index;  /* of the fault */
};

static char *form_of(const char *text) {
  char *form = tor_strdup(text), *to = form;
  int colons = 0; /* ": " so far: before the first one a number between colons is a line, before the second a name */
  for (const char *from = text; *from;) {
    const char before = (char)(from > text ? from[-1] : 0);
    const size_t digits = strspn(from, "0123456789");
    colons += !strncmp(from, ": ", 2);
    const char *name_end = colons < 2 && !strncmp(from, "] (", 3) ? strstr(from, "): ") : NULL;
    if (name_end)
      from = name_end;
    else if (digits && ((before == '[' && from[digits] == ']') || (!colons && before == ':' && from[digits] == ':')))
      from += digits;
    else
      *to++ = *from++;
  }
  *to = 0;
  return form;
}

static int by_form(const void *a, const void *b) {
  const struct form *x = a, *y = b;
  const int order = strcmp(x->text, y->text);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Sets others[i]: for the first fault of a group the number of the others, -1 for those, 0 for a fault alone; and
 * next[i]: the next one of its group, -1 after the last. */
static void find_groups(const struct tor_faults *faults, int *others, int *next) {
  const int n = faults->count;
  struct form *form = tor_alloc((size_t)n, sizeof *form, "faults");
  for (int i = 0; i < n; i++) form[i] = (struct form){form_of(faults->item[i].text), i};
  qsort(form, (size_t)n, sizeof *form, by_form);
  for (int first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && !strcmp(form[end].text, form[first].text);) end++;
    const int grouped = end - first >= FEWEST;
    for (int i = first; i < end; i++) {
      others[form[i].index] = !grouped ? 0 : i > first ? -1 : end - first - 1;
      next[form[i].index] = grouped && i + 1 < end ? form[i + 1].index : -1;
    }
  }
  for (int i = 0; i < n; i++) free(form[i].text);
  free(form);
}

/* "; 97 more like it: objects[1].medium (line 5), ..." */
static void print_others(const struct tor_faults *faults, int others, int first, const int *next, FILE *out) {
  fprintf(out, "; %d more like it", others);
  int named = 0;
  for (int i = next[first]; i >= 0 && named < PLACES; i = next[i]) {
    const struct tor_fault *p = &faults->item[i];
    if (!p->key) continue;
    fprintf(out, "%s%s", named++ ? ", " : ": ", p->key);
    if (p->name)
      fprintf(out, " (%s)", p->name);
    else if (p->line)
      fprintf(out, " (line %ld)", p->line);
  }
  fputs(named && others > named ? ", ...\n" : "\n", out);
}

void tor_faults_print(const struct tor_faults *faults, FILE *out) {
  if (!faults->count) return;
  int *others = tor_alloc((size_t)faults->count, sizeof *others, "faults"),
      *next = tor_alloc((size_t)faults->count, sizeof *next, "faults");
  find_groups(faults, others, next);
  for (int i = 0; i < faults->count; i++) {
    if (others[i] < 0) continue;
    fputs(faults->item[i].text, out);
    if (others[i])
      print_others(faults, others[i], i, next, out);
    else
      fputc('\n', out);
  }
  free(others);
  free(next);
}

void tor_faults_refuse(struct tor_faults *faults) {
  tor_faults_print(faults, stderr);
  fprintf(stderr, "torre: %d fault%s, nothing was run\n", faults->count, faults->count == 1 ? "" : "s");
  tor_faults_free(faults);
}
