/* What torre --version prints. */
#ifndef TOR_SRC_VERSION_H
#define TOR_SRC_VERSION_H

#include <stdio.h>

struct argp_state;

/* For argp_program_version_hook. */
void tor_version_print(FILE *out, struct argp_state *state);

/* The first page of the documentation beside this program, installed or in its source tree: its path in `path`; NULL:
 * there is none. */
const char *tor_pages(char *path, size_t size);

#endif
