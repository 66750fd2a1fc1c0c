/* Sections of the scene: outlines lie on the shapes' own surfaces and nowhere else, boxes and layers where the grid has
 * them; and what components show together, interpolated to the cells. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/thin_sheet.h"
#include "src/job/turned.h"
#include "src/model/monitor.h"
#include "src/results/picture.h"
#include "src/results/section.h"
#include "tests/support/plain_job.h"

enum { N = 40 };
static const double CELL = 1e-8, HALF = 0.5 * N * 1e-8; /* half of the domain's edge */
static struct tor_job job;
static struct tor_grid grid;
static struct tor_lines lines;

static void begin(struct tor_object *objects, int count) {
  const int n[3] = {N, N, N};
  const double cell[3] = {CELL, CELL, CELL};
  tor_plain_job(&job, n, cell, 2, TOR_F32, TOR_CPML, 5);
  job.objects = objects;
  job.nobjects = count;
  tor_grid_make(&job, &grid);
}

static void end(void) {
  tor_lines_free(&lines);
  tor_plain_job_free(&job);
}

/* Length of all outlines in the plane. Fails where the media beside a piece are the same, a pixel's hundredth away. */
static double outline(int across, double at) {
  const double lo[2] = {-HALF, -HALF}, hi[2] = {HALF, HALF};
  struct tor_section s;
  double length = 0;
  tor_lines_free(&lines);
  tor_section_open(&s, &job, across, at, lo, hi);
  tor_section_surfaces(&s, &lines);
  tor_lines_end(&lines, 1);
  for (int i = 0; i < lines.npath; i++)
    for (int k = 1; k < lines.path[i].n; k++) {
      const double *p = lines.path[i].at[k - 1], *q = lines.path[i].at[k], d = hypot(q[0] - p[0], q[1] - p[1]);
      const double n[2] = {(q[1] - p[1]) / d * 0.01 * s.pixel, (p[0] - q[0]) / d * 0.01 * s.pixel};
      const double h = 0.5 * (p[0] + q[0]), v = 0.5 * (p[1] + q[1]);
      if (fabs(h) > HALF || fabs(v) > HALF) continue;
      assert_int_not_equal(tor_section_medium(&s, h + n[0], v + n[1]), tor_section_medium(&s, h - n[0], v - n[1]));
      length += d;
    }
  tor_section_close(&s);
  return length;
}

static void expect_length(int across, double at, double want) {
  const double got = outline(across, at);
  if (!(fabs(got - want) <= 2e-3 * want)) fail_msg("across %d at %g: got %.6g, want %.6g", across, at, got, want);
}

static void round_shapes_have_their_outline_in_each_section(void **state) {
  (void)state;
  const double r = 8e-8, d = 3e-8, h = 2e-7;
  struct tor_object o = {.shape = TOR_SPHERE, .medium = 1, .center = {1e-8, -2e-8, 5e-9}, .radius = {r}};
  begin(&o, 1);
  for (int across = 0; across < 3; across++) {
    expect_length(across, o.center[across] + d, 2 * TOR_PI * sqrt(r * r - d * d));
    expect_length(across, o.center[across] + 1.1 * r, 0);
    o.axis = across;
    o.shape = TOR_CYLINDER;
    o.height = h;
    expect_length(across, o.center[across] + d, 2 * TOR_PI * r);
    expect_length((across + 1) % 3, o.center[(across + 1) % 3] - d, 2 * (h + 2 * sqrt(r * r - d * d)));
    o.shape = TOR_CONE;
    o.radius[1] = 0;
    expect_length(across, o.center[across] + 0.25 * h, 2 * TOR_PI * 0.25 * r);
    expect_length((across + 2) % 3, o.center[(across + 2) % 3], 2 * r + 2 * hypot(r, h)); /* a triangle */
    assert_true(outline((across + 2) % 3, o.center[(across + 2) % 3] + d) > 0);           /* a hyperbola */
    o.shape = TOR_SPHERE;
  }
  end();
}

static void flat_shapes_have_their_outline_in_each_section(void **state) {
  (void)state;
  double l_shape[6][2] = {{-8e-8, -8e-8}, {8e-8, -8e-8}, {8e-8, 0}, {0, 0}, {0, 8e-8}, {-8e-8, 8e-8}};
  struct tor_object o = {.shape = TOR_PRISM, .medium = 1, .lo = -1e-7, .hi = 5e-8, .nvertex = 6, .vertex = l_shape};
  begin(&o, 1);
  for (int axis = 0; axis < 3; axis++) {
    o.axis = axis;
    expect_length(axis, 0, 6.4e-7);
    expect_length((axis + 1) % 3, -4e-8, 2 * (1.6e-7 + 1.5e-7)); /* both arms */
    expect_length((axis + 2) % 3, 4e-8, 2 * (8e-8 + 1.5e-7));    /* the upright one alone */
  }
  o = (struct tor_object){.shape = TOR_LAYER, .medium = 1, .axis = 2, .lo = -INFINITY, .hi = 1e-8};
  expect_length(0, 0, 2 * HALF);
  expect_length(1, 0, 2 * HALF);
  expect_length(2, 0, 0);
  o = (struct tor_object){.shape = TOR_BOX, .medium = 1, .size = {1e-7, 1.5e-7, 1}}; /* beyond the domain along z */
  expect_length(2, 0, 5e-7);
  expect_length(0, 0, 2 * 2 * HALF);
  end();
}

/* Shapes whose sections have no formula: turned, combined, round in two ways. */
static void other_shapes_are_followed(void **state) {
  (void)state;
  double matrix[3][3], points[3][2] = {{-1e-7, 0}, {1e-7, 0}, {1e-7, 1e-7}};
  const double origin[3] = {0};
  struct tor_object o = {.shape = TOR_BOX, .medium = 1, .size = {1e-7, 1.5e-7, 2e-7}};
  begin(&o, 1);
  tor_turn_matrix((const double[]){0, 0, 30}, matrix);
  tor_object_turn(&o, (const double(*)[3])matrix, origin);
  expect_length(2, 3e-8, 5e-7);
  expect_length(1, 0, 2 * (2e-7 + 1e-7 / cos(TOR_PI / 6)));
  o = (struct tor_object){.shape = TOR_TORUS, .medium = 1, .axis = 2, .radius = {1e-7, 3e-8}};
  expect_length(2, 0, 2 * TOR_PI * 2e-7);
  expect_length(0, 0, 2 * 2 * TOR_PI * 3e-8);
  o = (struct tor_object){.shape = TOR_PATH, .medium = 1, .axis = 2, .width = 4e-8, .nvertex = 3, .vertex = points};
  o.lo = -1, o.hi = 1;
  expect_length(2, 0, 2 * 3e-7 + 2 * 4e-8);
  struct tor_object part[2] = {{.shape = TOR_BOX, .size = {2e-7, 2e-7, 1e-7}},
                               {.shape = TOR_CYLINDER, .axis = 2, .radius = {5e-8}, .height = 1}};
  o = (struct tor_object){.shape = TOR_DIFFERENCE, .medium = 1, .nparts = 2, .part = part};
  expect_length(2, 0, 8e-7 + 2 * TOR_PI * 5e-8);
  end();
}

static void what_is_covered_or_separates_nothing_is_left_out(void **state) {
  (void)state;
  struct tor_object o[3] = {{.shape = TOR_BOX, .medium = 1, .size = {1e-7, 1e-7, 1e-7}},
                            {.shape = TOR_BOX, .medium = 1, .center = {5e-8, 0, 0}, .size = {1e-7, 6e-8, 1e-7}},
                            {.shape = TOR_SPHERE, .medium = 2, .radius = {2e-8}}};
  begin(o, 3);
  expect_length(2, 0, 5e-7 + 2 * TOR_PI * 2e-8); /* one outline around both */
  o[1].medium = 2;
  expect_length(2, 0, 5e-7 + 1e-7 + 2e-8 + TOR_PI * 2e-8); /* and between them; half of the sphere lies in its own */
  o[2] = (struct tor_object){.shape = TOR_BOX, .medium = 0, .size = {1, 1, 1}};
  expect_length(2, 0, 0);
  end();
}

static void boxes_and_layers_are_where_the_grid_has_them(void **state) {
  (void)state;
  begin(NULL, 0);
  struct tor_source wave = {.kind = TOR_PLANE_WAVE,
                            .lo = {-1, -1.04e-7, -1.2e-7}, /* open at the low x wall, between two nodes along y */
                            .hi = {1.1e-7, 1e-7, 1.2e-7}};
  const double lo[2] = {-HALF, -HALF}, hi[2] = {HALF, HALF};
  struct tor_section s;
  job.sources = &wave;
  job.nsources = 1;
  job.boundary[TOR_XLO].wall = TOR_PEC;
  tor_grid_make(&job, &grid);
  for (int outside = 0; outside < 2; outside++) {
    tor_section_open(&s, &job, TOR_Z, outside ? 1.5e-7 : 0, lo, hi);
    tor_section_wave_boxes(&s, &grid, &lines);
    tor_lines_end(&lines, 1e-9);
    assert_int_equal(lines.npath, outside ? 0 : 3);
    for (int i = 0; i < lines.npath; i++) {
      const double *p = lines.path[i].at[0], *q = lines.path[i].at[1];
      assert_true(lines.path[i].kind == TOR_IMAGE_WAVE_BOX && lines.path[i].n == 2);
      assert_true(fabs(p[0] - 110) < 1e-6 || fabs(p[0] + 200) < 1e-6);
      assert_true(fabs(p[1] - 100) < 1e-6 || fabs(p[1] + 100) < 1e-6);
      assert_true(p[0] == q[0] || p[1] == q[1]);
    }
    tor_lines_free(&lines);
    tor_section_layers(&s, &grid, &lines);
    tor_lines_end(&lines, 1e-9);
    assert_int_equal(lines.npath, 3); /* none at x_lo */
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 2; k++) {
        const double *p = lines.path[i].at[k];
        assert_true(fabs(p[0] - 150) < 1e-6 || fabs(p[0] + 200) < 1e-6);
        assert_true(fabs(fabs(p[1]) - 150) < 1e-6);
      }
    tor_lines_free(&lines);
    tor_section_close(&s);
  }
  job.nsources = 0;
  end();
}

/* Length of the lines of sheets across an axis of the section, all of which a sheet's part bounds or covers. */
static double sheet_lines(int across, double at) {
  const double lo[2] = {-HALF, -HALF}, hi[2] = {HALF, HALF};
  struct tor_section s;
  double length = 0;
  tor_lines_free(&lines);
  tor_section_open(&s, &job, across, at, lo, hi);
  tor_section_sheets(&s, &grid, &lines);
  tor_lines_end(&lines, 1);
  for (int i = 0; i < lines.npath; i++) {
    assert_int_equal(lines.path[i].kind, TOR_IMAGE_SHEETS);
    for (int k = 1; k < lines.path[i].n; k++)
      length += hypot(lines.path[i].at[k][0] - lines.path[i].at[k - 1][0],
                      lines.path[i].at[k][1] - lines.path[i].at[k - 1][1]);
  }
  tor_section_close(&s);
  return length;
}

static void sheets_are_lines_and_rims(void **state) {
  (void)state;
  const double r = 8e-8, d = 3e-8;
  struct tor_object part[2] = {
      {.shape = TOR_CYLINDER, .center = {2e-8, 0, 0}, .radius = {r}, .height = 1e-7, .axis = TOR_Z},
      {.shape = TOR_BOX, .center = {-1.3e-7, 0, 0}, .size = {4e-8, 7e-8, 1e-7}}};
  struct tor_thin_sheet sheet = {.axis = TOR_Z, .position = 1.3e-8, .nparts = 2, .part = part};
  for (int axis = 0; axis < 3; axis++) { /* turned with its parts */
    begin(NULL, 0);
    job.sheets = &sheet;
    job.nsheets = 1;
    const int across = (sheet.axis + 1) % 3, other = (sheet.axis + 2) % 3; /* of Z: x and y */
    assert_true(fabs(sheet_lines(other, d) - (2 * sqrt(r * r - d * d) + 4e-8)) < 1e-11);
    assert_true(fabs(sheet_lines(across, -1.3e-7) - 7e-8) < 1e-11);
    assert_int_equal(lines.npath, 1);
    const double corners = 4 * (2 - sqrt(2)) * 2 * HALF / 900; /* cut across a pixel of the picture, at most */
    const double short_by = 2 * (TOR_PI * r + 4e-8 + 7e-8) - sheet_lines(sheet.axis, sheet.position + 0.5 * CELL);
    assert_true(short_by > 0 && short_by < corners);
    assert_true(sheet_lines(sheet.axis, sheet.position + 0.51 * CELL) == 0);
    sheet.nparts = 0;
    assert_true(fabs(sheet_lines(across, d) - 2 * HALF) < 1e-15);
    assert_true(fabs(sheet_lines(sheet.axis, sheet.position) - 8 * HALF) < 1e-15);
    sheet.nparts = 2;
    job.nsheets = 0;
    end();
    sheet.axis = (sheet.axis + 1) % 3;
    for (int p = 0; p < 2; p++) {
      const struct tor_object was = part[p];
      part[p].axis = sheet.axis;
      for (int a = 0; a < 3; a++) {
        part[p].center[(a + 1) % 3] = was.center[a];
        part[p].size[(a + 1) % 3] = was.size[a];
      }
    }
  }
}

/* E = (x, y, 1) in units of a cell, each at its own points: |E|^2 at the centre of each cell is exact. */
static void components_meet_at_the_centres_of_cells(void **state) {
  (void)state;
  begin(NULL, 0);
  struct tor_patch patch[3];
  double *values[3], *sum = calloc(N * N, sizeof *sum);
  for (int i = 0; i < 3; i++) {
    const int c = 2 - i;
    patch[i] = (struct tor_patch){.comp = c, .first = {3, 5, 7}, .count = {9, 6, 1}};
    values[i] = calloc(9 * 6, sizeof *values[c]);
    for (int v = 0; v < 6; v++)
      for (int h = 0; h < 9; h++) {
        const double x = tor_grid_place(&grid, c, 0, 3 + h), y = tor_grid_place(&grid, c, 1, 5 + v);
        values[i][v * 9 + h] = c == 0 ? x / CELL : c == 1 ? y / CELL : 1;
      }
  }
  const struct tor_picture_plane cells = tor_picture_cells(&grid, patch, 3);
  assert_int_equal(cells.across, TOR_Z);
  assert_true(fabs(cells.place - tor_grid_place(&grid, TOR_EX, TOR_Z, 7)) < 1e-15); /* not that of E_z */
  assert_int_equal(cells.nh, 8);
  assert_int_equal(cells.nv, 5);
  for (int c = 0; c < 3; c++) tor_picture_add_square(&cells, &grid, &patch[c], values[c], NULL, sum);
  for (int v = 0; v < 5; v++)
    for (int h = 0; h < 8; h++) {
      const double x = (cells.x[0] / CELL + h + 0.5), y = (cells.y[0] / CELL + v + 0.5);
      assert_true(fabs(sum[v * 8 + h] - (x * x + y * y + 1)) < 1e-9);
    }
  for (int c = 0; c < 3; c++) free(values[c]);
  free(sum);
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_shapes_have_their_outline_in_each_section),
      cmocka_unit_test(flat_shapes_have_their_outline_in_each_section),
      cmocka_unit_test(other_shapes_are_followed),
      cmocka_unit_test(what_is_covered_or_separates_nothing_is_left_out),
      cmocka_unit_test(boxes_and_layers_are_where_the_grid_has_them),
      cmocka_unit_test(sheets_are_lines_and_rims),
      cmocka_unit_test(components_meet_at_the_centres_of_cells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
