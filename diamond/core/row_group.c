/* Groups of rows: see row_group.h. */
#include "diamond/core/row_group.h"

#include <stdint.h>

/* Rows like the one at `from`, from there on. */
static int alike(const uint8_t *is_plain, int from, int rows) {
  int past = from;
  while (past < rows && !is_plain[past] == !is_plain[from]) past++;
  return past - from;
}

int tor_row_group(const uint8_t *is_plain, int rows) {
  int past = 0;
  while (past < rows) {
    const int count = alike(is_plain, past, rows);
    if (is_plain[past] && count >= TOR_ROW_GROUP_LEAST) return past ? past : count;
    past += count;
  }
  return past;
}
