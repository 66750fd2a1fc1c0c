/* torre: the program. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "comm/exchange/decomposition.h"
#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "io/files/log.h"
#include "src/answer_json.h"
#include "src/base/error.h"
#include "src/base/host_memory.h"
#include "src/base/text.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/bench/bench.h"
#include "src/bench/tune.h"
#include "src/classic/classic_cli.h"
#include "src/cli.h"
#include "src/commands.h"
#include "src/early_signals.h"
#include "src/example_cli.h"
#include "src/fit_cli.h"
#include "src/help_cli.h"
#include "src/job/job.h"
#include "src/job/job_format.h"
#include "src/job/job_read.h"
#include "src/model/averaging.h"
#include "src/job/material.h"
#include "src/keys_cli.h"
#include "src/model/job_warnings.h"
#include "src/model/model.h"
#include "src/modes/plane_sources.h"
#include "src/predict/cluster_plan.h"
#include "src/predict/machine.h"
#include "src/predict/machine_file.h"
#include "src/predict/scaling.h"
#include "src/results/mode_results.h"
#include "src/run/interrupt.h"
#include "src/run/run.h"
#include "src/same_command.h"
#include "src/schedule/placement.h"
#include "src/schedule/plan.h"
#include "src/schedule/verdict.h"
#include "src/show_cli.h"
#include "src/study/batch.h"
#include "src/study/study.h"

static struct tor_answer answer; /* of check and plan with --json; else its command is NULL */

/* Prints the faults; the exit status. */
static int refuse(struct tor_faults *faults) {
  if (!faults->count) return TOR_EXIT_USER; /* another rank has printed them */
  if (answer.command) {
    tor_answer_write(&answer, NULL, faults, NULL, TOR_EXIT_USER, stdout);
    tor_faults_free(faults);
    return TOR_EXIT_USER;
  }
  tor_faults_refuse(faults);
  return TOR_EXIT_USER;
}

static void print_verdict(const struct tor_job *job, const struct tor_plan *plan) {
  struct tor_verdict verdict;
  char text[256];
  tor_verdict_make(job, plan, &verdict);
  tor_verdict_text(&verdict, text, sizeof text);
  printf("%s\n", text);
}

/* Why fewer ranks would be faster, as a note, where the job gives their numbers. */
static void note_fewer_ranks(const struct tor_job *job, const struct tor_plan *plan) {
  struct tor_plan on_cpu = *plan; /* without a GPU's schedule */
  struct tor_decomposition layout;
  char text[512];
  if ((long long)job->schedule.ranks[0] * job->schedule.ranks[1] < 2) return;
  if (tor_placement_foresee(job, &on_cpu, &layout)) return;
  if (!tor_placement_advice(job, &on_cpu, &layout, 0, text, sizeof text)) tor_log_note("%s", text);
  tor_placement_free(&on_cpu, &layout);
}

/* check and plan with --json. */
static int answer_json(const struct tor_job *job, double measure, struct tor_faults *faults) {
  struct tor_plan plan;
  if (tor_plan_make(job, measure, &plan, faults)) return refuse(faults);
  tor_job_warnings_log(job, &plan.size.grid);
  tor_job_format_log(job);
  if (!strcmp(answer.command, "plan")) note_fewer_ranks(job, &plan);
  tor_answer_write(&answer, job, faults, &plan, TOR_EXIT_OK, stdout);
  return TOR_EXIT_OK;
}

static int check(struct tor_job *job, struct tor_faults *faults) {
  struct tor_plan plan;
  if (tor_plane_sources_make(job, faults)) return refuse(faults);
  if (answer.command) return answer_json(job, 0.1, faults);
  char count[40] = "";
  if (tor_plan_make(job, 0.1, &plan, faults)) return refuse(faults);
  print_verdict(job, &plan);
  tor_job_warnings_log(job, &plan.size.grid);
  tor_job_format_log(job);
  const int warnings = tor_log_warnings();
  if (warnings) snprintf(count, sizeof count, ", %d warning%s", warnings, warnings > 1 ? "s" : "");
  tor_text_clean(job->path); /* a file may have any name */
  printf("%s: no faults%s\n", job->path, count);
  return TOR_EXIT_OK;
}

/* The decomposition for the numbers of ranks that the job gives. */
static void print_borders(const struct tor_job *job, struct tor_plan *plan) {
  struct tor_decomposition layout;
  char text[512];
  if (tor_placement_foresee(job, plan, &layout)) {
    printf("ranks      %d x %d do not fit %d x %d cells:\n           %s\n", job->schedule.ranks[0],
           job->schedule.ranks[1], plan->size.grid.n[0], plan->size.grid.n[1], tor_placement_least(job, plan));
    return;
  }
  printf("ranks      %d x %d along x and y%s, DTS %d, TH %d\n", layout.ranks[0], layout.ranks[1],
         layout.ring ? ", which is a ring" : "", layout.dts, layout.th);
  for (int a = 0; a < 2; a++)
    if (!tor_placement_log(plan, &layout, a, text, sizeof text)) printf("borders    %s\n", text);
  if (!tor_placement_narrow(&layout, text, sizeof text)) printf("note       %s\n", text);
  if (!tor_placement_advice(job, plan, &layout, 0, text, sizeof text)) printf("note       %s\n", text);
  tor_placement_free(plan, &layout);
}

static int plan(struct tor_job *job, struct tor_faults *faults) {
  struct tor_plan plan;
  char text[256];
  if (tor_plane_sources_make(job, faults)) return refuse(faults);
  if (answer.command) return answer_json(job, 0.4, faults);
  if (tor_plan_make(job, 0.4, &plan, faults)) return refuse(faults);
  print_verdict(job, &plan);
  tor_plan_print(job, &plan, stdout);
  for (int i = 0; tor_plane_sources_text(job, i, text, sizeof text); i++) printf("%s\n", text);
  if ((long long)job->schedule.ranks[0] * job->schedule.ranks[1] > 1) print_borders(job, &plan);
  tor_job_warnings_log(job, &plan.size.grid);
  tor_job_format_log(job);
  return TOR_EXIT_OK;
}

/* The plan for a machine that a file describes. */
static int plan_machine(const struct tor_job *job, const struct tor_cli *cli, struct tor_faults *faults) {
  struct tor_machine machine;
  struct tor_model_size size;
  struct tor_cluster_plan plan;
  if (!tor_machine_read(cli->machine, &machine, faults)) return refuse(faults);
  int failed =
      tor_model_estimate(job, &size, faults) || tor_cluster_plan_make(&machine, cli->nodes, job, &size, &plan, faults);
  if (!failed) tor_cluster_plan_print(&plan, stdout);
  tor_machine_free(&machine);
  return failed ? refuse(faults) : TOR_EXIT_OK;
}

/* The built-in media, or the one that is named. */
static int materials(const struct tor_cli *cli) {
  struct tor_medium medium;
  if (!cli->medium) {
    tor_medium_print_builtin(stdout);
    return TOR_EXIT_OK;
  }
  if (!tor_medium_builtin(cli->medium, &medium)) {
    const char *near = tor_job_nearest_medium(cli->medium);
    if (!strcmp(near, cli->medium))
      tor_text_print(stderr, "torre: materials: \"%s\" has no dispersion to be shown: n = 1\n", cli->medium);
    else
      tor_text_print(stderr, "torre: materials: no built-in medium \"%s\"; nearest known: %s\n", cli->medium, near);
    return TOR_EXIT_USER;
  }
  if (cli->wavelengths && (cli->wavelength[0] * TOR_NM < medium.range[0] * (1 - 1e-9) ||
                           cli->wavelength[1] * TOR_NM > medium.range[1] * (1 + 1e-9)))
    tor_text_print(stderr, "torre: materials: outside %g to %g nm the model of %s is extrapolated\n",
                   medium.range[0] / TOR_NM, medium.range[1] / TOR_NM, cli->medium);
  tor_medium_print(&medium, cli->wavelength[0] * TOR_NM, cli->wavelength[1] * TOR_NM,
                   cli->wavelengths ? cli->wavelengths : 21, stdout);
  tor_medium_free(&medium);
  return TOR_EXIT_OK;
}

/* The exit status of a command that only prints. */
static int printed(int status) {
  if (!fflush(stdout) && !ferror(stdout)) return status;
  fprintf(stderr, "torre: the answer could not be written: %s\n", strerror(errno));
  return status ? status : TOR_EXIT_FAILURE;
}

static struct tor_run_options run_options(const struct tor_cli *cli) {
  return (struct tor_run_options){.quiet = cli->quiet,
                                  .overwrite = cli->overwrite,
                                  .restart = cli->restart,
                                  .max_seconds = cli->max_seconds,
                                  .timeline = cli->timeline,
                                  .progress_json = cli->progress_json};
}

/* Collective; the exit status. */
static int study(const struct tor_cli *cli, struct tor_faults *faults) {
  const enum tor_study_kind kind = cli->command == TOR_COMMAND_BANDS ? TOR_STUDY_BANDS : cli->study;
  const int status = tor_study(&(struct tor_study_options){.kind = kind,
                                                           .job = cli->job,
                                                           .overrides = (const char *const *)cli->overrides,
                                                           .noverrides = cli->noverrides,
                                                           .has_folder = cli->has_out,
                                                           .cells = cli->cells,
                                                           .points = cli->points,
                                                           .along = cli->along,
                                                           .machine = cli->machine,
                                                           .list_only = cli->list_only,
                                                           .at_once = cli->at_once,
                                                           .run = run_options(cli)},
                               faults);
  return status == TOR_EXIT_USER ? refuse(faults) : printed(status);
}

/* run of several jobs. Collective; the exit status. */
static int batch(const struct tor_cli *cli, struct tor_faults *faults) {
  const int status = tor_batch(&(struct tor_batch_options){.njobs = cli->njobs,
                                                           .nsweeps = cli->nsweeps,
                                                           .noverrides = cli->noverrides,
                                                           .jobs = cli->jobs,
                                                           .sweeps = cli->sweeps,
                                                           .overrides = (const char *const *)cli->overrides,
                                                           .has_folder = cli->has_out,
                                                           .at_once = cli->at_once,
                                                           .run = run_options(cli)},
                               faults);
  return status == TOR_EXIT_USER ? refuse(faults) : printed(status);
}

static int modes(const struct tor_job *job, const struct tor_cli *cli, struct tor_faults *faults) {
  const int status = tor_modes_command(job, &(struct tor_modes_options){cli->has_out, cli->json}, faults);
  return status == TOR_EXIT_USER ? refuse(faults) : status;
}

/* run, check, plan, study, modes or bands, on all ranks; the exit status. */
static int do_job(const struct tor_cli *cli) {
  struct tor_job job;
  struct tor_faults faults = {0};
  if (cli->json) tor_answer_begin(&answer, tor_commands[cli->command].name, cli->job);
  tor_same_command_check(cli->command, 0, &faults);
  if (tor_reduce_faults(&faults)) return refuse(&faults);
  if (cli->command == TOR_COMMAND_STUDY || cli->command == TOR_COMMAND_BANDS) return study(cli, &faults);
  if (cli->njobs > 1 || cli->nsweeps) return batch(cli, &faults);
  int status, read = tor_averaging_read(cli->job, (const char *const *)cli->overrides, cli->noverrides, &job, &faults);
  if (tor_reduce_faults(&faults)) {
    if (read) tor_job_free(&job);
    return refuse(&faults);
  }
  const int alone = cli->command != TOR_COMMAND_RUN && tor_message_rank() > 0; /* rank 0 does it */
  const struct tor_run_options options = run_options(cli);
  switch (alone ? TOR_COMMAND_MATERIALS : cli->command) {
  case TOR_COMMAND_MATERIALS: status = TOR_EXIT_OK; break;
  case TOR_COMMAND_MODES: status = printed(modes(&job, cli, &faults)); break;
  case TOR_COMMAND_CHECK: status = printed(check(&job, &faults)); break;
  case TOR_COMMAND_PLAN: status = printed(cli->machine ? plan_machine(&job, cli, &faults) : plan(&job, &faults)); break;
  default:
    status = tor_run(&job, &options, &faults);
    if (status == TOR_EXIT_USER) refuse(&faults);
  }
  tor_job_free(&job);
  return status;
}

/* The commands with a command line of their own; the exit status. */
static int do_own(enum tor_command command, int argc, char **argv) {
  switch (command) {
  case TOR_COMMAND_EXAMPLE: return tor_example_main(argc, argv);
  case TOR_COMMAND_REFERENCE: return tor_reference_main(argc, argv);
  case TOR_COMMAND_SHOW: return tor_show_main(argc, argv);
  case TOR_COMMAND_FIT: return tor_fit_main(argc, argv);
  case TOR_COMMAND_CLASSIC: return tor_classic_main(argc, argv);
  case TOR_COMMAND_SCALING: return tor_scaling_main(argc, argv);
  case TOR_COMMAND_KEYS: return tor_keys_main(argc, argv);
  default: return tor_help_main(argc, argv);
  }
}

/* The others, once their command line is read; the exit status. */
static int do_parsed(const struct tor_cli *cli, int *argc, char ***argv) {
  int status;
  switch (cli->command) {
  case TOR_COMMAND_BENCH:
  case TOR_COMMAND_TUNE:
  case TOR_COMMAND_MATERIALS:
    if (!tor_same_command_alone(argc, argv, cli->command, 0, &status)) return status;
    return printed(cli->command == TOR_COMMAND_BENCH  ? tor_bench(&cli->bench)
                   : cli->command == TOR_COMMAND_TUNE ? tor_tune(&cli->tune)
                                                      : materials(cli));
  default:
    tor_interrupt_limit(cli->max_seconds);
    tor_message_begin(argc, argv);
    status = do_job(cli);
    tor_message_end();
    return status;
  }
}

int main(int argc, char **argv) {
  tor_early_signals(argc, argv);
  char help[] = "--help";
  enum tor_command command = argc > 1 ? tor_command_find(argv[1]) : TOR_NCOMMANDS;
  if (command == TOR_COMMAND_HELP && argc == 2) argv[1] = help; /* the list of commands */
  if (command == TOR_COMMAND_HELP && argc == 3 && tor_command_find(argv[2]) < TOR_NCOMMANDS) {
    command = tor_command_find(argv[2]); /* `help run` is `run --help` */
    argv[1] = argv[2];
    argv[2] = help;
  }
  const int explains = tor_same_command_explains(argc, argv), /* the list of commands is no command of its own */
      is_own = command < TOR_NCOMMANDS && !tor_commands[command].doc && argv[1] != help;
  struct tor_cli cli;
  int status;
  if ((explains || is_own) && !tor_same_command_alone(&argc, &argv, command, explains, &status)) return status;
  if (is_own) return printed(do_own(command, argc - 1, argv + 1));
  tor_host_limit_arenas();
  tor_cli_parse(argc, argv, &cli);
  status = do_parsed(&cli, &argc, &argv);
  tor_cli_free(&cli);
  return status;
}
