"""Components of gdsfactory as jobs: from_gdsfactory. Layouts kept as .json files need no package but this one."""
from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .errors import UnsupportedError
from .job import Job
from .parts import Part, table
from .program import program

Point = List[float]
_C_UM_PER_FS = 0.299792458
# Built-in media of materials: of glasses and semiconductors the index at the middle of the band is taken.
_GLASSES = {"si": "Si_ir", "sio2": "SiO2", "sin": "Si3N4", "si3n4": "Si3N4"}
_MEDIA = {"air": "vacuum", "aluminum": "Al", "al": "Al", "au": "Au", "cu": "Cu"}


class GdsfactoryError(UnsupportedError):
    """Parts of a component that have no counterpart. unsupported: a line for each, with its place."""

    of = "the component"


# --- Layouts: what is read of a component


def _ring(points: Any, dbu: float) -> List[Point]:
    return [[round(p.x * dbu, 9), round(p.y * dbu, 9)] for p in points]


def _level(name: str, level: Any, component: Any) -> Dict[str, Any]:
    region = level.layer.get_shapes(component)
    region.merge()
    dbu = component.kcl.dbu
    polygons = [{"outline": _ring(p.each_point_hull(), dbu),
                 "holes": [_ring(p.each_point_hole(i), dbu) for i in range(p.holes())]} for p in region.each()]
    single = getattr(level.layer, "layer", None)
    return {"name": name, "zmin": level.zmin, "thickness": level.thickness, "material": level.material or name,
            "sidewall_deg": level.sidewall_angle or 0.0, "width_to_z": level.width_to_z, "order": level.mesh_order,
            "changes": [key for key in ("bias", "z_to_bias") if getattr(level, key, None)],
            "is_whole": getattr(single, "name", None) == "WAFER", "polygons": polygons}


def gdsfactory_layout(component: Any, layer_stack: Any = None) -> Dict[str, Any]:
    """What from_gdsfactory reads of a component: dictionaries and lists that json can write, lengths in um.

    layer_stack: gdsfactory's LayerStack, default that of the active PDK. Keys: name; levels, each with name, zmin,
    thickness, material, sidewall_deg, width_to_z, order (mesh_order), is_whole (of the layer WAFER) and polygons, each
    an outline and holes; ports, each with name, centre, width, orientation (degrees) and type.
    """
    if layer_stack is None:
        from gdsfactory import get_active_pdk

        layer_stack = get_active_pdk().get_layer_stack()
    return {"name": component.name, "levels": [_level(n, v, component) for n, v in layer_stack.layers.items()],
            "ports": [{"name": p.name, "centre": [float(c) for c in p.center], "width": float(p.width),
                       "orientation": float(p.orientation), "type": p.port_type} for p in component.ports]}


# --- Jobs


class _Port:
    """A port whose guide continues to the domain's end. axis: 0 or 1, sign: of the way out."""

    def __init__(self, port: Mapping[str, Any], number: int):
        self.name, self.number, self.width = str(port["name"]), number, float(port["width"])
        self.centre = [float(c) for c in port["centre"]]
        quarter = (float(port["orientation"]) % 360) / 90
        self.is_along_axis = abs(quarter - round(quarter)) < 1e-6
        turn = round(quarter) % 4
        self.axis, self.sign = turn % 2, 1 if turn < 2 else -1
        self.lo = self.hi = 0.0  # of its planes, across

    def out(self, distance: float) -> float:
        return self.centre[self.axis] + self.sign * distance

    def faces(self, a: Point, b: Point) -> bool:
        """Whether the edge from a to b lies on the port's line and meets the port."""
        across = 1 - self.axis
        middle = self.centre[across]
        return (all(abs(p[self.axis] - self.centre[self.axis]) < 1.5e-3 for p in (a, b))
                and min(a[across], b[across]) < middle + 0.5 * self.width - 1e-6
                and max(a[across], b[across]) > middle - 0.5 * self.width + 1e-6)

    def moved(self, p: Point, distance: float) -> Point:
        q = list(p)
        q[self.axis] = self.out(distance)
        return q


def _extended(outline: List[Point], ports: Sequence[_Port], length: float, met: set) -> List[Point]:
    """An outline whose edges at ports are pushed out by a length."""
    made: List[Point] = []
    for a, b in zip(outline, [*outline[1:], *outline[:1]]):
        made.append(a)
        for port in ports:
            if port.faces(a, b):
                made += [port.moved(a, length), port.moved(b, length)]
                met.add(port.name)
    return made


def _room(ports: Sequence[_Port], margin: float) -> None:
    """Ends of the ports' planes across: a margin beside the guide, at most half the way to the next port."""
    for port in ports:
        across = 1 - port.axis
        middle = port.centre[across]
        port.lo, port.hi = middle - 0.5 * port.width - margin, middle + 0.5 * port.width + margin
        for other in ports:
            if other is not port and (other.axis, other.sign) == (port.axis, port.sign):
                half = 0.5 * (middle + other.centre[across])
                if half > middle:
                    port.hi = min(port.hi, half)
                else:
                    port.lo = max(port.lo, half)


def _index(name: str, wavelength: float) -> Optional[float]:
    """The index of a built-in medium without losses at a wavelength in um, None outside its range."""
    out = program().answer(["materials", name, f"--wavelengths={1000 * wavelength:.9g}"])
    return None if out.returncode or out.stderr else float(out.stdout.split()[-1].split(",")[1])


class _Frame:
    """The job's domain about lo to hi, ends in the layout; inside: without layers. An even number of cells, so that
    the middle is a node of the grid."""

    def __init__(self, lo: Sequence[float], hi: Sequence[float], cells: Sequence[float]):
        self.cells = cells
        self.inside = [round(2 * c * math.ceil((h - b) / (2 * c) - 1e-9), 9) for b, h, c in zip(lo, hi, cells)]
        self.middle = [round(0.5 * (b + h), 6) for b, h in zip(lo, hi)]

    def node(self, axis: int, at: float, rounding: Callable[[float], float]) -> float:
        """A node of the grid near a place of the layout, in the job."""
        return round(self.cells[axis] * rounding(round((at - self.middle[axis]) / self.cells[axis], 6)), 9)


class _Reader:
    """Makes the objects of a layout's levels. middle: of the domain, in the layout's coordinates."""

    def __init__(self, layout: Mapping[str, Any], media: Mapping[str, Any], wavelength: float,
                 unsupported: List[str]):
        self.layout, self.unsupported = layout, unsupported
        self.media: Dict[str, Any] = {**_MEDIA, **{str(name).lower(): medium for name, medium in media.items()}}
        for name in {str(v["material"]).lower() for v in layout["levels"]} & set(_GLASSES) - set(self.media):
            index = _index(_GLASSES[name], wavelength)
            self.media[name] = index and table().find("Medium")(index=index)
        self.levels = sorted((v for v in layout["levels"] if v["polygons"] or v["is_whole"]),
                             key=lambda v: -v["order"])  # the lower order is painted later
        self.middle = [0.0, 0.0, 0.0]

    def bodies(self) -> List[Mapping[str, Any]]:
        return [v for v in self.levels if not v["is_whole"]]

    def check(self) -> None:
        for v in self.levels:
            where = f"level {v['name']}: "
            if v["changes"] and not v["is_whole"]:
                self.unsupported.append(where + f"{' and '.join(v['changes'])}: a prism of a job has one outline")
            if v["sidewall_deg"] and v["width_to_z"] not in (0.0, 0.5, 1.0):
                self.unsupported.append(where + f"width_to_z = {v['width_to_z']}: a job has 0, 0.5 and 1")
            if self.media.get(str(v["material"]).lower()) is None:
                self.unsupported.append(where + f"no medium is known for {v['material']}: "
                                        f"media={{\"{v['material']}\": ...}}")

    def ends(self, v: Mapping[str, Any]) -> Tuple[float, float]:
        lo, hi = sorted((v["zmin"], v["zmin"] + v["thickness"]))
        return lo - self.middle[2], hi - self.middle[2]

    def _prism(self, v: Mapping[str, Any], outline: List[Point], grows: bool = False, **keys: Any) -> Part:
        lo, hi = self.ends(v)
        if v["sidewall_deg"]:
            keys.update(sidewall_deg=-v["sidewall_deg"] if grows else v["sidewall_deg"],
                        sidewall_at={0.0: "lo", 0.5: "middle", 1.0: "hi"}[v["width_to_z"]])
        corners = [[round(p[i] - self.middle[i], 9) for i in (0, 1)] for p in outline]
        return table().classes["objects"]["Prism"](axis="z", lo=lo, hi=hi, vertices=corners, **keys)

    def objects(self, ports: Sequence[_Port], length: float, size: Sequence[float], met: set) -> List[Part]:
        kinds, made = table().classes["objects"], []
        for v in self.levels:
            medium = self.media[str(v["material"]).lower()]
            if v["is_whole"]:
                lo, hi = self.ends(v)
                if hi <= -0.5 * size[2] or lo >= 0.5 * size[2]:
                    continue
                made.append(kinds["Box"](center=[0, 0, 0.5 * (lo + hi)], size=[3 * size[0], 3 * size[1], hi - lo],
                                         medium=medium))
                continue
            for p in v["polygons"]:
                outline = _extended(p["outline"], ports, length, met)
                if p["holes"]:
                    parts = [self._prism(v, outline), *(self._prism(v, hole, grows=True) for hole in p["holes"])]
                    made.append(kinds["Difference"](parts=parts, medium=medium))
                else:
                    made.append(self._prism(v, outline, medium=medium))
        return made


def _band(wavelengths: Any) -> Tuple[float, float]:
    """Centre and width of a pulse for wavelengths, in um."""
    if isinstance(wavelengths, Mapping):
        short, long = sorted((float(wavelengths["from"]), float(wavelengths["to"])))
    else:
        short, long = min(map(float, wavelengths)), max(map(float, wavelengths))
    centre = 0.5 * (short + long)
    return centre, max(long - short, 0.05 * centre)


def _selected(layout: Mapping[str, Any], names: Optional[Sequence[str]], unsupported: List[str]) -> List[_Port]:
    given = [p for p in layout["ports"] if p["type"] == "optical"] if names is None else layout["ports"]
    by_name = {str(p["name"]): p for p in given}
    for name in names or ():
        if name not in by_name:
            unsupported.append(f"port {name}: there is none; {', '.join(by_name)}")
    wanted = [name for name in (names if names is not None else by_name) if name in by_name]
    ports = [_Port(by_name[name], i + 1) for i, name in enumerate(wanted)]
    for port in ports:
        if not port.is_along_axis:
            unsupported.append(f"port {port.name}: its direction is along no axis")
    if not ports and not unsupported:
        unsupported.append("ports: there is no optical one")
    return ports


def _extent(bodies: Sequence[Mapping[str, Any]], ports: Sequence[_Port], margin: float, depth: float,
            port_length: float) -> Tuple[Point, Point]:
    """Ends of the domain without layers, in the layout."""
    points = [q for v in bodies for p in v["polygons"] for q in p["outline"]]
    lo = [min(q[i] for q in points) - margin for i in (0, 1)]
    hi = [max(q[i] for q in points) + margin for i in (0, 1)]
    for port in ports:
        lo[port.axis], hi[port.axis] = (min(lo[port.axis], port.out(port_length)),
                                        max(hi[port.axis], port.out(port_length)))
        lo[1 - port.axis], hi[1 - port.axis] = min(lo[1 - port.axis], port.lo), max(hi[1 - port.axis], port.hi)
    lo.append(min(min(v["zmin"], v["zmin"] + v["thickness"]) for v in bodies) - depth)
    hi.append(max(max(v["zmin"], v["zmin"] + v["thickness"]) for v in bodies) + depth)
    return lo, hi


def _plane(port: _Port, distance: float, frame: _Frame) -> List[Point]:
    """Corners of a port's plane at a distance outside it, in the job, on nodes of its grid."""
    lo, hi = [0.0] * 3, [0.0] * 3
    lo[port.axis] = hi[port.axis] = frame.node(port.axis, port.out(distance), round)
    lo[1 - port.axis] = frame.node(1 - port.axis, port.lo, math.ceil)
    hi[1 - port.axis] = frame.node(1 - port.axis, port.hi, math.floor)
    lo[2], hi[2] = -0.5 * frame.inside[2], 0.5 * frame.inside[2]
    return [lo, hi]


def _add_ports(made: Job, ports: Sequence[_Port], frame: _Frame, length: float, time: Part, keys: Dict[str, Any],
               expansion: Dict[str, Any]) -> None:
    """A source and a monitor for each port. keys: of both; expansion: of monitors."""
    for port in ports:
        into = ("-" if port.sign > 0 else "+") + "xy"[port.axis]
        made += table().classes["sources"]["Mode"](name=port.name, direction=into, mode=0, time=time, **keys,
                                                   box=_plane(port, 0.7 * length, frame))
        reference = round(port.centre[port.axis] - frame.middle[port.axis], 9)
        made += table().classes["monitors"]["Mode"](name=f"port_{port.name}", port=port.number, into=into,
                                                    source=port.name, reference=reference, **keys, **expansion,
                                                    box=_plane(port, 0.3 * length, frame))


def from_gdsfactory(component: Any, layer_stack: Any = None, *, cell: Union[float, Sequence[float]], wavelengths: Any,
                    media: Optional[Mapping[str, Any]] = None, ports: Optional[Sequence[str]] = None, modes: int = 1,
                    target_index: Optional[float] = None, margin: float = 1.0, depth: float = 1.0,
                    port_length: float = 1.0, absorber_cells: int = 12, **job: Any) -> Job:
    """A component of gdsfactory with its layer stack as a job for `torre study smatrix`: lengths in um.

    component: gdsfactory's Component, or a layout (gdsfactory_layout) as a dictionary or the path of a .json file.
    layer_stack: default that of the active PDK. A level with a lower mesh_order is painted later; levels of the layer
    WAFER cover the whole plane. cell: edge of a cell, or three. wavelengths: of the ports' spectra, a list or span().
    media: {material of a level: medium}; known are air, si, sio2, sin, with their index at the middle of the band, and
    al, au, cu (`torre materials`).
    ports: names, default all optical ones; each has a mode source and a monitor, numbered in that order, with the phase
    at the port itself, and its guide continues to the domain's end. modes: that the monitors expand in.
    target_index: near which modes are looked for. margin: between the bodies and the layers, and from a guide to the
    ends of its port's planes; depth: above and below the bodies; port_length: from a port to the layers.
    job: further arguments of Job, such as time_fs.

    The component's middle is the job's. Raises GdsfactoryError with all that has no counterpart.
    """
    if isinstance(component, (str, os.PathLike)):
        layout = json.loads(Path(component).read_text(encoding="utf-8"))
    else:
        layout = component if isinstance(component, Mapping) else gdsfactory_layout(component, layer_stack)
    unsupported: List[str] = []
    centre, band = _band(wavelengths)
    reader = _Reader(layout, media or {}, centre, unsupported)
    reader.check()
    chosen = _selected(layout, ports, unsupported)
    bodies = reader.bodies()
    if not bodies:
        unsupported.append("levels: no level of the layer stack has a polygon of the component")
    if unsupported:
        raise GdsfactoryError(unsupported)
    _room(chosen, margin)
    cells = [cell] * 3 if isinstance(cell, (int, float)) else list(cell)
    lo, hi = _extent(bodies, chosen, margin, depth, port_length)
    frame = _Frame(lo, hi, cells)
    size = [round(s + 2 * absorber_cells * c, 9) for s, c in zip(frame.inside, cells)]
    reader.middle, way = frame.middle, sum(frame.inside[:2])
    made = Job(**{**dict(title=str(layout["name"])[:60], length_unit="um", size=size, cell=cells,
                         boundaries=dict(default="cpml", cpml=dict(cells=absorber_cells)), decay=1e-6,
                         time_fs=round(3 * 4.5 * way / _C_UM_PER_FS + 8 * centre**2 / (band * _C_UM_PER_FS))), **job})
    met: set = set()
    made += reader.objects(chosen, way + 2 * max(size), size, met)
    missed = [f"port {port.name}: no polygon ends there" for port in chosen if port.name not in met]
    if missed:
        raise GdsfactoryError(missed)
    profile = table().classes["times"]["Pulse"](wavelength=centre, band=band)
    near = {} if target_index is None else {"target_index": target_index}
    _add_ports(made, chosen, frame, port_length, profile, near, dict(count=modes, wavelengths=wavelengths))
    return made
