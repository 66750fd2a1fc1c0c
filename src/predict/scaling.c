/* Scaling series, their tables and pictures: see scaling.h. */
#include "src/predict/scaling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/table.h"
#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/predict/cluster.h"
#include "src/predict/cluster_plan.h"
#include "src/predict/machine.h"

const char *tor_scaling_name(enum tor_scaling_kind kind) {
  static const char *const names[TOR_NSCALING] = {"weak-x", "weak-y", "strong-x", "strong-y"};
  return names[kind];
}

/* --- Series --- */

static double cells(const struct tor_cluster_domain *d) { return (double)d->n[0] * (double)d->n[1] * (double)d->n[2]; }

static struct tor_cluster_domain domain_of(const struct tor_scaling *s, int ranks) {
  struct tor_cluster_domain d = s->domain;
  if (s->kind == TOR_WEAK_X) d.n[0] *= ranks;
  if (s->kind == TOR_WEAK_Y) d.n[1] *= ranks;
  return d;
}

static int is_along_y(const struct tor_scaling *s) { return s->kind == TOR_WEAK_Y || s->kind == TOR_STRONG_Y; }
static int is_strong(const struct tor_scaling *s) { return s->kind == TOR_STRONG_X || s->kind == TOR_STRONG_Y; }

/* False when the ranks cannot share the domain. */
static int make_point(const struct tor_machine *machine, const struct tor_scaling *s, int ranks,
                      struct tor_scaling_point *a) {
  enum { STAGES = 16 };
  struct tor_cluster_domain d = domain_of(s, ranks);
  memset(a, 0, sizeof *a);
  a->layout =
      (struct tor_cluster_layout){is_along_y(s) ? 1 : ranks, is_along_y(s) ? ranks : 1, s->ranks_per_node, s->th};
  if (s->th)
    tor_cluster_cost(machine, &d, &a->layout, &a->cost);
  else
    tor_cluster_choose_th(machine, &d, s->steps, &a->layout, &a->cost);
  if (a->cost.steps <= 0 || (ranks > 1 && !is_along_y(s) && a->cost.columns < a->cost.overlap)) return 0;
  tor_cluster_play(&a->cost, STAGES, &a->times);
  a->rate = cells(&d) * a->layout.th / a->times.period;
  a->run_rate = cells(&d) * s->steps / tor_cluster_seconds(s->steps, a->layout.th, a->times.period, a->times.fill);
  return 1;
}

int tor_scaling_make(const struct tor_machine *machine, const struct tor_scaling *s, struct tor_scaling_point **points,
                     char *why) {
  struct tor_scaling_point *list = NULL;
  size_t capacity = 0;
  int count = 0;
  for (int ranks = 1; ranks <= s->ranks; ranks = ranks == 1 ? 2 : ranks & (ranks - 1) ? ranks / 3 * 4 : ranks / 2 * 3) {
    list = tor_grow(list, (size_t)count + 1, &capacity, sizeof *list);
    if (!make_point(machine, s, ranks, &list[count])) break;
    list[count].speedup = list[count].rate / list[0].rate;
    list[count].run_speedup = list[count].run_rate / list[0].run_rate;
    count++;
  }
  if (!count && list) {
    memcpy(why, list[0].cost.why, sizeof list[0].cost.why);
    free(list);
    list = NULL;
  }
  *points = list;
  return count;
}

/* Speed-up against one rank for each rank [%]. */
static double efficiency(const struct tor_scaling_point *a) { return 100 * a->speedup / a->cost.ranks; }

void tor_scaling_print(const struct tor_machine *machine, const struct tor_scaling *s,
                       const struct tor_scaling_point *points, int count, FILE *out) {
  const tor_gidx *n = s->domain.n;
  int missing = 0;
  fprintf(out, "%s on %s: %lld x %lld x %lld cells%s, order %d, fp%d, %d rank%s a node, %g steps\n",
          tor_scaling_name(s->kind), machine->name, (long long)n[0], (long long)n[1], (long long)n[2],
          is_strong(s) ? " in all" : " a rank", s->domain.order, 8 * s->domain.precision, s->ranks_per_node,
          s->ranks_per_node > 1 ? "s" : "", s->steps);
  fprintf(out, "%8s %8s %5s %9s %10s %9s %7s %10s %8s %10s %8s\n", "ranks", "nodes", "TH", "columns", "period,ms",
          "fill,st.", "hidden%", "Gcells/s", "effic.%", "run Gc/s", "speed-up");
  for (int i = 0; i < count; i++) {
    const struct tor_scaling_point *a = &points[i];
    fprintf(out, "%8d %8d %5d %9lld %10.4g %9.4g %7.1f %10.4g %8.2f %10.4g %8.4g%s\n", a->cost.ranks, a->cost.nodes,
            a->layout.th, (long long)a->cost.columns, a->times.period * 1e3, a->times.fill / a->times.period,
            100 * tor_cluster_hidden(&a->times), a->rate * 1e-9, efficiency(a), a->run_rate * 1e-9, a->run_speedup,
            a->cost.fits ? "" : " *");
    missing += !a->cost.fits;
  }
  if (missing)
    fprintf(out, "* does not fit: %s\n", points[0].cost.fits ? points[count - 1].cost.why : points[0].cost.why);
}

/* --- Files --- */

enum { NCOLUMNS = 16 };
static const char *const column_names[NCOLUMNS][2] = {
    {"ranks", ""},      {"nodes", ""},       {"devices", ""},          {"TH", ""},
    {"columns", ""},    {"fits", ""},        {"stage", "s"},           {"period", "s"},
    {"fill", "stages"}, {"message", "s"},    {"hidden", "%"},          {"rate", "Gcells/s"},
    {"speed-up", ""},   {"efficiency", "%"}, {"run rate", "Gcells/s"}, {"run speed-up", ""}};

static void put_row(const struct tor_scaling_point *a, double value[NCOLUMNS]) {
  const double row[NCOLUMNS] = {a->cost.ranks,
                                a->cost.nodes,
                                (double)a->cost.ranks * a->cost.devices,
                                a->layout.th,
                                (double)a->cost.columns,
                                a->cost.fits,
                                a->cost.steps,
                                a->times.period,
                                a->times.fill / a->times.period,
                                a->times.message,
                                100 * tor_cluster_hidden(&a->times),
                                a->rate * 1e-9,
                                a->speedup,
                                efficiency(a),
                                a->run_rate * 1e-9,
                                a->run_speedup};
  memcpy(value, row, sizeof row);
}

static int write_table(const char *path, const struct tor_scaling_point *points, int count) {
  double *values = tor_alloc((size_t)NCOLUMNS * (size_t)count, sizeof *values, "table");
  struct tor_table_column columns[NCOLUMNS];
  for (int i = 0; i < count; i++) {
    double row[NCOLUMNS];
    put_row(&points[i], row);
    for (int c = 0; c < NCOLUMNS; c++) values[(size_t)c * (size_t)count + (size_t)i] = row[c];
  }
  for (int c = 0; c < NCOLUMNS; c++)
    columns[c] = (struct tor_table_column){column_names[c][0], column_names[c][1], values + (size_t)c * (size_t)count};
  int status = tor_table_write(path, columns, NCOLUMNS, count);
  free(values);
  return status;
}

/* Speed-up against ranks beside the ideal, or efficiency. */
static int draw(const char *path, const struct tor_machine *machine, const struct tor_scaling *s,
                const struct tor_scaling_point *points, int count) {
  const int strong = is_strong(s);
  double *v = tor_alloc(3 * (size_t)count, sizeof *v, "picture"), *ranks = v, *filled = v + count, *run = v + 2 * count;
  for (int i = 0; i < count; i++) {
    ranks[i] = points[i].cost.ranks;
    filled[i] = strong ? points[i].speedup : efficiency(&points[i]);
    run[i] = strong ? points[i].run_speedup : 100 * points[i].run_speedup / points[i].cost.ranks;
  }
  char title[256], label[64];
  snprintf(title, sizeof title, "%.160s: %s, order %d, fp%d (predicted)", machine->name, tor_scaling_name(s->kind),
           s->domain.order, 8 * s->domain.precision);
  snprintf(label, sizeof label, "run of %g steps", s->steps);
  const struct tor_image_series series[3] = {{"pipeline filled", count, ranks, filled, TOR_IMAGE_LINE_POINTS, 0},
                                             {label, count, ranks, run, TOR_IMAGE_LINE_POINTS, 0},
                                             {"ideal", count, ranks, ranks, TOR_IMAGE_DASHED, -1}};
  struct tor_image_plot plot = {.title = title,
                                .xlabel = "ranks",
                                .ylabel = strong ? "speed-up" : "efficiency [%]",
                                .nseries = strong ? 3 : 2,
                                .series = series,
                                .xlog = 2,
                                .ylog = strong ? 2 : 0,
                                .y = {0, strong ? 0 : 105}};
  int status = tor_image_lines(path, &plot);
  free(v);
  return status;
}

int tor_scaling_write(const struct tor_machine *machine, const struct tor_scaling *s,
                      const struct tor_scaling_point *points, int count, const char *folder) {
  const size_t capacity = strlen(folder) + 32;
  char *path = tor_alloc(capacity, 1, "path");
  snprintf(path, capacity, "%s/%s.csv", folder, tor_scaling_name(s->kind));
  int status = write_table(path, points, count);
  snprintf(path, capacity, "%s/%s.png", folder, tor_scaling_name(s->kind));
  if (!status && tor_image_version()) status = draw(path, machine, s, points, count);
  free(path);
  return status;
}
