/* Files of the results folder: no link in it is followed, no pipe waited for, no device touched; the folder itself may
 * be a link. And its lock: whose it is after the folder was moved, removed, or taken by another run. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/files/folder.h"
#include "io/files/safe_open.h"

static char top[] = "/tmp/torre_safe_XXXXXX";

static void put(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void expect(const char *path, const char *wanted) {
  char text[64] = "";
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  assert_string_equal(text, wanted);
}

static void expect_error(int status, int error) {
  assert_int_equal(status, -1);
  assert_int_equal(errno, error);
}

static void a_file_is_made_in_place_of_a_link(void **state) {
  (void)state;
  put("victim", "precious");
  assert_int_equal(symlink("../victim", "real/x.part"), 0);
  FILE *f = tor_folder_create("results/x");
  assert_non_null(f);
  fputs("new", f);
  assert_int_equal(tor_folder_commit(f, "results/x"), 0);
  expect("victim", "precious");
  expect("real/x", "new");
  assert_int_equal(symlink("victim", "real/y"), 0);
  expect_error(tor_safe_open("results/y", O_RDONLY), ELOOP);
  assert_true(tor_safe_kind("results/y") == TOR_SAFE_OTHER);
  assert_int_equal(tor_safe_remove("results/y"), 0);
  expect("victim", "precious");
  assert_int_equal(unlink("real/x"), 0);
}

static void no_folder_in_it_is_a_link(void **state) {
  (void)state;
  char why[256];
  const char *const none[] = {"*"};
  mkdir("other", 0777);
  put("other/x", "precious");
  assert_int_equal(symlink("../other", "real/snapshots"), 0);
  expect_error(tor_safe_create("results/snapshots/x"), ELOOP);
  expect_error(tor_safe_open("results/snapshots/x", O_RDONLY), ELOOP);
  expect_error(tor_safe_remove("results/snapshots/x"), ELOOP);
  expect_error(tor_safe_rename("results/snapshots/x", "results/snapshots/y"), ELOOP);
  expect_error(tor_safe_folder("results/snapshots"), ELOOP);
  expect_error(tor_folder_make("results/snapshots/deep", why, sizeof why), ELOOP);
  assert_non_null(strstr(why, "symbolic link"));
  tor_folder_clear("results/snapshots", none, 1);
  expect("other/x", "precious");
  assert_int_equal(unlink("real/snapshots"), 0);
  assert_int_equal(tor_folder_make("results/snapshots/deep", why, sizeof why), 0);
  assert_int_equal(rmdir("real/snapshots/deep") | rmdir("real/snapshots"), 0);
  assert_int_equal(unlink("other/x") | rmdir("other"), 0);
}

static void a_pipe_is_not_waited_for(void **state) {
  (void)state;
  assert_int_equal(mkfifo("real/run.json", 0666), 0);
  assert_null(tor_safe_read("results/run.json"));
  assert_int_equal(errno, ENOTSUP);
  expect_error(tor_safe_open("results/run.json", O_WRONLY | O_APPEND), ENOTSUP);
  const int fd = tor_safe_create("results/run.json");
  assert_true(fd >= 0);
  close(fd);
  assert_true(tor_safe_kind("results/run.json") == TOR_SAFE_FILE);
  assert_int_equal(unlink("real/run.json"), 0);
  expect_error(tor_safe_open("results", O_RDONLY), ELOOP);
  expect_error(tor_safe_open("real", O_RDONLY), EISDIR);
}

static void a_device_stays(void **state) {
  (void)state;
  expect_error(tor_safe_create("/dev/null"), ENOTSUP);
  assert_int_equal(access("/dev/null", F_OK), 0);
}

static void a_lock_is_written_to_no_link_and_no_other_file(void **state) {
  (void)state;
  char why[512];
  put("victim", "precious");
  assert_int_equal(symlink("../victim", "real/.lock"), 0);
  assert_int_equal(tor_folder_lock("results", why, sizeof why), -1);
  assert_non_null(strstr(why, "symbolic link"));
  assert_int_equal(unlink("real/.lock") | link("victim", "real/.lock"), 0);
  assert_int_equal(tor_folder_lock("results", why, sizeof why), -1);
  assert_non_null(strstr(why, "no lock of a run"));
  assert_int_equal(unlink("real/.lock"), 0);
  put("real/.lock", "of another program");
  assert_int_equal(tor_folder_lock("results", why, sizeof why), -1);
  expect("real/.lock", "of another program");
  expect("victim", "precious");
  assert_int_equal(unlink("real/.lock"), 0);
}

/* real is what the lock was taken in. */
static void take(void) {
  char why[512];
  assert_int_equal(tor_folder_lock("real", why, sizeof why), 0);
  tor_safe_root("real");
  assert_true(tor_folder_is_ours());
}

static void release(void) {
  tor_folder_unlock();
  tor_safe_root("results");
}

static void a_moved_folder_is_made_anew(void **state) {
  (void)state;
  char why[9000];
  take();
  assert_int_equal(rename("real", "old"), 0);
  assert_false(tor_folder_is_ours());
  expect_error(tor_safe_create("real/x"), ESTALE);
  assert_int_equal(tor_folder_lock_again(why, sizeof why), 0);
  assert_non_null(strstr(why, "/old now"));
  assert_true(tor_folder_is_ours());
  release();
  assert_int_equal(unlink("old/.lock") | rmdir("old"), 0);
}

static void a_folder_that_is_anothers_now_is_lost(void **state) {
  (void)state;
  char why[9000];
  take();
  assert_int_equal(rename("real", "old") | mkdir("real", 0777), 0);
  put("real/results.h5", "another's");
  assert_int_equal(tor_folder_lock_again(why, sizeof why), -1);
  assert_non_null(strstr(why, "something else"));
  expect_error(tor_safe_create("real/results.h5"), ESTALE);
  expect_error(tor_safe_remove("real/results.h5"), ESTALE);
  expect_error(tor_safe_rename("real/results.h5", "real/x"), ESTALE);
  expect("real/results.h5", "another's");
  release();
  assert_int_equal(unlink("real/results.h5") | unlink("old/.lock") | rmdir("old"), 0);
}

static void a_lock_that_was_removed_is_taken_again(void **state) {
  (void)state;
  char why[9000];
  take();
  put("real/run.log", "ours");
  assert_int_equal(unlink("real/.lock"), 0);
  assert_false(tor_folder_is_ours());
  put("real/run.json", "another's");
  assert_int_equal(tor_folder_lock_again(why, sizeof why), -1);
  assert_non_null(strstr(why, "another run has ended there"));
  assert_int_equal(unlink("real/run.json"), 0);
  assert_int_equal(tor_folder_lock_again(why, sizeof why), 0);
  assert_non_null(strstr(why, ".lock was removed"));
  assert_true(tor_folder_is_ours());
  release();
  assert_int_equal(access("real/.lock", F_OK), -1);
  assert_int_equal(unlink("real/run.log"), 0);
}

static int setup(void **state) {
  (void)state;
  if (!mkdtemp(top) || chdir(top) || mkdir("real", 0777) || symlink("real", "results")) return -1;
  tor_safe_root("results");
  return 0;
}

static int teardown(void **state) {
  (void)state;
  unlink("victim");
  return unlink("results") || rmdir("real") || chdir("/") || rmdir(top);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_made_in_place_of_a_link),
      cmocka_unit_test(no_folder_in_it_is_a_link),
      cmocka_unit_test(a_pipe_is_not_waited_for),
      cmocka_unit_test(a_device_stays),
      cmocka_unit_test(a_lock_is_written_to_no_link_and_no_other_file),
      cmocka_unit_test(a_moved_folder_is_made_anew),
      cmocka_unit_test(a_folder_that_is_anothers_now_is_lost),
      cmocka_unit_test(a_lock_that_was_removed_is_taken_again),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
