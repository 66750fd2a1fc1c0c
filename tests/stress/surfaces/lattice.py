#!/usr/bin/python3
"""Reflection of static fields from a flat metal face on the lattice with nodes of metals (docs/design/metal-nodes.md).

    /usr/bin/python3 tests/stress/surfaces/lattice.py

Fields exp(i k x) along a face across z, potentials at nodes, E on edges; one metal beside vacuum. Prints, for a face at
four places in the cell, r(k) over (eps - 1)/(eps + 1), real and imaginary parts, and the part of a dipole's field that
is absorbed, 5 to 20 cells from the face, over the exact one: the integral of k^2 Im r exp(-2 k z). Needs numpy.
"""
import numpy as np


def share(weights, z):
    """Of the metal around a node at depth z [cells]; weights of the cubes below, at and above it."""
    return sum(w * np.clip(z + d + 0.5, 0, 1) for w, d in zip(weights, (-1, 0, 1)))


def reflect(chi, k, place, across, along, nodes=30, source=8):
    """r(k) referred to the face at z = place [cells]; chi: of the metal below it; across, along: weights of s and t.

    The normal lies along an axis, so the two halves of an edge have one field, and P and Q of its ends together are
    S chi / (1 + (1 - S) chi) of it, S the mean of s at its ends.
    """
    z = np.arange(-nodes, nodes + 1.0)
    s, t = share(across, place - z), share(along, place - z)
    bulk = (s > 1 - 1e-9) & (t > 1 - 1e-9)
    bulk[1:-1] &= bulk[2:] & bulk[:-2]
    mean = 0.5 * (s[1:] + s[:-1])
    kx, q = 2 * np.sin(k / 2), 2 * np.arcsinh(np.sin(k / 2))

    def solve(along, edges, below):
        """Potential at the source, of a unit charge there."""
        a = np.diag(kx ** 2 * along).astype(complex)
        for i, eps in enumerate(edges):
            a[i:i + 2, i:i + 2] += eps * np.array([[1, -1], [-1, 1]])
        a[0, 0] += (1 - np.exp(-q)) * below
        a[-1, -1] += 1 - np.exp(-q)
        charge = np.zeros(len(z))
        charge[nodes + source] = 1
        return np.linalg.solve(a, charge)[nodes + source]

    metal = solve(1 + chi * np.where(bulk, 1, np.cos(k / 2) ** 2 * t), 1 + mean * chi / (1 + (1 - mean) * chi), 1 + chi)
    vacuum = solve(np.ones(len(z)), np.ones(len(z) - 1), 1)
    return (1 - metal / vacuum) * np.exp(2 * q * (source - place))


def main():
    rules = {"in use": ((0.125, 0.75, 0.125), (0.15625, 0.6875, 0.15625)),
             "the cube of a cell alone": ((0, 1, 0), (0, 1, 0))}
    ks = np.linspace(0.02, 0.9, 23)
    for chi in (-5.2 + 0.3j, -15 + 1.1j):
        exact = chi / (chi + 2)
        for name, (across, along) in rules.items():
            for place in (0.001, 0.3, 0.5, 0.7):
                r = np.array([reflect(chi, k, place, across, along) for k in ks])
                low = [reflect(chi, k, place, across, along) for k in (0.01, 0.05, 0.1, 0.2)]
                rates = []
                for height in (5, 10, 13, 16, 20):
                    weight = ks ** 2 * np.exp(-2 * ks * height)
                    rates.append((weight * r.imag).sum() / weight.sum() / exact.imag)
                print(f"chi {chi:.3g}, {name}, face at {place:g}: k = 0.01, 0.05, 0.1, 0.2: " + ", ".join(
                    f"{x.real / exact.real:.3f} {x.imag / exact.imag:.3f}" for x in low) +
                    "; absorbed 5, 10, 13, 16, 20 cells away: " + ", ".join(f"{x:.2f}" for x in rates), flush=True)


if __name__ == "__main__":
    main()
