/* Options of the commands that measure: see bench_option.h. */
#include "src/bench/bench_option.h"

#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"

void tor_bench_read_size(const char *text, int least, int n[3], struct tor_faults *faults) {
  enum { MOST = 1000000 };
  const int before = faults->count;
  tor_gidx read[3];
  if (!text) return;
  if (tor_grid_read_cells(text, read)) {
    tor_fault(faults, "--size: got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("three whole numbers: NX,NY,NZ"), text);
    return;
  }
  for (int a = 0; a < 3; a++)
    if (read[a] < least || read[a] > MOST)
      tor_fault(faults, "--size: got " TOR_FOUND("%lld cells along %c") ", need " TOR_NEEDED("%d to %d"),
                (long long)read[a], "xyz"[a], least, MOST);
  for (int a = 0; a < 3 && faults->count == before; a++) n[a] = (int)read[a];
}

void tor_bench_read_number(const char *option, const char *text, double least, double most, double *value,
                           struct tor_faults *faults) {
  if (!text) return;
  char *end;
  const double read = strtod(text, &end);
  if (end == text || *end || !(read >= least && read < most))
    tor_fault(faults, "%s: got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("a number from %g to below %g"), option, text,
              least, most);
  else
    *value = read;
}

void tor_bench_read_threads(const char *text, int *threads, struct tor_faults *faults) {
  enum { MOST = 4096 };
  if (!text) return;
  char *end;
  const long read = strtol(text, &end, 10);
  if (end == text || *end || read < 0 || read > MOST)
    tor_fault(faults, "--threads: got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("a whole number from 0 (all) to %d"),
              text, MOST);
  else
    *threads = (int)read;
}
