/* The results folder, and files that appear whole or not at all.
 *
 * A result is written to `<path>.part` beside its final name, flushed to the disk and renamed: a file with the final
 * name is complete. Local; no call ends the run. */
#ifndef TOR_IO_FILES_FOLDER_H
#define TOR_IO_FILES_FOLDER_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Makes the folder and those above it, as needed, and checks that files can be made in it. Returns 0; or -1 with errno
 * and the reason in why[size], such as `runs/a: "runs" is a file, not a folder`. */
int tor_folder_make(const char *path, char *why, size_t size);

/* Bytes that this user may still write on the file system of `path`; -1 with errno when that is unknown. */
int64_t tor_folder_free_bytes(const char *path);

/* Opens `<path>.part` for writing; NULL with errno. */
FILE *tor_folder_create(const char *path);
/* Flushes, syncs, closes and renames to `path`. Returns 0; or -1 with errno after removing the part, `path` untouched.
 */
int tor_folder_commit(FILE *file, const char *path);
/* Closes and removes the part; keeps errno. */
void tor_folder_discard(FILE *file, const char *path);

/* Syncs an open file; a folder by its path. File systems that cannot sync are no failure. Returns 0; or -1 with
 * errno. */
int tor_folder_sync(int fd);
int tor_folder_sync_path(const char *path);

/* Locks a folder for this run by a file `.lock` in it that names host and process; one folder a run (concurrent.h).
 * Returns 0; or -1 with the reason in why[size], as when another process holds it. The lock ends with the process,
 * however that ends. On a file system without locks nothing is locked, without a failure. */
int tor_folder_lock(const char *path, char *why, size_t size);
void tor_folder_unlock(void);
/* Whether the lock is still that of the folder's path, which may have been moved away or removed; 1 when this process
 * holds none. From any thread. */
int tor_folder_is_ours(void);
/* The same, and also 1 when the folder is the locked one, its .lock was removed and no run has ended there since (no
 * run.json): files that are being written are completed. */
int tor_folder_may_write(void);
/* With the lock no longer that of the path: locks again where that mixes no two runs' files, in a folder that is empty
 * or is made now, or in the same one (its .lock was removed) unless another run has ended there (run.json). Returns 0;
 * or -1. why[size]: what happened, in either case. */
int tor_folder_lock_again(char *why, size_t size);

/* Opens a folder to be listed, by no link inside of the results folder (safe_open.h); NULL with errno. */
DIR *tor_folder_list(const char *path);
/* Whether anything is in the folder; 0 when there is none. */
int tor_folder_holds_any(const char *path);

/* Removes a folder's files, whole ones and parts, whose names match one of npattern patterns of the shell, and the
 * folder when nothing else is in it. */
void tor_folder_clear(const char *path, const char *const *pattern, int npattern);

/* `<path>.part`, to be freed; NULL with errno. */
char *tor_folder_part(const char *path);
/* Syncs and renames a closed part (made by a library that opens files itself). As tor_folder_commit. */
int tor_folder_publish(const char *path);

#endif
