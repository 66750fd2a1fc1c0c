/* Stretches of rows: see stretch.h. */
#include "diamond/core/row_group.h"

/* Rows like the one at `from`, from there on. */
static int alike(const uint8_t *is_plain, int from, int rows) {
  int past = from;
  while (past < rows && !is_plain[past] == !is_plain[from]) past++;
  return past - from;
}

int tor_stretch(const uint8_t *is_plain, int rows) {
  int past = 0;
  while (past < rows) {
    const int count = alike(is_plain, past, rows);
    if (is_plain[past] && count >= TOR_STRETCH_LEAST) return past ? past : count;
    past += count;
  }
  return past;
}
