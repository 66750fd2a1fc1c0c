/* A rank's slab and its exchanges: each stage in seven steps, waitR calcR sendR calcM waitL calcL sendL, in slabs
 * narrower than two overlaps waitR calcR waitL calcB sendR calcL sendL (docs/user/cluster.md). calcB counts as calcM.
 *
 * One process without neighbours runs the same code: all its rows are calcM. Uses MPI through message.h alone. */
#ifndef TOR_COMM_EXCHANGE_EXCHANGE_H
#define TOR_COMM_EXCHANGE_EXCHANGE_H

#include "diamond/core/engine.h"
#include "comm/exchange/halo_y_gpu.h"
#include "comm/exchange/decomposition.h"
#include "comm/transport/message.h"
#include "comm/exchange/halo_rows.h"
#include "comm/exchange/halo_x.h"
#include "comm/exchange/halo_y_cpu.h"
#include "diamond/core/rounds.h"
#include "diamond/core/worker.h"

enum tor_phase { TOR_WAIT_R, TOR_CALC_R, TOR_SEND_R, TOR_CALC_M, TOR_WAIT_L, TOR_CALC_L, TOR_SEND_L, TOR_NPHASE };
extern const char *const tor_phase_name[TOR_NPHASE];

/* One phase of one stage on one rank, seconds since tor_exchange_open. */
struct tor_phase_time {
  int rank, stage;
  enum tor_phase phase;
  double start, end;
};

struct tor_exchange {
  const struct tor_decomposition *layout;
  struct tor_part share;
  struct tor_slab *slab;
  struct tor_worker worker;
  /* The right one is received from rank x + 1 and returned; the left one is sent to rank x - 1 and received back. */
  struct tor_halo_x halo_x[TOR_NHALO_X];
  /* Rows from `first` down: whether all ranks find them plain. Runs end where that changes; NULL: it does nowhere. */
  struct {
    uint8_t *is_plain;
    int first, last;
  } rows;
  int most_rows;                             /* of a run of an asynchronous worker with neighbours along y */
  struct tor_halo_y_cpu halo_y_cpu;          /* at borders along Y */
  struct tor_halo_y_gpu halo_y[TOR_NHALO_Y]; /* the same for an asynchronous worker, by the channels of halo_y_cpu */
  struct tor_halo_rows halo_rows;            /* for one that advances a 2-D slab by rounds, by these channels, too */
  /* The right overlap may be unpacked, in its state after the next stage, while a stage still runs. Set by
   * tor_exchange_use where that hides a copy (GPUs); to be cleared before a stage after which all own columns are read.
   */
  int ahead;
  int stages; /* done */
  double begin;
  double seconds[TOR_NPHASE]; /* sums over stages */
  double fill;    /* part of waitR: until the right overlap arrived for the first time, while the pipeline filled */
  int keep_times; /* set before the first stage: every phase is recorded in `times` */
  struct tor_phase_time *times;
  size_t ntimes, times_capacity;
};

/* slab, layout must outlive it; the slab holds the columns that the share names. Collective. */
void tor_exchange_open(struct tor_exchange *exchange, const struct tor_decomposition *layout, struct tor_slab *slab,
                       int x, int y);
/* Another worker than the CPU's engines, which the exchange then owns; and one that advances a 2-D slab by rounds.
 * Before the first stage. Collective. */
void tor_exchange_use(struct tor_exchange *exchange, struct tor_worker worker);
void tor_exchange_use_rounds(struct tor_exchange *exchange, struct tor_worker worker,
                             const struct tor_halo_rows_calls *calls);
/* Waits as tor_exchange_settle. Collective. */
void tor_exchange_close(struct tor_exchange *exchange);

/* How columns travel between this rank and its neighbours along an axis: FETCHED only where all of them are fetched. */
enum tor_halo_x_way tor_exchange_way(const struct tor_exchange *exchange, int axis);

/* Advances the slab by a stage of the diamond engine (or, on a rank without neighbours, of any). stage->steps is at
 * most the layout's th and the same on all ranks. Afterwards the columns of share.own are at the stage's end; those of
 * the left overlap are after tor_exchange_settle. */
void tor_exchange_stage(struct tor_exchange *exchange, const struct tor_stage *stage,
                        const struct tor_engine_setup *setup);

/* Copies the energy sums of a stage with a sum to the slab. Before sums over all ranks. */
void tor_exchange_fetch_energy(struct tor_exchange *exchange);

/* Waits for the left overlap, and until all sends have been received: then all held columns but the halos along y are
 * at the same step, and no neighbour waits for this rank. Another stage may follow. */
void tor_exchange_settle(struct tor_exchange *exchange);

#endif
