/* Files that are read as a whole. */
#ifndef TOR_IO_FILES_WHOLE_FILE_H
#define TOR_IO_FILES_WHOLE_FILE_H

#include <stddef.h>

enum tor_whole_file {
  TOR_WHOLE_READ,
  TOR_WHOLE_CLOSED,  /* it cannot be opened: errno */
  TOR_WHOLE_FOLDER,  /* it is a folder */
  TOR_WHOLE_NO_FILE, /* neither a file nor a folder: a pipe, which is not waited for, a device */
  TOR_WHOLE_LARGE,   /* it has more than the most bytes: *size */
  TOR_WHOLE_FAILED   /* no memory, or fewer bytes came */
};

/* Reads a regular file of at most `most` bytes into memory, with a zero behind its *size bytes; the caller frees *data,
 * which is NULL where it was not read. */
enum tor_whole_file tor_whole_file_read(const char *path, size_t most, char **data, size_t *size);

#endif
