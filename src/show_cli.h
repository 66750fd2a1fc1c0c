/* torre show: sections of a job's scene as pictures. */
#ifndef TOR_SRC_SHOW_CLI_H
#define TOR_SRC_SHOW_CLI_H

#include <argp.h>

extern const struct argp tor_show_argp; /* options and help */

/* Arguments from `show` on; the exit status. */
int tor_show_main(int argc, char **argv);

#endif
