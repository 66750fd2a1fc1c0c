/* A machine in the cluster model: nodes, their devices, the links between them. Plain data in SI units.
 *
 * Read from a machine file (jobs/machines/) by src/predict/machine_file.h. A machine without devices runs the CPU
 * engine: the whole processor of a node then counts as one device whose memory is the host's. */
#ifndef TOR_SRC_PREDICT_MACHINE_H
#define TOR_SRC_PREDICT_MACHINE_H

#include "src/model/column_work.h"
#include "src/base/types.h"

/* Rate of one device (of a node's processor, without devices) for an order and a precision. */
struct tor_machine_rate {
  int order;
  enum tor_precision precision;
  int dts;      /* half-width of the tower the rate belongs to, in reaches of the stencil */
  double rate;  /* [cell updates/s] with at least `towers` resident towers, data in the device's memory */
  int th;       /* steps of a tower, as it was measured */
  int towers;   /* in flight at once: resident blocks of a GPU, threads of a processor */
  int nz;       /* cells along z it belongs to; with fewer the rate falls in proportion (fewer accesses are in flight);
                   0: the rate of any number */
  int block_nz; /* cells along z of one of `towers`; a taller tower takes the places of several. 0: none does */
  int most_nz;  /* cells along z of the tallest tower; 0: no limit */
  struct tor_column_costs costs; /* of layers and poles; 0: not known */
};

/* Each of `devices` devices of a node that use their host links at the same time has `rate` each way [bytes/s]. */
struct tor_machine_link {
  int devices;
  double rate;
};

/* How an engine starts the towers of a row: by one launch for each row, which ends before the next begins, or by
 * dataflow between towers, many rows at once. */
enum tor_machine_rows { TOR_ROWS_BARRIER, TOR_ROWS_FLOW };

struct tor_machine {
  char *name, *source; /* source: where the figures come from; owned */
  int nodes, cores;    /* nodes available; cores of a node */
  double host_memory;  /* of a node [bytes] */
  double host_rate;    /* its bandwidth, reads and writes together [bytes/s] */
  int devices;         /* of a node; 0: the CPU engine */
  double device_memory;
  double device_rate; /* bandwidth of that memory, reads and writes together [bytes/s]; 0: not known */
  int nlink;
  struct tor_machine_link *link;  /* [nlink], owned; devices strictly rising from 1 */
  double link_latency;            /* [s] */
  double peer_rate, peer_latency; /* copy between two devices of a node, each way [bytes/s], [s] */
  int peer_on_link;               /* such copies take the host links */
  enum tor_machine_rows rows;
  double launch;                        /* time between two dependent launches [s] */
  double network_rate, network_latency; /* of a node, each way [bytes/s], [s] */
  double within_rate;     /* of a message between two ranks of a node, each way [bytes/s]; 0: a peer copy, or the host's
                             memory */
  double disk, disk_rate; /* of a node [bytes]; its reads and writes together [bytes/s]; 0: none */
  int nrates;
  struct tor_machine_rate *rates; /* [nrates], owned */
};

void tor_machine_free(struct tor_machine *machine);

/* The row for an order and a precision, NULL when the machine file has none. */
const struct tor_machine_rate *tor_machine_find(const struct tor_machine *machine, int order,
                                                enum tor_precision precision);

/* Host link of each of `users` devices of a node at once [bytes/s]: linear in the total between the machine's entries;
 * beyond the last one the total stays. */
double tor_machine_link(const struct tor_machine *machine, int users);

#endif
