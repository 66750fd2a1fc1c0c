/* The job file reader: accepted input and defaults. Its faults: test_job_faults.c. */
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

#include "src/job/job_keys.h"
#include "tests/support/job_text.h"

#define expect_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

/* --- The reference file --- */

static void reference_parses_without_fault(void **state) {
  (void)state;
  tor_job_free(&job);
  tor_faults_free(&faults);
  expect_good(tor_job_read(reference_path(), NULL, 0, &job, &faults));
  assert_int_equal(job.nobjects, 19);
  assert_int_equal(job.nsources, 6);
  assert_int_equal(job.nmonitors, 16);
  const struct tor_monitor *plane = &job.monitors[7], *volume = &job.monitors[8];
  assert_true(plane->kind == TOR_SNAPSHOT && plane->ntime == 2 && plane->image && plane->stride[2] == 1);
  assert_int_equal(plane->components, 1 << TOR_EX | 1 << TOR_HZ);
  assert_true(volume->ntime == 2 && volume->stride[0] == 2 && volume->stride[2] == 4 && volume->compression == 4);
  assert_true(volume->lo[0] < -99.9e-9 && volume->hi[2] > 99.9e-9);
  assert_true(job.checkpoint.minutes == 30 && job.checkpoint.steps == 0 && !job.checkpoint.keep);
  assert_int_equal(job.boundary[TOR_XLO].cells, 6);
  assert_int_equal(job.boundary[TOR_ZHI].cells, 8);
  assert_int_equal(job.sources[5].profile.count, 5);
  expect_near(job.sources[5].profile.time[4], 2e-15, 1e-28);
  assert_string_equal(job.monitors[1].name, "flux_box1");
  assert_int_equal(job.monitors[1].nwavelength, 31);
  expect_near(job.monitors[1].wavelength[30], 700e-9, 1e-20);
}

static char seen[640][96];
static int nseen;

static void collect(const config_setting_t *group, const char *prefix) {
  for (int i = 0; i < config_setting_length(group); i++) {
    const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
    char path[96];
    const char *name = config_setting_name(s);
    if (name) {
      assert_true(nseen < 640);
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

/* Another key of the group stands in its place: cells for thickness, thickness for cells. */
static int is_replaced(const struct tor_key *key) {
  const size_t group = (size_t)(strrchr(key->path, '.') - key->path) + 1;
  for (int i = 0; i < tor_job_keys.count; i++) {
    const struct tor_key *other = &tor_job_keys.keys[i];
    if (strncmp(other->path, key->path, group) || !is_seen(other->path)) continue;
    if (other->instead && !strcmp(other->instead, key->path + group)) return 1;
    if (key->instead && !strcmp(key->instead, other->path + group)) return 1;
  }
  return 0;
}

/* Keys of jobs that the reference job is not: in 2-D, graded, of bodies of revolution. It has them in comments. */
static int is_of_others(const char *path) {
  static const char *const keys[] = {"grid.polarisation", "grid.max_ratio", "grid.coordinates", "grid.m"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!strcmp(keys[i], path)) return 1;
  return !strncmp(path, "grid.refine", strlen("grid.refine"));
}

static int is_known(const char *path) {
  for (int i = 0; i < tor_job_keys.count; i++)
    if (!strcmp(tor_job_keys.keys[i].path, path)) return 1;
  return 0;
}

/* Parts of objects and of sheets have the keys of objects. */
static const char *without_parts(char *path) {
  static const char *const lists[] = {"parts[].", "shapes[]."};
  static const char sheets[] = "sheets[].parts[].", objects[] = "objects[].";
  if (!strncmp(path, sheets, sizeof sheets - 1)) {
    memmove(path + sizeof objects - 1, path + sizeof sheets - 1, strlen(path + sizeof sheets - 1) + 1);
    memcpy(path, objects, sizeof objects - 1);
  }
  for (int i = 0; i < 2; i++) {
    char *list = strstr(path, lists[i]);
    if (list) memmove(list, list + strlen(lists[i]), strlen(list + strlen(lists[i])) + 1);
  }
  return path;
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
  for (; count < tor_job_keys.count; count++) {
    const struct tor_key *key = &tor_job_keys.keys[count];
    if (!is_seen(key->path) && !is_replaced(key) && !is_of_others(key->path))
      bad++, print_error("not in reference.cfg: %s\n", key->path);
  }
  for (int i = 0; i < nseen; i++)
    if (!is_known(without_parts(seen[i]))) bad++, print_error("not known to the reader: %s\n", seen[i]);
  assert_int_equal(bad, 0);
  assert_true(count > 100);
}

/* Keys have help; the text of a default is a value that the check would accept. */
static void defaults_in_the_table_are_good_values(void **state) {
  (void)state;
  int count = 0;
  for (int i = 0; i < tor_job_keys.count; i++) {
    const struct tor_key *key = &tor_job_keys.keys[i];
    assert_true(key->help && *key->help);
    assert_false((key->flags & TOR_KEY_REQUIRED) && (key->fallback || key->computed));
    if (!key->fallback) continue;
    count++;
    if (key->kind == TOR_KEY_WORD || key->kind == TOR_KEY_NUMBER_OR_WORD) {
      assert_true(tor_word_index(key->words, key->fallback) >= 0);
    } else if (key->kind == TOR_KEY_BOOL) {
      assert_true(!strcmp(key->fallback, "true") || !strcmp(key->fallback, "false"));
    } else if (key->kind != TOR_KEY_TEXT && key->kind != TOR_KEY_MEDIUM) {
      char *end;
      const double value = strtod(key->fallback, &end);
      assert_true(end > key->fallback && !*end);
      assert_true(value >= key->lo && value <= key->hi);
      assert_false((key->flags & TOR_KEY_ABOVE) && value == key->lo);
      assert_false((key->flags & TOR_KEY_BELOW) && value == key->hi);
    }
  }
  assert_true(count > 30);
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
  expect_near(job.tolerance, 0.05, 0);
  assert_int_equal(job.schedule.engine, TOR_ENGINE_AUTO);
  assert_string_equal(strrchr(job.output, '/') - 7, "results/job");
  const char *const set[] = {"grid.order=4"};
  expect_good(read_with(job_base, set, 1));
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
  expect_near(s->lo[1], -50e-9, 1e-18); /* on the wall: open */
  assert_int_equal(s->axis, TOR_Z);
  assert_int_equal(s->direction, -1);
  assert_int_equal(s->polarisation, TOR_Y);
  expect_near(s->profile.amplitude, 2, 0);
  assert_string_equal(s->name, "plane_wave0");
  expect_near(job.boundary[TOR_XHI].kappa, 2, 0);
  expect_near(job.boundary[TOR_XLO].kappa, 1, 0);
}

/* With lengths for layers and distances, cells of any size that divides them have one box and flux boxes at one place;
 * other cells move the box by nothing, since it is made of the lengths as given. */
static void lengths_keep_the_boxes_where_they_are(void **state) {
  (void)state;
  const char *const more =
      "boundaries = { cpml = { thickness = 20.0; }; x_hi = { type = \"cpml\"; thickness = 15.0; };\n"
      "  y_lo = \"pec\"; };\n"
      "sources = ({ type = \"plane_wave\"; direction = \"-z\"; polarisation = \"y\"; distance = 10.0;\n"
      "  time = { type = \"pulse\"; wavelength = 500; band = 200; }; });\n"
      "monitors = ({ type = \"cross_section\"; wavelengths = [500.0]; distance = 5.0; });";
  const char *const cells[] = {"grid.cell=5", "grid.cell=2.5", "grid.cell=1", "grid.cell=1.7", "grid.cell=[2,1,3]"};
  char text[2048];
  snprintf(text, sizeof text, "%s%s", job_base, more);
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    expect_good(read_with(text, &cells[i], 1));
    const struct tor_source *s = &job.sources[0];
    expect_near(s->lo[0], -20e-9, 1e-18);
    expect_near(s->hi[0], 25e-9, 1e-18);
    expect_near(s->hi[1], 20e-9, 1e-18);
    expect_near(s->lo[2], -20e-9, 1e-18);
    expect_near(job.monitors[0].distance, 5e-9, 1e-18);
    assert_int_equal(job.boundary[TOR_ZLO].cells, (int)ceil(20e-9 / job.cell[2] - 1e-6));
  }
  expect_only("boundaries = { default = \"pec\"; z_hi = { type = \"cpml\"; cells = 8; }; };\n"
              "sources = ({ type = \"plane_wave\"; direction = \"-z\"; polarisation = \"y\"; distance = 2.0;\n"
              "  time = { type = \"pulse\"; wavelength = 500; band = 200; }; });",
              4, "sources[0].distance", "less than a cell before the layer at z_hi, need at least 2.5 nm");
  expect_only("sources = ({ type = \"plane_wave\"; direction = \"-z\"; polarisation = \"y\"; distance = 10.0;\n"
              "  box = { lo = [-10.0, -10.0, -10.0]; hi = [10.0, 10.0, 10.0]; };\n"
              "  time = { type = \"pulse\"; wavelength = 500; band = 200; }; });",
              3, "sources[0].distance", "the wave has a box, too");
  expect_only("sources = ({ type = \"plane_wave\"; direction = \"-z\"; polarisation = \"y\"; distance = 10.0;\n"
              "  time = { type = \"pulse\"; wavelength = 500; band = 200; }; });\n"
              "monitors = ({ type = \"cross_section\"; wavelengths = [500.0]; margin = 2; distance = 5.0; });",
              5, "monitors[0].distance", "the monitor has margin, too");
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

static void several_devices_need_gpus(void **state) {
  (void)state;
  expect_good(read_more("schedule = { device = \"gpu\"; devices = 4; };"));
  assert_int_equal(job.schedule.devices, 4);
  expect_good(read_more("schedule = { device = \"cpu\"; };"));
  assert_int_equal(job.schedule.devices, 1);
  expect_only("schedule = { device = \"cpu\"; devices = 2; };", 3, "schedule.devices",
              "got 2 with schedule.device = \"cpu\"");
  expect_only("schedule = { devices = 17; };", 3, "schedule.devices", "got 17, need a whole number from 1 to 16");
}

static void numbers_that_libconfig_wraps_keep_their_value(void **state) {
  (void)state;
  /* 5e9 nm is 5 m; libconfig alone would read 705032704. */
  expect_good(read_with("grid = { size = [5000000000, 0x12A05F200, 5000000000L]; cell = 2500000000.0; };\n"
                        "boundaries = { default = \"pec\"; }; run = { time_fs = 99999999999999; };",
                        NULL, 0));
  for (int a = 0; a < 3; a++) expect_near(job.size[a], 5, 1e-12);
  expect_near(job.run_time, 0.099999999999999, 1e-16);
  expect_good(read_more(
      "objects = ({ type = \"sphere\"; medium = \"Au\"; radius = 0X14; }, { type = \"sphere\"; medium = \"Au\";\n"
      "radius = 00000000000000000000000000000000000000000000000000000000000000000000020; });"));
  for (int i = 0; i < 2; i++) expect_near(job.objects[i].radius[0], 20e-9, 1e-20);
  expect_only("schedule = { threads = 4294967298; };", 3, "schedule.threads",
              "got 4294967298, need a whole number from 0 to 4096");
  expect_only("schedule = { threads = 0xFFFFFFFF; };", 3, "schedule.threads", "got 4294967295");
  expect_only("schedule = { threads = 36893488147419103233; };", 3, "schedule.threads", "got 3.689348815e+19");
  expect_only("schedule = { threads = 2.5; };", 3, "schedule.threads", "got 2.5");
  expect_good(read_more("title = \"5000000000 [1, 2] // no comment\"; schedule = { threads = 2; }; # 5000000000 ["));
  assert_string_equal(job.title, "5000000000 [1, 2] // no comment");
}

/* --- Overrides --- */

static void overrides_replace_and_add(void **state) {
  (void)state;
  const char *const set[] = {"grid.cell=[1.0,2,2.5]",
                             "objects.[0].radius=40",
                             "objects[1].size[2]=7",
                             "run.decay=1e-6",
                             "run.until=0.02",
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
           job_base);
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
  expect_near(job.run_until, 0.02, 0);
  assert_int_equal(job.schedule.engine, TOR_ENGINE_DIAMOND);
  assert_string_equal(job.title, "my run");
  assert_int_equal(job.boundary[TOR_ZLO].cells, 5);
  assert_int_equal(job.boundary[TOR_XLO].wall, TOR_PEC);
  assert_int_equal(job.nmonitors, 1);
}

/* --- JSON --- */

/* A key that stands in another's place takes it when it is set; two that are set are a fault as in a file. */
static void overrides_replace_the_other_of_a_pair(void **state) {
  (void)state;
  const char *const more = "boundaries = { cpml = { cells = 8; }; x_lo = { type = \"cpml\"; thickness = 15.0; }; };\n"
                           "sources = ({ type = \"plane_wave\"; direction = \"-z\"; polarisation = \"y\";\n"
                           "  box = { lo = [-10.0, -10.0, -10.0]; hi = [10.0, 10.0, 10.0]; };\n"
                           "  time = { type = \"pulse\"; wavelength = 500; band = 200; }; });\n"
                           "monitors = ({ type = \"cross_section\"; wavelengths = [500.0]; margin = 3; });";
  const char *const set[] = {"boundaries.cpml.thickness=30", "boundaries.x_lo.cells=4", "sources[0].distance=10",
                             "monitors[0].distance=5"};
  char text[2048];
  snprintf(text, sizeof text, "%s%s", job_base, more);
  expect_good(read_with(text, set, 4));
  assert_int_equal(job.boundary[TOR_ZHI].cells, 12);
  assert_int_equal(job.boundary[TOR_XLO].cells, 4);
  expect_near(job.sources[0].hi[2], 10e-9, 1e-18);
  expect_near(job.monitors[0].distance, 5e-9, 1e-18);
  const char *const both[] = {"boundaries.cpml.thickness=30", "boundaries.cpml.cells=4"};
  assert_false(read_with(text, both, 2));
  assert_int_equal(faults.count, 1);
  assert_string_equal(faults.item[0].text,
                      "--set boundaries.cpml.thickness: the group has cells, too, need one of the two");
}

/* Inside nothing varies along x; what a user reads has the user's axes. */
static void plane_jobs_are_turned_and_written_as_read(void **state) {
  (void)state;
  size_t bytes;
  expect_good(
      read_with("grid = { size = [900, 600]; cell = [10, 5]; polarisation = \"TE\"; }; run = { time_fs = 10; };\n"
                "boundaries = { default = \"pmc\"; y_hi = \"pec\"; };\n"
                "media = ({ name = \"a\"; permittivity = [2, 3, 4]; });\n"
                "objects = ({ type = \"ellipse\"; medium = \"a\"; center = [10, 20]; semi_axes = [30, 40]; });\n"
                "sources = ({ type = \"line_dipole\"; axis = \"y\"; position = [100, -50];\n"
                "  time = { type = \"pulse\"; wavelength = 500; band = 100; }; });\n"
                "monitors = ({ type = \"field\"; wavelengths = 500; components = [\"Hz\", \"Ex\"];\n"
                "  box = { lo = [-100, -20]; hi = [100, 20]; }; });\n"
                "schedule = { ranks = [3, 1]; };\n",
                NULL, 0));
  assert_int_equal(job.plane, TOR_PLANE_TE);
  assert_true(job.size[0] == 1 && job.size[1] == 900e-9 && job.size[2] == 600e-9 && job.cell[2] == 5e-9);
  assert_true(job.boundary[TOR_XLO].wall == TOR_PMC && job.boundary[TOR_ZHI].wall == TOR_PEC &&
              job.boundary[TOR_YHI].wall == TOR_PMC);
  assert_true(job.media[0].eps[0] == 4 && job.media[0].eps[1] == 2 && job.media[0].eps[2] == 3);
  assert_true(job.objects[0].center[1] == 10e-9 && job.objects[0].size[2] == 40e-9);
  assert_true(job.sources[0].polarisation == TOR_Z && job.sources[0].position[1] == 100e-9);
  assert_int_equal(job.monitors[0].components, 1u << TOR_HX | 1u << TOR_EY);
  assert_true(job.schedule.ranks[0] == 1 && job.schedule.ranks[1] == 3);
  char *text = tor_job_text(&job, &bytes);
  static const char *const parts[] = {"\"polarisation\": \"TE\"",
                                      "\"size_m\": [9e-07, 6e-07]",
                                      "\"permittivity\": [2, 3, 4]",
                                      "\"type\": \"ellipse\"",
                                      "\"semi_axes_m\": [3e-08, 4e-08]",
                                      "\"type\": \"line_dipole\"",
                                      "\"position_m\": [1e-07, -5e-08]",
                                      "\"axis\": \"y\"",
                                      "\"Ex\"",
                                      "\"ranks_x\": 3"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strstr(text, parts[i])) fail_msg("no %s in %s", parts[i], text);
  assert_null(strstr(text, "z_lo"));
  free(text);
}

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_parses_without_fault),
      cmocka_unit_test(reference_and_parser_know_the_same_keys),
      cmocka_unit_test(defaults_in_the_table_are_good_values),
      cmocka_unit_test(defaults_are_filled_in),
      cmocka_unit_test(wave_box_defaults_to_four_cells_inside_layers_and_open_elsewhere),
      cmocka_unit_test(lengths_keep_the_boxes_where_they_are),
      cmocka_unit_test(media_take_index_poles_and_like),
      cmocka_unit_test(several_devices_need_gpus),
      cmocka_unit_test(numbers_that_libconfig_wraps_keep_their_value),
      cmocka_unit_test(overrides_replace_and_add),
      cmocka_unit_test(overrides_replace_the_other_of_a_pair),
      cmocka_unit_test(json_is_escaped_and_has_no_infinity),
      cmocka_unit_test(plane_jobs_are_turned_and_written_as_read),
  };
  return cmocka_run_group_tests(tests, job_text_begin, job_text_end);
}
