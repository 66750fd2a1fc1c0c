"""What an objective of gradients sees on surfaces: power through planes and boxes; far.py has far fields.

A surface's functional of the fields E, H, the sum over its points of n.(e x H - E x h) with the flux monitors' weights,
has as its adjoint source the grid's own fields e, h on it: one half sent to one side of each plane, less one half to
the other (docs/design/gradients.md, Flux, Far fields). All surfaces of an objective share one run.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from .errors import ArgumentError
from .parts import table
from .region import times
from .waves import corners, is_periodic, turn_walls

_TOGETHER = 6  # wavelengths of one adjoint run: fields between them are a polynomial through all
_FAR, _NEAR = -1.0 / 24.0, 9.0 / 8.0  # weights of order 4


def _margin(job: Any) -> float:
    """Cells on either side of a plane that hold all that its functional sees."""
    return 2.6 if (job["grid.order"] or 2) == 4 else 1.6


def _cells(job: Any) -> List[float]:
    cell = job["grid.cell"]
    return [float(cell[a] if isinstance(cell, (list, tuple)) else cell) for a in range(len(job["grid.size"]))]


@dataclass(frozen=True)
class FluxOf:
    """The power through the plane of a `flux` monitor, along its axis, or out of the box of a `flux_box` one; of a
    `far_field` monitor that through its surface.

    s is the monitor's `fraction`, a real number of which Re(d) is used; of a plane along a plane wave, which has none,
    the power over that of the wave per area [m^2; 2-D m].
    """

    monitor: str

    def check(self, job: Any) -> Any:
        """Its monitor."""
        return monitor_among(job, self.monitor, ("flux", "flux_box", "far_field"))

    def amplitude(self, run: Any) -> Any:
        power = self._power(run)
        seen = sum(plane.product(plane.fields, plane.conjugate) for plane in planes_of(self, run)).real
        if abs(seen - power).max() > 1e-6 * abs(power).max() + 1e-9 * run.source_power().max():
            raise ArgumentError("waves", f"waves: monitor {self.monitor} lies within a cell of a wall or of the plane "
                                         "wave's box, need two cells between them")
        return power / self._unit(run) + 0j

    def _power(self, run: Any) -> Any:
        return run.values(self.monitor, "power_J_per_Hz" if len(run.size) == 3 else "power_J_per_Hz_m")

    def _unit(self, run: Any) -> Any:
        """What the power is divided by."""
        import numpy

        power, unit = self._power(run), run.source_power()
        if run.has(self.monitor, "fraction"):
            fraction = run.values(self.monitor, "fraction")
            unit = numpy.where(numpy.isfinite(fraction) & (fraction != 0), power / fraction, unit)
        return unit

    def sent(self, run: Any, d: Any) -> Iterator[Dict[str, Any]]:
        """Of each plane the fields e, h whose functional is Re(d) ds but for the imaginary part."""
        weight = d.real / self._unit(run)
        for plane in planes_of(self, run):
            yield {name: each_wavelength(-weight if name[0] == "H" else weight, values) * values.conj()
                   for name, values in plane.fields.items()}


def monitor_among(job: Any, name: str, types: Sequence[str]) -> Any:
    found = [m for m in job.monitors if m.name == name and m._word in types]
    if not found:
        raise ArgumentError("waves", f"waves: the job has no monitor {name} of type {' or '.join(types)}")
    return found[0]


def each_wavelength(weights: Any, values: Any) -> Any:
    """[wavelength] weights for values [wavelength][z][y][x]."""
    import numpy

    return numpy.asarray(weights).reshape((-1,) + (1,) * (values.ndim - 1))


def record(job: Any, wave: Any) -> List[Any]:
    """Field monitors around the planes of a surface's monitor: those that its adjoint source is made of."""
    monitor = wave.check(job)
    lo, hi = corners(monitor.box)
    margin, made = _margin(job), []
    for axis, end in _faces(lo, hi):
        low, high = list(lo), list(hi)
        low[axis] = high[axis] = (lo, hi)[end][axis]
        for a, (cell, size) in enumerate(zip(_cells(job), job["grid.size"])):
            low[a] = max(low[a] - margin * cell, -0.5 * float(size))
            high[a] = min(high[a] + margin * cell, 0.5 * float(size))
        made.append(table().classes["monitors"]["Field"](
            name=_name(wave, axis, end), box=[low, high], wavelengths=monitor.wavelengths,
            components=_components(job, axis)))
    return made


def _faces(lo: Sequence[float], hi: Sequence[float]) -> List[Tuple[int, int]]:
    """Axis and end of each plane of a box, or of a plane."""
    flat = [a for a in range(len(lo)) if lo[a] == hi[a]]
    return [(a, 0) for a in flat] if flat else [(a, end) for a in range(len(lo)) for end in (0, 1)]


def _name(wave: Any, axis: int, end: int) -> str:
    return f"torre-{wave.monitor}-{'xyz'[axis]}{end}"


def _components(job: Any, axis: int) -> List[str]:
    """E and H along a plane."""
    along = "xyz".replace("xyz"[axis], "")
    if len(job["grid.size"]) == 3:
        return [field + a for field in "EH" for a in along]
    in_plane = along.replace("z", "")
    return ["Ez", f"H{in_plane}"] if job["grid.polarisation"] in ("TM", "Ez") else [f"E{in_plane}", "Hz"]


class _Plane:
    """A plane of the surface, its fields as recorded, [wavelength][z][y][x] with rows along the axis."""

    def __init__(self, run: Any, name: str, axis: int, sign: int, lo: Sequence[float], hi: Sequence[float]):
        self.axis, self.sign, self.lo, self.hi = axis, sign, [float(x) for x in lo], [float(x) for x in hi]
        self.run, self.axes, self.wide = run, len(lo), run.order == 4
        self.fields: Dict[str, Any] = {}
        self.places: Dict[str, List[Any]] = {}
        for component in sorted(run.components(name)):
            self._take(name, component)

    def _take(self, name: str, component: str) -> None:
        """The points of the plane and, along its axis, all that the functional sees."""
        import numpy

        values = self.run.complex(name, f"{component}/spectrum")
        places: List[Any] = []
        for a in range(self.axes):
            x = self.run.values(name, f"{component}/{'xyz'[a]}")
            reach = (1 if self.wide else 0, 1.5 if self.wide else 0.5)[component[0] == "H"] if a == self.axis else 0.0
            kept = numpy.flatnonzero((x > self.lo[a] - (reach + 0.1) * self.run.cell[a]) &
                                     (x < self.hi[a] + (reach + 0.1) * self.run.cell[a]))
            values = numpy.take(values, kept, self.axes - a)
            places.append(x[kept])
        self.fields[component], self.places[component] = values, places

    @property
    def conjugate(self) -> Dict[str, Any]:
        return {name: values.conj() for name, values in self.fields.items()}

    def weights(self, component: str) -> Any:
        """Area of each point's cell in the plane, half of it where the plane ends on the point."""
        import numpy

        total: Any = float(self.sign)
        for a in range(self.axes):
            if a == self.axis:
                continue
            x = self.places[component][a]
            part = numpy.where((abs(x - self.lo[a]) < 0.1 * self.run.cell[a]) |
                               (abs(x - self.hi[a]) < 0.1 * self.run.cell[a]), 0.5, 1.0) * self.run.cell[a]
            total = total * part.reshape((-1,) + (1,) * a)
        return total

    def product(self, first: Dict[str, Any], second: Dict[str, Any]) -> Any:
        """[wavelength]: sum of n.(E x H), E of the first fields and H of the second ones."""
        b, c = "xyz"[(self.axis + 1) % 3], "xyz"[(self.axis + 2) % 3]
        total: Any = 0
        for e, h, sign in (("E" + b, "H" + c, 1), ("E" + c, "H" + b, -1)):
            if e not in first or h not in second:
                continue
            rows = [_rows(fields[name], self.axes - self.axis) for fields, name in ((first, e), (second, h))]
            crossing = _crossing(*rows, self.run.order) * self._flat(self.weights(e))
            total = total + sign * crossing.reshape(len(crossing), -1).sum(1)
        return total

    def _flat(self, weights: Any) -> Any:
        import numpy

        return numpy.squeeze(weights, weights.ndim - 1 - self.axis) if weights.ndim > self.axis else weights


def _rows(values: Any, at: int) -> List[Any]:
    """A plane's points at each place along its axis."""
    import numpy

    return list(numpy.moveaxis(values, at, 0))


def _crossing(e: Sequence[Any], h: Sequence[Any], order: int) -> Any:
    """The terms by which the grid exchanges power through a plane: `crossing` of src/model/monitor_spectrum.c."""
    if order != 4:
        return times(0.5 * e[0], h[0] + h[1])
    return (0.5 * _NEAR * times(e[1], h[1] + h[2])
            + _FAR * (times(e[0], h[2]) + times(e[2], h[1]) + 0.5 * times(e[1], h[0] + h[3])))


def planes_of(wave: Any, run: Any) -> List[_Plane]:
    """The planes of a surface as they were measured."""
    if wave.monitor in run.kept:
        return run.kept[wave.monitor]
    monitor = wave.check(run.source_job)
    lo, hi = corners(monitor.box)
    faces, made = _faces(lo, hi), []
    for low, high in run.values(wave.monitor, "planes"):
        axis = next(a for a in range(len(low)) if low[a] == high[a])
        ends = [(abs((lo, hi)[end][axis] * run.unit - low[axis]), end) for a, end in faces if a == axis]
        end = min(ends)[1]
        run.check_inside("waves", f"monitor {wave.monitor}", low, high)
        sign = -1 if len(faces) > 1 and end == 0 else 1
        made.append(_Plane(run, _name(wave, axis, end), axis, sign, low, high))
    run.kept[wave.monitor] = made
    return made


class _Spot:
    """A plane of a few cells whose only current lies at a point of E, as _Plane: its functional is that E."""

    def __init__(self, run: Any, component: str, at: Sequence[float], weight: Any):
        import numpy

        along = "xyz".index(component[1])
        self.axis, self.sign, axes = 0 if along else 1, 1, len(at)
        self.lo, self.hi = ([x if a == self.axis else x + side * 1.25 * run.cell[a] for a, x in enumerate(at)]
                            for side in (-1, 1))
        other = "xyz"[3 - self.axis - along]
        self.places: Dict[str, List[Any]] = {}
        self.fields: Dict[str, Any] = {}
        area = math.prod(run.cell[a] for a in range(axes) if a != self.axis)
        # n.(e x h): of E two axes after the plane's +, of E one after -.
        strength = numpy.asarray(weight) / area * (1 if (along - self.axis) % 3 == 2 else -1)
        for name in _components_of(run, self.axis):
            self.places[name] = [_offsets(run.order, name, component, a, self.axis) * run.cell[a] + at[a]
                                 for a in range(axes)]
            values = numpy.zeros((len(strength),) + tuple(len(x) for x in reversed(self.places[name])), complex)
            if name == "H" + other:
                middle = tuple(slice(None) if a == self.axis else len(self.places[name][a]) // 2
                               for a in reversed(range(axes)))
                rows = [1.0, 1.0] if run.order == 2 else [-24.0, 0.0, 0.0, -24.0]  # so that _crossing has E alone
                values[(slice(None),) + middle] = numpy.outer(strength, rows)
            self.fields[name] = values


def _offsets(order: int, name: str, component: str, axis: int, across: int) -> Any:
    """Places of a component's points along an axis from those of another one of E, in cells: across the plane those
    that _crossing has, along it as far as a plane's file must reach."""
    import numpy

    def half(of: str) -> bool:
        return (of[1] == "xyz"[axis]) == (of[0] == "E")

    if axis == across:
        reach = (0.0, 0.5) if order == 2 else (1.0, 1.5)
        return numpy.arange(-reach[name[0] == "H"], reach[name[0] == "H"] + 0.1)
    reach = 4.5 if half(name) != half(component) else 4.0
    return numpy.arange(-reach, reach + 0.1)


def _components_of(run: Any, axis: int) -> List[str]:
    return _components(run.source_job, axis)


def spots(points: Sequence[Any], run: Any, d: Sequence[Any]) -> List[Tuple[Any, Dict[str, Any]]]:
    """Points of E as all_sent has planes: all of them share its run."""
    made = []
    for point, weights in zip(points, d):
        spot = _Spot(run, point.component, point.place(run), weights / run.source())
        made.append((spot, spot.fields))
    return made


def all_sent(waves: Sequence[Any], run: Any, d: Sequence[Any]) -> List[Tuple[_Plane, Dict[str, Any]]]:
    """The planes of all surfaces and what each sends for all waves together."""
    total: Dict[str, List[Dict[str, Any]]] = {}
    planes: Dict[str, List[_Plane]] = {}
    for wave, weights in zip(waves, d):
        planes[wave.monitor] = planes_of(wave, run)
        kept = total.setdefault(wave.monitor, [{} for _ in planes[wave.monitor]])
        for fields, more in zip(kept, wave.sent(run, weights)):
            for name, values in more.items():
                fields[name] = fields[name] + values if name in fields else values
    return [pair for name in total for pair in zip(planes[name], total[name])]


def groups(count: int) -> List[range]:
    """Wavelengths of each adjoint run."""
    return [range(first, min(first + _TOGETHER, count)) for first in range(0, count, _TOGETHER)]


def adjoint(job: Any, run: Any, sent: Sequence[Tuple[_Plane, Dict[str, Any]]], used: range, folder: Path) -> None:
    """Makes a job's sources the fields of planes at some of the wavelengths."""
    import h5py

    target, made = folder / "surfaces.h5", []
    each = 2 if run.order == 4 else len(used)  # that the terms of one source can have
    with h5py.File(target, "w") as file:
        for plane, fields in sent:
            for first in range(used.start, used.stop, each):
                for side in (1, -1):
                    group = file.create_group(str(len(made)))
                    _write(group, run, plane, fields, used, range(first, min(first + each, used.stop)), 0.5 * side)
                    box = [[x / run.unit for x in corner] for corner in (plane.lo, plane.hi)]
                    made.append(table().classes["sources"]["Fields"](
                        name=f"adjoint-{len(made)}", box=box, file=str(target.absolute()), group=str(len(made)),
                        direction=("+" if side > 0 else "-") + "xyz"[plane.axis], as_is=True,
                        time=job.sources[0].time.copy(zero_mean=None)))
    job.sources[:] = made
    turn_walls(job, [-p for p in run.phases])


def _write(group: Any, run: Any, plane: _Plane, fields: Dict[str, Any], used: range, own: range,
           factor: float) -> None:
    import numpy

    group["wavelength"] = run.wavelengths[used.start:used.stop]
    for name, values in fields.items():
        data = numpy.zeros(values[used.start:used.stop].shape + (2,))
        for q in own:
            data[q - used.start, ..., 0] = plane.sign * factor * values[q].real
            data[q - used.start, ..., 1] = plane.sign * factor * values[q].imag
        group[f"{name}/spectrum"] = data
        for a, x in zip("xyz", plane.places[name]):
            group[f"{name}/{a}"] = x
