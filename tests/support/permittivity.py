"""The permittivity that results.h5 says a run has, against the one that its fields obey.

    permittivity.py write KIND        KIND.cfg: a field monitor "near" and a permittivity monitor "eps" of one box
    permittivity.py curl FOLDER ERROR of all edges: eps = curl H / (-i W eps0 E), W = (2 / dt) sin(w dt / 2), with the
                                      spectra of "near", is that of "eps" within ERROR, half of them in a hundredth
    permittivity.py exact KIND ERROR  media against formulas, and a surface at 45 degrees against its effective tensor
    permittivity.py same A B ERROR    two folders have the same permittivities within ERROR

The curl is Yee's own, of order 2, with the places of H, so that cells may be graded; in cylindrical coordinates that of
fields with m = 0 and E along r and z."""

import math
import sys

import h5py
import numpy

AXES, C0, EPS0 = "xyz", 299792458.0, 8.8541878128e-12

BOX = "box = { lo = [-80.0, -80.0, -80.0]; hi = [80.0, 80.0, 80.0]; };"
MEDIA = """media = (
  { name = "lossy"; permittivity = 3.0; conductivity_S_per_m = 2e4; },
  { name = "water"; permittivity = 1.8; poles = ( { type = "debye"; delta_eps = 2.0; tau_fs = 1.5; } ); },
  { name = "crystal"; permittivity = [2.0, 3.0, 4.0]; poles = ( { type = "lorentz"; delta_eps = [0.5, 0.7, 0.9];
    omega_eV = 3.1; gamma_eV = 0.2; } ); }
);
"""
OBJECTS = """objects = (
  { type = "layer"; axis = "z"; medium = "crystal"; hi = -47.0; },
  { type = "box"; medium = "lossy"; center = [31.0, 22.0, 10.0]; size = [60.0, 50.0, 44.0]; rotate_deg = 20.0; },
  { type = "sphere"; medium = "water"; center = [-33.0, -30.0, 18.0]; radius = 31.0; },
  { type = "sphere"; medium = "Au"; center = [5.0, -4.0, -9.0]; radius = 27.0; }
);
"""
SHEET = """sheets = ( { axis = "z"; position = 43.0; graphene = { fermi_eV = 0.4; tau_fs = 5.0; };
  parts = ( { type = "cylinder"; radius = 60.0; height = 100.0; } ); } );
"""
TAIL = """run = { time_fs = %s; tolerance = 1e9; }; schedule = { threads = 1; };
"""


RULES = {"tensor": "tensor", "resonant": "subpixel"}  # others: the default
SOURCES = {"space": (60.0, 5.0, 50.0), "whole": (0.0, 5.0, 60.0), "mirrored": (0.0, 5.0, 60.0), "tm": (60.0, 60.0, 0.0),
           "te": (60.0, 60.0, 0.0), "rings": (0.0, 0.0, 60.0)}


def dipole(place, axis="y", kind="electric_dipole"):
    along = f'axis = "{axis}";' if axis else ""
    return f"""sources = ( {{ type = "{kind}"; position = {place}; {along}
  time = {{ type = "pulse"; wavelength = 600.0; band = 300.0; }}; }} );
"""


def mean_wavelength():
    """Where w^2 has its mean over the dipole's power: what is at nodes is exact there (docs/design/numerics.md)."""
    low, high = 1 / 750.0, 1 / 450.0
    return 1 / math.hypot((high + low) / 2, (high - low) / 4)


def monitors(box=BOX, components='"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"', waves="[560.0, 700.0]"):
    return f"""monitors = (
  {{ type = "field"; name = "near"; {box} components = [{components}]; wavelengths = {waves}; }},
  {{ type = "permittivity"; name = "eps"; {box} wavelengths = {waves}; }},
  {{ type = "permittivity"; name = "constant"; {box} }}
);
"""


def space(walls, extra="", grid="", time=80.0):
    return (f'format_version = 3; grid = {{ size = [280.0, 280.0, 280.0]; cell = 10.0; precision = "fp64"; {grid} }};\n'
            f'boundaries = {{ {walls} cpml = {{ cells = 6; }}; }};\n' + MEDIA + OBJECTS + extra
            + dipole("[60.0, 5.0, 50.0]") + monitors() + TAIL % time)


def half(symmetry):
    return ('format_version = 3; grid = { size = [280.0, 280.0, 280.0]; cell = 10.0; precision = "fp64"; };\n'
            + symmetry + 'boundaries = { default = "cpml"; cpml = { cells = 6; }; };\n' + MEDIA + """objects = (
  { type = "layer"; axis = "z"; medium = "crystal"; hi = -47.0; }, { type = "sphere"; medium = "Au"; radius = 43.0; } );
""" + dipole("[0.0, 5.0, 60.0]", "x") + monitors() + TAIL % 70.0)


def plane(kind):
    box = "box = { lo = [-80.0, -80.0]; hi = [80.0, 80.0]; };"
    components = '"Ez", "Hx", "Hy"' if kind == "TM" else '"Ex", "Ey", "Hz"'
    return (f'format_version = 3; grid = {{ size = [280.0, 280.0]; cell = 10.0; precision = "fp64"; '
            f'polarisation = "{kind}"; }};\nboundaries = {{ default = "cpml"; cpml = {{ cells = 6; }}; }};\n' + MEDIA
            + """objects = (
  { type = "circle"; medium = "Au"; center = [5.0, -4.0]; radius = 37.0; },
  { type = "rectangle"; medium = "lossy"; center = [-60.0, 10.0]; size = [30.0, 77.0]; rotate_deg = 20.0; } );
""" + dipole("[60.0, 60.0]", *((None, "line_current") if kind == "TM" else ("x", "line_dipole")))
            + monitors(box, components) + TAIL % 150.0)


def rings():
    return ('format_version = 3; grid = { size = [280.0, 280.0, 280.0]; cell = 10.0; precision = "fp64"; '
            'coordinates = "cylindrical"; m = 0; polarisation = "TM"; };\nboundaries = { default = "absorber"; '
            'absorber = { cells = 6; }; };\n' + MEDIA + """objects = (
  { type = "sphere"; medium = "Au"; radius = 43.0; }, { type = "layer"; axis = "z"; medium = "lossy"; hi = -57.0; } );
""" + dipole("[0.0, 0.0, 60.0]", "z")
            + monitors("box = { lo = [0.0, 0.0, -70.0]; hi = [65.0, 0.0, 65.0]; };", '"Ex", "Ez", "Hy"') + TAIL % 150.0)


def theory(kind):
    """A plane at 45 degrees through nodes, and media of which all is at nodes: a few steps."""
    grid = f'averaging = "{RULES[kind]}"; ' if kind in RULES else ""
    return (f'format_version = 3; grid = {{ size = [160.0, 160.0, 160.0]; cell = 10.0; precision = "fp64"; {grid}}};\n'
            """boundaries = { default = "pec"; };
media = (
  { name = "glass"; permittivity = 2.25; }, { name = "dense"; permittivity = 6.0; },
  { name = "turned"; permittivity_tensor = [2.0, 2.5, 3.0, 0.2, -0.1, 0.3]; },
  { name = "plasma"; poles = ( { type = "drude"; plasma_eV = 2.5; gamma_eV = 0.2; cyclotron_eV = 0.7; } ); },
  { name = "resonant"; permittivity = 2.0; conductivity_S_per_m = 1e4; poles = ( { type = "lorentz"; delta_eps = 1.5;
    omega_eV = 3.0; gamma_eV = 0.3; } ); } );
objects = ( """ + {"tensor": '{ type = "box"; medium = "dense"; size = [400.0, 400.0, 400.0]; }, { type = "box"; '
                   'medium = "glass"; center = [100.0, 100.0, 0.0]; '
                   'size = [282.842712474619, 282.842712474619, 400.0]; '
                   'rotate_deg = 45.0; }'}.get(kind, f'{{ type = "layer"; medium = "{kind}"; axis = "z"; }}')
            + " );\n" + dipole("[60.0, 5.0, 50.0]") + monitors('box = { lo = [-40.0, -40.0, -40.0]; '
                                                              'hi = [40.0, 40.0, 40.0]; };',
                                                              waves=f"[{mean_wavelength():.15g}, 700.0]")
            + "run = { time_fs = 0.1; tolerance = 1e9; }; schedule = { threads = 1; };\n")


def jobs():
    """Texts of the jobs by kind."""
    graded = ('refine = ( { axis = "x"; from = -20.0; to = 20.0; cell = 5.0; }, '
              '{ axis = "z"; from = -40.0; to = -10.0; cell = 5.0; } );')
    periodic = 'default = "cpml"; x_lo = "periodic"; x_hi = "periodic"; y_lo = "periodic"; y_hi = "periodic";'
    walls = 'default = "cpml"; '
    made = {"space": space(walls, SHEET), "graded": space(walls, grid=graded), "periodic": space(periodic, time=110.0),
            "whole": half(""), "mirrored": half('symmetry = { x = "odd"; };\n'), "tm": plane("TM"), "te": plane("TE"),
            "rings": rings()}
    made.update({kind: theory(kind) for kind in ("tensor", "turned", "plasma", "resonant")})
    return made


def array(group, name):
    """Values [wavelength, z, y, x], complex, and their places by axis; in 2-D with a z of one point."""
    data = group[name]
    values = data["spectrum" if "spectrum" in data else "values"][()]
    values = values[..., 0] + 1j * values[..., 1]
    places = {axis: data[axis][()] for axis in "xyz" if axis in data}
    if "z" not in places:
        values, places["z"] = values[:, None], numpy.zeros(1)
    return values, places


def difference(values, places, axis, wanted, metric):
    """d(metric f) / d(axis) between neighbours, at the places `wanted` among the middles; None where there are none."""
    number = 1 + "zyx".index(axis)
    at = places[axis]
    shape = [1, 1, 1, 1]
    shape[number] = at.size
    f = values * (at.reshape(shape) if metric else 1)
    slope = numpy.diff(f, axis=number) / numpy.diff(at).reshape([n - (i == number) for i, n in enumerate(shape)])
    middles = 0.5 * (at[1:] + at[:-1])
    found = [int(numpy.argmin(abs(middles - x))) for x in wanted]
    return numpy.take(slope, found, axis=number), found


def curl(group, component, places, cylindrical):
    """Of H at the places of a component of E; and which of these have all neighbours."""
    a, b, c = component, "xyz"[("xyz".index(component) + 1) % 3], "xyz"[("xyz".index(component) + 2) % 3]
    total, known = 0, None
    for h, along, sign in ((c, b, 1), (b, c, -1)):
        if "H" + h not in group or (cylindrical and along == "y"):
            continue
        values, at = array(group, "H" + h)
        if at[along].size < 2:
            continue
        keep = [x for x in places[along] if at[along][0] < x < at[along][-1]]
        radial = cylindrical and a == "z" and along == "x"
        slope, _ = difference(values, at, along, keep, radial)
        # the other axes: the same places
        for other in "zyx":
            if other == along:
                continue
            index = [int(numpy.argmin(abs(at[other] - x))) for x in places[other]]
            slope = numpy.take(slope, index, axis=1 + "zyx".index(other))
        full = numpy.full([slope.shape[0]] + [places[axis].size for axis in "zyx"], numpy.nan, complex)
        where = [slice(None)] + [slice(None)] * 3
        first = int(numpy.argmin(abs(places[along] - keep[0])))
        where[1 + "zyx".index(along)] = slice(first, first + len(keep))
        if radial:
            r = numpy.array(keep)
            slope = slope / r
        full[tuple(where)] = slope
        total = total + sign * full
    return total


def compare_curl(folder, limit):
    worst, median, count = 0.0, 0.0, 0
    with h5py.File(folder + "/results.h5") as file:
        near, eps, dt = file["monitors/near"], file["monitors/eps"], file.attrs["time_step_s"]
        w = 2 * math.pi * C0 / near["wavelength"][()]
        cylindrical = "cylindrical" in folder or "rings" in folder
        for component in "xyz":
            if "E" + component not in near:
                continue
            e, at = array(near, "E" + component)
            stated, where = array(eps, f"eps_{component}{component}")
            assert stated.shape == e.shape and all((abs(where[x] - at[x]) < 1e-15).all() for x in where), component
            step = 2 / dt * numpy.sin(0.5 * w * dt)
            found = curl(near, component, at, cylindrical) / (-1j * EPS0 * step.reshape(-1, 1, 1, 1) * e)
            source = numpy.ones((1, 1, 1, 1), bool)  # edges that may have a part of the dipole's current
            for number, axis in enumerate("zyx"):
                near_it = abs(at[axis] * 1e9 - SOURCES.get(folder, SOURCES["space"])["xyz".index(axis)]) < 10.1
                source = source & near_it.reshape([-1 if i == number + 1 else 1 for i in range(4)])
            off = numpy.abs(found - stated) / numpy.maximum(1, numpy.abs(stated))
            off[numpy.broadcast_to(source, off.shape)] = numpy.nan
            worst, count = max(worst, float(numpy.nanmax(off))), count + int(numpy.isfinite(off).sum())
            median = max(median, float(numpy.nanmedian(off)))
            print(f"eps_{component}{component}: {numpy.isfinite(off).sum()} edges, off by {numpy.nanmax(off):.1e}, "
                  f"median {numpy.nanmedian(off):.1e}; from {stated.real.min():.3f} to {stated.real.max():.3f}, "
                  f"{numpy.unique(stated.round(9)).size} values")
    return 0 if count > 300 and worst < limit and median < 0.01 * limit else 1


# --- Exact values

def exact(kind, w, dt):
    """The tensor of a medium with the grid's own frequency W in place of w."""
    ev, step = 1.602176634e-19 / 1.054571817e-34, 2 / dt * numpy.sin(0.5 * w * dt)
    if kind == "turned":
        return numpy.array([[2.0, 0.3, -0.1], [0.3, 2.5, 0.2], [-0.1, 0.2, 3.0]]) + 0j
    if kind == "plasma":
        plasma, rate, turn = 2.5 * ev, 0.2 * ev * numpy.cos(0.5 * w * dt), 0.7 * ev * numpy.cos(0.5 * w * dt)
        whole = step + 1j * rate  # -i w J = eps0 wp^2 E - gamma J - J x turn, turn along z
        along, across = -plasma**2 / (step * whole), -plasma**2 * whole / (step * (whole**2 - turn**2))
        off = 1j * plasma**2 * turn / (step * (whole**2 - turn**2))
        return numpy.array([[1 + across, off, 0], [-off, 1 + across, 0], [0, 0, 1 + along]])
    resonance, rate = 3.0 * ev, 0.3 * ev * numpy.cos(0.5 * w * dt)
    pole = 1.5 * resonance**2 / (resonance**2 - step**2 - 1j * rate * step)
    return numpy.eye(3) * (2 + pole + 1j * 1e4 * numpy.cos(0.5 * w * dt) / (EPS0 * step))


def compare_medium(folder, limit):
    worst = 0.0
    with h5py.File(folder + "/results.h5") as file:
        eps, dt = file["monitors/eps"], file.attrs["time_step_s"]
        for q, wavelength in enumerate(eps["wavelength"][()]):
            if q and folder == "turned":  # an oscillator, exact at one frequency alone
                break
            wanted = exact(folder, 2 * math.pi * C0 / wavelength, dt)
            for name in eps:
                if not name.startswith("eps_"):
                    continue
                a, b = (AXES.index(x) for x in name[4:])
                values = array(eps, name)[0][q]
                worst = max(worst, float(abs(values - wanted[a, b]).max()))
                if not q:
                    print(f"{name}: {values.flat[0]:.6f}, wanted {wanted[a, b]:.6f}")
        elements = sum(name.startswith("eps_") for name in eps)
    print(f"{elements} elements, off by {worst:.1e}")
    return 0 if worst < limit and elements == {"turned": 6, "plasma": 9, "resonant": 3}[folder] else 1


def compare_surface(folder, limit):
    """A plane at 45 degrees through nodes, eps 2.25 and 6: 1 / <1 / eps> across and <eps> along it, there."""
    with h5py.File(folder + "/results.h5") as file:
        eps = file["monitors/constant"]
        parts = {name: eps[name]["values"][()] for name in eps}
        z, y, x = (eps["eps_xy"][axis][()] for axis in "zyx")
        j, i = numpy.nonzero(abs(y[:, None] + x[None, :]) < 1e-12)
    mean, series = 0.5 * (2.25 + 6.0), 2 / (1 / 2.25 + 1 / 6.0)
    off = parts["eps_xy"][:, j, i] - 0.5 * (series - mean)
    others = max(float(abs(parts[name]).max()) for name in ("eps_yz", "eps_zx"))
    along = parts["eps_zz"][:, j, i] - mean
    print(f"eps_xy {parts['eps_xy'][0, j[0], i[0]]:.5f}, wanted {0.5 * (series - mean):.5f}; eps_zz "
          f"{parts['eps_zz'][0, j[0], i[0]]:.5f}, wanted {mean:.5f}; {off.size} nodes, other elements {others:.1e}")
    return 0 if off.size > 40 and abs(off).max() < limit and abs(along).max() < limit and others < 1e-9 else 1


def compare_same(one, other, limit):
    worst, count = 0.0, 0
    with h5py.File(one + "/results.h5") as a, h5py.File(other + "/results.h5") as b:
        for monitor in ("eps", "constant"):
            assert sorted(a["monitors"][monitor]) == sorted(b["monitors"][monitor])
            for name in a["monitors"][monitor]:
                if name.startswith("eps_"):
                    for item in ("values", "x", "y", "z"):
                        x, y = (file["monitors"][monitor][name][item][()] for file in (a, b))
                        assert x.shape == y.shape
                        worst, count = max(worst, float(abs(x - y).max())), count + x.size
    print(f"{count} values differ by at most {worst:.1e}")
    return 0 if count > 1000 and worst <= limit else 1


def main():
    if sys.argv[1] == "write":
        with open(sys.argv[2] + ".cfg", "w", encoding="utf-8") as job:
            job.write(jobs()[sys.argv[2]])
        return 0
    if sys.argv[1] == "curl":
        return compare_curl(sys.argv[2], float(sys.argv[3]))
    if sys.argv[1] == "exact":
        return (compare_surface if sys.argv[2] == "tensor" else compare_medium)(sys.argv[2], float(sys.argv[3]))
    return compare_same(sys.argv[2], sys.argv[3], float(sys.argv[4]))


if __name__ == "__main__":
    sys.exit(main())
