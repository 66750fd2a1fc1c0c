/* Studies of rates: see rates.h. */
#include "src/study/rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/transport/message.h"
#include "diamond/gpu/device.h"
#include "io/files/folder.h"
#include "src/base/error.h"
#include "src/bench/bench_run.h"
#include "src/model/averaging.h"
#include "src/predict/machine_file.h"

static void begin(struct tor_rates *study) {
  const char *output = study->job.output;
  const size_t n = strlen(output) + 32;
  study->folder = tor_alloc(n, 1, "a name");
  snprintf(study->folder, n, study->options->has_folder ? "%s" : "%s-%s", output, study->name);
  study->gpu = study->job.schedule.device == TOR_DEVICE_GPU;
}

static int run(struct tor_rates *study, struct tor_faults *faults) {
  char why[4096];
  if (study->options->machine) study->has_machine = tor_machine_read(study->options->machine, &study->machine, faults);
  tor_rates_add(study, faults);
  if (!faults->count && tor_folder_make(study->folder, why, sizeof why)) tor_fault(faults, "%s", why);
  if (faults->count) return TOR_EXIT_USER;
  if (tor_rates_write_runs(study)) return TOR_EXIT_FAILURE;
  int status = tor_rates_run(study);
  const int measurable = !study->gpu || tor_device_count() > 0;
  if (measurable && (study->options->kind == TOR_STUDY_ROOFLINE || !study->has_machine))
    study->copy = tor_bench_copy(study->gpu ? 0 : -1, study->job.schedule.threads);
  tor_rates_predict(study);
  return tor_rates_report(study) && status == TOR_EXIT_OK ? TOR_EXIT_FAILURE : status;
}

int tor_rates_study(const struct tor_study_options *options, struct tor_faults *faults) {
  struct tor_rates *study = tor_alloc(1, sizeof *study, "a study");
  int status = TOR_EXIT_USER;
  memset(study, 0, sizeof *study);
  study->options = options;
  study->name = tor_study_name(options->kind);
  if (tor_message_ranks() > 1) {
    tor_fault(faults, "study %s starts its runs itself: need " TOR_NEEDED("one process, without a launcher"),
              study->name);
  } else if (tor_averaging_read(options->job, options->overrides, options->noverrides, &study->job, faults)) {
    begin(study);
    status = run(study, faults);
    tor_job_free(&study->job);
    if (study->has_machine) tor_machine_free(&study->machine);
  }
  free(study->folder);
  free(study);
  return status;
}
