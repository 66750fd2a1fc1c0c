#!/usr/bin/env python3
"""The free spectral range of add_drop.cfg, a ring of silicon between two wires, against that of the wire's group index.

    torre run tests/stress/guides/add_drop.cfg --device gpu --out results/add-drop --set run.tolerance=1e9
    python3 tests/stress/guides/add_drop.py results/add-drop/spectra.csv

Prints the peaks of the dropped light (parabolas through three points), their distances, and the group index that each
is worth, n = w1 w2 / ((w2 - w1) 2 pi R), beside the straight wire's at 1550 nm: 4.147 (converged; its modes at other
wavelengths: jobs/silicon-wire) or --group.

    python3 tests/stress/guides/add_drop.py --flat ring.cfg    # the same ring in 2-D, of index 2.85, which a CPU runs
    torre run ring.cfg --out results/ring --set run.tolerance=1e9
    python3 tests/stress/guides/add_drop.py results/ring/spectra.csv --group 3.2791
"""
import argparse
import csv
import math
import pathlib

RADIUS = 5000.0  # nm
FLAT = {  # text of add_drop.cfg: that of the ring in 2-D
    "size = [15.0, 15.0, 2.2]": "size = [15.0, 15.0]",
    "cell = [0.025, 0.025, 0.022];": 'cell = 0.05; polarisation = "TE";',
    " height = 0.22;": "", 'type = "box"': 'type = "rectangle"',
    ", 0.45, 0.22]": ", 0.45]", "5.65, 0.0]": "5.65]", "electric_dipole": "line_dipole",
    ", -0.75]": "]", ", 0.75]": "]", "[5.0, 0.0, 0.0]": "[5.0, 0.0]", "3.4757": "2.85"}


def peaks(wavelengths, powers):
    """Places of the maxima above a tenth of the largest."""
    found = []
    for i in range(1, len(powers) - 1):
        low, mid, high = powers[i - 1:i + 2]
        if mid > low and mid >= high and mid > 0.1 * max(powers):
            shift = 0.5 * (low - high) / (low - 2 * mid + high)
            found.append(wavelengths[i] + shift * (wavelengths[1] - wavelengths[0]))
    return found


def flat():
    text = pathlib.Path(__file__).with_name("add_drop.cfg").read_text(encoding="utf-8")
    for old, new in FLAT.items():
        text = text.replace(old, new)
    return text


def report(spectra, group):
    with open(spectra, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wavelengths = [float(row["wavelength_nm"]) for row in rows]
    found = peaks(wavelengths, [-float(row["drop.fraction"]) for row in rows])
    print("peaks [nm]:", ", ".join(f"{x:.3f}" for x in found))
    print(f"| between, nm | free spectral range, nm | group index | off {group} |\n|---|---|---|---|")
    for first, second in zip(found, found[1:]):
        index = first * second / ((second - first) * 2 * math.pi * RADIUS)
        print(f"| {first:.1f}, {second:.1f} | {second - first:.3f} | {index:.4f} | "
              f"{100 * (index / group - 1):+.2f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spectra", nargs="?")
    parser.add_argument("--group", type=float, default=4.147)
    parser.add_argument("--flat", type=pathlib.Path)
    args = parser.parse_args()
    if args.flat:
        args.flat.write_text(flat(), encoding="utf-8")
    if args.spectra:
        report(args.spectra, args.group)


if __name__ == "__main__":
    main()
