#!/usr/bin/env python3
"""What each feature costs: rates of one scene with it, over that without it.

    python3 tests/stress/costs/costs.py --torre build/torre [--device gpu] [--only far kerr] [--cells 400 400 256]

A sphere of index 2 in vacuum within CPML and a dipole; each row changes one thing. Prints the engine that ran, the rate
of the steps, the time of the steps over the first row's, and the time of the whole run with its set-up and results.
Figures: docs/measurements/costs.md. Needs python3 alone; the two rows that read files need numpy and h5py.
"""
import argparse
import json
import subprocess
import time
from pathlib import Path

CELL, COURANT = 10.0, 0.8  # nm


class Scene:
    """A job's parts, each a text of the job file; what a row changes is set on a copy."""

    def __init__(self, cells, steps):
        self.size = [n * CELL for n in cells]
        self.time_fs = COURANT * steps * CELL * 1e-9 / 299792458.0 / 3**0.5 * 1e15
        self.grid = f"courant = {COURANT};"
        self.boundaries = ""
        self.symmetry = ""
        self.medium = "index = 2.0;"
        self.objects = self.sphere()
        self.designs = ""
        self.sources = self.dipole()
        self.monitors = ""

    def sphere(self, medium="body"):
        return f'{{ type = "sphere"; medium = "{medium}"; radius = {0.35 * min(self.size):g}; }}'

    def dipole(self):
        """Beside the sphere."""
        return (f'{{ type = "electric_dipole"; position = [{-0.3 * self.size[0]:g}, 0.0, 0.0]; axis = "z"; '
                'time = { type = "pulse"; wavelength = 800.0; band = 200.0; }; }')

    def box(self, part):
        """A box of this part of the domain."""
        half = [0.5 * part * n for n in self.size]
        return "box = { lo = [%s]; hi = [%s]; };" % tuple(", ".join(f"{sign * h:g}" for h in half)
                                                          for sign in (-1, 1))

    def section(self, at, part):
        """A plane across x at this part of its half, as a box of this part of y and z."""
        y, z = (0.5 * part * n for n in self.size[1:])
        x = 0.5 * at * self.size[0]
        return f"box = {{ lo = [{x:g}, {-y:g}, {-z:g}]; hi = [{x:g}, {y:g}, {z:g}]; }};"

    def plane(self, more='direction = "+x"; polarisation = "y";'):
        return (f'{{ type = "plane_wave"; {self.box(0.85)} {more} '
                'time = { type = "pulse"; wavelength = 800.0; band = 200.0; }; }')

    def text(self):
        rule = "" if "averaging" in self.grid else ' averaging = "subpixel";'
        return f"""format_version = 3; length_unit = "nm";
grid = {{ size = [{", ".join("%g" % n for n in self.size)}]; cell = {CELL}; {self.grid}{rule} }};
boundaries = {{ {self.boundaries} }};
{self.symmetry}
media = ( {{ name = "body"; {self.medium} }} );
objects = ( {self.objects} );
{self.designs}
sources = ( {self.sources} );
monitors = ( {self.monitors} );
run = {{ time_fs = {self.time_fs:.3f}; decay = 0.0; tolerance = 1e9; }};
"""


def pole(kind="lorentz", more=""):
    body = {"lorentz": "delta_eps = 1.0; omega_eV = 4.0; gamma_eV = 0.1;", "drude": "plasma_eV = 6.0; gamma_eV = 0.1;"}
    return f'{{ type = "{kind}"; {body[kind]} {more} }}'


def put(**values):
    return lambda s: [setattr(s, key, value(s) if callable(value) else value) for key, value in values.items()]


def grid(more):
    return lambda s: setattr(s, "grid", s.grid + more)


def rows(folder):
    """Each name with what it does to the scene."""
    yield from numerics_and_media(folder)
    yield from sources_and_monitors()


def numerics_and_media(folder):
    yield "a dielectric sphere", put()
    yield "no sphere", put(objects="")
    yield "order 4", grid(" order = 4;")
    yield "fp64", grid(' precision = "fp64";')
    yield "tensor", grid(' averaging = "tensor";')
    yield "absorbers", put(boundaries='default = "absorber";')
    ends = "".join(f'{a}_{end} = "%s"; ' for a in "yz" for end in ("lo", "hi"))
    yield "periodic y, z", put(boundaries=ends.replace("%s", "periodic"))
    yield "Bloch y, z", put(boundaries=ends.replace("%s", "bloch") + "phase_deg = [0.0, 40.0, 20.0];")
    yield "symmetry", put(symmetry='symmetry = { y = "even"; z = "odd"; };')
    for axes in ("z", "xyz"):
        fine = ", ".join(f'{{ axis = "{a}"; from = -100.0; to = 100.0; cell = 5.0; }}' for a in axes)
        yield f"graded along {axes}", grid(f" refine = ( {fine} );")
    yield "conductivity", put(medium="permittivity = 4.0; conductivity_S_per_m = 1000.0;")
    yield "permeability", put(medium="permittivity = 2.0; permeability = 2.0;")
    yield "one pole", put(medium=f"poles = ( {pole()} );")
    yield "four poles", put(medium=f'poles = ( {pole("drude")}, {pole()}, {pole()}, {pole()} );')
    yield "Debye pole", put(medium='poles = ( { type = "debye"; delta_eps = 2.0; tau_fs = 5.0; } );')
    yield "gold", put(objects=lambda s: s.sphere("Au"))
    yield "gold, tensor", lambda s: (put(objects=lambda s: s.sphere("Au"))(s), grid(' averaging = "tensor";')(s))
    yield "full tensor", put(medium="permittivity_tensor = [2.25, 2.5, 3.0, 0.2, 0.1, 0.3];")
    yield "Kerr", put(medium="permittivity = 2.25; chi3_m2_per_V2 = 1e-30;")
    magnetised = pole("drude", "cyclotron_eV = [0.0, 0.0, 0.2];")
    yield "magnetised pole", put(medium=f"permittivity = 2.25; poles = ( {magnetised} );")
    yield "design region", put(objects="", designs=lambda s: f'designs = ( {{ name = "d"; {s.box(0.5)} medium_0 = '
                               f'"vacuum"; medium_1 = "body"; file = "{density(folder)}"; }} );')
    graphene = "{ fermi_eV = 0.4; tau_fs = 100.0; }"
    yield "a sheet of graphene", put(designs=f"sheets = ( {{ position = 0.0; graphene = {graphene}; }} );")
    yield "1e5 spheres in a table", put(objects=f'{{ type = "table"; file = "{places(folder)}"; shapes = ( {{ type = '
                                        '"sphere"; medium = "body"; radius = 30.0; } ); }')


def sources_and_monitors():
    at = "wavelengths = [700.0, 800.0, 900.0];"
    yield "plane wave", put(sources=lambda s: s.plane())
    glass = '{ type = "layer"; medium = "body"; axis = "z"; hi = 0.0; }'
    yield "oblique plane wave", put(sources=lambda s: s.plane("theta_deg = 30.0; phi_deg = 20.0;"))
    down = 'direction = "-z"; polarisation = "y";'
    yield "plane wave over glass", put(objects=glass, sources=lambda s: s.plane(down))
    yield "oblique plane wave over glass", put(
        objects=glass, sources=lambda s: s.plane("theta_deg = 150.0; phi_deg = 20.0;"))
    yield "beam", put(sources=lambda s: f'{{ type = "gaussian_beam"; {s.section(-0.8, 0.85)} direction = "+x"; '
                      f'polarisation = "y"; waist = 500.0; focus = [{-0.4 * s.size[0]:g}, 0.0, 0.0]; time = {{ type = '
                      '"pulse"; wavelength = 400.0; band = 100.0; }; }')
    yield "flux box", put(monitors=lambda s: f'{{ type = "flux_box"; name = "m"; {s.box(0.8)} {at} }}')
    yield "far field", put(
        monitors=lambda s: f'{{ type = "far_field"; name = "m"; {s.box(0.8)} {at} step_deg = 5.0; }}')
    yield "force", put(monitors=lambda s: f'{{ type = "force"; name = "m"; {s.box(0.8)} {at} }}')
    yield "multipoles", put(monitors=lambda s: f'{{ type = "multipoles"; name = "m"; {s.box(0.8)} {at} }}')
    yield "cross sections", put(sources=lambda s: s.plane(), monitors=f'{{ type = "cross_section"; name = "m"; {at} }}')
    yield "decay rate", put(monitors=f'{{ type = "decay_rate"; name = "m"; {at} }}')
    yield "absorption", put(medium="permittivity = 4.0; conductivity_S_per_m = 1000.0;",
                            monitors=lambda s: f'{{ type = "absorption"; name = "m"; {s.box(0.8)} {at} }}')
    yield "field in a plane", put(monitors=lambda s: f'{{ type = "field"; name = "m"; {s.section(0.0, 0.9)} {at} }}')
    yield "field in a quarter of the domain", put(
        monitors=lambda s: f'{{ type = "field"; name = "m"; {s.box(0.63)} wavelengths = [800.0]; }}')
    yield "resonances", put(monitors='{ type = "resonances"; name = "m"; position = [200.0, 0.0, 0.0]; '
                            'components = ["Ez"]; band = { from = 700.0; to = 900.0; }; }')
    yield "slice", put(monitors='{ type = "slice"; name = "m"; axis = "z"; position = 0.0; component = "Ez"; '
                       "times_fs = [5.0, 10.0, 15.0]; }")


def density(folder):
    import h5py
    import numpy

    with h5py.File(folder / "density.h5", "w") as file:
        file["density"] = numpy.random.default_rng(1).random((60, 60, 40))
    return "density.h5"


def places(folder):
    import h5py
    import numpy

    at = (numpy.random.default_rng(1).random((3, 100000)) - 0.5) * 3000.0
    with h5py.File(folder / "places.h5", "w") as file:
        for name, values in zip("xyz", at):
            file[name] = values
    return "places.h5"


def run(args, name, scene):
    """Prints a row; returns the seconds of the steps."""
    job, out = args.work / "job.cfg", args.work / "out"
    job.write_text(scene.text(), encoding="utf-8")
    begin = time.perf_counter()
    done = subprocess.run([args.torre, "run", job, "--out", out, "--overwrite", "-q", f"--device={args.device}"],
                          capture_output=True, text=True)
    whole = time.perf_counter() - begin
    if done.returncode not in (0, 3):
        print(f"| {name} | exit status {done.returncode}: {done.stderr.strip()[:600]} |", flush=True)
        return None
    about = json.loads((out / "run.json").read_text(encoding="utf-8"))
    log = (out / "run.log").read_text(encoding="utf-8")
    rate = about["cell_updates_per_second"] if "cell_updates_per_second" in about else about["run"][
        "cell_updates_per_second"]
    steps = [line for line in log.splitlines() if " steps in " in line][-1]
    seconds = float(steps.split(" steps in ")[1].split()[0])
    first = args.first or seconds
    why = [line.split("] ", 1)[1] for line in log.splitlines() if "stepwise engine" in line]
    print(f"| {name} | {'stepwise' if why else 'towers'} | {rate * 1e-9:.1f} | {seconds / first:.2f} | {whole:.1f} s |",
          flush=True)
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--torre", required=True)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--work", type=Path, default=Path("results/costs"))
    parser.add_argument("--cells", type=int, nargs=3, default=[400, 400, 256])
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--only", nargs="*", help="rows with one of these words")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    args.first = None
    print("| scene | engine | G cell updates/s | time | whole run |\n|---|---|---:|---:|---:|")
    for name, change in rows(args.work):
        if args.only and args.first and not any(word in name for word in args.only):
            continue
        scene = Scene(args.cells, args.steps)
        change(scene)
        seconds = run(args, name, scene)
        args.first = args.first or seconds


if __name__ == "__main__":
    main()
