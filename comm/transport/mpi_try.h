/* MPI calls that must not fail: MPI_TRY(MPI_Send(...)) ends the run on all ranks with MPI's error message. */
#ifndef TOR_COMM_TRANSPORT_MPI_TRY_H
#define TOR_COMM_TRANSPORT_MPI_TRY_H

#include <mpi.h>

#include "src/base/error.h"

#define MPI_TRY(call)                                         \
  do {                                                        \
    int mpi_status = (call);                                  \
    if (mpi_status != MPI_SUCCESS) {                          \
      char mpi_words[MPI_MAX_ERROR_STRING] = "";              \
      int mpi_length = 0, mpi_rank = -1;                      \
      MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);               \
      MPI_Error_string(mpi_status, mpi_words, &mpi_length);   \
      TOR_DIE("rank %d: %s: %s", mpi_rank, #call, mpi_words); \
    }                                                         \
  } while (0)

#endif
