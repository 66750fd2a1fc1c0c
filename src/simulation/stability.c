/* Stability check: see stability.h. */
#include "src/simulation/stability.h"

#include <math.h>
#include <stdlib.h>

#include "comm/transport/message.h"
#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/disk/disk.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/sheet.h"
#include "src/job/turn.h"
#include "src/model/layer_media.h"
#include "src/model/monitor.h"
#include "src/model/profile.h"
#include "src/simulation/simulation.h"

/* A source's last output may need some steps to appear in the domain's energy. */
enum { LATE = 64 };
/* Energies that are too few for the windows of many. */
enum { FEW = 9 };

/* The largest power of a sheet's source whose pulse has amplitude 1 [W; 2-D W/m]. */
static double power_of(const struct tor_source *source) {
  double power = 0;
  if (source->kind != TOR_FIELD_SOURCE || !source->sheet) return 1;
  for (int k = 0; k < TOR_SHEET_POWERS; k++) power = fmax(power, source->sheet->power[k]);
  return power;
}

/* Energy of a wave of the source's amplitude all over the domain, or of a dipole's cell after a current of one sign
 * [J]. */
static double energy_of(const struct tor_source *source, const struct tor_grid *g) {
  const struct tor_profile *p = &source->profile;
  double cell = 1, domain = 1; /* the smallest cell */
  for (int a = 0; a < 3; a++) {
    cell *= tor_grid_least(g, a);
    domain *= tor_grid_at(g, a, g->n[a]) - g->lo[a];
  }
  double level = 1, span = p->wavelength / TOR_C0;
  if (p->kind == TOR_TABLE) {
    level = span = 0;
    for (int i = 0; i < p->count; i++) level = fmax(level, fabs(p->value[i]));
    if (p->count) span = p->time[p->count - 1] - p->time[0];
  }
  level *= fabs(p->amplitude);
  const double field = level * span / cell;
  switch (source->kind) {
  case TOR_PLANE_WAVE: return TOR_EPS0 * level * level * domain;
  case TOR_ELECTRIC_DIPOLE: return field * field / TOR_EPS0 * cell;
  case TOR_MAGNETIC_DIPOLE: return field * field / TOR_MU0 * cell;
  case TOR_MODE_SOURCE:
  case TOR_BEAM:
  case TOR_FIELD_SOURCE: /* light of its power that takes ten times as long as in vacuum */
    return 10 * power_of(source) * level * level * g->n[source->axis] * g->d[source->axis] / TOR_C0;
  }
  return INFINITY;
}

double tor_energy_rounding(enum tor_precision precision) { return precision == TOR_F32 ? 1e-12 : 1e-28; }

void tor_stability_init(struct tor_stability *stability, struct tor_simulation *sim) {
  const struct tor_job *job = sim->model->job;
  const struct tor_grid *grid = &sim->model->grid;
  *stability = (struct tor_stability){.largest = sim->energy_max, .checked = sim->step, .interval = -1};
  stability->rounding = tor_energy_rounding(job->precision);
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_profile *p = &job->sources[i].profile;
    const double full = p->kind == TOR_CONTINUOUS ? p->delay + p->rise : tor_profile_end(p);
    stability->settled = fmax(stability->settled, tor_profile_end(p) + LATE * grid->dt);
    stability->steady = fmax(stability->steady, full + LATE * grid->dt);
    stability->most += 1e12 * energy_of(&job->sources[i], grid);
  }
  for (int m = 0; m < job->nmedia; m++)
    stability->amplifies |=
        job->media[m].saturation > 0 && job->media[m].node_pole.strength < 0 && tor_job_uses_medium(job, m);
  if (!(stability->most > 0) || stability->amplifies) stability->most = INFINITY;
  sim->watch_every = TOR_STABILITY_EVERY;
}

void tor_stability_free(struct tor_stability *stability) { free(stability->energy); }

static double largest_of(const double *energy, int first, int count) {
  double largest = 0;
  for (int i = first; i < first + count; i++) largest = fmax(largest, energy[i]);
  return largest;
}

/* Whether the energy has doubled in each of the last `doublings` windows, and no slower than in the one before, as
 * exponentials do and beats of oscillations do not. Of fewer windows: in those that there are. */
static int is_exponential(const double *energy, int n, int window, int doublings) {
  double later = HUGE_VAL;
  if (energy[n - 1] < 2 * energy[n - 1 - window]) return 0;
  for (int k = 1; k <= doublings && (k + 1) * window <= n; k++) {
    const double growth =
        log(largest_of(energy, n - k * window, window) / largest_of(energy, n - (k + 1) * window, window));
    if (!(growth >= log(2)) || later < 0.8 * growth) return 0;
    later = growth;
  }
  return 1;
}

/* Intervals that energies are compared over. */
static int window_of(int n) { return n < FEW ? 2 : n / 8 > 4 ? n / 8 : 4; }

/* Whether the first n energies rise by `factor`; few of them, by its square. */
static int rises(const struct tor_stability *stability, int n, double factor, int doublings) {
  const double *energy = stability->energy;
  const int window = window_of(n), driven = isinf(stability->settled);
  if (stability->amplifies || n < 2 * window || !is_exponential(energy, n, window, doublings)) return 0;
  if (!driven && energy[n - 1] < stability->rounding * stability->largest) return 0;
  const double most = energy[n - 1] / (n < FEW ? factor * factor : factor);
  if (driven) return n / 2 >= window && largest_of(energy, n / 2 - window, window) < most;
  for (int first = 0; first + window <= n; first++)
    if (largest_of(energy, first, window) < most) return 1;
  return 0;
}

/* Adds an energy; returns whether an interval has ended. */
static int add_energy(struct tor_stability *stability, tor_gidx step, double energy) {
  const tor_gidx interval = step / TOR_STABILITY_EVERY;
  if (interval == stability->interval) {
    double *last = &stability->energy[stability->count - 1];
    *last = fmax(*last, energy);
    return 0;
  }
  stability->energy =
      tor_grow(stability->energy, (size_t)stability->count + 1, &stability->capacity, sizeof *stability->energy);
  stability->energy[stability->count++] = energy;
  stability->interval = interval;
  return 1;
}

enum tor_instability tor_stability_check(struct tor_stability *stability, tor_gidx step, double energy, double dt) {
  if (step <= stability->checked) return TOR_STABLE;
  stability->checked = step;
  if (!isfinite(energy) || energy > stability->most) return TOR_UNSTABLE_ENERGY;
  if (stability->fixed && energy > 1e4 * stability->largest && !stability->amplifies) return TOR_UNSTABLE_ENERGY;
  if ((double)step * dt > stability->steady && add_energy(stability, step, energy) &&
      rises(stability, stability->count - 1, 100, 3))
    return TOR_UNSTABLE_RISING;
  if (stability->fixed) return TOR_STABLE;
  stability->largest = fmax(stability->largest, energy);
  stability->fixed = (double)step * dt > stability->settled && stability->largest > 0;
  return TOR_STABLE;
}

struct tor_stability_rise tor_stability_risen(const struct tor_stability *s) {
  enum { LEAST = 4, TIMES = 2 };
  const int window = window_of(s->count);
  double last = s->count < window ? 0 : largest_of(s->energy, s->count - window, window), least = last;
  int n = 0;
  if (s->amplifies || isinf(s->settled) || last < s->rounding * s->largest) return (struct tor_stability_rise){1, 0};
  while ((n + 2) * window <= s->count) {
    const double before = largest_of(s->energy, s->count - (n + 2) * window, window);
    if (!(before < least)) break;
    least = before;
    n++;
  }
  return n < TIMES || !(last > LEAST * least) ? (struct tor_stability_rise){1, 0}
                                              : (struct tor_stability_rise){last / least, n * window};
}

enum tor_instability tor_stability_end(const struct tor_stability *stability) {
  static const double MOST = 1000; /* beyond a beat's: its rise from a node, as the square of the time, has 300 */
  return rises(stability, stability->count, 10, 2) || tor_stability_risen(stability).factor > MOST ? TOR_UNSTABLE_RISING
                                                                                                   : TOR_STABLE;
}

double tor_stability_rate(const struct tor_stability *s, double dt) {
  enum { FEWEST = 4 };
  if (s->count < FEWEST) return NAN;
  const double interval = (double)TOR_STABILITY_EVERY * dt;
  const struct tor_stability_rise rise = tor_stability_risen(s);
  if (rise.intervals) return -log(rise.factor) / (rise.intervals * interval);
  const int half = s->count / 2, window = s->count / FEWEST;
  const double before = largest_of(s->energy, s->count - half - window, window),
               after = largest_of(s->energy, s->count - window, window);
  if (after > 0 && before > after) return log(before / after) / (half * interval);
  return s->count < FEW ? NAN : 0;
}

static double value_at(const struct tor_slab *slab, tor_gidx column, int comp, int iz) {
  const tor_gidx i = tor_slab_vector(slab, column, comp) + iz;
  return slab->precision == TOR_F32 ? (double)((const float *)slab->field)[i] : ((const double *)slab->field)[i];
}

/* Whether a takes precedence over b: not finite before finite, then the earlier one; among finite ones the larger. */
static int precedes(double a, double b) {
  if (!isfinite(b)) return 0;
  return !isfinite(a) || fabs(a) > fabs(b);
}

static void search_column(const struct tor_slab *slab, int ix, int iy, struct tor_stability_cell *found) {
  tor_gidx column = tor_slab_column(slab, ix, iy);
  for (int c = 0; c < TOR_NCOMP; c++)
    for (int iz = 0; iz <= slab->n[2] && tor_comp_exists(slab->plane, c); iz++) {
      double value = value_at(slab, column, c, iz);
      found->bad += !isfinite(value);
      if (!precedes(value, found->value)) continue;
      found->comp = c;
      found->at[0] = ix;
      found->at[1] = iy;
      found->at[2] = iz;
      found->value = value;
    }
}

/* This rank's own columns. */
static struct tor_stability_cell search_own(const struct tor_simulation *sim) {
  const struct tor_slab *slab = &sim->model->slab;
  struct tor_column_block own = tor_simulation_own(sim);
  if (tor_slab_periodic(slab, TOR_Y) && own.y1 > slab->n[TOR_Y]) own.y1 = slab->n[TOR_Y]; /* without the copies */
  int nx = own.x1 > own.x0 ? own.x1 - own.x0 : 0;
  struct tor_stability_cell *row = tor_alloc((size_t)nx, sizeof *row, "stability check"), found = {0};
  for (int first = 0, end; first < nx; first = end) {
    end = tor_disk_some(slab, own.x0 + first, own.x1) - own.x0;
    tor_disk_hold(slab, own.x0 + first, own.x0 + end, 0);
#pragma omp parallel for schedule(static) num_threads(sim->setup.threads)
    for (int i = first; i < end; i++)
      for (int iy = own.y0; iy < own.y1; iy++) search_column(slab, own.x0 + i, iy, &row[i]);
  }
  for (int i = 0; i < nx; i++) {
    tor_gidx bad = found.bad + row[i].bad;
    if (precedes(row[i].value, found.value)) found = row[i];
    found.bad = bad;
  }
  free(row);
  return found;
}

/* Whether cell a comes before b in the order in which one process searches all columns. */
static int is_first(const struct tor_stability_cell *a, const struct tor_stability_cell *b) {
  int alike = isfinite(a->value) ? fabs(a->value) == fabs(b->value) : !isfinite(b->value);
  if (!alike) return precedes(a->value, b->value);
  return a->at[0] != b->at[0] ? a->at[0] < b->at[0] : a->at[1] < b->at[1];
}

struct tor_stability_cell tor_stability_search(const struct tor_simulation *sim) {
  struct tor_stability_cell own = search_own(sim), found;
  struct tor_gather gather = {NULL};
  tor_gather_start(&gather, &own, sizeof own);
  const struct tor_stability_cell *all = tor_gather_wait(&gather);
  found = all[0];
  for (int r = 1; r < tor_message_ranks(); r++) {
    tor_gidx bad = found.bad + all[r].bad;
    if (is_first(&all[r], &found)) found = all[r];
    found.bad = bad;
  }
  tor_gather_free(&gather);
  found.value *= tor_component_scale(&sim->model->grid, found.comp, found.at);
  return found;
}

/* The medium at a point; one with poles that begins less than a cell away is preferred to one without. */
static const struct tor_medium *medium_near(const struct tor_job *job, const struct tor_grid *g, const double x[3]) {
  const struct tor_medium *medium = &job->media[tor_job_medium_at(job, x)];
  for (int i = 0; i < 27 && !medium->npoles; i++) {
    const int at[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    const double y[3] = {x[0] + at[0] * g->d[0], x[1] + at[1] * g->d[1], x[2] + at[2] * g->d[2]};
    const struct tor_medium *near = &job->media[tor_job_medium_at(job, y)];
    if (near->npoles) medium = near;
  }
  return medium;
}

/* How to cure media that the CPML amplifies. Returns whether there are any. */
static int advise_absorber(const struct tor_job *job, const struct tor_grid *g) {
  char advice[1024];
  if (!tor_layer_advice(job, g, 1, advice, sizeof advice)) return 0;
  tor_log_warning("%s", advice);
  return 1;
}

static int advise_beside(const struct tor_job *job, const struct tor_grid *g) {
  char advice[1024];
  if (!tor_layer_beside_advice(job, g, advice, sizeof advice)) return 0;
  tor_log_warning("%s", advice);
  return 1;
}

void tor_stability_report(enum tor_instability instability, const struct tor_stability_cell *cell,
                          const struct tor_simulation *sim) {
  const struct tor_grid *g = &sim->model->grid;
  const struct tor_job *job = sim->model->job;
  const int of[3] = {tor_axis_of_user(job, 0), tor_axis_of_user(job, 1), tor_axis_of_user(job, 2)};
  double x[3];
  for (int a = 0; a < 3; a++) x[a] = tor_grid_place(g, cell->comp, a, cell->at[a]);
  const struct tor_medium *medium = medium_near(job, g, x);
  if (instability == TOR_UNSTABLE_RISING)
    tor_log_warning("unstable: the energy rises exponentially although no source drives it; spectra are wrong");
  tor_log_warning("unstable at step %lld: %s %s = %g at cell [%d, %d, %d] = (%g, %g, %g) nm, medium \"%s\"; %lld "
                  "values are not finite",
                  (long long)sim->step, cell->bad ? "first bad value" : "largest value",
                  tor_job_comp_name(job, cell->comp), cell->value, cell->at[of[0]], cell->at[of[1]], cell->at[of[2]],
                  x[of[0]] / TOR_NM, x[of[1]] / TOR_NM, x[of[2]] / TOR_NM, medium->name, (long long)cell->bad);
  if (10 * cell->bad > tor_slab_columns(&sim->model->slab) * tor_plane_comps(g->plane) * g->n[2])
    tor_log_warning(
        "it has spread too far for its origin to be found; media with poles and absorbing layers are the usual places");
  if (advise_absorber(job, g) || (instability == TOR_UNSTABLE_RISING && advise_beside(job, g))) return;
  if (tor_medium_has_gain(medium))
    tor_log_warning("a pole of \"%s\" has a negative delta_eps: it amplifies, its fields grow without bound",
                    medium->name);
  else if (medium->chi3 != 0)
    tor_log_warning(
        "\"%s\" has a Kerr effect: try smaller amplitudes; 3 chi3 |E|^2 up to a fifth of the least permittivity "
        "is stable",
        medium->name);
  else if (medium->has_chi2)
    tor_log_warning(
        "\"%s\" is of second order: try smaller amplitudes; 2 |chi2 E| up to a tenth of the permittivity is "
        "stable",
        medium->name);
  else if (medium->npoles || medium->has_node_pole)
    tor_log_warning("\"%s\" has poles: try a smaller grid.courant (now %g), or averaging = \"staircase\"", medium->name,
                    job->courant);
  else
    tor_log_warning("try a smaller grid.courant (now %g); look at layers with large kappa or alpha, and at amplitudes",
                    job->courant);
}

void tor_stability_warn(const struct tor_stability *stability, const struct tor_simulation *sim) {
  const struct tor_grid *g = &sim->model->grid;
  const struct tor_stability_rise rise = tor_stability_risen(stability);
  if (!rise.intervals) return;
  const double since = (double)(stability->interval - rise.intervals) * TOR_STABILITY_EVERY * g->dt;
  tor_log_warning("the energy has risen %.2g times since %.3g fs, although nothing drives it: the run may be unstable, "
                  "as a longer run.time_fs shows",
                  rise.factor, since / TOR_FS);
  if (!advise_absorber(sim->model->job, g)) advise_beside(sim->model->job, g);
}
