/* A plane wave of fixed wave numbers along the walls of a cell: see tilted_line.h. */
#include "src/model/tilted_line.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/model/grid_wave.h"
#include "src/model/pml.h"
#include "src/model/profile.h"

enum { PAD = 3, BEYOND = 3 }; /* BEYOND: nodes outside a face that differences across it read */
enum { LAYER = 400, GAP = 8, TO_SHEET = 4 };
static const double layer_sigma = 0.5; /* in units of a layer that returns exp(-1.6 cells) at a right angle: at 88
                                          degrees exp(-11) */

static double *line_array(int count) {
  return (double *)tor_alloc((size_t)count + 2 * PAD, sizeof(double), "incident field") + PAD;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double to[3]) {
  for (int i = 0; i < 3; i++) to[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void make_unit(double v[3]) {
  const double length = sqrt(dot(v, v));
  for (int i = 0; i < 3; i++) v[i] /= length;
}

/* The unit vectors p and s of a part along the walls. */
static void make_frame(struct tor_tilted *line, const double part[3]) {
  double along[3] = {0, 0, 0};
  along[line->axis] = 1;
  for (int i = 0; i < 3; i++) line->p[i] = i == line->axis ? 0 : part[i];
  make_unit(line->p);
  cross(along, line->p, line->s);
}

/* Amplitudes of s and p, of the direction as given; then the directions of s and p that the grid's waves have. Where
 * the wave is not tilted p is E's direction. */
static void make_polarisations(struct tor_tilted *line, const struct tor_source *source) {
  double second[3], magnetic[3], wave_number[3] = {0, 0, 0}, part = 0;
  for (int i = 0; i < 3; i++) part += i == line->axis ? 0 : source->travel[i] * source->travel[i];
  make_frame(line, part > 1e-20 ? source->travel : source->across);
  cross(source->travel, source->across, second);
  for (int w = 0; w < 2; w++) {
    const double *e = w ? second : source->across;
    const double on = w && !source->circular ? 0 : 1;
    cross(source->travel, e, magnetic);
    line->e_s[w] = on * dot(e, line->s);
    line->h_s[w] = on * dot(magnetic, line->s);
    line->profile[w] = source->profile;
  }
  line->profile[1].phase -= source->circular * TOR_PI / 2;
  for (int i = 0; i < 3; i++) wave_number[i] = line->kappa[i] / line->grid->d[i];
  if (dot(wave_number, wave_number) > 0) make_frame(line, wave_number);
}

static void make_layers(struct tor_tilted *line) {
  const struct tor_boundary layer = {TOR_CPML, LAYER, 3, layer_sigma, 1, 0};
  const struct tor_grid *g = line->grid;
  for (int half = 0; half < 2; half++) {
    line->layer[half] = tor_alloc((size_t)line->count, sizeof *line->layer[half], "incident field");
    for (int j = 0; j < line->count; j++) {
      const double x = j + 0.5 * half, depth = fmax(LAYER - x, x - (line->count - 1 - LAYER)) / LAYER;
      const struct tor_pml_point at =
          depth > 0 ? tor_pml_profile(&layer, depth, g->d[line->axis], g->ct, sqrt(line->eps * line->mu), 0)
                    : (struct tor_pml_point){1, 0, 0};
      line->layer[half][j] = (struct tor_tilted_layer){at.ik, at.b, at.c};
    }
  }
}

struct tor_tilted *tor_tilted_new(const struct tor_grid *grid, const struct tor_source *source, const int lo[3],
                                  const int hi[3], const int open[TOR_NFACE], const struct tor_medium *medium) {
  struct tor_tilted *line = tor_alloc(1, sizeof *line, "incident field");
  const int a = source->axis, forward = source->direction > 0, front = forward ? lo[a] : hi[a];
  line->grid = grid;
  line->axis = a;
  line->next = (a + 1) % 3;
  line->last = (a + 2) % 3;
  line->direction = source->direction;
  line->eps = medium->eps[0];
  line->mu = medium->mu[0];
  for (int i = 0; i < 3; i++) {
    if (i == a || (grid->plane && i == TOR_X)) continue;
    line->k[i] = tor_grid_bloch(grid, i);
    line->kappa[i] =
        2 * tor_wave_difference(grid->order, 0.5 * line->k[i] * grid->d[i]) / (grid->order == 4 ? 1.125 : 1);
  }
  for (int c = 0; c < TOR_NCOMP; c++)
    if (tor_comp_exists(grid->plane, c))
      line->cb[c] = grid->ct / ((tor_comp_is_h(c) ? line->mu : line->eps) * tor_grid_metric(grid, c));
  make_polarisations(line, source);
  line->lo = (!forward && open[2 * a] ? front : lo[a]) - BEYOND;
  line->span = (forward && open[2 * a + 1] ? front : hi[a]) + BEYOND - line->lo + 1;
  line->offset = line->lo - GAP - LAYER;
  line->count = line->span + 2 * (GAP + LAYER);
  line->sheet = forward ? LAYER + TO_SHEET : line->count - 1 - LAYER - TO_SHEET;
  line->watch = front - line->offset;
  for (int c = 0; c < TOR_NCOMP; c++) line->field[c] = line_array(line->count);
  for (int i = 0; i < 4; i++) line->psi[i] = line_array(line->count);
  make_layers(line);
  return line;
}

void tor_tilted_free(struct tor_tilted *line) {
  if (!line) return;
  for (int c = 0; c < TOR_NCOMP; c++) free(line->field[c] - PAD);
  for (int i = 0; i < 4; i++) free(line->psi[i] - PAD);
  free(line->layer[0]);
  free(line->layer[1]);
  free(line);
}

/* f += cb (sign * difference of p along the axis + part * q); p points half a cell above f's number. */
static void advance(struct tor_tilted *line, int comp, int sign, const double *restrict p, double part,
                    const double *restrict q) {
  const int is_h = tor_comp_is_h(comp);
  const struct tor_tilted_layer *layer = line->layer[is_h];
  double *restrict f = line->field[comp], *restrict psi = line->psi[2 * is_h + (tor_comp_axis(comp) == line->last)];
  const double cb = line->cb[comp], wide = line->grid->order == 4 ? 1 / 27.0 : 0;
  for (int j = 0; j < line->count; j++) {
    const double diff = p[j] - p[j - 1] - wide * (p[j + 1] - p[j - 2]);
    psi[j] = layer[j].b * psi[j] + layer[j].c * diff;
    f[j] += cb * (sign * (layer[j].ik * diff + psi[j]) + part * q[j]);
  }
}

/* The component along the axis, of what is stored. */
static void advance_along(struct tor_tilted *line, int comp, double part_p, const double *restrict p, double part_q,
                          const double *restrict q) {
  double *restrict f = line->field[comp];
  const double cb = line->cb[comp];
  for (int j = 0; j < line->count; j++) f[j] += cb * (part_p * p[j] + part_q * q[j]);
}

/* The sheet's current along p, electric (is_h 0) or magnetic, whose wave has the amplitude of the profiles at t. */
static void drive(struct tor_tilted *line, int is_h, double t) {
  const struct tor_grid *g = line->grid;
  double amplitude = 0;
  for (int w = 0; w < 2; w++)
    amplitude +=
        (is_h ? line->e_s[w] : line->h_s[w]) * line->profile[w].amplitude * tor_profile_value(&line->profile[w], t);
  amplitude *= 2 * line->direction * (is_h ? -1 : sqrt(line->eps / line->mu)) / (g->order == 4 ? 1.125 : 1);
  for (int side = 0; side < 2; side++) { /* the field's jump is along the other axis */
    const int i = side ? line->last : line->next, other = side ? line->next : line->last;
    const int comp = (is_h ? TOR_HX : TOR_EX) + i;
    line->field[comp][line->sheet] += line->cb[comp] * amplitude * line->p[i] * g->d[other];
  }
}

/* With e_a = i E, h_a = i H of the stored E, H:  h_b' = D_a e_c + kappa_c E,  h_c' = -D_a e_b - kappa_b E,
 * H' = kappa_c e_b - kappa_b e_c;  e_b' = -D_a h_c - kappa_c H,  e_c' = D_a h_b + kappa_b H,  E' = kappa_b h_c -
 * kappa_c h_b. */
void tor_tilted_step_h(struct tor_tilted *line, double t) {
  const int a = line->axis, b = line->next, c = line->last;
  double **e = line->field + TOR_EX;
  advance(line, TOR_HX + b, 1, e[c] + 1, line->kappa[c], e[a]);
  advance(line, TOR_HX + c, -1, e[b] + 1, -line->kappa[b], e[a]);
  advance_along(line, TOR_HX + a, line->kappa[c], e[b], -line->kappa[b], e[c]);
  drive(line, 1, t);
}

void tor_tilted_step_e(struct tor_tilted *line, double t) {
  const int a = line->axis, b = line->next, c = line->last;
  double **h = line->field + TOR_HX;
  advance(line, TOR_EX + b, -1, h[c], -line->kappa[c], h[a]);
  advance(line, TOR_EX + c, 1, h[b], line->kappa[b], h[a]);
  advance_along(line, TOR_EX + a, line->kappa[b], h[c], -line->kappa[c], h[b]);
  drive(line, 0, t);
}

/* --- Injections --- */

int tor_tilted_turns(const struct tor_tilted *line) { return line->axis != TOR_Z && line->k[TOR_Z] != 0; }

/* Place of a component's profiles: [E, H][b, c][cosine, sine][n_z], where z is periodic. */
static tor_gidx profile_of(const struct tor_tilted *line, int comp) {
  const int number = 2 * tor_comp_is_h(comp) + (tor_comp_axis(comp) == line->last);
  return (tor_gidx)number * 2 * line->grid->n[TOR_Z];
}

tor_gidx tor_tilted_values(const struct tor_tilted *line, enum tor_precision precision, void *to) {
  const struct tor_grid *g = line->grid;
  const int n = g->n[TOR_Z];
  if (!tor_tilted_turns(line)) return 0;
  for (int comp = 0; comp < TOR_NCOMP && to; comp++) {
    if (tor_comp_axis(comp) == line->axis) continue;
    for (int i = 0; i < 2 * n; i++) {
      const double phase = line->k[TOR_Z] * tor_grid_place(g, comp, TOR_Z, i % n),
                   value = i < n ? cos(phase) : sin(phase);
      const tor_gidx at = profile_of(line, comp) + i;
      if (precision == TOR_F32)
        ((float *)to)[at] = (float)value;
      else
        ((double *)to)[at] = value;
    }
  }
  return (tor_gidx)8 * n;
}

void tor_tilted_inject(const struct tor_tilted *line, int of, tor_gidx profile, const struct tor_inject *entry, int ix,
                       int iy, int comp, tor_inject_add *add, void *context) {
  const struct tor_grid *g = line->grid;
  const int turns = tor_tilted_turns(line);
  struct tor_inject to = *entry;
  double phase = 0;
  if (tor_comp_axis(of) == line->last) to.index += line->span;
  if (line->axis != TOR_X) phase += line->k[TOR_X] * tor_grid_place(g, of, TOR_X, ix);
  if (line->axis != TOR_Y) phase += line->k[TOR_Y] * tor_grid_place(g, of, TOR_Y, iy);
  to.factor = entry->factor * cos(phase);
  to.imaginary = entry->factor * sin(phase);
  to.terms = turns;
  to.profile = turns ? profile + profile_of(line, of) : 0;
  add(context, ix, iy, comp, &to);
  if (!turns) return;
  to.profile += g->n[TOR_Z];
  to.factor = -entry->factor * sin(phase);
  to.imaginary = entry->factor * cos(phase);
  add(context, ix, iy, comp, &to);
}

double tor_tilted_half_phase(const struct tor_tilted *line, double omega) {
  const struct tor_grid *g = line->grid;
  const double w = tor_wave_frequency(g, omega);
  double square = w * w * line->eps * line->mu;
  for (int i = 0; i < 3; i++) square -= pow(tor_wave_discrete(g, i, line->k[i]), 2);
  return square > 0 ? tor_wave_half_phase(g, line->axis, sqrt(square)) : -1;
}

double tor_tilted_angle(const struct tor_tilted *line, double omega) {
  const double sine = sqrt(dot(line->k, line->k) / (line->eps * line->mu)) * TOR_C0 / omega;
  return sine < 1 ? asin(sine) : (double)NAN;
}
