/* Flat walls: the kernels, which surfaces in a box are planes across the axes, and the means beside them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/base/units.h"
#include "src/job/faces.h"
#include "src/job/geometry.h"
#include "src/job/outline.h"
#include "src/model/flat_walls.h"
#include "tests/support/plain_job.h"

static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.12g, expected %.12g", a, b);
}

static double chance(double lo, double hi) { return lo + (hi - lo) * (rand() / (double)RAND_MAX); }

/* --- The kernel --- */

static double difference(double x) { return fabs(x) < 0.5 ? 13 / 12.0 : fabs(x) < 1.5 ? -1 / 24.0 : 0; }

/* By sums over B: its square's integral, and moments 1, 0, 0 of it. */
static void kernel_is_that_of_two_differences(void **state) {
  (void)state;
  enum { N = 600 }; /* midpoints a cell */
  double sum = 0, moment[3] = {0};
  for (int i = -3 * N; i < 3 * N; i++) {
    const double x = (i + 0.5) / N;
    double kernel = 0;
    for (int k = -3 * N / 2; k < 3 * N / 2; k++)
      kernel += difference((k + 0.5) / N) * difference(x - (k + 0.5) / N - 1e-9) / N;
    near(tor_flat_step(4, (double)i / N), sum, 2e-3);
    sum += kernel / N;
    for (int m = 0; m < 3; m++) moment[m] += kernel * pow(x, m) / N;
  }
  near(moment[0], 1, 1e-3);
  near(moment[1], 0, 1e-3);
  near(moment[2], 0, 4e-3); /* of a cell 1/12 */
  double second = 0;        /* the same of the steps, by parts */
  for (int i = -30000; i < 30000; i++) second -= 2 * (i + 0.5) * 1e-8 * (tor_flat_step(4, (i + 0.5) * 1e-4) - (i >= 0));
  near(second, 0, 1e-8);
  near(tor_flat_step(4, -3), 0, 1e-15);
  near(tor_flat_step(4, 9), 1, 1e-15);
  near(tor_flat_step(4, -0.9288), -0.0466, 1e-4); /* how far it goes below 0 */
}

/* A cell times a cell; and sums over nodes of shares and of shares times places (trapezoids, up to node 5) have the
 * same errors wherever the wall is, which those of a cell's shares have not. */
static void hat_is_that_of_two_cells(void **state) {
  (void)state;
  enum { N = 500, LAST = 5 };
  for (int wall = 0; wall < 10; wall++) {
    const double at = 0.1 * wall, end = LAST - at;
    double sum = 0, first = 0;
    for (int i = -LAST; i <= LAST; i++) {
      const double x = i - at, weight = i == LAST ? 0.5 : 1;
      double share = 0;
      for (int k = 0; k < N; k++) share += fmin(fmax(x + (k + 0.5) / N, 0), 1) / N;
      near(tor_flat_step(2, x), share, 1e-5);
      sum += weight * tor_flat_step(2, x);
      first += weight * x * tor_flat_step(2, x);
    }
    near(sum, end, 1e-12);
    near(first, 0.5 * end * end, 1e-12);
  }
}

/* --- Planes --- */

/* Whether each block between an object's planes in a box is all in it or all out of it: at random points. */
static void check_faces(const struct tor_object *o, const double lo[3], const double hi[3], int expected) {
  struct tor_faces f = {.n = {0}};
  int in[6][6][6];
  const int found = tor_object_faces(o, lo, hi, &f);
  if (found != expected) fail_msg("shape %d from %g %g %g: %d", (int)o->shape, lo[0], lo[1], lo[2], found);
  if (!expected) return;
  memset(in, -1, sizeof in);
  for (int i = 0; i < 3000; i++) {
    double x[3];
    int at[3] = {0}, close = 0;
    for (int a = 0; a < 3; a++) {
      x[a] = chance(lo[a], hi[a]);
      for (int k = 0; k < f.n[a]; k++) {
        at[a] += f.at[a][k] < x[a];
        close |= fabs(f.at[a][k] - x[a]) < 1e-6;
      }
      assert_true(f.n[a] < 6);
    }
    if (close) continue;
    int *here = &in[at[0]][at[1]][at[2]];
    const int inside = tor_object_contains(o, x);
    if (*here < 0) *here = inside;
    if (*here != inside) fail_msg("%g %g %g: %d in a block of %d", x[0], x[1], x[2], inside, *here);
  }
}

static void planes_cut_a_box_into_blocks(void **state) {
  (void)state;
  const double lo[3] = {-1, -1, -1}, hi[3] = {1, 1, 1}, top_lo[3] = {-0.3, -0.3, 0}, top_hi[3] = {0.3, 0.3, 1};
  double l[6][2] = {{-2, -2}, {0.4, -2}, {0.4, 0.1}, {-0.3, 0.1}, {-0.3, 3}, {-2, 3}},
         slanting[3][2] = {{-2, -2}, {2, -2}, {2, 1.5}};
  double middle[3][2] = {{-3, 0.2}, {0.1, 0.2}, {0.1, 3}}, bent[3][2] = {{-3, 0}, {0, 0}, {3, 1}};
  struct tor_object
      box = {.shape = TOR_BOX, .size = {1, 0.8, 9}, .center = {0.2, -0.3, 4}},
      layer = {.shape = TOR_LAYER, .axis = 1, .lo = -INFINITY, .hi = 0.3},
      rod = {.shape = TOR_CYLINDER, .axis = 2, .radius = {1}, .height = 1},
      cone = {.shape = TOR_CONE, .axis = 2, .radius = {1, 0.7}, .height = 1},
      ball = {.shape = TOR_SPHERE, .radius = {0.5}},
      prism = {.shape = TOR_PRISM, .axis = 2, .lo = -3, .hi = 0.5, .nvertex = 6, .vertex = l},
      path = {.shape = TOR_PATH, .axis = 2, .lo = -3, .hi = 0.5, .width = 0.6, .nvertex = 3, .vertex = middle};
  srand(5);
  check_faces(&box, lo, hi, 1);
  check_faces(&layer, lo, hi, 1);
  check_faces(&rod, lo, hi, 0);
  check_faces(&rod, top_lo, top_hi, 1); /* its flat end alone */
  check_faces(&cone, top_lo, top_hi, 1);
  check_faces(&ball, lo, hi, 0);
  check_faces(&prism, lo, hi, 1);
  check_faces(&path, lo, hi, 1);
  prism.slope = 0.1;
  check_faces(&prism, lo, hi, 0);
  check_faces(&prism, (const double[]){-1.5, -1.3, 0}, (const double[]){-1.1, -0.9, 1}, 1);
  prism.slope = 0;
  prism.nvertex = 3;
  prism.vertex = slanting;
  check_faces(&prism, lo, hi, 0);
  check_faces(&prism, (const double[]){0.5, -1.9, 0}, (const double[]){1.9, -0.9, 1}, 1);
  path.vertex = bent;
  check_faces(&path, lo, hi, 0);
  check_faces(&path, (const double[]){-2, -1, -1}, (const double[]){-1, 1, 1}, 1);
  struct tor_object part[2] = {box, rod}, both = {.shape = TOR_UNION, .nparts = 2, .part = part};
  check_faces(&both, lo, hi, 0);
  part[1].center[0] = 9;
  check_faces(&both, lo, hi, 1);
  both.shape = TOR_DIFFERENCE;
  part[1] = layer;
  check_faces(&both, lo, hi, 1);
}

/* --- Means --- */

static const double CELL = 10 * TOR_NM;

static void add_medium(struct tor_job *job, double eps, double mu, double sigma) {
  job->media = realloc(job->media, ((size_t)job->nmedia + 1) * sizeof *job->media);
  struct tor_medium m = tor_medium_vacuum("dielectric");
  for (int a = 0; a < 3; a++) {
    m.eps[a] = eps;
    m.mu[a] = mu;
    m.sigma[a] = sigma;
  }
  job->media[job->nmedia++] = m;
}

/* A model of 24 x 20 x 26 cells with these objects of medium 1, in vacuum. */
struct scene {
  struct tor_job job;
  struct tor_model model;
  struct tor_simulation sim;
};
static void scene_new(struct scene *s, int order, enum tor_averaging averaging, const struct tor_object *o, int count,
                      double eps, double mu, double sigma) {
  tor_plain_job(&s->job, (const int[]){24, 20, 26}, (const double[]){CELL, CELL, CELL}, order, TOR_F64, TOR_PEC, 0);
  s->job.averaging = averaging;
  add_medium(&s->job, eps, mu, sigma);
  s->job.objects = (struct tor_object *)o;
  s->job.nobjects = count;
  tor_plain_start(&s->job, &s->model, &s->sim);
}
static void scene_free(struct scene *s) {
  tor_plain_stop(&s->model, &s->sim);
  s->job.objects = NULL;
  tor_plain_job_free(&s->job);
}

/* Permittivity or permeability at a place. */
static double value_at(const struct scene *s, int comp, int ix, int iy, int iz) {
  const struct tor_slab *slab = &s->model.slab;
  const tor_gidx column = tor_slab_column(slab, ix, iy);
  const int h = tor_comp_is_h(comp), id = slab->extra_id[column];
  const double *cb = (const double *)slab->cb + (tor_gidx)comp * slab->nzp;
  if (slab->cls[column] & (h ? TOR_COL_COEF_H : TOR_COL_COEF_E))
    cb = (const double *)slab->coef + (h ? slab->extra[id].coef_h : slab->extra[id].coef_e) +
         (tor_gidx)(comp % 3) * slab->nzp;
  return s->model.grid.ct / (cb[iz] * tor_grid_metric(&s->model.grid, comp));
}

/* Share of a film across an axis, from `lo` to `hi` [cells], at x [cells]. */
static double share_of(int order, double x, double lo, double hi) {
  return tor_flat_step(order, hi - x) - tor_flat_step(order, lo - x);
}
static double film_share(double x, double lo, double hi) { return share_of(4, x, lo, hi); }

static void check_films(int order, enum tor_averaging averaging) {
  const double eps = 6, mu = 2.5, lo = 7.3, hi = 11.6;
  for (int axis = 0; axis < 3; axis++) {
    struct scene s;
    const int n[3] = {24, 20, 26};
    const struct tor_object film = {.shape = TOR_LAYER,
                                    .medium = 1,
                                    .axis = axis,
                                    .lo = (lo - 0.5 * n[axis]) * CELL,
                                    .hi = (hi - 0.5 * n[axis]) * CELL};
    scene_new(&s, order, averaging, &film, 1, eps, mu, 0);
    for (int comp = 0; comp < TOR_NCOMP; comp++)
      for (int i = 1; i < n[axis] - 1; i++) {
        int at[3] = {9, 9, 9};
        at[axis] = i;
        const double high = tor_comp_is_h(comp) ? mu : eps,
                     share = share_of(order, i + 0.5 * tor_comp_half(comp, axis), lo, hi);
        const double mean = tor_comp_axis(comp) == axis ? 1 / (1 + share * (1 / high - 1)) : 1 + share * (high - 1);
        near(value_at(&s, comp, at[0], at[1], at[2]), mean, 1e-9);
      }
    scene_free(&s);
  }
}

static void films_have_means_by_the_kernel(void **state) {
  (void)state;
  check_films(4, TOR_AVERAGE_SUBPIXEL);
  check_films(4, TOR_AVERAGE_TENSOR);
  check_films(2, TOR_AVERAGE_TENSOR);
}

/* A bar of high contrast in order 2: hats, whole, with means between the media's; no edge keeps a node. */
static void hats_of_a_bar(void **state) {
  (void)state;
  const double high = 400;
  const struct tor_object bar = {.shape = TOR_BOX,
                                 .medium = 1,
                                 .size = {9.4 * CELL, 5.6 * CELL, 60 * CELL},
                                 .center = {0.4 * CELL, -0.4 * CELL, 0}};
  struct scene s;
  scene_new(&s, 2, TOR_AVERAGE_TENSOR, &bar, 1, high, 1, 0);
  for (int ix = 2; ix < 22; ix++)
    for (int iy = 2; iy < 18; iy++) {
      const double sx = share_of(2, ix + 0.5, 7.7, 17.1), sy = share_of(2, iy, 6.8, 12.4);
      near(value_at(&s, TOR_EX, ix, iy, 9), 1 / (sx / (1 + (high - 1) * sy) + (1 - sx)), 1e-7);
      near(value_at(&s, TOR_EZ, ix, iy, 9), 1 + (high - 1) * share_of(2, ix, 7.7, 17.1) * sy, 1e-7);
    }
  for (int ix = 0; ix < 24; ix++)
    for (int iy = 0; iy < 20; iy++)
      assert_int_equal(s.model.slab.cls[tor_slab_column(&s.model.slab, ix, iy)] & TOR_COL_NODES, 0);
  scene_free(&s);
}

/* A film on a wall, two cells thick, and its mirror image make one of four cells, with two walls at once. */
static void walls_of_the_domain_are_mirrors(void **state) {
  (void)state;
  struct scene s;
  const struct tor_object film = {.shape = TOR_LAYER, .medium = 1, .axis = 1, .lo = -INFINITY, .hi = -8.1 * CELL};
  scene_new(&s, 4, TOR_AVERAGE_SUBPIXEL, &film, 1, 3, 1, 0);
  for (int i = 0; i < 8; i++) {
    near(value_at(&s, TOR_EX, 9, i, 9), 1 + 2 * film_share(i, -1.9, 1.9), 1e-9);
    near(value_at(&s, TOR_EY, 9, i, 9), 1 / (1 - 2 / 3.0 * film_share(i + 0.5, -1.9, 1.9)), 1e-9);
  }
  scene_free(&s);
}

/* A bar as a box, a prism, a path and a union has the same coefficients, and those of an edge are harmonic means along
 * themselves of means across. */
static void bars_of_all_kinds_are_alike(void **state) {
  (void)state;
  double corner[4][2] = {{-4.3, -3.2}, {5.1, -3.2}, {5.1, 2.4}, {-4.3, 2.4}},
         middle[2][2] = {{-4.3, -0.4}, {5.1, -0.4}};
  for (int i = 0; i < 4; i++)
    for (int c = 0; c < 2; c++) corner[i][c] *= CELL;
  for (int i = 0; i < 2; i++)
    for (int c = 0; c < 2; c++) middle[i][c] *= CELL;
  const struct tor_object box = {.shape = TOR_BOX,
                                 .medium = 1,
                                 .size = {9.4 * CELL, 5.6 * CELL, 30 * CELL},
                                 .center = {0.4 * CELL, -0.4 * CELL, 0}};
  struct tor_object part[2] = {box, {.shape = TOR_SPHERE, .radius = {CELL}, .center = {1, 1, 1}}};
  const struct tor_object bars[4] = {
      box,
      {.shape = TOR_PRISM, .medium = 1, .axis = 2, .lo = -1, .hi = 1, .nvertex = 4, .vertex = corner},
      {.shape = TOR_PATH,
       .medium = 1,
       .axis = 2,
       .lo = -1,
       .hi = 1,
       .width = 5.6 * CELL,
       .nvertex = 2,
       .vertex = middle},
      {.shape = TOR_UNION, .medium = 1, .nparts = 2, .part = part}};
  struct scene first;
  scene_new(&first, 4, TOR_AVERAGE_SUBPIXEL, &bars[0], 1, 9, 1, 0);
  for (int ix = 2; ix < 22; ix++)
    for (int iy = 2; iy < 18; iy++) {
      const double sx = film_share(ix + 0.5, 7.7, 17.1), sy = film_share(iy, 6.8, 12.4);
      near(value_at(&first, TOR_EX, ix, iy, 9), 1 / (sx / (1 + 8 * sy) + (1 - sx)), 1e-9);
      near(value_at(&first, TOR_EZ, ix, iy, 9), 1 + 8 * film_share(ix, 7.7, 17.1) * sy, 1e-9);
    }
  for (int kind = 1; kind < 4; kind++) {
    struct scene s;
    scene_new(&s, 4, TOR_AVERAGE_SUBPIXEL, &bars[kind], 1, 9, 1, 0);
    assert_int_equal(s.model.slab.ncoef, first.model.slab.ncoef);
    for (int comp = 0; comp < 3; comp++)
      for (int ix = 0; ix < 24; ix++)
        for (int iy = 0; iy < 20; iy++)
          for (int iz = 0; iz < 26; iz += 5)
            near(value_at(&s, comp, ix, iy, iz), value_at(&first, comp, ix, iy, iz), 1e-8);
    scene_free(&s);
  }
  scene_free(&first);
}

/* Curved surfaces keep the cells' means, those of order 2, and so do places where a flat one is near them. */
static void curved_surfaces_keep_the_means_of_cells(void **state) {
  (void)state;
  const struct tor_object o[2] = {
      {.shape = TOR_SPHERE, .medium = 1, .radius = {4.4 * CELL}, .center = {0.3 * CELL, 0, -0.2 * CELL}},
      {.shape = TOR_LAYER, .medium = 1, .axis = 2, .lo = -INFINITY, .hi = -9.3 * CELL}};
  struct scene two, four;
  int same = 0, other = 0;
  scene_new(&two, 2, TOR_AVERAGE_SUBPIXEL, o, 2, 4, 1, 0);
  scene_new(&four, 4, TOR_AVERAGE_SUBPIXEL, o, 2, 4, 1, 0);
  for (int comp = 0; comp < 3; comp++)
    for (int ix = 1; ix < 23; ix++)
      for (int iy = 1; iy < 19; iy++)
        for (int iz = 1; iz < 25; iz++) {
          const double a = value_at(&two, comp, ix, iy, iz), b = value_at(&four, comp, ix, iy, iz);
          if (iz > 7)
            near(a, b, 1e-9);
          else if (fabs(a - b) > 1e-9)
            other++;
          same += a > 1.01 && a < 3.99 && iz > 7;
        }
  assert_true(same > 500 && other > 2000);
  scene_free(&two);
  scene_free(&four);
}

/* Media of which the kernel would make permittivities below what the time step allows, and a conductivity. */
static void means_stay_in_bounds(void **state) {
  (void)state;
  const struct tor_object o[3] = {
      {.shape = TOR_BOX, .medium = 1, .size = {6.3 * CELL, 40 * CELL, 7.1 * CELL}, .center = {-4 * CELL, 0, 0}},
      {.shape = TOR_BOX, .medium = 1, .size = {6.3 * CELL, 40 * CELL, 7.1 * CELL}, .center = {4.2 * CELL, 0, 0}},
      {.shape = TOR_BOX, .medium = 1, .size = {2.4 * CELL, 2.2 * CELL, 40 * CELL}, .center = {0, 5 * CELL, 0}}};
  for (double eps = 2; eps < 1000; eps *= 2) {
    struct scene s;
    double least = INFINITY, most = 0;
    scene_new(&s, 4, TOR_AVERAGE_SUBPIXEL, o, 3, eps, 1, 100);
    const double allowed = tor_flat_rule(&s.job, &s.model.grid).least[0];
    near(allowed, s.job.courant * s.job.courant / 0.98, 1e-12);
    for (int comp = 0; comp < 3; comp++)
      for (int ix = 0; ix < 24; ix++)
        for (int iy = 0; iy < 20; iy++)
          for (int iz = 0; iz < 26; iz++) {
            const double c = 1 / value_at(&s, comp, ix, iy, iz); /* with a conductivity that of both, no smaller */
            least = fmin(least, 1 / c);
            most = fmax(most, 1 / c);
          }
    print_message("permittivities 1 and %g: %.4f to %.4g\n", eps, least, most);
    assert_true(least >= allowed * (1 - 1e-9) && least < 1 && most > eps && most < 12 * eps);
    scene_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernel_is_that_of_two_differences),
      cmocka_unit_test(hat_is_that_of_two_cells),
      cmocka_unit_test(planes_cut_a_box_into_blocks),
      cmocka_unit_test(films_have_means_by_the_kernel),
      cmocka_unit_test(hats_of_a_bar),
      cmocka_unit_test(walls_of_the_domain_are_mirrors),
      cmocka_unit_test(bars_of_all_kinds_are_alike),
      cmocka_unit_test(curved_surfaces_keep_the_means_of_cells),
      cmocka_unit_test(means_stay_in_bounds),
  };
  return cmocka_run_group_tests_name("flat_walls", tests, NULL, NULL);
}
