#!/usr/bin/env python3
"""Gold stripes, 250 x 40 nm, period 500 nm, on glass (1.5), from the air, E across them, 700 nm: orders against
rigorous coupled waves (Li's inverse rule); both have the gold of Rakic, the built-in one's poles.

Usage: gold_stripes.py --torre build/torre [--cells 10 5 2.5] [--averaging tensor subpixel] [--time 300]
  [--theory N ...]
  --theory: coupled waves alone, with orders -N to N
"""
import argparse
import csv
import pathlib
import subprocess
import tempfile

import numpy as np

from coupled_waves import forward, match

WAVELENGTH, PERIOD, WIDTH, HEIGHT, INDEX = 700.0, 500.0, 250.0, 40.0, 1.5
# Rakic et al., Appl. Opt. 37, 5271 (1998), table 2, Lorentz-Drude model of gold [eV]: plasma frequency, then of each
# oscillator strength, width, frequency
PLASMA = 9.03
OSCILLATORS = ((0.760, 0.053, 0.0), (0.024, 0.241, 0.415), (0.010, 0.345, 0.830), (0.071, 0.870, 2.969),
               (0.601, 2.494, 4.304), (4.384, 2.214, 13.32))
JOB = """format_version = 3; length_unit = "nm";
grid = {{ size = [500.0, 1800.0]; cell = {cell}; polarisation = "TE"; precision = "fp64"; averaging = "{averaging}"; }};
boundaries = {{ x_lo = "periodic"; x_hi = "periodic"; cpml = {{ thickness = {layer}; }}; }};
media = ( {{ name = "glass"; index = 1.5; }} );
objects = ( {{ type = "layer"; axis = "y"; medium = "glass"; lo = 0.0; }},
  {{ type = "rectangle"; medium = "Au"; center = [0.0, -20.0]; size = [250.0, 40.0]; }} );
sources = ( {{ type = "plane_wave"; box = {{ lo = [-250.0, -350.0]; hi = [250.0, 900.0]; }}; direction = "+y";
  time = {{ type = "pulse"; wavelength = 690.0; band = 100.0; }}; }} );
monitors = ( {{ type = "orders"; name = "before"; axis = "y"; position = -450.0; wavelengths = [700.0]; }},
  {{ type = "orders"; name = "behind"; axis = "y"; position = 450.0; wavelengths = [700.0]; }} );
run = {{ time_fs = {time}; tolerance = 1e-2; }};
schedule = {{ threads = 1; }};
"""


def gold(wavelength):
    energy = 1239.841984 / wavelength
    return 1 + sum(f * PLASMA**2 / (w0**2 - energy**2 - 1j * energy * width) for f, width, w0 in OSCILLATORS)


def coupled_waves(most):
    """R0, T0, T1, absorbed: H along the stripes, in orders -most to most."""
    k0, m = 2 * np.pi / WAVELENGTH, np.arange(-most, most + 1)
    kx = m * WAVELENGTH / PERIOD
    above, below = forward(1 - kx**2), forward(INDEX**2 - kx**2) / INDEX**2
    d = m[:, None] - m[None, :]
    part = WIDTH / PERIOD * np.sinc(WIDTH / PERIOD * d)
    one, eps = np.eye(len(m)), gold(WAVELENGTH)
    normal, along = one + (eps - 1) * part, one + (1 / eps - 1) * part  # of eps and 1 / eps
    square, field = np.linalg.eig(np.linalg.solve(along, np.diag(kx) @ np.linalg.solve(normal, np.diag(kx)) - one))
    q = np.sqrt(square + 0j)
    q = np.where(q.real < 0, -q, q)
    r, t = match(above, below, field, along @ field @ np.diag(q), np.exp(-q * k0 * HEIGHT))
    r, t = abs(r)**2 * above.real, abs(t)**2 * below.real
    return r[most], t[most], t[most + 1], 1 - sum(r) - sum(t)


def measured(torre, cell, averaging, time, layer):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "job.cfg").write_text(JOB.format(cell=cell, averaging=averaging, time=time, layer=layer))
        subprocess.run([torre, "run", "job.cfg", "--out", "out", "-q"], cwd=folder, check=True)
        rows = {name: [{k: float(v) for k, v in row.items()} for row in csv.DictReader(open(path / "out" / name))]
                for name in ("before_orders.csv", "behind_orders.csv")}
    of = lambda name, m, way: sum(row["fraction"] for row in rows[f"{name}_orders.csv"]
                                  if row["order_x"] == m and row["direction"] == way)
    away = sum(row["fraction"] for row in rows["before_orders.csv"] if row["direction"] < 0) \
        + sum(row["fraction"] * row["direction"] for row in rows["behind_orders.csv"])
    return of("before", 0, -1), of("behind", 0, 1), of("behind", 1, 1), 1 - away


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--torre", type=lambda path: str(pathlib.Path(path).resolve()))
    arguments.add_argument("--cells", nargs="+", type=float, default=[10, 5, 2.5])
    arguments.add_argument("--averaging", nargs="+", default=["tensor", "subpixel"])
    arguments.add_argument("--time", type=float, default=300)
    arguments.add_argument("--layer", type=float, default=300, help="thickness of the absorbing layers [nm]")
    arguments.add_argument("--theory", nargs="+", type=int, default=[])
    options = arguments.parse_args()
    for most in options.theory:
        print(f"orders to {most}: " + " ".join(f"{value:.5f}" for value in coupled_waves(most)), flush=True)
    if options.theory:
        return
    exact = coupled_waves(200)
    print("| cell | averaging | R0 | T0 | T1 | A | largest error |\n|---|---|---|---|---|---|---|")
    print("| coupled waves | | " + " | ".join(f"{value:.5f}" for value in exact) + " | |")
    for cell in options.cells:
        for averaging in options.averaging:
            found = measured(options.torre, cell, averaging, options.time, options.layer)
            worst = max((a - b for a, b in zip(found, exact)), key=abs)
            print(f"| {cell:g} | {averaging} | " + " | ".join(f"{value:.5f}" for value in found) +
                  f" | {worst:+.1e} |", flush=True)


if __name__ == "__main__":
    main()
