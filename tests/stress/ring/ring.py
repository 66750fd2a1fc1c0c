#!/usr/bin/env python3
"""Resonances of a ring by monitor resonances against exact ones: 2-D, TM, index 3.4, inner radius 1, width 1.

The exact ones are zeros of the determinant of continuity at both radii (Bessel functions inside, Hankel's outside),
found by Newton's method with scipy, if there is scipy; they are kept below. A line for each number of cells a unit,
rule of averaging and mode. With Debian's program harminv the same record is analysed by it, too.

Usage: ring.py --torre build/torre [--cells 20 40] [--averaging subpixel staircase tensor] [--time 1200]
"""
import argparse
import csv
import math
import pathlib
import shutil
import subprocess
import tempfile

LIGHT = 0.299792458  # um/fs
BEGIN = 250.0  # fs, after the source
INDEX, INNER, OUTER = 3.4, 1.0, 2.0
EXACT = {3: (0.1181917, 77.26), 4: (0.1474310, 343.92), 5: (0.1757794, 1634.21)}  # frequency [c/um], Q
JOB = """length_unit = "um";
grid = {{ size = [{size}, {size}]; cell = {cell}; polarisation = "TM"; precision = "fp64";
  averaging = "{averaging}"; }};
symmetry = {{ y = "even"; }};
boundaries = {{ cpml = {{ thickness = 2.0; }}; }};
media = ( {{ name = "semiconductor"; index = 3.4; }} );
objects = ( {{ type = "circle"; medium = "semiconductor"; radius = 2.0; }},
  {{ type = "circle"; medium = "vacuum"; radius = 1.0; }} );
sources = ( {{ type = "line_current"; position = [1.6, 0.0];
  time = {{ type = "pulse"; wavelength = 6.8; band = 4.5; }}; }} );
monitors = ( {{ type = "resonances"; name = "ring"; position = [1.3, 0.0]; from_fs = {begin};
    band = {{ from = 5.3; to = 10.0; }}; }},
  {{ type = "probe"; name = "series"; position = [1.3, 0.0]; components = ["Ez"]; every = {every}; }} );
run = {{ time_fs = {time}; }};
"""


def determinant(frequency, m):
    """Zero at a resonance; the frequency is complex, exp(-i omega t)."""
    import numpy
    from scipy.special import h1vp, hankel1, jv, jvp, yv, yvp

    k = 2 * math.pi * frequency
    a, b, n = k * INNER, k * OUTER, INDEX
    return numpy.linalg.det(numpy.array([
        [jv(m, a), -jv(m, n * a), -yv(m, n * a), 0],
        [jvp(m, a), -n * jvp(m, n * a), -n * yvp(m, n * a), 0],
        [0, jv(m, n * b), yv(m, n * b), -hankel1(m, b)],
        [0, n * jvp(m, n * b), n * yvp(m, n * b), -h1vp(m, b)]]))


def exact(m):
    """Frequency [c/um] and Q of mode m."""
    frequency, q = EXACT[m]
    try:
        import scipy  # noqa: F401
    except ImportError:
        return frequency, q
    z = complex(frequency, -frequency / (2 * q))
    for _ in range(60):
        h = 1e-6
        step = determinant(z, m) / ((determinant(z + h, m) - determinant(z - h, m)) / (2 * h))
        z -= step
        if abs(step) < 1e-13:
            break
    found = z.real, -z.real / (2 * z.imag)
    assert abs(found[0] - frequency) < 1e-6 and abs(found[1] / q - 1) < 1e-4, found
    return found


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def harminv(series, first, low, high):
    """(frequency [c/um], Q, amplitude, phase) of each line that it finds, in samples after a time [fs]; None: there is
    no such program."""
    if not shutil.which("harminv"):
        return None
    samples = [row for row in series if row["time_fs"] > first]
    step = (samples[-1]["time_fs"] - samples[0]["time_fs"]) / (len(samples) - 1) * LIGHT
    text = "\n".join(f"{row['Ez_V_per_m']:.16g}" for row in samples)
    answer = subprocess.run(["harminv", "-t", repr(step), f"{low}-{high}"], input=text, text=True, check=True,
                            capture_output=True).stdout
    lines = [[float(x) for x in line.split(",")] for line in answer.splitlines()[1:]]
    return [(abs(line[0]), line[2], line[3], line[4]) for line in lines]


def run(torre, folder, cells, averaging, time):
    job = pathlib.Path(folder) / "job.cfg"
    out = pathlib.Path(folder) / f"{cells}-{averaging}"
    job.write_text(JOB.format(size=16.0, cell=1 / cells, averaging=averaging, time=time, begin=BEGIN,
                              every=max(1, cells // 4)))
    subprocess.run([torre, "run", str(job), "--out", str(out), "-q"], check=True)
    return rows_of(out / "ring_resonances.csv"), rows_of(out / "series.csv")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torre", required=True)
    parser.add_argument("--cells", type=int, nargs="+", default=[20, 40])
    parser.add_argument("--averaging", nargs="+", default=["subpixel"])
    parser.add_argument("--time", type=float, default=1200.0)
    args = parser.parse_args()
    print("| averaging | cells | m | f | off | Q | off | error of Q | harminv: f, Q off from Torre's |")
    print("|---|---|---|---|---|---|---|---|---|")
    for averaging in args.averaging:
        for cells in args.cells:
            with tempfile.TemporaryDirectory() as folder:
                rows, series = run(args.torre, folder, cells, averaging, args.time)
            other = harminv(series, BEGIN, 0.09, 0.19)
            for m in EXACT:
                frequency, q = exact(m)
                found = min(rows, key=lambda row: abs(row["frequency_THz"] * 1e-3 / LIGHT / frequency - 1)
                            + (row["Q"] < 20))
                f = found["frequency_THz"] * 1e-3 / LIGHT
                oracle = "-"
                if other:
                    line = min(other, key=lambda line: abs(line[0] - f))
                    oracle = f"{line[0] / f - 1:+.1e}, {line[1] / found['Q'] - 1:+.1e}"
                print(f"| {averaging} | {cells} | {m} | {f:.7f} | {100 * (f / frequency - 1):+.3f} % "
                      f"| {found['Q']:.2f} | {100 * (found['Q'] / q - 1):+.2f} % | {found['Q_error']:.0e} "
                      f"| {oracle} |", flush=True)


if __name__ == "__main__":
    main()
