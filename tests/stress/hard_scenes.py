"""The 125 jobs of hard_jobs.py: metals, anisotropic and dispersive media that run into the walls, extreme layers.

A job is a Scene: text(...) is its job file. Most are two-dimensional: one cell along y between PMC walls, which holds
the TM waves of films; the dipole is a line then. Lengths in nm.
"""
import re

FAR = 1.0e6  # beyond all walls
DRUDE = 'media = ( { name = "drude"; poles = ( { type = "drude"; plasma_eV = %g; gamma_eV = %g; } ); } );'
METALS = ["Al", "Au", "Ag", "drude"]


class Scene:
    """One job. `judged`: the layers are the default ones, so that the spectra must not depend on the domain's size."""

    def __init__(self, name, cell, **more):
        self.name, self.cell = name, cell
        self.cells = more.pop("cells", [72, 1, 72])  # layers included
        self.walls = more.pop("walls", {"y_lo": "pmc", "y_hi": "pmc"} if self.cells[1] == 1 else {})
        self.layer = more.pop("layer", 10)  # cells of CPML
        self.cpml = more.pop("cpml", "")
        self.judged = more.pop("judged", self.layer == 10 and not self.cpml)
        self.media, self.objects = more.pop("media", ""), more.pop("objects", "")
        self.background = more.pop("background", "vacuum")
        self.at = more.pop("at", [0.0, 0.0, 0.0])  # of the dipole, in cells
        self.axis, self.box = more.pop("axis", "z"), more.pop("box", 3)
        self.grid, self.steps = more.pop("grid", ""), more.pop("steps", 12000)
        self.wavelength, self.band = more.pop("wavelength", 600.0), more.pop("band", 400.0)
        self.continuous = more.pop("continuous", False)
        assert not more, more

    def face(self, face):
        return self.walls.get(face, self.walls.get("default", "cpml"))

    def size(self, double=False, size=None):
        """Of the domain; with `double` the part inside the layers is twice as large along the axes that have some."""
        size = list(size or [n * self.cell for n in self.cells])
        for a, axis in enumerate("xyz"):
            if double and self.cells[a] > 1 and self.face(axis + "_lo") not in ("pec", "pmc"):
                size[a] += self.cell * (self.cells[a] - 2 * self.layer)
        return size

    def end(self):
        """A time after which the pulse is over [fs]: 6 of its durations of 1/e."""
        half = 299.792458 * 3.1416 * self.band / (self.wavelength**2 - self.band**2 / 4)  # rad/fs
        return 2 * 6 * 2 / half

    def time(self):
        """[fs]"""
        return self.steps * self.cell * 1.7e-3

    def text(self, double=False, walls=None, size=None, sizes_of_layers="", time_fs=0, tolerance=0.05, window=False,
             moved=0.0):
        """The job file; walls, size, time_fs, window (a Gaussian in the middle of the run), moved (of all positions
        along x; objects: those with a center): those of an advice."""
        d = self.cell
        walls = {**self.walls, **(walls or {})}
        faces = " ".join('%s = "%s";' % pair for pair in walls.items())
        at = [self.at[0] * d + moved, self.at[1] * d, self.at[2] * d]
        lo = [x - self.box * d for x in at]
        hi = [x + self.box * d for x in at]
        objects = re.sub(r"center = \[([^,]*)", lambda x: "center = [%.9g" % (float(x.group(1)) + moved), self.objects)
        if self.cells[1] == 1:
            lo[1], hi[1] = -0.5 * d, 0.5 * d
        ends = self.wavelength - 0.25 * self.band, self.wavelength + 0.375 * self.band
        time = 'type = "pulse"; wavelength = %g; band = %g; phase_deg = 90.0;' % (self.wavelength, self.band)
        middle = (time_fs or self.time()) / 2
        spectra = "window = { from_fs = %.9g; to_fs = %.9g; rise_fs = %.9g; };" % (middle, middle + 0.01, middle / 2.5)
        if self.continuous:
            time, tolerance = 'type = "continuous"; wavelength = %g;' % self.wavelength, 1e9
        return "\n".join([
            'format_version = 2;',
            'grid = { size = %s; cell = %g; %s%s };' % (
                vector(self.size(double, size)), d, self.grid,
                "" if "averaging" in self.grid else ' averaging = "subpixel";'),
            'boundaries = { cpml = { cells = %d; %s }; %s %s };' % (self.layer, self.cpml, sizes_of_layers, faces),
            self.media, 'background = "%s";' % self.background, "objects = ( %s );" % objects,
            'sources = ( { type = "electric_dipole"; position = %s; axis = "%s"; amplitude = 1e-12;'
            % (vector(at), self.axis),
            "  time = { %s }; } );" % time,
            'monitors = ( { type = "energy"; every = 100; }, { type = "flux_box"; name = "out";',
            "  box = { lo = %s; hi = %s; };" % (vector(lo), vector(hi)),
            "  %swavelengths = { from = %g; to = %g; count = 6; }; } );" % (spectra + " " if window else "", *ends),
            "run = { time_fs = %.9g; tolerance = %.9g; };" % (time_fs or self.time(), tolerance), ""])


def vector(numbers):
    return "[" + ", ".join("%.9g" % x if "." in "%.9g" % x else "%.9g.0" % x for x in numbers) + "]"


def slab(medium, lo, hi, axis="z"):
    return '{ type = "layer"; medium = "%s"; axis = "%s"; lo = %.9g; hi = %.9g; }' % (medium, axis, lo, hi)


def crystal(permittivity, poles=""):
    return 'media = ( { name = "crystal"; permittivity = %s; %s } );' % (vector(permittivity), poles)


def film(name, metal, thickness, cell, **more):
    """The dipole is 6 cells above the film's upper side."""
    more.setdefault("media", DRUDE % (5, 0.01) if metal == "drude" else "")
    return Scene(name, cell, objects=more.pop("under", "") + slab(metal, -thickness / 2, thickness / 2),
                 at=[0, 0, thickness / 2 / cell + 6], **more)


def films():
    for metal in METALS:
        for thickness, cell in ((50, 5), (20, 5), (10, 2.5), (5, 1), (2, 0.5), (1, 0.2), (0.3, 0.1)):
            steps = 12000 if cell > 1 else 30000 if cell > 0.2 else 60000 if cell > 0.1 else 120000
            yield film("film_%s_%g_%g" % (metal, thickness, cell), metal, thickness, cell, steps=steps)
    for metal in METALS:
        for wall in ("pec", "pmc", "absorber"):
            yield film("film_%s_10_%s" % (metal, wall), metal, 10, 2.5, steps=15000, judged=wall == "absorber",
                       cells=[692 if wall == "absorber" else 72, 1, 72],
                       walls={"x_lo": wall, "x_hi": wall, "y_lo": "pmc", "y_hi": "pmc"})
        yield film("film_%s_10_glass" % metal, metal, 10, 2.5, under=slab("SiO2", -FAR, -5) + ", ")
    for plasma in (3, 5):
        for gamma in (0, 0.01):
            yield film("film_drude_%g_%g" % (plasma, gamma), "drude", 10, 5, layer=6, cells=[64, 1, 64],
                       media=DRUDE % (plasma, gamma))
    yield film("film_Al_10_3d", "Al", 10, 2.5, cells=[46, 46, 56], steps=9000)
    yield film("film_Au_5_3d", "Au", 5, 1, cells=[46, 46, 56], steps=9000)
    yield film("film_Al_10_continuous", "Al", 10, 2.5, continuous=True)
    yield film("film_Al_10_fp64", "Al", 10, 2.5, grid='precision = "fp64";')
    yield film("film_Al_10_order_4", "Al", 10, 2.5, grid="order = 4;")
    yield film("film_Al_10_staircase", "Al", 10, 2.5, grid='averaging = "staircase";')
    yield film("film_Au_10_50000", "Au", 10, 2.5, steps=50000)


def half_spaces():
    for metal in ["Al", "Au", "Ag", "Cu", "drude"]:
        for order in (2, 4):
            for precision in ("fp32", "fp64"):
                yield Scene("half_%s_order_%d_%s" % (metal, order, precision), 5.0,
                            steps=50000 if order == 2 else 15000,
                            media=DRUDE % (5, 0.01) if metal == "drude" else "", objects=slab(metal, -FAR, 0),
                            at=[0, 0, 8], grid='order = %d; precision = "%s";' % (order, precision))


def gaps():
    for metal in METALS:
        for gap, cell in ((30, 2.5), (8, 1)):
            yield Scene("gap_%s_%g" % (metal, gap), cell, media=DRUDE % (5, 0.01) if metal == "drude" else "",
                        objects=slab(metal, -FAR, -gap / 2) + ", " + slab(metal, gap / 2, FAR), box=2)


def bodies():
    rod = '{ type = "cylinder"; medium = "%s"; axis = "x"; radius = %g; height = 1e6; }'
    for metal, radius, cell in (("Al", 10, 2.5), ("Au", 10, 2.5), ("Ag", 10, 2.5), ("Ag", 25, 5), ("Cu", 10, 2.5)):
        yield Scene("wire_%s_%g" % (metal, radius), cell, cells=[56, 56, 56], objects=rod % (metal, radius),
                    steps=15000,
                    at=[0, 0, radius / cell + 5])
    ball = '{ type = "sphere"; medium = "%s"; center = [%g, 0.0, 0.0]; radius = %g; }'
    for metal in ("Au", "Ag"):
        yield Scene("sphere_%s_in_layer" % metal, 5.0, cells=[50, 50, 50], objects=ball % (metal, 75, 40), at=[0, 0, 5],
                    layer=6, steps=20000, judged=False)
    yield Scene("hole_Au", 5.0, cells=[50, 50, 50], at=[0, 0, 10], steps=9000, objects=slab("Au", -25, 25)
                + ', { type = "cylinder"; medium = "vacuum"; axis = "z"; radius = 30.0; height = 50.0; }')
    yield Scene("ribbon_Au", 2.5, cells=[56, 56, 56], at=[0, 0, 8], steps=9000,
                objects='{ type = "box"; medium = "Au"; size = [1e6, 30.0, 10.0]; }')


def crystals():
    drude = 'poles = ( { type = "drude"; plasma_eV = 3.0; gamma_eV = 0.05; } );'
    lorentz = 'poles = ( { type = "lorentz"; delta_eps = 1.0; omega_eV = 5.0; gamma_eV = 0.05; } );'
    kinds = [("1_100_1_3d", [1.5, 100, 1], "", {}), ("biaxial", [1.5, 2.2, 3], "", {}), ("1_4_9", [1, 4, 9], "", {}),
             ("uniaxial", [1, 1, 4], "", {}), ("uniaxial_x", [10, 2, 2], "", {}),
             ("uniaxial_drude", [1, 1, 4], drude, {}), ("biaxial_drude", [1.5, 2.2, 3], drude, {}),
             ("uniaxial_lorentz", [2, 2, 3], lorentz, {}),
             ("biaxial_order_4", [1.5, 2.2, 3], "", {"grid": "order = 4;"}),
             ("biaxial_pec", [1.5, 100, 1], "", {"walls": {"default": "pec"}, "judged": False})]
    for name, permittivity, poles, more in kinds:
        yield Scene("crystal_" + name, 10.0, cells=[44, 44, 44], media=crystal(permittivity, poles), steps=6000,
                    background="crystal", wavelength=900.0, band=500.0, **more)
    yield Scene("crystal_slab", 10.0, media=crystal([1.5, 2.2, 3]), objects=slab("crystal", -60, 60))


def dispersive():
    pole = 'media = ( { name = "own"; permittivity = 2.0; poles = ( { type = %s } ); } );'
    kinds = [("lorentz_undamped", '"lorentz"; delta_eps = 1.0; omega_eV = 6.0; gamma_eV = 0.0;'),
             ("lorentz_strong", '"lorentz"; delta_eps = 9.0; omega_eV = 5.0; gamma_eV = 0.1;'),
             ("debye", '"debye"; delta_eps = 3.0; tau_fs = 1.0;'),
             ("drude_all", '"drude"; plasma_eV = 1.0; gamma_eV = 0.1;')]
    for name, text in kinds:
        yield Scene("medium_" + name, 10.0, media=pole % text, background="own", wavelength=900.0)
    for medium, wavelength in (("Si", 700.0), ("TiO2", 900.0), ("GaAs", 640.0), ("SiO2", 800.0), ("Si3N4", 800.0)):
        yield Scene("medium_" + medium, 5.0, background=medium, wavelength=wavelength, band=200.0, steps=15000)
    yield Scene("medium_Au", 5.0, background="Au", steps=15000)
    yield Scene("medium_Al", 2.5, background="Al", steps=15000)


def extremes():
    half = slab("Au", -FAR, 0)
    for name, cpml in (("kappa_100", "kappa = 100.0;"), ("alpha_1", "alpha = 1.0;"), ("sigma_100", "sigma = 100.0;")):
        yield Scene("layers_" + name, 5.0, objects=half, at=[0, 0, 8], cpml=cpml)
    yield Scene("layers_one_cell", 5.0, objects=half, at=[0, 0, 8], layer=1)
    yield Scene("layers_40_cells", 5.0, objects=half, at=[0, 0, 8], layer=40, cells=[132, 1, 132], judged=True)
    yield Scene("courant_0.9999", 5.0, objects=slab("SiO2", -FAR, 0), at=[0, 0, 8], grid="courant = 0.9999;")
    for wall in ("pec", "pmc"):
        yield Scene("half_Au_on_" + wall, 5.0, objects=half, at=[0, 0, 8], judged=False, walls={
            "default": wall, "y_lo": "pmc", "y_hi": "pmc"})
    yield Scene("conductor", 5.0, objects=slab("own", -FAR, 0), at=[0, 0, 8],
                media='media = ( { name = "own"; conductivity_S_per_m = 1e12; } );')
    yield Scene("half_Au_fp64_cells_0.1", 0.1, objects=half, at=[0, 0, 8], steps=60000, grid='precision = "fp64";')
    yield Scene("corner_Ag", 5.0, objects='{ type = "box"; medium = "Ag"; center = [1e5, 0.0, -1e5]; '
                'size = [2e5, 2e5, 2e5]; }', at=[8, 0, 8])


def scenes():
    """All of them, in the order of their numbers."""
    return [s for part in (films, half_spaces, gaps, bodies, crystals, dispersive, extremes) for s in part()]
