/* GDSII layouts: a file of gdstk (tests/support/layout.py) becomes prisms and paths; damaged files have a reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/gds/gds.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "tests/support/job_text.h"

static char source[512], copy[80];

static const char base[] =
    "length_unit = \"um\";\ngrid = { size = [100, 100, 30]; cell = 0.5; };\nrun = { time_fs = 10; };\n";

static int read_layout(const char *more) {
  char text[2048];
  snprintf(text, sizeof text, "%sobjects = ({ type = \"gds\"; medium = \"vacuum\"; file = \"%s\"; %s });\n", base,
           source, more);
  return read_with(text, NULL, 0);
}

/* The number of objects that hold a point [um]. */
static int at(double x, double y, double z) {
  int count = 0;
  for (int i = 0; i < job.nobjects; i++)
    count += tor_object_contains(&job.objects[i], (const double[]){x * 1e-6, y * 1e-6, z * 1e-6});
  return count;
}

static void references_are_placed(void **state) {
  (void)state;
  expect_good(read_layout("layer = 1; lo = 0; hi = 0.22;"));
  assert_int_equal(job.nobjects, 7); /* one and an array of 3 x 2 */
  assert_int_equal(tor_job_object_number(&job, 6), 0);
  /* Reflected, twice as large, turned by 90 degrees: x from 10 to 12, y from 0 to 4. */
  assert_true(at(10.01, 0.01, 0.1) && at(11.99, 3.99, 0.1) && at(11, 2, 0.01) && at(11, 2, 0.21));
  assert_false(at(9.99, 1, 0.1) || at(12.01, 1, 0.1) || at(11, 4.01, 0.1) || at(11, -0.01, 0.1) || at(11, 2, 0.23));
  for (int column = 0; column < 3; column++)
    for (int row = 0; row < 2; row++) {
      const double x = -20 + 5 * column, y = -10 + 4 * row;
      assert_int_equal(at(x + 0.01, y + 0.01, 0.1) + at(x + 1.99, y + 0.99, 0.1), 2);
      assert_int_equal(at(x - 0.01, y + 0.5, 0.1) + at(x + 2.01, y + 0.5, 0.1) + at(x + 1, y + 1.01, 0.1), 0);
    }
  expect_good(read_layout("layer = 1; datatype = -1; lo = 0; hi = 0.22;"));
  assert_int_equal(job.nobjects, 14);
  expect_good(read_layout("layer = 1; cell = \"UNIT\"; center = [1, 2, 3]; lo = 0; hi = 1;"));
  assert_int_equal(job.nobjects, 1);
  assert_true(at(1.01, 2.01, 3.01) && at(2.99, 2.99, 3.99) && !at(0.99, 2.5, 3.5) && !at(2, 2.5, 2.99));
}

static void paths_have_their_ends(void **state) {
  (void)state;
  static const double reach[4][2] = {{0, 0}, {0.25, 0.25}, {0.25, 0.25}, {0.5, 1.5}}; /* beyond the points */
  for (int i = 0; i < 4; i++) {
    char more[64];
    snprintf(more, sizeof more, "layer = %d; lo = 0; hi = 1;", 2 + i);
    expect_good(read_layout(more));
    assert_int_equal(job.nobjects, i == 2 ? 3 : 1); /* round ends are discs */
    assert_true(at(0.01 - reach[i][0], 5, 0.5) && !at(-0.01 - reach[i][0], 5, 0.5));
    assert_true(at(4, 7.99 + reach[i][1], 0.5) && !at(4, 8.01 + reach[i][1], 0.5));
    assert_true(at(4.24, 4.76, 0.5) && at(2, 5.24, 0.5) && !at(2, 5.26, 0.5)); /* a mitred corner */
    if (i == 2) assert_false(at(-0.2, 5.2, 0.5));
  }
}

static void polygons_lean_and_lie_in_a_plane_too(void **state) {
  (void)state;
  expect_good(read_layout("layer = 6; lo = 0; hi = 1; sidewall_deg = 10;"));
  assert_int_equal(job.nobjects, 1);
  const double inset = 0.9 * tan(10 * 3.14159265358979 / 180);
  assert_true(at(20.01, 22, 0.01) && at(20.01 + inset, 22, 0.9) && !at(19.99 + inset, 22, 0.9));
  assert_true(at(20.5, 23.5, 0.5) && !at(22, 22, 0.5));
  char text[1024];
  snprintf(
      text, sizeof text,
      "length_unit = \"um\";\ngrid = { size = [100, 100]; cell = 0.5; polarisation = \"TM\"; };\nrun = { time_fs = 10; "
      "};\nobjects = ({ type = \"gds\"; medium = \"vacuum\"; file = \"%s\"; layer = 6; });",
      source);
  expect_good(read_with(text, NULL, 0));
  assert_true(tor_object_contains(&job.objects[0], (const double[]){0.4, 20.5e-6, 23.5e-6})); /* z, x, y */
}

static void wrong_ones_have_faults(void **state) {
  (void)state;
  static const char *const wrong[][3] = {
      {"layer = 7; lo = 0; hi = 1;", "file", "nothing on layer 7"},
      {"layer = 1; cell = \"OTHER\"; lo = 0; hi = 1;", "file", "it has no cell \"OTHER\"; its top cells are \"TOP\""},
      {"layer = 1; hi = 1;", "lo", "missing, need the low end"},
      {"layer = 1; lo = 0; hi = 1; rotate_deg = 3;", "rotate_deg", "not turned"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char path[64];
    snprintf(path, sizeof path, "objects[0].%s", wrong[i][1]);
    assert_false(read_layout(wrong[i][0]));
    assert_int_equal(faults.count, 1);
    expect_fault(4, path, wrong[i][2]);
  }
}

static size_t load(uint8_t *bytes, size_t most) {
  FILE *f = fopen(source, "rb");
  assert_non_null(f);
  const size_t n = fread(bytes, 1, most, f);
  fclose(f);
  assert_true(n > 200 && n < most);
  return n;
}

static int read_bytes(const uint8_t *bytes, size_t n, const char *cell, char *why, size_t size) {
  struct tor_gds gds;
  FILE *f = fopen(copy, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, n, f), n);
  assert_int_equal(fclose(f), 0);
  const int bad = tor_gds_read(copy, cell, 1, -1, &gds, why, size);
  if (!bad) tor_gds_free(&gds);
  return bad;
}

/* Cut at every place, and with wrong bytes: outlines or a reason. */
static void damaged_files_have_a_reason(void **state) {
  (void)state;
  uint8_t bytes[4096], changed[4096];
  char why[256];
  uint64_t random = 1;
  int read = 0;
  const size_t n = load(bytes, sizeof bytes);
  assert_int_equal(read_bytes(bytes, n, NULL, why, sizeof why), 0);
  for (size_t cut = 0; cut < n - 4; cut += 3) {
    assert_int_equal(read_bytes(bytes, cut, NULL, why, sizeof why), -1);
    assert_true(strlen(why) > 10);
  }
  for (int trial = 0; trial < 2000; trial++) {
    memcpy(changed, bytes, n);
    for (int i = 0; i < 1 + trial % 3; i++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      changed[(random >> 33) % n] = (uint8_t)(random >> 56);
    }
    *why = 0;
    if (read_bytes(changed, n, NULL, why, sizeof why))
      assert_true(strlen(why) > 10);
    else
      read++;
  }
  assert_true(read > 200 && read < 1900);
  /* A cell that refers to itself: SNAME of the reference in TOP becomes TOP. */
  memcpy(changed, bytes, n);
  for (size_t i = 0; i + 8 < n; i++)
    if (!memcmp(changed + i, "\0\x08\x12\x06UNIT", 8)) memcpy(changed + i + 4, "TOP\0", 4);
  assert_int_equal(read_bytes(changed, n, "TOP", why, sizeof why), -1);
  assert_non_null(strstr(why, "64 deep"));
  unlink(copy);
}

static int begin(void **state) {
  const int bad = job_text_begin(state);
  const char *top = getenv("TORRE_SOURCE");
  snprintf(source, sizeof source, "%s/tests/support/layout.gds", top ? top : ".");
  snprintf(copy, sizeof copy, "%s/layout.gds", job_folder);
  return bad;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(references_are_placed),
      cmocka_unit_test(paths_have_their_ends),
      cmocka_unit_test(polygons_lean_and_lie_in_a_plane_too),
      cmocka_unit_test(wrong_ones_have_faults),
      cmocka_unit_test(damaged_files_have_a_reason),
  };
  return cmocka_run_group_tests(tests, begin, job_text_end);
}
