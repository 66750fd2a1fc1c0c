"""Where a simulation of Tidy3D lies in a job: its domain, cells and faces, and the job's axes."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

Box = Tuple[List[float], List[float]]

_WALLS = {"Periodic": "periodic", "PECBoundary": "pec", "PMCBoundary": "pmc"}
_LAYERS = {"PML": "cpml", "StablePML": "cpml", "Absorber": "absorber"}


class Complaints:
    """What has no counterpart, by its place in the simulation."""

    def __init__(self) -> None:
        self.lines: List[str] = []

    def at(self, place: str) -> Callable[[str], None]:
        """What takes the complaints about one place; the same one once."""

        def complain(what: str) -> None:
            if f"{place}: {what}" not in self.lines:
                self.lines.append(f"{place}: {what}")

        return complain


def number(value: Any) -> float:
    """A coordinate as Tidy3D writes it: infinite ones are words."""
    return float(value)


class Frame:
    """Places of a simulation in the job's axes, about the middle of the job's domain. Lengths in micrometres.

    order: the simulation's axes that are x, y, z of the job: as they are, and of a simulation that has no extent along
    x or y those that leave this axis to z (a cyclic change, so that hands stay). plane: a job of two dimensions.
    size: of the domain with its layers; cell: edges of a cell; faces: the group `boundaries`.
    """

    def __init__(self, sim: Mapping[str, Any], cell: Any, complaints: Complaints):
        size = [number(s) for s in sim["size"]]
        flat = [a for a in range(3) if size[a] == 0]
        if len(flat) > 1:
            complaints.at("size")(f"got {sim['size']}, need an extent along two axes at least")
        self.plane = len(flat) > 0
        self.order = [(flat[0] + 1 + i) % 3 for i in range(3)] if flat else [0, 1, 2]
        self.dims = 2 if self.plane else 3
        self.z_plane = number(sim["center"][self.order[2]])
        self.inner = [size[a] for a in self.order[:self.dims]]
        self.cell = self._cells(sim, cell, complaints)
        self.faces, layers = self._faces(sim, complaints)
        thick = [[n * self.cell[i] for n in layers[i]] for i in range(self.dims)]
        self.size = [self.inner[i] + sum(thick[i]) for i in range(self.dims)]
        centre = [number(sim["center"][a]) for a in self.order[:self.dims]]
        self.origin = [centre[i] + 0.5 * (thick[i][1] - thick[i][0]) for i in range(self.dims)]
        # The simulation's own domain, without layers.
        self.lo = [centre[i] - 0.5 * self.inner[i] - self.origin[i] for i in range(self.dims)]
        self.hi = [centre[i] + 0.5 * self.inner[i] - self.origin[i] for i in range(self.dims)]

    def _cells(self, sim: Mapping[str, Any], cell: Any, complaints: Complaints) -> List[float]:
        """Edges of a cell: whole numbers of them fill the domain. cell: that of the caller, in place of the grid's."""
        if cell is None:
            given: List[Optional[float]] = []
            for a in self.order[:self.dims]:
                grid = sim["grid_spec"]["grid_" + "xyz"[a]]
                given.append(number(grid["dl"]) if grid["type"] == "UniformGrid" else None)
                if given[-1] is None:
                    complaints.at(f"grid_spec.grid_{'xyz'[a]}")(
                        f"a job's cells are all equal, and {grid['type']} has none of one size: give cell=")
        else:
            given = [float(c) for c in cell] if isinstance(cell, Sequence) else [float(cell)] * self.dims
        return [self.inner[i] / max(1, round(self.inner[i] / c)) if c else self.inner[i] for i, c in enumerate(given)]

    def _faces(self, sim: Mapping[str, Any], complaints: Complaints) -> Tuple[Dict[str, Any], List[List[int]]]:
        faces: Dict[str, Any] = {}
        layers = [[0, 0] for _ in range(self.dims)]
        for i in range(self.dims):
            axis = sim["boundary_spec"]["xyz"[self.order[i]]]
            for side, name in enumerate(("minus", "plus")):
                face, kind = f"{'xyz'[i]}_{('lo', 'hi')[side]}", axis[name]["type"]
                if kind in _WALLS:
                    faces[face] = _WALLS[kind]
                elif kind == "BlochBoundary":
                    faces[face] = "bloch"
                    faces.setdefault("phase_deg", [0.0] * self.dims)[i] = 360.0 * number(axis[name]["bloch_vec"])
                elif kind in _LAYERS:
                    layers[i][side] = int(axis[name]["num_layers"])
                    faces[face] = {"type": _LAYERS[kind], "cells": layers[i][side]}
                else:
                    complaints.at(f"boundary_spec.{'xyz'[self.order[i]]}.{name}")(f"there is no wall like {kind}")
        return faces, layers

    def axis(self, a: int) -> int:
        """The job's axis that is the simulation's axis a."""
        return self.order.index(a)

    def place(self, point: Sequence[Any]) -> List[float]:
        """A point of the simulation in the job: three coordinates, in two dimensions two."""
        return [number(point[self.order[i]]) - self.origin[i] for i in range(self.dims)]

    def along(self, a: int, value: float) -> float:
        """A place along the simulation's axis a, in the job."""
        i = self.axis(a)
        return value - self.origin[i] if i < self.dims else value - self.z_plane

    def box(self, part: Mapping[str, Any]) -> Box:
        """The box of a source or monitor, cut off at the domain without its layers."""
        lo, hi = [], []
        for i in range(self.dims):
            centre, size = number(part["center"][self.order[i]]), number(part["size"][self.order[i]])
            lo.append(max(centre - 0.5 * size - self.origin[i], self.lo[i]))
            hi.append(min(centre + 0.5 * size - self.origin[i], self.hi[i]))
        return lo, hi

    def far(self, i: int) -> float:
        """A distance from the origin along the job's axis i that is well outside."""
        return 2 * self.size[i] if i < self.dims else 1.0

    def clipped(self, i: int, lo: float, hi: float) -> Tuple[float, float]:
        """An extent along the job's axis i, with infinite ends brought to somewhere outside."""
        return max(lo, -self.far(i)), min(hi, self.far(i))

    def turned(self, vector: Sequence[float]) -> List[float]:
        """A vector of the simulation in the job's axes."""
        return [vector[a] for a in self.order]

    def component(self, name: str) -> str:
        """A component such as Ex in the job's axes."""
        return name[0] + "xyz"[self.axis("xyz".index(name[1]))]

    def directed(self, a: int, sign: str) -> str:
        """A direction such as +x in the job's axes."""
        return sign + "xyz"[self.axis(a)]


def normal_of(part: Mapping[str, Any], frame: Frame) -> Optional[int]:
    """The simulation's axis across a plane, None where it is not flat along exactly one of the job's axes."""
    flat = [a for i, a in enumerate(frame.order[:frame.dims]) if number(part["size"][a]) == 0]
    return flat[0] if len(flat) == 1 else None


def is_close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
