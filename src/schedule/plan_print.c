/* Prints a plan: see plan.h. */
#include <stdio.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/host_memory.h"
#include "src/base/quantity.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/graded.h"
#include "src/job/cylindrical.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/averaging.h"
#include "src/model/model.h"
#include "src/schedule/disk_plan.h"
#include "src/schedule/plan.h"
#include "src/simulation/packing.h"

static void print_bytes(FILE *out, const char *name, double bytes) {
  char text[48];
  tor_quantity_bytes(bytes, text, sizeof text);
  fprintf(out, "  %-28s %12s\n", name, text);
}

/* Whether columns have coefficients of H of their own, apart from absorbers. */
static int has_own_h(const struct tor_job *job) {
  const struct tor_medium *background = &job->media[job->background];
  if (job->nodes[TOR_X] || job->nodes[TOR_Y]) return 1;
  for (int o = 0; o < job->nobjects; o++) {
    const struct tor_medium *m = &job->media[job->objects[o].medium];
    if (m->conducts && job->averaging != TOR_AVERAGE_STAIRCASE) return 1;
    for (int a = 0; a < 3; a++)
      if (m->mu[a] != background->mu[a] || m->sigma_m[a] != background->sigma_m[a]) return 1;
  }
  return 0;
}

/* What is slower than the rest. */
static void print_slow(const struct tor_job *job, const struct tor_plan *plan, FILE *out) {
  const char *const why = plan->gpu >= 0 ? plan->no_gpu_towers : plan->no_ring;
  if (why) fprintf(out, "           no towers: %s\n", why);
  if (why && plan->gpu >= 0)
    fprintf(out, "           so each step moves all fields, at a quarter to a half of the rate of towers\n");
  if (plan->gpu >= 0 && plan->size.grid.plane && plan->setup.engine == TOR_ENGINE_DIAMOND)
    fprintf(out, "           panels: several steps a launch; stepwise near walls, layers, poles, losses, sources and\n"
                 "           monitors, and everywhere if that is most of the domain\n");
  if (plan->gpu >= 0 && !plan->size.grid.plane && plan->setup.engine == TOR_ENGINE_DIAMOND && has_own_h(job))
    fprintf(out, "           columns in magnetic media, in cells graded along x or y, and at the surfaces of\n"
                 "           conductors (not with averaging = \"staircase\"), run at about a tenth of the rate\n");
}

/* The graded axes, and how many cells as small as the smallest of each would be. */
static void print_graded(const struct tor_job *job, const struct tor_grid *g, double cells, FILE *out) {
  double equal = cells;
  for (int u = 0; u < tor_user_axes(job); u++) {
    const int a = tor_axis_of_user(job, u);
    if (!g->node[a]) continue;
    const double least = tor_grid_least(g, a);
    fprintf(out, "           along %c graded: %.4g nm down to %.4g nm, neighbours differ by at most %.3f\n", "xyz"[u],
            g -> d[a] / TOR_NM, least / TOR_NM, tor_graded_ratio(job->nodes[a], job->nnode[a]));
    equal *= tor_grid_length(g, a) / least / g->n[a];
  }
  if (tor_grid_is_graded(g))
    fprintf(out,
            "           equal cells as small as these would be %.4g, %.1f times as many, with the same time step\n",
            equal, equal / cells);
}

static void print_time(const struct tor_job *job, const struct tor_plan *plan, FILE *out) {
  if (plan->rate <= 0) return;
  char took[96];
  tor_quantity_time(plan->seconds, took, sizeof took);
  fprintf(out, "time       %s%s at %.3g G cell updates/s (%s)%s\n", plan->seconds >= 0.95 ? "about " : "", took,
          plan->rate * 1e-9,
          plan->gpu >= 0 ? "from the rates of torre tune" : "measured on a small vacuum, poles added",
          job->run_decay > 0   ? "; less when the energy decays earlier"
          : job->run_until > 0 ? "; less when spectra settle earlier"
                               : "");
}

static void print_grid(const struct tor_job *job, const struct tor_plan *plan, FILE *out) {
  const struct tor_grid *g = &plan->size.grid;
  double d[3];
  for (int u = 0; u < 3; u++) d[u] = g->d[tor_axis_of_user(job, u)] / TOR_NM;
  if (g->plane)
    fprintf(out,
            "grid       2-D, %s: %d x %d cells of %.4g x %.4g nm, %.4g cells in all; results are per metre along z\n",
            tor_plane_name(g->plane), tor_grid_cells(g, 1), tor_grid_cells(g, 2), d[0], d[1], plan->size.cells);
  else if (g->angular)
    fprintf(out, "grid       cylindrical, m = %s: %d x %d cells of %.4g x %.4g nm along r and z, %.4g cells in all\n",
            tor_cylindrical_text(g->angular), g->n[TOR_RADIAL], g->n[TOR_AXIAL], d[0], d[2], plan->size.cells);
  else
    fprintf(out, "grid       %s cells of %.4g x %.4g x %.4g nm, %.4g cells in all\n", tor_job_cells(job, g), d[0], d[1],
            d[2], plan->size.cells);
  print_graded(job, g, plan->size.cells, out);
  if (!g->plane && !g->angular && job->turn)
    fprintf(out, "axes       turned for the periodic x: towers move along %c, rings lie along %c, vectors along %c\n",
            tor_axis_name(job, TOR_X), tor_axis_name(job, TOR_Y), tor_axis_name(job, TOR_Z));
}

/* Cells of a batch that a GPU runs together. */
static void print_packing(const struct tor_job *job, const struct tor_plan *plan, FILE *out) {
  struct tor_slab slab;
  const int most = plan->gpu >= 0 && plan->window <= 0 && plan->setup.engine == TOR_ENGINE_DIAMOND
                       ? tor_packing_most_jobs(job, &slab)
                       : 0;
  if (most)
    fprintf(out, "           of such cells in one batch (--sweep, --jobs) up to %d share the GPU's blocks\n", most);
}

void tor_plan_print(const struct tor_job *job, const struct tor_plan *plan, FILE *out) {
  const struct tor_grid *g = &plan->size.grid;
  const struct tor_model_memory *m = &plan->size.memory;
  static const char *const media[TOR_NODE_MEDIA] = {"media with a full permittivity tensor", "magnetised or Kerr media",
                                                    "second-order media", "media with a saturable pole"};
  char text[160];
  print_grid(job, plan, out);
  int parts = 1;
  for (int a = 0; a < 3; a++) parts *= g->mirror[a] ? 2 : 1;
  if (parts > 1)
    fprintf(out, "symmetry   one part of %d is computed, the cells in all; the results are of the whole\n", parts);
  fprintf(out, "arithmetic order %d in space, fp%d\n", g->order, 8 * job->precision);
  if (job->nobjects) fprintf(out, "surfaces   %s\n", tor_averaging_text(job, text, sizeof text));
  fprintf(out, "time step  %.6g fs (courant %.3g), at most %lld steps = %.6g fs\n", g->dt / TOR_FS, job->courant,
          (long long)plan->size.steps, (double)plan->size.steps * g->dt / TOR_FS);
  if (tor_grid_complex(g))
    fprintf(out, "fields     complex, between Bloch walls: twice the time and memory of real ones, counted below\n");
  fprintf(out, "media      %.4g field points with poles, %.3g values of their state a cell\n", plan->size.dispersive,
          plan->size.values_dispersive / plan->size.cells);
  for (int k = 0; k < TOR_NODE_MEDIA; k++)
    if (plan->size.nodes[k] > 0)
      fprintf(out, "           %.4g nodes of %s, %d values each\n", plan->size.nodes[k], media[k],
              tor_node_states_of(-1 - k) + tor_node_weights_of(-1 - k));
  if (plan->window > 0)
    fprintf(out, "schedule   diamond on GPU %d, TH %d; the fields %s, a window of %.3f GB passes over %s\n", plan->gpu,
            plan->th, plan->disk.used ? "are on disk" : "stay in host memory", plan->window * 1e-9,
            plan->disk.used ? "those in memory" : "them");
  else if (plan->gpu >= 0)
    fprintf(out, "schedule   %s on GPU %d, TH %d\n",
            plan->tries_engines                        ? "diamond or stepwise, what the first stages find faster,"
            : plan->setup.engine == TOR_ENGINE_DIAMOND ? "diamond"
                                                       : "stepwise",
            plan->gpu, plan->th);
  else if (plan->setup.engine == TOR_ENGINE_DIAMOND)
    fprintf(out, "schedule   diamond, DTS %d, TH %d, %d thread%s\n", plan->setup.dts, plan->th, plan->setup.threads,
            plan->setup.threads > 1 ? "s" : "");
  else
    fprintf(out, "schedule   stepwise, %d thread%s\n", plan->setup.threads, plan->setup.threads > 1 ? "s" : "");
  print_slow(job, plan, out);
  print_packing(job, plan, out);
  fprintf(out, "           %s%s\n", plan->tuned_bad ? "warning: " : plan->tuned ? "" : "usual values: ", plan->origin);
  if (plan->disk.used) tor_disk_plan_print(job, plan, out);
  fprintf(out, "memory\n");
  print_bytes(out, "fields", m->fields);
  print_bytes(out, "absorbing layers", m->cpml);
  print_bytes(out, "coefficients (estimate)", m->coefficients);
  print_bytes(out, "poles (estimate)", m->poles);
  print_bytes(out, "monitors", m->monitors);
  print_bytes(out, "lists", m->lists);
  print_bytes(out, "total", m->total);
  if (m->designs > 0) print_bytes(out, "design regions, each process", m->designs);
  if (tor_plan_samples(plan) > 0) print_bytes(out, "monitors' samples on the GPU", tor_plan_samples(plan));
  const char *limit;
  const double available = tor_host_memory(NULL, 1, &limit);
  if (available > 0) print_bytes(out, "free on this machine", available);
  if (available > 0 && strcmp(limit, "free") != 0) fprintf(out, "  %-28s %s\n", "", limit);
  print_time(job, plan, out);
}
