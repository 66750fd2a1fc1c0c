/* Mappings of FDTD to GPU threads from the literature, on problems that each of their authors describes: the case, the
 * layout of its arrays, an engine's run. docs/user/classic.md names the papers.
 *
 * Takada et al.: 2-D, a block of threads is a rectangle of nodes. Demir and Elsherbeni: 3-D with coefficients of each
 * component's own. Giraud: 3-D in one medium, three methods. Zakirov et al.: a tower with a diamond of DTS 1, order 4
 * (classic_dts1.h). Besides them the loops on the CPU that define the bits of all but the last.
 *
 * Fields are arrays value[k][j][i], i fastest, of n + 1 points along each axis (2-D: one plane), at the places of the
 * Yee grid: Ex(i+1/2, j, k) ... Hz(i+1/2, j+1/2, k). Points that no engine advances are zero. */
#ifndef TOR_DIAMOND_CLASSIC_CLASSIC_H
#define TOR_DIAMOND_CLASSIC_CLASSIC_H

#include <stddef.h>

#include "src/base/error.h"
#include "src/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tor_classic_scheme {
  TOR_CLASSIC_TM,      /* 2-D: Hx, Hy, Ez */
  TOR_CLASSIC_TE,      /* 2-D: Ex, Ey, Hz */
  TOR_CLASSIC_UNIFORM, /* 3-D, one medium */
  TOR_CLASSIC_MEDIA    /* 3-D, a medium for each component of each point, with losses */
};
/* The order of operations: of the paper, or of diamond/core/update.h, which gives the bits of Torre's engines. */
enum tor_classic_rule { TOR_CLASSIC_AUTHOR, TOR_CLASSIC_TORRE };

/* Coefficients of a component f with the differences D1, D2 of its curl D1 - D2 (update.h), c[component]:
 * author, 2-D     f + c[1] D1 + c[2] D2
 * author, media   c[0] f + c[1] D1 + c[2] D2
 * torre           f + c[0] f + c[1] (D1 - D2); c[2] = c[1] */
struct tor_classic_medium {
  double c[TOR_NCOMP][3];
};
enum { TOR_CLASSIC_MEDIA_MOST = 256 };

struct tor_classic_case {
  enum tor_classic_scheme scheme;
  enum tor_classic_rule rule;
  enum tor_precision precision;
  int n[3];    /* cells; n[2] is 0 in 2-D */
  int e_first; /* a step advances E, then H; else H, then E */
  int open; /* UNIFORM: the walls at the high ends are Giraud's, H = 0 half a cell beyond the last E; else all are PEC
             */
  double dt, eps, mu, edge[3]; /* UNIFORM, author: f + (dt / eps) (D1 / edge - D2 / edge) */
  int nmedia;                  /* medium 0 is that of points that stay 0; all but MEDIA have 1 besides */
  const struct tor_classic_medium *medium;
  const uint8_t *material[TOR_NCOMP]; /* MEDIA: of each point */
  /* Hard source: this component is set to value[step] when its half-step is done. value NULL: none. */
  int source, place[3];
  const double *value;
};

enum tor_classic_engine {
  TOR_CLASSIC_NAIVE,
  TOR_CLASSIC_NAIVE_OMP,
  TOR_CLASSIC_TAKADA_SHARED,
  TOR_CLASSIC_TAKADA_PLAIN,
  TOR_CLASSIC_DEMIR_XYZ,
  TOR_CLASSIC_DEMIR_XY,
  TOR_CLASSIC_GIRAUD_1,
  TOR_CLASSIC_GIRAUD_2,
  TOR_CLASSIC_GIRAUD_3,
  TOR_CLASSIC_NENGINES
};
/* Variants, as bits. */
enum {
  TOR_CLASSIC_INDEX = 1 << 0,    /* Demir: coefficients by the number of the material, in constant memory */
  TOR_CLASSIC_OLD = 1 << 1,      /* Giraud 1, 2: threads on the border, too, which a test sends home */
  TOR_CLASSIC_CONSTANT = 1 << 2, /* Giraud 1, 2: the size in constant memory */
  TOR_CLASSIC_ALONG_I = 1 << 3,  /* Giraud 1, 2: neighbouring threads along the axis that is contiguous in memory */
  TOR_CLASSIC_SYNC = 1 << 4,     /* Giraud 2: a barrier at the beginning of both kernels */
  TOR_CLASSIC_SHARED = 1 << 5,   /* Giraud 1: a layer's values of the other field in shared memory */
  TOR_CLASSIC_CUBE = 1 << 6      /* Giraud 1: a block is a cube, one launch a half-step */
};
struct tor_classic_launch {
  enum tor_classic_engine engine;
  unsigned variant; /* bits: those above */
  int block[2];     /* threads: Takada and Giraud 1, 2 along both axes of a block; Demir and Giraud 3 [0] alone; CUBE
                       [0] along i, [1] along j and along k */
  int chunk;        /* Giraud 3: consecutive cells of a thread */
  int threads;      /* NAIVE_OMP */
  int halves;       /* bit 0: H's half-steps, bit 1: E's; 3: both (others for timings of one kernel) */
};

/* "takada-shared"; NULL behind the last. The engine of a name, TOR_CLASSIC_NENGINES: there is none. */
const char *tor_classic_name(enum tor_classic_engine engine);
enum tor_classic_engine tor_classic_find(const char *name);
/* Whether it runs on a GPU; whether it advances the scheme. */
int tor_classic_on_gpu(enum tor_classic_engine engine);
int tor_classic_takes(enum tor_classic_engine engine, enum tor_classic_scheme scheme);
/* The author's block: of the best published time. */
void tor_classic_defaults(struct tor_classic_launch *launch, const struct tor_classic_case *c);
/* Every reason why the engine cannot run the case so. */
void tor_classic_check(const struct tor_classic_case *c, const struct tor_classic_launch *launch,
                       struct tor_faults *faults);

/* Points of an array; the place of one. */
static inline tor_gidx tor_classic_points(const struct tor_classic_case *c) {
  return (tor_gidx)(c->n[0] + 1) * (c->n[1] + 1) * (c->n[2] + 1);
}
static inline tor_gidx tor_classic_at(const struct tor_classic_case *c, int i, int j, int k) {
  return ((tor_gidx)k * (c->n[1] + 1) + j) * (c->n[0] + 1) + i;
}
/* Whether the scheme has the component. */
int tor_classic_has(enum tor_classic_scheme scheme, int comp);
/* Points of a component that are advanced: first <= index <= last along each axis. */
void tor_classic_range(const struct tor_classic_case *c, int comp, int first[3], int last[3]);

/* Where an engine has point (i, j, k) of a component: shift[comp] + i + j pitch + k plane, of `values` in all. */
struct tor_classic_layout {
  tor_gidx shift[TOR_NCOMP], pitch, plane, values;
};
void tor_classic_layout_make(const struct tor_classic_case *c, const struct tor_classic_launch *launch,
                             struct tor_classic_layout *layout);

/* Bytes that a cell's step moves to and from memory: each value once; and every access of the kernels, in the 32-byte
 * sectors that the threads of a warp touch together, as without a cache. */
void tor_classic_bytes(const struct tor_classic_case *c, const struct tor_classic_launch *launch, double *least,
                       double *no_cache);
/* Bytes of device memory. */
double tor_classic_memory(const struct tor_classic_case *c, const struct tor_classic_launch *launch);

/* The loops on the CPU: `steps` steps from number `first` on; field[] are the case's arrays, of its precision. */
void tor_classic_run(const struct tor_classic_case *c, void *const field[TOR_NCOMP], int first, int steps, int halves,
                     int threads);
void tor_classic_run_f32(const struct tor_classic_case *c, void *const field[TOR_NCOMP], int first, int steps,
                         int halves, int threads);
void tor_classic_run_f64(const struct tor_classic_case *c, void *const field[TOR_NCOMP], int first, int steps,
                         int halves, int threads);

/* --- On a GPU; without CUDA tor_classic_gpu_open ends the process (classic_none.c) --- */
struct tor_classic_gpu;
struct tor_classic_kernel { /* of the heaviest kernel; 0: unknown */
  int registers;
  double occupancy; /* 0 to 1 */
};
/* Copies the fields, coefficients and, for `steps` steps, the source to device `number`. The case outlives it. */
struct tor_classic_gpu *tor_classic_gpu_open(const struct tor_classic_case *c, const struct tor_classic_launch *launch,
                                             int number, void *const field[TOR_NCOMP], int steps);
/* Steps first ... first + steps - 1; the time of the kernels [s]. */
double tor_classic_gpu_run(struct tor_classic_gpu *gpu, int first, int steps);
void tor_classic_gpu_fetch(struct tor_classic_gpu *gpu, void *const field[TOR_NCOMP]);
struct tor_classic_kernel tor_classic_gpu_kernel(const struct tor_classic_gpu *gpu);
void tor_classic_gpu_close(struct tor_classic_gpu *gpu);

#ifdef __cplusplus
}
#endif
#endif
