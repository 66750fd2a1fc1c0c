#!/usr/bin/env python3
"""The resonance of a point defect in a finite crystal of rods, exactly: jobs/crystal-cavity.

    python3 tests/stress/crystal/cavity.py [--side 9] [--orders 2 3 4]

Rods (permittivity 8.9, radius 0.2 periods, E along them) on a square of `side` rods without its middle one, in vacuum.
Each scatters cylindrical waves H_m of orders -M ... M; by Graf's theorem (Abramowitz and Stegun 9.1.79) what reaches a
rod from another is a sum of J_n around it. A resonance is a complex wave number k at which the fields exist without a
source: the matrix 1 - T G has the eigenvalue 0, found by the secant method. Prints the frequency [c / period],
Q = Re k / (-2 Im k), the residue, for each M."""
import argparse
import math

import numpy as np
from scipy.special import hankel1, jv, h1vp, jvp

EPS, RADIUS = 8.9, 0.2  # periods


def response(k, orders):
    """Amplitudes of the scattered waves of a rod for incident J_m of amplitude 1."""
    m, n = np.arange(-orders, orders + 1), math.sqrt(EPS)
    x, y = k * RADIUS, n * k * RADIUS
    inner, slope = jv(m, y), n * jvp(m, y)
    return -(jvp(m, x) * inner - jv(m, x) * slope) / (h1vp(m, x) * inner - hankel1(m, x) * slope)


def matrix(k, places, orders):
    """1 - T G."""
    m = np.arange(-orders, orders + 1)
    apart = places[:, None, :] - places[None, :, :]  # from rod j to rod i
    distance, angle = np.hypot(apart[..., 0], apart[..., 1]), np.arctan2(apart[..., 1], apart[..., 0])
    np.fill_diagonal(distance, 1.0)
    order = m[None, :] - m[:, None]  # of the column's wave less that of the row's
    shape = (len(places), 1, len(places), 1)
    g = hankel1(order[None, :, None, :], (k * distance).reshape(shape)) * \
        np.exp(1j * order[None, :, None, :] * angle.reshape(shape))
    for i in range(len(places)):
        g[i, :, i, :] = 0
    size = len(places) * len(m)
    return np.eye(size) - np.tile(response(k, orders), len(places))[:, None] * g.reshape(size, size)


def smallest(k, places, orders):
    """The eigenvalue next to 0 of the matrix."""
    values = np.linalg.eigvals(matrix(k, places, orders))
    return values[np.argmin(abs(values))]


def resonance(places, orders, guess):
    """The wave number and what is left of the eigenvalue."""
    a, b = guess, guess * (1 + 1e-4)
    fa, fb = smallest(a, places, orders), smallest(b, places, orders)
    for _ in range(30):
        a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        fb = smallest(b, places, orders)
        if abs(b - a) < 1e-13 * abs(b) or abs(fb) < 1e-14:
            break
    return b, abs(fb)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--side", type=int, default=9)
    parser.add_argument("--orders", type=int, nargs="+", default=[2, 3, 4])
    parser.add_argument("--guess", type=float, default=0.385, help="frequency [c / period]")
    args = parser.parse_args()
    half = args.side // 2
    places = np.array([(x, y) for x in range(-half, half + 1) for y in range(-half, half + 1) if (x, y) != (0, 0)],
                      dtype=float)
    for orders in args.orders:
        k, rest = resonance(places, orders, complex(2 * math.pi * args.guess, -1e-4))
        print(f"{orders}: frequency {k.real / 2 / math.pi:.7f} c / period, Q {-k.real / 2 / k.imag:.2f}, "
              f"residue {rest:.1e}")


if __name__ == "__main__":
    main()
