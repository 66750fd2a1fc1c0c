/* The machine by hwloc, on synthetic machines given to hwloc: no CPU is bound, everything else is as on a real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/schedule/topology.h"

static struct tor_topology *machine(const char *variable, const char *value) {
  unsetenv("HWLOC_SYNTHETIC");
  unsetenv("HWLOC_XMLFILE");
  setenv(variable, value, 1);
  struct tor_topology *t = tor_topology_open();
  assert_non_null(t);
  return t;
}

static struct tor_topology *two_packages(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/unit/two_packages.xml", getenv("TORRE_SOURCE"));
  return machine("HWLOC_XMLFILE", path);
}

static void expect_part(const struct tor_topology *t, const char *of, int part, int parts, const char *wanted) {
  struct tor_cpus set, mine;
  snprintf(set.list, sizeof set.list, "%s", of);
  tor_topology_part(t, &set, part, parts, &mine);
  assert_string_equal(mine.list, wanted);
}

static void a_machine_is_given_whole(void **unused) {
  (void)unused;
  struct tor_topology *t = machine("HWLOC_SYNTHETIC", "package:2 [numa] core:4 pu:2");
  struct tor_cpus given;
  tor_topology_given(t, &given);
  assert_string_equal(given.list, "0-15");
  assert_int_equal(tor_topology_count(&given, 1), 16);
  assert_int_equal(tor_topology_all(t), 16);
  tor_topology_close(t);
}

/* Whole packages first, then whole cores, then CPUs. */
static void parts_keep_to_packages_and_cores(void **unused) {
  (void)unused;
  struct tor_topology *t = machine("HWLOC_SYNTHETIC", "package:2 [numa] core:4 pu:2");
  expect_part(t, "0-15", 0, 1, "0-15");
  expect_part(t, "0-15", 0, 2, "0-7");
  expect_part(t, "0-15", 1, 2, "8-15");
  expect_part(t, "0-15", 2, 4, "8-11");
  expect_part(t, "0-15", 13, 16, "13");
  expect_part(t, "4-11", 0, 2, "4-7");
  expect_part(t, "4-11", 1, 2, "8-11");
  tor_topology_close(t);
}

/* Any number of parts of any set: disjoint, none empty, nothing outside. */
static void parts_are_disjoint(void **unused) {
  (void)unused;
  static const char *const machines[] = {"package:2 [numa] core:3 pu:2", "numa:4 core:2 pu:1", "core:7 pu:1"};
  for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
    struct tor_topology *t = machine("HWLOC_SYNTHETIC", machines[m]);
    const int last = tor_topology_all(t) - 1;
    for (int first = 0; first < 3; first++)
      for (int parts = 1; parts <= last - first + 1; parts++) {
        struct tor_cpus of, mine[16];
        int sum = 0;
        snprintf(of.list, sizeof of.list, "%d-%d", first, last);
        for (int i = 0; i < parts; i++) {
          tor_topology_part(t, &of, i, parts, &mine[i]);
          const int count = tor_topology_count(&mine[i], 1);
          assert_true(count > 0);
          sum += count;
        }
        assert_int_equal(tor_topology_count(mine, parts), sum);
        mine[parts < 16 ? parts : 15] = of;
        assert_int_equal(tor_topology_count(mine, parts < 16 ? parts + 1 : 16), last - first + 1);
      }
    tor_topology_close(t);
  }
}

static void nodes_of_a_set(void **unused) {
  (void)unused;
  struct tor_topology *t = machine("HWLOC_SYNTHETIC", "numa:4 core:4 pu:1");
  char text[64];
  assert_int_equal(tor_topology_nodes(t, &(struct tor_cpus){"5"}, text, sizeof text), 1);
  assert_string_equal(text, "1");
  assert_int_equal(tor_topology_nodes(t, &(struct tor_cpus){"6-13"}, text, sizeof text), 3);
  assert_string_equal(text, "1-3");
  tor_topology_close(t);
}

static void cpus_near_a_device(void **unused) {
  (void)unused;
  struct tor_topology *t = two_packages();
  struct tor_cpus near;
  assert_int_equal(tor_topology_near(t, "0000:3b:00.0", &(struct tor_cpus){"0-7"}, &near), 0);
  assert_string_equal(near.list, "4-7");
  assert_int_equal(tor_topology_near(t, "0000:3b:00.0", &(struct tor_cpus){"3-5"}, &near), 0);
  assert_string_equal(near.list, "4-5");
  assert_int_equal(tor_topology_near(t, "0000:3b:00.0", &(struct tor_cpus){"0-3"}, &near), -1);
  assert_string_equal(near.list, "0-3");
  assert_int_equal(tor_topology_near(t, "0000:99:00.0", &(struct tor_cpus){"1-6"}, &near), 1);
  assert_string_equal(near.list, "1-6");
  tor_topology_close(t);
}

/* The real machine: a process bound to one of its CPUs runs on that CPU alone. */
static void binding_holds(void **unused) {
  (void)unused;
  unsetenv("HWLOC_SYNTHETIC");
  unsetenv("HWLOC_XMLFILE");
  struct tor_topology *t = tor_topology_open();
  struct tor_cpus given, one, now;
  assert_non_null(t);
  if (tor_topology_given(t, &given)) skip();
  tor_topology_part(t, &given, 0, tor_topology_count(&given, 1), &one);
  assert_int_equal(tor_topology_bind(t, &one, 0), 0);
  assert_int_equal(tor_topology_given(t, &now), 0);
  assert_string_equal(now.list, one.list);
  assert_int_equal(tor_topology_bind(t, &given, 0), 0);
  tor_topology_close(t);
}

/* Kept open: hwloc unloads its plugins with the last topology, and then what they still hold counts as leaked. */
static struct tor_topology *volatile kept;

static int keep_plugins(void **unused) {
  (void)unused;
  kept = tor_topology_open();
  return kept ? 0 : -1;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_machine_is_given_whole), cmocka_unit_test(parts_keep_to_packages_and_cores),
      cmocka_unit_test(parts_are_disjoint),       cmocka_unit_test(nodes_of_a_set),
      cmocka_unit_test(cpus_near_a_device),       cmocka_unit_test(binding_holds),
  };
  if (!tor_topology_version()) {
    printf("a build without hwloc\n");
    return 77;
  }
  return cmocka_run_group_tests_name("topology", tests, keep_plugins, NULL);
}
