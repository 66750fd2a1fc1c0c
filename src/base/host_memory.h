/* Memory of the host. */
#ifndef TOR_SRC_BASE_HOST_MEMORY_H
#define TOR_SRC_BASE_HOST_MEMORY_H

/* Memory that new allocations of this process can use without swapping [bytes]: the least of what the system has
 * available, what the limits of its control group and of those above it leave (version 1 or 2; Slurm's --mem, a
 * container), and what RLIMIT_AS leaves (ulimit -v); 0 when the system does not report it. */
double tor_host_free_memory(void);

/* The same for several processes of this machine together, each with this one's RLIMIT_AS; in *limit the text for a
 * message, "free" or "left by ..." the least limit. root: folder that contains proc and sys, for tests; NULL: those of
 * the system, and RLIMIT_AS. */
double tor_host_memory(const char *root, int processes, const char **limit);

#endif
