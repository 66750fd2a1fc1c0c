/* Measurements of `torre tune` on a device, and their use in plans.
 *
 * One file a device in $XDG_CACHE_HOME/torre (~/.cache/torre without that variable), named after the device;
 * src/schedule/tuned_file.h. Figures of another version of Torre, of another driver or another number of threads are
 * not used. No result depends on any of this. */
#ifndef TOR_SRC_SCHEDULE_TUNED_H
#define TOR_SRC_SCHEDULE_TUNED_H

#include <stddef.h>

#include "src/model/column_work.h"
#include "src/job/job.h"

/* Cases of `torre bench` that are measured; POLES has layers too. */
enum tor_tuned_case { TOR_TUNED_VACUUM, TOR_TUNED_LAYERS, TOR_TUNED_POLES, TOR_TUNED_CASES };
enum { TOR_TUNED_KINDS = 4 }; /* orders 2 and 4 in fp32 and fp64 */
enum { TOR_TUNED_LINKS = 8 };

struct tor_tuned_kind {
  int order;
  enum tor_precision precision;
  int th;        /* fastest stage of the diamond engine */
  double tile;   /* CPU: bytes of all fields in the fastest tile; 0 on a GPU, whose tiles are fixed */
  double layers; /* fraction of the cells in absorbing layers in the cases LAYERS and POLES */
  double poles;  /* fraction of the field points with poles in the case POLES */
  double stepwise[TOR_TUNED_CASES], diamond[TOR_TUNED_CASES]; /* [cell updates/s]; 0: the device has not that engine */
};

struct tor_tuned {
  char version[64], device[128], driver[64], date[16]; /* driver: "none" on the CPU */
  int threads;                                         /* 0 on a GPU */
  double copy;                                         /* within the device's memory, read plus write [bytes/s] */
  /* Between a GPU and the host, both ways at once: each way [bytes/s], while as many GPUs as the place + 1 are busy at
   * one time; 0 on the CPU and beyond the GPUs that there are. */
  double link[TOR_TUNED_LINKS];
  struct tor_tuned_kind kind[TOR_TUNED_KINDS];
};

/* Fills in the identity of a device: GPU number `gpu`, or the CPU with `threads` threads when it is -1; all else is 0.
 */
void tor_tuned_name(int gpu, int threads, struct tor_tuned *tuned);
/* Path of the device's file. Returns 0; or -1 when the environment names no folder. */
int tor_tuned_path(const struct tor_tuned *tuned, char *path, size_t size);

enum tor_tuned_found { TOR_TUNED_NONE, TOR_TUNED_FOUND, TOR_TUNED_STALE, TOR_TUNED_DAMAGED };
/* The figures of a device; when it has none that can be used, why[size] contains the reason and `tuned` is not set. */
enum tor_tuned_found tor_tuned_find(int gpu, int threads, struct tor_tuned *tuned, char *why, size_t size);

/* The row of an order and a precision. */
const struct tor_tuned_kind *tor_tuned_kind(const struct tor_tuned *tuned, int order, enum tor_precision precision);
/* Fraction of a job's cells in absorbing layers; n: cells along each axis. */
double tor_tuned_layers(const struct tor_job *job, const int n[3]);
/* Predicted rate [cell updates/s] of a job with a fraction `layers` of its cells in absorbing layers and a fraction
 * `poles`
 * of its field points in dispersive media: a cell's time grows in proportion to both. 0: the device has not that
 * engine. */
double tor_tuned_rate(const struct tor_tuned_kind *kind, enum tor_engine_kind engine, double layers, double poles);
/* Link of each of `users` GPUs of a host at one time [bytes/s]; beyond those measured the total stays. 0: not measured.
 */
double tor_tuned_link(const struct tor_tuned *tuned, int users);
/* Costs of columns in the diamond engine. kind NULL: default figures of the CPU. */
struct tor_column_costs tor_tuned_costs(const struct tor_tuned_kind *kind, int order, enum tor_precision precision);
/* Steps of a stage for which computation takes twice the time of the transfers, because of the lighter rows at the ends
 * of a sweep (docs/design/gpu.md). `bytes`: sent by one cell each way; `link` [bytes/s]. */
int tor_tuned_window_th(double rate, double bytes, double link);

#endif
