#!/usr/bin/env python3
"""Poles of the transmission of the slab of slab.cfg at normal incidence, by rigorous coupled waves: frequencies, c / a,
and Q of its guided resonances that light along the normal excites.

The complex transmission at real frequencies is made by grcwa 0.1.2 (PyPI), its poles are those of the rational function
through it (AAA: Nakatsukasa, Sete and Trefethen, SIAM J. Sci. Comput. 40, A1494, 2018). Needs numpy, scipy, grcwa.

Usage: poles.py [HARMONICS ...]
"""
import sys

import grcwa
import numpy as np
import scipy.linalg

EPS, RADIUS, THICKNESS, POINTS, PARTS = 12.0, 0.2, 0.5, 200, 8


def permittivity():
    """Of a cell, each point the mean of PARTS x PARTS in it."""
    x = (np.arange(POINTS) + 0.5) / POINTS - 0.5
    shift = ((np.arange(PARTS) + 0.5) / PARTS - 0.5) / POINTS
    hole = sum(np.add.outer((x + a)**2, (x + b)**2) < RADIUS**2 for a in shift for b in shift) / PARTS**2
    return (EPS - (EPS - 1) * hole).flatten()


def transmission(frequency, harmonics, eps):
    """The amplitude of order 0 and the number of harmonics in use."""
    cell = grcwa.obj(harmonics, [1.0, 0.0], [0.0, 1.0], frequency, 0.0, 0.0, verbose=0)
    cell.Add_LayerUniform(1.0, 1.0)
    cell.Add_LayerGrid(THICKNESS, POINTS, POINTS)
    cell.Add_LayerUniform(1.0, 1.0)
    cell.Init_Setup()
    cell.GridLayer_geteps(eps)
    cell.MakeExcitationPlanewave(0, 0, 1, 0, order=0)
    waves = np.asarray(cell.GetAmplitudes(2, 0.1)[0])
    zero = waves[[0, cell.nG]]  # of both polarisations, one of which is 0
    return zero[np.argmax(abs(zero))], cell.nG


def poles(x, y, most=14):
    """Of a rational function through y at x."""
    rest, at, value, r = np.ones(len(x), bool), [], [], np.full(len(x), y.mean())
    for _ in range(most):
        j = np.argmax(abs(y - r) * rest)
        at, value = at + [x[j]], value + [y[j]]
        rest[j] = False
        cauchy = 1 / np.subtract.outer(x[rest], at)
        weight = np.linalg.svd(np.subtract.outer(y[rest], value) * cauchy, full_matrices=False)[2][-1].conj()
        r = y.copy()
        r[rest] = (cauchy @ (weight * np.array(value))) / (cauchy @ weight)
        if abs(y - r).max() < 1e-10:
            break
    n = len(at)
    arrow, unit = np.zeros((n + 1, n + 1), complex), np.diag([0.0] + [1.0] * n)
    arrow[0, 1:], arrow[1:, 0], arrow[1:, 1:] = weight, 1, np.diag(at)
    found = scipy.linalg.eigvals(arrow, unit)
    return found[np.isfinite(found)]


def main():
    frequency = np.unique(np.concatenate([np.linspace(0.25, 0.56, 50), np.linspace(0.375, 0.392, 12),
                                          np.linspace(0.515, 0.54, 12)]))
    eps = permittivity()
    for harmonics in map(int, sys.argv[1:] or ["49", "101"]):
        made = [transmission(f, harmonics, eps) for f in frequency]
        found = poles(frequency, np.array([m[0] for m in made]))
        found = sorted(found[(found.real > 0.3) & (found.real < 0.56) & (found.imag < 0)], key=lambda p: p.real)
        print(made[0][1], *(f"{p.real:.5f} Q {-p.real / 2 / p.imag:.1f}" for p in found
                            if p.imag > -0.02), flush=True)


if __name__ == "__main__":
    main()
