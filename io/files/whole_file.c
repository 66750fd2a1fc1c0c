/* See whole_file.h. */
#include "io/files/whole_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/error.h"

static enum tor_whole_file read_open(int fd, size_t most, char **data, size_t *size) {
  struct stat about;
  size_t done = 0;
  if (fstat(fd, &about)) return TOR_WHOLE_CLOSED;
  if (!S_ISREG(about.st_mode)) return S_ISDIR(about.st_mode) ? TOR_WHOLE_FOLDER : TOR_WHOLE_NO_FILE;
  *size = (size_t)about.st_size;
  if (*size > most) return TOR_WHOLE_LARGE;
  *data = tor_reserve(*size + 1);
  for (ssize_t got = *data != NULL; got > 0 && done < *size; done += got > 0 ? (size_t)got : 0)
    got = read(fd, *data + done, *size - done);
  if (*data && done == *size) {
    (*data)[done] = 0;
    return TOR_WHOLE_READ;
  }
  free(*data);
  *data = NULL;
  return TOR_WHOLE_FAILED;
}

enum tor_whole_file tor_whole_file_read(const char *path, size_t most, char **data, size_t *size) {
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe is opened at once */
  *data = NULL;
  *size = 0;
  if (fd < 0) return TOR_WHOLE_CLOSED;
  const enum tor_whole_file found = read_open(fd, most, data, size);
  close(fd);
  return found;
}
