/* See known_errors.h. */
#include "src/model/known_errors.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/files/log.h"
#include "src/base/error.h"
#include "src/job/cylindrical.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/cut_off.h"
#include "src/model/dipole_warnings.h"
#include "src/model/film_warnings.h"
#include "src/model/layer_errors.h"

const char *const tor_known_causes[TOR_NKNOWN_CAUSES] = {
    [TOR_SOURCE_CUT_OFF] = "a source was cut off",
    [TOR_CPML_RETURNS] = "CPML returns waves",
    [TOR_ABSORBERS_RETURN] = "absorbers return waves",
    [TOR_FILM_AT_LAYERS] = "CPML in the near field of a film's wave",
    [TOR_DIPOLE_AT_LAYERS] = "CPML in the near field of a dipole",
    [TOR_DIPOLE_AT_NODES] = "surface nodes in the near field of a dipole",
};

double tor_error_of_powers(double amplitude) { return 2 * amplitude + amplitude * amplitude; }
double tor_amplitude_of_error(double error) { return sqrt(1 + error) - 1; }

void tor_known_errors_set(struct tor_known_errors *errors, enum tor_known_cause cause, double amplitude,
                          const struct tor_place *place, const char *needed, const char *format, ...) {
  struct tor_known_error *e = &errors->of[cause];
  va_list args;
  va_start(args, format);
  vsnprintf(e->text, sizeof e->text, format, args);
  va_end(args);
  snprintf(e->key, sizeof e->key, "%s", place->key);
  snprintf(e->needed, sizeof e->needed, "%s", needed);
  e->place = *place;
  e->place.key = e->key;
  e->amplitude = amplitude;
  errors->found |= 1U << cause;
}

void tor_known_errors_size(const struct tor_job *job, const double extent[3], char *needed, size_t size) {
  snprintf(needed, size, "grid.size = [");
  for (int u = 0; u < tor_user_axes(job); u++)
    snprintf(needed + strlen(needed), size - strlen(needed), "%s%.9g", u ? ", " : "",
             extent[job->angular && u < 2 ? TOR_RADIAL : tor_axis_of_user(job, u)] / job->length_unit);
  snprintf(needed + strlen(needed), size - strlen(needed), "]");
}

const char *tor_known_errors_off(double error, char *text, size_t size) {
  if (error < 1)
    snprintf(text, size, "powers may be off by %.2g %% of the largest", 100 * error);
  else
    snprintf(text, size, "powers may be all wrong");
  return text;
}

void tor_known_errors_find(const struct tor_job *job, const struct tor_grid *grid, struct tor_known_errors *errors) {
  *errors = (struct tor_known_errors){.worst = -1};
  int spectra = 0;
  for (int i = 0; i < job->nmonitors; i++) spectra |= job->monitors[i].nwavelength > 0;
  tor_cut_off_error(job, grid, errors);
  tor_layer_error(job, grid, errors);
  tor_film_error(job, grid, errors);
  tor_dipole_error(job, grid, errors);
  for (int k = 0; k < TOR_NKNOWN_CAUSES; k++) {
    struct tor_known_error *e = &errors->of[k];
    if (!spectra) e->amplitude = 0;
    if (e->amplitude > 0 && (errors->worst < 0 || e->amplitude > errors->of[errors->worst].amplitude))
      errors->worst = k;
    errors->amplitude += e->amplitude;
  }
}

static void log_one(const struct tor_known_error *e, const char *head, const char *tail) {
  if (*e->needed)
    tor_log_warning_at(&e->place, "%s%s%s; need " TOR_NEEDED("%s"), head, e->text, tail, e->needed);
  else
    tor_log_warning_at(&e->place, "%s%s%s", head, e->text, tail);
}

/* Whether a run is unconverged by this error: it alone exceeds the tolerance, or all together, of which it is the
 * largest. */
static int is_cause(const struct tor_known_errors *errors, int cause, const struct tor_job *job) {
  const double amplitude = cause == errors->worst ? errors->amplitude : errors->of[cause].amplitude;
  return errors->found & 1U << cause && tor_error_of_powers(amplitude) > job->tolerance;
}

void tor_known_errors_log(const struct tor_known_errors *errors, const struct tor_job *job) {
  for (int k = 0; k < TOR_NKNOWN_CAUSES; k++)
    if (errors->found & 1U << k)
      log_one(&errors->of[k], "", is_cause(errors, k, job) ? ", the exit status will be 3" : "");
}

void tor_known_errors_end(const struct tor_known_errors *errors, const struct tor_job *job) {
  char head[64];
  snprintf(head, sizeof head, "unconverged (run.tolerance = %.3g): ", job->tolerance);
  for (int k = 0; k < TOR_NKNOWN_CAUSES; k++)
    if (k == errors->worst || is_cause(errors, k, job)) log_one(&errors->of[k], head, "");
}
