/* The command line: see cli.h. */
#include "cli.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../diamond/device.h"
#include "error.h"
#include "tor_version.h"
#include "types.h"

static void print_version(FILE *out, struct argp_state *state) {
  (void)state;
  fprintf(out,
          "torre %s\n"
          "  source    %s\n"
          "  compiler  %s, %s, for %s\n"
          "  engines   stepwise, diamond on the CPU (OpenMP)%s\n"
          "  precision fp32, fp64; order 2, 4\n",
          TOR_VERSION, TOR_GIT_HASH, TOR_COMPILER, TOR_BUILD_TYPE, TOR_BUILD_ARCH, tor_device_built() ? " and on GPUs (CUDA)" : "");
}

void (*argp_program_version_hook)(FILE *, struct argp_state *) = print_version;

static const char doc[] =
    "Torre: Maxwell's equations in the time domain (FDTD) for nano-optics, advanced by DiamondTorre towers.\v"
    "Commands:\n"
    "  run JOB.cfg      run the job and write its results folder\n"
    "  check JOB.cfg    report every fault of the job file; exit status 2 if there is one\n"
    "  plan JOB.cfg     grid, time step, memory by part, schedule, predicted time\n"
    "  materials        the built-in media with their ranges and sources\n"
    "\n"
    "Every key of a job file is shown in jobs/reference.cfg. Exit status: 0 done, 1 failure of the machine, "
    "2 fault in the job or the command line.";

enum { KEY_OUT = 256, KEY_ENGINE, KEY_DEVICE, KEY_DTS, KEY_TH, KEY_THREADS, KEY_RANKS, KEY_TIMELINE, KEY_SET, KEY_OVERWRITE };

static const struct argp_option options[] = {
    {"set", KEY_SET, "PATH=VALUE", 0, "Override any key of the job, e.g. --set grid.cell=2.0 (may be repeated)", 0},
    {"out", KEY_OUT, "DIR", 0, "Results folder (default: the job's, or results/JOB)", 0},
    {"overwrite", KEY_OVERWRITE, 0, 0, "Replace the results of an earlier run in that folder", 0},
    {"threads", KEY_THREADS, "N", 0, "Threads (default: all)", 1},
    {"ranks", KEY_RANKS, "PXxPY", 0, "Processes along x and y, started by mpirun (default: chosen)", 1},
    {"engine", KEY_ENGINE, "NAME", 0, "stepwise, diamond or auto", 1},
    {"device", KEY_DEVICE, "NAME", 0, "cpu, gpu or auto", 1},
    {"dts", KEY_DTS, "N", 0, "Half-width of a tower, in reaches of the stencil (default: fits the cache)", 1},
    {"th", KEY_TH, "N", 0, "Steps of a stage: the towers' height (default 64)", 1},
    {"timeline", KEY_TIMELINE, 0, 0, "Write timeline.csv: when each rank did which phase of which stage", 2},
    {"quiet", 'q', 0, 0, "No progress bar and no log on the terminal", 2},
    {0}};

static void add_override(struct tor_cli *cli, const char *key, const char *value, int quote) {
  size_t n = strlen(key) + strlen(value) + 4;
  char **list = realloc(cli->overrides, ((size_t)cli->noverrides + 1) * sizeof *list);
  char *text = malloc(n);
  if (!list || !text) TOR_DIE("out of memory");
  cli->overrides = list;
  if (quote)
    snprintf(text, n, "%s=\"%s\"", key, value);
  else
    snprintf(text, n, "%s%s%s", key, *key ? "=" : "", value);
  cli->overrides[cli->noverrides++] = text;
}

static const char *const commands[] = {"run", "check", "plan", "materials"};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct tor_cli *cli = state->input;
  switch (key) {
    case KEY_SET:
      if (!strchr(arg, '=')) argp_error(state, "--set %s: need PATH=VALUE", arg);
      add_override(cli, "", arg, 0);
      return 0;
    case KEY_OUT: add_override(cli, "output", arg, 1); return 0;
    case KEY_ENGINE: add_override(cli, "schedule.engine", arg, 1); return 0;
    case KEY_DEVICE: add_override(cli, "schedule.device", arg, 1); return 0;
    case KEY_DTS: add_override(cli, "schedule.dts", arg, 0); return 0;
    case KEY_TH: add_override(cli, "schedule.th", arg, 0); return 0;
    case KEY_RANKS: {
      int px, py, used = 0;
      char value[64];
      if (sscanf(arg, "%dx%d%n", &px, &py, &used) != 2 || arg[used]) argp_error(state, "--ranks %s: need PXxPY, such as 4x2", arg);
      snprintf(value, sizeof value, "[%d, %d]", px, py);
      add_override(cli, "schedule.ranks", value, 0);
      return 0;
    }
    case KEY_THREADS: add_override(cli, "schedule.threads", arg, 0); return 0;
    case KEY_TIMELINE: cli->timeline = 1; return 0;
    case KEY_OVERWRITE: cli->overwrite = 1; return 0;
    case 'q': cli->quiet = 1; return 0;
    case ARGP_KEY_ARG:
      if (state->arg_num == 0) {
        for (int c = 0; c < 4; c++)
          if (!strcmp(arg, commands[c])) {
            cli->command = (enum tor_command)c;
            return 0;
          }
        argp_error(state, "unknown command \"%s\": need run, check, plan or materials", arg);
      }
      if (state->arg_num > 1 || cli->command == TOR_COMMAND_MATERIALS) argp_error(state, "unexpected argument \"%s\"", arg);
      cli->job = arg;
      return 0;
    case ARGP_KEY_END:
      if (state->arg_num == 0) argp_error(state, "need a command: run, check, plan or materials");
      if (cli->command != TOR_COMMAND_MATERIALS && !cli->job) argp_error(state, "%s: need a job file", commands[cli->command]);
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

void tor_cli_parse(int argc, char **argv, struct tor_cli *cli) {
  static const struct argp argp = {options, parse_option, "COMMAND [JOB.cfg]", doc, 0, 0, 0};
  memset(cli, 0, sizeof *cli);
  argp_err_exit_status = TOR_EXIT_USER;
  argp_parse(&argp, argc, argv, 0, 0, cli);
}

void tor_cli_free(struct tor_cli *cli) {
  for (int i = 0; i < cli->noverrides; i++) free(cli->overrides[i]);
  free(cli->overrides);
}
