/* Answers as JSON: see answer_json.h. */
#include "src/answer_json.h"

#include <inttypes.h>
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
#include "src/schedule/disk_plan.h"
#include "src/schedule/plan.h"
#include "src/schedule/verdict.h"
#include "src/simulation/checkpoint.h"
#include "src/job/turn.h"

static char *copy(const char *text) { return text ? tor_strdup(text) : NULL; }

static void collect(void *context, const char *mark, const struct tor_fault *line) {
  struct tor_answer *answer = context;
  const int is_warning = !strcmp(mark, "warning: ");
  if (!is_warning && strcmp(mark, "note: ") != 0) return;
  answer->lines = tor_grow(answer->lines, (size_t)answer->nlines + 1, &answer->capacity, sizeof *answer->lines);
  answer->lines[answer->nlines++] = (struct tor_answer_line){is_warning,
                                                             {.file = copy(line->file),
                                                              .line = line->line,
                                                              .key = copy(line->key),
                                                              .found = copy(line->found),
                                                              .needed = copy(line->needed),
                                                              .text = copy(line->text)}};
}

void tor_answer_begin(struct tor_answer *answer, const char *command, const char *path) {
  *answer = (struct tor_answer){.command = command, .path = path};
  tor_log_redirect(collect, answer);
}

static void write_message(FILE *out, int first, const struct tor_fault *m) {
  fprintf(out, "%s\n    {\"message\": ", first ? "" : ",");
  tor_json_string(out, m->text);
  tor_json_member_string(out, "file", m->file);
  if (m->line > 0)
    fprintf(out, ", \"line\": %ld", m->line);
  else
    fputs(", \"line\": null", out);
  tor_json_member_string(out, "key", m->key);
  tor_json_member_string(out, "found", m->found);
  tor_json_member_string(out, "needed", m->needed);
  fputc('}', out);
}

static void write_faults(const struct tor_faults *faults, FILE *out) {
  fputs(",\n  \"faults\": [", out);
  for (int i = 0; i < faults->count; i++) write_message(out, !i, &faults->item[i]);
  fputs(faults->count ? "\n  ]" : "]", out);
}

static void write_lines(const struct tor_answer *answer, int warnings, FILE *out) {
  int count = 0;
  fprintf(out, ",\n  \"%s\": [", warnings ? "warnings" : "notes");
  for (int i = 0; i < answer->nlines; i++)
    if (answer->lines[i].is_warning == warnings) write_message(out, !count++, &answer->lines[i].message);
  fputs(count ? "\n  ]" : "]", out);
}

static void write_value(FILE *out, const char *before, double value, int known) {
  fputs(before, out);
  if (known)
    tor_json_number(out, value);
  else
    fputs("null", out);
}

/* The results_hash of the run.json that a run of this job writes. */
static void write_hash(const struct tor_job *job, FILE *out) {
  struct tor_checkpoints identity;
  tor_checkpoints_init(&identity, job, 0, 1);
  fprintf(out, ",\n  \"results_hash\": \"%016" PRIx64 "\"", identity.results_hash);
  tor_checkpoints_free(&identity);
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
  fprintf(out, ",\n  \"sizes\": {\"cells\": [");
  for (int u = 0; u < tor_user_axes(job); u++) fprintf(out, "%s%d", u ? ", " : "", g->n[tor_axis_of_user(job, u)]);
  fprintf(out, "]");
  for (int u = 0; u < tor_user_axes(job); u++)
    write_value(out, u ? ", " : ", \"cell_nm\": [", g->d[tor_axis_of_user(job, u)] / TOR_NM, 1);
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
  write_value(out, ", \"design_regions\": ", m->designs, 1);
  write_value(out, ", \"samples_on_gpu\": ", tor_plan_samples(plan), 1);
  write_value(out, ", \"total\": ", m->total, 1);
  fprintf(out, "}},\n  \"schedule\": {\"engine\": \"%s\", \"device\": ",
          plan->setup.engine == TOR_ENGINE_DIAMOND ? "diamond" : "stepwise");
  if (plan->gpu >= 0)
    fprintf(out, "\"gpu %d\"", plan->gpu);
  else
    fputs("\"cpu\"", out);
  fprintf(out, ", \"dts\": %d, \"th\": %d, \"threads\": %d", plan->setup.dts, plan->th, plan->setup.threads);
  write_value(out, ", \"cell_updates_per_second\": ", plan->rate, plan->rate > 0);
  if (plan->disk.used) {
    write_value(out, ",\n    \"disk\": {\"file_bytes\": ", plan->disk.file, 1);
    write_value(out, ", \"memory_bytes\": ", plan->disk.memory, 1);
    write_value(out, ", \"bytes_per_second\": ", plan->disk.rate, plan->disk.rate > 0);
    write_value(out, ", \"hidden_from_th\": ", plan->disk.knee, plan->disk.knee > 0);
    write_value(out, ", \"share_of_rate\": ", tor_disk_plan_share(plan), plan->disk.knee > 0);
    fputc('}', out);
  }
  fputc('}', out);
}

void tor_answer_write(struct tor_answer *answer, const struct tor_job *job, const struct tor_faults *faults,
                      const struct tor_plan *plan, int status, FILE *out) {
  tor_log_redirect(NULL, NULL);
  fprintf(out, "{\n  \"format_version\": 1,\n  \"command\": \"%s\",\n  \"job\": ", answer->command);
  tor_json_string(out, answer->path);
  fprintf(out, ",\n  \"status\": %d", status);
  if (job && plan) {
    write_hash(job, out);
    write_verdict(job, plan, out);
    write_sizes(job, plan, out);
  } else
    fputs(",\n  \"results_hash\": null,\n  \"verdict\": null,\n  \"sizes\": null,\n  \"schedule\": null", out);
  write_faults(faults, out);
  write_lines(answer, 1, out);
  write_lines(answer, 0, out);
  fputs("\n}\n", out);
  for (int i = 0; i < answer->nlines; i++) tor_fault_free(&answer->lines[i].message);
  free(answer->lines);
  answer->lines = NULL;
  answer->nlines = 0;
  answer->capacity = 0;
}
