"""Media whose polarisation is at nodes, against theory.

    node_media.py plate FOLDER INDICES ANGLES THICKNESS_NM
    node_media.py faraday FOLDER MEDIUM THICKNESS_NM
    node_media.py voigt FOLDER MEDIUM THICKNESS_NM
    node_media.py harmonic LINEAR KERR CHI3 THICKNESS_NM WAVELENGTH_NM
    node_media.py powers LINEAR KERR WAVELENGTH_NM

plate: a crystal slab in vacuum, a wave along z with E along x, from the monitor "behind" of the orders. INDICES of the
principal axes and ANGLES, about x, then y, then z, in degrees, separated by commas. Prints the largest difference, over
all wavelengths, of the fractions of the power with E along x and with E along y.

Theory: without variation along the layers D_z is continuous and 0, so E_z follows from E_x, E_y, and these see the
two-by-two tensor eps_tt - eps_tz eps_zt / eps_zz; each of its principal axes is a slab of one index (M. Born, E. Wolf,
Principles of Optics, 1.6).

faraday: a slab with a magnetic field along the wave. MEDIUM: permittivity, plasma energy, collision rate, cyclotron
energy, resonance, delta_eps, all energies in eV; a Drude pole where the plasma energy is above 0, else a Lorentz pole.
Prints the largest relative error of the angle by which the polarisation turns, and that of the fraction of the power.
Theory: Ex +- i Ey see eps + wp^2 / (w0^2 - w^2 - i w gamma -+ w wc) each, slabs of one index (A. K. Zvezdin, V. A.
Kotov, Modern Magnetooptics and Magnetooptical Materials, 1997).
voigt: the field across the wave, and E across both: the permittivity is e+ e- / ((e+ + e-) / 2). Prints the largest
error of the fraction of the power, and by how much the field changes it.

harmonic: a slab of index 1 with chi3 in vacuum, from the probe "behind" of a run without and one with it. Prints the
relative error of the third harmonic's amplitude against the first order in chi3 of a wave that goes one way,
dE/dz = -dE/dt - (chi3 / 2) d(E^3)/dt over c: what it gains is -(chi3 L / 2 c) d(E^3)/dt (R. W. Boyd, Nonlinear Optics,
2.1, without its slowly varying envelope).
powers: of both runs, |E|^2 behind the slab at the first and at the third harmonic over that at the first without chi3.
"""
import cmath
import csv
import math
import sys


def turn(angles):
    """About x, then y, then z."""
    matrix = [[float(i == k) for k in range(3)] for i in range(3)]
    for axis, degrees in enumerate(angles):
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        b, d = (axis + 1) % 3, (axis + 2) % 3
        for k in range(3):
            matrix[b][k], matrix[d][k] = c * matrix[b][k] - s * matrix[d][k], s * matrix[b][k] + c * matrix[d][k]
    return matrix


def slab(index, thickness, wavelength):
    phase, r = 2 * math.pi * index * thickness / wavelength, (1 - index) / (1 + index)
    return (1 - r * r) * cmath.exp(1j * phase) / (1 - r * r * cmath.exp(2j * phase))


def transmitted(indices, angles, thickness, wavelength):
    """Along x and y, of a wave with E along x."""
    r = turn(angles)
    eps = [[sum(r[a][i] * indices[i] ** 2 * r[b][i] for i in range(3)) for b in range(3)] for a in range(3)]
    t = [[eps[a][b] - eps[a][2] * eps[2][b] / eps[2][2] for b in range(2)] for a in range(2)]
    angle = 0.5 * math.atan2(2 * t[0][1], t[0][0] - t[1][1])
    c, s = math.cos(angle), math.sin(angle)
    first = slab(math.sqrt(c * c * t[0][0] + 2 * c * s * t[0][1] + s * s * t[1][1]), thickness, wavelength)
    second = slab(math.sqrt(s * s * t[0][0] - 2 * c * s * t[0][1] + c * c * t[1][1]), thickness, wavelength)
    return c * c * first + s * s * second, c * s * (first - second)


def plate(folder, indices, angles, thickness):
    worst = 0
    with open(folder + "/behind_orders.csv", encoding="utf-8") as f:
        rows = [row for row in csv.DictReader(f) if row["direction"] == "1"]
    for row in rows:  # s is E along x, p along y
        theory = transmitted(indices, angles, thickness, float(row["wavelength_nm"]))
        for name, value in zip("sp", theory):
            worst = max(worst, abs(float(row[name + "_over_incident"]) ** 2 - abs(value) ** 2))
    print(f"{worst:.3e}" if rows else "none")


PHOTON = 1239.841984  # eV nm: h c


def circular(medium, wavelength):
    """The permittivities of Ex + i Ey and Ex - i Ey."""
    permittivity, plasma, gamma, cyclotron, resonance, strength = medium
    w = PHOTON / wavelength
    square = plasma**2 if plasma else strength * resonance**2
    return [permittivity + square / (resonance**2 - w * w - 1j * w * gamma - sign * w * cyclotron) for sign in (1, -1)]


def rows_of(folder):
    with open(folder + "/behind_orders.csv", encoding="utf-8") as f:
        return [row for row in csv.DictReader(f) if row["direction"] == "1"]


def amplitudes(row):
    return [float(row[k + "_over_incident"]) * cmath.exp(1j * float(row[k + "_phase_rad"])) for k in "sp"]


def faraday(folder, medium, thickness):
    angle_off = power_off = count = 0
    for row in rows_of(folder):
        wavelength = float(row["wavelength_nm"])
        t = [slab(cmath.sqrt(eps), thickness, wavelength) for eps in circular(medium, wavelength)]
        theory = 0.5 * cmath.phase(t[1] / t[0])
        e = amplitudes(row)
        turned = 0.5 * cmath.phase((e[0] - 1j * e[1]) / (e[0] + 1j * e[1]))
        angle_off = max(angle_off, abs(turned / theory - 1))
        power = 0.5 * (abs(t[0]) ** 2 + abs(t[1]) ** 2)
        power_off = max(power_off, abs((abs(e[0]) ** 2 + abs(e[1]) ** 2) / power - 1))
        shown = f"{math.degrees(turned):.4f} degrees, theory {math.degrees(theory):.4f}"
        print(f"# {wavelength:g} nm: {shown}", file=sys.stderr)
        count += 1
    print(f"{angle_off:.3e} {power_off:.3e}" if count else "none")


def voigt(folder, medium, thickness):
    worst = change = count = 0
    for row in rows_of(folder):
        wavelength = float(row["wavelength_nm"])
        plus, minus = circular(medium, wavelength)
        theory = abs(slab(cmath.sqrt(2 * plus * minus / (plus + minus)), thickness, wavelength)) ** 2
        without = circular(medium[:3] + [0] + medium[4:], wavelength)[0]
        got = sum(abs(e) ** 2 for e in amplitudes(row))
        worst = max(worst, abs(got - theory))
        change = max(change, abs(abs(slab(cmath.sqrt(without), thickness, wavelength)) ** 2 - theory))
        count += 1
    print(f"{worst:.3e} {change:.3e}" if count else "none")


def series(folder):
    with open(folder + "/behind.csv", encoding="utf-8") as f:
        return [(float(row["time_fs"]), float(row["Ex_V_per_m"])) for row in csv.DictReader(f)]


def transform(time, value, w):
    return sum(v * cmath.exp(1j * w * t) for t, v in zip(time, value)) * (time[1] - time[0])


LIGHT = 299.792458  # nm / fs


def harmonic(linear, kerr, chi3, thickness, wavelength):
    w = 2 * math.pi * LIGHT / wavelength * 3
    before, behind = series(linear), series(kerr)
    time = [t for t, _ in before]
    gained = transform(time, [b[1] - a[1] for a, b in zip(before, behind)], w)
    cubed = transform(time, [e**3 for _, e in before], w)
    theory = 0.5 * chi3 * thickness / LIGHT * w * abs(cubed)
    print(f"{abs(gained) / theory - 1:.3e}")


def powers(linear, kerr, wavelength):
    w = 2 * math.pi * LIGHT / wavelength
    whole = abs(transform(*zip(*series(linear)), w)) ** 2
    print(" ".join(f"{abs(transform(*zip(*series(kerr)), n * w)) ** 2 / whole:.6e}" for n in (1, 3)))


def main(command, folder, *rest):
    numbers = [[float(x) for x in text.split(",")] for text in rest if text[0] in "-.0123456789"]
    if command == "plate":
        plate(folder, numbers[0], numbers[1], numbers[2][0])
    elif command == "faraday":
        faraday(folder, numbers[0], numbers[1][0])
    elif command == "voigt":
        voigt(folder, numbers[0], numbers[1][0])
    elif command == "harmonic":
        harmonic(folder, rest[0], *(x[0] for x in numbers))
    else:
        powers(folder, rest[0], numbers[0][0])


main(*sys.argv[1:])
