/* `torre classic`: mappings of the literature, side by side. */
#ifndef TOR_SRC_CLASSIC_CLASSIC_CLI_H
#define TOR_SRC_CLASSIC_CLASSIC_CLI_H

#include <argp.h>

/* The command: argv[0] is "classic". The exit status: 0, 1 (some bits differ, a file was not written), 2. */
int tor_classic_main(int argc, char **argv);
extern const struct argp tor_classic_argp; /* its options and help */

#endif
