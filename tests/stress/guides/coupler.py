"""Directional coupler at 1550 nm: its coupling length against MPB's supermodes (coupler.ctl) and, of slabs, theory.

    python3 tests/stress/guides/coupler.py --torre build/torre [--cells 1 2] [--run 1]

Two slabs in 2-D (E across them, TE) and two silicon wires in silica in 3-D, 0.2 um apart; --cells: how many times finer
than 25 nm (wires: 22 nm along their height). Rows: from the supermodes of torre modes; of slabs with --run also from
the phases of a run's mode monitors, and from the power that a run finds in the upper guide, by flux lines alone. The
tables of docs/measurements/guides.md."""
import argparse
import csv
import math
import pathlib
import subprocess
import tempfile

import numpy
import scipy.optimize

WAVELENGTH, CLAD, SLAB = 1.55, 1.444, 2.848
MPB = {"slabs": 25.215, "wires": 24.225}  # um
PULSE = 'time = { type = "pulse"; wavelength = 1.55; band = 0.1; };'
SAME = f"""format_version = 3; length_unit = "um";
media = ( {{ name = "silica"; index = {CLAD}; }}, {{ name = "core"; index = %s; }} );
background = "silica"; schedule = {{ threads = 1; }};
"""
BETWEEN = 30.0  # um between the two mode monitors of the slabs' run
LINES = numpy.linspace(-12, 12, 25)


def theory(width=0.5, gap=0.2):
    """Coupling length of two slabs, E across them [um]: their dispersion relations, even and odd."""
    k = 2 * math.pi / WAVELENGTH

    def excess(n, part):
        inside, outside = k * math.sqrt(SLAB**2 - n**2), k * math.sqrt(n**2 - CLAD**2)
        ratio = SLAB**2 * outside / (CLAD**2 * inside)
        return inside * width - math.atan(ratio) - math.atan(ratio * part(outside * gap / 2))
    even, odd = (scipy.optimize.brentq(excess, 2.3, 2.7, args=(part,))
                 for part in (math.tanh, lambda x: 1 / math.tanh(x)))
    return WAVELENGTH / 2 / (even - odd)


def slabs(cell, order, run):
    line = lambda x, lo=-2.25, hi=2.25: f"box = {{ lo = [{x:.4f}, {lo}]; hi = [{x:.4f}, {hi}]; }};"
    text = SAME % SLAB + f"""
grid = {{ size = [{36.0 if run else 4.0}, 6.0]; cell = {cell}; polarisation = "TE"; order = {order};
  precision = "fp64"; }};
boundaries = {{ default = "cpml"; cpml = {{ thickness = 0.75; }}; }};
objects = ( {{ type = "rectangle"; medium = "core"; center = [0.0, 0.35]; size = [100.0, 0.5]; }},
  {{ type = "rectangle"; medium = "core"; center = [0.0, -0.35]; size = [100.0, 0.5]; }} );
modes = {{ {line(0)} wavelengths = [{WAVELENGTH}]; count = 2; image = false; }};
run = {{ time_fs = 900.0; decay = 1e-7; }};
"""
    if run:
        mode = lambda x: f'{{ type = "mode"; name = "at{x:.0f}"; count = 2; wavelengths = [{WAVELENGTH}]; {line(x)} }}'
        flux = lambda i, x: f'{{ type = "flux"; name = "f{i}"; wavelengths = [{WAVELENGTH}]; {line(x, 0.0, 3.0)} }}'
        text += f"""sources = ( {{ type = "mode"; direction = "+x"; mode = 0; {line(-16)} {PULSE} }},
  {{ type = "mode"; direction = "+x"; mode = 1; {line(-16)} {PULSE} }} );
monitors = ( {", ".join([mode(-BETWEEN / 2), mode(BETWEEN / 2), *(flux(i, x) for i, x in enumerate(LINES))])} );
"""
    return text


def wires(cell, order, wall):
    """A quarter of the wires, for torre modes."""
    z = cell * 22 / 25
    return SAME % 3.4757 + f"""
grid = {{ size = [{10 * cell}, 2.0, 1.32]; cell = [{cell}, {cell}, {z}]; order = {order}; precision = "fp64"; }};
objects = ( {{ type = "box"; medium = "core"; center = [0.0, -0.675, -0.66]; size = [100.0, 0.45, 0.22]; }} );
boundaries = {{ default = "pec"; z_lo = "pmc"; y_lo = "{wall}"; }};
modes = {{ box = {{ lo = [0.0, -50.0, -50.0]; hi = [0.0, 50.0, 50.0]; }}; wavelengths = [{WAVELENGTH}]; image = false;
  target_index = 2.4; }};
run = {{ time_fs = 400.0; decay = 1e-7; }};
"""


def table(path):
    return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(open(path))]


def torre(program, command, text):
    """Folder of results of a job, removed with the object that is returned."""
    folder = tempfile.TemporaryDirectory()
    path = pathlib.Path(folder.name)
    (path / "job.cfg").write_text(text)
    done = subprocess.run([program, command, str(path / "job.cfg"), "--out", str(path / "out")], capture_output=True)
    if done.returncode:
        raise SystemExit(f"{done.stderr.decode()}\ntorre {command}: status {done.returncode}")
    return folder, path / "out"


def supermodes(program, *texts):
    indices = []
    for text in texts:
        keep, out = torre(program, "modes", text)
        indices += [row["n_eff"] for row in table(out / "modes.csv")]
    return WAVELENGTH / 2 / (indices[0] - indices[1])


def by_phases(first, last, length):
    """Coupling length of the phases that two modes gain between two monitors; their n_eff count the turns."""
    gained = []
    for before, behind in zip(first, last):
        near = 2 * math.pi * before["n_eff"] * length / WAVELENGTH
        phase = behind["forward_phase_rad"] - before["forward_phase_rad"]
        gained.append(phase + 2 * math.pi * round((near - phase) / 2 / math.pi))
    return math.pi * length / (gained[0] - gained[1])


def by_power(spectra):
    """Coupling length of the power in the upper guide along the coupler, a + b cos(pi x / length + c)."""
    power = numpy.array([spectra[f"f{i}.power_J_per_Hz_m"] for i in range(len(LINES))])
    power /= power.max()
    wave = lambda x, a, b, c, length: a + b * numpy.cos(math.pi * x / length + c)
    found, _ = scipy.optimize.curve_fit(wave, LINES, power, p0=[0.5, 0.5, LINES[power.argmax()] * -math.pi / 25, 25])
    return found[3], numpy.abs(wave(LINES, *found) - power).max()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--torre", default="build/torre")
    parser.add_argument("--cells", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--order", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--run", type=int, nargs="*", default=[],
                        help="of --cells, those of slabs with a run in order 2, too")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    print(f"slabs by theory: {theory():.3f} um")

    def row(name, cell, order, how, value, more=""):
        print(f"| {name} | {1000 * cell:g} | {order} | {how} | {value:.3f} | {MPB[name]} "
              f"| {100 * (value / MPB[name] - 1):+.2f} % |{more}", flush=True)
    for cell, order in ((0.025 / times, order) for order in args.order for times in args.cells):
        run = order == 2 and round(0.025 / cell) in args.run
        if args.only in "slabs":
            row("slabs", cell, order, "torre modes", supermodes(args.torre, slabs(cell, order, False)))
        if args.only in "wires":
            row("wires", cell, order, "torre modes",
                supermodes(args.torre, *(wires(cell, order, wall) for wall in ("pec", "pmc"))))
        if run and args.only in "slabs":
            keep, out = torre(args.torre, "run", slabs(cell, order, True))
            length = by_phases(table(out / "at-15_modes.csv"), table(out / "at15_modes.csv"), BETWEEN)
            row("slabs", cell, order, "run, phases", length)
            length, off = by_power(table(out / "spectra.csv")[0])
            row("slabs", cell, order, "run, power in a guide", length, f" off the cosine: {off:.1e}")


if __name__ == "__main__":
    main()
