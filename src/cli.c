/* The command line: see cli.h. */
#include "src/cli.h"

#include <argp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "io/config/config_print.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job_keys.h"
#include "src/run/interrupt.h"
#include "src/version.h"

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
    "  keys [GROUP]     the keys of job files: values, units, defaults, meaning (torre keys --help)\n"
    "  tune             measure the CPU and GPU 0 once, so that plans choose well on this machine\n"
    "\n"
    "Every key of a job file is shown in jobs/reference.cfg and by torre keys. Exit status: 0 done, 1 failure of the "
    "machine, "
    "2 fault in the job or the command line, 75 stopped by a signal or --max-time with its state saved: the same "
    "command with --restart continues.";

/* A text as libconfig reads it between quotes. Returns its end. */
static char *escape(char *to, const char *from) {
  for (; *from; from++) {
    if (*from == '"' || *from == '\\' || *from == '\n') *to++ = '\\';
    *to++ = *from;
    if (*from == '\n') to[-1] = 'n';
  }
  return to;
}

static void add_override(struct tor_cli *cli, const char *key, const char *value, int quote) {
  size_t n = strlen(key) + 2 * strlen(value) + 4;
  char **list = realloc(cli->overrides, ((size_t)cli->noverrides + 1) * sizeof *list);
  char *text = malloc(n);
  if (!list || !text) TOR_DIE("out of memory");
  cli->overrides = list;
  if (quote) {
    size_t head = (size_t)snprintf(text, n, "%s=\"", key);
    memcpy(escape(text + head, value), "\"", 2);
  } else
    snprintf(text, n, "%s%s%s", key, *key ? "=" : "", value);
  cli->overrides[cli->noverrides++] = text;
}

static const char *const commands[] = {"run", "check", "plan", "materials", "bench", "tune"};

static int needs_job(const struct tor_cli *cli) { return cli->command < TOR_COMMAND_MATERIALS; }

/* --- Effects of options --- */

typedef void taker(struct tor_cli *cli, char *arg, struct argp_state *state);

static void take_set(struct tor_cli *cli, char *arg, struct argp_state *state) {
  if (!strchr(arg, '=')) argp_error(state, "--set %s: need PATH=VALUE", arg);
  add_override(cli, "", arg, 0);
}

static void take_out(struct tor_cli *cli, char *arg, struct argp_state *state) {
  (void)state;
  cli->bench.out = arg;
}

static void take_device(struct tor_cli *cli, char *arg, struct argp_state *state) {
  (void)state;
  cli->device = arg;
  cli->bench.gpu = strcmp(arg, "gpu") ? -1 : 0;
  cli->tune.cpu = strcmp(arg, "gpu") != 0;
  cli->tune.gpu = strcmp(arg, "cpu") != 0;
}

static void take_threads(struct tor_cli *cli, char *arg, struct argp_state *state) {
  (void)state;
  cli->bench.threads = cli->tune.threads = arg;
}

static void take_memory(struct tor_cli *cli, char *arg, struct argp_state *state) {
  (void)state;
  cli->bench.memory = arg;
}

static void take_ranks(struct tor_cli *cli, char *arg, struct argp_state *state) {
  int px, py, used = 0;
  char value[64];
  if (sscanf(arg, "%dx%d%n", &px, &py, &used) != 2 || arg[used])
    argp_error(state, "--ranks %s: need PXxPY, such as 4x2", arg);
  snprintf(value, sizeof value, "[%d, %d]", px, py);
  add_override(cli, "schedule.ranks", value, 0);
}

static void take_nodes(struct tor_cli *cli, char *arg, struct argp_state *state) {
  char *end;
  long nodes = strtol(arg, &end, 10);
  if (end == arg || *end || nodes < 1 || nodes > 1000000)
    argp_error(state, "--nodes: got \"%s\", need a whole number from 1 to 1000000", arg);
  cli->nodes = (int)nodes;
}

static void take_max_time(struct tor_cli *cli, char *arg, struct argp_state *state) {
  cli->max_seconds = tor_interrupt_parse(arg);
  if (cli->max_seconds <= 0) argp_error(state, "--max-time %s: need [D-]HH:MM:SS above 0, such as 23:50:00", arg);
}

/* "FROM", "FROM:TO" or "FROM:TO:COUNT", in nm. */
static void take_wavelengths(struct tor_cli *cli, char *text, struct argp_state *state) {
  double *w = cli->wavelength;
  int used[3] = {0};
  const int got = sscanf(text, "%lf%n:%lf%n:%d%n", &w[0], &used[0], &w[1], &used[1], &cli->wavelengths, &used[2]);
  if (got == 1) w[1] = w[0];
  if (got < 3) cli->wavelengths = got == 1 ? 1 : 21;
  if (got < 1 || text[used[got - 1]] || !(w[0] > 0 && w[0] < 1e12) || !(w[1] > 0 && w[1] < 1e12) ||
      cli->wavelengths < 1 || cli->wavelengths > 100000)
    argp_error(state, "--wavelengths: got \"%s\", need FROM[:TO[:COUNT]] in nm, such as 400:800:21", text);
}

static void take_size(struct tor_cli *cli, char *arg, struct argp_state *state) {
  (void)state;
  cli->bench.size = cli->tune.size = arg;
}

static void take_seconds(struct tor_cli *cli, char *arg, struct argp_state *state) {
  (void)state;
  cli->bench.seconds = cli->tune.seconds = arg;
}

/* --- The table of options --- */

enum { BARE, QUOTED, NOT_SET }; /* how the value of a job's key is written, or that take does it */

struct cli_option {
  const char *name, *arg, *doc; /* doc of an option with a key: text beyond the table of keys */
  int group;
  const char *key; /* of the job, which the option sets */
  int how;
  taker *take;      /* NULL: nothing more */
  size_t flag_plus; /* offset in struct tor_cli of an int that becomes 1, plus 1; 0: none */
  size_t text_plus; /* of a const char * that becomes the argument, plus 1; 0: none */
};

#define FLAG(member) .flag_plus = offsetof(struct tor_cli, member) + 1
#define TEXT(member) .text_plus = offsetof(struct tor_cli, member) + 1

static const struct cli_option options[] = {
    {"set", "PATH=VALUE", "Override any key of the job, e.g. --set grid.cell=2.0 (may be repeated); keys: torre keys",
     .take = take_set},
    {"out", "DIR", NULL, .key = "output", .how = QUOTED, .take = take_out},
    {"overwrite", NULL, "Replace the results of an earlier run in that folder", FLAG(overwrite)},
    {"restart", NULL, "Continue from the newest checkpoint in that folder; from the beginning when there is none",
     FLAG(restart)},
    {"max-time", "[D-]HH:MM:SS", "Save the state and end with exit status 75 before this much wall time is over",
     .take = take_max_time},
    {"threads", "N", NULL, 1, "schedule.threads", BARE, take_threads, 0, 0},
    {"ranks", "PXxPY", NULL, 1, "schedule.ranks", NOT_SET, take_ranks, 0, 0},
    {"engine", "NAME", NULL, 1, "schedule.engine", QUOTED, NULL, 0, 0},
    {"device", "NAME", NULL, 1, "schedule.device", QUOTED, take_device, 0, 0},
    {"devices", "N", NULL, 1, "schedule.devices", BARE, NULL, 0, 0},
    {"dts", "N", NULL, 1, "schedule.dts", BARE, NULL, 0, 0},
    {"th", "N", NULL, 1, "schedule.th", BARE, NULL, 0, 0},
    {"machine", "FILE", "plan: predict for the machine that FILE describes (jobs/machines/; torre keys --machine)", 1,
     TEXT(machine)},
    {"nodes", "N", "plan: nodes of that machine (default: all)", 1, .take = take_nodes},
    {"device-memory", "GB", "bench: of its window", 1, "schedule.device_memory", BARE, take_memory, 0, 0},
    {"timeline", NULL, "Write timeline.csv: when each rank did which phase of which stage", 2, FLAG(timeline)},
    {"quiet", NULL, "No progress bar and no log on the terminal", 2, FLAG(quiet)},
    {"wavelengths", "FROM[:TO[:COUNT]]", "materials NAME: in nm (default: the visible, 21)", 3,
     .take = take_wavelengths},
    {"features", "LIST", "bench: cases, e.g. vacuum,cpml (default: all)", 3, TEXT(bench.features)},
    {"size", "NX,NY,NZ", "bench, tune: cells (default: 240,192,256 for bench; on a GPU 600,1500,256)", 3,
     .take = take_size},
    {"seconds", "S", "bench, tune: least time of a measurement (default 1; tune 0.25)", 3, .take = take_seconds},
};
enum { NOPTIONS = (int)(sizeof options / sizeof *options), FIRST_KEY = 256 };

/* What argp calls the option. */
static int argp_key(int i) { return strcmp(options[i].name, "quiet") ? FIRST_KEY + i : 'q'; }

static const struct tor_key *job_key(const char *path) {
  for (int i = 0; i < tor_job_keys.count; i++)
    if (!strcmp(tor_job_keys.keys[i].path, path)) return &tor_job_keys.keys[i];
  TOR_DIE("the table of keys has no %s", path);
}

/* argp's view of the table; help of options that set a key comes from the table of keys. */
static const struct argp_option *argp_options(void) {
  enum { TEXT_LENGTH = 320 };
  static struct argp_option made[NOPTIONS + 1];
  static char text[NOPTIONS][TEXT_LENGTH];
  for (int i = 0; i < NOPTIONS; i++) {
    const struct cli_option *o = &options[i];
    made[i] = (struct argp_option){o->name, argp_key(i), o->arg, 0, o->doc, o->group};
    if (!o->key) continue;
    const struct tor_key *key = job_key(o->key);
    int length = (int)strlen(key->help) - 1; /* without the full stop */
    snprintf(text[i], TEXT_LENGTH, "%.*s%s%s (%s; default %s%s%s)", length, key->help, key->words ? ": " : "",
             key->words ? key->words : "", o->key, tor_key_default_text(key), o->doc ? "; " : "", o->doc ? o->doc : "");
    made[i].doc = text[i];
  }
  return made;
}

static void take_option(struct tor_cli *cli, const struct cli_option *o, char *arg, struct argp_state *state) {
  if (o->key && o->how != NOT_SET) add_override(cli, o->key, arg, o->how == QUOTED);
  if (o->flag_plus) *(int *)((char *)cli + o->flag_plus - 1) = 1;
  if (o->text_plus) *(const char **)((char *)cli + o->text_plus - 1) = arg;
  if (o->take) o->take(cli, arg, state);
}

/* --- Arguments --- */

static void take_argument(struct tor_cli *cli, char *arg, struct argp_state *state) {
  if (state->arg_num == 0) {
    for (int c = 0; c < (int)(sizeof commands / sizeof *commands); c++)
      if (!strcmp(arg, commands[c])) {
        cli->command = (enum tor_command)c;
        return;
      }
    argp_error(state,
               "unknown command \"%s\": need run, check, plan, materials, bench, tune, keys or scaling (first word)",
               arg);
  }
  if (state->arg_num == 1 && cli->command == TOR_COMMAND_MATERIALS) {
    cli->medium = arg;
    return;
  }
  if (state->arg_num > 1 || !needs_job(cli)) argp_error(state, "unexpected argument \"%s\"", arg);
  cli->job = arg;
}

static void check_all(const struct tor_cli *cli, struct argp_state *state) {
  if (state->arg_num == 0)
    argp_error(state, "need a command: run, check, plan, materials, bench, tune, keys or scaling");
  if (cli->restart && cli->overwrite)
    argp_error(state, "--restart continues a run, --overwrite starts it from the beginning: use one of them");
  if (!needs_job(cli) && cli->device && strcmp(cli->device, "cpu") && strcmp(cli->device, "gpu") &&
      strcmp(cli->device, "auto"))
    argp_error(state, "--device: got \"%s\", need cpu, gpu or auto", cli->device);
  if (needs_job(cli) && !cli->job) argp_error(state, "%s: need a job file", commands[cli->command]);
  if (cli->wavelengths && !cli->medium) argp_error(state, "--wavelengths belongs to materials NAME");
  if ((cli->machine || cli->nodes) && cli->command != TOR_COMMAND_PLAN)
    argp_error(state, "--machine and --nodes belong to plan");
  if (cli->nodes && !cli->machine) argp_error(state, "--nodes: need --machine FILE");
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct tor_cli *cli = state->input;
  for (int i = 0; i < NOPTIONS; i++)
    if (argp_key(i) == key) {
      take_option(cli, &options[i], arg, state);
      return 0;
    }
  switch (key) {
  case ARGP_KEY_ARG: take_argument(cli, arg, state); return 0;
  case ARGP_KEY_END: check_all(cli, state); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

void tor_cli_parse(int argc, char **argv, struct tor_cli *cli) {
  const struct argp argp = {argp_options(), parse_option, "COMMAND [JOB.cfg]", doc, 0, 0, 0};
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
