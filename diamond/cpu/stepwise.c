/* The reference engine on the CPU: all H, then all E, step by step, OpenMP over x.
 *
 * y is swept in bands so narrow that a band's columns of two neighbouring x stay in the second-level cache, and each
 * column prefetches a later one: the memory's bandwidth is then the limit, not its latency. */
#include "diamond/core/engine.h"
#include "diamond/core/slab.h"
#include "diamond/core/update.h"
#include "diamond/cpu/site.h"
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

void TOR_NAME(tor_stepwise_run)(const struct tor_slab *slab, const struct tor_stage *stage, int threads) {
  const int x0 = tor_slab_first(slab, TOR_X) >> 1, x1 = tor_slab_last(slab, TOR_X) >> 1;
  const int y0 = tor_slab_first(slab, TOR_Y) >> 1, y1 = tor_slab_last(slab, TOR_Y) >> 1, width = band_width(slab);
#pragma omp parallel num_threads(threads)
  {
    struct tor_site_work *work = TOR_NAME(tor_site_work_new)(slab, stage);
    unsigned saved = TOR_NAME(tor_site_enter)();
    for (int step = 0; step < stage->steps; step++)
      for (int half = 0; half < 2; half++) {
        for (int y = y0; y <= y1 && !slab->plane; y += width)
#pragma omp for schedule(static) nowait
          for (int ix = x0; ix <= x1; ix++)
            for (int iy = y; iy < y + width && iy <= y1; iy++) update_column(slab, work, step, half, ix, iy);
#pragma omp for schedule(static) nowait
        for (int iy = y0; iy < (slab->plane ? y1 + 1 : y0); iy++) update_column(slab, work, step, half, 0, iy);
#pragma omp barrier
      }
    TOR_NAME(tor_site_leave)(saved);
    TOR_NAME(tor_site_work_free)(work);
  }
}
