/* The picture of a study of cells: how the values approach what they are extrapolated to. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/image/image.h"
#include "src/results/picture.h"
#include "src/study/study_parts.h"

enum { MOST = 6, GUIDES = 2 }; /* columns; lines of order 1 and 2 */

/* The largest difference to the extrapolated values at cell i, in percent of the column's scale. */
static double difference(const struct tor_study_column *column, int i) {
  double most = 0;
  for (int q = 0; q < column->count; q++) {
    const double d = fabs(column->value[i][q] - column->x[q].value);
    if (isfinite(d)) most = fmax(most, d);
  }
  return column->scale > 0 ? 100 * most / column->scale : (double)NAN;
}

static void draw(const struct tor_study *study, const struct tor_study_numbers *numbers,
                 const struct tor_image_series *series, int nseries, const char *form, int *failed) {
  char path[4096], xlabel[48];
  snprintf(path, sizeof path, "%s/study.%s", study->folder, form);
  snprintf(xlabel, sizeof xlabel, "cell [%s]", tor_picture_unit(&study->run[0].job));
  const struct tor_image_plot plot = {.title = *study->title ? study->title : NULL,
                                      .xlabel = xlabel,
                                      .ylabel = "largest difference to the extrapolated values [%]",
                                      .nseries = nseries,
                                      .series = series,
                                      .xlog = numbers->cell[0] < 20 * numbers->cell[numbers->ncells - 1] ? 2 : 10,
                                      .ylog = 10};
  *failed += tor_study_end_file("torre study", path, tor_image_lines(path, &plot), NULL);
}

int tor_study_plot(const struct tor_study *study, const struct tor_study_numbers *numbers) {
  struct tor_image_series series[MOST + GUIDES];
  double y[MOST + GUIDES][TOR_EXTRAPOLATION_CELLS], top = 0;
  const int n = numbers->ncells;
  int nseries = 0, failed = 0;
  if (!tor_image_version()) {
    printf("no pictures: this build has no cairo\n");
    return 0;
  }
  for (int c = 0; c < numbers->ncolumns && nseries < MOST; c++) {
    const struct tor_study_column *column = &numbers->column[c];
    for (int i = 0; i < n; i++) y[nseries][i] = difference(column, i);
    if (!(y[nseries][0] > 0)) continue;
    top = fmax(top, y[nseries][0]);
    series[nseries] = (struct tor_image_series){
        .label = column->name, .n = n, .x = numbers->cell, .y = y[nseries], .style = TOR_IMAGE_LINE_POINTS};
    nseries++;
  }
  if (!nseries) return 0;
  for (int order = 1; order <= GUIDES; order++, nseries++) {
    for (int i = 0; i < n; i++) y[nseries][i] = top * pow(numbers->cell[i] / numbers->cell[0], order);
    series[nseries] = (struct tor_image_series){.label = order == 1 ? "order 1" : "order 2",
                                                .n = n,
                                                .x = numbers->cell,
                                                .y = y[nseries],
                                                .style = TOR_IMAGE_DASHED,
                                                .colour = -1};
  }
  draw(study, numbers, series, nseries, "png", &failed);
  draw(study, numbers, series, nseries, "svg", &failed);
  return failed;
}
