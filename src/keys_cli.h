/* torre keys: the keys of job files and machine files. */
#ifndef TOR_SRC_KEYS_CLI_H
#define TOR_SRC_KEYS_CLI_H

#include <argp.h>

extern const struct argp tor_keys_argp; /* options and help */

/* Arguments from `keys` on; the exit status. */
int tor_keys_main(int argc, char **argv);

#endif
