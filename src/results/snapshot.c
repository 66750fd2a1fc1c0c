/* Snapshots: see snapshot.h. */
#include "src/results/snapshot.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/transport/message.h"
#include "io/files/folder.h"
#include "io/files/log.h"
#include "io/files/safe_open.h"
#include "io/hdf5/h5_check.h"
#include "io/hdf5/openpmd.h"
#include "io/files/writer.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/xdmf.h"
#include "src/results/picture.h"
#include "src/results/results_file.h"
#include "src/results/results_folder.h"
#include "tor_version.h"
#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/host_memory.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/monitor.h"
#include "src/simulation/points.h"
#include "src/simulation/simulation.h"

/* --- Which points, which steps ----------------------------------------------------------------- */

static void make_points(struct tor_snapshot *s, const struct tor_grid *g) {
  for (int a = 0; a < 3; a++) {
    int lo = tor_grid_node(g, a, s->spec->lo[a]), hi = tor_grid_node(g, a, s->spec->hi[a]), last = g->n[a] - 1;
    s->points.first[a] = lo < last ? lo : last; /* components half a cell further on end before the wall */
    if (hi > last) hi = last;
    s->points.stride[a] = s->spec->stride[a];
    s->points.count[a] = (hi - s->points.first[a]) / s->spec->stride[a] + 1;
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
  tor_writer_end(ss->writer);
  for (int i = 0; i < ss->count; i++) free(ss->item[i].step);
  free(ss->item);
}

/* Number of a snapshot's steps up to and including `step`. */
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
  const struct tor_snapshots *snapshots;
  const struct tor_snapshot *snapshot;
  const struct tor_simulation *sim;
};

/* The component whose array has that path. */
static int component_of(const struct view *view, const char *object) {
  char path[64];
  for (int c = 0; c < TOR_NCOMP; c++) {
    tor_openpmd_object(view->sim->step, tor_user_comp(view->snapshots->job, c), path, sizeof path);
    if (!strcmp(path, object)) return c;
  }
  TOR_DIE("no component for %s", object);
}

/* Planes of a component along the user's z, [z][y][x], in 2-D y, in V/m or A/m, to the rank that writes them. */
static void gather(void *context, const char *object, tor_gidx first, tor_gidx count, int writer, void *values) {
  const struct view *view = context;
  const struct tor_points *p = &view->snapshot->points;
  const struct tor_job *job = view->snapshots->job;
  const int comp = component_of(view, object), slowest = tor_axis_of_user(job, tor_user_axes(job) - 1);
  double scale = tor_component_scale(&view->sim->model->grid, comp, (const int[3]){0}); /* cells are alike */
  tor_points_gather_user(view->sim, p, writer, comp, first, count, values);
  if (!values) return;
  tor_gidx n = count * p->count[(slowest + 1) % 3] * p->count[(slowest + 2) % 3];
  int f32 = view->sim->model->slab.precision == TOR_F32;
#pragma omp parallel for schedule(static) num_threads(view->sim->setup.threads)
  for (tor_gidx i = 0; i < n; i++) {
    if (f32)
      ((float *)values)[i] = (float)(scale * (double)((const float *)values)[i]);
    else
      ((double *)values)[i] *= scale;
  }
}

/* Bytes of one component's array. */
static double array_bytes(const struct tor_snapshot *s, const struct tor_simulation *sim) {
  const int *n = s->points.count;
  return (double)n[0] * n[1] * n[2] * sim->model->slab.precision;
}

static const char *path_of(const struct tor_snapshots *ss, const struct tor_snapshot *s, tor_gidx step) {
  return tor_results_path(ss->job, "snapshots/%s/%s_%08lld.h5", s->spec->name, s->spec->name, (long long)step);
}

/* Pictures of each time: kind i, TOR_NCOMP components and then |E|, |H|, |E|^2, of which comp is the first component.
 */
enum { FILMS = TOR_NCOMP + 3 };
static int is_drawn(const struct tor_snapshot *s, int i, enum tor_picture_of *of, int *comp) {
  *of = i < TOR_NCOMP ? TOR_PICTURE_VALUE : (enum tor_picture_of)(TOR_PICTURE_E + i - TOR_NCOMP);
  *comp = i < TOR_NCOMP ? i : *of == TOR_PICTURE_H ? TOR_HX : TOR_EX;
  return s->spec->image && tor_image_version() && (s->spec->image_of >> *of & 1) &&
         (i >= TOR_NCOMP || (s->spec->components & 1u << i));
}

static const char *picture_of(const struct tor_snapshots *ss, const struct tor_snapshot *s, int number,
                              enum tor_picture_of of, int comp) {
  return tor_results_path(ss->job, "snapshots/%s/%s_%s_%06d.png", s->spec->name, s->spec->name,
                          tor_picture_name(ss->job, of, comp), number);
}

/* *written: the asynchronous part of the write, or NULL. */
static int write_arrays(const struct tor_snapshots *ss, const struct tor_snapshot *s, const struct tor_simulation *sim,
                        struct tor_written **written) {
  const struct tor_grid *g = &sim->model->grid;
  struct view view = {ss, s, sim};
  if (tor_message_rank()) {
    tor_h5_follow(gather, &view);
    return 0;
  }
  struct tor_openpmd what = {.series = s->spec->name,
                             .title = ss->job->title,
                             .software = "torre",
                             .version = TOR_VERSION,
                             .step = sim->step,
                             .time = (double)sim->step * g->dt,
                             .dt = g->dt,
                             .axes = tor_user_axes(ss->job),
                             .type = sim->model->slab.precision == TOR_F32 ? TOR_H5_FLOAT : TOR_H5_DOUBLE,
                             .compression = s->spec->compression,
                             .shared = tor_h5_can_share(),
                             .writer = ss->writer};
  for (int c = 0; c < TOR_NCOMP; c++)
    if (s->spec->components & 1u << c) what.components |= 1 << tor_user_comp(ss->job, c);
  for (int a = 0; a < 3; a++) {
    const int u = tor_user_axis(ss->job, a);
    what.count[u] = s->points.count[a];
    what.lo[u] = tor_grid_at(g, a, s->points.first[a]);
    what.spacing[u] = s->spec->stride[a] * g->d[a];
    what.cell[u] = g->d[a];
  }
  const char *path = path_of(ss, s, sim->step);
  const int status = tor_openpmd_write(path, &what, gather, &view, written);
  tor_h5_dismiss();
  return status ? tor_results_not_written(path, tor_h5_error()) : 0;
}

struct series {
  const struct tor_job *job;
  const struct tor_snapshot *snapshot;
  int comp;
};

static void place_of(const void *context, int i, char *buffer, size_t size) {
  const struct series *series = context;
  tor_gidx step = series->snapshot->step[i];
  char object[64];
  tor_openpmd_object(step, tor_user_comp(series->job, series->comp), object, sizeof object);
  snprintf(buffer, size, "%s_%08lld.h5:%s", series->snapshot->spec->name, (long long)step, object);
}

/* A list of all times up to `step` for viewers, lengths in nm, times in fs. */
static int write_list(const struct tor_snapshots *ss, const struct tor_snapshot *s, const struct tor_simulation *sim,
                      tor_gidx step, int comp) {
  const struct tor_grid *g = &sim->model->grid;
  struct tor_xdmf what = {.name = tor_job_comp_name(ss->job, comp),
                          .bytes = (int)sim->model->slab.precision,
                          .ntime = steps_done(s, step),
                          .axes = tor_user_axes(ss->job)};
  double *time = tor_alloc((size_t)what.ntime + 1, sizeof *time, "snapshots");
  for (int i = 0; i < what.ntime; i++) time[i] = ((double)s->step[i] - 0.5 * tor_comp_is_h(comp)) * g->dt / TOR_FS;
  what.time = time;
  for (int a = 0; a < 3; a++) {
    const int u = tor_user_axis(ss->job, a);
    what.count[u] = s->points.count[a];
    what.origin[u] = tor_grid_place(g, comp, a, s->points.first[a]) / TOR_NM;
    what.spacing[u] = s->spec->stride[a] * g->d[a] / TOR_NM;
  }
  const struct series series = {ss->job, s, comp};
  const char *path = tor_results_path(ss->job, "snapshots/%s/%s_%s.xmf", s->spec->name, s->spec->name,
                                      tor_job_comp_name(ss->job, comp));
  int status = tor_xdmf_write(path, &what, place_of, &series);
  if (status) tor_results_not_written(path, NULL);
  free(time);
  return status != 0;
}

/* All points of a component in the plane of a film, whatever the stride: [nv][nh] on rank 0, to be freed; else NULL.
 * whole: also those on the domain's high walls, which files leave out since not all components have points there.
 * Collective. */
static double *gather_plane(const struct tor_snapshot *s, const struct tor_simulation *sim, int comp, int whole,
                            struct tor_patch *patch) {
  const struct tor_grid *g = &sim->model->grid;
  const struct tor_job *job = sim->model->job;
  const size_t size = sim->model->slab.precision;
  struct tor_points points = {.stride = {1, 1, 1}};
  size_t n = 1;
  *patch = (struct tor_patch){.comp = comp};
  for (int a = 0; a < 3; a++) {
    points.first[a] = patch->first[a] = s->points.first[a];
    patch->count[a] = (s->points.count[a] - 1) * s->spec->stride[a] + 1;
    if (whole && patch->count[a] > 1 && !tor_comp_half(comp, a) && tor_grid_node(g, a, s->spec->hi[a]) == g->n[a])
      patch->count[a] = g->n[a] + 1 - patch->first[a];
    points.count[a] = patch->count[a];
    n *= (size_t)patch->count[a];
  }
  /* One axis has one point: the user's [z][y][x] is [v][h] of the other two. */
  void *stored = tor_message_rank() ? NULL : tor_alloc(n, size, "picture");
  const int slowest = tor_axis_of_user(job, tor_user_axes(job) - 1);
  tor_points_gather_user(sim, &points, 0, comp, 0, points.count[slowest], stored);
  if (!stored) return NULL;
  double *values = tor_alloc(n, sizeof *values, "picture"), scale = tor_component_scale(g, comp, (const int[3]){0});
  for (size_t i = 0; i < n; i++)
    values[i] = scale * (size == TOR_F32 ? (double)((const float *)stored)[i] : ((const double *)stored)[i]);
  free(stored);
  return values;
}

/* A frame of a film: a component, or what three have together. Collective. */
static int draw(const struct tor_snapshots *ss, const struct tor_snapshot *s, const struct tor_simulation *sim,
                enum tor_picture_of of, int comp) {
  const struct tor_grid *g = &sim->model->grid;
  const int magnetic = tor_comp_is_h(comp), last = of == TOR_PICTURE_VALUE ? comp : comp + 2;
  int count = 0;
  struct tor_patch patch[3];
  double *values[3], *sum = NULL;
  char when[32];
  for (int c = comp; c <= last; c++)
    if (tor_comp_exists(g->plane, c)) {
      values[count] = gather_plane(s, sim, c, last > comp, &patch[count]);
      count++;
    }
  if (tor_message_rank()) return 0;
  struct tor_picture_plane plane = tor_picture_plane(g, patch);
  if (last > comp) {
    plane = tor_picture_cells(g, patch, count);
    const size_t points = plane.across < 0 ? 0 : (size_t)plane.nh * (size_t)plane.nv;
    sum = tor_alloc(points + 1, sizeof *sum, "picture");
    for (int i = 0; i < count && points; i++) tor_picture_add_square(&plane, g, &patch[i], values[i], NULL, sum);
    for (size_t i = 0; i < points && of != TOR_PICTURE_INTENSITY; i++) sum[i] = sqrt(sum[i]);
  }
  snprintf(when, sizeof when, "at %.2f fs", (double)sim->step * g->dt / TOR_FS);
  const struct tor_picture picture = {.job = ss->job,
                                      .grid = g,
                                      .monitor = s->spec,
                                      .plane = &plane,
                                      .of = of,
                                      .comp = comp,
                                      .when = when,
                                      .unit = magnetic                      ? "A/m"
                                              : of == TOR_PICTURE_INTENSITY ? "(V/m)^2"
                                                                            : "V/m",
                                      .values = sum ? sum : values[0]};
  const char *path = picture_of(ss, s, steps_done(s, sim->step) - 1, of, comp);
  const int status = plane.across < 0 ? 0 : tor_picture_write(path, &picture);
  if (status) tor_results_not_written(path, NULL);
  for (int i = 0; i < count; i++) free(values[i]);
  free(sum);
  return status != 0;
}

static void count_failed(struct tor_snapshots *ss, tor_gidx step, int files) {
  if (files && (!ss->failed || step < ss->lost)) ss->lost = step;
  ss->failed += files;
}

/* The file is complete: counts it and adds it to the viewers' lists. */
static void finish(struct tor_snapshots *ss, const struct tor_snapshot *s, const struct tor_simulation *sim,
                   tor_gidx step) {
  int components = 0;
  for (int c = 0; c < TOR_NCOMP; c++) {
    if (!(s->spec->components & 1u << c)) continue;
    components++;
    if (!tor_message_rank()) count_failed(ss, step, write_list(ss, s, sim, step, c));
  }
  ss->written++;
  ss->bytes += components * array_bytes(s, sim);
}

static void settle_oldest(struct tor_snapshots *ss, const struct tor_simulation *sim) {
  const struct tor_snapshot_async oldest = ss->async[0];
  memmove(ss->async, ss->async + 1, (size_t)--ss->nasync * sizeof oldest);
  if (tor_written_wait(oldest.written))
    count_failed(ss, oldest.step, tor_results_not_written(path_of(ss, oldest.snapshot, oldest.step), NULL));
  else
    finish(ss, oldest.snapshot, sim, oldest.step);
}

void tor_snapshots_settle(struct tor_snapshots *ss, const struct tor_simulation *sim, int wait) {
  double start = omp_get_wtime();
  if (ss->nasync) tor_results_folder_is_ours(ss->job); /* rank 0's alone are asynchronous */
  while (ss->nasync && (wait || tor_written_ended(ss->async[0].written))) settle_oldest(ss, sim);
  ss->seconds += omp_get_wtime() - start;
}

static void take(struct tor_snapshots *ss, const struct tor_snapshot *s, const struct tor_simulation *sim) {
  struct tor_written *written = NULL;
  if (ss->nasync == TOR_SNAPSHOTS_ASYNC) settle_oldest(ss, sim);
  if (write_arrays(ss, s, sim, &written))
    count_failed(ss, sim->step, 1);
  else if (written)
    ss->async[ss->nasync++] = (struct tor_snapshot_async){s, sim->step, written};
  else
    finish(ss, s, sim, sim->step);
  enum tor_picture_of of;
  for (int i = 0, comp; i < FILMS; i++)
    if (is_drawn(s, i, &of, &comp)) count_failed(ss, sim->step, draw(ss, s, sim, of, comp));
}

/* Makes the monitor's folder, and the writer. */
static void prepare(struct tor_snapshots *ss, const struct tor_snapshot *s) {
  char why[1024];
  if (tor_message_rank() || !tor_results_folder_is_ours(ss->job)) return;
  if (tor_folder_make(tor_results_path(ss->job, "snapshots/%s", s->spec->name), why, sizeof why))
    tor_log_warning("%s", why);
  if (!ss->writer) ss->writer = tor_writer_start((uint64_t)(tor_host_free_memory() / 8));
}

void tor_snapshots_take(struct tor_snapshots *ss, struct tor_simulation *sim) {
  double start = omp_get_wtime();
  int due = 0;
  for (int i = 0; i < ss->count; i++) {
    const struct tor_snapshot *s = &ss->item[i];
    int done = steps_done(s, sim->step);
    if (!done || s->step[done - 1] != sim->step) continue;
    if (!due++) tor_simulation_fetch(sim);
    prepare(ss, s);
    take(ss, s, sim);
  }
  if (due) ss->seconds += omp_get_wtime() - start;
}

/* --- Files of earlier steps -------------------------------------------------------------- */

struct lost {
  char *first;
  int count;
  tor_gidx step; /* of the first one */
  int error;     /* the system's, where it gave one for the first */
};

static void note_lost(struct lost *lost, const char *path, tor_gidx step) {
  if (!lost->count || step < lost->step) lost->step = step;
  if (lost->count++) return;
  lost->error = errno;
  lost->first = tor_strdup(path);
}

/* Whether the file of that step is complete. */
static int is_whole(const struct tor_snapshots *ss, const struct tor_snapshot *s, tor_gidx step) {
  char object[TOR_NCOMP][64];
  const char *objects[TOR_NCOMP];
  const int axes = tor_user_axes(ss->job);
  tor_gidx dims[3];
  int n = 0;
  for (int u = 0; u < axes; u++) dims[axes - 1 - u] = s->points.count[tor_axis_of_user(ss->job, u)];
  for (int c = 0; c < TOR_NCOMP; c++) {
    if (!(s->spec->components & 1u << c)) continue;
    tor_openpmd_object(step, tor_user_comp(ss->job, c), object[n], sizeof object[n]);
    objects[n] = object[n];
    n++;
  }
  return tor_h5_is_whole(path_of(ss, s, step), n, objects, axes, dims);
}

/* Missing and damaged files of steps in (from, to]. */
static void look_for(const struct tor_snapshots *ss, tor_gidx from, tor_gidx to, struct lost *missing,
                     struct lost *damaged) {
  for (int i = 0; i < ss->count; i++) {
    const struct tor_snapshot *s = &ss->item[i];
    for (int k = steps_done(s, from), done = steps_done(s, to); k < done; k++) {
      const char *path = path_of(ss, s, s->step[k]);
      errno = 0;
      if (tor_safe_kind(path) == TOR_SAFE_NOTHING)
        note_lost(missing, path, s->step[k]);
      else if (!is_whole(ss, s, s->step[k]))
        note_lost(damaged, path_of(ss, s, s->step[k]), s->step[k]);
      enum tor_picture_of of;
      for (int c = 0, comp; c < FILMS; c++)
        if (is_drawn(s, c, &of, &comp) && tor_safe_kind(picture_of(ss, s, k, of, comp)) != TOR_SAFE_FILE)
          note_lost(missing, picture_of(ss, s, k, of, comp), s->step[k]);
    }
  }
}

void tor_snapshots_check_files(struct tor_snapshots *ss, tor_gidx step) {
  struct lost missing = {0}, damaged = {0};
  look_for(ss, 0, step, &missing, &damaged);
  if (missing.count)
    tor_log_warning("%s and %d more files of snapshots up to step %lld, from where this run continues, are missing: "
                    "moved away, or never written",
                    missing.first, missing.count - 1, (long long)step);
  if (damaged.count) {
    tor_log_warning("%s and %d more files of snapshots up to step %lld, from where this run continues, are damaged",
                    damaged.first, damaged.count - 1, (long long)step);
    count_failed(ss, damaged.step, damaged.count);
  }
  free(missing.first);
  free(damaged.first);
}

void tor_snapshots_check_written(struct tor_snapshots *ss, tor_gidx from, tor_gidx to) {
  struct lost lost = {0};
  if (ss->failed || tor_message_rank()) return; /* reported already, or by rank 0 */
  look_for(ss, from, to, &lost, &lost);
  if (lost.count) {
    tor_log_warning("%s and %d more files of snapshots that this run wrote are missing or damaged: the results "
                    "are incomplete%s%s",
                    lost.first, lost.count - 1, lost.error ? ": " : "", lost.error ? strerror(lost.error) : "");
    count_failed(ss, lost.step, lost.count);
  }
  free(lost.first);
}
