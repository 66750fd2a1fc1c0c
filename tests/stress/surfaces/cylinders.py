"""A cylinder in vacuum, a plane wave at right angles to its axis: efficiencies, over its diameter.

Bohren and Huffman, Absorption and Scattering of Light by Small Particles (1983), 8.4. Standard library only.
"""
import math

EULER = 0.57721566490153286


def bessel(z, orders):
    """J_n(z), n = 0 .. orders, by downward recurrence; z complex."""
    values = [0j] * (orders + int(abs(z)) + 40)
    values[-2] = 1e-200 + 0j
    for n in range(len(values) - 3, -1, -1):
        values[n] = 2 * (n + 1) / z * values[n + 1] - values[n + 2]
    total = values[0] + 2 * sum(values[2::2])
    return [v / total for v in values[: orders + 1]]


def neumann(x, orders):
    """Y_n(x), x real, by Neumann's series for n = 0 and 1 and upward recurrence."""
    j = [v.real for v in bessel(x, 60)]
    zero = 2 / math.pi * ((math.log(x / 2) + EULER) * j[0]
                          - 2 * sum((-1) ** k * j[2 * k] / k for k in range(1, 30)))
    # The Wronskian: J_1 Y_0 - J_0 Y_1 = 2 / (pi x).
    values = [zero, (j[1] * zero - 2 / (math.pi * x)) / j[0]]
    for n in range(1, orders):
        values.append(2 * n / x * values[n] - values[n - 1])
    return values


def slopes(values, z):
    """Derivatives for n = 0 .. len - 2."""
    return [-values[1]] + [values[n - 1] - n / z * values[n] for n in range(1, len(values) - 1)]


def efficiencies(radius, eps, nm, field):
    """(Q_ext, Q_sca). field: "TM", E along the axis, or "TE"."""
    x = 2 * math.pi * radius / nm
    m, orders = complex(eps) ** 0.5, int(x + 4 * x ** (1 / 3) + 10)
    inside, j, y = bessel(m * x, orders + 1), bessel(x, orders + 1), neumann(x, orders + 1)
    h = [a + 1j * b for a, b in zip(j, y)]
    inside_slope, j_slope, h_slope = slopes(inside, m * x), slopes(j, x), slopes(h, x)
    a, b = (1, m) if field == "TM" else (m, 1)
    parts = [(a * inside[n] * j_slope[n] - b * inside_slope[n] * j[n]) /
             (a * inside[n] * h_slope[n] - b * inside_slope[n] * h[n]) for n in range(orders)]
    ext = 2 / x * (parts[0] + 2 * sum(parts[1:])).real
    return ext, 2 / x * (abs(parts[0]) ** 2 + 2 * sum(abs(p) ** 2 for p in parts[1:]))
