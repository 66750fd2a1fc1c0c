/* The rule for cells that surfaces cut: see averaging.h. */
#include "src/model/averaging.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job_read.h"
#include "src/job/material.h"
#include "src/job/sheet.h"
#include "src/model/dipole_warnings.h"
#include "src/model/known_errors.h"
#include "src/model/metal.h"
#include "src/model/model.h"
#include "src/model/open_plane.h"
#include "src/model/plane_media.h"
#include "src/model/profile.h"
#include "src/model/surface.h"

static int has_metal(const struct tor_job *job) {
  int has = 0;
  for (int m = 0; m < job->nmedia; m++) has |= tor_job_uses_medium(job, m) && tor_is_metal(job, &job->media[m]);
  return has;
}

/* Whether a dielectric's permittivity changes much over the first source's band: beside a metal's nodes it is that at
 * one frequency (metal-nodes.md). */
static int has_changing(const struct tor_job *job) {
  static const double MOST = 0.1;
  const struct tor_profile *first = tor_job_first_profile(job);
  double centre = 2 * TOR_PI * TOR_C0 / tor_job_wavelength(job), half = 0;
  int changes = 0;
  if (first) tor_profile_band(first, &centre, &half);
  for (int m = 0; m < job->nmedia; m++) {
    const struct tor_medium *medium = &job->media[m];
    if (!medium->npoles || !tor_job_uses_medium(job, m) || tor_is_metal(job, medium)) continue;
    for (int end = -1; end < 2; end += 2) {
      const double complex there = tor_medium_permittivity(medium, 0, centre + end * fmin(half, 0.5 * centre)),
                           middle = tor_medium_permittivity(medium, 0, centre);
      changes |= cabs(there - middle) > MOST * cabs(middle);
    }
  }
  return changes;
}

static int has_poles(const struct tor_job *job) {
  int has = 0;
  for (int m = 0; m < job->nmedia; m++) has |= tor_job_uses_medium(job, m) && job->media[m].npoles > 0;
  return has;
}

/* Whether nodes' oscillators would be slow beside the first source's light. */
static int is_slow(const struct tor_job *job, const struct tor_grid *grid) {
  static const double LEAST = 0.75; /* of 1 - (w / w0)^2 */
  struct tor_node_coef coef;
  return tor_job_has_surface_nodes(job) && tor_surface_coef(job, grid, &coef) < LEAST;
}

static int is_near_dipole(const struct tor_job *job, const struct tor_grid *grid) {
  struct tor_known_errors errors = {0};
  tor_dipole_error(job, grid, &errors);
  return errors.of[TOR_DIPOLE_AT_NODES].amplitude > 0;
}

/* Whether there are faults, which are freed. */
static int forget(struct tor_faults *faults) {
  const int has_some = faults->count > 0;
  tor_faults_free(faults);
  *faults = (struct tor_faults){0};
  return has_some;
}

/* Whether a surface is too near to a beam's plane. */
static int is_beam_near(const struct tor_job *job, const struct tor_source *s) {
  struct tor_faults faults = {0};
  struct tor_open_plane open;
  tor_open_plane_make(job, s, &faults, &open);
  tor_open_plane_free(&open);
  return forget(&faults);
}

/* What modes would refuse at a plane across `axis` through lo (src/modes/mode_source.c). reach: of the cells on either
 * side in which their guide has to be the same. */
static const char *mode_reason(const struct tor_job *job, const struct tor_grid *grid, int axis, const double lo[3],
                               const double hi[3], int reach) {
  const int count = 2 * reach + 1, node = tor_grid_node(grid, axis, lo[axis]) - reach;
  const char *reason = NULL;
  int box[2][2];
  struct tor_plane_media around[TOR_PLANES_MOST];
  if (node < 0 || node + count > grid->n[axis]) return NULL; /* a fault of its own */
  tor_plane_media_box(grid, axis, lo, hi, box);
  tor_plane_media_make_some(job, axis, node, count, (const int(*)[2])box, around);
  if (around[reach].lacks_metal_nodes)
    reason = "a mode's plane crosses a metal";
  else if (!tor_plane_media_alike(around, count))
    reason = "a mode's guide changes beside its plane";
  for (int k = 0; k < count; k++) tor_plane_media_free(&around[k]);
  return reason;
}

/* Ports count as sources do, so that all runs of a scattering matrix have one rule. */
static const char *plane_reason(const struct tor_job *job, const struct tor_grid *grid) {
  const char *reason = NULL;
  const int reach = grid->order == 4 ? 2 : 1;
  for (int i = 0; i < job->nsources && !reason; i++) {
    const struct tor_source *s = &job->sources[i];
    if (s->kind == TOR_MODE_SOURCE)
      reason = mode_reason(job, grid, s->axis, s->lo, s->hi, reach);
    else if (s->kind == TOR_BEAM && is_beam_near(job, s))
      reason = "a beam's plane is too near to a surface";
  }
  for (int i = 0; i < job->nmonitors && !reason; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    if (m->kind == TOR_MODE) reason = mode_reason(job, grid, m->axis, m->lo, m->hi, m->port ? reach : 0);
  }
  return reason;
}

/* Why the job, which has "tensor", cannot have it or should not; NULL: it can. */
static const char *reason_against(const struct tor_job *job) {
  struct tor_grid grid;
  struct tor_faults faults = {0};
  if (job->nodes[0] || job->nodes[1] || job->nodes[2]) return "cells are graded";
  if (job->ndesigns) return "there are design regions";
  if (job->angular && has_poles(job)) return "media with poles in cylindrical coordinates";
  if (job->node_media && has_metal(job)) return "metals beside media whose polarisation is at nodes";
  if (has_metal(job) && has_changing(job)) return "metals, and a dielectric that changes over the source's band";
  tor_grid_make(job, &grid);
  tor_metal_coef(job, &grid, &faults);
  if (forget(&faults)) return "grid.courant is too large for it beside a metal";
  if (is_slow(job, &grid)) return "grid.courant leaves no time step for it";
  tor_model_check(job, &faults);
  if (forget(&faults)) return "with it a source or monitor is too near to a surface";
  if (is_near_dipole(job, &grid)) return "a dipole is less than 15 cells from a metal";
  return plane_reason(job, &grid);
}

/* Sets averaging, where it is open. It depends on the job alone: all ranks choose alike. */
static void choose(struct tor_job *job) {
  if (!job->averaging_is_open || !job->nobjects) return;
  job->averaging = TOR_AVERAGE_TENSOR;
  job->averaging_reason = reason_against(job);
  if (job->averaging_reason) job->averaging = TOR_AVERAGE_SUBPIXEL;
}

int tor_averaging_read(const char *path, const char *const *overrides, int noverrides, struct tor_job *job,
                       struct tor_faults *faults) {
  const int good = tor_job_read(path, overrides, noverrides, job, faults);
  if (good) choose(job);
  return good;
}

const char *tor_averaging_text(const struct tor_job *job, char *text, size_t size) {
  const char *const reason = job->averaging_reason ? job->averaging_reason : "", *const colon = *reason ? ": " : "";
  if (job->averaging_is_open)
    snprintf(text, size, "averaging \"%s\" (auto%s%s)", tor_job_averaging(job), colon, reason);
  else
    snprintf(text, size, "averaging \"%s\"", tor_job_averaging(job));
  return text;
}
