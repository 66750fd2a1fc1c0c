"""Spheres of concentric layers in vacuum: efficiencies by Mie's series, decay rates of dipoles beside them.

Notation of Bohren and Huffman, time dependence exp(-i w t). psi(z) = z j_n(z), xi(z) = z h_n(z) (first kind).
Lengths in nm. Standard library only.
"""
import cmath
import math


def regular(z, orders):
    """Lists of psi_n(z) and its derivative for n = 0 .. orders; ratios by downward recurrence."""
    start = orders + int(abs(z)) + 30
    ratio = [0j] * (start + 1)  # psi_n / psi_(n-1)
    for n in range(start - 1, 0, -1):
        ratio[n] = 1 / ((2 * n + 1) / z - ratio[n + 1])
    psi = [cmath.sin(z)]
    for n in range(1, orders + 1):
        psi.append(ratio[n] * psi[-1])
    return psi, derivatives(psi, cmath.cos(z), z)


def outgoing(z, orders):
    """Lists of xi_n(z) and its derivative for n = 0 .. orders; upward recurrence, which is stable."""
    xi = [-1j * cmath.exp(1j * z), -cmath.exp(1j * z) * (1 + 1j / z)]
    for n in range(1, orders):
        xi.append((2 * n + 1) / z * xi[n] - xi[n - 1])
    return xi, derivatives(xi, cmath.exp(1j * z), z)


def derivatives(values, first, z):
    return [first] + [values[n - 1] - n / z * values[n] for n in range(1, len(values))]


def coefficients(layers, nm, orders):
    """a_n and b_n, n = 1 .. orders, of a sphere of layers ((outer radius, permittivity), ...), the core first.

    u = r times the radial function: u is continuous, and u'/eps (a_n) or u' (b_n)."""
    k0 = 2 * math.pi / nm
    slopes = None  # u'/(p u) at the inner side of the surface: of a_n with p = eps, of b_n with p = 1
    for i, (radius, eps) in enumerate(layers):
        k = k0 * cmath.sqrt(eps)
        found = []
        for electric in (True, False):
            p = eps if electric else 1
            if i == 0:
                psi, dpsi = regular(k * radius, orders)
                found.append([0] + [k * dpsi[n] / (p * psi[n]) for n in range(1, orders + 1)])
            else:
                inside = scattered(slopes[0 if electric else 1], k, p, layers[i - 1][0], orders)
                psi, dpsi = regular(k * radius, orders)
                xi, dxi = outgoing(k * radius, orders)
                found.append([0] + [k * (dpsi[n] - inside[n] * dxi[n]) / (p * (psi[n] - inside[n] * xi[n]))
                                    for n in range(1, orders + 1)])
        slopes = found
    radius = layers[-1][0]
    return scattered(slopes[0], k0, 1, radius, orders), scattered(slopes[1], k0, 1, radius, orders)


def scattered(slopes, k, p, radius, orders):
    """c_n of the field psi_n - c_n xi_n outside a surface at which u'/(p u) is slopes[n]; c_0 is 0."""
    psi, dpsi = regular(k * radius, orders)
    xi, dxi = outgoing(k * radius, orders)
    return [0] + [(k * dpsi[n] - p * slopes[n] * psi[n]) / (k * dxi[n] - p * slopes[n] * xi[n])
                  for n in range(1, orders + 1)]


def efficiencies(layers, nm, orders=None):
    """(Q_ext, Q_sca, Q_abs) of a layered sphere, over the area of its outer radius."""
    x = 2 * math.pi * layers[-1][0] / nm
    orders = orders or int(x + 4 * x ** (1 / 3) + 8)
    a, b = coefficients(layers, nm, orders)
    ext = 2 / x ** 2 * sum((2 * n + 1) * (a[n] + b[n]).real for n in range(1, orders + 1))
    sca = 2 / x ** 2 * sum((2 * n + 1) * (abs(a[n]) ** 2 + abs(b[n]) ** 2) for n in range(1, orders + 1))
    return ext, sca, ext - sca


def decay_rates(layers, distance, nm, orders=60):
    """Total decay rates over those in vacuum, (radial, tangential), of a dipole `distance` from the sphere's centre.

    Chew, J. Chem. Phys. 87, 1355 (1987); Kim, Leung and George, Surf. Sci. 195, 1 (1988)."""
    a, b = coefficients(layers, nm, orders)
    y = 2 * math.pi * distance / nm
    xi, dxi = outgoing(y, orders)
    radial = tangential = 0
    for n in range(1, orders + 1):
        radial += n * (n + 1) * (2 * n + 1) * (a[n] * xi[n] * xi[n]).real / y ** 4
        tangential += (2 * n + 1) * (a[n] * dxi[n] * dxi[n] + b[n] * xi[n] * xi[n]).real / y ** 2
    return 1 - 1.5 * radial, 1 - 0.75 * tangential


def radiated_rates(layers, distance, nm, orders=60):
    """Parts of the decay rates that leave as radiation, (radial, tangential); all of them where nothing absorbs."""
    a, b = coefficients(layers, nm, orders)
    y = 2 * math.pi * distance / nm
    (psi, dpsi), (xi, dxi) = regular(y, orders), outgoing(y, orders)
    radial = tangential = 0
    for n in range(1, orders + 1):
        radial += n * (n + 1) * (2 * n + 1) * abs((psi[n] - a[n] * xi[n]) / y ** 2) ** 2
        tangential += (2 * n + 1) * (abs((dpsi[n] - a[n] * dxi[n]) / y) ** 2 + abs((psi[n] - b[n] * xi[n]) / y) ** 2)
    return 1.5 * radial, 0.75 * tangential
