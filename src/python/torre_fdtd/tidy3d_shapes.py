"""Shapes of Tidy3D as objects of a job."""
from __future__ import annotations

import math
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple

from .parts import Part, table
from .tidy3d_frame import Frame, is_close, number

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
    lean = number(g.get("sidewall_angle", 0.0))
    if number(g.get("dilation", 0.0)) or (lean and frame.plane):
        complain("a prism of a job has no dilation, and in two dimensions upright walls")
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
    keys = {} if lean == 0 else {"sidewall_deg": math.degrees(lean), "sidewall_at": {
        "bottom": "lo", "middle": "middle", "top": "hi"}[g.get("reference_plane", "middle")]}
    return [_object("Prism", axis="xyz"[frame.axis(axis)], lo=lo, hi=hi, vertices=corners, **keys)]


def _points(vertices: Sequence[Any]) -> List[Sequence[float]]:
    """Corners, without a last one that repeats the first."""
    points = [list(map(number, v)) for v in vertices]
    return points[:-1] if len(points) > 3 and points[0] == points[-1] else points


def _group(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    return [part for inner in g["geometries"] for part in shapes(inner, frame, complain)]


def flat(g: Mapping[str, Any], frame: Frame, complain: Complain) -> Optional[Tuple[int, float, Mapping[str, Any]]]:
    """Of a shape without thickness: the simulation's axis across it, its place there in the job, and the shape with a
    thickness of two cells. None where it was complained of."""
    kind = g["type"]
    inner = [name for name in ("geometries", "geometry_a", "geometry_b") if name in g]
    if inner:
        found = [flat(part, frame, complain) for name in inner
                 for part in (g[name] if name == "geometries" else [g[name]])]
        planes = [part for part in found if part is not None]
        if len(planes) < len(found):
            return None
        if any(part[0] != planes[0][0] or not is_close(part[1], planes[0][1]) for part in planes):
            complain("a sheet of a job lies in one plane")
            return None
        parts = [part[2] for part in planes]
        joined = {"geometries": parts} if kind == "GeometryGroup" else {"geometry_a": parts[0], "geometry_b": parts[1]}
        return planes[0][0], planes[0][1], {**g, **joined}
    if kind == "Box":
        axes = [a for a in frame.order[:frame.dims] if number(g["size"][a]) == 0]
        if len(axes) == 1:
            size = [2 * frame.cell[frame.axis(a)] if a == axes[0] else s for a, s in enumerate(g["size"])]
            return axes[0], frame.along(axes[0], number(g["center"][axes[0]])), {**g, "size": size}
    if "axis" in g and frame.axis(int(g["axis"])) < frame.dims:
        axis = int(g["axis"])
        thick = 2 * frame.cell[frame.axis(axis)]
        if kind == "Cylinder" and number(g["length"]) == 0:
            return axis, frame.along(axis, number(g["center"][axis])), {**g, "length": thick}
        if kind == "PolySlab" and len({number(end) for end in g["slab_bounds"]}) == 1:
            place = number(g["slab_bounds"][0])
            return axis, frame.along(axis, place), {**g, "slab_bounds": [place - 0.5 * thick, place + 0.5 * thick]}
    complain("a sheet is a box, a disc or a polygon without thickness across one axis of the job")
    return None


def _joined(parts: List[Part]) -> Part:
    return parts[0] if len(parts) == 1 else _object("Union", parts=parts)


def _clip(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    """Two shapes as one: of those that do not meet the plane of two dimensions nothing is left."""
    a, b = (shapes(g[name], frame, complain) for name in ("geometry_a", "geometry_b"))
    if g["operation"] == "union":
        return a + b
    if g["operation"] == "difference":
        return [_object("Difference", parts=[_joined(a), _joined(b)])] if a and b else a
    if g["operation"] == "intersection":
        return [_object("Intersection", parts=[_joined(a), _joined(b)])] if a and b else []
    complain(f"there is no {g['operation']} of shapes")
    return []


Matrix = List[List[float]]


def _product(a: Matrix, b: Matrix) -> Matrix:
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def _shifted(g: Mapping[str, Any], by: Sequence[float]) -> Mapping[str, Any]:
    """A shape with a centre, or a slab, moved in the simulation's axes."""
    if "center" in g:
        return {**g, "center": [number(c) + s for c, s in zip(g["center"], by)]}
    axis = int(g["axis"])
    others = [s for a, s in enumerate(by) if a != axis]
    return {**g, "slab_bounds": [number(end) + by[axis] for end in g["slab_bounds"]],
            "vertices": [[number(c) + s for c, s in zip(v, others)] for v in g["vertices"]]}


def _is_infinite(g: Mapping[str, Any]) -> bool:
    extents = [*(g.get("size") or ()), g.get("length", 0.0), *(g.get("slab_bounds") or ())]
    return any(math.isinf(number(e)) for e in extents)


def _turned(parts: List[Part], turn: Matrix, frame: Frame, complain: Complain) -> List[Part]:
    """Objects turned by a matrix about the simulation's origin."""
    r = [[turn[i][j] for j in frame.order] for i in frame.order]  # in the job's axes: Rz Ry Rx
    angles = [math.atan2(r[2][1], r[2][2]), math.asin(max(-1.0, min(1.0, -r[2][0]))), math.atan2(r[1][0], r[0][0])]
    if frame.plane and max(abs(angles[0]), abs(angles[1])) > 1e-9:
        complain("in two dimensions a shape is turned in the plane")
        return []
    for part in parts:
        part.rotate_deg = math.degrees(angles[2]) if frame.plane else [math.degrees(a) for a in angles]
        part.rotate_about = frame.place([0.0, 0.0, 0.0])
    return parts


def _transformed(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    """A shape that is shifted and turned; one that is stretched or mirrored has no counterpart."""
    matrix, inner = [[number(x) for x in row] for row in g["transform"]], g["geometry"]
    if inner["type"] == "Transformed":
        inside = [[number(x) for x in row] for row in inner["transform"]]
        return _transformed({"transform": _product(matrix, inside), "geometry": inner["geometry"]}, frame, complain)
    if inner["type"] in ("GeometryGroup", "ClipOperation"):
        moved = {name: [{"type": "Transformed", "transform": matrix, "geometry": part} for part in value]
                 if isinstance(value, list) else {"type": "Transformed", "transform": matrix, "geometry": value}
                 for name, value in inner.items() if name.startswith("geometr")}
        return shapes({**inner, **moved}, frame, complain)
    turn = [row[:3] for row in matrix[:3]]
    transposed = [list(column) for column in zip(*turn)]
    square = _product(turn, transposed)
    first, second, third = turn
    volume = sum(first[i] * (second[(i + 1) % 3] * third[(i + 2) % 3] - second[(i + 2) % 3] * third[(i + 1) % 3])
                 for i in range(3))
    if volume < 0 or any(abs(square[i][j] - (i == j)) > 1e-9 for i in range(3) for j in range(3)):
        complain("a shape that is stretched or mirrored has no counterpart")
        return []
    # R x + t is R (x + R^T t).
    shift = [row[0] for row in _product(transposed, [[matrix[i][3]] for i in range(3)])]
    parts = shapes(_shifted(inner, shift) if inner["type"] in _KINDS else inner, frame, complain)
    if all(abs(turn[i][j] - (i == j)) <= 1e-12 for i in range(3) for j in range(3)):
        return parts
    if _is_infinite(inner):
        complain("a shape without end that is turned has no counterpart: give it one")
        return []
    return _turned(parts, turn, frame, complain)


_KINDS = {"Box": _box, "Sphere": _sphere, "Cylinder": _cylinder, "PolySlab": _polyslab, "GeometryGroup": _group,
          "ClipOperation": _clip, "Transformed": _transformed}


def shapes(g: Mapping[str, Any], frame: Frame, complain: Complain) -> List[Part]:
    """The objects of a shape, without media; none where it does not meet the plane of two dimensions."""
    if g["type"] not in _KINDS:
        complain(f"there is no shape like {g['type']}")
        return []
    return _KINDS[g["type"]](g, frame, complain)
