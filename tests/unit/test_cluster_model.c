/* The cluster model: the pipeline's events, costs, scaling, and the results published for TSUBAME2.5. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/predict/cluster.h"
#include "src/predict/cluster_plan.h"
#include "src/predict/scaling.h"
#include "tests/support/machine_file.h"

#define expect_near(a, b, within) assert_true(fabs((double)(a) - (double)(b)) <= (within) * fabs((double)(b)))

/* --- The pipeline --- */

static struct tor_pipeline plain(int px, double r, double b, double m, double l, double bytes) {
  struct tor_pipeline p = {.px = px, .py = 1, .ranks_per_node = 1, .stages = 24, .calc = {r, b, m, l}, .bytes = bytes};
  p.net = p.near = (struct tor_pipeline_path){1e9, 1e-6};
  return p;
}

static void one_rank_has_no_communication(void **state) {
  (void)state;
  struct tor_pipeline p = plain(1, 0, 0, 2.5, 0, 1e9);
  struct tor_pipeline_times t;
  tor_pipeline_play(&p, &t);
  assert_true(t.fill == 0 && t.message == 0 && t.wait == 0);
  expect_near(t.period, 2.5, 1e-12);
  expect_near(t.total, 24 * 2.5, 1e-12);
}

/* Within a node nothing is contended and both must agree; through ports the events can only be slower. */
static void events_agree_with_the_closed_formula(void **state) {
  (void)state;
  const double calc[][4] = {{1, 0, 6, 1}, {1, 0, 1, 1}, {2, 0, 0, 2}, {1, 3, 0, 1}, {0.1, 0.5, 0, 0.1}};
  const double bytes[] = {0, 1e8, 1e9, 3e9, 1e10};
  for (int c = 0; c < 5; c++)
    for (int b = 0; b < 5; b++)
      for (int px = 1; px < 12; px += 3) {
        struct tor_pipeline p = plain(px, calc[c][0], calc[c][1], calc[c][2], calc[c][3], bytes[b]);
        struct tor_pipeline_times t, u;
        double period, fill;
        if (px == 1) p.calc[TOR_STEP_M] = 1;
        tor_pipeline_estimate(&p, &period, &fill);
        tor_pipeline_play(&p, &u);
        p.ranks_per_node = px;
        tor_pipeline_play(&p, &t);
        expect_near(t.period, period, 1e-9);
        expect_near(t.fill, fill, 1e-9);
        assert_true(u.period >= period * (1 - 1e-9) && u.fill >= fill * (1 - 1e-9) && u.total >= t.total * (1 - 1e-9));
        assert_true(t.wait <= t.message + calc[c][1] + 1e-9);
        double stage = calc[c][0] + calc[c][1] + calc[c][2] + calc[c][3];
        if (px > 1) expect_near(t.wait + stage, period, 1e-9);
      }
}

static void filling_takes_a_stage_a_rank_when_slabs_are_wide(void **state) {
  (void)state;
  struct tor_pipeline p = plain(40, 1, 0, 20, 1, 0);
  p.net.latency = 0;
  struct tor_pipeline_times t;
  tor_pipeline_play(&p, &t);
  expect_near(t.fill / t.period, 39, 1e-12);
}

static void more_bandwidth_never_slows(void **state) {
  (void)state;
  for (int share = 1; share <= 4; share *= 2)
    for (int py = 1; py <= 2; py++) {
      struct tor_pipeline p = plain(8, 1, 0, 3, 1, 8e9);
      double last = INFINITY;
      p.py = py;
      p.ranks_per_node = share;
      p.near.rate = 1e13;
      for (int i = 0; i < 6; i++, p.net.rate *= 2) {
        struct tor_pipeline_times t;
        tor_pipeline_play(&p, &t);
        assert_true(t.total <= last * (1 + 1e-12));
        last = t.total;
      }
      expect_near(last, 31 * 5, 0.05);
    }
}

/* One port carries one message at a time each way: four ranks of a node that send at once wait for each other. */
static void a_shared_port_is_contended(void **state) {
  (void)state;
  struct tor_pipeline p = plain(2, 1, 0, 0, 1, 1e9), alone = p;
  struct tor_pipeline_times t, u;
  p.py = p.ranks_per_node = 4;
  p.net.latency = alone.net.latency = 0;
  tor_pipeline_play(&p, &t);
  tor_pipeline_play(&alone, &u);
  expect_near(u.fill, 2 + 1, 1e-12);
  expect_near(t.fill, 2 + 4, 1e-12);
  assert_true(t.period > u.period);
}

/* --- Legality of the order of events --- */

enum { PX = 7, PY = 3, STAGES = 10, RANKS = PX * PY };
struct watch {
  const struct tor_pipeline *p;
  double now, ended[RANKS][STAGES][TOR_NSTEP], came[RANKS][STAGES][2]; /* came: [0] from the left, [1] from the right */
  int begun[RANKS][STAGES][TOR_NSTEP];
  int events;
};

static void watch_event(void *context, const struct tor_pipeline_event *e) {
  struct watch *w = context;
  int ix = e->rank / PY, both = w->p->calc[TOR_STEP_B] > 0;
  assert_true(e->time >= w->now);
  w->now = e->time;
  w->events++;
  double(*ended)[TOR_NSTEP] = w->ended[e->rank];
  switch (e->what) {
  case TOR_STEP_BEGAN:
    assert_false(w->begun[e->rank][e->stage][e->step]);
    w->begun[e->rank][e->stage][e->step] = 1;
    if (e->stage > 0) assert_true(ended[e->stage - 1][TOR_STEP_L] <= e->time);
    if (e->step != TOR_STEP_R) assert_true(ended[e->stage][TOR_STEP_R] <= e->time);
    if (e->step == TOR_STEP_L) assert_true(ended[e->stage][both ? TOR_STEP_B : TOR_STEP_M] <= e->time);
    if (e->step == TOR_STEP_R && ix + 1 < PX) assert_true(w->came[e->rank][e->stage][1] <= e->time);
    if (e->step == (both ? TOR_STEP_B : TOR_STEP_L) && ix > 0 && e->stage > 0)
      assert_true(w->came[e->rank][e->stage - 1][0] <= e->time);
    break;
  case TOR_STEP_ENDED:
    assert_true(w->begun[e->rank][e->stage][e->step]);
    ended[e->stage][e->step] = e->time;
    break;
  case TOR_MESSAGE_LEFT:
    assert_true(ended[e->stage][e->step == TOR_STEP_R && both ? TOR_STEP_B : e->step] <= e->time);
    break;
  case TOR_MESSAGE_CAME: {
    int from = e->rank + (e->step == TOR_STEP_R ? -PY : PY);
    double sent = w->ended[from][e->stage][e->step == TOR_STEP_R && both ? TOR_STEP_B : e->step];
    assert_true(e->time >= sent + w->p->bytes / w->p->net.rate + w->p->net.latency - 1e-12);
    w->came[e->rank][e->stage][e->step == TOR_STEP_L] = e->time;
    break;
  }
  }
}

static void no_step_starts_before_its_message(void **state) {
  (void)state;
  for (int narrow = 0; narrow < 2; narrow++) {
    struct tor_pipeline p = plain(PX, 1, narrow ? 2 : 0, narrow ? 0 : 3, 1, 2e9);
    struct watch *w = calloc(1, sizeof *w);
    assert_non_null(w);
    for (int i = 0; i < RANKS * STAGES * TOR_NSTEP; i++) (&w->ended[0][0][0])[i] = INFINITY;
    for (int i = 0; i < RANKS * STAGES * 2; i++) (&w->came[0][0][0])[i] = INFINITY;
    w->p = &p;
    p.py = PY;
    p.ranks_per_node = 2;
    p.near = (struct tor_pipeline_path){1e9, 1e-6};
    p.stages = STAGES;
    p.trace = watch_event;
    p.context = w;
    struct tor_pipeline_times t;
    tor_pipeline_play(&p, &t);
    assert_int_equal(w->events, STAGES * (RANKS * 6 + (PX - 1) * PY * 4));
    free(w);
  }
}

/* --- Costs --- */

static struct tor_cluster_domain domain(tor_gidx nx, tor_gidx ny, tor_gidx nz, int order,
                                        enum tor_precision precision) {
  return (struct tor_cluster_domain){{nx, ny, nz}, order, precision, 6.0 * precision, 0};
}

/* A whole number of waves, no borders, no streaming: the device's own rate, and nothing else. */
static void one_device_runs_at_its_rate(void **state) {
  (void)state;
  struct tor_machine m;
  struct tor_cluster_cost c;
  machine_file("laptop.cfg", &m);
  struct tor_cluster_domain d = domain(1200, 480, 256, 2, TOR_F32);
  assert_int_equal(tor_cluster_cost(&m, &d, &(struct tor_cluster_layout){1, 1, 1, 64}, &c), 0);
  double cells = 1200.0 * 480 * 256;
  expect_near(c.pipeline.calc[TOR_STEP_M], cells * 64 / 1.375e9, 1e-9);
  assert_true(c.fits && c.row_border == 0 && c.row_stream == 0);
  tor_machine_free(&m);
}

/* Slower cells lengthen every time that is limited by computing. */
static void layers_and_poles_take_time(void **state) {
  (void)state;
  struct tor_machine m;
  machine_file("laptop.cfg", &m);
  assert_true(tor_machine_find(&m, 2, TOR_F32)->costs.poles > tor_machine_find(&m, 2, TOR_F32)->costs.layers);
  struct tor_cluster_domain d = domain(2000, 300, 256, 2, TOR_F32);
  struct tor_cluster_layout layout = {1, 1, 1, 64};
  struct tor_cluster_cost vacuum, c;
  assert_int_equal(tor_cluster_cost(&m, &d, &layout, &vacuum), 0);
  d.more = 0.75;
  assert_int_equal(tor_cluster_cost(&m, &d, &layout, &c), 0);
  expect_near(c.steps, 1.75 * vacuum.steps, 1e-9);
  tor_machine_free(&m);
}

/* A tower of two blocks takes the places of two: half as many at once, each as long as one of half its height, and the
 * same rate of cells. Four of 33 blocks leave no place empty of 132, two of 50 leave 32. */
static void tall_towers_take_several_places(void **state) {
  (void)state;
  struct tor_machine m;
  machine_file("h200-8.cfg", &m);
  const struct tor_cluster_layout layout = {1, 1, 8, 64};
  struct tor_cluster_domain d = domain(1200, 792, 256, 2, TOR_F32);
  struct tor_cluster_cost low, tall;
  assert_int_equal(tor_cluster_cost(&m, &d, &layout, &low), 0);
  d.n[2] = 512;
  assert_int_equal(tor_cluster_cost(&m, &d, &layout, &tall), 0);
  assert_int_equal(low.in_flight, 132);
  assert_int_equal(tall.in_flight, 66);
  expect_near(tall.tower, low.tower, 1e-12);
  expect_near(tall.row_compute, 2 * low.row_compute, 1e-12);
  d.n[2] = m.rates[0].most_nz = 33 * 256;
  assert_int_equal(tor_cluster_cost(&m, &d, &layout, &tall), 0);
  expect_near(tall.row_compute, 33 * low.row_compute, 1e-12);
  d.n[2] = m.rates[0].most_nz = 50 * 256;
  assert_int_equal(tor_cluster_cost(&m, &d, &layout, &tall), 0);
  assert_int_equal(tall.in_flight, 2);
  expect_near(tall.row_compute, 50 * 1.32 * low.row_compute, 1e-12);
  d.n[2]++;
  assert_int_equal(tor_cluster_cost(&m, &d, &layout, &tall), -1);
  assert_non_null(strstr(tall.why, "12801 cells along z, need at most 12800"));
  tor_machine_free(&m);
}

static void rows_of_all_steps_are_the_slab(void **state) {
  (void)state;
  struct tor_machine m;
  machine_file("h200-8.cfg", &m);
  struct tor_cluster_domain d = domain(2400, 12672, 256, 2, TOR_F32);
  for (int px = 1; px <= 32; px *= 2)
    for (int th = 8; th <= 64; th *= 2) {
      struct tor_cluster_cost c;
      assert_int_equal(tor_cluster_cost(&m, &d, &(struct tor_cluster_layout){px, 1, 1, th}, &c), 0);
      assert_int_equal(c.overlap, th + 6);
      expect_near(c.rows[0] + c.rows[1] + c.rows[2] + c.rows[3], 2.0 * (double)c.columns / 6, 1e-12);
      for (int i = 0; i < TOR_NSTEP; i++) assert_true(c.rows[i] >= 0);
      if (px > 1 && c.columns >= 2 * c.overlap) expect_near(c.rows[TOR_STEP_R], c.overlap / 3.0, 1e-12);
    }
  tor_machine_free(&m);
}

/* Streaming is hidden once a column's TH steps take longer than the column takes on the link. */
static void host_link_is_hidden_by_tall_towers(void **state) {
  (void)state;
  struct tor_machine m;
  machine_file("tsubame2.5.cfg", &m);
  double least = m.link[0].rate / 48;
  least = m.rates[0].rate / least; /* 12.6 */
  struct tor_cluster_domain d = domain(2500, 3 * 336, 384, 4, TOR_F64);
  struct tor_cluster_cost c;
  m.peer_on_link = 0;
  for (int th = 8; th < 32; th++) {
    assert_int_equal(tor_cluster_cost(&m, &d, &(struct tor_cluster_layout){1, 1, 1, th}, &c), 0);
    assert_false(c.resident);
    if (th > least) assert_true(c.row_stream < c.row_compute);
    if (th < 0.9 * least) assert_true(c.row_stream > c.row_compute);
  }
  tor_machine_free(&m);
}

static void a_larger_machine_is_never_slower(void **state) {
  (void)state;
  for (int what = 0; what < 4; what++)
    for (tor_gidx ny = 400; ny < 13000; ny *= 2) {
      struct tor_machine m;
      double last = INFINITY;
      machine_file("h200-8.cfg", &m);
      struct tor_cluster_domain d = domain(40000, ny, 256, 2, TOR_F32);
      for (int i = 0; i < 4; i++) {
        struct tor_cluster_cost c;
        struct tor_pipeline_times t;
        assert_int_equal(tor_cluster_cost(&m, &d, &(struct tor_cluster_layout){4, 2, 1, 64}, &c), 0);
        tor_cluster_play(&c, 8, &t);
        assert_true(t.total <= last * (1 + 1e-12));
        last = t.total;
        for (int k = 0; k < m.nlink; k++) m.link[k].rate *= what == 0 ? 2 : 1;
        m.network_rate *= what == 1 ? 2 : 1;
        m.peer_rate *= what == 2 ? 2 : 1;
        m.host_rate *= what == 3 ? 2 : 1;
      }
      tor_machine_free(&m);
    }
}

static void what_does_not_fit_is_reported(void **state) {
  (void)state;
  struct tor_machine m;
  struct tor_cluster_cost c;
  machine_file("tsubame2.5.cfg", &m);
  struct tor_cluster_domain large = domain(384000, 1008, 128, 4, TOR_F64), narrow = domain(300, 1008, 128, 4, TOR_F64);
  assert_int_equal(tor_cluster_cost(&m, &large, &(struct tor_cluster_layout){1, 1, 1, 16}, &c), 0);
  assert_false(c.fits);
  assert_non_null(strstr(c.why, "its host has 44"));
  assert_int_equal(tor_cluster_cost(&m, &narrow, &(struct tor_cluster_layout){8, 1, 1, 16}, &c), 0);
  assert_false(c.fits);
  assert_non_null(strstr(c.why, "overlap"));
  assert_int_equal(tor_cluster_cost(&m, &narrow, &(struct tor_cluster_layout){1, 1, 2, 16}, &c), -1);
  narrow.order = 2;
  assert_int_equal(tor_cluster_cost(&m, &narrow, &(struct tor_cluster_layout){1, 1, 1, 16}, &c), -1);
  assert_non_null(strstr(c.why, "no rate for order 2"));
  tor_machine_free(&m);
}

/* --- Scaling --- */

/* A slab that the host does not hold streams from and to the disk, each column once a stage both ways. */
static void a_disk_sets_the_pace(void **state) {
  (void)state;
  struct tor_machine m;
  struct tor_cluster_cost c;
  machine_file("tsubame2.5.cfg", &m);
  struct tor_cluster_domain d = domain(3000, 1008, 384, 4, TOR_F64); /* 56 GB */
  for (int th = 100; th <= 1600; th *= 4) {
    assert_int_equal(tor_cluster_cost(&m, &d, &(struct tor_cluster_layout){1, 1, 1, th}, &c), 0);
    assert_true(c.on_disk);
    const double updates = 3000.0 * 1008 * 384 * th, disk = 2 * 3000.0 * 1008 * 384 * 48 / m.disk_rate;
    expect_near(c.steps, fmax(disk, updates / (3 * 0.975e9)), 0.01);
  }
  m.disk = 0;
  assert_int_equal(tor_cluster_cost(&m, &d, &(struct tor_cluster_layout){1, 1, 1, 100}, &c), 0);
  assert_true(!c.on_disk && !c.fits && strstr(c.why, "its host has 44"));
  tor_machine_free(&m);
}

static struct tor_scaling_point *series(const struct tor_machine *m, enum tor_scaling_kind kind,
                                        const struct tor_cluster_domain *d, int th, int ranks, int *count) {
  struct tor_scaling s = {kind, *d, 1, th, 1e5, ranks};
  struct tor_scaling_point *points;
  char why[256] = "";
  *count = tor_scaling_make(m, &s, &points, why);
  if (!*count) fail_msg("%s", why);
  return points;
}

static void weak_efficiency_tends_to_one(void **state) {
  (void)state;
  struct tor_machine m;
  machine_file("h200-8.cfg", &m);
  double last = 0;
  for (tor_gidx nx = 300; nx <= 8100; nx *= 3) { /* resident in the devices */
    struct tor_cluster_domain d = domain(nx, 12672, 256, 2, TOR_F32);
    int count;
    struct tor_scaling_point *p = series(&m, TOR_WEAK_X, &d, 64, 16384, &count);
    assert_int_equal(p[count - 1].cost.ranks, 16384);
    double efficiency = p[count - 1].speedup / 16384;
    assert_true(efficiency >= last - 1e-9 && efficiency < 1 + 1e-9);
    last = efficiency;
    free(p);
  }
  assert_true(last > 0.999);
  tor_machine_free(&m);
}

/* Own runs on four H200 (docs/user/cluster.md): 4000 x 500 x 256 cells a rank, TH 128. A stage without anything else
 * ran at 157 G/s; given that, the stages of two and four ranks, the fill, and the rows at the right are predicted. */
static void h200_runs_along_x_are_met(void **state) {
  (void)state;
  static const struct {
    int ranks;
    double stage, fill;
  } measured[] = {{2, 0.427, 0.49}, {4, 0.442, 1.51}};
  struct tor_machine m;
  machine_file("h200-8.cfg", &m);
  for (int i = 0; i < m.nrates; i++)
    if (m.rates[i].order == 2 && m.rates[i].precision == TOR_F32) m.rates[i].rate = 157e9;
  m.peer_rate = m.within_rate; /* those runs had no copies from GPU to GPU along x */
  m.peer_latency = m.network_latency;
  for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
    struct tor_cluster_domain d = domain((tor_gidx)4000 * measured[i].ranks, 500, 256, 2, TOR_F32);
    struct tor_cluster_layout layout = {measured[i].ranks, 1, 8, 128};
    struct tor_cluster_cost c;
    struct tor_pipeline_times t;
    assert_int_equal(tor_cluster_cost(&m, &d, &layout, &c), 0);
    tor_cluster_play(&c, 16, &t);
    printf("%d H200 along X: stage %.3f s (measured %.3f), fill %.2f s (%.2f), rows at the right %.1f ms (16)\n",
           measured[i].ranks, t.period, measured[i].stage, t.fill, measured[i].fill, c.pipeline.calc[TOR_STEP_R] * 1e3);
    expect_near(t.period, measured[i].stage, 0.06);
    expect_near(t.fill, measured[i].fill, 0.05);
    expect_near(c.pipeline.calc[TOR_STEP_R], 16e-3, 0.15);
    expect_near(tor_cluster_hidden(&t), 1, 0.01);
  }
  tor_machine_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_rank_has_no_communication),
      cmocka_unit_test(events_agree_with_the_closed_formula),
      cmocka_unit_test(filling_takes_a_stage_a_rank_when_slabs_are_wide),
      cmocka_unit_test(more_bandwidth_never_slows),
      cmocka_unit_test(a_shared_port_is_contended),
      cmocka_unit_test(no_step_starts_before_its_message),
      cmocka_unit_test(one_device_runs_at_its_rate),
      cmocka_unit_test(layers_and_poles_take_time),
      cmocka_unit_test(tall_towers_take_several_places),
      cmocka_unit_test(rows_of_all_steps_are_the_slab),
      cmocka_unit_test(host_link_is_hidden_by_tall_towers),
      cmocka_unit_test(a_larger_machine_is_never_slower),
      cmocka_unit_test(what_does_not_fit_is_reported),
      cmocka_unit_test(a_disk_sets_the_pace),
      cmocka_unit_test(weak_efficiency_tends_to_one),
      cmocka_unit_test(h200_runs_along_x_are_met),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
