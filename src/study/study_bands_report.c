/* What the study of bands says: a table on stdout, and its files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "io/hdf5/h5.h"
#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/json.h"
#include "src/study/bands.h"
#include "src/study/study_parts.h"

/* --- On stdout --- */

static void print_k(const struct tor_bands *bands, const struct tor_bands_k *k) {
  char name[24] = "";
  if (k->name) snprintf(name, sizeof name, "%s", k->name);
  printf("%-6s", name);
  for (int a = 0; a < bands->axes; a++) printf(" %8.5f", k->k[a] + 0.0);
  printf("  ");
  if (!k->finished) printf("not run");
  for (int n = 0; n < k->below && k->count; n++) printf(" %7s", "-");
  for (int n = 0; n < k->count; n++)
    printf(" %.5f%s", k->band[n].frequency, k->band[n].frequency >= k->light ? "*" : "");
  if (k->ndropped) {
    int of[TOR_NBAND_FAULTS] = {0};
    for (int n = 0; n < k->ndropped; n++) of[k->dropped[n].fault]++;
    printf("   dropped:");
    for (int f = 0, any = 0; f < TOR_NBAND_FAULTS; f++)
      if (of[f]) printf("%s %d %s", any++ ? "," : "", of[f], tor_band_fault_text((enum tor_band_fault)f));
  }
  printf("\n");
}

static void print(const struct tor_bands *bands, int faster) {
  int any_light = 0;
  printf("frequencies in c / period, k in 2 pi / period\n");
  for (int i = 0; i < bands->nk; i++) {
    print_k(bands, &bands->at[i]);
    any_light |= !isnan(bands->at[i].light);
  }
  if (any_light) printf("*: above the light line, leaks\n");
  for (int n = 1; n < tor_bands_most(bands); n++) {
    double gap[2];
    if (tor_bands_gap(bands, n, gap))
      printf("gap from band %d to %d: %.5f to %.5f, %.2f %% of its middle\n", n, n + 1, gap[0], gap[1],
             200 * (gap[1] - gap[0]) / (gap[0] + gap[1]));
  }
  if (faster)
    fprintf(stderr,
            "torre bands: warning: between neighbouring wave vectors %d bands are faster than light: one has a band "
            "that the other lacks; need " TOR_NEEDED("a longer run.time_fs, larger bands.runs or bands.tolerance") "\n",
            faster);
}

/* --- Files --- */

static int write_json(const struct tor_study *study, const struct tor_bands *bands, const char *path) {
  FILE *f = tor_folder_create(path);
  if (!f) return -1;
  tor_study_begin_json(f, study);
  fprintf(f, ",\n  \"gaps\": [");
  for (int n = 1, any = 0; n < tor_bands_most(bands); n++) {
    double gap[2];
    if (!tor_bands_gap(bands, n, gap)) continue;
    fprintf(f, "%s\n    {\"below\": %d", any++ ? "," : "", n);
    tor_json_member_number(f, "from", gap[0]);
    tor_json_member_number(f, "to", gap[1]);
    fputs("}", f);
  }
  fputs("\n  ],\n  \"wave_vectors\": [", f);
  for (int i = 0; i < bands->nk; i++) {
    const struct tor_bands_k *k = &bands->at[i];
    fprintf(f, "%s\n    {\"k\": [%.9g, %.9g, %.9g], \"frequencies\": [", i ? "," : "", k->k[0], k->k[1], k->k[2]);
    for (int n = 0; n < k->count; n++) fprintf(f, "%s%.9g", n ? ", " : "", k->band[n].frequency);
    fprintf(f, "], \"dropped\": %d, \"finished\": %s}", k->ndropped, k->finished ? "true" : "false");
  }
  fprintf(f, "\n  ]\n}\n");
  return tor_folder_commit(f, path);
}

/* "Gamma - X - M" */
static void path_text(const struct tor_bands *bands, char *text, size_t size) {
  *text = 0;
  for (int i = 0; i < bands->nk; i++) {
    const struct tor_bands_k *k = &bands->at[i];
    const size_t n = strlen(text);
    if (!k->corner || n + 48 > size) continue;
    if (k->name)
      snprintf(text + n, size - n, "%s%s", i ? " - " : "", k->name);
    else
      snprintf(text + n, size - n, "%s(%.4g, %.4g%s)", i ? " - " : "", k->k[0], k->k[1],
               bands->axes == 3 ? ", ..." : "");
  }
}

/* Bands over the path, the light line, and lines at the corners. */
static int draw(const struct tor_study *study, const struct tor_bands *bands, const char *path) {
  const int nk = bands->nk, most = tor_bands_most(bands), all = most + 1 + nk;
  struct tor_image_series *const series = tor_alloc((size_t)all, sizeof *series, "picture");
  double *const x = tor_alloc((size_t)nk, sizeof *x, "picture");
  double *const y = tor_alloc((size_t)all * (size_t)nk, sizeof *y, "picture");
  double *const corner = tor_alloc(4 * (size_t)nk, sizeof *corner, "picture");
  char label[512], ends[384];
  double top = 0;
  int n = 0;
  for (int i = 0; i < nk; i++) x[i] = bands->at[i].distance;
  for (int band = 0; band < most; band++, n++) {
    for (int i = 0; i < nk; i++) {
      const struct tor_band *b = tor_bands_at(&bands->at[i], band + 1);
      y[n * nk + i] = b ? b->frequency : (double)NAN;
      if (y[n * nk + i] > top) top = y[n * nk + i];
    }
    series[n] = (struct tor_image_series){
        .n = nk, .x = x, .y = y + n * nk, .style = TOR_IMAGE_LINE_POINTS, .colour = band % 2 + 1};
  }
  for (int i = 0; i < nk; i++) y[n * nk + i] = bands->at[i].light <= top ? bands->at[i].light : (double)NAN;
  if (!isnan(bands->at[0].light)) {
    series[n] = (struct tor_image_series){
        .label = "light line", .n = nk, .x = x, .y = y + n * nk, .style = TOR_IMAGE_DASHED, .colour = -1};
    n++;
  }
  for (int i = 1; i + 1 < nk; i++) {
    if (!bands->at[i].corner) continue;
    double *const at = corner + 4 * i;
    at[0] = at[1] = x[i];
    at[3] = top;
    series[n++] = (struct tor_image_series){.n = 2, .x = at, .y = at + 2, .style = TOR_IMAGE_DASHED, .colour = -1};
  }
  path_text(bands, ends, sizeof ends);
  snprintf(label, sizeof label, "%s [2 pi / period]", ends);
  const struct tor_image_plot plot = {.title = *study->title ? study->title : NULL,
                                      .xlabel = label,
                                      .ylabel = "frequency [c / period]",
                                      .nseries = n,
                                      .series = series,
                                      .y = {0, 1.05 * top}};
  const int status = n && top > 0 ? tor_image_lines(path, &plot) : 0;
  free(series);
  free(x);
  free(y);
  free(corner);
  return status;
}

static int write_files(const struct tor_study *study, const struct tor_bands *bands) {
  char path[4096];
  snprintf(path, sizeof path, "%s/bands.csv", study->folder);
  int failed = tor_study_end_file("torre bands", path, tor_bands_write_csv(bands, path), NULL);
  snprintf(path, sizeof path, "%s/dropped.csv", study->folder);
  failed += tor_study_end_file("torre bands", path, tor_bands_write_dropped(bands, path), NULL);
  snprintf(path, sizeof path, "%s/bands.h5", study->folder);
  const int status = tor_bands_write_h5(bands, path);
  failed += tor_study_end_file("torre bands", path, status, tor_h5_error());
  snprintf(path, sizeof path, "%s/study.json", study->folder);
  failed += tor_study_end_file("torre bands", path, write_json(study, bands, path), NULL);
  for (int svg = 0; svg < 2 && bands->nk > 1 && tor_image_version(); svg++) {
    snprintf(path, sizeof path, "%s/bands.%s", study->folder, svg ? "svg" : "png");
    failed += tor_study_end_file("torre bands", path, draw(study, bands, path), NULL);
  }
  return failed;
}

int tor_study_bands_report(const struct tor_study *study) {
  struct tor_bands bands;
  char why[8192];
  int failed = 1;
  if (tor_study_bands_read(study, &bands, why, sizeof why)) {
    fprintf(stderr, "torre bands: %s\n", why);
  } else {
    tor_bands_number(&bands, study->run[0].job.bands.band[0]);
    print(&bands, tor_bands_velocities(&bands));
    failed = write_files(study, &bands);
  }
  tor_bands_free(&bands);
  return failed;
}
