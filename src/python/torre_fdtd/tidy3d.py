"""Simulations of Tidy3D as jobs: from_tidy3d. Needs no package but this one, also where Tidy3D is not installed."""
from __future__ import annotations

import json
import math
import os
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .errors import TorreWarning, UnsupportedError
from .job import Job
from .parts import Part, table
from .tidy3d_frame import Complaints, Frame, is_close, normal_of, number
from .tidy3d_media import Media, sheet_medium
from .tidy3d_shapes import flat, shapes

Complain = Callable[[str], None]
_C = 299792458.0


class Tidy3dError(UnsupportedError):
    """Parts of a simulation that have no counterpart. unsupported: a line for each, with its place."""

    of = "the simulation"


def _tree(simulation: Any) -> Dict[str, Any]:
    """The simulation as Tidy3D writes it to a .json file."""
    if isinstance(simulation, Mapping):
        return dict(simulation)
    if isinstance(simulation, (str, os.PathLike)):
        return json.loads(Path(simulation).read_text(encoding="utf-8"))
    text = simulation.model_dump_json() if hasattr(simulation, "model_dump_json") else simulation.json()
    return json.loads(text)


def _wavelengths(frequencies: List[float]) -> List[float]:
    return [1e6 * _C / number(f) for f in frequencies]


def _time(t: Mapping[str, Any], complain: Complain) -> Optional[Part]:
    """A time profile. A pulse's spectrum is exp(-(f - freq0)^2 / (2 fwidth^2)), a job's falls to 1 / e at `band`."""
    times = table().classes["times"]
    phase = {"phase_deg": -math.degrees(t["phase"])} if t["phase"] else {}
    if t["type"] == "ContinuousWave":
        return times["Continuous"](wavelength=1e6 * _C / t["freq0"], **phase)
    if t["type"] != "GaussianPulse":
        complain(f"there is no time profile like {t['type']}")
        return None
    half = math.sqrt(2) * t["fwidth"]
    if half >= t["freq0"]:
        complain("the pulse's band reaches frequency 0")
        return None
    short, long = 1e6 * _C / (t["freq0"] + half), 1e6 * _C / (t["freq0"] - half)
    return times["Pulse"](wavelength=0.5 * (short + long), band=long - short, **phase)


def _around(a: int, vector: Sequence[float]) -> List[float]:
    """A vector in the simulation's axes that is given across its axis a and, as the third part, along it."""
    return [*vector[:2][:a], vector[2], *vector[:2][a:]]


def _named(part: Mapping[str, Any]) -> Dict[str, Any]:
    return {"name": part["name"]} if part.get("name") else {}


class _Reader:
    """Turns one simulation into one job."""

    def __init__(self, sim: Mapping[str, Any], frame: Frame, complaints: Complaints, polarisation: Optional[str]):
        self.sim, self.frame, self.complaints = sim, frame, complaints
        self.polarisation = polarisation or (self._polarisation() if frame.plane else None)

    # --- Sources

    def _electric_axis(self, s: Mapping[str, Any], a: int) -> Optional[int]:
        """The simulation's axis of E of a plane wave along its axis a, None where it is not along one."""
        quarter = number(s["pol_angle"]) / (0.5 * math.pi)
        first = 1 if a == 0 else 0
        if abs(quarter - round(quarter)) > 1e-9:
            return None
        return first if round(quarter) % 2 == 0 else 3 - a - first

    def _polarisation(self) -> Optional[str]:
        """That of a job of two dimensions, by its sources: TM where they have E across the plane."""
        across, found = self.frame.order[2], set()
        for s in self.sim["sources"]:
            if s["type"] == "PointDipole":
                is_e, along = s["polarization"][0] == "E", "xyz".index(s["polarization"][1])
                found.add("TM" if is_e == (along == across) else "TE")
            elif s["type"] in ("PlaneWave", "TFSF"):
                axis = normal_of(s, self.frame) if s["type"] == "PlaneWave" else int(s["injection_axis"])
                found.add("TM" if axis is not None and self._electric_axis(s, axis) == across else "TE")
        if len(found) != 1:
            self.complaints.at("sources")("a job of two dimensions has one polarisation; name it: polarisation=\"TE\" "
                                          "or \"TM\"")
            return None
        return found.pop()

    def source(self, s: Mapping[str, Any], complain: Complain) -> Optional[Part]:
        kinds = {"PlaneWave": self._plane_wave, "TFSF": self._tfsf, "PointDipole": self._dipole,
                 "ModeSource": self._mode, "GaussianBeam": self._beam}
        if s["type"] not in kinds:
            complain(f"there is no source like {s['type']}")
            return None
        profile = _time(s["source_time"], complain)
        amplitude = number(s["source_time"]["amplitude"])
        return kinds[s["type"]](s, complain, {**_named(s), "time": profile, "amplitude": amplitude})

    def _direction(self, s: Mapping[str, Any], a: int, complain: Complain) -> Optional[Dict[str, Any]]:
        """Keys of direction and polarisation of a wave or beam whose plane lies across the simulation's axis a."""
        frame = self.frame
        if number(s.get("angle_theta", 0.0)) == 0:
            keys, electric = {"direction": frame.directed(a, s["direction"])}, self._electric_axis(s, a)
            if frame.plane:
                return keys
            if electric is not None:
                return {**keys, "polarisation": "xyz"[frame.axis(electric)]}
        theta, phi, pol = (number(s.get(name, 0.0)) for name in ("angle_theta", "angle_phi", "pol_angle"))
        sign = 1 if s["direction"] == "+" else -1
        along = [sign * c for c in (math.cos(phi) * math.sin(theta), math.sin(phi) * math.sin(theta), math.cos(theta))]
        first = (math.cos(phi) * math.cos(theta), math.sin(phi) * math.cos(theta), -math.sin(theta))
        second = (-math.sin(phi), math.cos(phi), 0.0)
        electric_field = [math.cos(pol) * u + math.sin(pol) * v for u, v in zip(first, second)]
        x, y, z = (c + 0.0 for c in frame.turned(_around(a, along)))  # without negative zeros
        if frame.plane:
            if abs(z) > 1e-9:
                complain("in two dimensions light travels in the plane")
                return None
            return {"phi_deg": math.degrees(math.atan2(y, x))}
        theta_job, phi_job = math.acos(max(-1.0, min(1.0, z))), math.atan2(y, x)
        e = frame.turned(_around(a, electric_field))
        out = e[0] * math.cos(phi_job) + e[1] * math.sin(phi_job)  # E along rising theta is p, along rising phi s
        psi = math.atan2(e[1] * math.cos(phi_job) - e[0] * math.sin(phi_job),
                         out * math.cos(theta_job) - e[2] * math.sin(theta_job))
        return {"theta_deg": math.degrees(theta_job), "phi_deg": math.degrees(phi_job), "psi_deg": math.degrees(psi)}

    def _wave(self, s: Mapping[str, Any], a: int, box: Any, complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        """A plane wave in a total-field box."""
        direction = self._direction(s, a, complain)
        return None if direction is None else table().classes["sources"]["PlaneWave"](box=box, **direction, **keys)

    def _beam(self, s: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        """A beam whose waist lies behind the plane by waist_distance, along its axis, for both directions alike."""
        a = normal_of(s, self.frame)
        direction = None if a is None else self._direction(s, a, complain)
        if direction is None:
            return None
        theta, phi, behind = (number(s[name]) for name in ("angle_theta", "angle_phi", "waist_distance"))
        axis = _around(a, [math.cos(phi) * math.sin(theta), math.sin(phi) * math.sin(theta), math.cos(theta)])
        if behind:
            keys["focus"] = self.frame.place([number(c) - behind * u for c, u in zip(s["center"], axis)])
        return table().classes["sources"]["GaussianBeam"](box=list(self.frame.box(s)), waist=number(s["waist_radius"]),
                                                          **direction, **keys)

    def _plane_wave(self, s: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        """A plane that sends a wave across the domain: a total-field box from it to the end, open at all other
        sides."""
        frame, a = self.frame, normal_of(s, self.frame)
        lo, hi = frame.box(s)
        if a is None:
            complain("its plane has two axes across it or none")
            return None
        i = frame.axis(a)
        if any(lo[j] > frame.lo[j] or hi[j] < frame.hi[j] for j in range(frame.dims) if j != i):
            complain("a plane wave of a job fills the domain across its direction, or a box (TFSF)")
            return None
        if number(s.get("angle_theta", 0.0)):
            complain("a plane wave at an angle is one of a box (TFSF)")
            return None
        for j in range(frame.dims):
            start = lo[j]
            lo[j], hi[j] = -0.5 * frame.size[j], 0.5 * frame.size[j]
            if j == i and s["direction"] == "+":
                lo[j] = start
            elif j == i:
                hi[j] = start
        return self._wave(s, a, [lo, hi], complain, keys)

    def _tfsf(self, s: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        return self._wave(s, int(s["injection_axis"]), list(self.frame.box(s)), complain, keys)

    def _dipole(self, s: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Part:
        """A current of unit amplitude over a length of 1 um."""
        kinds, component = table().classes["sources"], self.frame.component(s["polarization"])
        keys.update(position=self.frame.place(s["center"]), amplitude=1e-6 * keys["amplitude"])
        if not self.frame.plane:
            word = "ElectricDipole" if component[0] == "E" else "MagneticDipole"
            return kinds[word](axis=component[1], **keys)
        if component[1] == "z":
            return kinds["LineCurrent"](**keys)
        return kinds["LineDipole"](axis=component[1], **keys)

    def _mode(self, s: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        a = normal_of(s, self.frame)
        spec = self._mode_spec(s["mode_spec"], complain)
        if a is None or spec is None:
            return None
        return table().classes["sources"]["Mode"](box=list(self.frame.box(s)), mode=int(s["mode_index"]),
                                                  direction=self.frame.directed(a, s["direction"]), **spec, **keys)

    def _mode_spec(self, m: Mapping[str, Any], complain: Complain) -> Optional[Dict[str, Any]]:
        if m.get("bend_radius") or number(m.get("angle_theta", 0.0)) or any(m.get("num_pml", (0, 0))):
            complain("modes of bends, of planes at an angle and of absorbing edges are not in Torre")
            return None
        return {} if m.get("target_neff") is None else {"target_index": m["target_neff"]}

    # --- Monitors

    def monitor(self, m: Mapping[str, Any], complain: Complain) -> Optional[Part]:
        kinds = {"FluxMonitor": self._flux, "FieldMonitor": self._field, "FieldTimeMonitor": self._probe,
                 "ModeMonitor": self._modes, "DiffractionMonitor": self._orders,
                 "FieldProjectionAngleMonitor": self._far_field, "PermittivityMonitor": self._permittivity}
        if m["type"] not in kinds:
            complain(f"there is no monitor like {m['type']}")
            return None
        if m.get("exclude_surfaces"):
            complain("a box of a job has all its faces: give the planes")
            return None
        if m.get("normal_dir") == "-" and m["type"] == "FluxMonitor":
            complain("power of a job counts along the axis: give the plane the direction +, and change the sign")
            return None
        keys = _named(m)
        if m.get("freqs") is not None:
            keys["wavelengths"] = _wavelengths(m["freqs"])
        apodization = m.get("apodization") or {}
        times = {"from_fs": apodization.get("start"), "to_fs": apodization.get("end")}
        if any(t is not None for t in times.values()):
            keys["window"] = {**{name: 1e15 * t for name, t in times.items() if t is not None},
                              "rise_fs": 1e15 * math.sqrt(2) * (apodization.get("width") or 0.0)}
        return kinds[m["type"]](m, complain, keys)

    def _flux(self, m: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        kinds, flat = table().classes["monitors"], normal_of(m, self.frame)
        if flat is None and all(number(m["size"][a]) > 0 for a in self.frame.order[:self.frame.dims]):
            return kinds["FluxBox"](box=list(self.frame.box(m)), **keys)
        if flat is None:
            complain("its plane has two axes across it")
            return None
        return kinds["Flux"](box=list(self.frame.box(m)), **keys)

    def _permittivity(self, m: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        keys.pop("window", None)  # nothing is recorded for it
        return table().classes["monitors"]["Permittivity"](box=list(self.frame.box(m)), **keys)

    def _components(self, fields: List[str]) -> List[str]:
        """Those that the job has, in its axes."""
        have = {"TM": ("Ez", "Hx", "Hy"), "TE": ("Hz", "Ex", "Ey")}.get(self.polarisation or "")
        named = [self.frame.component(f) for f in fields]
        return [f for f in named if have is None or f in have]

    def _field(self, m: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        components = self._components(m["fields"])
        if not components:
            complain("the job's polarisation has none of its fields")
            return None
        return table().classes["monitors"]["Field"](box=list(self.frame.box(m)), components=components, **keys)

    def _probe(self, m: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        if any(number(m["size"][a]) for a in self.frame.order[:self.frame.dims]):
            complain("fields by time are recorded at points; a job has snapshots of planes")
            return None
        if not self._components(m["fields"]):
            complain("the job's polarisation has none of its fields")
            return None
        return table().classes["monitors"]["Probe"](position=self.frame.place(m["center"]), every=int(m["interval"]),
                                                    components=self._components(m["fields"]), **keys)

    def _modes(self, m: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        spec = self._mode_spec(m["mode_spec"], complain)
        if spec is None:
            return None
        return table().classes["monitors"]["Mode"](box=list(self.frame.box(m)), count=int(m["mode_spec"]["num_modes"]),
                                                   **spec, **keys)

    def _orders(self, m: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        a = normal_of(m, self.frame)
        if a is None:
            complain("its plane has two axes across it")
            return None
        return table().classes["monitors"]["Orders"](axis="xyz"[self.frame.axis(a)],
                                                     position=self.frame.along(a, number(m["center"][a])), **keys)

    def _far_field(self, m: Mapping[str, Any], complain: Complain, keys: Dict[str, Any]) -> Optional[Part]:
        if self.frame.order != [0, 1, 2]:
            complain("its angles are about an axis that is another one in the job")
            return None
        if self.frame.plane and not all(is_close(number(t), 0.5 * math.pi) for t in m["theta"]):
            complain("in two dimensions theta is 90 degrees")
            return None
        if not self.frame.plane:
            keys["theta_deg"] = [math.degrees(number(t)) for t in m["theta"]]
        keys["phi_deg"] = [math.degrees(number(p)) for p in m["phi"]]
        return table().classes["monitors"]["FarField"](box=list(self.frame.box(m)), **keys)


def _refused(sim: Mapping[str, Any], complaints: Complaints) -> None:
    """What a simulation as a whole may have and a job cannot."""
    for name in ("lumped_elements", "internal_absorbers"):
        if sim.get(name):
            complaints.at(name)("they are not in Torre")
    for name in ("override_structures", "layer_refinement_specs"):
        if sim["grid_spec"].get(name):
            complaints.at(f"grid_spec.{name}")("a job's cells are all equal")


def _sheet(structure: Mapping[str, Any], frame: Frame, media: Media, complaints: Complaints,
           place: str) -> Optional[Part]:
    """A structure of a Medium2D; None where there is nothing in it, or it was complained of."""
    complain = complaints.at(f"{place}.geometry")
    medium = sheet_medium(structure["medium"], media, complaints.at(f"{place}.medium"))
    plane = flat(structure["geometry"], frame, complain)
    if medium in (None, "vacuum") or plane is None:
        return None
    axis, position, thick = plane
    return table().find("Sheet")(axis="xyz"[frame.axis(axis)], position=position, medium=medium, thickness=1.0,
                                 parts=shapes(thick, frame, complain))


def from_tidy3d(simulation: Any, cell: Any = None, media: Optional[Mapping[str, Any]] = None,
                polarisation: Optional[str] = None, **values: Any) -> Job:
    """A simulation of Tidy3D as a job, with lengths in micrometres.

    simulation: a tidy3d.Simulation, the path of its .json file, or what is in that file.
    cell: edge of a cell, or one for each axis of the job; needed where the simulation's grid has no uniform one.
    media: media of the job, or names of built-in ones, for names of media of the simulation.
    polarisation: "TE" or "TM" of a simulation without extent along one axis, where its sources leave it open.
    values: further arguments of Job, such as averaging="tensor"; they take the place of the simulation's.

    The simulation's centre is not the job's: places are about the middle of the domain with its layers. A simulation
    without extent along x or y is turned so that this axis is z, with a TorreWarning. Raises Tidy3dError with all parts
    that have no counterpart: nothing is left out.
    """
    sim, complaints = _tree(simulation), Complaints()
    if sim.get("type") != "Simulation":
        raise Tidy3dError([f"type: got {sim.get('type')}, need Simulation"])
    _refused(sim, complaints)
    frame = Frame(sim, cell, complaints)
    reader = _Reader(sim, frame, complaints, polarisation)
    known = Media(frame.order, media or {})
    background = known.of(sim["medium"], complaints.at("medium"))
    keys: Dict[str, Any] = dict(length_unit="um", size=frame.size, cell=frame.cell, boundaries=frame.faces,
                                time_fs=1e15 * number(sim["run_time"]), decay=number(sim["shutoff"]) or None)
    if background != "vacuum":
        keys["background"] = background
    if frame.plane:
        keys["polarisation"] = reader.polarisation
    symmetry = {"xyz"[i]: {1: "even", -1: "odd"}[sim["symmetry"][a]]
                for i, a in enumerate(frame.order[:frame.dims]) if sim["symmetry"][a]}
    if symmetry:
        keys["symmetry"] = symmetry
    job = Job(**{**keys, **values})
    for i, structure in enumerate(sim["structures"]):
        place = f"structures[{i}]"
        if structure["medium"]["type"] == "Medium2D":
            sheet = _sheet(structure, frame, known, complaints, place)
            if sheet is not None:
                job += sheet
            continue
        medium = known.of(structure["medium"], complaints.at(f"{place}.medium"))
        for part in shapes(structure["geometry"], frame, complaints.at(f"{place}.geometry")):
            part.medium = medium
            job += part
    for name, make in (("sources", reader.source), ("monitors", reader.monitor)):
        for i, given in enumerate(sim[name]):
            made = make(given, complaints.at(f"{name}[{i}]" + (f" ({given['name']})" if given.get("name") else "")))
            if made is not None:
                job += made
    for name in sorted(known.unused):
        complaints.at("media")(f"the simulation has no medium {name}")
    if complaints.lines:
        raise Tidy3dError(complaints.lines)
    if frame.order != [0, 1, 2]:
        axes = ", ".join("xyz"[a] for a in frame.order)
        warnings.warn(TorreWarning(f"x, y, z of the job are {axes} of the simulation"), stacklevel=2)
    return job
