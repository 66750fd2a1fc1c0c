/* `torre bench`: rates of the engines over features, orders, precisions, sizes and schedules, beside the machine's copy
 * bandwidth. */
#ifndef TOR_SRC_BENCH_BENCH_H
#define TOR_SRC_BENCH_BENCH_H

#include "src/base/types.h"

struct tor_bench_options {
  const char *out;      /* folder for bench.csv and pictures */
  const char *features; /* names of cases, separated by commas; NULL: all */
  const char *size;     /* "NX,NY,NZ"; NULL: by device and memory */
  int gpu;              /* number of the GPU, -1: the CPU */
  const char *threads;  /* CPU, a number; "0" or NULL: all */
  const char
      *memory; /* GB of the GPU that the window's measurements may use, a number; NULL: a quarter of their fields */
  const char *seconds; /* least time of a measurement, a number; NULL: 1 */
};

/* Prints a table line by line, writes `out`/bench.csv and pictures: rate against TH, towers in a row and cells along z,
 * and the roofline. On a GPU with towers also long domains resident and through a window. Returns an exit status; wrong
 * options are reported together. */
int tor_bench(const struct tor_bench_options *options);

#endif
