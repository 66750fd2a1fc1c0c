/* Arrays of HDF5 files: chunks, checksums, blocks of rows. Of a shared file every process writes blocks of its own, all
 * at a time: filters make HDF5's writes collective. */
#include <errno.h>
#include <hdf5.h>
#include <stdlib.h>

#include "comm/transport/message.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/h5_parts.h"
#include "io/hdf5/h5_shared.h"
#include "src/base/error.h"
#include "src/base/types.h"

enum { CHUNK_BYTES = 1 << 20, ROWS_BYTES = 1 << 25, TAG_ROWS = 21 };

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

/* Chunks with checksums; deflate where this HDF5 has it. */
static int set_chunks(hid_t create, int rank, const hsize_t *dims, size_t size, const struct tor_h5 *h5) {
  hsize_t chunk[TOR_H5_MOST_DIMS];
  chunk_shape(rank, dims, size, chunk);
  if (H5Pset_chunk(create, rank, chunk) < 0 || H5Pset_fill_time(create, H5D_FILL_TIME_NEVER) < 0) return -1;
  if (h5->deflate > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0 &&
      (H5Pset_shuffle(create) < 0 || H5Pset_deflate(create, (unsigned)h5->deflate) < 0))
    return -1;
  return H5Zfilter_avail(H5Z_FILTER_FLETCHER32) > 0 && H5Pset_fletcher32(create) < 0 ? -1 : 0;
}

static hsize_t product(const hsize_t *dims, int from, int to) {
  hsize_t product = 1;
  for (int d = from; d < to; d++) product *= dims[d];
  return product;
}

/* Blocks of whole chunks, up to 32 MiB where a row is not larger, and as many as there are writers where there are so
 * many chunks. A block is whole along the axes behind `cut`, and before it one index wide, as its chunks are there. */
struct blocks {
  const hsize_t *dims;
  int rank, cut;
  hsize_t most, slices, slice_rows, next;
  size_t bytes;                                             /* of the largest block */
  hsize_t start[TOR_H5_MOST_DIMS], count[TOR_H5_MOST_DIMS]; /* the block */
  tor_gidx first, rows;                                     /* its rows */
};

static struct blocks blocks_of(int rank, const hsize_t *dims, size_t size, int lead, int writers) {
  struct blocks b = {.dims = dims, .rank = rank};
  hsize_t chunk[TOR_H5_MOST_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
  chunk_shape(rank, dims, size, chunk);
  while (b.cut < lead - 1 && chunk[b.cut] * product(dims, b.cut + 1, rank) * size > ROWS_BYTES) b.cut++;
  const hsize_t slice_bytes = product(dims, b.cut + 1, rank) * size,
                share = (dims[b.cut] + (hsize_t)writers - 1) / (hsize_t)writers;
  b.slices = product(dims, 0, b.cut + 1);
  b.slice_rows = product(dims, b.cut + 1, lead);
  b.most = ROWS_BYTES / slice_bytes;
  if (b.most > share) b.most = share + chunk[b.cut] - 1;
  b.most = b.most / chunk[b.cut] * chunk[b.cut];
  if (b.most < chunk[b.cut]) b.most = chunk[b.cut];
  if (b.most > dims[b.cut]) b.most = dims[b.cut];
  b.bytes = b.most * slice_bytes;
  for (int d = 0; d < rank; d++) b.count[d] = d < b.cut ? 1 : dims[d];
  return b;
}

/* 0 when there is none left. */
static int next_block(struct blocks *b) {
  if (b->next >= b->slices) return 0;
  const hsize_t at = b->next % b->dims[b->cut], left = b->dims[b->cut] - at;
  hsize_t before = b->next / b->dims[b->cut];
  b->start[b->cut] = at;
  b->count[b->cut] = left < b->most ? left : b->most;
  for (int d = b->cut - 1; d >= 0; before /= b->dims[d--]) b->start[d] = before % b->dims[d];
  b->first = (tor_gidx)(b->next * b->slice_rows);
  b->rows = (tor_gidx)(b->count[b->cut] * b->slice_rows);
  b->next += b->count[b->cut];
  return 1;
}

/* Writes a block (start NULL: the whole array). data NULL: nothing, where other processes write. */
static herr_t put(const struct tor_h5 *h5, hid_t set, hid_t type, int rank, const hsize_t *start, const hsize_t *count,
                  const void *data) {
  const hid_t transfer = h5->shared ? tor_h5_shared_transfer() : H5P_DEFAULT, to = H5Dget_space(set);
  const char nothing = 0;
  hid_t from = -1;
  herr_t status = to < 0 || transfer < 0 ? -1 : 0;
  if (status >= 0 && !data) status = H5Sselect_none(to);
  if (status >= 0 && data && start) status = H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, count, NULL);
  if (status >= 0) from = data && start ? H5Screate_simple(rank, count, NULL) : H5Scopy(to);
  if (status >= 0) status = from < 0 ? -1 : H5Dwrite(set, type, from, to, transfer, data ? data : &nothing);
  const hid_t why = status < 0 ? H5Eget_current_stack() : -1; /* each call of HDF5 clears it */
  if (from >= 0) H5Sclose(from);
  if (to >= 0) H5Sclose(to);
  if (h5->shared && transfer >= 0) H5Pclose(transfer);
  if (why >= 0) H5Eset_current_stack(why);
  return status;
}

/* Rows of a file of rank 0 alone. */
static herr_t write_rows(struct tor_h5 *h5, hid_t set, const char *object, hid_t type, int rank, const hsize_t *dims,
                         const struct tor_h5_content *content) {
  struct blocks b = blocks_of(rank, dims, H5Tget_size(type), content->lead, 1);
  void *rows = malloc(b.bytes); /* NOLINT(clang-analyzer-optin.portability.UnixAPI): a row has bytes */
  herr_t status = rows ? 0 : -1;
  if (!rows) h5->disk.error = ENOMEM;
  while (status >= 0 && next_block(&b)) {
    int unfilled = 0;
    tor_h5_outside(1);
    if (content->gather) {
      tor_h5_send_call(&(struct tor_h5_call){.op = TOR_H5_ROWS, .first = b.first, .rows = b.rows}, object, NULL, NULL);
      content->gather(content->context, object, b.first, b.rows, 0, rows);
    } else
      unfilled = content->fill(content->context, b.first, b.rows, rows);
    tor_h5_outside(0);
    if (unfilled || put(h5, set, type, rank, b.start, b.count, rows) < 0) status = -1;
  }
  free(rows);
  return status;
}

/* Makes a block's rows on the rank that writes it: `rows` there. `spare` is memory of rank 0 for those of others. */
static void make_rows(const struct tor_h5_content *content, const char *object, const struct blocks *b, size_t row,
                      int writer, void *rows, void *spare) {
  const int rank = tor_message_rank();
  const size_t bytes = (size_t)b->rows * row;
  if (content->gather) {
    content->gather(content->context, object, b->first, b->rows, writer, rank == writer ? rows : NULL);
  } else if (!rank) {
    void *to = writer ? spare : rows;
    if (content->fill(content->context, b->first, b->rows, to)) TOR_DIE("%s: its values could not be made", object);
    if (writer) tor_message_send(to, bytes, writer, TAG_ROWS);
  } else if (rank == writer)
    tor_message_receive(rows, bytes, 0, TAG_ROWS);
}

/* One block for each process, as far as there are any; the one to write here goes to `mine`. Returns their number. All
 * messages are over when it returns: HDF5 sends its own. */
static int make_blocks(const struct tor_h5_content *content, const char *object, struct blocks *b, size_t row,
                       struct blocks *mine, void *rows, void *spare) {
  const int step = tor_message_in_process(), ranks = tor_message_ranks();
  int made = 0;
  for (int writer = 0; writer < ranks && next_block(b); writer += step, made++) {
    if (writer == tor_message_rank()) *mine = *b;
    make_rows(content, object, b, row, writer, rows, spare);
  }
  tor_message_barrier();
  return made;
}

static int processes(void) { return tor_message_ranks() / tor_message_in_process(); }

void tor_h5_help_array(const char *object, size_t size, int rank, const hsize_t *dims,
                       const struct tor_h5_content *content) {
  struct blocks b = blocks_of(rank, dims, size, content->lead, processes()), mine;
  while (make_blocks(content, object, &b, size * product(dims, content->lead, rank), &mine, NULL, NULL)) continue;
}

static herr_t write_shared(const struct tor_h5 *h5, hid_t set, const char *object, hid_t type, int rank,
                           const hsize_t *dims, const struct tor_h5_content *content) {
  const size_t size = H5Tget_size(type);
  struct blocks b = blocks_of(rank, dims, size, content->lead, processes()), mine;
  const int spares = !content->gather && !tor_message_rank();
  char *rows = tor_alloc(b.bytes, spares ? 2 : 1, object);
  herr_t status = 0;
  for (int made = 1; made;) {
    mine.rows = 0;
    tor_h5_outside(1);
    made = make_blocks(content, object, &b, size * product(dims, content->lead, rank), &mine, rows, rows + b.bytes);
    tor_h5_outside(0);
    if (made && put(h5, set, type, rank, mine.start, mine.count, mine.rows ? rows : NULL) < 0) status = -1;
  }
  free(rows);
  return status;
}

static herr_t write_data(struct tor_h5 *h5, hid_t set, const char *object, hid_t type, int rank, const hsize_t *dims,
                         const struct tor_h5_content *content) {
  if (content->lead > rank || (content->lead && !rank)) return -1;
  if (!content->lead) return put(h5, set, type, rank, NULL, NULL, content->data);
  return h5->shared ? write_shared(h5, set, object, type, rank, dims, content)
                    : write_rows(h5, set, object, type, rank, dims, content);
}

int tor_h5_do_array(struct tor_h5 *h5, const char *object, hid_t type, int rank, const hsize_t *dims,
                    const struct tor_h5_content *content) {
  const char *doing = "writing";
  hid_t space = -1, create = -1, links = -1, set = -1;
  size_t size = H5Tget_size(type);
  const hsize_t bytes = size * product(dims, 0, rank);
  int status = -1;
  const struct tor_h5_silence kept = tor_h5_silence();
  H5_TRY(space = rank ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR));
  H5_TRY(create = H5Pcreate(H5P_DATASET_CREATE));
  H5_TRY(H5Pset_obj_track_times(create, 0)); /* the same data make the same file */
  if (rank && bytes) H5_TRY(set_chunks(create, rank, dims, size, h5));
  H5_TRY(links = tor_h5_parents());
  tor_h5_shared_new(h5->shared);
  H5_TRY(set = H5Dcreate2(h5->file, object, type, space, links, create, H5P_DEFAULT));
  tor_h5_shared_new(0);
  if (bytes) H5_TRY(write_data(h5, set, object, type, rank, dims, content));
  status = 0;
done:
  if (set >= 0 && (H5Dclose(set) < 0 || h5->disk.error) && !status)
    status = tor_h5_fail(h5, doing, object, "H5Dclose", __FILE__, __LINE__);
  if (links >= 0) H5Pclose(links);
  if (create >= 0) H5Pclose(create);
  if (space >= 0) H5Sclose(space);
  tor_h5_restore(kept);
  return status;
}
