"""Shapes of Tidy3D as objects of a job."""
from __future__ import annotations

import math
from typing import Any, Callable, List, Mapping, Sequence

from .parts import Part, table
from .tidy3d_frame import Frame, number

Complain = Callable[[str], None]


def _object(word: str, **values: Any) -> Part:
    return table().classes["objects"][word](**values)


def _extent(frame: Frame, a: int, centre: float, length: float) -> List[float]:
    """Ends along the simulation's axis a of something of that length, in the job."""
    middle = frame.along(a, centre)
    return list(frame.clipped(frame.axis(a), middle - 0.5 * length, middle + 0.5 * length))


def _box(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    ends = [_extent(frame, a, number(g["center"][a]), number(g["size"][a])) for a in frame.order]
    if frame.plane and not ends[2][0] <= 0 <= ends[2][1]:
        return []
    ends = ends[:frame.dims]
    if any(lo >= hi for lo, hi in ends):
        if any(number(g["size"][a]) == 0 for a in frame.order[:frame.dims]):
            complain("a box without thickness is no body")
        return []
    return [_object("Rectangle" if frame.plane else "Box", center=[0.5 * (lo + hi) for lo, hi in ends],
                    size=[hi - lo for lo, hi in ends])]


def _sphere(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    radius, centre = number(g["radius"]), frame.place(g["center"])
    if not frame.plane:
        return [_object("Sphere", center=centre, radius=radius)]
    off = frame.along(frame.order[2], number(g["center"][frame.order[2]]))
    return [_object("Circle", center=centre, radius=math.sqrt(radius**2 - off**2))] if abs(off) < radius else []


def _radius_at(g: Mapping[str, Any], along: float) -> float:
    """Radius of a cylinder at a distance from its middle: the radius given holds at its plane of reference."""
    reference = {"bottom": -0.5, "middle": 0.0, "top": 0.5}[g.get("reference_plane", "middle")]
    slope = math.tan(number(g.get("sidewall_angle", 0.0)))
    return number(g["radius"]) - ((along - reference * number(g["length"])) * slope if slope else 0.0)


def _cylinder(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    axis = int(g["axis"])
    middle = frame.along(axis, number(g["center"][axis]))
    lo, hi = _extent(frame, axis, number(g["center"][axis]), number(g["length"]))
    ends = [_radius_at(g, lo - middle), _radius_at(g, hi - middle)]
    if hi <= lo and not frame.plane:
        return []
    if min(ends) < 0:
        complain("its wall meets the axis inside its length")
        return []
    if frame.plane and frame.axis(axis) < 2:
        complain("in two dimensions a cylinder lies across the plane; give a box")
        return []
    centre = frame.place(g["center"])
    if frame.plane:
        return [_object("Circle", center=centre, radius=_radius_at(g, -middle))] if lo <= 0 <= hi else []
    centre[frame.axis(axis)] = 0.5 * (lo + hi)
    word = {"center": centre, "axis": "xyz"[frame.axis(axis)], "height": hi - lo}
    if ends[0] == ends[1]:
        return [_object("Cylinder", radius=ends[0], **word)]
    return [_object("Cone", radius_lo=ends[0], radius_hi=ends[1], **word)]


def _polyslab(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    axis = int(g["axis"])
    if number(g.get("sidewall_angle", 0.0)) or number(g.get("dilation", 0.0)):
        complain("a prism of a job has upright walls, and no dilation")
        return []
    lo, hi = (frame.along(axis, number(end)) for end in g["slab_bounds"])
    lo, hi = frame.clipped(frame.axis(axis), lo, hi)
    # Corners are given along the other axes in the order x, y, z; a job has those after the axis, in turn.
    others = [(axis + 1) % 3, (axis + 2) % 3]
    corners = [[frame.along(a, number(v[sorted(others).index(a)])) for a in others] for v in _points(g["vertices"])]
    if frame.plane:
        if frame.axis(axis) < 2:
            complain("in two dimensions a slab's polygon lies in the plane; give a box")
            return []
        return [_object("Polygon", vertices=corners)] if lo <= 0 <= hi else []
    return [_object("Prism", axis="xyz"[frame.axis(axis)], lo=lo, hi=hi, vertices=corners)]


def _points(vertices: Sequence[Any]) -> List[Sequence[float]]:
    """Corners, without a last one that repeats the first."""
    points = [list(map(number, v)) for v in vertices]
    return points[:-1] if len(points) > 3 and points[0] == points[-1] else points


def _group(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    return [part for inner in g["geometries"] for part in shapes(inner, frame, complain)]


def _clip(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    if g["operation"] != "union":
        complain(f"there is no {g['operation']} of shapes; paint the outer one, then the inner one with its own medium")
        return []
    return shapes(g["geometry_a"], frame, complain) + shapes(g["geometry_b"], frame, complain)


def _transformed(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    """Shifts alone: a shape that is turned or stretched has no counterpart."""
    matrix = g["transform"]
    turned = any(abs(number(matrix[r][c]) - (r == c)) > 1e-12 for r in range(3) for c in range(3))
    inner = g["geometry"]
    if turned or "center" not in inner:
        complain("a shape that is turned or stretched has no counterpart")
        return []
    shift = [number(matrix[r][3]) for r in range(3)]
    return shapes({**inner, "center": [number(c) + s for c, s in zip(inner["center"], shift)]}, frame, complain)


_KINDS = {"Box": _box, "Sphere": _sphere, "Cylinder": _cylinder, "PolySlab": _polyslab, "GeometryGroup": _group,
          "ClipOperation": _clip, "Transformed": _transformed}


def shapes(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    """The objects of a shape, without media; none where it does not meet the plane of two dimensions."""
    if g["type"] not in _KINDS:
        complain(f"there is no shape like {g['type']}")
        return []
    return _KINDS[g["type"]](g, frame, complain)
