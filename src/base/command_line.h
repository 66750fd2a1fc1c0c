/* Options of a command line. */
#ifndef TOR_SRC_BASE_COMMAND_LINE_H
#define TOR_SRC_BASE_COMMAND_LINE_H

#include <argp.h>

/* argp_parse; faults end the program with this exit status and a message in which the user's words have no control
 * characters (tor_text_clean). */
void tor_command_line_parse(const struct argp *argp, int argc, char **argv, void *input, int exit_status);

#endif
