/* The job as the user wrote it, with every default filled in. Plain data in SI units, independent of the file format.
 *
 * Coordinates have their origin at the centre of the domain. Boundary layers lie inside the domain's size. */
#ifndef TOR_SRC_JOB_JOB_H
#define TOR_SRC_JOB_JOB_H

#include "src/base/error.h"
#include "src/job/design.h"
#include "src/job/geometry.h"
#include "src/job/material.h"
#include "src/job/sheet.h"
#include "src/job/thin_sheet.h"
#include "src/base/types.h"

struct tor_boundary {
  enum tor_wall wall;
  int cells;    /* CPML, absorber: thickness in cells (default 10; those of the longest wavelength) */
  double grade; /* CPML, absorber: order of the polynomial profile (default 3) */
  double sigma; /* CPML: factor on the optimal conductivity 0.8 (grade+1) / (eta dx) (default 1); absorber: factor on
                   the damping of src/model/pml.h (default 1) */
  double kappa; /* CPML: largest stretching (default 1) */
  double alpha; /* CPML: complex-frequency shift at the inner side, in units of the first source's centre frequency
                   (default 0.05) */
  double given; /* the thickness in the job file that became these cells [m]; 0: none */
};

/* Cells of the absorbing layer at a face, 0 where there is none. */
static inline int tor_boundary_layer(const struct tor_boundary *b) {
  return b->wall == TOR_CPML || b->wall == TOR_ABSORBER ? b->cells : 0;
}

/* Time profile of a source. t = 0 is the start of the run. */
enum tor_profile_kind { TOR_PULSE, TOR_CONTINUOUS, TOR_TABLE };
struct tor_profile {
  enum tor_profile_kind kind;
  double wavelength; /* pulse: centre; continuous: the wavelength [m, vacuum] */
  double band;       /* pulse: width in wavelength [m] over which the amplitude spectrum stays above 1/e of its peak */
  double delay;      /* extra delay of the start [s] (default 0) */
  double rise;       /* continuous: length of the smooth start [s] */
  double phase;      /* [rad] */
  int zero_mean;     /* pulse: less the multiple of its envelope that makes its time integral zero (default: dipoles) */
  double amplitude;  /* plane wave: E [V/m]; electric dipole: current moment I l [A m]; magnetic: [V m]. Default 1 */
  char *file;        /* table: two columns, time [fs] and value; owned */
  int count;         /* table, as read */
  double *time, *value; /* [count], owned; time in [s], strictly rising; linear between, 0 outside */
};

enum tor_source_kind {
  TOR_PLANE_WAVE,
  TOR_ELECTRIC_DIPOLE,
  TOR_MAGNETIC_DIPOLE,
  TOR_MODE_SOURCE,
  TOR_BEAM,
  TOR_FIELD_SOURCE
};
struct tor_source {
  enum tor_source_kind kind;
  char *name;
  struct tor_profile profile;
  double lo[3], hi[3]; /* plane wave: the total-field box; sides at or beyond the domain's walls are left open. Mode,
                          beam: the plane, lo == hi along its axis */
  int axis, direction; /* plane wave, mode, beam: travels along axis, direction +1 or -1 */
  int polarisation;    /* plane wave: axis of E; dipoles: axis of the moment */
  int oblique;         /* plane wave, beam: its direction is given by angles; axis, direction: of a plane wave the
                          largest part of it */
  double angle[3];     /* oblique: theta, phi, psi as given [degrees]; in 2-D phi alone */
  double travel[3];    /* oblique, beam: direction of travel, a unit vector; of a plane wave the grid has one near it
                          (oblique_line.h) */
  double across[3];    /* oblique, beam: of E, a unit vector */
  int periodic;        /* oblique plane wave: the cell is periodic along all axes but `axis`; its wave numbers along
                          these are those of the walls (job.phase), and all sides of its box there are open */
  double angle_at;     /* periodic: the wavelength at which it has these angles [m, vacuum]; 0: profile.wavelength */
  int circular;        /* oblique: 0; 1: left (E turns counter-clockwise for one whom the wave reaches), -1: right */
  double focus[3];     /* beam: the middle of its waist [m] */
  double waist[2]; /* beam: radii where the amplitude has fallen to 1/e, in the planes of their narrowest place [m] */
  double waist_angle;            /* beam: of the first radius, from E towards direction x E [degrees] */
  double astigmatism;            /* beam: how far behind the focus the second radius is narrowest [m] */
  double position[3];            /* dipoles */
  int mode;                      /* mode: its number, from 0 on, of those near the target, by falling index */
  double target;                 /* mode: index near which it is; 0: the largest in the plane */
  struct tor_field_file *fields; /* fields: those of its file; owned */
  int as_is;                     /* fields: on the grid's own points, not split into waves */
  struct tor_sheet *sheet; /* mode, beam, fields: the fields, found before a run (src/modes/plane_sources.h); NULL until
                              then. Owned */
};
static inline int tor_source_is_dipole(const struct tor_source *source) {
  return source->kind == TOR_ELECTRIC_DIPOLE || source->kind == TOR_MAGNETIC_DIPOLE;
}
/* Whether the source's fields are those of a sheet (sheet.h). */
static inline int tor_source_has_sheet(const struct tor_source *source) { return source->kind >= TOR_MODE_SOURCE; }

/* What a picture shows: a component, or what the three of a field have together at the centres of cells. */
enum tor_picture_of {
  TOR_PICTURE_VALUE,     /* a component at a time */
  TOR_PICTURE_AMPLITUDE, /* the modulus of a component's spectrum */
  TOR_PICTURE_REAL,
  TOR_PICTURE_PHASE,
  TOR_PICTURE_E,         /* sqrt(|Ex|^2 + |Ey|^2 + |Ez|^2) */
  TOR_PICTURE_H,         /* sqrt(|Hx|^2 + |Hy|^2 + |Hz|^2) */
  TOR_PICTURE_INTENSITY, /* |Ex|^2 + |Ey|^2 + |Ez|^2 */
  TOR_PICTURE_ABSORPTION /* of monitors of that kind: absorbed power per volume */
};

enum { TOR_MOST_PORTS = 999 };
enum tor_monitor_kind {
  TOR_PROBE,         /* time series and spectrum of the chosen components at the points nearest to a position */
  TOR_FIELD_DFT,     /* Fourier transform of the chosen components in a plane or box */
  TOR_FLUX,          /* spectrum of the power through a plane, positive along its normal axis [J/Hz] */
  TOR_FLUX_BOX,      /* the same out of a closed box */
  TOR_CROSS_SECTION, /* scattering, absorption, extinction of the objects inside the plane wave's total-field box */
  TOR_ENERGY,        /* energy in the domain against time */
  TOR_SLICE,         /* one component in a plane at given times */
  TOR_SNAPSHOT,      /* components in a box at given times, each written when its time is reached */
  TOR_ORDERS,        /* diffraction orders through a plane across a periodic cell */
  TOR_FAR_FIELD,     /* what a closed box or a plane radiates to infinity, against angles */
  TOR_MODE,          /* what guided modes carry through a plane, both ways; the flux, too */
  TOR_DECAY_RATE,    /* the power that a dipole gives off, from the field at its place */
  TOR_RESONANCES,    /* decaying oscillations in the chosen components at a place, after the sources' end */
  TOR_ABSORPTION,    /* what media absorb in a box: a map, and sums by medium and object */
  TOR_FORCE,         /* force on what a closed box holds, by the stress tensor */
  TOR_MULTIPOLE,     /* what a closed box radiates, by multipoles */
  TOR_MODE_VOLUME,   /* volume of the mode that a box holds */
  TOR_PERMITTIVITY,  /* the permittivity that the run has in a box */
  TOR_ENERGY_DENSITY /* energies of E and H in a box: maps and sums */
};
struct tor_monitor {
  enum tor_monitor_kind kind;
  char *name;
  double lo[3], hi[3]; /* box; a plane has lo == hi along one axis; a probe has lo == hi */
  unsigned components; /* bit 1 << tor_comp */
  int nwavelength;
  double *wavelength; /* [nwavelength], owned [m, vacuum] */
  int ntime;
  double *time;       /* slice, snapshot: [ntime], owned [s] */
  double period;      /* snapshot: time between those of `time`, which end with the run [s]; 0: as they are listed */
  int every;          /* probe: steps between samples (default 1); energy: steps between samples, 0: automatic */
  double position[3]; /* multipoles: about it [m] */
  double radius; /* cross-section, force, multipoles: radius for the efficiencies Q = C / (pi radius^2) [m]; 0: none, C
                    only */
  double margin; /* cross-section: distance of the flux boxes from the total-field box, in cells (default 2 outside, 2
                    inside) */
  double distance;               /* cross-section: the same as a length [m], rounded to whole cells; 0: margin */
  int axis;                      /* orders, mode: across the plane */
  int count;                     /* mode: modes at each wavelength; resonances: the most */
  double band[2];                /* resonances: between these wavelengths, the shorter one first [m, vacuum] */
  double from;                   /* resonances: begin of the record [s]; NaN: the sources' end */
  double target;                 /* mode: index near which they are; 0: the largest in the plane */
  int windowed;                  /* whether spectra are of a part of the time alone */
  double window[3];              /* that part's begin and end, and the width of its flanks [s] (tor_window_value) */
  int port, port_mode;           /* mode: number of the port, 0: it is none; which of the modes it is of */
  int into;                      /* port: 1, -1: waves that enter go along the axis, against it */
  char *source;                  /* port: name of the source that drives it, NULL: none. Owned */
  double reference;              /* mode: where along the axis phases are given [m]; NaN: at the plane's node */
  int ntheta, nphi;              /* far field: directions, each theta with each phi; 2-D: ntheta = 0 */
  double *theta;                 /* [ntheta], owned; from the user's z axis [rad] */
  double *phi;                   /* [nphi], owned; from x to y [rad] */
  double seen_lo[3], seen_hi[3]; /* far field: a plane in space on which fields are given [m] */
  double seen_step;              /* between its points [m]; 0: there is none */
  int towards;         /* far field: the half space of a grid of direction cosines, 2 (user's axis) + 1 up; -1: none */
  double cosine_limit; /* their largest modulus */
  double cosine_step;
  int dipole;              /* decay rate: of sources */
  struct tor_source *beam; /* flux: the beam whose part it measures, without a time profile; NULL: none. Owned */
  int image;               /* slice, field, snapshot, far field: also write PNG */
  unsigned image_of;       /* what they show: bits 1 << tor_picture_of */
  double image_limit; /* the colours end at this value; 0: each picture's largest; below 0: its 99.5th percentile */
  int image_log;      /* whether their scale is logarithmic */
  int stride[3];      /* snapshot: every so many points along each axis */
  int compression;    /* snapshot: deflate level, 0: none */
};

/* Whether a monitor measures the flux through one plane. */
static inline int tor_monitor_is_plane(const struct tor_monitor *m) {
  return m->kind == TOR_FLUX || m->kind == TOR_MODE;
}

/* Whether a monitor has powers that run.until waits for. */
static inline int tor_monitor_has_power(const struct tor_monitor *m) {
  return tor_monitor_is_plane(m) || m->kind == TOR_FLUX_BOX || m->kind == TOR_CROSS_SECTION || m->kind == TOR_ORDERS ||
         m->kind == TOR_FAR_FIELD || m->kind == TOR_DECAY_RATE || m->kind == TOR_FORCE || m->kind == TOR_MULTIPOLE;
}

/* Whether a monitor takes samples of fields that the run keeps. */
static inline int tor_monitor_records(const struct tor_monitor *m) {
  return m->kind != TOR_SNAPSHOT && m->kind != TOR_ENERGY && m->kind != TOR_PERMITTIVITY;
}

/* Whether a monitor records the values themselves, every so many steps. */
static inline int tor_monitor_is_series(const struct tor_monitor *m) {
  return m->kind == TOR_PROBE || m->kind == TOR_RESONANCES;
}

/* Modes of a guide, for torre modes; no result of a run depends on them. */
struct tor_mode_job {
  double lo[3], hi[3]; /* the plane: lo == hi along exactly one axis; sides at or beyond walls end there */
  int nwavelength;     /* 0: the job has no modes */
  double *wavelength;  /* [nwavelength], owned [m, vacuum] */
  int count;           /* modes at each wavelength */
  double target;       /* index near which they are; 0: the largest in the plane */
  int core;            /* medium of the core; -1: that of the largest index in the plane */
  int image;           /* pictures too */
};

/* Named corners of paths of wave vectors, in units of 2 pi over the period of each axis: src/job/job_read_bands.c. */
#define TOR_ZONE_POINTS "Gamma X Y Z M S T U R"

/* A band structure, for torre bands; no result of a run depends on it. In the user's axes. */
struct tor_band_job {
  int ncorners;        /* of the path; 0: the job has no bands */
  double (*corner)[3]; /* [ncorners], owned [2 pi / period] */
  int *name;           /* [ncorners], owned: which of TOR_ZONE_POINTS, -1: none */
  int points;          /* between two corners */
  double band[2];      /* lowest and highest frequency [c / period] */
  double period;       /* [m] */
  int count, runs;     /* bands, at most; runs at each wave vector */
  double tolerance;    /* largest error over frequency */
  double least_q;
};

/* Dipoles of which none knows of the others, for torre study ensemble; no result of a run depends on it. In the user's
 * axes. */
struct tor_ensemble_job {
  int given;           /* 0: the job has none */
  int source;          /* the dipole, of sources */
  double lo[3], hi[3]; /* where they are [m] */
  int count[3];        /* parts of the box along each axis, a dipole in each */
  int random;          /* whether at random in it; else in its middle */
  double weight[3];    /* of moments along the axes; 0: not run */
  int seed;
};

struct tor_schedule {
  enum tor_engine_kind engine;
  enum tor_device_kind device;
  int devices;          /* GPUs of each process, a rank for each */
  int dts;              /* half-width of the tile in reaches of the stencil; 0: chosen by the plan */
  int th;               /* steps of a stage; 0: chosen by the plan */
  double device_memory; /* bytes of a GPU's memory that may be used; 0: all free memory */
  double host_memory;   /* the same of a machine's memory */
  char *disk;           /* folder for the columns of a job that is larger; NULL or "": none. Owned */
  double disk_rate;     /* bytes a second that are moved there at most; 0: as fast as the disk is */
  int threads;          /* 0: all */
  int ranks[2];         /* processes along x and y; 0: chosen when the run starts */
};

/* When the state of a run is saved (docs/user/restart.md). */
struct tor_saving {
  double minutes; /* of wall time between checkpoints, 0: not by time */
  tor_gidx steps; /* between checkpoints, 0: not by steps */
  int keep;       /* the checkpoints stay after a run that ended well */
};

/* Where a setting is given: a line of the job file, or an override. */
struct tor_job_key {
  char *key; /* "grid.size", "monitors[2]"; owned */
  long line;
  char *set; /* of the override; owned, NULL: none */
};

/* Objects of one element of the job file's list: copies, in painting order along x, then y, z; or those of a file. */
struct tor_repeat {
  int first;                /* index of the first one */
  int count[3];             /* of a file's: their number, 1, 1 */
  double pitch[3];          /* [m] */
  const char *from;         /* what file they are of: "table", "gds"; NULL: they are copies */
  char *file;               /* its name as given, owned */
  uint64_t contents;        /* of what is read from it, a number that changes with it */
  int nshapes;              /* of which each object is a copy; gds: a prism without vertices, with their ends */
  struct tor_object *shape; /* [nshapes], owned */
};

/* In place of an angular number m: the two kinds of fields of m = 0. TM: E along r and z, H along phi; TE: E along phi,
 * H along r and z. */
enum tor_m0 { TOR_M0_TM = -1, TOR_M0_TE = -2 };

struct tor_object_bins;
struct tor_job {
  char *path;         /* of the job file */
  int format_version; /* as given (job_format.h); 0: not */
  char *title;
  char *output;         /* results folder */
  double length_unit;   /* [m] */
  enum tor_plane plane; /* a 2-D job */
  int angular;          /* cylindrical coordinates about the user's z, fields of this angular number, or one of
                         * enum tor_m0, of m = 0 (cylindrical.h); 0: Cartesian */
  int turn;             /* axis a of this job is axis (a + turn) % 3 of the user's: src/job/turn.h */
  double size[3];       /* of the domain [m] */
  double cell[3];       /* [m]; the model rounds size to whole cells */
  double cell_given[3]; /* as the job file has it: along a periodic axis a period is whole cells, which are smaller */
  double *nodes[3]; /* graded axes: places of the nodes from wall to wall [nnode], owned [m]; NULL: cell (graded.h) */
  int nnode[3];
  int order; /* 2 or 4 */
  enum tor_precision precision;
  double courant;  /* fraction of the order's Courant limit */
  int symmetry[3]; /* across the middle of the domain: 1 even, -1 odd, 0 none (struct tor_grid) */
  enum tor_averaging averaging;
  int averaging_is_open;        /* the job leaves it to tor_averaging_read */
  const char *averaging_reason; /* why that has not chosen "tensor"; NULL: it has, or there is nothing to choose for */
  int node_media; /* media with a full tensor are used, whose polarisation is at nodes: tor_job_find_node_media */
  int samples;    /* sub-cell samples along each axis */
  int background; /* index into media */
  struct tor_boundary boundary[TOR_NFACE];
  double phase[3]; /* Bloch walls: over a period along each axis [rad]; 0: periodic */
  int nmedia;
  struct tor_medium *media;
  int nobjects;
  struct tor_object *objects;
  struct tor_object_bins *bins; /* of the objects as they were read (object_bins.h), owned; NULL: none */
  int nrepeats;
  struct tor_repeat *repeats; /* [nrepeats], in the order of the objects */
  int ndesigns;
  struct tor_design *designs; /* in painting order, over all objects */
  int nsheets;
  struct tor_thin_sheet *sheets;
  int nsources;
  struct tor_source *sources;
  int nmonitors;
  struct tor_monitor *monitors;
  struct tor_mode_job modes;
  struct tor_band_job bands;
  struct tor_ensemble_job ensemble;
  double run_time;  /* the longest simulated time [s] */
  double run_until; /* stop when powers are known to this part of the largest (settling.h); 0: run to run_time */
  double run_decay; /* stop when the energy is below this fraction of its largest value; 0: run to run_time */
  double tolerance; /* of spectra of power, by energy left, a source cut off or layers; 0: not known */
  struct tor_schedule schedule;
  struct tor_saving checkpoint;
  int nplaces; /* of groups, lists, their elements and the keys in groups */
  struct tor_job_key *places;
};

void tor_job_free(struct tor_job *job);

/* The place of a setting, for a fault or a warning about it; of one that is not given, with its group's line if there
 * is one. format: the key, as in struct tor_job_key. It belongs to the thread, until its next call of one of the three.
 */
const struct tor_place *tor_job_place(const struct tor_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The places of a source and of a monitor, with their names. */
const struct tor_place *tor_job_source_place(const struct tor_job *job, const struct tor_source *source);
const struct tor_place *tor_job_monitor_place(const struct tor_job *job, const struct tor_monitor *monitor);

/* The job as run, all defaults filled in, as JSON (one object). */
void tor_job_write_json(const struct tor_job *job, FILE *out, int indent);
/* The same in memory, without the names of the files that it was read from: to be freed. Ends the run when memory is
 * short. */
char *tor_job_text(const struct tor_job *job, size_t *bytes);
uint64_t tor_job_hash(const char *text, size_t bytes);
/* The same of many values, five times as fast. */
uint64_t tor_job_hash_values(const double *value, size_t count);
/* Describes in text[size] the first line in which the texts of two jobs differ; without the names of files, title,
 * output, run.time_fs and settings that do not affect results. Returns whether there is one. */
int tor_job_difference(const char *theirs, const char *ours, char *text, size_t size);

/* The name of its rule for cut cells. */
static inline const char *tor_job_averaging(const struct tor_job *job) {
  static const char *const names[] = {"subpixel", "staircase", "tensor"};
  return names[job->averaging];
}

/* Whether surfaces have nodes (averaging "tensor"); in TM the only component of E lies along all surfaces. */
static inline int tor_job_has_surface_nodes(const struct tor_job *job) {
  return job->averaging == TOR_AVERAGE_TENSOR && job->plane != TOR_PLANE_TM;
}
/* Whether there are nodes at all: those, or of media that need them. */
static inline int tor_job_has_nodes(const struct tor_job *job) {
  return tor_job_has_surface_nodes(job) || job->node_media;
}
/* Whether a medium is the background's or an object's; not one of a design alone. */
int tor_job_uses_medium(const struct tor_job *job, int medium);
/* Whether sheets alone are made of a medium, which fills nothing. */
int tor_job_is_film_alone(const struct tor_job *job, int medium);
/* Sets node_media from the media that are used. */
void tor_job_find_node_media(struct tor_job *job);

/* Copies that a repeat stands for. */
static inline int tor_repeat_copies(const struct tor_repeat *r) { return r->count[0] * r->count[1] * r->count[2]; }
/* The place of an object in the job file's list; copies have one. */
int tor_job_object_number(const struct tor_job *job, int object);

/* The medium painted last at a point [m], as its index in job->media; in a design region of densities the nearer one.
 */
int tor_job_medium_at(const struct tor_job *job, const double x[3]);
/* The profile of the first source that has a spectrum of its own, none from a table; NULL: there is none. */
const struct tor_profile *tor_job_first_profile(const struct tor_job *job);
/* The centre of the spectrum of the first source that has one [m, vacuum]; without one, 20 cells. */
double tor_job_wavelength(const struct tor_job *job);
/* Where the amplitude spectrum of a pulse has fallen to 1/e on its long side [m, vacuum]. */
static inline double tor_pulse_longest(double wavelength, double band) { return wavelength + 0.5 * band; }
/* The longest of these among the sources, or tor_job_wavelength: what absorbers refer to. */
double tor_job_longest_wavelength(const struct tor_job *job);

#endif
