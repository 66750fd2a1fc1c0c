/* The single process of a build without MPI: see transport.h. */
#include "comm/transport/transport.h"

#include <stdint.h>
#include <stdlib.h>

#include "src/base/error.h"

int tor_transport_alone(void) {
  const char *processes = getenv("OMPI_COMM_WORLD_SIZE");
  return !processes || strtol(processes, NULL, 10) <= 1;
}

void tor_transport_begin(int *argc, char ***argv) {
  const char *processes = getenv("OMPI_COMM_WORLD_SIZE");
  (void)argc, (void)argv;
  if (!tor_transport_alone())
    TOR_DIE("started as one of %s processes, but this build has no MPI (configure with -DTORRE_MPI=ON and an MPI "
            "installed)",
            processes);
}

void tor_transport_end(void) {}
void tor_transport_abort(int status) { (void)status; }
int tor_transport_built(void) { return 0; }
int tor_transport_process(void) { return 0; }
int tor_transport_processes(void) { return 1; }
int tor_transport_neighbours(void) { return 1; }
int tor_transport_takes_device_memory(void) { return 0; }
int tor_transport_neighbour(void) { return 0; }

void *tor_transport_send(const void *data, size_t bytes, int process, int tag) {
  (void)data, (void)bytes, (void)tag;
  TOR_DIE("a message for process %d in a build without MPI", process);
}
void *tor_transport_receive(void *data, size_t bytes, int process, int tag) {
  return tor_transport_send(data, bytes, process, tag);
}
int tor_transport_test(void *request) {
  (void)request;
  return 1;
}
void tor_transport_wait(void *request) { (void)request; }
void tor_transport_cancel(void *request) { (void)request; }
void *tor_transport_gather(void *all, size_t bytes) {
  (void)all, (void)bytes;
  return NULL;
}

int tor_transport_min(int value) { return value; }
void tor_transport_bcast(void *data, size_t bytes) { (void)data, (void)bytes; }
void tor_transport_or(uint64_t *data, int words) { (void)data, (void)words; }
void tor_transport_or_all(uint64_t *data, int words) { (void)data, (void)words; }
void tor_transport_sum(int64_t *data, int count) { (void)data, (void)count; }
void tor_transport_barrier(void) {}
void tor_transport_gather_near(void *all, size_t bytes) { (void)all, (void)bytes; }
