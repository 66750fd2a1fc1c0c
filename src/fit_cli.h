/* torre fit: poles for a table of n and k. */
#ifndef TOR_SRC_FIT_CLI_H
#define TOR_SRC_FIT_CLI_H

#include <argp.h>

extern const struct argp tor_fit_argp; /* options and help */

/* Arguments from `fit` on; the exit status. */
int tor_fit_main(int argc, char **argv);

#endif
