/* Memory of the host. */
#ifndef TOR_SRC_BASE_HOST_MEMORY_H
#define TOR_SRC_BASE_HOST_MEMORY_H

/* Memory that new allocations can have without swapping [bytes]; 0 when the system does not say. */
double tor_host_free_memory(void);

#endif
