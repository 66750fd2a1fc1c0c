/* Graded axes: reads grid.refine and makes the nodes. */
#include <libconfig.h>
#include <math.h>
#include <stdlib.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/graded.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

/* Intervals of one axis: first those of the absorbing layers. */
struct axis {
  struct tor_refined *list;
  int count, layers;
  const config_setting_t *at; /* one of its groups; NULL: the axis is not graded */
};

static void add(struct axis *axis, double lo, double hi, double cell) {
  axis->list[axis->count++] = (struct tor_refined){lo, hi, cell};
}

/* The layers and a cell before them have cells of grid.cell: their profiles are those of equal cells. */
static void add_layers(const struct tor_job_reader *reader, int a, struct axis *axis) {
  const double cell = reader->job->cell[a], wall = reader->wall[a];
  const int low = tor_boundary_layer(&reader->job->boundary[2 * a]),
            high = tor_boundary_layer(&reader->job->boundary[2 * a + 1]);
  if (low && !reader->job->symmetry[a]) add(axis, -wall, -wall + (low + 1) * cell, cell);
  if (high) add(axis, wall - (high + 1) * cell, wall, cell);
  axis->layers = axis->count;
}

static void read_interval(struct tor_job_reader *reader, const config_setting_t *group, struct axis axes[3]) {
  struct tor_view view = tor_view_of(&reader->config, group, "grid.refine[].");
  const int a = tor_get_word(&view, "axis");
  const double lo = tor_get_double(&view, "from"), hi = tor_get_double(&view, "to"),
               cell = tor_get_double(&view, "cell");
  if (tor_mark_bad(group) || a < 0 || !tor_get(&view, "from") || !tor_get(&view, "to") || !tor_get(&view, "cell"))
    return;
  const double unit = reader->config.unit, slack = 1e-6 * reader->job->cell[a];
  const char *name = reader->config.unit_name;
  if (a == TOR_Z && reader->plane) {
    tor_config_fault(&reader->config, tor_get(&view, "axis"), NULL,
                     "the job is 2-D, and nothing varies along z, need " TOR_NEEDED("\"x\" or \"y\""));
    return;
  }
  if (reader->job->boundary[2 * a].wall == TOR_PERIODIC) {
    tor_config_fault(&reader->config, tor_get(&view, "axis"), NULL,
                     "the domain is periodic along %c, need " TOR_NEEDED("other walls there, or no graded cells"),
                     "xyz"[a]);
    return;
  }
  if (!(cell < reader->job->cell[a] * (1 + 1e-9))) {
    tor_config_fault(&reader->config, tor_get(&view, "cell"), NULL,
                     "got " TOR_FOUND("%g %s") ", need " TOR_NEEDED("less than grid.cell, %g %s along %c"), cell / unit,
                     name, reader->job->cell[a] / unit, name, "xyz"[a]);
    return;
  }
  if (!(lo < hi)) {
    tor_config_fault(&reader->config, tor_get(&view, "to"), NULL,
                     "got " TOR_FOUND("%g %s") ", need " TOR_NEEDED("more than from, %g"), hi / unit, name, lo / unit);
    return;
  }
  for (int side = 0; side < 2; side++) {
    const int layer = tor_boundary_layer(&reader->job->boundary[2 * a + side]);
    const double end = reader->wall[a] - (layer ? layer + 1 : 0) * reader->job->cell[a], x = side ? hi : -lo;
    if (x <= end + slack) continue;
    tor_config_fault(&reader->config, tor_get(&view, side ? "to" : "from"), NULL,
                     "got " TOR_FOUND("%g %s") ", need " TOR_NEEDED("at %s %g: %s"), (side ? hi : lo) / unit, name,
                     side ? "most" : "least", (side ? end : -end) / unit,
                     layer ? "absorbing layers, and a cell before them, have cells of grid.cell" : "there is the wall");
    return;
  }
  axes[a].at = group;
  if (!reader->job->symmetry[a]) {
    add(&axes[a], lo, hi, cell);
    return;
  }
  if (hi > 0) add(&axes[a], fmax(lo, 0), hi, cell);
  if (lo < 0) add(&axes[a], fmax(-hi, 0), -lo, cell); /* its mirror image */
}

/* The nodes of an axis; with symmetry from those of its upper half. */
static void make_nodes(struct tor_job_reader *reader, int a, const struct axis *axis, double ratio) {
  struct tor_job *job = reader->job;
  const int mirror = job->symmetry[a] != 0;
  const double wall = reader->wall[a], unit = reader->config.unit;
  double where, *half;
  const int n = tor_graded_make(mirror ? 0 : -wall, wall, job->cell[a], ratio, axis->list, axis->count, axis->layers,
                                &half, &where);
  if (!n) {
    tor_config_fault(&reader->config, axis->at, NULL,
                     "cells that grow by at most grid.max_ratio = %g do not fit near %c = %g %s, need " TOR_NEEDED(
                         "more room there, ends of intervals that agree, or a larger ratio"),
                     ratio, "xyz"[a], where / unit, reader->config.unit_name);
    reader->grid_known = 0;
    return;
  }
  job->nodes[a] = half;
  job->nnode[a] = n;
  if (mirror) {
    job->nnode[a] = 2 * n - 1;
    job->nodes[a] = tor_alloc((size_t)job->nnode[a], sizeof *half, "graded grid");
    for (int i = 0; i < n; i++) {
      job->nodes[a][n - 1 + i] = half[i];
      job->nodes[a][n - 1 - i] = -half[i];
    }
    free(half);
  }
  reader->cells[a] = job->nnode[a] - 1;
}

void tor_job_read_graded(struct tor_job_reader *reader, const struct tor_view *root) {
  struct tor_view view = tor_view_child(root, "grid", "grid.");
  const config_setting_t *list = tor_get(&view, "refine");
  const int count = tor_get_length(&view, "refine");
  const double ratio = tor_get_double(&view, "max_ratio");
  if (!count || !reader->grid_known) return;
  if (reader->job->order != 2) {
    tor_config_fault(&reader->config, list, NULL, "graded cells are of order 2, need " TOR_NEEDED("grid.order = 2"));
    return;
  }
  struct axis axes[3] = {{0}};
  for (int a = 0; a < 3; a++) {
    axes[a].list = tor_alloc(2 * (size_t)count + 2, sizeof *axes[a].list, "graded grid");
    add_layers(reader, a, &axes[a]);
  }
  for (int i = 0; i < count; i++) read_interval(reader, config_setting_get_elem(list, (unsigned)i), axes);
  for (int a = 0; a < 3; a++) {
    if (axes[a].at) make_nodes(reader, a, &axes[a], ratio);
    free(axes[a].list);
  }
}

/* --- What graded grids do not have --- */

static void check_monitor(const struct tor_refusals *r, const struct tor_monitor *m, const config_setting_t *at) {
  if (m->kind == TOR_FAR_FIELD) tor_refuse(r, at, "type", "far fields are");
  if (m->kind == TOR_FIELD_DFT && m->image) tor_refuse(r, at, "image", "pictures of fields, with equal cells, are");
  if (m->kind == TOR_CROSS_SECTION && m->distance > 0) tor_refuse(r, at, "distance", "distances, in equal cells, are");
}

void tor_job_check_graded(struct tor_job_reader *reader) {
  const struct tor_job *job = reader->job;
  struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  struct tor_view grid = tor_view_child(&root, "grid", "grid.");
  const struct tor_refusals r = {reader, "graded grids", "no grid.refine"};
  if (!job->nodes[0] && !job->nodes[1] && !job->nodes[2]) return;
  if (job->averaging == TOR_AVERAGE_TENSOR) tor_refuse(&r, grid.group, "averaging", "averaging = \"tensor\" is");
  if (job->node_media) tor_refuse(&r, tor_get(&root, "media"), NULL, "media whose polarisation is at nodes are");
  tor_refuse_common(&r, &root);
  for (int i = 0; i < job->nobjects; i++)
    if (job->media[job->objects[i].medium].conducts) {
      tor_refuse(&r, config_setting_get_elem(tor_get(&root, "objects"), (unsigned)tor_job_object_number(job, i)),
                 "medium", "perfect conductors inside the domain are");
      break;
    }
  for (int i = 0; i < job->nsources; i++)
    if (job->sources[i].kind == TOR_PLANE_WAVE && job->sources[i].oblique)
      tor_refuse(&r, config_setting_get_elem(tor_get(&root, "sources"), (unsigned)i), NULL, "waves with angles are");
  for (int i = 0; i < job->nmonitors; i++)
    check_monitor(&r, &job->monitors[i], config_setting_get_elem(tor_get(&root, "monitors"), (unsigned)i));
}
