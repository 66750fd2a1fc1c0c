/* Options common to `torre bench` and `torre tune`. */
#ifndef TOR_SRC_BENCH_BENCH_OPTION_H
#define TOR_SRC_BENCH_BENCH_OPTION_H

#include "src/base/error.h"

/* --size: "NX,NY,NZ" with `least` to 1000000 cells along each axis. NULL, or a fault: n stays. */
void tor_bench_read_size(const char *text, int least, int n[3], struct tor_faults *faults);
/* A number, at least `least` and below `most`. NULL, or a fault: *value stays. */
void tor_bench_read_number(const char *option, const char *text, double least, double most, double *value,
                           struct tor_faults *faults);
/* --threads: a number, 0: all. NULL, or a fault: *threads stays. */
void tor_bench_read_threads(const char *text, int *threads, struct tor_faults *faults);

#endif
