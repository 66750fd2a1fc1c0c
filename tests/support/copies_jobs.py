#!/usr/bin/env python3
"""A periodic cell alone, twice along x, twice along y, and four times, as one job each: light along z onto a pillar and
a metal sphere. The copies are equal, so their fields are those of the cell alone, to the bit.

    copies_jobs.py write ORDER AVERAGING    one.cfg, twice_x.cfg, twice_y.cfg, four.cfg
    copies_jobs.py compare                  results folders one, twice_x, twice_y, four: prints how many values differ
"""

import sys

import h5py
import numpy

PERIOD, CELL = 120.0, 10.0
COPIES = {"one": (1, 1), "twice_x": (2, 1), "twice_y": (1, 2), "four": (2, 2)}


def job(copies, order, averaging):
    size = [PERIOD * n for n in copies]
    array = f"repeat = [{copies[0]}, {copies[1]}, 1]; pitch = [{PERIOD}, {PERIOD}, 0.0];"
    box = f"lo = [{-size[0] / 2}, {-size[1] / 2}, -50.0]; hi = [{size[0] / 2}, {size[1] / 2}, 150.0];"
    return f"""length_unit = "nm";
grid = {{ size = [{size[0]}, {size[1]}, 500.0]; cell = {CELL}; order = {order}; averaging = "{averaging}"; }};
boundaries = {{ default = "periodic"; z_lo = "cpml"; z_hi = "cpml"; }};
media = ( {{ name = "pillar"; permittivity = 12.0; }}, {{ name = "metal"; permittivity = 4.0;
  poles = ( {{ type = "drude"; plasma_eV = 8.0; gamma_eV = 0.1; }} ); }} );
objects = ( {{ type = "cylinder"; medium = "pillar"; radius = 37.0; axis = "z"; height = 100.0;
    {array} }},
  {{ type = "sphere"; medium = "metal"; radius = 27.0; center = [0.0, 0.0, 90.0]; {array} }} );
sources = ( {{ type = "plane_wave"; direction = "+z"; polarisation = "x"; distance = 60.0;
  time = {{ type = "pulse"; wavelength = 500.0; band = 300.0; }}; }} );
monitors = ( {{ type = "field"; name = "cell"; box = {{ {box} }}; wavelengths = [450.0, 600.0]; }} );
run = {{ time_fs = 30.0; tolerance = 1e9; }};
"""


def spectra(name):
    with h5py.File(f"{name}/results.h5") as file:
        return {c: file[f"monitors/cell/{c}/spectrum"][()] for c in ("Ex", "Ey", "Ez")}


def differing(name):
    """Values of the copies, both ends of their cells included, that are not those of the cell alone; and all."""
    one, several, cells = spectra("one"), spectra(name), round(PERIOD / CELL)
    wrong = total = 0
    for component, alone in one.items():
        ny, nx = alone.shape[2:4]
        for i in range(COPIES[name][0]):
            for j in range(COPIES[name][1]):
                copy = several[component][:, :, j * cells:j * cells + ny, i * cells:i * cells + nx]
                wrong += int(numpy.count_nonzero(copy != alone))
                total += alone.size
    return wrong, total


if __name__ == "__main__":
    if sys.argv[1] == "write":
        for name, copies in COPIES.items():
            with open(f"{name}.cfg", "w", encoding="utf-8") as file:
                file.write(job(copies, sys.argv[2], sys.argv[3]))
    else:
        counts = [differing(name) for name in COPIES if name != "one"]
        print("; ".join(f"{wrong} of {total} values differ" for wrong, total in counts))
        sys.exit(any(wrong or not total for wrong, total in counts))
