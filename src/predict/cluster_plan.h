/* torre plan JOB.cfg --machine FILE: the best division of a job on a machine, and the run's predicted time and memory.
 */
#ifndef TOR_SRC_PREDICT_CLUSTER_PLAN_H
#define TOR_SRC_PREDICT_CLUSTER_PLAN_H

#include <stdio.h>

#include "src/predict/cluster.h"
#include "src/base/error.h"
#include "src/model/model.h"

struct tor_cluster_choice {
  struct tor_cluster_layout layout;
  struct tor_cluster_cost cost;
  struct tor_pipeline_times times; /* as played */
  double seconds;                  /* of the whole run */
};

enum { TOR_CLUSTER_CHOICES = 6 };

struct tor_cluster_plan {
  const struct tor_machine *machine; /* not owned */
  int nodes;
  double steps;
  struct tor_cluster_domain domain;
  int count;
  struct tor_cluster_choice choice[TOR_CLUSTER_CHOICES]; /* fastest first; all fit */
};

/* Fraction of the messages' time that is hidden by steps, from 0 to 1; 1 without messages. */
double tor_cluster_hidden(const struct tor_pipeline_times *times);

/* Plays `stages` stages (at least 2) of a costed layout. */
void tor_cluster_play(const struct tor_cluster_cost *cost, int stages, struct tor_pipeline_times *times);

/* Searches layouts of at most `nodes` nodes (0: all of the machine): ranks a node, px, py, and TH unless the job has
 * it. Returns 0; or -1 with a fault: more nodes than the machine has, no rate for the job's
 * order and precision, or nothing that fits. */
int tor_cluster_plan_make(const struct tor_machine *machine, int nodes, const struct tor_job *job,
                          const struct tor_model_size *size, struct tor_cluster_plan *plan, struct tor_faults *faults);
void tor_cluster_plan_print(const struct tor_cluster_plan *plan, FILE *out);

#endif
