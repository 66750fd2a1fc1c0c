/* Ranks and their CPUs: see rank_cpus.h. */
#include "src/schedule/rank_cpus.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "diamond/gpu/device.h"
#include "io/files/log.h"
#include "src/base/error.h"
#include "src/job/job.h"
#include "src/schedule/topology.h"

static int min(int a, int b) { return a < b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }

/* Takes this rank's part of the CPUs `wanted`, which other ranks of its machine may also use. Collective. */
static void share_out(struct tor_rank_cpus *cpus, const struct tor_cpus *wanted) {
  const int ranks = tor_message_neighbours(), me = tor_message_neighbour();
  struct tor_cpus *all = tor_alloc((size_t)ranks, sizeof *all, "topology");
  int before = 0, same = 0;
  tor_message_gather_near(wanted, all, sizeof *wanted);
  for (int i = 0; i < ranks; i++) {
    if (strcmp(all[i].list, wanted->list)) continue;
    same++;
    before += i < me;
  }
  cpus->of_machine = max(cpus->of_machine, tor_topology_count(all, ranks));
  free(all);
  const int count = tor_topology_count(wanted, 1);
  cpus->mine = *wanted;
  cpus->how = same == 1 ? TOR_CPUS_GIVEN : count < same ? TOR_CPUS_CROWDED : TOR_CPUS_SHARED;
  if (cpus->how == TOR_CPUS_SHARED) tor_topology_part(cpus->topology, wanted, before, same, &cpus->mine);
  cpus->count = cpus->how == TOR_CPUS_CROWDED ? max(1, count / max(1, same)) : tor_topology_count(&cpus->mine, 1);
}

/* The machine, read once by a process: that takes a while where there are many devices, and a batch has many runs. */
static struct tor_topology *machine(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct tor_topology *topology;
  static int is_read;
  pthread_mutex_lock(&lock);
  if (!is_read) topology = tor_topology_open();
  is_read = 1;
  pthread_mutex_unlock(&lock);
  return topology;
}

void tor_rank_cpus_open(struct tor_rank_cpus *cpus) {
  memset(cpus, 0, sizeof *cpus);
  cpus->topology = machine();
  /* All ranks of a machine do the same: the same library and the same variables. */
  if (cpus->topology) {
    if (omp_get_proc_bind() != omp_proc_bind_false) {
      cpus->how = TOR_CPUS_OPENMP;
      cpus->count = max(1, omp_get_max_threads() / tor_message_in_process());
      omp_set_num_threads(cpus->count);
      return;
    }
    tor_topology_given(cpus->topology, &cpus->given);
    share_out(cpus, &cpus->given);
  } else
    cpus->count = max(1, (int)sysconf(_SC_NPROCESSORS_ONLN) / tor_message_neighbours());
  omp_set_num_threads(min(omp_get_max_threads(), cpus->count));
}

void tor_rank_cpus_bind(struct tor_rank_cpus *cpus, const struct tor_job *job, int gpu, int *threads) {
  if (!cpus->topology || cpus->how == TOR_CPUS_OPENMP) return;
  struct tor_cpus wanted = cpus->given;
  char pci[32];
  if (gpu >= 0) {
    tor_device_pci(gpu, pci, sizeof pci);
    cpus->far = tor_topology_near(cpus->topology, pci, &cpus->given, &wanted) < 0;
  }
  share_out(cpus, &wanted);
  if (cpus->how == TOR_CPUS_SHARED && job->schedule.threads > cpus->count) {
    cpus->how = TOR_CPUS_CROWDED;
    cpus->mine = wanted;
  }
  if (cpus->how != TOR_CPUS_CROWDED)
    cpus->failed = tor_topology_bind(cpus->topology, &cpus->mine, tor_message_in_process() > 1) != 0;
  if (job->schedule.threads > 0) return;
  *threads = min(*threads, cpus->count);
  omp_set_num_threads(*threads);
}

/* --- Log --- */

struct line {
  char text[1400];
};

static struct line describe(const struct tor_rank_cpus *cpus, int threads) {
  static const char *const how[] = {"", "", ", a share of those given to several ranks", ", which several ranks share",
                                    ""};
  char nodes[128];
  struct line line;
  const int several = tor_topology_nodes(cpus->topology, &cpus->mine, nodes, sizeof nodes) > 1;
  snprintf(line.text, sizeof line.text, "rank %d: %d thread%s on CPU%s %s%s; memory of NUMA node%s %s",
           tor_message_rank(), threads, threads > 1 ? "s" : "", tor_topology_count(&cpus->mine, 1) > 1 ? "s" : "",
           cpus->mine.list, how[cpus->how], several ? "s" : "", nodes);
  return line;
}

static void log_machine(const struct tor_rank_cpus *cpus, int threads) {
  const int ranks = tor_message_neighbours();
  struct line mine = describe(cpus, threads), *all = tor_alloc((size_t)ranks, sizeof *all, "topology");
  char host[256] = "";
  tor_message_gather_near(&mine, all, sizeof mine);
  gethostname(host, sizeof host - 1);
  if (tor_message_ranks() > ranks) tor_log("on %s, the machine of rank 0:", host);
  for (int i = 0; i < ranks; i++) tor_log("%s", all[i].text);
  free(all);
}

/* A warning of the lowest rank that has one. Collective. */
static void warn(int yes, char *text, size_t size) {
  if (tor_reduce_failure(yes, text, size)) tor_log_warning("%s", text);
}

void tor_rank_cpus_log(const struct tor_rank_cpus *cpus, const struct tor_job *job, int threads) {
  char text[1600] = "";
  const int known = cpus->topology && cpus->how != TOR_CPUS_OPENMP;
  if (!cpus->topology)
    tor_log("nothing is bound to CPUs beyond the launcher's binding: %s",
            tor_topology_version() ? "hwloc cannot read this machine" : "this build has no hwloc");
  else if (!known)
    tor_log("threads are bound by OMP_PROC_BIND or OMP_PLACES");
  else
    log_machine(cpus, threads);

  const int idle = known && !job->schedule.threads && cpus->of_machine < tor_topology_all(cpus->topology);
  const int crowded = cpus->how == TOR_CPUS_CROWDED && threads <= cpus->count;
  snprintf(text, sizeof text, "rank %d: %d ranks share %d CPU%s: start fewer", tor_message_rank(),
           tor_message_neighbours(), cpus->of_machine, cpus->of_machine > 1 ? "s" : "");
  warn(crowded, text, sizeof text);
  snprintf(text, sizeof text, "rank %d: %d threads on %d CPU%s: use --threads %d, or let it choose", tor_message_rank(),
           threads, cpus->count, cpus->count > 1 ? "s" : "", cpus->count);
  warn(threads > cpus->count && cpus->how != TOR_CPUS_OPENMP, text, sizeof text);
  if (known && !crowded)
    snprintf(text, sizeof text,
             "rank %d: the ranks of its machine were given %d of %d CPUs; with Open MPI, --bind-to none gives them all",
             tor_message_rank(), cpus->of_machine, tor_topology_all(cpus->topology));
  warn(idle && !crowded && tor_message_ranks() > 1, text, sizeof text);
  snprintf(text, sizeof text, "rank %d: none of its CPUs %s is near its GPU: copies between them are slower",
           tor_message_rank(), cpus->mine.list);
  warn(cpus->far, text, sizeof text);
  snprintf(text, sizeof text, "rank %d: the system does not let it bind itself to CPUs %s", tor_message_rank(),
           cpus->mine.list);
  warn(cpus->failed, text, sizeof text);
}

void tor_rank_cpus_close(struct tor_rank_cpus *cpus) { memset(cpus, 0, sizeof *cpus); }
