/* torre example and torre reference: see example_cli.h. */
#include "src/example_cli.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/files/folder.h"
#include "src/base/command_line.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/types.h"

struct embedded {
  const char *name; /* NULL: the end of a list */
  const unsigned char *bytes;
  const size_t *size;
};

struct example {
  const char *name, *sentence;
  struct embedded files[6]; /* ends with an empty one; the job first */
};

/* src/CMakeLists.txt makes these from the files of jobs/. */
#define DECLARE(symbol)                              \
  extern const unsigned char tor_example_##symbol[]; \
  extern const size_t tor_example_##symbol##_size
DECLARE(gold_sphere_job_cfg);
DECLARE(dielectric_sphere_job_cfg);
DECLARE(convergence_job_cfg);
DECLARE(slab_job_cfg);
DECLARE(drude_film_job_cfg);
DECLARE(metalens_cell_job_cfg);
DECLARE(metalens_3d_job_cfg);
DECLARE(metalens_3d_lens_py);
DECLARE(metalens_3d_pillars_h5);
DECLARE(rod_on_glass_job_cfg);
DECLARE(purcell_job_cfg);
DECLARE(waveguide_job_cfg);
DECLARE(silicon_wire_job_cfg);
DECLARE(far_field_job_cfg);
DECLARE(grating_job_cfg);
DECLARE(oblique_grating_job_cfg);
DECLARE(tilted_beam_job_cfg);
DECLARE(cylinder_job_cfg);
DECLARE(ring_job_cfg);
DECLARE(crystal_bands_job_cfg);
DECLARE(crystal_cavity_job_cfg);
DECLARE(film_stack_job_cfg);
DECLARE(two_ports_job_cfg);
DECLARE(grating_coupler_job_cfg);
DECLARE(antenna_job_cfg);
DECLARE(dimer_job_cfg);
DECLARE(bow_tie_job_cfg);
DECLARE(solar_cell_job_cfg);
DECLARE(hyperbolic_stack_job_cfg);
DECLARE(oled_job_cfg);
DECLARE(bend_job_cfg);
DECLARE(hologram_cell_job_cfg);
DECLARE(machines_h200_1024_cfg);
DECLARE(machines_h200_4_cfg);
DECLARE(machines_h200_8_cfg);
DECLARE(machines_laptop_cfg);
DECLARE(machines_tsubame2_5_cfg);
DECLARE(batch_slurm_sh);
DECLARE(batch_pbs_sh);
DECLARE(batch_lsf_sh);
DECLARE(batch_gridengine_sh);
DECLARE(reference_cfg);
DECLARE(reference_index_txt);
DECLARE(reference_layout_gds);
DECLARE(reference_density_h5);
DECLARE(reference_fields_h5);
DECLARE(reference_places_h5);
DECLARE(reference_pulse_txt);
DECLARE(reference_surface_stl);

#define EMBEDDED(name, symbol) {name, tor_example_##symbol, &tor_example_##symbol##_size}

static const struct example examples[] = {
    {"gold-sphere",
     "A gold sphere of radius 50 nm in vacuum: extinction, scattering, absorption",
     {EMBEDDED("job.cfg", gold_sphere_job_cfg)}},
    {"dielectric-sphere",
     "A sphere of index 2, radius 100 nm: scattering, as of Mie's series",
     {EMBEDDED("job.cfg", dielectric_sphere_job_cfg)}},
    {"convergence",
     "The same sphere at any size of cell, for torre study cells: all by lengths",
     {EMBEDDED("job.cfg", convergence_job_cfg)}},
    {"slab",
     "A slab of index 2, 200 nm, at normal incidence: reflection, transmission",
     {EMBEDDED("job.cfg", slab_job_cfg)}},
    {"drude-film",
     "A film of a Drude metal, 20 nm, at normal incidence: reflection, transmission",
     {EMBEDDED("job.cfg", drude_film_job_cfg)}},
    {"metalens-cell",
     "A silicon pillar on glass in a periodic cell, by mirrors: transmission, phase",
     {EMBEDDED("job.cfg", metalens_cell_job_cfg)}},
    {"metalens-3d",
     "A metalens of 30 um, 5,024 pillars of a table: focus, width, efficiency",
     {EMBEDDED("job.cfg", metalens_3d_job_cfg), EMBEDDED("lens.py", metalens_3d_lens_py),
      EMBEDDED("pillars.h5", metalens_3d_pillars_h5)}},
    {"rod-on-glass",
     "A gold rod on glass, a quarter by mirrors: cross-sections, near field",
     {EMBEDDED("job.cfg", rod_on_glass_job_cfg)}},
    {"purcell",
     "A dipole above gold: Purcell factor, as of Sommerfeld's integrals",
     {EMBEDDED("job.cfg", purcell_job_cfg)}},
    {"waveguide",
     "A silicon guide in silica, excited by a dipole: transmission, index of the mode",
     {EMBEDDED("job.cfg", waveguide_job_cfg)}},
    {"silicon-wire",
     "A silicon wire in silica: its modes, by torre modes",
     {EMBEDDED("job.cfg", silicon_wire_job_cfg)}},
    {"grating",
     "A glass grating at normal incidence: reflection, transmission, orders",
     {EMBEDDED("job.cfg", grating_job_cfg)}},
    {"oblique-grating",
     "A glass grating in light at 30 degrees: each order's power and angle",
     {EMBEDDED("job.cfg", oblique_grating_job_cfg)}},
    {"tilted-beam",
     "A Gaussian beam on glass at 30 degrees: reflection, transmission, picture",
     {EMBEDDED("job.cfg", tilted_beam_job_cfg)}},
    {"far-field",
     "A quarter of a sphere by mirrors: where it scatters to, as of Mie's series",
     {EMBEDDED("job.cfg", far_field_job_cfg)}},
    {"cylinder",
     "An infinite cylinder of index 2: extinction per length, as of Mie's series",
     {EMBEDDED("job.cfg", cylinder_job_cfg)}},
    {"ring",
     "A ring of index 3.4, 2-D: its resonances, with Q, as of Bessel's functions",
     {EMBEDDED("job.cfg", ring_job_cfg)}},
    {"crystal-bands",
     "A square lattice of rods: its bands and gap, by torre bands",
     {EMBEDDED("job.cfg", crystal_bands_job_cfg)}},
    {"crystal-cavity",
     "A rod less in a crystal of rods, 2-D: its mode, with Q, as of cylindrical waves",
     {EMBEDDED("job.cfg", crystal_cavity_job_cfg)}},
    {"two-ports",
     "Two guides and a rod: their scattering matrix, by torre study smatrix",
     {EMBEDDED("job.cfg", two_ports_job_cfg)}},
    {"grating-coupler",
     "A grating on a silicon wire, 2-D: its coupling to a fibre at 10 degrees",
     {EMBEDDED("job.cfg", grating_coupler_job_cfg)}},
    {"antenna",
     "A dipole over a metal ground: its far field, as of it and its mirror image",
     {EMBEDDED("job.cfg", antenna_job_cfg)}},
    {"dimer",
     "Two gold wires, 2-D: extinction as of cylindrical waves, field in the gap",
     {EMBEDDED("job.cfg", dimer_job_cfg)}},
    {"bow-tie",
     "An emitter in the gap of two gold triangles: Purcell factor, efficiency",
     {EMBEDDED("job.cfg", bow_tie_job_cfg)}},
    {"solar-cell",
     "Silicon on a mirror: what each absorbs, as of transfer matrices",
     {EMBEDDED("job.cfg", solar_cell_job_cfg)}},
    {"hyperbolic-stack",
     "An emitter over metal and glass, cylindrical: as of Sommerfeld's integrals",
     {EMBEDDED("job.cfg", hyperbolic_stack_job_cfg)}},
    {"oled",
     "An emitter in organic layers, cylindrical: its decay, what comes out",
     {EMBEDDED("job.cfg", oled_job_cfg)}},
    {"bend",
     "A bend of a slab guide, 2-D: its loss, as of the modes of a conformal map",
     {EMBEDDED("job.cfg", bend_job_cfg)}},
    {"hologram-cell",
     "A turned fin in circular light: the phase that its angle gives",
     {EMBEDDED("job.cfg", hologram_cell_job_cfg)}},
    {"film-stack",
     "A Bragg mirror on glass: reflection, transmission, as of the transfer matrix",
     {EMBEDDED("job.cfg", film_stack_job_cfg)}},
    {"machines",
     "Machines for torre plan --machine and torre scaling",
     {EMBEDDED("h200-1024.cfg", machines_h200_1024_cfg), EMBEDDED("h200-4.cfg", machines_h200_4_cfg),
      EMBEDDED("h200-8.cfg", machines_h200_8_cfg), EMBEDDED("laptop.cfg", machines_laptop_cfg),
      EMBEDDED("tsubame2.5.cfg", machines_tsubame2_5_cfg)}},
    {"batch",
     "Scripts for Slurm, PBS, LSF and Grid Engine that continue a job until it is done",
     {EMBEDDED("slurm.sh", batch_slurm_sh), EMBEDDED("pbs.sh", batch_pbs_sh), EMBEDDED("lsf.sh", batch_lsf_sh),
      EMBEDDED("gridengine.sh", batch_gridengine_sh)}},
};
enum { NEXAMPLES = (int)(sizeof examples / sizeof *examples) };

/* --- Arguments --- */

static const char example_doc[] = "Lists the ready jobs with a sentence each; writes the one called NAME, with the "
                                  "files it needs, into the folder NAME or DIR. Nothing is written over.\v"
                                  "Examples:\n"
                                  "  torre example\n"
                                  "  torre example gold-sphere --out runs/gold";

static const char reference_doc[] =
    "Writes the reference job, a small one that runs and shows every key with its "
    "unit, default and range, to FILE (default reference.cfg), and the files that it "
    "reads, reference_pulse.txt, reference_index.txt, reference_places.h5, reference_density.h5, "
    "reference_fields.h5, reference_layout.gds and reference_surface.stl, beside it. Nothing is written over.\v"
    "Example:\n"
    "  torre reference jobs/reference.cfg";

enum { KEY_OUT = 256, KEY_OVERWRITE };

static const struct argp_option example_options[] = {
    {"out", KEY_OUT, "DIR", 0, "Folder for the files (default: NAME)", 0},
    {"overwrite", KEY_OVERWRITE, 0, 0, "Write over files that are there", 0},
    {0}};

static const struct argp_option reference_options[] = {
    {"overwrite", KEY_OVERWRITE, 0, 0, "Write over files that are there", 0}, {0}};

struct arguments {
  const char *name, *out;
  int overwrite, needs_name; /* needs_name: with options */
};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct arguments *a = state->input;
  switch (key) {
  case KEY_OUT: a->out = arg; return 0;
  case KEY_OVERWRITE: a->overwrite = 1; return 0;
  case ARGP_KEY_ARG:
    if (a->name) argp_error(state, "unexpected argument \"%s\"", arg);
    a->name = arg;
    return 0;
  case ARGP_KEY_END:
    if ((a->out || a->overwrite) && !a->name && a->needs_name) argp_error(state, "--out and --overwrite need a NAME");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

const struct argp tor_example_argp = {example_options, parse_option, "[NAME]", example_doc, 0, 0, 0};
const struct argp tor_reference_argp = {reference_options, parse_option, "[FILE]", reference_doc, 0, 0, 0};

static struct arguments parse(const struct argp *argp, char *name, int argc, char **argv) {
  struct arguments a = {.needs_name = argp == &tor_example_argp};
  argv[0] = name;
  tor_command_line_parse(argp, argc, argv, &a, TOR_EXIT_USER);
  return a;
}

/* --- Writing --- */

static char *join(const char *folder, const char *name) {
  const size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (!path) TOR_DIE("out of memory");
  snprintf(path, size, "%s%s%s", folder, *folder && folder[strlen(folder) - 1] != '/' ? "/" : "", name);
  return path;
}

/* Whether a file may be written there; else a fault. */
static void check_free(const char *path, int overwrite, struct tor_faults *faults) {
  struct stat at;
  if (lstat(path, &at)) return;
  if (S_ISDIR(at.st_mode))
    tor_fault(faults, "%s is a folder, need " TOR_NEEDED("a place for a file"), path);
  else if (!overwrite)
    tor_fault(faults, "%s is there already; --overwrite writes over it", path);
}

/* Returns 0; or -1 after a message. */
static int write_one(const struct embedded *file, const char *path) {
  FILE *out = tor_folder_create(path);
  int failed = !out;
  if (out && fwrite(file->bytes, 1, *file->size, out) != *file->size) {
    tor_folder_discard(out, path);
    failed = 1;
  } else if (out)
    failed = tor_folder_commit(out, path) != 0;
  if (failed)
    tor_text_print(stderr, "torre: %s could not be written: %s\n", path, strerror(errno));
  else
    tor_text_print(stdout, "wrote %s\n", path);
  return -failed;
}

/* All files of a list into a folder ("": here), which is made, or none of them if one is there. The exit status. */
static int write_all(const struct embedded *files, const char *folder, int overwrite) {
  struct tor_faults faults = {0};
  char why[1024];
  int status = TOR_EXIT_OK;
  for (const struct embedded *f = files; f->name; f++) {
    char *path = join(folder, f->name);
    check_free(path, overwrite, &faults);
    free(path);
  }
  if (!faults.count && *folder && tor_folder_make(folder, why, sizeof why)) tor_fault(&faults, "%s", why);
  if (faults.count) {
    tor_faults_print(&faults, stderr);
    tor_faults_free(&faults);
    return TOR_EXIT_USER;
  }
  for (const struct embedded *f = files; f->name && status == TOR_EXIT_OK; f++) {
    char *path = join(folder, f->name);
    if (write_one(f, path)) status = TOR_EXIT_FAILURE;
    free(path);
  }
  return status;
}

/* Writes one example and names the command that runs it. The exit status. */
static int write_example(const struct example *e, const struct arguments *a) {
  const char *folder = a->out ? a->out : e->name;
  const int status = write_all(e->files, folder, a->overwrite);
  char *path = join(folder, e->files[0].name);
  if (status == TOR_EXIT_OK && !strcmp(e->files[0].name, "job.cfg"))
    tor_text_print(stdout, "to run it: torre run %s --out results/%s\n", path, e->name);
  free(path);
  return status;
}

static void print_list(FILE *out) {
  for (int i = 0; i < NEXAMPLES; i++) fprintf(out, "%-18s %s\n", examples[i].name, examples[i].sentence);
}

const char *tor_example_name(int i) { return i < NEXAMPLES ? examples[i].name : NULL; }

int tor_example_main(int argc, char **argv) {
  char name[] = "torre example";
  const struct arguments a = parse(&tor_example_argp, name, argc, argv);
  if (!a.name) {
    print_list(stdout);
    printf("\ntorre example NAME writes NAME/job.cfg, torre reference a job with every key\n");
    printf("what each gives and takes: user/how-do-i.md of the pages, whose folder torre --version has\n");
    return TOR_EXIT_OK;
  }
  for (int i = 0; i < NEXAMPLES; i++)
    if (!strcmp(a.name, examples[i].name)) return write_example(&examples[i], &a);
  tor_text_print(stderr, "torre: example: no \"%s\"; there are:\n", a.name);
  print_list(stderr);
  return TOR_EXIT_USER;
}

int tor_reference_main(int argc, char **argv) {
  char name[] = "torre reference";
  const struct arguments a = parse(&tor_reference_argp, name, argc, argv);
  const char *path = a.name ? a.name : "reference.cfg", *slash = strrchr(path, '/');
  const char *last = slash ? slash + 1 : path;
  const struct embedded files[] = {EMBEDDED(last, reference_cfg),
                                   EMBEDDED("reference_pulse.txt", reference_pulse_txt),
                                   EMBEDDED("reference_index.txt", reference_index_txt),
                                   EMBEDDED("reference_places.h5", reference_places_h5),
                                   EMBEDDED("reference_density.h5", reference_density_h5),
                                   EMBEDDED("reference_fields.h5", reference_fields_h5),
                                   EMBEDDED("reference_layout.gds", reference_layout_gds),
                                   EMBEDDED("reference_surface.stl", reference_surface_stl),
                                   {0}};
  int is_table = 0;
  for (const struct embedded *f = files + 1; f->name; f++) is_table |= !strcmp(last, f->name);
  if (!*last || is_table) {
    tor_text_print(stderr, "torre: reference: \"%s\": need the name of a file other than %s, such as reference.cfg\n",
                   path, files[1].name);
    return TOR_EXIT_USER;
  }
  char *folder = tor_strdup(path);
  folder[last - path] = 0;
  const int status = write_all(files, folder, a.overwrite);
  free(folder);
  return status;
}
