"""Rows of perfect conductors: cylinders (2-D) and spheres of 100 nm, 300 to 600 nm; exact values by series."""
import math

import cylinders
import scenes
import series

WAVELENGTHS = [300 + 50 * i for i in range(7)]
RADIUS = 100


def cylinder(nm, field):
    """Q_ext of a perfectly conducting cylinder, over its diameter. field: "TM", E along the axis, or "TE"."""
    x = 2 * math.pi * RADIUS / nm
    orders = int(x + 4 * x ** (1 / 3) + 10)
    j, y = cylinders.bessel(x, orders + 1), cylinders.neumann(x, orders + 1)
    h = [a + 1j * b for a, b in zip(j, y)]
    if field == "TE":
        j, h = cylinders.slopes(j, x), cylinders.slopes(h, x)
    parts = [j[n] / h[n] for n in range(orders)]
    return 2 / x * (parts[0] + 2 * sum(parts[1:])).real


def sphere(nm):
    """Q_ext of a perfectly conducting sphere."""
    x = 2 * math.pi * RADIUS / nm
    orders = int(x + 4 * x ** (1 / 3) + 8)
    (psi, dpsi), (xi, dxi) = series.regular(x, orders), series.outgoing(x, orders)
    return 2 / x ** 2 * sum((2 * n + 1) * (dpsi[n] / dxi[n] + psi[n] / xi[n]).real for n in range(1, orders + 1))


def worst(got, exact):
    return max(abs(got[nm] / exact(nm) - 1) for nm in got)


def cylinder_jobs(cell, places, pad):
    """Both fields at each place {name: shift in cells}."""
    return {field + name: scenes.across_cylinder("pec", RADIUS, cell, at, field, WAVELENGTHS, "violet", pad=pad)
            for field in ("TE", "TM") for name, at in places.items()}


def cylinder_errors(results):
    found = {"TE ext": 0, "TM ext": 0}
    for name, result in results.items():
        got = {nm: v / (2 * RADIUS) for nm, v in result["C_ext_nm"].items()}
        field = name[:2]
        found[f"{field} ext"] = max(found[f"{field} ext"], worst(got, lambda nm, field=field: cylinder(nm, field)))
    return found


def sphere_job(cell, at, pad, order):
    return scenes.scattering(scenes.painted(scenes.sphere("pec", RADIUS)), RADIUS, cell, at, WAVELENGTHS, "violet",
                             RADIUS, order, pad=pad)
