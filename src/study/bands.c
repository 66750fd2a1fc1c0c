/* Bands from resonances: see bands.h. */
#include "src/study/bands.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"

static const double INDEPENDENT = 0.1; /* of a vector of amplitudes: the least part that others do not span */

const char *tor_band_fault_text(enum tor_band_fault fault) {
  static const char *const text[TOR_NBAND_FAULTS] = {"found once", "large error", "low Q", "above the last band"};
  return text[fault];
}

void tor_bands_free(struct tor_bands *bands) {
  for (int i = 0; i < bands->nk; i++) {
    free(bands->at[i].band);
    free(bands->at[i].dropped);
  }
  free(bands->at);
}

/* --- One wave vector --- */

/* Records of one frequency: their indices, that of the smallest error first. */
struct group {
  int count;
  int *record;
};

static int by_error(const void *a, const void *b) {
  const struct tor_band_record *x = a, *y = b;
  if (x->error != y->error) return x->error < y->error ? -1 : 1;
  return (x->frequency > y->frequency) - (x->frequency < y->frequency);
}

static int by_frequency(const void *a, const void *b) {
  const struct tor_band *x = a, *y = b;
  return (x->frequency > y->frequency) - (x->frequency < y->frequency);
}

/* Whether the group has a resonance of that record of fields already. */
static int has_place(const struct group *g, const struct tor_band_record *all, const struct tor_band_record *one) {
  for (int i = 0; i < g->count; i++)
    if (all[g->record[i]].run == one->run && all[g->record[i]].place == one->place) return 1;
  return 0;
}

/* Groups of records, which are sorted by error: [returned] in group[n]. */
static int make_groups(struct group *group, const struct tor_band_record *record, int n, double width) {
  int ngroups = 0;
  for (int i = 0; i < n; i++) {
    int nearest = -1;
    double least = INFINITY;
    for (int k = 0; k < ngroups; k++) {
      const struct tor_band_record *first = &record[group[k].record[0]];
      const double apart = fabs(first->frequency - record[i].frequency);
      if (apart > fmax(width, 3 * (first->error + record[i].error)) || apart >= least) continue;
      if (has_place(&group[k], record, &record[i])) continue;
      nearest = k;
      least = apart;
    }
    if (nearest < 0) {
      nearest = ngroups++;
      group[nearest].record = tor_alloc((size_t)n, sizeof *group[nearest].record, "bands");
    }
    group[nearest].record[group[nearest].count++] = i;
  }
  return ngroups;
}

static double complex product(const double complex *a, const double complex *b, int n) {
  double complex sum = 0;
  for (int i = 0; i < n; i++) sum += conj(a[i]) * b[i];
  return sum;
}

static const struct tor_band_record *record_at(const struct group *g, const struct tor_band_record *record, int run,
                                               int place) {
  for (int i = 0; i < g->count; i++)
    if (record[g->record[i]].run == run && record[g->record[i]].place == place) return &record[g->record[i]];
  return NULL;
}

static int has_run(const struct group *g, const struct tor_band_record *record, int run, int places) {
  for (int place = 0; place < places; place++)
    if (record_at(g, record, run, place)) return 1;
  return 0;
}

/* The amplitudes of a run at the places that all runs of the group have, to [places][TOR_BAND_CHANNELS], else 0.
 * Returns the error of that vector. */
static double fill_vector(const struct group *g, const struct tor_band_record *record, int run, int runs, int places,
                          double complex *to) {
  double square = 0;
  for (int place = 0; place < places; place++) {
    int all = 1;
    for (int k = 0; k < runs; k++) all &= !has_run(g, record, k, places) || record_at(g, record, k, place) != NULL;
    const struct tor_band_record *r = record_at(g, record, run, place);
    for (int c = 0; c < TOR_BAND_CHANNELS; c++) {
      const int is_there = all && r && c < r->channels;
      to[place * TOR_BAND_CHANNELS + c] = is_there ? r->amplitude[c] : 0;
      square += is_there ? r->amplitude_error[c] * r->amplitude_error[c] : 0;
    }
  }
  return sqrt(square);
}

/* Independent vectors among the runs' amplitudes. */
static int count_independent(const struct group *g, const struct tor_band_record *record) {
  int runs = 0, places = 0, found = 0;
  for (int i = 0; i < g->count; i++) {
    runs = record[g->record[i]].run >= runs ? record[g->record[i]].run + 1 : runs;
    places = record[g->record[i]].place >= places ? record[g->record[i]].place + 1 : places;
  }
  const int n = places * TOR_BAND_CHANNELS;
  double complex *const base = tor_alloc((size_t)(runs + 1) * (size_t)n, sizeof *base, "bands");
  for (int run = 0; run < runs; run++) {
    double complex *const v = base + found * n;
    const double error = fill_vector(g, record, run, runs, places, v);
    const double before = sqrt(creal(product(v, v, n)));
    for (int k = 0; k < found; k++) {
      const double complex part = product(base + k * n, v, n);
      for (int c = 0; c < n; c++) v[c] -= part * base[k * n + c];
    }
    const double rest = sqrt(creal(product(v, v, n)));
    if (!(before > 0) || rest < fmax(INDEPENDENT * before, 3 * error)) continue;
    for (int c = 0; c < n; c++) v[c] /= rest;
    found++;
  }
  free(base);
  return found > 0 ? found : 1;
}

static void drop(struct tor_bands_k *to, const struct tor_band_record *r, enum tor_band_fault fault) {
  to->dropped[to->ndropped++] = (struct tor_band_dropped){r->frequency, r->error, r->q, r->weight, fault};
}

void tor_bands_find(struct tor_bands_k *to, struct tor_band_record *record, int n, const struct tor_band_rules *rules) {
  struct group *const group = tor_alloc((size_t)n + 1, sizeof *group, "bands");
  if (n) qsort(record, (size_t)n, sizeof *record, by_error);
  const int ngroups = make_groups(group, record, n, rules->width);
  to->band = tor_alloc((size_t)n + 1, sizeof *to->band, "bands");
  to->dropped = tor_alloc(2 * (size_t)n + 1, sizeof *to->dropped, "bands");
  to->count = to->ndropped = 0;
  for (int g = 0; g < ngroups; g++) {
    const struct tor_band_record *r = &record[group[g].record[0]];
    if (rules->records > 1 && group[g].count < 2) {
      drop(to, r, TOR_BAND_ONCE);
    } else if (!(r->error <= rules->tolerance * r->frequency)) {
      drop(to, r, TOR_BAND_ERROR);
    } else if (!(r->q >= rules->least_q)) {
      drop(to, r, TOR_BAND_Q);
    } else {
      const int many = count_independent(&group[g], record);
      for (int i = 0; i < many; i++)
        to->band[to->count++] =
            (struct tor_band){r->frequency, r->error, r->q, r->q_error, r->weight, (double)NAN, many};
    }
  }
  if (to->count) qsort(to->band, (size_t)to->count, sizeof *to->band, by_frequency);
  for (; to->count > rules->most; to->count--) {
    const struct tor_band *b = &to->band[to->count - 1];
    drop(to, &(struct tor_band_record){.frequency = b->frequency, .error = b->error, .q = b->q, .weight = b->weight},
         TOR_BAND_MANY);
  }
  for (int g = 0; g < ngroups; g++) free(group[g].record);
  free(group);
}

/* --- All --- */

int tor_bands_most(const struct tor_bands *bands) {
  int most = 0;
  for (int i = 0; i < bands->nk; i++) {
    const struct tor_bands_k *k = &bands->at[i];
    if (k->count && k->below + k->count > most) most = k->below + k->count;
  }
  return most;
}

const struct tor_band *tor_bands_at(const struct tor_bands_k *k, int number) {
  const int i = number - 1 - k->below;
  return i >= 0 && i < k->count ? &k->band[i] : NULL;
}

/* The mean way of bands where b has `lost` bands less than a below its first (below 0: more), those that are lost
 * to the range's end; INFINITY: one that both have would be faster than light, or one that is lost cannot be below the
 * range. */
static double apart(const struct tor_bands_k *a, const struct tor_bands_k *b, int lost, double from) {
  const double step = b->distance - a->distance;
  double sum = 0;
  int count = 0;
  for (int n = 0; n < a->count; n++) {
    const int m = n - lost;
    if (m >= b->count) continue;
    const double difference = fabs(a->band[n].frequency - (m < 0 ? from : b->band[m].frequency));
    if (difference > step) return INFINITY;
    sum += difference;
    count++;
  }
  for (int m = 0; m < -lost && m < b->count; m++, count++) {
    if (b->band[m].frequency > from + step) return INFINITY;
    sum += b->band[m].frequency - from;
  }
  return count ? sum / count : step;
}

void tor_bands_number(struct tor_bands *bands, double from) {
  static const int tried[] = {0, 1, -1, 2, -2, 3, -3};
  int least = 0;
  for (int i = 0; i + 1 < bands->nk; i++) {
    const struct tor_bands_k *a = &bands->at[i];
    struct tor_bands_k *b = &bands->at[i + 1];
    double nearest = INFINITY;
    b->below = a->below;
    for (size_t t = 0; t < sizeof tried / sizeof *tried && a->count && b->count; t++) {
      const double distance = apart(a, b, tried[t], from);
      if (!(distance < nearest)) continue;
      nearest = distance;
      b->below = a->below + tried[t];
    }
    least = b->below < least ? b->below : least;
  }
  for (int i = 0; i < bands->nk; i++) bands->at[i].below -= least;
}

/* The slope of a band from one wave vector to the next; NaN: none, with *faster counted where it is faster than light.
 */
static double slope(const struct tor_bands *bands, int i, int number, int *faster) {
  if (i < 0 || i + 1 >= bands->nk) return NAN;
  const struct tor_bands_k *a = &bands->at[i], *b = &bands->at[i + 1];
  const struct tor_band *x = tor_bands_at(a, number), *y = tor_bands_at(b, number);
  if (!x || !y) return NAN;
  const double value = (y->frequency - x->frequency) / (b->distance - a->distance);
  if (fabs(value) <= 1) return value;
  ++*faster;
  return NAN;
}

int tor_bands_velocities(struct tor_bands *bands) {
  int faster = 0, again = 0;
  for (int i = 0; i < bands->nk; i++)
    for (int n = 0; n < bands->at[i].count; n++) {
      const int number = bands->at[i].below + n + 1;
      const double before = slope(bands, i - 1, number, &again), after = slope(bands, i, number, &faster);
      double *const to = &bands->at[i].band[n].velocity;
      if (bands->at[i].corner && i && i + 1 < bands->nk)
        *to = NAN;
      else
        *to = isnan(before) ? after : isnan(after) ? before : 0.5 * (before + after);
    }
  return faster;
}

int tor_bands_gap(const struct tor_bands *bands, int n, double gap[2]) {
  gap[0] = 0;
  gap[1] = INFINITY;
  for (int i = 0; i < bands->nk; i++) {
    const struct tor_bands_k *k = &bands->at[i];
    const struct tor_band *lower = tor_bands_at(k, n), *upper = tor_bands_at(k, n + 1);
    if (!k->finished) continue;
    if (lower && !(lower->frequency >= k->light)) gap[0] = fmax(gap[0], lower->frequency);
    if (upper && !(upper->frequency >= k->light)) gap[1] = fmin(gap[1], upper->frequency);
  }
  return gap[0] > 0 && isfinite(gap[1]) && gap[0] < gap[1];
}
