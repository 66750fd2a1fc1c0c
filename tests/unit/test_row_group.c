/* Groups of rows: they cover all rows in order, many plain rows form a group of their own, and few plain rows do not
 * split a group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diamond/core/row_group.h"

enum { MOST = 400, LEAST = TOR_ROW_GROUP_LEAST };

static int is_all(const uint8_t *is_plain, int rows, int value) {
  for (int i = 0; i < rows; i++)
    if (is_plain[i] != value) return 0;
  return 1;
}

static int longest_plain(const uint8_t *is_plain, int rows) {
  int longest = 0, now = 0;
  for (int i = 0; i < rows; i++) {
    now = is_plain[i] ? now + 1 : 0;
    if (now > longest) longest = now;
  }
  return longest;
}

static void rows_of_one_kind_are_one_group(void **state) {
  (void)state;
  uint8_t rows[MOST];
  for (int plain = 0; plain < 2; plain++) {
    memset(rows, plain, sizeof rows);
    assert_int_equal(tor_row_group(rows, MOST), MOST);
    assert_int_equal(tor_row_group(rows, 1), 1);
    assert_int_equal(tor_row_group(rows, 0), 0);
  }
}

static void a_source_splits_a_slab_in_three(void **state) {
  (void)state;
  uint8_t rows[MOST];
  memset(rows, 1, sizeof rows);
  memset(rows + 150, 0, 40);
  assert_int_equal(tor_row_group(rows, MOST), 150);
  assert_int_equal(tor_row_group(rows + 150, MOST - 150), 40);
  assert_int_equal(tor_row_group(rows + 190, MOST - 190), MOST - 190);
}

static void few_plain_rows_split_nothing(void **state) {
  (void)state;
  uint8_t rows[MOST] = {0};
  memset(rows, 1, LEAST - 1); /* in front, between, at the end */
  memset(rows + 100, 1, LEAST - 1);
  memset(rows + MOST - LEAST + 1, 1, LEAST - 1);
  assert_int_equal(tor_row_group(rows, MOST), MOST);
  memset(rows + 100, 1, LEAST);
  assert_int_equal(tor_row_group(rows, MOST), 100);
}

static void groups_of_random_rows(void **state) {
  (void)state;
  uint8_t rows[MOST];
  srand(1);
  for (int round = 0; round < 2000; round++) {
    int count = 1 + rand() % MOST, last_was_plain = 0, done = 0;
    for (int i = 0, left = 0, kind = 0; i < count; i++, left--) {
      if (!left) {
        left = 1 + rand() % (2 * LEAST);
        kind = !kind;
      }
      rows[i] = (uint8_t)kind;
    }
    while (done < count) {
      const int n = tor_row_group(rows + done, count - done);
      assert_in_range(n, 1, count - done);
      const int plain = is_all(rows + done, n, 1) && n >= LEAST;
      if (!plain) assert_in_range(longest_plain(rows + done, n), 0, LEAST - 1);
      assert_false(plain && last_was_plain);
      if (plain && done + n < count) assert_false(rows[done + n]);
      last_was_plain = plain;
      done += n;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_one_kind_are_one_group),
      cmocka_unit_test(a_source_splits_a_slab_in_three),
      cmocka_unit_test(few_plain_rows_split_nothing),
      cmocka_unit_test(groups_of_random_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
