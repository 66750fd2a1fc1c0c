/* A fresh folder for a test's files. */
#ifndef TOR_TESTS_SUPPORT_TEMPORARY_H
#define TOR_TESTS_SUPPORT_TEMPORARY_H

/* Makes `folder`, a name that ends in XXXXXX, and names a file there: `path`, 64 bytes, and `part`, 72 bytes, as it is
 * called while it is written; NULL: not needed. Returns 0, or -1 with errno. Remove the folder with rmdir: a file that
 * is left there is a fault. */
int temporary_file(char *folder, const char *name, char *path, char *part);

/* From here on no file of this process grows beyond so many bytes (EFBIG), as on a full disk; -1: no limit any more. */
void temporary_limit(long bytes);

#endif
