/* The reference engine on the CPU: all H, then all E, step by step, OpenMP over x. */
#include "engine.h"
#include "site_cpu.h"

void TOR_NAME(tor_stepwise_run)(const struct tor_slab *slab, const struct tor_stage *stage, int threads) {
  const int u0 = tor_slab_first(slab, TOR_X), u1 = tor_slab_last(slab, TOR_X);
  const int v0 = tor_slab_first(slab, TOR_Y), v1 = tor_slab_last(slab, TOR_Y);
#pragma omp parallel num_threads(threads)
  {
    struct tor_site_work *work = TOR_NAME(tor_site_work_new)(slab);
    unsigned saved = TOR_NAME(tor_site_enter)();
    for (int step = 0; step < stage->steps; step++)
      for (int half = 0; half < 2; half++) {
        /* A column's sites together: its three components share their neighbours. */
#pragma omp for schedule(static)
        for (int ix = u0 >> 1; ix <= u1 >> 1; ix++)
          for (int iy = v0 >> 1; iy <= v1 >> 1; iy++)
            for (int site = 0; site < 4; site++) {
              int u = 2 * ix + (site >> 1), v = 2 * iy + (site & 1);
              if (u < u0 || u > u1 || v < v0 || v > v1) continue;
              TOR_NAME(tor_site_update)(slab, stage, work, step, half, u, v);
            }
      }
    TOR_NAME(tor_site_leave)(saved);
    TOR_NAME(tor_site_work_free)(work);
  }
}
