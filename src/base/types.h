/* Types shared by all modules: index type, axes, field components, faces, precision.
 *
 * Compiles as C11 and as CUDA C++. */
#ifndef TOR_SRC_BASE_TYPES_H
#define TOR_SRC_BASE_TYPES_H

#include <stdint.h>

typedef int64_t tor_gidx; /* a count or place that may pass 2^31 */

enum tor_axis { TOR_X, TOR_Y, TOR_Z };

enum tor_comp { TOR_EX, TOR_EY, TOR_EZ, TOR_HX, TOR_HY, TOR_HZ, TOR_NCOMP };

/* Faces in the order that job files and arrays of six use. face / 2 is the axis, face % 2 the side. */
enum tor_face { TOR_XLO, TOR_XHI, TOR_YLO, TOR_YHI, TOR_ZLO, TOR_ZHI, TOR_NFACE };

/* A 2-D problem, in which nothing varies along x (the user's z, src/job/turn.h): TM has Ex, Hy, Hz, TE Ey, Ez, Hx. */
enum tor_plane { TOR_SPACE, TOR_PLANE_TM, TOR_PLANE_TE };

/* The boundary at a face: a perfect electric or magnetic conductor; TOR_CPML and TOR_ABSORBER are absorbing layers,
 * of stretched coordinates and of conductivities, that end in a PEC; TOR_PERIODIC, at both ends of an axis, joins
 * them. */
enum tor_wall { TOR_PEC, TOR_PMC, TOR_CPML, TOR_ABSORBER, TOR_PERIODIC };

enum tor_precision { TOR_F32 = 4, TOR_F64 = 8 }; /* the value is the size in bytes */

enum tor_engine_kind { TOR_ENGINE_AUTO, TOR_ENGINE_STEPWISE, TOR_ENGINE_DIAMOND };

/* Where an engine runs. Automatic: on a GPU when the build and the machine have one and the job fits it. */
enum tor_device_kind { TOR_DEVICE_AUTO, TOR_DEVICE_CPU, TOR_DEVICE_GPU };

enum tor_averaging { TOR_AVERAGE_SUBPIXEL, TOR_AVERAGE_STAIRCASE, TOR_AVERAGE_TENSOR };

/* Exit codes of the program. */
enum {
  TOR_EXIT_OK = 0,
  TOR_EXIT_FAILURE = 1,
  TOR_EXIT_USER = 2,
  TOR_EXIT_UNCONVERGED = 3,  /* done, but spectra may be off by more than run.tolerance */
  TOR_EXIT_AGAIN = 75,       /* sysexits.h: state saved, start it again */
  TOR_EXIT_INTERRUPTED = 130 /* as shells say of SIGINT: ended at once, nothing saved */
};

/* Functions of headers that kernels use, too. */
#ifdef __CUDACC__
#define TOR_BOTH __host__ __device__ static inline
#else
#define TOR_BOTH static inline
#endif

/* "x_lo" ... "z_hi" as in job files, "Ex" ... "Hz". */
static inline const char *tor_face_name(int face) {
  static const char *const name[TOR_NFACE] = {"x_lo", "x_hi", "y_lo", "y_hi", "z_lo", "z_hi"};
  return name[face];
}
static inline const char *tor_comp_name(int comp) {
  static const char *const name[TOR_NCOMP] = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};
  return name[comp];
}

static inline int tor_comp_axis(int comp) { return comp % 3; }
static inline int tor_comp_is_h(int comp) { return comp >= TOR_HX; }

/* Whether the problem has the component. */
TOR_BOTH int tor_comp_exists(enum tor_plane plane, int comp) {
  return plane == TOR_SPACE || ((comp % 3 == TOR_X) != (comp >= TOR_HX)) == (plane == TOR_PLANE_TM);
}
/* How many it has, and the place of one among them. */
TOR_BOTH int tor_plane_comps(enum tor_plane plane) { return plane == TOR_SPACE ? TOR_NCOMP : 3; }
TOR_BOTH int tor_comp_place(enum tor_plane plane, int comp) {
  if (plane == TOR_SPACE) return comp;
  return plane == TOR_PLANE_TE ? comp - TOR_EY : comp == TOR_EX ? 0 : comp - TOR_HX;
}

#endif
