"""Gradients of an objective of mode amplitudes with respect to the numbers of a design region.

Two ordinary runs a value, and one more for each further wave that the objective sees: docs/design/gradients.md has why
the result is the derivative of the discrete system. Needs numpy and h5py.
"""
from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Tuple

from .errors import ArgumentError
from .parts import table
from .results import Results

_FIELD = "torre-design"  # the monitor that is added
_C0, _EPS0 = 299792458.0, 8.8541878128e-12


@dataclass(frozen=True)
class Wave:
    """A wave that an objective sees: that of a mode through the plane of a `mode` monitor.

    direction: "+" along the monitor's axis (its `forward`), "-" against it; mode: its number among the monitor's.
    """

    monitor: str
    direction: str = "+"
    mode: int = 0

    def __post_init__(self) -> None:
        if self.direction not in ("+", "-"):
            raise ArgumentError("direction", f'direction: got {self.direction!r}, need "+" or "-"')


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
        return float((w * numpy.abs(s) ** 2).sum()), 2 * w * numpy.conj(s)

    return objective


def value_and_grad(job: Any, density: Any, objective: Callable[[Any], Tuple[float, Any]], waves: Sequence[Wave],
                   folder: str | os.PathLike[str], *, design: int = 0, **run: Any) -> Tuple[float, Any]:
    """An objective of a job whose design region has this grid of numbers, and its derivative by each of them.

    objective: a function of s[wave][wavelength], the complex amplitudes over that of the source (|s|^2 is power over
    the source's), that returns F and d with dF = Re(sum of d ds); power() is one. waves: what it sees; their monitors
    have the same wavelengths and no `reference`. folder: for the files, which are written over. design: number of the
    region. run: arguments of Job.run. The job has one source, a mode or a beam, with a pulse, and no symmetry; the
    region ends a cell before the walls.

    Raises ArgumentError for what is not so, and what Job.run raises.
    """
    import numpy

    values = numpy.asarray(density, dtype=float)
    base = _prepared(job, values, waves, Path(folder), design)
    forward = base.run(Path(folder) / "forward", overwrite=True, **run)
    run_of = _Run(forward, design)
    s = numpy.array([run_of.wave(wave) for wave in waves])
    value, d = objective(s)
    d = numpy.broadcast_to(numpy.asarray(d, dtype=complex), s.shape)
    gradient = numpy.zeros(values.shape)
    for number, wave in enumerate(waves):
        if numpy.any(d[number]):
            adjoint = _adjoint(base, wave).run(Path(folder) / f"adjoint-{number}", overwrite=True, **run)
            gradient += run_of.gradient(_Run(adjoint, design), d[number], values.shape)
    return value, gradient


# --- The jobs


def _monitor(job: Any, name: str) -> Any:
    found = [m for m in job.monitors if m.name == name and m._word == "mode"]
    if not found:
        raise ArgumentError("waves", f"waves: the job has no monitor {name} of type mode")
    return found[0]


def _corners(box: Any) -> Tuple[List[float], List[float]]:
    lo, hi = (box["lo"], box["hi"]) if isinstance(box, dict) else box
    return [float(x) for x in lo], [float(x) for x in hi]


def _prepared(job: Any, values: Any, waves: Sequence[Wave], folder: Path, design: int) -> Any:
    """The job with these numbers and the monitor of its region's fields."""
    if len(job.sources) != 1 or job.sources[0]._word not in ("mode", "gaussian_beam"):
        raise ArgumentError("sources", "sources: need exactly one, a Mode or a GaussianBeam")
    if not 0 <= design < len(job.designs):
        raise ArgumentError("design", f"design: got {design}, but the job has {len(job.designs)} designs")
    if not waves:
        raise ArgumentError("waves", "waves: got none, need one or more")
    monitors = [_monitor(job, wave.monitor) for wave in waves]
    for wave, monitor in zip(waves, monitors):
        if wave.mode not in range(monitor.count or 1):
            raise ArgumentError("waves", f"waves: got mode {wave.mode} of monitor {monitor.name}, which has "
                                         f"{monitor.count or 1} (its count), numbered from 0")
    wavelengths = monitors[0].wavelengths
    for monitor in monitors:
        if monitor.reference is not None:
            raise ArgumentError("waves", f"waves: monitor {monitor.name} has a reference, need none")
        if monitor.wavelengths != wavelengths:
            raise ArgumentError("waves", f"waves: {monitor.name} has other wavelengths than {monitors[0].name}")
    made = job.copy()
    region = made.designs[design]
    region.dataset = "density"
    region.file = str(write_density(folder / "density.h5", values).absolute())
    lo, hi = _corners(region.box)
    size = [float(x) for x in made["grid.size"]]
    cell = made["grid.cell"]
    cells = [float(c) for c in cell] if isinstance(cell, (list, tuple)) else [float(cell)] * len(size)
    for a, length in enumerate(size):
        if lo[a] - cells[a] < -0.5 * length or hi[a] + cells[a] > 0.5 * length:
            raise ArgumentError("design", "design: the region reaches a wall of the domain, need a cell between them")
    box = [[x - c for x, c in zip(lo, cells)], [x + c for x, c in zip(hi, cells)]]
    made += table().classes["monitors"]["Field"](name=_FIELD, box=box, components=_components(made),
                                                 wavelengths=wavelengths)
    return made


def _components(job: Any) -> List[str]:
    if len(job["grid.size"]) == 3:
        return ["Ex", "Ey", "Ez"]
    return ["Ez"] if job["grid.polarisation"] in ("TM", "Ez") else ["Ex", "Ey"]


def _adjoint(job: Any, wave: Wave) -> Any:
    """The job whose source sends the wave's mode back from its monitor."""
    monitor = _monitor(job, wave.monitor)
    lo, hi = _corners(monitor.box)
    flat = [a for a in range(len(lo)) if lo[a] == hi[a]]
    made = job.copy()
    source = table().classes["sources"]["Mode"](name="adjoint", box=[lo, hi], mode=wave.mode,
                                                direction=("-" if wave.direction == "+" else "+") + "xyz"[flat[0]],
                                                time=job.sources[0].time)
    if monitor.target_index is not None:
        source.target_index = monitor.target_index
    made.sources[:] = [source]
    made.monitors[:] = [m for m in made.monitors if m.name == _FIELD]
    return made


# --- Their results


def _complex(dataset: Any) -> Any:
    values = dataset[()]
    return values[..., 0] + 1j * values[..., 1]


class _Run:
    """What a run has: amplitudes, the region's fields over the source's amplitude."""

    def __init__(self, results: Results, design: int):
        import h5py

        self.job: Dict[str, Any] = results.run["job"]
        self.design: Dict[str, Any] = self.job["designs"][design]
        self.path = results.folder / "results.h5"
        with h5py.File(self.path, "r") as file:
            group = file["monitors"][_FIELD]
            self.dt, self.cell = float(file.attrs["time_step_s"]), [float(c) for c in file.attrs["cell_m"]]
            self.omega = 2 * math.pi * _C0 / group["wavelength"][()]
            self.amplitude = _complex(group["amplitude"])
            self.fields = {name: _complex(item["spectrum"]) for name, item in group.items() if name[0] == "E"}
            self.places = {name: {axis: item[axis][()] for axis in "xyz" if axis in item}
                           for name, item in group.items() if name[0] == "E"}

    def wave(self, wave: Wave) -> Any:
        import h5py

        with h5py.File(self.path, "r") as file:
            group = file["monitors"][wave.monitor]
            return _complex(group["forward" if wave.direction == "+" else "backward"])[:, wave.mode] / (
                math.sqrt(2) * self.amplitude)

    def _change(self, component: str) -> float:
        """Of the permittivity for a change of a number by 1."""
        if self.design["values"] == "permittivity":
            return 1.0
        eps = {medium["name"]: medium["permittivity"]["xyz".index(component[1])] for medium in self.job["media"]}
        return float(eps[self.design["medium_1"]] - eps[self.design["medium_0"]])

    def gradient(self, adjoint: _Run, d: Any, shape: Tuple[int, ...]) -> Any:
        """Re(sum over wavelengths of d ds) by each number."""
        import numpy

        shifted = 2 / self.dt * numpy.sin(0.5 * self.omega * self.dt)
        factor = 0.25j * shifted * _EPS0 * math.prod(self.cell) * d / (self.amplitude * adjoint.amplitude)
        total = numpy.zeros(shape)
        for component, field in self.fields.items():
            product = numpy.tensordot(factor, field * adjoint.fields[component], 1).real * self._change(component)
            for axis, name in enumerate("zyx"[3 - product.ndim:]):
                at = "xyz".index(name)
                n = shape[axis - product.ndim] if product.ndim - axis <= len(shape) else 1
                part = _interpolation(self.places[component][name], self.design["box"]["lo_m"][at],
                                      self.design["box"]["hi_m"][at], n, self.cell[at])
                product = numpy.moveaxis(numpy.tensordot(part, product, (0, axis)), 0, axis)
            total += product.reshape(shape)
        return total


def _interpolation(places: Any, lo: float, hi: float, n: int, cell: float) -> Any:
    """[places][n]: the weight of each number of a region's axis in the value at a place, as tor_design_value."""
    import numpy

    matrix = numpy.zeros((len(places), n))
    for i, x in enumerate(places):
        if not lo - 1e-6 * cell < x < hi + 1e-6 * cell:
            continue
        at = min(max((x - lo) / (hi - lo) * n - 0.5, 0.0), n - 1.0)
        first = min(int(at), max(n - 2, 0))
        matrix[i, first] += 1 - (at - first)
        if n > 1:
            matrix[i, first + 1] += at - first
    return matrix
