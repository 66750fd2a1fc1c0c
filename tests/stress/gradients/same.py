#!/usr/bin/env python3
"""Gradients on devices, engines and ranks: the same bits of all runs' results and of the gradient.

    python3 tests/stress/gradients/same.py --torre build/torre --work results/same [--device gpu]

Each job runs on the CPU stepwise, the reference, and then by the CPU's towers, on 2 and 4 ranks where there is MPI, on
--device stepwise and by its towers, and with several devices on 2 of them. Prints a line each; exit status 1 where
bits differ. Needs numpy and h5py.
"""
import argparse
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "src" / "python"), str(ROOT / "tests" / "python")]

import numpy  # noqa: E402

STEPWISE = {"options": ["--set", "schedule.engine=stepwise"]}


def builds_with(words):
    """Whether the program has been built with something, by the words of `torre --version`."""
    version = subprocess.run([os.environ["TORRE"], "--version"], check=True, capture_output=True, text=True).stdout
    return words in version


def ways(device, devices):
    """Names of ways to run, with what Job.run needs."""
    made = {"CPU, stepwise": {"device": "cpu", **STEPWISE}, "CPU, towers": {"device": "cpu"}}
    if shutil.which("mpirun") and builds_with("MPI: standard"):
        launch = {"device": "cpu", "launcher": ("mpirun", "--oversubscribe")}
        made.update({f"CPU, {ranks} ranks": {"processes": ranks, **launch} for ranks in (2, 4)})
    if device != "cpu":
        made[f"{device}, stepwise"] = {"device": device, **STEPWISE}
        made[f"{device}, towers"] = {"device": device}
        if devices > 1:
            made[f"{devices} of {device}"] = {"device": device, "options": [f"--devices={devices}",
                                                                            f"--ranks=1x{devices}"]}
    return made


def jobs(torre):
    """Jobs of the tests: in 2-D and 3-D, both orders, fp64 and fp32; each with its waves, densities and objective."""
    import test_gradient
    import test_gradient_surfaces as surfaces

    random = numpy.random.default_rng(2)
    wave = [torre.Wave("behind"), torre.Wave("before", "-")]
    if builds_with("modes by"):
        yield "modes, TE, order 2, fp64", test_gradient.guide("TE", 2), wave, (7, 6), torre.power([[1.0], [-0.5]])
        yield "modes, TM, order 4, fp64", test_gradient.guide("TM", 4), wave, (7, 6), torre.power([[1.0], [-0.5]])
    else:
        print("modes: skipped, the program has no mode solver", flush=True)
    flux = surfaces.scatterer("TM", 2)
    flux += torre.monitors.Flux(name="through", box=[[-0.6, 0.25], [0.5, 0.25]], wavelengths=[0.64, 0.66])
    yield "flux, TM, order 2, fp64", flux, [torre.FluxOf("through")], (6, 7), surfaces.weighted([[0.5, -0.3]])
    box = surfaces.cell()
    box += torre.monitors.FluxBox(name="around", box=[[-0.15] * 3, [0.15] * 3], wavelengths=[0.5])
    yield "flux box, 3-D, order 4, fp64", box, [torre.FluxOf("around")], (2, 4, 3), surfaces.weighted([[1.0]])
    for precision in ("fp32", "fp64"):
        cube = torre.Job(length_unit="um", size=[2.0, 1.8, 1.6], cell=0.025, precision=precision, time_fs=60.0,
                         tolerance=1e9)
        cube += torre.Design(box=[[-0.6, -0.5, -0.4], [0.6, 0.5, 0.4]], medium_0="vacuum",
                             medium_1=torre.Medium(name="full", index=2.0), file="density.h5")
        cube += torre.sources.ElectricDipole(position=[-0.5, 0.1, 0.2], axis="z",
                                             time=torre.Pulse(wavelength=0.6, band=0.2))
        cube += torre.monitors.Field(name="focus", box=[[0.5, 0.0, 0.3]] * 2, wavelengths=[0.55, 0.6])
        yield (f"points, 3-D, order 2, {precision}", cube, [torre.Point("focus", "Ez"), torre.Point("focus", "Ex")],
               (random.integers(20, 40), 30, 35), torre.power(1e-27))


def bits(folder):
    """The bytes of each dataset of all runs in a folder."""
    from differences import datasets

    return {path.parent.name: datasets(path) for path in sorted(folder.glob("*/results.h5"))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--torre", required=True)
    parser.add_argument("--work", type=Path, default=Path("results/same"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--devices", type=int, default=1)
    args = parser.parse_args()
    os.environ["TORRE"] = str(Path(args.torre).resolve())
    import torre_fdtd as torre

    torre.use(os.environ["TORRE"])
    warnings.simplefilter("ignore", torre.TorreWarning)
    failures = 0
    for name, job, waves, shape, objective in jobs(torre):
        density, first = numpy.random.default_rng(3).random(shape), None
        for way, options in ways(args.device, args.devices).items():
            folder = args.work / "job"
            shutil.rmtree(folder, ignore_errors=True)
            value, slope = torre.value_and_grad(job, density, objective, waves, folder, progress=False, **options)
            found = bits(folder)
            if first is None:
                first = (found, slope)
                print(f"{name}: value {value:.8e}, {len(found)} runs, largest slope {abs(slope).max():.4e}", flush=True)
                continue
            fields, gradient = found == first[0], slope.tobytes() == first[1].tobytes()
            failures += not (fields and gradient)
            print(f"  {way}: spectra {'the same' if fields else 'DIFFER'}, "
                  f"gradient {'the same' if gradient else 'DIFFERS'}", flush=True)
    shutil.rmtree(args.work, ignore_errors=True)
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
