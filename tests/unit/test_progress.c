/* Progress in a batch log, and run.log: the number of lines and their content. */
#include <errno.h>
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

#include "tests/support/temporary.h"
#include "io/files/log.h"
#include "io/files/progress.h"

static char folder[] = "/tmp/torre_progress_XXXXXX", screen[64], log_path[64], text[65536];
static int kept_stdout;

/* stdout goes to a file, as in a batch system. */
static void begin_capture(void) {
  fflush(stdout);
  kept_stdout = dup(STDOUT_FILENO);
  assert_non_null(freopen(screen, "w", stdout));
}

static int read_lines(const char *path) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = 0;
  int lines = 0;
  for (const char *s = text; *s; s++) lines += *s == '\n';
  return lines;
}

static int end_capture(void) {
  fflush(stdout);
  dup2(kept_stdout, STDOUT_FILENO);
  close(kept_stdout);
  return read_lines(screen);
}

static int run(tor_gidx first, tor_gidx total, tor_gidx stride, int quiet) {
  begin_capture();
  tor_progress_begin(total, 1e6, quiet);
  for (tor_gidx step = first; step <= total; step += stride) tor_progress_update(step, "energy 1.2e-3 of max");
  tor_progress_end();
  return end_capture();
}

static void batch_mode_prints_ten_lines_and_a_last_one(void **state) {
  (void)state;
  assert_int_equal(run(0, 100000, 7, 0), 11 - 1); /* 7 does not reach 100000: nine tenths and the end */
  assert_int_equal(run(0, 100000, 1, 0), 11);
  assert_null(strchr(text, '\r'));
  assert_null(strchr(text, '\033'));
  assert_non_null(strstr(text, " 10 %  "));
  assert_non_null(strstr(text, "100 %  "));
  assert_non_null(strstr(text, "G cells/s  at most "));
  assert_non_null(strstr(text, "energy 1.2e-3 of max\n"));
  assert_non_null(strstr(text, "100000 of at most 100000 steps done in "));
}

static void short_and_odd_runs_print_no_more(void **state) {
  (void)state;
  assert_int_equal(run(0, 25, 1, 0), 11);
  assert_int_equal(run(0, 3, 1, 0), 4);
  assert_int_equal(run(0, 0, 1, 0), 1);
  assert_int_equal(run(0, INT64_C(400000000000000000), INT64_C(100000000000000000), 0), 5); /* no overflow */
}

static void a_restarted_run_counts_from_its_checkpoint(void **state) {
  (void)state;
  assert_int_equal(run(550, 1000, 1, 0), 6); /* 60 ... 100 % and the end */
  assert_null(strstr(text, " 50 %"));
}

static void quiet_prints_nothing(void **state) {
  (void)state;
  assert_int_equal(run(0, 1000, 1, 1), 0);
  assert_string_equal(text, "");
}

static void log_lines_reach_screen_and_file(void **state) {
  (void)state;
  begin_capture();
  assert_int_equal(tor_log_open(log_path, 0), 0);
  tor_log("grid %d x %d", 3, 4);
  tor_log_note("a note");
  tor_log_quiet(1);
  tor_log("in the file only");
  tor_log_warning("beware");
  tor_log_quiet(0);
  assert_int_equal(tor_log_warnings(), 1);
  assert_int_equal(tor_log_close(), 0);
  assert_int_equal(end_capture(), 3);
  assert_non_null(strstr(text, " s] grid 3 x 4\n"));
  assert_non_null(strstr(text, " s] warning: beware\n"));
  assert_int_equal(read_lines(log_path), 4);
  assert_non_null(strstr(text, " s] note: a note\n"));
  assert_non_null(strstr(text, " s] in the file only\n"));
}

static void control_characters_reach_neither(void **state) {
  (void)state;
  begin_capture();
  assert_int_equal(tor_log_open(log_path, 0), 0);
  tor_log("title %s", "a\n[     0.000 s] forged \x1b]0;x\x07 \xc2\x9b \xff "
                      "\xe2\x80\xa8 \xe2\x80\xae \xe2\x81\xa6 caf\xc3\xa9");
  assert_int_equal(tor_log_close(), 0);
  assert_int_equal(end_capture(), 1);
  assert_non_null(strstr(text, " s] title a?[     0.000 s] forged ?]0;x? ?? ? ??? ??? ??? caf\xc3\xa9\n"));
  assert_int_equal(read_lines(log_path), 1);
  assert_non_null(strstr(text, "forged ?]0;x? ?? ? ??? ??? ??? caf\xc3\xa9\n"));
}

static void a_log_is_written_to_no_link_and_no_pipe(void **state) {
  (void)state;
  char other[80];
  snprintf(other, sizeof other, "%s.other", log_path);
  unlink(log_path);
  assert_int_equal(symlink(other, log_path), 0);
  assert_int_equal(tor_log_open(log_path, 1), -1);
  assert_int_equal(errno, ELOOP);
  assert_int_equal(tor_log_open(log_path, 0), 0); /* in its place */
  assert_int_equal(tor_log_close(), 0);
  assert_int_equal(access(other, F_OK), -1);
  assert_int_equal(link(log_path, other), 0);
  assert_int_equal(tor_log_open(log_path, 1), -1);
  assert_int_equal(errno, EMLINK);
  assert_int_equal(unlink(other), 0);
  assert_int_equal(unlink(log_path), 0);
  assert_int_equal(mkfifo(log_path, 0666), 0);
  assert_int_equal(tor_log_open(log_path, 1), -1);
  assert_int_equal(errno, ENOTSUP);
  assert_int_equal(unlink(log_path), 0);
}

static void a_restart_appends_to_the_log(void **state) {
  (void)state;
  begin_capture();
  assert_int_equal(tor_log_open(log_path, 1), 0);
  tor_log("again");
  assert_int_equal(tor_log_close(), 0);
  assert_int_equal(tor_log_close(), 0);
  end_capture();
  assert_int_equal(read_lines(log_path), 5);
}

static void a_full_disk_shows_when_the_log_closes(void **state) {
  (void)state;
  begin_capture();
  assert_int_equal(tor_log_open(log_path, 0), 0);
  tor_log_quiet(1);
  temporary_limit(10);
  tor_log("lost");
  int status = tor_log_close();
  temporary_limit(-1);
  tor_log_quiet(0);
  assert_int_equal(end_capture(), 0);
  assert_int_equal(status, -1);
  assert_int_equal(tor_log_open("/proc/no/run.log", 0), -1);
}

static int setup(void **state) {
  (void)state;
  if (temporary_file(folder, "screen", screen, NULL)) return -1;
  snprintf(log_path, sizeof log_path, "%s/run.log", folder);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  unlink(screen);
  unlink(log_path);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batch_mode_prints_ten_lines_and_a_last_one),
      cmocka_unit_test(short_and_odd_runs_print_no_more),
      cmocka_unit_test(a_restarted_run_counts_from_its_checkpoint),
      cmocka_unit_test(quiet_prints_nothing),
      cmocka_unit_test(log_lines_reach_screen_and_file),
      cmocka_unit_test(a_restart_appends_to_the_log),
      cmocka_unit_test(control_characters_reach_neither),
      cmocka_unit_test(a_log_is_written_to_no_link_and_no_pipe),
      cmocka_unit_test(a_full_disk_shows_when_the_log_closes),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
