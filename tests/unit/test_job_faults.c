/* The job file reader: every fault is reported, with its line. */
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

#include "tests/support/job_text.h"

#define WAVE "sources = ({ type = \"plane_wave\"; time = { type = \"pulse\"; wavelength = 500; band = 200; };\n"

static void ten_faults_are_all_reported_in_order(void **state) {
  (void)state;
  assert_false(read_with("title = 3;\n"                                             /* 1 */
                         "length_unit = \"ft\";\n"                                  /* 2 */
                         "grid = { size = [100];\n"                                 /* 3 */
                         "  cell = 0;\n"                                            /* 4 */
                         "  ordr = 2;\n"                                            /* 5 */
                         "  samples = 33; };\n"                                     /* 6 */
                         "objects = ({ type = \"sphere\"; medium = \"Aq\";\n"       /* 7 */
                         "   radius = -1; },\n"                                     /* 8 */
                         "  { type = \"box\";\n"                                    /* 9 */
                         "    radius = 1; medium = \"Au\"; size = [1, 1, 1]; });\n" /* 10 */
                         "run = { decay = 1.0; };\n",                               /* 11 */
                         NULL, 0));
  expect_fault(1, "title", "got 3, need a text");
  expect_fault(2, "length_unit", "got \"ft\", need \"nm\", \"um\", \"mm\", \"m\" or \"angstrom\"");
  expect_fault(3, "grid.size", "got [100], need [x, y, z] in nm, each above 0");
  expect_fault(4, "grid.cell", "got 0, need a number in nm above 0");
  expect_fault(5, "grid.ordr", "unknown key; nearest known key: order");
  expect_fault(6, "grid.samples", "got 33, need a whole number from 1 to 32");
  expect_fault(7, "objects[0].medium", "unknown medium \"Aq\"");
  expect_fault(8, "objects[0].radius", "got -1, need a number in nm above 0");
  expect_fault(10, "objects[1].radius", "not a key of type \"box\"");
  expect_fault(11, "run.decay", "got 1, need a number from 0 to below 1");
  expect_fault(11, "run.time_fs", "missing");
  assert_int_equal(faults.count, 11);
  int line = 0;
  for (int i = 0; i < faults.count; i++) {
    int here = atoi(strchr(faults.item[i].text + strlen(job_path), ':') + 1);
    assert_true(here >= line);
    line = here;
  }
}

static void missing_groups_name_the_keys_they_lack(void **state) {
  (void)state;
  assert_false(read_with("", NULL, 0));
  expect_fault(0, "grid.size", "missing, need [x, y, z] in nm");
  expect_fault(0, "grid.cell", "missing");
  expect_fault(0, "run.time_fs", "missing");
  assert_int_equal(faults.count, 3);
  expect_only("monitors = (\n  { type = \"energy\"; },\n  { type = \"flux\"; wavelengths = 500;\n"
              "   box = { lo = [0, 0, 0]; }; });",
              6, "monitors[1].box.hi", "missing");
  expect_only("objects = ({ radius = 3; medium = \"vacuum\"; });", 3, "objects[0].type", "missing");
  expect_only("designs = ({ medium_0 = \"vacuum\"; medium_1 = \"vacuum\";\n"
              "   box = { lo = [0, 0, 0]; hi = [1, 1, 1]; }; });",
              3, "designs[0].file", "missing");
}

static void an_index_at_a_wavelength_is_whole_and_without_gain(void **state) {
  (void)state;
  expect_only("media = ({ name = \"a\"; n = 1.5;\n k = -0.1;\n at = 500.0; });", 4, "media[0].k", "gain");
  expect_only("media = ({ name = \"a\"; n = 1.5; });", 3, "media[0].at", "index = 1.5 is one for all wavelengths");
  expect_only("media = ({ name = \"a\"; k = 1.5; at = 500.0; });", 3, "media[0].n", "missing");
  expect_only("media = ({ name = \"a\"; n = 0.0; k = 0.0; at = 500.0; });", 3, "media[0].n", "one of them above 0");
  expect_only("media = ({ name = \"a\"; n = 1.5; at = 500.0;\n permittivity = 2.0; });", 4, "media[0].permittivity",
              "they are the whole medium");
  expect_only("media = ({ name = \"a\"; n = 1.5; at = 0.5; });", 3, "media[0].at", "0.5 um would be 500");
}

static void unknown_keys_name_the_nearest(void **state) {
  (void)state;
  expect_only("gird = {};", 3, "gird", "nearest known key: grid");
  expect_only("monitors = ({ type = \"energy\"; evry = 3; });", 3, "monitors[0].evry", "nearest known key: every");
  expect_only("boundaries = { y_hi = { type = \"cpml\";\n cels = 3; }; };", 4, "boundaries.y_hi.cels",
              "nearest known key: cells");
  expect_only("boundaries = { z_low = \"pec\"; };", 3, "boundaries.z_low", "nearest known key: z_lo");
  expect_only("background = \"vaccum\";", 3, "background", "nearest known: vacuum");
  /* what a name begins, and other names */
  expect_only("background = \"Gold\";", 3, "background", "nearest known: Au");
  expect_only("background = \"si3n\";", 3, "background", "nearest known: Si3N4");
  expect_only("media = ({ name = \"golden\"; });\nbackground = \"gold\";", 4, "background", "nearest known: golden");
  expect_only("media = ({ name = \"a\"; refractive_index = 1.5; });", 3, "media[0].refractive_index",
              "nearest known key: index");
  expect_only("monitors = ({ type = \"probe\"; position = [0, 0, 0]; frequency = 1; });", 3, "monitors[0].frequency",
              "nearest known key: wavelengths");
  expect_only("sources = ({ type = \"electric_dipole\"; axis = \"x\"; position = [0, 0, 0]; pos = 1;\n"
              "  time = { type = \"pulse\"; wavelength = 500; band = 100; }; });",
              3, "sources[0].pos", "nearest known key: position");
  /* nothing near: all there are */
  expect_only(
      "monitors = ({ type = \"slice\"; axis = \"x\"; position = 0; component = \"Ex\"; times_fs = [1];\n radius = 1; "
      "});",
      4, "monitors[0].radius",
      "not a key of type \"slice\"; known keys: type, name, position, axis, component, times_fs, image_limit, "
      "image_scale, image");
  expect_only("run2 = {};", 3, "run2", "nearest known key: run");
  expect_only("checkpoint = { folder = \"a\"; };", 3, "checkpoint.folder", "known keys: minutes, steps, keep");
}

static void words_of_other_programs_name_what_there_is(void **state) {
  (void)state;
  const char *const page = "docs/user/job-file.md, \"What there is not (yet)\"";
  const char *const keys[] = {"eigenmode", "neff", "modulation"};
  for (int i = 0; i < (int)(sizeof keys / sizeof *keys); i++) {
    char text[256], key[64];
    snprintf(key, sizeof key, "sources[0].%s", keys[i]);
    snprintf(text, sizeof text,
             "sources = ({ type = \"electric_dipole\"; axis = \"x\"; position = [0, 0, 0]; %s = 1;\n"
             "  time = { type = \"pulse\"; wavelength = 500; band = 100; }; });",
             keys[i]);
    expect_only(text, 3, key, page);
  }
  expect_only("bloch = 1;", 3, "bloch", "walls of type \"bloch\" have the wave vector boundaries.k");
  expect_only("symmetry = \"x\";", 3, "symmetry", "need a group");
  expect_only("sources = ({ type = \"electric_dipole\"; axis = \"x\"; position = [0, 0, 0]; theta = 1;\n"
              "  time = { type = \"pulse\"; wavelength = 500; band = 100; }; });",
              3, "sources[0].theta", "theta_deg, phi_deg");
  expect_only("monitors = ({ type = \"near2far\"; });", 3, "monitors[0].type", "the monitor \"far_field\"");
  expect_only("sources = ({ type = \"Gaussian\"; time = { type = \"pulse\"; wavelength = 500; band = 100; }; });", 3,
              "sources[0].type", "a beam is \"gaussian_beam\"");
  expect_only("monitors = ({ type = \"decay_rate\"; wavelengths = [500]; });", 3, "monitors[0].source", "0 dipoles");
  expect_only("monitors = ({ type = \"energy\"; modes = 3; });", 3, "monitors[0].modes", page);
}

/* A terminal that prints it would obey it. */
static void control_characters_are_in_no_path(void **state) {
  (void)state;
  expect_only("output = \"a\\x1b[31m\";", 3, "output",
              "got \"a?[31m\", need a path in UTF-8 without control characters");
}

static void a_plane_of_modes_lies_across_a_guide(void **state) {
  (void)state;
  expect_only("modes = { wavelengths = [500];\n box = { lo = [0, 0, 0]; hi = [0, 50, 0]; }; };", 4, "modes.box",
              "lo and hi agree along 2 axes");
  expect_only("modes = { wavelengths = [500];\n box = { lo = [0, 10, -50];\n hi = [0, 0, 50]; }; };", 5, "modes.box.hi",
              "hi is below lo along y");
  expect_only("modes = { box = { lo = [0, -50, -50]; hi = [0, 50, 50]; };\n wavelengths = [1.0]; };", 4,
              "modes.wavelengths", "cell");
}

static void syntax_errors_name_file_and_line(void **state) {
  (void)state;
  assert_false(read_more("title = \"a\";\nrun2 = { ;\n"));
  char start[128];
  snprintf(start, sizeof start, "%s:4: ", job_path);
  assert_int_equal(faults.count, 1);
  assert_int_equal(strncmp(faults.item[0].text, start, strlen(start)), 0);
  assert_false(read_more("title = \"a\";\ntitle = \"b\";\n"));
  assert_non_null(strstr(faults.item[0].text, ":4: duplicate setting name"));
  assert_false(read_more("\n@include \"x\"\n"));
  assert_non_null(strstr(faults.item[0].text, ":4: "));
  assert_false(read_more("title = \"a\";\n/* sources = (); \n/"));
  assert_non_null(strstr(faults.item[0].text, ":4: a comment begins here"));
  assert_false(read_more("objects = ( [1, 2) ] );"));
  tor_faults_free(&faults);
  assert_false(tor_job_read("/nowhere/job.cfg", NULL, 0, &job, &faults));
  assert_non_null(strstr(faults.item[0].text, "cannot be read"));
  tor_faults_free(&faults);
  assert_false(tor_job_read(job_folder, NULL, 0, &job, &faults));
  assert_int_equal(faults.count, 1);
}

static void numbers_that_are_not_finite_are_refused(void **state) {
  (void)state;
  expect_only("objects = ({ type = \"sphere\"; medium = \"vacuum\"; radius = 1e999; });", 3, "objects[0].radius",
              "got inf");
  expect_only("objects = ({ type = \"layer\"; medium = \"vacuum\"; lo = -1e999; });", 3, "objects[0].lo", "got -inf");
  const char *const set[] = {"grid.courant=nan"};
  assert_false(read_with(job_base, set, 1));
  assert_non_null(strstr(faults.item[0].text, "--set grid.courant: got \"nan\", need a number"));
  char table[96];
  snprintf(table, sizeof table, "%s/pulse.txt", job_folder);
  write_text(table, "# t v\n0 0\n1 nan\n");
  expect_only("sources = ({ type = \"electric_dipole\"; axis = \"x\"; position = [0, 0, 0];\n"
              "  time = { type = \"table\"; file = \"pulse.txt\"; }; });",
              4, "sources[0].time.file", "pulse.txt:3: got something else, need two numbers");
}

static void absurd_domains_are_refused_without_allocating(void **state) {
  (void)state;
  assert_false(read_with(
      "grid = { size = [1e12, 10, 10]; cell = 1; };\nboundaries = { default = \"pec\"; };\nrun = { time_fs = 1; };",
      NULL, 0));
  expect_fault(1, "grid.size", "1e+12 cells along x");
  assert_false(read_with("grid = { size = [1e6, 1e6, 1e6]; cell = 1; };\nrun = { time_fs = 1; };", NULL, 0));
  expect_fault(1, "grid.size", "1e+18 cells in all");
  assert_false(
      read_with("grid = { size = [1e-300, 1e-300, 1e-300]; cell = 1e-301; };\nboundaries = { default = \"pec\"; };\n"
                "run = { time_fs = 1; };",
                NULL, 0));
  expect_fault(3, "run.time_fs", "time steps");
  expect_only("monitors = ({ type = \"probe\"; position = [0, 0, 0];\n wavelengths = { from = 400; to = 500; count = "
              "2000000000; }; });",
              4, "monitors[0].wavelengths.count", "got 2000000000");
}

static void keys_are_checked_against_each_other(void **state) {
  (void)state;
  expect_only("boundaries = { cpml = { cells = 20; }; y_lo = \"pec\"; z_hi = \"pec\"; };", 3, "boundaries.x_lo",
              "20 + 20 cells leave none of 40");
  expect_only("monitors = ({ type = \"probe\"; position = [0, 51, 0]; });", 3, "monitors[0].position",
              "y = 51 nm is outside");
  expect_only("monitors = ({ type = \"slice\"; axis = \"x\"; component = \"Ez\"; position = 0; times_fs = [1, 11]; });",
              3, "monitors[0].times_fs", "run.time_fs = 10");
  expect_only("monitors = ({ type = \"flux\"; wavelengths = [500]; box = { lo = [0, 0, 0]; hi = [1, 1, 1]; }; });", 3,
              "monitors[0].box", "agree along 0 axes");
  expect_only("monitors = ({ type = \"energy\"; name = \"a\"; },\n { type = \"energy\"; name = \"a\"; });", 4,
              "monitors[1].name", "is the name of monitors[0]");
  expect_only("monitors = ({ type = \"energy\"; name = \"../a\"; });", 3, "monitors[0].name",
              "got \"../a\", need a name");
  expect_only("monitors = ({ type = \"energy\"; name = \".a\"; });", 3, "monitors[0].name", "need a name");
  expect_only("output = \"\";", 3, "output", "not empty");
  expect_only("monitors = ({ type = \"flux_box\"; wavelengths = [0.5]; box = { lo = [0, 0, 0]; hi = [1, 1, 1]; }; });",
              3, "monitors[0].wavelengths", "at least two cells");
  expect_only("media = ({ name = \"a\"; permittivity = 0.5; });", 3, "media[0]", "grid.courant of at most 0.707");
  expect_only("media = ({ name = \"a\"; poles = ({ type = \"drude\";\n plasma_eV = 9; }); });", 3,
              "media[0].poles[0].gamma_eV or gamma_rad_per_s", "missing");
  expect_only("media = ({ name = \"a\"; index = 2; permittivity = 4; });", 3, "media[0].index", "only one");
  expect_only("media = ({ name = \"a\"; }, { name = \"a\"; });", 3, "media[1].name", "another name");
  expect_only(
      "objects = ({ type = \"prism\"; medium = \"vacuum\"; lo = 0; hi = 1; vertices = ([0, 0], [1, 1], [2, 2]); });", 3,
      "objects[0].vertices", "no area");
  expect_only("objects = ({ type = \"layer\"; medium = \"vacuum\"; lo = 1; hi = 1; });", 3, "objects[0].hi",
              "need hi above lo");
  const char *const set[] = {"grid.order=4", "grid.size=[100,100,7.5]", "boundaries.z_lo=pec", "boundaries.z_hi=pec"};
  assert_false(read_with(job_base, set, 4));
  assert_non_null(strstr(faults.item[0].text, "--set grid.size: 3 cells along z, order 4 needs 1 or at least 4"));
}

static void bad_walls_have_no_faults_that_follow(void **state) {
  (void)state;
  expect_only(
      "boundaries = { cpml = { cells = 20; };\n default = \"floquet\"; };", 4, "boundaries.default",
      "got \"floquet\", need \"pec\", \"pmc\", \"cpml\", \"absorber\", \"periodic\" or \"bloch\"; periodic walls");
  expect_only("boundaries = { y_hi = \"periodic\"; };", 3, "boundaries.y_lo", "both ends of an axis periodic");
  expect_only("boundaries = { cpml = { cells = 20; }; default = \"pec\"; x_lo = { type = \"Floquet\"; }; };", 3,
              "boundaries.x_lo.type", "with a phase are \"bloch\"");
  expect_only("boundaries = { x_lo = \"bloch\"; x_hi = \"bloch\"; };", 3, "boundaries.k", "missing, and walls");
  expect_only("boundaries = { x_lo = \"bloch\"; x_hi = \"periodic\"; k = 0.01; };", 3, "boundaries.x_hi",
              "\"bloch\" at both ends");
  expect_only("boundaries = { x_lo = \"bloch\"; x_hi = \"bloch\";\n k = [0.01, 0.01, 0]; };", 4, "boundaries.k",
              "got 0.01 along y, where the walls are not \"bloch\"");
  expect_only("boundaries = { x_lo = \"bloch\"; x_hi = \"bloch\"; k = 2; };", 3, "boundaries.k",
              "pi over the edge of a cell");
  expect_only("boundaries = { x_lo = \"bloch\"; x_hi = \"bloch\"; k = 0.1;\n phase_deg = 5; };", 4,
              "boundaries.phase_deg", "one of the two");
  expect_only(
      "boundaries = { default = \"pec\"; z_lo = \"cpml\"; z_hi = \"absorbing\"; cpml = { cells = 39; }; };\n" WAVE
      "direction = \"-z\"; polarisation = \"x\"; });",
      3, "boundaries.z_hi", "or a group with a type");
  expect_only("boundaries = { cpml = { cells = 20.5; }; };", 3, "boundaries.cpml.cells",
              "got 20.5, need a whole number");
}

static void expect_place(const char *key, int line, const char *rest) {
  char text[512], wanted[512];
  tor_place_text(tor_job_place(&job, "%s", key), text, sizeof text);
  if (line)
    snprintf(wanted, sizeof wanted, "%s:%d: %s", job_path, line, rest);
  else
    snprintf(wanted, sizeof wanted, "%s", rest);
  assert_string_equal(text, wanted);
}

static void later_faults_know_where_settings_stand(void **state) {
  (void)state;
  const char *const set[] = {"schedule.th=8", "grid.order=4", "monitors[1].name=c"};
  char text[1024], nowhere[128];
  snprintf(
      text, sizeof text, "%s%s", job_base,
      "monitors = ({ type = \"energy\"; name = \"a\"; },\n { type = \"energy\"; name = \"b\"; });\ncheckpoint = {\n"
      " minutes = 5; };\n");
  assert_true(read_with(text, set, 3));
  expect_place("monitors[0]", 3, "monitors[0]");
  expect_place("monitors[1]", 4, "monitors[1]");
  expect_place("monitors", 3, "monitors");
  expect_place("checkpoint.minutes", 6, "checkpoint.minutes");
  expect_place("checkpoint.steps", 5, "checkpoint.steps"); /* not given: its group's line */
  expect_place("grid.order", 0, "--set grid.order");
  expect_place("schedule.th", 0, "--set schedule.th");
  snprintf(nowhere, sizeof nowhere, "%s: schedule.ranks", job_path);
  expect_place("schedule.ranks", 0, nowhere);
  tor_job_free(&job);
  struct tor_job none = {.path = "bench"};
  tor_place_text(tor_job_place(&none, "monitors[%d]", 7), text, sizeof text);
  assert_string_equal(text, "bench: monitors[7]");
}

/* What programs get is what the text is made of, not read back from it. */
static void faults_have_their_parts(void **state) {
  (void)state;
  const char *const set[] = {"grid.courant=\"x, need y\""};
  read_with(job_base, set, 1);
  assert_int_equal(faults.count, 1);
  const struct tor_fault *f = faults.item;
  assert_string_equal(f->found, "\"x, need y\"");
  assert_string_equal(f->needed, "a number above 0, up to 1");
  assert_string_equal(f->text, "--set grid.courant: got \"x, need y\", need a number above 0, up to 1");
  assert_true(!f->file && !f->line);
  assert_string_equal(f->key, "grid.courant");
  assert_false(read_more("monitors = ({ type = \"cross_section\"; wavelengths = [500]; });"));
  assert_string_equal(faults.item[0].file, job_path);
  assert_true(faults.item[0].line == 3 && !faults.item[0].found && !faults.item[0].needed);
  assert_string_equal(faults.item[0].key, "monitors[0]");
}

static void waves_and_cross_sections_are_checked(void **state) {
  (void)state;
  expect_only(WAVE "direction = \"+z\"; polarisation = \"z\"; });", 4, "sources[0].polarisation",
              "across the direction");
  expect_only(WAVE "direction = \"z\"; polarisation = \"x\"; });", 4, "sources[0].direction", "got \"z\"");
  expect_only(WAVE "direction = \"+z\"; polarisation = \"x\";\nbox = { lo = [60, 0, 0]; hi = [80, 10, 10]; }; });", 5,
              "sources[0].box.lo", "outside the domain");
  expect_only(WAVE "direction = \"+z\"; polarisation = \"x\";\nbox = { lo = [-10, -10, -60]; hi = [10, 10, 10]; }; });",
              5, "sources[0].box.lo", "the wave enters here along z");
  expect_only(WAVE "direction = \"+z\"; polarisation = \"x\";\nbox = { lo = [-10, -10, -40]; hi = [10, 10, 10]; }; });",
              5, "sources[0].box.lo", "absorbing layers along z, which end at z = -25 nm");
  expect_only("monitors = ({ type = \"cross_section\"; wavelengths = [500]; });", 3, "monitors[0]",
              "exactly one plane wave in sources, the job has 0");
  expect_only(WAVE "direction = \"+z\"; polarisation = \"x\"; });\nboundaries = { z_lo = \"pec\"; };", 3,
              "sources[0].box", "where the wave enters");
  expect_only("sources = ({ type = \"plane_wave\"; direction = \"+z\"; polarisation = \"x\";\n"
              "  time = { type = \"pulse\"; wavelength = 500; band = 1000; }; });",
              4, "sources[0].time.band", "got 1000 nm");
}

/* A 2-D job of 1 line with `more` behind it has exactly this fault. */
static void expect_in_plane(const char *more, const char *path, const char *part) {
  char text[1024];
  snprintf(text, sizeof text,
           "grid = { size = [900, 900]; cell = 10; polarisation = \"TM\"; }; run = { time_fs = 10; };\n%s", more);
  assert_false(read_with(text, NULL, 0));
  expect_fault(2, path, part);
  assert_int_equal(faults.count, 1);
}

#define PULSE " time = { type = \"pulse\"; wavelength = 500; band = 100; }; });"
static void plane_jobs_refuse_what_is_3d(void **state) {
  (void)state;
  expect_in_plane("boundaries = { z_lo = \"pec\"; };", "boundaries.z_lo", "nothing varies along z");
  expect_in_plane("objects = ({ type = \"sphere\"; medium = \"Au\"; radius = 50; });", "objects[0].type", "\"circle\"");
  expect_in_plane("objects = ({ type = \"layer\"; medium = \"Au\"; });", "objects[0].axis", "\"x\" or \"y\"");
  expect_in_plane("objects = ({ type = \"circle\"; medium = \"Au\"; radius = 50; center = [0, 0, 0]; });",
                  "objects[0].center", "need [x, y] (the job is 2-D) in nm");
  expect_in_plane("sources = ({ type = \"electric_dipole\"; axis = \"x\"; position = [0, 0];" PULSE, "sources[0].type",
                  "\"line_current\"");
  expect_in_plane("sources = ({ type = \"line_dipole\"; axis = \"z\"; position = [0, 0];" PULSE, "sources[0].axis",
                  "a \"line_current\"");
  expect_in_plane("sources = ({ type = \"plane_wave\"; direction = \"+z\";" PULSE, "sources[0].direction", "\"+y\"");
  expect_in_plane("sources = ({ type = \"plane_wave\"; direction = \"+x\"; polarisation = \"y\";" PULSE,
                  "sources[0].polarisation", "grid.polarisation");
  expect_in_plane("monitors = ({ type = \"probe\"; position = [0, 0]; components = [\"Hz\"]; });",
                  "monitors[0].components", "Ez, Hx or Hy");
  expect_in_plane("monitors = ({ type = \"slice\"; axis = \"x\"; component = \"Ez\"; times_fs = [1]; });",
                  "monitors[0].axis", "the whole plane");
  expect_in_plane("monitors = ({ type = \"flux\"; wavelengths = 500; box = { lo = [0, 0]; hi = [9, 9]; }; });",
                  "monitors[0].box", "exactly one: a line");
  expect_in_plane("schedule = { ranks = [1, 2]; };", "schedule.ranks", "need [2, 1]");
  assert_false(read_with("grid = { size = [900, 900]; cell = 10; };\nrun = { time_fs = 10; };\n", NULL, 0));
  expect_fault(1, "grid.polarisation", "missing");
  expect_only("objects = ({ type = \"circle\"; medium = \"Au\"; radius = 50; });", 3, "objects[0].type",
              "\"cylinder\"");
  expect_only("sources = ({ type = \"line_current\"; position = [0, 0, 0];" PULSE, 3, "sources[0].type",
              "electric_dipole");
  assert_false(read_with(
      "grid = { size = [90, 90, 90]; cell = 10; polarisation = \"TE\"; };\nrun = { time_fs = 10; };\n", NULL, 0));
  expect_fault(1, "grid.polarisation", "is for 2-D jobs");
}

static void faults_of_overrides_name_the_override(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"objects.[0].radius=-4", "--set objects[0].radius: got -4, need a number in nm above 0"},
      {"objects[1].radius=4", "--set objects[1].radius: there is no element [1]: the list has 1 elements"},
      {"grid.ordr=4", "--set grid.ordr: unknown key; nearest known key: order"},
      {"gird.order=4", "--set gird.order: unknown key \"gird\"; nearest known key: grid"},
      {"grid={size=[1,1,1];}", "--set grid: grid.cell: missing"},
      {"grid.order", "--set grid.order: need path=value"},
      {"grid.order=", "--set grid.order: got nothing"},
      {"grid.order=3", "--set grid.order: got 3, need one of the numbers 2 4"},
      {"grid..order=4", "--set grid..order: not a path"},
      {"objects[x].radius=4", "--set objects[x].radius: not a path"},
      {"objects[5=4", "--set objects[5: not a path"},
      {"=4", "--set : not a path"},
      {"grid.order=2; evil=1", "--set grid.order: got 2; evil=1"},
      {"grid.order=[1,", "--set grid.order: got [1,"},
      {"grid.order.x=1", "--set grid.order.x: the job has no group or list \"order\""},
      {"run.time_fs=5000000000000000", "--set run.time_fs: got 5000000000000000, need a number above 0, up to 1e+15"},
      {"grid.a b=1", "--set grid.ab: unknown key"},
      {"boundaries.z_lo.cells=20", "--set boundaries.z_lo.cells: boundaries.z_lo is missing, need a group: --set "
                                   "'boundaries.z_lo={type=\"cpml\";cells=20;}'"},
      {"boundaries.y_hi.alpha=0.1", "--set boundaries.y_hi.alpha: boundaries.y_hi is \"pec\", need a group: --set "
                                    "'boundaries.y_hi={type=\"cpml\";alpha=0.1;}'"},
      {"boundaries.y_hi.type=pmc",
       "--set boundaries.y_hi.type: boundaries.y_hi is \"pec\", need a group: --set 'boundaries.y_hi={type=\"pmc\";}'"},
      {"boundaries.y_hi.celss=3", "--set boundaries.y_hi.celss: the part of the path before \"celss\" is not a group"},
      {"grid.$=1", "--set grid.$: \"$\" is not a key"},
  };
  char text[1024];
  snprintf(text, sizeof text,
           "%sobjects = ({ type = \"sphere\"; medium = \"vacuum\"; radius = 3; });\nboundaries = { y_hi = \"pec\"; };",
           job_base);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const set[] = {cases[i][0]};
    assert_false(read_with(text, set, 1));
    const char *wanted = cases[i][1];
    if (strncmp(faults.item[0].text, wanted, strlen(wanted)))
      fail_msg("%s\n  gave %s\n  not  %s", cases[i][0], faults.item[0].text, wanted);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_faults_are_all_reported_in_order),
      cmocka_unit_test(missing_groups_name_the_keys_they_lack),
      cmocka_unit_test(an_index_at_a_wavelength_is_whole_and_without_gain),
      cmocka_unit_test(unknown_keys_name_the_nearest),
      cmocka_unit_test(words_of_other_programs_name_what_there_is),
      cmocka_unit_test(control_characters_are_in_no_path),
      cmocka_unit_test(a_plane_of_modes_lies_across_a_guide),
      cmocka_unit_test(syntax_errors_name_file_and_line),
      cmocka_unit_test(numbers_that_are_not_finite_are_refused),
      cmocka_unit_test(absurd_domains_are_refused_without_allocating),
      cmocka_unit_test(keys_are_checked_against_each_other),
      cmocka_unit_test(bad_walls_have_no_faults_that_follow),
      cmocka_unit_test(later_faults_know_where_settings_stand),
      cmocka_unit_test(faults_have_their_parts),
      cmocka_unit_test(waves_and_cross_sections_are_checked),
      cmocka_unit_test(faults_of_overrides_name_the_override),
      cmocka_unit_test(plane_jobs_refuse_what_is_3d),
  };
  return cmocka_run_group_tests(tests, job_text_begin, job_text_end);
}
