/* results.h5: arrays with units, and attributes, in one HDF5 file.
 *
 * The file is written as `<path>.part` and renamed when it closes without a failure; until then there is no file of the
 * final name. After the first failure every call returns -1 at once and keeps that message, so a caller may check
 * tor_h5_close alone. Objects are named by whole paths ("/monitors/probe/data"); groups are made as needed. Strings are
 * fixed-length ASCII (UTF-8 when a byte is not ASCII). Arrays carry Fletcher32 checksums, single values
 * and texts do not. Local: called on one rank, in one thread, under a serial or a parallel build of HDF5 1.10. A file
 * of tor_h5_create_shared is written by all processes, and its arrays' rows may be gathered from all ranks: rank 0
 * calls what is below, all others are in tor_h5_follow meanwhile, and the first rank of each process does the same to
 * its HDF5. */
#ifndef TOR_IO_HDF5_H5_H
#define TOR_IO_HDF5_H5_H

#include "src/base/types.h"
#include "io/files/writer.h"

struct tor_h5;

enum tor_h5_type { TOR_H5_DOUBLE, TOR_H5_FLOAT, TOR_H5_INT64 };

/* NULL when the file cannot be made (tor_h5_error). The caller ends it by tor_h5_close. */
struct tor_h5 *tor_h5_create(const char *path);
/* The same, written asynchronously by the writer, which must outlive it. */
struct tor_h5 *tor_h5_create_async(const char *path, struct tor_writer *writer);

/* On rank 0: whether files are for all processes to write: the build has a parallel HDF5, and the run's processes are
 * on several machines; on one, the first is faster, by itself and asynchronously. TORRE_HDF5_WRITERS=all or first in
 * the environment decides instead. */
int tor_h5_can_share(void);
/* A file that all processes write, on rank 0 with the others in tor_h5_follow. NULL also where a process cannot open
 * it. A failed write is reported by tor_h5_close; a failure of HDF5 itself, as for want of memory, ends the run. */
struct tor_h5 *tor_h5_create_shared(const char *path);

/* Puts rows [first, first + count) of the array called `object` to `rows` on the rank `writer`; NULL on the others.
 * Called on all ranks. */
typedef void tor_h5_gather(void *context, const char *object, tor_gidx first, tor_gidx count, int writer, void *rows);
/* On ranks other than 0: does what rank 0's files need, until it calls tor_h5_dismiss. gather: that of rank 0's
 * tor_h5_write_gathered, NULL where it has none. */
void tor_h5_follow(tor_h5_gather *gather, void *context);
void tor_h5_dismiss(void);

/* Shuffle and deflate (1 fast ... 9 small, 0 off: the default) for the arrays written from here on. */
void tor_h5_deflate(struct tor_h5 *h5, int level);

/* All return 0, or -1 with tor_h5_error. */
int tor_h5_group(struct tor_h5 *h5, const char *path);

/* A new dataset of shape dims[rank], last index fastest; rank 0 is one value. `unit` and `description` become its
 * attributes "units" and "long_name"; NULL leaves one out. */
int tor_h5_write(struct tor_h5 *h5, const char *path, enum tor_h5_type type, int rank, const tor_gidx *dims,
                 const void *data, const char *unit, const char *description);
/* The same, rows made a few at a time, so that an array larger than the memory can be written: the first `lead` indices
 * (1 ... rank) together number the rows. `fill` puts rows [first, first + count) of the array to `rows` and returns
 * 0, or -1 to abort. `rows` has space for 32 MiB, or for one row where that is larger. In a shared file the rows are
 * sent to the process that writes them. */
typedef int tor_h5_fill(void *context, tor_gidx first, tor_gidx count, void *rows);
int tor_h5_write_rows(struct tor_h5 *h5, const char *path, enum tor_h5_type type, int rank, const tor_gidx *dims,
                      int lead, tor_h5_fill *fill, void *context, const char *unit, const char *description);
/* The same, rows by all ranks. With several ranks the others are in tor_h5_follow. */
int tor_h5_write_gathered(struct tor_h5 *h5, const char *path, enum tor_h5_type type, int rank, const tor_gidx *dims,
                          int lead, tor_h5_gather *gather, void *context);
/* A text of any length (a job file) as a dataset; attributes end at 64 KB. */
int tor_h5_write_text(struct tor_h5 *h5, const char *path, const char *text, const char *description);

/* Attributes of an object that exists ("/" is the file itself). */
int tor_h5_attribute_string(struct tor_h5 *h5, const char *object, const char *name, const char *text);
int tor_h5_attribute_double(struct tor_h5 *h5, const char *object, const char *name, double value);
int tor_h5_attribute_doubles(struct tor_h5 *h5, const char *object, const char *name, int count, const double *values);
int tor_h5_attribute_uint32(struct tor_h5 *h5, const char *object, const char *name, uint32_t value);
/* An array of texts of one letter each, given as one string: "zyx". */
int tor_h5_attribute_letters(struct tor_h5 *h5, const char *object, const char *name, const char *letters);
int tor_h5_attribute_int(struct tor_h5 *h5, const char *object, const char *name, tor_gidx value);

/* Closes, syncs, renames; frees h5 in any case. Returns 0; or -1 with tor_h5_error, and no new file. */
int tor_h5_close(struct tor_h5 *h5);
/* For a file of tor_h5_create_async: as tor_h5_close, but the rest is done asynchronously, and the caller waits for it
 * by tor_written_wait(*written). *written is NULL after a failure, and for other files. */
int tor_h5_close_async(struct tor_h5 *h5, struct tor_written **written);

/* The last failure as text: `out/results.h5: writing "/fields/ex": No space left on device (H5Dwrite, h5.c:88)`. */
const char *tor_h5_error(void);

#endif
