/* Lines through objects: the media that follow from their ends are those of tests of points, and so are the places
 * where they change, and the sums over a box's samples. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/job/geometry.h"
#include "src/job/object_line.h"
#include "src/job/turned.h"

/* In [0, 1), in steps of 1/64 every other time: faces then coincide with lines and places on them. */
static double random_number(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  const double value = (double)(state >> 11) * 0x1p-53;
  return state >> 10 & 1 ? value : floor(64 * value) / 64;
}

/* A shape of kind 0 to 13, about 1 large, near the unit cube; kinds from 11 on are turned, 10 is a prism with leaning
 * sides. Kind 14: two of them together. */
enum { UNION = 14, KINDS };
static struct tor_object random_object(int kind, double (*vertex)[2]) {
  static const enum tor_shape shape[] = {TOR_SPHERE, TOR_ELLIPSOID, TOR_BOX,      TOR_CYLINDER,  TOR_CONE,
                                         TOR_PRISM,  TOR_LAYER,     TOR_CAPSULE,  TOR_TORUS,     TOR_PATH,
                                         TOR_PRISM,  TOR_BOX,       TOR_CYLINDER, TOR_ELLIPSOID, TOR_UNION};
  struct tor_object o = {
      .shape = shape[kind], .axis = (int)(3 * random_number()), .medium = (int)(4 * random_number())};
  for (int a = 0; a < 3; a++) {
    o.center[a] = random_number();
    o.size[a] = 0.1 + random_number();
  }
  for (int i = 0; i < 2; i++) o.radius[i] = 0.1 + 0.5 * random_number();
  o.height = 0.2 + random_number() + (kind == 7 ? 2 * o.radius[0] : 0);
  if (o.shape == TOR_TORUS) o.radius[1] *= 0.3;
  o.lo = random_number() - 0.2;
  o.hi = o.lo + 0.1 + random_number();
  o.width = 0.2;
  o.nvertex = 4;
  o.vertex = vertex;
  for (int i = 0; i < 4; i++)
    for (int c = 0; c < 2; c++) vertex[i][c] = (i / 2 == (c ? (i == 1 || i == 2) : 1)) + 0.3 * random_number();
  if (kind == 10) {
    o.slope = 0.2;
    o.level = o.lo;
  }
  if (kind == UNION) {
    static struct tor_object part[2] = {{.shape = TOR_BOX}, {.shape = TOR_BOX}};
    for (int a = 0; a < 3; a++) {
      part[0].center[a] = part[1].center[a] = 0.5;
      part[0].size[a] = 0.5;
      part[1].size[a] = a == 1 ? 0.25 : 0.75;
    }
    o.part = part;
    o.nparts = 2;
  }
  if (kind <= 10 || kind == UNION) return o;
  double matrix[3][3], angle[3] = {20, 90 * floor(4 * random_number()), 90 * random_number()};
  tor_turn_matrix(angle, matrix);
  tor_object_turn(&o, matrix, o.center);
  return o;
}

static int medium_of(const struct tor_object *o, const int *list, int n, const double x[3]) {
  const int top = tor_objects_at(o, list, n, x);
  return top < 0 ? -1 : o[list[top]].medium;
}

/* The bisection that tor_line_change stands for. */
static double change(const struct tor_object *o, const int *list, int n, double x[3], int axis, double lo, double size,
                     double from, double to) {
  x[axis] = lo + from * size;
  const int medium = medium_of(o, list, n, x);
  for (int step = 0; step < 16; step++) {
    const double middle = 0.5 * (from + to);
    x[axis] = lo + middle * size;
    *(medium_of(o, list, n, x) == medium ? &from : &to) = middle;
  }
  return 0.5 * (from + to);
}

static void lines_have_the_media_of_points(void **state) {
  (void)state;
  enum { SCENES = 3000, MOST = 20, PARTS = 8 };
  int changed = 0;
  for (int scene = 0; scene < SCENES; scene++) {
    struct tor_object o[MOST];
    double vertex[MOST][4][2], x[3] = {random_number(), random_number(), random_number()};
    int list[MOST];
    const int n = scene % 10 ? 1 + scene % 5 : MOST, axis = scene % 3;
    for (int i = 0; i < n; i++) {
      o[i] = random_object((int)(KINDS * random_number()), vertex[i]);
      list[i] = i;
    }
    const double lo = random_number(), size = 0.25 * (1 + floor(4 * random_number()));
    struct tor_line line;
    tor_line_make(&line, o, list, n, axis, x, lo, size);
    const uint64_t changes = tor_line_changes(&line, PARTS);
    int before = -1;
    for (int i = 0; i <= 4 * PARTS; i++) {
      const double at = i / (4.0 * PARTS);
      x[axis] = lo + at * size;
      const int here = medium_of(o, list, n, x);
      assert_int_equal(tor_line_medium(&line, at), here);
      if (i % 4) continue;
      const int part = i / 4 - 1;
      if (i && here != before) {
        const double from = part / (double)PARTS, to = (part + 1) / (double)PARTS;
        assert_true(changes >> part & 1);
        assert_true(tor_line_change(&line, from, to, before) == change(o, list, n, x, axis, lo, size, from, to));
        changed++;
      }
      before = here;
    }
  }
  assert_true(changed > SCENES / 2);
}

/* Of one medium among n^3 samples of a cube: their number, the sums of 2 i + 1 - n along each axis. */
struct points {
  int hits, first[3];
};

static void sample_points(const struct tor_object *o, const int *list, int count, const double lo[3], double size,
                          int n, struct points of_medium[5]) {
  memset(of_medium, 0, 5 * sizeof *of_medium);
  for (int at = 0; at < n * n * n; at++) {
    const int i[3] = {at % n, at / n % n, at / (n * n)};
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = lo[a] + (i[a] + 0.5) / n * (lo[a] + size - lo[a]);
    struct points *p = &of_medium[1 + medium_of(o, list, count, x)];
    p->hits++;
    for (int a = 0; a < 3; a++) p->first[a] += 2 * i[a] + 1 - n;
  }
}

static void has_normal(const double normal[3], const int first[3]) {
  const double norm = sqrt((double)first[0] * first[0] + (double)first[1] * first[1] + (double)first[2] * first[2]);
  for (int a = 0; a < 3 && norm > 0; a++) assert_true(fabs(normal[a] - first[a] / norm) < 1e-12);
}

static void boxes_have_the_samples_of_points(void **state) {
  (void)state;
  enum { SCENES = 6000, MOST = 20 };
  int cut = 0, many = 0;
  for (int scene = 0; scene < SCENES; scene++) {
    struct tor_object o[MOST];
    double vertex[MOST][4][2], lo[3], hi[3];
    int list[MOST];
    const int n = 1 + scene % 9, count = scene % 20 ? 1 + scene % 5 : MOST;
    const double size = 0.25 * (1 + floor(4 * random_number()));
    for (int i = 0; i < count; i++) { /* of every third scene all, such as are the same along an axis */
      static const int even[] = {2, 3, 5, 6};
      o[i] = random_object(scene % 3 ? (int)(KINDS * random_number()) : even[(int)(4 * random_number())], vertex[i]);
      if (scene % 3 == 0) o[i].axis = scene / 3 % 3;
      list[i] = i;
    }
    for (int a = 0; a < 3; a++) {
      lo[a] = 1.5 * random_number() - 0.5;
      hi[a] = lo[a] + size;
    }
    struct points of_medium[5];
    struct tor_mix mix;
    double sum = 0;
    tor_geometry_mix(o, list, count, lo, hi, n, &mix);
    sample_points(o, list, count, lo, size, n, of_medium);
    for (int m = 0; m < mix.count; m++) {
      const struct points *p = &of_medium[1 + mix.medium[m]];
      assert_true(mix.share[m] == p->hits / ((double)n * n * n));
      if (m == 0 && mix.count > 1) has_normal(mix.normal, p->first);
      if (mix.count > 2) has_normal(mix.of_medium[m], p->first);
      sum += mix.share[m];
    }
    assert_true(fabs(sum - 1) < 1e-12);
    cut += mix.count > 1;
    many += mix.count > 2;
  }
  assert_true(cut > SCENES / 2 && many > SCENES / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines_have_the_media_of_points),
                                     cmocka_unit_test(boxes_have_the_samples_of_points)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
