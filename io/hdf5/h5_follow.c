/* What ranks do while rank 0 writes a file that they write with it, or whose rows they have: see h5.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/transport/message.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/h5_parts.h"
#include "src/base/error.h"

hid_t tor_h5_native(enum tor_h5_native native) {
  switch (native) {
  case TOR_H5_NATIVE_DOUBLE: return H5T_NATIVE_DOUBLE;
  case TOR_H5_NATIVE_FLOAT: return H5T_NATIVE_FLOAT;
  case TOR_H5_NATIVE_INT64: return H5T_NATIVE_INT64;
  case TOR_H5_NATIVE_UINT32: return H5T_NATIVE_UINT32;
  case TOR_H5_NATIVE_LETTER: break;
  }
  return H5T_C_S1;
}

void tor_h5_send_call(struct tor_h5_call *call, const char *object, const char *name, const void *data) {
  if (tor_message_ranks() == 1) return;
  if ((object && strlen(object) >= sizeof call->object) || (name && strlen(name) >= sizeof call->name))
    TOR_DIE("the name %s is too long for an HDF5 file", object);
  if (object) memcpy(call->object, object, strlen(object) + 1);
  if (name) memcpy(call->name, name, strlen(name) + 1);
  tor_message_bcast(call, sizeof *call);
  if (call->bytes) tor_message_bcast((void *)data, call->bytes);
}

void tor_h5_dismiss(void) { tor_h5_send_call(&(struct tor_h5_call){.op = TOR_H5_END}, NULL, NULL, NULL); }

static void follow_array(struct tor_h5 *h5, const struct tor_h5_call *call, tor_h5_gather *gather, void *context) {
  const hid_t type = tor_h5_native(call->type);
  const struct tor_h5_content content = {.lead = call->lead, .gather = call->count ? gather : NULL, .context = context};
  hsize_t dims[TOR_H5_MOST_DIMS];
  hsize_t values = 1;
  for (int d = 0; d < call->rank; d++) values *= dims[d] = (hsize_t)call->dims[d];
  if (h5)
    tor_h5_do_array(h5, call->object, type, call->rank, dims, &content);
  else if (call->lead && values)
    tor_h5_help_array(call->object, (size_t)call->size, call->rank, dims, &content);
}

/* One call of rank 0; *h5 is the open file, NULL on all but the first rank of a process. */
static void follow_call(struct tor_h5 **h5, const struct tor_h5_call *call, const void *data, tor_h5_gather *gather,
                        void *context) {
  switch (call->op) {
  case TOR_H5_CREATE: *h5 = tor_h5_do_create_shared(data); return;
  case TOR_H5_CLOSE:
    tor_h5_do_close_shared(*h5);
    *h5 = NULL;
    return;
  case TOR_H5_ARRAY: follow_array(*h5, call, gather, context); return;
  case TOR_H5_ROWS: gather(context, call->object, call->first, call->rows, 0, NULL); return;
  default: break;
  }
  if (!*h5) return;
  switch (call->op) {
  case TOR_H5_DEFLATE: (*h5)->deflate = call->count; break;
  case TOR_H5_GROUP: tor_h5_do_group(*h5, call->object); break;
  case TOR_H5_TEXT: tor_h5_do_text(*h5, call->object, data); break;
  case TOR_H5_STRING: tor_h5_do_string(*h5, call->object, call->name, data); break;
  case TOR_H5_ATTRIBUTE:
    tor_h5_do_attribute(*h5, call->object, call->name, tor_h5_native(call->type), call->count, data);
    break;
  default: break;
  }
}

void tor_h5_follow(tor_h5_gather *gather, void *context) {
  struct tor_h5_call call;
  struct tor_h5 *h5 = NULL;
  for (;;) {
    tor_message_bcast(&call, sizeof call);
    if (call.op == TOR_H5_END) return;
    char *data = call.bytes ? tor_alloc(call.bytes, 1, "HDF5 file") : NULL;
    if (data) tor_message_bcast(data, call.bytes);
    follow_call(&h5, &call, data, gather, context);
    free(data);
  }
}
