/* The lock of a results folder: see folder.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/folder.h"

static char *lock_path(const char *folder) {
  size_t n = strlen(folder) + sizeof "/.lock";
  char *path = malloc(n);
  if (path) snprintf(path, n, "%s/.lock", folder);
  return path;
}

/* Text that the holder wrote into the file: `process 123 on node7`. */
static void refuse(int fd, const char *folder, char *why, size_t size) {
  char holder[300];
  ssize_t n = pread(fd, holder, sizeof holder - 1, 0);
  holder[n > 0 ? n : 0] = 0;
  holder[strcspn(holder, "\n")] = 0;
  snprintf(why, size, "%s: another run is writing there (%s); wait for its end, or name another folder by --out DIR",
           folder, *holder ? holder : "it gave no name");
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
  return !fstat(fd, &a) && !stat(path, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

int tor_folder_lock(const char *folder, char *why, size_t size) {
  char *path = lock_path(folder);
  int fd = -1;
  for (int attempt = 0; path && attempt < 10; attempt++) {
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) break;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN)) {
      refuse(fd, folder, why, size);
      close(fd);
      free(path);
      return -1;
    }
    if (is_current(fd, path)) {
      write_holder(fd);
      free(path);
      return fd;
    }
    close(fd);
    fd = -1;
  }
  snprintf(why, size, "%s: cannot make the lock file .lock there: %s", folder, strerror(path ? errno : ENOMEM));
  free(path);
  return -1;
}

void tor_folder_unlock(int lock, const char *folder) {
  if (lock < 0) return;
  char *path = lock_path(folder);
  if (path && is_current(lock, path)) unlink(path);
  free(path);
  close(lock);
}
