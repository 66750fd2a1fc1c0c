/* The reference engine on the CPU: all H, then all E, step by step, x shared among threads.
 *
 * y is swept in bands so narrow that a band's columns of two neighbouring x stay in the second-level cache, and each
 * column prefetches a later one: the memory's bandwidth is then the limit, not its latency. */
#include <omp.h>

#include "diamond/core/engine.h"
#include "diamond/core/pace.h"
#include "diamond/core/slab.h"
#include "diamond/core/update.h"
#include "diamond/cpu/site.h"
#include "diamond/cpu/team.h"
#include "src/base/types.h"

/* Sites (2ix, 2iy) .. (2ix + 1, 2iy + 1) within the slab. */
static void update_column(const struct tor_slab *slab, const struct tor_site_work *work, int step, int half, int ix,
                          int iy) {
  const int u0 = tor_slab_first(slab, TOR_X), u1 = tor_slab_last(slab, TOR_X);
  const int v0 = tor_slab_first(slab, TOR_Y), v1 = tor_slab_last(slab, TOR_Y);
  const int first = 2 * iy < v0 ? v0 : 2 * iy, last = 2 * iy + 1 > v1 ? v1 : 2 * iy + 1;
  for (int u = 2 * ix; u <= 2 * ix + 1; u++) {
    if (u + 2 <= u1)
      for (int h = 0; h < 2; h++) TOR_NAME(tor_site_prefetch)(work, h, u + 2, first, last);
    if (u >= u0 && u <= u1) TOR_NAME(tor_site_line)(work, step, half, u, first, last);
  }
}

/* Columns along y in a band. */
static int band_width(const struct tor_slab *slab) {
  if (slab->plane) return slab->n[1] + 1; /* one column along x */
  const int bytes = 128 * 1024, width = bytes / (TOR_NCOMP * slab->nzp * (int)sizeof(tor_real));
  return width < 2 ? 2 : width;
}

/* The part of the places first .. last that a thread updates, as equal as they can be, in *from .. *to. */
static void part_of(const struct tor_team_share *share, int first, int last, int *from, int *to) {
  const int n = last - first + 1, each = n / share->count, rest = n % share->count, me = share->number;
  *from = first + me * each + (me < rest ? me : rest);
  *to = *from + each - (me >= rest);
}

/* A thread's part of a half-step. */
static void half_step(const struct tor_slab *slab, const struct tor_site_work *work,
                      const struct tor_team_share *share) {
  const int x0 = tor_slab_first(slab, TOR_X) >> 1, x1 = tor_slab_last(slab, TOR_X) >> 1;
  const int y0 = tor_slab_first(slab, TOR_Y) >> 1, y1 = tor_slab_last(slab, TOR_Y) >> 1, width = band_width(slab);
  const int step = share->phase / 2, half = share->phase % 2;
  int from, to;
  if (slab->plane) {
    part_of(share, y0, y1, &from, &to);
    for (int iy = from; iy <= to; iy++) update_column(slab, work, step, half, 0, iy);
    return;
  }
  part_of(share, x0, x1, &from, &to);
  for (int y = y0; y <= y1; y += width)
    for (int ix = from; ix <= to; ix++)
      for (int iy = y; iy < y + width && iy <= y1; iy++) update_column(slab, work, step, half, ix, iy);
}

void TOR_NAME(tor_stepwise_run)(const struct tor_slab *slab, const struct tor_stage *stage, int threads,
                                struct tor_pace *pace) {
  struct tor_team team;
  tor_team_open(&team, pace, threads, 2 * stage->steps);
#pragma omp parallel num_threads(pace->threads)
  {
    struct tor_team_share share = {.phase = -1, .number = omp_get_thread_num(), .count = omp_get_num_threads()};
    struct tor_site_work *work = TOR_NAME(tor_site_work_new)(slab, stage);
    unsigned saved = TOR_NAME(tor_site_enter)();
    while (tor_team_next(&team, &share)) half_step(slab, work, &share);
    TOR_NAME(tor_site_leave)(saved);
    TOR_NAME(tor_site_work_free)(work);
  }
  tor_team_close(&team);
}
