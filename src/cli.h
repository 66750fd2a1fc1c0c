/* The command line: torre run | check | plan | study | materials | bench | tune, by argp. The other commands have their
 * own (example_cli.h, keys_cli.h, help_cli.h, src/predict/scaling.h). */
#ifndef TOR_SRC_CLI_H
#define TOR_SRC_CLI_H

#include "src/bench/bench.h"
#include "src/bench/tune.h"
#include "src/commands.h"
#include "src/study/study.h"

struct argp;

struct tor_cli {
  enum tor_command command;
  const char *job; /* path of the job file; NULL for materials, bench and tune */
  int njobs, nsweeps;
  const char **jobs;    /* run: [njobs] paths of all job files, owned array */
  const char **sweeps;  /* run: [nsweeps] PATH=FROM:TO:COUNT, owned array */
  int at_once;          /* run: of several, at a time; 0: chosen */
  const char *machine;  /* plan: path of a machine file, NULL: this machine */
  int nodes;            /* plan: of that machine, 0: all */
  const char *medium;   /* materials: of one, NULL: all */
  double wavelength[2]; /* materials: from, to [nm], 0: chosen */
  int wavelengths;      /* materials: their number, 0: chosen */
  int quiet;
  int overwrite;             /* results of an earlier run may be replaced */
  int restart;               /* continue from a checkpoint when there is one */
  double max_seconds;        /* wall-clock limit, 0: none */
  int timeline;              /* write when each rank did which phase */
  int json;                  /* check, plan: the answer as JSON */
  int progress_json;         /* run: progress as lines of JSON on stderr */
  enum tor_study_kind study; /* TOR_NSTUDIES: not given */
  const char *cells;         /* study cells: their edges, NULL: not given */
  const char *points;        /* the other studies, NULL: not given */
  int along;                 /* study weak, strong: 'x' or 'y' */
  int list_only;             /* studies of rates: nothing is run */
  int has_out;               /* --out is given */
  int noverrides;
  char **overrides;   /* [noverrides] path=value, owned; options such as --dts are among them */
  const char *device; /* as given, NULL: not */
  unsigned options;   /* bits: those given, in the order of the table */
  struct tor_bench_options bench;
  struct tor_tune_options tune;
};

/* Reads argv; prints and exits on --help, --version and wrong options (exit status 2). */
void tor_cli_parse(int argc, char **argv, struct tor_cli *cli);
void tor_cli_free(struct tor_cli *cli);
/* Options and help of one of these commands; TOR_NCOMMANDS: the help of the program. Valid until the next call. */
const struct argp *tor_cli_argp(enum tor_command command);

#endif
