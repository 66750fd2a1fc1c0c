/* The job file reader: see job_read.h. One pass applies the overrides, one checks the tree against the table of keys,
 * one fills the job. */
#include "src/job/job_read.h"

#include <libconfig.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/cylindrical.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/job_keys.h"
#include "src/job/job_read_parts.h"
#include "src/job/object_bins.h"
#include "src/job/turn.h"

/* --- Locations in the file, for faults and warnings that are found later --- */

static void add_place(struct tor_job_reader *reader, const config_setting_t *at, const char *key, size_t *capacity) {
  struct tor_job *job = reader->job;
  const struct tor_place place = tor_config_place(&reader->config, at, key);
  job->places = tor_grow(job->places, (size_t)job->nplaces + 1, capacity, sizeof *job->places);
  job->places[job->nplaces++] =
      (struct tor_job_key){tor_strdup(key), place.line, place.set ? tor_strdup(place.set) : NULL};
}

static void list_places(struct tor_job_reader *reader) {
  const config_setting_t *root = config_root_setting(&reader->config.tree);
  size_t capacity = 0;
  for (int i = 0; i < config_setting_length(root); i++) {
    const config_setting_t *group = config_setting_get_elem(root, (unsigned)i);
    const char *name = config_setting_name(group);
    add_place(reader, group, name, &capacity);
    for (int j = 0; config_setting_is_aggregate(group) && j < config_setting_length(group); j++) {
      const config_setting_t *at = config_setting_get_elem(group, (unsigned)j);
      char key[256];
      if (config_setting_name(at))
        snprintf(key, sizeof key, "%s.%s", name, config_setting_name(at));
      else
        snprintf(key, sizeof key, "%s[%d]", name, j);
      add_place(reader, at, key, &capacity);
    }
  }
}

/* --- Grid, boundaries, run --- */

static void read_unit(struct tor_job_reader *reader) {
  static const double units[] = {1e-9, 1e-6, 1e-3, 1, 1e-10}, per_metre[] = {1e9, 1e6, 1e3, 1, 1e10};
  static const char *const names[] = {"nm", "um", "mm", "m", "angstrom"};
  const struct tor_key *key = tor_key_find(&tor_job_keys, "", "length_unit", NULL);
  const char *word = key->fallback;
  config_lookup_string(&reader->config.tree, "length_unit", &word);
  int i = tor_word_index(key->words, word);
  if (i < 0) i = 0; /* the check reports it */
  reader->config.unit = reader->job->length_unit = units[i];
  reader->config.per_metre = per_metre[i];
  reader->config.unit_name = names[i];
}

/* A size of two numbers makes the job 2-D. */
static void read_axes(struct tor_job_reader *reader) {
  const config_setting_t *size = config_lookup(&reader->config.tree, "grid.size");
  const int two =
      size && (config_setting_is_list(size) || config_setting_is_array(size)) && config_setting_length(size) == 2;
  reader->config.axes = two ? 2 : 3;
}

static void read_plane(struct tor_job_reader *reader, const struct tor_view *grid) {
  const config_setting_t *at = tor_get(grid, "polarisation");
  const int word = tor_get_word(grid, "polarisation"), two = reader->config.axes == 2;
  if (two) reader->plane = word % 2 == 1 ? TOR_PLANE_TE : TOR_PLANE_TM;
  reader->job->plane = reader->plane;
  if (two && word < 0 && !(grid->group && config_setting_get_member(grid->group, "polarisation")))
    tor_config_fault(&reader->config, grid->group, "polarisation",
                     "missing, and grid.size has two numbers, so that the job is 2-D: need " TOR_NEEDED(
                         "\"TM\" (Ez, Hx, Hy) or \"TE\" (Hz, Ex, Ey)"));
  if (!two && at && !(tor_get_word(grid, "coordinates") == 1 && tor_get(grid, "m") && tor_get_int(grid, "m") == 0))
    tor_config_fault(&reader->config, at, NULL,
                     "is for 2-D jobs, and cylindrical ones of m = 0: need " TOR_NEEDED(
                         "grid.size of two numbers, or no polarisation here"));
}

/* Largest number of cells along an axis: half-cell coordinates are ints. */
static const double most_cells = 1 << 30, most_cells_in_all = 1e15;

static void read_grid(struct tor_job_reader *reader, const struct tor_view *root) {
  struct tor_view view = tor_view_child(root, "grid", "grid.");
  struct tor_job *job = reader->job;
  job->order = tor_get_int(&view, "order");
  job->precision = tor_get_word(&view, "precision") ? TOR_F64 : TOR_F32;
  if (!tor_get_number(&view, "courant", &job->courant)) job->courant = job->order == 4 ? 0.5 : 0.9;
  const int averaging = tor_get_word(&view, "averaging");
  job->averaging_is_open = averaging > TOR_AVERAGE_TENSOR; /* "auto" */
  job->averaging = job->averaging_is_open ? TOR_AVERAGE_SUBPIXEL : (enum tor_averaging)averaging;
  job->samples = tor_get_int(&view, "samples");
  read_plane(reader, &view);
  tor_job_read_coordinates(&view);
  if (!tor_get_vector(&view, "size", job->size) || !tor_get_vector(&view, "cell", job->cell)) return;
  if (reader->plane) job->size[2] = job->cell[2] = 1; /* m: all is per metre */
  for (int a = 0; a < 3; a++) job->cell_given[a] = job->cell[a];
  double all = 1;
  reader->grid_known = 1;
  for (int a = 0; a < 3; a++) {
    double n = fmax(1, round(job->size[a] / job->cell[a]));
    all *= n;
    if (!(n < most_cells)) {
      tor_config_fault(&reader->config, tor_get(&view, "size"), NULL,
                       "%.4g cells along %c, need " TOR_NEEDED("fewer than %.0f"), n, "xyz"[a], most_cells);
      reader->grid_known = 0;
      continue;
    }
    reader->cells[a] = (int)n;
    reader->wall[a] = 0.5 * n * job->cell[a];
    if (job->order == 4 && n > 1 && n < 4)
      tor_config_fault(&reader->config, tor_get(&view, "size"), NULL,
                       "%d cells along %c, order 4 needs 1 or at least 4", reader->cells[a], "xyz"[a]);
  }
  if (reader->grid_known && all > most_cells_in_all) {
    tor_config_fault(&reader->config, tor_get(&view, "size"), NULL,
                     "%.4g cells in all, need " TOR_NEEDED("at most %.0e"), all, most_cells_in_all);
    reader->grid_known = 0;
  }
}

/* A layer as the job file has it: its thickness in cells depends on the face's axis. */
struct layer {
  struct tor_boundary boundary;
  double thickness; /* [m]; 0: boundary.cells, or the default of absorbers where these are 0 */
};

/* Overrides what a group has. */
static void read_layer(const struct tor_view *view, struct layer *layer) {
  struct tor_boundary *b = &layer->boundary;
  const config_setting_t *cells = tor_get(view, "cells"), *thickness = tor_get(view, "thickness");
  if (cells && thickness)
    tor_config_fault(view->config, thickness, NULL, "the group has cells, too, need " TOR_NEEDED("one of the two"));
  if (cells || !b->cells) b->cells = tor_get_int(view, "cells");
  if (cells) layer->thickness = 0;
  if (thickness) layer->thickness = tor_get_double(view, "thickness");
  b->given = layer->thickness;
  double *value[] = {&b->grade, &b->sigma, &b->kappa, &b->alpha};
  static const char *const name[] = {"grade", "sigma", "kappa", "alpha"};
  for (int i = 0; i < (b->wall == TOR_ABSORBER ? 2 : 4); i++) {
    double given;
    if (tor_get_number(view, name[i], &given)) *value[i] = given;
  }
}

/* Cells that hold a length; a length of whole cells to a millionth is those. */
static int cells_of(double length, double cell) {
  return cell > 0 ? (int)fmax(1, fmin(ceil(length / cell - 1e-6), 1 << 20)) : 1;
}

/* tor_job_longest_wavelength of sources that are not read yet. Their faults are found when they are read. */
static double longest_wavelength(struct tor_job_reader *reader, const struct tor_view *root) {
  const config_setting_t *list = tor_get(root, "sources");
  const double *cell = reader->job->cell;
  double longest = 0;
  for (int i = 0; i < tor_get_length(root, "sources"); i++) {
    const config_setting_t *group = config_setting_get_elem(list, (unsigned)i);
    struct tor_view source = tor_view_of(&reader->config, group, "sources[].");
    if (tor_mark_bad(group) || !source.type) continue;
    struct tor_view view = tor_view_child(&source, "time", "sources[].time.");
    if (!view.type || tor_get_word(&view, "type") == TOR_TABLE) continue;
    double band = 0;
    if (tor_get_word(&view, "type") == TOR_PULSE && !(tor_get_number(&view, "band", &band) && band > 0)) band = 0;
    if (tor_get(&view, "wavelength"))
      longest = fmax(longest, tor_pulse_longest(tor_get_double(&view, "wavelength"), band));
  }
  return longest > 0 ? longest : 20 * fmax(cell[0], fmax(cell[1], reader->plane ? 0 : cell[2]));
}

/* Is a value bad in a group, or in a group in it? */
static int has_bad(const config_setting_t *group) {
  for (int i = 0; group && i < config_setting_length(group); i++) {
    const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
    if (tor_mark_bad(s) || (config_setting_is_group(s) && has_bad(s))) return 1;
  }
  return 0;
}

/* Both ends of a periodic axis are periodic. */
static void check_periodic(struct tor_job_reader *reader, const struct tor_view *view, int axis) {
  const struct tor_boundary *face = &reader->job->boundary[2 * axis];
  if ((face[0].wall == TOR_PERIODIC) == (face[1].wall == TOR_PERIODIC)) return;
  const int other = 2 * axis + (face[0].wall == TOR_PERIODIC);
  tor_config_fault(&reader->config, view->group, tor_face_name(other),
                   "is not periodic and %s is, need " TOR_NEEDED("both ends of an axis periodic, or none"),
                   tor_face_name(other ^ 1));
  reader->grid_known = 0;
}

/* A period is a whole number of cells, which are made a little smaller for it; along the axis that is the job's y a
 * multiple of 6, so that rows of towers close to rings whatever the engine and its tiles (tor_tiling_closes), and
 * results depend on neither. */
static void fit_period(struct tor_job_reader *reader, int axis) {
  struct tor_job *job = reader->job;
  const int ring = (TOR_Y + reader->turn) % 3, multiple = axis == ring && reader->cells[axis] > 1 ? 6 : 1;
  const double n = fmax(1, ceil(job->size[axis] / (multiple * job->cell[axis]) - 1e-6)) * multiple;
  reader->cells[axis] = (int)n;
  job->cell[axis] = job->size[axis] / n;
  reader->wall[axis] = 0.5 * job->size[axis];
}

/* Whether the file has a plane wave; sources are not read yet. */
static int has_wave(const struct tor_view *root) {
  const config_setting_t *list = tor_get(root, "sources");
  int any = 0;
  for (int i = 0; i < tor_get_length(root, "sources"); i++) {
    const char *type = NULL;
    config_setting_lookup_string(config_setting_get_elem(list, (unsigned)i), "type", &type);
    any |= type && !strcmp(type, "plane_wave");
  }
  return any;
}

static void read_periods(struct tor_job_reader *reader, const struct tor_view *root, const struct tor_view *view) {
  const struct tor_job *job = reader->job;
  int periodic[3];
  for (int a = 0; a < 3; a++) {
    check_periodic(reader, view, a);
    periodic[a] = job->boundary[2 * a].wall == TOR_PERIODIC && job->boundary[2 * a + 1].wall == TOR_PERIODIC;
  }
  reader->turn = reader->plane  ? TOR_TURN_PLANE
                 : job->angular ? TOR_TURN_CYLINDRICAL
                                : tor_turn_of(periodic, reader->cells, has_wave(root));
  for (int a = 0; a < 3 && reader->grid_known; a++)
    if (periodic[a]) fit_period(reader, a);
}

/* The word after those of enum tor_wall: periodic walls with a phase. */
enum { BLOCH = TOR_PERIODIC + 1 };

static void read_boundaries(struct tor_job_reader *reader, const struct tor_view *root) {
  struct tor_view view = tor_view_child(root, "boundaries", "boundaries."),
                  of_cpml = tor_view_child(&view, "cpml", "boundaries.cpml."),
                  of_absorber = tor_view_child(&view, "absorber", "boundaries.absorber.");
  struct layer cpml = {.boundary = {.wall = TOR_CPML}}, absorber = {.boundary = {.wall = TOR_ABSORBER, .kappa = 1}};
  read_layer(&of_cpml, &cpml);
  read_layer(&of_absorber, &absorber);
  const double longest = longest_wavelength(reader, root);
  int bloch[TOR_NFACE] = {0};
  for (int f = 0; f < TOR_NFACE; f++) {
    const config_setting_t *face = tor_get(&view, tor_face_name(f));
    if (f / 2 == TOR_Z && reader->plane) {
      /* Walls that leave the fields alone: E on a PEC and H on a PMC have only components across it. */
      reader->job->boundary[f].wall = reader->plane == TOR_PLANE_TM ? TOR_PEC : TOR_PMC;
      if (face)
        tor_config_fault(&reader->config, face, NULL,
                         "the job is 2-D, nothing varies along z, need " TOR_NEEDED("x_lo, x_hi, y_lo, y_hi alone"));
      continue;
    }
    const int is_group = face && config_setting_is_group(face);
    struct tor_view own = tor_view_of(&reader->config, face, "boundaries.x_lo.");
    const int wall = is_group ? tor_get_word(&own, "type") : tor_get_word(&view, face ? tor_face_name(f) : "default");
    struct layer layer = wall == TOR_ABSORBER ? absorber : cpml;
    layer.boundary.wall = (enum tor_wall)(wall < 0 ? tor_get_word(&view, "default") : wall);
    bloch[f] = (int)layer.boundary.wall == BLOCH;
    if (bloch[f]) layer.boundary.wall = TOR_PERIODIC;
    const int is_layer = layer.boundary.wall == TOR_CPML || layer.boundary.wall == TOR_ABSORBER;
    if (is_group && is_layer) read_layer(&own, &layer);
    if (layer.boundary.wall == TOR_ABSORBER && !layer.boundary.cells && !(layer.thickness > 0))
      layer.thickness = longest;
    if (layer.thickness > 0) layer.boundary.cells = cells_of(layer.thickness, reader->job->cell[f / 2]);
    reader->job->boundary[f] = layer.boundary;
    if (tor_boundary_layer(&layer.boundary))
      reader->layer[f] = layer.thickness > 0 ? layer.thickness : layer.boundary.cells * reader->job->cell[f / 2];
  }
  read_periods(reader, root, &view);
  tor_job_read_bloch(reader, &view, bloch);
  /* Defaults in place of bad values would cause further faults. */
  if (has_bad(view.group) || (!view.group && config_setting_get_member(root->group, "boundaries")))
    reader->grid_known = 0;
  for (int a = 0; a < 3 && reader->grid_known; a++) {
    const struct tor_boundary *b = &reader->job->boundary[2 * a];
    int lo = tor_boundary_layer(&b[0]), hi = tor_boundary_layer(&b[1]);
    if (lo + hi < reader->cells[a]) continue;
    struct tor_view grid = tor_view_child(root, "grid", "grid.");
    const config_setting_t *at = view.group ? view.group : tor_get(&grid, "size");
    tor_config_fault(&reader->config, at, view.group ? tor_face_name(2 * a) : NULL,
                     "absorbing layers of %d + %d cells leave none of %d along %c, need " TOR_NEEDED(
                         "thinner layers, pec or pmc, or a larger domain"),
                     lo, hi, reader->cells[a], "xyz"[a]);
    reader->grid_known = 0;
  }
}

/* In 2-D ranks share the user's x, the job's y. */
static void turn_ranks(struct tor_job_reader *reader, const config_setting_t *at) {
  int *ranks = reader->job->schedule.ranks;
  if (ranks[1] > 1)
    tor_config_fault(
        &reader->config, at, NULL,
        "got " TOR_FOUND("%d ranks along y") ", but a 2-D job is shared along x: need " TOR_NEEDED("[%d, 1]"), ranks[1],
        ranks[0] * ranks[1] > 0 ? ranks[0] * ranks[1] : ranks[1]);
  ranks[1] = ranks[0];
  ranks[0] = ranks[1] > 0;
}

static void read_run(struct tor_job_reader *reader, const struct tor_view *root) {
  struct tor_view view = tor_view_child(root, "run", "run."), schedule = tor_view_child(root, "schedule", "schedule."),
                  saving = tor_view_child(root, "checkpoint", "checkpoint.");
  struct tor_job *job = reader->job;
  job->run_time = tor_get_double(&view, "time_fs") * TOR_FS;
  job->run_decay = tor_get_double(&view, "decay");
  job->tolerance = tor_get_double(&view, "tolerance");
  job->run_until = tor_get_double(&view, "until");
  if (job->run_until > job->tolerance)
    tor_config_fault(
        &reader->config, tor_get(&view, "until"), NULL,
        "got " TOR_FOUND("%g") ", above run.tolerance, so that the run would end unconverged; need " TOR_NEEDED(
            "at most %g"),
        job->run_until, job->tolerance);
  job->schedule.engine = (enum tor_engine_kind)tor_get_word(&schedule, "engine");
  job->schedule.device = (enum tor_device_kind)tor_get_word(&schedule, "device");
  job->schedule.devices = tor_get_int(&schedule, "devices");
  if (job->schedule.device == TOR_DEVICE_CPU && job->schedule.devices > 1)
    tor_config_fault(
        &reader->config, tor_get(&schedule, "devices"), NULL,
        "got " TOR_FOUND("%d with schedule.device = \"cpu\"") ", need " TOR_NEEDED("\"gpu\" or \"auto\" there"),
        job->schedule.devices);
  job->schedule.dts = tor_get_int(&schedule, "dts");
  job->schedule.th = tor_get_int(&schedule, "th");
  job->schedule.device_memory = tor_get_double(&schedule, "device_memory") * 1e9;
  job->schedule.host_memory = tor_get_double(&schedule, "host_memory") * 1e9;
  job->schedule.disk = tor_strdup(tor_get_text(&schedule, "disk"));
  job->schedule.disk_rate = tor_get_double(&schedule, "disk_rate") * 1e9;
  const config_setting_t *ranks = tor_get(&schedule, "ranks");
  for (int a = 0; a < 2 && ranks; a++) job->schedule.ranks[a] = (int)config_setting_get_float_elem(ranks, a);
  if (reader->plane) turn_ranks(reader, ranks);
  job->schedule.threads = tor_get_int(&schedule, "threads");
  job->checkpoint.minutes = tor_get_double(&saving, "minutes");
  job->checkpoint.steps = (tor_gidx)tor_get_double(&saving, "steps");
  job->checkpoint.keep = tor_get_bool(&saving, "keep");
  if (!reader->grid_known || !tor_get(&view, "time_fs")) return;
  struct tor_grid grid;
  tor_grid_make(job, &grid);
  if (!(job->run_time / grid.dt < INT32_MAX))
    tor_config_fault(&reader->config, tor_get(&view, "time_fs"), NULL,
                     "%g time steps of %g fs, need " TOR_NEEDED("fewer than 2147483647"), job->run_time / grid.dt,
                     grid.dt / TOR_FS);
}

enum { LONGEST_TITLE = 4096 }; /* an attribute of HDF5 ends at 64 kB */

/* The folder's name is printed in many places. */
static void check_output(struct tor_job_reader *reader, const config_setting_t *at) {
  char *shown = tor_strdup(reader->job->output);
  tor_text_clean(shown);
  if (strcmp(shown, reader->job->output))
    tor_config_fault(&reader->config, at, at ? NULL : "output",
                     "got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("a path in UTF-8 without control characters"),
                     shown);
  free(shown);
}

static void read_head(struct tor_job_reader *reader, const struct tor_view *root) {
  const char *slash = strrchr(reader->config.path, '/'), *stem = slash ? slash + 1 : reader->config.path,
             *dot = strrchr(stem, '.');
  int length = dot && dot > stem ? (int)(dot - stem) : (int)strlen(stem);
  if ((int)strspn(stem, ".") >= length) length = 0; /* "...cfg": results/.. would be another folder */
  reader->job->path = tor_strdup(reader->config.path);
  if (tor_get(root, "format_version")) reader->job->format_version = tor_get_int(root, "format_version");
  reader->job->title = tor_strdup(tor_get_text(root, "title"));
  if (strlen(reader->job->title) > LONGEST_TITLE)
    tor_config_fault(&reader->config, tor_get(root, "title"), NULL,
                     "a text of %zu bytes, need " TOR_NEEDED("at most %d"), strlen(reader->job->title), LONGEST_TITLE);
  if (tor_get(root, "output")) {
    reader->job->output = tor_strdup(tor_get_text(root, "output"));
    check_output(reader, tor_get(root, "output"));
    return;
  }
  size_t capacity = (size_t)length + 16;
  reader->job->output = tor_alloc(capacity, 1, "output");
  snprintf(reader->job->output, capacity, "results/%.*s", length ? length : 3, length ? stem : "job");
  check_output(reader, NULL);
}

/* --- The whole file --- */

static void fill(struct tor_job_reader *reader) {
  struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  read_head(reader, &root);
  read_grid(reader, &root);
  read_boundaries(reader, &root);
  tor_job_read_symmetry(reader, &root);
  tor_job_read_graded(reader, &root);
  read_run(reader, &root);
  tor_job_read_media(reader);
  tor_job_read_objects(reader);
  tor_job_read_designs(reader);
  tor_job_read_sheets(reader);
  tor_job_read_sources(reader);
  tor_job_read_tilts(reader);
  tor_job_read_monitors(reader);
  tor_job_read_modes(reader);
  tor_job_read_bands(reader);
  tor_job_read_ensemble(reader);
  tor_job_find_node_media(reader->job);
  tor_job_check_graded(reader);
  tor_job_check_cylindrical(reader);
}

int tor_job_read(const char *path, const char *const *overrides, int noverrides, struct tor_job *job,
                 struct tor_faults *faults) {
  enum { MANY = 64 }; /* objects */
  struct tor_job_reader reader = {.config = {.path = path, .table = &tor_job_keys, .nset = noverrides}, .job = job};
  struct tor_config *config = &reader.config;
  memset(job, 0, sizeof *job);
  config->set = tor_alloc((size_t)noverrides, sizeof *config->set, "overrides");
  if (tor_config_open(config)) {
    tor_config_override(config, overrides, noverrides);
    read_unit(&reader);
    read_axes(&reader);
    tor_config_check(config);
    fill(&reader);
    if (reader.turn) tor_job_turn(job, reader.turn);
    list_places(&reader);
    if (job->nobjects >= MANY) job->bins = tor_object_bins_new(job->objects, job->nobjects);
  }
  int good = config->nfault == 0;
  tor_config_give_faults(config, faults);
  if (!good) tor_job_free(job);
  config_destroy(&config->tree);
  for (int i = 0; i < noverrides; i++) free(config->set[i]);
  free(config->set);
  return good;
}
