/* torre example and torre reference: files that are compiled in, written for the user. */
#ifndef TOR_SRC_EXAMPLE_CLI_H
#define TOR_SRC_EXAMPLE_CLI_H

#include <argp.h>

/* Options and help. */
extern const struct argp tor_example_argp, tor_reference_argp;

/* The name of the i-th example; NULL after the last. */
const char *tor_example_name(int i);

/* Arguments from the command on; the exit status. */
int tor_example_main(int argc, char **argv);
int tor_reference_main(int argc, char **argv);

#endif
