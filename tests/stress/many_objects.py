#!/usr/bin/env python3
"""The set-up of a job with 1e5 objects: from the program's start to its first step.

    python3 tests/stress/many_objects.py --torre build/torre [--cell 20] [--device cpu] [--threads 16]

99,856 pillars of 11 radii, 60 to 115 nm, in an HDF5 table, pitch 300 nm, on glass; 50 cells along them. Cells of 30 nm
are 5e8, of 20 nm 1.1e9. Prints cells, memory, and the times of the log. Figures: docs/measurements/set-up.md. Needs
numpy and h5py.
"""
import argparse
import re
import subprocess
import time
from pathlib import Path

import h5py
import numpy

SIDE, PITCH = 316, 300.0  # pillars along an edge; nm


def job(cell, height, averaging):
    size = SIDE * PITCH
    shapes = ",\n  ".join(f'{{ type = "cylinder"; medium = "TiO2"; axis = "z"; radius = {60 + 5.5 * i:g}; '
                          f"height = {0.4 * height:g}; }}" for i in range(11))
    return f"""format_version = 3; length_unit = "nm";
grid = {{ size = [{size}, {size}, {height}]; cell = {cell}; averaging = "{averaging}"; }};
boundaries = {{ default = "pec"; }};
media = ( {{ name = "glass"; index = 1.45; }}, {{ name = "TiO2"; index = 2.4; }} );
objects = ( {{ type = "layer"; medium = "glass"; hi = {-0.2 * height:g}; }},
  {{ type = "table"; file = "places.h5"; shapes = ( {shapes} ); }} );
sources = ( {{ type = "electric_dipole"; position = [0.0, 0.0, {0.4 * height:g}]; axis = "x";
  time = {{ type = "pulse"; wavelength = 633.0; band = 100.0; }}; }} );
monitors = ( {{ type = "probe"; name = "p"; position = [600.0, 0.0, {0.4 * height:g}]; components = ["Ex"]; }} );
run = {{ time_fs = {cell * 6e-3:.3f}; tolerance = 1e9; }};
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--torre", required=True)
    parser.add_argument("--cell", type=float, default=20.0, help="nm; a whole number of them in 300")
    parser.add_argument("--averaging", default="subpixel")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--work", type=Path, default=Path("results/many-objects"))
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    number = numpy.arange(SIDE * SIDE)
    with h5py.File(args.work / "places.h5", "w") as file:
        file["x"] = (number % SIDE - 0.5 * (SIDE - 1)) * PITCH
        file["y"] = (number // SIDE - 0.5 * (SIDE - 1)) * PITCH
        file["shape"] = numpy.random.default_rng(1).integers(0, 11, SIDE * SIDE)
    (args.work / "job.cfg").write_text(job(args.cell, 50 * args.cell, args.averaging), encoding="utf-8")
    command = ["/usr/bin/time", "-v", args.torre, "run", args.work / "job.cfg", "--out", args.work / "out",
               "--overwrite", "-q", f"--device={args.device}"]
    command += [f"--threads={args.threads}"] if args.threads else []
    begin = time.perf_counter()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    whole = time.perf_counter() - begin
    log = (args.work / "out" / "run.log").read_text(encoding="utf-8")
    wanted = re.compile(r"cells, order|engine|columns along z|steps in")
    print("\n".join(line for line in log.splitlines() if wanted.search(line)))
    used = re.search(r"Maximum resident set size \(kbytes\): (\d+)", done.stderr)
    user = re.search(r"User time \(seconds\): ([\d.]+)", done.stderr)
    print(f"exit status {done.returncode}, whole command {whole:.1f} s, user time {user.group(1) if user else '?'} s, "
          f"memory {int(used.group(1)) / 1e6 if used else 0:.1f} GB")


if __name__ == "__main__":
    main()
