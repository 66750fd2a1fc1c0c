/* HDF5 files: see h5.h; arrays in h5_array.c, files of all processes in h5_follow.c. The driver of h5_disk.h never
 * fails, so its error is checked after every call. */
#include "io/hdf5/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/transport/message.h"
#include "io/files/folder.h"
#include "io/files/safe_open.h"
#include "io/files/writer.h"
#include "io/hdf5/h5_disk.h"
#include "io/hdf5/h5_parts.h"
#include "io/hdf5/h5_shared.h"
#include "src/base/error.h"
#include "src/base/types.h"

static char message[1024];

/* --- Failures --------------------------------------------------------------------------------- */

const char *tor_h5_error(void) { return message; }

static herr_t find_innermost(unsigned n, const H5E_error2_t *error, void *reason) {
  if (!n && error->desc) snprintf(reason, 256, "%.255s", error->desc);
  return 0;
}

/* The reason is the system's if the disk failed, otherwise HDF5's innermost. A shared file cannot be closed by one
 * process; its writes do not fail (h5_shared.h). */
int tor_h5_fail(struct tor_h5 *h5, const char *what, const char *object, const char *call, const char *file, int line) {
  char reason[256] = "unknown failure";
  const char *name = strstr(call, "H5"), *folder = strrchr(file, '/');
  if (!name) name = strchr(call, '=') ? strchr(call, '=') + 2 : call;
  if (h5->disk.error)
    snprintf(reason, sizeof reason, "%s", strerror(h5->disk.error));
  else
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_innermost, reason);
  H5Eclear2(H5E_DEFAULT);
  snprintf(message, sizeof message, "%s: %s%s%s%s: %s (%.*s, %s:%d)", h5->path, what, object ? " \"" : "",
           object ? object : "", object ? "\"" : "", reason, (int)strcspn(name, "("), name, folder ? folder + 1 : file,
           line);
  if (h5->shared) TOR_DIE("%s", message);
  h5->failed = 1;
  return -1;
}

/* HDF5 1.10 ends the process without a message where it has no memory for one of its identifiers. */
static int inside;

static void report_exit(void) {
  if (inside) fputs("torre: the HDF5 library has ended the program: no memory\n", stderr);
}

struct tor_h5_silence tor_h5_silence(void) {
  static int is_registered;
  struct tor_h5_silence kept = {NULL, NULL};
  inside = 1;
  if (!is_registered++) {
    atexit(report_exit);
    H5dont_atexit(); /* all files are closed by then, and remains of a failure would crash there */
  }
  H5Eget_auto2(H5E_DEFAULT, &kept.print, &kept.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return kept;
}

void tor_h5_restore(struct tor_h5_silence kept) {
  H5Eset_auto2(H5E_DEFAULT, kept.print, kept.data);
  inside = 0;
}

void tor_h5_outside(int is_outside) { inside = !is_outside; }

/* --- File ------------------------------------------------------------------------------------- */

/* The driver is freed last: on closing the file, HDF5 1.10 reads the driver's record after releasing it. */
static void release(struct tor_h5 *h5) {
  if (h5->driver >= 0) H5FDunregister(h5->driver);
  if (h5->fd >= 0) close(h5->fd);
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

/* Without its file. NULL with the message where there is no memory. */
static struct tor_h5 *allocate(const char *path) {
  struct tor_h5 *h5 = calloc(1, sizeof *h5);
  if (h5) {
    h5->file = h5->driver = -1;
    h5->fd = -1;
    h5->path = strdup(path);
    h5->part = tor_folder_part(path);
  }
  if (h5 && h5->path && h5->part && has_space()) return h5;
  snprintf(message, sizeof message, "%s: no memory", path);
  if (h5) release(h5);
  return NULL;
}

static struct tor_h5 *create(const char *path, struct tor_writer *writer) {
  const char *doing = "creating the file", *object = NULL;
  hid_t access = -1;
  struct tor_h5 *h5 = allocate(path);
  if (!h5) return NULL;
  struct tor_h5_disk *disk = &h5->disk;
  const struct tor_h5_silence kept = tor_h5_silence();
  if (writer && !(disk->written = tor_writer_create(writer, path))) {
    disk->error = errno;
    tor_h5_fail(h5, doing, object, "open", __FILE__, __LINE__);
    goto done;
  }
  H5_TRY(access = H5Pcreate(H5P_FILE_ACCESS));
  H5_TRY(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
  H5_TRY(h5->driver = tor_h5_disk_register());
  H5_TRY(H5Pset_driver(access, h5->driver, &disk));
  H5_TRY((h5->file = H5Fcreate(h5->part, H5F_ACC_TRUNC, H5P_DEFAULT, access)));
done:
  if (access >= 0) H5Pclose(access);
  if (!h5->failed) {
    tor_h5_restore(kept);
    return h5;
  }
  if (h5->file >= 0) {
    H5Fclose(h5->file);
    if (!writer) tor_safe_remove(h5->part);
  }
  tor_h5_restore(kept);
  drop_written(h5);
  release(h5);
  return NULL;
}

struct tor_h5 *tor_h5_create(const char *path) { return create(path, NULL); }

struct tor_h5 *tor_h5_create_async(const char *path, struct tor_writer *writer) { return create(path, writer); }

/* --- Files of all processes: see h5_follow.c --------------------------------------------------- */

int tor_h5_can_share(void) {
  const char *writers = getenv("TORRE_HDF5_WRITERS");
  if (!tor_h5_shared_built() || tor_message_ranks() == tor_message_in_process()) return 0;
  if (writers && !strcmp(writers, "all")) return 1;
  if (writers && !strcmp(writers, "first")) return 0;
  return tor_message_neighbours() < tor_message_ranks();
}

/* Each process opens the part by itself before MPI-IO does, which may wait forever where one cannot. */
struct tor_h5 *tor_h5_do_create_shared(const char *path) {
  const char *doing = "creating the file", *object = NULL;
  const int first = tor_message_rank() % tor_message_in_process() == 0;
  struct tor_h5 *h5 = first ? allocate(path) : NULL;
  if (h5) h5->fd = tor_safe_open(h5->part, O_RDWR);
  const int bad = tor_message_lowest(first && (!h5 || h5->fd < 0));
  if (bad >= 0 || !first) {
    snprintf(message, sizeof message, "%s: rank %d cannot open it", path, bad);
    if (h5) release(h5);
    return NULL;
  }
  hid_t access = -1;
  h5->shared = 1;
  const struct tor_h5_silence kept = tor_h5_silence();
  H5_TRY(access = H5Pcreate(H5P_FILE_ACCESS));
  H5_TRY(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
  H5_TRY(tor_h5_shared_set(access, h5->fd));
  H5_TRY((h5->file = H5Fcreate(h5->part, H5F_ACC_TRUNC, H5P_DEFAULT, access)));
done: /* a failure has ended the run */
  H5Pclose(access);
  tor_h5_restore(kept);
  return h5;
}

struct tor_h5 *tor_h5_create_shared(const char *path) {
  char *part = tor_folder_part(path);
  const int fd = part ? tor_safe_create(part) : -1;
  if (fd < 0) snprintf(message, sizeof message, "%s: creating the file: %s", path, strerror(errno));
  if (fd >= 0) {
    close(fd);
    tor_h5_send_call(&(struct tor_h5_call){.op = TOR_H5_CREATE, .bytes = strlen(path) + 1}, NULL, NULL, path);
  }
  struct tor_h5 *h5 = fd >= 0 ? tor_h5_do_create_shared(path) : NULL;
  if (!h5 && fd >= 0) tor_safe_remove(part);
  free(part);
  return h5;
}

/* The others do the same, as far as they write the file. */
static void send_call(const struct tor_h5 *h5, struct tor_h5_call call, const char *object, const char *name,
                      const void *data) {
  if (h5->shared) tor_h5_send_call(&call, object, name, data);
}

/* --- Groups, datasets, attributes -------------------------------------------------------------- */

void tor_h5_deflate(struct tor_h5 *h5, int level) {
  send_call(h5, (struct tor_h5_call){.op = TOR_H5_DEFLATE, .count = level}, NULL, NULL, NULL);
  h5->deflate = level;
}

hid_t tor_h5_parents(void) {
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  if (links >= 0 && H5Pset_create_intermediate_group(links, 1) < 0) {
    H5Pclose(links);
    return -1;
  }
  return links;
}

int tor_h5_do_group(struct tor_h5 *h5, const char *object) {
  const char *doing = "making the group";
  hid_t links = -1, group = -1;
  int status = -1;
  const struct tor_h5_silence kept = tor_h5_silence();
  H5_TRY(links = tor_h5_parents());
  H5_TRY(group = H5Gcreate2(h5->file, object, links, H5P_DEFAULT, H5P_DEFAULT));
  status = 0;
done:
  if (links >= 0) H5Pclose(links);
  if (group >= 0) H5Gclose(group);
  tor_h5_restore(kept);
  return status;
}

int tor_h5_group(struct tor_h5 *h5, const char *object) {
  if (h5->failed) return -1;
  send_call(h5, (struct tor_h5_call){.op = TOR_H5_GROUP}, object, NULL, NULL);
  return tor_h5_do_group(h5, object);
}

hid_t tor_h5_string_type(const char *text) {
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

int tor_h5_do_attribute(struct tor_h5 *h5, const char *object, const char *name, hid_t type, int count,
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
    status = tor_h5_fail(h5, doing, object, "H5Aclose", __FILE__, __LINE__);
  if (space >= 0) H5Sclose(space);
  return status;
}

static int write_number(struct tor_h5 *h5, const char *object, const char *name, enum tor_h5_native native, int count,
                        const void *data) {
  if (h5->failed) return -1;
  const struct tor_h5_silence kept = tor_h5_silence();
  const hid_t type = tor_h5_native(native);
  const size_t bytes = H5Tget_size(type) * (count ? (size_t)count : 1);
  send_call(h5, (struct tor_h5_call){.op = TOR_H5_ATTRIBUTE, .type = native, .count = count, .bytes = bytes}, object,
            name, data);
  int status = tor_h5_do_attribute(h5, object, name, type, count, data);
  tor_h5_restore(kept);
  return status;
}

int tor_h5_attribute_double(struct tor_h5 *h5, const char *object, const char *name, double value) {
  return write_number(h5, object, name, TOR_H5_NATIVE_DOUBLE, 0, &value);
}

int tor_h5_attribute_doubles(struct tor_h5 *h5, const char *object, const char *name, int count, const double *values) {
  return write_number(h5, object, name, TOR_H5_NATIVE_DOUBLE, count, values);
}

int tor_h5_attribute_int(struct tor_h5 *h5, const char *object, const char *name, tor_gidx value) {
  return write_number(h5, object, name, TOR_H5_NATIVE_INT64, 0, &value);
}

int tor_h5_attribute_uint32(struct tor_h5 *h5, const char *object, const char *name, uint32_t value) {
  return write_number(h5, object, name, TOR_H5_NATIVE_UINT32, 0, &value);
}

int tor_h5_attribute_letters(struct tor_h5 *h5, const char *object, const char *name, const char *letters) {
  return write_number(h5, object, name, TOR_H5_NATIVE_LETTER, (int)strlen(letters), letters);
}

int tor_h5_do_string(struct tor_h5 *h5, const char *object, const char *name, const char *text) {
  const char *doing = "writing an attribute of";
  hid_t type = -1;
  int status = -1;
  const struct tor_h5_silence kept = tor_h5_silence();
  H5_TRY(type = tor_h5_string_type(text));
  status = tor_h5_do_attribute(h5, object, name, type, 0, text);
done:
  if (type >= 0) H5Tclose(type);
  tor_h5_restore(kept);
  return status;
}

int tor_h5_attribute_string(struct tor_h5 *h5, const char *object, const char *name, const char *text) {
  if (h5->failed) return -1;
  send_call(h5, (struct tor_h5_call){.op = TOR_H5_STRING, .bytes = strlen(text) + 1}, object, name, text);
  return tor_h5_do_string(h5, object, name, text);
}

static int describe(struct tor_h5 *h5, const char *object, const char *unit, const char *description) {
  if (unit && tor_h5_attribute_string(h5, object, "units", unit)) return -1;
  return description ? tor_h5_attribute_string(h5, object, "long_name", description) : 0;
}

static int write_array(struct tor_h5 *h5, const char *object, enum tor_h5_type type, int rank, const tor_gidx *dims,
                       const struct tor_h5_content *content) {
  if (h5->failed) return -1;
  if (rank < 0 || rank > TOR_H5_MOST_DIMS)
    return tor_h5_fail(h5, "more than 8 dimensions in", object, "tor_h5_write", __FILE__, __LINE__);
  struct tor_h5_call call = {.op = TOR_H5_ARRAY, .type = (enum tor_h5_native)type, .rank = rank, .lead = content->lead};
  hsize_t shape[TOR_H5_MOST_DIMS] = {0};
  for (int d = 0; d < rank; d++) shape[d] = (hsize_t)(call.dims[d] = dims[d]);
  const struct tor_h5_silence kept = tor_h5_silence();
  const hid_t native = tor_h5_native(call.type);
  call.size = H5Tget_size(native);
  call.count = content->gather != NULL;
  send_call(h5, call, object, NULL, NULL);
  int status = tor_h5_do_array(h5, object, native, rank, shape, content);
  tor_h5_restore(kept);
  return status;
}

int tor_h5_write(struct tor_h5 *h5, const char *path, enum tor_h5_type type, int rank, const tor_gidx *dims,
                 const void *data, const char *unit, const char *description) {
  int status = write_array(h5, path, type, rank, dims, &(struct tor_h5_content){.data = data});
  return status ? status : describe(h5, path, unit, description);
}

int tor_h5_write_rows(struct tor_h5 *h5, const char *path, enum tor_h5_type type, int rank, const tor_gidx *dims,
                      int lead, tor_h5_fill *fill, void *context, const char *unit, const char *description) {
  int status =
      write_array(h5, path, type, rank, dims, &(struct tor_h5_content){.lead = lead, .fill = fill, .context = context});
  return status ? status : describe(h5, path, unit, description);
}

int tor_h5_write_gathered(struct tor_h5 *h5, const char *path, enum tor_h5_type type, int rank, const tor_gidx *dims,
                          int lead, tor_h5_gather *gather, void *context) {
  return write_array(h5, path, type, rank, dims,
                     &(struct tor_h5_content){.lead = lead, .gather = gather, .context = context});
}

int tor_h5_do_text(struct tor_h5 *h5, const char *object, const char *text) {
  const char *doing = "writing";
  hid_t type = -1;
  int status = -1;
  const struct tor_h5_silence kept = tor_h5_silence();
  H5_TRY(type = tor_h5_string_type(text));
  status = tor_h5_do_array(h5, object, type, 0, NULL,
                           &(struct tor_h5_content){.data = h5->shared && tor_message_rank() ? NULL : text});
done:
  if (type >= 0) H5Tclose(type);
  tor_h5_restore(kept);
  return status;
}

int tor_h5_write_text(struct tor_h5 *h5, const char *object, const char *text, const char *description) {
  if (h5->failed) return -1;
  send_call(h5, (struct tor_h5_call){.op = TOR_H5_TEXT, .bytes = strlen(text) + 1}, object, NULL, text);
  int status = tor_h5_do_text(h5, object, text);
  return status ? status : describe(h5, object, NULL, description);
}

/* --- The end ----------------------------------------------------------------------------------- */

/* HDF5 is finished: all data are written, or passed to the writer. */
static void close_file(struct tor_h5 *h5) {
  const char *doing = "closing the file", *object = NULL;
  const struct tor_h5_silence kept = tor_h5_silence();
  if (h5->failed) goto done;
  H5_TRY(H5Fflush(h5->file, H5F_SCOPE_GLOBAL));
done:
  if (H5Fclose(h5->file) < 0 || h5->disk.error)
    if (!h5->failed) tor_h5_fail(h5, doing, object, "H5Fclose", __FILE__, __LINE__);
  tor_h5_restore(kept);
}

int tor_h5_close_async(struct tor_h5 *h5, struct tor_written **written) {
  *written = NULL;
  if (!h5->disk.written) return tor_h5_close(h5);
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

void tor_h5_do_close_shared(struct tor_h5 *h5) {
  enum { WHY = 256, TAG_WHY = 22 };
  char why[WHY] = "";
  if (h5) close_file(h5);
  const char *failure = h5 ? tor_h5_shared_failure() : NULL;
  const int rank = tor_message_rank();
  /* A disk gets the space of a removed file back when no process has it open: rank 0 may need it for its next file. */
  if (rank && h5) release(h5);
  const int lowest = tor_message_lowest(failure != NULL);
  if (failure) snprintf(why, sizeof why, "%s", failure);
  if (rank && rank == lowest) tor_message_send(why, sizeof why, 0, TAG_WHY);
  if (!rank && lowest > 0) tor_message_receive(why, sizeof why, lowest, TAG_WHY);
  if (!rank && lowest >= 0) {
    snprintf(message, sizeof message, "%s: writing on rank %d: %s", h5->path, lowest, why);
    h5->failed = 1;
  }
}

int tor_h5_close(struct tor_h5 *h5) {
  send_call(h5, (struct tor_h5_call){.op = TOR_H5_CLOSE}, NULL, NULL, NULL);
  if (h5->shared)
    tor_h5_do_close_shared(h5);
  else
    close_file(h5);
  if (!h5->failed && tor_folder_publish(h5->path)) {
    snprintf(message, sizeof message, "%s: renaming the file: %s", h5->path, strerror(errno));
    h5->failed = 1;
  }
  int failed = h5->failed;
  if (failed) tor_safe_remove(h5->part);
  release(h5);
  return failed ? -1 : 0;
}
