/* torre help: see help_cli.h. */
#include "src/help_cli.h"

#include <argp.h>
#include <stdio.h>

#include "src/base/types.h"
#include "src/cli.h"
#include "src/commands.h"

static const char doc[] = "Prints the list of commands; of one COMMAND: its options and examples, as COMMAND --help "
                          "does.\v"
                          "Examples:\n"
                          "  torre help\n"
                          "  torre help run";

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  switch (key) {
  case ARGP_KEY_ARG:
    if (tor_command_find(arg) == TOR_NCOMMANDS)
      argp_error(state, "no command \"%s\": need %s", arg, tor_command_names());
    if (state->arg_num) argp_error(state, "unexpected argument \"%s\"", arg);
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp help_argp = {NULL, parse_option, "[COMMAND]", doc, 0, 0, 0};

int tor_help_main(int argc, char **argv) {
  char name[] = "torre help";
  argv[0] = name;
  argp_err_exit_status = TOR_EXIT_USER;
  argp_parse(&help_argp, argc, argv, 0, 0, NULL);
  return TOR_EXIT_OK;
}
