/* Sources on a plane: see plane_sources.h. */
#include "src/modes/plane_sources.h"

#include <stddef.h>

#include "src/base/error.h"
#include "src/job/job.h"
#include "src/model/beam_source.h"
#include "src/model/fields_source.h"
#include "src/model/grid_fields.h"
#include "src/modes/mode_source.h"

int tor_plane_sources_make(struct tor_job *job, struct tor_faults *faults) {
  const int before = faults->count;
  for (int i = 0; i < job->nsources; i++) {
    struct tor_source *s = &job->sources[i];
    if (!tor_source_has_sheet(s) || s->sheet) continue;
    s->sheet = s->kind == TOR_BEAM           ? tor_beam_source_make(job, s, faults)
               : s->as_is                    ? tor_grid_fields_make(job, s, faults)
               : s->kind == TOR_FIELD_SOURCE ? tor_fields_source_make(job, s, faults)
                                             : tor_mode_source_make(job, s, faults);
  }
  return faults->count > before ? -1 : 0;
}

int tor_plane_sources_text(const struct tor_job *job, int i, char *text, size_t size) {
  for (int k = 0; k < job->nsources; k++) {
    const struct tor_source *s = &job->sources[k];
    if (!tor_source_has_sheet(s) || !s->sheet || i-- > 0) continue;
    if (s->kind == TOR_BEAM)
      tor_beam_source_text(s, text, size);
    else if (s->as_is)
      tor_grid_fields_text(s, text, size);
    else if (s->kind == TOR_FIELD_SOURCE)
      tor_fields_source_text(s, text, size);
    else
      tor_mode_source_text(s, text, size);
    return 1;
  }
  return 0;
}
