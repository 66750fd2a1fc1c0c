"""Job files of the table of surfaces. Lengths in nm; `at` is the shift of the objects from a node, in cells.

Sizes are counted in cells from the object: the total-field box 4 cells beyond it, the outer flux box 2 more, 5 free
cells, 10 cells of CPML. `pad` = 2 doubles the margins and the layers: table.py --check prints what that changes.
"""
import math

ON_NODE, OFF_NODE = (0, 0, 0), (0.3, 0.17, 0.41)
# Centre and band.
PULSES = {"visible": (620, 540), "ultraviolet": (355, 280), "violet": (400, 160), "red": (730, 200),
          "far": (800, 500), "deep": (260, 160)}


def numbers(values):
    return "[%s]" % ", ".join("%.10g" % v for v in values)


def listed(wavelengths):
    return "wavelengths = %s;" % numbers(wavelengths)


def pulse(name):
    return 'time = { type = "pulse"; wavelength = %g.0; band = %g.0; };' % PULSES[name]


def head(half, cell, time, decay, pad, order=2, precision="fp32", walls=""):
    size = [2 * h * c for h, c in zip(half, cell)]
    return """format_version = 2;
length_unit = "nm";
grid = { size = %s; cell = %s; order = %d; precision = "%s"; };
boundaries = { default = "cpml"; cpml = { cells = %d; }; %s };
run = { time_fs = %g; decay = %g; };
""" % (numbers(size), numbers(cell), order, precision, 10 * pad, walls, float(time), decay)


def scattering(objects, extent, cell, at, wavelengths, pulse_name, radius=None, order=2, time=200, decay=1e-7, pad=1,
               direction="+z"):
    """A plane wave, E along x, and a cross-section. objects(centre): text of media and objects; extent: half of their
    size along x, y and z, or one number."""
    extent = [extent] * 3 if isinstance(extent, (int, float)) else extent
    box = [math.ceil(e / cell - 1e-9) + 1 + 3 * pad for e in extent]
    half = [b + 2 + 5 * pad + 10 * pad for b in box]
    corner = [b * cell for b in box]
    return head(half, [cell] * 3, time, decay, pad, order) + objects([a * cell for a in at]) + """
sources = ( { type = "plane_wave"; box = { lo = %s; hi = %s; }; direction = "%s"; polarisation = "x"; %s } );
monitors = ( { type = "cross_section"; name = "s"; %s %s } );
""" % (numbers([-c for c in corner]), numbers(corner), direction, pulse(pulse_name), listed(wavelengths),
       "radius = %g;" % radius if radius else "")


def across_cylinder(medium, radius, cell, at, field, wavelengths, pulse_name, time=150, decay=1e-7, pad=1):
    """A 2-D job: a plane wave along y and a cylinder, its cross-section. field: TE or TM."""
    box = math.ceil(radius / cell - 1e-9) + 1 + 3 * pad
    side, corner = 2 * (box + 2 + 15 * pad) * cell, box * cell
    return """format_version = 3;
length_unit = "nm";
grid = { size = [%g, %g]; cell = %g; polarisation = "%s"; precision = "fp32"; };
boundaries = { default = "cpml"; cpml = { cells = %d; }; };
objects = ( { type = "circle"; medium = "%s"; radius = %g; center = %s; } );
sources = ( { type = "plane_wave"; box = { lo = %s; hi = %s; }; direction = "+y"; %s } );
monitors = ( { type = "cross_section"; name = "s"; %s } );
run = { time_fs = %g; decay = %g; };
""" % (side, side, cell, field, 10 * pad, medium, radius, numbers(a * cell for a in at[:2]),
       numbers([-corner, -corner]), numbers([corner, corner]), pulse(pulse_name), listed(wavelengths), float(time),
       decay)


MEDIA = """media = ( { name = "glass"; index = 1.45; }, { name = "two"; index = 2.0; },
  { name = "silicon"; index = 3.5; }, { name = "conducting"; index = 2.0; conductivity_S_per_m = 4e4; },
  { name = "debye"; permittivity = 2.25; poles = ( { type = "debye"; delta_eps = 2.0; tau_fs = 0.2; } ); } );
"""


def painted(*objects):
    """Text of media and objects as a function of the centre; each object is a function of the centre."""
    return lambda centre: MEDIA + "objects = (\n  %s );" % ",\n  ".join(o(centre) for o in objects)


def sphere(medium, radius, place=(0, 0, 0)):
    return lambda c: '{ type = "sphere"; medium = "%s"; radius = %g; center = %s; }' % (
        medium, radius, numbers(a + b for a, b in zip(c, place)))


def ellipsoid(medium, semi_axes):
    return lambda c: '{ type = "ellipsoid"; medium = "%s"; semi_axes = %s; center = %s; }' % (
        medium, numbers(semi_axes), numbers(c))


def box(medium, size):
    return lambda c: '{ type = "box"; medium = "%s"; size = %s; center = %s; }' % (medium, numbers(size), numbers(c))


def cylinder(medium, axis, radius, height, place=(0, 0, 0)):
    return lambda c: '{ type = "cylinder"; medium = "%s"; axis = "%s"; radius = %g; height = %g; center = %s; }' % (
        medium, axis, radius, height, numbers(a + b for a, b in zip(c, place)))


def prism(medium, corners, lo, hi):
    """Along y; corners are (x, z) from the centre."""
    return lambda c: '{ type = "prism"; medium = "%s"; axis = "y"; lo = %.10g; hi = %.10g; vertices = (%s); }' % (
        medium, c[1] + lo, c[1] + hi, ", ".join(numbers((c[2] + z, c[0] + x)) for x, z in corners))


def layer(medium, hi):
    return lambda c: '{ type = "layer"; medium = "%s"; axis = "z"; hi = %.10g; }' % (medium, c[2] + hi)


def turned(width, height, degrees):
    """Corners of a rectangle width x height in the plane (x, z), turned from x to z."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [(c * x - s * z, s * x + c * z) for x, z in
            ((-width / 2, -height / 2), (width / 2, -height / 2), (width / 2, height / 2), (-width / 2, height / 2))]


def rounded_box(medium, edge, rounding):
    """A cube whose edges and corners are rounded: three boxes, twelve cylinders, eight spheres."""
    straight, place = edge - 2 * rounding, edge / 2 - rounding
    objects = [box(medium, [edge if i == a else straight for i in range(3)]) for a in range(3)]
    for a in range(3):
        for s in (-place, place):
            for t in (-place, place):
                where = [0, 0, 0]
                where[(a + 1) % 3], where[(a + 2) % 3] = s, t
                objects.append(cylinder(medium, "xyz"[a], rounding, straight, where))
    objects += [sphere(medium, rounding, (x, y, z)) for x in (-place, place) for y in (-place, place)
                for z in (-place, place)]
    return objects


def rod_on_glass(cell, at, wavelengths, pad=1):
    """A gold rod of 60 x 20 nm with round ends that lies on glass; the wave from above, E along the rod."""
    objects = painted(layer("glass", -10), cylinder("Au", "x", 10, 40), sphere("Au", 10, (-20, 0, 0)),
                      sphere("Au", 10, (20, 0, 0)))
    return scattering(objects, (30, 10, 10), cell, at, wavelengths, "visible", pad=pad, direction="-z", time=150)


def flat_film(cell, height, wavelengths, pad=1):
    """A gold film of 20 nm, its lower face `height` cells above a node; one cell across."""
    lo = -2 * cell + height * cell
    return """format_version = 2;
length_unit = "nm";
grid = { size = %s; cell = %g; precision = "fp64"; };
boundaries = { default = "pec"; y_lo = "pmc"; y_hi = "pmc"; z_lo = { type = "cpml"; cells = %d; };
  z_hi = { type = "cpml"; cells = %d; }; };
run = { time_fs = 400.0; decay = 1e-9; };
objects = ( { type = "layer"; medium = "Au"; lo = %.10g; hi = %.10g; } );
sources = ( { type = "plane_wave"; box = { lo = %s; hi = %s; }; direction = "+z"; polarisation = "x"; %s } );
monitors = (
  { type = "flux"; name = "R"; box = { lo = %s; hi = %s; }; %s },
  { type = "flux"; name = "T"; box = { lo = %s; hi = %s; }; %s } );
""" % (numbers((cell, cell, 600 * pad)), cell, 40 * pad, 40 * pad, lo, lo + 20,
       numbers((-cell / 2, -cell / 2, -30 * cell)), numbers((cell / 2, cell / 2, 1000)), pulse("visible"),
       *(text for z in (-34 * cell, 20 * cell) for text in
         (numbers((-cell / 2, -cell / 2, z)), numbers((cell / 2, cell / 2, z)), listed(wavelengths))))


def tilted_film(cell, at, medium, row, wavelengths, degrees=20, pad=1):
    """A film of 20 x 3200 nm of a medium (None: no film) in two dimensions, turned about y, and parallel to it, 300 nm
    above, a row of line dipoles that sends a beam at right angles to the film.

    T: power through a plane below the film; N: power down through steps of planes between the row and the film, the
    sum of N<i>. Both against the job without the film."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x0, z0 = at[0] * cell, at[2] * cell
    lowest, highest = -600, 800
    middle = (lowest + highest) / 2  # the origin is the middle of the domain
    half = [math.ceil(1640 / cell) + 5 * pad + 20 * pad, 0.5, math.ceil((highest - lowest) / 2 / cell) + 25 * pad]
    # Beyond the walls: a cell of a wall is averaged over both sides of it.
    corners = [(x + x0, z + z0 - middle) for x, z in turned(3200, 20, degrees)]
    film = medium and prism(medium, corners, -100, 100)((0, 0, 0))
    sources, monitors = [], []
    for place, amplitude in row:
        position = (place * c - 300 * s, 0, place * s + 300 * c - middle)
        for axis, part in (("x", c), ("z", s)):
            sources.append('{ type = "electric_dipole"; position = %s; axis = "%s"; amplitude = %.9g; %s }' % (
                numbers(position), axis, amplitude * part, pulse("visible")))
    planes = [("T", (-1640, lowest - middle), (1640, lowest - middle))] + steps_between(cell, c, s, middle)
    for name, lo, hi in planes:
        monitors.append('{ type = "flux"; name = "%s"; box = { lo = %s; hi = %s; }; %s }' % (
            name, numbers((lo[0], -20, lo[1])), numbers((hi[0], 20, hi[1])), listed(wavelengths)))
    return head(half, (cell, 40, cell), 100, 1e-9, 2 * pad, walls='y_lo = "pmc"; y_hi = "pmc";') + (
        "objects = (\n  %s );\n" % film if film else "") + "sources = (\n  %s );\nmonitors = (\n  %s );\n" % (
            ",\n  ".join(sources), ",\n  ".join(monitors))


def steps_between(cell, c, s, middle):
    """Planes of the stairs along the line half-way between the row and the film: (name, low corner, high corner). The
    name of a plane begins with N and ends with its sign: d where flux along its axis leads up, u where down."""
    edges = [round(-1640 / cell) * cell + i * round(410 / cell) * cell for i in range(9)]
    edges[-1] = round(1640 / cell) * cell
    planes, before = [], None
    for i, (lo, hi) in enumerate(zip(edges, edges[1:])):
        centre = (lo + hi) / 2
        z = round(((centre + 150 * s) * s / c + 150 * c - middle) / cell) * cell
        planes.append(("N%dd" % i, (lo, z), (hi, z)))
        if before is not None and z > before:  # the higher part is to the right: what passes along x enters it
            planes.append(("M%du" % i, (lo, before), (lo, z)))
        before = z
    return planes


def dipole_at_silver(cell, at, axis, wavelengths, radius=40, height=10, pad=1):
    """A dipole on a point of its component above a silver sphere, `height` from it; power out of a box around the
    dipole. The sphere is moved aside by at[0], at[1] cells and along z until the distance is the same."""
    dipole = [cell / 2 if a == axis else 0 for a in "xyz"]
    dipole[2] += math.ceil((radius + height) / 2 / cell) * cell
    aside = [a * cell for a in at[:2]]
    drop = math.sqrt((radius + height) ** 2 - sum(a * a for a in aside))
    centre = [dipole[0] + aside[0], dipole[1] + aside[1], dipole[2] - drop]
    half = [math.ceil(extent / cell) + 1 + 15 * pad for extent in (radius, radius, 1.5 * radius + height / 2)]
    lo = [math.floor(d / cell - 1e-9) * cell - cell for d in dipole]
    hi = [math.ceil(d / cell + 1e-9) * cell + cell for d in dipole]
    return head(half, [cell] * 3, 200, 1e-8, pad) + painted(sphere("Ag", radius))(centre) + """
sources = ( { type = "electric_dipole"; position = %s; axis = "%s"; amplitude = 1e-12; %s } );
monitors = ( { type = "flux_box"; name = "all"; box = { lo = %s; hi = %s; }; %s } );
""" % (numbers(dipole), axis, 'time = { type = "pulse"; wavelength = 500.0; band = 300.0; };', numbers(lo),
       numbers(hi), listed(wavelengths))


def closed_box(medium, precision, steps=50000, cell=5.0):
    """All shapes of one medium in a closed box, off the grid; energy over so many steps. The second source excites
    the box's own modes, below 300 nm."""
    objects = painted(sphere(medium, 23, (-48.3, -47.1, -46.2)), ellipsoid_at(medium, (26, 15, 20), (47.2, -45.1, -48)),
                      cylinder(medium, "x", 17, 52, (-46, 48.2, -47.3)),
                      lambda c: '{ type = "cone"; medium = "%s"; radius_lo = 24; radius_hi = 6; height = 51; '
                                'center = [46.4, 48.7, -46.0]; }' % medium,
                      lambda c: '{ type = "box"; medium = "%s"; size = [47, 43, 51]; center = [-46.1, -47.6, 48.3]; }'
                      % medium,
                      prism(medium, [(x + 48, z + 47.7) for x, z in turned(44, 31, 20)], -69, -22),
                      lambda c: '{ type = "sphere"; medium = "glass"; radius = 26; center = [-47.0, 46.3, 47.7]; }',
                      sphere(medium, 23.8, (-47, 46.3, 47.7)), sphere("glass", 21, (-47, 46.3, 47.7)))
    dt = 0.9 * cell / (299.792458 * math.sqrt(3))
    return """format_version = 2;
length_unit = "nm";
grid = { size = [160.0, 160.0, 160.0]; cell = %g; precision = "%s"; };
boundaries = { default = "pec"; };
run = { time_fs = %.6g; };
%s
sources = ( { type = "electric_dipole"; position = [3.0, 4.0, 6.0]; axis = "x"; amplitude = 1e-12; %s },
            { type = "electric_dipole"; position = [-5.0, 6.0, 2.0]; axis = "z"; amplitude = 1e-12; %s } );
monitors = ( { type = "energy"; name = "e"; every = 7; } );
""" % (cell, precision, steps * dt, objects((0, 0, 0)), pulse("visible"), pulse("deep"))


def ellipsoid_at(medium, semi_axes, place):
    return lambda c: ellipsoid(medium, semi_axes)([a + b for a, b in zip(c, place)])
