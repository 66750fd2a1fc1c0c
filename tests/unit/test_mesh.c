/* Closed surfaces from STL files: points and boxes against planes of a convex one, lines through vertices and edges,
 * voids, ASCII, turned copies; what is not closed or no STL file has a reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/stl/stl.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/mesh.h"
#include "tests/support/job_text.h"
#include "tests/support/surface.h"

static char path[128];

static double chance(void) { return rand() / (RAND_MAX + 1.0); }

static struct tor_mesh *mesh_of(const struct surface *s, char *why, size_t size) {
  struct tor_stl stl;
  surface_write(s, path);
  if (tor_stl_read(path, &stl, why, size)) return NULL;
  return tor_mesh_new(stl.vertex, stl.nvertex, stl.face, stl.nface, why, size);
}

/* How far a point lies outside of the planes of a convex surface's faces, below 0 inside. */
static double beyond(const struct surface *s, const double x[3]) {
  double most = -INFINITY;
  for (int f = 0; f < s->count; f++) {
    double p[3][3], n[3], length = 0, at = 0;
    for (int i = 0; i < 3; i++)
      for (int a = 0; a < 3; a++) p[i][a] = (double)s->face[f][i][a] - (i ? p[0][a] : 0);
    for (int a = 0; a < 3; a++) {
      const int u = (a + 1) % 3, v = (a + 2) % 3;
      n[a] = p[1][u] * p[2][v] - p[1][v] * p[2][u];
      length = hypot(length, n[a]);
      at += n[a] * (x[a] - p[0][a]);
    }
    most = fmax(most, at / length);
  }
  return most;
}

static void points_and_boxes_are_decided_by_the_planes(void **state) {
  (void)state;
  char why[256];
  int found[3] = {0};
  srand(3);
  struct surface s = surface_sphere(3);
  struct tor_mesh *m = mesh_of(&s, why, sizeof why);
  assert_non_null(m);
  assert_int_equal(tor_mesh_faces(m), 1280);
  for (int i = 0; i < 3000; i++) {
    double x[3], lo[3], hi[3];
    const double edge = 0.3 * chance() * chance();
    for (int a = 0; a < 3; a++) {
      x[a] = 2.4 * chance() - 1.2;
      lo[a] = x[a] - 0.5 * edge;
      hi[a] = x[a] + 0.5 * edge;
    }
    const double out = beyond(&s, x);
    if (fabs(out) > 1e-6)
      for (int w = 0; w < 3; w++) assert_int_equal(tor_mesh_contains(m, x, w), out < 0);
    const int holds = tor_mesh_holds_box(m, lo, hi);
    found[holds + 1]++;
    if (holds > 0)
      for (int c = 0; c < 8; c++)
        assert_true(beyond(&s, (const double[]){c & 1 ? lo[0] : hi[0], c & 2 ? lo[1] : hi[1], c & 4 ? lo[2] : hi[2]}) <
                    0);
    if (holds < 0) assert_true(out > 0);
    if (!holds) assert_true(fabs(out) < edge + 1e-6);
  }
  assert_true(found[0] > 500 && found[1] > 300 && found[2] > 500);
  tor_mesh_free(m);
  free(s.face);
}

/* Through each vertex and the middle of each edge, along each axis: inside between the surfaces, outside beyond. */
static void lines_through_edges_do_not_leak(void **state) {
  (void)state;
  char why[256];
  struct surface s = surface_sphere(4);
  struct tor_mesh *m = mesh_of(&s, why, sizeof why);
  assert_non_null(m);
  for (int f = 0; f < s.count; f++)
    for (int i = 0; i < 6; i++)
      for (int w = 0; w < 3; w++) {
        double x[3];
        for (int a = 0; a < 3; a++)
          x[a] = 0.5 * ((double)s.face[f][i % 3][a] + (double)s.face[f][i < 3 ? i : (i + 1) % 3][a]);
        const double u = x[(w + 1) % 3], v = x[(w + 2) % 3], half = sqrt(fmax(0, 1 - u * u - v * v));
        for (int k = -3; k <= 3; k++) {
          x[w] = k / 3.0 * 1.1;
          if (fabs(fabs(x[w]) - half) > (half < 0.15 ? 0.15 : 0.02))
            assert_int_equal(tor_mesh_contains(m, x, w), fabs(x[w]) < half);
        }
      }
  tor_mesh_free(m);
  free(s.face);
}

/* A box in a box: turned the other way it is a void, else it is a part of it; beside it, overlapping, of their union.
 */
static void shells_are_wound_around(void **state) {
  (void)state;
  char why[256];
  static const float low[3] = {0, 0, 0}, high[3] = {4, 4, 4}, in_lo[3] = {1, 1, 1}, in_hi[3] = {3, 3, 3},
                     out_hi[3] = {6, 3, 3};
  for (int kind = 0; kind < 3; kind++) {
    struct surface s = {0};
    surface_add_box(&s, low, high, 0);
    surface_add_box(&s, in_lo, kind == 2 ? out_hi : in_hi, kind == 0);
    struct tor_mesh *m = mesh_of(&s, why, sizeof why);
    assert_non_null(m);
    for (int i = 0; i < 6 * 4 * 4; i++) {
      const int row = i / 6, layer = row / 4;
      const double x[3] = {i % 6 + 0.5, row % 4 + 0.5, layer + 0.5};
      int inner = x[0] > 1 && x[0] < 3, in = x[0] < 4;
      for (int a = 1; a < 3; a++) inner &= x[a] > 1 && x[a] < 3;
      if (kind == 0) in &= !inner;
      if (kind == 2) in |= x[0] > 1 && x[1] > 1 && x[1] < 3 && x[2] > 1 && x[2] < 3;
      for (int w = 0; w < 3; w++) assert_int_equal(tor_mesh_contains(m, x, w), in);
      const double hi[3] = {x[0] + 0.5, x[1] + 0.5, x[2] + 0.5}, lo[3] = {x[0] - 0.5, x[1] - 0.5, x[2] - 0.5};
      const int holds = tor_mesh_holds_box(m, lo, hi); /* faces along sides do not cut */
      assert_true(holds == 0 ? kind > 0 : holds == (in ? 1 : -1));
    }
    tor_mesh_free(m);
    free(s.face);
  }
}

static int at(const struct tor_object *o, double x, double y, double z) {
  return tor_object_contains(o, (const double[]){x * 1e-9, y * 1e-9, z * 1e-9});
}

/* A box of 1 x 2 x 4 as an object: scaled, moved, turned, repeated. */
static void objects_are_placed(void **state) {
  (void)state;
  static const float low[3] = {0, 0, 0}, high[3] = {1, 2, 4};
  struct surface s = {0};
  char more[512];
  double lo[3], hi[3];
  surface_add_box(&s, low, high, 0);
  surface_write(&s, path);
  const char *format = "objects = ({ type = \"stl\"; medium = \"vacuum\"; file = \"%s\"; scale = 2.0; %s });\n";
  snprintf(more, sizeof more, format, path, "center = [1.0, -1.0, 3.0];");
  expect_good(read_more(more));
  assert_int_equal(job.nobjects, 1);
  assert_true(at(&job.objects[0], 1.1, -0.9, 3.1) && at(&job.objects[0], 2.9, 2.9, 10.9));
  assert_false(at(&job.objects[0], 0.9, 0, 5) || at(&job.objects[0], 3.1, 0, 5) || at(&job.objects[0], 2, 0, 11.1));
  snprintf(more, sizeof more, format, path, "rotate_deg = 30.0; repeat = [1, 1, 2]; pitch = [0.0, 0.0, 20.0];");
  expect_good(read_more(more));
  assert_int_equal(job.nobjects, 2);
  const double c = cos(TOR_PI / 6), r = sin(TOR_PI / 6);
  for (int i = 0; i < 2; i++) {
    const struct tor_object *o = &job.objects[i];
    const double z = i ? 10 : -10;
    for (int p = 0; p < 125; p++) {
      const int row = p / 5, layer = row / 5;
      const double x = -0.5 + 0.75 * (p % 5), y = -0.5 + 1.25 * (row % 5), up = -1 + 2.5 * layer;
      const int in = x > 0 && x < 2 && y > 0 && y < 4 && up > 0 && up < 8;
      assert_int_equal(at(o, c * x - r * y, r * x + c * y, z + up), in);
    }
    tor_object_bounds(o, lo, hi);
    assert_true(fabs(lo[0] + 4e-9 * r) < 1e-15 && fabs(hi[0] - 2e-9 * c) < 1e-15);
    assert_true(fabs(lo[1]) < 1e-15 && fabs(hi[1] - 1e-9 * (2 * r + 4 * c)) < 1e-15);
    assert_true(fabs(lo[2] - z * 1e-9) < 1e-15 && fabs(hi[2] - (z + 8) * 1e-9) < 1e-15);
  }
  free(s.face);
}

static int read_bytes(const char *bytes, size_t n, char *why, size_t size) {
  struct tor_stl stl;
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, n, f), n);
  assert_int_equal(fclose(f), 0);
  *why = 0;
  if (tor_stl_read(path, &stl, why, size)) return -1;
  struct tor_mesh *m = tor_mesh_new(stl.vertex, stl.nvertex, stl.face, stl.nface, why, size);
  tor_mesh_free(m);
  return m ? 0 : -1;
}

static void expect_reason(const char *bytes, size_t n, const char *part) {
  char why[256];
  assert_int_equal(read_bytes(bytes, n, why, sizeof why), -1);
  if (!strstr(why, part)) fail_msg("got \"%s\", want \"%s\"", why, part);
}

static const char tetrahedron[] =
    "solid one\n"
    " facet normal 0 0 -1\n  outer loop\n   vertex 0 0 0\n   vertex 0 1 0\n   vertex 1 0 0\n  endloop\n endfacet\n"
    " FACET NORMAL 0 -1 0\r\n  outer loop\r\n   vertex 0 0 0\r\n   vertex 1 0 0\r\n   vertex 0 0 1e0\r\n  endloop\n"
    " endfacet\n"
    " facet normal -1 0 0\n  outer loop\n   vertex 0 0 0\n   vertex 0 0 1\n   vertex -0 1 0\n  endloop\n endfacet\n"
    " facet normal 1 1 1\n  outer loop\n   vertex 1 0 0\n   vertex 0 1 0\n   vertex 0 0 1\n  endloop\n endfacet\n"
    "endsolid one\n";

/* The text with one part in place of another. */
static void expect_changed(const char *from, const char *to, const char *part) {
  char text[1024];
  const char *found = strstr(tetrahedron, from);
  assert_non_null(found);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(found - tetrahedron), tetrahedron, to, found + strlen(from));
  expect_reason(text, strlen(text), part);
}

static void wrong_files_have_a_reason(void **state) {
  (void)state;
  char why[256], bytes[84 + 4 * 50] = {0};
  const size_t n = sizeof tetrahedron - 1;
  assert_int_equal(read_bytes(tetrahedron, n, why, sizeof why), 0);
  for (size_t cut = 0; cut < n - 14; cut++) assert_int_equal(read_bytes(tetrahedron, cut, why, sizeof why), -1);
  expect_reason(tetrahedron, 0, "it is empty");
  expect_reason(tetrahedron, 60, "it ends without endsolid");
  expect_reason("solid\nendsolid\n", 15, "it has no faces");
  expect_reason("v 0 0 0\n", 8, "it is no STL file");
  expect_changed("1e0", "nan", "line 13: a coordinate is not a finite number");
  expect_changed("1e0", "1e39", "line 13: a coordinate is not a finite number");
  expect_changed("vertex 0 1 0", "vertex 0 1", "line 5: a vertex needs three numbers");
  expect_changed("   vertex 0 1 0\n", "", "line 7: a face ends with 2 vertices");
  expect_changed("endfacet", "end facet", "line 8 is none of an STL file");
  expect_changed("vertex 1 0 0\n   vertex 0 1 0\n   vertex 0 0 1\n", "vertex 0 1 0\n   vertex 1 0 0\n   vertex 0 0 1\n",
                 "turned differently: 3 edges, the first from (0, 1, 0) to (1, 0, 0)");
  expect_changed("vertex 0 0 1e0", "vertex 0 0 1.001",
                 "it is not closed, with faces on one side alone: 4 edges, the first from (1, 0, 0) to (0, 0, 1.001)");
  expect_changed("vertex 1 0 0\n   vertex 0 1 0\n   vertex 0 0 1\n", "vertex 1 0 0\n   vertex 0 1 0\n   vertex 0 1 0\n",
                 "it is not closed");
  bytes[80] = 4;
  expect_reason(bytes, sizeof bytes, "none of its faces has three different corners");
  expect_reason(bytes, sizeof bytes - 7, "its header counts 4 faces, which need 284 bytes, but it has 277");
  memset(bytes + 80, 0x7f, 3);
  bytes[83] = 2;
  expect_reason(bytes, sizeof bytes, "its header counts 41910143 faces, which need 2095507234 bytes, but it has 284");
  memset(bytes, 0, sizeof bytes);
  bytes[80] = 4;
  memset(bytes + 84 + 50 + 12, 0xff, 4);
  expect_reason(bytes, sizeof bytes, "face 1 has a coordinate that is not a finite number");
  unlink(path);
}

static void what_is_no_file_has_a_fault(void **state) {
  (void)state;
  char more[512];
  const char *format = "objects = ({ type = \"stl\"; medium = \"vacuum\"; file = \"%s\"; });\n";
  snprintf(more, sizeof more, format, job_folder);
  expect_only(more, 3, "objects[0].file", "it is a folder");
  assert_int_equal(mkfifo(path, 0600), 0);
  snprintf(more, sizeof more, format, path);
  expect_only(more, 3, "objects[0].file", "it is not a regular file");
  unlink(path);
  expect_only(more, 3, "objects[0].file", "it cannot be read: No such file");
}

static int begin(void **state) {
  const int bad = job_text_begin(state);
  snprintf(path, sizeof path, "%s/surface.stl", job_folder);
  return bad;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_and_boxes_are_decided_by_the_planes),
      cmocka_unit_test(lines_through_edges_do_not_leak),
      cmocka_unit_test(shells_are_wound_around),
      cmocka_unit_test(objects_are_placed),
      cmocka_unit_test(wrong_files_have_a_reason),
      cmocka_unit_test(what_is_no_file_has_a_fault),
  };
  return cmocka_run_group_tests(tests, begin, job_text_end);
}
