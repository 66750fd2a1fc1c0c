/* Sheets in sections of the scene: see section.h. They are sampled a pixel apart, and their ends between two samples
 * found by bisection, to a thousandth of a pixel. */
#include <math.h>
#include <stdlib.h>

#include "io/image/image.h"
#include "src/base/error.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/thin_sheet.h"
#include "src/results/section.h"

/* A sheet in a section; of one across it the plane of the section is its own. */
struct cut {
  const struct tor_section *section;
  const struct tor_thin_sheet *sheet;
};

static int is_on(const struct cut *c, const double p[2]) {
  const struct tor_section *s = c->section;
  double x[3];
  x[s->across] = s->at, x[s->h] = p[0], x[s->v] = p[1];
  x[c->sheet->axis] = c->sheet->position;
  return tor_thin_sheet_contains(s->job, c->sheet, x);
}

/* Between p, which the sheet has or (in = 0) has not, and q, of which the other is true. */
static void find_end(const struct cut *c, const double p[2], int in, const double q[2], double at[2]) {
  double from = 0, to = 1;
  for (int step = 0; step < 10; step++) {
    const double t = 0.5 * (from + to);
    for (int a = 0; a < 2; a++) at[a] = p[a] + t * (q[a] - p[a]);
    *(is_on(c, at) == in ? &from : &to) = t;
  }
}

static void add_line(const double p[2], const double q[2], struct tor_lines *to) {
  tor_lines_begin(to, TOR_IMAGE_SHEETS);
  tor_lines_add(to, p[0], p[1]);
  tor_lines_add(to, q[0], q[1]);
}

static int pixels(const struct tor_section *s, int a) { return (int)ceil((s->hi[a] - s->lo[a]) / s->pixel); }

/* A sheet along an axis of the picture (0: upright, 1: level): the parts of its line that it has. */
static void add_edge_on(const struct cut *c, int a, struct tor_lines *to) {
  const struct tor_section *s = c->section;
  const int n = pixels(s, !a);
  double first[2], before[2], here[2], end[2];
  int was = 0;
  first[a] = before[a] = here[a] = c->sheet->position;
  for (int i = 0; i < n; i++) {
    here[!a] = s->lo[!a] + (i + 0.5) / n * (s->hi[!a] - s->lo[!a]);
    const int is = is_on(c, here);
    if (is != was && i) find_end(c, before, was, here, end);
    if (is != was && !i) end[a] = here[a], end[!a] = s->lo[!a];
    if (is && !was) first[!a] = end[!a];
    if (was && !is) add_line(first, end, to);
    before[!a] = here[!a];
    was = is;
  }
  end[a] = c->sheet->position, end[!a] = s->hi[!a];
  if (was) add_line(first, end, to);
}

/* The rim in the square with corner p; in: of its corners in turn, on the sheet. */
static void add_square(const struct cut *c, const double p[2], const double d[2], const int in[4],
                       struct tor_lines *to) {
  const double corner[4][2] = {{p[0], p[1]}, {p[0] + d[0], p[1]}, {p[0] + d[0], p[1] + d[1]}, {p[0], p[1] + d[1]}};
  double at[4][2];
  int n = 0;
  for (int i = 0; i < 4; i++)
    if (in[i] != in[(i + 1) % 4]) find_end(c, corner[i], in[i], corner[(i + 1) % 4], at[n++]);
  for (int i = 0; i + 1 < n; i += 2) add_line(at[i], at[i + 1], to);
}

/* A sheet in the plane of the section: its rim, where it has one; of a whole plane the picture's. */
static void add_rim(const struct cut *c, struct tor_lines *to) {
  const struct tor_section *s = c->section;
  if (!c->sheet->nparts) {
    tor_lines_begin(to, TOR_IMAGE_SHEETS);
    for (int i = 0; i < 5; i++)
      tor_lines_add(to, (i + 1) / 2 % 2 ? s->hi[0] : s->lo[0], i / 2 % 2 ? s->hi[1] : s->lo[1]);
    return;
  }
  const int n[2] = {pixels(s, 0), pixels(s, 1)};
  const double d[2] = {(s->hi[0] - s->lo[0]) / n[0], (s->hi[1] - s->lo[1]) / n[1]};
  char *row[2] = {tor_alloc((size_t)n[0] + 1, 1, "picture"), tor_alloc((size_t)n[0] + 1, 1, "picture")};
  for (int v = 0; v <= n[1]; v++) {
    char *below = row[v % 2], *here = row[(v + 1) % 2];
    for (int h = 0; h <= n[0]; h++)
      here[h] = (char)is_on(c, (const double[]){s->lo[0] + h * d[0], s->lo[1] + v * d[1]});
    for (int h = 0; v > 0 && h < n[0]; h++) {
      const int in[4] = {below[h], below[h + 1], here[h + 1], here[h]};
      if (in[0] + in[1] + in[2] + in[3] == 0 || in[0] + in[1] + in[2] + in[3] == 4) continue;
      add_square(c, (const double[]){s->lo[0] + h * d[0], s->lo[1] + (v - 1) * d[1]}, d, in, to);
    }
  }
  free(row[0]);
  free(row[1]);
}

void tor_section_sheets(const struct tor_section *s, const struct tor_grid *g, struct tor_lines *to) {
  for (int i = 0; i < s->job->nsheets; i++) {
    const struct cut cut = {s, &s->job->sheets[i]};
    const int axis = cut.sheet->axis;
    const double near = 0.5 * tor_grid_cell_at(g, axis, cut.sheet->position) * (1 + 1e-9);
    if (axis != s->across)
      add_edge_on(&cut, axis == s->h ? 0 : 1, to);
    else if (fabs(cut.sheet->position - s->at) <= near)
      add_rim(&cut, to);
  }
}
