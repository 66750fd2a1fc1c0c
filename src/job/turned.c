/* Turned objects: see turned.h. */
#include "src/job/turned.h"

#include <math.h>
#include <string.h>

#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/outline.h"
#include "src/job/solid.h"

static const int next_of[5] = {0, 1, 2, 0, 1};

void tor_turn_matrix(const double angle[3], double matrix[3][3]) {
  double m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int w = 0; w < 3; w++) {
    static const double right_cos[4] = {1, 0, -1, 0}, right_sin[4] = {0, 1, 0, -1};
    const double turns = angle[w] / 90, whole = floor(turns + 0.5);
    const int exact = turns == whole, quarter = (int)fmod(fmod(whole, 4) + 4, 4);
    const double c = exact ? right_cos[quarter] : cos(angle[w] * TOR_PI / 180);
    const double s = exact ? right_sin[quarter] : sin(angle[w] * TOR_PI / 180);
    const int u = next_of[w + 1], v = next_of[w + 2];
    for (int k = 0; k < 3; k++) {
      const double a = m[u][k], b = m[v][k];
      m[u][k] = c * a - s * b;
      m[v][k] = s * a + c * b;
    }
  }
  memcpy(matrix, m, sizeof m);
}

void tor_pose_own(const struct tor_pose *pose, const double x[3], double own[3]) {
  for (int i = 0; i < 3; i++) {
    own[i] = pose->own[i];
    for (int a = 0; a < 3; a++) own[i] += pose->matrix[a][i] * (x[a] - pose->at[a]);
  }
}

void tor_pose_own_box(const struct tor_pose *pose, const double lo[3], const double hi[3], double own_lo[3],
                      double own_hi[3]) {
  double middle[3], own[3];
  for (int a = 0; a < 3; a++) middle[a] = 0.5 * (lo[a] + hi[a]);
  tor_pose_own(pose, middle, own);
  for (int i = 0; i < 3; i++) {
    double half = 0;
    for (int a = 0; a < 3; a++) half += 0.5 * fabs(pose->matrix[a][i]) * (hi[a] - lo[a]);
    half *= 1 + 1e-9; /* for rounding errors of points in the box */
    own_lo[i] = own[i] - half;
    own_hi[i] = own[i] + half;
  }
}

/* --- Bounds --- */

static double outline_support(const struct tor_object *o, const double d[3]) {
  const int w = o->axis, u = next_of[w + 1], v = next_of[w + 2];
  double most = -INFINITY;
  for (int end = 0; end < 2; end++) {
    const double at = end ? o->hi : o->lo;
    most = fmax(most, d[w] * at + tor_outline_support(o, d[u], d[v], o->slope * (at - o->level)));
  }
  return most;
}

static double layer_support(const struct tor_object *o, const double d[3]) {
  const int w = o->axis;
  if (d[next_of[w + 1]] != 0 || d[next_of[w + 2]] != 0) return INFINITY;
  return d[w] > 0 ? d[w] * o->hi : d[w] < 0 ? d[w] * o->lo : 0;
}

/* The largest d . (p - centre) of an object that has a centre. */
static double centred_support(const struct tor_object *o, const double d[3]) {
  const int w = o->axis;
  const double across = hypot(d[next_of[w + 1]], d[next_of[w + 2]]), along = fabs(d[w]);
  double sum = 0;
  switch (o->shape) {
  case TOR_BOX:
    for (int i = 0; i < 3; i++) sum += 0.5 * fabs(d[i]) * o->size[i];
    return sum;
  case TOR_ELLIPSOID:
    for (int i = 0; i < 3; i++) sum = hypot(sum, d[i] * o->size[i]);
    return sum;
  case TOR_CYLINDER: return 0.5 * along * o->height + across * o->radius[0];
  case TOR_CONE:
    return fmax(-0.5 * d[w] * o->height + across * o->radius[0], 0.5 * d[w] * o->height + across * o->radius[1]);
  case TOR_CAPSULE: return along * (0.5 * o->height - o->radius[0]) + hypot(along, across) * o->radius[0];
  case TOR_TORUS: return across * o->radius[0] + hypot(along, across) * o->radius[1];
  default: return hypot(along, across) * o->radius[0];
  }
}

static double support(const struct tor_object *o, const double d[3]) {
  if (o->shape == TOR_LAYER) return layer_support(o, d);
  if (tor_object_has_outline(o)) return outline_support(o, d);
  return d[0] * o->center[0] + d[1] * o->center[1] + d[2] * o->center[2] + centred_support(o, d);
}

void tor_turned_bounds(const struct tor_object *o, double lo[3], double hi[3]) {
  const struct tor_pose *p = &o->pose;
  for (int a = 0; a < 3; a++) {
    double origin = p->at[a];
    for (int i = 0; i < 3; i++) origin -= p->matrix[a][i] * p->own[i];
    const double up[3] = {p->matrix[a][0], p->matrix[a][1], p->matrix[a][2]}, down[3] = {-up[0], -up[1], -up[2]};
    hi[a] = origin + support(o, up);
    lo[a] = origin - support(o, down);
  }
}

void tor_object_middle(const struct tor_object *o, double middle[3]) {
  double lo[3], hi[3];
  const int has_centre = !o->nparts && o->shape != TOR_LAYER && o->shape != TOR_PRISM && o->shape != TOR_PATH;
  tor_object_bounds(o, lo, hi);
  for (int a = 0; a < 3; a++) {
    middle[a] = isfinite(lo[a]) && isfinite(hi[a]) ? 0.5 * (lo[a] + hi[a])
                : isfinite(lo[a])                  ? lo[a]
                : isfinite(hi[a])                  ? hi[a]
                                                   : 0;
    if (has_centre && !(o->shape == TOR_ARC && a == o->axis))
      middle[a] = o->pose.is_turned ? o->pose.at[a] : o->center[a];
  }
}

/* --- Turning --- */

/* Whether each axis becomes an axis: axis i becomes axis to[i], in the direction sign[i]. */
static int is_right_angled(const double m[3][3], int to[3], int sign[3]) {
  for (int i = 0; i < 3; i++) {
    to[i] = -1;
    for (int a = 0; a < 3; a++)
      if (fabs(m[a][i]) == 1) {
        to[i] = a;
        sign[i] = m[a][i] > 0 ? 1 : -1;
      } else if (m[a][i] != 0)
        return 0;
    if (to[i] < 0) return 0;
  }
  return 1;
}

static int has_ends(const struct tor_object *o) { return tor_object_has_outline(o) || o->shape == TOR_LAYER; }

/* The ends along the axis, of which `own` becomes `at`. Nothing is rounded where the two are the same. */
static void turn_ends(struct tor_object *o, double own, double at, int sign) {
  const double lo = o->lo, hi = o->hi, shift = at - sign * own;
  o->lo = sign * (sign > 0 ? lo : hi) + shift;
  o->hi = sign * (sign > 0 ? hi : lo) + shift;
  if (o->slope == 0) return;
  o->level = sign * o->level + shift;
  o->slope *= sign;
}

static void swap_ends(struct tor_object *cone) {
  const double lo = cone->radius[0];
  cone->radius[0] = cone->radius[1];
  cone->radius[1] = lo;
}

/* Vertices, which are in the plane across the old axis `from`. */
static void turn_vertices(struct tor_object *o, int from, const int to[3], const int sign[3]) {
  for (int k = 0; k < o->nvertex; k++) {
    double made[3] = {0};
    for (int c = 0; c < 2; c++) {
      const int i = next_of[from + 1 + c], a = to[i];
      made[a] = sign[i] * o->vertex[k][c] + (o->pose.at[a] - sign[i] * o->pose.own[i]);
    }
    for (int c = 0; c < 2; c++) o->vertex[k][c] = made[next_of[o->axis + 1 + c]];
  }
}

/* The ends of an arc whose axis was `from`. */
static void turn_arc(struct tor_object *o, int from, const double m[3][3]) {
  const int w = o->axis, u = next_of[w + 1], v = next_of[w + 2];
  const double sweep = o->angle[1] - o->angle[0];
  const int end = m[w][from] < 0; /* of the end that comes first */
  double e[3] = {0};
  e[next_of[from + 1]] = cos(o->angle[end]);
  e[next_of[from + 2]] = sin(o->angle[end]);
  o->angle[0] =
      atan2(m[v][0] * e[0] + m[v][1] * e[1] + m[v][2] * e[2], m[u][0] * e[0] + m[u][1] * e[1] + m[u][2] * e[2]);
  o->angle[1] = o->angle[0] + sweep;
}

/* Without a pose, of a turn by right angles. */
static void settle_right_angled(struct tor_object *o, const int to[3], const int sign[3]) {
  const int from = o->axis;
  const double size[3] = {o->size[0], o->size[1], o->size[2]};
  if (o->shape > TOR_BOX) o->axis = to[from];
  for (int i = 0; i < 3; i++) o->size[to[i]] = size[i];
  for (int a = 0; a < 3; a++) o->center[a] = o->pose.at[a];
  if (o->shape == TOR_CONE && sign[from] < 0) swap_ends(o);
  if (o->shape == TOR_ARC) turn_arc(o, from, o->pose.matrix);
  if (has_ends(o)) {
    turn_ends(o, o->pose.own[from], o->pose.at[o->axis], sign[from]);
    turn_vertices(o, from, to, sign);
    tor_outline_index_make(o);
  }
  o->pose = (struct tor_pose){0};
}

/* The same where the object looks alike from all sides about its axis, or is an arc. */
static void settle_about_axis(struct tor_object *o) {
  const int sign = o->pose.matrix[o->axis][o->axis] > 0 ? 1 : -1;
  for (int a = 0; a < 3; a++) o->center[a] = o->pose.at[a];
  if (o->shape == TOR_CONE && sign < 0) swap_ends(o);
  if (o->shape == TOR_ARC) turn_arc(o, o->axis, o->pose.matrix);
  if (has_ends(o)) turn_ends(o, o->pose.own[o->axis], o->pose.at[o->axis], sign);
  o->pose = (struct tor_pose){0};
}

static void settle(struct tor_object *o) {
  int to[3], sign[3];
  const int round = o->shape == TOR_CYLINDER || o->shape == TOR_CONE || o->shape == TOR_CAPSULE ||
                    o->shape == TOR_TORUS || o->shape == TOR_ARC || o->shape == TOR_LAYER;
  if (o->shape == TOR_SOLID)
    tor_solid_place(o);
  else if (is_right_angled(o->pose.matrix, to, sign))
    settle_right_angled(o, to, sign);
  else if (o->shape == TOR_SPHERE || (round && fabs(o->pose.matrix[o->axis][o->axis]) == 1))
    settle_about_axis(o);
}

static void apply(const double m[3][3], const double about[3], const double x[3], double made[3]) {
  for (int a = 0; a < 3; a++) {
    made[a] = about[a];
    for (int i = 0; i < 3; i++) made[a] += m[a][i] * (x[i] - about[i]);
  }
}

void tor_object_turn(struct tor_object *o, const double matrix[3][3], const double about[3]) {
  struct tor_pose *p = &o->pose, old = *p;
  for (int i = 0; i < o->nparts; i++) tor_object_turn(&o->part[i], matrix, about);
  if (o->nparts) return;
  if (!old.is_turned) {
    const int has_centre = o->shape != TOR_LAYER && o->shape != TOR_PRISM && o->shape != TOR_PATH;
    old = (struct tor_pose){.matrix = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int a = 0; a < 3; a++) old.own[a] = old.at[a] = has_centre ? o->center[a] : about[a];
  }
  p->is_turned = 1;
  memcpy(p->own, old.own, sizeof p->own);
  apply(matrix, about, old.at, p->at);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) {
      p->matrix[a][i] = 0;
      for (int k = 0; k < 3; k++) p->matrix[a][i] += matrix[a][k] * old.matrix[k][i];
    }
  settle(o);
}
