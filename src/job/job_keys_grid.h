/* The rows of the grid and of symmetry in the table of keys of a job file; for job_keys.c alone, whose macros they use.
 */
#ifndef TOR_SRC_JOB_JOB_KEYS_GRID_H
#define TOR_SRC_JOB_JOB_KEYS_GRID_H

/* clang-format off */
    {"grid", NULL, TOR_KEY_GROUP, MUST, .help = "The domain and its cells."},
    {"grid.size", NULL, TOR_KEY_LENGTH3, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Size of the domain, absorbing layers included, rounded to whole cells; two numbers make the job 2-D, and "
             "all its positions have two."},
    {"grid.polarisation", NULL, TOR_KEY_WORD, 0, 0, 0, "TM TE Ez Hz", NULL,
     .computed = "none: needed in 2-D and for m = 0, else refused",
     .help = "Field of a 2-D job: TM has Ez, Hx, Hy, TE has Hz, Ex, Ey; \"Ez\" and \"Hz\" are other names of them. Of "
             "m = 0: TM has E along r and z, TE along phi."},
    {"grid.coordinates", NULL, TOR_KEY_WORD, 0, 0, 0, "cartesian cylindrical", "cartesian",
     .help = "Coordinates of the cells. Cylindrical: bodies of revolution about z, fields of one angular number m; all "
             "lengths and boxes are those of the 3-D job."},
    {"grid.m", NULL, TOR_KEY_INTEGER, 0, 100, 0, NULL, NULL,
     .computed = "none: needed in cylindrical coordinates",
     .help = "Angular number of the fields, cos(m phi) and sin(m phi)."},
    {"grid.cell", NULL, TOR_KEY_LENGTH_OR_3, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Edge of a cell, or its edges along all axes."},
    {"grid.refine", NULL, TOR_KEY_LIST, NO,
     .computed = "none: all cells are alike",
     .help = "Intervals with smaller cells along an axis; between them and grid.cell lengths grow from cell to cell. "
             "Order 2, not along periodic axes."},
    {"grid.refine[].axis", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, AXES, NULL, .help = "Along which axis."},
    {"grid.refine[].from", NULL, TOR_KEY_LENGTH, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Lower end, a node."},
    {"grid.refine[].to", NULL, TOR_KEY_LENGTH, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Upper end, a node; a cell before absorbing layers, which have cells of grid.cell, or below."},
    {"grid.refine[].cell", NULL, TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Longest cell there; cells divide the interval evenly."},
    {"grid.max_ratio", NULL, TOR_KEY_NUMBER, 1, 2, TOR_KEY_ABOVE, NULL, "1.3",
     .help = "Largest ratio of the lengths of neighbouring cells where there is a refine."},
    {"grid.order", NULL, TOR_KEY_INTEGER, 2, 4, 0, "2 4", "2",
     .help = "Order of the differences in space; 4 needs axes of 1 or at least 4 cells."},
    {"grid.precision", NULL, TOR_KEY_WORD, 0, 0, 0, "fp32 fp64", "fp32",
     .help = "Numbers of the fields: 32 or 64 bits."},
    {"grid.courant", NULL, TOR_KEY_NUMBER, 0, 1, TOR_KEY_ABOVE, NULL, NULL,
     .computed = "0.9 (order 2), 0.5 (order 4)",
     .help = "Time step as a fraction of the largest stable one in vacuum."},
    {"grid.averaging", NULL, TOR_KEY_WORD, 0, 0, 0, "subpixel staircase tensor auto", "auto",
     .help = "Cells that a surface cuts: averaged media, the medium at the point, the full tensor (second order; "
             "metals: smaller errors), or that where the job can have it."},
    {"grid.samples", NULL, TOR_KEY_INTEGER, 1, 32, 0, NULL, "8",
     .unit = "points", .help = "Points along each edge of a cell for averaging."},

    {"symmetry", NULL, TOR_KEY_GROUP, NO, .computed = "none",
     .help = "Symmetry of the scene and its waves across planes through the domain's middle: the mirrored part is not "
             "computed, and all results are of the whole."},
    {"symmetry.x", NULL, TOR_KEY_WORD, 0, 0, 0, "none even odd", "none",
     .help = "Across x = 0: even where E is its own mirror image (E along y or z in the plane), odd where it is less "
             "its mirror image (E along x)."},
    {"symmetry.y", NULL, TOR_KEY_WORD, 0, 0, 0, "none even odd", "none", .help = "Across y = 0."},
    {"symmetry.z", NULL, TOR_KEY_WORD, 0, 0, 0, "none even odd", "none", .help = "Across z = 0; not in 2-D."},
/* clang-format on */

#endif
