/* The table of all keys of a job file: type, range, default, unit and meaning of each. The checks, the getters,
 * the test of jobs/reference.cfg, docs/user/job-file.md and `torre keys` all walk this one table. Words are in the
 * order of the enumerations they become. */
#include "src/job/job_keys.h"

#include <math.h>
#include <string.h>

#include "io/config/config.h"
#include "src/job/job.h"
#include "src/job/job_format.h"
#include "src/job/material_fit.h"

#define ANY -INFINITY, INFINITY, 0
#define POSITIVE 0, INFINITY, TOR_KEY_ABOVE
#define NO 0, 0, 0, NULL, NULL
#define MUST 0, 0, TOR_KEY_REQUIRED, NULL, NULL
#define WALLS "pec pmc cpml absorber periodic bloch"
#define AXES "x y z"
#define COMPONENTS "Ex Ey Ez Hx Hy Hz"

/* clang-format off */
#define LAYER(group, of, cells, counted, length, grade, sigma, default_) \
    {group "cells", of, TOR_KEY_INTEGER, 1, 1000, 0, NULL, cells, \
     .unit = "cells", .computed = counted, .help = "Thickness of the layer."}, \
    {group "thickness", of, TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE, NULL, NULL, \
     .instead = "cells", .computed = length, .help = "In place of cells, rounded up to whole cells."}, \
    {group "grade", of, TOR_KEY_NUMBER, 1, 10, 0, NULL, grade, \
     .computed = default_, .help = "Order of the profile."}, \
    {group "sigma", of, TOR_KEY_NUMBER, 0, 100, TOR_KEY_ABOVE, NULL, sigma, \
     .computed = default_, .help = "Factor on the usual conductivity."}
#define CPML(group, of, kappa, alpha, default_) \
    {group "kappa", of, TOR_KEY_NUMBER, 1, 100, 0, NULL, kappa, \
     .computed = default_, .help = "Largest stretching of the coordinate."}, \
    {group "alpha", of, TOR_KEY_NUMBER, 0, 1, 0, NULL, alpha, \
     .computed = default_, .help = "Complex-frequency shift, in centre frequencies of the first source."}

static const struct tor_key keys[] = {
    {"format_version", NULL, TOR_KEY_INTEGER, 1, TOR_JOB_FORMAT, 0, NULL, NULL,
     .computed = "none: of torre 0.1",
     .help = "Version of the format that the job was written for: `torre check` reports what has changed since."},
    {"title", NULL, TOR_KEY_TEXT, 0, 0, 0, NULL, "", .help = "Name of the job, in run.json."},
    {"length_unit", NULL, TOR_KEY_WORD, 0, 0, 0, "nm um mm m angstrom", "nm",
     .help = "Unit of all lengths and wavelengths of the file."},
    {"output", NULL, TOR_KEY_TEXT, NO,
     .computed = "results/<job file without its ending>", .help = "Folder of the results."},

#include "src/job/job_keys_grid.h"

    {"boundaries", NULL, TOR_KEY_GROUP, NO, .help = "The faces of the domain: six, in 2-D those of x and y."},
    {"boundaries.default", NULL, TOR_KEY_WORD, 0, 0, 0, WALLS, "cpml", .help = "Type of the faces that are not named."},
    {"boundaries.x_lo", NULL, TOR_KEY_WORD_OR_GROUP, 0, 0, 0, WALLS, NULL,
     .computed = "that of boundaries.default",
     .help = "Lower x face."},
    {"boundaries.x_hi", NULL, TOR_KEY_WORD_OR_GROUP, 0, 0, 0, WALLS, NULL,
     .computed = "that of boundaries.default",
     .help = "Upper x face."},
    {"boundaries.y_lo", NULL, TOR_KEY_WORD_OR_GROUP, 0, 0, 0, WALLS, NULL,
     .computed = "that of boundaries.default",
     .help = "Lower y face."},
    {"boundaries.y_hi", NULL, TOR_KEY_WORD_OR_GROUP, 0, 0, 0, WALLS, NULL,
     .computed = "that of boundaries.default",
     .help = "Upper y face."},
    {"boundaries.z_lo", NULL, TOR_KEY_WORD_OR_GROUP, 0, 0, 0, WALLS, NULL,
     .computed = "that of boundaries.default",
     .help = "Lower z face."},
    {"boundaries.z_hi", NULL, TOR_KEY_WORD_OR_GROUP, 0, 0, 0, WALLS, NULL,
     .computed = "that of boundaries.default",
     .help = "Upper z face."},
    {"boundaries.x_lo.type", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, WALLS, NULL,
     .help = "Type of this face; any face may have such a group."},
    LAYER("boundaries.x_lo.", "cpml absorber", NULL, "that of the type", "counted by cells", NULL, NULL,
          "that of the type"),
    CPML("boundaries.x_lo.", "cpml", NULL, NULL, "that of boundaries.cpml"),
    {"boundaries.k", NULL, TOR_KEY_NUMBER_OR_AXES, ANY, NULL, NULL,
     .unit = "rad per length_unit", .computed = "needed with bloch walls, or phase_deg, or a plane wave with angles",
     .help = "Wave vector of bloch walls: a field a period further is exp(i k period) times it. 0 along other axes; "
             "one number: of all axes with such walls."},
    {"boundaries.phase_deg", NULL, TOR_KEY_NUMBER_OR_AXES, ANY, NULL, NULL,
     .unit = "deg", .instead = "k", .computed = "given by k or a plane wave",
     .help = "The phase over a period, k times the period; 180: the edge of the Brillouin zone."},
    {"boundaries.cpml", NULL, TOR_KEY_GROUP, NO, .help = "The layers of all faces of type cpml."},
    LAYER("boundaries.cpml.", NULL, "10", NULL, "counted by cells", "3", "1", NULL),
    CPML("boundaries.cpml.", NULL, "1", "0.05", NULL),
    {"boundaries.absorber", NULL, TOR_KEY_GROUP, NO, .help = "The layers of all faces of type absorber."},
    LAYER("boundaries.absorber.", NULL, NULL, "counted by thickness", "longest wavelength of the sources", "3", "1",
          NULL),

    {"background", NULL, TOR_KEY_MEDIUM, 0, 0, 0, NULL, "vacuum", .help = "Medium where no object is."},

    {"media", NULL, TOR_KEY_LIST, NO, .computed = "none", .help = "Media of your own, to be named by objects."},
    {"media[].name", NULL, TOR_KEY_NAME, MUST,
     .help = "Name of the medium, not \"vacuum\" or \"pec\" and not that of an earlier one."},
    {"media[].like", NULL, TOR_KEY_MEDIUM, NO,
     .computed = "none", .help = "Earlier or built-in medium to start from, of which the keys given are changed."},
    {"media[].permittivity", NULL, TOR_KEY_NUMBER_OR_3, 0, 1e6, TOR_KEY_ABOVE, NULL, "1",
     .computed = "1; with like, its value",
     .help = "Relative permittivity at infinite frequency, one number or one for each axis."},
    {"media[].permeability", NULL, TOR_KEY_NUMBER_OR_3, 0, 1e6, TOR_KEY_ABOVE, NULL, "1",
     .computed = "1; with like, its value", .help = "Relative permeability, one number or one for each axis."},
    {"media[].index", NULL, TOR_KEY_NUMBER_OR_3, 0, 1e3, TOR_KEY_ABOVE, NULL, NULL,
     .computed = "none", .help = "Refractive index, in place of permittivity."},
    {"media[].n", NULL, TOR_KEY_NUMBER, 0, 1e3, 0, NULL, NULL,
     .computed = "none", .help = "Real part of the index n + i k at one wavelength, in place of all other keys."},
    {"media[].k", NULL, TOR_KEY_NUMBER, -1e3, 1e3, 0, NULL, NULL,
     .computed = "0, with n", .help = "Imaginary part of that index, 0 or more: absorption."},
    {"media[].at", NULL, TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE, NULL, NULL,
     .computed = "needed with n", .help = "Wavelength in vacuum of that index; at others the medium is another."},
    {"media[].table", NULL, TOR_KEY_TEXT, NO,
     .computed = "none",
     .help = "File of n and k against wavelength, relative to the job file, to which poles are fitted; in place of all "
             "other keys but fit."},
    {"media[].fit", NULL, TOR_KEY_GROUP, NO, .help = "How poles are fitted to the table."},
    {"media[].fit.from", NULL, TOR_KEY_LENGTH, POSITIVE, NULL, NULL,
     .computed = "the table's", .help = "Shortest wavelength that counts."},
    {"media[].fit.to", NULL, TOR_KEY_LENGTH, POSITIVE, NULL, NULL,
     .computed = "the table's", .help = "Longest wavelength that counts."},
    {"media[].fit.poles", NULL, TOR_KEY_INTEGER, 1, TOR_FIT_MOST, 0, NULL, "6", .help = "Most poles."},
    {"media[].fit.error", NULL, TOR_KEY_NUMBER, 0, 10, TOR_KEY_ABOVE, NULL, "0.05",
     .help = "Largest rms relative error of the permittivity with which the fit is accepted."},
    {"media[].conductivity_S_per_m", NULL, TOR_KEY_NUMBER_OR_3, 0, 1e12, 0, NULL, "0",
     .unit = "S/m", .computed = "0; with like, its value",
     .help = "Electric conductivity, one number or one for each axis."},
    {"media[].magnetic_conductivity_Ohm_per_m", NULL, TOR_KEY_NUMBER_OR_3, 0, 1e18, 0, NULL, "0",
     .unit = "Ohm/m", .computed = "0; with like, its value",
     .help = "Magnetic conductivity, one number or one for each axis."},
    {"media[].poles", NULL, TOR_KEY_LIST, NO,
     .computed = "none; with like, its poles", .help = "Poles of the permittivity, the same for all axes."},
    {"media[].poles[].type", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, "drude lorentz debye", NULL,
     .help = "Kind of the pole."},
    {"media[].poles[].plasma_eV", "drude", TOR_KEY_NUMBER, 0, 1e6, TOR_KEY_ABOVE, NULL, NULL,
     .unit = "eV", .computed = "none: this or plasma_rad_per_s", .help = "Plasma frequency as a photon energy."},
    {"media[].poles[].plasma_rad_per_s", "drude", TOR_KEY_NUMBER, 0, 1e22, TOR_KEY_ABOVE, NULL, NULL,
     .unit = "rad/s", .computed = "none: this or plasma_eV", .help = "Plasma frequency as an angular frequency."},
    {"media[].poles[].delta_eps", "lorentz debye", TOR_KEY_NUMBER, -1e6, 1e6, TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Change of the relative permittivity by the pole, from infinite frequency to 0."},
    {"media[].poles[].omega_eV", "lorentz", TOR_KEY_NUMBER, 0, 1e6, TOR_KEY_ABOVE, NULL, NULL,
     .unit = "eV", .computed = "none: this or omega_rad_per_s", .help = "Resonance as a photon energy."},
    {"media[].poles[].omega_rad_per_s", "lorentz", TOR_KEY_NUMBER, 0, 1e22, TOR_KEY_ABOVE, NULL, NULL,
     .unit = "rad/s", .computed = "none: this or omega_eV", .help = "Resonance as an angular frequency."},
    {"media[].poles[].gamma_eV", "drude lorentz", TOR_KEY_NUMBER, 0, 1e6, 0, NULL, NULL,
     .unit = "eV", .computed = "none: this or gamma_rad_per_s", .help = "Collision rate as a photon energy."},
    {"media[].poles[].gamma_rad_per_s", "drude lorentz", TOR_KEY_NUMBER, 0, 1e22, 0, NULL, NULL,
     .unit = "rad/s", .computed = "none: this or gamma_eV", .help = "Collision rate as an angular frequency."},
    {"media[].poles[].tau_fs", "debye", TOR_KEY_NUMBER, 0, 1e15, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .unit = "fs", .help = "Relaxation time."},

#include "src/job/job_keys_objects.h"

    {"sources", NULL, TOR_KEY_LIST, NO, .computed = "none", .help = "Plane waves, beams, modes of guides and dipoles."},
    {"sources[].type", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED,
     "plane_wave electric_dipole magnetic_dipole line_current line_dipole mode gaussian_beam", NULL,
     .help = "Kind of the source; in 2-D no electric_dipole or magnetic_dipole, but a line_current or line_dipole."},
    {"sources[].name", NULL, TOR_KEY_NAME, NO, .computed = "<type><place in the list>", .help = "Name of the source."},
    {"sources[].box", "plane_wave", TOR_KEY_GROUP, NO,
     .computed = "4 cells inside the absorbing layers, open at other walls",
     .help = "The total-field box, in which the wave is."},
    {"sources[].box", "mode", TOR_KEY_GROUP, MUST,
     .help = "The plane across the guide, in 2-D a line: lo = hi along the direction."},
    {"sources[].box", "gaussian_beam", TOR_KEY_GROUP, MUST,
     .help = "The plane that sends the beam, in 2-D a line: lo = hi along one axis; it ends before absorbing layers."},
    {"sources[].box.lo", NULL, TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Low corner; a side at or beyond a wall is open, but not where a plane wave enters."},
    {"sources[].box.hi", NULL, TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL,
     .help = "High corner, above lo."},
    {"sources[].distance", "plane_wave", TOR_KEY_LENGTH, POSITIVE, NULL, NULL,
     .instead = "box", .computed = "4 cells",
     .help = "In place of box: from the absorbing layers to the sides of the default box."},
    {"sources[].direction", "plane_wave mode gaussian_beam", TOR_KEY_WORD, 0, 0, 0, "-x +x -y +y -z +z", NULL,
     .computed = "none: needed without angles, and by mode", .help = "Direction of travel along an axis."},
    {"sources[].polarisation", "plane_wave gaussian_beam", TOR_KEY_WORD, 0, 0, 0, "x y z left right", NULL,
     .computed = "none: needed in 3-D with direction",
     .help = "Axis of the electric field, across the direction; with angles left or right, circular light."},
    {"sources[].theta_deg", "plane_wave gaussian_beam", TOR_KEY_NUMBER, 0, 180, 0, NULL, NULL,
     .unit = "deg", .instead = "direction", .computed = "90 with phi_deg",
     .help = "In place of direction, in 3-D: angle between the direction of travel and +z."},
    {"sources[].phi_deg", "plane_wave gaussian_beam", TOR_KEY_NUMBER, -360, 360, 0, NULL, NULL,
     .unit = "deg", .instead = "direction", .computed = "0 with theta_deg",
     .help = "In place of direction: angle from +x, towards +y, of its part across z; in 2-D of the direction."},
    {"sources[].psi_deg", "plane_wave gaussian_beam", TOR_KEY_NUMBER, -360, 360, 0, NULL, NULL,
     .unit = "deg", .instead = "polarisation", .computed = "0 with theta_deg or phi_deg",
     .help = "In place of polarisation, in 3-D: angle of E from the direction of rising theta_deg (0: p) to that of "
             "rising phi_deg (90: s)."},
    {"sources[].angle_wavelength", "plane_wave", TOR_KEY_LENGTH, POSITIVE, NULL, NULL,
     .instead = "direction", .computed = "time.wavelength",
     .help = "In a periodic cell, or through layers: where the wave has its angles; its k along them is that of all "
             "wavelengths."},
    {"sources[].mode", "mode", TOR_KEY_INTEGER, 0, 199, 0, NULL, "0",
     .help = "Number of the mode among those nearest to target_index, by falling index."},
    {"sources[].target_index", "mode", TOR_KEY_NUMBER, 0, 1000, TOR_KEY_ABOVE, NULL, NULL,
     .computed = "the largest index in the plane", .help = "The modes are those whose index is nearest to it."},
    {"sources[].focus", "gaussian_beam", TOR_KEY_LENGTH3, ANY, NULL, NULL,
     .computed = "the middle of box", .help = "Middle of the waist; it may lie anywhere, also behind the plane."},
    {"sources[].waist", "gaussian_beam", TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Radius at the waist where the field has fallen to 1/e, its intensity to 1/e^2."},
    {"sources[].waist_across", "gaussian_beam", TOR_KEY_LENGTH, POSITIVE, NULL, NULL,
     .computed = "that of waist", .help = "In 3-D: the radius across E and the direction, where it is another one."},
    {"sources[].waist_deg", "gaussian_beam", TOR_KEY_NUMBER, -360, 360, 0, NULL, "0",
     .unit = "deg", .help = "In 3-D: turns both radii from E towards direction x E."},
    {"sources[].astigmatism", "gaussian_beam", TOR_KEY_LENGTH, ANY, NULL, "0",
     .help = "In 3-D: how far behind the focus the beam is narrowest across, along its direction."},
    {"sources[].position",
     "electric_dipole magnetic_dipole line_current line_dipole", TOR_KEY_LENGTH3, -INFINITY, INFINITY,
     TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Place of the source, inside the domain."},
    {"sources[].axis", "electric_dipole magnetic_dipole line_dipole", TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, AXES, NULL,
     .help = "Axis of the moment."},
    {"sources[].amplitude", NULL, TOR_KEY_NUMBER, -1e30, 1e30, 0, NULL, "1",
     .unit = "V/m, A m, V m or sqrt(W)",
     .help = "Amplitude of E (plane wave, V/m), of I l (electric dipole, A m) or of its magnetic likeness (V m); of "
             "line sources A or V; of modes, beams sqrt(W), 2-D sqrt(W/m)."},
    {"sources[].time", NULL, TOR_KEY_GROUP, MUST, .help = "The time profile."},
    {"sources[].time.type", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, "pulse continuous table", NULL,
     .help = "Kind of the time profile."},
    {"sources[].time.wavelength",
     "pulse continuous", TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Wavelength in vacuum, of a pulse its centre; at least two cells."},
    {"sources[].time.band", "pulse", TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Range of wavelengths with an amplitude above 1/e; below 1.9 wavelengths."},
    {"sources[].time.delay_fs", NULL, TOR_KEY_NUMBER, 0, 1e15, 0, NULL, "0", .unit = "fs", .help = "Later start."},
    {"sources[].time.phase_deg", "pulse continuous", TOR_KEY_NUMBER, -360, 360, 0, NULL, "0",
     .unit = "deg", .help = "Phase of the carrier."},
    {"sources[].time.zero_mean", "pulse", TOR_KEY_BOOL, 0, 0, 0, NULL, NULL,
     .computed = "true for dipoles, else false",
     .help = "Takes the mean from the pulse, which leaves static charges."},
    {"sources[].time.rise_fs", "continuous", TOR_KEY_NUMBER, 0, 1e15, 0, NULL, NULL,
     .unit = "fs", .computed = "5 periods", .help = "Length of the smooth start."},
    {"sources[].time.file", "table", TOR_KEY_TEXT, MUST,
     .help = "Text file of two columns, time in fs and value; its path is relative to the job file."},

#include "src/job/job_keys_monitors.h"

#include "src/job/job_keys_commands.h"

    {"run", NULL, TOR_KEY_GROUP, MUST, .help = "When the simulation ends."},
    {"run.time_fs", NULL, TOR_KEY_NUMBER, 0, 1e15, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .unit = "fs", .help = "Longest simulated time."},
    {"run.decay", NULL, TOR_KEY_NUMBER, 0, 1, TOR_KEY_BELOW, NULL, "0",
     .computed = "0: never", .help = "The run ends when the energy is below this fraction of its largest sum."},
    {"run.until", NULL, TOR_KEY_NUMBER, 0, 1, TOR_KEY_BELOW, NULL, "0",
     .computed = "0: never", .help = "The run ends when powers have settled to this part of the largest."},
    {"run.tolerance", NULL, TOR_KEY_NUMBER, 0, INFINITY, TOR_KEY_ABOVE, NULL, "0.05",
     .help = "Error of spectra, by energy left, a source cut off or layers, above which the exit status is 3."},

    {"schedule", NULL, TOR_KEY_GROUP, NO, .help = "Where and how the work is done; no result depends on it."},
    {"schedule.engine", NULL, TOR_KEY_WORD, 0, 0, 0, "auto stepwise diamond", "auto",
     .help = "Engine: whole steps one after another, or DiamondTorre towers."},
    {"schedule.device", NULL, TOR_KEY_WORD, 0, 0, 0, "auto cpu gpu", "auto",
     .computed = "auto: a GPU when there is one and the job fits it", .help = "Device of the fields."},
    {"schedule.devices", NULL, TOR_KEY_INTEGER, 1, 16, 0, NULL, "1",
     .help = "GPUs of each process, with a rank for each."},
    {"schedule.dts", NULL, TOR_KEY_INTEGER, 0, 1024, 0, NULL, "0",
     .unit = "reaches", .computed = "0: chosen by the plan (torre tune)",
     .help = "Half-width of a tile (diamond tile size), in reaches of the stencil."},
    {"schedule.th", NULL, TOR_KEY_INTEGER, 0, 1000000, 0, NULL, "0",
     .unit = "steps", .computed = "0: chosen by the plan (torre tune)", .help = "Steps of a stage (time height)."},
    {"schedule.device_memory", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0",
     .unit = "GB", .computed = "0: all free memory",
     .help = "Memory of a GPU that may be used; a larger job passes through a window."},
    {"schedule.host_memory", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0",
     .unit = "GB", .computed = "0: all free memory",
     .help = "Memory of a machine that may be used; a job that needs more is refused, or runs through `disk`."},
    {"schedule.disk", NULL, TOR_KEY_TEXT, 0, 0, 0, NULL, "",
     .computed = "none", .help = "Folder on a fast disk for the columns of a job that is larger than the memory."},
    {"schedule.disk_rate", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0",
     .unit = "GB/s", .computed = "0: measured, and used in full",
     .help = "Most that is read from and written to `disk` in a second, together; the plan counts on it."},
    {"schedule.ranks", NULL, TOR_KEY_INTEGER2, 0, 1000000, 0, NULL, "0",
     .unit = "ranks", .computed = "0: chosen when the run starts",
     .help = "Ranks along x and y: processes, started by mpirun, times devices; in 2-D along x alone."},
    {"schedule.threads", NULL, TOR_KEY_INTEGER, 0, 4096, 0, NULL, "0",
     .unit = "threads", .computed = "0: all cores", .help = "Threads of a process."},

    {"checkpoint", NULL, TOR_KEY_GROUP, NO, .help = "When the state is saved, to continue after an interruption."},
    {"checkpoint.minutes", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "30",
     .unit = "min", .computed = "30; 0: not by time", .help = "Wall time between two checkpoints."},
    {"checkpoint.steps", NULL, TOR_KEY_INTEGER, 0, 1e15, 0, NULL, "0",
     .unit = "steps", .computed = "0: not by steps", .help = "Steps between two checkpoints."},
    {"checkpoint.keep", NULL, TOR_KEY_BOOL, 0, 0, 0, NULL, "false",
     .help = "One more checkpoint at the end, and they stay after a run that ended well."},
};
/* clang-format on */

/* What other programs and papers call a key or a medium. */
static const char *const synonyms[][2] = {
    {"refractive_index", "index"},
    {"eps", "permittivity"},
    {"epsilon", "permittivity"},
    {"mu", "permeability"},
    {"material", "medium"},
    {"materials", "media"},
    {"geometry", "objects"},
    {"structures", "objects"},
    {"frequency", "wavelength"},
    {"frequency", "wavelengths"},
    {"frequencies", "wavelengths"},
    {"freq", "wavelength"},
    {"freq", "wavelengths"},
    {"lambda", "wavelength"},
    {"lambda", "wavelengths"},
    {"resolution", "cell"},
    {"dx", "cell"},
    {"pml", "cpml"},
    {"thickness", "cells"},
    {"margin", "distance"},
    {"padding", "distance"},
    {"duration", "time_fs"},
    {"waveform", "time"},
    {"gold", "Au"},
    {"silver", "Ag"},
    {"aluminium", "Al"},
    {"aluminum", "Al"},
    {"copper", "Cu"},
    {"silicon", "Si"},
    {"silica", "SiO2"},
    {"quartz", "SiO2"},
    {"glass", "SiO2"},
    {"SiN", "Si3N4"},
    {"titania", "TiO2"},
    {"air", "vacuum"},
    {"PECMedium", "pec"},
    {"perfect_conductor", "pec"},
    {NULL, NULL},
};

const struct tor_key_table tor_job_keys = {
    .keys = keys,
    .count = (int)(sizeof keys / sizeof *keys),
    .root = "job",
    .word_group = "boundaries.x_lo",
    .synonyms = synonyms,
    .hint = tor_job_hint,
};
