/* Messages between processes by MPI: see transport.h. */
#include "comm/transport/transport.h"

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "comm/transport/mpi_try.h"
#include "src/base/error.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

static MPI_Datatype block_type, line_type;
static MPI_Comm machine; /* processes on this one's machine */
static int process, processes = 1, neighbour, neighbours = 1, started, ended;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* MPI_THREAD_SERIALIZED */

#define TRY(call)                \
  do {                           \
    pthread_mutex_lock(&turn);   \
    MPI_TRY(call);               \
    pthread_mutex_unlock(&turn); \
  } while (0)

/* Without a launcher there is one process, and MPI is not initialised. */
static int launched(void) {
  static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (getenv(marks[i])) return 1;
  return 0;
}

/* A script that was started as the only process may start the program several times, and MPI_Init but once. */
int tor_transport_alone(void) {
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
  if (ended || !launched()) return 1;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const char *size = getenv(sizes[i]);
    if (size) return strtol(size, NULL, 10) == 1;
  }
  return 0;
}

void tor_transport_begin(int *argc, char ***argv) {
  int given;
  if (!launched()) return;
  started = 1;
  MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &given);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_TRY(MPI_Comm_rank(MPI_COMM_WORLD, &process));
  MPI_TRY(MPI_Comm_size(MPI_COMM_WORLD, &processes));
  if (given < MPI_THREAD_SERIALIZED) TOR_DIE("this MPI does not allow threads to take turns (MPI_THREAD_SERIALIZED)");
  MPI_TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
  MPI_TRY(MPI_Comm_size(machine, &neighbours));
  MPI_TRY(MPI_Comm_rank(machine, &neighbour));
  MPI_TRY(MPI_Type_contiguous(TOR_TRANSPORT_BLOCK, MPI_BYTE, &block_type));
  MPI_TRY(MPI_Type_commit(&block_type));
  MPI_TRY(MPI_Type_contiguous(TOR_TRANSPORT_LINE, MPI_BYTE, &line_type));
  MPI_TRY(MPI_Type_commit(&line_type));
}

void tor_transport_end(void) {
  if (!started) return;
  MPI_TRY(MPI_Type_free(&line_type));
  MPI_TRY(MPI_Type_free(&block_type));
  MPI_TRY(MPI_Comm_free(&machine));
  MPI_Finalize();
  started = process = neighbour = 0;
  processes = neighbours = ended = 1;
}

/* Without the lock: the thread that holds it may be the one that fails. */
void tor_transport_abort(int status) {
  if (started) MPI_Abort(MPI_COMM_WORLD, status);
}

int tor_transport_built(void) { return 1; }
int tor_transport_process(void) { return process; }
int tor_transport_processes(void) { return processes; }
int tor_transport_neighbours(void) { return neighbours; }
int tor_transport_neighbour(void) { return neighbour; }

int tor_transport_takes_device_memory(void) {
  const char *given = getenv("TORRE_GPU_MPI");
  if (given) return !strcmp(given, "on");
#if defined OPEN_MPI && defined OMPI_HAVE_MPI_EXT_CUDA && OMPI_HAVE_MPI_EXT_CUDA
  return MPIX_Query_cuda_support();
#else
  return 0;
#endif
}

/* --- Between two processes --- */

/* Whole blocks or lines are counted as such, so that the count fits an int. */
static MPI_Datatype unit_of(size_t bytes, int *count) {
  const size_t unit = bytes % TOR_TRANSPORT_BLOCK == 0  ? TOR_TRANSPORT_BLOCK
                      : bytes % TOR_TRANSPORT_LINE == 0 ? TOR_TRANSPORT_LINE
                                                        : 1;
  if (bytes / unit > INT_MAX) TOR_DIE("a message of %zu bytes", bytes);
  *count = (int)(bytes / unit);
  return unit == TOR_TRANSPORT_BLOCK ? block_type : unit == TOR_TRANSPORT_LINE ? line_type : MPI_BYTE;
}

void *tor_transport_send(const void *data, size_t bytes, int to, int tag) {
  MPI_Request *request = tor_alloc(1, sizeof *request, "messages");
  int count;
  const MPI_Datatype unit = unit_of(bytes, &count);
  TRY(MPI_Isend(data, count, unit, to, tag, MPI_COMM_WORLD, request));
  return request;
}

void *tor_transport_receive(void *data, size_t bytes, int from, int tag) {
  MPI_Request *request = tor_alloc(1, sizeof *request, "messages");
  int count;
  const MPI_Datatype unit = unit_of(bytes, &count);
  TRY(MPI_Irecv(data, count, unit, from, tag, MPI_COMM_WORLD, request));
  return request;
}

int tor_transport_test(void *request) {
  int done;
  TRY(MPI_Test(request, &done, MPI_STATUS_IGNORE));
  if (done) free(request);
  return done;
}

void tor_transport_wait(void *request) {
  TRY(MPI_Wait(request, MPI_STATUS_IGNORE));
  free(request);
}

void tor_transport_cancel(void *request) { TRY(MPI_Cancel(request)); }

/* --- Collective --- */

void *tor_transport_gather(void *all, size_t bytes) {
  if (processes == 1) return NULL;
  MPI_Request *request = tor_alloc(1, sizeof *request, "messages");
  TRY(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD, request));
  return request;
}

int tor_transport_min(int value) {
  int least = value;
  if (processes > 1) TRY(MPI_Allreduce(&value, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  return least;
}

void tor_transport_bcast(void *data, size_t bytes) {
  if (processes > 1) TRY(MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD));
}

void tor_transport_or(uint64_t *data, int words) {
  if (processes > 1)
    TRY(MPI_Reduce(process ? data : MPI_IN_PLACE, data, words, MPI_UINT64_T, MPI_BOR, 0, MPI_COMM_WORLD));
}

void tor_transport_or_all(uint64_t *data, int words) {
  if (processes > 1) TRY(MPI_Allreduce(MPI_IN_PLACE, data, words, MPI_UINT64_T, MPI_BOR, MPI_COMM_WORLD));
}

void tor_transport_sum(int64_t *data, int count) {
  if (processes > 1)
    TRY(MPI_Reduce(process ? data : MPI_IN_PLACE, data, count, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD));
}

void tor_transport_barrier(void) {
  if (processes > 1) TRY(MPI_Barrier(MPI_COMM_WORLD));
}

void tor_transport_gather_near(void *all, size_t bytes) {
  if (neighbours > 1) TRY(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, (int)bytes, MPI_BYTE, machine));
}
