/* Memory of the host. */
#ifndef TOR_SRC_BASE_HOST_MEMORY_H
#define TOR_SRC_BASE_HOST_MEMORY_H

/* Memory available to new allocations without swapping [bytes]; 0 when the system does not report it. */
double tor_host_free_memory(void);

#endif
