/* Monitors of fields as they are: their components, their pictures, snapshots and slices. */
#include <libconfig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/job_keys.h"
#include "src/job/job_read_parts.h"

enum { E_FIELD = 1u << TOR_EX | 1u << TOR_EY | 1u << TOR_EZ }; /* bits of components */

/* Words of a list as bits, in the order of the key's words; none where it is not given. */
static unsigned read_words(const struct tor_view *view, const char *name) {
  const config_setting_t *list = tor_get(view, name);
  const char *words = tor_key_find(&tor_job_keys, view->prefix, name, view->type)->words;
  unsigned bits = 0;
  for (int i = 0; i < tor_get_length(view, name); i++)
    bits |= 1u << tor_word_index(words, config_setting_get_string_elem(list, i));
  return bits;
}

/* The components that the job has, in the user's axes. */
static unsigned existing(const struct tor_view *view) {
  static const unsigned of[] = {[TOR_SPACE] = (1u << TOR_NCOMP) - 1,
                                [TOR_PLANE_TM] = 1u << TOR_EZ | 1u << TOR_HX | 1u << TOR_HY,
                                [TOR_PLANE_TE] = 1u << TOR_HZ | 1u << TOR_EX | 1u << TOR_EY};
  return of[tor_job_reader_of(view)->plane];
}

static void check_components(const struct tor_view *view, const char *name, unsigned components) {
  const int tm = tor_job_reader_of(view)->plane == TOR_PLANE_TM;
  for (int c = 0; c < TOR_NCOMP; c++)
    if (components & ~existing(view) & 1u << c)
      tor_config_fault(view->config, tor_get(view, name), NULL,
                       "got " TOR_FOUND("\"%s\"") ", but the job is 2-D, %s, need " TOR_NEEDED("%s"), tor_comp_name(c),
                       tm ? "TM" : "TE", tm ? "Ez, Hx or Hy" : "Hz, Ex or Ey");
}

void tor_job_read_components(const struct tor_view *view, struct tor_monitor *m) {
  m->components = read_words(view, "components");
  check_components(view, "components", m->components);
  if (!m->components) m->components = E_FIELD & existing(view);
}

/* "Ex, Ey", in memory of the thread. */
static const char *needed_words(unsigned components) {
  static _Thread_local char text[32];
  text[0] = 0;
  for (int c = 0; c < TOR_NCOMP; c++)
    if (components >> c & 1)
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", tor_comp_name(c));
  return text;
}

void tor_job_read_image(const struct tor_view *view, struct tor_monitor *m) {
  static const unsigned needs[] = {
      [TOR_PICTURE_E] = E_FIELD, [TOR_PICTURE_H] = E_FIELD << 3, [TOR_PICTURE_INTENSITY] = E_FIELD};
  const unsigned first = m->kind == TOR_FIELD_DFT ? 1u << TOR_PICTURE_AMPLITUDE : 1u << TOR_PICTURE_VALUE;
  m->image_limit = tor_get_word(view, "image_limit") < 0 ? tor_get_double(view, "image_limit") : -1;
  m->image_log = tor_get_word(view, "image_scale") == 1;
  if (m->kind == TOR_FIELD_DFT)
    m->image_of = read_words(view, "image_of") << TOR_PICTURE_AMPLITUDE;
  else if (m->kind == TOR_SNAPSHOT) {
    const unsigned words = read_words(view, "image_of"); /* value, then those from E on */
    m->image_of = (words & 1) | (words >> 1) << TOR_PICTURE_E;
  }
  for (int of = TOR_PICTURE_E; of <= TOR_PICTURE_INTENSITY; of++)
    if (m->image_of >> of & 1 && needs[of] & existing(view) & ~m->components)
      tor_config_fault(view->config, tor_get(view, "image_of"), NULL,
                       "got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("the components %s too"),
                       of == TOR_PICTURE_E   ? "E"
                       : of == TOR_PICTURE_H ? "H"
                                             : "intensity",
                       needed_words(needs[of] & existing(view)));
  if (!m->image_of) m->image_of = first;
}

static void read_times(const struct tor_view *view, struct tor_monitor *m) {
  struct tor_job_reader *reader = tor_job_reader_of(view);
  m->time = tor_get_list(view, "times_fs", &m->ntime);
  for (int i = 0; i < m->ntime; i++) {
    m->time[i] *= TOR_FS;
    if (i && m->time[i] <= m->time[i - 1])
      tor_config_fault(&reader->config, tor_get(view, "times_fs"), NULL, "got %g after %g, times must increase",
                       m->time[i] / TOR_FS, m->time[i - 1] / TOR_FS);
    if (reader->job->run_time > 0 && m->time[i] > reader->job->run_time * (1 + 1e-9))
      tor_config_fault(&reader->config, tor_get(view, "times_fs"), NULL, "got %g, but the run ends at run.time_fs = %g",
                       m->time[i] / TOR_FS, reader->job->run_time / TOR_FS);
  }
}

/* Number of times, `every` apart, whose nearest step is within a run to `end` [s]. */
static double count_times(const struct tor_job_reader *reader, double every, double end) {
  struct tor_grid grid;
  if (!reader->grid_known) return floor(end / every * (1 + 1e-9));
  tor_grid_make(reader->job, &grid);
  const double steps = ceil(end / grid.dt), count = floor((steps + 0.5) * grid.dt / every);
  return count - (round(count * every / grid.dt) > steps);
}

/* Times every_fs apart up to the end of the run. */
static void make_times(const struct tor_view *view, struct tor_monitor *m) {
  enum { MOST = 1000000 };
  double every = tor_get_double(view, "every_fs") * TOR_FS, end = tor_job_reader_of(view)->job->run_time;
  if (!(end > 0)) return;
  double count = count_times(tor_job_reader_of(view), every, end);
  if (!(count >= 1 && count <= MOST)) {
    tor_config_fault(view->config, tor_get(view, "every_fs"), NULL,
                     "%.4g snapshots up to run.time_fs = %g, need " TOR_NEEDED("1 to %d"), count, end / TOR_FS, MOST);
    return;
  }
  m->period = every;
  m->ntime = (int)count;
  m->time = tor_alloc((size_t)m->ntime, sizeof *m->time, "snapshot times");
  for (int i = 0; i < m->ntime; i++) m->time[i] = (i + 1) * every;
}

static void read_stride(const struct tor_view *view, struct tor_monitor *m) {
  double stride[3] = {1, 1, 1};
  tor_get_vector(view, "stride", stride);
  if (tor_job_reader_of(view)->plane) stride[2] = 1;
  for (int a = 0; a < 3; a++) m->stride[a] = (int)stride[a];
  for (int a = 0; a < 3; a++) {
    if (stride[a] == m->stride[a]) continue;
    tor_config_fault(view->config, tor_get(view, "stride"), NULL,
                     "got " TOR_FOUND("%g") ", need " TOR_NEEDED("whole numbers"), stride[a]);
    break;
  }
}

void tor_job_read_snapshot(const struct tor_view *view, struct tor_monitor *m) {
  struct tor_job_reader *reader = tor_job_reader_of(view);
  m->image = tor_get_bool(view, "image");
  tor_job_read_image(view, m);
  m->compression = tor_get_int(view, "compression");
  if (!tor_get(view, "times_fs") == !tor_get(view, "every_fs"))
    tor_config_fault(&reader->config, view->group, NULL, "need " TOR_NEEDED("times_fs or every_fs, one of them"));
  else if (tor_get(view, "times_fs"))
    read_times(view, m);
  else
    make_times(view, m);
  read_stride(view, m);
  for (int a = 0; a < 3; a++) {
    m->lo[a] = -reader->wall[a];
    m->hi[a] = reader->wall[a];
  }
  if (tor_get(view, "box"))
    tor_job_read_monitor_box(view, m);
  else if (m->image && !reader->plane)
    tor_config_fault(&reader->config, tor_get(view, "image"), NULL,
                     "got " TOR_FOUND("true for the whole domain") ", need " TOR_NEEDED(
                         "false or a box with lo = hi along one axis"));
}

/* A slice of a 2-D job is the whole plane. Returns whether it is. */
static int check_slice(const struct tor_view *view) {
  static const char *const name[] = {"axis", "position"}, *const need[] = {"\"x\", \"y\" or \"z\"", "a length"};
  const int plane = tor_job_reader_of(view)->plane != TOR_SPACE;
  for (int i = 0; i < 2; i++)
    if (plane && tor_get(view, name[i]))
      tor_config_fault(view->config, tor_get(view, name[i]), NULL,
                       "the job is 2-D, and a slice is the whole plane, need " TOR_NEEDED("no %s"), name[i]);
    else if (!plane && !config_setting_get_member(view->group, name[i]))
      tor_config_fault(view->config, view->group, name[i], "missing, need " TOR_NEEDED("%s"), need[i]);
  return plane;
}

void tor_job_read_slice(const struct tor_view *view, struct tor_monitor *m) {
  struct tor_job_reader *reader = tor_job_reader_of(view);
  int axis = tor_get_word(view, "axis"), component = tor_get_word(view, "component");
  m->components = component >= 0 ? 1u << component : 0;
  check_components(view, "component", m->components);
  m->image = tor_get_bool(view, "image");
  tor_job_read_image(view, m);
  read_times(view, m);
  if (check_slice(view)) {
    for (int a = 0; a < 3; a++) m->hi[a] = reader->wall[a], m->lo[a] = -m->hi[a];
    return;
  }
  if (axis < 0 || !reader->grid_known || !tor_get(view, "position")) return;
  double place[3] = {0, 0, 0};
  place[axis] = tor_get_double(view, "position");
  for (int a = 0; a < 3; a++) {
    m->lo[a] = a == axis ? place[a] : -reader->wall[a];
    m->hi[a] = a == axis ? place[a] : reader->wall[a];
  }
  tor_job_check_inside(view, "position", place);
}
