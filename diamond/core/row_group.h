/* Groups of rows of towers that are run alike: plain rows, and others (plain_rows.cuh). */
#ifndef TOR_DIAMOND_CORE_ROW_GROUP_H
#define TOR_DIAMOND_CORE_ROW_GROUP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A launch waits for the last towers of the one before, about as long as two rows take: fewer plain rows are not worth
 * one. */
enum { TOR_ROW_GROUP_LEAST = 32 };
/* How many of the next `rows` rows to run together; is_plain: [rows]. Plain rows alone, or rows up to the next plain
 * row_group that is worth a launch. 0 when there are none. */
int tor_row_group(const uint8_t *is_plain, int rows);

#ifdef __cplusplus
}
#endif
#endif
