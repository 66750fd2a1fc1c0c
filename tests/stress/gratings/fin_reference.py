#!/usr/bin/env python3
"""Reference of jobs/hologram-cell: a fin along the axes, by two-dimensional coupled waves.

    fin_reference.py [--orders 6 9 12 15 18]

A box of titania, 100 x 240 x 800 nm, in a square lattice of 340 nm on glass, light of 633 nm from the glass: the method
of pillars_reference.py. The fin's sides lie along the axes, so D follows from E by the inverse of the matrix of 1 / eps
along the component's own axis and by that of eps along the other one (Li, J. Opt. Soc. Am. A 14, 2758, 1997). Circular
light is half light along x and half along y: what is turned around has (t_x - t_y) / 2. Prints T along x and along y,
the powers that are turned around and that are not, and R + T, for each number of orders."""
import argparse
import math

import numpy as np

import pillars_reference as waves

SIZE, TITANIA = (100.0, 240.0), 2.4  # nm along x, y; index

waves.PERIOD, waves.HEIGHT, waves.WAVELENGTH, waves.GLASS = 340.0, 800.0, 633.0, 1.46
waves.K0 = 2 * math.pi / waves.WAVELENGTH
waves.GRATING = 2 * math.pi / waves.PERIOD / waves.K0


def interval(orders, width, letter):
    """The matrix of the product with 1 in the middle `width` of the period, 0 outside, for sums of cosines or sines."""
    index = np.arange(-2 * orders, 2 * orders + 1)
    c = np.sinc(index * width / waves.PERIOD) * width / waves.PERIOD
    m, sign = waves.numbers(orders, letter), 1 if letter == "c" else -1
    total = c[m[:, None] - m[None, :] + 2 * orders] + sign * c[m[:, None] + m[None, :] + 2 * orders]
    return total * np.where((m == 0) & (letter == "c"), 0.5, 1.0)[:, None]


def permittivity(orders, size):
    """The matrices of waves.permittivity, of a fin."""
    def across(width, letter):  # less that of air
        one = np.eye(len(waves.numbers(orders, letter)))
        return np.linalg.inv(one + (TITANIA ** -2 - 1) * interval(orders, width, letter)) - one
    along = {(axis, letter): interval(orders, size[axis], letter) for axis in (0, 1) for letter in "cs"}
    xx = np.eye((orders + 1) ** 2) + np.kron(across(size[0], "c"), along[1, "c"])
    yy = np.eye(orders ** 2) + np.kron(along[0, "s"], across(size[1], "s"))
    zz = np.eye(orders * (orders + 1)) + (TITANIA ** 2 - 1) * np.kron(along[0, "s"], along[1, "c"])
    return xx, np.zeros((len(xx), len(yy))), np.zeros((len(yy), len(xx))), yy, np.linalg.inv(zz)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--orders", type=int, nargs="+", default=[6, 9, 12, 15, 18])
    waves.permittivity = permittivity
    alone = 2 * waves.GLASS / (waves.GLASS + 1)
    print("| orders | T along x | along y | turned around | not | R + T |\n|---|---|---|---|---|---|")
    for orders in parser.parse_args().orders:
        power_x, x, both = waves.solve(SIZE, orders)
        power_y, y, other = waves.solve(SIZE[::-1], orders)
        turned, kept = (abs(alone * t / 2) ** 2 / waves.GLASS for t in (x - y, x + y))
        print(f"| {orders} | {power_x:.5f} | {power_y:.5f} | {turned:.5f} | {kept:.5f} | {both:.6f}, {other:.6f} |",
              flush=True)


if __name__ == "__main__":
    main()
