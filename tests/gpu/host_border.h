/* diamond/border_gpu.cu with copies done by the host, between slabs in its memory: needs no GPU. fp32. */
#ifndef TEST_HOST_BORDER_H
#define TEST_HOST_BORDER_H

#include "../../diamond/column_state.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Takes a part out of one slab and puts it into another one; near: fields are fetched from there (peer_gpu.cuh).
 * Returns the number of copies of the message, or -1 with a line on stdout when the two ends do not fit together. */
int host_border_move(const struct tor_slab *from, const struct tor_slab *to, const struct tor_strip_part *part,
                     int near);
#ifdef __cplusplus
}
#endif
#endif
