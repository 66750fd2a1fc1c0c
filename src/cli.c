/* The command line: see cli.h. */
#include "src/cli.h"

#include <argp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "io/config/config_print.h"
#include "src/base/command_line.h"
#include "src/base/concurrent.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/commands.h"
#include "src/job/job_keys.h"
#include "src/run/interrupt.h"
#include "src/study/study.h"
#include "src/version.h"

void (*argp_program_version_hook)(FILE *, struct argp_state *) = tor_version_print;

/* The help without a command: the list of commands, in a static buffer. */
static const char *general_doc(void) {
  static char text[2048];
  size_t n = (size_t)snprintf(text, sizeof text,
                              "Torre: Maxwell's equations in the time domain (FDTD) for nano-optics, advanced by "
                              "DiamondTorre towers.\vCommands:\n");
  for (int c = 0; c < TOR_NCOMMANDS; c++) {
    const struct tor_command_text *t = &tor_commands[c];
    char head[32];
    snprintf(head, sizeof head, "%s %s", t->name, t->arguments);
    n += (size_t)snprintf(text + n, sizeof text - n, "  %-16s %s\n", head, t->summary);
  }
  snprintf(text + n, sizeof text - n,
           "\nOptions and examples of a command: torre help COMMAND\n"
           "How do I ...: ready jobs by torre example; torre --version names the folder of\n"
           "the pages, such as user/how-do-i.md");
  return text;
}

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

static int needs_job(enum tor_command command) { return command < TOR_COMMAND_EXAMPLE; }

/* --- Effects of options --- */

typedef void taker(struct tor_cli *cli, char *arg, struct argp_state *state);

static void take_set(struct tor_cli *cli, char *arg, struct argp_state *state) {
  if (!strchr(arg, '=')) argp_error(state, "--set %s: need PATH=VALUE", arg);
  add_override(cli, "", arg, 0);
}

static const char **with(const char **list, int count, const char *text) {
  const char **longer = realloc(list, ((size_t)count + 1) * sizeof *longer);
  if (!longer) TOR_DIE("out of memory");
  longer[count] = text;
  return longer;
}

static void take_sweep(struct tor_cli *cli, char *arg, struct argp_state *state) {
  if (!strchr(arg, '=') || *arg == '=')
    argp_error(state, "--sweep %s: need PATH=FROM:TO:COUNT, such as objects[0].radius=20:60:9, or PATH=VALUE,VALUE,...",
               arg);
  cli->sweeps = with(cli->sweeps, cli->nsweeps++, arg);
}

static void take_jobs(struct tor_cli *cli, char *arg, struct argp_state *state) {
  char *end;
  const long jobs = strtol(arg, &end, 10);
  if (end == arg || *end || jobs < 1 || jobs > TOR_CONCURRENT_MOST)
    argp_error(state, "--jobs: got \"%s\", need a whole number from 1 to %d", arg, TOR_CONCURRENT_MOST);
  cli->at_once = (int)jobs;
}

static void take_out(struct tor_cli *cli, char *arg, struct argp_state *state) {
  (void)state;
  cli->bench.out = arg;
  cli->has_out = 1;
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

static void take_along(struct tor_cli *cli, char *arg, struct argp_state *state) {
  if ((*arg != 'x' && *arg != 'y') || arg[1]) argp_error(state, "--along: got \"%s\", need x or y", arg);
  cli->along = (unsigned char)*arg;
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

static void take_progress(struct tor_cli *cli, char *arg, struct argp_state *state) {
  if (strcmp(arg, "json") != 0 && strcmp(arg, "text") != 0)
    argp_error(state, "--progress: got \"%s\", need json or text", arg);
  cli->progress_json = !strcmp(arg, "json");
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

/* The commands that an option belongs to, whose help shows it. */
enum {
  RUN = 1 << TOR_COMMAND_RUN,
  PLAN = 1 << TOR_COMMAND_PLAN,
  STUDY = 1 << TOR_COMMAND_STUDY,
  BANDS = 1 << TOR_COMMAND_BANDS,
  RUNS = RUN | STUDY | BANDS,
  MODES = 1 << TOR_COMMAND_MODES,
  ANSWER = 1 << TOR_COMMAND_CHECK | PLAN,
  JOB = RUNS | ANSWER,
  MATERIALS = 1 << TOR_COMMAND_MATERIALS,
  BENCH = 1 << TOR_COMMAND_BENCH,
  TUNE = 1 << TOR_COMMAND_TUNE
};

enum { BARE, QUOTED, NOT_SET }; /* how the value of a job's key is written, or that take does it */

struct cli_option {
  const char *name, *arg, *doc; /* doc of an option with a key: for bench and tune */
  int commands;                 /* bits: those above */
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
     JOB | MODES, .take = take_set},
    {"out", "DIR", "Folder of the results (default results/bench)", JOB | MODES | BENCH, .key = "output", .how = QUOTED,
     .take = take_out},
    {"sweep", "PATH=FROM:TO:COUNT",
     "Run the job at so many values of a key, or at PATH=VALUE,VALUE,... (may be "
     "repeated: all combinations)",
     RUN, .take = take_sweep},
    {"jobs", "N",
     "Of several jobs, a sweep or an ensemble: run N at a time (default: 16 of small ones on a GPU, else 1)",
     RUN | STUDY, .take = take_jobs},
    {"cells", "LIST", "Edges of the cells in the job's length_unit, two or more, such as 2,1.4,1", STUDY, TEXT(cells)},
    {"points", "LIST", "Of th, towers, roofline: steps of a stage, or towers; of weak, strong: ranks; such as 1,2,4",
     STUDY, TEXT(points)},
    {"along", "AXIS", "Of weak, strong: x or y (default x)", STUDY, .take = take_along},
    {"no-run", NULL, "Not of cells: write the list of runs, and report those that are finished", STUDY,
     FLAG(list_only)},
    {"overwrite", NULL, "Replace the results of an earlier run in that folder", RUNS, FLAG(overwrite)},
    {"restart", NULL, "Continue from the newest checkpoint in that folder; from the beginning when there is none", RUNS,
     FLAG(restart)},
    {"max-time", "[D-]HH:MM:SS", "Save the state and end with exit status 75 before this much wall time is over", RUNS,
     .take = take_max_time},
    {"threads", "N", "Threads (default: all cores)", JOB | BENCH | TUNE, 1, "schedule.threads", BARE, take_threads, 0,
     0},
    {"ranks", "PXxPY", NULL, JOB, 1, "schedule.ranks", NOT_SET, take_ranks, 0, 0},
    {"engine", "NAME", NULL, JOB, 1, "schedule.engine", QUOTED, NULL, 0, 0},
    {"device", "NAME", "cpu or gpu (default: bench cpu, tune both)", JOB | BENCH | TUNE, 1, "schedule.device", QUOTED,
     take_device, 0, 0},
    {"devices", "N", NULL, JOB, 1, "schedule.devices", BARE, NULL, 0, 0},
    {"dts", "N", NULL, JOB, 1, "schedule.dts", BARE, NULL, 0, 0},
    {"th", "N", NULL, JOB, 1, "schedule.th", BARE, NULL, 0, 0},
    {"machine", "FILE", "Predict for the machine that FILE describes (jobs/machines/; torre keys --machine)",
     PLAN | STUDY, 1, TEXT(machine)},
    {"nodes", "N", "Nodes of that machine (default: all)", PLAN, 1, .take = take_nodes},
    {"device-memory", "GB", "Memory of the window that is measured", JOB | BENCH, 1, "schedule.device_memory", BARE,
     take_memory, 0, 0},
    {"json", NULL, "The answer as one JSON object on stdout, with faults, warnings, verdict and sizes, or the modes",
     ANSWER | MODES, 2, FLAG(json)},
    {"progress", "FORM", "json: the progress as lines of JSON on stderr, one a second; text: as without", RUNS, 2,
     .take = take_progress},
    {"timeline", NULL, "Write timeline.csv: when each rank did which phase of which stage", RUN, 2, FLAG(timeline)},
    {"quiet", NULL, "No progress bar and no log on the terminal", RUNS, 2, FLAG(quiet)},
    {"wavelengths", "FROM[:TO[:COUNT]]", "With NAME: in nm (default: the visible, 21)", MATERIALS, 3,
     .take = take_wavelengths},
    {"features", "LIST", "Cases, e.g. vacuum,cpml (default: all)", BENCH, 3, TEXT(bench.features)},
    {"size", "NX,NY,NZ", "Cells (default: 240,192,256 for bench; on a GPU 600,1500,256)", BENCH | TUNE, 3,
     .take = take_size},
    {"seconds", "S", "Least time of a measurement (default 1 for bench, 0.25 for tune)", BENCH | TUNE, 3,
     .take = take_seconds},
};
enum { NOPTIONS = (int)(sizeof options / sizeof *options), FIRST_KEY = 256 };

/* What argp calls the option. */
static int argp_key(int i) { return strcmp(options[i].name, "quiet") ? FIRST_KEY + i : 'q'; }

static const struct tor_key *job_key(const char *path) {
  for (int i = 0; i < tor_job_keys.count; i++)
    if (!strcmp(tor_job_keys.keys[i].path, path)) return &tor_job_keys.keys[i];
  TOR_DIE("the table of keys has no %s", path);
}

/* argp's view of the table for one command; for a job, help of options that set a key comes from the
 * table of keys. */
static const struct argp_option *argp_options(enum tor_command command) {
  enum { TEXT_LENGTH = 320 };
  static struct argp_option made[NOPTIONS + 1];
  static char text[NOPTIONS][TEXT_LENGTH];
  for (int i = 0; i < NOPTIONS; i++) {
    const struct cli_option *o = &options[i];
    const int flags = o->commands >> command & 1 ? 0 : OPTION_HIDDEN;
    made[i] = (struct argp_option){o->name, argp_key(i), o->arg, flags, o->doc, o->group};
    if (!o->key || (flags == 0 && !needs_job(command))) continue;
    const struct tor_key *key = job_key(o->key);
    int length = (int)strlen(key->help) - 1; /* without the full stop */
    snprintf(text[i], TEXT_LENGTH, "%.*s%s%s (%s; default %s)", length, key->help, key->words ? ": " : "",
             key->words ? key->words : "", o->key, tor_key_default_text(key));
    made[i].doc = text[i];
  }
  return made;
}

static void take_option(struct tor_cli *cli, const struct cli_option *o, char *arg, struct argp_state *state) {
  if (o->key && o->how != NOT_SET) add_override(cli, o->key, arg, o->how == QUOTED);
  if (o->flag_plus) *(int *)((char *)cli + o->flag_plus - 1) = 1;
  if (o->text_plus) *(const char **)((char *)cli + o->text_plus - 1) = arg;
  if (o->take) o->take(cli, arg, state);
  cli->options |= 1u << (o - options);
}

/* --- Arguments --- */

static void take_argument(struct tor_cli *cli, char *arg, struct argp_state *state) {
  if (cli->command == TOR_NCOMMANDS) {
    cli->command = tor_command_find(arg);
    if (cli->command == TOR_NCOMMANDS) argp_error(state, "unknown command \"%s\": need %s", arg, tor_command_names());
    if (!tor_commands[cli->command].doc) argp_error(state, "%s: need this command as the first word", arg);
  } else if (cli->command == TOR_COMMAND_MATERIALS && !cli->medium)
    cli->medium = arg;
  else if (cli->command == TOR_COMMAND_STUDY && cli->study == TOR_NSTUDIES) {
    cli->study = tor_study_find(arg);
    if (cli->study == TOR_NSTUDIES)
      argp_error(state, "unknown study \"%s\": need %s, then a job file", arg, tor_study_names());
  } else if (needs_job(cli->command) && (!cli->job || cli->command == TOR_COMMAND_RUN)) {
    if (!cli->job) cli->job = arg;
    cli->jobs = with(cli->jobs, cli->njobs++, arg);
  } else
    argp_error(state, "unexpected argument \"%s\"", arg);
}

/* Each option belongs to the command; options of run are taken by check and plan, too. */
static void check_options(const struct tor_cli *cli, struct argp_state *state) {
  for (int i = 0; i < NOPTIONS; i++) {
    const int commands = options[i].commands | (options[i].commands & RUN ? RUN | ANSWER : 0);
    if (!(cli->options >> i & 1) || commands >> cli->command & 1) continue;
    char text[128] = "";
    for (int c = 0; c < TOR_NCOMMANDS; c++)
      if (options[i].commands >> c & 1)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", tor_commands[c].name);
    argp_error(state, "--%s belongs to %s", options[i].name, text);
  }
}

static void check_all(const struct tor_cli *cli, struct argp_state *state) {
  if (cli->command == TOR_NCOMMANDS) argp_error(state, "need a command: %s", tor_command_names());
  check_options(cli, state);
  if (cli->restart && cli->overwrite)
    argp_error(state, "--restart continues a run, --overwrite starts it from the beginning: use one of them");
  if (!needs_job(cli->command) && cli->device && strcmp(cli->device, "cpu") && strcmp(cli->device, "gpu") &&
      strcmp(cli->device, "auto"))
    argp_error(state, "--device: got \"%s\", need cpu, gpu or auto", cli->device);
  if (cli->command == TOR_COMMAND_STUDY && cli->study == TOR_NSTUDIES)
    argp_error(state, "study: need %s, then a job file", tor_study_names());
  if (needs_job(cli->command) && !cli->job) argp_error(state, "%s: need a job file", tor_commands[cli->command].name);
  if (cli->command == TOR_COMMAND_STUDY && cli->study == TOR_STUDY_CELLS && !cli->cells)
    argp_error(state, "study cells: need --cells LIST, edges of the cells such as --cells 2,1.4,1");
  if (cli->command == TOR_COMMAND_STUDY && cli->study != TOR_STUDY_CELLS && cli->cells)
    argp_error(state, "--cells belongs to study cells");
  if ((cli->study == TOR_STUDY_CELLS || cli->study == TOR_STUDY_SMATRIX || cli->study == TOR_STUDY_ENSEMBLE) &&
      (cli->points || cli->list_only || cli->machine))
    argp_error(state, "study %s: --points, --no-run and --machine belong to studies of rates",
               tor_study_name(cli->study));
  if (cli->wavelengths && !cli->medium) argp_error(state, "--wavelengths belongs to materials NAME");
  if (cli->nsweeps && cli->command != TOR_COMMAND_RUN) argp_error(state, "--sweep belongs to run");
  if (cli->at_once > 1 && !cli->nsweeps && cli->njobs < 2 && cli->study != TOR_STUDY_ENSEMBLE)
    argp_error(state, "--jobs: need several jobs, or --sweep, or study ensemble");
  if (cli->nsweeps && cli->njobs > 1) argp_error(state, "--sweep: need one job file, not %d", cli->njobs);
  if (cli->json && cli->machine) argp_error(state, "--json: not with --machine");
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

const struct argp *tor_cli_argp(enum tor_command command) {
  static struct argp argp;
  const int general = command == TOR_NCOMMANDS;
  const char *arguments = general ? "COMMAND [ARGUMENT]" : tor_commands[command].arguments;
  argp = (struct argp){argp_options(command),
                       parse_option,
                       *arguments ? arguments : NULL,
                       general ? general_doc() : tor_commands[command].doc,
                       0,
                       0,
                       0};
  return &argp;
}

void tor_cli_parse(int argc, char **argv, struct tor_cli *cli) {
  memset(cli, 0, sizeof *cli);
  cli->bench = (struct tor_bench_options){.out = "results/bench", .gpu = -1};
  cli->tune = (struct tor_tune_options){.cpu = 1, .gpu = 1};
  cli->study = TOR_NSTUDIES;
  cli->along = 'x';
  cli->command = argc > 1 ? tor_command_find(argv[1]) : TOR_NCOMMANDS; /* or a later word, after options */
  if (cli->command == TOR_NCOMMANDS) {
    tor_command_line_parse(tor_cli_argp(cli->command), argc, argv, cli, TOR_EXIT_USER);
    return;
  }
  char name[32], *word = argv[1];
  snprintf(name, sizeof name, "torre %s", word);
  argv[1] = name;
  tor_command_line_parse(tor_cli_argp(cli->command), argc - 1, argv + 1, cli, TOR_EXIT_USER);
  argv[1] = word;
}

void tor_cli_free(struct tor_cli *cli) {
  for (int i = 0; i < cli->noverrides; i++) free(cli->overrides[i]);
  free(cli->overrides);
  free(cli->jobs);
  free(cli->sweeps);
}
