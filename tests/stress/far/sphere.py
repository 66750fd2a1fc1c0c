#!/usr/bin/env python3
"""Differential cross-section of a sphere of index 2 with kr = 3 by monitor far_field against Mie's series, at 181
angles in the planes of E and H: the largest difference over the peak, the difference of the total to the scattering
through a flux box, and Q_sca. A line for each number of cells a radius and each order.

Usage: sphere.py --torre build/torre [--cells 10 15 20 30] [--orders 2 4]
"""
import argparse
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "surfaces"))
import series  # noqa: E402

RADIUS, NM, INDEX = 100.0, 2 * math.pi * 100 / 3, 2.0
JOB = """grid = {{ size = [{half}, {half}, {size}]; cell = {cell}; order = {order}; averaging = "tensor"; }};
boundaries = {{ default = "cpml"; x_lo = "pec"; y_lo = "pmc"; }};
media = ( {{ name = "glass"; index = 2.0; }} );
objects = ( {{ type = "sphere"; medium = "glass"; center = [{corner}, {corner}, 0.0]; radius = 100.0; }} );
sources = ( {{ type = "plane_wave"; direction = "+z"; polarisation = "x";
  box = {{ lo = [{corner}, {corner}, -{tf}]; hi = [{tf_hi}, {tf_hi}, {tf}]; }};
  time = {{ type = "pulse"; wavelength = 220.0; band = 100.0; }}; }} );
monitors = ( {{ type = "far_field"; name = "far"; wavelengths = [{nm}]; step_deg = 1.0; image = false;
  box = {{ lo = [{corner}, {corner}, -{out}]; hi = [{out_hi}, {out_hi}, {out}]; }}; }} );
run = {{ time_fs = 120.0; decay = 1e-8; }};
"""


def amplitudes(cosine):
    """S1, S2 of Bohren and Huffman, eq. 4.74."""
    a, b = series.coefficients([(RADIUS, INDEX ** 2)], NM, 20)
    last, pi, s1, s2 = 0, 1, 0, 0
    for n in range(1, len(a)):
        tau, weight = n * cosine * pi - (n + 1) * last, (2 * n + 1) / (n * (n + 1))
        s1, s2 = s1 + weight * (a[n] * pi + b[n] * tau), s2 + weight * (a[n] * tau + b[n] * pi)
        last, pi = pi, ((2 * n + 1) * cosine * pi - (n + 1) * last) / n
    return s1, s2


def run(torre, folder, cells, order):
    cell = RADIUS / cells
    half = RADIUS + 20 * cell
    values = {"cell": cell, "order": order, "nm": NM, "half": half, "size": 2 * half, "corner": -half / 2,
              "tf": RADIUS + 3 * cell, "out": RADIUS + 6 * cell}
    values.update(tf_hi=values["tf"] - half / 2, out_hi=values["out"] - half / 2)
    job = pathlib.Path(folder) / "job.cfg"
    job.write_text(JOB.format(**values))
    out = pathlib.Path(folder) / f"{cells}-{order}"
    subprocess.run([torre, "run", str(job), "--out", str(out), "-q"], check=True)
    with open(out / "far_far.csv", encoding="utf-8") as file:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
    with open(out / "spectra.csv", encoding="utf-8") as file:
        power = 4 * float(next(csv.DictReader(file))["power_J_per_Hz"])
    return rows, power


def look(rows, power):
    k = 2 * math.pi / NM
    worst = peak = total = 0
    for row in rows:
        theta, step = math.radians(row["theta_deg"]), math.radians(1)
        edge = 0.5 if row["theta_deg"] in (0, 180) else 1
        # trapezoidal in theta: its error, of the ends of sin theta, is (step^2 / 12) (f(0) + f(pi)) 2 pi
        total += row["power_J_per_Hz_sr"] * math.sin(theta) * step * step * edge
        if row["phi_deg"] not in (0, 90):
            continue
        want = abs(amplitudes(math.cos(theta))[row["phi_deg"] == 0]) ** 2 / k ** 2
        worst, peak = max(worst, abs(row["dC_nm2_per_sr"] - want)), max(peak, want)
    ends = [r["power_J_per_Hz_sr"] for r in rows if r["phi_deg"] == 0 and r["theta_deg"] in (0, 180)]
    total += math.radians(1) ** 2 / 12 * sum(ends) * 2 * math.pi
    incident = rows[0]["power_J_per_Hz_sr"] / rows[0]["dC_nm2_per_sr"]
    return worst / peak, total / power - 1, power / incident / (math.pi * RADIUS ** 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torre", required=True)
    parser.add_argument("--cells", type=int, nargs="+", default=[10, 15, 20, 30])
    parser.add_argument("--orders", type=int, nargs="+", default=[2, 4])
    options = parser.parse_args()
    exact = series.efficiencies([(RADIUS, INDEX ** 2)], NM)[1]
    print("| order | cells a radius | worst of 181 angles, of the peak | total over flux - 1 | Q_sca | off |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for order in options.orders:
            for cells in options.cells:
                worst, total, q = look(*run(options.torre, folder, cells, order))
                print(f"| {order} | {cells} | {100 * worst:.2f} % | {total:+.1e} | {q:.4f} | "
                      f"{100 * (q / exact - 1):+.2f} % |", flush=True)


main()
