/* One measurement of `torre classic`: an engine on a case, its rate, its bits. */
#ifndef TOR_SRC_CLASSIC_CLASSIC_MEASURE_H
#define TOR_SRC_CLASSIC_CLASSIC_MEASURE_H

#include <stdio.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_case.h"

struct tor_classic_row {
  char engine[48]; /* "giraud-1, axis-i" */
  enum tor_classic_scheme scheme;
  enum tor_classic_rule rule;
  int gpu, precision, order; /* gpu: 1: a GPU; precision: bytes */
  int n[3], block[2], threads, registers;
  double occupancy; /* 0: unknown */
  int steps;
  double seconds, cells, rate; /* of those steps; cells: what the author divides by; cells/s */
  double least, no_cache;      /* bytes that a cell's step moves */
  double share;                /* of the copy bandwidth, by `least` */
  int verified;                /* 1: the bits of the reference, 0: not, -1: not compared */
};

struct tor_classic_bench {
  int gpu, threads;
  double seconds;         /* least time of a measurement */
  int steps, repetitions; /* an author's protocol: their mean; 0: the best of three rounds of `seconds` / 3 */
  double copy[2];         /* [bytes/s] of the CPU's memory, of the GPU's; 0: not yet measured */
  int rows;
  struct tor_classic_row *row;
  size_t capacity;
  int failed; /* some bits differ */
  int quiet;  /* no lines of the table */
  /* The last case, and its state after a few steps by the loops on the CPU. */
  int has_case;
  struct tor_classic_problem now, expected;
};

enum { TOR_CLASSIC_VERIFIED_STEPS = 4 };

/* The bandwidth of a copy, measured once. */
double tor_classic_copy(struct tor_classic_bench *b, int gpu);
/* Measures, prints and keeps a row, the pointer to which is valid until the next call. verify: compares the bits, of
 * this case; 0: of a small one, by the same launch. NULL: left out, for a reason that is printed. */
const struct tor_classic_row *tor_classic_measure(struct tor_classic_bench *b, const struct tor_classic_wish *wish,
                                                  const struct tor_classic_launch *launch, int verify);
void tor_classic_keep(struct tor_classic_bench *b, const struct tor_classic_row *row);
void tor_classic_bench_free(struct tor_classic_bench *b);

/* Adds the names of variants to an engine's: "giraud-1, axis-i". */
void tor_classic_label(const struct tor_classic_launch *launch, char *text, size_t size);
/* Bits of a list of variants, such as "old,constant"; faults otherwise. */
unsigned tor_classic_read_variants(const char *list, struct tor_faults *faults);

void tor_classic_print_head(FILE *out);
void tor_classic_print_row(const struct tor_classic_row *row, FILE *out);
/* folder/name, all rows; the rows as a JSON array. Returns 0, or -1 with errno. */
int tor_classic_write_csv(const struct tor_classic_bench *b, const char *path);
void tor_classic_write_json(const struct tor_classic_bench *b, const char *command, FILE *out);

#endif
