/* Monitors of modes: NAME_modes.csv, and their part of results.h5. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/files/folder.h"
#include "io/files/log.h"
#include "io/hdf5/h5.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/model/monitor.h"
#include "src/modes/mode_amplitudes.h"
#include "src/modes/mode_solver.h"
#include "src/modes/mode_sweep.h"
#include "src/modes/modes.h"
#include "src/results/results.h"
#include "src/results/results_file.h"
#include "src/results/results_parts.h"

struct tor_mode_amplitudes *tor_results_make_modes(const struct tor_results *r) {
  const struct tor_monitors *ms = r->sim->model->monitors;
  struct tor_mode_amplitudes *all = tor_alloc((size_t)ms->count + 1, sizeof *all, "modes");
  for (int i = 0; i < ms->count; i++)
    if (tor_mode_solver_built() && ms->recorder[i].spec->kind == TOR_MODE)
      tor_mode_amplitudes_make(r->job, ms, &ms->recorder[i], &all[i]);
  return all;
}

void tor_results_free_modes(const struct tor_results *r, struct tor_mode_amplitudes *all) {
  for (int i = 0; i < r->sim->model->monitors->count; i++) tor_mode_amplitudes_free(&all[i]);
  free(all);
}

static double power_of(double complex a) { return creal(a * conj(a)); }

int tor_results_write_modes(const struct tor_results *r, const struct tor_recorder *l,
                            const struct tor_mode_amplitudes *a) {
  const struct tor_mode_sweep *s = &a->sweep;
  if (!s->mode) return 0; /* no solver: a warning at the start */
  const char *path = tor_results_path(r->job, "%s_modes.csv", l->spec->name);
  const char *unit = r->job->plane ? "J_per_Hz_m" : "J_per_Hz";
  FILE *f = tor_folder_create(path);
  if (!f) return tor_results_not_written(path, NULL);
  fprintf(f,
          "wavelength_nm,mode,n_eff,k_eff,n_group,forward_%s,forward_phase_rad,backward_%s,backward_phase_rad,"
          "core_fraction\n",
          unit, unit);
  for (int q = 0; q < s->nwavelength; q++)
    for (int k = 0; k < s->found[q]; k++) {
      const struct tor_mode *m = tor_mode_sweep_at(s, q, k);
      const double complex ahead = a->forward[q * s->count + k], back = a->backward[q * s->count + k];
      fprintf(f, "%.10g,%d,%.12g,%.6e,%.10g,%.12g,%.12g,%.12g,%.12g,%.8g\n", m->wavelength / TOR_NM, k, creal(m->n_eff),
              cimag(m->n_eff), creal(m->group), power_of(ahead), carg(ahead), power_of(back), carg(back), m->core);
    }
  const int failed = tor_results_log_file(r, path, tor_folder_commit(f, path), NULL);
  const int which = l->spec->port ? l->spec->port_mode : 0;
  char text[512];
  if (tor_mode_sweep_beyond_text(s, which, text, sizeof text))
    tor_log_warning_at(tor_job_monitor_place(r->job, l->spec), "monitor %s, mode %d: %s", l->spec->name, which, text);
  if (!*s->why) return failed;
  tor_log_warning_at(tor_job_monitor_place(r->job, l->spec), "monitor %s: fewer modes than asked for: %s",
                     l->spec->name, s->why);
  return failed + 1;
}

static void write_complex(struct tor_h5 *h5, const struct tor_recorder *l, const char *what,
                          const struct tor_mode_sweep *s, const double complex *value, const char *unit,
                          const char *meaning) {
  const tor_gidx dims[3] = {s->nwavelength, s->count, 2};
  char path[256];
  snprintf(path, sizeof path, "/monitors/%s/%s", l->spec->name, what);
  tor_h5_write(h5, path, TOR_H5_DOUBLE, 3, dims, value, unit, meaning);
  tor_h5_attribute_string(h5, path, "axes", "wavelength mode part");
}

void tor_results_write_modes_h5(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                                const struct tor_mode_amplitudes *a) {
  const struct tor_mode_sweep *s = &a->sweep;
  if (!s->mode) return;
  const int n = s->nwavelength * s->count, is_2d = r->job->plane != TOR_SPACE;
  double complex *const index = tor_alloc((size_t)n, sizeof *index, "modes");
  double complex *const beta = tor_alloc((size_t)n, sizeof *beta, "modes");
  for (int i = 0; i < n; i++) {
    index[i] = s->mode[i].omega > 0 ? s->mode[i].n_eff : CMPLX(NAN, NAN);
    beta[i] = s->mode[i].omega > 0 ? s->mode[i].beta : CMPLX(NAN, NAN);
  }
  const char *unit = is_2d ? "sqrt(J/Hz/m)" : "sqrt(J/Hz)";
  write_complex(h5, l, "forward", s, a->forward, unit,
                "amplitude of the wave along the axis, |a|^2 its power; [wavelength][mode][real, imaginary]");
  write_complex(h5, l, "backward", s, a->backward, unit,
                "amplitude of the wave against the axis, |a|^2 its power; [wavelength][mode][real, imaginary]");
  write_complex(h5, l, "n_eff", s, index, "1", "effective index; [wavelength][mode][real, imaginary]");
  write_complex(h5, l, "beta", s, beta, "1/m", "exp(i beta x) on the grid; [wavelength][mode][real, imaginary]");
  free(index);
  free(beta);
}
