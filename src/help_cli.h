/* torre help: help of one command, and all of it as a man page and a completion of bash. */
#ifndef TOR_SRC_HELP_CLI_H
#define TOR_SRC_HELP_CLI_H

/* Arguments from `help` on, which name no command; the exit status. */
int tor_help_main(int argc, char **argv);

#endif
