/* The points of studies of rates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "diamond/gpu/device.h"
#include "src/base/error.h"
#include "src/job/job_read.h"
#include "src/schedule/plan.h"
#include "src/study/rates.h"

static int rising(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* --points, or what is usual. Returns their number; 0 with a fault. */
static int read_points(const struct tor_rates *study, double value[TOR_RATES_POINTS], struct tor_faults *faults) {
  static const char *const usual[TOR_NSTUDIES] = {[TOR_STUDY_TH] = "8,16,32,64,128",
                                                  [TOR_STUDY_TOWERS] = "1,2,3,4,6,8,12,16",
                                                  [TOR_STUDY_ROOFLINE] = "8,16,32,64,128",
                                                  [TOR_STUDY_WEAK] = "1,2,4,8",
                                                  [TOR_STUDY_STRONG] = "1,2,4,8"};
  const char *text = study->options->points ? study->options->points : usual[study->options->kind], *at = text;
  int n = 0;
  for (;; at++) {
    char *end;
    const double v = strtod(at, &end);
    if (end == at || (*end && *end != ',') || !(v >= 1 && v <= 65536) || v != floor(v) || n == TOR_RATES_POINTS) {
      tor_fault(faults,
                "--points: got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED(
                    "at most %d whole numbers from 1 to 65536, such as 1,2,4,8"),
                text, TOR_RATES_POINTS);
      return 0;
    }
    value[n++] = v;
    at = end;
    if (!*at) break;
  }
  qsort(value, (size_t)n, sizeof *value, rising);
  int kept = 0;
  for (int i = 0; i < n; i++)
    if (!kept || value[kept - 1] < value[i]) value[kept++] = value[i];
  return kept;
}

int tor_rates_half_width(const struct tor_rates *study) {
  const struct tor_job *job = &study->job;
  const int reach = job->order == 4 ? 3 : 1;
  struct tor_plan plan;
  struct tor_faults faults = {0};
  int dts = job->schedule.dts;
  const struct tor_machine_rate *rate =
      study->has_machine ? tor_machine_find(&study->machine, job->order, job->precision) : NULL;
  if (study->gpu && rate && tor_device_count() < 1) /* a list for a cluster, made on a machine without GPUs */
    dts = rate->dts;
  else if (study->gpu)
    dts = tor_device_dts(job->order, job->precision,
                         tor_boundary_layer(&job->boundary[4]) + tor_boundary_layer(&job->boundary[5]) > 0);
  else if (!dts && !tor_plan_make(job, 0, &plan, &faults))
    dts = plan.setup.dts;
  tor_faults_free(&faults);
  return reach * (dts > 0 ? dts : 1);
}

/* A domain of n cells, in the job's unit. */
static void set_size(const struct tor_rates *study, struct tor_rates_point *p) {
  const struct tor_job *job = &study->job;
  snprintf(p->set[p->nset++], sizeof p->set[0], "grid.size=[%.12g,%.12g,%.12g]",
           (double)p->n[0] * job->cell[0] / job->length_unit, (double)p->n[1] * job->cell[1] / job->length_unit,
           (double)p->n[2] * job->cell[2] / job->length_unit);
}

static void set_ranks(const struct tor_rates *study, struct tor_rates_point *p) {
  const int along_y = study->options->along == 'y', weak = study->options->kind == TOR_STUDY_WEAK;
  *(along_y ? &p->py : &p->px) = (int)p->value;
  snprintf(p->set[p->nset++], sizeof p->set[0], "schedule.ranks=[%d,%d]", p->px, p->py);
  if (!weak) return;
  p->n[along_y] *= (tor_gidx)p->value;
  set_size(study, p);
}

static void add(struct tor_rates *study, double value, struct tor_faults *faults) {
  struct tor_rates_point *p = &study->point[study->npoints++];
  const struct tor_job *job = &study->job;
  *p = (struct tor_rates_point){.value = value, .px = 1, .py = 1, .predicted = NAN};
  for (int a = 0; a < 3; a++) p->n[a] = (tor_gidx)floor(job->size[a] / job->cell[a] + 0.5);
  snprintf(p->name, sizeof p->name, value > 0 ? "%s-%g" : "stepwise", study->name, value);
  switch (study->options->kind) {
  case TOR_STUDY_TH:
  case TOR_STUDY_ROOFLINE:
    if (value > 0)
      snprintf(p->set[p->nset++], sizeof p->set[0], "schedule.th=%g", value);
    else
      snprintf(p->set[p->nset++], sizeof p->set[0], "schedule.engine=\"stepwise\"");
    break;
  case TOR_STUDY_TOWERS:
    p->n[1] = (tor_gidx)value * tor_rates_half_width(study);
    set_size(study, p);
    if (!study->gpu) /* whose towers have one width */
      snprintf(p->set[p->nset++], sizeof p->set[0], "schedule.dts=%d",
               tor_rates_half_width(study) / (job->order == 4 ? 3 : 1));
    break;
  default: set_ranks(study, p);
  }
  const struct tor_study_options *o = study->options;
  const char **set = tor_alloc((size_t)(o->noverrides + p->nset), sizeof *set, "overrides");
  for (int i = 0; i < o->noverrides; i++) set[i] = o->overrides[i];
  for (int i = 0; i < p->nset; i++) set[o->noverrides + i] = p->set[i];
  struct tor_job own;
  struct tor_faults wrong = {0};
  if (tor_job_read(o->job, set, o->noverrides + p->nset, &own, &wrong)) tor_job_free(&own);
  tor_faults_move(faults, &wrong, p->name);
  free(set);
}

void tor_rates_add(struct tor_rates *study, struct tor_faults *faults) {
  double value[TOR_RATES_POINTS];
  const int n = read_points(study, value, faults);
  if (study->options->kind == TOR_STUDY_ROOFLINE && n && n < TOR_RATES_POINTS) add(study, 0, faults);
  for (int i = 0; i < n; i++) add(study, value[i], faults);
}
