/* The cost of a stage: see cluster.h. */
#include "src/predict/cluster.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comm/exchange/decomposition.h"
#include "src/base/types.h"
#include "src/predict/machine.h"
#include "src/predict/pipeline.h"

static tor_gidx up(tor_gidx a, tor_gidx b) { return (a + b - 1) / b; }

static double larger(double a, double b) { return a > b ? a : b; }

/* The machine of a run with its optional parts filled in: without devices the processor is the device. */
struct place {
  const struct tor_machine *m;
  const struct tor_cluster_domain *d;
  const struct tor_cluster_layout *l;
  const struct tor_machine_rate *rate;
  double column; /* bytes of a column */
  double link;   /* of a device when all of its node stream */
};

/* --- Shape --- */

static int cut(const struct place *at, struct tor_cluster_cost *c) {
  const struct tor_cluster_layout *l = at->l;
  int per_node = at->m->devices > 0 ? at->m->devices : 1;
  c->dts = at->rate->dts;
  c->reach = at->d->order == 4 ? 3 : 1;
  c->half_width = c->reach * c->dts;
  c->ranks = l->px * l->py;
  c->nodes = (int)up(c->ranks, l->ranks_per_node);
  c->devices = per_node / l->ranks_per_node;
  if (c->devices < 1 || c->devices * l->ranks_per_node != per_node) {
    snprintf(c->why, sizeof c->why, "got %d ranks a node, need a divisor of its %d devices", l->ranks_per_node,
             per_node);
    return -1;
  }
  const int most_nz = at->rate->most_nz;
  if (most_nz && at->d->n[2] > most_nz) {
    snprintf(c->why, sizeof c->why, "%lld cells along z, need at most %d: z is within a tower", (long long)at->d->n[2],
             most_nz);
    return -1;
  }
  tor_gidx rows = up(2 * at->d->n[0], (tor_gidx)c->half_width * l->px),
           towers = up(at->d->n[1], (tor_gidx)c->half_width * l->py * c->devices);
  if (c->ranks * c->devices > 1 && (2 * at->d->n[0] < (tor_gidx)c->half_width * l->px ||
                                    at->d->n[1] < (tor_gidx)c->half_width * l->py * c->devices)) {
    snprintf(c->why, sizeof c->why,
             "%lld x %lld cells are too few for %d x %d ranks with %d devices each: towers are %d cells wide",
             (long long)at->d->n[0], (long long)at->d->n[1], l->px, l->py, c->devices, c->half_width);
    return -1;
  }
  c->columns = up(rows * c->half_width, 2);
  c->towers = (int)towers;
  c->width = towers * c->half_width;
  c->overlap = c->reach * l->th + c->half_width;
  /* Rows that reach over the right border start in the last O columns; rows that the left neighbour reaches into start
   * in the first O. */
  double all = (double)rows, over = 2.0 * c->overlap / c->half_width;
  double *r = c->rows;
  if (l->px == 1) {
    r[TOR_STEP_M] = all;
  } else if (2 * over <= all) {
    r[TOR_STEP_R] = r[TOR_STEP_L] = over;
    r[TOR_STEP_M] = all - 2 * over;
  } else {
    r[TOR_STEP_R] = r[TOR_STEP_L] = larger(all - over, 0);
    r[TOR_STEP_B] = all - 2 * r[TOR_STEP_R];
  }
  return 0;
}

/* --- Memory --- */

static void find_memory(const struct place *at, struct tor_cluster_cost *c) {
  const struct tor_machine *m = at->m;
  int px = at->l->px, th = at->l->th;
  double held =
      (double)c->columns + (px > 1 ? c->overlap : 0); /* columns of the slab and of the overlap it reaches into */
  double slab = held * (double)c->width * at->column; /* of a device */
  double window = fmin(held, c->overlap + 2.0 * c->half_width) * (double)c->width * at->column;
  double node = slab * c->devices * at->l->ranks_per_node;
  c->resident = m->devices == 0 || slab <= m->device_memory;
  c->device_bytes = c->resident ? slab : window;
  c->host_bytes = m->devices == 0 || !c->resident ? node : 0;
  c->on_disk = c->host_bytes > m->host_memory && c->host_bytes <= m->disk;
  c->fits = 0;
  if (px > 1 && c->columns < c->overlap)
    snprintf(c->why, sizeof c->why, "slabs of %lld columns, need at least the overlap of %d (TH %d)",
             (long long)c->columns, c->overlap, th);
  else if (m->devices > 0 && c->device_bytes > m->device_memory)
    snprintf(c->why, sizeof c->why, "the window of TH %d takes %.3g GB of a device, it has %.3g", th,
             c->device_bytes * 1e-9, m->device_memory * 1e-9);
  else if (c->host_bytes > m->host_memory && !c->on_disk)
    snprintf(c->why, sizeof c->why, "a node's slabs take %.3g GB, its host has %.3g", c->host_bytes * 1e-9,
             m->host_memory * 1e-9);
  else
    c->fits = 1;
}

/* --- Time --- */

/* Host link of a device at a rank's end along y; in slabs that stay in the devices only those use theirs. */
static double border_link(const struct place *at, const struct tor_cluster_cost *c) {
  int users = 2 * at->l->ranks_per_node;
  return c->resident && users < at->m->devices ? tor_machine_link(at->m, users) : at->link;
}

/* Seconds from the end of a tower on one side of a border along y until its columns are on the other side; the columns
 * under it changed over its whole reach, half of them are the neighbour's. */
static double border_time(const struct place *at, struct tor_cluster_cost *c) {
  const struct tor_machine *m = at->m;
  const struct tor_cluster_layout *l = at->l;
  double net = 0, peer = 0;
  c->border_bytes = c->overlap * (c->half_width / 2.0) * at->column;
  c->border_net = l->py > 1 && l->ranks_per_node % l->py != 0;
  if (c->border_net) {
    double rate = m->network_rate / l->ranks_per_node; /* each rank of a node sends one border a row */
    net = m->network_latency + c->border_bytes / rate;
    if (m->devices > 0) net += 2 * (m->link_latency + c->border_bytes / border_link(at, c));
  }
  if (m->devices > 0 && (c->devices > 1 || (l->py > 1 && l->ranks_per_node > 1)))
    peer = m->peer_latency + c->border_bytes / m->peer_rate;
  return larger(net, peer);
}

/* A tower loads its tile when it starts and stores it when it ends, 2 tiles; in each step it moves 4 / DTS of one. So
 * it takes as long as TH + DTS / 2 steps when memory limits it. Taller towers than the measured ones get no better
 * rate. Columns shorter than the measured ones have fewer accesses in flight. */
static double rate_at(const struct tor_machine_rate *rate, int th, tor_gidx nz) {
  const double full = nz < rate->nz ? rate->rate * (double)nz / rate->nz : rate->rate, ends = 0.5 * rate->dts;
  return th >= rate->th ? full : full * (1 + ends / rate->th) / (1 + ends / th);
}

/* Towers in flight at once: a tall one takes the places of several, at the end some remain empty. */
static int in_flight(const struct tor_machine_rate *rate, tor_gidx nz, double *used) {
  const int places = rate->block_nz ? (int)up(nz, rate->block_nz) : 1;
  const int count = places < rate->towers ? rate->towers / places : 1;
  *used = places < rate->towers ? (double)count * places / rate->towers : 1;
  return count;
}

static void find_row(const struct place *at, struct tor_cluster_cost *c) {
  const struct tor_machine *m = at->m;
  double used;
  int th = at->l->th, n = c->towers, most = in_flight(at->rate, at->d->n[2], &used),
      per_node = m->devices > 0 ? m->devices : 1;
  double tower_cells = 0.5 * c->half_width * c->half_width * (double)at->d->n[2] * th * (1 + at->d->more);
  double border = border_time(at, c);
  c->in_flight = most;
  c->tower = most * tower_cells / (used * rate_at(at->rate, th, at->d->n[2]));
  if (m->rows == TOR_ROWS_BARRIER)
    c->row_compute = ceil((double)n / most) * c->tower + m->launch;
  else { /* towers that walls cut do less; a row trails the one before by a step at least */
    double whole = (double)at->d->n[1] / ((double)c->half_width * at->l->py * c->devices);
    c->row_compute = larger(whole / most, 1.0 / th) * c->tower;
  }
  /* With dataflow the columns that a tower leaves are sent in parts while it runs (docs/user/cluster.md, "GPUs along
   * y").
   */
  const double parts = m->devices > 0 && m->rows == TOR_ROWS_FLOW ? tor_decomposition_halo_y_parts(th) : 1;
  /* With a launch a row the straddling tower, in a stream of its own, starts when one of the first wave has ended. */
  const double towers = m->rows == TOR_ROWS_BARRIER ? 2 : 1 / parts;
  c->row_border = border > 0 ? towers * c->tower + border : 0;
  const double columns = 0.5 * c->half_width * (double)c->width * at->column;
  c->row_stream = c->row_host = 0;
  c->row_disk = c->on_disk ? 2 * columns * per_node / m->disk_rate : 0;
  if (m->devices > 0 && !c->resident) {
    double peer = m->peer_on_link && c->devices > 1 ? c->border_bytes : 0;
    c->row_stream = (columns + peer) / at->link;
    c->row_host = 2 * columns * per_node / m->host_rate;
  }
  c->row = larger(larger(c->row_compute, c->row_border), larger(c->row_stream, larger(c->row_host, c->row_disk)));
}

/* A step of rows: its launch, the rows, the end of the last row's towers; and when columns stream, the first tile's
 * columns in and the last one's out. */
static double step_time(const struct place *at, const struct tor_cluster_cost *c, double rows) {
  const struct tor_machine *m = at->m;
  if (rows <= 0) return 0;
  double time = rows * c->row;
  if (m->rows == TOR_ROWS_FLOW) time += m->launch + larger(0, c->tower - c->row);
  if (m->devices > 0 && !c->resident)
    time += 2 * (m->link_latency + c->half_width * (double)c->width * at->column / at->link);
  return time;
}

/* Messages from device to device: over the host links to other nodes, by peer copy within one. */
static void stage_messages(const struct place *at, struct tor_cluster_cost *c) {
  const struct tor_machine *m = at->m;
  struct tor_pipeline *p = &c->pipeline;
  double links = at->link * c->devices;
  if (links < p->net.rate) p->net.rate = links;
  p->net.latency += 2 * m->link_latency;
  p->near.rate = m->peer_rate * c->devices;
  p->near.latency = m->peer_latency;
}

static void find_messages(const struct place *at, struct tor_cluster_cost *c) {
  const struct tor_machine *m = at->m;
  const struct tor_cluster_layout *l = at->l;
  struct tor_pipeline *p = &c->pipeline;
  int staged = m->devices > 0 && c->resident;
  p->px = l->px;
  p->py = l->py;
  p->ranks_per_node = l->ranks_per_node;
  p->bytes = (double)c->overlap * (double)c->width * c->devices * at->column;
  /* The bandwidth of a node's port that borders along y use is not available along x. */
  double taken = c->border_net ? l->ranks_per_node * c->border_bytes / c->row : 0;
  p->net.rate = m->network_rate - taken;
  p->net.latency = m->network_latency;
  p->near.rate = m->host_rate / (2.0 * l->ranks_per_node);
  p->near.latency = 0;
  if (staged) stage_messages(at, c);
  if (m->within_rate > 0 && !c->resident) p->near = (struct tor_pipeline_path){m->within_rate, m->network_latency};
}

int tor_cluster_cost(const struct tor_machine *machine, const struct tor_cluster_domain *domain,
                     const struct tor_cluster_layout *layout, struct tor_cluster_cost *cost) {
  struct place at = {machine, domain, layout, tor_machine_find(machine, domain->order, domain->precision), 0, 0};
  memset(cost, 0, sizeof *cost);
  if (!at.rate) {
    snprintf(cost->why, sizeof cost->why, "the machine file has no rate for order %d in fp%d", domain->order,
             8 * domain->precision);
    return -1;
  }
  at.column = domain->cell * (double)domain->n[2];
  if (machine->devices > 0) at.link = tor_machine_link(machine, machine->devices);
  if (cut(&at, cost)) return -1;
  find_memory(&at, cost);
  find_row(&at, cost);
  for (int i = 0; i < TOR_NSTEP; i++) cost->steps += cost->pipeline.calc[i] = step_time(&at, cost, cost->rows[i]);
  find_messages(&at, cost);
  return 0;
}

double tor_cluster_seconds(double steps, int th, double period, double fill) {
  return fill + ceil(steps / th) * period;
}

int tor_cluster_choose_th(const struct tor_machine *machine, const struct tor_cluster_domain *domain, double steps,
                          struct tor_cluster_layout *layout, struct tor_cluster_cost *cost) {
  static const int heights[] = {4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
  struct {
    int th;
    double time;
  } best[2] = {{0, 0}, {0, 0}}; /* [fits] */
  for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
    double period, fill;
    layout->th = heights[i];
    if (tor_cluster_cost(machine, domain, layout, cost)) return -1;
    if (cost->overlap > cost->columns && i > 0) continue; /* taller towers lean out of the domain all their life */
    tor_pipeline_estimate(&cost->pipeline, &period, &fill);
    double time = tor_cluster_seconds(steps, layout->th, period, fill);
    if (best[cost->fits].th && time >= best[cost->fits].time) continue;
    best[cost->fits].th = layout->th;
    best[cost->fits].time = time;
  }
  layout->th = best[1].th ? best[1].th : best[0].th ? best[0].th : heights[0];
  tor_cluster_cost(machine, domain, layout, cost);
  return best[1].th ? 0 : -1;
}
