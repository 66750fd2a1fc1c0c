/* The command line of torre classic: see classic_cli.h. */
#include "src/classic/classic_cli.h"

#include <argp.h>
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_case.h"
#include "diamond/classic/classic_dts1.h"
#include "diamond/gpu/device.h"
#include "io/files/folder.h"
#include "src/base/command_line.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/bench/bench_option.h"
#include "src/classic/classic_compare.h"
#include "src/classic/classic_figure.h"
#include "src/classic/classic_measure.h"
#include "src/classic/classic_slab.h"

static const char doc[] =
    "Runs the FDTD kernels of four papers beside Torre's engines: the same problem, the same bits. One engine with "
    "--engine, all of them on one uniform box with --compare, a paper's table or figure with --figure. Rates, bytes a "
    "cell, share of a copy's bandwidth; each engine's bits are compared with loops on the CPU. "
    "docs/user/classic.md has the papers and the results.\v"
    "Without a GPU the loops and Torre's engines on the CPU remain. Exit status: 0; 1 when bits differ or a file could "
    "not be written; 2 on wrong options.\n\n"
    "Examples:\n"
    "  torre classic --compare 120,96,128 --device cpu\n"
    "  torre classic --engine takada-shared --cells 8191,8191 --block 32,4\n"
    "  torre classic --figure list\n"
    "  torre classic --figure giraud-table4.1 --out results/classic";

enum {
  KEY_ENGINE = 256,
  KEY_COMPARE,
  KEY_FIGURE,
  KEY_CELLS,
  KEY_BLOCK,
  KEY_VARIANT,
  KEY_CHUNK,
  KEY_CASE,
  KEY_RULE,
  KEY_PRECISION,
  KEY_STEPS,
  KEY_REPEAT,
  KEY_DEVICE,
  KEY_THREADS,
  KEY_SECONDS,
  KEY_SMALL,
  KEY_OUT,
  KEY_JSON
};

static const struct argp_option options[] = {
    {"engine", KEY_ENGINE, "NAME", 0,
     "naive, naive-omp, takada-shared, takada-plain, demir-xyz, demir-xy, giraud-1, giraud-2, giraud-3, zakirov-dts1",
     0},
    {"compare", KEY_COMPARE, "NX,NY,NZ", 0, "All engines on a uniform box of so many cells, in both precisions", 0},
    {"figure", KEY_FIGURE, "NAME", 0, "A table or figure of a paper; list: their names", 0},
    {"cells", KEY_CELLS, "NX,NY[,NZ]", 0, "Cells of --engine (default 256,256,256, and 1023,1023 for Takada's)", 1},
    {"block", KEY_BLOCK, "X[,Y]", 0, "Threads of a block (default: the author's best)", 1},
    {"variant", KEY_VARIANT, "LIST", 0, "Of index, old, constant, axis-i, sync, shared, cube", 1},
    {"chunk", KEY_CHUNK, "N", 0, "giraud-3: consecutive cells of a thread (default 1)", 1},
    {"case", KEY_CASE, "NAME", 0, "tm, te, uniform or media (default: the author's)", 1},
    {"rule", KEY_RULE, "NAME", 0, "Order of operations: author (default) or torre, which has the engines' bits", 1},
    {"precision", KEY_PRECISION, "NAME", 0, "fp32 or fp64 (default fp32; --compare: both)", 2},
    {"steps", KEY_STEPS, "N", 0, "Steps of a measurement (default: as many as --seconds takes)", 2},
    {"repeat", KEY_REPEAT, "N", 0, "The mean of N measurements, as papers have it (default: the best of three)", 2},
    {"seconds", KEY_SECONDS, "S", 0, "Least time of a measurement (default 1)", 2},
    {"device", KEY_DEVICE, "NAME", 0, "cpu, gpu or auto (default auto: a GPU where there is one)", 2},
    {"threads", KEY_THREADS, "N", 0, "Threads on the CPU (default: all cores)", 2},
    {"small", KEY_SMALL, 0, 0, "Figures in small sizes, in seconds", 2},
    {"out", KEY_OUT, "DIR", 0, "Folder for tables and pictures (default results/classic)", 3},
    {"json", KEY_JSON, 0, 0, "The rows as one JSON object on stdout", 3},
    {0}};

struct command {
  const char *engine, *compare, *figure, *cells, *block, *variant, *chunk, *scheme, *rule, *precision, *steps, *repeat;
  const char *device, *threads, *seconds, *out;
  int small, json;
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct command *c = state->input;
  switch (key) {
  case KEY_ENGINE: c->engine = arg; return 0;
  case KEY_COMPARE: c->compare = arg; return 0;
  case KEY_FIGURE: c->figure = arg; return 0;
  case KEY_CELLS: c->cells = arg; return 0;
  case KEY_BLOCK: c->block = arg; return 0;
  case KEY_VARIANT: c->variant = arg; return 0;
  case KEY_CHUNK: c->chunk = arg; return 0;
  case KEY_CASE: c->scheme = arg; return 0;
  case KEY_RULE: c->rule = arg; return 0;
  case KEY_PRECISION: c->precision = arg; return 0;
  case KEY_STEPS: c->steps = arg; return 0;
  case KEY_REPEAT: c->repeat = arg; return 0;
  case KEY_DEVICE: c->device = arg; return 0;
  case KEY_THREADS: c->threads = arg; return 0;
  case KEY_SECONDS: c->seconds = arg; return 0;
  case KEY_SMALL: c->small = 1; return 0;
  case KEY_OUT: c->out = arg; return 0;
  case KEY_JSON: c->json = 1; return 0;
  case ARGP_KEY_ARG: argp_error(state, "unexpected argument \"%s\"", arg); return 0;
  case ARGP_KEY_END:
    if (!c->engine + !c->compare + !c->figure != 2) argp_error(state, "need one of --engine, --compare, --figure");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

const struct argp tor_classic_argp = {options, parse, 0, doc, 0, 0, 0};

/* The place of a text in a list that ends with NULL; else a fault, and -1. NULL: 0. */
static int word(const char *option, const char *text, const char *const *list, const char *needed,
                struct tor_faults *faults) {
  for (int i = 0; list[i]; i++)
    if (!text || !strcmp(text, list[i])) return i;
  tor_fault(faults, "%s: got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("%s"), option, text, needed);
  return -1;
}

/* `least` to `most` whole numbers, separated by commas; those that are not given stay. Returns their number. */
static int numbers(const char *option, const char *text, int least, int most, int n[3], struct tor_faults *faults) {
  int count = 0;
  for (const char *at = text; at && count <= most; count++) {
    char *end;
    const long value = strtol(at, &end, 10);
    if (end == at || (*end && *end != ',') || value < 1 || value > 1 << 20 || count == most) {
      count = -1;
      break;
    }
    n[count] = (int)value;
    at = *end ? end + 1 : NULL;
  }
  if (text && count < least)
    tor_fault(faults, "%s: got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("%d to %d whole numbers from 1 to 1048576"),
              option, text, least, most);
  return count;
}

/* What the options say of all kinds. */
struct plan {
  struct tor_classic_bench bench;
  enum tor_precision precision;
  int dts1;
  struct tor_classic_launch launch;
  struct tor_classic_wish wish;
  const struct tor_classic_figure *figure;
  int box[3];
};

static void read_device(const struct command *c, struct plan *p, struct tor_faults *faults) {
  static const char *const devices[] = {"auto", "cpu", "gpu", NULL};
  const int device = word("--device", c->device, devices, "cpu, gpu or auto", faults);
  p->bench.gpu = device != 1 && tor_device_count() ? 0 : -1;
  if (device == 2 && p->bench.gpu < 0) tor_fault(faults, "--device gpu: %s", tor_device_absence());
  if (c->engine && device != 2 && p->bench.gpu < 0 && (p->dts1 || tor_classic_on_gpu(p->launch.engine)))
    tor_fault(faults, "--engine %s needs a GPU: %s", c->engine,
              device == 1 ? "--device cpu was given" : tor_device_absence());
  tor_bench_read_threads(c->threads, &p->bench.threads, faults);
  if (!p->bench.threads) p->bench.threads = omp_get_max_threads();
  p->bench.seconds = 1;
  tor_bench_read_number("--seconds", c->seconds, 1e-3, 1e4, &p->bench.seconds, faults);
}

static void read_case(const struct command *c, struct plan *p, struct tor_faults *faults) {
  static const char *const schemes[] = {"tm", "te", "uniform", "media", NULL}, *const rules[] = {"author", "torre",
                                                                                                 NULL};
  int n[3] = {0};
  const int rule = word("--rule", c->rule, rules, "author or torre", faults);
  const enum tor_classic_engine e = p->launch.engine;
  int scheme = e == TOR_CLASSIC_TAKADA_SHARED || e == TOR_CLASSIC_TAKADA_PLAIN ? TOR_CLASSIC_TM
               : e == TOR_CLASSIC_DEMIR_XYZ || e == TOR_CLASSIC_DEMIR_XY       ? TOR_CLASSIC_MEDIA
                                                                               : TOR_CLASSIC_UNIFORM;
  if (c->scheme) scheme = word("--case", c->scheme, schemes, "tm, te, uniform or media", faults);
  const int plane = scheme == TOR_CLASSIC_TM || scheme == TOR_CLASSIC_TE;
  const int count = numbers("--cells", c->cells, 2, 3, n, faults);
  if (count == 2 + plane)
    tor_fault(faults, "--cells: got " TOR_FOUND("%d numbers") ", need " TOR_NEEDED("%d"), count, plane ? 2 : 3);
  for (int a = 0; a < 3; a++)
    if (count < 1 || !n[a]) n[a] = plane ? 1023 : 256;
  p->wish = (struct tor_classic_wish){.scheme = (enum tor_classic_scheme)scheme,
                                      .rule = rule ? TOR_CLASSIC_TORRE : TOR_CLASSIC_AUTHOR,
                                      .precision = p->precision,
                                      .n = {n[0], n[1], plane ? 0 : n[2]},
                                      .random = scheme == TOR_CLASSIC_MEDIA,
                                      .seed = 1};
}

static void read_engine(const struct command *c, struct plan *p, struct tor_faults *faults) {
  p->dts1 = !strcmp(c->engine, "zakirov-dts1");
  p->launch.engine = p->dts1 ? TOR_CLASSIC_NAIVE : tor_classic_find(c->engine);
  if (p->launch.engine == TOR_CLASSIC_NENGINES) {
    tor_fault(faults, "--engine: got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("one of:"), c->engine);
    for (int e = 0; e < TOR_CLASSIC_NENGINES; e++)
      tor_fault(faults, "  %s", tor_classic_name((enum tor_classic_engine)e));
    tor_fault(faults, "  zakirov-dts1");
    p->launch.engine = TOR_CLASSIC_NAIVE;
  }
  int block[3] = {0}, chunk[3] = {0};
  numbers("--block", c->block, 1, 2, block, faults);
  numbers("--chunk", c->chunk, 1, 1, chunk, faults);
  p->launch.block[0] = block[0];
  p->launch.block[1] = block[1];
  p->launch.chunk = chunk[0];
  p->launch.variant = tor_classic_read_variants(c->variant, faults);
  read_case(c, p, faults);
  if (p->dts1) {
    tor_classic_dts1_check(p->wish.n, p->precision, faults);
    return;
  }
  struct tor_classic_problem shell;
  struct tor_classic_wish tiny = p->wish;
  for (int a = 0; a < 3; a++) tiny.n[a] = tiny.n[a] ? 3 : 0;
  tor_classic_make(&shell, &tiny); /* its numbers, without the arrays */
  memcpy(shell.c.n, p->wish.n, sizeof shell.c.n);
  struct tor_classic_launch launch = p->launch;
  tor_classic_defaults(&launch, &shell.c);
  tor_classic_check(&shell.c, &launch, faults);
  tor_classic_free(&shell);
}

static void read_all(const struct command *c, struct plan *p, struct tor_faults *faults) {
  static const char *const precisions[] = {"fp32", "fp64", NULL};
  double steps = 0, repeat = 0;
  p->precision = word("--precision", c->precision, precisions, "fp32 or fp64", faults) == 1 ? TOR_F64 : TOR_F32;
  if (c->engine) read_engine(c, p, faults);
  read_device(c, p, faults);
  tor_bench_read_number("--steps", c->steps, 1, 1e6, &steps, faults);
  tor_bench_read_number("--repeat", c->repeat, 1, 1e3, &repeat, faults);
  p->bench.steps = (int)steps;
  p->bench.repetitions = (int)repeat;
  if (c->compare) tor_bench_read_size(c->compare, 4, p->box, faults);
  if (c->figure && strcmp(c->figure, "list") && !(p->figure = tor_classic_figure_find(c->figure)))
    tor_fault(faults, "--figure: got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("a name that --figure list prints"),
              c->figure);
  if (c->json && c->figure) tor_fault(faults, "--json: not with --figure, whose numbers are in its CSV");
}

static void list_figures(void) {
  const struct tor_classic_figure *f;
  for (int i = 0; (f = tor_classic_figure(i)); i++) printf("%-18s %s\n", f->name, f->what);
}

/* Measures what was asked for. Returns 0, or -1 when a figure was not written. */
static int measure(const struct command *c, struct plan *p, const char *folder) {
  if (p->figure) {
    struct tor_classic_figure_run run = {
        .bench = &p->bench, .precision = p->precision, .small = c->small, .engine_only = p->bench.gpu < 0};
    if (run.engine_only) printf("no GPU: %s; the loops on the CPU take the kernels' place\n", tor_device_absence());
    const int failed = tor_classic_figure_make(p->figure, &run, folder);
    free(run.point);
    return failed;
  }
  if (!p->bench.quiet) {
    if (c->compare && p->bench.gpu < 0) printf("no GPU: %s; what runs on the CPU\n", tor_device_absence());
    for (int gpu = 0; gpu <= (p->bench.gpu >= 0); gpu++)
      printf("copy bandwidth of the %s: %.4g GB/s\n", gpu ? "GPU" : "CPU", tor_classic_copy(&p->bench, gpu) * 1e-9);
    tor_classic_print_head(stdout);
  }
  if (p->dts1)
    tor_classic_measure_slab(&p->bench, &p->wish, 4, TOR_CLASSIC_DTS1, 1);
  else if (c->engine)
    tor_classic_measure(&p->bench, &p->wish, &p->launch, 1);
  else
    for (int bytes = 4; bytes <= 8; bytes += 4)
      if (!c->precision || bytes == (int)p->precision)
        tor_classic_compare(&p->bench, p->box, bytes == 4 ? TOR_F32 : TOR_F64);
  return 0;
}

int tor_classic_main(int argc, char **argv) {
  struct command c = {.out = "results/classic"};
  struct plan p = {0};
  struct tor_faults faults = {0};
  char name[] = "torre classic", why[1024], path[4200];
  argv[0] = name;
  tor_command_line_parse(&tor_classic_argp, argc, argv, &c, TOR_EXIT_USER);
  read_all(&c, &p, &faults);
  const int listed = c.figure && !strcmp(c.figure, "list");
  if (strlen(c.out) > 4000) tor_fault(&faults, "--out: the name is too long");
  if (!faults.count && !listed && tor_folder_make(c.out, why, sizeof why)) tor_fault(&faults, "%s", why);
  if (faults.count) {
    tor_faults_print(&faults, stderr);
    tor_faults_free(&faults);
    return TOR_EXIT_USER;
  }
  if (listed) {
    list_figures();
    return TOR_EXIT_OK;
  }
  p.bench.quiet = c.json;
  int failed = measure(&c, &p, c.out);
  snprintf(path, sizeof path, "%s/%s", c.out, c.figure ? "rows.csv" : c.compare ? "compare.csv" : "engine.csv");
  if (tor_classic_write_csv(&p.bench, path)) {
    fprintf(stderr, "torre: %s was not written: %s\n", path, strerror(errno));
    failed = -1;
  }
  if (p.bench.failed) fprintf(stderr, "torre: some engines do not have the bits of the loops on the CPU\n");
  const int status = failed || p.bench.failed || (!c.figure && !p.bench.rows) ? TOR_EXIT_FAILURE : TOR_EXIT_OK;
  if (c.json) tor_classic_write_json(&p.bench, "classic", stdout);
  tor_classic_bench_free(&p.bench);
  return status;
}
