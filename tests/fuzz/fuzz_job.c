/* libFuzzer: any bytes as a job file. The reader gives a job or faults; it never crashes, leaks or takes much memory.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/job/job_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[64];
  snprintf(path, sizeof path, "fuzz-%ld.cfg", (long)getpid());
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, size, f) != size || fclose(f)) abort();
  struct tor_job job;
  struct tor_faults faults = {0};
  int good = tor_job_read(path, NULL, 0, &job, &faults);
  if (good != (faults.count == 0)) abort();
  if (good) {
    FILE *none = fopen("/dev/null", "w");
    if (none) {
      tor_job_write_json(&job, none, 0);
      fclose(none);
    }
    tor_job_free(&job);
  }
  tor_faults_free(&faults);
  return 0;
}
