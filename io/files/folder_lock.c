/* The lock of a results folder: see folder.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/folder.h"
#include "io/files/safe_open.h"
#include "src/base/concurrent.h"
#include "src/base/text.h"

/* The one lock that each run holds. */
static struct lock {
  atomic_int held;     /* descriptor + 1; 0: none is held */
  char *folder, *file; /* its folder, and the path of .lock there */
  struct stat place;   /* of the folder, when it was locked */
} locks[TOR_CONCURRENT_MOST + 1];

static struct lock *mine(void) { return &locks[tor_concurrent_number()]; }

static int is_same(const struct stat *a, const struct stat *b) {
  return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Text that the holder wrote into the file: `process 123 on node7`. */
static void refuse(int fd, const char *path, char *why, size_t size) {
  char holder[300];
  ssize_t n = pread(fd, holder, sizeof holder - 1, 0);
  holder[n > 0 ? n : 0] = 0;
  holder[strcspn(holder, "\n")] = 0;
  tor_text_clean(holder);
  snprintf(why, size, "%s: another run is writing there (%s); wait for its end, or name another folder by --out DIR",
           path, *holder ? holder : "it gave no name");
}

static void write_holder(int fd) {
  char host[256] = "unknown", text[300];
  gethostname(host, sizeof host - 1);
  int n = snprintf(text, sizeof text, "process %ld on %s\n", (long)getpid(), host);
  if (n > 0 && !ftruncate(fd, 0) && pwrite(fd, text, (size_t)n, 0) < 0) return; /* the lock holds without the name */
}

/* Whether the locked file is still the one of that name: its former holder removes it when it ends. */
static int is_current(int fd, const char *path) {
  struct stat a, b;
  return !fstat(fd, &a) && !lstat(path, &b) && is_same(&a, &b);
}

/* A file that may be written: a regular one with no other name, empty or with what a run wrote there. */
static int is_a_lock(int fd) {
  static const char start[] = "process ";
  char text[sizeof start] = "";
  struct stat about;
  if (fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_nlink > 1) return 0;
  return !about.st_size || (pread(fd, text, sizeof start - 1, 0) == (ssize_t)sizeof start - 1 && !strcmp(text, start));
}

/* Locks the file of that path. Returns a descriptor; or -1 with the reason. */
static int lock_file(const char *path, const char *of, char *why, size_t size) {
  for (int attempt = 0; attempt < 10; attempt++) {
    const int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0) break;
    if (!is_a_lock(fd)) {
      snprintf(why, size, "%s: .lock there is no lock of a run; remove it, or name another folder by --out DIR", of);
      close(fd);
      return -1;
    }
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN)) {
      refuse(fd, of, why, size);
      close(fd);
      return -1;
    }
    if (is_current(fd, path)) {
      write_holder(fd);
      return fd;
    }
    close(fd);
  }
  if (errno == ELOOP)
    snprintf(why, size, "%s: .lock there is a symbolic link; remove it, or name another folder by --out DIR", of);
  else
    snprintf(why, size, "%s: cannot make the lock file .lock there: %s", of, strerror(errno));
  return -1;
}

static void forget(struct lock *lock) {
  free(lock->folder);
  free(lock->file);
  lock->folder = lock->file = NULL;
}

int tor_folder_lock(const char *path, char *why, size_t size) {
  struct lock *lock = mine();
  const size_t n = strlen(path) + sizeof "/.lock";
  lock->folder = strdup(path);
  lock->file = malloc(n);
  int fd = -1;
  if (!lock->folder || !lock->file || stat(path, &lock->place))
    snprintf(why, size, "%s: cannot be locked: %s", path, strerror(errno));
  else {
    snprintf(lock->file, n, "%s/.lock", path);
    fd = lock_file(lock->file, path, why, size);
  }
  if (fd < 0) forget(lock);
  lock->held = fd + 1;
  return fd < 0 ? -1 : 0;
}

void tor_folder_unlock(void) {
  struct lock *lock = mine();
  const int fd = lock->held - 1;
  if (fd < 0) return;
  if (is_current(fd, lock->file)) unlink(lock->file);
  lock->held = 0;
  close(fd);
  forget(lock);
}

int tor_folder_is_ours(void) {
  const struct lock *lock = mine();
  const int fd = lock->held - 1;
  return fd < 0 || is_current(fd, lock->file);
}

/* Whether another run has ended in the folder. */
static int has_ended(const struct lock *lock) {
  char path[4096];
  snprintf(path, sizeof path, "%s/run.json", lock->folder);
  return tor_safe_kind(path) != TOR_SAFE_NOTHING;
}

int tor_folder_may_write(void) {
  const struct lock *lock = mine();
  struct stat now;
  if (tor_folder_is_ours()) return 1;
  return !stat(lock->folder, &now) && is_same(&now, &lock->place) && lstat(lock->file, &now) && errno == ENOENT &&
         !has_ended(lock);
}

/* Where the folder of the lock is now, by the system's own word. */
static void find_it(const struct lock *lock, char *where, size_t size) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", lock->held - 1);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  path[n > 0 ? n : 0] = 0;
  char *end = n > 0 && !strstr(path, " (deleted)") ? strrchr(path, '/') : NULL;
  if (end) *end = 0;
  snprintf(where, size, end ? "it is %s now" : "it was removed%s", end ? path : "");
}

int tor_folder_lock_again(char *why, size_t size) {
  char where[4200], reason[4096];
  struct lock *lock = mine();
  const char *const folder = lock->folder;
  struct stat now;
  find_it(lock, where, sizeof where);
  const int is_there = !stat(folder, &now), is_the_same = is_there && is_same(&now, &lock->place);
  if (is_the_same) {
    snprintf(where, sizeof where, "its .lock was removed");
    if (has_ended(lock)) {
      snprintf(why, size, "%s: %s while this run wrote there, and another run has ended there", folder, where);
      return -1;
    }
  } else if (is_there && tor_folder_holds_any(folder)) {
    snprintf(why, size, "%s: was moved or removed while this run wrote there (%s), and is something else now", folder,
             where);
    return -1;
  }
  const int old = lock->held;
  lock->held = 0; /* to make the folder */
  int fd = -1;
  if (!tor_folder_make(folder, reason, sizeof reason)) fd = lock_file(lock->file, folder, reason, sizeof reason);
  if (fd < 0 || stat(folder, &lock->place)) {
    lock->held = old;
    snprintf(why, size, "%s: was moved or removed while this run wrote there (%s); %s", folder, where, reason);
    return -1;
  }
  lock->held = fd + 1;
  close(old - 1);
  snprintf(why, size, is_the_same ? "%s: %s while this run wrote there" : "%s: was moved or removed (%s)", folder,
           where);
  return 0;
}
