/* torre keys: the keys of job files and machine files. */
#ifndef TOR_SRC_KEYS_CLI_H
#define TOR_SRC_KEYS_CLI_H

/* Arguments from `keys` on; the exit status. */
int tor_keys_main(int argc, char **argv);

#endif
