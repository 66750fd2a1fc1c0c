#!/usr/bin/env python3
"""Reference of pillars.py: transmission and phase of the pillars by two-dimensional coupled waves.

    pillars_reference.py [--diameters 120 160 200 240 280] [--orders 11 15 20 25]

Fourier modal method for one layer of round pillars in a square lattice at normal incidence, polarised along x, from the
glass. The two mirrors of the cell are used: Ex and Hy are sums of cos cos, Ey and Hx of sin sin, Ez of sin cos, Hz of
cos sin, so M orders along each axis stand for (2 M + 1)^2 waves and matrices of (M + 1)^2 + M^2. D follows from E by
the normals of the circle (Schuster et al., J. Opt. Soc. Am. A 24, 2880, 2007): of the part of E along them the inverse
of the matrix of 1 / eps, of the rest the matrix of eps; normals fade out away from the circle. Prints T, the phase of
t over that without a pillar, and R + T, for each number of orders.

Equations: lengths times k0 and h = i Z0 H make curl E = h, curl h = eps E, all real, so with u = (Ex, Ey), w = (hx, hy)
du/dz = P w, dw/dz = Q u."""
import argparse
import math

import numpy as np
from scipy.special import j1

PERIOD, HEIGHT, WAVELENGTH, SILICON, GLASS = 400.0, 500.0, 850.0, 3.67, 1.45  # nm, indices
K0 = 2 * math.pi / WAVELENGTH
GRATING = 2 * math.pi / PERIOD / K0  # a grating's wave number over k0


def numbers(orders, letter):
    """The numbers of a sum of cosines, "c", or of sines, "s"."""
    return np.arange(0 if letter == "c" else 1, orders + 1)


def disk(orders, diameter, inside, outside):
    """Coefficients -2 M ... 2 M, [m][n], of exp(i K (m x + n y)): a disk in the middle of the cell."""
    m, radius = np.arange(-2 * orders, 2 * orders + 1), diameter / 2
    k = 2 * math.pi / PERIOD * np.hypot(m[:, None], m[None, :])
    k[2 * orders, 2 * orders] = 1.0
    part = 2 * math.pi * radius * j1(k * radius) / (k * PERIOD ** 2)
    part[2 * orders, 2 * orders] = math.pi * radius ** 2 / PERIOD ** 2
    part *= inside - outside
    part[2 * orders, 2 * orders] += outside
    return part


def normals(orders, diameter):
    """The same of nx nx, nx ny, ny ny: radial at the circle, smoothly 0 in the middle and at the cell's walls."""
    points, radius = 1024, diameter / 2
    x = (np.arange(points) / points - 0.5) * PERIOD
    r = np.hypot(x[:, None], x[None, :])
    near = np.clip(np.where(r < radius, r / radius, (PERIOD / 2 - r) / (PERIOD / 2 - radius)), 0, 1)
    window = np.sin(0.5 * math.pi * np.sin(0.5 * math.pi * near) ** 2) ** 2
    r[r == 0] = 1.0
    nx, ny = x[:, None] / r, x[None, :] / r
    index = np.arange(-2 * orders, 2 * orders + 1)
    shift = (-1.0) ** (index[:, None] + index[None, :])  # x begins at -PERIOD / 2
    return [(np.fft.fft2(window * product)[np.ix_(index, index)] * shift).real / points ** 2
            for product in (nx * nx, nx * ny, ny * ny)]


def product(c, rows, columns):
    """The matrix of the product with a function of coefficients c, from one sum to another: "cc", "ss", "sc".

    cos = (e + e*) / 2, sin = (e - e*) / 2i: an entry is a sum over the signs of the column's two e. A cosine of m > 0
    has twice e_m's coefficient, one of 0 it once; i * i of the sines of both axes together is -1."""
    orders = (len(c) - 1) // 4
    (m, n), (p, q) = ([numbers(orders, letter) for letter in kind] for kind in (rows, columns))
    total = 0.0
    for sp in (1, -1):
        for sq in (1, -1):
            sign = (sp if columns[0] == "s" else 1) * (sq if columns[1] == "s" else 1)
            at_x, at_y = m[:, None] - sp * p[None, :] + 2 * orders, n[:, None] - sq * q[None, :] + 2 * orders
            total = total + sign * c[at_x[:, None, :, None], at_y[None, :, None, :]]
    half = [np.where(number == 0, 0.5, 1.0) if letter == "c" else np.ones(len(number))
            for number, letter in zip((m, n), rows)]
    total = total * np.outer(*half)[:, :, None, None] * (1 if rows == columns else -1)
    return total.reshape(len(m) * len(n), len(p) * len(q))


def derivative(orders, axis, source):
    """d/dx or d/dy over k0 of a sum, to the sum that it is: the matrix."""
    other = {"c": "s", "s": "c"}
    target = other[source[0]] + source[1] if axis == 0 else source[0] + other[source[1]]
    place = [{at: i for i, at in enumerate((m, n) for m in numbers(orders, kind[0]) for n in numbers(orders, kind[1]))}
             for kind in (target, source)]
    d = np.zeros((len(place[0]), len(place[1])))
    for at, i in place[1].items():
        if at in place[0]:
            d[place[0][at], i] = GRATING * at[axis] * (-1 if source[axis] == "c" else 1)
    return d


def permittivity(orders, diameter):
    """The matrices Ex -> Dx, Ey -> Dx, Ex -> Dy, Ey -> Dy, and that of the inverse for Ez."""
    eps, inverse = disk(orders, diameter, SILICON ** 2, 1.0), disk(orders, diameter, SILICON ** -2, 1.0)
    own = {kind: product(eps, kind, kind) for kind in ("cc", "ss")}
    delta = {kind: own[kind] - np.linalg.inv(product(inverse, kind, kind)) for kind in ("cc", "ss")}
    nxx, nxy, nyy = normals(orders, diameter)
    nxx, nxy, nyy = product(nxx, "cc", "cc"), product(nxy, "cc", "ss"), product(nyy, "ss", "ss")
    xx = own["cc"] - 0.5 * (delta["cc"] @ nxx + nxx @ delta["cc"])
    yy = own["ss"] - 0.5 * (delta["ss"] @ nyy + nyy @ delta["ss"])
    xy = -0.5 * (delta["cc"] @ nxy + nxy @ delta["ss"])
    square = {kind: np.outer(*[np.where(numbers(orders, k) == 0, 1.0, 0.5) for k in kind]).ravel()
              for kind in ("cc", "ss")}  # means of the functions' squares: xy and yx are adjoint
    yx = (xy * square["cc"][:, None] / square["ss"][None, :]).T
    return xx, xy, yx, yy, np.linalg.inv(product(eps, "sc", "sc"))


def electric(orders, xx, xy, yx, yy):
    """Q: (hx, hy)' = Q (Ex, Ey)."""
    dx, dy = (lambda kind: derivative(orders, 0, kind)), (lambda kind: derivative(orders, 1, kind))
    return np.block([[yx - dx("cs") @ dy("cc"), yy + dx("cs") @ dx("ss")],
                     [-xx - dy("cs") @ dy("cc"), -xy + dy("cs") @ dx("ss")]])


def forward(square):
    """Wave numbers over k0 of waves that travel or fall off ahead."""
    beta = np.sqrt(square.astype(complex))
    beta[beta.imag < 0] *= -1
    return beta


def open_space(orders, index):
    """The matrix (hx, hy) of (Ex, Ey) of waves ahead in a uniform medium."""
    cc, ss = (orders + 1) ** 2, orders ** 2
    across = np.concatenate([np.add.outer(numbers(orders, k) ** 2, numbers(orders, k) ** 2).ravel() for k in "cs"])
    q = electric(orders, index ** 2 * np.eye(cc), np.zeros((cc, ss)), np.zeros((ss, cc)), index ** 2 * np.eye(ss))
    return q / (1j * forward(index ** 2 - GRATING ** 2 * across))


def solve(diameter, orders):
    """T, t over that without a pillar, R + T."""
    cc, n = (orders + 1) ** 2, (orders + 1) ** 2 + orders ** 2
    dx, dy = (lambda kind: derivative(orders, 0, kind)), (lambda kind: derivative(orders, 1, kind))
    xx, xy, yx, yy, z = permittivity(orders, diameter)
    p = np.block([[-dx("sc") @ z @ dy("ss"), np.eye(cc) + dx("sc") @ z @ dx("cc")],
                  [-np.eye(n - cc) - dy("sc") @ z @ dy("ss"), dy("sc") @ z @ dx("cc")]])
    q = electric(orders, xx, xy, yx, yy)
    square, w = np.linalg.eig(p @ q)
    beta = forward(-square)
    v, x = q @ w / (1j * beta), np.exp(1j * beta * K0 * HEIGHT)
    glass, air, one, none = open_space(orders, GLASS), open_space(orders, 1.0), np.eye(n), np.zeros((n, n))
    incident = np.zeros(n, dtype=complex)
    incident[0] = 1
    # reflected, up and down in the layer, transmitted
    matrix = np.block([[-one, w, w * x, none], [glass, v, -v * x, none], [none, w * x, w, -one],
                       [none, v * x, -v, -air]])
    found = np.linalg.solve(matrix, np.concatenate([incident, glass @ incident, np.zeros(2 * n)]))
    r, t = found[0], found[3 * n]
    alone = 2 * GLASS / (GLASS + 1) * np.exp(1j * K0 * HEIGHT)
    power = abs(t) ** 2 / GLASS
    return power, t / alone, power + abs(r) ** 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--diameters", type=float, nargs="+", default=[120, 160, 200, 240, 280])
    parser.add_argument("--orders", type=int, nargs="+", default=[11, 15, 20, 25])
    args = parser.parse_args()
    print("| diameter, nm | orders | T | phase | R + T |\n|---|---|---|---|---|")
    for diameter in args.diameters:
        for orders in args.orders:
            power, ratio, both = solve(diameter, orders)
            print(f"| {diameter:g} | {orders} | {power:.5f} | {np.angle(ratio):+.4f} | {both:.6f} |", flush=True)


if __name__ == "__main__":
    main()
