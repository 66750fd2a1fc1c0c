"""Media whose polarisation is at nodes, against theory.

    node_media.py plate FOLDER [INDICES ANGLES THICKNESS_NM]

plate: a crystal slab in vacuum, a wave along z with E along x, from the monitor "behind" of the orders. INDICES of the
principal axes and ANGLES, about x, then y, then z, in degrees, separated by commas. Prints the largest difference, over
all wavelengths, of the fractions of the power with E along x and with E along y.

Theory: without variation along the layers D_z is continuous and 0, so E_z follows from E_x, E_y, and these see the
two-by-two tensor eps_tt - eps_tz eps_zt / eps_zz; each of its principal axes is a slab of one index (M. Born, E. Wolf,
Principles of Optics, 1.6)."""
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


def main(command, folder, *rest):
    numbers = [[float(x) for x in text.split(",")] for text in rest]
    if command == "plate":
        plate(folder, numbers[0], numbers[1], numbers[2][0])


main(*sys.argv[1:])
