/* A plane wave of fixed wave numbers along the walls of a cell: see tilted_line.h. */
#include "src/model/tilted_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/base/vector3.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/model/grid_wave.h"
#include "src/model/layers.h"
#include "src/model/line_poles.h"
#include "src/model/pml.h"
#include "src/model/profile.h"
#include "src/model/sheet_source.h"

enum { PAD = 3, BEYOND = 3 }; /* BEYOND: nodes outside a face that differences across it read */
enum { LAYER = 400, GAP = 8, TO_SHEET = 4 };
static const double layer_sigma = 0.5; /* in units of a layer that returns exp(-1.6 cells) at a right angle: at 88
                                          degrees exp(-11) */

static double *line_array(int count) {
  return (double *)tor_alloc((size_t)count + 2 * PAD, sizeof(double), "incident field") + PAD;
}

static void make_unit(double v[3]) {
  const double length = sqrt(tor_dot(v, v));
  for (int i = 0; i < 3; i++) v[i] /= length;
}

/* The unit vectors p and s of a part along the walls. */
static void make_frame(struct tor_tilted *line, const double part[3]) {
  double along[3] = {0, 0, 0};
  along[line->axis] = 1;
  for (int i = 0; i < 3; i++) line->p[i] = i == line->axis ? 0 : part[i];
  make_unit(line->p);
  tor_cross(along, line->p, line->s);
}

/* Amplitudes of s and p, of the direction as given; then the directions of s and p that the grid's waves have. Where
 * the wave is not tilted p is E's direction. */
static void make_polarisations(struct tor_tilted *line, const struct tor_tilted_setup *setup) {
  const struct tor_source *source = setup->source;
  double second[3], magnetic[3], wave_number[3] = {0, 0, 0}, part = 0;
  for (int i = 0; i < 3; i++) part += i == line->axis ? 0 : setup->travel[i] * setup->travel[i];
  make_frame(line, part > 1e-20 ? setup->travel : setup->across);
  tor_cross(setup->travel, setup->across, second);
  for (int w = 0; w < 2; w++) {
    const double *e = w ? second : setup->across;
    const double on = w && !source->circular ? 0 : 1;
    tor_cross(setup->travel, e, magnetic);
    line->e_s[w] = on * tor_dot(e, line->s);
    line->h_s[w] = on * tor_dot(magnetic, line->s);
    line->profile[w] = source->profile;
    line->profile[w].phase += setup->quarter * TOR_PI / 2;
  }
  line->profile[1].phase -= source->circular * TOR_PI / 2;
  for (int i = 0; i < 3; i++) wave_number[i] = line->kappa[i] / line->grid->d[i];
  if (tor_dot(wave_number, wave_number) > 0) make_frame(line, wave_number);
}

/* The medium's coefficients, or those of the layers at each point. */
static void make_media(struct tor_tilted *line, const struct tor_layers *layers) {
  const struct tor_grid *g = line->grid;
  const int last = g->n[TOR_Z] - 1;
  for (int c = 0; c < TOR_NCOMP; c++) {
    line->cb[c] = tor_alloc((size_t)line->count, sizeof(double), "incident field");
    line->ca1[c] = tor_alloc((size_t)line->count, sizeof(double), "incident field");
    for (int j = 0; j < line->count && tor_comp_exists(g->plane, c); j++) {
      const int at = j + line->offset, z = at < 1 ? 1 : at > last ? last : at;
      line->cb[c][j] = layers ? layers->cb[c * layers->nzp + z]
                              : g->ct / ((tor_comp_is_h(c) ? line->mu : line->eps) * tor_grid_metric(g, c));
      if (layers) line->ca1[c][j] = layers->ca1[c * layers->nzp + z];
    }
  }
  if (layers) line->poles = tor_line_poles_new(layers, line->count, line->offset, last, g->ct);
}

static void make_layers(struct tor_tilted *line) {
  const struct tor_boundary layer = {TOR_CPML, LAYER, 3, layer_sigma, 1, 0, 0};
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

struct tor_tilted *tor_tilted_new(const struct tor_grid *grid, const struct tor_tilted_setup *setup) {
  struct tor_tilted *line = tor_alloc(1, sizeof *line, "incident field");
  const int a = setup->axis, forward = setup->direction > 0;
  line->grid = grid;
  line->finite = setup->finite;
  line->axis = a;
  line->next = (a + 1) % 3;
  line->last = (a + 2) % 3;
  line->direction = setup->direction;
  line->eps = setup->medium->eps[0];
  line->mu = setup->medium->mu[0];
  for (int i = 0; i < 3; i++) {
    if (i == a || (grid->plane && i == TOR_X)) continue;
    line->k[i] = setup->k[i];
    line->kappa[i] =
        2 * tor_wave_difference(grid->order, 0.5 * line->k[i] * grid->d[i]) / (grid->order == 4 ? 1.125 : 1);
  }
  make_polarisations(line, setup);
  line->lo = setup->lo - BEYOND;
  line->span = setup->hi + BEYOND - line->lo + 1;
  line->offset = line->lo - GAP - LAYER;
  line->count = line->span + 2 * (GAP + LAYER);
  line->sheet = forward ? LAYER + TO_SHEET : line->count - 1 - LAYER - TO_SHEET;
  line->watch = setup->front - line->offset;
  make_media(line, setup->layers);
  for (int c = 0; c < TOR_NCOMP; c++) line->field[c] = line_array(line->count);
  for (int i = 0; i < 4; i++) line->psi[i] = line_array(line->count);
  line->curl = line_array(line->count);
  make_layers(line);
  return line;
}

void tor_tilted_free(struct tor_tilted *line) {
  if (!line) return;
  for (int c = 0; c < TOR_NCOMP; c++) {
    free(line->field[c] - PAD);
    free(line->cb[c]);
    free(line->ca1[c]);
  }
  tor_line_poles_free(line->poles);
  free(line->curl - PAD);
  for (int i = 0; i < 4; i++) free(line->psi[i] - PAD);
  free(line->layer[0]);
  free(line->layer[1]);
  free(line);
}

/* A component's step, of its curl. */
static void step(struct tor_tilted *line, int comp) {
  double *restrict f = line->field[comp];
  double *const curl = line->curl;
  const double *cb = line->cb[comp], *ca1 = line->ca1[comp];
  const int has_poles = line->poles && !tor_comp_is_h(comp);
  if (has_poles) tor_line_poles_before(line->poles, comp, f, curl);
  for (int j = 0; j < line->count; j++) f[j] += ca1[j] * f[j] + cb[j] * curl[j];
  if (has_poles) tor_line_poles_after(line->poles, comp, f);
}

/* curl = sign * difference of p along the axis + part * q; p points half a cell above comp's number. */
static void advance(struct tor_tilted *line, int comp, int sign, const double *restrict p, double part,
                    const double *restrict q) {
  const int is_h = tor_comp_is_h(comp);
  const struct tor_tilted_layer *layer = line->layer[is_h];
  double *curl = line->curl, *restrict psi = line->psi[2 * is_h + (tor_comp_axis(comp) == line->last)];
  const double wide = line->grid->order == 4 ? 1 / 27.0 : 0;
  for (int j = 0; j < line->count; j++) {
    const double diff = p[j] - p[j - 1] - wide * (p[j + 1] - p[j - 2]);
    psi[j] = layer[j].b * psi[j] + layer[j].c * diff;
    curl[j] = sign * (layer[j].ik * diff + psi[j]) + part * q[j];
  }
  step(line, comp);
}

/* The component along the axis, of what is stored. */
static void advance_along(struct tor_tilted *line, int comp, double part_p, const double *restrict p, double part_q,
                          const double *restrict q) {
  for (int j = 0; j < line->count; j++) line->curl[j] = part_p * p[j] + part_q * q[j];
  step(line, comp);
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
    line->field[comp][line->sheet] += line->cb[comp][line->sheet] * amplitude * line->p[i] * g->d[other];
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

int tor_tilted_turns(const struct tor_tilted *line) {
  return !line->finite && line->axis != TOR_Z && line->k[TOR_Z] != 0;
}

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

int tor_tilted_width(const struct tor_tilted *line) { return line->finite ? 6 * line->span : 2 * line->span; }

static int is_tilted(const struct tor_tilted *line) { return tor_dot(line->k, line->k) > 0; }

int tor_tilted_injections(const struct tor_tilted *line) {
  return tor_tilted_turns(line) || (line->finite && is_tilted(line)) ? 2 : 1;
}

void tor_tilted_inject(const struct tor_tilted *line, int of, tor_gidx profile, const struct tor_inject *entry,
                       const int at[3], const int column[2], int comp, tor_inject_add *add, void *context) {
  const struct tor_grid *g = line->grid;
  const int axis = tor_comp_axis(of), normal = axis == line->axis;
  struct tor_inject to = *entry;
  double phase = 0;
  for (int i = TOR_X; i <= TOR_Y; i++)
    if (i != line->axis) phase += line->k[i] * tor_grid_place(g, of, i, at[i]);
  const double c = cos(phase), s = sin(phase);
  to.index += at[line->axis] - line->lo + (line->finite ? axis : axis == line->last) * line->span;
  to.factor = entry->factor * (normal ? -s : c);
  if (line->finite) {
    add(context, column[0], column[1], comp, &to);
    to.index += 3 * line->span;
    to.factor = entry->factor * (normal ? -c : -s);
    if (is_tilted(line)) add(context, column[0], column[1], comp, &to);
    return;
  }
  to.imaginary = entry->factor * s;
  to.terms = tor_tilted_turns(line);
  to.profile = to.terms ? profile + profile_of(line, of) : 0;
  add(context, column[0], column[1], comp, &to);
  if (!to.terms) return;
  to.profile += g->n[TOR_Z];
  to.factor = -entry->factor * s;
  to.imaginary = entry->factor * c;
  add(context, column[0], column[1], comp, &to);
}

/* Copies components of E or H to a row, as many as `count` of the list. */
static double *copy_row(const struct tor_tilted *line, int is_h, const int *list, int count, double *row) {
  const size_t span = (size_t)line->span;
  for (int i = 0; i < count; i++, row += span)
    memcpy(row, line->field[(is_h ? TOR_HX : TOR_EX) + list[i]] + line->lo - line->offset, span * sizeof *row);
  return row;
}

void tor_tilted_row(const struct tor_tilted *line, const struct tor_tilted *second, int is_h, double *row) {
  const int all[3] = {TOR_X, TOR_Y, TOR_Z}, along[2] = {line->next, line->last};
  row = line->finite ? copy_row(line, is_h, all, 3, row) : copy_row(line, is_h, along, 2, row);
  if (second) copy_row(second, is_h, all, 3, row);
}

double tor_tilted_half_phase(const struct tor_tilted *line, double omega) {
  const struct tor_grid *g = line->grid;
  const double w = tor_wave_frequency(g, omega);
  double square = w * w * line->eps * line->mu;
  for (int i = 0; i < 3; i++) square -= pow(tor_wave_discrete(g, i, line->k[i]), 2);
  return square > 0 ? tor_wave_half_phase(g, line->axis, sqrt(square)) : -1;
}

double tor_tilted_angle(const struct tor_tilted *line, double omega) {
  const double sine = sqrt(tor_dot(line->k, line->k) / (line->eps * line->mu)) * TOR_C0 / omega;
  return sine < 1 ? asin(sine) : (double)NAN;
}
