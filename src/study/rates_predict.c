/* What the cluster model says of the points of a study of rates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/gpu/device.h"
#include "src/base/error.h"
#include "src/predict/cluster.h"
#include "src/predict/cluster_plan.h"
#include "src/study/rates.h"

/* The point whose measured rate is taken as that of the device: the last one of one rank, by towers. */
static const struct tor_rates_point *base_of(const struct tor_rates *study) {
  for (int i = study->npoints - 1; i >= 0; i--) {
    const struct tor_rates_point *p = &study->point[i];
    if (p->finished && p->px * p->py == 1 && p->value > 0) return p;
  }
  return NULL;
}

/* This machine, without --machine: the measured rate, its memory's copies, and on a GPU its host link. */
static int measured_machine(const struct tor_rates *study, struct tor_machine *m) {
  const struct tor_rates_point *base = base_of(study);
  const struct tor_job *job = &study->job;
  if (!base || (study->gpu && tor_device_count() < 1)) return 0;
  const double plenty = 1e18;
  *m = (struct tor_machine){.nodes = 1 << 20,
                            .cores = 1,
                            .host_memory = plenty,
                            .host_rate = study->copy,
                            .network_rate = 0.5 * study->copy,
                            .network_latency = 2e-6,
                            .rows = TOR_ROWS_FLOW};
  if (study->gpu) {
    m->devices = 1;
    m->device_memory = job->schedule.device_memory > 0 ? job->schedule.device_memory : tor_device_memory(0);
    m->host_rate = plenty;
    m->link = tor_alloc(1, sizeof *m->link, "link");
    m->link[m->nlink++] = (struct tor_machine_link){1, tor_device_link_bandwidth(1)};
    m->link_latency = 1e-5;
    m->peer_rate = m->network_rate = m->link[0].rate;
  }
  m->rates = tor_alloc(1, sizeof *m->rates, "rate");
  const int wide = (int)base->n[1] / tor_rates_half_width(study), threads = study->job.schedule.threads;
  m->rates[m->nrates++] = (struct tor_machine_rate){
      .order = job->order,
      .precision = job->precision,
      .dts = base->dts > 0 && !study->gpu ? base->dts : tor_rates_half_width(study) / (job->order == 4 ? 3 : 1),
      .rate = base->rate,
      .th = base->th > 0 ? base->th : 1,
      .towers = study->gpu    ? (wide < 132 ? wide : 132)
                : threads > 0 ? threads
                              : 1};
  if (m->rates[0].towers < 1) m->rates[0].towers = 1;
  return 1;
}

static int cost_of(const struct tor_rates *study, const struct tor_machine *machine, const struct tor_rates_point *p,
                   struct tor_cluster_cost *cost) {
  struct tor_machine m = *machine;
  const struct tor_job *job = &study->job;
  const int ranks = p->px * p->py;
  struct tor_cluster_domain d = {{p->n[0], p->n[1], p->n[2]}, job->order, job->precision, 6.0 * job->precision, 0};
  struct tor_cluster_layout layout = {p->px, p->py, 1, p->th > 0 ? p->th : job->schedule.th};
  if (study->options->kind == TOR_STUDY_TH || study->options->kind == TOR_STUDY_ROOFLINE) layout.th = (int)p->value;
  if (m.devices > 0) /* a rank is a device */
    m.devices = layout.ranks_per_node = ranks < m.devices ? ranks : m.devices;
  if (m.devices > 0 && job->schedule.device_memory > 0) m.device_memory = job->schedule.device_memory;
  if (layout.th < 1) return tor_cluster_choose_th(&m, &d, 1e5, &layout, cost) ? 0 : layout.th;
  return tor_cluster_cost(&m, &d, &layout, cost) ? 0 : layout.th;
}

void tor_rates_predict(struct tor_rates *study) {
  struct tor_machine own = {0};
  if (!study->has_machine && !measured_machine(study, &own)) return;
  for (int i = 0; i < study->npoints; i++) {
    struct tor_rates_point *p = &study->point[i];
    struct tor_cluster_cost cost;
    struct tor_pipeline_times times;
    const int th = p->value > 0 ? cost_of(study, study->has_machine ? &study->machine : &own, p, &cost) : 0;
    if (!th) continue;
    tor_cluster_play(&cost, 16, &times);
    p->predicted = (double)p->n[0] * (double)p->n[1] * (double)p->n[2] * th / times.period;
  }
  free(own.link);
  free(own.rates);
}

double tor_rates_hiding_towers(struct tor_rates *study) {
  struct tor_cluster_cost cost;
  struct tor_rates_point two = study->point[study->npoints - 1];
  if (!study->has_machine) return NAN;
  two.n[1] *= 2;
  two.py = 2;
  if (!cost_of(study, &study->machine, &two, &cost)) return NAN;
  const struct tor_machine_rate *rate = tor_machine_find(&study->machine, study->job.order, study->job.precision);
  return cost.row_border / cost.tower * rate->towers;
}
