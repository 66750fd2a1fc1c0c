#!/usr/bin/env python3
"""The table of pillars of job metalens-3d, and what its results say of the focus.

    python3 lens.py table --torre torre                  # writes pillars.h5
    python3 lens.py focus results/metalens-3d            # a row of docs/measurements/metalens.md for each folder

table: pillars stand on a square lattice in a circle. Each gets the radius whose transmission is nearest to that of a
lens, from unit cells of equal pillars (runs of a quarter of a cell between mirrors), at the best constant phase. The
default --focus, 30.7 um, where the phases agree, has its largest intensity at 30 um: diffraction takes it 0.9 % nearer,
and where radii jump, from zone to zone, light gathers in the larger pillars, which the cells do not know (1.4 %).

focus: from Ex and Ey on a plane behind the pillars, within the lens' radius, the angular spectrum of plane waves, and
from it the fields further on, which are exact: no box has to reach the focus. Beside it the same of a thin lens, a
screen in place of the pillars with the phase of a lens and E as if there were no glass. Needs numpy and h5py.
"""
import argparse
import csv
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np

WAVELENGTH, PERIOD, GLASS = 0.633, 0.375, 1.46  # um
RADII = np.arange(50, 161, 5)  # nm, those of the job's shapes
K = 2 * np.pi / WAVELENGTH
SPOT = 2.0  # um, radius of the circle whose power counts as focused
CELL = """format_version = 3; length_unit = "nm";
grid = { size = [187.5, 187.5, 2400.0]; cell = 12.5; averaging = "tensor"; };
boundaries = { default = "pec"; y_lo = "pmc"; y_hi = "pmc"; cpml = { thickness = 250.0; };
  z_lo = "cpml"; z_hi = "cpml"; };
media = ( { name = "glass"; index = 1.46; }, { name = "nitride"; index = 2.0; } );
objects = ( { type = "layer"; medium = "glass"; hi = -400.0; },
  { type = "cylinder"; medium = "nitride"; center = [-93.75, -93.75, 100.0]; radius = 50.0; height = 1000.0; } );
sources = ( { type = "plane_wave"; box = { lo = [-93.75, -93.75, -700.0]; hi = [93.75, 93.75, 1200.0]; };
  direction = "+z"; polarisation = "x"; time = { type = "pulse"; wavelength = 633.0; band = 60.0; }; } );
monitors = ( { type = "field"; name = "behind"; box = { lo = [-93.75, -93.75, 875.0]; hi = [93.75, 93.75, 875.0]; };
  components = ["Ex"]; wavelengths = [633.0]; } );
run = { time_fs = 800.0; decay = 1e-6; tolerance = 1e9; };
"""


def library(torre):
    """Transmitted amplitudes of pillars of RADII, over the incident wave's."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        job = pathlib.Path(folder) / "cell.cfg"
        job.write_text(CELL)
        for radius in RADII:
            out = pathlib.Path(folder) / str(radius)
            subprocess.run([torre, "run", str(job), "--out", str(out), "-q", "--set", f"objects[1].radius={radius}"],
                           check=True)
            with h5py.File(out / "results.h5") as file:
                group = file["monitors/behind"]
                field, incident = (complex_of(group[name][0]) for name in ("Ex/spectrum", "incident"))
            ends = np.ones(field.shape[-2])  # nodes along y from mirror to mirror, middles of cells along x
            ends[0] = ends[-1] = 0.5
            found.append(ends @ field[0].mean(-1) / ends.sum() / incident)
            print("radius %3d nm: transmitted %.4f, phase %+.4f turns"
                  % (radius, abs(found[-1]) ** 2 / GLASS, np.angle(found[-1]) / (2 * np.pi)), flush=True)
    return np.array(found)


def complex_of(values):
    return values[..., 0] + 1j * values[..., 1]


def wanted(x, y, focus):
    return -K * (np.sqrt(x**2 + y**2 + focus**2) - focus)


def table(args):
    waves = library(args.torre)
    count = int(np.ceil(args.radius / PERIOD))
    places = (np.arange(-count, count) + 0.5) * PERIOD
    y, x = (a.ravel() for a in np.meshgrid(places, places, indexing="ij"))
    inside = np.hypot(x, y) <= args.radius
    x, y = x[inside], y[inside]
    size = np.sqrt(np.mean(abs(waves) ** 2))
    offsets = np.linspace(0, 2 * np.pi, 65)[:-1]
    errors = [abs(waves[None, :] - size * np.exp(1j * (wanted(x, y, args.focus) + a))[:, None]) for a in offsets]
    best = min(errors, key=lambda error: (error.min(1) ** 2).sum())
    with h5py.File(args.out, "w", libver="earliest") as file:
        for name, values in (("x", x), ("y", y)):
            file.create_dataset(name, data=values.astype("f4"), compression=9, shuffle=True)
        file.create_dataset("shape", data=best.argmin(1).astype("u1"), compression=9)
    print("%d pillars, rms error of their amplitudes %.3f of it" % (len(x), np.sqrt((best.min(1) ** 2).mean()) / size))


class Spectrum:
    """Plane waves that travel along +z and have given Ex and Ey at z = 0, points at x and y, weights in them. Only
    x, y >= 0 are given and used: Ex is even in both, Ey odd in both, as those of a wave along x on such a lens."""

    def __init__(self, ex, ey, count=384):
        self.step = K / count
        k = (np.arange(count) + 0.5) * self.step
        self.kx, self.ky = k[None, :], k[:, None]
        kz2 = K**2 - self.kx**2 - self.ky**2
        self.kz = np.sqrt(np.where(kz2 > 0, kz2, 1.0))
        travels = kz2 > 0
        (x, y, values), (xe, ye, others) = ex, ey
        self.ex = travels * (4 * np.cos(np.outer(k, y)) @ values @ np.cos(np.outer(x, k)))
        self.ey = travels * (-4 * np.sin(np.outer(k, ye)) @ others @ np.sin(np.outer(xe, k)))
        self.ez = -(self.kx * self.ex + self.ky * self.ey) / self.kz
        self.hx = -(self.kx * self.ky * self.ex + (K**2 - self.kx**2) * self.ey) / (self.kz * K)
        self.hy = ((K**2 - self.ky**2) * self.ex + self.kx * self.ky * self.ey) / (self.kz * K)

    def sums(self, spectrum, x, y, z, odd_x, odd_y):
        """A component at the points [y][x] of a plane; an odd factor has sin for cos (times i, twice, of Ey: -1)."""
        k = self.kx.ravel()
        fx = np.sin(np.outer(k, x)) if odd_x else np.cos(np.outer(k, x))
        fy = np.sin(np.outer(y, k)) if odd_y else np.cos(np.outer(y, k))
        sign = 1j ** (odd_x + odd_y)
        return 4 * sign * self.step**2 / (2 * np.pi) ** 2 * (fy @ (spectrum * np.exp(1j * self.kz * z)) @ fx)

    def power(self, x, y, z):
        """Power along +z per area [y][x], in units of |E|^2 of a plane wave."""
        ex, hy = (self.sums(s, x, y, z, 0, 0) for s in (self.ex, self.hy))
        ey, hx = (self.sums(s, x, y, z, 1, 1) for s in (self.ey, self.hx))
        return (ex * hy.conj() - ey * hx.conj()).real

    def intensity(self, x, y, z):
        return sum(abs(self.sums(s, x, y, z, *odd)) ** 2
                   for s, odd in ((self.ex, (0, 0)), (self.ey, (1, 1)), (self.ez, (1, 0))))

    def all_power(self):
        total = (self.ex * self.hy.conj() - self.ey * self.hx.conj()).real.sum()
        return 4 * total * self.step**2 / (2 * np.pi) ** 2


def focus_of(spectrum, near):
    """z of the largest intensity on the axis, its two full widths at half of it, the power in SPOT."""
    zero = np.zeros(1)
    step = 0.01 * near
    z = near * np.arange(0.5, 1.5, 0.01)
    value = np.array([spectrum.intensity(zero, zero, a)[0, 0] for a in z])
    at = value.argmax()
    low, mid, high = value[at - 1:at + 2]
    z = z[at] + 0.5 * step * (low - high) / (low - 2 * mid + high)
    r = np.arange(0, 3, 0.005)
    widths = []
    for cut in (spectrum.intensity(r, zero, z)[0], spectrum.intensity(zero, r, z)[:, 0]):
        i = np.argmax(cut < 0.5 * cut[0])
        widths.append(2 * (r[i - 1] + 0.005 * (cut[i - 1] - 0.5 * cut[0]) / (cut[i - 1] - cut[i])))
    r = (np.arange(200) + 0.5) * SPOT / 200
    inside = np.hypot(r[:, None], r[None, :]) < SPOT
    return z, widths, 4 * (inside * spectrum.power(r, r, z)).sum() * (SPOT / 200) ** 2


def aperture(x, y, radius):
    """Weights of points that are the middles of cells: the part of each cell within the circle."""
    dx, dy = x[1] - x[0], y[1] - y[0]
    parts = (np.arange(8) - 3.5) / 8
    inside = np.hypot(*np.broadcast_arrays((x[None, :] + parts[:, None] * dx)[None, None, :, :],
                                           (y[None, :] + parts[:, None] * dy)[:, :, None, None])) < radius
    share = inside.mean((0, 2)) * dx * dy
    share[:, abs(x) < 0.1 * dx] *= 0.5  # nodes on a mirror
    share[abs(y) < 0.1 * dy, :] *= 0.5
    return share


def measured(folder, radius):
    """Spectrum of the run's plane and its z (um), what the incident wave brings to the circle, the balance's error."""
    with h5py.File(pathlib.Path(folder) / "results.h5") as file:
        group = file["monitors/behind_field"]
        incident = complex_of(group["incident"][0])
        points = []
        for name in ("Ex", "Ey"):
            x, y, z = (1e6 * group[f"{name}/{a}"][...] for a in "xyz")
            values = complex_of(group[f"{name}/spectrum"][0, 0]) / incident
            points.append((x, y, values * aperture(x, y, radius)))
        cells = round(1e3 * (x[1] - x[0]), 2)
    with open(pathlib.Path(folder) / "spectra.csv", encoding="utf-8") as file:
        row = {name: float(value) for name, value in next(csv.DictReader(file)).items()}
    return Spectrum(*points), z[0], GLASS * np.pi * radius**2, row, cells


def thin_lens(radius, focus):
    x = (np.arange(round(radius / 0.02)) + 0.5) * 0.02
    lens = aperture(x, x, radius) * np.exp(1j * wanted(x[None, :], x[:, None], focus))
    return Spectrum((x, x, lens), (x, x, 0 * lens))


def focus(args):
    airy = 0.5145 * WAVELENGTH * np.hypot(1, args.focus / args.radius)
    print("| | focus, um | width along E, across, um | over Airy's %.4f | within %g um of the focus | passed "
          "| energy missing |\n|---|---|---|---|---|---|---|" % (airy, SPOT))
    ideal = thin_lens(args.radius, args.focus)
    z, widths, power = focus_of(ideal, args.focus)
    unit = np.pi * args.radius**2
    print("| thin lens | %.3f | %.4f, %.4f | %.4f | %.4f | %.4f | |"
          % (z, *widths, np.sqrt(widths[0] * widths[1]) / airy, power / unit, ideal.all_power() / unit))
    for folder in args.folders:
        spectrum, plane, unit, row, cells = measured(folder, args.radius)
        z, widths, power = focus_of(spectrum, args.focus)
        missing = row["around.power_J_per_Hz"] / row["before.power_J_per_Hz"]
        print("| cells of %g nm | %.3f | %.4f, %.4f | %.4f | %.4f | %.4f | %.1e |"
              % (cells, z + plane - args.top, *widths, np.sqrt(widths[0] * widths[1]) / airy, power / unit,
                 spectrum.all_power() / unit, missing))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    made, seen = parts.add_parser("table"), parts.add_parser("focus")
    made.add_argument("--torre", required=True)
    made.add_argument("--out", default=str(pathlib.Path(__file__).parent / "pillars.h5"))
    seen.add_argument("folders", nargs="+")
    seen.add_argument("--top", type=float, default=0.6, help="z of the pillars' top, um")
    for part in (made, seen):
        part.add_argument("--radius", type=float, default=15.0, help="um")
        part.add_argument("--focus", type=float, default=30.7, help="where the phases of all pillars agree, um")
    args = parser.parse_args()
    (table if args.part == "table" else focus)(args)


if __name__ == "__main__":
    main()
