/* The command line of torre scaling: see scaling.h. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "io/image/image.h"
#include "src/base/command_line.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/predict/machine.h"
#include "src/predict/machine_file.h"
#include "src/predict/scaling.h"

static const char doc[] =
    "Predicts weak and strong scaling on the machine that FILE describes (jobs/machines/), whether it has that many "
    "nodes or not. "
    "Prints a table for each series and, with --out, writes it as CSV with a picture.\v"
    "--cells are those of one rank for the weak series and of the whole domain for the strong one. "
    "docs/design/cluster-model.md explains each formula.\n\n"
    "Example:\n"
    "  torre scaling --machine jobs/machines/h200-8.cfg --cells 3000,1584,256 --weak-x";

enum {
  KEY_MACHINE = 256,
  KEY_CELLS,
  KEY_ORDER,
  KEY_PRECISION,
  KEY_TH,
  KEY_STEPS,
  KEY_RANKS,
  KEY_SHARE,
  KEY_BYTES,
  KEY_OUT,
  KEY_SERIES
};

static const struct argp_option options[] = {
    {"machine", KEY_MACHINE, "FILE", 0, "The machine (needed)", 0},
    {"weak-x", KEY_SERIES + TOR_WEAK_X, 0, 0, "Ranks along X, the same cells for each", 1},
    {"weak-y", KEY_SERIES + TOR_WEAK_Y, 0, 0, "Ranks along Y, the same cells for each", 1},
    {"strong-x", KEY_SERIES + TOR_STRONG_X, 0, 0, "Ranks along X, the same cells for all", 1},
    {"strong-y", KEY_SERIES + TOR_STRONG_Y, 0, 0, "Ranks along Y, the same cells for all", 1},
    {"cells", KEY_CELLS, "NX,NY,NZ", 0, "Cells of a rank, or of the domain (needed)", 2},
    {"order", KEY_ORDER, "N", 0, "2 or 4 (default 2)", 2},
    {"bytes", KEY_BYTES, "N", 0, "Memory of a cell (default: 6 values of the precision)", 2},
    {"precision", KEY_PRECISION, "NAME", 0, "fp32 or fp64 (default fp32)", 2},
    {"th", KEY_TH, "N", 0, "Steps of a stage (default: the best for each number of ranks)", 2},
    {"steps", KEY_STEPS, "N", 0, "Time steps of a run (default 100000)", 2},
    {"ranks", KEY_RANKS, "N", 0, "The most ranks, up to 65536 (default 16384)", 2},
    {"ranks-per-node", KEY_SHARE, "N", 0, "Ranks that share a node and its devices (default 1)", 2},
    {"out", KEY_OUT, "DIR", 0, "Folder for the tables and pictures", 3},
    {0}};

struct command {
  const char *machine, *out;
  int series[TOR_NSCALING];
  struct tor_scaling scaling;
};

static int whole(struct argp_state *state, const char *option, const char *text, double least, double most) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= least && value <= most) || value != floor(value))
    argp_error(state, "--%s: got \"%s\", need a whole number from %.0f to %.0f", option, text, least, most);
  return (int)value;
}

static void read_cells(struct argp_state *state, const char *text, tor_gidx n[3]) {
  if (tor_grid_read_cells(text, n))
    argp_error(state, "--cells: got \"%s\", need three whole numbers from 1 to 1073741823, such as 3000,1584,256",
               text);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct command *c = state->input;
  struct tor_scaling *s = &c->scaling;
  switch (key) {
  case KEY_MACHINE: c->machine = arg; return 0;
  case KEY_OUT: c->out = arg; return 0;
  case KEY_SERIES + TOR_WEAK_X:
  case KEY_SERIES + TOR_WEAK_Y:
  case KEY_SERIES + TOR_STRONG_X:
  case KEY_SERIES + TOR_STRONG_Y: c->series[key - KEY_SERIES] = 1; return 0;
  case KEY_CELLS: read_cells(state, arg, s->domain.n); return 0;
  case KEY_ORDER:
    s->domain.order = whole(state, "order", arg, 2, 4);
    if (s->domain.order == 3) argp_error(state, "--order: got \"3\", need 2 or 4");
    return 0;
  case KEY_PRECISION:
    if (strcmp(arg, "fp32") && strcmp(arg, "fp64"))
      argp_error(state, "--precision: got \"%s\", need fp32 or fp64", arg);
    s->domain.precision = strcmp(arg, "fp32") ? TOR_F64 : TOR_F32;
    return 0;
  case KEY_BYTES: s->domain.cell = whole(state, "bytes", arg, 6, 1e6); return 0;
  case KEY_TH: s->th = whole(state, "th", arg, 1, 1e6); return 0;
  case KEY_STEPS: s->steps = whole(state, "steps", arg, 1, 1e9); return 0;
  case KEY_RANKS: s->ranks = whole(state, "ranks", arg, 1, 65536); return 0;
  case KEY_SHARE: s->ranks_per_node = whole(state, "ranks-per-node", arg, 1, 1024); return 0;
  case ARGP_KEY_ARG: argp_error(state, "unexpected argument \"%s\"", arg); return 0;
  case ARGP_KEY_END:
    if (!c->machine) argp_error(state, "need --machine FILE");
    if (!s->domain.n[0]) argp_error(state, "need --cells NX,NY,NZ");
    if (!c->series[TOR_WEAK_X] && !c->series[TOR_WEAK_Y] && !c->series[TOR_STRONG_X] && !c->series[TOR_STRONG_Y])
      argp_error(state, "need at least one of --weak-x, --weak-y, --strong-x, --strong-y");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* One series: printed, written. The exit status. */
static int run_series(const struct tor_machine *machine, const struct tor_scaling *scaling, const char *folder,
                      struct tor_faults *faults) {
  struct tor_scaling_point *points;
  char why[256];
  int count = tor_scaling_make(machine, scaling, &points, why), status = TOR_EXIT_OK;
  if (!count) {
    tor_fault(faults, "--%s: %s", tor_scaling_name(scaling->kind), why);
    return TOR_EXIT_USER;
  }
  tor_scaling_print(machine, scaling, points, count, stdout);
  int written = folder ? tor_scaling_write(machine, scaling, points, count, folder) : 0;
  if (written < 0) {
    fprintf(stderr, "torre: %s/%s.csv or .png could not be written: %s\n", folder, tor_scaling_name(scaling->kind),
            strerror(errno));
    status = TOR_EXIT_FAILURE;
  } else if (folder && !tor_image_version()) {
    printf("no picture: this build has no cairo\n");
  }
  free(points);
  return status;
}

const struct argp tor_scaling_argp = {options, parse, 0, doc, 0, 0, 0};

int tor_scaling_main(int argc, char **argv) {
  struct command c = {
      .scaling = {.domain = {.order = 2, .precision = TOR_F32}, .ranks_per_node = 1, .steps = 100000, .ranks = 16384}};
  struct tor_machine machine;
  struct tor_faults faults = {0};
  char name[] = "torre scaling", why[1024];
  argv[0] = name;
  tor_command_line_parse(&tor_scaling_argp, argc, argv, &c, TOR_EXIT_USER);
  if (c.scaling.domain.cell <= 0) c.scaling.domain.cell = 6.0 * c.scaling.domain.precision;
  int status = TOR_EXIT_OK;
  if (tor_machine_read(c.machine, &machine, &faults)) {
    if (c.out && tor_folder_make(c.out, why, sizeof why)) tor_fault(&faults, "%s", why);
    for (int k = 0; k < TOR_NSCALING && !faults.count && status == TOR_EXIT_OK; k++) {
      c.scaling.kind = (enum tor_scaling_kind)k;
      if (c.series[k]) status = run_series(&machine, &c.scaling, c.out, &faults);
    }
    tor_machine_free(&machine);
  }
  if (!faults.count) return status;
  tor_faults_print(&faults, stderr);
  tor_faults_free(&faults);
  return TOR_EXIT_USER;
}
