/* Sources: see source.h. */
#include "src/model/source.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/model/incident_line.h"
#include "src/model/wave_check.h"

/* A pulse's spectrum is exp(-((w - w0) / half)^2) with half the half-width in angular frequency. */
static void pulse_band(const struct tor_profile *p, double *omega, double *half) {
  double hi = 2 * TOR_PI * TOR_C0 / (p->wavelength - 0.5 * p->band),
         lo = 2 * TOR_PI * TOR_C0 / (p->wavelength + 0.5 * p->band);
  *omega = 0.5 * (hi + lo);
  *half = 0.5 * (hi - lo);
}

/* The multiple of the envelope that has the pulse's time integral. */
static double pulse_mean(const struct tor_profile *p) { return cos(p->phase) * tor_profile_level(p, INFINITY); }

enum { PULSE_START = 5 }; /* the envelope starts and ends, sharply, at exp(-25) */

double tor_profile_value(const struct tor_profile *p, double t) {
  double omega, half;
  t -= p->delay;
  if (t < 0) return 0;
  switch (p->kind) {
  case TOR_PULSE: {
    pulse_band(p, &omega, &half);
    double tau = 2 / half, x = t - PULSE_START * tau;
    if (x > PULSE_START * tau) return 0;
    return exp(-x * x / (tau * tau)) * (cos(omega * x + p->phase) - (p->zero_mean ? pulse_mean(p) : 0));
  }
  case TOR_CONTINUOUS: {
    double ramp = t < p->rise ? 0.5 * (1 - cos(TOR_PI * t / p->rise)) : 1;
    return ramp * sin(2 * TOR_PI * TOR_C0 / p->wavelength * t + p->phase);
  }
  case TOR_TABLE: {
    int lo = 0, hi = p->count - 1;
    if (hi < 1 || t < p->time[0] || t > p->time[hi]) return 0;
    while (hi - lo > 1) {
      int mid = (lo + hi) / 2;
      if (p->time[mid] <= t)
        lo = mid;
      else
        hi = mid;
    }
    double f = (t - p->time[lo]) / (p->time[hi] - p->time[lo]);
    return (1 - f) * p->value[lo] + f * p->value[hi];
  }
  }
  return 0;
}

double tor_profile_end(const struct tor_profile *p) {
  double omega, half;
  if (p->kind == TOR_CONTINUOUS) return INFINITY;
  if (p->kind == TOR_TABLE) return p->delay + (p->count ? p->time[p->count - 1] : 0);
  pulse_band(p, &omega, &half);
  return p->delay + 2 * PULSE_START * 2 / half;
}

double tor_profile_bandwidth(const struct tor_profile *p) {
  double omega, half;
  if (p->kind == TOR_CONTINUOUS) return 2 * TOR_C0 / p->wavelength;
  if (p->kind == TOR_TABLE) return INFINITY; /* straight lines between its points: the spectrum falls as a power */
  pulse_band(p, &omega, &half);
  return (omega + sqrt(log(1e8)) * half) / (2 * TOR_PI);
}

double tor_profile_mean(const struct tor_profile *p) {
  double sum = 0, modulus = 0;
  /* The envelope's integral is twice the spectrum's peak: half of it stands at each sign of the frequency. */
  if (p->kind == TOR_PULSE) return p->zero_mean ? 0 : 2 * fabs(pulse_mean(p));
  for (int i = 0; p->kind == TOR_TABLE && i + 1 < p->count; i++) {
    const double a = p->value[i], b = p->value[i + 1], dt = p->time[i + 1] - p->time[i];
    sum += 0.5 * (a + b) * dt;
    modulus += (a * b < 0 ? 0.5 * (a * a + b * b) / fabs(a - b) : 0.5 * fabs(a + b)) * dt;
  }
  return modulus > 0 ? fabs(sum) / modulus : 0;
}

double tor_profile_level(const struct tor_profile *p, double wavelength) {
  double omega, half;
  if (p->kind != TOR_PULSE) return 1;
  pulse_band(p, &omega, &half);
  const double x = (2 * TOR_PI * TOR_C0 / wavelength - omega) / half;
  return exp(-x * x);
}

struct tor_incident {
  const struct tor_source *source;
  struct tor_box box;
  int axis, e_comp, h_comp;
  int offset;                     /* node i of the domain is node i - offset of the line */
  int first[2];                   /* columns of the E and H tables where this wave's line starts */
  struct tor_incident_line *line; /* the wave at the faces of the box */
  struct tor_incident_line *bare; /* the wave without layers; the same object as line where there are none */
  int watch;                      /* node of the bare line whose flux is kept */
  tor_gidx count;
  size_t capacity;
  double *e, *h;      /* [count], scaled values at the watched node; h half a step earlier, taken to the node
                         from both sides: for a wave without another that is what tor_recorder_flux has */
  double step, scale; /* time step [s]; flux per area = scale * e * h */
};

/* Which derivative of which component enters a component's curl: derivative 0 adds, 1 subtracts. */
static void curl_term(int comp, int derivative, int *axis, int *of) {
  int i = tor_comp_axis(comp), h = tor_comp_is_h(comp), j = (i + 1) % 3, k = (i + 2) % 3;
  *axis = (derivative ^ h) ? k : j;
  *of = (h ? TOR_EX : TOR_HX) + (*axis == j ? k : j);
}

/* Sign of the difference along `axis` of `of` in the curl of `comp`. */
static double curl_sign(int comp, int axis, int of) {
  for (int derivative = 0; derivative < 2; derivative++) {
    int a, c;
    curl_term(comp, derivative, &a, &c);
    if (a == axis && c == of) return derivative ? -1 : 1;
  }
  return 0;
}

static void make_box(const struct tor_source *s, const struct tor_grid *g, struct tor_box *box) {
  for (int a = 0; a < 3; a++) {
    box->open[2 * a] = s->lo[a] <= g->lo[a] + 0.5 * g->d[a];
    box->open[2 * a + 1] = s->hi[a] >= g->lo[a] + (g->n[a] - 0.5) * g->d[a];
    box->lo[a] = box->open[2 * a] ? 0 : tor_grid_node(g, a, s->lo[a]);
    box->hi[a] = box->open[2 * a + 1] ? g->n[a] : tor_grid_node(g, a, s->hi[a]);
  }
}

/* The line's medium: cell by cell of the layered background, or the front face's everywhere. */
static struct tor_incident_line *make_line(const struct tor_incident *in, const struct tor_grid *g, const double *cb,
                                           const double *ca1, int nzp, int layered, int count, int front) {
  struct tor_incident_line_medium *medium = tor_alloc((size_t)count, sizeof *medium, "incident field");
  for (int j = 0; j < count; j++) {
    int k = layered ? j + in->offset : front;
    k = k < 0 ? 0 : k >= g->n[2] ? g->n[2] - 1 : k;
    if (in->axis == TOR_Z && k == 0) k = g->n[2] > 1; /* node 0 lies on the wall */
    int e = in->e_comp * nzp + k, h = in->h_comp * nzp + k;
    medium[j] = (struct tor_incident_line_medium){cb[e], ca1[e], cb[h], ca1[h]};
  }
  int forward = in->source->direction > 0;
  int sheet = forward ? TOR_INCIDENT_LINE_CPML + 2 : count - 1 - TOR_INCIDENT_LINE_CPML - 2;
  const struct tor_incident_line_medium *m = &medium[sheet];
  double eps = g->ct / (m->cb_e * tor_grid_metric(g, in->e_comp)),
         mu = g->ct / (m->cb_h * tor_grid_metric(g, in->h_comp));
  double d = g->d[in->axis], p = tor_comp_axis(in->e_comp);
  /* A sheet with J d = 2 E / eta radiates E to both sides; scaled as a curl: times A d_p. */
  double drive = 2 * sqrt(eps / mu) / d * tor_grid_metric(g, in->e_comp) * g->d[(int)p];
  struct tor_incident_line *line =
      tor_incident_line_new(g->order, count, sheet, curl_sign(in->e_comp, in->axis, in->h_comp),
                            curl_sign(in->h_comp, in->axis, in->e_comp), drive, medium, d, g->ct, sqrt(eps * mu));
  free(medium);
  return line;
}

static struct tor_incident *incident_new(const struct tor_job *job, const struct tor_source *s,
                                         const struct tor_grid *g, const double *cb, const double *ca1, int nzp,
                                         int poles_background, struct tor_faults *faults) {
  struct tor_incident *in = tor_alloc(1, sizeof *in, "incident field");
  in->source = s;
  in->axis = s->axis;
  in->e_comp = TOR_EX + s->polarisation;
  in->h_comp = TOR_HX + 3 - s->axis - s->polarisation;
  make_box(s, g, &in->box);
  const struct tor_box *box = &in->box;
  int front = s->direction < 0 ? box->hi[s->axis] : box->lo[s->axis];
  int layered = tor_wave_check(job, g, s, box, cb, ca1, nzp, poles_background, faults);
  enum { MARGIN = 8 };
  in->offset = box->lo[s->axis] - MARGIN - TOR_INCIDENT_LINE_CPML;
  int count = box->hi[s->axis] - box->lo[s->axis] + 1 + 2 * (MARGIN + TOR_INCIDENT_LINE_CPML);
  int medium_at = s->axis == TOR_Z ? front : (box->lo[2] + box->hi[2]) / 2;
  in->line = make_line(in, g, cb, ca1, nzp, layered, count, medium_at);
  in->bare = layered ? make_line(in, g, cb, ca1, nzp, 0, count, medium_at) : in->line;
  in->watch = front - in->offset;
  in->step = g->dt;
  /* E x H along the direction of travel; H is eta0 times the field. */
  double cyclic = (s->polarisation + 1) % 3 == tor_comp_axis(in->h_comp) ? 1 : -1;
  in->scale = cyclic * s->direction / (TOR_ETA0 * g->d[s->polarisation] * g->d[tor_comp_axis(in->h_comp)]);
  return in;
}

struct tor_sources *tor_sources_new(const struct tor_job *job, const struct tor_grid *grid, const double *cb,
                                    const double *ca1, int nzp, int poles_background, struct tor_faults *faults) {
  struct tor_sources *s = tor_alloc(1, sizeof *s, "sources");
  s->job = job;
  s->grid = grid;
  s->incident = tor_alloc((size_t)job->nsources + 1, sizeof *s->incident, "sources");
  for (int i = 0; i < job->nsources; i++) {
    if (job->sources[i].kind == TOR_PLANE_WAVE) {
      struct tor_incident *in = incident_new(job, &job->sources[i], grid, cb, ca1, nzp, poles_background, faults);
      in->first[0] = s->width[TOR_INCIDENT_E];
      in->first[1] = s->width[TOR_INCIDENT_H];
      s->width[TOR_INCIDENT_E] += in->line->count;
      s->width[TOR_INCIDENT_H] += in->line->count;
      s->incident[s->nincident++] = in;
    } else {
      s->width[job->sources[i].kind == TOR_ELECTRIC_DIPOLE ? TOR_CURRENT_E : TOR_CURRENT_H]++;
    }
  }
  return s;
}

void tor_sources_free(struct tor_sources *s) {
  if (!s) return;
  for (int i = 0; i < s->nincident; i++) {
    struct tor_incident *in = s->incident[i];
    if (in->bare != in->line) tor_incident_line_free(in->bare);
    tor_incident_line_free(in->line);
    free(in->e);
    free(in->h);
    free(in);
  }
  free(s->incident);
  for (int t = 0; t < TOR_NINJECT_TABLE; t++) {
    free(s->table[t]);
    free(s->real_table[t]);
  }
  free(s);
}

/* Whether half-cell coordinate u along axis belongs to the total field; open sides reach beyond the walls. */
static int total_along(const struct tor_box *box, int axis, int u) {
  return (box->open[2 * axis] || u >= 2 * box->lo[axis]) && (box->open[2 * axis + 1] || u <= 2 * box->hi[axis]);
}

/* Indices of a component inside the box along an axis, both included. */
static void total_range(const struct tor_grid *g, const struct tor_box *box, int comp, int axis, int *first,
                        int *last) {
  const int end = tor_grid_last(g, comp, axis);
  *first = box->lo[axis];
  *last = box->hi[axis] - tor_comp_half(comp, axis);
  if (*last > end) *last = end;
}

/* Corrections of the sites at index `at` along the face's axis: the difference's neighbour `shift` half cells away is
 * on the other side. */
static double add_face(const struct tor_incident *in, const struct tor_grid *g, int comp, int axis, int of,
                       double factor, int at, int shift, const struct tor_column_block *block, tor_inject_add *add,
                       void *context) {
  int half = tor_comp_half(comp, axis), is_h = tor_comp_is_h(of);
  int across = (2 * at + half + shift - tor_comp_half(of, axis)) / 2; /* the neighbour's index along the axis */
  struct tor_inject entry = {0, 1, is_h ? TOR_INCIDENT_H : TOR_INCIDENT_E, 0, 0, factor};
  int first[3], last[3];
  for (int a = 0; a < 3; a++) {
    total_range(g, &in->box, comp, a, &first[a], &last[a]);
    if (tor_grid_periodic(g, a) && last[a] == g->n[a]) last[a]--; /* that is 0 */
  }
  first[axis] = last[axis] = at;
  entry.z0 = first[2];
  entry.nz = last[2] - first[2] + 1;
  if (block) {
    if (first[0] < block->x0) first[0] = block->x0;
    if (last[0] >= block->x1) last[0] = block->x1 - 1;
    if (first[1] < block->y0) first[1] = block->y0;
    if (last[1] >= block->y1) last[1] = block->y1 - 1;
  }
  if (entry.nz < 1 || last[0] < first[0] || last[1] < first[1]) return 0;
  for (int ix = first[0]; ix <= last[0] && add; ix++)
    for (int iy = first[1]; iy <= last[1]; iy++) {
      int place[3] = {ix, iy, entry.z0};
      place[axis] = across;
      entry.index = in->first[is_h] + place[in->axis] - in->offset;
      entry.stride = in->axis == TOR_Z && axis != TOR_Z;
      add(context, ix, iy, comp, &entry);
    }
  return (double)(last[0] - first[0] + 1) * (last[1] - first[1] + 1);
}

static double inject_wave(const struct tor_incident *in, const struct tor_grid *g, const struct tor_column_block *block,
                          tor_inject_add *add, void *context) {
  double count = 0;
  int reach = g->order == 4 ? 3 : 1;
  for (int comp = 0; comp < TOR_NCOMP; comp++)
    for (int derivative = 0; derivative < 2; derivative++) {
      int axis, of;
      curl_term(comp, derivative, &axis, &of);
      if ((of != in->e_comp && of != in->h_comp) || !tor_comp_exists(g->plane, comp)) continue;
      int half = tor_comp_half(comp, axis);
      for (int at = 0; at <= tor_grid_last(g, comp, axis); at++)
        for (int shift = -reach; shift <= reach; shift += 2) {
          int u = 2 * at + half, here = total_along(&in->box, axis, u);
          if (here == total_along(&in->box, axis, u + shift)) continue;
          double weight = (shift > 0 ? 1 : -1) * (shift * shift == 1 ? 1 : -1.0 / 27.0);
          count += add_face(in, g, comp, axis, of, (derivative ? -1 : 1) * (here ? 1 : -1) * weight, at, shift, block,
                            add, context);
        }
    }
  return count;
}

int tor_source_mirror(const struct tor_source *source, const struct tor_grid *g, int axis) {
  if (source->kind == TOR_PLANE_WAVE || g->n[axis] < 2) return -1;
  for (int face = 2 * axis; face < 2 * axis + 2; face++) {
    const double wall = g->lo[axis] + (face % 2 ? g->n[axis] * g->d[axis] : 0);
    const int is_mirror = g->face[face].wall == TOR_PEC || g->face[face].wall == TOR_PMC;
    if (is_mirror && fabs(source->position[axis] - wall) < 1e-6 * g->d[axis]) return face;
  }
  return -1;
}

/* A dipole's current at the points around its place; `index`: its column of the table. */
static double inject_dipole(const struct tor_source *source, const struct tor_grid *g, int index,
                            const struct tor_column_block *block, tor_inject_add *add, void *context) {
  const int h = source->kind == TOR_MAGNETIC_DIPOLE, comp = (h ? TOR_HX : TOR_EX) + source->polarisation;
  int at[3][2], n[3];
  double weight[3][2], count = 0;
  for (int a = 0; a < 3; a++) {
    n[a] = tor_grid_between(g, comp, a, source->position[a], at[a], weight[a]);
    /* Half a cell from a mirror that the dipole lies on: the other half of its current is the mirror image. */
    if (tor_comp_half(comp, a) && tor_source_mirror(source, g, a) >= 0) weight[a][0] = 0.5;
  }
  /* Current density I l / V times eta0 (or M / V), scaled as a curl: times A d_i... = 1 / (c1 d_i). */
  const double volume = g->d[0] * g->d[1] * g->d[2];
  const double factor =
      -source->profile.amplitude * (h ? 1 : TOR_ETA0) / volume * tor_grid_metric(g, comp) * g->d[source->polarisation];
  for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
    const int x = i % n[0], y = i / n[0] % n[1], z = i / n[0] / n[1], ix = at[0][x], iy = at[1][y];
    const struct tor_inject entry = {at[2][z], 1, h ? TOR_CURRENT_H : TOR_CURRENT_E,
                                     index,    0, factor * (weight[0][x] * weight[1][y] * weight[2][z])};
    if (block && (ix < block->x0 || ix >= block->x1 || iy < block->y0 || iy >= block->y1)) continue;
    if (add) add(context, ix, iy, comp, &entry);
    count++;
  }
  return count;
}

double tor_sources_inject(const struct tor_sources *s, const struct tor_column_block *in, tor_inject_add *add,
                          void *context) {
  double count = 0;
  const struct tor_grid *g = s->grid;
  for (int i = 0; i < s->nincident; i++) count += inject_wave(s->incident[i], g, in, add, context);
  int used[2] = {0, 0};
  for (int i = 0; i < s->job->nsources; i++) {
    const struct tor_source *source = &s->job->sources[i];
    if (source->kind == TOR_PLANE_WAVE) continue;
    count += inject_dipole(source, g, used[source->kind == TOR_MAGNETIC_DIPOLE]++, in, add, context);
  }
  return count;
}

/* One step of a wave: the present E is written to the H update's table, H half a step later to the E update's. */
static void wave_step(struct tor_incident *in, double t_half, double *e_row, double *h_row) {
  double current = in->source->profile.amplitude * tor_profile_value(&in->source->profile, t_half);
  memcpy(e_row + in->first[0], in->line->e, (size_t)in->line->count * sizeof *e_row);
  tor_incident_line_step_h(in->line);
  if (in->bare != in->line) tor_incident_line_step_h(in->bare);
  memcpy(h_row + in->first[1], in->line->h, (size_t)in->line->count * sizeof *h_row);
  tor_incident_line_step_e(in->line, current);
  if (in->bare != in->line) tor_incident_line_step_e(in->bare, current);
  if ((size_t)in->count + 1 > in->capacity) {
    size_t both = in->capacity;
    in->e = tor_grow(in->e, (size_t)in->count + 1, &both, sizeof *in->e);
    in->h = tor_grow(in->h, (size_t)in->count + 1, &in->capacity, sizeof *in->h);
  }
  in->e[in->count] = in->bare->e[in->watch];
  const double *h = in->bare->h + in->watch;
  in->h[in->count++] =
      in->bare->order == 4 ? 9.0 / 16.0 * (h[0] + h[-1]) - 1.0 / 16.0 * (h[1] + h[-2]) : 0.5 * (h[0] + h[-1]);
}

void tor_sources_prepare(struct tor_sources *s, enum tor_precision precision, struct tor_stage *stage) {
  if (stage->first != s->step)
    TOR_DIE("stage starts at step %lld, the sources are at step %lld", (long long)stage->first, (long long)s->step);
  if (stage->steps > s->capacity) {
    s->capacity = stage->steps;
    for (int t = 0; t < TOR_NINJECT_TABLE; t++) {
      free(s->table[t]);
      free(s->real_table[t]);
      size_t count = (size_t)s->capacity * (size_t)s->width[t];
      s->table[t] = tor_alloc(count, sizeof(double), "source tables");
      s->real_table[t] = tor_alloc(count, (size_t)precision, "source tables");
    }
  }
  for (int k = 0; k < stage->steps; k++, s->step++) {
    double t = (double)s->step * s->grid->dt, half = 0.5 * s->grid->dt;
    for (int i = 0; i < s->nincident; i++)
      wave_step(s->incident[i], t + half, s->table[TOR_INCIDENT_E] + (size_t)k * (size_t)s->width[TOR_INCIDENT_E],
                s->table[TOR_INCIDENT_H] + (size_t)k * (size_t)s->width[TOR_INCIDENT_H]);
    int used[2] = {0, 0};
    for (int i = 0; i < s->job->nsources; i++) {
      const struct tor_source *source = &s->job->sources[i];
      if (source->kind == TOR_PLANE_WAVE) continue;
      int h = source->kind == TOR_MAGNETIC_DIPOLE, table = h ? TOR_CURRENT_H : TOR_CURRENT_E;
      s->table[table][(size_t)k * (size_t)s->width[table] + (size_t)used[h]++] =
          tor_profile_value(&source->profile, h ? t : t + half);
    }
  }
  for (int t = 0; t < TOR_NINJECT_TABLE; t++) {
    size_t count = (size_t)stage->steps * (size_t)s->width[t];
    if (precision == TOR_F64)
      memcpy(s->real_table[t], s->table[t], count * sizeof(double));
    else
      for (size_t i = 0; i < count; i++) ((float *)s->real_table[t])[i] = (float)s->table[t][i];
    stage->table[t] = s->real_table[t];
    stage->width[t] = s->width[t];
  }
}

double tor_sources_end(const struct tor_sources *s) {
  double end = 0;
  for (int i = 0; i < s->job->nsources; i++) end = fmax(end, tor_profile_end(&s->job->sources[i].profile));
  return end;
}

const struct tor_box *tor_incident_box(const struct tor_sources *s, int i) { return &s->incident[i]->box; }
const struct tor_source *tor_incident_source(const struct tor_sources *s, int i) { return s->incident[i]->source; }

/* Spectra of E and H at the front face, scaled values times seconds. */
static void front_spectra(const struct tor_incident *in, double omega, double complex *e, double complex *h) {
  *e = *h = 0;
  for (tor_gidx n = 0; n < in->count; n++) {
    double t = (double)(n + 1) * in->step;
    double t_h = t - 0.5 * in->step;
    *e += in->e[n] * CMPLX(cos(omega * t), sin(omega * t)) * in->step;
    *h += in->h[n] * CMPLX(cos(omega * t_h), sin(omega * t_h)) * in->step;
  }
}

double complex tor_dipole_spectrum(const struct tor_sources *s, int i, double omega) {
  const struct tor_source *source = &s->job->sources[i];
  const double dt = s->grid->dt, late = source->kind == TOR_MAGNETIC_DIPOLE ? 0 : 0.5;
  const double end = tor_profile_end(&source->profile);
  double complex sum = 0;
  for (tor_gidx n = 0; n < s->step && ((double)n - 1) * dt < end; n++) {
    const double t = ((double)n + late) * dt;
    sum += tor_profile_value(&source->profile, t) * CMPLX(cos(omega * t), sin(omega * t));
  }
  return sum * (source->profile.amplitude * dt);
}

double tor_dipole_power(const struct tor_sources *s, int i, double omega) {
  const struct tor_source *source = &s->job->sources[i];
  const struct tor_medium *m = &s->job->media[tor_job_medium_at(s->job, source->position)];
  const double complex eps = tor_medium_permittivity(m, 0, omega), mu = tor_medium_permeability(m, 0, omega);
  for (int a = 0; a < 3; a++)
    if (tor_medium_permittivity(m, a, omega) != eps || tor_medium_permeability(m, a, omega) != mu) return NAN;
  if (fabs(cimag(eps)) > 1e-9 * fabs(creal(eps)) || fabs(cimag(mu)) > 1e-9 * fabs(creal(mu)) || creal(eps) <= 0 ||
      creal(mu) <= 0)
    return NAN;
  const double eta = TOR_ETA0 * sqrt(creal(mu) / creal(eps)),
               k2 = creal(eps) * creal(mu) * omega * omega / (TOR_C0 * TOR_C0);
  const double moment = cabs(tor_dipole_spectrum(s, i, omega)),
               impedance = source->kind == TOR_MAGNETIC_DIPOLE ? 1 / eta : eta;
  if (!s->grid->plane) return impedance * k2 * moment * moment / (6 * TOR_PI);
  /* A line along x, or a row of dipoles across it: current [A, V], or moment over length, which has the same unit. */
  return impedance * sqrt(k2) * moment * moment / (source->polarisation == TOR_X ? 4 : 8);
}

double tor_incident_flux(const struct tor_sources *s, int i, double omega) {
  double complex e, h;
  front_spectra(s->incident[i], omega, &e, &h);
  return s->incident[i]->scale * creal(e * conj(h));
}

void tor_incident_spectrum(const struct tor_sources *s, int i, double omega, double complex field[2]) {
  const struct tor_incident *in = s->incident[i];
  front_spectra(in, omega, &field[0], &field[1]);
  field[0] /= s->grid->d[in->source->polarisation];
  field[1] /= TOR_ETA0 * s->grid->d[tor_comp_axis(in->h_comp)];
}
