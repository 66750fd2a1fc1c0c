/* Generations of checkpoints: see generation.h. */
#include "io/files/generation.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/folder.h"
#include "io/files/safe_open.h"

static int path_of(const char *dir, int64_t step, const char *ending, char path[TOR_GENERATION_PATH]) {
  int n = snprintf(path, TOR_GENERATION_PATH, "%s/step-%012" PRId64 "%s", dir, step, ending);
  if (n > 0 && n < TOR_GENERATION_PATH) return 1;
  errno = ENAMETOOLONG;
  return 0;
}

int tor_generation_path(const char *dir, int64_t step, int part, char path[TOR_GENERATION_PATH]) {
  return path_of(dir, step, part ? ".part" : "", path);
}

/* The step of a name such as step-000000001200, and what follows the digits; -1: no such name. */
static int64_t step_of(const char *name, const char **ending) {
  static const char prefix[] = "step-";
  size_t n = strlen(prefix);
  if (strncmp(name, prefix, n) || strspn(name + n, "0123456789") < 12 || strspn(name + n, "0123456789") > 18) return -1;
  char *end;
  int64_t step = strtoll(name + n, &end, 10);
  *ending = end;
  return step;
}

/* Whether a generation has a file of that name, or its part: nothing else is removed with it. */
static int is_of_generation(const char *name) {
  static const char *const patterns[] = {"manifest", "job.json", "rank-[0-9][0-9][0-9][0-9][0-9][0-9]*",
                                         "manifest.part", "job.json.part"};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    if (!fnmatch(patterns[i], name, 0)) return 1;
  return 0;
}

/* A folder and the files of a generation in it; a link of its name goes itself. */
static int remove_folder(const char *path) {
  const enum tor_safe_kind kind = tor_safe_kind(path);
  if (kind == TOR_SAFE_NOTHING) return 0;
  if (kind == TOR_SAFE_OTHER) return tor_safe_remove(path);
  DIR *dir = tor_folder_list(path);
  if (!dir) return errno == ENOENT ? 0 : -1;
  int error = 0;
  const int fd = dirfd(dir);
  for (struct dirent *item; fd >= 0 && (item = readdir(dir));)
    if (is_of_generation(item->d_name) && unlinkat(fd, item->d_name, 0) && !error) error = errno;
  closedir(dir);
  if (tor_safe_remove_folder(path) && !error) error = errno;
  errno = error;
  return error ? -1 : 0;
}

/* A generation is renamed first, so that a partly removed one does not count. */
static int remove_generation(const char *dir, int64_t step) {
  char path[TOR_GENERATION_PATH], old[TOR_GENERATION_PATH];
  if (!path_of(dir, step, "", path) || !path_of(dir, step, ".old", old)) return -1;
  remove_folder(old);
  if (tor_safe_rename(path, old)) return errno == ENOENT ? 0 : -1;
  return remove_folder(old);
}

/* Removes remains of killed runs: parts, and partly removed generations. */
static void remove_leftovers(const char *dir) {
  if (!tor_folder_is_ours()) return;
  DIR *list = tor_folder_list(dir);
  if (!list) return;
  for (struct dirent *item; (item = readdir(list));) {
    const char *ending;
    char path[TOR_GENERATION_PATH];
    int64_t step = step_of(item->d_name, &ending);
    if (step >= 0 && (!strcmp(ending, ".part") || !strcmp(ending, ".old")) && path_of(dir, step, ending, path))
      remove_folder(path);
  }
  closedir(list);
}

int tor_generation_begin(const char *dir, int64_t step) {
  char path[TOR_GENERATION_PATH], why[TOR_GENERATION_PATH];
  if (!path_of(dir, step, ".part", path) || tor_folder_make(dir, why, sizeof why)) return -1;
  remove_leftovers(dir);
  if (tor_safe_kind(path) == TOR_SAFE_NOTHING) return tor_safe_make_folder(path);
  errno = EEXIST; /* it contains other files */
  return -1;
}

void tor_generation_discard(const char *dir, int64_t step) {
  int error = errno;
  char path[TOR_GENERATION_PATH];
  if (path_of(dir, step, ".part", path)) remove_folder(path);
  errno = error;
}

int tor_generation_publish(const char *dir, int64_t step) {
  char part[TOR_GENERATION_PATH], path[TOR_GENERATION_PATH];
  if (!path_of(dir, step, ".part", part) || !path_of(dir, step, "", path)) return -1;
  if (tor_folder_sync_path(part) || remove_generation(dir, step) || tor_safe_rename(part, path)) {
    tor_generation_discard(dir, step);
    return -1;
  }
  return tor_folder_sync_path(dir);
}

int tor_generation_list(const char *dir, int most, int64_t *steps) {
  DIR *list = tor_folder_list(dir);
  if (!list) return errno == ENOENT ? 0 : -1;
  int count = 0;
  for (struct dirent *item; (item = readdir(list));) {
    const char *ending;
    int64_t step = step_of(item->d_name, &ending);
    if (step < 0 || *ending) continue;
    int at = count;
    while (at > 0 && steps[at - 1] < step) at--;
    if (at >= most) continue;
    if (count < most) count++;
    memmove(&steps[at + 1], &steps[at], (size_t)(count - 1 - at) * sizeof *steps);
    steps[at] = step;
  }
  closedir(list);
  return count;
}

int tor_generation_keep(const char *dir, int count, const int64_t *steps) {
  DIR *list = tor_folder_list(dir);
  if (!list) return errno == ENOENT ? 0 : -1;
  int error = 0;
  for (struct dirent *item; (item = readdir(list));) {
    const char *ending;
    int64_t step = step_of(item->d_name, &ending);
    if (step < 0 || *ending) continue;
    int wanted = 0;
    for (int i = 0; i < count; i++) wanted |= steps[i] == step;
    if (!wanted && remove_generation(dir, step)) error = errno;
  }
  closedir(list);
  if (!count) {
    remove_leftovers(dir);
    if (tor_safe_remove_folder(dir) && !error && errno != ENOTEMPTY && errno != EEXIST) error = errno;
  }
  errno = error;
  return error ? -1 : 0;
}
