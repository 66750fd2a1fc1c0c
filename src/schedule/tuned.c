/* Measurements of a device: see tuned.h. */
#include "src/schedule/tuned.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/gpu/device.h"
#include "src/base/types.h"
#include "src/job/cylindrical.h"
#include "src/job/job.h"
#include "src/model/column_work.h"
#include "src/schedule/tuned_file.h"
#include "tor_version.h"

static void name_processor(char *name, size_t size) {
  snprintf(name, size, "processor");
  FILE *f = fopen("/proc/cpuinfo", "r");
  if (!f) return;
  char line[512];
  while (fgets(line, sizeof line, f)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) || !colon) continue;
    snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
    name[strcspn(name, "\n")] = 0;
    break;
  }
  fclose(f);
}

void tor_tuned_name(int gpu, int threads, struct tor_tuned *tuned) {
  memset(tuned, 0, sizeof *tuned);
  snprintf(tuned->version, sizeof tuned->version, "%s (%s)", TOR_VERSION, TOR_GIT_HASH);
  if (gpu >= 0) {
    tor_device_name(gpu, tuned->device, sizeof tuned->device, tuned->driver, sizeof tuned->driver);
    return;
  }
  name_processor(tuned->device, sizeof tuned->device);
  snprintf(tuned->driver, sizeof tuned->driver, "none");
  tuned->threads = threads;
}

int tor_tuned_path(const struct tor_tuned *tuned, char *path, size_t size) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char folder[2048], name[sizeof tuned->device];
  if (cache && *cache == '/') /* a relative path is to be ignored: XDG Base Directory Specification */
    snprintf(folder, sizeof folder, "%s", cache);
  else if (home && *home == '/')
    snprintf(folder, sizeof folder, "%s/.cache", home);
  else
    return -1;
  size_t n = 0;
  for (const char *c = tuned->device; *c; c++) {
    if (isalnum((unsigned char)*c))
      name[n++] = *c;
    else if (n && name[n - 1] != '-')
      name[n++] = '-';
  }
  name[n] = 0;
  int length = tuned->threads ? snprintf(path, size, "%s/torre/%s-%d.cfg", folder, name, tuned->threads)
                              : snprintf(path, size, "%s/torre/%s.cfg", folder, name);
  return length > 0 && (size_t)length < size ? 0 : -1;
}

enum tor_tuned_found tor_tuned_find(int gpu, int threads, struct tor_tuned *tuned, char *why, size_t size) {
  struct tor_tuned here, found;
  char path[4096], reason[1024];
  tor_tuned_name(gpu, threads, &here);
  if (tor_tuned_path(&here, path, sizeof path)) {
    snprintf(why, size, "neither XDG_CACHE_HOME nor HOME names a folder for the measurements of torre tune");
    return TOR_TUNED_NONE;
  }
  switch (tor_tuned_read(path, here.version, &found, reason, sizeof reason)) {
  case TOR_TUNED_FILE_READ: break;
  case TOR_TUNED_FILE_NONE: snprintf(why, size, "torre tune has not measured this device"); return TOR_TUNED_NONE;
  case TOR_TUNED_FILE_OLD:
    snprintf(why, size, "torre tune has measured this device with version %s, not with this one", found.version);
    return TOR_TUNED_STALE;
  case TOR_TUNED_FILE_DAMAGED:
    snprintf(why, size, "%s; not used, torre tune will replace it", reason);
    return TOR_TUNED_DAMAGED;
  }
  if (strcmp(found.device, here.device) || strcmp(found.driver, here.driver) || found.threads != here.threads) {
    snprintf(why, size, "torre tune has measured this device with driver %s, not with this one", found.driver);
    return TOR_TUNED_STALE;
  }
  *tuned = found;
  return TOR_TUNED_FOUND;
}

const struct tor_tuned_kind *tor_tuned_kind(const struct tor_tuned *tuned, int order, enum tor_precision precision) {
  return &tuned->kind[(order == 4 ? 2 : 0) + (precision == TOR_F64)];
}

double tor_tuned_layers(const struct tor_job *job, const int n[3]) {
  double inside = 1;
  for (int a = job->angular ? TOR_AXIAL : 0; a < 3; a++) {
    double cells = n[a];
    for (int side = job->angular && a == TOR_RADIAL; side < 2; side++)
      cells -= tor_boundary_layer(&job->boundary[2 * a + side]);
    inside *= fmax(0, cells / n[a]);
  }
  return 1 - inside;
}

double tor_tuned_rate(const struct tor_tuned_kind *kind, enum tor_engine_kind engine, double layers, double poles) {
  const double *rate = engine == TOR_ENGINE_STEPWISE ? kind->stepwise : kind->diamond;
  if (rate[TOR_TUNED_VACUUM] <= 0) return 0;
  const double vacuum = 1 / rate[TOR_TUNED_VACUUM], more_layers = 1 / rate[TOR_TUNED_LAYERS] - vacuum;
  const double more_poles = 1 / rate[TOR_TUNED_POLES] - 1 / rate[TOR_TUNED_LAYERS];
  return 1 / (vacuum + fmax(0, more_layers) * layers / kind->layers + fmax(0, more_poles) * poles / kind->poles);
}

double tor_tuned_link(const struct tor_tuned *tuned, int users) {
  int known = users < TOR_TUNED_LINKS ? users : TOR_TUNED_LINKS;
  while (known > 1 && tuned->link[known - 1] <= 0) known--;
  return tuned->link[known - 1] * known / users;
}

struct tor_column_costs tor_tuned_costs(const struct tor_tuned_kind *kind, int order, enum tor_precision precision) {
  /* One Zen 4 thread, processor time, TH 64, 256 cells along z, 2026-11-21 (docs/user/cluster.md). */
  static const struct tor_column_costs usual[2][2] = {{{0.5, 1.5}, {0.6, 1.3}}, {{0.45, 1.7}, {0.35, 0.9}}};
  if (!kind || kind->diamond[TOR_TUNED_VACUUM] <= 0) return usual[order == 4][precision == TOR_F64];
  const double *rate = kind->diamond, vacuum = 1 / rate[TOR_TUNED_VACUUM], layers = 1 / rate[TOR_TUNED_LAYERS];
  return (struct tor_column_costs){fmax(0, layers - vacuum) / vacuum / kind->layers,
                                   fmax(0, 1 / rate[TOR_TUNED_POLES] - layers) / vacuum / kind->poles};
}

int tor_tuned_window_th(double rate, double bytes, double link) {
  enum { LEAST = 32, MOST = 512, STEP = 8 };
  const double steps = 2 * rate * bytes / link;
  if (steps <= LEAST) return LEAST;
  return steps >= MOST ? MOST : (int)ceil(steps / STEP) * STEP;
}
