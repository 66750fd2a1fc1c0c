/* Injections, profiles and signals of sheets (src/job/sheet.h). */
#ifndef TOR_SRC_MODEL_SHEET_SOURCE_H
#define TOR_SRC_MODEL_SHEET_SOURCE_H

#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/sheet.h"

/* A sheet without fields, of the most terms, at a source's place: for sizes. Ends the run when memory is short. */
struct tor_sheet *tor_sheet_outline(const struct tor_job *job, const struct tor_source *source,
                                    const struct tor_grid *grid);

/* A source's sheet. */
struct tor_sheet_source {
  const struct tor_sheet *sheet;
  struct tor_sheet *outline; /* its own, without fields, where the job's source has none yet; else NULL */
  int first[2];              /* columns of the tables of E and H where its signals start */
};

/* Columns of the table of incident E, or of H (is_h), that the sheet's signals take. */
int tor_sheet_width(const struct tor_sheet *sheet, int order, int is_h);

/* Injections of all sheets into the columns of a block, as tor_sources_inject. */
typedef void tor_inject_add(void *context, int ix, int iy, int comp, const struct tor_inject *entry);
double tor_sheets_inject(const struct tor_sheet_source *sheet, int count, const struct tor_grid *grid,
                         const struct tor_column_block *block, tor_inject_add *add, void *context);

/* Values of their profiles in the columns of a block (NULL: all), in the order that the injections refer to; to: NULL,
 * or where they go. Returns their number. */
tor_gidx tor_sheets_values(const struct tor_sheet_source *sheet, int count, const struct tor_grid *grid,
                           const struct tor_column_block *block, enum tor_precision precision, void *to);

/* Signals of E at time t, or of H (is_h) at t: [tor_sheet_width]. */
void tor_sheet_signals(const struct tor_sheet *sheet, int order, int is_h, double t, double *to);

#endif
