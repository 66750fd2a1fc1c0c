#!/usr/bin/env python3
"""Examples of Meep's tutorials with printed numbers, as Torre's jobs: a ring, a cavity between holes of a guide with 3
and 16 holes on each side, and bands of the guide of holes.

Meep's numbers: its Python tutorials "Basics" (ring.py, 10 cells a unit) and "Band Diagram, Resonant Modes, and
Transmission of a Waveguide Cavity" (holey-wvg-cavity.py, holey-wvg-bands.py, 20 cells). Lengths in um, frequencies in
c / um. The ring's exact ones: tests/stress/ring/ring.py.

Usage: meep_resonances.py --torre build/torre [--cells 1 2] [--averaging subpixel tensor] [--only TEXT] [--width 6]
  --cells: how many times Meep's cells a unit; --only: of examples with TEXT in their names; --width: of the cavities'
  domain across the guide, 6 in Meep's
"""
import argparse
import csv
import pathlib
import subprocess
import tempfile

# example: (Meep's cells a unit, [(frequency, Q or None), ...])
MEEP = {
    "ring": (10, [(0.118101575, 80.683), (0.147162556, 316.293), (0.175246751, 1677.485)]),
    "cavity, 3 holes": (20, [(0.235109393, 373.213)]),
    "cavity, 16 holes": (20, [(0.235201161, 8754.786)]),
    "bands, k = 0.325": (20, [(0.171671253, None), (0.319717965, None)]),
    "bands, k = 0.4": (20, [(0.1896, None), (0.3175, None)]),
}
LEAST_Q = 50  # of the modes compared; wider ones may lie nearer
GRID = 'format_version = 3; length_unit = "um"; grid = {{ size = [{0}, {1}]; cell = {cell}; polarisation = "{2}"; ' \
       'precision = "fp64"; averaging = "{averaging}"; }};\n'
GUIDE = '{ type = "rectangle"; medium = "guide"; size = [100.0, 1.2]; }'
HOLE = '{{ type = "circle"; medium = "vacuum"; radius = 0.36; center = [{}, 0.0]; }}'


def ring():
    return GRID.format(16.0, 16.0, "TM", cell="{cell}", averaging="{averaging}") + """
boundaries = { cpml = { thickness = 2.0; }; };
symmetry = { y = "even"; };
media = ( { name = "guide"; index = 3.4; } );
objects = ( { type = "circle"; medium = "guide"; radius = 2.0; },
  { type = "circle"; medium = "vacuum"; radius = 1.0; } );
sources = ( { type = "line_current"; position = [1.1, 0.0];
  time = { type = "pulse"; wavelength = 6.8; band = 4.5; }; } );
monitors = ( { type = "resonances"; name = "r"; position = [1.1, 0.0]; from_fs = 250.0;
  band = { from = 5.3; to = 10.0; }; } );
run = { time_fs = 1250.0; };
"""


def cavity(holes, width):
    places = [side * (0.7 + i) for i in range(holes) for side in (1, -1)]
    return GRID.format(2 * (3 + holes) + 0.4, width, "TE", cell="{cell}", averaging="{averaging}") + """
boundaries = { cpml = { thickness = 1.0; }; };
media = ( { name = "guide"; permittivity = 13.0; } );
objects = ( """ + ",\n  ".join([GUIDE, *(HOLE.format(x) for x in places)]) + """ );
sources = ( { type = "line_dipole"; axis = "y"; position = [0.3, 0.0];
  time = { type = "pulse"; wavelength = 4.0; band = 3.2; }; } );
monitors = ( { type = "resonances"; name = "r"; position = [0.02, 0.0]; components = ["Hz"]; from_fs = 300.0;
  band = { from = 3.6; to = 5.0; }; } );
run = { time_fs = """ + ("1600.0" if holes < 10 else "6000.0") + """; };
"""


def bands(k):
    return GRID.format(1.0, 12.0, "TE", cell="{cell}", averaging="{averaging}") + f"""
boundaries = {{ x_lo = "bloch"; x_hi = "bloch"; phase_deg = [{360 * k}, 0.0]; cpml = {{ thickness = 1.0; }}; }};
media = ( {{ name = "guide"; permittivity = 13.0; }} );
objects = ( {GUIDE}, {HOLE.format("0.0")} );
sources = ( {{ type = "line_dipole"; axis = "y"; position = [0.1234, 0.0];
  time = {{ type = "pulse"; wavelength = 4.0; band = 4.0; }}; }} );
monitors = ( {{ type = "resonances"; name = "r"; position = [0.1234, 0.0]; components = ["Hz"]; from_fs = 300.0;
  band = {{ from = 2.9; to = 7.0; }}; }} );
run = {{ time_fs = 1600.0; }};
"""


def jobs(width):
    return {"ring": ring(), "cavity, 3 holes": cavity(3, width), "cavity, 16 holes": cavity(16, width),
            "bands, k = 0.325": bands(0.325), "bands, k = 0.4": bands(0.4)}


def found(torre, text):
    """[(frequency, Q), ...] of a job's resonances."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "job.cfg").write_text(text)
        command = [torre, "run", "job.cfg", "--out", "out", "-q", "--threads", "1", "--set", "run.tolerance=1e9"]
        subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)
        with open(path / "out" / "r_resonances.csv", newline="", encoding="utf-8") as file:
            return [(1000 / float(row["wavelength_nm"]), float(row["Q"])) for row in csv.DictReader(file)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--torre", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    arguments.add_argument("--cells", nargs="+", type=int, default=[1])
    arguments.add_argument("--averaging", nargs="+", default=["subpixel", "tensor"])
    arguments.add_argument("--only", default="")
    arguments.add_argument("--width", type=float, default=6.0)
    options = arguments.parse_args()
    text_of = jobs(options.width)
    print("| example | cells a unit | averaging | f | Q | Meep f | Q | f off |\n|---|---|---|---|---|---|---|---|")
    for name, (cells, theirs) in ((name, of) for name, of in MEEP.items() if options.only in name):
        for times in options.cells:
            for averaging in options.averaging:
                text = text_of[name].replace("{cell}", str(1 / (cells * times))).replace("{averaging}", averaging)
                kept = [mode for mode in found(options.torre, text) if mode[1] > LEAST_Q]
                for f, q in theirs:
                    near = min(kept, key=lambda mode: abs(mode[0] - f))
                    print(f"| {name} | {cells * times} | {averaging} | {near[0]:.6f} | {near[1]:.1f} | {f:.6f} |"
                          f" {q or ''} | {100 * (near[0] / f - 1):+.3f} % |", flush=True)


if __name__ == "__main__":
    main()
