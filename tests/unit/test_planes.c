/* Uniform planes, which most columns have in common (diamond/core/planes.h), on a small slab made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/planes.h"

enum { NX = 6, NY = 5, COLUMNS = NX * NY, WAVE = 2, DFT_SAMPLES = 2 };

/* Columns 1..4 x 1..4 have an injection into Ex at z = 9 (its place goes by 3 along x) and at z = 3, and a Fourier
 * record of Hy at z = 40 and 41. */
struct hand {
  struct tor_slab slab;
  uint16_t cls[COLUMNS];
  int32_t extra_id[COLUMNS];
  struct tor_extra extra[COLUMNS];
  struct tor_inject inject[WAVE * COLUMNS];
  struct tor_record record[DFT_SAMPLES * COLUMNS];
  struct tor_pole_range run[1];
  struct tor_record_group group[2];
  uint8_t has[COLUMNS];
  struct tor_planes planes;
};

static int is_inside(int ix, int iy) { return ix >= 1 && ix <= 4 && iy >= 1 && iy <= 4; }

static struct hand *hand_new(void) {
  struct hand *h = calloc(1, sizeof *h);
  assert_non_null(h);
  struct tor_slab *s = &h->slab;
  *s = (struct tor_slab){.order = 2,
                         .n = {NX - 1, NY - 1, 64},
                         .held = {NX, NY},
                         .cls = h->cls,
                         .extra_id = h->extra_id,
                         .extra = h->extra,
                         .inject = h->inject,
                         .record = h->record,
                         .run = h->run,
                         .group = h->group,
                         .ngroup = 2};
  h->group[0].kind = TOR_RECORD_SERIES;
  h->group[1].kind = TOR_RECORD_DFT;
  h->run[0] = (struct tor_pole_range){.z0 = 30, .nz = 4};
  for (int ix = 0; ix < NX; ix++)
    for (int iy = 0; iy < NY; iy++) {
      const int column = ix * NY + iy;
      h->extra_id[column] = -1;
      if (!is_inside(ix, iy)) continue;
      struct tor_extra *extra = &h->extra[h->extra_id[column] = s->nextra++];
      h->cls[column] = TOR_COL_INJECT | TOR_COL_RECORD;
      for (int c = 0; c < TOR_NCOMP; c++) {
        extra->inject[c] = (int32_t)s->ninject;
        extra->record[c] = (int32_t)s->nrecord;
        if (c == TOR_EX) {
          h->inject[s->ninject++] = (struct tor_inject){9, 1, TOR_INCIDENT_H, 100 + 3 * ix, .factor = 0.5};
          h->inject[s->ninject++] = (struct tor_inject){3, 1, TOR_INCIDENT_H, 7, .factor = -0.5};
        }
        if (c == TOR_HY) h->record[s->nrecord++] = (struct tor_record){40, 2, 1, 1000 + 2 * (4 * (ix - 1) + iy - 1)};
      }
      extra->inject[TOR_NCOMP] = (int32_t)s->ninject;
      extra->record[TOR_NCOMP] = (int32_t)s->nrecord;
    }
  return h;
}
static struct tor_extra *extra_at(struct hand *h, int ix, int iy) { return &h->extra[h->extra_id[ix * NY + iy]]; }
static int find(struct hand *h, int most, int at_once) {
  return (int)tor_planes_find(&h->slab, most, at_once, &h->planes, h->has);
}

static void finds_planes_with_their_places(void **unused) {
  (void)unused;
  struct hand *h = hand_new();
  assert_int_equal(find(h, 2, 1), 16);
  for (int ix = 0; ix < NX; ix++)
    for (int iy = 0; iy < NY; iy++) assert_int_equal(h->has[ix * NY + iy], is_inside(ix, iy));
  for (int c = 0; c < TOR_NCOMP; c++) {
    assert_int_equal(h->planes.ninject[c], c == TOR_EX ? 2 : 0);
    assert_int_equal(h->planes.nrecord[c], c == TOR_HY ? 1 : 0);
  }
  const struct tor_plane_inject *in = h->planes.inject[TOR_EX];
  assert_int_equal(in[0].at.z0, 3);
  assert_int_equal(in[0].at.index, 7);
  assert_int_equal(in[0].along[0], 0);
  assert_int_equal(in[1].at.z0, 9);
  assert_int_equal(in[1].at.index, 100);
  assert_int_equal(in[1].along[0], 3);
  assert_int_equal(in[1].along[1], 0);
  const struct tor_plane_record *r = &h->planes.record[TOR_HY][0];
  assert_int_equal(r->at.offset, 1000 - 2 * 5);
  assert_int_equal(r->along[0], 8);
  assert_int_equal(r->along[1], 2);
  free(h);
}

/* Columns that differ in one thing are not in the planes; the others are. */
static void leaves_out_columns_that_differ(void **unused) {
  (void)unused;
  struct hand *h = hand_new();
  h->inject[extra_at(h, 2, 2)->inject[TOR_EX]].index++;       /* place */
  h->inject[extra_at(h, 2, 3)->inject[TOR_EX]].factor = 0.25; /* factor */
  h->inject[extra_at(h, 3, 2)->inject[TOR_EX]].z0 = 10;       /* z */
  h->record[extra_at(h, 3, 3)->record[TOR_HY]].offset++;      /* place */
  h->record[extra_at(h, 4, 1)->record[TOR_HY]].group = 0;     /* no Fourier monitor */
  h->cls[4 * NY + 2] |= TOR_COL_LOSSY_E;                      /* losses */
  const int out[][2] = {{2, 2}, {2, 3}, {3, 2}, {3, 3}, {4, 1}, {4, 2}};
  assert_int_equal(find(h, 2, 1), 16 - 6);
  for (size_t i = 0; i < sizeof out / sizeof *out; i++) assert_int_equal(h->has[out[i][0] * NY + out[i][1]], 0);
  assert_int_equal(h->has[1 * NY + 1], 1);
  free(h);
}

/* Poles exclude a plane only in the same range of z as its injection. */
static void leaves_out_poles_near_injections(void **unused) {
  (void)unused;
  for (int z0 = 31; z0 <= 32; z0++) {
    struct hand *h = hand_new();
    h->run[0] = (struct tor_pole_range){.z0 = z0, .nz = 4};
    h->cls[2 * NY + 2] |= TOR_COL_POLES;
    struct tor_extra *extra = extra_at(h, 2, 2);
    for (int c = TOR_EY; c <= 4; c++) extra->run[c] = 1; /* of Ex */
    assert_int_equal(find(h, 2, 1), z0 < 32 ? 15 : 16);
    assert_int_equal(h->has[2 * NY + 2], z0 >= 32);
    free(h);
  }
}

static void finds_none_where_none_fit(void **unused) {
  (void)unused;
  struct hand *h = hand_new();
  assert_int_equal(find(h, 1, 1), 0); /* two injections, capacity for one */
  for (int c = 0; c < TOR_NCOMP; c++) assert_int_equal(h->planes.ninject[c] + h->planes.nrecord[c], 0);
  for (int i = 0; i < WAVE * COLUMNS; i++) h->inject[i].z0 = 9;
  assert_int_equal(find(h, 2, 1), 0);
  assert_int_equal(find(h, 2, 2), 16);
  assert_int_equal(h->planes.inject[TOR_EX][0].at.index, 100); /* the columns' order */
  for (int i = 0; i < WAVE * COLUMNS; i++) h->inject[i].nz = 2;
  assert_int_equal(find(h, 2, 2), 0);
  memset(h->cls, 0, sizeof h->cls);
  assert_int_equal(find(h, 2, 2), 0);
  free(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_planes_with_their_places),
      cmocka_unit_test(leaves_out_columns_that_differ),
      cmocka_unit_test(leaves_out_poles_near_injections),
      cmocka_unit_test(finds_none_where_none_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
