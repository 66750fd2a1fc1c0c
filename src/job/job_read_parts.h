/* Shared by the job_read*.c files alone: the reader of a job file. */
#ifndef TOR_SRC_JOB_JOB_READ_PARTS_H
#define TOR_SRC_JOB_JOB_READ_PARTS_H

#include "io/config/config.h"
#include "src/job/job.h"
#include "src/job/job_keys.h"

struct tor_job_reader {
  struct tor_config config; /* the first member: tor_job_reader_of */
  struct tor_job *job;
  size_t media_capacity, repeats_capacity;
  enum tor_plane plane; /* of the job, which is read in the user's axes and then turned (turn.h) */
  int turn;             /* by so much */
  int grid_known;       /* size, cell and boundaries are valid: checks against the domain make sense */
  int cells[3];
  double wall[3];                /* half the domain, in whole cells [m] */
  int k_of_wave;                 /* there are Bloch walls without a wave vector: that of a plane wave */
  double layer[TOR_NFACE];       /* thickness of the absorbing layer as given, by length or cells [m]; 0: none */
  struct tor_solid_file *labels; /* the file of labels that was read last: objects may have one label of it each */
};

/* The reader that owns the config of a view of a job file. */
static inline struct tor_job_reader *tor_job_reader_of(const struct tor_view *view) {
  return (struct tor_job_reader *)view->config;
}

/* grid.coordinates and grid.m: job.angular; and faults of what has no place in cylindrical coordinates, of the filled
 * job. */
void tor_job_read_coordinates(const struct tor_view *grid);
void tor_job_check_cylindrical(struct tor_job_reader *reader);
/* grid.refine: the job's nodes; boundaries and symmetry are read. */
void tor_job_read_graded(struct tor_job_reader *reader, const struct tor_view *root);
/* Faults of what is not available in a graded grid; the job is filled. */
void tor_job_check_graded(struct tor_job_reader *reader);
/* Faults "WHAT not available in WHERE, need NEED" of a filled job's parts, and those of the groups, sources and
 * monitors that graded grids and cylindrical coordinates both lack. */
struct tor_refusals {
  struct tor_job_reader *reader;
  const char *where, *need;
};
void tor_refuse(const struct tor_refusals *refusals, const config_setting_t *at, const char *key, const char *what);
void tor_refuse_common(const struct tor_refusals *refusals, const struct tor_view *root);
void tor_job_read_media(struct tor_job_reader *reader);
/* permittivity_tensor, rotate_deg, rotate_axis of a medium whose other keys are read. */
void tor_job_read_tensor(const struct tor_view *view, struct tor_medium *medium);
/* Index of the medium in job->media; built-in ones are appended when first named. Unknown ones are faults, 0. */
int tor_job_read_medium(const struct tor_view *view, const char *name);
/* Adds a medium, which the job then owns; returns its index. */
int tor_job_add_medium(struct tor_job_reader *reader, struct tor_medium medium);
void tor_job_read_objects(struct tor_job_reader *reader);
/* Design regions; media are read. */
void tor_job_read_designs(struct tor_job_reader *reader);
void tor_job_read_sheets(struct tor_job_reader *reader);
/* A growing list of objects. */
struct tor_object_list {
  struct tor_object *list;
  int count;
  size_t capacity;
};
void tor_object_list_add(struct tor_object_list *to, struct tor_object object);
/* Shapes with media of which a file has the places: one object each. */
void tor_job_read_shapes(struct tor_job_reader *reader, const config_setting_t *list, struct tor_object_list *to);
/* Shapes without media, as the parts of another have. */
void tor_job_read_parts(struct tor_job_reader *reader, const config_setting_t *list, struct tor_object_list *to);
/* The objects of a table, an element of the job's list. */
void tor_job_read_object_table(const struct tor_view *view, struct tor_object_list *to);
/* The objects of a layer of a layout, with medium, ends and sides of `like`, a prism without vertices. */
void tor_job_read_layout(const struct tor_view *view, const struct tor_object *like, struct tor_object_list *to);
/* The body of a file; without it after a fault. */
void tor_job_read_solid(const struct tor_view *view, struct tor_object *object);
/* When all objects are read. */
void tor_job_leave_labels(struct tor_job_reader *reader);
/* Adds to the job's repeats, in the order of objects. */
void tor_job_add_repeat(struct tor_job_reader *reader, struct tor_repeat repeat);
void tor_job_read_sources(struct tor_job_reader *reader);
void tor_job_read_monitors(struct tor_job_reader *reader);
/* The box of a monitor, by its kind flat or with a volume, within the domain; after the key image. */
void tor_job_read_monitor_box(const struct tor_view *view, struct tor_monitor *monitor);
/* The components of a monitor of fields: those given, else those of E that the job has. */
void tor_job_read_components(const struct tor_view *view, struct tor_monitor *monitor);
/* How the pictures of a monitor of fields are drawn, and of what; after its components. */
void tor_job_read_image(const struct tor_view *view, struct tor_monitor *monitor);
/* The keys that a snapshot or a slice has beside those of all monitors. */
void tor_job_read_snapshot(const struct tor_view *view, struct tor_monitor *monitor);
void tor_job_read_slice(const struct tor_view *view, struct tor_monitor *monitor);
void tor_job_read_modes(struct tor_job_reader *reader);
void tor_job_read_bands(struct tor_job_reader *reader);
void tor_job_read_ensemble(struct tor_job_reader *reader);
/* The dipole that the key `source` names, or the only one, of the job's sources; -1 after a fault. */
int tor_job_read_dipole_name(const struct tor_view *view);
void tor_job_read_mode_source(const struct tor_view *view, struct tor_source *source);
void tor_job_read_beam(const struct tor_view *view, struct tor_source *source);
/* The beam of a monitor, whose box is read. */
void tor_job_read_beam_of(const struct tor_view *view, struct tor_monitor *monitor);
/* Faults of a box as a plane for what `subject` names ("modes of a guide are"): not flat along one axis, in a layer,
 * without cells, in a job with a symmetry. Returns its axis, or -1. */
int tor_job_check_plane(const struct tor_view *view, const struct tor_view *box, const double lo[3], const double hi[3],
                        const char *subject);
/* Box and direction of a source that is sent from a plane, with faults for what `one` ("a mode") and `many` (as subject
 * above) name. Returns the plane's axis, or -1. */
int tor_job_read_sheet(const struct tor_view *view, struct tor_source *source, const char *one, const char *many);
/* A source of type "fields". */
void tor_job_read_field_file(const struct tor_view *view, struct tor_source *source);
/* A fault where a source's plane is so near to layers or walls that its differences reach them. */
void tor_job_check_plane_reach(const struct tor_view *box, const struct tor_source *source);
/* The element's name, or "<type><i>"; owned by the caller. */
char *tor_job_read_name(const struct tor_view *view, int i);
/* A fault at the key when the wavelength [m] is shorter than two cells: an error in the unit. */
void tor_job_check_wavelength(const struct tor_view *view, const char *name, double wavelength);
/* A fault at the key when the point lies outside the domain. */
void tor_job_check_inside(const struct tor_view *view, const char *name, const double x[3]);
/* A file that the job names: its path relative to the job file, to be freed. */
char *tor_job_path_of(const struct tor_config *config, const char *file);
/* A medium whose poles are fitted to the table that it names (keys table and fit); vacuum after faults. */
struct tor_medium tor_job_read_fit(const struct tor_view *view, const char *name);
/* The table that profile->file names, relative to the job file. */
void tor_job_read_table(struct tor_config *config, const config_setting_t *at, struct tor_profile *profile);

/* Symmetries of the domain, whose grid and boundaries are read. */
void tor_job_read_symmetry(struct tor_job_reader *reader, const struct tor_view *root);
/* The phases of Bloch walls; view: boundaries, whose walls and periods are read; bloch: the faces that are such walls.
 */
void tor_job_read_bloch(struct tor_job_reader *reader, const struct tor_view *view, const int bloch[TOR_NFACE]);
/* A plane wave with angles in a cell that is periodic along all axes but one: its axis and direction are along that
 * one. Returns 0 with a fault. */
int tor_job_read_tilt(const struct tor_view *view, struct tor_source *source);
/* The phases of Bloch walls from plane waves with angles, or faults where both are given and differ; media, objects and
 * sources are read. */
void tor_job_read_tilts(struct tor_job_reader *reader);
/* Direction and polarisation of a wave or a beam along an axis, and of one that has angles. Return 0 with faults. */
int tor_job_read_direction(const struct tor_view *view, struct tor_source *source);
int tor_job_read_angles(const struct tor_view *view, struct tor_source *source);

/* In 2-D: a box's extent along z, from wall to wall. */
void tor_job_whole_length(const struct tor_job_reader *reader, double lo[3], double hi[3]);

#endif
