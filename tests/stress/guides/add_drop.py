#!/usr/bin/env python3
"""The free spectral range of add_drop.cfg, a ring of silicon between two wires, against that of the wire's group index.

    torre run tests/stress/guides/add_drop.cfg --device gpu --out results/add-drop --set run.tolerance=1e9
    python3 tests/stress/guides/add_drop.py results/add-drop/spectra.csv

Prints the peaks of the dropped light (parabolas through three points), their distances, and the group index that each
is worth, n = w1 w2 / ((w2 - w1) 2 pi R), beside the straight wire's 4.147 at 1550 nm (converged; its modes at other
wavelengths: jobs/silicon-wire)."""
import csv
import math
import sys

RADIUS, GROUP = 5000.0, 4.147  # nm; straight wire at 1550 nm


def peaks(wavelengths, powers):
    """Places of the maxima above a tenth of the largest."""
    found = []
    for i in range(1, len(powers) - 1):
        low, mid, high = powers[i - 1:i + 2]
        if mid > low and mid >= high and mid > 0.1 * max(powers):
            shift = 0.5 * (low - high) / (low - 2 * mid + high)
            found.append(wavelengths[i] + shift * (wavelengths[1] - wavelengths[0]))
    return found


def main():
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wavelengths = [float(row["wavelength_nm"]) for row in rows]
    found = peaks(wavelengths, [-float(row["drop.fraction"]) for row in rows])
    print("peaks [nm]:", ", ".join(f"{x:.3f}" for x in found))
    print("| between, nm | free spectral range, nm | group index | off 4.147 |\n|---|---|---|---|")
    for first, second in zip(found, found[1:]):
        index = first * second / ((second - first) * 2 * math.pi * RADIUS)
        print(f"| {first:.1f}, {second:.1f} | {second - first:.3f} | {index:.4f} | "
              f"{100 * (index / GROUP - 1):+.2f} % |")


if __name__ == "__main__":
    main()
