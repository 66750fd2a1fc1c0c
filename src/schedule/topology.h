/* The machine of a process as hwloc reports it: CPUs, NUMA nodes, CPUs near a PCI device. Independent of ranks.
 *
 * CPUs (hardware threads) are numbered as by the operating system. hwloc's environment variables apply: HWLOC_SYNTHETIC
 * or HWLOC_XMLFILE describe another machine, on which nothing can be bound; tests use them. */
#ifndef TOR_SRC_SCHEDULE_TOPOLOGY_H
#define TOR_SRC_SCHEDULE_TOPOLOGY_H

#include <stddef.h>

struct tor_topology;

/* A set of CPUs as text, such as "0-3,8"; the same set is always the same text. */
struct tor_cpus {
  char list[1024];
};

/* Version of hwloc; NULL in a build without it. */
const char *tor_topology_version(void);
/* NULL without hwloc, or where it cannot read the machine. */
struct tor_topology *tor_topology_open(void);
void tor_topology_close(struct tor_topology *topology);

/* The CPUs on which this process may run now. Returns 0; or -1, then all of the machine that it may ever use. */
int tor_topology_given(const struct tor_topology *topology, struct tor_cpus *given);
/* Those among `of` that are near a PCI device ("0000:3b:00.0"). Returns 0; else *near is `of`: 1 when the device is not
 * known, -1 when none of them is near it. */
int tor_topology_near(const struct tor_topology *topology, const char *pci, const struct tor_cpus *of,
                      struct tor_cpus *near);
/* Part number `part` of `parts` of a set: disjoint, of nearly equal sizes, with separate caches and NUMA nodes where
 * possible. The set has at least `parts` CPUs. */
void tor_topology_part(const struct tor_topology *topology, const struct tor_cpus *of, int part, int parts,
                       struct tor_cpus *mine);
/* CPUs in `sets` sets together. */
int tor_topology_count(const struct tor_cpus *cpus, int sets);
/* CPUs of the machine that this process might use, regardless of its binding. */
int tor_topology_all(const struct tor_topology *topology);
/* The NUMA nodes that a set lies on, as "0-1"; returns how many. */
int tor_topology_nodes(const struct tor_topology *topology, const struct tor_cpus *cpus, char *text, size_t size);

/* Binds this process, or the calling thread alone, and threads that it starts from now on, to a set; and new pages to
 * the set's NUMA nodes: on one node near it as long as it has capacity, on several to each in turn, since towers go to
 * any thread. A policy set by the user (numactl) is kept. Returns 0; or -1 with errno when the system does not
 * allow the CPUs. */
int tor_topology_bind(const struct tor_topology *topology, const struct tor_cpus *cpus, int thread_alone);

#endif
