/* Discrete-event simulation of the pipeline of ranks along X: when each rank computes, sends and waits. Its inputs are
 * seconds and bytes; src/predict/cluster.h computes the seconds.
 *
 * Ranks form a grid of px x py. Rank ix of a row of px does, in each stage,
 *     waitR calcR sendR calcM waitL calcL sendL
 * calcR: rows of towers that reach into the slab of rank ix + 1; calcL: rows that start where rank ix - 1 reaches into
 * its own; calcM: rows that do neither; calcB: rows that do both, in slabs narrower than two overlaps. With calcB the
 * order is waitR calcR waitL calcB sendR calcL sendL. The message of sendL in stage k lets rank ix - 1 begin its stage
 * k; that of sendR in stage k lets rank ix + 1 finish its stage k + 1. Neighbours along Y exchange data row by row
 * within a step, so a step starts when they are there too. */
#ifndef TOR_SRC_PREDICT_PIPELINE_H
#define TOR_SRC_PREDICT_PIPELINE_H

#include "src/base/types.h"

enum tor_pipeline_step { TOR_STEP_R, TOR_STEP_B, TOR_STEP_M, TOR_STEP_L, TOR_NSTEP };

/* A message between two ranks: latency + bytes / rate. */
struct tor_pipeline_path {
  double rate, latency;
};

/* Events: a step began or ended, a message left or arrived (step: TOR_STEP_R for sendR's, TOR_STEP_L for sendL's; rank:
 * sender or receiver). */
enum tor_pipeline_what { TOR_STEP_BEGAN, TOR_STEP_ENDED, TOR_MESSAGE_LEFT, TOR_MESSAGE_CAME };
struct tor_pipeline_event {
  double time;
  enum tor_pipeline_what what;
  enum tor_pipeline_step step;
  int rank, stage;
};

struct tor_pipeline {
  int px, py;
  int ranks_per_node;            /* ranks ix * py + iy, filled node by node; those of a node share its network port */
  int stages;                    /* to play, at least 2 */
  double calc[TOR_NSTEP];        /* [s]; a rank without a neighbour has the same steps, without the messages */
  double bytes;                  /* of a message along X */
  struct tor_pipeline_path net;  /* between nodes; a node's port carries one message each way at a time */
  struct tor_pipeline_path near; /* within a node */
  void (*trace)(void *context, const struct tor_pipeline_event *event); /* in the order of time; NULL: none */
  void *context;
};

/* All in seconds. Steady figures are of the later half of the stages played. */
struct tor_pipeline_times {
  double fill;    /* from the start until the leftmost ranks begin their first stage */
  double period;  /* between ends of stages of the leftmost ranks, steady */
  double total;   /* until all ranks have done all stages */
  double message; /* of a rank and stage, steady: from send to arrival, summed over those it sends and receives */
  double wait;    /* of a rank and stage, steady: in which a message was waited for */
};

void tor_pipeline_play(const struct tor_pipeline *pipeline, struct tor_pipeline_times *times);

/* The same in closed form, without collisions of messages to the left and to the right: t = R + B + M + L,
 * c = latency + bytes / rate, the rate shared by the ranks of a node that are side by side along Y:
 *     period = max(t, R + 2 B + L + 2 c),    fill = (px - 1)(t + c);    px = 1: period = t, fill = 0. */
void tor_pipeline_estimate(const struct tor_pipeline *pipeline, double *period, double *fill);

#endif
