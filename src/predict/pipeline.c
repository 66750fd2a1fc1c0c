/* Discrete-event simulation of the pipeline: see pipeline.h. A heap contains the pending events, ordered by time, then
 * by age. */
#include "src/predict/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"

/* A stage is a list of operations: a step, and the messages to wait for before it and to send after it. */
struct op {
  enum tor_pipeline_step step;
  int wait_right, wait_left, send_right, send_left;
};

struct rank {
  int stage, op; /* running or waiting */
  int computing;
  int from_right, from_left; /* messages received */
  double here;               /* time of arrival at this op */
};

enum happening { STEP_DONE, FROM_RIGHT, FROM_LEFT };
struct event {
  double time;
  tor_gidx age;
  int rank, stage;
  enum happening what;
};

struct play {
  const struct tor_pipeline *p;
  int nops;
  struct op ops[3];
  struct rank *rank;          /* [px][py] */
  double *out_free, *in_free; /* [nodes], when a port is free */
  struct event *heap;
  size_t nheap, capacity;
  tor_gidx age;
  double begin_left, end_middle, end_left;
  double message, wait;
};

/* --- Heap --- */

static int earlier(const struct event *a, const struct event *b) {
  return a->time != b->time ? a->time < b->time : a->age < b->age;
}

static void push(struct play *s, double time, int rank, int stage, enum happening what) {
  s->heap = tor_grow(s->heap, s->nheap + 1, &s->capacity, sizeof *s->heap);
  struct event e = {time, s->age++, rank, stage, what};
  size_t i = s->nheap++;
  for (; i && earlier(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2) s->heap[i] = s->heap[(i - 1) / 2];
  s->heap[i] = e;
}

static struct event pop(struct play *s) {
  struct event first = s->heap[0], last = s->heap[--s->nheap];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < s->nheap; i = child) {
    if (child + 1 < s->nheap && earlier(&s->heap[child + 1], &s->heap[child])) child++;
    if (!earlier(&s->heap[child], &last)) break;
    s->heap[i] = s->heap[child];
  }
  if (s->nheap) s->heap[i] = last;
  return first;
}

/* --- Ranks --- */

static void trace(const struct play *s, double time, enum tor_pipeline_what what, enum tor_pipeline_step step, int rank,
                  int stage) {
  if (s->p->trace) s->p->trace(s->p->context, &(struct tor_pipeline_event){time, what, step, rank, stage});
}

static int steady(const struct play *s, int stage) { return stage >= s->p->stages / 2; }

static void send(struct play *s, double now, int from, int to, int stage, enum tor_pipeline_step step) {
  const struct tor_pipeline *p = s->p;
  int a = from / p->ranks_per_node, b = to / p->ranks_per_node;
  double left = now, came;
  if (a == b) {
    came = now + p->bytes / p->near.rate + p->near.latency;
  } else {
    if (s->out_free[a] > left) left = s->out_free[a];
    if (s->in_free[b] > left) left = s->in_free[b];
    s->out_free[a] = s->in_free[b] = left + p->bytes / p->net.rate;
    came = s->out_free[a] + p->net.latency;
  }
  trace(s, now, TOR_MESSAGE_LEFT, step, from, stage);
  if (steady(s, stage)) s->message += 2 * (came - now); /* its sender's and its receiver's */
  push(s, came, to, stage, step == TOR_STEP_R ? FROM_LEFT : FROM_RIGHT);
}

static int has_messages(const struct play *s, int i) {
  const struct tor_pipeline *p = s->p;
  const struct rank *r = &s->rank[i];
  const struct op *op = &s->ops[r->op];
  int ix = i / p->py;
  if (op->wait_right && ix + 1 < p->px && r->from_right <= r->stage) return 0;
  return !(op->wait_left && ix > 0 && r->from_left < r->stage);
}

/* The rank has reached this op or a later one, with all its messages received. */
static int is_there(const struct play *s, int i, int stage, int op) {
  const struct rank *r = &s->rank[i];
  if (r->stage != stage) return r->stage > stage;
  if (r->op != op) return r->op > op;
  return r->computing || has_messages(s, i);
}

static void try_start(struct play *s, double now, int i) {
  const struct tor_pipeline *p = s->p;
  struct rank *r = &s->rank[i];
  int iy = i % p->py;
  if (r->computing || r->stage >= p->stages || !has_messages(s, i)) return;
  if (iy > 0 && !is_there(s, i - 1, r->stage, r->op)) return;
  if (iy + 1 < p->py && !is_there(s, i + 1, r->stage, r->op)) return;
  r->computing = 1;
  if (steady(s, r->stage)) s->wait += now - r->here;
  if (i / p->py == 0 && r->stage == 0 && r->op == 0 && now > s->begin_left) s->begin_left = now;
  trace(s, now, TOR_STEP_BEGAN, s->ops[r->op].step, i, r->stage);
  push(s, now + p->calc[s->ops[r->op].step], i, r->stage, STEP_DONE);
}

/* Starts the rank and, as they may have waited for it, its neighbours along Y. */
static void try_around(struct play *s, double now, int i) {
  int iy = i % s->p->py;
  try_start(s, now, i);
  if (iy > 0) try_start(s, now, i - 1);
  if (iy + 1 < s->p->py) try_start(s, now, i + 1);
}

static void step_done(struct play *s, double now, int i) {
  const struct tor_pipeline *p = s->p;
  struct rank *r = &s->rank[i];
  const struct op *op = &s->ops[r->op];
  int ix = i / p->py;
  trace(s, now, TOR_STEP_ENDED, op->step, i, r->stage);
  if (op->send_right && ix + 1 < p->px) send(s, now, i, i + p->py, r->stage, TOR_STEP_R);
  if (op->send_left && ix > 0) send(s, now, i, i - p->py, r->stage, TOR_STEP_L);
  r->computing = 0;
  r->here = now;
  if (++r->op < s->nops) return;
  if (ix == 0 && r->stage == p->stages / 2 - 1 && now > s->end_middle) s->end_middle = now;
  if (ix == 0 && now > s->end_left) s->end_left = now;
  r->op = 0;
  r->stage++;
}

/* --- The play --- */

static void set_program(struct play *s) {
  const struct tor_pipeline *p = s->p;
  if (p->px == 1) {
    s->ops[s->nops++] = (struct op){TOR_STEP_M, 0, 0, 0, 0};
    return;
  }
  int both = p->calc[TOR_STEP_B] > 0;
  s->ops[s->nops++] = (struct op){TOR_STEP_R, 1, 0, !both, 0};
  if (both)
    s->ops[s->nops++] = (struct op){TOR_STEP_B, 0, 1, 1, 0};
  else
    s->ops[s->nops++] = (struct op){TOR_STEP_M, 0, 0, 0, 0};
  s->ops[s->nops++] = (struct op){TOR_STEP_L, 0, !both, 0, 1};
}

void tor_pipeline_play(const struct tor_pipeline *p, struct tor_pipeline_times *times) {
  int ranks = p->px * p->py, nodes = (ranks + p->ranks_per_node - 1) / p->ranks_per_node;
  struct play s = {.p = p};
  set_program(&s);
  s.rank = tor_alloc((size_t)ranks, sizeof *s.rank, "ranks of the model");
  s.out_free = tor_alloc((size_t)nodes, sizeof *s.out_free, "ports of the model");
  s.in_free = tor_alloc((size_t)nodes, sizeof *s.in_free, "ports of the model");
  for (int i = 0; i < ranks; i++) try_start(&s, 0, i);
  double now = 0;
  while (s.nheap) {
    struct event e = pop(&s);
    now = e.time;
    if (e.what == STEP_DONE) {
      step_done(&s, now, e.rank);
    } else {
      trace(&s, now, TOR_MESSAGE_CAME, e.what == FROM_LEFT ? TOR_STEP_R : TOR_STEP_L, e.rank, e.stage);
      *(e.what == FROM_LEFT ? &s.rank[e.rank].from_left : &s.rank[e.rank].from_right) += 1;
    }
    try_around(&s, now, e.rank);
  }
  for (int i = 0; i < ranks; i++)
    if (s.rank[i].stage != p->stages)
      TOR_DIE("the model of the pipeline is deadlocked: rank %d in stage %d", i, s.rank[i].stage);
  int late = p->stages - p->stages / 2;
  double share = 1.0 / ((double)ranks * late);
  *times = (struct tor_pipeline_times){s.begin_left, (s.end_left - s.end_middle) / late, now, s.message * share,
                                       s.wait * share};
  free(s.rank);
  free(s.out_free);
  free(s.in_free);
  free(s.heap);
}

void tor_pipeline_estimate(const struct tor_pipeline *p, double *period, double *fill) {
  const double *t = p->calc;
  double stage = t[TOR_STEP_R] + t[TOR_STEP_B] + t[TOR_STEP_M] + t[TOR_STEP_L];
  if (p->px == 1) {
    *period = t[TOR_STEP_M];
    *fill = 0;
    return;
  }
  int inside = p->px * p->py <= p->ranks_per_node, sharers = p->py < p->ranks_per_node ? p->py : p->ranks_per_node;
  const struct tor_pipeline_path *path = inside ? &p->near : &p->net;
  double c = path->latency + (inside ? 1 : sharers) * p->bytes / path->rate;
  double loop = t[TOR_STEP_R] + 2 * t[TOR_STEP_B] + t[TOR_STEP_L] + 2 * c;
  *period = stage > loop ? stage : loop;
  *fill = (p->px - 1) * (stage + c);
}
