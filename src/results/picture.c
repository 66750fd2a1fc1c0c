/* Pictures of a plane of points: see picture.h. */
#include "src/results/picture.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/image/image.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/monitor.h"

struct tor_picture_plane tor_picture_plane(const struct tor_patch *p) {
  struct tor_picture_plane s = {.across = -1};
  for (int a = 0; a < 3; a++)
    if (p->count[a] == 1 && s.across < 0) s.across = a;
  if (s.across < 0) return s;
  s.h = s.across == TOR_X ? TOR_Y : TOR_X;
  s.v = s.across == TOR_Z ? TOR_Y : TOR_Z;
  s.nh = p->count[s.h];
  s.nv = p->count[s.v];
  return s;
}

/* Medium at each point of the plane: [nv][nh]; NULL with errno. */
static int *media_of(const struct tor_job *job, const struct tor_grid *g, const struct tor_patch *p,
                     const struct tor_picture_plane *s) {
  int *media = calloc((size_t)s->nh * (size_t)s->nv + 1, sizeof *media);
  if (!media) return NULL;
  for (int v = 0; v < s->nv; v++)
    for (int h = 0; h < s->nh; h++) {
      double x[3];
      for (int a = 0; a < 3; a++)
        x[a] = tor_grid_place(g, p->comp, a, p->first[a] + (a == s->h ? h : a == s->v ? v : 0));
      media[(size_t)v * (size_t)s->nh + (size_t)h] = tor_job_medium_at(job, x);
    }
  return media;
}

const char *tor_picture_unit(const struct tor_job *job) {
  const double unit = job->length_unit;
  return unit > 0.5 ? "m" : unit > 0.5e-3 ? "mm" : unit > 0.5e-6 ? "\xc2\xb5m" : unit > 0.5e-9 ? "nm" : "\xc3\x85";
}

const char *tor_picture_component(int comp) {
  static const char *const name[] = {"E_x", "E_y", "E_z", "H_x", "H_y", "H_z"};
  return name[comp];
}

int tor_picture_write(const struct tor_job *job, const struct tor_grid *g, const char *path, const struct tor_patch *p,
                      const double *values, enum tor_image_mode mode, double limit, const char *title,
                      const char *label) {
  const struct tor_picture_plane s = tor_picture_plane(p);
  const char *unit = tor_picture_unit(job);
  const double where = tor_grid_place(g, p->comp, s.across, p->first[s.across]) / job->length_unit;
  char xlabel[16], ylabel[16], full[256];
  snprintf(xlabel, sizeof xlabel, "%c [%s]", 'x' + s.h, unit);
  snprintf(ylabel, sizeof ylabel, "%c [%s]", 'x' + s.v, unit);
  snprintf(full, sizeof full, "%s, %c = %.6g %s", title, 'x' + s.across, where, unit);
  int *media = media_of(job, g, p, &s);
  if (!media) return -1;
  struct tor_image image = {.nx = s.nh,
                            .ny = s.nv,
                            .values = values,
                            .outline = media,
                            .xlabel = xlabel,
                            .ylabel = ylabel,
                            .title = full,
                            .bar_label = label,
                            .mode = mode,
                            .limit = limit};
  for (int end = 0; end < 2; end++) {
    const double out = end - 0.5; /* half a cell beyond the last point */
    image.x[end] = tor_grid_place(g, p->comp, s.h, p->first[s.h] + end * (s.nh - 1)) + out * g->d[s.h];
    image.y[end] = tor_grid_place(g, p->comp, s.v, p->first[s.v] + end * (s.nv - 1)) + out * g->d[s.v];
    image.x[end] /= job->length_unit;
    image.y[end] /= job->length_unit;
  }
  int status = tor_image_write(path, &image);
  free(media);
  return status;
}
