#!/usr/bin/env python3
"""The fundamental mode of an L3 cavity against legume (l3_legume.py): three holes left out in a row of a triangular
crystal in a slab in air, a 400 nm, r 100, d 220, n 3.4757, none shifted.

    python3 tests/stress/crystal/l3.py --torre build/torre [--cells 12 16] [--averaging tensor] [--time 1100]

--cells: a period along x. An eighth is computed: E along y in the middle. Prints a row for each number of cells."""
import argparse
import csv
import math
import pathlib
import subprocess
import tempfile

PERIOD, RADIUS, THICKNESS, INDEX = 400.0, 100.0, 220.0, 3.4757  # nm
# To each side: periods and rows to the wall, periods and rows with holes, which end before the absorbing layers (a
# crystal that reaches into CPML is unstable: its waves' phase and group run in opposite directions); [nm]
ALONG, ROWS, HOLES, AIR, LAYER = 12, 12, 10, 900.0, 350.0
LEGUME = (0.260305, 6769.0)  # c / a, Q, of its finest basis; f rises by 0.0008 with more plane waves
JOB = """format_version = 3; length_unit = "nm";
grid = {{ size = [{size}]; cell = [{cell}]; precision = "fp64"; averaging = "{averaging}"; }};
symmetry = {{ x = "even"; y = "odd"; z = "even"; }};
boundaries = {{ cpml = {{ thickness = {layer}; }}; }};
media = ( {{ name = "silicon"; index = {index}; }} );
objects = (
  {{ type = "layer"; medium = "silicon"; axis = "z"; lo = -{half}; hi = {half}; }},
  {{ type = "cylinder"; medium = "vacuum"; radius = {radius}; height = 300.0;
    repeat = [{odd}, {rows}, 1]; pitch = [{a}, {two_rows}, 0.0]; }},
  {{ type = "cylinder"; medium = "vacuum"; radius = {radius}; height = 300.0;
    repeat = [{even}, {other}, 1]; pitch = [{a}, {two_rows}, 0.0]; }},
  {{ type = "box"; medium = "silicon"; size = [{three}, {across}, {thickness}]; }} );
sources = ( {{ type = "electric_dipole"; axis = "y"; position = [0.0, 0.0, 0.0];
  time = {{ type = "pulse"; wavelength = 1540.0; band = 100.0; }}; }} );
monitors = ( {{ type = "resonances"; name = "r"; position = [25.0, 0.0, 0.0]; components = ["Ey"];
  from_fs = 500.0; band = {{ from = 1450.0; to = 1620.0; }}; }} );
run = {{ time_fs = {time}; }};
schedule = {{ threads = 1; }};
"""


def job(cells, averaging, time, device):
    """The text of a job with whole cells in a period, two rows and half of the slab."""
    row = PERIOD * math.sqrt(3) / 2
    cell = [PERIOD / cells, row / round(cells * math.sqrt(3) / 2), THICKNESS / 2 / round(cells * 0.275 + 0.4)]
    half = [ALONG * PERIOD, ROWS * row, THICKNESS / 2 + AIR]
    size = [2 * round(h / c) * c for h, c in zip(half, cell)]
    text = JOB.format(size=", ".join(map(repr, size)), cell=", ".join(map(repr, cell)), averaging=averaging,
                      layer=LAYER, index=INDEX, half=THICKNESS / 2, radius=RADIUS, a=PERIOD, two_rows=2 * row,
                      odd=2 * HOLES + 1, even=2 * HOLES + 2, rows=HOLES + 1, other=HOLES, three=3 * PERIOD,
                      across=0.6 * PERIOD, thickness=THICKNESS, time=time)
    return text if not device else text.replace("threads = 1;", f'device = "{device}";')


def found(torre, text, folder):
    """The strongest resonance: frequency [a / wavelength], Q, its error."""
    path = pathlib.Path(folder)
    (path / "job.cfg").write_text(text)
    subprocess.run([torre, "run", str(path / "job.cfg"), "--out", str(path / "out"), "-q", "--overwrite",
                    "--set", "run.tolerance=1e9"], check=True)
    with open(path / "out" / "r_resonances.csv", newline="", encoding="utf-8") as file:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
    best = max(rows, key=lambda row: row["weight"])
    return PERIOD / best["wavelength_nm"], best["Q"], best["Q_error"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torre", default="build/torre", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--cells", nargs="+", type=int, default=[12, 16])
    parser.add_argument("--averaging", nargs="+", default=["tensor"])
    parser.add_argument("--time", type=float, default=1100.0, help="[fs]")
    parser.add_argument("--device", default="", help="gpu; by default one thread")
    args = parser.parse_args()
    print("| cells a period | averaging | f a / c | off legume's | Q | off | error of Q |")
    print("|---|---|---|---|---|---|---|")
    for averaging in args.averaging:
        for cells in args.cells:
            with tempfile.TemporaryDirectory() as folder:
                f, q, error = found(args.torre, job(cells, averaging, args.time, args.device), folder)
            print(f"| {cells} | {averaging} | {f:.6f} | {100 * (f / LEGUME[0] - 1):+.2f} % | {q:.0f} | "
                  f"{100 * (q / LEGUME[1] - 1):+.1f} % | {error:.1g} |", flush=True)


if __name__ == "__main__":
    main()
