/* The verdict on a job: see verdict.h. */
#include "src/schedule/verdict.h"

#include <stdio.h>
#include <string.h>

#include "src/base/host_memory.h"
#include "src/base/quantity.h"
#include "src/job/job.h"
#include "src/schedule/plan.h"

/* One process needs what check_memory (src/run/run.c) requires of it. */
void tor_verdict_make(const struct tor_job *job, const struct tor_plan *plan, struct tor_verdict *verdict) {
  const struct tor_schedule *s = &job->schedule;
  const double given = s->host_memory, ranks = (double)s->ranks[0] * s->ranks[1];
  memset(verdict, 0, sizeof *verdict);
  verdict->needed = plan->size.memory.total + plan->size.memory.copies + plan->size.memory.designs;
  if (plan->disk.used) verdict->needed = plan->disk.stays + plan->disk.memory;
  verdict->available = given > 0 ? given : tor_host_memory(NULL, 1, &verdict->limit);
  if (given > 0) verdict->limit = "(schedule.host_memory)";
  verdict->ranks = ranks > 1 && ranks < 1e9 ? (int)ranks : 1;
  verdict->fits = verdict->available <= 0 ? -1 : verdict->needed <= verdict->available;
  if (!verdict->fits && verdict->ranks > 1) verdict->fits = -1; /* on other machines, perhaps */
  verdict->seconds = plan->rate > 0 ? plan->seconds : 0;
}

void tor_verdict_text(const struct tor_verdict *v, char *text, size_t size) {
  char memory[96], each[48], took[96] = "", limit[96] = "";
  if (v->available > 0 && strcmp(v->limit, "free") != 0) snprintf(limit, sizeof limit, " %s", v->limit);
  if (v->available > 0)
    tor_quantity_share(v->needed, v->available, memory, sizeof memory);
  else
    tor_quantity_bytes(v->needed, memory, sizeof memory);
  if (v->seconds > 0) tor_quantity_time(v->seconds, took, sizeof took);
  if (!v->fits)
    snprintf(text, size, "does not fit: %s%s", memory, limit);
  else if (v->fits > 0)
    snprintf(text, size, "fits: %s%s, %s%s", memory, limit, v->seconds >= 0.95 ? "about " : "",
             *took ? took : "time unknown (torre tune measures this device)");
  else if (v->ranks > 1) {
    tor_quantity_bytes(v->needed / v->ranks, each, sizeof each);
    snprintf(text, size, "does not fit this machine alone: %s%s; with %d ranks about %s each", memory, limit, v->ranks,
             each);
  } else
    snprintf(text, size, "needs %s; free memory unknown", memory);
}
