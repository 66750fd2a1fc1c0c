/* Snapshots: see snapshot.h. */
#include "snapshot.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "../io/folder.h"
#include "../io/log.h"
#include "../io/openpmd.h"
#include "../io/xdmf.h"
#include "results_parts.h"
#include "tor_version.h"
#include "units.h"

static const char *const comp_name[] = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};

/* --- Which points, which steps ----------------------------------------------------------------- */

static void make_points(struct tor_snapshot *s, const struct tor_grid *g) {
  for (int a = 0; a < 3; a++) {
    int lo = tor_grid_node(g, a, s->spec->lo[a]), hi = tor_grid_node(g, a, s->spec->hi[a]), last = g->n[a] - 1;
    s->first[a] = lo < last ? lo : last; /* components half a cell further on end before the wall */
    if (hi > last) hi = last;
    s->count[a] = (hi - s->first[a]) / s->spec->stride[a] + 1;
  }
}

static void make_steps(struct tor_snapshot *s, const struct tor_grid *g, tor_gidx steps) {
  s->step = tor_alloc((size_t)s->spec->ntime + 1, sizeof *s->step, s->spec->name);
  for (int i = 0; i < s->spec->ntime; i++) {
    tor_gidx step = (tor_gidx)llround(s->spec->time[i] / g->dt);
    if (step >= 1 && step <= steps && (!s->nstep || step > s->step[s->nstep - 1])) s->step[s->nstep++] = step;
  }
}

void tor_snapshots_init(struct tor_snapshots *ss, const struct tor_job *job, const struct tor_grid *grid,
                        tor_gidx steps) {
  *ss = (struct tor_snapshots){.job = job};
  ss->item = tor_alloc((size_t)job->nmonitors + 1, sizeof *ss->item, "snapshots");
  for (int i = 0; i < job->nmonitors; i++) {
    if (job->monitors[i].kind != TOR_SNAPSHOT) continue;
    struct tor_snapshot *s = &ss->item[ss->count++];
    s->spec = &job->monitors[i];
    make_points(s, grid);
    make_steps(s, grid, steps);
  }
}

void tor_snapshots_free(struct tor_snapshots *ss) {
  for (int i = 0; i < ss->count; i++) free(ss->item[i].step);
  free(ss->item);
}

/* How many of a snapshot's steps are not after `step`. */
static int steps_done(const struct tor_snapshot *s, tor_gidx step) {
  int lo = 0, hi = s->nstep;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (s->step[mid] <= step)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

tor_gidx tor_snapshots_until(const struct tor_snapshots *ss, tor_gidx step, tor_gidx until) {
  for (int i = 0; i < ss->count; i++) {
    int next = steps_done(&ss->item[i], step);
    if (next < ss->item[i].nstep && ss->item[i].step[next] < until) until = ss->item[i].step[next];
  }
  return until;
}

/* --- One time of one snapshot ------------------------------------------------------------------ */

struct view {
  const struct tor_simulation *sim;
  const struct tor_snapshot *snapshot;
};

/* Planes z of a component, [z][y][x], in V/m or A/m. */
static int fill(void *context, int comp, tor_gidx first, tor_gidx count, void *values) {
  const struct view *view = context;
  const struct tor_slab *slab = &view->sim->model->slab;
  const struct tor_snapshot *s = view->snapshot;
  const int *stride = s->spec->stride;
  double scale = tor_component_scale(&view->sim->model->grid, comp);
  tor_gidx nx = s->count[0], ny = s->count[1], z0 = s->first[2] + first * stride[2];
#pragma omp parallel for schedule(static) num_threads(view->sim->setup.threads)
  for (tor_gidx y = 0; y < ny; y++)
    for (tor_gidx x = 0; x < nx; x++) {
      tor_gidx column = tor_slab_column(slab, s->first[0] + (int)x * stride[0], s->first[1] + (int)y * stride[1]);
      tor_gidx from = (column * TOR_NCOMP + comp) * slab->nzp + z0;
      for (tor_gidx z = 0; z < count; z++, from += stride[2]) {
        tor_gidx to = (z * ny + y) * nx + x;
        if (slab->precision == TOR_F32)
          ((float *)values)[to] = (float)(scale * (double)((const float *)slab->field)[from]);
        else
          ((double *)values)[to] = scale * ((const double *)slab->field)[from];
      }
    }
  return 0;
}

static int write_arrays(const struct tor_snapshots *ss, const struct tor_snapshot *s,
                        const struct tor_simulation *sim) {
  const struct tor_grid *g = &sim->model->grid;
  struct tor_openpmd what = {.series = s->spec->name,
                             .title = ss->job->title,
                             .software = "torre",
                             .version = TOR_VERSION,
                             .step = sim->step,
                             .time = (double)sim->step * g->dt,
                             .dt = g->dt,
                             .components = (int)s->spec->components,
                             .type = sim->model->slab.precision == TOR_F32 ? TOR_H5_FLOAT : TOR_H5_DOUBLE,
                             .compression = s->spec->compression};
  for (int a = 0; a < 3; a++) {
    what.count[a] = s->count[a];
    what.lo[a] = g->lo[a] + s->first[a] * g->d[a];
    what.spacing[a] = s->spec->stride[a] * g->d[a];
    what.cell[a] = g->d[a];
  }
  const char *path = tor_results_path(ss->job, "snapshots/%s_%08lld.h5", s->spec->name, (long long)sim->step);
  struct view view = {sim, s};
  int status = tor_openpmd_write(path, &what, fill, &view);
  return status ? tor_results_told(path, status, tor_h5_error()) : 0;
}

struct series {
  const struct tor_snapshot *snapshot;
  int comp;
};

static void place_of(const void *context, int i, char *buffer, size_t size) {
  const struct series *series = context;
  tor_gidx step = series->snapshot->step[i];
  char object[64];
  tor_openpmd_object(step, series->comp, object, sizeof object);
  snprintf(buffer, size, "%s_%08lld.h5:%s", series->snapshot->spec->name, (long long)step, object);
}

/* A list of all times so far for viewers, lengths in nm, times in fs. */
static int write_list(const struct tor_snapshots *ss, const struct tor_snapshot *s, const struct tor_simulation *sim,
                      int comp) {
  const struct tor_grid *g = &sim->model->grid;
  struct tor_xdmf what = {
      .name = comp_name[comp], .bytes = (int)sim->model->slab.precision, .ntime = steps_done(s, sim->step)};
  double *time = tor_alloc((size_t)what.ntime + 1, sizeof *time, "snapshots");
  for (int i = 0; i < what.ntime; i++) time[i] = ((double)s->step[i] - 0.5 * tor_comp_is_h(comp)) * g->dt / TOR_FS;
  what.time = time;
  for (int a = 0; a < 3; a++) {
    what.count[a] = s->count[a];
    what.origin[a] = tor_grid_place(g, comp, a, s->first[a]) / TOR_NM;
    what.spacing[a] = s->spec->stride[a] * g->d[a] / TOR_NM;
  }
  const struct series series = {s, comp};
  const char *path = tor_results_path(ss->job, "snapshots/%s_%s.xmf", s->spec->name, comp_name[comp]);
  int status = tor_xdmf_write(path, &what, place_of, &series);
  if (status) tor_results_told(path, status, NULL);
  free(time);
  return status != 0;
}

/* A frame of a film: all points of the plane, whatever the stride. */
static int draw(const struct tor_snapshots *ss, const struct tor_snapshot *s, const struct tor_simulation *sim,
                int comp) {
  const struct tor_grid *g = &sim->model->grid;
  const struct tor_slab *slab = &sim->model->slab;
  struct tor_patch patch = {.comp = comp};
  int across = -1;
  for (int a = 0; a < 3; a++) {
    patch.first[a] = s->first[a];
    patch.count[a] = (s->count[a] - 1) * s->spec->stride[a] + 1;
    if (patch.count[a] == 1 && across < 0) across = a;
  }
  int h = across == TOR_X ? TOR_Y : TOR_X, v = across == TOR_Z ? TOR_Y : TOR_Z, nh = patch.count[h],
      nv = patch.count[v];
  double *values = tor_alloc((size_t)nh * (size_t)nv, sizeof *values, "picture"), scale = tor_component_scale(g, comp);
  for (int j = 0; j < nv; j++)
    for (int i = 0; i < nh; i++) {
      int at[3] = {patch.first[0], patch.first[1], patch.first[2]};
      at[h] += i;
      at[v] += j;
      tor_gidx from = (tor_slab_column(slab, at[0], at[1]) * TOR_NCOMP + comp) * slab->nzp + at[2];
      values[j * nh + i] = scale * (slab->precision == TOR_F32 ? (double)((const float *)slab->field)[from]
                                                               : ((const double *)slab->field)[from]);
    }
  char title[128], label[64];
  snprintf(title, sizeof title, "%s at %.2f fs", comp_name[comp], (double)sim->step * g->dt / TOR_FS);
  snprintf(label, sizeof label, "%s [%s]", comp_name[comp], tor_comp_is_h(comp) ? "A/m" : "V/m");
  const struct tor_results results = {.job = ss->job, .sim = sim};
  const char *path = tor_results_path(ss->job, "snapshots/%s_%s_%06d.png", s->spec->name, comp_name[comp],
                                      steps_done(s, sim->step) - 1);
  int failed = tor_results_draw(&results, path, &patch, values, s->spec->image_limit, title, label);
  free(values);
  return failed;
}

static void take(struct tor_snapshots *ss, const struct tor_snapshot *s, const struct tor_simulation *sim) {
  int failed = write_arrays(ss, s, sim), components = 0;
  for (int c = 0; c < TOR_NCOMP; c++) {
    if (!(s->spec->components & 1u << c)) continue;
    components++;
    if (!failed) failed += write_list(ss, s, sim, c);
    if (s->spec->image) failed += draw(ss, s, sim, c);
  }
  ss->failed += failed;
  if (failed) return;
  ss->written++;
  ss->bytes += (double)components * s->count[0] * s->count[1] * s->count[2] * sim->model->slab.precision;
}

void tor_snapshots_take(struct tor_snapshots *ss, struct tor_simulation *sim) {
  double start = omp_get_wtime();
  int due = 0;
  for (int i = 0; i < ss->count; i++) {
    const struct tor_snapshot *s = &ss->item[i];
    int done = steps_done(s, sim->step);
    if (!done || s->step[done - 1] != sim->step) continue;
    char why[1024];
    if (!due++) {
      tor_simulation_fetch(sim);
      if (tor_folder_make(tor_results_path(ss->job, "snapshots"), why, sizeof why)) tor_log_warning("%s", why);
    }
    take(ss, s, sim);
  }
  if (due) ss->seconds += omp_get_wtime() - start;
}

void tor_snapshots_clear(const struct tor_job *job) { tor_folder_empty(tor_results_path(job, "snapshots")); }
