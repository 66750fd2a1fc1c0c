/* Sheets: see sheet_source.h. */
#include "src/model/sheet_source.h"

#include <complex.h>
#include <math.h>
#include <stddef.h>

#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/sheet.h"
#include "src/model/profile.h"

struct tor_sheet *tor_sheet_outline(const struct tor_source *source, const struct tor_grid *g) {
  struct tor_sheet *s = tor_alloc(1, sizeof *s, "sources");
  s->axis = source->axis;
  s->direction = source->direction;
  s->node = tor_grid_node(g, s->axis, source->lo[s->axis]);
  s->nterms = TOR_SHEET_MOST_TERMS;
  for (int side = 0; side < 2; side++) {
    const int a = (s->axis + 1 + side) % 3;
    s->lo[side] = tor_grid_node(g, a, source->lo[a]);
    s->n[side] = g->plane && a == TOR_X ? 1 : tor_grid_node(g, a, source->hi[a]) - s->lo[side] + 1;
  }
  return s;
}

int tor_sheet_field(const struct tor_sheet *sheet, int comp) {
  const int along = (tor_comp_axis(comp) - sheet->axis + 3) % 3;
  return along ? 2 * tor_comp_is_h(comp) + along - 1 : -1;
}

static int places(int order) { return order == 4 ? TOR_SHEET_PLACES : 1; }

int tor_sheet_width(const struct tor_sheet *sheet, int order) { return places(order) * sheet->nterms; }

/* The sheet's points of a component across its axis, of the columns of a block: first and last index along x, y, z; z
 * is whole. Returns whether there are any. */
static int points_of(const struct tor_sheet *s, const struct tor_grid *g, int comp,
                     const struct tor_column_block *block, int first[3], int last[3]) {
  for (int side = 0; side < 2; side++) {
    const int a = (s->axis + 1 + side) % 3, end = tor_grid_last(g, comp, a);
    first[a] = s->lo[side];
    last[a] = s->lo[side] + s->n[side] - 1 - (g->plane && a == TOR_X ? 0 : tor_comp_half(comp, a));
    if (last[a] > end) last[a] = end;
    if (tor_grid_periodic(g, a) && last[a] == g->n[a]) last[a]--; /* that is 0 */
  }
  first[s->axis] = last[s->axis] = s->node;
  for (int a = 0; block && a < 2; a++) {
    const int from = a ? block->y0 : block->x0, past = a ? block->y1 : block->x1;
    if (a == s->axis) continue;
    if (first[a] < from) first[a] = from;
    if (last[a] >= past) last[a] = past - 1;
  }
  return first[0] <= last[0] && first[1] <= last[1] && first[2] <= last[2];
}

/* The component of a profile. */
static int comp_of(const struct tor_sheet *s, int field) {
  return (field < 2 ? TOR_EX : TOR_HX) + (s->axis + 1 + field % 2) % 3;
}

/* How many values a profile has. */
static tor_gidx count_of(const struct tor_sheet *s, const struct tor_grid *g, int field,
                         const struct tor_column_block *block) {
  int first[3], last[3];
  if (!tor_comp_exists(g->plane, comp_of(s, field)) || !points_of(s, g, comp_of(s, field), block, first, last))
    return 0;
  return (tor_gidx)(last[0] - first[0] + 1) * (last[1] - first[1] + 1) * (last[2] - first[2] + 1) * s->nterms;
}

/* Values of a sheet's profiles; to: NULL, or where they go. Returns their number. */
static tor_gidx values_of(const struct tor_sheet *s, const struct tor_grid *g, const struct tor_column_block *block,
                          enum tor_precision precision, void *to) {
  const int next = (s->axis + 1) % 3, last_axis = (s->axis + 2) % 3;
  tor_gidx count = 0;
  for (int field = 0; field < TOR_SHEET_FIELDS; field++) {
    int first[3], last[3], at[3];
    const tor_gidx values = count_of(s, g, field, block);
    if (!to || !values) {
      count += values;
      continue;
    }
    points_of(s, g, comp_of(s, field), block, first, last);
    for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
      for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
        for (int m = 0; m < s->nterms; m++)
          for (at[2] = first[2]; at[2] <= last[2]; at[2]++, count++) {
            const int point = (at[next] - s->lo[0]) * s->n[1] + at[last_axis] - s->lo[1];
            const double value = s->profile[field][(size_t)m * (size_t)(s->n[0] * s->n[1]) + (size_t)point];
            if (precision == TOR_F32)
              ((float *)to)[count] = (float)value;
            else
              ((double *)to)[count] = value;
          }
  }
  return count;
}

/* Whether half-cell coordinate u along the axis belongs to the total field. */
static int is_total(const struct tor_sheet *s, int u) { return s->direction > 0 ? u >= 2 * s->node : u <= 2 * s->node; }

/* Injections of a component at index `at` along the axis, whose difference reads `of` `shift` half cells away on the
 * other side. */
static double inject_at(const struct tor_sheet *s, const struct tor_grid *g, int comp, int of, int at, int shift,
                        double factor, const int table_first[2], tor_gidx profile, const struct tor_column_block *block,
                        tor_inject_add *add, void *context) {
  const int is_h = tor_comp_is_h(of), across = 2 * at + tor_comp_half(comp, s->axis) + shift;
  /* The place: half cells from the nearest one that is read. */
  const int nearest = 2 * s->node - (is_h ? s->direction : 0), place = places(g->order) / 2 + (across - nearest) / 2;
  int first[3], last[3];
  for (int field = 0; field < tor_sheet_field(s, of); field++) profile += count_of(s, g, field, block);
  if (!points_of(s, g, of, block, first, last)) return 0;
  struct tor_inject entry = {.table = is_h ? TOR_INCIDENT_H : TOR_INCIDENT_E,
                             .index = table_first[is_h] + place * s->nterms,
                             .terms = s->nterms,
                             .factor = factor,
                             .profile = profile,
                             .z0 = s->axis == TOR_Z ? at : first[2]};
  entry.nz = last[2] - first[2] + 1;
  if (s->axis == TOR_X) first[0] = last[0] = at;
  if (s->axis == TOR_Y) first[1] = last[1] = at;
  if (block && (first[0] < block->x0 || last[0] >= block->x1 || first[1] < block->y0 || last[1] >= block->y1)) return 0;
  for (int ix = first[0]; ix <= last[0] && add; ix++)
    for (int iy = first[1]; iy <= last[1]; iy++, entry.profile += (tor_gidx)s->nterms * entry.nz)
      add(context, ix, iy, comp, &entry);
  return (double)(last[0] - first[0] + 1) * (last[1] - first[1] + 1);
}

/* first[2]: the sheet's columns of the tables; profile: the place of its values in tor_slab.profile. */
static double inject_sheet(const struct tor_sheet *s, const struct tor_grid *g, const int first[2], tor_gidx profile,
                           const struct tor_column_block *block, tor_inject_add *add, void *context) {
  const int reach = g->order == 4 ? 3 : 1;
  double count = 0;
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    const int along = (tor_comp_axis(comp) - s->axis + 3) % 3;
    if (!along || !tor_comp_exists(g->plane, comp)) continue;
    /* curl_j = D_k f_i - D_i f_k, curl_k = D_i f_j - D_j f_i; minus that for H */
    const int h = tor_comp_is_h(comp), of = (h ? TOR_EX : TOR_HX) + (s->axis + 3 - along) % 3;
    const double sign = (along == 1) != h ? -1 : 1;
    const int half = tor_comp_half(comp, s->axis);
    for (int at = s->node - 2; at <= s->node + 2; at++)
      for (int shift = -reach; shift <= reach; shift += 2) {
        const int u = 2 * at + half, here = is_total(s, u);
        if (here == is_total(s, u + shift)) continue;
        count += inject_at(s, g, comp, of, at, shift, sign * (here ? 1 : -1) * tor_grid_weight(shift), first, profile,
                           block, add, context);
      }
  }
  return count;
}

tor_gidx tor_sheets_values(const struct tor_sheet_source *sheet, int count, const struct tor_grid *g,
                           const struct tor_column_block *block, enum tor_precision precision, void *to) {
  tor_gidx all = 0;
  for (int i = 0; i < count; i++)
    all += values_of(sheet[i].sheet, g, block, precision, to ? (char *)to + all * precision : NULL);
  return all;
}

double tor_sheets_inject(const struct tor_sheet_source *sheet, int count, const struct tor_grid *g,
                         const struct tor_column_block *block, tor_inject_add *add, void *context) {
  double all = 0;
  tor_gidx profile = 0;
  for (int i = 0; i < count; i++) {
    all += inject_sheet(sheet[i].sheet, g, sheet[i].first, profile, block, add, context);
    profile += values_of(sheet[i].sheet, g, block, TOR_F64, NULL);
  }
  return all;
}

void tor_sheet_signals(const struct tor_sheet *s, int order, int is_h, double t, double *to) {
  const int n = s->nterms, shift = (TOR_SHEET_PLACES - places(order)) / 2;
  const double late = t - s->start;
  for (int i = 0; i < n * places(order); i++) to[i] = 0;
  if (late < 0 || t > s->end) return;
  const double phase = t - s->centre;
  const double ramp = tor_profile_ramp(s->rise, late);
  for (int q = 0; q < s->nfreq; q++) {
    const double complex turn = ramp * cexp(CMPLX(0, -s->omega[q] * phase));
    for (int place = 0; place < places(order); place++) {
      const double complex *amplitude =
          s->amplitude[is_h] + ((size_t)(place + shift) * (size_t)s->nfreq + (size_t)q) * (size_t)n;
      for (int m = 0; m < n; m++) to[place * n + m] += creal(amplitude[m] * turn);
    }
  }
}
