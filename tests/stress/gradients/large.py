#!/usr/bin/env python3
"""What a gradient costs where the design region is large: time and memory against one run with the region's monitor.

    python3 tests/stress/gradients/large.py --torre build/torre --work /dev/shm/gradients --device gpu

A dipole in a cube of grey densities and the field at a point of it. Two regions: of about 1 % of the cells, and of all
cells but the absorbing layers, of a number a cell. For each the wall time of `torre run` of the job with the region's
field monitor alone, that of the gradient (densities written, forward run, adjoint run, sums), with its parts, and the
memory of both. Prints the table of docs/measurements/inverse-design.md. Needs numpy and h5py; 1e8 cells need 20 GB in
the folder and 20 GB of memory.
"""
import argparse
import resource
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "src" / "python"))

import numpy  # noqa: E402

import torre_fdtd as torre  # noqa: E402
from torre_fdtd import gradient, job as job_module  # noqa: E402

CELL, LAYER = 0.025, 10  # um, cells
FIELD = "torre-design"


def scene(cells, numbers, time_fs):
    """A cube with a region of so many numbers along each axis in its middle, and the field at a point of the cube."""
    half, size = 0.5 * numbers * CELL, cells * CELL
    job = torre.Job(length_unit="um", size=[size] * 3, cell=CELL, time_fs=time_fs, decay=0, tolerance=1e9,
                    boundaries={"cpml": {"cells": LAYER}})
    job += torre.Design(box=[[-half] * 3, [half] * 3], medium_0="vacuum", medium_1=torre.Medium(name="full", index=1.5),
                        file="density.h5")
    place = 0.3 * size
    job += torre.sources.ElectricDipole(position=[-place, 0.0, 0.0], axis="z", time=torre.Pulse(wavelength=0.6,
                                                                                                band=0.2))
    job += torre.monitors.Field(name="focus", box=[[place, 0.0, 0.0]] * 2, components=["Ez"], wavelengths=[0.6])
    return job


def linear(s):
    """The sum of the real parts of s: its adjoint run is made whatever the value."""
    return float(s.real.sum()), numpy.ones(s.shape)


class Parts:
    """Adds up the wall time of calls of a module's functions."""

    def __init__(self):
        self.seconds = {}

    def count(self, owner, name, part):
        whole = getattr(owner, name)

        def timed(*args, **options):
            begin = time.perf_counter()
            try:
                return whole(*args, **options)
            finally:
                self.seconds[part] = self.seconds.get(part, 0) + time.perf_counter() - begin

        setattr(owner, name, timed)


def log_of(folder):
    """Seconds of a run until its steps begin and until they end, from its log."""
    begin = end = 0.0
    for line in (folder / "run.log").read_text(encoding="utf-8").splitlines():
        at = float(line[1:].split()[0]) if line.startswith("[") else 0.0
        if " columns along z " in line:
            begin = at
        if " steps in " in line:
            end = at
    return begin, end


def measure(args, cells, numbers, parts):
    """Times of one run and of a gradient, printed."""
    folder = args.work / f"region-{numbers}"
    shutil.rmtree(folder, ignore_errors=True)
    job, density = scene(cells, numbers, args.time), numpy.random.default_rng(1).random((numbers,) * 3)
    prepared = gradient._prepared(job, density, [torre.Point("focus", "Ez")], folder, 0)
    prepared["output"] = str(folder / "alone")
    (folder / "alone").mkdir()
    file = prepared.write(folder / "job.cfg")
    options = [f"--device={args.device}"] + ([f"--threads={args.threads}"] if args.threads else [])
    print(subprocess.run([args.torre, "plan", file, *options], capture_output=True, text=True, check=True).stdout)
    begin = time.perf_counter()
    subprocess.run([args.torre, "run", file, "-q", "--overwrite", *options], check=True)
    alone = time.perf_counter() - begin
    start, end = log_of(folder / "alone")
    print((folder / "alone" / "run.log").read_text(encoding="utf-8"))
    held = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    shutil.rmtree(folder / "alone")

    parts.seconds.clear()
    begin = time.perf_counter()
    value, slope = torre.value_and_grad(job, density, linear, [torre.Point("focus", "Ez")], folder,
                                        device=args.device, threads=args.threads, progress=False)
    both = time.perf_counter() - begin
    bytes_ = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"cells {cells**3:.3g}, numbers {numbers**3:.3g}, value {value:.6e}, largest slope {abs(slope).max():.3e}")
    print(f"  one run {alone:.2f} s: {start:.2f} s until its steps, {end - start:.2f} s steps, "
          f"{alone - end:.2f} s after")
    print(f"  gradient {both:.2f} s: " + ", ".join(f"{name} {s:.2f} s" for name, s in parts.seconds.items()))
    print(f"  ratio {both / alone:.3f}")
    print(f"  memory: run {held / 1e6:.2f} GB (resident, largest so far), "
          f"Python {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB, files {bytes_ / 1e9:.2f} GB",
          flush=True)
    shutil.rmtree(folder)
    return f"| {cells**3:.2e} | {numbers**3:.2e} | {alone:.1f} s | {both:.1f} s | {both / alone:.2f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--torre", required=True)
    parser.add_argument("--work", type=Path, default=Path("results/gradients"))
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--numbers", type=int, default=464, help="along each axis of the larger region")
    parser.add_argument("--time", type=float, default=80.0, help="simulated, fs")
    args = parser.parse_args()
    torre.use(args.torre)
    warnings.simplefilter("ignore", torre.TorreWarning)
    cells = args.numbers + 2 * LAYER + 4
    parts = Parts()
    parts.count(gradient, "write_density", "densities written")
    parts.count(job_module.Job, "_checked", "check of the first job")
    parts.count(job_module, "run_job", "both runs")
    parts.count(gradient, "add_products", "sums")
    rows = [measure(args, cells, numbers, parts) for numbers in (round(0.2155 * args.numbers / 2) * 2, args.numbers)]
    print("| cells | numbers of the region | one run with its monitor | value and gradient | ratio |")
    print("|---:|---:|---:|---:|---:|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
