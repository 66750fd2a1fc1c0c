#!/usr/bin/env python3
"""Silicon pillars (index 3.67, height 500 nm) on 1.45, period 400 nm, light of 850 nm from the glass: transmission and
phase, for docs/measurements/oblique.md, which has figures of two-dimensional coupled waves beside them.

    pillars.py --torre build/torre [--cells 10 5] [--diameters 120 160 200 240 280]

Phase: of the zeroth order's t over t without a pillar, in Torre's runs of the same cells, too. A quarter of the cell
between mirrors is computed.
"""
import argparse
import csv
import pathlib
import subprocess
import tempfile

import numpy as np

DIAMETERS = [120, 160, 200, 240, 280]
JOB = """format_version = 3; length_unit = "nm";
grid = {{ size = [200.0, 200.0, 1800.0]; cell = {cell}; averaging = "{averaging}"; }};
boundaries = {{ default = "pec"; y_lo = "pmc"; y_hi = "pmc"; cpml = {{ thickness = 200.0; }};
  z_lo = "cpml"; z_hi = "cpml"; }};
media = ( {{ name = "glass"; index = 1.45; }}, {{ name = "silicon"; index = 3.67; }} );
objects = ( {{ type = "layer"; medium = "glass"; hi = -250.0; }},
  {{ type = "cylinder"; medium = "{medium}"; center = [-100.0, -100.0, 0.0]; radius = {radius}; height = 500.0; }} );
sources = ( {{ type = "plane_wave"; box = {{ lo = [-100.0, -100.0, -500.0]; hi = [100.0, 100.0, 1000.0]; }};
  direction = "+z"; polarisation = "x"; time = {{ type = "pulse"; wavelength = 850.0; band = 150.0; }}; }} );
monitors = (
  {{ type = "flux"; name = "behind"; box = {{ lo = [-100.0, -100.0, 600.0]; hi = [100.0, 100.0, 600.0]; }};
    wavelengths = [850.0]; }},
  {{ type = "field"; name = "plane"; box = {{ lo = [-100.0, -100.0, 600.0]; hi = [100.0, 100.0, 600.0]; }};
    components = ["Ex"]; wavelengths = [850.0]; }} );
run = {{ time_fs = {time}; decay = 1e-7; tolerance = 1e-2; }};
schedule = {{ threads = 1; }};
"""


def measured(torre, diameter, cell, averaging, time):
    """T and the mean of Ex across the cell, over the incident wave; no pillar where diameter is 0."""
    import h5py
    text = JOB.format(cell=cell, averaging=averaging, medium="silicon" if diameter else "vacuum",
                      radius=diameter / 2 or 50.0, time=time)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "job.cfg").write_text(text)
        subprocess.run([torre, "run", "job.cfg", "--out", "out", "-q"], cwd=folder, check=True)
        with open(path / "out" / "spectra.csv", encoding="utf-8") as file:
            power = float(next(csv.DictReader(file))["fraction"])
        with h5py.File(path / "out" / "results.h5") as file:
            spectrum = file["monitors/plane/Ex/spectrum"][0, 0]  # [y][x][part]
    field = spectrum[..., 0] + 1j * spectrum[..., 1]
    ends = np.ones(len(field))  # nodes along y from mirror to mirror, middles of cells along x
    ends[0] = ends[-1] = 0.5
    return power, (ends @ field).mean()


def row(name, diameter, power, ratio):
    print(f"| {name} | {diameter} | {power:.4f} | {np.angle(ratio):+.4f} |", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--torre", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    arguments.add_argument("--cells", nargs="+", type=float, default=[10])
    arguments.add_argument("--diameters", nargs="+", type=int, default=DIAMETERS)
    arguments.add_argument("--averaging", default="tensor")
    arguments.add_argument("--time", type=float, default=2500)
    options = arguments.parse_args()
    print("| by | diameter | T | phase |\n|---|---|---|---|")
    for cell in options.cells:
        empty = measured(options.torre, 0, cell, options.averaging, options.time)
        row(f"{cell:g} nm", 0, empty[0], 1)
        for diameter in options.diameters:
            power, t = measured(options.torre, diameter, cell, options.averaging, options.time)
            row(f"{cell:g} nm", diameter, power, t / empty[1])


if __name__ == "__main__":
    main()
