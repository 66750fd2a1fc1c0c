#!/usr/bin/env python3
"""Inverse design of a splitter, one guide into two, from uniform grey: 2-D, by gradients, filter and projection.

    python3 jobs/splitter/design.py --torre build/torre --out results/splitter

Guides of 0.5 um and a region of 2 x 2.6 um, index 2.85 (the slab mode of 220 nm of silicon) in 1.44, E in the plane,
1.53, 1.55 and 1.57 um, cells of 40 nm. The design is its own mirror image, so that one output's gradient is that of
both. Prints the transmission into both guides at each step, and of the design made binary, in these cells and in cells
of half the size. Writes density.h5 and progress.csv; continues where it was killed. Needs numpy, h5py and the Python
package.
"""
import argparse
import sys
import time
from pathlib import Path

import numpy

import torre_fdtd as torre
from torre_fdtd import topology

WAVELENGTHS = [1.53, 1.55, 1.57]
SHAPE = (65, 50)  # numbers along y and x, of 40 nm
OUT = [torre.Wave("upper")]


def splitter(cell):
    core, clad = torre.Medium(name="core", index=2.85), torre.Medium(name="clad", index=1.44)
    job = torre.Job(length_unit="um", size=[5.2, 5.2], cell=cell, polarisation="TE", time_fs=800, decay=1e-5,
                    background=clad)
    job += torre.objects.Rectangle(medium=core, center=[-2.5, 0], size=[3.0, 0.5])  # these end at the region's faces
    for y in (0.85, -0.85):
        job += torre.objects.Rectangle(medium=core, center=[2.5, y], size=[3.0, 0.5])
    job += torre.Design(box=[[-1.0, -1.3], [1.0, 1.3]], medium_0=clad, medium_1=core, file="density.h5")
    job += torre.sources.Mode(box=[[-1.6, -2.6], [-1.6, 2.6]], direction="+x",
                              time=torre.Pulse(wavelength=1.55, band=0.15))
    # Each from the middle to a wall: the guides' modes, apart.
    job += torre.monitors.Mode(name="upper", box=[[1.6, 0], [1.6, 2.6]], wavelengths=WAVELENGTHS)
    return job


def both(cell, density, folder, gradient=True):
    """Mean power into both guides over that of the source; by wavelength; its derivative by the density."""
    seen = []

    def objective(s):
        seen.append(2 * numpy.abs(s[0]) ** 2)
        value, d = torre.power(2 / len(WAVELENGTHS))(s)
        return value, d if gradient else 0.0

    value, slope = torre.value_and_grad(splitter(cell), density, objective, OUT, folder, threads=1, progress=False)
    return value, seen[0], 0.5 * (slope + slope[::-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--torre", default=None, help="the program; default: TORRE, or torre in PATH")
    parser.add_argument("--out", type=Path, default=Path("results/splitter"))
    parser.add_argument("--steps", type=int, default=8, help="for each value of beta")
    args = parser.parse_args()
    if args.torre:
        torre.use(args.torre)
    begin, progress = time.perf_counter(), args.out / "progress.csv"
    args.out.mkdir(parents=True, exist_ok=True)
    if not progress.exists():
        progress.write_text("step,beta,transmission,grey,seconds since the start\n", encoding="ascii")

    def report(step, beta, value, density):
        grey, seconds = topology.grey(density), time.perf_counter() - begin
        with open(progress, "a", encoding="ascii") as file:
            file.write("%d,%g,%.6f,%.6f,%.1f\n" % (step, beta, value, grey, seconds))
        print("step %3d, beta %4g: transmission %.4f, grey %.2f %%, %5.0f s"
              % (step, beta, value, 100 * grey, seconds), flush=True)

    def value_and_grad(density):
        value, _, gradient = both(0.04, density, args.out / "work")
        return value, gradient

    value, density = topology.maximise(value_and_grad, numpy.full(SHAPE, 0.5), radius=3,
                                       betas=(4, 8, 16, 32, 64, 128, 256), steps=args.steps, rate=0.08,
                                       keep=args.out / "state.npz", report=report)
    torre.write_density(args.out / "density.h5", density)
    print("design: transmission %.4f, grey %.2f %%, %.0f s"
          % (value, 100 * topology.grey(density), time.perf_counter() - begin))
    binary = (density > 0.5).astype(float)
    for name, cell in (("binary", 0.04), ("binary, half the cell", 0.02)):
        value, by_wavelength, _ = both(cell, binary, args.out / "work", gradient=False)
        print("%s: transmission %.4f (%s)" % (name, value, ", ".join("%.4f" % t for t in by_wavelength)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
