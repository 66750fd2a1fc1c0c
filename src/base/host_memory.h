/* Memory of the host. */
#ifndef TOR_SRC_BASE_HOST_MEMORY_H
#define TOR_SRC_BASE_HOST_MEMORY_H

/* What a process takes beside the job's arrays [bytes]: libraries, buffers of MPI and HDF5, stacks. A job of 204 MB was
 * killed by a control group of 260 MB and took 279 MB of one of 300 MB. */
enum { TOR_PROGRAM_BYTES = 80000000 };

/* What it has of its address space beside them [bytes]: a job of 87 kB has 188 MB (with tor_host_limit_arenas), one of
 * 111 MB 310. */
enum { TOR_SPACE_BYTES = 215000000 };

/* Where RLIMIT_AS limits the address space (ulimit -v): keeps the C library from reserving 64 MB of it for each thread
 * that allocates, which it does not use. Before threads start. */
void tor_host_limit_arenas(void);

/* Gives memory that was freed back to the system, for other threads' and larger arrays; where the C library cannot, it
 * stays with the process. */
void tor_host_return_memory(void);

/* Memory that new allocations of this process can use without swapping [bytes]: the least of what the system has
 * available, what the limits of its control group and of those above it leave (version 1 or 2; Slurm's --mem, a
 * container) less TOR_PROGRAM_BYTES a process, and what RLIMIT_AS leaves (ulimit -v) beside TOR_SPACE_BYTES; 0 when the
 * system does not report it. */
double tor_host_free_memory(void);

/* The same for several processes of this machine together, each with this one's RLIMIT_AS; in *limit the text for a
 * message, "free" or "left by ..." the least limit. root: folder that contains proc and sys, for tests; NULL: those of
 * the system, and RLIMIT_AS. */
double tor_host_memory(const char *root, int processes, const char **limit);

#endif
