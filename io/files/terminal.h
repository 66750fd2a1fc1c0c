/* Whether stdout is shown on a terminal. */
#ifndef TOR_IO_FILES_TERMINAL_H
#define TOR_IO_FILES_TERMINAL_H

/* 1 when it is. Open MPI gives its processes terminals of their own and copies what comes there to the stdout of
 * mpirun: under an MPI launcher that of the launcher counts, which is 0 where it cannot be seen (on other machines). */
int tor_terminal_shows_stdout(void);

#endif
