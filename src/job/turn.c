/* Turns a job's axes: see turn.h. */
#include "src/job/turn.h"

#include <stdio.h>
#include <string.h>

#include "src/base/types.h"
#include "src/job/chi2.h"
#include "src/job/cylindrical.h"
#include "src/job/design.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/thin_sheet.h"
#include "src/job/solid.h"

static void turn_vector(double v[3], int turn) {
  const double old[3] = {v[0], v[1], v[2]};
  for (int a = 0; a < 3; a++) v[a] = old[(a + turn) % 3];
}

static void turn_medium(struct tor_medium *m, int turn) {
  turn_vector(m->eps, turn);
  turn_vector(m->off, turn);
  turn_vector(m->edge, turn);
  turn_vector(m->cyclotron, turn);
  turn_vector(m->mu, turn);
  turn_vector(m->sigma, turn);
  turn_vector(m->sigma_m, turn);
  for (int p = 0; p < m->npoles; p++) turn_vector(m->poles[p].less, turn);
  const struct tor_medium given = *m;
  double matrix[3][3] = {{0}};
  for (int a = 0; a < 3; a++) matrix[a][(a + turn) % 3] = 1;
  tor_chi2_turn(given.chi2, (const double(*)[3])matrix, m->chi2);
}

/* The vertices of a prism are in cyclic order already. */
static void turn_object(const struct tor_job *job, struct tor_object *o) {
  double matrix[3][3];
  for (int i = 0; i < o->nparts; i++) turn_object(job, &o->part[i]);
  turn_vector(o->center, job->turn);
  turn_vector(o->size, job->turn);
  turn_vector(o->pose.own, job->turn);
  turn_vector(o->pose.at, job->turn);
  memcpy(matrix, o->pose.matrix, sizeof matrix);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) o->pose.matrix[a][i] = matrix[tor_user_axis(job, a)][tor_user_axis(job, i)];
  o->axis = tor_axis_of_user(job, o->axis);
  if (o->shape == TOR_SOLID) tor_solid_place(o);
}

static void turn_design(const struct tor_job *job, struct tor_design *d) {
  const struct tor_design given = *d;
  turn_vector(d->lo, job->turn);
  turn_vector(d->hi, job->turn);
  for (int a = 0; a < 3; a++) {
    d->n[a] = given.n[tor_user_axis(job, a)];
    d->stride[a] = given.stride[tor_user_axis(job, a)];
  }
}

static void turn_source(const struct tor_job *job, struct tor_source *s) {
  turn_vector(s->lo, job->turn);
  turn_vector(s->hi, job->turn);
  turn_vector(s->position, job->turn);
  turn_vector(s->travel, job->turn);
  turn_vector(s->across, job->turn);
  turn_vector(s->focus, job->turn);
  s->axis = tor_axis_of_user(job, s->axis);
  s->polarisation = tor_axis_of_user(job, s->polarisation);
}

static void turn_monitor(const struct tor_job *job, struct tor_monitor *m) {
  if (m->beam) turn_source(job, m->beam);
  const int stride[3] = {m->stride[0], m->stride[1], m->stride[2]};
  const unsigned components = m->components;
  turn_vector(m->lo, job->turn);
  turn_vector(m->hi, job->turn);
  turn_vector(m->seen_lo, job->turn);
  turn_vector(m->seen_hi, job->turn);
  m->axis = tor_axis_of_user(job, m->axis);
  for (int a = 0; a < 3; a++) m->stride[a] = stride[tor_user_axis(job, a)];
  m->components = 0;
  for (int c = 0; c < TOR_NCOMP; c++)
    if (components >> tor_user_comp(job, c) & 1) m->components |= 1u << c;
}

/* Vectors of fewer values along z, and rings of fewer cells, are no faster in towers. */
enum { FEWEST = 6 };

int tor_turn_of(const int periodic[3], const int cells[3], int waves) {
  const int count = periodic[0] + periodic[1] + periodic[2];
  if (!periodic[0] || count == 3 || (count == 1 && waves)) return 0;
  const int turn = periodic[2] ? 1 : 2; /* x becomes z, or y */
  return cells[(1 + turn) % 3] >= FEWEST && cells[(2 + turn) % 3] >= FEWEST ? turn : 0;
}

static void turn_nodes(struct tor_job *job, int turn) {
  double *const nodes[3] = {job->nodes[0], job->nodes[1], job->nodes[2]};
  const int count[3] = {job->nnode[0], job->nnode[1], job->nnode[2]};
  for (int a = 0; a < 3; a++) {
    job->nodes[a] = nodes[(a + turn) % 3];
    job->nnode[a] = count[(a + turn) % 3];
  }
}

void tor_job_turn(struct tor_job *job, int turn) {
  const int symmetry[3] = {job->symmetry[0], job->symmetry[1], job->symmetry[2]};
  struct tor_boundary boundary[TOR_NFACE];
  job->turn = turn;
  turn_vector(job->size, turn);
  turn_vector(job->cell, turn);
  turn_vector(job->cell_given, turn);
  turn_vector(job->phase, turn);
  turn_nodes(job, turn);
  for (int a = 0; a < 3; a++) job->symmetry[a] = symmetry[tor_user_axis(job, a)];
  memcpy(boundary, job->boundary, sizeof boundary);
  for (int f = 0; f < TOR_NFACE; f++) job->boundary[f] = boundary[2 * tor_user_axis(job, f / 2) + f % 2];
  for (int i = 0; i < job->nmedia; i++) turn_medium(&job->media[i], turn);
  for (int i = 0; i < job->nobjects; i++) turn_object(job, &job->objects[i]);
  for (int i = 0; i < job->nrepeats; i++) {
    struct tor_repeat *r = &job->repeats[i];
    const int count[3] = {r->count[0], r->count[1], r->count[2]};
    turn_vector(r->pitch, turn);
    for (int a = 0; a < 3; a++) r->count[a] = count[tor_user_axis(job, a)];
    for (int k = 0; k < r->nshapes; k++) turn_object(job, &r->shape[k]);
  }
  for (int i = 0; i < job->ndesigns; i++) turn_design(job, &job->designs[i]);
  for (int i = 0; i < job->nsheets; i++) {
    struct tor_thin_sheet *s = &job->sheets[i];
    s->axis = tor_axis_of_user(job, s->axis);
    for (int k = 0; k < s->nparts; k++) turn_object(job, &s->part[k]);
  }
  for (int i = 0; i < job->nsources; i++) turn_source(job, &job->sources[i]);
  for (int i = 0; i < job->nmonitors; i++) turn_monitor(job, &job->monitors[i]);
  turn_vector(job->modes.lo, turn);
  turn_vector(job->modes.hi, turn);
}

const char *tor_job_cells(const struct tor_job *job, const struct tor_grid *grid) {
  static _Thread_local char text[64];
  text[0] = 0;
  if (job->angular) {
    snprintf(text, sizeof text, "m = %s, %d x %d", tor_cylindrical_text(job->angular), grid->n[TOR_RADIAL],
             grid->n[TOR_AXIAL]);
    return text;
  }
  if (job->plane) snprintf(text, sizeof text, "%s, ", tor_plane_name(job->plane));
  for (int u = 0; u < tor_user_axes(job); u++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", u ? " x " : "",
             tor_grid_cells(grid, tor_axis_of_user(job, u)));
  return text;
}
