/* Memory of the host: see host_memory.h. */
#include "src/base/host_memory.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* The number behind `key` at the start of a line of a file, or with an empty key its only number; -1 when there is
 * none, as in a memory.max that reads `max`. */
static double number_in(const char *path, const char *key) {
  char line[256];
  double value = -1;
  FILE *f = fopen(path, "r");
  if (!f) return -1;
  while (value < 0 && fgets(line, sizeof line, f))
    if (!strncmp(line, key, strlen(key)) && sscanf(line + strlen(key), "%lf", &value) != 1) value = -1;
  fclose(f);
  return value;
}

/* The file names of the two versions of control groups. */
struct version {
  const char *mount, *limit, *usage, *cache; /* cache: key in memory.stat of pages that are given up when needed */
};
static const struct version versions[] = {
    {"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "}};

/* What a group leaves, and those above it: the last part of `group` is removed step by step, which also finds the limit
 * of a container whose group is the root of the mount there. HUGE_VAL: no limit. */
static double group_leaves(const char *root, const struct version *v, char *group) {
  double least = HUGE_VAL;
  for (;;) {
    char path[2 * PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s%s/%s", root, v->mount, group, v->limit);
    const double limit = number_in(path, "");
    snprintf(path, sizeof path, "%s/%s%s/%s", root, v->mount, group, v->usage);
    const double usage = number_in(path, "");
    snprintf(path, sizeof path, "%s/%s%s/memory.stat", root, v->mount, group);
    const double cache = fmax(number_in(path, v->cache), 0);
    if (limit >= 0 && usage >= 0) least = fmin(least, limit - fmax(usage - cache, 0));
    char *slash = strrchr(group, '/');
    if (!slash) return least;
    *slash = 0;
  }
}

/* What all groups of this process leave: lines `0::/path` (version 2) and `4:cpu,memory:/path` (version 1). */
static double groups_leave(const char *root) {
  char path[2 * PATH_BYTES], line[PATH_BYTES];
  double least = HUGE_VAL;
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f)) {
    char *kinds = strchr(line, ':'), *group = kinds ? strchr(kinds + 1, ':') : NULL;
    if (!group) continue;
    *group++ = 0;
    group[strcspn(group, "\n")] = 0;
    if (!strcmp(group, "/")) *group = 0;
    const int first = !strcmp(kinds, ":");
    char list[PATH_BYTES + 2];
    snprintf(list, sizeof list, ",%s,", kinds + 1);
    if (first || strstr(list, ",memory,")) least = fmin(least, group_leaves(root, &versions[first ? 0 : 1], group));
  }
  if (f) fclose(f);
  return least;
}

/* RLIMIT_AS [bytes]; HUGE_VAL: none. */
static double address_space(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ? HUGE_VAL : (double)limit.rlim_cur;
}

void tor_host_limit_arenas(void) {
#ifdef M_ARENA_MAX
  if (isfinite(address_space())) mallopt(M_ARENA_MAX, 1);
#endif
}

void tor_host_return_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

static double address_space_left(void) {
  const double used = number_in("/proc/self/statm", "") * (double)sysconf(_SC_PAGESIZE);
  return address_space() - fmax(used, TOR_SPACE_BYTES);
}

double tor_host_memory(const char *root, int processes, const char **limit) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/proc/meminfo", root ? root : "");
  const double available = number_in(path, "MemAvailable:") * 1024,
               group = groups_leave(root ? root : "") - (double)processes * TOR_PROGRAM_BYTES,
               space = root ? HUGE_VAL : processes * address_space_left();
  const double least = fmin(available >= 0 ? available : HUGE_VAL, fmin(group, space));
  *limit = "free";
  if (isinf(least)) return 0;
  if (least == group) *limit = "left by the limit of its control group (a container, Slurm's --mem)";
  if (least == space) *limit = "left by the limit of its address space (ulimit -v)";
  return fmax(least, 1);
}

double tor_host_free_memory(void) {
  const char *limit;
  return tor_host_memory(NULL, 1, &limit);
}
