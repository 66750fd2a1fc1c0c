#!/usr/bin/env python3
"""Transmission of the slab of jobs/slab by cells, orders and its place between nodes, against Airy's formula.

    python3 tests/stress/layers/slab_cells.py --torre build/torre

Prints the largest |T - exact| of 450, 475 ... 700 nm, for cells of 20, 10 and 5 nm: of walls on nodes and, at worst, of
walls 0.15, 0.3, 0.5, 0.7 cells beyond them (docs/user/job-file.md, "grid")."""
import argparse
import cmath
import csv
import math
import subprocess
import tempfile
from pathlib import Path

JOB = Path(__file__).parents[3] / "jobs/slab/job.cfg"
WAVES = [450 + 25 * i for i in range(11)]


def exact(index, thickness, wave):
    r, phase = (1 - index) / (1 + index), cmath.exp(2j * math.pi * index * thickness / wave)
    return abs((1 - r * r) * phase / (1 - r * r * phase * phase)) ** 2


def error(torre, index, order, cell, off):
    lo, hi = -100 + off * cell, 100 + off * cell
    waves = "[" + ",".join(f"{w}.0" for w in WAVES) + "]"
    sets = {"grid.order": order, "grid.cell": f"[20.0,20.0,{float(cell)}]", "objects[0].lo": lo, "objects[0].hi": hi,
            "media[0].index": index, "monitors[0].wavelengths": waves, "monitors[1].wavelengths": waves,
            "grid.size": "[20.0,20.0,2200.0]", "sources[0].box.lo": "[-10.0,-10.0,-300.0]",
            "sources[0].box.hi": "[10.0,10.0,1200.0]", "run.time_fs": 300.0,
            "boundaries.z_lo.thickness": 400.0, "boundaries.z_hi.thickness": 400.0}
    with tempfile.TemporaryDirectory() as folder:
        command = [torre, "run", str(JOB), "--out", folder, "-q"]
        for key, value in sets.items():
            command += ["--set", f"{key}={value}"]
        subprocess.run(command, check=True)
        with open(f"{folder}/spectra.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    return max(abs(float(r["transmitted.fraction"]) - exact(index, 200, float(r["wavelength_nm"]))) for r in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--torre", default="build/torre")
    parser.add_argument("--index", type=float, default=2.5)
    options = parser.parse_args()
    for order in (2, 4):
        for cell in (20, 10, 5):
            on = error(options.torre, options.index, order, cell, 0)
            off = max(error(options.torre, options.index, order, cell, f) for f in (0.15, 0.3, 0.5, 0.7))
            print(f"order {order}, {cell} nm: {on:.5f} on nodes, {off:.5f} off them", flush=True)


if __name__ == "__main__":
    main()
