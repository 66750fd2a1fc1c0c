/* torre example and torre reference: files that are compiled in, written for the user. */
#ifndef TOR_SRC_EXAMPLE_CLI_H
#define TOR_SRC_EXAMPLE_CLI_H

struct argp;

/* Arguments from the command on; the exit status. */
int tor_example_main(int argc, char **argv);
int tor_reference_main(int argc, char **argv);

#endif
