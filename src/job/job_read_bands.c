/* The group `bands` of a job. */
#include <libconfig.h>
#include <math.h>
#include <stddef.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

/* In units of 2 pi over the period of each axis, in the order of TOR_ZONE_POINTS: corners of the zones of rectangular
 * cells; M and R are the square's and the cube's names of S and of the corner. */
static const double named[][3] = {{0, 0, 0},   {.5, 0, 0},  {0, .5, 0},  {0, 0, .5},  {.5, .5, 0},
                                  {.5, .5, 0}, {0, .5, .5}, {.5, 0, .5}, {.5, .5, .5}};

/* Of the highest frequency to the lowest: one pulse covers them. */
static const double MOST_RATIO = 30;

static void read_path(struct tor_job_reader *reader, const struct tor_view *view, struct tor_band_job *bands) {
  const config_setting_t *path = tor_get(view, "path");
  const struct tor_key *key = tor_key_find(view->config->table, "bands.", "path", NULL);
  const int n = path ? config_setting_length(path) : 0;
  bands->corner = tor_alloc((size_t)n + 1, sizeof *bands->corner, "path of bands");
  bands->name = tor_alloc((size_t)n + 1, sizeof *bands->name, "path of bands");
  bands->ncorners = n;
  for (int i = 0; i < n; i++) {
    const config_setting_t *at = config_setting_get_elem(path, (unsigned)i);
    const char *word = config_setting_get_string(at);
    bands->name[i] = word ? tor_word_index(key->words, word) : -1;
    for (int a = 0; a < 3; a++)
      bands->corner[i][a] = word ? named[bands->name[i]][a] * bands->period / reader->job->size[a]
                            : a < config_setting_length(at) ? config_setting_get_float_elem(at, a)
                                                            : 0;
    if (i && bands->corner[i][0] == bands->corner[i - 1][0] && bands->corner[i][1] == bands->corner[i - 1][1] &&
        bands->corner[i][2] == bands->corner[i - 1][2])
      tor_config_fault(view->config, path, NULL, "corners %d and %d are one, need " TOR_NEEDED("different ones"), i,
                       i + 1);
  }
}

void tor_job_read_bands(struct tor_job_reader *reader) {
  struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  struct tor_band_job *bands = &reader->job->bands;
  if (!tor_get(&root, "bands")) return;
  struct tor_view view = tor_view_child(&root, "bands", "bands."),
                  band = tor_view_child(&view, "frequencies", "bands.frequencies.");
  bands->points = tor_get_int(&view, "points");
  bands->count = tor_get_int(&view, "count");
  bands->runs = tor_get_int(&view, "runs");
  bands->tolerance = tor_get_double(&view, "tolerance");
  bands->least_q = tor_get_double(&view, "least_q");
  bands->period = tor_get(&view, "period") ? tor_get_double(&view, "period") : reader->job->size[0];
  if (!reader->grid_known || !(bands->period > 0)) return;
  read_path(reader, &view, bands);
  bands->band[0] = tor_get_double(&band, "from");
  bands->band[1] = tor_get_double(&band, "to");
  if (!tor_get(&band, "from") || !tor_get(&band, "to")) return;
  const double *d = reader->job->cell, most = bands->period / (2 * fmin(d[0], fmin(d[1], d[2])));
  if (bands->band[1] > most)
    tor_config_fault(&reader->config, tor_get(&band, "to"), NULL,
                     "got " TOR_FOUND("%g") ", need " TOR_NEEDED("at most %.4g, two cells a wavelength"),
                     bands->band[1], most);
  if (!(bands->band[0] < bands->band[1] && bands->band[1] < MOST_RATIO * bands->band[0]))
    tor_config_fault(&reader->config, tor_get(&band, "to"), NULL,
                     "got " TOR_FOUND("%g") ", need " TOR_NEEDED("more than from = %g, and less than %g times it"),
                     bands->band[1], bands->band[0], MOST_RATIO);
}
