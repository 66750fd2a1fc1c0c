/* Sheets: see sheet.h. */
#include "src/job/sheet.h"

#include <stdlib.h>

void tor_sheet_free(struct tor_sheet *sheet) {
  if (!sheet) return;
  for (int f = 0; f < TOR_SHEET_FIELDS; f++) free(sheet->profile[f]);
  free(sheet->amplitude[0]);
  free(sheet->amplitude[1]);
  free(sheet->node_amplitude);
  free(sheet->omega);
  free(sheet);
}
