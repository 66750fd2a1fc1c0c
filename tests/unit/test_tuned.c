/* The file of torre tune: its content, the machines and options for which it is used, and its use by plans. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/plain_job.h"
#include "io/files/folder.h"
#include "src/schedule/tuned_file.h"
#include "src/schedule/plan.h"

static char cache[] = "/tmp/torre_tuned_XXXXXX", path[4096], why[4096];
enum { THREADS = 3 };

/* Figures that differ from each other; this machine's name. */
static struct tor_tuned figures(void) {
  struct tor_tuned t;
  tor_tuned_name(-1, THREADS, &t);
  snprintf(t.date, sizeof t.date, "2026-01-02");
  t.copy = 40e9;
  for (int i = 0; i < 3; i++) t.link[i] = 50e9 - 10e9 * i;
  for (int i = 0; i < TOR_TUNED_KINDS; i++) {
    struct tor_tuned_kind *k = &t.kind[i];
    *k = (struct tor_tuned_kind){.order = i < 2 ? 2 : 4,
                                 .precision = i % 2 ? TOR_F64 : TOR_F32,
                                 .th = 32 + i,
                                 .tile = 1e5 * (i + 1),
                                 .layers = 0.2,
                                 .poles = 0.25};
    for (int c = 0; c < TOR_TUNED_CASES; c++) {
      k->stepwise[c] = 1e9 / (1 + c + i);
      k->diamond[c] = 3e9 / (1 + c * c + i);
    }
  }
  return t;
}

static void write_figures(const struct tor_tuned *t) {
  assert_int_equal(tor_tuned_path(t, path, sizeof path), 0);
  assert_int_equal(tor_tuned_write(path, t, why, sizeof why), 0);
}

static void the_file_gives_back_what_was_measured(void **state) {
  (void)state;
  const struct tor_tuned t = figures();
  struct tor_tuned got;
  write_figures(&t);
  assert_int_equal(tor_tuned_find(-1, THREADS, &got, why, sizeof why), TOR_TUNED_FOUND);
  assert_string_equal(got.device, t.device);
  assert_string_equal(got.version, t.version);
  assert_string_equal(got.date, t.date);
  for (int i = 0; i < TOR_TUNED_LINKS; i++) assert_true(fabs(got.link[i] - t.link[i]) < 1e5);
  for (int i = 0; i < TOR_TUNED_KINDS; i++) {
    assert_int_equal(got.kind[i].th, t.kind[i].th);
    assert_true(fabs(got.kind[i].tile - t.kind[i].tile) < 1);
    for (int c = 0; c < TOR_TUNED_CASES; c++) {
      assert_true(fabs(got.kind[i].stepwise[c] - t.kind[i].stepwise[c]) < 1e4);
      assert_true(fabs(got.kind[i].diamond[c] - t.kind[i].diamond[c]) < 1e4);
    }
  }
}

static void another_version_driver_or_thread_count_is_not_used(void **state) {
  (void)state;
  struct tor_tuned t = figures(), got;
  write_figures(&t);
  assert_int_equal(tor_tuned_find(-1, THREADS + 1, &got, why, sizeof why), TOR_TUNED_NONE);
  snprintf(t.version, sizeof t.version, "0.0.9");
  write_figures(&t);
  assert_int_equal(tor_tuned_find(-1, THREADS, &got, why, sizeof why), TOR_TUNED_STALE);
  assert_non_null(strstr(why, "0.0.9"));
  t = figures();
  snprintf(t.driver, sizeof t.driver, "old");
  write_figures(&t);
  assert_int_equal(tor_tuned_find(-1, THREADS, &got, why, sizeof why), TOR_TUNED_STALE);
}

/* Replaces `from` by `to` in the file. */
static void change(const char *from, const char *to) {
  static char text[1 << 16], out[1 << 16];
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  char *at = strstr(text, from);
  assert_non_null(at);
  const int length = snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(fwrite(out, 1, (size_t)length, f), length);
  fclose(f);
}

static void damage_is_seen_and_named(void **state) {
  (void)state;
  static const struct {
    const char *from, *to, *says;
  } damage[] = {
      {"th = 33", "th = -33", "th"},
      {"th = 33", "th = \"x\"", "th"},
      {"order = 4", "order = 2", "order"},
      {"precision = \"fp64\"", "precision = \"fp32\"", "need each once"},
      {"copy_GB_per_s = ", "copy = ", "copy_GB_per_s"},
      {"link_GB_per_s = (50.0", "link_GB_per_s = (-50.0", "link_GB_per_s"},
      {"link_GB_per_s = (50.0000,", "link_GB_per_s = (", "link_GB_per_s"},
      {"stepwise = (1.0", "stepwise = (-1.0", "stepwise"},
      {"stepwise = (1.0", "stepwise = (1e999, 1.0", "stepwise"},
      {"diamond = (3.0", "diamond = (0.0", "diamond"},
      {"kinds = (", "kinds = ((", ".cfg:"},
      {"th = 33", "th = 33; th2 = 1", "th2"},
      {"order = 4; precision = \"fp64\"", "order = 4; precision = \"fp32\"", "need each once"},
      {"date = \"", "date = \"00000000000000000", "date"},
      {"version", "verzion", "version"},
  };
  for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
    struct tor_tuned t = figures(), got;
    write_figures(&t);
    change(damage[i].from, damage[i].to);
    assert_int_equal(tor_tuned_find(-1, THREADS, &got, why, sizeof why), TOR_TUNED_DAMAGED);
    assert_non_null(strstr(why, damage[i].says));
    assert_non_null(strstr(why, path));
  }
  for (long length = 0; length < 700; length += 97) { /* cut off anywhere */
    struct tor_tuned t = figures(), got;
    write_figures(&t);
    assert_int_equal(truncate(path, length), 0);
    assert_int_equal(tor_tuned_find(-1, THREADS, &got, why, sizeof why), TOR_TUNED_DAMAGED);
  }
}

static void expect_damage(const char *says) {
  struct tor_tuned got;
  assert_int_equal(tor_tuned_find(-1, THREADS, &got, why, sizeof why), TOR_TUNED_DAMAGED);
  assert_non_null(strstr(why, says));
  assert_non_null(strstr(why, path));
}

/* None of these blocks or ends the program. */
static void what_is_no_such_file_is_not_read(void **state) {
  (void)state;
  const struct tor_tuned t = figures();
  write_figures(&t);
  assert_int_equal(truncate(path, 10 << 20), 0);
  expect_damage("longer than 64 KiB");
  write_figures(&t);
  if (geteuid()) { /* root reads all */
    assert_int_equal(chmod(path, 0), 0);
    expect_damage("Permission denied");
  }
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  expect_damage("not a regular file");
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(mkfifo(path, 0600), 0);
  expect_damage("not a regular file");
  assert_int_equal(unlink(path), 0);
  assert_int_equal(symlink(path, path), 0);
  expect_damage("symbolic links");
  assert_int_equal(unlink(path), 0);
}

static void the_folder_follows_the_environment(void **state) {
  (void)state;
  const struct tor_tuned t = figures();
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/home/someone", 1);
  assert_int_equal(tor_tuned_path(&t, path, sizeof path), 0);
  assert_true(strstr(path, "/home/someone/.cache/torre/") == path);
  unsetenv("HOME");
  assert_int_equal(tor_tuned_path(&t, path, sizeof path), -1);
  setenv("XDG_CACHE_HOME", cache, 1);
  assert_int_equal(tor_tuned_path(&t, path, sizeof path), 0);
  assert_true(strstr(path, cache) == path && !strpbrk(path + sizeof cache, " ()@"));
}

static void a_plan_takes_tile_and_stage_from_the_file(void **state) {
  (void)state;
  struct tor_job job;
  struct tor_plan plan;
  struct tor_faults faults = {0};
  const int n[3] = {64, 256, 120};
  const double cell[3] = {1e-8, 1e-8, 1e-8};
  struct tor_tuned t = figures();
  tor_plain_job(&job, n, cell, 2, TOR_F64, TOR_PEC, 0);
  job.run_time = 1e-13;
  job.path = "job.cfg";
  job.schedule = (struct tor_schedule){.threads = THREADS, .device = TOR_DEVICE_CPU};
  const double column = 6.0 * (n[2] + 8) * sizeof(double);
  for (int dts = 5; dts < 20; dts += 3) {
    t.kind[1].tile = 0.5 * dts * dts * column;
    t.kind[1].th = 10 + dts;
    write_figures(&t);
    assert_int_equal(tor_plan_make(&job, 0, &plan, &faults), 0);
    assert_true(plan.tuned && !plan.tuned_bad);
    assert_int_equal(plan.setup.dts, dts);
    assert_int_equal(plan.th, 10 + dts);
  }
  job.schedule.dts = 7; /* the job's own value is kept */
  job.schedule.th = 11;
  assert_int_equal(tor_plan_make(&job, 0, &plan, &faults), 0);
  assert_true(plan.setup.dts == 7 && plan.th == 11);
  assert_int_equal(unlink(path), 0);
  job.schedule.dts = job.schedule.th = 0;
  assert_int_equal(tor_plan_make(&job, 0, &plan, &faults), 0);
  assert_true(!plan.tuned && plan.th == 64);
  tor_plain_job_free(&job);
}

static void rates_follow_the_shares_of_layers_and_poles(void **state) {
  (void)state;
  struct tor_tuned_kind k = {
      .order = 2, .layers = 0.2, .poles = 0.25, .stepwise = {40e9, 40e9, 20e9}, .diamond = {160e9, 80e9, 4e9}};
  assert_true(fabs(tor_tuned_rate(&k, TOR_ENGINE_DIAMOND, 0, 0) - 160e9) < 1);
  assert_true(fabs(tor_tuned_rate(&k, TOR_ENGINE_DIAMOND, 0.2, 0) - 80e9) < 1);
  assert_true(fabs(tor_tuned_rate(&k, TOR_ENGINE_DIAMOND, 0.1, 0) - 320e9 / 3) < 1);
  assert_true(fabs(tor_tuned_rate(&k, TOR_ENGINE_DIAMOND, 0.2, 0.25) - 4e9) < 1);
  assert_true(fabs(tor_tuned_rate(&k, TOR_ENGINE_STEPWISE, 0.2, 0.5) - 40e9 / 3) < 1);
  k.diamond[0] = k.diamond[1] = k.diamond[2] = 0;
  assert_true(tor_tuned_rate(&k, TOR_ENGINE_DIAMOND, 0.2, 0.25) <= 0);
  struct tor_job job = {0};
  const int n[3] = {100, 50, 20};
  for (int f = 0; f < TOR_NFACE; f++)
    job.boundary[f] = (struct tor_boundary){.wall = f == 1 ? TOR_PEC : TOR_CPML, .cells = 5};
  assert_true(fabs(tor_tuned_layers(&job, n) - (1 - 0.95 * 0.8 * 0.5)) < 1e-12);
}

/* The costs of columns reproduce the rates from which they are computed. */
static void costs_of_columns_are_those_of_the_rates(void **state) {
  (void)state;
  const struct tor_tuned_kind k = {.layers = 0.2, .poles = 0.25, .diamond = {160e9, 80e9, 4e9}};
  const struct tor_column_costs c = tor_tuned_costs(&k, 2, TOR_F32);
  assert_true(fabs(160e9 / (1 + c.layers * k.layers) - 80e9) < 1);
  assert_true(fabs(160e9 / (1 + c.layers * k.layers + c.poles * k.poles) - 4e9) < 1);
  for (int kind = 0; kind < TOR_TUNED_KINDS; kind++) {
    const struct tor_column_costs usual = tor_tuned_costs(NULL, kind / 2 ? 4 : 2, kind % 2 ? TOR_F64 : TOR_F32);
    assert_true(usual.layers > 0 && usual.layers < usual.poles);
  }
}

static void a_stage_in_the_window_hides_the_link(void **state) {
  (void)state;
  /* While the link moves a cell once each way, the device must have TH steps of it to compute. */
  for (double rate = 5e9; rate < 400e9; rate *= 1.7)
    for (double bytes = 24; bytes < 200; bytes *= 1.9) {
      const double link = 50e9, least = rate * bytes / link;
      const int th = tor_tuned_window_th(rate, bytes, link);
      if (least * 2 > 512)
        assert_int_equal(th, 512);
      else
        assert_true(th >= 2 * least && th % 8 == 0 && (th <= 32 || th - 8 < 2 * least));
    }
}

static void gpus_of_a_host_share_its_links(void **state) {
  (void)state;
  struct tor_tuned t = {.link = {50e9, 40e9, 0, 20e9}};
  assert_true(fabs(tor_tuned_link(&t, 1) - 50e9) < 1);
  assert_true(fabs(tor_tuned_link(&t, 2) - 40e9) < 1);
  assert_true(fabs(tor_tuned_link(&t, 3) - 80e9 / 3) < 1); /* as much in all as two have */
  assert_true(fabs(tor_tuned_link(&t, 4) - 20e9) < 1);
  assert_true(fabs(tor_tuned_link(&t, 16) - 5e9) < 1);
  memset(&t, 0, sizeof t);
  assert_true(tor_tuned_link(&t, 4) <= 0);
}

int main(void) {
  if (!mkdtemp(cache)) return 1;
  setenv("XDG_CACHE_HOME", cache, 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_file_gives_back_what_was_measured),
      cmocka_unit_test(another_version_driver_or_thread_count_is_not_used),
      cmocka_unit_test(damage_is_seen_and_named),
      cmocka_unit_test(what_is_no_such_file_is_not_read),
      cmocka_unit_test(the_folder_follows_the_environment),
      cmocka_unit_test(a_plan_takes_tile_and_stage_from_the_file),
      cmocka_unit_test(rates_follow_the_shares_of_layers_and_poles),
      cmocka_unit_test(costs_of_columns_are_those_of_the_rates),
      cmocka_unit_test(a_stage_in_the_window_hides_the_link),
      cmocka_unit_test(gpus_of_a_host_share_its_links),
  };
  int failed = cmocka_run_group_tests_name("tuned", tests, NULL, NULL);
  char folder[64];
  snprintf(folder, sizeof folder, "%s/torre", cache);
  const char *const all[] = {"*"};
  tor_folder_clear(folder, all, 1);
  tor_folder_clear(cache, all, 1);
  return failed;
}
