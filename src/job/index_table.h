/* Tables of a medium's index n + i k against wavelength, as measured and published. */
#ifndef TOR_SRC_JOB_INDEX_TABLE_H
#define TOR_SRC_JOB_INDEX_TABLE_H

#include "src/base/error.h"

struct tor_index_table {
  int count;
  double *wavelength; /* [count], owned: in vacuum [m], rising */
  double *n, *k;      /* [count], owned; k 0 where the file has none */
  int has_k;          /* some k is above 0 */
};

/* Called for each fault of a table's file: its line, 0 for the file as a whole, and the text with the marks of
 * base/error.h. */
typedef void tor_index_table_fault(void *to, int line, const char *text);

/* Reads a table. Two forms, which differ in a line DATA:
 * - lines of numbers under a header that names the columns and the unit of the first, such as `wavelength_nm,n,k`,
 *   separated by commas, semicolons, tabs or blanks; further columns and lines that begin with # are passed over. A
 *   second header may follow with its own lines, as in the exports of refractiveindex.info: wl,n and wl,k, wl in um;
 * - YAML of the database of refractiveindex.info: tabulated nk, n, k, formulas 1, 2 and 4.
 * Returns 0; or -1 with faults: all of a table, but at most 20; one for a file without such a header or numbers under
 * it. The table is the caller's in either case. */
int tor_index_table_read(const char *path, struct tor_index_table *table, tor_index_table_fault *fault, void *to);
void tor_index_table_free(struct tor_index_table *table);

#endif
