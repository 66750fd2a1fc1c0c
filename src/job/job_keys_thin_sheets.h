/* The rows of sheets in the table of keys of a job file; behind those of design regions. */
#ifndef TOR_SRC_JOB_JOB_KEYS_THIN_SHEETS_H
#define TOR_SRC_JOB_JOB_KEYS_THIN_SHEETS_H

/* clang-format off */
    {"sheets", NULL, TOR_KEY_LIST, NO, .computed = "none",
     .help = "Planes thinner than any cell that carry a current along them, such as graphene."},
    {"sheets[].name", NULL, TOR_KEY_NAME, NO, .computed = "sheet<place in the list>",
     .help = "Name of the sheet and of its medium."},
    {"sheets[].axis", NULL, TOR_KEY_WORD, 0, 0, 0, AXES, "z", .help = "Its normal; in 2-D x or y, which is needed."},
    {"sheets[].position", NULL, TOR_KEY_LENGTH, -INFINITY, INFINITY, TOR_KEY_REQUIRED, NULL, NULL,
     .help = "Its place along the normal, between the absorbing layers or walls."},
    {"sheets[].graphene", NULL, TOR_KEY_GROUP, NO, .help = "A sheet of graphene, by the Kubo formula."},
    {"sheets[].graphene.fermi_eV", NULL, TOR_KEY_NUMBER, 0, 10, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .unit = "eV", .help = "Fermi energy over the Dirac point."},
    {"sheets[].graphene.tau_fs", NULL, TOR_KEY_NUMBER, 0, 1e6, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL,
     .unit = "fs", .help = "Time between collisions, of the current: sigma falls as 1 / (1 / tau - i omega)."},
    {"sheets[].graphene.temperature_K", NULL, TOR_KEY_NUMBER, 0, 1e4, 0, NULL, "300", .unit = "K",
     .help = "Temperature, of the intraband part; its energy is at most a quarter of the Fermi energy."},
    {"sheets[].conductance_S", NULL, TOR_KEY_NUMBER, 0, 1e3, TOR_KEY_ABOVE, NULL, NULL, .unit = "S",
     .computed = "none", .help = "In place of graphene: a conductance that is the same at all frequencies."},
    {"sheets[].medium", NULL, TOR_KEY_MEDIUM, NO, .computed = "none",
     .help = "In place of graphene: a medium whose poles and conductivity a film of `thickness` has."},
    {"sheets[].thickness", NULL, TOR_KEY_LENGTH, 0, INFINITY, TOR_KEY_ABOVE, NULL, NULL,
     .computed = "needed with medium", .help = "Thickness of that film, which need not be that of a cell."},
    {"sheets[].parts", NULL, TOR_KEY_LIST, NO, .members = "objects[].", .computed = "all of the plane",
     .help = "Shapes, groups as in objects without medium: the sheet is where its plane passes one of them."},
/* clang-format on */

#endif
