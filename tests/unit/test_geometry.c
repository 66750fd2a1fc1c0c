/* Shapes against their analytic volumes and bounds; shares and normals of boxes cut by interfaces; painting order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "src/job/geometry.h"
#include "src/base/types.h"
#include "src/base/units.h"

static void near(double got, double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance)) fail_msg("got %.9g, want %.9g within %g", got, want, tolerance);
}

/* Samples the bounds, grown by 10 %, at n^3 midpoints; fails when a point outside the bounds is held. */
static double volume(const struct tor_object *o, int n) {
  double lo[3], hi[3], from[3], step[3], cell = 1;
  tor_object_bounds(o, lo, hi);
  for (int a = 0; a < 3; a++) {
    from[a] = lo[a] - 0.05 * (hi[a] - lo[a]);
    step[a] = 1.1 * (hi[a] - lo[a]) / n;
    cell *= step[a];
  }
  long held = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        double x[3] = {from[0] + (i + 0.5) * step[0], from[1] + (j + 0.5) * step[1], from[2] + (k + 0.5) * step[2]};
        if (!tor_object_contains(o, x)) continue;
        held++;
        for (int a = 0; a < 3; a++) assert_true(x[a] >= lo[a] && x[a] <= hi[a]);
      }
  return (double)held * cell;
}

static void round_shapes_have_their_volume(void **state) {
  (void)state;
  struct tor_object s = {.shape = TOR_SPHERE, .center = {1, -2, 3}, .radius = {2}};
  near(volume(&s, 128) / (4.0 / 3 * TOR_PI * 8), 1, 2e-3);
  struct tor_object e = {.shape = TOR_ELLIPSOID, .center = {1, -2, 3}, .size = {1, 2, 5}};
  near(volume(&e, 128) / (4.0 / 3 * TOR_PI * 10), 1, 2e-3);
  for (int axis = 0; axis < 3; axis++) {
    struct tor_object c = {.shape = TOR_CYLINDER, .center = {1, -2, 3}, .radius = {2}, .height = 7, .axis = axis};
    near(volume(&c, 128) / (TOR_PI * 4 * 7), 1, 8e-3);
    c.shape = TOR_CONE;
    c.radius[1] = 0.5;
    near(volume(&c, 128) / (TOR_PI * 7 / 3 * (4 + 1 + 0.25)), 1, 8e-3);
  }
}

static void cone_is_wide_at_its_low_end(void **state) {
  (void)state;
  for (int axis = 0; axis < 3; axis++) {
    struct tor_object c = {.shape = TOR_CONE, .radius = {2, 0}, .height = 2, .axis = axis};
    double x[3] = {0};
    x[axis] = -0.9;
    x[(axis + 1) % 3] = 1.8;
    assert_true(tor_object_contains(&c, x));
    x[axis] = 0.9;
    assert_false(tor_object_contains(&c, x));
    x[(axis + 1) % 3] = 0.05;
    assert_true(tor_object_contains(&c, x));
  }
}

static void flat_shapes_have_their_volume(void **state) {
  (void)state;
  struct tor_object b = {.shape = TOR_BOX, .center = {1, -2, 3}, .size = {1, 2, 5}};
  near(volume(&b, 110), 10, 1e-9);
  /* A 3 x 2 rectangle with a 1 x 1 notch, across each axis. */
  double notched[6][2] = {{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {0, 1}};
  /* A pentagram: the even-odd rule leaves its middle empty. */
  double star[5][2];
  for (int i = 0; i < 5; i++) {
    star[i][0] = cos(4 * TOR_PI * i / 5);
    star[i][1] = sin(4 * TOR_PI * i / 5);
  }
  for (int axis = 0; axis < 3; axis++) {
    struct tor_object p = {.shape = TOR_PRISM, .axis = axis, .lo = -1, .hi = 3, .nvertex = 6, .vertex = notched};
    near(volume(&p, 165) / 16, 1, 1e-2);
    double x[3], lo[3], hi[3];
    x[axis] = 0, x[(axis + 1) % 3] = 2.5, x[(axis + 2) % 3] = 1.5; /* cyclic order */
    assert_true(tor_object_contains(&p, x));
    x[(axis + 1) % 3] = 1.5, x[(axis + 2) % 3] = 1.5;
    assert_false(tor_object_contains(&p, x));
    tor_object_bounds(&p, lo, hi);
    near(hi[(axis + 1) % 3] - lo[(axis + 1) % 3], 3, 0);
    near(hi[(axis + 2) % 3] - lo[(axis + 2) % 3], 2, 0);
    near(hi[axis] - lo[axis], 4, 0);
    p.nvertex = 5;
    p.vertex = star;
    double middle[3] = {0};
    assert_false(tor_object_contains(&p, middle));
    middle[(axis + 1) % 3] = 0.8;
    assert_true(tor_object_contains(&p, middle));
  }
}

static void layers_may_be_infinite(void **state) {
  (void)state;
  struct tor_object l = {.shape = TOR_LAYER, .axis = TOR_Z, .lo = (double)-INFINITY, .hi = 0};
  double below[3] = {1e9, -1e9, -1e30}, edge[3] = {0}, above[3] = {0, 0, 1e-12}, lo[3], hi[3];
  assert_true(tor_object_contains(&l, below));
  assert_true(tor_object_contains(&l, edge));
  assert_false(tor_object_contains(&l, above));
  tor_object_bounds(&l, lo, hi);
  assert_true(isinf(lo[0]) && lo[0] < 0 && isinf(hi[1]) && hi[1] > 0 && isinf(lo[2]) && lo[2] < 0);
  near(hi[2], 0, 0);
  l.hi = (double)INFINITY;
  assert_true(tor_object_contains(&l, above));
  int list = 0;
  struct tor_mix mix;
  double a[3] = {-1, -1, -1}, b[3] = {1, 1, 1};
  l.medium = 3;
  tor_geometry_mix(&l, &list, 1, a, b, 4, &mix);
  assert_int_equal(mix.count, 1);
  assert_int_equal(mix.medium[0], 3);
}

/* A half-space z < h through a box: the share is h to a sample's thickness, the normal is z. */
static void half_space_has_share_and_normal(void **state) {
  (void)state;
  for (int axis = 0; axis < 3; axis++)
    for (double h = 0.05; h < 1; h += 0.1) {
      struct tor_object l = {.shape = TOR_LAYER, .medium = 2, .axis = axis, .lo = (double)-INFINITY, .hi = h * 1e-9};
      double lo[3] = {0}, hi[3] = {1e-9, 1e-9, 1e-9};
      int list = 0;
      struct tor_mix mix;
      tor_geometry_mix(&l, &list, 1, lo, hi, 20, &mix);
      assert_int_equal(mix.count, 2);
      double share = 0;
      for (int m = 0; m < mix.count; m++)
        if (mix.medium[m] == 2) share = mix.share[m];
      near(share, h, 0.5 / 20 + 1e-9);
      near(mix.share[0] + mix.share[1], 1, 1e-12);
      for (int a = 0; a < 3; a++) near(fabs(mix.normal[a]), a == axis, 1e-12);
    }
}

/* Boxes on the surface of a large sphere: the normal is radial, in cubes and in flat boxes. */
static void sphere_has_radial_normals(void **state) {
  (void)state;
  struct tor_object s = {.shape = TOR_SPHERE, .radius = {100}};
  static const double directions[][3] = {{1, 0, 0}, {0.6, 0.8, 0}, {0.6, 0, -0.8}, {2.0 / 3, -2.0 / 3, 1.0 / 3}};
  int list = 0;
  for (int d = 0; d < 4; d++) {
    double lo[3], hi[3], cosine = 0;
    struct tor_mix mix;
    for (int a = 0; a < 3; a++) {
      lo[a] = 100 * directions[d][a] - 0.5;
      hi[a] = lo[a] + 1;
    }
    tor_geometry_mix(&s, &list, 1, lo, hi, 16, &mix);
    assert_int_equal(mix.count, 2);
    near(mix.share[0], 0.5, 0.05);
    for (int a = 0; a < 3; a++) cosine += mix.normal[a] * directions[d][a];
    near(fabs(cosine), 1, 0.02);
  }
}

/* In cells of unequal edges, too, of points and of lines; a cube's normal is that of its moments, to the last bit. */
static void normals_in_unequal_cells(void **state) {
  (void)state;
  const struct tor_object s = {.shape = TOR_SPHERE, .radius = {1e4}};
  static const double edges[][3] = {{1, 1, 1}, {0.5, 1, 1}, {1, 0.5, 2}, {4, 4, 1}}, along[3] = {0.6, 0.48, 0.64};
  for (int i = 0; i < 4; i++)
    for (int by_lines = 0; by_lines < 2; by_lines++) {
      const int list = 0;
      double lo[3], hi[3], cosine = 0;
      struct tor_mix mix;
      for (int a = 0; a < 3; a++) {
        lo[a] = 1e4 * along[a] - 0.5 * edges[i][a];
        hi[a] = lo[a] + edges[i][a];
      }
      (by_lines ? tor_geometry_mix_lines : tor_geometry_mix)(&s, &list, 1, lo, hi, 20, &mix);
      assert_int_equal(mix.count, 2);
      for (int a = 0; a < 3; a++) cosine += mix.normal[a] * along[a];
      near(fabs(cosine), 1, 0.02);
    }
}

static void later_objects_paint_over(void **state) {
  (void)state;
  struct tor_object o[] = {{.shape = TOR_BOX, .medium = 1, .size = {4, 4, 4}},
                           {.shape = TOR_LAYER, .medium = 2, .axis = TOR_X, .lo = 0, .hi = (double)INFINITY},
                           {.shape = TOR_SPHERE, .medium = 3, .center = {50}, .radius = {1}}};
  double lo[3] = {-1, -1, -1}, hi[3] = {1, 1, 1};
  struct tor_mix mix;
  tor_geometry_mix(o, (int[]){0, 1, 2}, 3, lo, hi, 10, &mix);
  assert_int_equal(mix.count, 2);
  assert_int_equal(mix.medium[0] + mix.medium[1], 3);
  near(mix.share[0], 0.5, 1e-12);
  tor_geometry_mix(o, (int[]){1, 0, 2}, 3, lo, hi, 10, &mix); /* the box fills it and hides the layer */
  assert_int_equal(mix.count, 1);
  assert_int_equal(mix.medium[0], 1);
  const struct tor_object wall = {.shape = TOR_LAYER, .medium = 3, .axis = TOR_Z, .lo = 0.5, .hi = (double)INFINITY};
  o[2] = wall;
  tor_geometry_mix(o, (int[]){0, 1, 2}, 3, lo, hi, 8, &mix); /* three media: each has its own normal */
  assert_int_equal(mix.count, 3);
  for (int m = 0; m < 3; m++) {
    const double *normal = mix.of_medium[m];
    if (mix.medium[m] == 3)
      near(fabs(normal[2]), 1, 1e-12);
    else
      assert_true(fabs(normal[0]) > 0.5 && fabs(normal[2]) > 0.1);
  }
  o[2] = (struct tor_object){.shape = TOR_SPHERE, .medium = 3, .center = {50}, .radius = {1}};
  tor_geometry_mix(o, (int[]){0, 1, 2}, 3, lo, hi, 1, &mix); /* staircase: the centre's medium */
  assert_int_equal(mix.count, 1);
  assert_int_equal(mix.medium[0], 2);
  tor_geometry_mix(o, (int[]){2}, 1, lo, hi, 10, &mix);
  assert_int_equal(mix.count, 1);
  assert_int_equal(mix.medium[0], -1);
  near(mix.share[0], 1, 0);
  tor_geometry_mix(o, NULL, 0, lo, hi, 10, &mix);
  assert_int_equal(mix.medium[0], -1);
}

/* Two media of one index are one: no interface, no normal. */
static void same_medium_has_no_interface(void **state) {
  (void)state;
  struct tor_object o[] = {{.shape = TOR_LAYER, .medium = 5, .axis = TOR_Y, .lo = (double)-INFINITY, .hi = 0.1},
                           {.shape = TOR_LAYER, .medium = 5, .axis = TOR_Y, .lo = 0.1, .hi = (double)INFINITY}};
  double lo[3] = {0}, hi[3] = {1, 1, 1};
  struct tor_mix mix;
  tor_geometry_mix(o, (int[]){0, 1}, 2, lo, hi, 6, &mix);
  assert_int_equal(mix.count, 1);
  for (int a = 0; a < 3; a++) near(mix.normal[a], 0, 0);
}

static void symmetric_boxes_have_sane_normals(void **state) {
  (void)state;
  double lo[3] = {-0.5, -0.5, -0.5}, hi[3] = {0.5, 0.5, 0.5};
  int list = 0;
  struct tor_mix mix;
  struct tor_object sheet = {.shape = TOR_LAYER, .axis = TOR_Y, .lo = -0.2, .hi = 0.2};
  tor_geometry_mix(&sheet, &list, 1, lo, hi, 10, &mix);
  assert_int_equal(mix.count, 2);
  near(mix.normal[1], 1, 0);
  near(mix.normal[0], 0, 0);
  struct tor_object ball = {.shape = TOR_SPHERE, .radius = {0.3}};
  tor_geometry_mix(&ball, &list, 1, lo, hi, 10, &mix);
  assert_int_equal(mix.count, 2);
  for (int a = 0; a < 3; a++) near(mix.normal[a], 0, 0);
}

/* More media than slots, more objects than the short list: shares still add up to 1. */
static void crowded_boxes_still_add_up(void **state) {
  (void)state;
  enum { N = 40 };
  struct tor_object o[N];
  int list[N];
  for (int i = 0; i < N; i++) {
    o[i] = (struct tor_object){.shape = TOR_LAYER, .medium = i % 12, .lo = i / 40.0, .hi = (i + 1) / 40.0};
    list[i] = i;
  }
  double lo[3] = {0}, hi[3] = {1, 1, 1}, sum = 0;
  struct tor_mix mix;
  tor_geometry_mix(o, list, N, lo, hi, 40, &mix);
  assert_int_equal(mix.count, TOR_MIX_MAX);
  for (int m = 0; m < mix.count; m++) sum += mix.share[m];
  near(sum, 1, 1e-12);
  near(mix.share[0], 4.0 / N, 1e-12);
}

/* Boxes of several sizes in and around an object, some with sides on its faces: the answer for the whole box agrees
 * with that for each of its points. For every shape some boxes must be found inside and some outside (for a cone only
 * inside). */
static void boxes_are_found_at_once(void **state) {
  (void)state;
  const struct tor_object objects[] = {
      {.shape = TOR_SPHERE, .center = {0.1, 0.2, -0.1}, .radius = {0.7}},
      {.shape = TOR_ELLIPSOID, .center = {0, 0.1, 0}, .size = {0.9, 0.5, 0.7}},
      {.shape = TOR_BOX, .center = {0.1, 0, 0.2}, .size = {1.1, 0.7, 0.9}},
      {.shape = TOR_CYLINDER, .center = {0, 0.2, 0.1}, .radius = {0.6}, .height = 1.1, .axis = 1},
      {.shape = TOR_LAYER, .axis = 2, .lo = -INFINITY, .hi = 0.15},
      {.shape = TOR_CONE, .center = {0, 0, 0}, .radius = {0.9, 0.5}, .height = 1.6, .axis = 0},
  };
  for (size_t o = 0; o < sizeof objects / sizeof *objects; o++) {
    int found[3] = {0};
    for (int i = 0; i < 4000; i++) {
      double lo[3], hi[3];
      for (int a = 0; a < 3; a++) {
        const double edge = 0.05 * (1 + i % 9);
        lo[a] = fmod(i * (0.37 + 0.11 * a), 2.4) - 1.2;
        if (i % 3 == 0) lo[a] = 0.05 * round(lo[a] / 0.05);
        hi[a] = lo[a] + edge;
      }
      const int is = tor_object_holds_box(&objects[o], lo, hi);
      found[is + 1]++;
      if (!is) continue;
      for (int p = 0; p < 216; p++) {
        const double f[6] = {1e-6, 0.2, 0.4, 0.6, 0.8, 1 - 1e-6};
        const double x[3] = {lo[0] + f[p % 6] * (hi[0] - lo[0]), lo[1] + f[p / 6 % 6] * (hi[1] - lo[1]),
                             lo[2] + f[p / 36] * (hi[2] - lo[2])};
        assert_int_equal(tor_object_contains(&objects[o], x), is > 0);
      }
    }
    assert_true(found[1] > 100 && found[2] > 100);
    if (objects[o].shape != TOR_CONE) assert_true(found[0] > 100);
  }
}

static double chance(void) { return rand() / (RAND_MAX + 1.0); }

static int medium_of(const struct tor_object *objects, int count, const char *hidden, const double x[3]) {
  for (int o = count - 1; o >= 0; o--)
    if (!(hidden && hidden[o]) && tor_object_contains(&objects[o], x)) return objects[o].medium;
  return -1;
}

/* Piles of objects of few media and sizes: without those that are found to be hidden every point is as it was. */
static void hidden_objects_are_not_seen(void **state) {
  (void)state;
  enum { COUNT = 40 };
  static const enum tor_shape shapes[] = {TOR_SPHERE, TOR_BOX, TOR_CYLINDER, TOR_ELLIPSOID};
  int found = 0, seen = 0;
  srand(7);
  for (int pile = 0; pile < 200; pile++) {
    struct tor_object objects[COUNT] = {{0}};
    char hidden[COUNT];
    for (int o = 0; o < COUNT; o++) {
      const double size = 1 + 0.25 * (int)(8 * chance());
      objects[o] = (struct tor_object){.shape = shapes[pile % 4 < 3 ? pile % 4 : (int)(4 * chance())],
                                       .medium = (int)(1.5 * chance()),
                                       .center = {0.25 * (int)(2 * chance()), 0, 0.25 * (int)(2 * chance())},
                                       .size = {size, size, 2 * size},
                                       .radius = {size, size},
                                       .height = size,
                                       .axis = (int)(1.2 * chance())};
    }
    tor_objects_hidden(objects, COUNT, hidden);
    for (int o = 0; o < COUNT; o++) found += hidden[o];
    for (int p = 0; p < 300; p++) {
      const double x[3] = {8 * chance() - 4, 8 * chance() - 4, 8 * chance() - 4};
      const int medium = medium_of(objects, COUNT, NULL, x);
      assert_int_equal(medium_of(objects, COUNT, hidden, x), medium);
      seen += medium >= 0;
    }
  }
  assert_true(found > 200 * COUNT / 4 && seen > 5000);
}

/* What tor_objects_at and tor_objects_top find, by looking at every object. */
static int at_by_all(const struct tor_object *objects, const int *list, int n, const double x[3]) {
  while (--n >= 0 && !tor_object_contains(&objects[list[n]], x)) {
  }
  return n;
}
static int top_by_all(const struct tor_object *objects, const int *list, int n, const double lo[3],
                      const double hi[3]) {
  while (--n >= 0 && tor_object_holds_box(&objects[list[n]], lo, hi) < 0) {
  }
  return n;
}

/* Shells around each other, some of other shapes and places between them, and lists with gaps: what lies on top of a
 * point or a box is found as if every object were looked at. */
static void nested_objects_are_found_by_bisection(void **state) {
  (void)state;
  enum { COUNT = 60 };
  static const enum tor_shape shapes[] = {TOR_SPHERE, TOR_BOX, TOR_CYLINDER, TOR_ELLIPSOID};
  int nests = 0, longest = 0, on_top = 0;
  srand(3);
  for (int pile = 0; pile < 200; pile++) {
    struct tor_object objects[COUNT];
    int list[COUNT], n = 0;
    const enum tor_shape shape = shapes[pile % 4];
    for (int o = 0; o < COUNT; o++) {
      const double size = chance() < 0.05 ? 4 * chance() : 4.0 * (COUNT - o) / COUNT;
      objects[o] = (struct tor_object){.shape = chance() < 0.05 ? shapes[(int)(4 * chance())] : shape,
                                       .medium = o,
                                       .center = {chance() < 0.05 ? 0.5 : 0.0, 0.0, 0.001 * chance()},
                                       .size = {size, size, 2 * size},
                                       .radius = {size, size},
                                       .height = 2 * size,
                                       .axis = TOR_Z};
      if (chance() < 0.9) list[n++] = o;
    }
    tor_objects_nest(objects, COUNT);
    for (int o = 0; o < COUNT; o++) {
      nests += objects[o].nested > 0;
      longest = objects[o].nested > longest ? objects[o].nested : longest;
    }
    for (int p = 0; p < 300; p++) {
      const double x[3] = {8 * chance() - 4, 8 * chance() - 4, 8 * chance() - 4}, width = 0.5 * chance();
      const double hi[3] = {x[0] + width, x[1] + width, x[2] + width};
      int holds = -1;
      assert_int_equal(tor_objects_at(objects, list, n, x), at_by_all(objects, list, n, x));
      const int top = tor_objects_top(objects, list, n, x, hi, &holds);
      assert_int_equal(top, top_by_all(objects, list, n, x, hi));
      if (top >= 0) assert_int_equal(holds, tor_object_holds_box(&objects[list[top]], x, hi));
      on_top += top >= 0;
    }
  }
  assert_true(nests > 200 * COUNT / 2 && longest > COUNT / 2 && on_top > 5000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hidden_objects_are_not_seen),
      cmocka_unit_test(round_shapes_have_their_volume),
      cmocka_unit_test(cone_is_wide_at_its_low_end),
      cmocka_unit_test(flat_shapes_have_their_volume),
      cmocka_unit_test(layers_may_be_infinite),
      cmocka_unit_test(half_space_has_share_and_normal),
      cmocka_unit_test(sphere_has_radial_normals),
      cmocka_unit_test(normals_in_unequal_cells),
      cmocka_unit_test(later_objects_paint_over),
      cmocka_unit_test(same_medium_has_no_interface),
      cmocka_unit_test(symmetric_boxes_have_sane_normals),
      cmocka_unit_test(crowded_boxes_still_add_up),
      cmocka_unit_test(boxes_are_found_at_once),
      cmocka_unit_test(nested_objects_are_found_by_bisection),
  };
  return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
