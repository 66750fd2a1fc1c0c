"""Reflection and transmission of films in vacuum: plane waves, and the beam of a row of line dipoles in two dimensions.

Time dependence exp(-i w t), lengths in nm. Standard library only.
"""
import cmath
import math


def amplitudes(eps, thickness, nm, sine=0.0):
    """(r, t) of E at a film for a wave at the angle whose sine is given, E in the plane of incidence.

    r is that of the tangential E, t refers both amplitudes to the surfaces of the film."""
    k0 = 2 * math.pi / nm
    outside, inside = cmath.sqrt(1 - sine * sine), cmath.sqrt(eps - sine * sine)
    if inside.imag < 0:
        inside = -inside
    z0, z1 = outside, inside / eps  # tangential E over tangential H
    rho = (z1 - z0) / (z1 + z0)
    turn = cmath.exp(1j * k0 * thickness * inside)
    bottom = 1 - (rho * turn) ** 2
    return rho * (1 - turn * turn) / bottom, (1 - rho * rho) * turn / bottom


def powers(eps, thickness, nm, sine=0.0):
    """(R, T)."""
    r, t = amplitudes(eps, thickness, nm, sine)
    return abs(r) ** 2, abs(t) ** 2


def beam_powers(eps, thickness, nm, row, steps=2000):
    """(R, T) of the beam of a row of line currents ((place along the film, amplitude), ...) parallel to the film.

    A current of spectrum J(q) sends the power |J|^2 kz to either side; |q| < k0 propagates. What R and T leave is
    absorbed. The film is wider than the beam, and the row so far from it that no evanescent wave reaches it."""
    k0 = 2 * math.pi / nm
    sums = [0.0, 0.0, 0.0]
    for i in range(steps):  # q = k0 sin(angle): weights cos^2 d(angle), trapezium rule of a periodic function
        angle = math.pi * ((i + 0.5) / steps - 0.5)
        sine = math.sin(angle)
        current = abs(sum(a * cmath.exp(-1j * k0 * sine * s) for s, a in row)) ** 2
        weight = current * math.cos(angle) ** 2
        r, t = powers(eps, thickness, nm, sine)
        for j, value in enumerate((1, r, t)):
            sums[j] += weight * value
    return sums[1] / sums[0], sums[2] / sums[0]
