/* torre modes: see mode_results.h. Here: the table, CSV, JSON. */
#include "src/results/mode_results.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/json.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/plane_media.h"
#include "src/model/tensor_planes.h"
#include "src/modes/mode_solver.h"
#include "src/modes/mode_sweep.h"
#include "src/modes/modes.h"
#include "src/results/picture.h"
#include "src/results/results_file.h"

/* Loss of power on the way [dB/cm]. */
static double loss_of(const struct tor_mode *m) { return 20 / log(10) * cimag(m->beta) * 0.01; }

/* The effective area [um^2], in 2-D the width [um]. */
static double area_of(const struct tor_mode_sweep *s, const struct tor_mode *m) {
  return m->area * (s->job->plane ? 1e6 : 1e12);
}

/* The plane's place along its axis [m]. */
static double place_of(const struct tor_plane_media *p) { return tor_grid_at(&p->grid, p->axis, p->node); }

static void print_table(const struct tor_mode_sweep *s) {
  const struct tor_plane_media *p = &s->plane;
  const double unit = s->job->length_unit;
  const int along = tor_plane_media_uniform(p, 0); /* 2-D: the line's axis, as next or last */
  printf("%s %c = %g %s, ", s->job->plane ? "line" : "plane", tor_axis_name(s->job, p->axis), place_of(p) / unit,
         tor_picture_unit(s->job));
  if (s->job->plane)
    printf("%d cells along %c, %s\n", p->n[along], tor_axis_name(s->job, along ? p->last : p->next),
           tor_plane_name(s->job->plane));
  else
    printf("%d x %d cells along %c and %c\n", p->n[0], p->n[1], tor_axis_name(s->job, p->next),
           tor_axis_name(s->job, p->last));
  printf("%10s %5s %11s %11s %9s %11s %6s %10s %7s\n", "wavelength", "mode", "n_eff", "k_eff", "n_group", "loss dB/cm",
         "TE", s->job->plane ? "width um" : "area um^2", "core");
  for (int q = 0; q < s->nwavelength; q++)
    for (int k = 0; k < s->found[q]; k++) {
      const struct tor_mode *m = tor_mode_sweep_at(s, q, k);
      printf("%10.6g %5d %11.6f %11.3e %9.4f %11.4g %6.3f %10.4g %7.4f%s\n", m->wavelength / unit, k, creal(m->n_eff),
             cimag(m->n_eff), creal(m->group), loss_of(m), m->te, area_of(s, m), m->core,
             m->evanescent ? "  evanescent" : "");
    }
}

static int write_csv(const struct tor_job *job, const struct tor_mode_sweep *s) {
  const char *path = tor_results_path(job, "modes.csv");
  FILE *f = tor_folder_create(path);
  if (!f) return tor_results_not_written(path, NULL);
  fprintf(f,
          "wavelength_nm,mode,n_eff,k_eff,n_group,beta_re_per_m,beta_im_per_m,loss_dB_per_cm,te_fraction,%s,"
          "core_fraction,residual\n",
          job->plane ? "width_um" : "area_um2");
  for (int q = 0; q < s->nwavelength; q++)
    for (int k = 0; k < s->found[q]; k++) {
      const struct tor_mode *m = tor_mode_sweep_at(s, q, k);
      fprintf(f, "%.10g,%d,%.12g,%.6e,%.10g,%.15g,%.8e,%.8e,%.8g,%.8g,%.8g,%.2e\n", m->wavelength / TOR_NM, k,
              creal(m->n_eff), cimag(m->n_eff), creal(m->group), creal(m->beta), cimag(m->beta), loss_of(m), m->te,
              area_of(s, m), m->core, m->residual);
    }
  if (tor_folder_commit(f, path)) return tor_results_not_written(path, NULL);
  return 0;
}

static void write_json(const struct tor_job *job, const struct tor_mode_sweep *s, int status, FILE *out) {
  int count = 0;
  fputs("{\n  \"format_version\": 1,\n  \"command\": \"modes\",\n  \"job\": ", out);
  tor_json_string(out, s->job->path);
  fprintf(out, ",\n  \"status\": %d,\n  \"folder\": ", status);
  tor_json_string(out, job->output);
  fprintf(out, ",\n  \"plane\": {\"axis\": \"%c\", \"cells\": [", tor_axis_name(job, s->plane.axis));
  if (job->plane)
    fprintf(out, "%d]", s->plane.n[tor_plane_media_uniform(&s->plane, 0)]);
  else
    fprintf(out, "%d, %d]", s->plane.n[0], s->plane.n[1]);
  tor_json_member_number(out, "position_m", place_of(&s->plane));
  fputs("},\n  \"modes\": [", out);
  for (int q = 0; q < s->nwavelength; q++)
    for (int k = 0; k < s->found[q]; k++) {
      const struct tor_mode *m = tor_mode_sweep_at(s, q, k);
      fprintf(out, "%s\n    {\"mode\": %d", count++ ? "," : "", k);
      tor_json_member_number(out, "wavelength_m", m->wavelength);
      tor_json_member_number(out, "n_eff", creal(m->n_eff));
      tor_json_member_number(out, "k_eff", cimag(m->n_eff));
      tor_json_member_number(out, "n_group", creal(m->group));
      tor_json_member_number(out, "loss_dB_per_cm", loss_of(m));
      tor_json_member_number(out, "te_fraction", m->te);
      tor_json_member_number(out, job->plane ? "width_m" : "area_m2", m->area);
      tor_json_member_number(out, "core_fraction", m->core);
      fprintf(out, ", \"evanescent\": %s}", m->evanescent ? "true" : "false");
    }
  fputs(count ? "\n  ]" : "]", out);
  fputs(",\n  \"failure\": ", out);
  tor_json_string(out, *s->why ? s->why : NULL);
  fputs(",\n  \"faults\": []\n}\n", out);
}

/* Warnings beside an answer as JSON. */
static void to_stderr(void *context, const char *mark, const struct tor_fault *line) {
  (void)context;
  fprintf(stderr, "torre modes: %s%s\n", mark, line->text);
}

static int can_solve(const struct tor_job *job, struct tor_faults *faults) {
  if (!tor_mode_solver_built())
    tor_fault(faults, "torre modes: this torre was built without ARPACK and SuperLU, need " TOR_NEEDED(
                          "a build with both (Debian, Ubuntu: libarpack2-dev libsuperlu-dev; docs/user/building.md)"));
  if (!job->modes.nwavelength)
    tor_fault_at(faults, tor_job_place(job, "modes"),
                 "missing, need " TOR_NEEDED("the group modes with a plane and "
                                             "wavelengths (torre keys modes)"));
  if (!faults->count) {
    struct tor_grid grid;
    tor_grid_make(job, &grid);
    tor_tensor_check_modes(job, &grid, faults);
  }
  return !faults->count;
}

/* The folder of the files, owned. */
static char *folder_of(const struct tor_job *job, int has_folder) {
  const size_t size = strlen(job->output) + sizeof "-modes";
  char *folder = tor_alloc(size, 1, "modes");
  snprintf(folder, size, "%s%s", job->output, has_folder ? "" : "-modes");
  return folder;
}

int tor_modes_command(const struct tor_job *job, const struct tor_modes_options *options, struct tor_faults *faults) {
  struct tor_mode_sweep sweep;
  char why[4096];
  if (!can_solve(job, faults)) return TOR_EXIT_USER;
  struct tor_job own = *job;
  own.output = folder_of(job, options->has_folder);
  if (tor_folder_make(own.output, why, sizeof why)) {
    tor_fault(faults, "%s", why);
    free(own.output);
    return TOR_EXIT_USER;
  }
  if (options->json) tor_log_redirect(to_stderr, NULL);
  tor_mode_sweep_make(job, &job->modes, &sweep);
  int failed = *sweep.why != 0;
  failed += write_csv(&own, &sweep) + tor_modes_write_h5(&own, &sweep);
  if (job->modes.image) failed += tor_modes_write_pictures(&own, &sweep);
  const int status = failed ? TOR_EXIT_FAILURE : TOR_EXIT_OK;
  if (options->json) {
    tor_log_redirect(NULL, NULL);
    write_json(&own, &sweep, status, stdout);
  } else {
    print_table(&sweep);
    printf("files in %s\n", own.output);
  }
  if (sweep.plane.lacks_metal_nodes)
    fprintf(stderr,
            "torre modes: these are modes of \"subpixel\", without the surface nodes that the plane's metal has "
            "in a run with averaging \"tensor\"\n");
  for (int k = 0; k < sweep.count; k++) {
    char text[512];
    if (tor_mode_sweep_beyond_text(&sweep, k, text, sizeof text))
      fprintf(stderr, "torre modes: mode %d: %s\n", k, text);
  }
  if (*sweep.why) fprintf(stderr, "torre modes: fewer modes than asked for: %s\n", sweep.why);
  tor_mode_sweep_free(&sweep);
  free(own.output);
  return status;
}
