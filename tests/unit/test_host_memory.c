/* Memory that is free for a process: the least of the system's, its control groups' (both versions) and RLIMIT_AS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/host_memory.h"

static char root[] = "/tmp/torre_memory_XXXXXX";

/* Writes a file below root, with its folders. */
static void put(const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    mkdir(path, 0777);
    *slash = '/';
  }
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void expect(double bytes, const char *of) {
  const char *limit;
  const double got = tor_host_memory(root, 1, &limit);
  if (got != bytes || !strstr(limit, of)) fail_msg("got %.0f bytes %s, want %.0f %s", got, limit, bytes, of);
}

static void clear(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s/*", root);
  assert_int_equal(system(command), 0);
}

static void without_limits_the_system_counts(void **state) {
  (void)state;
  expect(0, "free");
  put("proc/meminfo", "MemTotal:        1000000 kB\nMemAvailable:     500000 kB\n");
  expect(512e6, "free");
  put("proc/self/cgroup", "0::/user.slice\n");
  put("sys/fs/cgroup/user.slice/memory.max", "max\n");
  put("sys/fs/cgroup/user.slice/memory.current", "400000000\n");
  expect(512e6, "free");
  clear();
}

static void version_2_counts_the_groups_above(void **state) {
  (void)state;
  put("proc/meminfo", "MemAvailable:     500000 kB\n");
  put("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  put("sys/fs/cgroup/slurm/job_7/memory.max", "300000000\n");
  put("sys/fs/cgroup/slurm/job_7/memory.current", "120000000\n");
  put("sys/fs/cgroup/slurm/job_7/memory.stat", "anon 100000000\ninactive_file 20000000\n");
  put("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
  put("sys/fs/cgroup/slurm/job_7/step_0/memory.current", "1000\n");
  expect(200e6 - TOR_PROGRAM_BYTES, "control group");
  put("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "100000000\n");
  expect(99999000 - TOR_PROGRAM_BYTES, "control group");
  put("sys/fs/cgroup/slurm/job_7/memory.current", "330000000\n"); /* more is used than the limit */
  expect(1, "control group");
  clear();
}

static void version_1_and_containers(void **state) {
  (void)state;
  put("proc/meminfo", "MemAvailable:     500000 kB\n");
  put("proc/self/cgroup", "7:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n1:name=systemd:/x\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "250000000\n"); /* a container sees its group as the root */
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "50000000\n");
  expect(200e6 - TOR_PROGRAM_BYTES, "control group");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"); /* no limit */
  expect(512e6, "free");
  put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "150000000\n");
  put("sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "50000000\n");
  put("sys/fs/cgroup/memory/docker/abc/memory.stat", "total_inactive_file 10000000\n");
  expect(110e6 - TOR_PROGRAM_BYTES, "control group");
  clear();
}

/* The address sanitizer itself has reserved more than the limit. */
static void the_address_space_counts(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  skip();
#endif
  struct rlimit limit;
  const char *of;
  getrlimit(RLIMIT_AS, &limit);
  const double before = tor_host_free_memory();
  const struct rlimit low = {(rlim_t)1 << 30, limit.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
  const double left = tor_host_memory(NULL, 1, &of);
  setrlimit(RLIMIT_AS, &limit);
  if (before < 1 << 30) skip();
  assert_true(left > 1e6 && left < (double)(1 << 30));
  assert_non_null(strstr(of, "ulimit -v"));
}

static int setup(void **state) {
  (void)state;
  return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state) {
  (void)state;
  return rmdir(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_limits_the_system_counts), cmocka_unit_test(version_2_counts_the_groups_above),
      cmocka_unit_test(version_1_and_containers), cmocka_unit_test(the_address_space_counts)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
