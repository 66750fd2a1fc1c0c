/* Answers as JSON: see answer_json.h. */
#include "src/answer_json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/types.h"
#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/json.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/model.h"
#include "src/schedule/plan.h"
#include "src/schedule/verdict.h"

static void collect(void *context, const char *mark, const char *text) {
  struct tor_answer *answer = context;
  const int is_warning = !strcmp(mark, "warning: ");
  if (!is_warning && strcmp(mark, "note: ") != 0) return;
  answer->lines = tor_grow(answer->lines, (size_t)answer->nlines + 1, &answer->capacity, sizeof *answer->lines);
  answer->lines[answer->nlines++] = (struct tor_answer_line){is_warning, tor_strdup(text)};
}

void tor_answer_begin(struct tor_answer *answer, const char *command, const char *path) {
  *answer = (struct tor_answer){.command = command, .path = path};
  tor_log_redirect(collect, answer);
}

/* --- Parts of a message --- */

static size_t key_length(const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || (text[n] && strchr("_.[]", text[n]))) n++;
  return n;
}

/* A place as tor_job_place writes it, at the beginning of a text; returns what follows. */
static const char *read_place(const char *path, const char *text, struct tor_fault_parts *parts) {
  const size_t n = strlen(path);
  if (!strncmp(text, path, n) && text[n] == ':') {
    char *end;
    parts->file = tor_strdup(path);
    text += n + 1;
    if (isdigit((unsigned char)*text)) {
      parts->line = strtol(text, &end, 10);
      text = end + (*end == ':');
    }
    text += *text == ' ';
  } else if (!strncmp(text, "--set ", 6))
    text += 6;
  else
    return text;
  for (size_t length; (length = key_length(text)) && (!text[length] || strchr(": ", text[length]));) {
    const char *next = text + length;
    if (*next == ' ' && next[1] != '(') break; /* a sentence */
    free(parts->key);
    parts->key = tor_strdup(text);
    parts->key[length] = 0;
    text = next;
    if (*text != ':' || strncmp(text, ": ", 2) != 0) break;
    text += 2;
    if (parts->file) break; /* after --set, the key of a group's member may follow */
  }
  return text;
}

/* The parts of a fault that has none: of the model or the schedule. */
static struct tor_fault_parts parts_of(const char *path, const char *text) {
  struct tor_fault_parts parts = {0};
  const char *body = read_place(path, text, &parts);
  const char *named = *body == ' ' || *body == '(' ? strstr(body, "): ") : NULL;
  tor_fault_split(named ? named + 3 : body, &parts.found, &parts.needed);
  return parts;
}

static void free_parts(struct tor_fault_parts *parts) {
  free(parts->file), free(parts->key), free(parts->found), free(parts->needed);
}

/* Whether a text begins with the name, as "source NAME: ...". */
static int begins(const char *text, const char *kind, const char *name) {
  const size_t k = strlen(kind), n = strlen(name);
  return !strncmp(text, kind, k) && !strncmp(text + k, name, n) && strchr(": ", text[k + n]) && text[k + n];
}

/* The key that a warning is about, NULL: unknown. Owned by the caller. */
static char *key_of(const struct tor_job *job, const char *text) {
  char key[64] = "";
  for (int i = 0; i < job->nsources && !*key; i++)
    if (begins(text, "source ", job->sources[i].name)) snprintf(key, sizeof key, "sources[%d]", i);
  for (int i = 0; i < job->nmonitors && !*key; i++)
    if (begins(text, "monitor ", job->monitors[i].name)) snprintf(key, sizeof key, "monitors[%d]", i);
  const size_t length = key_length(text);
  if (begins(text, "is ", "length_unit"))
    snprintf(key, sizeof key, "length_unit");
  else if (begins(text, "no ", "sources") || begins(text, "no ", "monitors"))
    snprintf(key, sizeof key, "%.*s", (int)key_length(text + 3), text + 3);
  else if (!*key && length < sizeof key && text[length] == ' ' &&
           (memchr(text, '.', length) || memchr(text, '[', length)))
    snprintf(key, sizeof key, "%.*s", (int)length, text);
  return *key ? tor_strdup(key) : NULL;
}

static struct tor_fault_parts parts_of_warning(const struct tor_answer *answer, const struct tor_job *job,
                                               const char *text) {
  struct tor_fault_parts parts = {0};
  char *key = key_of(job, text);
  const char *need = strstr(text, "; need ");
  if (key) read_place(answer->path, tor_job_place(job, "%s", key), &parts);
  if (key) {
    free(parts.key);
    parts.key = key;
  }
  if (need) parts.needed = tor_strdup(need + 7);
  return parts;
}

/* --- The object --- */

static void write_parts(FILE *out, int first, const struct tor_fault_parts *parts, const char *text) {
  fprintf(out, "%s\n    {\"message\": ", first ? "" : ",");
  tor_json_string(out, text);
  fputs(", \"file\": ", out);
  tor_json_string(out, parts->file);
  if (parts->line > 0)
    fprintf(out, ", \"line\": %ld, \"key\": ", parts->line);
  else
    fputs(", \"line\": null, \"key\": ", out);
  tor_json_string(out, parts->key);
  fputs(", \"found\": ", out);
  tor_json_string(out, parts->found);
  fputs(", \"needed\": ", out);
  tor_json_string(out, parts->needed);
  fputc('}', out);
}

static void write_faults(const struct tor_answer *answer, const struct tor_faults *faults, FILE *out) {
  fputs(",\n  \"faults\": [", out);
  for (int i = 0; i < faults->count; i++) {
    const struct tor_fault_parts *p = &faults->parts[i];
    struct tor_fault_parts read = {0};
    const int known = p->file || p->key;
    if (!known) read = parts_of(answer->path, faults->text[i]);
    write_parts(out, !i, known ? p : &read, faults->text[i]);
    free_parts(&read);
  }
  fputs(faults->count ? "\n  ]" : "]", out);
}

static void write_lines(const struct tor_answer *answer, const struct tor_job *job, int warnings, FILE *out) {
  int count = 0;
  fprintf(out, ",\n  \"%s\": [", warnings ? "warnings" : "notes");
  for (int i = 0; i < answer->nlines; i++) {
    const struct tor_answer_line *line = &answer->lines[i];
    struct tor_fault_parts parts = {0};
    if (line->is_warning != warnings) continue;
    if (job) parts = parts_of_warning(answer, job, line->text);
    write_parts(out, !count++, &parts, line->text);
    free_parts(&parts);
  }
  fputs(count ? "\n  ]" : "]", out);
}

static void write_value(FILE *out, const char *before, double value, int known) {
  fputs(before, out);
  if (known)
    tor_json_number(out, value);
  else
    fputs("null", out);
}

static void write_verdict(const struct tor_job *job, const struct tor_plan *plan, FILE *out) {
  struct tor_verdict v;
  char text[256];
  tor_verdict_make(job, plan, &v);
  tor_verdict_text(&v, text, sizeof text);
  fputs(",\n  \"verdict\": {\"text\": ", out);
  tor_json_string(out, text);
  fprintf(out, ", \"fits\": %s", v.fits < 0 ? "null" : v.fits ? "true" : "false");
  write_value(out, ", \"needed_bytes\": ", v.needed, 1);
  write_value(out, ", \"available_bytes\": ", v.available, v.available > 0);
  write_value(out, ", \"seconds\": ", v.seconds, v.seconds > 0);
  fprintf(out, ", \"ranks\": %d}", v.ranks);
}

static void write_sizes(const struct tor_job *job, const struct tor_plan *plan, FILE *out) {
  const struct tor_grid *g = &plan->size.grid;
  const struct tor_model_memory *m = &plan->size.memory;
  fprintf(out, ",\n  \"sizes\": {\"cells\": [%d, %d, %d]", g->n[0], g->n[1], g->n[2]);
  for (int a = 0; a < 3; a++) write_value(out, a ? ", " : ", \"cell_nm\": [", g->d[a] / TOR_NM, 1);
  write_value(out, "], \"time_step_fs\": ", g->dt / TOR_FS, 1);
  fprintf(out, ", \"steps\": %lld, \"order\": %d, \"precision\": \"fp%d\"", (long long)plan->size.steps, g->order,
          8 * job->precision);
  write_value(out, ",\n    \"memory_bytes\": {\"fields\": ", m->fields, 1);
  write_value(out, ", \"absorbing_layers\": ", m->cpml, 1);
  write_value(out, ", \"coefficients\": ", m->coefficients, 1);
  write_value(out, ", \"poles\": ", m->poles, 1);
  write_value(out, ", \"monitors\": ", m->monitors, 1);
  write_value(out, ", \"lists\": ", m->lists, 1);
  write_value(out, ", \"copies\": ", m->copies, 1);
  write_value(out, ", \"total\": ", m->total, 1);
  fprintf(out, "}},\n  \"schedule\": {\"engine\": \"%s\", \"device\": ",
          plan->setup.engine == TOR_ENGINE_DIAMOND ? "diamond" : "stepwise");
  if (plan->gpu >= 0)
    fprintf(out, "\"gpu %d\"", plan->gpu);
  else
    fputs("\"cpu\"", out);
  fprintf(out, ", \"dts\": %d, \"th\": %d, \"threads\": %d", plan->setup.dts, plan->th, plan->setup.threads);
  write_value(out, ", \"cell_updates_per_second\": ", plan->rate, plan->rate > 0);
  fputc('}', out);
}

void tor_answer_write(struct tor_answer *answer, const struct tor_job *job, const struct tor_faults *faults,
                      const struct tor_plan *plan, int status, FILE *out) {
  tor_log_redirect(NULL, NULL);
  fprintf(out, "{\n  \"format_version\": 1,\n  \"command\": \"%s\",\n  \"job\": ", answer->command);
  tor_json_string(out, answer->path);
  fprintf(out, ",\n  \"status\": %d", status);
  if (job && plan) {
    write_verdict(job, plan, out);
    write_sizes(job, plan, out);
  } else
    fputs(",\n  \"verdict\": null,\n  \"sizes\": null,\n  \"schedule\": null", out);
  write_faults(answer, faults, out);
  write_lines(answer, job, 1, out);
  write_lines(answer, job, 0, out);
  fputs("\n}\n", out);
  for (int i = 0; i < answer->nlines; i++) free(answer->lines[i].text);
  free(answer->lines);
  answer->lines = NULL;
  answer->nlines = 0;
  answer->capacity = 0;
}
