/* Turned objects, capsules, tori, arcs, paths, leaning sides, combinations: volumes and shares against exact values,
 * bounds, boxes decided at once, right angles to the bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/outline.h"
#include "src/job/solid.h"
#include "src/job/turned.h"
#include "src/model/cell.h"
#include "src/model/column_media.h"
#include "tests/support/plain_job.h"
#include "tests/support/surface.h"

static void near(double got, double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance)) fail_msg("got %.9g, want %.9g within %g", got, want, tolerance);
}

static double chance(void) { return rand() / (RAND_MAX + 1.0); }

static void turn(struct tor_object *o, double x, double y, double z) {
  double matrix[3][3], about[3];
  tor_turn_matrix((const double[]){x, y, z}, matrix);
  tor_object_middle(o, about);
  tor_object_turn(o, (const double(*)[3])matrix, about);
}

/* --- Volumes: halved boxes, of which those that are decided count whole, and the smallest by points --- */

static double volume_in(const struct tor_object *o, const double lo[3], const double hi[3], int depth) {
  enum { EDGE = 4, POINTS = EDGE * EDGE * EDGE };
  const int holds = tor_object_holds_box(o, lo, hi);
  const double edge[3] = {hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]};
  double sum = 0;
  if (holds) return holds > 0 ? edge[0] * edge[1] * edge[2] : 0;
  for (int p = 0; p < POINTS && depth == 0; p++) { /* one anywhere in each of its parts */
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = lo[a] + edge[a] * ((p >> 2 * a) % EDGE + chance()) / EDGE;
    sum += tor_object_contains(o, x) ? edge[0] * edge[1] * edge[2] / POINTS : 0;
  }
  for (int part = 0; part < 8 && depth > 0; part++) {
    double from[3], to[3];
    for (int a = 0; a < 3; a++) {
      from[a] = part >> a & 1 ? lo[a] + 0.5 * edge[a] : lo[a];
      to[a] = part >> a & 1 ? hi[a] : lo[a] + 0.5 * edge[a];
    }
    sum += volume_in(o, from, to, depth - 1);
  }
  return sum;
}

static double volume_of(const struct tor_object *o) {
  double lo[3], hi[3];
  tor_object_bounds(o, lo, hi);
  for (int a = 0; a < 3; a++) { /* no plane of the shape between boxes */
    const double edge = hi[a] - lo[a];
    lo[a] -= 0.0137 * edge;
    hi[a] += 0.0211 * edge;
  }
  return volume_in(o, lo, hi, 6);
}

/* To 3e-5 of the volume of the bounds, the spread of the points. */
static void expect_volume(const struct tor_object *o, double want) {
  double lo[3], hi[3];
  tor_object_bounds(o, lo, hi);
  near(volume_of(o), want, 3e-5 * (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]));
}

static double area_in(const struct tor_object *o, const double lo[2], const double hi[2], int depth) {
  const double edge[2] = {hi[0] - lo[0], hi[1] - lo[1]}, inset[2] = {0, 0};
  const int holds = tor_outline_holds(o, lo, hi, inset);
  double sum = 0;
  if (holds) return holds > 0 ? edge[0] * edge[1] : 0;
  for (int part = 0; part < 4; part++) {
    const double from[2] = {lo[0] + 0.5 * (part & 1) * edge[0], lo[1] + 0.5 * (part >> 1) * edge[1]};
    const double to[2] = {from[0] + 0.5 * edge[0], from[1] + 0.5 * edge[1]};
    if (depth)
      sum += area_in(o, from, to, depth - 1);
    else
      sum += 0.25 * edge[0] * edge[1] *
             tor_outline_contains(o, from[0] + chance() * (to[0] - from[0]), from[1] + chance() * (to[1] - from[1]), 0);
  }
  return sum;
}

/* The same of an outline across z. */
static void expect_area(const struct tor_object *o, double want) {
  double lo[3], hi[3];
  tor_object_bounds(o, lo, hi);
  near(area_in(o, lo, hi, 10), want, 2e-5 * (hi[0] - lo[0]) * (hi[1] - lo[1]));
}

static void solids_have_their_volume_however_they_are_turned(void **state) {
  (void)state;
  const double r = 2, h = 7, tube = 0.6, c[3] = {1, -2, 3};
  const struct {
    struct tor_object o;
    double volume;
  } solids[] = {
      {{.shape = TOR_BOX, .size = {1, 2, 5}}, 10},
      {{.shape = TOR_ELLIPSOID, .size = {1, 2, 5}}, 4 * TOR_PI / 3 * 10},
      {{.shape = TOR_CYLINDER, .radius = {r}, .height = h, .axis = 1}, TOR_PI * r * r * h},
      {{.shape = TOR_CONE, .radius = {r, 0.5}, .height = h, .axis = 0}, TOR_PI * h / 3 * (r * r + 0.5 * r + 0.25)},
      {{.shape = TOR_CAPSULE, .radius = {r}, .height = h, .axis = 2}, TOR_PI * r * r * (h - 2 * r + 4 * r / 3)},
      {{.shape = TOR_TORUS, .radius = {r, tube}, .axis = 1}, 2 * TOR_PI * TOR_PI * r * tube * tube},
  };
  for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
    struct tor_object o = solids[i].o;
    memcpy(o.center, c, sizeof c);
    turn(&o, 20, -35, 50);
    assert_true(o.pose.is_turned);
    expect_volume(&o, solids[i].volume);
  }
}

static void outlines_have_their_volume(void **state) {
  (void)state;
  double square[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, corner[3][2] = {{0, 0}, {4, 0}, {4, 3}};
  double cross[5][2] = {{-3, 0}, {3, 0}, {3, 3}, {0, 3}, {0, -3}};
  struct tor_object o = {.shape = TOR_ARC, .axis = 2, .radius = {3}, .width = 1, .lo = -1, .hi = 2};
  o.angle[0] = -0.4;
  o.angle[1] = 1.1;
  expect_area(&o, 3 * 1 * 1.5); /* radius, width, sweep */
  o.angle[1] = 4.6;
  expect_area(&o, 3 * 1 * 5);
  turn(&o, 40, 0, 15);
  expect_volume(&o, 3 * 1 * 5 * 3);
  o = (struct tor_object){.shape = TOR_PATH, .axis = 2, .width = 0.5, .lo = 0, .hi = 1, .nvertex = 3, .vertex = corner};
  expect_area(&o, 7 * 0.5); /* a mitred corner adds outside what it takes inside */
  o.nvertex = 5;
  o.vertex = cross;
  expect_area(&o, (6 + 3 + 3 + 6) * 0.5 - 0.25); /* it crosses itself once */
  o = (struct tor_object){.shape = TOR_PRISM, .axis = 2, .lo = -1, .hi = 2, .nvertex = 4, .vertex = square};
  o.slope = 0.2;
  o.level = -1;
  expect_volume(&o, 4 + 0.8 * 0.8 + 2 * 0.8); /* a frustum of height 3: edges of 2 and 0.8 */
  turn(&o, 0, 90, 0);                         /* narrower towards +x */
  assert_true(o.axis == 0 && o.slope == 0.2 && !o.pose.is_turned);
  expect_volume(&o, 4 + 0.64 + 1.6);
  turn(&o, 10, 20, 30);
  expect_volume(&o, 4 + 0.64 + 1.6);
}

/* --- Bends --- */

static void bends_have_their_radius_and_meet_the_straight_parts(void **state) {
  (void)state;
  const double corner[4][2] = {{0, 0}, {10, 0}, {10, 10}, {0, 20}};
  for (double euler = 0; euler <= 1; euler += 0.5) {
    const struct tor_bends made = tor_outline_bends(corner, 4, 2, euler);
    double length = 0, least = INFINITY, tangent = 0;
    assert_non_null(made.point);
    for (int i = 1; i < made.count; i++) {
      const double *a = made.point[i - 1], *b = made.point[i];
      length += hypot(b[0] - a[0], b[1] - a[1]);
      if (i + 1 == made.count) continue;
      const double *c = made.point[i + 1];
      const double u = hypot(b[0] - a[0], b[1] - a[1]), v = hypot(c[0] - b[0], c[1] - b[1]);
      const double cross = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
      if (u < 0.1 && v < 0.1) least = fmin(least, 0.5 * (u + v) / asin(cross / (u * v)));
      if (!(tangent > 0) && v < 0.1) tangent = 10 - b[0];
    }
    near(least, 2, 1e-2);
    if (euler == 0) near(tangent, 2, 1e-6); /* an arc of 90 degrees */
    /* Of 90 and 45 degrees: each as long as an arc and a part of one. */
    const double bends = 2 * (1 + euler) * 0.75 * TOR_PI, straights = 10 + 10 + hypot(10, 10);
    struct tor_object o = {
        .shape = TOR_PATH, .axis = 2, .width = 0.5, .lo = 0, .hi = 1, .nvertex = made.count, .vertex = made.point};
    if (euler == 0) near(length, straights - 2 * (2 + 2 * tan(TOR_PI / 8)) + bends, 1e-3);
    tor_outline_index_make(&o);
    assert_non_null(o.index);
    expect_area(&o, 0.5 * length);
    tor_outline_index_free(&o);
    free(made.point);
  }
  const struct tor_bends none = tor_outline_bends(corner, 4, 9, 0);
  assert_null(none.point);
  assert_int_equal(none.corner, 2); /* 9 of the first bend and 3.7 of the second do not fit into 10 */
  near(none.needed, 9 * tan(TOR_PI / 8), 1e-6);
}

/* --- Turning --- */

static void random_solid(int shape, struct tor_object *o) {
  *o = (struct tor_object){.shape = (enum tor_shape)shape, .axis = rand() % 3, .height = 2.5, .width = 0.4};
  for (int a = 0; a < 3; a++) {
    o->center[a] = chance() - 0.5;
    o->size[a] = 0.5 + chance();
  }
  o->radius[0] = 0.6 + 0.4 * chance();
  o->radius[1] = 0.3;
  o->lo = -0.7;
  o->hi = 0.9;
  o->slope = shape == TOR_PRISM || shape == TOR_PATH || shape == TOR_ARC ? 0.1 * (rand() % 3 - 1) : 0;
  o->angle[0] = 6 * chance();
  o->angle[1] = o->angle[0] + 1 + 5 * chance();
  static double vertex[40][2];
  for (int i = 0; i < 40; i++) {
    const double t = 2 * TOR_PI * i / 40 * (shape == TOR_PATH ? 0.7 : 1), r = 0.8 + 0.3 * cos(3 * t);
    vertex[i][0] = r * cos(t);
    vertex[i][1] = r * sin(t);
  }
  o->zoom = 1.2;
  o->solid = shape == TOR_SOLID ? surface_octahedron() : NULL;
  if (o->solid) tor_solid_place(o);
  o->nvertex = shape == TOR_PRISM || shape == TOR_PATH ? 40 : 0;
  o->vertex = o->nvertex ? vertex : NULL;
}

/* The farthest point of an object along an axis that small steps from one in it find. */
static double farthest(const struct tor_object *o, const double from[3], int axis, int sign) {
  double x[3] = {from[0], from[1], from[2]}, step = 0.3;
  for (int i = 0; i < 6000; i++, step *= 0.999) {
    double y[3];
    for (int a = 0; a < 3; a++) y[a] = x[a] + step * (2 * chance() - 1);
    if (sign * (y[axis] - x[axis]) > 0 && tor_object_contains(o, y)) memcpy(x, y, sizeof x);
  }
  return x[axis];
}

/* Every shape, turned: points turned with it are in it or not as they were; all lie in its bounds, which they reach. */
static void points_turn_with_their_object(void **state) {
  (void)state;
  enum { POINTS = 20000 };
  srand(5);
  for (int shape = TOR_SPHERE; shape < TOR_UNION; shape++) {
    struct tor_object before, o;
    double matrix[3][3], lo[3], hi[3], inside[3] = {0}, reach[2][3];
    const double about[3] = {0.3, -0.2, 0.5};
    if (shape == TOR_LAYER) continue;
    random_solid(shape, &before);
    o = before;
    tor_turn_matrix((const double[]){25, -40, 70}, matrix);
    tor_object_turn(&o, (const double(*)[3])matrix, about);
    tor_object_bounds(&o, lo, hi);
    for (int a = 0; a < 3; a++) reach[0][a] = 9, reach[1][a] = -9;
    for (int i = 0; i < POINTS; i++) {
      double x[3], y[3];
      for (int a = 0; a < 3; a++) x[a] = 5 * chance() - 2.5;
      for (int a = 0; a < 3; a++) {
        y[a] = about[a];
        for (int k = 0; k < 3; k++) y[a] += matrix[a][k] * (x[k] - about[k]);
      }
      const int in = tor_object_contains(&before, x);
      assert_int_equal(tor_object_contains(&o, y), in);
      if (!in) continue;
      memcpy(inside, y, sizeof y);
      for (int a = 0; a < 3; a++) assert_true(y[a] >= lo[a] && y[a] <= hi[a]);
      for (int a = 0; a < 6; a++) {
        const double far = farthest(&o, inside, a % 3, a < 3 ? -1 : 1);
        reach[a / 3][a % 3] = a < 3 ? fmin(reach[0][a], far) : fmax(reach[1][a % 3], far);
      }
      if (i > 400) i += POINTS / 8; /* a few climbs */
    }
    /* A path's bounds allow for mitres; of a prism with three lobes the farthest is not always climbed. */
    const double within = shape == TOR_PATH ? 0.35 : shape == TOR_PRISM ? 0.12 : 0.03;
    for (int a = 0; a < 3; a++) {
      near(reach[0][a], lo[a], within);
      near(reach[1][a], hi[a], within);
    }
  }
}

/* Boxes in and around turned and combined shapes: what is said of the whole holds for each point. */
static void boxes_are_decided_rightly(void **state) {
  (void)state;
  srand(11);
  int found[TOR_INTERSECTION + 1][3] = {{0}};
  for (int trial = 0; trial < 60; trial++) {
    struct tor_object o, part[2];
    const int shape = trial % (TOR_INTERSECTION + 1);
    if (shape == TOR_LAYER) continue;
    random_solid(shape < TOR_UNION ? shape : TOR_BOX, &o);
    if (shape >= TOR_UNION) {
      random_solid(TOR_TORUS, &part[1]);
      part[0] = o;
      o = (struct tor_object){.shape = (enum tor_shape)shape, .nparts = 2, .part = part};
    }
    if (trial % 2) turn(&o, 90 * chance(), 90 * chance(), 360 * chance());
    tor_outline_index_make(&o);
    for (int i = 0; i < 1500; i++) {
      double lo[3], hi[3];
      const double edge = 0.02 + 0.2 * chance() * chance();
      for (int a = 0; a < 3; a++) {
        lo[a] = 3 * chance() - 1.5;
        hi[a] = lo[a] + edge;
      }
      const int is = tor_object_holds_box(&o, lo, hi);
      found[shape][is + 1]++;
      for (int p = 0; p < 64 && is; p++) {
        const double f[4] = {1e-6, 0.33, 0.7, 1 - 1e-6};
        const double x[3] = {lo[0] + f[p % 4] * edge, lo[1] + f[p / 4 % 4] * edge, lo[2] + f[p / 16] * edge};
        assert_int_equal(tor_object_contains(&o, x), is > 0);
      }
    }
    tor_outline_index_free(&o);
  }
  for (int shape = 0; shape <= TOR_INTERSECTION; shape++)
    if (shape != TOR_LAYER && (found[shape][0] < 1000 || found[shape][2] < 3))
      fail_msg("shape %d: %d out, %d in", shape, found[shape][0], found[shape][2]);
}

/* Paths of many corners, sharp, soft and closed ones: an index finds the points that all segments together have. */
static void an_index_of_a_path_changes_nothing(void **state) {
  (void)state;
  enum { POINTS = 30 };
  srand(12);
  int inside = 0;
  for (int trial = 0; trial < 40; trial++) {
    double point[POINTS][2] = {{0}}, heading = 0;
    const double sharp = (double[]){0.02, 0.5, 2, 3.1}[trial % 4];
    for (int i = 1; i < POINTS; i++) {
      heading += sharp * (2 * chance() - 1);
      point[i][0] = point[i - 1][0] + 0.1 * cos(heading);
      point[i][1] = point[i - 1][1] + 0.1 * sin(heading);
    }
    if (trial % 3 == 0) memcpy(point[POINTS - 1], point[0], sizeof point[0]);
    struct tor_object all = {.shape = TOR_PATH, .axis = 2, .width = 0.25, .lo = 0, .hi = 1}, indexed;
    all.nvertex = POINTS;
    all.vertex = point;
    indexed = all;
    tor_outline_index_make(&indexed);
    for (int i = 0; i < 4000; i++) {
      const double *near = point[rand() % POINTS], inset = 0.1 * chance() - 0.05;
      const double u = near[0] + 0.8 * chance() - 0.4, v = near[1] + 0.8 * chance() - 0.4;
      const int is = tor_outline_contains(&all, u, v, inset);
      inside += is;
      assert_int_equal(tor_outline_contains(&indexed, u, v, inset), is);
    }
    tor_outline_index_free(&indexed);
  }
  assert_in_range(inside, 20000, 140000);
}

/* Turned by right angles an object is, to the bit, the one that is written so; about its own axis it stays as it is. */
static void right_angles_leave_no_trace(void **state) {
  (void)state;
  struct tor_object box = {.shape = TOR_BOX, .center = {0.1, 0.2, 0.7}, .size = {1, 2, 5}}, written = box;
  written.size[0] = 2, written.size[1] = 1;
  turn(&box, 0, 0, 90);
  assert_memory_equal(&box, &written, sizeof box);
  turn(&box, 0, 0, -270);
  written.size[0] = 1, written.size[1] = 2;
  assert_memory_equal(&box, &written, sizeof box);
  struct tor_object cone = {.shape = TOR_CONE, .center = {0.1, 0.2, 0.7}, .radius = {1, 2}, .height = 3, .axis = 2};
  struct tor_object turned = cone;
  turn(&turned, 180, 0, 0);
  cone.radius[0] = 2, cone.radius[1] = 1;
  assert_memory_equal(&turned, &cone, sizeof cone);
  turn(&turned, 0, 0, 30);
  assert_memory_equal(&turned, &cone, sizeof cone);
  turn(&turned, 0, 90, 0);
  cone.axis = 0;
  assert_memory_equal(&turned, &cone, sizeof cone);
  double l_shape[2][6][2] = {{{-0.8, -0.8}, {0.8, -0.8}, {0.8, 0}, {0, 0}, {0, 0.8}, {-0.8, 0.8}},
                             {{0.8, -0.8}, {0.8, 0.8}, {0, 0.8}, {0, 0}, {-0.8, 0}, {-0.8, -0.8}}};
  struct tor_object prism = {.shape = TOR_PRISM, .axis = 1, .lo = 0.1, .hi = 0.7, .nvertex = 6, .vertex = l_shape[0]};
  turn(&prism, 0, 90, 0);
  assert_true(!prism.pose.is_turned && prism.lo == 0.1 && prism.hi == 0.7);
  assert_memory_equal(l_shape[0], l_shape[1], sizeof l_shape[0]);
  struct tor_object layer = {.shape = TOR_LAYER, .axis = 2, .lo = -INFINITY, .hi = 0.3};
  turn(&layer, 0, 0, 77);
  assert_true(tor_object_is_layer(&layer, 2) && layer.hi == 0.3);
  turn(&layer, 180, 0, 0); /* about its only end */
  assert_true(tor_object_is_layer(&layer, 2) && layer.lo == 0.3 && isinf(layer.hi));
}

/* A half-space at 45 degrees through a cube: the share is that of a triangle, the normal lies across. */
static void a_slanting_layer_has_its_share_and_normal(void **state) {
  (void)state;
  struct tor_object o = {.shape = TOR_LAYER, .medium = 1, .axis = 0, .lo = -INFINITY, .hi = 0.4};
  const double lo[3] = {0}, hi[3] = {1, 1, 1}, about[3] = {0.4, 0, 0};
  double matrix[3][3];
  const int list = 0;
  struct tor_mix mix;
  tor_turn_matrix((const double[]){0, 0, 45}, matrix);
  tor_object_turn(&o, (const double(*)[3])matrix, about);
  tor_geometry_mix_lines(&o, &list, 1, lo, hi, 100, &mix); /* x + y below 0.4 */
  for (int m = 0; m < 2; m++) near(mix.share[m], mix.medium[m] == 1 ? 0.08 : 0.92, 1e-4);
  near(fabs(mix.normal[0]), sqrt(0.5), 2e-2);
  near(mix.normal[0], mix.normal[1], 1e-3);
  near(mix.normal[2], 0, 1e-9);
}

/* A plate a twentieth of a cell thick, turned, between the points at which cells are looked at. */
static void thin_slanting_plates_are_not_lost(void **state) {
  (void)state;
  const int n[3] = {10, 10, 10};
  const double edge[3] = {1e-8, 1e-8, 1e-8}, x[3] = {0};
  struct tor_object plate = {.shape = TOR_BOX, .size = {8e-8, 5e-10, 8e-8}, .center = {0, 1.1e-9, 0}};
  struct tor_job job;
  struct tor_grid grid;
  tor_plain_job(&job, n, edge, 2, TOR_F64, TOR_PEC, 0);
  turn(&plate, 0, 0, 30);
  job.objects = &plate;
  job.nobjects = 1;
  plate.medium = 1;
  tor_grid_make(&job, &grid);
  for (int averaging = 0; averaging < 2; averaging++) {
    int list[1] = {0}, seen[1];
    struct tor_columns c = {.job = &job, .grid = &grid};
    struct tor_nearby there = {.n = 1, .list = list, .seen = seen};
    job.averaging = averaging ? TOR_AVERAGE_TENSOR : TOR_AVERAGE_SUBPIXEL;
    job.samples = 16;
    tor_object_index_make(&job, &c.objects);
    tor_nearby_complete(&c.objects, &there);
    double lo[3] = {-5e-9, -5e-9, -5e-9}, hi[3] = {5e-9, 5e-9, 5e-9};
    const struct tor_mix mix = tor_cell_mix(&c, &there, x, lo, hi);
    assert_int_equal(mix.count, 2);
    for (int m = 0; m < 2; m++)
      if (mix.medium[m] == 1) near(mix.share[m], 0.05 / cos(TOR_PI / 6), averaging ? 1e-3 : 0.02); /* lines, points */
    tor_object_index_free(&c.objects);
  }
  tor_plain_job_free(&job);
}

/* --- Combinations --- */

static void combinations_follow_their_parts(void **state) {
  (void)state;
  struct tor_object part[3] = {{.shape = TOR_BOX, .size = {2, 1, 1}},
                               {.shape = TOR_SPHERE, .center = {0.5, 0.2, 0}, .radius = {0.6}},
                               {.shape = TOR_CYLINDER, .axis = 2, .radius = {0.3}, .height = 3}};
  struct tor_object o = {.shape = TOR_UNION, .nparts = 3, .part = part};
  srand(3);
  turn(&part[0], 0, 0, 20);
  for (int i = 0; i < 20000; i++) {
    const double x[3] = {3 * chance() - 1.5, 3 * chance() - 1.5, 3 * chance() - 1.5};
    int in[3];
    for (int p = 0; p < 3; p++) in[p] = tor_object_contains(&part[p], x);
    o.shape = TOR_UNION; /* the same as its parts, painted with one medium */
    assert_int_equal(tor_object_contains(&o, x), tor_objects_at(part, (const int[]){0, 1, 2}, 3, x) >= 0);
    o.shape = TOR_DIFFERENCE;
    assert_int_equal(tor_object_contains(&o, x), in[0] && !in[1] && !in[2]);
    o.shape = TOR_INTERSECTION;
    assert_int_equal(tor_object_contains(&o, x), in[0] && in[1] && in[2]);
  }
  struct tor_object plate[2] = {{.shape = TOR_BOX, .size = {4, 4, 1}},
                                {.shape = TOR_CYLINDER, .axis = 2, .radius = {1}, .height = 2}};
  struct tor_object drilled = {.shape = TOR_DIFFERENCE, .nparts = 2, .part = plate};
  expect_volume(&drilled, 16 - TOR_PI);
  turn(&drilled, 30, 45, 60);
  expect_volume(&drilled, 16 - TOR_PI);
  drilled.shape = TOR_INTERSECTION;
  expect_volume(&drilled, TOR_PI);
  drilled.shape = TOR_UNION;
  expect_volume(&drilled, 16 + TOR_PI);
}

/* Copies own what they point to, and lie where they were moved. */
static void copies_are_whole(void **state) {
  (void)state;
  srand(17);
  for (int shape = TOR_SPHERE; shape <= TOR_INTERSECTION; shape++)
    for (int turned = 0; turned < 2; turned++) {
      struct tor_object o, part[2];
      const double by[3] = {0.4, -0.9, 1.3};
      random_solid(shape < TOR_UNION ? shape : TOR_PRISM, &o);
      if (shape >= TOR_UNION) {
        random_solid(TOR_CONE, &part[1]);
        part[0] = o;
        o = (struct tor_object){.shape = (enum tor_shape)shape, .nparts = 2, .part = part};
      }
      if (turned) turn(&o, 10, 20, 30);
      struct tor_object copy = tor_object_moved(&o, by);
      for (int i = 0; i < 2000; i++) {
        const double x[3] = {3 * chance() - 1.5, 3 * chance() - 1.5, 3 * chance() - 1.5};
        assert_int_equal(tor_object_contains(&copy, (const double[]){x[0] + by[0], x[1] + by[1], x[2] + by[2]}),
                         tor_object_contains(&o, x));
      }
      tor_object_free(&copy);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_have_their_volume_however_they_are_turned),
      cmocka_unit_test(outlines_have_their_volume),
      cmocka_unit_test(bends_have_their_radius_and_meet_the_straight_parts),
      cmocka_unit_test(points_turn_with_their_object),
      cmocka_unit_test(boxes_are_decided_rightly),
      cmocka_unit_test(an_index_of_a_path_changes_nothing),
      cmocka_unit_test(right_angles_leave_no_trace),
      cmocka_unit_test(a_slanting_layer_has_its_share_and_normal),
      cmocka_unit_test(thin_slanting_plates_are_not_lost),
      cmocka_unit_test(combinations_follow_their_parts),
      cmocka_unit_test(copies_are_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
