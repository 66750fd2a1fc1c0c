/* Shapes, painted in order: of all objects that contain a point, the last one gives the medium. Lengths in metres. */
#ifndef TOR_SRC_JOB_GEOMETRY_H
#define TOR_SRC_JOB_GEOMETRY_H

enum tor_shape {
  TOR_SPHERE,
  TOR_ELLIPSOID,
  TOR_BOX,
  TOR_CYLINDER,
  TOR_CONE,
  TOR_PRISM,
  TOR_LAYER,
  TOR_CAPSULE,
  TOR_TORUS,
  TOR_ARC,
  TOR_PATH,
  TOR_SOLID,
  TOR_UNION,
  TOR_DIFFERENCE,
  TOR_INTERSECTION
};

/* How an object was turned (turned.h): what its other members describe at p is at matrix (p - own) + at. */
struct tor_pose {
  int is_turned;
  double matrix[3][3], own[3], at[3];
};

struct tor_outline_index;
struct tor_solid;

struct tor_object {
  enum tor_shape shape;
  int medium;          /* index into the job's media */
  double center[3];    /* all but prism, path and layer; the cone's and cylinder's centre is at half height */
  double size[3];      /* box: full edge lengths; ellipsoid: semi-axes */
  double radius[2];    /* sphere, cylinder, capsule: [0]; cone: at the low and at the high end; arc: [0] of its middle;
                          torus: of its middle and of its tube */
  double height;       /* cylinder, cone; capsule: with its caps */
  int axis;            /* the axis along which height, lo and hi run */
  double lo, hi;       /* prism, path, arc, layer: extent along axis; layer may be +-INFINITY */
  int nested;          /* how many objects directly before this one each cover the next: tor_objects_nest; 0: unknown */
  int nvertex;         /* prism: polygon in the plane across axis, coordinates in cyclic order (x: y,z; y: z,x; z: x,y);
                          path: the points of its middle */
  double (*vertex)[2]; /* [nvertex], owned */
  /* In the plane across axis (outline.h): */
  double width;        /* path, arc */
  double angle[2];     /* arc: from and to [rad], angle[0] < angle[1] <= angle[0] + 2 pi */
  double slope, level; /* prism, path, arc: the sides lie slope * (x[axis] - level) further in: as given at level */
  struct tor_outline_index *index; /* of many vertices (tor_outline_index_make), owned; NULL: none */
  struct tor_pose pose;
  /* Of a file (solid.h): a point p of it lies at center + zoom p, its z along axis, x and y in cyclic order after it.
   */
  struct tor_solid *solid;  /* shared by copies */
  double zoom, reach[2][3]; /* of its bounds from the centre, as it is turned: tor_solid_place */
  int nparts;               /* union, difference (the first less the others), intersection */
  struct tor_object *part;  /* [nparts], owned, of which medium and nested count for nothing */
};

/* Frees what an object owns. */
void tor_object_free(struct tor_object *object);
void tor_objects_free(struct tor_object *objects, int count);
/* A copy that owns all that it points to, moved. */
struct tor_object tor_object_moved(const struct tor_object *object, const double by[3]);

/* Makes an object `by` times as large, about the origin; with axes 2 along x and y alone, of objects that are the same
 * all along z. */
void tor_object_scale(struct tor_object *object, double by, int axes);

/* Whether an object is a layer whose faces lie across an axis. */
static inline int tor_object_is_layer(const struct tor_object *o, int axis) {
  return o->shape == TOR_LAYER && o->axis == axis && !o->pose.is_turned;
}
/* Whether thin parts of it may lie in a box that neither its bounds nor a few points show. */
static inline int tor_object_hides_parts(const struct tor_object *o) {
  return o->pose.is_turned || o->shape > TOR_LAYER || o->slope != 0;
}

int tor_object_contains(const struct tor_object *object, const double x[3]);
/* A cheap test of the inside of the box [lo, hi]: 1 where the object contains all of it, -1 where it contains none of
 * it, 0 where this test does not decide. */
int tor_object_holds_box(const struct tor_object *object, const double lo[3], const double hi[3]);
/* Whether `outer` contains every point of `inner` despite rounding; 0 where that is undecided. */
int tor_object_covers(const struct tor_object *outer, const struct tor_object *inner);
/* Marks in hidden[count] invisible objects: those that the next visible one above covers, and those that lie in the
 * next one below and have its medium. Of thousands in one place few remain. Not all invisible ones are found. */
void tor_objects_hidden(const struct tor_object *objects, int count, char *hidden);
/* Sets `nested` of each object: of thousands of shells around each other those at a place are then found by bisection.
 */
void tor_objects_nest(struct tor_object *objects, int count);
/* Of objects[list[0..nlist-1]], in painting order: the place in the list of the last one that contains the point; -1:
 * none does. */
int tor_objects_at(const struct tor_object *objects, const int *list, int nlist, const double x[3]);
/* The same of the last one that does not miss the box, by tor_object_holds_box, whose answer, 0 or 1, is *holds; -1
 * where all miss it. */
int tor_objects_top(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                    const double hi[3], int *holds);
/* Smallest axis-aligned box that contains the object; infinite sides where the object is infinite. */
void tor_object_bounds(const struct tor_object *object, double lo[3], double hi[3]);

/* Contents of a small box: the media and their volume fractions, and where two media meet, the unit normal of the
 * interface. */
enum { TOR_MIX_MAX = 8 };
struct tor_mix {
  int count;                 /* of media, at most TOR_MIX_MAX (fractions of further ones are added to the last) */
  int medium[TOR_MIX_MAX];   /* -1: background */
  double share[TOR_MIX_MAX]; /* add up to 1 */
  double normal[3];          /* unit vector, from the gradient of medium[0]'s fraction; 0,0,0 when count is 1,
                              * or when the box shows no direction (a small sphere in its middle) */
  double of_medium[TOR_MIX_MAX][3]; /* with three media and more: the same of each medium[i] */
  int through; /* 1: the contents are the same along the component all through the domain (tor_cell_goes_through) */
  /* Set by tor_mix_resolve (coefficient.h): */
  int in_series;                /* 1 + the index of the dispersive medium that has a separate field here; 0: none */
  double constant[TOR_MIX_MAX]; /* above 0: medium[i] counts with this permittivity, without its poles */
  /* Of an edge between surface nodes (surface.h): the part of its ends where the media are in series, 0, 1/2, 1; what
   * ends on flat surfaces add to the permittivity. */
  double ends_in_series, ends_flat;
};

/* Samples the box [lo, hi] at samples^3 points (midpoints of equal sub-boxes) against objects[list[0..nlist-1]],
 * list in painting order. Result does not depend on anything but the arguments. samples: 1, staircase, to 64. */
void tor_geometry_mix(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                      const double hi[3], int samples, struct tor_mix *mix);
/* The same from samples^2 lines along the axis nearest the normal, whose parts in the media are found to 1e-5 of the
 * box: fractions and normals follow a shape that moves without steps. */
void tor_geometry_mix_lines(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                            const double hi[3], int samples, struct tor_mix *mix);

/* The unit normal of a medium's surface from the first moment of its part of a ball: exact for a plane, which the
 * moment over a cube is not. Lines along `axis`. Returns 0 where the ball shows no direction, with normal 0. */
int tor_geometry_normal(const struct tor_object *objects, const int *list, int nlist, const double center[3],
                        double radius, int samples, int axis, int medium, double normal[3]);

#endif
