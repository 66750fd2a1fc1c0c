/* The group `ensemble` of a job. */
#include <libconfig.h>
#include <math.h>
#include <stddef.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

/* Places, at most. */
enum { MOST = 10000 };

static void read_box(const struct tor_view *view, struct tor_ensemble_job *e) {
  struct tor_view box = tor_view_child(view, "box", "ensemble.box.");
  const double unit = tor_job_reader_of(view)->job->length_unit;
  if (!tor_get_vector(&box, "lo", e->lo) || !tor_get_vector(&box, "hi", e->hi)) return;
  if (tor_job_reader_of(view)->plane) e->lo[TOR_Z] = e->hi[TOR_Z] = 0;
  tor_job_check_inside(&box, "lo", e->lo);
  tor_job_check_inside(&box, "hi", e->hi);
  for (int a = 0; a < 3; a++) {
    const double lo = e->lo[a] / unit, hi = e->hi[a] / unit;
    if (lo > hi)
      tor_config_fault(view->config, tor_get(&box, "hi"), NULL,
                       "got " TOR_FOUND("%g") " along %c, need " TOR_NEEDED("lo = %g or more"), hi, "xyz"[a], lo);
  }
}

/* Of counts that are one number: one where the box is flat. */
static void read_count(const struct tor_view *view, struct tor_ensemble_job *e) {
  double count[3] = {1, 1, 1}, all = 1;
  const config_setting_t *at = tor_get(view, "count");
  tor_get_vector(view, "count", count);
  for (int a = 0; a < 3; a++) {
    const int flat = e->lo[a] == e->hi[a], one = !at || config_setting_is_number(at);
    if (count[a] != round(count[a])) {
      tor_config_fault(view->config, at, NULL, "got " TOR_FOUND("%g") ", need " TOR_NEEDED("whole numbers"), count[a]);
      return;
    }
    if (flat && !one && count[a] > 1 && !(a == TOR_Z && tor_job_reader_of(view)->plane))
      tor_config_fault(view->config, at, NULL,
                       "got " TOR_FOUND("%g") " along %c, where the box is flat, need " TOR_NEEDED("1"), count[a],
                       "xyz"[a]);
    e->count[a] = flat || !(count[a] >= 1) ? 1 : (int)fmin(count[a], 1e6);
    all *= e->count[a];
  }
  if (all > MOST)
    tor_config_fault(view->config, at, NULL, "got " TOR_FOUND("%g places") ", need " TOR_NEEDED("%d at most"), all,
                     MOST);
}

/* Directions that the job's dipole cannot have count nothing. */
static void read_weights(const struct tor_view *view, const struct tor_job *job, struct tor_ensemble_job *e) {
  double weight[3] = {1, 1, 1};
  tor_get_vector(view, "weights", weight);
  const int plane = tor_job_reader_of(view)->plane != TOR_SPACE, line = job->sources[e->source].polarisation == TOR_Z;
  for (int a = 0; a < 3; a++) e->weight[a] = plane && (a == TOR_Z) != line ? 0 : weight[a];
  if (plane && line) e->weight[TOR_Z] = 1;
  if (!(e->weight[0] + e->weight[1] + e->weight[2] > 0))
    tor_config_fault(view->config, tor_get(view, "weights"), NULL,
                     "got " TOR_FOUND("0 for each direction") ", need " TOR_NEEDED("one above 0"));
}

void tor_job_read_ensemble(struct tor_job_reader *reader) {
  struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  struct tor_job *job = reader->job;
  struct tor_ensemble_job *e = &job->ensemble;
  if (!tor_get(&root, "ensemble")) return;
  struct tor_view view = tor_view_child(&root, "ensemble", "ensemble.");
  e->given = 1;
  e->seed = tor_get_int(&view, "seed");
  e->random = tor_get_word(&view, "places") == 0;
  e->source = tor_job_read_dipole_name(&view);
  read_box(&view, e);
  read_count(&view, e);
  if (e->source >= 0) read_weights(&view, job, e);
}
