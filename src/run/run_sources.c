/* What a run does about sources: see run_sources.h. */
#include "src/run/run_sources.h"

#include <stddef.h>

#include "comm/transport/message.h"
#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/field_file.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/sheet.h"
#include "src/job/turn.h"
#include "src/model/model.h"
#include "src/model/source.h"
#include "src/modes/plane_sources.h"

/* An array of process 0; the others allocate theirs. */
static void *share(void *array, size_t count, size_t size) {
  if (tor_message_rank()) array = tor_alloc(count, size, "source");
  tor_message_bcast(array, count * size);
  return array;
}

static struct tor_sheet *share_sheet(struct tor_sheet *own) {
  struct tor_sheet *sheet = share(own, 1, sizeof *sheet);
  const size_t points = (size_t)sheet->n[0] * (size_t)sheet->n[1], terms = (size_t)sheet->nterms,
               frequencies = (size_t)sheet->nfreq;
  for (int f = 0; f < tor_sheet_profiles(sheet); f++)
    sheet->profile[f] = share(sheet->profile[f], points * terms, sizeof *sheet->profile[f]);
  sheet->omega = share(sheet->omega, frequencies, sizeof *sheet->omega);
  for (int h = 0; h < 2; h++)
    sheet->amplitude[h] =
        share(sheet->amplitude[h], TOR_SHEET_PLACES * frequencies * terms, sizeof *sheet->amplitude[h]);
  if (sheet->has_nodes)
    sheet->node_amplitude = share(sheet->node_amplitude, 2 * frequencies * terms, sizeof *sheet->node_amplitude);
  return sheet;
}

int tor_run_sources_make(struct tor_job *job, struct tor_faults *faults) {
  int failed = tor_message_rank() ? 0 : tor_plane_sources_make(job, faults);
  tor_message_bcast(&failed, sizeof failed);
  for (int i = 0; i < job->nsources; i++)
    if (job->sources[i].fields) tor_field_file_forget(job->sources[i].fields);
  for (int i = 0; i < job->nsources && !failed; i++)
    if (tor_source_has_sheet(&job->sources[i])) job->sources[i].sheet = share_sheet(job->sources[i].sheet);
  return failed;
}

void tor_run_sources_log(const struct tor_job *job) {
  char text[256];
  for (int i = 0; tor_plane_sources_text(job, i, text, sizeof text); i++) tor_log("%s", text);
}

void tor_run_sources_log_waves(const struct tor_model *model) {
  for (int i = 0; i < model->sources->nincident; i++) {
    const struct tor_box *b = tor_incident_box(model->sources, i);
    const struct tor_grid *g = &model->grid;
    double lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
      const int u = tor_user_axis(model->job, a);
      lo[u] = tor_grid_at(g, a, b->lo[a]) / TOR_NM;
      hi[u] = tor_grid_at(g, a, b->hi[a]) / TOR_NM;
    }
    tor_log("plane wave %s: total field in [%g, %g] x [%g, %g] x [%g, %g] nm",
            tor_incident_source(model->sources, i)->name, lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
  }
}
