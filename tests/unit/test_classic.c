/* The loops on the CPU that define the bits of the classic mappings: in Torre's order of operations they are those of
 * the stepwise engine and of the towers; in the authors' they are the same numbers; modes of a box have the frequency
 * of the discrete dispersion relation. The kernels against the loops: tests/gpu/classic.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "diamond/core/engine.h"
#include "src/base/units.h"
#include "src/classic/classic_slab.h"

enum { STEPS = 9 };

static void same_as_engine(const struct tor_classic_wish *wish, enum tor_engine_kind kind) {
  struct tor_classic_problem expected, got;
  struct tor_classic_slab s;
  struct tor_faults faults = {0};
  tor_gidx at;
  tor_classic_make(&expected, wish);
  tor_classic_make(&got, wish);
  assert_int_equal(tor_classic_slab_make(&s, &expected, 2, &faults), 0);
  const uint8_t energy[STEPS] = {0};
  const struct tor_stage stage = {.steps = STEPS, .energy = energy};
  tor_engine_run(&s.model.slab, &stage, &(struct tor_engine_setup){kind, 3, 2});
  tor_classic_slab_fetch(&s, &got);
  tor_classic_run(&expected.c, expected.field, 0, STEPS, 3, 2);
  for (int comp = 0; comp < TOR_NCOMP; comp++) assert_int_equal(tor_classic_differences(&expected, &got, comp, &at), 0);
  tor_classic_slab_free(&s);
  tor_classic_free(&expected);
  tor_classic_free(&got);
}

static void bits_of_engines(void **state) {
  (void)state;
  for (int scheme = TOR_CLASSIC_TM; scheme <= TOR_CLASSIC_MEDIA; scheme++)
    for (int bytes = 4; bytes <= 8; bytes += 4)
      for (int kind = TOR_ENGINE_STEPWISE; kind <= TOR_ENGINE_DIAMOND; kind++) {
        const struct tor_classic_wish wish = {.scheme = (enum tor_classic_scheme)scheme,
                                              .rule = TOR_CLASSIC_TORRE,
                                              .precision = (enum tor_precision)bytes,
                                              .n = {13, 9, 11},
                                              .seed = 3};
        same_as_engine(&wish, (enum tor_engine_kind)kind);
      }
}

/* The largest |a x - b y| of a component over the largest |b y|, in fp64. */
static double difference(const struct tor_classic_problem *x, double a, const struct tor_classic_problem *y, double b,
                         int comp) {
  const double *f = x->field[comp], *g = y->field[comp];
  double most = 0, largest = 1e-300;
  for (tor_gidx i = 0; f && i < tor_classic_points(&x->c); i++) {
    most = fmax(most, fabs(a * f[i] - b * g[i]));
    largest = fmax(largest, fabs(b * g[i]));
  }
  return most / largest;
}

/* In cubes. Torre's fields are scaled: E d, and eta0 H d; the author's of UNIFORM are not, the others have eta0 H. */
static void authors_numbers(void **state) {
  (void)state;
  for (int scheme = TOR_CLASSIC_TM; scheme <= TOR_CLASSIC_MEDIA; scheme++)
    for (int e_first = 0; e_first < 2; e_first++) {
      struct tor_classic_problem author, torre;
      struct tor_classic_wish wish = {.scheme = (enum tor_classic_scheme)scheme,
                                      .precision = TOR_F64,
                                      .n = {12, 10, 9},
                                      .e_first = e_first,
                                      .seed = 5};
      tor_classic_make(&author, &wish);
      wish.rule = TOR_CLASSIC_TORRE;
      tor_classic_make(&torre, &wish);
      const double eta0 = scheme == TOR_CLASSIC_UNIFORM ? sqrt(author.c.mu / author.c.eps) : 1;
      for (int comp = TOR_HX; comp <= TOR_HZ; comp++)
        for (tor_gidx i = 0; torre.field[comp] && i < tor_classic_points(&torre.c); i++)
          ((double *)torre.field[comp])[i] *= eta0;
      tor_classic_run(&author.c, author.field, 0, 1000, 3, 2);
      tor_classic_run(&torre.c, torre.field, 0, 1000, 3, 2);
      for (int comp = 0; comp < TOR_NCOMP; comp++)
        assert_true(difference(&author, tor_comp_is_h(comp) ? eta0 : 1, &torre, 1, comp) < 1e-12);
      tor_classic_free(&author);
      tor_classic_free(&torre);
    }
}

/* E of three successive steps in a mode: E(n+1) + E(n-1) = (2 - 4 s) E(n), s = sum of (c dt / d sin(k d / 2))^2. */
static void modes(void **state) {
  (void)state;
  for (int scheme = TOR_CLASSIC_TM; scheme <= TOR_CLASSIC_UNIFORM; scheme += 2) {
    const struct tor_classic_wish wish = {.scheme = (enum tor_classic_scheme)scheme,
                                          .rule = TOR_CLASSIC_TORRE,
                                          .precision = TOR_F64,
                                          .n = {14, 10, 6},
                                          .sourced = 1};
    struct tor_classic_problem p;
    tor_classic_make(&p, &wish);
    p.c.value = NULL;
    double *ez = p.field[TOR_EZ], e[4];
    const double kx = TOR_PI * 3 / 14, ky = TOR_PI * 2 / 10, cdt = p.c.medium[1].c[TOR_EZ][1];
    for (int k = 0; k <= p.c.n[2] - (p.c.n[2] > 0); k++)
      for (int j = 1; j < 10; j++)
        for (int i = 1; i < 14; i++) ez[tor_classic_at(&p.c, i, j, k)] = sin(kx * i) * sin(ky * j);
    const double s = cdt * cdt * (pow(sin(kx / 2), 2) + pow(sin(ky / 2), 2));
    for (int step = 0; step < 4; step++) {
      e[step] = ez[tor_classic_at(&p.c, 2, 3, 0)];
      tor_classic_run(&p.c, p.field, step, 1, 3, 1);
    }
    assert_true(fabs(e[3] + e[1] - (2 - 4 * s) * e[2]) < 1e-14);
    assert_true(fabs(e[1]) > 0.1);
    tor_classic_free(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_of_engines),
      cmocka_unit_test(authors_numbers),
      cmocka_unit_test(modes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
