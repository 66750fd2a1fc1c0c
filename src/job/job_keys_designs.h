/* The rows of design regions in the table of keys of a job file; behind those of objects. */
#ifndef TOR_SRC_JOB_JOB_KEYS_DESIGNS_H
#define TOR_SRC_JOB_JOB_KEYS_DESIGNS_H

/* clang-format off */
    {"designs", NULL, TOR_KEY_LIST, NO, .computed = "none",
     .help = "Boxes whose permittivity is interpolated from a grid in an HDF5 file, painted over all objects."},
    {"designs[].name", NULL, TOR_KEY_NAME, NO, .computed = "design<place in the list>",
     .help = "Name of the design region."},
    {"designs[].box", NULL, TOR_KEY_GROUP, MUST, .help = "The region, in 2-D a rectangle, inside the domain."},
    {"designs[].box.lo", NULL, TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Low corner."},
    {"designs[].box.hi", NULL, TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL,
     .help = "High corner, above lo along all axes."},
    {"designs[].values", NULL, TOR_KEY_WORD, 0, 0, 0, "density permittivity", "density",
     .help = "What the grid has: densities from 0 to 1 between two media, or permittivities of 1 or more."},
    {"designs[].medium_0", NULL, TOR_KEY_MEDIUM, NO, .computed = "needed with densities",
     .help = "Medium at density 0, without permeability; it may have poles and losses."},
    {"designs[].medium_1", NULL, TOR_KEY_MEDIUM, NO, .computed = "needed with densities",
     .help = "Medium at density 1; between them eps = eps_0 + density (eps_1 - eps_0) at all frequencies."},
    {"designs[].file", NULL, TOR_KEY_TEXT, MUST, .help = "HDF5 file of the grid, relative to the job file."},
    {"designs[].dataset", NULL, TOR_KEY_TEXT, NO, .computed = "the word of values",
     .help = "Dataset of the file: [z][y][x], or [y][x] for the same along z, which 2-D jobs need; an axis with one "
             "value has it everywhere."},
/* clang-format on */

#endif
