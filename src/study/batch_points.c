/* The runs of a batch: job files, and values of keys that are swept. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/job/job.h"
#include "src/model/averaging.h"
#include "src/study/batch.h"
#include "src/simulation/packing.h"
#include "src/study/batch_parts.h"

enum { MOST_RUNS = 100000 };

/* Values of one key. */
struct sweep {
  char *path; /* "objects[0].radius" */
  int count;
  size_t capacity;
  char **value; /* [count] */
};

static void add_value(struct sweep *sweep, const char *text, size_t length) {
  char *value = tor_alloc(length + 1, 1, "values");
  memcpy(value, text, length);
  sweep->value = tor_grow(sweep->value, (size_t)sweep->count + 1, &sweep->capacity, sizeof *sweep->value);
  sweep->value[sweep->count++] = value;
}

/* "FROM:TO:COUNT" as its values. Returns 0: it is none. */
static int take_range(struct sweep *sweep, const char *text, struct tor_faults *faults) {
  double from, to;
  int count, used = 0;
  char value[64];
  if (sscanf(text, "%lf:%lf:%d%n", &from, &to, &count, &used) != 3 || text[used]) return 0;
  if (count < 1 || count > MOST_RUNS) {
    tor_fault(faults, "--sweep %s: got " TOR_FOUND("%d values") ", need " TOR_NEEDED("1 to %d"), sweep->path, count,
              MOST_RUNS);
    return 1;
  }
  for (int i = 0; i < count; i++) {
    const double share = count > 1 ? (double)i / (count - 1) : 0;
    add_value(sweep, value, (size_t)snprintf(value, sizeof value, "%.12g", from * (1 - share) + to * share));
  }
  return 1;
}

/* "VALUE,VALUE,...", commas in brackets and quotes being parts of values. */
static void take_list(struct sweep *sweep, const char *text, struct tor_faults *faults) {
  int depth = 0, is_quoted = 0;
  const char *begin = text;
  for (const char *c = text;; c++) {
    if (*c == '"') is_quoted = !is_quoted;
    if (!is_quoted && strchr("[({", *c) && *c) depth++;
    if (!is_quoted && strchr("])}", *c) && *c) depth--;
    if (*c && (*c != ',' || depth > 0 || is_quoted)) continue;
    if (c == begin)
      tor_fault(faults, "--sweep %s: a value is missing, need " TOR_NEEDED("FROM:TO:COUNT or VALUE,VALUE,..."),
                sweep->path);
    else
      add_value(sweep, begin, (size_t)(c - begin));
    if (!*c) return;
    begin = c + 1;
  }
}

static void take_sweep(struct sweep *sweep, const char *text, struct tor_faults *faults) {
  const char *equals = strchr(text, '='); /* the command line has seen to it that there is one */
  sweep->path = tor_strdup(text);
  sweep->path[equals - text] = 0;
  if (!take_range(sweep, equals + 1, faults)) take_list(sweep, equals + 1, faults);
}

static void free_sweeps(struct sweep *sweep, int count) {
  for (int s = 0; s < count; s++) {
    for (int i = 0; i < sweep[s].count; i++) free(sweep[s].value[i]);
    free(sweep[s].value);
    free(sweep[s].path);
  }
  free(sweep);
}

/* --- Names --- */

/* The last name of a path, or all of it where another path ends in the same. */
static char *short_name(const struct sweep *sweep, int count, int s) {
  const char *dot = strrchr(sweep[s].path, '.'), *last = dot ? dot + 1 : sweep[s].path;
  for (int i = 0; i < count; i++) {
    const char *of = strrchr(sweep[i].path, '.');
    if (i != s && !strcmp(last, of ? of + 1 : sweep[i].path)) return tor_strdup(sweep[s].path);
  }
  return tor_strdup(last);
}

/* Appends a text as a part of a file's name. */
static void append_name(char *name, size_t size, const char *text) {
  size_t n = strlen(name);
  for (; *text && n + 1 < size; text++)
    if (isalnum((unsigned char)*text) || strchr("+-._", *text))
      name[n++] = *text;
    else if (n && name[n - 1] != '-')
      name[n++] = '-';
  while (n && name[n - 1] == '-') n--;
  name[n] = 0;
}

static char *joined(const char *a, const char *between, const char *b) {
  const size_t n = strlen(a) + strlen(between) + strlen(b) + 1;
  char *text = tor_alloc(n, 1, "a name");
  snprintf(text, n, "%s%s%s", a, between, b);
  return text;
}

/* The file's name without its ending; all of its path where another job's file has the same. */
static void job_name(const struct tor_batch_options *o, int j, char *name, size_t size) {
  const char *slash = strrchr(o->jobs[j], '/'), *base = slash ? slash + 1 : o->jobs[j], *from = base;
  char *text;
  for (int i = 0; i < o->njobs; i++) {
    const char *other = strrchr(o->jobs[i], '/');
    if (i != j && !strcmp(base, other ? other + 1 : o->jobs[i])) from = o->jobs[j];
  }
  while (*from == '.' || *from == '/') from++;
  text = tor_strdup(from);
  char *dot = strrchr(text, '.');
  if (dot && dot > text && !strchr(dot, '/')) *dot = 0;
  *name = 0;
  append_name(name, size, text);
  free(text);
}

/* --- Runs --- */

static int is_known(const struct tor_faults *faults, const char *text) {
  for (int i = 0; i < faults->count; i++) {
    const size_t n = strlen(faults->item[i].text), m = strlen(text);
    if (n >= m && !strcmp(faults->item[i].text + n - m, text)) return 1;
  }
  return 0;
}

/* Moves the faults of a run that no earlier one has. label: in front of their texts, NULL: nothing. */
static void move_new(struct tor_faults *faults, struct tor_faults *own, const char *label) {
  for (int i = 0; i < own->count; i++) {
    struct tor_faults one = {0};
    if (is_known(faults, own->item[i].text)) {
      tor_fault_free(&own->item[i]);
      continue;
    }
    if (label) {
      tor_fault_add(&one, own->item[i]);
      tor_faults_move(faults, &one, label);
    } else
      tor_fault_add(faults, own->item[i]);
  }
  own->count = 0;
  tor_faults_free(own);
}

/* Adds a run of a job file with more overrides. name: of its folder in the batch's, NULL: the job's own output. */
static void add_run(struct tor_batch *batch, const char *path, const char *const *more, int nmore, char *label,
                    char **value, const char *name, struct tor_faults *faults) {
  const struct tor_batch_options *o = batch->options;
  const char **set = tor_alloc((size_t)(o->noverrides + nmore) + 1, sizeof *set, "overrides");
  struct tor_faults own = {0};
  for (int i = 0; i < o->noverrides; i++) set[i] = o->overrides[i];
  for (int i = 0; i < nmore; i++) set[o->noverrides + i] = more[i];
  batch->run = tor_grow(batch->run, (size_t)batch->nruns + 1, &batch->capacity, sizeof *batch->run);
  struct tor_batch_run *run = &batch->run[batch->nruns];
  *run = (struct tor_batch_run){.label = label, .value = value};
  if (tor_averaging_read(path, set, o->noverrides + nmore, &run->job, &own)) {
    batch->nruns++;
    if (name && !batch->folder)
      batch->folder = o->has_folder ? tor_strdup(run->job.output) : joined(run->job.output, "-", "sweep");
    if (name) {
      free(run->job.output);
      run->job.output = joined(batch->folder, "/", name);
    }
    tor_faults_free(&own);
  } else {
    move_new(faults, &own, o->nsweeps ? label : NULL);
    for (int s = 0; value && s < o->nsweeps; s++) free(value[s]);
    free(value);
    free(label);
  }
  free(set);
}

static void add_files(struct tor_batch *batch, struct tor_faults *faults) {
  const struct tor_batch_options *o = batch->options;
  char name[256];
  for (int j = 0; j < o->njobs; j++) {
    job_name(o, j, name, sizeof name);
    add_run(batch, o->jobs[j], NULL, 0, tor_strdup(o->jobs[j]), NULL, o->has_folder ? name : NULL, faults);
  }
}

/* The point with these numbers of values. */
static void add_point(struct tor_batch *batch, const struct sweep *sweep, const int *at, struct tor_faults *faults) {
  const int n = batch->options->nsweeps;
  char name[200] = "", *label = NULL, **value = tor_alloc((size_t)n, sizeof *value, "values");
  char **set = tor_alloc((size_t)n, sizeof *set, "overrides");
  for (int s = 0; s < n; s++) {
    const char *text = sweep[s].value[at[s]];
    char *part = joined(batch->key[s], " = ", text), *before = label;
    label = before ? joined(before, ", ", part) : tor_strdup(part);
    value[s] = tor_strdup(text);
    set[s] = joined(sweep[s].path, "=", text);
    if (s) append_name(name, sizeof name, "_");
    append_name(name, sizeof name, batch->key[s]);
    strncat(name, "-", sizeof name - strlen(name) - 1);
    append_name(name, sizeof name, text);
    free(part);
    free(before);
  }
  tor_text_clean(label);
  add_run(batch, batch->options->jobs[0], (const char *const *)set, n, label, value, name, faults);
  for (int s = 0; s < n; s++) free(set[s]);
  free(set);
}

static void add_points(struct tor_batch *batch, struct tor_faults *faults) {
  const int n = batch->options->nsweeps;
  struct sweep *sweep = tor_alloc((size_t)n, sizeof *sweep, "sweeps");
  double total = 1;
  for (int s = 0; s < n; s++) {
    take_sweep(&sweep[s], batch->options->sweeps[s], faults);
    total *= sweep[s].count;
  }
  batch->key = tor_alloc((size_t)n, sizeof *batch->key, "names");
  for (int s = 0; s < n; s++) batch->key[s] = short_name(sweep, n, s);
  if (total > MOST_RUNS)
    tor_fault(faults, "--sweep: got " TOR_FOUND("%g runs") ", need " TOR_NEEDED("at most %d"), total, MOST_RUNS);
  int *at = tor_alloc((size_t)n, sizeof *at, "values");
  for (int left = faults->count ? 0 : (int)total; left > 0; left--) {
    add_point(batch, sweep, at, faults);
    for (int s = n - 1; s >= 0 && ++at[s] == sweep[s].count; s--) at[s] = 0; /* the last one varies fastest */
  }
  free(at);
  free_sweeps(sweep, n);
}

static int by_output(const void *a, const void *b) {
  const struct tor_batch_run *const *left = a, *const *right = b;
  return strcmp((*left)->job.output, (*right)->job.output);
}

static void refuse_common_folders(const struct tor_batch *batch, struct tor_faults *faults) {
  const struct tor_batch_run **run = tor_alloc((size_t)batch->nruns + 1, sizeof *run, "runs");
  for (int i = 0; i < batch->nruns; i++) run[i] = &batch->run[i];
  qsort(run, (size_t)batch->nruns, sizeof *run, by_output);
  for (int i = 1; i < batch->nruns; i++)
    if (!by_output(&run[i - 1], &run[i]))
      tor_fault(faults, "%s and %s: have one results folder, %s; need " TOR_NEEDED("a folder each%s"),
                run[i - 1]->label, run[i]->label, run[i]->job.output,
                batch->options->nsweeps ? " (a value occurs twice)" : ", as by --out DIR");
  free(run);
}

void tor_batch_make(struct tor_batch *batch, struct tor_faults *faults) {
  if (batch->options->nsweeps)
    add_points(batch, faults);
  else
    add_files(batch, faults);
  if (!faults->count) refuse_common_folders(batch, faults);
}

void tor_batch_free(struct tor_batch *batch) {
  for (int i = 0; i < batch->nruns; i++) {
    struct tor_batch_run *run = &batch->run[i];
    for (int s = 0; run->value && s < batch->options->nsweeps; s++) free(run->value[s]);
    free(run->value);
    free(run->label);
    if (run->packing && !run->member) tor_packing_free(run->packing);
    tor_job_free(&run->job);
  }
  for (int s = 0; batch->key && s < batch->options->nsweeps; s++) free(batch->key[s]);
  free(batch->key);
  free(batch->run);
  free(batch->folder);
}
