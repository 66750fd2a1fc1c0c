/* The file that keeps what `torre tune` measured on a device (src/schedule/tuned.h). */
#ifndef TOR_SRC_SCHEDULE_TUNED_FILE_H
#define TOR_SRC_SCHEDULE_TUNED_FILE_H

#include "src/schedule/tuned.h"

/* Returns 0; 1 when there is no such file; -1 when it is damaged, with the reason in why[size]. A file that is read is
 * complete: all kinds, all figures within what they can be. */
int tor_tuned_read(const char *path, struct tor_tuned *tuned, char *why, size_t size);
/* Makes the folder as needed; the file appears whole or not at all. Returns 0; or -1 with the reason in why[size]. */
int tor_tuned_write(const char *path, const struct tor_tuned *tuned, char *why, size_t size);

#endif
