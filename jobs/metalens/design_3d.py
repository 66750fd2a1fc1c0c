#!/usr/bin/env python3
"""A 3-D metalens of 20 um by gradients of E in its focus, against one from a library of pillars.

    python3 jobs/metalens/design_3d.py --torre build/torre --out results/metalens-3d --device gpu
    python3 jobs/metalens/design_3d.py --torre build/torre --out results/small --radius 2.5 --focus 2.5 --steps 6

Pillars of index 2.4, 0.72 um high, in vacuum, on a square lattice of 0.36 um within a circle; a plane wave of 0.65 um,
E along x; the focus as far behind as the circle's radius (numerical aperture 0.71). The library has square pillars of
80 to 240 nm in a periodic cell, of which each place gets the one whose transmission is nearest to that of a lens.
Gradients of |Ex|^2 at the focus then move all four edges of each pillar, widths and gaps within those of the library.
A quarter is computed. What counts is the part of the power on the circle that passes a square of 1.2 um at the focus.
Prints a line a step and the table of docs/measurements/inverse-design.md; keeps the edges of each step in edges.npz,
from which the same command continues. Needs numpy, h5py, xarray and the Python package.
"""
import argparse
import concurrent.futures
import time
import warnings
from pathlib import Path

import h5py
import numpy

import torre_fdtd as torre
from torre_fdtd import topology

WAVELENGTH, HEIGHT, PERIOD = 0.65, 0.72, 0.36
THIN, GAP = 0.08, 0.12  # the thinnest pillar and gap
WIDTHS = numpy.arange(0.08, 0.241, 0.01)  # of the library: phases over nearly a turn, no wider ones that resonate
SPOT = 0.6  # half the width at the focus
BEFORE, BESIDE, BEHIND = 0.9, 0.45, 0.6  # of the plane wave's box beyond the pillars and the focus
MARGIN = 0.3  # from there to the absorbing layers


def pillar():
    return torre.Medium(name="pillar", index=2.4)


def pulse():
    return torre.Pulse(wavelength=WAVELENGTH, band=0.08)


def even_cells(length, cell):
    """The next length of an even number of cells."""
    return 2 * cell * int(numpy.ceil(0.5 * length / cell - 1e-9))


class Lens:
    """A lens with its focus on the axis; pillars [y][x] of the quarter x, y > 0, edges in it as parts of a period."""

    def __init__(self, args):
        self.args = args
        self.count = int(numpy.ceil(args.radius / PERIOD))
        at = (numpy.arange(self.count) + 0.5) * PERIOD
        self.centres = numpy.hypot(at[:, None], at[None, :])
        self.inside = self.centres <= args.radius

    def job(self, cell, time_fs):
        """The domain, its source before the pillars and its monitors at the focus. The region's faces are between
        points of the grid, so that it has as many of each component as HEIGHT has cells."""
        half, layer = self.count * PERIOD, 10 * cell
        wide = even_cells(2 * (half + BESIDE + MARGIN + layer), cell)
        low, high = -BEFORE - MARGIN - layer, HEIGHT + self.args.focus + BEHIND + MARGIN + layer
        deep = even_cells(high - low, cell)
        foot = round((-low - 0.5 * deep) / cell) * cell
        job = torre.Job(length_unit="um", size=[wide, wide, deep], cell=cell, time_fs=time_fs, decay=1e-4,
                        tolerance=1e9, boundaries={"cpml": {"cells": 10}})
        job["symmetry.x"], job["symmetry.y"] = "odd", "even"
        job += torre.Design(box=[[-half, -half, foot + 0.25 * cell], [half, half, foot + 0.25 * cell + HEIGHT]],
                            medium_0="vacuum", medium_1=pillar(), file="density.h5")
        side, focus = half + BESIDE, foot + HEIGHT + self.args.focus
        job += torre.sources.PlaneWave(box=[[-side, -side, foot - BEFORE], [side, side, focus + BEHIND]],
                                       direction="+z", polarisation="x", time=pulse())
        job += torre.monitors.Field(name="point", box=[[0, 0, focus]] * 2, components=["Ex"], wavelengths=[WAVELENGTH])
        for name, wide, z in (("spot", SPOT, focus), ("behind", self.args.radius, foot + HEIGHT + 0.3)):
            job += torre.monitors.Flux(name=name, box=[[-wide, -wide, z], [wide, wide, z]], wavelengths=[WAVELENGTH])
        return job

    def density(self, edges, numbers):
        """[y][x] of the whole, `numbers` along a period; and of each pillar the parts [axis][y][x][number]."""
        ends = numpy.arange(numbers + 1) * PERIOD / numbers - 0.5 * PERIOD
        covered = numpy.minimum(edges[:, 1, ..., None], ends[1:]) - numpy.maximum(edges[:, 0, ..., None], ends[:-1])
        parts = numpy.clip(covered * numbers / PERIOD, 0, 1) * self.inside[..., None]
        quarter = parts[1][..., :, None] * parts[0][..., None, :]
        quarter = quarter.transpose(0, 2, 1, 3).reshape(2 * (self.count * numbers,))
        half = numpy.concatenate([quarter[::-1], quarter])
        return numpy.concatenate([half[:, ::-1], half], 1), parts

    def by_edges(self, edges, parts, slope, numbers):
        """The derivative by the edges [axis][end][y][x] from that by the density: an edge moves the part of the numbers
        in which it lies."""
        middle = self.count * numbers
        quarter = sum(part for part in (slope[middle:, middle:], slope[middle:, :middle][:, ::-1],
                                        slope[:middle, middle:][::-1], slope[:middle, :middle][::-1, ::-1]))
        blocks = quarter.reshape(2 * (self.count, numbers)).transpose(0, 2, 1, 3)
        along = [(blocks * parts[1][..., :, None]).sum(2), (blocks * parts[0][..., None, :]).sum(3)]
        at = numpy.clip(((edges + 0.5 * PERIOD) * numbers / PERIOD).astype(int), 0, numbers - 1)
        found = [[(-1, 1)[end] * numpy.take_along_axis(along[axis], at[axis, end][..., None], 2)[..., 0]
                  for end in (0, 1)] for axis in (0, 1)]
        return numpy.array(found) * numbers / PERIOD * self.inside

    def run(self, edges, cell, time_fs, gradient=True):
        """|Ex|^2 at the focus over the wave's, the parts of the circle's power in the spot and of that behind the lens
        in its square, and the derivative of the first by the edges."""
        numbers, folder = round(PERIOD / cell), self.args.out / "work"
        density, parts = self.density(edges, numbers)

        def objective(s):
            value, d = torre.power()(s)
            return value, d if gradient else 0 * d

        value, slope = torre.value_and_grad(self.job(cell, time_fs), density, objective, [torre.Point("point", "Ex")],
                                            folder, device=self.args.device, threads=self.args.threads, progress=False)
        with h5py.File(folder / "forward" / "results.h5") as file:
            wave = file["monitors/torre-design/source_power"][0] * 1e-12
            spot, behind = (file[f"monitors/{name}/power_J_per_Hz"][0] / wave for name in ("spot", "behind"))
        seen = (spot / (numpy.pi * self.args.radius**2), behind / (4 * self.args.radius**2))
        return value, seen, self.by_edges(edges, parts, slope, numbers)


def library(cell, folder):
    """Transmitted waves of square pillars of rising width in a period, of the density that a lens has."""
    numbers, foot = round(PERIOD / cell), (0.25 - round(0.5 * HEIGHT / cell)) * cell
    ends = numpy.arange(numbers + 1) * PERIOD / numbers - 0.5 * PERIOD

    def one(width):
        part = numpy.clip(numpy.minimum(0.5 * width, ends[1:]) - numpy.maximum(-0.5 * width, ends[:-1]), 0, None)
        part = numpy.minimum(part * numbers / PERIOD, 1)
        own, half = folder / f"{1e3 * width:.0f}", 0.5 * PERIOD
        walls = {f"{axis}_{end}": "periodic" for axis in "xy" for end in ("lo", "hi")}
        job = torre.Job(length_unit="um", size=[PERIOD, PERIOD, even_cells(4.0, cell)], cell=cell, time_fs=500,
                        decay=1e-6, tolerance=1e9, boundaries=walls)
        file = torre.write_density(own / "density.h5", numpy.outer(part, part)).absolute()
        job += torre.Design(box=[[-half, -half, foot], [half, half, foot + HEIGHT]], medium_0="vacuum",
                            medium_1=pillar(), file=str(file))
        job += torre.sources.PlaneWave(box=[[-half, -half, -1.0], [half, half, 2.0]], direction="+z", polarisation="x",
                                       time=pulse())
        job += torre.monitors.Orders(name="behind", axis="z", position=1.0, wavelengths=[WAVELENGTH])
        job.run(own, overwrite=True, threads=1, device="cpu", progress=False)
        with h5py.File(own / "results.h5") as results:
            group = results["monitors/behind"]
            waves = [complex(*group[f"forward_{name}"][0, 0, 0]) for name in "sp"]
            incident = complex(*group["incident"][0])
            return (max(waves, key=abs) / group["incident_power"][0] ** 0.5) * abs(incident) / incident

    with concurrent.futures.ThreadPoolExecutor() as pool:
        return numpy.array(list(pool.map(one, WIDTHS)))


def chosen(lens, waves):
    """Edges of square pillars whose transmission is nearest to a lens, with the best constant phase."""
    wanted = -2 * numpy.pi / WAVELENGTH * (numpy.hypot(lens.centres, lens.args.focus) - lens.args.focus)
    offsets = numpy.linspace(0, 2 * numpy.pi, 65)[:-1]
    errors = [abs(waves - numpy.exp(1j * (wanted + offset))[..., None]) for offset in offsets]
    best = min(errors, key=lambda error: (lens.inside * error.min(2) ** 2).sum())
    half = 0.5 * WIDTHS[best.argmin(2)]
    return numpy.array([[-half, half], [-half, half]])


def improve(lens, first, args, begin):
    """Steps of Adam from these edges; the best ones that were seen. Continues where a file has a state."""
    low = numpy.array([-0.5 * (PERIOD - GAP), 0.5 * THIN])[None, :, None, None]
    span, adam, file = 0.5 * (PERIOD - GAP - THIN), topology.Adam(args.rate), args.out / "edges.npz"
    x, best, start = numpy.clip((first - low) / span, 0, 1), (0.0, first), 0
    if file.exists():
        with numpy.load(file) as state:
            x, best, start = state["x"], (float(state["value"]), state["best"]), int(state["step"])
            adam.mean, adam.square, adam.count = state["mean"], state["square"], start
    for step in range(start, args.steps):
        if time.perf_counter() - begin > args.seconds:
            break
        edges = low + span * x
        value, seen, slope = lens.run(edges, args.cell, args.time)
        print("step %3d: |Ex|^2 %9.3f, %.4f in the spot, %.4f behind, %5.0f s"
              % (step, value, *seen, time.perf_counter() - begin), flush=True)
        if value > best[0]:
            best = (value, edges)
        x = adam.step(x, span * slope)
        numpy.savez(file, x=x, value=best[0], best=best[1], step=step + 1, mean=adam.mean, square=adam.square)
    return best[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--torre", default=None, help="the program; default: TORRE, or torre in PATH")
    parser.add_argument("--out", type=Path, default=Path("results/metalens-3d"))
    parser.add_argument("--radius", type=float, default=10.0, help="um")
    parser.add_argument("--focus", type=float, default=10.0, help="um behind the pillars")
    parser.add_argument("--cell", type=float, default=0.03, help="um; a whole number of them in 0.36")
    parser.add_argument("--fine", type=float, default=0.024, help="that of the comparison at the end; 0: none")
    parser.add_argument("--time", type=float, default=250.0, help="longest run of a step, fs")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=240.0, help="no step begins later")
    parser.add_argument("--rate", type=float, default=0.07, help="of Adam, over the 80 nm that an edge may move")
    parser.add_argument("--device", default=None)
    parser.add_argument("--threads", type=int, default=None)
    args = parser.parse_args()
    if args.torre:
        torre.use(args.torre)
    warnings.simplefilter("ignore", torre.TorreWarning)
    args.out.mkdir(parents=True, exist_ok=True)
    begin, lens = time.perf_counter(), Lens(args)
    waves = library(args.cell, args.out / "library")
    phases = numpy.unwrap(numpy.angle(waves))
    print("library: %d pillars, phases %.2f to %.2f rad, powers %.3f to %.3f; %d places in a quarter, %.0f s"
          % (len(WIDTHS), phases[0], phases[-1], (abs(waves) ** 2).min(), (abs(waves) ** 2).max(), lens.inside.sum(),
             time.perf_counter() - begin), flush=True)
    first = chosen(lens, waves)
    edges = improve(lens, first, args, begin)
    for cell in [args.cell] + ([args.fine] if args.fine else []):
        for name, values in (("library", first), ("gradients", edges)):
            value, seen, _ = lens.run(values, cell, 2 * args.time, gradient=False)
            print("%-9s cells of %4.1f nm: |Ex|^2 %9.3f, %.4f in the spot, %.4f behind, %5.0f s"
                  % (name, 1e3 * cell, value, *seen, time.perf_counter() - begin), flush=True)


if __name__ == "__main__":
    main()
