"""Bent slab guides, E across the plane, by the modes of the conformal map.

With u = R ln(r / R) the wave equation of E_z around the centre of curvature becomes that of a straight guide with the
index n exp(u / R) (M. Heiblum, J. H. Harris, IEEE J. Quantum Electron. 11, 75 (1975)), exactly:

    f'' + k^2 n^2 exp(2 u / R) f = beta^2 f,     E_z = f(u) exp(i beta R phi)

Light leaves where n exp(u / R) exceeds beta / k; the coordinate is complex beyond. Finite differences of second order;
faces lie half-way between points, or count by their share of a cell. All modes are found, guided and not: light that
the first junction sheds is still there at the second one. With unconjugated overlaps, t of each mode with that of the
straight guide, and without reflections (1e-6 here), what an arc leaves is |sum t^2 exp(i beta R angle)|^2."""
import numpy as np

STRETCH = 12.0  # of the coordinate in the layer where it is complex


def modes(radius, width, core, clad, wavelength, h):
    """beta [1/um] and E of all modes, r - R [um], weights du; radius None: straight."""
    k = 2 * np.pi / wavelength
    # Index and oscillations grow as exp(u / R): the layer begins soon behind the place where light leaves.
    outer = 3.0 if radius is None else max(1.2, radius * np.log(1.2 * core / clad), min(3.0, radius))
    layer = 3.0 if radius is None else min(3.0, radius)
    below = 3.0 if radius is None else min(3.0, 2.5 * radius)
    h = width / 2 / (round(width / 2 / h - 0.5) + 0.5)
    x = np.arange(-int(below / h), int((outer + layer) / h) + 1) * h
    depth = lambda v: np.clip((v - outer) / layer, 0, None)
    at, mid = 1 + 1j * STRETCH * depth(x) ** 2, np.append(x - h / 2, x[-1] + h / 2)
    between = 1 + 1j * STRETCH * depth(mid) ** 2
    u = x + 1j * STRETCH * layer / 3 * depth(x) ** 3
    if radius is None:
        edge, bent, place = [-width / 2, width / 2], 1, x
    else:
        edge = [radius * np.log(1 - width / 2 / radius), radius * np.log(1 + width / 2 / radius)]
        bent, place = np.exp(2 * u / radius), radius * np.expm1(x / radius)
    share = np.clip((np.minimum(x + h / 2, edge[1]) - np.maximum(x - h / 2, edge[0])) / h, 0, 1)
    eps = (clad**2 + (core**2 - clad**2) * share) * bent
    right, left = 1 / (between[1:] * at * h * h), 1 / (between[:-1] * at * h * h)
    matrix = np.diag(k * k * eps - right - left) + np.diag(right[:-1], 1) + np.diag(left[1:], -1)
    values, vectors = np.linalg.eig(matrix)
    beta = np.sqrt(values.astype(complex))
    return np.where(beta.imag < -1e-6 * np.abs(beta), -beta, beta), vectors, place, at * h


def bend(radius, angles, width, core, clad, wavelength, h):
    """Power behind arcs of these angles [degrees]; of 90 degrees alone what the bent guide's mode loses, and the
    mismatch 1 - |t|^2 of that mode at one junction."""
    b_s, e_s, x_s, w_s = modes(None, width, core, clad, wavelength, h)
    i = np.argmax(np.abs(b_s) * (np.abs(b_s.imag) < 1e-6))  # guided, the fundamental one
    b_s, e_s = b_s[i], e_s[:, i]
    b, e, x, w = modes(radius, width, core, clad, wavelength, h)
    straight = np.interp(x, x_s, e_s.real) + 1j * np.interp(x, x_s, e_s.imag)
    straight[np.abs(x) > 2.9] = 0
    # E_z H_r dr with H_r = beta R / r E_z and dr = r / R du
    overlap = 0.5 * ((straight * (1 + x / radius) * w * b_s) @ e + (straight * w) @ e * b)
    norm_s, norm = np.sum(e_s**2 * w_s) * b_s, (w @ e**2) * b
    t2 = overlap**2 / (norm_s * norm)
    power = [abs(np.sum(t2 * np.exp(1j * b * radius * np.radians(a)))) ** 2 for a in angles]
    i = np.argmax(np.abs(t2))
    return power, 1 - np.exp(-np.pi * radius * b[i].imag), 1 - abs(t2[i])


if __name__ == "__main__":
    for RADIUS in (1, 2, 5):
        for STEP in (0.03, 0.02, 0.014):
            print(RADIUS, STEP, *bend(RADIUS, (0, 90, 180), 0.5, 2.4, 1.444, 1.55, STEP))
