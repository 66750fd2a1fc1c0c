/* torre show: see show_cli.h. */
#include "src/show_cli.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/image/image.h"
#include "src/base/command_line.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/averaging.h"
#include "src/results/scene_picture.h"

static const char doc[] =
    "Draws sections of a job before it is run: media, sheets, absorbing layers, the total-field box, monitors and "
    "sources. Nothing is run.\v"
    "Without --plane the sections through the origin are drawn: JOB-x.png, JOB-y.png and JOB-z.png, or, of a domain of "
    "one cell along an axis, the one across it. Files are written over.\n\n"
    "Examples:\n"
    "  torre show job.cfg\n"
    "  torre show job.cfg --plane z=-20 --out section.svg\n"
    "  torre show job.cfg --plane y=0 --set objects[0].radius=60";

enum { KEY_PLANE = 256, KEY_OUT, KEY_SET };

static const struct argp_option options[] = {
    {"plane", KEY_PLANE, "AXIS=PLACE", 0, "The plane, in the job's unit of length, e.g. z=0 (may be repeated)", 0},
    {"out", KEY_OUT, "FILE", 0, "The picture: .png, .svg or .pdf; of several planes FILE-x.png ...", 0},
    {"set", KEY_SET, "PATH=VALUE", 0, "Override any key of the job (may be repeated)", 0},
    {0}};

enum { MOST = 64 };
struct plane {
  int across;
  double at; /* in the job's unit */
};
struct show {
  const char *job, *out;
  int nplanes, nsets;
  struct plane planes[MOST];
  const char *sets[MOST];
};

static void take_plane(struct show *s, const char *arg, struct argp_state *state) {
  char *end = NULL;
  const double at = *arg >= 'x' && *arg <= 'z' && arg[1] == '=' ? strtod(arg + 2, &end) : 0;
  if (!end || end == arg + 2 || *end || !isfinite(at))
    argp_error(state, "--plane: got \"%s\", need an axis and a place, such as z=0", arg);
  if (s->nplanes == MOST) argp_error(state, "--plane: need at most %d planes", MOST);
  s->planes[s->nplanes++] = (struct plane){*arg - 'x', at};
}

static int has_form(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (!strcmp(dot, ".png") || !strcmp(dot, ".svg") || !strcmp(dot, ".pdf"));
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct show *s = state->input;
  switch (key) {
  case KEY_PLANE: take_plane(s, arg, state); return 0;
  case KEY_OUT:
    if (!has_form(arg)) argp_error(state, "--out: got \"%s\", need a name that ends in .png, .svg or .pdf", arg);
    s->out = arg;
    return 0;
  case KEY_SET:
    if (!strchr(arg, '=')) argp_error(state, "--set %s: need PATH=VALUE", arg);
    if (s->nsets == MOST) argp_error(state, "--set: need at most %d of them", MOST);
    s->sets[s->nsets++] = arg;
    return 0;
  case ARGP_KEY_ARG:
    if (s->job) argp_error(state, "unexpected argument \"%s\"", arg);
    s->job = arg;
    return 0;
  case ARGP_KEY_END:
    if (!s->job) argp_error(state, "need a job file");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

const struct argp tor_show_argp = {options, parse_option, "JOB.cfg", doc, 0, 0, 0};

/* The planes through the origin; of a flat domain the one across its axis of one cell. */
static void default_planes(struct show *s, const struct tor_grid *g) {
  for (int a = 0; a < 3; a++)
    if (g->n[a] == 1 && !s->nplanes) s->planes[s->nplanes++] = (struct plane){a, 0};
  for (int a = 0; a < 3 && (!s->nplanes || g->n[s->planes[0].across] > 1); a++)
    s->planes[s->nplanes++] = (struct plane){a, 0};
}

/* The file of plane i: --out, or the job's name in the present folder; with its axis where there are several. */
static void name_file(const struct show *s, const struct tor_job *job, int i, char *path, size_t size) {
  const char *slash = strrchr(s->job, '/'), *from = s->out ? s->out : slash ? slash + 1 : s->job;
  const char *dot = strrchr(from, '.'), *form = s->out ? dot : ".png";
  const int stem = dot && dot > from ? (int)(dot - from) : (int)strlen(from),
            axis = tor_axis_name(job, s->planes[i].across);
  int alike = 0; /* earlier planes across the same axis */
  for (int k = 0; k < i; k++) alike += s->planes[k].across == s->planes[i].across;
  if (s->out && s->nplanes == 1)
    snprintf(path, size, "%s", s->out);
  else if (alike)
    snprintf(path, size, "%.*s-%c%d%s", stem, from, axis, alike + 1, form);
  else
    snprintf(path, size, "%.*s-%c%s", stem, from, axis, form);
}

/* The exit status. */
static int draw(const struct show *s, const struct tor_job *job, const struct tor_grid *g) {
  for (int i = 0; i < s->nplanes; i++) {
    const struct plane *p = &s->planes[i];
    const double at = p->at * job->length_unit, end = tor_grid_at(g, p->across, g->n[p->across]);
    if (job->plane && p->across != TOR_X) {
      fprintf(stderr, "torre: show: the job is 2-D and has one plane, z = 0: need no --plane\n");
      return TOR_EXIT_USER;
    }
    if (at >= tor_grid_low(g, p->across) && at <= end) continue;
    fprintf(stderr, "torre: show: --plane %c=%g: outside the domain, need %g to %g\n", tor_axis_name(job, p->across),
            p->at, tor_grid_low(g, p->across) / job->length_unit, end / job->length_unit);
    return TOR_EXIT_USER;
  }
  for (int i = 0; i < s->nplanes; i++) {
    char path[4096];
    name_file(s, job, i, path, sizeof path);
    if (tor_scene_picture_write(path, job, g, s->planes[i].across, s->planes[i].at * job->length_unit)) {
      tor_text_print(stderr, "torre: show: %s could not be written: %s\n", path, strerror(errno));
      return TOR_EXIT_FAILURE;
    }
    tor_text_print(stdout, "wrote %s\n", path);
  }
  return TOR_EXIT_OK;
}

int tor_show_main(int argc, char **argv) {
  struct show s = {0};
  struct tor_job job;
  struct tor_grid grid;
  struct tor_faults faults = {0};
  char name[] = "torre show";
  argv[0] = name;
  tor_command_line_parse(&tor_show_argp, argc, argv, &s, TOR_EXIT_USER);
  if (!tor_image_version()) {
    fprintf(stderr, "torre: show: this build has no cairo, which draws the pictures\n");
    return TOR_EXIT_USER;
  }
  if (!tor_averaging_read(s.job, s.sets, s.nsets, &job, &faults)) {
    tor_faults_print(&faults, stderr);
    tor_faults_free(&faults);
    return TOR_EXIT_USER;
  }
  tor_grid_make(&job, &grid);
  for (int i = 0; i < s.nplanes; i++) s.planes[i].across = tor_axis_of_user(&job, s.planes[i].across);
  if (!s.nplanes) default_planes(&s, &grid);
  const int status = draw(&s, &job, &grid);
  tor_job_free(&job);
  return status;
}
