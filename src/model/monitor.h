/* Monitors: their points, their sampling times, and the evaluation of their samples.
 *
 * A monitor is a list of patches, boxes of points of one component; the tower copies or transforms a patch's values
 * when it visits them (struct tor_record). Fourier transforms are F(w) = sum f(t) exp(+i w t) dt, in double precision.
 */
#ifndef TOR_SRC_MODEL_MONITOR_H
#define TOR_SRC_MODEL_MONITOR_H

#include <complex.h>

#include "diamond/core/slab.h"
#include "src/job/grid.h"
#include "src/model/source.h"

struct tor_patch {
  int comp;
  int first[3], count[3]; /* indices of the component's points */
  tor_gidx offset;        /* first point in the group; points [x][y][z] */
};

/* A plane whose flux is measured: patches E_b, E_c, H_b, H_c, with axis, b, c cyclic. Along the axis E has the plane's
 * node, H the points on both sides; where it is wide (order 4) each has one more at either end. Of modes where there
 * may be surface nodes a fifth follows, E along the axis half a cell to both sides. */
struct tor_flux_plane {
  int axis, sign; /* sign: of the outward normal, or of the direction that counts as positive */
  int node;
  int lo[3], hi[3]; /* nodes */
  int wide;
  int patch; /* first of its four patches */
};

struct tor_recorder {
  const struct tor_monitor *spec;
  int group; /* index into the slab's groups, -1: none (energy, snapshot) */
  int npatch;
  struct tor_patch *patch;
  int nplane;
  struct tor_flux_plane
      *plane; /* flux: 1; flux box, far field: up to 6; cross-section: the outer box's, then the inner's */
  int nouter; /* cross-section: planes of the outer box */
  int medium; /* orders, far field: at the planes */
  int nfreq;
  double *omega; /* [nfreq], rad/s */
  int every;     /* steps between samples */
  int nsample;   /* slice: sample steps, rising */
  tor_gidx *sample_step;
};

struct tor_monitors {
  const struct tor_grid *grid;
  int count;
  struct tor_recorder *recorder;
  int ngroup;
  struct tor_record_group *group; /* used by the slab */
  int imaginary;                  /* Bloch walls: so many groups further are those of the fields' imaginary parts */
  tor_gidx steps;                 /* longest run */
  int energy_every;               /* steps between sums of the energy, 0: never */
  int capacity;                   /* steps the tables hold */
  int **sample;                   /* [ngroup][capacity] */
  double **phase;                 /* [ngroup][capacity][2][2][nfreq] */
};

/* steps: the longest run. Takes no memory for samples yet. Faults: a flux plane on the domain's wall, a cross-section
 * whose boxes do not fit. job, grid must outlive it. */
struct tor_monitors *tor_monitors_new(const struct tor_job *job, const struct tor_grid *grid,
                                      const struct tor_sources *sources, tor_gidx steps, struct tor_faults *faults);
void tor_monitors_free(struct tor_monitors *monitors);
/* Steps between the energy sums that the monitors, run.decay and run.until need, 0: never. */
int tor_monitors_energy_every(const struct tor_job *job, const struct tor_grid *grid);

/* Cells along an axis between the flux boxes of a cross-section and the total-field box. */
int tor_monitor_margin(const struct tor_monitor *monitor, const struct tor_grid *grid, int axis);

typedef void tor_record_add(void *context, int ix, int iy, int comp, const struct tor_record *entry);
/* The same for each record of all monitors. */
double tor_monitors_record(const struct tor_monitors *monitors, const struct tor_column_block *in, tor_record_add *add,
                           void *context);

/* Allocates all accumulators; until then the monitors' sizes are known, but they cannot run. */
void tor_monitors_allocate(struct tor_monitors *monitors);

/* Bytes of all accumulators, and of the time series among them. */
double tor_monitors_bytes(const struct tor_monitors *monitors, double *series);
/* Bytes of the largest copy of values made to write them: a probe's table, a picture, or rows of results.h5. */
double tor_monitors_copies(const struct tor_monitors *monitors);
/* Bytes of the largest monitor's Fourier sums. */
double tor_monitors_largest(const struct tor_monitors *monitors);
/* Number of values of the transforms' points at the samples of a stage: at most the result + steps *each_step. */
double tor_monitors_recorded(const struct tor_monitors *monitors, double *each_step);

/* Sign by which the value of a patch's point is the recorded one, which lies in the other half of a symmetric domain;
 * ix, iy, iz count from the patch's corner. */
int tor_patch_sign(const struct tor_grid *grid, const struct tor_patch *patch, int ix, int iy, int iz);

/* --- monitor_samples.c --- */
/* The most steps between the samples of a transform such that no frequency of the sources aliases to one of the
 * monitor's. */
int tor_monitor_every(const struct tor_job *job, const struct tor_grid *grid, const struct tor_monitor *monitor);
/* Begin of a record of resonances [s]: as given, or the sources' end; INFINITY: one does not end. */
double tor_monitor_from(const struct tor_monitor *monitor, const struct tor_job *job);
/* Sets when a recorder and its group record, and which way. */
void tor_recorder_set_samples(const struct tor_monitors *monitors, struct tor_recorder *recorder,
                              const struct tor_job *job, struct tor_record_group *group);
/* Fills the groups' sample and phase tables for a stage. */
void tor_monitors_prepare(struct tor_monitors *monitors, const struct tor_stage *stage);
/* Samples that a series group has taken after `steps` steps. */
int tor_recorder_samples(const struct tor_recorder *recorder, tor_gidx steps);
/* The same of every group, 0 for those of Fourier sums: samples[ngroup]. */
void tor_monitors_samples(const struct tor_monitors *monitors, tor_gidx steps, int *samples);

/* --- monitor_spectrum.c --- */
/* The factor on samples at time t [s] in the monitor's spectra: 1 in its window, exp(-(t / rise)^2) before and after.
 */
double tor_window_value(const struct tor_monitor *monitor, double t);
/* Value of one point of a patch in a series' sample [V/m or A/m]; ix, iy, iz count from the patch's corner. Real
 * fields: without an imaginary part. */
double complex tor_recorder_value(const struct tor_monitors *monitors, const struct tor_recorder *recorder,
                                  const struct tor_patch *patch, int ix, int iy, int iz, int sample);
/* Its real part. */
double tor_recorder_sample(const struct tor_monitors *monitors, const struct tor_recorder *recorder,
                           const struct tor_patch *patch, int ix, int iy, int iz, int sample);
/* Spectrum of one point of a patch [V/m/Hz or A/m/Hz]. */
double complex tor_recorder_spectrum(const struct tor_monitors *monitors, const struct tor_recorder *recorder,
                                     const struct tor_patch *patch, int ix, int iy, int iz, int freq);
/* Spectrum of a probe's component from its time series after `steps` steps, same units. */
double complex tor_probe_spectrum(const struct tor_monitors *monitors, const struct tor_recorder *recorder,
                                  const struct tor_patch *patch, tor_gidx steps, int freq);
/* Power spectrum through planes [first, last): Re(E x H*) summed over the area [J/Hz], along each plane's sign. */
double tor_recorder_flux(const struct tor_monitors *monitors, const struct tor_recorder *recorder, int first, int last,
                         int freq);
/* The energy spectrum that a decay rate's dipole gives off [J/Hz], -Re(E I l*) at its place with the weights of its
 * current (of a magnetic one H, M): of the whole scene where it lies on mirrors. moment: its spectrum
 * (tor_source_spectrum). */
double tor_recorder_work(const struct tor_monitors *monitors, const struct tor_recorder *recorder,
                         const struct tor_source *source, double complex moment, int freq);
/* Area of a flux plane [m^2]; in 2-D a length. */
double tor_plane_area(const struct tor_grid *grid, const struct tor_flux_plane *plane);
/* Factor from a stored value to V/m or A/m, of a component's point. */
double tor_component_scale(const struct tor_grid *grid, int comp, const int at[3]);

#endif
