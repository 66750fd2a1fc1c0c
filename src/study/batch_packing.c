/* Which runs of a batch share a GPU's blocks: see batch_parts.h. */
#include <stddef.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/job/job.h"
#include "src/simulation/packing.h"
#include "src/study/batch_parts.h"

int tor_batch_packs(const struct tor_job *job) {
  struct tor_slab slab;
  return tor_packing_most_jobs(job, &slab) > 0;
}

static int same_shape(const struct tor_slab *a, const struct tor_slab *b) {
  return a->order == b->order && a->precision == b->precision && !memcmp(a->n, b->n, sizeof a->n) &&
         !memcmp(a->wall, b->wall, sizeof a->wall) && !memcmp(&a->dt, &b->dt, sizeof a->dt) &&
         !memcmp(a->energy_scale, b->energy_scale, sizeof a->energy_scale);
}

/* Runs first .. first + count - 1, of one shape, as even groups of at most `most`. */
static void group(struct tor_batch *batch, int first, int count, int most) {
  const int groups = (count + most - 1) / most;
  for (int g = 0, at = first; g < groups; g++) {
    const int past = first + (int)((long long)count * (g + 1) / groups), members = past - at;
    struct tor_packing *packing = members > 1 ? tor_packing_new(members) : NULL;
    for (int k = 0; packing && k < members; k++) {
      batch->run[at + k].packing = packing;
      batch->run[at + k].member = k;
    }
    at = past;
  }
}

void tor_batch_pack(struct tor_batch *batch, int at_once) {
  for (int i = 0, past; i < batch->nruns; i = past) {
    struct tor_slab first, other;
    int most = tor_packing_most_jobs(&batch->run[i].job, &first);
    past = i + 1;
    if (most > at_once) most = at_once;
    if (most < 2) continue;
    while (past < batch->nruns && tor_packing_most_jobs(&batch->run[past].job, &other) && same_shape(&first, &other))
      past++;
    group(batch, i, past - i, most);
  }
}

void tor_batch_leave(struct tor_batch *batch, int first, int past) {
  for (int i = first; i < past; i++)
    if (batch->run[i].packing) tor_packing_leave(batch->run[i].packing, batch->run[i].member);
}
