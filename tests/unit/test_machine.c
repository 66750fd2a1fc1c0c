/* Machine files: those that are shipped are read, their keys are shown, all their faults are reported at once. */
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

#include "src/predict/machine_file.h"
#include "src/predict/cluster.h"
#include "tests/support/machine_file.h"

#define expect_near(a, b, within) assert_true(fabs((double)(a) - (double)(b)) <= (within) * fabs((double)(b)))

static void shipped_machines_are_read(void **state) {
  (void)state;
  struct tor_machine m;
  machine_file("h200-8.cfg", &m);
  assert_int_equal(m.devices, 8);
  assert_int_equal(m.nrates, 4);
  expect_near(tor_machine_find(&m, 4, TOR_F64)->rate, 26.4e9, 1e-12);
  assert_int_equal(tor_machine_find(&m, 2, TOR_F32)->dts, 6);
  assert_int_equal(m.rows, TOR_ROWS_FLOW);
  expect_near(m.peer_latency, 2.1e-6, 1e-12);
  tor_machine_free(&m);
  machine_file("tsubame2.5.cfg", &m);
  assert_int_equal(m.rows, TOR_ROWS_BARRIER);
  assert_true(m.peer_on_link);
  assert_null(tor_machine_find(&m, 2, TOR_F32));
  tor_machine_free(&m);
  machine_file("laptop.cfg", &m);
  assert_int_equal(m.devices, 0);
  assert_int_equal(m.nlink, 0);
  tor_machine_free(&m);
}

static void the_h200_file_shows_every_key(void **state) {
  (void)state;
  char path[1024], text[16384];
  const char *source = getenv("TORRE_SOURCE");
  snprintf(path, sizeof path, "%s/jobs/machines/h200-8.cfg", source ? source : ".");
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = 0;
  for (int i = 0; i < tor_machine_keys.count; i++) {
    char word[64];
    const char *shown = tor_machine_keys.keys[i].path, *name = shown;
    for (const char *s = name; *s; s++)
      if (*s == '.') name = s + 1;
    snprintf(word, sizeof word, "%s = ", name);
    if (!strstr(text, word)) fail_msg("%s is not shown", shown);
  }
  assert_true(tor_machine_keys.count > 20);
}

static void links_are_shared_as_measured(void **state) {
  (void)state;
  struct tor_machine m;
  machine_file("h200-8.cfg", &m);
  const double expected[][2] = {
      {1, 42.7e9}, {2, 27.5e9}, {3, (2 * 27.5e9 + 4 * 18.6e9) / 6}, {4, 18.6e9}, {6, (4 * 18.6e9 + 8 * 11.1e9) / 12},
      {8, 11.1e9}};
  for (int i = 0; i < 6; i++) expect_near(tor_machine_link(&m, (int)expected[i][0]), expected[i][1], 1e-12);
  tor_machine_free(&m);
  machine_file("h200-4.cfg", &m);
  expect_near(tor_machine_link(&m, 8), 11.25e9, 1e-12); /* the total of the last entry */
  tor_machine_free(&m);
}

static void all_faults_of_a_machine_file_come_at_once(void **state) {
  (void)state;
  static const char text[] =
      "name = \"x\";\n"
      "nodes = 0;\n"
      "coers = 4;\n"
      "host = { memory_GB = \"much\"; GB_per_s = -1.0; };\n"
      "devices = { per_node = 2; memory_GB = 6.0; peer_GB_per_s = 4.0; rows = \"flaw\";\n"
      "  link = ( { devices = 2; GB_per_s = 4.0; },\n"
      "           { devices = 1; GB_per_s = 4.0; } ); };\n"
      "rates = ( { order = 3; precision = \"fp32\"; dts = 1; Gcells_per_s = 1.0; th = 1; towers = 1; },\n"
      "  { order = 2; precision = \"fp32\"; dts = 1; Gcells_per_s = 1.0; th = 1; towers = 1; },\n"
      "  { order = 2; precision = \"fp32\"; dts = 1; Gcells_per_s = 1.0; th = 1; } );\n";
  static const char *const expected[] = {":2: nodes: got 0, need",
                                         ":3: coers: unknown key; nearest known key: cores",
                                         ":4: host.memory_GB: got \"much\", need",
                                         ":4: host.GB_per_s: got -1, need a number above 0",
                                         ":5: devices.rows: got \"flaw\", need \"barrier\" or \"flow\"",
                                         ":6: devices.link[0].devices: got 2, need 1 in the first",
                                         ":7: devices.link[1].devices: got 1 after 2",
                                         ":8: rates[0].order: got 3, need",
                                         ":10: rates[2]: order 2 in fp32 is given above",
                                         "rates[2].towers: missing, need",
                                         ": cores: missing, need",
                                         ": network.GB_per_s: missing, need"};
  char path[] = "/tmp/torre_machine_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, sizeof text - 1), (long)sizeof text - 1);
  close(file);
  struct tor_machine m;
  struct tor_faults faults = {0};
  assert_false(tor_machine_read(path, &m, &faults));
  unlink(path);
  int count = (int)(sizeof expected / sizeof *expected), found = 0;
  for (int e = 0; e < count; e++) {
    int here = 0;
    for (int i = 0; i < faults.count; i++) here |= strstr(faults.item[i].text, expected[e]) != NULL;
    if (!here) fprintf(stderr, "missing: %s\n", expected[e]);
    found += here;
  }
  if (found != count || faults.count != count) tor_faults_print(&faults, stderr);
  assert_int_equal(found, count);
  assert_int_equal(faults.count, count);
  tor_faults_free(&faults);
  assert_false(tor_machine_read("/no/such/machine.cfg", &m, &faults));
  assert_int_equal(faults.count, 1);
  tor_faults_free(&faults);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shipped_machines_are_read),
      cmocka_unit_test(the_h200_file_shows_every_key),
      cmocka_unit_test(links_are_shared_as_measured),
      cmocka_unit_test(all_faults_of_a_machine_file_come_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
