#!/usr/bin/env python3
"""Extinction and absorption of two parallel wires in light across them, E in their plane, by sums of cylindrical waves
that each scatters again (Graf's addition theorem): the figures of theory of job dimer in docs/user/gallery.md.

    python3 tests/stress/gallery/wires.py             # of job dimer

Widths in nm, time as exp(-i w t). Needs numpy and scipy.
"""
import numpy as np
from scipy.special import hankel1, jv

EV = 1239.841984  # nm
# Rakic et al., Appl. Opt. 37, 5271 (1998), gold: share, collision rate, resonance in eV; plasma frequency in eV.
GOLD, PLASMA = ((0.760, 0.053, 0.0), (0.024, 0.241, 0.415), (0.010, 0.345, 0.830), (0.071, 0.870, 2.969),
                (0.601, 2.494, 4.304), (4.384, 2.214, 13.32)), 9.03


def gold(nm):
    e = EV / nm
    return 1 + sum(f * PLASMA**2 / (w**2 - e**2 - 1j * e * g) for f, g, w in GOLD)


def slope(function, n, x):
    return 0.5 * (function(n - 1, x) - function(n + 1, x))


def scattering(nm, eps, radius, distance, most=10):
    """C_ext, C_sca per length of wires `distance` apart along x, light along y."""
    k, n = 2 * np.pi / nm, np.arange(-most, most + 1)
    x, m = k * radius, np.sqrt(eps + 0j)
    inside = slope(jv, n, m * x) / (m * jv(n, m * x))
    t = -(slope(jv, n, x) - inside * jv(n, x)) / (slope(hankel1, n, x) - inside * hankel1(n, x))
    incident = np.exp(1j * n * (0.5 * np.pi - 0.5 * np.pi))  # i^n exp(-i n angle) of the direction, 90 degrees
    size = len(n)
    system, right = np.eye(2 * size, dtype=complex), np.concatenate([t * incident, t * incident])
    for to in range(2):
        phi = 0.0 if to else np.pi  # from the other wire
        hop = hankel1(n[None, :] - n[:, None], k * distance) * np.exp(1j * (n[None, :] - n[:, None]) * phi)
        other = 1 - to
        system[to * size:(to + 1) * size, other * size:(other + 1) * size] = -t[:, None] * hop
    b = np.linalg.solve(system, right).reshape(2, size)

    def far(angle):
        places = np.array([-0.5, 0.5]) * distance * np.cos(angle)
        return (np.exp(-1j * k * places)[:, None] * b * (-1j) ** n * np.exp(1j * n * angle)).sum()

    angles = np.linspace(0, 2 * np.pi, 721)[:-1]
    return -4 / k * far(0.5 * np.pi).real, 4 / k * np.mean([abs(far(a))**2 for a in angles])


def main():
    print("| nm | C_ext, nm | C_abs, nm |\n|---|---|---|")
    for nm in range(500, 801, 50):
        ext, sca = scattering(nm, gold(nm), 40.0, 100.0)
        print("| %d | %.2f | %.2f |" % (nm, ext, ext - sca))


if __name__ == "__main__":
    main()
