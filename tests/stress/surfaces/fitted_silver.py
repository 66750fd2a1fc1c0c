#!/usr/bin/env python3
"""A silver sphere, radius 50 nm, of the fit to Johnson and Christy's table (`torre materials Ag_Johnson`), against
Mie's series with the fitted permittivity: largest relative error of Q_ext, 360 to 700 nm. A line for each cell size.

    python3 tests/stress/surfaces/fitted_silver.py --torre build/torre [--cells 5 2.5]
"""
import argparse
import csv
import pathlib
import subprocess
import tempfile

import series

RADIUS, FIRST, STEP, COUNT = 50.0, 360.0, 5.0, 69  # nm, wavelengths
JOB = """grid = {{ size = [260.0, 260.0, 260.0]; cell = {cell}; averaging = "tensor"; }};
boundaries = {{ default = "cpml"; cpml = {{ thickness = 50.0; }}; }};
symmetry = {{ x = "odd"; y = "even"; }};
objects = ( {{ type = "sphere"; medium = "Ag_Johnson"; radius = 50.0; }} );
sources = ( {{ type = "plane_wave"; direction = "+z"; polarisation = "x";
  box = {{ lo = [-60.0, -60.0, -60.0]; hi = [60.0, 60.0, 60.0]; }};
  time = {{ type = "pulse"; wavelength = 480.0; band = 300.0; }}; }} );
monitors = ( {{ type = "cross_section"; name = "sphere"; radius = 50.0;
  wavelengths = {{ from = 360.0; to = 700.0; count = {count}; }}; }} );
run = {{ time_fs = 200.0; decay = 1e-7; }};
"""


def table(text):
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def exact(torre):
    """Q_ext by wavelength in nm, from the permittivity that the program has."""
    range_nm = f"--wavelengths={FIRST:g}:{FIRST + STEP * (COUNT - 1):g}:{COUNT}"
    text = subprocess.run([torre, "materials", "Ag_Johnson", range_nm],
                          check=True, capture_output=True, text=True).stdout
    found = {}
    for row in table(text):
        nm = float(row["wavelength_nm"])
        found[nm] = series.efficiencies([(RADIUS, complex(float(row["eps_re"]), float(row["eps_im"])))], nm)[0]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torre", required=True)
    parser.add_argument("--cells", type=float, nargs="+", default=[5.0, 2.5])
    args = parser.parse_args()
    mie = exact(args.torre)
    for cell in args.cells:
        with tempfile.TemporaryDirectory() as folder:
            job = pathlib.Path(folder) / "job.cfg"
            job.write_text(JOB.format(cell=cell, count=COUNT), encoding="ascii")
            subprocess.run([args.torre, "run", job, "--out", pathlib.Path(folder) / "out", "-q"], check=True)
            rows = table((pathlib.Path(folder) / "out" / "spectra.csv").read_text(encoding="utf-8"))
            errors = {float(row["wavelength_nm"]): float(row["Q_ext"]) for row in rows}
        worst, at = max((abs(errors[nm] / mie[nm] - 1), nm) for nm in errors)
        print(f"cells of {cell:g} nm: {100 * worst:.2f} % at {at:g} nm", flush=True)


if __name__ == "__main__":
    main()
