/* The command line: see cli.h. */
#include "src/cli.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/run/interrupt.h"
#include "src/version.h"
#include "src/base/types.h"

void (*argp_program_version_hook)(FILE *, struct argp_state *) = tor_version_print;

static const char doc[] =
    "Torre: Maxwell's equations in the time domain (FDTD) for nano-optics, advanced by DiamondTorre towers.\v"
    "Commands:\n"
    "  run JOB.cfg      run the job and write its results folder\n"
    "  check JOB.cfg    report every fault of the job file; exit status 2 if there is one\n"
    "  plan JOB.cfg     grid, time step, memory by part, schedule, predicted time\n"
    "  materials [NAME] the built-in media with their ranges and sources; of one: n, k and poles\n"
    "  scaling OPTIONS  predicted weak and strong scaling on a machine (torre scaling --help)\n"
    "  bench            rates of the engines on this machine: table, CSV, pictures\n"
    "  tune             measure the CPU and GPU 0 once, so that plans choose well on this machine\n"
    "\n"
    "Every key of a job file is shown in jobs/reference.cfg. Exit status: 0 done, 1 failure of the machine, "
    "2 fault in the job or the command line, 75 stopped by a signal or --max-time with its state saved: the same "
    "command with --restart goes on.";

enum {
  KEY_OUT = 256,
  KEY_ENGINE,
  KEY_DEVICE,
  KEY_DEVICES,
  KEY_DTS,
  KEY_TH,
  KEY_MEMORY,
  KEY_THREADS,
  KEY_SET,
  KEY_OVERWRITE,
  KEY_RESTART,
  KEY_MAX_TIME,
  KEY_FEATURES,
  KEY_SIZE,
  KEY_SECONDS,
  KEY_MACHINE,
  KEY_NODES,
  KEY_RANKS,
  KEY_TIMELINE,
  KEY_WAVELENGTHS
};

static const struct argp_option options[] = {
    {"set", KEY_SET, "PATH=VALUE", 0, "Override any key of the job, e.g. --set grid.cell=2.0 (may be repeated)", 0},
    {"out", KEY_OUT, "DIR", 0, "Results folder (default: the job's, or results/JOB)", 0},
    {"overwrite", KEY_OVERWRITE, 0, 0, "Replace the results of an earlier run in that folder", 0},
    {"restart", KEY_RESTART, 0, 0,
     "Go on from the newest checkpoint in that folder; from the beginning when there is none", 0},
    {"max-time", KEY_MAX_TIME, "[D-]HH:MM:SS", 0,
     "Save the state and end with exit status 75 before this much wall time is over", 0},
    {"threads", KEY_THREADS, "N", 0, "Threads (default: all)", 1},
    {"ranks", KEY_RANKS, "PXxPY", 0,
     "Ranks along x and y: processes, by mpirun, times their --devices (default: chosen)", 1},
    {"engine", KEY_ENGINE, "NAME", 0, "stepwise, diamond or auto", 1},
    {"device", KEY_DEVICE, "NAME", 0, "cpu, gpu or auto", 1},
    {"devices", KEY_DEVICES, "N", 0, "GPUs of each process, a rank for each (default 1)", 1},
    {"dts", KEY_DTS, "N", 0,
     "Half-width of a tower, in reaches of the stencil (default: as measured by torre tune, else fits the cache)", 1},
    {"th", KEY_TH, "N", 0, "Steps of a stage: the towers' height (default: as measured by torre tune, else 64)", 1},
    {"machine", KEY_MACHINE, "FILE", 0, "plan: predict for the machine that FILE describes (jobs/machines/)", 1},
    {"nodes", KEY_NODES, "N", 0, "plan: nodes of that machine (default: all)", 1},
    {"device-memory", KEY_MEMORY, "GB", 0,
     "Memory of a GPU that may be used (default: what is free; bench: of its window)", 1},
    {"timeline", KEY_TIMELINE, 0, 0, "Write timeline.csv: when each rank did which phase of which stage", 2},
    {"quiet", 'q', 0, 0, "No progress bar and no log on the terminal", 2},
    {"wavelengths", KEY_WAVELENGTHS, "FROM[:TO[:COUNT]]", 0, "materials NAME: in nm (default: the visible, 21)", 3},
    {"features", KEY_FEATURES, "LIST", 0, "bench: cases, e.g. vacuum,cpml (default: all)", 3},
    {"size", KEY_SIZE, "NX,NY,NZ", 0, "bench, tune: cells (default: 240,192,256 for bench; on a GPU 600,1500,256)", 3},
    {"seconds", KEY_SECONDS, "S", 0, "bench, tune: least time of a measurement (default 1; tune 0.25)", 3},
    {0}};

/* A text as libconfig reads it between quotes. */
static void escape(char *to, const char *from) {
  for (; *from; from++) {
    if (*from == '"' || *from == '\\' || *from == '\n') *to++ = '\\';
    *to++ = *from == '\n' ? 'n' : *from;
  }
  *to = 0;
}

static void add_override(struct tor_cli *cli, const char *key, const char *value, int quote) {
  size_t n = strlen(key) + 2 * strlen(value) + 4;
  char **list = realloc(cli->overrides, ((size_t)cli->noverrides + 1) * sizeof *list);
  char *text = malloc(n);
  if (!list || !text) TOR_DIE("out of memory");
  cli->overrides = list;
  if (quote) {
    size_t head = (size_t)snprintf(text, n, "%s=\"", key);
    escape(text + head, value);
    strcat(text, "\"");
  } else
    snprintf(text, n, "%s%s%s", key, *key ? "=" : "", value);
  cli->overrides[cli->noverrides++] = text;
}

static const char *const commands[] = {"run", "check", "plan", "materials", "bench", "tune"};

static int needs_job(const struct tor_cli *cli) { return cli->command < TOR_COMMAND_MATERIALS; }

/* "FROM", "FROM:TO" or "FROM:TO:COUNT", in nm. */
static void read_wavelengths(struct tor_cli *cli, const char *text, struct argp_state *state) {
  double *w = cli->wavelength;
  int used[3] = {0};
  const int got = sscanf(text, "%lf%n:%lf%n:%d%n", &w[0], &used[0], &w[1], &used[1], &cli->wavelengths, &used[2]);
  if (got == 1) w[1] = w[0];
  if (got < 3) cli->wavelengths = got == 1 ? 1 : 21;
  if (got < 1 || text[used[got - 1]] || !(w[0] > 0 && w[0] < 1e12) || !(w[1] > 0 && w[1] < 1e12) ||
      cli->wavelengths < 1 || cli->wavelengths > 100000)
    argp_error(state, "--wavelengths: got \"%s\", need FROM[:TO[:COUNT]] in nm, such as 400:800:21", text);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct tor_cli *cli = state->input;
  switch (key) {
  case KEY_SET:
    if (!strchr(arg, '=')) argp_error(state, "--set %s: need PATH=VALUE", arg);
    add_override(cli, "", arg, 0);
    return 0;
  case KEY_OUT:
    add_override(cli, "output", arg, 1);
    cli->bench.out = arg;
    return 0;
  case KEY_ENGINE: add_override(cli, "schedule.engine", arg, 1); return 0;
  case KEY_DEVICE:
    add_override(cli, "schedule.device", arg, 1);
    cli->device = arg;
    cli->bench.gpu = strcmp(arg, "gpu") ? -1 : 0;
    cli->tune.cpu = strcmp(arg, "gpu") != 0;
    cli->tune.gpu = strcmp(arg, "cpu") != 0;
    return 0;
  case KEY_DEVICES: add_override(cli, "schedule.devices", arg, 0); return 0;
  case KEY_DTS: add_override(cli, "schedule.dts", arg, 0); return 0;
  case KEY_TH: add_override(cli, "schedule.th", arg, 0); return 0;
  case KEY_THREADS:
    add_override(cli, "schedule.threads", arg, 0);
    cli->bench.threads = cli->tune.threads = arg;
    return 0;
  case KEY_FEATURES: cli->bench.features = arg; return 0;
  case KEY_SIZE: cli->bench.size = cli->tune.size = arg; return 0;
  case KEY_SECONDS: cli->bench.seconds = cli->tune.seconds = arg; return 0;
  case KEY_MEMORY:
    add_override(cli, "schedule.device_memory", arg, 0);
    cli->bench.memory = arg;
    return 0;
  case KEY_RANKS: {
    int px, py, used = 0;
    char value[64];
    if (sscanf(arg, "%dx%d%n", &px, &py, &used) != 2 || arg[used])
      argp_error(state, "--ranks %s: need PXxPY, such as 4x2", arg);
    snprintf(value, sizeof value, "[%d, %d]", px, py);
    add_override(cli, "schedule.ranks", value, 0);
    return 0;
  }
  case KEY_WAVELENGTHS: read_wavelengths(cli, arg, state); return 0;
  case KEY_TIMELINE: cli->timeline = 1; return 0;
  case KEY_OVERWRITE: cli->overwrite = 1; return 0;
  case KEY_MACHINE: cli->machine = arg; return 0;
  case KEY_NODES: {
    char *end;
    long nodes = strtol(arg, &end, 10);
    if (end == arg || *end || nodes < 1 || nodes > 1000000)
      argp_error(state, "--nodes: got \"%s\", need a whole number from 1 to 1000000", arg);
    cli->nodes = (int)nodes;
    return 0;
  }
  case KEY_RESTART: cli->restart = 1; return 0;
  case KEY_MAX_TIME:
    cli->max_seconds = tor_interrupt_parse(arg);
    if (cli->max_seconds <= 0) argp_error(state, "--max-time %s: need [D-]HH:MM:SS above 0, such as 23:50:00", arg);
    return 0;
  case 'q': cli->quiet = 1; return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num == 0) {
      for (int c = 0; c < (int)(sizeof commands / sizeof *commands); c++)
        if (!strcmp(arg, commands[c])) {
          cli->command = (enum tor_command)c;
          return 0;
        }
      argp_error(state, "unknown command \"%s\": need run, check, plan, materials, bench, tune or scaling (first word)",
                 arg);
    }
    if (state->arg_num == 1 && cli->command == TOR_COMMAND_MATERIALS) {
      cli->medium = arg;
      return 0;
    }
    if (state->arg_num > 1 || !needs_job(cli)) argp_error(state, "unexpected argument \"%s\"", arg);
    cli->job = arg;
    return 0;
  case ARGP_KEY_END:
    if (state->arg_num == 0) argp_error(state, "need a command: run, check, plan, materials, bench, tune or scaling");
    if (cli->restart && cli->overwrite)
      argp_error(state, "--restart goes on with a run, --overwrite starts it anew: use one of them");
    if (!needs_job(cli) && cli->device && strcmp(cli->device, "cpu") && strcmp(cli->device, "gpu") &&
        strcmp(cli->device, "auto"))
      argp_error(state, "--device: got \"%s\", need cpu, gpu or auto", cli->device);
    if (needs_job(cli) && !cli->job) argp_error(state, "%s: need a job file", commands[cli->command]);
    if (cli->wavelengths && !cli->medium) argp_error(state, "--wavelengths belongs to materials NAME");
    if ((cli->machine || cli->nodes) && cli->command != TOR_COMMAND_PLAN)
      argp_error(state, "--machine and --nodes belong to plan");
    if (cli->nodes && !cli->machine) argp_error(state, "--nodes: need --machine FILE");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

void tor_cli_parse(int argc, char **argv, struct tor_cli *cli) {
  static const struct argp argp = {options, parse_option, "COMMAND [JOB.cfg]", doc, 0, 0, 0};
  memset(cli, 0, sizeof *cli);
  cli->bench = (struct tor_bench_options){.out = "results/bench", .gpu = -1};
  cli->tune = (struct tor_tune_options){.cpu = 1, .gpu = 1};
  argp_err_exit_status = TOR_EXIT_USER;
  argp_parse(&argp, argc, argv, 0, 0, cli);
}

void tor_cli_free(struct tor_cli *cli) {
  for (int i = 0; i < cli->noverrides; i++) free(cli->overrides[i]);
  free(cli->overrides);
}
