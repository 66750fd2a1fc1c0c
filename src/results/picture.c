/* Pictures of a plane of points: see picture.h. */
#include "src/results/picture.h"

#include <stdlib.h>

#include "src/base/units.h"

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
  int *media = calloc((size_t)s->nh * (size_t)s->nv, sizeof *media);
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

int tor_picture_write(const struct tor_job *job, const struct tor_grid *g, const char *path, const struct tor_patch *p,
                      const double *values, enum tor_image_mode mode, double limit, const char *title,
                      const char *label) {
  static const char *const axis[] = {"x [nm]", "y [nm]", "z [nm]"};
  const struct tor_picture_plane s = tor_picture_plane(p);
  int *media = media_of(job, g, p, &s);
  if (!media) return -1;
  struct tor_image image = {.nx = s.nh,
                            .ny = s.nv,
                            .values = values,
                            .outline = media,
                            .xlabel = axis[s.h],
                            .ylabel = axis[s.v],
                            .title = title,
                            .bar_label = label,
                            .mode = mode,
                            .limit = limit};
  for (int end = 0; end < 2; end++) {
    image.x[end] =
        (tor_grid_place(g, p->comp, s.h, p->first[s.h] + end * (s.nh - 1)) + (end - 0.5) * g->d[s.h]) / TOR_NM;
    image.y[end] =
        (tor_grid_place(g, p->comp, s.v, p->first[s.v] + end * (s.nv - 1)) + (end - 0.5) * g->d[s.v]) / TOR_NM;
  }
  int status = tor_image_write(path, &image);
  free(media);
  return status;
}
