/* The results folder and whole files: see folder.h. */
#include "io/files/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *in_words(int error) {
  switch (error) {
  case EACCES:
  case EPERM: return "no permission to write there";
  case ENOSPC: return "the disk is full";
  case EDQUOT: return "the disk quota is used up";
  case EROFS: return "the file system is read-only";
  case ENAMETOOLONG: return "the name is too long";
  case ELOOP: return "symbolic links go round in a circle";
  default: return strerror(error);
  }
}

static int is_folder(const char *path) {
  struct stat about;
  return !stat(path, &about) && S_ISDIR(about.st_mode);
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
    end += strcspn(end, "/");
    char kept = *end;
    *end = 0;
    /* Some file systems answer EACCES or EROFS for a folder that is already there. */
    int error = mkdir(part, 0777) ? errno : 0;
    if (error && !is_folder(part)) status = refuse(error, path, part, why, size);
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

int tor_folder_holds_any(const char *path) {
  DIR *dir = opendir(path);
  if (!dir) return 0;
  int any = 0;
  for (struct dirent *item; !any && (item = readdir(dir));)
    any = strcmp(item->d_name, ".") && strcmp(item->d_name, "..");
  closedir(dir);
  return any;
}

void tor_folder_clear(const char *path, const char *const *pattern, int npattern) {
  DIR *dir = opendir(path);
  if (!dir) return;
  for (struct dirent *item; (item = readdir(dir));) {
    char name[sizeof item->d_name];
    snprintf(name, sizeof name, "%s", item->d_name);
    char *end = strrchr(name, '.');
    if (end && !strcmp(end, ".part")) *end = 0;
    int ours = 0;
    for (int i = 0; i < npattern; i++) ours |= !fnmatch(pattern[i], name, 0);
    if (ours) unlinkat(dirfd(dir), item->d_name, 0);
  }
  closedir(dir);
  rmdir(path);
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
  FILE *file = fopen(part, "wb");
  int error = errno;
  free(part);
  errno = error;
  return file;
}

/* Removes the part and keeps errno. */
static void remove_part(const char *path) {
  int error = errno;
  char *part = tor_folder_part(path);
  if (part) unlink(part);
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
  int fd = open(path, O_RDONLY | O_CLOEXEC);
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
  int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY);
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
  free(folder);
}

int tor_folder_publish(const char *path) {
  char *part = tor_folder_part(path);
  if (!part) return -1;
  int fd = open(part, O_RDWR);
  int status = fd < 0 ? -1 : tor_folder_sync(fd);
  int error = errno;
  if (fd >= 0 && close(fd) && !status) status = -1, error = errno;
  if (!status && rename(part, path)) status = -1, error = errno;
  if (status)
    unlink(part);
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
