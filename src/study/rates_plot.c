/* Pictures of studies of rates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/image/image.h"
#include "src/study/rates.h"
#include "src/study/study_parts.h"

enum { SERIES = 10 };

struct picture {
  struct tor_image_plot plot;
  struct tor_image_series series[SERIES];
  char label[SERIES][96];
  double x[SERIES][TOR_RATES_POINTS], y[SERIES][TOR_RATES_POINTS];
};

static int add(struct picture *p, enum tor_image_style style, int colour, const char *label) {
  const int k = p->plot.nseries++;
  snprintf(p->label[k], sizeof p->label[k], "%s", label);
  p->series[k] =
      (struct tor_image_series){.label = p->label[k], .x = p->x[k], .y = p->y[k], .style = style, .colour = colour};
  return k;
}

static void put(struct picture *p, int k, double x, double y) {
  if (!(isfinite(y) && y > 0) || p->series[k].n == TOR_RATES_POINTS) return;
  p->x[k][p->series[k].n] = x;
  p->y[k][p->series[k].n++] = y;
}

static int draw(const struct tor_rates *study, struct picture *p) {
  int failed = 0, points = 0;
  static const char *const forms[] = {"png", "svg"};
  p->plot.series = p->series;
  p->plot.title = study->job.title && *study->job.title ? study->job.title : NULL;
  for (int k = 0; k < p->plot.nseries; k++) {
    points += p->series[k].n;
    if (!p->series[k].n) p->series[k].label = NULL;
  }
  for (int f = 0; f < 2 && points; f++) {
    char path[4200];
    snprintf(path, sizeof path, "%s/study.%s", study->folder, forms[f]);
    failed += tor_study_end_file("torre study", path, tor_image_lines(path, &p->plot), NULL);
  }
  return failed;
}

/* Rate against TH or towers; efficiency or speed-up against ranks. */
static void plot_points(const struct tor_rates *study, struct picture *p) {
  const enum tor_study_kind kind = study->options->kind;
  const int weak = kind == TOR_STUDY_WEAK, strong = kind == TOR_STUDY_STRONG;
  p->plot.xlabel = kind == TOR_STUDY_TH       ? "steps of a stage, TH"
                   : kind == TOR_STUDY_TOWERS ? "towers in a row"
                                              : "ranks";
  p->plot.ylabel = weak ? "efficiency [%]" : strong ? "speed-up" : "rate [10^9 cell updates/s]";
  p->plot.xlog = kind == TOR_STUDY_TOWERS ? 0 : 2;
  p->plot.ylog = strong ? 2 : 0;
  const int measured = add(p, TOR_IMAGE_LINE_POINTS, 1, "measured"), model = add(p, TOR_IMAGE_DASHED, 1, "predicted");
  const int ideal = strong ? add(p, TOR_IMAGE_DASHED, -1, "ideal") : -1;
  double one = 0, predicted_one = 0;
  for (int i = 0; i < study->npoints; i++) {
    const struct tor_rates_point *a = &study->point[i];
    const double ranks = (double)a->px * a->py, scale = weak ? 100 / ranks : 1;
    if (!weak && !strong) {
      put(p, measured, a->value, a->finished ? a->rate * 1e-9 : 0);
      put(p, model, a->value, a->predicted * 1e-9);
      continue;
    }
    if (a->finished && one <= 0) one = a->filled / ranks;
    if (isfinite(a->predicted) && predicted_one <= 0) predicted_one = a->predicted / ranks;
    if (a->finished) put(p, measured, ranks, a->filled / one * scale);
    if (predicted_one > 0) put(p, model, ranks, a->predicted / predicted_one * scale);
    if (strong) put(p, ideal, ranks, ranks);
  }
}

/* A roof: bandwidth times updates a byte. */
static void roof(struct picture *p, double least, double most, double bandwidth, const char *format, double bytes) {
  char label[96];
  if (!(bandwidth > 0) || p->plot.nseries == SERIES) return;
  snprintf(label, sizeof label, format, bandwidth * 1e-9, bytes * 1e-9);
  const int k = add(p, TOR_IMAGE_LINE, 0, label);
  put(p, k, least, least * bandwidth * 1e-9);
  put(p, k, most, most * bandwidth * 1e-9);
}

/* Updates a byte of device memory for the engines; of the levels below it for the towers, which take a column in and
 * out once a stage, so that it grows with TH. */
static void plot_roofline(const struct tor_rates *study, struct picture *p) {
  const struct tor_machine *m = &study->machine;
  const double cell = 12.0 * study->job.precision; /* 6 values in, 6 out */
  double least = INFINITY, most = 0;
  p->plot.xlabel = "cell updates for each byte moved";
  p->plot.ylabel = "rate [10^9 cell updates/s]";
  p->plot.xlog = p->plot.ylog = 10;
  const int step = add(p, TOR_IMAGE_DOTS, 2, "stepwise, device memory"),
            towers = add(p, TOR_IMAGE_DOTS, 1, "towers, device memory"),
            below = add(p, TOR_IMAGE_LINE_POINTS, 1, "towers, levels below it, TH grows to the right");
  for (int i = 0; i < study->npoints; i++) {
    const struct tor_rates_point *a = &study->point[i];
    const double x[2] = {1 / tor_rates_bytes(study, a), a->value / cell};
    for (int k = 0; k < 2; k++) {
      if (!(x[k] > 0)) continue;
      least = fmin(least, x[k]);
      most = fmax(most, x[k]);
    }
    if (!a->finished) continue;
    put(p, a->value > 0 ? towers : step, x[0], a->rate * 1e-9);
    put(p, below, x[1], a->rate * 1e-9);
  }
  roof(p, least, most, study->copy, "memory here, measured, %.3g GB/s", 0);
  if (!study->has_machine) return;
  roof(p, least, most, m->device_rate, "device memory, %.3g GB/s, %.3g GB", m->device_memory);
  roof(p, least, most, m->host_rate, "host memory, %.3g GB/s, %.3g GB", m->host_memory);
  if (m->nlink) roof(p, least, most, 2 * m->link[0].rate, "host link, both ways, %.3g GB/s", 0);
  roof(p, least, most, m->disk_rate, "disk, %.3g GB/s, %.3g GB", m->disk);
  roof(p, least, most, 2 * m->network_rate, "network, both ways, %.3g GB/s", 0);
}

int tor_rates_plot(const struct tor_rates *study) {
  struct picture p;
  memset(&p, 0, sizeof p);
  if (!tor_image_version()) {
    printf("no pictures: this build has no cairo\n");
    return 0;
  }
  if (study->options->kind == TOR_STUDY_ROOFLINE)
    plot_roofline(study, &p);
  else
    plot_points(study, &p);
  return draw(study, &p);
}
