/* Warnings about valid jobs: see job_warnings.h. */
#include "src/model/job_warnings.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/files/log.h"
#include "io/image/image.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/model/job_mistakes.h"
#include "src/model/job_notes.h"
#include "src/model/layer_media.h"
#include "src/model/monitor.h"
#include "src/model/source.h"

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
        tor_log_warning("monitor %s: wavelength %g nm is outside the range of the data of \"%s\", %g to %g nm",
                        job->monitors[i].name, w / TOR_NM, medium->name, medium->range[0] / TOR_NM,
                        medium->range[1] / TOR_NM);
        return;
      }
  }
}

/* Spectra of sources that last until the run ends or longer. */
static void warn_time(const struct tor_job *job) {
  if (!has_spectra(job)) return;
  for (int i = 0; i < job->nsources; i++) {
    const double end = tor_profile_end(&job->sources[i].profile);
    if (end <= job->run_time) continue;
    if (isinf(end))
      tor_log_warning(
          "source %s is continuous: spectra depend on when the run ends, and are meaningful only at its wavelength",
          job->sources[i].name);
    else
      tor_log_warning("run.time_fs = %g ends before source %s does, at %g fs: spectra are cut off",
                      job->run_time / TOR_FS, job->sources[i].name, end / TOR_FS);
    return;
  }
}

/* A wavelength that the sources do not excite: spectra there are quotients of rounding errors. */
static int warn_wavelength(const struct tor_job *job, const struct tor_monitor *monitor, double wavelength) {
  const double least = job->precision == TOR_F32 ? 1e-3 : 1e-6;
  double level = 0;
  for (int i = 0; i < job->nsources; i++) level = fmax(level, tor_profile_level(&job->sources[i].profile, wavelength));
  if (!job->nsources || level >= least) return 0;
  tor_log_warning("monitor %s: at %g nm the sources have %.1e of their peak amplitude: the result there is mostly "
                  "error; need a wider band",
                  monitor->name, wavelength / TOR_NM, level);
  return 1;
}

/* A dipole whose current has a mean leaves charges, whose field stays. */
static void warn_charges(const struct tor_job *job) {
  static const double LARGE = 1e-8;
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    if (s->kind == TOR_PLANE_WAVE) continue;
    const double mean = tor_profile_mean(&s->profile);
    struct tor_profile whole = s->profile;
    whole.zero_mean = 0;
    if (mean > LARGE)
      tor_log_warning(
          "source %s: its current has a mean (%.1e of its spectrum's peak) and leaves static charges, which "
          "affect near fields, spectra and run.decay; need %s",
          s->name, mean,
          s->profile.kind == TOR_TABLE ? "a table whose time integral is zero"
                                       : "time.zero_mean = true, or phase_deg = 90");
    else if (tor_profile_mean(&whole) > LARGE)
      tor_log_note("source %s: the pulse's mean, %.1e of its spectrum's peak, is taken away (time.zero_mean = false "
                   "keeps it)",
                   s->name, tor_profile_mean(&whole));
  }
}

/* The longest edge of a cell; nothing varies along an axis of one cell. */
static double longest_edge(const struct tor_job *job) {
  double edge = 0;
  for (int a = 0; a < 3; a++)
    if (job->size[a] >= 1.5 * job->cell[a]) edge = fmax(edge, job->cell[a]);
  return edge;
}

/* Cells a wavelength inside the media of the scene. */
static int warn_cells(const struct tor_job *job, const struct tor_monitor *monitor, double wavelength) {
  enum { FEWEST = 8 };
  for (int i = -1; i < job->nobjects; i++) {
    const struct tor_medium *m = &job->media[i < 0 ? job->background : job->objects[i].medium];
    for (int a = 0; a < 3; a++) {
      const double omega = 2 * TOR_PI * TOR_C0 / wavelength;
      const double n = creal(csqrt(tor_medium_permittivity(m, a, omega) * tor_medium_permeability(m, a, omega)));
      const double cells = wavelength / (n * longest_edge(job));
      if (cells >= FEWEST) continue; /* infinite in a domain of one cell */
      tor_log_warning("monitor %s: at %g nm, in \"%s\" (index %.3g) a wavelength has %.1f cells, too few for results "
                      "within some percent; need %d or more",
                      monitor->name, wavelength / TOR_NM, m->name, n, cells, FEWEST);
      return 1;
    }
  }
  return 0;
}

/* An object that reaches through a face of a wave's total-field box, by more than half a cell: the incident field there
 * is that of the background. A layer along z is a part of it. */
static int is_crossed(const struct tor_grid *g, const struct tor_source *wave, const struct tor_object *o, int face) {
  const int axis = face / 2;
  const double half = 0.5 * g->d[axis], at = face % 2 ? wave->hi[axis] : wave->lo[axis];
  const double wall = face % 2 ? g->lo[axis] + g->n[axis] * g->d[axis] - half : g->lo[axis] + half;
  double lo[3], hi[3];
  tor_object_bounds(o, lo, hi);
  if (face % 2 ? at >= wall : at <= wall) return 0; /* no face */
  for (int a = 0; a < 3; a++)
    if (a == axis ? lo[a] > at - half || hi[a] < at + half : lo[a] > wave->hi[a] || hi[a] < wave->lo[a]) return 0;
  return 1;
}

static void warn_faces(const struct tor_job *job, const struct tor_grid *g) {
  for (int i = 0; i < job->nsources; i++)
    for (int k = 0; k < job->nobjects; k++) {
      const struct tor_source *wave = &job->sources[i];
      const struct tor_object *o = &job->objects[k];
      if (wave->kind != TOR_PLANE_WAVE || (o->shape == TOR_LAYER && o->axis == TOR_Z)) continue;
      for (int face = 0; face < TOR_NFACE; face++)
        if (is_crossed(g, wave, o, face)) {
          tor_log_warning("source %s: objects[%d] of \"%s\" reaches through the %s face of the total-field box, "
                          "whose incident field does not include it: "
                          "the face radiates; need a box that contains it, or a \"layer\" along z",
                          wave->name, k, job->media[o->medium].name, tor_face_name(face));
          return;
        }
    }
}

/* A probe whose samples are too far apart for its spectrum. */
static void warn_probes(const struct tor_job *job, const struct tor_grid *g) {
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    if (m->kind != TOR_PROBE || !m->nwavelength) continue;
    const int most = tor_monitor_every(job, g, m);
    if (m->every > most)
      tor_log_warning("monitor %s: every = %d steps undersamples: source frequencies alias; use every <= %d", m->name,
                      m->every, most);
  }
}

/* A cross-section measures the power of all sources. */
static void warn_cross_sections(const struct tor_job *job) {
  for (int i = 0; i < job->nmonitors && job->nsources > 1; i++)
    if (job->monitors[i].kind == TOR_CROSS_SECTION)
      tor_log_warning("monitor %s: the job has other sources than the plane wave, and their power is included in the "
                      "cross-sections",
                      job->monitors[i].name);
}

/* How far x lies within the absorbing layer at a face, in cells; at most 0 outside. */
static double depth_in_layer(const struct tor_grid *g, int face, double x) {
  const int axis = face / 2;
  const double from_wall = (face % 2 ? g->lo[axis] + g->n[axis] * g->d[axis] - x : x - g->lo[axis]) / g->d[axis];
  return tor_boundary_layer(&g->face[face]) ? tor_boundary_layer(&g->face[face]) - from_wall : 0;
}

/* Whether the cells around a dipole's grid points have two media, one of them with poles. */
static int is_on_surface(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s) {
  const int comp = (s->kind == TOR_MAGNETIC_DIPOLE ? TOR_HX : TOR_EX) + s->polarisation;
  int first = -1, others = 0, poles = 0;
  for (int corner = 0; corner < 27; corner++) {
    const int place[3] = {corner % 3, corner / 3 % 3, corner / 9};
    double x[3], weight[2];
    for (int a = 0; a < 3; a++) {
      int at[2], n = tor_grid_between(g, comp, a, s->position[a], at, weight);
      const double lo = tor_grid_place(g, comp, a, at[0]) - 0.499 * g->d[a],
                   hi = tor_grid_place(g, comp, a, at[n - 1]) + 0.499 * g->d[a];
      x[a] = lo + 0.5 * place[a] * (hi - lo);
    }
    const int m = tor_job_medium_at(job, x);
    if (first < 0) first = m;
    others |= m != first;
    poles |= job->media[m].npoles > 0;
  }
  return others && poles;
}

/* Whether a PEC shorts the whole current: an electric one along the wall, a magnetic one across it. */
static int is_shorted(const struct tor_grid *g, const struct tor_source *s, int face) {
  const int h = s->kind == TOR_MAGNETIC_DIPOLE, axis = face / 2, comp = (h ? TOR_HX : TOR_EX) + s->polarisation;
  int at[2];
  double weight[2];
  if (tor_comp_half(comp, axis) || g->face[face].wall == TOR_PMC) return 0;
  return tor_grid_between(g, comp, axis, s->position[axis], at, weight) == 1 && at[0] == (face % 2 ? g->n[axis] : 0);
}

/* Whether an object with poles has bounds less than `most` cells from a dipole, or the background has poles. */
static int may_be_near(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s, int most) {
  int near = job->media[job->background].npoles > 0;
  for (int i = 0; i < job->nobjects && !near; i++) {
    double lo[3], hi[3];
    if (!job->media[job->objects[i].medium].npoles) continue;
    tor_object_bounds(&job->objects[i], lo, hi);
    near = 1;
    for (int a = 0; a < 3; a++)
      near &= lo[a] < s->position[a] + most * g->d[a] && hi[a] > s->position[a] - most * g->d[a];
  }
  return near;
}

/* Distance of a dipole from the nearest medium with poles, to about half a cell; up to `most` [cells]. */
static double cells_to_metal(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s,
                             int most) {
  double nearest = most;
  if (!may_be_near(job, g, s, most) || job->media[tor_job_medium_at(job, s->position)].npoles) return nearest;
  for (int i = -2 * most; i <= 2 * most; i++)
    for (int j = -2 * most; j <= 2 * most; j++)
      for (int k = -2 * most; k <= 2 * most; k++) {
        const double cells = 0.5 * sqrt((double)i * i + (double)j * j + (double)k * k);
        const double x[3] = {s->position[0] + 0.5 * i * g->d[0], s->position[1] + 0.5 * j * g->d[1],
                             s->position[2] + 0.5 * k * g->d[2]};
        if (cells < nearest && job->media[tor_job_medium_at(job, x)].npoles) nearest = cells;
      }
  return nearest;
}

/* Dipoles with the same fault: the first one, and how many there are. */
enum dipole_fault { IN_METAL, ON_SURFACE, NEAR_METAL, ON_WALL, IN_LAYER, NDIPOLE_FAULT };
struct dipole_faults {
  int count[NDIPOLE_FAULT];
  const char *first[NDIPOLE_FAULT];
  int face[NDIPOLE_FAULT];
  double cells;      /* of the first near a metal, from it */
  const char *metal; /* around the first inside one */
  double end;        /* where the layer around the first in one ends [m] */
};

static void add_dipole(struct dipole_faults *f, enum dipole_fault fault, const struct tor_source *s, int face) {
  if (f->count[fault]++) return;
  f->first[fault] = s->name;
  f->face[fault] = face;
}

enum { FEWEST_TO_METAL = 8 };

static void look_at_dipole(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s,
                           struct dipole_faults *found) {
  const struct tor_medium *around = &job->media[tor_job_medium_at(job, s->position)];
  if (s->kind == TOR_ELECTRIC_DIPOLE && is_on_surface(job, g, s))
    add_dipole(found, ON_SURFACE, s, 0);
  else if (creal(tor_medium_permittivity(around, 0, 2 * TOR_PI * TOR_C0 / tor_job_wavelength(job))) < 0) {
    if (!found->count[IN_METAL]) found->metal = around->name;
    add_dipole(found, IN_METAL, s, 0);
  } else if (s->kind == TOR_ELECTRIC_DIPOLE) {
    const double cells = cells_to_metal(job, g, s, FEWEST_TO_METAL);
    if (cells < FEWEST_TO_METAL && !found->count[NEAR_METAL]) found->cells = cells;
    if (cells < FEWEST_TO_METAL) add_dipole(found, NEAR_METAL, s, 0);
  }
  for (int f = 0; f < TOR_NFACE; f++)
    if (is_shorted(g, s, f))
      add_dipole(found, ON_WALL, s, f);
    else if (depth_in_layer(g, f, s->position[f / 2]) > 0) {
      const double depth = tor_boundary_layer(&g->face[f]) * g->d[f / 2];
      if (!found->count[IN_LAYER])
        found->end = f % 2 ? g->lo[f / 2] + g->n[f / 2] * g->d[f / 2] - depth : g->lo[f / 2] + depth;
      add_dipole(found, IN_LAYER, s, f);
    }
}

static void warn_dipoles(const struct tor_job *job, const struct tor_grid *g) {
  struct dipole_faults found = {0};
  char more[NDIPOLE_FAULT][48] = {"", "", "", "", ""};
  for (int i = 0; i < job->nsources; i++)
    if (job->sources[i].kind != TOR_PLANE_WAVE) look_at_dipole(job, g, &job->sources[i], &found);
  for (int k = 0; k < NDIPOLE_FAULT; k++)
    if (found.count[k] > 1) snprintf(more[k], sizeof more[k], " (the same %d times more)", found.count[k] - 1);
  if (found.count[IN_METAL])
    tor_log_warning("source %s: the dipole lies in \"%s\", which absorbs its near field at once; need a position "
                    "outside of it%s",
                    found.first[IN_METAL], found.metal, more[IN_METAL]);
  if (found.count[ON_SURFACE])
    tor_log_warning("source %s: the dipole lies in a cell on the surface of a dispersive medium, where its "
                    "effective strength differs from the given one; need a position one cell away, or smaller cells%s",
                    found.first[ON_SURFACE], more[ON_SURFACE]);
  if (found.count[NEAR_METAL])
    tor_log_warning("source %s: %.1f cells from a dispersive medium: rates of emission are too large there; need %d "
                    "cells or more between them%s",
                    found.first[NEAR_METAL], found.cells, FEWEST_TO_METAL, more[NEAR_METAL]);
  if (found.count[ON_WALL])
    tor_log_warning("source %s: the dipole lies on the conducting wall %s, which shorts it: it has no field%s",
                    found.first[ON_WALL], tor_face_name(found.face[ON_WALL]), more[ON_WALL]);
  if (found.count[IN_LAYER])
    tor_log_warning("source %s: the dipole lies in the absorbing layer at %s, which absorbs its near field; need a "
                    "place before it, which begins at %c = %g nm, better half a wavelength before%s",
                    found.first[IN_LAYER], tor_face_name(found.face[IN_LAYER]), "xyz"[found.face[IN_LAYER] / 2],
                    found.end / TOR_NM, more[IN_LAYER]);
}

/* Flux planes in absorbing layers, and at the face of a total-field box, where fields are total on one side and
 * scattered on the other. */
static void warn_plane(const struct tor_job *job, const struct tor_grid *g, const struct tor_monitor *m, int axis,
                       double x) {
  for (int e = 0; e < 2; e++)
    if (depth_in_layer(g, 2 * axis + e, x) > 0.01)
      tor_log_warning("monitor %s: the plane at %c = %g nm lies in an absorbing layer, which reduces the power",
                      m->name, "xyz"[axis], x / TOR_NM);
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    if (s->kind != TOR_PLANE_WAVE) continue;
    for (int e = 0; e < 2; e++) {
      const double face = e ? s->hi[axis] : s->lo[axis];
      int meet = fabs(face - x) < 0.5 * g->d[axis];
      for (int a = 0; a < 3; a++) meet &= a == axis || (m->lo[a] < s->hi[a] && m->hi[a] > s->lo[a]);
      if (meet)
        tor_log_warning("monitor %s: the plane at %c = %g nm lies on a face of the total-field box of %s, where fields "
                        "are total on one side only; need a "
                        "cell between them",
                        m->name, "xyz"[axis], x / TOR_NM, s->name);
    }
  }
}

static void warn_fluxes(const struct tor_job *job, const struct tor_grid *g) {
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    if (m->kind != TOR_FLUX && m->kind != TOR_FLUX_BOX) continue;
    for (int a = 0; a < 3; a++) {
      if (m->kind == TOR_FLUX && m->lo[a] < m->hi[a]) continue;
      if (m->lo[a] > g->lo[a] + 0.5 * g->d[a]) warn_plane(job, g, m, a, m->lo[a]);
      if (m->hi[a] > m->lo[a] && m->hi[a] < g->lo[a] + (g->n[a] - 0.5) * g->d[a]) warn_plane(job, g, m, a, m->hi[a]);
    }
  }
}

/* Flux boxes with sides on walls: those are left out, correctly at mirrors, which no power crosses. */
static void warn_walls(const struct tor_job *job, const struct tor_grid *g) {
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    char layers[40] = "";
    int sides = 0;
    if (m->kind != TOR_FLUX_BOX) continue;
    for (int f = 0; f < TOR_NFACE; f++) {
      const int node = tor_grid_node(g, f / 2, f % 2 ? m->hi[f / 2] : m->lo[f / 2]);
      const int inside = node > 0 && node < g->n[f / 2];
      sides += inside;
      if (!inside && tor_boundary_layer(&g->face[f]))
        snprintf(layers + strlen(layers), sizeof layers - strlen(layers), " %s", tor_face_name(f));
    }
    if (*layers)
      tor_log_warning(
          "monitor %s: the box reaches through absorbing layers to the wall at%s: no power is measured there; "
          "need a box that ends before them",
          m->name, layers);
    else if (!sides)
      tor_log_warning("monitor %s: all sides of the box lie on the domain's walls, which no power crosses", m->name);
  }
}

static tor_gidx step_of(const struct tor_grid *g, double time) { return (tor_gidx)llround(time / g->dt); }

/* Times at which nothing is recorded: before the first step, and at the same step as an earlier time. */
static void warn_times(const struct tor_job *job, const struct tor_grid *g) {
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    int early = 0, twice = 0;
    for (int k = 0; k < m->ntime; k++) {
      const tor_gidx step = step_of(g, m->time[k]);
      early += step < 1;
      twice += step >= 1 && k && step == step_of(g, m->time[k - 1]);
    }
    if (early)
      tor_log_warning("monitor %s: %d of its times, from %g fs, lie before the first time step (%.4g fs) and record "
                      "nothing: all fields are 0 there",
                      m->name, early, m->time[0] / TOR_FS, g->dt / TOR_FS);
    if (twice)
      tor_log_warning(
          "monitor %s: %d of its times fall on the time step of the one before and record nothing more; need "
          "times %.4g fs apart",
          m->name, twice, g->dt / TOR_FS);
  }
}

/* The near field of a dipole, most of which is not radiated, is by far the largest energy. */
static void warn_decay(const struct tor_job *job) {
  const double most = 1e-6;
  for (int i = 0; i < job->nsources && job->run_decay > most && has_spectra(job); i++)
    if (job->sources[i].kind != TOR_PLANE_WAVE) {
      tor_log_warning("run.decay = %.1e counts from the largest energy, which is the near field of the dipole %s, far "
                      "above what it "
                      "radiates: spectra may be cut off; need %.0e or less",
                      job->run_decay, job->sources[i].name, most);
      return;
    }
}

/* Runs shorter than the interval of the energy samples. */
static void warn_energy(const struct tor_job *job, const struct tor_grid *g) {
  const int every = tor_monitors_energy_every(job, g);
  const double steps = ceil(job->run_time / g->dt);
  if (every && every > steps)
    tor_log_warning(
        "the energy is summed every %d steps, and the run has %.0f: there is no sample to record, or for run.decay; "
        "need an \"energy\" monitor with every = %.0f or less",
        every, steps, steps);
}

/* Media that CPML may amplify. */
static void warn_layers(const struct tor_job *job, const struct tor_grid *g) {
  char faces[64] = "", why[128], first[128] = "";
  int medium = -1;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int found = tor_layer_medium(job, g, f, why, sizeof why);
    if (found < 0 || (medium >= 0 && found != medium)) continue;
    if (medium < 0) snprintf(first, sizeof first, "%s", why);
    medium = found;
    snprintf(faces + strlen(faces), sizeof faces - strlen(faces), " %s", tor_face_name(f));
  }
  if (medium >= 0)
    tor_log_warning("\"%s\" (%s) reaches into the CPML at%s, which may amplify its waves without end; let it "
                    "end before the layers, or use boundaries.default = \"absorber\", stable but less accurate "
                    "(docs/user/job-file.md, boundaries)",
                    job->media[medium].name, first, faces);
}

void tor_job_warnings_end(const struct tor_job *job, const struct tor_grid *grid, tor_gidx steps) {
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    int late = 0;
    for (int k = 0; k < m->ntime; k++) late += step_of(grid, m->time[k]) > steps;
    if (late)
      tor_log_warning("monitor %s: the run ended at %.4g fs, before %d of its %d times: nothing was recorded there",
                      m->name, (double)steps * grid->dt / TOR_FS, late, m->ntime);
  }
}

/* A build without cairo. */
static void note_pictures(const struct tor_job *job) {
  int wanted = 0;
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    const int spectrum = m->kind == TOR_FLUX || m->kind == TOR_FLUX_BOX || m->kind == TOR_CROSS_SECTION;
    wanted |= m->image || (spectrum && m->nwavelength > 2);
  }
  if (wanted && !tor_image_version()) tor_log_note("pictures are left out: this build has no cairo");
}

void tor_job_warnings_log(const struct tor_job *job, const struct tor_grid *grid) {
  tor_job_mistakes_log(job, grid);
  warn_ranges(job);
  warn_time(job);
  look(job, warn_wavelength);
  warn_charges(job);
  look(job, warn_cells);
  warn_dipoles(job, grid);
  warn_decay(job);
  warn_faces(job, grid);
  warn_fluxes(job, grid);
  warn_walls(job, grid);
  warn_layers(job, grid);
  warn_times(job, grid);
  warn_energy(job, grid);
  warn_probes(job, grid);
  warn_cross_sections(job);
  note_pictures(job);
  tor_job_notes_log(job, grid);
}
