/* Objects of job files: what their keys become, turns, combinations, and wrong ones with their faults. */
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
#include "src/job/job.h"
#include "tests/support/job_text.h"

#define expect_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

static const char plane_base[] =
    "grid = { size = [100, 100]; cell = 2.5; polarisation = \"TM\"; };\nrun = { time_fs = 10; };\n";

static int holds(const struct tor_object *o, double x, double y, double z) {
  return tor_object_contains(o, (const double[]){x * 1e-9, y * 1e-9, z * 1e-9});
}

/* Reads objects[] of medium vacuum: what is given after the medium. */
static void read_objects(const char *first, const char *second) {
  char text[1024];
  snprintf(text, sizeof text, "objects = ({ medium = \"vacuum\"; %s }%s%s%s);", first,
           second ? ", { medium = \"vacuum\"; " : "", second ? second : "", second ? " }" : "");
  expect_good(read_more(text));
}

static void turned_by_right_angles_is_as_written_so(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"type = \"box\"; size = [30, 20, 10]; center = [1.3, 7, 9]; rotate_deg = 90;",
       "type = \"box\"; size = [20, 30, 10]; center = [1.3, 7, 9];"},
      {"type = \"cylinder\"; radius = 11; height = 20; center = [1.3, 7, 9]; rotate_deg = -90; rotate_axis = \"y\";",
       "type = \"cylinder\"; radius = 11; height = 20; center = [1.3, 7, 9]; axis = \"x\";"},
      {"type = \"cylinder\"; radius = 11; height = 20; center = [1.3, 7, 9]; rotate_deg = 30;",
       "type = \"cylinder\"; radius = 11; height = 20; center = [1.3, 7, 9];"},
      {"type = \"cone\"; radius_lo = 11; radius_hi = 2; height = 20; rotate_deg = [0, 180, 20];",
       "type = \"cone\"; radius_lo = 2; radius_hi = 11; height = 20;"},
      {"type = \"sphere\"; radius = 11; center = [10, 0, 0]; rotate_deg = 90; rotate_about = [0, 0, 0];",
       "type = \"sphere\"; radius = 11; center = [0, 10, 0];"},
      {"type = \"layer\"; lo = -10; hi = 5; rotate_deg = 90; rotate_axis = \"x\"; rotate_about = [0, 0, 0];",
       "type = \"layer\"; lo = -5; hi = 10; axis = \"y\";"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    read_objects(pairs[i][0], pairs[i][1]);
    job.objects[1].nested = 0;
    assert_memory_equal(&job.objects[0], &job.objects[1], sizeof *job.objects);
  }
}

static void angles_turn_counter_clockwise_one_after_another(void **state) {
  (void)state;
  read_objects("type = \"box\"; size = [40, 4, 4]; rotate_deg = 30;", NULL);
  assert_true(holds(&job.objects[0], 19 * cos(TOR_PI / 6), 19 * sin(TOR_PI / 6), 0));
  assert_false(holds(&job.objects[0], 19, 0, 0));
  /* x becomes y (about z), which the turns about x and y before leave alone; z becomes -y, then x. */
  read_objects("type = \"cone\"; radius_lo = 10; radius_hi = 1; height = 40; rotate_deg = [60, 0, 90];", NULL);
  const double s = sin(TOR_PI / 3), c = cos(TOR_PI / 3); /* its tip: z, after x: (0, -s, c), after z: (s, 0, c) */
  assert_true(holds(&job.objects[0], 19.5 * s, 0, 19.5 * c));
  assert_false(holds(&job.objects[0], -19.5 * s - 5 * c, 0, -19.5 * c + 12 * s));
}

static void new_shapes_lie_where_their_keys_say(void **state) {
  (void)state;
  read_objects("type = \"capsule\"; radius = 5; height = 30; axis = \"y\";",
               "type = \"torus\"; radius = 20; tube_radius = 5; axis = \"x\";");
  assert_true(holds(&job.objects[0], 0, 14.9, 0) && !holds(&job.objects[0], 3, 14.9, 0));
  assert_true(holds(&job.objects[1], 0, 24.9, 0) && !holds(&job.objects[1], 0, 14.9, 0));
  read_objects("type = \"arc\"; radius = 20; width = 4; height = 10; from_deg = 10; to_deg = 80; center = [0, 0, 5];",
               "type = \"path\"; width = 4; lo = 0; hi = 5; points = ([0, 0], [20, 0], [20, 20]); bend_radius = 10;");
  assert_true(holds(&job.objects[0], 20 * sqrt(0.5), 20 * sqrt(0.5), 9.9));
  assert_false(holds(&job.objects[0], 20, 1, 5) || holds(&job.objects[0], 14.14, 14.14, -0.1));
  assert_true(holds(&job.objects[1], 10 + 10 * sqrt(0.5), 10 - 10 * sqrt(0.5), 2));
  assert_false(holds(&job.objects[1], 20, 0, 2) || holds(&job.objects[1], -0.1, 0, 2));
  read_objects("type = \"prism\"; lo = 0; hi = 10; vertices = ([-9, -9], [9, -9], [9, 9], [-9, 9]); sidewall_deg = 45; "
               "sidewall_at = \"middle\";",
               NULL);
  assert_true(holds(&job.objects[0], 12, 0, 1) && holds(&job.objects[0], 4, 0, 9));
  assert_false(holds(&job.objects[0], 5.1, 0, 9) || holds(&job.objects[0], 9.5, 0, 5));
  read_objects("type = \"difference\"; rotate_deg = 45; parts = ({ type = \"box\"; size = [20, 20, 20]; },"
               "{ type = \"union\"; parts = ({ type = \"sphere\"; radius = 5; }, { type = \"box\"; size = [2, 2, 30];"
               " rotate_deg = 45; }); });",
               NULL);
  assert_true(holds(&job.objects[0], 13, 0, 0) && !holds(&job.objects[0], 9, 9, 0));
  assert_false(holds(&job.objects[0], 4, 0, 0) || holds(&job.objects[0], 0, 0, 8));
  assert_true(holds(&job.objects[0], 0.9, 0.9, 8) == 0 && holds(&job.objects[0], 1.2, 0, 8));
}

/* In 2-D the same shapes end nowhere along z, and turn about it; the run's axes are others. */
static void plane_jobs_have_them_too(void **state) {
  (void)state;
  char text[1024];
  snprintf(text, sizeof text,
           "%sobjects = ({ type = \"rectangle\"; medium = \"vacuum\"; size = [40, 4]; rotate_deg = 30; },\n"
           "{ type = \"arc\"; medium = \"vacuum\"; radius = 20; width = 4; to_deg = 90; },\n"
           "{ type = \"path\"; medium = \"vacuum\"; width = 4; points = ([0, 0], [20, 0]); rotate_deg = 90;"
           " rotate_about = [0, 0]; },\n"
           "{ type = \"layer\"; medium = \"vacuum\"; axis = \"x\"; lo = 0; hi = 5; rotate_deg = 45;"
           " rotate_about = [0, 0]; });",
           plane_base);
  expect_good(read_with(text, NULL, 0));
  const struct tor_object *o = job.objects; /* user's (x, y) are y and z of the job */
  assert_true(holds(&o[0], 0, 19 * cos(TOR_PI / 6), 19 * sin(TOR_PI / 6)) && !holds(&o[0], 0, 19, 0));
  assert_true(holds(&o[1], 0, 14.1, 14.1) && !holds(&o[1], 0, -14.1, 14.1));
  assert_true(holds(&o[2], 0, 0, 19) && !holds(&o[2], 0, 19, 0));
  assert_true(holds(&o[3], 0, 2, 2) && !holds(&o[3], 0, 4, 4) && !holds(&o[3], 0, -1, 0));
}

static void overrides_reach_into_parts(void **state) {
  (void)state;
  char text[1024];
  const char *const set[] = {"objects[0].parts[1].radius=7", "objects[0].parts[0]={type=\"sphere\"; radius=9;}"};
  snprintf(text, sizeof text,
           "%sobjects = ({ type = \"difference\"; medium = \"vacuum\"; parts = ({ type = \"box\"; size = [20, 20, 20]; "
           "}, { type = \"sphere\"; radius = 5; }); });",
           job_base);
  expect_good(read_with(text, set, 2));
  assert_true(holds(&job.objects[0], 8, 0, 0) && !holds(&job.objects[0], 6, 0, 0) &&
              !holds(&job.objects[0], 9.5, 0, 0));
}

/* Copies lie about their object; JSON has them as one object, messages have its number. */
static void objects_are_repeated_about_their_place(void **state) {
  (void)state;
  char *text;
  size_t bytes;
  read_objects("type = \"box\"; size = [2, 4, 6]; center = [5, 0, 0]; repeat = [3, 2, 1]; pitch = [10, 20, 0];",
               "type = \"cylinder\"; radius = 2; height = 3; repeat = 4; pitch = [0, 0, 7];");
  assert_int_equal(job.nobjects, 10);
  for (int i = 0; i < 6; i++) { /* along x first */
    const int row = i / 3;
    expect_near(job.objects[i].center[0], (5 + 10 * (i % 3 - 1)) * 1e-9, 1e-20);
    expect_near(job.objects[i].center[1], (20 * row - 10) * 1e-9, 1e-20);
    assert_int_equal(tor_job_object_number(&job, i), 0);
  }
  for (int i = 0; i < 4; i++) {
    expect_near(job.objects[6 + i].center[2], 7 * (i - 1.5) * 1e-9, 1e-20);
    assert_int_equal(tor_job_object_number(&job, 6 + i), 1);
  }
  text = tor_job_text(&job, &bytes);
  const char *first = strstr(text, "\"repeat\": [3, 2, 1]"), *second = strstr(text, "\"repeat\": [1, 1, 4]");
  assert_true(first && second && first < second && !strstr(second + 1, "\"repeat\""));
  free(text);
  read_objects(
      "type = \"difference\"; parts = ({ type = \"box\"; size = [50, 50, 5]; }, { type = \"cylinder\"; radius = 3; "
      "height = 9; repeat = [2, 2, 1]; pitch = [20, 20, 0]; });",
      NULL);
  assert_int_equal(job.objects[0].nparts, 5);
  assert_true(holds(&job.objects[0], 0, 0, 0) && !holds(&job.objects[0], -10, 10, 0));
  expect_only("objects = ({ type = \"sphere\"; medium = \"vacuum\"; radius = 5; repeat = 3; });", 3, "objects[0].pitch",
              "missing");
  expect_only("objects = ({ type = \"sphere\"; medium = \"vacuum\"; radius = 5; pitch = [9, 0, 0];\n repeat = 2.5; });",
              4, "objects[0].repeat", "need whole numbers");
  expect_only(
      "objects = ({ type = \"sphere\"; medium = \"vacuum\"; radius = 5; repeat = [2, 2, 1];\n pitch = [9, 0, 0]; "
      "});",
      4, "objects[0].pitch", "0 along y, where repeat has 2 copies");
}

static void wrong_objects_have_faults(void **state) {
  (void)state;
#define OBJECT "objects = ({ medium = \"vacuum\";\n"
  expect_only("objects = ({ type = \"sphere\"; radius = 5; });", 3, "objects[0].medium",
              "the name of a medium in quotes");
  expect_only(OBJECT "type = \"sphere\"; radius = 5; rotate_deg = \"a\"; });", 4, "objects[0].rotate_deg",
              "need a number from -360 to 360, or [x, y, z] of them");
  expect_only(OBJECT "type = \"sphere\"; radius = 5; rotate_axis = \"x\"; });", 4, "objects[0].rotate_axis",
              "need rotate_deg beside it");
  expect_only(OBJECT "type = \"box\"; size = [1, 1, 1]; rotate_deg = [1, 2, 3]; rotate_axis = \"x\"; });", 4,
              "objects[0].rotate_axis", "an angle about each axis");
  expect_only(OBJECT "type = \"capsule\"; radius = 5;\n height = 9; });", 5, "objects[0].height", "at least twice");
  expect_only(OBJECT "type = \"torus\"; radius = 5;\n tube_radius = 6; });", 5, "objects[0].tube_radius", "at most");
  expect_only(OBJECT "type = \"arc\"; radius = 5; width = 2; height = 1; from_deg = 10;\n to_deg = 10; });", 5,
              "objects[0].to_deg", "need to_deg above from_deg");
  expect_only(OBJECT "type = \"arc\"; radius = 5; width = 2; });", 3, "objects[0].height", "missing");
  expect_only(OBJECT "type = \"path\"; width = 2; lo = 0; points = ([0, 0], [5, 0]); });", 3, "objects[0].hi",
              "missing");
  expect_only(OBJECT "type = \"path\"; width = 2; lo = 0; hi = 1; points = ([0, 0]); });", 4, "objects[0].points",
              "need a list of 2 or more pairs");
  expect_only(OBJECT "type = \"path\"; width = 2; lo = 0; hi = 1; points = ([0, 0], [0, 0]); });", 4,
              "objects[0].points[1]", "the point before it is the same");
  expect_only(OBJECT "type = \"path\"; width = 2; lo = 0; hi = 1; points = ([0, 0], [5, 0], [5, 5]);\n"
                     " bend_radius = 7; });",
              5, "objects[0].bend_radius", "the bend at points[1] needs 7 nm");
  expect_only(OBJECT "type = \"path\"; width = 2; lo = 0; hi = 1; bend_radius = 1; points = ([0, 0], [5, 0], [0, 0]); "
                     "});",
              4, "objects[0].points[1]", "turns back");
  expect_only(OBJECT "type = \"union\"; parts = ({ type = \"sphere\"; radius = 5; }); });", 4, "objects[0].parts",
              "got 1 shape, need two or more");
  expect_only(OBJECT "type = \"union\"; parts = ({ type = \"sphere\"; radius = 5; },\n"
                     "{ type = \"sphere\"; radius = 5; medium = \"vacuum\"; }); });",
              5, "objects[0].parts[1].medium", "need none here");
  expect_only(OBJECT "type = \"union\"; parts = ({ type = \"sphere\"; radius = 5; },\n"
                     "{ type = \"sphere\"; raduis = 5; radius = 5; }); });",
              5, "objects[0].parts[1].raduis", "nearest known key: radius");
  expect_only(OBJECT "type = \"sphere\"; radius = 5; sidewall_deg = 5; });", 4, "objects[0].sidewall_deg",
              "not a key of type \"sphere\"");
}

static void plane_jobs_refuse_what_lies_along_z(void **state) {
  (void)state;
  static const char *const wrong[][3] = {
      {"type = \"arc\"; radius = 5; width = 2; height = 3;", "height", "the job is 2-D"},
      {"type = \"path\"; width = 2; points = ([0, 0], [5, 0]); lo = 1;", "lo", "the job is 2-D"},
      {"type = \"circle\"; radius = 2; rotate_deg = [0, 0, 20];", "rotate_deg", "need one angle"},
      {"type = \"rectangle\"; size = [2, 2]; rotate_deg = 3; rotate_axis = \"x\";", "rotate_axis", "the job is 2-D"},
      {"type = \"torus\"; radius = 5; tube_radius = 2;", "type", "need \"arc\""},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[1024], path[64];
    snprintf(text, sizeof text, "%sobjects = ({ medium = \"vacuum\"; %s });", plane_base, wrong[i][0]);
    snprintf(path, sizeof path, "objects[0].%s", wrong[i][1]);
    assert_false(read_with(text, NULL, 0));
    assert_int_equal(faults.count, 1);
    expect_fault(3, path, wrong[i][2]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(turned_by_right_angles_is_as_written_so),
      cmocka_unit_test(angles_turn_counter_clockwise_one_after_another),
      cmocka_unit_test(new_shapes_lie_where_their_keys_say),
      cmocka_unit_test(plane_jobs_have_them_too),
      cmocka_unit_test(overrides_reach_into_parts),
      cmocka_unit_test(objects_are_repeated_about_their_place),
      cmocka_unit_test(wrong_objects_have_faults),
      cmocka_unit_test(plane_jobs_refuse_what_lies_along_z),
  };
  return cmocka_run_group_tests(tests, job_text_begin, job_text_end);
}
