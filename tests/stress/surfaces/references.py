#!/usr/bin/env python3
"""Reference values of the table of surfaces (table.py): exact series, null-field method, transfer matrices.

    python3 tests/stress/surfaces/references.py > tests/stress/surfaces/references.csv     (half a minute)
    python3 tests/stress/surfaces/references.py --check [TORRE]    own checks; with the program, that of its media

Columns: reference, wavelength_nm, quantity, value. Lengths in nm.
"""
import cmath
import csv
import math
import os
import subprocess
import sys

import cylinders
import films
import nullfield
import series
from media import EV_NM, permittivity

HERE = os.path.dirname(os.path.abspath(__file__))


def steps(first, last, step):
    return [first + step * i for i in range(int(round((last - first) / step)) + 1)]


# Wavelengths of each reference: those of the job's monitors, too.
WAVELENGTHS = {
    "dielectric": [round(100 / f, 6) for f in (0.18, 0.24, 0.30, 0.36)],  # kr = 2 pi f with r = 100 nm
    "silicon": steps(700, 760, 1),
    "gold": steps(450, 1000, 10),
    "silver": steps(350, 450, 2),
    "spheroid": steps(480, 760, 5),
    "coated": steps(600, 1200, 10),
    "thick_coat": steps(450, 900, 25),
    "film": steps(450, 800, 50),
    "beam": steps(450, 800, 50),
    "decay": steps(420, 620, 10),
    "conducting": steps(300, 550, 50),
    "debye": steps(300, 550, 50),
    "cylinder_Au": steps(450, 750, 25),
    "cylinder_Ag": steps(350, 450, 5),
}
FILM = 20.0
CYLINDER = {"Au": 50.0, "Ag": 25.0}  # radii
# The row of line currents above the tilted film: places along it and amplitudes.
ROW = [(float(s), math.exp(-(s / 600) ** 2)) for s in range(-1300, 1301, 100)]
HEIGHT, SILVER_RADIUS = 10.0, 40.0  # of the dipole above the silver sphere, and the sphere's radius
LAYERS = {
    "dielectric": lambda nm: ((100, permittivity(2, nm)),),
    "silicon": lambda nm: ((100, permittivity(3.5, nm)),),
    "gold": lambda nm: ((50, permittivity("Au", nm)),),
    "silver": lambda nm: ((25, permittivity("Ag", nm)),),
    "coated": lambda nm: ((37, permittivity(1.45, nm)), (40, permittivity("Au", nm))),
    "conducting": lambda nm: ((100, permittivity("conducting", nm)),),
    "debye": lambda nm: ((100, permittivity("debye", nm)),),
    "thick_coat": lambda nm: ((30, permittivity(1.45, nm)), (50, permittivity("Au", nm))),
}


def values(name, nm):
    """{quantity: value} of one reference at one wavelength."""
    gold = permittivity("Au", nm)
    if name in LAYERS:
        return dict(zip(("Q_ext", "Q_sca", "Q_abs"), series.efficiencies(LAYERS[name](nm), nm)))
    if name == "spheroid":
        return dict(zip(("C_ext_nm2", "C_sca_nm2", "C_abs_nm2"), nullfield.cross_sections(50, 20, gold, nm)))
    if name.startswith("cylinder"):
        medium = name[-2:]
        found = {}
        for field in ("TE", "TM"):
            ext, sca = cylinders.efficiencies(CYLINDER[medium], permittivity(medium, nm), nm, field)
            found.update({field + "_ext": ext, field + "_abs": ext - sca})
        return found
    if name == "film":
        return dict(zip("RT", films.powers(gold, FILM, nm)))
    if name == "beam":
        return dict(zip("RT", films.beam_powers(gold, FILM, nm, ROW)))
    layers = ((SILVER_RADIUS, permittivity("Ag", nm)),)
    return dict(zip(("radial", "tangential"), series.decay_rates(layers, SILVER_RADIUS + HEIGHT, nm)))


def load(path=os.path.join(HERE, "references.csv")):
    """{reference: {quantity: {wavelength: value}}} from the committed table."""
    table = {}
    with open(path, encoding="ascii") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            quantity = table.setdefault(row["reference"], {}).setdefault(row["quantity"], {})
            quantity[float(row["wavelength_nm"])] = float(row["value"])
    return table


def write(file):
    file.write("# made by: python3 tests/stress/surfaces/references.py > tests/stress/surfaces/references.csv\n")
    file.write("reference,wavelength_nm,quantity,value\n")
    for name, wavelengths in WAVELENGTHS.items():
        for nm in wavelengths:
            for quantity, value in values(name, nm).items():
                file.write(f"{name},{nm:g},{quantity},{value:.10g}\n" if nm == int(nm) else
                           f"{name},{nm:.9g},{quantity},{value:.10g}\n")


class Checks:
    """Prints a line for each check and counts those that fail."""

    def __init__(self):
        self.failures = 0

    def near(self, what, value, wanted, relative):
        good = abs(value - wanted) <= relative * abs(wanted)
        self.failures += not good
        print(f"{'ok  ' if good else 'fail'} {what}: {value:.10g}, wanted {wanted:.10g} within {relative:g}")


def check_spheres(checks):
    for kr, q in ((1, 0.79683), (2, 4.77044), (3, 3.03617)):
        checks.near(f"n = 2, kr = {kr}: Q_sca of jobs/dielectric-sphere",
                    series.efficiencies(((100, 4),), 200 * math.pi / kr)[1], q, 2e-6)
    # Bohren and Huffman, Absorption and Scattering of Light by Small Particles (1983), appendix A: n = 1.55,
    # radius 0.525, wavelength 0.6328.
    x = 2 * math.pi * 0.525 / 0.6328
    ext, sca, _ = series.efficiencies(((1, 1.55 ** 2),), 2 * math.pi / x)
    checks.near("Bohren and Huffman's sphere, n 1.55, x 5.213: Q_ext", ext, 3.10543, 2e-6)
    checks.near("nothing absorbed: Q_sca", sca, ext, 1e-12)
    eps = 2 + 1j
    alpha, x = (eps - 1) / (eps + 2), 1e-3
    ext, sca, _ = series.efficiencies(((1, eps),), 2 * math.pi / x)
    checks.near("small sphere: Q_ext = 4 x Im alpha", ext, 4 * x * alpha.imag, 1e-5)
    checks.near("small sphere: Q_sca = 8/3 x^4 |alpha|^2", sca, 8 / 3 * x ** 4 * abs(alpha) ** 2, 1e-5)
    checks.near("largest Q_ext of silver, 25 nm, at 379 nm",
                max((series.efficiencies(LAYERS["silver"](nm), nm)[0], nm) for nm in range(350, 451))[1], 379, 1e-9)
    checks.near("n = 3.5: Q_sca has its peak at 730.36 nm",
                peak({nm: series.efficiencies(LAYERS["silicon"](nm), nm)[1] for nm in steps(729, 732, 0.1)}), 730.36,
                1e-5)


def check_coated(checks):
    gold = permittivity("Au", 600)
    plain = series.efficiencies(((50, gold),), 600)
    for name, layers in (("gold in gold", ((30, gold), (50, gold))), ("vacuum around gold", ((50, gold), (70, 1)))):
        area = (layers[-1][0] / 50) ** 2
        for i, quantity in enumerate(("Q_ext", "Q_sca")):
            checks.near(f"{name}: {quantity} of the plain sphere", series.efficiencies(layers, 600)[i] * area,
                        plain[i], 1e-9)
    # Quasi-static polarisability of a coated sphere, Bohren and Huffman (5.36).
    core, coat, share, x = 2.1, gold, 0.79, 1e-3
    top = (coat - 1) * (core + 2 * coat) + share * (core - coat) * (1 + 2 * coat)
    bottom = (coat + 2) * (core + 2 * coat) + share * (2 * coat - 2) * (core - coat)
    checks.near("small coated sphere: Q_ext = 4 x Im alpha", 4 * x * (top / bottom).imag,
                series.efficiencies(((share ** (1 / 3), core), (1, coat)), 2 * math.pi / x)[0], 1e-5)


def check_spheroids(checks):
    gold = permittivity("Au", 550)
    mie = series.efficiencies(((50, gold),), 550)
    for across in (True, False):
        for i, c in enumerate(nullfield.cross_sections(50, 50, gold, 550, 8, 24, across, 5)):
            checks.near(f"null field, sphere, across {across}: C", c / (math.pi * 2500), mie[i], 1e-8)
        lossless = nullfield.cross_sections(60, 30, 4, 300, 10, 40, across, 5)
        checks.near(f"null field, n = 2, across {across}: nothing absorbed", lossless[1], lossless[0], 1e-6)
    # 0.2 % longer and shorter than a sphere: the mean of both is the sphere to second order.
    mean = sum(nullfield.cross_sections(50 * f, 50, gold, 550, 8, 24)[0] for f in (0.998, 1.002)) / 2
    checks.near("null field, near-spheres: C_ext", mean / (math.pi * 2500), mie[0], 1e-4)
    # Quasi-static: alpha = V (eps - 1)/(1 + L (eps - 1)), Bohren and Huffman (5.32).
    e = math.sqrt(1 - 0.4 ** 2)
    shape = (1 - e * e) / (e * e) * (math.log((1 + e) / (1 - e)) / (2 * e) - 1)
    volume, k = 4 / 3 * math.pi * 0.05 * 0.02 ** 2, 2 * math.pi / 600
    eps = permittivity("Au", 600)
    checks.near("null field, small spheroid 1:2.5: C_ext = k Im alpha",
                nullfield.cross_sections(0.05, 0.02, eps, 600, 8, 40)[0],
                k * volume * ((eps - 1) / (1 + shape * (eps - 1))).imag, 1e-4)
    for nm in (550, 600, 680):
        eps = permittivity("Au", nm)
        checks.near(f"null field, 40 x 100 nm, {nm} nm: 10 orders against 14",
                    nullfield.cross_sections(50, 20, eps, nm)[0],
                    nullfield.cross_sections(50, 20, eps, nm, 14, 64, True, 5)[0], 1e-6)


def check_dipoles(checks):
    total, radiated = series.decay_rates(((40, 4),), 50, 500), series.radiated_rates(((40, 4),), 50, 500)
    for i, axis in enumerate(("radial", "tangential")):
        checks.near(f"dipole at n = 2, {axis}: all of it radiated", total[i], radiated[i], 1e-10)
        silver = ((SILVER_RADIUS, permittivity("Ag", 500)),)
        checks.near(f"dipole at silver, {axis}: 60 orders against 50", series.decay_rates(silver, 50, 500)[i],
                    series.decay_rates(silver, 50, 500, 50)[i], 1e-6)
        checks.near(f"dipole without a sphere, {axis}", series.decay_rates(((40, 1),), 50, 500)[i], 1, 1e-12)
    # Small sphere, quasi-static: Gersten and Nitzan, J. Chem. Phys. 75, 1139 (1981), for the power absorbed.
    eps, radius, distance, nm = 2 + 1j, 5, 8, 5000
    sums = [0.0, 0.0]
    for n in range(1, 60):
        part = (radius / distance) ** (2 * n + 1) * ((eps - 1) / (eps + 1 + 1 / n)).imag
        sums[0] += 1.5 * (n + 1) ** 2 * part
        sums[1] += 0.75 * n * (n + 1) * part
    for i, axis in enumerate(("radial", "tangential")):
        checks.near(f"dipole 3 nm above 5 nm, {axis}: Gersten and Nitzan",
                    series.decay_rates(((radius, eps),), distance, nm)[i],
                    sums[i] / (2 * math.pi / nm * distance) ** 3, 1e-3)


def check_cylinders(checks):
    for field in ("TE", "TM"):
        ext, sca = cylinders.efficiencies(100, 4, 300, field)
        checks.near(f"cylinder of n = 2, {field}: nothing absorbed", sca, ext, 1e-12)
        mean = cylinders.efficiencies(100, 4 + 1e-9j, 300, field)
        checks.near(f"cylinder of n = 2, {field}: small loss", mean[0], ext, 1e-6)
    # Quasi-static, van de Hulst, Light Scattering by Small Particles (1957), 15.41.
    eps, x = 2 + 1j, 1e-3
    checks.near("thin cylinder, TM: Q_ext = pi x Im(eps) / 2",
                cylinders.efficiencies(1, eps, 2 * math.pi / x, "TM")[0], math.pi * x * eps.imag / 2, 1e-4)
    checks.near("thin cylinder, TE: Q_ext = pi x Im((eps - 1)/(eps + 1))",
                cylinders.efficiencies(1, eps, 2 * math.pi / x, "TE")[0],
                math.pi * x * ((eps - 1) / (eps + 1)).imag, 1e-4)


def check_films(checks):
    energy = EV_NM / 500
    drude = 1 - 81 / (energy ** 2 + 0.07j * energy)
    for i, wanted in enumerate((0.757778, 0.215566)):
        checks.near("jobs/drude-film, " + "RT"[i], films.powers(drude, 20, 500)[i], wanted, 2e-6)
    for sine in (0.0, 0.6):
        checks.near(f"slab of n 2, sine {sine}: R + T", sum(films.powers(4, 200, 500, sine)), 1, 1e-12)
    checks.near("slab of n 2 at Brewster's angle: T", films.powers(4, 200, 500, 2 / math.sqrt(5))[1], 1, 1e-12)
    gold = permittivity("Au", 600)
    wide = [(100 * i, math.exp(-(i / 200) ** 2)) for i in range(-500, 501)]
    checks.near("a wide row: T of a plane wave", films.beam_powers(gold, FILM, 600, wide, 1000)[1],
                films.powers(gold, FILM, 600)[1], 1e-4)
    checks.near("the row: 1000 angles against 2000", films.beam_powers(gold, FILM, 600, ROW, 1000)[1],
                films.beam_powers(gold, FILM, 600, ROW)[1], 1e-9)


def check_media(checks, torre):
    for medium in ("Au", "Ag"):
        text = subprocess.run([torre, "materials", medium], capture_output=True, text=True, check=True).stdout
        for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
            eps = permittivity(medium, float(row["wavelength_nm"]))
            if row["wavelength_nm"] in ("400", "600", "800"):
                checks.near(f"{medium}, {row['wavelength_nm']} nm: eps_re", eps.real, float(row["eps_re"]), 1e-6)
                checks.near(f"{medium}, {row['wavelength_nm']} nm: eps_im", eps.imag, float(row["eps_im"]), 1e-6)


def check_table(checks):
    table = load()
    for name, wavelengths in WAVELENGTHS.items():
        for nm in wavelengths[:: max(1, len(wavelengths) // 3)]:
            for quantity, value in values(name, nm).items():
                checks.near(f"references.csv: {name}, {nm:g} nm, {quantity}", table[name][quantity][nm], value, 1e-8)


def peak(spectrum):
    """Wavelength of the largest value, by a parabola through it and its neighbours; equal steps."""
    places = sorted(spectrum)
    i = min(max(range(len(places)), key=lambda j: spectrum[places[j]]), len(places) - 2)
    i = max(i, 1)
    a, b, c = (spectrum[places[j]] for j in (i - 1, i, i + 1))
    return places[i] + (places[i + 1] - places[i]) * 0.5 * (a - c) / (a - 2 * b + c)


def main():
    if "--check" not in sys.argv[1:]:
        write(sys.stdout)
        return 0
    checks = Checks()
    for part in (check_spheres, check_coated, check_spheroids, check_dipoles, check_cylinders, check_films,
                 check_table):
        part(checks)
    for torre in sys.argv[2:]:
        check_media(checks, torre)
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
