/* The file with the measurements of `torre tune` on a device (src/schedule/tuned.h). */
#ifndef TOR_SRC_SCHEDULE_TUNED_FILE_H
#define TOR_SRC_SCHEDULE_TUNED_FILE_H

#include "src/schedule/tuned.h"

enum tor_tuned_file {
  TOR_TUNED_FILE_READ,   /* complete: all kinds, all figures within their ranges */
  TOR_TUNED_FILE_NONE,   /* there is no such file */
  TOR_TUNED_FILE_OLD,    /* another version wrote it: only tuned->version is set */
  TOR_TUNED_FILE_DAMAGED /* unreadable or invalid: why[size] begins with the path, with its line */
};
/* version: of this program. A folder, a FIFO, or a file above 64 KiB in the file's place is not opened. */
enum tor_tuned_file tor_tuned_read(const char *path, const char *version, struct tor_tuned *tuned, char *why,
                                   size_t size);
/* Makes the folder as needed; the file appears whole or not at all. Returns 0; or -1 with the reason in why[size]. */
int tor_tuned_write(const char *path, const struct tor_tuned *tuned, char *why, size_t size);

#endif
