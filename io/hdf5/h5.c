/* HDF5 files: see h5.h. The driver of h5_disk.h never fails, so its error is checked after every call. */
#include "io/hdf5/h5.h"

#include <errno.h>
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/transport/message.h"
#include "io/files/folder.h"
#include "io/files/safe_open.h"
#include "io/files/writer.h"
#include "io/hdf5/h5_disk.h"
#include "io/hdf5/h5_shared.h"
#include "src/base/error.h"
#include "src/base/types.h"

enum { CHUNK_BYTES = 1 << 20, ROWS_BYTES = 1 << 25, MOST_DIMS = 8 };

struct tor_h5 {
  hid_t file, driver;
  char *path, *part;
  int deflate, failed;
  int shared;              /* all ranks write it */
  struct tor_h5_disk disk; /* its address is given to the driver */
};

static char message[1024];

/* --- Failures --------------------------------------------------------------------------------- */

const char *tor_h5_error(void) { return message; }

static herr_t find_innermost(unsigned n, const H5E_error2_t *error, void *reason) {
  if (!n && error->desc) snprintf(reason, 256, "%.255s", error->desc);
  return 0;
}

/* Stores the reason as text: the system's if the disk failed, otherwise HDF5's innermost. Always returns -1. A shared
 * file cannot be closed by one rank, nor by all once a write has failed. */
static int fail(struct tor_h5 *h5, const char *what, const char *object, const char *call, int line) {
  char reason[256] = "unknown failure";
  const char *name = strstr(call, "H5");
  if (!name) name = strchr(call, '=') ? strchr(call, '=') + 2 : call;
  if (h5->disk.error)
    snprintf(reason, sizeof reason, "%s", strerror(h5->disk.error));
  else
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_innermost, reason);
  H5Eclear2(H5E_DEFAULT);
  snprintf(message, sizeof message, "%s: %s%s%s%s: %s (%.*s, h5.c:%d)", h5->path, what, object ? " \"" : "",
           object ? object : "", object ? "\"" : "", reason, (int)strcspn(name, "("), name, line);
  if (h5->shared) TOR_DIE("%s", message);
  h5->failed = 1;
  return -1;
}

/* For an HDF5 call that returns an id or a status: on failure, also of the disk, stores the reason and jumps to `done`.
 * The function around it has h5, doing (the action, as text), object (its object, or NULL) and status (-1 until the
 * end).
 */
#define H5_TRY(call)                            \
  do {                                          \
    if ((call) < 0 || h5->disk.error) {         \
      fail(h5, doing, object, #call, __LINE__); \
      goto done;                                \
    }                                           \
  } while (0)

/* HDF5 prints its stack of errors unless that is switched off; the caller's setting is restored. */
struct silence {
  H5E_auto2_t print;
  void *data;
};

/* HDF5 1.10 ends the process without a message where it has no memory for one of its identifiers. */
static int inside;

static void report_exit(void) {
  if (inside) fputs("torre: the HDF5 library has ended the program: no memory\n", stderr);
}

static struct silence be_silent(void) {
  static int is_registered;
  struct silence kept = {NULL, NULL};
  inside = 1;
  if (!is_registered++) {
    atexit(report_exit);
    H5dont_atexit(); /* all files are closed by then, and remains of a failure would crash there */
  }
  H5Eget_auto2(H5E_DEFAULT, &kept.print, &kept.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return kept;
}

static void restore_messages(struct silence kept) {
  H5Eset_auto2(H5E_DEFAULT, kept.print, kept.data);
  inside = 0;
}

/* --- File, groups, datasets, attributes ------------------------------------------------------- */

/* The driver is freed last: on closing the file, HDF5 1.10 reads the driver's record after releasing it. */
static void release(struct tor_h5 *h5) {
  if (h5->driver >= 0) H5FDunregister(h5->driver);
  free(h5->path);
  free(h5->part);
  free(h5);
}

/* Removes an asynchronous file that failed. */
static void drop_written(struct tor_h5 *h5) {
  if (!h5->disk.written) return;
  tor_written_discard(h5->disk.written);
  tor_written_wait(h5->disk.written);
  h5->disk.written = NULL;
}

/* HDF5 1.10 may corrupt the heap after a failed allocation inside it; it is not called when memory is that short. */
static int has_space(void) {
  enum { PROBE = 1 << 26 };
  void *volatile probe = malloc(PROBE);
  free(probe);
  return probe != NULL;
}

/* All ranks make a shared file together and follow no link to one that is there (MPI_MODE_EXCL). */
static void remove_leftover(const char *part) {
  if (!tor_message_rank()) tor_safe_remove(part);
  tor_message_barrier();
}

static struct tor_h5 *create(const char *path, int shared, struct tor_writer *writer) {
  const char *doing = "creating the file", *object = NULL;
  hid_t access = -1;
  struct tor_h5 *h5 = calloc(1, sizeof *h5);
  if (h5) {
    h5->file = h5->driver = -1;
    h5->shared = shared;
    h5->path = strdup(path);
    h5->part = tor_folder_part(path);
  }
  if (!h5 || !h5->path || !h5->part || !has_space()) {
    snprintf(message, sizeof message, "%s: no memory", path);
    if (shared) TOR_DIE("%s", message);
    if (h5) release(h5);
    return NULL;
  }
  struct silence kept = be_silent();
  if (writer && !(h5->disk.written = tor_writer_create(writer, path))) {
    h5->disk.error = errno;
    fail(h5, doing, object, "open", __LINE__);
    goto done;
  }
  H5_TRY(access = H5Pcreate(H5P_FILE_ACCESS));
  H5_TRY(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
  if (shared) {
    H5_TRY(tor_h5_shared_set(access));
  } else {
    struct tor_h5_disk *disk = &h5->disk;
    H5_TRY(h5->driver = tor_h5_disk_register());
    H5_TRY(H5Pset_driver(access, h5->driver, &disk));
  }
  if (shared) remove_leftover(h5->part);
  H5_TRY((h5->file = H5Fcreate(h5->part, shared ? H5F_ACC_EXCL : H5F_ACC_TRUNC, H5P_DEFAULT, access)));
done:
  if (access >= 0) H5Pclose(access);
  if (!h5->failed) {
    restore_messages(kept);
    return h5;
  }
  if (h5->file >= 0) {
    H5Fclose(h5->file);
    if (!writer) tor_safe_remove(h5->part);
  }
  restore_messages(kept);
  drop_written(h5);
  release(h5);
  return NULL;
}

struct tor_h5 *tor_h5_create(const char *path) { return create(path, 0, NULL); }

struct tor_h5 *tor_h5_create_async(const char *path, struct tor_writer *writer) { return create(path, 0, writer); }

int tor_h5_can_share(void) { return tor_h5_shared_built() && tor_message_ranks() > 1 && tor_message_in_process() == 1; }

struct tor_h5 *tor_h5_create_shared(const char *path) { return create(path, 1, NULL); }

void tor_h5_deflate(struct tor_h5 *h5, int level) { h5->deflate = level; }

/* Creation property that makes the groups on the way. */
static hid_t make_parents(void) {
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  if (links >= 0 && H5Pset_create_intermediate_group(links, 1) < 0) {
    H5Pclose(links);
    return -1;
  }
  return links;
}

int tor_h5_group(struct tor_h5 *h5, const char *object) {
  if (h5->failed) return -1;
  const char *doing = "making the group";
  hid_t links = -1, group = -1;
  int status = -1;
  struct silence kept = be_silent();
  H5_TRY(links = make_parents());
  H5_TRY(group = H5Gcreate2(h5->file, object, links, H5P_DEFAULT, H5P_DEFAULT));
  status = 0;
done:
  if (links >= 0) H5Pclose(links);
  if (group >= 0) H5Gclose(group);
  restore_messages(kept);
  return status;
}

/* Fixed-length string type that holds `text` with its end; the caller closes it. */
static hid_t string_type(const char *text) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0) return -1;
  int ascii = 1;
  for (const char *s = text; *s; s++)
    if ((unsigned char)*s > 127) ascii = 0;
  if (H5Tset_size(type, strlen(text) + 1) < 0 || H5Tset_cset(type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8) < 0) {
    H5Tclose(type);
    return -1;
  }
  return type;
}

/* Chunks of at most 1 MiB that are whole along the last axes. An axis that must be divided is divided evenly: a chunk
 * that extends beyond the array's end takes its whole size on the disk. */
static void chunk_shape(int rank, const hsize_t *dims, size_t size, hsize_t *chunk) {
  hsize_t left = CHUNK_BYTES / size;
  for (int d = rank - 1; d >= 0; d--) {
    hsize_t pieces = (dims[d] + left - 1) / left;
    chunk[d] = pieces ? (dims[d] + pieces - 1) / pieces : 1;
    left /= chunk[d];
    if (!left) left = 1;
  }
}

/* Chunks with checksums; deflate where this HDF5 has it. Plain ones in a shared file: filters would make its writes
 * collective. */
static int set_chunks(hid_t create, int rank, const hsize_t *dims, size_t size, const struct tor_h5 *h5) {
  hsize_t chunk[MOST_DIMS];
  chunk_shape(rank, dims, size, chunk);
  if (H5Pset_chunk(create, rank, chunk) < 0 || H5Pset_fill_time(create, H5D_FILL_TIME_NEVER) < 0) return -1;
  if (h5->shared) return 0;
  if (h5->deflate > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0 &&
      (H5Pset_shuffle(create) < 0 || H5Pset_deflate(create, (unsigned)h5->deflate) < 0))
    return -1;
  return H5Zfilter_avail(H5Z_FILTER_FLETCHER32) > 0 && H5Pset_fletcher32(create) < 0 ? -1 : 0;
}

/* The data of a dataset: the whole array, or a function that makes rows. */
struct content {
  const void *data;
  int lead; /* indices that number the rows */
  tor_h5_fill *fill;
  void *context;
};

static herr_t put_rows(hid_t set, hid_t type, int rank, const hsize_t *start, const hsize_t *count, const void *rows) {
  hid_t from = H5Screate_simple(rank, count, NULL), to = H5Dget_space(set);
  herr_t status = -1;
  if (from >= 0 && to >= 0 && H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, count, NULL) >= 0)
    status = H5Dwrite(set, type, from, to, H5P_DEFAULT, rows);
  if (from >= 0) H5Sclose(from);
  if (to >= 0) H5Sclose(to);
  return status;
}

static hsize_t product(const hsize_t *dims, int from, int to) {
  hsize_t product = 1;
  for (int d = from; d < to; d++) product *= dims[d];
  return product;
}

/* Blocks of whole chunks, up to 32 MiB where a row is not larger; in a shared file the ranks take turns. A block is
 * whole along the axes behind `cut`, and before it one index wide, as its chunks are there. */
static int write_rows(struct tor_h5 *h5, hid_t set, hid_t type, int rank, const hsize_t *dims,
                      const struct content *content) {
  const size_t size = H5Tget_size(type);
  const int lead = content->lead;
  if (rank < 1 || lead > rank) return -1;
  hsize_t chunk[MOST_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1}, start[MOST_DIMS] = {0}, count[MOST_DIMS];
  chunk_shape(rank, dims, size, chunk);
  int cut = 0;
  while (cut < lead - 1 && chunk[cut] * product(dims, cut + 1, rank) * size > ROWS_BYTES) cut++;
  const hsize_t slice_bytes = product(dims, cut + 1, rank) * size, slices = product(dims, 0, cut + 1),
                slice_rows = product(dims, cut + 1, lead);
  hsize_t most = ROWS_BYTES / slice_bytes / chunk[cut] * chunk[cut];
  if (most < chunk[cut]) most = chunk[cut];
  if (most > dims[cut]) most = dims[cut];
  void *buffer = most * slice_bytes > 0 ? malloc(most * slice_bytes) : NULL;
  herr_t status = buffer ? 0 : -1;
  if (!buffer) h5->disk.error = ENOMEM;
  int turn = 0;
  for (int d = 0; d < rank; d++) count[d] = d < cut ? 1 : dims[d];
  for (hsize_t first = 0; status >= 0 && first < slices; first += count[cut]) {
    int mine = !h5->shared || turn++ % tor_message_ranks() == tor_message_rank();
    start[cut] = first % dims[cut];
    count[cut] = dims[cut] - start[cut] < most ? dims[cut] - start[cut] : most;
    hsize_t before = first / dims[cut];
    for (int d = cut - 1; d >= 0; before /= dims[d--]) start[d] = before % dims[d];
    inside = 0; /* filling may end the run */
    int unfilled = content->fill(content->context, (tor_gidx)(first * slice_rows), (tor_gidx)(count[cut] * slice_rows),
                                 mine ? buffer : NULL);
    inside = 1;
    if (unfilled || (mine && put_rows(set, type, rank, start, count, buffer) < 0)) status = -1;
  }
  free(buffer);
  return status;
}

static int write_array(struct tor_h5 *h5, const char *object, hid_t type, int rank, const hsize_t *dims,
                       const struct content *content) {
  const char *doing = "writing";
  hid_t space = -1, create = -1, links = -1, set = -1;
  size_t size = H5Tget_size(type);
  hsize_t bytes = size;
  for (int d = 0; d < rank; d++) bytes *= dims[d];
  int status = -1;
  H5_TRY(space = rank ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR));
  H5_TRY(create = H5Pcreate(H5P_DATASET_CREATE));
  H5_TRY(H5Pset_obj_track_times(create, 0)); /* the same data make the same file */
  if (rank && bytes) H5_TRY(set_chunks(create, rank, dims, size, h5));
  H5_TRY(links = make_parents());
  H5_TRY(set = H5Dcreate2(h5->file, object, type, space, links, create, H5P_DEFAULT));
  if (bytes && content->fill) H5_TRY(write_rows(h5, set, type, rank, dims, content));
  if (bytes && !content->fill) H5_TRY(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, content->data));
  status = 0;
done:
  if (set >= 0 && (H5Dclose(set) < 0 || h5->disk.error) && !status)
    status = fail(h5, doing, object, "H5Dclose", __LINE__);
  if (links >= 0) H5Pclose(links);
  if (create >= 0) H5Pclose(create);
  if (space >= 0) H5Sclose(space);
  return status;
}

static int write_attribute(struct tor_h5 *h5, const char *object, const char *name, hid_t type, int count,
                           const void *data) {
  const char *doing = "writing an attribute of";
  hid_t space = -1, attribute = -1;
  hsize_t dims[1] = {(hsize_t)count};
  int status = -1;
  H5_TRY(space = count ? H5Screate_simple(1, dims, NULL) : H5Screate(H5S_SCALAR));
  H5_TRY(attribute = H5Acreate_by_name(h5->file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5_TRY(H5Awrite(attribute, type, data));
  status = 0;
done:
  if (attribute >= 0 && (H5Aclose(attribute) < 0 || h5->disk.error) && !status)
    status = fail(h5, doing, object, "H5Aclose", __LINE__);
  if (space >= 0) H5Sclose(space);
  return status;
}

static int write_number(struct tor_h5 *h5, const char *object, const char *name, hid_t type, int count,
                        const void *data) {
  if (h5->failed) return -1;
  struct silence kept = be_silent();
  int status = write_attribute(h5, object, name, type, count, data);
  restore_messages(kept);
  return status;
}

int tor_h5_attribute_double(struct tor_h5 *h5, const char *object, const char *name, double value) {
  return write_number(h5, object, name, H5T_NATIVE_DOUBLE, 0, &value);
}

int tor_h5_attribute_doubles(struct tor_h5 *h5, const char *object, const char *name, int count, const double *values) {
  return write_number(h5, object, name, H5T_NATIVE_DOUBLE, count, values);
}

int tor_h5_attribute_int(struct tor_h5 *h5, const char *object, const char *name, tor_gidx value) {
  return write_number(h5, object, name, H5T_NATIVE_INT64, 0, &value);
}

int tor_h5_attribute_uint32(struct tor_h5 *h5, const char *object, const char *name, uint32_t value) {
  return write_number(h5, object, name, H5T_NATIVE_UINT32, 0, &value);
}

int tor_h5_attribute_letters(struct tor_h5 *h5, const char *object, const char *name, const char *letters) {
  return write_number(h5, object, name, H5T_C_S1, (int)strlen(letters), letters);
}

int tor_h5_attribute_string(struct tor_h5 *h5, const char *object, const char *name, const char *text) {
  if (h5->failed) return -1;
  const char *doing = "writing an attribute of";
  hid_t type = -1;
  int status = -1;
  struct silence kept = be_silent();
  H5_TRY(type = string_type(text));
  status = write_attribute(h5, object, name, type, 0, text);
done:
  if (type >= 0) H5Tclose(type);
  restore_messages(kept);
  return status;
}

static int describe(struct tor_h5 *h5, const char *object, const char *unit, const char *description) {
  if (unit && tor_h5_attribute_string(h5, object, "units", unit)) return -1;
  return description ? tor_h5_attribute_string(h5, object, "long_name", description) : 0;
}

static int write_content(struct tor_h5 *h5, const char *path, enum tor_h5_type type, int rank, const tor_gidx *dims,
                         const struct content *content) {
  if (h5->failed) return -1;
  if (rank < 0 || rank > MOST_DIMS) return fail(h5, "more than 8 dimensions in", path, "tor_h5_write", __LINE__);
  hsize_t shape[MOST_DIMS] = {0};
  for (int d = 0; d < rank; d++) shape[d] = (hsize_t)dims[d];
  struct silence kept = be_silent();
  hid_t native = type == TOR_H5_DOUBLE ? H5T_NATIVE_DOUBLE : type == TOR_H5_FLOAT ? H5T_NATIVE_FLOAT : H5T_NATIVE_INT64;
  int status = write_array(h5, path, native, rank, shape, content);
  restore_messages(kept);
  return status;
}

int tor_h5_write(struct tor_h5 *h5, const char *path, enum tor_h5_type type, int rank, const tor_gidx *dims,
                 const void *data, const char *unit, const char *description) {
  int status = write_content(h5, path, type, rank, dims, &(struct content){.data = data});
  return status ? status : describe(h5, path, unit, description);
}

int tor_h5_write_rows(struct tor_h5 *h5, const char *path, enum tor_h5_type type, int rank, const tor_gidx *dims,
                      int lead, tor_h5_fill *fill, void *context, const char *unit, const char *description) {
  int status =
      write_content(h5, path, type, rank, dims, &(struct content){.lead = lead, .fill = fill, .context = context});
  return status ? status : describe(h5, path, unit, description);
}

int tor_h5_write_text(struct tor_h5 *h5, const char *object, const char *text, const char *description) {
  if (h5->failed) return -1;
  const char *doing = "writing";
  hid_t type = -1;
  int status = -1;
  struct silence kept = be_silent();
  H5_TRY(type = string_type(text));
  status = write_array(h5, object, type, 0, NULL, &(struct content){.data = text});
done:
  if (type >= 0) H5Tclose(type);
  restore_messages(kept);
  return status ? status : describe(h5, object, NULL, description);
}

/* HDF5 is finished: all data are written, or passed to the writer. */
static void close_file(struct tor_h5 *h5) {
  const char *doing = "closing the file", *object = NULL;
  struct silence kept = be_silent();
  if (h5->failed) goto done;
  H5_TRY(H5Fflush(h5->file, H5F_SCOPE_GLOBAL));
done:
  if (H5Fclose(h5->file) < 0 || h5->disk.error)
    if (!h5->failed) fail(h5, doing, object, "H5Fclose", __LINE__);
  restore_messages(kept);
}

int tor_h5_close_async(struct tor_h5 *h5, struct tor_written **written) {
  close_file(h5);
  int failed = h5->failed;
  if (failed)
    drop_written(h5);
  else
    tor_written_publish(h5->disk.written);
  *written = h5->disk.written;
  release(h5);
  return failed ? -1 : 0;
}

int tor_h5_close(struct tor_h5 *h5) {
  close_file(h5);
  int first = !h5->shared || !tor_message_rank();
  if (!h5->failed && first && tor_folder_publish(h5->path)) {
    snprintf(message, sizeof message, "%s: renaming the file: %s", h5->path, strerror(errno));
    h5->failed = 1;
  }
  if (h5->shared) tor_message_bcast(&h5->failed, sizeof h5->failed);
  int failed = h5->failed;
  if (failed && first) tor_safe_remove(h5->part);
  release(h5);
  return failed ? -1 : 0;
}
