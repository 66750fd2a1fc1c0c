#!/usr/bin/env python3
"""Random jobs, end to end: every way to run a job gives the files of the stepwise engine, byte for byte.

A third of the jobs are 2-D (TM, TE); a third of the axes of half of the jobs are periodic, with diffraction orders
where all axes of a plane are. --only names one kind: "2-D", "3-D", "periodic", "orders".

    python3 tests/stress/random_jobs.py --torre build/torre --seconds 600
    python3 tests/stress/random_jobs.py --torre build-gpu/torre --ways gpu,gpu_stepwise,window,further

A job that is refused is skipped. One whose files differ, or that fails, is kept as bad-SEED.cfg in the current folder,
and the exit status is 1. The CPU can take the place of the GPU: --torre build/tests/torre_with_cpu_as_gpu.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import time

import trials

AXES = "xyz"
COMPONENTS = ["Ex", "Ey", "Ez", "Hx", "Hy", "Hz"]
REFUSED, AGAIN = 2, 75


class Job:
    """The text of a job, of parts of all kinds."""

    def __init__(self, seed, large):
        self.random = random.Random(seed)
        self.chance = lambda p: self.random.random() < p
        self.pick, self.uniform = self.random.choice, self.random.uniform
        self.plane = self.pick(["TM", "TE"]) if self.chance(0.33) else None
        self.axes = "xy" if self.plane else AXES
        periodic = self.chance(0.5)
        self.periodic = [periodic and self.chance(0.4) and axis in self.axes for axis in AXES]
        self.components = {"TM": ["Ez", "Hx", "Hy"], "TE": ["Hz", "Ex", "Ey"], None: COMPONENTS}[self.plane]
        self.order = self.pick([2, 2, 4])
        cell = self.pick([10.0, 10.0, 8.0, 12.5])
        self.cell = [cell] * 3 if self.chance(0.5) else [self.pick([10.0, 8.0, 12.5]) for _ in AXES]
        self.cells = self.make_cells(large)
        self.half = [n * d / 2 for n, d in zip(self.cells, self.cell)]
        self.wavelength = self.uniform(3, 10) * max(self.cell)
        self.time = self.make_time()
        parts = [self.grid(), self.boundaries(), self.media(), self.objects(), self.sources(), self.monitors()]
        self.text = 'length_unit = "nm";\n' + "\n".join(parts) + "\nrun = { %s };\n" % (
            "time_fs = %.9g; tolerance = 1e9;" % self.time)

    def numbers(self, values):
        return "[" + ", ".join("%.4f" % v for v in list(values)[:len(self.axes)]) + "]"

    def is_a(self, kind):
        return {"": True, "2-D": self.plane, "3-D": not self.plane, "periodic": any(self.periodic),
                "orders": '"orders"' in self.text}[kind]

    def axis_of_orders(self):
        """An axis from which waves leave, across a plane along whose axes the domain is periodic or one cell; or None.
        """
        for a in range(len(self.axes)):
            others = [b for b in range(3) if b != a]
            if not self.periodic[a] and all(self.periodic[b] or self.cells[b] == 1 for b in others):
                return a
        return None

    def make_cells(self, large):
        if self.plane:
            cells = [self.pick([4, 7, 12, 25, 33, 64, 90, 150, 222]) * (4 if large else 1) for _ in "xy"]
            return [*cells, 1]
        if large:
            most = [[20, 33, 64, 90, 130], [9, 33, 64, 130], [40, 129, 256, 257, 333, 520]]
            return [self.pick(cells) for cells in most]
        cells = [self.pick([1, 4, 5, 7, 12, 16, 20, 25, 31, 33, 40, 64, 90]) for _ in AXES]
        while cells[0] * cells[1] * cells[2] > 60000:
            axis = self.random.randrange(3)
            cells[axis] = max(cells[axis] // 2, 4)
        return cells

    def make_time(self):
        """Of 12 to 90 steps [fs]."""
        courant = 0.9 if self.order == 2 else 0.43
        return self.random.randint(12, 90) * courant * min(self.cell) / 1.8 * 3.0e-3

    def grid(self):
        courant = "courant = %g; " % self.uniform(0.2, 0.48) if self.chance(0.3) else ""
        size = self.numbers(2 * h for h in self.half)
        precision, averaging = self.pick(["fp32", "fp64"]), self.pick(["subpixel", "tensor", "staircase"])
        if averaging == "tensor" and any(self.periodic):
            averaging = "subpixel"  # they do not go together yet
        courant += 'polarisation = "%s"; ' % self.plane if self.plane else ""
        return 'grid = { size = %s; cell = %s; order = %d; precision = "%s"; averaging = "%s"; samples = 4; %s};' % (
            size, self.numbers(self.cell), self.order, precision, averaging, courant)

    def boundaries(self):
        walls, self.inner = [], []
        for a in range(3):
            inner = [-self.half[a], self.half[a]]
            for end in range(2) if AXES[a] in self.axes else []:
                name = AXES[a] + ("_hi" if end else "_lo")
                layer = min(self.pick([2, 3, 5, 8]), (self.cells[a] - 2) // 2)
                wall = self.pick(["pec", "pmc", "cpml", "cpml", "absorber"])
                if self.periodic[a]:
                    walls.append('%s = "periodic";' % name)
                elif wall == "absorber" and layer >= 1:
                    walls.append('%s = { type = "absorber"; cells = %d; };' % (name, layer))
                    inner[end] += (-1 if end else 1) * layer * self.cell[a]
                elif wall == "cpml" and layer >= 1:
                    walls.append('%s = { type = "cpml"; cells = %d; kappa = %d; alpha = %g; };' % (
                        name, layer, self.pick([1, 3]), self.pick([0, 0.05])))
                    inner[end] += (-1 if end else 1) * layer * self.cell[a]
                else:
                    walls.append('%s = "%s";' % (name, "pmc" if wall == "pmc" else "pec"))
            self.inner.append(inner)
        return "boundaries = { " + " ".join(walls) + " };"

    def one_or_three(self, lo, hi):
        if self.chance(0.5):
            return "%g" % self.uniform(lo, hi)
        return "[%g, %g, %g]" % tuple(self.uniform(lo, hi) for _ in AXES)

    def pole(self):
        kind = self.pick(["drude", "drude", "lorentz", "lorentz", "debye"])
        if kind == "drude":
            return '{ type = "drude"; plasma_eV = %g; gamma_eV = %g; }' % (self.uniform(1, 8), self.uniform(0, 0.3))
        if kind == "lorentz":
            return '{ type = "lorentz"; delta_eps = %g; omega_eV = %g; gamma_eV = %g; }' % (
                self.uniform(0.1, 3), self.uniform(1, 5), self.uniform(0, 0.5))
        return '{ type = "debye"; delta_eps = %g; tau_fs = %g; }' % (self.uniform(0.1, 3), self.uniform(1, 10))

    def media(self):
        media = []
        for i in range(self.random.randint(1, 4)):
            text = 'name = "m%d"; permittivity = %s;' % (i, self.one_or_three(1, 6))
            if self.chance(0.3):
                text += " permeability = %s;" % self.one_or_three(1, 2)
            if self.chance(0.3):
                text += " conductivity_S_per_m = %s;" % self.one_or_three(0, 1e5)
            if self.chance(0.15):
                text += " magnetic_conductivity_Ohm_per_m = %s;" % self.one_or_three(0, 1e8)
            if self.chance(0.5):
                text += " poles = ( %s );" % ", ".join(self.pole() for _ in range(self.random.randint(1, 4)))
            media.append("{ %s }" % text)
        self.names = ["m%d" % i for i in range(len(media))] + ["vacuum"]
        background = '\nbackground = "%s";' % self.pick(self.names) if self.chance(0.15) else ""
        return "media = (\n  %s );%s" % (",\n  ".join(media), background)

    def shape(self, kind):
        r, most = self.uniform(0.1, 0.6) * max(self.half), max(self.half)
        center = "center = %s;" % self.numbers(self.uniform(-h, h) for h in self.half)
        axis = self.pick(self.axes) if self.plane or self.chance(0.4) else "z"
        if kind == "layer":
            half = self.half[AXES.index(axis)]
            lo = self.uniform(-1.2 * half, half)
            ends = [(" lo = %g;", lo), (" hi = %g;", lo + self.uniform(0.05, 1) * 2 * half)]
            return 'axis = "%s";' % axis + "".join(form % value for form, value in ends if self.chance(0.8))
        if kind in ("sphere", "circle"):
            return "%s radius = %g;" % (center, r)
        if kind in ("box", "rectangle"):
            return "%s size = %s;" % (center, self.numbers(self.uniform(0.1, 1) * 2 * h for h in self.half))
        if kind in ("ellipsoid", "ellipse"):
            return "%s semi_axes = %s;" % (center, self.numbers(self.uniform(0.1, 0.8) * h + 1 for h in self.half))
        if kind == "cylinder":
            return '%s axis = "%s"; radius = %g; height = %g;' % (center, axis, r, self.uniform(0.2, 1.5) * most)
        if kind == "cone":
            return '%s axis = "%s"; radius_lo = %g; radius_hi = %g; height = %g;' % (
                center, axis, r, self.uniform(0, r), self.uniform(0.2, 1.5) * most)
        corners = [(-self.uniform(0.1, 1) * r, -self.uniform(0.1, 1) * r),
                   (self.uniform(0.1, 1) * r, -self.uniform(0, 0.5) * r),
                   (self.uniform(-0.2, 0.2) * r, self.uniform(0.1, 1) * r)]
        ends = 'axis = "%s"; lo = %g; hi = %g; ' % (
            axis, -self.uniform(0, 0.8) * most, self.uniform(0.1, 0.8) * most)
        return ("" if self.plane else ends) + "vertices = ( %s );" % ", ".join("[%g, %g]" % c for c in corners)

    def objects(self):
        kinds = ["layer", "layer", "sphere", "box", "cylinder", "ellipsoid", "cone", "prism"]
        if self.plane:
            kinds = ["layer", "circle", "ellipse", "rectangle", "polygon"]
        objects = []
        for _ in range(self.random.randint(0, 6)):
            kind = self.pick(kinds)
            medium = self.pick(self.names + ["Au"])
            objects.append('{ type = "%s"; medium = "%s"; %s }' % (kind, medium, self.shape(kind)))
        return "objects = (\n  %s );" % ",\n  ".join(objects) if objects else ""

    def profile(self):
        if self.chance(0.5):
            band = self.uniform(0.3, 1.2) * self.wavelength
            return 'type = "pulse"; wavelength = %g; band = %g;' % (self.wavelength, band)
        rise = " rise_fs = %g;" % self.uniform(0.01, 0.3) if self.chance(0.5) else ""
        return 'type = "continuous"; wavelength = %g;%s' % (self.wavelength, rise)

    def wave(self, name):
        axis = self.pick([a for a in range(len(self.axes)) if not self.periodic[a]])
        polarisation = self.pick([a for a in range(3) if a != axis])
        lo, hi = [], []
        for a, (low, high) in enumerate(self.inner):
            margin = [self.uniform(0.1, 0.3) * (high - low) for _ in range(2)]
            if self.periodic[a]:
                margin = [0, 0]
            lo.append(low + margin[0] if self.chance(0.95) or a == axis else -self.half[a] - 1)
            hi.append(high - margin[1] if self.chance(0.95) else self.half[a] + 1)
        box = "box = { lo = %s; hi = %s; };" % (self.numbers(lo), self.numbers(hi)) if self.chance(0.9) else ""
        along = "" if self.plane else ' polarisation = "%s";' % AXES[polarisation]
        return '{ type = "plane_wave"; name = "%s"; direction = "%s%s";%s %s amplitude = %g; time = { %s }; }' % (
            name, self.pick("+-"), AXES[axis], along, box, self.uniform(-2, 2), self.profile())

    def dipole(self, name):
        """In 2-D a line current or a line dipole."""
        kind, axis = self.pick(["electric_dipole", "magnetic_dipole"]), 'axis = "%s"; ' % self.pick(self.axes)
        if self.plane:
            kind = self.pick(["line_current", "line_dipole"])
        return '{ type = "%s"; name = "%s"; position = %s; %samplitude = 1e-12; time = { %s }; }' % (
            kind, name, self.numbers(self.uniform(*ends) for ends in self.inner),
            "" if kind == "line_current" else axis, self.profile())

    def sources(self):
        sources, self.waves = [], 0
        for i in range(self.random.randint(1, 3)):
            if self.chance(0.35) and not all(self.periodic[:len(self.axes)]):
                self.waves += 1
                sources.append(self.wave("s%d" % i))
            else:
                sources.append(self.dipole("s%d" % i))
        return "sources = (\n  %s );" % ",\n  ".join(sources)

    def box(self, flat=None):
        lo, hi = [], []
        for a in range(3):
            ends = self.inner[a] if self.chance(0.8) else (-self.half[a], self.half[a])
            x = sorted(self.uniform(*ends) for _ in range(2))
            if x[1] - x[0] < 2.5 * self.cell[a]:
                x = [max(-self.half[a], x[0] - 1.5 * self.cell[a]), min(self.half[a], x[1] + 1.5 * self.cell[a])]
            lo.append(x[0])
            hi.append(x[0] if a == flat else x[1])
        return "box = { lo = %s; hi = %s; };" % (self.numbers(lo), self.numbers(hi))

    def monitor(self, kind, wavelengths):
        picked = self.random.sample(self.components, self.random.randint(1, len(self.components)))
        axes = len(self.axes)
        components = "components = [%s];" % ", ".join('"%s"' % c for c in picked)
        if kind == "probe":
            more = wavelengths if self.chance(0.4) else ""
            return "position = %s; %s every = %d; %s" % (
                self.numbers(self.uniform(-h, h) for h in self.half), components, self.random.randint(1, 5), more)
        if kind == "flux_box":
            return self.box() + wavelengths
        if kind == "flux":
            return self.box(self.random.randrange(axes)) + wavelengths
        if kind == "field":
            return self.box(self.pick([*range(axes), None])) + wavelengths + components
        if kind == "cross_section":
            return wavelengths + ("margin = %d;" % self.random.randint(1, 3) if self.chance(0.5) else "")
        if kind == "energy":
            return "every = %d;" % self.pick([0, 1, 3])
        if kind == "slice":
            axis = self.random.randrange(axes)
            plane = 'axis = "%s"; position = %g; ' % (AXES[axis], self.uniform(-1, 1) * self.half[axis])
            return '%scomponent = "%s"; times_fs = [%g];' % (
                "" if self.plane else plane, self.pick(self.components), self.time * self.uniform(0.1, 0.29))
        if kind == "orders":
            axis = self.axis_of_orders()
            return 'axis = "%s"; position = %g;%s' % (AXES[axis], self.uniform(*self.inner[axis]), wavelengths)
        return self.box() + components + " every_fs = %g; stride = %d; compression = %d;" % (
            self.time * self.uniform(0.2, 0.29), self.random.randint(1, 3), self.pick([0, 3]))

    def monitors(self):
        kinds = ["probe", "flux_box", "flux", "field", "energy", "slice", "snapshot"]
        kinds += ["cross_section"] * (self.waves == 1) + 4 * ["orders"] * (self.axis_of_orders() is not None)
        values = ["%g" % (self.wavelength * self.uniform(0.8, 1.6) + 2 * max(self.cell))
                  for _ in range(self.random.randint(1, 5))]
        wavelengths = " wavelengths = [%s]; " % ", ".join(values)
        monitors = []
        for i in range(self.random.randint(1, 5)):
            kind = self.pick(kinds)
            monitors.append('{ type = "%s"; name = "n%d"; %s }' % (kind, i, self.monitor(kind, wavelengths)))
        return "monitors = (\n  %s );" % ",\n  ".join(monitors)


class Ways:
    """Each runs job.cfg into the folder b and returns the last exit status and the output."""

    def __init__(self, torre, job):
        self.torre, self.job, self.random = torre, job, job.random
        self.env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", ON_CPU_DEVICES="2")

    def run(self, options, folder="b", before=(), seconds=300):
        command = [*before, self.torre, "run", "job.cfg", "--out", folder, "-q", *options]
        try:
            done = subprocess.run(command, capture_output=True, timeout=seconds, env=self.env, check=False)
        except subprocess.TimeoutExpired:
            return "no end", " ".join(command)
        return done.returncode, " ".join(command) + "\n" + (done.stdout + done.stderr).decode("latin1")

    def height(self):
        return ["--th", str(self.random.choice([1, 2, 3, 5, 8, 16, 31, 64]))]

    def stepwise(self):
        return self.run(["--engine", "stepwise", "--device", "cpu", "--threads", "1"], "a")

    def towers(self):
        width = self.random.choice([0, 3, 4, 5, 8, 12])
        dts = ["--dts", str(width)] if width else []
        return self.run(["--engine", "diamond", "--device", "cpu", "--threads", "2", *self.height(), *dts])

    def ranks(self):
        x, y = self.random.choice([(2, 1), (3, 1)] if self.job.plane else [(2, 1), (1, 2), (3, 1), (2, 2)])
        return self.run(["--engine", "diamond", "--device", "cpu", "--threads", "1", "--ranks", "%dx%d" % (x, y),
                         "--th", "3", "--dts", "3"],
                        before=["mpirun", "-n", str(x * y), "--oversubscribe", "--bind-to", "none"])

    def stopped(self):
        """Stopped by SIGTERM at random times and restarted until it ends."""
        options = ["--engine", "diamond", "--device", "cpu", "--threads", "1", *self.height(),
                   "--set", "checkpoint.steps=5", "--restart"]
        for tries in range(1, 40):
            seconds = "%.3f" % self.random.uniform(0.05, 0.4 * tries)
            status, output = self.run(options, before=["timeout", "-s", "TERM", seconds])
            if status not in (AGAIN, 124, 143):
                break
        return status, output

    def further(self):
        """To a part of the time, then continued from there; by any engine."""
        way = [["--engine", "stepwise"], ["--engine", "diamond", *self.height()]]
        for part in (self.random.uniform(0.3, 1), 1):
            time_set = "run.time_fs=%.9g" % (self.job.time * part)
            status, output = self.run([*self.random.choice(way), "--set", "checkpoint.keep=true", "--set", time_set,
                                       "--restart"])
            if status:
                break
        return status, output

    def gpu(self):
        return self.run(["--device", "gpu", "--engine", "diamond", *self.height()])

    def gpu_stepwise(self):
        return self.run(["--device", "gpu", "--engine", "stepwise"])

    def window(self):
        fields = self.job.cells[0] * self.job.cells[1] * self.job.cells[2] * 24e-9
        height, memory = self.height(), "%g" % (0.003 + fields * self.random.uniform(0.2, 1.5))
        return self.run(["--device", "gpu", "--engine", "diamond", *height, "--device-memory", memory])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torre", required=True, help="the program")
    parser.add_argument("--ways", default="towers,ranks,stopped,further",
                        help="of towers, ranks, stopped, further, gpu, gpu_stepwise, window")
    parser.add_argument("--seed", type=int, default=1, help="of the first job")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--only", default="", choices=["", "2-D", "3-D", "periodic", "orders"], help="jobs of a kind")
    parser.add_argument("--large", action="store_true",
                        help="up to 4 million cells, columns in several blocks of a GPU")
    args = parser.parse_args()
    torre, ways, top = os.path.abspath(args.torre), args.ways.split(","), os.getcwd()
    work = os.path.join(top, "random-jobs")
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    os.chdir(work)
    same, refused, bad, seed = {way: 0 for way in ways}, {way: 0 for way in ["stepwise", *ways]}, 0, args.seed
    end = time.time() + args.seconds
    while time.time() < end:
        job = Job(seed, args.large)
        if not job.is_a(args.only):
            seed += 1
            continue
        with open("job.cfg", "w", encoding="ascii") as file:
            file.write(job.text)
        run = Ways(torre, job)
        shutil.rmtree("a", ignore_errors=True)
        status, output = run.stepwise()
        for way in ways if not status else []:
            shutil.rmtree("b", ignore_errors=True)
            status, output = getattr(run, way)()
            fault = "status %s" % status if status else trials.difference("a", "b", but=("run.", ".lock"))
            fault = None if status == REFUSED else fault
            if fault:
                break
            refused[way] += status == REFUSED
            same[way] += not status
            status = 0
        else:
            fault = "status %s" % status if status not in (0, REFUSED) else None
            refused["stepwise"] += status == REFUSED
        if fault:
            bad += 1
            shutil.copy("job.cfg", os.path.join(top, "bad-%d.cfg" % seed))
            print("bad-%d.cfg: %s: %s" % (seed, fault, output.strip()[-600:]), flush=True)
        seed += 1
    os.chdir(top)
    shutil.rmtree(work, ignore_errors=True)
    print("seeds %d to %d; same files: %s; refused: %s; bad: %d" % (args.seed, seed - 1, same, refused, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
