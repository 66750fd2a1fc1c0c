"""Cross-sections of a spheroid in vacuum by the null-field method (extended boundary condition, T-matrix).

Waterman's method for a body of revolution about z. The field inside is a sum of regular vector waves X_nu(k1 r),
n <= orders. With a test wave Y the integral  int dS n . (E x curl Y - Y x curl E)  is, for outgoing waves Y, the
coefficients of the incident field, and for regular ones minus those of the scattered field, both times one constant,
because the waves are normalised. Orders m about the axis decouple. Time dependence exp(-i w t), lengths in nm. Standard
library only; a tenth of a second a wavelength.
"""
import cmath
import math

import series


def gauss(count):
    """Nodes and weights of Gauss and Legendre's rule on -1 .. 1."""
    nodes, weights = [], []
    for i in range(count):
        x = math.cos(math.pi * (i + 0.75) / (count + 0.5))
        for _ in range(100):
            p, before = 1.0, 0.0
            for n in range(1, count + 1):
                p, before = ((2 * n - 1) * x * p - (n - 1) * before) / n, p
            slope = count * (x * p - before) / (x * x - 1)
            x -= p / slope
            if abs(p / slope) < 1e-15:
                break
        nodes.append(x)
        weights.append(2 / ((1 - x * x) * slope * slope))
    return nodes, weights


def angular(m, orders, x):
    """For n = max(m, 1) .. orders: (n, P, dP/dtheta, m P/sin theta), normalised so that the transverse vector
    functions have norm 1 over the sphere. x = cos theta."""
    s = math.sqrt(1 - x * x)
    p, before = s ** m * math.prod(range(1, 2 * m, 2)), 0.0  # P_m^m without (-1)^m
    found = []
    for n in range(m, orders + 1):
        if n > m:
            p, before = ((2 * n - 1) * x * p - (n + m - 1) * before) / (n - m), p
        if n == 0:
            continue
        norm = math.sqrt((2 * n + 1) / (4 * math.pi * n * (n + 1)) * math.factorial(n - m) / math.factorial(n + m))
        slope = (n * x * p - (n + m) * before) / s
        found.append((n, norm * p, norm * slope, norm * m * p / s))
    return found


def waves(radial, z, functions, sign):
    """The vectors M and N, each with components (r, theta, phi), for each n; radial = (z f_n(z), its derivative)."""
    u, du = radial
    m_waves, n_waves = [], []
    for n, p, slope, turn in functions:
        f, g = u[n] / z, du[n] / z
        m_waves.append((0, 1j * sign * turn * f, -slope * f))
        n_waves.append((n * (n + 1) * f / z * p, slope * g, 1j * sign * turn * g))
    return m_waves, n_waves


def matrices(m, axial, radius, eps, nm, orders, points):
    """(Q, RgQ) of the order m about the axis, lists of rows; unknowns M first, then N."""
    k, root = 2 * math.pi / nm, cmath.sqrt(eps)
    size = 2 * (orders - max(m, 1) + 1)
    q, regular_q = ([[0j] * size for _ in range(size)] for _ in range(2))
    for x, weight in zip(*gauss(points)):
        s2 = 1 - x * x
        r = 1 / math.sqrt(x * x / axial ** 2 + s2 / radius ** 2)
        slope = r ** 2 * x * math.sqrt(s2) * (1 / axial ** 2 - 1 / radius ** 2)  # r'/r
        normal = (weight * r * r, -weight * r * r * slope)
        functions = angular(m, orders, x)
        inside = waves(series.regular(k * root * r, orders), k * root * r, functions, 1)
        fields = [(e, tuple(k * root * c for c in h)) for e, h in
                  list(zip(*inside)) + list(zip(inside[1], inside[0]))]
        for target, radial in ((q, series.outgoing(k * r, orders)), (regular_q, series.regular(k * r, orders))):
            tests = waves(radial, k * r, functions, -1)
            tests = [(e, tuple(k * c for c in h)) for e, h in list(zip(*tests)) + list(zip(tests[1], tests[0]))]
            for row, (y, curl_y) in zip(target, tests):
                for j, (e, curl_e) in enumerate(fields):
                    row[j] += flux(normal, e, curl_y) - flux(normal, y, curl_e)
    return q, regular_q


def flux(normal, a, b):
    """n . (a x b), n = (n_r, n_theta)."""
    return normal[0] * (a[1] * b[2] - a[2] * b[1]) + normal[1] * (a[2] * b[0] - a[0] * b[2])


def solve(matrix, right):
    """x with matrix x = right, by Gauss's elimination with pivots."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    size = len(rows)
    for i in range(size):
        pivot = max(range(i, size), key=lambda j: abs(rows[j][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for j in range(i + 1, size):
            factor = rows[j][i] / rows[i][i]
            if factor:
                rows[j] = [b - factor * a for a, b in zip(rows[i], rows[j])]
    x = [0j] * size
    for i in reversed(range(size)):
        x[i] = (rows[i][size] - sum(rows[i][j] * x[j] for j in range(i + 1, size))) / rows[i][i]
    return x


def cross_sections(axial, radius, eps, nm, orders=10, points=40, across=True, most=3):
    """(C_ext, C_sca, C_abs) in nm^2 of a spheroid of semi-axes `axial` along z and `radius`.

    across: the wave travels along x with E along z, orders m up to `most`; else along z with E along x, m = 1."""
    ext = sca = 0.0
    for m in range(most + 1) if across else (1,):
        q, regular_q = matrices(m, axial, radius, eps, nm, orders, points)
        twice = 1 if m == 0 else 2  # -m has the same part
        if across:
            incident = [4 * math.pi * 1j ** n * 1j * turn for n, _, _, turn in angular(m, orders, 0.0)]
            incident += [4 * math.pi * 1j ** (n - 1) * -slope for n, _, slope, _ in angular(m, orders, 0.0)]
        else:  # m p/sin theta and dp/dtheta at theta = 0
            functions = [(n, math.sqrt((2 * n + 1) / (16 * math.pi))) for n in range(1, orders + 1)]
            incident = [4 * math.pi * 1j ** n * -1j * p for n, p in functions]
            incident += [4 * math.pi * 1j ** (n - 1) * p for n, p in functions]
        inside = solve(q, incident)
        out = [-sum(a * b for a, b in zip(row, inside)) for row in regular_q]
        ext -= twice * sum((a.conjugate() * p).real for a, p in zip(incident, out))
        sca += twice * sum(abs(p) ** 2 for p in out)
    k = 2 * math.pi / nm
    return ext / k ** 2, sca / k ** 2, (ext - sca) / k ** 2
