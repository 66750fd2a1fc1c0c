/* `torre tune`: measures a device for the plans of later runs (tuned.h). */
#ifndef TOR_SRC_BENCH_TUNE_H
#define TOR_SRC_BENCH_TUNE_H

struct tor_tune_options {
  int cpu, gpu;        /* whether the CPU, and GPU 0, are measured */
  const char *size;    /* "NX,NY,NZ"; NULL: by device and threads */
  const char *threads; /* CPU, a number; "0" or NULL: all */
  const char *seconds; /* least time of a measurement, a number; NULL: 0.25 */
};

/* Prints a table line by line and writes a file for each device. Returns an exit status; a file that cannot be written
 * is a warning. */
int tor_tune(const struct tor_tune_options *options);

#endif
