"""One periodic cell in three orientations, and whether their results are the same in the user's axes.

    turned_jobs.py write KIND     cell-0.cfg, cell-1.cfg, cell-2.cfg: axis a of the first is (a + n) % 3 of number n
    turned_jobs.py compare TOLERANCE A B TURN    results folders; of tables, results.h5 and snapshots

The first is open along x, so its job is not turned; the others are, to the same job (src/job/turn.h): with TOLERANCE 0
all values are the same to the bit. KIND is "plain", light along the open axis that enters in glass, or "tilted"."""

import csv
import math
import os
import sys

import h5py
import numpy

AXES = "xyz"


class Turn:
    def __init__(self, turn):
        self.turn = turn

    def axis(self, a):
        return (a + self.turn) % 3

    def name(self, a):
        return AXES[self.axis(a)]

    def vector(self, v):
        own = [0.0, 0.0, 0.0]
        for a in range(3):
            own[self.axis(a)] = v[a]
        return own

    def text(self, *v):
        return "[" + ", ".join(repr(float(x)) for x in self.vector(v)) + "]"

    def box(self, lo, hi):
        return f"box = {{ lo = {self.text(*lo)}; hi = {self.text(*hi)}; }};"

    def angles(self, direction, across):
        """theta, phi and psi of a direction of travel and of E, psi from the theta direction to the phi direction."""
        d, e = self.vector(direction), self.vector(across)
        theta, phi = math.acos(d[2]), math.atan2(d[1], d[0])
        along_theta = (math.cos(theta) * math.cos(phi), math.cos(theta) * math.sin(phi), -math.sin(theta))
        along_phi = (-math.sin(phi), math.cos(phi), 0.0)
        psi = math.atan2(sum(p * q for p, q in zip(e, along_phi)), sum(p * q for p, q in zip(e, along_theta)))
        return f"theta_deg = {math.degrees(theta)!r}; phi_deg = {math.degrees(phi)!r}; psi_deg = {math.degrees(psi)!r};"


def job(turn, kind):
    t = Turn(turn)
    x, y, z = (t.name(a) for a in range(3))
    wall = "periodic" if kind == "plain" else "bloch"
    wave = f'direction = "+{x}"; polarisation = "{y}";'
    if kind == "tilted":
        along = (math.cos(0.4), math.sin(0.4) * math.cos(0.7), math.sin(0.4) * math.sin(0.7))
        wave = t.angles(along, (-math.sin(0.4), math.cos(0.4) * math.cos(0.7), math.cos(0.4) * math.sin(0.7)))
    image = "image = true;" if kind == "plain" else ""
    return f"""length_unit = "nm";
grid = {{ size = {t.text(1000, 300, 250)}; cell = 25.0; courant = 0.6; samples = 4; }};
boundaries = {{ default = "{wall}"; {x}_lo = {{ type = "cpml"; cells = 8; }};
  {x}_hi = {{ type = "cpml"; cells = 6; }}; }};
media = ( {{ name = "glass"; index = 1.5; }}, {{ name = "crystal"; permittivity = {t.text(2.2, 2.4, 2.9)}; }} );
objects = ( {{ type = "layer"; axis = "{x}"; medium = "glass"; hi = -100.0; }},
  {{ type = "box"; medium = "crystal"; center = {t.text(20, 130, -40)}; size = {t.text(120, 90, 110)}; }},
  {{ type = "cone"; axis = "{y}"; medium = "glass"; center = {t.text(150, 10, 30)}; height = 140.0;
    radius_lo = 70.0; radius_hi = 30.0; }},
  {{ type = "prism"; axis = "{z}"; medium = "glass"; lo = -60.0; hi = 90.0;
    vertices = ( [-60.0, -140.0], [60.0, -120.0], [0.0, -20.0] ); }},
  {{ type = "sphere"; medium = "Au"; center = {t.text(60, -80, 60)}; radius = 45.0; }} );
sources = ( {{ type = "plane_wave"; name = "wave"; {wave} {t.box((-250, -150, -125), (500, 150, 125))}
  time = {{ type = "pulse"; wavelength = 400.0; band = 250.0; }}; }} );
monitors = ( {{ type = "flux"; name = "r"; {t.box((-275, -150, -125), (-275, 150, 125))}
    wavelengths = [480.0, 510.0]; }},
  {{ type = "flux"; name = "t"; {t.box((275, -150, -125), (275, 150, 125))} wavelengths = [480.0, 510.0]; }},
  {{ type = "orders"; name = "behind"; axis = "{x}"; position = 250.0; wavelengths = [290.0, 480.0]; }},
  {{ type = "field"; name = "block"; {t.box((0, -50, -75), (50, 25, 100))} wavelengths = [480.0]; }},
  {{ type = "field"; name = "plane"; {t.box((100, -150, -125), (100, 150, 125))} wavelengths = [480.0]; {image} }},
  {{ type = "slice"; name = "cut"; axis = "{z}"; position = 12.5; component = "E{y}"; times_fs = [4.0, 8.0];
    {image} }},
  {{ type = "probe"; name = "point"; position = {t.text(110, 20, -30)}; wavelengths = [480.0]; }},
  {{ type = "absorption"; name = "heat"; {t.box((0, -150, 0), (125, 0, 125))} wavelengths = [480.0]; {image} }},
  {{ type = "snapshot"; name = "shot"; {t.box((-300, -150, -100), (300, 150, 100))} times_fs = [6.0, 9.0];
    components = ["E{x}", "E{y}", "H{z}"]; stride = {[int(s) for s in t.vector((3, 2, 1))]}; }},
  {{ type = "snapshot"; name = "film"; {t.box((-300, -150, 0), (300, 150, 0))} times_fs = [9.0]; {image} }} );
run = {{ time_fs = 12.0; tolerance = 1e9; }};
checkpoint = {{ keep = true; }};
"""


# --- Comparison ---


class Difference(Exception):
    pass


def compare(what, a, b, tolerance):
    a, b = numpy.asarray(a), numpy.asarray(b)
    if a.shape != b.shape:
        raise Difference(f"{what}: shapes {a.shape} and {b.shape}")
    if a.size and a.dtype.kind in "fiu":
        off = float(numpy.nanmax(numpy.abs(a.astype(float) - b.astype(float)), initial=0))
        if off > tolerance * float(numpy.nanmax(numpy.abs(a.astype(float)), initial=0)):
            raise Difference(f"{what}: off by {off:g}")
    elif not numpy.array_equal(a, b):
        raise Difference(f"{what}: {a} and {b}")


def renamed(name, turn):
    """A component's or an axis' name in the other orientation."""
    def of(word):
        if word in AXES:
            return turn.name(AXES.index(word))
        if len(word) == 2 and word[0] in "EH" and word[1] in AXES:
            return word[0] + turn.name(AXES.index(word[1]))
        return word
    return "/".join("_".join(of(part) for part in word.replace("per_Hz", "per_hz").split("_")) for word in
                    name.split("/")).replace("per_hz", "per_Hz")


def reordered(data, turn):
    """An array of the first with its axes in the order that the other has, by the attribute `axes`."""
    names = data.attrs.get("axes", b"")
    names = (names.decode() if isinstance(names, bytes) else str(names)).replace("order_", "").split()
    wanted = sorted((n for n in names if n in AXES), key=lambda n: -turn.axis(AXES.index(n)))
    order = [names.index(wanted.pop(0)) if n in AXES else i for i, n in enumerate(names)]
    return numpy.transpose(data[()], order) if order else data[()]


def compare_files(a, b, turn, tolerance, counts):
    def visit(name, data):
        if not isinstance(data, h5py.Dataset) or data.dtype.kind not in "fiu":
            return
        if name.startswith("job") or name.endswith("/planes"):
            return
        other = renamed(name, turn)
        if other not in b:
            raise Difference(f"{other} is missing")
        compare(name, reordered(data, turn), b[other][()], tolerance)
        counts[0] += 1
    a.visititems(visit)


def compare_tables(a, b, turn, tolerance):
    with open(a, newline="") as first, open(b, newline="") as second:
        rows, others = list(csv.reader(first)), list(csv.reader(second))
    names = [renamed(n, turn) for n in rows[0]]
    if sorted(names) != sorted(others[0]):
        raise Difference(f"{a}: columns {names} and {others[0]}")
    if len(rows) != len(others):
        raise Difference(f"{a}: {len(rows)} and {len(others)} rows")
    for i, name in enumerate(names):
        k = others[0].index(name)
        compare(f"{a}: {name}", [float(r[i] or "nan") for r in rows[1:]], [float(r[k] or "nan") for r in others[1:]],
                tolerance)


def main():
    if sys.argv[1] == "write":
        for turn in range(3):
            with open(f"cell-{turn}.cfg", "w") as out:
                out.write(job(turn, sys.argv[2]))
        return
    tolerance, a, b, turn, counts = float(sys.argv[2]), sys.argv[3], sys.argv[4], Turn(int(sys.argv[5])), [0]
    for folder, _, files in os.walk(a):
        for name in sorted(files):
            first = os.path.join(folder, name)
            second = os.path.join(b, os.path.relpath(first, a))
            if name.endswith(".csv") and "times" not in name:
                compare_tables(first, second, turn, tolerance)
                counts[0] += 1
            elif name.endswith(".h5") and "checkpoint" not in folder:
                with h5py.File(first) as f, h5py.File(second) as g:
                    compare_files(f, g, turn, tolerance, counts)
    print(f"{counts[0]} tables and arrays are the same")
    if counts[0] < 60:
        raise Difference("too few")


try:
    main()
except Difference as difference:
    sys.exit(str(difference))
