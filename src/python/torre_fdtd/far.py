"""Far fields as what an objective of gradients sees: complex amplitudes in directions.

By reciprocity the far field in a direction is the surface's product with the grid's plane wave that comes from there
(src/model/far_field.h); so its adjoint source is that wave, sent by the surface itself (docs/design/gradients.md).
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from .errors import ArgumentError
from .region import times
from .surfaces import each_wavelength, monitor_among, planes_of


@dataclass(frozen=True)
class Far:
    """The far field in a direction, of the surface of a `far_field` monitor: its own directions do not matter.

    phi_deg: from x to y; theta_deg: from z, in 3-D alone, as component, "theta" or "phi", along whose unit vector the
    field is. s is r E exp(-i k r) (2-D: its root of r) over the source's amplitude, in units in which |s|^2 is the
    power per solid angle (2-D: per angle) over the source's power, of a plane wave over its power per area.
    """

    monitor: str
    phi_deg: float = 0.0
    theta_deg: float | None = None
    component: str | None = None

    def __post_init__(self) -> None:
        if (self.theta_deg is None) != (self.component is None) or self.component not in (None, "theta", "phi"):
            raise ArgumentError("component", f"component: got {self.component!r} with theta_deg {self.theta_deg!r}, "
                                             'need "theta" or "phi" in 3-D with theta_deg, and neither in 2-D')

    def check(self, job: Any) -> Any:
        """Its monitor."""
        if (self.theta_deg is None) != (len(job["grid.size"]) == 2):
            raise ArgumentError("waves", f"waves: a direction of monitor {self.monitor}: theta_deg and component are "
                                         "needed in 3-D and not for 2-D")
        return monitor_among(job, self.monitor, ("far_field",))

    def _directions(self, run: Any) -> Tuple[List[float], List[float]]:
        """The direction and the field's."""
        theta = math.pi / 2 if self.theta_deg is None else math.radians(self.theta_deg)
        phi = math.radians(self.phi_deg)
        ct, st, cp, sp = (math.cos(theta), math.sin(theta), math.cos(phi), math.sin(phi)) if len(run.size) == 3 else (
            0.0, 1.0, math.cos(phi), math.sin(phi))
        rising = [ct * cp, ct * sp, -st] if len(run.size) == 3 else [0.0, 0.0, 1.0]
        is_phi = self.component == "phi" if len(run.size) == 3 else run.job["grid"]["polarisation"] not in ("TM", "Ez")
        return [st * cp, st * sp, ct], [-sp, cp, 0.0] if is_phi else rising

    def _wave(self, run: Any) -> Tuple[Any, List[Dict[str, Any]]]:
        """The factor of the surface's product with the wave that comes from the direction, and that wave, H too, at the
        points of each plane: tor_far_field_at of src/model/far_field.c."""
        direction, along = self._directions(run)
        eta = run.values(self.monitor, "impedance")
        whole = run.shifted() / run.speed * run.values(self.monitor, "index")
        k, root = _wave_vector(run, direction, whole)
        across = [direction[a - 1] * along[a - 2] - direction[a - 2] * along[a - 1] for a in range(3)]
        unit = (1j * whole * eta / (4 * math.pi) if len(run.size) == 3
                else eta / 4 * (2 * whole / math.pi) ** 0.5 * complex(-math.sqrt(0.5), math.sqrt(0.5)))
        planes, waves = planes_of(self, run), []
        for plane in planes:
            waves.append({})
            for name, values in plane.fields.items():
                axis = "xyz".index(name[1])
                value = each_wavelength(along[axis] + 0 * eta if name[0] == "E" else across[axis] / eta, values)
                for a, x in enumerate(plane.places[name]):
                    value = times(value, _phases(k[a], x, plane.axes, a))
                waves[-1][name] = value
        against = len(planes) == 1 and direction[planes[0].axis] < 0
        return (-unit if against else unit) * root, waves

    def amplitude(self, run: Any) -> Any:
        factor, waves = self._wave(run)
        total = sum(plane.product(plane.fields, wave) - plane.product(wave, plane.fields)
                    for plane, wave in zip(planes_of(self, run), waves))
        _check_far(self, run)
        return times(factor, total) / self._unit(run)

    def _unit(self, run: Any) -> Any:
        source = run.source()
        return (run.values(self.monitor, "impedance") * run.source_power()) ** 0.5 * source / abs(source)

    def sent(self, run: Any, d: Any) -> Iterator[Dict[str, Any]]:
        """Of each plane the fields e, h whose functional is d ds."""
        factor, waves = self._wave(run)
        weight = -times(d, factor) / self._unit(run)
        for wave in waves:
            yield {name: times(each_wavelength(weight, values), values) for name, values in wave.items()}


def _check_far(wave: Far, run: Any) -> None:
    """That the monitor's own first direction is that of its fields here: no mirrors, nothing else between."""
    if (wave.monitor, "checked") in run.kept:
        return
    run.kept[wave.monitor, "checked"] = True
    degrees = [math.degrees(float(run.values(wave.monitor, name)[0])) for name in ("theta", "phi")
               if run.has(wave.monitor, name)]
    for component, name in (("theta", "E_theta"), ("phi", "E_phi")) if len(run.size) == 3 else (
            (None, "E_z"), (None, "E_phi")):
        if not run.has(wave.monitor, name):
            continue
        own = Far(wave.monitor, degrees[-1], degrees[0] if component else None, component)
        wanted = run.complex(wave.monitor, name)
        wanted = wanted.reshape(len(wanted), -1)[:, 0] / own._unit(run)
        found = own.amplitude(run)
        largest = run.values(wave.monitor, "power_per_angle").max() / run.source_power().min()
        if abs(found - wanted).max() > 1e-6 * math.sqrt(largest):
            raise ArgumentError("waves", f"waves: the surface of monitor {wave.monitor} ends on a mirror or lies "
                                         "within a cell of a wall or of a plane wave's box, need two cells between")


def far_cone(monitor: str, direction: str, half_deg: float, count: int = 9,
             axes: int = 3) -> Tuple[List[Far], List[float]]:
    """Directions of a cone about an axis, such as those that a numerical aperture takes, and weights: the sum of
    weights |s|^2 is the power into the cone over the source's, by Gauss' rule.

    direction: "+z", "-x" ...; half_deg: from the axis, 180 being all directions; count: of polar angles, so many waves
    in 2-D (axes = 2); in 3-D 4 count azimuths of each and two components, 8 count^2 waves, all of one adjoint run.
    """
    import numpy

    if direction not in [sign + a for sign in "+-" for a in "xyz"[:axes]] or not 0 < half_deg <= 180:
        raise ArgumentError("direction", f"direction: got {direction!r}, {half_deg!r} degrees, need one such as "
                                         '"+x" and an angle above 0, up to 180 degrees')
    at, sign = "xyz".index(direction[1]), 1.0 if direction[0] == "+" else -1.0
    nodes, weights = numpy.polynomial.legendre.leggauss(count)
    if axes == 2:
        middle = math.degrees(math.atan2(sign * at, sign * (1 - at)))
        return ([Far(monitor, float(middle + half_deg * x)) for x in nodes],
                [float(w) * math.radians(half_deg) for w in weights])
    low = math.cos(math.radians(half_deg))
    waves, parts = [], []
    for x, w in zip(nodes, weights):
        cosine = 0.5 * (1 + low) + 0.5 * (1 - low) * x
        for turn in range(4 * count):
            azimuth = 2 * math.pi * (turn + 0.5) / (4 * count)
            u = [0.0, 0.0, 0.0]
            u[at] = sign * cosine
            u[at - 2], u[at - 1] = (math.sqrt(1 - cosine**2) * f(azimuth) for f in (math.cos, math.sin))
            for component in ("theta", "phi"):
                waves.append(Far(monitor, math.degrees(math.atan2(u[1], u[0])),
                                 math.degrees(math.acos(max(-1.0, min(1.0, u[2])))), component))
                parts.append(float(w) * 0.5 * (1 - low) * 2 * math.pi / (4 * count))
    return waves, parts


def _phases(k: Any, places: Any, axes: int, axis: int) -> Any:
    """exp(-i k x), of shape [wavelength][z][y][x] with one point along the other axes."""
    import numpy

    return numpy.exp(-1j * numpy.outer(k, places)).reshape(
        (len(k),) + (1,) * (axes - 1 - axis) + (-1,) + (1,) * axis)


def _difference(order: int, x: Any, derivative: bool = False) -> Any:
    """tor_wave_difference and tor_wave_slope of src/model/grid_wave.h."""
    import numpy

    if derivative:
        return numpy.cos(x) if order == 2 else 9 / 8 * numpy.cos(x) - numpy.cos(3 * x) / 8
    return numpy.sin(x) if order == 2 else 9 / 8 * numpy.sin(x) - numpy.sin(3 * x) / 24


def _wave_vector(run: Any, direction: Sequence[float], whole: Any) -> Tuple[List[Any], Any]:
    """The grid's wave vector whose K is `whole` [1/m] along a direction, and the root of dk_x dk_y dk_z over dK's."""
    import numpy

    slopes, vector = 1.0, []
    for u, d in zip(direction, run.cell[:len(run.size)]):
        wanted = 0.5 * abs(u) * whole * d
        if (wanted >= _difference(run.order, 0.5 * math.pi)).any():
            raise ArgumentError("waves", "waves: a wavelength is below two cells")
        x = numpy.arcsin(numpy.minimum(wanted, 1.0)) if run.order == 2 else wanted
        for _ in range(30 if run.order == 4 else 0):
            x = x - (_difference(4, x) - wanted) / _difference(4, x, True)
        vector.append(math.copysign(2 / d, u) * x)
        slopes = slopes * _difference(run.order, x, True)
    return vector, 1 / slopes**0.5
