#!/usr/bin/env python3
"""The silicon wire's modes against cells, orders and rules of averaging: the tables of docs/design/numerics-sources.md.

    python3 tests/stress/modes/table.py --torre build/torre            # all, some minutes
    python3 tests/stress/modes/table.py --torre build/torre --fast     # cells of 20 nm and more

Prints n_eff and n_group of TE0, TM0 (450 x 220 nm) and TE1 (600 x 220 nm) at 1550 nm, and ok or fail for each limit of
LIMITS. Exit status 1 when a line says fail. References: TE0, TM0 converged by an eigenvalue solver of ours and by
extrapolation, +-0.0005 and +-0.003; TE1 by MPB (wire.ctl).
"""
import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

JOB = pathlib.Path(__file__).parents[3] / "jobs/silicon-wire/job.cfg"
EXACT = {"TE0": (2.3528, 4.147), "TM0": (1.7333, 3.520), "TE1": (1.6890, None)}
WALLS = {"TE0": ("pec", "pmc", 2.4), "TM0": ("pmc", "pec", 1.8), "TE1": ("pmc", "pmc", 1.7)}
WIDTH = {"TE0": 450, "TM0": 450, "TE1": 600}
# order, averaging, cells along x, y, z: most errors of n_eff and n_group
LIMITS = {
    (2, "subpixel", (20, 20, 20)): (1e-2, 5e-2),
    (2, "tensor", (20, 20, 20)): (1e-2, 5e-2),
    (2, "subpixel", (12.5, 12.5, 11)): (3e-3, 1.5e-2),
    (2, "subpixel", (10, 10, 10)): (3e-3, 1.5e-2),
    (2, "tensor", (10, 10, 10)): (3e-3, 1.5e-2),
    (2, "subpixel", (6.25, 6.25, 5.5)): (1e-3, 6e-3),
    (4, "subpixel", (12.5, 9.375, 110 / 12)): (1e-3, 5e-3),
    (4, "subpixel", (12.5, 12.5, 12.5)): (1e-3, 5e-3),
    (4, "subpixel", (10, 10, 10)): (3e-4, 5e-3),
    (4, "tensor", (10, 10, 10)): (3e-4, 5e-3),
}


def solve(torre, mode, order, averaging, cell, folder):
    low, across, target = WALLS[mode]
    size = [8 * cell[0], 1125 if mode != "TE1" else 1800, 1100 if mode != "TE1" else 1650]
    size = [round(s / c) * c for s, c in zip(size, cell)]
    sets = {
        "grid": f'{{size={list(map(float, size))};cell={list(map(float, cell))};order={order};precision="fp64";'
                f'averaging="{averaging}";}}',
        "boundaries": f'{{default="pec";y_lo="{low}";z_lo="{across}";}}',
        "objects[0].size": f"[20000.0,{WIDTH[mode]}.0,220.0]",
        "objects[0].center": f"[0.0,{-size[1] / 2},{-size[2] / 2}]",
        "sources": "()",
        "monitors": "()",
        "modes": "{box={lo=[0.0,-5000.0,-5000.0];hi=[0.0,5000.0,5000.0];};wavelengths=[1550.0];image=false;"
                 f"target_index={target};}}",
    }
    command = [torre, "modes", str(JOB), "--out", folder]
    for key, value in sets.items():
        command += ["--set", f"{key}={value}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(f"{folder}/modes.csv", encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    return float(row["n_eff"]), float(row["n_group"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--torre", default="build/torre")
    parser.add_argument("--fast", action="store_true")
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for (order, averaging, cell), most in LIMITS.items():
            if options.fast and cell[1] < 20:
                continue
            for mode, exact in EXACT.items():
                if mode == "TE1" and averaging == "tensor":
                    continue
                index, group = solve(options.torre, mode, order, averaging, cell, folder)
                good = abs(index - exact[0]) <= most[0] and (exact[1] is None or abs(group - exact[1]) <= most[1])
                failures += not good
                print(f"{'ok  ' if good else 'fail'} {mode} order {order} {averaging:8s} "
                      f"{', '.join(f'{c:g}' for c in cell)} nm: n_eff {index:.5f} ({index - exact[0]:+.1e}), "
                      f"n_group {group:.4f}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
