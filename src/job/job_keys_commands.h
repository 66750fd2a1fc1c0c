/* The rows of modes and bands, groups of one command each, in the table of keys of a job file; for job_keys.c alone,
 * whose macros they use. */
#ifndef TOR_SRC_JOB_JOB_KEYS_COMMANDS_H
#define TOR_SRC_JOB_JOB_KEYS_COMMANDS_H

/* clang-format off */
    {"modes", NULL, TOR_KEY_GROUP, NO, .computed = "none", .help = "Modes of a guide, which torre modes solves for."},
    {"modes.box", NULL, TOR_KEY_GROUP, MUST,
     .help = "The plane across the guide, in 2-D a line: lo = hi along exactly one axis; it ends at the walls, or "
             "before in PEC."},
    {"modes.box.lo", NULL, TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL, .help = "Low corner."},
    {"modes.box.hi", NULL, TOR_KEY_LENGTH3, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL, .help = "High corner."},
    {"modes.wavelengths", NULL, TOR_KEY_WAVELENGTHS, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Wavelengths in vacuum, a list or a group; each at least two cells."},
    {"modes.wavelengths.from", NULL, TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .help = "First wavelength."},
    {"modes.wavelengths.to", NULL, TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Last wavelength."},
    {"modes.wavelengths.count", NULL, TOR_KEY_INTEGER, 1, 100000, TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Number of wavelengths, equally spaced."},
    {"modes.count", NULL, TOR_KEY_INTEGER, 1, 200, 0, NULL, "1", .help = "Modes at each wavelength."},
    {"modes.target_index", NULL, TOR_KEY_NUMBER, 0, 1000, TOR_KEY_ABOVE, NULL, NULL,
     .computed = "the largest index in the plane", .help = "The modes are those whose index is nearest to it."},
    {"modes.core", NULL, TOR_KEY_MEDIUM, NO, .computed = "the medium of the largest index in the plane",
     .help = "Medium of which core_fraction is the share of the power."},
    {"modes.image", NULL, TOR_KEY_BOOL, 0, 0, 0, NULL, "true", .help = "Pictures of the fields too."},

    {"bands", NULL, TOR_KEY_GROUP, NO, .computed = "none", .help = "Band structure, which torre bands finds."},
    {"bands.path", NULL, TOR_KEY_CORNERS, -INFINITY, INFINITY, TOR_KEY_REQUIRED, TOR_ZONE_POINTS, NULL,
     .unit = "2 pi / period",
     .help = "Corners of the path of wave vectors, by name or as vectors; one alone: no path."},
    {"bands.points", NULL, TOR_KEY_INTEGER, 0, 1000, 0, NULL, "8",
     .unit = "points", .help = "Wave vectors between two corners of the path."},
    {"bands.frequencies", NULL, TOR_KEY_GROUP, MUST, .help = "Where bands are looked for."},
    {"bands.frequencies.from", NULL, TOR_KEY_NUMBER, 0, 1e6, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .unit = "c / period", .help = "Lowest frequency."},
    {"bands.frequencies.to", NULL, TOR_KEY_NUMBER, 0, 1e6, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .unit = "c / period", .help = "Highest frequency, at least two cells in wavelength."},
    {"bands.period", NULL, TOR_KEY_LENGTH, POSITIVE, NULL, NULL,
     .computed = "the domain's size along x", .help = "The period of units: a of 2 pi / a and c / a."},
    {"bands.count", NULL, TOR_KEY_INTEGER, 1, 100, 0, NULL, "8", .help = "Bands, at most: the lowest."},
    {"bands.runs", NULL, TOR_KEY_INTEGER, 1, 8, 0, NULL, "2",
     .help = "Runs at each wave vector, with dipoles at other places: so many equal frequencies are distinguished."},
    {"bands.tolerance", NULL, TOR_KEY_NUMBER, 0, 1, TOR_KEY_ABOVE, NULL, "0.001",
     .help = "Frequencies whose error is a larger part of them are dropped."},
    {"bands.least_q", NULL, TOR_KEY_NUMBER, 0, 1e9, 0, NULL, "10", .help = "Resonances of a lower Q are dropped."},

#endif
