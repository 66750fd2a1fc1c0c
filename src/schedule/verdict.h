/* The answer to "can I run this here, and how long will it take?" in a line. */
#ifndef TOR_SRC_SCHEDULE_VERDICT_H
#define TOR_SRC_SCHEDULE_VERDICT_H

#include <stddef.h>

#include "src/schedule/plan.h"

struct tor_verdict {
  double needed;     /* bytes of host memory, of all ranks together */
  double available;  /* bytes on this machine, or schedule.host_memory; 0: unknown */
  const char *limit; /* of what is available: "free", "(schedule.host_memory)", or as tor_host_memory says */
  int ranks;         /* that the job asks for (schedule.ranks); with several, other machines may have a part */
  int fits;          /* 1, 0; -1: unknown */
  double seconds;    /* of the longest run, of one process; 0: unknown */
};

void tor_verdict_make(const struct tor_job *job, const struct tor_plan *plan, struct tor_verdict *verdict);
/* "fits: 3.1 of 24 GB, about 4 minutes", "does not fit: 548 TB of 24 GB". */
void tor_verdict_text(const struct tor_verdict *verdict, char *text, size_t size);

#endif
