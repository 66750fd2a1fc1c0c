/* The job file reader: what it accepts, what it fills in, and that every fault is reported with its line. */
#include <libconfig.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../temporary.h"
#include "io/input.h"

static char job_path[64], folder[] = "/tmp/torre_input_XXXXXX";
static struct tor_job job;
static struct tor_faults faults;

static const char base[] = "grid = { size = [100, 100, 100]; cell = 2.5; };\nrun = { time_fs = 10; };\n";

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static int read_with(const char *text, const char *const *set, int nset) {
  write_text(job_path, text);
  tor_job_free(&job);
  tor_faults_free(&faults);
  return tor_input_read(job_path, set, nset, &job, &faults);
}

static int read_more(const char *more) {
  char text[8192];
  snprintf(text, sizeof text, "%s%s", base, more);
  return read_with(text, NULL, 0);
}

static void expect_good(int good) {
  if (!good) tor_faults_print(&faults, stderr);
  assert_true(good);
}

/* One fault that starts with <job file>:line: path: and holds `part`. */
static int has_fault(int line, const char *path, const char *part) {
  char start[256];
  if (line)
    snprintf(start, sizeof start, "%s:%d: %s: ", job_path, line, path);
  else
    snprintf(start, sizeof start, "%s: %s: ", job_path, path);
  for (int i = 0; i < faults.count; i++)
    if (!strncmp(faults.text[i], start, strlen(start)) && strstr(faults.text[i], part)) return 1;
  return 0;
}

static void expect_fault(int line, const char *path, const char *part) {
  if (has_fault(line, path, part)) return;
  tor_faults_print(&faults, stderr);
  fail_msg("no fault at line %d, %s, with '%s'", line, path, part);
}

/* The base job (2 lines) with `more` after it has exactly one fault. */
static void expect_only(const char *more, int line, const char *path, const char *part) {
  assert_false(read_more(more));
  expect_fault(line, path, part);
  if (faults.count != 1) tor_faults_print(&faults, stderr);
  assert_int_equal(faults.count, 1);
}

static char *reference_path(void) {
  static char path[1024];
  const char *source = getenv("TORRE_SOURCE");
  snprintf(path, sizeof path, "%s/jobs/reference.cfg", source ? source : ".");
  return path;
}

#define expect_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

/* --- The reference file --- */

static void reference_parses_without_fault(void **state) {
  (void)state;
  tor_job_free(&job);
  tor_faults_free(&faults);
  expect_good(tor_input_read(reference_path(), NULL, 0, &job, &faults));
  assert_int_equal(job.nobjects, 7);
  assert_int_equal(job.nsources, 3);
  assert_int_equal(job.nmonitors, 9);
  const struct tor_monitor *plane = &job.monitors[7], *volume = &job.monitors[8];
  assert_true(plane->kind == TOR_SNAPSHOT && plane->ntime == 2 && plane->image && plane->stride[2] == 1);
  assert_int_equal(plane->components, 1 << TOR_EX | 1 << TOR_HZ);
  assert_true(volume->ntime == 2 && volume->stride[0] == 2 && volume->stride[2] == 4 && volume->compression == 4);
  assert_true(volume->lo[0] < -99.9e-9 && volume->hi[2] > 99.9e-9);
  assert_true(job.checkpoint.minutes == 30 && job.checkpoint.steps == 0 && !job.checkpoint.keep);
  assert_int_equal(job.boundary[TOR_XLO].cells, 6);
  assert_int_equal(job.boundary[TOR_ZHI].cells, 8);
  assert_int_equal(job.sources[2].profile.count, 5);
  expect_near(job.sources[2].profile.time[4], 2e-15, 1e-28);
  assert_string_equal(job.monitors[1].name, "flux_box1");
  assert_int_equal(job.monitors[1].nwavelength, 31);
  expect_near(job.monitors[1].wavelength[30], 700e-9, 1e-20);
}

static char seen[512][96];
static int nseen;

static void collect(const config_setting_t *group, const char *prefix) {
  for (int i = 0; i < config_setting_length(group); i++) {
    const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
    char path[96];
    const char *name = config_setting_name(s);
    if (name) {
      assert_true(nseen < 512);
      snprintf(path, sizeof path, "%s%.40s", prefix, name);
      memcpy(seen[nseen++], path, sizeof path);
    } else {
      snprintf(path, sizeof path, "%.*s[]", (int)strlen(prefix) - 1, prefix);
    }
    size_t n = strlen(path);
    snprintf(path + n, sizeof path - n, ".");
    if (config_setting_is_group(s) || config_setting_is_list(s)) collect(s, path);
  }
}

static int is_seen(const char *path) {
  for (int i = 0; i < nseen; i++)
    if (!strcmp(seen[i], path)) return 1;
  return 0;
}

static int is_known(const char *path) {
  for (int i = 0; tor_input_keys(i); i++)
    if (!strcmp(tor_input_keys(i), path)) return 1;
  return 0;
}

static void reference_and_parser_know_the_same_keys(void **state) {
  (void)state;
  config_t config;
  config_init(&config);
  assert_true(config_read_file(&config, reference_path()));
  nseen = 0;
  collect(config_root_setting(&config), "");
  config_destroy(&config);
  int count = 0, bad = 0;
  for (; tor_input_keys(count); count++)
    if (!is_seen(tor_input_keys(count))) bad++, print_error("not in reference.cfg: %s\n", tor_input_keys(count));
  for (int i = 0; i < nseen; i++)
    if (!is_known(seen[i])) bad++, print_error("not known to the reader: %s\n", seen[i]);
  assert_int_equal(bad, 0);
  assert_true(count > 100);
}

/* --- Values and defaults --- */

static void defaults_are_filled_in(void **state) {
  (void)state;
  expect_good(read_more(""));
  expect_near(job.length_unit, 1e-9, 0);
  expect_near(job.size[2], 100e-9, 1e-20);
  expect_near(job.cell[1], 2.5e-9, 1e-20);
  assert_int_equal(job.order, 2);
  assert_int_equal(job.precision, TOR_F32);
  expect_near(job.courant, 0.9, 0);
  assert_int_equal(job.samples, 8);
  assert_int_equal(job.nmedia, 1);
  assert_string_equal(job.media[job.background].name, "vacuum");
  for (int f = 0; f < TOR_NFACE; f++) {
    assert_int_equal(job.boundary[f].wall, TOR_CPML);
    assert_int_equal(job.boundary[f].cells, 10);
    expect_near(job.boundary[f].alpha, 0.05, 0);
  }
  expect_near(job.run_decay, 0, 0);
  assert_int_equal(job.schedule.engine, TOR_ENGINE_AUTO);
  assert_string_equal(strrchr(job.output, '/') - 7, "results/job");
  const char *const set[] = {"grid.order=4"};
  expect_good(read_with(base, set, 1));
  expect_near(job.courant, 0.5, 0);
}

static void wave_box_defaults_to_four_cells_inside_layers_and_open_elsewhere(void **state) {
  (void)state;
  expect_good(read_more("boundaries = { y_lo = \"pec\"; x_hi = { type = \"cpml\"; cells = 6; kappa = 2; }; };\n"
                        "sources = ({ type = \"plane_wave\"; direction = \"-z\"; polarisation = \"y\"; amplitude = 2;\n"
                        "  time = { type = \"pulse\"; wavelength = 500; band = 200; }; });"));
  const struct tor_source *s = &job.sources[0];
  expect_near(s->lo[0], -50e-9 + 14 * 2.5e-9, 1e-18);
  expect_near(s->hi[0], 50e-9 - 10 * 2.5e-9, 1e-18);
  assert_true(s->lo[1] < -50e-9);
  assert_int_equal(s->axis, TOR_Z);
  assert_int_equal(s->direction, -1);
  assert_int_equal(s->polarisation, TOR_Y);
  expect_near(s->profile.amplitude, 2, 0);
  assert_string_equal(s->name, "plane_wave0");
  expect_near(job.boundary[TOR_XHI].kappa, 2, 0);
  expect_near(job.boundary[TOR_XLO].kappa, 1, 0);
}

static void media_take_index_poles_and_like(void **state) {
  (void)state;
  expect_good(read_more(
      "media = ({ name = \"g\"; index = 1.5; },\n"
      " { name = \"gold2\"; like = \"Au\"; permittivity = 4; },\n"
      " { name = \"m\"; like = \"g\"; poles = ({ type = \"drude\"; plasma_eV = 1; gamma_rad_per_s = 1e13; }); });\n"
      "objects = ({ type = \"sphere\"; medium = \"Ag\"; radius = 10; }, { type = \"box\"; medium = \"m\"; size = [1, "
      "2, 3.5]; },"
      " { type = \"layer\"; medium = \"Ag\"; hi = 0; });"));
  assert_int_equal(job.nmedia, 5); /* g, gold2, m, vacuum, Ag */
  expect_near(job.media[0].eps[2], 2.25, 1e-15);
  assert_true(job.media[1].npoles > 0);
  expect_near(job.media[1].eps[0], 4, 0);
  assert_string_equal(job.media[1].name, "gold2");
  expect_near(job.media[2].eps[0], 2.25, 1e-15);
  expect_near(job.media[2].poles[0].strength, 1.519267e15, 1e10);
  assert_int_equal(job.objects[0].medium, 4);
  assert_int_equal(job.objects[2].medium, 4);
  assert_true(isinf(job.objects[2].lo));
  expect_near(job.objects[1].size[2], 3.5e-9, 1e-20);
}

/* --- Faults --- */

static void ten_faults_are_all_reported_in_order(void **state) {
  (void)state;
  assert_false(read_with("title = 3;\n"                                             /* 1 */
                         "length_unit = \"ft\";\n"                                  /* 2 */
                         "grid = { size = [100, 100];\n"                            /* 3 */
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
  expect_fault(3, "grid.size", "got [100, 100], need [x, y, z] in nm, each above 0");
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
    int here = atoi(strchr(faults.text[i] + strlen(job_path), ':') + 1);
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
}

static void unknown_keys_name_the_nearest(void **state) {
  (void)state;
  expect_only("gird = {};", 3, "gird", "nearest known key: grid");
  expect_only("monitors = ({ type = \"energy\"; evry = 3; });", 3, "monitors[0].evry", "nearest known key: every");
  expect_only("boundaries = { y_hi = { type = \"cpml\";\n cels = 3; }; };", 4, "boundaries.y_hi.cels",
              "nearest known key: cells");
  expect_only("boundaries = { z_low = \"pec\"; };", 3, "boundaries.z_low", "nearest known key: z_lo");
  expect_only("background = \"vaccum\";", 3, "background", "nearest known: vacuum");
}

static void syntax_errors_name_file_and_line(void **state) {
  (void)state;
  assert_false(read_more("title = \"a\";\nrun2 = { ;\n"));
  char start[128];
  snprintf(start, sizeof start, "%s:4: ", job_path);
  assert_int_equal(faults.count, 1);
  assert_int_equal(strncmp(faults.text[0], start, strlen(start)), 0);
  assert_false(read_more("title = \"a\";\ntitle = \"b\";\n"));
  assert_non_null(strstr(faults.text[0], ":4: duplicate setting name"));
  assert_false(read_more("\n@include \"x\"\n"));
  assert_non_null(strstr(faults.text[0], ":4: "));
  assert_false(read_more("objects = ( [1, 2) ] );"));
  tor_faults_free(&faults);
  assert_false(tor_input_read("/nowhere/job.cfg", NULL, 0, &job, &faults));
  assert_non_null(strstr(faults.text[0], "cannot be read"));
  tor_faults_free(&faults);
  assert_false(tor_input_read(folder, NULL, 0, &job, &faults));
  assert_int_equal(faults.count, 1);
}

static void numbers_that_libconfig_wraps_keep_their_value(void **state) {
  (void)state;
  /* 5e9 nm is 5 m; libconfig alone would read 705032704. */
  expect_good(read_with("grid = { size = [5000000000, 0x12A05F200, 5000000000L]; cell = 2500000000.0; };\n"
                        "boundaries = { default = \"pec\"; }; run = { time_fs = 99999999999999; };",
                        NULL, 0));
  for (int a = 0; a < 3; a++) expect_near(job.size[a], 5, 1e-12);
  expect_near(job.run_time, 0.099999999999999, 1e-16);
  expect_only("schedule = { threads = 4294967298; };", 3, "schedule.threads",
              "got 4294967298, need a whole number from 0 to 4096");
  expect_only("schedule = { threads = 0xFFFFFFFF; };", 3, "schedule.threads", "got 4294967295");
  expect_only("schedule = { threads = 36893488147419103233; };", 3, "schedule.threads", "got 3.689348815e+19");
  expect_only("schedule = { threads = 2.5; };", 3, "schedule.threads", "got 2.5");
  expect_good(read_more("title = \"5000000000 [1, 2] // no comment\"; schedule = { threads = 2; }; # 5000000000 ["));
  assert_string_equal(job.title, "5000000000 [1, 2] // no comment");
}

static void numbers_that_are_not_finite_are_refused(void **state) {
  (void)state;
  expect_only("objects = ({ type = \"sphere\"; medium = \"vacuum\"; radius = 1e999; });", 3, "objects[0].radius",
              "got inf");
  expect_only("objects = ({ type = \"layer\"; medium = \"vacuum\"; lo = -1e999; });", 3, "objects[0].lo", "got -inf");
  const char *const set[] = {"grid.courant=nan"};
  assert_false(read_with(base, set, 1));
  assert_non_null(strstr(faults.text[0], "--set grid.courant: got \"nan\", need a number"));
  char table[96];
  snprintf(table, sizeof table, "%s/pulse.txt", folder);
  write_text(table, "# t v\n0 0\n1 nan\n");
  expect_only("sources = ({ type = \"electric_dipole\"; axis = \"x\"; position = [0, 0, 0];\n"
              "  time = { type = \"table\"; file = \"pulse.txt\"; }; });",
              4, "sources[0].time.file", "pulse.txt:3: got \"1 nan\"");
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
  assert_false(read_with(base, set, 4));
  assert_non_null(strstr(faults.text[0], "--set grid.size: 3 cells along z, order 4 needs 1 or at least 4"));
}

#define WAVE "sources = ({ type = \"plane_wave\"; time = { type = \"pulse\"; wavelength = 500; band = 200; };\n"

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
              5, "sources[0].box.lo", "absorbing layer along z");
  expect_only("monitors = ({ type = \"cross_section\"; wavelengths = [500]; });", 3, "monitors[0]",
              "exactly one plane wave, the job has 0");
  expect_only(WAVE "direction = \"+z\"; polarisation = \"x\"; });\nboundaries = { z_lo = \"pec\"; };", 3,
              "sources[0].box", "where the wave enters");
  expect_only("sources = ({ type = \"plane_wave\"; direction = \"+z\"; polarisation = \"x\";\n"
              "  time = { type = \"pulse\"; wavelength = 500; band = 1000; }; });",
              4, "sources[0].time.band", "got 1000 nm");
}

/* --- Overrides --- */

static void overrides_replace_and_add(void **state) {
  (void)state;
  const char *const set[] = {"grid.cell=[1.0,2,2.5]",
                             "objects.[0].radius=40",
                             "objects[1].size[2]=7",
                             "run.decay=1e-6",
                             "schedule.engine=diamond",
                             "title=my run",
                             "boundaries.cpml.cells=5",
                             "objects[0].center = [1, 2, 3]",
                             "objects[0].radius=41",
                             "sources=()",
                             "monitors=({type=\"energy\";})",
                             "boundaries.x_lo={type=\"pec\";}",
                             "grid.size[0]=110"};
  char text[1024];
  snprintf(text, sizeof text,
           "%sobjects = ({ type = \"sphere\"; medium = \"vacuum\"; radius = 3; }, { type = \"box\"; medium = "
           "\"vacuum\"; size = [1, 2, 3]; });",
           base);
  expect_good(read_with(text, set, (int)(sizeof set / sizeof *set)));
  expect_near(job.cell[0], 1e-9, 1e-20);
  expect_near(job.cell[2], 2.5e-9, 1e-20);
  expect_near(job.size[0], 110e-9, 1e-20);
  expect_near(job.size[1], 100e-9, 1e-20);
  expect_near(job.objects[0].radius[0], 41e-9, 1e-20);
  expect_near(job.objects[0].center[1], 2e-9, 1e-20);
  expect_near(job.objects[1].size[2], 7e-9, 1e-20);
  expect_near(job.objects[1].size[1], 2e-9, 1e-20);
  expect_near(job.run_decay, 1e-6, 0);
  assert_int_equal(job.schedule.engine, TOR_ENGINE_DIAMOND);
  assert_string_equal(job.title, "my run");
  assert_int_equal(job.boundary[TOR_ZLO].cells, 5);
  assert_int_equal(job.boundary[TOR_XLO].wall, TOR_PEC);
  assert_int_equal(job.nmonitors, 1);
}

static void faults_of_overrides_name_the_override(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"objects.[0].radius=-4", "--set objects[0].radius: got -4, need a number in nm above 0"},
      {"objects[1].radius=4", "--set objects[1].radius: there is no [1]: the list before it has 1 elements"},
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
      {"grid.$=1", "--set grid.$: \"$\" is not a key"},
  };
  char text[1024];
  snprintf(text, sizeof text, "%sobjects = ({ type = \"sphere\"; medium = \"vacuum\"; radius = 3; });", base);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const set[] = {cases[i][0]};
    assert_false(read_with(text, set, 1));
    const char *wanted = cases[i][1];
    if (strncmp(faults.text[0], wanted, strlen(wanted)))
      fail_msg("%s\n  gave %s\n  not  %s", cases[i][0], faults.text[0], wanted);
  }
}

/* --- JSON --- */

static void json_is_escaped_and_has_no_infinity(void **state) {
  (void)state;
  expect_good(read_more("title = \"a \\\"b\\\" \\\\ \\n \\x01 \xc3\xa9 \xff\";\n"
                        "objects = ({ type = \"layer\"; medium = \"vacuum\"; hi = 0; });"));
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  tor_job_write_json(&job, out, 0);
  fclose(out);
  assert_non_null(strstr(text, "\"title\": \"a \\\"b\\\" \\\\ \\u000a \\u0001 \xc3\xa9 \\ufffd\""));
  assert_non_null(strstr(text, "\"lo_m\": null"));
  assert_non_null(strstr(text, "\"size_m\": [1e-07, 1e-07, 1e-07]"));
  assert_null(strstr(text, "inf"));
  assert_null(strstr(text, "nan"));
  int depth = 0, quoted = 0;
  for (const char *s = text; *s; s++) {
    if (*s == '\\')
      s++;
    else if (*s == '"')
      quoted = !quoted;
    else if (!quoted)
      depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
    assert_true(depth > 0 || s[1] == 0);
  }
  assert_int_equal(depth, 0);
  free(text);
}

static int enter(void **state) {
  (void)state;
  return temporary_file(folder, "job.cfg", job_path, NULL);
}

static int leave(void **state) {
  (void)state;
  char path[96];
  tor_job_free(&job);
  tor_faults_free(&faults);
  snprintf(path, sizeof path, "%s/pulse.txt", folder);
  unlink(path);
  unlink(job_path);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_parses_without_fault),
      cmocka_unit_test(reference_and_parser_know_the_same_keys),
      cmocka_unit_test(defaults_are_filled_in),
      cmocka_unit_test(wave_box_defaults_to_four_cells_inside_layers_and_open_elsewhere),
      cmocka_unit_test(media_take_index_poles_and_like),
      cmocka_unit_test(ten_faults_are_all_reported_in_order),
      cmocka_unit_test(missing_groups_name_the_keys_they_lack),
      cmocka_unit_test(unknown_keys_name_the_nearest),
      cmocka_unit_test(syntax_errors_name_file_and_line),
      cmocka_unit_test(numbers_that_libconfig_wraps_keep_their_value),
      cmocka_unit_test(numbers_that_are_not_finite_are_refused),
      cmocka_unit_test(absurd_domains_are_refused_without_allocating),
      cmocka_unit_test(keys_are_checked_against_each_other),
      cmocka_unit_test(waves_and_cross_sections_are_checked),
      cmocka_unit_test(overrides_replace_and_add),
      cmocka_unit_test(faults_of_overrides_name_the_override),
      cmocka_unit_test(json_is_escaped_and_has_no_infinity),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
