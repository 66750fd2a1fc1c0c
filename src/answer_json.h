/* The answers of torre check --json and torre plan --json: one JSON object on stdout (docs/user/job-file.md). */
#ifndef TOR_SRC_ANSWER_JSON_H
#define TOR_SRC_ANSWER_JSON_H

#include <stddef.h>
#include <stdio.h>

#include "src/base/error.h"
#include "src/job/job.h"
#include "src/schedule/plan.h"

struct tor_answer_line {
  int is_warning; /* or a note */
  struct tor_fault message;
};
struct tor_answer {
  const char *command, *path; /* of the job file */
  int nlines;
  size_t capacity;
  struct tor_answer_line *lines; /* of the log, owned */
};

/* From now on lines of the log are parts of the answer. The answer stays in place until it is written. */
void tor_answer_begin(struct tor_answer *answer, const char *command, const char *path);
/* Writes the object and frees the lines. job NULL: it could not be read; plan NULL: there are faults. */
void tor_answer_write(struct tor_answer *answer, const struct tor_job *job, const struct tor_faults *faults,
                      const struct tor_plan *plan, int status, FILE *out);

#endif
