/* Files of the results folder: see safe_open.h. */
#define _GNU_SOURCE /* O_PATH */
#include "io/files/safe_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/folder.h"
#include "src/base/concurrent.h"

static const char *roots[TOR_CONCURRENT_MOST + 1]; /* of each run */

void tor_safe_root(const char *folder) { roots[tor_concurrent_number()] = folder; }

/* Length of the results folder's name at the beginning of a path to something in it, else 0. */
static size_t inside(const char *path) {
  const char *const root = roots[tor_concurrent_number()];
  const size_t n = root ? strlen(root) : 0;
  return n && !strncmp(path, root, n) && path[n] == '/' ? n : 0;
}

static void close_keeping_errno(int fd) {
  const int error = errno;
  close(fd);
  errno = error;
}

/* The next folder on the way, which must be none by a link. Closes `from`. */
static int enter(int from, const char *name, int flags) {
  const int fd = openat(from, name, flags | O_NOFOLLOW);
  struct stat about;
  if (fd < 0 && errno == ENOTDIR)
    errno = !fstatat(from, name, &about, AT_SYMLINK_NOFOLLOW) && S_ISLNK(about.st_mode) ? ELOOP : ENOTDIR;
  close_keeping_errno(from);
  return fd;
}

/* Opens the folder of path[0 .. length); only the last one needs `flags`. */
static int open_folder(const char *path, size_t length, int flags) {
  char copy[PATH_MAX];
  if (length >= sizeof copy) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(copy, path, length);
  copy[length] = 0;
  const size_t n = inside(copy);
  flags |= O_DIRECTORY | O_CLOEXEC;
  if (!n) return open(length ? copy : ".", flags);
  copy[n] = 0;
  int fd = open(copy, O_PATH | O_DIRECTORY | O_CLOEXEC);
  char *rest = NULL;
  for (char *name = strtok_r(copy + n + 1, "/", &rest); name && fd >= 0;) {
    char *next = strtok_r(NULL, "/", &rest);
    fd = enter(fd, name, next ? O_PATH | O_DIRECTORY | O_CLOEXEC : flags);
    name = next;
  }
  return fd;
}

/* The folder of a file, and its name there. */
static int open_folder_of(const char *path, const char **name) {
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  if (slash == path) return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return open_folder(path, slash ? (size_t)(slash - path) : 0, O_PATH);
}

/* As open_folder_of, where something is to be changed. */
static int open_folder_to_change(const char *path, const char **name) {
  if (!inside(path) || tor_folder_may_write()) return open_folder_of(path, name);
  errno = ESTALE;
  return -1;
}

int tor_safe_folder(const char *path) {
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/') n--;
  return open_folder(path, n, O_RDONLY);
}

/* O_NONBLOCK: a pipe without a writer is opened at once, and refused. */
static int open_in(int folder, const char *name, int flags) {
  const int fd = openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat about;
  if (fd < 0) {
    if (errno == ENXIO) errno = ENOTSUP; /* a socket, or a pipe without a reader */
    return -1;
  }
  if (!fstat(fd, &about) && S_ISREG(about.st_mode)) return fd;
  errno = S_ISDIR(about.st_mode) ? EISDIR : ENOTSUP;
  close_keeping_errno(fd);
  return -1;
}

int tor_safe_open(const char *path, int flags) {
  const char *name;
  const int folder = open_folder_of(path, &name);
  if (folder < 0) return -1;
  const int fd = open_in(folder, name, flags);
  close_keeping_errno(folder);
  return fd;
}

FILE *tor_safe_read(const char *path) {
  const int fd = tor_safe_open(path, O_RDONLY);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
  if (fd >= 0 && !file) close_keeping_errno(fd);
  return file;
}

/* A device is not removed. */
static int make_in(int folder, const char *name) {
  struct stat about;
  if (!fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW)) {
    if (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode)) {
      errno = ENOTSUP;
      return -1;
    }
    if (unlinkat(folder, name, 0) && errno != ENOENT) return -1;
  }
  return openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int tor_safe_create(const char *path) {
  const char *name;
  const int folder = open_folder_to_change(path, &name);
  if (folder < 0) return -1;
  const int fd = make_in(folder, name);
  close_keeping_errno(folder);
  return fd;
}

/* Some file systems answer EACCES or EROFS for a folder that is already there. */
int tor_safe_make_folder(const char *path) {
  const char *name;
  const int folder = open_folder_to_change(path, &name);
  if (folder < 0) return -1;
  struct stat about;
  int error = mkdirat(folder, name, 0777) ? errno : 0;
  if (error && !fstatat(folder, name, &about, inside(path) ? AT_SYMLINK_NOFOLLOW : 0))
    error = S_ISDIR(about.st_mode) ? 0 : S_ISLNK(about.st_mode) ? ELOOP : ENOTDIR;
  close(folder);
  errno = error;
  return error ? -1 : 0;
}

int tor_safe_remove_folder(const char *path) {
  const char *name;
  const int folder = open_folder_to_change(path, &name);
  if (folder < 0) return -1;
  const int status = unlinkat(folder, name, AT_REMOVEDIR);
  close_keeping_errno(folder);
  return status;
}

int tor_safe_remove(const char *path) {
  const char *name;
  const int folder = open_folder_to_change(path, &name);
  if (folder < 0) return -1;
  const int status = unlinkat(folder, name, 0);
  close_keeping_errno(folder);
  return status;
}

int tor_safe_rename(const char *from, const char *to) {
  const char *name, *slash = strrchr(to, '/');
  const int folder = open_folder_to_change(from, &name);
  if (folder < 0) return -1;
  const int status = renameat(folder, name, folder, slash ? slash + 1 : to);
  close_keeping_errno(folder);
  return status;
}

enum tor_safe_kind tor_safe_kind(const char *path) {
  const char *name;
  const int folder = open_folder_of(path, &name);
  struct stat about;
  if (folder < 0) return errno == ENOENT ? TOR_SAFE_NOTHING : TOR_SAFE_OTHER;
  const int failed = fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW), error = errno;
  close(folder);
  if (failed) return error == ENOENT ? TOR_SAFE_NOTHING : TOR_SAFE_OTHER;
  return S_ISREG(about.st_mode) ? TOR_SAFE_FILE : S_ISDIR(about.st_mode) ? TOR_SAFE_FOLDER : TOR_SAFE_OTHER;
}
