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
#include "src/job/cylindrical.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/sheet.h"
#include "src/model/coefficient.h"
#include "src/model/dipole_source.h"
#include "src/model/incident.h"
#include "src/model/incident_line.h"
#include "src/model/layers.h"
#include "src/model/oblique_line.h"
#include "src/model/profile.h"
#include "src/model/sheet_source.h"
#include "src/model/tensor_planes.h"
#include "src/model/tilted_line.h"
#include "src/model/wave_check.h"
#include "src/model/wave_line.h"

static struct tor_oblique *make_oblique(const struct tor_incident *in, const struct tor_grid *g, const double *cb,
                                        int nzp, int medium_at) {
  double medium[TOR_NCOMP];
  for (int c = 0; c < TOR_NCOMP; c++) medium[c] = cb[c * nzp + medium_at];
  return tor_oblique_new(g, in->source, in->box.lo, in->box.hi, medium);
}

/* Columns of the E and of the H table that a wave needs. */
static int table_width(const struct tor_incident *in) {
  return in->oblique ? 3 * in->oblique->span : in->tilted ? tor_tilted_width(in->tilted) : in->line->count;
}

/* A wave of a fixed k: in a periodic cell, or with `layers` through these. */
static void make_tilted(struct tor_incident *in, const struct tor_job *job, const struct tor_grid *g, int medium,
                        const struct tor_layers *layers) {
  const struct tor_source *s = in->source;
  const struct tor_box *box = &in->box;
  const int a = layers ? TOR_Z : s->axis, forward = s->oblique ? s->travel[a] > 0 : s->direction > 0;
  struct tor_tilted_setup setup = {.source = s,
                                   .axis = a,
                                   .direction = forward ? 1 : -1,
                                   .front = forward ? box->lo[a] : box->hi[a],
                                   .lo = box->lo[a],
                                   .hi = box->hi[a],
                                   .medium = &job->media[medium],
                                   .finite = layers != NULL};
  const double at = s->angle_at > 0 ? s->angle_at : s->profile.wavelength;
  for (int i = 0; i < 3; i++) {
    setup.travel[i] = s->oblique ? s->travel[i] : i == a ? s->direction : 0;
    setup.across[i] = s->oblique ? s->across[i] : i == s->polarisation;
    if (i == a) continue;
    setup.k[i] = !layers ? tor_grid_bloch(g, i)
                 : setup.travel[i] != 0
                     ? setup.travel[i] * 2 * TOR_PI / at * sqrt(setup.medium->eps[0] * setup.medium->mu[0])
                     : 0;
  }
  if (!layers && box->open[2 * a]) setup.lo = setup.front;
  if (!layers && box->open[2 * a + 1]) setup.hi = setup.front;
  in->axis = a;
  in->alone = tor_tilted_new(g, &setup);
  in->tilted = in->alone;
  if (!layers) return;
  setup.layers = layers;
  in->tilted = tor_tilted_new(g, &setup);
  if (tor_tilted_injections(in->tilted) == 1) return;
  setup.quarter = 1;
  in->second = tor_tilted_new(g, &setup);
}

/* A wave of one line: in the medium where it enters, or through the layered background. */
static void make_lines(struct tor_incident *in, const struct tor_job *job, const struct tor_grid *g,
                       const struct tor_layers *layers, struct tor_faults *faults) {
  enum { MARGIN = 8 };
  const struct tor_source *s = in->source;
  const struct tor_box *box = &in->box;
  const int front = s->direction < 0 ? box->hi[s->axis] : box->lo[s->axis], own = tor_wave_front(job, g, s, box);
  const int layered = tor_wave_check(job, g, s, box, layers, own, faults);
  const int count = box->hi[s->axis] - box->lo[s->axis] + 1 + 2 * (MARGIN + TOR_INCIDENT_LINE_CPML);
  const int middle = (box->lo[2] < 0 ? box->hi[2] : box->lo[2] + box->hi[2]) / 2;
  const int medium_at = own >= 0 ? 0 : s->axis == TOR_Z ? front : middle;
  in->offset = box->lo[s->axis] - MARGIN - TOR_INCIDENT_LINE_CPML;
  if (s->oblique) {
    in->oblique = make_oblique(in, g, layers->cb, layers->nzp, medium_at);
    return;
  }
  double cb[TOR_NCOMP], ca1[TOR_NCOMP];
  const struct tor_mix pure = {.count = 1, .medium = {own}, .share = {1}};
  for (int c = 0; c < TOR_NCOMP && own >= 0; c++) {
    const struct tor_coefficient k = tor_coefficient_make(job, g, c, &pure);
    cb[c] = k.cb;
    ca1[c] = k.ca1;
  }
  const struct tor_layers medium = own >= 0 ? (struct tor_layers){.cb = cb, .ca1 = ca1, .nzp = 1} : *layers;
  in->line = tor_wave_line_new(in, g, &medium, layered, count, medium_at);
  in->bare = layered ? tor_wave_line_new(in, g, &medium, 0, count, medium_at) : in->line;
  in->watch = front - in->offset;
  const double below = tor_wave_line_cell(in, g, in->watch - 1);
  in->above = below / (below + tor_wave_line_cell(in, g, in->watch));
  /* E x H along the direction of travel; H is eta0 times the field. */
  const double cyclic = (s->polarisation + 1) % 3 == tor_comp_axis(in->h_comp) ? 1 : -1;
  in->scale = cyclic * s->direction / (TOR_ETA0 * g->d[s->polarisation] * g->d[tor_comp_axis(in->h_comp)]);
}

static struct tor_incident *incident_new(const struct tor_job *job, const struct tor_source *s,
                                         const struct tor_grid *g, const struct tor_layers *layers,
                                         struct tor_faults *faults) {
  struct tor_incident *in = tor_alloc(1, sizeof *in, "incident field");
  in->source = s;
  in->step = g->dt;
  in->axis = s->axis;
  in->e_comp = TOR_EX + s->polarisation;
  in->h_comp = TOR_HX + 3 - s->axis - s->polarisation;
  tor_wave_box(s, g, &in->box);
  tor_tensor_check_wave(job, g, s, &in->box, layers, faults);
  const int through = !s->periodic && tor_wave_meets_layers(job, g, s);
  if (through && tor_grid_is_graded(g))
    tor_fault_at(faults, tor_job_source_place(job, s),
                 "the wave meets layers of dispersive media at the sides of its box, in graded cells; need " TOR_NEEDED(
                     "a box open at these sides (periodic walls), layers inside it, or no grid.refine"));
  if (!s->periodic && !through) {
    make_lines(in, job, g, layers, faults);
    return in;
  }
  const int medium =
      through ? tor_wave_layer(job, g, s, &in->box, layers, faults) : tor_wave_medium(job, g, s, &in->box, faults);
  make_tilted(in, job, g, medium, through ? layers : NULL);
  return in;
}

static void add_sheet(struct tor_sources *s, const struct tor_source *source) {
  struct tor_sheet_source *to = &s->sheet[s->nsheets++];
  if (!source->sheet) to->outline = tor_sheet_outline(s->job, source, s->grid);
  to->sheet = source->sheet ? source->sheet : to->outline;
  for (int h = 0; h < 2; h++) {
    int *const width = &s->width[h ? TOR_INCIDENT_H : TOR_INCIDENT_E];
    to->first[h] = *width;
    *width += tor_sheet_width(to->sheet, s->grid->order, h);
  }
}

struct tor_sources *tor_sources_new(const struct tor_job *job, const struct tor_grid *grid,
                                    const struct tor_layers *layers, struct tor_faults *faults) {
  struct tor_sources *s = tor_alloc(1, sizeof *s, "sources");
  s->job = job;
  s->grid = grid;
  s->incident = tor_alloc((size_t)job->nsources + 1, sizeof *s->incident, "sources");
  s->sheet = tor_alloc((size_t)job->nsources + 1, sizeof *s->sheet, "sources");
  for (int i = 0; i < job->nsources; i++) {
    if (job->sources[i].kind == TOR_PLANE_WAVE) {
      struct tor_incident *in = incident_new(job, &job->sources[i], grid, layers, faults);
      in->first[0] = s->width[TOR_INCIDENT_E];
      in->first[1] = s->width[TOR_INCIDENT_H];
      s->width[TOR_INCIDENT_E] += table_width(in);
      s->width[TOR_INCIDENT_H] += table_width(in);
      s->incident[s->nincident++] = in;
    } else if (tor_source_has_sheet(&job->sources[i])) {
      add_sheet(s, &job->sources[i]);
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
    tor_oblique_free(in->oblique);
    if (in->alone != in->tilted) tor_tilted_free(in->alone);
    tor_tilted_free(in->tilted);
    tor_tilted_free(in->second);
    for (int c = 0; c < TOR_NCOMP; c++) free(in->kept[c]);
    free(in);
  }
  free(s->incident);
  for (int i = 0; i < s->nsheets; i++) tor_sheet_free(s->sheet[i].outline);
  free(s->sheet);
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
  *first = box->lo[axis] < 0 ? 0 : box->lo[axis]; /* the mirrored half is not there */
  if (g->angular && axis != TOR_AXIAL && !tor_comp_half(comp, axis) && !*first)
    *first = 1; /* they are zero at node 0 */
  *last = box->hi[axis] - tor_comp_half(comp, axis);
  if (*last > end) *last = end;
}

/* Factor on a wave's value, which is that of a cell of length tor_grid.d, for the neighbour's own cell. */
static double own_cell(const struct tor_grid *g, int of, const int place[3]) {
  if (g->angular) return tor_cylindrical_wave(g, of, place[TOR_RADIAL]);
  const int a = tor_comp_axis(of);
  return tor_grid_grading(g, of, a, place[a]);
}

/* Entries for a column of a face across `axis`: where cells along z differ and the value is an integral over them, one
 * a point. */
static int entries_of(const struct tor_grid *g, int of, int axis, int nz) {
  if (g->angular && tor_comp_axis(of) == TOR_PHI && axis != TOR_Z) return nz;
  return g->node[TOR_Z] && tor_comp_axis(of) == TOR_Z && axis != TOR_Z ? nz : 1;
}

/* A wave's correction of a column. */
static void add_entry(const struct tor_grid *g, int of, int axis, const int place[3], const int at[2], int comp,
                      const struct tor_inject *entry, tor_inject_add *add, void *context) {
  const int n = entries_of(g, of, axis, entry->nz), split = n > 1;
  for (int i = 0; i < n; i++) {
    struct tor_inject one = *entry;
    const int there[3] = {place[0], place[1], place[2] + i};
    if (split) {
      one.z0 += i;
      one.nz = 1;
      one.index += one.stride * i;
    }
    one.factor *= own_cell(g, of, there);
    add(context, at[0], at[1], comp, &one);
  }
}

/* Corrections of the sites at index `at` along the face's axis: the difference's neighbour `shift` half cells away is
 * on the other side. */
static double add_face(const struct tor_incident *in, const struct tor_grid *g, int comp, int axis, int of,
                       double factor, int at, int shift, tor_gidx profile, const struct tor_column_block *block,
                       tor_inject_add *add, void *context) {
  int half = tor_comp_half(comp, axis), is_h = tor_comp_is_h(of);
  int across = (2 * at + half + shift - tor_comp_half(of, axis)) / 2; /* the neighbour's index along the axis */
  struct tor_inject entry = {0, 1, is_h ? TOR_INCIDENT_H : TOR_INCIDENT_E, .factor = factor};
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
  const double columns = (double)(last[0] - first[0] + 1) * (last[1] - first[1] + 1);
  if (in->tilted) entry.index = in->first[is_h];
  if (in->tilted) entry.stride = in->tilted->finite && axis != TOR_Z;
  for (int ix = first[0]; ix <= last[0] && add; ix++)
    for (int iy = first[1]; iy <= last[1]; iy++) {
      int place[3] = {ix, iy, entry.z0};
      place[axis] = across;
      if (in->tilted) {
        tor_tilted_inject(in->tilted, of, profile, &entry, place, (const int[2]){ix, iy}, comp, add, context);
        continue;
      }
      if (in->oblique) {
        const int *m = in->oblique->m;
        entry.index = in->first[is_h] + tor_comp_axis(of) * in->oblique->span - in->oblique->lo;
        for (int a = 0; a < 3; a++) entry.index += m[a] * place[a];
        entry.stride = m[2];
      } else {
        entry.index = in->first[is_h] + place[in->axis] - in->offset;
        entry.stride = in->axis == TOR_Z && axis != TOR_Z;
      }
      add_entry(g, of, axis, place, (const int[2]){ix, iy}, comp, &entry, add, context);
    }
  return in->tilted ? tor_tilted_injections(in->tilted) * columns : columns * entries_of(g, of, axis, entry.nz);
}

/* Whether a wave along an axis has a component. */
static int has(const struct tor_incident *in, const struct tor_grid *g, int comp) {
  return g->angular ? tor_comp_axis(comp) != in->axis : comp == in->e_comp || comp == in->h_comp;
}

/* profile: place of the wave's values in tor_slab.profile. */
static double inject_wave(const struct tor_incident *in, const struct tor_grid *g, tor_gidx profile,
                          const struct tor_column_block *block, tor_inject_add *add, void *context) {
  double count = 0;
  int reach = g->order == 4 ? 3 : 1;
  for (int comp = 0; comp < TOR_NCOMP; comp++)
    for (int derivative = 0; derivative < 2; derivative++) {
      int axis, of;
      tor_curl_term(comp, derivative, &axis, &of);
      if (!in->oblique && !in->tilted && !has(in, g, of)) continue;
      if (!tor_comp_exists(g->plane, comp) || !tor_comp_exists(g->plane, of)) continue;
      int half = tor_comp_half(comp, axis);
      for (int at = 0; at <= tor_grid_last(g, comp, axis); at++)
        for (int shift = -reach; shift <= reach; shift += 2) {
          int u = 2 * at + half, here = total_along(&in->box, axis, u);
          if (here == total_along(&in->box, axis, u + shift)) continue;
          count += add_face(in, g, comp, axis, of, (derivative ? -1 : 1) * (here ? 1 : -1) * tor_grid_weight(shift), at,
                            shift, profile, block, add, context);
        }
    }
  return count;
}

double tor_sources_inject(const struct tor_sources *s, const struct tor_column_block *in, tor_inject_add *add,
                          void *context) {
  double count = 0;
  const struct tor_grid *g = s->grid;
  tor_gidx profile = tor_sheets_values(s->sheet, s->nsheets, g, in, TOR_F64, NULL);
  for (int i = 0; i < s->nincident; i++) {
    count += inject_wave(s->incident[i], g, profile, in, add, context);
    if (s->incident[i]->tilted) profile += tor_tilted_values(s->incident[i]->tilted, TOR_F64, NULL);
  }
  count += tor_sheets_inject(s->sheet, s->nsheets, g, in, add, context);
  int used[2] = {0, 0};
  for (int i = 0; i < s->job->nsources; i++) {
    const struct tor_source *source = &s->job->sources[i];
    if (!tor_source_is_dipole(source)) continue;
    count += tor_dipole_inject(source, g, used[source->kind == TOR_MAGNETIC_DIPOLE]++, in, add, context);
  }
  return count;
}

static void keep(struct tor_incident *in, int comp, double value) {
  in->kept[comp] = tor_grow(in->kept[comp], (size_t)in->count + 1, &in->capacity[comp], sizeof(double));
  in->kept[comp][in->count] = value;
}

/* H at node i from both sides. */
static double mean_h(int order, const double *h, double above) {
  if (order == 4) return 9.0 / 16.0 * (h[0] + h[-1]) - 1.0 / 16.0 * (h[1] + h[-2]);
  return above == 0.5 ? 0.5 * (h[0] + h[-1]) : h[-1] + above * (h[0] - h[-1]);
}

static void tilted_step(struct tor_incident *in, double t_half, double *e_row, double *h_row) {
  struct tor_tilted *const lines[3] = {in->tilted, in->second, in->alone != in->tilted ? in->alone : NULL};
  const struct tor_tilted *kept = in->alone;
  const int along[2] = {kept->next, kept->last};
  tor_tilted_row(in->tilted, in->second, 0, e_row);
  for (int i = 0; i < 3; i++)
    if (lines[i]) tor_tilted_step_h(lines[i], t_half - 0.5 * in->step);
  tor_tilted_row(in->tilted, in->second, 1, h_row);
  for (int i = 0; i < 3; i++)
    if (lines[i]) tor_tilted_step_e(lines[i], t_half);
  for (int k = 0; k < 2; k++) {
    keep(in, TOR_EX + along[k], kept->field[TOR_EX + along[k]][kept->watch]);
    keep(in, TOR_HX + along[k], mean_h(kept->grid->order, kept->field[TOR_HX + along[k]] + kept->watch, 0.5));
  }
  in->count++;
}

static void oblique_step(struct tor_incident *in, double t_half, double *e_row, double *h_row) {
  struct tor_oblique *line = in->oblique;
  const size_t span = (size_t)line->span, from = (size_t)(line->lo - line->offset);
  for (size_t c = 0; c < 3; c++) memcpy(e_row + c * span, line->field[TOR_EX + c] + from, span * sizeof *e_row);
  tor_oblique_step_h(line);
  for (size_t c = 0; c < 3; c++) memcpy(h_row + c * span, line->field[TOR_HX + c] + from, span * sizeof *h_row);
  tor_oblique_step_e(line, t_half);
  for (int c = 0; c < TOR_NCOMP; c++) keep(in, c, line->field[c][line->watch - line->offset]);
  in->count++;
}

tor_gidx tor_sources_profiles(const struct tor_sources *s, const struct tor_column_block *in,
                              enum tor_precision precision, void *to) {
  tor_gidx all = tor_sheets_values(s->sheet, s->nsheets, s->grid, in, precision, to);
  for (int i = 0; i < s->nincident; i++)
    if (s->incident[i]->tilted)
      all += tor_tilted_values(s->incident[i]->tilted, precision, to ? (char *)to + all * precision : NULL);
  return all;
}

/* One step of a wave: the present E is written to the H update's table, H half a step later to the E update's. */
static void wave_step(struct tor_incident *in, double t_half, double *e_row, double *h_row) {
  if (in->oblique) {
    oblique_step(in, t_half, e_row + in->first[0], h_row + in->first[1]);
    return;
  }
  if (in->tilted) {
    tilted_step(in, t_half, e_row + in->first[0], h_row + in->first[1]);
    return;
  }
  double current = in->source->profile.amplitude * tor_profile_value(&in->source->profile, t_half);
  memcpy(e_row + in->first[0], in->line->e, (size_t)in->line->count * sizeof *e_row);
  tor_incident_line_step_h(in->line);
  if (in->bare != in->line) tor_incident_line_step_h(in->bare);
  memcpy(h_row + in->first[1], in->line->h, (size_t)in->line->count * sizeof *h_row);
  tor_incident_line_step_e(in->line, current);
  if (in->bare != in->line) tor_incident_line_step_e(in->bare, current);
  keep(in, TOR_EX, in->bare->e[in->watch]);
  keep(in, TOR_HX, mean_h(in->bare->order, in->bare->h + in->watch, in->above));
  in->count++;
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
    for (int i = 0; i < s->nsheets; i++)
      for (int h = 0; h < 2; h++) {
        const int table = h ? TOR_INCIDENT_H : TOR_INCIDENT_E;
        tor_sheet_signals(s->sheet[i].sheet, s->grid->order, h, h ? t + half : t,
                          s->table[table] + (size_t)k * (size_t)s->width[table] + s->sheet[i].first[h]);
      }
    int used[2] = {0, 0};
    for (int i = 0; i < s->job->nsources; i++) {
      const struct tor_source *source = &s->job->sources[i];
      if (!tor_source_is_dipole(source)) continue;
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

double complex tor_source_spectrum(const struct tor_sources *s, int i, double omega) {
  const struct tor_source *source = &s->job->sources[i];
  const double dt = s->grid->dt, late = source->kind == TOR_ELECTRIC_DIPOLE ? 0.5 : 0;
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
  const double moment = cabs(tor_source_spectrum(s, i, omega)),
               impedance = source->kind == TOR_MAGNETIC_DIPOLE ? 1 / eta : eta;
  if (!s->grid->plane) return impedance * k2 * moment * moment / (6 * TOR_PI);
  /* A line along x, or a row of dipoles across it: current [A, V], or moment over length, which has the same unit. */
  return impedance * sqrt(k2) * moment * moment / (source->polarisation == TOR_X ? 4 : 8);
}
