/* The jobs that `torre bench` times: named sets of features on a domain of given cells. */
#ifndef TOR_SRC_BENCH_BENCH_CASE_H
#define TOR_SRC_BENCH_BENCH_CASE_H

#include "src/job/job.h"

struct tor_bench_case {
  const char *name;
  const char *what; /* one line for the user */
};

/* Case number i, NULL after the last; the number of the case with a name, -1: unknown. */
const struct tor_bench_case *tor_bench_case(int i);
int tor_bench_case_number(const char *name);

/* The job of case i with n cells of 10 nm; tor_bench_job_free ends it. Its run never ends by itself. */
void tor_bench_job(int i, const int n[3], int order, enum tor_precision precision, struct tor_job *job);
void tor_bench_job_free(struct tor_job *job);

#endif
