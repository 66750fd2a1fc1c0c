/* Pictures of a plane of points: see picture.h. */
#include "src/results/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/image/image.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/monitor.h"
#include "src/results/section.h"

static const double PERCENT = 99.5, MOST_DECADES = 6; /* of a logarithmic scale */

/* --- Points --- */

struct tor_picture_plane tor_picture_plane(const struct tor_grid *g, const struct tor_patch *p) {
  struct tor_picture_plane s = {.across = -1};
  for (int a = 0; a < 3; a++)
    if (p->count[a] == 1 && s.across < 0) s.across = a;
  if (s.across < 0) return s;
  tor_turn_plane(g->turn, s.across, &s.h, &s.v);
  s.nh = p->count[s.h];
  s.nv = p->count[s.v];
  s.place = tor_grid_place(g, p->comp, s.across, p->first[s.across]);
  for (int end = 0; end < 2; end++) {
    const double out = end - 0.5;
    s.x[end] = tor_grid_place(g, p->comp, s.h, p->first[s.h] + end * (s.nh - 1)) + out * g->d[s.h];
    s.y[end] = tor_grid_place(g, p->comp, s.v, p->first[s.v] + end * (s.nv - 1)) + out * g->d[s.v];
  }
  return s;
}

/* Cells along an axis for which a patch has points: its own, or those between two of its nodes. */
static void cells_of(const struct tor_patch *p, int axis, int *first, int *last) {
  const int between = !tor_comp_half(p->comp, axis) && p->count[axis] > 1;
  *first = p->first[axis];
  *last = p->first[axis] + p->count[axis] - 1 - between;
}

struct tor_picture_plane tor_picture_cells(const struct tor_grid *g, const struct tor_patch *patch, int n) {
  struct tor_picture_plane s = tor_picture_plane(g, patch);
  if (s.across < 0) return s;
  for (int k = 0; k < 2; k++) {
    const int a = k ? s.v : s.h;
    int lo = tor_grid_first(g, a), hi = g->n[a] - 1, first, last;
    for (int i = 0; i < n; i++) {
      cells_of(&patch[i], a, &first, &last);
      lo = first > lo ? first : lo;
      hi = last < hi ? last : hi;
    }
    const int count = hi >= lo ? hi - lo + 1 : 0;
    *(k ? &s.nv : &s.nh) = count;
    double *edge = k ? s.y : s.x;
    edge[0] = tor_grid_at(g, a, lo);
    edge[1] = edge[0] + count * g->d[a];
  }
  for (int i = 0; i < n; i++) /* of a component on the plane's own node */
    if (!tor_comp_half(patch[i].comp, s.across))
      s.place = tor_grid_place(g, patch[i].comp, s.across, patch[i].first[s.across]);
  if (!s.nh || !s.nv) s.across = -1;
  return s;
}

void tor_picture_add_square(const struct tor_picture_plane *cells, const struct tor_grid *g, const struct tor_patch *p,
                            const double *re, const double *im, double *sum) {
  const int axis[2] = {cells->h, cells->v};
  int shift[2], between[2];
  for (int k = 0; k < 2; k++) {
    const int a = axis[k], cell = (int)lround(((k ? cells->y : cells->x)[0] - g->lo[a]) / g->d[a]);
    shift[k] = cell - p->first[a];
    between[k] = !tor_comp_half(p->comp, a) && p->count[a] > 1;
  }
  for (int v = 0; v < cells->nv; v++)
    for (int h = 0; h < cells->nh; h++) {
      double value[2] = {0, 0};
      for (int j = 0; j <= between[1]; j++)
        for (int i = 0; i <= between[0]; i++) {
          const size_t at = (size_t)(v + shift[1] + j) * (size_t)p->count[cells->h] + (size_t)(h + shift[0] + i);
          value[0] += re[at];
          if (im) value[1] += im[at];
        }
      const double parts = (1 + between[0]) * (1 + between[1]);
      sum[(size_t)v * (size_t)cells->nh + (size_t)h] += (value[0] * value[0] + value[1] * value[1]) / (parts * parts);
    }
}

/* --- Words --- */

const char *tor_picture_unit(const struct tor_job *job) {
  const double unit = job->length_unit;
  return unit > 0.5 ? "m" : unit > 0.5e-3 ? "mm" : unit > 0.5e-6 ? "\xc2\xb5m" : unit > 0.5e-9 ? "nm" : "\xc3\x85";
}

const char *tor_picture_component(const struct tor_job *job, int comp) {
  static const char *const name[] = {"E_x", "E_y", "E_z", "H_x", "H_y", "H_z"};
  return name[tor_user_comp(job, comp)];
}

const char *tor_picture_name(const struct tor_job *job, enum tor_picture_of of, int comp) {
  static _Thread_local char name[32];
  switch (of) {
  case TOR_PICTURE_E: return "E";
  case TOR_PICTURE_H: return "H";
  case TOR_PICTURE_INTENSITY: return "intensity";
  case TOR_PICTURE_ABSORPTION: return "absorption";
  case TOR_PICTURE_REAL: snprintf(name, sizeof name, "%s_real", tor_job_comp_name(job, comp)); return name;
  case TOR_PICTURE_PHASE: snprintf(name, sizeof name, "%s_phase", tor_job_comp_name(job, comp)); return name;
  default: return tor_job_comp_name(job, comp);
  }
}

/* The name of what is shown, and its symbol. */
static void words_of(const struct tor_picture *p, char *words, char *symbol, size_t size) {
  const char *comp = tor_picture_component(p->job, p->comp), *field = tor_comp_is_h(p->comp) ? "Magnetic" : "Electric";
  switch (p->of) {
  case TOR_PICTURE_VALUE:
    snprintf(words, size, "%s field %s", field, comp);
    snprintf(symbol, size, "%s", comp);
    break;
  case TOR_PICTURE_AMPLITUDE:
    snprintf(words, size, "Amplitude of %s", comp);
    snprintf(symbol, size, "|%s|", comp);
    break;
  case TOR_PICTURE_REAL:
    snprintf(words, size, "Real part of %s", comp);
    snprintf(symbol, size, "Re %s", comp);
    break;
  case TOR_PICTURE_PHASE:
    snprintf(words, size, "Phase of %s", comp);
    snprintf(symbol, size, "phase of %s", comp);
    break;
  case TOR_PICTURE_E: snprintf(words, size, "Electric field |E|"), snprintf(symbol, size, "|E|"); break;
  case TOR_PICTURE_H: snprintf(words, size, "Magnetic field |H|"), snprintf(symbol, size, "|H|"); break;
  case TOR_PICTURE_INTENSITY: snprintf(words, size, "Intensity |E|^2"), snprintf(symbol, size, "|E|^2"); break;
  case TOR_PICTURE_ABSORPTION:
    snprintf(words, size, "Absorbed power");
    snprintf(symbol, size, "power per volume");
    break;
  }
}

static int is_signed(const struct tor_picture *p) { return p->of == TOR_PICTURE_VALUE || p->of == TOR_PICTURE_REAL; }

/* The scale's name: symbol and unit. */
static void label_of(const struct tor_picture *p, const char *symbol, char *label, size_t size) {
  const int log = p->monitor->image_log && is_signed(p), squared = p->of == TOR_PICTURE_INTENSITY;
  const char *bar = log ? "|" : "";
  if (p->of == TOR_PICTURE_PHASE)
    snprintf(label, size, "%s%s [degrees]", symbol, p->relative ? " against the incident wave" : "");
  else if (p->relative)
    snprintf(label, size, "%s%s%s / incident %s", bar, symbol, bar, squared ? "intensity" : "amplitude");
  else
    snprintf(label, size, "%s%s%s [%s]", bar, symbol, bar, p->unit);
}

/* --- Scale --- */

/* Whether point i of n between the edges of an axis lies in its absorbing layers. */
static int in_layers(const struct tor_grid *g, int axis, const double edge[2], int i, int n) {
  const double x = edge[0] + (i + 0.5) * (edge[1] - edge[0]) / n;
  return x < tor_grid_low(g, axis) + tor_grid_layer(g, 2 * axis) * g->d[axis] ||
         x > tor_grid_at(g, axis, g->n[axis] - tor_boundary_layer(&g->face[2 * axis + 1]));
}

/* The values outside the absorbing layers, where fields have no meaning, to be freed: *n of them; all, where there are
 * none. NULL: no memory. */
static double *values_outside(const struct tor_picture *p, size_t *n) {
  const struct tor_picture_plane *s = p->plane;
  double *values = malloc(((size_t)s->nh * (size_t)s->nv + 1) * sizeof *values);
  *n = 0;
  for (int all = 0; all < 2 && values && !*n; all++)
    for (int v = 0; v < s->nv; v++)
      for (int h = 0; h < s->nh; h++)
        if (all || !(in_layers(p->grid, s->v, s->y, v, s->nv) || in_layers(p->grid, s->h, s->x, h, s->nh)))
          values[(*n)++] = p->values[(size_t)v * (size_t)s->nh + (size_t)h];
  return values;
}

/* Where the colours end, and what the picture says about it. */
static void set_scale(const struct tor_picture *p, struct tor_image *image, char *note, size_t size) {
  const size_t points = (size_t)p->plane->nh * (size_t)p->plane->nv;
  const double given = p->monitor->image_limit;
  *note = 0;
  if (p->of == TOR_PICTURE_PHASE) {
    image->mode = TOR_IMAGE_CYCLIC;
    return;
  }
  image->mode = is_signed(p) && !p->monitor->image_log ? TOR_IMAGE_DIVERGING : TOR_IMAGE_SEQUENTIAL;
  size_t n = points;
  double *outside = values_outside(p, &n);
  const double *values = outside ? outside : p->values, largest = tor_image_largest(values, n);
  image->limit = given < 0 ? tor_image_percentile(values, n, PERCENT) : given > 0 ? given : largest;
  if (image->limit < largest && given < 0)
    snprintf(note, size, "The colours end at %.3g, the %gth percentile; the largest value is %.3g.", image->limit,
             PERCENT, largest);
  else if (image->limit < largest)
    snprintf(note, size, "The colours end at %.3g; the largest value is %.3g.", image->limit, largest);
  image->log = p->monitor->image_log && image->limit > 0;
  const double least = image->log ? tor_image_percentile(values, n, 100 - PERCENT) : 0;
  free(outside);
  if (!image->log) return;
  for (size_t i = 0; i < points; i++) p->values[i] = fabs(p->values[i]);
  image->lowest = fmin(fmax(least, image->limit * pow(10, -MOST_DECADES)), image->limit / 10);
}

int tor_picture_write(const char *path, const struct tor_picture *p) {
  const struct tor_picture_plane *s = p->plane;
  const double unit = p->job->length_unit;
  const char *name = tor_picture_unit(p->job);
  char words[96], symbol[32], label[128], xlabel[16], ylabel[16], text[256], note[128];
  words_of(p, words, symbol, sizeof symbol);
  label_of(p, symbol, label, sizeof label);
  snprintf(xlabel, sizeof xlabel, "%c [%s]", tor_axis_name(p->job, s->h), name);
  snprintf(ylabel, sizeof ylabel, "%c [%s]", tor_axis_name(p->job, s->v), name);
  const int used = snprintf(text, sizeof text, "%s %s", words, p->when);
  if (!p->job->plane)
    snprintf(text + used, sizeof text - (size_t)used, ", %c = %.6g %s", tor_axis_name(p->job, s->across),
             s->place / unit, name);
  struct tor_image image = {.nx = s->nh,
                            .ny = s->nv,
                            .values = p->values,
                            .x = {s->x[0] / unit, s->x[1] / unit},
                            .y = {s->y[0] / unit, s->y[1] / unit},
                            .xlabel = xlabel,
                            .ylabel = ylabel,
                            .title = p->job->title && *p->job->title ? p->job->title : NULL,
                            .subtitle = text,
                            .bar_label = label};
  set_scale(p, &image, note, sizeof note);
  image.note = *note ? note : NULL;
  struct tor_section section;
  struct tor_lines lines = {0};
  const double lo[2] = {s->x[0], s->y[0]}, hi[2] = {s->x[1], s->y[1]};
  tor_section_open(&section, p->job, s->across, s->place, lo, hi);
  tor_section_surfaces(&section, &lines);
  tor_section_sheets(&section, p->grid, &lines);
  tor_section_wave_boxes(&section, p->grid, &lines);
  tor_section_layers(&section, p->grid, &lines);
  tor_lines_end(&lines, unit);
  image.npath = lines.npath;
  image.path = lines.path;
  const int status = tor_image_write(path, &image);
  tor_lines_free(&lines);
  tor_section_close(&section);
  return status;
}
