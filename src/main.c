/* torre: the program. */
#include <stdio.h>

#include "../comm/reduce.h"
#include "../io/input.h"
#include "cli.h"
#include "plan.h"
#include "run.h"

/* Prints the faults; the exit status. */
static int refuse(struct tor_faults *faults) {
  if (!faults->count) return TOR_EXIT_USER; /* another rank has told */
  tor_faults_print(faults, stderr);
  fprintf(stderr, "torre: %d fault%s, nothing was run\n", faults->count, faults->count == 1 ? "" : "s");
  tor_faults_free(faults);
  return TOR_EXIT_USER;
}

static int check(const struct tor_job *job, struct tor_faults *faults) {
  struct tor_plan plan;
  if (tor_plan_make(job, 0, &plan, faults)) return refuse(faults);
  printf("%s: no faults\n", job->path);
  return TOR_EXIT_OK;
}

static int plan(const struct tor_job *job, struct tor_faults *faults) {
  struct tor_plan plan;
  if (tor_plan_make(job, 1, &plan, faults)) return refuse(faults);
  tor_plan_print(job, &plan, stdout);
  return TOR_EXIT_OK;
}

int main(int argc, char **argv) {
  struct tor_cli cli;
  tor_cli_parse(argc, argv, &cli);
  if (cli.command == TOR_COMMAND_MATERIALS) {
    tor_medium_print_builtin(stdout);
    tor_cli_free(&cli);
    return TOR_EXIT_OK;
  }
  tor_message_begin(&argc, &argv);
  struct tor_job job;
  struct tor_faults faults = {0};
  int status;
  int read = tor_input_read(cli.job, (const char *const *)cli.overrides, cli.noverrides, &job, &faults);
  if (tor_reduce_faults(&faults)) {
    if (read) tor_job_free(&job);
    status = refuse(&faults);
  } else {
    int alone = cli.command != TOR_COMMAND_RUN && tor_message_rank() > 0; /* rank 0 does it */
    status = TOR_EXIT_OK;
    switch (alone ? TOR_COMMAND_MATERIALS : cli.command) {
      case TOR_COMMAND_MATERIALS: break;
      case TOR_COMMAND_CHECK: status = check(&job, &faults); break;
      case TOR_COMMAND_PLAN: status = plan(&job, &faults); break;
      default:
        status = tor_run(&job, &(struct tor_run_options){cli.quiet, cli.overwrite, cli.timeline}, &faults);
        if (status == TOR_EXIT_USER) refuse(&faults);
    }
    tor_job_free(&job);
  }
  tor_message_end();
  tor_cli_free(&cli);
  return status;
}
