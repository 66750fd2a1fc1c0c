/* A nameless file in a folder, read and written past the page cache (O_DIRECT) where its file system can do so. It is
 * gone when it is closed or the process ends, however it ends. Addresses, places and sizes are multiples of
 * TOR_DIRECT_ALIGN. Local; several threads may read and write at one time. Calls return 0, or -1 with errno. */
#ifndef TOR_IO_FILES_DIRECT_FILE_H
#define TOR_IO_FILES_DIRECT_FILE_H

#include <stddef.h>
#include <stdint.h>

enum { TOR_DIRECT_ALIGN = 4096 };
struct tor_direct_file {
  int fd;
  int is_direct; /* past the page cache; 0: through it, pages are given up after each transfer */
};

int tor_direct_file_open(struct tor_direct_file *file, const char *folder);
void tor_direct_file_close(struct tor_direct_file *file);
/* Its size; what is new reads as zeros. */
int tor_direct_file_resize(struct tor_direct_file *file, int64_t bytes);
/* Takes the disk's space for the first `bytes`; does nothing where the file system cannot. ENOSPC: there is too little.
 */
int tor_direct_file_reserve(struct tor_direct_file *file, int64_t bytes);
int tor_direct_file_read(const struct tor_direct_file *file, int64_t at, void *to, size_t bytes);
int tor_direct_file_write(const struct tor_direct_file *file, int64_t at, const void *from, size_t bytes);

#endif
