/* The data that an engine advances: the columns of one slab with everything that acts on them.
 *
 * Lattice: half-cell coordinates u along x, v along y; the parity of (u, v) names the components at a site
 *     (even, even) Ez    (odd, even) Ex, Hy    (even, odd) Ey, Hx    (odd, odd) Hz
 * and each component at a site is a vector along z. A column (ix, iy) holds the sites 2ix..2ix+1, 2iy..2iy+1.
 * Values are tor_real of the slab's precision; pointers are void here so that one model serves both precisions.
 *
 * Built by src/model/model.c, advanced by diamond/, read by src/run/run.c. Owned by the model. */
#ifndef TOR_DIAMOND_CORE_SLAB_H
#define TOR_DIAMOND_CORE_SLAB_H

#include <stddef.h>

#include "diamond/core/pace.h"
#include "src/base/types.h"

/* Column classes, as bits. A column without any is advanced by the fast path. */
enum {
  TOR_COL_CPML_X = 1 << 0,
  TOR_COL_CPML_Y = 1 << 1,
  TOR_COL_COEF_E = 1 << 2, /* E coefficients of its own instead of the layered background's */
  TOR_COL_COEF_H = 1 << 3,
  TOR_COL_LOSSY_E = 1 << 4, /* conductivity or implicit poles: ca1 differs from 0 somewhere */
  TOR_COL_LOSSY_H = 1 << 5,
  TOR_COL_POLES = 1 << 6,
  TOR_COL_INJECT = 1 << 7,   /* incident-field corrections or dipole currents */
  TOR_COL_RECORD = 1 << 8,   /* monitors */
  TOR_COL_NODES = 1 << 13,   /* surface nodes: work at (even, even) in H's half-step */
  TOR_COL_AT_NODES = 1 << 14 /* E next to surface nodes, of this column or of the next one along x or y */
};

/* In a slab with absorbers (tor_slab.damping) the classes COEF and LOSSY as they would be without them, by so many bits
 * higher: an engine that applies absorbers by their factors needs those. */
enum {
  TOR_COL_UNDAMPED = 7,
  TOR_COL_COEFFICIENTS = TOR_COL_COEF_E | TOR_COL_COEF_H | TOR_COL_LOSSY_E | TOR_COL_LOSSY_H
};
TOR_BOTH unsigned tor_class_undamped(unsigned cls, int damped) {
  if (!damped) return cls;
  return (cls & ~((unsigned)TOR_COL_COEFFICIENTS | (unsigned)TOR_COL_COEFFICIENTS << TOR_COL_UNDAMPED)) |
         (cls >> TOR_COL_UNDAMPED & TOR_COL_COEFFICIENTS);
}

enum { TOR_VECTOR = 16 }; /* z ranges of the CPML are rounded up to this many values */
enum {
  TOR_IMAGES = 2
}; /* values of a component in front of its z = 0, which belong to it; of the first one, to its column */

/* Coefficients of a pole for the scaled fields (update.h); k3, k4 for each axis. */
struct tor_pole_coef {
  double k1, k2, k3[3], k4[3];
  int has_p;    /* the polarisation is needed: all but Drude */
  int implicit; /* k4 is not 0: Debye */
};
struct tor_dispersion {
  int npoles;
  int nstate;   /* values of state a point: J, and P where needed, pole after pole */
  int implicit; /* any of the poles */
  struct tor_pole_coef *pole;
};

/* A run of points of one component of one column that share a dispersive medium. A branch (one part of a sub-cell
 * interface, update.h) has poles driven by a field of its own instead of e: its state has a charge more, its weights
 * are four.
 *
 * A run's arrays hold `pitch` values of z from `from` on; from, pitch, state and weight are multiples of
 * TOR_POLE_RANGE_ALIGN. Runs of a medium with at most TOR_RUN_GAP values between them share their arrays: a metal's
 * inside and its cut cells lie side by side. Values that belong to no run are 0 and stay 0, and so are those of a
 * branch where there is none. Arrays lie in the order of the runs, those in the order of the columns. */
enum { TOR_POLE_RANGE_ALIGN = 4, TOR_RUN_GAP = 16, TOR_BRANCH_WEIGHTS = 4 };
struct tor_pole_range {
  int32_t z0, nz;
  int32_t dispersion;
  int32_t branch; /* 0, or 1 for a branch; never with implicit poles */
  int32_t from, pitch;
  int32_t charged; /* one of those that share the arrays is a branch */
  int32_t metal; /* of nodes: the most poles that one of their metals has; 0: no metals; below 0: enum tor_node_media */
  int32_t gap0, gap; /* of nodes of metals: `gap` blocks from number gap0 on have none and no place in the arrays */
  tor_gidx state;    /* first value in tor_slab.state: [nstate][pitch]; charged: the charge q [pitch] behind them */
  tor_gidx weight;   /* first value in tor_slab.weight: [pitch] share of the medium; charged: [4][pitch] share, a, g, r,
                        of other runs 1, 0, 1 */
};

/* Surface nodes (update.h): a column's nodes with a polarisation of their own, as one run along z whose dispersion is
 * TOR_NODE_RUN. State: J, P along x, y, z; weights: the unit normal and g. Between nodes all weights are 0.
 *
 * Its rows along z begin where z is a multiple of TOR_NODE_ALIGN. Those of a run with metals, up to a hundred, are cut
 * into blocks of TOR_METAL_PITCH values of z, [blocks][rows][pitch], so that what a few nodes need lies together, and
 * the longest part without nodes, as the inside of a sphere, is left out (gap0, gap).
 *
 * Where nodes of metals are among them the run has more. State, each along x, y, z: what the edges above and below
 * receive, P, Q (update.h); J, P, I, Q of an oscillator and of `metal` poles each. Weights: enum tor_metal_weight.
 * Nodes of dielectrics are metals without poles here.
 *
 * Where media with a full tensor are among them, `metal` is TOR_TENSOR_NODES. State: J, P along x, y, z; weights: the
 * tensor of each node, xx, yy, zz, yz, zx, xy, in place of g (1 - n n). Metals are not among these. Where magnetised or
 * Kerr media are, too, it is TOR_FULL_NODES, with the same state and enum tor_full_weight: a node with a magnetised
 * pole has the medium's share as its tensor. Where media of second order are, TOR_CHI2_NODES, which have one weight
 * more. Where those with a saturable pole are, TOR_GAIN_NODES, with one weight and one value of state more, the change
 * m of the population, last. */
enum { TOR_NODE_RUN = -1, TOR_NODE_STATE = 6, TOR_NODE_WEIGHTS = 4, TOR_METAL_STATE = 12, TOR_POLE_STATE = 12 };
enum { TOR_NODE_ALIGN = 8, TOR_METAL_PITCH = 8 };
enum tor_node_media { TOR_TENSOR_NODES = -1, TOR_FULL_NODES = -2, TOR_CHI2_NODES = -3, TOR_GAIN_NODES = -4 };
enum { TOR_NODE_MEDIA = 4, TOR_TENSOR_WEIGHTS = 6 };
/* Their place in an array of TOR_NODE_MEDIA. */
static inline int tor_node_media_at(int metal) { return -1 - metal; }
enum tor_full_weight {
  TOR_FULL_TENSOR,   /* six */
  TOR_FULL_KERR = 6, /* of |v|^2 v, as the tensor of v */
  TOR_FULL_POLE,     /* an index of tor_slab.magnetised */
  TOR_FULL_WEIGHTS,
  TOR_FULL_CHI2 = TOR_FULL_WEIGHTS, /* TOR_CHI2_NODES: of chi2 in tor_slab.magnetised, as the tensor of v */
  TOR_FULL_INVERSE = TOR_FULL_CHI2, /* TOR_GAIN_NODES: 1 over the share of media with a saturable pole; else 0 */
  TOR_CHI2_WEIGHTS
};
/* A magnetised pole, for the scaled fields: J' = keep J + turn (drive f - restore P), matrices by rows, f the node's
 * tensor times the mean field v, kerr |v|^2 v and chi2 v v. chi2: by rows of six (tor_chi2_field) [m/V]. */
struct tor_magnetised {
  double keep[9], turn[9], drive[3], restore, chi2[18];
  double work[3], rest; /* of saturable poles (update.h); of others 0, 1 */
};
enum tor_metal_weight {
  TOR_METAL_NORMAL,    /* three: the unit normal */
  TOR_METAL_DRIVE = 3, /* of the oscillator, by the field */
  TOR_METAL_RESTORE,   /* and by its own P */
  TOR_METAL_SHARE,     /* of P in the permittivity: the metal's share, halved for an edge's two ends */
  TOR_METAL_ALONG,     /* part of the field across the surface that does not drive P: dielectrics 1, metals 0 */
  TOR_METAL_ACROSS,    /* depolarisation by P across the surface, over the dielectric's permittivity */
  TOR_METAL_LEAN,      /* three: between P and Q, where shares differ along an axis */
  TOR_METAL_STIFF = TOR_METAL_LEAN + 3,   /* three: depolarisation by Q */
  TOR_METAL_MEDIUM = TOR_METAL_STIFF + 3, /* 1 + the dispersion, 0: no poles */
  TOR_METAL_WEIGHTS
};
struct tor_node_coef {
  double in[3];    /* of the sum of two edges' values: their mean field */
  double out[3];   /* of g times a field: what a step adds to J */
  double restore;  /* of P: what a step takes from J */
  double edge[3];  /* of a field: an edge's value */
  double flux[3];  /* of a field: a polarisation that equals it, as J and P are scaled */
  double field[3]; /* of a P: the field that equals it */
};
/* Values of state and of weight that a run of nodes has at each z. */
TOR_BOTH int tor_node_states_of(int metal) {
  return metal > 0 ? TOR_METAL_STATE + TOR_POLE_STATE * (1 + metal) : TOR_NODE_STATE + (metal == TOR_GAIN_NODES);
}
TOR_BOTH int tor_node_weights_of(int metal) {
  return metal > 0                 ? (int)TOR_METAL_WEIGHTS
         : metal == TOR_FULL_NODES ? (int)TOR_FULL_WEIGHTS
         : metal < TOR_FULL_NODES  ? (int)TOR_CHI2_WEIGHTS
         : metal                   ? (int)TOR_TENSOR_WEIGHTS
                                   : (int)TOR_NODE_WEIGHTS;
}
TOR_BOTH int tor_node_states(const struct tor_pole_range *run) { return tor_node_states_of(run->metal); }
TOR_BOTH int tor_node_weights(const struct tor_pole_range *run) { return tor_node_weights_of(run->metal); }

/* The weights that are 0 between nodes alone, at least one of which is not 0 at a node: bits by their number. */
TOR_BOTH unsigned tor_node_marks(int metal) {
  return metal > 0                   ? 1u << TOR_METAL_SHARE
         : metal == TOR_TENSOR_NODES ? 7u
         : metal < 0                 ? 7u | 1u << TOR_FULL_KERR
                                     : 1u << 3;
}

/* The first of the three values of state that edges receive from a node at their lower or upper end. */
TOR_BOTH int tor_node_current_of(int metal, int end) { return metal > 0 && end ? 3 : 0; }

/* The place of a run's first value in its arrays. */
TOR_BOTH int tor_pole_range_lead(const struct tor_pole_range *run) { return run->z0 - run->from; }

/* Gives arrays to the first of `count` runs and to those that share them, which follow it in the list and along z:
 * behind the *nstate and *nweight values that others have. Returns how many runs they are. dispersion: the slab's. */
static inline int tor_pole_range_place(const struct tor_dispersion *dispersion, struct tor_pole_range *run, int count,
                                       tor_gidx *nstate, tor_gidx *nweight) {
  const int32_t from = run->z0 / TOR_POLE_RANGE_ALIGN * TOR_POLE_RANGE_ALIGN;
  int32_t end = run->z0, past = run->z0 + 1;
  int n = 0, branch = 0;
  for (; n < count && run[n].dispersion == run->dispersion && run[n].z0 >= end &&
         run[n].z0 < past + (n ? TOR_RUN_GAP : 0);
       n++) {
    end = run[n].z0 + run[n].nz;
    past = (end + TOR_POLE_RANGE_ALIGN - 1) / TOR_POLE_RANGE_ALIGN * TOR_POLE_RANGE_ALIGN;
    branch |= run[n].branch;
  }
  for (int i = 0; i < n; i++) {
    run[i].from = from;
    run[i].pitch = past - from;
    run[i].charged = branch;
    run[i].state = *nstate;
    run[i].weight = *nweight;
  }
  *nstate += (tor_gidx)(dispersion[run->dispersion].nstate + branch) * run->pitch;
  *nweight += (tor_gidx)(branch ? TOR_BRANCH_WEIGHTS : 1) * run->pitch;
  return n;
}

/* The block that has z of a run of nodes with metals that begins at z0, among those in the arrays; -1: z lies in the
 * gap.
 */
TOR_BOTH int tor_metal_block(int z0, int gap0, int gap, int z) {
  const int block = (int)((unsigned)z / TOR_METAL_PITCH) - (int)((unsigned)z0 / TOR_METAL_PITCH);
  if (block < gap0) return block;
  return block < gap0 + gap ? -1 : block - gap;
}
/* The same of any run, which without metals is one block; a block's first z; their number in the arrays. */
static inline int tor_node_block(const struct tor_pole_range *run, int z) {
  return run->metal > 0 ? tor_metal_block(run->z0, run->gap0, run->gap, z) : 0;
}
static inline int tor_node_block_z(const struct tor_pole_range *run, int block) {
  return run->from + (block < run->gap0 ? block : block + run->gap) * run->pitch;
}
static inline int tor_node_blocks(const struct tor_pole_range *run) {
  return (run->z0 + run->nz - 1 - run->from) / run->pitch + 1 - run->gap;
}
/* Place of the first value at z of a run in arrays with `rows` values a node; the next one lies run->pitch behind it.
 * -1: z lies in the gap. */
static inline tor_gidx tor_node_place(const struct tor_pole_range *run, int rows, int z) {
  const tor_gidx block = tor_node_block(run, z);
  return block < 0 ? -1 : block * rows * run->pitch + (z - run->from) % run->pitch;
}

/* Where arrays of nodes may begin, at or behind a place. */
static inline tor_gidx tor_node_align(tor_gidx place) {
  return (place + TOR_NODE_ALIGN - 1) / TOR_NODE_ALIGN * TOR_NODE_ALIGN;
}

/* Gives arrays to a column's run of nodes with z0, nz, metal, gap0, gap, as tor_pole_range_place does. */
static inline void tor_node_run_place(struct tor_pole_range *run, tor_gidx *nstate, tor_gidx *nweight) {
  run->from = run->z0 / TOR_NODE_ALIGN * TOR_NODE_ALIGN;
  run->pitch = run->metal > 0 ? (int32_t)TOR_METAL_PITCH : (int32_t)tor_node_align(run->z0 + run->nz - run->from);
  run->state = tor_node_align(*nstate);
  run->weight = tor_node_align(*nweight);
  *nstate = run->state + (tor_gidx)tor_node_states(run) * run->pitch * tor_node_blocks(run);
  *nweight = run->weight + (tor_gidx)tor_node_weights(run) * run->pitch * tor_node_blocks(run);
}

/* Something added to the curl of a component at z0..z0+nz-1 each step:
 * value(z) = factor * table[step][index + stride * (z - z0)] with the table of incident E, incident H, or currents.
 * A sheet's, terms > 0: factor * the sum over its terms m of tor_slab.profile[profile + m nz + z - z0] *
 * table[step][index + m], in the order of m from 0 on (tor_sheet_term). */
enum tor_inject_table { TOR_INCIDENT_E, TOR_INCIDENT_H, TOR_CURRENT_E, TOR_CURRENT_H, TOR_NINJECT_TABLE };
struct tor_inject {
  int32_t z0, nz;
  int32_t table;
  int32_t index, stride;
  int32_t terms; /* 0: no sheet */
  double factor;
  tor_gidx profile; /* of a sheet: [terms][nz] */
  double imaginary; /* Bloch walls: the factor of the imaginary part, which has the list with it as `factor` */
};

/* A record of a monitor: nz values of a component from z0 on, stored from place `offset` of its group on. */
struct tor_record {
  int32_t z0, nz;
  int32_t group;
  tor_gidx offset; /* in points */
};

enum tor_record_kind { TOR_RECORD_SERIES, TOR_RECORD_DFT };
struct tor_record_group {
  enum tor_record_kind kind;
  tor_gidx npoints;
  int nfreq;         /* DFT */
  int nsample;       /* series: capacity of data, in samples */
  int every;         /* DFT: a sample in so many steps */
  double *data;      /* series: [sample][npoints]; DFT: [npoints][2][nfreq], real and imaginary part */
  const int *sample; /* of the stage now run: [steps], the sample's number or -1 (series and DFT) */
  const double
      *phase; /* DFT, of the stage now run: [steps][2 fields E, H][2][nfreq], cos and sin (rows of samples only) */
};

/* Lists of a column that has poles, sources, monitors or coefficients of its own; entries of component c are [first[c],
 * first[c+1]). */
struct tor_extra {
  tor_gidx coef_e, coef_h; /* first value in tor_slab.coef: cb[3][nzp], then ca1[3][nzp] if lossy; -1: background's */
  int32_t run[5];          /* poles of Ex, Ey, Ez; [3]: the run of nodes, where there is one */
  int32_t inject[7];
  int32_t record[7];
};

struct tor_disk;

/* Stretching along one axis at every half-cell coordinate: inverse kappa, b, c. */
struct tor_cpml_axis {
  int lo, hi;       /* thickness in cells */
  void *ik, *b, *c; /* [2n+1], tor_real; along z instead [2][nzp]: at nodes, at half cells */
  int *index;       /* x, y: [n+1], number of the column among those of the layers that are held, -1 elsewhere */
  int count;
};

struct tor_slab {
  int order;
  enum tor_precision precision;
  enum tor_plane plane; /* 2-D: nothing varies along x; differences along x are 0, and n[0] = 0 */
  int n[3];             /* cells of the whole domain */
  int lo[2], held[2];   /* columns held here: ix in [lo[0], lo[0] + held[0]), iy likewise; of n + 1 along each axis,
                           or an arc (tor_slab_is_arc) */
  int nzp;              /* values between components: n[2] plus walls' ghost values, a multiple of TOR_VECTOR */
  enum tor_wall wall[TOR_NFACE];  /* PEC or PMC, behind the CPML; periodic: both of an axis */
  double dt;                      /* c dt [m] */
  double energy_scale[TOR_NCOMP]; /* energy of a point = scale / cb * value^2 [J for E in V/m] */

  void *field;   /* [held0][held1][6, in 2-D 3][nzp], 64-byte aligned at z = 0; 64 bytes in front and behind may be
                    read; tor_slab_vector */
  int untouched; /* field is undefined until it is fetched from a device; all that a run changes begins with zeros there
                  */
  uint16_t *cls; /* [held0][held1] */
  int32_t *extra_id; /* [held0][held1], -1: nothing in extra */
  int nextra;
  struct tor_extra *extra;

  void *cb, *ca1;         /* [6][nzp], the layered background */
  int uniform[TOR_NCOMP]; /* the background's coefficient does not depend on z */
  void *coef;
  tor_gidx ncoef;

  /* Absorbers: a factor for each axis, 1 outside the layers. x, y: at each half-cell coordinate [2n+1]; z: [2][nzp], at
   * nodes, at half cells. tor_real. The coefficients above contain them (update.h). All null: no absorbers. */
  void *damping[3];

  struct tor_cpml_axis cpml[3];
  void *psi_x, *psi_y; /* [CPML column held][held1 or held0][4][nzp]: Ey Ez Hy Hz; Ex Ez Hx Hz */
  void *psi_z;         /* [held0][held1][4][npz]: Ex Ey Hx Hy; npz = zlo + zhi below */
  int zlo, zhi;        /* CPML along z acts on z < zlo and z >= nz - ... see zhi0; rounded up to TOR_VECTOR */
  int zhi0;            /* first z of the upper layer */

  int ndispersion;
  struct tor_dispersion *dispersion;
  struct tor_pole_range *run;
  void *state, *weight;
  struct tor_node_coef node; /* of all surface nodes */
  int has_gain;              /* one of them saturates, which GPUs' towers do not have (tor_device_no_rings) */
  int nmagnetised;
  struct tor_magnetised *magnetised; /* [nmagnetised]; the first is the oscillator of nodes without such a pole, which
                                        those of second order have, too */
  int has_nodes;                     /* columns may have some */
  tor_gidx nrun, nstate, nweight;

  struct tor_inject *inject;
  tor_gidx ninject;
  void *profile; /* of sheets: tor_real */
  tor_gidx nprofile;
  struct tor_record *record;
  tor_gidx nrecord;
  int ngroup;
  struct tor_record_group *group;

  double *energy; /* [held0][held1][6]: sums along z of the last energy step; with segments [segments][][][6] */

  /* Several slabs of one shape side by side along z, which is periodic: z is `segments` parts of n[2] / segments values
   * each, the first `period` of which are a slab's own, whose ends meet; what lies behind them belongs to none:
   * fields and coefficients there are 0, and stay so. An entry of a list lies in one segment, but a column's surface
   * nodes are one run through all of them. Ghost values along z mean nothing. 0: no segments. For GPUs' towers alone
   * (tor_device_no_rings). */
  int segments, period;

  /* Bloch walls (docs/design/bloch.md): fields are complex, this slab holds one part of them, real or imaginary, and
   * `other` the other one, which shares with it all that does not change, the energy sums and the groups of monitors.
   * NULL: fields are real. A part of a value one period (bloch[axis][0]) or two ([1]) above is the first factor times
   * that part here and the second times the other part; below, the second has the other sign. */
  struct tor_slab *other;
  int imaginary; /* this is the imaginary part */
  double bloch[3][2][2];

  /* The arrays of columns (field, psi_z, coef, state, weight) lie on disk, some columns of them in memory
   * (src/disk/disk.h). NULL: all are in memory. */
  struct tor_disk *disk;

  struct tor_pace pace; /* of the CPU engines */
};

/* The data that changes from stage to stage: the tables that sources and monitors prepared for its steps. */
struct tor_stage {
  tor_gidx first; /* number of the first step: E is at time first */
  int steps;
  const void *table[TOR_NINJECT_TABLE]; /* [steps][width] tor_real */
  int width[TOR_NINJECT_TABLE];
  const uint8_t *energy; /* [steps], 1 where the energy is summed; E of that step's end, H half a step before */
};

/* A periodic axis: site 2n and value n are those at 0. They are not advanced, but copied at a stage's end
 * (core/seam.h), so that what reads fields finds them. */
static inline int tor_slab_periodic(const struct tor_slab *slab, int axis) {
  return slab->wall[2 * axis] == TOR_PERIODIC;
}
/* An arc: some columns of a ring, which ranks along a periodic y share. They lie in order across the seam: a column iy
 * < 0 or iy >= n[1] is that of the domain a period further, with the values of that one. None is held twice, and the
 * copy of column 0 at n[1] is not held. */
static inline int tor_slab_is_arc(const struct tor_slab *slab) {
  return tor_slab_periodic(slab, TOR_Y) && slab->held[1] <= slab->n[TOR_Y];
}
/* The domain's iy of a held column; and the one held, or beyond the held ones, of a column of the domain: in an arc
 * none of the copy's. */
static inline int tor_slab_domain_y(const struct tor_slab *slab, int iy) {
  const int n = slab->n[TOR_Y];
  return !tor_slab_is_arc(slab) ? iy : iy < 0 ? iy + n : iy < n ? iy : iy - n;
}
static inline int tor_slab_held_y(const struct tor_slab *slab, int iy) {
  const int n = slab->n[TOR_Y], end = slab->lo[1] + slab->held[1];
  if (!tor_slab_is_arc(slab)) return iy;
  return iy == n ? end : iy < slab->lo[1] ? iy + n : iy < end ? iy : iy - n;
}
/* How many slabs lie side by side along z, and the values from one's first to the next one's. */
static inline int tor_slab_segments(const struct tor_slab *slab) { return slab->segments ? slab->segments : 1; }
static inline int tor_slab_segment_pitch(const struct tor_slab *slab) {
  return slab->n[TOR_Z] / tor_slab_segments(slab);
}
/* The factors of bloch for a value that is `around` periods above, -2 .. 2; below: < 0. */
static inline void tor_slab_bloch(const struct tor_slab *slab, int axis, int around, double factor[2]) {
  const double *up = slab->bloch[axis][around == 2 || around == -2];
  factor[0] = around ? up[0] : 1;
  factor[1] = around > 0 ? up[1] : around < 0 ? -up[1] : 0;
}
/* The node at an edge's far end, for step 1: i + 1, of a periodic axis' last edge 0, in an arc n. For step 0 it is i.
 */
static inline int tor_node_after(const struct tor_slab *slab, int axis, int i, int step) {
  if (i + step != slab->n[axis] || !tor_slab_periodic(slab, axis)) return i + step;
  return axis == TOR_Y && tor_slab_is_arc(slab) ? i + step : 0;
}
/* Whether a node is the first of a period, so that the edge below it lies beyond the seam. */
static inline int tor_node_is_first(const struct tor_slab *slab, int axis, int i) {
  return tor_slab_periodic(slab, axis) && i % slab->n[axis] == 0;
}
/* First and last site along an axis that is advanced: a PEC wall's own sites stay zero. In 2-D there is one site along
 * x: u = 1 in TM, 0 in TE. */
static inline int tor_slab_first(const struct tor_slab *slab, int axis) {
  if (slab->plane && axis == TOR_X) return slab->plane == TOR_PLANE_TM;
  return slab->wall[2 * axis] == TOR_PMC || tor_slab_periodic(slab, axis) ? 0 : 1;
}
static inline int tor_slab_last(const struct tor_slab *slab, int axis) {
  if (slab->plane && axis == TOR_X) return slab->plane == TOR_PLANE_TM;
  return 2 * slab->n[axis] - (slab->wall[2 * axis + 1] == TOR_PMC ? 0 : 1);
}
/* Whether a column lies where PEC walls of two axes meet. No field acts on nodes there, and no column has such: towers,
 * which look at the columns of sites that are advanced, would not see them. */
static inline int tor_slab_in_pec_corner(const struct tor_slab *slab, int ix, int iy) {
  const int y = tor_slab_domain_y(slab, iy);
  return !slab->plane && (2 * ix < tor_slab_first(slab, TOR_X) || 2 * ix > tor_slab_last(slab, TOR_X)) &&
         (2 * y < tor_slab_first(slab, TOR_Y) || 2 * y > tor_slab_last(slab, TOR_Y));
}
/* A column's run of surface nodes; NULL: it has none. */
static inline const struct tor_pole_range *tor_slab_nodes(const struct tor_slab *slab, tor_gidx column) {
  const int32_t id = slab->extra_id[column];
  if (id < 0 || slab->extra[id].run[3] == slab->extra[id].run[4]) return NULL;
  return &slab->run[slab->extra[id].run[3]];
}
/* Number of a held column; of all held columns. */
static inline tor_gidx tor_slab_column(const struct tor_slab *slab, int ix, int iy) {
  return (tor_gidx)(ix - slab->lo[0]) * slab->held[1] + (iy - slab->lo[1]);
}

/* Place of the first value of a component of a held column, given by its number. */
static inline tor_gidx tor_slab_vector(const struct tor_slab *slab, tor_gidx column, int comp) {
  return (column * tor_plane_comps(slab->plane) + tor_comp_place(slab->plane, comp)) * slab->nzp;
}

static inline tor_gidx tor_slab_columns(const struct tor_slab *slab) { return (tor_gidx)slab->held[0] * slab->held[1]; }

/* Frees the profiles of the absorbing layers and the poles of dispersive media, which every slab has of its own. */
void tor_slab_free_tables(struct tor_slab *slab);

#endif
