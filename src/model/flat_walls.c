/* Flat walls: see flat_walls.h. */
#include "src/model/flat_walls.h"

#include <math.h>
#include <string.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/faces.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/cell.h"
#include "src/model/coefficient.h"
#include "src/model/column_media.h"
#include "src/model/nearby.h"

/* In order 4 so much of the difference is missing below the smaller medium's permittivity beside a wall, and a bit more
 * at an edge. */
static const double BELOW = 0.05;
static const double LEAST = 0.1;   /* of the smallest and the largest medium: no mean goes beyond that */
static const double MARGIN = 0.98; /* of the time step's limit */

/* A cell times a cell, 1 - |x| up to 1. */
static double hat_step(double x) {
  const double y = fmin(fabs(x), 1), part = y * (1 - 0.5 * y);
  return x < 0 ? 0.5 - part : 0.5 + part;
}

/* B * B is linear between whole numbers: its values there, and its integrals up to them. */
static double smooth_step(double x) {
  static const double at[4] = {339 / 288.0, -26 / 288.0, 0.5 / 288.0, 0}, sum[4] = {0, 313 / 576.0, 287.5 / 576.0, 0.5};
  const double y = fabs(x);
  const int i = y < 3 ? (int)y : 3;
  const double f = y - i, part = i < 3 ? sum[i] + f * (at[i] + 0.5 * f * (at[i + 1] - at[i])) : 0.5;
  return x < 0 ? 0.5 - part : 0.5 + part;
}

double tor_flat_step(int order, double x) { return order == 4 ? smooth_step(x) : hat_step(x); }

static double cell_step(double x) { return fmin(fmax(x + 0.5, 0), 1); }

struct tor_flat_rule tor_flat_rule(const struct tor_job *job, const struct tor_grid *grid) {
  const int averaged = grid->order == 4 ? job->averaging != TOR_AVERAGE_STAIRCASE
                                        : job->averaging == TOR_AVERAGE_TENSOR && !grid->angular;
  struct tor_flat_rule rule = {.used = averaged && !job->node_media && job->samples > 1 && !tor_grid_is_graded(grid)};
  double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
  int poles = 0;
  rule.reach = !rule.used ? 0 : grid->order == 4 ? TOR_FLAT_REACH : 1;
  if (grid->order != 4) return rule; /* a hat is nowhere negative */
  for (int m = 0; m < job->nmedia; m++)
    for (int a = 0; a < 3; a++) {
      const double value[2] = {job->media[m].eps[a], job->media[m].mu[a]};
      poles |= job->media[m].npoles > 0;
      for (int i = 0; i < 2; i++) {
        least[i] = fmin(least[i], value[i]);
        most[i] = fmax(most[i], value[i]);
      }
    }
  /* What is left of the time step goes to the permittivity; where permeabilities differ, half of it to them. Beside
   * poles, which need the rest themselves (tor_medium_check), they keep theirs. */
  const double left = fmin(1, job->courant * job->courant / (MARGIN * least[0] * least[1]));
  const int both = most[1] > least[1] && !poles;
  rule.least[0] = least[0] * (both ? sqrt(left) : left);
  rule.least[1] = least[1] * (both ? sqrt(left) : 1);
  return rule;
}

/* No mean of media from `low` on is below that. */
static double lowest_mean(double low, double least) { return fmin(fmax(least, LEAST * low), low); }

double tor_flat_part(double low, double high, double least) {
  const double most = (1 - LEAST) / (BELOW * (high / low - 1)); /* of the inverse, which is less than 1 / high */
  return fmax(0, fmin(fmin(1, most), (low - lowest_mean(low, least)) / (BELOW * (high - low))));
}

double tor_flat_courant(double low, double high) {
  return tor_flat_part(low, high, 0) < 1 ? 0 : sqrt(MARGIN * (low - BELOW * (high - low)));
}

double tor_flat_cells(const struct tor_job *job, const struct tor_grid *grid) {
  const struct tor_flat_rule rule = tor_flat_rule(job, grid);
  return rule.used ? rule.reach - 1e-3 : 0.499;
}

const char *tor_flat_phrase(enum tor_flat_phrase which, const struct tor_job *job, const struct tor_grid *grid) {
  static const char *const phrase[3][3] = {
      {"", " or within a cell of it (averaging \"tensor\")", " or within three cells of it (order 4)"},
      {"half a cell", "a cell (averaging \"tensor\")", "three cells (order 4)"},
      {"several media", "several media, or with averaging \"tensor\" is within a cell of another",
       "several media, or in order 4 is within three cells of another"}};
  return phrase[which][!tor_flat_rule(job, grid).used ? 0 : grid->order == 4 ? 2 : 1];
}

/* Whether E along walls of any shape has its own means (tor_flat_along). */
static int has_along(const struct tor_grid *g) { return g->order == 4 && g->plane == TOR_PLANE_TM; }

int tor_flat_around(const struct tor_job *job, const struct tor_grid *g, const double x[3]) {
  struct tor_faces faces = {.n = {0}};
  const int reach = tor_flat_rule(job, g).reach;
  double lo[3], hi[3], from[3], to[3];
  for (int a = 0; a < 3; a++) {
    lo[a] = x[a] - reach * g->d[a];
    hi[a] = x[a] + reach * g->d[a];
  }
  for (int i = job->nobjects - 1; i >= 0; i--) {
    const struct tor_object *o = &job->objects[i];
    int misses = 0;
    tor_object_bounds(o, from, to);
    for (int a = 0; a < 3; a++) misses |= to[a] <= lo[a] || from[a] >= hi[a];
    const int holds = misses ? -1 : tor_object_holds_box(o, lo, hi);
    if (holds < 0) continue;
    if (job->media[o->medium].npoles || job->media[o->medium].conducts) return 0;
    if (holds > 0) return 1;
    if (!tor_object_faces(o, lo, hi, &faces)) return has_along(g);
  }
  return 1;
}

/* --- The blocks around a place --- */

enum { CUTS_MOST = 24, BLOCKS_MOST = 2048 };

/* Along each axis intervals around a place: their ends from it [cells], and a point in each, taken into the domain. */
struct blocks {
  int n[3];
  double end[3][CUTS_MOST + 1], at[3][CUTS_MOST];
  int medium[BLOCKS_MOST];
};

/* Whether nothing varies along an axis: it has one cell, or none in 2-D. */
static int is_one(const struct tor_grid *g, int a) { return g->n[a] == 1 || (g->plane && a == TOR_X); }

/* Walls that are not periodic are mirrors: x, up to a domain's length beyond one, as seen in it. */
static double fold(const struct tor_grid *g, int a, double x) {
  const double lo = g->lo[a], hi = tor_grid_at(g, a, g->n[a]), length = hi - lo;
  if (tor_grid_periodic(g, a) || (x >= lo && x <= hi)) return x;
  const double y = fabs(fmod(x - lo, 2 * length));
  return lo + (y > length ? 2 * length - y : y);
}

/* The part of the domain that lies, or whose mirror image lies, within `reach` cells of x. */
static void domain_part(const struct tor_grid *g, const double x[3], double reach, double lo[3], double hi[3]) {
  for (int a = 0; a < 3; a++) {
    const double first = g->lo[a], last = tor_grid_at(g, a, g->n[a]), at = fold(g, a, x[a]);
    lo[a] = at - reach * g->d[a];
    hi[a] = at + reach * g->d[a];
    if (is_one(g, a) || !tor_grid_periodic(g, a)) {
      lo[a] = is_one(g, a) ? first : fmax(lo[a], first);
      hi[a] = is_one(g, a) ? last : fmin(hi[a], last);
    }
  }
}

int tor_flat_faces(const struct tor_columns *c, const struct tor_nearby *near, const double lo[3], const double hi[3],
                   struct tor_faces *faces) {
  const struct tor_object *objects = c->job->objects;
  int holds;
  memset(faces->n, 0, sizeof faces->n);
  if (lo[2] > near->hi_z || hi[2] < near->lo_z) return 1;
  for (int i = near->nseen; (i = tor_objects_top(objects, near->seen, i, lo, hi, &holds)) >= 0 && !holds;) {
    const double *from = c->objects.lo[near->seen[i]], *to = c->objects.hi[near->seen[i]];
    int misses = 0;
    for (int a = 0; a < 3; a++) misses |= to[a] <= lo[a] || from[a] >= hi[a];
    if (!misses && !tor_object_faces(&objects[near->seen[i]], lo, hi, faces)) return 0;
  }
  for (int a = 0; a < 3; a++)
    if (is_one(c->grid, a) && faces->n[a]) return 0;
  return 1;
}

/* Cuts the interval of `reach` cells around x along an axis at a face and at its mirror images. cut[*n] is in order.
 * Returns 0 where there are too many. */
static int add_cuts(const struct tor_grid *g, int a, double x, double reach, double face, double cut[CUTS_MOST + 1],
                    int *n) {
  static const double NONE = 1e-6; /* a part that rounding makes [cells] */
  const double lo = g->lo[a], length = tor_grid_length(g, a), most = reach - NONE;
  const int mirrors = !tor_grid_periodic(g, a), turns = mirrors ? 1 : 0;
  for (int turn = -turns; turn <= turns; turn++)
    for (int image = 0; image <= mirrors; image++) {
      const double at = ((image ? 2 * lo - face : face) + 2 * turn * length - x) / g->d[a];
      int i = *n, known = 0;
      if (!(at > -most && at < most)) continue;
      for (int k = 0; k < *n; k++) known |= fabs(cut[k] - at) < NONE;
      if (known) continue;
      if (*n == CUTS_MOST - 1) return 0;
      for (; i > 0 && cut[i - 1] > at; i--) cut[i] = cut[i - 1];
      cut[i] = at;
      ++*n;
    }
  return 1;
}

/* The blocks up to `reach` cells around x, without their media. Returns 0 where there are too many. */
static int make_blocks(const struct tor_grid *g, const double x[3], double reach, const struct tor_faces *faces,
                       struct blocks *b) {
  int all = 1;
  for (int a = 0; a < 3; a++) {
    double cut[CUTS_MOST + 1];
    int n = 0;
    for (int i = 0; i < faces->n[a]; i++)
      if (!add_cuts(g, a, x[a], reach, faces->at[a][i], cut, &n)) return 0;
    b->n[a] = n + 1;
    b->end[a][0] = -reach;
    memcpy(b->end[a] + 1, cut, (size_t)n * sizeof *cut);
    b->end[a][n + 1] = reach;
    for (int i = 0; i <= n; i++)
      b->at[a][i] = is_one(g, a) ? x[a] : fold(g, a, x[a] + 0.5 * (b->end[a][i] + b->end[a][i + 1]) * g->d[a]);
    all *= b->n[a];
  }
  return all <= BLOCKS_MOST;
}

/* Fills in the media. Returns whether the rule may have them. */
static int find_media(const struct tor_columns *c, const struct tor_nearby *near, struct blocks *b, int *one) {
  const struct tor_job *job = c->job;
  *one = 1;
  for (int i = 0; i < b->n[0] * b->n[1] * b->n[2]; i++) {
    const double x[3] = {b->at[0][i / b->n[2] / b->n[1]], b->at[1][i / b->n[2] % b->n[1]], b->at[2][i % b->n[2]]};
    const int top = tor_objects_at(job->objects, near->seen, near->nseen, x);
    const int medium = top < 0 ? -1 : job->objects[near->seen[top]].medium;
    const struct tor_medium *m = &job->media[medium < 0 ? job->background : medium];
    if (m->npoles || m->conducts) return 0;
    b->medium[i] = medium;
    *one &= medium == b->medium[0];
  }
  return 1;
}

/* --- Means --- */

/* A medium's permittivity or permeability along the component's axis. */
static double value_of(const struct tor_job *job, int comp, int medium) {
  const struct tor_medium *m = &job->media[medium < 0 ? job->background : medium];
  return (tor_comp_is_h(comp) ? m->mu : m->eps)[tor_comp_axis(comp)];
}

/* What one smallest and largest medium allow. */
struct bounds {
  double least, least_mean, least_inverse;
};

/* The harmonic mean along the component's axis of means across it, by weights of which the part `much` is that of the
 * order's kernel and the rest that of a cell. Returns 0 where a mean is out of bounds. */
static int mean_of(const struct tor_columns *c, const struct blocks *b, int comp, double much, const struct bounds *in,
                   double *value) {
  const int order = c->grid->order;
  double weight[3][CUTS_MOST], inverse = 0;
  const int i = tor_comp_axis(comp), j = (i + 1) % 3, k = (i + 2) % 3;
  for (int a = 0; a < 3; a++)
    for (int p = 0; p < b->n[a]; p++) {
      const double from = b->end[a][p], to = b->end[a][p + 1], cell = cell_step(to) - cell_step(from);
      weight[a][p] = cell + much * (tor_flat_step(order, to) - tor_flat_step(order, from) - cell);
    }
  for (int p = 0; p < b->n[i]; p++) {
    double mean = 0;
    for (int q = 0; q < b->n[j]; q++)
      for (int r = 0; r < b->n[k]; r++) {
        int at[3];
        at[i] = p;
        at[j] = q;
        at[k] = r;
        mean += weight[j][q] * weight[k][r] *
                value_of(c->job, comp, b->medium[(at[0] * b->n[1] + at[1]) * b->n[2] + at[2]]);
      }
    if (mean < in->least_mean) return 0;
    inverse += weight[i][p] / mean;
  }
  *value = 1 / inverse;
  return inverse >= in->least_inverse && *value >= in->least;
}

/* The mean with as much of the kernel as the media at the place allow: of B * B beside two walls or more at once less,
 * of a hat, whose means lie between the media's, all. */
static double mean_in_bounds(const struct tor_columns *c, const struct blocks *b, int comp) {
  enum { HALVINGS = 30 };
  const double least = c->flat.least[tor_comp_is_h(comp)];
  double low = INFINITY, high = 0, value;
  for (int i = 0; i < b->n[0] * b->n[1] * b->n[2]; i++) {
    const double here = value_of(c->job, comp, b->medium[i]);
    low = fmin(low, here);
    high = fmax(high, here);
  }
  if (low == high) return low;
  /* A margin for rounding: with `much` 0 all means are in bounds. */
  const struct bounds in = {lowest_mean(low, least) * (1 - 1e-12), LEAST * low, LEAST / high};
  const double much = c->grid->order == 4 ? tor_flat_part(low, high, in.least) : 1;
  double from = 0, to = much;
  if (mean_of(c, b, comp, much, &in, &value)) return value;
  for (int n = 0; n < HALVINGS; n++) {
    const double middle = 0.5 * (from + to);
    *(mean_of(c, b, comp, middle, &in, &value) ? &from : &to) = middle;
  }
  mean_of(c, b, comp, from, &in, &value);
  return value;
}

/* The cell's mean of conductivities [1/m], where a medium around the place has one. */
static double conductivity(const struct tor_columns *c, const struct tor_nearby *near, const struct blocks *b, int comp,
                           const int at[3]) {
  const int axis = tor_comp_axis(comp), h = tor_comp_is_h(comp);
  double x[3], lo[3], hi[3], sum = 0;
  int any = 0;
  for (int i = 0; i < b->n[0] * b->n[1] * b->n[2] && !any; i++) {
    const struct tor_medium *m = &c->job->media[b->medium[i] < 0 ? c->job->background : b->medium[i]];
    any = (h ? m->sigma_m : m->sigma)[axis] != 0;
  }
  if (!any) return 0;
  tor_cell_bounds(c, comp, at, x, lo, hi);
  const struct tor_mix mix = tor_cell_mix(c, near, x, lo, hi);
  for (int i = 0; i < mix.count; i++) {
    const struct tor_medium *m = tor_mix_medium(c->job, &mix, i);
    sum += mix.share[i] * (h ? m->sigma_m[axis] / TOR_ETA0 : m->sigma[axis] * TOR_ETA0);
  }
  return sum;
}

/* The blocks around x, with media of which the rule is. */
static int find_blocks(const struct tor_columns *c, const struct tor_nearby *near, const double x[3], double reach,
                       struct blocks *b, int *one) {
  struct tor_faces faces;
  double lo[3], hi[3];
  domain_part(c->grid, x, reach, lo, hi);
  return tor_flat_faces(c, near, lo, hi, &faces) && make_blocks(c->grid, x, reach, &faces, b) &&
         find_media(c, near, b, one);
}

enum tor_flat_place tor_flat_place(const struct tor_columns *c, const struct tor_nearby *near, int comp,
                                   const int at[3], int *medium, struct tor_edge_half *value) {
  struct blocks b;
  double x[3];
  int one;
  if (!c->flat.used) return TOR_FLAT_NONE;
  for (int a = 0; a < 3; a++) x[a] = tor_grid_place(c->grid, comp, a, at[a]);
  if (!find_blocks(c, near, x, c->flat.reach, &b, &one)) return TOR_FLAT_NONE;
  *medium = b.medium[0];
  if (one) return TOR_FLAT_PURE;
  *value =
      (struct tor_edge_half){.eps = mean_in_bounds(c, &b, comp), .conductivity = conductivity(c, near, &b, comp, at)};
  return TOR_FLAT_MIXED;
}

int tor_flat_node(const struct tor_columns *c, const struct tor_nearby *near, const int at[3]) {
  struct blocks b;
  double x[3];
  int one;
  if (!c->flat.used) return 0;
  for (int a = 0; a < 3; a++) x[a] = tor_grid_at(c->grid, a, at[a]);
  return find_blocks(c, near, x, c->flat.reach + 0.5, &b, &one);
}

/* --- E along all walls --- */

/* The mean permittivity of the cell of E at node iy, iz of a 2-D job, 0 where a medium has poles or is a conductor;
 * *loss: that of conductivities [1/m]. Widens low ... high to the media of the cell. */
static double cell_mean(const struct tor_columns *c, const struct tor_nearby *near, int iy, int iz, double *low,
                        double *high, double *loss) {
  const int at[3] = {0, tor_grid_image(c->grid, TOR_Y, iy), tor_grid_image(c->grid, TOR_Z, iz)};
  double x[3], lo[3], hi[3], mean = 0;
  tor_cell_bounds(c, TOR_EX, at, x, lo, hi);
  const struct tor_mix mix = tor_cell_mix(c, near, x, lo, hi);
  *loss = 0;
  for (int i = 0; i < mix.count; i++) {
    const struct tor_medium *m = tor_mix_medium(c->job, &mix, i);
    if (m->npoles || m->conducts) return 0;
    mean += mix.share[i] * m->eps[TOR_X];
    *loss += mix.share[i] * m->sigma[TOR_X] * TOR_ETA0;
    *low = fmin(*low, m->eps[TOR_X]);
    *high = fmax(*high, m->eps[TOR_X]);
  }
  return mean;
}

int tor_flat_along(const struct tor_columns *c, const struct tor_nearby *near, int comp, const int at[3],
                   struct tor_edge_half *value) {
  static const int beside[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  double low = INFINITY, high = 0, bends = 0, loss, other;
  if (!c->flat.used || !has_along(c->grid) || comp != TOR_EX) return 0;
  const double mean = cell_mean(c, near, at[TOR_Y], at[TOR_Z], &low, &high, &loss);
  for (int i = 0; i < 4; i++) {
    const double there = cell_mean(c, near, at[TOR_Y] + beside[i][0], at[TOR_Z] + beside[i][1], &low, &high, &other);
    if (mean == 0 || there == 0) return 0;
    bends += there - mean;
  }
  if (low == high) return 0;
  const double least = c->flat.least[0], part = tor_flat_part(low, high, least);
  *value = (struct tor_edge_half){.eps = fmax(mean - part * bends / 24, lowest_mean(low, least)), .conductivity = loss};
  return 1;
}
