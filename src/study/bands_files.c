/* Files of a band structure: see bands.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/files/folder.h"
#include "io/hdf5/h5.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/study/bands.h"

int tor_bands_write_csv(const struct tor_bands *bands, const char *path) {
  FILE *f = tor_folder_create(path);
  if (!f) return -1;
  fputs("distance,k_x,k_y,k_z,band,frequency,frequency_error,frequency_THz,wavelength_nm,Q,Q_error,group_velocity,"
        "light_line,multiplicity,weight\n",
        f);
  for (int i = 0; i < bands->nk; i++) {
    const struct tor_bands_k *k = &bands->at[i];
    for (int n = 0; n < k->count; n++) {
      const struct tor_band *b = &k->band[n];
      fprintf(f, "%.9g,%.9g,%.9g,%.9g,%d,%.9g,%.3g,%.9g,%.9g,%.6g,%.3g,%.6g,%.9g,%d,%.4g\n", k->distance, k->k[0],
              k->k[1], k->k[2], k->below + n + 1, b->frequency, b->error, b->frequency * TOR_C0 / bands->period * 1e-12,
              bands->period / b->frequency / TOR_NM, b->q, b->q_error, b->velocity, k->light, b->multiplicity,
              b->weight);
    }
  }
  return tor_folder_commit(f, path);
}

int tor_bands_write_dropped(const struct tor_bands *bands, const char *path) {
  FILE *f = tor_folder_create(path);
  if (!f) return -1;
  fputs("distance,k_x,k_y,k_z,frequency,frequency_error,Q,weight,reason\n", f);
  for (int i = 0; i < bands->nk; i++) {
    const struct tor_bands_k *k = &bands->at[i];
    for (int n = 0; n < k->ndropped; n++) {
      const struct tor_band_dropped *d = &k->dropped[n];
      fprintf(f, "%.9g,%.9g,%.9g,%.9g,%.9g,%.3g,%.6g,%.4g,%s\n", k->distance, k->k[0], k->k[1], k->k[2], d->frequency,
              d->error, d->q, d->weight, tor_band_fault_text(d->fault));
    }
  }
  return tor_folder_commit(f, path);
}

enum { FREQUENCY, ERROR, Q, Q_ERROR, VELOCITY, ARRAYS };

static double value_of(const struct tor_band *b, int array) {
  switch (array) {
  case FREQUENCY: return b->frequency;
  case ERROR: return b->error;
  case Q: return b->q;
  case Q_ERROR: return b->q_error;
  default: return b->velocity;
  }
}

static void write_arrays(const struct tor_bands *bands, struct tor_h5 *h5) {
  static const char *const name[ARRAYS] = {"/frequency", "/frequency_error", "/Q", "/Q_error", "/group_velocity"};
  static const char *const unit[ARRAYS] = {"c/period", "c/period", "1", "1", "c"};
  static const char *const meaning[ARRAYS] = {"[wave vector][band]; NaN where there is none", "its error",
                                              "omega / (2 decay rate of the field)", "its error",
                                              "along the path, by differences"};
  const int found = tor_bands_most(bands), most = found > 0 ? found : 1;
  const tor_gidx dims[2] = {bands->nk, most};
  double *const value = tor_alloc((size_t)(dims[0] * most), sizeof *value, "bands");
  for (int array = 0; array < ARRAYS; array++) {
    for (int i = 0; i < bands->nk; i++)
      for (int n = 0; n < most; n++) {
        const struct tor_band *b = tor_bands_at(&bands->at[i], n + 1);
        value[i * most + n] = b ? value_of(b, array) : (double)NAN;
      }
    tor_h5_write(h5, name[array], TOR_H5_DOUBLE, 2, dims, value, unit[array], meaning[array]);
    tor_h5_attribute_string(h5, name[array], "axes", "distance band");
  }
  free(value);
}

int tor_bands_write_h5(const struct tor_bands *bands, const char *path) {
  const tor_gidx nk = bands->nk, dims[2] = {nk, 3};
  double *const value = tor_alloc((size_t)nk * 3, sizeof *value, "bands");
  struct tor_h5 *h5 = tor_h5_create(path);
  int status = -1;
  if (h5) {
    tor_h5_attribute_int(h5, "/", "format_version", 1);
    tor_h5_attribute_double(h5, "/", "period_m", bands->period);
    for (int i = 0; i < nk; i++) value[i] = bands->at[i].distance;
    tor_h5_write(h5, "/distance", TOR_H5_DOUBLE, 1, &nk, value, "2 pi/period", "along the path");
    for (int i = 0; i < nk; i++) value[i] = bands->at[i].light;
    tor_h5_write(h5, "/light_line", TOR_H5_DOUBLE, 1, &nk, value, "c/period", "least frequency of leaking waves");
    for (int i = 0; i < nk; i++)
      for (int a = 0; a < 3; a++) value[3 * i + a] = bands->at[i].k[a];
    tor_h5_write(h5, "/k", TOR_H5_DOUBLE, 2, dims, value, "2 pi/period", "wave vectors; [wave vector][x, y, z]");
    write_arrays(bands, h5);
    status = tor_h5_close(h5);
  }
  free(value);
  return status ? -1 : 0;
}
