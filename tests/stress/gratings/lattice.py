#!/usr/bin/env python3
"""What a grid alone makes of a binary grating, E along the ridges: the grid's equations at one frequency, solved.

Period 1000 nm, ridges of 500 x 500 nm, index 1.5 on 1.5, light of 632.8 nm from the air at 20 degrees. Each line: cells
a period and in the ridge's height, where the ridge's edges lie between nodes, the order that is most off from rigorous
coupled waves, and by how much. The run in time has the same numbers (docs/measurements/oblique.md), so what is left is
neither its length nor its layers.

Usage: lattice.py [NX,NZ ...]
"""
import sys

import numpy as np

from coupled_waves import forward, match

WAVELENGTH, PERIOD, HEIGHT, INDEX, ANGLE = 632.8, 1000.0, 500.0, 1.5, np.radians(20)
K0 = 2 * np.pi / WAVELENGTH


def coupled_waves(most=60):
    """Powers (R, T) of the orders -most to most."""
    m = np.arange(-most, most + 1)
    kx = K0 * np.sin(ANGLE) + 2 * np.pi * m / PERIOD
    above, below = forward(K0**2 - kx**2), forward((K0 * INDEX)**2 - kx**2)
    d = m[:, None] - m[None, :]
    eps = np.eye(len(m)) + (INDEX**2 - 1) * 0.5 * np.sinc(0.5 * d)
    square, field = np.linalg.eig(np.diag(kx**2) - K0**2 * eps)
    q = np.sqrt(square + 0j)
    r, t = match(above, below, field, field @ np.diag(q), np.exp(-q * HEIGHT))
    unit = above[most].real
    return dict(zip(m, zip(abs(r)**2 * above.real / unit, abs(t)**2 * below.real / unit)))


def solve_rows(diagonal, right, coupling):
    """A block tridiagonal system whose off-diagonal blocks are the same number."""
    factor, value = [], []
    for k, matrix in enumerate(diagonal):
        a = matrix - coupling * factor[-1] if k else matrix
        b = right[k] - coupling * value[-1] if k else right[k]
        both = np.linalg.solve(a, np.column_stack([coupling * np.eye(len(b)), b]))
        factor.append(both[:, :-1])
        value.append(both[:, -1])
    field = [value[-1]]
    for k in range(len(diagonal) - 2, -1, -1):
        field.insert(0, value[k] - factor[k] @ field[0])
    return field


def grid(nx, nz):
    """Powers (R, T) of the orders on the grid: order 2, subpixel averages, Courant number 0.9, nodes on the top and
    foot of the ridge."""
    dx, dz = PERIOD / nx, HEIGHT / nz
    dt = 0.9 / np.sqrt(1 / dx**2 + 1 / dz**2)
    omega = 2 / dt * np.sin(K0 * dt / 2)
    m = np.arange(-(nx // 2), nx - nx // 2)
    kx = K0 * np.sin(ANGLE) + 2 * np.pi * m / PERIOD
    across = (2 / dx * np.sin(kx * dx / 2))**2
    kz = [forward((2 / dz * np.arcsin(dz / 2 * forward((omega * n)**2 - across)))**2) for n in (1, INDEX)]
    x = np.arange(nx) * dx
    part = np.clip((np.minimum(x + dx / 2, 0.75 * PERIOD) - np.maximum(x - dx / 2, 0.25 * PERIOD)) / dx, 0, 1)
    waves = np.exp(1j * np.outer(x, kx))
    back = waves.conj().T / nx
    diagonal, right = [], [np.zeros(nx, complex) for _ in range(nz + 1)]
    for k in range(nz + 1):
        beside = 1 if k == 0 else INDEX**2
        eps = 1 + part * (INDEX**2 - 1)
        eps = (eps + beside) / 2 if k in (0, nz) else eps
        diagonal.append(-(waves * across) @ back + np.diag(omega**2 * eps - 2 / dz**2))
    diagonal[0] = diagonal[0] + (waves * np.exp(1j * kz[0] * dz)) @ back / dz**2
    diagonal[-1] = diagonal[-1] + (waves * np.exp(1j * kz[1] * dz)) @ back / dz**2
    q = kz[0][nx // 2]
    right[0] = waves[:, nx // 2] * (np.exp(1j * q * dz) - np.exp(-1j * q * dz)) / dz**2
    field = solve_rows(diagonal, right, 1 / dz**2)
    r, t = back @ field[0] - (m == 0), back @ field[-1]
    flow = [np.where(abs(k.imag) < 1e-12, np.sin(k * dz).real, 0) for k in kz]
    unit = flow[0][nx // 2]
    return dict(zip(m, zip(abs(r)**2 * flow[0] / unit, abs(t)**2 * flow[1] / unit)))


def main():
    exact = coupled_waves()
    sizes = [tuple(map(int, a.split(","))) for a in sys.argv[1:]] or [
        (36, 16), (66, 32), (72, 32), (36, 18), (72, 36), (34, 17), (66, 33), (30, 15), (54, 27), (90, 45)]
    for nx, nz in sizes:
        found = grid(nx, nz)
        off = {f"{'RT'[i]}{m}": found[m][i] - p[i] for m, p in exact.items() for i in (0, 1) if p[i] > 1e-9}
        worst = max(off, key=lambda name: abs(off[name]))
        print(f"{nx:4d} x {nz:3d}   edges at {nx / 4 % 1:.2f}   {worst} {off[worst]:+.2e}", flush=True)


if __name__ == "__main__":
    main()
