"""Bends of a slab guide (2-D, E across the plane) against the modes of the conformal map (bend_theory.py).

    python3 tests/stress/guides/bends.py --torre build/torre [--radius 1 2 5] [--cell 0.04] [--order 4]

A mode passes an arc of 90 and one of 180 degrees between straight guides. Prints a row of the table in
docs/measurements/guides.md for each radius: what either loses to the guide's mode, in the run and by theory."""
import argparse
import csv
import pathlib
import subprocess

import bend_theory

CORE, CLAD, WIDTH, WAVELENGTH = 2.4, 1.444, 0.5, 1.55
LAYER, SIDE, STRAIGHT = 0.8, 1.6, 2.4  # um: absorbing layer, room beside guides, guide before the arc


def job(radius, angle, cell, order):
    """The text of a job, its arc's middle at (0, radius) and the guide's middle at y = 0 before it."""
    lo = [-STRAIGHT - LAYER, -SIDE - LAYER]
    hi = [radius + SIDE + LAYER, (radius + STRAIGHT if angle == 90 else 2 * radius + SIDE) + LAYER]
    mid = [(a + b) / 2 for a, b in zip(lo, hi)]
    size = [round((b - a) / cell / 2) * 2 * cell for a, b in zip(lo, hi)]
    at = lambda x, y: f"[{x - mid[0]:.6f}, {y - mid[1]:.6f}]"
    source, first = -STRAIGHT + 0.4, -STRAIGHT + 0.8
    if angle == 90:
        out = f'size = [{WIDTH}, 20.0]; center = {at(radius, radius + 10)}'
        last = f"lo = {at(radius - SIDE, radius + STRAIGHT - 0.8)}; hi = {at(radius + SIDE, radius + STRAIGHT - 0.8)}"
    else:
        half = min(SIDE, radius)
        out = f'size = [20.0, {WIDTH}]; center = {at(-10, 2 * radius)}'
        last = f"lo = {at(first, 2 * radius - half)}; hi = {at(first, 2 * radius + SIDE)}"
    half = SIDE if angle == 90 else min(SIDE, radius)
    return f"""format_version = 3;
length_unit = "um";
grid = {{ size = [{size[0]:.6f}, {size[1]:.6f}]; cell = {cell}; polarisation = "TM"; order = {order};
  precision = "fp64"; averaging = "tensor"; }};
boundaries = {{ default = "cpml"; cpml = {{ thickness = {LAYER}; }}; }};
media = ( {{ name = "clad"; index = {CLAD}; }}, {{ name = "core"; index = {CORE}; }} );
background = "clad";
objects = (
  {{ type = "rectangle"; medium = "core"; size = [20.0, {WIDTH}]; center = {at(-10, 0)}; }},
  {{ type = "arc"; medium = "core"; center = {at(0, radius)}; radius = {radius}; width = {WIDTH};
    from_deg = -90.0; to_deg = {angle - 90}.0; }},
  {{ type = "rectangle"; medium = "core"; {out}; }} );
sources = ( {{ type = "mode"; name = "in"; direction = "+x";
  box = {{ lo = {at(source, -SIDE)}; hi = {at(source, half)}; }};
  time = {{ type = "pulse"; wavelength = {WAVELENGTH}; band = 0.3; }}; }} );
monitors = ( {{ type = "mode"; name = "first"; wavelengths = [{WAVELENGTH}];
    box = {{ lo = {at(first, -SIDE)}; hi = {at(first, half)}; }}; }},
  {{ type = "mode"; name = "last"; wavelengths = [{WAVELENGTH}]; box = {{ {last}; }}; }} );
run = {{ time_fs = {330 + 9 * 2 * angle / 180 * 3.1416 * radius:.0f}.0; }};
schedule = {{ threads = 1; }};
"""


def power(torre, folder, radius, angle, cell, order):
    """Behind the arc, over that before it."""
    name = folder / f"bend_{radius}_{angle}.cfg"
    name.write_text(job(radius, angle, cell, order))
    out = folder / name.stem
    done = subprocess.run([torre, "run", str(name), "--out", str(out), "-q", "--overwrite"])
    if done.returncode not in (0, 3):
        raise SystemExit(f"{name}: status {done.returncode}")
    rows = [next(csv.DictReader(open(out / f"{port}_modes.csv"))) for port in ("first", "last")]
    values = [{k: float(v) for k, v in row.items()} for row in rows]
    way = "forward" if angle == 90 else "backward"
    return values[1][f"{way}_J_per_Hz_m"] / values[0]["forward_J_per_Hz_m"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--torre", default="build/torre")
    parser.add_argument("--radius", type=float, nargs="+", default=[1, 2, 5])
    parser.add_argument("--cell", type=float, default=0.04)
    parser.add_argument("--order", type=int, default=4)
    parser.add_argument("--step", type=float, default=0.02, help="of the theory [um]")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("bends"))
    args = parser.parse_args()
    args.folder.mkdir(exist_ok=True)
    for radius in args.radius:
        left, own, mismatch = bend_theory.bend(radius, (90, 180), WIDTH, CORE, CLAD, WAVELENGTH, args.step)
        row = f"| {radius:g} "
        for angle, theory in zip((90, 180), left):
            lost = 1 - power(args.torre, args.folder, radius, angle, args.cell, args.order)
            row += f"| {lost:.5f} | {1 - theory:.5f} | {100 * (lost / (1 - theory) - 1):+.1f} % "
        print(row + f"| {own:.2e} | {mismatch:.4f} |", flush=True)


if __name__ == "__main__":
    main()
