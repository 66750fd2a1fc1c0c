/* Inside of io/hdf5/h5.c, h5_array.c and h5_follow.c: an open file, and the failures of HDF5. */
#ifndef TOR_IO_HDF5_H5_PARTS_H
#define TOR_IO_HDF5_H5_PARTS_H

#include <hdf5.h>
#include <stddef.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_disk.h"

enum { TOR_H5_MOST_DIMS = 8 };

struct tor_h5 {
  hid_t file, driver;
  char *path, *part;
  int deflate, failed;
  int shared;              /* all processes write it */
  int fd;                  /* of a shared file */
  struct tor_h5_disk disk; /* its address is given to the driver */
};

/* Stores the reason of a failure; always returns -1. `call` failed in that line of that file. */
int tor_h5_fail(struct tor_h5 *h5, const char *what, const char *object, const char *call, const char *file, int line);

/* For an HDF5 call that returns an id or a status: on failure, also of the disk, stores the reason and jumps to `done`.
 * The function around it has h5, doing (the action, as text), object (its object, or NULL) and status (-1 until the
 * end). */
#define H5_TRY(call)                                             \
  do {                                                           \
    if ((call) < 0 || h5->disk.error) {                          \
      tor_h5_fail(h5, doing, object, #call, __FILE__, __LINE__); \
      goto done;                                                 \
    }                                                            \
  } while (0)

/* HDF5 prints its stack of errors unless that is switched off; the caller's setting is restored. */
struct tor_h5_silence {
  H5E_auto2_t print;
  void *data;
};
/* Whether there is a regular file at a path, which can be opened; a pipe is none. */
int tor_h5_is_file(const char *path);
struct tor_h5_silence tor_h5_silence(void);
void tor_h5_restore(struct tor_h5_silence kept);
/* Code of callers runs between two calls of HDF5, and may end the run. */
void tor_h5_outside(int is_outside);

/* The values of a dataset of `count` numbers [count], owned by the caller; NULL where they cannot be read. bad: the
 * first that is not finite, -1: none. */
double *tor_h5_numbers(hid_t set, tor_gidx count, tor_gidx *bad);

/* Creation property that makes the groups on the way; the caller closes it. */
hid_t tor_h5_parents(void);
/* Fixed-length string type that holds `text` with its end; the caller closes it. */
hid_t tor_h5_string_type(const char *text);

/* The data of a dataset: the whole array, or rows by one of two functions. */
struct tor_h5_content {
  const void *data;  /* of a shared file: on rank 0 alone */
  int lead;          /* indices that number the rows; 0: the whole array */
  tor_h5_fill *fill; /* on rank 0 */
  tor_h5_gather *gather;
  void *context;
};
/* A new dataset. Returns 0; or -1 with tor_h5_error. Of a shared file: on the first rank of each process. */
int tor_h5_do_array(struct tor_h5 *h5, const char *object, hid_t type, int rank, const hsize_t *dims,
                    const struct tor_h5_content *content);
/* The same on the other ranks, which have no file: their part in making the rows of that many bytes a value. */
void tor_h5_help_array(const char *object, size_t size, int rank, const hsize_t *dims,
                       const struct tor_h5_content *content);

/* The calls behind those of h5.h, of one file on one process. */
int tor_h5_do_group(struct tor_h5 *h5, const char *object);
int tor_h5_do_attribute(struct tor_h5 *h5, const char *object, const char *name, hid_t type, int count,
                        const void *data);
int tor_h5_do_string(struct tor_h5 *h5, const char *object, const char *name, const char *text);
int tor_h5_do_text(struct tor_h5 *h5, const char *object, const char *text);
/* Opens the part that rank 0 has made; NULL on all ranks where one cannot, and on all but the first of a process.
 * Collective. */
struct tor_h5 *tor_h5_do_create_shared(const char *path);
/* A failure of any is that of rank 0's h5; the others free it. NULL on all but the first rank of a process.
 * Collective. */
void tor_h5_do_close_shared(struct tor_h5 *h5);

/* What rank 0 has the other ranks do: the same call for a shared file, or their part in the rows of its own. */
enum tor_h5_op {
  TOR_H5_END, /* dismisses them */
  TOR_H5_CREATE,
  TOR_H5_CLOSE,
  TOR_H5_DEFLATE,
  TOR_H5_GROUP,
  TOR_H5_ARRAY,
  TOR_H5_ROWS,
  TOR_H5_TEXT,
  TOR_H5_STRING,
  TOR_H5_ATTRIBUTE
};
enum tor_h5_native {
  TOR_H5_NATIVE_DOUBLE,
  TOR_H5_NATIVE_FLOAT,
  TOR_H5_NATIVE_INT64,
  TOR_H5_NATIVE_UINT32,
  TOR_H5_NATIVE_LETTER
};
hid_t tor_h5_native(enum tor_h5_native native);
struct tor_h5_call {
  enum tor_h5_op op;
  enum tor_h5_native type;
  int rank, lead, count; /* count: of an attribute's values, the level of deflate, whether rows are gathered */
  tor_gidx dims[TOR_H5_MOST_DIMS];
  tor_gidx first, rows;
  size_t size;  /* of a value of an array */
  size_t bytes; /* of the data that follow: an attribute's values, a text with its end */
  char object[384], name[64];
};
void tor_h5_send_call(struct tor_h5_call *call, const char *object, const char *name, const void *data);

#endif
