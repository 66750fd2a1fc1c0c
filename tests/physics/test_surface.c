/* Surface nodes (averaging = "tensor"): where they are, and that they neither grow nor lose energy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>

#include "src/base/units.h"
#include "tests/support/plain_job.h"

enum { STEPS = 4000 };
static const double NM10[3] = {10 * TOR_NM, 12 * TOR_NM, 9 * TOR_NM};

static void add_medium(struct tor_job *job, double eps) {
  job->media = realloc(job->media, ((size_t)job->nmedia + 1) * sizeof *job->media);
  job->media[job->nmedia] = tor_medium_vacuum("dielectric");
  for (int a = 0; a < 3; a++) job->media[job->nmedia].eps[a] = eps;
  job->nmedia++;
}

static int count_nodes(const struct tor_slab *slab) {
  int count = 0;
  for (tor_gidx column = 0; column < tor_slab_columns(slab); column++) count += tor_slab_nodes(slab, column) != NULL;
  return count;
}

/* A Drude metal without loss. */
static void make_metal(struct tor_medium *medium, double eps) {
  for (int a = 0; a < 3; a++) medium->eps[a] = eps;
  medium->npoles = 1;
  medium->poles = calloc(1, sizeof *medium->poles);
  medium->poles[0] = (struct tor_pole){.kind = TOR_DRUDE, .strength = 14 * TOR_EV};
}

/* Columns with nodes in a job of one object of permittivity 4, or of a metal. */
static int nodes_of(struct tor_object object, int metal) {
  const int n[3] = {20, 20, 20};
  struct tor_job job;
  tor_plain_job(&job, n, NM10, 2, TOR_F64, TOR_PEC, 0);
  job.averaging = TOR_AVERAGE_TENSOR;
  add_medium(&job, 4);
  if (metal) make_metal(&job.media[1], 4);
  object.medium = 1;
  job.nobjects = 1;
  job.objects = &object;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  const int count = count_nodes(&model.slab);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
  return count;
}

static void surfaces_have_nodes(void **state) {
  (void)state;
  const struct tor_object ball = {.shape = TOR_SPHERE, .radius = {55 * TOR_NM}};
  const struct tor_object rod = {
      .shape = TOR_CYLINDER, .axis = TOR_Z, .radius = {42 * TOR_NM}, .height = 1000 * TOR_NM};
  const struct tor_object film = {.shape = TOR_LAYER, .axis = TOR_Z, .lo = -23 * TOR_NM, .hi = 31 * TOR_NM};
  const struct tor_object block = {.shape = TOR_LAYER, .axis = TOR_X, .lo = -23 * TOR_NM, .hi = 31 * TOR_NM};
  assert_true(nodes_of(ball, 0) > 60);
  assert_true(nodes_of(rod, 0) > 10);
  assert_int_equal(nodes_of(film, 0), 0); /* the diagonal tensor is exact */
  assert_int_equal(nodes_of(block, 0), 0);
  assert_true(nodes_of(ball, 1) > nodes_of(ball, 0)); /* metals' boxes are larger */
  assert_int_equal(nodes_of(film, 1), 21 * 21 - 4);   /* none where PEC walls meet */
}

/* The scene of the tests: shapes that touch each other and the walls. With metals the last is of medium 3. */
static double corner[4][2] = {
    {-70 * TOR_NM, -20 * TOR_NM}, {10 * TOR_NM, -75 * TOR_NM}, {66 * TOR_NM, 13 * TOR_NM}, {-31 * TOR_NM, 60 * TOR_NM}};
static const struct tor_object shapes[3] = {
    {.shape = TOR_PRISM,
     .medium = 2,
     .axis = TOR_Y,
     .lo = -200 * TOR_NM,
     .hi = 22 * TOR_NM,
     .nvertex = 4,
     .vertex = corner},
    {.shape = TOR_SPHERE, .medium = 1, .center = {13 * TOR_NM, -9 * TOR_NM, 4 * TOR_NM}, .radius = {41 * TOR_NM}},
    {.shape = TOR_ELLIPSOID,
     .medium = 1,
     .center = {-65 * TOR_NM, 30 * TOR_NM, -67 * TOR_NM},
     .size = {33 * TOR_NM, 52 * TOR_NM, 40 * TOR_NM}}};

static double between(double lo, double hi) { return lo + (hi - lo) * (rand() / (double)RAND_MAX); }

/* A random convex object of any size below the box's, anywhere in it. */
static struct tor_object random_object(int medium) {
  static const enum tor_shape shape[] = {TOR_SPHERE, TOR_ELLIPSOID, TOR_BOX, TOR_CYLINDER, TOR_CONE};
  struct tor_object o = {.shape = shape[rand() % 5], .medium = medium, .axis = rand() % 3};
  for (int a = 0; a < 3; a++) {
    o.center[a] = between(-70, 70) * TOR_NM;
    o.size[a] = between(5, 90) * TOR_NM;
  }
  for (int i = 0; i < 2; i++) o.radius[i] = between(5, 60) * TOR_NM;
  o.height = between(5, 120) * TOR_NM;
  return o;
}

/* What is in a closed box: media 1 and 2, dielectrics of permittivity eps; metals: 1 and 3 are metals with more and
 * less permittivity at infinite frequency than what is beside them. conductors: 2 is a perfect one, with this Courant
 * number and, without metals, this rule. */
struct box {
  double eps[2];
  int metals, count;
  const struct tor_object *objects;
  double conductors;
  enum tor_averaging averaging;
  double background; /* permittivity; 0: vacuum */
  double courant;    /* 0: the order's default, 0.85 with metals */
  int subpixel;      /* in place of nodes */
};

/* Energy in a closed box, from noise of all frequencies of the grid: the largest of the last half of the sums over the
 * largest of the first eighth. With metals the poles' own energy is no part of it, and moves between both. */
static double energy_kept(int order, enum tor_precision precision, enum tor_wall wall, const struct box *box, int steps,
                          int *nodes) {
  const int n[3] = {13, 14, 15};
  struct tor_job job;
  tor_plain_job(&job, n, NM10, order, precision, TOR_PEC, 0);
  for (int f = 0; f < TOR_NFACE; f += 3) job.boundary[f].wall = wall;
  job.averaging = box->conductors > 0 && !box->metals ? box->averaging : TOR_AVERAGE_TENSOR;
  for (int a = 0; a < 3 && box->background > 0; a++) job.media[0].eps[a] = box->background;
  for (int m = 0; m < 2; m++) add_medium(&job, box->eps[m]);
  if (box->conductors > 0) {
    job.courant = box->conductors;
    job.media[2].conducts = 1;
  }
  if (box->metals) {
    if (!(box->conductors > 0)) job.courant = 0.85;
    add_medium(&job, 1);
    make_metal(&job.media[1], 5);
    make_metal(&job.media[3], 1);
  }
  if (box->courant > 0) job.courant = box->courant;
  if (box->subpixel) job.averaging = TOR_AVERAGE_SUBPIXEL;
  job.nobjects = box->count;
  job.objects = (struct tor_object *)box->objects;
  job.samples = 4;
  job.run_decay = 1e-30; /* energy is summed */
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  *nodes = count_nodes(&model.slab);
  /* E that begins in a conductor would stay there: beside them H does. */
  const int first = box->conductors > 0 ? TOR_HX : TOR_EX;
  for (int c = first; c < first + 3; c++)
    for (int i = 2; i < n[0] - 1; i++)
      for (int j = 2; j < n[1] - 1; j++)
        for (int k = 2; k < n[2] - 1; k++) tor_plain_set(&model, c, i, j, k, 1e-9 * between(-0.5, 0.5));
  model.steps = steps;
  while (!tor_simulation_done(&sim)) tor_simulation_stage(&sim, model.steps);
  double early = 0, late = 0;
  for (int i = 0; i < sim.nenergy; i++) {
    if (i < sim.nenergy / 8) early = fmax(early, sim.energy[i]);
    if (i >= sim.nenergy / 2) late = fmax(late, sim.energy[i]);
  }
  print_message("%s, order %d, %d bytes, eps %.2f %.2f, %d columns with nodes: %d sums, later %.4f of the energy\n",
                box->metals           ? "metals"
                : box->conductors > 0 ? "conductors"
                                      : "dielectrics",
                order, precision, box->eps[0], box->eps[1], *nodes, sim.nenergy, late / early);
  assert_true(sim.nenergy > 30 && early > 0);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
  return late / early;
}
/* The same with the test's shapes of these media, from the same noise each time. */
static double energy_kept_by_shapes(int order, enum tor_precision precision, enum tor_wall wall, struct box box,
                                    const int medium[3]) {
  struct tor_object objects[3] = {shapes[0], shapes[1], shapes[2]};
  int nodes;
  for (int i = 0; i < 3; i++) objects[i].medium = medium[i];
  box.count = 3;
  box.objects = objects;
  box.averaging = TOR_AVERAGE_TENSOR;
  srand(7);
  const double kept = energy_kept(order, precision, wall, &box, STEPS, &nodes);
  assert_true(nodes > 50);
  return kept;
}
static void energy_stays(int order, enum tor_precision precision, enum tor_wall wall, int metals) {
  const double kept = energy_kept_by_shapes(order, precision, wall, (struct box){.eps = {12.25, 2.1}, .metals = metals},
                                            (const int[]){2, 1, metals ? 3 : 1});
  assert_true(kept > (metals ? 0.2 : 0.8) && kept < 1.05);
}

/* By hand: random shapes and permittivities, both orders, precisions and kinds of walls. */
static int energy_of_random_boxes(int seeds, int steps, int metals) {
  double least = 1, most = 1;
  for (int seed = 1; seed <= seeds; seed++) {
    struct tor_object objects[5];
    int nodes;
    srand((unsigned)seed);
    const double first = between(1.2, 16), second = between(1.2, 16);
    for (int i = 0; i < 5; i++) objects[i] = random_object(1 + i % (metals ? 3 : 2));
    const double kept = energy_kept(
        seed & 1 ? 2 : 4, seed & 2 ? TOR_F32 : TOR_F64, seed & 4 ? TOR_PEC : TOR_PMC,
        &(struct box){.eps = {first, second}, .metals = metals, .count = 5, .objects = objects}, steps, &nodes);
    least = fmin(least, kept);
    most = fmax(most, kept);
  }
  printf("%d boxes, %d steps: the energy later is %.4f to %.4f of that at first\n", seeds, steps, least, most);
  return !(least > (metals ? 0 : 0.8) && most < 1.1);
}
/* By hand: perfect conductors beside a dielectric, at Courant numbers up to 1. */
static int energy_of_random_conductors(int seeds, int steps) {
  double most = 0;
  for (int seed = 1; seed <= seeds; seed++) {
    struct tor_object objects[4];
    int nodes;
    srand((unsigned)seed);
    const double eps = between(1.2, 12), courant = seed % 3 ? 0.9 : between(0.3, 1);
    for (int i = 0; i < 4; i++) objects[i] = random_object(i % 3 ? 2 : 1);
    const double kept = energy_kept(seed & 1 ? 2 : 4, seed & 2 ? TOR_F32 : TOR_F64, seed & 4 ? TOR_PEC : TOR_PMC,
                                    &(struct box){.eps = {eps, 1},
                                                  .count = 4,
                                                  .objects = objects,
                                                  .conductors = courant,
                                                  .averaging = seed & 8 ? TOR_AVERAGE_TENSOR : TOR_AVERAGE_SUBPIXEL},
                                    steps, &nodes);
    if (!(kept < 1.1)) printf("seed %d, courant %.3f: %g\n", seed, courant, kept);
    most = kept > most ? kept : most;
  }
  printf("%d boxes with conductors, %d steps: the energy later is at most %.4f of that at first\n", seeds, steps, most);
  return !(most < 1.1);
}

/* Boxes, layers and bars, whose flat walls have means in order 4 that go below the smallest permittivity; a ball's
 * surface beside them. */
static double energy_beside_walls(int seed, double eps, double courant, enum tor_precision precision, int steps) {
  struct tor_object o[6];
  int nodes;
  srand((unsigned)seed);
  for (int i = 0; i < 6; i++) {
    o[i] = (struct tor_object){.shape = i == 5 ? TOR_SPHERE : TOR_BOX, .medium = 1 + i % 2};
    for (int a = 0; a < 3; a++) {
      o[i].center[a] = between(-70, 70) * TOR_NM;
      o[i].size[a] = between(10, rand() % 3 ? 60 : 300) * TOR_NM;
    }
    o[i].radius[0] = between(5, 30) * TOR_NM;
  }
  return energy_kept(
      4, precision, seed & 1 ? TOR_PEC : TOR_PMC,
      &(struct box){.eps = {eps, 1.5}, .count = 6, .objects = o, .courant = courant, .subpixel = seed & 2}, steps,
      &nodes);
}
static void energy_beside_walls_stays(void **state) {
  (void)state;
  static const double eps[4] = {3, 12, 30, 200}, courant[4] = {0.9, 0.5, 0.5, 0.99};
  for (int i = 0; i < 4; i++) {
    const double kept = energy_beside_walls(1 + i, eps[i], courant[i], i % 2 ? TOR_F32 : TOR_F64, STEPS);
    assert_true(kept > 0.7 && kept < 1.2);
  }
}
/* By hand. */
static int energy_of_random_walls(int seeds, int steps) {
  double least = 1, most = 1;
  for (int seed = 1; seed <= seeds; seed++) {
    srand((unsigned)seed);
    const double eps = pow(200, between(0, 1)), courant = between(0.3, 1);
    const double kept = energy_beside_walls(seed, eps, courant, seed & 4 ? TOR_F32 : TOR_F64, steps);
    least = kept < least ? kept : least;
    most = kept > most ? kept : most;
  }
  printf("%d boxes of walls, %d steps: the energy later is %.4f to %.4f of that at first\n", seeds, steps, least, most);
  return !(most < 1.3);
}

static void energy_beside_conductors_stays(void **state) {
  (void)state;
  for (int order = 2; order <= 4; order += 2) {
    const double kept = energy_kept_by_shapes(order, order == 2 ? TOR_F32 : TOR_F64, TOR_PEC,
                                              (struct box){.eps = {4, 1}, .conductors = 0.95}, (const int[]){1, 2, 2});
    assert_true(kept > 0.8 && kept < 1.05);
  }
}

/* A conductor's own permittivity, 1, is none that a metal has beside it; with small steps the oscillators are fast. */
static void energy_of_metals_beside_conductors_stays(void **state) {
  (void)state;
  for (int order = 2; order <= 4; order += 2) {
    const struct box box = {.eps = {4, 1}, .metals = 1, .conductors = 0.4, .background = 2.1};
    assert_true(energy_kept_by_shapes(order, TOR_F64, TOR_PEC, box, (const int[]){2, 1, 1}) < 1.05);
  }
}

static void energy_stays_order2(void **state) {
  (void)state;
  energy_stays(2, TOR_F64, TOR_PEC, 0);
  energy_stays(2, TOR_F32, TOR_PMC, 0);
}
static void energy_stays_order4(void **state) {
  (void)state;
  energy_stays(4, TOR_F32, TOR_PMC, 0);
}
static void energy_beside_metals_stays(void **state) {
  (void)state;
  energy_stays(2, TOR_F64, TOR_PMC, 1);
  energy_stays(2, TOR_F32, TOR_PEC, 1);
  energy_stays(4, TOR_F32, TOR_PEC, 1);
}

/* test_surface [SEEDS STEPS [metals | conductors | walls]]: the unit test, or energy_of_random_boxes, _conductors,
 * _walls. */
int main(int count, char **argument) {
  if (count > 3 && argument[3][0] == 'w') return energy_of_random_walls(atoi(argument[1]), atoi(argument[2]));
  if (count > 3 && argument[3][0] == 'c') return energy_of_random_conductors(atoi(argument[1]), atoi(argument[2]));
  if (count > 2) return energy_of_random_boxes(atoi(argument[1]), atoi(argument[2]), count > 3);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(surfaces_have_nodes),
      cmocka_unit_test(energy_stays_order2),
      cmocka_unit_test(energy_stays_order4),
      cmocka_unit_test(energy_beside_walls_stays),
      cmocka_unit_test(energy_beside_metals_stays),
      cmocka_unit_test(energy_beside_conductors_stays),
      cmocka_unit_test(energy_of_metals_beside_conductors_stays),
  };
  return cmocka_run_group_tests_name("surface", tests, NULL, NULL);
}
