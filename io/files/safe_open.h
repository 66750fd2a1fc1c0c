/* Opening, replacing and removing files of the results folder without being led astray.
 *
 * The results folder may be a symbolic link, and so may what leads to it. Nothing in it may: a link there, planted or
 * unpacked from an archive, would have the run write or remove what it points to. A file is created, never written
 * through an existing name; one that is read is a regular file, so that no pipe makes the run wait. While this
 * process holds the folder's lock (folder.h), files are made, renamed and removed there only as long as the lock is
 * still that of the path (errno: ESTALE), since the folder may have been moved away and another run may use its name.
 *
 * Paths outside of that folder follow links but for their last name. Any thread may call all but tor_safe_root. */
#ifndef TOR_IO_FILES_SAFE_OPEN_H
#define TOR_IO_FILES_SAFE_OPEN_H

#include <stdio.h>

/* Names the results folder as all paths will begin; the text must stay. NULL: there is none. */
void tor_safe_root(const char *folder);

/* Opens a folder. Returns a descriptor; or -1 with errno, ELOOP when a link stands in the way. */
int tor_safe_folder(const char *path);

/* Opens a regular file that exists, with O_RDONLY, O_RDWR | O_APPEND and the like. Returns a descriptor; or -1 with
 * errno: ELOOP for a link, EISDIR for a folder, ENOTSUP for a pipe, a device or a socket. */
int tor_safe_open(const char *path, int flags);
/* The same as a stream for reading; NULL with errno. */
FILE *tor_safe_read(const char *path);

/* Makes a new file for reading and writing; a file, link or pipe of that name is removed before. Returns a descriptor;
 * or -1 with errno. */
int tor_safe_create(const char *path);

/* Makes a folder in one that exists, and removes an empty one; a folder that is there already is no failure. Return 0;
 * or -1 with errno, ELOOP when a link to a folder of the results has that name. */
int tor_safe_make_folder(const char *path);
int tor_safe_remove_folder(const char *path);

/* Removes a file or link itself; gives a file or folder another name in its folder. Return 0; or -1 with errno. */
int tor_safe_remove(const char *path);
int tor_safe_rename(const char *from, const char *to);

/* The kind of file of that name; a link is none of the first three. */
enum tor_safe_kind { TOR_SAFE_NOTHING, TOR_SAFE_FILE, TOR_SAFE_FOLDER, TOR_SAFE_OTHER };
enum tor_safe_kind tor_safe_kind(const char *path);

#endif
