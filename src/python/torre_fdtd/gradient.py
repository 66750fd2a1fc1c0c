"""Gradients of an objective of modes, diffraction orders and fields with respect to the numbers of a design region.

Two ordinary runs a gradient, and one more for each further wave that the objective sees: docs/design/gradients.md has
why the result is the derivative of the discrete system. Needs numpy and h5py.
"""
from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Tuple

from . import surfaces
from .errors import ArgumentError
from .parts import table
from .region import Spread, add_products, times
from .results import Results
from .waves import Point, corners, is_periodic

_FIELD = "torre-design"  # the monitor that is added
_C0, _EPS0 = 299792458.0, 8.8541878128e-12
_ETA0 = 1 / (_EPS0 * _C0)


def write_density(path: str | os.PathLike[str], values: Any, dataset: str = "density") -> Path:
    """Writes the grid of a design region, [y][x] or [z][y][x], as `file` of a Design names it."""
    import h5py
    import numpy

    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(target, "w") as file:
        file.create_dataset(dataset, data=numpy.asarray(values, dtype=float), track_times=False)
    return target


def power(weights: Any = 1.0) -> Callable[[Any], Tuple[float, Any]]:
    """The objective sum of weights |S|^2, weights by wave and wavelength: power over that of the source."""
    import numpy

    def objective(s: Any) -> Tuple[float, Any]:
        w = numpy.broadcast_to(weights, s.shape)
        return float((w * (s.real**2 + s.imag**2)).sum()), 2 * w * numpy.conj(s)

    return objective


def value_and_grad(job: Any, density: Any, objective: Callable[[Any], Tuple[float, Any]], waves: Sequence[Any],
                   folder: str | os.PathLike[str], *, design: int = 0, **run: Any) -> Tuple[float, Any]:
    """An objective of a job whose design region has this grid of numbers, and its derivative by each of them.

    objective: a function of s[wave][wavelength], the complex amplitudes over that of the source (|s|^2 is power over
    the source's), that returns F and d with dF = Re(sum of d ds); power() is one. waves: what it sees, of Wave, Order,
    Point, FluxOf and Far; their monitors have the same wavelengths. folder: for the files, which are written over.
    design: number of the region. run: arguments of Job.run. The job has one source, with a pulse, and no graded cells;
    the region ends a cell before walls that are not periodic. With a symmetry waves are Points on its planes, and
    region and density their own mirror images; the derivative is by each number alone, as without the symmetry.

    Raises ArgumentError for what is not so, and what Job.run raises.
    """
    import numpy

    forward = Forward(job, density, waves, folder, design, run)
    value, d = objective(forward.s)
    return value, forward.gradient(numpy.broadcast_to(numpy.asarray(d, dtype=complex), forward.s.shape))


class Forward:
    """The forward run of a design, and the derivatives of what its waves have by adjoint runs; arguments as above.

    s: the amplitudes [wave][wavelength].
    """

    def __init__(self, job: Any, density: Any, waves: Sequence[Any], folder: str | os.PathLike[str], design: int,
                 run: Dict[str, Any]):
        import numpy

        self.density = numpy.array(density, dtype=float)
        self.waves, self._folder, self._design, self._run = list(waves), Path(folder), design, run
        self._base = _prepared(job, self.density, waves, self._folder, design)
        results = self._base.run(self._folder / "forward", overwrite=True, **run)
        self._forward = _Run(results, design, self._base)
        self.s = numpy.array([wave.amplitude(self._forward) for wave in waves])

    def gradient(self, d: Any) -> Any:
        """The derivative of F by the numbers, with dF = Re(sum of d ds); d: as s."""
        import numpy

        base, run_of, waves, gradient = self._base, self._forward, self.waves, numpy.zeros(self.density.shape)
        used = [number for number in range(len(waves)) if numpy.any(d[number])]
        seen = [number for number in used if hasattr(waves[number], "sent")]
        points = _sharing(waves, used, seen, run_of)
        for number in used:
            wave = waves[number]
            if number not in seen + points:
                results = _adjoint(base, wave, run_of)._run_like(self._folder / f"adjoint-{number}", **self._run)
                adjoint = _Run(results, self._design, base)
                run_of.add_gradient(adjoint, d[number] / wave.scale(run_of, adjoint), gradient)
        sent = surfaces.all_sent([waves[number] for number in seen], run_of, [d[number] for number in seen])
        sent += surfaces.spots([waves[number] for number in points], run_of, [d[number] for number in points])
        for part, group in enumerate(surfaces.groups(self.s.shape[1]) if sent else []):
            name = self._folder / (f"adjoint-{min(seen + points)}" + (f"-{part}" if part else ""))
            results = _surface_adjoint(base, run_of, sent, group, name)._run_like(name, **self._run)
            adjoint, over = _Run(results, self._design, base), numpy.zeros(self.s.shape[1], complex)
            over[group.start:group.stop] = -1 / adjoint.source()[group.start:group.stop]
            run_of.add_gradient(adjoint, over, gradient)
        return gradient


def _sharing(waves: Sequence[Any], used: Sequence[int], seen: Sequence[int], run: _Run) -> List[int]:
    """Numbers of the points that share the run of surfaces, or one of their own where that saves runs."""
    points = [n for n in used if isinstance(waves[n], Point) and waves[n].shares(run)]
    return points if seen or len(points) > len(surfaces.groups(len(run.wavelengths))) else []


# --- The jobs


def _prepared(job: Any, values: Any, waves: Sequence[Any], folder: Path, design: int) -> Any:
    """The job with these numbers and the monitor of its region's fields."""
    if len(job.sources) != 1:
        raise ArgumentError("sources", f"sources: got {len(job.sources)}, need one")
    if getattr(job.sources[0].time, "_word", None) == "continuous":
        raise ArgumentError("sources", "sources: the source is continuous, need a pulse")
    if not 0 <= design < len(job.designs):
        raise ArgumentError("design", f"design: got {design}, but the job has {len(job.designs)} designs")
    if not waves:
        raise ArgumentError("waves", "waves: got none, need one or more")
    monitors = [wave.check(job) for wave in waves]
    wavelengths = monitors[0].wavelengths
    for monitor in monitors:
        if monitor.wavelengths != wavelengths:
            raise ArgumentError("waves", f"waves: {monitor.name} has other wavelengths than {monitors[0].name}")
        if monitor.window is not None:
            raise ArgumentError("waves", f"waves: monitor {monitor.name} has a window, need the whole run")
    lo, hi = corners(job.designs[design].box)
    _check_symmetry(job, values, waves, lo, hi)
    for later in job.designs[design + 1:]:
        over = corners(later.box)
        if all(over[0][a] <= hi[a] and over[1][a] >= lo[a] for a in range(len(lo))):
            raise ArgumentError("design", f"design: designs[{job.designs.index(later)}] is painted over it, need none")
    made = job.copy()
    region = made.designs[design]
    region.dataset = "density"
    region.file = str(write_density(folder / "density.h5", values).absolute())
    for wave in waves:
        if hasattr(wave, "sent"):
            for monitor in surfaces.record(job, wave):
                if monitor.name not in [other.name for other in made.monitors]:
                    made += monitor
    made += table().classes["monitors"]["Field"](name=_FIELD, box=_around(job, corners(region.box)),
                                                 components=_components(made), wavelengths=wavelengths)
    return made


def _mirrored(job: Any) -> List[int]:
    """Axes across which the job is its own mirror image."""
    return [a for a, axis in enumerate("xyz") if (job[f"symmetry.{axis}"] or "none") != "none"]


def _check_symmetry(job: Any, values: Any, waves: Sequence[Any], lo: Sequence[float], hi: Sequence[float]) -> None:
    import numpy

    for a in _mirrored(job):
        axis = "xyz"[a]
        if not all(isinstance(wave, Point) for wave in waves):
            raise ArgumentError("waves", f"waves: the job has a symmetry across {axis}, need Points there")
        if abs(lo[a] + hi[a]) > 1e-9 * (hi[a] - lo[a]):
            raise ArgumentError("design", f"design: the region lies from {lo[a]} to {hi[a]} along {axis}, need one "
                                          "that is its own mirror image, as the job is")
        at = values.ndim - 1 - a  # of a grid [y][x] none along z
        if at >= 0 and not numpy.allclose(values, numpy.flip(values, at), rtol=0, atol=1e-6):
            raise ArgumentError("density", f"density: its mirror image across {axis} = 0 differs, need the job's "
                                           "symmetry")


def _around(job: Any, region: Tuple[List[float], List[float]]) -> List[List[float]]:
    """A box a cell larger than a region, up to periodic walls; the region may reach no others."""
    lo, hi = list(region[0]), list(region[1])
    cell = job["grid.cell"]
    for a, length in enumerate(float(x) for x in job["grid.size"]):
        step = float(cell[a] if isinstance(cell, (list, tuple)) else cell)
        lo[a], hi[a] = lo[a] - step, hi[a] + step
        if is_periodic(job, "xyz"[a]):
            lo[a], hi[a] = max(lo[a], -0.5 * length), min(hi[a], 0.5 * length)
        elif lo[a] < -0.5 * length or hi[a] > 0.5 * length:
            raise ArgumentError("design", "design: the region reaches a wall of the domain, need a cell between them")
        if a in _mirrored(job):
            lo[a] = 0.0  # the other half follows
    return [lo, hi]


def _components(job: Any) -> List[str]:
    if len(job["grid.size"]) == 3:
        return ["Ex", "Ey", "Ez"]
    return ["Ez"] if job["grid.polarisation"] in ("TM", "Ez") else ["Ex", "Ey"]


def _adjoint(job: Any, wave: Any, run: _Run) -> Any:
    """The job whose source sends the wave back."""
    made = job.copy()
    kept = [_FIELD, *wave.adjoint(made, run)]
    made.monitors[:] = [m for m in made.monitors if m.name in kept]
    return made


def _surface_adjoint(job: Any, run: _Run, sent: Sequence[Any], used: range, folder: Path) -> Any:
    """The job whose sources are what all surfaces send, at some of the wavelengths."""
    made = job.copy()
    made.monitors[:] = [m for m in made.monitors if m.name == _FIELD]
    folder.mkdir(parents=True, exist_ok=True)
    surfaces.adjoint(made, run, sent, used, folder)
    return made


# --- Their results


def _open(path: Path) -> Any:
    import h5py

    return h5py.File(path, "r")


class _Run:
    """What a run has: amplitudes, the region's fields, and what they are over."""

    speed = _C0

    def __init__(self, results: Results, design: int, source_job: Any):
        self.source_job = source_job
        self.job: Dict[str, Any] = results.run["job"]
        self.design: Dict[str, Any] = self.job["designs"][design]
        self.path = results.folder / "results.h5"
        grid = self.job["grid"]
        if any(name.startswith("nodes_") for name in grid):
            raise ArgumentError("job", "job: it has graded cells, need none")
        self.mirrored = _mirrored(source_job)
        self.unit, self.size = float(self.job["length_unit_m"]), [float(x) for x in grid["size_m"]]
        self.phases = [float(x) for x in self.job["boundaries"].get("phase_rad", [0.0] * len(self.size))]
        with _open(self.path) as file:
            self.dt, self.cell = float(file.attrs["time_step_s"]), [float(c) for c in file.attrs["cell_m"]]
            self.names = [name for name in file["monitors"][_FIELD] if name[0] == "E"]
        self.check_inside("design", "the region", self.design["box"]["lo_m"], self.design["box"]["hi_m"])
        self.wavelengths = self.values(_FIELD, "wavelength")
        self.omega = 2 * math.pi * _C0 / self.wavelengths
        self.order = int(grid["order"])
        self.kept: Dict[Any, Any] = {}  # what surfaces have read
        self.places = {name: {axis: self.values(_FIELD, f"{name}/{axis}") for axis in "xyz"[:len(self.size)]}
                       for name in self.names}

    def check_inside(self, argument: str, what: str, lo: Sequence[float], hi: Sequence[float]) -> None:
        """Raises ArgumentError where a box [m] reaches into absorbing layers, where the formula does not hold."""
        for a, axis in enumerate("xyz"[:len(self.size)]):
            layers = [self.job["boundaries"][f"{axis}_{end}"].get("cells", 0) * self.cell[a] for end in ("lo", "hi")]
            slack = 1e-6 * self.cell[a]
            if lo[a] < layers[0] - 0.5 * self.size[a] - slack or hi[a] > 0.5 * self.size[a] - layers[1] + slack:
                raise ArgumentError(argument, f"{argument}: {what} reaches into an absorbing layer across {axis}")

    def has_between(self, place: Sequence[float], cells: int) -> bool:
        """Whether so many cells lie on all sides between a point and absorbing layers or walls."""
        for a, axis in enumerate("xyz"[:len(self.size)]):
            for end, side in (("lo", -1), ("hi", 1)):
                layer = self.job["boundaries"][f"{axis}_{end}"].get("cells", 0) + cells
                if side * place[a] > 0.5 * self.size[a] - layer * self.cell[a]:
                    return False
        return True

    def has(self, monitor: str, name: str) -> bool:
        with _open(self.path) as file:
            return name in file["monitors"][monitor]

    def values(self, monitor: str, name: str) -> Any:
        with _open(self.path) as file:
            return file["monitors"][monitor][name][()]

    def attribute(self, monitor: str, name: str, of: str) -> Any:
        """An attribute of a dataset."""
        with _open(self.path) as file:
            value = file["monitors"][monitor][name].attrs[of]
            return value.decode() if isinstance(value, bytes) else value

    def complex(self, monitor: str, name: str) -> Any:
        values = self.values(monitor, name)
        return values[..., 0] + 1j * values[..., 1]

    def source(self) -> Any:
        """The source's spectrum: a sheet's amplitude, a plane wave's E where it enters, a dipole's moment."""
        for name in ("amplitude", "incident", "moment"):
            if self.has(_FIELD, name):
                return self.complex(_FIELD, name)
        raise ArgumentError("sources", "sources: the source has no spectrum")

    def power_source(self) -> Any:
        """The same of a sheet in units whose square is power in J/Hz."""
        return self.source() * (math.sqrt(2) if self.has(_FIELD, "amplitude") else 1)

    def shifted(self) -> Any:
        """W, what the steps in time make of the angular frequencies."""
        import numpy

        return 2 / self.dt * numpy.sin(0.5 * self.omega * self.dt)

    def source_power(self) -> Any:
        """Of a plane wave per area."""
        if not self.has(_FIELD, "source_power"):
            raise ArgumentError("sources", "sources: the source's power is unknown")
        return self.values(_FIELD, "source_power")

    def components(self, monitor: str) -> List[str]:
        with _open(self.path) as file:
            return [name for name in file["monitors"][monitor] if name[0] in "EH" and len(name) == 2]

    def _change(self, component: str) -> Any:
        """Of the permittivity at each wavelength for a change of a number by 1."""
        if self.design["values"] == "permittivity":
            return 1.0
        media = {medium["name"]: medium for medium in self.job["media"]}
        empty, full = (permittivity(media[self.design[name]], component[1], self.omega, self.dt)
                       for name in ("medium_0", "medium_1"))
        return full - empty

    def add_gradient(self, adjoint: _Run, d: Any, total: Any) -> None:
        """Adds Re(sum over wavelengths of d ds) by each number; d: over what ds is with i W eps0 V d eps E E_adjoint.
        """
        import numpy

        factor = times(1j * self.shifted() * _EPS0 * math.prod(self.cell), d)
        axes = "zyx"[3 - len(self.size):]
        counts = (1,) * (len(axes) - total.ndim) + total.shape
        part = numpy.zeros(counts) if self.mirrored else total.reshape(counts)
        with _open(self.path) as first, _open(adjoint.path) as second:
            for component in self.names:
                spreads = [self._spread(component, axis, n) for axis, n in zip(axes, counts)]
                data = [file["monitors"][_FIELD][component]["spectrum"] for file in (first, second)]
                add_products(*data, times(factor, self._change(component)), spreads, part)
        for a in self.mirrored:
            part = part + numpy.flip(part, len(axes) - 1 - a)
        if self.mirrored:
            total += part.reshape(total.shape)

    def _spread(self, component: str, axis: str, n: int) -> Spread:
        """Which numbers of the region's axis the value at each place has parts of, as tor_design_value."""
        import numpy

        at, x = "xyz".index(axis), self.places[component][axis]
        lo, hi, cell = self.design["box"]["lo_m"][at], self.design["box"]["hi_m"][at], self.cell[at]
        wall = 0.5 * self.size[at]  # the place at the upper one is that at the lower one
        inside = ((lo - 1e-6 * cell < x) & (x < hi + 1e-6 * cell)
                  & (-wall - 0.25 * cell < x) & (x < wall - 0.25 * cell))
        weight = inside.astype(float)
        if at in self.mirrored:  # of the upper half, of which the other one is the mirror image
            weight[x < -1e-3 * cell] = 0
            weight[abs(x) < 1e-3 * cell] *= 0.5
        where = numpy.clip((x - lo) / (hi - lo) * n - 0.5, 0.0, n - 1.0)
        first = numpy.minimum(where.astype(int), max(n - 2, 0))
        return Spread(first, where - first if n > 1 else 0 * where, weight, n)


def permittivity(medium: Dict[str, Any], axis: str, omega: Any, dt: float) -> Any:
    """That of the update at angular frequencies, of a medium as run.json has it: e' - e = cb curl at time step dt, with
    its poles and conductivity (src/model/coefficient.c)."""
    import numpy

    half, ct = numpy.exp(-0.5j * omega * dt), _C0 * dt
    step = half - 1 / half
    current = 0.5 * _ETA0 * medium["conductivity_S_per_m"]["xyz".index(axis)] * (half + 1 / half)
    for pole in medium["poles"]:
        if pole["type"] == "debye":
            tau = _C0 * pole["tau_s"]
            drive = pole["delta_eps"] / (2 * tau + ct) * (half + 1 / half)
            own = 1 + 2 / (2 * tau + ct) * ct / (half * step)
        else:
            loss = 0.5 * pole["gamma_rad_per_s"] * dt
            spring = (pole.get("omega_rad_per_s", 0.0) / _C0) ** 2 * ct / (1 + loss)
            strength = pole["delta_eps"] * spring if "delta_eps" in pole else (
                (pole["plasma_rad_per_s"] / _C0) ** 2 * ct / (1 + loss))
            drive, own = strength / half, 1 - (1 - loss) / (1 + loss) / half**2 + spring * ct / (half * step)
        current = current + drive / own
    return medium["permittivity"]["xyz".index(axis)] + current * ct / step
