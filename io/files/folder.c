/* The results folder and whole files: see folder.h. */
#include "io/files/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io/files/safe_open.h"

static const char *in_words(int error) {
  switch (error) {
  case EACCES:
  case EPERM: return "no permission to write there";
  case ENOSPC: return "the disk is full";
  case EDQUOT: return "the disk quota is used up";
  case EROFS: return "the file system is read-only";
  case ENAMETOOLONG: return "the name is too long";
  case ELOOP: return "a symbolic link stands in the way";
  case ESTALE: return "it was moved or removed while this run wrote there";
  default: return strerror(error);
  }
}

static int refuse(int error, const char *path, const char *part, char *why, size_t size) {
  if (error == EEXIST || error == ENOTDIR) {
    snprintf(why, size, "%s: \"%s\" is a file, not a folder", path, part);
    error = ENOTDIR;
  } else
    snprintf(why, size, "%s: cannot make the folder \"%s\": %s", path, part, in_words(error));
  errno = error;
  return -1;
}

int tor_folder_make(const char *path, char *why, size_t size) {
  if (!*path) {
    snprintf(why, size, "the name of the results folder is empty");
    errno = ENOENT;
    return -1;
  }
  char *part = strdup(path);
  if (!part) return refuse(ENOMEM, path, path, why, size);
  int status = 0;
  for (char *end = part; !status && *end;) {
    end += strspn(end, "/");
    if (!*end && end > part) break;
    end += strcspn(end, "/");
    char kept = *end;
    *end = 0;
    if (tor_safe_make_folder(part)) status = refuse(errno, path, part, why, size);
    *end = kept;
  }
  free(part);
  if (!status && access(path, W_OK | X_OK)) {
    int error = errno;
    snprintf(why, size, "%s: cannot make files in this folder: %s", path, in_words(error));
    errno = error;
    status = -1;
  }
  return status;
}

int64_t tor_folder_free_bytes(const char *path) {
  struct statvfs about;
  if (statvfs(path, &about)) return -1;
  return (int64_t)about.f_bavail * (int64_t)about.f_frsize;
}

DIR *tor_folder_list(const char *path) {
  const int fd = tor_safe_folder(path);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  const int error = errno;
  if (fd >= 0 && !dir) close(fd);
  errno = error;
  return dir;
}

int tor_folder_holds_any(const char *path) {
  DIR *dir = tor_folder_list(path);
  if (!dir) return 0;
  int any = 0;
  for (struct dirent *item; !any && (item = readdir(dir));)
    any = strcmp(item->d_name, ".") && strcmp(item->d_name, "..");
  closedir(dir);
  return any;
}

/* Whether one of the patterns matches a name, which may be that of a part. */
static int matches(const char *name, const char *const *pattern, int npattern) {
  char whole[NAME_MAX + 1];
  snprintf(whole, sizeof whole, "%s", name);
  char *end = strrchr(whole, '.');
  if (end && !strcmp(end, ".part")) *end = 0;
  for (int i = 0; i < npattern; i++)
    if (!fnmatch(pattern[i], whole, 0)) return 1;
  return 0;
}

void tor_folder_clear(const char *path, const char *const *pattern, int npattern) {
  DIR *dir = tor_folder_is_ours() ? tor_folder_list(path) : NULL;
  if (!dir) return;
  const int fd = dirfd(dir);
  for (struct dirent *item; fd >= 0 && (item = readdir(dir));)
    if (matches(item->d_name, pattern, npattern)) unlinkat(fd, item->d_name, 0);
  closedir(dir);
  tor_safe_remove_folder(path);
}

char *tor_folder_part(const char *path) {
  size_t n = strlen(path) + sizeof ".part";
  char *part = malloc(n);
  if (part) snprintf(part, n, "%s.part", path);
  return part;
}

FILE *tor_folder_create(const char *path) {
  char *part = tor_folder_part(path);
  if (!part) return NULL;
  const int fd = tor_safe_create(part);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
  int error = errno;
  if (fd >= 0 && !file) close(fd);
  free(part);
  errno = error;
  return file;
}

/* Removes the part and keeps errno. */
static void remove_part(const char *path) {
  int error = errno;
  char *part = tor_folder_part(path);
  if (part) tor_safe_remove(part);
  free(part);
  errno = error;
}

void tor_folder_discard(FILE *file, const char *path) {
  int error = errno;
  fclose(file);
  remove_part(path);
  errno = error;
}

/* Some file systems cannot sync and return EINVAL: that is not a failure of the data. */
int tor_folder_sync(int fd) { return fsync(fd) && errno != EINVAL && errno != ENOTSUP ? -1 : 0; }

int tor_folder_sync_path(const char *path) {
  int fd = tor_safe_folder(path);
  if (fd < 0) return -1;
  int status = tor_folder_sync(fd), error = errno;
  close(fd);
  errno = error;
  return status;
}

/* Makes the new name last through a power cut. Not all systems let folders be synced: failing is harmless. */
static void sync_folder_of(const char *path) {
  char *folder = strdup(path);
  if (!folder) return;
  char *slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = 0;
  int fd = tor_safe_folder(slash ? folder : ".");
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
  free(folder);
}

int tor_folder_publish(const char *path) {
  char *part = tor_folder_part(path);
  if (!part) return -1;
  int fd = tor_safe_open(part, O_RDWR);
  int status = fd < 0 ? -1 : tor_folder_sync(fd);
  int error = errno;
  if (fd >= 0 && close(fd) && !status) status = -1, error = errno;
  if (!status && tor_safe_rename(part, path)) status = -1, error = errno;
  if (status)
    tor_safe_remove(part);
  else
    sync_folder_of(path);
  free(part);
  errno = error;
  return status;
}

int tor_folder_commit(FILE *file, const char *path) {
  if (ferror(file) || fflush(file)) {
    if (!errno) errno = EIO;
    tor_folder_discard(file, path);
    return -1;
  }
  if (fclose(file)) {
    remove_part(path);
    return -1;
  }
  return tor_folder_publish(path);
}
