/* Pictures of the measurements of `torre bench`: see bench_plot.h. */
#include "src/bench/bench_plot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/bench/bench_run.h"

enum { MOST = 9 }; /* series of a picture */

struct picture {
  struct tor_image_plot plot;
  struct tor_image_series series[MOST];
  char label[MOST][48];
  double *x[MOST], *y[MOST];
};

/* An empty series of capacity n. */
static int add(struct picture *p, enum tor_image_style style, int colour, const char *label, int n) {
  const int k = p->plot.nseries++;
  p->x[k] = tor_alloc((size_t)n + 2, sizeof(double), "picture");
  p->y[k] = tor_alloc((size_t)n + 2, sizeof(double), "picture");
  snprintf(p->label[k], sizeof p->label[k], "%s", label);
  p->series[k] =
      (struct tor_image_series){.label = p->label[k], .x = p->x[k], .y = p->y[k], .style = style, .colour = colour};
  return k;
}

static void put(struct picture *p, int k, double x, double y) {
  p->x[k][p->series[k].n] = x;
  p->y[k][p->series[k].n++] = y;
}

/* Series without points have no place in the legend. */
static void finish(struct picture *p, const char *folder, const char *name) {
  char path[4096];
  int points = 0;
  for (int k = 0; k < p->plot.nseries; k++) {
    if (p->series[k].style != TOR_IMAGE_DASHED) points += p->series[k].n;
    if (!p->series[k].n) p->series[k].label = NULL;
  }
  snprintf(path, sizeof path, "%s/%s.png", folder, name);
  p->plot.series = p->series;
  if (points && tor_image_lines(path, &p->plot))
    fprintf(stderr, "torre: %s was not written: %s\n", path, strerror(errno));
  else if (points)
    printf("wrote %s\n", path);
  for (int k = 0; k < p->plot.nseries; k++) {
    free(p->x[k]);
    free(p->y[k]);
  }
}

/* The rate against the varied parameter of one series of measurements. */
static void plot_series(const char *folder, const char *name, const char *xlabel, const struct tor_bench_line *lines,
                        int n) {
  struct picture p = {.plot = {.xlabel = xlabel, .ylabel = "rate [10^9 cell updates/s]", .xlog = 2}};
  for (int order = 2; order <= 4; order += 2) {
    char label[48];
    snprintf(label, sizeof label, "order %d", order);
    const int k = add(&p, TOR_IMAGE_LINE_POINTS, 0, label, n);
    for (int i = 0; i < n; i++) {
      const struct tor_bench_point *a = &lines[i].point;
      if (strcmp(lines[i].series, name) || a->order != order) continue;
      put(&p, k, !strcmp(name, "th") ? a->th : !strcmp(name, "nz") ? a->n[2] : a->towers, a->rate * 1e-9);
    }
  }
  finish(&p, folder, name);
}

static void plot_roofline(const char *folder, const struct tor_bench_line *lines, int n, double copy) {
  struct picture p = {.plot = {.xlabel = "cell updates for each byte of memory traffic",
                               .ylabel = "rate [10^9 cell updates/s]",
                               .xlog = 10,
                               .ylog = 10}};
  double ends[2] = {0, 0};
  for (int series = 0; series < 8; series++) {
    const int engine = series / 4, order = series & 1 ? 4 : 2, bytes = series & 2 ? 8 : 4;
    char label[48];
    snprintf(label, sizeof label, "%s, order %d, fp%d", engine ? "diamond" : "stepwise", order, 8 * bytes);
    const int k = add(&p, engine ? TOR_IMAGE_DOTS : TOR_IMAGE_POINTS, series % 4 + 1, label, n);
    for (int i = 0; i < n; i++) {
      const struct tor_bench_point *a = &lines[i].point;
      if (strcmp(lines[i].series, "feature") || (a->engine == TOR_ENGINE_DIAMOND) != engine || a->order != order ||
          (int)a->precision != bytes)
        continue;
      const double x = 1 / lines[i].bytes;
      put(&p, k, x, a->rate * 1e-9);
      if (!ends[0] || x < ends[0]) ends[0] = x;
      if (x > ends[1]) ends[1] = x;
    }
  }
  const int roof = add(&p, TOR_IMAGE_DASHED, -1, "copy bandwidth", 2);
  for (int end = 0; end < 2 && ends[0] > 0; end++) put(&p, roof, ends[end], copy * 1e-9 * ends[end]);
  finish(&p, folder, "roofline");
}

void tor_bench_plot(const char *folder, const struct tor_bench_line *lines, int n, double copy) {
  if (!tor_image_version()) {
    printf("no pictures: this build has no cairo\n");
    return;
  }
  plot_series(folder, "th", "steps of a stage, TH", lines, n);
  plot_series(folder, "towers", "towers in a row", lines, n);
  plot_series(folder, "nz", "cells along z", lines, n);
  plot_roofline(folder, lines, n, copy);
}
