/* What torre --version prints: see version.h. Versions of libraries are those that were built with. */
#define _DEFAULT_SOURCE /* realpath */
#include "src/version.h"

#include <hdf5.h>
#include <libconfig.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/transport/message.h"
#include "diamond/gpu/device.h"
#include "io/hdf5/h5_shared.h"
#include "io/image/image.h"
#include "src/model/exponentials.h"
#include "src/modes/mode_solver.h"
#include "src/schedule/topology.h"
#include "tor_version.h"

const char *tor_pages(char *path, size_t size) {
  static const char *const places[] = {"/../share/doc/torre/docs/index.md", "/../docs/index.md"};
  char program[PATH_MAX], page[PATH_MAX + 64], real[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n <= 0) return NULL;
  program[n] = 0;
  *strrchr(program, '/') = 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(page, sizeof page, "%s%s", program, places[i]);
    if (!realpath(page, real) || (size_t)snprintf(path, size, "%s", real) >= size) continue;
    return path;
  }
  return NULL;
}

void tor_version_print(FILE *out, struct argp_state *state) {
  const char *hwloc = tor_topology_version();
  char path[PATH_MAX];
  const char *pages = tor_pages(path, sizeof path);
  static const char *const solvers[] = {"none (built without ARPACK, SuperLU and LAPACK)",
                                        "modes by ARPACK and SuperLU", "resonances by LAPACK",
                                        "modes by ARPACK and SuperLU, resonances by LAPACK"};
  char placed[64] = "placed by their launcher alone (built without hwloc)";
  (void)state;
  if (hwloc) snprintf(placed, sizeof placed, "placed on CPUs and memory by hwloc %s", hwloc);
  fprintf(out,
          "torre %s\n"
          "  source    %s\n"
          "  compiler  %s, %s, for %s\n"
          "  flags     %s\n"
          "  libraries HDF5 %d.%d.%d (%s), libconfig %d.%d.%d, MPI: %s, CUDA: %s\n"
          "  engines   stepwise, diamond on the CPU (OpenMP)%s\n"
          "  ranks     %s; %s\n"
          "  precision fp32, fp64; order 2, 4\n"
          "  pictures  %s%s\n"
          "  solvers   %s\n"
          "  pages     %s\n",
          TOR_VERSION, TOR_GIT_HASH, TOR_COMPILER, TOR_BUILD_TYPE, TOR_BUILD_ARCH, TOR_BUILD_FLAGS, H5_VERS_MAJOR,
          H5_VERS_MINOR, H5_VERS_RELEASE, tor_h5_shared_built() ? "parallel" : "serial", LIBCONFIG_VER_MAJOR,
          LIBCONFIG_VER_MINOR, LIBCONFIG_VER_REVISION, TOR_MPI_VERSION, TOR_CUDA_VERSION,
          tor_device_built() ? " and on GPUs (CUDA)" : "",
          tor_message_built() ? "several, by MPI" : "one (built without MPI)", placed,
          tor_image_version() ? "by cairo " : "none (built without cairo)",
          tor_image_version() ? tor_image_version() : "",
          solvers[tor_mode_solver_built() + 2 * tor_exponentials_built()], pages ? pages : "none beside this program");
}
