"""What an objective of gradients sees: amplitudes of modes and diffraction orders, and E at points.

Each is linear in the fields, s = sum over points of weights and fields, and has a source whose run gives the derivative
of s by every permittivity at once (docs/design/gradients.md): of a mode the mode sent back, of an order its plane wave
sent back, of E at a point a dipole there.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, List, Sequence, Tuple

from .errors import ArgumentError
from .parts import table
from .region import times


def monitor_of(job: Any, name: str, word: str) -> Any:
    """The job's monitor of this name and type."""
    found = [m for m in job.monitors if m.name == name and m._word == word]
    if not found:
        raise ArgumentError("waves", f"waves: the job has no monitor {name} of type {word}")
    return found[0]


def corners(box: Any) -> Tuple[List[float], List[float]]:
    lo, hi = (box["lo"], box["hi"]) if isinstance(box, dict) else box
    return [float(x) for x in lo], [float(x) for x in hi]


def is_periodic(job: Any, axis: str) -> bool:
    """Whether the walls across an axis are periodic or bloch."""
    wall = job[f"boundaries.{axis}_lo"] or job["boundaries.default"]
    return (wall if isinstance(wall, str) else (wall or {}).get("type")) in ("periodic", "bloch")


def turn_walls(job: Any, phase_rad: Sequence[float]) -> None:
    """Gives bloch walls these phases; the system's transpose has the opposite ones of the system."""
    if any(phase_rad):
        job["boundaries.k"] = None
        job["boundaries.phase_deg"] = [math.degrees(p) for p in phase_rad]


def _signed(direction: str) -> None:
    if direction not in ("+", "-"):
        raise ArgumentError("direction", f'direction: got {direction!r}, need "+" or "-"')


def _along(direction: str) -> str:
    return "forward" if direction == "+" else "backward"


def _back(direction: str) -> str:
    return "-" if direction == "+" else "+"


@dataclass(frozen=True)
class Wave:
    """The wave of a mode through the plane of a `mode` monitor.

    direction: "+" along the monitor's axis (its `forward`), "-" against it; mode: its number among the monitor's. s is
    its amplitude over that of the source; of a mode or a beam |s|^2 is power over the source's.
    """

    monitor: str
    direction: str = "+"
    mode: int = 0

    def __post_init__(self) -> None:
        _signed(self.direction)

    def check(self, job: Any) -> Any:
        """Its monitor."""
        monitor = monitor_of(job, self.monitor, "mode")
        if self.mode not in range(monitor.count or 1):
            raise ArgumentError("waves", f"waves: got mode {self.mode} of monitor {monitor.name}, which has "
                                         f"{monitor.count or 1} (its count), numbered from 0")
        if monitor.reference is not None:
            raise ArgumentError("waves", f"waves: monitor {monitor.name} has a reference, need none")
        return monitor

    def amplitude(self, run: Any) -> Any:
        return run.complex(self.monitor, _along(self.direction))[:, self.mode] / run.power_source()

    def adjoint(self, job: Any, run: Any) -> List[str]:
        """Makes the source that sends the mode back from its monitor; returns the monitors that it needs."""
        monitor = monitor_of(job, self.monitor, "mode")
        lo, hi = corners(monitor.box)
        flat = [a for a in range(len(lo)) if lo[a] == hi[a]]
        source = table().classes["sources"]["Mode"](name="adjoint", box=[lo, hi], mode=self.mode,
                                                    direction=_back(self.direction) + "xyz"[flat[0]],
                                                    time=job.sources[0].time)
        if monitor.target_index is not None:
            source.target_index = monitor.target_index
        job.sources[:] = [source]
        turn_walls(job, [-p for p in run.phases])
        return []

    def scale(self, run: Any, adjoint: Any) -> Any:
        """What i W eps0 V d eps E E_adjoint is divided by to be ds."""
        return 2 * times(run.power_source(), adjoint.power_source())


@dataclass(frozen=True)
class Order:
    """The wave of a diffraction order through the plane of an `orders` monitor.

    order: its numbers along the plane's axes, x before y before z, in 2-D one; direction: "+" along the monitor's axis,
    "-" against it; polarisation: "s" or "p", in 2-D that of the job. s is its amplitude over the source's: |s|^2 is
    power over that of the only plane wave through the cell (of a beam or fields: over the source's).
    """

    monitor: str
    order: Tuple[int, ...] = (0, 0)
    direction: str = "+"
    polarisation: str | None = None

    def __post_init__(self) -> None:
        _signed(self.direction)
        if self.polarisation not in (None, "s", "p"):
            raise ArgumentError("polarisation", f'polarisation: got {self.polarisation!r}, need "s" or "p"')

    def check(self, job: Any) -> Any:
        monitor = monitor_of(job, self.monitor, "orders")
        if len(self._axes(job)) != len(self.order):
            raise ArgumentError("waves", f"waves: got order {self.order} of monitor {self.monitor}, need a number "
                                         f"along {' and '.join(self._axes(job))}")
        if len(job["grid.size"]) == 3 and self.polarisation is None:
            raise ArgumentError("waves", f'waves: an order of monitor {self.monitor} has no polarisation, need "s" '
                                         'or "p"')
        return monitor

    def _axes(self, job: Any) -> str:
        """The axes of its plane."""
        return "xyz"[:len(job["grid.size"])].replace(str(monitor_of(job, self.monitor, "orders").axis), "")

    def _dataset(self, job: Any, direction: str) -> str:
        word = self.polarisation or ("s" if job["grid.polarisation"] in ("TM", "Ez") else "p")
        return f"{_along(direction)}_{word}"

    def amplitude(self, run: Any) -> Any:
        values = run.complex(self.monitor, self._dataset(run.source_job, self.direction))
        for axis, number in reversed(list(zip(self._axes(run.source_job), self.order))):
            numbers = list(run.values(self.monitor, f"order_{axis}"))
            if number not in numbers:
                raise ArgumentError("waves", f"waves: order {self.order} of monitor {self.monitor} does not travel")
            values = values[:, numbers.index(number)]
        if (values != values).any():
            raise ArgumentError("waves", f"waves: order {self.order} of monitor {self.monitor} does not travel at all "
                                         "of its wavelengths")
        return values / self._source(run)

    def _source(self, run: Any) -> Any:
        """Amplitude of the source whose square is its power in J/Hz through the cell."""
        if not run.has(self.monitor, "incident_power"):
            return run.power_source()
        field = run.complex(self.monitor, "incident")
        return run.values(self.monitor, "incident_power") ** 0.5 * field / abs(field)

    def _lateral(self, job: Any, run: Any) -> List[float]:
        """Its wave vector along x, y, z [1/m], 0 along the monitor's axis."""
        k = [0.0, 0.0, 0.0]
        for axis, number in zip(self._axes(job), self.order):
            at = "xyz".index(axis)
            k[at] = (run.phases[at] + 2 * math.pi * number) / run.size[at]
        return [x if abs(x) > 1e-9 * run.omega[0] / run.speed else 0.0 for x in k]

    def adjoint(self, job: Any, run: Any) -> List[str]:
        """Makes the plane wave that comes back from the monitor's plane as the order left; returns the monitor, which
        has its power."""
        axes, monitor = len(job["grid.size"]), monitor_of(job, self.monitor, "orders")
        at, outward = "xyz".index(monitor.axis), 1 if self.direction == "+" else -1
        k = [-x for x in self._lateral(job, run)]
        box = [[-0.5 * float(x) for x in job["grid.size"]], [0.5 * float(x) for x in job["grid.size"]]]
        box[outward > 0][at] = self._plane(run, monitor.axis) / run.unit
        source = table().classes["sources"]["PlaneWave"](name="adjoint", box=box, time=job.sources[0].time)
        if any(k):
            whole = float(run.values(self.monitor, "index")[0]) * run.omega[0] / run.speed
            travel = [x / whole for x in k]
            travel[at] = -outward * math.sqrt(1 - sum(x * x for x in travel))
            source.angle_wavelength = float(run.values(self.monitor, "wavelength")[0]) / run.unit
            source.phi_deg = math.degrees(math.atan2(travel[1], travel[0]))
            if axes == 3:
                source.theta_deg = math.degrees(math.acos(travel[2]))
                source.psi_deg = _turn(travel, self._vector(job, run))
        else:
            source.direction = _back(self.direction) + monitor.axis
            if axes == 3:
                source.polarisation = "xyz"[self._vector(job, run).index(1)]
        for axis, x in zip("xyz", k):
            if axis in self._axes(job) and is_periodic(job, axis):
                job[f"boundaries.{axis}_lo"] = job[f"boundaries.{axis}_hi"] = "bloch" if x else "periodic"
        job["boundaries.k"] = job["boundaries.phase_deg"] = None
        job.sources[:] = [source]
        return [self.monitor]

    def _plane(self, run: Any, axis: str) -> float:
        """The node that the monitor's plane was moved to [m]."""
        for component in ("Ex", "Ey", "Ez"):
            if component[1] != axis and run.has(self.monitor, component):
                places = run.values(self.monitor, f"{component}/{axis}")
                return float(places[len(places) // 2])  # order 4: one more on either side
        raise ArgumentError("waves", f"waves: monitor {self.monitor} has no fields")

    def _vector(self, job: Any, run: Any) -> List[float]:
        """Along E of an amplitude of 1 in the plane, p without its length: as src/model/orders.c."""
        k, at = self._lateral(job, run), "xyz".index(monitor_of(job, self.monitor, "orders").axis)
        b, c = (at + 1) % 3, (at + 2) % 3
        is_s = self._dataset(job, "+").endswith("s")
        vector = [0.0, 0.0, 0.0]
        if any(k):
            length = math.hypot(*k)
            vector[b], vector[c] = (-k[c] / length, k[b] / length) if is_s else (k[b] / length, k[c] / length)
        else:
            is_thin = b == len(run.size) or (b < len(run.size) and round(run.size[b] / run.cell[b]) == 1)
            vector[b if is_s == is_thin else c] = 1.0
        return vector

    def scale(self, run: Any, adjoint: Any) -> Any:
        vector = self._vector(run.source_job, run)
        along = adjoint.attribute(self.monitor, "incident", "polarisation")
        if isinstance(along, str):
            along = [float(axis == along) for axis in "xyz"]
        sign = math.copysign(1.0, sum(x * float(y) for x, y in zip(vector, along)))
        return 2 * sign * times(self._source(run), self._source(adjoint))


def _turn(travel: Sequence[float], vector: Sequence[float]) -> float:
    """psi_deg of a wave with E along a vector but for a part along its travel."""
    theta, phi = math.acos(travel[2]), math.atan2(travel[1], travel[0])
    rising = (math.cos(theta) * math.cos(phi), math.cos(theta) * math.sin(phi), -math.sin(theta))
    turning = (-math.sin(phi), math.cos(phi), 0.0)
    return math.degrees(math.atan2(sum(x * y for x, y in zip(vector, turning)),
                                   sum(x * y for x, y in zip(vector, rising))))


@dataclass(frozen=True)
class Point:
    """A component of E at the point of a `field` monitor whose box is a point, such as a focus.

    s is E over the source's amplitude: over a plane wave's E, per root of a watt of a mode or a beam (2-D: W/m), per
    A m of a dipole (2-D: A).
    """

    monitor: str
    component: str

    def __post_init__(self) -> None:
        if self.component not in ("Ex", "Ey", "Ez"):
            raise ArgumentError("component", f"component: got {self.component!r}, need Ex, Ey or Ez")

    def check(self, job: Any) -> Any:
        monitor = monitor_of(job, self.monitor, "field")
        lo, hi = corners(monitor.box)
        if lo != hi:
            raise ArgumentError("waves", f"waves: the box of monitor {self.monitor} is no point, need lo = hi")
        return monitor

    def amplitude(self, run: Any) -> Any:
        if not run.has(self.monitor, self.component):
            raise ArgumentError("waves", f"waves: monitor {self.monitor} has no {self.component}")
        at = self.place(run)
        run.check_inside("waves", f"the point of monitor {self.monitor}", at, at)
        values = run.complex(self.monitor, f"{self.component}/spectrum")
        return values.reshape(len(values), -1)[:, 0] / run.source()

    def place(self, run: Any) -> List[float]:
        """The point of the grid that the monitor recorded [m]."""
        return [float(run.values(self.monitor, f"{self.component}/{axis}")[0]) for axis in "xyz"[:len(run.size)]]

    def shares(self, run: Any) -> bool:
        """Whether it may share a run with other points: four cells or more within absorbing layers and walls."""
        return not run.mirrored and run.has_between(self.place(run), 4)

    def adjoint(self, job: Any, run: Any) -> List[str]:
        """Makes the dipole at the point of the grid that the monitor recorded."""
        axes, classes = len(job["grid.size"]), table().classes["sources"]
        at = [x / run.unit for x in self.place(run)]
        for a in run.mirrored:  # half a cell beside the plane E is that on both sides, of which the dipole is the mean
            if abs(at[a]) < 0.6 * run.cell[a] / run.unit:
                at[a] = 0.0
        made = {"name": "adjoint", "position": at, "time": job.sources[0].time}
        if axes == 3:
            source = classes["ElectricDipole"](axis=self.component[1], **made)
        elif self.component == "Ez":
            source = classes["LineCurrent"](**made)
        else:
            source = classes["LineDipole"](axis=self.component[1], **made)
        job.sources[:] = [source]
        turn_walls(job, [-p for p in run.phases])
        return []

    def scale(self, run: Any, adjoint: Any) -> Any:
        return -times(run.source(), adjoint.source())
