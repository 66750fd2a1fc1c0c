/* Makes the n-th call of a function fail, or kills the process there; used with LD_PRELOAD (tests/system/injection.sh).
 *
 *   FAULT_CALL   open fopen mkdir pwrite fsync fflush fclose close rename unlink rmdir opendir ftruncate malloc, or any
 *   FAULT_AT     which of the calls: 1, 2, ...; 0: none, calls are counted only
 *   FAULT_PATH   only calls on files whose path holds this text. malloc means all allocations, while such a file
 * or a checkpoint's folder is a part: from its opening to its renaming (a rank's file of a checkpoint: closing)
 *   FAULT_ERRNO  number of the error (default ENOSPC); 0: the process is killed instead, after half of a pwrite
 *   FAULT_DELAY  seconds before the fault, while other threads continue
 *   FAULT_THEN   1: after the fault the process is killed when it makes the next folder
 *   FAULT_COUNT  file that gets the number of calls at the end
 *   FAULT_WHO    file that gets the name of the library or program whose allocation fails */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int ready, done;
static int in_part, in_file; /* a checkpoint's folder, files: how many are parts */
static int rank_fd = -1;     /* a rank's file of a checkpoint */
static long at, count;
static int error_number = ENOSPC, then_kill;
static unsigned delay;
static const char *call, *wanted_path;

static void prepare(void) {
  if (ready) return;
  ready = 1;
  call = getenv("FAULT_CALL");
  wanted_path = getenv("FAULT_PATH");
  if (getenv("FAULT_AT")) at = atol(getenv("FAULT_AT"));
  if (getenv("FAULT_ERRNO")) error_number = atoi(getenv("FAULT_ERRNO"));
  if (getenv("FAULT_DELAY")) delay = (unsigned)atoi(getenv("FAULT_DELAY"));
  then_kill = getenv("FAULT_THEN") != NULL;
}

/* Opens the file that a variable names, or returns -1. */
static int begin_file(const char *variable) {
  const char *name = getenv(variable);
  int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  return name ? real_open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
}

__attribute__((destructor)) static void write_count(void) {
  int fd = begin_file("FAULT_COUNT");
  if (fd >= 0) dprintf(fd, "%ld\n", count);
}

/* The library or program that made the call, other than libc. */
static void report_who(void) {
  void *at[16];
  Dl_info info, here;
  int fd = begin_file("FAULT_WHO");
  if (fd < 0 || !dladdr((void *)&ready, &here)) return;
  int depth = backtrace(at, 16);
  for (int i = 0; i < depth; i++)
    if (dladdr(at[i], &info) && strcmp(info.dli_fname, here.dli_fname) && !strstr(info.dli_fname, "/libc.so")) {
      if (write(fd, info.dli_fname, strlen(info.dli_fname)) < 0) perror("FAULT_WHO");
      break;
    }
  close(fd);
}

/* The first call of backtrace allocates. */
__attribute__((constructor)) static void prepare_who(void) {
  void *at[1];
  backtrace(at, 1);
}

/* Whether this call is the one: errno is set then. Atomic, since blocks are written by several threads. */
static int strikes(const char *name) {
  if (!call || (strcmp(call, name) && strcmp(call, "any"))) return 0;
  if (__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST) != at) return 0;
  done = 1;
  if (!strcmp(name, "malloc")) report_who();
  if (delay) sleep(delay);
  errno = error_number;
  return 1;
}

static int path_fits(const char *path) {
  prepare();
  return !wanted_path || strstr(path, wanted_path);
}

static int fd_fits(int fd) {
  char link[64], path[4096];
  prepare();
  if (!wanted_path) return 1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  path[n > 0 ? n : 0] = 0;
  return strstr(path, wanted_path) != NULL;
}

static int ends_with(const char *path, const char *ending) {
  size_t n = strlen(path), m = strlen(ending);
  return n >= m && !strcmp(path + n - m, ending);
}

static int is_folder_part(const char *path) {
  const char *step = strstr(path, "/step-");
  return step && ends_with(path, ".part") && !strchr(step + 1, '/');
}

static void die_if_asked(void) {
  if (!error_number) kill(getpid(), SIGKILL);
}

#define REAL(type, name, ...) type (*real)(__VA_ARGS__) = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)
#define FAIL_IF(fits, name, value) \
  if ((fits) && strikes(name)) {   \
    die_if_asked();                \
    return value;                  \
  }

int open(const char *path, int flags, ...) {
  int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  va_list args;
  va_start(args, flags);
  unsigned mode = va_arg(args, unsigned);
  va_end(args);
  int fits = path_fits(path);
  FAIL_IF(fits, "open", -1)
  int fd = real(path, flags, mode);
  if (fits && fd >= 0 && flags & O_CREAT && ends_with(path, ".part")) __atomic_add_fetch(&in_file, 1, __ATOMIC_SEQ_CST);
  if (fits && fd >= 0 && flags & O_CREAT && strstr(path, ".part/rank-")) rank_fd = fd;
  return fd;
}

FILE *fopen(const char *path, const char *mode) {
  REAL(FILE *, fopen, const char *, const char *);
  int fits = path_fits(path);
  FAIL_IF(fits, "fopen", NULL)
  FILE *file = real(path, mode);
  if (fits && file && ends_with(path, ".part")) __atomic_add_fetch(&in_file, 1, __ATOMIC_SEQ_CST);
  return file;
}

/* The path of a name in an open folder. */
static const char *path_at(int folder, const char *name, char path[8192]) {
  char link[64], where[4096];
  if (*name == '/' || folder == AT_FDCWD) return name;
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t n = readlink(link, where, sizeof where - 1);
  where[n > 0 ? n : 0] = 0;
  snprintf(path, 8192, "%s/%s", where, name);
  return path;
}

int openat(int folder, const char *name, int flags, ...) {
  int (*real)(int, const char *, int, ...) = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
  va_list args;
  va_start(args, flags);
  unsigned mode = va_arg(args, unsigned);
  va_end(args);
  char full[8192];
  const char *path = path_at(folder, name, full);
  int fits = path_fits(path);
  FAIL_IF(fits, "open", -1)
  int fd = real(folder, name, flags, mode);
  if (fits && fd >= 0 && flags & O_CREAT && ends_with(path, ".part")) __atomic_add_fetch(&in_file, 1, __ATOMIC_SEQ_CST);
  if (fits && fd >= 0 && flags & O_CREAT && strstr(path, ".part/rank-")) rank_fd = fd;
  return fd;
}

FILE *fdopen(int fd, const char *mode) {
  REAL(FILE *, fdopen, int, const char *);
  FAIL_IF(fd_fits(fd), "fopen", NULL)
  return real(fd, mode);
}

DIR *fdopendir(int fd) {
  REAL(DIR *, fdopendir, int);
  FAIL_IF(fd_fits(fd), "opendir", NULL)
  return real(fd);
}

int mkdirat(int folder, const char *name, mode_t mode) {
  REAL(int, mkdirat, int, const char *, mode_t);
  char full[8192];
  const char *path = path_at(folder, name, full);
  int fits = path_fits(path);
  if (fits && done && then_kill) kill(getpid(), SIGKILL);
  FAIL_IF(fits, "mkdir", -1)
  int status = real(folder, name, mode);
  if (!status && fits && is_folder_part(path)) in_part = 1;
  return status;
}

int renameat(int folder, const char *from, int to_folder, const char *to) {
  REAL(int, renameat, int, const char *, int, const char *);
  char full[8192];
  const char *path = path_at(folder, from, full);
  int fits = path_fits(path);
  if (is_folder_part(path))
    in_part = 0;
  else if (fits && ends_with(path, ".part"))
    __atomic_sub_fetch(&in_file, 1, __ATOMIC_SEQ_CST);
  FAIL_IF(fits, "rename", -1)
  return real(folder, from, to_folder, to);
}

int unlinkat(int folder, const char *name, int flags) {
  REAL(int, unlinkat, int, const char *, int);
  char full[8192];
  FAIL_IF(path_fits(path_at(folder, name, full)), flags & AT_REMOVEDIR ? "rmdir" : "unlink", -1)
  return real(folder, name, flags);
}

int mkdir(const char *path, mode_t mode) {
  REAL(int, mkdir, const char *, mode_t);
  int fits = path_fits(path);
  if (fits && done && then_kill) kill(getpid(), SIGKILL);
  FAIL_IF(fits, "mkdir", -1)
  int status = real(path, mode);
  if (!status && fits && is_folder_part(path)) in_part = 1;
  return status;
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
  REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
  if (fd_fits(fd) && strikes("pwrite")) {
    real(fd, data, bytes / 2, offset);
    die_if_asked();
    errno = error_number;
    return -1;
  }
  return real(fd, data, bytes, offset);
}

int fsync(int fd) {
  REAL(int, fsync, int);
  FAIL_IF(fd_fits(fd), "fsync", -1)
  return real(fd);
}

int ftruncate(int fd, off_t size) {
  REAL(int, ftruncate, int, off_t);
  FAIL_IF(fd_fits(fd), "ftruncate", -1)
  return real(fd, size);
}

int close(int fd) {
  REAL(int, close, int);
  if (fd == rank_fd) rank_fd = -1;
  if (fd_fits(fd) && strikes("close")) {
    die_if_asked();
    real(fd);
    errno = error_number;
    return -1;
  }
  return real(fd);
}

int fflush(FILE *file) {
  REAL(int, fflush, FILE *);
  FAIL_IF(file && fd_fits(fileno(file)), "fflush", EOF)
  return real(file);
}

int fclose(FILE *file) {
  REAL(int, fclose, FILE *);
  if (fd_fits(fileno(file)) && strikes("fclose")) {
    die_if_asked();
    real(file);
    errno = error_number;
    return EOF;
  }
  return real(file);
}

int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  int fits = path_fits(from);
  if (is_folder_part(from))
    in_part = 0;
  else if (fits && ends_with(from, ".part"))
    __atomic_sub_fetch(&in_file, 1, __ATOMIC_SEQ_CST);
  FAIL_IF(fits, "rename", -1)
  return real(from, to);
}

int unlink(const char *path) {
  REAL(int, unlink, const char *);
  FAIL_IF(path_fits(path), "unlink", -1)
  return real(path);
}

int rmdir(const char *path) {
  REAL(int, rmdir, const char *);
  FAIL_IF(path_fits(path), "rmdir", -1)
  return real(path);
}

DIR *opendir(const char *path) {
  REAL(DIR *, opendir, const char *);
  FAIL_IF(path_fits(path), "opendir", NULL)
  return real(path);
}

/* The allocator is reached through glibc's own names: dlsym itself allocates. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *at, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static int counts(void) { return in_part || rank_fd >= 0 || in_file > 0; }

void *malloc(size_t size) {
  FAIL_IF(counts(), "malloc", NULL)
  return __libc_malloc(size);
}
void *calloc(size_t number, size_t size) {
  FAIL_IF(counts(), "malloc", NULL)
  return __libc_calloc(number, size);
}
void *realloc(void *old, size_t size) {
  FAIL_IF(counts(), "malloc", NULL)
  return __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  FAIL_IF(counts(), "malloc", NULL)
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **to, size_t alignment, size_t size) {
  FAIL_IF(counts(), "malloc", error_number)
  *to = __libc_memalign(alignment, size);
  return *to ? 0 : ENOMEM;
}
