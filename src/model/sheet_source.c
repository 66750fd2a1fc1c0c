/* Sheets: see sheet_source.h. */
#include "src/model/sheet_source.h"

#include <complex.h>
#include <stddef.h>

#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/sheet.h"
#include "src/model/profile.h"

struct tor_sheet *tor_sheet_outline(const struct tor_job *job, const struct tor_source *source,
                                    const struct tor_grid *g) {
  struct tor_sheet *s = tor_alloc(1, sizeof *s, "sources");
  s->axis = source->axis;
  s->direction = source->direction;
  s->node = tor_grid_node(g, s->axis, source->lo[s->axis]);
  s->nterms = TOR_SHEET_MOST_TERMS;
  s->has_nodes = source->kind == TOR_MODE_SOURCE && job->averaging == TOR_AVERAGE_TENSOR;
  for (int side = 0; side < 2; side++) {
    const int a = (s->axis + 1 + side) % 3;
    s->lo[side] = tor_grid_node(g, a, source->lo[a]);
    s->n[side] = g->plane && a == TOR_X ? 1 : tor_grid_node(g, a, source->hi[a]) - s->lo[side] + 1;
  }
  return s;
}

/* The number of a component's field among the profiles. */
static int field_of(const struct tor_sheet *sheet, int comp) {
  const int along = (tor_comp_axis(comp) - sheet->axis + 3) % 3;
  return along ? 2 * tor_comp_is_h(comp) + along - 1 : TOR_SHEET_NODES;
}

static int places(int order) { return order == 4 ? TOR_SHEET_PLACES : 1; }

int tor_sheet_width(const struct tor_sheet *sheet, int order, int is_h) {
  return (places(order) + (is_h && sheet->has_nodes ? 2 : 0)) * sheet->nterms;
}

/* The sheet's points of a component, of the columns of a block: first and last index along x, y, z; z
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
  return field == TOR_SHEET_NODES ? TOR_EX + s->axis : (field < 2 ? TOR_EX : TOR_HX) + (s->axis + 1 + field % 2) % 3;
}

/* How many values a profile has. */
static tor_gidx count_of(const struct tor_sheet *s, const struct tor_grid *g, int field,
                         const struct tor_column_block *block) {
  int first[3], last[3];
  if (field == TOR_SHEET_NODES && !s->has_nodes) return 0;
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

/* An injection into all points of a component at index `at` along the axis. */
struct injection {
  int comp, at;
  int of;          /* the component whose profile it has */
  int is_h, place; /* its signals: of E's or H's table, and their place there */
  double factor;
};

/* first[2]: the sheet's columns of the tables; profile: the place of its values in tor_slab.profile. */
static double inject_at(const struct tor_sheet *s, const struct tor_grid *g, const struct injection *in,
                        const int table_first[2], tor_gidx profile, const struct tor_column_block *block,
                        tor_inject_add *add, void *context) {
  const int at = in->at;
  int first[3], last[3];
  for (int field = 0; field < field_of(s, in->of); field++) profile += count_of(s, g, field, block);
  if (!points_of(s, g, in->of, block, first, last)) return 0;
  struct tor_inject entry = {.table = in->is_h ? TOR_INCIDENT_H : TOR_INCIDENT_E,
                             .index = table_first[in->is_h] + in->place * s->nterms,
                             .terms = s->nterms,
                             .factor = in->factor,
                             .profile = profile,
                             .z0 = s->axis == TOR_Z ? at : first[2]};
  entry.nz = last[2] - first[2] + 1;
  if (s->axis == TOR_X) first[0] = last[0] = at;
  if (s->axis == TOR_Y) first[1] = last[1] = at;
  if (block && (first[0] < block->x0 || last[0] >= block->x1 || first[1] < block->y0 || last[1] >= block->y1)) return 0;
  for (int ix = first[0]; ix <= last[0] && add; ix++)
    for (int iy = first[1]; iy <= last[1]; iy++, entry.profile += (tor_gidx)s->nterms * entry.nz)
      add(context, ix, iy, in->comp, &entry);
  return (double)(last[0] - first[0] + 1) * (last[1] - first[1] + 1);
}

/* What the differences of a component at index `at` read on the other side. */
static double inject_differences(const struct tor_sheet *s, const struct tor_grid *g, int comp, int at,
                                 const int first[2], tor_gidx profile, const struct tor_column_block *block,
                                 tor_inject_add *add, void *context) {
  const int reach = g->order == 4 ? 3 : 1, along = (tor_comp_axis(comp) - s->axis + 3) % 3;
  /* curl_j = D_k f_i - D_i f_k, curl_k = D_i f_j - D_j f_i; minus that for H */
  const int of_h = !tor_comp_is_h(comp), of = (of_h ? TOR_HX : TOR_EX) + (s->axis + 3 - along) % 3;
  const double sign = (along == 1) == of_h ? -1 : 1;
  const int u = 2 * at + tor_comp_half(comp, s->axis), here = is_total(s, u);
  const int nearest = 2 * s->node - (of_h ? s->direction : 0); /* of the places that are read */
  double count = 0;
  for (int shift = -reach; shift <= reach; shift += 2) {
    if (here == is_total(s, u + shift)) continue;
    const int place = places(g->order) / 2 + (u + shift - nearest) / 2;
    const struct injection in = {comp, at, of, of_h, place, sign * (here ? 1 : -1) * tor_grid_weight(shift)};
    count += inject_at(s, g, &in, first, profile, block, add, context);
  }
  return count;
}

/* Surface nodes of the plane carry a current along the axis, which E half a cell to both sides drives and has in its
 * curl: of the total field on one side and of what comes back on the other. E on each side lacks, or has too much, the
 * part of the current that the incident field on the other side would drive. */
static double inject_nodes(const struct tor_sheet *s, const struct tor_grid *g, const int first[2], tor_gidx profile,
                           const struct tor_column_block *block, tor_inject_add *add, void *context) {
  const int comp = TOR_EX + s->axis;
  double count = 0;
  for (int high = 0; high < 2 && s->has_nodes && tor_comp_exists(g->plane, comp); high++) {
    const int is_lacking = is_total(s, 2 * s->node + (high ? 1 : -1));
    const struct injection in = {comp, s->node - !high, comp, 1, places(g->order) + !high, is_lacking ? -1 : 1};
    count += inject_at(s, g, &in, first, profile, block, add, context);
  }
  return count;
}

static double inject_sheet(const struct tor_sheet *s, const struct tor_grid *g, const int first[2], tor_gidx profile,
                           const struct tor_column_block *block, tor_inject_add *add, void *context) {
  double count = 0;
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    if (tor_comp_axis(comp) == s->axis || !tor_comp_exists(g->plane, comp)) continue;
    for (int at = s->node - 2; at <= s->node + 2; at++)
      count += inject_differences(s, g, comp, at, first, profile, block, add, context);
  }
  return count + inject_nodes(s, g, first, profile, block, add, context);
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

/* Adds the real part of amplitude[places][nfreq][nterms] times the lines' turns at a time. */
static void add_lines(const struct tor_sheet *s, const double complex *amplitude, int places_count, double late,
                      double phase, double *to) {
  const int n = s->nterms;
  const double ramp = tor_profile_ramp(s->rise, late);
  for (int q = 0; q < s->nfreq; q++) {
    const double complex turn = ramp * cexp(CMPLX(0, -s->omega[q] * phase));
    for (int place = 0; place < places_count; place++) {
      const double complex *of = amplitude + ((size_t)place * (size_t)s->nfreq + (size_t)q) * (size_t)n;
      for (int m = 0; m < n; m++) to[place * n + m] += creal(of[m] * turn);
    }
  }
}

void tor_sheet_signals(const struct tor_sheet *s, int order, int is_h, double t, double *to) {
  const int used = places(order), shift = (TOR_SHEET_PLACES - used) / 2;
  const double late = t - s->start, phase = t - s->centre;
  for (int i = 0; i < tor_sheet_width(s, order, is_h); i++) to[i] = 0;
  if (late < 0 || t > s->end) return;
  add_lines(s, s->amplitude[is_h] + (size_t)shift * (size_t)s->nfreq * (size_t)s->nterms, used, late, phase, to);
  if (is_h && s->has_nodes) add_lines(s, s->node_amplitude, 2, late, phase, to + used * s->nterms);
}
