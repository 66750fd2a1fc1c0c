/* The search for a layout: see cluster_plan.h. */
#include "src/predict/cluster_plan.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/quantity.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/column_work.h"
#include "src/model/model.h"
#include "src/predict/cluster.h"
#include "src/predict/machine.h"
#include "src/predict/pipeline.h"

/* Efficiency: cell updates a second over the sum of the rates of all devices in use. */
static double efficiency(const struct tor_machine *machine, const struct tor_cluster_domain *domain,
                         const struct tor_cluster_layout *layout, double cell_updates_per_s) {
  int per_node = machine->devices > 0 ? machine->devices : 1;
  double devices = (double)layout->px * layout->py * per_node / layout->ranks_per_node;
  return cell_updates_per_s / (devices * tor_machine_find(machine, domain->order, domain->precision)->rate);
}

double tor_cluster_hidden(const struct tor_pipeline_times *times) {
  if (times->message <= 0) return 1;
  return fmax(0, 1 - times->wait / times->message);
}

void tor_cluster_play(const struct tor_cluster_cost *cost, int stages, struct tor_pipeline_times *times) {
  struct tor_pipeline p = cost->pipeline;
  p.stages = stages;
  tor_pipeline_play(&p, times);
}

/* Keeps the shortest by estimate; among equals the first, which has the fewest ranks along X. */
static void offer(struct tor_cluster_plan *plan, const struct tor_cluster_layout *layout,
                  const struct tor_cluster_cost *cost) {
  double period, fill;
  tor_pipeline_estimate(&cost->pipeline, &period, &fill);
  double seconds = tor_cluster_seconds(plan->steps, layout->th, period, fill);
  int i = plan->count < TOR_CLUSTER_CHOICES ? plan->count++ : TOR_CLUSTER_CHOICES;
  for (; i > 0 && plan->choice[i - 1].seconds > seconds; i--)
    if (i < TOR_CLUSTER_CHOICES) plan->choice[i] = plan->choice[i - 1];
  if (i < TOR_CLUSTER_CHOICES) plan->choice[i] = (struct tor_cluster_choice){*layout, *cost, {0, 0, 0, 0, 0}, seconds};
}

static void play_all(struct tor_cluster_plan *plan) {
  enum { STAGES = 16 };
  for (int i = 0; i < plan->count; i++) {
    struct tor_cluster_choice now = plan->choice[i];
    tor_cluster_play(&now.cost, STAGES, &now.times);
    now.seconds = tor_cluster_seconds(plan->steps, now.layout.th, now.times.period, now.times.fill);
    int j = i;
    for (; j > 0 && plan->choice[j - 1].seconds > now.seconds; j--) plan->choice[j] = plan->choice[j - 1];
    plan->choice[j] = now;
  }
}

/* Mean additional time of a cell by layers and poles. */
static double more_of(const struct tor_job *job, const struct tor_grid *g, const struct tor_column_costs *costs) {
  const double columns = (double)tor_grid_slices(g, 0) * tor_grid_slices(g, 1);
  double all = 0;
  int64_t *x = tor_alloc((size_t)tor_grid_slices(g, 0), sizeof *x, "plan"),
          *y = tor_alloc((size_t)g->n[1] + 1, sizeof *y, "plan");
  tor_column_work(job, g, costs, 0, 1, (int64_t *const[2]){x, y});
  for (int i = 0; i < tor_grid_slices(g, 0); i++) all += (double)x[i];
  free(x);
  free(y);
  return all / (TOR_COLUMN_WORK_UNIT * columns * g->n[2]) - 1;
}

/* Costs a layout at the given height, or at the best. Returns 0 when it fits. */
static int cost_layout(const struct tor_cluster_plan *plan, int th, struct tor_cluster_layout *layout,
                       struct tor_cluster_cost *cost) {
  layout->th = th;
  if (th > 0) return tor_cluster_cost(plan->machine, &plan->domain, layout, cost) || !cost->fits ? -1 : 0;
  return tor_cluster_choose_th(plan->machine, &plan->domain, plan->steps, layout, cost);
}

int tor_cluster_plan_make(const struct tor_machine *machine, int nodes, const struct tor_job *job,
                          const struct tor_model_size *size, struct tor_cluster_plan *plan, struct tor_faults *faults) {
  const struct tor_grid *g = &size->grid;
  double values = 6.0 * job->precision, cell = size->memory.total / size->cells;
  memset(plan, 0, sizeof *plan);
  plan->machine = machine;
  plan->nodes = nodes > 0 ? nodes : machine->nodes;
  plan->steps = (double)size->steps;
  plan->domain =
      (struct tor_cluster_domain){{g->n[0], g->n[1], g->n[2]}, job->order, job->precision, fmax(values, cell), 0};
  const struct tor_machine_rate *rate = tor_machine_find(machine, job->order, job->precision);
  if (rate) plan->domain.more = more_of(job, g, &rate->costs);
  if (plan->nodes > machine->nodes) {
    tor_fault(faults, "--nodes: got %d, \"%s\" has %d", plan->nodes, machine->name, machine->nodes);
    return -1;
  }
  int per_node = machine->devices > 0 ? machine->devices : 1;
  const int *asked = job->schedule.ranks;
  char why[256] = "";
  for (int rpn = 1; rpn <= per_node; rpn++) {
    if (per_node % rpn) continue;
    int ranks = plan->nodes * rpn;
    for (int px = 1; px <= ranks; px++) {
      if (asked[0] && (px != asked[0] || px * asked[1] != ranks)) continue;
      struct tor_cluster_layout layout = {px, ranks / px, rpn, 0};
      struct tor_cluster_cost cost;
      if (!cost_layout(plan, job->schedule.th, &layout, &cost))
        offer(plan, &layout, &cost);
      else if (!*why)
        memcpy(why, cost.why, sizeof why);
    }
  }
  if (!plan->count && !*why) {
    tor_fault_at(faults, tor_job_place(job, "schedule.ranks"),
                 "got " TOR_FOUND("%d x %d") ", need " TOR_NEEDED(
                     "as many as %d node%s of \"%s\" or as a divisor of their devices gives"),
                 asked[0], asked[1], plan->nodes, plan->nodes > 1 ? "s" : "", machine->name);
    return -1;
  }
  if (!plan->count) {
    tor_fault(faults, "%s: does not fit %d node%s of \"%s\": %s", job->path, plan->nodes, plan->nodes > 1 ? "s" : "",
              machine->name, why);
    return -1;
  }
  play_all(plan);
  return 0;
}

static const char *limit_of(const struct tor_cluster_cost *c) {
  if (c->row == c->row_compute) return "computing";
  if (c->row == c->row_stream) return "the host links";
  if (c->row == c->row_disk) return "the disk";
  return c->row == c->row_host ? "the host's memory" : "the exchange along y";
}

static void print_choice(const struct tor_cluster_plan *plan, const struct tor_cluster_choice *a, FILE *out) {
  const struct tor_cluster_cost *c = &a->cost;
  const struct tor_cluster_domain *d = &plan->domain;
  const double *t = c->pipeline.calc;
  double updates = (double)d->n[0] * (double)d->n[1] * (double)d->n[2] * a->layout.th / a->times.period;
  fprintf(out, "ranks      %d x %d along x and y, %d a node, %d node%s; each has %s\n", a->layout.px, a->layout.py,
          a->layout.ranks_per_node, c->nodes, c->nodes > 1 ? "s" : "",
          plan->machine->devices > 0 ? "its devices side by side along y" : "a node's cores");
  fprintf(out, "towers     DTS %d, TH %d: %d a row on a device, %d in flight at once\n", c->dts, a->layout.th,
          c->towers, c->in_flight);
  fprintf(out, "slab       %lld columns of a rank along x, %lld cells of a device along y; overlap %d columns\n",
          (long long)c->columns, (long long)c->width, c->overlap);
  char amount[64];
  tor_quantity_share(c->device_bytes, plan->machine->device_memory, amount, sizeof amount);
  if (plan->machine->devices > 0)
    fprintf(out, "memory     %s of a device (%s)", amount,
            c->resident ? "the whole slab" : "a window; the slab stays in the host's memory");
  tor_quantity_share(c->host_bytes, plan->machine->host_memory, amount, sizeof amount);
  fprintf(out, "%s%s of a host\n", plan->machine->devices > 0 ? ", " : "memory     ", amount);
  fprintf(out, "stage      %.4g ms: rows at the right %.4g, between %.4g, at the left %.4g, both %.4g; limited by %s\n",
          c->steps * 1e3, t[TOR_STEP_R] * 1e3, t[TOR_STEP_M] * 1e3, t[TOR_STEP_L] * 1e3, t[TOR_STEP_B] * 1e3,
          limit_of(c));
  fprintf(out, "pipeline   filled after %.4g s = %.4g stages; then a stage every %.4g ms\n", a->times.fill,
          a->times.fill / a->times.period, a->times.period * 1e3);
  tor_quantity_bytes(c->ranks > 1 && a->layout.px > 1 ? c->pipeline.bytes : 0, amount, sizeof amount);
  fprintf(out, "messages   %s each along x, %.4g ms a rank and stage, %.4g %% hidden behind steps\n", amount,
          a->times.message * 1e3, 100 * tor_cluster_hidden(&a->times));
  const int large = updates >= 1e13;
  fprintf(out, "rate       %.4g %s cell updates/s when filled, %.4g %% of the devices' rates\n",
          updates * (large ? 1e-12 : 1e-9), large ? "T" : "G", 100 * efficiency(plan->machine, d, &a->layout, updates));
  tor_quantity_time(a->seconds, amount, sizeof amount);
  fprintf(out, "time       %.4g s (%s) for %.0f steps, fill included\n", a->seconds, amount, plan->steps);
}

void tor_cluster_plan_print(const struct tor_cluster_plan *plan, FILE *out) {
  const tor_gidx *n = plan->domain.n;
  fprintf(out, "machine    %s: %d of %d node%s\n", plan->machine->name, plan->nodes, plan->machine->nodes,
          plan->machine->nodes > 1 ? "s" : "");
  const struct tor_column_costs *costs =
      &tor_machine_find(plan->machine, plan->domain.order, plan->domain.precision)->costs;
  if (costs->layers > 0 || costs->poles > 0)
    fprintf(
        out,
        "rates      as in the machine file; layers and poles make a cell take %.3g times as long as in vacuum; sources "
        "and monitors are counted in memory, not in time\n",
        1 + plan->domain.more);
  else
    fprintf(
        out,
        "rates      as in the machine file; layers, poles, sources and monitors are counted in memory, not in time\n");
  fprintf(out, "domain     %lld x %lld x %lld cells, order %d, fp%d, %.4g bytes a cell\n", (long long)n[0],
          (long long)n[1], (long long)n[2], plan->domain.order, 8 * plan->domain.precision, plan->domain.cell);
  print_choice(plan, &plan->choice[0], out);
  for (int i = 1; i < plan->count; i++) {
    const struct tor_cluster_choice *a = &plan->choice[i];
    fprintf(out, "%s%d x %d ranks, %d a node, TH %d: %.4g s\n", i == 1 ? "also       " : "           ", a->layout.px,
            a->layout.py, a->layout.ranks_per_node, a->layout.th, a->seconds);
  }
}
