"""Sheets at the exact formulas, for tests/system/sheets.sh.

    python3 sheets.py RUN [N [ANGLE POLARISATION]]

RUN: a folder whose spectra.csv has flux monitors "r" before and "t" behind a sheet of graphene (0.4 eV, 100 fs, 0 K) in
vacuum, or on a medium of index N. Prints the largest differences of the absorbed part, relative, and of R and T.
ANGLE: of the wavelength in the middle, degrees; R alone, of the only monitor, is compared there.
"""
import cmath
import csv
import math
import sys

E, HBAR, EPS0, C = 1.602176634e-19, 1.054571817e-34, 8.8541878128e-12, 299792458.0


def conductance(wavelength, fermi=0.4 * E, tau=1e-13):
    """Kubo's formula at temperature 0 [S], time factor exp(-i w t)."""
    full = complex(2 * math.pi * C / wavelength, 1 / tau)
    return (1j * E**2 * fermi / (math.pi * HBAR**2 * full)
            + 1j * E**2 / (4 * math.pi * HBAR) * cmath.log((2 * fermi - HBAR * full) / (2 * fermi + HBAR * full)))


def main():
    index = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    with open(sys.argv[1] + "/spectra.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if len(sys.argv) > 3:
        row, cosine = rows[len(rows) // 2], math.cos(math.radians(float(sys.argv[3])))
        s = conductance(1e-9 * float(row["wavelength_nm"])) / (2 * EPS0 * C)
        s *= cosine if sys.argv[4] == "p" else 1 / cosine
        exact = abs(s / (1 + s)) ** 2
        print(f"{abs(-float(row['fraction']) / exact - 1):.2e}")
        return
    worst = [0.0, 0.0]
    for row in rows:
        x = conductance(1e-9 * float(row["wavelength_nm"])) / (EPS0 * C)
        t = 2 / (1 + index + x)
        exact = abs(t - 1) ** 2, index * abs(t) ** 2
        found = -float(row["r.fraction"]), float(row["t.fraction"])
        worst[0] = max(worst[0], abs((1 - sum(found)) / (1 - sum(exact)) - 1))
        worst[1] = max(worst[1], *(abs(f - e) for f, e in zip(found, exact)))
    print(" ".join(f"{w:.2e}" for w in worst))


if __name__ == "__main__":
    main()
