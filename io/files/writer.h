/* Files written asynchronously, by a dedicated thread.
 *
 * Data are copied to blocks of memory, which the thread writes in order, bypassing the page cache where the file system
 * allows it (O_DIRECT): filling that cache costs more time than the disk. A file is `<path>.part` until it is complete,
 * synced and renamed, all of that by the thread. All calls must come from one thread; no call ends the run. */
#ifndef TOR_IO_FILES_WRITER_H
#define TOR_IO_FILES_WRITER_H

#include <stddef.h>
#include <stdint.h>

struct tor_writer;
struct tor_written; /* one file */

/* `bytes`: the most memory for data that wait for the disk (at least a few blocks are used); it is touched as needed.
 * NULL with errno when there is no memory or no thread. */
struct tor_writer *tor_writer_start(uint64_t bytes);
/* All files must have been waited for. NULL: nothing. */
void tor_writer_end(struct tor_writer *writer);

/* Opens `<path>.part`; NULL with errno. It is ended by tor_written_wait, after tor_written_publish or
 * tor_written_discard. */
struct tor_written *tor_writer_create(struct tor_writer *writer, const char *path);

/* Anywhere in the file; fastest from its start to its end. Waits while the memory is full. Returns 0; or -1 with errno:
 * the thread's first failure with this file, or no memory. Afterwards nothing more is written. */
int tor_written_put(struct tor_written *file, int64_t at, const void *data, size_t size);
/* Reads data that were put; zeros where there were none. Waits for the disk. */
int tor_written_get(struct tor_written *file, int64_t at, void *data, size_t size);
/* Sets the file's final size; without this it is the end of the data that lie farthest in it. */
void tor_written_resize(struct tor_written *file, int64_t bytes);

/* No more data follow: the thread renames the file to its final name, or removes it. Neither call waits. */
void tor_written_publish(struct tor_written *file);
void tor_written_discard(struct tor_written *file);
/* Whether tor_written_wait would return at once. */
int tor_written_ended(const struct tor_written *file);
/* Waits, and frees it. Returns 0 when the complete file has its final name; or -1 with errno, and no file remains. */
int tor_written_wait(struct tor_written *file);

#endif
