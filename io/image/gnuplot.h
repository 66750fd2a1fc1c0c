/* Pictures by gnuplot, where it is installed. Local. */
#ifndef TOR_IO_IMAGE_GNUPLOT_H
#define TOR_IO_IMAGE_GNUPLOT_H

/* Runs gnuplot on a script in the folder and waits for it. quiet: without its words on the terminal. Returns its exit
 * status; 127 when it is not installed, 126 when it could not be started there. */
int tor_gnuplot_run(const char *folder, const char *script, int quiet);

#endif
