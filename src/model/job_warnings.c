/* Warnings about valid jobs: see job_warnings.h. */
#include "src/model/job_warnings.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/files/log.h"
#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/cylindrical.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/chi2.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/dipole_warnings.h"
#include "src/model/guide_warnings.h"
#include "src/model/job_mistakes.h"
#include "src/model/job_notes.h"
#include "src/model/known_errors.h"
#include "src/model/layer_media.h"
#include "src/model/like_warnings.h"
#include "src/model/monitor.h"
#include "src/model/pml.h"
#include "src/model/source.h"
#include "src/model/tilt_warnings.h"
#include "src/model/wave_check.h"

/* Wavelengths of a job's monitors: calls look(...) for each until one returns not 0. */
typedef int look_at(const struct tor_job *job, const struct tor_monitor *monitor, double wavelength);
static void look(const struct tor_job *job, look_at *at) {
  for (int i = 0; i < job->nmonitors; i++)
    for (int q = 0; q < job->monitors[i].nwavelength; q++)
      if (at(job, &job->monitors[i], job->monitors[i].wavelength[q])) return;
}
static int has_spectra(const struct tor_job *job) {
  for (int i = 0; i < job->nmonitors; i++)
    if (job->monitors[i].nwavelength) return 1;
  return 0;
}

/* Wavelengths outside the range of a built-in medium's data. */
static void warn_ranges(const struct tor_job *job) {
  for (int m = 0; m < job->nmedia; m++) {
    const struct tor_medium *medium = &job->media[m];
    if (medium->range[1] <= 0) continue;
    for (int i = 0; i < job->nmonitors; i++)
      for (int q = 0; q < job->monitors[i].nwavelength; q++) {
        double w = job->monitors[i].wavelength[q];
        if (w >= medium->range[0] && w <= medium->range[1]) continue;
        tor_log_warning_at(tor_job_monitor_place(job, &job->monitors[i]),
                           "monitor %s: wavelength %g nm is outside the range of the data of \"%s\", %g to %g nm",
                           job->monitors[i].name, w / TOR_NM, medium->name, medium->range[0] / TOR_NM,
                           medium->range[1] / TOR_NM);
        return;
      }
  }
}

/* Spectra at other wavelengths than the one at which a medium has its index. */
static int warn_index(const struct tor_job *job, const struct tor_monitor *monitor, double wavelength) {
  static const double MOST = 0.05;
  for (int i = 0; i < job->nmedia; i++) {
    const struct tor_medium *m = &job->media[i];
    const double off = m->at > 0 ? fabs(wavelength / m->at - 1) : 0;
    if (off <= MOST || !(m->npoles || m->sigma[0] > 0)) continue;
    tor_log_warning_at(
        tor_job_monitor_place(job, monitor),
        "monitor %s: %g nm is %.0f %% from %g nm, where alone the index of \"%s\" is right; need " TOR_NEEDED(
            "wavelengths within %.0f %%, or its poles"),
        monitor->name, wavelength / TOR_NM, 100 * off, m->at / TOR_NM, m->name, 100 * MOST);
    return 1;
  }
  return 0;
}

/* A wavelength that the sources do not excite: spectra there are quotients of rounding errors. */
static int warn_wavelength(const struct tor_job *job, const struct tor_monitor *monitor, double wavelength) {
  const double least = job->precision == TOR_F32 ? 1e-3 : 1e-6;
  double level = 0;
  for (int i = 0; i < job->nsources; i++) level = fmax(level, tor_profile_level(&job->sources[i].profile, wavelength));
  if (!job->nsources || level >= least) return 0;
  tor_log_warning_at(tor_job_monitor_place(job, monitor),
                     "monitor %s: at %g nm the sources have %.1e of their peak amplitude: the result there is mostly "
                     "error; need " TOR_NEEDED("a wider band"),
                     monitor->name, wavelength / TOR_NM, level);
  return 1;
}

/* A dipole whose current has a mean leaves charges, whose field stays. */
static void warn_charges(const struct tor_job *job) {
  struct tor_like_warnings left = {0}, taken = {0};
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    if (!tor_source_is_dipole(s)) continue;
    const double mean = tor_profile_mean(&s->profile);
    struct tor_profile whole = s->profile;
    whole.zero_mean = 0;
    if (mean > TOR_NO_CHARGE)
      tor_like_warnings_add(&left, tor_job_source_place(job, s),
                            "source %s: its current has a mean (%.1e of its spectrum's peak) and leaves static "
                            "charges, which affect near fields, spectra and run.decay; need " TOR_NEEDED("%s"),
                            s->name, mean,
                            s->profile.kind == TOR_TABLE ? "a table whose time integral is zero"
                                                         : "time.zero_mean = true, or phase_deg = 90");
    else if (tor_profile_mean(&whole) > TOR_NO_CHARGE)
      tor_like_warnings_add(&taken, tor_job_source_place(job, s),
                            "source %s: the pulse's mean, %.1e of its spectrum's peak, is taken away (time.zero_mean = "
                            "false keeps it)",
                            s->name, tor_profile_mean(&whole));
  }
  tor_like_warnings_log(&left);
  tor_like_warnings_note(&taken);
}

/* The longest edge of a cell of an object, or in the domain (NULL); nothing varies along an axis of one cell. */
static double longest_edge(const struct tor_job *job, const struct tor_object *object) {
  double edge = 0, lo[3], hi[3];
  if (object) tor_object_bounds(object, lo, hi);
  for (int a = 0; a < 3; a++) {
    const double *node = job->nodes[a];
    if (job->size[a] < 1.5 * job->cell[a]) continue;
    if (!node || !object) edge = fmax(edge, job->cell[a]);
    for (int i = 0; node && object && i + 1 < job->nnode[a]; i++)
      if (node[i] < hi[a] && node[i + 1] > lo[a]) edge = fmax(edge, node[i + 1] - node[i]);
  }
  return edge;
}

/* Cells a wavelength inside the media of the scene. */
static int warn_cells(const struct tor_job *job, const struct tor_monitor *monitor, double wavelength) {
  enum { FEWEST = 8 };
  for (int i = -1 - 2 * job->ndesigns; i < job->nobjects; i++) {
    const int of_design = i < -1 ? job->designs[(-2 - i) / 2].medium[-i % 2] : 0;
    if (of_design < 0) continue;
    const struct tor_medium *m = &job->media[i < -1 ? of_design : i < 0 ? job->background : job->objects[i].medium];
    for (int a = 0; a < 3; a++) {
      const double omega = 2 * TOR_PI * TOR_C0 / wavelength;
      const double n = creal(csqrt(tor_medium_permittivity(m, a, omega) * tor_medium_permeability(m, a, omega)));
      const double cells = wavelength / (n * longest_edge(job, i < 0 ? NULL : &job->objects[i]));
      if (cells >= FEWEST) continue; /* infinite in a domain of one cell */
      tor_log_warning_at(tor_job_monitor_place(job, monitor),
                         "monitor %s: at %g nm, in \"%s\" (index %.3g) a wavelength has %.1f cells, too few for "
                         "results within some percent; need " TOR_NEEDED("%d or more: cells of %.3g nm"),
                         monitor->name, wavelength / TOR_NM, m->name, n, cells, FEWEST,
                         wavelength / n / FEWEST / TOR_NM);
      return 1;
    }
  }
  return 0;
}

/* An object that reaches through a face of a wave's total-field box, by more than half a cell: the incident field there
 * is that of the background. A layer along z is a part of it, and one across the axis of a wave along x or y whose box
 * has no sides (tor_wave_front), or is the cell's. */
static int is_crossed(const struct tor_grid *g, const struct tor_source *wave, const struct tor_object *o, int face) {
  const int axis = face / 2;
  const double at = face % 2 ? wave->hi[axis] : wave->lo[axis], half = 0.5 * tor_grid_cell_at(g, axis, at);
  const double wall = face % 2 ? tor_grid_at(g, axis, g->n[axis]) - half : tor_grid_low(g, axis) + half;
  double lo[3], hi[3];
  tor_object_bounds(o, lo, hi);
  if (face % 2 ? at >= wall : at <= wall) return 0; /* no face */
  for (int a = 0; a < 3; a++)
    if (a == axis ? lo[a] > at - half || hi[a] < at + half : lo[a] > wave->hi[a] || hi[a] < wave->lo[a]) return 0;
  return 1;
}

static int enters_layer(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *wave) {
  struct tor_box box;
  tor_wave_box(wave, g, &box);
  return wave->periodic || tor_wave_front(job, g, wave, &box) >= 0;
}

static void warn_faces(const struct tor_job *job, const struct tor_grid *g) {
  for (int i = 0; i < job->nsources; i++)
    for (int k = 0; k < job->nobjects; k++) {
      const struct tor_source *wave = &job->sources[i];
      const struct tor_object *o = &job->objects[k];
      const int without_sides = job->turn && !job->plane; /* such cells are open along one axis */
      if (wave->kind != TOR_PLANE_WAVE || tor_object_is_layer(o, TOR_Z)) continue;
      if (tor_object_is_layer(o, wave->axis) && enters_layer(job, g, wave)) continue;
      for (int face = 0; face < TOR_NFACE; face++)
        if (is_crossed(g, wave, o, face)) {
          tor_log_warning_at(tor_job_source_place(job, wave),
                             "source %s: objects[%d] of \"%s\" reaches through the %s face of the total-field box, "
                             "whose incident field does not include it: the face radiates; need " TOR_NEEDED(
                                 "a box that contains it%s%c"),
                             wave->name, tor_job_object_number(job, k), job->media[o->medium].name,
                             tor_job_face_name(job, face), job->angular ? " along " : ", or a \"layer\" along ",
                             tor_axis_name(job, without_sides ? wave->axis : TOR_Z));
          return;
        }
    }
}

/* A probe whose samples are too far apart for its spectrum. */
static void warn_probes(const struct tor_job *job, const struct tor_grid *g) {
  struct tor_like_warnings seldom = {0};
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    if (m->kind != TOR_PROBE || !m->nwavelength) continue;
    const int most = tor_monitor_every(job, g, m);
    if (m->every > most)
      tor_like_warnings_add(&seldom, tor_job_monitor_place(job, m),
                            "monitor %s: every = %d steps undersamples: source frequencies alias; use every <= %d",
                            m->name, m->every, most);
  }
  tor_like_warnings_log(&seldom);
}

/* A record of resonances of which there is hardly anything. */
static void warn_records(const struct tor_job *job) {
  enum { PERIODS = 10 };
  struct tor_like_warnings late = {0};
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    const double least = tor_monitor_from(m, job) + PERIODS * m->band[1] / TOR_C0;
    if (m->kind == TOR_RESONANCES && !(least <= job->run_time))
      tor_like_warnings_add(
          &late, tor_job_monitor_place(job, m),
          "monitor %s: the record of resonances begins at %.6g fs, and the run ends at %.6g fs; need " TOR_NEEDED(
              "run.time_fs = %.3g or more"),
          m->name, tor_monitor_from(m, job) / TOR_FS, job->run_time / TOR_FS, least / TOR_FS);
  }
  tor_like_warnings_log(&late);
}

/* A cross-section measures the power of all sources. */
static void warn_cross_sections(const struct tor_job *job) {
  for (int i = 0; i < job->nmonitors && job->nsources > 1; i++)
    if (job->monitors[i].kind == TOR_CROSS_SECTION)
      tor_log_warning_at(
          tor_job_monitor_place(job, &job->monitors[i]),
          "monitor %s: the job has other sources than the plane wave, and their power is included in the "
          "cross-sections",
          job->monitors[i].name);
}

/* Flux planes in absorbing layers, and at the face of a total-field box, where fields are total on one side and
 * scattered on the other. */
struct plane_warnings {
  struct tor_like_warnings in_layer, on_face;
};

static void look_at_plane(const struct tor_job *job, const struct tor_grid *g, const struct tor_monitor *m, int axis,
                          double x, struct plane_warnings *found) {
  for (int e = 0; e < 2; e++)
    if (tor_grid_layer_depth(g, 2 * axis + e, x) > 0.01)
      tor_like_warnings_add(
          &found->in_layer, tor_job_monitor_place(job, m),
          "monitor %s: the plane at %c = %g nm lies in an absorbing layer, which reduces the power; need " TOR_NEEDED(
              "a plane before it"),
          m->name, tor_axis_name(job, axis), x / TOR_NM);
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    if (s->kind != TOR_PLANE_WAVE) continue;
    for (int e = 0; e < 2; e++) {
      const double face = e ? s->hi[axis] : s->lo[axis];
      int meet = fabs(face - x) < 0.5 * tor_grid_cell_at(g, axis, x);
      for (int a = 0; a < 3; a++) meet &= a == axis || (m->lo[a] < s->hi[a] && m->hi[a] > s->lo[a]);
      if (meet)
        tor_like_warnings_add(&found->on_face, tor_job_monitor_place(job, m),
                              "monitor %s: the plane at %c = %g nm lies on a face of the total-field box of %s, where "
                              "fields are total on one side only; need " TOR_NEEDED("a cell between them"),
                              m->name, tor_axis_name(job, axis), x / TOR_NM, s->name);
    }
  }
}

static void warn_fluxes(const struct tor_job *job, const struct tor_grid *g) {
  struct plane_warnings found = {0};
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    if (!tor_monitor_is_plane(m) && m->kind != TOR_FLUX_BOX) continue;
    for (int a = 0; a < 3; a++) {
      if (tor_monitor_is_plane(m) && m->lo[a] < m->hi[a]) continue;
      if (m->lo[a] > tor_grid_low(g, a) + 0.5 * tor_grid_end(g, 2 * a)) look_at_plane(job, g, m, a, m->lo[a], &found);
      if (m->hi[a] > m->lo[a] && m->hi[a] < tor_grid_at(g, a, g->n[a] - 0.5))
        look_at_plane(job, g, m, a, m->hi[a], &found);
    }
  }
  tor_like_warnings_log(&found.in_layer);
  tor_like_warnings_log(&found.on_face);
}

/* Flux boxes with sides on walls: those are left out, correctly at mirrors, which no power crosses. */
static void warn_walls(const struct tor_job *job, const struct tor_grid *g) {
  struct tor_like_warnings through = {0}, none = {0};
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    char layers[40] = "";
    int sides = 0;
    if (m->kind != TOR_FLUX_BOX) continue;
    for (int f = 0; f < TOR_NFACE; f++) {
      const int node = tor_grid_node(g, f / 2, f % 2 ? m->hi[f / 2] : m->lo[f / 2]);
      const int inside = node > tor_grid_first(g, f / 2) && node < g->n[f / 2];
      sides += inside;
      if (!inside && tor_boundary_layer(&g->face[f]))
        snprintf(layers + strlen(layers), sizeof layers - strlen(layers), " %s", tor_job_face_name(job, f));
    }
    if (*layers)
      tor_like_warnings_add(&through, tor_job_monitor_place(job, m),
                            "monitor %s: the box reaches through absorbing layers to the wall at%s: no power is "
                            "measured there; need " TOR_NEEDED("a box that ends before them"),
                            m->name, layers);
    else if (!sides)
      tor_like_warnings_add(&none, tor_job_monitor_place(job, m),
                            "monitor %s: all sides of the box lie on the domain's walls, which no power crosses",
                            m->name);
  }
  tor_like_warnings_log(&through);
  tor_like_warnings_log(&none);
}

static tor_gidx step_of(const struct tor_grid *g, double time) { return (tor_gidx)llround(time / g->dt); }

/* Times at which nothing is recorded: before the first step, and at the same step as an earlier time. */
static void warn_times(const struct tor_job *job, const struct tor_grid *g) {
  struct tor_like_warnings before = {0}, same = {0};
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    int early = 0, twice = 0;
    for (int k = 0; k < m->ntime; k++) {
      const tor_gidx step = step_of(g, m->time[k]);
      early += step < 1;
      twice += step >= 1 && k && step == step_of(g, m->time[k - 1]);
    }
    if (early)
      tor_like_warnings_add(&before, tor_job_monitor_place(job, m),
                            "monitor %s: %d of its times, from %g fs, lie before the first time step (%.4g fs) and "
                            "record nothing: all fields are 0 there",
                            m->name, early, m->time[0] / TOR_FS, g->dt / TOR_FS);
    if (twice)
      tor_like_warnings_add(&same, tor_job_monitor_place(job, m),
                            "monitor %s: %d of its times fall on the time step of the one before and record nothing "
                            "more; need " TOR_NEEDED("times %.4g fs apart"),
                            m->name, twice, g->dt / TOR_FS);
  }
  tor_like_warnings_log(&before);
  tor_like_warnings_log(&same);
}

/* The near field of a dipole, most of which is not radiated, is by far the largest energy. */
static void warn_decay(const struct tor_job *job) {
  const double most = 1e-6;
  for (int i = 0; i < job->nsources && job->run_decay > most && has_spectra(job); i++)
    if (tor_source_is_dipole(&job->sources[i])) {
      tor_log_warning_at(tor_job_place(job, "run.decay"),
                         "run.decay = %.1e counts from the largest energy, which is the near field of the dipole %s, "
                         "far above what it radiates: spectra may be cut off; need " TOR_NEEDED("%.0e or less"),
                         job->run_decay, job->sources[i].name, most);
      return;
    }
}

/* Powers that cannot be seen to settle. */
static void warn_until(const struct tor_job *job) {
  const struct tor_place *place = tor_job_place(job, "run.until");
  int powers = 0;
  if (!(job->run_until > 0)) return;
  for (int i = 0; i < job->nmonitors; i++) powers |= tor_monitor_has_power(&job->monitors[i]);
  if (!powers)
    tor_log_warning_at(place,
                       "no monitor has powers that may settle: the run will last to run.time_fs; need " TOR_NEEDED(
                           "a flux, a mode, a cross-section or the like, or run.decay"));
  for (int i = 0; i < job->nsources && powers; i++) {
    const struct tor_source *s = &job->sources[i];
    const int ends = isfinite(tor_profile_end(&s->profile));
    if (ends && (s->kind == TOR_PLANE_WAVE || tor_profile_mean(&s->profile) <= TOR_NO_CHARGE)) continue;
    tor_log_warning_at(place, "source %s %s, so that powers are not seen to settle: the run will last to run.time_fs",
                       s->name, ends ? "leaves charges, whose energy stays" : "never ends");
    return;
  }
}

/* Runs shorter than the interval of the energy samples. */
static void warn_energy(const struct tor_job *job, const struct tor_grid *g) {
  const int every = tor_monitors_energy_every(job, g);
  const double steps = ceil(job->run_time / g->dt);
  if (every && every > steps)
    tor_log_warning_at(tor_job_place(job, "run.decay"),
                       "the energy is summed every %d steps, and the run has %.0f: there is no sample to record, or "
                       "for run.decay; need " TOR_NEEDED("an \"energy\" monitor with every = %.0f or less"),
                       every, steps, steps);
}

/* Media that CPML may amplify. */
static void warn_layers(const struct tor_job *job, const struct tor_grid *g) {
  char advice[1024];
  if (tor_layer_advice(job, g, 0, advice, sizeof advice))
    tor_log_warning_at(tor_job_place(job, "boundaries"), "%s", advice);
}

/* Second-order media that respond at once and are not symmetric: power of their own (tor_chi2_is_symmetric). */
static void warn_chi2(const struct tor_job *job) {
  for (int m = 0; m < job->nmedia; m++)
    if (job->media[m].has_chi2 && tor_job_uses_medium(job, m) && !tor_chi2_is_symmetric(job->media[m].chi2))
      tor_log_warning_at(tor_job_place(job, "media"),
                         "d_pm_per_V of \"%s\" is not alike for all orders of its three axes (d15 = d31, d24 = d32, "
                         "d14 = d25 = d36 and so on): as the medium responds at once, it can give and take power of "
                         "its own, of the difference; need " TOR_NEEDED("a symmetric one"),
                         job->media[m].name);
}

/* CPML stretches r in derivatives alone, not in 1 / r (docs/measurements/cylindrical.md). */
static void warn_cylinder(const struct tor_job *job, const struct tor_grid *g) {
  if (g->angular && g->face[2 * TOR_RADIAL + 1].wall == TOR_CPML)
    tor_log_warning_at(tor_job_place(job, "boundaries"),
                       "CPML around the cylinder returns waves, some tenths of the amplitude where its inside is less "
                       "than a wavelength wide; need " TOR_NEEDED(
                           "\"absorber\" at x_lo, x_hi, y_lo and y_hi, two wavelengths thick for errors below 0.1 %%"));
}

void tor_job_warnings_end(const struct tor_job *job, const struct tor_grid *grid, tor_gidx steps) {
  struct tor_like_warnings after = {0};
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    int late = 0;
    for (int k = 0; k < m->ntime; k++) late += step_of(grid, m->time[k]) > steps;
    if (late)
      tor_like_warnings_add(&after, tor_job_monitor_place(job, m),
                            "monitor %s: the run ended at %.4g fs, before %d of its %d times: nothing was recorded "
                            "there",
                            m->name, (double)steps * grid->dt / TOR_FS, late, m->ntime);
  }
  tor_like_warnings_log(&after);
}

/* A build without cairo. */
static void note_pictures(const struct tor_job *job) {
  int wanted = 0;
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    const int spectrum = tor_monitor_is_plane(m) || m->kind == TOR_FLUX_BOX || m->kind == TOR_CROSS_SECTION;
    wanted |= m->image || (spectrum && m->nwavelength > 2);
  }
  if (wanted && !tor_image_version()) tor_log_note("pictures are left out: this build has no cairo");
}

void tor_job_warnings_log(const struct tor_job *job, const struct tor_grid *grid) {
  tor_job_mistakes_log(job, grid);
  warn_ranges(job);
  look(job, warn_index);
  struct tor_known_errors known;
  tor_known_errors_find(job, grid, &known);
  tor_known_errors_log(&known, job);
  look(job, warn_wavelength);
  warn_charges(job);
  look(job, warn_cells);
  tor_dipole_warnings_log(job, grid);
  tor_guide_warnings_log(job, grid);
  warn_decay(job);
  warn_until(job);
  warn_faces(job, grid);
  warn_fluxes(job, grid);
  warn_walls(job, grid);
  warn_layers(job, grid);
  warn_chi2(job);
  warn_cylinder(job, grid);
  tor_tilt_warnings_log(job, grid);
  warn_times(job, grid);
  warn_energy(job, grid);
  warn_probes(job, grid);
  warn_records(job);
  warn_cross_sections(job);
  note_pictures(job);
  tor_job_notes_log(job, grid);
}
