/* A job as JSON: a value with its key; key NULL inside a list. For job.c and job_write_objects.c. */
#ifndef TOR_SRC_JOB_JOB_JSON_H
#define TOR_SRC_JOB_JOB_JSON_H

#include <stdio.h>

#include "src/base/json.h"
#include "src/job/job.h"
#include "src/job/turn.h"

struct json {
  const struct tor_job *job; /* its axes are written as the user's */
  FILE *out;
  int indent; /* of the whole object */
  int depth;
  int first; /* nothing has been written at this depth */
};

static inline void key(struct json *j, const char *name) {
  fprintf(j->out, "%s\n%*s", j->first ? "" : ",", j->indent + 2 * j->depth, "");
  j->first = 0;
  if (!name) return;
  tor_json_string(j->out, name);
  fputs(": ", j->out);
}

static inline void start(struct json *j, const char *name, char bracket) {
  key(j, name);
  fputc(bracket, j->out);
  j->depth++;
  j->first = 1;
}

static inline void end(struct json *j, char bracket) {
  j->depth--;
  if (!j->first) fprintf(j->out, "\n%*s", j->indent + 2 * j->depth, "");
  j->first = 0;
  fputc(bracket, j->out);
}

static inline void string(struct json *j, const char *name, const char *value) {
  key(j, name);
  if (value)
    tor_json_string(j->out, value);
  else
    fputs("null", j->out);
}

static inline void number(struct json *j, const char *name, double value) {
  key(j, name);
  tor_json_number(j->out, value);
}

static inline void boolean(struct json *j, const char *name, int value) {
  key(j, name);
  fputs(value ? "true" : "false", j->out);
}

static inline void numbers(struct json *j, const char *name, const double *value, int count) {
  key(j, name);
  fputc('[', j->out);
  for (int i = 0; i < count; i++) {
    if (i) fputs(", ", j->out);
    tor_json_number(j->out, value[i]);
  }
  fputc(']', j->out);
}

static inline void axis(struct json *j, const char *name, int value) {
  char text[2] = {tor_axis_name(j->job, value), 0};
  string(j, name, text);
}

/* A vector, in 2-D of two numbers. */
static inline void vector(struct json *j, const char *name, const double value[3]) {
  double own[3];
  for (int a = 0; a < 3; a++) own[tor_user_axis(j->job, a)] = value[a];
  numbers(j, name, own, tor_user_axes(j->job));
}

/* The same of values that exist along all axes. */
static inline void triple(struct json *j, const char *name, const double value[3]) {
  double own[3];
  for (int a = 0; a < 3; a++) own[tor_user_axis(j->job, a)] = value[a];
  numbers(j, name, own, 3);
}

/* --- job_write_objects.c --- */
/* repeat: of the object's copies, or NULL. */
void tor_job_write_object(struct json *j, const struct tor_object *object, const struct tor_repeat *repeat);
/* A pole's strength, one number or one for each axis. */
void tor_job_write_strength(struct json *j, const char *name, const struct tor_pole *pole);
/* What a medium's pole at nodes has beside others: its magnetic field, or how it saturates. */
void tor_job_write_node_pole(struct json *j, const struct tor_medium *medium);
/* Where a far field is given. */
void tor_job_write_far_field(struct json *j, const struct tor_monitor *monitor);
/* All sheets, as the list "sheets"; nothing where there are none. */
void tor_job_write_sheets(struct json *j);

#endif
