#!/usr/bin/env python3
"""Examples of Meep's tutorials whose answers are powers, as Torre's jobs in Meep's cells: light absorbed by a cylinder,
a bend, a taper, orders of a grating in oblique light. Prints a row for each number.

Meep's numbers: the grating's are those that its tutorial "Mode Decomposition" prints (binary_grating_oblique.py); the
others are of meep_power_reference.py, Meep 1.25.0, since those examples print none or powers of a source. Exact: the
series of a cylinder, and rigorous coupled waves. Lengths in um.

    python3 tests/stress/gallery/meep_power.py --torre build/torre [--times 1 2] [--only TEXT]

--times: of the examples' cells a unit; --only: of examples with TEXT in their names"""
import argparse
import csv
import pathlib
import subprocess
import tempfile

HEAD = 'format_version = 3; length_unit = "um"; schedule = {{ threads = 1; }};\n' \
       'grid = {{ size = [{}, {}]; cell = {cell}; polarisation = "TM"; precision = "fp64"; }};\n'
# Number: Meep's with its cells, with half of them (None: not run), and the exact one (None: not known)
MEEP = {
    "absorbed": {"by the field": (0.010479, None, 0.0104965), "by the flux": (0.010876, None, 0.0104965)},
    "bend": {"T at 6.0": (0.27702, 0.26639, None), "R at 6.0": (0.20433, 0.20692, None),
             "T at 7.0": (0.16310, 0.16097, None), "R at 7.0": (0.22358, 0.22968, None),
             "T at 8.0": (0.28555, 0.28410, None), "R at 8.0": (0.22806, 0.23221, None)},
    "taper": {"R, length 1": (2.4302e-4, 3.2748e-4, None), "R, length 2": (1.1439e-4, 7.5086e-5, None),
              "R, length 4": (3.2701e-4, 6.8613e-5, None)},
    "grating": {"R, order 0": (0.04414669, None, 0.041573), "T, order 1": (0.38260804, None, 0.384646),
                "T, order 3": (0.04148390, None, 0.041849), "R, all": (0.061007, None, 0.058925),
                "T, all": (0.937897, None, 0.941075)},
}
CELLS = {"absorbed": 50, "bend": 10, "taper": 10, "grating": 50}  # a unit
INDEX = (1.4601659, 0.00033737385)  # of Meep's SiO2 at 1 um


def absorbed():
    return HEAD.format(8.0, 8.0, cell="{cell}") + f"""
boundaries = {{ cpml = {{ thickness = 1.0; }}; }};
media = ( {{ name = "silica"; n = {INDEX[0]}; k = {INDEX[1]}; at = 1.0; }} );
objects = ( {{ type = "circle"; medium = "silica"; radius = 1.0; }} );
sources = ( {{ type = "plane_wave"; direction = "+x"; box = {{ lo = [-1.6, -1.6]; hi = [1.6, 1.6]; }};
  time = {{ type = "pulse"; wavelength = 1.0; band = 0.1; }}; }} );
monitors = ( {{ type = "cross_section"; name = "c"; wavelengths = [1.0]; }},
  {{ type = "absorption"; name = "a"; box = {{ lo = [-1.1, -1.1]; hi = [1.1, 1.1]; }}; wavelengths = [1.0]; }} );
run = {{ time_fs = 600.0; }};
"""


def bend(straight):
    """The guide's middle at y = -11.5 and x = 3.5, as in Meep's; the source a mode's, behind which R is measured."""
    guides = """( { type = "rectangle"; medium = "guide"; size = [12.0, 1.0]; center = [-2.0, -11.5]; },
  { type = "rectangle"; medium = "guide"; size = [1.0, 28.0]; center = [3.5, 2.0]; } )"""
    ahead = "lo = [2.5, 14.5]; hi = [4.5, 14.5];"
    if straight:
        guides = '( { type = "rectangle"; medium = "guide"; size = [100.0, 1.0]; center = [0.0, -11.5]; } )'
        ahead = "lo = [6.5, -12.5]; hi = [6.5, -10.5];"
    return HEAD.format(16.0, 32.0, cell="{cell}") + """
boundaries = { cpml = { thickness = 1.0; }; };
media = ( { name = "guide"; permittivity = 12.0; } );
objects = GUIDES;
sources = ( { type = "mode"; direction = "+x"; box = { lo = [-6.0, -14.9]; hi = [-6.0, -8.1]; };
  time = { type = "pulse"; wavelength = 6.9; band = 2.1; }; } );
monitors = ( { type = "flux"; name = "back"; box = { lo = [-6.5, -12.5]; hi = [-6.5, -10.5]; };
    wavelengths = [6.0, 6.5, 7.0, 7.5, 8.0]; },
  { type = "flux"; name = "ahead"; box = { AHEAD };
    wavelengths = [6.0, 6.5, 7.0, 7.5, 8.0]; } );
run = { time_fs = 2000.0; };
""".replace("GUIDES", guides).replace("AHEAD", ahead)


def taper(length):
    total, half = 32.0 + length, length / 2
    return HEAD.format(total, 12.0, cell="{cell}") + f"""
boundaries = {{ x_lo = {{ type = "cpml"; thickness = 6.0; }}; x_hi = {{ type = "cpml"; thickness = 6.0; }};
  cpml = {{ thickness = 2.0; }}; }};
media = ( {{ name = "guide"; permittivity = 12.0; }} );
objects = ( {{ type = "polygon"; medium = "guide"; vertices = ([-30.0, -0.5], [{-half}, -0.5],
  [{half}, -1.0], [30.0, -1.0], [30.0, 1.0], [{half}, 1.0], [{-half}, 0.5], [-30.0, 0.5]); }} );
sources = ( {{ type = "mode"; direction = "+x";
  box = {{ lo = [{8.0 - total / 2}, -6.0]; hi = [{8.0 - total / 2}, 6.0]; }};
  time = {{ type = "pulse"; wavelength = 6.67; band = 1.5; }}; }} );
monitors = ( {{ type = "mode"; name = "m"; wavelengths = [6.67];
  box = {{ lo = [{13.0 - total / 2}, -6.0]; hi = [{13.0 - total / 2}, 6.0]; }}; }} );
run = {{ time_fs = 2500.0; }};
"""


def grating():
    return HEAD.format(8.5, 10.0, cell="{cell}") + """
boundaries = { y_lo = "bloch"; y_hi = "bloch"; cpml = { thickness = 1.0; }; };
media = ( { name = "glass"; index = 1.5; } );
objects = ( { type = "layer"; axis = "x"; medium = "glass"; hi = -0.25; },
  { type = "rectangle"; medium = "glass"; size = [0.5, 5.0]; } );
sources = ( { type = "plane_wave"; phi_deg = 10.7; box = { lo = [-2.0, -5.0]; hi = [10.0, 5.0]; };
  time = { type = "pulse"; wavelength = 0.5; band = 0.02; }; } );
monitors = ( { type = "orders"; name = "before"; axis = "x"; position = -2.5; wavelengths = [0.5]; },
  { type = "orders"; name = "behind"; axis = "x"; position = 1.75; wavelengths = [0.5]; },
  { type = "flux"; name = "r"; box = { lo = [-2.5, -5.0]; hi = [-2.5, 5.0]; }; wavelengths = [0.5]; },
  { type = "flux"; name = "t"; box = { lo = [1.75, -5.0]; hi = [1.75, 5.0]; }; wavelengths = [0.5]; } );
run = { time_fs = 1200.0; };
"""


def table(folder, name):
    with open(folder / "out" / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run(torre, text):
    """The folder of a job's results, which the caller removes."""
    folder = tempfile.TemporaryDirectory()
    path = pathlib.Path(folder.name)
    (path / "job.cfg").write_text(text)
    subprocess.run([torre, "run", "job.cfg", "--out", "out", "-q", "--set", "run.tolerance=1e9"], cwd=path, check=True)
    return folder, path


def absorbed_numbers(torre, cell):
    """Over the light on the cylinder's width, as Meep's and the series of Bessel functions (exact)."""
    folder, path = run(torre, absorbed().replace("{cell}", cell))
    with folder:
        row = table(path, "spectra.csv")[0]
        return {"by the field": float(row["a.fraction"]) * 2.2 / 2, "by the flux": float(row["c.C_abs_nm"]) / 2000}


def bend_numbers(torre, cell):
    """Over what passes as wide a line at the straight guide's end, as Meep's."""
    folder, path = run(torre, bend(straight=True).replace("{cell}", cell))
    with folder:
        sent = [float(row["ahead.fraction"]) for row in table(path, "spectra.csv")]
    folder, path = run(torre, bend(straight=False).replace("{cell}", cell))
    found = {}
    with folder:
        for row, over in zip(table(path, "spectra.csv"), sent):
            wavelength = float(row["wavelength_nm"]) / 1000
            found[f"T at {wavelength}"] = float(row["ahead.fraction"]) / over
            found[f"R at {wavelength}"] = -float(row["back.fraction"]) / over
    return found


def taper_numbers(torre, cell):
    found = {}
    for length in (1, 2, 4):
        folder, path = run(torre, taper(length).replace("{cell}", cell))
        with folder:
            row = table(path, "m_modes.csv")[0]
            found[f"R, length {length}"] = float(row["backward_J_per_Hz_m"]) / float(row["forward_J_per_Hz_m"])
    return found


def grating_numbers(torre, cell):
    folder, path = run(torre, grating().replace("{cell}", cell))
    with folder:
        back, ahead = ({int(row["order_y"]): float(row["fraction"]) for row in table(path, name + "_orders.csv")
                        if row["direction"] == way} for name, way in (("before", "-1"), ("behind", "1")))
        return {"R, order 0": abs(back[0]), "T, order 1": ahead[1], "T, order 3": ahead[3],
                "R, all": sum(abs(power) for power in back.values()), "T, all": sum(ahead.values())}


def main():
    numbers = {"absorbed": absorbed_numbers, "bend": bend_numbers, "taper": taper_numbers, "grating": grating_numbers}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torre", default="build/torre", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--times", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    print("| example | cells a unit | number | Torre | Meep | exact |\n|---|---:|---|---|---|---|")
    for name in (name for name in MEEP if args.only in name):
        for times in args.times:
            cells = CELLS[name] * times
            found = numbers[name](args.torre, repr(1 / cells))
            for number, theirs in MEEP[name].items():
                other = theirs[times - 1] if times < 3 else None
                shown = (f"{x:.4g}" if x is not None else "" for x in (found[number], other, theirs[2]))
                print(f"| {name} | {cells} | {number} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
