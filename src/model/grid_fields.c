/* Fields of a file at the grid's own points: see grid_fields.h. */
#include "src/model/grid_fields.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/field_file.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/sheet.h"
#include "src/job/turn.h"
#include "src/model/band_sheet.h"
#include "src/model/plane_media.h"

enum { MOST_WAVELENGTHS = 12 };        /* of a polynomial through all of them */
static const double MOST_ERROR = 1e-9; /* of the terms, over the fields' norm */
static const double SAME = 0.01;       /* cells by which places may differ from the grid's */

struct maker {
  const struct tor_job *job;
  const struct tor_source *source;
  struct tor_plane_media plane;
  int any;     /* whether a value is not 0 */
  int missing; /* whether the file lacks a point, and which */
  int missing_comp;
  double missing_at[3]; /* in the job's axes [m] */
};

/* The number of x among rising places; -1: it is not there. */
static int find(const double *place, int n, double x, double slack) {
  int lo = 0, hi = n - 1;
  while (lo < hi) {
    const int middle = (lo + hi) / 2;
    if (place[middle] < x - slack)
      lo = middle + 1;
    else
      hi = middle;
  }
  return fabs(place[lo] - x) <= slack ? lo : -1;
}

/* The value of a component at a place of the grid, in V/m or A/m. */
static double complex value_at(struct maker *m, int comp, int frequency, const double at[3]) {
  struct tor_field_file *f = m->source->fields;
  const int number = 3 * tor_comp_is_h(comp) + tor_user_axis(m->job, tor_comp_axis(comp));
  const struct tor_field_component *c = tor_field_file_component(f, number);
  size_t to = 0, stride = 1;
  if (!c->value) return 0;
  for (int u = 0; u < 3; stride *= (size_t)c->n[u++]) {
    const int a = tor_axis_of_user(m->job, u);
    const int i = u < tor_user_axes(m->job) ? find(c->place[u], c->n[u], at[a], SAME * m->plane.grid.d[a]) : 0;
    if (i < 0) {
      if (!m->missing) m->missing_comp = number;
      for (int k = 0; k < 3 && !m->missing; k++) m->missing_at[tor_user_axis(m->job, k)] = at[k];
      m->missing = 1;
      return 0;
    }
    to += stride * (size_t)i;
  }
  return c->value[(size_t)f->row[frequency] * stride + to];
}

/* The part of its cell that a point of a component has in the plane, 0 where none is advanced. */
static double part_of(const struct tor_plane_media *p, int comp, int point, const int at[2]) {
  double part = p->cb[comp * p->npoints + point] != 0;
  for (int side = 0; side < 2; side++) {
    const int end = at[side] == p->n[side];
    if (tor_plane_media_uniform(p, side)) continue;
    if (tor_comp_half(comp, side ? p->last : p->next))
      part *= !end;
    else if (end || at[side] == 0)
      part *= p->wall[side][end] == TOR_PEC ? 0.5 : !(end && p->wall[side][1] == TOR_PERIODIC);
  }
  return part;
}

static void take_points(void *self, int frequency, int h, int place, double *to) {
  struct maker *m = self;
  const struct tor_plane_media *p = &m->plane;
  const struct tor_grid *g = &p->grid;
  const int at_node = p->node + place - TOR_SHEET_PLACES / 2;
  for (int side = 0; side < 2; side++) {
    const int comp = (h ? TOR_HX : TOR_EX) + (side ? p->last : p->next);
    double *re = to + side * p->npoints, *im = re + 2 * p->npoints;
    for (int i = 0; i < p->npoints; i++) {
      const int at[2] = {i / (p->n[1] + 1), i % (p->n[1] + 1)};
      const double part = tor_comp_exists(g->plane, comp) ? part_of(p, comp, i, at) : 0;
      double x[3];
      re[i] = im[i] = 0;
      if (!(part > 0)) continue;
      x[p->axis] = tor_grid_at(g, p->axis, at_node - 0.5 * h * m->source->direction);
      x[p->next] = tor_grid_place(g, comp, p->next, p->lo[0] + at[0]);
      x[p->last] = tor_grid_place(g, comp, p->last, p->lo[1] + at[1]);
      const double complex value = value_at(m, comp, frequency, x);
      const double scale = part * g->d[tor_comp_axis(comp)] * (h ? TOR_ETA0 : 1);
      re[i] = scale * creal(value);
      im[i] = scale * cimag(value);
      m->any |= re[i] != 0 || im[i] != 0;
    }
  }
}

/* Whether the plane reaches one of two periodic walls alone: a point there would have two values. */
static int is_cut_at_seam(const struct tor_plane_media *p, int side) {
  const int a = side ? p->last : p->next;
  return !tor_plane_media_uniform(p, side) && tor_grid_periodic(&p->grid, a) && p->lo[side] > 0 &&
         p->lo[side] + p->n[side] == p->grid.n[a];
}

/* Returns 0 with a fault. */
static int is_good(const struct maker *m, const struct tor_sheet *s, struct tor_faults *faults) {
  const struct tor_place *place = tor_job_source_place(m->job, m->source);
  const struct tor_field_file *f = m->source->fields;
  const double *x = m->missing_at;
  char third[40] = "";
  if (tor_user_axes(m->job) == 3) snprintf(third, sizeof third, ", %.6g", x[2] / TOR_NM);
  if (m->missing)
    tor_fault_at(faults, place,
                 "\"%s\": %c%c in %s has no point at (%.6g, %.6g%s) nm, need " TOR_NEEDED(
                     "all points of the grid in the plane; in order 4 also a cell to both sides"),
                 f->file, "EH"[m->missing_comp / 3], "xyz"[m->missing_comp % 3], f -> group, x[0] / TOR_NM,
                 x[1] / TOR_NM, third);
  else if (!m->any)
    tor_fault_at(faults, place, "\"%s\": %s has no fields along the plane, need " TOR_NEEDED("others than 0"), f->file,
                 f->group);
  else if (s->error > MOST_ERROR)
    tor_fault_at(faults, place,
                 "\"%s\": its fields need more than %d terms, need " TOR_NEEDED("fewer wavelengths (%d are always "
                                                                                "few enough)"),
                 f->file, TOR_SHEET_MOST_TERMS, TOR_SHEET_MOST_TERMS / (m->plane.grid.order == 4 ? 6 : 2));
  else
    return 1;
  return 0;
}

struct tor_sheet *tor_grid_fields_make(const struct tor_job *job, const struct tor_source *source,
                                       struct tor_faults *faults) {
  struct maker m = {.job = job, .source = source};
  const struct tor_field_file *f = source->fields;
  struct tor_sheet *sheet = NULL;
  struct tor_grid g;
  int box[2][2];
  if (!f || !f->nfreq) return NULL; /* a fault already */
  if (f->nfreq > MOST_WAVELENGTHS) {
    tor_fault_at(faults, tor_job_source_place(job, source),
                 "\"%s\": %s has " TOR_FOUND("%d wavelengths") ", need " TOR_NEEDED("at most %d with as_is"), f->file,
                 f->group, f->nfreq, MOST_WAVELENGTHS);
    return NULL;
  }
  tor_grid_make(job, &g);
  tor_plane_media_box(&g, source->axis, source->lo, source->hi, box);
  tor_plane_media_make(job, source->axis, tor_grid_node(&g, source->axis, source->lo[source->axis]),
                       (const int(*)[2])box, &m.plane);
  for (int side = 0; side < 2; side++)
    if (is_cut_at_seam(&m.plane, side))
      tor_fault_at(faults, tor_job_source_place(job, source),
                   "the plane ends at one periodic wall across %c, need " TOR_NEEDED("both, or one that ends before"),
                   tor_axis_name(job, side ? m.plane.last : m.plane.next));
  sheet = tor_band_sheet_through(&m.plane, source, f->nfreq, f->omega, take_points, &m);
  if (!is_good(&m, sheet, faults)) {
    tor_sheet_free(sheet);
    sheet = NULL;
  }
  tor_field_file_forget(source->fields);
  tor_plane_media_free(&m.plane);
  return sheet;
}

void tor_grid_fields_text(const struct tor_source *s, char *text, size_t size) {
  const struct tor_field_file *f = s->fields;
  snprintf(text, size, "source %s: %s of %s as they are, %d wavelength%s from %.6g to %.6g nm, %d term%s", s->name,
           f->group, f->file, f->nfreq, f->nfreq > 1 ? "s" : "", 2 * TOR_PI * TOR_C0 / f->omega[f->nfreq - 1] / TOR_NM,
           2 * TOR_PI * TOR_C0 / f->omega[0] / TOR_NM, s->sheet->nterms, s->sheet->nterms > 1 ? "s" : "");
}
