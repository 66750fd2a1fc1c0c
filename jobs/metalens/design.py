#!/usr/bin/env python3
"""A 2-D metalens of 20 um by gradients of the flux through its focus, against one from a library of ridges.

    python3 jobs/metalens/design.py --torre build/torre --out results/metalens

Ridges of index 2.4, 1 um high, in vacuum, E along them (TM), 0.65 um; a Gaussian beam of radius 6 um, focus 10 um
behind. The library has ridges in a period of 0.24 um, of which each place gets the one with the transmitted phase that
is nearest to that of a lens. Gradients then move both edges of each of the 83 ridges, widths and gaps within those of
the library. What counts is the part of the beam's power within 0.6 um of the focus. Prints a line a step and the table
of docs/measurements/inverse-design.md; writes ridges.csv. Needs numpy, h5py, xarray and the Python package.
"""
import argparse
import time
from pathlib import Path

import numpy

import torre_fdtd as torre
from torre_fdtd import topology

WAVELENGTH, FOCUS, HALF, HEIGHT, PERIOD = 0.65, 10.0, 9.96, 1.0, 0.24
NUMBERS = 747  # along x, of 26.7 nm, a cell
SPOT = 0.6  # half the width at the focus
THIN, GAP = 0.06, 0.04  # the thinnest ridge and gap
STEP = 2 * HALF / NUMBERS
ENDS = numpy.arange(NUMBERS + 1) * STEP - HALF
CENTRES = (numpy.arange(round(2 * HALF / PERIOD)) + 0.5) * PERIOD - HALF


def ridge():
    return torre.Medium(name="ridge", index=2.4)


def pulse():
    return torre.Pulse(wavelength=WAVELENGTH, band=0.08)


def lens(cell, time_fs):
    """The domain reaches from a micrometre before the lens to one behind its focus."""
    low, high = -2.2, HEIGHT + FOCUS + 1.6
    middle = 0.5 * (low + high)
    job = torre.Job(length_unit="um", size=[23.0, high - low], cell=cell, polarisation="TM", time_fs=time_fs,
                    decay=2e-4)
    job += torre.Design(box=[[-HALF, -middle], [HALF, HEIGHT - middle]], medium_0="vacuum", medium_1=ridge(),
                        file="density.h5")
    job += torre.sources.GaussianBeam(box=[[-11.5, -1.2 - middle], [11.5, -1.2 - middle]], direction="+y", waist=6.0,
                                      time=pulse())
    at = HEIGHT + FOCUS - middle
    job += torre.monitors.Flux(name="focus", box=[[-SPOT, at], [SPOT, at]], wavelengths=[WAVELENGTH])
    job += torre.monitors.Flux(name="behind", box=[[-11.0, HEIGHT + 0.5 - middle], [11.0, HEIGHT + 0.5 - middle]],
                               wavelengths=[WAVELENGTH])
    return job


def focused(cell, density, folder, threads, gradient=True):
    """Parts of the beam's power in the focus and behind the lens; the first one's derivative."""
    seen = []

    def objective(s):
        seen.append(s[:, 0].real)
        return float(s[0, 0].real), numpy.array([[1.0 if gradient else 0.0], [0.0]])

    slope = torre.value_and_grad(lens(cell, 320 if gradient else 1000), density.reshape(1, -1), objective,
                                 [torre.FluxOf("focus"), torre.FluxOf("behind")], folder, threads=threads,
                                 progress=False)[1]
    return seen[0], 0.5 * (slope + slope[:, ::-1]).ravel()


def library(cell, folder):
    """Transmitted phases and powers of ridges of rising width in a period."""
    widths = numpy.arange(0.06, 0.201, 0.01)
    waves = []
    for width in widths:
        job = torre.Job(length_unit="um", size=[PERIOD, 4.0], cell=cell, polarisation="TM", time_fs=600, decay=1e-6,
                        boundaries={"x_lo": "periodic", "x_hi": "periodic"})
        job += torre.objects.Rectangle(medium=ridge(), center=[0, 0], size=[float(width), HEIGHT])
        job += torre.sources.PlaneWave(box=[[-0.5 * PERIOD, -1.0], [0.5 * PERIOD, 2.0]], direction="+y", time=pulse())
        job += torre.monitors.Orders(name="behind", axis="y", position=1.0, wavelengths=[WAVELENGTH])
        table = job.run(folder, overwrite=True, threads=1, progress=False).table("behind_orders.csv")
        row = (table["direction"].values == 1).nonzero()[0][0]
        waves.append(table["s_over_incident"].values.ravel()[row]
                     * numpy.exp(1j * table["s_phase_rad"].values.ravel()[row]))
    return widths, numpy.array(waves)


def chosen(widths, waves):
    """Edges [side][ridge] of the ridges whose transmission is nearest to a lens, with the best constant phase."""
    wanted = -2 * numpy.pi / WAVELENGTH * (numpy.hypot(CENTRES, FOCUS) - FOCUS)
    offsets = numpy.linspace(0, 2 * numpy.pi, 65)[:-1]
    errors = [abs(waves[None, :] - numpy.exp(1j * (wanted + offset))[:, None]) for offset in offsets]
    light = numpy.exp(-2 * (CENTRES / 6.0) ** 2)
    best = min(errors, key=lambda error: (light * error.min(1) ** 2).sum())
    half = 0.5 * widths[best.argmin(1)]
    return numpy.array([CENTRES - half, CENTRES + half])


def density_of(edges):
    """Each number's part in a ridge."""
    inside = numpy.minimum(edges[1][:, None], ENDS[None, 1:]) - numpy.maximum(edges[0][:, None], ENDS[None, :-1])
    return numpy.clip(inside, 0, STEP).sum(0) / STEP


def by_edges(edges, slope):
    """The derivative by the edges from that by the density: an edge moves the part of the number in which it lies."""
    at = numpy.clip(((edges + HALF) / STEP).astype(int), 0, NUMBERS - 1)
    return numpy.array([[-1.0], [1.0]]) / STEP * slope[at]


def improve(edges, value_and_grad, steps, rate, report):
    """Steps of Adam from these edges; the best ones that were seen."""
    low = numpy.array([CENTRES - 0.5 * (PERIOD - GAP), CENTRES + 0.5 * THIN])
    span, adam, best = 0.5 * (PERIOD - GAP - THIN), topology.Adam(rate), (0.0, edges)
    x = numpy.clip((edges - low) / span, 0, 1)
    for step in range(steps):
        edges = low + span * x
        value, slope = value_and_grad(density_of(edges))
        report(step, value)
        best = max(best, (value, edges), key=lambda found: found[0])
        x = adam.step(x, span * by_edges(edges, slope))
    return best[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--torre", default=None, help="the program; default: TORRE, or torre in PATH")
    parser.add_argument("--out", type=Path, default=Path("results/metalens"))
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--rate", type=float, default=0.07, help="of Adam, over the 70 nm that an edge may move")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    if args.torre:
        torre.use(args.torre)
    args.out.mkdir(parents=True, exist_ok=True)
    begin, cell = time.perf_counter(), 0.08 / 3
    widths, waves = library(cell, args.out / "library")
    phases = numpy.unwrap(numpy.angle(waves))
    print("library: %d ridges, phases %.2f to %.2f rad, powers %.3f to %.3f"
          % (len(widths), phases[0], phases[-1], (abs(waves) ** 2).min(), (abs(waves) ** 2).max()), flush=True)
    first = chosen(widths, waves)

    def report(step, value):
        print("step %3d: %.4f in the focus, %5.0f s" % (step, value, time.perf_counter() - begin), flush=True)

    def value_and_grad(density):
        seen, slope = focused(cell, density, args.out / "work", args.threads)
        return seen[0], slope

    edges = improve(first, value_and_grad, args.steps, args.rate, report)
    numpy.savetxt(args.out / "ridges.csv", edges.T, "%.6f", ",", header="left_um,right_um", comments="")
    for size in (cell, 0.75 * cell):
        for name, values in (("library", density_of(first)), ("gradients", density_of(edges)),
                             ("no lens", numpy.zeros(NUMBERS))):
            seen = focused(size, values, args.out / "check", args.threads, gradient=False)[0]
            print("%-9s cells of %4.1f nm: %.4f in the focus, %.4f behind" % (name, 1e3 * size, *seen), flush=True)


if __name__ == "__main__":
    main()
