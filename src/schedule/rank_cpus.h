/* Binding of a rank to CPUs of its machine, and its number of threads.
 *
 * A rank has the CPUs that its launcher bound it to. Ranks of a machine that were given the same CPUs divide them; a
 * rank with a GPU uses the CPUs near it, if it was given any of those. Of several ranks in a process each binds its own
 * thread. OMP_PROC_BIND and OMP_PLACES take precedence: then nothing is bound here. No result depends on the binding.
 */
#ifndef TOR_SRC_SCHEDULE_RANK_CPUS_H
#define TOR_SRC_SCHEDULE_RANK_CPUS_H

#include "src/job/job.h"
#include "src/schedule/topology.h"

enum tor_rank_cpus_how {
  TOR_CPUS_UNKNOWN, /* no hwloc */
  TOR_CPUS_GIVEN,   /* as the process was started */
  TOR_CPUS_SHARED,  /* a part of the CPUs that several ranks were given */
  TOR_CPUS_CROWDED, /* more ranks than CPUs, or more threads than a rank's part has: not bound to a part */
  TOR_CPUS_OPENMP   /* the user binds threads by OpenMP's variables */
};

struct tor_rank_cpus {
  struct tor_topology *topology; /* of the process; NULL: no hwloc */
  struct tor_cpus given, mine;
  enum tor_rank_cpus_how how;
  int count;      /* CPUs of this rank; when they are crowded its share, at least 1 */
  int of_machine; /* CPUs that all ranks of this machine were given together */
  int far;        /* the rank has a GPU, and none of its CPUs is near it */
  int failed;     /* the system did not allow the binding */
};

/* Finds the CPUs of a rank without a GPU, and sets the number of OpenMP's threads to at most as many; nothing is bound
 * yet. Before the first parallel region. Collective. */
void tor_rank_cpus_open(struct tor_rank_cpus *cpus);
/* Binds the rank, with GPU number `gpu` unless that is -1, and its memory. `threads` is set where the job leaves it
 * open. Collective. */
void tor_rank_cpus_bind(struct tor_rank_cpus *cpus, const struct tor_job *job, int gpu, int *threads);
/* Logs the CPUs of the ranks of rank 0's machine; warns of numbers of ranks, threads, CPUs and GPUs that do not match,
 * on any machine. Collective. */
void tor_rank_cpus_log(const struct tor_rank_cpus *cpus, const struct tor_job *job, int threads);
void tor_rank_cpus_close(struct tor_rank_cpus *cpus);

#endif
