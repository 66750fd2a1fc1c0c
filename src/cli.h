/* The command line: torre run | check | plan | materials, by argp. */
#ifndef TOR_CLI_H
#define TOR_CLI_H

enum tor_command { TOR_COMMAND_RUN, TOR_COMMAND_CHECK, TOR_COMMAND_PLAN, TOR_COMMAND_MATERIALS };

struct tor_cli {
  enum tor_command command;
  const char *job;              /* path of the job file; NULL for materials */
  int quiet;
  int overwrite;                /* results of an earlier run may be replaced */
  int timeline;                 /* write when each rank did which phase */
  int noverrides;
  char **overrides;             /* [noverrides] path=value, owned; options such as --dts are among them */
};

/* Reads argv; prints and exits on --help, --version and wrong options (exit status 2). */
void tor_cli_parse(int argc, char **argv, struct tor_cli *cli);
void tor_cli_free(struct tor_cli *cli);

#endif
