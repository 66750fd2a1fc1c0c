/* See guide_warnings.h. */
#include "src/model/guide_warnings.h"

#include <complex.h>
#include <math.h>

#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/sheet.h"
#include "src/model/like_warnings.h"
#include "src/model/plane_media.h"

/* Whether the media half a cell before the monitor's plane are those beyond it; whether nodes of a metal lack there. */
static int is_uniform(const struct tor_job *job, const struct tor_grid *g, const struct tor_monitor *m,
                      int *lacks_nodes) {
  struct tor_plane_media plane[2];
  const int node = tor_grid_node(g, m->axis, m->lo[m->axis]);
  int box[2][2];
  *lacks_nodes = 0;
  tor_plane_media_box(g, m->axis, m->lo, m->hi, box);
  if (node < 1 || node >= g->n[m->axis]) return 1; /* a fault of its own */
  tor_plane_media_make_some(job, m->axis, node - 1, 2, (const int(*)[2])box, plane);
  const int is_same = tor_plane_media_alike(plane, 2);
  *lacks_nodes = plane[1].lacks_metal_nodes;
  for (int k = 0; k < 2; k++) tor_plane_media_free(&plane[k]);
  return is_same;
}

/* Sources whose plane cuts their mode off. */
static void log_cut_off(const struct tor_job *job) {
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    if (s->kind != TOR_MODE_SOURCE || !s->sheet || s->sheet->beside < TOR_SHEET_CUT_OFF) continue;
    if (s->sheet->beside < 1)
      tor_log_warning_at(tor_job_source_place(job, s),
                         "source %s: %.1e of its mode's energy would lie beyond the plane's ends, where it is cut off: "
                         "amplitudes have errors of up to %.1e; need " TOR_NEEDED("a wider plane"),
                         s->name, s->sheet->beside, sqrt(s->sheet->beside));
    else
      tor_log_warning_at(tor_job_source_place(job, s),
                         "source %s: its mode is not guided, as its index %.6g is below that of the medium at an end "
                         "of the plane; need " TOR_NEEDED("a guided mode, or a plane that ends at walls or layers"),
                         s->name, creal(s->sheet->n_eff));
  }
}

void tor_guide_warnings_log(const struct tor_job *job, const struct tor_grid *g) {
  struct tor_like_warnings changing = {0}, lacking = {0}, unsolved = {0};
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    int lacks_nodes;
    if (m->kind != TOR_MODE) continue;
    const int uniform = is_uniform(job, g, m, &lacks_nodes);
    if (lacks_nodes)
      tor_like_warnings_add(
          &lacking, tor_job_monitor_place(job, m),
          "monitor %s: its modes are those of \"subpixel\", without the surface nodes that the plane's "
          "metal has in the run; need " TOR_NEEDED("grid.averaging = \"subpixel\""),
          m->name);
    if (!uniform)
      tor_like_warnings_add(&changing, tor_job_monitor_place(job, m),
                            "monitor %s: the media change at the plane, and its modes are those of a uniform guide; "
                            "need " TOR_NEEDED("a plane a cell away from where the guide changes"),
                            m->name);
#ifndef TORRE_MODES
    tor_like_warnings_add(&unsolved, tor_job_monitor_place(job, m),
                          "monitor %s: this torre was built without ARPACK and SuperLU, so that the power is measured "
                          "but no mode; need " TOR_NEEDED("a build with both (docs/user/building.md)"),
                          m->name);
#endif
  }
  log_cut_off(job);
  tor_like_warnings_log(&changing);
  tor_like_warnings_log(&lacking);
  tor_like_warnings_log(&unsolved);
}
