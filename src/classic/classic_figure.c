/* The table of figures, their files and pictures: see classic_figure.h. */
#include "src/classic/classic_figure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_case.h"
#include "io/files/folder.h"
#include "io/image/image.h"
#include "src/base/error.h"
#include "src/classic/classic_measure.h"

static const struct tor_classic_figure *const lists[] = {tor_classic_takada_figures, tor_classic_demir_figures,
                                                         tor_classic_giraud_figures, tor_classic_giraud_tables,
                                                         tor_classic_zakirov_figures};

const struct tor_classic_figure *tor_classic_figure(int i) {
  for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
    for (const struct tor_classic_figure *f = lists[list]; f->name; f++)
      if (!i--) return f;
  return NULL;
}

const struct tor_classic_figure *tor_classic_figure_find(const char *name) {
  const struct tor_classic_figure *f;
  for (int i = 0; (f = tor_classic_figure(i)); i++)
    if (!strcmp(f->name, name)) return f;
  return NULL;
}

void tor_classic_point(struct tor_classic_figure_run *run, const char *series, const char *label, double x, double here,
                       double paper) {
  run->point = tor_grow(run->point, (size_t)run->npoints + 1, &run->capacity, sizeof *run->point);
  struct tor_classic_point *p = &run->point[run->npoints++];
  snprintf(p->series, sizeof p->series, "%s", series);
  snprintf(p->label, sizeof p->label, "%s", label);
  p->x = x;
  p->here = here;
  p->paper = paper;
}

const struct tor_classic_row *tor_classic_rate_point(struct tor_classic_figure_run *run, const char *series,
                                                     const char *label, double x, const struct tor_classic_wish *wish,
                                                     const struct tor_classic_launch *launch, double paper) {
  struct tor_classic_launch l = *launch;
  if (run->engine_only && tor_classic_on_gpu(l.engine))
    l = (struct tor_classic_launch){.engine = TOR_CLASSIC_NAIVE_OMP, .halves = l.halves};
  const struct tor_classic_row *row = tor_classic_measure(run->bench, wish, &l, 0);
  if (row) tor_classic_point(run, series, label, x, row->rate * 1e-6, paper);
  return row;
}

static int write_csv(const struct tor_classic_figure *figure, const struct tor_classic_figure_run *run,
                     const char *path) {
  FILE *out = tor_folder_create(path);
  if (!out) return -1;
  fprintf(out, "series,label,%s,here: %s,published: the same\n", figure->xlabel, figure->ylabel);
  for (int i = 0; i < run->npoints; i++) {
    const struct tor_classic_point *p = &run->point[i];
    fprintf(out, "\"%s\",%s,%.9g,%.9g,", p->series, p->label, p->x, p->here);
    if (!isnan(p->paper)) fprintf(out, "%.9g", p->paper);
    fputc('\n', out);
  }
  return tor_folder_commit(out, path);
}

/* The number of a point's series among those of the figure. */
static int series_of(const struct tor_classic_figure_run *run, int point) {
  int count = 0;
  for (int i = 0; i < point; i++) {
    int first = 1;
    for (int j = 0; j < i; j++) first &= strcmp(run->point[j].series, run->point[i].series) != 0;
    if (!strcmp(run->point[i].series, run->point[point].series)) return count - !first;
    count += first;
  }
  return count;
}

/* Each series as a line with circles, the published one dashed in its colour. */
static int draw(const struct tor_classic_figure *figure, const struct tor_classic_figure_run *run, const char *path) {
  enum { MOST = 12 };
  struct tor_image_series series[2 * MOST];
  char label[MOST][80];
  double *values = tor_alloc((size_t)run->npoints * 4 * MOST + 1, sizeof *values, "picture");
  int count = 0;
  for (int k = 0; k < MOST; k++)
    for (int paper = 0; paper < 2; paper++) {
      double *x = values + (size_t)(2 * k + paper) * 2 * (size_t)run->npoints, *y = x + run->npoints;
      int n = 0;
      for (int i = 0; i < run->npoints; i++) {
        const struct tor_classic_point *p = &run->point[i];
        const double value = paper ? p->paper : p->here;
        if (series_of(run, i) != k || isnan(value)) continue;
        if (!paper) snprintf(label[k], sizeof label[k], "%s", p->series);
        x[n] = p->x;
        y[n++] = value;
      }
      if (!n) continue;
      series[count++] = (struct tor_image_series){.label = paper ? NULL : label[k],
                                                  .n = n,
                                                  .x = x,
                                                  .y = y,
                                                  .style = paper ? TOR_IMAGE_DASHED : TOR_IMAGE_LINE_POINTS,
                                                  .colour = k + 1};
    }
  const struct tor_image_plot plot = {.title = figure->what,
                                      .xlabel = figure->xlabel,
                                      .ylabel = figure->ylabel,
                                      .nseries = count,
                                      .series = series,
                                      .xlog = figure->xlog,
                                      .ylog = figure->ylog};
  const int status = tor_image_lines(path, &plot);
  free(values);
  return status;
}

static int report(const char *path, int failed) {
  if (failed)
    fprintf(stderr, "torre: %s was not written: %s\n", path, strerror(errno));
  else
    printf("wrote %s\n", path);
  return failed;
}

int tor_classic_figure_make(const struct tor_classic_figure *figure, struct tor_classic_figure_run *run,
                            const char *folder) {
  char path[4200];
  run->npoints = 0;
  printf("%s: %s (%s)\n", figure->name, figure->what, figure->ylabel);
  figure->make(run);
  printf("%-30s %-12s %12s %12s\n", "series", "", "here", "published");
  for (int i = 0; i < run->npoints; i++) {
    const struct tor_classic_point *p = &run->point[i];
    printf("%-30s %-12s %12.5g ", p->series, p->label, p->here);
    if (isnan(p->paper))
      printf("%12s\n", "-");
    else
      printf("%12.5g\n", p->paper);
  }
  snprintf(path, sizeof path, "%s/%s.csv", folder, figure->name);
  int failed = report(path, write_csv(figure, run, path));
  for (int kind = 0; kind < 2 && tor_image_version() && run->npoints; kind++) {
    snprintf(path, sizeof path, "%s/%s.%s", folder, figure->name, kind ? "svg" : "png");
    failed |= report(path, draw(figure, run, path));
  }
  return failed ? -1 : 0;
}
